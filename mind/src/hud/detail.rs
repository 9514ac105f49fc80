//! How much of each live section is shown: one row per level, from all to almost nothing.
//!
//! A density names a level; a prompt that is still too large goes down row by row. The last row is small enough for any
//! budget that a tier has.

use crate::pressure::Density;

/// Rows of tables and characters of texts. A table of 0 rows is a count with a few names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Detail {
    pub density: Density,
    pub map: usize,
    pub mobs: usize,
    pub players: usize,
    pub items: usize,
    pub shop: usize,
    pub inventory: usize,
    pub equipment: usize,
    pub speech: usize,
    pub events: usize,
    pub recent: usize,
    pub focus: usize,
    pub memories: usize,
    pub warnings: usize,
    pub channels: usize,
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
    //     density           map                    speech          memories      names, texts, outcomes, description
    //                          mobs                   events          warnings
    //                             players                recent          named
    //                                items                  focus
    //                                   shop
    //                                      inventory                          channels
    //                                         equipment
    level(Density::Full,    [12,20,12,16,20,24,20,12, 12,20, 8,10, 8, 0,60], [60, 240, 80, 600]),
    level(Density::Full,    [10,14, 8,10,16,16,20, 8,  8,20, 6,10, 6, 0,30], [40, 160, 48, 300]),
    level(Density::Full,    [ 8,10, 6, 6,12,10,12, 5,  5,14, 4, 6, 5, 0,14], [32, 120, 32, 160]),
    level(Density::Compact, [ 6, 8, 6, 5, 8, 6, 6, 5,  3,10, 3, 5, 4, 0, 8], [32, 120, 32, 0]),
    level(Density::Compact, [ 3, 5, 4, 3, 4, 3, 3, 3,  2, 8, 2, 3, 3, 0, 4], [24,  80, 20, 0]),
    level(Density::Minimal, [ 0, 0, 0, 0, 0, 0, 0, 2,  0, 5, 0, 2, 2, 6, 0], [24,  80, 20, 0]),
    level(Density::Minimal, [ 0, 0, 0, 0, 0, 0, 0, 1,  0, 5, 0, 1, 2, 3, 0], [20,  50, 12, 0]),
    level(Density::Minimal, [ 0, 0, 0, 0, 0, 0, 0, 1,  0, 3, 0, 0, 1, 2, 0], [16,  30,  8, 0]),
    level(Density::Minimal, [ 0, 0, 0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 1, 1, 0], [12,  20,  8, 0]),
];

const fn level(density: Density, rows: [usize; 15], chars: [usize; 4]) -> Detail {
    let [
        map,
        mobs,
        players,
        items,
        shop,
        inventory,
        equipment,
        speech,
        events,
        recent,
        focus,
        memories,
        warnings,
        named,
        channels,
    ] = rows;
    let [name_chars, text_chars, outcome_chars, description_chars] = chars;
    Detail {
        density,
        map,
        mobs,
        players,
        items,
        shop,
        inventory,
        equipment,
        speech,
        events,
        recent,
        focus,
        memories,
        warnings,
        channels,
        named,
        name_chars,
        text_chars,
        outcome_chars,
        description_chars,
    }
}

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
                (a.map, b.map),
                (a.shop, b.shop),
                (a.mobs, b.mobs),
                (a.items, b.items),
                (a.inventory, b.inventory),
                (a.equipment, b.equipment),
                (a.speech, b.speech),
                (a.events, b.events),
                (a.recent, b.recent),
                (a.channels, b.channels),
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
