//! What the world records for the minds of its players: one scene for each kind, with those who stood by and those who
//! did not.

use protocol::happening::{Happening, Help, Role, Tone, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use tests::remembered::kind;
use tests::scene::{Person, Scene};
use world::flags::AffectFlags;
use world::object::Place;
use world::recording::{DEFENCE_TICKS, FIGHT_GAP_TICKS, TRUST_TICKS};
use world::report::Recorded;
use world::words::{AttackType, Position};
use world::{CharacterId, Input, ObjectId, Report};

/// The field: nobody lives there.
const FIELD: i32 = 200;

/// People of level 20, so that they may fight each other, each in its room.
fn scene(people: &[(&str, i32)]) -> Scene {
    let mut scene = Scene::open("green", 3);
    for (name, room) in people {
        scene.enter(name, &Person { level: 20, room: Some(*room), ..Person::default() });
    }
    scene
}

/// Owner, role and record, of one kind, in order.
fn of_kind<'r>(report: &'r Report, wanted: &str) -> Vec<(&'r str, Role, &'r Happening)> {
    let found = report.recorded.iter().filter(|recorded| kind(&recorded.happening.what) == wanted);
    found.map(|Recorded { name, happening, .. }| (&**name, happening.role, &**happening)).collect()
}

/// Owners and roles of one kind.
fn roles<'r>(report: &'r Report, wanted: &str) -> Vec<(&'r str, Role)> {
    of_kind(report, wanted).into_iter().map(|(name, role, _)| (name, role)).collect()
}

/// That of one owner.
fn of<'r>(report: &'r Report, wanted: &str, owner: &str) -> &'r Happening {
    let found = of_kind(report, wanted).into_iter().find(|(name, ..)| *name == owner);
    found.unwrap_or_else(|| panic!("{owner} remembers nothing {wanted}: {:#?}", report.recorded)).2
}

fn mob(scene: &mut Scene, vnum: i32, room: i32) -> CharacterId {
    let proto = scene.world.content.mob_index(vnum).expect("a mob of the scene");
    let room = scene.world.room_by_vnum(room).expect("a room of the scene");
    scene.world.make_mob(proto, room)
}

fn thing(scene: &mut Scene, vnum: i32, place: Place) -> ObjectId {
    let thing = scene.world.make_object(vnum).expect("a thing of the scene");
    scene.world.place_object(thing, place);
    thing
}

fn hand(scene: &mut Scene, vnum: i32, name: &str) -> ObjectId {
    let holder = Place::Carried(scene.id(name));
    thing(scene, vnum, holder)
}

fn names(who: &[Who]) -> Vec<&str> {
    who.iter().map(|who| &*who.name).collect()
}

fn hide(scene: &mut Scene, name: &str) {
    let who = scene.id(name);
    scene.world.who_mut(who).base.flags.insert(AffectFlags::INVISIBLE);
    scene.world.recompute(who);
}

/// `attacker` types until something of that kind is remembered.
fn until(scene: &mut Scene, name: &str, line: &str, wanted: &str) -> Report {
    for _ in 0..60 {
        let report = scene.does(name, line);
        if !of_kind(&report, wanted).is_empty() {
            return report;
        }
        let report = scene.tick();
        if !of_kind(&report, wanted).is_empty() {
            return report;
        }
    }
    panic!("{name} typed {line:?} sixty times and nobody remembers anything {wanted}");
}

/// A blow that takes so many hit points.
fn blow(scene: &mut Scene, attacker: CharacterId, victim: CharacterId, amount: i32) -> Report {
    scene.world.damage(attacker, victim, amount, AttackType::Hit);
    // Closes the report of what was done behind its back.
    scene.world.apply(&Input::Admin(world::Admin::Announce { text: "A blow.".into() }))
}

