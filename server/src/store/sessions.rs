//! Sessions: who played when, by which transport, and what the client said it was. A record, never asked by the game.

use super::agent_archives::{self, steadily};
use super::agent_events::AgentEvent;
use super::{Store, StoreError, canonical, on_reader, on_writer};
use crate::client_info::ClientInfo;
use mind::LogId;

/// What is known when somebody has logged in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSession {
    pub name: String,
    pub started_at: i64,
    pub transport: Transport,
    pub is_agent: bool,
    pub client: ClientInfo,
    /// Which world it was, as programs are told.
    pub world: Option<String>,
    /// And the seed of its chance, which they are not.
    pub seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Transport {
    Telnet,
    #[default]
    Websocket,
}

impl Transport {
    pub const fn name(self) -> &'static str {
        match self {
            Transport::Telnet => "telnet",
            Transport::Websocket => "websocket",
        }
    }

    fn named(name: &str) -> Transport {
        match name {
            "telnet" => Transport::Telnet,
            _ => Transport::Websocket,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionRow {
    pub id: i64,
    /// `None` while it lasts.
    pub ended_at: Option<i64>,
    pub session: NewSession,
}

/// The row as it is stored.
struct Columns {
    id: i64,
    name: String,
    started_at: i64,
    ended_at: Option<i64>,
    door: String,
    is_agent: i64,
    harness: Option<String>,
    model: Option<String>,
    version: Option<String>,
    tier: Option<String>,
    valence: Option<i64>,
    features: Option<String>,
    world: Option<String>,
    seed: Option<i64>,
}

from_row!(Columns {
    id,
    name,
    started_at,
    ended_at,
    door,
    is_agent,
    harness,
    model,
    version,
    tier,
    valence,
    features,
    world,
    seed
});

/// Returns the id of the session, which no other session ever had.
pub async fn begin(store: &Store, session: &NewSession) -> Result<i64, StoreError> {
    let name = canonical(&session.name);
    let ClientInfo { harness, model, version, tier, valence, features, .. } = &session.client;
    let features = (!features.is_empty()).then(|| serde_json::to_string(features).expect("a list of strings is JSON"));
    on_writer!(store, "recording a session", |on| {
        sqlx::query_scalar(
        "INSERT INTO session (name, started_at, door, is_agent, harness, model, version, tier, valence, features, world, \
         seed) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING id"
    )
    .bind(&name)
    .bind(session.started_at)
    .bind(session.transport.name())
    .bind(i64::from(session.is_agent))
    .bind(harness)
    .bind(model)
    .bind(version)
    .bind(tier)
    .bind(valence.map(i64::from))
    .bind(&features)
    .bind(&session.world)
    .bind(session.seed.map(u64::cast_signed))
    .fetch_one(on)
    })
}

/// A session that has ended keeps its first end.
pub async fn end(store: &Store, id: i64, now_ms: i64) -> Result<(), StoreError> {
    on_writer!(store, "recording the end of a session", |on| async {
        sqlx::query("UPDATE session SET ended_at = $2 WHERE id = $1 AND ended_at IS NULL")
            .bind(id)
            .bind(now_ms)
            .execute(on)
            .await
            .map(drop)
    })
}

/// When the newest session of a character ended; `None` where it lasts, or there is none.
pub async fn last_end(store: &Store, name: &str) -> Result<Option<i64>, StoreError> {
    let name = canonical(name);
    let ended: Option<Option<i64>> =
        on_reader!(store, "looking when somebody was here last", |on| sqlx::query_scalar(
            "SELECT ended_at FROM session WHERE name = $1 ORDER BY started_at DESC, id DESC LIMIT 1"
        )
        .bind(&name)
        .fetch_optional(on))?;
    Ok(ended.flatten())
}

/// Goes on after all, since its connection outlived the program.
pub async fn resume(store: &Store, id: i64) -> Result<(), StoreError> {
    on_writer!(store, "resuming a session", |on| async {
        sqlx::query("UPDATE session SET ended_at = NULL WHERE id = $1").bind(id).execute(on).await.map(drop)
    })
}

/// Ends those that a crash left open; for the start of a server. Returns how many.
pub async fn end_all(store: &Store, now_ms: i64) -> Result<u64, StoreError> {
    on_writer!(store, "ending the sessions of a crash", |on| async {
        sqlx::query("UPDATE session SET ended_at = $1 WHERE ended_at IS NULL")
            .bind(now_ms)
            .execute(on)
            .await
            .map(|done| done.rows_affected())
    })
}

/// Takes away the records of sessions that ended before that time, but for those of agents without a file yet, and of
/// each name the newest with one: it says how far the files are. Returns how many.
pub async fn remove_before(store: &Store, before_ms: i64) -> Result<u64, StoreError> {
    on_writer!(store, "removing old records of sessions", |on| async {
        sqlx::query(
            "DELETE FROM session WHERE ended_at IS NOT NULL AND ended_at < $1 \
             AND (is_agent = 0 OR (exported_seq IS NOT NULL AND id < \
             (SELECT MAX(newest.id) FROM session AS newest WHERE newest.name = session.name \
             AND newest.exported_seq IS NOT NULL)))",
        )
        .bind(before_ms)
        .execute(on)
        .await
        .map(|done| done.rows_affected())
    })
}

/// The newest first, at most `limit`.
pub async fn of(store: &Store, name: &str, limit: i64) -> Result<Vec<SessionRow>, StoreError> {
    let name = canonical(name);
    let rows: Vec<Columns> = on_reader!(store, "listing sessions", |on| {
        sqlx::query_as(
        "SELECT id, name, started_at, ended_at, door, is_agent, harness, model, version, tier, valence, features, world, \
         seed FROM session WHERE name = $1 ORDER BY started_at DESC, id DESC LIMIT $2"
    )
    .bind(&name)
    .bind(limit)
    .fetch_all(on)
    })?;
    Ok(rows.into_iter().map(SessionRow::from).collect())
}

/// A session of an agent that has ended, for its file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exportable {
    pub id: i64,
    pub name: String,
    pub started_at: i64,
    /// 0: it asked for none.
    pub valence: Option<i64>,
    /// The newest entry that is in its file; `None`: it was not written yet.
    pub exported_seq: Option<i64>,
}

from_row!(Exportable { id, name, started_at, valence, exported_seq });

/// What of a log belongs into the file of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Entries up to this one are in earlier files.
    pub base: i64,
    /// The last entry that was there, or the last before the first one of a later session: what is written while one
    /// reads is for the next time, when it is known whose it is.
    pub upto: i64,
    /// Sessions before it that began in the same second.
    pub twins: i64,
}

