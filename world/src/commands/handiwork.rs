//! Arts of the hand, the eye and the flesh: appraise, sharpen, aid, berserk, alter, mindlink.
//!
//! Source: game reference §4.2. Draws: whether it succeeds (`skill`), how far an eye errs and what a mind gives
//! (`amount`).

use super::attempt;
use super::attempt::{known, takes, tried, tried_on};
use crate::act::{Scene, capitalised};
use crate::arena::{CharacterId, ObjectId};
use crate::coins::coins_text;
use crate::draws::Draw;
use crate::effects::{affects, healing, lasting};
use crate::find::first_argument;
use crate::object::Place;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::flags::AffectFlags;
use content::words::*;
use content::{ObjectApply, ObjectKind};

/// An eye that knows is wrong by so many percent at most, one that only thinks so by these.
const KNOWN_PERCENT: i32 = 20;
const GUESSED_PERCENT: (i32, i32) = (-100, 200);
/// A keener edge comes from these levels on.
const KEENER_LEVEL: i32 = 25;
const KEENEST_LEVEL: i32 = 30;
/// A mind gives its level and this, and never more than that.
const LINK_LEAST: i32 = 20;
const LINK_MOST: i32 = 100;
/// Ticks that minds need to find their bodies again.
const LINK_LAG: u64 = 3;

fn near(world: &World, who: CharacterId, word: &str) -> Result<ObjectId, Refusal> {
    world.find_near(who, word).ok_or_else(|| format!("You see no {word} here.").into())
}

/// Guesses what something is worth.
pub fn appraise(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "appraise")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("What do you want to appraise?".into());
    }
    let object = near(world, who, word)?;
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    let (low, high) = if done { (-KNOWN_PERCENT, KNOWN_PERCENT) } else { GUESSED_PERCENT };
    let percent = world.draw(Stream::Combat, Draw::Amount).range(low, high);
    let cost = i64::from(world.object(object).cost);
    let worth = (cost + cost * i64::from(percent) / 100).clamp(0, i64::from(i32::MAX)) as i32;
    let name = capitalised(world.object_name_for(who, object));
    let text = match worth {
        0 => format!("{name} is worth nothing, as far as you can tell."),
        worth => format!("{name} is worth about {}, as far as you can tell.", coins_text(worth)),
    };
    world.send(who, LineKind::Text, text);
    Ok(())
}

/// Puts an edge on a blade, or takes it off.
pub fn sharpen(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "sharpen")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("What do you want to sharpen?".into());
    }
    let c = world.who(who);
    let own: Vec<ObjectId> = c.carrying.iter().copied().chain(c.worn.iter().map(|(_, object)| *object)).collect();
    let Some(blade) = world.find_object_in(who, &own, word) else {
        return Err(format!("You have no {word}.").into());
    };
    let o = world.object(blade);
    if !matches!(o.kind, ObjectKind::Weapon { attack: AttackType::Slash, .. }) {
        return Err(format!("{} has no edge to sharpen.", capitalised(&o.short)).into());
    }
    if !o.applies.is_empty() {
        return Err(format!("{} is not to be bettered by any stone.", capitalised(&o.short)).into());
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 2);
    let level = world.who(who).level;
    let by = match done {
        true => 1 + i32::from(level > KEENER_LEVEL) + i32::from(level >= KEENEST_LEVEL),
        false => -1,
    };
    world.object_mut(blade).applies.push(ObjectApply { to: Apply::DamageRoll, by });
    if matches!(world.object(blade).place, Place::Worn(..)) {
        world.recompute(who);
    }
    let scene = Scene::new(who, LineKind::Text).object(blade);
    let voice = match done {
        true => "You draw the stone along $p until it splits a hair.",
        false => "The stone slips, and $p has a notch that was not there before.",
    };
    world.show(&scene, voice, "", "$n draws a stone along $p.");
    Ok(())
}

