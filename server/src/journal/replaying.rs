//! Running the inputs of the journal again, from a snapshot on, over all segments that go on from one another.
//!
//! The same for a recovery, `replay`, `fork` and tests. Invariant: an input does to this world exactly what it did to
//! the one that wrote it, also where our own code panicked half-way in it.

use super::format::{Broken, NoSegment, Record, Records};
use super::{Header, Listing};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use world::hash::StateHashes;
use world::report::MemoryStop;
use world::{Input, InputNumber, Report, World};

/// What a visitor is shown, after it was done.
pub enum Step<'s> {
    /// A segment begins; the world is as its header says.
    Segment(&'s Header),
    /// An input that was applied. No report where the world panicked half-way, then as now.
    Input { number: InputNumber, at_ms: i64, input: &'s Input, report: Option<Box<Report>> },
    /// Hashes that were written when this was played; they may belong to an earlier input.
    Hashes { number: InputNumber, tick: u64, hashes: StateHashes },
}

/// What is read from the journal.
pub enum Entry<'h> {
    Segment(&'h Header),
    Record(Record),
}

/// Why there is nothing more to replay.
#[derive(Debug)]
pub enum End {
    /// The visitor had seen enough.
    Enough,
    /// The last record of the last segment.
    Whole,
    /// The last segment ends with a write that was cut short, as after a crash.
    Torn { segment: PathBuf, at: u64, bytes: u64 },
    /// What follows cannot be replayed on top of what was.
    Gap(Gap),
}

/// A hole in the journal: it cannot be read on, though there is more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}: {why}", segment.display())]
pub struct Gap {
    pub segment: PathBuf,
    pub why: String,
}

/// Applies one input that was never applied before; `None` where the world panicked half-way.
pub fn apply(world: &mut World, input: &Input) -> Option<Report> {
    catch_unwind(AssertUnwindSafe(|| world.apply(input))).ok()
}

/// Applies one input as it was applied before: scripts run out of memory where they did then, and nowhere else.
pub fn apply_again(world: &mut World, input: &Input, stops: Vec<MemoryStop>) -> Option<Report> {
    world.script_stops = Some(stops);
    let report = apply(world, input);
    world.script_stops = None;
    report
}

/// Reads the records after input `from`, in order. Tells also the number of the last input that there is; less than
/// `from` where the journal ends before it.
pub fn records_after(
    listing: &Listing,
    from: InputNumber,
    visit: &mut dyn FnMut(Entry) -> ControlFlow<()>,
) -> std::io::Result<(End, InputNumber)> {
    let mut last = 0;
    let end = read_on(listing, from, &mut last, visit)?;
    Ok((end, last))
}

fn read_on(
    listing: &Listing,
    from: InputNumber,
    last: &mut InputNumber,
    visit: &mut dyn FnMut(Entry) -> ControlFlow<()>,
) -> std::io::Result<End> {
    let Some((first, _)) = listing.segment_after(from) else {
        let later = listing.segments.iter().next();
        return Ok(match later {
            None => End::Whole,
            Some((start, file)) => {
                let why = format!("it begins after input {start}, and the inputs from {} on are missing", from + 1);
                End::Gap(Gap { segment: file.path.clone(), why })
            }
        });
    };
    *last = first;
    let segments: Vec<_> = listing.segments.range(first..).collect();
    for (n, (start, file)) in segments.iter().enumerate() {
        let gap = |why: String| Ok(End::Gap(Gap { segment: file.path.clone(), why }));
        let is_last = n + 1 == segments.len();
        let bytes = match file.read() {
            Ok(bytes) => bytes,
            Err(error) if file.packed => return gap(format!("it cannot be unpacked: {error}")),
            Err(error) => return Err(error),
        };
        let mut records = match Records::open(&bytes) {
            Ok(records) => records,
            Err(NoSegment::Headless) if is_last => {
                return Ok(End::Torn { segment: file.path.clone(), at: 0, bytes: bytes.len() as u64 });
            }
            Err(error) => return gap(error.to_string()),
        };
        if records.header.start != **start {
            return gap(format!("its name says {start}, its head {}", records.header.start));
        }
        if **start > from {
            if **start != *last {
                return gap(format!("it begins after input {start}, but what was read before it ends with {last}"));
            }
            if !records.header.continues {
                return gap(
                    "it begins anew, from its own snapshot (other content, a new seed, or a recovery)".to_string()
                );
            }
        }
        if visit(Entry::Segment(&records.header)).is_break() {
            return Ok(End::Enough);
        }
        for record in records.by_ref() {
            if let Record::Input { number, .. } = &record {
                *last = *number;
                if *number <= from {
                    continue;
                }
            }
            if visit(Entry::Record(record)).is_break() {
                return Ok(End::Enough);
            }
        }
        match records.broken() {
            None => {}
            Some(Broken::Torn { at, bytes }) if is_last => {
                return Ok(End::Torn { segment: file.path.clone(), at: *at as u64, bytes: *bytes as u64 });
            }
            // What a start after it cut off is no loss: the next segment says where it went on.
            Some(Broken::Torn { .. }) => {}
            Some(broken) => return gap(broken.to_string()),
        }
    }
    Ok(End::Whole)
}

/// Replays the inputs after the world's own last one.
pub fn replay(
    world: &mut World,
    listing: &Listing,
    visit: &mut dyn FnMut(&World, Step) -> ControlFlow<()>,
) -> std::io::Result<(End, InputNumber)> {
    let from = world.state.number;
    records_after(listing, from, &mut |entry| match entry {
        Entry::Segment(header) => visit(world, Step::Segment(header)),
        Entry::Record(Record::Hashes { number, tick, hashes }) => visit(world, Step::Hashes { number, tick, hashes }),
        Entry::Record(Record::Input { number, at_ms, input, stops }) => {
            let report = apply_again(world, &input, stops);
            visit(world, Step::Input { number, at_ms, input: &input, report: report.map(Box::new) })
        }
    })
}
