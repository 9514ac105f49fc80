//! What who runs a server relies on: where its settings come from, what it logs, and what it tells about itself.

use super::{green, green_with};
use serde_json::Value;
use tests::e2e::{Options, Server, run};

/// Writes a config file into a folder of its own.
fn config(text: &str) -> (tempfile::TempDir, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("dp.toml");
    std::fs::write(&path, text).expect("written");
    let path = path.display().to_string();
    (folder, path)
}

#[test]
fn a_flag_wins_over_the_environment_and_that_over_the_file() {
    let (_folder, path) = config("[log]\nlog = 'error'\n");
    let talks = |words: &[&str], environment: &[(&'static str, &str)]| {
        let environment = environment.iter().map(|(name, value)| (*name, value.to_string())).collect();
        let server = Server::start_with(Options { environment, ..green_with(words) });
        let stopped = server.stop();
        assert_eq!(stopped.code, Some(0), "{}", stopped.log);
        stopped.log.contains("the world is up")
    };
    assert!(talks(&[], &[]), "by default it does");
    assert!(!talks(&["--config", &path], &[]), "the file wins over the default");
    assert!(!talks(&[], &[("DP_SERVER_CONFIG", &path)]), "and may be named in the environment");
    assert!(talks(&["--config", &path], &[("DP_SERVER_LOG", "info")]), "the environment wins over the file");
    assert!(!talks(&["--log", "error"], &[("DP_SERVER_LOG", "info")]), "a flag wins over the environment");
}

#[test]
fn a_switch_may_come_from_the_file_and_from_the_environment() {
    let world = super::operator::broken_world();
    let options = || Options { world: world.path().into(), ..Options::default() };
    let (_folder, path) = config("lenient = true\n");
    drop(Server::start_with(Options { more: vec!["--config".into(), path.clone()], ..options() }));
    let environment = |value: &str| vec![("DP_SERVER_LENIENT", value.to_string())];
    drop(Server::start_with(Options { environment: environment("yes"), ..options() }));
    let off = Options { more: vec!["--config".into(), path], environment: environment("0"), ..options() };
    let failed = Server::fails_to_start(off);
    assert!(failed.code == Some(1) && failed.err.contains("--lenient"), "{failed:?}");
}

#[test]
fn a_file_that_is_not_understood_starts_no_server() {
    for (text, words) in [
        ("\ntick-msec = 5\n", ["dp.toml:2", "tick-msec", "did you mean `tick-ms`"]),
        ("tick-ms = 'fast'\n", ["dp.toml:1", "tick-ms", "whole number"]),
        ("[doors]\nhttp = '127.0.0.1'\n", ["dp.toml:2", "http", "127.0.0.1"]),
        ("db = 'sqlite:x\n", ["dp.toml:1", "dp-server:", ""]),
    ] {
        let (_folder, path) = config(text);
        let failed = Server::fails_to_start(green_with(&["--config", &path]));
        assert!(failed.code == Some(1) && failed.out.is_empty(), "{failed:?}");
        assert!(words.iter().all(|word| failed.err.contains(word)), "{words:?}: {}", failed.err);
    }
    let missing = Server::fails_to_start(green_with(&["--config", "/nowhere/dp.toml"]));
    assert!(missing.code == Some(1) && missing.err.contains("/nowhere/dp.toml"), "{missing:?}");
}

#[test]
fn a_subcommand_finds_the_state_that_the_file_names() {
    let state = tempfile::tempdir().expect("a folder");
    let (_folder, path) = config(&format!("state-dir = {:?}\n", state.path().display().to_string()));
    assert_eq!(run(&["keygen", "--name", "Brenda", "--config", &path]).code, Some(0));
    let listed = run(&["keys", "--state-dir", &state.path().display().to_string()]);
    assert!(listed.out.contains("brenda"), "{listed:?}");
}

#[test]
fn a_log_in_json_is_nothing_but_json() {
    let server = Server::start_with(green_with(&["--log-format", "json", "--log", "debug"]));
    let stopped = server.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let line = |text: &str| serde_json::from_str::<Value>(text).unwrap_or_else(|error| panic!("{error}: {text}"));
    let lines: Vec<Value> = stopped.log.lines().map(line).collect();
    let up = lines.iter().find(|line| line["fields"]["message"] == "the world is up").expect("it says so");
    assert_eq!((&up["level"], &up["fields"]["seed"]), (&"INFO".into(), &7.into()), "{up}");
    // The reason why it does not start as well.
    let held = Server::start_with(green());
    let second = Options { state: Some(held.state.clone()), ..green_with(&["--log-format", "json"]) };
    let failed = Server::fails_to_start(second);
    let last = line(failed.err.lines().last().expect("it says why"));
    assert!(last["fields"]["message"].to_string().contains("holds the state folder"), "{}", failed.err);
}
