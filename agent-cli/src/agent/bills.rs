//! What questions to the model took, until the server is told of it.
//!
//! A command tells what its own decision took; what no command came of (an answer that failed, came too late or did
//! nothing, words for the story of a fold) is told with the next command of anybody. Invariant: what a question took is
//! told once, and again only where the server is known to have dropped the command that told it.

use super::origin::Origin;
use crate::ledger::Usage;
use crate::record::Source;
use serde_json::{Value, json};

/// Of one or several questions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Bill {
    pub calls: u64,
    /// Of those, the ones whose price is known.
    pub priced: u64,
    pub usage: Usage,
    /// Of those whose price is known.
    pub cost_micros: u64,
}

impl Bill {
    /// Of what a decision asked: `calls`, one for each mind of a council that spoke. One that nobody answered and that
    /// took nothing is none.
    pub fn of(calls: u32, usage: Usage, cost_micros: Option<u64>) -> Bill {
        if usage == Usage::default() {
            return Bill::default();
        }
        let calls = u64::from(calls.max(1));
        let priced = if cost_micros.is_some() { calls } else { 0 };
        Bill { calls, priced, usage, cost_micros: cost_micros.unwrap_or(0) }
    }

    fn is_empty(&self) -> bool {
        self.calls == 0
    }

    fn add(&mut self, more: Bill) {
        self.calls += more.calls;
        self.priced += more.priced;
        self.usage.add(more.usage);
        self.cost_micros += more.cost_micros;
    }

    fn tokens(&self) -> Value {
        json!({"prompt": self.usage.prompt, "cached": self.usage.cached, "output": self.usage.completion})
    }

    fn cost(&self) -> f64 {
        self.cost_micros as f64 / 1e6
    }
}

#[derive(Clone, Debug, Default)]
pub(super) struct Bills {
    /// Of the newest decision of the model, of which a command is to come.
    own: Option<(u64, Bill)>,
    /// Of all others.
    rest: Bill,
}

impl Bills {
    /// The model decided.
    pub fn decided(&mut self, decision: u64, bill: Bill) {
        self.settle(|_| false);
        self.own = Some((decision, bill));
    }

    /// A question was no decision.
    pub fn asked(&mut self, bill: Bill) {
        self.rest.add(bill);
    }

    /// Whether a command is to come of the newest decision still.
    pub fn settle(&mut self, goes_on: impl Fn(u64) -> bool) {
        if let Some((_, bill)) = self.own.take_if(|(decision, _)| !goes_on(*decision)) {
            self.rest.add(bill);
        }
    }

    /// Puts into the notes of a command what is to be told with it. What that was.
    pub fn tell(&mut self, origin: &Origin, meta: &mut Value) -> Bill {
        let is_own = |(decision, _): &mut (u64, Bill)| origin.source == Source::Model && *decision == origin.decision;
        let mut told = Bill::default();
        if let Some((_, bill)) = self.own.take_if(is_own) {
            meta["tokens"] = bill.tokens();
            meta["latency_ms"] = origin.latency_ms.into();
            if bill.calls > 1 {
                meta["calls"] = bill.calls.into();
            }
            if bill.priced == bill.calls {
                meta["cost"] = bill.cost().into();
            }
            told.add(bill);
        }
        told.add(self.tell_rest(meta));
        told
    }

    /// The same for the last command of all.
    pub fn tell_last(&mut self, meta: &mut Value) {
        self.settle(|_| false);
        self.tell_rest(meta);
    }

    fn tell_rest(&mut self, meta: &mut Value) -> Bill {
        let rest = std::mem::take(&mut self.rest);
        if !rest.is_empty() {
            let Bill { calls, priced, .. } = rest;
            meta["thoughts"] = json!({
                "calls": calls, "priced": priced, "tokens": rest.tokens(), "cost": rest.cost(),
            });
        }
        rest
    }

    /// The server dropped the command that told it.
    pub fn put_back(&mut self, told: Bill) {
        self.rest.add(told);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bill(prompt: u64, cost_micros: Option<u64>) -> Bill {
        Bill::of(1, Usage { prompt, completion: 1, ..Usage::default() }, cost_micros)
    }

    fn of_model(decision: u64) -> Origin {
        Origin { decision, source: Source::Model, latency_ms: 9, ..Origin::default() }
    }

    #[test]
    fn every_question_is_told_once_with_its_own_command_or_the_next() {
        let mut bills = Bills::default();
        bills.decided(3, bill(100, None));
        bills.settle(|decision| decision == 3);
        let mut meta = json!({});
        // A reflex comes first; the decision's own command is still to come.
        bills.tell(&Origin { decision: 4, source: Source::Reflex, ..Origin::default() }, &mut meta);
        assert_eq!(meta, json!({}));
        let told = bills.tell(&of_model(3), &mut meta);
        let tokens = |prompt: u64, output: u64| json!({"prompt": prompt, "cached": 0, "output": output});
        assert_eq!(meta, json!({"tokens": tokens(100, 1), "latency_ms": 9}), "a price that is not known is not 0");

        // The command was dropped; meanwhile one decision came to nothing, and a story was told.
        bills.put_back(told);
        bills.decided(5, bill(10, Some(7)));
        bills.settle(|_| false);
        bills.asked(bill(20, Some(0)));
        bills.decided(6, bill(1, Some(2)));
        let mut meta = json!({});
        bills.tell(&of_model(6), &mut meta);
        let rest = json!({"calls": 3, "priced": 2, "tokens": tokens(130, 3), "cost": 7e-6});
        assert_eq!(meta, json!({"tokens": tokens(1, 1), "cost": 2e-6, "latency_ms": 9, "thoughts": rest}));

        // Nothing is left, and a question that took nothing is none.
        bills.decided(7, Bill::of(1, Usage::default(), Some(0)));
        let mut meta = json!({});
        bills.tell_last(&mut meta);
        assert_eq!(meta, json!({}));
        bills.decided(8, bill(5, None));
        bills.tell_last(&mut meta);
        assert_eq!(meta, json!({"thoughts": {"calls": 1, "priced": 0, "tokens": tokens(5, 1), "cost": 0.0}}));
    }

    #[test]
    fn a_council_tells_how_many_calls_it_took() {
        let mut bills = Bills::default();
        bills.decided(9, Bill::of(3, Usage { prompt: 90, completion: 3, ..Usage::default() }, Some(6)));
        let mut meta = json!({});
        bills.tell(&of_model(9), &mut meta);
        let tokens = json!({"prompt": 90, "cached": 0, "output": 3});
        assert_eq!(meta, json!({"tokens": tokens, "cost": 6e-6, "latency_ms": 9, "calls": 3}));
    }
}
