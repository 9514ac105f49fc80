//! The merge of frames: any order of deltas plus the last full dump equals the truth.

use super::*;
use proptest::prelude::*;
use protocol::variables::VARIABLES;
use serde_json::{Map, json};

fn vars(seq: u64, data: Value) -> ServerMessage {
    let Value::Object(map) = data else { panic!("an object") };
    ServerMessage { seq: Some(seq), frame: ServerFrame::Vars(Vars(map)) }
}

/// Some value for a variable, of its shape, told by a number.
fn value_of(variable: Variable, n: i32) -> Value {
    match variable {
        Variable::Position => json!(["standing", "resting", "fighting"][n as usize % 3]),
        Variable::RoomName => json!(format!("Room {n}")),
        Variable::RoomExits => json!(["north", "south"][..n as usize % 3]),
        Variable::RoomMobs => json!([{
            "name": format!("a goblin {n}"), "instance_id": format!("mob_1_{n}"), "target_string": "goblin", "vnum": n,
            "fighting": n % 2 == 0, "fighting_me": n % 3 == 0,
        }]),
        Variable::RoomItems => {
            json!([{"name": "a key", "instance_id": format!("obj_1_{n}"), "target_string": "key", "vnum": n}])
        }
        Variable::Fighting => json!(n % 2 == 0),
        Variable::Inventory => json!([{"name": "bread", "vnum": n, "instance_id": format!("obj_2_{n}")}]),
        Variable::Equipment => json!({"wield": {"name": "a sword", "vnum": n, "instance_id": "obj_3_1"}}),
        Variable::RoomDoors => json!({ "north": (["open", "closed", "locked"][n as usize % 3]) }),
        Variable::RoomFlags => json!(["dark", "peaceful"][..n as usize % 3]),
        Variable::Affects => {
            json!([{"name": "bless", "hours": n, "applies": {"hit_roll": n}, "flags": []}])
        }
        Variable::Conditions => json!(["blind", "hungry"][..n as usize % 3]),
        Variable::Skills => json!([{"name": "kick", "kind": "skill", "use": "harm", "verb": "kick", "percent": n}]),
        Variable::Practices => json!({"left": n, "teacher": null}),
        Variable::Opponent if n % 2 == 0 => json!(null),
        Variable::Opponent => json!({
            "name": "a goblin", "instance_id": "mob_1_1", "target_string": "goblin", "condition": n % 11,
            "position": "fighting",
        }),
        Variable::Group => json!([]),
        Variable::Tasks => json!([{
            "id": "tails", "title": "A Penny a Tail", "giver": null,
            "steps": [{"text": "Kill rats", "done": n % 3, "need": 3, "work": "kill", "due": true, "what": "a rat"}],
            "ready": false, "where": null,
        }]),
        Variable::RoomOffers => json!({
            "keeper": (["Penrow", "Brida"][n as usize % 2]),
            "tasks": [{"id": "tails", "title": "A Penny a Tail", "giver": format!("Old Marrable {n}")}],
        }),
        Variable::Plot if n % 2 == 0 => json!(null),
        Variable::Plot => json!({
            "room": n, "title": "The Green", "revision": n, "rule": "free", "elements": [],
            "axes": {
                "identity": [5, 5], "experience": [5, 5], "language": [5, 5], "domain": [5, 5], "purpose": [5, 5],
                "order": [5, 5], "imbalance": 0,
            },
            "plans": [], "pending": [], "contested": [], "task": null, "memo": [],
        }),
        Variable::RoomPlayers => json!([{
            "name": "Bob", "instance_id": "player_bob", "target_string": "bob", "position": "standing",
            "fighting": n % 2 == 0, "agent": false,
        }]),
        Variable::Events => json!([]),
        _ => json!(n),
    }
}

fn dump(n: i32) -> Map<String, Value> {
    VARIABLES.iter().map(|row| (row.name.to_string(), value_of(row.variable, n))).collect()
}

/// What the variables are, without all else.
fn seen(state: &GameState) -> GameState {
    GameState {
        seq: None,
        oddities: Oddities::default(),
        events: VecDeque::new(),
        tells_fighting_me: false,
        ..state.clone()
    }
}

#[test]
fn an_absent_variable_keeps_its_value() {
    let mut state = GameState::default();
    state.merge(vars(1, Value::Object(dump(5))), 0);
    state.merge(vars(2, json!({"HEALTH": 3})), 0);
    assert_eq!((state.health, state.max_health), (Some(3), Some(5)));
}

