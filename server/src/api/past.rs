//! `GET /api/v1/past`: which ticks can be looked at, and where something happened. Answered by `dp-server watch`; what
//! stands behind `tick` of the other calls is answered there too (`past_calls`).

use super::error::{ApiError, Failure};
use crate::past::{Mark, Range};
use crate::replay::Difference;
use axum::response::Json;
use serde::Serialize;
use utoipa::ToSchema;

const NOT_HERE: &str = "This server shows what is now. `dp-server watch --state-dir DIR` shows the past that its journal \
                        keeps, also while it runs.";

/// Which moments there are.
#[derive(Serialize, ToSchema)]
pub struct Past {
    /// The first tick that can be looked at, and the last one.
    from: u64,
    to: u64,
    /// The length of a tick.
    tick_ms: u64,
    /// Where there are gaps, more than one; oldest first.
    parts: Vec<Part>,
    /// Deaths, levels and first meetings of players, oldest first; at most 1,000 of each kind, the newest.
    marks: Vec<Mark>,
    /// Marks that were found and are not among them.
    marks_forgotten: usize,
    /// The tick that the search for marks has come to, and whether it has ended.
    searched_to: Option<u64>,
    searched: bool,
    /// Hashes of the replay that were compared with those that were written when it was played.
    hashes_compared: usize,
    /// Where the replay first came out otherwise than what was played: from there on it is not what was.
    difference: Option<Difference>,
    /// Why parts cannot be shown, a sentence each.
    problems: Vec<String>,
    /// The state folder, for `dp-server fork --at`.
    folder: String,
}

/// The first and the last tick of a part.
#[derive(Serialize, ToSchema)]
pub struct Part {
    from: u64,
    to: u64,
}

impl Past {
    pub fn of(range: Range, folder: String) -> Past {
        Past {
            from: range.from,
            to: range.to,
            tick_ms: range.tick_ms,
            parts: range.parts.into_iter().map(|(from, to)| Part { from, to }).collect(),
            marks: range.marks,
            marks_forgotten: range.marks_forgotten,
            searched_to: range.searched_to,
            searched: range.is_searched,
            hashes_compared: range.hashes_compared,
            difference: range.difference,
            problems: range.problems,
            folder,
        }
    }
}

/// Which moments of the past can be looked at
///
/// `dp-server watch` answers it, of a state folder; there `watch`, `world`, `map`, `who` and `characters/{name}` take
/// `tick`. A running server answers 404.
#[utoipa::path(
    get, path = "/api/v1/past", tag = "world", security(()),
    responses(
        (status = 200, description = "The past.", body = Past, example = json!({
            "from": 0, "to": 5021, "tick_ms": 2000, "parts": [{"from": 0, "to": 5021}],
            "marks": [{
                "tick": 410, "kind": "meeting", "key": "brenda", "name": "Brenda", "other": "Bob", "level": null
            }],
            "marks_forgotten": 0, "searched_to": 5021, "searched": true, "hashes_compared": 167, "difference": null,
            "problems": [], "folder": "data/state"
        })),
        (status = "default", description = "This server shows what is now.", body = Failure),
    )
)]
pub async fn past() -> Result<Json<Past>, ApiError> {
    Err(ApiError::not_found(NOT_HERE))
}

/// Refuses the tick in a call that is answered by what is now.
pub(super) fn now_only(tick: Option<u64>) -> Result<(), ApiError> {
    match tick {
        None => Ok(()),
        Some(_) => Err(ApiError::not_found(NOT_HERE)),
    }
}
