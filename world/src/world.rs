//! The world as a value: its state, what it is played with, and the look-ups that everything else begins with.
//!
//! What changes it is above, in `apply`. Invariant: what is not in `State` is either content or rules, or is made anew
//! for each input: two worlds of equal states, contents and rules go on alike.

use crate::agent::Agents;
use crate::aloud;
use crate::arena::{Arena, CharacterId, ObjectId};
use crate::causes::Causes;
use crate::channel::Channels;
use crate::channel::row::{Complaint, Row};
use crate::character::*;
use crate::clock::Clock;
use crate::draws::{Draw, Drawing, LoadedDice, Watch};
use crate::ground::Grounds;
use crate::lights::Lights;
use crate::masking::masked_line;
use crate::number::{CommandId, InputNumber};
use crate::object::{Object, Place};
use crate::report::*;
use crate::rng::{Dice, Stream, Streams};
use crate::room::Room;
use crate::rules::Rules;
use crate::script::{Event, Scripts};
use crate::task::{Deed, Honour};
use crate::weather::Weather;
use crate::zone::Zone;
use content::flags::*;
use content::scripts::ScriptSource;
use content::words::Direction;
use content::{Content, RoomId, RoomProto, Text, Vnum};
use protocol::Outcome;
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Commands that wait for a lag to end; more are refused. Enough to type ahead, too few to run a script blind.
pub const QUEUE_MAX: usize = 16;

/// Everything that is saved, hashed and compared. What is not in here is either content or made anew for each input.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct State {
    pub characters: Arena<CharacterId, Character>,
    pub objects: Arena<ObjectId, Object>,
    pub rooms: Rooms,
    /// At the index of `Content::zones`.
    pub zones: Vec<Zone>,
    pub clock: Clock,
    pub weather: Weather,
    /// Players with commands that wait for a lag to end.
    pub waiting: BTreeSet<CharacterId>,
    /// Who fights, in the order in which they strike.
    pub fighters: BTreeSet<CharacterId>,
    /// Players in the world by lower-case name.
    pub players: BTreeMap<Text, CharacterId>,
    /// Living instances by index of the prototype.
    pub mob_counts: Vec<u32>,
    pub object_counts: Vec<u32>,
    /// The serial that the next character or object gets.
    pub next_serial: u64,
    /// How many inputs of nobody in the world threw dice: those of the next one hang on it.
    #[serde(default)]
    pub acts: u64,
    pub number: InputNumber,
    pub seed: u64,
    /// What was edited of the content since it was read, by kind and number; see `edit`.
    #[serde(default)]
    pub edits: Vec<content::edit::Row>,
    /// Everybody who was ever here, and their conversations.
    #[serde(default)]
    pub channels: Channels,
    /// What those are who are programs with a record.
    #[serde(default)]
    pub agents: Agents,
    /// Dice that fall as they were told when they are next thrown.
    #[serde(default)]
    pub loaded: LoadedDice,
    /// Names on the tablets, the oldest first.
    #[serde(default)]
    pub honours: Vec<Honour>,
    /// Sources of scripts, and what they keep and wait for.
    #[serde(default)]
    pub scripts: Scripts,
    /// What was built in rooms.
    #[serde(default)]
    pub plots: Grounds,
}

impl State {
    /// Every room as its builder left it, and nobody and nothing in it.
    pub(crate) fn as_built(content: &Content, seed: u64) -> State {
        State {
            characters: Arena::default(),
            objects: Arena::default(),
            rooms: Rooms::of(content.rooms.iter().map(|proto| Arc::new(Room::as_built(proto))).collect()),
            zones: content.zones.iter().map(|_| Zone::default()).collect(),
            clock: Clock::default(),
            weather: Weather::default(),
            waiting: BTreeSet::new(),
            fighters: BTreeSet::new(),
            players: BTreeMap::new(),
            mob_counts: vec![0; content.mobs.len()],
            object_counts: vec![0; content.objects.len()],
            next_serial: 1,
            acts: 0,
            number: 0,
            seed,
            edits: Vec::new(),
            channels: Channels::default(),
            agents: Agents::default(),
            loaded: LoadedDice::default(),
            honours: Vec::new(),
            scripts: Scripts::of(&content.scripts),
            plots: Grounds::new(),
        }
    }
}

/// Rooms at the index of `Content::rooms`, noting which were changed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Rooms {
    list: Vec<Arc<Room>>,
    #[serde(skip)]
    touched: Vec<RoomId>,
    /// Rooms that players came to or left.
    #[serde(skip)]
    visited: Vec<RoomId>,
    #[serde(skip)]
    marks: Vec<bool>,
}

