//! What clients send, in both dialects and in none, and what is made of it.

use super::*;
use crate::frame::Proof;
use proptest::prelude::*;
use serde_json::json;

fn parse(value: Value) -> Result<ClientFrame, FrameError> {
    ClientFrame::parse(&value.to_string())
}

fn login(data: Value) -> Login {
    match parse(json!({"type": "login", "data": data})) {
        Ok(ClientFrame::Login(login)) => *login,
        other => panic!("{other:?}"),
    }
}

fn command(data: Value) -> Command {
    match parse(json!({"type": "command", "data": data})) {
        Ok(ClientFrame::Command(command)) => command,
        other => panic!("{other:?}"),
    }
}

#[test]
fn both_login_dialects_declare_an_agent() {
    let published = login(json!({"player_name": "brenda69", "password": "dp_1", "is_agent": true}));
    assert!(published.is_agent);
    assert_eq!(published.proof(), Some(Proof::Password(&Secret("dp_1".into()))));
    let older = login(json!({"player_name": "brenda69", "mode": "agent", "api_key": "dp_1", "password": "x"}));
    assert!(older.is_agent);
    assert_eq!(older.proof(), Some(Proof::Key(&Secret("dp_1".into()))));
    assert!(!login(json!({"player_name": "bob", "mode": "human"})).is_agent);
}

#[test]
fn a_login_reads_numbers_and_words_alike() {
    let expected = login(json!({
        "player_name": "77", "password": "1234", "new_char": true, "class": 3, "race": 0, "sex": "female",
        "version": "1.5", "tier": "8000", "valence": false, "features": ["mind"]
    }));
    assert_eq!((expected.class, expected.race, expected.sex), (Some(3), Some(0), Some(Sex::Female)));
    let tolerated = login(json!({
        "player_name": 77, "password": 1234, "new_char": "true", "class": "warrior", "race": "0", "sex": "F",
        "version": 1.5, "context_budget": 8000, "valence": 0, "features": "mind", "token": "", "hometown": null,
        "from_the_future": {"a": [1]}
    }));
    assert_eq!(tolerated, expected);
}

#[test]
fn a_key_or_token_may_stand_without_a_name() {
    assert_eq!(login(json!({"token": "t"})).player_name, None);
    assert_eq!(login(json!({"mode": "agent", "api_key": "dp_1"})).player_name, None);
}

#[test]
fn arguments_come_in_every_tolerated_form() {
    for (data, line) in [
        (json!({"command": "look"}), "look"),
        (json!({"command": "look", "args": null}), "look"),
        (json!({"command": "look", "args": []}), "look"),
        (json!({"command": "look", "args": ""}), "look"),
        (json!({"command": "hit", "args": ["guard"]}), "hit guard"),
        (json!({"command": "hit", "args": "2.guard"}), "hit 2.guard"),
        (json!({"command": "give", "args": [5, "coins", "Bob"]}), "give 5 coins Bob"),
        (json!({"command": "say Hello there"}), "say Hello there"),
        (json!({"command": "Say", "args": ["Hello there", "Bob"]}), "Say Hello there Bob"),
        (json!({"command": "say", "args": ["a\r\nquit", "\u{1b}[2J"]}), "say a quit [2J"),
        (json!({"command": ""}), ""),
    ] {
        assert_eq!(command(data.clone()).line(), line, "{data}");
    }
}

#[test]
fn the_notes_of_a_client_are_kept_as_they_are() {
    let meta = json!({"memory_ids": [1, "b"], "source": "reflex", "deep": {"er": null}});
    assert_eq!(command(json!({"command": "flee", "meta": meta})).meta, Some(meta));
}

