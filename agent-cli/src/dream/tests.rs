//! Dreams with real files.

use super::*;
use dream_folder::{RESULT_FILE, SUMMARY_FILE};
use dreaming::records::export;
use dreaming::synthetic::{AGENT, Life, Shape};

struct Folders {
    root: tempfile::TempDir,
}

impl Folders {
    fn new() -> Folders {
        Folders { root: tempfile::tempdir().expect("a temporary folder") }
    }

    fn args(&self) -> DreamArgs {
        DreamArgs {
            agent: AGENT.into(),
            sessions: self.root.path().join("sessions"),
            output: self.root.path().join("dreaming"),
            dry_run: false,
            valence: Valence::Recorded,
            reflect: Reflect::Rules,
            inherit: Vec::new(),
            graph: None,
            summary_tokens: 500,
            dream_zone: Some("UTC".parse().expect("a zone")),
        }
    }

    fn session(&self, agent: &str, name: &str, text: &str) {
        let folder = self.root.path().join("sessions").join(agent);
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join(name), text).expect("a file");
    }

    fn output(&self, name: &str) -> String {
        let path = self.root.path().join("dreaming").join(AGENT).join(name);
        fs::read_to_string(path).expect("it was written")
    }
}

fn ran(args: &DreamArgs) -> (anyhow::Result<Outcome>, String) {
    ran_with(args, None)
}

#[tokio::main(flavor = "current_thread")]
async fn ran_with(args: &DreamArgs, model: Option<&Model>) -> (anyhow::Result<Outcome>, String) {
    let mut told = Vec::new();
    let outcome = run(args, model, &mut told).await;
    (outcome, String::from_utf8(told).expect("text"))
}

/// Days of a made-up life that lie in the past.
fn sessions(folders: &Folders) -> Vec<dreaming::Record> {
    let from_ms = 1_704_096_000_000;
    let life = Life::new(Shape { events_per_day: 60, from_ms, ..Shape::default() });
    let records: Vec<_> = life.take(300).collect();
    for (i, day) in records.chunks(60).enumerate() {
        folders.session(AGENT, &format!("2024-01-0{}-080000.jsonl", i + 1), &export(AGENT, true, day));
    }
    records
}

#[test]
fn a_dream_writes_three_files_and_prints_the_block() {
    let folders = Folders::new();
    sessions(&folders);
    let (outcome, told) = ran(&folders.args());
    let outcome = outcome.expect("a dream");
    let block: Vec<&str> = told.lines().map(|line| line.split(':').next().unwrap_or_default().trim()).collect();
    let expected = [
        "Dream complete",
        "Agent",
        "Sessions read",
        "Events extracted",
        "Nodes before",
        "Nodes after",
        "Pruned",
        "Summary tokens",
    ];
    assert_eq!(block, expected, "{told}");
    assert!(told.contains("  Sessions read:    5\n  Events extracted: 300\n"), "{told}");
    assert_eq!(folders.output(SUMMARY_FILE), outcome.summary);
    assert!(outcome.summary.starts_with("## Memory\n") && outcome.summary.contains("### Relationships"));
    let result: serde_json::Value = serde_json::from_str(&folders.output(RESULT_FILE)).expect("JSON");
    assert_eq!(result["events_dreamt"], 300);
    assert_eq!(
        result["graph_hash"].as_str().expect("a hash"),
        dreaming::graph::content_hash(folders.output(GRAPH_FILE).as_bytes())
    );
    // And again: nothing changes.
    let before = (folders.output(GRAPH_FILE), folders.output(SUMMARY_FILE));
    let (again, _) = ran(&folders.args());
    assert_eq!(again.expect("a dream").report.events_dreamt, 0);
    assert_eq!((folders.output(GRAPH_FILE), folders.output(SUMMARY_FILE)), before);
}

