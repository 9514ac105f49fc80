//! Work for others: taken on, done, and paid for.

use super::*;
use protocol::outcome::TaskState;
use protocol::task::{RoomOffers, TaskOffered, TaskSeen, TaskStepSeen, TaskWork};

fn step(work: TaskWork, text: &str, what: Option<&str>, to: Option<&str>, place: Option<&str>) -> TaskStepSeen {
    let named = |name: Option<&str>| name.map(Into::into);
    TaskStepSeen {
        text: text.into(),
        done: 0,
        need: 1,
        work,
        due: true,
        what: named(what),
        to: named(to),
        place: named(place),
    }
}

fn task(steps: Vec<TaskStepSeen>) -> TaskSeen {
    let (id, title, giver) = ("lamps".into(), "Lamps".into(), Some("Old Wick".into()));
    TaskSeen { id, title, giver, steps, ready: false, place: None }
}

fn person(name: &str, target: &str, vnum: i32) -> RoomMob {
    RoomMob { name: name.into(), ..mob(target, vnum) }
}

impl Scene {
    /// 1 here, 2 to the north of it with Old Wick, 3 to the north of that; one stands in 1.
    fn with_wick() -> Scene {
        let mut scene = Scene::new();
        scene.state.tasks = Some(Vec::new());
        scene.step(2, "north", 2_000);
        scene.state.room_mobs = Some(vec![person("Old Wick", "wick", 20)]);
        scene.state.room_name = Some("The Back Door".into());
        scene.known.observe(&scene.state, 2_500);
        scene.known.bestiary.seen(20, "Old Wick", 12);
        scene.state.room_name = Some("Here".into());
        scene.step(1, "south", 3_000);
        scene
    }
}

#[test]
fn people_are_asked_for_work_once_and_what_they_offer_is_taken_on() {
    let mut scene = Scene::new();
    scene.state.tasks = Some(Vec::new());
    scene.state.room_mobs = Some(vec![mob("rat", 7)]);
    scene.passes("errands");
    scene.state.room_mobs = Some(vec![person("Old Wick", "wick", 20)]);
    scene.does("errands", "accept");
    scene.known.refused(&scene.state, 1, "accept", "More than one thing is offered here. tasks lists them.", 1_000);
    scene.does("errands", "tasks");
    scene.known.sent(&scene.state, "tasks", 1_000);
    scene.known.errands.read(1, "Offered here:\n  Lamps, by Old Wick. (accept lamps)");
    scene.does("errands", "accept lamps");
    scene.known.errands.changed(1, "lamps", TaskState::Accepted, 1_000);
    scene.passes("errands");
    // Nobody is asked again at once, nor by who has enough to do, nor where the server has no tasks.
    scene.now_ms = 60_000;
    scene.passes("errands");
    scene.step(2, "north", 61_000);
    scene.state.room_mobs = Some(vec![person("Marget Dip", "marget", 21)]);
    scene.does("errands", "accept");
    scene.state.tasks = Some(vec![task(Vec::new()); 6]);
    scene.passes("errands");
    scene.state.tasks = None;
    scene.passes("errands");
}

#[test]
fn where_the_server_says_what_is_offered_nobody_is_asked_in_vain() {
    let mut scene = Scene::new();
    scene.state.tasks = Some(Vec::new());
    scene.state.room_mobs = Some(vec![person("Old Wick", "wick", 20), mob("baker", 8)]);
    // Nothing is offered, and nobody keeps a shop, whatever they are called.
    scene.state.room_offers = Some(RoomOffers::default());
    scene.passes("errands");
    scene.passes("shop");
    let offered = |id: &str| TaskOffered { id: id.into(), title: "Lamps".into(), giver: "Old Wick".into() };
    let tasks = vec![offered("lamps"), offered("oil")];
    scene.state.room_offers = Some(RoomOffers { keeper: Some("Old Wick".into()), tasks });
    scene.does("errands", "accept lamps");
    scene.does("shop", "list");
    // One that is refused all the same is left alone, the other is not.
    scene.known.refused(&scene.state, 1, "accept lamps", "You have outgrown that.", 1_000);
    scene.does("errands", "accept oil");
    // Who has enough to do takes nothing on.
    scene.state.tasks = Some(vec![task(Vec::new()); 6]);
    scene.passes("errands");
}

