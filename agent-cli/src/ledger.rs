//! What thinking costs: tokens and money, by decision and in total, with hard limits.
//!
//! Money is kept in millionths of the currency that the prices are in, as whole numbers: a price of 1 per million
//! tokens is one millionth per token. Invariant: a call is made only when the most that it can cost is still within
//! the limits; that much is reserved until the call is over. A call that is over with an unknown use counts as if it
//! had used all that was reserved.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Tokens of one or several calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Usage {
    /// All tokens of the prompt, the cached ones included.
    pub prompt: u64,
    /// Of those, read from the provider's cache.
    pub cached: u64,
    /// Of those, written to the provider's cache.
    pub cache_written: u64,
    pub completion: u64,
}

impl Usage {
    pub fn total(&self) -> u64 {
        self.prompt.saturating_add(self.completion)
    }

    pub fn add(&mut self, more: Usage) {
        self.prompt = self.prompt.saturating_add(more.prompt);
        self.cached = self.cached.saturating_add(more.cached);
        self.cache_written = self.cache_written.saturating_add(more.cache_written);
        self.completion = self.completion.saturating_add(more.completion);
    }
}

/// Prices of a model, per million tokens. What is left out costs as much as the plain input.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Price {
    pub input: f64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
    pub output: f64,
}

impl Price {
    /// Millionths, rounded up. Tokens that are both cached and written, if a provider ever says so, count as written.
    pub fn of(&self, usage: Usage) -> u64 {
        let written = usage.cache_written.min(usage.prompt);
        let cached = usage.cached.min(usage.prompt - written);
        let plain = usage.prompt - written - cached;
        let cost = plain as f64 * self.input
            + cached as f64 * self.cached.unwrap_or(self.input)
            + written as f64 * self.cache_write.unwrap_or(self.input)
            + usage.completion as f64 * self.output;
        // A price that is no number above 0 costs nothing; `as` keeps the rest within the type.
        cost.max(0.0).ceil() as u64
    }

    /// The most that a call can cost, millionths.
    pub fn most(&self, prompt: u64, completion: u64) -> u64 {
        let dearest = self.input.max(self.cached.unwrap_or(0.0)).max(self.cache_write.unwrap_or(0.0));
        let dearest = Price { input: dearest, cached: None, cache_write: None, output: self.output };
        dearest.of(Usage { prompt, completion, ..Usage::default() })
    }
}

/// Prices by the model's name; `*` is for all others.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Prices(pub BTreeMap<String, Price>);

impl Prices {
    /// By the whole name, then without the provider before the last `/`, then `*`.
    pub fn of(&self, model: &str) -> Option<Price> {
        let short = model.rsplit('/').next().unwrap_or(model);
        self.0.get(model).or_else(|| self.0.get(short)).or_else(|| self.0.get("*")).copied()
    }
}

/// Hard limits; `None`: none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Of prompts and answers together.
    pub tokens_max: Option<u64>,
    pub cost_micros_max: Option<u64>,
}

impl Limits {
    /// `cost_max` in whole units of the currency, as people give it.
    pub fn new(tokens_max: Option<u64>, cost_max: Option<f64>) -> Limits {
        Limits { tokens_max, cost_micros_max: cost_max.map(|cost| (cost.max(0.0) * 1e6).floor() as u64) }
    }
}

/// What a call may use at most. It goes back to the ledger that gave it: `settle`, `forfeit` or `release`.
#[must_use = "what is reserved has to be settled"]
#[derive(Debug)]
pub struct Reservation {
    tokens: u64,
    cost_micros: u64,
    prompt: u64,
    completion: u64,
}

/// Which limit a call would break.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spent {
    Tokens,
    Cost,
}

impl Spent {
    pub const fn name(self) -> &'static str {
        match self {
            Spent::Tokens => "tokens",
            Spent::Cost => "money",
        }
    }
}

