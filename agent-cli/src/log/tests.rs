//! A session that is played by hand, and what is proven and made of its log.

use super::check::{Report, check};
use super::export::{self, ExportArgs, Format, TableName};
use super::server_records::ServerRecords;
use super::{CheckArgs, LogArgs, What as Subcommand, run};
use crate::agent::{Agent, AgentSettings, Effect};
use crate::answer::Answer;
use crate::config::Config;
use crate::ledger::Usage;
use crate::policies::POLICIES;
use crate::record::NoteRow;
use crate::session_log::{Entrance, SessionLog, header, summary};
use crate::thought::Thought;
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::{Who, WhoKind};
use protocol::payload::WorldState;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::time::Duration;

fn who(name: &str, kind: &str) -> Value {
    let id = if kind == "player" { format!("player_{}", name.to_lowercase()) } else { "mob_7_1".into() };
    json!({"id": id, "name": name, "kind": kind, "level": 1})
}

/// Plays a little: the model attacks, a rat bites and dies a decision later, the model does nothing, it wants two steps
/// of which one leaves, and that is refused. The log of it, in `folder`; `summed`: with its summary.
fn played(folder: &Path, summed: bool) -> PathBuf {
    let off = POLICIES.iter().map(|policy| policy.name.to_string()).collect();
    let settings = AgentSettings {
        off,
        recall: false,
        think_ms: 1_000,
        persona: "A quiet sort.".into(),
        operator_prompt: "Play on.".into(),
        ..AgentSettings::default()
    };
    let mut agent = Agent::new(settings.clone());
    let head = header(&Config::default(), &settings, "Me", 1_778_599_800_000);
    let mut log = SessionLog::create(folder, head, 1_778_599_800_000).expect("made");
    let read = NoteRow { what: "knowledge".into(), file: Some("me.knowledge".into()), ..NoteRow::default() };
    log.note(NoteRow { version: Some(1), entries: Some(3), ..read }, 1_778_599_800_000).expect("noted");
    let world = WorldState { id: "0a".into(), content: "1".into(), rules: "2".into(), rules_version: 3, tick: 80 };
    log.entered(Entrance { world: Some(world), valence: true, p0_sha256: None }, 1_778_599_800_001).expect("written");
    let (mut now_ms, mut seq, mut sent, mut asked) = (1_000, 0, Vec::new(), Vec::new());
    let mut play = |agent: &mut Agent, frames: &[(&str, Value)], answers: &[(&str, &str)]| {
        now_ms += 1_500;
        for (kind, data) in frames {
            seq += 1;
            agent.on_text(&json!({"type": kind, "seq": seq, "data": data}).to_string(), now_ms);
        }
        let mut collect = |effects: Vec<Effect>, asked: &mut Vec<u64>| {
            for effect in effects {
                match effect {
                    Effect::Log(row) => log.row(&row).expect("written"),
                    Effect::Think { id, .. } => asked.push(id),
                    Effect::Send(protocol::ClientFrame::Command(command)) => sent.push((command.id, command.line())),
                    Effect::Send(_) | Effect::Note(_) | Effect::Retell(_) => {}
                }
            }
        };
        collect(agent.next(now_ms), &mut asked);
        for (commentary, line) in answers {
            let id = asked.pop().expect("it was asked");
            let actions: Vec<String> = line.split(';').filter(|l| !l.is_empty()).map(str::to_string).collect();
            let thought = Thought {
                answer: Ok(Answer { actions, commentary: Some(commentary.to_string()), ..Answer::default() }),
                usage: Usage { prompt: 1_000, cached: 400, completion: 20, ..Usage::default() },
                cost_micros: Some(1_234),
                text: Some(format!("{{\"commentary\":\"{commentary}\"}}")),
                request_id: Some("chatcmpl-1".into()),
                latency: Duration::from_millis(70),
                ..Thought::begun("m")
            };
            agent.on_thought(id, thought, now_ms);
            collect(agent.next(now_ms), &mut asked);
        }
        if answers.is_empty() && frames.is_empty() {
            collect(agent.finish(now_ms), &mut asked);
        }
    };
    let player = json!({"name": "Me", "health": 30, "max_health": 30, "level": 1, "class": "Warrior", "race": "Human",
        "str": 1, "int": 1, "wis": 1, "dex": 1, "con": 1, "cha": 1});
    let room = json!({"vnum": 1, "name": "Here", "description": "", "exits": [], "doors": [], "players": [],
        "mobs": [], "items": []});
    let rat = json!({"name": "a rat", "instance_id": "mob_7_1", "target_string": "rat", "vnum": 7, "fighting": false,
        "fighting_me": false});
    let all = json!({"HEALTH": 30, "MAX_HEALTH": 30, "MANA": 1, "MAX_MANA": 1, "MOVE": 80, "MAX_MOVE": 80, "GOLD": 5,
        "POSITION": "standing", "LEVEL": 1, "EXP": 10, "ROOM_VNUM": 1, "ROOM_NAME": "Here", "ROOM_EXITS": ["north"],
        "ROOM_MOBS": [rat], "ROOM_ITEMS": [], "FIGHTING": false, "INVENTORY": [], "EQUIPMENT": {}, "EVENTS": []});
    let login = [("state", json!({"player": player, "room": room})), ("vars", all)];
    play(&mut agent, &login, &[("I fight it.", "kill rat")]);
    let begun = json!({"HEALTH": 27, "FIGHTING": true, "EVENTS": [
        {"type": "damage", "attacker": who("a rat", "mob"), "victim": who("Me", "player"), "amount": 3, "attack": "bite",
         "cause_id": 1, "cause_input": 500},
        {"type": "done", "id": 1, "input": 500, "tick": 88}]});
    play(&mut agent, &[("vars", begun)], &[("I wait.", "")]);
    let killed = json!({"EXP": 60, "GOLD": 9, "FIGHTING": false, "EVENTS": [
        {"type": "kill_credit", "who": who("Me", "player"), "victim": who("a rat", "mob"), "xp": 50,
         "cause_id": 1, "cause_input": 500}]});
    play(&mut agent, &[("vars", killed)], &[("Onward.", "north;south")]);
    let refused = json!({"EVENTS": [
        {"type": "refused", "command": "north", "reason": "The door is closed.", "cause_id": 2, "cause_input": 501},
        {"type": "done", "id": 2, "input": 501, "tick": 90}]});
    play(&mut agent, &[("vars", refused)], &[("Hm.", "look")]);
    if summed {
        play(&mut agent, &[], &[]);
    }
    let mut sum = summary(&agent, "asked", now_ms);
    assert_eq!(sent.iter().map(|(id, _)| *id).collect::<Vec<_>>(), [Some(1), Some(2), Some(3)], "{sent:?}");
    sum.count_rows(&log);
    if summed {
        log.finish(&sum).expect("written");
    }
    log.path.clone()
}

