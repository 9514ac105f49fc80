//! `GET /api/v1/decisions?name=`: what somebody did and why, command by command, as it was recorded; for itself, the
//! owner of an agent, and operators.

use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::Viewer;
use crate::lobby::Lobby;
use crate::store::decisions::Cursor;
use crate::store::{accounts, decision_archives};
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Decisions of one answer.
const DECISIONS: i64 = 200;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Whose {
    /// The character.
    #[param(example = "brenda")]
    name: String,
    /// What `next` said; from the first one on where nothing is said.
    after: Option<String>,
}

impl Wanted for Whose {
    const HOW: &'static str = "Decisions take the name of a character, and after, which is `next` of the answer before, \
                               as in /api/v1/decisions?name=brenda.";
}

#[derive(Serialize, ToSchema)]
pub struct Decisions {
    /// At most 200, oldest first; fields as in the exports of decisions (docs/LOGS.md).
    #[schema(value_type = Vec<Object>)]
    decisions: Vec<Value>,
    /// What to ask for next, as `after`; `null`: that was all so far.
    next: Option<String>,
}

/// What somebody did and why
#[utoipa::path(
    get, path = "/api/v1/decisions", tag = "minds", params(Whose), security(("bearer" = [])),
    responses(
        (status = 200, description = "Its decisions.", body = Decisions, example = json!({"decisions": [], "next": null})),
        (status = "default", description = "They are not for you.", body = Failure),
    )
)]
pub async fn decisions(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    Query(Whose { name, after }): Query<Whose>,
) -> Result<Json<Decisions>, ApiError> {
    let store = lobby.accounts.store();
    let account = match viewer.looks_closely_at(&lobby, &name).await? {
        true => accounts::find(store, &name).await?,
        false => None,
    };
    let Some(account) = account else {
        return Err(ApiError::not_found("Nobody of that name has decisions that you may look at."));
    };
    // Those of another character that had the name before are not its own.
    let first = Cursor::from(account.created_at);
    let after = match after {
        None => first,
        Some(text) => read_cursor(&text).ok_or_else(|| ApiError::bad_request(Whose::HOW))?.max(first),
    };
    let rows = decision_archives::page(store, &account.name, after, i64::MAX, DECISIONS).await?;
    // A page may be short where others come behind it.
    let next = rows.last().map(Cursor::behind).map(|Cursor { at, number, part }| format!("{at}-{number}-{part}"));
    let decisions: Result<Vec<Value>, _> = rows.iter().map(serde_json::to_value).collect();
    let decisions = decisions.map_err(|error| ApiError::unavailable(&error))?;
    Ok(Json(Decisions { decisions, next }))
}

fn read_cursor(text: &str) -> Option<Cursor> {
    let mut numbers = text.split('-').map(|digits| digits.parse().ok().filter(|number: &i64| *number >= 0));
    let cursor = Cursor { at: numbers.next()??, number: numbers.next()??, part: numbers.next()?? };
    numbers.next().is_none().then_some(cursor)
}
