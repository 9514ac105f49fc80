//! Betrayal and help, partings and meetings, and words.

use super::kind::{Kind, Row, Tie, always, did_or_saw, found_by};
use protocol::happening::{Role, What};

/// Percent of hit points below which help is a rescue from death.
pub const SAVED_BELOW_PERCENT: u8 = 15;

pub const BETRAYED: Kind = Kind {
    brief: "{doer} betrayed {sufferer} {place}",
    story: [
        "Betrayed {sufferer}{often}{place}",
        "Was betrayed by {doer}{often}{place}",
        "Saw {doer} betray {sufferer}{often}{place}",
    ],
    words: found_by("betrayed betrayal"),
    tie: Tie::Social,
    worth: &[Row {
        name: "betrayal",
        reason: "struck by one who was trusted: nothing is worse",
        valence: -3,
        liking: -3,
        applies: |_| true,
    }],
};

/// Help of any kind is worth the same.
const HELP: &[Row] = &[
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
        applies: |_| true,
    },
];

pub const HEALED: Kind = Kind {
    brief: "{doer} healed {sufferer}[ (at {number} % of health)] {place}",
    story: [
        "Healed {sufferer}{often}{place}",
        "Was healed by {doer}[ at {number} % of my health]{often}{place}",
        "Saw {doer} heal {sufferer}{often}{place}",
    ],
    words: found_by("healed helped"),
    tie: Tie::Help,
    worth: HELP,
};

pub const RESCUED: Kind = Kind {
    brief: "{doer} rescued {sufferer}[ (at {number} % of health)] {place}",
    story: [
        "Rescued {sufferer}{often}{place}",
        "Was rescued by {doer}[ at {number} % of my health]{often}{place}",
        "Saw {doer} rescue {sufferer}{often}{place}",
    ],
    words: found_by("rescued saved helped"),
    tie: Tie::Help,
    worth: HELP,
};

pub const GROUPED: Kind = Kind {
    brief: "{doer} joined forces with {sufferer} {place}",
    story: [
        "Joined forces with {sufferer}{often}{place}",
        "Joined forces with {doer}{often}{place}",
        "Saw {doer} join forces with {sufferer}{often}{place}",
    ],
    words: found_by("joined group together helped"),
    tie: Tie::Help,
    worth: HELP,
};

pub const DEFENDED: Kind = Kind {
    brief: "{doer} defended {sufferer}[ (at {number} % of health)] {place}",
    story: [
        "Defended {sufferer}{often}{place}",
        "Was defended by {doer}[ at {number} % of my health]{often}{place}",
        "Saw {doer} defend {sufferer}{often}{place}",
    ],
    words: found_by("defended helped"),
    tie: Tie::Help,
    worth: HELP,
};

pub const COOPERATED: Kind = Kind {
    brief: "{doer} worked together with {sufferer} {place}",
    story: [
        "Worked together with {sufferer}{often}{place}",
        "Worked together with {doer}{often}{place}",
        "Saw {doer} work together with {sufferer}{often}{place}",
    ],
    words: found_by("worked together helped"),
    tie: Tie::Help,
    worth: HELP,
};

pub const PARTED: Kind = Kind {
    brief: "{doer} parted from {sufferer} {place}",
    story: always("Parted from {other}{often}{place}"),
    words: found_by("parted group"),
    tie: Tie::Social,
    worth: &[],
};

pub const MET: Kind = Kind {
    brief: "{doer} first met {sufferer} {place}",
    story: always("Met {other}{often}{place}"),
    words: found_by("met meet first"),
    tie: Tie::None,
    worth: &[],
};

pub const SAID: Kind = Kind {
    brief: "{doer} said[ to {sufferer}] {place}{words}",
    story: [
        "Said[ to {sufferer}]{often}{place}{words}",
        "{doer} said[ to {sufferer}]{often}{place}{words}",
        "{doer} said[ to {sufferer}]{often}{place}{words}",
    ],
    words: found_by("said"),
    tie: Tie::Social,
    worth: &[],
};

pub const SAID_KINDLY: Kind = Kind {
    brief: "{doer} said kindly[ to {sufferer}] {place}{words}",
    story: [
        "Spoke kindly[ to {sufferer}]{often}{place}{words}",
        "{doer} spoke kindly[ to {sufferer}]{often}{place}{words}",
        "{doer} spoke kindly[ to {sufferer}]{often}{place}{words}",
    ],
    words: found_by("said kindly"),
    tie: Tie::Social,
    worth: &[Row { name: "kind_word", reason: "a kind word", valence: 1, liking: 1, applies: |_| true }],
};

