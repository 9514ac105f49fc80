//! The shape of the variable about tasks: what a character has been asked to do, and how far it is.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// An entry of `TASKS`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskSeen {
    /// What to type for it: `tasks rats`, `abandon rats`.
    pub id: Arc<str>,
    pub title: Arc<str>,
    /// Who asked for it; null where a board did.
    pub giver: Option<Arc<str>>,
    pub steps: Vec<TaskStepSeen>,
    /// Nothing is left to do but to go back to the giver.
    pub ready: bool,
    /// A room or land where it goes on: of the next step, or of the giver; null where nobody knows.
    #[serde(rename = "where")]
    pub place: Option<Arc<str>>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskStepSeen {
    pub text: Arc<str>,
    /// 0 to `need`.
    pub done: i32,
    pub need: i32,
}
