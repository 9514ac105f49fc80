//! Where the agent saw whom last: players, whom no map remembers.

use crate::state::GameState;
use protocol::Outcome;
use protocol::outcome::{Who, WhoKind};
use std::collections::BTreeMap;

/// People that are remembered; of more, the one who was seen longest ago is forgotten.
const KEPT_MAX: usize = 200;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Seen {
    pub name: String,
    pub room: i32,
    order: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Whereabouts {
    /// By name in lower case.
    people: BTreeMap<String, Seen>,
    count: u64,
}

impl Whereabouts {
    /// Something happened in the room one is in.
    pub fn see(&mut self, state: &GameState, outcome: &Outcome) {
        let Some(room) = state.room_vnum else { return };
        let who = match outcome {
            Outcome::Entered { who, .. } | Outcome::Left { who, .. } => who,
            // What is told or shouted comes from anywhere.
            Outcome::Said { speaker, channel, .. } if matches!(&**channel, "say" | "emote" | "whisper" | "ask") => {
                speaker
            }
            Outcome::Social { actor, .. } => actor,
            _ => return,
        };
        self.met(state, who, room);
    }

    fn met(&mut self, state: &GameState, who: &Who, room: i32) {
        if who.kind != WhoKind::Player || who.id.is_empty() || state.is_me(who) {
            return;
        }
        self.count += 1;
        let seen = Seen { name: who.name.to_string(), room, order: self.count };
        self.people.insert(who.name.to_lowercase(), seen);
        if self.people.len() > KEPT_MAX
            && let Some(oldest) = self.people.iter().min_by_key(|(_, seen)| seen.order).map(|(name, _)| name.clone())
        {
            self.people.remove(&oldest);
        }
    }

    pub fn of(&self, name: &str) -> Option<&Seen> {
        self.people.get(&name.to_lowercase())
    }
}
