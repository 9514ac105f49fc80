//! `/health`: whether all is well, and what is not.
//!
//! One function for each part of the server that can be in trouble; it tells its facts, and adds a sentence to the
//! reasons if something is wrong. A part that comes later gets a function of its own and a line in
//! [`look`]. Invariants: asking never waits for the engine, and for the database a bounded time (`pulse.rs`); no
//! sentence holds an address, a path or a secret, because anybody may read them.

use crate::lobby::Lobby;
use serde_json::{Value, json};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// So far behind its schedule the world is in trouble: people notice.
const LAG_MAX: Duration = Duration::from_secs(1);
/// How it goes: the JSON of `/health`, and whether all is well.
pub struct Health {
    pub well: bool,
    pub report: Value,
}

/// Looks at all parts.
pub async fn look(lobby: &Lobby) -> Health {
    let mut reasons: Vec<String> = Vec::new();
    // These come first: they are what a person looks for. `serde_json` keeps the order.
    let mut report = json!({
        "status": null,
        "reasons": null,
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": lobby.counts.began.elapsed().as_secs(),
    });
    ticking(lobby, &mut report, &mut reasons);
    store(lobby, &mut report, &mut reasons).await;
    minds(lobby, &mut report, &mut reasons);
    archive(lobby, &mut report, &mut reasons);
    dreams(lobby, &mut report, &mut reasons);
    log_archives(lobby, &mut report, &mut reasons);
    exports(lobby, &mut report, &mut reasons);
    decisions(lobby, &mut report, &mut reasons);
    journal(lobby, &mut report, &mut reasons);
    scripts(lobby, &mut report, &mut reasons);
    let well = reasons.is_empty();
    report["status"] = if well { "ok" } else { "degraded" }.into();
    report["reasons"] = reasons.into();
    Health { well, report }
}

fn ticking(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let stats = &lobby.engine.stats;
    let lag = stats.lag(Instant::now());
    if lobby.engine.is_stopping() {
        reasons.push("The server is stopping.".into());
    } else if lag > LAG_MAX {
        reasons.push(format!("The world is {} ms behind its schedule.", lag.as_millis()));
    }
    report["tick"] = stats.tick.load(Ordering::Relaxed).into();
    report["lag_ms"] = (lag.as_millis() as u64).into();
    report["late_ticks"] = stats.late_ticks.load(Ordering::Relaxed).into();
    report["tick_us"] = stats.tick_us.load(Ordering::Relaxed).into();
    report["players"] = stats.players.load(Ordering::Relaxed).into();
    report["commands"] = stats.commands.load(Ordering::Relaxed).into();
    report["given_up"] = json!({
        "inputs": stats.inputs_given_up.load(Ordering::Relaxed),
        "releases": stats.releases_given_up.load(Ordering::Relaxed),
    });
    report["queue"] = lobby.engine.waiting().into();
}

fn scripts(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let facts = lobby.engine.stats.scripts();
    for script in &facts.stopped {
        reasons.push(format!("The script {} is stopped: {}.", script.file, script.why));
    }
    report["scripts"] = json!(facts);
}

async fn store(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let saver = &lobby.saver;
    let unsaved = saver.backlog();
    let failing = saver.queue.failing_for();
    let silent = lobby.pulse.trouble().await;
    if let Some(time) = failing {
        let why = saver.queue.last_error().unwrap_or_default();
        let seconds = time.as_secs();
        reasons.push(format!("{why} Nothing could be saved for {seconds} s; {unsaved} characters wait."));
    } else if let Some(why) = silent {
        reasons.push(why.into());
    }
    let aside = saver.queue.aside();
    if !aside.is_empty() {
        reasons.push(format!("The database refuses what is to be saved of {}; the log says why.", aside.join(", ")));
    }
    report["unsaved"] = unsaved.into();
    report["save_failures"] = saver.queue.failures.load(Ordering::Relaxed).into();
    report["store"] = json!({
        "answers": silent.is_none() && failing.is_none(),
        "unsaved": unsaved,
        "failing_s": failing.map(|time| time.as_secs()),
        "last_error": saver.queue.last_error(),
        "aside": aside,
    });
}