/// Limits that many agents have together. Whenever one comes or goes, what nobody has used yet is parted evenly among
/// those who play: who has used much loses nothing by others that come, and who has used little leaves nothing lying.
///
/// Invariant: no call is begun that could take its agent over its part; the ledger that they share keeps to the whole.
#[derive(Clone, Debug, Default)]
pub struct Shares {
    limits: Limits,
    /// Of those who play.
    each: BTreeMap<u32, Share>,
    /// What others used before: tokens and millionths.
    gone: (u64, u64),
}

/// What one has used (tokens and millionths), and may use in all.
#[derive(Clone, Copy, Debug, Default)]
struct Share {
    used: (u64, u64),
    part: Limits,
}

impl Shares {
    pub fn new(limits: Limits) -> Shares {
        Shares { limits, ..Shares::default() }
    }

    pub fn join(&mut self, who: u32) {
        if let Entry::Vacant(place) = self.each.entry(who) {
            place.insert(Share::default());
            self.divide();
        }
    }

    pub fn leave(&mut self, who: u32) {
        if let Some(share) = self.each.remove(&who) {
            self.gone = added(self.gone, share.used);
            self.divide();
        }
    }

    fn divide(&mut self) {
        let count = self.each.len().max(1) as u64;
        let (tokens, micros) = self.each.values().fold(self.gone, |sum, share| added(sum, share.used));
        let left = |most: Option<u64>, used: u64| most.map(|most| most.saturating_sub(used) / count);
        let (tokens, micros) = (left(self.limits.tokens_max, tokens), left(self.limits.cost_micros_max, micros));
        for share in self.each.values_mut() {
            share.part.tokens_max = tokens.map(|left| left.saturating_add(share.used.0));
            share.part.cost_micros_max = micros.map(|left| left.saturating_add(share.used.1));
        }
    }

    /// What somebody may use in all, if it plays.
    pub fn part(&self, who: u32) -> Limits {
        self.each.get(&who).map_or(self.limits, |share| share.part)
    }

    /// Whether an agent may make a call that uses so much at most.
    pub fn allow(&self, who: u32, price: Price, prompt: u64, completion: u64) -> Result<(), Spent> {
        let (tokens, micros) = self.each.get(&who).map_or((0, 0), |share| share.used);
        let Limits { tokens_max, cost_micros_max } = self.part(who);
        if tokens_max.is_some_and(|most| tokens.saturating_add(prompt.saturating_add(completion)) > most) {
            return Err(Spent::Tokens);
        }
        if cost_micros_max.is_some_and(|most| micros.saturating_add(price.most(prompt, completion)) > most) {
            return Err(Spent::Cost);
        }
        Ok(())
    }

    /// After a call. One that comes back when its agent has gone counts as used all the same.
    pub fn used(&mut self, who: u32, usage: Usage, cost_micros: u64) {
        let more = (usage.total(), cost_micros);
        match self.each.get_mut(&who) {
            Some(share) => share.used = added(share.used, more),
            None => {
                self.gone = added(self.gone, more);
                self.divide();
            }
        }
    }
}

fn added(one: (u64, u64), more: (u64, u64)) -> (u64, u64) {
    (one.0.saturating_add(more.0), one.1.saturating_add(more.1))
}

#[derive(Clone, Debug, Default)]
pub struct Ledger {
    pub limits: Limits,
    pub used: Usage,
    pub cost_micros: u64,
    /// Calls that were settled or forfeited.
    pub calls: u64,
    reserved_tokens: u64,
    reserved_micros: u64,
}

impl Ledger {
    pub fn new(limits: Limits) -> Ledger {
        Ledger { limits, ..Ledger::default() }
    }

    /// Before a call: the tokens of its prompt, and the most that it may answer.
    pub fn reserve(&mut self, price: Price, prompt: u64, completion: u64) -> Result<Reservation, Spent> {
        self.reserve_all(&[(price, prompt, completion)])
    }

