//! The words on the wire and in the records: frames, payload shapes, variables, typed outcomes, error codes, names.
//!
//! `docs/PROTOCOL.md` is this crate in prose; every example in it is a file below `examples/` that the tests read.
//!
//! Invariant: behaviour-free. No sockets, no clocks, no rules of the game: what a frame *does* is in `server`,
//! what a variable *reads* is in `world`.

pub mod arts;
pub mod attention;
pub mod batch;
pub mod calendar;
pub mod cause;
pub mod channel;
pub mod code;
pub mod creation;
pub mod frame;
pub mod happening;
pub mod host;
pub mod instance;
pub mod instant;
pub mod minds;
pub mod names;
pub mod outcome;
mod parse;
pub mod payload;
pub mod places;
pub mod plot;
pub mod shared;
pub mod span;
pub mod status;
pub mod talk;
pub mod task;
pub mod variables;
pub mod verbs;
pub mod words;

pub use code::ErrorCode;
pub use frame::{ClientFrame, Encoded, FrameError, FrameKind, ServerFrame, ServerMessage};
pub use outcome::Outcome;
pub use variables::{Variable, VariableSet};
