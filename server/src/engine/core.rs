//! The inside of the engine: the world and its journal, what a message does, and what is held until the journal has it.
//!
//! Invariant: whatever an input causes (lines, variables, answers, saves, the end of a connection) is held until the
//! journal has the input, and released at the end of the batch. When the journal cannot be written the world stands
//! still: nothing more is applied, what is held stays held, and it is tried again until there is room.

use super::attending::{as_time_passes, attend};
use super::message::{AdminAnswer, AdminCall, Answer, Entered, Entry, Freshness, Message, Question, Wants};
use super::message::{CallId, SessionId};
use super::notables::Notables;
use super::readers::{Cause, Reader, Readers};
use super::sessions::Sessions;
use super::stats::{LATE_MS, Stats};
use crate::accounts::KeyId;
use crate::archive::Archive;
use crate::capture::{Capture, Origin};
use crate::exports::Exports;
use crate::journal::{LiveJournal, Unwritten};
use crate::log_input::LogInput;
use crate::minds::{Asker, Minds};
use crate::outbox::{Close, Out, Outbox, Wake};
use crate::saver::Saver;
use crate::times::{WallClock, unix_us};
use content::Text;
use content::scripts::ScriptSource;
use mind::derive::{Derived, Ran};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;
use world::channel::row::Row;
use world::character::{Link, PlayerFlags};
use world::draws::WAITING_MAX;
use world::record::CharacterRecord;
use world::report::{
    Asks, Capture as Whose, Goodbye, HandDownRequest, HistoryRequest, Line, LineKind, Moderation, NameRequest, Report,
    Request,
};
use world::{Admin, CharacterId, Input, World};

/// What an input caused besides lines: held until the journal has that input.
enum Effect {
    /// The end of a connection, with what it is still to read.
    Close(Arc<Outbox>, Vec<Out>, Close),
    Save(Box<CharacterRecord>, u64),
    /// This character is no longer in the world.
    Left(String),
    Mind(LogInput, Option<Asker>),
    LookUp(HistoryRequest, Asker),
    LookForName(NameRequest),
    HandDown(HandDownRequest),
    /// An immortal of this name asks for it.
    ReloadScripts(String),
    Moderate(Moderation),
    /// Rows of one input, which came at that time.
    Keep(Vec<Row>, u64, i64),
    /// This reader wants to be told of the mind of this character, who is this person; where it says so, of all its
    /// minds.
    Watch(String, Option<u32>, Arc<Outbox>, bool),
    Answer(CallId, Answer),
    Snapshot(CallId),
    Shutdown,
    /// An agent waits to be made.
    AgentOrdered,
    /// An immortal of this name asks for it.
    Restart(String),
}

/// How often a journal that could not be written is tried again.
const TRY_AGAIN: Duration = Duration::from_millis(200);

const STANDS_STILL: &str =
    "The world holds its breath: there is no room left to write down what happens. Try again in a moment.";

/// Where nothing is kept, as in an experiment.
const NOT_KEPT: &str = "What was said earlier is not kept here.";

pub struct Core {
    /// Whose the numbers in messages are.
    sessions: Arc<Sessions>,
    world: World,
    saver: Arc<Saver>,
    minds: Arc<Minds>,
    /// Where persons, channels and messages are kept.
    pub archive: Option<Arc<Archive>>,
    /// Who hands down what characters have learned.
    pub heirs: Option<mpsc::UnboundedSender<HandDownRequest>>,
    /// Who looks whether names are free.
    pub names: Option<mpsc::UnboundedSender<NameRequest>>,
    /// Who keeps bans and complaints.
    pub moderator: Option<mpsc::UnboundedSender<Moderation>>,
    /// Who reads the scripts again, for an immortal of that name.
    pub script_reader: Option<mpsc::UnboundedSender<String>>,
    /// Who is told of those who leave the world.
    pub exports: Option<Arc<Exports>>,
    capture: Capture,
    /// `None`: nothing is written down, and nothing survives but what the database has.
    journal: Option<LiveJournal>,
    held: VecDeque<Effect>,
    /// The journal could not be written; since when, and when it was last tried.
    stuck: Option<Instant>,
    /// What cannot be refused while the world stands still, to be done when it goes on.
    deferred: Vec<Message>,
    /// Of this batch, unix milliseconds.
    clock: WallClock,
    now_ms: i64,
    ticked: bool,
    readers: Readers,
    freshness: Freshness,
    /// Agents, or who plays them, may be otherwise than before this batch.
    stirred: bool,
    /// Revoked since the start: a login that was checked before may still be on its way.
    revoked: BTreeSet<KeyId>,
    shutdown: bool,
    agent_ordered: bool,
    /// Who asked for a restart.
    restarts: Vec<String>,
    stopped: bool,
    /// Connections that the stop ended, by session.
    ended: BTreeMap<SessionId, Arc<Outbox>>,
    /// What of all that happens watchers are told.
    pub notables: Arc<Notables>,
}

