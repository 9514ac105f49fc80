//! Backups of a server that runs and of one that does not, restored into a second server.

use super::{green, green_with, postgres::on_postgres};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tests::e2e::{Options, Run, Server, run};

fn restore(from: &Path, state: &Path, more: &[&str]) -> Run {
    let (from, state) = (from.display().to_string(), state.display().to_string());
    run(&[&["restore", "--from", &from, "--state-dir", &state], more].concat())
}

fn with_state(state: Arc<TempDir>) -> Options {
    Options { state: Some(state), ..green() }
}

/// What Ann, who logs in with her password, reads of herself.
async fn score(server: &Server) -> String {
    let mut ann = server.dial().await;
    ann.log_in("Ann", "swordfish").await;
    ann.ask("whois ann", "the Patient").await;
    ann.send("score").await;
    let score = ann.fence().await;
    ann.send("quit").await;
    ann.ending().await;
    score
}

/// Plays on a server, backs it up while it is played on, plays on; then a second server has what the first one had at
/// that moment, and a third one what the second one had when it was stopped.
async fn live_and_be_restored(server: Server, place: &[&str], second: Vec<String>) {
    let key = server.key("Brenda").await;
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    let mut god = server.immortal("Godric", 39).await;
    let mut bot = server.connect().await;
    bot.log_in("Brenda", &key).await;
    ann.ask("title the Patient", "Patient").await;
    god.ask("set ann gold 321", "is 321 now").await;
    // On the floor, so that only the world has it.
    god.ask("load obj 121", "\r\n").await;
    god.ask("drop sword", "drop a short sword").await;
    let files = tempfile::tempdir().expect("a folder");
    let file = files.path().join("live.dpbackup");
    let name = file.display().to_string();
    let playing = async {
        for n in 0..40 {
            // The same line again and again would be refused.
            bot.command(&format!("say still here {n}")).await;
            bot.expect_text(&format!("still here {n}")).await;
        }
    };
    let state = server.state.path().display().to_string();
    let words: Vec<String> =
        ["backup", "--out", &name, "--state-dir", &state].iter().chain(place).map(|word| word.to_string()).collect();
    let backing_up = tokio::task::spawn_blocking(move || {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        run(&words)
    });
    let (made, ()) = tokio::join!(backing_up, playing);
    let made = made.expect("it does not panic");
    assert_eq!(made.code, Some(0), "{made:?}");
    assert!(made.out.contains("Wrote") && made.out.contains("rows of"), "{made:?}");
    assert!(made.out.contains("the world after input"), "{made:?}");
    let again = server.command(&["backup", "--out", &name]);
    assert!(again.code == Some(1) && again.err.contains("exists already"), "{again:?}");
    // What happens later is not in it.
    god.ask("get sword", "get a short sword").await;
    god.ask("set ann gold 999", "is 999 now").await;
    ann.ask("save", "\r\n").await;

    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let more: Vec<&str> = second.iter().map(String::as_str).collect();
    let restored = restore(&file, folder.path(), &more);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    assert!(!folder.path().join("admin.token").exists(), "a token is of one folder");
    let next = Server::start_with(Options { more: second.clone(), ..with_state(folder.clone()) });
    let one = score(&next).await;
    assert!(one.contains("321") && !one.contains("999"), "{one}");
    let mut bot = next.connect().await;
    bot.log_in("Brenda", &key).await;
    bot.command("look").await;
    bot.expect_text("A short sword lies here.").await;
    assert_ne!(next.key("Brenda").await, key, "keys are made as before");
    assert_ne!(next.token, server.token);
    // The first goes on, and knows nothing of it.
    let mut god = server.person("Godric").await;
    god.ask("set ann gold 998", "is 998 now").await;
    assert_eq!(server.stop().code, Some(0));

    let stopped = next.stop();
    assert_eq!(stopped.code, Some(0), "{}", stopped.log);
    let file = files.path().join("stopped.dpbackup");
    let (name, state) = (file.display().to_string(), folder.path().display().to_string());
    let made = run(&[&["backup", "--out", &name, "--state-dir", &state][..], &more[..]].concat());
    assert_eq!(made.code, Some(0), "{made:?}");
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    let restored = restore(&file, folder.path(), &[]);
    assert_eq!(restored.code, Some(0), "{restored:?}");
    let last = Server::start_with(with_state(folder));
    let one = score(&last).await;
    assert!(one.contains("321"), "{one}");
    assert_eq!(last.stop().code, Some(0));
}

#[tokio::test]
async fn a_second_server_goes_on_from_a_backup() {
    Box::pin(live_and_be_restored(Server::start_with(green()), &[], Vec::new())).await;
}

#[tokio::test]
async fn a_backup_moves_from_postgresql_to_sqlite() {
    on_postgres(async |address| {
        let server = Server::start_with(green_with(&["--db", address]));
        Box::pin(live_and_be_restored(server, &["--db", address], Vec::new())).await;
    })
    .await;
}