fn checked(path: &Path) -> Report {
    check(path, &ServerRecords::default()).expect("read")
}

fn rows(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).expect("read");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What `log check` prints, and whether all was whole.
fn check_named(paths: &[&Path]) -> anyhow::Result<(String, bool)> {
    let files = paths.iter().map(|path| path.to_path_buf()).collect();
    let mut out = Vec::new();
    let args = LogArgs { what: Subcommand::Check(CheckArgs { files, server: Vec::new() }) };
    let code = run(&args, &mut out)?;
    let whole = format!("{code:?}") == format!("{:?}", std::process::ExitCode::SUCCESS);
    Ok((String::from_utf8(out).expect("text"), whole))
}

#[test]
fn a_folder_stands_for_the_logs_in_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    let of_agent = path.parent().expect("a folder of the agent");
    let (alone, whole) = check_named(&[&path]).expect("read");
    assert!(whole && alone.contains("(version "), "{alone}");
    for named in [folder.path(), of_agent] {
        assert_eq!(check_named(&[named]).expect("read"), (alone.clone(), true), "{}", named.display());
    }
    // One that cannot be read keeps nobody from the others.
    let broken = of_agent.join("2020-01-01-000000.jsonl");
    std::fs::write(&broken, "{}\n").expect("written");
    let (told, whole) = check_named(&[folder.path()]).expect("read");
    let (first, rest) = told.split_once('\n').expect("lines");
    assert!(first.contains("2020-01-01-000000.jsonl is no session log"), "{told}");
    assert_eq!((rest, whole), (&*alone, false));
    assert!(check_named(&[&broken]).is_err());
    let empty = tempfile::tempdir().expect("a folder");
    let why = check_named(&[empty.path()]).expect_err("there is none").to_string();
    assert!(why.contains("there is no session log in the folder"), "{why}");
}