/// Agents with sessions that have ended and were not written to a file, or to which more has happened since that of the
/// newest was written; by name.
pub async fn unexported(store: &Store) -> Result<Vec<String>, StoreError> {
    on_reader!(store, "looking for sessions without a file", |on| sqlx::query_scalar(
        "SELECT name FROM session WHERE is_agent = 1 AND ended_at IS NOT NULL AND exported_seq IS NULL \
         UNION \
         SELECT session.name FROM session \
         JOIN (SELECT MAX(id) AS id FROM session WHERE is_agent = 1 AND ended_at IS NOT NULL GROUP BY name) AS newest \
         ON session.id = newest.id \
         WHERE EXISTS (SELECT 1 FROM agent_event AS event WHERE event.name = session.name AND event.mind = 0 \
         AND event.seq > session.exported_seq AND event.kind = 'happening') \
         OR EXISTS (SELECT 1 FROM agent_archive AS old WHERE old.name = session.name AND old.mind = 0 \
         AND old.last_seq > session.exported_seq AND old.deeds > 0) \
         ORDER BY name"
    )
    .fetch_all(on))
}

/// The ended sessions of an agent that were not written to a file, and the newest one, which there may be more of. In
/// order, and none behind one that lasts: who is taken over may be noted as gone after who took over, and each file
/// begins where the one before ends. `since`: when the character was made; earlier ones are of another of its name.
pub async fn exportable(store: &Store, name: &str, since: i64) -> Result<Vec<Exportable>, StoreError> {
    let name = canonical(name);
    on_reader!(store, "looking for sessions without a file", |on| sqlx::query_as(
        "SELECT id, name, started_at, valence, exported_seq FROM session \
         WHERE name = $1 AND is_agent = 1 AND ended_at IS NOT NULL AND started_at >= $2 AND (exported_seq IS NULL \
         OR id = (SELECT MAX(id) FROM session WHERE name = $1 AND is_agent = 1 AND ended_at IS NOT NULL)) \
         AND NOT EXISTS (SELECT 1 FROM session AS lasting WHERE lasting.name = $1 AND lasting.is_agent = 1 \
         AND lasting.ended_at IS NULL AND lasting.started_at >= $2 AND lasting.id < session.id) ORDER BY id"
    )
    .bind(&name)
    .bind(since)
    .fetch_all(on))
}

