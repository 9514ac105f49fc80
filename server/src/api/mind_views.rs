//! `GET /api/v1/minds/{name}/…`: what is on somebody's mind, its log, and what it dreamt; for itself, the owner of an
//! agent, and operators.
//!
//! Reads the database, as the verb `hud at` does. Invariant: nothing here writes, and each look by somebody else is
//! named in the log of the server.

use super::error::{ApiError, Failure, PathWord, Query, Wanted};
use super::viewer::Viewer;
use crate::lobby::Lobby;
use crate::minds::past::Moment;
use crate::store::{canonical, logs, memories};
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use mind::LogId;
use mind::hud::Format;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Entries of one answer.
const ENTRIES: i64 = 200;
const NOBODY: &str = "Nobody of that name has a mind that you may look at.";

/// The log of a mind that may be looked at.
pub(super) async fn log_of(lobby: &Lobby, viewer: &Viewer, name: &str) -> Result<LogId, ApiError> {
    let name = canonical(name);
    let may = viewer.looks_closely_at(lobby, &name).await? && lobby.accounts.exists(&name).await?;
    if !may {
        return Err(ApiError::not_found(NOBODY));
    }
    let is_own = matches!(viewer, Viewer::Player { name: own } if *own == name);
    if !is_own {
        tracing::info!(?viewer, %name, "a mind was looked at");
    }
    Ok(LogId::from(&name))
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct HudWanted {
    /// markdown, json, compact-json or toon; markdown where nothing is said.
    #[param(example = "markdown")]
    format: Option<String>,
    /// After this entry of its log; after the newest where nothing is said.
    #[param(example = 12)]
    seq: Option<u64>,
}

impl Wanted for HudWanted {
    const HOW: &'static str = "A HUD takes format (markdown, json, compact-json or toon) and seq, the number of an \
                               entry, as in /api/v1/minds/brenda/hud?format=json&seq=12.";
}

#[derive(Serialize, ToSchema)]
pub struct Hud {
    /// Of the last entry up to then, with its tick and its time.
    seq: u64,
    tick: u64,
    at: String,
    /// In the wanted form.
    hud: String,
}

/// What is on somebody's mind, now or after an entry of its log
#[utoipa::path(
    get, path = "/api/v1/minds/{name}/hud", tag = "minds",
    params(("name" = String, Path, example = "brenda"), HudWanted), security(("bearer" = [])),
    responses(
        (status = 200, description = "Its HUD.", body = Hud, example = json!({
            "seq": 12, "tick": 5021, "at": "2026-11-26T18:45:29.000Z", "hud": "## Notes\n- #12 the well is dry\n"
        })),
        (status = "default", description = "Nothing is in the log, or it is not for you.", body = Failure),
    )
)]
pub async fn hud(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
    Query(HudWanted { format, seq }): Query<HudWanted>,
) -> Result<Json<Hud>, ApiError> {
    let format: Format = match format {
        None => Format::Markdown,
        Some(word) => word.parse().map_err(|_| ApiError::bad_request(HudWanted::HOW))?,
    };
    let log = log_of(&lobby, &viewer, &name).await?;
    let then = lobby.engine.minds.hud_after(&log, seq).await;
    match then.map_err(|error| ApiError::unavailable(&format!("{error:#}")))? {
        Moment::Was { state, shared, tick, at_ms } => {
            let seq = state.seq;
            let hud = mind::edit::whole(&state, &shared, format);
            Ok(Json(Hud { seq, tick, at: rfc3339_ms(at_ms), hud }))
        }
        Moment::Never(why) => Err(ApiError::not_found(why)),
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct After {
    /// Entries after this number; from the beginning where nothing is said.
    #[param(example = 0)]
    after: Option<u64>,
}

impl Wanted for After {
    const HOW: &'static str = "A log takes the number of an entry: /api/v1/minds/brenda/log?after=12.";
}

#[derive(Serialize, ToSchema)]
pub struct Log {
    /// At most 200, oldest first (docs/LOGS.md). `payload` is JSON in a text.
    #[schema(value_type = Vec<Object>)]
    entries: Vec<Value>,
    /// What to ask for next; `null`: that was all so far.
    next: Option<i64>,
}

/// The log of a mind
#[utoipa::path(
    get, path = "/api/v1/minds/{name}/log", tag = "minds",
    params(("name" = String, Path, example = "brenda"), After), security(("bearer" = [])),
    responses(
        (status = 200, description = "Its entries.", body = Log, example = json!({"entries": [], "next": 212})),
        (status = "default", description = "It is not for you.", body = Failure),
    )
)]
pub async fn log(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
    Query(After { after }): Query<After>,
) -> Result<Json<Log>, ApiError> {
    let log = log_of(&lobby, &viewer, &name).await?;
    let after = i64::try_from(after.unwrap_or(0)).map_err(|_| ApiError::bad_request(After::HOW))?;
    let rows = logs::after(lobby.accounts.store(), &log, after, ENTRIES).await?;
    let next = rows.last().map(|row| row.seq).filter(|_| rows.len() as i64 == ENTRIES);
    let entries: Result<Vec<Value>, _> = rows.iter().map(serde_json::to_value).collect();
    let entries = entries.map_err(|error| ApiError::unavailable(&error))?;
    Ok(Json(Log { entries, next }))
}

