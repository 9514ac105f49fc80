//! Questions about a life: what is answered, who comes to mind, and how little of it is junk.

use super::*;

/// E10 at 10,000 events; `memory-lab --example recall` asks at more.
#[test]
fn questions_about_a_life_are_answered() {
    let (graph, records) = remembered(10_000, 1);
    let questions = questions(&graph, &records, 300, 7);
    let index = Index::new(graph.clone());
    let scores = |method| score(&index, &questions, method, graph.cursor.tick, |answer| answer());
    let full = scores(Method::Full);
    let all = full.all();
    assert!(all.asked >= 250, "{full}");
    assert!(all.recall_at_5() >= 0.97 && all.recall_at_10() >= 0.99, "{full}");
    let (words, recent) = (scores(Method::WordsOnly).all(), scores(Method::RecencyOnly).all());
    assert!(all.at_5 >= words.at_5 && words.at_5 > recent.at_5, "{full} {words:?} {recent:?}");
}

#[test]
fn recall_is_the_same_each_time_and_changes_nothing() {
    let (graph, _) = remembered(3_000, 2);
    let before = graph.to_json();
    let index = Index::new(graph.clone());
    let present = vec![graph.names.key(3).to_string()];
    let mut scratch = Scratch::default();
    let mut dice = Dice::new(4);
    for words in ["", "goblin", "Who gave me a small sword?", "the traitor", "xyzzy", "\u{0}…", "a the of"] {
        let query = Query::moment(words, &present, graph.cursor.tick + dice.roll() % 100_000);
        let first = index.recall(&query, &mut scratch);
        assert_eq!(first, index.recall(&query, &mut scratch), "{words:?}");
        assert_eq!(first, Index::new(graph.clone()).recall(&query, &mut Scratch::default()), "{words:?}");
        assert!(first.found.len() == 10 && first.found.iter().all(|found| !found.evidence.is_empty()), "{words:?}");
        for found in &first.found {
            for part in [found.recency, found.importance, found.relevance] {
                assert!((0.0..=1.0).contains(&part), "{found:?}");
            }
        }
    }
    assert_eq!(graph.to_json(), before);
    let none = Graph::new(AGENT, Config::new(AGENT, 0).terms);
    assert_eq!(Index::new(Arc::new(none)).recall(&Query::question("who?", 0), &mut scratch).found, vec![]);
}

#[test]
fn who_is_present_comes_to_mind() {
    let mut log = Log::from_day(20_000);
    log.push(Role::Suffered, What::Betrayed { by: player("Mallory"), victim: me() });
    for serial in 0..300 {
        log.push(Role::Did, What::Killed { victim: mob("a goblin", 5, serial), killer: Some(me()), xp: 0 });
    }
    let graph = Arc::new(log.dream().graph);
    let index = Index::new(graph.clone());
    let present = vec!["player:mallory".to_string()];
    let recall = index.recall(&Query::moment("", &present, graph.cursor.tick), &mut Scratch::default());
    let told: Vec<&str> = recall.found.iter().take(3).map(|found| &*found.text).collect();
    assert!(told.iter().any(|text| text.contains("betrayed by Mallory")), "{told:?}");
    // Who asks for nothing but what was last is told that.
    let lately = index.recall(&Query::question("lately?", graph.cursor.tick), &mut Scratch::default());
    let newest = graph.alive().filter_map(|(_, node)| match &node.body {
        Body::Event(event) => Some(event.seq),
        _ => None,
    });
    let newest = newest.max().map(|seq| format!("event:{seq}"));
    assert_eq!(lately.found.first().map(|found| found.id.clone()), newest, "{lately:?}");
    assert!(!lately.abstains());
}

