//! Hot restart: the same process, the same doors, the same connections, another program.

use super::raw::{DO, EOR, IAC, Raw, SB, SE, WILL};
use super::{green, green_with, login};
use serde_json::json;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;
use tests::e2e::{Options, Server, copy_folder, http, program};

const BLINK: &str = "The world blinks";
const WINDOW: u8 = 31;
const END_OF_RECORD: u8 = 25;

/// Copies what will be run. By a program of its own: were it open for writing here, a child that another test starts
/// at that moment would have it open too, and it could not be run.
fn copy(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg(from).arg(to).status().expect("there is a cp");
    assert!(copied.success(), "{} to {}", from.display(), to.display());
}

/// A copy of the program that a test may replace.
fn copy_of_program(folder: &Path) -> PathBuf {
    let program_copy = folder.join("dp-server");
    copy(program(), &program_copy);
    program_copy
}

/// As an installation does: the running program's file stays what it was.
fn replace(file: &Path, with: impl FnOnce(&Path)) {
    let beside = file.with_extension("new");
    with(&beside);
    std::fs::rename(&beside, file).expect("it is replaced");
}

/// A program of the shell, which may be run.
fn script(text: &str) -> impl FnOnce(&Path) {
    move |path| {
        let draft = path.with_extension("draft");
        std::fs::write(&draft, format!("#!/bin/sh\n{text}\n")).expect("it is written");
        std::fs::set_permissions(&draft, std::fs::Permissions::from_mode(0o755)).expect("it is ours");
        copy(&draft, path);
    }
}

#[tokio::test]
async fn half_a_line_before_and_half_after_is_one_line() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut bob = server.person("Bob").await;
    ann.send_raw(b"say half and ").await;
    ann.glance().await;
    let pid = server.pid();
    server.copyover().await;
    assert_eq!(server.pid(), pid);
    ann.expect(BLINK).await;
    bob.expect(BLINK).await;
    ann.send_raw("häl".as_bytes()).await;
    ann.send_raw(b"f\r\n").await;
    ann.expect("You say, \"half and hälf\"").await;
    bob.expect("Ann says, \"half and hälf\"").await;
    assert_eq!(server.get("/health").await.json()["status"], "ok");
    let record = std::fs::read_to_string(server.state.path().join("server.json")).expect("it is there");
    assert!(record.contains(&pid.to_string()), "{record}");
}

#[tokio::test]
async fn a_program_whose_output_nobody_reads_comes_back_all_the_same() {
    let server = Server::start_with(Options { unread: true, ..green() });
    let mut ann = server.person("Ann").await;
    let pid = server.pid();
    // Its "ready" goes into a pipe that nobody reads any more, and so do its log and its greeting.
    server.signal("USR2");
    ann.expect(BLINK).await;
    ann.ask("say still here", "You say, \"still here\"").await;
    assert_eq!(server.pid(), pid);
    let health = server.get("/health").await.json();
    assert_eq!(health["status"], "ok", "{health}");
}

#[tokio::test]
async fn the_whole_world_goes_on_where_it_was() {
    let server = Server::start_with(green());
    let mut god = server.immortal("Godric", 40).await;
    god.ask("load obj 120", "iron key").await;
    god.ask("drop key", "You drop").await;
    server.tick(7).await;
    let tick = server.get("/health").await.json()["tick"].clone();
    server.copyover().await;
    god.expect(BLINK).await;
    let blinked = god.fence().await;
    assert!(!blinked.contains("Village Green"), "nobody has to look about again: {blinked}");
    assert_eq!(server.get("/health").await.json()["tick"], tick);
    god.ask("look", "An iron key lies in the dust.").await;
    god.ask("get key", "You get an iron key").await;
}

