//! The player itself, without IO: frames, answers of the model and times go in, effects come out.

use crate::record::TurnRecord;
use crate::state::GameState;
use protocol::{ClientFrame, ServerMessage};

/// What a player is told before it plays.
#[derive(Clone, PartialEq, Debug)]
pub struct AgentSettings {
    /// Asks a model; without one, policies play alone.
    pub use_model: bool,
    /// Milliseconds from one decision of the model to the next.
    pub think_ms: u64,
    /// Seed of the agent's own chances.
    pub seed: u64,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings { use_model: true, think_ms: 5_000, seed: 0 }
    }
}

/// What the shell shall do.
#[derive(Debug)]
pub enum Effect {
    /// To the server, in this order.
    Send(ClientFrame),
    /// A turn is over: for the session log.
    Log(Box<TurnRecord>),
    /// For people at a terminal.
    Note(String),
}

pub struct Agent {
    pub settings: AgentSettings,
    pub state: GameState,
}

impl Agent {
    pub fn new(settings: AgentSettings) -> Agent {
        Agent { settings, state: GameState::default() }
    }

    /// A frame came. `now_ms` never goes back.
    pub fn on_message(&mut self, message: ServerMessage, now_ms: u64) {
        self.state.merge(message, now_ms);
    }

    /// What to do now: to be called after each frame, and at least every 250 ms.
    pub fn next(&mut self, _now_ms: u64) -> Vec<Effect> {
        Vec::new()
    }
}