fn minds(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let minds = &lobby.engine.minds;
    let (waiting, failing) = (minds.backlog(), minds.queue.failing_for());
    if let Some(time) = failing {
        let why = minds.queue.last_error().unwrap_or_default();
        let seconds = time.as_secs();
        reasons.push(format!(
            "{why} No mind's log could be written for {seconds} s; {waiting} requests and records wait."
        ));
    }
    report["minds"] = json!({
        "waiting": waiting,
        "records": minds.recorded.load(Ordering::Relaxed),
        "records_waiting": minds.records_waiting(),
        "records_lost": minds.records_lost.load(Ordering::Relaxed),
        "failing_s": failing.map(|time| time.as_secs()),
        "lost": minds.lost.load(Ordering::Relaxed),
        "aside": minds.queue.aside(),
    });
}

fn archive(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let Some(archive) = lobby.archive.as_ref() else {
        report["archive"] = Value::Null;
        return;
    };
    let (queue, waiting) = (&archive.queue, archive.backlog());
    let failing = queue.failing_for();
    if let Some(time) = failing {
        let (why, seconds) = (queue.last_error().unwrap_or_default(), time.as_secs());
        reasons.push(format!("{why} Nothing that was said could be written for {seconds} s; {waiting} rows wait."));
    }
    report["archive"] = json!({
        "waiting": waiting,
        "written": queue.written.load(Ordering::Relaxed),
        "failures": queue.failures.load(Ordering::Relaxed),
        "failing_s": failing.map(|time| time.as_secs()),
        "lost": archive.lost.load(Ordering::Relaxed),
        "aside": queue.aside(),
    });
}

fn log_archives(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let Some(archiver) = &lobby.archiver else {
        report["log_archives"] = Value::Null;
        return;
    };
    let failing = archiver.failing.load(Ordering::Relaxed);
    if failing > 0 {
        reasons.push(format!("Old entries of {failing} logs could not be archived; the log says why."));
    }
    report["log_archives"] = json!({
        "files": archiver.files.load(Ordering::Relaxed),
        "entries": archiver.entries.load(Ordering::Relaxed),
        "failures": archiver.failures.load(Ordering::Relaxed),
        "failing": failing,
    });
}

fn dreams(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let Some(dreams) = &lobby.dreams else {
        report["dreams"] = Value::Null;
        return;
    };
    let status = dreams.status();
    let time = |unix_ms: i64| crate::times::rfc3339_ms(unix_ms);
    if let Some(night) = status.last.as_ref().filter(|night| night.failures > 0) {
        let failures = night.failures;
        reasons.push(format!("In the last night {failures} dreams failed or left no files; the log says why."));
    }
    if let Some(night) = status.last.as_ref().filter(|night| night.unreadable > 0) {
        let count = night.unreadable;
        reasons.push(format!(
            "In the last night {count} entries of logs were found that cannot be read; the log says which."
        ));
    }
    report["dreams"] = json!({
        "last": status.last.as_ref().map(|night| json!({
            "began": time(night.began_ms),
            "seconds": night.seconds,
            "characters": night.characters,
            "failures": night.failures,
            "unreadable": night.unreadable,
            "left": night.left,
        })),
        "under_way": status.under_way,
        "next": status.next_ms.map(time),
    });
}

fn exports(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let Some(exports) = &lobby.exports else {
        report["exports"] = Value::Null;
        return;
    };
    let failing = exports.failing();
    if failing {
        reasons.push("The files of agents' sessions cannot be written; the log says why.".into());
    }
    report["exports"] = json!({
        "failing": failing,
        "written": exports.files.load(Ordering::Relaxed),
        "failures": exports.queue.failures.load(Ordering::Relaxed),
        "aside": exports.queue.aside(),
    });
}