#[tokio::test]
async fn what_was_agreed_with_a_client_stays_agreed() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = Raw::dial(&server).await;
    ann.expect(b"known?").await;
    ann.send(&[IAC, WILL, WINDOW, IAC, SB, WINDOW, 0, 30, 0, 24, IAC, SE, IAC, DO, END_OF_RECORD]).await;
    for (line, answer) in [("Ann", "Password:"), (key.as_str(), "will it be?"), ("1", "Village Green")] {
        ann.send(format!("{line}\r\n").as_bytes()).await;
        ann.expect(answer.as_bytes()).await;
    }
    // The last byte before is the first of a command.
    ann.send(&[IAC]).await;
    server.copyover().await;
    let seen = ann.expect(&[IAC, EOR]).await;
    ann.expect(BLINK.as_bytes()).await;
    let after = ann.expect(&[IAC, EOR]).await;
    for byte in [WILL, DO] {
        let both = [seen.as_slice(), after.as_slice()].concat();
        assert!(!both.windows(2).any(|two| two == [IAC, byte]), "it greets again: {both:?}");
    }
    ann.send(&[SB, WINDOW, 0, 40, 0, 24, IAC, SE]).await;
    ann.send(b"say one two three four five six seven eight nine\r\n").await;
    let said = ann.expect(&[IAC, EOR]).await;
    let said = String::from_utf8_lossy(&said).to_string();
    let widest = said.lines().map(|line| line.chars().count()).max().unwrap_or(0);
    assert!((31..=40).contains(&widest), "the window has 40 columns now: {said:?}");
}

#[tokio::test]
async fn the_program_on_disk_takes_over_and_again() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy_path = copy_of_program(folder.path());
    let server = Server::start_with(Options { program: Some(copy_path.clone()), ..green() });
    let mut ann = server.person("Ann").await;
    let running = |pid: u32| std::fs::metadata(format!("/proc/{pid}/exe")).expect("it runs").ino();
    for round in 1..=3 {
        let before = running(server.pid());
        replace(&copy_path, |path| copy(program(), path));
        server.copyover().await;
        let now = running(server.pid());
        assert_ne!(now, before, "the old program runs in round {round}");
        assert_eq!(now, std::fs::metadata(&copy_path).expect("it is there").ino());
        ann.expect(BLINK).await;
        ann.ask(&format!("say still here {round}"), &format!("You say, \"still here {round}\"")).await;
    }
    let open = server.settled_descriptors().await;
    server.copyover().await;
    ann.expect(BLINK).await;
    ann.fence().await;
    let after = server.settled_descriptors().await;
    assert!(after.len() <= open.len() + 2, "descriptors leak: {open:#?} and then {after:#?}");
}

#[tokio::test]
async fn an_agent_is_told_when_to_come_back_and_does() {
    let server = Server::start_with(green());
    let mut bot = server.agent("Brenda").await;
    let token = bot.frames.iter().find(|f| f["type"] == "state").expect("it came")["data"]["token"].clone();
    bot.command("east").await;
    bot.expect_text("The Shop").await;
    let mut stranger = server.connect().await;
    stranger.fence().await;
    server.copyover().await;
    for agent in [&mut bot, &mut stranger] {
        let (code, _, frames) = agent.ending().await;
        let last = frames.last().expect("it was told");
        assert_eq!((code, &last["data"]["code"]), (1012, &json!("restarting")), "{last}");
        let wait = last["data"]["retry_after_ms"].as_u64().expect("a number");
        assert!((1_000..=3_000).contains(&wait), "{wait}");
    }
    let mut bot = server.connect().await;
    bot.send(login(json!({"player_name": "Brenda", "token": token, "is_agent": true}))).await;
    let state = bot.logged_in().await;
    assert_eq!(state["data"]["room"]["vnum"], 102, "where it was");
}

