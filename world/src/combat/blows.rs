//! One blow: whether it lands, how hard, and what everybody reads. What it does is harm (`effects/harm.rs`).
//! Source: game reference §2.4.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::effects::{Harm, harm};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::abilities;
use crate::world::World;
use content::ObjectKind;
use content::flags::{AffectFlags, ObjectFlags};
use content::words::*;
use protocol::Outcome;

impl World {
    /// The weapon in hand, if any.
    pub fn wielded(&self, who: CharacterId) -> Option<crate::arena::ObjectId> {
        self.who(who).wears(WearSlot::Wield)
    }

    /// What its blows are called.
    pub fn attack_type(&self, who: CharacterId) -> AttackType {
        if let Some(weapon) = self.wielded(who)
            && let ObjectKind::Weapon { attack, .. } = self.object(weapon).kind
        {
            return attack;
        }
        let c = self.who(who);
        if c.is(AffectFlags::FLESH_ALTER) {
            return match c.level {
                ..=10 => AttackType::Pound,
                11..=20 => AttackType::Pierce,
                _ => AttackType::Slash,
            };
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
        let die = self.draw(Stream::Combat, Draw::Hit).range(1, 20);
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
        let blessed = self.wielded(attacker).is_some_and(|weapon| self.object(weapon).flags.has(ObjectFlags::BLESS));
        base - abilities::strength(a).to_hit - c.now.hit_roll - wit(a.intelligence) - wit(a.wisdom) - i32::from(blessed)
            + if drunk { 2 } else { 0 }
    }

    /// Hit points that a landed blow takes before what protects the victim.
    fn blow_damage(&mut self, attacker: CharacterId, victim: CharacterId) -> i32 {
        let c = self.who(attacker);
        let weapon = self.wielded(attacker).map(|id| self.object(id).kind.clone());
        let own_dice = self.mob_proto(attacker).map(|proto| proto.damage);
        let (level, bonus) = (c.level, abilities::strength(&c.now.abilities).damage + c.now.damage_roll);
        let mut dice = self.draw(Stream::Combat, Draw::Damage);
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
}
