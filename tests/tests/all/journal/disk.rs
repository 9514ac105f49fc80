//! A full disk: a small file system of its own, mounted where the machine lets us.

use super::{files, green_content, on, on_with, recover};
use server::journal::Record;
use server::journal::format::Records;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tests::e2e::{Agent, PATIENCE, Server};
use world::Input;

/// A state folder of so many megabytes, until it is dropped.
struct Small(Arc<TempDir>);

impl Small {
    fn mount(megabytes: u32, more: &str) -> Option<Small> {
        let folder = tempfile::tempdir().expect("a folder");
        let options = format!("size={megabytes}m{more}");
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", &options, "tmpfs"]).arg(folder.path()).output();
        match mounted {
            Ok(output) if output.status.success() => Some(Small(Arc::new(folder))),
            other => {
                eprintln!("skipped: no file system can be mounted here ({other:?})");
                None
            }
        }
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        // The folder itself is cleared by its own end.
        let _unmounted = Command::new("umount").arg("--lazy").arg(self.0.path()).status();
    }
}

/// Fills the file system up to so many bytes.
fn fill(folder: &Path, left: u64) {
    use std::io::Write;
    let mut file = std::fs::File::options().create(true).append(true).open(folder.join("ballast")).expect("opened");
    let free = || {
        let out = Command::new("df").args(["--output=avail", "-B1"]).arg(folder).output().expect("there is a df");
        let text = String::from_utf8_lossy(&out.stdout).into_owned();
        text.lines().last().and_then(|line| line.trim().parse::<u64>().ok()).expect("a number")
    };
    while free() > left {
        let piece = (free() - left).clamp(1, 64 << 10) as usize;
        if file.write_all(&vec![1; piece]).is_err() {
            return;
        }
    }
}

/// The numbered words that were said, as the journal holds them.
fn said_in_journal(state: &Path) -> Vec<u32> {
    let mut said = Vec::new();
    for path in files(state).0 {
        let bytes = std::fs::read(path).expect("readable");
        for record in Records::open(&bytes).expect("it has a head") {
            if let Record::Input { input: Input::Command { line, .. }, .. } = record
                && let Some(number) = line.strip_prefix("say ").and_then(|words| words.split(' ').next()?.parse().ok())
            {
                said.push(number);
            }
        }
    }
    said
}

const STILL: &str = "The world holds its breath";

/// The numbered words that an agent has read.
fn said_to(agent: &Agent) -> Vec<u32> {
    let texts = agent.frames.iter().filter_map(|frame| frame["data"]["text"].as_str());
    texts.filter_map(|text| text.split_once(", \"")?.1.split(' ').next()?.parse().ok()).collect()
}

fn is_prefix(part: &[u32], whole: &[u32]) -> bool {
    whole.starts_with(part)
}

