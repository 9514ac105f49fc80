//! Orders: what a model asks of its own body instead of a line of the game. To play on by policies for a while, to
//! wait, to walk somewhere by the map that the body knows.
//!
//! The words for them are here: policies that can be delegated to, and events that end an order. Which policy does what
//! is the client's; a test there says that each name here has its policy. Invariant: an order is bounded by
//! `TICKS_MAX`, so that a model is asked again whatever it ordered.

use protocol::words::counted;
use serde::{Deserialize, Serialize};
use std::fmt;

/// Ticks that an order lasts at most: five minutes where a tick takes two seconds.
pub const TICKS_MAX: u32 = 150;

/// What a body does by itself beside a model that answers. Reflexes and upkeep always work.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Autopilot {
    /// Nothing more: `delegate` is not offered.
    Off,
    /// What the model delegates, for as long as it says.
    #[default]
    Offered,
    /// Policies play on whenever nothing comes of an answer, and some of them always.
    Full,
}

impl Autopilot {
    pub const ALL: [Autopilot; 3] = [Autopilot::Off, Autopilot::Offered, Autopilot::Full];

    pub const fn name(self) -> &'static str {
        match self {
            Autopilot::Off => "off",
            Autopilot::Offered => "offered",
            Autopilot::Full => "full",
        }
    }
}

/// A policy that a model can delegate to.
#[derive(Debug)]
pub struct PolicyName {
    pub name: &'static str,
    /// Other words for it.
    pub also: &'static [&'static str],
    /// In a word or three for the model, where the name does not say it.
    pub does: &'static str,
}

impl PolicyName {
    /// The one that a word means.
    pub fn named(word: &str) -> Option<&'static PolicyName> {
        POLICIES.iter().find(|policy| policy.name == word || policy.also.contains(&word))
    }
}

const fn policy(name: &'static str, also: &'static [&'static str], does: &'static str) -> PolicyName {
    PolicyName { name, also, does }
}

/// In the order in which a model is told of them.
#[rustfmt::skip]
pub const POLICIES: &[PolicyName] = &[
    policy("hunt", &["fight", "kill"], ""),
    policy("loot", &[], ""),
    policy("explore", &["walk", "wander"], ""),
    policy("errands", &["tasks", "quests", "work"], ""),
    policy("shop", &["buy", "trade"], "buy"),
    policy("unload", &["sell"], "sell"),
    policy("rest", &["heal"], ""),
    policy("retreat", &["flee"], ""),
    policy("recovery", &["recover"], "fetch your corpse"),
    policy("group", &["company", "party", "assist"], "with others"),
];

/// What ends an order before its ticks are over.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Until {
    /// The next tick.
    Tick,
    /// A quarter of the most hit points was lost since the order.
    Hurt,
    /// It came upon somebody or something that it had not met before.
    Found,
    /// It came into a room where it had never been.
    Arrived,
    /// It gained a level.
    Level,
    SpokenTo,
    SomebodyEnters,
    /// Hit points, mana and moves are whole.
    Rested,
    Day,
    Night,
}

impl Until {
    pub const ALL: [Until; 10] = [
        Until::Tick,
        Until::Hurt,
        Until::Found,
        Until::Arrived,
        Until::Level,
        Until::SpokenTo,
        Until::SomebodyEnters,
        Until::Rested,
        Until::Day,
        Until::Night,
    ];

    pub const fn name(self) -> &'static str {
        match self {
            Until::Tick => "tick",
            Until::Hurt => "hurt",
            Until::Found => "found",
            Until::Arrived => "arrived",
            Until::Level => "level",
            Until::SpokenTo => "spoken_to",
            Until::SomebodyEnters => "somebody_enters",
            Until::Rested => "rested",
            Until::Day => "day",
            Until::Night => "night",
        }
    }

    pub fn named(name: &str) -> Option<Until> {
        Until::ALL.into_iter().find(|until| until.name() == name)
    }
}