#[test]
fn the_calendar_is_the_servers_or_that_of_the_memories_there_are() {
    let folders = Folders::new();
    sessions(&folders);
    let offset = |zone: Option<&str>| {
        let dream_zone = zone.map(|zone| zone.parse().expect("a zone"));
        ran(&DreamArgs { dream_zone, ..folders.args() }).0.expect("a dream");
        let graph: serde_json::Value = serde_json::from_str(&folders.output(GRAPH_FILE)).expect("JSON");
        graph["terms"]["utc_offset_minutes"].as_i64().expect("minutes")
    };
    assert_eq!(offset(None), -300, "New York");
    assert_eq!(offset(Some("Europe/Berlin")), 60);
    assert_eq!(offset(None), 60, "the next night keeps it");
}

#[test]
fn a_log_in_pages_gives_the_bytes_of_one_that_is_read_as_a_whole() {
    // In two nights, so that the second goes on from the graph of the first.
    let (in_order, shuffled) = (Folders::new(), Folders::new());
    let from_ms = 1_704_096_000_000;
    let life = Life::new(Shape { events_per_day: 600, from_ms, ..Shape::default() });
    let records: Vec<_> = life.take(9_000).collect();
    for (night, part) in records.chunks(4_500).enumerate() {
        for (i, day) in part.chunks(600).enumerate() {
            in_order.session(AGENT, &format!("{night}-{i:02}.jsonl"), &export(AGENT, true, day));
            // The last file comes first, and a line is there twice: that has to be seen as a whole.
            let text = format!("{}{}", export(AGENT, true, day), export(AGENT, true, &day[..1]));
            shuffled.session(AGENT, &format!("{night}-{:02}.jsonl", 99 - i), &text);
        }
        let (paged, whole) = (ran(&in_order.args()).0.expect("a dream"), ran(&shuffled.args()).0.expect("a dream"));
        assert_eq!(paged.report, whole.report);
        assert_eq!((paged.lines_twice, whole.lines_twice), (0, 8 * (night + 1)));
        for file in [GRAPH_FILE, SUMMARY_FILE] {
            assert_eq!(in_order.output(file), shuffled.output(file), "{file} after night {night}");
        }
    }
    // On other terms all of it is dreamt anew, and so it is when the log has become another.
    let flat = |folders: &Folders| DreamArgs { valence: Valence::Flat, ..folders.args() };
    let (paged, whole) = (ran(&flat(&in_order)).0.expect("a dream"), ran(&flat(&shuffled)).0.expect("a dream"));
    assert_eq!(paged.report, whole.report);
    assert!(paged.report.rebuilt.is_some() && paged.report.events_dreamt == 9_000, "{:?}", paged.report);
}

#[test]
fn a_line_that_is_longer_than_any_page_is_counted_and_passed_over() {
    let folders = Folders::new();
    let records = sessions(&folders);
    let bytes = 5 * dreaming::records::LINE_MAX + 7;
    let text = export(AGENT, true, &records[..2]) + &"x".repeat(bytes) + "\n" + "also none\n";
    folders.session(AGENT, "zz.jsonl", &text);
    folders.session(AGENT, "zzz.jsonl", &"y".repeat(2 * dreaming::records::LINE_MAX));
    let (outcome, told) = ran(&folders.args());
    let outcome = outcome.expect("a dream");
    assert_eq!((outcome.report.events_dreamt, outcome.problems_count), (300, 3), "{told}");
    assert!(told.contains(&format!("zz.jsonl, line 4: it has {bytes} bytes")), "{told}");
    assert!(told.contains("zz.jsonl, line 5: expected value"), "{told}");
    assert!(told.contains(&format!("zzz.jsonl, line 1: it has {} bytes", 2 * dreaming::records::LINE_MAX)), "{told}");
}

