//! What of the journal stays, and in which form.
//!
//! Invariants: every segment that is kept keeps the snapshot that it begins with, so a replay can begin there. The
//! newest segment is never touched, nor are the newest snapshots, whatever the clock says. A packed segment is there
//! before the unpacked one goes.

use super::format::Records;
use super::{Layout, Listing};
use crate::files::write_whole;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::SystemTime;
use world::InputNumber;

/// The newest made in between that stay, for the case that the last is damaged.
const SNAPSHOTS_BETWEEN: usize = 2;
/// Packed once and read rarely.
const LEVEL: i32 = 6;
const DAY_MS: i64 = 24 * 60 * 60 * 1_000;

/// How much of the past is kept.
#[derive(Clone, Debug)]
pub struct Keep {
    /// Days after whose end a segment is deleted; 0: never.
    pub days: u32,
}

/// Packs finished segments, removes what has no further use, and deletes what is too old. Called after a snapshot is
/// on disk.
pub fn tidy(layout: &Layout, keep: &Keep, now_ms: i64) -> io::Result<()> {
    let listing = layout.list()?;
    remove_between(&listing)?;
    let starts: Vec<InputNumber> = listing.segments.keys().copied().collect();
    // The last is being written, and what is before the newest snapshot may be needed if that one is damaged.
    for pair in starts.windows(2) {
        let (start, next) = (pair[0], pair[1]);
        let file = &listing.segments[&start];
        if !file.packed && listing.snapshots.contains_key(&next) {
            let packed = zstd::encode_all(std::fs::read(&file.path)?.as_slice(), LEVEL)?;
            write_whole(&layout.packed(start), &packed)?;
            std::fs::remove_file(&file.path)?;
        }
    }
    if keep.days > 0 {
        delete_old(layout, &starts, now_ms - i64::from(keep.days) * DAY_MS)?;
    }
    Ok(())
}

/// Of the snapshots with which no segment begins, the newest few stay, and the first of each hour, so that no moment
/// of the past is far from one.
fn remove_between(listing: &Listing) -> io::Result<()> {
    let between: Vec<_> =
        listing.snapshots.keys().copied().filter(|number| !listing.segments.contains_key(number)).collect();
    let newest = &between[between.len().saturating_sub(SNAPSHOTS_BETWEEN)..];
    let mut hours: BTreeSet<(InputNumber, u64)> = BTreeSet::new();
    for (number, path) in &listing.snapshots {
        let segment = listing.segment_after(*number).map_or(0, |(start, _)| start);
        let is_first = hours.insert((segment, written_hour(path)?));
        if between.contains(number) && !is_first && !newest.contains(number) {
            std::fs::remove_file(path)?;
        }
    }
    Ok(())
}

/// In which hour a file was written, counted from wherever its clock begins.
fn written_hour(path: &Path) -> io::Result<u64> {
    let since = std::fs::metadata(path)?.modified()?.duration_since(SystemTime::UNIX_EPOCH);
    Ok(since.map_or(0, |since| since.as_secs() / 3_600))
}

