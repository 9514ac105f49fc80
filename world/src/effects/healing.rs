//! Arts that give back: hit points, mana, moves, and a clear head.

use super::working::{Aim, Working};
use super::{Nourishment, nourishment};
use crate::act::Scene;
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::report::LineKind;
use crate::world::World;
use content::Text;
use content::arts::Formula;
use protocol::Outcome;
use protocol::happening::Help;

/// Whoever is given less than this part of its hit points has not been helped to speak of, unless it lay dying.
const HELP_PERCENT: i32 = 10;

pub(super) fn heal(world: &mut World, art: &Working, patient: CharacterId, amount: &Formula) {
    let amount = art.value(world, amount, Aim::Character(patient), Draw::Amount);
    restore(world, art, patient, amount);
}

/// Gives hit points back, up to the maximum, and tells how many.
pub(super) fn restore(world: &mut World, art: &Working, patient: CharacterId, amount: i32) {
    give_back(world, art.by, patient, amount, Some(art.row.name.clone()));
}

/// The same, by whatever it comes. `art`: the spell or skill that does it.
pub fn give_back(world: &mut World, by: CharacterId, patient: CharacterId, amount: i32, art: Option<Text>) {
    let (hit, hit_max) = (world.who(patient).hit, world.who(patient).now.hit_max);
    let amount = amount.clamp(0, (hit_max - hit).max(0));
    if amount == 0 {
        return;
    }
    let (hp_percent, was_dying) = (world.hp_percent(patient), hit < 0);
    world.who_mut(patient).hit += amount;
    world.update_position(patient);
    let healer = (by != patient).then(|| world.as_who(by));
    let outcome = world.note(Outcome::Healed { healer, patient: world.as_who(patient), amount, art });
    let scene = Scene::new(by, LineKind::Text).victim(patient).outcome(&outcome);
    world.witness(&scene);
    if was_dying || amount * 100 >= hit_max * HELP_PERCENT {
        world.record_help(by, patient, Help::Healed, Some(hp_percent));
    }
}

/// Mana and moves come back; the drunk are sober.
pub(super) fn points(world: &mut World, art: &Working, who: CharacterId, formulas: [&Formula; 2], sober: bool) {
    let [mana, moves] = formulas.map(|formula| art.value(world, formula, Aim::Character(who), Draw::Amount).max(0));
    if mana > 0 || moves > 0 {
        let c = world.who_mut(who);
        c.mana = c.mana.saturating_add(mana).min(c.now.mana_max.max(c.mana));
        c.moves = c.moves.saturating_add(moves).min(c.now.move_max.max(c.moves));
    }
    if sober && let Some(stomach) = nourishment::stomach(world, who) {
        nourishment::nourish(world, who, Nourishment { drunk: -stomach.drunk.max(0), ..Nourishment::default() });
    }
}
