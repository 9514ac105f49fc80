//! The arts of the rule book: spells as rows of typed effects, and how they are read.
//!
//! Rows are data like rooms and mobs, and are read as those are: all problems at once, with file and line, never a
//! panic. What a row does when it is cast is in `world`.

pub mod effect;
pub mod formula;
pub mod reading;
pub mod spell;

pub use effect::EffectRow;
pub use formula::{Formula, Throws, Values};
pub use reading::read_spells;
pub use spell::{ManaCost, SaveRule, Scope, SpellRow, SpellText, Stack, TargetKind, ThrowKind};
