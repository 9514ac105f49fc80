//! Commands of a world on a stage, and what the database has of them afterwards.

use super::*;
use crate::client_info::ClientInfo;
use crate::store::decision_archives;
use crate::store::decisions::{self, Cursor, Decision};
use crate::store::testing::Place;
use std::sync::atomic::Ordering;
use std::time::Duration;
use world::record::CharacterRecord;
use world::rules::Rules;
use world::{Admin, Input};

/// A world with one agent in it, and the two parts of the capture around it.
struct Stage {
    world: World,
    ada: CharacterId,
    facts: Arc<SessionFacts>,
    capture: Capture,
    writer: Arc<Writer>,
}

impl Stage {
    async fn open(place: &Place) -> Stage {
        let writer = Writer::new(place.open().await);
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
        let (content, _) = crate::content_files::read_world(&folder, None).unwrap();
        let rules = Arc::new(Rules::built_in());
        let mut world = World::new(Arc::new(content), rules.clone(), 1);
        world.capture = Whose::Agents;
        let ada = world.apply(&Input::Enter { record: Box::new(newborn(&rules)), agent: true }).entered.unwrap();
        let facts = Arc::new(SessionFacts { name: "ada".into(), ..SessionFacts::default() });
        Stage { world, ada, facts, capture: Capture::new(writer.clone()), writer }
    }

    fn command(&mut self, line: &str) {
        let mut report = self.world.apply(&Input::Command { who: self.ada, line: line.into() });
        let came = Instant::now();
        let origin = Origin { who: self.ada, came, facts: self.facts.clone(), meta: None };
        self.capture.note(&self.world, &mut report, 1_000, Some(origin));
        assert_eq!(report.ran, []);
        self.capture.release();
    }

    fn apply(&mut self, input: Input) {
        let mut report = self.world.apply(&input);
        self.capture.note(&self.world, &mut report, 2_000, None);
        self.capture.release();
    }

    fn waiting(&self) -> usize {
        self.capture.waiting.values().map(VecDeque::len).sum()
    }
}

fn newborn(rules: &Rules) -> CharacterRecord {
    use world::rules::creation::{self, Choices};
    let choices = Choices { agent: true, ..Choices::plain("Ada") };
    creation::newborn(rules, &choices, &mut world::rng::Dice::new(1, 2, 3, 4))
}

async fn recorded(place: &Place) -> Vec<Decision> {
    decision_archives::page(&place.open().await, "ada", Cursor::from(0), i64::MAX, 1_000_000).await.unwrap()
}

#[tokio::test]
async fn what_no_queue_holds_any_more_is_forgotten() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    stage.world.lag(stage.ada, 2);
    stage.command("alias go look;look");
    for _ in 0..5 {
        stage.command("look");
    }
    assert_eq!(stage.waiting(), 6);
    stage.apply(Input::Tick);
    assert_eq!(stage.waiting(), 6, "they wait still");
    stage.apply(Input::Tick);
    assert_eq!(stage.waiting(), 0, "they were run");

    // Beyond the queue's bound nothing is kept.
    stage.world.lag(stage.ada, 2);
    for _ in 0..40 {
        stage.command("look");
    }
    assert_eq!(stage.waiting(), world::world::QUEUE_MAX);
    stage.world.die(stage.ada, None, "a fall");
    stage.apply(Input::Tick);
    assert_eq!(stage.waiting(), 0, "a death clears the queue");

    stage.world.lag(stage.ada, 9);
    stage.command("go");
    assert_eq!(stage.waiting(), 1, "both parts of an alias came by one input");
    stage.apply(Input::Admin(Admin::Remove { who: stage.ada, reason: "".into() }));
    stage.apply(Input::Tick);
    assert_eq!((stage.waiting(), stage.capture.waiting.len()), (0, 0), "nobody is there to run them");
}

#[tokio::test]
async fn what_waited_over_a_restart_is_recorded_without_a_latency() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    stage.world.lag(stage.ada, 1);
    stage.command("look");
    // The queue is in the state; who sent what is not.
    stage.capture = Capture::new(stage.writer.clone());
    stage.apply(Input::Tick);
    tokio::spawn(stage.writer.clone().run());
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let rows = recorded(&place).await;
    assert_eq!(rows.len(), 1);
    assert_eq!((&*rows[0].command, rows[0].at, rows[0].latency_us), ("look", 2_000, None));
}

