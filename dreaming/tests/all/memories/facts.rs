//! What holds, and what held: facts that end, by what the records say.

use super::*;

#[test]
fn a_fact_that_is_over_has_an_end_and_is_not_forgotten() {
    let mut log = Log::from_day(20_000);
    let sword = item("a sword", 1);
    let got = log.push(Role::Did, What::Acquired { who: me(), item: sword.clone(), from: None });
    let given =
        log.push(Role::Did, What::Given { giver: me(), receiver: player("Bob"), item: Some(sword.clone()), gold: 0 });
    let door = |state| What::Door { who: Some(me()), direction: "north".into(), state, leads_to: None };
    log.push(Role::Did, door(DoorChange::Opened));
    let locked = log.push(Role::Did, door(DoorChange::Locked));
    let killer = Some(mob("a troll", 9, 1));
    let died = log.push(Role::Saw, What::Killed { victim: player("Bob"), killer: killer.clone(), xp: 0 });
    let facts = log.dream().graph.facts;
    let held = facts.now(Relation::HeldBy, "obj_7_1").expect("somebody has it");
    assert_eq!((&*held.value, held.since, held.until), ("corpse:player:bob", died, None), "he had it when he died");
    let of_bob = facts.at(Relation::HeldBy, "obj_7_1", log.records[2].at_ms).expect("he had it");
    assert_eq!((&*of_bob.value, of_bob.since, of_bob.until), ("player:bob", given, Some(died)));
    let before = facts.at(Relation::HeldBy, "obj_7_1", log.records[0].at_ms).expect("I had it");
    assert_eq!(
        (&*before.value, before.since, before.until),
        (&*format!("me:{}", AGENT.to_lowercase()), got, Some(given))
    );
    let door = facts.now(Relation::Door, "room:3001 north").expect("known");
    assert_eq!((&*door.value, door.since), ("locked", locked));
    assert_eq!(facts.now(Relation::Life, "player:bob").expect("dead").since, died);
    assert_eq!(facts.now(Relation::Life, "player:eve"), None, "of her nothing is known");
    // Seen again, he lives.
    let words = What::Spoke { speaker: player("Bob"), to: None, tone: Tone::Neutral, text: "I am back".into() };
    let back = log.push(Role::Suffered, words);
    let facts = log.dream().graph.facts;
    assert_eq!(facts.now(Relation::Life, "player:bob"), None);
    let dead = facts.iter().find(|fact| fact.relation == Relation::Life).expect("it is remembered");
    assert_eq!((dead.since, dead.until), (died, Some(back)));
}

#[test]
fn the_dead_leave_behind_what_they_had() {
    let mut log = Log::from_day(20_000);
    let (sword, ring, cup) = (item("a sword", 1), item("a ring", 2), item("a cup", 3));
    let goblin = |serial| mob("a goblin", 5, serial);
    log.push(Role::Did, What::Acquired { who: me(), item: sword.clone(), from: None });
    log.push(Role::Did, What::Given { giver: me(), receiver: goblin(1), item: Some(ring), gold: 0 });
    log.push(Role::Did, What::Given { giver: me(), receiver: goblin(2), item: Some(cup), gold: 0 });
    log.push(Role::Did, What::Killed { victim: goblin(2), killer: Some(me()), xp: 0 });
    let died = log.push(Role::Suffered, What::Killed { victim: me(), killer: Some(goblin(1)), xp: 0 });
    let holder = |log: &Log, thing: &str| {
        let dreamt = log.dream();
        // As it is, and as it is read back from its document.
        let again = Graph::from_json(&dreamt.graph.to_json(), AGENT).expect("just written");
        let told = [&dreamt.graph, &again].map(|graph| {
            let fact = graph.facts.now(Relation::HeldBy, thing).expect("somebody has it");
            (fact.value.to_string(), fact.since)
        });
        assert_eq!(told[0], told[1]);
        told[0].clone()
    };
    let mine = format!("me:{}", AGENT.to_lowercase());
    assert_eq!(holder(&log, "obj_7_1"), (format!("corpse:{mine}"), died));
    assert_eq!(holder(&log, "obj_7_2").0, "mob:5", "another goblin died than the one that has the ring");
    assert_eq!(holder(&log, "obj_7_3"), ("corpse:mob:5".into(), 4));
    let graph = Arc::new(log.dream().graph);
    let index = Index::new(graph.clone());
    let recall = index.recall(&Query::question("Who has a sword now?", graph.cursor.tick), &mut Scratch::default());
    assert!(recall.found[0].text.starts_with("a sword lies now in the corpse of Brenda"), "{}", recall.found[0].text);
    // Another takes it out.
    let from = Some("the corpse of Brenda".into());
    let looted = log.push(Role::Saw, What::Acquired { who: player("Eve"), item: sword, from });
    assert_eq!(holder(&log, "obj_7_1"), ("player:eve".into(), looted));
}