#[test]
fn a_kill_is_a_row_of_the_decision_that_earned_it_and_all_sums_agree() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    let report = checked(&path);
    assert!(report.is_whole(), "{}", report.text(&path));
    let counts = (report.decisions, report.commands, report.turns, report.by_source.get("model"));
    assert_eq!(counts, (5, 3, 3, Some(&4)), "the login and four answers, one of them to do nothing");
    assert_eq!((report.unsent, report.notes), (1, 1));
    assert_eq!((report.reward.exp, report.reward.kills, report.reward.hp, report.reward.gold), (50, 1, -3, 4));
    assert_eq!((report.inferred.exp, report.inferred.hp, report.inferred.gold), (0, 0, 4));
    assert_eq!((report.cost_micros, report.tokens_prompt), (4 * 1_234, 4_000));
    let rows = rows(&path);
    let of_kind = |kind: &str| -> Vec<&Value> { rows.iter().filter(|row| row["kind"] == kind).collect() };
    assert_eq!(rows[0]["persona"], "A quiet sort.");
    assert_eq!((&rows[0]["settings"]["operator_prompt"], &rows[0]["world"]["tick"]), (&json!("Play on."), &json!(80)));
    let decisions = of_kind("decision");
    assert_eq!(decisions[1]["answer"]["commentary"], "I fight it.");
    assert_eq!(decisions[2]["state"], json!({"HEALTH": 27, "FIGHTING": true}), "what differs from the one before");
    assert_eq!(decisions[2]["actions"], json!([]));
    let asked: Vec<&str> = decisions.iter().filter_map(|row| row["asked"].as_str()).collect();
    assert_eq!(asked, ["login", "began", "fight", "fight", "outcome"], "what made the mind ask");
    assert!(decisions.iter().all(|row| row["valence"] == true), "{decisions:?}");
    let (commands, unsent): (Vec<&Value>, Vec<&Value>) =
        of_kind("command").into_iter().partition(|row| !row["id"].is_null());
    let [never] = unsent.as_slice() else { panic!("{unsent:?}") };
    let why = (&never["sent"], &never["decision"], &never["outcome"], &never["refused_by"], &never["reason"]);
    let wanted = (&json!("south"), &json!(4), &json!("unsent"), &json!("agent"), &json!("one action at a time"));
    assert_eq!(why, wanted);
    assert_eq!((&commands[0]["input"], &commands[0]["tick"]), (&json!(500), &json!(88)));
    assert_eq!((&commands[1]["outcome"], &commands[1]["refused_by"]), (&json!("refused"), &json!("game")));
    let kill = of_kind("outcome").into_iter().find(|row| row["what"]["type"] == "kill_credit").expect("it is there");
    assert_eq!((&kill["commands"], &kill["decision"]), (&json!([1]), &json!(2)));
    let closed = of_kind("closed").into_iter().find(|row| row["decision"] == 2).expect("closed");
    assert_eq!((&closed["reward"]["exp"], &closed["source"]), (&json!(50), &json!("model")));
}

