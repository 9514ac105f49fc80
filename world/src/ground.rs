//! Plots as state: what was built in rooms, and by whom they were founded.
//!
//! A plot that content has and nobody changed so far is none of the state: it is as its builder left it.

use content::{Text, Vnum};
use plot::{Deed, Plot, one, quoted};
use protocol::instance::player_instance;
use protocol::outcome::{BuiltDeed, Who, WhoKind};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The plot of one room.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Ground {
    pub plot: Plot,
    /// The immortal who founded it; empty: content has it. What content has no more is kept aside, and shown to nobody.
    pub founder: Text,
}

impl Ground {
    /// Puts other words in the place of all that people wrote; a title that stands in content is not of these.
    pub fn rewrite(&mut self, write: &impl Fn(&str) -> String) {
        self.plot.rewrite(write);
        if !self.founder.is_empty() {
            self.plot.title = write(&self.plot.title).into();
        }
    }
}

/// By the numbers of their rooms.
pub type Grounds = BTreeMap<Vnum, Arc<Ground>>;

/// `a house "Anna's"`: as it stands in sentences of the game. What a player wrote cannot close the quotation.
pub(crate) fn named(kind: &str, label: &str) -> String {
    if label.is_empty() { one(kind) } else { format!("{} {}", one(kind), quoted(label)) }
}

/// A reason behind what it is for: `, "it is cold"`; nothing where nobody said.
pub(crate) fn because(why: &str) -> String {
    if why.is_empty() { String::new() } else { format!(", {}", quoted(why)) }
}

/// A player by the name it signs with, wherever it is.
pub(crate) fn absent(name: &Text) -> Who {
    Who { id: player_instance(name), name: name.clone(), kind: WhoKind::Player, level: 0 }
}

pub(crate) fn deed_of(deed: &Deed) -> BuiltDeed {
    match deed {
        Deed::Add(_) => BuiltDeed::Added,
        Deed::Move { .. } => BuiltDeed::Moved,
        Deed::Remove(_) => BuiltDeed::Removed,
    }
}
