//! In the place of `mind::prompt::PromptBuilder` until that is merged: everything as JSON in P4.

use mind::MindState;
use mind::hud::{LiveView, RecentAction, SelfView};
use mind::pressure::{Advisory, Density};
use mind::prompt::{Block, Part, PartName, Prompt, Role, Settings};

#[derive(Clone, Debug)]
pub struct PromptBuilder {
    self_: SelfView,
    blocks: Vec<Block>,
}

impl PromptBuilder {
    pub fn new(_: Settings) -> PromptBuilder {
        PromptBuilder { self_: SelfView::default(), blocks: Vec::new() }
    }
    pub fn set_self(&mut self, self_: SelfView) {
        self.self_ = self_;
    }
    pub fn append(&mut self, block: Block) {
        self.blocks.push(block);
    }
    pub fn compact(&mut self, _: &MindState) {
        self.blocks.clear();
    }
    pub fn build(&mut self, live: &LiveView, recent: &[RecentAction], state: &MindState) -> Prompt {
        let text = serde_json::json!({"self": self.self_, "live": live, "recent": recent, "state": state}).to_string();
        let part = Part { role: Role::User, name: PartName::P4, text, tokens: 0, cache_mark: false };
        Prompt {
            parts: vec![part],
            tokens: 0,
            budget: 1,
            sections: Vec::new(),
            density: Density::Full,
            advisory: Advisory::Normal,
            compacted: false,
        }
    }
}