/// `cargo test -p agent-cli --lib -- --ignored --nocapture a_million`, alone: the peak is that of the whole process.
/// The aim is 300 MB: logs are read in pages, and the document is written as it is made.
#[test]
#[ignore = "a measurement of a minute; docs/PERFORMANCE.md has what it gave"]
fn a_million_records_from_files_take_less_than_the_log_would() {
    let folders = Folders::new();
    let from_ms = 1_704_096_000_000;
    let mut life = Life::new(Shape { events_per_day: 8_640, from_ms, ..Shape::default() });
    for day in 0..116 {
        let records: Vec<_> = life.by_ref().take(8_640).collect();
        folders.session(AGENT, &format!("{day:03}.jsonl"), &export(AGENT, true, &records));
    }
    let peak_mb = || {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).map_or(0, |kb| kb / 1_024)
    };
    let before = peak_mb();
    let begun = std::time::Instant::now();
    let outcome = ran(&folders.args()).0.expect("a dream");
    eprintln!("{before} MB before, {} MB peak, {:?}: {:?}", peak_mb(), begun.elapsed(), outcome.report);
    assert!(outcome.report.events_dreamt > 1_000_000 && peak_mb() < 300);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folders = Folders::new();
    sessions(&folders);
    let mut args = folders.args();
    args.dry_run = true;
    let (outcome, told) = ran(&args);
    assert_eq!(outcome.expect("a dream").report.events_dreamt, 300);
    assert!(told.starts_with("Dream complete (dry run"), "{told}");
    assert!(!args.output.exists());
}

#[test]
fn names_with_path_characters_are_refused() {
    let folders = Folders::new();
    for name in ["../x", "a/b", "a\\b", ".", "", "a b", "a\0", "é"] {
        let args = DreamArgs { agent: name.into(), ..folders.args() };
        let error = ran(&args).0.expect_err("a bad name").to_string();
        assert!(error.contains("cannot be the name of an agent"), "{error}");
        let args = DreamArgs { inherit: vec![name.into()], ..folders.args() };
        sessions(&folders);
        assert!(ran(&args).0.is_err());
    }
}

#[test]
fn bad_lines_are_told_and_the_rest_is_dreamt() {
    let folders = Folders::new();
    let records = sessions(&folders);
    let good = export(AGENT, true, &records[..3]);
    let mut text = good.clone();
    text.push_str("{\"seq\":9,\"tick\":\n");
    text.push_str("not json\n");
    text.push_str(&format!("{}\n", "x".repeat(dreaming::records::LINE_MAX + 1)));
    text.push_str("{\"seq\":900001,\"tick\":1,\"at_ms\":5,\"event\":{\"kind\":\"note.add\",\"text\":\"hi\"}}\n");
    text.push_str(
        "{\"seq\":900002,\"tick\":1,\"at_ms\":5,\"event\":{\"kind\":\"happening\",\"what\":{\"danced\":{}}}}\n",
    );
    text.push_str("{\"seq\":900003,\"tick\":1,\"at_");
    folders.session(AGENT, "a.jsonl", &text);
    folders.session(AGENT, "b.jsonl", &export("Mallory", true, &records[..2]));
    folders.session(AGENT, "c.jsonl", "{\"log\":\"happenings\",\"version\":99,\"agent\":\"Brenda\"}\n");
    folders.session(AGENT, "d.jsonl", "");
    folders.session(AGENT, "notes.txt", "no log at all");
    let (outcome, told) = ran(&folders.args());
    let outcome = outcome.expect("a dream");
    assert_eq!((outcome.report.events_dreamt, outcome.lines_twice), (300, 3));
    assert_eq!(outcome.problems_count, 7, "{told}");
    for what in [
        "a.jsonl, line 5",
        "a.jsonl, line 6",
        "a.jsonl, line 7: it has",
        "a.jsonl, line 9: unknown variant",
        "a.jsonl, line 10: it is cut off",
        "b.jsonl, line 1: it is the log of Mallory",
        "c.jsonl, line 1: it was written by a newer program",
    ] {
        assert!(told.contains(what), "{what} in\n{told}");
    }
}

#[test]
fn two_kinds_of_log_in_one_folder_are_refused() {
    let folders = Folders::new();
    sessions(&folders);
    let turn =
        "{\"timestamp\":\"2024-01-01T10:00:00Z\",\"room_vnum\":3001,\"hp\":5,\"max_hp\":9,\"action\":\"look\"}\n";
    folders.session(AGENT, "x.jsonl", turn);
    let error = format!("{:#}", ran(&folders.args()).0.expect_err("two kinds"));
    assert!(error.contains("mix two kinds of log") && error.contains("x.jsonl"), "{error}");
    assert!(!folders.args().output.join(AGENT).join(GRAPH_FILE).exists());
}

