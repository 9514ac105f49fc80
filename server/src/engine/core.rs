//! The inside of the engine: the world, its journal, who reads it, and what a letter does.
//!
//! Invariant: whatever an input causes (lines, variables, answers, saves, the end of a connection) is held until the
//! journal has the input, and released at the end of the batch. When the journal cannot be written the world stands
//! still: nothing more is applied, what is held stays held, and it is tried again until there is room.

use super::outbox::{Close, Out, Outbox, Prompt, Shared, Wake};
use super::{LATE_MS, Stats};
use crate::capture::{Capture, Meta, Origin, SessionFacts};
use crate::journal::{Chronicle, Snapshot, Unwritten};
use crate::minds::{Asker, Matter, Minds};
use crate::saving::{Saver, unix_ms};
use protocol::frame::{Encoded, ServerFrame};
use protocol::variables::{Variable, VariableSet};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use world::character::{Link, PlayerFlags};
use world::content::Vnum;
use world::record::CharacterRecord;
use world::report::{Goodbye, Line, LineKind, Report, Request, Touch};
use world::vars::{Group, Sight, VARS};
use world::{Admin, CharacterId, Input, World};

/// What sessions and the operator post.
pub enum Letter {
    Command {
        who: CharacterId,
        session: u64,
        line: String,
        /// What the client noted with it, for the records.
        meta: Option<Arc<Meta>>,
        /// When the door had it.
        came: Instant,
    },
    Enter(Box<Entry>, oneshot::Sender<Entered>),
    /// The connection of that session is gone.
    Lost {
        who: CharacterId,
        session: u64,
    },
    /// The session's set of variables changed. `full`: everything is to be sent.
    Subscribed {
        who: CharacterId,
        session: u64,
        full: bool,
    },
    Tick {
        scheduled: Option<tokio::time::Instant>,
        done: Option<oneshot::Sender<u64>>,
    },
    Admin(AdminCall, oneshot::Sender<AdminAnswer>),
    /// The world as it is, for a backup. `None` where there is no journal.
    Snapshot(oneshot::Sender<Option<Snapshot>>),
    /// A word of the server's own to one player; the world knows nothing of it.
    Tell {
        name: String,
        text: String,
    },
    /// Ends every connection, for this reason.
    Stop(Close, oneshot::Sender<()>),
}

/// Somebody wants to be connected to a character.
#[derive(Clone)]
pub struct Entry {
    pub name: String,
    /// What the store holds; `None` asks only whether it is in the world already.
    pub record: Option<Box<CharacterRecord>>,
    pub agent: bool,
    pub session: u64,
    /// The key by which it comes in.
    pub key: Option<i64>,
    /// For the records of its commands.
    pub facts: Arc<SessionFacts>,
    /// From `Entered::NotHere`: how fresh the record is.
    pub freshness: Freshness,
    /// Gets frames, not only lines.
    pub program: bool,
    /// A program that wants to be told of its character's mind.
    pub mind: bool,
    pub outbox: Arc<Outbox>,
    /// For the `state` frame.
    pub token: Option<String>,
    /// Shown before anything else; may be empty.
    pub motd: String,
    /// What an agent is told of its past, behind `state`; may be empty.
    pub memories: Arc<[Encoded]>,
    /// It comes only where no other connection plays the character.
    pub yields: bool,
    /// It was never away: the connection was handed over by the program before.
    pub resumed: bool,
}

pub enum Entered {
    As(CharacterId),
    /// Not in the world; come again with a record that is read from now on.
    NotHere(Freshness),
    /// By a key that was revoked on the way.
    Revoked,
    /// Another connection plays it, and this one yields.
    InUse,
    /// There is no room on the disk to write down what it would do.
    NoRoom,
}

/// Grows with everything that may make a stored record newer than one in somebody's hands: between the reading and the
/// entering, another connection can have brought the same character in and out again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Freshness(u64);

