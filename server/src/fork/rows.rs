//! The tables that a fork takes over, row by row: who may come in, who played when, what was said, and the logs of
//! minds.
//!
//! Invariants: nothing is taken that came after the tick; numbers of keys and sessions stay, so that one is the same in
//! the fork.

use super::{Cast, Moment};
use crate::store::Store;
use crate::store::dump::{Dump, Load, Part};
use anyhow::Context;
use serde_json::Value;
use tokio::sync::mpsc;

const ACCOUNTS: &str = "account";
const KEYS: &str = "agent_key";
const SESSIONS: &str = "session";
const LOGS: &str = "agent_event";
const MESSAGES: &str = "message";

/// A row as it is wanted, or nothing where it is not.
type Sieve<'s> = &'s dyn Fn(Value) -> Option<Value>;

/// Fills the tables of a fork.
pub(super) async fn copy(source: &Store, fork: &Store, moment: &Moment, cast: &Cast) -> anyhow::Result<()> {
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
        (!cast.redacted && begun && is_of_them(&row)).then_some(row)
    };
    let entry = |row: Value| {
        let by_then = row["number"].as_i64().is_some_and(|brought_by| brought_by <= number);
        (by_then && cast.remembers(&name(&row))).then_some(row)
    };
    // Persons and channels come from the world, at the first start; reactions do not say when they were given.
    let message = |row: Value| {
        let by_then = row["number"].as_i64().is_some_and(|brought_by| brought_by <= number);
        (by_then && !cast.redacted).then_some(row)
    };
    let wanted: [(&str, Sieve<'_>); 5] =
        [(ACCOUNTS, &account), (KEYS, &key), (SESSIONS, &session), (LOGS, &entry), (MESSAGES, &message)];
    let mut dump = Dump::begin(source).await?;
    let mut load = Load::begin(fork).await?;
    for (table, wanted) in wanted {
        copy_table(&mut dump, &mut load, table, wanted).await?;
    }
    load.finish().await
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
