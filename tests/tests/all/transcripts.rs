//! Every file in `tests/transcripts` plays as it is written. `UPDATE=1 cargo test` writes them anew; review the diff as
//! prose.

use std::path::Path;
use tests::scene::{read_content, tests_folder};
use tests::transcript;

#[test]
fn every_transcript_plays_as_written() {
    let outcome = transcript::check_all(std::env::var_os("UPDATE").is_some());
    assert!(outcome.played > 0, "no transcripts found");
    assert!(outcome.differences.is_empty(), "{}", outcome.differences.join("\n\n"));
}

/// The verbs that do several things show each of them somewhere.
#[test]
fn each_part_of_a_verb_is_typed_in_some_transcript() {
    let texts = transcript::all();
    let channel = world::commands::channel::words().map(|part| format!("> channel {part}"));
    let agent = world::commands::agents::words().map(|part| format!("> agent {part}"));
    let others = ["chat", "reply", "react", "request", "attention", "guideline set", "guideline clear", "name"];
    let settings = ["billboard clear", "cooling on", "cooling off", "key add", "key revoke"];
    let accesses = ["open", "key", "closed"].map(|access| format!("> channel access {access}"));
    let all = channel
        .chain(agent)
        .chain(others.map(|verb| format!("> {verb}")))
        .chain(settings.map(|part| format!("> channel {part}")))
        .chain(accesses);
    let missing: Vec<String> = all.filter(|typed| !texts.iter().any(|text| text.contains(typed.as_str()))).collect();
    assert!(missing.is_empty(), "nobody types {missing:?}");
}

/// Every task of the shipped world can be done: somebody takes it on, does it and is paid, in a transcript.
#[test]
fn each_shipped_task_is_done_in_some_transcript() {
    let content = read_content(&tests_folder().join("../data/world"));
    // Without the breaks of lines.
    let unbroken = |text: &String| -> String {
        text.lines().flat_map(|line| [line.split_once(" | ").map_or(line, |(_, heard)| heard), " "]).collect()
    };
    let texts: Vec<String> = transcript::all().iter().map(unbroken).collect();
    let is_done = |task: &content::TaskProto| {
        let (taken, done) = (format!("> accept {} ", task.id), format!("You have done it: {}", task.title));
        texts.iter().any(|text| text.contains(&taken) && text.contains(&done))
    };
    let missing: Vec<&str> = content.tasks.iter().filter(|task| !is_done(task)).map(|task| &*task.title).collect();
    assert!(missing.is_empty(), "nobody does {missing:?}");
}

#[test]
#[should_panic(expected = "that one is still there")]
fn who_is_still_there_is_not_gone() {
    transcript::play("scene green 1\nAnn\n!expect Ann is gone\n", Path::new("here.txt"));
}

#[test]
fn who_quits_is_gone() {
    let text = "scene green 1\nquiet\nAnn\nAnn> quit\n!expect Ann is gone\n";
    assert!(transcript::play(text, Path::new("here.txt")).starts_with("scene green 1"));
}
