//! What a model orders its body to do, and when it is asked again.

use super::*;
use ::mind::action::{Destination, Order, Until};

/// The agent with all its policies and a model that was asked, in a room with a rat that it could beat.
fn scene() -> Scene {
    scene_with(json!({}))
}

/// The same, and so it was when the model was asked.
fn scene_with(vars: Value) -> Scene {
    let mut scene = Scene::new(AgentSettings::default());
    let kind = scene.agent.body.known.bestiary.kind(7);
    (kind.level, kind.hp, kind.considered_ms, kind.kills, kind.loss, kind.xp) =
        (Some(2), Some(8), Some(1_000), 3, 2.0, 90);
    scene.agent.body.known.wimpy = Some(9);
    scene.vars(json!({"ROOM_MOBS": [mob("rat", 7, false)]}));
    scene.vars(vars);
    scene.next();
    assert_eq!(scene.asked.len(), 1, "the first thing is to ask");
    scene
}

/// Time goes by in the steps of a client.
fn passes(scene: &mut Scene, ms: u64) -> Vec<String> {
    (0..ms / 250).flat_map(|_| scene.after(250)).collect()
}

fn ordered(actions: &[&str], order: Order) -> Thought {
    let mut thought = thought(&[], actions);
    thought.answer.as_mut().expect("an answer").order = Some(order);
    thought
}

