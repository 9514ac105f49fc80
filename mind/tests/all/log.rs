//! The state that follows from a log, and the verbs that write it.

use super::log_events::logs;
use mind::counsel::PROPOSALS_KEPT;
use mind::edit::{self, VERBS};
use mind::focus::{FOCUS_MAX, How};
use mind::memory::{self, Change, MemoryRefusal};
use mind::projects::Shelf;
use mind::section::SECTIONS_MAX;
use mind::state::CoreMemory;
use mind::story::Cause;
use mind::{Event, LogEntry, MindState, Reply, VerbRequest};
use plot::PlanStatus;
use proptest::prelude::*;
use protocol::happening::{Happening, Place, Role, What};
use protocol::minds::MindName;
use protocol::outcome::{Who, WhoKind};
use serde_json::{Value, json};

fn asked<'a>(verb: &'a str, args: &'a str, seq: u64) -> VerbRequest<'a> {
    VerbRequest::new(verb, args, seq, 7, seq * 10)
}

/// A log as verbs write it, with the state after it.
#[derive(Default)]
struct Log {
    state: MindState,
    entries: Vec<LogEntry>,
}

impl Log {
    fn type_in(&mut self, line: &str) -> Reply {
        let (verb, args) = line.split_once(' ').unwrap_or((line, ""));
        let first = self.state.seq + 1;
        let shelf = Shelf::of(&self.entries);
        let (recent, shelf) = (&*self.entries, &shelf);
        let request =
            VerbRequest { name: "Wren", recent, span: recent, shelf, present: &["bob"], ..asked(verb, args, first) };
        let reply = edit::answer(&self.state, &request);
        for (seq, event) in (first..).zip(reply.events.clone()) {
            let entry = LogEntry { seq, tick: first * 10, at_ms: 1_000, input: first, event };
            self.state.project(&entry);
            self.entries.push(entry);
        }
        reply
    }

    /// Types and expects that it is done.
    fn says(&mut self, line: &str) -> String {
        let reply = self.type_in(line);
        assert!(!reply.refused, "{line}: {}", reply.text);
        reply.text
    }

    fn refuses(&mut self, line: &str) -> String {
        let before = self.state.clone();
        let reply = self.type_in(line);
        assert!(reply.refused, "{line}: {}", reply.text);
        assert_eq!((reply.events.len(), &self.state), (0, &before), "{line}");
        reply.text
    }
}

#[test]
fn a_workspace_is_written_and_read_with_verbs() {
    let mut log = Log::default();
    assert_eq!(log.says("task"), "You have no task. Set one: task <text>.");
    assert_eq!(log.says("task find the iron key"), "Your task: find the iron key");
    assert_eq!(log.says("task update find the brass key"), "Your task is now: find the brass key");
    assert_eq!(log.says("note the guard sells maps"), "Noted as #3.");
    assert_eq!(log.says("note edit #3 the guard sells no maps"), "Note #3 is changed.");
    assert_eq!(log.says("note"), "Your notes:\n#3 the guard sells no maps");
    assert_eq!(log.says("decide go north: the south is flooded"), "Decided, as #5.");
    assert_eq!(log.says("decide"), "Your decisions:\n#5 go north: the south is flooded");
    log.says("step buy a lantern");
    log.says("step go down");
    assert_eq!(log.says("step move 7 1"), "Step #7 is number 1 of your steps now.");
    log.says("step done 6");
    assert_eq!(log.says("step"), "Your next steps:\n#7 [ ] go down\n#6 [x] buy a lantern");
    log.says("block the gate is locked");
    assert_eq!(log.says("block"), "What blocks you:\n#10 the gate is locked");
    assert_eq!(log.says("remember people.Bob.trust = 0.8"), "You remember people.Bob.trust.");
    assert_eq!(log.says("remember people.Bob.trust"), "people.Bob.trust = 0.8");
    let hud = log.says("hud");
    for line in ["Task: find the brass key", "- #7 [ ] go down", "- #10 the gate is locked", "people.Bob.trust = 0.8"] {
        assert!(hud.lines().any(|shown| shown == line), "{line} in {hud}");
    }
    assert_eq!(log.says("block clear 10"), "Blocker #10 is out of the way.");
    assert_eq!(log.says("note remove 3"), "Note #3 is gone.");
    assert_eq!(log.says("history 2"), "On 1 Coldwake 612:\n  blocker #10 cleared\n  note #3 removed");
    assert!(log.says("task done").starts_with("Done: find the brass key\n"));
    assert_eq!(log.state.task, None);
}

impl Log {
    /// Something that happens, as the world writes it.
    fn happens(&mut self, role: Role, what: What, witnesses: Vec<Who>) {
        let seq = self.state.seq + 1;
        let room = Place { vnum: 3_001, name: "The Square".into() };
        let happening = Happening { what, role, room, witnesses, social_event_id: None, novel: false, valence: None };
        let event = Event::Happening(Box::new(happening));
        let entry = LogEntry { seq, tick: seq * 10, at_ms: 1_000, input: seq, event };
        self.state.project(&entry);
        self.entries.push(entry);
    }

    /// What is remembered of the last entry, in a sentence.
    fn remembered(&self) -> Option<String> {
        Some(mind::happenings::brief(self.entries.last()?.event.remembered()?))
    }
}

