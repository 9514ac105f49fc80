//! What the agent knows of itself and its surroundings: optional fields, merged from the frames of one connection.
//!
//! Invariants: an absent variable keeps its old value, and a value of unexpected shape is counted and skipped while the
//! rest of its frame counts. A frame that is not newer than the newest one seen changes no variable, so with frames
//! dropped, doubled or reordered the newest full dump and what follows it is what counts. A gap in `seq` asks for one.

use crate::channels::Channels;
use mind::sharing::TOLD_MAX;
use mind::{LogEntry, MindState};
use protocol::Outcome;
use protocol::arts::{Affected, GroupMember, KnownArt, Opponent, Practices, RoomPlayer};
use protocol::code::ErrorCode;
use protocol::frame::{ServerFrame, ServerMessage};
use protocol::outcome::EventEntry;
use protocol::payload::{
    Equipment, Event, EventKind, InventoryItem, Memory, Mind, PlayerState, RecalledEntry, RoomItem, RoomMob, RoomState,
    SharedRow, Vars, Word, Words, WorldState,
};
use protocol::plot::PlotSeen;
use protocol::task::{RoomOffers, TaskSeen};
use protocol::variables::{PUBLISHED, Variable};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// Lines that are kept for who looks back: a prompt, a policy.
const LINES_MAX: usize = 200;
/// Outcomes that wait for the agent to take them; the server sends at most 50 at a time.
const EVENTS_MAX: usize = 400;
/// Entries of the mind's log that are kept after the snapshot of this connection.
const ENTRIES_MAX: usize = 1_000;

/// What was odd about what came, by kind; shown at the end and in the status.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Oddities {
    /// Holes in `seq`.
    pub gaps: u64,
    /// Frames that were not newer than one before.
    pub stale: u64,
    /// Frames that are no JSON object or have fields of wrong type.
    pub bad_frames: u64,
    /// Frames of a type that this build does not know.
    pub unknown_types: u64,
    /// Values of variables of unexpected shape.
    pub bad_values: u64,
    /// Variables that this build does not know.
    pub unknown_variables: u64,
    /// Entries of EVENTS that this build does not know.
    pub unknown_outcomes: u64,
    /// `error` frames, whatever their code.
    pub errors: u64,
    /// Outcomes that the server had no room for.
    pub outcomes_dropped: u64,
    /// Commands that the server's limit dropped.
    pub rate_limited: u64,
    /// Messages and reactions of channels that nobody told of.
    pub stray_messages: u64,
}

impl Oddities {
    /// Name and count of what happened at all.
    pub fn rows(&self) -> Vec<(&'static str, u64)> {
        [
            ("gaps", self.gaps),
            ("stale frames", self.stale),
            ("bad frames", self.bad_frames),
            ("unknown frame types", self.unknown_types),
            ("bad values", self.bad_values),
            ("unknown variables", self.unknown_variables),
            ("unknown outcomes", self.unknown_outcomes),
            ("errors", self.errors),
            ("outcomes dropped", self.outcomes_dropped),
            ("rate limited", self.rate_limited),
            ("messages of unknown channels", self.stray_messages),
        ]
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .collect()
    }
}

/// A line that came, with its place in the order of all lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Rises by one; not the `seq` of the wire.
    pub number: u64,
    pub at_ms: u64,
    pub kind: EventKind,
    pub from: Option<Arc<str>>,
    pub text: Arc<str>,
}

