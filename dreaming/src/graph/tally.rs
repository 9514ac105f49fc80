//! What happened with somebody or in some place, counted: what an insight is made of.

use super::event::EventBody;
use mind::happenings::Deed;
use protocol::happening::Role;
use serde::{Deserialize, Serialize};

/// What happened with one focal point, counted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    pub events: u32,
    pub won: u32,
    pub shared: u32,
    pub fled: u32,
    pub died: u32,
    pub wounds: u32,
    pub gifts: u32,
    pub helped: u32,
    pub kind: u32,
    pub harsh: u32,
    pub robbed: u32,
    pub betrayed: u32,
    pub found: u32,
    /// Sum of valences.
    pub valence: i32,
}

impl Tally {
    pub(crate) fn add(&mut self, event: &EventBody) {
        let done_to_me = event.role == Role::Suffered;
        self.events += 1;
        self.valence += i32::from(event.valence);
        match event.deed {
            Deed::Killed if event.role == Role::Did => self.won += 1,
            Deed::Killed if done_to_me => self.died += 1,
            Deed::Assisted => self.shared += 1,
            Deed::Fled if event.role == Role::Did => self.fled += 1,
            Deed::Wounded if done_to_me => self.wounds += 1,
            Deed::Given if done_to_me => self.gifts += 1,
            deed if deed.is_help() && done_to_me => self.helped += 1,
            Deed::SaidKindly if done_to_me => self.kind += 1,
            Deed::Insulted | Deed::Threatened if done_to_me => self.harsh += 1,
            Deed::Stolen if done_to_me => self.robbed += 1,
            Deed::Betrayed if event.role != Role::Did => self.betrayed += 1,
            Deed::Acquired if event.role == Role::Did => self.found += 1,
            _ => {}
        }
    }

    pub(crate) fn join(&mut self, other: &Tally) {
        self.events += other.events;
        self.won += other.won;
        self.shared += other.shared;
        self.fled += other.fled;
        self.died += other.died;
        self.wounds += other.wounds;
        self.gifts += other.gifts;
        self.helped += other.helped;
        self.kind += other.kind;
        self.harsh += other.harsh;
        self.robbed += other.robbed;
        self.betrayed += other.betrayed;
        self.found += other.found;
        self.valence += other.valence;
    }

    pub(crate) fn mean(&self) -> f64 {
        f64::from(self.valence) / f64::from(self.events.max(1))
    }
}
