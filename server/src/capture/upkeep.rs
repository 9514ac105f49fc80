//! The table of decisions over the days: partitions made ahead of time, and old rows taken away.

use crate::store::{Store, months};
use crate::times::unix_ms;
use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 3600);
/// After a failure; the months made ahead leave time.
const AGAIN: Duration = Duration::from_secs(300);

/// Now and once a day, until the server ends. `keep_days`: 0 keeps everything.
pub async fn keep_up(store: Store, keep_days: u32) {
    loop {
        let pause = if once(&store, keep_days).await { DAY } else { AGAIN };
        tokio::time::sleep(pause).await;
    }
}

async fn once(store: &Store, keep_days: u32) -> bool {
    let now = unix_ms();
    let mut ok = true;
    match months::make_partitions(store, now).await {
        Ok(made) if made.is_empty() => {}
        Ok(made) => tracing::info!(tables = made.join(", "), "made room for the decisions of the next months"),
        Err(error) => {
            ok = false;
            tracing::error!(%error, "no partitions were made ahead; decisions go to the default one until it is possible");
        }
    }
    if keep_days > 0 {
        match months::remove_before(store, now - i64::from(keep_days) * DAY.as_millis() as i64).await {
            Ok(None) => {}
            Ok(Some(removed)) => tracing::info!(removed, keep_days, "old decisions were removed"),
            Err(error) => {
                ok = false;
                tracing::error!(%error, "old decisions could not be removed; trying again");
            }
        }
    }
    ok
}
