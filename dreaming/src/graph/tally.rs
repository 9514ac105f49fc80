//! What happened with somebody or in some place, counted: what an insight is made of.

use super::event::EventBody;
use mind::happenings::Deed;
use protocol::happening::Role;
use serde::{Deserialize, Serialize};

/// What happened with somebody or in some place, counted.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Tally {
    #[serde(skip_serializing_if = "is_zero")]
    pub events: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub won: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub shared: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub fled: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub died: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub wounds: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub gifts: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub helped: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub kind: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub harsh: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub robbed: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub betrayed: u32,
    #[serde(skip_serializing_if = "is_zero")]
    pub found: u32,
    /// Talk, trade, gifts, help and fights side by side between the owner and them.
    #[serde(skip_serializing_if = "is_zero")]
    pub dealt: u32,
    /// Gifts and help, whoever gave.
    #[serde(skip_serializing_if = "is_zero")]
    pub good: u32,
    /// Sum of valences.
    #[serde(skip_serializing_if = "is_none")]
    pub valence: i32,
}

impl Tally {
    pub(crate) fn add(&mut self, event: &EventBody) {
        let done_to_me = event.role == Role::Suffered;
        let mine = event.role != Role::Saw;
        let trade = matches!(event.deed, Deed::Bought | Deed::Sold);
        self.dealt += u32::from(mine && (trade || event.deed == Deed::Assisted || event.deed.is_social()));
        self.good += u32::from(mine && (event.deed == Deed::Given || event.deed.is_help()));
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

    /// Times that they, or somebody there, did the owner real harm.
    pub(crate) fn harm(&self) -> u32 {
        self.died + self.fled + self.wounds + self.robbed + self.betrayed
    }

    /// Fights of the owner's that ended.
    pub(crate) fn fights(&self) -> u32 {
        self.won + self.shared + self.fled + self.died
    }

    pub(crate) fn is_empty(&self) -> bool {
        *self == Tally::default()
    }

    pub(crate) fn mean(&self) -> f64 {
        f64::from(self.valence) / f64::from(self.events.max(1))
    }
}

fn is_zero(count: &u32) -> bool {
    *count == 0
}

fn is_none(sum: &i32) -> bool {
    *sum == 0
}
