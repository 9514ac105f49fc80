//! The inside of the engine: the world, who reads it, and what a letter does.

use super::outbox::{Close, Out, Outbox, Prompt, Shared};
use super::{LATE_MS, Stats};
use crate::saving::Saver;
use protocol::frame::{Encoded, ServerFrame};
use protocol::variables::{Variable, VariableSet};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::sync::oneshot;
use world::character::{Link, PlayerFlags};
use world::content::Vnum;
use world::record::CharacterRecord;
use world::report::{Goodbye, Report, Request, Touch};
use world::vars::{Group, Sight, VARS};
use world::{Admin, CharacterId, Input, World};

/// What sessions and the operator post.
pub enum Letter {
    Command {
        who: CharacterId,
        session: u64,
        line: String,
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
    Stop(oneshot::Sender<()>),
}

/// Somebody wants to be connected to a character.
pub struct Entry {
    pub name: String,
    /// What the store holds; `None` asks only whether it is in the world already.
    pub record: Option<Box<CharacterRecord>>,
    pub agent: bool,
    pub session: u64,
    /// The key by which it comes in.
    pub key: Option<i64>,
    /// From `Entered::NotHere`: how fresh the record is.
    pub freshness: Freshness,
    /// Gets frames, not only lines.
    pub program: bool,
    pub outbox: Arc<Outbox>,
    /// For the `state` frame.
    pub token: Option<String>,
    /// Shown before anything else; may be empty.
    pub motd: String,
}

pub enum Entered {
    As(CharacterId),
    /// Not in the world; come again with a record that is read from now on.
    NotHere(Freshness),
    /// By a key that was revoked on the way.
    Revoked,
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
}

/// One connected character.
struct Reader {
    who: CharacterId,
    session: u64,
    /// The key by which it came in.
    key: Option<i64>,
    outbox: Arc<Outbox>,
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
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Wake {
    No,
    Lazy,
    Now,
}

/// Who caused a report: its own lines leave at once.
#[derive(Clone, Copy)]
enum Cause {
    Session(CharacterId),
    Tick,
}

pub struct Core {
    world: World,
    saver: Arc<Saver>,
    /// By index of the character's id.
    readers: Vec<Option<Reader>>,
    /// Indices of readers with something to do at the end of the batch.
    busy: Vec<u32>,
    freshness: Freshness,
    /// Revoked since the start: a login that was checked before may still be on its way.
    revoked: BTreeSet<i64>,
    shutdown: bool,
    stopped: bool,
}

impl Core {
    pub fn new(world: World, saver: Arc<Saver>) -> Core {
        Core {
            world,
            saver,
            readers: Vec::new(),
            busy: Vec::new(),
            freshness: Freshness::default(),
            revoked: BTreeSet::new(),
            shutdown: false,
            stopped: false,
        }
    }

    pub fn world(&self) -> &World {
        &self.world
    }

    pub fn take_shutdown(&mut self) -> bool {
        std::mem::take(&mut self.shutdown)
    }