/// Everything known. `None`: not told yet.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GameState {
    pub health: Option<i32>,
    pub max_health: Option<i32>,
    pub mana: Option<i32>,
    pub max_mana: Option<i32>,
    pub moves: Option<i32>,
    pub max_moves: Option<i32>,
    pub gold: Option<i64>,
    pub position: Option<Word>,
    pub level: Option<i32>,
    pub exp: Option<i64>,
    pub room_vnum: Option<i32>,
    pub room_name: Option<Arc<str>>,
    pub room_exits: Option<Vec<Word>>,
    pub room_mobs: Option<Vec<RoomMob>>,
    pub room_items: Option<Vec<RoomItem>>,
    /// `open`, `closed` or `locked` by direction, of the doors that can be seen. `None` from servers that do not say.
    pub room_doors: Option<BTreeMap<Word, Word>>,
    /// `peaceful`, `dark` …, as far as can be seen. `None` from servers that do not say.
    pub room_flags: Option<Vec<Word>>,
    pub affects: Option<Vec<Affected>>,
    pub conditions: Option<Vec<Word>>,
    pub skills: Option<Vec<KnownArt>>,
    pub practices: Option<Practices>,
    /// The inner one: it attacks somebody.
    pub opponent: Option<Option<Opponent>>,
    pub group: Option<Vec<GroupMember>>,
    pub room_players: Option<Vec<RoomPlayer>>,
    /// Ticks that the next command had to wait when that was told; 0: none.
    pub lag: Option<u64>,
    pub tasks: Option<Vec<TaskSeen>>,
    /// Who keeps a shop here, and what is offered. `None` from servers that do not say.
    pub room_offers: Option<RoomOffers>,
    /// The inner one: there is a plot here, and it can be seen.
    pub plot: Option<Option<PlotSeen>>,
    pub fighting: Option<bool>,
    pub inventory: Option<Vec<InventoryItem>>,
    pub equipment: Option<Equipment>,
    /// The server says of mobs whom they fight (`fighting_me`); older ones do not.
    pub tells_fighting_me: bool,

    /// Which world it is, as far as the server says; the tick is that of the login.
    pub world: Option<WorldState>,
    /// The world's tick, as it was told last.
    pub tick: Option<u64>,

    /// From `state`: who one is. Numbers in it are those of the login.
    pub player: Option<PlayerState>,
    /// From `state`: the room of the login, with description and doors.
    pub login_room: Option<RoomState>,
    /// From `state`: the socials and channels of the world at hand; empty from servers that do not say.
    pub words: Arc<Words>,
    /// For the next login.
    pub token: Option<String>,
    /// It stood in the world already when this connection came.
    pub returned: bool,
    pub memory_bootstrap: Option<String>,
    pub memory_summary: Option<String>,
    /// What the bootstrap holds, one by one; empty from servers that do not say.
    pub bootstrap_memories: Vec<Memory>,

    /// The mind as of its newest entry; all empty where the server knows no minds.
    pub mind: MindState,
    /// The server sent a snapshot.
    pub has_mind: bool,
    /// The server answers `recall`.
    pub recalls: bool,
    /// The newest answer to `recall` that nobody took: what was asked, and what came to mind.
    pub recalled: Option<(String, Vec<Memory>)>,
    /// What others share of their minds, by their names.
    pub shared: BTreeMap<String, SharedRow>,
    /// Their words in it that came since somebody took these.
    pub shared_heard: Vec<String>,
    /// Entries after the snapshot, oldest first.
    pub entries: VecDeque<LogEntry>,

    /// The name that it is shown by, once the game said so; empty: its own.
    pub shown_as: String,
    /// Conversations, and the own record; empty from a server without channels.
    pub channels: Channels,

    /// Outcomes that nobody took yet, oldest first.
    pub events: VecDeque<EventEntry>,
    /// The server says when a command is done, and what follows from it.
    pub acknowledges: bool,
    /// The newest lines, oldest first.
    pub lines: VecDeque<Line>,
    pub lines_total: u64,
    /// The newest `error` frame.
    pub last_error: Option<(ErrorCode, String)>,

    /// Of the newest frame of this connection.
    pub seq: Option<u64>,
    /// Something was missed, or nothing was told yet: a full dump is needed.
    pub wants_full: bool,
    pub oddities: Oddities,
}

