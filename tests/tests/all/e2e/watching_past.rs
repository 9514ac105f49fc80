//! `dp-server watch`: a folder, without its server and beside it, shows each tick as it was seen live.

use super::green;
use serde_json::Value;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};
use tests::e2e::{Answer, PATIENCE, Server, http, http_with, program, root, run};

/// The process that shows a past. Ends with the value.
struct Watch {
    child: Child,
    http: SocketAddr,
}

impl Watch {
    fn open(state: &Path) -> Watch {
        let mut command = Command::new(program());
        command.current_dir(root()).args(["watch", "--http", "127.0.0.1:0", "--state-dir"]).arg(state);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("it starts");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("it is piped")).read_line(&mut line).expect("it says something");
        let http = line.trim().strip_prefix("ready http=").and_then(|address| address.parse().ok());
        Watch { child, http: http.unwrap_or_else(|| panic!("it said {line:?}")) }
    }

    async fn get(&self, path: &str) -> Answer {
        http(self.http, "GET", path, None).await
    }

    async fn json(&self, path: &str) -> Value {
        let answer = self.get(path).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// What can be seen, when everything was searched up to a tick.
    async fn searched(&self, tick: u64) -> Value {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let past = self.json("/api/v1/past").await;
            if past["searched"] == true && past["searched_to"].as_u64() >= Some(tick) {
                return past;
            }
            assert!(Instant::now() < deadline, "it never comes to tick {tick}: {past}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// Asks it to end; its status.
    fn end(mut self) -> Option<i32> {
        let told =
            Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().expect("there is a kill");
        assert!(told.success());
        let deadline = Instant::now() + PATIENCE;
        loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                return status.code();
            }
            assert!(Instant::now() < deadline, "it does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Watch {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let _gone = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}

/// All files of a folder, with their sizes and the times at which they were changed.
fn files(folder: &Path) -> BTreeMap<String, (u64, Option<SystemTime>)> {
    let mut found = BTreeMap::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files(&path));
        }
        let about = std::fs::metadata(&path).expect("it is there");
        found.insert(path.display().to_string(), (about.len(), about.modified().ok()));
    }
    found
}

/// Where and how everybody is, as an operator sees it.
async fn seen_live(server: &Server) -> (Value, Value) {
    let zone = http(server.http, "GET", "/api/v1/world?zone=1", Some(&server.token)).await.json();
    let ann = http(server.http, "GET", "/api/v1/characters/ann", Some(&server.token)).await.json();
    (zone, ann)
}

#[tokio::test]
async fn each_tick_of_a_folder_is_as_it_was_seen_live() {
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    server.promote("Ann", 39).await;
    let mut seen = Vec::new();
    for (ticks, line) in [(20, "set ann gold 77"), (45, "north"), (3, "say here I am"), (40, "set ann gold 5")] {
        ann.command(line).await;
        ann.fence().await;
        // What was done before a tick is seen after it.
        let tick = server.tick(ticks).await;
        seen.push((tick, seen_live(&server).await));
    }
    let _bob = server.agent("Bob").await;
    server.place("Bob", 101).await;
    server.place("Ann", 101).await;
    let last = server.tick(10).await;

    // Beside the running server.
    let beside = Watch::open(server.state.path());
    let past = beside.json("/api/v1/past").await;
    assert_eq!((past["from"].as_u64(), past["to"].as_u64()), (Some(0), Some(last)), "{past}");
    let (tick, (zone, _)) = &seen[1];
    assert_eq!(&beside.json(&format!("/api/v1/world?zone=1&tick={tick}")).await, zone);
    // It goes on there.
    let grown = server.tick(5).await;
    beside.searched(grown).await;
    assert_eq!(beside.json(&format!("/api/v1/characters/ann?tick={grown}")).await["tick"], grown);
    drop(beside);
    let here = http(server.http, "GET", "/api/v1/past", None).await.json();
    assert_eq!((&here["folder"], here["to"].as_u64()), (&Value::from(""), Some(grown - 30)), "as anybody sees it");
    let now_only = http(server.http, "GET", "/api/v1/who?tick=3", None).await;
    assert_eq!(now_only.status, 404, "{}", now_only.body);

    // And of a run that has ended.
    let state = server.stop().state;
    let before = files(state.path());
    let watch = Watch::open(state.path());
    for (tick, (zone, ann)) in seen.iter().rev() {
        assert_eq!(&watch.json(&format!("/api/v1/world?zone=1&tick={tick}")).await, zone, "tick {tick}");
        assert_eq!(&watch.json(&format!("/api/v1/characters/ann?tick={tick}")).await, ann, "tick {tick}");
        let then = watch.json(&format!("/api/v1/watch?tick={tick}&zone=1")).await;
        assert_eq!((&then["people"], then["tick"].as_u64()), (&zone["characters"], Some(*tick)));
        assert!(then["game_time"].as_str().is_some_and(|words| words.contains("Coldwake 612")), "{then}");
    }
    let past = watch.searched(grown).await;
    assert_eq!((past["difference"].is_null(), past["problems"].as_array().map(Vec::len)), (true, Some(0)), "{past}");
    assert!(past["hashes_compared"].as_u64() >= Some(4), "{past}");
    let met = past["marks"].as_array().expect("marks").iter().find(|mark| mark["kind"] == "meeting");
    let met = met.unwrap_or_else(|| panic!("they met: {past}"));
    assert!(met["tick"].as_u64() >= Some(seen[3].0) && met["other"].is_string(), "{met}");
    // Its map, and who was there.
    let rooms = |map: &Value| map["rooms"].as_array().map(Vec::len);
    let early = watch.json("/api/v1/map?name=ann&tick=1").await;
    let late = watch.json(&format!("/api/v1/map?name=ann&tick={grown}")).await;
    assert!(rooms(&early) < rooms(&late), "{early} {late}");
    assert_eq!(watch.json("/api/v1/who?tick=20").await["players"].as_array().map(Vec::len), Some(1));

    // What there is not, and pages.
    for (path, status, words) in [
        ("/api/v1/watch?tick=999999", 404, "still to come"),
        ("/api/v1/watch?tick=-1", 400, "zone"),
        ("/api/v1/map?tick=3", 400, "Whose map"),
        ("/api/v1/characters/zed?tick=3", 404, "Nobody of that name"),
        ("/api/v1/minds/ann/hud", 404, "no such call of the past"),
        ("/watch", 200, "scrubber"),
        ("/api", 200, "<html"),
        ("/nowhere", 404, "Nothing is here"),
    ] {
        let answer = watch.get(path).await;
        assert!(answer.status == status && answer.body.contains(words), "{path}: {} {}", answer.status, answer.body);
    }
    assert_eq!(watch.get("/").await.header("location").as_deref(), Some("/watch"));
    assert_eq!(watch.end(), Some(0));
    assert_eq!(files(state.path()), before, "the folder is only read");
}

/// The processes that a server has started and that have not ended.
fn children(server: &Server) -> Vec<String> {
    let tasks = std::fs::read_dir(format!("/proc/{}/task", server.pid())).expect("the server runs");
    let of = |task: std::io::Result<std::fs::DirEntry>| {
        std::fs::read_to_string(task.expect("a task").path().join("children")).unwrap_or_default()
    };
    tasks.flat_map(|task| of(task).split_whitespace().map(str::to_string).collect::<Vec<_>>()).collect()
}

#[tokio::test]
async fn operators_look_back_on_a_server_that_runs() {
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    server.tick(2).await;
    ann.command("note before the march").await;
    ann.fence().await;
    let early = server.tick(3).await;
    let then = seen_live(&server).await;
    server.tick(1).await;
    ann.command("north").await;
    ann.command("note after the march").await;
    ann.fence().await;
    server.tick(5).await;
    assert_eq!(children(&server), Vec::<String>::new(), "nobody has asked for the past");

    let ask = async |path: &str| http(server.http, "GET", path, Some(&server.token)).await;
    let past = ask("/api/v1/past").await.json();
    assert!(past["to"].as_u64() >= Some(early) && past["folder"].is_string(), "{past}");
    assert_eq!(ask(&format!("/api/v1/world?zone=1&tick={early}")).await.json(), then.0);
    let mine = format!("/api/v1/characters/ann?tick={early}");
    assert_eq!(ask(&mine).await.json(), then.1);
    let to_come = ask("/api/v1/watch?tick=999999").await;
    assert!(to_come.status == 404 && to_come.body.contains("still to come"), "{}", to_come.body);

    // What was on its mind, and what it had decided.
    let hud = ask(&format!("/api/v1/minds/ann/hud?tick={early}")).await.json();
    let notes = hud["hud"].as_str().unwrap_or_default();
    assert!(notes.contains("before the march") && !notes.contains("after the march"), "{hud}");
    // They are written in batches.
    let deadline = Instant::now() + PATIENCE;
    let commands = async |more: &str| -> Vec<String> {
        let rows = ask(&format!("/api/v1/decisions?name=ann&newest=9{more}")).await.json();
        let rows = rows["decisions"].as_array().cloned().unwrap_or_default();
        rows.iter().filter_map(|row| row["command"].as_str().map(str::to_string)).collect()
    };
    while commands("").await.len() < 3 {
        assert!(Instant::now() < deadline, "what she did is never written");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(commands(&format!("&tick={early}")).await, ["note"], "the march came later");
    let both = ask(&format!("/api/v1/minds/ann/hud?seq=1&tick={early}")).await;
    assert!(both.status == 400 && both.body.contains("A HUD takes"), "{}", both.body);

    // Nobody else looks back at what is so new, not by the process itself either.
    let login = serde_json::json!({"name": "Ann", "password": server.key("Ann").await}).to_string();
    let own = http_with(server.http, "POST", "/api/v1/login", None, &login).await.json();
    let own = own["token"].as_str().expect("she is logged in");
    let process = children(&server);
    assert_eq!(process.len(), 1, "one process shows it: {process:?}");
    for path in [&*mine, "/api/v1/past"] {
        assert_eq!(http(server.http, "GET", path, Some(own)).await.status, 404, "{path}");
        assert_eq!(http(server.http, "GET", path, None).await.status, 404, "{path}");
    }
    let listens = listening(&process[0]);
    let direct = http(listens, "GET", &mine, None).await;
    assert_eq!(direct.status, 403, "{}", direct.body);

    // Killed, it is there again; and it ends with its server.
    let told = Command::new("kill").args(["-KILL", &process[0]]).status().expect("there is a kill");
    assert!(told.success());
    assert_eq!(ask(&mine).await.json(), then.1);
    let again = children(&server).pop().expect("it was started again");
    assert_ne!(again, process[0]);
    server.kill();
    let deadline = Instant::now() + PATIENCE;
    while Path::new(&format!("/proc/{again}")).exists() {
        assert!(Instant::now() < deadline, "{again} goes on without its server");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn visitors_look_back_at_whom_they_could_watch_then_and_may_watch_now() {
    let server = Server::start_with(green());
    // Agents may be watched, and people not, unless they say otherwise.
    let (mut ann, mut bob) = (server.agent("Ann").await, server.agent("Bob").await);
    let mut eve = server.person("Eve").await;
    let key = server.key("Eve").await;
    let both = server.tick(5).await;
    bob.command("toggle watchable off").await;
    bob.fence().await;
    server.place("Ann", 101).await;
    let hidden = server.tick(5).await;
    bob.command("toggle watchable on").await;
    bob.fence().await;
    let last = server.tick(40).await;

    let login = serde_json::json!({"name": "Eve", "password": key}).to_string();
    let token = http_with(server.http, "POST", "/api/v1/login", None, &login).await.json();
    let token = token["token"].as_str().expect("she is logged in").to_string();
    let then = async |tick: u64, token: Option<&str>| -> Value {
        let path = format!("/api/v1/watch?tick={tick}&zone=1");
        let then = http(server.http, "GET", &path, token).await;
        assert_eq!(then.status, 200, "{path}: {}", then.body);
        then.json()
    };
    let keys = |then: &Value| -> Vec<String> {
        let people = then["people"].as_array().expect("a list").iter();
        people.map(|one| one["key"].as_str().expect("a key").to_string()).collect()
    };
    let early = then(both, None).await;
    assert_eq!(
        (keys(&early), &early["role"], &early["mobs"]),
        (vec!["ann".into(), "bob".into()], &"visitor".into(), &Value::Array(vec![]))
    );
    assert_eq!(keys(&then(hidden, None).await), ["ann"], "he hid then");
    // A player sees itself, and others where it has been.
    assert_eq!(keys(&then(both, Some(&token)).await), ["ann", "bob", "eve"]);
    assert_eq!(keys(&then(hidden, Some(&token)).await), ["eve"], "she has never been at the well");
    assert_eq!(keys(&then(hidden, Some(&server.token)).await), ["ann", "bob", "eve"], "an operator sees all");
    let zone = http(server.http, "GET", &format!("/api/v1/world?zone=1&tick={both}"), None).await.json();
    let there = zone["characters"].as_array().expect("a list").len();
    assert!(
        there == 2 && zone["tick"] == both && zone["rooms"].as_array().is_some_and(|rooms| !rooms.is_empty()),
        "{zone}"
    );
    let past = http(server.http, "GET", "/api/v1/past", None).await.json();
    assert_eq!((past["to"].as_u64(), &past["folder"]), (Some(last - 30), &Value::from("")), "{past}");
    for (path, status, why) in [
        (format!("/api/v1/watch?tick={}", last - 29), 404, "too new"),
        (format!("/api/v1/characters/ann?tick={both}"), 404, "no such moment"),
        (format!("/api/v1/who?tick={both}"), 404, "no such moment"),
        (format!("/api/v1/world?zone=77&tick={both}"), 404, "no such zone"),
        ("/api/v1/watch?tick=x".to_string(), 400, "as in /api/v1/watch"),
    ] {
        let refused = http(server.http, "GET", &path, None).await;
        assert!(refused.status == status && refused.body.contains(why), "{path}: {} {}", refused.status, refused.body);
    }

    // Who hides now is not shown as it was before, nor is whoever has left and hides.
    bob.command("toggle watchable off").await;
    bob.fence().await;
    assert_eq!(keys(&then(both, None).await), ["ann"]);
    eve.ask("toggle watchable on", "Who looks on from outside").await;
    assert_eq!(keys(&then(both, None).await), ["ann"], "she had not said so then");
    ann.command("toggle watchable off").await;
    ann.fence().await;
    ann.command("quit").await;
    ann.close().await;
    server.tick(2).await;
    assert_eq!(keys(&then(both, None).await), Vec::<String>::new());
}

/// The address on this machine at which a process listens.
fn listening(process: &str) -> SocketAddr {
    let fds = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it runs");
    let links = fds.filter_map(|fd| std::fs::read_link(fd.ok()?.path()).ok());
    let sockets: Vec<String> = links
        .filter_map(|link| Some(link.to_str()?.strip_prefix("socket:[")?.strip_suffix(']')?.to_string()))
        .collect();
    let table = std::fs::read_to_string(format!("/proc/{process}/net/tcp")).expect("a table of sockets");
    // Local address, state (0A: it listens) and number of the socket.
    let row = table.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let row = row.filter(|row| row.len() > 9 && row[3] == "0A").find(|row| sockets.iter().any(|one| one == row[9]));
    let row = row.expect("it listens");
    let port = row[1].split_once(':').and_then(|(_, port)| u16::from_str_radix(port, 16).ok()).expect("a port");
    SocketAddr::from(([127, 0, 0, 1], port))
}

#[test]
fn a_folder_without_a_past_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let refused = run(&["watch", "--http", "127.0.0.1:0", "--state-dir", &folder.path().display().to_string()]);
    assert!(refused.code == Some(1) && refused.err.contains("holds no journal"), "{refused:?}");
}
