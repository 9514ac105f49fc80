//! The observatory, over real HTTP: who sees whom, how late, and whose mind is open to all.

use super::green_with;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tests::e2e::{Answer, Server, http, http_with};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

const PATIENCE: Duration = Duration::from_secs(20);

/// So long that the server has looked at the world once more.
async fn a_look() {
    tokio::time::sleep(Duration::from_millis(1_200)).await;
}

/// The stream of server-sent events as a watcher reads it.
struct Watcher {
    stream: TcpStream,
    read: String,
    people: std::collections::BTreeMap<String, Value>,
    mobs: usize,
    feed: Vec<Value>,
    tick: u64,
    hello: Value,
}

impl Watcher {
    async fn open(address: SocketAddr, query: &str, token: Option<&str>) -> Watcher {
        let mut stream = TcpStream::connect(address).await.expect("it listens");
        let token = token.map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        let head = format!("GET /api/v1/watch{query} HTTP/1.1\r\nHost: {address}\r\n{token}\r\n");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let mut watcher = Watcher {
            stream,
            read: String::new(),
            people: Default::default(),
            mobs: 0,
            feed: Vec::new(),
            tick: 0,
            hello: Value::Null,
        };
        watcher.until("the first picture", |seen| !seen.hello.is_null() && seen.read_whole()).await;
        watcher
    }

    fn read_whole(&self) -> bool {
        self.tick > 0
    }

    /// Reads until something is to be seen.
    async fn until(&mut self, what: &str, seen: impl Fn(&Watcher) -> bool) {
        let reading = async {
            while !seen(self) {
                let mut bytes = [0; 16 * 1024];
                let count = self.stream.read(&mut bytes).await.expect("it can be read");
                assert!(count > 0, "the stream ended: {}", self.read);
                self.read.push_str(&String::from_utf8_lossy(&bytes[..count]));
                self.take();
            }
        };
        if tokio::time::timeout(PATIENCE, reading).await.is_err() {
            panic!("never saw {what}: tick {}, {:?}, {:?}", self.tick, self.people, self.feed);
        }
    }

    fn take(&mut self) {
        while let Some(end) = self.read.find("\n\n") {
            let event: String = self.read.drain(..end + 2).collect();
            let data = event.lines().find_map(|line| line.strip_prefix("data: "));
            let Some(data) = data.and_then(|data| serde_json::from_str::<Value>(data).ok()) else { continue };
            if data.get("role").is_some() {
                self.hello = data;
                continue;
            }
            if data["whole"] == true {
                self.people.clear();
                self.mobs = 0;
                self.feed.clear();
            }
            let rows = |name: &str| data[name].as_array().cloned().unwrap_or_default();
            for key in rows("gone") {
                self.people.remove(key.as_str().expect("a key"));
            }
            for one in rows("people") {
                self.people.insert(one["key"].as_str().expect("a key").to_string(), one);
            }
            self.mobs += rows("mobs").len();
            self.feed.extend(rows("feed"));
            self.tick = data["tick"].as_u64().expect("a tick");
        }
    }

    fn room(&self, key: &str) -> Option<i64> {
        self.people.get(key)?["room"].as_i64()
    }
}

async fn get(server: &Server, path: &str, token: Option<&str>) -> Answer {
    http(server.http, "GET", path, token).await
}

async fn token(server: &Server, name: &str) -> String {
    let body = json!({"name": name, "password": server.key(name).await}).to_string();
    let answer = http_with(server.http, "POST", "/api/v1/login", None, &body).await;
    answer.json()["token"].as_str().unwrap_or_else(|| panic!("{}", answer.body)).to_string()
}

