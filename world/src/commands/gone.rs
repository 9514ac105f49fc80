//! Targets that are named by their ids (`mob_8031_407`) and are no longer there: it is said that they are gone,
//! whatever a verb says of those that it cannot find.

use super::verb::Verb;
use crate::arena::CharacterId;
use crate::refusal::Refusal;
use crate::world::World;
use protocol::instance::{Instance, UNMADE};

/// No verb has more targets; each that is gone is looked for among all things of the world.
const IDS_MAX: usize = 4;

/// What is said then.
pub const GONE: Refusal = Refusal::new("It is gone.");

/// Whether a word is the id of a mob or a thing that the seeker cannot reach, or not any more.
pub fn is_gone(world: &World, seeker: CharacterId, word: &str) -> bool {
    let reaches_all = world.who(seeker).is_immortal();
    match Instance::parse(word) {
        // Whom somebody has yet to buy or to hire.
        Some(Instance::Mob { serial: UNMADE, .. }) => false,
        Some(Instance::Mob { .. }) if reaches_all => world.find_anywhere(seeker, word).is_none(),
        Some(Instance::Mob { .. }) => world.find_here(seeker, word).is_none(),
        // What a shop has yet to make, too.
        Some(Instance::Object { serial: UNMADE, .. }) => false,
        Some(id @ Instance::Object { .. }) => !world.find_object_anywhere(id).is_some_and(|object| {
            let is_here = world.room_of(object) == Some(world.who(seeker).room);
            (is_here || reaches_all) && world.sees_object(seeker, object)
        }),
        Some(Instance::Player(_)) | None => false,
    }
}

/// Whether what a verb was refused has a name in it of something that is gone. Of words for others, and of commands for
/// others, only the first is a name of the verb's own.
pub fn is_named(world: &World, who: CharacterId, verb: &Verb, args: &str) -> bool {
    if verb.traits.afar || world.character(who).is_none() {
        return false;
    }
    let names = if verb.takes_words() || verb.traits.runs_commands { 1 } else { IDS_MAX };
    args.split_whitespace().take(names).any(|word| is_gone(world, who, word))
}
