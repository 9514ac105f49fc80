//! Targets by instance id: what is clicked is what is struck, and what is gone is said to be gone.

use content::flags::AffectFlags;
use tests::scene::{Person, Scene};
use world::object::Place;
use world::{CharacterId, ObjectId};

const GREEN: i32 = 100;
const INN: i32 = 101;
const CROW: i32 = 311;
const SWORD: i32 = 121;

fn scene() -> Scene {
    let mut scene = Scene::open("green", 1);
    for name in ["Ann", "Bob"] {
        scene.enter(name, &Person { room: Some(GREEN), ..Person::default() });
    }
    scene
}

fn crow(scene: &mut Scene, room: i32) -> CharacterId {
    let room = scene.world.room_by_vnum(room).expect("a room of the scene");
    let proto = scene.world.content.mob_index(CROW).expect("a mob of the scene");
    scene.world.make_mob(proto, room)
}

fn sword(scene: &mut Scene, to: impl Fn(&Scene) -> Place) -> ObjectId {
    let sword = scene.world.make_object(SWORD).expect("a thing of the scene");
    let to = to(scene);
    scene.world.place_object(sword, to);
    sword
}

fn on_green(scene: &Scene) -> Place {
    Place::Room(scene.world.room_by_vnum(GREEN).expect("a room of the scene"))
}

fn says(scene: &mut Scene, line: &str) -> String {
    let report = scene.does("Ann", line);
    scene.read_by("Ann", &report)
}

#[test]
fn an_id_means_this_one_and_no_other_of_its_kind() {
    let mut scene = scene();
    let swords = [0, 1, 2].map(|_| sword(&mut scene, on_green));
    let id = scene.world.object_instance_of(swords[2]);
    says(&mut scene, &format!("get {id}"));
    assert_eq!(scene.world.who(scene.id("Ann")).carrying, [swords[2]]);
    says(&mut scene, &format!("wield {id}"));
    assert!(scene.world.who(scene.id("Ann")).worn.iter().any(|(_, worn)| *worn == swords[2]));

    let crows = [0, 1, 2].map(|_| crow(&mut scene, GREEN));
    let id = scene.world.instance_of(crows[1]);
    says(&mut scene, &format!("kill {id}"));
    assert_eq!(scene.world.who(scene.id("Ann")).fighting, Some(crows[1]));
}

#[test]
fn who_is_gone_is_nobody_else() {
    let mut scene = scene();
    let [first, other] = [0, 1].map(|_| crow(&mut scene, GREEN));
    let id = scene.world.instance_of(first);
    scene.world.extract_character(first);
    assert_eq!(says(&mut scene, &format!("kill {id}")), "It is gone.");
    assert_eq!(says(&mut scene, &format!("look {id}")), "It is gone.");
    assert_eq!(scene.world.who(scene.id("Ann")).fighting, None, "the other crow is left in peace");

    // Who has only left the room, too.
    let inn = scene.world.room_by_vnum(INN).expect("a room of the scene");
    let id = scene.world.instance_of(other);
    scene.world.move_character(other, inn);
    assert_eq!(says(&mut scene, &format!("consider {id}")), "It is gone.");
}

#[test]
fn a_thing_that_is_gone_is_no_other_thing() {
    let mut scene = scene();
    let [first, _] = [0, 1].map(|_| sword(&mut scene, |scene| Place::Carried(scene.id("Ann"))));
    let id = scene.world.object_instance_of(first);
    says(&mut scene, &format!("drop {id}"));
    assert_eq!(scene.world.object(first).place, on_green(&scene));
    // It lies there, so this is said of it, not that it is gone.
    assert_ne!(says(&mut scene, &format!("drop {id}")), "It is gone.");
    scene.world.extract_object(first);
    for line in [format!("get {id}"), format!("wear {id}"), format!("give {id} bob")] {
        assert_eq!(says(&mut scene, &line), "It is gone.", "{line}");
    }
    assert_eq!(scene.world.who(scene.id("Ann")).carrying.len(), 1);
}

#[test]
fn players_have_ids_too_and_words_may_hold_any() {
    let mut scene = scene();
    let crow = crow(&mut scene, INN);
    let id = scene.world.instance_of(crow);
    assert_eq!(says(&mut scene, &format!("tell player_bob mind the {id}")), format!("You tell Bob, \"mind the {id}\""));
    assert_eq!(says(&mut scene, &format!("say {id} is yours")), format!("You say, \"{id} is yours\""));
    let unknown = says(&mut scene, &format!("tell cid mind the {id}"));
    assert!(!unknown.contains("gone"), "{unknown}");
    says(&mut scene, "follow player_bob");
    assert_eq!(scene.world.who(scene.id("Ann")).leader, Some(scene.id("Bob")));
}

#[test]
fn an_id_shows_nothing_that_its_reader_cannot_see() {
    let mut scene = scene();
    let crow = crow(&mut scene, GREEN);
    let flags = &mut scene.world.who_mut(crow).now.flags;
    *flags = flags.with(AffectFlags::INVISIBLE);
    let id = scene.world.instance_of(crow);
    assert_eq!(says(&mut scene, &format!("kill {id}")), "It is gone.");
    assert_eq!(says(&mut scene, &format!("look {id}")), "It is gone.");
}
