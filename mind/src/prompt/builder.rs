//! Keeps the parts of one session and makes a prompt of them.

use super::{Block, Prompt, Settings};
use crate::hud::{LiveView, RecentAction, SelfView};
use crate::state::MindState;

/// P1, the snapshot P2 and the blocks of P3 of one session.
#[derive(Clone, Debug)]
pub struct PromptBuilder {
    settings: Settings,
    self_: SelfView,
    snapshot: MindState,
    blocks: Vec<Block>,
}
