//! A newcomer finds what there is to do.

use super::*;
use crate::world_folder::{read_content, root};

fn plan(by: By, minutes: u64) -> Plan {
    Plan { by, minutes, columns: None }
}

#[test]
fn who_follows_the_screen_wins_a_fight_and_does_what_is_asked() {
    let content = Arc::new(read_content(&root().join("data/world")));
    let played = hour(&content, plan(By::Newcomer, 30), Class::Warrior, 1).expect("a world to play in");
    let [_, won, task, _] = played.reached_s;
    assert!(won.is_some() && task.is_some(), "{played:?}");
    assert!(played.rooms > 50 && played.seen > 5 && played.seen < played.rooms, "{played:?}");
    assert!(!played.typed.iter().any(|(_, line)| line.starts_with("map")), "it draws no map");
    let looted = played.typed.iter().filter(|(_, line)| line == "get all corpse").count();
    assert!(played.kills > 4 && looted as u64 + 2 >= u64::from(played.kills), "it reads that it won: {played:?}");
    let again = hour(&content, plan(By::Newcomer, 30), Class::Warrior, 1).expect("a world to play in");
    assert_eq!(again, played, "the same seed is the same hour");
    let other = hour(&content, plan(By::Newcomer, 5), Class::Warrior, 2).expect("a world to play in");
    assert_ne!(other.typed[..20], played.typed[..20], "another seed has another pace");
}

#[test]
fn policies_are_measured_in_the_same_way() {
    let content = Arc::new(read_content(&root().join("data/world")));
    let rows = rows(&content, plan(By::Policies, 10), &[Class::Cleric], &[1], &mut |_| ()).expect("a world to play in");
    let [row] = &rows[..] else { panic!("one row") };
    assert!(row.hours[0].kills > 0 && row.hours[0].reached_s[1].is_some(), "{row:?}");
    assert_eq!(markdown(&rows).lines().count(), 3);
    assert_eq!(json(&rows)["rows"][0]["class"], "cleric");
}

#[test]
fn half_of_all_must_have_come_to_it() {
    let at = |seconds: Option<u64>| Hour { reached_s: [seconds; 4], rooms: 10, ..Hour::default() };
    let row = |hours: Vec<Hour>| Row { class: Class::Thief, by: By::Newcomer, hours };
    assert_eq!(row(vec![at(Some(60)), at(None), at(Some(120))]).median_minutes(0), Some(2.0));
    assert_eq!(row(vec![at(Some(60)), at(None), at(None)]).median_minutes(0), None);
    assert_eq!(row(vec![at(Some(239)), at(Some(240))]).in_time(0), 0.5);
    assert!(row(vec![at(Some(60))]).misses().is_empty());
    assert_eq!(row(vec![at(None)]).misses().len(), AIMS.len());
}
