//! Rooms that were seen, doors, and growing.

use super::kind::{Kind, Row, Tie, always, did_or_saw, found_by};
use protocol::happening::Role;

pub const ROOM_SEEN: Kind = Kind {
    brief: "{doer} came to {room} for the first time[, from {from}]",
    story: always("Saw {room} for the first time"),
    words: found_by("saw first place discovered"),
    tie: Tie::None,
    worth: &[],
};

pub const VISITED: Kind = Kind {
    brief: "{doer} came to {room}[ again, {number} times or more by now][, from {from}]",
    story: always("Came to {room}[ again, at least {times} by then]"),
    words: found_by("came visited place"),
    tie: Tie::None,
    worth: &[],
};

pub const LEVEL_GAINED: Kind = Kind {
    brief: "{doer} reached level {number} {place}",
    story: did_or_saw("Reached level {number}{place}", "Saw {doer} reach level {number}{place}"),
    words: found_by("reached level"),
    tie: Tie::None,
    worth: &[Row { name: "level_gained", reason: "grown", valence: 2, liking: 0, applies: |h| h.role == Role::Did }],
};

pub const LEARNED: Kind = Kind {
    brief: "{doer} learned more of an art {place}{words}",
    story: did_or_saw(
        "Learned an art better{often}{place}{words}",
        "Saw {doer} learn an art better{often}{place}{words}",
    ),
    words: found_by("learned taught practice art"),
    tie: Tie::None,
    worth: &[Row {
        name: "learned",
        reason: "better at something",
        valence: 1,
        liking: 0,
        applies: |h| h.role == Role::Did,
    }],
};

pub const DOOR_OPENED: Kind = Kind {
    brief: "[{doer} opened {door}|{door} opened]",
    story: did_or_saw(
        "Opened the door leading {direction}{often}{place}",
        "[Saw {doer} open the door leading {direction}|The door leading {direction} opened]{often}{place}",
    ),
    words: found_by("door opened"),
    tie: Tie::None,
    worth: &[],
};

pub const DOOR_CLOSED: Kind = Kind {
    brief: "[{doer} closed {door}|{door} closed]",
    story: did_or_saw(
        "Closed the door leading {direction}{often}{place}",
        "[Saw {doer} close the door leading {direction}|The door leading {direction} closed]{often}{place}",
    ),
    words: found_by("door closed"),
    tie: Tie::None,
    worth: &[],
};

pub const DOOR_LOCKED: Kind = Kind {
    brief: "[{doer} locked {door}|{door} was locked]",
    story: did_or_saw(
        "Locked the door leading {direction}{often}{place}",
        "[Saw {doer} lock the door leading {direction}|The door leading {direction} was locked]{often}{place}",
    ),
    words: found_by("door locked"),
    tie: Tie::None,
    worth: &[],
};

pub const DOOR_UNLOCKED: Kind = Kind {
    brief: "[{doer} unlocked {door}|{door} was unlocked]",
    story: did_or_saw(
        "Unlocked the door leading {direction}{often}{place}",
        "[Saw {doer} unlock the door leading {direction}|The door leading {direction} was unlocked]{often}{place}",
    ),
    words: found_by("door unlocked"),
    tie: Tie::None,
    worth: &[],
};
