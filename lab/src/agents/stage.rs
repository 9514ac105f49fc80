//! The engine on a clock of ours, and the seats of those who play.
//!
//! What the WebSocket door does around the engine is done here without a socket: frames are encoded by
//! `encode::frames`, commands are read by `protocol`, and the bucket of commands is the server's.

use anyhow::{Context, ensure};
use content::{Content, Vnum};
use dreaming::{Graph, Record};
use mind::LogEntry;
use protocol::code::ErrorCode;
use protocol::frame::ClientFrame;
use protocol::outcome::Outcome;
use server::capture::{Capture, Meta, Writer};
use server::dreams::one::{Calendar, Came, Way, dream_of};
use server::encode::frames::{Client, Frames};
use server::engine::{Answer, CommandNote, Engine, Entered, Entry, Freshness, Question, Reads, SessionId, Wants};
use server::journal::LiveJournal;
use server::limits::{Bucket, Limits};
use server::memories::record_in;
use server::minds::Minds;
use server::outbox::{Delivery, Out, Outbox};
use server::saver::Saver;
use server::session::SessionFacts;
use server::store::{Store, StoreOptions, agent_events, logs, memories};
use server::times::WallClock;
use std::sync::Arc;

use world::record::CharacterRecord;
use world::rules::Rules;
use world::{CharacterId, World};

/// When everything here begins: 2026-03-01T12:00:00Z.
const BEGINNING_MS: i64 = 1_772_366_400_000;

/// The published protocol's words.
const TOO_FAST: &str = "rate limit exceeded — slow down";

const WANTS: Wants = Wants::FRAMES.with(Wants::VARIABLES).with(Wants::OUTCOMES).with(Wants::MIND);
const KNOWS_CHANNELS: Wants = WANTS.with(Wants::CHANNELS);

/// Where one player is connected.
pub struct Seat {
    pub name: String,
    pub who: CharacterId,
    pub session: SessionId,
    frames: Frames,
    outbox: Arc<Outbox>,
    bucket: Bucket,
    /// It reads the text of a terminal, and no frames.
    is_terminal: bool,
    /// Encoded, in order, not yet read.
    waiting: Vec<String>,
}

pub struct Stage {
    pub engine: Arc<Engine>,
    pub seats: Vec<Seat>,
    /// Of the game, from 0: two seconds each tick.
    now_ms: u64,
    pub tick_ms: u64,
    limits: Limits,
    minds: Settling,
}

/// The database beside a world. Several worlds, one after the other, may have one: then who lived in the first has left
/// what it remembers to those of the next.
#[derive(Clone)]
pub struct Database {
    pub store: Store,
    /// Of all that is played beside it: a world that comes later is later.
    clock: WallClock,
    /// As `--db` takes it.
    pub address: String,
    runtime: Arc<tokio::runtime::Runtime>,
    /// Where it is, deleted with the last of those who have it.
    pub folder: Arc<tempfile::TempDir>,
}

impl Database {
    /// An empty one.
    pub fn new() -> anyhow::Result<Database> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let folder = tempfile::tempdir()?;
        let address = format!("sqlite:{}", folder.path().join("minds.sqlite").display());
        let store = runtime.block_on(Store::connect(&address, &StoreOptions::default()))?;
        let clock = WallClock::standing_at(BEGINNING_MS);
        Ok(Database { store, clock, address, runtime: Arc::new(runtime), folder: Arc::new(folder) })
    }

    /// Somebody who is not in the world sleeps over what it lived, today included; what it remembers then.
    pub fn dream(&self, name: &str) -> anyhow::Result<Graph> {
        let clock = self.clock.clone();
        let way = Way { clock, ..Way::new(self.folder.path().join("dreams"), Calendar::Of(0)) };
        let came = self.wait(dream_of(&self.store, name, &way, &mut |_, _| ()))?;
        ensure!(matches!(came, Came::Dreamt(_)), "{name} did not dream: {came:?}");
        let stored = self.wait(memories::graph(&self.store, name))?.context("it dreamt")?;
        Graph::from_json(&stored.document()?, name).map_err(|error| anyhow::anyhow!("{error}"))
    }

    /// What comes of something that is done with it.
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}

/// Minds answer beside the world, from a database: here at once, so that every run is the same.
struct Settling {
    minds: Arc<Minds>,
    database: Database,
}

impl Settling {
    fn settle(&self) {
        if self.minds.is_asked() {
            self.database.wait(self.minds.settle()).expect("a database of our own takes what minds note");
        }
    }
}

impl Stage {
    /// A world at tick 0, nobody in it.
    pub fn new(content: Arc<Content>, seed: u64) -> anyhow::Result<Stage> {
        Stage::of(World::new(content, Arc::new(Rules::built_in()), seed))
    }

