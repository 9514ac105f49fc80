//! A loss of power: what the server has confirmed must be on the disk, not only with the operating system.
//!
//! The real server runs on a file system that forgets: `tests/shim/power_cut.c` is preloaded, and at each sync copies
//! what a disk would have of the file, and of the names in a folder. After a SIGKILL the state folder is made anew of
//! these copies alone, as strictly as POSIX allows, and another server starts on it. What this does not show: a kernel
//! or a disk that says it has synced and has not.

use super::green_with;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tests::e2e::{Options, PATIENCE, Server, root};

/// The shim, compiled. `None`: there is no C compiler here, which building SQLite needs as well.
fn shim(folder: &Path) -> Option<String> {
    let library = folder.join("power_cut.so");
    let source = root().join("tests/shim/power_cut.c");
    let compiled =
        Command::new("cc").args(["-shared", "-fPIC", "-O1", "-o"]).arg(&library).arg(&source).status().ok()?;
    assert!(compiled.success(), "the shim compiles");
    Some(library.display().to_string())
}

/// What the disk has of a folder and those in it, in a fresh folder.
fn after_the_cut(shadow: &Path, folder: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    let list = shadow.join(format!("folder{}", folder.display().to_string().replace('/', "%")));
    let names = std::fs::read_to_string(&list).unwrap_or_default();
    for line in names.lines() {
        let (key, name) = line.split_once(' ').expect("a key and a name");
        // A name that was synced before its file was ever: it is there and empty.
        let bytes = std::fs::read(shadow.join(key)).unwrap_or_default();
        std::fs::write(to.join(name), bytes).expect("written");
    }
    for entry in std::fs::read_dir(folder).expect("it is there").map_while(Result::ok) {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            after_the_cut(shadow, &entry.path(), &to.join(entry.file_name()));
        }
    }
}

#[tokio::test]
async fn what_was_confirmed_outlives_a_loss_of_power() {
    let folder = tempfile::tempdir().expect("a folder");
    let Some(library) = shim(folder.path()) else {
        eprintln!("skipped: there is no C compiler");
        return;
    };
    let shadow = folder.path().join("shadow");
    std::fs::create_dir(&shadow).expect("a folder");
    let shadowed = vec![("LD_PRELOAD", library), ("DP_SHADOW", shadow.display().to_string())];
    let options = Options { environment: shadowed, ..green_with(&["--fsync", "always"]) };
    let server = Server::start_with(options);

    // An account, a changed password, a revoked key: each confirmed, and nothing waits for it.
    let mut ann = server.dial().await;
    ann.create("Ann", "swordfish").await;
    ann.ask("1", "Village Green").await;
    let key = server.key("Brenda").await;
    server.admin("POST", &format!("revoke?key={}", &key[3..11])).await;
    let kept = server.key("Brenda").await;
    // Who quits is in the database and then in no snapshot any more; who stays is in the journal.
    let mut carl = server.dial().await;
    carl.create("Carl", "swordfish").await;
    carl.ask("1", "Village Green").await;
    carl.ask("title the Keeper", "You are now").await;
    carl.send("quit").await;
    carl.ending().await;
    let deadline = Instant::now() + PATIENCE;
    while server.get("/health").await.json()["unsaved"] != 0 {
        assert!(Instant::now() < deadline, "{}", server.log());
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    ann.ask("title the Last", "You are now").await;
    ann.ask("password swordfish troutfarm9", "Your password is changed.").await;
    let cut = after_cut(server, &shadow);

    let server = Server::start_with(Options { state: Some(cut), ..green_with(&["--fsync", "always"]) });
    let mut old = server.dial().await;
    old.expect("known?").await;
    old.ask("Ann", "Password:").await;
    let refused = old.ask("swordfish", "assword").await;
    assert!(!refused.contains("What will it be?"), "the old password is no more: {refused}");
    let mut ann = server.dial().await;
    ann.log_in("Ann", "troutfarm9").await;
    ann.ask("who", "Ann the Last").await;
    let mut carl = server.dial().await;
    carl.log_in("Carl", "swordfish").await;
    carl.ask("who", "Carl the Keeper").await;
    let mut brenda = server.connect().await;
    brenda.send(super::login(serde_json::json!({"player_name": "Brenda", "password": key, "is_agent": true}))).await;
    assert_eq!(brenda.next().await["type"], "error", "a revoked key stays revoked");
    server.connect().await.log_in("Brenda", &kept).await;
}

/// Ends the server as a loss of power does; the state folder as the disk has it.
fn after_cut(server: Server, shadow: &Path) -> Arc<TempDir> {
    let state = server.kill();
    let cut = tempfile::tempdir().expect("a folder");
    let real = state.path().canonicalize().expect("it is there");
    after_the_cut(shadow, &real, cut.path());
    Arc::new(cut)
}