#[test]
fn a_kill_is_remembered_by_who_did_it_who_had_a_share_and_who_saw_it() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Dan", FIELD), ("Eve", 101)]);
    for line in ["follow ann", "group all"] {
        scene.does(if line == "group all" { "Ann" } else { "Bob" }, line);
    }
    let dan = scene.id("Dan");
    scene.world.who_mut(dan).position = Position::Sleeping;
    let bull = mob(&mut scene, 112, FIELD);
    let serial = scene.world.who(bull).serial;
    scene.world.who_mut(bull).hit = 1;
    let first = until(&mut scene, "Ann", "kill bull", "killed");
    assert_eq!(roles(&first, "killed"), [("Ann", Role::Did), ("Cid", Role::Saw)], "{:#?}", first.recorded);
    assert_eq!(roles(&first, "assisted"), [("Bob", Role::Did)]);
    let own = of(&first, "killed", "Ann");
    let What::Killed { victim, killer, xp } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*victim.name, victim.level, victim.kind), ("the red bull", 12, WhoKind::Mob));
    assert_eq!(&*victim.id, format!("mob_112_{serial}"));
    assert_eq!(killer.as_ref().map(|who| (&*who.name, who.level)), Some(("Ann", 20)));
    assert!(*xp > 0 && own.novel && own.valence.is_none());
    assert_eq!((own.room.vnum, names(&own.witnesses)), (FIELD, vec!["Bob", "Cid"]));
    let seen = of(&first, "killed", "Cid");
    assert!(matches!(seen.what, What::Killed { xp: 0, .. }) && !seen.novel);
    // One event, in the memories of all.
    let ids: Vec<_> = ["Ann", "Cid"].map(|name| of(&first, "killed", name).social_event_id).into();
    let shared = of(&first, "assisted", "Bob").social_event_id;
    assert!(shared.is_some() && ids.iter().all(|id| *id == shared), "{ids:?} {shared:?}");
    assert_eq!(shared.map(|id| id / 1024), Some(first.number));
    // The second of its kind is no news.
    let bull = mob(&mut scene, 112, FIELD);
    scene.world.who_mut(bull).hit = 1;
    let second = until(&mut scene, "Ann", "kill bull", "killed");
    assert!(!of(&second, "killed", "Ann").novel && !of(&second, "assisted", "Bob").novel);
}

#[test]
fn a_blow_that_kills_nothing_is_no_kill() {
    let mut scene = scene(&[("Ann", FIELD)]);
    mob(&mut scene, 112, FIELD);
    for _ in 0..3 {
        let report = scene.does("Ann", "hit bull");
        assert!(of_kind(&report, "killed").is_empty() && of_kind(&report, "fought").is_empty());
    }
}

#[test]
fn the_dead_remember_who_killed_them_and_what_it_cost() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Eve", 101)]);
    let ann = scene.id("Ann");
    scene.world.player_mut(ann).experience = 37_000;
    scene.world.who_mut(ann).hit = 1;
    let bull = mob(&mut scene, 112, FIELD);
    let report = blow(&mut scene, bull, ann, 500);
    assert_eq!(roles(&report, "killed"), [("Ann", Role::Suffered), ("Bob", Role::Saw)]);
    let own = of(&report, "killed", "Ann");
    let What::Killed { killer: Some(killer), xp, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*killer.name, killer.level, *xp, own.room.vnum), ("the red bull", 12, -1_000, FIELD));
    assert_eq!(scene.world.who(ann).player().map(|player| player.experience), Some(36_000));
    // Nobody to blame.
    scene.world.who_mut(ann).hit = -20;
    scene.world.update_position(ann);
    scene.world.die(ann, None);
    let report = scene.tick();
    assert!(matches!(of(&report, "killed", "Ann").what, What::Killed { killer: None, .. }));
}

