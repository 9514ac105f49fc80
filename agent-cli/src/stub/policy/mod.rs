//! What the stub answers: each policy is a pure function of its seed and of what its conversation asked so far.

mod adversarial;
mod answered;
mod building;
mod correspondent;
mod herald;
mod mirror;
pub mod prompt_view;
mod replay;
mod scripted;
mod utility;
mod walk;

pub use adversarial::{Adversarial, FAULTS, Fault};
pub use correspondent::Correspondent;
pub use herald::{CUE, Herald};
pub use mirror::Mirror;
pub use replay::Replay;
pub use scripted::Scripted;
pub use utility::Utility;

use crate::fold_words::Material;
use crate::model::PARTS_FORM;
use mind::story::Sort;
use serde_json::Value;

/// A policy. `body` is the body of a request for a chat completion.
pub trait Policy: Send {
    fn reply(&mut self, body: &Value) -> Reply;

    /// Whether it answers all questions itself; else it is not asked into what it would split a goal, nor how it would
    /// say the story of a fold.
    fn answers_everything(&self) -> bool {
        false
    }

    /// Messages before this one are none of its business: it takes part from here on.
    fn begin_at(&mut self, _message: u64) {}

    /// What the endpoint says: its reply, into what a goal is split, or other words for a story.
    fn answer(&mut self, body: &Value) -> Reply {
        let question = question_of(body);
        match parts_of(&question).or_else(|| words_of(&question)) {
            Some(said) if !self.answers_everything() => Reply::Answer(Completion::new(said)),
            _ => self.reply(body),
        }
    }
}

/// Where a question is into what a goal is to be split: the plan that fits any.
fn parts_of(question: &str) -> Option<String> {
    let (asked, _) = question.split_once(PARTS_FORM)?;
    let goal = asked.rsplit_once("split goal ")?.1.split('?').next()?;
    let plan = ["Find out what it takes", "Get what is missing", "Do it", "See whether it holds"];
    let parts: Vec<String> = plan.iter().map(|part| format!("{part} ({goal})")).collect();
    Some(serde_json::json!({"into": parts}).to_string())
}

/// Where a question is how to say the story of a fold: what little can be said otherwise by a rule.
fn words_of(question: &str) -> Option<String> {
    let material: Material = serde_json::from_str(question.trim()).ok()?;
    let said = material.lines.iter().filter_map(|line| {
        let words = in_other_words(&line.line)?;
        Some(serde_json::json!({"id": line.id, "words": words, "from": line.from}))
    });
    Some(serde_json::json!({"lines": said.collect::<Vec<_>>()}).to_string())
}

fn in_other_words(line: &str) -> Option<String> {
    let (sort, told) = Sort::split(line);
    Some(match sort {
        Sort::Request => format!("You have not answered yet: {told}"),
        Sort::Decision => format!("You decided: {told}"),
        Sort::Done => format!("You are done with this: {told}"),
        Sort::Way => format!("This did not work for {told}"),
        Sort::Error => format!("This failed: {told}"),
        Sort::Met => format!("You met {told}"),
        Sort::Rooms => format!("You saw for the first time: {told}"),
        Sort::Deed | Sort::LeftOut => return None,
    })
}

/// What the "model" says.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Completion {
    pub content: String,
    /// It grew too long: `finish_reason` is `length`.
    pub cut: bool,
    /// Goes out as text even where a tool call was asked for.
    pub plain: bool,
}

impl Completion {
    pub fn new(content: impl Into<String>) -> Completion {
        Completion { content: content.into(), ..Completion::default() }
    }
}

/// What comes back.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reply {
    Answer(Completion),
    /// After so many milliseconds.
    Stall {
        ms: u64,
        said: Completion,
    },
    /// The connection breaks off in the middle of it.
    Dying(Completion),
    /// A body that is no completion, with status 200.
    Raw(String),
    Status {
        status: u16,
        retry_after_s: Option<u64>,
        message: String,
    },
}

/// The text of the newest message of the user.
pub fn question_of(body: &Value) -> String {
    let messages = body.get("messages").and_then(Value::as_array);
    let newest = messages.into_iter().flatten().rev();
    let Some(message) = newest.into_iter().find(|m| m.get("role").and_then(Value::as_str) == Some("user")) else {
        return String::new();
    };
    match message.get("content") {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(blocks)) => blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect(),
        _ => String::new(),
    }
}
