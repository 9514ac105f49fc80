//! What the world itself writes into the minds of bodies: what they built on plots, and what came of a choice between
//! several minds.
//!
//! Leaves the words to the crate `mind`, whose rows `FOUND` these verbs are. Invariant: each line has one number of its
//! own, given here, so that a replay writes the same.

use crate::arena::CharacterId;
use crate::character::Choice;
use crate::report::{MindRequest, Request};
use crate::world::World;
use plot::{Action, Built};
use protocol::minds::MindName;
use protocol::plot::{DeedSeen, SceneSeen};

/// Ticks after a choice between minds that it is told what they brought. Source: *Conflicts* of the issue of several
/// minds.
pub const OUTCOME_TICKS: u64 = 30;
/// Choices that wait for it; of more the oldest is not told.
pub const CHOICES_MAX: usize = 20;

impl World {
    /// Takes down that minds of a body differed, perhaps: whether they did, the mind knows. `from` and `upto`: the
    /// numbers that were set aside for its line.
    pub(crate) fn note_choice(&mut self, who: CharacterId, from: u64, upto: u64) {
        let tick = self.tick();
        let Some(player) = self.player_quietly(who) else { return };
        let experience = player.experience;
        if player.choices.len() == CHOICES_MAX {
            player.choices.pop_front();
        }
        player.choices.push_back(Choice { from, upto, tick, experience });
    }

    /// Tells minds what came of choices that are long enough ago. Who was away meanwhile is told when it is back.
    pub(crate) fn tell_outcomes(&mut self) {
        let tick = self.tick();
        // A world that was built anew may count from an earlier tick than it.
        let is_due = |choice: &Choice| tick >= choice.tick + OUTCOME_TICKS || tick < choice.tick;
        let next = |world: &World, who| world.character(who)?.player()?.choices.front().copied().filter(is_due);
        let waiting = self.state.players.values().copied().filter(|who| next(self, *who).is_some());
        for who in waiting.collect::<Vec<CharacterId>>() {
            while let Some(choice) = next(self, who) {
                let Some(player) = self.player_quietly(who) else { break };
                let gained = i64::from(player.experience) - i64::from(choice.experience);
                player.choices.pop_front();
                if tick >= choice.tick {
                    let Choice { from, upto, tick, .. } = choice;
                    self.tell_mind(who, "conflict.outcome", format!("#{from}-#{upto} {tick} {gained}"));
                }
            }
        }
    }

    /// What a body did on the plot of that room, for its memo.
    pub(crate) fn tell_deed(&mut self, who: CharacterId, room: i32, built: &Built) {
        let action = Action::of(&built.change.deed, &built.element.kind).seen();
        let scene = SceneSeen { room, revision: built.change.revision };
        let (content, reasoning) = (built.told().into(), built.change.why.clone());
        let deed = DeedSeen { content, reasoning, action, scene };
        self.tell_mind(who, "memo.write", deed.written());
    }

    fn tell_mind(&mut self, who: CharacterId, verb: &'static str, args: String) {
        let name = self.who(who).name.clone();
        let Some(player) = self.player_quietly(who) else { return };
        player.log_seq += 1;
        let (first, mind, args) = (player.log_seq, MindName::Body, args.into());
        let (numbers, present, place, reads) = (1, Vec::new(), None, None);
        let request = MindRequest { who, name, mind, verb, args, first, numbers, present, place, reads };
        self.report.requests.push(Request::Mind(Box::new(request)));
    }
}
