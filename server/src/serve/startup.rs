//! What starts, in order: the list is [`start`].
//!
//! Invariants: nobody is let in before the world is as it was left, and those whose connections live on are back in it
//! before anybody else comes. A start waits for nobody who reads its output, and does not fail for want of one.

use super::counters::Reserved;
use super::listeners::Listeners;
use super::playable::read_playable;
use super::reloading::{Reloader, Settings};
use super::tasks::Tasks;
use super::{Server, watches};
use crate::accounts::Accounts;
use crate::agent_maker::AgentMaker;
use crate::archive::Archive;
use crate::args::RunArgs;
use crate::capture::{self, Capture, Replayed};
use crate::dreams::{self, Dreams};
use crate::engine::Engine;
use crate::exports::{self, Exports};
use crate::folder_owner::FolderOwner;
use crate::initial_world::{InitialWorld, begin_world};
use crate::journal::{LiveJournal, Unsaved};
use crate::legacies;
use crate::limits::Bans;
use crate::lobby::{Doors, Lobby, SettingsReader, account};
use crate::log_archives::Archiver;
use crate::log_input::LogInput;
use crate::logging::Format;
use crate::minds::Minds;
use crate::moderation;
use crate::naming;
use crate::noting;
use crate::operator;
use crate::restart::{self, Inherited, Person, Program, StreamLeft};
use crate::retention;
use crate::saver::Saver;
use crate::script_files::ScriptFolder;
use crate::script_reloads;
use crate::state_dir::{Claim, Running, StateDir};
use crate::store::channels::{self, Change};
use crate::store::{Store, StoreOptions, agent_archives, agents, meta, plots, sessions};
use crate::times::{WallClock, unix_ms};
use crate::transports::streams::Streams;
use crate::transports::{descriptors, telnet, websocket};
use anyhow::Context;
use content::{Content, Counts};
use mind::LogId;
use protocol::payload::WorldState;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::io::Write;
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use world::World;
use world::channel::row::Row;
use world::rules::Rules;

/// The task that ticks, as it is called where it fails.
pub const TICKER: &str = "ticker";

