//! `GET /api/v1/minds/{name}/…`: what is on somebody's mind, its log, and what it dreamt; for itself, the owner of an
//! agent, and operators, and for all who may watch where it has opened its mind (`toggle openmind`).
//!
//! Reads the database, as the verb `hud at` does. Invariant: nothing here writes, and each look by somebody else is
//! named in the log of the server.

use super::error::{ApiError, Failure, PathWord, Query, Wanted};
use super::viewer::{Look, Viewer, look_at, note_look, shown_tick};
use crate::lobby::Lobby;
use crate::minds::past::Moment;
use crate::observatory::Observatory;
use crate::store::agent_events::AgentEvent;
use crate::store::{canonical, logs, memories};
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use mind::LogId;
use mind::budget::Tier;
use mind::event::{HAPPENING, LEGACY};
use mind::hud::Format;
use protocol::happening::{Happening, What};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};

/// Entries of one answer.
const ENTRIES: i64 = 200;
pub(super) const NOBODY: &str = "Nobody of that name has a mind that you may look at.";

/// The log of a mind that may be looked at, and how. `what` is looked at: noted where somebody does who is not itself.
pub(super) async fn log_of(
    lobby: &Lobby,
    observatory: &Observatory,
    viewer: &Viewer,
    name: &str,
    what: &str,
) -> Result<(LogId, Look), ApiError> {
    let name = canonical(name);
    let look = look_at(lobby, observatory, viewer, &name).await?;
    let Some(look) = look else { return Err(ApiError::not_found(NOBODY)) };
    if !lobby.accounts.exists(&name).await? {
        return Err(ApiError::not_found(NOBODY));
    }
    note_look(lobby, viewer, look, &name, what).await;
    Ok((LogId::from(&name), look))
}

/// Whether an entry holds nothing but what is of the mind itself: not what others said to it or handed down.
fn is_its_own(row: &AgentEvent) -> bool {
    let spoken = || match serde_json::from_str::<Happening>(&row.payload) {
        Ok(happening) => matches!(happening.what, What::Spoke { .. }),
        Err(_) => true,
    };
    match &*row.kind {
        "heard" | LEGACY => false,
        // What a layer of a persona thinks is for nobody else in the game.
        "thought" => !row.payload.contains("\"layer\""),
        HAPPENING => !spoken(),
        _ => true,
    }
}

/// Memories quote what others said: their words are left out, and the marks stay.
fn without_quotes(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::with_capacity(text.len());
    for sign in text.chars() {
        let is_mark = sign == '"';
        inside ^= is_mark;
        if is_mark && !inside {
            kept.push('…');
        }
        if is_mark || !inside {
            kept.push(sign);
        }
    }
    kept
}

/// Of a graph what is drawn: no words of others stand in it.
fn outline(graph: &Value) -> Value {
    let part = |list: &str, fields: &[&str]| -> Vec<Value> {
        let all = graph[list].as_array().into_iter().flatten();
        let one = |row: &Value| {
            let kept = fields.iter().map(|field| match &row[*field] {
                Value::String(text) => (field.to_string(), without_quotes(text).into()),
                other => (field.to_string(), other.clone()),
            });
            Value::Object(kept.collect())
        };
        all.map(one).collect()
    };
    let nodes = part("nodes", &["id", "kind", "label", "salience", "valence"]);
    serde_json::json!({ "nodes": nodes, "edges": part("edges", &["from", "to", "kind", "weight"]) })
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
    /// As it was before the tick after this one, instead of after an entry.
    #[param(example = 5021)]
    tick: Option<u64>,
    /// As an agent of this tier reads it: small, medium, large or unlimited; nothing is left out where none is named.
    #[param(example = "small")]
    tier: Option<String>,
}