#[tokio::test]
async fn a_program_that_is_no_good_is_refused_and_nobody_notices() {
    let folder = tempfile::tempdir().expect("a folder");
    let copy_path = copy_of_program(folder.path());
    let world = folder.path().join("world");
    copy_folder(&green().world, &world);
    let server = Server::start_with(Options { program: Some(copy_path.clone()), world: world.clone(), ..green() });
    let mut god = server.immortal("Godric", 40).await;
    let mut ann = server.person("Ann").await;
    let mut bot = server.agent("Brenda").await;
    let before = bot.seq;
    let why = async || {
        let answer = http(server.http, "POST", "/admin/copyover", Some(&server.token)).await;
        assert_eq!(answer.status, 409, "{answer:?}");
        answer.json()["error"].as_str().expect("a sentence").to_string()
    };
    replace(&copy_path, script("echo a library is missing >&2; exit 127"));
    assert!(why().await.contains("a library is missing"));
    god.ask("copyover", "You start the world anew").await;
    god.expect("The world goes on as it is. There is no restart: the program").await;
    god.expect("a library is missing").await;
    replace(&copy_path, script("echo hello"));
    assert!(why().await.contains("no dp-server"));
    replace(&copy_path, |path| std::fs::write(path, "no program at all").expect("it is written"));
    assert!(why().await.contains("cannot be run"));
    replace(&copy_path, script("echo '{\"program\":\"server\",\"version\":\"9.9\",\"handover\":99}'"));
    assert!(why().await.contains("format 99"));
    std::fs::remove_file(&copy_path).expect("it is there");
    assert!(why().await.contains("cannot be run"));
    copy(program(), &copy_path);
    break_world(&world);
    let refusal = why().await;
    assert!(refusal.contains("has 1 error;"), "{refusal}");
    assert_eq!(server.starts(), 1);
    ann.ask("say nothing happened", "You say").await;
    assert!(!ann.has_read(BLINK));
    bot.expect_text("Ann says").await;
    assert_eq!(bot.seq, before + 2, "the line and its variables");
}

/// Makes some file of the world unreadable to the game.
fn break_world(world: &Path) {
    fn first_toml(folder: &Path) -> Option<PathBuf> {
        let mut paths: Vec<PathBuf> =
            std::fs::read_dir(folder).ok()?.filter_map(Result::ok).map(|entry| entry.path()).collect();
        paths.sort();
        paths.into_iter().find_map(|path| match path.is_dir() {
            true => first_toml(&path),
            false => path.ends_with("rooms.toml").then_some(path),
        })
    }
    let file = first_toml(world).expect("a world has rooms");
    let text = std::fs::read_to_string(&file).expect("it is text");
    std::fs::write(&file, format!("{text}\nthis is = = no toml")).expect("it is written");
}

#[tokio::test]
async fn a_second_server_finds_the_folder_taken_before_during_and_after() {
    let server = Server::start_with(green());
    let ann = server.person("Ann").await;
    let state = server.state.clone();
    let pid = server.pid();
    let seen = tokio::task::spawn_blocking(move || {
        let mut refusals = Vec::new();
        for _ in 0..4 {
            refusals.push(Server::fails_to_start(Options { state: Some(state.clone()), ..green() }));
        }
        refusals
    });
    for _ in 0..6 {
        server.copyover().await;
    }
    for refusal in seen.await.expect("it does not panic") {
        assert_eq!(refusal.code, Some(1), "{refusal:?}");
        assert!(refusal.err.contains(&format!("process {pid}")), "{}", refusal.err);
    }
    drop(ann);
}

#[tokio::test]
async fn a_mortal_may_not_and_an_immortal_may() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("copyover", "There is no verb").await;
    server.promote("Ann", 40).await;
    ann.ask("copyover", "You start the world anew").await;
    ann.expect(BLINK).await;
    server.started(2).await;
    server.signal("USR2");
    ann.expect(BLINK).await;
    server.started(3).await;
    ann.fence().await;
}

#[tokio::test]
async fn callers_on_the_way_in_say_their_name_again_and_no_password_travels() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut at_name = server.dial().await;
    at_name.expect("known?").await;
    let mut at_password = server.dial().await;
    at_password.expect("known?").await;
    at_password.ask("Ann", "Password:").await;
    at_password.send_raw(&key.as_bytes()[..20]).await;
    at_password.glance().await;
    let mut at_menu = server.dial().await;
    at_menu.expect("known?").await;
    at_menu.ask("Ann", "Password:").await;
    at_menu.ask(&key, "What will it be?").await;
    server.copyover().await;
    for caller in [&mut at_name, &mut at_password, &mut at_menu] {
        let text = caller.expect("known?").await;
        assert!(text.contains("started anew") && text.contains("Say once more who you are"), "{text}");
        assert!(!caller.hidden, "what is typed is shown again");
    }
    // The rest of a password is no name.
    at_password.send_raw(&key.as_bytes()[20..]).await;
    at_password.send_raw(b"\r\n").await;
    at_password.ask("Ann", "Password:").await;
    assert!(!at_password.has_read("Nobody here"), "{:?}", at_password.unread());
    at_password.ask(&key, "What will it be?").await;
    at_password.ask("1", "Village Green").await;
    drop(at_password);
    // In the game, a password that is being typed is lost with a word.
    let mut bob = server.person("Bob").await;
    bob.send_raw(b"password none swordf").await;
    bob.glance().await;
    server.copyover().await;
    bob.expect("What you were typing is lost").await;
    bob.send_raw(b"ish\r\n").await;
    let text = bob.fence().await;
    assert!(!text.contains("ish") && !text.contains("There is no verb"), "{text}");
}

