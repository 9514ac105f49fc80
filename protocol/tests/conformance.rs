//! The document is true: each example file decodes, encodes to the same JSON, and is quoted in `docs/PROTOCOL.md`;
//! the document's tables are those of the code. `UPDATE=1 cargo test -p protocol` rewrites quotes and tables.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use protocol::arts::{Affected, GroupMember, KnownArt, Opponent, Practices, RoomPlayer};
use protocol::calendar::WorldTime;
use protocol::code::CODES;
use protocol::creation::{CLASSES, RACES};
use protocol::outcome::EventEntry;
use protocol::payload::{EVENT_KINDS, Equipment, InventoryItem, RoomItem, RoomMob};
use protocol::span::{STYLES, Span};
use protocol::task::{RoomOffers, TaskSeen};
use protocol::variables::{PUBLISHED, ROOM_FLAGS, VARIABLES};
use protocol::{ClientFrame, FrameKind, Outcome, ServerFrame, ServerMessage};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

fn home() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The examples of one side, by the name that the document uses (`client/login.json`), with their text.
fn examples(side: &str) -> Vec<(String, String)> {
    let folder = home().join("examples").join(side);
    let mut names: Vec<PathBuf> =
        fs::read_dir(&folder).expect("the folder is in git").map(|entry| entry.expect("readable").path()).collect();
    names.sort();
    assert!(!names.is_empty());
    let read = |path: PathBuf| {
        let name = format!("{side}/{}", path.file_name().expect("a file").to_string_lossy());
        (name, fs::read_to_string(&path).expect("readable"))
    };
    names.into_iter().map(read).collect()
}

fn json_of(name: &str, text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn each_client_example_encodes_to_itself() {
    for (name, text) in examples("client") {
        let frame = ClientFrame::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let encoded = json_of(&name, &frame.encode());
        if name.starts_with("client/legacy_") {
            assert_ne!(encoded, json_of(&name, &text), "{name} is no alias: drop the prefix");
            assert_eq!(ClientFrame::parse(&frame.encode()), Ok(frame), "{name}");
        } else {
            assert_eq!(encoded, json_of(&name, &text), "{name}");
        }
    }
}

#[test]
fn each_legacy_form_is_read_as_its_canonical_one() {
    let key = "dp_0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    for (name, canonical) in [
        (
            "client/legacy_login_key.json",
            json!({"type": "login", "data":
                {"player_name": "brenda69", "api_key": key, "is_agent": true, "tier": "medium"}}),
        ),
        (
            "client/legacy_login_words.json",
            json!({"type": "login", "data": {"player_name": "new_agent", "password": "a long password",
                "is_agent": true, "new_char": true, "class": 3, "race": 0, "sex": "female"}}),
        ),
        ("client/legacy_command_args.json", json!({"type": "command", "data": {"command": "hit", "args": ["guard"]}})),
        ("client/legacy_command_null.json", json!({"type": "command", "data": {"command": "look"}})),
    ] {
        let text = fs::read_to_string(home().join("examples").join(name)).expect("the example is in git");
        let frame = ClientFrame::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(json_of(name, &frame.encode()), canonical, "{name}");
    }
}

#[test]
fn each_server_example_encodes_to_itself() {
    for (name, text) in examples("server") {
        let message = ServerMessage::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(json_of(&name, &message.encode()), json_of(&name, &text), "{name}");
    }
}

#[test]
fn each_type_of_frame_has_an_example() {
    let seen: BTreeSet<_> =
        examples("server").iter().map(|(name, text)| json_of(name, text)["type"].clone().to_string()).collect();
    let all: BTreeSet<_> = FrameKind::ALL.iter().map(|kind| json!(kind.name()).to_string()).collect();
    assert_eq!(seen, all);
    let seen: BTreeSet<_> =
        examples("client").iter().map(|(name, text)| json_of(name, text)["type"].clone().to_string()).collect();
    let all =
        ["login", "command", "subscribe", "char_input", "host", "claim"].map(|kind| json!(kind).to_string()).into();
    assert_eq!(seen, all);
}

/// Decodes and encodes again: the shape says neither more nor less than the example.
fn keeps<T: DeserializeOwned + serde::Serialize>(name: &str, value: &Value) {
    let typed: T = serde_json::from_value(value.clone()).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert_eq!(&json!(typed), value, "{name}");
}

