//! `ignore`: whom a player does not want to hear. What that means is in `ignoring.rs`.

use super::chat::person;
use crate::act::listed;
use crate::arena::CharacterId;
use crate::find::first_word;
use crate::ignoring::IGNORED_MAX;
use crate::refusal::Done;
use crate::report::LineKind;
use crate::world::World;

pub fn ignore(world: &mut World, who: CharacterId, args: &str) -> Done {
    let own = person(world, who)?;
    let (word, _) = first_word(args);
    match word.to_ascii_lowercase().as_str() {
        "" => return list(world, who),
        "agents" => ignore_agents(world, who),
        word => ignore_person(world, who, own, word)?,
    }
    // What is unread, and which messages frames have, hangs on it.
    for channel in world.channels_of(own) {
        world.changed_for(own, channel);
    }
    Ok(())
}

fn list(world: &mut World, who: CharacterId) -> Done {
    let ignored = &world.who(who).player().expect("it is a person").ignored;
    let agents = ignored.agents.then(|| "all agents".to_string());
    let people = ignored.people.iter().map(|id| world.name_and_id(*id));
    let all: Vec<String> = agents.into_iter().chain(people).collect();
    let text = match all.is_empty() {
        true => "You ignore nobody. To hear no more of somebody: ignore <player>, or ignore agents.".to_string(),
        false => format!("You ignore {}. To hear one of them again, once more: ignore <player>.", listed(&all)),
    };
    world.send(who, LineKind::Text, text);
    Ok(())
}

fn ignore_agents(world: &mut World, who: CharacterId) {
    let ignored = &mut world.player_mut(who).ignored;
    ignored.agents = !ignored.agents;
    let text = match ignored.agents {
        true => "You ignore all agents: whatever a program plays, you do not hear it.",
        false => "You hear agents again.",
    };
    world.send(who, LineKind::Text, text);
}

fn ignore_person(world: &mut World, who: CharacterId, own: u32, word: &str) -> Done {
    let other = world.person_word(word)?;
    let name = world.display_name(other);
    if other == own {
        return Err("You cannot stop your ears to yourself.".into());
    }
    let ignored = &world.who(who).player().expect("it is a person").ignored;
    if ignored.people.contains(&other) {
        world.player_mut(who).ignored.people.remove(&other);
        let still = world.ignores_person(who, other);
        let text = match still {
            true => format!("You ignore {name} no longer by name, but all agents: ignore agents"),
            false => format!("You hear {name} again."),
        };
        world.send(who, LineKind::Text, text);
        return Ok(());
    }
    let keeps_order = world.character_of(other).is_some_and(|other| world.who(other).is_immortal());
    if keeps_order || world.is_architect(other) {
        return Err(format!("{name} keeps order here, and is heard by everybody.").into());
    }
    if ignored.people.len() >= IGNORED_MAX {
        // Who is gone for good needs no place.
        let channels = &world.state.channels;
        let gone: Vec<u32> = ignored.people.iter().copied().filter(|id| channels.person(*id).is_none()).collect();
        let people = &mut world.player_mut(who).ignored.people;
        people.retain(|id| !gone.contains(id));
        if people.len() >= IGNORED_MAX {
            return Err(format!("You ignore {IGNORED_MAX} already, and that is the most. Whom, says: ignore").into());
        }
    }
    world.player_mut(who).ignored.people.insert(other);
    world.send(who, LineKind::Text, format!("You ignore {name}: no words of theirs reach you any more."));
    Ok(())
}