#[test]
fn one_asks_and_gives_and_pays_whom_a_step_names() {
    let mut scene = Scene::new();
    scene.known.refused(&scene.state, 1, "accept", "Nobody here has anything for you to do.", 1_000);
    scene.state.room_mobs = Some(vec![person("Old Wick", "wick", 20)]);
    let wick = Some("Old Wick");
    scene.state.tasks = Some(vec![task(vec![step(TaskWork::Ask, "Ask Old Wick about the lamps", None, wick, None)])]);
    scene.does("errands", "ask wick about lamps");
    scene.known.sent(&scene.state, "ask wick about lamps", 1_000);
    scene.passes("errands");
    scene.state.tasks = Some(vec![task(vec![step(TaskWork::Bring, "Bring it", Some("a red lamp"), wick, None)])]);
    scene.passes("errands");
    scene.state.inventory = Some(vec![item("a red lamp", 5)]);
    scene.does("errands", "give lamp wick");
    scene.state.tasks =
        Some(vec![task(vec![TaskStepSeen { need: 12, ..step(TaskWork::Pay, "Pay Old Wick", None, wick, None) }])]);
    scene.state.gold = Some(20);
    scene.passes("errands");
    scene.state.gold = Some(100);
    scene.does("errands", "give 12 coins wick");
    // A step that does not count yet is none.
    scene.state.tasks.as_mut().expect("there")[0].steps[0].due = false;
    scene.passes("errands");
}

#[test]
fn one_walks_to_who_pays_and_to_where_a_step_goes_on_but_not_to_and_fro() {
    let mut scene = Scene::with_wick();
    scene.passes("errands");
    scene.state.tasks = Some(vec![TaskSeen { ready: true, ..task(Vec::new()) }]);
    // It left that room a moment ago, and nothing came of it since.
    scene.passes("errands");
    scene.known.errands.changed(1, "lamps", TaskState::Ready, 4_000);
    scene.does("errands", "north");
    scene.known.spent = true;
    scene.passes("errands");
    scene.known.spent = false;
    scene.state.tasks = Some(vec![task(vec![step(TaskWork::Visit, "See it", None, None, Some("The Back Door"))])]);
    scene.does("errands", "north");
    scene.state.tasks = Some(vec![task(vec![step(TaskWork::Bring, "Bring", Some("a lamp"), Some("Old Wick"), None)])]);
    scene.passes("errands");
    scene.state.inventory = Some(vec![item("a lamp", 5)]);
    scene.does("errands", "north");
    // What is for somebody is not sold.
    assert!(crate::policies::errands::is_for_somebody(&scene.seen(), "a lamp"));
    scene.state.tasks =
        Some(vec![task(vec![step(TaskWork::Escort, "Lead him", Some("Jem"), Some("The Back Door"), None)])]);
    scene.passes("errands");
}

#[test]
fn prey_that_somebody_wants_dead_comes_first() {
    let mut scene = Scene::new();
    for vnum in [7, 8] {
        know_rat(&mut scene, vnum);
    }
    scene.known.bestiary.kind(8).name = "a lean rat".into();
    scene.state.room_mobs = Some(vec![person("a rat", "rat", 7), person("a lean rat", "lean", 8)]);
    scene.does("hunt", "kill rat");
    let kill = step(TaskWork::Kill, "Kill lean rats", Some("a lean rat"), None, None);
    scene.state.tasks = Some(vec![task(vec![kill])]);
    scene.does("hunt", "kill lean");
}