/// What a frame changed, for who acts on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Change {
    /// Variables changed.
    pub vars: bool,
    /// All of them came.
    pub full: bool,
    /// The first of those that are had by subscription: this frame answers that, and no command.
    pub subscribed: bool,
    pub logged_in: bool,
    pub line: bool,
    /// The frame was older than what is known.
    pub stale: bool,
}

impl GameState {
    /// A new connection: frames are counted from 1 again, and the old variables hold until the dump that follows.
    pub fn on_connect(&mut self) {
        self.seq = None;
        self.acknowledges = false;
        self.wants_full = false;
        // Not in the dump that follows: what they were is of another room.
        (self.room_doors, self.room_flags, self.room_players) = (None, None, None);
        (self.opponent, self.group, self.lag, self.room_offers) = (None, None, None, None);
        self.entries.clear();
        self.recalls = false;
        self.recalled = None;
        self.last_error = None;
    }

    /// Merges one frame.
    pub fn merge(&mut self, message: ServerMessage, now_ms: u64) -> Change {
        if matches!(&message.frame, ServerFrame::State(state) if state.stream.is_some()) {
            // A stream begins with it, whatever came before the login.
            self.seq = None;
        }
        let newer = self.count(message.seq);
        let mut change = Change { stale: !newer, ..Change::default() };
        match message.frame {
            // A variable's old value must not replace a newer one; what happened, happened in any order.
            ServerFrame::Vars(vars) if newer => {
                let before = self.room_flags.is_some();
                change.full = self.merge_vars(vars);
                change.vars = true;
                change.subscribed = !before && self.room_flags.is_some();
            }
            ServerFrame::Vars(_) => {}
            ServerFrame::State(state) => {
                self.token = state.token.or(self.token.take());
                self.returned = state.returned;
                self.player = Some(state.player);
                self.login_room = Some(state.room);
                self.words = Arc::new(state.words.unwrap_or_default());
                self.tick = self.tick.max(state.world.as_ref().map(|world| world.tick));
                self.world = state.world;
                change.logged_in = true;
            }
            ServerFrame::Event(event) => {
                self.push_line(event, now_ms);
                change.line = true;
            }
            ServerFrame::Text(text) => {
                let line = Event { kind: EventKind::Text, from: None, text: text.text, spans: Vec::new(), cause: None };
                self.push_line(line, now_ms);
                change.line = true;
            }
            ServerFrame::Error(error) => {
                // A restart in order is announced so; there is nothing odd about it.
                self.oddities.errors +=
                    u64::from(!matches!(error.code, ErrorCode::ShuttingDown | ErrorCode::Restarting));
                if error.code == ErrorCode::RateLimited {
                    self.oddities.rate_limited += 1;
                }
                self.last_error = Some((error.code, error.message));
            }
            ServerFrame::TokenRefresh(refresh) => self.token = Some(refresh.token),
            ServerFrame::MemoryBootstrap(memory) => {
                self.memory_bootstrap = Some(memory.block);
                self.bootstrap_memories = memory.memories;
            }
            ServerFrame::MemorySummary(memory) => self.memory_summary = Some(memory.summary),
            ServerFrame::Mind(frame) => self.merge_mind(frame),
            // An older one would bring back what is over.
            ServerFrame::Agent(record) if newer => self.channels.take_record(*record, self.tick.unwrap_or(0)),
            ServerFrame::Channels(frame) if newer => self.channels.merge(frame, self.tick.unwrap_or(0)),
            ServerFrame::Agent(_) | ServerFrame::Channels(_) => {}
            ServerFrame::Message(message) => {
                self.tick = self.tick.max(Some(message.tick));
                self.channels.hear(*message);
            }
            ServerFrame::Reaction(reacted) => self.channels.react(&reacted, newer, self.tick.unwrap_or(0)),
            ServerFrame::CharCreate(_) | ServerFrame::Agents(_) | ServerFrame::Claimed(_) | ServerFrame::Resumed(_) => {
            }
        }
        self.oddities.stray_messages = self.channels.stray;
        change
    }

