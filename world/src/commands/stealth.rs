//! Arts of not being noticed: sneak, stealth, hide, kabuki, shadow; and of leaving a fight in good order: retreat,
//! escape.
//!
//! Who hides, or walks without a sound, cannot tell whether it works. Source: game reference §4.2.

use super::attempt::{known, takes, tried};
use super::groups;
use crate::arena::CharacterId;
use crate::effects::{affects, lasting};
use crate::find::first_argument;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::rules::{SkillRow, abilities};
use crate::world::World;
use content::flags::AffectFlags;
use content::words::Sector;

pub fn sneak(world: &mut World, who: CharacterId, _: &str) -> Done {
    walk_softly(world, who, "sneak", "You put your feet down as if the floor were asleep.")
}

pub fn stealth(world: &mut World, who: CharacterId, _: &str) -> Done {
    walk_softly(world, who, "stealth", "You let your weight go before you set a foot down.")
}

/// Walks without a sound for as many hours as it has levels.
fn walk_softly(world: &mut World, who: CharacterId, verb: &str, text: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, verb)?;
    let ease = abilities::dexterity_sneak(world.who(who).now.abilities.dexterity);
    go_unnoticed(world, who, row, AffectFlags::SNEAK, ease, text)
}

pub fn hide(world: &mut World, who: CharacterId, _: &str) -> Done {
    conceal(world, who, "hide", "You make yourself as small as you can.")
}

pub fn kabuki(world: &mut World, who: CharacterId, _: &str) -> Done {
    conceal(world, who, "kabuki", "You strike a pose that nobody would take for yours, and hold still.")
}

/// Hides, until it walks or strikes. There is no hiding under an open sky by day.
fn conceal(world: &mut World, who: CharacterId, verb: &str, text: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, verb)?;
    let room = world.who(who).room;
    let open = match world.room_proto(room).sector {
        Sector::Field | Sector::Desert | Sector::Flying | Sector::Wind => true,
        Sector::WaterSwim | Sector::WaterNoSwim | Sector::Underwater | Sector::Water => true,
        Sector::Inside | Sector::City | Sector::Forest | Sector::Hills | Sector::Mountain => false,
        Sector::Swamp | Sector::Fire | Sector::Earth => false,
    };
    if open && !world.state.clock.is_night() {
        return Err("There is nothing here to hide behind, and it is broad daylight.".into());
    }
    let ease = abilities::dexterity_hide(world.who(who).now.abilities.dexterity);
    go_unnoticed(world, who, row, AffectFlags::HIDE, ease, text)
}

/// Tries to be under a flag of its skill, from the beginning again. It is told the same whether it works or not.
fn go_unnoticed(world: &mut World, who: CharacterId, row: &SkillRow, flag: AffectFlags, ease: i32, text: &str) -> Done {
    affects::end(world, who, flag);
    world.send(who, LineKind::Text, text);
    let done = tried(world, who, row, ease);
    takes(world, who, 1);
    if done {
        lasting::settle_skill(world, who, who, row);
    }
    Ok(())
}

/// Follows somebody who is not to know of it. Who fails follows all the same, and is seen.
pub fn shadow(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "shadow")?;
    let (word, _) = first_argument(args);
    if word.is_empty() {
        return Err("Whom do you want to shadow?".into());
    }
    let leader = world.here(who, word)?;
    if leader == who {
        return Err("Your own shadow follows you without help.".into());
    }
    groups::may_go_behind(world, who, leader)?;
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    world.disband(who);
    world.stop_following(who);
    if done {
        affects::end(world, who, AffectFlags::SNEAK);
        lasting::settle_skill(world, who, who, row);
        world.start_shadowing(who, leader);
    } else {
        world.start_following(who, leader);
    }
    Ok(())
}

pub fn retreat(world: &mut World, who: CharacterId, _: &str) -> Done {
    fall_back(world, who, "retreat")
}

pub fn escape(world: &mut World, who: CharacterId, _: &str) -> Done {
    fall_back(world, who, "escape")
}

/// Leaves a fight without loss of experience.
fn fall_back(world: &mut World, who: CharacterId, verb: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, verb)?;
    if world.who(who).fighting.is_none() {
        return Err("There is no fight here to get out of.".into());
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 1);
    if done {
        return world.fall_back(who);
    }
    world.send(who, LineKind::Text, "You look for a way back, and your opponent is in it.");
    Ok(())
}
