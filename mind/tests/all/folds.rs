//! What a fold tells of what it drops: nothing untrue of what is open, within its room, each line with its entries.

use super::sessions::cost::settings;
use super::sessions::undertaking::undertake;
use mind::budget::Tier;
use mind::fold::story;
use mind::goals::{Priority, Verdict};
use mind::hud::{Format, SelfView};
use mind::prompt::{Block, PartName, PromptBuilder, Settings};
use mind::story::{Reworded, Span, StoryLine, StoryWords};
use mind::{Event, LogEntry, MindState, VerbRequest, edit, tokens};
use proptest::prelude::*;
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::{Who, WhoKind};
use protocol::talk::{Heard, Said};

fn log_of(events: Vec<Event>) -> Vec<LogEntry> {
    (1..).zip(events).map(|(seq, event)| LogEntry { seq, tick: seq, at_ms: 0, input: seq, event }).collect()
}

fn heard(from: &str, channel: &str, text: &str) -> Event {
    let (from, channel, text) = (from.into(), channel.into(), text.into());
    Event::Heard(Box::new(Heard { from, channel, text, message: None, missed: 0 }))
}

fn said(to: Option<&str>, channel: &str, text: &str) -> Event {
    let (to, channel, text) = (to.map(Into::into), channel.into(), text.into());
    Event::Said(Box::new(Said { channel, to, text, message: None, missed: 0 }))
}

fn who(name: &str, kind: WhoKind) -> Who {
    Who { id: name.to_lowercase().into(), name: name.into(), kind, level: 3 }
}

fn happened(role: Role, what: What) -> Event {
    let room = Place { vnum: 1, name: "The Mill".into() };
    let (witnesses, social_event_id) = (Vec::new(), None);
    Event::Happening(Box::new(Happening { what, role, room, witnesses, social_event_id, novel: false, valence: None }))
}

fn goal(text: &str) -> Event {
    Event::GoalAdd { text: text.into(), priority: Priority::default(), parent: None, auto: false }
}

/// A log in which something of each sort comes up.
fn rich() -> Vec<LogEntry> {
    let me = || who("Wren", WhoKind::Player);
    let killed = || What::Killed { victim: who("a rat", WhoKind::Mob), killer: Some(me()), xp: 20 };
    log_of(vec![
        heard("Bob", "tell", "Can you bring me the lamp from the mill?"),
        heard("Cid", "tell", "Good morning."),
        heard("Dot", "tell", "Where are you?"),
        said(Some("dot"), "tell", "At the mill."),
        heard("Eve", "say", "Wren, please wait for me \"here\"."),
        Event::DecisionRecord { summary: "Spare the ferryman".into(), details: None },
        Event::DecisionRecord { summary: "Take the east road".into(), details: None },
        Event::DecisionRemove { id: 7 },
        goal("Mend the bridge"),
        goal("Find planks"),
        Event::GoalComplete { id: 10 },
        goal("Cross the river"),
        Event::GoalComplete { id: 12 },
        Event::GoalReopen { id: 12 },
        Event::GoalStrategy { id: 9, text: "Ask the smith".into() },
        Event::GoalVerdict { id: 15, verdict: Verdict::Failed, why: Some("he is away".into()) },
        Event::ErrorEncountered { message: "The door is locked".into() },
        Event::ErrorEncountered { message: "The well is dry".into() },
        Event::ErrorResolved { id: 18 },
        happened(Role::Did, killed()),
        happened(Role::Did, killed()),
        happened(Role::Suffered, What::Killed { victim: me(), killer: Some(who("a troll", WhoKind::Mob)), xp: -50 }),
        happened(Role::Did, What::Met { who: me(), other: who("Bob", WhoKind::Player) }),
        happened(Role::Did, What::RoomSeen { who: me(), from: None }),
    ])
}

fn texts(lines: &[StoryLine]) -> Vec<&str> {
    lines.iter().map(|line| line.text.as_str()).collect()
}

