//! Room on the disk for decisions: their capture stops while there is still enough for the journal and the saves, and
//! the world goes on.
//!
//! Decisions are what grows fastest, and the only thing that can be done without: below the limit nothing is recorded
//! until there is a quarter more than it. Invariant: a disk that cannot be asked stops nothing.

use super::Writer;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the room is looked up: at the fastest that anybody can write, some 100 MB come in between.
const LOOK_EVERY: Duration = Duration::from_secs(10);

/// Looks until the server ends. `folders`: where the database and the state are. `low_mb`: 0 never stops it.
pub async fn watch(writer: Arc<Writer>, folders: Vec<PathBuf>, low_mb: u32) {
    if low_mb == 0 {
        return;
    }
    loop {
        let free = folders.iter().filter_map(|folder| free_bytes(folder)).min();
        judge(&writer, free, u64::from(low_mb) << 20);
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

/// Bytes that this user may write to the disk of a folder; `None`: it cannot be asked.
pub fn free_bytes(folder: &Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    Some(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Stops the capture or lets it go on.
pub(super) fn judge(writer: &Writer, free: Option<u64>, low: u64) {
    let paused = writer.paused.load(Ordering::Relaxed);
    // So that it does not stop and start with every write.
    let enough = if paused { low + low / 4 } else { low };
    let stops = free.is_some_and(|free| free < enough);
    if stops == paused {
        return;
    }
    writer.paused.store(stops, Ordering::Relaxed);
    let free_mb = free.map_or(0, |free| free >> 20);
    match stops {
        true => tracing::error!(free_mb, "the disk is nearly full: commands are not recorded until there is room"),
        false => tracing::warn!(free_mb, "there is room on the disk again: commands are recorded"),
    }
}