impl Wanted for HudWanted {
    const HOW: &'static str = "A HUD takes format (markdown, json, compact-json or toon), seq, the number of an entry, \
                               or tick, and tier (small, medium, large or unlimited), as in \
                               /api/v1/minds/brenda/hud?format=json&seq=12.";
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

/// What is on somebody's mind, now, after an entry of its log, or after a tick
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
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
    Query(HudWanted { format, seq, tick, tier }): Query<HudWanted>,
) -> Result<Json<Hud>, ApiError> {
    let format: Format = match format {
        None => Format::Markdown,
        Some(word) => word.parse().map_err(|_| ApiError::bad_request(HudWanted::HOW))?,
    };
    let tier: Option<Tier> =
        tier.map(|word| word.parse()).transpose().map_err(|_| ApiError::bad_request(HudWanted::HOW))?;
    if seq.is_some() && tick.is_some() {
        return Err(ApiError::bad_request(HudWanted::HOW));
    }
    let (log, look) = log_of(&lobby, &observatory, &viewer, &name, "mind.hud").await?;
    // An open mind is read as late as its place is shown.
    let through_tick = shown_tick(&lobby, &observatory, look);
    let newest = tick.into_iter().chain(through_tick).min();
    let then = lobby.engine.minds.hud_after(&log, seq, newest).await;
    match then.map_err(|error| ApiError::unavailable(&format!("{error:#}")))? {
        Moment::Was { tick, .. } if through_tick.is_some_and(|last| tick > last) => {
            Err(ApiError::not_found("That is not shown yet: an open mind is read a little later than it thinks."))
        }
        Moment::Was { state, shared, tick, at_ms } => {
            let seq = state.seq;
            // What others shared with it they shared with nobody else.
            let shared = if look == Look::Close { shared } else { Vec::new() };
            let hud = mind::edit::hud_text(&state, &shared, tier, format);
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
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
    Query(After { after }): Query<After>,
) -> Result<Json<Log>, ApiError> {
    let (log, look) = log_of(&lobby, &observatory, &viewer, &name, "mind.log").await?;
    let after = i64::try_from(after.unwrap_or(0)).map_err(|_| ApiError::bad_request(After::HOW))?;
    let mut rows = logs::after(lobby.accounts.store(), &log, after, ENTRIES).await?;
    if let Some(last) = shown_tick(&lobby, &observatory, look) {
        rows.retain(|row| u64::try_from(row.tick).is_ok_and(|tick| tick <= last));
    }
    let next = rows.last().map(|row| row.seq).filter(|_| rows.len() as i64 == ENTRIES);
    let shown = rows.iter().filter(|row| look == Look::Close || is_its_own(row));
    let entries: Result<Vec<Value>, _> = shown.map(serde_json::to_value).collect();
    let entries = entries.map_err(|error| ApiError::unavailable(&error))?;
    Ok(Json(Log { entries, next }))
}

#[derive(Serialize, ToSchema)]
pub struct Remembered {
    dreamt_at: String,
    /// The entry of the log that the last dream came to.
    through_seq: i64,
    /// Nodes and edges (docs/MEMORY.md); of an open mind what can be drawn of them.
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
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
) -> Result<Json<Remembered>, ApiError> {
    let (log, look) = log_of(&lobby, &observatory, &viewer, &name, "mind.graph").await?;
    let store = lobby.accounts.store();
    let (cursor, graph) = (memories::cursor(store, &log).await?, memories::graph(store, &log).await?);
    let (Some(cursor), Some(graph)) = (cursor, graph) else { return Err(not_dreamt()) };
    // Unpacking and reading a large one takes a moment.
    let read = tokio::task::spawn_blocking(move || anyhow::Ok(serde_json::from_slice(&graph.document()?)?)).await;
    let read = read.map_err(|error| ApiError::unavailable(&error))?;
    let mut graph: Value = read.map_err(|error| ApiError::unavailable(&format!("{error:#}")))?;
    if look == Look::Open {
        graph = outline(&graph);
    }
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
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
) -> Result<Json<Dream>, ApiError> {
    let (log, look) = log_of(&lobby, &observatory, &viewer, &name, "mind.dream").await?;
    let cursor = memories::cursor(lobby.accounts.store(), &log).await?.ok_or_else(not_dreamt)?;
    let (dreamt_at, through_seq) = (rfc3339_ms(cursor.dreamt_at), cursor.last_seq);
    let story = if look == Look::Open { without_quotes(&cursor.summary) } else { cursor.summary };
    Ok(Json(Dream { dreamt_at, through_seq, story }))
}

fn not_dreamt() -> ApiError {
    ApiError::not_found("Nothing was dreamt of that log yet.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_others_are_left_out_of_what_is_shown_to_all() {
        for (told, shown) in [
            ("Bob threatened her: \"I will have your sword.\" A bad day.", "Bob threatened her: \"…\" A bad day."),
            ("Nothing was said.", "Nothing was said."),
            ("\"One\" and \"two", "\"…\" and \""),
        ] {
            assert_eq!(without_quotes(told), shown);
        }
        let node = serde_json::json!({"id": "e1", "label": "said \"yes\"", "valence": -2, "text": "yes"});
        let shown = outline(&serde_json::json!({"nodes": [node], "edges": [], "facts": ["yes"]}));
        let node = serde_json::json!({
            "id": "e1", "kind": null, "label": "said \"…\"", "salience": null, "valence": -2
        });
        assert_eq!(shown, serde_json::json!({"nodes": [node], "edges": []}));
    }
}