/// What is wrong with a value by a schema, as far as ours goes.
fn misfit(schema: &Value, root: &Value, value: &Value) -> Option<String> {
    let schema = match schema["$ref"].as_str() {
        Some(place) => root.pointer(place.trim_start_matches('#')).expect("what it refers to is there"),
        None => schema,
    };
    if let Some(choices) = schema["oneOf"].as_array() {
        let kind = |choice: &Value| {
            let name = choice["$ref"].as_str().and_then(|place| place.rsplit('/').next());
            name == value["kind"].as_str()
        };
        return match choices.iter().find(|choice| kind(choice)) {
            Some(choice) => misfit(choice, root, value),
            None => Some(format!("{value} is of no kind")),
        };
    }
    if let Some(allowed) = schema["enum"].as_array().filter(|allowed| !allowed.contains(value)) {
        return Some(format!("{value} is none of {allowed:?}"));
    }
    if schema.get("const").is_some_and(|only| only != value) {
        return Some(format!("{value} is not {}", schema["const"]));
    }
    let is = |kind: &str| match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("the schema has a type {other}"),
    };
    let fits = match &schema["type"] {
        Value::Null => true,
        Value::String(kind) => is(kind),
        kinds => kinds.as_array().expect("names").iter().any(|kind| is(kind.as_str().expect("a name"))),
    };
    let number = value.as_f64();
    let low = schema["minimum"].as_f64().zip(number).is_some_and(|(least, n)| n < least);
    let high = schema["maximum"].as_f64().zip(number).is_some_and(|(most, n)| n > most);
    if !fits || low || high {
        return Some(format!("{value} is not {schema}"));
    }
    if let Some(members) = value.as_object() {
        let properties = schema["properties"].as_object();
        for name in schema["required"].as_array().into_iter().flatten() {
            if !members.contains_key(name.as_str().expect("a name")) {
                return Some(format!("{name} is missing in {value}"));
            }
        }
        for (name, member) in members {
            match properties.and_then(|properties| properties.get(name)) {
                Some(schema) => {
                    if let Some(why) = misfit(schema, root, member) {
                        return Some(format!("{name}: {why}"));
                    }
                }
                None if schema["additionalProperties"] == false => return Some(format!("{name} is not in the schema")),
                None => {}
            }
        }
    }
    let each = value.as_array().into_iter().flatten();
    each.filter_map(|one| misfit(&schema["items"], root, one)).next()
}

#[test]
fn each_line_of_a_log_fits_the_schema_in_the_tree() {
    let text = include_str!("../../../docs/session-log.schema.json");
    let schema: Value = serde_json::from_str(text).expect("JSON");
    let folder = tempfile::tempdir().expect("a folder");
    let all = rows(&played(folder.path(), true));
    for row in &all {
        assert_eq!(misfit(&schema, &schema, row), None, "{row}");
    }
    for kind in schema["$defs"].as_object().expect("kinds").keys() {
        assert!(all.iter().any(|row| row["kind"] == **kind), "no row is of the kind {kind}");
    }
    // A schema that takes anything would prove nothing. Settings alone may be new ones.
    for (kind, fields) in schema["$defs"].as_object().expect("kinds") {
        assert_eq!(fields["additionalProperties"] == false, kind != "header", "{kind}");
    }
    let mut wrong = all[1].clone();
    wrong["id"] = json!(0);
    assert!(misfit(&schema, &schema, &wrong).is_some());
}

#[test]
fn what_a_killed_process_left_out_is_counted() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), false);
    let text = std::fs::read_to_string(&path).expect("read");
    std::fs::write(&path, &text[..text.len() - 5]).expect("written");
    let report = checked(&path);
    assert!(!report.is_whole() && report.problems.is_empty(), "{}", report.text(&path));
    let told = report.missing.join("\n");
    for part in ["is cut off", "not closed", "there is no summary"] {
        assert!(told.contains(part), "{told}");
    }
    assert_eq!(exported(&path, TableName::Decisions, Format::Jsonl).lines().count(), report.decisions as usize);
}

