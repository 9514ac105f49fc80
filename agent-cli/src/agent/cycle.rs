//! One turn of a mind: the questions to its model from one that somebody or something made due, to an answer that
//! talks, acts, orders or asks nothing more.
//!
//! After an answer that does nothing but ask (look, recall, read its own mind), the model is asked again at once, with
//! the replies before it. Invariants: never more than `loop_max` questions in a turn; the same question is put to the
//! game once in it; nothing is asked while a reply is out.

use protocol::verbs::{self, Category, asks};
use std::collections::BTreeSet;

/// Verbs that are told of a turn.
const TOOLS_MAX: usize = 24;

#[derive(Clone, Debug, Default)]
pub(super) struct Cycle {
    /// Questions to the model in this turn.
    iteration: u32,
    /// Verbs that it used, in order.
    tools: Vec<String>,
    /// What it asked the game, as it was typed but for blanks and case.
    asked: BTreeSet<String>,
    /// The decision whose replies it waits for.
    waits: Option<u64>,
}

/// What an answer is made of, as far as the turn is concerned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Answered {
    /// Something was asked that was not asked before.
    pub asks: bool,
    /// It talks, spends a tick, or orders something.
    pub ends: bool,
}

impl Cycle {
    /// A question to the model leaves. `goes_on`: it is asked because replies came.
    pub fn begin(&mut self, goes_on: bool) {
        if goes_on {
            self.iteration += 1;
        } else {
            *self = Cycle { iteration: 1, ..Cycle::default() };
        }
        self.waits = None;
    }

    /// Whether a line asks what was asked in this turn already.
    pub fn repeats(&self, line: &str) -> bool {
        self.asked.contains(&plain(line))
    }

    /// A line of the answer will be sent.
    pub fn uses(&mut self, line: &str, level: i32, answered: &mut Answered) {
        if self.tools.len() < TOOLS_MAX {
            let word = verbs::word_of(line);
            self.tools.push(verbs::find(word, level).map_or(word, |verb| &verb.name).to_string());
        }
        // What is no verb of ours is a social or a channel.
        let category = verbs::category_of(line, level).unwrap_or(Category::Terminal);
        answered.ends |= matches!(category, Category::Terminal | Category::Dangerous);
        if asks(line, level) {
            answered.asks = true;
            self.asked.insert(plain(line));
        }
    }

    /// All of an answer is known: whether the turn goes on once its replies are there.
    pub fn answered(&mut self, decision: u64, answered: Answered, loop_max: u32) {
        let goes_on = answered.asks && !answered.ends && self.iteration < loop_max;
        self.waits = goes_on.then_some(decision);
    }

    /// The turn is over: something else came.
    pub fn end(&mut self) {
        self.waits = None;
    }

    pub fn waits(&self) -> Option<u64> {
        self.waits
    }

    pub fn iteration(&self) -> u32 {
        self.iteration
    }

    pub fn tools(&self) -> &[String] {
        &self.tools
    }
}

fn plain(line: &str) -> String {
    line.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer of these lines to the next question; whether the turn goes on.
    fn answer(cycle: &mut Cycle, lines: &[&str]) -> bool {
        cycle.begin(cycle.waits().is_some());
        let mut answered = Answered::default();
        for line in lines {
            if !cycle.repeats(line) {
                cycle.uses(line, 1, &mut answered);
            }
        }
        cycle.answered(1, answered, 3);
        cycle.waits().is_some()
    }

    #[test]
    fn what_asks_goes_on_until_talk_a_tick_or_the_most() {
        let mut cycle = Cycle::default();
        assert!(answer(&mut cycle, &["look", "note it is dark"]));
        assert!(answer(&mut cycle, &["recall key"]));
        assert!(!answer(&mut cycle, &["recall gate"]), "three is the most");
        assert_eq!((cycle.iteration(), cycle.tools().join(" ")), (3, "look note recall recall".into()));
        assert!(!answer(&mut cycle, &["look", "say hello"]), "talk ends it");
        assert_eq!(cycle.iteration(), 1);
        assert!(!answer(&mut cycle, &["look", "kill goblin"]));
        assert!(!answer(&mut cycle, &["note it is dark"]), "nothing was asked");
        assert!(!answer(&mut cycle, &["look", "smile"]), "a social is talk");
    }

    #[test]
    fn the_same_question_is_asked_once_in_a_turn() {
        let mut cycle = Cycle::default();
        assert!(answer(&mut cycle, &["recall key"]));
        assert!(!answer(&mut cycle, &["Recall  KEY"]));
        assert!(answer(&mut cycle, &["recall key"]), "another turn");
    }
}