#[test]
fn who_asks_for_nothing_is_told_what_was_grave_and_nothing_twice() {
    let mut log = Log::from_day(20_000);
    log.push(Role::Did, What::Met { who: me(), other: player("Mallory") });
    log.push(Role::Did, What::Acquired { who: me(), item: item("a torch", 1), from: None });
    log.push(Role::Did, What::Acquired { who: me(), item: item("a club", 2), from: None });
    log.push(Role::Did, What::Dropped { who: me(), item: item("a club", 2) });
    (0..12).for_each(|n| {
        log.push(Role::Did, What::Met { who: me(), other: player(&format!("Guest{n}")) });
    });
    log.push(Role::Suffered, What::Killed { victim: me(), killer: Some(mob("a watchman", 9, 1)), xp: -25 });
    let graph = Arc::new(log.dream().graph);
    let index = Index::new(graph.clone());
    let present: Vec<String> = (0..12).map(|n| format!("player:guest{n}")).collect();
    let moment = Query { one_of_each: true, ..Query::moment("", &present, graph.cursor.tick) };
    // Longer than it will be read: what is left out is not merely behind the others.
    let recall = index.recall(&Query { k: 100, ..moment.clone() }, &mut Scratch::default());
    let all: Vec<&str> = recall.found.iter().map(|found| &*found.plain).collect();
    let lies = all.iter().filter(|text| text.starts_with("a club")).collect::<Vec<_>>();
    assert_eq!(lies, [&"a club lies at the Square now."], "{all:#?}");
    assert!(!all.iter().any(|text| text.contains("was with") || text.starts_with("a torch:")), "{all:#?}");
    let recall = index.recall(&moment, &mut Scratch::default());
    let told: Vec<&str> = recall.found.iter().map(|found| &*found.plain).collect();
    assert!(told.iter().any(|text| text.contains("killed by a watchman")), "{told:#?}");
    let of_one = |name: &str| told.iter().filter(|text| text.split([' ', '.']).any(|word| word == name)).count();
    assert!((0..12).all(|n| of_one(&format!("Guest{n}")) <= 1), "{told:#?}");
    // Who asks for one of them is told when they met, beside what one knows.
    let asked = Query { one_of_each: true, ..Query::question("when did I meet Mallory", graph.cursor.tick) };
    let recall = index.recall(&asked, &mut Scratch::default());
    assert!(recall.found.iter().any(|found| found.plain.starts_with("Met Mallory")), "{recall:#?}");
}

/// Long before all that was important since, and in a crowd that much else is known of.
#[test]
fn who_stands_before_one_reminds_of_how_a_fight_with_it_ended() {
    let mut log = Log::from_day(20_000);
    let boar = |serial| mob("a boar", 7, serial);
    log.push(Role::Did, What::Met { who: me(), other: boar(1) });
    log.push(Role::Did, What::Fled { who: me(), from: Some(boar(1)), hp_percent: 15 });
    let guests: Vec<String> = (0..12).map(|n| format!("Guest{n}")).collect();
    for (n, guest) in (0..).zip(guests.iter().cycle().take(60)) {
        let gift = Some(item(&format!("a loaf from oven {n}"), n));
        let given = What::Given { giver: player(guest), receiver: me(), item: gift, gold: 0 };
        log.push(Role::Suffered, given);
    }
    let graph = Arc::new(log.dream().graph);
    let index = Index::new(graph.clone());
    let mut present: Vec<String> = guests.iter().map(|name| format!("player:{}", name.to_lowercase())).collect();
    let of_boar = (0..graph.names.len() as u32).find(|name| graph.names.name(*name) == "a boar").expect("it was met");
    present.push(graph.names.key(of_boar).to_string());
    for one_of_each in [false, true] {
        for k in [2, 10] {
            let moment = Query { k, one_of_each, ..Query::moment("", &present, graph.cursor.tick) };
            let recall = index.recall(&moment, &mut Scratch::default());
            let told: Vec<&str> = recall.found.iter().map(|found| &*found.plain).collect();
            assert!(told.iter().any(|text| text.starts_with("Fled from a boar")), "{told:#?}");
            assert_eq!(told.len(), k, "{told:#?}");
        }
    }
}

/// A pack that all did harm: they leave room for what else comes to mind, and who did most harm comes first.
#[test]
fn those_who_are_here_leave_room_for_what_was_grave_and_new() {
    let mut log = Log::from_day(20_000);
    let wolf = |n: i32| mob(&format!("a wolf of pack {n}"), 100 + n, 1);
    for n in 0..12 {
        (0..=n / 4).for_each(|_| {
            log.push(Role::Did, What::Fled { who: me(), from: Some(wolf(n)), hp_percent: 30 });
        });
    }
    (0..40).for_each(|n| {
        log.push(Role::Did, What::Killed { victim: mob("an ogre", 30, n), killer: Some(me()), xp: 0 });
    });
    let graph = Arc::new(log.dream().graph);
    let index = Index::new(graph.clone());
    let names = 0..graph.names.len() as u32;
    let present: Vec<String> = names
        .filter(|name| graph.names.name(*name).contains("pack"))
        .map(|name| graph.names.key(name).to_string())
        .collect();
    assert_eq!(present.len(), 12);
    let moment = Query { one_of_each: true, ..Query::moment("", &present, graph.cursor.tick) };
    let recall = index.recall(&moment, &mut Scratch::default());
    let told: Vec<&str> = recall.found.iter().map(|found| &*found.plain).collect();
    assert!(told.iter().any(|text| text.starts_with("Killed an ogre")), "{told:#?}");
    let worst = (8..12).filter(|n| told.iter().any(|text| text.contains(&format!("a wolf of pack {n}")))).count();
    assert_eq!((worst, told.len()), (4, 10), "{told:#?}");
}

