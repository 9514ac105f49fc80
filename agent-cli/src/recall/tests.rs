//! Recall from a folder of dreams on a real disk, with and without likeness of meaning.

use super::*;
use crate::embeddings::tests::Letters;
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, dream};
use std::sync::atomic::Ordering;

struct Dreams(tempfile::TempDir);

impl Dreams {
    /// A life of which a good deal is remembered.
    fn new() -> Dreams {
        let dreams = Dreams(tempfile::tempdir().expect("a temporary folder"));
        let records: Vec<_> = Life::new(Shape { events_per_day: 60, ..Shape::default() }).take(240).collect();
        let last = records.last().expect("records").at_ms;
        let dreamt = dream(None, &records, &Config::new(AGENT, calendar::day_of(last, 0)));
        let folder = dreams.0.path().join(AGENT);
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(GRAPH_FILE), dreamt.graph.to_json()).expect("written");
        dreams
    }

    fn args(&self, words: &[&str]) -> RecallArgs {
        RecallArgs {
            words: words.iter().map(|word| word.to_string()).collect(),
            agent: Some(AGENT.into()),
            output: Some(self.0.path().to_path_buf()),
            state_dir: None,
            present: Vec::new(),
            why: None,
            count: K,
            json: false,
            embeddings: EmbeddingArgs { embedding_model: "letters".into(), ..EmbeddingArgs::default() },
        }
    }

    fn graph(&self) -> Graph {
        let bytes = std::fs::read(self.0.path().join(AGENT).join(GRAPH_FILE)).expect("a graph");
        Graph::from_json(&bytes, AGENT).expect("a graph")
    }
}

fn recalled(args: &RecallArgs) -> (anyhow::Result<bool>, String, String) {
    let (mut out, mut told) = (Vec::new(), Vec::new());
    let found = run(args, &mut out, &mut told);
    (found, String::from_utf8(out).expect("text"), String::from_utf8(told).expect("text"))
}

/// Somebody who was met, by name and key.
fn somebody(graph: &Graph) -> (String, String) {
    let met = graph.alive().find_map(|(_, node)| match &node.body {
        Body::Thing(thing) if graph.names.is_player(thing.name) && !node.is_me() => Some(thing.name),
        _ => None,
    });
    let met = met.expect("somebody was met");
    (graph.names.name(met).to_string(), graph.names.key(met).to_string())
}

#[test]
fn what_is_asked_for_comes_first_and_says_why() {
    let dreams = Dreams::new();
    let (name, key) = somebody(&dreams.graph());
    let (found, text, told) = recalled(&dreams.args(&["Is", &name, "a", "friend?"]));
    assert!(found.expect("it runs") && told.is_empty());
    assert!(text.lines().next().expect("a line").contains(&name), "{text}");
    // With the world's date, as in the game's own recall; an event begins with its dates.
    let of_key = text.lines().find_map(|line| line.rsplit_once(&format!("[{key}, "))).expect("with a date");
    let year = of_key.1.trim_end_matches(']').rsplit(' ').next().expect("a year");
    assert!(year.parse::<u32>().is_ok(), "{text}");
    let of_events = text.lines().filter_map(|line| line.rsplit_once("[event:"));
    assert!(of_events.into_iter().all(|(_, end)| end.trim_end_matches(']').parse::<u64>().is_ok()), "{text}");
    let (found, why, _) = recalled(&RecallArgs { why: Some(key.clone()), ..dreams.args(&[]) });
    assert!(found.expect("it runs") && why.lines().count() >= 2 && why.contains("2026"), "{why}");
    let (_, moment, _) = recalled(&RecallArgs { present: vec![key], ..dreams.args(&[]) });
    assert!(moment.contains(&name), "{moment}");
}

#[test]
fn what_was_handed_down_stands_on_the_log_of_another() {
    let dreams = Dreams::new();
    let inherited = dreaming::config::Inherited {
        agent: "Wren".into(),
        id: "reflection:mob:7".into(),
        text: "A troll is too strong for me.".into(),
        evidence: vec![1, 2],
        valence: -2.0,
        ..Default::default()
    };
    let graph = dreams.graph();
    let config = Config { inherit: vec![inherited], ..Config::new(AGENT, graph.through) };
    let dreamt = dream(Some(graph), &[], &config);
    std::fs::write(dreams.0.path().join(AGENT).join(GRAPH_FILE), dreamt.graph.to_json()).expect("written");
    let id = Some("inherited:wren:reflection:mob:7".to_string());
    let (found, why, _) = recalled(&RecallArgs { why: id, ..dreams.args(&[]) });
    assert!(found.expect("it runs") && why.contains("Handed down by Wren"), "{why}");
    assert_eq!(why.matches("is not remembered").count(), 2, "its own events 1 and 2 are others: {why}");
}