#[test]
fn a_door_is_one_door_from_both_sides_and_who_stands_by_lives() {
    let mut log = Log::from_day(20_000);
    let place = |vnum| Place { vnum, name: format!("Room {vnum}").into() };
    let door = |log: &mut Log, room: i32, direction: &str, behind: i32, state| {
        let leads_to = Some(place(behind));
        log.push(Role::Did, What::Door { who: Some(me()), direction: direction.into(), state, leads_to });
        log.records.last_mut().expect("just pushed").happening.room = place(room);
    };
    door(&mut log, 1, "north", 2, DoorChange::Unlocked);
    door(&mut log, 2, "south", 1, DoorChange::Locked);
    door(&mut log, 3, "up", 4, DoorChange::Opened);
    let killer = Some(mob("a troll", 9, 1));
    log.push(Role::Saw, What::Killed { victim: player("Bob"), killer: killer.clone(), xp: 0 });
    log.push(Role::Saw, What::Killed { victim: player("Eve"), killer, xp: 0 });
    log.push(Role::Did, What::LevelGained { who: me(), level: 4 });
    log.records.last_mut().expect("just pushed").happening.witnesses = vec![player("Bob")];
    let facts = log.dream().graph.facts;
    let state = |door| facts.now(Relation::Door, door).map(|fact| &*fact.value);
    assert_eq!((state("room:1 north"), state("room:2 south")), (Some("locked"), Some("locked")));
    assert_eq!((state("room:3 up"), state("room:4 down")), (Some("opened"), None), "nobody looked from there");
    assert_eq!(facts.now(Relation::Life, "player:bob"), None, "he stood by");
    assert!(facts.now(Relation::Life, "player:eve").is_some());
}

/// E11: what holds, and what held at any time, against a plain replay of the records.
#[test]
fn facts_answer_as_the_records_do() {
    let life = Life::new(Shape { seed: 8, events_per_day: 3_000, players: 30, items: 60, ..Shape::default() });
    let records: Vec<Record> = life.take(9_000).collect();
    let dreamt = dream(None, &records, &Config::new(AGENT, day_of(records[8_999].at_ms, 0)));
    let facts = &dreamt.graph.facts;
    let me = format!("me:{}", AGENT.to_lowercase());
    let key = |who: &Who| match who.id.strip_prefix("player_") {
        Some(name) if name.eq_ignore_ascii_case(AGENT) => me.clone(),
        Some(name) => format!("player:{name}"),
        None => format!("mob:{}", who.id.split('_').nth(1).expect("a vnum")),
    };
    // Who has it: the key, and which one of its kind.
    let mut held: BTreeMap<String, Option<(String, String)>> = BTreeMap::new();
    let mut doors: BTreeMap<String, &str> = BTreeMap::new();
    let mut dead: BTreeMap<String, bool> = BTreeMap::new();
    let (mut asked, mut wrong) = (0, 0);
    for (i, record) in records.iter().enumerate() {
        let room = format!("room:{}", record.happening.room.vnum);
        let (doer, sufferer) = record.happening.what.parts();
        for who in [doer, sufferer, record.happening.what.third()].into_iter().flatten() {
            dead.insert(key(who), false);
        }
        match &record.happening.what {
            What::Acquired { who, item, .. } | What::Bought { who, item, .. } => {
                held.insert(item.id.to_string(), Some((key(who), who.id.to_string())));
            }
            What::Dropped { item, .. } => {
                held.insert(item.id.to_string(), Some((room.clone(), String::new())));
            }
            What::UsedUp { item, .. } | What::ThrownAway { item, .. } => {
                held.insert(item.id.to_string(), None);
            }
            What::Given { receiver: to, item: Some(item), .. }
            | What::Sold { buyer: to, item, .. }
            | What::Stolen { thief: to, item: Some(item), .. } => {
                held.insert(item.id.to_string(), Some((key(to), to.id.to_string())));
            }
            What::Door { direction, state, .. } => {
                let state = match state {
                    DoorChange::Opened => "opened",
                    DoorChange::Closed => "closed",
                    DoorChange::Locked => "locked",
                    DoorChange::Unlocked => "unlocked",
                };
                doors.insert(format!("{room} {direction}"), state);
            }
            What::Killed { victim, .. } => {
                for holder in held.values_mut().flatten().filter(|(_, id)| **id == *victim.id) {
                    *holder = (format!("corpse:{}", key(victim)), String::new());
                }
                let seen = record.happening.role == Role::Saw;
                dead.insert(key(victim), seen && victim.kind == WhoKind::Player);
            }
            _ => {}
        }
        // Now and then, and at the end: all of what the records say.
        if i % 500 != 499 {
            continue;
        }
        let last = i + 1 == records.len();
        let mut ask = |relation: Relation, subject: &str, expected: Option<&str>| {
            let then = facts.at(relation, subject, record.at_ms).map(|fact| &*fact.value);
            let now = facts.now(relation, subject).map(|fact| &*fact.value);
            asked += 1;
            wrong += u32::from(then != expected || (last && now != expected));
        };
        for (item, holder) in &held {
            ask(Relation::HeldBy, item, holder.as_ref().map(|(key, _)| &**key));
        }
        for (door, state) in &doors {
            ask(Relation::Door, door, Some(state));
        }
        for (who, dead) in &dead {
            ask(Relation::Life, who, dead.then_some("dead"));
        }
    }
    assert!(asked > 5_000, "{asked}");
    assert_eq!(wrong, 0, "of {asked}");
}
