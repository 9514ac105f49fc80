//! How strongly something is remembered. The rows are those of its kind (`happenings`), each with its reason and an
//! example that is its test; here are the formulas.
//!
//! `valence` is how good or bad it was for the one who remembers, −3..=3. `liking` is another thing: what it says of
//! the other who was part of it. A slain dragon is a triumph and no friend; a gift is a joy and makes one.
//! The first row that applies counts. Levels and percents are half-open: every value falls in exactly one row.
//!
//! Source: the valence tables of the specification, with the boundaries of agent-mind §1 row 19 and the rows it lacks.

use crate::happenings::{Deed, Row};
use protocol::happening::{Happening, Help, Role, What};
use protocol::outcome::WhoKind;
use serde::{Deserialize, Serialize};

pub const VALENCE_MAX: i8 = 3;

/// What a record is worth.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize)]
pub struct Appraisal {
    /// −3..=3.
    pub valence: i8,
    /// −3..=3 towards the other; 0 says nothing of it.
    pub liking: i8,
    /// 0.1..=1, at the moment that it happens.
    pub salience: f64,
    /// 1..=10.
    pub importance: u8,
}

/// What counts where no row of a kind applies.
pub const NEUTRAL: Row = Row {
    name: "neutral",
    reason: "talk, trade, doors, rooms, meetings: worth keeping for a while, and nothing more",
    valence: 0,
    liking: 0,
    applies: |_| true,
};

/// The row that counts. What was only seen is halved afterwards (`halved`), so a row need not ask for the role unless
/// the roles differ.
pub fn row(h: &Happening) -> &'static Row {
    let rows = Deed::of(&h.what).kind().worth;
    rows.iter().find(|row| (row.applies)(h)).unwrap_or(&NEUTRAL)
}

/// What was only seen touches less: 3 → 2, 2 → 1, 1 → 0, with its sign.
pub const fn halved(valence: i8) -> i8 {
    match valence {
        3 => 2,
        2 => 1,
        -2 => -1,
        -3 => -2,
        _ => 0,
    }
}

/// What a record is worth by the table, whatever was recorded with it.
pub fn appraise(h: &Happening) -> Appraisal {
    let row = row(h);
    let part = |value: i8| if h.role == Role::Saw { halved(value) } else { value };
    with_valence(h, part(row.valence), part(row.liking))
}

/// The same with another valence and liking: the recorded ones, or none at all.
pub fn with_valence(h: &Happening, valence: i8, liking: i8) -> Appraisal {
    let valence = valence.clamp(-VALENCE_MAX, VALENCE_MAX);
    let novel = is_novel(h);
    Appraisal {
        valence,
        liking,
        salience: salience(valence, is_social(h), novel),
        importance: importance(valence, novel).max(least_importance(&h.what)),
    }
}

/// Whether a person stood at the other end of it: another player, or it lies between people anyway.
fn is_social(h: &Happening) -> bool {
    Deed::of(&h.what).is_social() || h.others().any(|who| who.kind == WhoKind::Player)
}

/// First meetings and rooms seen first are new by their nature.
pub fn is_novel(h: &Happening) -> bool {
    h.novel || matches!(h.what, What::Met { .. } | What::RoomSeen { .. })
}

/// 0.1..=1. Source: agent-mind §1 row 24.
pub fn salience(valence: i8, social: bool, novel: bool) -> f64 {
    let tenths = f64::from(valence.unsigned_abs()) / 10.0;
    let social = if social { 0.15 } else { 0.0 };
    let novel = if novel { 0.1 } else { 0.0 };
    (0.5 + tenths + social + novel).clamp(0.1, 1.0)
}

/// 1..=10. Source: agent-mind §2, "Importance".
pub fn importance(valence: i8, novel: bool) -> u8 {
    let base = (1 + 3 * valence.unsigned_abs()).clamp(1, 10);
    (base + u8::from(novel)).min(10)
}

/// What is made by hand is worth keeping even where nobody is glad or sorry of it. Source: "Scene Modification" of the
/// document on several minds.
fn least_importance(what: &What) -> u8 {
    if matches!(what, What::Built { .. }) { 5 } else { 1 }
}

/// What kind of help a word of the published session log names.
pub fn help_named(word: &str) -> Help {
    match word {
        "heal_ally" => Help::Healed,
        "rescue" => Help::Rescued,
        "group" => Help::Grouped,
        "assist" | "defend" => Help::Defended,
        _ => Help::Cooperated,
    }
}

#[cfg(test)]
mod tests;
