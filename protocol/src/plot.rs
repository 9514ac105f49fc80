//! The shape of the variable about plots: what stands on the plot of a room, and what is said of it.
//!
//! How building goes is worked by the crate `plot`. Labels, reasons and memos are words of players: data.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Row and column, from 0 to 8 each.
pub type CellSeen = [u8; 2];

/// The value of `PLOT`; null where there is no plot, or none that one could see.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlotSeen {
    pub room: i32,
    pub title: Arc<str>,
    /// Rises by one with each change of what stands.
    pub revision: u32,
    /// `free`, `own` or `consent`.
    pub rule: Arc<str>,
    pub elements: Vec<ElementSeen>,
    pub axes: AxesSeen,
    /// Those that go on, and the newest few that have ended.
    pub plans: Vec<PlanSeen>,
    /// What waits for consent.
    pub pending: Vec<PendingSeen>,
    pub contested: Vec<CellSeen>,
    /// What it is built for; null where for nothing in particular.
    pub task: Option<PlotTaskSeen>,
    /// The newest entries, the oldest of them first.
    pub memo: Vec<MemoSeen>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ElementSeen {
    pub id: u32,
    pub at: CellSeen,
    /// What one types to build such a thing.
    pub kind: Arc<str>,
    /// What it is one of, as `BUILDING`.
    #[serde(rename = "type")]
    pub class: Arc<str>,
    pub icon: Arc<str>,
    /// Empty without one.
    pub label: Arc<str>,
    /// Null for what was there before anybody built.
    pub by: Option<Arc<str>>,
    pub tick: u64,
    /// Empty where nobody said.
    pub why: Arc<str>,
}

/// Ten, shared out between INNER's side and OUTER's.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct AxesSeen {
    /// Instinct, Reason.
    pub identity: [u8; 2],
    /// Seen, Unseen.
    pub experience: [u8; 2],
    /// Ideas, Ideology.
    pub language: [u8; 2],
    /// Source, Resource.
    pub domain: [u8; 2],
    /// Heart, Head.
    pub purpose: [u8; 2],
    /// Parts, Whole.
    pub order: [u8; 2],
    /// The greatest difference.
    pub imbalance: u8,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanSeen {
    pub id: u32,
    pub by: Arc<str>,
    pub text: Arc<str>,
    /// `IN_PROGRESS`, `DONE` or `ABANDONED`.
    pub status: Arc<str>,
    pub steps: Vec<PlanStepSeen>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlanStepSeen {
    /// From 1.
    pub n: u32,
    /// `inner`, `outer`, `both` or a name; null for anybody.
    #[serde(rename = "for")]
    pub meant: Option<Arc<str>>,
    pub text: Arc<str>,
    pub done: bool,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PendingSeen {
    pub id: u32,
    pub by: Arc<str>,
    /// What would be done, as it is typed after `build`.
    #[serde(rename = "do")]
    pub deed: Arc<str>,
    pub at: CellSeen,
    pub until_tick: u64,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PlotTaskSeen {
    pub name: Arc<str>,
    /// 0 to 1000.
    pub score: u32,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct MemoSeen {
    pub n: u32,
    pub tick: u64,
    pub from: Arc<str>,
    pub to: Arc<str>,
    /// `INFO`, `REQUEST`, `COORDINATION`, `ACTION_LOG` or `MESSAGE`.
    #[serde(rename = "type")]
    pub kind: Arc<str>,
    pub content: Arc<str>,
    /// Empty where nobody said.
    #[serde(default, skip_serializing_if = "is_empty")]
    pub reasoning: Arc<str>,
    /// The plot's revision as it was written.
    pub revision: u32,
}

fn is_empty(text: &Arc<str>) -> bool {
    text.is_empty()
}

/// What was done to a plot, in the words of the document of several minds.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ActionSeen {
    /// `ADD_ENTITY`, `MOVE_ENTITY` or `REMOVE_ENTITY`.
    #[serde(rename = "type")]
    pub name: Arc<str>,
    #[serde(rename = "entityType")]
    pub kind: Arc<str>,
    pub position: CellSeen,
    /// Where it stood, of what was moved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<CellSeen>,
}

/// A plot as it was: with its revision, all that stood can be drawn again.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SceneSeen {
    pub room: i32,
    pub revision: u32,
}

/// What a body built, moved or removed, as the world tells its mind.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DeedSeen {
    pub content: Arc<str>,
    /// Empty where nobody said.
    #[serde(default)]
    pub reasoning: Arc<str>,
    pub action: ActionSeen,
    pub scene: SceneSeen,
}

impl DeedSeen {
    /// One line of JSON.
    pub fn written(&self) -> String {
        serde_json::to_string(self).expect("keys are strings")
    }

    pub fn read(line: &str) -> Result<DeedSeen, String> {
        serde_json::from_str(line).map_err(|error| error.to_string())
    }
}
