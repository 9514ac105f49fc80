//! `GET /api/v1/decisions?name=`: what somebody did and why, command by command, as it was recorded; for itself, the
//! owner of an agent, and operators, and of an open mind for all who may watch.

use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::{Look, Viewer, look_at, note_look, shown_tick};
use crate::lobby::Lobby;
use crate::observatory::Observatory;
use crate::store::decisions::{Cursor, Decision, newest as newest_rows};
use crate::store::{accounts, decision_archives};
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use protocol::verbs::{self, Rank};
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
    /// The newest instead, newest first: how many, up to 200.
    #[param(example = 20)]
    newest: Option<i64>,
    /// With `newest`: the newest of those before the tick after this one.
    #[param(example = 5021)]
    tick: Option<u64>,
}

impl Wanted for Whose {
    const HOW: &'static str = "Decisions take the name of a character, and after, which is `next` of the answer before, \
                               or newest, up to 200, and with it tick, as in \
                               /api/v1/decisions?name=brenda&newest=20.";
}

#[derive(Serialize, ToSchema)]
pub struct Decisions {
    /// At most 200, oldest first but where the newest were asked for; fields as in the exports of decisions
    /// (docs/LOGS.md).
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
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    Query(Whose { name, after, newest, tick }): Query<Whose>,
) -> Result<Json<Decisions>, ApiError> {
    let store = lobby.accounts.store();
    let nobody = || ApiError::not_found("Nobody of that name has decisions that you may look at.");
    let look = look_at(&lobby, &observatory, &viewer, &name).await?.ok_or_else(nobody)?;
    let account = accounts::find(store, &name).await?.ok_or_else(nobody)?;
    note_look(&lobby, &viewer, look, &account.name, "decisions").await;
    // Those of another character that had the name before are not its own.
    let first = Cursor::from(account.created_at);
    let after = match after {
        None => first,
        Some(text) => read_cursor(&text).ok_or_else(|| ApiError::bad_request(Whose::HOW))?.max(first),
    };
    // An open mind is read as late as its place is shown.
    let through_tick = shown_tick(&lobby, &observatory, look).map_or(i64::MAX, |tick| tick as i64);
    let tells_seed = viewer.is_operator(&lobby).await?;
    let shown = |rows| as_shown(rows, look, tells_seed);
    if let Some(most) = newest {
        if !(1..=DECISIONS).contains(&most) {
            return Err(ApiError::bad_request(Whose::HOW));
        }
        let tick = tick.map_or(i64::MAX, |tick| i64::try_from(tick).unwrap_or(i64::MAX));
        let rows = newest_rows(store, &account.name, after, through_tick.min(tick), most).await?;
        return Ok(Json(Decisions { decisions: shown(rows)?, next: None }));
    }
    if tick.is_some() {
        return Err(ApiError::bad_request(Whose::HOW));
    }
    let mut rows = decision_archives::page(store, &account.name, after, i64::MAX, DECISIONS).await?;
    rows.retain(|row| row.tick <= through_tick);
    // A page may be short where others come behind it.
    let next = rows.last().map(Cursor::behind).map(|Cursor { at, number, part }| format!("{at}-{number}-{part}"));
    Ok(Json(Decisions { decisions: shown(rows)?, next }))
}

/// The seed of the world's chance foretells what is to come: that is for operators. What somebody told its own mind
/// stands in its log, as far as that is open.
fn as_shown(mut rows: Vec<Decision>, look: Look, tells_seed: bool) -> Result<Vec<Value>, ApiError> {
    if !tells_seed {
        rows.iter_mut().for_each(|row| row.seed = None);
    }
    if look == Look::Open {
        rows.retain(|row| verbs::find(&row.command, 1).is_none_or(|verb| verb.rank != Rank::Mind));
    }
    let decisions: Result<Vec<Value>, _> = rows.iter().map(serde_json::to_value).collect();
    decisions.map_err(|error| ApiError::unavailable(&error))
}

fn read_cursor(text: &str) -> Option<Cursor> {
    let mut numbers = text.split('-').map(|digits| digits.parse().ok().filter(|number: &i64| *number >= 0));
    let cursor = Cursor { at: numbers.next()??, number: numbers.next()??, part: numbers.next()?? };
    numbers.next().is_none().then_some(cursor)
}