    /// A world with whatever has happened in it, and nobody connected.
    pub fn of(world: World) -> anyhow::Result<Stage> {
        Ok(Stage::beside(world, Database::new()?, None))
    }

    /// The same with a database that may have something in it, and a journal.
    pub fn beside(mut world: World, database: Database, journal: Option<LiveJournal>) -> Stage {
        // The engine hands saves to a store, of which only minds are read.
        let store = database.store.clone();
        let minds = Minds::new(store.clone());
        world.capture = world::report::Capture::Nobody;
        let capture = Capture::new(Writer::new(store.clone()));
        let engine = Engine::new(world, Saver::new(store), minds.clone(), capture, journal, database.clock.clone());
        Stage {
            engine,
            seats: Vec::new(),
            now_ms: 0,
            tick_ms: 2_000,
            limits: Limits::default(),
            minds: Settling { minds, database },
        }
    }

    /// Since the stage was made, in the game's time.
    pub fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// So much of the game's time goes by, for those who play and for what is written of them.
    pub fn pass(&mut self, ms: u64) {
        self.now_ms += ms;
        let clock = &self.minds.database.clock;
        clock.set(clock.now_ms().saturating_add_unsigned(ms));
    }

    /// Waits until minds have written all that they were asked to.
    pub fn settle(&self) -> anyhow::Result<()> {
        let Settling { minds, database } = &self.minds;
        database.wait(minds.settle()).map_err(|failure| anyhow::anyhow!("{failure:?}"))
    }

    /// Brings a character in as an agent's login does: `state`, all variables, the room.
    /// The number of its seat.
    pub fn enter(&mut self, record: CharacterRecord) -> anyhow::Result<usize> {
        self.log_in(record.name.to_string(), Some(Box::new(record)), WANTS, true)
    }

    /// The same as a program that knows channels.
    pub fn enter_channels(&mut self, record: CharacterRecord) -> anyhow::Result<usize> {
        self.log_in(record.name.to_string(), Some(Box::new(record)), KNOWS_CHANNELS, true)
    }

    /// The same as a person, whose words end the cooling of programs.
    pub fn enter_person(&mut self, mut record: CharacterRecord) -> anyhow::Result<usize> {
        record.player.agent = false;
        self.log_in(record.name.to_string(), Some(Box::new(record)), KNOWS_CHANNELS, false)
    }

    /// The same as a person at a terminal: what is read there are lines and prompts, before they are broken and
    /// coloured for a window.
    pub fn enter_terminal(&mut self, mut record: CharacterRecord) -> anyhow::Result<usize> {
        record.player.agent = false;
        self.log_in(record.name.to_string(), Some(Box::new(record)), Wants::LINES, false)
    }

    /// Connects such a program to a character that is in the world already.
    pub fn take_over(&mut self, name: &str) -> anyhow::Result<usize> {
        self.log_in(name.to_string(), None, KNOWS_CHANNELS, true)
    }

