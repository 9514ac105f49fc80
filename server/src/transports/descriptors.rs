//! File descriptors: how many the process may have, and how many of them connections may take.
//!
//! Invariant: `KEPT_BACK` stay for the journal, its snapshots and the database, whatever callers do.

use crate::limits::Limits;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// For a segment, a snapshot and a rotation of the journal, the connections of the database's pool, and files of
/// dreams.
const KEPT_BACK: u64 = 32;
/// More than any server here will need; some systems promise a thousand million, and what counts by that number then
/// takes its time.
const WANTED: u64 = 65_536;
/// Open besides the connections, where the system does not tell.
const OPEN_USUALLY: u64 = 64;

/// Raises the soft limit of open files as far as the system lets us. How many there may be now.
pub fn raise_limit() -> u64 {
    let Ok((soft, hard)) = getrlimit(Resource::RLIMIT_NOFILE) else { return 1_024 };
    let wanted = hard.min(WANTED);
    if soft < wanted && setrlimit(Resource::RLIMIT_NOFILE, wanted, hard).is_ok() {
        return wanted;
    }
    soft
}

/// Sets the cap over all connections where the operator has set none. For when everything but the connections is open.
pub fn cap_connections(limits: &mut Limits, files_max: u64) {
    let open = std::fs::read_dir("/proc/self/fd").map_or(OPEN_USUALLY, |entries| entries.count() as u64);
    let most = files_max.saturating_sub(open + KEPT_BACK).max(1);
    match limits.connections {
        None => limits.connections = Some(u32::try_from(most).unwrap_or(u32::MAX)),
        Some(asked) if u64::from(asked) > most => tracing::warn!(
            asked,
            most,
            "the system lets the process open too few files for so many connections; raise its limit (ulimit -n)"
        ),
        Some(_) => {}
    }
}
