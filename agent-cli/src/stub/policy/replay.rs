//! What was decided once, again: recorded replies, or the model's decisions of a session log, in their order.
//!
//! A line is `{"reply": …}`, `{"content": "…"}`, or a turn of a session log with `decision.source` `model`; others are
//! skipped. Each conversation begins at the first line; at the end the answer is to wait.

use super::scripted::text_of;
use super::{Completion, Policy, Reply};
use crate::stub::usage::conversation_of;
use anyhow::Context;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug)]
pub struct Replay {
    replies: Vec<String>,
    next: BTreeMap<String, usize>,
}

impl Replay {
    pub fn read(log: &str) -> anyhow::Result<Replay> {
        let mut replies = Vec::new();
        for (n, text) in log.lines().enumerate().filter(|(_, text)| !text.trim().is_empty()) {
            let line: Value = serde_json::from_str(text).with_context(|| format!("line {} of the log", n + 1))?;
            if let Some(reply) = line.get("reply").or_else(|| line.get("content")) {
                replies.push(text_of(reply));
            } else if line.pointer("/decision/source").and_then(Value::as_str) == Some("model")
                && let Some(action) = line.get("action").and_then(Value::as_str)
            {
                let mut words = action.split_whitespace();
                let command = words.next().unwrap_or("look");
                let args: Vec<&str> = words.collect();
                let answer =
                    json!({"commentary": "", "actions": [{"type": "command", "command": command, "args": args}]});
                replies.push(answer.to_string());
            }
        }
        anyhow::ensure!(!replies.is_empty(), "the log holds no replies and no decisions of a model");
        Ok(Replay { replies, next: BTreeMap::new() })
    }
}

impl Policy for Replay {
    fn answers_everything(&self) -> bool {
        true
    }

    fn reply(&mut self, body: &Value) -> Reply {
        let next = self.next.entry(conversation_of(body)).or_default();
        let said = self.replies.get(*next).map_or_else(|| text_of(&Value::Null), String::clone);
        *next += 1;
        Reply::Answer(Completion::new(said))
    }
}