#[test]
fn a_flight_is_remembered_with_the_wounds_and_by_those_who_stay() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100), ("Eve", 105)]);
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    scene.world.provoke(ann, bob);
    let most = scene.world.who(ann).now.hit_max;
    scene.world.who_mut(ann).hit = most / 2;
    let report = until(&mut scene, "Ann", "flee", "fled");
    assert_eq!(roles(&report, "fled"), [("Ann", Role::Did), ("Bob", Role::Suffered)]);
    let own = of(&report, "fled", "Ann");
    let What::Fled { from: Some(from), hp_percent, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*from.name, own.room.vnum), ("Bob", 100));
    assert!((30..=50).contains(hp_percent), "{hp_percent}");
}

#[test]
fn each_wound_is_remembered_once_in_a_fight() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    let ann = scene.id("Ann");
    let bull = mob(&mut scene, 112, FIELD);
    {
        let character = scene.world.who_mut(ann);
        (character.base.hit_max, character.hit) = (1_000, 1_000);
    }
    scene.world.recompute(ann);
    let most = scene.world.who(ann).now.hit_max;
    let wounded = |scene: &mut Scene, percent_before: i32, percent_after: i32| {
        scene.world.who_mut(ann).hit = most * percent_before / 100;
        let report = blow(scene, bull, ann, most * (percent_before - percent_after) / 100);
        let told: Vec<_> = of_kind(&report, "wounded")
            .iter()
            .map(|(name, role, h)| {
                let What::Wounded { hp_percent, by: Some(by), .. } = &h.what else { panic!("{h:?}") };
                assert_eq!((*name, *role, &*by.name), ("Ann", Role::Suffered, "the red bull"));
                *hp_percent
            })
            .collect();
        told
    };
    assert_eq!(wounded(&mut scene, 60, 31), Vec::<u8>::new());
    assert_eq!(wounded(&mut scene, 40, 30), [30]);
    assert_eq!(wounded(&mut scene, 40, 30), Vec::<u8>::new(), "a second time in one fight");
    assert_eq!(wounded(&mut scene, 30, 14), [14]);
    assert_eq!(wounded(&mut scene, 14, 5), [5]);
    assert_eq!(wounded(&mut scene, 40, 10), Vec::<u8>::new());
    // Another fight.
    scene.world.stop_fights_of(ann);
    for _ in 0..=FIGHT_GAP_TICKS {
        scene.world.who_mut(ann).hit = most;
        scene.tick();
        scene.world.stop_fights_of(ann);
    }
    for _ in 0..=FIGHT_GAP_TICKS {
        scene.world.state.clock.tick += 1;
    }
    assert_eq!(wounded(&mut scene, 40, 4), [4], "all three at one blow are one wound");
    assert_eq!(wounded(&mut scene, 40, 4), Vec::<u8>::new());
}

#[test]
fn things_are_remembered_by_whose_they_become_and_cease_to_be() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100)]);
    let room = Place::Room(scene.world.room_by_vnum(100).expect("the green"));
    let ring = thing(&mut scene, 128, room);
    let report = scene.does("Ann", "get ring");
    assert_eq!(roles(&report, "acquired"), [("Ann", Role::Did)]);
    let own = of(&report, "acquired", "Ann");
    let What::Acquired { item, from: None, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*item.name, item.vnum, item.level, own.novel), ("a silver ring", 128, 10, true));
    assert_eq!(&*item.id, &*scene.world.object_instance_of(ring));
    let bag = hand(&mut scene, 123, "Ann");
    // What goes into one's own bag and comes out of it stays one's own.
    for line in ["put ring bag", "get ring bag"] {
        assert!(scene.does("Ann", line).recorded.is_empty(), "{line}");
    }
    let dropped = scene.does("Ann", "drop ring");
    assert_eq!(roles(&dropped, "dropped"), [("Ann", Role::Did)]);
    assert!(!of(&scene.does("Ann", "get ring"), "acquired", "Ann").novel, "it had one before");
    scene.does("Ann", "put ring bag");
    scene.world.place_object(bag, room);
    let report = scene.does("Bob", "get ring bag");
    let What::Acquired { from: Some(from), .. } = &of(&report, "acquired", "Bob").what else { panic!("{report:?}") };
    assert_eq!(&**from, "a leather bag");
    hand(&mut scene, 122, "Bob");
    let bob = scene.id("Bob");
    scene.world.player_mut(bob).full = 0;
    for (line, what) in [("eat bread", "used_up"), ("junk ring", "used_up")] {
        assert_eq!(roles(&scene.does("Bob", line), what), [("Bob", Role::Did)], "{line}");
    }
    // Coins are no thing.
    scene.does("Ann", "drop 10 coins");
    assert!(scene.does("Bob", "get coins").recorded.is_empty());
}