#[tokio::test]
async fn one_characters_rows_are_waited_for_and_no_others() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    stage.command("look");
    // Nobody writes yet, as if others had much to be written.
    assert!(stage.writer.drain_of("Somebody", Duration::from_secs(20)).await);
    assert!(!stage.writer.drain_of(&stage.facts.name, Duration::from_millis(100)).await, "it waits");
    tokio::spawn(stage.writer.clone().run());
    assert!(stage.writer.drain_of(&stage.facts.name, Duration::from_secs(20)).await);
    assert_eq!(recorded(&place).await.len(), 1);
}

#[tokio::test]
async fn the_oldest_are_dropped_where_too_much_waits_and_counted() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    let note = "n".repeat(1 << 20);
    for n in 0..100 {
        let mut report = stage.world.apply(&Input::Command { who: stage.ada, line: "look".into() });
        let meta = Some(Arc::new(Meta { source: Some(note.as_str().into()), ..Meta::default() }));
        let (who, facts) = (stage.ada, stage.facts.clone());
        let origin = Origin { who, came: Instant::now(), facts, meta };
        stage.capture.note(&stage.world, &mut report, n, Some(origin));
        stage.capture.release();
    }
    let dropped = stage.writer.dropped.load(Ordering::Relaxed);
    assert!((30..50).contains(&dropped), "of 100 MB at most 64 wait: {dropped}");
    assert_eq!(stage.writer.backlog() as u64, 100 - dropped);
    tokio::spawn(stage.writer.clone().run());
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let rows = recorded(&place).await;
    assert_eq!(rows.first().map(|row| row.at), Some(dropped as i64), "the newest are there");
    assert_eq!(rows.len() as u64, stage.writer.queue.written.load(Ordering::Relaxed));
}

#[tokio::test]
async fn a_row_that_the_database_will_not_have_is_the_only_one_lost() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    decisions::refuse_command(&place.open().await, "poison").await;
    let log = crate::logging::testing::overhear();
    for line in ["look", "score", "poison the old well at midnight", "look", "who"] {
        stage.command(line);
    }
    tokio::spawn(stage.writer.clone().run());
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let log = log.text();
    assert!(log.contains("a decision is lost") && log.contains("name=ada"), "it says whose is lost:\n{log}");
    assert!(!log.contains("midnight"), "the words are the player's own:\n{log}");
    let rows = recorded(&place).await;
    assert_eq!(rows.iter().map(|row| &*row.command).collect::<Vec<_>>(), ["look", "score", "look", "who"]);
    assert_eq!(stage.writer.dropped.load(Ordering::Relaxed), 1);
    assert_eq!(stage.writer.backlog(), 0);
    assert_eq!(stage.writer.queue.aside(), ["ada"]);
}

#[tokio::test]
async fn what_a_client_says_of_itself_is_stored_once_for_its_session() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    let store = place.open().await;
    let model: Arc<str> = storable(&"m".repeat(15_000));
    let new = crate::store::sessions::NewSession {
        name: "ada".into(),
        client: ClientInfo { model: Some(model.to_string()), ..ClientInfo::default() },
        ..Default::default()
    };
    let session = crate::store::sessions::begin(&store, &new).await.unwrap();
    let facts = |record: std::sync::OnceLock<i64>| {
        Arc::new(SessionFacts { name: "ada".into(), model: Some(model.clone()), record, ..SessionFacts::default() })
    };
    stage.facts = facts(session.into());
    stage.command(&format!("say {}", "y".repeat(2_000)));
    // The record of the session comes a moment after its first command may.
    stage.facts = facts(std::sync::OnceLock::new());
    stage.command("look");
    tokio::spawn(stage.writer.clone().run());
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let rows = recorded(&place).await;
    let wanted = "m".repeat(crate::client_info::CLIENT_TEXT_MAX);
    assert!(rows.iter().all(|row| row.model.as_deref() == Some(&wanted)), "whoever reads finds it in every row");
    assert_eq!(decisions::texts_in_rows(&store).await, 1, "the table has it only where no session does");
    assert_eq!(rows[0].args.chars().count(), 512, "endless arguments are cut");
}

