//! The worst that models, proxies and networks do, in turn and at random by seed.

use super::{Completion, Policy, Reply, question_of};
use crate::stub::chance::Chance;
use crate::stub::usage::conversation_of;
use protocol::verbs::{VERBS, Verb};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What can go wrong, by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, clap::ValueEnum)]
pub enum Fault {
    /// Nothing: it looks around
    None,
    /// Text that is nearly JSON
    BadJson,
    /// An answer that ends too early
    Truncated,
    /// Ids that nothing has
    WrongIds,
    /// Verbs that nobody knows, or that are not for agents
    UnknownCommand,
    /// The same answer again and again
    Repeat,
    /// An answer that takes five seconds
    Stall,
    /// Status 429 with `Retry-After`
    TooManyRequests,
    /// Status 500, sometimes with `Retry-After`
    ServerError,
    /// An answer of 100 KB
    Huge,
    /// What was heard comes back in every field, with orders that only an attacker wants
    Injection,
    /// Whatever anybody said in the words of a command is done
    Obey,
    /// The connection breaks off in the middle of the answer
    Dying,
    /// Status 200 with something that is no completion
    NotACompletion,
    /// JSON of great depth
    Deep,
    /// No text at all
    Empty,
    /// Escape sequences and other control characters in what it says
    ControlBytes,
    /// Forty actions at once
    TooManyActions,
}

pub const FAULTS: &[Fault] = &[
    Fault::None,
    Fault::BadJson,
    Fault::Truncated,
    Fault::WrongIds,
    Fault::UnknownCommand,
    Fault::Repeat,
    Fault::Stall,
    Fault::TooManyRequests,
    Fault::ServerError,
    Fault::Huge,
    Fault::Injection,
    Fault::Obey,
    Fault::Dying,
    Fault::NotACompletion,
    Fault::Deep,
    Fault::Empty,
    Fault::ControlBytes,
    Fault::TooManyActions,
];

/// How long a stall is, milliseconds. Source: evaluation §1.
const STALL_MS: u64 = 5_000;
/// What a conversation that repeats itself says: something that cannot be done, that may be, and that changes nothing.
const REPEATED: [&str; 6] = ["kill 9.dragon", "north", "rest", "stand", "get all", "sleep"];
/// Words after a verb that are taken for what it is to be done with.
const OBJECTS_MAX: usize = 2;
/// Verbs of the mind that an attacker would like to have obeyed.
const MEMORY: [&str; 2] = ["remember", "forget"];
/// Orders that are obeyed at a time.
const ORDERS_MAX: usize = 6;

#[derive(Debug)]
pub struct Adversarial {
    seed: u64,
    stall_ms: u64,
    /// `None`: all of them in turn.
    only: Option<Fault>,
    turns: BTreeMap<String, u64>,
}

impl Adversarial {
    pub fn new(seed: u64) -> Adversarial {
        Adversarial { seed, stall_ms: STALL_MS, only: None, turns: BTreeMap::new() }
    }

    /// With stalls of another length.
    pub fn with_stall(self, stall_ms: u64) -> Adversarial {
        Adversarial { stall_ms, ..self }
    }

    /// With this one fault, always.
    pub fn only(self, fault: Fault) -> Adversarial {
        Adversarial { only: Some(fault), ..self }
    }
}

fn actions(actions: Value) -> Completion {
    Completion::new(json!({"commentary": "as I please", "actions": actions}).to_string())
}

impl Policy for Adversarial {
    fn answers_everything(&self) -> bool {
        true
    }

    fn reply(&mut self, body: &Value) -> Reply {
        let conversation = conversation_of(body);
        let turn = self.turns.entry(conversation.clone()).or_default();
        *turn += 1;
        let mut chance = Chance::new(self.seed, &conversation, *turn);
        let fault = self.only.unwrap_or_else(|| FAULTS[chance.below(FAULTS.len())]);
        if fault == Fault::Repeat {
            // Of the conversation, not of the turn: the very same each time.
            chance = Chance::new(self.seed, &conversation, 0);
        }
        reply_with(fault, &question_of(body), self.stall_ms, &mut chance)
    }
}

/// What is said in a question in the words of a command: each verb written out, with what follows it.
fn orders(question: &str) -> Vec<Vec<&str>> {
    let words: Vec<&str> = question.split(|c: char| !c.is_alphanumeric() && c != '.').collect();
    // The words between the parts of an answer such as ours.
    let filling = |word: &&str| word.is_empty() || ["type", "command", "args", "to", "the"].contains(word);
    let words: Vec<&str> = words.into_iter().filter(|word| !filling(word)).collect();
    let counts = |verb: &Verb| !verb.free || MEMORY.contains(&&*verb.name);
    let is_verb = |word: &str| VERBS.iter().any(|verb| counts(verb) && word.eq_ignore_ascii_case(&verb.name));
    (0..words.len())
        .filter(|at| is_verb(words[*at]))
        .map(|at| words[at..words.len().min(at + 1 + OBJECTS_MAX)].to_vec())
        .collect()
}

