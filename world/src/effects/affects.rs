//! Lasting effects: rows on a character that change what it is worth and what it can, until their hours are over.
//!
//! Invariant: `Character::affects` changes here, and where an hour ends (`phases/bodies.rs`) or a life
//! (`death.rs`); `now` is made anew each time.

use crate::affect::{Affect, Cause, Source};
use crate::arena::CharacterId;
use crate::world::World;
use content::Text;
use content::flags::AffectFlags;

/// Hours, and what is changed, add up to no more.
const HOURS_MAX: i32 = 10_000;
const CHANGE_MAX: i32 = 1_000;

/// What becomes of one of the same kind and apply that is there already.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stacking {
    /// Both work, each for its time.
    Separate,
    /// It lasts for the longer of the two times, and is otherwise as the new one.
    Longer,
    /// The times add up.
    Lengthened,
    /// The times add up, and so does what it changes.
    Added,
}

/// An affect that begins, or goes on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetAffect {
    pub affect: Affect,
    pub stacking: Stacking,
}

impl SetAffect {
    /// `seen`: by whoever is under it from now on.
    pub(super) fn from(mut self, source: Source, caster: Option<Text>, seen: bool) -> SetAffect {
        (self.affect.source, self.affect.caster, self.affect.caster_seen) = (source, caster, seen);
        self
    }
}

pub(crate) fn set(world: &mut World, who: CharacterId, set: SetAffect) {
    let SetAffect { affect, stacking } = set;
    let affects = &mut world.who_mut(who).affects;
    let same = |old: &&mut Affect| old.kind == affect.kind && old.apply == affect.apply;
    match affects.iter_mut().find(same).filter(|_| stacking != Stacking::Separate) {
        Some(old) => {
            let (hours, mut flags) = (old.hours, old.flags);
            flags.insert(affect.flags);
            let hours = match stacking {
                // For ever is longer than any time.
                _ if hours < 0 || affect.hours < 0 => -1,
                Stacking::Lengthened | Stacking::Added => hours.saturating_add(affect.hours).min(HOURS_MAX),
                Stacking::Longer | Stacking::Separate => hours.max(affect.hours),
            };
            let by = match stacking {
                Stacking::Added => old.by.saturating_add(affect.by).clamp(-CHANGE_MAX, CHANGE_MAX),
                _ => affect.by,
            };
            *old = Affect { hours, flags, by, ..affect };
        }
        None => affects.push(affect),
    }
    world.recompute(who);
}

/// Ends every effect that sets any of the flags. True when there was one.
pub fn end(world: &mut World, who: CharacterId, flags: AffectFlags) -> bool {
    let had = world.who(who).affects.iter().any(|affect| affect.flags.any(flags));
    if had {
        world.who_mut(who).affects.retain(|affect| !affect.flags.any(flags));
        world.recompute(who);
    }
    had
}

/// What put one of the flags on somebody, and the player behind it where that is in the world.
pub fn cause_of(world: &World, who: CharacterId, flags: AffectFlags) -> Cause {
    let affect = world.who(who).affects.iter().find(|affect| affect.flags.any(flags));
    affect.map_or_else(Cause::default, |affect| Cause {
        by: affect.caster.as_ref().and_then(|name| world.find_player(name)),
        source: affect.source.clone(),
    })
}