/// Starts everything. Fails where the configuration, the world, the state folder or the database does not allow it.
pub async fn start(mut args: RunArgs, settings: Settings) -> anyhow::Result<Server> {
    // First of all, so that a signal is never met unprepared.
    let signals = restart::listen()?;
    let program = Program::running()?;
    descriptors::cap_connections(&mut args.limits, descriptors::raise_limit());
    let mut inherited = Inherited::take().context("taking over from the program before")?.unwrap_or_default();
    let state = StateDir::open(&args.state_dir)?;
    if state.is_open_to_others() {
        tracing::warn!(
            folder = %state.path().display(),
            "others on this machine may look into the state folder; close it with `chmod 700`"
        );
    }
    let claim = claim_folder(&state, &mut inherited)?;
    let admin_token = state.admin_token()?;
    let certificate = args.tls.load()?;
    let (store, (content, rules)) = open_store_and_game(&args, &state).await?;
    let counts = content.counts();
    let started_with = (content.fingerprint(), rules.fingerprint());
    let opened = content.sentences.opened.clone();
    sessions::end_all(&store, unix_ms()).await?;
    let InitialWorld { world, unsaved, minds: unanswered, archive: unwritten, replayed, journal, gauges } =
        begin_world(&args, &store, content, rules).await?;
    // Behind the journal, which knows its database: with a wrong one the folders would seem another's, too.
    let folders = Folders::claim(&args, &store).await?;
    let reserved = Reserved::set_aside(&store, &world).await?;
    let (listeners, open) = Listeners::open(&args, &mut inherited, certificate.is_some()).await?;
    let running = open.running(&folders.dreams)?;

    let mut tasks = Tasks::default();
    let saver = start_saver(&store, unsaved, &mut tasks);
    let unanswered = not_archived(&store, unanswered).await?;
    let minds = start_minds(&args, &store, unanswered, &mut tasks);
    let archive = start_archive(&store, &world, unwritten, &mut tasks).await?;
    let decisions = start_decisions(&args, &store, replayed, &mut tasks).await;
    let seed = world.state.seed;
    let engine = start_engine(&args, world, journal, &saver, &minds, &decisions, &mut tasks);
    engine.keep_in(archive.clone());
    let (names, asked) = tokio::sync::mpsc::unbounded_channel();
    engine.ask_for_names(names);
    tasks.spawn("answerer of names", naming::answer(engine.clone(), store.clone(), asked));
    let (heirs, agreed) = tokio::sync::mpsc::unbounded_channel();
    engine.hand_down_by(heirs);
    tasks.spawn("hander down of legacies", legacies::answer(engine.clone(), store.clone(), agreed));
    let (reader, asking) = tokio::sync::mpsc::unbounded_channel();
    engine.ask_for_scripts(reader);
    tasks.spawn("reader of scripts", script_reloads::answer(engine.clone(), script_folder(&args), asking));
    let bans = Bans::default();
    moderation::load(&store, &bans).await?;
    let (moderator, ordered) = tokio::sync::mpsc::unbounded_channel();
    engine.moderate_by(moderator);
    let keeper =
        moderation::answer(engine.clone(), saver.clone(), store.clone(), bans.clone(), args.state_dir.clone(), ordered);
    tasks.spawn("keeper of order", keeper);
    let (finds, found) = tokio::sync::mpsc::unbounded_channel();
    minds.tell_finds(finds);
    tasks.spawn("noter of what is found out about minds", noting::note(engine.clone(), store.clone(), found));
    let people = std::mem::take(&mut inherited.people);
    let left = std::mem::take(&mut inherited.streams);
    engine.tell_start(world_tick_ms(&args), args.agents_per_owner);
    unlink_the_lost(&engine, &people, &left);
    let dreams = Arc::new(Dreams::new(args.dreams.clone(), folders.dreams));
    let exports = folders.sessions.map(|to| Exports::new(store.clone(), minds.clone(), to));
    if let Some(exports) = &exports {
        engine.export_to(exports.clone());
    }
    let exporting = exports.clone().map(|exports| tokio::spawn(exports.run()));
    let database = meta::database_id(&store).await?;
    let mut lobby = open_lobby(&args, &engine, &database, &store, &saver, &dreams, &exports);
    lobby.archive = Some(archive.clone());
    lobby.bans = bans;
    lobby.doors = Doors { telnet: running.telnet.port(), telnets: running.telnets.map(|address| address.port()) };
    lobby.published.set_host(args.transports.public_host());
    let (reader, reloads) = SettingsReader::new();
    lobby.settings = Some(reader.clone());
    let archives = agent_archives::own_folder(&args.state_dir);
    let archiver = Arc::new(Archiver::new(store.clone(), archives, args.retention.keep_log));
    lobby.archiver = Some(archiver.clone());
    let lobby = Arc::new(lobby);
    account::remove_as_told(&lobby).await?;
    operator::promote_as_told(&lobby.live()).await?;
    operator::agents_as_told(&lobby.live()).await?;
    let maker = AgentMaker {
        engine: engine.clone(),
        store: store.clone(),
        rules: lobby.rules.clone(),
        hometown: lobby.first_hometown(),
        seed,
    };
    tasks.spawn("maker of agents", maker.run());
    tasks.spawn(
        "watch on the disk",
        watches::watch_disk(args.state_dir.clone(), args.journal.disk_low_mb, gauges.clone()),
    );
    // Before time goes on: whoever was never away misses nothing.
    let streams = bring_back(people, left, &lobby).await;
    start_ticking(&args, &engine, &mut tasks);
    let origins = Arc::new(args.transports.origins());
    let (people, programs) = open.accept(&args, &lobby, streams, certificate.as_ref(), origins.clone(), admin_token);
    let (args_now, lobby_now) = (args.clone(), lobby.clone());
    let reloader = Reloader { settings, args: args_now, certificate, origins, lobby: lobby_now, started_with };
    tasks.spawn("reader of settings", reloader.run(reloads));
    state.announce(&running)?;
    tokio::spawn(retention::keep(lobby.clone(), args.retention.clone()));
    let early_dreams = tokio::spawn(dreams.clone().dream_early(store.clone(), minds.clone()));
    let archiving = tokio::spawn(archiver.run(dreams.clone()));
    let nights = tokio::spawn(dreams.run(store.clone()));
    say_it_is_up(&args, &running, &opened, &counts, seed, &store);
    Ok(Server {
        args,
        signals,
        program,
        state,
        claim,
        store,
        saver,
        minds,
        archive,
        decisions,
        exports,
        engine,
        gauges,
        reserved,
        settings: reader,
        listeners,
        people,
        programs,
        tasks,
        nights,
        early_dreams,
        archiving,
        exporting,
    })
}

/// The folders that a server writes beside its state folder, or in it.
struct Folders {
    dreams: PathBuf,
    /// `None`: no session files are written.
    sessions: Option<PathBuf>,
}