#[test]
fn gifts_are_remembered_by_both_and_by_who_sees_them() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100), ("Cid", 100), ("Eve", 101)]);
    hand(&mut scene, 128, "Ann");
    let report = scene.does("Ann", "give ring bob");
    assert_eq!(roles(&report, "given"), [("Ann", Role::Did), ("Bob", Role::Suffered), ("Cid", Role::Saw)]);
    let own = of(&report, "given", "Bob");
    let What::Given { giver, item: Some(item), gold: 0, .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*giver.name, &*item.name, own.novel), ("Ann", "a silver ring", true));
    assert_eq!(names(&own.witnesses), ["Cid"]);
    let report = scene.does("Ann", "give 5 coins bob");
    assert!(matches!(of(&report, "given", "Bob").what, What::Given { gold: 5, item: None, .. }));
}

#[test]
fn trade_is_remembered_by_the_customer() {
    let mut scene = scene(&[("Ann", 102), ("Bob", 102)]);
    let ann = scene.id("Ann");
    scene.world.who_mut(ann).gold = 5_000;
    let report = scene.does("Ann", "buy #1");
    assert_eq!(roles(&report, "bought"), [("Ann", Role::Did)], "{:#?}", report.lines);
    let own = of(&report, "bought", "Ann");
    let What::Bought { seller, item, price, .. } = &own.what else { panic!("{own:?}") };
    assert!(*price > 0 && own.novel && item.vnum > 0);
    assert_eq!((&*seller.name, seller.kind), ("Oswin", WhoKind::Mob));
    let word = item.name.rsplit(' ').next().unwrap_or_default().to_string();
    let report = scene.does("Ann", &format!("sell {word}"));
    assert_eq!(roles(&report, "sold"), [("Ann", Role::Did)], "{:#?}", report.lines);
}

/// Bob gives Ann a ring, waits so many ticks and strikes her.
fn struck_after_gift(ticks: u64) -> Report {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Eve", 101)]);
    hand(&mut scene, 128, "Bob");
    scene.does("Bob", "give ring ann");
    scene.world.state.clock.tick += ticks;
    scene.does("Bob", "murder ann")
}

#[test]
fn who_strikes_one_to_whom_it_gave_betrays_her_for_300_ticks() {
    let report = struck_after_gift(TRUST_TICKS);
    assert_eq!(roles(&report, "betrayed"), [("Bob", Role::Did), ("Ann", Role::Suffered), ("Cid", Role::Saw)]);
    let own = of(&report, "betrayed", "Ann");
    assert_eq!(own.others().map(|who| &*who.name).collect::<Vec<_>>(), ["Bob"]);
    let ids: Vec<_> = report.recorded.iter().map(|recorded| recorded.happening.social_event_id).collect();
    assert!(ids[0].is_some() && ids.iter().all(|id| *id == ids[0]), "{ids:?}");
    assert!(roles(&struck_after_gift(TRUST_TICKS + 1), "betrayed").is_empty());
}

