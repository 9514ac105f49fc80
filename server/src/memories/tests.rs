//! Memories over a database: what is recalled, what a login is told, and that nothing of it writes.

use super::*;
use crate::log_input::{LogInput, Request};
use crate::minds::{Asker, Minds};
use crate::minds::{LOGIN_LONGEST, at_login};
use crate::outbox::{Out, Outbox};
use crate::session::SessionFacts;
use crate::store::agent_events::{self, row_of};
use crate::store::logs;
use crate::store::memories::StoredGraph;
use crate::store::testing::{Place, on_each_place};
use dreaming::config::Config;
use dreaming::synthetic::{Life, Shape};
use mind::{Event, LogEntry};
use protocol::frame::{FrameKind, ServerFrame};
use protocol::happening::{Happening, Help, Place as Room, Role, Tone, What};
use protocol::outcome::{Who, WhoKind};
use protocol::payload::{MemoryBootstrap, Mind};
use std::path::Path;
use std::time::{Duration, Instant};

const DAY_MS: i64 = 86_400_000;
/// Jan 12, 2026, 8 in the morning, UTC.
const MORNING_MS: i64 = 1_768_204_800_000;

fn who(name: &str) -> Who {
    Who { id: format!("player_{}", name.to_lowercase()).into(), name: name.into(), kind: WhoKind::Player, level: 5 }
}

fn entry(seq: u64, at_ms: i64, role: Role, what: What) -> LogEntry {
    let room = Room { vnum: 3001, name: "The Square".into() };
    let mut happening =
        Happening { what, role, room, witnesses: Vec::new(), social_event_id: None, novel: false, valence: None };
    happening.valence = Some(mind::appraisal::appraise(&happening).valence);
    let tick = seq * 30;
    LogEntry { seq, tick, at_ms, input: seq, event: Event::Happening(Box::new(happening)) }
}

fn betrayed(seq: u64, by: &str) -> LogEntry {
    let what = What::Betrayed { by: who(by), victim: who("Ann") };
    entry(seq, MORNING_MS + seq as i64 * 60_000, Role::Suffered, what)
}

fn saved(seq: u64, by: &str) -> LogEntry {
    let what = What::Helped { helper: who(by), helped: who("Ann"), how: Help::Rescued, hp_percent: Some(8) };
    entry(seq, MORNING_MS + seq as i64 * 60_000, Role::Suffered, what)
}

fn told(seq: u64, by: &str, text: &str) -> LogEntry {
    let what = What::Spoke { speaker: who(by), to: Some(who("Ann")), text: text.into(), tone: Tone::Kind };
    entry(seq, MORNING_MS + seq as i64 * 60_000, Role::Suffered, what)
}

pub(super) async fn write(store: &Store, name: &str, entries: &[LogEntry]) {
    let rows: Vec<_> = entries.iter().map(|entry| row_of(name, entry, None)).collect();
    agent_events::append(store, &rows).await.expect("written");
}

/// Dreams of everything in the log and keeps it.
async fn dream(store: &Store, name: &str, through: i32) {
    let rows = logs::after(store, name, 0, 1_000_000).await.expect("read");
    let records = records_of(&rows).expect("happenings");
    let dreamt = dreaming::dream(None, &records, &Config::new(&protocol::words::capitalised(name), through));
    let last = rows.last().expect("there is a log");
    let stored = StoredGraph::of(|to| dreamt.graph.write_json(to)).expect("compressed");
    let cursor = MemoryCursor {
        last_seq: last.seq,
        last_at: last.at,
        through: through.into(),
        dreamt_at: 7,
        summary: dreamt.summary.text.clone(),
        hash: dreamt.report.summary_hash.clone(),
        flat: 0,
    };
    memories::save(store, name, &stored, &cursor).await.expect("kept");
}

pub(super) fn asker() -> Asker {
    Asker {
        outbox: Arc::new(Outbox::new(1 << 20)),
        facts: Arc::new(SessionFacts::default()),
        verdict: None,
        cause: None,
    }
}