#[test]
fn what_contradicts_itself_is_told_with_its_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    let text = std::fs::read_to_string(&path).expect("read");
    for (what, from, to) in [
        ("a reward was made up", "\"exp\":50,\"gold\":0", "\"exp\":51,\"gold\":0"),
        ("a decision is missing", "{\"kind\":\"decision\",\"id\":2,", "{\"kind\":\"decision\",\"id\":7,"),
        ("a command is nobody's", "\"id\":2,\"decision\":4", "\"id\":2,\"decision\":40"),
        ("a command was sent without a number", "\"id\":2,\"decision\":4", "\"id\":null,\"decision\":4"),
        ("a decision cost more tokens", "\"tokens\":{\"prompt\":1000,", "\"tokens\":{\"prompt\":1001,"),
        ("a decision wrote more tokens", "\"output\":20}", "\"output\":21}"),
        ("a decision cost less", "\"cost\":0.001234,\"cost_micros\":1234", "\"cost\":0.001233,\"cost_micros\":1233"),
        ("a row is of no kind", "{\"kind\":\"closed\"", "{\"kind\":\"opened\""),
        ("more was killed", "\"kills\":1", "\"kills\":99"),
        ("gold was made up", "\"exp\":50,\"gold\":0", "\"exp\":50,\"gold\":1000"),
        ("hit points were made up", "\"hp\":-3", "\"hp\":3"),
        ("somebody died", "\"deaths\":0", "\"deaths\":1"),
        ("a level was made up", "\"levels\":0", "\"levels\":1"),
        ("a room was found", "\"rooms_new\":0", "\"rooms_new\":5"),
        ("more was in the cache", "\"cached\":400", "\"cached\":401"),
        ("a cost is half unknown", "\"cost\":0.001234,", "\"cost\":null,"),
        ("a cost is unknown", "\"cost\":0.001234,\"cost_micros\":1234", "\"cost\":null,\"cost_micros\":null"),
    ] {
        assert!(text.contains(from), "{what}: {text}");
        std::fs::write(&path, text.replacen(from, to, 1)).expect("written");
        let report = checked(&path);
        assert!(!report.problems.is_empty(), "{what}: {}", report.text(&path));
    }
}

#[test]
fn a_row_that_was_taken_out_is_missed_whatever_its_kind() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    let text = std::fs::read_to_string(&path).expect("read");
    for kind in ["decision", "command", "turn", "outcome", "closed", "note"] {
        let begin = format!("{{\"kind\":\"{kind}\"");
        let (last, _) = text.lines().enumerate().filter(|(_, line)| line.starts_with(&begin)).last().expect(kind);
        let kept = text.lines().enumerate().filter(|(at, _)| *at != last).map(|(_, line)| format!("{line}\n"));
        std::fs::write(&path, kept.collect::<String>()).expect("written");
        let report = checked(&path);
        assert!(!report.problems.is_empty(), "{kind}: {}", report.text(&path));
    }
}

#[test]
fn what_a_model_without_a_price_cost_is_unknown_and_not_0() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    // As with a fallback that has no price: of the answers the first is priced, the others are not.
    let (log, sum) = (std::fs::read_to_string(&path).expect("read"), path.with_extension("summary.json"));
    let (first, others) = log.split_once("\"cost_micros\":1234").expect("it costs");
    let others =
        others.replace("\"cost\":0.001234", "\"cost\":null").replace("\"cost_micros\":1234", "\"cost_micros\":null");
    std::fs::write(&path, format!("{first}\"cost_micros\":1234{others}")).expect("written");
    let told = std::fs::read_to_string(&sum).expect("read");
    let told =
        told.replace("\"cost_micros\": 4936", "\"cost_micros\": 1234").replace("\"unpriced\": 0", "\"unpriced\": 3");
    std::fs::write(&sum, told).expect("written");
    let report = checked(&path);
    let text = report.text(&path);
    assert!(report.is_whole() && text.contains("cost at least 0.001234 (of 3 decisions it is not known)"), "{text}");
    let costs = |table: TableName| -> Vec<Value> {
        let text = exported(&path, table, Format::Jsonl);
        text.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON")["cost"].clone()).collect()
    };
    let nobody = Value::Null;
    assert_eq!(
        costs(TableName::Decisions),
        [json!(0.0), json!(0.001234), nobody.clone(), nobody.clone(), nobody.clone()]
    );
    assert_eq!(costs(TableName::Episodes), [nobody], "and no sum of a part is told as the whole");
}

fn exported(path: &Path, table: TableName, format: Format) -> String {
    let args =
        ExportArgs { files: vec![path.to_path_buf()], format: Some(format), table, out: None, server: Vec::new() };
    let mut out = Vec::new();
    export::run(&args, &mut out).expect("exported");
    String::from_utf8(out).expect("text")
}