/// Brings somebody back who lies dying.
pub fn aid(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "aid")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to aid?".into());
    }
    let patient = world.here(who, word)?;
    let hit = world.who(patient).hit;
    if hit >= 1 {
        return Err(format!("{} can do without.", capitalised(world.name_for(who, patient))).into());
    }
    let done = tried_on(world, who, patient, row, attempt::SIDES, 0);
    takes(world, who, 2);
    let scene = Scene::new(who, LineKind::Text).victim(patient).sleepers();
    if !done {
        world.show(&scene, "You bind, and the blood comes through.", "", "$n kneels by $N, and shakes $s head.");
        return Ok(());
    }
    world.show(&scene, "You bind $S wounds.", "Somebody binds your wounds.", "$n binds the wounds of $N.");
    healing::give_back(world, who, patient, 1 - hit, Some(row.name.name().into()));
    world.record_cooperation(who, patient);
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
    takes(world, who, 1);
    if !done {
        world.send(who, LineKind::Text, "You shout, and feel a little foolish.");
        return Ok(());
    }
    let scene = Scene::new(who, LineKind::Text);
    world.show(&scene, "You see red, and nothing else.", "", "$n is beside $mself with rage.");
    lasting::begin_skill(world, who, who, row);
    Ok(())
}

/// Makes a weapon of a hand, or a hand of it again.
pub fn alter(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "alter")?;
    let scene = Scene::new(who, LineKind::Text);
    if affects::end(world, who, AffectFlags::FLESH_ALTER) {
        world.show(&scene, "Your hand is a hand again.", "", "$n's hand is a hand again.");
        return Ok(());
    }
    let weapon = world.wielded(who);
    if weapon.is_some() && world.hands_full(who) {
        return Err("You could not put away what you wield: you carry as many things as you can.".into());
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    if !done {
        world.send(who, LineKind::Text, "Your flesh creeps, and stays what it is.");
        return Ok(());
    }
    if let Some(weapon) = weapon {
        let put_away = Scene::new(who, LineKind::Equipment).object(weapon);
        world.show(&put_away, "You put $p away.", "", "$n puts $p away.");
        world.place_object(weapon, Place::Carried(who));
        world.recompute(who);
    }
    world.show(
        &scene,
        "Your hand flows, and hardens into a weapon.",
        "",
        "$n's hand flows, and hardens into a weapon.",
    );
    lasting::begin_skill(world, who, who, row);
    Ok(())
}

/// Gives of its life to the mind of a psionic in its group. Both are dazed by it.
pub fn mindlink(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "mindlink")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("With whom do you want to link your mind?".into());
    }
    let other = world.here(who, word)?;
    if other == who {
        return Err("You are linked with yourself well enough.".into());
    }
    let o = world.who(other);
    if !matches!(o.class, Class::Psionic | Class::Mystic) || o.is_mob() {
        return Err(format!("{} would not know what to do with it.", capitalised(o.shown())).into());
    }
    let together = world.group_leader(who).is_some() && world.group_leader(who) == world.group_leader(other);
    if !together {
        return Err("Only minds of one group let each other in.".into());
    }
    if world.who(who).hit <= LINK_MOST {
        return Err(format!("You need more than {LINK_MOST} hit points to give of them.").into());
    }
    let done = tried_on(world, who, other, row, attempt::SIDES, 0);
    let scene = Scene::new(who, LineKind::Text).victim(other);
    if !done {
        world.show(&scene, "You reach for $S mind, and it is elsewhere.", "Something brushes your mind.", "");
        takes(world, who, 1);
        return Ok(());
    }
    let least = (LINK_LEAST + world.who(who).level).min(LINK_MOST);
    let amount = world.draw(Stream::Combat, Draw::Amount).range(least, LINK_MOST);
    world.who_mut(who).hit -= amount;
    let o = world.who_mut(other);
    o.mana = o.mana.saturating_add(amount).min(o.now.mana_max.max(o.mana));
    world.show(
        &scene,
        "Your mind opens into that of $N, and your strength runs out into it.",
        "$n's mind opens into yours, and strength runs in.",
        "$n and $N stare at each other, and see nothing else.",
    );
    world.record_cooperation(who, other);
    for dazed in [who, other] {
        world.lag(dazed, LINK_LAG);
    }
    Ok(())
}
