//! Who is connected to which character, and what each is to read of what the inputs of a batch caused.
//!
//! What is put here is held: `Readers::release` hands it to the outboxes when the core says so, and only then are
//! variables and prompts read, once for the whole batch. Leaves the order of inputs and the journal to `core`.

use super::message::SessionId;
use super::message::{Entry, Wants};
use crate::accounts::KeyId;
use crate::outbox::{Broadcast, Happened, Out, Outbox, Prompt, RUN_MIN, Run, Shared, Value, Wake};
use crate::session::SessionFacts;
use crate::session::summary::{Round, Standing, definite};
use crate::times::WallClock;
use mind::derive::Deriver;
use mind::measure::Measure;
use protocol::cause::Cause as CommandCause;
use protocol::channel::{Message, Reacted};
use protocol::frame::{Encoded, ServerFrame};
use protocol::outcome::Outcome;
use protocol::payload::{State, WorldState};
use protocol::variables::{Variable, VariableSet};
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use world::aloud;
use world::character::{Player, PlayerFlags};
use world::clock::Clock;
use world::commands::look::condition;
use world::number::CommandId;
use world::report::{Asks, Line, LineKind, LineParts, Lines, Report, Touch, Witnessed};
use world::vars::{Group, PlayersSeen, Sight, VARS};
use world::{CharacterId, InputNumber, World};

/// A tick of the world, by which the times of older messages are reckoned.
const TICK_MS: i64 = 2_000;

/// What changes with those in the room, and with those of the group.
const AROUND: VariableSet = VariableSet(
    VariableSet::of(Variable::Practices).0
        | VariableSet::of(Variable::Opponent).0
        | VariableSet::of(Variable::RoomPlayers).0
        | VariableSet::of(Variable::RoomOffers).0,
);
const PARTY: VariableSet = VariableSet::of(Variable::Group);
/// And with the hour.
const HOUR: VariableSet = VariableSet(VariableSet::of(Variable::WorldTime).0 | VariableSet::of(Variable::RoomOffers).0);

/// What a session keeps of the room for held lines.
const ITEMS_KEPT: usize = 8;

/// Ids of commands that are kept for each session: a fight goes on for as many commands, and then some.
const IDS_KEPT: usize = 512;

/// The same of places in the crowd's lines.
const RUN_KEPT: usize = 128;

/// Who caused a report: its own lines leave at once.
#[derive(Clone, Copy)]
pub enum Cause {
    Session(CharacterId),
    Tick,
}

/// All who are connected.
#[derive(Default)]
pub struct Readers {
    clock: WallClock,
    /// By index of the character's id.
    at: Vec<Option<Reader>>,
    /// Indices of readers with something to do at the end of the batch.
    busy: Vec<u32>,
    /// Who was told that it waits, and is to be told when that is over.
    waiting: BTreeSet<CharacterId>,
    /// Lines of this batch that several read.
    crowd: Crowd,
    /// For the lines of one report; kept for its memory.
    places: Vec<Place>,
}

/// Lines of one batch that several readers get.
#[derive(Default)]
struct Crowd {
    broadcast: Arc<Broadcast>,
    lines: Vec<Arc<Shared>>,
}

impl Crowd {
    /// Ends the batch: whoever refers to it may read it now.
    fn seal(&mut self) {
        if !self.lines.is_empty() {
            let broadcast = std::mem::take(&mut self.broadcast);
            broadcast.seal(std::mem::take(&mut self.lines));
        }
    }
}

/// Who reads a line of a report.
#[derive(Clone, Copy)]
enum Place {
    /// Nobody who was looked at up to now.
    New,
    /// So many; it has no place yet.
    Readers(u32),
    /// Several; it is at this place of the crowd's lines.
    Crowd(u32),
}