#[test]
fn a_damaged_or_newer_graph_is_kept_aside_and_made_anew() {
    let folders = Folders::new();
    sessions(&folders);
    ran(&folders.args()).0.expect("a dream");
    let good = folders.output(GRAPH_FILE);
    let path = folders.args().output.join(AGENT).join(GRAPH_FILE);
    let version = dreaming::document::VERSION;
    let newer = good.replacen(&format!("\"version\":{version}"), &format!("\"version\":{}", version + 1), 1);
    assert_ne!(newer, good);
    for (i, bad) in [&good[..good.len() / 2], &newer, "[]", "\u{0}"].iter().enumerate() {
        fs::write(&path, bad).expect("written");
        let (outcome, told) = ran(&folders.args());
        assert_eq!(outcome.expect("a dream").report.events_dreamt, 300);
        assert!(told.contains(&format!("kept aside as {GRAPH_FILE}.kept-{}", i + 1)), "{told}");
        assert_eq!(folders.output(GRAPH_FILE), good);
        assert_eq!(folders.output(&format!("{GRAPH_FILE}.kept-{}", i + 1)), **bad);
    }
}

#[test]
fn the_second_of_two_dreams_says_so() {
    let folders = Folders::new();
    sessions(&folders);
    let folder = Folder::open(&folders.args().output, AGENT).expect("a name");
    let held = folder.lock().expect("nobody dreams");
    let error = ran(&folders.args()).0.expect_err("somebody dreams").to_string();
    assert!(error.contains("is dreaming already"), "{error}");
    drop(held);
    ran(&folders.args()).0.expect("nobody dreams any more");
}

#[test]
fn nothing_to_dream_of_says_where_it_looked() {
    let folders = Folders::new();
    let error = ran(&folders.args()).0.expect_err("no folder").to_string();
    assert!(error.contains("there is no folder") && error.contains("--sessions"), "{error}");
    fs::create_dir_all(folders.args().sessions).expect("a folder");
    let error = ran(&folders.args()).0.expect_err("no logs").to_string();
    assert!(error.contains("nothing to dream of") && error.contains("dp-agent session"), "{error}");
}

#[test]
fn older_files_may_be_taken_away() {
    let folders = Folders::new();
    sessions(&folders);
    ran(&folders.args()).0.expect("a dream");
    let before = folders.output(GRAPH_FILE);
    fs::remove_file(session_folder(&folders.args()).join("2024-01-01-080000.jsonl")).expect("removed");
    let (outcome, told) = ran(&folders.args());
    assert_eq!(outcome.expect("a dream").report.rebuilt, None);
    assert!(told.contains("60 older records are no longer in the log"), "{told}");
    assert_eq!(folders.output(GRAPH_FILE), before);
}

