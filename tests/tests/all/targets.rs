//! Targets by instance id: what is clicked is what is struck, and what is gone is said to be gone.

use content::flags::AffectFlags;
use tests::scene::{Person, Scene};
use world::commands::table::VERBS;
use world::hyperlink::{Hyperlink, OFFERS};
use world::object::Place;
use world::{CharacterId, ObjectId};

const GREEN: i32 = 100;
const INN: i32 = 101;
const CROW: i32 = 311;
const SWORD: i32 = 121;
const BAG: i32 = 123;

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

/// The spans of what somebody reads, each with what it stands over.
fn links(scene: &mut Scene, line: &str) -> Vec<(String, Hyperlink)> {
    let report = scene.does("Ann", line);
    let ann = scene.id("Ann");
    let lines = report.lines.iter().filter(|(to, _)| *to == ann).map(|(_, line)| line.clone()).collect::<Vec<_>>();
    let of_line = |line: &std::sync::Arc<world::report::Line>| {
        let over = |span: &world::report::Span| line.text[span.from as usize..span.to as usize].to_string();
        let linked = line.spans.iter().filter_map(|span| Some((over(span), span.link.clone()?)));
        linked.collect::<Vec<_>>()
    };
    lines.iter().flat_map(of_line).collect()
}

fn link_of(links: &[(String, Hyperlink)], id: &str) -> Hyperlink {
    let found = links.iter().find(|(_, link)| link.id().as_deref() == Some(id));
    found.unwrap_or_else(|| panic!("{id} is not among {links:?}")).1.clone()
}

#[test]
fn who_serves_is_ordered_and_sent_away_by_whom_it_serves_and_struck_by_no_slip() {
    let mut scene = scene();
    let (crow, ann) = (crow(&mut scene, GREEN), scene.id("Ann"));
    scene.world.who_mut(crow).affects.push(world::mounts::bond());
    scene.world.recompute(crow);
    scene.world.start_following(crow, ann);
    let id = scene.world.instance_of(crow);
    let link = link_of(&links(&mut scene, "look"), &id);
    assert_eq!((link.offer().verbs, link.offer().begins), (&["look", "consider", "dismiss"][..], &["order"][..]));
    assert!(says(&mut scene, &format!("order {id} sit")).starts_with("You order: sit."));
    scene.tick();
    says(&mut scene, &format!("dismiss {id}"));
    assert!(scene.world.character(crow).is_none_or(|crow| crow.leader.is_none()), "it serves nobody any more");
}

#[test]
fn what_a_room_shows_can_be_clicked_and_strikes_what_was_meant() {
    let mut scene = scene();
    let crows = [0, 1].map(|_| crow(&mut scene, GREEN));
    let swords = [0, 1].map(|_| sword(&mut scene, on_green));
    let read = links(&mut scene, "look");
    let ways = read.iter().filter(|(_, link)| link.way().is_some()).count();
    assert!(ways > 0 && read.iter().any(|(text, link)| text == "Bob" && *link == Hyperlink::Player("Bob".into())));
    // Of several that are alike, one line stands for the first.
    let (first, other) = (scene.world.instance_of(crows[1]), scene.world.instance_of(crows[0]));
    let shown = [&first, &other].into_iter().find(|id| read.iter().any(|(_, link)| link.id().as_ref() == Some(*id)));
    let crow = link_of(&read, shown.expect("a crow is shown"));
    assert_eq!(crow.offer().verbs, ["look", "consider", "kill"]);
    let meant = |scene: &Scene, link: &Hyperlink| {
        crows
            .iter()
            .copied()
            .find(|crow| scene.world.character(*crow).is_some() && Some(scene.world.instance_of(*crow)) == link.id())
    };
    let gone = meant(&scene, &crow).expect("it is one of them");
    scene.world.extract_character(gone);
    for command in crow.commands() {
        assert_eq!(says(&mut scene, &command), "It is gone.", "{command}: the other one is not meant");
    }

    let sword = read.iter().filter_map(|(_, link)| link.id()).find(|id| id.starts_with("obj_121_")).expect("a sword");
    let sword = link_of(&read, &sword);
    says(&mut scene, &sword.commands()[0]);
    let carried = scene.world.who(scene.id("Ann")).carrying.clone();
    assert_eq!(carried.iter().map(|id| Some(scene.world.object_instance_of(*id))).collect::<Vec<_>>(), [sword.id()]);
    assert!(swords.contains(&carried[0]));

    let carried = links(&mut scene, "inventory");
    assert_eq!(carried[0].1.offer().verbs, ["wield", "look", "drop"]);
    says(&mut scene, &carried[0].1.commands()[0]);
    let worn = links(&mut scene, "equipment");
    assert_eq!(worn[0].1.offer().verbs, ["look", "remove"]);
    assert_eq!(worn[0].1.id(), sword.id());

    let read = links(&mut scene, "look");
    let left =
        read.iter().map(|(_, link)| link).find(|link| matches!(link, Hyperlink::Mob(..))).expect("the other crow");
    says(&mut scene, &left.commands()[2]);
    let fought = scene.world.who(scene.id("Ann")).fighting;
    assert!(fought.is_some() && fought == meant(&scene, left), "that one");
}

#[test]
fn what_is_inside_can_be_taken_out_by_a_click() {
    let mut scene = scene();
    let [bag, other_bag] = [0, 1].map(|_| {
        let bag = scene.world.make_object(BAG).expect("a thing of the scene");
        let place = Place::Carried(scene.id("Ann"));
        scene.world.place_object(bag, place);
        bag
    });
    sword(&mut scene, |_| Place::Inside(other_bag));
    let meant = sword(&mut scene, |_| Place::Inside(bag));
    let carried = links(&mut scene, "inventory");
    let opens = link_of(&carried, &scene.world.object_instance_of(other_bag));
    assert_eq!(opens.offer().verbs[..2], ["look in", "get all"]);
    let id = scene.world.object_instance_of(bag);
    let inside = links(&mut scene, &format!("look in {id}"));
    let [(_, link)] = &inside[..] else { panic!("{inside:?}") };
    assert_eq!((link.id(), link.inside_of()), (Some(scene.world.object_instance_of(meant)), Some(id)));
    says(&mut scene, &link.commands()[0]);
    assert_eq!(scene.world.object(meant).place, Place::Carried(scene.id("Ann")));
    says(&mut scene, &opens.commands()[1]);
    assert!(scene.world.object(other_bag).contents.is_empty(), "all of that bag, by its id");
}

#[test]
fn who_listens_reads_no_links_and_loses_no_word() {
    let mut scene = scene();
    crow(&mut scene, GREEN);
    assert!(!links(&mut scene, "look").is_empty());
    says(&mut scene, "screenreader on");
    for line in ["look", "exits", "inventory", "equipment"] {
        assert_eq!(links(&mut scene, line), [], "{line}");
    }
}

#[test]
fn each_verb_of_a_link_is_one_that_takes_its_target() {
    for row in OFFERS {
        for verb in row.verbs.iter().chain(row.begins) {
            let word = verb.split(' ').next().unwrap_or_default();
            let known = VERBS.iter().find(|known| known.name == word).unwrap_or_else(|| panic!("{verb}"));
            assert!(!known.usage.is_empty(), "{verb}");
        }
    }
}
