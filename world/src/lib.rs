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
pub mod coins;
pub mod combat;
pub mod commands;
pub mod death;
pub mod doors;
pub mod edit;
pub mod effects;
pub mod experience;
pub mod fights;
pub mod find;
pub mod flight;
pub mod followers;
pub mod groups;
pub mod happenings;
pub mod hash;
pub mod input;
pub mod lights;
pub mod login;
pub mod movement;
pub mod number;
pub mod object;
pub mod outcomes;
pub mod page;
pub mod past;
pub mod phases;
pub mod pickup;
pub mod placement;
pub mod promotion;
pub mod ranges;
pub mod record;
pub mod refusal;
pub mod regeneration;
pub mod report;
pub mod rng;
pub mod room;
pub mod room_view;
pub mod rules;
pub mod saves;
pub mod shops;
pub mod sight;
pub mod skill;
pub mod spawn;
pub mod stats;
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