/// One connected character.
pub struct Reader {
    pub who: CharacterId,
    pub session: SessionId,
    /// The key by which it came in.
    pub key: Option<KeyId>,
    pub outbox: Arc<Outbox>,
    pub facts: Arc<SessionFacts>,
    wants: Wants,
    /// How the character saw its room when its room variables were last read.
    sight: Option<Sight>,
    /// Groups to be read again at the end of the batch.
    own: bool,
    things: bool,
    room: bool,
    around: bool,
    party: bool,
    hour: bool,
    /// Blows that are not told yet, where it reads one line for all of them.
    round: Round,
    /// What its arts were by when they were last read.
    arts: Option<u64>,
    /// Until when it was told that it waits; 0: that it does not.
    waits_until: u64,
    /// All variables were asked for.
    full: bool,
    wake: Wake,
    /// Held until the journal has what caused it.
    pub items: Vec<Out>,
    /// The newest of the same: places in the crowd's lines.
    run: Vec<u32>,
    vars: Vec<(Variable, Value)>,
    /// Channels to be told of anew at the end of the batch.
    channels: BTreeSet<u32>,
    /// All of them: it has just come in.
    all_channels: bool,
    /// Its record as an agent is due at the end of the batch.
    record: bool,
    /// Its commands that came with an id, by the number of their input, ascending; at most [`IDS_KEPT`]. Empty: it
    /// wants to be told of no causes.
    ids: VecDeque<(InputNumber, u64)>,
    /// What follows from its commands, where its client reads its mind.
    deriver: Option<Box<Deriver>>,
}

impl Reader {
    /// Somebody who comes in, with what it reads before all else: its state, its past, all variables, the message of
    /// the day. Who was never away knows all that.
    fn new(world: &World, who: CharacterId, entry: Entry, returned: bool, outbox: Arc<Outbox>) -> Reader {
        let mut items = Vec::new();
        let variables = entry.wants.has(Wants::VARIABLES);
        if entry.wants.has(Wants::FRAMES) && !entry.resumed {
            let known = entry.world.map(|known| WorldState { tick: world.tick(), ..known });
            let state = ServerFrame::State(Box::new(State {
                world: known,
                resumed: entry.stream.is_some().then_some(false),
                stream: entry.stream,
                returned,
                ..world.state_for(who, entry.token)
            }));
            items.push(Out::Frame(Encoded::new(&state)));
            if variables {
                // Before the variables: with these a client may decide, and then it is to know what it remembers.
                items.extend(entry.memories.iter().cloned().map(Out::Frame));
                items.push(Out::FullVars(read_values(world, who, VariableSet::PUBLISHED, |_| true)));
            }
        }
        if !entry.motd.is_empty() {
            items.push(Out::line(Line { kind: LineKind::Motd, text: entry.motd, ..Line::default() }));
        }
        let deriver = entry
            .wants
            .has(Wants::MIND)
            .then(|| Box::new(Deriver::measuring(Measure::new(entry.reads.tokens, entry.reads.story))));
        Reader {
            who,
            session: entry.session,
            key: entry.key,
            outbox,
            facts: entry.facts,
            wants: entry.wants,
            sight: variables.then(|| world.sight(who)),
            own: false,
            things: false,
            room: false,
            around: false,
            party: false,
            hour: false,
            round: Round::default(),
            arts: None,
            waits_until: 0,
            full: false,
            wake: Wake::No,
            items,
            run: Vec::new(),
            vars: Vec::new(),
            channels: BTreeSet::new(),
            all_channels: true,
            record: true,
            ids: VecDeque::new(),
            deriver,
        }
    }

    /// A person's client has none, until it asks for some.
    fn reads_variables(&self) -> bool {
        self.wants.has(Wants::VARIABLES) && (self.wants.has(Wants::FRAMES) || !self.outbox.subscribed().is_empty())
    }

    /// What it is told of a command that something follows from. `None`: it does not want to know.
    pub fn cause_of_input(&self, input: InputNumber) -> Option<CommandCause> {
        self.ids.front()?;
        let id = self.ids.binary_search_by_key(&input, |(number, _)| *number).ok().map(|at| self.ids[at].1);
        Some(CommandCause { id, input })
    }

    /// Something to read that is not the crowd's.
    fn push(&mut self, out: Out, crowd: &Crowd) {
        self.end_run(crowd);
        self.items.push(out);
    }