    /// A frame that could not be read, with its number if that could.
    pub fn on_unreadable(&mut self, code: ErrorCode, seq: Option<u64>) {
        match code {
            ErrorCode::UnknownType => self.oddities.unknown_types += 1,
            _ => {
                self.oddities.bad_frames += 1;
                // Whatever it was to say is lost, and it may have been variables.
                self.wants_full = true;
            }
        }
        self.count(seq);
    }

    /// Keeps count of `seq`. False: the frame is not newer than what is known.
    fn count(&mut self, seq: Option<u64>) -> bool {
        let Some(seq) = seq else { return true };
        let expected = self.seq.unwrap_or(0) + 1;
        if seq < expected {
            self.oddities.stale += 1;
            return false;
        }
        if seq > expected {
            self.oddities.gaps += 1;
            self.wants_full = true;
        }
        self.seq = Some(seq);
        true
    }

    /// True for a full dump.
    fn merge_vars(&mut self, vars: Vars) -> bool {
        let full = PUBLISHED.iter().all(|row| vars.0.contains_key(row.name));
        if full {
            self.wants_full = false;
        }
        for (name, value) in vars.0 {
            match Variable::named(&name) {
                Some(variable) => self.merge_variable(variable, value),
                None if name == "dropped" => self.oddities.outcomes_dropped += value.as_u64().unwrap_or(0),
                None => self.oddities.unknown_variables += 1,
            }
        }
        full
    }

    fn merge_variable(&mut self, variable: Variable, value: Value) {
        fn put<T: DeserializeOwned>(field: &mut Option<T>, value: Value) -> bool {
            match serde_json::from_value(value) {
                Ok(value) => {
                    *field = Some(value);
                    true
                }
                Err(_) => false,
            }
        }
        let taken = match variable {
            Variable::Health => put(&mut self.health, value),
            Variable::MaxHealth => put(&mut self.max_health, value),
            Variable::Mana => put(&mut self.mana, value),
            Variable::MaxMana => put(&mut self.max_mana, value),
            Variable::Move => put(&mut self.moves, value),
            Variable::MaxMove => put(&mut self.max_moves, value),
            Variable::Gold => put(&mut self.gold, value),
            Variable::Position => put(&mut self.position, value),
            Variable::Level => put(&mut self.level, value),
            Variable::Exp => put(&mut self.exp, value),
            Variable::RoomVnum => put(&mut self.room_vnum, value),
            Variable::RoomName => put(&mut self.room_name, value),
            Variable::RoomExits => put(&mut self.room_exits, value),
            Variable::RoomMobs => {
                let told = value.as_array().is_some_and(|mobs| mobs.iter().any(|mob| mob.get("fighting_me").is_some()));
                self.tells_fighting_me |= told;
                put(&mut self.room_mobs, value)
            }
            Variable::RoomItems => put(&mut self.room_items, value),
            Variable::Fighting => put(&mut self.fighting, value),
            Variable::Inventory => put(&mut self.inventory, value),
            Variable::Equipment => put(&mut self.equipment, value),
            Variable::RoomDoors => put(&mut self.room_doors, value),
            Variable::RoomFlags => put(&mut self.room_flags, value),
            Variable::Tick => put(&mut self.tick, value),
            Variable::Affects => put(&mut self.affects, value),
            Variable::Conditions => put(&mut self.conditions, value),
            Variable::Skills => put(&mut self.skills, value),
            Variable::Practices => put(&mut self.practices, value),
            Variable::Opponent => put(&mut self.opponent, value),
            Variable::Group => put(&mut self.group, value),
            Variable::RoomPlayers => put(&mut self.room_players, value),
            Variable::Lag => put(&mut self.lag, value),
            Variable::Tasks => put(&mut self.tasks, value),
            Variable::RoomOffers => put(&mut self.room_offers, value),
            Variable::Plot => put(&mut self.plot, value),
            // Its own map knows where it is, and nothing is decided by the rest.
            Variable::RoomArea
            | Variable::RoomTerrain
            | Variable::RoomCoords
            | Variable::RoomExitsTo
            | Variable::ExpToLevel
            | Variable::Alignment
            | Variable::WorldTime => true,
            Variable::Events => return self.merge_events(value),
        };
        if !taken {
            self.oddities.bad_values += 1;
        }
    }