    pub fn apply(&mut self, letter: Letter, stats: &Stats) {
        if self.stopped {
            // Answers are dropped, which their callers take for the end.
            return;
        }
        match letter {
            Letter::Command { who, session, line } => {
                if self.reader(who).is_some_and(|r| r.session == session) {
                    let report = self.world.apply(&Input::Command { who, line });
                    self.deliver(report, Cause::Session(who));
                }
            }
            Letter::Enter(entry, reply) => {
                let entered = self.enter(*entry);
                // The caller may have hung up meanwhile; then its session tells us that it is lost.
                let _hung_up = reply.send(entered);
            }
            Letter::Lost { who, session } => {
                if self.reader(who).is_some_and(|r| r.session == session) {
                    self.readers[who.index as usize] = None;
                    let since_tick = self.world.tick();
                    let report = self.world.apply(&Input::Link { who, link: Link::Lost { since_tick }, agent: false });
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
                let begun = std::time::Instant::now();
                let report = self.world.apply(&Input::Tick);
                let tick = report.tick;
                self.deliver(report, Cause::Tick);
                stats.tick.store(tick, Ordering::Relaxed);
                stats.tick_us.store(begun.elapsed().as_micros() as u64, Ordering::Relaxed);
                if let Some(done) = done {
                    let _hung_up = done.send(tick);
                }
            }
            Letter::Admin(call, reply) => {
                let answer = self.administer(call);
                let _hung_up = reply.send(answer);
            }
            Letter::Stop(reply) => {
                let report = self.world.apply(&Input::Admin(Admin::SaveAll));
                self.deliver(report, Cause::Tick);
                for reader in self.readers.iter().flatten() {
                    reader.outbox.close(Close::Stopping);
                }
                self.stopped = true;
                let _hung_up = reply.send(());
            }
        }
        stats.players.store(self.world.state.players.len() as u64, Ordering::Relaxed);
    }

    fn reader(&self, who: CharacterId) -> Option<&Reader> {
        self.readers.get(who.index as usize)?.as_ref().filter(|r| r.who == who)
    }

    fn enter(&mut self, entry: Entry) -> Entered {
        if entry.key.is_some_and(|key| self.revoked.contains(&key)) {
            return Entered::Revoked;
        }
        let here = self.world.find_player(&entry.name);
        let (who, report) = match (here, &entry.record) {
            (Some(who), _) => {
                let taken_over = self.readers.get_mut(who.index as usize).and_then(Option::take);
                if let Some(old) = taken_over {
                    old.outbox.close(Close::TakenOver);
                }
                (who, self.world.apply(&Input::Link { who, link: Link::Linked, agent: entry.agent }))
            }
            (None, None) => return Entered::NotHere(self.freshness),
            (None, Some(_)) if entry.freshness != self.freshness => return Entered::NotHere(self.freshness),
            (None, Some(record)) => {
                let report = self.world.apply(&Input::Enter { record: record.clone(), agent: entry.agent });
                let who = report.entered.expect("whoever enters is in the world or comes into it");
                (who, report)
            }
        };
        if entry.program {
            let state = ServerFrame::State(Box::new(self.world.state_for(who, entry.token)));
            entry.outbox.put(Out::Frame(Encoded::new(&state)));
            if entry.agent {
                let values = read_values(&self.world, who, VariableSet::ALL, |_| true);
                entry.outbox.put(Out::FullVars(values));
            }
        }
        if !entry.motd.is_empty() {
            let line = world::report::Line {
                kind: world::report::LineKind::Motd,
                text: entry.motd,
                ..world::report::Line::default()
            };
            entry.outbox.put(Out::Line(Arc::new(Shared::new(Arc::new(line)))));
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
            agent: entry.agent,
            program: entry.program,
            sight: entry.agent.then(|| self.world.sight(who)),
            own: false,
            things: false,
            room: false,
            wake: Wake::No,
        });
        self.deliver(report, Cause::Session(who));
        if here.is_some() {
            // Back in a body that never left: it looks about.
            let report = self.world.apply(&Input::Command { who, line: "look".into() });
            self.deliver(report, Cause::Session(who));
        }
        self.mark(who, Wake::Now);
        if let Some(Some(reader)) = self.readers.get_mut(index) {
            reader.own = true;
        }
        Entered::As(who)
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
                let of_key = self.readers.iter().flatten().find(|reader| reader.key == Some(key));
                let Some(reader) = of_key else { return AdminAnswer::NotHere };
                // Before the world's own word for it, which knows nothing of keys.
                reader.outbox.close(Close::Revoked);
                Admin::Remove { who: reader.who, reason: "The key of this session was revoked.".to_string() }
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
        let report = self.world.apply(&Input::Admin(admin));
        self.deliver(report, Cause::Tick);
        AdminAnswer::Done
    }

