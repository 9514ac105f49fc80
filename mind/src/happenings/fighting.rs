//! Kills, flights and wounds.

use super::kind::{Kind, Row, Tie, did_or_saw, found_by};
use protocol::happening::{Happening, Role, What};
use protocol::outcome::WhoKind;
use std::ops::RangeInclusive;

pub const KILLED: Kind = Kind {
    brief: "[{doer} killed {sufferer}|{sufferer} died] {place}{experience}",
    story: [
        "Killed {sufferer}{often}{place}",
        "Died[, killed by {doer}]{often}{place}",
        "Saw {sufferer} die[, killed by {doer}]{often}{place}",
    ],
    words: ["killed fight won die", "died killed death fight diedmyself"],
    tie: Tie::Fight,
    worth: &[
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
            applies: |h| h.role == Role::Did,
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
    ],
};

pub const ASSISTED: Kind = Kind {
    brief: "{doer} [helped {third} to kill|had a share in killing] {sufferer} {place}",
    story: [
        "[Helped {third} to kill|Had a share in killing] {sufferer}{often}{place}",
        "Saw {doer} help[ {third}] to kill {sufferer}{often}{place}",
        "Saw {doer} help[ {third}] to kill {sufferer}{often}{place}",
    ],
    words: found_by("helped kill assisted fight"),
    tie: Tie::Fight,
    worth: &[Row {
        name: "assist",
        reason: "a share in a kill",
        valence: 1,
        liking: 0,
        applies: |h| h.role == Role::Did,
    }],
};

pub const FOUGHT: Kind = Kind {
    brief: "{doer} fought {sufferer} {place}",
    story: [
        "Fought {other}{often}{place}",
        "Fought {other}{often}{place}",
        "Saw {doer} fight {sufferer}{often}{place}",
    ],
    words: found_by("fought fight"),
    tie: Tie::Fight,
    worth: &[],
};

pub const FLED: Kind = Kind {
    brief: "{doer} fled[ from {sufferer}] {place} with {number} % of health left",
    story: did_or_saw(
        "Fled[ from {sufferer}] with {number} % of health{often}{place}",
        "Saw {doer} flee{often}{place}",
    ),
    words: found_by("fled flee escape fight"),
    tie: Tie::Fight,
    worth: &[
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
    ],
};

pub const WOUNDED: Kind = Kind {
    brief: "[{doer} brought {sufferer}|{sufferer} {was}] down to {number} % of health {place}",
    story: [
        "Saw {sufferer} badly hurt[ by {doer}]{often}{place}",
        "[Was brought down to {number} % of health by {doer}|Was down to {number} % of health]{often}{place}",
        "Saw {sufferer} badly hurt[ by {doer}]{often}{place}",
    ],
    words: found_by("hurt wound health fight"),
    tie: Tie::Fight,
    worth: &[
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
    ],
};

/// Levels of the victim above those of the killer, where both are known.
fn odds(h: &Happening) -> Option<i32> {
    let What::Killed { victim, killer: Some(killer), .. } = &h.what else { return None };
    (victim.level > 0 && killer.level > 0).then(|| i32::from(victim.level) - i32::from(killer.level))
}

fn killed(h: &Happening, range: RangeInclusive<i32>) -> bool {
    h.role == Role::Did && odds(h).is_some_and(|odds| range.contains(&odds))
}

fn died_by(h: &Happening, kind: Option<WhoKind>) -> bool {
    matches!(&h.what, What::Killed { killer, .. }
        if h.role == Role::Suffered && killer.as_ref().map(|who| who.kind) == kind)
}

fn fled(h: &Happening, range: RangeInclusive<u8>) -> bool {
    matches!(&h.what, What::Fled { hp_percent, .. } if h.role == Role::Did && range.contains(hp_percent))
}

fn wounded(h: &Happening, range: RangeInclusive<u8>) -> bool {
    matches!(&h.what, What::Wounded { hp_percent, .. } if h.role == Role::Suffered && range.contains(hp_percent))
}
