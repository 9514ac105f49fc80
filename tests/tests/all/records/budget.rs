//! Nobody fills a log: neither its own, nor those of all who stand by; and what matters is remembered all the same.

use super::*;
use std::collections::BTreeMap;

/// Records of each owner.
fn counted(reports: &[Report]) -> BTreeMap<String, u32> {
    let mut counts = BTreeMap::new();
    for recorded in reports.iter().flat_map(|report| &report.recorded) {
        *counts.entry(recorded.name.to_string()).or_default() += 1;
    }
    counts
}

#[test]
fn whoever_takes_up_and_puts_down_all_day_remembers_each_thing_once_in_a_minute() {
    let mut scene = scene(&[("Ann", FIELD)]);
    for vnum in [121, 122, 123, 128] {
        hand(&mut scene, vnum, "Ann");
    }
    let mut reports = Vec::new();
    for _ in 0..100 {
        reports.extend([scene.does("Ann", "drop all"), scene.does("Ann", "get all")]);
    }
    assert_eq!(counted(&reports)["Ann"], 4);
}

#[test]
fn a_flood_of_gifts_leaves_bystanders_their_own_deeds_and_everybody_what_matters() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD), ("Cid", FIELD), ("Dan", FIELD)]);
    (0..100).for_each(|_| drop(scene.tick()));
    let mut reports = Vec::new();
    for _ in 0..500 {
        reports.push(scene.does("Ann", "give 1 coins bob"));
        reports.push(scene.does("Bob", "give 1 coins ann"));
    }
    let counts = counted(&reports);
    for (name, most) in [("Ann", RECORDS_MAX), ("Bob", RECORDS_MAX), ("Cid", RECORDS_MAX / 2), ("Dan", RECORDS_MAX / 2)]
    {
        assert!((1..=most).contains(&counts[name]), "{counts:?}");
    }
    // Cid was only a bystander, so a gift of his own is remembered; treason and rescue are, by whoever suffers them.
    let report = scene.does("Cid", "give 1 coins dan");
    assert_eq!(roles(&report, "given"), [("Cid", Role::Did), ("Dan", Role::Suffered)]);
    scene.does("Ann", "follow bob");
    let joined = scene.does("Bob", "group ann");
    assert_eq!(roles(&joined, "helped"), [("Bob", Role::Did), ("Ann", Role::Suffered)]);
    let report = scene.does("Ann", "murder bob");
    let betrayed = roles(&report, "betrayed");
    assert!(betrayed.contains(&("Ann", Role::Did)) && betrayed.contains(&("Bob", Role::Suffered)), "{betrayed:?}");
}

#[test]
fn the_budget_comes_back_with_time_and_goes_into_the_save() {
    let mut scene = scene(&[("Ann", FIELD), ("Bob", FIELD)]);
    let flood = |scene: &mut Scene| {
        let reports: Vec<Report> = (0..200).map(|_| scene.does("Ann", "give 1 coins bob")).collect();
        counted(&reports).get("Ann").copied().unwrap_or(0)
    };
    let ann = scene.id("Ann");
    scene.world.who_mut(ann).gold = 100_000;
    (0..100).for_each(|_| drop(scene.tick()));
    let first = flood(&mut scene);
    assert!(first > 0 && first < RECORDS_MAX);
    assert_eq!(flood(&mut scene), 0);
    (0..10).for_each(|_| drop(scene.tick()));
    assert_eq!(flood(&mut scene), 10);
    let record = scene.world.record_of(scene.id("Ann")).expect("a player");
    let json = serde_json::to_string(&record).expect("plain");
    let again: world::record::CharacterRecord = serde_json::from_str(&json).expect("it is read");
    assert_eq!(again.player.records, scene.world.who(scene.id("Ann")).player().expect("a player").records);
    // Who comes back does not come back with a full one.
    assert_ne!(again.player.records, world::budget::Budget::default());
}

#[test]
fn in_a_crowd_one_meets_whom_one_deals_with() {
    let mut crowd = Scene::open("green", 3);
    let people = 150;
    let mut met = 0;
    for n in 0..people {
        let name = format!("P{}{}", char::from(b'a' + n / 26), char::from(b'a' + n % 26));
        let (_, reports) = crowd.enter(&name, &Person { room: Some(100), level: 5, ..Person::default() });
        met += reports.iter().map(|report| of_kind(report, "met").len()).sum::<usize>();
    }
    // And whoever goes to and fro in it meets nobody else.
    for line in ["north", "south"].repeat(5) {
        let report = crowd.does("Pad", line);
        met += of_kind(&report, "met").len();
    }
    assert!(met <= usize::from(people), "{met} first meetings of {people} people in one place");
    let report = crowd.does("Pfa", "give 1 coins pfb");
    assert_eq!(roles(&report, "met"), [("Pfa", Role::Did), ("Pfb", Role::Did)]);
    let report = crowd.does("Pfa", "follow pfc");
    assert_eq!(roles(&report, "met"), [("Pfa", Role::Did), ("Pfc", Role::Did)]);
    assert!(of_kind(&crowd.does("Pfa", "give 1 coins pfb"), "met").is_empty(), "once");
}

#[test]
fn strangers_who_come_by_one_after_the_other_are_met_a_few_at_a_time() {
    let mut scene = scene(&[("Ann", FIELD)]);
    let mut met = 0;
    for n in 0..60_u8 {
        let name = format!("P{}{}", char::from(b'a' + n / 26), char::from(b'a' + n % 26));
        let (id, reports) = scene.enter(&name, &Person { room: Some(FIELD), ..Person::default() });
        met += reports
            .iter()
            .map(|report| roles(report, "met").iter().filter(|(name, _)| *name == "Ann").count())
            .sum::<usize>();
        scene.world.apply(&Input::Command { who: id, line: "quit".into() });
    }
    assert_eq!(met, STRANGERS_MAX as usize);
}
