//! The game: a pure, deterministic state machine from inputs to reports.
//!
//! Invariants: no IO, no clock, no global randomness, no iteration over unordered maps. `World::apply` is the only way
//! anything changes.

pub mod act;
pub mod adopt;
pub mod affect;
mod apply;
pub mod arena;
pub mod budget;
pub mod capture;
pub mod character;
pub mod check;
pub mod clock;
pub mod combat;
pub mod commands;
pub mod edit;
pub mod effects;
pub mod entering;
pub mod find;
pub mod following;
pub mod hash;
pub mod input;
pub mod making;
pub mod moving;
pub mod number;
pub mod object;
pub mod past;
pub mod phases;
pub mod promotion;
pub mod ranges;
pub mod record;
pub mod recording;
pub mod refusal;
pub mod report;
pub mod rng;
pub mod room;
pub mod rules;
pub mod shops;
pub mod sight;
pub mod skill;
pub mod stats;
pub mod telling;
pub mod vars;
pub mod weather;
pub mod world;
pub mod zone;
pub mod zones;

pub use arena::{CharacterId, ObjectId};
pub use input::{Admin, Input};
pub use number::InputNumber;
pub use report::Report;
pub use world::World;