impl Rooms {
    /// At the index of `Content::rooms`.
    pub(crate) fn of(list: Vec<Arc<Room>>) -> Rooms {
        Rooms { list, ..Rooms::default() }
    }

    pub(crate) fn into_list(self) -> Vec<Arc<Room>> {
        self.list
    }

    pub fn get(&self, id: RoomId) -> &Room {
        &self.list[id.0 as usize]
    }

    pub fn get_mut(&mut self, id: RoomId) -> &mut Room {
        self.touch(id);
        Arc::make_mut(&mut self.list[id.0 as usize])
    }

    /// For the coming and going of players, which only who asks for them is told of.
    pub(crate) fn get_mut_quietly(&mut self, id: RoomId) -> &mut Room {
        if self.visited.last() != Some(&id) {
            self.visited.push(id);
        }
        Arc::make_mut(&mut self.list[id.0 as usize])
    }

    /// Notes that something in the room looks different, though the room itself did not change.
    pub fn touch(&mut self, id: RoomId) {
        if self.marks.len() < self.list.len() {
            self.marks.resize(self.list.len(), false);
        }
        if !self.marks[id.0 as usize] {
            self.marks[id.0 as usize] = true;
            self.touched.push(id);
        }
    }

    pub(crate) fn take_touched(&mut self) -> Vec<RoomId> {
        for id in &self.touched {
            self.marks[id.0 as usize] = false;
        }
        std::mem::take(&mut self.touched)
    }

    pub(crate) fn take_visited(&mut self) -> Vec<RoomId> {
        std::mem::take(&mut self.visited)
    }

    pub fn len(&self) -> usize {
        self.list.len()
    }

    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = (RoomId, &Room)> {
        self.list.iter().enumerate().map(|(i, r)| (RoomId(i as u32), r.as_ref()))
    }
}

/// Calls one script for an event. True when it prevents what was about to happen.
pub(crate) type Run = fn(&mut World, &Event, &Arc<ScriptSource>) -> bool;

/// What runs scripts, and what it keeps between two calls. Not state: a copy of a world makes its own.
#[derive(Default)]
pub(crate) struct Runner {
    /// None in a server that was built without scripts.
    pub run: Option<Run>,
    pub machine: Option<Arc<dyn Any + Send + Sync>>,
    /// Scripts within scripts, at this moment.
    pub depth: u8,
    /// Calls in this input so far.
    pub calls: u32,
    /// What each of the calls that run has written to the log, the outermost first; filled where they are traced.
    pub logs: Vec<Vec<String>>,
}

impl Clone for Runner {
    fn clone(&self) -> Runner {
        Runner { run: self.run, ..Runner::default() }
    }
}

impl std::fmt::Debug for Runner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Runner({})", self.run.is_some())
    }
}

#[derive(Clone, Debug)]
pub struct World {
    /// As it was read, with `State::edits` on top of it.
    pub content: Arc<Content>,
    pub rules: Arc<Rules>,
    pub state: State,
    pub(crate) streams: Streams,
    pub(crate) report: Report,
    /// Cached names for WHO; made anew when somebody comes, goes or changes. Not state.
    pub(crate) who_list: Option<Arc<Line>>,
    /// Who does what it was ordered to, while it does it.
    pub(crate) ordered: Option<CharacterId>,
    /// Whose commands each report tells of. Not state.
    pub capture: Capture,
    /// Nobody reads what is said, as in a recovery: lines are not made, and verbs that only look are not run, unless
    /// their refusal is to be recorded. The state comes out the same. Not state.
    pub unread: bool,
    /// Where lights burn; follows from the state. Not state.
    pub(crate) lights: Lights,
    /// Who left the world last, and how it was. Not state.
    pub(crate) parted: Option<(CharacterId, Vitals)>,
    /// Which command what is told follows from. Not state.
    pub(crate) causes: Causes,
    /// How many occasions to remember this input has had. Not state.
    pub(crate) occasions: u64,
    /// What was done in this input that a task may ask for. Not state.
    pub(crate) deeds: Vec<(CharacterId, Deed)>,
    /// Of which channels readers are to be told anew. Not state.
    pub(crate) changed_channels: BTreeSet<(CharacterId, u32)>,
    /// Whose records are otherwise than before, by the person's id. Not state.
    pub(crate) changed_agents: BTreeSet<u32>,
    /// Rooms in which a plot was changed. Not state.
    pub(crate) changed_plots: BTreeSet<Vnum>,
    /// Complaints of this input, to be kept.
    pub(crate) complaints: Vec<Complaint>,
    /// Nothing is remembered: what happens is the builders' doing, and its report is for nobody; or it is measured what
    /// recording costs. Logs lack what happens meanwhile, so nobody else sets it. Not state.
    pub unrecorded: bool,
    /// What tests learn of draws. Not state.
    pub watch: Watch,
    /// What runs scripts. Not state.
    pub(crate) runner: Runner,
    /// Where the memory of scripts ran out when this input was first applied: in a replay they are stopped there, and
    /// nowhere else. Not state.
    pub script_stops: Option<Vec<MemoryStop>>,
    /// Each call of a script is told in the report. Not state.
    pub trace_scripts: bool,
}

