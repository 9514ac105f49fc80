//! Socials: verbs that only show something, as data (`Content::socials`). And what is said to a word that is neither
//! verb nor social.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::commands::spelling::{WORD_MAX, spelled_like};
use crate::commands::verb::names_for;
use crate::commands::{help, secrets, settings, too_low};
use crate::find::first_argument;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;
use content::Social;
use protocol::Outcome;
use std::sync::Arc;

pub(crate) fn perform(world: &mut World, who: CharacterId, word: &str, args: &str) -> Done {
    let content = world.content.clone();
    let Some(social) = content.social(word).filter(|_| !is_whole(word)) else { return Err(unknown(world, who, word)) };
    let position = world.who(who).position;
    if position < social.position {
        return Err(too_low(world, position));
    }
    let (target, _) = first_argument(args);
    let aimed = if target.is_empty() { None } else { social.actor_victim.as_ref() };
    let Some(to_actor) = aimed else { return show(world, who, social, None, &social.actor, &None, &social.room) };
    let Some(victim) = world.find_here(who, target) else {
        return Err(match &social.not_found {
            Some(text) => Refusal::from(world.voice(&Scene::new(who, LineKind::Social), who, text)),
            None => "There is nobody of that name here.".into(),
        });
    };
    if victim == who {
        return match &social.actor_self {
            Some(to_actor) => show(world, who, social, Some(who), to_actor, &None, &social.room_self),
            None => show(world, who, social, None, &social.actor, &None, &social.room),
        };
    }
    let other = world.who(victim);
    if other.position < social.victim_position {
        return Err(format!("{} is in no state for that.", crate::act::capitalised(other.shown())).into());
    }
    show(world, who, social, Some(victim), to_actor, &social.victim, &social.room_victim)
}

fn show(
    world: &mut World,
    who: CharacterId,
    social: &Social,
    victim: Option<CharacterId>,
    to_actor: &str,
    to_victim: &Option<Arc<str>>,
    to_room: &Option<Arc<str>>,
) -> Done {
    let outcome = world.note(Outcome::Social {
        actor: world.as_who(who),
        social: social.name.to_string().into(),
        victim: victim.map(|id| world.as_who(id)),
    });
    let mut scene = Scene::new(who, LineKind::Social).addressed().outcome(&outcome);
    scene.victim = victim.filter(|id| *id != who);
    scene.hidden = social.hidden;
    // Who cannot see a hidden social does not feel it either.
    let felt = !social.hidden || victim.is_none_or(|id| world.sees(id, who));
    let to_victim = to_victim.as_deref().filter(|_| felt).unwrap_or_default();
    world.show(&scene, to_actor, to_victim, to_room.as_deref().unwrap_or_default());
    Ok(())
}

/// Words that are no abbreviation of anything, though verbs or socials begin with them: who greets a merchant does not
/// mean to hit it.
const WHOLE: &[&str] = &["hi"];

/// Whether a word is not to be taken for the beginning of another.
pub(super) fn is_whole(word: &str) -> bool {
    WHOLE.iter().any(|whole| whole.eq_ignore_ascii_case(word))
}

/// Words of other games and of talk, and what to type here. By alphabet.
const ELSEWHERE: &[(&str, &str)] = &[
    ("approach", "look <somebody>: all who are in a room are near enough"),
    ("attack", "kill <target>"),
    ("bag", "inventory, and look in <bag>"),
    ("bye", "quit, or say bye"),
    ("climb", "up, or down"),
    ("descend", "down"),
    ("disconnect", "quit"),
    ("dress", "wear <thing>, or wear all"),
    ("exp", "score"),
    ("fight", "kill <target>"),
    ("gold", "worth"),
    ("heal", "rest, or sleep: strength comes back by itself"),
    ("hello", "say hello"),
    ("hey", "say hey"),
    ("hi", "say hi"),
    ("info", "help"),
    ("inspect", "examine <target>"),
    ("invite", "group <player>, once that one follows you"),
    ("items", "inventory"),
    ("join", "follow <player>, who then takes you in with group <you>"),
    ("jump", "down, or another way that exits shows"),
    ("learn", "practice <art>, with a master of your craft"),
    ("logout", "quit"),
    ("loot", "get all corpse"),
    ("mail", "tell <player> <words>, which waits for those who are away"),
    ("mission", "tasks, and ask <somebody> about work"),
    ("money", "worth"),
    ("motd", "help news"),
    ("move", "go <direction>, or the first letter of it"),
    ("news", "help news"),
    ("pause", "rest, or sleep"),
    ("pickup", "get <thing>"),
    ("practise", "practice"),
    ("purchase", "buy <thing>"),
    ("quest", "tasks, and ask <somebody> about work"),
    ("run", "go <direction>, or the first letter of it"),
    ("sac", "junk <thing>"),
    ("search", "look, and look <whatever you see>"),
    ("shop", "list, where somebody sells"),
    ("speak", "say <words>, or ask <somebody> about <what you want to know>"),
    ("stats", "score"),
    ("talk", "say <words>, or ask <somebody> about <what you want to know>"),
    ("thanks", "thank <somebody>, or say thanks"),
    ("train", "practice <art>, with a master of your craft"),
    ("travel", "go <direction>; help with the name of a place tells the way"),
    ("undress", "remove <thing>, or remove all"),
    ("unequip", "remove <thing>"),
    ("unwield", "remove <weapon>"),
    ("wait", "rest, or nothing at all: time goes by"),
    ("xp", "score"),
];

/// What is said to a word that nothing begins with: what else goes by it, or the verbs and socials spelled most like
/// it.
fn unknown(world: &World, who: CharacterId, word: &str) -> Refusal {
    let word: String = word.chars().take(WORD_MAX).collect::<String>().to_lowercase();
    let level = world.who(who).level;
    if secrets::is_near_a_secret(&word) {
        // What followed it was kept at the edge, and forgotten there.
        return format!("There is no verb or social \"{word}\". For a new password: password <old> <new>").into();
    }
    if settings::has(world, level, &word) {
        return format!("There is no verb or social \"{word}\", but a setting: toggle {word}").into();
    }
    if let Some((_, here)) = ELSEWHERE.iter().find(|(other, _)| *other == word) {
        return format!("There is no verb or social \"{word}\"; here it is: {here}").into();
    }
    if help::has_topic(&word) {
        return format!("There is no verb or social \"{word}\", but a page about it: help {word}").into();
    }
    let channels = world.content.channels.iter().map(|channel| &*channel.name);
    let verbs = names_for(level).chain(channels);
    // Verbs come before socials among equals.
    match spelled_like(&word, verbs.chain(world.content.socials.iter().map(|social| &*social.name))) {
        Some(meant) => format!("There is no verb or social \"{word}\". Did you mean {meant}?").into(),
        None => format!("There is no verb or social \"{word}\". For a list: commands, or socials").into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::find_verb;

    #[test]
    fn what_is_typed_elsewhere_stands_in_order_and_names_verbs_of_ours() {
        assert!(ELSEWHERE.is_sorted_by(|one, next| one.0 < next.0));
        for (word, here) in ELSEWHERE {
            let first = here.split([' ', ',', ';', ':']).next().unwrap_or_default();
            assert!(find_verb(first, 1).is_some() || first == "thank", "{word}: {here}");
        }
    }
}