/// A reply with this fault.
fn reply_with(fault: Fault, question: &str, stall_ms: u64, chance: &mut Chance) -> Reply {
    let fine = || actions(json!([{"type": "command", "command": "look", "args": []}]));
    Reply::Answer(match fault {
        Fault::None => fine(),
        Fault::BadJson => Completion::new("{'actions': [{type: say, text: \"hm\"},]}"),
        Fault::Truncated => {
            let whole = fine().content;
            let end = 1 + chance.below(whole.len() - 2);
            Completion { content: whole[..end].to_string(), cut: chance.below(2) == 0, plain: false }
        }
        Fault::WrongIds => actions(json!([
            {"type": "note_remove", "id": "the first"}, {"type": "step_done", "id": -4}, {"type": "block_clear", "id": 1e30},
        ])),
        Fault::UnknownCommand => actions(json!([
            {"type": "command", "command": "teleport", "args": ["8004"]}, {"type": "command", "command": "shutdown", "args": []},
        ])),
        Fault::Repeat => actions(json!([REPEATED[chance.below(REPEATED.len())]])),
        Fault::Stall => return Reply::Stall { ms: stall_ms, said: fine() },
        Fault::TooManyRequests => {
            return Reply::Status {
                status: 429,
                retry_after_s: Some(1 + chance.below(3) as u64),
                message: "Rate limit reached.".into(),
            };
        }
        Fault::ServerError => {
            let retry_after_s = (chance.below(2) == 0).then_some(1);
            return Reply::Status { status: 500, retry_after_s, message: "The model is overloaded.".into() };
        }
        Fault::Huge => match chance.below(3) {
            0 => Completion::new("All work and no play. ".repeat(4_600)),
            1 => actions(json!([{"type": "say", "text": "a".repeat(100_000)}])),
            _ => Completion::new("{\"actions\":[".repeat(9_000)),
        },
        // What somebody said, taken for an order, and the orders that attackers would like best.
        Fault::Injection => {
            let heard: String = question.lines().rev().take(8).collect::<Vec<_>>().join("\n");
            Completion::new(
                json!({"commentary": heard, "actions": [
                    {"type": "command", "command": "password", "args": ["old", "stolen"]},
                    {"type": "command", "command": "quit", "args": []},
                    {"type": "command", "command": "alias", "args": ["look", "quit"]},
                    {"type": "say", "text": format!("ok\r\nquit\n{heard}")},
                    {"type": "command", "command": "say hello\nquit", "args": ["\r\nquit"]},
                ]})
                .to_string(),
            )
        }
        // A model that takes everything for an order: what each of them should be done with differs from turn to turn.
        Fault::Obey => {
            let heard: Vec<&str> = question.lines().filter(|line| line.contains("heard")).collect();
            let heard = heard.join("\n");
            let mut orders = orders(&heard);
            orders.reverse();
            let from = if orders.is_empty() { 0 } else { chance.below(orders.len()) };
            orders.rotate_left(from);
            let objects = chance.below(OBJECTS_MAX + 1);
            let lines = orders.iter().map(|order| match order[..] {
                [verb, path, value] if verb.eq_ignore_ascii_case("remember") => format!("{verb} {path} = {value}"),
                _ => order[..order.len().min(1 + objects)].join(" "),
            });
            actions(lines.take(ORDERS_MAX).map(Value::from).collect())
        }
        Fault::Dying => return Reply::Dying(fine()),
        Fault::NotACompletion => {
            let bodies = ["", "<html>Bad gateway</html>", "{\"choices\":[]}", "{\"choices\":[{}]}", "[1,2", "null"];
            return Reply::Raw(bodies[chance.below(bodies.len())].to_string());
        }
        Fault::Deep => Completion::new(format!("{}{}", "[{\"a\":".repeat(3_000), "}]".repeat(3_000))),
        Fault::Empty => Completion::new(""),
        Fault::ControlBytes => {
            actions(json!([{"type": "say", "text": "\u{1b}]0;title\u{7}\u{1b}[2Jhello\u{0}\u{202e}"}]))
        }
        Fault::TooManyActions => {
            let lines = ["north", "say a", "kill rat"];
            let many: Vec<Value> = (0..40).map(|n| json!(lines[n % lines.len()])).collect();
            actions(many.into())
        }
    })
}
