//! How many tokens each part of a prompt may have, of the tier's budget.
//!
//! What stands before the transcript (rules, self, workspace, core memory, members of channels) takes at most
//! `Tier::head_percent` of a prompt: the transcript and the present have the rest whenever they need it. Where that is
//! too little for all, core memory yields first, by weight, then the workspace. Each part has its cap besides.
//!
//! Invariant: no grant is above what was wanted, and none falls when the budget grows.

use crate::pressure::Density;
use crate::texts::Extent;
use serde::{Deserialize, Serialize};
use std::str::FromStr;

/// How large the prompts of an agent may be.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tier {
    Small,
    #[default]
    Medium,
    Large,
    /// As much as the model takes.
    Unlimited,
}

impl Tier {
    pub const ALL: [Tier; 4] = [Tier::Small, Tier::Medium, Tier::Large, Tier::Unlimited];

    pub const fn name(self) -> &'static str {
        match self {
            Tier::Small => "small",
            Tier::Medium => "medium",
            Tier::Large => "large",
            Tier::Unlimited => "unlimited",
        }
    }

    /// Tokens of a whole prompt. `model_limit` counts for `Unlimited` only; a model that takes less than the small tier
    /// cannot be played with, so the small tier is the least.
    pub fn budget(self, model_limit: usize) -> usize {
        const SMALL: usize = 4_000;
        match self {
            Tier::Small => SMALL,
            Tier::Medium => 10_000,
            Tier::Large => 32_000,
            Tier::Unlimited => model_limit.max(SMALL),
        }
    }

    /// How closely P4 is packed at least. No cache holds P4: in a small prompt a full one would cost most of it.
    pub const fn packed(self) -> Density {
        match self {
            Tier::Small => Density::Compact,
            Tier::Medium | Tier::Large | Tier::Unlimited => Density::Full,
        }
    }

    /// What P0, P1 and P2 take at most, percent of a prompt. The rules alone are a third of a small one.
    pub const fn head_percent(self) -> usize {
        match self {
            Tier::Small => 60,
            Tier::Medium | Tier::Large | Tier::Unlimited => 50,
        }
    }

    /// Tokens that a fold may tell what it drops in.
    pub const fn story_max(self) -> usize {
        match self {
            Tier::Small => 100,
            Tier::Medium => 300,
            Tier::Large | Tier::Unlimited => 600,
        }
    }

    /// Whether P3 tells what changes seldom, each time that it changes, instead of P4 at each call
    /// (`prompt::already_shown`). A larger prompt has room to keep all of the present in one place.
    pub const fn tells_once(self) -> bool {
        matches!(self, Tier::Small | Tier::Medium)
    }

    /// Whether that holds for places too. Those of a walk would fill a small transcript.
    pub const fn tells_places(self) -> bool {
        matches!(self, Tier::Medium)
    }

    /// Tokens that the transcript takes at most before it is folded; `None`: as many as the budget leaves. What a
    /// medium prompt has room for beyond that costs more than it is worth: nearly all of it was long ago.
    pub const fn transcript_max(self) -> Option<usize> {
        match self {
            Tier::Medium => Some(3_300),
            Tier::Small | Tier::Large | Tier::Unlimited => None,
        }
    }

    /// How much of our texts that stand inside of others it has room for.
    pub const fn extent(self) -> Extent {
        match self {
            Tier::Small => Extent::First,
            Tier::Medium | Tier::Large | Tier::Unlimited => Extent::All,
        }
    }

    /// The caps of the fixed parts. Source: agent-mind §5, but for the self: what a character sheet, a story and the
    /// memories of the tier take together, since a cap below that cut warnings while most of the budget was free; and
    /// but for the recent actions of a medium prompt: what a fold took of them is told in few lines. The map is ours.
    pub const fn caps(self) -> Caps {
        match self {
            Tier::Small => Caps {
                rules: 1_450,
                self_: 500,
                workspace: 250,
                recent: 60,
                live: 400,
                map: 70,
                retrieval: 90,
                roster: 120,
                table: 120,
                sections: 120,
                arts: 120,
            },
            Tier::Medium => Caps {
                rules: 2_100,
                self_: 1_700,
                workspace: 500,
                recent: 120,
                live: 400,
                map: 200,
                retrieval: 250,
                roster: 400,
                table: 360,
                sections: 320,
                arts: 520,
            },
            Tier::Large | Tier::Unlimited => Caps {
                rules: 2_100,
                self_: 2_400,
                workspace: 1_500,
                recent: 430,
                live: 800,
                map: 300,
                retrieval: 500,
                roster: 1_600,
                table: 1_000,
                sections: 800,
                arts: 800,
            },
        }
    }
}

impl FromStr for Tier {
    type Err = String;

    fn from_str(name: &str) -> Result<Tier, String> {
        Tier::ALL
            .into_iter()
            .find(|tier| tier.name().eq_ignore_ascii_case(name.trim()))
            .ok_or_else(|| format!("\"{name}\" is no tier; the tiers are small, medium, large and unlimited"))
    }
}

