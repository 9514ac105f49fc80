//! `odds`: what a decision is worth, in many worlds that differ in chance alone.

use super::dice::menagerie;
use super::green;
use serde_json::{Value, json};
use std::path::Path;
use tests::e2e::{Run, Server, run};

/// Whoever means to die has to say so twice.
const BOLD: &str = "kill bull;kill bull";

fn odds(state: &Path, more: &[&str]) -> Run {
    let state = state.display().to_string();
    let ticks: &[&str] = if more.contains(&"--ticks") { &[] } else { &["--ticks", "12"] };
    run(&[&["odds", "--state-dir", &state, "--samples", "60"], ticks, more].concat())
}

fn numbers(state: &Path, command: &str, more: &[&str]) -> Value {
    let answer = odds(state, &[&["--name", "ann", "--json", "--command", command], more].concat());
    assert_eq!(answer.code, Some(0), "{answer:?}");
    serde_json::from_str(&answer.out).unwrap_or_else(|error| panic!("{error}: {answer:?}"))
}

#[tokio::test]
async fn a_decision_is_worth_what_becomes_of_it_in_many_worlds() {
    let (server, _ann, _mason) = menagerie().await;
    // Beside the running server: the newest tick, and nobody notices.
    let before = server.get("/health").await.json()["tick"].clone();
    let state = server.state.clone();
    let looked = numbers(state.path(), "look", &[]);
    assert_eq!([&looked["name"], &looked["command"], &looked["seed"]], [&json!("Ann"), &json!("look"), &json!(1)]);
    let died = json!({"p": 0.0, "low": 0.0, "high": looked["died"]["high"]});
    assert_eq!((&looked["samples"], &looked["tick"], &looked["died"]), (&json!(60), &json!(5), &died), "{looked}");
    assert!((0.05..0.07).contains(&looked["died"]["high"].as_f64().expect("a number")), "{looked}");
    assert_eq!((&looked["killed"]["p"], &looked["fled"]["p"]), (&json!(0.0), &json!(0.0)), "{looked}");
    let beside = odds(state.path(), &["--name", "Ann", "--json", "--command", BOLD]);
    assert_eq!(server.get("/health").await.json()["tick"], before);
    drop(server.stop());

    let bold = odds(state.path(), &["--name", "Ann", "--json", "--command", BOLD]);
    let again = odds(state.path(), &["--name", "Ann", "--json", "--command", BOLD]);
    assert!(bold.code == Some(0) && bold.out == again.out, "{bold:?} {again:?}");
    // The stop cut her off after the tick, and is not part of it.
    assert_eq!(beside.out, bold.out);
    let bull = numbers(state.path(), BOLD, &[]);
    let p = |of: &Value, what: &str| of[what]["p"].as_f64().expect("a number");
    assert!(p(&bull, "died") > 0.9 && p(&bull, "killed") == 0.0, "{bull}");
    assert_eq!(bull["outcomes"]["attacked"], 60, "{bull}");
    // A rat may be beaten, or not yet.
    let rat = numbers(state.path(), "kill rat", &["--ticks", "30"]);
    assert!(0.0 < p(&rat, "killed") && p(&rat, "killed") < 1.0, "{rat}");
    assert_eq!(rat["outcomes"]["kill_credit"].as_f64(), Some((60.0 * p(&rat, "killed")).round()), "{rat}");
    let victims: u64 = rat["victims"].as_object().expect("names").values().filter_map(Value::as_u64).sum();
    assert_eq!(Some(victims), rat["outcomes"]["kill_credit"].as_u64(), "{rat}");
    assert_ne!(numbers(state.path(), "kill rat", &["--ticks", "30", "--seed", "2"]), rat, "other chance");
    let refused = numbers(state.path(), "kill unicorn", &[]);
    assert_eq!(refused["refusals"], json!({"There is nobody of that name here.": 60}), "{refused}");
    // In place of an input: before the first she is not there, after the last there is none.
    let early = odds(state.path(), &["--name", "Ann", "--command", "look", "--input", "1"]);
    assert!(early.code == Some(1) && early.err.contains("nobody is"), "{early:?}");
    let late = odds(state.path(), &["--name", "Ann", "--command", "look", "--input", "99999"]);
    assert!(late.code == Some(1) && late.err.contains("before input 99999"), "{late:?}");
    // Whoever is bold and runs: what waits for the end of a lag is done then.
    let ran = numbers(state.path(), &format!("{BOLD};flee"), &["--at", "5"]);
    assert!(p(&ran, "fled") > 0.0, "{ran}");

    let told = odds(state.path(), &["--name", "Ann", "--command", BOLD]);
    assert!(
        told.out.starts_with("Ann types kill bull;kill bull after tick 5: 60 worlds of 12 ticks each, seed 1\n"),
        "{told:?}"
    );
    assert!(told.out.contains("with 95 % certainty") && told.out.contains("  attacked         in 60"), "{told:?}");
    // What a secret verb is given stays out of everything.
    let secret = odds(state.path(), &["--name", "Ann", "--command", "password swordfish swordfish"]);
    assert!(secret.code == Some(0) && !secret.out.contains("swordfish"), "{secret:?}");
}