impl World {
    /// A world that goes on from a saved state. The content must be the one that was read when the state was saved, so
    /// without its edits; with other content, `adopt`.
    pub fn resume(content: Arc<Content>, rules: Arc<Rules>, state: State) -> World {
        let content = match state.edits.as_slice() {
            [] => content,
            edits => {
                let (content, left) = content::edit::with_rows(&content, edits);
                assert!(left.is_empty(), "{left:?}: these edits were made to another content");
                Arc::new(content)
            }
        };
        let streams = Streams::new(state.seed);
        let lights = Lights::count(state.rooms.len(), &state.characters, &state.objects);
        World {
            content,
            rules,
            state,
            streams,
            report: Report::default(),
            who_list: None,
            ordered: None,
            capture: Capture::default(),
            unread: false,
            lights,
            parted: None,
            causes: Causes::default(),
            occasions: 0,
            deeds: Vec::new(),
            changed_channels: BTreeSet::new(),
            changed_agents: BTreeSet::new(),
            changed_plots: BTreeSet::new(),
            complaints: Vec::new(),
            unrecorded: false,
            watch: Watch::default(),
            runner: Runner::default(),
            script_stops: None,
            trace_scripts: false,
        }
    }

    /// Goes on counting inputs after this one. For a world that was resumed but is not the end of its journal, so that
    /// no number is used twice.
    pub fn count_from(&mut self, inputs: InputNumber) {
        self.state.number = self.state.number.max(inputs);
    }

    // Look-ups.

    /// The character of an id that this input still holds to be alive. Asking for a stale one is our mistake.
    #[track_caller]
    #[inline]
    pub fn who(&self, id: CharacterId) -> &Character {
        match self.state.characters.get(id) {
            Some(character) => character,
            None => panic!("{id:?} is stale in input {}", self.state.number),
        }
    }

    #[track_caller]
    pub fn who_mut(&mut self, id: CharacterId) -> &mut Character {
        let number = self.state.number;
        match self.state.characters.get_mut(id) {
            Some(character) => character,
            None => panic!("{id:?} is stale in input {number}"),
        }
    }

    /// The player part of a character known to be one.
    #[track_caller]
    pub fn player_mut(&mut self, id: CharacterId) -> &mut Player {
        match &mut self.who_mut(id).kind {
            Kind::Player(player) => player,
            Kind::Mob(_) => panic!("{id:?} is a mob"),
        }
    }

    #[track_caller]
    pub fn object(&self, id: ObjectId) -> &Object {
        match self.state.objects.get(id) {
            Some(object) => object,
            None => panic!("{id:?} is stale in input {}", self.state.number),
        }
    }

    #[track_caller]
    pub fn object_mut(&mut self, id: ObjectId) -> &mut Object {
        let number = self.state.number;
        match self.state.objects.get_mut(id) {
            Some(object) => object,
            None => panic!("{id:?} is stale in input {number}"),
        }
    }

    #[inline]
    pub fn character(&self, id: CharacterId) -> Option<&Character> {
        self.state.characters.get(id)
    }

    pub fn get_object(&self, id: ObjectId) -> Option<&Object> {
        self.state.objects.get(id)
    }

    #[inline]
    pub fn room(&self, id: RoomId) -> &Room {
        self.state.rooms.get(id)
    }

    pub fn room_proto(&self, id: RoomId) -> &RoomProto {
        self.content.room(id)
    }

    pub fn room_flags(&self, id: RoomId) -> RoomFlags {
        self.content.room(id).flags
    }

    /// Where newcomers wake and the dead return to.
    pub fn start_room(&self) -> RoomId {
        self.content.room_id(self.content.start_room).unwrap_or(RoomId(0))
    }

