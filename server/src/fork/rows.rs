//! The tables that a fork takes over, row by row: who may come in, who played when, what was said, and the logs of
//! minds.
//!
//! Invariants: nothing is taken that came after the tick; numbers of keys and sessions stay, so that one is the same in
//! the fork.

use super::without::Without;
use super::{Cast, Moment};
use crate::store::agent_archives::{self, ArchiveRow};
use crate::store::agent_events::AgentEvent;
use crate::store::dump::{Dump, Load, Part};
use crate::store::{Store, agent_events};
use anyhow::Context;
use serde_json::Value;
use tokio::sync::mpsc;

const ACCOUNTS: &str = "account";
const KEYS: &str = "agent_key";
const SESSIONS: &str = "session";
const LOGS: &str = "agent_event";
const MESSAGES: &str = "message";
const SHARES: &str = "mind_share";

/// Entries of archives that are written at a time.
const UNPACKED: usize = 2_000;

/// A row as it is wanted, or nothing where it is not.
type Sieve<'s> = &'s dyn Fn(Value) -> Option<Value>;

/// Fills the tables of a fork.
pub(super) async fn copy(
    source: &Store,
    fork: &Store,
    moment: &Moment,
    cast: &Cast,
    without: &Without,
) -> anyhow::Result<()> {
    let number = i64::try_from(moment.world.state.number).context("an input beyond all counting")?;
    let name = |row: &Value| row["name"].as_str().unwrap_or_default().to_string();
    let is_of_them = |row: &Value| cast.names.contains(&name(row));
    let account = |mut row: Value| {
        if cast.redacted {
            // A digest is enough to try passwords on it.
            row["password_hash"] = Value::Null;
        }
        if cast.flat.contains(&name(&row)) {
            row["flat"] = 1.into();
        }
        is_of_them(&row).then_some(row)
    };
    let key = |row: Value| (!cast.redacted && is_of_them(&row)).then_some(row);
    let session = |mut row: Value| {
        let begun = row["started_at"].as_i64().is_some_and(|started_at| started_at <= moment.at_ms);
        if row["ended_at"].as_i64().is_none_or(|ended_at| ended_at > moment.at_ms) {
            row["ended_at"] = moment.at_ms.into();
        }
        // So that the first start writes the files of those sessions into the fork's own folder.
        row["exported_seq"] = Value::Null;
        if cast.flat.contains(&name(&row)) {
            // Whoever dreams from those files is told by their header.
            row["valence"] = 0.into();
        }
        (!cast.redacted && begun && is_of_them(&row)).then_some(row)
    };
    let entry = |row: Value| {
        let by_then = row["number"].as_i64().is_some_and(|brought_by| brought_by <= number);
        let row = (by_then && cast.remembers(&name(&row))).then_some(row)?;
        if without.is_empty() { Some(row) } else { sifted(row, without) }
    };
    // Persons and channels come from the world, at the first start; reactions do not say when they were given.
    let message = |row: Value| {
        let by_then = row["number"].as_i64().is_some_and(|brought_by| brought_by <= number);
        (by_then && !cast.redacted).then_some(row)
    };
    // Where to look, from whenever: what was granted by then the logs say.
    let share = |row: Value| cast.remembers(&name(&row)).then_some(row);
    let wanted: [(&str, Sieve<'_>); 6] = [
        (ACCOUNTS, &account),
        (KEYS, &key),
        (SESSIONS, &session),
        (LOGS, &entry),
        (SHARES, &share),
        (MESSAGES, &message),
    ];
    let mut dump = Dump::begin(source).await?;
    // Behind that moment: what is archived meanwhile is found as both, and comes once into the fork.
    let archived: Vec<ArchiveRow> =
        agent_archives::all(source).await?.into_iter().filter(|file| cast.remembers(&file.name)).collect();
    let mut load = Load::begin(fork).await?;
    for (table, wanted) in wanted {
        copy_table(&mut dump, &mut load, table, wanted).await?;
    }
    load.finish().await?;
    for file in archived {
        unpack(source, fork, &file, number, without).await?;
    }
    Ok(())
}

/// The entries of an archive are rows in the fork, which archives them anew in one of its nights.
async fn unpack(source: &Store, fork: &Store, file: &ArchiveRow, number: i64, without: &Without) -> anyhow::Result<()> {
    let rows = agent_archives::entries_of_file(source, file).await?;
    let rows = rows.into_iter().filter(|row| row.number <= number).filter_map(|row| without.sift(row));
    let rows: Vec<AgentEvent> = rows.collect();
    for rows in rows.chunks(UNPACKED) {
        agent_events::append(fork, rows).await?;
    }
    Ok(())
}

/// A row of a log without what is left out. `None`: it is left out itself.
fn sifted(mut row: Value, without: &Without) -> Option<Value> {
    let text = |member: &str| row[member].as_str().unwrap_or_default().to_string();
    let number = |member: &str| row[member].as_i64().unwrap_or_default();
    let entry = AgentEvent {
        name: text("name"),
        mind: number("mind"),
        seq: number("seq"),
        number: number("number"),
        tick: number("tick"),
        at: number("at"),
        session: row["session"].as_i64(),
        kind: text("kind"),
        payload: text("payload"),
        ..AgentEvent::default()
    };
    let payload = without.sift(entry)?.payload;
    row["payload"] = payload.into();
    Some(row)
}

/// The rows of a table that are wanted, as they are wanted.
async fn copy_table(
    dump: &mut Dump,
    load: &mut Load,
    table: &str,
    wanted: &dyn Fn(Value) -> Option<Value>,
) -> anyhow::Result<()> {
    let (parts, mut to_sift) = mpsc::channel::<Part>(4);
    let sift = async {
        let mut kept = Vec::new();
        while let Some(part) = to_sift.recv().await {
            for line in part.lines.split_inclusive(|byte| *byte == b'\n') {
                if let Some(row) = wanted(serde_json::from_slice(line)?) {
                    serde_json::to_writer(&mut kept, &row)?;
                    kept.push(b'\n');
                }
            }
        }
        Ok::<_, anyhow::Error>(kept)
    };
    let read = async {
        let written = dump.read(table, &parts).await;
        drop(parts);
        written
    };
    let (written, kept) = tokio::join!(read, sift);
    // Where a line is no JSON nobody takes the others, which is the later failure.
    let kept = kept?;
    load.write(table, kept.as_slice(), written?.last_id).await?;
    Ok(())
}
