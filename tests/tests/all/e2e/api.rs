//! The API of pages and programs, over real HTTP: what its description shows is what it answers, and who may not see
//! something learns nothing.

use super::{green, green_with};
use serde_json::{Value, json};
use tests::e2e::{Answer, Options, Server, http, http_with};

async fn get(server: &Server, path: &str, token: Option<&str>) -> Answer {
    http(server.http, "GET", path, token).await
}

/// Somebody who has a key, and a token for it.
async fn token(server: &Server, name: &str) -> (String, String) {
    let key = server.key(name).await;
    let body = json!({"name": name, "password": key}).to_string();
    let answer = http_with(server.http, "POST", "/api/v1/login", None, &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    (key, answer.json()["token"].as_str().expect("a token").to_string())
}

fn refused(answer: &Answer, status: u16, code: &str) {
    let body = answer.json();
    assert_eq!((answer.status, body["error"]["code"].as_str()), (status, Some(code)), "{}", answer.body);
    let message = body["error"]["message"].as_str().expect("it says why");
    assert!(message.ends_with('.') && message.len() > 10, "{message}");
    assert_eq!(body.as_object().map(serde_json::Map::len), Some(1), "nothing else is told: {body}");
}

/// Whether an example has the form of an answer. A `null`, and a list without rows, may be anything there.
fn alike(at: &str, example: &Value, real: &Value) {
    match (example, real) {
        // Each kind of entry has its own fields: docs/LOGS.md.
        (Value::Object(_), Value::Object(_)) if at.ends_with("entries[].event") => {}
        (Value::Object(example), Value::Object(real)) => {
            let keys = |map: &serde_json::Map<String, Value>| map.keys().cloned().collect::<Vec<_>>();
            // What is stored of a character is told as it is stored, and grows.
            if at != "GET /api/v1/me/export.character" {
                assert_eq!(keys(example), keys(real), "{at}");
            }
            for (key, value) in example {
                let there = real.get(key).unwrap_or_else(|| panic!("{at} has no {key}"));
                alike(&format!("{at}.{key}"), value, there);
            }
        }
        (Value::Array(example), Value::Array(real)) => {
            let Some(first) = example.first() else { return };
            // Some rooms have no ways out.
            assert!(!real.is_empty() || at.contains("[]"), "{at} has no row to compare with");
            real.iter().for_each(|row| alike(&format!("{at}[]"), first, row));
        }
        (Value::Null, _) | (_, Value::Null) => {}
        (example, real) => {
            let kind = |value: &Value| (value.is_string(), value.is_number(), value.is_boolean());
            assert_eq!(kind(example), kind(real), "{at}: {example} and {real}");
        }
    }
}

#[tokio::test]
async fn every_example_of_the_description_is_as_a_real_answer() {
    let server = Server::start_with(green());
    let told = server.get("/api/v1/openapi.json").await;
    assert_eq!((told.status, told.header("content-type").as_deref()), (200, Some("application/json")));
    assert_eq!(told.body, server::api::description());
    let description = told.json();
    assert!(description["openapi"].as_str().is_some_and(|version| version.starts_with("3.1.")));
    let mut ann = server.agent("Ann").await;
    server.tick(1).await;
    ann.command("north").await;
    ann.expect_text("Exits:").await;
    ann.command("say hello").await;
    ann.expect_text("You say").await;
    ann.command("note the well is dry").await;
    ann.fence().await;
    server.tick(1).await;
    let (key, token) = token(&server, "Ann").await;
    let paths = description["paths"].as_object().expect("paths");
    assert!(paths.len() >= 11, "{paths:?}");
    let mut compared = Vec::new();
    // The deletion comes last.
    let calls = paths.iter().flat_map(|(path, methods)| {
        methods.as_object().expect("methods").iter().map(move |(method, call)| (method.to_uppercase(), path, call))
    });
    let mut calls: Vec<_> = calls.collect();
    calls.sort_by_key(|(method, ..)| method == "DELETE");
    for (method, path, call) in calls {
        let at = format!("{method} {path}");
        let shown = &call["responses"]["200"]["content"]["application/json"]["example"];
        assert!(call["responses"]["default"].is_object() && call["summary"].is_string(), "{at}");
        let (asked, body) = match at.as_str() {
            "GET /api/v1/characters/{name}" => ("/api/v1/characters/ann".to_string(), String::new()),
            "GET /api/v1/plots/{room}" => ("/api/v1/plots/200".to_string(), String::new()),
            "GET /api/v1/decisions" => ("/api/v1/decisions?name=ann".to_string(), String::new()),
            "GET /api/v1/world" => ("/api/v1/world?zone=1".to_string(), String::new()),
            "GET /api/v1/series" => ("/api/v1/series?keys=players".to_string(), String::new()),
            "GET /api/v1/me/transcript" => ("/api/v1/me/transcript?from=0".to_string(), String::new()),
            "POST /api/v1/login" => (path.clone(), json!({"name": "Ann", "password": key}).to_string()),
            "DELETE /api/v1/me" => (path.clone(), json!({"password": key}).to_string()),
            _ => (path.clone(), String::new()),
        };
        let asked = asked.replace("{name}", "ann");
        // It has no end; a test of its own reads it.
        if at == "GET /api/v1/watch" {
            continue;
        }
        let is_operators = ["GET /api/v1/world", "GET /api/v1/audit"].contains(&&*at);
        let by = if is_operators { &server.token } else { &token };
        let answer = http_with(server.http, &method, &asked, Some(by), &body).await;
        // A past is shown by a process of its own, which `watching_past` asks.
        if at.ends_with("/graph") || at.ends_with("/dream") || at.ends_with("/past") {
            refused(&answer, 404, "not_found");
            continue;
        }
        assert_eq!(answer.status, 200, "{at}: {}", answer.body);
        assert_eq!(answer.header("content-type").as_deref(), Some("application/json"), "{at}");
        if !shown.is_null() {
            alike(&at, shown, &answer.json());
            compared.push(at);
        }
    }
    assert!(compared.len() >= 12, "{compared:?}");
}

#[tokio::test]
async fn a_mind_is_looked_at_by_itself_and_operators() {
    let server = Server::start_with(green());
    let (_, ann) = token(&server, "Ann").await;
    let (_, bob) = token(&server, "Bob").await;
    let mut playing = server.agent("Ann").await;
    playing.command("note the well is dry").await;
    playing.command("note the well is wet").await;
    playing.fence().await;
    // The log is written behind the play.
    let mut hud = Value::Null;
    for _ in 0..200 {
        hud = get(&server, "/api/v1/minds/ann/hud", Some(&ann)).await.json();
        if hud["hud"].as_str().is_some_and(|text| text.contains("the well is wet")) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let text = hud["hud"].as_str().expect("a text");
    assert!(text.contains("the well is dry") && text.contains("the well is wet"), "{text}");
    let mut log = Value::Null;
    for _ in 0..200 {
        log = get(&server, "/api/v1/minds/Ann/log", Some(&*server.token)).await.json();
        if log["entries"].as_array().is_some_and(|entries| entries.len() >= 2) {
            break;
        }
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let seqs: Vec<u64> =
        log["entries"].as_array().expect("entries").iter().filter_map(|row| row["seq"].as_u64()).collect();
    let before = hud["seq"].as_u64().expect("a number") - 1;
    let then = get(&server, &format!("/api/v1/minds/ann/hud?seq={before}&format=json"), Some(&ann)).await.json();
    let then = then["hud"].as_str().expect("a text").to_string();
    assert!(then.contains("is dry") && !then.contains("is wet"), "{then}");
    serde_json::from_str::<Value>(&then).expect("that form is JSON");
    assert!(seqs.len() >= 2 && seqs.is_sorted() && log["next"].is_null(), "{log}");
    let rest = get(&server, &format!("/api/v1/minds/ann/log?after={}", seqs[0]), Some(&ann)).await.json();
    assert_eq!(rest["entries"].as_array().map(Vec::len), Some(seqs.len() - 1));
    let mut told = Vec::new();
    for name in ["ann", "nobody"] {
        for token in [None, Some(&*bob)] {
            let hidden = get(&server, &format!("/api/v1/minds/{name}/hud"), token).await;
            refused(&hidden, 404, "not_found");
            told.push(hidden.body);
            for path in [format!("/api/v1/minds/{name}/log"), format!("/api/v1/decisions?name={name}")] {
                refused(&get(&server, &path, token).await, 404, "not_found");
            }
        }
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    for wrong in [
        "minds/ann/hud?format=xml",
        "minds/ann/hud?tier=huge",
        "minds/ann/hud?seq=x",
        "minds/ann/log?after=-1",
        "decisions",
        "decisions?name=ann&after=1-2",
    ] {
        refused(&get(&server, &format!("/api/v1/{wrong}"), Some(&ann)).await, 400, "bad_request");
    }
    refused(&get(&server, "/api/v1/minds/ann/hud?seq=900000", Some(&ann)).await, 404, "not_found");
    // An operator sees a zone whole; a player only where it and its agents are.
    let whole = get(&server, "/api/v1/world?zone=1", Some(&*server.token)).await.json();
    assert!(whole["rooms"].as_array().is_some_and(|rooms| rooms.len() > 5), "{whole}");
    let own = get(&server, "/api/v1/world?zone=1", Some(&ann)).await.json();
    let known = own["rooms"].as_array().map_or(0, Vec::len);
    assert!((1..5).contains(&known) && own["characters"][0]["name"] == "Ann", "{own}");
    refused(&get(&server, "/api/v1/world?zone=1", Some(&bob)).await, 404, "not_found");
    // An agent may be watched, but not where it is now; what it has seen of the zone may be seen.
    let visited = get(&server, "/api/v1/world?zone=1", None).await.json();
    assert_eq!((visited["rooms"].as_array().map(Vec::len), &visited["characters"]), (Some(known), &json!([])));
    refused(&get(&server, "/api/v1/world?zone=77", Some(&*server.token)).await, 404, "not_found");
}

#[tokio::test]
async fn every_refusal_has_one_form_and_nothing_is_told_to_strangers() {
    let server = Server::start_with(green_with(&["--calls-per-second", "0"]));
    let (key, ann) = token(&server, "Ann").await;
    let (_, bob) = token(&server, "Bob").await;
    let _playing = server.agent("Ann").await;
    let ask = async |method: &str, path: &str, token: Option<&str>, body: &str| {
        http_with(server.http, method, path, token, body).await
    };
    for path in [
        "/api/v1",
        "/api/v1/",
        "/api/v1/nothing",
        "/api/nothing",
        "/api/v2/who",
        "/api/v1/who/ann",
        "/api/v1/me",
        "/api/v1/plots/200/x",
    ] {
        let method = if path == "/api/v1/me" { "POST" } else { "GET" };
        let code = if path == "/api/v1/me" { (405, "method_not_allowed") } else { (404, "not_found") };
        let answer = ask(method, path, None, "").await;
        refused(&answer, code.0, code.1);
        assert!(answer.header("content-security-policy").is_some(), "{}", answer.head);
    }
    let answer = ask("PUT", "/api/v1/who", None, "").await;
    refused(&answer, 405, "method_not_allowed");
    assert_eq!(answer.header("allow").as_deref(), Some("GET,HEAD"));
    // A stranger, another player, and a name that is nobody's: all the same.
    let mut told = Vec::new();
    for (name, token) in [("ann", None), ("ann", Some(&*bob)), ("nobody", None), ("%00", None), ("..%2fwho", None)] {
        let answer = get(&server, &format!("/api/v1/characters/{name}"), token).await;
        refused(&answer, 404, "not_found");
        told.push(answer.body);
    }
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    refused(&get(&server, "/api/v1/characters/%ff", None).await, 404, "not_found");
    let admin = Some(&*server.token);
    for (name, token) in [("ann", Some(&*ann)), ("ANN", Some(&*ann)), ("ann", admin)] {
        let answer = get(&server, &format!("/api/v1/characters/{name}"), token).await.json();
        assert_eq!((&answer["character"]["name"], &answer["character"]["kind"]), (&json!("Ann"), &json!("agent")));
    }
    for path in ["/api/v1/map", "/api/v1/me/export", "/api/v1/me/transcript?from=0"] {
        let answer = get(&server, path, None).await;
        refused(&answer, 401, "login_needed");
        assert_eq!(answer.header("www-authenticate").as_deref(), Some("Bearer"));
        refused(&get(&server, path, Some("5f1d2c7a")).await, 401, "bad_token");
        refused(&get(&server, path, Some("")).await, 401, "bad_token");
        refused(&get(&server, path, admin).await, 400, "bad_request");
    }
    // A token that is no good is refused where none is needed too: its owner is to know.
    refused(&get(&server, "/api/v1/status", Some("5f1d2c7a")).await, 401, "bad_token");
    refused(&get(&server, "/api/v1/map", Some(&*bob)).await, 404, "not_found");
    for wrong in ["/api/v1/map?zone=x", "/api/v1/map?room=1", "/api/v1/me/transcript", "/api/v1/me/transcript?from=-1"]
    {
        refused(&get(&server, wrong, Some(&*ann)).await, 400, "bad_request");
    }
    for body in ["", "{", "[]", "{\"name\":\"Ann\"}", "{\"name\":\"Ann\",\"password\":1}", "{\"name\":1}"] {
        refused(&ask("POST", "/api/v1/login", None, body).await, 400, "bad_request");
        refused(&ask("DELETE", "/api/v1/me", Some(&*ann), body).await, 400, "bad_request");
    }
    let long = json!({"name": "Ann", "password": "x".repeat(10_000)}).to_string();
    refused(&ask("POST", "/api/v1/login", None, &long).await, 413, "too_large");
    for (name, password) in [("Ann", "wrong"), ("Nobody", "wrong"), ("", ""), ("Ann\u{1b}[2J", &*key)] {
        let answer = ask("POST", "/api/v1/login", None, &json!({"name": name, "password": password}).to_string()).await;
        refused(&answer, 401, "bad_login");
        assert!(!answer.body.contains('\u{1b}') && !answer.body.contains("wrong\""), "{}", answer.body);
    }
    refused(&ask("DELETE", "/api/v1/me", Some(&*ann), "{\"password\":\"wrong\"}").await, 401, "bad_login");
    refused(&ask("DELETE", "/api/v1/me", None, &json!({"password": key}).to_string()).await, 401, "login_needed");
    assert_eq!(get(&server, "/api/v1/characters/ann", Some(&*ann)).await.status, 200, "nothing was deleted");
}

#[tokio::test]
async fn a_map_has_the_rooms_that_one_has_seen_each_at_its_own_place() {
    let server = Server::start_with(green());
    let (_, token) = token(&server, "Ann").await;
    let mut ann = server.agent("Ann").await;
    let rooms = |map: &Value| map["rooms"].as_array().expect("rooms").clone();
    let vnums = |map: &Value| rooms(map).iter().map(|room| room["vnum"].clone()).collect::<Vec<_>>();
    let map = get(&server, "/api/v1/map?zone=here", Some(&token)).await.json();
    assert_eq!((&map["room"], &map["zone"], vnums(&map)), (&json!(100), &json!(1), vec![json!(100)]));
    let way = |map: &Value, room: i32, direction: &str| {
        let room = rooms(map).into_iter().find(|one| one["vnum"] == room).expect("it was seen");
        let exits = room["exits"].as_array().expect("exits").clone();
        exits.into_iter().find(|exit| exit["direction"] == direction).unwrap_or(Value::Null)
    };
    assert_eq!(way(&map, 100, "north"), json!({"direction": "north", "to": null, "door": false}));
    for (step, seen) in [("north", "Exits:"), ("up", "Exits:")] {
        server.tick(1).await;
        ann.command(step).await;
        ann.expect_text(seen).await;
    }
    let map = get(&server, "/api/v1/map", Some(&token)).await.json();
    assert_eq!((&map["room"], vnums(&map)), (&json!(107), vec![json!(100), json!(101), json!(107)]));
    assert_eq!(way(&map, 100, "north")["to"], 101);
    assert_eq!(way(&map, 101, "down"), json!({"direction": "down", "to": null, "door": true}));
    let place = |vnum: i32| rooms(&map).into_iter().find(|room| room["vnum"] == vnum).expect("seen")["coords"].clone();
    assert_eq!([place(100), place(101), place(107)], [json!([0, 0, 0]), json!([0, 1, 0]), json!([0, 1, 1])]);
    assert_eq!(map["zones"].as_array().map(Vec::len), Some(1), "{}", map["zones"]);
    server.place("Ann", 200).await;
    let there = get(&server, "/api/v1/map?zone=here", Some(&token)).await.json();
    assert_eq!((&there["zone"], vnums(&there)), (&json!(2), vec![json!(200)]));
    assert_eq!(vnums(&get(&server, "/api/v1/map?zone=1", Some(&token)).await.json()).len(), 3);
    assert!(vnums(&get(&server, "/api/v1/map?zone=77", Some(&token)).await.json()).is_empty());
}

#[tokio::test]
async fn what_was_missed_over_a_crash_is_read_again() {
    let server = Server::start_with(green());
    let (_, token) = token(&server, "Ann").await;
    let mut ann = server.agent("Ann").await;
    let mut bob = server.agent("Bob").await;
    server.tick(5).await;
    bob.command("say a secret <img src=x>").await;
    bob.expect_text("You say").await;
    ann.command("say hello").await;
    ann.expect_text("You say").await;
    server.tick(3).await;
    let state = server.kill();
    let server = Server::start_with(Options { state: Some(state), ..green() });
    let from = async |tick: u64| get(&server, &format!("/api/v1/me/transcript?from={tick}"), Some(&token)).await.json();
    let told = from(5).await;
    let lines: Vec<(&str, bool)> = told["lines"]
        .as_array()
        .expect("lines")
        .iter()
        .map(|line| (line["text"].as_str().expect("a text"), line["typed"] == true))
        .collect();
    assert!(lines.contains(&("say hello", true)), "{told}");
    assert!(lines.iter().any(|(text, typed)| text.contains("<img src=x>") && !typed), "as it was said: {told}");
    assert!(!lines.contains(&("say a secret <img src=x>", true)), "others' typing is theirs: {told}");
    assert_eq!((&told["from"], &told["next"]), (&json!(5), &Value::Null), "{told}");
    assert_eq!(from(900_000).await["lines"], json!([]), "that is to come");
    assert!(
        from(6).await["lines"]
            .as_array()
            .is_some_and(|lines| lines.len() < told["lines"].as_array().map_or(0, Vec::len))
    );
}

#[tokio::test]
async fn long_transcripts_go_on_where_they_ended() {
    let server = Server::start_with(green());
    let (_, token) = token(&server, "Ann").await;
    let mut ann = server.agent("Ann").await;
    for n in 0..130 {
        ann.command(&format!("say line {n}")).await;
        ann.expect_text(&format!("line {n}")).await;
        server.tick(1).await;
    }
    let (mut from, mut said, mut answers) = (0, Vec::new(), 0);
    loop {
        let told = get(&server, &format!("/api/v1/me/transcript?from={from}"), Some(&token)).await.json();
        let lines = told["lines"].as_array().expect("lines").clone();
        assert!(lines.len() < 220, "{}", lines.len());
        said.extend(lines.into_iter().filter(|line| line["typed"] == true).map(|line| line["text"].clone()));
        answers += 1;
        let Some(next) = told["next"].as_u64() else { break };
        assert!(next > from && answers < 20, "{next}");
        from = next;
    }
    let expected: Vec<Value> = (0..130).map(|n| json!(format!("say line {n}"))).collect();
    assert!(answers > 1 && said == expected, "{answers} answers: {said:?}");
}

#[tokio::test]
async fn who_is_deleted_leaves_nothing_and_an_export_before_has_it_all() {
    let server = Server::start_with(green());
    let (key, token) = token(&server, "Ann").await;
    let mut ann = server.agent("Ann").await;
    ann.command("note the well is dry").await;
    ann.fence().await;
    server.tick(2).await;
    let whole = get(&server, "/api/v1/me/export", Some(&token)).await;
    let has = async || {
        for _ in 0..100 {
            let kept = get(&server, "/api/v1/me/export", Some(&token)).await.json();
            if kept["log"].to_string().contains("the well is dry") && kept["decisions"].to_string().contains("note") {
                return kept;
            }
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
        }
        panic!("it is not all there: {}", whole.body)
    };
    assert_eq!(whole.status, 200);
    let kept = has().await;
    assert_eq!(
        (&kept["account"]["display_name"], &kept["character"]["name"]),
        (&json!("Ann"), &json!("Ann")),
        "{kept}"
    );
    assert!(kept["sessions"].as_array().is_some_and(|rows| rows.len() == 1), "{}", kept["sessions"]);
    assert!(!kept.to_string().contains(&key), "a key is in no export");
    let body = json!({"password": key}).to_string();
    let gone = http_with(server.http, "DELETE", "/api/v1/me", Some(&token), &body).await;
    assert_eq!((gone.status, gone.json()), (200, json!({"deleted": "ann"})), "{}", gone.body);
    refused(&get(&server, "/api/v1/me/export", Some(&token)).await, 401, "bad_token");
    let who = server.get("/api/v1/who").await.json();
    assert_eq!(who["players"], json!([]), "it left the world");
    // Another of that name begins with nothing.
    let (_, next) = self::token(&server, "Ann").await;
    let kept = get(&server, "/api/v1/me/export", Some(&next)).await.json();
    assert_eq!((&kept["log"], &kept["decisions"], &kept["sessions"]), (&json!([]), &json!([]), &json!([])), "{kept}");
    let told = get(&server, "/api/v1/me/transcript?from=0", Some(&next)).await.json();
    assert_eq!(told["lines"], json!([]), "nor does it read what the other one read");
}

#[tokio::test]
async fn calls_are_counted_but_for_the_operator() {
    let server = Server::start_with(green_with(&["--calls-per-second", "2"]));
    let mut statuses = Vec::new();
    for _ in 0..6 {
        let answer = get(&server, "/api/v1/status", None).await;
        if answer.status == 429 {
            refused(&answer, 429, "rate_limited");
            assert_eq!(answer.header("retry-after").as_deref(), Some("1"));
        }
        statuses.push(answer.status);
    }
    assert!(statuses[..4].iter().all(|status| *status == 200) && statuses.contains(&429), "{statuses:?}");
    for _ in 0..10 {
        assert_eq!(get(&server, "/api/v1/status", Some(&server.token)).await.status, 200);
    }
    // Other pages are not calls.
    assert_eq!(server.get("/health").await.status, 200);
}