pub async fn export_bounds(store: &Store, session: &Exportable, since: i64) -> Result<Bounds, StoreError> {
    let base: i64 = on_reader!(store, "looking how far sessions were written", |on| sqlx::query_scalar(
        "SELECT COALESCE(MAX(exported_seq), 0) FROM session WHERE name = $1 AND id < $2 AND started_at >= $3"
    )
    .bind(&session.name)
    .bind(session.id)
    .bind(since)
    .fetch_one(on))?;
    let newest: i64 = on_reader!(store, "looking for the end of a log", |on| sqlx::query_scalar(
        "SELECT COALESCE(MAX(seq), 0) FROM agent_event WHERE name = $1 AND mind = 0"
    )
    .bind(&session.name)
    .fetch_one(on))?;
    // Behind that: an entry of a later session that is not beyond the newest is seen.
    let log = LogId::from(&session.name);
    let is_later = |entry: &AgentEvent| entry.session.is_some_and(|of| of > session.id);
    let archived =
        steadily!(store, &log, |end| { agent_archives::after(store, &log, end, (base, i64::MAX), 1, is_later).await })?;
    let of_rows: Option<i64> = on_reader!(store, "looking for the end of a session", |on| {
        sqlx::query_scalar(
        "SELECT seq FROM agent_event WHERE name = $1 AND mind = 0 AND seq > $2 AND session > $3 ORDER BY seq LIMIT 1"
    )
    .bind(&session.name)
    .bind(base)
    .bind(session.id)
    .fetch_optional(on)
    })?;
    let next_begins = archived.first().map(|entry| entry.seq).or(of_rows);
    let second = session.started_at.div_euclid(1_000) * 1_000;
    let twins: i64 = on_reader!(store, "looking for sessions of the same second", |on| sqlx::query_scalar(
        "SELECT COUNT(*) FROM session WHERE name = $1 AND id < $2 AND is_agent = 1 AND started_at >= $3 \
         AND started_at < $4"
    )
    .bind(&session.name)
    .bind(session.id)
    .bind(second)
    .bind(second + 1_000)
    .fetch_one(on))?;
    Ok(Bounds { base, upto: next_begins.map_or(newest, |seq| newest.min(seq - 1)), twins })
}

/// The file of a session is about to be written once more: until `exported` says otherwise, it counts as not written.
pub async fn reopen(store: &Store, id: i64) -> Result<(), StoreError> {
    on_writer!(store, "noting that more comes into the file of a session", |on| async {
        sqlx::query("UPDATE session SET exported_seq = NULL WHERE id = $1").bind(id).execute(on).await.map(drop)
    })
}

/// The log up to this entry is in the files of this session and those before it.
pub async fn exported(store: &Store, id: i64, seq: i64) -> Result<(), StoreError> {
    on_writer!(store, "noting how far a session was written", |on| async {
        sqlx::query("UPDATE session SET exported_seq = $2 WHERE id = $1").bind(id).bind(seq).execute(on).await.map(drop)
    })
}

impl From<Columns> for SessionRow {
    fn from(row: Columns) -> SessionRow {
        SessionRow {
            id: row.id,
            ended_at: row.ended_at,
            session: NewSession {
                name: row.name,
                started_at: row.started_at,
                transport: Transport::named(&row.door),
                is_agent: row.is_agent != 0,
                client: ClientInfo {
                    harness: row.harness,
                    model: row.model,
                    version: row.version,
                    tier: row.tier,
                    valence: row.valence.map(|on| on != 0),
                    // Only `begin` writes this column; a hand-made one that is no list reads as an empty list.
                    features: row.features.and_then(|list| serde_json::from_str(&list).ok()).unwrap_or_default(),
                    yields: false,
                },
                world: row.world,
                seed: row.seed.map(i64::cast_unsigned),
            },
        }
    }
}