impl Folders {
    /// Refuses those of another server.
    async fn claim(args: &RunArgs, store: &Store) -> anyhow::Result<Folders> {
        let owner = FolderOwner::new(&meta::database_id(store).await?, &args.state_dir)?;
        let dreams = dreams::folder(args.dreams.dreaming_dir.as_deref(), &args.state_dir);
        owner.claim(&dreams, dreams::DREAMING_FLAG)?;
        let sessions = exports::folder(args.sessions_dir.as_deref(), &args.state_dir);
        if let Some(sessions) = &sessions {
            owner.claim(sessions, exports::SESSIONS_FLAG)?;
        }
        Ok(Folders { dreams, sessions })
    }
}

/// For `--preflight`: whether a server with these arguments would come up, without touching its state.
pub fn preflight(args: &RunArgs) -> anyhow::Result<restart::Fitness> {
    read_playable(args)?;
    args.tls.load()?;
    Ok(restart::Fitness::own())
}

fn script_folder(args: &RunArgs) -> ScriptFolder {
    ScriptFolder { world: args.world.clone(), start_room: args.start_room }
}

/// The lock on the state folder: that of the program before, or a new one.
fn claim_folder(state: &StateDir, inherited: &mut Inherited) -> anyhow::Result<Claim> {
    match inherited.lock.take() {
        Some(lock) => Ok(Claim::inherited(lock)),
        None => state.claim(),
    }
}

/// The world is read on another thread while the database opens.
async fn open_store_and_game(args: &RunArgs, state: &StateDir) -> anyhow::Result<(Store, (Content, Rules))> {
    let of_world = args.clone();
    let reading = tokio::task::spawn_blocking(move || read_playable(&of_world));
    let database = args.db.clone().unwrap_or_else(|| state.default_database());
    let store = Store::connect(&database, &StoreOptions::of_state(&args.state_dir)).await?;
    let game = reading.await.context("reading the world")??;
    Ok((store, game))
}

fn start_saver(store: &Store, unsaved: Vec<Unsaved>, tasks: &mut Tasks) -> Arc<Saver> {
    let saver = Saver::new(store.clone());
    saver.take_over(unsaved);
    tasks.spawn("writer of characters", saver.clone().run());
    saver
}

fn start_minds(args: &RunArgs, store: &Store, unanswered: Vec<LogInput>, tasks: &mut Tasks) -> Arc<Minds> {
    let minds = Minds::new(store.clone());
    minds.take_over(unanswered);
    minds.memories.set_calendar(args.dreams.dream_zone.calendar_minutes(jiff::Timestamp::now()));
    tasks.spawn("writer of minds' logs", minds.clone().run());
    minds
}

/// Those inputs of logs that lie in no archive: what a recovery brings back may be there by now, and no row any more.
async fn not_archived(store: &Store, mut inputs: Vec<LogInput>) -> anyhow::Result<Vec<LogInput>> {
    let mut ends: BTreeMap<LogId, u64> = BTreeMap::new();
    for log in inputs.iter().map(LogInput::log) {
        if !ends.contains_key(log) {
            ends.insert(log.clone(), u64::try_from(agent_archives::end(store, log).await?)?);
        }
    }
    inputs.retain(|input| input.last() > ends[input.log()]);
    Ok(inputs)
}

async fn start_archive(
    store: &Store,
    world: &World,
    unwritten: Vec<Change>,
    tasks: &mut Tasks,
) -> anyhow::Result<Arc<Archive>> {
    let archive = Archive::new(store.clone());
    // A database from before there was an archive, or that of a fork.
    if channels::is_empty(store).await? {
        archive.take(world.state.channels.rows(), world.state.number, unix_ms());
    }
    if agents::is_empty(store).await? {
        let rows = world.state.agents.rows().into_iter().map(Row::Agent);
        archive.take(rows.collect(), world.state.number, unix_ms());
    }
    if plots::is_empty(store).await? {
        archive.take(world.plot_rows(), world.state.number, unix_ms());
    }
    archive.take_over(unwritten);
    tasks.spawn("writer of what is said", archive.clone().run());
    Ok(archive)
}

async fn start_decisions(
    args: &RunArgs,
    store: &Store,
    replayed: Vec<Replayed>,
    tasks: &mut Tasks,
) -> Arc<capture::Writer> {
    let decisions = capture::Writer::new(store.clone());
    if let Err(error) = decisions.take_again(replayed).await {
        tracing::warn!(%error, "decisions of before the crash could not be recorded");
    }
    tasks.spawn("writer of decisions", decisions.clone().run());
    let folders = [Some(args.state_dir.clone()), store.folder()].into_iter().flatten().collect();
    tokio::spawn(capture::room::watch(decisions.clone(), folders, args.retention.capture_low_mb));
    decisions
}

