//! Old entries of logs: archived, verified, altered and caught; and a fork without one thought.

use super::green;
use super::minds::{database, rows_when};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tests::e2e::{Options, Run, Server, copy_folder, run, run_in};

fn archive(state: &Path, words: &[&str]) -> Run {
    let state = state.display().to_string();
    run(&[&["archive", "--state-dir", &state], words].concat())
}

fn hud(state: &Path, words: &[&str]) -> Run {
    let state = state.display().to_string();
    run(&[&["hud", "--state-dir", &state, "--name", "Ann"], words].concat())
}

fn files_of(state: &Path, name: &str) -> Vec<PathBuf> {
    let folder = state.join("archive").join(name);
    let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.expect("read").path()).collect();
    files.sort();
    files
}

#[tokio::test]
async fn an_archive_is_made_and_read_verified_altered_and_caught() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    // What a body saw is told of the world right after a tick.
    server.tick(1).await;
    ann.ask("task find the silver key", "Your task: find the silver key").await;
    for n in 0..30 {
        ann.ask(&format!("note stone {n} has a mark"), "Noted as #").await;
    }
    let state = server.state.path().to_path_buf();
    rows_when(&database(&state), "ann", 32).await;
    let then = hud(&state, &["--at", "#10"]);
    assert_eq!(then.code, Some(0), "{then:?}");

    // With what her body saw then, from the journal; of what is to come there is nothing.
    let live = hud(&state, &["--at", "#10", "--live"]);
    assert!(live.code == Some(0) && live.out.starts_with(&then.out), "{live:?}");
    assert!(live.out[then.out.len()..].starts_with("# Now\n") && live.out.contains("hp: "), "{live:?}");
    let why = hud(&state, &["--at", "#10", "--live", "--why", "--format", "toon"]);
    assert!(why.code == Some(0) && why.out.contains("HEALTH, MAX_HEALTH at tick "), "{why:?}");
    let never = hud(&state, &["--at", "900000t", "--live"]);
    assert!(never.code == Some(1) && never.err.contains("cannot be told"), "{never:?}");

    // Beside the running server, whose minds notice nothing.
    let done = archive(&state, &["--name", "Ann", "--before", "#25"]);
    assert!(done.code == Some(0) && done.out.contains("ann: ") && done.out.contains("in 1 files of"), "{done:?}");
    assert!(archive(&state, &["--name", "Ann", "--before", "#25"]).out.contains("Nothing is to be archived."));
    ann.ask("note", "stone 3 has a mark").await;
    ann.ask("note a late one", "Noted as #").await;
    ann.ask("recall in:notes stone 3", "stone 3 has a mark").await;
    ann.ask("hud at #10", "After #10").await;
    let sound = archive(&state, &["--verify", "--json"]);
    let told: Value = serde_json::from_str(&sound.out).expect("JSON");
    assert!(sound.code == Some(0) && told["well"] == true && told["files"] == 1, "{sound:?}");
    let state = server.stop().state;

    // A program that has read nothing yet.
    let again = hud(state.path(), &["--at", "#10"]);
    assert_eq!((again.code, &again.out), (Some(0), &then.out), "the past is as it was: {again:?}");
    let now = hud(state.path(), &[]);
    assert!(now.out.contains("find the silver key") && now.out.contains("a late one"), "{now:?}");
    let server = Server::start_with(Options { state: Some(state.clone()), ..green() });
    let mut ann = server.person("Ann").await;
    ann.ask("task", "find the silver key").await;
    ann.ask("history 50", "stone 3 has a mark").await;
    ann.ask("recall in:notes stone 3", "stone 3 has a mark").await;
    drop(ann);
    let state = server.stop().state;

    // Somebody alters it.
    let file = files_of(state.path(), "ann").remove(0);
    let mut bytes = std::fs::read(&file).expect("it is there");
    bytes[40] ^= 1;
    std::fs::write(&file, &bytes).expect("altered");
    let caught = archive(state.path(), &["--verify"]);
    assert_eq!(caught.code, Some(1), "{caught:?}");
    assert!(caught.out.contains("ann/") && caught.out.contains("cut or altered"), "{caught:?}");
    let refused = hud(state.path(), &["--at", "#10"]);
    assert!(refused.code == Some(1) && refused.err.contains("ann/"), "it is named: {refused:?}");
    let server = Server::start_with(Options { state: Some(state.clone()), ..green() });
    let mut ann = server.person("Ann").await;
    ann.ask("task", "find the silver key").await;
    ann.ask("note still here", "Noted as #").await;
    ann.ask("recall in:notes late", "lie in an archive that cannot be read, and were not looked through.").await;
    ann.ask("hud at #10", "lie in an archive that cannot be read.").await;
    ann.ask("hud at #28", "After #28").await;
    ann.ask("history", "still here").await;
    drop(ann);
    let state = server.stop().state;

    // And puts it back.
    bytes[40] ^= 1;
    std::fs::write(&file, &bytes).expect("put back");
    assert_eq!(archive(state.path(), &["--verify"]).code, Some(0));
    let restored = archive(state.path(), &["--restore", "--name", "Ann"]);
    assert!(restored.code == Some(0) && restored.out.contains("are in the database again."), "{restored:?}");
    assert!(files_of(state.path(), "ann").is_empty());
    assert_eq!(hud(state.path(), &["--at", "#10"]).out, then.out);
}

