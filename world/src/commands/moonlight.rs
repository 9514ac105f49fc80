//! What the moon's people do, and what is done against them: `transform`, `stake`, `spike`.

use crate::act::Scene;
use crate::affect::{Cause, Source};
use crate::arena::CharacterId;
use crate::draws::Draw;
use crate::effects::{self, Effect, Harm, HarmKind, SetAffect, Stacking, harm};
use crate::find::{first_word, is_keyword};
use crate::moon;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::flags::AffectFlags;
use protocol::Outcome;

pub fn transform(world: &mut World, who: CharacterId, _: &str) -> Done {
    moon::shape(world, who)?;
    change(world, who);
    Ok(())
}

/// Somebody takes its other shape, where the moon gives it one.
pub fn change(world: &mut World, who: CharacterId) {
    let Ok(affect) = moon::shape(world, who) else { return };
    let (kind, hours, gained) = (affect.kind.clone(), affect.hours, affect.by);
    let wolf = &*kind == moon::WOLF;
    let set = SetAffect { affect, stacking: Stacking::Longer };
    effects::work(world, who, Effect::Affect(set), Cause { by: Some(who), source: Source::Body });
    // What it gains is there at once.
    let c = world.who_mut(who);
    if wolf {
        c.hit = c.hit.saturating_add(gained).min(c.now.hit_max);
    } else {
        c.mana = c.mana.saturating_add(gained).min(c.now.mana_max);
    }
    let outcome = Outcome::Affect { who: world.as_who(who), name: kind, on: true, hours: Some(hours), by: None };
    let outcome = world.note(outcome);
    let scene = Scene::new(who, LineKind::Text).sleepers().outcome(&outcome);
    let [own, others] = match wolf {
        true => [
            "Your bones remember how they used to lie. It hurts, and then nothing does. You are a wolf until dawn.",
            "$n falls on all fours, and what gets up is a wolf.",
        ],
        false => [
            "Your heart stops once more, and the night comes in. You are what walks in it until dawn.",
            "The shadow of $n moves, and $n does not.",
        ],
    };
    world.show(&scene, own, "", others);
}

pub fn stake(world: &mut World, who: CharacterId, args: &str) -> Done {
    drive(world, who, args, "stake", AffectFlags::VAMPIRE, "is no vampire")
}

pub fn spike(world: &mut World, who: CharacterId, args: &str) -> Done {
    drive(world, who, args, "spike", AffectFlags::WEREWOLF, "is no wolf")
}

/// Drives the one thing that ends it through one of the moon's people: it succeeds on sleepers, on those below one's
/// own level, and on others the less often the farther they are above.
fn drive(
    world: &mut World,
    who: CharacterId,
    args: &str,
    tool: &'static str,
    mark: AffectFlags,
    is_not: &'static str,
) -> Done {
    let wields = world.wielded(who).is_some_and(|weapon| is_keyword(&world.object(weapon).keywords, tool));
    if !wields {
        return Err(format!("You need a {tool} in your hand for that.").into());
    }
    let (word, _) = first_word(args);
    if word.is_empty() {
        return Err(format!("Through whom do you want to drive your {tool}?").into());
    }
    let victim = world.foe_here(who, word)?;
    world.may_attack(who, victim, false)?;
    world.dares(who, victim)?;
    world.lag(who, 2);
    let v = world.who(victim);
    if !v.now.flags.any(mark) {
        let name = crate::act::capitalised(world.name_for(who, victim));
        return Err(format!("{name} {is_not}.").into());
    }
    let gap = v.level - world.who(who).level;
    let asleep = !v.is_awake();
    let drawn = world.draw(Stream::Combat, Draw::Skill).range(0, 31);
    let scene = Scene::new(who, LineKind::Combat).victim(victim).text(tool).kinds(
        LineKind::CombatDealt,
        LineKind::CombatTaken,
        LineKind::Combat,
    );
    if !asleep && gap >= 0 && gap >= drawn {
        let [own, told, room] = [
            "$N is not where your $t comes down.",
            "$n brings a $t down where you were.",
            "$n brings a $t down where $N was.",
        ];
        world.show(&scene, own, told, room);
        world.provoke(who, victim);
        return Ok(());
    }
    let [own, told, room] = [
        "Your $t goes in under $N's ribs, and everything that the moon gave goes out.",
        "$n's $t goes in under your ribs, and everything that the moon gave you goes out.",
        "$n's $t goes in under $N's ribs.",
    ];
    world.show(&scene, own, told, room);
    world.who_mut(victim).affects.retain(|affect| !affect.flags.any(mark));
    world.recompute(victim);
    let amount = world.who(victim).hit.max(0).saturating_mul(2).saturating_add(100);
    harm::harm(
        world,
        Harm { victim, by: Some(who), amount, kind: HarmKind::Art { saved: false }, source: Source::Body },
    );
    Ok(())
}
