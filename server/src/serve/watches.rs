//! What is looked after beside the game: the room on the disk.

use crate::journal::Gauges;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// How often the room on the disk is looked up.
const DISK_WATCH: Duration = Duration::from_secs(2);

/// Looks after the room on the disk: before the journal has none, nobody new is let in.
pub async fn watch_disk(folder: PathBuf, low_mb: u32, gauges: Arc<Gauges>) {
    let low = u64::from(low_mb) << 20;
    loop {
        match rustix::fs::statvfs(&folder) {
            Ok(disk) => {
                let free = disk.f_bavail.saturating_mul(disk.f_frsize);
                let was_low = gauges.low.swap(free < low, Ordering::Relaxed);
                match (was_low, free < low) {
                    (false, true) => tracing::error!(
                        free_mb = free >> 20,
                        "the disk of the state folder is nearly full: nobody new is let in until there is room"
                    ),
                    (true, false) => tracing::warn!(free_mb = free >> 20, "there is room on the disk again"),
                    _ => {}
                }
            }
            Err(error) => tracing::warn!(%error, "the room on the disk cannot be looked up"),
        }
        tokio::time::sleep(DISK_WATCH).await;
    }
}