    /// Before the first of several calls of one decision, so that none is begun that could not be ended: of each its
    /// price, the tokens of its prompt, and the most that it may answer.
    pub fn reserve_all(&mut self, calls: &[(Price, u64, u64)]) -> Result<Reservation, Spent> {
        let sum = |of: fn(&(Price, u64, u64)) -> u64| calls.iter().map(of).fold(0, u64::saturating_add);
        let (prompt, completion) = (sum(|call| call.1), sum(|call| call.2));
        let tokens = prompt.saturating_add(completion);
        let cost_micros = sum(|(price, prompt, completion)| price.most(*prompt, *completion));
        let within = |limit: Option<u64>, used: u64, reserved: u64, more: u64| {
            limit.is_none_or(|limit| used.saturating_add(reserved).saturating_add(more) <= limit)
        };
        if !within(self.limits.tokens_max, self.used.total(), self.reserved_tokens, tokens) {
            return Err(Spent::Tokens);
        }
        if !within(self.limits.cost_micros_max, self.cost_micros, self.reserved_micros, cost_micros) {
            return Err(Spent::Cost);
        }
        self.reserved_tokens = self.reserved_tokens.saturating_add(tokens);
        self.reserved_micros = self.reserved_micros.saturating_add(cost_micros);
        Ok(Reservation { tokens, cost_micros, prompt, completion })
    }

    /// Before a call of a decision for which all was reserved: it takes its part of that. What goes beyond it, such as
    /// a repair, has to be within the limits as any other call.
    pub fn reserve_from(
        &mut self,
        whole: &mut Reservation,
        price: Price,
        prompt: u64,
        completion: u64,
    ) -> Result<Reservation, Spent> {
        let tokens = whole.tokens.min(prompt.saturating_add(completion));
        let micros = whole.cost_micros.min(price.most(prompt, completion));
        self.reserved_tokens = self.reserved_tokens.saturating_sub(tokens);
        self.reserved_micros = self.reserved_micros.saturating_sub(micros);
        let part = self.reserve(price, prompt, completion);
        match part {
            Ok(_) => {
                whole.tokens -= tokens;
                whole.cost_micros -= micros;
            }
            Err(_) => {
                self.reserved_tokens = self.reserved_tokens.saturating_add(tokens);
                self.reserved_micros = self.reserved_micros.saturating_add(micros);
            }
        }
        part
    }

    /// After a call whose use is known; the cost in millionths.
    pub fn settle(&mut self, reservation: Reservation, price: Price, usage: Usage) -> u64 {
        let cost = price.of(usage);
        self.release(reservation);
        self.used.add(usage);
        self.cost_micros = self.cost_micros.saturating_add(cost);
        self.calls += 1;
        cost
    }

    /// After a call that was made and whose use is unknown: it counts in full. Use and cost are returned.
    pub fn forfeit(&mut self, reservation: Reservation) -> (Usage, u64) {
        let usage = Usage { prompt: reservation.prompt, completion: reservation.completion, ..Usage::default() };
        let cost = reservation.cost_micros;
        self.release(reservation);
        self.used.add(usage);
        self.cost_micros = self.cost_micros.saturating_add(cost);
        self.calls += 1;
        (usage, cost)
    }

