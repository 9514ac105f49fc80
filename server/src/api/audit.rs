//! `GET /api/v1/audit`: what operators did, and whose minds they looked at; for operators.

use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::{Viewer, eye};
use crate::lobby::Lobby;
use crate::observatory::Eye;
use crate::store::audit;
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Entries of one answer.
const ENTRIES: i64 = 100;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Before {
    /// Entries before this number; the newest where nothing is said.
    #[param(example = 120)]
    before: Option<u64>,
}

impl Wanted for Before {
    const HOW: &'static str = "The audit takes the number of an entry: /api/v1/audit?before=120.";
}

#[derive(Serialize, ToSchema)]
pub struct Audit {
    /// At most 100, the newest first.
    entries: Vec<Act>,
    /// What to ask for next, as `before`; `null`: that was all.
    next: Option<i64>,
}

#[derive(Serialize, ToSchema)]
pub struct Act {
    id: i64,
    at: String,
    /// A character, or `operator`: who has the admin token.
    actor: String,
    /// `api`, `admin` or `game`.
    origin: String,
    action: String,
    target: String,
    detail: String,
}

/// What operators did
///
/// Each look at a mind that is not one's own, and each act of the operator's API but ticks and dice.
#[utoipa::path(
    get, path = "/api/v1/audit", tag = "operators", params(Before), security(("bearer" = [])),
    responses(
        (status = 200, description = "The entries.", body = Audit, example = json!({
            "entries": [{
                "id": 12, "at": "2026-11-26T18:45:29.000Z", "actor": "operator", "origin": "api",
                "action": "mind.hud", "target": "brenda", "detail": ""
            }],
            "next": null
        })),
        (status = "default", description = "You are no operator.", body = Failure),
    )
)]
pub async fn audit(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    Query(Before { before }): Query<Before>,
) -> Result<Json<Audit>, ApiError> {
    if !matches!(eye(&lobby, &viewer).await?.0, Eye::Operator { .. }) {
        return Err(ApiError::not_found("There is no such call for you: it is for operators."));
    }
    let before = before.map(|id| i64::try_from(id).unwrap_or(i64::MAX));
    let rows = audit::newest(lobby.accounts.store(), before, None, ENTRIES).await?;
    let next = rows.last().map(|row| row.id).filter(|_| rows.len() as i64 == ENTRIES);
    let act = |row: audit::Written| Act {
        id: row.id,
        at: rfc3339_ms(row.at),
        actor: row.actor,
        origin: row.origin,
        action: row.action,
        target: row.target,
        detail: row.detail,
    };
    Ok(Json(Audit { entries: rows.into_iter().map(act).collect(), next }))
}
