//! Arts of a fight that are no plain strikes: parry, disarm, smackheads, turn. Source: game reference §4.2.

use super::attempt::{self, known, takes, tried, tried_on};
use crate::act::{Scene, capitalised};
use crate::affect::Source;
use crate::arena::CharacterId;
use crate::combat::warded_by;
use crate::draws::Draw;
use crate::effects::{Harm, HarmKind, harm};
use crate::find::first_argument;
use crate::object::Place;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::rng::Stream;
use crate::world::World;
use content::flags::{MobFlags, ObjectFlags};
use content::words::{Position, Race};
use protocol::Outcome;

/// Ticks for which heads ring.
const RINGING_TICKS: u64 = 3;
/// The undead so many levels below who turns them are no more; these flee; those so many above laugh.
const DESTROYED_GAP: i32 = 15;
const FLEEING_GAP: i32 = 3;
const IMMUNE_GAP: i32 = -5;
/// Turning costs three mana for each level, and a draw of 1 to this.
const TURN_MANA: i32 = 3;
const TURN_MANA_SIDES: i32 = 55;

fn opponent(world: &World, who: CharacterId) -> Result<CharacterId, Refusal> {
    let opponent = world.who(who).fighting.filter(|id| world.character(*id).is_some());
    opponent.ok_or_else(|| "You are not fighting.".into())
}

/// The opponent loses blows of its next round.
pub fn parry(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "parry")?;
    let victim = opponent(world, who)?;
    let done = tried_on(world, who, victim, row, attempt::SIDES, 0);
    takes(world, who, 1);
    let scene = Scene::new(who, LineKind::Combat).victim(victim);
    if done {
        let worth = warded_by(world.who(who));
        world.who_mut(victim).warded = worth;
        world.show(&scene, "You set yourself to meet $N.", "$n sets $mself to meet you.", "$n sets $mself to meet $N.");
    } else {
        world.show(&scene, "You wait for a blow from the wrong side.", "", "");
    }
    Ok(())
}

/// Strikes the weapon out of an opponent's hand.
pub fn disarm(world: &mut World, who: CharacterId, _: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "disarm")?;
    let victim = opponent(world, who)?;
    let Some(weapon) = world.wielded(victim) else {
        return Err(format!("{} has nothing in hand.", capitalised(world.name_for(who, victim))).into());
    };
    let sides = attempt::SIDES + world.who(victim).level;
    let done = tried_on(world, who, victim, row, sides, 0) && !world.object(weapon).flags.has(ObjectFlags::NO_DROP);
    takes(world, who, 2);
    let scene = Scene::new(who, LineKind::Combat).victim(victim).object(weapon);
    if !done {
        world.provoke(who, victim);
        world.show(&scene, "You strike at $p, and $N holds on.", "$n strikes at $p, and you hold on.", "");
        return Ok(());
    }
    let room = world.who(who).room;
    let (loser, item) = (world.as_who(victim), Some(world.as_object_ref(weapon)));
    let outcome = world.note(Outcome::Dropped { who: loser, item, gold: None, into: None });
    world.show(
        &scene.outcome(&outcome),
        "You strike $p out of $S hand.",
        "$n strikes $p out of your hand!",
        "$n strikes $p out of $N's hand.",
    );
    world.place_object(weapon, Place::Room(room));
    world.recompute(victim);
    Ok(())
}

/// Knocks two heads together whose owners are not fighting.
pub fn smackheads(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "smackheads")?;
    let (one, rest) = first_argument(args);
    let (other, _) = first_argument(rest);
    if one.is_empty() || other.is_empty() {
        return Err("Whose heads? smackheads <target> <target>".into());
    }
    let victims = [world.here(who, one)?, world.here(who, other)?];
    if victims[0] == victims[1] {
        return Err("It takes two heads.".into());
    }
    if world.wielded(who).is_some() {
        return Err("You need both hands empty for that.".into());
    }
    for victim in victims {
        world.may_attack(who, victim, false)?;
        if world.who(victim).fighting.is_some() || world.who(who).fighting.is_some() {
            return Err("There is too much going on to get hold of two heads.".into());
        }
    }
    takes(world, who, 2);
    if !tried_on(world, who, victims[0], row, attempt::SIDES, 0) {
        let scene = Scene::new(who, LineKind::Combat);
        world.show(&scene, "You reach for two heads, and have none.", "", "$n reaches for two heads, and has none.");
        for victim in victims {
            world.provoke(who, victim);
        }
        return Ok(());
    }
    let level = world.who(who).level;
    for victim in victims {
        if world.character(who).is_none() || world.character(victim).is_none() {
            continue;
        }
        let (kind, source) = (HarmKind::Art { saved: false }, Source::Skill(row.name.clone()));
        let died = harm::harm(world, Harm { victim, by: Some(who), amount: 3 * level, kind, source });
        if !died && world.character(victim).is_some_and(|v| v.position > Position::Sitting) {
            world.who_mut(victim).position = Position::Sitting;
            world.lag(victim, RINGING_TICKS);
        }
    }
    Ok(())
}

