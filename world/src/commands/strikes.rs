//! Fighting arts: verbs that strike in a way that was learned. What each needs and does is its row in `skills.toml`.
//!
//! A strike is the command of its moment: it costs a lag, and perhaps moves, and goes through `harm` as a blow does.
//! Draws: whether it succeeds, what it does, whether anything was learned. Source: game reference §4.2.

use super::attempt::{percent, takes, tell_result};
use super::learning::{Art, hint_at_practice, learn_by_use, unknown};
use crate::act::{Scene, capitalised};
use crate::affect::{Cause, Source};
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::effects::{self, Effect, Harm, HarmKind, harm, lasting, working};
use crate::find::first_argument;
use crate::hunting;
use crate::mounts;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::rules::{Grip, SkillRow, Strike, abilities};
use crate::world::World;
use content::ObjectKind;
use content::arts::Values;
use content::flags::{AffectFlags, MobFlags};
use content::words::*;
use protocol::outcome::CastResult;

/// How well beasts know what only beasts do, percent.
const BEASTLY_PERCENT: i32 = 75;
const BEASTS: AffectFlags = AffectFlags::WEREWOLF.with(AffectFlags::VAMPIRE);
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
    cutthroat = "cutthroat",
    subdue = "subdue",
    sleeper = "sleeper",
    ambush = "ambush",
    bite = "bite",
);

/// One use of the fighting art that a verb stands for.
pub fn strike(world: &mut World, who: CharacterId, args: &str, verb: &str) -> Done {
    let rules = world.rules.clone();
    let of_verb = |row: &&SkillRow| row.verb.as_deref() == Some(verb);
    let found = rules.skills.iter().find(of_verb).and_then(|row| Some((row, row.strike.as_ref()?)));
    let Some((row, art)) = found else { return Err("Nobody knows how to do that.".into()) };
    let mut percent = percent(world, who, row);
    if art.beastly {
        if !world.who(who).now.flags.any(BEASTS) {
            return Err("Your teeth are not made for that.".into());
        }
        percent = percent.max(BEASTLY_PERCENT);
    }
    if percent == 0 {
        return Err(unknown(world, who, Art::Skill(row)));
    }
    let (word, _) = first_argument(args);
    let victim = match word {
        "" => world.who(who).fighting.filter(|id| world.character(*id).is_some()),
        word => Some(world.foe_here(who, word)?),
    };
    let Some(victim) = victim else { return Err("At whom?".into()) };
    if world.who(who).fighting != Some(victim) {
        world.may_attack(who, victim, false)?;
    }
    needs(world, who, victim, row, art)?;
    world.dares(who, victim)?;
    world.who_mut(who).moves -= art.moves;
    takes(world, who, art.lag_ticks);
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
    let sides = art.die + if art.level_die { world.who(victim).level } else { 0 };
    let drawn = world.draw(Stream::Combat, Draw::Skill).range(1, sides) + handicap(world, who, victim, art);
    let steady = art.fells && world.who(victim).mob_flags().has(MobFlags::NO_BASH);
    let wary = art.stuns && aware;
    if awake && (drawn > percent || steady || wary) {
        miss(world, who, victim, row, art);
        if drawn > percent {
            hint_at_practice(world, who, Art::Skill(row));
        }
        return Ok(());
    }
    land(world, who, victim, row, art);
    if let Some(stirs) = art.stirs
        && world.character(who).is_some_and(|c| c.level > stirs.above_level)
    {
        hunting::stir_up(world, who, stirs.one_in);
    }
    Ok(())
}

/// What stands in the way of a strike, beside chance.
fn needs(world: &World, who: CharacterId, victim: CharacterId, row: &SkillRow, art: &Strike) -> Done {
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
    let rides = mounts::mount_of(world, who).is_some();
    if rides && art.mounted_percent == 0 {
        return Err("Not from an animal's back. You could dismount.".into());
    }
    if c.moves < art.moves {
        return Err("You are too tired for that.".into());
    }
    if !art.ground.is_empty() && !art.ground.contains(&world.room_proto(c.room).sector) {
        return Err("There is nothing here to wait behind.".into());
    }
    let sleeps = row.lasting.iter().any(|lasting| lasting.flags.any(AffectFlags::SLEEP));
    if sleeps && v.mob_flags().has(MobFlags::NO_SLEEP) {
        return Err(format!("{} never sleeps.", capitalised(v.shown())).into());
    }
    if (art.stuns || sleeps)
        && let Some(what) = working::not_of_age(world, who, victim)
    {
        return Err(what.into());
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
        return Err(format!("{} feet are not on the ground.", capitalised(v.possessive())).into());
    }
    if art.fells && v.position < Position::Fighting {
        return Err(format!("{} is down already.", capitalised(v.subject())).into());
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
    if world.who(who).is(AffectFlags::HIDE) {
        amount = amount.saturating_add(amount.saturating_mul(art.hidden_percent) / 100);
    }
    if mounts::mount_of(world, who).is_some() {
        amount = amount.saturating_add(amount.saturating_mul(art.mounted_percent) / 100);
    }
    tell_result(world, who, victim, row, CastResult::Done);
    let source = Source::Skill(row.name.clone());
    let died = match art.harmless {
        true => {
            overpower(world, who, victim, row);
            false
        }
        false => {
            let (amount, kind) = (amount.max(1), HarmKind::Art { saved: false });
            harm::harm(world, Harm { victim, by: Some(who), amount, kind, source: source.clone() })
        }
    };
    if !died && world.character(victim).is_some_and(|v| v.position > Position::Stunned) {
        lasting::begin_skill(world, who, victim, row);
        if art.stuns {
            world.stop_fights_of(victim);
            world.who_mut(victim).position = Position::Stunned;
        }
    }
    if !died && art.fells && world.character(victim).is_some_and(|v| v.position >= Position::Fighting) {
        world.who_mut(victim).position = Position::Sitting;
        world.lag(victim, FELLED_TICKS);
    }
    if art.hurts > 0 && world.character(who).is_some() {
        let part = if helmet { art.hurts - 1 } else { art.hurts }.max(1);
        effects::work(world, who, Effect::Harm { amount: level / part, kind: HarmKind::Fall }, Cause::of(source));
    }
}

/// What takes no hit points is an attack all the same.
fn overpower(world: &mut World, who: CharacterId, victim: CharacterId, row: &SkillRow) {
    world.provoke(who, victim);
    let Some([actor, sufferer, room]) = &row.text else { return };
    let scene = Scene::new(who, LineKind::Combat).victim(victim).kinds(
        LineKind::CombatDealt,
        LineKind::CombatTaken,
        LineKind::Combat,
    );
    world.show(&scene, actor, sufferer, room);
}

fn miss(world: &mut World, who: CharacterId, victim: CharacterId, row: &SkillRow, art: &Strike) {
    tell_result(world, who, victim, row, CastResult::Failed);
    world.provoke(who, victim);
    let called = if art.called.is_empty() { row.name.name() } else { &art.called };
    let scene = Scene::new(who, LineKind::Combat).victim(victim).text(called).kinds(
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
