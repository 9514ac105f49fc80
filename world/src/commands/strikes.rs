//! Fighting arts: verbs that strike in a way that was learned. What each needs and does is its row in `skills.toml`.
//!
//! A strike is the command of its moment: it costs a lag, and perhaps moves, and goes through `harm` as a blow does.
//! Draws: whether it succeeds, what it does, whether anything was learned. Source: game reference §4.2.

use super::learning::{Art, learn_by_use, unknown};
use crate::act::Scene;
use crate::affect::{Affect, Cause, Source};
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::effects::{self, Effect, Harm, HarmKind, SetAffect, Stacking, harm};
use crate::find::first_argument;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::{Grip, SkillRow, Strike, abilities};
use crate::world::World;
use content::ObjectKind;
use content::arts::Values;
use content::flags::{AffectFlags, MobFlags};
use content::words::*;
use protocol::Outcome;
use protocol::outcome::CastResult;

/// How well mobs know everything, percent.
const MOB_PERCENT: i32 = 75;
/// A skill that does not strike succeeds by a die of so many sides.
const SKILL_SIDES: i32 = 101;
/// Ticks that a victim who was thrown down needs before it is up again.
const FELLED_TICKS: u64 = 2;

macro_rules! strikes {
    ($($function:ident = $verb:literal),+ $(,)?) => { $(
        pub fn $function(world: &mut World, who: CharacterId, args: &str) -> Done {
            strike(world, who, args, $verb)
        }
    )+ };
}

strikes!(
    kick = "kick",
    bash = "bash",
    headbutt = "headbutt",
    bearhug = "bearhug",
    trip = "trip",
    slug = "slug",
    charge = "charge",
    strike_of_revenge = "strike",
    serpent = "serpent",
    dragon = "dragon",
    tiger = "tiger",
    groinrip = "groinrip",
    disembowel = "disembowel",
    neckbreak = "neckbreak",
    backstab = "backstab",
    circle = "circle",
);

/// How well somebody knows a skill that it may use, percent; 0 where it does not.
fn percent(world: &World, who: CharacterId, row: &SkillRow) -> i32 {
    let c = world.who(who);
    match c.player() {
        None => MOB_PERCENT,
        Some(_) if c.is_immortal() => 100,
        Some(_) => c.skill(&row.name),
    }
}

/// One use of the fighting art that a verb stands for.
fn strike(world: &mut World, who: CharacterId, args: &str, verb: &str) -> Done {
    let rules = world.rules.clone();
    let of_verb = |row: &&SkillRow| row.verb.as_deref() == Some(verb);
    let found = rules.skills.iter().find(of_verb).and_then(|row| Some((row, row.strike.as_ref()?)));
    let Some((row, art)) = found else { return Err("Nobody knows how to do that.".into()) };
    let percent = percent(world, who, row);
    if percent == 0 {
        return Err(unknown(world, who, Art::Skill(row)));
    }
    let (word, _) = first_argument(args);
    let victim = match word {
        "" => world.who(who).fighting.filter(|id| world.character(*id).is_some()),
        word => Some(world.here(who, word)?),
    };
    let Some(victim) = victim else { return Err("At whom?".into()) };
    if world.who(who).fighting != Some(victim) {
        world.may_attack(who, victim, false)?;
    }
    needs(world, who, victim, art)?;
    let c = world.who_mut(who);
    c.moves -= art.moves;
    let immortal = c.is_immortal();
    if !immortal {
        world.lag(who, art.lag_ticks);
    }
    learn_by_use(world, who, Art::Skill(row));
    let v = world.who(victim);
    let (awake, aware) = (v.is_awake(), v.mob_flags().has(MobFlags::AWARE));
    if art.opens && awake && aware {
        let scene = Scene::new(who, LineKind::Combat).victim(victim);
        world.show(&scene, "$N has seen you coming!", "You see $n coming!", "$N has seen $n coming!");
        tell_result(world, who, victim, row, CastResult::Failed);
        world.strike(victim, who);
        return Ok(());
    }
    let drawn = world.draw(Stream::Combat, Draw::Skill).range(1, art.die) + handicap(world, who, victim, art);
    let steady = art.fells && world.who(victim).mob_flags().has(MobFlags::NO_BASH);
    if awake && (drawn > percent || steady) {
        miss(world, who, victim, row, art);
        return Ok(());
    }
    land(world, who, victim, row, art);
    Ok(())
}

