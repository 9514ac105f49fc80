//! Why something cannot be done on a plot: a sentence that says what is wrong and what to do.

use crate::article::standing;
use crate::bounds::Text;
use crate::cell::{Cell, NoCell};
use std::fmt;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Refusal {
    Cell(NoCell),
    Occupied {
        at: Cell,
        kind: Text,
    },
    Empty(Cell),
    SameCell(Cell),
    /// With the name that was likely meant.
    NoKind {
        word: String,
        nearest: Option<Text>,
    },
    /// Under the rule `own`; without a builder it is of the place itself.
    NotYours {
        at: Cell,
        by: Option<Text>,
    },
    HowToBuild,
    TooLong {
        what: &'static str,
        max: usize,
        is: usize,
    },
    /// Control and direction characters.
    Characters(&'static str),
    NothingSaid(&'static str),
    NoPending(u32),
    AskedAlready {
        id: u32,
    },
    TooManyAsked,
    /// By one hand.
    AskedTooMuch(usize),
    OwnRequest(u32),
    AgreedAlready(u32),
    RefusedAlready(u32),
    NoBuilder(u32),
    /// Consent was for something that stood there before.
    Replaced(Cell),
    NoEntry {
        n: u32,
        known: Option<(u32, u32)>,
    },
    NoPlan(u32),
    NotYourPlan {
        id: u32,
        by: Text,
    },
    PlanEnded(u32),
    NoStep {
        plan: u32,
        step: usize,
        steps: usize,
    },
    StepDone {
        plan: u32,
        step: usize,
    },
    TooManySteps {
        max: usize,
        is: usize,
    },
    TooManyPlans(usize),
    /// All places for plans are taken by open ones.
    NoPlaceForPlan(usize),
    HowToPlan,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Refusal::Cell(wrong) => wrong.fmt(f),
            Refusal::Occupied { at, kind } => write!(f, "{} at {at} already. Choose an empty cell.", standing(kind)),
            Refusal::Empty(at) => write!(f, "Nothing stands at {at}. What does is on: plot."),
            Refusal::SameCell(at) => write!(f, "It stands at {at} already. Name another cell to move it to."),
            Refusal::NoKind { word, nearest: Some(nearest) } => {
                write!(f, "Nobody knows how to build \"{word}\". Did you mean {nearest}? See plot kinds.")
            }
            Refusal::NoKind { word, nearest: None } => {
                write!(f, "Nobody knows how to build \"{word}\". See plot kinds for what can be built.")
            }
            Refusal::NotYours { at, by: Some(by) } => {
                write!(f, "What stands at {at} is {by}'s. Here one moves and removes only what one built oneself.")
            }
            Refusal::NotYours { at, by: None } => {
                write!(f, "What stands at {at} belongs to the place. Here one moves and removes only what one built.")
            }
            Refusal::HowToBuild => f.write_str(
                "Build how? build add <kind> <row,column> [called <label>] [because <why>], \
                 build move <row,column> to <row,column>, build remove <row,column>.",
            ),
            Refusal::TooLong { what, max, is } => {
                write!(f, "That {what} has {is} characters; at most {max} fit. Say it shorter.")
            }
            Refusal::Characters(what) => {
                write!(f, "That {what} has characters that cannot be seen or that turn the text round. Leave them out.")
            }
            Refusal::NothingSaid(what) => write!(f, "The {what} is missing: there are no words for it."),
            Refusal::NoPending(id) => write!(f, "Nothing waits for consent as #{id}. See plot for what does."),
            Refusal::AskedAlready { id } => write!(f, "That waits for consent already, as #{id}."),
            Refusal::TooManyAsked => {
                f.write_str("Too much waits for consent here. See plot, and agree to some of it or refuse it.")
            }
            Refusal::AskedTooMuch(max) => write!(
                f,
                "{max} of your own requests wait for consent here, as many as one may have. See plot, and take one back: \
                 plot refuse <id>."
            ),
            Refusal::OwnRequest(id) => write!(f, "#{id} is your own request: others have to agree to it."),
            Refusal::AgreedAlready(id) => write!(f, "You have agreed to #{id} already."),
            Refusal::RefusedAlready(id) => write!(f, "You have refused #{id} already."),
            Refusal::NoBuilder(id) => {
                write!(f, "Only those who built here have a say in #{id}. Build something first.")
            }
            Refusal::Replaced(at) => write!(f, "What stood at {at} is gone, and something else stands there."),
            Refusal::NoEntry { n, known: Some((first, last)) } => {
                write!(f, "There is no entry #{n}: the memo has #{first} to #{last}.")
            }
            Refusal::NoEntry { n, known: None } => write!(f, "There is no entry #{n}: the memo is empty."),
            Refusal::NoPlan(id) => write!(f, "There is no plan #{id} here. See plot for the plans."),
            Refusal::NotYourPlan { id, by } => write!(f, "Plan #{id} is {by}'s, who alone may end it or tick it off."),
            Refusal::PlanEnded(id) => write!(f, "Plan #{id} has ended. Make a new one."),
            Refusal::NoStep { plan, step, steps } => {
                write!(f, "Plan #{plan} has no step {step}: its steps are 1 to {steps}.")
            }
            Refusal::StepDone { plan, step } => write!(f, "Step {step} of plan #{plan} is done already."),
            Refusal::TooManySteps { max, is } => {
                write!(f, "That plan has {is} steps; at most {max} fit. Make two plans of it.")
            }
            Refusal::TooManyPlans(max) => {
                write!(f, "You have {max} open plans here, as many as one may. Drop one first: plot plan drop <id>.")
            }
            Refusal::NoPlaceForPlan(max) => {
                write!(
                    f,
                    "{max} plans are open here, as many as there is room for. One has to be done or dropped first."
                )
            }
            Refusal::HowToPlan => f.write_str(
                "Plan how? plot plan <text>: <step>; <step>, as in: plot plan A well and homes: add well 4,4; \
                 add house 3,4.",
            ),
        }
    }
}

impl From<NoCell> for Refusal {
    fn from(wrong: NoCell) -> Refusal {
        Refusal::Cell(wrong)
    }
}