#[tokio::test]
async fn odds_of_what_cannot_be_are_refused_in_a_sentence() {
    let (server, _ann, _mason) = menagerie().await;
    let state = server.stop().state;
    let ann = ["--name", "Ann", "--command", "look"];
    let at = |tick| [&ann[..], &["--at", tick]].concat();
    let long = "x".repeat(1_001);
    for (more, why) in [
        (vec!["--name", "Zed", "--command", "look"], "nobody called \"Zed\" is in the world at tick 5; there are ann"),
        (at("3500"), "ends with tick 5, before tick 3500"),
        (at("0"), "nobody called \"Ann\" is in the world at tick 0; nobody is"),
        (vec!["--name", "Ann", "--command", "say one\nsay two"], "control characters"),
        (vec!["--name", "Ann", "--command", &long], "has 1001 characters"),
    ] {
        let refused = odds(state.path(), &more);
        assert!(refused.code == Some(1) && refused.err.contains(why), "{why}: {refused:?}");
        assert!(refused.out.is_empty(), "{refused:?}");
    }
    let path = state.path().display().to_string();
    for (flag, value, why) in [
        ("--samples", "0", "nothing to count"),
        ("--samples", "100001", "at most 100000"),
        ("--ticks", "0", "nothing could come of it"),
        ("--ticks", "10001", "at most 10000"),
    ] {
        let refused = run(&[&["odds", "--state-dir", &path, flag, value][..], &ann].concat());
        assert!(refused.code == Some(1) && refused.err.contains(why), "{flag} {value}: {refused:?}");
    }
    let empty = tempfile::tempdir().expect("a folder");
    for folder in [empty.path().to_path_buf(), empty.path().join("none")] {
        let refused = odds(&folder, &ann);
        assert!(refused.code == Some(1) && refused.err.contains("journal"), "{refused:?}");
    }
    assert!(!empty.path().join("none").exists(), "nothing is made");
}

/// The first input before which the world has come to that tick: what follows the tick at once.
fn input_after(state: &Path, tick: u64) -> String {
    let state = state.display().to_string();
    let words = ["odds", "--state-dir", &state, "--samples", "1", "--ticks", "1", "--name", "Ann", "--command", "look"];
    let is_at = |input: &String| {
        let answer = run(&[&words[..], &["--json", "--input", input.as_str()]].concat());
        // Before Ann is there it is refused.
        serde_json::from_str(&answer.out).is_ok_and(|odds: Value| odds["tick"] == json!(tick))
    };
    (1..200).map(|input| input.to_string()).find(is_at).expect("the journal reaches that tick")
}

#[tokio::test]
async fn by_tick_and_by_input_a_plot_is_the_same() {
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    server.place("Ann", 200).await;
    server.tick(2).await;
    ann.command("build add lamp 0,1").await;
    ann.expect_text("You build a lamp at 0,1.").await;
    let built = server.tick(2).await;
    ann.command("build remove 0,1").await;
    ann.expect_text("You remove a lamp from 0,1.").await;
    let removed = server.tick(2).await;
    drop(ann);
    let state = server.stop().state;
    let taken = json!({"A lamp stands at 0,1 already. Choose an empty cell.": 60});
    for (tick, refusals) in [(built - 2, json!({})), (built, taken), (removed, json!({}))] {
        let of_tick = numbers(state.path(), "build add mill 0,1", &["--at", &tick.to_string()]);
        assert_eq!((&of_tick["tick"], &of_tick["refusals"]), (&json!(tick), &refusals), "{of_tick}");
        let of_input = numbers(state.path(), "build add mill 0,1", &["--input", &input_after(state.path(), tick)]);
        assert_eq!(of_input, of_tick);
    }
}
