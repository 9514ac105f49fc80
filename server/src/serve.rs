//! `dp-server run`: everything started in order, and stopped in the reverse.

use crate::accounts::Accounts;
use crate::args::{JournalMode, RunArgs};
use crate::beginning::{Begun, SERIAL_COUNTER, begin_world};
use crate::capture::{self, Capture};
use crate::content_files::read_world;
use crate::dreams::Dreams;
use crate::engine::Engine;
use crate::exports::{self, Exports};
use crate::journal::Gauges;
use crate::lobby::Lobby;
use crate::logging::Format;
use crate::minds::Minds;
use crate::outbox::Close;
use crate::restart::{self, Handover, Inherited, Program, Use};
use crate::saving::Saver;
use crate::state_dir::{Claim, Running, StateDir};
use crate::store::{Store, StoreOptions, meta, sessions};
use crate::times::unix_ms;
use crate::transports::{descriptors, http, http_server::HttpServer, telnet};
use anyhow::{Context, bail};
use content::{Content, Severity};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::sync::watch;

/// Serials that are set aside in the database at a time: none is ever used twice, even after a crash.
const SERIAL_BLOCK: i64 = 1 << 20;
/// How often it is looked whether the block will last.
const SERIAL_WATCH: Duration = Duration::from_secs(10);
/// How often the room on the disk is looked up.
const DISK_WATCH: Duration = Duration::from_secs(2);
/// How long calls of the admin API may take to be answered when the server ends.
const ANSWER_LONGEST: Duration = Duration::from_secs(1);
/// How long a stop waits for the last session files.
const EXPORT_LONGEST: Duration = Duration::from_secs(5);
/// How long a stop waits for the last saves.
const DRAIN_LONGEST: Duration = Duration::from_secs(20);

/// Reads the world that the arguments name. Fails where it cannot be played, with `--lenient` only where it is empty.
fn read_playable(args: &RunArgs) -> anyhow::Result<Content> {
    let (content, problems) = read_world(&args.world, args.start_room)?;
    for problem in &problems.0 {
        match problem.kind {
            Severity::Error => tracing::error!("{problem}"),
            Severity::Warning => tracing::debug!("{problem}"),
        }
    }
    let errors = problems.0.iter().filter(|p| p.kind == Severity::Error).count();
    if errors > 0 && !args.lenient {
        bail!(
            "the world in {} has {errors} errors; `dp-server check --world {}` lists them, --lenient starts anyway",
            args.world.display(),
            args.world.display()
        );
    }
    if content.rooms.is_empty() {
        bail!("the world in {} has no rooms", args.world.display());
    }
    Ok(content)
}

/// For `--preflight`: whether a server with these arguments would come up, without touching its state.
pub fn preflight(args: &RunArgs) -> anyhow::Result<restart::Fitness> {
    read_playable(args)?;
    args.tls.load()?;
    Ok(restart::Fitness::own())
}