/// What stands in the way of a strike, beside chance.
fn needs(world: &World, who: CharacterId, victim: CharacterId, art: &Strike) -> Done {
    let (c, v) = (world.who(who), world.who(victim));
    let weapon = world.wielded(who);
    let attack = world.attack_type(who);
    let grip = match art.grip {
        Grip::Any => Ok(()),
        Grip::Unarmed if weapon.is_some() => Err("You need both hands empty for that."),
        Grip::Pierce if weapon.is_none() || !matches!(attack, AttackType::Pierce | AttackType::Stab) => {
            Err("You need a blade with a point for that.")
        }
        Grip::Slash if weapon.is_none() || !matches!(attack, AttackType::Slash | AttackType::Blast) => {
            Err("You need something with an edge for that.")
        }
        Grip::Unarmed | Grip::Pierce | Grip::Slash => Ok(()),
    };
    grip?;
    if c.moves < art.moves {
        return Err("You are too tired for that.".into());
    }
    if art.opens && (v.fighting.is_some() || c.fighting.is_some()) {
        return Err("There is too much going on to get behind anybody.".into());
    }
    if art.unwatched && v.fighting == Some(who) {
        return Err(format!("Not while {} has eyes for nobody but you.", v.subject()).into());
    }
    if art.of_men && v.sex != Sex::Male {
        return Err("That would not do much.".into());
    }
    if art.fells && v.is(AffectFlags::FLY) {
        return Err(format!("{} feet are not on the ground.", crate::act::capitalised(v.possessive())).into());
    }
    if art.fells && v.position < Position::Fighting {
        return Err(format!("{} is down already.", crate::act::capitalised(v.subject())).into());
    }
    Ok(())
}

/// What is added to the die: for the victim's armour, and for its levels above the striker's.
fn handicap(world: &World, who: CharacterId, victim: CharacterId, art: &Strike) -> i32 {
    let (c, v) = (world.who(who), world.who(victim));
    let armor = art.armor.map_or(0, |base| 2 * (base - v.now.armor / 10));
    armor + if art.level_gap { v.level - c.level } else { 0 }
}

fn land(world: &mut World, who: CharacterId, victim: CharacterId, row: &SkillRow, art: &Strike) {
    let c = world.who(who);
    let values = Values { level: c.level, victim_level: world.who(victim).level, ..Values::default() };
    let bonus = abilities::strength(&c.now.abilities).damage + c.now.damage_roll;
    let (helmet, level) = (c.wears(WearSlot::Head).is_some(), c.level);
    let mut draw =
        |formula: &content::arts::Formula| formula.value(&values, &mut world.draw(Stream::Combat, Draw::Amount));
    let mut amount = draw(&art.amount);
    if let Some(times) = &art.weapon {
        let times = draw(times).max(1);
        let dice = world.wielded(who).map(|id| world.object(id).kind.clone());
        if let Some(ObjectKind::Weapon { dice, sides, .. }) = dice {
            let thrown = world.draw(Stream::Combat, Draw::Damage).roll(dice, sides);
            amount = amount.saturating_add((thrown + bonus).max(1).saturating_mul(times));
        }
    }
    if art.damage_roll {
        amount = amount.saturating_add(world.who(who).now.damage_roll);
    }
    tell_result(world, who, victim, row, CastResult::Done);
    let source = Source::Skill(row.name.clone());
    let kind = HarmKind::Art { saved: false };
    let died = harm::harm(world, Harm { victim, by: Some(who), amount: amount.max(1), kind, source: source.clone() });
    if !died && art.fells && world.character(victim).is_some_and(|v| v.position >= Position::Fighting) {
        world.who_mut(victim).position = Position::Sitting;
        world.lag(victim, FELLED_TICKS);
    }
    if art.hurts > 0 && world.character(who).is_some() {
        let part = if helmet { art.hurts - 1 } else { art.hurts }.max(1);
        effects::work(world, who, Effect::Harm { amount: level / part, kind: HarmKind::Fall }, Cause::of(source));
    }
}

