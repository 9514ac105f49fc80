//! Nights: what the logs hold becomes what characters remember, for agents and people alike.
//!
//! `one.rs` is one dream of one character; `nightly.rs` dreams all of them, one after the other, when `schedule.rs`
//! says that it is night, in the order of `order.rs`, and one alone when too much has happened to it; `command.rs` is
//! `dp-server dream`. What a dream is, is the business of the crate `dreaming`,
//! the files that of `dream-folder`.
//! Invariants: nothing here waits for the world or makes it wait; a session that is under way is told nothing: what was
//! dreamt is read at the next login.

pub mod command;
mod nightly;
pub mod one;
mod order;
pub mod schedule;
#[cfg(test)]
pub(crate) mod tests;

pub use nightly::LAST_NIGHT;
pub use one::called;

use crate::store::canonical;
pub use dream_folder::own_folder;
use dream_folder::{DREAM_ZONE, SHIPPED, Zone};
use parking_lot::Mutex;
use schedule::Schedule;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, AtomicU64};
use tokio::sync::Notify;

/// The flag that names another.
pub const DREAMING_FLAG: &str = "--dreaming-dir";

/// When and where it dreams.
#[derive(Clone, Debug, clap::Args)]
#[command(next_help_heading = "Dreams")]
pub struct DreamsArgs {
    /// Folder of what characters remember, a folder each [default: the folder `dreaming` in the state folder; of
    /// data/state it is data/dreaming]
    #[arg(long, value_name = "DIR")]
    pub dreaming_dir: Option<PathBuf>,
    /// When everybody dreams, a cron expression; off: never
    #[arg(long, default_value = "30 3 * * *", value_name = "CRON")]
    pub dream_cron: Schedule,
    /// Time zone of that, and of the days that nights are counted by
    #[arg(long, default_value = DREAM_ZONE, value_name = "ZONE")]
    pub dream_zone: Zone,
    /// Minutes that a night may take; who was not reached comes first in the next. 0: as long as it takes
    #[arg(long, default_value_t = 120, value_name = "MINUTES")]
    pub night_minutes: u32,
}

/// The folder that a flag names, else that of the state folder.
pub fn folder(named: Option<&Path>, state: &Path) -> PathBuf {
    match named {
        Some(named) => named.to_path_buf(),
        None => {
            let (folder, before) = (dream_folder::of_state(state), Path::new(SHIPPED.1));
            if folder != before && before.is_dir() && !folder.exists() {
                tracing::warn!(
                    "dreams were in {before} until now, and go to {folder} from here on: move the folder there if it is \
                     this server's, or go on with {DREAMING_FLAG} {before}",
                    before = before.display(),
                    folder = folder.display()
                );
            }
            folder
        }
    }
}

/// The nights of a running server.
pub struct Dreams {
    pub args: DreamsArgs,
    /// Where the files are, a folder for each character.
    pub folder: PathBuf,
    /// Since the start: nights, dreams that were kept, and those that failed.
    pub nights: AtomicU64,
    pub dreamt: AtomicU64,
    pub failures: AtomicU64,
    /// Entries of logs that no dream could read, each counted once.
    pub unreadable: AtomicU64,
    /// The newest of these by name.
    told: Mutex<BTreeMap<String, i64>>,
    /// When the last night was due that is over, before the start too; unix milliseconds, 0: never.
    pub last_due_ms: AtomicI64,
    status: Mutex<Status>,
    /// A night is over, be it broken off.
    pub over: Notify,
}

/// How it goes with the nights.
#[derive(Clone, Debug, Default)]
pub struct Status {
    /// Characters that have dreamt in the night that is under way.
    pub under_way: Option<u64>,
    /// The last one since the start.
    pub last: Option<Night>,
    /// Unix milliseconds; `None`: there are none.
    pub next_ms: Option<i64>,
}

/// One night that is over.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Night {
    /// When it began, unix milliseconds.
    pub began_ms: i64,
    pub seconds: f64,
    /// Characters that dreamt.
    pub characters: u64,
    pub failures: u64,
    /// Entries of logs that could not be read, but for those that an earlier night has told of.
    pub unreadable: u64,
    /// Logs that the night was too short for.
    pub left: u64,
}

impl Dreams {
    /// `folder`: where the files go, whatever the flags say.
    pub fn new(args: DreamsArgs, folder: PathBuf) -> Dreams {
        let (nights, dreamt, failures, unreadable, last_due_ms) = Default::default();
        let (told, status, over) = Default::default();
        Dreams { args, folder, nights, dreamt, failures, unreadable, told, last_due_ms, status, over }
    }

    pub fn status(&self) -> Status {
        self.status.lock().clone()
    }

    /// Takes away what dreams wrote of a character whose log is deleted already.
    pub async fn forget(&self, name: &str) {
        self.told.lock().remove(&canonical(name));
        let folder = dream_folder::Folder::open(&self.folder, name);
        let removed = match folder {
            Ok(folder) => tokio::task::spawn_blocking(move || folder.remove()).await,
            // No dream has a folder for such a name.
            Err(_) => return,
        };
        if let Ok(Err(error)) = removed {
            tracing::error!(%name, error = format!("{error:#}"), "what a deleted character remembered is still there");
        }
    }
}
