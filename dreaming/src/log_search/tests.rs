//! What is found in a log, what no longer holds, and what qualifiers are taken for.

use super::*;
use mind::Event;
use mind::goals::Priority;
use mind::session::Trust;
use mind::sharing::Scope;
use protocol::talk::{Heard, Said};

const HOUR_MS: i64 = 3_600_000;

/// A log of these events, an hour and a hundred ticks from one to the next.
fn index_of(events: Vec<Event>) -> LogIndex {
    let mut index = LogIndex::new();
    for (seq, event) in (1..).zip(events) {
        index.add(&LogEntry { seq, tick: seq * 100, at_ms: seq as i64 * HOUR_MS, input: seq, event });
    }
    index
}

fn found(index: &LogIndex, text: &str) -> Vec<u64> {
    let now = (index.last() as i64 + 1) * HOUR_MS;
    let asked = Asked::parse(text, now).expect("a question");
    index.find(&asked.log.expect("asks the log")).into_iter().map(|hit| hit.seq).collect()
}

fn heard(from: &str, text: &str) -> Event {
    Event::Heard(Box::new(Heard {
        from: from.into(),
        channel: "say".into(),
        text: text.into(),
        message: None,
        missed: 0,
    }))
}

fn said(to: &str, text: &str) -> Event {
    let (channel, to, text) = ("tell".into(), Some(to.into()), text.into());
    Event::Said(Box::new(Said { channel, to, text, message: None, missed: 0 }))
}

fn note(text: &str) -> Event {
    Event::NoteAdd { text: text.to_string() }
}

fn goal(text: &str, parent: Option<u64>) -> Event {
    Event::GoalAdd { text: text.to_string(), priority: Priority::default(), parent, auto: false }
}

#[test]
fn all_that_was_written_is_found_by_its_words() {
    let index = index_of(vec![
        note("The miller hides his key under the third sack."),
        heard("Bob", "The secret word is amaranth."),
        said("Bob", "I will keep it."),
        Event::DecisionRecord { summary: "Spare the ferryman".into(), details: Some("he has a daughter".into()) },
        goal("Mend the bridge", None),
        goal("Fetch oak planks", Some(5)),
        Event::FactAdd { text: "The bridge needs nine planks.".into() },
        Event::JournalAdd { text: "A raven followed me.".into(), source: Trust::Seen, importance: 5 },
        Event::MemorySet { path: "people.bob.trust".into(), value: "high".into(), weight: None },
        Event::ContextSnapshot { tokens: 1, budget: 2, client: None },
    ]);
    for (text, seqs) in [
        ("where is the key of the miller", vec![1]),
        ("secret word", vec![2]),
        ("what did Bob say", vec![3, 2, 9]),
        ("in:talk", vec![3, 2]),
        ("in:talk from:bob", vec![2]),
        ("from:me", vec![3]),
        ("the ferryman's daughter", vec![4]),
        ("planks", vec![6, 7]),
        ("in:goals planks", vec![6]),
        ("in:facts,goals bridge", vec![5, 7]),
        ("raven", vec![8]),
        ("trust of Bob", vec![9]),
        ("dragons", vec![]),
        ("in:decisions since:#5", vec![]),
        ("in:decisions since:#4 until:400t", vec![4]),
        ("in:journal since:3h", vec![8]),
        ("in:journal since:2h", vec![]),
        ("in:journal until:1d", vec![]),
    ] {
        assert_eq!(found(&index, text), seqs, "{text}");
    }
}

#[test]
fn what_no_longer_holds_is_found_only_where_all_is_asked_for() {
    let index = index_of(vec![
        note("The gate is guarded by wolves."),
        Event::NoteUpdate { id: 1, text: "The gate is open.".into() },
        note("Osk owes me a ferry ride."),
        Event::NoteRemove { id: 3 },
        Event::FactAdd { text: "Ravens fear fire.".into() },
        Event::FactAdd { text: "ravens fear fire".into() },
        Event::SessionTidy { merged: vec![vec![5, 6]] },
        Event::MemorySet { path: "places.inn".into(), value: "warm".into(), weight: None },
        Event::MemorySet { path: "places.inn".into(), value: "burnt".into(), weight: None },
        Event::TaskSet { text: "Find the inn".into() },
        Event::TaskDone,
    ]);
    assert_eq!(found(&index, "gate"), [2]);
    assert_eq!(found(&index, "in:all gate"), [2, 1]);
    assert_eq!(found(&index, "ferry"), [] as [u64; 0]);
    assert_eq!(found(&index, "in:all ferry"), [3]);
    assert_eq!(found(&index, "ravens"), [5]);
    assert_eq!(found(&index, "inn"), [10, 9]);
    let query = Asked::parse("inn", 0).expect("a question").log.expect("of the log");
    let open: Vec<bool> = index.find(&query).iter().map(|hit| hit.open).collect();
    assert_eq!(open, [false, true], "the task is done, the place still stands");
}

