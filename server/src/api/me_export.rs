//! `GET /api/v1/me/export`: everything that the server keeps of one character, as one JSON object, written while it is
//! read.
//!
//! Invariant: an answer that ends as it should is whole; one that breaks off is told so by the connection.

use super::error::{ApiError, Failure};
use super::viewer::Viewer;
use crate::lobby::Lobby;
use crate::store::accounts::AccountRow;
use crate::store::decisions::Cursor;
use crate::store::{Store, accounts, agent_events, decision_archives, keys, logs, memories, sessions};
use crate::times::{rfc3339_ms, unix_ms};
use anyhow::Context;
use axum::Extension;
use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use mind::LogId;
use mind::log_id::FIRST_MIND;
use protocol::minds::MindName;
use serde::Serialize;
use serde_json::{Value, json};
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;

/// Rows that are read at a time.
const PAGE: i64 = 1_000;
/// Pieces that may wait for the client.
const PIECES: usize = 4;
/// A client that takes nothing for so long is gone.
const STALL_LONGEST: Duration = Duration::from_secs(60);
/// Sessions are counted in thousands at most: a row each.
const SESSIONS_MAX: i64 = 100_000;

/// Everything that is kept of one's own character
///
/// `account`, `keys`, `character` (its record), `sessions`, `log` (entries of its mind, docs/LOGS.md), `memories` (its
/// story and the graph of its last dream, or `null`) and `decisions` (docs/PROTOCOL.md), as they are kept. What it said
/// in channels is in the channels.
#[utoipa::path(
    get, path = "/api/v1/me/export", tag = "me", security(("bearer" = [])),
    responses(
        (status = 200, description = "All of it.", content_type = "application/json", body = Object, example = json!({
            "made_at": "2026-11-26T18:45:29.000Z",
            "account": {
                "name": "brenda", "display_name": "Brenda", "created_at": "2026-11-20T08:00:00.000Z",
                "last_login_at": "2026-11-26T18:40:00.000Z", "has_password": true
            },
            "keys": [], "character": {"name": "brenda", "level": 4}, "sessions": [], "log": [], "memories": null,
            "decisions": []
        })),
        (status = "default", description = "Nobody is logged in.", body = Failure),
    )
)]
pub async fn export(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
) -> Result<Response, ApiError> {
    let name = viewer.own_name()?.to_string();
    let Some(account) = accounts::find(lobby.accounts.store(), &name).await? else {
        return Err(ApiError::not_found("There is no such character any more."));
    };
    let file = format!("attachment; filename=\"{name}.json\"");
    let (to, pieces) = mpsc::channel::<io::Result<Bytes>>(PIECES);
    let last_words = to.clone();
    tokio::spawn(async move {
        let mut out = Out { to, text: Vec::new() };
        if let Err(error) = write(&lobby, &account, &mut out).await {
            tracing::error!(%name, error = format!("{error:#}"), "an export of a character broke off");
            // The client may be the one that is gone.
            let _unheard = last_words.send(Err(io::Error::other("the export broke off"))).await;
        }
    });
    let pieces = futures_util::stream::unfold(pieces, async |mut pieces| Some((pieces.recv().await?, pieces)));
    let head = [(CONTENT_TYPE, "application/json"), (CONTENT_DISPOSITION, file.as_str())];
    Ok((head, Body::from_stream(pieces)).into_response())
}

/// The answer while it is written.
struct Out {
    to: mpsc::Sender<io::Result<Bytes>>,
    text: Vec<u8>,
}

impl Out {
    fn json(&mut self, value: &impl Serialize) -> anyhow::Result<()> {
        Ok(serde_json::to_writer(&mut self.text, value)?)
    }

