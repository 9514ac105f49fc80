//! Whoever sits in a seat: told what came, asked what to do.

use agent_cli::agent::{Agent, Effect};
use agent_cli::council::Brief;
use agent_cli::thought::Thought;
use mind::prompt::Prompt;
use protocol::frame::ClientFrame;

/// What a player does.
pub enum Act {
    Send(ClientFrame),
    /// A question to its model.
    Think {
        id: u64,
        prompt: Box<Prompt>,
        brief: Box<Brief>,
    },
}

pub trait Player {
    /// A frame came, as text.
    fn read(&mut self, text: &str, now_ms: u64);
    /// What to do now.
    fn act(&mut self, now_ms: u64) -> Vec<Act>;
    /// The model's answer.
    fn on_thought(&mut self, id: u64, thought: Thought, now_ms: u64);
    /// What its character is called; `None`: as seats are.
    fn name(&self) -> Option<&'static str> {
        None
    }
    /// Whether it would do something now by itself, whatever it waits for.
    fn has_wish(&self, _now_ms: u64) -> bool {
        false
    }
}

impl Player for Agent {
    fn read(&mut self, text: &str, now_ms: u64) {
        self.on_text(text, now_ms);
    }

    fn act(&mut self, now_ms: u64) -> Vec<Act> {
        let effects = self.next(now_ms).into_iter();
        effects
            .filter_map(|effect| match effect {
                Effect::Send(frame) => Some(Act::Send(frame)),
                Effect::Think { id, prompt, brief } => Some(Act::Think { id, prompt, brief }),
                // What a model would say for stories of folds nobody is asked here.
                Effect::Log(_) | Effect::Note(_) | Effect::Retell(_) => None,
            })
            .collect()
    }

    fn on_thought(&mut self, id: u64, thought: Thought, now_ms: u64) {
        Agent::on_thought(self, id, thought, now_ms);
    }

    fn has_wish(&self, now_ms: u64) -> bool {
        self.wish(now_ms).is_some()
    }
}