#[test]
fn a_log_of_turns_is_taken_for_what_it_says() {
    let folders = Folders::new();
    let line = |minute: u32, rest: &str| {
        format!(
            "{{\"timestamp\":\"2024-05-12T15:{minute:02}:00Z\",\"room_vnum\":3001,\"room_name\":\"A Dark Corridor\",\
             \"max_hp\":100,\"agent_level\":5,{rest}}}\n"
        )
    };
    let text = [
        line(0, "\"hp\":90,\"action\":\"hit goblin\",\"fighting\":\"goblin\""),
        line(1, "\"hp\":80,\"action\":\"hit goblin\",\"fighting\":\"goblin\""),
        line(2, "\"hp\":12,\"action\":\"hit goblin\",\"fighting\":\"goblin\""),
        line(3, "\"hp\":12,\"action\":\"flee\",\"fighting\":\"goblin\""),
        line(4, "\"hp\":50,\"action\":\"hit goblin\",\"fighting\":\"goblin\",\"mob_level\":5"),
        line(
            5,
            "\"hp\":50,\"action\":\"look\",\"combat_result\":\"killed\",\"target_entity\":\"goblin\",\"mob_level\":5",
        ),
        line(6, "\"hp\":50,\"action\":\"give sword bob\",\"social_type\":\"gift\",\"social_target\":\"Bob\""),
        line(7, "\"hp\":50,\"action\":\"look\",\"social_type\":\"betrayal\",\"social_target\":\"Mallory\""),
        line(8, "\"hp\":50,\"action\":\"get crown\",\"item_level\":85"),
        line(9, "\"hp\":50,\"action\":\"get nothing\""),
        line(9, "\"hp\":50,\"action\":\"get nothing\""),
    ];
    folders.session(AGENT, "other.jsonl", &text.concat());
    let (outcome, _) = ran(&folders.args());
    let outcome = outcome.expect("a dream");
    assert_eq!(outcome.lines_twice, 1);
    let story = &outcome.summary;
    for told in [
        "At a Dark Corridor: killed goblin; gave something to Bob; was betrayed by Mallory (a terrible moment); found crown.",
        "Was brought down to 12 % of health by goblin at a Dark Corridor (a difficult moment).",
        "Mallory — dangerous, a traitor on May 12, 2024 (met on May 12, 2024)",
    ] {
        assert!(story.contains(told), "{told} in\n{story}");
    }
    assert!(!story.contains("Fled"), "the fight went on, so it did not get away:\n{story}");
    assert_eq!(story.matches("killed").count(), 1, "a hit is no kill:\n{story}");
    assert!(story.contains("### Session 1 — May 12, 2024, 3:00 PM – 3:08 PM UTC\n"), "no date of the game:\n{story}");
}

#[test]
fn a_log_of_turns_says_no_more_than_it_knows() {
    let folders = Folders::new();
    let line = |minute: u32, room: u32, rest: &str| {
        format!(
            "{{\"timestamp\":\"2024-05-12T15:{minute:02}:00Z\",\"room_vnum\":{room},\"room_name\":\"Room {room}\",\
             \"outcome\":\"ok\",{rest}}}\n"
        )
    };
    let text = [
        line(0, 1, "\"action\":\"get all corpse\""),
        line(1, 2, "\"action\":\"get\",\"args\":[\"all.tail\"]"),
        line(2, 1, "\"action\":\"get 10 coins\""),
        line(3, 2, "\"action\":\"get tail bag\""),
        line(4, 1, "\"action\":\"get 2.tail corpse\""),
        line(5, 1, "\"action\":\"take the lamp\""),
    ];
    folders.session(AGENT, "own.jsonl", &text.concat());
    let story = ran(&folders.args()).0.expect("a dream").summary;
    assert!(story.contains("Came to Room 1 and Room 2.") && !story.contains("first time"), "{story}");
    let found: Vec<&str> = story.lines().filter(|line| line.to_lowercase().contains("found")).collect();
    assert_eq!(found, ["Found tail and lamp in Room 1."], "{story}");
}

#[test]
fn insights_are_handed_down_with_their_evidence() {
    let folders = Folders::new();
    sessions(&folders);
    ran(&folders.args()).0.expect("a dream");
    folders.session("Heir", "a.jsonl", &export("Heir", true, &Life::new(Shape::default()).take(5).collect::<Vec<_>>()));
    let mut args = folders.args();
    args.agent = "Heir".into();
    args.inherit = vec![AGENT.into()];
    let (outcome, _) = ran(&args);
    let story = outcome.expect("a dream").summary;
    assert!(story.contains(&format!("(handed down by {AGENT}, generation 0, 1 hand)")), "{story}");
    let graph = fs::read_to_string(args.output.join("Heir").join(GRAPH_FILE)).expect("written");
    let graph: serde_json::Value = serde_json::from_str(&graph).expect("JSON");
    let nodes = graph["nodes"].as_array().expect("nodes");
    let handed: Vec<_> = nodes.iter().filter(|node| node["reflection"]["from_agent"] == AGENT).collect();
    assert!(!handed.is_empty());
    for node in handed {
        assert_eq!(node["reflection"]["wisdom"], 1);
        assert!(!node["reflection"]["evidence"].as_array().expect("evidence").is_empty());
    }
    // Dreaming again takes nothing over twice.
    let before = fs::read(args.output.join("Heir").join(GRAPH_FILE)).expect("written");
    ran(&args).0.expect("a dream");
    assert_eq!(fs::read(args.output.join("Heir").join(GRAPH_FILE)).expect("written"), before);
}