#[test]
fn what_is_open_is_told_and_what_is_done_or_taken_back_is_not() {
    let log = rich();
    let state = MindState::of(&log);
    let told = story("Wren", &log, &[], &state, 600);
    let lines = texts(&told.lines);
    assert_eq!(
        lines[..6],
        [
            "Not answered yet: Bob (tell): \"Can you bring me the lamp from the mill?\"",
            "Not answered yet: Eve (say): \"Wren, please wait for me \\\"here\\\".\"",
            "Decided: Spare the ferryman",
            "Done: Find planks",
            "Did not work for \"Mend the bridge\": Ask the smith (he is away)",
            "Failed: The door is locked",
        ],
        "{lines:#?}"
    );
    assert!(lines.iter().any(|line| line.starts_with("A troll killed you")), "{lines:#?}");
    assert!(lines.contains(&"Met: Bob.") && lines.contains(&"Rooms seen first: The Mill."), "{lines:#?}");
    assert!(lines.last().is_some_and(|line| line.starts_with("Not told here: 3 lines of talk. ")), "{lines:#?}");
    assert!(lines.last().is_some_and(|line| line.contains("since:#1 until:#24")), "{lines:#?}");
    assert_eq!((told.dropped.entries, told.dropped.talk, told.dropped.deeds), (24, 5, 5));
    let last = log.len() as u64;
    assert!(
        told.lines.iter().all(|line| !line.from.is_empty() && line.from.iter().all(|seq| (1..=last).contains(seq)))
    );
    // An answer that came later closes the question, whatever a prompt still shows of it.
    let later = [LogEntry { seq: 30, tick: 30, at_ms: 0, input: 30, event: said(Some("Bob"), "tell", "Here.") }];
    let told = story("Wren", &log, &later, &state, 600);
    assert!(!texts(&told.lines).iter().any(|line| line.contains("Bob (tell)")));
    assert_eq!(story("Wren", &[], &log, &state, 600), Default::default());
}

#[test]
fn client_and_server_tell_the_same_and_a_span_is_folded_once() {
    let log = rich();
    let state = MindState::of(&log);
    let asked = VerbRequest::new("compact", "fold #1-#20 300", 25, 2, 100);
    let reply = edit::answer(&state, &VerbRequest { name: "wren", span: &log, ..asked });
    let [
        Event::CompactBefore { state: None, hash, .. },
        Event::CompactAfter { upto: 20, from: Some(1), story: told, .. },
    ] = &reply.events[..]
    else {
        panic!("{reply:?}")
    };
    assert_eq!(hash.len(), 64);
    assert_eq!(*told, story("Wren", &log[..20], &log[20..], &state, 300).lines);
    let mut after = state.clone();
    for (seq, event) in (25..).zip(reply.events.clone()) {
        after.project(&LogEntry { seq, tick: 100, at_ms: 0, input: 100, event });
    }
    for (args, why) in [
        ("fold #1-#20 300", "What came up to #20 was folded before."),
        ("fold #22-#21 300", "#22 to #21 is no part of a log."),
        ("fold #21-#99 300", "Your log has no entry #99 yet; the newest is #26."),
        ("fold #21-#22", "Compact folds your log"),
        ("fold #21-#22 100000000", "Compact folds your log"),
        ("fold", "Compact folds your log"),
        ("all of it", "Compact folds your log"),
    ] {
        let asked = VerbRequest::new("compact", args, 27, 2, 100);
        let reply = edit::answer(&after, &VerbRequest { name: "wren", span: &log, ..asked });
        assert!(reply.refused && reply.text.starts_with(why), "{args}: {}", reply.text);
    }
}

#[test]
fn a_prompt_that_folds_says_what_it_dropped_and_no_other_does() {
    let mut builder = PromptBuilder::new(Settings { tier: Tier::Small, ..Settings::default() });
    builder.set_self(SelfView { name: "Wren".into(), ..SelfView::default() });
    let (mut state, mut folded) = (MindState::default(), 0);
    for tick in 1..400u64 {
        let event = match tick {
            3 => heard("Bob", "tell", "The secret word is amaranth. Will you remember it?"),
            _ => Event::NoteAdd { text: format!("Stone {tick} of the wall is loose.") },
        };
        let mut mind = vec![LogEntry { seq: tick, tick, at_ms: 0, input: tick, event }];
        // What is noted is taken back, so that the workspace stays small.
        let seen = vec![format!("Wind {tick} comes from the east, and brings the smell of the marsh.")];
        state.project_all(&mind);
        if tick > 3 {
            mind.push(LogEntry {
                seq: tick + 1_000,
                tick,
                at_ms: 0,
                input: tick,
                event: Event::NoteRemove { id: tick },
            });
        }
        builder.append(Block { tick, seen, mind: mind[..1].to_vec(), ..Block::default() });
        state.notes.clear();
        let prompt = builder.build(&Default::default(), &[], &state);
        assert!(prompt.tokens <= prompt.budget);
        if builder.folds() == 0 {
            assert!(!prompt.text().contains("no longer shows"), "nothing was dropped");
        } else if folded == 0 {
            folded = builder.folds();
            let (span, _) = builder.dropped().expect("a fold drops something");
            assert_eq!(span.from, 1);
            assert!(prompt.text().contains("What this prompt no longer shows"), "{}", prompt.text());
            assert!(prompt.text().contains("amaranth"), "a question that was not answered: {}", prompt.text());
            assert!(prompt.sections.iter().any(|(name, tokens)| name == "folded" && *tokens <= 130));
        }
    }
    assert!(folded > 0, "400 blocks fold a small prompt");
}

