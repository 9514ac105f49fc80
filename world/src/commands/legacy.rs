//! `legacy`: what one has learned becomes another's, if both want it. One offers it, the other accepts it, in one room;
//! what it is the edge knows (`Request::HandDown`), and it comes into the heir's log by an input.

use super::settings::ONLY_PLAYERS;
use crate::act::Scene;
use crate::arena::CharacterId;
use crate::find::first_word;
use crate::refusal::{Done, Refusal};
use crate::report::{HandDownRequest, LineKind, Request};
use crate::world::World;

const HOW: &str = "Offer what you have learned to somebody here, or take what is offered: legacy offer <name>, \
                   legacy accept <name>, legacy withdraw";

pub fn legacy(world: &mut World, who: CharacterId, args: &str) -> Done {
    let own = person(world, who)?;
    let (word, rest) = first_word(args);
    let (name, _) = first_word(rest);
    match (word.to_ascii_lowercase().as_str(), name) {
        ("offer", name) if !name.is_empty() => offer(world, who, name),
        ("accept", name) if !name.is_empty() => accept(world, who, own, name),
        ("withdraw", "") => {
            if world.player_mut(who).legacy_to.take().is_none() {
                return Err("You offer nothing to anybody.".into());
            }
            world.send(who, LineKind::Text, "You keep what you have learned to yourself.");
            Ok(())
        }
        _ => Err(HOW.into()),
    }
}

fn person(world: &World, who: CharacterId) -> Result<u32, Refusal> {
    Ok(world.who(who).player().ok_or(ONLY_PLAYERS)?.person.ok_or("Nobody knows you yet.")?)
}

fn other_here(world: &World, who: CharacterId, name: &str) -> Result<(CharacterId, u32), Refusal> {
    let other = world.here(who, name)?;
    if other == who {
        return Err("What you have learned is yours already.".into());
    }
    let person = world.who(other).player().and_then(|player| player.person);
    person.map(|person| (other, person)).ok_or_else(|| "Only players hand down what they have learned.".into())
}

fn offer(world: &mut World, who: CharacterId, name: &str) -> Done {
    let (heir, person) = other_here(world, who, name)?;
    world.player_mut(who).legacy_to = Some(person);
    let scene = Scene::new(who, LineKind::Text).victim(heir).addressed();
    let word = crate::find::naming_word(&world.who(who).keywords).to_string();
    let told = format!("$n offers you what $e has learned in $s life. To take it: legacy accept {word}");
    world.show(&scene, "You offer $N what you have learned in your life.", &told, "");
    Ok(())
}

fn accept(world: &mut World, who: CharacterId, own: u32, name: &str) -> Done {
    let (giver, _) = other_here(world, who, name)?;
    if world.who(giver).player().is_none_or(|player| player.legacy_to != Some(own)) {
        let name = crate::act::capitalised(world.name_for(who, giver));
        return Err(format!("{name} offers you nothing of that kind.").into());
    }
    world.player_mut(giver).legacy_to = None;
    let (from, to) = (world.who(giver).name.clone(), world.who(who).name.clone());
    let scene = Scene::new(giver, LineKind::Text).victim(who);
    let told = "$n tells you, in few words, what took $m a life to learn.";
    world.show(&scene, "You tell $N, in few words, what took you a life to learn.", told, "$n tells $N something.");
    world.request(Request::HandDown(Box::new(HandDownRequest { from, to })));
    Ok(())
}