#[test]
fn nothing_is_inherited_into_the_folder_of_a_server() {
    let folders = Folders::new();
    sessions(&folders);
    ran(&folders.args()).0.expect("a dream");
    let mut args = folders.args();
    fs::write(args.output.join(dream_folder::OWNER_FILE), "{}").expect("marked");
    ran(&args).0.expect("other dreams are dreamt there as before");
    args.agent = "Heir".into();
    args.inherit = vec![AGENT.into()];
    let why = ran(&args).0.expect_err("it is refused").to_string();
    assert!(why.contains(&format!("dp-server inherit --from {AGENT} --to Heir")), "{why}");
    assert!(!args.output.join("Heir").exists(), "nothing was written");
}

#[test]
fn the_graph_can_be_looked_at() {
    let folders = Folders::new();
    sessions(&folders);
    for name in ["graph.svg", "graph.html"] {
        let mut args = folders.args();
        args.graph = Some(folders.root.path().join(name));
        ran(&args).0.expect("a dream");
        let picture = fs::read_to_string(folders.root.path().join(name)).expect("drawn");
        assert!(picture.contains("<svg") && picture.contains("<title>") && picture.contains("stands on"), "{name}");
    }
    let mut args = folders.args();
    args.graph = Some(folders.root.path().join("graph.png"));
    assert!(ran(&args).0.expect_err("no such picture").to_string().contains(".svg or .html"));
}

/// A model that answers each time with the next of these, and its endpoint.
struct Answers {
    runtime: tokio::runtime::Runtime,
    stub: crate::stub::Stub,
}

impl Answers {
    fn new(lines: &[String]) -> Answers {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.expect("a runtime");
        let script = crate::stub::policy::Scripted::read(&lines.join("\n")).expect("a script");
        let options = crate::stub::StubOptions::default();
        let stub = runtime.block_on(crate::stub::start(0, Box::new(script), options)).expect("a free port");
        Answers { runtime, stub }
    }

    fn model(&self) -> Model {
        let settings = crate::model::ModelSettings { endpoint: self.stub.endpoint(), ..Default::default() };
        Model::new(settings).expect("settings")
    }

    fn stop(self) {
        self.stub.stop();
        self.runtime.shutdown_background();
    }
}

