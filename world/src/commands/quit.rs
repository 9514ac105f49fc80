//! SAVE and QUIT: being written down, and leaving the world with everything that one has.

use super::settings::ONLY_PLAYERS;
use crate::arena::CharacterId;
use crate::login::Farewell;
use crate::refusal::Done;
use crate::report::{Goodbye, LineKind};
use crate::world::World;
use content::flags::AffectFlags;
use content::words::Position;

pub fn save(world: &mut World, who: CharacterId, _: &str) -> Done {
    world.who(who).player().ok_or(ONLY_PLAYERS)?;
    world.save(who);
    world.send(who, LineKind::Text, "You are written down as you stand here.");
    Ok(())
}

pub fn quit(world: &mut World, who: CharacterId, _: &str) -> Done {
    let character = world.who(who);
    character.player().ok_or(ONLY_PLAYERS)?;
    let hunted = world.state.fighters.iter().any(|id| world.who(*id).fighting == Some(who));
    if character.fighting.is_some() || hunted {
        return Err("Not while somebody is trying to kill you. You could flee first.".into());
    }
    if character.is(AffectFlags::CHARM) {
        return Err("You do not want to leave your master.".into());
    }
    if character.position <= Position::Stunned {
        return Err("You are in no state to go anywhere. Hold on.".into());
    }
    // Before it parts from all who follow it.
    world.take_animals_along(who);
    world.part_ways(who);
    let text = world.content.sentences.quit.to_string();
    world.send(who, LineKind::Text, text);
    world.leave(who, Goodbye::Quit, Farewell::Shown);
    Ok(())
}
