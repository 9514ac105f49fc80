//! Content: everything that builders write and play never changes. Rooms, mobs, objects, shops, tasks, plots, zones,
//! socials, channels, a world's own sentences, with the words and flags they are written in.
//!
//! A `Content` is read once from texts (native TOML or a Circle-family folder), checked, and then shared by every world
//! made from it. What changes in play (open doors, hit points, who is where) is the state of the crate `world`.
//! Invariants: every vnum in a `Content` that `read` returns is either found by its look-up or was reported as a
//! problem; no IO, no clock, no chance: texts go in, and texts come out.

pub mod arts;
pub mod flags;
pub mod words;

mod answers;
mod check;
mod check_answers;
mod check_night;
mod check_plots;
mod check_scripts;
mod check_tasks;
mod check_things;
mod circle;
// The crate is named for the main type, and so is the file that has it.
mod content;
mod draft;
pub mod edit;
pub mod filter;
mod fingerprint;
pub mod hash;
mod layout;
mod native;
mod night;
mod nouns;
mod origins;
pub mod paragraphs;
mod plots;
pub mod problem;
mod proto;
mod read;
pub mod scripts;
mod sentences;
mod source;
mod supply;
mod tasks;
mod text;
mod vnum;

pub use answers::{AnswerProto, TradeProto, When, spoken_words};
pub use content::{Content, Counts, Listing};
pub use draft::ReadOptions;
pub use fingerprint::ContentIndex;
pub use layout::Place;
pub use native::{behaviour_in_toml, write};
pub use night::{Gate, Horn, Hunted, Hunters, Lair};
pub use plots::{PlotProto, StandingProto};
pub use problem::{Problem, Problems, Severity};
pub use proto::*;
pub use read::{check_book, read};
pub use sentences::Sentences;
pub use source::{BOOK_FILES, Source};
pub use tasks::{Notice, StepKind, TaskProto, TaskReward, TaskStep};
pub use text::Text;
pub use vnum::{CONJURED_FIRST, NOBODY, RoomId, Vnum};
