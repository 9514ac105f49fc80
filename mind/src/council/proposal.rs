//! What a mind wants the body to do.

use super::lines::Line;
use super::member::Member;
use super::scene::Scene;

/// One mind's answer, as far as others weigh it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proposal {
    pub member: Member,
    /// The line that spends a tick, or the order to the body that takes its place.
    pub tick: Option<String>,
    /// What costs nothing: words, notes, looks.
    pub free: Vec<String>,
    /// In the mind's own words; may be empty.
    pub why: String,
}

impl Proposal {
    /// What it comes to, in a line: what spends the tick, else all that is free; empty: nothing.
    pub fn action(&self) -> String {
        self.tick.clone().unwrap_or_else(|| self.free.join("; "))
    }

    pub fn is_empty(&self) -> bool {
        self.tick.is_none() && self.free.is_empty()
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = Line<'_>> {
        self.tick.iter().chain(&self.free).map(|line| Line::of(line))
    }

    /// The line that spends the tick, with every word for somebody as who that is; `None`: it wants no tick.
    pub fn resolved(&self, scene: &Scene) -> Option<String> {
        self.tick.as_deref().map(|line| Line::of(line).resolved(scene))
    }
}
