//! What a client is told for what it asked, and what comes of nonsense.

use super::*;
use crate::encode::known::example;
use crate::outbox::Value as Json;

fn msdp() -> Msdp {
    let mut msdp = Msdp::new(example());
    msdp.enter("Ann");
    msdp
}

fn says(msdp: &mut Msdp, command: &str, words: &[&str]) -> Request {
    let words: Vec<Box<str>> = words.iter().map(|word| (*word).into()).collect();
    msdp.hear(command, &words)
}

fn told(msdp: &mut Msdp, vars: &[(Variable, &str)]) -> Vec<Told> {
    let vars = vars.iter().map(|(variable, json)| (*variable, Json::from(*json))).collect();
    msdp.tell(&Delivery { vars, ..Delivery::default() })
}

const HEALTH: (Variable, &str) = (Variable::Health, "20");
const PLACE_TOLD: [(Variable, &str); 3] =
    [(Variable::RoomVnum, "100"), (Variable::RoomName, "\"Darkness\""), (Variable::RoomExits, "[\"north\"]")];

#[test]
fn what_is_reported_is_told_when_it_changes_and_what_is_sent_once() {
    let mut msdp = msdp();
    assert!(told(&mut msdp, &[HEALTH]).is_empty() && msdp.needs().is_empty(), "nobody asked");
    assert!(matches!(says(&mut msdp, "REPORT", &["HEALTH", "LEVEL"]), Request::Variables));
    assert!(matches!(says(&mut msdp, "SEND", &["MANA"]), Request::Variables));
    let needs: Vec<Variable> = msdp.needs().iter().collect();
    assert_eq!(needs, [Variable::Health, Variable::Mana, Variable::Level]);
    assert!(told(&mut msdp, &[]).is_empty(), "what was so before anybody asked is old");
    let all = told(&mut msdp, &[HEALTH, (Variable::Mana, "1"), (Variable::Level, "3")]);
    assert_eq!(all, [("LEVEL", json!(3)), ("HEALTH", json!(20)), ("MANA", json!(1))]);
    assert!(told(&mut msdp, &[HEALTH, (Variable::Mana, "2")]).is_empty(), "nothing new that is reported");
    assert_eq!(told(&mut msdp, &[(Variable::Health, "19")]), [("HEALTH", json!(19))]);
    says(&mut msdp, "SEND", &["HEALTH"]);
    assert_eq!(told(&mut msdp, &[]), [("HEALTH", json!(19))], "once more for who asks");
    says(&mut msdp, "REPORT", &["LEVEL"]);
    assert_eq!(told(&mut msdp, &[]), [("LEVEL", json!(3))]);
    says(&mut msdp, "UNREPORT", &["LEVEL"]);
    assert_eq!(msdp.needs(), VariableSet::of(Variable::Health));
    assert!(told(&mut msdp, &[(Variable::Level, "4")]).is_empty());
    // The next program tells all of it anew.
    let (content, reported) = (msdp.known.content.clone(), msdp.into_reported());
    assert_eq!(reported, ["HEALTH"]);
    let mut next = Msdp::resume(content, reported);
    assert_eq!(told(&mut next, &[HEALTH]), [("HEALTH", json!(20))]);
    assert!(matches!(says(&mut next, "RESET", &["REPORTED_VARIABLES"]), Request::Variables));
    assert!(next.needs().is_empty());
}

#[test]
fn places_opponents_and_affects_are_told_as_other_games_do() {
    let mut msdp = msdp();
    let names =
        ["ROOM", "AREA_NAME", "ROOM_EXITS", "OPPONENT_NAME", "OPPONENT_HEALTH", "OPPONENT_HEALTH_MAX", "AFFECTS"];
    says(&mut msdp, "REPORT", &names);
    let room = json!({"VNUM": 100, "NAME": "Darkness", "AREA": "Green", "TERRAIN": "field", "EXITS": {"n": 101}, "COORDS": {"X": 0, "Y": 0, "Z": 0}});
    let all = told(&mut msdp, &PLACE_TOLD);
    assert_eq!(all, [("ROOM", room), ("ROOM_EXITS", json!({"n": 101})), ("AREA_NAME", json!("Green"))]);
    let nobody = [("OPPONENT_NAME", json!("")), ("OPPONENT_HEALTH", json!(0)), ("OPPONENT_HEALTH_MAX", json!(0))];
    assert_eq!(told(&mut msdp, &[(Variable::Opponent, "null")]), nobody);
    let rat = [("OPPONENT_NAME", json!("a rat")), ("OPPONENT_HEALTH", json!(70)), ("OPPONENT_HEALTH_MAX", json!(100))];
    assert_eq!(told(&mut msdp, &[(Variable::Opponent, r#"{"name":"a rat","condition":7}"#)]), rat);
    let at_work = r#"[{"name":"bless","hours":2},{"name":"bless","hours":6},{"name":"curse","hours":-1}]"#;
    let affects = ("AFFECTS", json!({"bless": 6, "curse": -1}));
    assert_eq!(told(&mut msdp, &[(Variable::Affects, at_work)]), [affects]);
}

#[test]
fn lists_name_what_there_is_and_nonsense_is_passed_over() {
    let mut msdp = msdp();
    says(&mut msdp, "REPORT", &["ROOM", "NONSENSE"]);
    let list = |msdp: &mut Msdp, name: &str| match says(msdp, "LIST", &[name]) {
        Request::List((list, names)) => (list == name).then_some(names),
        _ => None,
    };
    assert_eq!(list(&mut msdp, "REPORTED_VARIABLES"), Some(json!(["ROOM"])));
    assert_eq!(list(&mut msdp, "COMMANDS"), Some(json!(["LIST", "REPORT", "RESET", "SEND", "UNREPORT"])));
    for name in LISTS {
        assert!(list(&mut msdp, name).is_some_and(|names| !names.as_array().expect("a list").is_empty()), "{name}");
    }
    let reportable = list(&mut msdp, "REPORTABLE_VARIABLES").expect("there is one");
    // Each of them can be had.
    for name in reportable.as_array().expect("a list") {
        assert!(matches!(says(&mut msdp, "SEND", &[name.as_str().expect("a name")]), Request::Variables), "{name}");
    }
    assert_eq!(msdp.asked.len(), ROWS.len());
    for (command, words) in [
        ("LIST", &["NONSENSE"][..]),
        ("LIST", &[]),
        ("REPORT", &["health"]),
        ("SEND", &[]),
        ("RESET", &["EVERYTHING"]),
        ("", &[]),
        ("SHUTDOWN", &["now"]),
    ] {
        assert!(matches!(says(&mut msdp, command, words), Request::Nothing), "{command} {words:?}");
    }
    let client = says(&mut msdp, "CLIENT_NAME", &["Mudlet"]);
    assert!(matches!(client, Request::Client { name, version } if name == "Mudlet" && version.is_empty()));
}
