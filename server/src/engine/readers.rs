//! Who is connected to which character, and what each is to read of what the inputs of a batch caused.
//!
//! What is put here is held: `Readers::release` hands it to the outboxes when the core says so, and only then are
//! variables and prompts read, once for the whole batch. Leaves the order of inputs and the journal to `core`.

use super::letter::Entry;
use crate::capture::SessionFacts;
use crate::outbox::{Out, Outbox, Prompt, Shared, Wake};
use protocol::frame::{Encoded, ServerFrame};
use protocol::variables::{Variable, VariableSet};
use std::sync::Arc;
use world::character::PlayerFlags;
use world::report::{Line, LineKind, Report, Touch};
use world::vars::{Group, Sight, VARS};
use world::{CharacterId, World};

/// What a session keeps of the room for held lines.
const ITEMS_KEPT: usize = 8;

/// Who caused a report: its own lines leave at once.
#[derive(Clone, Copy)]
pub enum Cause {
    Session(CharacterId),
    Tick,
}

/// All who are connected.
#[derive(Default)]
pub struct Readers {
    /// By index of the character's id.
    at: Vec<Option<Reader>>,
    /// Indices of readers with something to do at the end of the batch.
    busy: Vec<u32>,
}

/// One connected character.
pub struct Reader {
    pub who: CharacterId,
    pub session: u64,
    /// The key by which it came in.
    pub key: Option<i64>,
    pub outbox: Arc<Outbox>,
    pub facts: Arc<SessionFacts>,
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
    /// All variables were asked for.
    full: bool,
    wake: Wake,
    /// Held until the journal has what caused it.
    pub items: Vec<Out>,
    vars: Vec<(Variable, String)>,
}

impl Reader {
    /// Somebody who comes in, with what it reads before all else: its state, its past, all variables, the message of
    /// the day.
    fn new(world: &World, who: CharacterId, entry: Entry) -> Reader {
        let mut items = Vec::new();
        if entry.program {
            let state = ServerFrame::State(Box::new(world.state_for(who, entry.token)));
            items.push(Out::Frame(Encoded::new(&state)));
            if entry.agent {
                // Before the variables: with these a client may decide, and then it is to know what it remembers.
                items.extend(entry.memories.iter().cloned().map(Out::Frame));
                items.push(Out::FullVars(read_values(world, who, VariableSet::ALL, |_| true)));
            }
        }
        if !entry.motd.is_empty() {
            items.push(Out::line(Line { kind: LineKind::Motd, text: entry.motd, ..Line::default() }));
        }
        Reader {
            who,
            session: entry.session,
            key: entry.key,
            outbox: entry.outbox,
            facts: entry.facts,
            agent: entry.agent,
            program: entry.program,
            sight: entry.agent.then(|| world.sight(who)),
            own: false,
            things: false,
            room: false,
            full: false,
            wake: Wake::No,
            items,
            vars: Vec::new(),
        }
    }
}

impl Readers {
    pub fn get(&self, who: CharacterId) -> Option<&Reader> {
        self.at.get(who.index as usize)?.as_ref().filter(|reader| reader.who == who)
    }

    fn get_mut(&mut self, who: CharacterId) -> Option<&mut Reader> {
        self.at.get_mut(who.index as usize)?.as_mut().filter(|reader| reader.who == who)
    }

    /// Whether the place of this character is held, by whatever connection.
    pub fn is_held(&self, who: CharacterId) -> bool {
        self.at.get(who.index as usize).is_some_and(Option::is_some)
    }

    /// Takes out whoever holds the place of this character.
    pub fn vacate(&mut self, who: CharacterId) -> Option<Reader> {
        self.at.get_mut(who.index as usize).and_then(Option::take)
    }

    /// Takes out the reader of this character.
    pub fn take(&mut self, who: CharacterId) -> Option<Reader> {
        self.at.get_mut(who.index as usize)?.take_if(|reader| reader.who == who)
    }

    /// Takes out the reader that came in by this key.
    pub fn take_of_key(&mut self, key: i64) -> Option<Reader> {
        let of_key = |reader: &Option<Reader>| reader.as_ref().is_some_and(|reader| reader.key == Some(key));
        self.at.iter_mut().find(|reader| of_key(reader)).and_then(Option::take)
    }

    /// Takes out all.
    pub fn take_all(&mut self) -> impl Iterator<Item = Reader> + use<> {
        std::mem::take(&mut self.at).into_iter().flatten()
    }

    pub fn seat(&mut self, world: &World, who: CharacterId, entry: Entry) {
        let index = who.index as usize;
        if self.at.len() <= index {
            self.at.resize_with(index + 1, || None);
        }
        self.at[index] = Some(Reader::new(world, who, entry));
    }

