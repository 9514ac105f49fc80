//! How others see a player: the title behind its name, and the description that `look` shows.

use super::settings::ONLY_PLAYERS;
use crate::arena::CharacterId;
use crate::character::PlayerFlags;
use crate::page::framed;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;
use content::Text;

/// Asks for a name to be shown by, or tells by which one is.
pub fn name(world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = world.person_of(who).ok_or(ONLY_PLAYERS)?;
    if !args.trim().is_empty() {
        return world.ask_for_name(person, args);
    }
    let (shown, own) = (world.display_name(person), world.who(who).name.clone());
    let answer = match shown == own {
        true => format!("You are shown by your own name, {own}. By another: name <words>"),
        false => format!("You are shown as {shown}; your own name is {own}. Back to that: name {own}"),
    };
    world.send(who, LineKind::Text, answer);
    Ok(())
}

const TITLE_MAX: usize = 60;
const DESCRIPTION_MAX: usize = 1000;

pub fn title(world: &mut World, who: CharacterId, args: &str) -> Done {
    let character = world.who(who);
    let player = character.player().ok_or(ONLY_PLAYERS)?;
    if player.flags.has(PlayerFlags::NO_TITLE) {
        return Err("You have lost the right to call yourself what you like.".into());
    }
    if args.chars().count() > TITLE_MAX {
        return Err(format!("A title has at most {TITLE_MAX} characters.").into());
    }
    // Brackets mark what the game says of somebody: (outlaw), [agent].
    if args.contains(['(', ')', '[', ']']) {
        return Err("A title has no brackets.".into());
    }
    // It stands in the middle of the game's own lines, and must not end them and begin another.
    if args.contains(['.', '!', '?', ':', ';', '"']) {
        return Err("A title is no sentence: it has no marks but commas and apostrophes.".into());
    }
    let title: Text = if args.is_empty() { world.rules.class(character.class).title.clone() } else { args.into() };
    let answer = format!("You are now {} {title}.", character.shown());
    if player.title != title {
        world.player_mut(who).title = title;
        world.who_list = None;
    }
    world.send(who, LineKind::Text, answer);
    Ok(())
}

pub fn description(world: &mut World, who: CharacterId, args: &str) -> Done {
    let player = world.who(who).player().ok_or(ONLY_PLAYERS)?;
    let text = match args {
        "" => {
            let answer = match &*player.description {
                "" => "Others see nothing about you that catches the eye.".to_string(),
                text => format!("Who looks at you sees:\n{}", framed(text)),
            };
            world.send(who, LineKind::Text, answer);
            return Ok(());
        }
        "clear" | "none" => String::new(),
        _ => match args.strip_prefix("+ ") {
            Some(more) if !player.description.is_empty() => format!("{}\n{more}", player.description),
            Some(more) => more.to_string(),
            None => args.to_string(),
        },
    };
    if text.chars().count() > DESCRIPTION_MAX {
        return Err(format!("A description has at most {DESCRIPTION_MAX} characters.").into());
    }
    let answer = match &*text {
        "" => "Others will see nothing about you that catches the eye.".to_string(),
        text => format!("Who looks at you will see:\n{}", framed(text)),
    };
    world.player_mut(who).description = text.into();
    world.send(who, LineKind::Text, answer);
    Ok(())
}
