//! What actions become, and that nothing that comes in can hurt.

use super::*;
use proptest::prelude::*;
use protocol::payload::Words;
use protocol::verbs;
use serde_json::{Value, json};

/// Some of the shipped world's words.
pub(crate) fn words() -> Words {
    let names = |names: &str| names.split(' ').map(Into::into).collect();
    Words {
        socials: names("bow grin laugh nod shrug smile thank wave"),
        channels: names("shout holler gossip auction grats newbie"),
    }
}

fn offer() -> Offer {
    Offer::of(words())
}

fn line(action: Value) -> Result<String, String> {
    decode(&action, &offer()).and_then(|action| line_of(&action)).map_err(|error| error.to_string())
}

#[test]
fn each_action_becomes_the_line_that_a_person_would_type() {
    for (action, expected) in [
        (json!({"type": "command", "command": "kill", "args": ["2.goblin"]}), "kill 2.goblin"),
        (json!({"type": "command", "command": "get all corpse", "args": null}), "get all corpse"),
        (json!({"command": "get", "args": "all 2.corpse"}), "get all 2.corpse"),
        (json!({"command": "drop", "args": [20, "coins"]}), "drop 20 coins"),
        (json!("n"), "n"),
        (json!({"type": "smile", "args": ["Bob"]}), "smile Bob"),
        (json!({"type": "kill", "target": "rat"}), "kill rat"),
        (json!({"type": "say", "text": "Hello,\r\nthere \u{1b}[31m!"}), "say Hello, there [31m!"),
        (json!({"type": "say", "args": ["Hi", "all"]}), "say Hi all"),
        (json!({"type": "send_message", "to": "Bob", "content": "hi"}), "tell Bob hi"),
        (json!({"type": "send_message", "channel": "gossip", "content": "hi"}), "gossip hi"),
        (
            json!({"type": "set", "path": "people.Bob.trust", "value": 0.8, "w": null}),
            "remember people.Bob.trust = 0.8",
        ),
        (json!({"type": "set", "path": "a", "value": "5"}), r#"remember a = "5""#),
        (json!({"type": "set", "path": "a", "value": "x y", "w": 0.5}), r#"remember a = {"v":"x y","w":0.5}"#),
        (json!({"type": "append", "path": "facts.inn", "value": "warm"}), "remember facts.inn += warm"),
        (json!({"type": "delete", "path": "facts.inn"}), "forget facts.inn"),
        (json!({"type": "task", "text": "Find the key"}), "task Find the key"),
        (json!({"type": "task", "text": "done"}), r#"task "done""#),
        (json!({"type": "task_done"}), "task done"),
        (json!({"type": "note", "text": "remove 3 stones"}), r#"note "remove 3 stones""#),
        (json!({"type": "note_edit", "id": "#3", "text": "x"}), "note edit 3 x"),
        (json!({"type": "notes.remove", "id": 3.0}), "note remove 3"),
        (
            json!({"type": "decide", "summary": "Go west", "details": "the door is open"}),
            "decide Go west: the door is open",
        ),
        (json!({"type": "decide", "summary": "Go west", "details": null}), "decide Go west"),
        (json!({"type": "step_move", "id": "12", "place": 1}), "step move 12 1"),
        (json!({"type": "history", "count": null}), "history"),
        (json!({"type": "history", "count": 5}), "history 5"),
        (json!({"type": "compact"}), "compact"),
    ] {
        assert_eq!(line(action.clone()), Ok(expected.to_string()), "{action}");
    }
}

/// The operations of the documents on the workspace, each by the name that it has there.
#[test]
fn each_operation_of_the_documents_becomes_a_line() {
    let cases: &[(&str, Value, &str)] = &[
        // Document 001.
        (
            "create_project",
            json!({"key": "inn", "summary": "Build an inn", "context": "Walls"}),
            "project new inn = Build an inn: Walls",
        ),
        ("create_project", json!({"name": "inn", "summary": "Build an inn"}), "project new inn = Build an inn"),
        ("list_projects", json!({}), "project"),
        (
            "swap_project",
            json!({"key": "quest", "current_project_update": "Walls 60% done"}),
            "project swap quest: Walls 60% done",
        ),
        ("swap_project", json!({"project_key": "quest"}), "project swap quest"),
        ("update_project", json!({"context": "The roof is on"}), "project update The roof is on"),
        ("archive_project", json!({"key": "inn"}), "project archive inn"),
        ("restore_project", json!({"key": "inn"}), "project restore inn"),
        ("complete_project", json!({}), "project done"),
        ("add_goal", json!({"description": "Find oak", "priority": "high"}), "goal high Find oak"),
        ("add_goal", json!({"description": "Find oak", "parent_id": "goal_42_0"}), "goal under goal_42_0 Find oak"),
        ("add_goal", json!({"text": "under 5 oaks"}), "goal \"under 5 oaks\""),
        ("add_goal", json!({"text": "low tide", "parent": 7}), "goal under 7 medium low tide"),
        ("list_goals", json!({}), "goal"),
        ("update_goal", json!({"id": "goal_42_1", "status": "completed"}), "goal done goal_42_1"),
        ("update_goal", json!({"id": 7, "status": "abandoned"}), "goal drop 7"),
        ("update_goal", json!({"id": 7, "status": "active"}), "goal reopen 7"),
        ("update_goal", json!({"goal_id": "#7", "progress": 60}), "goal progress 7 60"),
        ("update_goal", json!({"id": 7, "description": "Find elm"}), "goal edit 7 Find elm"),
        ("update_goal", json!({"id": 7, "priority": "low"}), "goal edit 7 low"),
        ("complete_goal", json!({"id": 7}), "goal done 7"),
        ("abandon_goal", json!({"id": 7}), "goal drop 7"),
        (
            "decompose_goal",
            json!({"id": "goal_42_0", "subtasks": ["Plan", "Dig | level", {"description": "Build"}]}),
            "goal split goal_42_0: Plan | Dig / level | Build",
        ),
        ("split", json!({"id": 7, "into": ["a", "b", "c"]}), "goal split 7: a | b | c"),
        ("add_session_memory", json!({"type": "fact", "content": "The inn has 5 rooms"}), "fact The inn has 5 rooms"),
        (
            "add_session_memory",
            json!({"memory_type": "learned_pattern", "content": "Rats flee light"}),
            "pattern Rats flee light",
        ),
        ("compact_session_memory", json!({}), "tidy"),
        ("add_fact", json!({"text": "The gate closes at dusk"}), "fact The gate closes at dusk"),
        ("add_key_fact", json!({"fact": "remove rust with oil"}), "fact \"remove rust with oil\""),
        ("remove_fact", json!({"id": 9}), "fact remove 9"),
        ("add_pattern", json!({"text": "Rats flee light"}), "pattern Rats flee light"),
        ("remove_pattern", json!({"id": 9}), "pattern remove 9"),
        ("list_facts", json!({}), "fact"),
        ("list_patterns", json!({}), "pattern"),
        ("add_journal_entry", json!({"content": "Bob is rich", "source": "hearsay"}), "journal hearsay Bob is rich"),
        ("journal.add", json!({"text": "told nobody"}), "journal seen told nobody"),
        // Document 004.
        ("task.get", json!({}), "task"),
        ("task.set", json!({"description": "Find the key"}), "task Find the key"),
        ("task.update", json!({"text": "Find both keys"}), "task update Find both keys"),
        ("decisions.list", json!({}), "decide"),
        ("decisions.record", json!({"summary": "Go west", "details": "it is dry"}), "decide Go west: it is dry"),
        ("decisions.remove", json!({"id": 3}), "decide remove 3"),
        ("notes.list", json!({}), "note"),
        ("notes.add", json!({"content": "The guard sells maps"}), "note The guard sells maps"),
        ("notes.update", json!({"id": 3, "content": "He sold all"}), "note edit 3 He sold all"),
        ("notes.remove", json!({"id": 3}), "note remove 3"),
        ("steps.list", json!({}), "step"),
        ("steps.add", json!({"description": "Buy a lantern"}), "step Buy a lantern"),
        ("steps.complete", json!({"id": 3}), "step done 3"),
        ("steps.reorder", json!({"id": 3, "order": 1}), "step move 3 1"),
        ("blockers.list", json!({}), "block"),
        ("blockers.add", json!({"description": "The gate is locked"}), "block The gate is locked"),
        ("blockers.remove", json!({"id": 3}), "block clear 3"),
        ("snapshot", json!({}), "hud"),
        ("history", json!({"limit": 5}), "history 5"),
        ("hud_compact", json!({}), "compact"),
        ("hud.search", json!({"query": "the secret word"}), "recall the secret word"),
        (
            "recall",
            json!({"words": "key", "in": "talk", "from": "Bob", "since": "3d", "until": null}),
            "recall in:talk from:Bob since:3d key",
        ),
        (
            "recall",
            json!({"in": "goals", "project": "boat", "until": "#812"}),
            "recall in:goals project:boat until:#812",
        ),
        ("hud.help", json!({}), "help mind"),
    ];
    for (name, args, expected) in cases {
        let mut flat = args.as_object().expect("an object").clone();
        let nested = flat.contains_key("type");
        flat.insert("type".to_string(), json!(name));
        let text = json!({"tool": name, "args": args.to_string()});
        let routed = json!({"type": "hud", "tool": name, "args": args});
        let mut ways = vec![json!({"tool": name, "args": args}), json!({"type": name, "args": args}), text, routed];
        ways.extend((!nested).then_some(Value::Object(flat)));
        for way in ways {
            assert_eq!(line(way.clone()), Ok(expected.to_string()), "{way}");
        }
    }
    // Every name of a row of the mind leads to it, and none to two.
    let names = |row: &'static Row| std::iter::once(row.name).chain(row.also.iter().copied());
    for row in ROWS.iter().filter(|row| row.mind) {
        for name in names(row) {
            assert_eq!(super::row(name).map(|found| found.name), Some(row.name), "{name}");
        }
    }
}

#[test]
fn each_action_of_the_mind_becomes_a_line_of_a_verb_that_there_is() {
    for row in ROWS.iter().filter(|row| row.mind) {
        let verb = row.verb();
        assert!(verb == "{kind}" || verbs::VERBS.iter().any(|known| known.name == verb), "{}: {verb}", row.name);
    }
}

#[test]
fn what_was_nearly_a_name_is_asked_back() {
    for (action, meant) in [
        (json!({"type": "ad_goal", "text": "x"}), "Did you mean `add_goal`?"),
        (json!({"tool": "decisions.recrod", "args": {}}), "Did you mean `decisions.record`?"),
        (json!({"tool": "swap_projekt", "args": {"key": "inn"}}), "Did you mean `swap_project`?"),
    ] {
        let error = line(action.clone()).expect_err("refused");
        assert!(error.starts_with("There is no action of type") && error.ends_with(meant), "{action}: {error}");
    }
    let stranger = line(json!({"tool": "launch_rocket", "args": {}})).expect_err("refused");
    assert!(!stranger.contains("Did you mean"), "{stranger}");
}

#[test]
fn a_change_of_several_things_becomes_a_line_for_each() {
    let actions = [json!({"tool": "update_goal", "args": {"id": 7, "progress": 60, "priority": "high"}})];
    let decided = decide(&actions, &offer()).expect("usable");
    assert_eq!(decided.actions, ["goal progress 7 60", "goal edit 7 high"]);
    for (action, expected) in [
        (json!({"type": "update_goal", "id": 7}), "An action of type `goal_update` changes one of `status`, `percent`"),
        (
            json!({"type": "update_goal", "id": 7, "progress": 101}),
            "In an action of type `goal_update`: `percent` is a",
        ),
        (json!({"type": "update_goal", "id": "oak", "progress": 1}), "In an action of type `goal_update`: `id` is the"),
        (
            json!({"type": "update_goal", "id": 7, "status": "lost"}),
            "In an action of type `goal_update`: `status` is one",
        ),
        (json!({"type": "split", "id": 7, "into": ["a", "b"]}), "In an action of type `split`: `into` is a list of 3"),
        (
            json!({"type": "split", "id": 7, "into": vec!["a"; 8]}),
            "In an action of type `split`: `into` is a list of 3",
        ),
        (json!({"type": "split", "id": 7}), "An action of type `split` has no `into`."),
    ] {
        let error = line(action.clone()).expect_err("refused");
        assert!(error.starts_with(expected), "{action}: {error}");
    }
}

#[test]
fn a_goal_may_be_split_without_saying_into_what_and_coins_are_divided_as_ever() {
    let split = |id: Value| json!({"tool": "decompose_goal", "args": {"goal_id": id}});
    let decided = decide(&[split(json!("goal_42_0")), split(json!(9))], &offer()).expect("usable");
    assert_eq!((decided.split.as_deref(), decided.actions.len(), decided.dropped.len()), (Some("goal_42_0"), 0, 1));
    assert_eq!(line(json!({"type": "split", "args": ["30"]})), Ok("split 30".to_string()));
    assert_eq!(line(json!("split 30")), Ok("split 30".to_string()));
}

#[test]
fn what_cannot_be_done_is_refused_with_what_to_do() {
    for (action, expected) in [
        (json!(7), "An action is an object with a `type`, not a number."),
        (json!({"text": "x"}), "An action has no `type`."),
        (json!({"type": 4}), "The `type` of an action is a string, not a number."),
        (json!({"type": "command", "command": "frobnicate", "args": []}), "There is no command `frobnicate`"),
        (json!({"type": "command", "command": "teleport", "args": ["3001"]}), "There is no command `teleport`"),
        (json!({"type": "command", "command": "quit", "args": []}), "The command `quit` is for the owner"),
        (
            json!({"type": "command", "command": "password", "args": ["a", "b"]}),
            "The command `password` is for the owner",
        ),
        (json!({"type": "command", "command": "", "args": []}), "`command` is empty."),
        (json!({"type": "command", "command": "get", "args": {"a": 1}}), "`args` is a list of strings, not an object."),
        (json!({"type": "command", "command": "get", "args": [[1]]}), "`args` is a list of strings; it holds a list."),
        (json!({"type": "fly", "text": "x"}), "There is no action of type `fly`: the types are command, say"),
        (json!({"type": "say", "text": "  "}), "In an action of type `say`: `text` is empty."),
        (json!({"type": "say", "room_id": 5, "message": "x"}), "There are no chat rooms in this world"),
        (json!({"type": "note_remove", "id": "three"}), "In an action of type `note_remove`: `id` is a whole number"),
        (json!({"type": "note_remove", "id": -3}), "In an action of type `note_remove`: `id` is a whole number"),
        (json!({"type": "note_remove"}), "An action of type `note_remove` has no `id`."),
        (json!({"type": "set", "path": "a..b", "value": 1}), "In an action of type `set`: `path` is names with dots"),
        (
            json!({"type": "set", "path": "a", "value": 1, "w": 3}),
            "In an action of type `set`: `w` is a number from 0 to 1.",
        ),
    ] {
        let error = line(action.clone()).expect_err("refused");
        assert!(error.starts_with(expected), "{action}: {error}");
    }
}

#[test]
fn a_decision_holds_one_action_that_spends_a_tick_and_eight_free_ones() {
    let mut actions =
        vec![json!({"type": "kill", "args": ["rat"]}), json!("north"), json!({"type": "say", "text": "a"})];
    actions.extend((0..9).map(|n| json!({"type": "note", "text": format!("note {n}")})));
    let decided = decide(&actions, &offer()).expect("usable");
    assert_eq!(decided.speech, ["say a"]);
    assert_eq!(decided.actions.len(), 1 + 7);
    assert_eq!(decided.actions[0], "kill rat");
    assert_eq!(decided.dropped.len(), 1 + 2, "{:?}", decided.dropped);
    assert_eq!(decide(&[], &offer()), Ok(Decided::default()), "to wait is an answer");
    let mixed = decide(&[json!("frobnicate"), json!("look"), json!("look"), json!("compact")], &offer())
        .expect("one is usable");
    assert_eq!((mixed.actions, mixed.compact), (vec!["look".to_string(), "compact".to_string()], true));
    assert_eq!(mixed.dropped.len(), 2);
    assert!(decide(&[json!("frobnicate")], &offer()).is_err());
}

fn order(action: Value) -> Result<String, String> {
    let action = decode(&action, &offer()).map_err(|error| error.to_string())?;
    let (order, notice) = order_of(&action).ok_or_else(|| format!("it is a line: {:?}", line_of(&action)))?;
    Ok(format!("{order}{}", notice.map(|notice| format!(" ({notice})")).unwrap_or_default()))
}

#[test]
fn orders_are_read_in_many_forms_and_refused_with_what_to_do() {
    for (action, expected) in [
        (
            json!({"type": "delegate", "policies": ["hunt", "loot"], "ticks": 40, "until": ["hurt", "level"]}),
            Ok("delegate hunt loot, 40 ticks, until hurt or level"),
        ),
        (json!({"type": "delegate", "policies": "all", "ticks": "5", "until": null}), Ok("delegate all, 5 ticks")),
        (json!({"type": "delegate", "policies": ["Hunt, trade"], "ticks": 1}), Ok("delegate hunt shop, 1 tick")),
        (json!({"type": "delegate", "policies": ["loot", "all"], "ticks": 9}), Ok("delegate all, 9 ticks")),
        (json!("delegate hunt and loot for 20 ticks until hurt"), Ok("delegate hunt loot, 20 ticks, until hurt")),
        (
            json!({"type": "delegate", "command": null, "args": "explore 12 found", "text": null}),
            Ok("delegate explore, 12 ticks, until found"),
        ),
        (
            json!({"type": "delegate", "policies": "all", "ticks": 15_768_000}),
            Ok("delegate all, 150 ticks (`delegate` lasts 150 ticks at most, not 15768000.)"),
        ),
        (json!({"type": "wait", "until": "rested", "ticks": null}), Ok("wait 150 ticks, until rested")),
        (json!({"type": "wait", "until": ["spoken to", "day"]}), Ok("wait 150 ticks, until spoken_to or day")),
        (json!({"type": "wait", "ticks": 3}), Ok("wait 3 ticks")),
        (json!({"type": "wait", "until": null, "ticks": null}), Ok("wait 1 tick")),
        (json!("wait"), Ok("wait 1 tick")),
        (json!("wait until spoken_to"), Ok("wait 150 ticks, until spoken_to")),
        (json!({"command": "wait", "args": ["5"]}), Ok("wait 5 ticks")),
        (json!({"type": "goto", "to": "The Smithy"}), Ok("goto The Smithy")),
        (json!({"type": "goto", "room": 8004}), Ok("goto 8004")),
        (json!({"type": "goto", "to": "Unknown"}), Ok("goto unknown")),
        (json!({"type": "command", "command": "goto", "args": ["the", "well"]}), Ok("goto the well")),
        (json!({"type": "goto", "command": null, "args": "the well", "text": null}), Ok("goto the well")),
        (
            json!({"type": "delegate", "policies": ["dance"], "ticks": 5}),
            Err("In an action of type `delegate`: There is no policy `dance`: the policies are hunt, loot, explore"),
        ),
        (
            json!({"type": "delegate", "policies": [], "ticks": 5}),
            Err("In an action of type `delegate`: `policies` is"),
        ),
        (json!({"type": "delegate", "ticks": 5}), Err("An action of type `delegate` has no `policies`.")),
        (json!({"type": "delegate", "policies": "all"}), Err("An action of type `delegate` has no `ticks`.")),
        (
            json!({"type": "delegate", "policies": "all", "ticks": 0}),
            Err("In an action of type `delegate`: `ticks` is a whole number from 1 to 150."),
        ),
        (json!({"type": "wait", "ticks": -4}), Err("In an action of type `wait`: `ticks` is a whole number from 1")),
        (json!({"type": "wait", "ticks": 0.5}), Err("In an action of type `wait`: `ticks` is a whole number from 1")),
        (
            json!({"type": "wait", "until": "christmas"}),
            Err("In an action of type `wait`: `until` knows no `christmas`: it is one or several of tick, hurt"),
        ),
        (
            json!({"type": "delegate", "policies": "all", "ticks": 5, "until": "rested"}),
            Err("In an action of type `delegate`: `until` knows no `rested`"),
        ),
        (json!({"type": "wait", "until": 7}), Err("In an action of type `wait`: `until` is a list of words, not a")),
        (json!({"type": "goto", "to": " "}), Err("In an action of type `goto`: `to` is empty.")),
        (json!({"type": "goto"}), Err("An action of type `goto` has no `to`.")),
    ] {
        match (order(action.clone()), expected) {
            (Ok(order), Ok(expected)) => assert_eq!(order, expected, "{action}"),
            (Err(error), Err(expected)) => assert!(error.starts_with(expected), "{action}: {error}"),
            (order, _) => panic!("{action}: {order:?}"),
        }
    }
}

#[test]
fn a_decision_holds_one_order_beside_its_lines() {
    let actions =
        [json!("sleep"), json!("wait until rested"), json!("goto smithy"), json!({"type": "say", "text": "a"})];
    let decided = decide(&actions, &offer()).expect("usable");
    assert_eq!((decided.speech, decided.actions), (vec!["say a".to_string()], vec!["sleep".to_string()]));
    assert_eq!(decided.order, Some(Order::Wait { until: vec![Until::Rested], ticks: TICKS_MAX }));
    assert_eq!(decided.dropped, ["Only one of delegate, wait and goto at a time; left out: goto."]);
}

#[test]
fn the_schema_is_strict_and_names_every_type_once() {
    fn strict(schema: &Value) {
        if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
            assert_eq!(schema["additionalProperties"], json!(false), "{schema}");
            let required: Vec<&str> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!(required, properties.keys().map(String::as_str).collect::<Vec<_>>(), "{schema}");
        }
        match schema {
            Value::Object(members) => members.values().for_each(strict),
            Value::Array(members) => members.iter().for_each(strict),
            _ => {}
        }
    }
    strict(&schema(true, Autopilot::Offered, &with_channels()));
    for mind in [false, true] {
        let schema = schema(mind, Autopilot::Offered, &offer());
        strict(&schema);
        let mut names: Vec<&str> = schema["properties"]["actions"]["items"]["anyOf"]
            .as_array()
            .unwrap()
            .iter()
            .flat_map(|branch| branch["properties"]["type"]["enum"].as_array().unwrap())
            .filter_map(Value::as_str)
            .collect();
        let is_told = |row: &&Row| row.told && !row.arts && (mind || !row.mind) && row.channels == Channels::Nothing;
        let mut rows: Vec<&str> = ROWS.iter().filter(is_told).map(|row| row.name).collect();
        names.sort_unstable();
        rows.sort_unstable();
        assert_eq!(names, rows);
        let told = super::vocabulary(mind, Autopilot::Offered, &words());
        assert!(
            told.contains("\n- delegate: policies, ticks, until? Your body") && told.contains("\n- goto: to."),
            "{told}"
        );
        for autopilot in [Autopilot::Off, Autopilot::Full] {
            let without =
                super::schema(mind, autopilot, &offer()).to_string() + &super::vocabulary(mind, autopilot, &words());
            assert!(!without.contains("delegate") && without.contains("goto"), "{autopilot:?}: {without}");
        }
        let tools = tools(mind, Autopilot::Offered, &offer());
        let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["function"]["name"].clone()).collect();
        assert_eq!(names, ["act", "compact"]);
    }
}

/// Where there are channels, for one who may make agents.
fn with_channels() -> Offer {
    Offer { channels: true, has_record: true, makes_agents: true, ..offer() }
}

#[test]
fn each_action_of_the_document_of_channels_becomes_a_line() {
    let cases = [
        (json!({"type": "send_message", "room_id": 5, "content": "Hello!"}), "chat 5 Hello!"),
        (json!({"type": "chat", "channel": "108", "text": "a\u{7}\nb"}), "chat 108 a b"),
        (json!({"type": "reply", "room_id": 8, "message_id": 413, "message": "Yes"}), "reply 413@8 Yes"),
        (json!({"type": "reply", "message_id": 413, "message": "Yes"}), "reply 413 Yes"),
        (json!({"type": "send_message", "room_id": "8", "content": "Yes", "reply_to": 413}), "reply 413@8 Yes"),
        (json!({"type": "reply", "room_id": 8, "message": "Yes"}), "chat 8 Yes"),
        (json!({"type": "reply", "text": "Yes"}), "reply Yes"),
        (json!({"type": "react", "message_id": "#122", "reaction": "thumbs_up"}), "react 122 up"),
        (json!({"type": "wake_agent", "agent_id": "12"}), "agent wake 12"),
        (json!({"type": "set_attention", "room_id": 8, "value": "30%"}), "attention 8 30%"),
        (json!({"type": "set_attention", "room_id": 8, "value": 30}), "attention 8 30%"),
        (json!({"type": "set_attention", "room_id": 8, "value": "%*"}), "attention 8 %*"),
        (json!({"type": "create_key", "key": "oak"}), "channel key add oak"),
        (json!({"type": "revoke_key", "key": "oak", "room_id": 9}), "channel key revoke oak in 9"),
        (json!({"type": "request_access", "room_id": 9, "key": "oak"}), "request 9 oak"),
        (json!({"type": "grant_access", "request_id": 42}), "channel grant 42"),
        (json!({"type": "deny_access", "request_id": "42"}), "channel deny 42"),
        (json!({"type": "leave_room", "room_id": 9}), "channel leave 9"),
        (json!({"type": "join_room", "room_id": 0}), "channel join 0"),
        (json!({"type": "mute_room", "room_id": 9}), "channel mute 9"),
        (json!({"type": "unmute_room", "room_id": 9}), "channel unmute 9"),
        (json!({"type": "drop_waiting", "room_id": 9}), "channel drop 9"),
        (json!({"type": "set_billboard", "message": "Knock."}), "channel billboard Knock."),
        (json!({"type": "clear_billboard", "room_id": 9}), "channel billboard clear in 9"),
        (json!({"type": "set_wpm", "wpm": "60"}), "channel wpm 60"),
        (json!({"type": "set_name", "name": "Ada the Wise"}), "name Ada the Wise"),
        (json!({"type": "sleep", "until": "2024-01-15T14:30:00"}), "agent sleep 2024-01-15T14:30:00Z"),
        (json!({"type": "sleep", "until": "10m"}), "agent sleep 10m"),
        (json!({"type": "sleep"}), "sleep"),
        (
            json!({"type": "create_agent", "name": "Rook", "background_prompt": "Count.", "agent_type": "bot", "in_room_id": 8}),
            "agent create Rook bot in 8 = Count.",
        ),
        (json!({"type": "create_agent", "background_prompt": "Count."}), "agent create = Count."),
        (json!({"type": "alter_agent", "agent_id": 9, "model": "gpt-4o"}), "agent alter 9 model = gpt-4o"),
        (json!({"type": "retire_agent", "agent_id": 9}), "agent retire 9"),
        (
            json!({"type": "update_system_prompt", "new_prompt": "Be brief.", "reasoning": "They asked"}),
            "guideline set Be brief. because They asked",
        ),
        (json!({"type": "command", "command": "channel show 8"}), "channel show 8"),
        (json!("attention 8 auto"), "attention 8 auto"),
        (json!({"type": "send_message", "channel": "gossip", "content": "hi"}), "gossip hi"),
        (json!({"type": "send_message", "content": "hi"}), "say hi"),
    ];
    for (action, wanted) in cases {
        let line = decode(&action, &with_channels()).and_then(|action| line_of(&action));
        assert_eq!(line.map_err(|error| error.to_string()), Ok(wanted.to_string()), "{action}");
    }
}

#[test]
fn what_cannot_be_done_in_channels_is_refused_with_what_to_do() {
    let refused = |action: &Value, offer: &Offer| {
        let line = decode(action, offer).and_then(|action| line_of(&action));
        line.expect_err("it cannot be done").to_string()
    };
    for (action, wanted) in [
        (json!({"type": "set_wpm", "wpm": 9}), "`wpm` is a whole number from 10 to 200."),
        (json!({"type": "set_attention", "room_id": 8, "value": 101}), "0% to 100%"),
        (json!({"type": "set_attention", "room_id": 8, "value": -1}), "0% to 100%"),
        (json!({"type": "react", "message_id": 1, "reaction": "shrug"}), "thumbs_up, thumbs_down, brain, heart"),
        (json!({"type": "react", "message_id": 0, "reaction": "heart"}), "the number of a message"),
        (json!({"type": "sleep", "until": "tomorrow"}), "an instant such as"),
        (json!({"type": "sleep", "until": "9999-99-99T1"}), "an instant such as"),
        (json!({"type": "chat", "room_id": -4, "text": "x"}), "a number of a channel"),
        (json!({"type": "create_agent", "background_prompt": "x", "agent_type": "king"}), "persona or bot"),
        (json!({"type": "create_agent"}), "has no `prompt`"),
        (json!({"type": "request_access", "room_id": 9, "key": "two words"}), "one word"),
    ] {
        let error = refused(&action, &with_channels());
        assert!(error.contains(wanted), "{action}: {error}");
    }
    let plain = Offer { makes_agents: false, ..with_channels() };
    for action in [
        json!({"type": "create_agent", "background_prompt": "x"}),
        json!({"type": "command", "command": "agent retire 9"}),
    ] {
        assert!(refused(&action, &plain).contains("may not make"), "{action}");
    }
    let unrecorded = Offer { has_record: false, ..with_channels() };
    for action in [
        json!({"type": "sleep_until", "until": "2h"}),
        json!({"type": "set_name", "name": "Ada the Wise"}),
        json!({"type": "update_system_prompt", "new_prompt": "Be brief.", "reasoning": "They asked"}),
    ] {
        assert!(refused(&action, &unrecorded).contains("no record"), "{action}");
    }
    let types = refused(&json!({"type": "fly"}), &unrecorded);
    assert!(types.contains("set_attention") && !types.contains("sleep_until"), "{types}");
    let types = refused(&json!({"type": "fly"}), &plain);
    assert!(types.contains("set_attention") && !types.contains("create_agent"), "{types}");
    assert!(
        refused(&json!({"type": "react", "message_id": 1, "reaction": "heart"}), &offer())
            .contains("no action of type")
    );
}

#[test]
fn silence_marks_a_channel_read_and_an_agent_is_altered_in_all_at_once() {
    let actions = [
        json!({"type": "send_message", "room_id": 5, "message": "[No response]"}),
        json!({"type": "send_message", "room_id": 6, "message": ""}),
        json!({"type": "say", "text": "[no response]"}),
        json!({"type": "alter_agent", "agent_id": 9, "model": "m", "background_prompt": "Count.", "name": "Rook"}),
    ];
    let decided = decide(&actions, &with_channels()).expect("usable");
    let altered = "agent alter 9 name = Rook model = m prompt = Count.";
    assert_eq!(decided.actions, ["channel read 5", "channel read 6", altered]);
    assert!(decided.speech.is_empty() && decided.dropped.is_empty(), "{decided:?}");
    let nothing = decide(&[json!({"type": "alter_agent", "agent_id": 9})], &with_channels());
    let ActionError(nothing) = nothing.expect_err("nothing would change");
    assert!(nothing.contains("changes one of `prompt`, `name`, `model`"), "{nothing}");
    assert_eq!(decide(&actions[..1], &offer()), Ok(Decided::default()), "without channels it says nothing at all");
}

#[test]
fn a_decision_is_carried_out_in_the_order_of_the_document() {
    let lines = ["agent create = Count.", "look", "kill rat", "react 4 up", "chat 5 hi", "say hi", "remember a = 1"];
    let places = lines.map(|line| place_of(line, &with_channels()));
    assert_eq!(places, [4, 3, 4, 2, 1, 1, 0]);
}

fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        prop::sample::select(vec![
            "kill",
            "say",
            "quit",
            "note",
            "set",
            "command",
            "tell",
            "3",
            "#4",
            "chat",
            "reply",
            "react",
            "create_agent",
            "alter_agent",
            "sleep",
            "add_goal",
            "update_goal",
            "decompose_goal",
            "swap_project",
            "hud",
            "completed",
            "set_attention",
            "ADD_ENTITY",
            "plan",
            "[no response]"
        ])
        .prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key = prop::sample::select(vec![
            "type",
            "command",
            "args",
            "text",
            "to",
            "id",
            "path",
            "value",
            "w",
            "channel",
            "summary",
            "other",
            "room_id",
            "message_id",
            "agent_id",
            "prompt",
            "until",
            "reaction",
            "tool",
            "key",
            "progress",
            "status",
            "into",
            "params",
            "position",
            "steps",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key, inner), 0..6)
                .prop_map(|members| Value::Object(members.into_iter().map(|(k, v)| (k.to_string(), v)).collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_decided_is_one_clean_line_of_a_known_verb(actions in prop::collection::vec(any_json(), 0..12)) {
        let offered = if actions.len() % 2 == 0 { offer() } else { with_channels() };
        if let Ok(decided) = decide(&actions, &offered) {
            let lines: Vec<&String> = decided.speech.iter().chain(&decided.actions).collect();
            prop_assert!(lines.iter().filter(|line| !is_free(line, &offered)).count() <= 1);
            prop_assert!(lines.len() <= FREE_MAX + 1);
            for line in lines {
                prop_assert_eq!(protocol::names::clean_text(line), line.as_str());
                prop_assert!(line.chars().count() <= LINE_CHARS_MAX);
                let word = protocol::verbs::word_of(line);
                let verb = protocol::verbs::find(word, 1).map_or(word, |verb| &*verb.name);
                prop_assert!(!["quit", "password", "alias"].contains(&verb), "{}", line);
            }
            for notice in &decided.dropped {
                prop_assert!(!notice.contains(char::is_control));
            }
        }
    }
}

#[test]
fn hundreds_of_parts_are_as_wrong_as_eight() {
    let into = "a|".repeat(400);
    let why = decide(&[json!({"type": "split", "id": 7, "into": into})], &offer()).expect_err("too many");
    assert!(why.0.contains("is a list of 3 to 7 texts"), "{why}");
}

#[test]
fn what_stands_beside_an_envelope_counts_with_it() {
    let tell = json!({"type": "tell", "to": "Bob", "args": {"text": "The bridge is out."}});
    let decided = decide(&[tell], &offer()).expect("usable");
    assert_eq!(decided.speech, ["tell Bob The bridge is out."]);
    let called = json!({"tool": "add_goal", "id": "call_9", "args": {"text": "Mend it"}});
    assert_eq!(decide(&[called], &offer()).expect("usable").actions, ["goal Mend it"]);
}

fn with_arts() -> Offer {
    let art = |name: &str, verb: Option<&str>, known| crate::arts::ArtName {
        name: name.into(),
        verb: verb.map(Into::into),
        known,
    };
    let arts = [
        art("magic missile", Some("cast"), true),
        art("mind bar", Some("will"), true),
        art("kick", Some("kick"), true),
        art("chill touch", Some("cast"), false),
        art("second attack", None, true),
    ];
    Offer { arts: arts.into(), ..offer() }
}

#[test]
fn arts_become_the_lines_of_their_verbs() {
    let line = |action: &Value, offer: &Offer| {
        decode(action, offer).and_then(|action| line_of(&action)).map_err(|error| error.to_string())
    };
    for (action, expected) in [
        (json!({"type": "cast", "spell": "magic missile", "target": "2.rat"}), "cast 'magic missile' 2.rat"),
        (json!({"type": "cast", "spell": "Magic Mis", "target": null}), "cast 'magic missile'"),
        (json!({"type": "cast", "spell": "'magic missile' rat"}), "cast 'magic missile' rat"),
        (json!({"type": "cast", "spell": "magic missile", "args": ["rat"]}), "cast 'magic missile' rat"),
        (json!({"type": "cast", "args": ["magic missile", "rat"]}), "cast 'magic missile' rat"),
        (json!({"tool": "cast", "args": {"art": "mind bar", "to": "rat"}}), "will 'mind bar' rat"),
        (json!({"type": "cast", "skill": "kick", "target": ""}), "kick"),
        (json!({"type": "cast", "spell": "kick", "target": "rat"}), "kick rat"),
        (json!({"type": "use", "object": "wand of sparks", "target": "rat"}), "use wand of sparks rat"),
        (json!({"type": "use", "object": "2.vial", "target": null}), "quaff 2.vial"),
        (json!({"type": "use", "target": "scroll"}), "recite scroll"),
        (json!({"type": "use", "item": "scroll", "on": "Bob"}), "recite scroll Bob"),
        (json!({"type": "practice", "art": "chill"}), "practice chill touch"),
        (json!({"type": "practice", "art": null}), "practice"),
        (json!({"type": "practice", "args": []}), "practice"),
        (json!({"type": "order", "whom": "wolf", "command": "kill rat"}), "order wolf kill rat"),
        (json!({"type": "order", "args": ["followers", "kill", "rat"]}), "order followers kill rat"),
        (json!("cast 'anything' rat"), "cast 'anything' rat"),
    ] {
        assert_eq!(line(&action, &with_arts()), Ok(expected.to_string()), "{action}");
    }
    for (action, expected) in [
        (
            json!({"type": "cast", "spell": "magic misile"}),
            "You know no art `magic misile`: you know magic missile, mind bar, kick. Did you mean `magic missile`?",
        ),
        (json!({"type": "cast", "spell": "dance"}), "You know no art `dance`: you know magic missile, mind bar, kick."),
        (json!({"type": "cast", "spell": "chill touch"}), "You have not learned chill touch so far: practice it"),
        (json!({"type": "cast", "spell": "second attack"}), "second attack works by itself"),
        (json!({"type": "cast", "target": "rat"}), "An action of type `cast` has no `spell`."),
        (json!({"type": "cast", "spell": 7}), "You know no art `7`"),
        (json!({"type": "use"}), "An action of type `use` has no `object`."),
        (json!({"type": "practice", "art": "kik"}), "There is no art `kik` that you know or could learn now. Did you"),
        (json!({"type": "order", "whom": "wolf"}), "An action of type `order` has no `command`."),
        (json!({"type": "order", "whom": "the wolf", "command": "sit"}), "In an action of type `order`: `whom` is one"),
        (json!({"type": "order", "whom": "wolf", "command": "quit"}), "Nobody can be ordered to `quit`"),
        (json!({"type": "order", "whom": "wolf", "command": "frobnicate"}), "There is no command `frobnicate`"),
    ] {
        let error = line(&action, &with_arts()).expect_err("refused");
        assert!(error.starts_with(expected), "{action}: {error}");
    }
    // Where nobody said what it knows, the game will.
    let blind = [
        (json!({"type": "cast", "spell": "'frost ray'", "target": "rat"}), Ok("cast 'frost ray' rat")),
        (json!({"type": "practice", "art": "frost"}), Ok("practice frost")),
        (json!({"type": "cast", "spell": "''"}), Err("In an action of type `cast`: `spell` is empty.")),
    ];
    for (action, expected) in blind {
        assert_eq!(line(&action, &offer()), expected.map(str::to_string).map_err(str::to_string), "{action}");
    }
    let decided = decide(&[json!({"type": "cast", "spell": "kick"}), json!("north")], &with_arts()).expect("usable");
    assert_eq!((decided.actions, decided.dropped.len()), (vec!["kick".to_string()], 1), "an art spends the tick");
}

#[test]
fn only_who_knows_arts_is_told_how_to_use_them() {
    let told = |offer: &Offer| schema(true, Autopilot::Offered, offer).to_string();
    let (with, without) = (told(&with_arts()), told(&offer()));
    for name in ["cast", "use", "practice", "order"] {
        let branch = format!("\"enum\":[\"{name}\"]");
        assert!(with.contains(&branch) && !without.contains(&branch), "{name}: {with}");
    }
    let error = decode(&json!({"type": "fly"}), &offer()).expect_err("refused").to_string();
    assert!(!error.contains("cast") && !error.contains("order"), "{error}");
    let error = decode(&json!({"type": "fly"}), &with_arts()).expect_err("refused").to_string();
    assert!(error.contains("tell, cast, use, practice, order, delegate"), "{error}");
    assert!(!vocabulary(true, Autopilot::Offered, &words()).contains("spell, target"));
}

#[test]
fn what_is_done_on_a_plot_becomes_the_line_of_its_verb() {
    let entity = json!({"action": "ADD_ENTITY", "params": {"type": "BUILDING", "icon": "🏠", "label": "House",
        "position": [3, 4], "reasoning": "Clustering for community"}});
    for (action, expected) in [
        (entity, "build add house 3,4 because Clustering for community"),
        (json!({"action": "ADD_ENTITY", "entity": "Market", "position": [4, 4]}), "build add Market 4,4"),
        (json!({"action": "ADD_ENTITY", "params": {"type": "ROAD", "position": "(4, 3)"}}), "build add road 4,3"),
        (
            json!({"type": "build_add", "kind": "house", "at": {"row": 0, "col": 8}, "label": "Anna's home"}),
            "build add house 0,8 called Anna's home",
        ),
        (json!({"type": "build", "args": ["add", "well", "4,4"]}), "build add well 4,4"),
        (json!({"action": "MOVE_ENTITY", "params": {"from": [3, 4], "to": [3, 5]}}), "build move 3,4 to 3,5"),
        (json!({"action": "REMOVE_ENTITY", "params": {"position": [3, 4]}}), "build remove 3,4"),
        (
            json!({"action": "PLAN", "params": {"description": "A green", "steps": ["add tree 1,1", "rest; then talk"]}}),
            "plot plan A green: add tree 1,1; rest, then talk",
        ),
        (
            json!({"type": "plot_plan", "text": "A green", "steps": "add tree 1,1; ;rest"}),
            "plot plan A green: add tree 1,1; rest",
        ),
        (json!({"type": "memo", "text": "Roads next?"}), "plot memo Roads next?"),
        (json!({"type": "plot_agree", "id": "#7"}), "plot agree 7"),
        (json!({"action": "CHAT", "params": {"message": "Roads next?"}}), "say Roads next?"),
    ] {
        assert_eq!(line(action.clone()), Ok(expected.to_string()), "{action}");
    }
    for (action, why) in [
        (json!({"type": "build_add", "kind": "house"}), "has no `at`"),
        (json!({"type": "build_add", "at": [1, 2]}), "has no `kind`"),
        (json!({"type": "build_add", "kind": "house", "at": [1]}), "the row and the column of a cell"),
        (json!({"type": "build_move", "at": [1, 2], "to": "north"}), "the row and the column of a cell"),
        (json!({"type": "plot_plan", "text": "A green", "steps": []}), "a list of texts"),
    ] {
        let said = line(action.clone()).expect_err("it cannot be done");
        assert!(said.contains(why), "{action}: {said}");
    }
    // It spends a tick, as whoever types it spends one; talk about it does not.
    let both = [json!({"type": "memo", "text": "Mine"}), json!({"type": "build_remove", "at": [1, 1]})];
    let decided = decide(&both, &offer()).expect("usable");
    assert_eq!((decided.speech.len(), decided.actions.len()), (0, 2));
    assert!(is_free("plot memo Mine", &offer()) && !is_free("build remove 1,1", &offer()));
}
