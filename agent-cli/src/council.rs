//! One decision, from the prompt to a thought: by one mind, by several that read each other, or by one that is asked
//! several times.
//!
//! `Deliberation` says whom to ask next and with what prompt, takes what came of it, and gives one thought in the end.
//! Whoever drives it waits for models, in a process (`advisor`) or in a simulation. Invariants: pure; never more calls
//! than `Method::calls_max`; the parts of a prompt before P4 are the same bytes for all minds; what comes out keeps to
//! the limits of one answer: one line that spends a tick, or one order, and `FREE_MAX` that are free.

use crate::answer::{Answer, Thoughts};
use crate::record::{CouncilRow, CouncilTokens, Counsel, ProposalRow, VotesRow};
use crate::thought::{ModelError, Thought};
use mind::action::{FREE_MAX, is_free};
use mind::council::{
    Heard, Member, Method, Observed, Outcome, Overruled, Proposal, Scene, conflict, layer_of, majority, outcome,
    own_part, wants_observer, with_own_part,
};
use mind::hud::Format;
use mind::prompt::{AnswerForm, Prompt};
use mind::thought::Layer;
use std::time::Duration;

/// What a decision is to be made by.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Brief {
    pub method: Method,
    /// In which prompts are written, and answers.
    pub format: Format,
    pub answer: AnswerForm,
    pub scene: Scene,
    /// Who gave way of late.
    pub overruled: Overruled,
}

/// One question to a model.
#[derive(Clone, PartialEq, Debug)]
pub struct Call {
    /// Which mind is asked, where there are several.
    pub member: Option<Member>,
    /// Which call of the decision, from 0.
    pub number: usize,
    pub prompt: Box<Prompt>,
}

#[derive(Clone, Debug)]
struct Said {
    member: Option<Member>,
    thought: Thought,
    /// `None`: it failed, and proposes nothing.
    proposal: Option<Proposal>,
}

#[derive(Clone, Debug)]
pub struct Deliberation {
    brief: Brief,
    prompt: Box<Prompt>,
    /// Who proposes, in order.
    speakers: Vec<Member>,
    said: Vec<Said>,
}

impl Deliberation {
    pub fn new(brief: Brief, prompt: Box<Prompt>) -> Deliberation {
        let speakers = match brief.method {
            Method::Council(seats) => seats.speakers(brief.scene.plot.as_ref()),
            Method::Alone | Method::Votes(_) => Vec::new(),
        };
        Deliberation { brief, prompt, speakers, said: Vec::new() }
    }

    /// What all minds have in common of the prompt.
    pub fn prompt(&self) -> &Prompt {
        &self.prompt
    }

    /// Which minds may be asked, one for each call that may come.
    pub fn may_ask(&self) -> Vec<Option<Member>> {
        match self.brief.method {
            Method::Council(seats) => seats.members().map(Some).collect(),
            Method::Alone | Method::Votes(_) => vec![None; self.brief.method.calls_max()],
        }
    }

    /// Whom to ask now; `None`: all that there is to hear is heard.
    pub fn next(&self) -> Option<Call> {
        let spent = |said: &Said| matches!(said.thought.answer, Err(ModelError::Budget(_)));
        if self.said.iter().any(spent) {
            // Another mind would be refused as well.
            return None;
        }
        let number = self.said.len();
        match self.brief.method {
            Method::Alone | Method::Votes(_) => {
                let prompt = self.prompt.clone();
                (number < self.brief.method.calls_max()).then_some(Call { member: None, number, prompt })
            }
            Method::Council(seats) => {
                let proposals = self.proposals();
                let observes = number == self.speakers.len()
                    && seats.has(Member::Observer)
                    && wants_observer(&proposals, self.speakers.len(), &self.brief.scene);
                let member = self.speakers.get(number).copied().or(observes.then_some(Member::Observer))?;
                let prompt = Box::new(self.prompt_of(member, &proposals));
                Some(Call { member: Some(member), number, prompt })
            }
        }
    }

    fn prompt_of(&self, member: Member, proposals: &[Proposal]) -> Prompt {
        let Brief { format, answer, scene, .. } = &self.brief;
        let found = match proposals {
            [one, other] => conflict(one, other, scene),
            _ => None,
        };
        let layers = self.prompt.offer.layers;
        let heard = Heard { proposals, conflict: found, plot: scene.plot.as_ref(), layers };
        with_own_part(&self.prompt, member, &own_part(member, heard, *format, *answer))
    }

