//! Councils from outside: `dp-agent` with several minds, a stand-in for their model, and the real server.

use agent_cli::stub::policy::Utility;
use agent_cli::stub::{self, StubOptions};
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Options, Player, Server};

const LONG: Duration = Duration::from_secs(60);
/// The shipped plot for a village, where everybody may do everything.
const VILLAGE: i32 = 8227;

#[tokio::test(flavor = "multi_thread")]
async fn a_council_builds_on_a_plot_and_its_session_says_how_it_came_to_each_decision() {
    let server = Server::start_with(Options { tick_ms: 50, ..Options::default() });
    let model = stub::start(0, Box::new(Utility::new(1)), StubOptions::default()).await.expect("a port");
    let mut player = Player::of(&server, "Hedda").await;
    player.settings["litellm_endpoint"] = json!(format!("http://{}", model.address));
    player.save();
    let logs = player.path("logs").display().to_string();
    let words =
        ["session", "--duration", "12s", "--log-dir", &logs, "--think-ms", "200", "--autopilot", "off", "--council"];
    let playing = player.start(&words);
    playing.until_said("In the game").await;
    server.place("Hedda", VILLAGE).await;
    let ended = playing.ended(LONG);
    assert_eq!(ended.code, Some(0), "{}", ended.err);

    let rows = player.rows("logs", "Hedda");
    let councils: Vec<&Value> = rows
        .iter()
        .filter(|row| row["kind"] == "decision")
        .map(|row| &row["council"])
        .filter(|row| !row.is_null())
        .collect();
    assert!(councils.len() > 3, "{rows:?}");
    for council in &councils {
        let calls = council["calls"].as_u64().expect("a number");
        let conflict = !council["conflict"].is_null();
        assert!((1..=3).contains(&calls) && (calls < 3 || conflict), "{council}");
        assert_eq!(council["by"] == "agreed", !conflict && !council["by"].is_null(), "{council}");
    }
    assert!(councils.iter().any(|council| council["tokens"]["outer"].as_u64().is_some_and(|tokens| tokens > 0)));
    let told = rows.iter().filter(|row| row["kind"] == "turn" && !row["council"].is_null()).count();
    assert!(told > 0, "a turn of the council says so");
    let plot = server.get(&format!("/api/v1/plots/{VILLAGE}")).await.json();
    let built = plot["elements"].as_array().expect("a list").iter().filter(|element| element["by"] == "Hedda").count();
    assert!(built > 0, "{plot}");
    let log = player.log_files("logs", "Hedda")[0].display().to_string();
    let checked = player.run(&["log", "check", &log]);
    assert_eq!(checked.code, Some(0), "{}\n{}", checked.out, checked.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn councils_that_cannot_decide_are_refused_before_anybody_plays() {
    let server = Server::start_with(super::green());
    let mut player = Player::of(&server, "Ulric").await;
    player.settings["litellm_endpoint"] = json!("http://127.0.0.1:9");
    for (words, why) in [
        (&["--no-model", "--council"][..], "cannot be used with"),
        (&["--no-model", "--votes", "3"], "cannot be used with"),
        (&["--council="][..], "names nobody"),
        (&["--council=observer"], "observer alone has nobody to observe"),
        (&["--council=inner,inner"], "inner sits in a council once"),
        (&["--council=inner,body"], "there is no mind \"body\""),
        (&["--votes", "0"], "from 1 to 9"),
    ] {
        let refused = player.run(&[&["play"], words].concat());
        assert!(refused.code != Some(0) && refused.err.contains(why), "{words:?}: {}", refused.err);
    }
    player.settings["votes"] = json!(3);
    player.settings["council"] = json!("all");
    player.save();
    let refused = player.run(&["play", "--no-model"]);
    assert!(refused.code != Some(0) && refused.err.contains("two ways to decide"), "{}", refused.err);
}