#[test]
fn a_value_of_wrong_shape_is_skipped_and_the_rest_counts() {
    let mut state = GameState::default();
    state.merge(vars(1, Value::Object(dump(5))), 0);
    let odd = json!({"HEALTH": "many", "ROOM_MOBS": {"no": "list"}, "EVENTS": 7, "MANA": 9, "LUCK": 1, "dropped": 2});
    state.merge(vars(2, odd), 0);
    assert_eq!((state.health, state.mana), (Some(5), Some(9)));
    let odd = state.oddities;
    assert_eq!((odd.bad_values, odd.unknown_variables, odd.outcomes_dropped), (3, 1, 2));
}

#[test]
fn an_outcome_of_tomorrow_does_not_spoil_the_others() {
    let mut state = GameState::default();
    let events =
        json!({"EVENTS": [{"type": "teleported_by_whim"}, {"type": "refused", "command": "n", "reason": "No."}]});
    state.merge(vars(1, events), 0);
    assert_eq!((state.events.len(), state.oddities.unknown_outcomes), (1, 1));
}

#[test]
fn a_gap_asks_for_a_full_dump_and_the_dump_ends_it() {
    let mut state = GameState::default();
    state.merge(vars(1, Value::Object(dump(1))), 0);
    assert!(!state.wants_full);
    state.merge(vars(3, json!({"HEALTH": 3})), 0);
    assert!(state.wants_full);
    state.merge(vars(4, Value::Object(dump(4))), 0);
    assert!(!state.wants_full);
    assert_eq!((state.health, state.oddities.gaps), (Some(4), 1));
}

#[test]
fn a_frame_of_unknown_type_is_no_gap() {
    let mut state = GameState::default();
    state.merge(vars(1, json!({"HEALTH": 3})), 0);
    state.on_unreadable(ErrorCode::UnknownType, Some(2));
    state.merge(vars(3, json!({"HEALTH": 4})), 0);
    assert_eq!((state.oddities.gaps, state.oddities.unknown_types, state.wants_full), (0, 1, false));
}

#[test]
fn both_places_of_a_memory_summary_are_read() {
    for text in [
        r#"{"type":"memory_summary","seq":1,"summary":"s"}"#,
        r#"{"type":"memory_summary","seq":1,"data":{"summary":"s"}}"#,
    ] {
        let mut state = GameState::default();
        state.merge(ServerMessage::parse(text).expect("read"), 0);
        assert_eq!(state.memory_summary.as_deref(), Some("s"));
    }
}

proptest! {
    /// Deltas 1..=n are dropped, doubled and reordered at will, some of them even after the dump that followed them.
    #[test]
    fn any_order_of_deltas_plus_the_last_dump_is_the_truth(
        deltas in proptest::collection::vec((0..VARIABLES.len(), 0i32..50), 0..40),
        order in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
        late in proptest::collection::vec(any::<prop::sample::Index>(), 0..10),
        last in 0i32..50,
    ) {
        let frames: Vec<ServerMessage> = deltas
            .iter()
            .enumerate()
            .map(|(at, (which, n))| {
                let row = &VARIABLES[*which];
                vars(at as u64 + 1, json!({ row.name: value_of(row.variable, *n) }))
            })
            .collect();
        let mut state = GameState::default();
        if !frames.is_empty() {
            for index in &order {
                state.merge(index.get(&frames).clone(), 0);
            }
        }
        let end = frames.len() as u64 + 1;
        state.merge(vars(end, Value::Object(dump(last))), 0);
        if !frames.is_empty() {
            for index in &late {
                state.merge(index.get(&frames).clone(), 0);
            }
        }
        let mut truth = GameState::default();
        truth.merge(vars(1, Value::Object(dump(last))), 0);
        prop_assert!(!state.wants_full);
        prop_assert_eq!(seen(&state), seen(&truth));
    }
}

#[test]
fn a_stream_is_counted_from_its_first_frame() {
    let mut state = GameState::default();
    // A new character answers questions first, and these are counted too.
    for seq in 1..=6 {
        state.merge(vars(seq, json!({})), 0);
    }
    let room = json!({"vnum": 1, "name": "A", "description": "", "exits": [], "doors": [], "players": [], "mobs": [],
        "items": []});
    let player = json!({"name": "Wren", "health": 1, "max_health": 1, "level": 1, "class": "Thief", "race": "Human",
        "str": 1, "int": 1, "wis": 1, "dex": 1, "con": 1, "cha": 1});
    let begins = json!({"type": "state", "seq": 1, "data": {"player": player, "room": room, "stream": "ab"}});
    state.merge(ServerMessage::parse(&begins.to_string()).expect("a state"), 0);
    assert!(!state.merge(vars(2, json!({})), 0).stale);
    assert_eq!((state.oddities.stale, state.oddities.gaps, state.seq), (0, 0, Some(2)));
}