#[test]
fn each_variable_in_the_examples_has_its_documented_shape() {
    for (name, text) in examples("server") {
        let Ok(ServerMessage { frame: ServerFrame::Vars(vars), .. }) = ServerMessage::parse(&text) else { continue };
        for (key, value) in &vars.0 {
            let name = &format!("{name} {key}");
            if key == "dropped" {
                keeps::<u64>(name, value);
                continue;
            }
            let row = VARIABLES.iter().find(|row| row.name == key).unwrap_or_else(|| panic!("{name} is unknown"));
            match row.kind {
                "int" => keeps::<i64>(name, value),
                "string" => keeps::<String>(name, value),
                "bool" => keeps::<bool>(name, value),
                "[string]" => keeps::<Vec<String>>(name, value),
                "[RoomMob]" => keeps::<Vec<RoomMob>>(name, value),
                "[RoomItem]" => keeps::<Vec<RoomItem>>(name, value),
                "[InventoryItem]" => keeps::<Vec<InventoryItem>>(name, value),
                "{direction: string}" => keeps::<BTreeMap<String, String>>(name, value),
                "{slot: EquippedItem}" => keeps::<Equipment>(name, value),
                "[Affected]" => keeps::<Vec<Affected>>(name, value),
                "[KnownArt]" => keeps::<Vec<KnownArt>>(name, value),
                "RoomOffers" => keeps::<RoomOffers>(name, value),
                "Practices" => keeps::<Practices>(name, value),
                "Opponent" => keeps::<Option<Opponent>>(name, value),
                "[GroupMember]" => keeps::<Vec<GroupMember>>(name, value),
                "[Task]" => keeps::<Vec<TaskSeen>>(name, value),
                "[int]" => keeps::<Vec<i64>>(name, value),
                "{direction: int}" => keeps::<BTreeMap<String, i64>>(name, value),
                "WorldTime" => keeps::<WorldTime>(name, value),
                "[RoomPlayer]" => keeps::<Vec<RoomPlayer>>(name, value),
                "[Outcome]" => keeps::<Vec<EventEntry>>(name, value),
                other => panic!("{name}: no shape for `{other}`"),
            }
        }
    }
}

/// The spans of an example, each with what it stands over.
fn spans_over(name: &str, text: &str, spans: &[Span]) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut behind = 0;
    let over = |span: &Span| {
        assert!(behind <= span.from && span.from < span.to, "{name}: {span:?} is out of order");
        behind = span.to;
        let style = span.style.as_deref();
        assert!(style.is_none_or(|style| STYLES.iter().any(|(known, _)| *known == style)), "{name}: {style:?}");
        String::from_utf16(&units[span.from as usize..span.to as usize]).expect("no letter is split")
    };
    spans.iter().map(over).collect()
}

#[test]
fn the_spans_of_the_examples_stand_over_what_they_name() {
    let mut seen = Vec::new();
    for (name, text) in examples("server") {
        match ServerMessage::parse(&text).expect("it is read by another test").frame {
            ServerFrame::Event(event) => seen.extend(spans_over(&name, &event.text, &event.spans)),
            ServerFrame::Text(line) => seen.extend(spans_over(&name, &line.text, &line.spans)),
            _ => {}
        }
    }
    let expected = [
        "a loaf of bread",
        "The Temple Altar",
        "Candles burn before a plain stone altar.",
        "Exits: ",
        "north",
        " (",
        "south",
        ")",
        "A heavy iron key lies here.",
        "A goblin \u{1f47a} watches you.",
        "Bob",
        " the Recruit is here.",
    ];
    assert_eq!(seen, expected);
}

#[test]
fn the_full_dump_has_every_published_variable_and_no_events() {
    let (name, text) =
        examples("server").into_iter().find(|(name, _)| name.ends_with("/vars_full.json")).expect("it is in git");
    let data = json_of(&name, &text)["data"].clone();
    let keys: BTreeSet<&str> = data.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!(keys, PUBLISHED.iter().map(|row| row.name).collect());
    assert_eq!(data["EVENTS"], json!([]));
}

