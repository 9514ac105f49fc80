//! The operators' page and the calls behind it, with the real program: who is let in, what is noted of them, and what
//! is read again while the server runs.

use super::{green, green_with};
use serde_json::{Value, json};
use std::time::Duration;
use tests::e2e::{Answer, Server, http, http_with};

/// A token of a login with a new password; the one before is none any more.
async fn token(server: &Server, name: &str) -> String {
    server.key(name).await;
    let password = server.admin("POST", &format!("passwd?name={name}")).await["made"].clone();
    let body = json!({"name": name, "password": password}).to_string();
    let answer = http_with(server.http, "POST", "/api/v1/login", None, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    answer.json()["token"].as_str().expect("a token").to_string()
}

async fn call(server: &Server, method: &str, path: &str, token: &str) -> Answer {
    http(server.http, method, &format!("/admin/{path}"), Some(token)).await
}

/// A call that must succeed.
async fn done(server: &Server, method: &str, path: &str, token: &str) -> Value {
    let answer = call(server, method, path, token).await;
    assert_eq!(answer.status, 200, "{method} {path}: {}", answer.body);
    answer.json()
}

/// A call that must be refused, with a sentence.
async fn refused(server: &Server, method: &str, path: &str, token: &str, status: u16) -> String {
    let answer = call(server, method, path, token).await;
    assert_eq!(answer.status, status, "{method} {path}: {}", answer.body);
    answer.json()["error"].as_str().expect("a sentence").to_string()
}

#[tokio::test]
async fn the_page_is_served_safely_and_an_immortal_keeps_order_by_it() {
    let server = Server::start_with(green());
    let page = server.get("/admin").await;
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(policy.contains("default-src 'none'") && policy.contains("frame-ancestors 'none'"), "{policy}");
    assert_eq!(page.header("set-cookie"), None);
    assert!(
        !page.body.contains("<style") && !page.body.contains(" style=") && !page.body.contains("onclick"),
        "inline"
    );
    for part in page.body.split('"').filter(|part| part.starts_with("/assets/")) {
        assert_eq!(server.get(part).await.status, 200, "{part}");
    }

    let mut bob = server.person("Bob").await;
    let _zed = server.immortal("Zed", 38).await;
    let (zed, ann) = (token(&server, "Zed").await, token(&server, "Ann").await);
    let me = done(&server, "GET", "me", &zed).await;
    assert_eq!((&me["name"], &me["level"]), (&json!("Zed"), &json!(38)));
    let calls = me["calls"].as_array().expect("a list");
    assert!(calls.contains(&json!("POST bans")) && !calls.contains(&json!("POST shutdown")), "{me}");
    let all = done(&server, "GET", "me", &server.token).await;
    assert!(all["level"].is_null() && all["calls"].as_array().is_some_and(|all| all.len() > calls.len()), "{all}");

    let rows = done(&server, "GET", "sessions", &zed).await;
    let row = rows.as_array().expect("a list").iter().find(|row| row["name"] == "Bob").expect("he plays");
    assert_eq!((&row["kind"], &row["transport"]), (&json!("person"), &json!("telnet")), "{row}");
    assert!(row["address"] == "127.0.0.1" && row["idle_s"].is_u64() && row["level"].is_u64(), "{row}");
    let limits = done(&server, "GET", "limits", &zed).await;
    assert!(limits["in_use"]["connections"].as_u64().is_some_and(|open| open >= 2), "{limits}");
    assert!(limits["limits"].as_array().is_some_and(|rows| rows.len() > 15), "{limits}");

    done(&server, "POST", "bans?who=Bob&for=1h&reason=spam", &zed).await;
    bob.expect("Bob is banned from this world until").await;
    let noted = done(&server, "GET", "audit?action=bans", &zed).await;
    let entry = &noted.as_array().expect("a list")[0];
    let told = json!([entry["actor"], entry["origin"], entry["action"], entry["target"]]);
    assert_eq!(told, json!(["zed", "admin", "bans", "Bob"]), "{noted}");
    assert_eq!(noted.as_array().map(Vec::len), Some(1), "nothing else was asked for: {noted}");
    assert_eq!(done(&server, "GET", "bans", &zed).await[0]["by"], "Zed");

    // Its own kind, and what is the operator's, are not an immortal's to touch.
    server.key("Yan").await;
    server.promote("Yan", 38).await;
    let why = refused(&server, "POST", "bans?who=Yan", &zed, 422).await;
    assert!(why.contains("is not below you"), "{why}");
    let why = refused(&server, "POST", "disconnect?who=Zed", &zed, 422).await;
    assert!(why.contains("is not below you"), "{why}");
    for (method, path) in [("POST", "keys?name=Eve"), ("POST", "passwd?name=Bob"), ("POST", "tick"), ("GET", "edit")] {
        let why = refused(&server, method, path, &zed, 403).await;
        assert!(why.contains("admin token"), "{why}");
    }
    assert!(refused(&server, "POST", "shutdown", &zed, 403).await.contains("level 39"));
    for path in ["me", "sessions", "bans", "audit"] {
        assert!(refused(&server, "GET", path, &ann, 403).await.contains("level 38"));
        assert!(refused(&server, "GET", path, "0000", 401).await.contains("Sign in again"));
    }

    server.promote("Zed", 30).await;
    assert!(refused(&server, "GET", "bans", &zed, 403).await.contains("level 38"));
    assert!(refused(&server, "POST", "unban?who=Bob", &zed, 403).await.contains("level 38"));
    server.promote("Zed", 38).await;
    done(&server, "POST", "unban?who=Bob", &zed).await;
    // A new password ends what was signed in with before.
    let again = token(&server, "Zed").await;
    done(&server, "GET", "bans", &again).await;
    assert_eq!(call(&server, "GET", "bans", &zed).await.status, 401);
}

#[tokio::test]
async fn who_is_sent_off_is_saved_and_may_come_back() {
    let server = Server::start_with(green());
    let mut bob = server.person("Bob").await;
    server.admin("POST", "disconnect?who=Bob&reason=Go+to+bed.").await;
    let said = bob.ending().await;
    assert!(said.contains("An operator has ended your session. Why: Go to bed."), "{said}");
    let rows = server.admin("GET", "sessions").await;
    assert_eq!(rows, json!([]), "nobody plays");
    let mut bob = server.person("Bob").await;
    bob.ask("look", "The Village Green").await;
    let why = refused(&server, "POST", "disconnect?who=Nobody", &server.token, 404).await;
    assert!(why.contains("Nobody"), "{why}");
}

/// How a page of another origin is answered that wants to play.
async fn upgrade(server: &Server, origin: &str) -> u16 {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let mut stream = tokio::net::TcpStream::connect(server.http).await.expect("it listens");
    let request = format!("GET /ws HTTP/1.1\r\nHost: mud.example\r\nOrigin: {origin}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.expect("it is open");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.expect("an answer");
    answer.split(' ').nth(1).and_then(|status| status.parse().ok()).expect("a status")
}

#[tokio::test]
async fn settings_are_read_again_by_a_call_and_by_a_signal() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = folder.path().join("dp.toml");
    let write = |text: &str| std::fs::write(&config, text).expect("written");
    write("allowed-origin = \"https://a.example\"\n");
    let server = Server::start_with(green_with(&["--config", &config.display().to_string()]));
    // Not a WebSocket: only the origin is looked at before.
    assert_eq!((upgrade(&server, "https://a.example").await, upgrade(&server, "https://b.example").await), (426, 403));

    write("allowed-origin = \"https://b.example\"\nlog = \"debug\"\nsnapshot-minutes = 9\n");
    let came = server.admin("POST", "reload").await;
    assert_eq!(came["ok"], true, "{came}");
    assert_eq!(came["taken"], json!(["log filter", "origins", "bans", "listing"]));
    assert_eq!(came["needs_restart"], json!(["snapshot-minutes"]));
    assert_eq!((upgrade(&server, "https://a.example").await, upgrade(&server, "https://b.example").await), (403, 426));

    // What is wrong changes nothing, and is said without the value.
    write("allowed-origin = \"https://c.example\"\nlog = \"debug\"\nsnapshot-minuets = 9\n");
    let came = server.admin("POST", "reload").await;
    let problem = came["problems"][0].as_str().expect("a problem");
    assert!(came["ok"] == false && problem.contains("snapshot-minuets"), "{came}");
    assert_eq!(upgrade(&server, "https://b.example").await, 426);

    // The subcommand says the same to people and to programs.
    let told = server.command(&["reload"]);
    assert!(told.code == Some(1) && told.out.starts_with("Read again: log filter, "), "{told:?}");
    assert!(told.out.contains("snapshot-minuets"), "{told:?}");
    write("allowed-origin = \"https://b.example\"\nsnapshot-minutes = 9\n");
    let told = server.command(&["reload"]);
    let expected = "Read again: log filter, origins, bans, listing.\nWaits for a hot restart: snapshot-minutes.\n";
    assert_eq!((told.code, &*told.out), (Some(0), expected), "{told:?}");
    let told = server.command(&["reload", "--json"]);
    let told: Value = serde_json::from_str(&told.out).expect("JSON");
    assert_eq!((&told["ok"], &told["needs_restart"]), (&json!(true), &json!(["snapshot-minutes"])));

    write("allowed-origin = \"https://c.example\"\n");
    server.signal("HUP");
    for _ in 0..200 {
        if upgrade(&server, "https://c.example").await == 426 {
            assert!(server.log().contains("settings are read again"), "{}", server.log());
            let stopped = server.stop();
            assert_eq!(stopped.code, Some(0), "a signal to read is none to end");
            let told = tests::e2e::run(&["reload", "--state-dir", &stopped.state.path().display().to_string()]);
            assert!(told.code == Some(1) && told.err.contains("no server runs"), "{told:?}");
            return;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    panic!("the signal was not heard:\n{}", server.log());
}
