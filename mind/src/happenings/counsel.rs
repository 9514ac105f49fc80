//! What came of the owner's own counsel: plans that ended, and choices between several minds of one body.
//!
//! Their entries in the log (`plan.end`, `conflict.outcome`) hold the record; of plans for a plot the world makes it.
//! The place of a plan is where its owner was when it ended: who plans need not be where it is done.

use super::kind::{Kind, Row, Tie, did_or_saw, found_by};

pub const PLAN_DONE: Kind = Kind {
    brief: "{doer} carried out a plan[ {place}]{words}",
    story: did_or_saw("Carried out a plan{often}{place}{words}", "Saw {doer} carry out a plan{often}{place}{words}"),
    words: found_by("plan planned carried done succeeded"),
    tie: Tie::Counsel,
    worth: &[Row { name: "plan_done", reason: "what was planned is done", valence: 1, liking: 0, applies: |_| true }],
};

pub const PLAN_DROPPED: Kind = Kind {
    brief: "{doer} gave up a plan[ {place}]{words}",
    story: did_or_saw("Gave up a plan{often}{place}{words}", "Saw {doer} give up a plan{often}{place}{words}"),
    words: found_by("plan planned gave dropped failed"),
    tie: Tie::Counsel,
    worth: &[Row {
        name: "plan_dropped",
        reason: "what was planned will not be",
        valence: -1,
        liking: 0,
        applies: |_| true,
    }],
};

const FOLLOWED: &str = "followed minds counsel differed";

pub const FOLLOWED_WELL: Kind = Kind {
    brief: "{doer} followed {mind}'s word[ about {sufferer}], and it went well {place}{words}",
    story: did_or_saw(
        "Followed {mind}'s word[ about {sufferer}]{often}, and it went well{place}{words}",
        "Saw {doer} follow {mind}'s word[ about {sufferer}]{often}, and it went well{place}{words}",
    ),
    words: found_by(FOLLOWED),
    tie: Tie::Counsel,
    worth: &[Row {
        name: "counsel_good",
        reason: "whatever it brought: that is a memory of its own, and was felt there",
        valence: 1,
        liking: 0,
        applies: |_| true,
    }],
};

pub const FOLLOWED_ILL: Kind = Kind {
    brief: "{doer} followed {mind}'s word[ about {sufferer}], and it went ill {place}{words}",
    story: did_or_saw(
        "Followed {mind}'s word[ about {sufferer}]{often}, and it went ill{place}{words}",
        "Saw {doer} follow {mind}'s word[ about {sufferer}]{often}, and it went ill{place}{words}",
    ),
    words: found_by(FOLLOWED),
    tie: Tie::Counsel,
    worth: &[Row {
        name: "counsel_bad",
        reason: "whatever it brought: that is a memory of its own, and was felt there",
        valence: -1,
        liking: 0,
        applies: |_| true,
    }],
};

pub const FOLLOWED_NOWHERE: Kind = Kind {
    brief: "{doer} followed {mind}'s word[ about {sufferer}], and nothing came of it \
            {place}{words}",
    story: did_or_saw(
        "Followed {mind}'s word[ about {sufferer}]{often}, and nothing came of it{place}{words}",
        "Saw {doer} follow {mind}'s word[ about {sufferer}]{often}, and nothing came of it{place}{words}",
    ),
    words: found_by(FOLLOWED),
    tie: Tie::Counsel,
    worth: &[],
};