fn decisions(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let writer = &lobby.engine.decisions;
    let paused = writer.paused.load(Ordering::Relaxed);
    if paused {
        reasons
            .push("The disk is nearly full: commands are not recorded until there is room; the world goes on.".into());
    }
    report["decisions"] = json!({
        "waiting": writer.backlog(),
        "paused": paused,
        "skipped": writer.skipped.load(Ordering::Relaxed),
        "dropped": writer.dropped.load(Ordering::Relaxed),
        "aside": writer.queue.aside(),
    });
}

fn journal(lobby: &Lobby, report: &mut Value, reasons: &mut Vec<String>) {
    let Some(gauges) = &lobby.engine.journal else {
        report["journal"] = Value::Null;
        return;
    };
    let stuck = gauges.stuck.load(Ordering::Relaxed);
    let low = gauges.low.load(Ordering::Relaxed);
    if gauges.unsynced.load(Ordering::Relaxed) {
        reasons.push("The disk has not kept what was written to the journal; a snapshot is made in its place.".into());
    }
    if stuck {
        reasons.push("The journal cannot be written: the world stands still until it can.".into());
    }
    if low {
        reasons.push("The disk of the state folder is nearly full: nobody new is let in.".into());
    }
    let made_ms = gauges.snapshot_ms.load(Ordering::Relaxed);
    let age_s = (made_ms > 0).then(|| (crate::times::unix_ms() - made_ms).max(0) / 1_000);
    report["journal"] = json!({
        "stuck": stuck,
        "unsynced": gauges.unsynced.load(Ordering::Relaxed),
        "disk_low": low,
        "bytes": gauges.bytes_total.load(Ordering::Relaxed),
        "write_failures": gauges.write_failures.load(Ordering::Relaxed),
        "snapshot_age_s": age_s,
        "snapshot_failures": gauges.snapshot_failures.load(Ordering::Relaxed),
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::Accounts;
    use crate::capture::{Capture, Writer};
    use crate::engine::Engine;
    use crate::limits::Limits;
    use crate::minds::Minds;
    use crate::saver::Saver;
    use crate::store::Store;
    use crate::store::testing::Place;
    use crate::times::WallClock;
    use std::sync::Arc;
    use world::World;

    async fn lobby(store: Store) -> Arc<Lobby> {
        let scene = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/scenes/green");
        let (content, _) = crate::content_files::read_world(&scene, None).expect("the scene is there");
        let world = World::new(Arc::new(content), Arc::new(world::rules::Rules::built_in()), 7);
        let saver = Saver::new(store.clone());
        let engine = Engine::new(
            world.clone(),
            saver.clone(),
            Minds::new(store.clone()),
            Capture::new(Writer::new(store.clone())),
            None,
            WallClock::Machine,
        );
        Arc::new(Lobby::new(engine, Accounts::new(store), saver, Limits::default(), &world))
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
    async fn a_world_that_is_stuck_is_told_while_it_is() {
        let lobby = lobby(Place::sqlite().open().await).await;
        let ticking = tokio::spawn(lobby.engine.clone().tick_steadily(Duration::from_millis(20)));
        let (go_on, held) = std::sync::mpsc::channel::<()>();
        let engine = lobby.engine.clone();
        let stuck = std::thread::spawn(move || engine.with_world(|_| held.recv()));
        // Nobody can tick now, and the tick that comes late says nothing before it comes.
        let mut health = look(&lobby).await;
        let deadline = Instant::now() + Duration::from_secs(30);
        while health.well && Instant::now() < deadline {
            tokio::time::sleep(Duration::from_millis(20)).await;
            health = look(&lobby).await;
        }
        assert_eq!(health.report["status"], "degraded", "{}", health.report);
        let reason = health.report["reasons"][0].as_str().expect("there is a reason");
        assert!(reason.contains("behind its schedule"), "{reason}");
        assert!(health.report["lag_ms"].as_u64().is_some_and(|ms| ms >= 1_000), "{}", health.report);
        assert!(health.report["queue"].as_u64().is_some_and(|letters| letters > 0), "{}", health.report);
        go_on.send(()).expect("it waits for that");
        ticking.abort();
        stuck.join().expect("it only waited").expect("and was told to go on");
    }

    #[tokio::test]
    async fn metrics_that_are_asked_for_hundreds_of_times_are_made_a_few() {
        let lobby = lobby(Place::sqlite().open().await).await;
        let (page, now) = (crate::metrics::Page::default(), Instant::now());
        let pages: Vec<_> = (0..400).map(|_| page.at(now + Duration::from_millis(99), &lobby)).collect();
        let made: std::collections::BTreeSet<_> = pages.iter().map(|page| page.as_ptr()).collect();
        assert_eq!(made.len(), 8, "all are kept, so each made one has a place of its own");
        let later = page.at(now + Duration::from_millis(199), &lobby);
        assert!(!made.contains(&later.as_ptr()), "another tenth of a second");
    }

    #[tokio::test]
    async fn a_night_that_failed_is_told_until_one_does_not() {
        let place = Place::sqlite();
        let store = place.open().await;
        let mut lobby = Arc::into_inner(lobby(store.clone()).await).expect("nobody else has it yet");
        let folder = tempfile::tempdir().expect("a folder");
        let dreaming_dir = folder.path().join("dreams");
        std::fs::write(&dreaming_dir, "no folder").expect("written");
        let args = crate::dreams::DreamsArgs {
            dreaming_dir: None,
            dream_cron: "* * * * * *".parse().expect("a schedule"),
            dream_zone: "UTC".parse().expect("a zone"),
            night_minutes: 0,
        };
        let dreams = Arc::new(crate::dreams::Dreams::new(args, dreaming_dir.clone()));
        lobby.dreams = Some(dreams.clone());
        let record = dreaming::synthetic::Life::new(Default::default()).next().expect("a life is endless");
        let row = crate::dreams::tests::row("ann", &record);
        let torn = crate::store::agent_events::AgentEvent { name: "bob".into(), payload: "torn".into(), ..row.clone() };
        crate::store::agent_events::append(&store, &[row]).await.expect("written");
        let nights = tokio::spawn(dreams.run(store.clone()));
        let said = async |what: &str| {
            let deadline = Instant::now() + Duration::from_secs(30);
            loop {
                let health = look(&lobby).await;
                let why = health.report["reasons"][0].as_str().unwrap_or("well");
                if health.report["dreams"]["last"].is_object() && why.contains(what) && health.well == (what == "well")
                {
                    return health.report;
                }
                assert!(Instant::now() < deadline, "{}", health.report);
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let report = said("1 dreams failed").await;
        assert!(report["dreams"]["next"].is_string(), "{report}");
        let text = crate::metrics::render(&lobby);
        assert!(text.contains("dp_dreams_failures_total ") && !text.contains("dp_dreams_failures_total 0\n"), "{text}");
        std::fs::remove_file(&dreaming_dir).expect("removed");
        said("well").await;
        // What cannot be read is told in the night that finds it, and in no other.
        crate::store::agent_events::append(&store, &[torn]).await.expect("written");
        let report = said("1 entries of logs").await;
        assert_eq!(
            (&report["dreams"]["last"]["failures"], &report["dreams"]["last"]["unreadable"]),
            (&json!(0), &json!(1))
        );
        said("well").await;
        nights.abort();
    }

    #[tokio::test]
    async fn a_database_that_is_gone_is_told_although_nobody_saves() {
        let place = Place::sqlite();
        let store = place.open().await;
        let lobby = lobby(store.clone()).await;
        assert!(look(&lobby).await.well);
        store.close().await;
        // What is known is young.
        assert!(look(&lobby).await.well);
        lobby.pulse.forget();
        let health = look(&lobby).await;
        assert!(!health.well, "{}", health.report);
        assert_eq!(health.report["store"]["answers"], false, "{}", health.report);
    }
}
