//! Plans on a plot: steps in words, of which those that name a change are marked done by the change that fulfils them.

use crate::bounds::{REASON_MAX, Text};
use crate::deed::Deed;
use crate::kind::Kinds;
use crate::order::Request;
use crate::refusal::Refusal;
use crate::words::checked;
use serde::{Deserialize, Serialize};

/// Steps of a plan.
pub const STEPS_MAX: usize = 12;
/// Open plans of one hand.
pub const OPEN_MAX: usize = 10;
/// Plans that a plot keeps: those that have ended go first.
pub const PLANS_KEPT: usize = 40;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PlanStatus {
    InProgress,
    Done,
    Abandoned,
}

impl PlanStatus {
    pub fn word(self) -> &'static str {
        match self {
            PlanStatus::InProgress => "IN_PROGRESS",
            PlanStatus::Done => "DONE",
            PlanStatus::Abandoned => "ABANDONED",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Step {
    /// Whom it is meant for: `inner`, `outer`, `both` or a name; empty: anybody. Whoever does it, it is done.
    pub meant: Text,
    pub text: Text,
    /// The change that fulfils it, where the words name one.
    pub request: Option<Request>,
    pub done: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Plan {
    pub id: u32,
    pub by: Text,
    pub tick: u64,
    pub text: Text,
    pub status: PlanStatus,
    /// Whether something that was built did a step of it: nobody comes to anything by ticking off alone.
    pub built: bool,
    pub steps: Vec<Step>,
}

/// Whether a step that is meant for `meant` is another's than its maker's, or one mind's of several.
pub fn is_anothers(meant: &str, maker: &str) -> bool {
    !meant.is_empty() && !meant.eq_ignore_ascii_case(maker)
}

impl Plan {
    /// `<text>: <step>; <step>`. The text ends at the first colon.
    pub fn parse(typed: &str, kinds: &Kinds) -> Result<(Text, Vec<Step>), Refusal> {
        let (text, steps) = typed.split_once(':').ok_or(Refusal::HowToPlan)?;
        let text = checked(text, "plan", REASON_MAX)?;
        let steps: Vec<&str> = steps.split(';').map(str::trim).filter(|step| !step.is_empty()).collect();
        if steps.is_empty() {
            return Err(Refusal::HowToPlan);
        }
        if steps.len() > STEPS_MAX {
            return Err(Refusal::TooManySteps { max: STEPS_MAX, is: steps.len() });
        }
        let steps = steps.into_iter().map(|step| Step::parse(step, kinds)).collect::<Result<_, _>>()?;
        Ok((text, steps))
    }

    pub fn is_open(&self) -> bool {
        self.status == PlanStatus::InProgress
    }

    /// Whether an open step of it would be done by that.
    pub fn wants(&self, deed: &Deed) -> bool {
        let fulfils = |step: &Step| step.request.as_ref().is_some_and(|request| request.is_fulfilled_by(deed));
        self.is_open() && self.steps.iter().any(|step| !step.done && fulfils(step))
    }

    /// Marks the first open step that the deed fulfils; whether there was one.
    pub(crate) fn fulfil(&mut self, deed: &Deed) -> bool {
        if !self.is_open() {
            return false;
        }
        let fulfils = |step: &Step| step.request.as_ref().is_some_and(|request| request.is_fulfilled_by(deed));
        let Some(step) = self.steps.iter_mut().find(|step| !step.done && fulfils(step)) else { return false };
        step.done = true;
        self.built = true;
        self.end_if_done();
        true
    }

    pub(crate) fn end_if_done(&mut self) {
        if self.steps.iter().all(|step| step.done) {
            self.status = PlanStatus::Done;
        }
    }
}

impl Step {
    fn parse(typed: &str, kinds: &Kinds) -> Result<Step, Refusal> {
        let typed = checked(typed, "step", REASON_MAX)?;
        let meant = typed.split_once(':').map(|(meant, rest)| (meant.trim(), rest.trim()));
        let (meant, text) = match meant {
            Some((meant, rest)) if is_name(meant) && !rest.is_empty() => (meant, rest),
            _ => ("", &*typed),
        };
        // "add 2 more markets" is a step in words.
        let request = Request::parse(text, kinds).ok();
        let lower = meant.to_ascii_lowercase();
        let meant = if ["inner", "outer", "both"].contains(&&*lower) { &*lower } else { meant };
        Ok(Step { meant: meant.into(), text: text.into(), request, done: false })
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(char::is_alphanumeric) && word.chars().all(|c| c.is_alphanumeric() || "_-".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::{cell, kinds};

    #[test]
    fn steps_say_whom_they_are_meant_for_and_what_fulfils_them() {
        let typed = "Village plan: INNER: add well 4,4; Bob: move 4,4 to 5,5; both: agree on the boundary; \
                     Ada_II-b: rest; -: rest; so be it: rest";
        let (text, steps) = Plan::parse(typed, &kinds()).expect("a plan");
        assert_eq!(&*text, "Village plan");
        let meant: Vec<&str> = steps.iter().map(|step| &*step.meant).collect();
        assert_eq!(meant, ["inner", "Bob", "both", "Ada_II-b", "", ""]);
        let words: Vec<&str> = steps[3..].iter().map(|step| &*step.text).collect();
        assert_eq!(words, ["rest", "-: rest", "so be it: rest"]);
        let well = Request::Add { kind: "well".into(), at: cell(4, 4), label: "".into() };
        assert_eq!(steps[0].request, Some(well));
        assert_eq!(steps[1].request, Some(Request::Move { from: cell(4, 4), to: cell(5, 5) }));
        assert_eq!(steps[2].request, None);
    }

    #[test]
    fn a_plan_has_a_text_and_one_to_twelve_steps() {
        let kinds = kinds();
        assert_eq!(Plan::parse("no steps", &kinds), Err(Refusal::HowToPlan));
        assert_eq!(Plan::parse("no steps: ;", &kinds), Err(Refusal::HowToPlan));
        let steps = |n: usize| format!("many: {}", vec!["rest"; n].join("; "));
        assert!(Plan::parse(&steps(12), &kinds).is_ok());
        assert_eq!(Plan::parse(&steps(13), &kinds), Err(Refusal::TooManySteps { max: 12, is: 13 }));
    }
}
