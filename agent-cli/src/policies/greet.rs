//! Answering a greeting: once for each person and session, in words that fit anybody.

use super::{Perception, Proposal};

/// From this on, of 1, one greets first.
const GREETS_FIRST: f64 = 0.75;
/// Words that fit any character. Everybody has its own.
const WORDS: &[&str] = &["Hello, {}.", "Good to see you, {}.", "Well met, {}.", "Greetings, {}."];

pub fn greet(seen: &Perception<'_>) -> Proposal {
    let known = seen.known;
    let first = seen.nature.tastes.sociable >= GREETS_FIRST;
    let here = |name: &&String| known.players.contains(*name) && !known.greeted.contains(*name);
    let whom = known.greeted_by.iter().find(here).or_else(|| known.players.iter().filter(|_| first).find(here));
    let Some(name) = whom else { return Proposal::Pass };
    let words = WORDS[(seen.own(GREETING) % WORDS.len() as u64) as usize];
    seen.step(format!("say {}", words.replace("{}", name)))
}

/// The question of which words are one's own.
const GREETING: u64 = 2 << 32;