#[tokio::test]
async fn a_full_disk_stops_the_world_and_undoes_nothing_that_was_shown() {
    let Some(small) = Small::mount(8, "") else { return };
    let server = Server::start_with(on_with(&small.0, &["--disk-low-mb", "2"]));
    let mut ann = server.agent("Ann").await;
    let mut bob = server.agent("Bob").await;
    let keys = [server.key("Cid").await, server.key("Dora").await, server.key("Ann").await];

    // Nearly full: who is in plays on, and nobody else comes in.
    fill(small.path(), 1 << 20);
    let deadline = Instant::now() + PATIENCE;
    let refusal = loop {
        let mut cid = server.connect().await;
        cid.send(serde_json::json!({"type": "login",
            "data": {"player_name": "Cid", "password": keys[0], "is_agent": true}}))
            .await;
        let answer = cid.next().await;
        if answer["type"] == "error" {
            break answer;
        }
        cid.command("quit").await;
        cid.ending().await;
        assert!(Instant::now() < deadline, "they still come in: {answer}");
        // Each login is written to the database, which needs what room there is.
        tokio::time::sleep(Duration::from_millis(200)).await;
    };
    let sentence = refusal["data"]["message"].to_string();
    assert!(sentence.contains("room") && sentence.contains("gain"), "it says why, and to try again: {refusal}");

    // Full. Ann talks until nothing more can be written down.
    fill(small.path(), 0);
    let words = "and so on ".repeat(60);
    let mut last = 0;
    let mut stood_still = false;
    while !stood_still {
        last += 1;
        assert!(last < 2_000, "the world does not stop");
        ann.command(&format!("say {last} {words}")).await;
        while let Some(frame) = ann.next_within(20).await {
            stood_still |= frame["data"]["text"].as_str().is_some_and(|text| text.starts_with(STILL));
        }
    }
    while bob.next_within(200).await.is_some() {}
    while ann.next_within(200).await.is_some() {}
    let (written, ann_read, bob_read) = (said_in_journal(small.path()), said_to(&ann), said_to(&bob));
    assert!(is_prefix(&ann_read, &written), "Ann has read {ann_read:?}, and the journal has {written:?}");
    assert!(is_prefix(&bob_read, &written), "Bob has read {bob_read:?}, and the journal has {written:?}");
    assert!(server.log().contains("the world stands still until it can"), "{}", server.log());
    let health = server.get("/health").await;
    assert!(health.status == 200 || health.status == 503, "{health:?}");

    // Room again: what was held is shown, and the world goes on.
    std::fs::remove_file(small.path().join("ballast")).expect("it was there");
    let deadline = Instant::now() + PATIENCE;
    loop {
        last += 1;
        ann.command(&format!("say {last} again")).await;
        ann.until(|frame| {
            let text = frame["data"]["text"].as_str().unwrap_or_default();
            text.starts_with(STILL) || text.contains("again")
        })
        .await;
        if said_to(&ann).contains(&last) {
            break;
        }
        assert!(Instant::now() < deadline, "the world does not go on");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    bob.until(|frame| frame["data"]["text"].as_str().is_some_and(|text| text.contains("again"))).await;
    let (written, ann_read, bob_read) = (said_in_journal(small.path()), said_to(&ann), said_to(&bob));
    assert_eq!(ann_read, written, "all that was written was shown to Ann");
    assert_eq!(bob_read, written, "and to Bob");
    assert!(server.log().contains("the world goes on"), "{}", server.log());

    // The database shared the disk, and takes saves again.
    ann.command("quit").await;
    ann.ending().await;
    server.promote("Ann", 3).await;
    while !server.log().contains("there is room on the disk again") {
        assert!(Instant::now() < deadline, "nobody may come in again");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    ann = server.connect().await;
    ann.log_in("Ann", &keys[2]).await;
    assert_eq!(ann.vars["LEVEL"], 3);

    // And a kill has all of it.
    let state = server.kill();
    let recovered = recover(state.path(), &green_content(), false).expect("it starts");
    let mut world = recovered.world.expect("there is one");
    assert!(world.check_all().is_empty());
    assert_eq!(world.apply(&Input::Tick).number, recovered.last_number + 1);
    drop(Server::start_with(on(&state)));
}

#[tokio::test]
async fn a_stop_on_a_full_disk_shows_nothing_that_is_not_written() {
    let Some(small) = Small::mount(8, "") else { return };
    let server = Server::start_with(on_with(&small.0, &["--disk-low-mb", "0"]));
    let mut ann = server.agent("Ann").await;
    fill(small.path(), 0);
    let words = "and so on ".repeat(60);
    let mut sent = 0;
    while !ann.frames.iter().any(|f| f["data"]["text"].as_str().is_some_and(|text| text.starts_with(STILL))) {
        sent += 1;
        assert!(sent < 2_000, "the world does not stop");
        ann.command(&format!("say {sent} {words}")).await;
        while ann.next_within(20).await.is_some() {}
    }
    let stopped = server.stop();
    ann.ending().await;
    let (written, read) = (said_in_journal(small.path()), said_to(&ann));
    assert!(is_prefix(&read, &written), "Ann has read {read:?}, and the journal has {written:?}");
    assert!(!read.contains(&(sent - 1)), "what was not written was not shown");
    assert_eq!(stopped.code, Some(1), "{}", stopped.log);
    std::fs::remove_file(small.path().join("ballast")).expect("it was there");
    let server = Server::start_with(on(&stopped.state));
    let mut ann = server.agent("Ann").await;
    ann.command("look").await;
    ann.expect("event").await;
}

#[tokio::test]
async fn a_state_folder_that_may_only_be_read_is_named() {
    let Some(small) = Small::mount(8, "") else { return };
    Server::start_with(on(&small.0)).stop();
    let remounted = Command::new("mount").args(["-o", "remount,ro"]).arg(small.path()).status();
    assert!(remounted.is_ok_and(|status| status.success()), "what was mounted can be mounted again");
    let failed = Server::fails_to_start(on(&small.0));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let said = failed.err.contains(&small.path().display().to_string()) && failed.err.contains("Read-only");
    assert!(said, "{}", failed.err);
}