    /// What came of the call that `next` said.
    pub fn answered(&mut self, thought: Thought) {
        let member = match self.brief.method {
            Method::Alone | Method::Votes(_) => None,
            Method::Council(_) => Some(self.speakers.get(self.said.len()).copied().unwrap_or(Member::Observer)),
        };
        let proposal = thought.answer.as_ref().ok().map(|answer| self.proposal(member, answer));
        self.said.push(Said { member, thought, proposal });
    }

    fn proposal(&self, member: Option<Member>, answer: &Answer) -> Proposal {
        let lines = answer.speech.iter().chain(&answer.actions).cloned();
        let (free, ticks): (Vec<String>, Vec<String>) = lines.partition(|line| is_free(line, &self.prompt.offer));
        let order = answer.order.as_ref().map(ToString::to_string);
        let wanted: Vec<String> = ticks.into_iter().chain(order).collect();
        let tick = Some(wanted.join("; ")).filter(|tick| !tick.is_empty());
        let why = answer.commentary.clone().unwrap_or_default();
        Proposal { member: member.unwrap_or(Member::Inner), tick, free, why }
    }

    /// What those that act proposed so far, in the order in which they spoke.
    fn proposals(&self) -> Vec<Proposal> {
        let acting = self.said.iter().filter(|said| said.member.is_none_or(Member::acts));
        acting.filter_map(|said| said.proposal.clone()).collect()
    }

    /// What is done.
    pub fn end(self) -> Thought {
        match self.brief.method {
            Method::Alone => self.of_one(0),
            Method::Votes(_) => self.of_votes(),
            Method::Council(_) => self.of_council(),
        }
    }

    /// One of the thoughts, with what all of them took.
    fn of_one(mut self, chosen: usize) -> Thought {
        if self.said.is_empty() {
            return Thought::begun("");
        }
        let mut thought = self.said.remove(chosen).thought;
        for Said { thought: other, .. } in self.said {
            thought.used(other.usage, other.cost_micros);
            if other.cost_micros.is_none() {
                thought.cost_micros = None;
            }
            thought.latency = thought.latency.checked_add(other.latency).unwrap_or(Duration::MAX);
            thought.repairs += other.repairs;
            thought.requests += other.requests;
            thought.taped += other.taped;
            thought.taped_usage.add(other.taped_usage);
            thought.taped_cost_micros += other.taped_cost_micros;
            thought.seed_honoured |= other.seed_honoured;
        }
        thought
    }

    /// The failure to tell where nobody answered: that the budget is spent, else the first.
    fn failure(&self) -> usize {
        let spent = |said: &Said| matches!(said.thought.answer, Err(ModelError::Budget(_)));
        self.said.iter().position(spent).unwrap_or(0)
    }

    fn of_votes(self) -> Thought {
        let (votes, places): (Vec<Proposal>, Vec<usize>) =
            self.said.iter().enumerate().filter_map(|(n, said)| Some((said.proposal.clone()?, n))).unzip();
        let calls = u32::try_from(self.said.len()).unwrap_or(u32::MAX);
        let won = majority(&votes, &self.brief.scene);
        let row = VotesRow {
            cast: votes.iter().map(Proposal::action).collect(),
            chosen: won.map(|(at, _)| votes[at].action()),
            alike: won.map_or(0, |(_, count)| u32::try_from(count).unwrap_or(u32::MAX)),
            calls,
        };
        let chosen = won.map_or(self.failure(), |(at, _)| places[at]);
        let mut thought = self.of_one(chosen);
        thought.counsel = Counsel { votes: Some(row), ..Counsel::default() };
        thought
    }

    /// What each layer thought, of which one mind is: INNER is the character, OUTER the AI.
    fn thoughts(&self) -> Thoughts {
        let of = |layer: Layer| {
            let mind = self.said.iter().find(|said| said.member.and_then(layer_of) == Some(layer))?;
            mind.thought.answer.as_ref().ok()?.thoughts.of(layer).map(str::to_string)
        };
        Thoughts { ai: of(Layer::Ai), character: of(Layer::Character) }
    }