    fn raw(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    /// One field of the whole, and not the first.
    fn field(&mut self, name: &str, value: &impl Serialize) -> anyhow::Result<()> {
        self.raw(&format!(",\n\"{name}\": "));
        self.json(value)
    }

    /// Hands over what is written.
    async fn hand_over(&mut self) -> anyhow::Result<()> {
        let piece = Bytes::from(std::mem::take(&mut self.text));
        let taken = tokio::time::timeout(STALL_LONGEST, self.to.send(Ok(piece))).await;
        taken.context("the client takes nothing")?.context("the client is gone")
    }
}

async fn write(lobby: &Lobby, account: &AccountRow, out: &mut Out) -> anyhow::Result<()> {
    let (store, name) = (lobby.accounts.store(), &account.name);
    let time = |at: Option<i64>| at.map(rfc3339_ms);
    out.raw("{\"made_at\": ");
    out.json(&rfc3339_ms(unix_ms()))?;
    out.field(
        "account",
        &json!({
            "name": name,
            "display_name": account.display_name,
            "created_at": rfc3339_ms(account.created_at),
            "last_login_at": time(account.last_login_at),
            "has_password": account.password_hash.is_some(),
        }),
    )?;
    let keys = keys::list(store, Some(name)).await?;
    let key = |key: &keys::KeyRow| {
        json!({
            "prefix": key.prefix, "created_at": rfc3339_ms(key.created_at), "revoked_at": time(key.revoked_at),
            "last_used_at": time(key.last_used_at),
        })
    };
    out.field("keys", &keys.iter().map(key).collect::<Vec<Value>>())?;
    let here = lobby.engine.with_world(|world| world.record_of(world.find_player(name)?));
    let record = match here {
        Some(record) => Some(record),
        None => lobby.saver.newest(name).await?,
    };
    out.field("character", &record)?;
    out.hand_over().await?;
    let mut rows = sessions::of(store, name, SESSIONS_MAX).await?;
    // Those of another character that had the name before are not its own.
    rows.retain(|row| row.session.started_at >= account.created_at);
    rows.reverse();
    let session = |row: &sessions::SessionRow| {
        let one = &row.session;
        json!({
            "id": row.id, "started_at": rfc3339_ms(one.started_at), "ended_at": time(row.ended_at),
            "transport": one.transport.name(), "agent": one.is_agent, "harness": one.client.harness, "model": one.client.model,
            "version": one.client.version, "tier": one.client.tier, "valence": one.client.valence, "features": one.client.features,
        })
    };
    out.field("sessions", &rows.iter().map(session).collect::<Vec<Value>>())?;
    let log = LogId::new(name, FIRST_MIND);
    write_log(store, &log, "log", out).await?;
    for mind in MindName::COUNCIL {
        let log = LogId::of(name, mind);
        // Most have none.
        if agent_events::newest(store, &log).await?.seq > 0 {
            write_log(store, &log, &format!("log_{}", mind.word()), out).await?;
        }
    }
    let cursor = memories::cursor(store, &log).await?;
    let graph = memories::graph(store, &log).await?;
    let graph = tokio::task::spawn_blocking(move || graph.map(|graph| graph.document()).transpose()).await??;
    let graph: Option<Value> = graph.map(|document| serde_json::from_slice(&document)).transpose()?;
    let remembered = cursor.map(|cursor| {
        json!({ "dreamt_at": rfc3339_ms(cursor.dreamt_at), "through_seq": cursor.last_seq, "story": cursor.summary, "graph": graph })
    });
    out.field("memories", &remembered)?;
    out.hand_over().await?;
    write_decisions(store, account, out).await?;
    out.raw("\n}\n");
    out.hand_over().await
}

async fn write_log(store: &Store, log: &LogId, field: &str, out: &mut Out) -> anyhow::Result<()> {
    out.raw(&format!(",\n\"{field}\": ["));
    let mut seq = 0;
    loop {
        let rows = logs::after(store, log, seq, PAGE).await?;
        let Some(last) = rows.last().map(|row| row.seq) else { break };
        for row in &rows {
            out.raw(if row.seq == rows[0].seq && seq == 0 { "\n" } else { ",\n" });
            out.json(row)?;
        }
        seq = last;
        out.hand_over().await?;
    }
    out.raw("]");
    Ok(())
}

async fn write_decisions(store: &Store, account: &AccountRow, out: &mut Out) -> anyhow::Result<()> {
    out.raw(",\n\"decisions\": [");
    let mut after = Cursor::from(account.created_at);
    let mut is_first = true;
    loop {
        let mut rows = decision_archives::page(store, &account.name, after, i64::MAX, PAGE).await?;
        // That of the world's chance would foretell what is to come.
        rows.iter_mut().for_each(|row| row.seed = None);
        let Some(last) = rows.last().map(Cursor::behind) else { break };
        for row in &rows {
            out.raw(if std::mem::take(&mut is_first) { "\n" } else { ",\n" });
            out.json(row)?;
        }
        after = last;
        out.hand_over().await?;
    }
    out.raw("]");
    Ok(())
}