/// Runs until the process is asked to end.
pub async fn run(args: RunArgs) -> anyhow::Result<()> {
    // First of all, so that a signal is never met unprepared.
    let (ending, mut restarting) = restart::listen()?;
    let program = Program::running()?;
    let files_max = descriptors::raise_limit();
    let mut inherited = Inherited::take().context("taking over from the program before")?.unwrap_or_default();
    let state = StateDir::open(&args.state_dir)?;
    let claim = match inherited.lock.take() {
        Some(lock) => Claim::inherited(lock),
        None => state.claim()?,
    };
    let token = state.admin_token()?;
    let certificate = args.tls.load()?;

    // The world is read on another thread while the database opens.
    let of_world = args.clone();
    let reading = tokio::task::spawn_blocking(move || read_playable(&of_world));
    let database = args.db.clone().unwrap_or_else(|| state.default_database());
    let store = Store::connect(&database, &StoreOptions::default()).await?;
    let content = reading.await.context("reading the world")??;
    let counts = content.counts();

    sessions::end_all(&store, unix_ms()).await?;
    let begun = begin_world(&args, &store, content).await?;
    let Begun { mut world, unsaved, minds: unanswered, replayed, chronicle, gauges } = begun;
    let seed = world.state.seed;
    let mut reserved = world.state.next_serial as i64 + SERIAL_BLOCK;
    meta::raise_counter(&store, SERIAL_COUNTER, reserved).await?;

    let mut doors = Doors { inherited: &mut inherited, open: Vec::new() };
    let http_listener = doors.open("http", args.http).await?;
    let telnet_listener = doors.open("telnet", args.telnet).await?;
    let secure_listeners = match &certificate {
        Some(_) => {
            Some((doors.open("https", args.tls.https()).await?, doors.open("telnets", args.tls.telnets()).await?))
        }
        None => None,
    };
    let doors = doors.open;
    let running = Running {
        pid: std::process::id(),
        http: http_listener.local_addr()?,
        telnet: telnet_listener.local_addr()?,
        https: secure_listeners.as_ref().map(|(https, _)| https.local_addr()).transpose()?,
        telnets: secure_listeners.as_ref().map(|(_, telnets)| telnets.local_addr()).transpose()?,
    };

    let saver = Saver::new(store.clone());
    saver.take_over(unsaved);
    tokio::spawn(saver.clone().run());
    let minds = Minds::new(store.clone());
    minds.take_over(unanswered);
    minds.memories.set_calendar(args.dreams.dream_zone.calendar_minutes(jiff::Timestamp::now()));
    tokio::spawn(minds.clone().run());
    let accounts = Accounts::new(store.clone());
    let (motd_world, mut limits) = (world.clone(), args.limits.clone());
    descriptors::cap_connections(&mut limits, files_max);
    let decisions = capture::Writer::new(store.clone());
    world.capture = args.capture.into();
    if let Err(error) = decisions.take_again(replayed).await {
        tracing::warn!(%error, "decisions of before the crash could not be recorded");
    }
    tokio::spawn(decisions.clone().run());
    tokio::spawn(capture::keep_up(store.clone(), args.keep_decisions));
    let engine = Engine::new(world, saver.clone(), minds.clone(), Capture::new(decisions.clone()), chronicle);
    let people = std::mem::take(&mut inherited.people);
    let playing = |name: &str| people.iter().any(|(_, person)| person.plays(name));
    engine.unlink(&playing);
    let dreams = Arc::new(Dreams::new(args.dreams.clone()));
    let mut lobby = Lobby::new(engine.clone(), accounts, saver.clone(), limits, &motd_world);
    lobby.dreams = Some(dreams.clone());
    lobby.dreaming_dir = Some(args.dreams.dreaming_dir.clone());
    let exports = exports::folder(&args.sessions_dir).map(|to| Exports::new(store.clone(), minds.clone(), to));
    lobby.exports = exports.clone();
    let exporting = exports.clone().map(|exports| tokio::spawn(exports.run()));
    let lobby = Arc::new(lobby);
    let opened = motd_world.content.sentences.opened.clone();
    drop(motd_world);
    crate::operator::promote_as_told(&lobby).await?;
    tokio::spawn(watch_disk(args.state_dir.clone(), args.journal.disk_low_mb, gauges.clone()));
    tokio::spawn(engine.clone().flush_lazily());
    let ticking = (args.tick_ms > 0).then(|| {
        let interval = Duration::from_millis(args.tick_ms);
        tokio::spawn(engine.clone().tick_steadily(interval))
    });
    telnet::adopt(people, &lobby).await;
    // Whoever could not be brought back is link-dead as well.
    engine.unlink(&|_| false);
    let settings = Arc::new(args.transports.clone());
    let mut people = vec![tokio::spawn(telnet::accept(telnet_listener, lobby.clone(), settings.clone()))];
    let (closing, closed) = watch::channel(false);
    let app = http::router(lobby.clone(), settings.clone(), token);
    let server = HttpServer { app, lobby: lobby.clone(), settings, closed };
    let mut secure_programs = None;
    if let (Some(certificate), Some((https, telnets))) = (certificate, secure_listeners) {
        let telnets = certificate.guard(telnets, &[], lobby.clone());
        people.push(tokio::spawn(telnet::accept_secure(telnets, lobby.clone())));
        let https = certificate.guard(https, &[b"http/1.1"], lobby.clone());
        secure_programs = Some(tokio::spawn(server.clone().serve_secure(https)));
    }
    let mut programs = tokio::spawn(server.serve(http_listener));
    state.announce(&running)?;
    let nights = tokio::spawn(dreams.run(store.clone()));

    tracing::info!(
        rooms = counts.rooms,
        mobs = counts.mobs,
        objects = counts.objects,
        zones = counts.zones,
        seed,
        database = store.place(),
        "the world is up"
    );
    if args.log_format == Format::Text {
        eprintln!(
            "{} People: telnet {} {}    Programs: ws://{}/ws    How it goes: http://{}/health",
            opened,
            running.telnet.ip(),
            running.telnet.port(),
            running.http,
            running.http
        );
    }
    println!("ready {}", running.doors());

    let set_aside = async {
        loop {
            tokio::time::sleep(SERIAL_WATCH).await;
            let next = engine.with_world(|world| world.state.next_serial) as i64;
            if next + SERIAL_BLOCK / 2 > reserved {
                match meta::raise_counter(&store, SERIAL_COUNTER, next + SERIAL_BLOCK).await {
                    Ok(()) => reserved = next + SERIAL_BLOCK,
                    Err(error) => tracing::error!(%error, "no more instance numbers could be set aside"),
                }
            }
        }
    };
    let close = tokio::select! {
        () = set_aside => Close::Stopping,
        () = engine.shutdown_requested() => {
            tracing::info!("stopping: asked for");
            Close::Stopping
        }
        () = ending.heard() => {
            tracing::info!("stopping: signalled");
            Close::Stopping
        }
        () = restart::approved(&engine, &program, &saver, &gauges, &mut restarting) => {
            tracing::info!("restarting: the program on disk takes over");
            Close::Restarting
        }
        ended = &mut programs => {
            ended.context("the HTTP listener failed")?;
            bail!("the HTTP listener closed by itself");
        }
    };

    // What is dreamt is kept whole or not at all, and the next start makes up for the rest of the night.
    nights.abort();
    if let Some(ticking) = ticking {
        ticking.abort();
    }
    for accepting in people {
        accepting.abort();
        // Until it is gone, somebody may still come in by it whom nobody would tell.
        let _aborted = accepting.await;
    }
    // The doors accept nobody any more, but the other descriptors keep them open for the next program.
    let _told = closing.send(true);
    engine.restart.begin(close);
    engine.stop(close).await;
    engine.restart.close_all(close);
    if let Some(exports) = &exports {
        // What happened to bodies whose connections were gone before; the others are told of as they end.
        let agents = engine.with_world(|world| world.agents().map(|name| name.to_string()).collect::<Vec<_>>());
        agents.iter().for_each(|name| exports.look_at(name));
    }
    let (saved, noted, recorded) =
        tokio::join!(saver.drain(DRAIN_LONGEST), minds.drain(DRAIN_LONGEST), decisions.drain(DRAIN_LONGEST));
    if !recorded {
        tracing::error!(lost = decisions.backlog(), "decisions could not be written before the end");
    }
    // Sessions write what waits, and their farewells.
    let all_ended = engine.restart.all_ended(restart::GATHER_LONGEST);
    // What is unsaved even now is in the snapshot, which is written meanwhile.
    let (stuck, finished) = tokio::join!(all_ended, engine.finish_journal());
    if stuck > 0 {
        tracing::info!(stuck, "readers that did not take their last lines are cut off");
    }
    // Calls of the admin API that are under way have their answer, the one that began this among them.
    let answered = async {
        let _answered = programs.await;
        if let Some(secure) = secure_programs {
            let _answered = secure.await;
        }
    };
    let _in_time = tokio::time::timeout(ANSWER_LONGEST, answered).await;
    if let (Some(exports), Some(exporting)) = (exports, exporting) {
        if !exports.drain(EXPORT_LONGEST).await {
            tracing::warn!("not all session files are written; the next start writes the rest");
        }
        exporting.abort();
    }
    if let Err(error) = finished {
        engine.restart.dismiss();
        state.release();
        return Err(error).context("writing the last snapshot; the next start replays the journal instead");
    }
    let next = engine.with_world(|world| world.state.next_serial) as i64;
    if let Err(error) = meta::raise_counter(&store, SERIAL_COUNTER, next).await {
        tracing::warn!(%error, "the counter of instances was not brought up to date");
    }
    store.close().await;
    if !noted && args.journal.mode == JournalMode::Off {
        tracing::error!(lost = minds.backlog(), "what minds noted could not be written before the end");
    }
    if !saved && args.journal.mode == JournalMode::Off {
        engine.restart.dismiss();
        state.release();
        bail!("{} characters could not be saved before the end; the log says why", saver.backlog());
    }
    if close == Close::Restarting {
        restart::hold().await?;
    }
    if close == Close::Restarting && !ending.was_heard() {
        let mut handover = Handover::new()?;
        handover.add(claim.share()?.into(), Use::Lock);
        for (name, door) in doors {
            handover.add(door.into(), Use::Door(name.to_string()));
        }
        handover.add_people(&engine);
        let error = program.become_next(handover);
        state.release();
        return Err(error.context("everybody is saved, but the next program could not take over"));
    }
    engine.restart.dismiss();
    state.release();
    if !noted {
        tracing::warn!(
            requests = minds.backlog(),
            "what minds noted and the database did not take is kept in the last snapshot, and written at the next start"
        );
    }
    if saved {
        tracing::info!("stopped; everybody is saved");
    } else {
        tracing::warn!(
            characters = saver.backlog(),
            "stopped; whom the database did not take is kept in the last snapshot, and written at the next start"
        );
    }
    Ok(())
}

