//! How full a prompt is, and what follows: two named functions of one ratio, tokens of the prompt by tokens of the
//! budget.
//!
//! `density` says how closely the live parts are packed, `advisory` what the agent is told. From `COMPACT_FROM` the
//! prompt is compacted. Half-open intervals for the density; the warning includes its upper bound, as documented.

use serde::{Deserialize, Serialize};

const COMPACT_DENSITY_FROM: f64 = 0.70;
const MINIMAL_DENSITY_FROM: f64 = 0.85;
/// A prompt as full as this is compacted.
pub const COMPACT_FROM: f64 = 0.92;
const WARNING_FROM: f64 = 0.60;
const CRITICAL_ABOVE: f64 = 0.80;

/// How much of each section is shown.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Density {
    #[default]
    Full,
    Compact,
    Minimal,
}

impl Density {
    pub const ALL: [Density; 3] = [Density::Full, Density::Compact, Density::Minimal];

    pub const fn name(self) -> &'static str {
        match self {
            Density::Full => "full",
            Density::Compact => "compact",
            Density::Minimal => "minimal",
        }
    }
}

/// What an agent is told about its room to think.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Advisory {
    #[default]
    Normal,
    Warning,
    Critical,
}

impl Advisory {
    pub const fn name(self) -> &'static str {
        match self {
            Advisory::Normal => "normal",
            Advisory::Warning => "warning",
            Advisory::Critical => "critical",
        }
    }
}

/// Full below 70 %, compact below 85 %, minimal from there.
pub fn density(ratio: f64) -> Density {
    if ratio < COMPACT_DENSITY_FROM {
        Density::Full
    } else if ratio < MINIMAL_DENSITY_FROM {
        Density::Compact
    } else {
        Density::Minimal
    }
}

/// Normal below 60 %, warning up to and with 80 %, critical above.
pub fn advisory(ratio: f64) -> Advisory {
    if ratio < WARNING_FROM {
        Advisory::Normal
    } else if ratio <= CRITICAL_ABOVE {
        Advisory::Warning
    } else {
        Advisory::Critical
    }
}

/// From 92 %.
pub fn must_compact(ratio: f64) -> bool {
    ratio >= COMPACT_FROM
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The next number below, so that a bound is tried on both sides exactly.
    fn below(ratio: f64) -> f64 {
        f64::from_bits(ratio.to_bits() - 1)
    }

    fn above(ratio: f64) -> f64 {
        f64::from_bits(ratio.to_bits() + 1)
    }

    #[test]
    fn the_bounds_are_those_of_the_design() {
        for (ratio, dense, told, compacts) in [
            (0.0, Density::Full, Advisory::Normal, false),
            (below(0.60), Density::Full, Advisory::Normal, false),
            (0.60, Density::Full, Advisory::Warning, false),
            (below(0.70), Density::Full, Advisory::Warning, false),
            (0.70, Density::Compact, Advisory::Warning, false),
            (0.80, Density::Compact, Advisory::Warning, false),
            (above(0.80), Density::Compact, Advisory::Critical, false),
            (below(0.85), Density::Compact, Advisory::Critical, false),
            (0.85, Density::Minimal, Advisory::Critical, false),
            (below(0.92), Density::Minimal, Advisory::Critical, false),
            (0.92, Density::Minimal, Advisory::Critical, true),
            (1.0, Density::Minimal, Advisory::Critical, true),
            (7.0, Density::Minimal, Advisory::Critical, true),
        ] {
            assert_eq!((density(ratio), advisory(ratio), must_compact(ratio)), (dense, told, compacts), "at {ratio}");
        }
    }
}
