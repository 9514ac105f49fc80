//! Scripts in a running server: read again while it plays, stopped and told, and the same after a kill.

use super::*;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tests::e2e::{Options, Server, run};

const SCRIPT: &str = "zones/1_green/scripts/porter.luau";

/// A world of two rooms and a porter with a script.
fn world(script: &str) -> Arc<TempDir> {
    let folder = tempfile::tempdir().expect("a folder");
    let files = [
        ("world.toml", "name = \"Gate\"\nstart_room = 100\n"),
        ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\n"),
        (
            "zones/1_green/rooms.toml",
            "[[room]]\nvnum = 100\nname = \"A Gate\"\ndescription = \"Iron.\"\n[room.exits.north]\nto = 101\n\
             [[room]]\nvnum = 101\nname = \"A Yard\"\ndescription = \"Cobbles.\"\n[room.exits.south]\nto = 100\n",
        ),
        (
            "zones/1_green/mobs.toml",
            "[[mob]]\nvnum = 110\nkeywords = \"porter\"\nshort = \"the porter\"\nlong = \"A porter.\"\n\
             flags = [\"sentinel\"]\nlevel = 5\nhit_points = \"1d1+50\"\ndamage = \"1d2+0\"\nscripts = [\"porter\"]\n",
        ),
        ("zones/1_green/resets.toml", "[[mob]]\nmob = 110\nroom = 101\n"),
        (SCRIPT, script),
    ];
    for (name, text) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("it can be made");
        std::fs::write(path, text).expect("it can be written");
    }
    Arc::new(folder)
}

fn in_world(folder: &TempDir, state: Option<Arc<TempDir>>) -> Options {
    Options { world: folder.path().to_owned(), state, ..Options::default() }
}

fn reload(state: &Path) -> (Option<i32>, Value) {
    let answer = run(&["scripts", "reload", "--json", "--state-dir", &state.display().to_string()]);
    (answer.code, serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}")))
}

fn greeting(words: &str) -> String {
    format!("function greet(ev)\n saved.n = (saved.n or 0) + 1\n ev.self:say(`{words} {{saved.n}}.`)\nend\n")
}

/// Goes out and in again; what she reads of it.
async fn walk(ann: &mut tests::e2e::Agent) -> String {
    ann.command("south").await;
    ann.command("north").await;
    texts(&ann.fence().await)
}

#[tokio::test]
async fn scripts_are_read_again_while_the_world_is_played_and_kept_over_a_kill() {
    let folder = world(&greeting("Well met"));
    let server = Server::start_with(in_world(&folder, None));
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    ann.command("north").await;
    ann.fence().await;
    assert!(walk(&mut ann).await.contains("Well met 2."), "she came twice");
    std::fs::write(folder.path().join(SCRIPT), greeting("You again")).expect("it can be written");
    assert!(walk(&mut ann).await.contains("Well met 3."), "not before it is read");
    let (code, came) = reload(server.state.path());
    assert_eq!((code, &came), (Some(0), &json!({"ok": true, "changed": ["1/porter"], "problems": []})));
    assert!(walk(&mut ann).await.contains("You again 4."));
    // With a fault in it nothing changes.
    std::fs::write(folder.path().join(SCRIPT), "function greet(ev)\n for k in ev do end\nend\n").expect("written");
    let (code, came) = reload(server.state.path());
    assert_eq!((code, &came["ok"]), (Some(1), &json!(false)), "{came}");
    let problem = came["problems"][0].as_str().expect("a sentence");
    assert!(problem.contains("porter.luau:2") && problem.contains("pairs"), "{problem}");
    std::fs::write(folder.path().join(SCRIPT), "function greet(ev\nend\n").expect("written");
    let (code, came) = reload(server.state.path());
    assert!(code == Some(1) && came["problems"][0].as_str().is_some_and(|why| why.contains("luau:")), "{came}");
    assert!(walk(&mut ann).await.contains("You again 5."));
    server.tick(31).await;
    // What was played is what the journal has, though the file is another one by now.
    let state = server.kill();
    let answer = run(&["replay", "--json", "--state-dir", &state.path().display().to_string()]);
    let replayed: Value = serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
    assert_eq!((answer.code, &replayed["first_difference"]), (Some(0), &Value::Null), "{replayed}");
    // The file is broken still: no start, or one with what play went by.
    let refused = Server::fails_to_start(in_world(&folder, Some(state.clone())));
    assert!(refused.err.contains("--lenient"), "{refused:?}");
    let lenient = Options { more: vec!["--lenient".into()], ..in_world(&folder, Some(state)) };
    let server = Server::start_with(lenient);
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    ann.fence().await;
    assert!(walk(&mut ann).await.contains("You again 6."));
    drop(ann);
    let state = server.kill();
    // A start reads what is on disk, and goes on with what was kept.
    std::fs::write(folder.path().join(SCRIPT), greeting("Third time")).expect("it can be written");
    let server = Server::start_with(in_world(&folder, Some(state)));
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    ann.fence().await;
    assert!(walk(&mut ann).await.contains("Third time 7."));
}

