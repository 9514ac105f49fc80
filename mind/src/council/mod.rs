//! Several minds in one body: who speaks when, where two of them want what does not go together, and who is right then.
//!
//! One mind proposes, the next reads that and agrees or proposes otherwise, and OBSERVER is asked only where they
//! differ: three calls of a model for a decision at most. A role (`ROLES`) is a tendency in words and no permission:
//! all minds have the same actions. Where two proposals conflict (`conflict`), OBSERVER's choice counts, and where
//! there is none, the first rule of `RULES` that decides. The baseline that a council is held against is one mind asked
//! several times, and what most of its answers say (`majority`).
//!
//! Invariants: pure; the same proposals before the same scene give the same outcome. Whatever a mind answers is data to
//! the next: it stands in typed fields, cleaned and capped, and never in the place of a rule.

mod ballot;
mod conflict;
mod lines;
mod meant;
mod member;
mod method;
mod outcome;
mod own_part;
mod proposal;
pub mod routing;
mod rules;
mod scene;

#[cfg(test)]
mod examples;
#[cfg(test)]
mod laws;

pub use crate::counsel::Conflict;
pub use ballot::majority;
pub use conflict::conflict;
pub use meant::meant;
pub use member::{Member, ROLES, Role};
pub use method::{Method, Seats, VOTES_MAX};
pub use outcome::{By, Observed, Outcome, outcome, wants_observer};
pub use own_part::{Heard, KEPT_FREE, OWN_TOKENS_MAX, layer_of, own_part, with_own_part};
pub use proposal::Proposal;
pub use rules::{Overruled, RULES, Rule, rule};
pub use scene::{Being, Felt, Scene};

/// Calls of a model for one decision of a council, at most.
pub const CALLS_MAX: usize = 3;