/// Holds up what is holy to all the undead in the room.
pub fn turn(world: &mut World, who: CharacterId, args: &str) -> Done {
    let rules = world.rules.clone();
    let row = known(world, &rules, who, "turn")?;
    let undead = |id: &CharacterId| {
        let v = world.who(*id);
        v.is_mob() && matches!(v.race, Race::Undead | Race::Vampire) && !v.mob_flags().has(MobFlags::NO_KILL)
    };
    let (word, _) = first_argument(args);
    // The art is for all of them at once, so a name says only whom one means above all.
    if !["", "undead", "dead"].contains(&&*word.to_lowercase()) {
        match world.find_here(who, word) {
            Some(other) if undead(&other) => {}
            Some(other) if other == who => return Err("You are alive, and mean to stay so.".into()),
            Some(other) => {
                let name = capitalised(world.name_for(who, other));
                return Err(format!("{name} does not belong in a grave, and does not give way to faith.").into());
            }
            None if world.find_near(who, word).is_some() => {
                return Err("Faith moves the undead, and no things.".into());
            }
            None => return Err(format!("You see no {word} here that ought to be in its grave.").into()),
        }
    }
    let c = world.who(who);
    if !c.is_good() && !c.is_immortal() {
        return Err(
            "The dead give way to the good alone, from an alignment of 350 on. Yours stands in your score.".into()
        );
    }
    let (room, level) = (c.room, c.level);
    if world.room_flags(room).has(content::flags::RoomFlags::PEACEFUL) {
        return Err("The peace of this place stays your hand.".into());
    }
    let dead: Vec<CharacterId> = world.room(room).characters.iter().copied().filter(undead).collect();
    if dead.is_empty() {
        return Err("There is nothing here that ought to be in its grave.".into());
    }
    if world.who(who).mana < TURN_MANA * level && !world.who(who).is_immortal() {
        return Err("You have not the strength of mind for that.".into());
    }
    let cost = TURN_MANA * level + world.draw(Stream::Combat, Draw::Amount).range(1, TURN_MANA_SIDES);
    if !world.who(who).is_immortal() {
        let c = world.who_mut(who);
        c.mana = (c.mana - cost).max(0);
    }
    let done = tried(world, who, row, 0);
    takes(world, who, 2);
    let scene = Scene::new(who, LineKind::Text);
    world.show(&scene, "You hold up your faith to the dead.", "", "$n holds up a hand, and there is light in it.");
    if !done {
        world.send(who, LineKind::Text, "The dead do not care.");
        return Ok(());
    }
    for victim in dead {
        if world.character(who).is_none() || world.character(victim).is_none() {
            continue;
        }
        let gap = level - world.who(victim).level;
        let scene = Scene::new(who, LineKind::Combat).victim(victim);
        if gap <= IMMUNE_GAP {
            world.show(&scene, "$N laughs at you.", "", "$N laughs at $n.");
        } else if gap >= DESTROYED_GAP {
            // Twice its life, for those whom something protects.
            let amount = world.who(victim).hit.max(0).saturating_mul(2).saturating_add(30);
            let (kind, source) = (HarmKind::Art { saved: false }, Source::Skill(row.name.clone()));
            harm::harm(world, Harm { victim, by: Some(who), amount, kind, source });
        } else if gap > FLEEING_GAP {
            world.show(&scene, "$N cannot bear the light.", "", "$N cannot bear the light.");
            world.stop_fights_of(victim);
            // Cornered, it cowers where it is.
            let _ = world.flee(victim);
        } else {
            world.who_mut(victim).warded = i32::from(u8::MAX);
            world.show(&scene, "$N stands as if it had forgotten what to do.", "", "$N stands still.");
        }
    }
    Ok(())
}