#[tokio::test]
async fn a_backup_moves_from_sqlite_to_postgresql_and_back() {
    on_postgres(async |address| {
        let server = Server::start_with(green());
        Box::pin(live_and_be_restored(server, &[], vec!["--db".into(), address.into()])).await;
    })
    .await;
}

/// The one sword is on the floor or with Brenda, who comes, takes it or leaves it, and goes, without a pause: a backup
/// whose database is older or newer than its world would have two, or none.
#[tokio::test]
async fn nothing_is_doubled_or_lost_between_the_world_and_the_database() {
    let server = Arc::new(Server::start_with(green()));
    let key = server.key("Brenda").await;
    let mut god = server.immortal("Godric", 39).await;
    god.ask("load obj 121", "\r\n").await;
    god.ask("drop sword", "drop a short sword").await;
    god.send("quit").await;
    god.ending().await;
    let files = tempfile::tempdir().expect("a folder");
    let names: Vec<String> = (0..8).map(|n| files.path().join(n.to_string()).display().to_string()).collect();
    let (source, wanted) = (server.clone(), names.clone());
    let backing_up = tokio::task::spawn_blocking(move || {
        for name in &wanted {
            let made = source.command(&["backup", "--out", name]);
            assert_eq!(made.code, Some(0), "{made:?}");
            // Saves are written every 100 ms: each backup at another moment between two writes.
            std::thread::sleep(std::time::Duration::from_millis(37));
        }
    });
    let mut visits = 0;
    while !backing_up.is_finished() {
        let mut bot = server.connect().await;
        bot.log_in("Brenda", &key).await;
        bot.command(["get sword", "drop sword"][visits % 2]).await;
        bot.command("quit").await;
        bot.ending().await;
        visits += 1;
    }
    backing_up.await.expect("every backup is made");
    assert!(visits > 8, "only {visits} visits");
    for name in &names {
        let folder = Arc::new(tempfile::tempdir().expect("a folder"));
        let restored = restore(Path::new(name), folder.path(), &[]);
        assert_eq!(restored.code, Some(0), "{restored:?}");
        let next = Server::start_with(with_state(folder));
        let mut bot = next.connect().await;
        bot.log_in("Brenda", &key).await;
        bot.fence().await;
        bot.command("look").await;
        let mut read = super::texts(&bot.fence().await);
        bot.command("inventory").await;
        read += &super::texts(&bot.fence().await);
        let swords = read.to_lowercase().matches("a short sword").count();
        assert_eq!(swords, 1, "{name}: {read}");
    }
}

#[tokio::test]
async fn nothing_is_restored_over_what_is_there() {
    let server = Server::start_with(green());
    server.key("Brenda").await;
    let files = tempfile::tempdir().expect("a folder");
    let file = files.path().join("a.dpbackup");
    let made = server.command(&["backup", "--out", &file.display().to_string()]);
    assert_eq!(made.code, Some(0), "{made:?}");
    let running = restore(&file, server.state.path(), &[]);
    let pid = format!("process {}", server.pid());
    assert!(running.code == Some(1) && running.err.contains(&pid), "{running:?}");
    let stopped = server.stop();
    let before = std::fs::read(stopped.state.path().join("darkpawns.sqlite")).expect("a database");
    let used = restore(&file, stopped.state.path(), &[]);
    assert!(used.code == Some(1) && used.err.contains("already"), "{used:?}");
    assert_eq!(std::fs::read(stopped.state.path().join("darkpawns.sqlite")).expect("a database"), before);
    // Neither is nothing backed up.
    for (folder, said) in [("none", "there is no state folder"), ("empty", "there is nothing to back up")] {
        let folder = files.path().join(folder);
        if said.contains("nothing") {
            std::fs::create_dir(&folder).expect("a folder");
        }
        let out = files.path().join("b.dpbackup");
        let (out_name, folder) = (out.display().to_string(), folder.display().to_string());
        let made = run(&["backup", "--out", &out_name, "--state-dir", &folder]);
        assert!(made.code == Some(1) && made.err.contains(said), "{made:?}");
        assert!(!out.exists());
    }
    // A damaged one says what is wrong, and makes nothing.
    let mut bytes = std::fs::read(&file).expect("a backup");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&file, bytes).expect("written");
    let state = files.path().join("state");
    let refused = restore(&file, &state, &[]);
    assert!(refused.code == Some(1) && refused.err.contains("because of its part"), "{refused:?}");
    assert!(!state.exists());
}

#[tokio::test]
async fn only_who_has_the_token_gets_a_backup() {
    let server = Server::start_with(green());
    for token in [None, Some("0000")] {
        let answer = tests::e2e::http(server.http, "POST", "/admin/backup", token).await;
        assert_eq!(answer.status, 401, "{}", answer.body);
    }
}