#[tokio::test]
async fn lines_typed_all_the_while_all_arrive_once_and_in_order() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let mut bob = server.person("Bob").await;
    let typing = async {
        for n in 0..300 {
            ann.send(&format!("say line {n}.")).await;
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        ann
    };
    let restarting = async {
        for _ in 0..3 {
            tokio::time::sleep(Duration::from_millis(150)).await;
            server.copyover().await;
        }
    };
    let (mut ann, ()) = tokio::join!(typing, restarting);
    ann.expect("line 299.").await;
    bob.expect("line 299.").await;
    for (who, read) in [("Ann", &ann), ("Bob", &bob)] {
        let text = String::from_utf8_lossy(&read.bytes).to_string();
        let numbers: Vec<u32> = text
            .split("line ")
            .skip(1)
            .filter_map(|rest| rest.split('.').next().and_then(|word| word.parse().ok()))
            .collect();
        assert_eq!(numbers, (0..300).collect::<Vec<_>>(), "{who}");
    }
    assert_eq!(text_count(&ann.bytes, BLINK), 3);
}

fn text_count(bytes: &[u8], what: &str) -> usize {
    String::from_utf8_lossy(bytes).matches(what).count()
}

#[tokio::test]
async fn a_crowd_is_kept_and_bystanders_see_nobody_lose_the_link() {
    let server = Server::start_with(green_with(&["--connections-per-address", "0"]));
    let mut ann = server.person("Ann").await;
    let mut bob = server.person("Bob").await;
    let mut callers = Vec::new();
    // More than fit in one message between the programs.
    for _ in 0..450 {
        let mut caller = server.dial().await;
        caller.expect("known?").await;
        callers.push(caller);
    }
    server.copyover().await;
    for caller in &mut callers {
        caller.expect("Say once more who you are").await;
        caller.expect("known?").await;
    }
    ann.expect(BLINK).await;
    bob.expect(BLINK).await;
    ann.ask("say all here", "You say").await;
    bob.expect("all here").await;
    for person in [&ann, &bob] {
        assert!(!person.has_read("lose their focus") && !person.has_read("stirs and looks about"));
    }
}

#[tokio::test]
async fn a_stuck_reader_holds_nobody_up() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    let key = server.key("Stuck").await;
    let mut stuck = tests::e2e::Telnet::connect_narrow(server.telnet).await;
    stuck.log_in("Stuck", &key).await;
    let line = "x".repeat(900);
    for _ in 0..2_000 {
        if !stuck.try_send_raw(format!("say {line}\r\n").as_bytes()).await {
            break;
        }
    }
    let begun = std::time::Instant::now();
    server.copyover().await;
    assert!(begun.elapsed() < Duration::from_secs(6), "{:?}", begun.elapsed());
    ann.expect(BLINK).await;
    ann.fence().await;
}

#[tokio::test]
async fn an_end_in_the_midst_of_a_restart_is_a_clean_end() {
    for wait_ms in [0, 20, 60, 120, 200, 300, 500] {
        let server = Server::start_with(green_with(&["--seed", "11"]));
        let key = server.key("Ann").await;
        let mut ann = server.dial().await;
        ann.log_in("Ann", &key).await;
        ann.ask("title of the Test", "Test").await;
        server.signal("USR2");
        tokio::time::sleep(Duration::from_millis(wait_ms)).await;
        let stopped = server.stop();
        assert_eq!(stopped.code, Some(0), "after {wait_ms} ms: {}", stopped.log);
        assert!(!stopped.state.path().join("server.json").exists(), "after {wait_ms} ms");
        let next = Server::start_with(Options { state: Some(stopped.state), ..green() });
        let mut ann = next.dial().await;
        ann.log_in("Ann", &key).await;
        ann.ask("whois ann", "of the Test").await;
    }
}