#[test]
fn every_table_has_its_rows_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    for (table, count) in
        [(TableName::Decisions, 5), (TableName::Commands, 4), (TableName::Outcomes, 3), (TableName::Episodes, 1)]
    {
        let lines: Vec<Value> = exported(&path, table, Format::Jsonl)
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(lines.len(), count, "{table:?}");
        assert_eq!(exported(&path, table, Format::Csv).lines().count(), count + 1, "{table:?} with its heading");
        let out = folder.path().join("table.parquet");
        let files = vec![path.clone(), path.clone()];
        let args =
            ExportArgs { files, format: Some(Format::Parquet), table, out: Some(out.clone()), server: Vec::new() };
        export::run(&args, &mut Vec::new()).expect("exported");
        assert!(std::fs::read(&out).expect("read").ends_with(b"PAR1"));
        let text = ExportArgs { out: None, ..args };
        let error = export::run(&text, &mut Vec::new()).expect_err("no text").to_string();
        assert!(error.contains("--out"), "{error}");
    }
    let decisions = exported(&path, TableName::Decisions, Format::Jsonl);
    let second: Value = serde_json::from_str(decisions.lines().nth(1).expect("a second")).expect("JSON");
    assert_eq!(
        (&second["exp"], &second["commentary"], &second["tokens_prompt"]),
        (&json!(50), &json!("I fight it."), &json!(1_000))
    );
}

#[test]
fn the_name_of_the_file_says_the_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    let export = |name: &str, format: Option<Format>| {
        let (files, out) = (vec![path.clone()], folder.path().join(name));
        let args =
            ExportArgs { files, format, table: TableName::Decisions, out: Some(out.clone()), server: Vec::new() };
        export::run(&args, &mut Vec::new()).map(|()| std::fs::read(&out).expect("read")).map_err(|e| e.to_string())
    };
    assert!(export("a.parquet", None).is_ok_and(|bytes| bytes.starts_with(b"PAR1")));
    assert!(export("a.jsonl", None).is_ok_and(|bytes| bytes.starts_with(b"{")));
    assert!(export("a.txt", None).is_ok_and(|bytes| bytes.starts_with(b"agent,")));
    assert!(export("a.csv", Some(Format::Csv)).is_ok());
    let error = export("b.parquet", Some(Format::Csv)).expect_err("which of them?");
    assert!(error.contains("--format csv") && error.contains("b.parquet"), "{error}");
    assert!(!folder.path().join("b.parquet").exists());
}

