//! What a council looks at when two of its minds differ: who is meant by which word, how the body fares, what stands
//! on the plot, what is remembered.

use plot::{Axes, Cell, Element, Grid};
use protocol::plot::PlotSeen;
use std::collections::BTreeMap;

/// Whom, or what, a word means here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Being {
    pub id: String,
    /// As memories call it.
    pub name: String,
}

/// A memory as far as it speaks for or against.
#[derive(Clone, PartialEq, Debug)]
pub struct Felt {
    pub text: String,
    /// Salience times valence.
    pub weight: f64,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Scene {
    /// The body's own name.
    pub me: String,
    pub targets: BTreeMap<String, Being>,
    pub hp_percent: i32,
    /// Somebody fights it.
    pub attacked: bool,
    pub plot: Option<PlotSeen>,
    pub memories: Vec<Felt>,
}

impl Scene {
    /// What a word means; what is nobody here stays the word.
    pub fn being(&self, word: &str) -> Option<&Being> {
        self.targets.get(&word.to_lowercase())
    }

    /// Σ salience·valence of the memories that speak of somebody.
    pub fn felt_about(&self, name: &str) -> f64 {
        let lower = name.to_lowercase();
        let bare = ["a ", "an ", "the ", "some "].iter().find_map(|article| lower.strip_prefix(article));
        let name = bare.unwrap_or(&lower).trim();
        let about = |felt: &&Felt| !name.is_empty() && felt.text.to_lowercase().contains(name);
        self.memories.iter().filter(about).map(|felt| felt.weight).sum()
    }
}

/// The axes of a plot as they are told.
pub(super) fn axes_of(seen: &PlotSeen) -> Axes {
    let told = &seen.axes;
    Axes {
        identity: told.identity,
        experience: told.experience,
        language: told.language,
        domain: told.domain,
        purpose: told.purpose,
        order: told.order,
        imbalance: told.imbalance,
    }
}

/// What stands on a plot as it is told. A cell that is none, as a damaged frame may have, is left out.
pub(super) fn grid_of(seen: &PlotSeen) -> Grid {
    Grid::of(seen.elements.iter().filter_map(|element| {
        Some(Element {
            id: element.id,
            at: Cell::try_from(element.at).ok()?,
            kind: (&*element.kind).into(),
            label: (&*element.label).into(),
            by: element.by.as_deref().unwrap_or_default().into(),
            tick: element.tick,
            why: (&*element.why).into(),
        })
    }))
}
