//! How many tokens each part of a prompt may have: a hard allocation of the tier's budget.
//!
//! Fixed parts come first, each up to its cap; what remains is shared knowledge 30 : actions 10 : channels 60. A share
//! that is not used goes to the channels first, then to knowledge, then to actions.
//!
//! Invariant: the grants together are never above the budget, no grant is above what was wanted, and no grant falls
//! when the budget grows.

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

    /// The caps of the fixed parts. Source: agent-mind §5; the large tiers hold more memories, so their self is larger.
    pub const fn caps(self) -> Caps {
        match self {
            Tier::Small => Caps { rules: 1_200, self_: 500, workspace: 250, recent: 220, live: 400, retrieval: 125 },
            Tier::Medium => Caps { rules: 1_600, self_: 900, workspace: 500, recent: 430, live: 400, retrieval: 250 },
            Tier::Large | Tier::Unlimited => {
                Caps { rules: 1_600, self_: 2_400, workspace: 1_500, recent: 430, live: 800, retrieval: 500 }
            }
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
    pub retrieval: usize,
}

/// Tokens by part: what each wants, or what each is granted. Fixed parts in the order in which they are served.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Shares {
    pub rules: usize,
    pub live: usize,
    pub self_: usize,
    pub workspace: usize,
    pub recent: usize,
    pub retrieval: usize,
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
            + self.self_
            + self.workspace
            + self.recent
            + self.retrieval
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
        self_: fixed(wants.self_, caps.self_),
        workspace: fixed(wants.workspace, caps.workspace),
        recent: fixed(wants.recent, caps.recent),
        retrieval: fixed(wants.retrieval, caps.retrieval),
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
