//! One blow: whether it lands, how hard, and what everybody reads. What it does is harm (`effects/harm.rs`).
//! Source: game reference §2.4.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::effects::{self, Harm, harm};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::abilities;
use crate::world::World;
use content::ObjectKind;
use content::flags::*;
use content::words::*;
use protocol::Outcome;

/// Ends with the first blow.
const HIDING: AffectFlags = AffectFlags::INVISIBLE.with(AffectFlags::HIDE);

/// Damage up to which each row of `TIERS` is used; beyond the last the last row is.
const TIER_LIMITS: [i32; 11] = [2, 4, 6, 10, 14, 19, 23, 33, 43, 53, i32::MAX];

/// Actor, victim, room. `$t` is the verb, bare for the actor and in the third person for the others.
const TIERS: [[&str; 3]; 11] = [
    ["You scratch $N as you $t at $M.", "$n scratches you as $e $t at you.", "$n scratches $N as $e $t at $M."],
    ["You barely $t $N.", "$n barely $t you.", "$n barely $t $N."],
    ["You $t $N.", "$n $t you.", "$n $t $N."],
    ["You $t $N soundly.", "$n $t you soundly.", "$n $t $N soundly."],
    ["You $t $N so that $E staggers.", "$n $t you so that you stagger.", "$n $t $N so that $E staggers."],
    ["You $t $N without mercy.", "$n $t you without mercy.", "$n $t $N without mercy."],
    ["You $t $N, and bones give way.", "$n $t you, and bones give way.", "$n $t $N, and bones give way."],
    ["You $t $N half off $S feet.", "$n $t you half off your feet.", "$n $t $N half off $S feet."],
    ["You $t $N to a bloody ruin.", "$n $t you to a bloody ruin.", "$n $t $N to a bloody ruin."],
    [
        "You $t $N with a force that ends arguments.",
        "$n $t you with a force that ends arguments.",
        "$n $t $N with a force that ends arguments.",
    ],
    ["You $t $N past all recognising.", "$n $t you past all recognising.", "$n $t $N past all recognising."],
];

impl World {
    /// The weapon in hand, if any.
    pub fn wielded(&self, who: CharacterId) -> Option<crate::arena::ObjectId> {
        self.who(who).wears(WearSlot::Wield)
    }

    /// What its blows are called.
    pub fn attack_type(&self, who: CharacterId) -> AttackType {
        if let Some(weapon) = self.wielded(who)
            && let ObjectKind::Weapon { attack, .. } = self.thing(weapon).kind
        {
            return attack;
        }
        self.mob_proto(who).map_or(AttackType::Hit, |proto| proto.attack)
    }

    /// One blow of `attacker` at `victim`, who are in one room.
    pub fn strike(&mut self, attacker: CharacterId, victim: CharacterId) {
        let attack = self.attack_type(attacker);
        let needed = self.to_hit(attacker);
        let (awake, defence) = {
            let v = self.who(victim);
            let awake = v.is_awake();
            let dodge = if awake { abilities::dexterity_defence(v.now.abilities.dexterity) } else { 0 };
            (awake, (v.now.armor / 10 + dodge).max(-10))
        };
        let die = self.dice(Stream::Combat).range(1, 20);
        if awake && die < 20 && (die == 1 || needed - die > defence) {
            self.miss(attacker, victim, attack);
            return;
        }
        let damage = self.blow_damage(attacker, victim);
        harm::harm(self, Harm::blow(attacker, victim, damage, attack));
    }

    /// The lowest throw of a twenty-sided die that hits armour class 0.
    fn to_hit(&self, attacker: CharacterId) -> i32 {
        let c = self.who(attacker);
        let base = if c.is_mob() { 20 } else { self.rules.thac0(c.class, c.level) };
        let a = &c.now.abilities;
        // Source: trunc((x − 13) / 1.5), in integers.
        let wit = |value: i32| (value - 13) * 2 / 3;
        let drunk = c.player().is_some_and(|p| p.drunk > 1);
        base - abilities::strength(a).to_hit - c.now.hit_roll - wit(a.intelligence) - wit(a.wisdom)
            + if drunk { 2 } else { 0 }
    }

