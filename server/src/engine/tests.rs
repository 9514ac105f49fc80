//! The engine with readers that tests make up.

use super::*;
use crate::capture::Writer;
use crate::outbox::Close;
use crate::session::{class_of, race_of};
use crate::store::testing::Place;
use crate::times::WallClock;
use std::task::{Context, Wake, Waker};
use world::rng::Dice;
use world::rules::creation::{self, Choices};

async fn engine() -> (Arc<Engine>, Place) {
    let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
    let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
    let world = World::new(Arc::new(content), Arc::new(world::rules::Rules::built_in()), 7);
    let place = Place::sqlite();
    let store = place.open().await;
    let capture = Capture::new(Writer::new(store.clone()));
    (Engine::new(world, Saver::new(store.clone()), Minds::new(store.clone()), capture, None, WallClock::Machine), place)
}

/// Brings somebody in, a human warrior.
async fn enter(engine: &Arc<Engine>, name: &str, outbox: &Arc<Outbox>) -> (CharacterId, SessionId) {
    let mut dice = Dice::new(1, 2, 3, 4);
    let (race, class) = (race_of(0).expect("there are humans"), class_of(3).expect("there are warriors"));
    let rules = engine.with_world(|world| world.rules.clone());
    let abilities = creation::roll_abilities(&rules, race, class, &mut dice);
    let choices = Choices { race, class, abilities, ..Choices::plain(name) };
    let mut entry = Entry {
        name: name.to_string(),
        record: Some(Box::new(creation::newborn(&rules, &choices, &mut dice))),
        agent: false,
        session: engine.open_session(outbox),
        key: None,
        facts: Arc::default(),
        freshness: Freshness::default(),
        wants: Wants::LINES,
        token: None,
        world: None,
        stream: None,
        motd: String::new(),
        memories: Vec::new(),
        yields: false,
        resumed: false,
        away: false,
        reads: Reads::default(),
    };
    let session = entry.session;
    loop {
        match engine.enter(entry.clone()).await.expect("it runs") {
            Entered::As(who) => return (who, session),
            Entered::NotHere(freshness) => entry.freshness = freshness,
            _ => panic!("{name} does not get in"),
        }
    }
}

/// A session that fails the moment that it is told of something.
struct Broken;

impl Wake for Broken {
    fn wake(self: Arc<Self>) {
        panic!("this session is broken");
    }
}

fn texts(outbox: &Outbox) -> String {
    let taken = outbox.take();
    let line = |out: crate::outbox::Out| match out {
        crate::outbox::Out::Line(shared) => shared.line.text.clone(),
        _ => String::new(),
    };
    taken.items.into_iter().map(line).collect::<Vec<_>>().join("|")
}

#[tokio::test]
async fn what_fails_while_a_batch_is_released_costs_nobody_else_anything() {
    let (engine, _place) = engine().await;
    let (ann, bob) = (Arc::new(Outbox::new(100_000)), Arc::new(Outbox::new(100_000)));
    let (who, session) = enter(&engine, "Ann", &ann).await;
    enter(&engine, "Bob", &bob).await;
    drop((texts(&ann), texts(&bob)));
    let mut ready = Box::pin(ann.ready());
    let waker = Waker::from(Arc::new(Broken));
    assert!(ready.as_mut().poll(&mut Context::from_waker(&waker)).is_pending());
    engine.command(who, session, "say one".into(), CommandNote::default());
    assert_eq!(engine.stats.releases_given_up.load(Ordering::Relaxed), 1);
    assert!(texts(&bob).contains("Ann says, \"one\""), "the others read what she said");
    drop(ready);
    // The world goes on, for her too, and everything still ends.
    engine.command(who, session, "say two".into(), CommandNote::default());
    assert!(texts(&ann).contains("You say, \"two\""));
    assert!(texts(&bob).contains("Ann says, \"two\""));
    assert_eq!(engine.step(1).await, Some(1));
    assert_eq!(engine.stats.inputs_given_up.load(Ordering::Relaxed), 0);
    tokio::time::timeout(Duration::from_secs(10), engine.stop(Close::Stopping)).await.expect("it ends");
}

/// With 980 people in one room a tick came up to four seconds late: the runtime had too much to do to see its timers.
#[tokio::test]
async fn ticks_come_while_the_runtime_is_busy() {
    let (engine, _place) = engine().await;
    let ticking = tokio::spawn(engine.clone().tick_steadily(Duration::from_millis(5)));
    let tick = || engine.stats.tick.load(Ordering::Relaxed);
    let deadline = std::time::Instant::now() + Duration::from_secs(30);
    while tick() == 0 && std::time::Instant::now() < deadline {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    // The one thread of the runtime is taken from here on, and no timer of it can fire.
    let before = tick();
    while tick() < before + 3 && std::time::Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(tick() >= before + 3, "{} ticks after {before}", tick() - before);
    ticking.abort();
    assert!(ticking.await.expect_err("it was ended").is_cancelled());
    tokio::time::timeout(Duration::from_secs(10), engine.stop(Close::Stopping)).await.expect("it ends");
}
