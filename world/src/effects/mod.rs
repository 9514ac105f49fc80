//! What works on a character, whatever it comes from: food and drink, rooms, blows, and the lasting effects of all of
//! them. A kind of effect is a file here and a variant of `Effect`; what brings it about says the cause and no more.
//!
//! Invariant: hit points are lost, conditions of the stomach rise and affects come and go nowhere else.

pub mod affects;
pub mod art;
mod blow_text;
mod charm;
mod creation;
pub mod damage;
mod enchantment;
mod gates;
pub mod harm;
pub mod healing;
pub(crate) mod knowledge;
pub mod lasting;
pub mod moving;
pub mod nourishment;
pub mod summoning;
pub mod working;

use crate::arena::CharacterId;
use crate::world::World;
use content::Text;

pub use crate::affect::Cause;
pub use affects::{SetAffect, Stacking};
pub use harm::{Harm, HarmKind};
pub use nourishment::Nourishment;

/// The kinds of effects that there are. To add one: a file beside, a variant here and its line in `work`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Hit points are lost.
    Harm { amount: i32, kind: HarmKind },
    /// Something changes for a while.
    Affect(SetAffect),
    /// Something goes down the throat.
    Nourish(Nourishment),
}

/// Lets an effect work on somebody. True when it died of it.
pub fn work(world: &mut World, whom: CharacterId, effect: Effect, cause: Cause) -> bool {
    match effect {
        Effect::Harm { amount, kind } => {
            harm::harm(world, Harm { victim: whom, by: cause.by, amount, kind, source: cause.source })
        }
        Effect::Affect(set) => {
            let caster = cause.by.and_then(|by| caster_name(world, by));
            let sees = |by| by == whom || (world.who(whom).is_awake() && world.sees(whom, by));
            let seen = cause.by.is_some_and(sees);
            affects::set(world, whom, set.from(cause.source, caster, seen));
            false
        }
        Effect::Nourish(nourishment) => {
            nourishment::nourish(world, whom, nourishment);
            false
        }
    }
}

/// By what a lasting effect remembers who brought it about: a player's name, which means nobody while the player is
/// away, and never somebody else. Mobs are not remembered: there is nothing to thank or to blame them for later.
fn caster_name(world: &World, by: CharacterId) -> Option<Text> {
    world.character(by).filter(|c| c.is_player()).map(|c| c.keywords.clone())
}
