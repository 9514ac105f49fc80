//! Who fights whom: how fights begin and end.
//!
//! Invariant: `fighting` and `State::fighters` change only here, together; a fighter and its opponent are in one room,
//! except within the input in which one of them leaves. `fight_cause` goes with them (`causes`). Blows and rounds are
//! in `combat`, running away in `flight.rs`.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::Hunt;
use crate::effects::affects;
use crate::report::LineKind;
use crate::world::World;
use content::flags::*;
use content::words::Position;
use protocol::Outcome;

/// Ends with the first blow.
const HIDING: AffectFlags = AffectFlags::INVISIBLE.with(AffectFlags::HIDE);

impl World {
    /// `who` turns to fight `victim`. Does nothing when it fights already.
    pub fn set_fighting(&mut self, who: CharacterId, victim: CharacterId) {
        if self.who(who).fighting.is_some() || who == victim {
            return;
        }
        let character = self.who_mut(who);
        character.fighting = Some(victim);
        if character.position > Position::Stunned {
            character.position = Position::Fighting;
        }
        if character.is(AffectFlags::SLEEP) {
            affects::end(self, who, AffectFlags::SLEEP);
        }
        self.state.fighters.insert(who);
        self.take_up_fight(who);
        self.enter_fight(who);
    }

    /// A fight follows from the command by which its fighter took it up: the first of its own that was part of it.
    pub fn take_up_fight(&mut self, who: CharacterId) {
        let Some(id) = self.causes.act_of(who) else { return };
        if self.who(who).fight_cause.is_none() {
            self.who_mut(who).fight_cause = Some(id);
        }
    }

    pub fn stop_fighting(&mut self, who: CharacterId) {
        if self.state.fighters.remove(&who) {
            let character = self.who_mut(who);
            let opponent = character.fighting.take();
            let cause = character.fight_cause.take();
            if character.position == Position::Fighting {
                character.position = Position::Standing;
            }
            if let (Some(id), Some(opponent)) = (cause, opponent.and_then(|id| self.state.characters.get(id))) {
                self.causes.fight_over(who, opponent, id);
            }
            self.leave_fight(who);
        }
    }

    /// Nobody fights `who` any more, nor it anybody.
    pub fn stop_fights_of(&mut self, who: CharacterId) {
        self.stop_fighting(who);
        let against: Vec<CharacterId> =
            self.state.fighters.iter().copied().filter(|id| self.who(*id).fighting == Some(who)).collect();
        for id in against {
            self.stop_fighting(id);
        }
    }

    /// A mob holds nothing against somebody any more: a death settles that, and what comes to the same.
    pub(crate) fn forget_grudge(&mut self, mob: CharacterId, against: CharacterId) {
        let key = self.who(against).keywords.clone();
        if self.who(mob).mob().is_some_and(|mob| mob.memory.contains(&key)) {
            self.who_mut(mob).mob_mut().expect("it is one").memory.retain(|name| *name != key);
        }
    }

    /// Both sides are fighting now; the hidden are seen; grudges are kept.
    pub fn provoke(&mut self, attacker: CharacterId, victim: CharacterId) {
        if attacker == victim {
            return;
        }
        let c = self.who(attacker);
        // What a ring does is not undone by a blow.
        if c.is(HIDING) && (c.base.flags.any(HIDING) || c.affects.iter().any(|a| a.flags.any(HIDING))) {
            self.appear(attacker);
        }
        let begun = self.who(attacker).fighting.is_none() && self.who(victim).fighting != Some(attacker);
        if self.who(attacker).position > Position::Stunned {
            self.set_fighting(attacker, victim);
        }
        if self.who(victim).position > Position::Stunned && self.who(victim).fighting.is_none() {
            self.set_fighting(victim, attacker);
            if begun {
                self.suffer_attack(victim);
            }
        }
        self.record_blow(attacker, victim, begun);
        if self.who(victim).mob_flags().has(MobFlags::MEMORY)
            && self.who(attacker).is_player()
            && !self.who(attacker).is_immortal()
        {
            let name = self.who(attacker).keywords.clone();
            let mob = self.who_mut(victim).mob_mut().expect("only mobs have mob flags");
            if !mob.memory.contains(&name) {
                mob.memory.push(name);
            }
        }
        self.take_up_hunt(victim, attacker);
        if begun {
            let outcome = Outcome::Attacked { attacker: self.as_who(attacker), victim: self.as_who(victim) };
            let outcome = self.note(outcome);
            self.witness(&Scene::new(attacker, LineKind::Combat).victim(victim).outcome(&outcome));
        }
    }

    /// A mob that hunts by nature is after whoever strikes it from now on, wherever that one goes.
    fn take_up_hunt(&mut self, who: CharacterId, attacker: CharacterId) {
        let (c, a) = (self.who(who), self.who(attacker));
        let free = c.mob().is_some_and(|mob| mob.flags.has(MobFlags::HUNTER) && mob.hunt.is_none());
        if free && a.is_player() && !a.is_immortal() {
            let hunt = Hunt::of(attacker, self.tick());
            self.who_mut(who).mob_mut().expect("it has a mob's flags").hunt = Some(hunt);
        }
    }

    /// Ends invisibility and hiding.
    pub fn appear(&mut self, who: CharacterId) {
        self.who_mut(who).base.flags.remove(HIDING);
        if !affects::end(self, who, HIDING) {
            self.recompute(who);
        }
        self.show(&Scene::new(who, LineKind::Text), "You are seen.", "", "$n is there, all of a sudden.");
    }
}
