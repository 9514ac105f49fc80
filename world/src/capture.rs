//! What each command did, for the records of decisions: the character before and after, and why it was refused.
//!
//! A command may wait for a lag to end, so this is noted where the verb is really run, not where the line arrived.
//! Leaves dispatch times, clients and storing to the edge. Invariants: nothing in the world reads what is noted here;
//! state, hashes and chance are the same whoever is captured. A secret verb's arguments are in no row: they do not
//! reach the world, and an alias that spells one out loses them (`commands::take`).

use crate::arena::CharacterId;
use crate::character::Character;
use crate::number::CommandId;
use crate::report::{Capture, Ran, Request, Vitals};
use crate::world::World;
use protocol::verbs::Typed;

impl World {
    pub fn vitals(&self, who: CharacterId) -> Option<Vitals> {
        let character = self.character(who)?;
        Some(Vitals {
            hit: character.hit,
            mana: character.mana,
            moves: character.moves,
            position: character.position,
            room: self.room_proto(character.room).vnum,
            exp: character.player().map_or(0, |player| player.experience.into()),
            gold: character.gold.into(),
        })
    }

    /// Whether its commands are noted.
    pub fn is_captured(&self, who: CharacterId) -> bool {
        match self.capture {
            Capture::Nobody => false,
            Capture::Agents => self.character(who).and_then(Character::player).is_some_and(|player| player.agent),
            Capture::Everybody => self.character(who).is_some_and(Character::is_player),
        }
    }

    /// The character as it is, when its commands are to be noted.
    pub(crate) fn captured(&self, who: CharacterId) -> Option<Vitals> {
        if self.is_captured(who) { self.vitals(who) } else { None }
    }

    /// Keeps the last sight of who is about to leave the world, for the command that it leaves by.
    pub(crate) fn note_parting(&mut self, who: CharacterId) {
        self.parted = self.captured(who).map(|vitals| (who, vitals));
    }

    /// Notes a command that has just been run. `before`: from `captured`.
    pub(crate) fn note_ran(&mut self, who: CharacterId, id: CommandId, typed: Typed, before: Vitals) {
        let parted = || self.parted.filter(|(left, _)| *left == who).map(|(_, vitals)| vitals);
        let after = self.vitals(who).or_else(parted).unwrap_or(before);
        let refused = self.report.refused.as_deref().map(Box::from);
        // A command asks at most once, last of all; what an earlier one asked is that one's.
        let asks = self.report.requests.len().checked_sub(1).filter(|newest| {
            let request = &self.report.requests[*newest];
            matches!(request, Request::Mind(request) if request.who == who)
                && self.report.ran.iter().rev().all(|ran| ran.asks != Some(*newest))
        });
        self.report.ran.push(Ran {
            who,
            id,
            word: typed.word.into(),
            args: typed.args.into(),
            before,
            after,
            refused,
            asks,
        });
    }
}
