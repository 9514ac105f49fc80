//! An example for each row of the table, at its boundaries, and the formulas.

use super::*;
use protocol::happening::{Item, Place, Tone, Went};
use protocol::outcome::{BuiltDeed, Who};
use std::collections::BTreeSet;

fn player(name: &str, level: u16) -> Who {
    Who { id: format!("player_{name}").into(), name: name.into(), kind: WhoKind::Player, level }
}

fn mob(level: u16) -> Who {
    Who { id: "mob_3001_4".into(), name: "a goblin".into(), kind: WhoKind::Mob, level }
}

fn me() -> Who {
    player("me", 20)
}

fn item(level: u8) -> Item {
    Item { id: "obj_7_1".into(), name: "a sword".into(), vnum: 7, level }
}

fn record(role: Role, what: What) -> Happening {
    let room = Place { vnum: 3001, name: "The Square".into() };
    Happening { what, role, room, witnesses: Vec::new(), social_event_id: None, novel: false, valence: None }
}

fn kill(level: u16) -> Happening {
    record(Role::Did, What::Killed { victim: mob(level), killer: Some(me()), xp: 0 })
}

fn death(killer: Option<Who>) -> Happening {
    record(Role::Suffered, What::Killed { victim: me(), killer, xp: 0 })
}

fn flight(hp_percent: u8) -> Happening {
    record(Role::Did, What::Fled { who: me(), hp_percent, from: Some(mob(22)) })
}

fn wound(hp_percent: u8) -> Happening {
    record(Role::Suffered, What::Wounded { who: me(), hp_percent, by: Some(mob(22)) })
}

fn find(level: u8) -> Happening {
    record(Role::Did, What::Acquired { who: me(), item: item(level), from: None })
}

fn words(role: Role, tone: Tone) -> Happening {
    record(role, What::Spoke { speaker: player("bob", 9), to: Some(me()), tone, text: "…".into() })
}

fn thumb(up: bool) -> Happening {
    let (by, whom, text) = (player("bob", 9), me(), "…".into());
    let what = if up { What::Praised { by, whom, text } } else { What::Scorned { by, whom, text } };
    record(Role::Suffered, what)
}

fn help(hp_percent: Option<u8>) -> Happening {
    let (helper, helped) = (player("bob", 9), me());
    record(Role::Suffered, What::Helped { helper, helped, how: Help::Healed, hp_percent })
}

fn gift(role: Role) -> Happening {
    let (giver, receiver) = if role == Role::Did { (me(), player("bob", 9)) } else { (player("bob", 9), me()) };
    record(role, What::Given { giver, receiver, item: Some(item(10)), gold: 0 })
}

fn plan(done: bool) -> Happening {
    record(
        Role::Did,
        What::PlanEnded { who: me(), plan: "a well".into(), done, steps: 3, ticked: 2, shared: false, company: None },
    )
}

fn differed(went: Went, valence: i64) -> Happening {
    let (who, over, line) = (me(), "command".into(), "north".into());
    record(Role::Did, What::Differed { who, about: None, over, followed: None, line, ticks: 30, went, valence })
}

fn built(role: Role, deed: BuiltDeed) -> Happening {
    let (who, owner) = if role == Role::Suffered { (player("bob", 9), Some(me())) } else { (me(), None) };
    record(role, What::Built { who, deed, item: item(0), owner, text: "".into() })
}

#[test]
fn what_is_built_is_kept_whatever_one_feels_of_it() {
    for deed in [BuiltDeed::Added, BuiltDeed::Moved, BuiltDeed::Removed] {
        assert_eq!(appraise(&built(Role::Did, deed)).importance, 5);
    }
    assert_eq!(appraise(&built(Role::Suffered, BuiltDeed::Removed)).importance, 5);
}

fn theft(role: Role) -> Happening {
    record(role, What::Stolen { thief: player("bob", 9), victim: me(), item: None, gold: 10 })
}