/// Looks after the room on the disk: before the journal has none, nobody new is let in.
async fn watch_disk(folder: PathBuf, low_mb: u32, gauges: Arc<Gauges>) {
    let low = u64::from(low_mb) << 20;
    loop {
        match rustix::fs::statvfs(&folder) {
            Ok(disk) => {
                let free = disk.f_bavail.saturating_mul(disk.f_frsize);
                let was_low = gauges.low.swap(free < low, Ordering::Relaxed);
                match (was_low, free < low) {
                    (false, true) => tracing::error!(
                        free_mb = free >> 20,
                        "the disk of the state folder is nearly full: nobody new is let in until there is room"
                    ),
                    (true, false) => tracing::warn!(free_mb = free >> 20, "there is room on the disk again"),
                    _ => {}
                }
            }
            Err(error) => tracing::warn!(%error, "the room on the disk cannot be looked up"),
        }
        tokio::time::sleep(DISK_WATCH).await;
    }
}

/// The doors that are open, each by its name, which is that of its flag. What is kept of each is a second descriptor:
/// it keeps the door open when nobody accepts by it any more, and is handed over.
struct Doors<'a> {
    inherited: &'a mut Inherited,
    open: Vec<(&'static str, std::net::TcpListener)>,
}

impl Doors<'_> {
    /// Opens a door, or goes on with one that is open already.
    async fn open(&mut self, name: &'static str, address: SocketAddr) -> anyhow::Result<TcpListener> {
        let listener = match self.inherited.door(name) {
            Some(listener) => listener,
            None => {
                let bound = TcpListener::bind(address).await.with_context(|| {
                    format!(
                        "opening the door {address}; is another server running? Choose another address with --{name}, \
                         port 0 for any"
                    )
                })?;
                bound.into_std().context("sharing a door")?
            }
        };
        let door = listener.try_clone().context("sharing a door")?;
        listener.set_nonblocking(true).context("sharing a door")?;
        self.open.push((name, door));
        TcpListener::from_std(listener).context("watching a door")
    }
}
