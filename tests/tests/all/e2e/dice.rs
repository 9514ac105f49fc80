//! Dice that are turned: the same past with one of them otherwise (`fork --roll`), and by an operator in a running
//! server (`POST /admin/roll`, `dp-server roll`).

use super::green;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;
use tests::e2e::{Agent, Options, Server, Telnet, http, run};

const MISSED: &str = "You try to hit a grey goose, and miss.";

/// Ann stands on the green before a goose, a rat and a bull, five ticks in.
pub(super) async fn menagerie() -> (Server, Agent, Telnet) {
    let server = Server::start_with(green());
    let ann = server.agent("Ann").await;
    let mut mason = server.immortal("Mason", 39).await;
    for (vnum, what) in [(113, "goose"), (110, "rat"), (112, "bull")] {
        mason.ask(&format!("load mob {vnum}"), what).await;
    }
    server.place("Ann", 100).await;
    server.tick(5).await;
    (server, ann, mason)
}

#[tokio::test]
async fn the_same_past_goes_on_with_one_die_turned() {
    let (server, ann, _mason) = menagerie().await;
    drop(ann);
    let key = server.key("Ann").await;
    let state = server.stop().state;
    let folder = tempfile::tempdir().expect("a folder");
    let fork = |rolls: &[&str], out: &Path| {
        let (from, to) = (state.path().display().to_string(), out.display().to_string());
        let rolls = rolls.iter().flat_map(|roll| ["--roll", *roll]);
        let words: Vec<&str> =
            ["fork", "--state-dir", &from, "--at", "5", "--out", &to].into_iter().chain(rolls).collect();
        run(&words)
    };
    for (roll, code, why) in [
        ("luck=1", 2, "there are hit, damage"),
        ("hit=most", 2, "min, max or a whole number"),
        ("hit=1,Zed", 1, "nobody called \"Zed\" is in the world at tick 5; nothing was written"),
    ] {
        let out = folder.path().join("refused");
        let refused = fork(&[roll], &out);
        assert!(refused.code == Some(code) && refused.err.contains(why), "{roll}: {refused:?}");
        assert!(!out.exists(), "{roll}: something was written");
    }
    // A die that waits for somebody else holds up nothing.
    for (rolls, misses) in [(vec!["hit=1"], true), (vec!["hit=1,Mason", "hit=20,Ann", "damage=min"], false)] {
        let out = Arc::new(tempfile::tempdir().expect("a folder"));
        let forked = fork(&rolls, out.path());
        assert_eq!(forked.code, Some(0), "{forked:?}");
        let server = Server::start_with(Options { state: Some(out), ..green() });
        let mut ann = server.connect().await;
        ann.log_in("Ann", &key).await;
        ann.command("kill goose").await;
        ann.fence().await;
        server.tick(1).await;
        let stopped = server.stop().state;
        let path = stopped.path().display().to_string();
        let replayed = run(&["replay", "--state-dir", &path]);
        assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
        let read = run(&["replay", "--state-dir", &path, "--transcript", "Ann"]);
        let first = read.out.lines().skip_while(|line| *line != "> kill goose").nth(1).unwrap_or_default();
        assert_eq!(first == MISSED, misses, "{rolls:?}: {read:?}");
        assert!(misses || first.contains("goose"), "{read:?}");
    }
}

#[tokio::test]
async fn an_operator_turns_dice_and_a_replay_turns_them_again() {
    let (server, mut ann, _mason) = menagerie().await;
    let roll =
        async |query: &str| http(server.http, "POST", &format!("/admin/roll?{query}"), Some(&server.token)).await;
    let many = format!("draw=hit&values=1{}", ",1".repeat(1_000));
    for (query, status, why) in [
        ("draw=luck&values=1", 400, "there are hit, damage"),
        ("draw=hit&values=1,most", 400, "min, max or a whole number"),
        ("draw=hit&values=", 400, "min, max or a whole number"),
        ("draw=hit", 400, "values"),
        ("draw=hit&values=1&whose=Ann", 400, "whose"),
        ("draw=hit&values=1&who=Zed", 404, "Zed"),
        (many.as_str(), 422, "none was loaded"),
    ] {
        let answer = roll(query).await;
        let error = answer.json()["error"].as_str().unwrap_or_default().to_string();
        assert!(answer.status == status && error.contains(why), "{query:.60}: {answer:?}");
    }
    assert_eq!(http(server.http, "POST", "/admin/roll?draw=hit&values=1", None).await.status, 401);
    let loaded = roll("draw=hit&values=1,max&who=ann").await;
    assert_eq!((loaded.status, loaded.json()), (200, json!({"ok": true, "waiting": {"hit": 2}})), "{loaded:?}");
    ann.command("kill goose").await;
    ann.expect_text(MISSED).await;
    let more = server.command(&["roll", "save", "1", "max"]);
    assert_eq!((more.code, more.out.trim()), (Some(0), "Dice that wait: 1 for hit, 2 for save."), "{more:?}");
    let unknown = server.command(&["roll", "luck", "1"]);
    assert!(unknown.code == Some(1) && unknown.err.contains("there are hit, damage"), "{unknown:?}");
    // A fight goes on, and hashes of it are written.
    server.tick(30).await;
    let state = server.stop().state;
    let path = state.path().display().to_string();
    let replayed = run(&["replay", "--state-dir", &path]);
    assert!(replayed.code == Some(0) && replayed.out.contains("everything came out"), "{replayed:?}");
    let read = run(&["replay", "--state-dir", &path, "--transcript", "Ann"]);
    assert!(read.out.contains(MISSED), "{read:?}");
    let stopped = run(&["roll", "save", "1", "--state-dir", &path]);
    assert!(stopped.code == Some(1) && stopped.err.contains("no server runs"), "{stopped:?}");
}
