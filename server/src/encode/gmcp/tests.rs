//! What a client is told for what it asked, and what comes of nonsense.

use super::*;
use crate::encode::known::example;
use crate::outbox::Value as Json;
use proptest::prelude::*;
use proptest::sample::select;
use protocol::outcome::Outcome;
use protocol::variables::Variable;
use serde_json::{Value, json};
use world::report::LineKind;

fn gmcp() -> Gmcp {
    let mut gmcp = Gmcp::new(example());
    gmcp.enter("Ann");
    gmcp
}

fn delivery(vars: &[(Variable, &str)], lines: Vec<Line>) -> Delivery {
    Delivery {
        vars: vars.iter().map(|(variable, json)| (*variable, Json::from(*json))).collect(),
        items: lines.into_iter().map(Out::line).collect(),
        ..Delivery::default()
    }
}

fn told(gmcp: &mut Gmcp, vars: &[(Variable, &str)], lines: Vec<Line>) -> Vec<(&'static str, Value)> {
    let taken = delivery(vars, lines);
    let parsed = |(name, text): Sent| (name, serde_json::from_str(&text).expect("it is JSON"));
    gmcp.tell(&taken).into_iter().map(parsed).collect()
}

const VITALS: [(Variable, &str); 6] = [
    (Variable::Health, "20"),
    (Variable::MaxHealth, "25"),
    (Variable::Mana, "1"),
    (Variable::MaxMana, "100"),
    (Variable::Move, "80"),
    (Variable::MaxMove, "82"),
];
const PLACE: [(Variable, &str); 3] =
    [(Variable::RoomVnum, "100"), (Variable::RoomName, "\"Darkness\""), (Variable::RoomExits, "[\"north\"]")];

