//! `GET /api/v1/past`: which ticks can be looked at, and where something happened; and what stands behind `tick` of the
//! other calls. Answered by `dp-server watch` (`past_calls`): of a running server too, which asks a process of its own
//! (`past_process`) for its operators.

use super::error::{ApiError, Failure};
use crate::past::{Mark, Range};
use crate::past_process::PastProcess;
use crate::replay::Difference;
use axum::body::Body;
use axum::http::Uri;
use axum::response::{IntoResponse, Json, Response};
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;

pub(super) const NOT_HERE: &str = "There is no such moment for you to see. Who may watch sees those of /api/v1/past, \
                                   operators all; who has the folder of a server sees them by `dp-server watch \
                                   --state-dir DIR`.";
/// Calls below `/api/v1` that take a tick; `characters/` is followed by a name.
const WITH_TICK: [&str; 5] = ["watch", "world", "map", "who", "characters/"];

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
/// `dp-server watch` answers it, of a state folder, and a running server that keeps a journal, where one may have to
/// wait some seconds at first. `watch` and `world` take `tick` then, for operators `map`, `who` and `characters/{name}`
/// too. Who is no operator is shown moments that are old enough, whom one could watch then and may watch now, no mobs,
/// and of the marks deaths and levels.
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
        (status = "default", description = "It is not for you.", body = Failure),
    )
)]
pub async fn past() -> Result<Json<Past>, ApiError> {
    Err(ApiError::not_found(NOT_HERE))
}

/// Whether a call is about the past.
pub(super) fn is_of_the_past(uri: &Uri) -> bool {
    let Some(call) = uri.path().strip_prefix("/api/v1/") else { return false };
    let has_tick = || uri.query().is_some_and(|query| query.split('&').any(|pair| pair.starts_with("tick=")));
    let takes_tick = |known: &str| call == known || known.ends_with('/') && call.starts_with(known);
    call == "past" || WITH_TICK.into_iter().any(takes_tick) && has_tick()
}

/// The answer of the process that looks into the past.
pub(super) async fn looked_up(process: &Arc<PastProcess>, uri: Uri) -> Response {
    let target = uri.path_and_query().map_or(uri.path(), |target| target.as_str());
    match process.ask(target).await {
        Ok(answer) => answer.map(Body::from),
        Err(error) => ApiError::unavailable(&format!("{error:#}")).into_response(),
    }
}

/// Refuses the tick in a call that is answered by what is now.
pub(super) fn now_only(tick: Option<u64>) -> Result<(), ApiError> {
    match tick {
        None => Ok(()),
        Some(_) => Err(ApiError::not_found(NOT_HERE)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_about_the_past_by_its_tick() {
        for (uri, expected) in [
            ("/api/v1/past", true),
            ("/api/v1/watch?tick=5", true),
            ("/api/v1/world?zone=80&tick=5", true),
            ("/api/v1/characters/brenda?tick=5", true),
            ("/api/v1/world?zone=80", false),
            ("/api/v1/who?ticks=5", false),
            // These are answered from the database.
            ("/api/v1/minds/brenda/hud?tick=5", false),
            ("/api/v1/decisions?name=brenda&tick=5", false),
            ("/admin/world?tick=5", false),
        ] {
            assert_eq!(is_of_the_past(&uri.parse().expect("an address")), expected, "{uri}");
        }
    }
}