#[test]
fn what_cannot_be_understood_is_named() {
    use ErrorCode::*;
    let deep = format!("{{\"type\":{}1", "[".repeat(8000));
    for (text, code, said) in [
        ("", BadJson, "not JSON"),
        ("look", BadJson, "not JSON"),
        ("{\"type\":\"command\"", BadJson, "not JSON"),
        (deep.as_str(), BadJson, "recursion limit"),
        ("[1]", BadJson, "must be a JSON object such as {\"type\": …, \"data\": {…}}, got a list"),
        ("{}", BadField, "`type` is missing"),
        (r#"{"type":7}"#, BadField, "`type` must be a string, got a number"),
        (
            r#"{"type":"foo"}"#,
            UnknownType,
            "unknown message type `foo`; known are login, command, subscribe, char_input",
        ),
        ("{\"type\":\"f\\u001b[2J\"}", UnknownType, "type `f[2J`;"),
        (r#"{"type":"command"}"#, BadField, "`data.command` is missing"),
        (r#"{"type":"command","data":"look"}"#, BadField, "`data` must be an object, got a string"),
        (r#"{"type":"command","data":{"command":7}}"#, BadField, "`data.command` must be a string, got a number"),
        (
            r#"{"type":"command","data":{"command":"hit","args":{"a":1}}}"#,
            BadField,
            "`data.args` must be a list of strings, got an object",
        ),
        (
            r#"{"type":"command","data":{"command":"hit","args":["a",["b"]]}}"#,
            BadField,
            "`data.args[1]` must be a string, got a list",
        ),
        (r#"{"type":"login"}"#, BadField, "`data.player_name` is missing"),
        (r#"{"type":"login","data":{"player_name":["x"]}}"#, BadField, "`data.player_name` must be a string"),
        (r#"{"type":"login","data":{"player_name":"x","is_agent":"maybe"}}"#, BadField, "`data.is_agent` must be"),
        (
            r#"{"type":"login","data":{"player_name":"x","class":4}}"#,
            BadField,
            "`data.class` must be one of 0 Magic-user, 1 Cleric, 2 Thief, 3 Warrior, 8 Ninja, 9 Psionic; got `4`",
        ),
        (r#"{"type":"login","data":{"player_name":"x","race":"orc"}}"#, BadField, "6 Ssaur; got `orc`"),
        (r#"{"type":"login","data":{"player_name":"x","sex":1}}"#, BadField, "the word `male` or `female`"),
        (r#"{"type":"subscribe"}"#, BadField, "`data.variables` is missing"),
        (r#"{"type":"subscribe","data":{"variables":7.5,"full":[]}}"#, BadField, "`data.full` must be"),
        (r#"{"type":"subscribe","data":{"variables":{}}}"#, BadField, "`data.variables` must be a list"),
        (r#"{"type":"char_input","data":{"choice":{}}}"#, BadField, "`data.choice` must be a string, got an object"),
    ] {
        let error = ClientFrame::parse(text).expect_err(text);
        assert_eq!(error.code, code, "{text}: {error}");
        assert!(error.message.contains(said), "{text}: {error}");
    }
}

#[test]
fn of_a_repeated_key_the_last_counts() {
    let text = r#"{"type":"login","type":"command","data":{},"data":{"command":"look","command":"who"}}"#;
    let frame = ClientFrame::parse(text).expect("tolerant");
    assert_eq!(frame, ClientFrame::Command(Command { command: "who".into(), ..Command::default() }));
}

#[test]
fn data_may_be_missing_where_nothing_is_needed() {
    for text in [r#"{"type":"char_input"}"#, r#"{"type":"char_input","data":null}"#] {
        assert_eq!(ClientFrame::parse(text), Ok(ClientFrame::CharInput(CharInput::default())), "{text}");
    }
    let full = parse(json!({"type": "subscribe", "data": {"full": true}}));
    assert_eq!(full, Ok(ClientFrame::Subscribe(Subscribe { variables: vec![], full: true })));
}

#[test]
fn a_secret_does_not_show_in_a_log() {
    let frame = parse(json!({"type": "login", "data": {"player_name": "x", "password": "hunter2", "token": "t7"}}));
    let log = format!("{frame:?}");
    assert!(!log.contains("hunter2") && !log.contains("t7"), "{log}");
}

/// JSON of any shape, biased towards the names that frames have.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
        "(login|command|subscribe|char_input|agent|true|3)".prop_map(Value::from),
    ];
    let key = prop_oneof![
        any::<String>(),
        "(type|data|command|args|variables|full|choice|player_name|class|sex|valence|features|meta)",
    ];
    leaf.prop_recursive(4, 40, 8, move |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::vec((key.clone(), inner), 0..8)
                .prop_map(|entries| Value::Object(entries.into_iter().collect())),
        ]
    })
}

/// Numbers that JSON text keeps exactly.
fn any_meta() -> impl Strategy<Value = Option<Value>> {
    proptest::option::of(
        (proptest::collection::vec(any::<i64>(), 0..4), any::<String>())
            .prop_map(|(ids, source)| json!({"memory_ids": ids, "source": source})),
    )
}

fn filled() -> impl Strategy<Value = Option<String>> {
    proptest::option::of(".{1,20}")
}

fn any_login() -> impl Strategy<Value = Login> {
    let class = proptest::option::of(proptest::sample::select(CLASSES).prop_map(|(number, _)| number));
    let race = proptest::option::of(proptest::sample::select(RACES).prop_map(|(number, _)| number));
    let sex = proptest::option::of(prop_oneof![Just(Sex::Male), Just(Sex::Female)]);
    (
        (any::<String>(), proptest::option::of(any::<String>()), filled(), filled(), any::<bool>(), any::<bool>()),
        (class, race, sex, filled()),
        {
            let flag = || proptest::option::of(any::<bool>());
            (filled(), filled(), filled(), filled(), flag(), flag())
        },
        proptest::collection::vec(any::<String>(), 0..3),
        proptest::option::of((any::<String>(), any::<u64>()).prop_map(|(stream, seq)| Resume { stream, seq })),
    )
        .prop_map(|(who, born, about, features, resume)| Login {
            player_name: Some(who.0),
            password: who.1.map(Secret),
            api_key: who.2.map(Secret),
            token: who.3.map(Secret),
            is_agent: who.4,
            new_char: who.5,
            class: born.0,
            race: born.1,
            sex: born.2,
            hometown: born.3,
            harness: about.0,
            model: about.1,
            version: about.2,
            tier: about.3,
            valence: about.4,
            takeover: about.5,
            features,
            resume,
        })
}

fn any_frame() -> impl Strategy<Value = ClientFrame> {
    let texts = || proptest::collection::vec(any::<String>(), 0..4);
    prop_oneof![
        any_login().prop_map(|login| ClientFrame::Login(Box::new(login))),
        (any::<String>(), texts(), any::<Option<u64>>(), any_meta())
            .prop_map(|(command, args, id, meta)| { ClientFrame::Command(Command { command, args, id, meta }) }),
        (texts(), any::<bool>()).prop_map(|(variables, full)| ClientFrame::Subscribe(Subscribe { variables, full })),
        any::<String>().prop_map(|choice| ClientFrame::CharInput(CharInput { choice })),
        (any::<String>(), prop::option::of("[a-z0-9]{1,64}"))
            .prop_map(|(key, instance)| { ClientFrame::Host(HostLogin { key: Secret(key), instance }) }),
        any::<u32>().prop_map(|id| ClientFrame::Claim(Claim { id })),
    ]
}

proptest! {
    #[test]
    fn no_text_makes_parse_panic(text in any::<String>()) {
        let _ = ClientFrame::parse(&text);
    }

    #[test]
    fn no_json_makes_parse_panic(value in any_json(), kind in "(login|command|subscribe|char_input)") {
        let _ = parse(value.clone());
        if let Err(error) = parse(json!({"type": kind, "data": value})) {
            prop_assert!(!error.message.contains(char::is_control));
        }
    }

    #[test]
    fn no_cut_off_frame_makes_parse_panic(frame in any_frame(), cut in any::<proptest::sample::Index>()) {
        let text = frame.encode();
        let cut = cut.index(text.len());
        if text.is_char_boundary(cut) {
            prop_assert!(ClientFrame::parse(&text[..cut]).is_err());
        }
    }

    #[test]
    fn a_frame_reads_back_as_it_was_written(frame in any_frame()) {
        prop_assert_eq!(ClientFrame::parse(&frame.encode()), Ok(frame));
    }
}

#[test]
fn a_host_says_its_key_and_what_it_wants_to_play() {
    let key = || Secret("dh_1".to_owned());
    for (text, frame) in [
        (r#"{"type":"host","data":{"key":"dh_1"}}"#, ClientFrame::Host(HostLogin { key: key(), instance: None })),
        (
            r#"{"type":"host","data":{"key":"dh_1","instance":"a7"}}"#,
            ClientFrame::Host(HostLogin { key: key(), instance: Some("a7".to_owned()) }),
        ),
        (r#"{"type":"claim","data":{"id":"105"}}"#, ClientFrame::Claim(Claim { id: 105 })),
    ] {
        assert_eq!(ClientFrame::parse(text), Ok(frame), "{text}");
    }
    let long = format!(r#"{{"type":"host","data":{{"key":"k","instance":"{}"}}}}"#, "a".repeat(65));
    for (text, why) in [
        (r#"{"type":"host","data":{}}"#, "no key"),
        (r#"{"type":"host","data":{"key":["dh_1"]}}"#, "a list"),
        (&long, "an instance too long"),
        (r#"{"type":"claim"}"#, "no id"),
        (r#"{"type":"claim","data":{"id":-1}}"#, "below 0"),
        (r#"{"type":"claim","data":{"id":1.5}}"#, "a part of one"),
        (r#"{"type":"claim","data":{"id":4294967296}}"#, "too great"),
    ] {
        let error = ClientFrame::parse(text).expect_err(why);
        assert_eq!(error.code, ErrorCode::BadField, "{why}");
        assert!(!error.message.contains("dh_1"), "{why}: {error}");
    }
    let shown = format!("{:?}", ClientFrame::parse(r#"{"type":"host","data":{"key":"dh_1"}}"#));
    assert!(!shown.contains("dh_1"), "{shown}");
}
