//! The view model: everything that a prompt can show, in the order in which it is shown.
//!
//! Fields are `Option` where a client may not know them: what is unknown is left out, never shown as zero. Texts may be
//! anything; they are cleaned and capped where they are shown.

use crate::arts::ArtsView;
use crate::focus::Focus;
use crate::state::MindState;
use protocol::channel::{Channel, Invitation};
use protocol::payload::SharedRow;
use protocol::plot::PlotSeen;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// All of it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct View {
    #[serde(rename = "self")]
    pub self_: SelfView,
    pub live: LiveView,
    /// Oldest first. The newest 20 are shown.
    pub recent: Vec<RecentAction>,
    pub state: MindState,
}

/// Which texts about the own nature stand at the head of P1.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A character with a life of its own.
    #[default]
    Persona,
    /// One that does a job.
    Bot,
}

/// Who the agent is. Changes at a login, or when its texts change; numbers that move while playing are in `VarsView`.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SelfView {
    pub name: String,
    /// The name that it is shown by; empty: its own.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub shown_as: String,
    /// `Warrior`.
    pub class: String,
    /// `Human`.
    pub race: String,
    /// As of the login; `VarsView::level` is the one of now.
    pub level: i32,
    pub kind: Kind,
    /// The server keeps a record of it; without one, what is done with records is not spoken of at all.
    pub has_record: bool,
    /// May make other agents; without it those actions are not spoken of at all.
    pub may_create_agents: bool,
    /// The server has channels: what is done in them is told. Without them their verbs are not spoken of at all.
    pub channels: bool,
    /// Of the one who runs the agent. It stands above all that the agent may change.
    pub operator_prompt: String,
    /// A character sheet in prose.
    pub persona: String,
    /// What the agent resolved for itself.
    pub guidelines: Vec<String>,
    /// The block of `memory_bootstrap`: recent memories as the server wrote them.
    pub memory_bootstrap: String,
    /// The text of `memory_summary`.
    pub memory_summary: String,
    /// What it can do, as of now.
    pub arts: ArtsView,
}

/// The here and now: everything that may be another at the next decision.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LiveView {
    /// The world's tick, or the client's own count of them where a server does not say.
    pub tick: u64,
    /// The world's date and hour: `4 Sowing 612, hour 9`; empty where it is not known.
    pub date: String,
    pub vars: VarsView,
    /// Rooms around, the nearest first.
    pub map: Vec<RoomView>,
    /// Directions in which nobody looked so far, from this room.
    pub unseen: Vec<String>,
    /// What the keeper of this room sells, as its list was read here.
    pub shop: Vec<WareView>,
    /// What it has to do next for others: steps that count now, and whom to go back to.
    pub tasks: Vec<TaskView>,
    /// The plot of this room, on which everybody builds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub plot: Option<PlotSeen>,
    pub mobs: Vec<MobView>,
    /// Other players in the room.
    pub players: Vec<PersonView>,
    /// On the floor.
    pub items: Vec<ItemView>,
    pub inventory: Vec<ItemView>,
    pub equipment: Vec<WornView>,
    /// What others said since the last block was appended, oldest first; what is in a block already need not be here.
    pub speech: Vec<SaidView>,
    /// What the world told since then: lines of fighting, weather, doors.
    pub events: Vec<String>,
    /// In the client's own words: hungry, in the dark, an answer came too late.
    pub warnings: Vec<String>,
    pub ledger: LedgerView,
    /// Things, people, places and topics handled, looked at or named lately, newest first.
    pub focus: Vec<FocusView>,
    /// What others share of their minds.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shared: Vec<SharedRow>,
    /// What was found in memory for this situation, best first.
    pub memories: Vec<MemoryView>,
    /// Conversations, wherever one is. `None`: the server has none, and no prompt speaks of any.
    pub channels: Option<Arc<ChannelsView>>,
}

/// The channels of the agent, ascending by their ids.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ChannelsView {
    /// The agent's own id.
    pub you: u32,
    pub channels: Vec<ChannelView>,
    /// Channels that it may join and has not.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub invitations: Vec<Invitation>,
}

/// A channel and what the agent does there.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ChannelView {
    /// As the server tells it; its messages oldest first, as far as they are known.
    pub channel: Channel,
    /// What the agent did there lately, as `protocol::attention` weighs it.
    pub acts: u32,
    pub used: UseView,
}