    fn log_in(
        &mut self,
        name: String,
        record: Option<Box<CharacterRecord>>,
        wants: Wants,
        agent: bool,
    ) -> anyhow::Result<usize> {
        let is_new = record.is_some();
        let outbox = Arc::new(Outbox::new(self.limits.outbound_max()));
        let session = self.engine.open_session(&outbox);
        let mut entry = Entry {
            name: name.clone(),
            record,
            agent,
            session,
            key: None,
            facts: Arc::new(SessionFacts { name: name.as_str().into(), ..SessionFacts::default() }),
            freshness: Freshness::default(),
            wants,
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
        let who = loop {
            match self.engine.ask(Question::Enter(Box::new(entry.clone()))).try_recv() {
                Ok(Answer::Entered(Entered::As(who))) => break who,
                Ok(Answer::Entered(Entered::NotHere(freshness))) if is_new => entry.freshness = freshness,
                Ok(_) => anyhow::bail!("{name} was not let in"),
                Err(_) => anyhow::bail!("the engine did not answer {name}"),
            }
        };
        let mut frames = Frames::default();
        frames.client = Client::Agent;
        frames.has_vars = true;
        let (bucket, is_terminal) = (self.limits.command_bucket(), wants == Wants::LINES);
        self.seats.push(Seat { name, who, session, frames, outbox, bucket, is_terminal, waiting: Vec::new() });
        let seat = self.seats.len() - 1;
        self.gather(seat);
        Ok(seat)
    }

    /// Sets somebody down in a room.
    pub fn place(&self, seat: usize, room: Vnum) -> anyhow::Result<()> {
        let name = self.seats[seat].name.clone();
        self.administer(server::engine::AdminCall::Place { name, room })
            .with_context(|| format!("there is no room {room} to begin in"))
    }

    pub fn promote(&self, seat: usize, level: i32) -> anyhow::Result<()> {
        let name = self.seats[seat].name.clone();
        self.administer(server::engine::AdminCall::Promote { name, level })
    }

    fn administer(&self, call: server::engine::AdminCall) -> anyhow::Result<()> {
        match self.engine.ask(Question::Admin(call)).try_recv() {
            Ok(Answer::Admin(server::engine::AdminAnswer::Done)) => Ok(()),
            Ok(Answer::Admin(refusal)) => anyhow::bail!("the engine would not: {refusal:?}"),
            Ok(_) | Err(_) => anyhow::bail!("the engine did not answer"),
        }
    }

    /// Two seconds of the world, all at once.
    pub fn tick(&mut self) {
        drop(self.engine.ask(Question::Step));
        for seat in 0..self.seats.len() {
            self.gather(seat);
        }
    }

    /// What a client sends, as text. A frame of no use is answered as the door answers it.
    pub fn send(&mut self, seat: usize, text: &str) {
        let now_ms = self.now_ms;
        let it = &mut self.seats[seat];
        match ClientFrame::parse(text) {
            Ok(ClientFrame::Command(command)) => {
                if it.bucket.take(now_ms).is_err() {
                    it.frames.limited_total += 1;
                    let (cause_id, command) = (command.id, command.command.as_str().into());
                    let dropped_total = it.frames.limited_total;
                    it.frames.note(Outcome::RateLimited { command, dropped_total, cause_id });
                    let error = it.frames.error(ErrorCode::RateLimited, TOO_FAST);
                    it.waiting.push(error);
                    it.frames.encode(Delivery::default(), &mut it.waiting);
                    return;
                }
                let line = command.line();
                let meta = command.meta.map(|meta| Arc::new(Meta::of(meta)));
                self.engine.command(it.who, it.session, line, CommandNote { id: command.id, meta });
            }
            Ok(ClientFrame::Subscribe(subscribe)) => {
                let (set, _) = it.frames.subscribe(&subscribe.variables);
                it.outbox.set_subscribed(set);
                let (who, session) = (it.who, it.session);
                self.engine.subscribed(who, session, subscribe.full);
            }
            Ok(ClientFrame::Login(_) | ClientFrame::CharInput(_) | ClientFrame::Host(_) | ClientFrame::Claim(_)) => {}
            Err(error) => {
                let error = it.frames.error(error.code, error.message);
                it.waiting.push(error);
            }
        }
        for seat in 0..self.seats.len() {
            self.gather(seat);
        }
    }

    /// The frames that came for a seat since it last read.
    pub fn read(&mut self, seat: usize) -> Vec<String> {
        std::mem::take(&mut self.seats[seat].waiting)
    }

    /// The log of the player of a seat, oldest first.
    pub fn log(&self, seat: usize) -> anyhow::Result<Vec<LogEntry>> {
        self.settle()?;
        let Database { store, .. } = &self.minds.database;
        let name = self.seats[seat].name.to_lowercase();
        let rows = self.minds.database.wait(logs::after(store, name.as_str(), 0, i64::MAX))?;
        rows.iter().map(agent_events::entry_of).collect()
    }

    /// What the world recorded for the player of a seat, oldest first.
    pub fn records(&self, seat: usize) -> anyhow::Result<Vec<Record>> {
        Ok(self.log(seat)?.into_iter().filter_map(record_in).collect())
    }

    fn gather(&mut self, seat: usize) {
        self.minds.settle();
        let it = &mut self.seats[seat];
        let mut taken = it.outbox.take();
        if it.is_terminal {
            return it.waiting.extend(terminal_text(taken));
        }
        taken.prompt = None;
        it.frames.encode(taken, &mut it.waiting);
    }
}

/// What a terminal would show: the lines that came, and the prompt behind them.
fn terminal_text(taken: Delivery) -> Vec<String> {
    let mut text = Vec::new();
    for item in taken.items {
        match item {
            Out::Line(shared) => text.push(shared.line.text.clone()),
            Out::Lines(run) => text.extend(run.lines().map(|shared| shared.line.text.clone())),
            // For programs, and for the connection.
            Out::Outcome(_) | Out::Because(_) | Out::Frame(_) | Out::FullVars(_) | Out::Client | Out::Password => {}
        }
    }
    let prompt = taken.prompt.map(|prompt| prompt.text).filter(|prompt| !prompt.is_empty());
    text.extend(prompt);
    text
}