#[test]
fn who_strikes_one_who_helped_it_betrays_her_and_the_other_way_round_not() {
    for (helper, is_treason) in [("Ann", true), ("Bob", false)] {
        let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
        let (one, other) = (scene.id("Ann"), scene.id("Bob"));
        let helped = if helper == "Ann" { other } else { one };
        let bull = mob(&mut scene, 112, FIELD);
        scene.world.provoke(bull, helped);
        let report = scene.does(helper, if helper == "Ann" { "assist bob" } else { "assist ann" });
        assert_eq!(roles(&report, "helped").len(), 2, "{:#?}", report.lines);
        scene.world.stop_fights_of(bull);
        scene.world.extract_character(bull);
        for who in [one, other] {
            scene.world.who_mut(who).free_tick = 0;
        }
        let report = scene.does("Bob", "murder ann");
        assert_eq!(!roles(&report, "betrayed").is_empty(), is_treason, "helped by {helper}: {:#?}", report.lines);
    }
}

#[test]
fn who_strikes_a_member_of_the_group_betrays_it_once_in_a_fight() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    scene.does("Bob", "follow ann");
    let report = scene.does("Ann", "group bob");
    assert_eq!(roles(&report, "helped"), [("Ann", Role::Did), ("Bob", Role::Suffered)]);
    assert!(matches!(of(&report, "helped", "Bob").what, What::Helped { how: Help::Grouped, .. }));
    // Who strikes back betrays nobody, whatever was given before.
    scene.does("Ann", "give 5 coins bob");
    let mut told = Vec::new();
    for _ in 0..6 {
        for report in [scene.does("Bob", "murder ann"), scene.tick()] {
            told.extend(of_kind(&report, "betrayed").iter().map(|(name, role, _)| (name.to_string(), *role)));
        }
    }
    assert_eq!(told, [("Bob".to_string(), Role::Did), ("Ann".to_string(), Role::Suffered)]);
    let report = scene.does("Bob", "ungroup");
    assert_eq!(roles(&report, "parted"), [("Bob", Role::Did), ("Ann", Role::Suffered)]);
}

/// Ann is attacked; after so many ticks Bob types that.
fn joined_after(ticks: u64, line: &str) -> Report {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Eve", 101)]);
    let ann = scene.id("Ann");
    let bull = mob(&mut scene, 112, FIELD);
    scene.world.provoke(bull, ann);
    let most = scene.world.who(ann).now.hit_max;
    scene.world.who_mut(ann).hit = most / 10;
    scene.world.state.clock.tick += ticks;
    scene.does("Bob", line)
}

#[test]
fn who_joins_a_fight_within_five_ticks_of_its_start_defends() {
    for line in ["assist ann", "kill bull"] {
        let report = joined_after(DEFENCE_TICKS, line);
        assert_eq!(
            roles(&report, "helped"),
            [("Bob", Role::Did), ("Ann", Role::Suffered), ("Cid", Role::Saw)],
            "{line}: {:#?}",
            report.lines
        );
        let own = of(&report, "helped", "Ann");
        let What::Helped { how, hp_percent: Some(hp), .. } = &own.what else { panic!("{own:?}") };
        assert!(*how == Help::Defended && (5..=10).contains(hp), "{own:?}");
        assert_eq!(names(&own.witnesses), ["Cid", "the red bull"]);
        assert!(roles(&joined_after(DEFENCE_TICKS + 1, line), "helped").is_empty(), "{line}");
    }
}

#[test]
fn to_strike_what_another_hunts_is_no_help() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    mob(&mut scene, 112, FIELD);
    scene.does("Ann", "kill bull");
    assert!(roles(&scene.does("Bob", "kill bull"), "helped").is_empty());
}

#[test]
fn a_rescue_is_remembered_with_how_bad_it_was() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    scene.world.player_mut(bob).skills.insert("rescue".into(), 101);
    let bull = mob(&mut scene, 112, FIELD);
    scene.world.provoke(bull, ann);
    let most = scene.world.who(ann).now.hit_max;
    scene.world.who_mut(ann).hit = most / 10;
    let report = scene.does("Bob", "rescue ann");
    let own = of(&report, "helped", "Ann");
    assert!(matches!(own.what, What::Helped { how: Help::Rescued, hp_percent: Some(5..=10), .. }), "{own:?}");
}