#[test]
fn each_outcome_has_an_example_and_a_row_in_the_document() {
    // serde names all variants when it meets an unknown one; nothing else lists them.
    let error = serde_json::from_value::<Outcome>(json!({"type": "?"})).expect_err("no such outcome").to_string();
    let all: BTreeSet<&str> = error.split('`').skip(3).step_by(2).collect();
    assert!(all.len() > 30 && all.contains("damage"), "{error}");
    let text = fs::read_to_string(home().join("examples/server/vars_events.json")).expect("it is in git");
    let events = json_of("vars_events", &text)["data"]["EVENTS"].clone();
    let shown: BTreeSet<&str> =
        events.as_array().expect("a list").iter().map(|event| event["type"].as_str().expect("tagged")).collect();
    assert_eq!(all, shown);
    let document = document();
    for name in all {
        assert!(document.contains(&format!("\n| `{name}` |")), "docs/PROTOCOL.md has no row for the outcome `{name}`");
    }
}

fn document_path() -> PathBuf {
    home().join("../docs/PROTOCOL.md")
}

fn document() -> String {
    fs::read_to_string(document_path()).expect("the document is in git")
}

fn table(name: &str) -> String {
    let mut out = String::new();
    match name {
        "codes" => {
            out += "| code | meaning | what to do | then |\n|---|---|---|---|\n";
            for row in CODES {
                let then = row.close.map_or("goes on".to_owned(), |code| format!("closes, {code}"));
                out += &format!("| `{}` | {} | {} | {then} |\n", row.name, row.meaning, row.what_to_do);
            }
        }
        "variables" => {
            out += "| name | type | meaning |\n|---|---|---|\n";
            for row in VARIABLES {
                out += &format!("| `{}` | {} | {} |\n", row.name, row.kind, row.doc);
            }
        }
        "room_flags" => {
            out += "| word | meaning |\n|---|---|\n";
            for row in ROOM_FLAGS {
                out += &format!("| `{}` | {} |\n", row.name, row.doc);
            }
        }
        "events" => {
            out += "| `data.type` | meaning |\n|---|---|\n";
            for (_, name, doc) in EVENT_KINDS {
                out += &format!("| `{name}` | {doc} |\n");
            }
        }
        "styles" => {
            out += "| `style` | of |\n|---|---|\n";
            for (name, of) in STYLES {
                out += &format!("| `{name}` | {of} |\n");
            }
        }
        "creation" => {
            let list = |table: &[(u8, &str)]| {
                table.iter().map(|(number, name)| format!("{number} {name}")).collect::<Vec<_>>().join(", ")
            };
            out += &format!("Classes: {}.\nRaces: {}.\n", list(CLASSES), list(RACES));
        }
        other => panic!("no table `{other}`"),
    }
    out
}

/// The document with every quote and table as it should be, and the names of the examples that it quotes.
fn as_it_should_be(document: &str) -> (String, BTreeSet<String>) {
    let (mut out, mut quoted) = (String::new(), BTreeSet::new());
    let mut lines = document.lines();
    let between = |line: &str, before: &str| -> Option<String> {
        Some(line.strip_prefix(before)?.strip_suffix(" -->")?.trim().to_owned())
    };
    while let Some(line) = lines.next() {
        out += line;
        out.push('\n');
        if let Some(name) = between(line, "<!-- example:") {
            let text =
                fs::read_to_string(home().join("examples").join(&name)).unwrap_or_else(|e| panic!("{name}: {e}"));
            out += &format!("```json\n{text}```\n");
            quoted.insert(name);
            assert!(lines.next().is_some_and(|line| line == "```json"), "a fence follows the mark of an example");
            lines.by_ref().find(|line| *line == "```").expect("the fence ends");
        } else if let Some(name) = between(line, "<!-- table:") {
            out += &format!("{}<!-- end of table -->\n", table(&name));
            lines.by_ref().find(|line| *line == "<!-- end of table -->").expect("the table ends");
        }
    }
    (out, quoted)
}

#[test]
fn the_document_quotes_every_example_and_table_as_it_is() {
    let document = document();
    let (fresh, quoted) = as_it_should_be(&document);
    if std::env::var_os("UPDATE").is_some() {
        fs::write(document_path(), &fresh).expect("writable");
    } else {
        for (is, should_be) in document.lines().zip(fresh.lines()) {
            assert_eq!(is, should_be, "run `UPDATE=1 cargo test -p protocol`");
        }
        assert_eq!(document, fresh, "run `UPDATE=1 cargo test -p protocol`");
    }
    for (name, _) in examples("client").into_iter().chain(examples("server")) {
        assert!(quoted.contains(&name), "docs/PROTOCOL.md does not quote {name}");
    }
}