#[tokio::test]
async fn visitors_see_agents_late_and_operators_everybody_at_once() {
    let server = Server::start_with(green_with(&["--watch-delay-ticks", "5"]));
    let mut ann = server.agent("Ann").await;
    let mut bob = server.person("Bob").await;
    server.tick(1).await;
    a_look().await;
    server.tick(9).await;
    let mut operator = Watcher::open(server.http, "?zone=1", Some(&*server.token)).await;
    assert_eq!((&operator.hello["role"], &operator.hello["delay_ticks"]), (&json!("operator"), &json!(0)));
    operator.until("both", |seen| seen.people.len() == 2 && seen.mobs > 0).await;
    assert_eq!((&operator.people["ann"]["kind"], &operator.people["bob"]["kind"]), (&json!("agent"), &json!("person")));
    let mut visitor = Watcher::open(server.http, "", None).await;
    assert_eq!((&visitor.hello["role"], &visitor.hello["delay_ticks"]), (&json!("visitor"), &json!(5)));
    // The person chose nothing, and is not shown.
    server.tick(6).await;
    visitor.until("the agent", |seen| seen.room("ann").is_some()).await;
    assert!(!visitor.people.contains_key("bob"), "{:?}", visitor.people);
    let before = visitor.room("ann").expect("it is there");

    // A step: the operator sees it now, the visitor five ticks later.
    ann.command("north").await;
    ann.expect_text("Exits:").await;
    operator.until("the step", |seen| seen.room("ann") != Some(before)).await;
    let after = operator.room("ann").expect("it is there");
    a_look().await;
    let tick = server.tick(4).await;
    visitor.until("four ticks", |seen| seen.tick + 5 >= tick).await;
    assert_eq!(visitor.room("ann"), Some(before), "nothing is seen too soon");
    server.tick(4).await;
    visitor.until("the step", |seen| seen.room("ann") == Some(after)).await;
    assert_eq!(visitor.mobs, 0);

    // Who chose to be watched is, and who chose not to be is gone at once, whatever was so then.
    bob.send("toggle watchable on").await;
    bob.expect("sees where you are").await;
    a_look().await;
    server.tick(7).await;
    visitor.until("the person", |seen| seen.room("bob").is_some()).await;
    ann.command("toggle watchable off").await;
    ann.expect_text("Nobody sees you").await;
    visitor.until("that it hides", |seen| seen.room("ann").is_none()).await;
    assert!(operator.room("ann").is_some());

    // A level is news, first to one and then to the other.
    server.promote("Bob", 3).await;
    operator.until("the level", |seen| seen.feed.iter().any(|row| row["key"] == "bob" && row["what"] == "rose")).await;
    server.tick(7).await;
    visitor.until("the level", |seen| seen.feed.iter().any(|row| row["key"] == "bob")).await;

    // A zone is drawn for visitors as far as watchable characters know it, for operators whole.
    let whole = get(&server, "/api/v1/world?zone=1", Some(&*server.token)).await.json();
    let known = get(&server, "/api/v1/world?zone=1", None).await.json();
    let count = |part: &Value| part["rooms"].as_array().map_or(0, Vec::len);
    assert!(count(&known) >= 1 && count(&known) < count(&whole), "{known}");
    assert_eq!(known["characters"][0]["key"], "bob");
    server.stop();
}

#[tokio::test]
async fn players_see_what_is_theirs_at_once_and_others_where_they_have_been() {
    let server = Server::start_with(green_with(&["--watch-delay-ticks", "3", "--watch", "players"]));
    let mut ann = server.agent("Ann").await;
    let _bob = server.agent("Bob").await;
    server.tick(1).await;
    a_look().await;
    server.tick(6).await;
    let refused = get(&server, "/api/v1/watch", None).await;
    assert_eq!((refused.status, &refused.json()["error"]["code"]), (401, &json!("login_needed")));
    let own = token(&server, "Bob").await;
    let mut player = Watcher::open(server.http, "", Some(&own)).await;
    assert_eq!(player.hello["role"], "player");
    player.until("itself, and who is beside it", |seen| seen.people.len() == 2).await;
    // It has not been where the other goes.
    ann.command("north").await;
    ann.expect_text("Exits:").await;
    a_look().await;
    server.tick(8).await;
    player.until("that the other is out of sight", |seen| seen.room("ann").is_none()).await;
    assert!(player.room("bob").is_some());
    server.stop();

    let server = Server::start_with(green_with(&["--watch", "off"]));
    for token in [None, Some(&*server.token)] {
        let refused = get(&server, "/api/v1/watch", token).await;
        assert!([401, 404].contains(&refused.status), "{}", refused.body);
    }
}

