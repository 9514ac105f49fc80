//! The inside of the engine: the world and its journal, what a letter does, and what is held until the journal has it.
//!
//! Invariant: whatever an input causes (lines, variables, answers, saves, the end of a connection) is held until the
//! journal has the input, and released at the end of the batch. When the journal cannot be written the world stands
//! still: nothing more is applied, what is held stays held, and it is tried again until there is room.

use super::letter::{AdminAnswer, AdminCall, Entered, Entry, Freshness, Letter};
use super::readers::{Cause, Reader, Readers};
use super::{LATE_MS, Stats};
use crate::capture::{Capture, Origin};
use crate::journal::{Chronicle, Snapshot, Unwritten};
use crate::minds::{Asker, Matter, Minds};
use crate::outbox::{Close, Out, Outbox, Wake};
use crate::saving::Saver;
use crate::times::unix_ms;
use content::Text;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::oneshot;
use world::character::Link;
use world::record::CharacterRecord;
use world::report::{Goodbye, LineKind, Report, Request};
use world::{Admin, CharacterId, Input, World};

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

const STANDS_STILL: &str =
    "The world holds its breath: there is no room left to write down what happens. Try again in a moment.";

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
    readers: Readers,
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
            readers: Readers::default(),
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
                if let Some(reader) = self.readers.get(who).filter(|r| r.session == session) {
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
                if let Some(reader) = self.readers.get(who).filter(|r| r.session == session) {
                    let origin = (self.world.capture != world::report::Capture::Nobody).then(|| Origin {
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
                if self.readers.get(who).is_some_and(|r| r.session == session) {
                    self.readers.take(who);
                    let since_tick = self.world.tick();
                    let report = self.apply_input(Input::Link { who, link: Link::Lost { since_tick }, agent: false });
                    self.deliver(report, Cause::Session(who));
                }
            }
            Letter::Subscribed { who, session, full } => {
                if self.readers.get(who).is_some_and(|r| r.session == session) {
                    self.readers.send_subscribed(&self.world, who, full);
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
                if let Some(reader) = self.world.find_player(&name).and_then(|who| self.readers.get(who)) {
                    reader.outbox.say(LineKind::Text, &text);
                }
            }
            Letter::Stop(close, reply) => {
                if self.stuck.is_none() {
                    let report = self.apply_input(Input::Admin(Admin::SaveAll));
                    self.deliver(report, Cause::Tick);
                }
                for reader in self.readers.take_all() {
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
            if linked && self.readers.get(who).is_none() && !but(&character.name) {
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
            (Some(who), _) if entry.yields && self.readers.is_held(who) => {
                return Entered::InUse;
            }
            (Some(who), _) => {
                if let Some(old) = self.readers.vacate(who) {
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
        if entry.mind {
            self.held.push(Held::Watch(entry.name.clone(), entry.outbox.clone()));
        }
        let resumed = entry.resumed;
        self.readers.seat(&self.world, who, entry);
        self.deliver(report, Cause::Session(who));
        if here.is_some() && !resumed {
            // Back in a body that never left: it looks about.
            let report = self.apply_input(Input::Command { who, line: "look".into() });
            self.deliver(report, Cause::Session(who));
        }
        self.readers.show_own(who);
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
                    self.freshness.grow();
                    return AdminAnswer::NotHere;
                }
            },
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
            AdminCall::Announce { text } => Admin::Announce { text },
            AdminCall::Edit { by, rows } => return self.edit(by, rows),
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
        // First, while those are here who leave with it.
        for (who, matter) in Matter::of(&mut report, self.now_ms) {
            let verdict = match &matter {
                Matter::Asked(request) => self.capture.verdict(who, request.first),
                Matter::Happened(_) => None,
            };
            let asker =
                self.readers.get(who).map(|r| Asker { outbox: r.outbox.clone(), facts: r.facts.clone(), verdict });
            self.held.push(Held::Mind(matter, asker));
        }
        self.readers.hand_out(&self.world, &mut report, cause);
        for request in report.requests {
            match request {
                Request::Save { record, left } => {
                    if left {
                        self.freshness.grow();
                    }
                    let name = left.then(|| record.name.to_string());
                    self.held.push(Held::Save(record, report.number));
                    // Behind all that happened to it, the parting itself among it.
                    self.held.extend(name.map(Held::Left));
                }
                Request::Disconnect { who, reason } => {
                    if let Some(reader) = self.readers.take(who) {
                        let why = match reason {
                            Goodbye::Quit => Close::Quit,
                            Goodbye::Idle => Close::Idle,
                            Goodbye::Removed => Close::Removed,
                        };
                        self.close(reader, why);
                    }
                }
                Request::Password { who } => self.readers.ask_password(who),
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
}