fn examples() -> Vec<(&'static str, Happening, i8)> {
    vec![
        ("kill_trivial", kill(1), 0),
        ("kill_trivial", kill(10), 0),
        ("kill_easy", kill(11), 1),
        ("kill_easy", kill(17), 1),
        ("kill_challenging", kill(18), 2),
        ("kill_challenging", kill(23), 2),
        ("kill_epic", kill(24), 3),
        ("kill_epic", kill(40), 3),
        ("kill_unknown", kill(0), 1),
        ("killed_by_mob", death(Some(mob(22))), -2),
        ("killed_by_player", death(Some(player("bob", 9))), -3),
        ("died", death(None), -2),
        ("saw_a_player_die", record(Role::Saw, death(Some(mob(22))).what), -1),
        ("neutral", record(Role::Saw, kill(22).what), 0),
        ("assist", record(Role::Did, What::Assisted { who: me(), victim: mob(2), killer: None }), 1),
        ("flee_unhurt", flight(100), -3),
        ("flee_unhurt", flight(80), -3),
        ("flee_early", flight(79), -2),
        ("flee_early", flight(40), -2),
        ("flee_tactical", flight(39), -1),
        ("flee_tactical", flight(20), -1),
        ("flee_survival", flight(19), 0),
        ("flee_survival", flight(0), 0),
        ("near_death", wound(0), -3),
        ("near_death", wound(5), -3),
        ("badly_hurt", wound(6), -2),
        ("badly_hurt", wound(15), -2),
        ("hurt", wound(16), -1),
        ("hurt", wound(30), -1),
        ("neutral", wound(31), 0),
        ("acquire_legendary", find(100), 3),
        ("acquire_legendary", find(80), 3),
        ("acquire_valuable", find(79), 2),
        ("acquire_valuable", find(50), 2),
        ("acquire_common", find(49), 0),
        ("betrayal", record(Role::Suffered, What::Betrayed { by: player("bob", 9), victim: me() }), -3),
        ("betrayal", record(Role::Saw, What::Betrayed { by: player("bob", 9), victim: player("eve", 2) }), -2),
        ("stolen_from", theft(Role::Suffered), -2),
        ("neutral", theft(Role::Did), 0),
        ("caught_stealing", record(Role::Did, What::Caught { thief: me(), victim: player("bob", 9) }), -1),
        ("thief_caught", record(Role::Suffered, What::Caught { thief: player("bob", 9), victim: me() }), -2),
        ("charmed", record(Role::Suffered, What::Charmed { by: player("bob", 9), whom: me() }), -2),
        ("arrested", record(Role::Suffered, What::Arrested { by: player("bob", 9), whom: me(), hours: 2 }), -2),
        ("neutral", record(Role::Did, What::Charmed { by: me(), whom: player("bob", 9) }), 0),
        ("learned", record(Role::Did, What::Learned { who: me(), art: "bash".into(), percent: 40 }), 1),
        (
            "accomplished",
            record(Role::Did, What::Accomplished { who: me(), task: "A Penny a Tail".into(), giver: None }),
            1,
        ),
        ("torn_down", built(Role::Suffered, BuiltDeed::Removed), -1),
        ("plan_done", plan(true), 1),
        ("plan_dropped", plan(false), -1),
        ("counsel_good", differed(Went::Well, 9), 1),
        ("counsel_good", differed(Went::Well, 0), 1),
        ("counsel_bad", differed(Went::Ill, -3), -1),
        ("counsel_bad", differed(Went::Ill, 0), -1),
        ("neutral", differed(Went::Nowhere, 0), 0),
        ("neutral", built(Role::Saw, BuiltDeed::Removed), 0),
        ("neutral", built(Role::Suffered, BuiltDeed::Moved), 0),
        ("neutral", built(Role::Did, BuiltDeed::Added), 0),
        ("received", gift(Role::Suffered), 2),
        ("given", gift(Role::Did), 1),
        ("saved", help(Some(14)), 3),
        ("help", help(Some(15)), 1),
        ("help", help(None), 1),
        ("threat_made", words(Role::Did, Tone::Threat), -2),
        ("insult_made", words(Role::Did, Tone::Insult), -2),
        ("threat", words(Role::Suffered, Tone::Threat), -2),
        ("insult", words(Role::Suffered, Tone::Insult), -2),
        ("insult", words(Role::Saw, Tone::Insult), -1),
        ("kind_word", words(Role::Suffered, Tone::Kind), 1),
        ("neutral", words(Role::Suffered, Tone::Neutral), 0),
        ("praise", thumb(true), 1),
        ("scorn", thumb(false), -1),
        ("level_gained", record(Role::Did, What::LevelGained { who: me(), level: 21 }), 2),
        ("neutral", record(Role::Did, What::Met { who: me(), other: player("bob", 9) }), 0),
        ("neutral", record(Role::Did, What::RoomSeen { who: me(), from: None }), 0),
        ("neutral", record(Role::Did, What::Bought { who: me(), seller: mob(30), item: item(90), price: 900 }), 0),
    ]
}

fn rows() -> impl Iterator<Item = &'static Row> {
    Deed::ALL.iter().flat_map(|deed| deed.kind().worth).chain([&NEUTRAL])
}

#[test]
fn every_row_has_an_example_and_counts_where_it_should() {
    for (name, happening, valence) in examples() {
        assert_eq!((row(&happening).name, appraise(&happening).valence), (name, valence), "{:?}", happening.what);
    }
    let tried: BTreeSet<&str> = examples().iter().map(|(name, ..)| *name).collect();
    let rows: BTreeSet<&str> = rows().map(|row| row.name).collect();
    assert_eq!(tried, rows);
}

#[test]
fn every_percent_and_level_falls_in_one_row() {
    let mut before = 4;
    for hp in 0..=100 {
        let applying = Deed::Fled.kind().worth.iter().filter(|row| (row.applies)(&flight(hp)));
        assert_eq!(applying.count(), 1, "the row of {hp} %");
        assert!(appraise(&flight(hp)).valence <= before, "running earlier is never better");
        before = appraise(&flight(hp)).valence;
    }
    for level in 1..60 {
        assert!(appraise(&kill(level + 1)).valence >= appraise(&kill(level)).valence, "a harder kill is worth no less");
    }
}

#[test]
fn a_slain_dragon_is_a_triumph_and_no_friend() {
    let dragon = appraise(&kill(40));
    assert_eq!((dragon.valence, dragon.liking), (3, 0));
    let gift = appraise(&gift(Role::Suffered));
    assert_eq!((gift.valence, gift.liking), (2, 2));
}

#[test]
fn salience_and_importance_follow_their_formulas() {
    assert_eq!(salience(0, false, false), 0.5);
    assert_eq!(salience(-3, true, true), 1.0, "0.5 + 0.3 + 0.15 + 0.1 is more than all");
    assert!((salience(-2, false, true) - 0.8).abs() < 1e-12);
    assert_eq!((-3..=3).map(|v| importance(v, false)).collect::<Vec<_>>(), [10, 7, 4, 1, 4, 7, 10]);
    assert_eq!((importance(0, true), importance(3, true)), (2, 10));
    let meeting = record(Role::Did, What::Met { who: me(), other: player("bob", 9) });
    let appraised = appraise(&meeting);
    assert!((appraised.salience - 0.75).abs() < 1e-12, "social and new: {}", appraised.salience);
    assert_eq!(appraised.importance, 2);
}
