//! What was handed down to characters: entries of their logs (`mind::LEGACY`), read through to the archives, and what
//! waits until they are in the world to receive it.
//!
//! Invariant: what waits goes with its character (`logs::delete`).

use super::agent_archives::{self, steadily};
use super::agent_events::{AgentEvent, entry_of};
use super::{Store, StoreError, canonical, meta, on_reader};
use mind::legacy::Inherited;
use mind::{Event, LEGACY, LogId};

/// Facts of this name wait for their heir: `legacy.wren.0007`.
const WAITING: &str = "legacy.";

/// How the facts begin that wait for somebody.
pub fn waiting_for(name: &str) -> String {
    format!("{WAITING}{}.", canonical(name))
}

/// What was handed down to somebody by entries after a number, in their order. Entries that cannot be read are left
/// out: a dream tells of those.
pub async fn after(store: &Store, log: impl Into<LogId>, seq: i64) -> Result<Vec<Inherited>, StoreError> {
    let log = log.into();
    let rows = steadily!(store, &log, |end| {
        let is_legacy = |entry: &AgentEvent| entry.kind == LEGACY;
        let mut found = agent_archives::after(store, &log, end, (seq, i64::MAX), i64::MAX, is_legacy).await?;
        let rows: Vec<AgentEvent> =
            on_reader!(store, "reading what was handed down to somebody", |on| sqlx::query_as(
                "SELECT name, mind, seq, number, tick, at, session, kind, payload FROM agent_event \
             WHERE name = $1 AND mind = $2 AND seq > $3 AND kind = $4 ORDER BY seq"
            )
            .bind(log.character())
            .bind(i64::from(log.mind()))
            .bind(seq.max(end))
            .bind(LEGACY)
            .fetch_all(on))?;
        found.extend(rows);
        Ok(found)
    })?;
    let mut items = Vec::new();
    for entry in rows.iter().filter_map(|row| entry_of(row).ok()) {
        if let Event::LegacyReceive { items: received } = entry.event {
            let at = Some((entry.tick, entry.at_ms));
            items.extend(received.into_iter().map(|item| Inherited { received: at, ..item }));
        }
    }
    Ok(items)
}

/// What waits for somebody: the fact, and the line of the mind that it is to become.
pub async fn waiting(store: &Store, name: &str) -> Result<Vec<(String, String)>, StoreError> {
    meta::beginning_with(store, &waiting_for(name)).await
}