/// Plays on until a small prompt was folded once more: notes that are taken back at once, and what `also` brings.
fn until_it_folds(
    builder: &mut PromptBuilder,
    log: &mut Vec<LogEntry>,
    mut also: impl FnMut(u64) -> Option<Event>,
) -> String {
    let folds = builder.folds();
    for _ in 0..400 {
        let tick = log.len() as u64 + 1;
        let event = also(tick).unwrap_or_else(|| heard("Cid", "gossip", &format!("Stone {tick} is loose.")));
        let mind = vec![LogEntry { seq: tick, tick, at_ms: 0, input: tick, event }];
        log.extend(mind.clone());
        let seen = vec![format!("Wind {tick} comes from the east, and brings the smell of the marsh.")];
        builder.append(Block { tick, seen, mind, ..Block::default() });
        let prompt = builder.build(&Default::default(), &[], &MindState::of(log.iter()));
        assert!(prompt.tokens <= prompt.budget);
        let p2 = prompt.parts.iter().find(|part| part.name == PartName::P2).expect("it has one");
        assert_eq!(p2.text.lines().count(), p2.origins.len(), "{}", p2.text);
        if builder.folds() > folds {
            return p2.text.clone();
        }
    }
    panic!("400 blocks fold a small prompt");
}

/// Words for each line of the last fold's story.
fn words_of(builder: &PromptBuilder, model: &str) -> StoryWords {
    let (span, _) = builder.dropped().expect("it dropped something");
    let said = |line: &StoryLine| Reworded {
        of: line.text.clone(),
        words: format!("In the words of {model}: {}", line.text.split(':').next_back().unwrap_or_default()),
        from: line.from.clone(),
    };
    StoryWords { span, model: model.into(), lines: builder.story().lines.iter().map(said).collect() }
}

#[test]
fn words_for_a_story_are_told_from_the_next_fold_on_while_they_hold() {
    let mut builder = PromptBuilder::new(Settings { tier: Tier::Small, ..Settings::default() });
    builder.set_self(SelfView { name: "Wren".into(), ..SelfView::default() });
    let mut log = Vec::new();
    let begin = |tick| match tick {
        2 => Some(heard("Bob", "tell", "Can you bring me the lamp?")),
        3 => Some(heard("Eve", "tell", "Where is the ferry?")),
        4 => Some(Event::DecisionRecord { summary: "Spare the ferryman".into(), details: None }),
        5 => Some(Event::DecisionRecord { summary: "Take the east road".into(), details: None }),
        _ => None,
    };
    let first = until_it_folds(&mut builder, &mut log, begin);
    assert!(first.contains("Spare the ferryman") && !first.contains("your own words"), "{first}");
    let words = words_of(&builder, "the first");
    let of_another = StoryWords { span: Span { from: 1, upto: 1 }, ..words.clone() };
    assert!(!builder.reword(of_another) && builder.reword(words.clone()));
    let unchanged = builder.build(&Default::default(), &[], &MindState::of(&log)).text();
    assert!(!unchanged.contains("the first"), "the cache is worth more than words: {unchanged}");

    // Until the next fold Bob is answered, and one decision is taken back.
    let mut after = [said(Some("Bob"), "tell", "Yes."), Event::DecisionRemove { id: 5 }].into_iter();
    let second = until_it_folds(&mut builder, &mut log, |_| after.next());
    assert!(second.contains("# Before that, in your own words\n"), "{second}");
    assert!(second.contains("In the words of the first:  \"Where is the ferry?\""), "{second}");
    assert!(second.contains("In the words of the first:  Spare the ferryman"), "{second}");
    assert!(!second.contains("lamp") && !second.contains("east road"), "what is over is told as open: {second}");
    let why = builder.build(&Default::default(), &[], &MindState::of(&log)).why();
    assert!(why.contains("#4 in the words of the first"), "{why}");
    assert!(!builder.reword(words), "they are of an older fold");

    // A model that says nothing for this one costs nothing but its words: the first are still told, in their room.
    let third = until_it_folds(&mut builder, &mut log, |_| None);
    assert!(third.contains("In the words of the first:  Spare the ferryman"), "{third}");
    let long = words_of(&builder, &"a model that says each thing many times ".repeat(20));
    assert!(builder.reword(long));
    let fourth = until_it_folds(&mut builder, &mut log, |_| None);
    assert!(!fourth.contains("many times"), "more than a story may take: {fourth}");
    let tokens = |text: &str| tokens::count(text.split("# Before that").nth(1).unwrap_or_default());
    assert!(tokens(&second) <= 2 * Tier::Small.story_max() + 40, "{second}");

    // What is taken back later is gone from there, too.
    let mut away = vec![Event::DecisionRemove { id: 4 }].into_iter();
    let fifth = until_it_folds(&mut builder, &mut log, |_| away.next());
    assert!(!fifth.contains("Spare the ferryman"), "{fifth}");
}

