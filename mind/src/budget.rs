//! How many tokens each part of a prompt may have: a hard allocation of the tier's budget.
//!
//! Fixed parts come first, each up to its cap; what remains is shared knowledge 30 : actions 10 : channels 60. A share
//! that is not used goes to the channels first, then to knowledge, then to actions.
//!
//! Invariant: the grants together are never above the budget, no grant is above what was wanted, and no grant falls
//! when the budget grows.

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
}

/// Tokens by part: what each wants, or what each is granted. Fixed parts in the order in which they are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Shares {
    pub rules: usize,
    pub live: usize,
    pub map: usize,
    pub self_: usize,
    pub workspace: usize,
    pub recent: usize,
    pub retrieval: usize,
    pub roster: usize,
    pub table: usize,
    /// Core memory.
    pub knowledge: usize,
    /// Own actions with what came of them.
    pub actions: usize,
    /// What others say and what the world tells.
    pub channels: usize,
}

impl Shares {
    pub fn total(&self) -> usize {
        self.rules
            + self.live
            + self.map
            + self.self_
            + self.workspace
            + self.recent
            + self.retrieval
            + self.roster
            + self.table
            + self.knowledge
            + self.actions
            + self.channels
    }
}

/// What each part gets of the tier's budget.
pub fn allocate(tier: Tier, model_limit: usize, wants: &Shares) -> Shares {
    share_out(tier.budget(model_limit), &tier.caps(), wants)
}