/// What a channel took of the last prompts, and what the agent gave there in the same time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct UseView {
    /// Tokens of messages that were new to it.
    pub tokens: u64,
    pub words: u64,
    pub replies: u64,
    pub reactions: u64,
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct VarsView {
    pub hp: Option<i32>,
    pub hp_max: Option<i32>,
    pub mana: Option<i32>,
    pub mana_max: Option<i32>,
    pub moves: Option<i32>,
    pub moves_max: Option<i32>,
    pub level: Option<i32>,
    pub exp: Option<i64>,
    pub gold: Option<i64>,
    /// `standing`.
    pub position: Option<String>,
    /// The name of whom the agent fights; empty when it fights somebody whom it cannot name.
    pub fighting: Option<String>,
    /// What is on the character's mind and body: `hungry`, `thirsty`, `blind`, `poisoned`.
    pub states: Vec<String>,
    /// Who teaches here, and for how many sessions more.
    pub practices: Option<String>,
    pub room_vnum: Option<i32>,
    pub room: Option<String>,
    pub description: Option<String>,
    /// Full words; a closed door as `north (closed)`.
    pub exits: Option<Vec<String>>,
}

/// Somebody in the room.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct PersonView {
    pub name: String,
    pub fighting: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MobView {
    /// What to type to mean this one: `2.goblin`.
    pub target: String,
    pub name: String,
    pub level: Option<i32>,
    pub fighting: bool,
    pub fighting_me: bool,
    /// What `consider` said of it: `easy`, `a fair fight`.
    pub odds: Option<String>,
}

/// A thing on the floor or in the hands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ItemView {
    /// What to type to mean this one.
    pub target: String,
    pub name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WornView {
    /// The name of the place: `wield`.
    pub place: String,
    pub name: String,
}

/// A room that is known, from where one stands.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RoomView {
    /// The steps: `west`, `2 west, north`.
    pub way: String,
    pub room: String,
    /// What is there: `shop: food`, `water`, `unseen: up`, `you died there`.
    pub what: String,
}

/// A row of a shop's list.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct WareView {
    /// What `buy` takes: `#3`.
    pub target: String,
    /// In coins.
    pub price: i64,
    pub name: String,
}

/// A step of what one is about for others.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TaskView {
    /// What `tasks` and `abandon` take.
    pub id: String,
    pub step: String,
    pub done: i32,
    pub need: i32,
    /// A room or land where it goes on; empty where nobody knows.
    pub place: String,
}

/// Something that somebody said: data, never an instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SaidView {
    pub from: String,
    /// `say`, `tell`, `gossip` …
    pub channel: String,
    pub text: String,
}

/// One action of the agent and what came of it.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RecentAction {
    pub tick: u64,
    /// `reflex`, `policy` or `model`.
    pub source: String,
    /// The line that was sent.
    pub action: String,
    /// `ok`, `refused: You see no such thing here.` …; empty while it is open.
    pub outcome: String,
}

/// What thinking has cost, and what it may cost. Limits of `None` are none.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct LedgerView {
    pub tokens_used: u64,
    pub tokens_limit: Option<u64>,
    /// Millionths of the currency that the prices are in.
    pub cost_used_micros: u64,
    pub cost_limit_micros: Option<u64>,
    /// The question's number in its turn, and how many a turn may have.
    pub iteration: u32,
    pub loop_max: u32,
    /// Answers of the model in this session, and how much of their prompts was read from a cache, percent.
    pub calls: u64,
    pub cached_percent: u64,
    /// Replies that are to come.
    pub pending: usize,
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FocusView {
    /// What `focus off` takes; 0: nothing does.
    pub id: u64,
    /// The thing, person, place or topic, as it was named.
    pub what: String,
    /// `handled`, `looked`, `named`.
    pub how: String,
    pub tick: u64,
}

impl FocusView {
    pub fn of(focus: &Focus) -> FocusView {
        let Focus { id, name, how, tick, .. } = focus;
        FocusView { id: *id, what: name.clone(), how: how.name().to_string(), tick: *tick }
    }
}

#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MemoryView {
    /// What `recall why` takes, and what a decision may name as its ground: `event:17`.
    pub id: String,
    /// Hours of the world's time since then.
    pub age_hours: f64,
    /// −3..=3.
    pub valence: i32,
    pub text: String,
}