    fn merge_events(&mut self, value: Value) {
        let Value::Array(events) = value else {
            self.oddities.bad_values += 1;
            return;
        };
        for event in events {
            match serde_json::from_value::<EventEntry>(event) {
                Ok(entry) => {
                    if let Outcome::Done { tick, .. } = &entry.outcome {
                        self.acknowledges = true;
                        self.tick = self.tick.max(Some(*tick));
                    }
                    if self.events.len() == EVENTS_MAX {
                        self.events.pop_front();
                        self.oddities.outcomes_dropped += 1;
                    }
                    self.events.push_back(entry);
                }
                Err(_) => self.oddities.unknown_outcomes += 1,
            }
        }
    }

    fn merge_mind(&mut self, frame: Mind) {
        match frame {
            // Of another mind of this body: its own log, which is not the body's.
            Mind::Snapshot { mind: Some(mind), .. } | Mind::Event { mind: Some(mind), .. } if !mind.is_body() => {}
            Mind::Snapshot { state, recalls, .. } => match serde_json::from_value::<MindState>(state) {
                Ok(state) => {
                    self.mind = state;
                    self.has_mind = true;
                    self.recalls = recalls;
                    self.entries.clear();
                    self.shared.clear();
                }
                Err(_) => self.oddities.bad_values += 1,
            },
            Mind::Event { event, .. } => match serde_json::from_value::<LogEntry>(event) {
                Ok(entry) => {
                    if self.entries.len() == ENTRIES_MAX {
                        self.entries.pop_front();
                    }
                    self.mind.project(&entry);
                    self.tick = self.tick.max(Some(entry.tick));
                    self.entries.push_back(entry);
                }
                Err(_) => self.oddities.bad_values += 1,
            },
            // The line of text says it too, and the model reads that.
            // The past is for whoever asked.
            Mind::Refused { .. } | Mind::At { .. } | Mind::Status(_) => {}
            Mind::Shared { rows, gone } => {
                gone.iter().for_each(|who| drop(self.shared.remove(who)));
                for row in rows {
                    self.shared_heard.extend(row.task.iter().chain(&row.blockers).cloned());
                    self.shared.insert(row.who.clone(), row);
                }
                // A server tells of six.
                while self.shared.len() > TOLD_MAX {
                    self.shared.pop_last();
                }
            }
            Mind::Recalled { words, memories, entries } => {
                self.recalled = Some((words, with_entries(memories, entries)));
            }
        }
    }

    fn push_line(&mut self, event: Event, at_ms: u64) {
        if self.lines.len() == LINES_MAX {
            self.lines.pop_front();
        }
        self.lines_total += 1;
        let Event { kind, from, text, spans: _, cause: _ } = event;
        self.lines.push_back(Line { number: self.lines_total, at_ms, kind, from, text });
    }

    /// The variables that are known, by their names on the wire; without `EVENTS`, which are no
    /// state, and the clock.
    pub fn variables(&self) -> Map<String, Value> {
        let mut known = Map::new();
        let mut put = |variable: Variable, value: Value| {
            if !value.is_null() {
                known.insert(variable.name().to_string(), value);
            }
        };
        put(Variable::Health, json!(self.health));
        put(Variable::MaxHealth, json!(self.max_health));
        put(Variable::Mana, json!(self.mana));
        put(Variable::MaxMana, json!(self.max_mana));
        put(Variable::Move, json!(self.moves));
        put(Variable::MaxMove, json!(self.max_moves));
        put(Variable::Gold, json!(self.gold));
        put(Variable::Position, json!(self.position));
        put(Variable::Level, json!(self.level));
        put(Variable::Exp, json!(self.exp));
        put(Variable::RoomVnum, json!(self.room_vnum));
        put(Variable::RoomName, json!(self.room_name));
        put(Variable::RoomExits, json!(self.room_exits));
        put(Variable::RoomMobs, json!(self.room_mobs));
        put(Variable::RoomItems, json!(self.room_items));
        put(Variable::Fighting, json!(self.fighting));
        put(Variable::Inventory, json!(self.inventory));
        put(Variable::Equipment, json!(self.equipment));
        put(Variable::RoomDoors, json!(self.room_doors));
        put(Variable::RoomFlags, json!(self.room_flags));
        known
    }

