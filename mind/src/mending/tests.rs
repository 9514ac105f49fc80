//! Minds that are written, mended, and made what the text says.

use super::*;
use crate::edit::{VerbRequest, answer};
use crate::event::LogEntry;
use crate::projects::Shelf;
use proptest::prelude::*;

fn type_in(state: &mut MindState, line: &str) -> bool {
    let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
    let first = state.seq + 1;
    let request = VerbRequest { name: "Wren", shelf: Shelf::EMPTY, ..VerbRequest::new(verb, args, first, 9, 5) };
    let reply = answer(state, &request);
    for (seq, event) in (first..).zip(reply.events) {
        state.project(&LogEntry { seq, tick: 5, at_ms: 0, input: first, event });
    }
    !reply.refused
}

fn mind() -> MindState {
    let mut state = MindState::default();
    for line in [
        "task find the iron key",
        "goal high cross the moor",
        "goal under 2 ask the *gaoler*",
        "goal under 2 buy a lamp",
        "goal climb (high)",
        "goal progress 3 40",
        "goal done 4",
        "note the guard sells maps",
        "note # shout: [here] `now`",
        "decide go north: it is dry",
        "fact The gate closes at dusk",
        "pattern Guards sleep at noon",
        "remember people.Bob.trust = {\"v\": 0.8, \"w\": 0.9}",
        "remember road = [\"mill\", \"a \\\"b\\\" * c\"]",
    ] {
        assert!(type_in(&mut state, line), "{line}");
    }
    state
}

/// What is done for a text that was changed, and the mind after it.
fn mended(change: impl Fn(String) -> String) -> (Vec<String>, MindState) {
    let mut state = mind();
    let text = change(export("Wren", &state));
    let lines =
        read(&text).and_then(|mended| changes(&state, &mended)).unwrap_or_else(|wrong| panic!("{wrong:?}: {text}"));
    let mut made = Vec::new();
    for line in &lines {
        let typed = line.typed(&made).expect("what it is about was made before");
        let number = state.seq + 1;
        assert!(type_in(&mut state, &typed), "{typed}");
        made.extend(line.makes.map(|_| number));
    }
    (lines.iter().map(Line::to_string).collect(), state)
}

#[test]
fn a_mind_is_written_as_lists() {
    let text = export("Wren", &mind());
    let wanted = "\n## Task\n- find the iron key\n\n## Goals\n- #2 cross the moor (high)\n  - #3 ask the \\*gaoler\\* (40 %)\n  \
                  - #4 ~~buy a lamp~~\n- #5 climb (high) (medium)\n\n## Notes\n- #8 the guard sells maps\n\
                  - #9 # shout: \\[here\\] \\`now\\`\n\n## Decisions\n- #10 go north: it is dry\n";
    assert!(text.starts_with("# Mind of Wren, as of #14\n"), "{text}");
    assert!(text.contains(wanted), "{text}");
    assert!(text.contains("- people.Bob.trust = 0.8 (weight 0.9)\n"), "{text}");
}

#[test]
fn what_was_not_changed_does_nothing() {
    let (lines, state) = mended(|text| text);
    assert_eq!((lines, state), (Vec::<String>::new(), mind()));
    // Blank lines and lists that are not there are nothing either.
    let (lines, _) = mended(|text| text[..text.find("## Notes").expect("it is there")].replace("\n\n", "\n\n\n"));
    assert_eq!(lines, Vec::<String>::new());
}

#[test]
fn a_mended_list_becomes_verbs() {
    let (lines, state) = mended(|text| {
        text.replace("- find the iron key", "- find the brass key")
            .replace("  - #3 ask the \\*gaoler\\* (40 %)\n", "  - #3 ~~ask the gaoler~~\n")
            .replace(
                "  - #4 ~~buy a lamp~~\n",
                "  - #4 buy a lamp\n  - find oil\n    - at the mill (high)\n    - ~~at home~~\n",
            )
            .replace("- #5 climb (high) (medium)\n", "")
            .replace("- #8 the guard sells maps\n", "- #8 the guard sells nothing\n- a new note\n")
            .replace("go north: it is dry", "go south: it is near")
            .replace("- #11 The gate closes at dusk\n", "")
            .replace("trust = 0.8 (weight 0.9)", "trust = 0.2")
            .replace("- road", "- way.home = north\n- road")
    });
    assert_eq!(
        lines,
        [
            "task update find the brass key",
            "goal under 2 find oil",
            "goal under <number of \"find oil\"> high at the mill",
            "goal under <number of \"find oil\"> at home",
            "goal edit 3 ask the gaoler",
            "goal drop 5",
            "goal done <number of \"at home\">",
            "goal reopen 4",
            "goal done 3",
            "note edit 8 the guard sells nothing",
            "note a new note",
            "decide remove 10",
            "decide go south: it is near",
            "fact remove 11",
            "remember people.Bob.trust = {\"v\": 0.2, \"w\": 0.5}",
            "remember way.home = \"north\"",
        ]
    );
    assert_eq!(state.memory.weight("people.Bob.trust"), 0.5);
    let again = export("Wren", &state);
    let after = read(&again).and_then(|mended| changes(&state, &mended));
    assert_eq!(after, Ok(Vec::new()), "{again}");
}

