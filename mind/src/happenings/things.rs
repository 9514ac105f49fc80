//! What is found, left, used, given, stolen and traded.

use super::kind::{Kind, Row, Tie, did_or_saw, found_by};
use protocol::happening::{Happening, Role, What};
use std::ops::RangeInclusive;

pub const ACQUIRED: Kind = Kind {
    brief: "{doer} took {thing}[ from {from}] {place}",
    story: did_or_saw("Found {thing}{often}{place}", "Saw {doer} take {thing}{often}{place}"),
    words: found_by("found get"),
    tie: Tie::None,
    worth: &[
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
    ],
};

pub const DROPPED: Kind = Kind {
    brief: "{doer} let go of {thing} {place}",
    story: did_or_saw("Left {thing} behind{often}{place}", "Saw {doer} leave {thing} behind{often}{place}"),
    words: found_by("left drop behind"),
    tie: Tie::None,
    worth: &[],
};

pub const USED_UP: Kind = Kind {
    brief: "{doer} used up {thing} {place}",
    story: did_or_saw("Used up {thing}{often}{place}", "Saw {doer} use up {thing}{often}{place}"),
    words: found_by("used consumed"),
    tie: Tie::None,
    worth: &[],
};

pub const THROWN_AWAY: Kind = Kind {
    brief: "{doer} threw away {thing} {place}",
    story: did_or_saw("Threw away {thing}{often}{place}", "Saw {doer} throw away {thing}{often}{place}"),
    words: found_by("threw away junk"),
    tie: Tie::None,
    worth: &[],
};

pub const GIVEN: Kind = Kind {
    brief: "{doer} gave [{me} {thing}|{thing} to {sufferer}] {place}",
    story: [
        "Gave {thing} to {sufferer}{often}{place}",
        "Received {thing} from {doer}{often}{place}",
        "Saw {doer} give {thing} to {sufferer}{often}{place}",
    ],
    words: ["gave gift", "gave received gift"],
    tie: Tie::Social,
    worth: &[
        Row {
            name: "received",
            reason: "a gift makes a bond",
            valence: 2,
            liking: 2,
            applies: |h| h.role == Role::Suffered,
        },
        Row {
            name: "given",
            reason: "giving binds too, less",
            valence: 1,
            liking: 1,
            applies: |h| h.role == Role::Did,
        },
    ],
};

pub const STOLEN: Kind = Kind {
    brief: "{doer} stole {thing} from {sufferer} {place}",
    story: [
        "Stole {thing} from {sufferer}{often}{place}",
        "Was robbed of {thing} by {doer}{often}{place}",
        "Saw {doer} steal {thing} from {sufferer}{often}{place}",
    ],
    words: found_by("stole robbed thief"),
    tie: Tie::Social,
    worth: &[Row { name: "stolen_from", reason: "robbed", valence: -2, liking: -2, applies: |h| h.role != Role::Did }],
};

pub const CAUGHT: Kind = Kind {
    brief: "{sufferer} caught {doer} stealing {place}",
    story: [
        "Was caught stealing from {sufferer}{often}{place}",
        "Caught {doer} stealing{often}{place}",
        "Saw {doer} caught stealing from {sufferer}{often}{place}",
    ],
    words: found_by("caught stealing thief"),
    tie: Tie::Social,
    worth: &[
        Row {
            name: "caught_stealing",
            reason: "caught at it: a shame",
            valence: -1,
            liking: 0,
            applies: |h| h.role == Role::Did,
        },
        Row { name: "thief_caught", reason: "a thief", valence: -2, liking: -2, applies: |_| true },
    ],
};

pub const BOUGHT: Kind = Kind {
    brief: "{doer} bought {thing} from {sufferer} for {price} {place}",
    story: did_or_saw(
        "Bought {thing} from {sufferer} for {coins}{often}{place}",
        "Saw {doer} buy {thing} from {sufferer}{often}{place}",
    ),
    words: found_by("bought price shop"),
    tie: Tie::None,
    worth: &[],
};

pub const SOLD: Kind = Kind {
    brief: "{doer} sold {thing} to {sufferer} for {price} {place}",
    story: did_or_saw(
        "Sold {thing} to {sufferer} for {coins}{often}{place}",
        "Saw {doer} sell {thing} to {sufferer}{often}{place}",
    ),
    words: found_by("sold price shop"),
    tie: Tie::None,
    worth: &[],
};

fn acquired(h: &Happening, range: RangeInclusive<u8>) -> bool {
    matches!(&h.what, What::Acquired { item, .. } if h.role == Role::Did && range.contains(&item.level))
}

/// What was built can be pulled down, and whoever built it minds.
const TORN_DOWN: &[Row] = &[Row {
    name: "torn_down",
    reason: "what one built oneself is gone, by another's hand",
    valence: -1,
    liking: -1,
    applies: |h| h.role == Role::Suffered,
}];

pub const BUILT_ON_PLOT: Kind = Kind {
    brief: "{doer} built {thing} {place}{words}",
    story: did_or_saw("Built {thing}{often}{place}{words}", "Saw {doer} build {thing}{often}{place}{words}"),
    words: found_by("built plot build"),
    tie: Tie::None,
    worth: &[],
};

pub const MOVED_ON_PLOT: Kind = Kind {
    brief: "{doer} moved {thing}[, built by {sufferer},] {place}{words}",
    story: [
        "Moved {thing}[, built by {sufferer},]{often}{place}{words}",
        "Had {thing} moved by {doer}{often}{place}{words}",
        "Saw {doer} move {thing}[, built by {sufferer},]{often}{place}{words}",
    ],
    words: found_by("moved plot build"),
    tie: Tie::None,
    worth: &[],
};

pub const REMOVED_FROM_PLOT: Kind = Kind {
    brief: "{doer} removed {thing}[, built by {sufferer},] {place}{words}",
    story: [
        "Removed {thing}[, built by {sufferer},]{often}{place}{words}",
        "Had {thing} removed by {doer}{often}{place}{words}",
        "Saw {doer} remove {thing}[, built by {sufferer},]{often}{place}{words}",
    ],
    words: found_by("removed plot build"),
    tie: Tie::None,
    worth: TORN_DOWN,
};
