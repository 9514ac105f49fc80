//! Tasks: what the people of a world would have done, and what they give for it. Rows of `tasks.toml`.
//!
//! How a task goes on and ends is worked by `world/src/tasks`; what each has done of it is state of the character.

use crate::text::Text;
use crate::vnum::Vnum;
use crate::words::{Class, Recurrence, StepOrder};
use serde::Serialize;

/// One task.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TaskProto {
    /// What players type: lower-case letters, digits and hyphens, and no other task of the world is called so.
    pub id: Text,
    pub title: Text,
    /// Who offers it, hears that it is done, and pays. Without one it is offered by boards alone, and ends by itself.
    pub giver: Option<Vnum>,
    /// The lowest and the highest level at which it is offered.
    pub levels: (i32, i32),
    /// The callings that it is offered to; none: all.
    pub classes: Vec<Class>,
    /// A task that has to be done before.
    pub after: Option<Text>,
    pub again: Recurrence,
    pub order: StepOrder,
    /// What one of a group does there counts for all of it that are about the same task.
    pub shared: bool,
    pub steps: Vec<TaskStep>,
    pub reward: TaskReward,
    /// What the giver says of it to who asks, and what boards show.
    pub offer: Text,
    /// What the giver says to who takes it on; may be empty, like the two that follow.
    pub accepted: Text,
    /// What the giver says to who asks before it is done.
    pub waits: Text,
    /// What the giver says when it is done; without a giver, what one reads then.
    pub done: Text,
}

impl TaskProto {
    /// The title as the end of a sentence: with a full stop, unless it ends with a mark of its own.
    pub fn title_ended(&self) -> String {
        let stop = if self.title.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("{}{stop}", self.title)
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct TaskStep {
    pub kind: StepKind,
    /// As players read it, without a full stop: "Kill cellar rats".
    pub text: Text,
}

/// What there is to do.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub enum StepKind {
    /// Give so many of an object to a mob, which keeps them.
    Bring {
        object: Vnum,
        to: Vnum,
        count: i32,
    },
    Kill {
        mob: Vnum,
        count: i32,
    },
    Visit {
        room: Vnum,
    },
    /// Say one of the words to a mob; without words, anything.
    Ask {
        mob: Vnum,
        about: Vec<Text>,
    },
    /// Have a mob follow one to a room. It comes along as soon as one stands before it.
    Escort {
        mob: Vnum,
        to: Vnum,
    },
    /// Come to have an object.
    Find {
        object: Vnum,
    },
    /// Be in a zone for so many ticks without leaving it, and live.
    Survive {
        zone: i32,
        ticks: i32,
    },
    /// Give so much gold to a mob, at once or by and by.
    Pay {
        gold: i32,
        to: Vnum,
    },
}

impl StepKind {
    /// How much of it there is to do, in its own unit: objects, kills, ticks, coins, or once.
    pub fn need(&self) -> i32 {
        match self {
            StepKind::Bring { count, .. } | StepKind::Kill { count, .. } => *count,
            StepKind::Survive { ticks, .. } => *ticks,
            StepKind::Pay { gold, .. } => *gold,
            StepKind::Visit { .. } | StepKind::Ask { .. } | StepKind::Escort { .. } | StepKind::Find { .. } => 1,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize)]
pub struct TaskReward {
    pub experience: i32,
    pub gold: i32,
    pub practices: i32,
    pub objects: Vec<Vnum>,
    /// Stands behind the name from then on, as if one had set it oneself.
    pub title: Option<Text>,
    /// What the tablets of the world say of who did it, after the name: "who brought the boat home".
    pub honour: Option<Text>,
}

/// What a thing of the world shows besides its own text, where somebody reads it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub enum Notice {
    /// The tasks that there are for who reads it.
    Board,
    /// Who earned an honour.
    Tablet,
}