#[test]
fn after_many_folds_and_swaps_the_state_is_what_the_log_gives() {
    for (seed, tier) in [(1, Tier::Small), (2, Tier::Small), (3, Tier::Medium)] {
        let came = undertake(settings(tier, Format::Markdown), seed, 20);
        assert!(came.folds >= 20 && came.swaps >= 20 && came.refused * 2 < came.lines, "{came:?}");
        assert!(came.is_as_replayed && came.altered == 0 && came.fullest <= 1.0, "{came:?}");
    }
}

fn any_event() -> impl Strategy<Value = Event> {
    let name = prop_oneof![Just("Bob"), Just("Wren"), Just("\u{202e}E`v`e"), Just("a very long name of somebody")];
    let words = "[ -~\u{e4}\u{200b}\n]{0,300}";
    prop_oneof![
        (name.clone(), words).prop_map(|(name, words)| heard(name, "tell", &words)),
        (name, words).prop_map(|(name, words)| said(Some(name), "tell", &words)),
        words.prop_map(|text| Event::DecisionRecord { summary: text, details: None }),
        words.prop_map(|text| goal(&text)),
        (1..40u64).prop_map(|id| Event::GoalComplete { id }),
        (1..40u64).prop_map(|id| Event::GoalReopen { id }),
        words.prop_map(|message| Event::ErrorEncountered { message }),
        (1..40u64).prop_map(|id| Event::ErrorResolved { id }),
    ]
}

proptest! {
    #[test]
    fn any_story_keeps_to_its_room_and_tells_nothing_done_as_open(
        events in prop::collection::vec(any_event(), 1..60),
        cut in 0..60usize,
        room in 60..600usize,
    ) {
        let log = log_of(events);
        let state = MindState::of(&log);
        let cut = cut.min(log.len());
        let told = story("Wren", &log[..cut], &log[cut..], &state, room);
        let text: String = told.lines.iter().map(|line| format!("- {}\n", line.text)).collect();
        prop_assert!(tokens::count(&text) <= room + 8, "{} of {room}: {text}", tokens::count(&text));
        prop_assert!(!text.chars().any(|c| c.is_control() && c != '\n'));
        prop_assert_eq!(told.lines.len(), text.lines().count(), "a line is one line");
        for line in &told.lines {
            prop_assert!(line.from.iter().all(|seq| (1..=cut as u64).contains(seq)), "{:?}", line);
            if line.text.starts_with("Failed: ") {
                prop_assert!(state.errors.iter().any(|error| error.id == line.from[0] && !error.resolved));
            }
            if line.text.starts_with("Not answered yet: ") {
                let Event::Heard(heard) = &log[line.from[0] as usize - 1].event else { unreachable!() };
                let answered = log[line.from[0] as usize..].iter().any(|entry| matches!(&entry.event,
                    Event::Said(said) if said.to.as_deref().is_some_and(|to| to.eq_ignore_ascii_case(&heard.from))));
                prop_assert!(!answered, "{:?}", line);
            }
        }
    }
}
