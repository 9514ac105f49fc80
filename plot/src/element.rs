//! Something that stands on a plot.

use crate::bounds::Text;
use crate::cell::Cell;
use crate::words::quoted;
use serde::{Deserialize, Serialize};

/// Something that was built.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Element {
    pub id: u32,
    pub at: Cell,
    /// The name of its kind.
    pub kind: Text,
    /// What its builder calls it; may be empty.
    pub label: Text,
    /// Who built it; empty: it was there before anybody built.
    pub by: Text,
    pub tick: u64,
    /// Why it was built; may be empty.
    pub why: Text,
}

impl Element {
    /// Puts other words in the place of what its hand wrote.
    pub(crate) fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        for text in [&mut self.label, &mut self.why] {
            *text = write(text).into();
        }
    }

    pub fn builder(&self) -> Option<&Text> {
        Some(&self.by).filter(|by| !by.is_empty())
    }

    /// `house "Anna's"`. What a hand wrote cannot close the quotation.
    pub fn named(&self) -> String {
        if self.label.is_empty() { self.kind.to_string() } else { format!("{} {}", self.kind, quoted(&self.label)) }
    }
}