pub const PRAISED: Kind = Kind {
    brief: "{doer} praised {sufferer} {place}{words}",
    story: [
        "Praised {sufferer}{often}{place}{words}",
        "Was praised by {doer}{often}{place}{words}",
        "Heard {doer} praise {sufferer}{often}{place}{words}",
    ],
    words: found_by("praised liked thumb"),
    tie: Tie::Social,
    worth: &[Row { name: "praise", reason: "praise for words", valence: 1, liking: 1, applies: |_| true }],
};

pub const ACCOMPLISHED: Kind = Kind {
    brief: "{doer} did what was asked[ by {sufferer}] {place}{words}",
    story: did_or_saw(
        "Did what was asked[ by {sufferer}]{often}{place}{words}",
        "Saw {doer} do what was asked{often}{place}{words}",
    ),
    words: found_by("did done task asked finished"),
    tie: Tie::None,
    worth: &[Row {
        name: "accomplished",
        reason: "something well done",
        valence: 1,
        liking: 0,
        applies: |h| h.role == Role::Did,
    }],
};

pub const SCORNED: Kind = Kind {
    brief: "{doer} scorned {sufferer} {place}{words}",
    story: [
        "Scorned {sufferer}{often}{place}{words}",
        "Was scorned by {doer}{often}{place}{words}",
        "Heard {doer} scorn {sufferer}{often}{place}{words}",
    ],
    words: found_by("scorned disliked thumb"),
    tie: Tie::Social,
    worth: &[Row { name: "scorn", reason: "scorn for words", valence: -1, liking: -1, applies: |_| true }],
};

pub const CHARMED: Kind = Kind {
    brief: "{doer} charmed {sufferer} {place}",
    story: [
        "Charmed {sufferer}{often}{place}",
        "Was charmed by {doer}{often}{place}",
        "Saw {doer} charm {sufferer}{often}{place}",
    ],
    words: found_by("charmed will master"),
    tie: Tie::Social,
    worth: &[Row {
        name: "charmed",
        reason: "a will that was taken",
        valence: -2,
        liking: -2,
        applies: |h| h.role != Role::Did,
    }],
};

pub const ARRESTED: Kind = Kind {
    brief: "{doer} arrested {sufferer} {place}",
    story: [
        "Arrested {sufferer}{often}{place}",
        "Was locked up by {doer}{often}{place}",
        "Saw {doer} arrest {sufferer}{often}{place}",
    ],
    words: found_by("arrested locked up jail"),
    tie: Tie::Social,
    worth: &[Row {
        name: "arrested",
        reason: "a freedom that was taken",
        valence: -2,
        liking: -1,
        applies: |h| h.role == Role::Suffered,
    }],
};

pub const INSULTED: Kind = Kind {
    brief: "{doer} [insulted {sufferer}|said insultingly] {place}{words}",
    story: [
        "Insulted {sufferer}{often}{place}{words}",
        "Was insulted by {doer}{often}{place}{words}",
        "Heard {doer} insult {sufferer}{often}{place}{words}",
    ],
    words: found_by("insulted said"),
    tie: Tie::Social,
    worth: &[
        Row {
            name: "insult_made",
            reason: "insulted somebody: no less bad a moment, and less said of the other than by hearing it",
            valence: -2,
            liking: -1,
            applies: |h| h.role == Role::Did,
        },
        Row { name: "insult", reason: "insulted", valence: -2, liking: -2, applies: |_| true },
    ],
};

pub const THREATENED: Kind = Kind {
    brief: "{doer} [threatened {sufferer}|said threateningly] {place}{words}",
    story: [
        "Threatened {sufferer}{often}{place}{words}",
        "Was threatened by {doer}{often}{place}{words}",
        "Heard {doer} threaten {sufferer}{often}{place}{words}",
    ],
    words: found_by("threatened said"),
    tie: Tie::Social,
    worth: &[
        Row {
            name: "threat_made",
            reason: "threatened somebody: the same as an insult made",
            valence: -2,
            liking: -1,
            applies: |h| h.role == Role::Did,
        },
        Row { name: "threat", reason: "threatened", valence: -2, liking: -2, applies: |_| true },
    ],
};