fn miss(world: &mut World, who: CharacterId, victim: CharacterId, row: &SkillRow, art: &Strike) {
    tell_result(world, who, victim, row, CastResult::Failed);
    world.provoke(who, victim);
    let scene = Scene::new(who, LineKind::Combat).victim(victim).text(row.name.name()).kinds(
        LineKind::CombatDealt,
        LineKind::CombatTaken,
        LineKind::Combat,
    );
    if art.falls && world.who(who).position > Position::Sitting {
        world.who_mut(who).position = Position::Sitting;
        world.show(
            &scene,
            "Your $t misses $N, and you sit down hard.",
            "$n's $t misses you, and $e sits down hard.",
            "$n's $t misses $N, and $e sits down hard.",
        );
        return;
    }
    world.show(&scene, "Your $t misses $N.", "$n's $t misses you.", "$n's $t misses $N.");
}

/// Those who are there learn how it went, by an outcome.
fn tell_result(world: &mut World, who: CharacterId, victim: CharacterId, row: &SkillRow, result: CastResult) {
    let skill = row.name.name().into();
    let victim_named = Some(world.as_who(victim));
    let outcome = world.note(Outcome::Skill { who: world.as_who(who), skill, result, victim: victim_named });
    world.witness(&Scene::new(who, LineKind::Combat).victim(victim).outcome(&outcome));
}

/// A skill that its user tries on itself: whether it succeeds.
fn tried(world: &mut World, who: CharacterId, row: &SkillRow, ease: i32) -> bool {
    let percent = percent(world, who, row);
    learn_by_use(world, who, Art::Skill(row));
    let done = world.draw(Stream::Combat, Draw::Skill).range(1, SKILL_SIDES) <= percent + ease;
    let result = if done { CastResult::Done } else { CastResult::Failed };
    let outcome = Outcome::Skill { who: world.as_who(who), skill: row.name.name().into(), result, victim: None };
    let outcome = std::sync::Arc::new(outcome);
    // Nobody else can tell whether it came off.
    let cause = world.cause_for(who, Some(&outcome));
    world.report.outcomes.push(outcome.clone());
    world.report.witnessed.push(crate::report::Witnessed { who, outcome, cause });
    done
}

/// The row of a skill that the user knows.
fn known<'r>(
    world: &World,
    rules: &'r crate::rules::Rules,
    who: CharacterId,
    verb: &str,
) -> Result<&'r SkillRow, crate::refusal::Refusal> {
    let row = rules.skills.iter().find(|row| row.verb.as_deref() == Some(verb));
    row.filter(|row| percent(world, who, row) > 0).ok_or_else(|| "Nobody ever taught you how to do that.".into())
}

/// Walks without a sound for as many hours as it has levels. Whether it does is for others to find out.
pub fn sneak(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "sneak")?;
    let ease = abilities::dexterity_sneak(world.who(who).now.abilities.dexterity);
    effects::affects::end(world, who, AffectFlags::SNEAK);
    world.send(who, LineKind::Text, "You put your feet down as if the floor were asleep.");
    let done = tried(world, who, row, ease);
    world.lag(who, 1);
    if done {
        let hours = world.who(who).level;
        let affect = Affect { kind: row.name.name().into(), hours, flags: AffectFlags::SNEAK, ..Affect::default() };
        let cause = Cause { by: Some(who), source: Source::Skill(row.name.clone()) };
        effects::work(world, who, Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
    }
    Ok(())
}

/// Hits harder and more surely for an hour, and guards itself less.
pub fn berserk(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "berserk")?;
    if world.who(who).is(AffectFlags::BERSERK) {
        return Err("You are beside yourself already.".into());
    }
    let done = tried(world, who, row, 0);
    world.lag(who, 1);
    if !done {
        world.send(who, LineKind::Text, "You shout, and feel a little foolish.");
        return Ok(());
    }
    let scene = Scene::new(who, LineKind::Text);
    world.show(&scene, "You see red, and nothing else.", "", "$n is beside $mself with rage.");
    for (apply, by) in [(Apply::HitRoll, 2), (Apply::DamageRoll, 2), (Apply::ArmorClass, 25)] {
        let kind = row.name.name().into();
        let affect = Affect { kind, hours: 1, apply, by, flags: AffectFlags::BERSERK, ..Affect::default() };
        let cause = Cause { by: Some(who), source: Source::Skill(row.name.clone()) };
        effects::work(world, who, Effect::Affect(SetAffect { affect, stacking: Stacking::Longer }), cause);
    }
    Ok(())
}
