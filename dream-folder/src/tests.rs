//! Folders of dreams on a real disk.

use super::*;
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Config, dream};

fn root() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn dreamt() -> (Dream, Outcome) {
    let records: Vec<_> = Life::new(Shape::default()).take(50).collect();
    let dreamt = dream(None, &records, &Config::new(AGENT, 30_000));
    let outcome = Outcome {
        sessions_read: 1,
        lines_read: 50,
        lines_twice: 0,
        report: dreamt.report.clone(),
        graph_hash: None,
        problems_count: 0,
        problems: Vec::new(),
        sentences: dreamt.summary.sentences.clone(),
        summary: dreamt.summary.text.clone(),
    };
    (dreamt, outcome)
}

#[test]
fn what_was_written_is_read_again() {
    let root = root();
    let folder = Folder::open(root.path(), AGENT).expect("a name");
    assert!(folder.summary().expect("read").is_none() && folder.read_graph(false).expect("read").0.is_none());
    assert!(!folder.path().exists(), "looking makes nothing");
    let (dreamt, mut outcome) = dreamt();
    let lock = folder.lock().expect("it is free");
    folder.write(&dreamt, &mut outcome).expect("written");
    drop(lock);
    assert_eq!(folder.summary().expect("read"), Some(dreamt.summary.text.clone()));
    let (graph, notice) = folder.read_graph(false).expect("read");
    assert_eq!((graph.expect("a graph").to_json(), notice), (dreamt.graph.to_json(), None));
    let document = fs::read(folder.path().join(GRAPH_FILE)).expect("there");
    assert_eq!(outcome.graph_hash, Some(dreaming::graph::content_hash(&document)), "of the very bytes of the file");
    // However the name is written.
    let shouted = Folder::open(root.path(), &AGENT.to_uppercase()).expect("a name");
    assert_eq!(shouted.summary().expect("read"), Some(dreamt.summary.text));
}

#[test]
fn a_folder_is_held_by_one() {
    let root = root();
    let folder = Folder::open(root.path(), AGENT).expect("a name");
    let held = folder.lock().expect("it is free");
    let error = Folder::open(root.path(), AGENT).expect("a name").lock().expect_err("it is held");
    assert!(matches!(&error, LockError::Dreaming { agent } if agent == AGENT), "{error}");
    assert!(error.to_string().contains("is dreaming already"), "{error}");
    drop(held);
    drop(folder.lock().expect("it is free again"));
}

#[test]
fn a_folder_that_cannot_be_made_says_so() {
    let root = root();
    fs::write(root.path().join("file"), "no folder").expect("written");
    let folder = Folder::open(&root.path().join("file"), AGENT).expect("a name");
    let error = folder.lock().expect_err("a file is no folder");
    assert!(matches!(error, LockError::Failed(_)) && error.to_string().contains("can it be written to?"), "{error}");
}

#[test]
fn what_is_no_story_is_refused() {
    let root = root();
    let folder = Folder::open(root.path(), AGENT).expect("a name");
    drop(folder.lock().expect("it is free"));
    let path = folder.path().join(SUMMARY_FILE);
    fs::write(&path, "x".repeat(SUMMARY_BYTES_MAX)).expect("written");
    assert_eq!(folder.summary().expect("read").map(|text| text.len()), Some(SUMMARY_BYTES_MAX));
    fs::write(&path, "x".repeat(SUMMARY_BYTES_MAX + 1)).expect("written");
    assert!(folder.summary().expect_err("too long").to_string().contains("no dream writes so long a story"));
    fs::write(&path, [0xff, 0xfe]).expect("written");
    assert!(folder.summary().expect_err("no text").to_string().contains("no text of UTF-8"));
}

#[test]
fn documents_from_elsewhere_are_kept_beside() {
    let root = root();
    let folder = Folder::open(root.path(), AGENT).expect("a name");
    drop(folder.lock().expect("it is free"));
    assert_eq!(folder.keep_document(b"first").expect("kept"), format!("{GRAPH_FILE}.kept-1"));
    assert_eq!(folder.keep_document(b"second").expect("kept"), format!("{GRAPH_FILE}.kept-2"));
    assert_eq!(fs::read(folder.path().join(format!("{GRAPH_FILE}.kept-1"))).expect("read"), b"first");
}

#[test]
fn removing_takes_what_dreams_made_and_nothing_else() {
    let root = root();
    let (dreamt, mut outcome) = dreamt();
    let folder = Folder::open(root.path(), AGENT).expect("a name");
    let lock = folder.lock().expect("it is free");
    folder.write(&dreamt, &mut outcome).expect("written");
    folder.keep_document(b"damaged").expect("kept");
    fs::write(folder.path().join("notes.md"), "by hand").expect("written");
    folder.remove().expect("removed");
    let left: Vec<_> =
        fs::read_dir(folder.path()).expect("it stays").flatten().map(|entry| entry.file_name()).collect();
    assert_eq!(left, ["notes.md"]);
    fs::remove_file(folder.path().join("notes.md")).expect("removed");
    folder.remove().expect("removed");
    assert!(!folder.path().exists());
    folder.remove().expect("nothing to remove");
    drop(lock);
}

#[test]
fn nothing_of_a_log_reaches_the_terminal_as_it_is() {
    let (_, mut outcome) = dreamt();
    let bad = "it says \u{1b}[2J and\rmore".to_string();
    outcome.report.notices.push(bad.clone());
    outcome.problems.push(dreaming::records::Problem { file: "a\u{7}.jsonl".into(), line: 3, what: bad });
    outcome.problems_count = 3;
    let mut told = Vec::new();
    tell(&outcome, true, &mut told).expect("it is printed");
    let told = String::from_utf8(told).expect("text");
    assert!(told.starts_with("Dream complete (dry run, nothing written):\n  Agent:            Brenda\n"), "{told}");
    assert!(told.contains("Note: it says ") && told.contains(".jsonl, line 3: it says "), "{told}");
    assert!(told.ends_with("Left out: 2 more lines.\n"), "{told}");
    assert!(told.chars().all(|letter| letter == '\n' || !letter.is_control()), "{told:?}");
}

#[cfg(unix)]
#[test]
fn memories_are_their_owners_and_no_link_is_written_through() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = root();
    let folder = Folder::open(&root.path().join("dreams"), AGENT).expect("a name");
    let _lock = folder.lock().expect("it is free");
    let mode = |path: &Path| fs::metadata(path).expect("it is there").permissions().mode() & 0o777;
    assert_eq!(mode(folder.path()), 0o700);
    let other = root.path().join("other");
    fs::write(&other, "mine").expect("written");
    symlink(&other, folder.path().join(format!("{SUMMARY_FILE}.new"))).expect("a link can be made");
    replace(&folder.path().join(SUMMARY_FILE), b"a story").expect("replaced");
    assert_eq!(folder.summary().expect("read").as_deref(), Some("a story"));
    assert_eq!((mode(&folder.path().join(SUMMARY_FILE)), fs::read(&other).expect("read")), (0o600, b"mine".to_vec()));
}
