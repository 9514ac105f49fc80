//! The journal: every applied input, in order, on its way to disk before anything that it caused is released.
//!
//! With it come crash recovery, hot restart, replay of a bug and forks for experiments: snapshot and tail are the exact
//! world. Under `<state>/journal/`:
//!
//! - `<number>.journal`: a segment, the inputs after that number; one begins at each start of the server, each day, and
//!   every 64 MB. Older ones are packed (`.journal.zst`) and kept for some days.
//! - `<number>.snapshot`: the whole world after that input. Each segment keeps the one that it begins with; of those
//!   made in between, which only shorten a replay, the newest few stay and the first of each hour.
//!
//! `format.rs` has the bytes, `writer.rs` the segment being written, `snapshot.rs` the other kind of file,
//! `live.rs` what the engine holds, `recovery.rs` the start after a stop or crash, `replaying.rs` the running
//! again, `retention.rs` what stays. The world knows nothing of all this.

pub mod format;
mod live;
pub mod recovery;
pub mod replaying;
pub mod retention;
pub mod runs;
pub mod snapshot;
mod writer;

pub use format::{Header, Needs, Record};
pub use live::{HASH_EVERY, LiveJournal, Policy, write_snapshot};
pub use snapshot::{Snapshot, Unsaved, Unwritten};
pub use writer::{Fsync, Journal};

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64};
use world::InputNumber;

/// What `/health` and `/metrics` tell of the journal.
#[derive(Debug, Default)]
pub struct Gauges {
    /// Bytes of the segment that is being written, and the number it begins after.
    pub segment_bytes: AtomicU64,
    pub segment_start: AtomicU64,
    pub bytes_total: AtomicU64,
    pub write_failures: AtomicU64,
    /// How long the newest sync took, in microseconds.
    pub sync_us: AtomicU64,
    /// The newest snapshot on disk: after which input, and when it was made, in unix milliseconds; 0 before the first.
    pub snapshot_number: AtomicU64,
    pub snapshot_ms: AtomicI64,
    pub snapshot_bytes: AtomicU64,
    /// How long the engine stood for the newest snapshot, in microseconds.
    pub snapshot_stall_us: AtomicU64,
    /// How long encoding and writing it took, in milliseconds, off the engine.
    pub snapshot_write_ms: AtomicU64,
    pub snapshot_failures: AtomicU64,
    /// The disk has refused to keep what was written: what is on it is not known until a snapshot is.
    pub unsynced: AtomicBool,
    /// The world stands still because the journal cannot be written.
    pub stuck: AtomicBool,
    /// There is so little room on the disk that nobody new is let in.
    pub low: AtomicBool,
}

/// Where the files of a state folder are.
#[derive(Clone, Debug)]
pub struct Layout {
    folder: PathBuf,
}

/// A segment on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentFile {
    pub path: PathBuf,
    pub packed: bool,
}

/// What is there, by the number that it begins after.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    pub segments: BTreeMap<InputNumber, SegmentFile>,
    pub snapshots: BTreeMap<InputNumber, PathBuf>,
}

const SEGMENT: &str = ".journal";
const PACKED: &str = ".journal.zst";
const SNAPSHOT: &str = ".snapshot";

impl Layout {
    /// Names only; touches nothing.
    pub fn new(state_dir: &Path) -> Layout {
        Layout { folder: state_dir.join("journal") }
    }

    /// Makes the folder if it is missing, and clears what a crash left half-written beside its place.
    pub fn open(state_dir: &Path) -> io::Result<Layout> {
        let layout = Layout::new(state_dir);
        crate::files::make_private_folder(&layout.folder)?;
        crate::files::sync_folder(&layout.folder)?;
        for entry in std::fs::read_dir(&layout.folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|extension| extension == "new") {
                std::fs::remove_file(path)?;
            }
        }
        Ok(layout)
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn file(&self, number: InputNumber, ending: &str) -> PathBuf {
        // As many digits as a u64 has, so that names sort as numbers do.
        self.folder.join(format!("{number:020}{ending}"))
    }

    pub fn segment(&self, start: InputNumber) -> PathBuf {
        self.file(start, SEGMENT)
    }

    pub fn packed(&self, start: InputNumber) -> PathBuf {
        self.file(start, PACKED)
    }

    pub fn snapshot(&self, number: InputNumber) -> PathBuf {
        self.file(number, SNAPSHOT)
    }

    /// Every segment and snapshot there is; other files are left alone. Nothing where there is no folder.
    pub fn list(&self) -> io::Result<Listing> {
        let mut listing = Listing::default();
        let entries = match std::fs::read_dir(&self.folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(listing),
            Err(error) => return Err(error),
        };
        for entry in entries {
            let path = entry?.path();
            let Some(name) = path.file_name().and_then(|name| name.to_str()) else { continue };
            let number = |ending: &str| name.strip_suffix(ending).and_then(|digits| digits.parse().ok());
            if let Some(start) = number(SEGMENT) {
                // Where packing was interrupted both are there; the one that was written first is whole.
                listing.segments.insert(start, SegmentFile { path, packed: false });
            } else if let Some(start) = number(PACKED) {
                listing.segments.entry(start).or_insert(SegmentFile { path, packed: true });
            } else if let Some(number) = number(SNAPSHOT) {
                listing.snapshots.insert(number, path);
            }
        }
        Ok(listing)
    }
}

impl SegmentFile {
    /// All its bytes, unpacked.
    pub fn read(&self) -> io::Result<Vec<u8>> {
        let bytes = std::fs::read(&self.path)?;
        if !self.packed {
            return Ok(bytes);
        }
        let mut unpacked = Vec::new();
        zstd::Decoder::new(bytes.as_slice())?.read_to_end(&mut unpacked)?;
        Ok(unpacked)
    }
}

impl Listing {
    pub fn is_empty(&self) -> bool {
        self.segments.is_empty() && self.snapshots.is_empty()
    }

    /// The segment that holds the input after this one, if any does: the last that does not begin later.
    pub fn segment_after(&self, number: InputNumber) -> Option<(InputNumber, &SegmentFile)> {
        self.segments.range(..=number).next_back().map(|(start, file)| (*start, file))
    }
}
