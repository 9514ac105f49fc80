//! What an agent is told of its past when it comes in: the frames `memory_bootstrap` and `memory_summary`.
//!
//! People read some lines of what they dreamt since they came in last (`night_told`), once.
//!
//! The story is that of the last dream: the file in the folder of dreams, so that an offline dream takes effect at
//! once; without one, or where that dream was of the other arm (`Valence::Flat` or not), it is told from the database.
//! The bootstrap is always of now.
//! Invariants: a login waits for this no longer than it is told (`LOGIN_LONGEST`), whatever is slow or broken, and the
//! log says what it had to do without. A file is text of others: it is cut to size and cleaned of what steers a
//! terminal.

use super::Minds;
use crate::memories::Now;
use crate::memories::story::{cleaned, cut_to, plain};
use crate::store::Store;
use crate::store::memories::{self, MemoryCursor};
use dream_folder::Folder;
use dreaming::bootstrap::{Bootstrap, Size, bootstrap};
use dreaming::{Valence, narrate};
use mind::LogId;
use protocol::frame::{Encoded, ServerFrame};
use protocol::payload::{MemoryBootstrap, MemorySummary};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How long a login may wait for memories. A debug build dreams ten times as slowly.
pub const LOGIN_LONGEST: Duration = Duration::from_secs(if cfg!(debug_assertions) { 30 } else { 1 });
/// So much of a story is told to people: some lines, not a page.
const NIGHT_TOKENS: usize = 160;
/// How they come back to it.
const NIGHT_AGAIN: &str = "The whole of it: recall dreams. What you remember of somebody or something: recall <words>.";

/// The frames for one login, in order; empty where nothing is remembered. `folder`: where dreams are kept; `valence`:
/// the arm of the session.
pub async fn at_login(
    minds: &Arc<Minds>,
    folder: Option<PathBuf>,
    name: &str,
    valence: Valence,
    tier: Option<&str>,
    now: Now,
    longest: Duration,
) -> Arc<[Encoded]> {
    let size = Size::named(tier);
    let (task_minds, task_name) = (minds.clone(), name.to_string());
    // A task of its own: what is begun is made all the same, and is there at the next login.
    let making = tokio::spawn(async move { frames(&task_minds, folder, &task_name, valence, size, now).await });
    let missed = || minds.memories.missed.fetch_add(1, Ordering::Relaxed);
    match tokio::time::timeout(longest, making).await {
        Ok(Ok(frames)) => frames.into(),
        Ok(Err(error)) => {
            missed();
            tracing::error!(%name, %error, "an agent came in without its memories");
            Arc::default()
        }
        Err(_) => {
            missed();
            let waited_ms = longest.as_millis() as u64;
            tracing::warn!(%name, waited_ms, "memories were not ready in time; an agent came in without them");
            Arc::default()
        }
    }
}

async fn frames(
    minds: &Arc<Minds>,
    folder: Option<PathBuf>,
    name: &str,
    valence: Valence,
    size: Size,
    now: Now,
) -> Vec<Encoded> {
    let owner = name.to_string();
    let reading = tokio::task::spawn_blocking(move || match folder {
        Some(folder) => {
            let folder = Folder::open(&folder, &owner)?;
            // A story of the other arm tells feelings where there are none, or none where there are.
            if folder.is_flat()? == (valence == Valence::Flat) { folder.summary() } else { Ok(None) }
        }
        None => Ok(None),
    });
    let story = match reading.await.map_err(anyhow::Error::from).and_then(|read| read) {
        Ok(story) => story,
        Err(error) => {
            let error = format!("{error:#}");
            tracing::warn!(%name, %error, "a story cannot be read; it is told from the database instead");
            None
        }
    };
    let goals = minds.goals(name).await;
    let remembered = match minds.glance(name, valence, now).await {
        Ok(remembered) => Some(remembered),
        Err(error) => {
            minds.memories.missed.fetch_add(1, Ordering::Relaxed);
            tracing::error!(%name, error = %format!("{error:#}"), "memories could not be read for a login");
            None
        }
    };
    let made = tokio::task::spawn_blocking(move || {
        let bootstrap = remembered.as_ref().map(|of| of.look(|graph| bootstrap(graph, &goals, size, now.tick)));
        let bootstrap = bootstrap.unwrap_or_default();
        let story = story.map(|story| cut_to(&cleaned(&story), size.summary_tokens)).filter(|story| !story.is_empty());
        let told = || remembered.map(|of| of.look(|graph| narrate::summary(graph, size.summary_tokens).text));
        (bootstrap, story.or_else(told).unwrap_or_default())
    });
    match made.await {
        Ok((bootstrap, story)) => encoded(bootstrap, story),
        Err(error) => {
            minds.memories.missed.fetch_add(1, Ordering::Relaxed);
            tracing::error!(%name, %error, "memories were given up half-way at a login");
            Vec::new()
        }
    }
}

/// What a person reads of the dream of the nights since it came in last (`since_ms`); nothing where there was none, or
/// where it is of the other arm (`flat`).
pub async fn night_told(store: &Store, name: &str, flat: bool, since_ms: Option<i64>) -> Option<String> {
    match memories::cursor(store, LogId::from(name)).await {
        Ok(cursor) => night_of(&cursor?, flat, since_ms?),
        Err(error) => {
            tracing::warn!(%name, %error, "a dream could not be read for a login");
            None
        }
    }
}

fn night_of(cursor: &MemoryCursor, flat: bool, since_ms: i64) -> Option<String> {
    if cursor.dreamt_at <= since_ms || (cursor.flat != 0) != flat {
        return None;
    }
    let story = plain(&cut_to(&cleaned(&cursor.summary), NIGHT_TOKENS));
    (!story.is_empty()).then(|| format!("You slept on it, and dreamt:\n\n{story}\n\n{NIGHT_AGAIN}"))
}

fn encoded(bootstrap: Bootstrap, summary: String) -> Vec<Encoded> {
    let mut frames = Vec::new();
    if !bootstrap.memories.is_empty() {
        let Bootstrap { block, memories } = bootstrap;
        let count = memories.len() as u32;
        let frame = MemoryBootstrap { block, count, memories };
        frames.push(Encoded::new(&ServerFrame::MemoryBootstrap(frame)));
    }
    if !summary.is_empty() {
        frames.push(Encoded::new(&ServerFrame::MemorySummary(MemorySummary { summary })));
    }
    frames
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dreamt(at_ms: i64, summary: &str, flat: bool) -> MemoryCursor {
        MemoryCursor {
            last_seq: 9,
            last_at: at_ms,
            through: 0,
            dreamt_at: at_ms,
            summary: summary.into(),
            hash: String::new(),
            flat: i64::from(flat),
        }
    }

    #[test]
    fn a_person_reads_once_what_it_dreamt_and_without_markup() {
        let night = dreamt(20, "## Ann\n\n### Jan 12, 2026\n\n- Killed a rat.\u{1b}[2J\n", false);
        let told = night_of(&night, false, 10).expect("it slept since it came in");
        assert!(
            told.contains("dreamt:\n\nJan 12, 2026\n- Killed a rat.[2J\n\nThe whole of it: recall dreams."),
            "{told}"
        );
        assert!(!told.contains(['#', '\u{1b}']), "{told}");
        assert_eq!(night_of(&night, false, 20), None, "it came in since");
        assert_eq!(night_of(&night, true, 10), None, "that is a dream of the other arm");
        assert_eq!(night_of(&dreamt(20, "", false), false, 10), None, "there is nothing to tell");
    }
}