/// A day's work over and over, and a few other things that have to do with goblins.
#[test]
fn what_happened_over_and_over_takes_one_line_and_says_how_often() {
    let mut log = Log::from_day(20_000);
    let goblin = |serial| mob("a goblin", 5, serial);
    for serial in 0..40 {
        log.push(Role::Did, What::Killed { victim: goblin(serial), killer: Some(me()), xp: 0 });
    }
    log.push(Role::Suffered, What::Killed { victim: me(), killer: Some(goblin(90)), xp: 0 });
    log.push(Role::Did, What::Fled { who: me(), from: Some(goblin(91)), hp_percent: 12 });
    let told_me = |n: u32| What::Spoke {
        speaker: player("Ann"),
        to: Some(me()),
        tone: Tone::Kind,
        text: format!("Goblin trick {n}: run.").into(),
    };
    for n in [1, 2, 2] {
        log.push(Role::Suffered, told_me(n));
    }
    let graph = Arc::new(log.dream().graph);
    let before = graph.to_json();
    let index = Index::new(graph.clone());
    let asked = |one_of_each: bool| {
        let query = Query { k: 8, one_of_each, ..Query::question("goblin", graph.cursor.tick) };
        index.recall(&query, &mut Scratch::default())
    };
    let kinds = |recall: &dreaming::retrieve::Recall| {
        let told = |deed: &str| recall.found.iter().filter(|found| found.text.contains(deed)).count();
        [
            told("Killed a goblin"),
            told("Died, killed by a goblin"),
            told("Fled from a goblin"),
            told("trick 1"),
            told("trick 2"),
        ]
    };
    let (all, one) = (asked(false), asked(true));
    let crowded = kinds(&all);
    assert!(crowded[0] >= 4, "else there is nothing to mend: {all:#?}");
    assert_eq!(kinds(&one), [1, 1, 1, 1, 1], "{one:#?}");
    let text = |deed: &str| &one.found.iter().find(|found| found.text.contains(deed)).expect("it is told of").text;
    let kept = graph.alive().filter(|(_, node)| matches!(&node.body, Body::Event(event) if event.deed == Deed::Killed));
    let kept = kept.count() - 1;
    assert!(text("Killed a goblin").ends_with(&format!("at the Square, and {} times more.", kept - 1)), "{one:#?}");
    let goblin = one.found.iter().find(|found| found.text.contains("Killed a goblin")).expect("it is told of");
    assert_eq!(goblin.evidence.len(), kept, "a line stands on all that it stands for: {goblin:?}");
    assert!(goblin.evidence.is_sorted(), "{goblin:?}");
    assert!(text("trick 2").ends_with(", and once more."), "{one:#?}");
    assert!(!text("trick 1").contains(", and "), "{one:#?}");
    // The best of a kind is the one that would have come first, and the list is the same each time.
    let first = |recall: &dreaming::retrieve::Recall| {
        recall.found.iter().find(|found| found.text.contains("Killed a goblin")).map(|found| found.id.clone())
    };
    assert_eq!(first(&one), first(&all));
    assert_eq!(one, asked(true));
    assert_eq!(graph.to_json(), before);
}

