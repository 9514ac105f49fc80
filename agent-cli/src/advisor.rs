//! Who is asked for advice: the model, behind one small door, so that a player can be tried without one.

use crate::model::Thought;
use futures_util::future::BoxFuture;
use mind::prompt::Prompt;
use std::sync::Arc;

/// Gives a thought for a prompt, always in time. Shared by all players of a process.
pub trait Advise: Send + Sync {
    /// `who` keeps one player's prompts together at the provider.
    fn advise(&self, who: String, prompt: Box<Prompt>) -> BoxFuture<'static, Thought>;

    /// Nothing may be asked any more: the budget is used up.
    fn is_spent(&self) -> bool;
}

pub type Advisor = Arc<dyn Advise>;

/// The model of the settings. `None` without an endpoint.
pub fn of(config: &crate::config::Config) -> anyhow::Result<Option<Advisor>> {
    let _ = config;
    Ok(None)
}