#[tokio::test]
async fn capture_stops_before_the_disk_is_full_and_goes_on_when_there_is_room() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    tokio::spawn(stage.writer.clone().run());
    let free = std::sync::atomic::AtomicU64::new(5 << 30);
    let look = |writer: &Writer| room::judge(writer, Some(free.load(Ordering::Relaxed)), 1 << 30);
    look(&stage.writer);
    stage.command("look");
    free.store((1 << 30) - 1, Ordering::Relaxed);
    look(&stage.writer);
    stage.command("score");
    stage.command("who");
    assert!(stage.writer.paused.load(Ordering::Relaxed));
    assert_eq!(stage.writer.skipped.load(Ordering::Relaxed), 2);
    // Not at once when a byte is free again: it would stop and start with every write.
    free.store((1 << 30) + 1, Ordering::Relaxed);
    look(&stage.writer);
    assert!(stage.writer.paused.load(Ordering::Relaxed));
    free.store(2 << 30, Ordering::Relaxed);
    look(&stage.writer);
    stage.command("look");
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let rows = recorded(&place).await;
    assert_eq!(rows.iter().map(|row| &*row.command).collect::<Vec<_>>(), ["look", "look"]);
    room::judge(&stage.writer, None, 1 << 30);
    assert!(!stage.writer.paused.load(Ordering::Relaxed), "a disk that cannot be asked stops nothing");
}

#[tokio::test]
async fn what_a_mind_refuses_is_recorded_as_refused() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    // Two requests of one line that only ask have the same number, and are told apart by their order.
    let note = |stage: &mut Stage, line: &str| {
        let mut report = stage.world.apply(&Input::Command { who: stage.ada, line: line.into() });
        let (who, facts) = (stage.ada, stage.facts.clone());
        let origin = Origin { who, came: Instant::now(), facts, meta: None };
        stage.capture.note(&stage.world, &mut report, 1_000, Some(origin));
        let asked: Vec<u64> = report.requests.iter().map(first_of).collect();
        let verdicts = asked.into_iter().map(|first| stage.capture.verdict(stage.ada, first)).collect::<Vec<_>>();
        stage.capture.release();
        verdicts
    };
    note(&mut stage, "alias ask history;hud;look");
    let both = note(&mut stage, "ask");
    let [Some(history), Some(hud)] = &both[..] else { panic!("{both:?}") };
    history.tell(Some("How many entries?"));
    hud.tell(None);
    let long = note(&mut stage, "note one");
    long[0].as_ref().expect("it is recorded").tell(Some(&"é".repeat(9_000)));
    // Nobody answers this one, and nobody will; the next is answered while it waits.
    drop(note(&mut stage, "recall"));
    let late = note(&mut stage, "task sing");
    let beside = note(&mut stage, "look");
    assert!(beside.is_empty());
    tokio::spawn(stage.writer.clone().run());
    let deadline = Instant::now() + Duration::from_secs(20);
    while stage.writer.queue.written.load(Ordering::Relaxed) < 7 {
        assert!(Instant::now() < deadline, "rows that wait for nobody are written");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    late[0].as_ref().expect("it is recorded").tell(Some("Not now."));
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let rows = recorded(&place).await;
    let told: Vec<(&str, Option<&str>)> = rows.iter().map(|row| (&*row.command, row.error.as_deref())).collect();
    let cut = "é".repeat(REASON_MAX);
    let wanted = [
        ("alias", None),
        ("history", Some("How many entries?")),
        ("hud", None),
        ("look", None),
        ("note", Some(&*cut)),
        ("recall", None),
        ("task", Some("Not now.")),
        ("look", None),
    ];
    assert_eq!(told, wanted);
}