/// What another machine has otherwise: one processor, words and numbers of another country, and its time of day.
fn another_machine() -> Vec<(&'static str, String)> {
    [("TOKIO_WORKER_THREADS", "1"), ("LANG", "tr_TR.UTF-8"), ("LC_ALL", "tr_TR.UTF-8"), ("TZ", "Pacific/Kiritimati")]
        .map(|(name, value)| (name, value.to_string()))
        .to_vec()
}

#[tokio::test]
async fn a_reference_hud_is_the_same_on_two_machines() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    server.tick(1).await;
    for (line, answer) in [
        ("task find the silver key", "Your task: find the silver key"),
        ("goal search the inn", "Set as goal #"),
        ("fact Ilıca is I\u{df}tanbul's İnn.", "Kept as fact #"),
        ("journal told the tar is cheap in May", "#"),
        ("section watch = I look for: {{ state.task.text }}", "Your prompts have a section"),
        ("remember people.bob.trust = 3.25", "You remember people.bob.trust."),
    ] {
        ann.ask(line, answer).await;
    }
    for n in 0..30 {
        ann.ask(&format!("note stone {n} has a mark"), "Noted as #").await;
    }
    ann.ask("say Here I am.", "You say").await;
    server.tick(3).await;
    let path = server.state.path().to_path_buf();
    rows_when(&database(&path), "ann", 36).await;
    // What lies in an archive is told from there.
    assert_eq!(archive(&path, &["--name", "Ann", "--before", "#20"]).code, Some(0));
    let state = server.stop().state;
    let copy = Arc::new(tempfile::tempdir().expect("a folder"));
    copy_folder(state.path(), copy.path());

    let told = |place: &Path, environment: &[(&'static str, String)], words: &[&str]| {
        let place = place.display().to_string();
        let told = run_in(&[words, &["--state-dir", &place]].concat(), environment);
        assert_eq!(told.code, Some(0), "{words:?}: {told:?}");
        told.out
    };
    let moments: [&[&str]; 4] = [&[], &["--at", "#10"], &["--at", "#30", "--live"], &["--at", "2t", "--live", "--why"]];
    for moment in moments {
        for format in ["markdown", "json", "compact-json", "toon"] {
            for tier in [&[][..], &["--tier", "small"], &["--tier", "large"]] {
                let words = [&["hud", "--name", "Ann", "--format", format][..], moment, tier].concat();
                let here = told(state.path(), &[], &words);
                assert!(here.contains("silver key"), "{words:?}: {here}");
                assert_eq!(told(copy.path(), &another_machine(), &words), here, "{words:?}");
            }
        }
    }
    let replayed = ["replay"];
    assert_eq!(told(copy.path(), &another_machine(), &replayed), told(state.path(), &[], &replayed));

    // The index of a log, and what a server tells of it.
    let mut answers = Vec::new();
    for (state, environment) in [(state, Vec::new()), (copy, another_machine())] {
        let server = Server::start_with(Options { state: Some(state), environment, ..green() });
        let mut ann = server.person("Ann").await;
        let mut told = Vec::new();
        for (line, answer) in [
            ("recall in:notes stone mark", "In your log:"),
            ("recall in:all ilıca", "In your log:"),
            ("hud at #10", "After #10"),
            ("hud", "silver key"),
        ] {
            let begins = ann.ask(line, answer).await;
            told.push(begins + &ann.fence().await);
        }
        answers.push(told);
        drop(ann);
        server.stop();
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn what_cannot_be_archived_is_said() {
    let server = Server::start_with(green());
    server.person("Ann").await;
    let state = server.stop().state;
    for (words, why) in [
        (&["--name", "Nobody"][..], "nobody is called Nobody"),
        (&["--before", "#5"], "say whose with --name"),
        (&["--before", "yesterday"], "write #812 for an entry of the log, or 30d for days"),
        (&["--verify", "--restore"], "cannot be used with"),
    ] {
        let refused = archive(state.path(), words);
        assert!(refused.code != Some(0) && refused.err.contains(why), "{words:?}: {refused:?}");
    }
    let nothing = archive(state.path(), &["--verify"]);
    assert!(nothing.code == Some(0) && nothing.out.starts_with("0 files"), "{nothing:?}");
}

#[tokio::test]
async fn a_fork_without_one_note_is_the_same_world_with_another_prompt() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("note The miller lies.", "Noted as #2.").await;
    ann.ask("decide trust the miller: he was kind", "#3").await;
    ann.ask("note The well is dry.", "Noted as #4.").await;
    ann.ask("note remove 4", "").await;
    ann.ask("project new tower = Climb it.", "tower").await;
    server.tick(10).await;
    ann.ask("project swap tower", "tower").await;
    server.tick(10).await;
    ann.ask("project swap main", "main").await;
    ann.ask("say Here I am.", "You say").await;
    server.tick(3).await;
    let state = server.state.path().to_path_buf();
    rows_when(&database(&state), "ann", 11).await;
    // Old ones are taken along, too.
    assert_eq!(archive(&state, &["--name", "Ann", "--before", "#5"]).code, Some(0));
    let state = server.stop().state;
    let folder = tempfile::tempdir().expect("a folder");
    let fork = |out: &str, words: &[&str]| {
        let (state, out) = (state.path().display().to_string(), folder.path().join(out).display().to_string());
        run(&[&["fork", "--state-dir", &state, "--at", "23", "--out", &out], words].concat())
    };
    let (same, without) = (fork("same", &[]), fork("without", &["--without", "Ann:#2"]));
    assert_eq!((same.code, without.code), (Some(0), Some(0)), "{same:?} {without:?}");
    assert!(without.out.contains("Left out of the mind of ann: #2, "), "{without:?}");
    assert!(without.out.contains("Workspaces that were put away with it lack it: #"), "{without:?}");
    let prompt = |out: &str| hud(&folder.path().join(out), &[]).out;
    let (with, lacks) = (prompt("same"), prompt("without"));
    assert!(with.contains("The miller lies.") && !lacks.contains("The miller lies."), "{with}\n{lacks}");
    assert!(lacks.contains("trust the miller"), "all else is there: {lacks}");
    // The world itself is the same, to the hash.
    let hash = |out: &str| run(&["replay", "--state-dir", &folder.path().join(out).display().to_string()]).out;
    assert_eq!(hash("same").replace("/same", ""), hash("without").replace("/without", ""));
    // A server goes on from it, and its numbers do.
    let goes_on = Arc::new(folder);
    let path = goes_on.path().join("without");
    let told = run(&[
        "fork",
        "--state-dir",
        &path.display().to_string(),
        "--at",
        "23",
        "--out",
        &goes_on.path().join("again").display().to_string(),
        "--without",
        "Ann:#4",
    ]);
    assert!(told.out.contains("Entries that name it change nothing there: #5."), "{told:?}");
}

#[tokio::test]
async fn what_no_fork_can_leave_out_is_refused_and_nothing_is_written() {
    let server = Server::start_with(green());
    let mut ann = server.person("Ann").await;
    ann.ask("goal Find the key", "#2").await;
    ann.ask("project new tower = Climb it.", "tower").await;
    server.tick(10).await;
    ann.ask("project swap tower", "tower").await;
    server.tick(3).await;
    let state = server.state.path().to_path_buf();
    let rows = rows_when(&database(&state), "ann", 5).await;
    let pause = rows.iter().find(|row| row.kind == "project.pause").expect("it was put away").seq;
    let state = server.stop().state;
    let folder = tempfile::tempdir().expect("a folder");
    let out = folder.path().join("fork").display().to_string();
    let pause = format!("Ann:#{pause}");
    for (thought, why) in [
        ("Ann:#1", "is what happened or was said"),
        ("Ann:#2", "in a form that cannot be told apart"),
        (&pause, "one half of a turn between projects"),
        ("Ann:#999", "has no entry #999 there"),
        ("Bob:#1", "no log of \"bob\" is taken along"),
        ("Ann", "write NAME:#SEQ"),
    ] {
        let state = state.path().display().to_string();
        let refused = run(&["fork", "--state-dir", &state, "--at", "13", "--out", &out, "--without", thought]);
        assert!(refused.code != Some(0) && refused.err.contains(why), "{thought}: {refused:?}");
        assert!(!Path::new(&out).exists(), "{thought}: something was written");
    }
}