fn start_engine(
    args: &RunArgs,
    mut world: World,
    journal: Option<LiveJournal>,
    saver: &Arc<Saver>,
    minds: &Arc<Minds>,
    decisions: &Arc<capture::Writer>,
    tasks: &mut Tasks,
) -> Arc<Engine> {
    world.capture = args.capture.into();
    let capture = Capture::new(decisions.clone());
    let engine = Engine::new(world, saver.clone(), minds.clone(), capture, journal, WallClock::Machine);
    tasks.spawn("waker of readers", engine.clone().flush_lazily());
    engine
}

/// Milliseconds of a tick of the world. Where somebody else steps it, two seconds, as it tells them.
fn world_tick_ms(args: &RunArgs) -> u32 {
    match u32::try_from(args.tick_ms) {
        Ok(0) | Err(_) => 2_000,
        Ok(tick_ms) => tick_ms,
    }
}

/// Whoever the program before had connected is link-dead now, but for those whose connections live on.
fn unlink_the_lost(engine: &Engine, people: &[(TcpStream, Person)], streams: &[StreamLeft]) {
    let stays = |name: &str| {
        people.iter().any(|(_, person)| person.plays(name)) || streams.iter().any(|stream| stream.plays(name))
    };
    engine.unlink(&stays);
}

fn open_lobby(
    args: &RunArgs,
    engine: &Arc<Engine>,
    database: &str,
    store: &Store,
    saver: &Arc<Saver>,
    dreams: &Arc<Dreams>,
    exports: &Option<Arc<Exports>>,
) -> Lobby {
    let accounts = Accounts::new(store.clone());
    let (limits, saver) = (args.limits.clone(), saver.clone());
    let mut lobby = engine.with_world(|world| Lobby::new(engine.clone(), accounts, saver, limits, world));
    lobby.world = Some(engine.with_world(|world| identity(world, database)));
    lobby.scripts = Some(script_folder(args));
    lobby.dreams = Some(dreams.clone());
    lobby.dreaming_dir = Some(dreams.folder.clone());
    lobby.exports = exports.clone();
    lobby.state_dir = Some(args.state_dir.clone());
    lobby
}

/// What programs are told of the world. The seed is in it as a digest that nobody can try seeds on, since what the
/// database is called never leaves the server: who knew the seed would know every roll of the dice.
fn identity(world: &World, database: &str) -> WorldState {
    let digest = Sha256::digest(format!("{database} {}", world.state.seed));
    WorldState {
        id: hex::encode(&digest[..8]).into(),
        content: format!("{:016x}", world.content.fingerprint()).into(),
        rules: format!("{:016x}", world.rules.fingerprint()).into(),
        rules_version: world::rules::RULES_VERSION,
        tick: world.tick(),
    }
}

/// Without `--tick-ms` the world ticks only when told to.
fn start_ticking(args: &RunArgs, engine: &Arc<Engine>, tasks: &mut Tasks) {
    if args.tick_ms > 0 {
        tasks.spawn(TICKER, engine.clone().tick_steadily(Duration::from_millis(args.tick_ms)));
    }
}

/// Brings back those whose connections, or streams of frames, the program before handed over.
async fn bring_back(people: Vec<(TcpStream, Person)>, left: Vec<StreamLeft>, lobby: &Arc<Lobby>) -> Arc<Streams> {
    let streams = Arc::new(Streams::default());
    // First, since people's lines are done as soon as these are back.
    websocket::adopt(left, lobby, &streams).await;
    telnet::adopt(people, lobby).await;
    // Whoever could not be brought back is link-dead as well.
    lobby.engine.unlink(&|_| false);
    streams
}

/// Tells the operator, and whoever waits for the line `ready`. That nobody reads it is no reason to end: on a hot
/// restart everybody's connection would end with us.
fn say_it_is_up(args: &RunArgs, running: &Running, opened: &str, counts: &Counts, seed: u64, store: &Store) {
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
        let _unread = writeln!(
            std::io::stderr(),
            "{opened} People: telnet {} {}    Programs: ws://{}/ws    How it goes: http://{}/health",
            running.telnet.ip(),
            running.telnet.port(),
            running.http,
            running.http
        );
    }
    let _unread = writeln!(std::io::stdout(), "ready {}", running.listeners());
}
