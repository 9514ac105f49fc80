//! How strongly something is remembered: one table of rows, each with its reason and an example that is its test.
//!
//! `valence` is how good or bad it was for the one who remembers, −3..=3. `liking` is another thing: what it says of
//! the other who was part of it. A slain dragon is a triumph and no friend; a gift is a joy and makes one.
//! The first row that applies counts. Levels and percents are half-open: every value falls in exactly one row.
//!
//! Source: the valence tables of the specification, with the boundaries of agent-mind §1 row 19 and the rows it lacks.

use protocol::happening::{Happening, Help, Role, Tone, What};
use protocol::outcome::WhoKind;
use serde::{Deserialize, Serialize};

pub const VALENCE_MAX: i8 = 3;
/// Percent of hit points below which help is a rescue from death.
pub const SAVED_BELOW_PERCENT: u8 = 15;

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

/// One row of the table.
pub struct Row {
    pub name: &'static str,
    pub reason: &'static str,
    pub valence: i8,
    pub liking: i8,
    pub applies: fn(&Happening) -> bool,
}

/// Levels of the victim above those of the killer, where both are known.
fn odds(h: &Happening) -> Option<i32> {
    let What::Killed { victim, killer: Some(killer), .. } = &h.what else { return None };
    (victim.level > 0 && killer.level > 0).then(|| i32::from(victim.level) - i32::from(killer.level))
}

fn killed(h: &Happening, range: std::ops::RangeInclusive<i32>) -> bool {
    h.role == Role::Did && odds(h).is_some_and(|odds| range.contains(&odds))
}

fn died_by(h: &Happening, kind: Option<WhoKind>) -> bool {
    matches!(&h.what, What::Killed { killer, .. }
        if h.role == Role::Suffered && killer.as_ref().map(|who| who.kind) == kind)
}

fn fled(h: &Happening, range: std::ops::RangeInclusive<u8>) -> bool {
    matches!(&h.what, What::Fled { hp_percent, .. } if h.role == Role::Did && range.contains(hp_percent))
}

fn wounded(h: &Happening, range: std::ops::RangeInclusive<u8>) -> bool {
    matches!(&h.what, What::Wounded { hp_percent, .. } if h.role == Role::Suffered && range.contains(hp_percent))
}

fn acquired(h: &Happening, range: std::ops::RangeInclusive<u8>) -> bool {
    matches!(&h.what, What::Acquired { item, .. } if h.role == Role::Did && range.contains(&item.level))
}

fn spoken(h: &Happening, wanted: Tone) -> bool {
    matches!(&h.what, What::Spoke { tone, .. } if *tone == wanted)
}