#[test]
fn goals_are_moved_and_put_in_order() {
    let (lines, state) = mended(|text| {
        let start = text.find("- #2").expect("goals");
        let end = text.find("\n\n## Notes").expect("notes");
        let goals = "- #5 climb (high) (low)\n  - #4 ~~buy a lamp~~\n- #2 cross the moor (high)\n  - #3 ask the \\*gaoler\\* (60 %)";
        format!("{}{goals}{}", &text[..start], &text[end..])
    });
    assert_eq!(lines, ["goal edit 5 low", "goal move 4 under 5", "goal progress 3 60", "goal move 2 2"]);
    let order: Vec<u64> = state.goals.in_order().into_iter().map(|(_, goal)| goal.id).collect();
    assert_eq!(order, [5, 4, 2, 3]);
}

#[test]
fn a_task_has_no_number_whatever_it_looks_like() {
    for task in ["#0", "#12 of the list", "#"] {
        let mut state = MindState::default();
        type_in(&mut state, &format!("task {task}"));
        let text = export("Wren", &state);
        assert_eq!(read(&text).and_then(|mended| changes(&state, &mended)), Ok(Vec::new()), "{text}");
    }
}

#[test]
fn what_cannot_be_mended_is_told_and_nothing_is_done() {
    let state = mind();
    let text = export("Wren", &state);
    for (from, to, why) in [
        ("# Mind of Wren, as of #14\n", "", "its first line"),
        ("## Notes", "## Plans", "there is no list \"Plans\""),
        ("## Facts", "## Notes", "Notes stands there twice"),
        ("- #8 the", "- #88 the", "there was no note #88"),
        ("- #9 ", "- #8 ", "#8 stands twice in Notes"),
        ("- #2 cross", "- #77 cross", "there was no goal #77"),
        ("- #8 the guard sells maps", "the guard sells maps", "begin it with \"- \""),
        ("- #8 the guard sells maps", "- #8", "says nothing"),
        ("- #9 #", "  - #9 #", "where nothing is nested"),
        ("- find the iron key", "- one\n- two", "there are 2 tasks"),
        ("- people.Bob.trust = 0.8", "- people.Bob.trust 0.8", "is no line of memory"),
        ("The gate closes at dusk", "I closed the gate", "fact I closed the gate: Content appears"),
        ("#8 the guard", "the guard", "note remove 8"),
    ] {
        assert!(text.contains(from), "{from} in {text}");
        let result = read(&text.replacen(from, to, 1)).and_then(|mended| changes(&state, &mended));
        match result {
            Err(wrong) => assert!(wrong.iter().any(|wrong| wrong.contains(why)), "{to}: {wrong:?}"),
            Ok(lines) => assert!(lines.iter().any(|line| line.to_string().contains(why)), "{to}: {lines:?}"),
        }
    }
}

proptest! {
    #[test]
    fn any_mind_comes_back_as_it_was_written(
        lines in prop::collection::vec(
            ("(task|goal|goal high|note|decide|fact|remember a.b =|remember c =)", "[-a-zA-Z0-9 #*~`\\[\\]()\\\\_:>.%\"{}]{1,24}"),
            0..12,
        ),
        under in prop::collection::vec((1..12_u64, "[a-z(%) ]{1,12}"), 0..4),
    ) {
        let mut state = MindState::default();
        for (verb, text) in lines {
            type_in(&mut state, &format!("{verb} {text}"));
        }
        for (id, text) in under {
            type_in(&mut state, &format!("goal under {id} {text}"));
            type_in(&mut state, &format!("goal done {id}"));
        }
        let text = export("Wren", &state);
        let after = read(&text).and_then(|mended| changes(&state, &mended));
        prop_assert_eq!(after, Ok(Vec::new()), "{}", text);
    }
}