    fn mark(&mut self, who: CharacterId, wake: Wake) {
        if let Some(Some(reader)) = self.at.get_mut(who.index as usize) {
            if reader.wake == Wake::No {
                self.busy.push(who.index);
            }
            reader.wake = reader.wake.max(wake);
        }
    }

    /// Its own variables, or its prompt, are due at the end of the batch.
    pub fn show_own(&mut self, who: CharacterId) {
        self.mark(who, Wake::Now);
        if let Some(reader) = self.get_mut(who) {
            reader.own = true;
        }
    }

    /// The player may change its password now.
    pub fn ask_password(&mut self, who: CharacterId) {
        if let Some(reader) = self.get_mut(who) {
            reader.items.push(Out::Password);
            // No line comes with it that would wake the session.
            self.mark(who, Wake::Now);
        }
    }

    /// Gives each its part of what one input caused: outcomes, lines, and what is to be read again.
    pub fn hand_out(&mut self, world: &World, report: &mut Report, cause: Cause) {
        let urgency = |who: CharacterId| match cause {
            Cause::Session(own) if own != who => Wake::Lazy,
            _ => Wake::Now,
        };
        for (to, outcome) in std::mem::take(&mut report.witnessed) {
            if let Some(reader) = self.get_mut(to).filter(|reader| reader.agent) {
                reader.items.push(Out::Outcome(outcome));
                self.mark(to, urgency(to));
            }
        }
        let mut last: Option<Arc<Shared>> = None;
        for (to, line) in std::mem::take(&mut report.lines) {
            let Some(reader) = self.get_mut(to) else { continue };
            // Lines of one scene stand together: their readers share one encoding.
            let shared = match &last {
                Some(shared) if Arc::ptr_eq(&shared.line, &line) => shared.clone(),
                _ => Arc::new(Shared::new(line)),
            };
            reader.items.push(Out::Line(shared.clone()));
            last = Some(shared);
            self.mark(to, urgency(to));
        }
        for (who, touch) in std::mem::take(&mut report.touched) {
            if let Some(reader) = self.get_mut(who) {
                match touch {
                    Touch::Own => reader.own = true,
                    Touch::Things => reader.things = true,
                }
                self.mark(who, urgency(who));
            }
        }
        for room in std::mem::take(&mut report.touched_rooms) {
            for &who in &world.room(room).characters {
                if let Some(reader) = self.get_mut(who).filter(|reader| reader.agent) {
                    reader.room = true;
                    self.mark(who, urgency(who));
                }
            }
        }
    }

    /// After a `subscribe`: the values of what is subscribed now.
    pub fn send_subscribed(&mut self, world: &World, who: CharacterId, full: bool) {
        let Some(Some(reader)) = self.at.get_mut(who.index as usize) else { return };
        if full {
            // Read once at the end of the batch, however often it was asked for.
            reader.full = true;
        } else {
            let values = read_values(world, who, reader.outbox.subscribed(), |_| true);
            reader.vars.extend(values.into_iter().filter(|(v, _)| *v != Variable::Events));
        }
        self.mark(who, Wake::Now);
    }

    /// Reads what changed for each busy reader and puts everything into the outboxes. Wakes those who must know now,
    /// and gives back the others.
    pub fn release(&mut self, world: &World) -> Vec<Arc<Outbox>> {
        let mut lazy = Vec::new();
        let mut busy = std::mem::take(&mut self.busy);
        for index in busy.drain(..) {
            let Some(Some(reader)) = self.at.get_mut(index as usize) else { continue };
            let (own, mut things, mut room) = (reader.own, reader.things, reader.room);
            let wake = std::mem::replace(&mut reader.wake, Wake::No);
            (reader.own, reader.things, reader.room) = (false, false, false);
            let mut vars = std::mem::take(&mut reader.vars);
            let mut prompt = None;
            if world.character(reader.who).is_some() {
                if reader.agent {
                    let subscribed = reader.outbox.subscribed();
                    if (own || things || room) && !subscribed.is_empty() {
                        if own || room {
                            let sight = world.sight(reader.who);
                            room |= reader.sight != Some(sight);
                            things |= reader.sight.is_none_or(|before| !sight.sees_own_like(&before));
                            reader.sight = Some(sight);
                        }
                        vars.extend(read_values(world, reader.who, subscribed, |group| match group {
                            Group::Own => own,
                            Group::Things => things,
                            Group::Room => room,
                            Group::Events => false,
                        }));
                    }
                } else if own && !reader.program {
                    prompt = Some(prompt_of(world, reader.who));
                }
            }
            if std::mem::take(&mut reader.full) && world.character(reader.who).is_some() {
                reader.items.push(Out::FullVars(read_values(world, reader.who, VariableSet::ALL, |_| true)));
            }
            if reader.outbox.release(&mut reader.items, vars, prompt, wake) {
                lazy.push(reader.outbox.clone());
            }
            reader.items.shrink_to(ITEMS_KEPT);
        }
        self.busy = busy;
        lazy
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
