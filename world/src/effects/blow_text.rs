//! How everybody reads that a blow landed: harder words for more hit points.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::report::LineKind;
use crate::world::World;
use content::words::AttackType;
use protocol::Outcome;

/// Damage up to which each row of `TIERS` is used; beyond the last the last row is.
const TIER_LIMITS: [i32; 11] = [2, 4, 6, 10, 14, 19, 23, 33, 43, 53, i32::MAX];

/// Actor, victim, room. `$t` is the verb, bare for the actor and in the third person for the others. It has a direct
/// object wherever it stands: nobody pierces at somebody. The victim may be a slug, or lie there: it need have no bones
/// and no feet.
const TIERS: [[&str; 3]; 11] = [
    ["You only scratch $N as you $t $M.", "$n only scratches you as $e $t you.", "$n only scratches $N as $e $t $M."],
    ["You barely $t $N.", "$n barely $t you.", "$n barely $t $N."],
    ["You $t $N.", "$n $t you.", "$n $t $N."],
    ["You $t $N soundly.", "$n $t you soundly.", "$n $t $N soundly."],
    ["You $t $N so that $E shudders.", "$n $t you so that you shudder.", "$n $t $N so that $E shudders."],
    ["You $t $N without mercy.", "$n $t you without mercy.", "$n $t $N without mercy."],
    [
        "You $t $N, and something gives way.",
        "$n $t you, and something gives way.",
        "$n $t $N, and something gives way.",
    ],
    ["You $t $N half out of $S skin.", "$n $t you half out of your skin.", "$n $t $N half out of $S skin."],
    ["You $t $N to a bloody ruin.", "$n $t you to a bloody ruin.", "$n $t $N to a bloody ruin."],
    [
        "You $t $N with a force that ends arguments.",
        "$n $t you with a force that ends arguments.",
        "$n $t $N with a force that ends arguments.",
    ],
    ["You $t $N past all recognising.", "$n $t you past all recognising.", "$n $t $N past all recognising."],
];

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_amount_has_a_tier() {
        assert_eq!(TIER_LIMITS.len(), TIERS.len());
        assert!(TIER_LIMITS.is_sorted());
    }
}
