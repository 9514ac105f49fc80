//! Which of its own commands what a reader is told follows from.
//!
//! What happens while somebody's command is run follows, for that reader, from the command. The blows of later rounds,
//! a death and what it brings follow from the command by which the reader took up the fight: `Character::fight_cause`,
//! which is kept with `fighting` and written by `fights` only. What nobody's command began, a mob that strikes first,
//! another's deed, hunger, has no cause. Nothing in the game reads any of this: it is for records and programs.

use crate::arena::CharacterId;
use crate::character::Character;
use crate::number::CommandId;
use protocol::Outcome;
use protocol::outcome::Who;
use std::sync::Arc;

/// Who acts in this input, and whose fights have ended in it. Made anew for each input: not state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Causes {
    /// Whose command is being run.
    act: Option<(CharacterId, CommandId)>,
    /// Fights that ended in this input, with the other side's instance: a death brings something when its fight is
    /// over.
    over: Vec<(CharacterId, Arc<str>, CommandId)>,
}

impl Causes {
    /// From here on this character's command is run.
    pub fn begin_act(&mut self, who: CharacterId, id: CommandId) {
        self.act = Some((who, id));
    }

    pub fn end_act(&mut self) {
        self.act = None;
    }

    /// The command that is being run, whoever it is of.
    pub fn act(&self) -> Option<CommandId> {
        self.act.map(|(_, id)| id)
    }

    /// The command of `who` that is being run, if one is.
    pub fn act_of(&self, who: CharacterId) -> Option<CommandId> {
        self.act.filter(|(actor, _)| *actor == who).map(|(_, id)| id)
    }

    /// The fight of `who` is over; what it still brings follows from the same command.
    pub fn fight_over(&mut self, who: CharacterId, opponent: &Character, id: CommandId) {
        // What no outcome has named yet, none will name as dead.
        self.over.extend(opponent.instance.get().map(|instance| (who, instance.clone(), id)));
    }

    /// What the death of `victim` brings `who` by itself, such as what it loots, follows from the command that began
    /// the fight, until `end_act`. False where a command is being run already, or none began it.
    pub fn resume_act(&mut self, who: CharacterId, victim: &Arc<str>) -> bool {
        let ended = || self.over.iter().rev().find(|(one, other, _)| *one == who && other == victim);
        let id = if self.act.is_none() { ended().map(|(.., id)| *id) } else { None };
        self.act = self.act.or(id.map(|id| (who, id)));
        id.is_some()
    }

    /// Which command of `reader` something that it is told follows from. `outcome`: what it tells, if anything;
    /// `opponent`: whom the reader fights.
    pub fn of(
        &self,
        reader: CharacterId,
        character: &Character,
        opponent: Option<&Character>,
        outcome: Option<&Outcome>,
    ) -> Option<CommandId> {
        let act = self.act_of(reader);
        if act.is_some() || (character.fight_cause.is_none() && self.over.is_empty()) {
            return act;
        }
        let (one, other) = sides(outcome?)?;
        // Whoever is named in an outcome has its instance by now.
        let me = character.instance.get()?;
        let against = match other {
            None if one.id == *me => None,
            Some(other) if one.id == *me => Some(other),
            Some(other) if other.id == *me => Some(one),
            _ => return None,
        };
        // Whom one cannot see has no id: it is the one that is fought, as far as anybody can tell.
        let is = |instance: &Arc<str>| against.is_none_or(|who| who.id.is_empty() || who.id == *instance);
        let own = character.fight_cause.filter(|_| opponent.and_then(|o| o.instance.get()).is_some_and(is));
        let ended = || self.over.iter().rev().find(|(who, other, _)| *who == reader && is(other)).map(|(.., id)| *id);
        own.or_else(ended)
    }
}

/// Who is in an outcome of a fight, if it is one: both sides, or the one that it is about.
fn sides(outcome: &Outcome) -> Option<(&Who, Option<&Who>)> {
    match outcome {
        Outcome::Attacked { attacker, victim }
        | Outcome::Damage { attacker, victim, .. }
        | Outcome::Miss { attacker, victim, .. } => Some((attacker, Some(victim))),
        Outcome::Death { victim, killer: Some(killer) } => Some((victim, Some(killer))),
        Outcome::KillCredit { who, victim, .. } => Some((who, Some(victim))),
        Outcome::Fled { who, .. } | Outcome::LevelGained { who, .. } => Some((who, None)),
        _ => None,
    }
}