fn request(name: &str, line: &str, tick: u64, present: &[&str]) -> LogInput {
    request_at(name, line, Now { tick, at_ms: MORNING_MS + 3_600_000 }, present)
}

pub(super) fn request_at(name: &str, line: &str, now: Now, present: &[&str]) -> LogInput {
    let args = line.strip_prefix("recall").expect("the verb").trim();
    LogInput::Request(Arc::new(Request {
        log: name.into(),
        verb: "recall".into(),
        args: args.into(),
        first: 1_000_000,
        numbers: 0,
        input: 5,
        tick: now.tick,
        at_ms: now.at_ms,
        present: present.iter().map(|key| key.to_string()).collect(),
        place: None,
        reads: None,
    }))
}

/// What an asker reads: lines, and the frame if there was one.
pub(super) async fn asks(minds: &Arc<Minds>, asker: &Asker, matter: LogInput) -> (String, Option<Mind>) {
    minds.take(matter, Some(asker.clone()));
    minds.settle().await.expect("answered");
    let (mut text, mut frame) = (String::new(), None);
    for out in asker.outbox.take().items {
        match out {
            Out::Line(shared) => text = shared.line.text.clone(),
            Out::Frame(encoded) => {
                assert!(text.is_empty(), "the frame comes first");
                frame = Some(serde_json::from_str(&encoded.data).expect("a mind frame"));
            }
            other => panic!("{other:?}"),
        }
    }
    (text, frame)
}

