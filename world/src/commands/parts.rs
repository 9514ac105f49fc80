//! Verbs whose first word says what is to be done: `channel join`, `agent wake`.

use super::chat::person;
use crate::arena::CharacterId;
use crate::find::first_word;
use crate::refusal::Done;
use crate::world::World;

/// What such a word does, for a person, with what follows the word.
pub(super) type Part = fn(&mut World, CharacterId, u32, &str) -> Done;

/// Does what the first word says; without one, the first of the parts. `about`: in the plural, what the verb is about.
pub(super) fn run(parts: &[(&str, Part)], about: &str, world: &mut World, who: CharacterId, args: &str) -> Done {
    let person = person(world, who)?;
    let (word, rest) = first_word(args);
    let found = match word {
        "" => parts.first(),
        word => parts.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)),
    };
    match found {
        Some((_, part)) => part(world, who, person, rest),
        None => {
            let names: Vec<&str> = parts.iter().map(|(name, _)| *name).collect();
            Err(format!("What about {about}? One of {} comes first.", names.join(", ")).into())
        }
    }
}