#[tokio::test]
async fn an_open_mind_is_open_to_all_who_may_watch_but_not_what_others_said_to_it() {
    let server = Server::start_with(green_with(&["--watch-delay-ticks", "2"]));
    let mut ann = server.agent("Ann").await;
    let mut bob = server.agent("Bob").await;
    ann.command("toggle transcript on").await;
    ann.command("note the well is dry").await;
    ann.command("think ai they must not learn of the ford").await;
    ann.fence().await;
    bob.command("say the password is mellon").await;
    bob.expect_text("You say").await;
    ann.expect_text("mellon").await;
    server.tick(5).await;
    let look = async |path: &str, token: Option<&str>| get(&server, &format!("/api/v1/{path}"), token).await;
    for path in ["minds/ann/hud", "minds/ann/log", "decisions?name=ann", "series?keys=tokens&name=ann"] {
        assert_eq!(look(path, None).await.status, 404, "{path} is nobody's business yet");
    }
    ann.command("toggle openmind on").await;
    ann.expect_text("Anybody may read").await;
    let hud = look("minds/ann/hud", None).await;
    assert!(hud.status == 200 && hud.body.contains("the well is dry"), "{}", hud.body);
    // What is in the log is a moment later in the database.
    for _ in 0..100 {
        if look("minds/ann/log", Some(&*server.token)).await.body.contains("mellon") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let log = look("minds/ann/log", None).await;
    assert!(log.status == 200 && log.body.contains("the well is dry") && !log.body.contains("mellon"), "{}", log.body);
    let whole = look("minds/ann/log", Some(&*server.token)).await;
    assert!(whole.body.contains("mellon"), "the operator reads all: {}", whole.body);
    assert_eq!(look("series?keys=tokens&name=ann", None).await.status, 200);

    // Decisions come as late as the place is shown.
    let decided = async |token: Option<&str>| -> Vec<String> {
        let rows = look("decisions?name=ann&newest=50", token).await.json();
        let rows = rows["decisions"].as_array().cloned().unwrap_or_default();
        rows.iter()
            .map(|row| format!("{} {}", row["command"].as_str().unwrap_or(""), row["args"].as_str().unwrap_or("")))
            .collect()
    };
    let is_there = |rows: &[String]| rows.iter().any(|row| row.starts_with("toggle openmind"));
    for _ in 0..100 {
        if is_there(&decided(Some(&*server.token)).await) {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(is_there(&decided(Some(&*server.token)).await) && !is_there(&decided(None).await));
    server.tick(3).await;
    assert!(is_there(&decided(None).await), "{:?}", decided(None).await);

    // Who foresees the dice, and what only the mind itself is told, is for nobody who looks on.
    let (visitors, operators) =
        (look("decisions?name=ann", None).await, look("decisions?name=ann", Some(&*server.token)).await);
    for (secret, what) in [("\"seed\"", "the seed of chance"), ("the ford", "a layer's thought")] {
        assert!(operators.body.contains(secret) && !visitors.body.contains(secret), "{what}: {}", visitors.body);
    }
    // A mind is no sooner read than its place is seen.
    ann.command("note the mill is dry as well").await;
    ann.fence().await;
    for _ in 0..100 {
        if look("minds/ann/log", Some(&*server.token)).await.body.contains("the mill") {
            break;
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    let is_told = async || {
        let (hud, log) = (look("minds/ann/hud", None).await, look("minds/ann/log", None).await);
        [hud, log].map(|answer| answer.body.contains("the mill"))
    };
    assert_eq!(is_told().await, [false, false], "too early");
    server.tick(3).await;
    assert_eq!(is_told().await, [true, true], "late enough");

    // The operator's looks are written down, the visitors' at what is open are not.
    let audit = look("audit", Some(&*server.token)).await.json();
    let looks = audit["entries"].as_array().expect("entries").clone();
    assert!(
        looks.iter().any(|row| row["action"] == "mind.log" && row["actor"] == "operator" && row["target"] == "ann")
    );
    assert!(looks.iter().all(|row| row["action"] != "mind.hud"), "{audit}");
    assert_eq!(look("audit", None).await.status, 404);
    ann.command("toggle openmind off").await;
    ann.expect_text("your own again").await;
    assert_eq!(look("minds/ann/hud", None).await.status, 404);
    server.stop();
}

#[tokio::test]
async fn what_is_known_stays_to_be_seen_when_those_have_left_who_showed_it() {
    let server = Server::start_with(green_with(&["--watch-delay-ticks", "2"]));
    // Of a person who lets nobody watch, nothing is told but that somebody plays; and the map begins where all begin.
    let _bob = server.person("Bob").await;
    server.tick(4).await;
    let visitor = Watcher::open(server.http, "", None).await;
    assert!(visitor.people.is_empty() && visitor.feed.is_empty(), "{:?}", visitor.people);
    assert_eq!(visitor.hello["zones"].as_array().map(Vec::len), Some(1), "{}", visitor.hello);
    let map = async || -> Vec<i64> {
        let part = get(&server, "/api/v1/world?zone=1", None).await;
        assert_eq!(part.status, 200, "{}", part.body);
        let rooms = part.json()["rooms"].as_array().cloned().unwrap_or_default();
        rooms.iter().filter_map(|room| room["vnum"].as_i64()).collect()
    };
    let start = map().await;
    assert_eq!(start.len(), 1, "{start:?}");
    assert_eq!(get(&server, "/api/v1/status", None).await.json()["players"], 1);

    // An agent walks, rises and leaves: the map and the event stay.
    let mut ann = server.agent("Ann").await;
    ann.command("north").await;
    ann.expect_text("Exits:").await;
    server.promote("Ann", 2).await;
    server.tick(1).await;
    a_look().await;
    let walked = map().await;
    assert!(walked.len() > 1, "{walked:?}");
    ann.command("quit").await;
    ann.ending().await;
    for _ in 0..2 {
        server.tick(3).await;
        a_look().await;
    }
    let visitor = Watcher::open(server.http, "", None).await;
    assert!(visitor.people.is_empty(), "{:?}", visitor.people);
    let told: Vec<_> = visitor.feed.iter().map(|row| (row["key"].clone(), row["what"].clone())).collect();
    assert_eq!(told, [(json!("ann"), json!("rose"))]);
    assert_eq!(map().await, walked);
    server.stop();
}

#[tokio::test]
async fn what_thinking_costs_counts_calls_without_commands_and_prices_that_are_known() {
    let server = Server::start_with(green_with(&[]));
    let mut ann = server.agent("Ann").await;
    let tell = |meta: Value| json!({"type": "command", "data": {"command": "look", "meta": meta}});
    let tokens = |prompt: u64| json!({"prompt": prompt, "cached": 0, "output": 10});
    // As dp-agent tells it: a decision whose price nobody knows, and what a reflex brings along.
    ann.send(tell(json!({"source": "model", "model": "stub", "by": "m", "tokens": tokens(1_000)}))).await;
    ann.fence().await;
    let series = async || -> Value {
        let path = "/api/v1/series?keys=tokens_prompt,calls,calls_priced,cost_micros,decisions&name=ann";
        let series = get(&server, path, Some(&*server.token)).await.json()["series"].as_array().cloned();
        // An hour may end meanwhile.
        let sum = |one: &Value| {
            let points = one["points"].as_array().expect("points").iter();
            points.filter_map(|point| point[1].as_i64()).reduce(|all, more| all + more)
        };
        series.expect("series").iter().map(sum).collect::<Vec<_>>().into()
    };
    let wait = async |what: &str, expected: Value| {
        let deadline = std::time::Instant::now() + PATIENCE;
        loop {
            let found = series().await;
            if found == expected {
                return;
            }
            assert!(std::time::Instant::now() < deadline, "{what}: {found}");
            tokio::time::sleep(Duration::from_millis(200)).await;
        }
    };
    wait("the price is not known", json!([1_000, 1, 0, null, 1])).await;
    let thoughts = json!({"calls": 2, "priced": 1, "tokens": tokens(500), "cost": 0.25});
    ann.send(tell(json!({"source": "reflex", "thoughts": thoughts}))).await;
    ann.fence().await;
    wait("that of one of three is", json!([1_500, 3, 1, 250_000, 2])).await;

    // What answered is told, and not what the login says.
    let rows = get(&server, "/api/v1/decisions?name=ann", Some(&*server.token)).await.json();
    assert_eq!(rows["decisions"][0]["model"], "stub", "{rows}");
    let exported = server.command(&["decisions", "--name", "Ann"]);
    assert!(exported.out.lines().next().is_some_and(|row| row.contains(r#""model":"stub""#)), "{}", exported.out);
    server.stop();
}
