//! One use of a skill: who may try it, whether it succeeds, and who is told.

use super::learning::{Art, learn_by_use, unknown};
use crate::act::Scene;
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::refusal::Refusal;
use crate::report::{LineKind, Witnessed};
use crate::rng::Stream;
use crate::rules::{Rules, SkillRow};
use crate::world::World;
use protocol::Outcome;
use protocol::outcome::CastResult;
use std::sync::Arc;

/// How well mobs know everything, percent.
const MOB_PERCENT: i32 = 75;
/// Most skills succeed by a die of so many sides.
pub const SIDES: i32 = 101;

/// How well somebody knows a skill that it may use, percent; 0 where it does not.
pub fn percent(world: &World, who: CharacterId, row: &SkillRow) -> i32 {
    let c = world.who(who);
    match c.player() {
        None => MOB_PERCENT,
        Some(_) if c.is_immortal() => 100,
        Some(_) => c.skill(&row.name),
    }
}

/// The row of the skill that a verb uses, for somebody who knows it.
pub fn known<'r>(world: &World, rules: &'r Rules, who: CharacterId, verb: &str) -> Result<&'r SkillRow, Refusal> {
    let row = rules.skills.iter().find(|row| row.verb.as_deref() == Some(verb));
    if_known(world, who, row)
}

/// The same of a row, where there is one.
pub fn if_known<'r>(world: &World, who: CharacterId, row: Option<&'r SkillRow>) -> Result<&'r SkillRow, Refusal> {
    let Some(row) = row else { return Err("Nobody knows how to do that.".into()) };
    if percent(world, who, row) > 0 { Ok(row) } else { Err(unknown(world, who, Art::Skill(row))) }
}

/// A skill that its user tries by itself: whether it succeeds, `ease` percent sooner than it is known. Nobody else can
/// tell whether it came off.
pub fn tried(world: &mut World, who: CharacterId, row: &SkillRow, ease: i32) -> bool {
    let done = succeeds(world, who, row, SIDES, ease);
    tell_alone(world, who, None, row, result_of(done));
    done
}

/// A skill that its user tries on somebody, by a die of so many sides. Those who stand by see how it went.
pub fn tried_on(
    world: &mut World,
    who: CharacterId,
    victim: CharacterId,
    row: &SkillRow,
    sides: i32,
    ease: i32,
) -> bool {
    let done = succeeds(world, who, row, sides, ease);
    tell_result(world, who, victim, row, result_of(done));
    done
}

/// Throws the die, and learns from it.
pub fn succeeds(world: &mut World, who: CharacterId, row: &SkillRow, sides: i32, ease: i32) -> bool {
    let percent = percent(world, who, row);
    learn_by_use(world, who, Art::Skill(row));
    world.draw(Stream::Combat, Draw::Skill).range(1, sides) <= percent.saturating_add(ease)
}

fn result_of(done: bool) -> CastResult {
    if done { CastResult::Done } else { CastResult::Failed }
}

/// Those who are there learn how it went, by an outcome.
pub fn tell_result(world: &mut World, who: CharacterId, victim: CharacterId, row: &SkillRow, result: CastResult) {
    let skill = row.name.name().into();
    let victim_named = Some(world.as_who(victim));
    let outcome = world.note(Outcome::Skill { who: world.as_who(who), skill, result, victim: victim_named });
    world.witness(&Scene::new(who, LineKind::Combat).victim(victim).outcome(&outcome));
}

/// Its user alone learns how it went, by an outcome.
pub fn tell_alone(
    world: &mut World,
    who: CharacterId,
    victim: Option<CharacterId>,
    row: &SkillRow,
    result: CastResult,
) {
    let victim = victim.map(|victim| world.as_who(victim));
    let outcome = Arc::new(Outcome::Skill { who: world.as_who(who), skill: row.name.name().into(), result, victim });
    let cause = world.cause_for(who, Some(&outcome));
    world.report.outcomes.push(outcome.clone());
    world.report.witnessed.push(Witnessed { who, outcome, cause });
}

/// The skill takes its user so many ticks. Immortals have all the time that there is.
pub fn takes(world: &mut World, who: CharacterId, ticks: u64) {
    if !world.who(who).is_immortal() {
        world.lag(who, ticks);
    }
}
