//! Plots in the world: what programs read, who remembers, what is state, and what new content makes of it.

use content::Content;
use plot::{Kind, Kinds};
use protocol::happening::{Role, What};
use protocol::outcome::BuiltDeed;
use serde_json::{Value, json};
use std::sync::Arc;
use tests::scene::{Person, Scene, read_content, tests_folder};
use world::world::State;
use world::{Input, Report, World};

/// Everybody may do everything there.
const FREE: i32 = 200;
const CONSENT: i32 = 307;

fn at(room: i32, names: &[&str]) -> Scene {
    let mut scene = Scene::open("green", 5);
    for name in names {
        scene.enter(name, &Person { room: Some(room), agent: true, ..Person::default() });
    }
    scene
}

/// Types it, and lets the tick pass that it takes.
fn does(scene: &mut Scene, name: &str, line: &str) -> Report {
    let report = scene.does(name, line);
    assert_eq!(report.refused, None, "{line}");
    scene.tick();
    report
}

fn shown(scene: &Scene, name: &str) -> Value {
    json!(scene.world.plot_seen(scene.id(name)))
}

#[test]
fn programs_read_a_plot_as_it_is_documented() {
    let mut scene = at(FREE, &["Ann", "Bob"]);
    let room = scene.world.who(scene.id("Ann")).room;
    let report = scene.does("Ann", "build add house 3,4 called Home because it is cold");
    assert!(report.touched_rooms.contains(&room), "whoever stands there reads it again");
    scene.does("Bob", "plot plan Middle: both: add well 4,4");
    let plot = shown(&scene, "Bob");
    let keys: Vec<&String> = plot.as_object().expect("an object").keys().collect();
    let documented =
        ["room", "title", "revision", "rule", "elements", "axes", "plans", "pending", "contested", "task", "memo"];
    assert_eq!(keys, documented);
    assert_eq!((&plot["room"], &plot["revision"], &plot["rule"]), (&json!(FREE), &json!(1), &json!("free")));
    let house = json!({
        "id": 2, "at": [3, 4], "kind": "house", "type": "BUILDING", "icon": "🏠", "label": "Home", "by": "Ann",
        "tick": 0, "why": "it is cold",
    });
    assert_eq!(plot["elements"][1], house);
    assert_eq!(plot["elements"][0]["by"], Value::Null, "it was there before anybody");
    assert_eq!(plot["plans"][0]["steps"], json!([{"n": 1, "for": "both", "text": "add well 4,4", "done": false}]));
    assert_eq!(plot["axes"]["identity"], json!([7, 3]));
    assert_eq!(plot["task"]["name"], "village");
    assert_eq!(plot["memo"][0]["type"], "ACTION_LOG");
    assert_eq!(plot["memo"][0]["reasoning"], "it is cold");
    // Elsewhere there is none, and whoever is blind sees none.
    let mut elsewhere = at(100, &["Ann"]);
    assert_eq!(shown(&elsewhere, "Ann"), Value::Null);
    drop(elsewhere.tick());
    let bob = scene.id("Bob");
    scene.world.who_mut(bob).now.flags.insert(content::flags::AffectFlags::BLIND);
    assert_eq!(shown(&scene, "Bob"), Value::Null);
    assert!(scene.does("Bob", "build add tree 0,1").refused.is_some());
}

#[test]
fn all_who_see_it_remember_what_is_built_and_whose_it_was() {
    let mut scene = at(FREE, &["Ann", "Bob", "Cid"]);
    does(&mut scene, "Ann", "build add house 3,4 called Home");
    let report = does(&mut scene, "Bob", "build remove 3,4 because it blocks the view");
    let mut roles = Vec::new();
    for record in &report.recorded {
        let What::Built { deed, item, owner, text, .. } = &record.happening.what else { panic!("{record:?}") };
        assert_eq!((*deed, &*item.name), (BuiltDeed::Removed, "a house at 3,4"));
        assert_eq!(owner.as_ref().map(|owner| &*owner.name), Some("Ann"));
        assert_eq!(&**text, "Home: it blocks the view");
        let worth = mind::appraisal::appraise(&record.happening);
        roles.push((&*record.name, record.happening.role, worth.valence, worth.importance));
    }
    assert_eq!(roles, [("Bob", Role::Did, 0, 5), ("Ann", Role::Suffered, -1, 5), ("Cid", Role::Saw, 0, 5)]);
}

#[test]
fn who_fulfils_a_plan_leaves_its_maker_glad() {
    let mut scene = at(FREE, &["Ann", "Bob"]);
    scene.does("Ann", "plot plan Water: add well 4,4");
    let report = does(&mut scene, "Bob", "build add well 4,4");
    let ended = |report: &Report| {
        let of_plan = |what: &What| matches!(what, What::PlanEnded { .. });
        let record = report.recorded.iter().find(|record| of_plan(&record.happening.what)).expect("the plan has ended");
        let What::PlanEnded { done, steps, ticked, company, .. } = record.happening.what else { unreachable!() };
        let (room, worth) = (record.happening.room.vnum, mind::appraisal::appraise(&record.happening).valence);
        (record.name.to_string(), (done, ticked, steps, company), room, worth)
    };
    assert_eq!(ended(&report), ("Ann".to_string(), (true, 1, 1, Some(true)), FREE, 1));
    // What was begun by building may be given up, and that is remembered too.
    scene.does("Ann", "plot plan Light: add lamp 7,2; add lamp 8,2");
    let ground = shown(&scene, "Ann");
    let light = ground["plans"].as_array().and_then(|plans| plans.iter().find(|plan| plan["text"] == "Light"));
    let id = light.and_then(|plan| plan["id"].as_u64()).expect("it is planned");
    does(&mut scene, "Ann", "build add lamp 7,2");
    let report = does(&mut scene, "Ann", &format!("plot plan drop {id}"));
    assert_eq!(ended(&report), ("Ann".to_string(), (false, 1, 2, Some(true)), FREE, -1));
}

