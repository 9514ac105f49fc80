//! Charm: somebody follows its master and does not raise a hand against it, until the hours are over or it is freed.
//!
//! Source: game reference §2.7. A charm ends with the master's own blow, a death, quitting, or a cure: whoever stops
//! following is free (`followers.rs`), and whose affect ends stops following (`phases/bodies.rs`).

use super::lasting;
use super::working::{Working, not_of_age};
use crate::act::Scene;
use crate::affect::Affect;
use crate::arena::CharacterId;
use crate::report::LineKind;
use crate::world::World;
use content::flags::{AffectFlags, MobFlags};
use protocol::Outcome;

/// Hours that a wholly stupid victim would stay; a clever one stays for so many parts of it as it has intelligence.
const HOURS: i32 = 432;
/// A player is free again after this, whatever it thinks with.
const PLAYER_HOURS_MAX: i32 = 3;

/// How many may be charmed by one master.
pub(super) fn company_max(charisma: i32) -> usize {
    (charisma / 2).max(0) as usize
}

/// Those who do what `master` wants.
pub(super) fn company(world: &World, master: CharacterId) -> usize {
    world.who(master).followers.iter().filter(|id| world.who(**id).is(AffectFlags::CHARM)).count()
}

pub(super) fn hindrance(world: &World, art: &Working, victim: CharacterId) -> Option<String> {
    let (c, v) = (world.who(art.by), world.who(victim));
    let name = || crate::act::capitalised(world.name_for(art.by, victim));
    if victim == art.by {
        return Some("You are of one mind with yourself already.".to_string());
    }
    if v.is(AffectFlags::CHARM) {
        return Some(format!("{} has a master already.", name()));
    }
    if c.is(AffectFlags::CHARM) {
        return Some("Your own will is not yours to give away.".to_string());
    }
    let proof = v.is_immortal()
        || v.is(AffectFlags::SANCTUARY)
        || v.mob_flags().any(MobFlags::NO_CHARM)
        || world.is_protected_keeper(victim)
        || v.level > art.level;
    if proof {
        return Some(format!("{} looks through you.", name()));
    }
    if let Some(what) = not_of_age(world, art.by, victim) {
        return Some(what);
    }
    // Its own followers would come along, and a loop would come of a leader.
    if world.follows(art.by, victim) || world.may_follow(victim, art.by).is_err() {
        return Some("There are too many at your heels, or at theirs.".to_string());
    }
    (company(world, art.by) >= company_max(c.now.abilities.charisma))
        .then(|| "You cannot hold any more wills in your hand.".to_string())
}

pub(super) fn charm(world: &mut World, art: &Working, victim: CharacterId) {
    // Of many at once, the first ones may have filled the hand.
    if hindrance(world, art, victim).is_some() {
        return;
    }
    let v = world.who(victim);
    // A reagent makes it last twice as long, as it does with other arts.
    let hours = HOURS / v.now.abilities.intelligence.max(1) * if art.reagent { 2 } else { 1 };
    let hours = if v.is_player() { hours.min(PLAYER_HOURS_MAX) } else { hours };
    world.stop_fights_of(victim);
    world.stop_following(victim);
    enlist(world, victim, art.by);
    world.record_charm(art.by, victim);
    let outcome = world.note(Outcome::Charmed { by: world.as_who(art.by), who: world.as_who(victim) });
    world.witness(&Scene::new(victim, LineKind::Text).sleepers().outcome(&outcome));
    let affect = Affect { hours: hours.max(1), flags: AffectFlags::CHARM, ..Affect::default() };
    lasting::start(world, art, victim, affect);
}

/// Somebody takes its place behind a master, and leaves off what it did by itself.
pub(super) fn enlist(world: &mut World, who: CharacterId, master: CharacterId) {
    if let Some(mob) = world.who_mut(who).mob_mut() {
        mob.flags.remove(MobFlags::AGGRESSIVE);
        mob.flags.remove(MobFlags::SPEC);
        mob.memory.clear();
        mob.hunt = None;
    }
    world.start_following(who, master);
}