/// What ends a delegation, and what ends waiting.
pub const DELEGATE_UNTIL: &[Until] = &[Until::Hurt, Until::Found, Until::Arrived, Until::Level, Until::Night];
pub const WAIT_UNTIL: &[Until] =
    &[Until::Tick, Until::Hurt, Until::SpokenTo, Until::SomebodyEnters, Until::Rested, Until::Day];

/// Where to walk to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Destination {
    /// The nearest way that was never taken.
    Unknown,
    /// A room by its vnum.
    Room(i32),
    /// A room or a person, in the model's words.
    Named(String),
}

impl Destination {
    pub fn of(words: &str) -> Destination {
        match words.trim_start_matches('#').parse() {
            Ok(vnum) => Destination::Room(vnum),
            Err(_) if words.eq_ignore_ascii_case("unknown") => Destination::Unknown,
            Err(_) => Destination::Named(words.to_string()),
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Order {
    /// To play on by these policies, names of `POLICIES`; none means all.
    Delegate {
        policies: Vec<&'static str>,
        ticks: u32,
        until: Vec<Until>,
    },
    /// To do nothing and not to be asked.
    Wait {
        until: Vec<Until>,
        ticks: u32,
    },
    Goto {
        to: Destination,
    },
}

impl Order {
    /// The type of its action.
    pub const fn kind(&self) -> &'static str {
        match self {
            Order::Delegate { .. } => "delegate",
            Order::Wait { .. } => "wait",
            Order::Goto { .. } => "goto",
        }
    }
}

/// As records and prompts say it: `delegate hunt loot, 40 ticks, until hurt`.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ends = |f: &mut fmt::Formatter<'_>, ticks: u32, until: &[Until]| {
            f.write_str(&counted(ticks, "tick"))?;
            let names: Vec<&str> = until.iter().map(|until| until.name()).collect();
            if names.is_empty() { Ok(()) } else { write!(f, ", until {}", names.join(" or ")) }
        };
        match self {
            Order::Delegate { policies, ticks, until } => {
                let names = if policies.is_empty() { "all".to_string() } else { policies.join(" ") };
                write!(f, "delegate {names}, ")?;
                ends(f, *ticks, until)
            }
            Order::Wait { until, ticks } => {
                write!(f, "wait ")?;
                ends(f, *ticks, until)
            }
            Order::Goto { to: Destination::Unknown } => write!(f, "goto unknown"),
            Order::Goto { to: Destination::Room(vnum) } => write!(f, "goto {vnum}"),
            Order::Goto { to: Destination::Named(name) } => write!(f, "goto {name}"),
        }
    }
}

/// The types of orders, with their fields and what they do.
pub(super) fn told(delegates: bool) -> String {
    let names = |all: &[Until]| all.iter().map(|until| until.name()).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    if delegates {
        let told = |policy: &PolicyName| match policy.does {
            "" => policy.name.to_string(),
            does => format!("{} ({does})", policy.name),
        };
        text.push_str(&format!(
            "- delegate: policies, ticks, until? Your body plays on by policies, \"all\" or a list of {}; for 1 to {TICKS_MAX} \
             ticks, until nothing is left to do, or until {}.\n",
            POLICIES.iter().map(told).collect::<Vec<_>>().join(", "),
            names(DELEGATE_UNTIL),
        ));
    }
    text.push_str(&format!(
        "- wait: until?, ticks? Nothing is done or asked until {}, or until you are attacked.\n- goto: to. Walks by your own \
         map to a room, a person or \"unknown\" (the nearest way not taken) until something happens.\n",
        names(WAIT_UNTIL),
    ));
    text.push_str("hurt: by a quarter of your hit points");
    text.push_str(if delegates {
        "; found: a being, or a thing got, of a new kind; arrived: where you never were."
    } else {
        "."
    });
    text.push_str(" Of these an answer holds one at most; it comes last.\n");
    text
}