/// `allocate` for any budget and caps.
pub fn share_out(budget: usize, caps: &Caps, wants: &Shares) -> Shares {
    let mut left = budget;
    let mut fixed = |want: usize, cap: usize| {
        let grant = want.min(cap).min(left);
        left -= grant;
        grant
    };
    let mut grants = Shares {
        rules: fixed(wants.rules, caps.rules),
        live: fixed(wants.live, caps.live),
        map: fixed(wants.map, caps.map),
        self_: fixed(wants.self_, caps.self_),
        workspace: fixed(wants.workspace, caps.workspace),
        recent: fixed(wants.recent, caps.recent),
        retrieval: fixed(wants.retrieval, caps.retrieval),
        roster: fixed(wants.roster, caps.roster),
        table: fixed(wants.table, caps.table),
        ..Shares::default()
    };
    // Rounded so that each share, and both together, grow by at most one with each token of budget: else a larger
    // budget could mean a smaller grant.
    let actions = wants.actions.min(left / 10);
    let knowledge = wants.knowledge.min(left * 4 / 10 - left / 10);
    grants.channels = wants.channels.min(left - actions - knowledge);
    grants.knowledge = wants.knowledge.min(left - grants.channels - actions);
    grants.actions = wants.actions.min(left - grants.channels - grants.knowledge);
    grants
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NONE: Shares = Shares {
        rules: 0,
        live: 0,
        map: 0,
        self_: 0,
        workspace: 0,
        recent: 0,
        retrieval: 0,
        roster: 0,
        table: 0,
        knowledge: 0,
        actions: 0,
        channels: 0,
    };

    /// Each with its name, to compare two by part.
    fn parts(shares: &Shares) -> [(&'static str, usize); 12] {
        [
            ("rules", shares.rules),
            ("live", shares.live),
            ("map", shares.map),
            ("self", shares.self_),
            ("workspace", shares.workspace),
            ("recent", shares.recent),
            ("retrieval", shares.retrieval),
            ("roster", shares.roster),
            ("table", shares.table),
            ("knowledge", shares.knowledge),
            ("actions", shares.actions),
            ("channels", shares.channels),
        ]
    }

    fn set(shares: &mut Shares, part: usize, tokens: usize) {
        let fields = [
            &mut shares.rules,
            &mut shares.live,
            &mut shares.map,
            &mut shares.self_,
            &mut shares.workspace,
            &mut shares.recent,
            &mut shares.retrieval,
            &mut shares.roster,
            &mut shares.table,
            &mut shares.knowledge,
            &mut shares.actions,
            &mut shares.channels,
        ];
        for (n, field) in fields.into_iter().enumerate() {
            if n == part {
                *field = tokens;
            }
        }
    }

    /// A want: often nothing, mostly about a share, sometimes far too much.
    fn want() -> impl Strategy<Value = usize> {
        prop_oneof![Just(0), 0..600_usize, 0..8_000_usize, Just(usize::MAX / 16)]
    }

    fn wants() -> impl Strategy<Value = Shares> {
        (want(), want(), want(), want(), want(), want(), want(), (want(), want()), want(), want(), want()).prop_map(
            |(rules, live, map, self_, workspace, recent, retrieval, (roster, table), knowledge, actions, channels)| {
                Shares {
                    rules,
                    live,
                    map,
                    self_,
                    workspace,
                    recent,
                    retrieval,
                    roster,
                    table,
                    knowledge,
                    actions,
                    channels,
                }
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn grants_stay_below_wants_and_budget_and_waste_nothing(
            tier in 0..4_usize, limit in 0..200_000_usize, wants in wants(),
        ) {
            let tier = Tier::ALL[tier];
            let budget = tier.budget(limit);
            let grants = allocate(tier, limit, &wants);
            prop_assert!(grants.total() <= budget);
            for ((name, grant), (_, want)) in parts(&grants).into_iter().zip(parts(&wants)) {
                prop_assert!(grant <= want, "{name}: {grant} of {want}");
            }
            // Whatever is left over, nobody wanted: of the shares, each has all that it wanted.
            if grants.total() < budget {
                prop_assert_eq!(
                    (grants.knowledge, grants.actions, grants.channels),
                    (wants.knowledge, wants.actions, wants.channels)
                );
            }
        }

        #[test]
        fn more_budget_takes_nothing_away(budget in 0..40_000_usize, more in 0..50_usize, wants in wants()) {
            let caps = Tier::Medium.caps();
            let (less, more) = (share_out(budget, &caps, &wants), share_out(budget + more, &caps, &wants));
            for ((name, less), (_, more)) in parts(&less).into_iter().zip(parts(&more)) {
                prop_assert!(less <= more, "{name} fell from {less} to {more}");
            }
        }

        #[test]
        fn who_wants_more_gets_no_less(
            budget in 0..40_000_usize, part in 0..12_usize, more in 0..5_000_usize, wants in wants(),
        ) {
            let caps = Tier::Medium.caps();
            let mut greedy = wants;
            let want = parts(&wants)[part].1;
            set(&mut greedy, part, want + more);
            let (before, after) = (share_out(budget, &caps, &wants), share_out(budget, &caps, &greedy));
            prop_assert!(parts(&before)[part].1 <= parts(&after)[part].1);
        }
    }

    #[test]
    fn a_full_medium_prompt_is_shared_out_as_designed() {
        const MUCH: usize = 100_000;
        let all = Shares {
            rules: MUCH,
            live: MUCH,
            map: MUCH,
            self_: MUCH,
            workspace: MUCH,
            recent: MUCH,
            retrieval: MUCH,
            roster: MUCH,
            table: MUCH,
            knowledge: MUCH,
            actions: MUCH,
            channels: MUCH,
        };
        let left = 10_000 - 2_100 - 1_700 - 500 - 120 - 400 - 200 - 250 - 400 - 360;
        let wanted = Shares {
            rules: 2_100,
            live: 400,
            map: 200,
            self_: 1_700,
            workspace: 500,
            recent: 120,
            retrieval: 250,
            roster: 400,
            table: 360,
            knowledge: left * 30 / 100,
            actions: left * 10 / 100,
            channels: left * 60 / 100,
        };
        assert_eq!(allocate(Tier::Medium, 0, &all), wanted);
    }

    #[test]
    fn what_nobody_uses_goes_to_the_channels_first() {
        let grant = |knowledge, actions, channels| {
            let grants = share_out(1_000, &Tier::Medium.caps(), &Shares { knowledge, actions, channels, ..NONE });
            (grants.knowledge, grants.actions, grants.channels)
        };
        assert_eq!(grant(5_000, 5_000, 5_000), (300, 100, 600));
        assert_eq!(grant(100, 100, 5_000), (100, 100, 800));
        assert_eq!(grant(5_000, 5_000, 100), (800, 100, 100), "then to knowledge");
        assert_eq!(grant(350, 5_000, 100), (350, 550, 100), "then to actions");
        assert_eq!(grant(0, 0, 5_000), (0, 0, 1_000));
    }

    #[test]
    fn a_tier_is_read_by_its_name() {
        assert_eq!("Large".parse(), Ok(Tier::Large));
        assert!("huge".parse::<Tier>().is_err_and(|error| error.contains("unlimited")));
        assert_eq!(Tier::ALL.map(|tier| tier.budget(128_000)), [4_000, 10_000, 32_000, 128_000]);
        assert_eq!(Tier::Unlimited.budget(100), 4_000);
    }
}