    /// The call was not made, or the provider refused it.
    pub fn release(&mut self, reservation: Reservation) {
        self.reserved_tokens = self.reserved_tokens.saturating_sub(reservation.tokens);
        self.reserved_micros = self.reserved_micros.saturating_sub(reservation.cost_micros);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PRICE: Price = Price { input: 3.0, cached: Some(0.3), cache_write: Some(3.75), output: 15.0 };

    #[test]
    fn a_call_costs_what_the_price_list_says() {
        let usage = Usage { prompt: 10_000, cached: 8_000, cache_written: 1_000, completion: 100 };
        assert_eq!(PRICE.of(usage), 3_000 + 2_400 + 3_750 + 1_500);
        let simple = Price { cached: None, cache_write: None, ..PRICE };
        assert_eq!(simple.of(usage), 30_000 + 1_500);
        assert_eq!(Price { input: -1.0, output: f64::NAN, ..Price::default() }.of(usage), 0);
        assert_eq!(PRICE.of(Usage { prompt: 1, ..Usage::default() }), 3);
        let odd = Usage { prompt: 10, cached: 99, cache_written: 99, completion: 0 };
        assert_eq!(PRICE.of(odd), 38, "never more than the prompt");
    }

    #[test]
    fn prices_are_found_by_the_model_s_name() {
        let prices: Prices = serde_json::from_str(
            r#"{"gpt-5-mini":{"input":0.25,"output":2},"zai/glm-5-turbo":{"input":1,"cached":0.2,"output":4},"*":{"input":9,"output":9}}"#,
        )
        .expect("a price list");
        assert_eq!(prices.of("openai/gpt-5-mini").map(|p| p.input), Some(0.25));
        assert_eq!(prices.of("zai/glm-5-turbo").and_then(|p| p.cached), Some(0.2));
        assert_eq!(prices.of("other").map(|p| p.input), Some(9.0));
        assert_eq!(Prices::default().of("other"), None);
        assert!(serde_json::from_str::<Price>(r#"{"input":1,"output":2,"ouput":3}"#).is_err());
    }

    #[test]
    fn a_whole_decision_is_reserved_and_its_calls_take_their_parts_of_it() {
        let mut ledger = Ledger::new(Limits::new(Some(3_000), None));
        let calls = [(PRICE, 900, 100); 3];
        assert_eq!(ledger.reserve_all(&[(PRICE, 900, 100); 4]).map(|_| ()), Err(Spent::Tokens));
        let mut whole = ledger.reserve_all(&calls).expect("exactly the limit");
        assert_eq!(ledger.reserve(PRICE, 1, 0).map(|_| ()), Err(Spent::Tokens), "all is spoken for");
        let first = ledger.reserve_from(&mut whole, PRICE, 900, 100).expect("its part");
        ledger.settle(first, PRICE, Usage { prompt: 900, completion: 50, ..Usage::default() });
        let second = ledger.reserve_from(&mut whole, PRICE, 900, 100).expect("its part");
        assert_eq!(ledger.forfeit(second).0.total(), 1_000);
        // A repair that is longer than what is left of the decision and of the limit.
        assert_eq!(ledger.reserve_from(&mut whole, PRICE, 1_000, 100).map(|_| ()), Err(Spent::Tokens));
        let third = ledger.reserve_from(&mut whole, PRICE, 950, 100).expect("what the first left is there too");
        ledger.release(third);
        ledger.release(whole);
        assert_eq!((ledger.used.total(), ledger.reserved_tokens, ledger.reserved_micros), (1_950, 0, 0));
    }

    #[test]
    fn the_call_that_could_go_over_a_limit_is_not_made() {
        let mut ledger = Ledger::new(Limits::new(Some(2_000), None));
        let first = ledger.reserve(PRICE, 900, 100).expect("within");
        assert_eq!(ledger.reserve(PRICE, 1_000, 1).map(|_| ()), Err(Spent::Tokens), "one is still on its way");
        ledger.settle(first, PRICE, Usage { prompt: 900, completion: 10, ..Usage::default() });
        let second = ledger.reserve(PRICE, 1_000, 90).expect("exactly the limit");
        assert_eq!(ledger.forfeit(second).0.total(), 1_090);
        assert_eq!(ledger.reserve(PRICE, 1, 0).map(|_| ()), Err(Spent::Tokens));
        let mut ledger = Ledger::new(Limits::new(None, Some(0.01)));
        assert_eq!(ledger.reserve(PRICE, 1_000, 500).map(|_| ()), Err(Spent::Cost), "11,250 millionths");
        let call = ledger.reserve(PRICE, 1_000, 400).expect("9,750 millionths");
        ledger.release(call);
        assert_eq!((ledger.calls, ledger.cost_micros), (0, 0));
    }

    #[test]
    fn what_many_may_use_is_shared_evenly() {
        let mut shares = Shares::new(Limits::new(Some(10_000), Some(0.1)));
        (1..=4).for_each(|who| shares.join(who));
        assert_eq!(shares.part(1), Limits { tokens_max: Some(2_500), cost_micros_max: Some(25_000) });
        assert_eq!(shares.allow(1, Price::default(), 2_400, 100), Ok(()));
        shares.used(1, Usage { prompt: 2_000, completion: 100, ..Usage::default() }, 7_500);
        assert_eq!(shares.allow(1, Price::default(), 400, 1), Err(Spent::Tokens), "its part is used up");
        assert_eq!(shares.allow(2, Price::default(), 2_400, 100), Ok(()), "which costs the others nothing");
        assert_eq!(shares.allow(2, PRICE, 2_000, 1_000), Err(Spent::Tokens));
        assert_eq!(shares.allow(2, PRICE, 500, 1_900), Err(Spent::Cost));
        // Who goes leaves what it did not use to the others, and who comes gets a part as well.
        shares.join(9);
        shares.join(9);
        let parts = [1, 2, 9].map(|who| shares.part(who).tokens_max);
        assert_eq!(parts, [Some(2_100 + 7_900 / 5), Some(7_900 / 5), Some(7_900 / 5)], "others take nothing of it");
        shares.leave(1);
        assert_eq!(shares.part(2).tokens_max, Some(7_900 / 4));
        shares.leave(77);
        shares.used(1, Usage { prompt: 900, ..Usage::default() }, 0);
        assert_eq!(shares.part(9).tokens_max, Some(7_000 / 4), "a call that came back late");
        assert_eq!(Shares::default().allow(1, PRICE, u64::MAX, u64::MAX), Ok(()), "without limits");
    }

    proptest! {
        #[test]
        fn use_stays_within_limits_whatever_the_order_of_calls(
            tokens_max in prop::option::of(0u64..20_000),
            cost_max in prop::option::of(0u64..100_000),
            calls in prop::collection::vec((0u64..3_000, 0u64..500, 0.0f64..=1.0, 0.0f64..=1.0, 0u8..4), 0..60),
        ) {
            let mut ledger = Ledger::new(Limits { tokens_max, cost_micros_max: cost_max });
            let mut open = Vec::new();
            for (prompt, completion, share, cached, end) in calls {
                if let Ok(reservation) = ledger.reserve(PRICE, prompt, completion) {
                    open.push((reservation, prompt, completion, share, cached, end));
                }
                if open.len() > 3 || end == 0 {
                    if open.is_empty() {
                        continue;
                    }
                    let (reservation, prompt, completion, share, cached, end) = open.remove(0);
                    let completion = (completion as f64 * share) as u64;
                    let cached = (prompt as f64 * cached) as u64;
                    let usage = Usage { prompt, cached, cache_written: (prompt - cached) / 2, completion };
                    match end {
                        0 | 1 => { ledger.settle(reservation, PRICE, usage); }
                        2 => { ledger.forfeit(reservation); }
                        _ => ledger.release(reservation),
                    }
                }
                prop_assert!(tokens_max.is_none_or(|max| ledger.used.total() + ledger.reserved_tokens <= max));
                // Rounding up is at most one millionth a call.
                prop_assert!(cost_max.is_none_or(|max| ledger.cost_micros <= max));
            }
            for (reservation, ..) in open {
                ledger.release(reservation);
            }
            prop_assert_eq!((ledger.reserved_tokens, ledger.reserved_micros), (0, 0));
        }

        #[test]
        fn a_provider_that_counts_more_than_reserved_is_stopped_after_one_call(actual in 0u64..100_000) {
            let mut ledger = Ledger::new(Limits::new(Some(1_000), None));
            let mut over = 0;
            for _ in 0..2_000 {
                let Ok(reservation) = ledger.reserve(PRICE, 10, 1) else { break };
                over += u32::from(ledger.used.total() > 1_000);
                ledger.settle(reservation, PRICE, Usage { prompt: actual.max(1), ..Usage::default() });
            }
            prop_assert_eq!(over, 0, "no call was made once the limit was passed");
        }
    }
}