/// The most that each fixed part gets, in tokens.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Caps {
    pub rules: usize,
    pub self_: usize,
    pub workspace: usize,
    pub recent: usize,
    pub live: usize,
    pub map: usize,
    pub retrieval: usize,
    /// Channels and their members; the table of how each stands now.
    pub roster: usize,
    pub table: usize,
    /// Sections that are data: of P2, and of P4.
    pub sections: usize,
    /// The table of what one can do, in P1 beside the self.
    pub arts: usize,
}

/// Tokens that what stands before the transcript has, or wants to have.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Wants {
    /// P0 and P1, as they are.
    pub rules: usize,
    pub self_: usize,
    /// Of channels; 0 where there are none.
    pub roster: usize,
    pub workspace: usize,
    /// Core memory.
    pub knowledge: usize,
}

/// What is granted of that.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Grants {
    pub workspace: usize,
    pub knowledge: usize,
    /// What others say and the world tells may take of P3.
    pub messages: usize,
}

/// Tokens that P0, P1 and P2 have together in a prompt of so many.
pub fn head(tier: Tier, room: usize) -> usize {
    room * tier.head_percent() / 100
}

/// What P2 and the messages of P3 get of a prompt of `room` tokens.
pub fn share_out(tier: Tier, room: usize, wants: &Wants) -> Grants {
    let caps = tier.caps();
    let fixed = wants.rules + wants.self_ + wants.roster;
    let left = head(tier, room).saturating_sub(fixed);
    let workspace = wants.workspace.min(caps.workspace).min(left);
    let knowledge = wants.knowledge.min(left - workspace);
    let table = if wants.roster > 0 { caps.table } else { 0 };
    let present = caps.live + caps.map + caps.recent + caps.retrieval + table;
    let free = room.saturating_sub(fixed + workspace + knowledge + present);
    // A tenth is left for one's own actions with what came of them.
    Grants { workspace, knowledge, messages: free - free / 10 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn wants() -> impl Strategy<Value = Wants> {
        let one = 0..20_000_usize;
        (one.clone(), one.clone(), one.clone(), one.clone(), one).prop_map(
            |(rules, self_, roster, workspace, knowledge)| Wants { rules, self_, roster, workspace, knowledge },
        )
    }

    fn tier() -> impl Strategy<Value = Tier> {
        prop::sample::select(Tier::ALL.to_vec())
    }

    proptest! {
        #[test]
        fn what_is_before_the_transcript_keeps_to_its_half(tier in tier(), room in 0..40_000_usize, wants in wants()) {
            let grants = share_out(tier, room, &wants);
            prop_assert!(grants.workspace <= wants.workspace.min(tier.caps().workspace));
            prop_assert!(grants.knowledge <= wants.knowledge);
            let given = wants.rules + wants.self_ + wants.roster;
            let granted = grants.workspace + grants.knowledge;
            prop_assert!(granted == 0 || given + granted <= head(tier, room));
            prop_assert!(grants.messages <= room);
        }

        #[test]
        fn no_grant_falls_when_the_budget_grows(
            tier in tier(), room in 0..40_000_usize, more in 0..5_000_usize, wants in wants(),
        ) {
            let (less, more) = (share_out(tier, room, &wants), share_out(tier, room + more, &wants));
            prop_assert!(less.workspace <= more.workspace && less.knowledge <= more.knowledge, "{less:?} {more:?}");
            prop_assert!(less.messages <= more.messages, "{less:?} {more:?}");
        }

        #[test]
        fn core_memory_yields_before_the_workspace(tier in tier(), room in 0..40_000_usize, wants in wants()) {
            let alone = share_out(tier, room, &Wants { knowledge: 0, ..wants });
            prop_assert_eq!(share_out(tier, room, &wants).workspace, alone.workspace);
        }
    }

    #[test]
    fn a_full_prompt_is_shared_out_as_designed() {
        let full = |tier: Tier| {
            let caps = tier.caps();
            let wants = Wants {
                rules: caps.rules,
                self_: caps.self_,
                roster: caps.roster,
                workspace: 100_000,
                knowledge: 100_000,
            };
            share_out(tier, tier.budget(0), &wants)
        };
        assert_eq!(full(Tier::Small), Grants { workspace: 250, knowledge: 80, messages: 774 });
        assert_eq!(full(Tier::Medium), Grants { workspace: 500, knowledge: 300, messages: 3_303 });
        let large = full(Tier::Large);
        assert_eq!((large.workspace, large.knowledge), (1_500, 16_000 - 2_100 - 2_400 - 1_600 - 1_500));
    }

    #[test]
    fn a_tier_is_read_by_its_name() {
        assert_eq!("Large".parse(), Ok(Tier::Large));
        assert!("huge".parse::<Tier>().is_err_and(|error| error.contains("unlimited")));
        assert_eq!(Tier::ALL.map(|tier| tier.budget(128_000)), [4_000, 10_000, 32_000, 128_000]);
        assert_eq!(Tier::Unlimited.budget(100), 4_000);
    }
}