fn delegate(policies: &[&'static str], ticks: u32, until: &[Until]) -> Thought {
    ordered(&[], Order::Delegate { policies: policies.to_vec(), ticks, until: until.to_vec() })
}

fn wait(until: &[Until], ticks: u32) -> Thought {
    ordered(&[], Order::Wait { until: until.to_vec(), ticks })
}

fn goto(to: &str) -> Thought {
    ordered(&[], Order::Goto { to: Destination::of(to) })
}

/// What leaves in so many seconds; each question is answered with nothing.
fn waits(scene: &mut Scene, seconds: u64) -> Vec<String> {
    let mut lines = Vec::new();
    for _ in 0..seconds * 4 {
        lines.extend(scene.after(250));
        if !scene.asked.is_empty() {
            scene.answer(thought(&[], &[]));
        }
    }
    lines
}

/// The actions that the next prompt shows, newest last.
fn told(scene: &Scene) -> Vec<String> {
    scene.agent.mind.recent.iter().map(|action| format!("{} -> {}", action.action, action.outcome)).collect()
}

fn said(name: &str) -> Value {
    json!([{"type": "said", "speaker": who(name, "player", 3), "channel": "say", "text": "hello"}])
}

#[test]
fn an_order_lasts_so_many_ticks_of_the_world_however_long_they_take() {
    let mut scene = scene();
    for tick in 100..=110 {
        scene.now_ms += 500;
        scene.vars(json!({"TICK": tick}));
    }
    scene.answer(wait(&[Until::Day], 10));
    passes(&mut scene, 4_750);
    let begun = "wait 10 ticks, until day -> begun".to_string();
    assert_eq!(told(&scene).last(), Some(&begun), "where it was given");
    passes(&mut scene, 500);
    let over = "wait 10 ticks, until day -> over after 10 ticks: its time is over".to_string();
    assert_eq!(told(&scene).last(), Some(&over), "and where it ended");
}

/// Problem 1 of the review: whoever answers "I wait" waits.
#[test]
fn an_empty_answer_sends_nothing_but_upkeep() {
    let mut scene = scene();
    scene.answer(thought(&[], &[]));
    scene.frame("event", json!({"type": "text", "text": "You are hungry."}));
    scene.vars(json!({"INVENTORY": [{"name": "a loaf of bread", "vnum": 1, "instance_id": "obj_1_1"}]}));
    let lines = waits(&mut scene, 60);
    assert!(!lines.is_empty() && lines.iter().all(|line| line == "eat bread"), "{lines:?}");
    let counts = scene.agent.counts;
    assert_eq!((counts.policies, counts.model, counts.reflexes), (0, 0, 0));
    assert!(scene.logged.iter().all(|record| record.decision.source == Source::Upkeep));
    assert!(counts.thoughts < 8, "nor is it asked every five seconds: {}", counts.thoughts);
}

#[test]
fn what_is_delegated_is_done_until_its_time_is_over() {
    let mut scene = scene();
    scene.answer(delegate(&["hunt"], 4, &[]));
    assert_eq!(scene.next(), ["kill rat"]);
    scene.vars(json!({"FIGHTING": true, "POSITION": "fighting", "ROOM_MOBS": [mob("rat", 7, true)]}));
    assert_eq!(scene.after(3_000), [""; 0]);
    scene.vars(json!({"FIGHTING": false, "POSITION": "standing", "ROOM_MOBS": [mob("rat", 7, false)]}));
    assert_eq!(scene.after(4_900), ["kill rat"], "the next one");
    assert_eq!(scene.asked.len(), 0, "nobody is asked meanwhile");
    scene.after(200);
    assert_eq!(scene.asked.len(), 1, "it is over");
    let last = told(&scene).pop();
    assert_eq!(last.as_deref(), Some("delegate hunt, 4 ticks -> over after 4 ticks: its time is over"));
    scene.vars(json!({"POSITION": "standing"}));
    assert_eq!(waits(&mut scene, 10), [""; 0], "and hunting is, too");
}

#[test]
fn a_delegation_ends_with_its_event_or_when_nothing_is_left_to_do() {
    let hurt = json!({"HEALTH": 22});
    let level = json!({"LEVEL": 4});
    let found = json!({"ROOM_MOBS": [mob("owl", 9, false)]});
    let room = json!({"ROOM_VNUM": 2, "ROOM_NAME": "There"});
    for (until, vars, end) in [
        (Until::Hurt, hurt, "you lost a quarter of your hit points"),
        (Until::Level, level, "you gained a level"),
        (Until::Found, found, "you found a owl"),
        (Until::Arrived, room, "you came to where you had never been"),
    ] {
        let mut scene = scene();
        scene.answer(delegate(&["recovery"], 100, &[until]));
        assert_eq!(scene.after(5_000), [""; 0]);
        assert_eq!(scene.asked.len(), 0, "{until:?}");
        scene.vars(vars);
        scene.next();
        assert_eq!(scene.asked.len(), 1, "{until:?}");
        assert!(told(&scene).last().is_some_and(|last| last.ends_with(end)), "{:?}", told(&scene));
    }
    let mut scene = scene();
    scene.answer(delegate(&["recovery"], 100, &[Until::Night]));
    for _ in 0..39 {
        scene.after(250);
        assert_eq!(scene.asked.len(), 0);
    }
    scene.after(500);
    assert_eq!(scene.asked.len(), 1);
    assert!(
        told(&scene).last().is_some_and(|last| last.ends_with("there was nothing more to do")),
        "{:?}",
        told(&scene)
    );
    let mut scene = scene_with(json!({"HEALTH": 10, "ROOM_MOBS": []}));
    scene.answer(delegate(&["rest"], 100, &[Until::Night]));
    assert_eq!(scene.after(700), ["rest"]);
    scene.vars(json!({"POSITION": "resting"}));
    assert_eq!(passes(&mut scene, 40_000), [""; 0]);
    assert_eq!(scene.asked.len(), 0, "to rest on is something to do");
    scene.frame("event", json!({"type": "outdoor", "text": "The last light is gone. It is night."}));
    scene.next();
    assert!(told(&scene).last().is_some_and(|last| last.ends_with("it is night")), "{:?}", told(&scene));
}

#[test]
fn who_is_spoken_to_meanwhile_may_answer_and_the_delegation_goes_on() {
    let mut scene = scene_with(json!({"HEALTH": 10, "POSITION": "resting"}));
    scene.answer(delegate(&["rest"], 100, &[]));
    passes(&mut scene, 5_000);
    scene.events(said("Bob"));
    scene.next();
    assert_eq!(scene.asked.len(), 1, "somebody spoke");
    scene.answer(thought(&["say hello"], &[]));
    assert_eq!(scene.next(), ["say hello"]);
    assert_eq!(scene.agent.mandate(scene.now_ms), Mandate::Named(vec!["rest"]));
    let prompt = scene.agent.prompt(scene.now_ms).text();
    assert!(prompt.contains("goes on for 98 ticks more; an answer that only talks leaves it so"), "{prompt}");
    passes(&mut scene, 5_000);
    scene.events(said("Bob"));
    scene.next();
    scene.answer(thought(&[], &["look"]));
    assert_eq!(scene.agent.mandate(scene.now_ms), Mandate::Named(vec!["rest"]), "to look is free");
    passes(&mut scene, 5_000);
    scene.events(said("Bob"));
    scene.next();
    scene.answer(thought(&[], &["north"]));
    assert_eq!(scene.agent.mandate(scene.now_ms), Mandate::Nothing, "who acts decides again");
    assert!(told(&scene).iter().any(|line| line.ends_with("over: you did something else")), "{:?}", told(&scene));
}

#[test]
fn who_waits_is_asked_at_once_when_it_happens_and_not_before() {
    let bob_enters = json!({"EVENTS": [{"type": "entered", "who": who("Bob", "player", 3)}]});
    let bob_speaks = json!({"EVENTS": said("Bob")});
    let struck = json!({"EVENTS": [{
        "type": "attacked", "victim": who("Me", "player", 3),
        "attacker": {"id": "mob_7_1", "name": "a rat", "kind": "mob", "level": 2},
    }]});
    for (until, before, event, end) in [
        (&[Until::SpokenTo][..], Some(&bob_enters), &bob_speaks, "Bob spoke to you"),
        (&[Until::SomebodyEnters], Some(&bob_speaks), &bob_enters, "Bob came in"),
        (&[Until::SomebodyEnters, Until::SpokenTo], None, &bob_speaks, "Bob spoke to you"),
        (&[Until::Day], Some(&bob_speaks), &struck, "a rat attacked you"),
        (&[Until::Hurt], Some(&json!({"HEALTH": 25})), &json!({"HEALTH": 22}), "a quarter of your hit points"),
    ] {
        let mut scene = scene();
        scene.answer(wait(until, 150));
        scene.after(20_000);
        scene.vars(before.cloned().unwrap_or(json!({})));
        scene.after(60_000);
        assert_eq!((scene.asked.len(), scene.agent.counts.policies), (0, 0), "{until:?}");
        scene.vars(event.clone());
        scene.next();
        assert_eq!(scene.asked.len(), 1, "{until:?}");
        assert!(told(&scene).iter().any(|line| line.ends_with(end)), "{until:?}: {:?}", told(&scene));
    }
    // What cannot come is waited for five minutes.
    let mut scene = scene();
    scene.answer(wait(&[Until::Day], 150));
    assert_eq!(scene.after(299_000), [""; 0]);
    assert_eq!(scene.asked.len(), 0);
    scene.after(1_000);
    assert_eq!(scene.asked.len(), 1);
    // A tick is a tick, as far as questions may be asked so soon.
    let mut scene = self::scene();
    scene.answer(wait(&[Until::Tick], 150));
    scene.after(2_000);
    assert!(
        told(&scene).last().is_some_and(|last| last.ends_with("over after 1 tick: the next tick came")),
        "{:?}",
        told(&scene)
    );
}

/// Problem 15 of the review: nobody pays for the prompts of a sleeper.
#[test]
fn a_sleeper_is_asked_when_it_is_rested() {
    let mut scene = scene_with(json!({"HEALTH": 10}));
    scene.answer(ordered(&["sleep"], Order::Wait { until: vec![Until::Rested], ticks: 150 }));
    assert_eq!(scene.next(), ["sleep"]);
    scene.vars(json!({"POSITION": "sleeping"}));
    scene.after(100_000);
    assert_eq!(scene.asked.len(), 0);
    scene.vars(json!({"HEALTH": 30}));
    let lines = scene.next();
    assert_eq!((lines, scene.asked.len()), (vec!["wake".to_string()], 1), "it wakes and is asked");
    // Without a wait: at rest and with nothing new, once a minute.
    let mut scene = scene_with(json!({"HEALTH": 10}));
    scene.answer(thought(&[], &["sleep"]));
    scene.next();
    scene.vars(json!({"POSITION": "sleeping"}));
    let before = scene.agent.counts.thoughts;
    assert_eq!(waits(&mut scene, 120), [""; 0]);
    let asked = scene.agent.counts.thoughts - before;
    assert!(asked <= 3, "{asked} questions in two minutes");
}

#[test]
fn who_lies_down_whole_or_waits_lying_is_let_lie() {
    for (health, until, up) in
        [(30, &[Until::SpokenTo][..], false), (10, &[Until::SpokenTo], false), (10, &[Until::Rested], true)]
    {
        let mut scene = scene_with(json!({"HEALTH": health}));
        scene.answer(ordered(&["rest"], Order::Wait { until: until.to_vec(), ticks: 150 }));
        assert_eq!(scene.next(), ["rest"]);
        scene.vars(json!({"POSITION": "resting"}));
        scene.after(10_000);
        scene.vars(json!({"HEALTH": 30}));
        let lines = waits(&mut scene, 20);
        assert_eq!(lines.first().map(String::as_str), up.then_some("stand"), "{health} {until:?}");
    }
}

/// Problem 16 of the review: the line of getting up comes before the variables that show it.
#[test]
fn getting_up_is_sent_once_and_records_leave_in_order() {
    let mut scene = scene_with(json!({"POSITION": "resting", "HEALTH": 20}));
    scene.answer(thought(&[], &["kill rat"]));
    assert_eq!(scene.next(), ["stand"]);
    for _ in 0..5 {
        scene.frame("event", json!({"type": "text", "text": "You stand up."}));
        assert_eq!(scene.after(10), [""; 0]);
    }
    scene.vars(json!({"POSITION": "standing"}));
    assert_eq!(scene.after(10), ["kill rat"]);
    let mut scene = Scene::thinking();
    scene.answer(thought(&["say a"], &["look", "kill wolf"]));
    assert_eq!(scene.next(), ["say a", "look", "kill wolf"]);
    scene.now_ms += 10;
    scene.events(json!([{"type": "refused", "command": "kill", "reason": "There is nobody of that name here."}]));
    scene.after(3_000);
    let turns: Vec<u64> = scene.logged.iter().map(|record| record.turn_number).collect();
    assert_eq!(turns, [1, 2, 3]);
}

/// Rooms 1 to 5 in a line to the east, 3 with a door; walked once, so that they are known. The agent is in 1.
fn street() -> Scene {
    let mut scene = Scene::new(AgentSettings {
        off: POLICIES.iter().map(|policy| policy.name.to_string()).filter(|name| name != "stand").collect(),
        ..AgentSettings::default()
    });
    let names = ["The Gate", "Well Yard", "The Lane", "The Smithy", "The End"];
    let map = &mut scene.agent.body.known.map;
    for vnum in [1, 2, 3, 4, 5, 4, 3, 2, 1] {
        let here = map.here.unwrap_or(1);
        let by = if vnum > here { "east" } else { "west" };
        map.arrive(vnum, Some((here, by)).filter(|_| here != vnum), 0);
        let exits: &[&str] = match vnum {
            1 => &["east", "north"],
            5 => &["west"],
            _ => &["west", "east"],
        };
        map.see(names[vnum as usize - 1], &exits.iter().map(|exit| (*exit).into()).collect::<Vec<_>>());
    }
    map.rooms.get_mut(&5).expect("it is known").mobs.push(7);
    scene.agent.body.known.bestiary.kind(7).name = "old Marrable".into();
    scene.vars(json!({"ROOM_NAME": "The Gate", "ROOM_EXITS": ["east", "north"]}));
    scene.next();
    assert_eq!(scene.asked.len(), 1);
    scene
}

fn enter(scene: &mut Scene, vnum: i32, name: &str, exits: &[&str]) {
    scene.now_ms += 50;
    scene.frame("event", json!({"type": "text", "text": name}));
    scene.vars(json!({"ROOM_VNUM": vnum, "ROOM_NAME": name, "ROOM_EXITS": exits}));
}

#[test]
fn it_walks_to_a_room_by_name_a_step_a_tick() {
    let mut scene = street();
    scene.answer(goto("the smithy"));
    let mut walked = Vec::new();
    for (vnum, name) in [(2, "Well Yard"), (3, "The Lane"), (4, "The Smithy")] {
        let from_ms = scene.now_ms;
        let mut line = scene.next();
        while line.is_empty() {
            line = scene.after(100);
            assert!(scene.now_ms < from_ms + 3_000, "it stands still in {name}: {:?}", told(&scene));
        }
        walked.push((line, scene.now_ms - from_ms));
        enter(&mut scene, vnum, name, &["west", "east"]);
    }
    assert!(walked.iter().all(|(lines, _)| lines == &["east"]), "{walked:?}");
    assert!(walked[1..].iter().all(|(_, ms)| (1_500..2_200).contains(ms)), "a step a tick: {walked:?}");
    passes(&mut scene, 3_000);
    assert_eq!(told(&scene).last().map(String::as_str), Some("goto the smithy -> arrived after 3 steps"));
    assert_eq!(scene.asked.len(), 1, "and it is asked what now");
    assert!(scene.logged.iter().all(|record| record.decision.source == Source::Model));
}

#[test]
fn a_walk_stops_where_something_happens() {
    let struck = json!([{
        "type": "attacked", "victim": who("Me", "player", 3),
        "attacker": {"id": "mob_7_1", "name": "a rat", "kind": "mob", "level": 2},
    }]);
    for (vars, end) in [
        (json!({"EVENTS": said("Bob")}), "stopped after 1 step in Well Yard: Bob spoke to you"),
        (json!({"EVENTS": struck}), "stopped after 1 step in Well Yard: a rat attacked you"),
        (json!({"HEALTH": 26}), "stopped after 1 step in Well Yard: you were hurt"),
        (
            json!({"EVENTS": [{"type": "refused", "command": "east", "reason": "Not now."}]}),
            "stopped after 1 step in Well Yard: Not now",
        ),
    ] {
        let mut scene = street();
        scene.answer(goto("5"));
        assert_eq!(scene.next(), ["east"]);
        enter(&mut scene, 2, "Well Yard", &["west", "east"]);
        assert_eq!(scene.after(2_000), ["east"]);
        scene.now_ms += 50;
        scene.vars(vars);
        scene.after(100);
        let last = told(&scene).pop().unwrap_or_default();
        assert_eq!(last, format!("goto 5 -> {end}"));
        assert_eq!(scene.after(10_000), [""; 0]);
    }
}

#[test]
fn a_closed_door_on_the_way_is_opened_and_a_locked_one_ends_the_walk() {
    let refused = |command: &str, reason: &str| json!([{"type": "refused", "command": command, "reason": reason}]);
    for locked in [false, true] {
        let mut scene = street();
        scene.answer(goto("the end"));
        assert_eq!(scene.next(), ["east"]);
        scene.now_ms += 50;
        scene.events(refused("east", "The gate is closed."));
        assert_eq!(scene.after(50), ["open gate east"]);
        scene.now_ms += 50;
        if locked {
            scene.events(refused("open", "It seems to be locked."));
            assert_eq!(scene.after(50), [""; 0]);
            let last = told(&scene).pop().unwrap_or_default();
            assert_eq!(last, "goto the end -> stopped after 0 steps in The Gate: It seems to be locked");
            continue;
        }
        scene.frame("event", json!({"type": "text", "text": "You open the gate."}));
        scene.events(json!([{"type": "door", "direction": "east", "change": "opened"}]));
        scene.now_ms += 50;
        assert_eq!(scene.after(500), ["east"]);
    }
}

#[test]
fn people_and_the_unknown_can_be_walked_to() {
    let mut scene = street();
    scene.answer(goto("marrable"));
    assert_eq!(scene.next(), ["east"]);
    assert!(scene.agent.mind.ordered(&scene.agent.body, scene.now_ms).is_some_and(|order| order == "goto marrable"));
    let mut scene = street();
    scene.events(json!([{"type": "entered", "who": who("Bob", "player", 3)}]));
    enter(&mut scene, 2, "Well Yard", &["west", "east"]);
    scene.after(100);
    scene.answer(goto("Bob"));
    assert_eq!(scene.next(), ["west"], "to where he was seen last");
    enter(&mut scene, 1, "The Gate", &["east", "north"]);
    scene.next();
    assert_eq!(
        told(&scene).last().map(String::as_str),
        Some("goto Bob -> arrived after 1 step: Bob is no longer here")
    );
    let mut scene = street();
    scene.answer(goto("unknown"));
    assert_eq!(scene.next(), ["north"], "the nearest way not taken");
    enter(&mut scene, 9, "The Moor", &["south"]);
    scene.next();
    let last = told(&scene).pop().unwrap_or_default();
    assert_eq!(last, "goto unknown -> arrived after 1 step: The Moor, where you had never been");
}

#[test]
fn what_cannot_be_walked_to_or_delegated_is_refused_with_a_reason() {
    let near = "near you know Well Yard (1 step), The Lane (2 steps), The Smithy (3 steps), The End (4 steps)";
    for (order, expected) in [
        (
            goto("The Palace"),
            format!("goto The Palace -> refused: you know no room or person called The Palace; {near}"),
        ),
        (goto("777"), format!("goto 777 -> refused: you know no room 777; {near}")),
        (goto("the gate"), "goto the gate -> refused: you are there".to_string()),
    ] {
        let mut scene = street();
        scene.answer(order);
        assert_eq!(scene.next(), [""; 0]);
        assert_eq!(told(&scene), [expected]);
        scene.after(5_000);
        assert_eq!(scene.asked.len(), 1, "it may think again");
    }
    let forbidden = Forbidden { policies: ["hunt".to_string()].into(), ..Forbidden::default() };
    let off = ["shop".to_string()].into();
    let mut scene = Scene::new(AgentSettings { forbidden, off, ..AgentSettings::default() });
    scene.next();
    scene.answer(delegate(&["hunt", "shop"], 5, &[]));
    let refused = "delegate hunt shop, 5 ticks -> refused: your character never does that: hunt; shop is switched off";
    assert_eq!(told(&scene), [refused]);
    let mut scene = Scene::beside(Autopilot::Off, &[]);
    scene.answer(delegate(&[], 5, &[]));
    assert_eq!(told(&scene), ["delegate all, 5 ticks -> refused: nothing can be delegated here"]);
}

#[test]
fn what_a_persona_forbids_is_neither_done_by_a_policy_nor_sent_for_the_model() {
    let forbidden =
        Forbidden { verbs: ["kill".to_string(), "eat".to_string()].into(), policies: ["loot".to_string()].into() };
    let mut scene = scene();
    scene.agent.settings.forbidden = forbidden;
    scene.answer(thought(&[], &["hit rat"]));
    assert_eq!(scene.next(), [""; 0]);
    assert_eq!(scene.agent.counts.doubted, 1);
    let prompt = scene.agent.prompt(scene.now_ms).text();
    assert!(prompt.contains("hit rat") && prompt.contains("your character never does that"), "{prompt}");
    scene.frame("event", json!({"type": "text", "text": "You are hungry."}));
    scene.vars(json!({"INVENTORY": [{"name": "a loaf of bread", "vnum": 1, "instance_id": "obj_1_1"}]}));
    assert_eq!(scene.after(5_000), ["eat bread"], "to eat is to live");
    scene.answer(delegate(&["hunt", "loot"], 5, &[]));
    assert!(waits(&mut scene, 8).iter().all(|line| line == "eat bread"));
    // Whoever is struck at strikes back all the same.
    scene.vars(json!({"ROOM_MOBS": [mob("rat", 7, true)]}));
    assert_eq!(scene.after(1_000), ["kill rat"]);
}