#[test]
fn of_two_who_build_in_one_cell_the_first_does() {
    let mut scene = at(FREE, &["Ann", "Bob"]);
    assert_eq!(scene.does("Ann", "build add house 3,4").refused, None);
    let refused = scene.does("Bob", "build add mill 3,4").refused.expect("the cell is taken");
    assert!(refused.contains("A house stands at 3,4 already"), "{refused}");
    assert_eq!(shown(&scene, "Ann")["revision"], 1);
}

#[test]
fn what_waits_for_its_turn_is_built_where_its_builder_is_then_or_not_at_all() {
    let mut scene = at(FREE, &["Ann"]);
    scene.does("Ann", "build add house 3,4");
    scene.does("Ann", "build add mill 3,5");
    let ann = scene.id("Ann");
    let place = world::Admin::Place { who: ann, room: 100 };
    scene.world.apply(&Input::Admin(place));
    let report = scene.tick();
    assert_eq!(scene.read_by("Ann", &report).trim(), "There is no plot here that one could build on.");
    assert!(scene.world.check_all().is_empty());
}

#[test]
fn plots_are_state_with_a_section_of_their_own() {
    let mut scene = at(CONSENT, &["Ann", "Bob"]);
    let before = scene.world.hashes();
    scene.does("Ann", "plot memo hello");
    assert_eq!(scene.world.hashes().differences(&before), ["clock", "plots"], "the clock counts inputs");
    does(&mut scene, "Ann", "build add lamp 0,0");
    scene.does("Bob", "build remove 0,0");
    scene.does("Bob", "plot plan Light: add beacon 1,1; rest");
    let bytes = postcard::to_stdvec(&scene.world.snapshot()).expect("the state encodes");
    let state: State = postcard::from_bytes(&bytes).expect("what was encoded decodes");
    assert_eq!(state.hashes(), scene.world.hashes());
    let mut restored = World::resume(scene.world.content.clone(), scene.world.rules.clone(), state);
    let (ann, bob) = (scene.id("Ann"), scene.id("Bob"));
    for (who, line) in [(ann, "plot agree 1"), (bob, "build add beacon 1,1"), (bob, "plot scene 2")] {
        let input = Input::Command { who, line: line.into() };
        assert_eq!(format!("{:?}", scene.world.apply(&input)), format!("{:?}", restored.apply(&input)), "{line}");
        let tick = Input::Tick;
        assert_eq!(format!("{:?}", scene.world.apply(&tick)), format!("{:?}", restored.apply(&tick)));
        assert_eq!(scene.world.hashes(), restored.hashes(), "{line}");
    }
    assert_eq!(shown(&scene, "Ann")["elements"].as_array().map(Vec::len), Some(2));
}

fn adopted(scene: &Scene, edit: impl FnOnce(&mut Content)) -> World {
    let mut content = read_content(&tests_folder().join("scenes/green"));
    edit(&mut content);
    content.build_look_ups();
    let old = scene.world.content.index();
    World::adopt(Arc::new(content), scene.world.rules.clone(), scene.world.snapshot(), &old).0
}

#[test]
fn a_plot_that_content_has_no_more_is_kept_aside() {
    let mut scene = at(FREE, &["Ann"]);
    does(&mut scene, "Ann", "build add house 3,4");
    let ann = scene.id("Ann");
    let before = scene.world.hashes().plots;
    let mut gone = adopted(&scene, |content| content.plots.clear());
    assert_eq!(gone.plot_seen(ann), None);
    assert_eq!(gone.hashes().plots, before, "nothing of it is lost");
    let line = Input::Command { who: ann, line: "build add mill 3,5".into() };
    assert!(gone.apply(&line).refused.is_some());
    let back = adopted(&scene, |content| content.plots[0].title = "Renamed".into());
    let plot = back.plot_seen(ann).expect("it is there again");
    assert_eq!((&*plot.title, plot.revision, plot.elements.len()), ("Renamed", 1, 2));
    let same = adopted(&scene, |_| {});
    assert_eq!(same.hashes().plots, before);
}

#[test]
fn a_kind_that_nobody_knows_any_more_is_drawn_as_a_question() {
    let mut scene = at(FREE, &["Ann"]);
    does(&mut scene, "Ann", "build add house 3,4");
    let ann = scene.id("Ann");
    let mut world = adopted(&scene, |content| {
        let kept: Vec<Kind> = content.plot_kinds.iter().filter(|kind| &*kind.name != "house").cloned().collect();
        content.plot_kinds = Kinds::new(kept);
    });
    let plot = world.plot_seen(ann).expect("the plot is there");
    let house = plot.elements.iter().find(|element| &*element.kind == "house").expect("and so is the house");
    assert_eq!((&*house.class, &*house.icon), ("house", "?"));
    let report = world.apply(&Input::Command { who: ann, line: "plot".into() });
    let text: Vec<String> = report.lines.iter().map(|(_, line)| line.text.clone()).collect();
    assert!(text[0].contains("  3 . . . . ? . . . ."), "{text:?}");
    // It can be taken away, and not built again.
    assert_eq!(world.apply(&Input::Command { who: ann, line: "build remove 3,4".into() }).refused, None);
    world.apply(&Input::Tick);
    assert!(world.apply(&Input::Command { who: ann, line: "build add house 3,4".into() }).refused.is_some());
}
