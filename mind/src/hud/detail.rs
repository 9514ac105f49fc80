//! How much of each live section is shown: one row per level, from all to almost nothing.
//!
//! A density names a level; a prompt that is still too large goes down row by row. The last row is small enough for any
//! budget that a tier has.

use crate::pressure::Density;

/// Rows of tables and characters of texts. A table of 0 rows is a count with a few names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    pub density: Density,
    pub mobs: usize,
    pub players: usize,
    pub items: usize,
    pub inventory: usize,
    pub equipment: usize,
    pub speech: usize,
    pub events: usize,
    pub recent: usize,
    pub focus: usize,
    pub memories: usize,
    pub warnings: usize,
    /// Names shown beside a count.
    pub named: usize,
    pub name_chars: usize,
    pub text_chars: usize,
    pub outcome_chars: usize,
    pub description_chars: usize,
}

/// Source of the rows of `recent`: 20, 10 and 5 (agent-mind §5).
#[rustfmt::skip]
pub const LEVELS: [Detail; 9] = [
    Detail { density: Density::Full, mobs: 20, players: 12, items: 16, inventory: 24, equipment: 20, speech: 12, events: 12, recent: 20, focus: 8, memories: 10, warnings: 8, named: 0, name_chars: 60, text_chars: 240, outcome_chars: 80, description_chars: 600 },
    Detail { density: Density::Full, mobs: 14, players: 8, items: 10, inventory: 16, equipment: 20, speech: 8, events: 8, recent: 20, focus: 6, memories: 10, warnings: 6, named: 0, name_chars: 40, text_chars: 160, outcome_chars: 48, description_chars: 300 },
    Detail { density: Density::Full, mobs: 10, players: 6, items: 6, inventory: 10, equipment: 12, speech: 5, events: 5, recent: 14, focus: 4, memories: 6, warnings: 5, named: 0, name_chars: 32, text_chars: 100, outcome_chars: 32, description_chars: 160 },
    Detail { density: Density::Compact, mobs: 8, players: 6, items: 5, inventory: 6, equipment: 6, speech: 5, events: 3, recent: 10, focus: 3, memories: 5, warnings: 4, named: 0, name_chars: 32, text_chars: 120, outcome_chars: 32, description_chars: 0 },
    Detail { density: Density::Compact, mobs: 5, players: 4, items: 3, inventory: 3, equipment: 3, speech: 3, events: 2, recent: 8, focus: 2, memories: 3, warnings: 3, named: 0, name_chars: 24, text_chars: 80, outcome_chars: 20, description_chars: 0 },
    Detail { density: Density::Minimal, mobs: 0, players: 0, items: 0, inventory: 0, equipment: 0, speech: 2, events: 0, recent: 5, focus: 0, memories: 2, warnings: 2, named: 6, name_chars: 24, text_chars: 80, outcome_chars: 20, description_chars: 0 },
    Detail { density: Density::Minimal, mobs: 0, players: 0, items: 0, inventory: 0, equipment: 0, speech: 1, events: 0, recent: 5, focus: 0, memories: 1, warnings: 2, named: 3, name_chars: 20, text_chars: 50, outcome_chars: 12, description_chars: 0 },
    Detail { density: Density::Minimal, mobs: 0, players: 0, items: 0, inventory: 0, equipment: 0, speech: 1, events: 0, recent: 3, focus: 0, memories: 0, warnings: 1, named: 2, name_chars: 16, text_chars: 30, outcome_chars: 8, description_chars: 0 },
    Detail { density: Density::Minimal, mobs: 0, players: 0, items: 0, inventory: 0, equipment: 0, speech: 0, events: 0, recent: 0, focus: 0, memories: 0, warnings: 1, named: 1, name_chars: 12, text_chars: 20, outcome_chars: 8, description_chars: 0 },
];

/// The most tokens of P4 with recent actions, by density.
pub const fn live_cap(density: Density) -> usize {
    match density {
        Density::Full => 2_000,
        Density::Compact => 700,
        Density::Minimal => 250,
    }
}

/// The level that a density begins with.
pub fn first_level(density: Density) -> usize {
    LEVELS.iter().position(|level| level.density == density).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_level_shows_more_than_the_one_before() {
        for pair in LEVELS.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            assert!(a.density <= b.density);
            for (more, less) in [
                (a.mobs, b.mobs),
                (a.items, b.items),
                (a.inventory, b.inventory),
                (a.equipment, b.equipment),
                (a.speech, b.speech),
                (a.events, b.events),
                (a.recent, b.recent),
                (a.memories, b.memories),
                (a.warnings, b.warnings),
                (a.name_chars, b.name_chars),
                (a.outcome_chars, b.outcome_chars),
                (a.description_chars, b.description_chars),
            ] {
                assert!(more >= less, "{a:?} then {b:?}");
            }
        }
        assert_eq!(Density::ALL.map(|density| LEVELS[first_level(density)].recent), [20, 10, 5]);
    }
}
