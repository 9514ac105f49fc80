//! What a program reads of closed and quiet places, and of whom it may fight there.

use serde_json::json;
use tests::scene::{Person, Scene};
use world::{CharacterId, World};

const INN: i32 = 101;
const SHOP: i32 = 102;
const CELLAR: i32 = 104;
const RAT: i32 = 110;

/// Somebody called Ann in this room of the green.
fn at(room: i32) -> (Scene, CharacterId) {
    let mut scene = Scene::open("green", 3);
    let (ann, _) = scene.enter("Ann", &Person { room: Some(room), agent: true, ..Person::default() });
    (scene, ann)
}

fn doors(world: &World, who: CharacterId) -> serde_json::Value {
    json!(world.room_doors(who))
}

fn attackable(world: &World, who: CharacterId) -> Vec<(String, bool)> {
    world.room_mobs(who).into_iter().map(|mob| (mob.name.to_string(), mob.attackable)).collect()
}

/// Puts a rat into the room; it fights nobody.
fn rat(scene: &mut Scene, room: i32) -> CharacterId {
    let proto = scene.world.content.mob_index(RAT).expect("a mob of the scene");
    let room = scene.world.room_by_vnum(room).expect("a room of the scene");
    scene.world.make_mob(proto, room)
}

#[test]
fn a_door_is_open_closed_or_locked_and_changes_are_read() {
    let (mut scene, ann) = at(INN);
    assert_eq!(doors(&scene.world, ann), json!({"down": "closed"}), "the way up has no door");
    let report = scene.does("Ann", "open trapdoor");
    let inn = scene.world.who(ann).room;
    assert!(report.touched_rooms.contains(&inn), "whoever stands there reads it again");
    assert_eq!(doors(&scene.world, ann), json!({"down": "open"}));
    let (scene, bea) = at(SHOP);
    assert_eq!(doors(&scene.world, bea), json!({"east": "locked"}));
}

#[test]
fn who_cannot_see_reads_that_it_is_dark_and_nothing_else() {
    let (scene, ann) = at(CELLAR);
    assert!(!scene.world.sees_room(ann));
    assert_eq!(doors(&scene.world, ann), json!({}));
    assert_eq!(scene.world.room_flags_seen(ann), ["dark"], "it is indoors, too, which nobody can see here");
    let (mut scene, bea) = at(INN);
    assert_eq!(scene.world.room_flags_seen(bea), ["indoors", "peaceful", "regen"]);
    scene.world.who_mut(bea).now.flags.insert(content::flags::AffectFlags::BLIND);
    assert!(scene.world.room_flags_seen(bea).is_empty() && doors(&scene.world, bea) == json!({}));
}

#[test]
fn keepers_and_quiet_rooms_leave_nobody_to_attack() {
    let (mut scene, ann) = at(SHOP);
    rat(&mut scene, SHOP);
    let named = |name: &str, may| (name.to_string(), may);
    let rows = attackable(&scene.world, ann);
    assert!(rows.contains(&named("Oswin", false)) && rows.contains(&named("a brown rat", true)), "{rows:?}");

    let (mut scene, bea) = at(INN);
    let here = rat(&mut scene, INN);
    assert_eq!(attackable(&scene.world, bea), [named("a brown rat", false)]);
    let read = scene.does("Ann", "hit rat");
    assert!(scene.read_by("Ann", &read).contains("peace"), "the game says the same");
    scene.world.who_mut(here).fighting = Some(bea);
    assert_eq!(attackable(&scene.world, bea), [named("a brown rat", true)], "who is attacked may strike back");
}