#[tokio::test]
async fn a_script_that_runs_away_is_stopped_told_and_replayed() {
    let endless = "function greet(ev)\n ev.self:say('One.')\n while true do end\nend\n";
    let greedy = "function greet(ev)\n ev.self:say('One.')\n local s = 'ab'\n while true do s = s .. s end\nend\n";
    for (script, why) in [(endless, "took too long"), (greedy, "too much memory")] {
        let folder = world(script);
        let server = Server::start_with(in_world(&folder, None));
        let key = server.key("Ann").await;
        let mut ann = server.connect().await;
        ann.log_in("Ann", &key).await;
        ann.command("north").await;
        let read = texts(&ann.fence().await);
        assert!(read.contains("One.") && !read.contains("script"), "{read}");
        assert!(!walk(&mut ann).await.contains("One."), "it is called no more");
        server.tick(31).await;
        let health = server.get("/health").await;
        let stopped = &health.json()["scripts"]["stopped"][0];
        assert_eq!((&stopped["file"], &stopped["hook"]), (&json!("1/porter"), &json!("greet")), "{}", health.body);
        assert!(health.status == 503 && stopped["why"].as_str().is_some_and(|told| told.contains(why)), "{stopped}");
        assert!(server.log().contains("script 1/porter"), "{}", server.log());
        // It is mended, and runs again.
        std::fs::write(folder.path().join(SCRIPT), greeting("Mended")).expect("it can be written");
        assert_eq!(reload(server.state.path()).0, Some(0));
        assert!(walk(&mut ann).await.contains("Mended 1."));
        server.tick(1).await;
        assert_eq!(server.get("/health").await.status, 200);
        let state = server.kill();
        let answer = run(&["replay", "--json", "--state-dir", &state.path().display().to_string()]);
        let replayed: Value = serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}"));
        assert_eq!((answer.code, &replayed["first_difference"]), (Some(0), &Value::Null), "{replayed}");
    }
}

#[tokio::test]
async fn a_world_with_a_broken_script_is_not_started_and_check_says_where() {
    let folder = world("function greet(ev)\n local x = 2 ^ 3\nend\nfunction ongreet(ev) end\n");
    let refused = Server::fails_to_start(in_world(&folder, None));
    assert!(refused.err.contains("errors"), "{refused:?}");
    let answer = run(&["check", "--world", &folder.path().display().to_string()]);
    assert_eq!(answer.code, Some(1), "{answer:?}");
    for part in ["porter.luau:2", "machines round it differently", "porter.luau:4", "there is no hook \"ongreet\""] {
        assert!(answer.out.contains(part), "{part}: {}", answer.out);
    }
}

#[tokio::test]
async fn calls_are_traced_after_the_fact_and_other_scripts_are_tried() {
    let greeting = "function greet(ev)\n world.log('seen ' .. ev.actor.name)\n ev.self:say('Well met.')\nend\n";
    let folder = world(greeting);
    let server = Server::start_with(in_world(&folder, None));
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    server.tick(40).await;
    ann.command("north").await;
    ann.fence().await;
    walk(&mut ann).await;
    server.tick(31).await;
    let state = server.stop().state;
    let state = state.path().display().to_string();
    let replay = |more: &[&str]| run(&[&["replay", "--state-dir", &state], more].concat());

    let traced = replay(&["--trace-scripts"]);
    assert_eq!(traced.code, Some(0), "{traced:?}");
    let calls: Vec<&str> = traced.out.lines().filter(|line| line.contains("1/porter greet of mob #110")).collect();
    assert_eq!(calls.len(), 2, "{}", traced.out);
    assert!(calls[0].starts_with("tick 40, input ") && calls[0].contains("by Ann"), "{}", calls[0]);
    assert_eq!(traced.out.lines().filter(|line| *line == "    log: seen Ann").count(), 2, "{}", traced.out);
    let named = replay(&["--json", "--trace-scripts", "1/porter"]);
    let first: Value = serde_json::from_str(named.out.lines().next().expect("a call")).expect("JSON");
    assert_eq!((&first["tick"], &first["hook"], &first["actor"]), (&json!(40), &json!("greet"), &json!("Ann")));
    assert!(first["safepoints"].as_u64() > Some(0) && first["host_calls"].as_u64() > Some(1), "{first}");
    assert_eq!(first["log"], json!(["seen Ann"]));
    let unknown = replay(&["--trace-scripts", "1/parter"]);
    assert!(unknown.code == Some(1) && unknown.err.contains("1/porter"), "{unknown:?}");

    let compare = |folder: &Path| {
        let answer = replay(&["--json", "--with-scripts", &folder.display().to_string()]);
        serde_json::from_str::<Value>(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
    };
    let same = compare(folder.path());
    assert_eq!((&same["changed"], &same["first_difference"]), (&json!([]), &Value::Null), "{same}");
    let leaving = world("function greet(ev)\n ev.self:command('south')\nend\n");
    let other = compare(leaving.path());
    assert_eq!((&other["changed"], &other["first_difference"]["tick"]), (&json!(["1/porter"]), &json!(40)), "{other}");
    assert_eq!(other["first_difference"]["input"], first["input"], "{other}");
    let sections = other["first_difference"]["sections"].as_array().expect("a list");
    assert!(sections.contains(&json!("characters")), "{other}");
    let broken = world("function greet(ev\n");
    let refused = replay(&["--with-scripts", &broken.path().display().to_string()]);
    assert!(refused.code == Some(1) && refused.err.contains("porter.luau"), "{refused:?}");
}
