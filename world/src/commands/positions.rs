//! Standing up and lying down.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::find::first_argument;
use crate::mounts;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use content::flags::*;
use content::words::*;
use protocol::Outcome;

const ON_A_BACK: &str = "Not on anybody's back. You could dismount.";

/// Changes position and tells it.
fn settle(world: &mut World, who: CharacterId, position: Position, to_self: &str, to_room: &str) -> Done {
    mounts::end(world, who);
    world.who_mut(who).position = position;
    let outcome = world.note(Outcome::Position { who: world.as_who(who), position: position.name().into() });
    let scene = Scene::new(who, LineKind::Position).outcome(&outcome);
    world.show(&scene, to_self, "", to_room);
    Ok(())
}

pub fn stand(world: &mut World, who: CharacterId, _: &str) -> Done {
    match world.who(who).position {
        Position::Standing => Err("You are standing already.".into()),
        Position::Fighting => Err("You are on your feet, and this is no moment to change that.".into()),
        Position::Sleeping => Err("You have to wake up first.".into()),
        _ if world.who(who).fighting.is_some() => {
            settle(world, who, Position::Fighting, "You struggle to your feet.", "$n struggles to $s feet.")
        }
        _ => settle(world, who, Position::Standing, "You stand up.", "$n stands up."),
    }
}

pub fn sit(world: &mut World, who: CharacterId, _: &str) -> Done {
    match world.who(who).position {
        _ if mounts::mount_of(world, who).is_some() => Err(ON_A_BACK.into()),
        Position::Sitting => Err("You are sitting already.".into()),
        Position::Fighting => Err("If you sit down now, you will not get up again.".into()),
        Position::Sleeping => Err("You have to wake up first.".into()),
        Position::Resting => settle(world, who, Position::Sitting, "You stop resting, and sit up.", "$n sits up."),
        _ => settle(world, who, Position::Sitting, "You sit down.", "$n sits down."),
    }
}

pub fn rest(world: &mut World, who: CharacterId, _: &str) -> Done {
    match world.who(who).position {
        _ if mounts::mount_of(world, who).is_some() => Err(ON_A_BACK.into()),
        Position::Resting => Err("You are resting already.".into()),
        Position::Fighting => Err("If you rest now, it will be for good.".into()),
        Position::Sleeping => Err("You have to wake up first.".into()),
        _ => settle(world, who, Position::Resting, "You settle down to rest.", "$n settles down to rest."),
    }
}

pub fn sleep(world: &mut World, who: CharacterId, _: &str) -> Done {
    match world.who(who).position {
        _ if mounts::mount_of(world, who).is_some() => Err(ON_A_BACK.into()),
        Position::Sleeping => Err("You are asleep already.".into()),
        Position::Fighting => Err("If you sleep now, you will not wake.".into()),
        _ => settle(world, who, Position::Sleeping, "You lie down and fall asleep.", "$n lies down and falls asleep."),
    }
}

pub fn wake(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, _) = first_argument(args);
    if !word.is_empty() && world.find_here(who, word) != Some(who) {
        if world.who(who).position == Position::Sleeping {
            return Err("You would have to be awake for that.".into());
        }
        let other = world.here(who, word)?;
        let o = world.who(other);
        if o.position > Position::Sleeping {
            return Err(format!("{} is awake already.", crate::act::capitalised(o.shown())).into());
        }
        if o.position < Position::Sleeping || o.is(AffectFlags::SLEEP) {
            return Err(format!("You cannot wake {}.", o.object_pronoun()).into());
        }
        world.who_mut(other).position = Position::Sitting;
        let scene = Scene::new(who, LineKind::Position).victim(other).sleepers();
        world.show(&scene, "You wake $N.", "$n wakes you.", "$n wakes $N.");
        return Ok(());
    }
    if world.who(who).is(AffectFlags::SLEEP) {
        return Err("Something holds you under. You cannot wake.".into());
    }
    if world.who(who).position > Position::Sleeping {
        return Err("You are awake already.".into());
    }
    settle(world, who, Position::Sitting, "You wake, and sit up.", "$n wakes up.")
}