    /// Hit points that a landed blow takes before what protects the victim.
    fn blow_damage(&mut self, attacker: CharacterId, victim: CharacterId) -> i32 {
        let c = self.who(attacker);
        let weapon = self.wielded(attacker).map(|id| self.thing(id).kind.clone());
        let own_dice = self.mob_proto(attacker).map(|proto| proto.damage);
        let (level, bonus) = (c.level, abilities::strength(&c.now.abilities).damage + c.now.damage_roll);
        let dice = self.dice(Stream::Combat);
        let thrown = match (own_dice, weapon) {
            (Some(own), _) => dice.roll(own.count, own.sides),
            (None, Some(ObjectKind::Weapon { dice: count, sides, .. })) => dice.roll(count, sides),
            (None, _) => dice.range(0, level / 3),
        };
        let v = self.who(victim);
        let mut damage = bonus + thrown;
        if v.position < Position::Fighting {
            // Integer division is in the original: sitting ×1, sleeping to incapacitated ×2, mortally wounded ×3.
            damage *= 1 + (Position::Fighting.index() as i32 - v.position.index() as i32) / 3;
        }
        let damage = damage.max(1);
        damage - damage * absorbed_percent(v.now.armor) / 100
    }

    fn miss(&mut self, attacker: CharacterId, victim: CharacterId, attack: AttackType) {
        self.provoke(attacker, victim);
        let outcome = self.note(Outcome::Miss {
            attacker: self.as_who(attacker),
            victim: self.as_who(victim),
            attack: attack.name().into(),
        });
        let scene = Scene::new(attacker, LineKind::Combat)
            .victim(victim)
            .text(attack.name())
            .kinds(LineKind::CombatDealt, LineKind::CombatTaken, LineKind::Combat)
            .outcome(&outcome);
        self.show(
            &scene,
            "You try to $t $N, and miss.",
            "$n tries to $t you, and misses.",
            "$n tries to $t $N, and misses.",
        );
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
        if begun {
            let outcome = Outcome::Attacked { attacker: self.as_who(attacker), victim: self.as_who(victim) };
            let outcome = self.note(outcome);
            self.witness(&Scene::new(attacker, LineKind::Combat).victim(victim).outcome(&outcome));
        }
    }

    /// Ends invisibility and hiding.
    pub fn appear(&mut self, who: CharacterId) {
        self.who_mut(who).base.flags.remove(HIDING);
        if !effects::affects::end(self, who, HIDING) {
            self.recompute(who);
        }
        self.show(&Scene::new(who, LineKind::Text), "You are seen.", "", "$n is there, all of a sudden.");
    }
}

impl World {
    /// How everybody reads that a blow landed, with its outcome.
    pub(crate) fn tell_blow(&mut self, attacker: CharacterId, victim: CharacterId, amount: i32, attack: AttackType) {
        let outcome = self.note(Outcome::Damage {
            attacker: self.as_who(attacker),
            victim: self.as_who(victim),
            amount,
            attack: attack.name().into(),
        });
        let scene = Scene::new(attacker, LineKind::Combat)
            .victim(victim)
            .kinds(LineKind::CombatDealt, LineKind::CombatTaken, LineKind::Combat)
            .outcome(&outcome);
        if amount == 0 {
            self.show(
                &scene,
                "Your blow does $N no harm.",
                "$n's blow does you no harm.",
                "$n's blow does $N no harm.",
            );
            return;
        }
        let tier = TIER_LIMITS.iter().position(|limit| amount <= *limit).unwrap_or(TIERS.len() - 1);
        let [to_actor, to_victim, to_room] = TIERS[tier];
        let scene = scene.text(attack.name());
        self.show_to(&scene, attacker, LineKind::CombatDealt, to_actor);
        self.show(&scene.text(attack.third_person()), "", to_victim, to_room);
    }
}

/// Percent of a blow that armour takes, by armour class. Source: game reference §2.4.
pub fn absorbed_percent(armor: i32) -> i32 {
    match armor {
        91.. => 0,
        81.. => 2,
        71.. => 4,
        61.. => 6,
        51.. => 8,
        41.. => 10,
        31.. => 12,
        21.. => 14,
        11.. => 16,
        1.. => 20,
        -9.. => 22,
        -89.. => 24 + (-10 - armor) / 10 * 2,
        -95..=-90 => 40,
        _ => 42,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn armour_takes_more_the_better_it_is() {
        for (armor, percent) in [
            (100, 0),
            (90, 2),
            (81, 2),
            (80, 4),
            (11, 16),
            (10, 20),
            (1, 20),
            (0, 22),
            (-10, 24),
            (-89, 38),
            (-95, 40),
            (-100, 42),
        ] {
            assert_eq!(absorbed_percent(armor), percent, "at {armor}");
        }
        let all: Vec<i32> = (-100..=100).rev().map(absorbed_percent).collect();
        assert!(all.is_sorted());
    }

    #[test]
    fn every_amount_has_a_tier() {
        assert_eq!(TIER_LIMITS.len(), TIERS.len());
        assert!(TIER_LIMITS.is_sorted());
    }
}