    fn of_council(self) -> Thought {
        let proposals = self.proposals();
        let thoughts = self.thoughts();
        let observer = self.said.iter().find(|said| said.member == Some(Member::Observer));
        let observed = observer.and_then(|said| {
            let answer = said.thought.answer.as_ref().ok()?;
            Some(Observed { choose: answer.choose.as_deref(), own: said.proposal.as_ref()? })
        });
        let decided = outcome(&proposals, observed, &self.brief.scene, &self.brief.overruled);
        let row = self.row(&proposals, decided);
        let chosen = decided.and_then(|out| self.said.iter().position(|said| said.member == Some(out.chosen)));
        let agreed = decided.filter(|out| out.conflict.is_none() && out.chosen.acts());
        let other = agreed.and_then(|out| {
            let is_other = |said: &&Said| said.member.is_some_and(|member| member.acts() && member != out.chosen);
            self.said.iter().find(is_other)?.thought.answer.as_ref().ok().cloned()
        });
        let offer = self.prompt.offer.clone();
        let at = chosen.unwrap_or(self.failure());
        let mut thought = self.of_one(at);
        if let (Ok(answer), Some(other)) = (&mut thought.answer, other) {
            join(answer, other, |line| is_free(line, &offer));
        }
        if let Ok(answer) = &mut thought.answer {
            // Whoever is chosen, both thought.
            answer.thoughts = thoughts;
        }
        thought.counsel = Counsel { council: Some(row), ..Counsel::default() };
        thought
    }

    fn row(&self, proposals: &[Proposal], decided: Option<Outcome>) -> CouncilRow {
        let tokens = |member: Member| {
            let said = self.said.iter().filter(|said| said.member == Some(member));
            said.map(|said| said.thought.usage.total()).sum()
        };
        let chosen = |out: Outcome| if out.chosen.acts() { out.chosen.word() } else { "own" }.to_string();
        // What OBSERVER did instead is a proposal too.
        let own = decided.filter(|out| !out.chosen.acts());
        let own = own.and_then(|_| self.said.iter().find(|said| said.member == Some(Member::Observer)));
        let own = own.and_then(|said| said.proposal.as_ref());
        let told = |proposal: &Proposal| ProposalRow {
            mind: proposal.member.word().to_string(),
            action: proposal.action(),
            why: proposal.why.clone(),
        };
        let observer = self.said.iter().find(|said| said.member == Some(Member::Observer));
        let observed = observer.and_then(|said| said.proposal.as_ref()).map(|proposal| proposal.why.clone());
        CouncilRow {
            proposals: proposals.iter().chain(own).map(told).collect(),
            chosen: decided.map(chosen),
            by: decided.map(|out| out.by),
            rule: decided.and_then(|out| out.rule).map(str::to_string),
            conflict: decided.and_then(|out| out.conflict),
            calls: u32::try_from(self.said.len()).unwrap_or(u32::MAX),
            tokens: CouncilTokens {
                inner: tokens(Member::Inner),
                outer: tokens(Member::Outer),
                observer: tokens(Member::Observer),
            },
            observed: observed.unwrap_or_default(),
        }
    }
}

/// Who agrees may add what goes beside it: words and notes, and what spends the tick where the first left it.
fn join(answer: &mut Answer, other: Answer, is_free: impl Fn(&str) -> bool) {
    let spends = |answer: &Answer| answer.order.is_some() || answer.actions.iter().any(|line| !is_free(line));
    let had_tick = spends(answer);
    let mut free = answer.speech.iter().chain(&answer.actions).filter(|line| is_free(line)).count();
    for line in other.speech {
        if free < FREE_MAX && !answer.speech.contains(&line) {
            answer.speech.push(line);
            free += 1;
        }
    }
    for line in other.actions {
        let fits = if is_free(&line) { free < FREE_MAX } else { !had_tick };
        if fits && !answer.actions.contains(&line) {
            free += usize::from(is_free(&line));
            answer.actions.push(line);
        }
    }
    // What is free goes first, as in any answer.
    answer.actions.sort_by_key(|line| !is_free(line));
    if !had_tick {
        answer.order = other.order;
    }
    answer.compact |= other.compact;
    answer.dropped.extend(other.dropped);
}

#[cfg(test)]
mod tests;