#[test]
fn an_ended_plan_says_all_that_is_remembered_of_it() {
    let mut log = Log::default();
    log.says("plan a well: inner: dig; Wren: rest; line it");
    log.says("plan done 1 2");
    assert_eq!(log.remembered(), None, "it has not ended");
    log.says("plan drop 1");
    log.says("plan a road: Wren: look; go");
    log.says("plan done 4 1");
    log.says("plan done 4 2");
    let ended: Vec<(bool, u32, u32, bool)> = log
        .entries
        .iter()
        .filter_map(|entry| match &entry.event.remembered()?.what {
            What::PlanEnded { done, steps, ticked, shared, .. } => Some((*done, *steps, *ticked, *shared)),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(ended, [(false, 3, 1, true), (true, 2, 2, false)]);
    assert_eq!(log.remembered().as_deref(), Some("You carried out a plan: \"a road\"."));
    // Within a batch as well.
    log.says(r#"batch ["plan a gate: dig", "note a gate", "plan done 8 1"]"#);
    assert_eq!(log.remembered().as_deref(), Some("You carried out a plan: \"a gate\"."));
    // Where it ended, and in whose company.
    log.says("plan a bridge: look; go");
    let at_the_ford = Place { vnum: 7, name: "The Ford".into() };
    let id = log.entries.last().expect("it is made").seq;
    let drop = format!("drop {id}");
    for present in [&["bob"][..], &[]] {
        let request = VerbRequest { place: Some(&at_the_ford), present, ..asked("plan", &drop, id + 1) };
        let reply = edit::answer(&log.state, &VerbRequest { name: "Wren", ..request });
        let told = reply.events[0].remembered().expect("it is remembered");
        let What::PlanEnded { company, .. } = told.what else { panic!("{told:?}") };
        assert_eq!((&told.room, company, told.witnesses.len()), (&at_the_ford, Some(!present.is_empty()), 0));
        // One that INNER had made for itself is remembered by the body, and ends nothing of the body's own.
        assert_eq!(edit::told_of(MindName::Body, &reply.events[0]), None);
        let words = edit::told_of(MindName::Inner, &reply.events[0]).expect("it is told");
        let told_on = edit::answer(&log.state, &asked("plan.end", &words, id + 1));
        let Event::PlanEnd { id: of, status, told: Some(told_on), mind } = &told_on.events[0] else {
            panic!("{words}")
        };
        assert_eq!((*of, *status, &**told_on, *mind), (id, PlanStatus::Abandoned, told, Some(MindName::Inner)));
    }
    assert!(edit::answer(&log.state, &asked("plan.end", "[]", id + 1)).refused);
    // An entry of before stays what it was.
    let old: LogEntry = serde_json::from_value(json!({
        "seq": 9, "tick": 90, "at_ms": 1_000, "turn": 9, "event": {"kind": "plan.end", "id": 1, "status": "DONE"},
    }))
    .expect("it is read");
    assert_eq!(old.event.remembered(), None);
    assert_eq!(old.event.into_remembered(), None);
}

#[test]
fn what_came_of_a_choice_is_remembered_of_whom_it_was_about() {
    let who = |name: &str, kind| Who { id: name.to_lowercase().into(), name: name.into(), kind, level: 5 };
    let (me, cat, dog) = (who("Wren", WhoKind::Player), who("Cat", WhoKind::Player), who("Dog", WhoKind::Mob));
    let troll = who("a troll", WhoKind::Mob);
    let fled = || What::Fled { who: me.clone(), hp_percent: 80, from: Some(troll.clone()) };
    let felled = || What::Killed { victim: troll.clone(), killer: Some(me.clone()), xp: 90 };
    let met = || What::Met { who: me.clone(), other: cat.clone() };
    for (lines, choice, happened, experience, told) in [
        (["kill troll", "flee"], "inner", vec![fled()], 0, "INNER's word about a troll, and it went ill"),
        (["flee", "kill troll"], "outer", vec![met(), felled()], 9, "OUTER's word about a troll, and it went well"),
        (["bash", "flee"], "none", vec![felled(), fled()], 0, "no mind's word about a troll, and it went ill"),
        (["sleep", "north"], "outer", vec![met()], 0, "OUTER's word, and nothing came of it"),
        (["sleep", "north"], "inner", vec![met()], 5, "INNER's word, and it went well"),
        (["sleep", "north"], "inner", vec![met()], -5, "INNER's word, and it went ill"),
        (["give bread cat", "kill cat"], "inner", vec![met()], 0, "INNER's word about Cat, and nothing came of it"),
    ] {
        let mut log = Log::default();
        // What was before is no consequence.
        log.happens(Role::Did, felled(), vec![]);
        log.says(&format!("mind inner propose {}", lines[0]));
        log.says(&format!("mind outer propose {}", lines[1]));
        log.says(&format!("mind observer choose {choice}"));
        for what in happened {
            log.happens(Role::Did, what, vec![dog.clone(), cat.clone()]);
        }
        // By then so much else was proposed that the state holds none of it.
        for n in 0..=PROPOSALS_KEPT {
            log.says(&format!("mind inner propose say {n}"));
        }
        log.says(&format!("conflict.outcome #4-#5 40 {experience}"));
        let line = match choice {
            "none" => String::new(),
            choice => format!(": \"{}\"", lines[usize::from(choice == "outer")]),
        };
        let remembered = log.remembered().expect("something happened");
        assert_eq!(remembered, format!("You followed {told} at the Square{line}."), "{lines:?}");
        let happening = log.entries.last().and_then(|entry| entry.event.remembered()).expect("it was there");
        let by: Vec<&str> = happening.witnesses.iter().map(|who| &*who.name).collect();
        assert_eq!(by, if told.contains("Cat") { vec![] } else { vec!["Cat"] }, "players who stood by");
        let What::Differed { who, ticks, .. } = &happening.what else { panic!("{happening:?}") };
        assert_eq!((&*who.name, *ticks), ("Wren", log.state.seq * 10 - 40));
    }
    // Where nothing happened, nothing came of it that one would remember.
    let mut log = Log::default();
    log.says("mind inner propose sleep");
    log.says("mind outer propose north");
    log.says("mind observer choose inner");
    log.says("conflict.outcome #3-#4 30 7");
    assert_eq!(log.remembered(), None);
    assert!(matches!(log.entries.last().map(|entry| &entry.event), Some(Event::ConflictOutcome { .. })));
}

#[test]
fn what_is_in_focus_is_eight_at_most_and_the_least_recent_goes() {
    let mut log = Log::default();
    assert!(log.says("focus").starts_with("You are occupied with nothing"));
    assert_eq!(log.says("focus on The old bridge"), "You are occupied with The old bridge now, as #1.");
    assert_eq!(log.says("focus on the old Bridge!"), "You are occupied with that already, as #1.");
    // As the server writes it.
    assert_eq!(log.says("focus on looked mob:3001 a rat"), "You are occupied with a rat now, as #2.");
    assert_eq!(log.says("focus on named mob:3001 a rat"), "You are occupied with that already, as #2.");
    assert_eq!(log.says("focus on handled mob:3001 a rat"), "You are more occupied with #2 now.");
    let rat = "#2 a rat (handled, tick 30)";
    assert_eq!(log.says("focus"), format!("What you are occupied with:\n{rat}\n#1 The old bridge (named, tick 10)"));
    assert!(log.says("hud").contains(&format!("## Focus\n- {rat}\n- #1")));
    assert!(log.says("hud toon").contains("focus[2]{id,how,what}:\n  2,handled,a rat\n"), "as P4 has it");
    for n in 0..6 {
        log.says(&format!("focus on looked obj:{n} thing {n}"));
    }
    let reply = log.type_in("focus on looked obj:7 thing 7");
    assert_eq!((reply.events.len(), log.state.focus.len()), (2, FOCUS_MAX), "{}", reply.text);
    assert!(log.state.focus.iter().all(|open| open.subject != "topic:the-old-bridge"));
    let newest = log.state.focus.last().map(|open| open.id);
    assert!(reply.text.ends_with(&format!("#{}.", newest.expect("one"))));
    assert_eq!(log.says("focus off mob:3001"), "You let go of #2.");
    assert_eq!(log.refuses("focus off mob:3001"), "You are occupied with no mob:3001. See focus.");
    assert!(log.refuses("focus off 2").starts_with("You have no focus #2."));
    assert!(log.refuses("focus off").starts_with("Which focus?"));
    for line in ["focus on", "focus on ...", "focus the bridge", &format!("focus on {}", "x".repeat(81))] {
        log.refuses(line);
    }
    // A longer log of another program leaves no more open.
    let mut state = MindState::default();
    for n in 1..30 {
        let event = Event::FocusOpen { subject: format!("topic:{n}"), name: "x".into(), how: How::Named };
        state.project(&LogEntry { seq: n, tick: n, at_ms: 0, input: n, event });
    }
    assert_eq!((state.focus.len(), state.focus[0].id), (FOCUS_MAX, 22));
}

#[test]
fn a_section_is_a_template_that_is_tried_before_it_is_kept() {
    let mut log = Log::default();
    assert!(log.says("section").starts_with("Your prompts have no section of your own."));
    log.says("goal find # the key");
    let said = log.says("section aims = {% for goal in state.goals %}\\n- **{{ goal.text }}**\\n{% endfor %}");
    assert_eq!(
        said,
        "Your prompts have a section aims when they are folded next. Just now it says: \n- **find # the key**"
    );
    assert_eq!(
        log.says("section hurt now = {% if live.vars.hp and live.vars.hp < 10 %}# Run{% endif %}"),
        "Your prompts have a section hurt from the next one on. Just now it says: nothing"
    );
    log.says("section hurt now = hp {{ live.vars.hp }}");
    assert_eq!(log.state.sections.len(), 2, "another text takes the place of the first");
    assert!(log.says("section").ends_with("\nhurt now = hp {{ live.vars.hp }}"));
    assert!(log.says("hud").contains("## Sections\n- aims = {% for"));
    let long = format!("section long = {}", "word ".repeat(81));
    let dense = format!("section dense = {}", "7, ".repeat(120));
    for (line, why) in [
        ("section x = {{ live.tick }}", "there is no live to be named here; a template may name self, state"),
        ("section x now = {% for a in recent %}", "it is no template"),
        ("section x = {{ \"x\" * 999999999 }}", "repeats with *"),
        ("section X! = a", "a section's name is one word"),
        ("section x later = a", "A name is one word."),
        ("section x =", "What stands in it?"),
        ("section remove", "You have no section of the name \"\""),
        ("section remove x", "You have no section of the name \"x\""),
        ("section aims", "section <name> [now] = <text>"),
        (&*long, "404 characters"),
        (&*dense, "tokens of a prompt, and 80 are the most"),
    ] {
        let said = log.refuses(line);
        assert!(said.to_lowercase().contains(&why.to_lowercase()), "{line}: {said}");
    }
    log.says("section third = a");
    assert!(log.refuses("section fourth = a").starts_with("You have 3 sections, which is the most."));
    assert_eq!(log.says("section remove aims"), "Your section aims is gone from your prompts.");
    log.says("section fourth = a");
    assert_eq!(log.state.sections.len(), SECTIONS_MAX);
}

#[test]
fn the_server_folds_whatever_no_fold_took() {
    let mut log = Log::default();
    assert_eq!(log.refuses("compact fold server 300"), "Nothing came since the last fold.");
    log.says("decide go by the mill");
    log.says("task find the key");
    let span: Vec<LogEntry> = log.entries.clone();
    let request = VerbRequest { span: &span, ..asked("compact", "fold server 300", 3) };
    let reply = edit::answer(&log.state, &request);
    let Some(Event::CompactAfter { upto: 2, from: Some(1), cause: Cause::Server, dropped, .. }) = reply.events.last()
    else {
        panic!("{reply:?}")
    };
    assert_eq!(dropped.map(|dropped| dropped.entries), Some(2));
    for args in ["fold server", "fold server 0", "fold server 9999", "server 300"] {
        log.refuses(&format!("compact {args}"));
    }
}

#[test]
fn troubles_are_open_until_they_are_solved() {
    let mut log = Log::default();
    assert_eq!(log.says("trouble the gate sticks"), "Kept in mind as trouble #1.");
    let reply = log.type_in("trouble the gate sticks");
    assert_eq!((reply.events.len(), &*reply.text), (0, "You know of that, as trouble #1."));
    assert_eq!(log.says("trouble"), "What goes wrong:\n#1 the gate sticks");
    assert!(log.says("hud").contains("## Errors\n- #1 the gate sticks"));
    assert!(log.says("hud toon").contains("the gate sticks"));
    assert_eq!(log.refuses("trouble solved 7"), "You have no trouble #7. Those that you have: trouble.");
    assert_eq!(log.says("trouble solved #1"), "Trouble #1 is over.");
    assert_eq!(log.refuses("trouble solved 1"), "Trouble #1 was over already.");
    assert!(!log.says("hud toon").contains("the gate sticks"), "what is solved is not shown");
    log.says("trouble solved puzzles bore me");
    assert_eq!(log.says("trouble the gate sticks"), "Kept in mind as trouble #4.", "it may come again");
    for n in 0..50 {
        log.says(&format!("trouble number {n}"));
    }
    assert_eq!(log.state.errors.len(), mind::state::ERRORS_KEPT, "the state is bounded");
    assert!(log.state.errors.iter().all(|error| !error.resolved), "what was solved goes first");
}

#[test]
fn how_full_a_prompt_was_is_in_the_state() {
    let mut log = Log::default();
    assert_eq!(log.says("context"), "No prompt was measured so far: context <tokens> of <budget>.");
    assert_eq!(log.says("context 4200 of 10000"), "Noted: a prompt took 4200 of 10000 tokens.");
    assert_eq!(log.state.context, Some(mind::state::Context { tokens: 4_200, budget: 10_000, tick: 10, client: None }));
    assert_eq!(log.says("context"), "The newest prompt, of tick 10, took 4200 of 10000 tokens (42 %).");
    for wrong in ["4200", "4200 in 10000", "4200 of", "-1 of 5", "1 of 0", "4294967295 of 10", "1 of 10 tokens"] {
        log.refuses(&format!("context {wrong}"));
    }
}

#[test]
fn a_text_that_begins_like_a_verb_of_a_list_is_a_text() {
    let mut log = Log::default();
    log.says("note remove the trap before you sit down");
    log.says("step move on when the rain ends");
    log.says("task done with the trolls, go home");
    assert_eq!(log.state.notes[0].text, "remove the trap before you sit down");
    assert_eq!(log.state.steps[0].text, "move on when the rain ends");
    assert_eq!(log.state.task.as_ref().map(|task| &*task.text), Some("done with the trolls, go home"));
}

#[test]
fn where_there_is_but_one_its_number_may_be_left_out() {
    let mut log = Log::default();
    log.says("block the gate is locked");
    assert_eq!(log.says("block clear"), "Blocker #1 is out of the way.");
    assert_eq!(log.refuses("block clear"), "You have no blocker.");
    log.says("step look");
    log.says("step go");
    log.refuses("step done");
    log.says("step remove 3");
    let said = log.says("step done");
    assert!(said.contains("#4"), "{said}");
    log.says("note one");
    log.refuses("note edit");
}

#[test]
fn what_is_wrong_is_said_and_changes_nothing() {
    let mut log = Log::default();
    log.refuses("task done");
    log.refuses("task update something");
    assert_eq!(log.refuses("note remove 7"), "You have no note.");
    log.says("note one");
    log.says("note two");
    assert_eq!(log.refuses("note remove 7"), "You have no note #7. Those that you have: note.");
    assert_eq!(log.refuses("note remove"), "Which note? Give its number, as note shows it.");
    log.refuses("note edit 1");
    log.says("step look");
    log.refuses("step move 3 4");
    log.refuses("step move 3 0");
    log.says("step done 3");
    log.refuses("step done 3");
    log.refuses("forget");
    log.refuses("forget nothing.here");
    log.refuses("remember a..b = 1");
    log.refuses("remember two words = 1");
    log.refuses("remember a weight = 1");
    log.refuses("remember a =");
    log.refuses("history 0");
    log.refuses("history 51");
    log.refuses("history dreams");
    log.refuses("history mind all");
    log.refuses("compact everything");
    log.refuses(&format!("task {}", "x".repeat(edit::LINE_CHARS_MAX + 1)));
    log.says(&format!("task {}", "ü".repeat(edit::LINE_CHARS_MAX)));
}

#[test]
fn lists_end_somewhere() {
    for (verb, most) in [
        ("note", edit::NOTES_MAX),
        ("decide", edit::DECISIONS_MAX),
        ("step", mind::goals::GOALS_MAX),
        ("block", edit::BLOCKERS_MAX),
    ] {
        let mut log = Log::default();
        for n in 0..most {
            log.says(&format!("{verb} thing {n}"));
        }
        let text = log.refuses(&format!("{verb} one more"));
        assert!(text.starts_with(&format!("You have {most} ")), "{text}");
    }
}

#[test]
fn no_control_character_comes_into_a_log() {
    let mut log = Log::default();
    log.says("note a\u{1b}[31mred\u{202e}herring\nof two lines");
    assert_eq!(log.state.notes[0].text, "a[31mredherring of two lines");
    log.refuses("\u{1b}verb");
    log.says(r#"remember a = ["\u001b[31mred", {"b": "\u202eevil"}]"#);
    assert_eq!(log.state.memory.get("a"), Some(&json!(["[31mred", {"b": "evil"}])));
    log.refuses(r#"remember a = {"\u001bname": 1}"#);
}

#[test]
fn a_value_is_json_where_it_reads_as_json() {
    let mut log = Log::default();
    for (typed, value) in [
        ("0.25", json!(0.25)),
        ("-3", json!(-3)),
        ("true", json!(true)),
        ("\"007\"", json!("007")),
        ("[1, \"two\"]", json!([1, "two"])),
        ("{\"a\": {\"b\": 2}}", json!({"a": {"b": 2}})),
        ("null", json!("null")),
        ("a plain text = with a sign", json!("a plain text = with a sign")),
        ("{broken", json!("{broken")),
        ("1e999", json!("1e999")),
    ] {
        log.says(&format!("remember here.it = {typed}"));
        assert_eq!(log.state.memory.get("here.it"), Some(&value), "{typed}");
    }
    log.says(r#"remember here.it = {"v": [1], "w": 0.9004}"#);
    assert_eq!((log.state.memory.get("here.it"), log.state.memory.weight("here.it")), (Some(&json!([1])), 0.9));
    log.refuses(r#"remember here.it = {"v": 1, "w": 1.5}"#);
    log.says("remember here.it weight = 0.2");
    assert_eq!((log.state.memory.get("here.it"), log.state.memory.weight("here.it")), (Some(&json!([1])), 0.2));
    log.refuses("remember here.it weight = nan");
    assert_eq!(log.says("remember here.it"), "here.it = [1] (weight 0.2)");
}

#[test]
fn a_path_can_be_appended_to_and_forgotten() {
    let mut log = Log::default();
    log.says("remember road += mill");
    log.says("remember road += barrow");
    assert_eq!(log.state.memory.get("road"), Some(&json!(["mill", "barrow"])));
    log.says("remember alone = 1");
    log.says("remember alone += 2");
    assert_eq!(log.state.memory.get("alone"), Some(&json!([1, 2])));
    log.says("remember people.Bob = {\"trust\": 1}");
    log.refuses("remember people += Ann");
    log.refuses("remember people.Bob.trust.much = 1");
    log.says("remember people.Bob weight = 1");
    log.says("forget people.Bob.trust");
    assert_eq!(log.state.memory.get("people"), None, "what is empty goes too");
    assert!(log.state.memory.weights.is_empty());
    let names: Vec<&String> = log.state.memory.doc.keys().collect();
    assert_eq!(names, ["road", "alone"], "the others keep their order");
}

#[test]
fn a_weight_counts_for_what_is_below_it_too() {
    let mut memory = CoreMemory::default();
    memory.set("a.b.c", json!(1), None);
    memory.set("a", json!({"b": {"c": 1}}), Some(0.9));
    assert_eq!((memory.weight("a.b.c"), memory.weight("z")), (0.9, memory::WEIGHT_DEFAULT));
    memory.set("a.b", json!(2), Some(0.1));
    memory.set("a", json!({"b": 2}), None);
    assert_eq!((memory.weight("a"), memory.weight("a.b")), (0.9, 0.1), "a path that is there keeps its weight");
    memory.set("a", json!(3), None);
    assert_eq!(memory.weights.keys().collect::<Vec<_>>(), ["a"], "one that is gone does not");
}

#[test]
fn a_full_memory_says_how_much_is_missing_and_never_cuts() {
    let mut log = Log::default();
    let mut n = 0;
    let refusal = loop {
        n += 1;
        let line = format!("remember place{n} = {}", "a mill by the river, ".repeat(40));
        let reply = log.type_in(&line);
        if reply.refused {
            break reply.text;
        }
    };
    let used = log.state.memory.tokens();
    assert!((2_600..=memory::TOKENS_MAX).contains(&used), "{used}");
    let free = memory::TOKENS_MAX - used;
    assert!(refusal.contains(&format!("and {free} of 3000 are free")), "{refusal}");
    let value = Value::String("x ".repeat(400));
    let change = Change::Set { path: "x", value: &value, weight: None };
    let Err(MemoryRefusal::Full { needed, free: told }) = change.check(&log.state.memory, 0) else {
        panic!("it is full")
    };
    assert!(needed > told && told == free);
    // What makes it smaller is always allowed.
    log.says("remember place1 = gone");
}

#[test]
fn a_compaction_holds_the_whole_state_and_waits_for_the_next() {
    let mut log = Log::default();
    log.refuses("compact");
    log.says("note one");
    log.says("remember a = 1");
    let before = log.state.clone();
    log.says("compact");
    let Event::CompactBefore { state: Some(state), .. } = &log.entries[2].event else { panic!("{:?}", log.entries[2]) };
    assert_eq!(serde_json::from_value::<MindState>(state.clone()).expect("a state"), before);
    assert_eq!((log.state.compacted, log.state.compactions), (2, 1));
    assert_eq!(log.entries.len(), 4);
    let soon = edit::answer(&log.state, &VerbRequest { tick: 44, ..asked("compact", "", 5) });
    assert!(soon.refused && soon.text.ends_with("in 2 seconds."), "{}", soon.text);
    log.says("note two");
    log.says("note three");
    log.says("compact");
    assert_eq!(log.state.compactions, 2);
}

#[test]
fn a_request_without_numbers_writes_nothing() {
    let reply = edit::answer(&MindState::default(), &VerbRequest { numbers: 0, ..asked("note", "one", 1) });
    assert!(reply.refused && reply.events.is_empty());
}

#[test]
fn an_entry_of_a_later_program_is_kept_and_changes_nothing() {
    let text = r#"{"seq":7,"tick":1,"at_ms":2,"turn":3,"event":{"kind":"dream.woke","depth":4}}"#;
    let entry: LogEntry = serde_json::from_str(text).expect("it reads");
    assert_eq!(entry.event, Event::Other);
    let state = MindState::of([&entry]);
    assert_eq!(state, MindState { seq: 7, ..MindState::default() });
}

/// The bytes count, not only the meaning: prompts are made of them.
fn bytes(state: &MindState) -> String {
    serde_json::to_string(state).expect("string keys")
}

proptest! {
    #[test]
    fn projecting_twice_is_projecting_once(log in logs()) {
        let once = MindState::of(&log);
        let mut twice = MindState::default();
        for entry in &log {
            twice.project(entry);
            twice.project(entry);
        }
        twice.project_all(&log);
        prop_assert_eq!(bytes(&twice), bytes(&once));
    }

    #[test]
    fn a_beginning_and_the_rest_are_the_whole(log in logs(), at in any::<prop::sample::Index>()) {
        let at = at.index(log.len() + 1);
        let mut state = MindState::of(&log[..at]);
        // Also by way of the text that snapshots and frames are.
        state = serde_json::from_str(&bytes(&state)).expect("a state");
        state.project_all(&log[at..]);
        prop_assert_eq!(bytes(&state), bytes(&MindState::of(&log)));
    }

    #[test]
    fn entries_and_states_read_back_as_they_were_written(log in logs()) {
        for entry in &log {
            let text = serde_json::to_string(entry).expect("string keys");
            prop_assert_eq!(&serde_json::from_str::<LogEntry>(&text).expect("an entry"), entry);
        }
        let state = MindState::of(&log);
        prop_assert_eq!(serde_json::from_str::<MindState>(&bytes(&state)).expect("a state"), state);
    }

    #[test]
    fn any_line_has_an_answer_and_what_it_writes_can_be_read(
        lines in prop::collection::vec((0..VERBS.len(), ".{0,40}|[a-c. ]{1,8}(=|\\+=) ?.{0,20}|(done|edit|move|remove|clear) [0-9]{1,2} .{0,5}"), 1..20),
    ) {
        let mut log = Log::default();
        for (verb, args) in lines {
            let reply = log.type_in(&format!("{} {args}", VERBS[verb].0));
            prop_assert!(!reply.text.is_empty());
            prop_assert!(reply.text.lines().all(|line| !line.chars().any(protocol::names::is_unsafe)), "{:?}", reply.text);
        }
        prop_assert_eq!(bytes(&MindState::of(&log.entries)), bytes(&log.state));
        for (path, _) in log.state.memory.leaves() {
            prop_assert!(memory::names(&path).is_ok(), "{}", path);
        }
        for path in log.state.memory.weights.keys() {
            prop_assert!(log.state.memory.get(path).is_some(), "{}", path);
        }
    }
}

#[test]
fn a_record_is_an_entry_of_the_log_like_any_other() {
    let happening = Happening {
        what: What::Killed {
            victim: Who { id: "mob_3_1".into(), name: "a goblin".into(), kind: WhoKind::Mob, level: 3 },
            killer: Some(Who { id: "player_bob".into(), name: "Bob".into(), kind: WhoKind::Player, level: 5 }),
            xp: 40,
        },
        role: Role::Did,
        room: Place { vnum: 3001, name: "The Square".into() },
        witnesses: Vec::new(),
        social_event_id: Some(9 * 1024),
        novel: true,
        valence: Some(2),
    };
    let entry = LogEntry { seq: 7, tick: 90, at_ms: 1_000, input: 9, event: Event::Happening(Box::new(happening)) };
    let encoded = serde_json::to_value(&entry).expect("plain");
    assert_eq!(
        encoded,
        json!({
            "seq": 7, "tick": 90, "at_ms": 1000, "turn": 9,
            "event": {
                "kind": "happening",
                "what": {"killed": {
                    "victim": {"id": "mob_3_1", "name": "a goblin", "kind": "mob", "level": 3},
                    "killer": {"id": "player_bob", "name": "Bob", "kind": "player", "level": 5},
                    "xp": 40,
                }},
                "role": "did",
                "room": {"vnum": 3001, "name": "The Square"},
                "social_event_id": 9216,
                "novel": true,
                "valence": 2,
            },
        })
    );
    assert_eq!(serde_json::from_value::<LogEntry>(encoded).expect("decodes"), entry);
    let Event::Happening(happening) = entry.event else { unreachable!("made so above") };
    assert_eq!(mind::happenings::brief(&happening), "You killed a goblin at the Square, for 40 experience.");
}

#[test]
fn goals_are_a_tree_that_verbs_grow_and_prune() {
    let mut log = Log::default();
    assert_eq!(log.says("goal"), "You have set yourself no goals: goal <text>.");
    assert_eq!(log.says("goal high build a tavern"), "Set as goal #1.");
    assert_eq!(log.says("goal split 1: a plan | walls | a roof"), "Goal #1 is split into goals #2 to #4.");
    assert_eq!(log.says("goal under 3 low find stones"), "Set as goal #5.");
    assert_eq!(
        log.says("goal try 5 ask the mason"),
        "You try that, as #6. Then say: goal works 6, or goal failed 6: <why>"
    );
    assert_eq!(log.says("goal failed 6: he is away"), "So #6 does not work for goal #5. It stays there as a warning.");
    log.says("goal progress 2 40 %");
    assert_eq!(
        log.says("goal"),
        "- #1 build a tavern (high) 13 %\n  - #2 a plan (high) 40 %\n  - #3 walls (high)\n    - #5 find stones (low)\n      \
         - #6 ask the mason (failed: he is away)\n  - #4 a roof (high)"
    );
    // The document's names are taken wherever a number is.
    assert_eq!(log.state.goals.get(2).map(|goal| &*goal.key), Some("goal_20_0"));
    assert_eq!(log.says("goal done goal_20_0"), "Goal #2 is done.");
    log.says("goal reopen 2");
    assert_eq!(log.says("step done goal_20_0"), "Step #2 is done.");
    assert_eq!(log.refuses("step remove goal_20_9"), "This project has no goal goal_20_9. Those that it has: goal.");
    assert_eq!(log.refuses("goal done 2"), "Goal #2 was done already. To take it up again: goal reopen 2");
    assert_eq!(log.refuses("goal done 3"), "Goal #3 is done when the 1 open under it are: goal shows them.");
    assert_eq!(log.refuses("goal progress 1 50"), "Goal #1 is done when the 2 open under it are: goal shows them.");
    log.says("goal drop 4");
    let said = log.says("goal done 5");
    assert_eq!(
        said,
        "Goal #5 is done. With it goal #3 is done, too: walls. With it goal #1 is done, too: build a tavern."
    );
    let done: Vec<&str> = log.state.session.completed_tasks.iter().map(|done| &*done.description).collect();
    assert_eq!(done, ["build a tavern"], "what is at the top joins what was completed");
    log.says("goal reopen 4");
    assert!(log.state.goals.get(1).is_some_and(|goal| goal.is_open() && goal.progress == 66));
    assert_eq!(log.says("goal drop 1"), "You give up goal #1, and the open one under it.");
    for (line, why) in [
        ("goal move 1 under 3", "A goal cannot be put under itself, or under what is under it."),
        ("goal progress 4 101", "How far, in percent? goal progress 4 <0 to 100>"),
        ("goal done 99", "This project has no goal 99. Those that it has: goal."),
        ("goal split 3 one | two", "Into what? goal split <id>: <a> | <b> | <c>"),
        ("goal works 99", "You try no way #99. Those that you try stand with their goal: goal."),
        ("goal edit 4", "What is goal #4 to say? goal edit 4 <text>, or goal edit 4 high"),
    ] {
        assert_eq!(log.refuses(line), why, "{line}");
    }
    assert_eq!(
        log.refuses("goal reopen 1"),
        "All that is left under goal #1 is done. Take one of those up again, or set a new goal there."
    );
    log.says("goal reopen 4");
    for parts in ["a | b", "a|b|c|d|e|f|g|h"] {
        assert!(log.refuses(&format!("goal split 1: {parts}")).contains("3 to 7 parts"));
    }
    // A line that only begins with such a word is a goal.
    log.says("goal drop the sword into the well");
    assert!(log.says("goal").contains("drop the sword into the well"));
    // Five levels, and no more.
    let mut parent = 1;
    for _ in 0..4 {
        log.says(&format!("goal under {parent} deeper"));
        parent = log.state.seq;
    }
    assert!(log.refuses(&format!("goal under {parent} too deep")).starts_with("Goals go 5 deep"));
    assert!(log.refuses("goal move 1 under 99").contains("no goal 99"));
    let mut again = MindState::of(&log.entries);
    again.project_all(&log.entries);
    assert_eq!(again, log.state);
}

#[test]
fn what_a_project_is_about_ends_with_one_stop() {
    let mut log = Log::default();
    log.says("project new walls = Stay alive.");
    assert_eq!(log.says("project swap walls"), "You turn to walls: Stay alive.");
}

#[test]
fn what_a_project_puts_away_comes_back_as_it_went() {
    let mut log = Log::default();
    log.says("task find the iron key");
    log.says("note the guard sells maps");
    log.says("step ask the guard");
    log.says("decide go north: the south is flooded");
    log.says("block the gate is locked");
    assert_eq!(log.says("project"), "Your projects:\n* main (active, 0 %): find the iron key");
    assert_eq!(
        log.says("project new Tavern = Build a tavern: nothing is done yet"),
        "Project tavern is there, and waits. To turn to it: project swap tavern"
    );
    let main = log.state.workspace();
    assert_eq!(
        log.says("project swap tavern: the gate is next"),
        "You turn to tavern: Build a tavern. So far: nothing is done yet"
    );
    assert_eq!(log.state.task.as_ref().map(|task| &*task.text), Some("Build a tavern"));
    assert!(log.state.notes.is_empty() && log.state.steps.is_empty() && log.state.blockers.is_empty());
    let shelf = Shelf::of(&log.entries);
    let soon = VerbRequest {
        shelf: &shelf,
        tick: log.state.swapped_tick.expect("she turned") + 1,
        ..asked("project", "swap main", 99)
    };
    let soon = edit::answer(&log.state, &soon);
    assert_eq!((soon.refused, &*soon.text), (true, "You have just turned to tavern. You can turn again in 8 seconds."));
    log.says("goal lay the foundation");
    log.says("project update foundation half done");
    log.says("fact the quarry is flooded");
    let tavern = log.state.workspace();
    assert_eq!(
        log.says("project swap main"),
        "You turn to main: find the iron key. 0 of 1 steps are done. So far: the gate is next"
    );
    assert_eq!(log.state.workspace(), mind::workspace::Workspace { context: "the gate is next".into(), ..main });
    assert_eq!(log.state.session.key_facts.len(), 1, "facts are the character's");
    let kept = log.state.named("tavern").expect("it waits");
    assert_eq!((&*kept.summary, &*kept.context, kept.progress), ("Build a tavern", "foundation half done", 0));
    // After a restart the same: from the log alone.
    log.state = MindState::of(&log.entries);
    for _ in 0..5 {
        log.says("note time passes");
    }
    log.says("project swap tavern");
    assert_eq!(log.state.workspace(), tavern);
    for (line, why) in [
        ("project swap tavern", "You are at tavern already. How far it is: project update <context>"),
        ("project swap nowhere", "You have no project nowhere. Those that you have: project."),
        ("project archive main", "Your project main stays: it is what is left when all others are put away."),
        ("project new tavern = again", "You have a project tavern already: project swap tavern"),
        ("project new a b = two words", "The key of a project is one word"),
        ("project build", "What about projects? One of list, new, swap, update, done, archive, restore comes first."),
    ] {
        assert!(log.refuses(line).starts_with(why), "{line}");
    }
    for _ in 0..5 {
        log.says("note time passes");
    }
    assert!(log.says("project done").starts_with("Project tavern is done. You turn to main"));
    assert_eq!(log.state.active, "main");
    assert_eq!(log.state.session.completed_tasks.last().map(|done| &*done.description), Some("Build a tavern"));
    assert_eq!(log.refuses("project swap tavern"), "Project tavern is completed. First: project restore tavern");
    log.says("project archive tavern");
    log.says("project restore tavern");
    for n in 0..10 {
        log.says(&format!("project new p{n} = one more"));
    }
    assert!(log.refuses("project new p10 = too many").contains("12 projects"));
    for _ in 0..5 {
        log.says("note time passes");
    }
    log.says("project swap tavern");
    assert_eq!(log.state.goals.len(), 1, "what it had is there after it was done, archived and restored");
    assert_eq!(MindState::of(&log.entries), log.state);
}

#[test]
fn facts_are_about_the_world_and_the_journal_about_anything() {
    let mut log = Log::default();
    let refused = log.type_in("fact I helped the player");
    assert_eq!((refused.refused, refused.events.len(), refused.suggestion.is_some()), (true, 0, true));
    assert!(refused.text.starts_with("Content appears to reference assistant actions or identity. Session memory"));
    assert!(log.type_in("pattern Wren opens doors with care").refused, "it is her own name");
    assert_eq!(log.says("fact Player Alice completed the quest"), "Kept as fact #1.");
    assert_eq!(log.says("fact player alice completed the quest"), "You know that, as #1.");
    assert_eq!(log.says("fact player Alice completed the quest."), "Kept as fact #2.");
    assert_eq!(log.says("pattern Players prefer concise responses"), "Kept as pattern #3.");
    assert_eq!(log.says("tidy"), "One that said the same as an older one is gone.");
    assert_eq!(log.says("fact"), "Facts:\n#1 Player Alice completed the quest (2 times)");
    assert_eq!(log.says("tidy"), "No two of your facts or patterns say the same.");
    assert_eq!(log.says("fact remove 1"), "You no longer hold #1 for a fact.");
    assert!(log.refuses(&format!("fact {}", "x".repeat(201))).starts_with("That is too long"));
    assert_eq!(log.says("journal I was afraid of the dark"), "It stands in your journal, as #6.");
    log.says("journal hearsay Bob is said to be rich");
    let importance: Vec<u8> = log.state.journal.iter().map(|entry| entry.importance).collect();
    assert_eq!(importance, [6, 5], "seen; hearsay of somebody who is there");
    for n in 0..20 {
        log.says(&format!("journal guess number {n}"));
    }
    assert_eq!(log.state.journal.len(), 10, "the newest are in the state");
    assert_eq!(log.refuses("journal told"), "What is it? journal told <text>");
}