#[test]
fn goals_know_their_project_and_go_with_what_they_are_under() {
    let workspace = || Box::new(mind::workspace::Workspace::default());
    let index = index_of(vec![
        goal("Mend the bridge", None),
        goal("Fetch planks", Some(1)),
        Event::ProjectCreate { key: "boat".into(), summary: Some("Build a boat".into()), context: None },
        Event::ProjectPause { key: "main".into(), context: String::new(), workspace: workspace() },
        Event::ProjectResume { key: "boat".into(), from: 3, workspace: workspace() },
        goal("Fetch planks and tar", None),
        Event::GoalAbandon { id: 1 },
    ]);
    assert_eq!(found(&index, "planks"), [2, 6]);
    assert_eq!(found(&index, "project:boat planks"), [6]);
    assert_eq!(found(&index, "project:main planks"), [2]);
    let query = Asked::parse("planks", 0).expect("a question").log.expect("of the log");
    let told: Vec<_> = index.find(&query).into_iter().map(|hit| (hit.project, hit.open)).collect();
    assert_eq!(told, [(Some("main".to_string()), false), (Some("boat".to_string()), true)]);
}

#[test]
fn qualifiers_that_are_none_are_told_and_names_with_colons_are_words() {
    for bad in
        ["in:dreams", "in:", "from:", "project: bridge", "since:", "since:yesterday", "until:#", "since:99999999999d"]
    {
        assert!(Asked::parse(bad, 0).is_err(), "{bad}");
    }
    let asked = Asked::parse("player:bob at 12:30", 0).expect("words");
    assert_eq!((asked.words.as_str(), asked.memories), ("player:bob at 12:30", true));
    let asked = Asked::parse("in:memories Bob", 0).expect("words");
    assert!(asked.memories && asked.log.is_none());
    let asked = Asked::parse("in:talk,memories Bob", 0).expect("words");
    assert!(asked.memories && asked.log.is_some_and(|log| log.parts == [Part::Talk]));
    let asked = Asked::parse("in:notes Bob", 0).expect("words");
    assert!(!asked.memories && asked.log.is_some());
    let asked = Asked::parse("", 0).expect("the moment");
    assert!(asked.memories && asked.log.is_none());
}

#[test]
fn an_entry_that_comes_again_changes_nothing_and_pages_give_what_one_reading_gives() {
    let events: Vec<Event> = (0..300).map(|n| note(&format!("Note {n} of the {} well", n % 7))).collect();
    let whole = index_of(events.clone());
    let mut again = whole.clone();
    for (seq, event) in (1..).zip(events) {
        again.add(&LogEntry { seq, tick: 0, at_ms: 0, input: 0, event });
    }
    assert_eq!(again.len(), whole.len());
    assert_eq!(found(&again, "well 3"), found(&whole, "well 3"));
    assert_eq!(found(&whole, "well").len(), FOUND_MAX);
    assert_eq!(found(&whole, "in:notes")[0], 300, "without words the newest");
}

#[test]
fn each_project_has_a_task_of_its_own_and_what_was_added_to_a_path_goes_with_it() {
    let task = |text: &str| Event::TaskSet { text: text.into() };
    let desk = |key: &str| Event::ProjectResume { key: key.into(), from: 1, workspace: Default::default() };
    let append = |value: &str| Event::MemoryAppend { path: "people.bob.debts".into(), value: value.into() };
    let index = index_of(vec![
        task("Mend the bridge"),
        desk("ferry"),
        task("Caulk the ferry"),
        Event::TaskDone,
        desk("main"),
        append("a sack of barley"),
        append("two coins for barley"),
    ]);
    let hits = |text: &str, index: &LogIndex| {
        let asked = Asked::parse(text, HOUR_MS).expect("a question").log.expect("asks the log");
        index.find(&asked).into_iter().map(|hit| (hit.seq, hit.open)).collect::<Vec<_>>()
    };
    assert_eq!(hits("bridge", &index), [(1, true)], "another project's task is another thing");
    assert_eq!(hits("ferry caulk", &index), [(3, false)]);
    assert_eq!(found(&index, "barley"), [6, 7]);
    let mut index = index;
    let forget = Event::MemoryDelete { path: "people.bob".into() };
    index.add(&LogEntry { seq: 8, tick: 800, at_ms: 8 * HOUR_MS, input: 8, event: forget });
    assert_eq!(found(&index, "barley"), [0; 0]);
}

