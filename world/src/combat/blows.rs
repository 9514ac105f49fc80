//! One blow: whether it lands, how hard, what it does, and what everybody reads. Source: game reference §2.4.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::*;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::abilities;
use crate::world::World;
use content::ObjectKind;
use content::flags::*;
use content::words::*;
use protocol::Outcome;

/// No blow does more.
const DAMAGE_MAX: i32 = 3_000;

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
        self.damage(attacker, victim, damage, attack);
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
        let character = self.who_mut(who);
        character.affects.retain(|a| !a.flags.any(HIDING));
        character.base.flags.remove(HIDING);
        self.recompute(who);
        self.show(&Scene::new(who, LineKind::Text), "You are seen.", "", "$n is there, all of a sudden.");
    }

    /// Takes hit points, tells it, and does all that follows: wimpy, falling down, death. True when the victim died.
    pub fn damage(&mut self, attacker: CharacterId, victim: CharacterId, amount: i32, attack: AttackType) -> bool {
        self.provoke(attacker, victim);
        let (a, v) = (self.who(attacker), self.who(victim));
        let mut amount = amount;
        if v.is(AffectFlags::SANCTUARY) {
            amount /= 2;
        }
        if (v.is(AffectFlags::PROTECT_EVIL) && a.is_evil()) || (v.is(AffectFlags::PROTECT_GOOD) && a.is_good()) {
            amount -= v.level / 4;
        }
        if v.is_immortal() || v.is(AffectFlags::INVULNERABLE) {
            amount = 0;
        }
        let amount = amount.clamp(0, DAMAGE_MAX);
        let (attacker_level, victim_level) = (a.level, v.level);
        self.who_mut(victim).hit -= amount;
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
        } else {
            let tier = TIER_LIMITS.iter().position(|limit| amount <= *limit).unwrap_or(TIERS.len() - 1);
            let [to_actor, to_victim, to_room] = TIERS[tier];
            let scene = scene.text(attack.name());
            self.show_to(&scene, attacker, LineKind::CombatDealt, to_actor);
            self.show(&scene.text(attack.third_person()), "", to_victim, to_room);
        }
        // The first level is learned by doing. Source: game reference §2.3.
        if attacker_level < 2 && self.who(attacker).is_player() && self.who(victim).is_mob() && amount > 0 {
            self.gain_experience(attacker, amount * victim_level);
        }
        self.after_wound(victim, Some(attacker), amount)
    }

    /// What a loss of hit points leads to. `by`: who caused it. True when the victim died of it.
    pub fn after_wound(&mut self, victim: CharacterId, by: Option<CharacterId>, amount: i32) -> bool {
        let before = self.who(victim).position;
        self.update_position(victim);
        let v = self.who(victim);
        let (position, hit, hit_max) = (v.position, v.hit, v.now.hit_max);
        if position > Position::Dead {
            self.record_wound(victim, by, amount);
        }
        let scene = Scene::new(victim, LineKind::Position);
        match position {
            // Blows at somebody who lies there already are told by themselves.
            Position::MortallyWounded | Position::Incapacitated | Position::Stunned if position == before => {}
            Position::Dead => {
                self.die(victim, by);
                return true;
            }
            Position::MortallyWounded => self.show(
                &scene,
                "Your wounds are mortal. Without help you have moments left.",
                "",
                "$n has taken mortal wounds, and has moments left without help.",
            ),
            Position::Incapacitated => self.show(
                &scene,
                "You lie where you fell and cannot move. You are slowly bleeding to death.",
                "",
                "$n lies still and bleeds; $e will not last without help.",
            ),
            Position::Stunned => self.show(
                &scene,
                "The world swims. You cannot move, but you are alive.",
                "",
                "$n drops, stunned, but still breathes.",
            ),
            _ => {
                if amount > hit_max / 4 {
                    self.send(victim, LineKind::CombatTaken, "That one went deep!");
                }
                if hit < hit_max / 4 {
                    self.send(victim, LineKind::CombatTaken, "You are losing a lot of blood.");
                }
                self.consider_fleeing(victim);
            }
        }
        if position <= Position::Stunned {
            self.stop_fighting(victim);
            // Mobs let the young lie. Source: game reference §2.4.
            let v = self.who(victim);
            if let Some(by) = by
                && v.is_player()
                && v.level <= 5
                && self.character(by).is_some_and(Character::is_mob)
            {
                self.stop_fights_of(victim);
            }
        }
        false
    }

    /// Brings the position in line with the hit points. Source: game reference §2.4.
    pub fn update_position(&mut self, who: CharacterId) {
        let c = self.who(who);
        let position = match c.hit {
            1.. if c.position > Position::Stunned => return,
            1.. => Position::Standing,
            -2..=0 => Position::Stunned,
            -5..=-3 => Position::Incapacitated,
            -10..=-6 => Position::MortallyWounded,
            _ => Position::Dead,
        };
        if c.position != position {
            let fighting = c.fighting.is_some();
            self.who_mut(who).position =
                if position == Position::Standing && fighting { Position::Fighting } else { position };
        }
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