#[test]
fn words_that_are_not_neutral_are_remembered_by_who_hears_them() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100), ("Cid", 100), ("Eve", 101)]);
    assert!(scene.does("Ann", "say The way north is open, Bob.").recorded.is_empty());
    let report = scene.does("Ann", "say Thank you, Bob, my friend!");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Bob", Role::Suffered), ("Cid", Role::Saw)]);
    let own = of(&report, "spoke", "Bob");
    let What::Spoke { tone: Tone::Kind, text, to: Some(to), .. } = &own.what else { panic!("{own:?}") };
    assert_eq!((&**text, &*to.name, names(&own.witnesses)), ("Thank you, Bob, my friend!", "Bob", vec!["Cid"]));
    // To nobody in particular, who has several hearers.
    let report = scene.does("Ann", "say I will kill you all");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Bob", Role::Saw), ("Cid", Role::Saw)]);
    let report = scene.does("Ann", "whisper bob you stupid fool");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Bob", Role::Suffered)]);
    let report = scene.does("Ann", "tell eve you stupid fool");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Eve", Role::Suffered)]);
    assert_eq!((of(&report, "spoke", "Ann").room.vnum, of(&report, "spoke", "Eve").room.vnum), (100, 101));
    // A channel: only between the speaker and the one who is named.
    assert!(scene.does("Ann", "gossip hello friends").recorded.is_empty());
    let report = scene.does("Ann", "gossip thanks eve");
    assert_eq!(roles(&report, "spoke"), [("Ann", Role::Did), ("Eve", Role::Suffered)]);
    let report = scene.does("Ann", &format!("say I hate it {}", "ha ".repeat(150)));
    let What::Spoke { text, .. } = &of(&report, "spoke", "Ann").what else { panic!("{report:?}") };
    assert_eq!(text.chars().count(), protocol::happening::TEXT_MAX);
}

#[test]
fn nobody_remembers_the_name_of_whom_it_could_not_see() {
    let mut scene = scene(&[("Ann", FIELD), ("Mallory", FIELD), ("Cid", FIELD)]);
    hide(&mut scene, "Mallory");
    let mut reports = vec![
        scene.does("Mallory", "say I will kill you, Ann"),
        scene.does("Mallory", "tell ann you stupid fool"),
        scene.does("Ann", "say Thank you, Mallory"),
        scene.does("Mallory", "say you fool"),
    ];
    hand(&mut scene, 128, "Mallory");
    reports.push(scene.does("Mallory", "give ring ann"));
    // A ring's invisibility outlasts a blow, an enchantment does not; so the blow is struck by one who stays unseen.
    let (ann, mallory) = (scene.id("Ann"), scene.id("Mallory"));
    scene.world.who_mut(mallory).base.flags.remove(AffectFlags::INVISIBLE);
    scene.world.recompute(mallory);
    scene.world.who_mut(mallory).now.flags.insert(AffectFlags::INVISIBLE);
    reports.push(blow(&mut scene, mallory, ann, 1));
    for report in &reports {
        for recorded in report.recorded.iter().filter(|recorded| &*recorded.name != "Mallory") {
            let text = format!("{:?}", recorded.happening).replace("Thank you, Mallory", "");
            assert!(!text.to_lowercase().contains("mallory"), "{recorded:?}");
        }
    }
    assert!(
        matches!(&of(&reports[0], "spoke", "Ann").what, What::Spoke { speaker, .. } if &*speaker.name == "someone")
    );
    assert!(matches!(&of(&reports[5], "betrayed", "Ann").what, What::Betrayed { by, .. } if by.id.is_empty()));
    assert!(
        matches!(&of(&reports[5], "betrayed", "Mallory").what, What::Betrayed { by, .. } if &*by.name == "Mallory")
    );
    // Whoever speaks learns nothing of who hides there.
    assert!(matches!(&of(&reports[2], "spoke", "Ann").what, What::Spoke { to: Some(to), .. } if &*to.name == "Cid"));
}