/// Deletes segments that ended before that time, oldest first, with the snapshots up to their end. The last two stay.
fn delete_old(layout: &Layout, starts: &[InputNumber], before_ms: i64) -> io::Result<()> {
    let listing = layout.list()?;
    for (n, start) in starts.iter().enumerate() {
        let Some(next) = starts.get(n + 1).filter(|_| n + 2 < starts.len()) else { return Ok(()) };
        if !listing.snapshots.contains_key(next) {
            // The next one can only be replayed from this one on.
            return Ok(());
        }
        let ended = match Records::open(&listing.segments[next].read()?) {
            Ok(records) => records.header.epoch_ms,
            // Whoever looks into it should find everything.
            Err(_) => return Ok(()),
        };
        if ended >= before_ms {
            return Ok(());
        }
        for (_, path) in listing.snapshots.range(start..next) {
            std::fs::remove_file(path)?;
        }
        if let Some(file) = listing.segments.get(start) {
            std::fs::remove_file(&file.path)?;
        }
        tracing::info!(start, "a segment of the journal that is older than the days to keep was deleted");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::format::{self, tests::header};
    use super::*;

    /// A folder with segments that begin a day apart, each with its snapshot, and some snapshots between.
    fn folder(starts: &[u64], between: &[u64]) -> (tempfile::TempDir, Layout) {
        let folder = tempfile::tempdir().expect("a folder");
        let layout = Layout::open(folder.path()).expect("it can be made");
        for (day, start) in starts.iter().enumerate() {
            let header = format::Header { epoch_ms: day as i64 * DAY_MS, ..header(*start) };
            std::fs::write(layout.segment(*start), format::begin_segment(&header)).expect("written");
        }
        for number in starts.iter().chain(between) {
            std::fs::write(layout.snapshot(*number), b"whole enough for this").expect("written");
        }
        (folder, layout)
    }

    fn names(layout: &Layout) -> (Vec<(u64, bool)>, Vec<u64>) {
        let listing = layout.list().expect("it can be read");
        let segments = listing.segments.iter().map(|(start, file)| (*start, file.packed)).collect();
        (segments, listing.snapshots.keys().copied().collect())
    }

    #[test]
    fn finished_segments_are_packed_and_still_read() {
        let (_folder, layout) = folder(&[0, 100, 200], &[]);
        let before = layout.list().expect("it can be read").segments[&0].read().expect("whole");
        tidy(&layout, &Keep { days: 7 }, 3 * DAY_MS).expect("tidied");
        assert_eq!(names(&layout).0, [(0, true), (100, true), (200, false)]);
        let listing = layout.list().expect("it can be read");
        assert_eq!(listing.segments[&0].read().expect("unpacked"), before);
    }

    #[test]
    fn a_segment_waits_for_the_snapshot_that_makes_it_history() {
        let (_folder, layout) = folder(&[0, 100], &[]);
        std::fs::remove_file(layout.snapshot(100)).expect("it was there");
        tidy(&layout, &Keep { days: 7 }, DAY_MS).expect("tidied");
        assert_eq!(names(&layout).0, [(0, false), (100, false)]);
    }

    #[test]
    fn of_the_snapshots_between_the_newest_stay() {
        let (_folder, layout) = folder(&[0, 100], &[20, 40, 60, 120, 140]);
        tidy(&layout, &Keep { days: 7 }, DAY_MS).expect("tidied");
        assert_eq!(names(&layout).1, [0, 100, 120, 140]);
    }

    #[test]
    fn of_the_snapshots_between_the_first_of_each_hour_stays_with_its_segment() {
        let (_folder, layout) = folder(&[0, 100], &[20, 40, 60, 80, 120, 140, 160, 180]);
        // Two in an hour; the segments begin in the first of each.
        for (n, number) in [0, 20, 40, 60, 80, 100, 120, 140, 160, 180].into_iter().enumerate() {
            let file = std::fs::File::options().write(true).open(layout.snapshot(number)).expect("it is there");
            let written = SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000 * 3_600 + n as u64 * 1_800);
            file.set_modified(written).expect("the time is set");
        }
        tidy(&layout, &Keep { days: 7 }, DAY_MS).expect("tidied");
        assert_eq!(names(&layout).1, [0, 40, 80, 100, 120, 160, 180]);
        tidy(&layout, &Keep { days: 7 }, DAY_MS).expect("tidied again");
        assert_eq!(names(&layout).1, [0, 40, 80, 100, 120, 160, 180]);
    }

    #[test]
    fn what_ended_before_the_days_to_keep_goes_and_the_newest_stay_whatever_the_clock_says() {
        let (_folder, layout) = folder(&[0, 100, 200, 300], &[50]);
        tidy(&layout, &Keep { days: 2 }, 3 * DAY_MS + 1).expect("tidied");
        assert_eq!(names(&layout).0.iter().map(|(start, _)| *start).collect::<Vec<_>>(), [100, 200, 300]);
        assert_eq!(names(&layout).1, [100, 200, 300]);
        tidy(&layout, &Keep { days: 2 }, 3_000 * DAY_MS).expect("tidied");
        assert_eq!(names(&layout).0.len(), 2);
        tidy(&layout, &Keep { days: 0 }, 9_000 * DAY_MS).expect("tidied");
        assert_eq!(names(&layout).0.len(), 2);
    }
}
