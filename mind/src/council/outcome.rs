//! What comes of all that was proposed.

use super::conflict::conflict;
use super::member::Member;
use super::proposal::Proposal;
use super::rules::{Overruled, danger_decides, rule};
use super::scene::Scene;
use crate::counsel::Conflict;
use serde::{Deserialize, Serialize};

/// By what a proposal came to be the body's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// Nobody wanted anything against it.
    Agreed,
    Observer,
    Rule,
}

impl By {
    pub fn word(self) -> &'static str {
        match self {
            By::Agreed => "agreed",
            By::Observer => "observer",
            By::Rule => "rule",
        }
    }
}

/// OBSERVER's answer: the word of its field `choose`, as it came, and what it would do itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Observed<'o> {
    pub choose: Option<&'o str>,
    pub own: &'o Proposal,
}

impl Observed<'_> {
    /// Whom it chose of those who proposed; itself where it wants its own, and has one. What was not proposed cannot be
    /// chosen, `none` chooses nobody, and neither does a word that means nothing.
    fn choice(&self, proposals: &[Proposal]) -> Option<Member> {
        let word = self.choose?.trim();
        if word.eq_ignore_ascii_case("own") {
            return (!self.own.is_empty()).then_some(Member::Observer);
        }
        let chosen = Member::named(word).filter(|member| member.acts())?;
        proposals.iter().any(|proposal| proposal.member == chosen).then_some(chosen)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Whose proposal is the body's; OBSERVER: its own.
    pub chosen: Member,
    pub by: By,
    /// The rule, where one decided.
    pub rule: Option<&'static str>,
    pub conflict: Option<Conflict>,
}

impl Outcome {
    /// Who proposed and was overruled in a conflict.
    pub fn overruled(&self, proposals: &[Proposal]) -> Vec<Member> {
        let lost = |proposal: &&Proposal| self.conflict.is_some() && proposal.member != self.chosen;
        proposals.iter().filter(lost).map(|proposal| proposal.member).collect()
    }
}

/// Whether OBSERVER has anything to say: those that act differ, and no danger decides it; or only one sits there with
/// it, so that there is nobody else to read what that one wants.
pub fn wants_observer(proposals: &[Proposal], speakers: usize, scene: &Scene) -> bool {
    match proposals {
        [one, other] => conflict(one, other, scene).is_some() && danger_decides(one, other, scene).is_none(),
        [_] => speakers == 1,
        _ => false,
    }
}

/// What is done, of the proposals of those that act, in the order in which they spoke. `None`: nobody proposed.
pub fn outcome(
    proposals: &[Proposal],
    observed: Option<Observed<'_>>,
    scene: &Scene,
    overruled: &Overruled,
) -> Option<Outcome> {
    let (one, other) = match proposals {
        [] => return None,
        [one] => {
            let own = observed.and_then(|observed| observed.choice(proposals)) == Some(Member::Observer);
            let (chosen, by) = if own { (Member::Observer, By::Observer) } else { (one.member, By::Agreed) };
            return Some(Outcome { chosen, by, rule: None, conflict: None });
        }
        [one, other, ..] => (one, other),
    };
    let found = conflict(one, other, scene);
    let decided = |chosen, by, rule| Some(Outcome { chosen, by, rule, conflict: found });
    if found.is_none() {
        return decided(one.member, By::Agreed, None);
    }
    if let Some(saved) = danger_decides(one, other, scene) {
        return decided(saved.member, By::Rule, Some("danger"));
    }
    if let Some(chosen) = observed.and_then(|observed| observed.choice(proposals)) {
        return decided(chosen, By::Observer, None);
    }
    let (chosen, by) = rule(one, other, scene, overruled);
    decided(chosen.member, By::Rule, Some(by))
}

#[cfg(test)]
mod tests {
    use super::super::examples::{proposal, scene};
    use super::*;
    use Member::{Inner, Observer, Outer};

    #[test]
    fn observer_s_word_counts_where_it_chooses_what_was_proposed() {
        let (scene, overruled) = (scene(), Overruled::default());
        let proposals = [proposal(Inner, "kill wolf"), proposal(Outer, "north")];
        for (choose, own, chosen, by) in [
            (Some("outer"), "", Outer, By::Observer),
            (Some(" Inner "), "", Inner, By::Observer),
            (Some("own"), "flee", Observer, By::Observer),
            (Some("own"), "", Inner, By::Rule),
            (Some("none"), "flee", Inner, By::Rule),
            (Some("observer"), "flee", Inner, By::Rule),
            (Some("both"), "", Inner, By::Rule),
            (None, "north", Inner, By::Rule),
        ] {
            let own = proposal(Observer, own);
            let observed = Some(Observed { choose, own: &own });
            let out = outcome(&proposals, observed, &scene, &overruled).expect("two proposals");
            assert_eq!((out.chosen, out.by, out.conflict), (chosen, by, Some(Conflict::Command)), "{choose:?}");
            assert_eq!(out.rule.is_some(), by == By::Rule);
        }
    }

    #[test]
    fn danger_comes_before_observer_and_needs_no_call_of_it() {
        let mut scene = scene();
        (scene.attacked, scene.hp_percent) = (true, 30);
        let proposals = [proposal(Inner, "kill wolf"), proposal(Outer, "flee")];
        assert!(!wants_observer(&proposals, 2, &scene));
        let own = proposal(Observer, "");
        let observed = Some(Observed { choose: Some("inner"), own: &own });
        let out = outcome(&proposals, observed, &scene, &Overruled::default()).expect("two proposals");
        assert_eq!((out.chosen, out.rule), (Outer, Some("danger")));
        assert_eq!(out.overruled(&proposals), [Inner]);
    }

    #[test]
    fn a_mind_that_failed_leaves_the_other_s_proposal() {
        let (scene, overruled) = (scene(), Overruled::default());
        assert_eq!(outcome(&[], None, &scene, &overruled), None);
        let alone = [proposal(Outer, "north")];
        let out = outcome(&alone, None, &scene, &overruled).expect("one proposal");
        assert_eq!((out.chosen, out.by, out.conflict), (Outer, By::Agreed, None));
        assert!(!wants_observer(&alone, 2, &scene), "nobody differs");
        assert!(wants_observer(&alone, 1, &scene), "with one seat empty, OBSERVER reads what the other wants");
        let own = proposal(Observer, "south");
        let choose = |word| outcome(&alone, Some(Observed { choose: Some(word), own: &own }), &scene, &overruled);
        assert_eq!(choose("own").map(|out| (out.chosen, out.by)), Some((Observer, By::Observer)));
        assert_eq!(choose("inner").map(|out| (out.chosen, out.by)), Some((Outer, By::Agreed)));
    }
}