    /// What the next entry follows from, where the reader wants to know. True: it is told.
    fn push_because(&mut self, cause: Option<CommandId>, crowd: &Crowd) -> bool {
        let cause = cause.and_then(|id| self.cause_of_input(id.input));
        if let Some(cause) = cause {
            self.push(Out::Because(cause), crowd);
        }
        cause.is_some()
    }

    /// Whether a line is a blow that it reads with the others of its round.
    fn sums_up(&mut self, world: &World, line: &Line) -> bool {
        let is_blow = matches!(line.kind, LineKind::CombatDealt | LineKind::CombatTaken | LineKind::Combat);
        let Some(outcome) = line.outcome.as_deref().filter(|_| is_blow) else { return false };
        let wants = world.character(self.who).is_some_and(|c| c.player_flags().has(PlayerFlags::SUMMARY));
        wants && self.round.takes(outcome)
    }

    /// The line of the blows up to here, if there were any.
    fn tell_round(&mut self, world: &World, crowd: &Crowd) {
        let Some(c) = world.character(self.who) else { return };
        let opponent = c.fighting.and_then(|id| world.character(id).map(|other| (id, other)));
        let named = opponent.map(|(id, other)| (definite(world.name_for(self.who, id)), condition(other)));
        let own = world.instance_of(self.who);
        let standing = Standing {
            own: &own,
            hit: c.hit,
            hit_max: c.now.hit_max,
            opponent: named.as_ref().map(|(name, condition)| (&**name, *condition)),
        };
        if let Some(text) = self.round.told(&standing) {
            self.push(Out::line(Line { kind: LineKind::Combat, text, ..Line::default() }), crowd);
        }
    }

    /// Puts the places of the crowd's lines into what is to be read.
    fn end_run(&mut self, crowd: &Crowd) {
        if self.run.is_empty() {
            return;
        }
        let lines = || self.run.iter().map(|at| &crowd.lines[*at as usize]);
        if self.run.len() < RUN_MIN {
            self.items.extend(lines().map(|shared| Out::Line(shared.clone())));
        } else {
            let bytes = lines().map(|shared| shared.size()).sum();
            self.items.push(Out::Lines(Run::new(crowd.broadcast.clone(), &self.run, bytes)));
        }
        self.run.clear();
        self.run.shrink_to(RUN_KEPT);
    }
}

fn reader_of(at: &mut [Option<Reader>], who: CharacterId) -> Option<&mut Reader> {
    at.get_mut(who.index as usize)?.as_mut().filter(|reader| reader.who == who)
}

impl Readers {
    pub fn new(clock: WallClock) -> Readers {
        Readers { clock, ..Readers::default() }
    }

    pub fn get(&self, who: CharacterId) -> Option<&Reader> {
        self.at.get(who.index as usize)?.as_ref().filter(|reader| reader.who == who)
    }

    /// Of all whose minds are read, with the bytes that their clients were sent.
    pub fn derivers(&mut self) -> impl Iterator<Item = (CharacterId, u64, &mut Deriver)> {
        self.at.iter_mut().flatten().filter_map(|reader| {
            let deriver = reader.deriver.as_deref_mut()?;
            Some((reader.who, reader.outbox.sent(), deriver))
        })
    }

    /// `None`: nobody reads this character's mind.
    pub fn deriver(&mut self, who: CharacterId) -> Option<&mut Deriver> {
        self.get_mut(who)?.deriver.as_deref_mut()
    }

    /// The reader of this character, if it is that session.
    pub fn of(&self, who: CharacterId, session: SessionId) -> Option<&Reader> {
        self.get(who).filter(|reader| reader.session == session)
    }

    /// This character's client wants to be told what follows from the command of this input.
    pub fn expect(&mut self, who: CharacterId, input: InputNumber, id: u64) {
        if let Some(reader) = self.get_mut(who) {
            if reader.ids.len() == IDS_KEPT {
                reader.ids.pop_front();
            }
            reader.ids.push_back((input, id));
        }
    }