fn first_of(request: &Request) -> u64 {
    match request {
        Request::Mind(request) => request.first,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn a_row_waits_for_a_mind_no_longer_than_it_may() {
    let place = Place::sqlite();
    let mut stage = Stage::open(&place).await;
    let mut report = stage.world.apply(&Input::Command { who: stage.ada, line: "note one".into() });
    let (who, facts, came) = (stage.ada, stage.facts.clone(), Instant::now());
    stage.capture.note(&stage.world, &mut report, 1_000, Some(Origin { who, came, facts, meta: None }));
    let _never_told = stage.capture.verdict(who, first_of(&report.requests[0])).expect("it is recorded");
    stage.capture.release();
    tokio::spawn(stage.writer.clone().run());
    assert!(!stage.writer.drain(Duration::from_millis(500)).await, "it waits");
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    assert_eq!(recorded(&place).await[0].error, None);
}

#[tokio::test]
async fn nothing_is_lost_while_the_database_is_locked() {
    let place = Place::sqlite();
    let options = crate::store::StoreOptions { busy_ms: 20, ..Default::default() };
    let mut stage = Stage::open(&place).await;
    stage.writer = Writer::new(crate::store::Store::connect(&place.address, &options).await.unwrap());
    stage.capture = Capture::new(stage.writer.clone());
    let lock = decisions::lock(&place.open().await).await;
    stage.command("look");
    tokio::spawn(stage.writer.clone().run());
    assert!(!stage.writer.drain(Duration::from_millis(300)).await);
    stage.command("score");
    assert!(stage.writer.queue.failures.load(Ordering::Relaxed) > 0);
    lock.rollback().await.unwrap();
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let rows = recorded(&place).await;
    assert_eq!(rows.iter().map(|row| &*row.command).collect::<Vec<_>>(), ["look", "score"]);
    assert_eq!(stage.writer.dropped.load(Ordering::Relaxed), 0);
}

#[test]
fn the_notes_of_a_client_are_kept_whole() {
    let text = |text: &str| Some(Arc::<str>::from(text));
    let (memory_ids, source, rest) = (text(r#"[1,"b"]"#), text("reflex"), text(r#"{"why":"fear"}"#));
    let model = text("stub");
    for (meta, kept) in [
        (
            serde_json::json!({"memory_ids": [1, "b"], "source": "reflex", "model": "stub", "why": "fear"}),
            Meta { memory_ids, source, model, rest },
        ),
        (serde_json::json!({"memory_ids": null, "source": 5}), Meta { source: text("5"), ..Meta::default() }),
        (serde_json::json!({"memory_ids": "x"}), Meta { memory_ids: text("\"x\""), ..Meta::default() }),
        (serde_json::json!({"source": "a\0b"}), Meta { source: text("ab"), ..Meta::default() }),
        (serde_json::json!([1]), Meta { rest: text("[1]"), ..Meta::default() }),
        (serde_json::json!({}), Meta::default()),
    ] {
        assert_eq!(Meta::of(meta.clone()), kept, "{meta}");
    }
}

/// What the export of all columns says of rows that the store has.
async fn exported(store: &crate::store::Store, until: i64) -> Vec<serde_json::Value> {
    use super::export::{Columns, DecisionsArgs, Format, export};
    let (format, columns) = (Format::Jsonl, Columns::All);
    let which = DecisionsArgs { name: "ada".into(), since: None, until: None, format, columns };
    let mut out = Vec::new();
    export(store, &which, i64::MIN, until, &mut out).await.unwrap();
    String::from_utf8(out).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn what_comes_of_a_deed_belongs_to_the_decision_and_not_to_a_question_of_the_harness() {
    let place = Place::sqlite();
    let store = place.open().await;
    let mut stage = Stage::open(&place).await;
    stage.command("look");
    tokio::spawn(stage.writer.clone().run());
    assert!(stage.writer.drain(Duration::from_secs(20)).await);
    let sample = recorded(&place).await.remove(0);
    let row = |number: i64, source: &str, exp: i64| Decision {
        at: 10_000 + number,
        number,
        source: Some(source.into()),
        pre_exp: Some(exp),
        post_exp: Some(exp),
        ..sample.clone()
    };
    // It attacks; the rat dies between two questions of the program itself, and another after the last decision.
    let rows = [
        row(101, "retrieval", 0),
        row(102, "model", 5),
        row(103, "retrieval", 5),
        row(104, "harness", 35),
        row(105, "policy", 40),
        row(106, "retrieval", 90),
    ];
    decisions::insert(&store, &rows, &mut decisions::KnownSpans::default()).await.unwrap();
    let earned = |rows: &[serde_json::Value]| -> Vec<i64> {
        rows.iter()
            .filter(|row| row["input"] != sample.number)
            .map(|row| row["reward"]["exp"].as_i64().unwrap())
            .collect()
    };
    assert_eq!(earned(&exported(&store, i64::MAX).await), [0, 35, 0, 0, 50, 0]);
    assert_eq!(
        earned(&exported(&store, 10_104).await),
        [0, 35, 0],
        "what is asked for may end before the next decision"
    );
}
