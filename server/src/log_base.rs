//! What a mind was at the end of its archives: what a mind that is opened goes on from, so that no archive need be
//! read.
//!
//! Follows from the log: a base that cannot be used (another program made it, a bit of it fell over) is made anew from
//! the files, and where these cannot be read either, the log cannot. Invariant: what is given is what all entries up to
//! its number give.

use crate::archive_files::sum_of;
use crate::store::Store;
use crate::store::agent_archives::{self, ArchiveRow};
use crate::store::agent_events::{AgentEvent, entry_of};
use anyhow::ensure;
use mind::LogId;
use mind::base::Base;

/// Small, and packed once.
const LEVEL: i32 = 6;

/// A base as the database holds it, and the SHA-256 of its JSON.
pub fn packed(base: &Base) -> anyhow::Result<(Vec<u8>, String)> {
    let json = base.to_json();
    Ok((zstd::encode_all(&json[..], LEVEL)?, sum_of(&json)))
}

/// `None`: it is damaged, or of another program.
fn unpacked(stored: &[u8], hash: &str) -> Option<Base> {
    let json = zstd::decode_all(stored).ok().filter(|json| sum_of(json) == hash)?;
    Base::from_json(&json)
}

/// The base behind a file as it was written. `None`: it cannot be used.
pub async fn stored(store: &Store, row: &ArchiveRow) -> anyhow::Result<Option<Base>> {
    let Some(stored) = agent_archives::base(store, row).await? else { return Ok(None) };
    let hash = row.base_hash.clone();
    Ok(tokio::task::spawn_blocking(move || unpacked(&stored, &hash)).await?)
}

/// The base behind the newest file of a log, that of an empty log where there is none.
pub async fn newest(store: &Store, log: &LogId) -> anyhow::Result<Base> {
    behind(store, &agent_archives::files_after(store, log, 0).await?).await
}

/// The base behind the last of these files, which are the first of a log.
pub async fn behind(store: &Store, files: &[ArchiveRow]) -> anyhow::Result<Base> {
    let mut base = Base::default();
    let mut rest = files.len();
    for (at, row) in files.iter().enumerate().rev() {
        if let Some(found) = stored(store, row).await? {
            (base, rest) = (found, files.len() - 1 - at);
            break;
        }
        tracing::warn!(log = %row.log(), file = row.file, "what a mind was cannot be used; its archives are read");
    }
    for row in &files[files.len() - rest..] {
        let entries = agent_archives::entries_of_file(store, row).await?;
        base = tokio::task::spawn_blocking(move || gone_on(base, &entries)).await??;
    }
    Ok(base)
}

/// A base with the next entries of its log. Refuses one that this program does not know, or cannot read.
fn gone_on(base: Base, entries: &[AgentEvent]) -> anyhow::Result<Base> {
    match go_on(base, entries) {
        (base, _, None) => Ok(base),
        (_, _, Some(why)) => Err(why),
    }
}

/// A base with as many of the next entries of its log as this program knows, how many these are, and why it were no
/// more.
pub fn go_on(mut base: Base, entries: &[AgentEvent]) -> (Base, usize, Option<anyhow::Error>) {
    for (at, row) in entries.iter().enumerate() {
        if let Err(why) = note(&mut base, row) {
            return (base, at, Some(why));
        }
    }
    (base, entries.len(), None)
}

fn note(base: &mut Base, row: &AgentEvent) -> anyhow::Result<()> {
    if mind::RECORDS.contains(&row.kind.as_str()) {
        // They change nothing, and there are many: what they say need not be read.
        base.pass(u64::try_from(row.seq)?, u64::try_from(row.tick)?, row.at, u64::try_from(row.number)?);
        return Ok(());
    }
    ensure!(
        base.note(&entry_of(row)?),
        "entry #{} of {} is of the kind {:?}, which a newer dp-server wrote; what it means is not known here",
        row.seq,
        row.name,
        row.kind
    );
    Ok(())
}