    /// The outcomes since the last call.
    pub fn take_events(&mut self) -> VecDeque<EventEntry> {
        std::mem::take(&mut self.events)
    }

    /// The character's name, if the login was answered.
    pub fn name(&self) -> &str {
        self.player.as_ref().map_or("", |player| &player.name)
    }

    /// The id by which outcomes mean this character.
    pub fn is_me(&self, who: &protocol::outcome::Who) -> bool {
        let name = self.name();
        who.id.strip_prefix("player_").is_some_and(|id| !name.is_empty() && id.eq_ignore_ascii_case(name))
    }

    /// Hit points of those at most, 0..=100; 100 where they are not known.
    pub fn hp_percent(&self) -> i32 {
        percent(self.health, self.max_health)
    }

    pub fn mana_percent(&self) -> i32 {
        percent(self.mana, self.max_mana)
    }

    pub fn moves_percent(&self) -> i32 {
        percent(self.moves, self.max_moves)
    }

    pub fn is_fighting(&self) -> bool {
        self.fighting == Some(true)
    }

    pub fn is_in(&self, position: &str) -> bool {
        self.position.as_deref() == Some(position)
    }

    pub fn mobs(&self) -> &[RoomMob] {
        self.room_mobs.as_deref().unwrap_or_default()
    }

    pub fn items(&self) -> &[RoomItem] {
        self.room_items.as_deref().unwrap_or_default()
    }

    pub fn exits(&self) -> &[Word] {
        self.room_exits.as_deref().unwrap_or_default()
    }

    pub fn carried(&self) -> &[InventoryItem] {
        self.inventory.as_deref().unwrap_or_default()
    }

    /// Mobs that fight this character; where the server does not say, those that fight anybody.
    pub fn attackers(&self) -> impl Iterator<Item = &RoomMob> {
        let told = self.tells_fighting_me;
        self.mobs().iter().filter(move |mob| if told { mob.fighting_me } else { mob.fighting })
    }

    /// All is known that a decision needs.
    pub fn is_ready(&self) -> bool {
        self.player.is_some() && self.health.is_some() && self.position.is_some() && self.room_vnum.is_some()
    }
}

fn percent(now: Option<i32>, most: Option<i32>) -> i32 {
    match (now, most) {
        (Some(now), Some(most)) if most > 0 => (i64::from(now.max(0)) * 100 / i64::from(most)).min(100) as i32,
        _ => 100,
    }
}

/// Memories that stand before what was found in the log: a prompt shows ten of both.
const BEFORE_ENTRIES: usize = 6;

/// What was remembered, and what was found in the log as memories of the same shape; the best of both first.
fn with_entries(mut memories: Vec<Memory>, entries: Vec<RecalledEntry>) -> Vec<Memory> {
    let found = entries.into_iter().map(|entry| Memory {
        evidence: entry.id.trim_start_matches('#').parse().into_iter().collect(),
        id: entry.id,
        text: entry.text,
        age_hours: entry.age_hours,
        score: Some(entry.score),
        ..Memory::default()
    });
    let rest = memories.split_off(memories.len().min(BEFORE_ENTRIES));
    memories.extend(found);
    memories.extend(rest);
    memories
}

#[cfg(test)]
mod tests;
