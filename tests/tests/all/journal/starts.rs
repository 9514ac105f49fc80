//! Starts with something else than before: other content, another database, no folder to write to, or a promotion that
//! was made while nobody ran.

use super::{files, green, header, killed, on, on_with};
use server::journal::{Layout, snapshot};
use std::path::Path;
use std::sync::Arc;
use tempfile::TempDir;
use tests::e2e::{Options, Server, copy_folder, root};

/// The green with one more sentence, and without the short sword.
fn other_world() -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    copy_folder(&root().join("tests/scenes/green"), folder.path());
    let path = folder.path().join("zones/1_green/objects.toml");
    let text = std::fs::read_to_string(&path).expect("it is there");
    let kept: Vec<&str> = text.split("[[object]]").filter(|object| !object.contains("vnum = 121")).collect();
    std::fs::write(&path, kept.join("[[object]]")).expect("written");
    let text = std::fs::read_to_string(&path).expect("it is there");
    assert!(!text.contains("a short sword"), "{text}");
    folder
}

fn with_world(state: &Arc<TempDir>, world: &Path, words: &[&str]) -> Options {
    Options { world: world.to_path_buf(), ..on_with(state, words) }
}

#[tokio::test]
async fn other_content_with_a_tail_is_refused_by_both_names_and_recover_lists_the_tail() {
    let state = killed().await;
    let world = other_world();
    let failed = Server::fails_to_start(with_world(&state, world.path(), &["--lenient"]));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let (was, is) = (header(state.path()).needs, world.path().display().to_string());
    let said = failed.err.contains(&was.world) && failed.err.contains(&format!("{:016x}", was.content));
    assert!(said && failed.err.contains(&is) && failed.err.contains("--recover"), "{}", failed.err);

    let server = Server::start_with(with_world(&state, world.path(), &["--lenient", "--recover"]));
    let log = server.log();
    assert!(log.contains("lost: ") && log.contains("say Somebody was here."), "{log}");
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    let state = server.stop().state;
    // From now on this is the content.
    let server = Server::start_with(with_world(&state, world.path(), &["--lenient"]));
    drop(server);
}

#[tokio::test]
async fn other_content_after_a_clean_stop_is_taken_over_and_what_has_no_prototype_is_kept_aside() {
    let server = Server::start_with(green());
    let mut ann = server.agent("Ann").await;
    server.promote("Ann", 39).await;
    for line in ["load obj 121", "drop sword", "set ann gold 77"] {
        ann.command(line).await;
        ann.fence().await;
    }
    let state = server.stop().state;
    let world = other_world();
    let server = Server::start_with(with_world(&state, world.path(), &["--lenient"]));
    let log = server.log();
    assert!(log.contains("they are taken over") && log.contains("set-aside"), "{log}");
    let aside = std::fs::read_dir(state.path().join("journal")).expect("a folder").find_map(|entry| {
        let path = entry.expect("an entry").path();
        path.display().to_string().contains("set-aside").then_some(path)
    });
    let text = std::fs::read_to_string(aside.expect("a file of what was set aside")).expect("readable");
    assert!(text.contains("short sword"), "{text}");
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    assert_eq!(ann.vars["GOLD"], 77);
    // Killed before anything happened, and again after: the new content's own run begins here.
    let state = server.kill();
    let server = Server::start_with(with_world(&state, world.path(), &["--lenient"]));
    play_a_little(&server).await;
    let state = server.kill();
    let json = tests::torture::replayed(state.path()).expect("it can be replayed");
    assert_eq!(json["ok"], true, "{json}");
}

async fn play_a_little(server: &Server) {
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    server.tick(31).await;
}

#[tokio::test]
async fn a_run_that_was_begun_and_killed_before_anything_happened_is_still_a_run_of_its_own() {
    let server = Server::start_with(green());
    server.tick(3).await;
    let state = server.stop().state;
    let world = other_world();
    for _ in 0..3 {
        Server::start_with(with_world(&state, world.path(), &["--lenient"])).kill();
    }
    let server = Server::start_with(with_world(&state, world.path(), &["--lenient"]));
    server.tick(31).await;
    let state = server.kill();
    let json = tests::torture::replayed(state.path()).expect("it can be replayed");
    assert!(json["ok"] == true && json["ticks"] == 31, "{json}");
}

#[tokio::test]
async fn another_database_is_refused_by_both_names() {
    let state = killed().await;
    let other = tempfile::tempdir().expect("a folder");
    let url = format!("sqlite:{}", other.path().join("other.sqlite").display());
    let failed = Server::fails_to_start(on_with(&state, &["--db", &url]));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    let said = failed.err.contains("belongs to the database") && failed.err.contains(&header(state.path()).database);
    assert!(said && failed.err.contains("--db"), "{}", failed.err);
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_to_is_named() {
    let folder = Arc::new(tempfile::tempdir().expect("a folder"));
    std::fs::write(folder.path().join("journal"), "a file where the folder belongs").expect("written");
    let failed = Server::fails_to_start(on(&folder));
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.err.contains(&folder.path().display().to_string()), "{}", failed.err);

    let file = tempfile::NamedTempFile::new().expect("a file");
    let failed = tests::e2e::run(&["run", "--state-dir", &file.path().display().to_string()]);
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.err.contains("--state-dir") && failed.err.contains("making the state folder"), "{}", failed.err);
}

#[tokio::test]
async fn a_promotion_while_nobody_ran_reaches_who_stands_in_the_saved_world() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    server.tick(40).await;
    let state = server.kill();
    let folder = state.path().display().to_string();
    let told = tests::e2e::run(&["promote", "Ann", "--level", "20", "--state-dir", &folder]);
    assert_eq!(told.code, Some(0), "{told:?}");
    for _ in 0..2 {
        let server = Server::start_with(on(&state));
        let mut ann = server.connect().await;
        ann.log_in("Ann", &key).await;
        assert_eq!(ann.vars["LEVEL"], 20);
        server.kill();
    }
}

#[tokio::test]
async fn a_promotion_of_who_has_quit_outlives_a_kill() {
    let server = Server::start_with(green());
    let key = server.key("Ann").await;
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    ann.command("quit").await;
    ann.ending().await;
    server.promote("Ann", 20).await;
    // The journal holds how she left, which is older than that.
    let state = server.kill();
    // A stop has written all that waited to be.
    let state = Server::start_with(on(&state)).stop().state;
    let server = Server::start_with(on(&state));
    let mut ann = server.connect().await;
    ann.log_in("Ann", &key).await;
    assert_eq!(ann.vars["LEVEL"], 20);
}

#[tokio::test]
async fn a_start_leaves_a_snapshot_of_what_it_brought_back() {
    let state = killed().await;
    let before = files(state.path()).1.len();
    let server = Server::start_with(on(&state));
    server.tick(1).await;
    server.stop();
    let (_, snapshots) = files(state.path());
    assert!(snapshots.len() > before, "{snapshots:?}");
    let listing = Layout::new(state.path()).list().expect("a folder");
    for (number, path) in &listing.snapshots {
        assert_eq!(snapshot::head_of(path).expect("whole").header.start, *number);
    }
}