#[test]
fn first_meetings_and_first_rooms_come_once() {
    let mut scene = scene(&[("Ann", 100)]);
    let report = {
        let (_, reports) = scene.enter("Bob", &Person { room: Some(100), ..Person::default() });
        reports.into_iter().next().expect("he came")
    };
    assert_eq!(roles(&report, "met"), [("Bob", Role::Did), ("Ann", Role::Did)]);
    let met = of(&report, "met", "Ann");
    assert!(matches!(&met.what, What::Met { other, .. } if &*other.name == "Bob") && met.novel);
    assert!(matches!(&of(&report, "room_seen", "Bob").what, What::RoomSeen { from: None, .. }));
    let report = scene.does("Bob", "west");
    let seen = of(&report, "room_seen", "Bob");
    let What::RoomSeen { from: Some(from), .. } = &seen.what else { panic!("{seen:?}") };
    assert_eq!((from.vnum, seen.room.vnum, seen.novel), (100, 106, true));
    for line in ["east", "west", "east"] {
        let report = scene.does("Bob", line);
        assert!(report.recorded.is_empty(), "{line}: {:#?}", report.recorded);
    }
    // Of mobs one meets the kind.
    mob(&mut scene, 112, 100);
    let report = scene.tick();
    assert_eq!(roles(&report, "met"), [("Ann", Role::Did), ("Bob", Role::Did)], "{:#?}", report.recorded);
    mob(&mut scene, 112, 100);
    assert!(of_kind(&scene.tick(), "met").is_empty());
    // In the dark there is nothing to see, and nobody to meet.
    mob(&mut scene, 113, 104);
    scene.does("Ann", "north");
    scene.does("Ann", "open trapdoor");
    let report = scene.does("Ann", "down");
    assert!(report.recorded.is_empty(), "{:#?}", report.recorded);
}

#[test]
fn a_veteran_comes_back_with_what_it_knows() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100)]);
    let report = scene.does("Bob", "quit");
    let record = report.requests.iter().find_map(|request| match request {
        world::report::Request::Save { record, left: true } => Some(record.clone()),
        _ => None,
    });
    let record = record.expect("he left");
    let json = serde_json::to_string(&record).expect("plain");
    let again: world::record::CharacterRecord = serde_json::from_str(&json).expect("it is read");
    assert_eq!(again.player.past, record.player.past);
    let report = scene.world.apply(&Input::Enter { record: Box::new(again), agent: false });
    assert!(report.recorded.is_empty(), "{:#?}", report.recorded);
    // One from before there was a past meets all anew.
    let mut value: serde_json::Value = serde_json::from_str(&json).expect("json");
    value["player"].as_object_mut().expect("an object").remove("past");
    let older: world::record::CharacterRecord = serde_json::from_value(value).expect("an older record is read");
    scene.does("Bob", "quit");
    scene.people.pop();
    let who = scene.world.find_player("bob").expect("he is here");
    scene.world.apply(&Input::Command { who, line: "quit".into() });
    let report = scene.world.apply(&Input::Enter { record: Box::new(older), agent: false });
    assert_eq!(roles(&report, "met"), [("Bob", Role::Did)]);
    assert_eq!(roles(&report, "room_seen"), [("Bob", Role::Did)]);
}