    fn get_mut(&mut self, who: CharacterId) -> Option<&mut Reader> {
        reader_of(&mut self.at, who)
    }

    /// Whether the place of this character is held, by whatever connection.
    pub fn is_held(&self, who: CharacterId) -> bool {
        self.at.get(who.index as usize).is_some_and(Option::is_some)
    }

    /// Takes out whoever holds the place of this character.
    pub fn vacate(&mut self, who: CharacterId) -> Option<Reader> {
        let reader = self.at.get_mut(who.index as usize).and_then(Option::take);
        self.parting(reader)
    }

    /// Takes out the reader of this character.
    pub fn take(&mut self, who: CharacterId) -> Option<Reader> {
        let reader = self.at.get_mut(who.index as usize)?.take_if(|reader| reader.who == who);
        self.parting(reader)
    }

    /// Takes out a reader that came in by this key.
    pub fn take_of_key(&mut self, key: KeyId) -> Option<Reader> {
        let of_key = |reader: &Option<Reader>| reader.as_ref().is_some_and(|reader| reader.key == Some(key));
        let reader = self.at.iter_mut().find(|reader| of_key(reader)).and_then(Option::take);
        self.parting(reader)
    }

    /// What it is still to read is whole from now on.
    fn parting(&self, reader: Option<Reader>) -> Option<Reader> {
        reader.map(|mut reader| {
            reader.end_run(&self.crowd);
            reader
        })
    }

    /// After a panic half-way through a release: whoever still has something to be read is busy again.
    pub fn mend(&mut self) {
        let waits = |reader: &&Reader| reader.wake != Wake::No;
        self.busy = self.at.iter().flatten().filter(waits).map(|reader| reader.who.index).collect();
    }

    /// Takes out all.
    pub fn take_all(&mut self) -> Vec<Reader> {
        std::mem::take(&mut self.at).into_iter().filter_map(|reader| self.parting(reader)).collect()
    }

