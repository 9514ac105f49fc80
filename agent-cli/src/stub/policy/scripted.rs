//! Replies from a file of JSON lines, each conversation from the first line on.
//!
//! A line: `{"expect": "text of the prompt", "reply": …, "times": 1}`. `reply` is the answer, as text or as an object;
//! `status` with `retry_after_s`, `stall_ms`, `dying`, `raw` and `cut` make it a fault. The next line whose `expect` is
//! in the newest question is used; a line without `expect` always fits. When none is left, the answer is to wait.

use super::{Completion, Policy, Reply, question_of};
use crate::stub::usage::conversation_of;
use anyhow::Context;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    #[serde(default)]
    expect: String,
    #[serde(default)]
    reply: Value,
    #[serde(default = "once")]
    times: u32,
    #[serde(default)]
    status: Option<u16>,
    #[serde(default)]
    retry_after_s: Option<u64>,
    #[serde(default)]
    stall_ms: Option<u64>,
    #[serde(default)]
    dying: bool,
    /// The body as it is, instead of a completion.
    #[serde(default)]
    raw: Option<String>,
    #[serde(default)]
    cut: bool,
}

fn once() -> u32 {
    1
}

#[derive(Debug)]
pub struct Scripted {
    lines: Vec<Line>,
    /// How often each line was used, by conversation.
    used: BTreeMap<String, Vec<u32>>,
}

impl Scripted {
    /// Empty lines and those that begin with `#` are skipped.
    pub fn read(script: &str) -> anyhow::Result<Scripted> {
        let mut lines = Vec::new();
        for (n, text) in script.lines().enumerate() {
            let text = text.trim();
            if !text.is_empty() && !text.starts_with('#') {
                lines.push(serde_json::from_str(text).with_context(|| format!("line {} of the script", n + 1))?);
            }
        }
        Ok(Scripted { lines, used: BTreeMap::new() })
    }
}

/// An answer as it stands in a file: text as it is, anything else as JSON.
pub fn text_of(reply: &Value) -> String {
    match reply {
        Value::Null => r#"{"commentary":"","actions":[]}"#.to_string(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

impl Policy for Scripted {
    fn answers_everything(&self) -> bool {
        true
    }

    fn reply(&mut self, body: &Value) -> Reply {
        let question = question_of(body);
        let used = self.used.entry(conversation_of(body)).or_insert_with(|| vec![0; self.lines.len()]);
        let next = (0..self.lines.len())
            .find(|n| used[*n] < self.lines[*n].times && question.contains(&self.lines[*n].expect));
        let Some(next) = next else { return Reply::Answer(Completion::new(text_of(&Value::Null))) };
        used[next] += 1;
        let line = &self.lines[next];
        let said = Completion { content: text_of(&line.reply), cut: line.cut, plain: line.reply.is_string() };
        if let Some(status) = line.status {
            let message = line.reply.as_str().unwrap_or("The script says so.").to_string();
            return Reply::Status { status, retry_after_s: line.retry_after_s, message };
        }
        match (&line.raw, line.stall_ms, line.dying) {
            (Some(raw), _, _) => Reply::Raw(raw.clone()),
            (None, Some(ms), _) => Reply::Stall { ms, said },
            (None, None, true) => Reply::Dying(said),
            (None, None, false) => Reply::Answer(said),
        }
    }
}