    pub fn room_by_vnum(&self, vnum: Vnum) -> Option<RoomId> {
        self.content.room_id(vnum)
    }

    /// The number of what the rules bring forth by that name, in this world.
    pub fn conjured(&self, name: &str) -> Option<Vnum> {
        self.content.conjured.get(name).copied()
    }

    /// Names of the arts that a thing makes stronger where it is used up for them.
    pub(crate) fn arts_helped_by(&self, vnum: Vnum) -> impl Iterator<Item = &str> {
        let is_it = move |name: &Text| self.conjured(name) == Some(vnum);
        self.rules.spells.iter().filter(move |row| row.reagent.as_ref().is_some_and(is_it)).map(|row| &*row.name)
    }

    /// A player in the world, by name without regard to case.
    pub fn find_player(&self, name: &str) -> Option<CharacterId> {
        self.state.players.get(name.to_ascii_lowercase().as_str()).copied()
    }

    /// Position of an exit in `RoomProto::exits` and `Room::doors`.
    pub fn exit_index(&self, room: RoomId, way: Direction) -> Option<usize> {
        self.room_proto(room).exits.iter().position(|e| e.direction == way)
    }

    /// The state of the door that way; none for no exit or no door.
    pub fn door(&self, room: RoomId, way: Direction) -> DoorFlags {
        self.exit_index(room, way).map_or(DoorFlags::NONE, |n| self.room(room).doors[n])
    }

    /// Where an exit leads that has no closed door.
    pub fn open_way(&self, room: RoomId, way: Direction) -> Option<RoomId> {
        let index = self.exit_index(room, way)?;
        if self.room(room).doors[index].has(DoorFlags::CLOSED) {
            return None;
        }
        self.content.room_id(self.room_proto(room).exits[index].to?)
    }

    /// Where a way leads that is open, or shut by no more than a latch that can be seen.
    pub fn unlocked_way(&self, room: RoomId, way: Direction) -> Option<RoomId> {
        let index = self.exit_index(room, way)?;
        let door = self.room(room).doors[index];
        if door.has(DoorFlags::CLOSED) && door.any(DoorFlags::LOCKED.with(DoorFlags::HIDDEN)) {
            return None;
        }
        self.content.room_id(self.room_proto(room).exits[index].to?)
    }

    /// A player is in the room.
    pub fn is_watched(&self, room: RoomId) -> bool {
        self.room(room).characters.iter().any(|id| self.who(*id).is_player())
    }

    /// True when `who` carries or wears the thing, or something that it is in.
    pub fn is_on(&self, object: ObjectId, who: CharacterId) -> bool {
        match self.object(object).place {
            Place::Carried(holder) | Place::Worn(holder, _) => holder == who,
            Place::Inside(container) => self.is_on(container, who),
            Place::Room(_) | Place::Nowhere => false,
        }
    }

    /// `None` for players and stale ids, and while other content is taken over (`adopt`) for mobs that have to leave.
    pub fn mob_proto(&self, who: CharacterId) -> Option<&content::MobProto> {
        self.character(who)?.mob().and_then(|m| self.content.mobs.get(m.proto as usize))
    }

    pub fn tick(&self) -> u64 {
        self.state.clock.tick
    }

    pub fn dice(&mut self, stream: Stream) -> &mut Dice {
        self.streams.get(stream)
    }

