//! What leaves an agent, and how it fared.

use crate::council::Brief;
use crate::record::{Row, Tokens};
use crate::thought::Retelling;
use mind::prompt::Prompt;
use protocol::ClientFrame;

/// What the shell shall do.
#[derive(Debug)]
pub enum Effect {
    /// To the server, in this order.
    Send(ClientFrame),
    /// To the model, once or as often as the brief says; what comes of it goes to `on_thought` with this number.
    Think { id: u64, prompt: Box<Prompt>, brief: Box<Brief> },
    /// To the model, behind the question that comes next; what comes of it goes to `on_retold`.
    Retell(Box<Retelling>),
    /// For the session log.
    Log(Box<Row>),
    /// For people at a terminal.
    Note(String),
}

/// How the agent fared, for the status line and the summary.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct Counts {
    pub reflexes: u64,
    pub upkeep: u64,
    pub policies: u64,
    pub model: u64,
    pub refused: u64,
    /// Questions that were answered, well or not.
    pub thoughts: u64,
    /// Of those, the ones that brought nothing.
    pub thoughts_failed: u64,
    /// Questions to the model for which there was nothing new.
    pub thoughts_idle: u64,
    /// Questions to the model that went on with a turn, since it had only asked.
    pub thoughts_chained: u64,
    /// Lines of the model that came to an end, and those that were refused or not answered.
    pub model_ended: u64,
    pub model_failed: u64,
    /// Orders of the model to its own body: delegate, wait, goto.
    pub orders: u64,
    /// Lines of the model that were not sent, because the state had passed or the line had just failed.
    pub doubted: u64,
    /// Of these, the ones that repeated thoughts of the AI, guidelines or the operator's prompt.
    pub leaks_held: u64,
    pub repairs: u64,
    pub tokens: Tokens,
    /// Of answers whose cost is known.
    pub cost_micros: u64,
    /// Answers whose cost is not known: a request went to a model without a price.
    pub unpriced: u64,
    /// What answers from a tape took when they were asked: told in prompts, and in no sum.
    #[serde(skip)]
    pub taped: Tokens,
    #[serde(skip)]
    pub taped_cost_micros: u64,
    /// The model's requests for another context.
    pub compactions: u64,
    /// Requests to the server for memories of a situation.
    pub recalls: u64,
    /// Stories of folds in other words.
    pub fold_words: FoldWordsCounts,
}

/// What came of having stories of folds said in other words.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(default)]
pub struct FoldWordsCounts {
    /// Stories that the model was asked for, and those of them that brought nothing or came too late.
    pub asked: u64,
    pub failed: u64,
    /// Lines that are told in its words, and those that were refused.
    pub lines: u64,
    pub refused: u64,
    /// What these questions took, beside those for decisions.
    pub tokens: Tokens,
    pub cost_micros: u64,
    pub unpriced: u64,
}

impl Counts {
    /// Tokens read and written, of all questions.
    pub fn tokens_used(&self) -> u64 {
        [self.tokens, self.fold_words.tokens].iter().map(|tokens| tokens.prompt + tokens.completion).sum()
    }

    /// What all questions cost whose price is known, and how many have none.
    pub fn cost(&self) -> (u64, u64) {
        (self.cost_micros + self.fold_words.cost_micros, self.unpriced + self.fold_words.unpriced)
    }

    /// Lines that were sent, whoever decided.
    pub fn lines(&self) -> u64 {
        self.reflexes + self.upkeep + self.policies + self.model
    }
}
