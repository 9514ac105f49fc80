//! What an hour does to bodies: effects run out, hunger and thirst grow, wounds bleed, poison works.
//! What comes back to them comes in parts of the hour (`strength`).
//!
//! Source: game reference §2.6. Only who changes is touched: of eight thousand mobs nearly all are whole.

use crate::act::Scene;
use crate::affect::Source;
use crate::arena::CharacterId;
use crate::character::Character;
use crate::commands::moonlight;
use crate::dreams;
use crate::effects::{self, Cause, Effect, HarmKind, summoning};
use crate::jail;
use crate::moon;
use crate::report::LineKind;
use crate::skill::SkillId;
use crate::world::World;
use content::Text;
use content::flags::*;
use content::words::*;
use protocol::Outcome;

/// Hit points that an hour takes.
const POISON: i32 = 10;
const CUT_THROAT: i32 = 13;
/// Hours left at which one feels hunger and thirst coming.
const SOON: i32 = 4;
/// The hungry and thirsty are told again every so many hours.
const TELL_AGAIN_HOURS: u64 = 6;

pub fn run(world: &mut World) {
    let compelled = moon::compels(world.state.clock);
    for index in 0..world.state.characters.span() {
        let Some(id) = world.state.characters.id_at(index) else { continue };
        let c = world.who(id);
        if c.is_player() {
            grow_hungry(world, id);
            jail::pass_hour(world, id);
            dreams::sleep_on(world, id);
            if compelled {
                moonlight::change(world, id);
            }
        }
        let c = world.who(id);
        if c.position < Position::Stunned {
            bleed(world, id);
        } else if c.is(AffectFlags::POISON.with(AffectFlags::CUTTHROAT)) {
            sicken(world, id);
        }
        let idle = |c: &Character| c.leader.is_none() && c.mob().is_some_and(|mob| mob.hunt.is_none());
        let free = |world: &World| world.character(id).is_some_and(&idle);
        if free(world) {
            summoning::vanish(world, id);
        }
        // Last, so that an effect of one hour works for one hour. The mob may have died of it.
        if world.character(id).is_some_and(|c| !c.affects.is_empty()) {
            count_down(world, id);
        }
    }
}

/// Effects with an end come an hour closer to it.
fn count_down(world: &mut World, who: CharacterId) {
    if world.who(who).affects.iter().all(|a| a.hours < 0) {
        return;
    }
    let mut ended: Vec<Text> = Vec::new();
    world.who_mut(who).affects.retain_mut(|affect| {
        if affect.hours > 1 {
            affect.hours -= 1;
        } else if affect.hours >= 0 {
            if !ended.contains(&affect.kind) {
                ended.push(affect.kind.clone());
            }
            return false;
        }
        true
    });
    if ended.is_empty() {
        return;
    }
    let charmed = world.who(who).is(AffectFlags::CHARM);
    world.recompute(who);
    let rules = world.rules.clone();
    for kind in ended {
        // Several rows of one cause end with the last of them.
        if world.who(who).affects.iter().any(|a| a.kind == kind) {
            continue;
        }
        let skill = || rules.skill(&SkillId::from(&*kind)).map(|row| &*row.worn_off);
        let own = rules.spell_named(&kind).map(|row| &*row.text.worn_off).or_else(skill);
        let own = own.or_else(|| moon::worn_off(&kind)).filter(|text| !text.is_empty());
        let text = own.map_or_else(|| format!("The effect of {kind} wears off."), str::to_string);
        let outcome = Outcome::Affect { who: world.as_who(who), name: kind, on: false, hours: None, by: None };
        let outcome = world.note(outcome);
        let scene = Scene::new(who, LineKind::Text).sleepers().outcome(&outcome);
        world.show(&scene, &text, "", "");
    }
    if charmed && !world.who(who).is(AffectFlags::CHARM) {
        let outcome = world.note(Outcome::Freed { who: world.as_who(who) });
        world.witness(&Scene::new(who, LineKind::Text).sleepers().outcome(&outcome));
        world.stop_following(who);
        summoning::vanish(world, who);
    }
}

/// An hour more of hunger and thirst, and one less of drunkenness.
fn grow_hungry(world: &mut World, who: CharacterId) {
    let again = world.state.clock.hour().is_multiple_of(TELL_AGAIN_HOURS);
    let player = world.who(who).player().expect("asked of players only");
    let (full, thirst, drunk) = (player.full, player.thirst, player.drunk);
    if full > 0 || thirst > 0 || drunk > 0 {
        let player = world.player_mut(who);
        for condition in [&mut player.full, &mut player.thirst, &mut player.drunk] {
            if *condition > 0 {
                *condition -= 1;
            }
        }
    }
    let told = |before: i32, soon: &'static str, now: &'static str| match before {
        1 => Some(now),
        0 if again => Some(now),
        n if n == SOON + 1 => Some(soon),
        _ => None,
    };
    let hunger = told(full, "You could do with something to eat.", "You are hungry.");
    let thirst = told(thirst, "Your mouth is dry.", "You are thirsty.");
    let sober = (drunk == 1).then_some("You are sober again, and sorry about it.");
    for text in [hunger, thirst, sober].into_iter().flatten() {
        world.send(who, LineKind::Text, text);
    }
}

/// The dying come closer to death.
fn bleed(world: &mut World, who: CharacterId) {
    let amount = match world.who(who).position {
        Position::MortallyWounded => 2,
        _ => 1,
    };
    effects::work(world, who, Effect::Harm { amount, kind: HarmKind::Bleeding }, Cause::of(Source::Body));
}

/// Poison and an open throat take their toll, and may kill: for whoever brought it about.
fn sicken(world: &mut World, who: CharacterId) {
    for (flag, amount, kind) in
        [(AffectFlags::POISON, POISON, HarmKind::Poison), (AffectFlags::CUTTHROAT, CUT_THROAT, HarmKind::CutThroat)]
    {
        if world.who(who).is(flag) {
            let cause = effects::affects::cause_of(world, who, flag);
            if effects::work(world, who, Effect::Harm { amount, kind }, cause) {
                return;
            }
        }
    }
}
