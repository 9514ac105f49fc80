//! Hosts on the wire: programs that play all agents of an owner. The payloads of the frames `agents` and `claimed`,
//! which they get; what they send (`host`, `claim`) is in `frame`.
//!
//! A host has a connection of its own, by which nobody plays: it is told of the agents there, takes up those that
//! nobody plays, and logs each in on another connection with the token that it got for it.

use crate::channel::{Agent, id};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What an agent is doing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AgentState {
    /// Nobody plays it.
    Dormant,
    /// A client plays it.
    Running,
    /// A client plays it, and it does not think for a while.
    Asleep,
    /// It plays no more.
    Retired,
    /// One that this build does not know.
    #[serde(other)]
    Other,
}

impl AgentState {
    /// The word on the wire.
    pub const fn name(self) -> &'static str {
        match self {
            AgentState::Dormant => "dormant",
            AgentState::Running => "running",
            AgentState::Asleep => "asleep",
            AgentState::Retired => "retired",
            AgentState::Other => "other",
        }
    }
}

/// An agent as its host is told of it: its record, and what it is doing.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Hosted {
    #[serde(flatten)]
    pub record: Agent,
    pub state: AgentState,
}

/// `agents`: those of the owner; all after `host`, later those that are otherwise than before.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Agents {
    /// These are all.
    pub full: bool,
    /// Sorted by id; may be empty.
    pub agents: Vec<Hosted>,
    /// Those that are the owner's no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<u32>,
}

/// `claimed`: the agent is this host's to play.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Claimed {
    #[serde(deserialize_with = "id")]
    pub id: u32,
    /// For the login; not the name that is shown.
    pub name: Arc<str>,
    /// For one login; that tells the next.
    pub token: String,
}
