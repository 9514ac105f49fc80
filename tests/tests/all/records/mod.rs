//! What the world records for the minds of its players: one scene for each kind, with those who stood by and those who
//! did not.

mod betrayal;
mod budget;
mod fighting;
mod meeting;
mod objects;
mod producers;
mod talking;

use content::flags::AffectFlags;
use content::words::{AttackType, Position};
use protocol::happening::{Happening, Help, Role, Tone, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use tests::remembered::kind;
use tests::scene::{Person, Scene};
use world::budget::{HANDLED_TICKS, RECORDS_MAX, STRANGERS_MAX};
use world::effects::{Harm, harm};
use world::object::Place;
use world::past::{DEFENCE_TICKS, FIGHT_GAP_TICKS, TRUST_TICKS};
use world::report::Recorded;
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

fn object(scene: &mut Scene, vnum: i32, place: Place) -> ObjectId {
    let object = scene.world.make_object(vnum).expect("a thing of the scene");
    scene.world.place_object(object, place);
    object
}

fn hand(scene: &mut Scene, vnum: i32, name: &str) -> ObjectId {
    let holder = Place::Carried(scene.id(name));
    object(scene, vnum, holder)
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
    harm::harm(&mut scene.world, Harm::blow(attacker, victim, amount, AttackType::Hit));
    // Closes the report of what was done behind its back.
    scene.world.apply(&Input::Admin(world::Admin::Announce { text: "A blow.".into() }))
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
