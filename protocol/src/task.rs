//! The shapes of the variables about what others have for a character: what it has been asked to do and how far it is,
//! and what is to be had where it stands.

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

/// What there is to do in a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TaskWork {
    Bring,
    Kill,
    Visit,
    Ask,
    Escort,
    Find,
    Survive,
    Pay,
}

/// A step for programs: what they need not read out of `text`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskStepSeen {
    pub text: Arc<str>,
    /// 0 to `need`.
    pub done: i32,
    pub need: i32,
    pub work: TaskWork,
    /// It counts now: in a task whose steps have an order, those before it are done.
    pub due: bool,
    /// The thing to bring or to find, or whom to kill or to lead, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub what: Option<Arc<str>>,
    /// Whom to give it to, to pay or to ask, by name; the room to lead somebody to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to: Option<Arc<str>>,
    /// A room or land where it goes on; left out where nobody knows.
    #[serde(rename = "where", default, skip_serializing_if = "Option::is_none")]
    pub place: Option<Arc<str>>,
}

/// What `list` and `tasks` would tell of whoever is here: the value of `ROOM_OFFERS`.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct RoomOffers {
    /// Who keeps a shop here, at whatever hours; null where nobody does.
    pub keeper: Option<Arc<str>>,
    /// What can be taken on here, in the order of the content; may be empty.
    pub tasks: Vec<TaskOffered>,
}

/// A task that somebody here would give.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct TaskOffered {
    /// What to type for it: `accept rats`.
    pub id: Arc<str>,
    pub title: Arc<str>,
    pub giver: Arc<str>,
}