#[derive(Serialize, ToSchema)]
pub struct Remembered {
    dreamt_at: String,
    /// The entry of the log that the last dream came to.
    through_seq: i64,
    /// Nodes and edges (docs/MEMORY.md).
    #[schema(value_type = Object)]
    graph: Value,
}

/// What somebody remembers: the graph of its last dream
#[utoipa::path(
    get, path = "/api/v1/minds/{name}/graph", tag = "minds", params(("name" = String, Path, example = "brenda")),
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The graph.", body = Remembered),
        (status = "default", description = "It has not dreamt, or is not for you.", body = Failure),
    )
)]
pub async fn graph(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
) -> Result<Json<Remembered>, ApiError> {
    let log = log_of(&lobby, &viewer, &name).await?;
    let store = lobby.accounts.store();
    let (cursor, graph) = (memories::cursor(store, &log).await?, memories::graph(store, &log).await?);
    let (Some(cursor), Some(graph)) = (cursor, graph) else { return Err(not_dreamt()) };
    // Unpacking and reading a large one takes a moment.
    let read = tokio::task::spawn_blocking(move || anyhow::Ok(serde_json::from_slice(&graph.document()?)?)).await;
    let read = read.map_err(|error| ApiError::unavailable(&error))?;
    let graph = read.map_err(|error| ApiError::unavailable(&format!("{error:#}")))?;
    Ok(Json(Remembered { dreamt_at: rfc3339_ms(cursor.dreamt_at), through_seq: cursor.last_seq, graph }))
}

#[derive(Serialize, ToSchema)]
pub struct Dream {
    dreamt_at: String,
    through_seq: i64,
    /// Its story of itself, in Markdown.
    story: String,
}

/// What somebody dreamt last: its story
#[utoipa::path(
    get, path = "/api/v1/minds/{name}/dream", tag = "minds", params(("name" = String, Path, example = "brenda")),
    security(("bearer" = [])),
    responses(
        (status = 200, description = "The story.", body = Dream),
        (status = "default", description = "It has not dreamt, or is not for you.", body = Failure),
    )
)]
pub async fn dream(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
) -> Result<Json<Dream>, ApiError> {
    let log = log_of(&lobby, &viewer, &name).await?;
    let cursor = memories::cursor(lobby.accounts.store(), &log).await?.ok_or_else(not_dreamt)?;
    let (dreamt_at, through_seq) = (rfc3339_ms(cursor.dreamt_at), cursor.last_seq);
    Ok(Json(Dream { dreamt_at, through_seq, story: cursor.summary }))
}

fn not_dreamt() -> ApiError {
    ApiError::not_found("Nothing was dreamt of that log yet.")
}