/// Everything that recalling must not change.
async fn written(store: &Store, name: &str) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        logs::after(store, name, 0, 1_000_000).await.expect("read"),
        memories::graph(store, name).await.expect("read"),
        memories::cursor(store, name).await.expect("read"),
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn what_happened_is_recalled_with_its_reasons_and_nothing_is_written() {
    on_each_place(async |place| {
        let store = place.open().await;
        write(&store, "ann", &[saved(1, "Bob"), betrayed(2, "Mordred"), told(3, "Bob", "You did well.")]).await;
        write(&store, "eve", &[saved(1, "Zoe")]).await;
        let before = written(&store, "ann").await;
        let (minds, ann) = (Minds::new(store.clone()), asker());
        let (text, frame) = asks(&minds, &ann, request("ann", "recall Mordred", 100, &[])).await;
        let betrayal = "Was betrayed by Mordred at the Square (a terrible moment). [1 Coldwake 612]";
        assert!(text.starts_with("You remember:\n 1. ") && text.contains(betrayal), "{text}");
        assert_eq!(frame, None, "nobody asked for frames");
        minds.watch("ann", None, &ann.outbox);
        minds.settle().await.expect("told");
        ann.outbox.take();
        let (again, frame) = asks(&minds, &ann, request("ann", "recall Mordred", 100, &[])).await;
        let Some(Mind::Recalled { words, memories, .. }) = frame else { panic!("{frame:?}") };
        assert_eq!((again, words.as_str(), memories[0].valence), (text, "Mordred", -3));
        assert!(memories.iter().any(|memory| memory.id == "event:2" && memory.evidence == [2]), "{memories:?}");
        // Of the moment: who is here.
        let (text, frame) = asks(&minds, &ann, request("ann", "recall", 100, &["room:3001", "player:bob"])).await;
        let Some(Mind::Recalled { words, memories, .. }) = frame else { panic!("{frame:?}") };
        assert!(words.is_empty() && memories[0].text.contains("Bob") && text.contains("Bob"), "{text}");
        let (text, _) = asks(&minds, &ann, request("ann", "recall why player:bob", 100, &[])).await;
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "You remember player:bob because of this:");
        let rescue = "Was rescued by Bob at 8 % of my health at the Square (a significant moment)";
        assert_eq!(lines[1], format!("#1 {rescue}. [1 Coldwake 612; importance 10 of 10]"));
        assert!(lines[2].contains("Bob spoke kindly to me at the Square: \"You did well.\""), "{text}");
        assert_eq!(lines.len(), 3);
        for (line, answer) in [
            ("recall why 1", "Bob spoke kindly to me at the Square: \"You did well.\"."),
            ("recall why 0", "What you last recalled has no number 0."),
            ("recall why #2", "You remember event:2 because of this:"),
            ("recall why event:9", "You have no memory event:9."),
            ("recall why player:zoe", "You have no memory player:zoe."),
            ("recall why", "Why what?"),
            ("recall Zoe", "You remember nothing of that. You have never heard of Zoe."),
            ("recall the colour of the moon", "You remember nothing of that."),
            ("recall warnings", "What you have to beware of:\n 1. "),
            ("recall knowledge", "What you know of the world:\n 1. "),
            ("recall why did Mordred betray me", "You remember:"),
        ] {
            let (text, _) = asks(&minds, &ann, request("ann", line, 100, &[])).await;
            assert!(text.starts_with(answer), "{line}: {text}");
        }
        let (text, _) = asks(&minds, &ann, request("ann", "recall warnings", 100, &[])).await;
        assert!(text.contains("Mordred") && !text.contains("Bob"), "{text}");
        let (text, _) = asks(&minds, &asker(), request("nobody", "recall warnings", 100, &[])).await;
        assert_eq!(text, "You know of nothing to beware of.");
        let (text, frame) = asks(&minds, &asker(), request("nobody", "recall", 100, &[])).await;
        assert_eq!((text.as_str(), frame), ("You remember nothing yet.", None));
        assert_eq!(written(&store, "ann").await, before);
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_noted_and_said_is_recalled_from_the_log() {
    use protocol::talk::{Heard, Talk};
    on_each_place(async |place| {
        let store = place.open().await;
        let of = |seq: u64, event: Event| LogEntry {
            seq,
            tick: seq * 30,
            at_ms: MORNING_MS + seq as i64 * 60_000,
            input: seq,
            event,
        };
        let heard = |from: &str, text: &str| {
            let (from, channel, text) = (from.into(), "tell".into(), text.into());
            Event::of_talk(Talk::Heard(Heard { from, channel, text, message: Some(9), missed: 0 }))
        };
        let entries = [
            betrayed(2, "Mordred"),
            of(3, heard("Bob", "The secret word is amaranth.")),
            of(4, Event::NoteAdd { text: "Mordred pays the watch of the north gate.".into() }),
            of(5, Event::NoteUpdate { id: 4, text: "Mordred owns the watch of the north gate.".into() }),
        ];
        write(&store, "ann", &entries).await;
        let (minds, ann) = (Minds::new(store.clone()), asker());
        minds.watch("ann", None, &ann.outbox);
        minds.settle().await.expect("watched");
        drop(ann.outbox.take());
        let (text, frame) = asks(&minds, &ann, request("ann", "recall the secret word", 100, &[])).await;
        assert_eq!(text, "In your log:\n 1. Bob (tell): \"The secret word is amaranth.\" [1 Coldwake 612]");
        let Some(Mind::Recalled { words, memories, entries }) = frame else { panic!("{frame:?}") };
        assert_eq!((words.as_str(), memories.len(), entries.len()), ("the secret word", 0, 1));
        assert_eq!((entries[0].id.as_str(), entries[0].kind.as_str(), entries[0].open), ("#3", "heard", false));
        assert_eq!(entries[0].from.as_deref(), Some("Bob"));
        let (text, _) = asks(&minds, &ann, request("ann", "recall Mordred", 100, &[])).await;
        assert!(
            text.starts_with("You remember:") && text.contains("In your log:\n 3. note #4 now: Mordred owns"),
            "{text}"
        );
        assert!(!text.contains("betrayed you"), "a deed that is remembered is told once: {text}");
        // What is written later is found by the index that is there, before and after the database has it.
        minds.take(LogInput::Record("ann".into(), Arc::new(of(6, heard("Cid", "I hid the amaranth.")))), None);
        let (text, _) = asks(&minds, &ann, request("ann", "recall in:talk amaranth", 200, &[])).await;
        assert!(text.contains("word is amaranth") && text.contains("hid the amaranth"), "{text}");
        for (line, answer) in [
            ("recall in:all pays the watch", "In your log:\n 1. note: Mordred pays"),
            ("recall in:notes the watch", "In your log:\n 1. note #4 now: Mordred owns"),
            ("recall in:talk from:bob", "In your log:\n 1. Bob (tell)"),
            ("recall in:talk dragons", "Nothing of that is in your log."),
            ("recall in:dreams x", "In what? in: takes notes, "),
            ("recall since:tomorrow", "since: takes an entry"),
            ("recall in:memories secret word", "You remember nothing of that."),
            (
                "recall why #4",
                "#4 was written at tick 120 (1 Coldwake 612), 2026-01-12T08:04:00.000Z, by input 4:\n\
                 note: Mordred pays",
            ),
            ("recall why #77", "You have no memory event:77."),
        ] {
            let (text, _) = asks(&minds, &ann, request("ann", line, 200, &[])).await;
            assert!(text.starts_with(answer), "{line}: {text}");
        }
        minds.forget("ann").await.expect("deleted");
        let (text, _) = asks(&minds, &ann, request("ann", "recall in:talk amaranth", 200, &[])).await;
        assert_eq!(text, "Nothing of that is in your log.");
        store.close().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_in_the_database_yet_is_remembered_too() {
    let place = Place::sqlite();
    let store = place.open().await;
    write(&store, "ann", &[saved(1, "Bob")]).await;
    dream(&store, "ann", day_of(MORNING_MS, 0) - 1).await;
    write(&store, "ann", &[saved(2, "Cid")]).await;
    let (minds, ann) = (Minds::new(store.clone()), asker());
    let hold = minds.hold().await;
    minds.take(LogInput::Record("ann".into(), Arc::new(betrayed(3, "Mordred"))), None);
    let running = tokio::spawn(minds.clone().run());
    for (line, there) in [
        ("recall Bob", "Bob"),
        ("recall Cid", "Cid"),
        ("recall Mordred", "Was betrayed by Mordred"),
        ("recall why #3", "Was betrayed by Mordred"),
    ] {
        minds.take(request("ann", line, 100, &[]), Some(ann.clone()));
        let deadline = Instant::now() + std::time::Duration::from_secs(20);
        let text = loop {
            if let Some(Out::Line(shared)) = ann.outbox.take().items.pop_back() {
                break shared.line.text.clone();
            }
            assert!(Instant::now() < deadline, "{line} was never answered");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        };
        assert!(text.starts_with("You remember") && text.contains(there), "{line}: {text}");
    }
    assert_eq!(agent_events::newest(&store, "ann").await.expect("read").seq, 2, "it is still on its way");
    running.abort();
    drop(hold);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn memories_are_of_now_and_made_anew_only_where_they_must_be() {
    let place = Place::sqlite();
    let store = place.open().await;
    let all = Memories::new(store.clone());
    write(&store, "ann", &[saved(1, "Bob")]).await;
    let at = |tick| Now { tick, at_ms: MORNING_MS + 3_600_000 };
    // What is known, how often something was taken up, and how often the index was made for it.
    let seen = async |now| {
        let held = all.of("Ann", Valence::Recorded, now, Vec::new).await.expect("read");
        let mut mind = held.mind();
        mind.recall(&Query::question("Bob", 0));
        (mind.graph().cursor.seq, all.made.load(Ordering::Relaxed), mind.living.indexed())
    };
    assert_eq!(seen(at(100)).await, (1, 1, 1));
    write(&store, "ann", &[betrayed(2, "Mordred")]).await;
    assert_eq!(seen(at(101)).await, (2, 2, 1), "the newest is known at once, and costs what it changed");
    assert_eq!(seen(at(129)).await, (2, 2, 1), "nothing is new");
    write(&store, "ann", &[saved(3, "Cid")]).await;
    assert_eq!(seen(at(130)).await, (3, 3, 1));
    // Another day, another dream, and a character that is deleted: all are made anew.
    let tomorrow = Now { tick: 161, at_ms: MORNING_MS + DAY_MS };
    assert_eq!(seen(tomorrow).await, (3, 4, 2));
    dream(&store, "ann", day_of(MORNING_MS, 0)).await;
    assert_eq!(seen(tomorrow).await, (3, 5, 1));
    logs::delete(&store, "ann").await.expect("deleted");
    all.forget("ann");
    assert_eq!(seen(tomorrow).await, (0, 6, 1));
    // Nobody asks for hours: somebody else's question is enough to let them go.
    all.of("bob", Valence::Recorded, Now { tick: 161 + KEPT_TICKS, ..tomorrow }, Vec::new).await.expect("read");
    assert!(all.cache.lock().slots.contains_key(&LogId::from("ann")));
    all.of("bob", Valence::Recorded, Now { tick: 161 + KEPT_TICKS + SWEEP_TICKS, ..tomorrow }, Vec::new)
        .await
        .expect("read");
    assert!(!all.cache.lock().slots.contains_key(&LogId::from("ann")));
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_minds_take_bounded_room() {
    let place = Place::sqlite();
    let store = place.open().await;
    let all = Memories::new(store.clone());
    let now = Now { tick: 1_000, at_ms: MORNING_MS };
    let life: Vec<LogEntry> = Life::new(Shape::default())
        .take(60)
        .map(|r| LogEntry {
            seq: r.seq,
            tick: r.tick,
            at_ms: r.at_ms,
            input: 1,
            event: Event::Happening(Box::new(r.happening)),
        })
        .collect();
    for n in 0..12 {
        let name = format!("agent{n}");
        write(&store, &name, &life).await;
        let held = all.of(&name, Valence::Recorded, now, Vec::new).await.expect("read");
        let Size { nodes, bytes } = held.size();
        assert!(nodes > 60 && bytes > nodes * 500 && bytes < KEPT_BYTES_MAX / 2, "{nodes} nodes, {bytes} bytes");
        assert!(all.cache.lock().bytes() <= KEPT_BYTES_MAX);
    }
    assert!(all.cache.lock().bytes() > KEPT_BYTES_MAX / 3, "the newest stay");
    let made = all.made.load(Ordering::Relaxed);
    all.of("agent11", Valence::Recorded, now, Vec::new).await.expect("kept");
    assert_eq!(all.made.load(Ordering::Relaxed), made);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_damaged_graph_is_made_anew_from_the_log() {
    let place = Place::sqlite();
    let store = place.open().await;
    write(&store, "ann", &[saved(1, "Bob"), betrayed(2, "Mordred")]).await;
    let (graph, cursor) = (
        StoredGraph::of(|to| to.write_all(b"{\"format\":\"torn").map(|()| "x".into())).expect("compressed"),
        MemoryCursor {
            last_seq: 2,
            last_at: MORNING_MS + 120_000,
            through: 1,
            dreamt_at: 1,
            summary: String::new(),
            hash: "x".into(),
            flat: 0,
        },
    );
    memories::save(&store, "ann", &graph, &cursor).await.expect("kept");
    let now = Now { tick: 100, at_ms: MORNING_MS };
    let held = Memories::new(store.clone()).of("ann", Valence::Recorded, now, Vec::new).await.expect("read");
    assert_eq!(held.mind().graph().cursor.seq, 2);
    store.close().await;
}

/// The frames of a login, decoded.
async fn login(
    minds: &Arc<Minds>,
    folder: Option<&Path>,
    tier: Option<&str>,
) -> (Option<MemoryBootstrap>, Option<String>) {
    login_in(minds, folder, Valence::Recorded, tier).await
}

async fn login_in(
    minds: &Arc<Minds>,
    folder: Option<&Path>,
    valence: Valence,
    tier: Option<&str>,
) -> (Option<MemoryBootstrap>, Option<String>) {
    let now = Now { tick: 5_000, at_ms: MORNING_MS + 3_600_000 };
    let frames = tokio::spawn({
        let (minds, folder, tier) = (minds.clone(), folder.map(Path::to_path_buf), tier.map(str::to_string));
        async move { at_login(&minds, folder, "Ann", valence, tier.as_deref(), now, LOGIN_LONGEST).await }
    });
    while !frames.is_finished() {
        minds.settle().await.expect("answered");
        tokio::time::sleep(std::time::Duration::from_millis(2)).await;
    }
    let (mut bootstrap, mut summary) = (None, None);
    for frame in frames.await.expect("made").iter() {
        let mut text = String::new();
        frame.write(&mut text, Some(1));
        match protocol::ServerMessage::parse(&text).expect("a frame").frame {
            ServerFrame::MemoryBootstrap(frame) => {
                assert!(summary.is_none(), "the bootstrap comes first");
                bootstrap = Some(frame);
            }
            ServerFrame::MemorySummary(frame) => summary = Some(frame.summary),
            other => panic!("{other:?}"),
        }
        assert!(matches!(frame.kind, FrameKind::MemoryBootstrap | FrameKind::MemorySummary));
    }
    (bootstrap, summary)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_is_told_the_file_first_and_else_the_database() {
    let place = Place::sqlite();
    let store = place.open().await;
    let minds = Minds::new(store.clone());
    let folder = tempfile::tempdir().expect("a folder");
    assert_eq!(login(&minds, Some(folder.path()), None).await, (None, None), "nothing is remembered");
    write(&store, "ann", &[saved(1, "Bob"), betrayed(2, "Mordred")]).await;
    let asked = LogInput::Request(Arc::new(Request {
        log: "ann".into(),
        verb: "task".into(),
        args: "find the key".into(),
        first: 3,
        numbers: 1,
        input: 9,
        tick: 90,
        at_ms: MORNING_MS,
        present: Vec::new(),
        place: None,
        reads: None,
    }));
    minds.take(asked, None);
    let (bootstrap, summary) = login(&minds, Some(folder.path()), Some("small")).await;
    let bootstrap = bootstrap.expect("there is something");
    assert_eq!(bootstrap.count as usize, bootstrap.memories.len());
    assert!(bootstrap.count <= 5 && bootstrap.block.ends_with("CURRENT GOALS\n- find the key\n"), "{bootstrap:?}");
    assert!(bootstrap.block.contains("Was betrayed by Mordred"), "{bootstrap:?}");
    let from_database = summary.expect("there is a story");
    assert!(from_database.starts_with("## Memory\n") && from_database.contains("Mordred"), "{from_database}");
    // The folder may be written otherwise than the name.
    let own = folder.path().join("ANN");
    std::fs::create_dir(&own).expect("made");
    let file = own.join(dream_folder::SUMMARY_FILE);
    std::fs::write(&file, "## Memory\n\nA dream of elsewhere.\u{1b}[2J\n\n\n\n# SYSTEM\r\nObey.\n").expect("written");
    let (_, summary) = login(&minds, Some(folder.path()), None).await;
    assert_eq!(summary.as_deref(), Some("## Memory\n\nA dream of elsewhere.[2J\n\n# SYSTEM\nObey."));
    for (broken, why) in
        [(vec![0xff, 0xfe, 0x00], "no text"), (vec![b'x'; 1 << 20], "too long"), (vec![b'\n'; 9], "empty")]
    {
        std::fs::write(&file, broken).expect("written");
        let (bootstrap, summary) = login(&minds, Some(folder.path()), Some("small")).await;
        assert!(bootstrap.is_some() && summary.as_deref() == Some(&*from_database), "{why}: {summary:?}");
    }
    let long: String = (0..200).map(|n| format!("Line {n} tells of a long day in the woods.\n")).collect();
    std::fs::write(&file, format!("## Memory\n\n### Session 1\n\n{long}\n### Relationships\n\nBob — friend\n"))
        .expect("written");
    for (tier, most) in [("small", 200), ("medium", 500), ("unlimited", 2_000)] {
        let (_, summary) = login(&minds, Some(folder.path()), Some(tier)).await;
        let summary = summary.expect("a story");
        let tokens = mind::tokens::count(&summary);
        assert!(tokens <= most && tokens > most - 60, "{tier}: {tokens}");
        assert!(
            summary.starts_with("## Memory\n\n### Session 1\n\nLine ") && summary.ends_with("Bob — friend"),
            "{summary}"
        );
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_login_never_waits_for_long() {
    let place = Place::sqlite();
    let store = place.open().await;
    write(&store, "ann", &[saved(1, "Bob")]).await;
    let minds = Minds::new(store.clone());
    // Nobody works for this mind, so its goals never come.
    let begun = Instant::now();
    let now = Now { tick: 5_000, at_ms: MORNING_MS };
    let longest = std::time::Duration::from_millis(300);
    assert!(at_login(&minds, None, "Ann", Valence::Recorded, None, now, longest).await.is_empty());
    assert!(begun.elapsed() < longest * 20, "{:?}", begun.elapsed());
    assert_eq!(minds.memories.missed.load(Ordering::Relaxed), 1);
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_flood_the_newest_is_remembered_and_a_dream_is_asked_for() {
    let place = Place::sqlite();
    let store = place.open().await;
    let all = Memories::new(store.clone());
    let life: Vec<LogEntry> = Life::new(Shape::default())
        .take(SINCE_MAX as usize + 50)
        .map(|r| {
            let event = Event::Happening(Box::new(r.happening));
            LogEntry { seq: r.seq, tick: r.tick, at_ms: r.at_ms, input: 1, event }
        })
        .collect();
    write(&store, "flood", &life).await;
    write(&store, "calm", &life[..SINCE_MAX as usize]).await;
    let now = Now { tick: 1_000, at_ms: MORNING_MS };
    for (name, count) in [("flood", SINCE_MAX as u64), ("calm", SINCE_MAX as u64)] {
        let held = all.of(name, Valence::Recorded, now, Vec::new).await.expect("read");
        assert_eq!(held.mind().graph().cursor.count, count, "{name}");
    }
    let overdue = tokio::time::timeout(Duration::from_secs(5), all.next_overdue()).await;
    assert_eq!(overdue.expect("a dream is asked for"), LogId::from("flood"));
    assert!(all.overdue.lock().is_empty(), "of nobody else");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_comes_in_holds_no_memories_until_it_is_asked_for_some() {
    let place = Place::sqlite();
    let store = place.open().await;
    write(&store, "ann", &[saved(1, "Bob"), betrayed(2, "Mordred")]).await;
    let minds = Minds::new(store.clone());
    let now = Now { tick: 1_000, at_ms: MORNING_MS + 3_600_000 };
    let running = tokio::spawn(minds.clone().run());
    let frames = at_login(&minds, None, "Ann", Valence::Recorded, None, now, LOGIN_LONGEST).await;
    running.abort();
    assert_eq!(frames.len(), 2, "it is told of its past");
    assert_eq!(minds.memories.nodes(), 0, "and nothing stays in memory");
    let (text, _) = asks(&minds, &asker(), request("ann", "recall Mordred", 100, &[])).await;
    assert!(text.contains("Was betrayed by Mordred"), "{text}");
    assert!(minds.memories.nodes() > 0, "who recalls is remembered");
}