    /// `returned`: the character was in the world already.
    pub fn seat(&mut self, world: &World, who: CharacterId, entry: Entry, returned: bool, outbox: Arc<Outbox>) {
        let index = who.index as usize;
        if self.at.len() <= index {
            self.at.resize_with(index + 1, || None);
        }
        self.at[index] = Some(Reader::new(world, who, entry, returned, outbox));
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

    /// Something for the reader's connection to do or to say, behind what it has read so far.
    pub fn ask_connection(&mut self, who: CharacterId, what: Out) {
        if let Some(reader) = reader_of(&mut self.at, who) {
            reader.push(what, &self.crowd);
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
        let mut last: Option<Arc<Happened>> = None;
        for Witnessed { who: to, outcome, cause } in std::mem::take(&mut report.witnessed) {
            let Some(reader) = reader_of(&mut self.at, to).filter(|reader| reader.wants.has(Wants::OUTCOMES)) else {
                continue;
            };
            // Witnesses of one scene stand together: they share one encoding.
            let happened = match last.take() {
                Some(happened) if Arc::ptr_eq(&happened.outcome, &outcome) => happened,
                _ => Arc::new(Happened::new(outcome)),
            };
            reader.push_because(cause, &self.crowd);
            reader.push(Out::Outcome(happened.clone()), &self.crowd);
            last = Some(happened);
            self.mark(to, urgency(to));
        }
        self.hand_out_lines(world, std::mem::take(&mut report.lines), urgency);
        for (who, channel) in std::mem::take(&mut report.channels) {
            if let Some(reader) = self.get_mut(who).filter(|reader| reader.wants.has(Wants::CHANNELS)) {
                reader.channels.insert(channel);
                self.mark(who, urgency(who));
            }
        }
        for person in std::mem::take(&mut report.agents) {
            let Some(who) = world.character_of(person) else { continue };
            if let Some(reader) = self.get_mut(who).filter(|reader| reader.wants.has(Wants::CHANNELS)) {
                reader.record = true;
                self.mark(who, urgency(who));
            }
        }
        for done in std::mem::take(&mut report.done) {
            let Some(reader) = self.get(done.who) else { continue };
            let Some(CommandCause { id: Some(id), input }) = reader.cause_of_input(done.id.input) else { continue };
            // The answer comes first.
            if done.asks == Asks::Nobody {
                let outcome = Happened::new(Arc::new(Outcome::Done { id, input, tick: report.tick }));
                let at = &mut self.at;
                if let Some(reader) = reader_of(at, done.who) {
                    reader.push(Out::Outcome(Arc::new(outcome)), &self.crowd);
                }
                self.mark(done.who, urgency(done.who));
            }
        }
        if matches!(cause, Cause::Tick) {
            self.tell_waits_over(world);
            if (Clock { tick: world.tick() }).is_new_hour() {
                self.tell_hour();
            }
        }
        self.hand_out_company(world, report, urgency);
        for (who, touch) in std::mem::take(&mut report.touched) {
            if let Some(reader) = self.get_mut(who) {
                match touch {
                    Touch::Own => reader.own = true,
                    Touch::Objects => reader.things = true,
                    Touch::Party => reader.party = true,
                }
                self.mark(who, urgency(who));
            }
        }
        for room in std::mem::take(&mut report.touched_rooms) {
            for &who in &world.room(room).characters {
                if let Some(reader) = self.get_mut(who).filter(|reader| reader.reads_variables()) {
                    reader.room = true;
                    self.mark(who, urgency(who));
                }
            }
        }
    }

    /// Those whose wait is over by this tick are told so.
    fn tell_waits_over(&mut self, world: &World) {
        let over = |who: &CharacterId| world.character(*who).is_none_or(|c| c.free_tick <= world.tick());
        let over: Vec<CharacterId> = self.waiting.iter().copied().filter(over).collect();
        for who in over {
            self.waiting.remove(&who);
            if self.get(who).is_some() {
                self.show_own(who);
            }
        }
    }

    /// It is another hour: those who want to know are told.
    fn tell_hour(&mut self) {
        let wants = |reader: &&mut Reader| !(reader.outbox.subscribed() & HOUR).is_empty();
        let readers: Vec<CharacterId> = self
            .at
            .iter_mut()
            .flatten()
            .filter(wants)
            .map(|reader| {
                reader.hour = true;
                reader.who
            })
            .collect();
        readers.into_iter().for_each(|who| self.mark(who, Wake::Now));
    }

    /// What others read of those who changed, came or went: their group, and those in their room.
    fn hand_out_company(&mut self, world: &World, report: &Report, urgency: impl Fn(CharacterId) -> Wake) {
        let (mut rooms, mut leaders) = (BTreeSet::new(), BTreeSet::new());
        rooms.extend(report.visited_rooms.iter().chain(&report.touched_rooms).copied());
        for (who, touch) in &report.touched {
            if let Some(c) = world.character(*who).filter(|_| *touch == Touch::Own) {
                rooms.insert(c.room);
                leaders.extend(world.group_leader(*who));
            }
        }
        let wants = |reader: &Reader, set: VariableSet| {
            reader.wants.has(Wants::VARIABLES) && !(reader.outbox.subscribed() & set).is_empty()
        };
        for room in rooms {
            for &who in &world.room(room).characters {
                if let Some(reader) = self.get_mut(who).filter(|reader| wants(reader, AROUND)) {
                    reader.around = true;
                    self.mark(who, urgency(who));
                }
            }
        }
        for leader in leaders {
            for who in world.group_members(leader) {
                if let Some(reader) = self.get_mut(who).filter(|reader| wants(reader, PARTY)) {
                    reader.party = true;
                    self.mark(who, urgency(who));
                }
            }
        }
    }

    fn hand_out_lines(&mut self, world: &World, lines: Lines, urgency: impl Fn(CharacterId) -> Wake) {
        let LineParts { lines, to, causes } = lines.into_parts();
        let mut causes = causes.into_iter().peekable();
        let mut places = std::mem::take(&mut self.places);
        places.clear();
        places.resize(lines.len(), Place::New);
        for (_, number) in &to {
            let place = &mut places[*number as usize];
            *place = match *place {
                Place::Readers(count) => Place::Readers(count + 1),
                _ => Place::Readers(1),
            };
        }
        let mut frames = ChannelFrames { now_ms: self.clock.now_ms(), of: BTreeMap::new() };
        for (at, (to, number)) in to.into_iter().enumerate() {
            let cause = causes.next_if(|(place, _)| *place as usize == at).map(|(_, id)| id);
            let Some(reader) = reader_of(&mut self.at, to) else { continue };
            if reader.sums_up(world, &lines[number as usize]) {
                if let Some(outcome) =
                    lines[number as usize].outcome.clone().filter(|_| reader.wants.has(Wants::OUTCOMES))
                {
                    reader.push_because(cause, &self.crowd);
                    reader.push(Out::Outcome(Arc::new(Happened::new(outcome))), &self.crowd);
                }
                self.mark(to, urgency(to));
                continue;
            }
            if lines[number as usize].kind == LineKind::Death {
                reader.tell_round(world, &self.crowd);
            }
            if reader.wants.has(Wants::CHANNELS)
                && let Some(frame) = frames.of(number, &lines[number as usize])
            {
                if let Some(happened) = frame.outcome.filter(|_| reader.wants.has(Wants::OUTCOMES)) {
                    reader.push_because(cause, &self.crowd);
                    reader.push(Out::Outcome(happened), &self.crowd);
                }
                reader.push(Out::Frame(frame.frame), &self.crowd);
                self.mark(to, urgency(to));
                continue;
            }
            let (place, line) =
                (&mut places[number as usize], || Arc::new(Shared::new(lines[number as usize].clone())));
            if let Place::Readers(2..) = place {
                *place = Place::Crowd(self.crowd.lines.len() as u32);
                self.crowd.lines.push(line());
            }
            let because = reader.push_because(cause, &self.crowd);
            match place {
                Place::Crowd(at) if because => {
                    let line = self.crowd.lines[*at as usize].clone();
                    reader.push(Out::Line(line), &self.crowd);
                }
                Place::Crowd(at) => reader.run.push(*at),
                _ => reader.push(Out::Line(line()), &self.crowd),
            }
            self.mark(to, urgency(to));
        }
        self.places = places;
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
            // Whoever waits already is to be told of its end.
            reader.own |= reader.outbox.subscribed().contains(Variable::Lag);
        }
        self.mark(who, Wake::Now);
    }

    /// Reads what changed for each busy reader and puts everything into the outboxes. Wakes those who must know now,
    /// and gives back the others.
    pub fn release(&mut self, world: &World) -> Vec<Arc<Outbox>> {
        let now_ms = self.clock.now_ms();
        let (mut lazy, mut rooms) = (Vec::new(), RoomValues::default());
        let mut busy = std::mem::take(&mut self.busy);
        // Before the batch is sealed, all who refer to it do so.
        for index in &busy {
            if let Some(Some(reader)) = self.at.get_mut(*index as usize) {
                reader.tell_round(world, &self.crowd);
                reader.end_run(&self.crowd);
            }
        }
        self.crowd.seal();
        for index in busy.drain(..) {
            let Some(Some(reader)) = self.at.get_mut(index as usize) else { continue };
            let (own, mut things, mut room) = (reader.own, reader.things, reader.room);
            let wake = std::mem::replace(&mut reader.wake, Wake::No);
            let around = std::mem::take(&mut reader.around) || own || room;
            let party = std::mem::take(&mut reader.party) || own;
            let hour = std::mem::take(&mut reader.hour);
            (reader.own, reader.things, reader.room) = (false, false, false);
            let mut vars = std::mem::take(&mut reader.vars);
            let mut prompt = None;
            if world.character(reader.who).is_some() {
                if reader.wants.has(Wants::VARIABLES) {
                    let subscribed = reader.outbox.subscribed();
                    if subscribed.contains(Variable::Tick) {
                        vars.extend(read_values(world, reader.who, VariableSet::of(Variable::Tick), |_| true));
                    }
                    if (own || things || room || around || party || hour) && !subscribed.is_empty() {
                        let key = (own && subscribed.contains(Variable::Skills)).then(|| world.arts_key(reader.who));
                        let arts = key.is_some() && key != reader.arts;
                        reader.arts = key.or(reader.arts);
                        let lag = own && subscribed.contains(Variable::Lag) && {
                            let until = world.who(reader.who).free_tick;
                            let until = if until > world.tick() { until } else { 0 };
                            if until > 0 {
                                self.waiting.insert(reader.who);
                            }
                            std::mem::replace(&mut reader.waits_until, until) != until
                        };
                        if own || room {
                            let sight = world.sight(reader.who);
                            room |= reader.sight != Some(sight);
                            things |= reader.sight.is_none_or(|before| !sight.sees_own_like(&before));
                            reader.sight = Some(sight);
                        }
                        if around && subscribed.contains(Variable::RoomPlayers) {
                            vars.push((Variable::RoomPlayers, rooms.players(world, reader.who)));
                        }
                        let rest = subscribed - VariableSet::of(Variable::RoomPlayers);
                        vars.extend(read_values(world, reader.who, rest, |group| match group {
                            Group::Own => own,
                            Group::Objects => things,
                            Group::Arts => arts,
                            Group::Around => around,
                            Group::Party => party,
                            Group::Lag => lag,
                            Group::Hour => hour,
                            Group::Offers => around || hour,
                            Group::Room | Group::Events | Group::Moment => false,
                        }));
                        if room {
                            vars.extend(rooms.read(world, reader.who, reader.sight, subscribed));
                        }
                    }
                }
                if reader.wants.has(Wants::LINES) && (own || (!reader.items.is_empty() && fights(world, reader.who))) {
                    prompt = Some(prompt_of(world, reader.who));
                }
            }
            let full = std::mem::take(&mut reader.full) && world.character(reader.who).is_some();
            if full {
                let which = VariableSet::PUBLISHED | reader.outbox.subscribed();
                reader.items.push(Out::FullVars(read_values(world, reader.who, which, |_| true)));
            }
            if reader.wants.has(Wants::CHANNELS) && (std::mem::take(&mut reader.record) || full) {
                reader.items.extend(agent_frame(world, reader.who).map(Out::Frame));
            }
            let changed: Vec<u32> = std::mem::take(&mut reader.channels).into_iter().collect();
            if reader.wants.has(Wants::CHANNELS) && (full || reader.all_channels || !changed.is_empty()) {
                let all = std::mem::take(&mut reader.all_channels) || full;
                let frame = channels_frame(world, reader.who, (!all).then_some(&changed), now_ms).map(Out::Frame);
                // Before the messages of this batch: one in a channel that nobody heard of would be lost.
                let at = if all { reader.items.len() } else { 0 };
                if let Some(frame) = frame {
                    reader.items.insert(at, frame);
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
}

/// Messages and reactions of one report as frames, each encoded once for all who read it.
struct ChannelFrames {
    now_ms: i64,
    of: BTreeMap<u32, ChannelFrame>,
}

/// A frame in place of a line, with what happened.
#[derive(Clone)]
struct ChannelFrame {
    frame: Encoded,
    outcome: Option<Arc<Happened>>,
}

impl ChannelFrames {
    /// The frame in place of a line; none for a line that tells of no channel.
    fn of(&mut self, number: u32, line: &Line) -> Option<ChannelFrame> {
        let frame = || match (&line.message, &line.reaction) {
            (Some(message), _) => {
                let at = u64::try_from(self.now_ms).ok();
                Some(ServerFrame::Message(Box::new(Message { at, ..Message::clone(message) })))
            }
            (None, Some(reaction)) => Some(ServerFrame::Reaction(Reacted::clone(reaction))),
            (None, None) => None,
        };
        if let Some(made) = self.of.get(&number) {
            return Some(made.clone());
        }
        let outcome = line.outcome.clone().map(|outcome| Arc::new(Happened::new(outcome)));
        let made = ChannelFrame { frame: Encoded::new(&frame()?), outcome };
        Some(self.of.entry(number).or_insert(made).clone())
    }
}

/// The channels of somebody: all, or those that changed. Nobody but a player has any.
fn channels_frame(world: &World, who: CharacterId, only: Option<&Vec<u32>>, now_ms: i64) -> Option<Encoded> {
    let person = world.character(who).and_then(|_| world.person_of(who))?;
    let mut frame = world.channels_frame(person, only.map(Vec::as_slice));
    let tick = world.tick();
    for message in frame.channels.iter_mut().flat_map(|channel| &mut channel.messages) {
        // The world knows no clock; a tick is two seconds.
        message.at = u64::try_from(now_ms - (tick - message.tick.min(tick)) as i64 * TICK_MS).ok();
    }
    Some(Encoded::new(&ServerFrame::Channels(frame)))
}

/// The record of somebody as an agent; none for who has none.
fn agent_frame(world: &World, who: CharacterId) -> Option<Encoded> {
    let person = world.character(who).and_then(|_| world.person_of(who))?;
    Some(Encoded::new(&ServerFrame::Agent(Box::new(world.agent_view(person)?))))
}

/// What rooms look like at the end of a batch, read once for all who see them alike.
#[derive(Default)]
struct RoomValues {
    /// By what an observer's view depends on; most rooms are seen in one way.
    of: BTreeMap<Sight, Vec<(Variable, Value)>>,
    players: BTreeMap<Sight, PlayersSeen>,
    /// For texts that are put together; kept for its memory.
    json: String,
}

impl RoomValues {
    /// The room's variables among these, for one agent, who sees it so.
    fn read(
        &mut self,
        world: &World,
        who: CharacterId,
        sight: Option<Sight>,
        which: VariableSet,
    ) -> Vec<(Variable, Value)> {
        let of_room = |group| group == Group::Room;
        let Some(sight) = sight.filter(|_| world.reads_as_others(who)) else {
            return read_values(world, who, which, of_room);
        };
        let values = self.of.entry(sight).or_insert_with(|| read_values(world, who, VariableSet::ALL, of_room));
        values.iter().filter(|(variable, _)| which.contains(*variable)).cloned().collect()
    }

    /// The other players there: each reads all but itself.
    fn players(&mut self, world: &World, who: CharacterId) -> Value {
        self.json.clear();
        if world.reads_as_others(who) {
            let seen = self.players.entry(world.sight(who)).or_insert_with(|| world.players_seen(who));
            seen.append_without(who, &mut self.json);
        } else {
            world.players_seen(who).append_without(who, &mut self.json);
        }
        Value::from(self.json.as_str())
    }
}

/// The values of some variables, in the documented order.
fn read_values(
    world: &World,
    who: CharacterId,
    which: VariableSet,
    groups: impl Fn(Group) -> bool,
) -> Vec<(Variable, Value)> {
    let (mut values, mut json) = (Vec::new(), String::new());
    for row in VARS {
        if which.contains(row.variable) && groups(row.group) {
            json.clear();
            (row.read)(world, who, &mut json);
            values.push((row.variable, Value::from(json.as_str())));
        }
    }
    values
}

/// Whether it has an opponent, whom its prompt shows as that one is now.
fn fights(world: &World, who: CharacterId) -> bool {
    world.character(who).is_some_and(|c| c.fighting.is_some() && c.player_flags().has(PlayerFlags::PROMPT_TARGET))
}

fn prompt_of(world: &World, who: CharacterId) -> Prompt {
    let character = world.who(who);
    let flags = character.player_flags();
    Prompt {
        asks_for_reader: !flags.has(PlayerFlags::CHOSE_READER),
        aloud: aloud::listens(character),
        text: world.prompt(who),
        colors: character.player().and_then(Player::shown_colors),
        compact: flags.has(PlayerFlags::COMPACT) || aloud::listens(character),
        lets_line_sleep: flags.has(PlayerFlags::NO_KEEPALIVE),
    }
}
