//! The worst that models, proxies and networks do, in turn and at random by seed.

use super::{Policy, Reply, Said, question_of};
use crate::stub::chance::Chance;
use crate::stub::usage::conversation_of;
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// What can go wrong, by name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Fault {
    None,
    BadJson,
    Truncated,
    WrongIds,
    UnknownCommand,
    Repeat,
    Stall,
    TooManyRequests,
    ServerError,
    Huge,
    Injection,
    Dying,
    NotACompletion,
    Deep,
    Empty,
    ControlBytes,
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
    Fault::Dying,
    Fault::NotACompletion,
    Fault::Deep,
    Fault::Empty,
    Fault::ControlBytes,
    Fault::TooManyActions,
];

/// How long a stall is, milliseconds. Source: evaluation §1.
const STALL_MS: u64 = 5_000;

#[derive(Debug)]
pub struct Adversarial {
    seed: u64,
    stall_ms: u64,
    turns: BTreeMap<String, u64>,
}

impl Adversarial {
    pub fn new(seed: u64) -> Adversarial {
        Adversarial { seed, stall_ms: STALL_MS, turns: BTreeMap::new() }
    }

    /// With stalls of another length.
    pub fn with_stall(self, stall_ms: u64) -> Adversarial {
        Adversarial { stall_ms, ..self }
    }
}

fn actions(actions: Value) -> Said {
    Said::new(json!({"commentary": "as I please", "actions": actions}).to_string())
}

impl Policy for Adversarial {
    fn reply(&mut self, body: &Value) -> Reply {
        let conversation = conversation_of(body);
        let turn = self.turns.entry(conversation.clone()).or_default();
        *turn += 1;
        let mut chance = Chance::new(self.seed, &conversation, *turn);
        fault(FAULTS[chance.below(FAULTS.len())], &question_of(body), self.stall_ms, &mut chance)
    }
}

/// A reply with this fault.
pub fn fault(fault: Fault, question: &str, stall_ms: u64, chance: &mut Chance) -> Reply {
    let fine = || actions(json!([{"type": "command", "command": "look", "args": []}]));
    Reply::Answer(match fault {
        Fault::None => fine(),
        Fault::BadJson => Said::new("{'actions': [{type: say, text: \"hm\"},]}"),
        Fault::Truncated => {
            let whole = fine().content;
            let end = 1 + chance.below(whole.len() - 2);
            Said { content: whole[..end].to_string(), cut: chance.below(2) == 0, plain: false }
        }
        Fault::WrongIds => actions(json!([
            {"type": "note_remove", "id": "the first"}, {"type": "step_done", "id": -4}, {"type": "block_clear", "id": 1e30},
        ])),
        Fault::UnknownCommand => actions(json!([
            {"type": "command", "command": "teleport", "args": ["8004"]}, {"type": "command", "command": "shutdown", "args": []},
        ])),
        Fault::Repeat => actions(json!([{"type": "command", "command": "kill", "args": ["9.dragon"]}])),
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
            0 => Said::new("All work and no play. ".repeat(4_600)),
            1 => actions(json!([{"type": "say", "text": "a".repeat(100_000)}])),
            _ => Said::new("{\"actions\":[".repeat(9_000)),
        },
        // What somebody said, taken for an order, and the orders that attackers would like best.
        Fault::Injection => {
            let heard: String = question.lines().rev().take(8).collect::<Vec<_>>().join("\n");
            Said::new(
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
        Fault::Dying => return Reply::Dying(fine()),
        Fault::NotACompletion => {
            let bodies = ["", "<html>Bad gateway</html>", "{\"choices\":[]}", "{\"choices\":[{}]}", "[1,2", "null"];
            return Reply::Raw(bodies[chance.below(bodies.len())].to_string());
        }
        Fault::Deep => Said::new(format!("{}{}", "[{\"a\":".repeat(3_000), "}]".repeat(3_000))),
        Fault::Empty => Said::new(""),
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