/// Reading order: fighting, wounds, things, people, growing, the rest. What was only seen is halved afterwards
/// (`halved`), so a row need not ask for the role unless the roles differ.
pub const ROWS: &[Row] = &[
    Row {
        name: "kill_trivial",
        reason: "ten levels or more below: barely worth remembering",
        valence: 0,
        liking: 0,
        applies: |h| killed(h, i32::MIN..=-10),
    },
    Row {
        name: "kill_easy",
        reason: "three to nine levels below: a solid fight",
        valence: 1,
        liking: 0,
        applies: |h| killed(h, -9..=-3),
    },
    Row {
        name: "kill_challenging",
        reason: "from two below to three above: a worthy opponent",
        valence: 2,
        liking: 0,
        applies: |h| killed(h, -2..=3),
    },
    Row {
        name: "kill_epic",
        reason: "four levels or more above: a triumph",
        valence: 3,
        liking: 0,
        applies: |h| killed(h, 4..=i32::MAX),
    },
    Row {
        name: "kill_unknown",
        reason: "a kill between levels that nobody wrote down: as an easy one",
        valence: 1,
        liking: 0,
        applies: |h| matches!(h.what, What::Killed { .. }) && h.role == Role::Did,
    },
    Row {
        name: "killed_by_mob",
        reason: "the own death, by a beast",
        valence: -2,
        liking: -2,
        applies: |h| died_by(h, Some(WhoKind::Mob)),
    },
    Row {
        name: "killed_by_player",
        reason: "the own death, by one of our kind",
        valence: -3,
        liking: -3,
        applies: |h| died_by(h, Some(WhoKind::Player)),
    },
    Row {
        name: "died",
        reason: "the own death, by hunger, poison or a fall: as bad as by a beast, and nobody to blame",
        valence: -2,
        liking: 0,
        applies: |h| died_by(h, None),
    },
    Row {
        name: "saw_a_player_die",
        reason: "one of our kind died before our eyes",
        valence: -2,
        liking: -1,
        applies: |h| {
            h.role == Role::Saw && matches!(&h.what, What::Killed { victim, .. } if victim.kind == WhoKind::Player)
        },
    },
    Row {
        name: "assist",
        reason: "a share in a kill",
        valence: 1,
        liking: 0,
        applies: |h| h.role == Role::Did && matches!(h.what, What::Assisted { .. }),
    },
    Row {
        name: "flee_unhurt",
        reason: "ran with 80 % or more: cowardly, something went wrong",
        valence: -3,
        liking: -1,
        applies: |h| fled(h, 80..=u8::MAX),
    },
    Row {
        name: "flee_early",
        reason: "ran with 40 % or more: embarrassing but understandable",
        valence: -2,
        liking: -1,
        applies: |h| fled(h, 40..=79),
    },
    Row {
        name: "flee_tactical",
        reason: "ran with 20 % or more: a tactical retreat",
        valence: -1,
        liking: -1,
        applies: |h| fled(h, 20..=39),
    },
    Row {
        name: "flee_survival",
        reason: "ran with less than 20 %: survival, not failure",
        valence: 0,
        liking: -1,
        applies: |h| fled(h, 0..=19),
    },
    Row {
        name: "near_death",
        reason: "5 % or less: traumatic",
        valence: -3,
        liking: -2,
        applies: |h| wounded(h, 0..=5),
    },
    Row {
        name: "badly_hurt",
        reason: "15 % or less: painful",
        valence: -2,
        liking: -1,
        applies: |h| wounded(h, 6..=15),
    },
    Row {
        name: "hurt",
        reason: "30 % or less: it begins to hurt",
        valence: -1,
        liking: -1,
        applies: |h| wounded(h, 16..=30),
    },
    Row {
        name: "acquire_legendary",
        reason: "level 80 and above: a major find",
        valence: 3,
        liking: 0,
        applies: |h| acquired(h, 80..=u8::MAX),
    },
    Row {
        name: "acquire_valuable",
        reason: "level 50 and above: a useful acquisition",
        valence: 2,
        liking: 0,
        applies: |h| acquired(h, 50..=79),
    },
    Row {
        name: "acquire_common",
        reason: "below level 50: everybody has one",
        valence: 0,
        liking: 0,
        applies: |h| acquired(h, 0..=49),
    },
    Row {
        name: "betrayal",
        reason: "struck by one who was trusted: nothing is worse",
        valence: -3,
        liking: -3,
        applies: |h| matches!(h.what, What::Betrayed { .. }),
    },
    Row {
        name: "stolen_from",
        reason: "robbed",
        valence: -2,
        liking: -2,
        applies: |h| h.role != Role::Did && matches!(h.what, What::Stolen { .. }),
    },
    Row {
        name: "received",
        reason: "a gift makes a bond",
        valence: 2,
        liking: 2,
        applies: |h| h.role == Role::Suffered && matches!(h.what, What::Given { .. }),
    },
    Row {
        name: "given",
        reason: "giving binds too, less",
        valence: 1,
        liking: 1,
        applies: |h| h.role == Role::Did && matches!(h.what, What::Given { .. }),
    },
    Row {
        name: "saved",
        reason: "helped below 15 %: a life is owed",
        valence: 3,
        liking: 3,
        applies: |h| {
            h.role == Role::Suffered
                && matches!(&h.what, What::Helped { hp_percent: Some(hp), .. } if *hp < SAVED_BELOW_PERCENT)
        },
    },
    Row {
        name: "help",
        reason: "healed, rescued, grouped, defended: an alliance",
        valence: 1,
        liking: 1,
        applies: |h| matches!(h.what, What::Helped { .. }),
    },
    Row {
        name: "threat_made",
        reason: "threatened somebody: no less bad a moment, and less said of the other than by hearing it",
        valence: -2,
        liking: -1,
        applies: |h| h.role == Role::Did && spoken(h, Tone::Threat),
    },
    Row {
        name: "insult_made",
        reason: "insulted somebody: the same",
        valence: -2,
        liking: -1,
        applies: |h| h.role == Role::Did && spoken(h, Tone::Insult),
    },
    Row { name: "threat", reason: "threatened", valence: -2, liking: -2, applies: |h| spoken(h, Tone::Threat) },
    Row { name: "insult", reason: "insulted", valence: -2, liking: -2, applies: |h| spoken(h, Tone::Insult) },
    Row { name: "kind_word", reason: "a kind word", valence: 1, liking: 1, applies: |h| spoken(h, Tone::Kind) },
    Row {
        name: "level_gained",
        reason: "grown",
        valence: 2,
        liking: 0,
        applies: |h| h.role == Role::Did && matches!(h.what, What::LevelGained { .. }),
    },
    Row {
        name: "neutral",
        reason: "talk, trade, doors, rooms, meetings: worth keeping for a while, and nothing more",
        valence: 0,
        liking: 0,
        applies: |_| true,
    },
];

/// The row of the table that counts.
pub fn row(h: &Happening) -> &'static Row {
    ROWS.iter().find(|row| (row.applies)(h)).expect("the last row applies to everything")
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
        salience: salience(valence, h.is_social(), novel),
        importance: importance(valence, novel),
    }
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