    /// The next draws of a rule, by what they are for.
    pub fn draw(&mut self, stream: Stream, draw: Draw) -> Drawing<'_> {
        let actor = self.streams.actor(stream);
        self.drawing(stream, draw, actor)
    }

    /// The same where it is known for whom it is drawn, whoever's turn it is: somebody may run from another's blow.
    pub fn draw_for(&mut self, who: CharacterId, stream: Stream, draw: Draw) -> Drawing<'_> {
        let actor = self.who(who).serial;
        self.drawing(stream, draw, actor)
    }

    fn drawing(&mut self, stream: Stream, draw: Draw, actor: u64) -> Drawing<'_> {
        let World { streams, state, watch, .. } = self;
        Drawing { draw, actor, dice: streams.get(stream), loaded: &mut state.loaded, watch }
    }

    /// Other chance from here on, as in a fork with that seed.
    pub fn reseed(&mut self, seed: u64) {
        self.state.seed = seed;
        self.streams = Streams::new(seed);
    }

    pub(crate) fn next_serial(&mut self) -> u64 {
        let serial = self.state.next_serial;
        self.state.next_serial += 1;
        serial
    }

    // Talking to readers.

    /// A text for one reader. Mobs read nothing.
    pub fn send(&mut self, to: CharacterId, kind: LineKind, text: impl Into<String>) {
        if self.state.characters.get(to).is_some_and(Character::is_player) {
            self.send_line(to, Arc::new(Line { kind, text: text.into(), ..Line::default() }));
        }
    }

    /// The same with what it tells, for programs.
    pub fn send_outcome(&mut self, to: CharacterId, kind: LineKind, text: String, outcome: Arc<Outcome>) {
        self.send_line(to, Arc::new(Line { kind, text, outcome: Some(outcome), ..Line::default() }));
    }

    /// Notes what a player did, if it is about any task, or has killed what others of its group may be about.
    pub(crate) fn did(&mut self, who: CharacterId, deed: Deed) {
        let Some(c) = self.state.characters.get(who) else { return };
        let Some(player) = c.player() else { return };
        let is_shared = c.grouped && matches!(deed, Deed::Killed(_));
        if is_shared || !player.tasks.open.is_empty() {
            self.deeds.push((who, deed));
        }
    }

    pub fn send_line(&mut self, to: CharacterId, line: Arc<Line>) {
        if self.unread {
            return;
        }
        let Some(reader) = self.state.characters.get(to) else { return };
        let Some(player) = reader.player() else { return };
        let line = masked_line(&self.rules.filter, reader, &line).map_or(line, Arc::new);
        let Some(line) = aloud::line_for(reader, line) else { return };
        if !player.snooped_by.is_empty() {
            let name = &self.state.characters.get(to).expect("looked up above").name;
            let text = line.text.lines().map(|l| format!("[{name}] {l}")).collect::<Vec<_>>().join("\n");
            let copy = Arc::new(Line { kind: LineKind::Snoop, text, ..Line::default() });
            for snooper in &player.snooped_by {
                self.report.lines.push(*snooper, copy.clone(), None);
            }
        }
        let cause = self.cause_for(to, line.outcome.as_deref());
        self.report.lines.push(to, line, cause);
    }

    /// Which command of `reader` something that it is told follows from.
    #[inline]
    pub(crate) fn cause_for(&self, reader: CharacterId, outcome: Option<&Outcome>) -> Option<CommandId> {
        let character = self.state.characters.get(reader)?;
        let opponent = character.fighting.and_then(|id| self.state.characters.get(id));
        self.causes.of(reader, character, opponent, outcome)
    }

    pub fn request(&mut self, request: Request) {
        self.report.requests.push(request);
    }

    /// Closes the report of the input: what was touched is gathered from the arenas.
    pub(crate) fn finish(&mut self) -> Report {
        let mut report = std::mem::take(&mut self.report);
        self.occasions = 0;
        self.causes = Causes::default();
        report.number = self.state.number;
        report.tick = self.state.clock.tick;
        report.kept = self.state.channels.take_changed();
        report.kept.extend(self.state.agents.take_changed().into_iter().map(Row::Agent));
        let complaints = std::mem::take(&mut self.complaints);
        report.kept.extend(complaints.into_iter().map(|complaint| Row::Complaint(Box::new(complaint))));
        let changed = std::mem::take(&mut self.changed_plots);
        let plots = changed.into_iter().filter_map(|room| Some((room, self.state.plots.get(&room)?.clone())));
        report.kept.extend(plots.map(|(room, ground)| Row::Plot { room, ground }));
        let characters = self.state.characters.take_touched();
        for id in &characters {
            match self.state.characters.get(*id) {
                Some(character) if character.is_player() => report.touched.push((*id, Touch::Own)),
                Some(character) => self.state.rooms.touch(character.room),
                None => {}
            }
        }
        self.state.characters.give_back(characters);
        let objects = self.state.objects.take_touched();
        for id in &objects {
            match self.state.objects.get(*id).map(|o| o.place) {
                Some(Place::Room(room)) => self.state.rooms.touch(room),
                Some(Place::Carried(holder) | Place::Worn(holder, _)) => {
                    if self.state.characters.get(holder).is_some_and(Character::is_player) {
                        report.touched.push((holder, Touch::Objects));
                    }
                }
                Some(Place::Inside(_) | Place::Nowhere) | None => {}
            }
        }
        self.state.objects.give_back(objects);
        report.touched_rooms = self.state.rooms.take_touched();
        report.visited_rooms = self.state.rooms.take_visited();
        report.channels = std::mem::take(&mut self.changed_channels).into_iter().collect();
        report.agents = std::mem::take(&mut self.changed_agents).into_iter().collect();
        report
    }
}