/// A log in which everything is said anew, done and taken back, from what one number gives.
fn lively(count: u64) -> Vec<Event> {
    let text = |n: u64| format!("The {} of the {} well {}", ["rope", "bucket", "lid"][n as usize % 3], n % 5, n % 11);
    let workspace = || Box::new(mind::workspace::Workspace::default());
    (1..=count)
        .map(|n| match (n * 7 + n / 13) % 17 {
            0 => note(&text(n)),
            1 => Event::NoteUpdate { id: n.saturating_sub(17).max(1), text: text(n + 1) },
            2 => Event::NoteRemove { id: n / 2 },
            3 => goal(&text(n), (n % 4 == 0).then_some(n / 2)),
            4 => Event::GoalAbandon { id: n / 3 },
            5 => Event::GoalReopen { id: n / 4 },
            6 => Event::TaskSet { text: text(n) },
            7 => Event::TaskDone,
            8 => Event::MemorySet { path: format!("wells.w{}", n % 6), value: text(n).into(), weight: None },
            9 => Event::MemoryAppend { path: format!("wells.w{}.seen", n % 6), value: text(n).into() },
            10 => Event::MemoryDelete { path: format!("wells.w{}", n % 9) },
            11 => heard(if n % 2 == 0 { "Bob" } else { "Old Meg" }, &text(n)),
            12 => Event::FactAdd { text: text(n) },
            13 => Event::SessionTidy { merged: vec![vec![n / 2, n / 2 + 1]] },
            14 => {
                Event::ProjectResume { key: ["main", "boat"][n as usize % 2].into(), from: 1, workspace: workspace() }
            }
            15 => Event::JournalAdd { text: text(n), source: Trust::Seen, importance: 5 },
            _ => said("Bob", &text(n)),
        })
        .collect()
}

#[test]
fn an_index_of_one_question_answers_it_as_that_of_the_whole_log_does() {
    let events = lively(1_500);
    let whole = index_of(events.clone());
    let now = 1_501 * HOUR_MS;
    let mut answered = 0;
    for text in [
        "rope",
        "lid well 3",
        "in:all bucket of the well",
        "in:notes",
        "in:facts since:#900",
        "from:meg lid",
        "from:bob",
        "project:boat",
        "project:main rope",
        "in:goals rope 3",
        "in:all",
        "in:goals,talk",
        "in:journal until:400t",
        "dragons and rope",
        "what is the",
        "in:notes wells",
        "since:2d",
        "in:projects",
    ] {
        let query = Asked::parse(text, now).expect("a question").log.expect("asks the log");
        let sought = Sought::new(query.clone());
        let mut one = LogIndex::of(sought.clone());
        for (seq, event) in (1..).zip(events.clone()) {
            one.take(counted(
                LogEntry { seq, tick: seq * 100, at_ms: seq as i64 * HOUR_MS, input: seq, event },
                Some(&sought),
            ));
        }
        assert_eq!(one.answer(), whole.find(&query), "{text}");
        answered += usize::from(!one.answer().is_empty());
        // "well" is in all of them.
        let holds_few = matches!(text, "rope" | "in:facts since:#900" | "from:meg lid" | "in:journal until:400t");
        assert!(!holds_few || one.len() < whole.len() / 2, "{text}: {} of {}", one.len(), whole.len());
    }
    assert!(answered > 12, "{answered}");
}

#[test]
fn who_reads_a_part_of_a_log_finds_it_as_if_there_were_no_more() {
    let open = || vec![goal("Mend the bridge", None), Event::NoteAdd { text: "The bridge has a toll.".into() }];
    let secret = [
        Event::JournalAdd { text: "I fear the bridge.".into(), source: Trust::Seen, importance: 5 },
        Event::MemorySet { path: "bridge.builder".into(), value: "Bob".into(), weight: None },
        Event::GuidelineSet { text: "Never cross a bridge".into(), reason: "trolls".into() },
        Event::FactAdd { text: "The bridge is old; amaranth.".into() },
        heard("Bob", "The bridge is watched."),
        Event::TaskSet { text: "cross the bridge".into() },
    ];
    let scopes = Some(vec![Scope::Goals, Scope::Notes]);
    let hits = |events: Vec<Event>, words: &str| {
        let query = LogQuery { words: words.into(), all: true, scopes: scopes.clone(), ..LogQuery::default() };
        let sought = Sought::new(query);
        let mut index = LogIndex::of(sought.clone());
        for (seq, event) in (1..).zip(events) {
            let entry = LogEntry { seq, tick: seq * 100, at_ms: seq as i64 * HOUR_MS, input: seq, event };
            index.take(counted(entry, Some(&sought)));
        }
        index.answer()
    };
    let with_secrets: Vec<Event> = open().into_iter().chain(secret).collect();
    for words in ["bridge", "", "amaranth bridge", "trolls bridge toll", "watched", "amaranth"] {
        // What is not shared moves no score, and hides nothing: it cannot be guessed at by asking.
        assert_eq!(hits(with_secrets.clone(), words), hits(open(), words), "{words}");
    }
    assert_eq!(hits(with_secrets, "bridge").iter().map(|hit| hit.seq).collect::<Vec<_>>().len(), 2);
}