/// What the operator asks through the admin API.
#[derive(Clone, Debug)]
pub enum AdminCall {
    Place {
        name: String,
        room: Vnum,
    },
    /// Where nobody of that name is in the world, records that were read before count no more.
    Promote {
        name: String,
        level: i32,
    },
    /// Ends the session that came in by a key, and keeps those out who are on the way with it.
    Revoke {
        key: i64,
    },
    /// Takes a character out, saved. Where it is not in the world, records that were read before count no more.
    Remove {
        name: String,
        reason: String,
    },
    Announce {
        text: String,
    },
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AdminAnswer {
    Done,
    /// No character of that name is in the world.
    NotHere,
    NoSuchRoom,
    /// There is no room on the disk to write it down.
    NoRoom,
}

/// One connected character.
struct Reader {
    who: CharacterId,
    session: u64,
    /// The key by which it came in.
    key: Option<i64>,
    outbox: Arc<Outbox>,
    facts: Arc<SessionFacts>,
    /// Gets variables.
    agent: bool,
    /// Gets frames rather than a prompt.
    program: bool,
    /// How the character saw its room when its room variables were last read.
    sight: Option<Sight>,
    /// Groups to be read again at the end of the batch.
    own: bool,
    things: bool,
    room: bool,
    wake: Wake,
    /// Held until the journal has what caused it.
    items: Vec<Out>,
    vars: Vec<(Variable, String)>,
}

/// What else is held until the journal has what caused it.
enum Held {
    /// The end of a connection, with what it is still to read.
    Close(Arc<Outbox>, Vec<Out>, Close),
    Save(Box<CharacterRecord>, u64),
    /// This character is no longer in the world.
    Left(String),
    Mind(Matter, Option<Asker>),
    /// This reader wants to be told of the mind of this character.
    Watch(String, Arc<Outbox>),
    Entered(oneshot::Sender<Entered>, Entered),
    Ticked(oneshot::Sender<u64>, u64),
    Answered(oneshot::Sender<AdminAnswer>, AdminAnswer),
    Stopped(oneshot::Sender<()>),
    Snapshot(oneshot::Sender<Option<Snapshot>>),
    Shutdown,
    /// An immortal of this name asks for it.
    Restart(String),
}

/// How often a journal that could not be written is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(200);
/// What a session keeps of the room for held lines.
const ITEMS_KEPT: usize = 8;

const STANDS_STILL: &str =
    "The world holds its breath: there is no room left to write down what happens. Try again in a moment.";

/// Who caused a report: its own lines leave at once.
#[derive(Clone, Copy)]
enum Cause {
    Session(CharacterId),
    Tick,
}

pub struct Core {
    world: World,
    saver: Arc<Saver>,
    minds: Arc<Minds>,
    capture: Capture,
    /// `None`: nothing is written down, and nothing survives but what the database has.
    chronicle: Option<Chronicle>,
    held: Vec<Held>,
    /// The journal could not be written; since when, and when it was last tried.
    stuck: Option<Instant>,
    /// What cannot be refused while the world stands still, to be done when it goes on.
    deferred: Vec<Letter>,
    /// Of this batch, unix milliseconds.
    now_ms: i64,
    ticked: bool,
    /// By index of the character's id.
    readers: Vec<Option<Reader>>,
    /// Indices of readers with something to do at the end of the batch.
    busy: Vec<u32>,
    freshness: Freshness,
    /// Revoked since the start: a login that was checked before may still be on its way.
    revoked: BTreeSet<i64>,
    shutdown: bool,
    /// Who asked for a restart.
    restarts: Vec<String>,
    stopped: bool,
    /// Connections that the stop ended, by session.
    ended: BTreeMap<u64, Arc<Outbox>>,
}

impl Core {
    pub fn new(
        world: World,
        saver: Arc<Saver>,
        minds: Arc<Minds>,
        capture: Capture,
        chronicle: Option<Chronicle>,
    ) -> Core {
        Core {
            world,
            saver,
            minds,
            capture,
            chronicle,
            held: Vec::new(),
            stuck: None,
            deferred: Vec::new(),
            now_ms: unix_ms(),
            ticked: false,
            readers: Vec::new(),
            busy: Vec::new(),
            freshness: Freshness::default(),
            revoked: BTreeSet::new(),
            shutdown: false,
            restarts: Vec::new(),
            stopped: false,
            ended: BTreeMap::new(),
        }
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn take_shutdown(&mut self) -> bool {
        std::mem::take(&mut self.shutdown)
    }

    /// Names of immortals who asked for a restart since the last time.
    pub fn take_restarts(&mut self) -> Vec<String> {
        std::mem::take(&mut self.restarts)
    }

    /// Before the letters of a batch. Gives back letters that have waited for the world to go on.
    pub fn begin_batch(&mut self) -> Vec<Letter> {
        self.now_ms = unix_ms();
        if self.stuck.is_some_and(|tried| tried.elapsed() >= TRY_AGAIN) {
            self.flush();
            if self.stuck.is_none() {
                return std::mem::take(&mut self.deferred);
            }
        }
        Vec::new()
    }

    /// An input was given up half-way by a mistake of ours. A recovery, which makes no lines, might not meet it at the
    /// same place, so the world as it is now is written down soon.
    pub fn given_up(&mut self) {
        if let Some(chronicle) = &mut self.chronicle {
            chronicle.snapshot_due();
        }
    }

    /// Puts what was applied on its way to disk. The world stands still where that fails.
    fn flush(&mut self) {
        let Some(chronicle) = &mut self.chronicle else { return };
        match chronicle.flush() {
            Ok(()) => {
                if self.stuck.take().is_some() {
                    tracing::warn!("the journal can be written again; the world goes on");
                    chronicle.gauges.stuck.store(false, Ordering::Relaxed);
                }
            }
            Err(error) => {
                if self.stuck.replace(Instant::now()).is_none() {
                    tracing::error!(%error, "the journal cannot be written: the world stands still until it can");
                    chronicle.gauges.stuck.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// The only place where an input reaches the world.
    fn apply_input(&mut self, input: Input) -> Report {
        if let Some(chronicle) = &mut self.chronicle {
            chronicle.input(self.world.state.number + 1, self.now_ms, &input);
        }
        self.world.apply(&input)
    }

    /// What becomes of a letter while the world stands still. Gives back those that are not for the world.
    fn hold_still(&mut self, letter: Letter) -> Option<Letter> {
        match letter {
            Letter::Command { who, session, .. } => {
                if let Some(reader) = self.reader(who).filter(|r| r.session == session) {
                    reader.outbox.say(LineKind::Refusal, STANDS_STILL);
                }
            }
            Letter::Enter(_, reply) => {
                let _hung_up = reply.send(Entered::NoRoom);
            }
            Letter::Admin(_, reply) => {
                let _hung_up = reply.send(AdminAnswer::NoRoom);
            }
            // The world's time stands still too. Whoever steps it is told by the missing answer.
            Letter::Tick { .. } => {}
            letter @ (Letter::Lost { .. } | Letter::Subscribed { .. } | Letter::Snapshot(_)) => {
                self.deferred.push(letter);
            }
            letter @ (Letter::Stop(..) | Letter::Tell { .. }) => return Some(letter),
        }
        None
    }

    pub fn apply(&mut self, letter: Letter, stats: &Stats) {
        if self.stopped {
            // Answers are dropped, which their callers take for the end. A line waits for the next program, if any.
            if let Letter::Command { session, line, .. } = letter
                && let Some(outbox) = self.ended.get(&session)
            {
                outbox.give_back(line);
            }
            return;
        }
        let letter = match self.stuck {
            None => letter,
            Some(_) => match self.hold_still(letter) {
                None => return,
                Some(letter) => letter,
            },
        };
        match letter {
            Letter::Command { who, session, line, meta, came } => {
                if let Some(reader) = self.reader(who).filter(|r| r.session == session) {
                    let origin = (self.world.capture != world::capture::Capture::Nobody).then(|| Origin {
                        who,
                        came,
                        facts: reader.facts.clone(),
                        meta,
                    });
                    let mut report = self.apply_input(Input::Command { who, line });
                    self.capture.note(&self.world, &mut report, self.now_ms, origin);
                    self.deliver(report, Cause::Session(who));
                }
            }
            Letter::Enter(entry, reply) => {
                let entered = self.enter(*entry);
                self.held.push(Held::Entered(reply, entered));
            }
            Letter::Lost { who, session } => {
                if self.reader(who).is_some_and(|r| r.session == session) {
                    self.readers[who.index as usize] = None;
                    let since_tick = self.world.tick();
                    let report = self.apply_input(Input::Link { who, link: Link::Lost { since_tick }, agent: false });
                    self.deliver(report, Cause::Session(who));
                }
            }
            Letter::Subscribed { who, session, full } => {
                if self.reader(who).is_some_and(|r| r.session == session) {
                    self.send_subscribed(who, full);
                }
            }
            Letter::Tick { scheduled, done } => {
                if let Some(scheduled) = scheduled {
                    let late = scheduled.elapsed().as_millis() as u64;
                    stats.lag_ms.store(late, Ordering::Relaxed);
                    if late > LATE_MS {
                        stats.late_ticks.fetch_add(1, Ordering::Relaxed);
                        tracing::warn!(late_ms = late, tick = self.world.tick() + 1, "a tick was late");
                    }
                }
                let begun = Instant::now();
                let mut report = self.apply_input(Input::Tick);
                self.capture.note(&self.world, &mut report, self.now_ms, None);
                let tick = report.tick;
                self.deliver(report, Cause::Tick);
                self.ticked = true;
                if let Some(chronicle) = &mut self.chronicle {
                    chronicle.ticked(&self.world);
                }
                stats.tick.store(tick, Ordering::Relaxed);
                let took = begun.elapsed();
                stats.tick_us.store(took.as_micros() as u64, Ordering::Relaxed);
                stats.tick_seconds.observe(took);
                if let Some(scheduled) = scheduled {
                    stats.schedule.applied(scheduled.into_std());
                }
                self.held.extend(done.map(|done| Held::Ticked(done, tick)));
            }
            Letter::Admin(call, reply) => {
                let answer = self.administer(call);
                self.held.push(Held::Answered(reply, answer));
            }
            Letter::Snapshot(reply) => self.held.push(Held::Snapshot(reply)),
            Letter::Tell { name, text } => {
                if let Some(reader) = self.world.find_player(&name).and_then(|who| self.reader(who)) {
                    reader.outbox.say(LineKind::Text, &text);
                }
            }
            Letter::Stop(close, reply) => {
                if self.stuck.is_none() {
                    let report = self.apply_input(Input::Admin(Admin::SaveAll));
                    self.deliver(report, Cause::Tick);
                }
                for reader in std::mem::take(&mut self.readers).into_iter().flatten() {
                    self.ended.insert(reader.session, reader.outbox.clone());
                    self.close(reader, close);
                }
                self.stopped = true;
                self.held.push(Held::Stopped(reply));
            }
        }
        stats.players.store(self.world.state.players.len() as u64, Ordering::Relaxed);
        stats.number.store(self.world.state.number, Ordering::Relaxed);
    }

    fn reader(&self, who: CharacterId) -> Option<&Reader> {
        self.readers.get(who.index as usize)?.as_ref().filter(|r| r.who == who)
    }

    /// Ends a connection after what it is still to read.
    fn close(&mut self, reader: Reader, why: Close) {
        self.held.push(Held::Close(reader.outbox, reader.items, why));
    }

    /// Whoever was linked when the last server ended is link-dead now, but for those whose connections live on.
    /// Gives back those whose lines may ride along.
    pub fn unlink(&mut self, but: &dyn Fn(&str) -> bool) -> Vec<Arc<Outbox>> {
        self.now_ms = unix_ms();
        let since_tick = self.world.tick();
        let players: Vec<CharacterId> = self.world.state.players.values().copied().collect();
        for who in players {
            let character = self.world.who(who);
            let linked = character.player().is_some_and(|player| player.link == Link::Linked);
            if linked && self.reader(who).is_none() && !but(&character.name) {
                let report = self.apply_input(Input::Link { who, link: Link::Lost { since_tick }, agent: false });
                self.deliver(report, Cause::Tick);
            }
        }
        self.finish_batch()
    }

    /// Ends the journal: the last snapshot is on disk when this returns. Blocks.
    pub fn finish(&mut self) -> std::io::Result<()> {
        match self.chronicle.take() {
            Some(chronicle) => chronicle.finish(&self.world, self.unwritten()),
            None => Ok(()),
        }
    }

    /// What the database does not have of the inputs whose requests were released.
    fn unwritten(&self) -> Unwritten {
        Unwritten { characters: self.saver.unsaved(), minds: self.minds.unwritten() }
    }

    fn low_on_disk(&self) -> bool {
        self.chronicle.as_ref().is_some_and(|c| c.gauges.low.load(Ordering::Relaxed))
    }

    fn enter(&mut self, entry: Entry) -> Entered {
        if entry.key.is_some_and(|key| self.revoked.contains(&key)) {
            return Entered::Revoked;
        }
        let here = self.world.find_player(&entry.name);
        let (who, report) = match (here, &entry.record) {
            (Some(who), _) if entry.yields && self.readers.get(who.index as usize).is_some_and(Option::is_some) => {
                return Entered::InUse;
            }
            (Some(who), _) => {
                let taken_over = self.readers.get_mut(who.index as usize).and_then(Option::take);
                if let Some(old) = taken_over {
                    self.close(old, Close::TakenOver);
                }
                self.make_flat(who, entry.facts.flat);
                (who, self.apply_input(Input::Link { who, link: Link::Linked, agent: entry.agent }))
            }
            (None, _) if self.low_on_disk() => return Entered::NoRoom,
            (None, None) => return Entered::NotHere(self.freshness),
            (None, Some(_)) if entry.freshness != self.freshness => return Entered::NotHere(self.freshness),
            (None, Some(record)) => {
                let mut record = record.clone();
                record.player.flat = entry.facts.flat;
                let report = self.apply_input(Input::Enter { record, agent: entry.agent });
                let who = report.entered.expect("whoever enters is in the world or comes into it");
                (who, report)
            }
        };
        let mut items = Vec::new();
        if entry.program {
            let state = ServerFrame::State(Box::new(self.world.state_for(who, entry.token)));
            items.push(Out::Frame(Encoded::new(&state)));
            if entry.agent {
                // Before the variables: with these a client may decide, and then it is to know what it remembers.
                items.extend(entry.memories.iter().cloned().map(Out::Frame));
                items.push(Out::FullVars(read_values(&self.world, who, VariableSet::ALL, |_| true)));
            }
        }
        if !entry.motd.is_empty() {
            items.push(Out::line(Line { kind: LineKind::Motd, text: entry.motd, ..Line::default() }));
        }
        if entry.mind {
            self.held.push(Held::Watch(entry.name.clone(), entry.outbox.clone()));
        }
        let index = who.index as usize;
        if self.readers.len() <= index {
            self.readers.resize_with(index + 1, || None);
        }
        self.readers[index] = Some(Reader {
            who,
            session: entry.session,
            key: entry.key,
            outbox: entry.outbox,
            facts: entry.facts,
            agent: entry.agent,
            program: entry.program,
            sight: entry.agent.then(|| self.world.sight(who)),
            own: false,
            things: false,
            room: false,
            wake: Wake::No,
            items,
            vars: Vec::new(),
        });
        self.deliver(report, Cause::Session(who));
        if here.is_some() && !entry.resumed {
            // Back in a body that never left: it looks about.
            let report = self.apply_input(Input::Command { who, line: "look".into() });
            self.deliver(report, Cause::Session(who));
        }
        self.mark(who, Wake::Now);
        if let Some(Some(reader)) = self.readers.get_mut(index) {
            reader.own = true;
        }
        Entered::As(who)
    }

    /// The journal knows which sessions are without valence, so that a replay records what was recorded.
    fn make_flat(&mut self, who: CharacterId, flat: bool) {
        if self.world.who(who).player().is_some_and(|player| player.flat != flat) {
            let report = self.apply_input(Input::Flat { who, flat });
            self.deliver(report, Cause::Session(who));
        }
    }

    fn administer(&mut self, call: AdminCall) -> AdminAnswer {
        let find = |name: &str| self.world.find_player(name);
        let admin = match call {
            AdminCall::Place { name, room } => {
                let Some(who) = find(&name) else { return AdminAnswer::NotHere };
                if self.world.room_by_vnum(room).is_none() {
                    return AdminAnswer::NoSuchRoom;
                }
                Admin::Place { who, room }
            }
            AdminCall::Promote { name, level } => match find(&name) {
                Some(who) => Admin::Promote { who, level },
                None => {
                    self.freshness.0 += 1;
                    return AdminAnswer::NotHere;
                }
            },
            AdminCall::Revoke { key } => {
                self.revoked.insert(key);
                let of_key = |reader: &Option<Reader>| reader.as_ref().is_some_and(|reader| reader.key == Some(key));
                let reader = self.readers.iter_mut().find(|reader| of_key(reader)).and_then(Option::take);
                let Some(reader) = reader else { return AdminAnswer::NotHere };
                let who = reader.who;
                // Before the world's own word for it, which knows nothing of keys.
                self.close(reader, Close::Revoked);
                Admin::Remove { who, reason: "The key of this session was revoked.".to_string() }
            }
            AdminCall::Remove { name, reason } => match find(&name) {
                Some(who) => Admin::Remove { who, reason },
                None => {
                    self.freshness.0 += 1;
                    return AdminAnswer::NotHere;
                }
            },
            AdminCall::Announce { text } => Admin::Announce { text },
        };
        let report = self.apply_input(Input::Admin(admin));
        self.deliver(report, Cause::Tick);
        AdminAnswer::Done
    }

    /// Hands out what one input caused.
    fn deliver(&mut self, mut report: Report, cause: Cause) {
        // First, while those are here who leave with it.
        for (who, matter) in Matter::of(&mut report, self.now_ms) {
            let verdict = match &matter {
                Matter::Asked(request) => self.capture.verdict(who, request.first),
                Matter::Happened(_) => None,
            };
            let reader = self.reader(who);
            let asker = reader.map(|r| Asker { outbox: r.outbox.clone(), facts: r.facts.clone(), verdict });
            self.held.push(Held::Mind(matter, asker));
        }
        let urgency = |who: CharacterId| match cause {
            Cause::Session(own) if own != who => Wake::Lazy,
            _ => Wake::Now,
        };
        for (to, outcome) in report.witnessed {
            let reader = self.readers.get_mut(to.index as usize).and_then(Option::as_mut);
            if let Some(reader) = reader.filter(|reader| reader.who == to && reader.agent) {
                reader.items.push(Out::Outcome(outcome));
                self.mark(to, urgency(to));
            }
        }
        let mut last: Option<Arc<Shared>> = None;
        for (to, line) in report.lines {
            let Some(reader) = self.readers.get_mut(to.index as usize).and_then(Option::as_mut).filter(|r| r.who == to)
            else {
                continue;
            };
            // Lines of one scene stand together: their readers share one encoding.
            let shared = match &last {
                Some(shared) if Arc::ptr_eq(&shared.line, &line) => shared.clone(),
                _ => Arc::new(Shared::new(line)),
            };
            reader.items.push(Out::Line(shared.clone()));
            last = Some(shared);
            self.mark(to, urgency(to));
        }
        for (who, touch) in report.touched {
            if let Some(reader) = self.readers.get_mut(who.index as usize).and_then(Option::as_mut)
                && reader.who == who
            {
                match touch {
                    Touch::Own => reader.own = true,
                    Touch::Things => reader.things = true,
                }
                self.mark(who, urgency(who));
            }
        }
        for room in report.touched_rooms {
            for n in 0..self.world.room(room).characters.len() {
                let who = self.world.room(room).characters[n];
                if let Some(reader) = self.readers.get_mut(who.index as usize).and_then(Option::as_mut)
                    && reader.who == who
                    && reader.agent
                {
                    reader.room = true;
                    self.mark(who, urgency(who));
                }
            }
        }
        for request in report.requests {
            match request {
                Request::Save { record, left } => {
                    self.freshness.0 += u64::from(left);
                    let name = left.then(|| record.name.to_string());
                    self.held.push(Held::Save(record, report.number));
                    // Behind all that happened to it, the parting itself among it.
                    self.held.extend(name.map(Held::Left));
                }
                Request::Disconnect { who, reason } => {
                    let place = self.readers.get_mut(who.index as usize);
                    let is_it = |reader: &mut Reader| reader.who == who;
                    if let Some(reader) = place.and_then(|reader| reader.take_if(is_it)) {
                        let why = match reason {
                            Goodbye::Quit => Close::Quit,
                            Goodbye::Idle => Close::Idle,
                            Goodbye::Removed => Close::Removed,
                        };
                        self.close(reader, why);
                    }
                }
                Request::Password { who } => {
                    let reader = self.readers.get_mut(who.index as usize).and_then(Option::as_mut);
                    if let Some(reader) = reader.filter(|r| r.who == who) {
                        reader.items.push(Out::Password);
                        // No line comes with it that would wake the session.
                        self.mark(who, Wake::Now);
                    }
                }
                Request::Shutdown { by } => {
                    tracing::info!(%by, "shutdown asked for in the game");
                    self.held.push(Held::Shutdown);
                }
                Request::Restart { by } => self.held.push(Held::Restart(by.to_string())),
                Request::Log { text } => tracing::info!("{text}"),
                // Taken out above.
                Request::Mind(_) => {}
            }
        }
    }

    fn mark(&mut self, who: CharacterId, wake: Wake) {
        if let Some(Some(reader)) = self.readers.get_mut(who.index as usize) {
            if reader.wake == Wake::No {
                self.busy.push(who.index);
            }
            reader.wake = reader.wake.max(wake);
        }
    }

    /// Puts the batch on its way to disk, then releases what it caused: reads what changed for each busy reader, wakes
    /// those who must know now, and gives back the others. While the world stands still nothing is released.
    pub fn finish_batch(&mut self) -> Vec<Arc<Outbox>> {
        if self.stuck.is_none() {
            self.flush();
        }
        if self.stuck.is_some() {
            if self.stopped {
                self.end_untold();
            }
            return Vec::new();
        }
        let lazy = self.release_to_readers();
        self.release_held();
        self.capture.release();
        if let Some(chronicle) = &mut self.chronicle {
            if std::mem::take(&mut self.ticked) {
                chronicle.sync_soon();
            }
            let (saver, minds) = (&self.saver, &self.minds);
            let unwritten = || Unwritten { characters: saver.unsaved(), minds: minds.unwritten() };
            chronicle.look_after(&self.world, self.now_ms, unwritten);
        }
        lazy
    }

    fn release_to_readers(&mut self) -> Vec<Arc<Outbox>> {
        let mut lazy = Vec::new();
        let mut busy = std::mem::take(&mut self.busy);
        for index in busy.drain(..) {
            let Some(Some(reader)) = self.readers.get_mut(index as usize) else { continue };
            let (own, things, mut room) = (reader.own, reader.things, reader.room);
            let wake = std::mem::replace(&mut reader.wake, Wake::No);
            (reader.own, reader.things, reader.room) = (false, false, false);
            let mut vars = std::mem::take(&mut reader.vars);
            let mut prompt = None;
            if self.world.character(reader.who).is_some() {
                if reader.agent {
                    let subscribed = reader.outbox.subscribed();
                    if (own || things || room) && !subscribed.is_empty() {
                        if own || room {
                            let sight = self.world.sight(reader.who);
                            room |= reader.sight != Some(sight);
                            reader.sight = Some(sight);
                        }
                        vars.extend(read_values(&self.world, reader.who, subscribed, |group| match group {
                            Group::Own => own,
                            Group::Things => things,
                            Group::Room => room,
                            Group::Events => false,
                        }));
                    }
                } else if own && !reader.program {
                    prompt = Some(prompt_of(&self.world, reader.who));
                }
            }
            if reader.outbox.release(&mut reader.items, vars, prompt, wake) {
                lazy.push(reader.outbox.clone());
            }
            reader.items.shrink_to(ITEMS_KEPT);
        }
        self.busy = busy;
        lazy
    }

    /// The end of a server whose journal cannot be written: what is not in it is shown to nobody and saved nowhere.
    fn end_untold(&mut self) {
        for held in self.held.drain(..) {
            match held {
                Held::Close(outbox, _, why) => outbox.close(why),
                Held::Stopped(reply) => {
                    let _hung_up = reply.send(());
                }
                _ => {}
            }
        }
    }

    fn release_held(&mut self) {
        let mut snapshots = Vec::new();
        for held in self.held.drain(..) {
            match held {
                Held::Snapshot(reply) => snapshots.push(reply),
                Held::Close(outbox, mut items, why) => {
                    outbox.release(&mut items, Vec::new(), None, Wake::No);
                    outbox.close(why);
                }
                Held::Save(record, number) => self.saver.save(record, number),
                Held::Left(name) => self.minds.left(&name),
                Held::Mind(matter, asker) => self.minds.take(matter, asker),
                Held::Watch(name, outbox) => self.minds.watch(&name, &outbox),
                // From here on, callers may have hung up meanwhile; a session then tells us that it is lost.
                Held::Entered(reply, entered) => {
                    let _hung_up = reply.send(entered);
                }
                Held::Ticked(reply, tick) => {
                    let _hung_up = reply.send(tick);
                }
                Held::Answered(reply, answer) => {
                    let _hung_up = reply.send(answer);
                }
                Held::Stopped(reply) => {
                    let _hung_up = reply.send(());
                }
                Held::Shutdown => self.shutdown = true,
                Held::Restart(by) => self.restarts.push(by),
            }
        }
        // Only now have saver and minds got everything of the inputs that the world has seen.
        for reply in snapshots {
            let _hung_up = reply.send(self.chronicle.as_ref().map(|c| c.snapshot(&self.world, self.unwritten())));
        }
    }

    /// After a `subscribe`: the values of what is subscribed now.
    fn send_subscribed(&mut self, who: CharacterId, full: bool) {
        let Some(Some(reader)) = self.readers.get_mut(who.index as usize) else { return };
        if full {
            reader.items.push(Out::FullVars(read_values(&self.world, who, VariableSet::ALL, |_| true)));
        } else {
            let values = read_values(&self.world, who, reader.outbox.subscribed(), |_| true);
            reader.vars.extend(values.into_iter().filter(|(v, _)| *v != Variable::Events));
        }
        self.mark(who, Wake::Now);
    }
}

/// The values of some variables, in the documented order.
fn read_values(
    world: &World,
    who: CharacterId,
    which: VariableSet,
    groups: impl Fn(Group) -> bool,
) -> Vec<(Variable, String)> {
    let mut values = Vec::new();
    for row in VARS {
        if which.contains(row.variable) && groups(row.group) {
            let mut value = String::new();
            (row.read)(world, who, &mut value);
            values.push((row.variable, value));
        }
    }
    values
}

fn prompt_of(world: &World, who: CharacterId) -> Prompt {
    let flags = world.who(who).player_flags();
    Prompt { text: world.prompt(who), color: flags.has(PlayerFlags::COLOR), compact: flags.has(PlayerFlags::COMPACT) }
}
