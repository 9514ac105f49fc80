//! Gestures: verbs that only show something, as data (`Content::socials`). And what is said to a word that is neither
//! verb nor gesture.

use crate::act::Scene;
use crate::arena::CharacterId;
use crate::commands::{VERBS, help, settings, too_low};
use crate::find::first_argument;
use crate::refusal::{Done, Refusal};
use crate::report::LineKind;
use crate::world::World;
use content::Social;
use protocol::Outcome;
use std::sync::Arc;

/// Verbs that are suggested for an unknown word, and how many slips apart they may be.
const SUGGESTIONS_MAX: usize = 3;
const SLIPS_MAX: usize = 2;
/// Characters of an unknown word that are repeated and compared.
pub(super) const WORD_MAX: usize = 20;

/// The first gesture, by alphabet, whose name begins with the word, which may be in any case.
pub(crate) fn find<'a>(socials: &'a [Social], word: &str) -> Option<&'a Social> {
    let word = word.to_ascii_lowercase();
    let at = socials.partition_point(|social| *social.name < *word);
    socials.get(at).filter(|social| !word.is_empty() && social.name.starts_with(&*word))
}

pub(crate) fn perform(world: &mut World, who: CharacterId, word: &str, args: &str) -> Done {
    let content = world.content.clone();
    let Some(social) = find(&content.socials, word) else { return Err(unknown(world, who, word)) };
    let position = world.who(who).position;
    if position < social.position {
        return Err(too_low(position));
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
        return Err(format!("{} is in no state for that.", crate::act::capitalised(&other.name)).into());
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
    let mut scene = Scene::new(who, LineKind::Social).outcome(&outcome);
    scene.victim = victim.filter(|id| *id != who);
    scene.hidden = social.hidden;
    // Who cannot see a hidden gesture does not feel it either.
    let felt = !social.hidden || victim.is_none_or(|id| world.sees(id, who));
    let to_victim = to_victim.as_deref().filter(|_| felt).unwrap_or_default();
    world.show(&scene, to_actor, to_victim, to_room.as_deref().unwrap_or_default());
    Ok(())
}

/// What is said to a word that nothing begins with: what else goes by it, or the verbs and gestures spelled most like
/// it.
fn unknown(world: &World, who: CharacterId, word: &str) -> Refusal {
    let word: String = word.chars().take(WORD_MAX).collect::<String>().to_lowercase();
    let level = world.who(who).level;
    if settings::has(level, &word) {
        return format!("There is no verb or gesture \"{word}\", but a setting: toggle {word}").into();
    }
    if help::has_topic(&word) {
        return format!("There is no verb or gesture \"{word}\", but a page about it: help {word}").into();
    }
    let verbs = VERBS.iter().filter(|verb| verb.level <= level).map(|verb| verb.name);
    // Verbs come before gestures among equals.
    match spelled_like(&word, verbs.chain(world.content.socials.iter().map(|social| &*social.name))) {
        Some(meant) => format!("There is no verb or gesture \"{word}\". Did you mean {meant}?").into(),
        None => format!("There is no verb or gesture \"{word}\". For a list: commands, or socials").into(),
    }
}

/// The names that a word of at most `WORD_MAX` letters may have meant, as a question ends: "look or lock". The first
/// come first among equals.
pub(super) fn spelled_like<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    // Of a short word, two slips leave nothing.
    let slips_max = if word.chars().count() <= 3 { 1 } else { SLIPS_MAX };
    let mut near: Vec<(usize, &str)> = names
        .filter(|name| name.len() > 1)
        .map(|name| (slips(word, name), name))
        .filter(|(slips, _)| *slips <= slips_max)
        .collect();
    near.sort_by_key(|(slips, _)| *slips);
    let near: Vec<&str> = near.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| name).collect();
    match near.as_slice() {
        [] => None,
        [one] => Some(one.to_string()),
        [all @ .., last] => Some(format!("{} or {last}", all.join(", "))),
    }
}

/// Slips of the fingers between two words: letters left out, put in, changed, or swapped with the next
/// (Damerau–Levenshtein, each letter touched once).
///
/// More than `SLIPS_MAX` is told as one more than that. Nothing is allocated, as every verb and every gesture is
/// compared with each unknown word.
fn slips(a: &str, b: &str) -> usize {
    const TOO_MANY: usize = SLIPS_MAX + 1;
    const SIDE: usize = WORD_MAX + TOO_MANY;
    let (rows, columns) = (a.chars().count(), b.chars().count());
    if rows.abs_diff(columns) > SLIPS_MAX || rows >= SIDE || columns >= SIDE {
        return TOO_MANY;
    }
    // Bytes, as whole rows are handed on.
    let (mut before, mut above, mut row) = ([0u8; SIDE], [0u8; SIDE], [0u8; SIDE]);
    for (j, cell) in above.iter_mut().enumerate() {
        *cell = j as u8;
    }
    let mut last_a = None;
    for (i, a) in a.chars().enumerate() {
        row[0] = i as u8 + 1;
        let mut least = row[0];
        let mut last_b = None;
        for (j, b) in b.chars().enumerate() {
            let changed = above[j] + u8::from(a != b);
            row[j + 1] = changed.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && Some(a) == last_b && last_a == Some(b) {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
            least = least.min(row[j + 1]);
            last_b = Some(b);
        }
        // A swap reaches back two rows and costs one, so a row this bad is not mended by the next.
        if usize::from(least) > TOO_MANY {
            return TOO_MANY;
        }
        last_a = Some(a);
        (before, above, row) = (above, row, before);
    }
    usize::from(above[columns]).min(TOO_MANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_as_fingers_make_them() {
        for (a, b, n) in [
            ("look", "look", 0),
            ("lokk", "look", 1),
            ("loko", "look", 1),
            ("loook", "look", 1),
            ("exmaine", "examine", 1),
            ("invetnroy", "inventory", 2),
            ("look", "kill", SLIPS_MAX + 1),
            ("", "ab", 2),
            ("look", "examine", SLIPS_MAX + 1),
        ] {
            assert_eq!(slips(a, b), n, "{a} {b}");
        }
    }
}
