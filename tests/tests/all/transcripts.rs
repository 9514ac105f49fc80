//! Every file in `tests/transcripts` plays as it is written. `UPDATE=1 cargo test` writes them anew; review the diff as
//! prose.

use std::path::Path;
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
