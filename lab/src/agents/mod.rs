//! Agents at play without sockets: the server's engine and the agents' own code in one process, on a clock of ours.
//!
//! `Stage` is the engine with the world of a seed and a seat for each player: what a seat reads are the very frames
//! that the WebSocket door would send, and what it sends passes the same reader and the same limit. `Player` is whoever
//! sits there; `play` lets them play for so many minutes of the game; `Report` says how it went, measured in the world
//! and not by the player; `compare` sets two ways to play against each other, seed by seed; `reply` plays one past on
//! with a reply as it was and with another. `Robust` counts what a bad model made of it, `robustness` sums that up, and
//! `tempter` is whoever tries to have an agent obey. `Deeds` are what one would tell of a player, `page` and `way_map`
//! show them, `table` has the figures by which policies are judged, `balance` those of classes, `council` those of
//! several minds on a plot, `regret` those of what they did not choose, `ablation` those of a society that lacks one of
//! them, `generations` those of what is handed down, `society` those of words that go from mouth to mouth, `interview`
//! what those who heard them can say, `stories` what agents remember of it; `figures` tells means.
//! Invariant: a run is a function of its `Setting`: no clock, no chance but the seed's.

pub mod ablation;
pub mod balance;
pub mod compare;
pub mod council;
pub mod deeds;
pub mod figures;
pub mod generations;
pub mod interview;
pub mod layout;
pub mod measure;
pub mod oracle;
pub mod page;
pub mod play;
pub mod player;
pub mod posture;
pub mod regret;
pub mod reply;
pub mod robust;
pub mod robustness;
pub mod society;
pub mod stage;
pub mod stories;
pub mod table;
pub mod tempter;
pub mod way_map;

#[cfg(test)]
mod tests;

pub use compare::{Comparison, compare};
pub use measure::Report;
pub use play::{Mode, Setting, play, play_all, play_each};
pub use player::{Act, Player};
pub use robust::Robust;
pub use stage::{Seat, Stage};