fn in_words(words: &str, evidence: u64) -> String {
    let answer = format!(r#"{{"insights":[{{"id":1,"words":"{words}","evidence":[{evidence}]}}]}}"#);
    serde_json::json!({"reply": format!("Here it is:\n```json\n{answer}\n```"), "times": 99}).to_string()
}

/// An insight of the life of `sessions` and an event that it stands on: what is asked for first.
fn first_insight(folders: &Folders) -> (String, u64) {
    ran(&folders.args()).0.expect("a dream");
    let graph = Graph::from_json(folders.output(GRAPH_FILE).as_bytes(), AGENT).expect("a graph");
    let told = dreaming::narrate::insights_told(&graph);
    let first = told.first().expect("an insight");
    (first.text.to_string(), *first.evidence.last().expect("evidence"))
}

#[test]
fn a_model_may_say_insights_in_other_words_and_the_graph_stays() {
    let folders = Folders::new();
    sessions(&folders);
    let (insight, event) = first_insight(&folders);
    let (graph, story) = (folders.output(GRAPH_FILE), folders.output(SUMMARY_FILE));
    assert!(story.contains(insight.trim_end_matches('.')), "{story}");
    let words = format!("So {}", insight.trim_end_matches('.'));
    let args = DreamArgs { reflect: Reflect::Llm, ..folders.args() };
    let answers = Answers::new(&[in_words(&words, event)]);
    let (outcome, told) = ran_with(&args, Some(&answers.model()));
    assert!(told.contains("1 of ") && outcome.is_ok(), "{told}");
    let reworded = folders.output(SUMMARY_FILE);
    assert!(reworded.contains(&words) && !reworded.contains(&format!("\n{insight}")), "{told}{reworded}");
    assert_eq!(folders.output(GRAPH_FILE), graph, "the graph is that of the rules");
    let asked = answers.stub.last_request().expect("asked").to_string();
    assert!(asked.contains(&insight[..20]) && !asked.contains("response_format"), "{asked}");
    // A second time the kept words are told, and only the others are asked for.
    let (_, told) = ran_with(&args, Some(&answers.model()));
    assert_eq!(folders.output(SUMMARY_FILE), reworded, "{told}");
    let asked = answers.stub.last_request().expect("asked").to_string();
    assert!(!asked.contains(&insight), "{asked}");
    answers.stop();
    // By rules it is told as before.
    ran(&folders.args()).0.expect("a dream");
    assert_eq!(folders.output(SUMMARY_FILE), story);
}

#[test]
fn words_that_invent_something_are_refused() {
    let folders = Folders::new();
    sessions(&folders);
    let (insight, event) = first_insight(&folders);
    let story = folders.output(SUMMARY_FILE);
    let args = DreamArgs { reflect: Reflect::Llm, ..folders.args() };
    let good = insight.trim_end_matches('.').replace('"', "'");
    for (line, why) in [
        (in_words(&format!("{good}, 4711 times"), event), "4711"),
        (in_words(&format!("{good}, says Zorblax"), event), "Zorblax"),
        (in_words(&good, 999_999), "999999"),
        (in_words("", event), "says nothing"),
        (serde_json::json!({"reply": "I would rather not.", "times": 9}).to_string(), "holds no JSON"),
        (serde_json::json!({"reply": "{\"insights\": 7}", "times": 9}).to_string(), "not what was asked for"),
    ] {
        let answers = Answers::new(&[line]);
        let (outcome, told) = ran_with(&args, Some(&answers.model()));
        outcome.expect("a dream all the same");
        assert!(told.contains(why) && told.contains("as it is") | told.contains("as they are"), "{told}");
        assert_eq!(folders.output(SUMMARY_FILE), story, "{told}");
        answers.stop();
    }
}

#[test]
fn a_model_that_cannot_be_asked_spoils_no_dream() {
    let folders = Folders::new();
    sessions(&folders);
    first_insight(&folders);
    let story = folders.output(SUMMARY_FILE);
    let args = DreamArgs { reflect: Reflect::Llm, ..folders.args() };
    assert!(format!("{:#}", ran(&args).0.expect_err("no model")).contains("--litellm-endpoint"));
    // Nobody listens on the port of a stub that is gone.
    let answers = Answers::new(&[in_words("x", 1)]);
    let model = answers.model();
    answers.stop();
    let (outcome, told) = ran_with(&args, Some(&model));
    outcome.expect("a dream all the same");
    assert!(told.contains("stay as they are") && told.contains("cannot be reached"), "{told}");
    // Nor does a budget that is used up, or a file of words that somebody spoilt.
    let limits = crate::ledger::Limits::new(Some(10), None);
    let answers = Answers::new(&[in_words("x", 1)]);
    let settings = crate::model::ModelSettings { endpoint: answers.stub.endpoint(), limits, ..Default::default() };
    fs::write(folders.root.path().join("dreaming").join(AGENT).join(dream_folder::WORDS_FILE), "no JSON")
        .expect("written");
    let (outcome, told) = ran_with(&args, Some(&Model::new(settings).expect("settings")));
    outcome.expect("a dream all the same");
    assert!(told.contains("budget") && told.contains("could not be used and is made anew"), "{told}");
    assert_eq!(answers.stub.served(), 0);
    answers.stop();
    assert_eq!(folders.output(SUMMARY_FILE), story);
}