#[test]
fn the_past_of_a_veteran_fits_into_its_save() {
    let mut past = world::recording::Past::default();
    // As in the stock world: zones of a hundred numbers, of which some sixty-seven are rooms, with holes.
    let mut rooms = 0;
    for zone in 0..190 {
        for room in (0..100).filter(|room| room % 10 < 6 || room % 7 == 0) {
            rooms += i32::from(past.rooms.insert(zone * 100 + room));
        }
    }
    for mob in (0..19_000).step_by(9) {
        past.met.insert(mob);
    }
    assert!(rooms > 12_000, "{rooms}");
    let without_people = serde_json::to_string(&past).expect("plain").len();
    for n in 0..3_000 {
        past.people.insert(world::recording::Face::of(&format!("player{n}")));
    }
    let whole = serde_json::to_string(&past).expect("plain");
    assert!(without_people < 70_000 && whole.len() < 110_000, "{without_people} and {} bytes", whole.len());
    assert_eq!(serde_json::from_str::<world::recording::Past>(&whole).expect("it is read again"), past);
    assert_eq!(past.people.len(), 2_000);
}

#[test]
fn a_door_is_remembered_where_its_state_is_news() {
    let mut scene = scene(&[("Ann", 101), ("Bob", 101), ("Cid", 100)]);
    let opened = scene.does("Ann", "open trapdoor");
    assert_eq!(roles(&opened, "door"), [("Ann", Role::Did), ("Bob", Role::Saw)]);
    let own = of(&opened, "door", "Bob");
    let What::Door { who: Some(who), direction, state, leads_to: Some(to) } = &own.what else { panic!("{own:?}") };
    assert_eq!((&*who.name, &**direction, *state, to.vnum), ("Ann", "down", DoorChange::Opened, 104));
    assert_eq!(roles(&scene.does("Ann", "close trapdoor"), "door").len(), 2);
    // Opened while nobody looks, and shut again: the same state as before.
    let room = scene.world.room_by_vnum(101).expect("the inn");
    scene.world.set_door(room, world::words::Direction::Down, false, false);
    assert!(roles(&scene.does("Ann", "close trapdoor"), "door").is_empty());
}

#[test]
fn a_level_is_remembered_by_who_gained_it() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    let ann = scene.id("Ann");
    let next = scene.world.rules.experience_to_leave(scene.world.who(ann).class, 20);
    scene.world.player_mut(ann).experience = next - 1;
    scene.world.gain_experience(ann, 10);
    let report = scene.tick();
    assert_eq!(roles(&report, "level_gained"), [("Ann", Role::Did)]);
    assert!(matches!(of(&report, "level_gained", "Ann").what, What::LevelGained { level: 21, .. }));
}

#[test]
fn numbers_of_records_and_of_notes_rise_together() {
    let mut scene = scene(&[("Ann", 100)]);
    let who = scene.id("Ann");
    scene.does("Ann", "alias go west;note the bank;east;east");
    let report = scene.does("Ann", "go");
    let mut numbers: Vec<u64> = report.recorded.iter().map(|recorded| recorded.seq).collect();
    let asked = report.requests.iter().find_map(|request| match request {
        world::report::Request::Mind(asked) => Some(asked.first),
        _ => None,
    });
    let first = asked.expect("a note");
    assert!(numbers.first().is_some_and(|seq| *seq < first) && numbers.last().is_some_and(|seq| *seq > first));
    numbers.push(first);
    numbers.sort_unstable();
    assert!(numbers.windows(2).all(|pair| pair[1] == pair[0] + 1), "{numbers:?}");
    assert_eq!(scene.world.who(who).player().map(|player| player.log_seq), numbers.last().copied());
}

#[test]
fn what_is_remembered_is_no_reason_to_read_variables_again() {
    let mut scene = scene(&[("Ann", 100), ("Bob", 100)]);
    let report = scene.does("Ann", "say Thank you, Bob");
    assert_eq!(roles(&report, "spoke").len(), 2);
    let bob = scene.id("Bob");
    assert!(report.touched.iter().all(|(who, _)| *who != bob), "{:?}", report.touched);
}