#[test]
fn what_is_not_remembered_is_not_made_up() {
    let dreams = Dreams::new();
    let (_, text, _) = recalled(&dreams.args(&["What did Xanthippe give me?"]));
    assert!(text.starts_with("Nothing is remembered of: xanthippe."), "{text}");
    let args = RecallArgs { json: true, ..dreams.args(&["What did Xanthippe give me?"]) };
    let answer: serde_json::Value = serde_json::from_str(&recalled(&args).1).expect("JSON");
    assert_eq!((&answer["answers"], &answer["recall"]["strangers"]), (&json!(false), &json!(["xanthippe"])));
    let (error, ..) = recalled(&RecallArgs { why: Some("event:999999".into()), ..dreams.args(&[]) });
    assert!(error.expect_err("no such memory").to_string().contains("nothing is remembered under"));
    let (error, ..) = recalled(&RecallArgs { agent: Some("Nobody".into()), ..dreams.args(&["x"]) });
    assert!(error.expect_err("no graph").to_string().contains("A server makes it in its next night"));
    std::fs::write(dreams.0.path().join(AGENT).join(GRAPH_FILE), "damaged").expect("written");
    let (error, ..) = recalled(&dreams.args(&["x"]));
    assert!(error.expect_err("no graph").to_string().contains("cannot be used"));
    assert!(dreams.0.path().join(AGENT).join(GRAPH_FILE).is_file(), "looking moves nothing");
}

#[test]
fn likeness_of_meaning_finds_what_words_do_not() {
    let dreams = Dreams::new();
    let (name, key) = somebody(&dreams.graph());
    // The same letters, and no word of any memory.
    let sought = Index::new(Arc::new(dreams.graph())).memories().find(|(id, ..)| *id == key).expect("a memory").1;
    let scrambled: String =
        sought.to_lowercase().bytes().filter(u8::is_ascii_lowercase).rev().map(char::from).collect();
    let (_, without, _) = recalled(&dreams.args(&[&scrambled]));
    let letters = Letters::well();
    let mut args = dreams.args(&[&scrambled]);
    args.embeddings.embeddings = Some(letters.base.clone());
    let (found, with, told) = recalled(&args);
    assert!(found.expect("it runs") && told.is_empty(), "{told}");
    assert!(with.contains(&name) && with.contains(&key) && !without.contains(&key), "{with}\n{without}");
    let asked = letters.requests.load(Ordering::SeqCst);
    let (_, again, _) = recalled(&args);
    assert_eq!(again, with);
    assert_eq!(letters.requests.load(Ordering::SeqCst), asked + 1, "memories are known; only the question is new");
}

#[test]
fn a_failing_endpoint_is_told_and_the_rest_works() {
    let dreams = Dreams::new();
    let (name, _) = somebody(&dreams.graph());
    let (_, without, _) = recalled(&dreams.args(&[&name]));
    let broken = Letters::serve(|_| (503, json!({})));
    let mut args = dreams.args(&[&name]);
    args.embeddings.embeddings = Some(broken.base.clone());
    let (found, text, told) = recalled(&args);
    assert!(found.expect("it runs"));
    assert!(told.contains("Without likeness of meaning") && told.contains("503"), "{told}");
    assert_eq!(text, without);
}

#[test]
fn what_the_flags_leave_open_is_in_the_settings() {
    let dreams = Dreams::new();
    let state = tempfile::tempdir().expect("a folder");
    let mut args = RecallArgs { agent: None, output: None, ..dreams.args(&["who"]) };
    let (error, ..) = recalled(&args);
    assert!(error.expect_err("whose?").to_string().contains("--name NAME"));
    let settings = |state_dir: &Path| crate::config::Config {
        player_name: Some(AGENT.into()),
        state_dir: Some(state_dir.to_path_buf()),
        ..crate::config::Config::default()
    };
    // A server runs there, and says where.
    let running = json!({"pid": 1, "dreaming_dir": dreams.0.path()});
    std::fs::write(state.path().join("server.json"), running.to_string()).expect("written");
    args.fill_in(&settings(state.path())).expect("filled in");
    assert_eq!((args.agent.as_deref(), args.output.as_deref()), (Some(AGENT), Some(dreams.0.path())));
    assert!(recalled(&args).0.is_ok());
    // None runs, and the rule is the server's own.
    std::fs::remove_file(state.path().join("server.json")).expect("removed");
    let mut args = RecallArgs { agent: Some("Rook".into()), output: None, ..dreams.args(&["who"]) };
    args.fill_in(&settings(state.path())).expect("filled in");
    assert_eq!(args.output, Some(state.path().join("dreaming")));
    let (error, ..) = recalled(&args);
    let why = error.expect_err("no dreams").to_string();
    assert!(why.starts_with("Rook remembers nothing") && why.contains("dp-server dream --name Rook"), "{why}");
    // A flag wins over the settings, and a folder that is not there is told.
    let nowhere = Some(state.path().join("nowhere"));
    let mut args = RecallArgs { output: None, state_dir: nowhere, ..dreams.args(&["who"]) };
    let why = args.fill_in(&settings(state.path())).expect_err("no such folder").to_string();
    assert!(why.contains("there is no state folder") && why.contains("nowhere"), "{why}");
}