impl Core {
    pub fn new(
        sessions: Arc<Sessions>,
        world: World,
        saver: Arc<Saver>,
        minds: Arc<Minds>,
        capture: Capture,
        journal: Option<LiveJournal>,
        clock: WallClock,
    ) -> Core {
        Core {
            sessions,
            world,
            saver,
            minds,
            archive: None,
            heirs: None,
            names: None,
            moderator: None,
            script_reader: None,
            exports: None,
            capture,
            journal,
            held: VecDeque::new(),
            stuck: None,
            deferred: Vec::new(),
            now_ms: clock.now_ms(),
            ticked: false,
            readers: Readers::new(clock.clone()),
            clock,
            freshness: Freshness::default(),
            stirred: false,
            revoked: BTreeSet::new(),
            shutdown: false,
            agent_ordered: false,
            restarts: Vec::new(),
            stopped: false,
            ended: BTreeMap::new(),
            notables: Arc::default(),
        }
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn take_shutdown(&mut self) -> bool {
        std::mem::take(&mut self.shutdown)
    }

    /// Whether agents, or who plays them, may be otherwise than the last time.
    pub fn take_stirred(&mut self) -> bool {
        std::mem::take(&mut self.stirred)
    }

    /// Whether an agent was ordered since the last time.
    pub fn take_agent_ordered(&mut self) -> bool {
        std::mem::take(&mut self.agent_ordered)
    }

    /// Names of immortals who asked for a restart since the last time.
    pub fn take_restarts(&mut self) -> Vec<String> {
        std::mem::take(&mut self.restarts)
    }

    /// Before the messages of a batch. Gives back those that have waited for the world to go on.
    pub fn begin_batch(&mut self) -> Vec<Message> {
        self.now_ms = self.clock.now_ms();
        if self.stuck.is_some_and(|tried| tried.elapsed() >= TRY_AGAIN) {
            self.flush();
            if self.stuck.is_none() {
                return std::mem::take(&mut self.deferred);
            }
        }
        Vec::new()
    }

    /// Something was given up half-way by a mistake of ours. A recovery, which makes no lines, might not meet it at the
    /// same place, so the world as it is now is written down soon.
    pub fn given_up(&mut self) {
        self.readers.mend();
        if let Some(journal) = &mut self.journal {
            journal.snapshot_due();
        }
    }

    /// Puts what was applied on its way to disk. The world stands still where that fails.
    fn flush(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        match journal.flush() {
            Ok(()) => {
                if self.stuck.take().is_some() {
                    tracing::warn!("the journal can be written again; the world goes on");
                    journal.gauges.stuck.store(false, Ordering::Relaxed);
                }
            }
            Err(error) => {
                if self.stuck.replace(Instant::now()).is_none() {
                    tracing::error!(%error, "the journal cannot be written: the world stands still until it can");
                    journal.gauges.stuck.store(true, Ordering::Relaxed);
                }
            }
        }
    }

    /// The only place where an input reaches the world.
    fn apply_input(&mut self, input: Input) -> Report {
        if let Some(journal) = &mut self.journal {
            journal.input(self.world.state.number + 1, self.now_ms, &input);
        }
        let report = self.world.apply(&input);
        if let Some(journal) = self.journal.as_mut().filter(|_| !report.script_stops.is_empty()) {
            journal.stops(&report.script_stops);
        }
        let leaves =
            |request: &Request| matches!(request, Request::Disconnect { .. } | Request::Save { left: true, .. });
        self.stirred |= matches!(input, Input::Enter { .. } | Input::Link { .. })
            || !report.agents.is_empty()
            || report.requests.iter().any(leaves);
        report
    }

    /// What becomes of a message while the world stands still. Gives back those that are not for the world.
    fn hold_still(&mut self, message: Message, stats: &Stats) -> Option<Message> {
        match message {
            Message::Command { who, session, .. } => {
                if let Some(reader) = self.readers.of(who, session) {
                    reader.outbox.say(LineKind::Refusal, STANDS_STILL);
                }
            }
            Message::Ask { call, question: Question::Enter(_) } => {
                self.sessions.answer(call, Answer::Entered(Entered::NoRoom));
            }
            Message::Ask { call, question: Question::Admin(_) } => {
                self.sessions.answer(call, Answer::Admin(AdminAnswer::NoRoom));
            }
            // The world's time stands still too. Whoever steps it is told by the missing answer.
            Message::Tick => stats.schedule.left_out(),
            Message::Ask { call, question: Question::Step } => self.sessions.hang_up(call),
            message @ (Message::Lost { .. }
            | Message::Link { .. }
            | Message::Window { .. }
            | Message::Subscribed { .. }
            | Message::Recorded { .. }
            | Message::Ask { question: Question::Snapshot, .. }) => self.deferred.push(message),
            message @ (Message::Tell { .. } | Message::Ask { question: Question::Stop(_), .. }) => {
                return Some(message);
            }
        }
        None
    }

    /// Once the engine has stopped: callers are told that no answer comes, and a line waits for the next program, if
    /// there is one.
    fn too_late(&self, message: Message) {
        match message {
            Message::Command { session, line, .. } => {
                if let Some(outbox) = self.ended.get(&session) {
                    outbox.give_back(line);
                }
            }
            Message::Ask { call, .. } => self.sessions.hang_up(call),
            _ => {}
        }
    }

    pub fn apply(&mut self, message: Message, stats: &Stats) {
        if self.stopped {
            return self.too_late(message);
        }
        let message = match self.stuck {
            None => message,
            Some(_) => match self.hold_still(message, stats) {
                None => return,
                Some(message) => message,
            },
        };
        match message {
            Message::Command { who, session, line, id, meta, came_us } => {
                if let Some(reader) = self.readers.of(who, session) {
                    let origin = (self.world.capture != Whose::Nobody).then(|| Origin {
                        who,
                        came: ago(came_us),
                        facts: reader.facts.clone(),
                        meta,
                    });
                    let mut report = self.apply_input(Input::Command { who, line });
                    if let Some(id) = id {
                        self.readers.expect(who, report.number, id);
                    }
                    let mut found = self.derive(&report);
                    found.extend(attend(&self.world, &mut self.readers, &report));
                    self.capture.note(&self.world, &mut report, self.now_ms, origin);
                    self.deliver(report, Cause::Session(who));
                    self.find_all_out(found);
                }
            }
            Message::Lost { who, session } => {
                if self.readers.of(who, session).is_some() {
                    self.readers.take(who);
                    let since_tick = self.world.tick();
                    let report = self.apply_input(Input::Link { who, link: Link::Lost { since_tick }, agent: false });
                    self.deliver(report, Cause::Session(who));
                }
            }
            Message::Link { who, session, lost, agent } => {
                if self.readers.of(who, session).is_some() {
                    let link = if lost { Link::Lost { since_tick: self.world.tick() } } else { Link::Linked };
                    let report = self.apply_input(Input::Link { who, link, agent: agent && !lost });
                    self.deliver(report, Cause::Session(who));
                }
            }
            Message::Window { who, session, columns } => {
                if self.readers.of(who, session).is_some() {
                    let report = self.apply_input(Input::Window { who, columns });
                    self.deliver(report, Cause::Session(who));
                }
            }
            Message::Subscribed { who, session, full } => {
                if self.readers.of(who, session).is_some() {
                    self.readers.send_subscribed(&self.world, who, full);
                }
            }
            Message::Recorded { who, session, record } => {
                if let Some(reader) = self.readers.of(who, session) {
                    reader.facts.record.get_or_init(|| record);
                }
            }
            Message::Tick => {
                let late_ms = stats.schedule.overdue(Instant::now()).as_millis() as u64;
                stats.lag_ms.store(late_ms, Ordering::Relaxed);
                if late_ms > LATE_MS {
                    stats.late_ticks.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!(late_ms, tick = self.world.tick() + 1, "a tick was late");
                }
                stats.schedule.applied();
                self.tick(stats);
            }
            Message::Tell { name, text } => {
                if let Some(reader) = self.world.find_player(&name).and_then(|who| self.readers.get(who)) {
                    reader.outbox.say(LineKind::Text, &text);
                }
            }
            Message::Ask { call, question } => self.answer(call, question, stats),
        }
        stats.players.store(self.world.state.players.len() as u64, Ordering::Relaxed);
        stats.number.store(self.world.state.number, Ordering::Relaxed);
    }

    fn answer(&mut self, call: CallId, question: Question, stats: &Stats) {
        let answer = match question {
            Question::Enter(entry) => match self.sessions.outbox(entry.session) {
                Some(outbox) => Answer::Entered(self.enter(*entry, outbox)),
                // The connection has ended meanwhile.
                None => return self.sessions.hang_up(call),
            },
            Question::Step => Answer::Stepped(self.tick(stats)),
            Question::Admin(asked) => Answer::Admin(self.administer(asked)),
            Question::Snapshot => return self.held.push_back(Effect::Snapshot(call)),
            Question::Stop(why) => {
                self.stop(why);
                Answer::Stopped
            }
        };
        self.held.push_back(Effect::Answer(call, answer));
    }

    /// The tick that the world is at then.
    fn tick(&mut self, stats: &Stats) -> u64 {
        let begun = Instant::now();
        let mut report = self.apply_input(Input::Tick);
        let mut found = self.derive(&report);
        found.extend(attend(&self.world, &mut self.readers, &report));
        self.capture.note(&self.world, &mut report, self.now_ms, None);
        let tick = report.tick;
        found.extend(as_time_passes(&mut self.readers, tick));
        self.deliver(report, Cause::Tick);
        self.find_all_out(found);
        self.minds.ticked(tick);
        self.ticked = true;
        if let Some(journal) = &mut self.journal {
            journal.ticked(&self.world);
        }
        stats.tick.store(tick, Ordering::Relaxed);
        stats.note_scripts(&self.world.state.scripts);
        let took = begun.elapsed();
        stats.tick_us.store(took.as_micros() as u64, Ordering::Relaxed);
        stats.tick_seconds.observe(took);
        tick
    }

    /// What follows from the commands that were run, for those whose clients read their minds.
    fn derive(&mut self, report: &Report) -> Vec<(CharacterId, Derived)> {
        let mut found = Vec::new();
        // What the mind is asked it refuses itself.
        for ran in report.ran.iter().filter(|ran| ran.asks.is_none()) {
            let Some(deriver) = self.readers.deriver(ran.who) else { continue };
            let room = ran.before.room;
            let room_name = self.world.room_by_vnum(room).map(|id| &*self.world.room_proto(id).name);
            let derived = deriver.take(&Ran {
                word: &ran.word,
                args: &ran.args,
                room,
                room_name: room_name.unwrap_or_default(),
                refused: ran.refused.as_deref(),
                tick: report.tick,
            });
            found.extend(derived.into_iter().map(|derived| (ran.who, derived)));
        }
        found
    }

    fn find_all_out(&mut self, found: Vec<(CharacterId, Derived)>) {
        for (who, Derived { verb, args }) in found {
            self.find_out(who, verb.into(), args.as_str().into());
        }
    }

    /// What the server found out becomes an input, so that the journal has it. Nobody asked, so nobody is answered; who
    /// watches the mind is told of the entries.
    fn find_out(&mut self, who: CharacterId, verb: Text, args: Text) {
        let mut report = self.apply_input(Input::Found { who, verb, args });
        for (_, input) in LogInput::of(&mut report, self.now_ms) {
            self.held.push_back(Effect::Mind(input, None));
        }
    }

    /// Saves everybody and ends every connection. After this nothing is applied any more.
    fn stop(&mut self, why: Close) {
        if self.stuck.is_none() {
            let report = self.apply_input(Input::Admin(Admin::SaveAll));
            self.deliver(report, Cause::Tick);
        }
        for reader in self.readers.take_all() {
            self.ended.insert(reader.session, reader.outbox.clone());
            self.close(reader, why);
        }
        self.stopped = true;
    }

    /// Ends a connection after what it is still to read.
    fn close(&mut self, reader: Reader, why: Close) {
        self.held.push_back(Effect::Close(reader.outbox, reader.items, why));
    }

    /// The world is told what the clock of this machine says, and what was set that it obeys. At a start, before
    /// anything else happens.
    pub fn tell_start(&mut self, tick_ms: u32, agents_per_owner: u32) {
        self.now_ms = self.clock.now_ms();
        let started = Admin::Started { unix_ms: self.now_ms, tick_ms, agents_per_owner };
        let report = self.apply_input(Input::Admin(started));
        self.deliver(report, Cause::Tick);
        // What builders changed on disk while no server ran.
        let mut sources = self.world.content.scripts.clone();
        // Of those that they broke, play goes by what it went by.
        let broken = &self.world.content.broken_scripts;
        sources.extend(self.world.state.scripts.sources().filter(|known| broken.contains(&known.name)).cloned());
        if !self.world.state.scripts.differences(&sources).is_empty() {
            self.take_scripts(sources);
        }
    }

    /// These are the scripts from now on. Names of those that are others than before.
    fn take_scripts(&mut self, sources: Vec<ScriptSource>) -> Vec<Text> {
        let changed = self.world.state.scripts.differences(&sources);
        let report = self.apply_input(Input::Admin(Admin::Scripts { sources }));
        self.deliver(report, Cause::Tick);
        changed
    }

    /// Whoever was linked when the last server ended is link-dead now, but for those whose connections live on.
    /// Gives back those whose lines may ride along.
    pub fn unlink(&mut self, but: &dyn Fn(&str) -> bool) -> Vec<Arc<Outbox>> {
        self.now_ms = self.clock.now_ms();
        let since_tick = self.world.tick();
        let players: Vec<CharacterId> = self.world.state.players.values().copied().collect();
        for who in players {
            let character = self.world.who(who);
            let linked = character.player().is_some_and(|player| player.link == Link::Linked);
            if linked && self.readers.get(who).is_none() && !but(&character.name) {
                let report = self.apply_input(Input::Link { who, link: Link::Lost { since_tick }, agent: false });
                self.deliver(report, Cause::Tick);
            }
        }
        self.finish_batch()
    }

    /// Ends the journal: the last snapshot is on disk when this returns. Blocks.
    pub fn finish(&mut self) -> std::io::Result<()> {
        match self.journal.take() {
            Some(journal) => journal.finish(&self.world, self.unwritten()),
            None => Ok(()),
        }
    }

    /// What the database does not have of the inputs whose requests were released.
    fn unwritten(&self) -> Unwritten {
        unwritten(&self.saver, &self.minds, self.archive.as_deref())
    }

    fn low_on_disk(&self) -> bool {
        self.journal.as_ref().is_some_and(|c| c.gauges.low.load(Ordering::Relaxed))
    }

    fn enter(&mut self, entry: Entry, outbox: Arc<Outbox>) -> Entered {
        if entry.key.is_some_and(|key| self.revoked.contains(&key)) {
            return Entered::Revoked;
        }
        if self.world.is_retired(&entry.name) {
            return Entered::Retired;
        }
        let here = self.world.find_player(&entry.name);
        let (who, report) = match (here, &entry.record) {
            (Some(who), _) if entry.yields && self.readers.is_held(who) => {
                return Entered::InUse;
            }
            (Some(who), _) => {
                if let Some(old) = self.readers.vacate(who) {
                    self.close(old, Close::TakenOver);
                }
                self.set_valence(who, entry.facts.valence_off);
                if entry.wants.has(Wants::MIND) {
                    self.keep_talk(who);
                }
                let linked = Input::Link { who, link: Link::Linked, agent: entry.agent };
                (who, (!entry.away).then(|| self.apply_input(linked)))
            }
            (None, _) if self.low_on_disk() => return Entered::NoRoom,
            (None, None) => return Entered::NotHere(self.freshness),
            (None, Some(_)) if entry.freshness != self.freshness => return Entered::NotHere(self.freshness),
            (None, Some(record)) => {
                let mut record = record.clone();
                record.player.valence_off = entry.facts.valence_off;
                if entry.wants.has(Wants::MIND) {
                    record.player.flags.insert(PlayerFlags::TRANSCRIPT);
                }
                let report = self.apply_input(Input::Enter { record, agent: entry.agent });
                let who = report.entered.expect("whoever enters is in the world or comes into it");
                (who, Some(report))
            }
        };
        if entry.wants.has(Wants::MIND) {
            let person = self.world.person_of(who);
            let all = entry.wants.has(Wants::COUNCIL);
            self.held.push_back(Effect::Watch(entry.name.clone(), person, outbox.clone(), all));
        }
        let resumed = entry.resumed;
        self.readers.seat(&self.world, who, entry, here.is_some(), outbox);
        if let Some(report) = report {
            self.deliver(report, Cause::Session(who));
        }
        if here.is_some() && !resumed {
            // Back in a body that never left: it looks about.
            let report = self.apply_input(Input::Command { who, line: "look".into() });
            self.deliver(report, Cause::Session(who));
        }
        self.readers.show_own(who);
        Entered::As(who)
    }

    /// The journal knows which sessions are without valence, so that a replay records what was recorded.
    fn set_valence(&mut self, who: CharacterId, off: bool) {
        if self.world.who(who).player().is_some_and(|player| player.valence_off != off) {
            let report = self.apply_input(Input::SetValence { who, off });
            self.deliver(report, Cause::Session(who));
        }
    }

    /// A session that reads its mind finds there what was said.
    fn keep_talk(&mut self, who: CharacterId) {
        if !self.world.who(who).player_flags().has(PlayerFlags::TRANSCRIPT) {
            let report = self.apply_input(Input::KeepTalk { who });
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
                    self.freshness.grow();
                    return AdminAnswer::NotHere;
                }
            },
            AdminCall::Reread { name } => {
                if find(&name).is_some() {
                    return AdminAnswer::Done;
                }
                self.freshness.grow();
                return AdminAnswer::NotHere;
            }
            AdminCall::Revoke { key } => {
                self.revoked.insert(key);
                let Some(reader) = self.readers.take_of_key(key) else { return AdminAnswer::NotHere };
                let who = reader.who;
                // Before the world's own word for it, which knows nothing of keys.
                self.close(reader, Close::Revoked);
                Admin::Remove { who, reason: "The key of this session was revoked.".to_string() }
            }
            AdminCall::Remove { name, reason } => match find(&name) {
                Some(who) => Admin::Remove { who, reason },
                None => {
                    self.freshness.grow();
                    return AdminAnswer::NotHere;
                }
            },
            AdminCall::Forget { name } => Admin::Forget { name },
            AdminCall::Announce { text } => Admin::Announce { text },
            AdminCall::AgentMade { id, name } => Admin::AgentMade { id, name },
            AdminCall::Crown { who } => Admin::Crown { who },
            AdminCall::Agent { who, owner, terms } => Admin::Agent { who, owner, terms },
            AdminCall::Post { channel, text } => {
                let report = self.apply_input(Input::Admin(Admin::Post { channel, text }));
                let refused = report.refused.clone();
                self.deliver(report, Cause::Tick);
                return refused.map_or(AdminAnswer::Done, AdminAnswer::Refused);
            }
            AdminCall::Load { draw, faces, who } => {
                let who = match who.map(|name| find(&name)) {
                    Some(None) => return AdminAnswer::NotHere,
                    found => found.flatten(),
                };
                let room = self.world.state.loaded.room(draw);
                if faces.len() > room {
                    let name = draw.name();
                    let why = format!("Only {room} more dice may wait for {name}, of {WAITING_MAX}; none was loaded.");
                    return AdminAnswer::Refused(why);
                }
                let report = self.apply_input(Input::Admin(Admin::Load { draw, faces, who }));
                self.deliver(report, Cause::Tick);
                return AdminAnswer::Waiting(self.world.state.loaded.waiting());
            }
            AdminCall::Named { person, name, taken, by } => {
                let report = self.apply_input(Input::Named { person, name, taken, by });
                self.deliver(report, Cause::Tick);
                return AdminAnswer::Done;
            }
            AdminCall::Found { name, verb, args } => {
                let Some(who) = find(&name) else { return AdminAnswer::NotHere };
                self.find_out(who, verb, args);
                return AdminAnswer::Done;
            }
            AdminCall::FoundOpen { name, open } => {
                let deriver = find(&name).and_then(|who| self.readers.deriver(who));
                deriver.into_iter().for_each(|deriver| deriver.resume(&open));
                return AdminAnswer::Done;
            }
            AdminCall::Edit { by, rows } => return self.edit(by, rows),
            AdminCall::Scripts { sources } => return AdminAnswer::Scripts(self.take_scripts(sources)),
            AdminCall::Edits => {
                return AdminAnswer::Edits(self.world.state.edits.iter().map(|row| row.text.as_str()).collect());
            }
        };
        let report = self.apply_input(Input::Admin(admin));
        self.deliver(report, Cause::Tick);
        AdminAnswer::Done
    }

    /// A builder's rows become an input when there is nothing wrong with them.
    fn edit(&mut self, by: Text, rows: String) -> AdminAnswer {
        let edited = match world::edit::preview(&self.world, &rows) {
            Ok(edited) => edited,
            Err(problems) => return AdminAnswer::NotEdited(problems),
        };
        let report = self.apply_input(Input::Edit { by, rows });
        self.deliver(report, Cause::Tick);
        AdminAnswer::Edited {
            rows: edited.rows.iter().map(ToString::to_string).collect(),
            warnings: edited.warnings.0.iter().map(ToString::to_string).collect(),
        }
    }

    /// Hands out what one input caused.
    fn deliver(&mut self, mut report: Report, cause: Cause) {
        self.notables.note(&report);
        // First, while those are here who leave with it.
        let mut asking = report
            .done
            .iter()
            .filter(|done| done.asks == Asks::Mind)
            .map(|done| (done.who, done.id))
            .collect::<Vec<_>>();
        for (who, input) in LogInput::of(&mut report, self.now_ms) {
            let is_request = matches!(input, LogInput::Request(_));
            let by = asking.iter().position(|(asker, _)| is_request && *asker == who).map(|at| asking.remove(at).1);
            let verdict = match &input {
                LogInput::Request(request) => self.capture.verdict(who, request.first),
                LogInput::Record(..) => None,
            };
            let asker = self.readers.get(who).map(|r| Asker {
                outbox: r.outbox.clone(),
                facts: r.facts.clone(),
                verdict,
                cause: by.and_then(|id| r.cause_of_input(id.input)).map(|cause| (cause, report.tick)),
            });
            self.held.push_back(Effect::Mind(input, asker));
        }
        let kept = std::mem::take(&mut report.kept);
        if !kept.is_empty() && self.archive.is_some() {
            self.held.push_back(Effect::Keep(kept, report.number, self.now_ms));
        }
        self.ask_archive(&report);
        self.readers.hand_out(&self.world, &mut report, cause);
        for request in report.requests {
            match request {
                Request::Save { record, left } => {
                    if left {
                        self.freshness.grow();
                    }
                    let name = left.then(|| record.name.to_string());
                    self.held.push_back(Effect::Save(record, report.number));
                    // Behind all that happened to it, the parting itself among it.
                    self.held.extend(name.map(Effect::Left));
                }
                Request::Disconnect { who, reason } => {
                    if let Some(reader) = self.readers.take(who) {
                        let why = match reason {
                            Goodbye::Quit => Close::Quit,
                            Goodbye::Idle => Close::Idle,
                            Goodbye::Removed => Close::Removed,
                            Goodbye::Retired => Close::Retired,
                        };
                        self.close(reader, why);
                    }
                }
                Request::Password { who } => self.readers.ask_connection(who, Out::Password),
                Request::Client { who } => self.readers.ask_connection(who, Out::Client),
                Request::MakeAgent => self.held.push_back(Effect::AgentOrdered),
                Request::Shutdown { by } => {
                    tracing::info!(%by, "shutdown asked for in the game");
                    self.held.push_back(Effect::Shutdown);
                }
                Request::Restart { by } => self.held.push_back(Effect::Restart(by.to_string())),
                Request::Moderate(order) => self.held.push_back(Effect::Moderate(order)),
                Request::ReloadScripts { by } => self.held.push_back(Effect::ReloadScripts(by.to_string())),
                Request::Log { text } => tracing::info!("{text}"),
                Request::Warn { text } => tracing::warn!("{text}"),
                // Seen to above.
                Request::Mind(_) | Request::History(_) => {}
                Request::Name(request) => self.held.push_back(Effect::LookForName(*request)),
                Request::HandDown(request) => self.held.push_back(Effect::HandDown(*request)),
            }
        }
    }

    /// Hands over what readers ask of what was said.
    fn ask_archive(&mut self, report: &Report) {
        let mut done = report.done.iter().filter(|done| done.asks == Asks::History);
        for request in &report.requests {
            let Request::History(request) = request else { continue };
            let Some(reader) = self.readers.get(request.who) else { continue };
            let by = done.by_ref().find(|done| done.who == request.who);
            let cause = by.and_then(|done| reader.cause_of_input(done.id.input)).map(|cause| (cause, report.tick));
            let asker = Asker { outbox: reader.outbox.clone(), facts: reader.facts.clone(), verdict: None, cause };
            self.held.push_back(Effect::LookUp(request.as_ref().clone(), asker));
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
        let lazy = self.readers.release(&self.world);
        self.release_held();
        self.capture.release();
        if let Some(journal) = &mut self.journal {
            if std::mem::take(&mut self.ticked) {
                journal.sync_soon();
            }
            let (saver, minds) = (&self.saver, &self.minds);
            let archive = self.archive.as_deref();
            journal.look_after(&self.world, self.now_ms, || unwritten(saver, minds, archive));
        }
        lazy
    }

    /// The end of a server whose journal cannot be written: what is not in it is shown to nobody and saved nowhere.
    fn end_untold(&mut self) {
        for effect in self.held.drain(..) {
            match effect {
                Effect::Close(outbox, _, why) => outbox.close(why),
                Effect::Answer(call, answer @ Answer::Stopped) => self.sessions.answer(call, answer),
                Effect::Answer(call, _) | Effect::Snapshot(call) => self.sessions.hang_up(call),
                _ => {}
            }
        }
    }

    fn release_held(&mut self) {
        let mut snapshots = Vec::new();
        // One by one, so that a panic costs only what caused it.
        while let Some(effect) = self.held.pop_front() {
            match effect {
                Effect::Snapshot(call) => snapshots.push(call),
                Effect::Close(outbox, mut items, why) => {
                    outbox.release(&mut items, Vec::new(), None, Wake::No);
                    outbox.close(why);
                }
                Effect::Save(record, number) => self.saver.save(record, number),
                Effect::Left(name) => {
                    if let Some(exports) = &self.exports {
                        exports.look_at(&name);
                    }
                }
                Effect::Mind(input, asker) => self.minds.take(input, asker),
                Effect::LookUp(request, asker) => match &self.archive {
                    Some(archive) => archive.answer(request, asker),
                    None => asker.answer([], Some(Out::line(Line { text: NOT_KEPT.into(), ..Line::default() }))),
                },
                Effect::LookForName(request) => match &self.names {
                    // Whoever answers ends with the server.
                    Some(names) => drop(names.send(request)),
                    None => tracing::warn!(name = &*request.name, "nobody looks for names here"),
                },
                Effect::HandDown(request) => match &self.heirs {
                    Some(heirs) => drop(heirs.send(request)),
                    None => tracing::warn!(from = &*request.from, "nobody hands anything down here"),
                },
                Effect::Moderate(order) => match &self.moderator {
                    Some(moderator) => drop(moderator.send(order)),
                    None => tracing::warn!(by = &*order.by, "nobody keeps bans and complaints here"),
                },
                Effect::ReloadScripts(by) => match &self.script_reader {
                    Some(reader) => drop(reader.send(by)),
                    None => tracing::warn!(by, "there is no folder here to read scripts from"),
                },
                Effect::Keep(rows, number, at_ms) => {
                    if let Some(archive) = &self.archive {
                        archive.take(rows, number, at_ms);
                    }
                }
                Effect::Watch(name, person, outbox, false) => self.minds.watch(&name, person, &outbox),
                Effect::Watch(name, person, outbox, true) => self.minds.watch_all(&name, person, &outbox),
                Effect::Answer(call, answer) => self.sessions.answer(call, answer),
                Effect::Shutdown => self.shutdown = true,
                Effect::AgentOrdered => self.agent_ordered = true,
                Effect::Restart(by) => self.restarts.push(by),
            }
        }
        // Only now have saver and minds got everything of the inputs that the world has seen.
        for call in snapshots {
            let snapshot = self.journal.as_ref().map(|c| c.snapshot(&self.world, self.unwritten()));
            self.sessions.answer(call, Answer::Snapshot(Box::new(snapshot)));
        }
    }
}

/// What the database does not have yet.
fn unwritten(saver: &Saver, minds: &Minds, archive: Option<&Archive>) -> Unwritten {
    let archive = archive.map(Archive::unwritten).unwrap_or_default();
    Unwritten { characters: saver.unsaved(), minds: minds.unwritten(), archive }
}

/// The moment so many unix microseconds are of, on the clock that does not jump.
fn ago(unix_us_then: u64) -> Instant {
    let now = Instant::now();
    now.checked_sub(Duration::from_micros(unix_us().saturating_sub(unix_us_then))).unwrap_or(now)
}