fn exported_with(path: &Path, table: TableName, server: &Path) -> Vec<Value> {
    let (files, server) = (vec![path.to_path_buf()], vec![server.to_path_buf()]);
    let args = ExportArgs { files, format: Some(Format::Jsonl), table, out: None, server };
    let mut out = Vec::new();
    export::run(&args, &mut out).expect("exported");
    let text = String::from_utf8(out).expect("text");
    text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

/// What the server has of the same play, and of another session: its file of rows, and a folder of session files.
fn of_server(folder: &Path) -> (PathBuf, PathBuf) {
    let row = |input: u64, session: u64, decision: u64, exp: i64| {
        json!({"input": input, "part": 0, "session": session, "latency_us": 44, "pre_hp": 30, "error": null,
            "valence": true, "kind": "decision", "meta": {"decision": decision}, "reward": {"exp": exp, "gold": 0, "hp": -3}})
    };
    let recall = json!({"input": 504, "part": 0, "session": 9, "kind": "harness", "error": null, "meta": null,
        "reward": {"exp": 0, "gold": 0, "hp": 0}});
    let rows =
        [row(499, 8, 2, 1_000), row(500, 9, 2, 50), row(501, 9, 4, 0), row(502, 9, 5, 7), row(503, 9, 6, 8), recall];
    let (commands, sessions) = (folder.join("server.jsonl"), folder.join("sessions"));
    std::fs::write(&commands, rows.map(|row| format!("{row}\n")).concat()).expect("written");
    std::fs::create_dir_all(sessions.join("Me")).expect("made");
    let entry = |seq: u64, tick: u64, input: u64| {
        let who = Who { id: "me".into(), name: "Me".into(), kind: WhoKind::Player, level: 2 };
        let happening = Happening {
            what: What::LevelGained { who, level: 2 },
            role: Role::Did,
            room: Place { vnum: 1, name: "Here".into() },
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: Some(1),
        };
        json!(mind::LogEntry { seq, tick, at_ms: 5, input, event: mind::Event::Happening(Box::new(happening)) })
    };
    let head = |agent: &str| json!({"log": "happenings", "version": 1, "agent": agent, "valence": true});
    let of_me = [head("Me"), entry(1, 70, 400), entry(2, 88, 500), entry(3, 89, 777)];
    std::fs::write(sessions.join("Me/one.jsonl"), of_me.map(|row| format!("{row}\n")).concat()).expect("written");
    let of_other = [head("Other"), entry(1, 88, 500)];
    std::fs::write(sessions.join("other.jsonl"), of_other.map(|row| format!("{row}\n")).concat()).expect("written");
    (commands, sessions)
}

#[test]
fn the_server_s_records_are_joined_by_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), true);
    let (commands, sessions) = of_server(folder.path());
    let lines = exported_with(&path, TableName::Commands, &commands);
    assert_eq!((&lines[0]["server_latency_us"], &lines[0]["server_pre_hp"]), (&json!(44), &json!(30)));
    assert_eq!((&lines[0]["server_reward"]["exp"], &lines[0]["server_valence"]), (&json!(50), &json!(true)));
    let last = lines.iter().find(|line| line["sent"] == "look").expect("it was sent");
    assert_eq!((&last["server_latency_us"], &last["input"]), (&Value::Null, &Value::Null));
    let never = lines.iter().find(|line| line["outcome"] == "unsent").expect("it is a row");
    assert_eq!((&never["sent"], &never["source"], &never["id"]), (&json!("south"), &json!("model"), &Value::Null));
    assert_eq!(never["by"], "m", "which model it was");
    let lines = exported_with(&path, TableName::Commands, &sessions);
    let happened = lines[0]["happenings"].as_array().expect("a list");
    assert_eq!((happened.len(), &happened[0]["role"]), (1, &json!("did")), "not what happened to another");

    let rows = exported_with(&path, TableName::Happenings, &sessions);
    assert_eq!((&rows[0]["type"], &rows[0]["valence"]), (&json!("level_gained"), &json!(1)));
    let columns: Vec<_> = rows.iter().map(|row| [&row["seq"], &row["command"], &row["decision"]]).collect();
    let nobody = &Value::Null;
    assert_eq!(
        columns,
        [[&json!(2), &json!(1), &json!(2)], [&json!(3), nobody, nobody]],
        "not what was before it came"
    );
    for (table, server) in [(TableName::Outcomes, vec![commands.clone()]), (TableName::Happenings, Vec::new())] {
        let files = vec![path.clone()];
        let wrong = ExportArgs { files, format: Some(Format::Jsonl), table, out: None, server };
        assert!(export::run(&wrong, &mut Vec::new()).is_err(), "{table:?}");
    }
    std::fs::write(&commands, "{\"a\":1}\n").expect("written");
    let error = ServerRecords::read(&[commands]).expect_err("it is neither").to_string();
    assert!(error.contains("line 1 is neither"), "{error}");
}

#[test]
fn the_server_s_rows_fill_the_log_of_a_killed_process() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = played(folder.path(), false);
    let (commands, _) = of_server(folder.path());
    let server = ServerRecords::read(std::slice::from_ref(&commands)).expect("read");
    let report = check(&path, &server).expect("read");
    assert!(!report.is_whole() && report.problems.is_empty(), "{}", report.text(&path));
    let text = report.text(&path);
    assert!(text.contains("4 commands of this session, 2 of them beyond this log (0 refused); and 1 of the"), "{text}");
    let earned = "3 decisions that this log did not close, or does not have, earned exp 15, gold 0, hp -9";
    assert!(text.contains(earned), "{text}");
    let rows = exported_with(&path, TableName::Decisions, &commands);
    let told: Vec<_> = rows.iter().map(|row| (&row["id"], &row["exp"], &row["reward_of"])).collect();
    let (log, server, nobody) = (&json!("log"), &json!("server"), &Value::Null);
    assert_eq!(told[1], (&json!(2), &json!(50), log));
    assert_eq!(told[4], (&json!(5), &json!(7), server));
    assert_eq!(rows[4]["kills"], *nobody, "what the server's rows do not have stays unknown");
}

