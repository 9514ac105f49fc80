//! The game: a pure, deterministic state machine from inputs to reports.
//!
//! Invariants: no IO, no clock, no global randomness, no iteration over unordered maps. `World::apply` is the only way
//! anything changes.

pub mod act;
pub mod adopt;
pub mod affect;
pub mod agent;
pub mod agents;
pub mod aloud;
mod answers;
mod apply;
pub mod arena;
mod barter;
pub mod behaviours;
pub mod budget;
mod capitals;
pub mod capture;
pub mod casting;
mod causes;
pub mod channel;
pub mod channels;
pub mod character;
pub mod check;
pub mod clock;
pub mod coins;
pub mod combat;
pub mod commands;
pub mod death;
pub mod doors;
pub mod draws;
pub mod edit;
pub mod effects;
pub mod experience;
pub mod fights;
mod filter;
pub mod find;
pub mod flight;
pub mod followers;
pub mod ground;
pub mod groups;
pub mod happenings;
pub mod hash;
mod hints;
#[cfg_attr(not(feature = "scripts"), allow(dead_code, reason = "what runs scripts is left out"))]
pub mod hooks;
pub mod ignoring;
pub mod input;
pub mod lights;
pub mod login;
mod masking;
pub mod movement;
pub mod muting;
pub mod number;
pub mod object;
pub mod outcomes;
pub mod page;
pub mod past;
pub mod phases;
pub mod pickup;
pub mod placement;
mod plots;
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
#[cfg_attr(not(feature = "scripts"), allow(dead_code, reason = "what runs scripts is left out"))]
pub mod script;
#[cfg_attr(not(feature = "scripts"), allow(dead_code, reason = "what runs scripts is left out"))]
pub mod scripts;
pub mod shops;
pub mod sight;
pub mod skill;
pub mod spawn;
mod speech;
pub mod stats;
pub mod task;
pub mod tasks;
pub mod vars;
pub mod ways;
pub mod weather;
pub mod world;
pub mod zone;
pub mod zones;

pub use arena::{CharacterId, ObjectId};
pub use input::{Admin, Input};
pub use number::InputNumber;
pub use report::Report;
pub use world::World;