    /// Hands out what one input caused.
    fn deliver(&mut self, report: Report, cause: Cause) {
        let urgency = |who: CharacterId| match cause {
            Cause::Session(own) if own != who => Wake::Lazy,
            _ => Wake::Now,
        };
        let mut last: Option<Arc<Shared>> = None;
        for (to, line) in report.lines {
            let Some(reader) = self.readers.get(to.index as usize).and_then(Option::as_ref).filter(|r| r.who == to)
            else {
                continue;
            };
            // Lines of one scene stand together: their readers share one encoding.
            let shared = match &last {
                Some(shared) if Arc::ptr_eq(&shared.line, &line) => shared.clone(),
                _ => Arc::new(Shared::new(line)),
            };
            reader.outbox.put(Out::Line(shared.clone()));
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
                    self.saver.save(record, report.number);
                }
                Request::Disconnect { who, reason } => {
                    if let Some(reader) = self.readers.get_mut(who.index as usize).and_then(Option::take) {
                        if reader.who == who {
                            reader.outbox.close(match reason {
                                Goodbye::Quit => Close::Quit,
                                Goodbye::Idle => Close::Idle,
                                Goodbye::Removed => Close::Removed,
                            });
                        } else {
                            self.readers[who.index as usize] = Some(reader);
                        }
                    }
                }
                Request::Password { who } => {
                    if let Some(reader) = self.reader(who) {
                        reader.outbox.put(Out::Password);
                        // No line comes with it that would wake the session.
                        self.mark(who, Wake::Now);
                    }
                }
                Request::Shutdown { by } => {
                    tracing::info!(%by, "shutdown asked for in the game");
                    self.shutdown = true;
                }
                Request::Log { text } => tracing::info!("{text}"),
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

    /// Reads what changed for each busy reader, wakes those who must know now, and gives back the others.
    pub fn finish_batch(&mut self) -> Vec<Arc<Outbox>> {
        let mut lazy = Vec::new();
        let busy = std::mem::take(&mut self.busy);
        for index in &busy {
            let Some(Some(reader)) = self.readers.get_mut(*index as usize) else { continue };
            let (own, things, mut room) = (reader.own, reader.things, reader.room);
            let wake = std::mem::replace(&mut reader.wake, Wake::No);
            (reader.own, reader.things, reader.room) = (false, false, false);
            if self.world.character(reader.who).is_none() {
                continue;
            }
            if reader.agent {
                let subscribed = reader.outbox.subscribed();
                if (own || things || room) && !subscribed.is_empty() {
                    if own || room {
                        let sight = self.world.sight(reader.who);
                        room |= reader.sight != Some(sight);
                        reader.sight = Some(sight);
                    }
                    let values = read_values(&self.world, reader.who, subscribed, |group| match group {
                        Group::Own => own,
                        Group::Things => things,
                        Group::Room => room,
                        Group::Events => false,
                    });
                    if !values.is_empty() {
                        reader.outbox.put_vars(values);
                    }
                }
            } else if own && !reader.program {
                reader.outbox.put_prompt(prompt_of(&self.world, reader.who));
            }
            match wake {
                Wake::Now => reader.outbox.wake(),
                Wake::Lazy if reader.outbox.mark_lazy() => lazy.push(reader.outbox.clone()),
                Wake::Lazy | Wake::No => {}
            }
        }
        self.busy = busy;
        self.busy.clear();
        lazy
    }

    /// After a `subscribe`: the values of what is subscribed now.
    fn send_subscribed(&mut self, who: CharacterId, full: bool) {
        let Some(reader) = self.reader(who) else { return };
        if full {
            let values = read_values(&self.world, who, VariableSet::ALL, |_| true);
            reader.outbox.put(Out::FullVars(values));
        } else {
            let values = read_values(&self.world, who, reader.outbox.subscribed(), |_| true);
            let values = values.into_iter().filter(|(v, _)| *v != Variable::Events).collect();
            reader.outbox.put_vars(values);
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