#[test]
fn two_sessions_with_one_folder_have_a_log_each() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = [played(folder.path(), true), played(folder.path(), true)];
    assert_ne!(paths[0], paths[1]);
    for path in &paths {
        assert!(checked(path).is_whole(), "{}", checked(path).text(path));
    }
    let files = paths.to_vec();
    let table = TableName::Episodes;
    let args = ExportArgs { files, format: Some(Format::Jsonl), table, out: None, server: Vec::new() };
    let mut out = Vec::new();
    export::run(&args, &mut out).expect("exported");
    let rows: Vec<Value> =
        String::from_utf8(out).expect("text").lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((rows[0]["whole"] == true, rows[1]["whole"] == true), (true, true));
    assert_ne!(rows[0]["session"], rows[1]["session"]);
    assert_eq!((&rows[0]["world"], &rows[0]["login_tick"]), (&json!("0a"), &json!(80)));
}

/// A line of a log as version 2 wrote it.
const OLD_TURN: &str = r#"{"timestamp":"2026-11-21T08:30:00.000Z","room_vnum":8004,"room_name":"The Temple Altar","hp":20,
"max_hp":20,"agent_level":1,"mobs_present":0,"fighting":null,"action":"north","latency_ms":5,"schema_version":1,
"turn_number":1,"at_ms":5,"session_elapsed_minutes":0.1,"stimulus_type":"tick","decision":{"source":"policy",
"by":"explore","command":"north","args":[]},"target_entity":null,"agents_present":[],"memory_injected":[],
"bootstrap_tokens":0,"tokens":{"prompt":0,"cached":0,"cache_written":0,"completion":0},"cost":0.0,
"outcome":"refused: The door is closed.","answer_ms":12,"exp_gained":0,"gold_gained":0,
"agent_state":{"hp":20,"max_hp":20},"valence":null}"#;

#[test]
fn a_log_of_an_older_version_is_read_with_what_it_lacks_and_a_newer_one_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("old.jsonl");
    let head = header(&Config::default(), &AgentSettings::default(), "Me", 1_778_599_800_000);
    for version in [1, 2] {
        let mut old = json!(head);
        old["schema_version"] = json!(version);
        for name in ["config", "settings", "agent_seed", "persona"] {
            old.as_object_mut().expect("an object").remove(name);
        }
        std::fs::write(&path, format!("{old}\n{}\n", OLD_TURN.replace('\n', ""))).expect("written");
        let report = checked(&path);
        assert!(report.problems.is_empty() && !report.lacks.is_empty(), "{}", report.text(&path));
        let commands = exported(&path, TableName::Commands, Format::Jsonl);
        let row: Value = serde_json::from_str(&commands).expect("one row");
        let read = (&row["outcome"], &row["reason"], &row["decision"]);
        assert_eq!(read, (&json!("refused"), &json!("The door is closed."), &Value::Null));
        let args = ExportArgs {
            files: vec![path.clone()],
            format: Some(Format::Csv),
            table: TableName::Decisions,
            out: None,
            server: Vec::new(),
        };
        let error = export::run(&args, &mut Vec::new()).expect_err("it has none").to_string();
        assert!(error.contains("turns only"), "{error}");
    }
    let mut newer = json!(head);
    newer["schema_version"] = json!(4);
    std::fs::write(&path, format!("{newer}\n")).expect("written");
    let error = check(&path, &ServerRecords::default()).expect_err("refused").to_string();
    assert!(error.contains("reads up to 3"), "{error}");
    std::fs::write(&path, "").expect("written");
    let error = check(&path, &ServerRecords::default()).expect_err("refused").to_string();
    assert!(error.contains("is empty"), "{error}");
    std::fs::write(&path, "{\"a\":1}\n").expect("written");
    assert!(check(&path, &ServerRecords::default()).expect_err("refused").to_string().contains("no session log"));
}