/// E18 on a log as the world writes it of somebody who explores: every room and every kind of mob once, then fights,
/// what the dead had, shops, doors, and now and then another player. Neutral talk is not recorded.
/// Who asks for what was done to them is told that, though a place is called by the same words.
#[test]
fn a_deed_is_found_before_the_place_that_is_called_like_it() {
    let lock_up = Place { vnum: 3010, name: "The Lock-up".into() };
    let watchman = || mob("a watchman", 9, 1);
    let mut log = Log::from_day(20_000);
    log.push(Role::Suffered, What::Arrested { by: watchman(), whom: me(), hours: 3 });
    for state in [DoorChange::Closed, DoorChange::Locked, DoorChange::Unlocked, DoorChange::Opened] {
        log.push(Role::Saw, What::Door { who: Some(watchman()), direction: "north".into(), state, leads_to: None });
    }
    log.push(Role::Did, What::RoomSeen { who: me(), from: None });
    log.push(Role::Did, What::Met { who: me(), other: player("Guest") });
    for record in &mut log.records[1..] {
        record.happening.room = lock_up.clone();
    }
    log.push(Role::Did, What::Killed { victim: mob("a rat", 5, 1), killer: Some(me()), xp: 0 });
    let graph = Arc::new(log.dream().graph);
    let index = Index::new(graph.clone());
    let asked = |words: &str| {
        let recall = index.recall(&Query::question(words, graph.cursor.tick), &mut Scratch::default());
        recall.found.into_iter().map(|found| found.text).collect::<Vec<String>>()
    };
    for words in ["why was I locked up", "Who locked me up?", "when was I locked up"] {
        let told = asked(words);
        assert!(told[0].contains("Was locked up by a watchman"), "{words}: {told:#?}");
    }
    let told = asked("What is in the lock-up?");
    assert!(told[0].contains("Lock-up"), "{told:#?}");
}

#[test]
fn an_explorer_remembers_little_junk() {
    let mut dice = Dice::new(6);
    let (mut log, mut rooms, mut kinds) = (Log::from_day(20_000), 0, 0);
    let place = |vnum: usize| Place { vnum: 3_000 + vnum as i32, name: format!("Room {vnum}").into() };
    let thing = |dice: &mut Dice| {
        let n = dice.below(120) as i32;
        Item { id: format!("obj_{n}_{}", dice.below(9)).into(), name: format!("thing {n}").into(), vnum: n, level: 20 }
    };
    for step in 0..2_000u32 {
        if step % 100 == 99 {
            log.at_ms += DAY_MS - 100 * 60_000;
        }
        let kind = dice.below(kinds + 1);
        let beast = mob(&format!("beast {kind}"), 100 + kind as i32, step);
        let (role, what) = match dice.below(100) {
            0..=29 => {
                rooms += 1;
                (Role::Did, What::RoomSeen { who: me(), from: Some(place(rooms - 1)) })
            }
            30..=44 => {
                kinds += 1;
                (Role::Did, What::Met { who: me(), other: mob(&format!("beast {kinds}"), 100 + kinds as i32, step) })
            }
            45..=64 => (Role::Did, What::Killed { victim: beast, killer: Some(me()), xp: 90 }),
            65..=69 => (Role::Did, What::Fled { who: me(), hp_percent: dice.below(60) as u8, from: Some(beast) }),
            70..=74 => (Role::Suffered, What::Wounded { who: me(), hp_percent: dice.below(31) as u8, by: Some(beast) }),
            75..=84 => {
                let from = Some(format!("the corpse of {}", beast.name).into());
                (Role::Did, What::Acquired { who: me(), item: thing(&mut dice), from })
            }
            85..=88 => {
                let seller = mob("a smith", 1, 1);
                (Role::Did, What::Bought { who: me(), seller, item: thing(&mut dice), price: 40 })
            }
            89..=92 => (Role::Did, What::Dropped { who: me(), item: thing(&mut dice) }),
            93..=95 => {
                let (direction, state) = (["north", "east"][dice.below(2)].into(), DoorChange::Opened);
                (Role::Did, What::Door { who: Some(me()), direction, state, leads_to: None })
            }
            96..=97 => (Role::Did, What::Met { who: me(), other: player(&player_name(dice.below(40))) }),
            _ => {
                let (helper, how) = (player(&player_name(dice.below(40))), Help::Healed);
                (Role::Suffered, What::Helped { helper, helped: me(), how, hp_percent: Some(50) })
            }
        };
        log.push(role, what);
        log.records.last_mut().expect("just pushed").happening.room = place(rooms);
    }
    let found = junk(&Arc::new(log.dream().graph), 200, 3);
    assert!(found.stored > 1_500 && found.junk * 20 <= found.stored, "{found:?}");
    assert!(found.never * 5 <= found.asked, "most of it comes up when it is asked for: {found:?}");
}