#[test]
fn nothing_is_sent_that_nobody_asked_for_and_a_package_brings_all_of_it() {
    let mut gmcp = gmcp();
    assert!(told(&mut gmcp, &VITALS, vec![]).is_empty() && gmcp.needs().is_empty());
    assert!(matches!(gmcp.hear("CORE.supports.SET", r#"["Char 1", "room.info 1", "Nonsense 3"]"#), Incoming::Packages));
    assert!(gmcp.needs().contains(Variable::Opponent) && !gmcp.needs().contains(Variable::RoomPlayers));
    let all = told(&mut gmcp, &[&VITALS[..], &PLACE].concat(), vec![]);
    let names: Vec<&str> = all.into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Char.Name", "Char.StatusVars", "Char.Vitals", "Room.Info"], "the status is not known yet");
    assert!(told(&mut gmcp, &PLACE, vec![]).is_empty(), "nothing new");
    gmcp.hear("Core.Supports.Remove", r#"["Char"]"#);
    gmcp.hear("Core.Supports.Add", r#"["Char.Vitals 1"]"#);
    let names: Vec<&str> = told(&mut gmcp, &[], vec![]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Char.Vitals", "Room.Info"], "whole, of what is wanted");
    gmcp.hear("Core.Supports.Remove", r#"["Char.Vitals"]"#);
    assert!(!gmcp.needs().contains(Variable::Health));
    gmcp.hear("Core.Supports.Add", r#"["Char.Vitals 1"]"#);
    let names: Vec<&str> = told(&mut gmcp, &[], vec![]).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["Room.Info"], "what nobody told meanwhile is old");
}

#[test]
fn values_are_numbers_and_the_room_has_its_number_in_the_dark() {
    let mut gmcp = gmcp();
    gmcp.hear("Core.Supports.Set", r#"["Char.Vitals 1", "Room 1"]"#);
    let all = told(&mut gmcp, &[&VITALS[..], &PLACE].concat(), vec![]);
    let vitals = json!({
        "hp": 20, "maxhp": 25, "mp": 1, "maxmp": 100, "mv": 80, "maxmv": 82, "string": "HP 20/25 MP 1/100 MV 80/82",
    });
    let room = json!({
        "num": 100, "name": "Darkness", "area": "Green", "environment": "field", "exits": {"n": 101}, "coords": [0, 0, 0],
    });
    assert_eq!(all, [("Char.Vitals", vitals), ("Room.Info", room)]);
    let players = r#"[{"name":"Bot","agent":true,"position":"standing"}]"#;
    let seen = told(&mut gmcp, &[(Variable::RoomPlayers, players)], vec![]);
    assert_eq!(seen, [("Room.Players", json!([{"name": "Bot", "fullname": "Bot", "agent": true}]))]);
}

#[test]
fn a_room_s_players_are_told_once_and_then_who_comes_and_goes() {
    let mut gmcp = gmcp();
    gmcp.hear("Core.Supports.Set", r#"["Room 1"]"#);
    let player = |name: &str, agent: bool| json!({"name": name, "fullname": name, "agent": agent});
    let seen = |gmcp: &mut Gmcp, room: &str, players: &[(&str, bool)]| {
        let list: Vec<Value> = players.iter().map(|(name, agent)| json!({"name": name, "agent": agent})).collect();
        let list = json!(list).to_string();
        let vars = [(Variable::RoomVnum, room), (Variable::RoomPlayers, &list)];
        told(gmcp, &vars, vec![]).into_iter().filter(|(name, _)| *name != "Room.Info").collect::<Vec<_>>()
    };
    assert_eq!(seen(&mut gmcp, "100", &[]), [("Room.Players", json!([]))], "nobody is something to know, too");
    assert_eq!(seen(&mut gmcp, "100", &[("Bob", false)]), [("Room.AddPlayer", player("Bob", false))]);
    assert_eq!(seen(&mut gmcp, "100", &[("Bob", false)]), []);
    let changed = [("Room.RemovePlayer", json!("Bob")), ("Room.AddPlayer", player("Bot \"X\"", true))];
    assert_eq!(seen(&mut gmcp, "100", &[("Bot \"X\"", true)]), changed);
    let there = ("Room.Players", json!([player("Bot \"X\"", true)]));
    assert_eq!(seen(&mut gmcp, "101", &[("Bot \"X\"", true)]), std::slice::from_ref(&there), "it has come along");
    assert_eq!(seen(&mut gmcp, "101", &[("Bot \"X\"", true)]), []);
    gmcp.hear("Core.Supports.Set", r#"["Room 1"]"#);
    assert_eq!(seen(&mut gmcp, "101", &[("Bot \"X\"", true)]), [there], "all of it again");
    gmcp.hear("Core.Supports.Set", r#"["Room.Players 1"]"#);
    assert_eq!(seen(&mut gmcp, "101", &[("Bot \"X\"", true)]).len(), 1);
    let both = json!([player("Bot \"X\"", true), player("Bob", false)]);
    let list = seen(&mut gmcp, "101", &[("Bot \"X\"", true), ("Bob", false)]);
    assert_eq!(list, [("Room.Players", both)], "who asks for the list gets lists");
    assert_eq!(seen(&mut gmcp, "101", &[]), [("Room.Players", json!([]))]);
    assert_eq!(seen(&mut gmcp, "100", &[]), [], "nobody there either");
}

#[test]
fn the_status_tells_what_changed_of_it() {
    let mut gmcp = gmcp();
    gmcp.hear("Core.Supports.Set", r#"["Char.Status 1"]"#);
    let status = [
        (Variable::Level, "3"),
        (Variable::Exp, "10"),
        (Variable::ExpToLevel, "90"),
        (Variable::Alignment, "-5"),
        (Variable::Gold, "5"),
        (Variable::Position, "\"standing\""),
        (Variable::Fighting, "false"),
        (Variable::Opponent, "null"),
    ];
    let all = told(&mut gmcp, &status, vec![]);
    let whole = json!({"level": 3, "xp": 10, "tnl": 90, "align": -5, "gold": 5, "position": "standing", "fighting": false, "target": ""});
    assert_eq!(all, [("Char.Status", whole.clone())]);
    let fight = [(Variable::Fighting, "true"), (Variable::Opponent, r#"{"name":"a rat","condition":10}"#)];
    let changed = told(&mut gmcp, &fight, vec![]);
    assert_eq!(changed, [("Char.Status", json!({"fighting": true, "target": "a rat"}))]);
    gmcp.hear("Core.Supports.Set", r#"["Char.Status 1"]"#);
    assert_eq!(told(&mut gmcp, &[], vec![])[0].1["level"], 3, "all of it again");
}

#[test]
fn what_is_said_and_ways_that_are_none_go_with_their_lines() {
    let mut gmcp = gmcp();
    gmcp.hear("Core.Supports.Set", r#"["Comm.Channel 1", "Room.WrongDir"]"#);
    told(&mut gmcp, &PLACE, vec![]);
    let said =
        Line { kind: LineKind::Say, from: Some("Bob".into()), text: "Bob says, \"Hi\"".into(), ..Line::default() };
    let refused = |command: &str| Line {
        kind: LineKind::Refusal,
        text: "No.".into(),
        outcome: Some(Arc::new(Outcome::Refused { command: command.into(), reason: "No.".into() })),
        ..Line::default()
    };
    let lines = vec![said, refused("s"), refused("north"), refused("dance"), refused("")];
    let text = json!({"channel": "say", "talker": "Bob", "text": "Bob says, \"Hi\""});
    assert_eq!(told(&mut gmcp, &[], lines), [("Comm.Channel.Text", text), ("Room.WrongDir", json!("s"))]);
    let by_program = Line {
        kind: LineKind::Say,
        from: Some("Bot".into()),
        from_agent: true,
        text: "Bot says, \"Hi\"".into(),
        ..Line::default()
    };
    let text = json!({"channel": "say", "talker": "Bot", "text": "Bot says, \"Hi\"", "talker-type": "agent"});
    assert_eq!(told(&mut gmcp, &[], vec![by_program]), [("Comm.Channel.Text", text)]);
}

#[test]
fn nonsense_is_passed_over() {
    let mut gmcp = gmcp();
    let deep = "[".repeat(4_000);
    for (name, data) in [
        ("Core.Supports.Set", "no JSON"),
        ("Core.Supports.Set", "{\"Char\": 1}"),
        ("Core.Supports.Add", &deep),
        ("Core.Hello.World", "{}"),
        ("Char.Login.Credentials", "{}"),
        ("", ""),
        ("Room.Eat", "1"),
    ] {
        assert!(matches!(gmcp.hear(name, data), Incoming::Nothing), "{name} {data:.20}");
    }
    let many: Vec<String> = (0..500).map(|n| format!("Package{n} 1")).collect();
    gmcp.hear("Core.Supports.Set", &json!(many).to_string());
    gmcp.hear("Core.Supports.Add", &json!(["x".repeat(50), 7, null, "a\u{7}b"]).to_string());
    assert!(gmcp.packages.len() <= PACKAGES_MAX && gmcp.packages.iter().all(|name| name.starts_with("package")));
    assert!(matches!(gmcp.hear("Core.Ping", "120"), Incoming::Ping(text) if text == "120"));
    assert!(matches!(gmcp.hear("Core.Ping", ""), Incoming::Ping(text) if text.is_empty()));
    let hello = gmcp.hear("core.hello", r#"{"Client":"X","Version":"1"}"#);
    assert!(matches!(hello, Incoming::Client { name, version } if name == "X" && version == "1"));
}

fn names() -> impl Strategy<Value = String> {
    let known = [
        "Core.Hello",
        "core.supports.SET",
        "Core.Supports.Add",
        "Core.Supports.Remove",
        "Core.Ping",
        "Char.Login.Credentials",
        "Core.Supports",
        "",
    ];
    prop_oneof![8 => select(known.map(String::from).to_vec()), 1 => "\\PC{0,30}"]
}

fn data() -> impl Strategy<Value = String> {
    let package = prop_oneof![
        3 => select(MESSAGES.map(|row| format!("{} 1", row.name)).to_vec()),
        3 => select(vec!["Char 1".into(), "ROOM 3".into(), "Comm.Channel".into(), String::new(), " ".into()]),
        1 => "\\PC{0,60}",
    ];
    prop_oneof![
        4 => proptest::collection::vec(package, 0..90).prop_map(|packages| json!(packages).to_string()),
        1 => "\\PC{0,40}",
        1 => "[\\[\\]{}\":,a0-9\\\\]{0,60}",
        1 => (0usize..5_000).prop_map(|depth| "[".repeat(depth)),
        1 => ("\\PC{0,20}", "\\PC{0,20}").prop_map(|(name, word)| {
            json!({"client": name, "version": word, "account": name, "password": word}).to_string()
        }),
    ]
}

proptest! {
    /// As many as one has time for: docs of `telnet::codec::hostile`.
    #[test]
    fn whatever_is_heard_stays_bounded_and_what_is_sent_is_json(
        heard in proptest::collection::vec((names(), data()), 0..8)
    ) {
        let mut gmcp = gmcp();
        for (name, data) in &heard {
            gmcp.hear(name, data);
            prop_assert!(gmcp.packages.len() <= PACKAGES_MAX);
        }
        prop_assert!(gmcp.packages.iter().all(|name| name.len() <= PACKAGE_BYTES_MAX && name.is_ascii()));
        let mut wanted: Vec<&str> = MESSAGES.iter().map(|row| row.name).collect();
        wanted.retain(|name| gmcp.has_in_packages(name));
        for (name, text) in gmcp.tell(&delivery(&[&VITALS[..], &PLACE].concat(), vec![])) {
            prop_assert!(wanted.contains(&name), "{name}");
            prop_assert!(serde_json::from_str::<Value>(&text).is_ok(), "{text}");
        }
    }
}
