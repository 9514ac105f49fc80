//! The past as it can be replayed: runs of segments that go on from one another, and the snapshots to begin from.
//!
//! A run ends where a server began with other content, a new seed, or without what was lost. Only reads.

use super::format::{Header, Record, Records};
use super::replaying::{End, Entry, Gap, records_after};
use super::snapshot::{Head, Snapshot, Unwritten};
use super::{Layout, Listing};
use anyhow::{Context, bail};
use std::ops::ControlFlow;
use std::path::Path;
use world::world::State;
use world::{Input, InputNumber};

/// Segments that one replay can go through, and what was snapshot on the way.
#[derive(Clone, Debug)]
pub struct Run {
    pub files: Listing,
    /// Of its first segment.
    pub header: Header,
}

/// All there are, oldest first. Segments whose head cannot be read are named in the log and end a run.
pub fn runs(layout: &Layout) -> anyhow::Result<Vec<Run>> {
    let reading = || format!("reading {}", layout.folder().display());
    let listing = layout.list().with_context(reading)?;
    let mut runs: Vec<Run> = Vec::new();
    let mut whole = false;
    for (start, file) in &listing.segments {
        let header = match Records::open(&file.read().with_context(reading)?) {
            Ok(records) => records.header,
            Err(error) => {
                tracing::warn!(segment = %file.path.display(), %error, "a segment cannot be read");
                whole = false;
                continue;
            }
        };
        match runs.last_mut() {
            Some(run) if whole && header.continues => {
                run.files.segments.insert(*start, file.clone());
            }
            _ => {
                let mut files = Listing::default();
                files.segments.insert(*start, file.clone());
                runs.push(Run { files, header });
            }
        }
        whole = true;
    }
    for (number, path) in &listing.snapshots {
        if let Some(run) = runs.iter_mut().rev().find(|run| run.start() <= *number) {
            run.files.snapshots.insert(*number, path.clone());
        }
    }
    if runs.is_empty() {
        bail!("{} holds no journal; name the state folder of a server with --state-dir", layout.folder().display());
    }
    Ok(runs)
}

/// Where a replay begins.
pub struct Base {
    pub head: Head,
    pub state: State,
    pub unwritten: Unwritten,
}

impl Run {
    pub fn start(&self) -> InputNumber {
        self.header.start
    }

    /// The snapshots that can be read, with their heads, oldest first. The others are named in the log.
    pub fn heads(&self) -> Vec<(InputNumber, Head)> {
        let mut heads = Vec::new();
        for (number, path) in &self.files.snapshots {
            match super::snapshot::head_of(path) {
                Ok(head) => heads.push((*number, head)),
                Err(error) => {
                    tracing::warn!(snapshot = %path.display(), %error, "a snapshot cannot be used");
                }
            }
        }
        heads
    }

    /// The ticks of its oldest snapshot and of the last input that can be replayed after the newest one, and what
    /// keeps one from replaying further, though there is more.
    pub fn reach(&self) -> anyhow::Result<(u64, u64, Option<Gap>)> {
        let heads = self.heads();
        let (Some((_, oldest)), Some((number, newest))) = (heads.first(), heads.last()) else {
            return Err(self.without_snapshot());
        };
        let mut tick = newest.header.start_tick;
        let (end, _) = records_after(&self.files, *number, &mut |entry| {
            tick += u64::from(matches!(entry, Entry::Record(Record::Input { input: Input::Tick, .. })));
            ControlFlow::Continue(())
        })?;
        let gap = match end {
            End::Gap(gap) => Some(gap),
            _ => None,
        };
        Ok((oldest.header.start_tick, tick, gap))
    }

    /// The oldest snapshot that is whole: all of the run that can be replayed.
    pub fn oldest(&self) -> anyhow::Result<Base> {
        self.first_whole(self.heads().into_iter().map(|(number, _)| number))
    }

    /// The newest whole snapshot of that tick or before it.
    pub fn before(&self, tick: u64) -> anyhow::Result<Base> {
        let heads = self.heads().into_iter().rev();
        self.first_whole(heads.filter(|(_, head)| head.header.start_tick <= tick).map(|(number, _)| number))
    }

    /// The newest whole snapshot of before an input.
    pub fn before_input(&self, number: InputNumber) -> anyhow::Result<Base> {
        let heads = self.heads().into_iter().rev();
        self.first_whole(heads.map(|(after, _)| after).filter(|after| *after < number))
    }

    fn first_whole(&self, numbers: impl Iterator<Item = InputNumber>) -> anyhow::Result<Base> {
        for number in numbers {
            match read_base(&self.files.snapshots[&number]) {
                Ok(base) => return Ok(base),
                Err(error) => tracing::warn!("{error:#}"),
            }
        }
        Err(self.without_snapshot())
    }

    fn without_snapshot(&self) -> anyhow::Error {
        anyhow::anyhow!(
            "the part of the journal that begins with input {} (tick {}) has no snapshot that it could be replayed from",
            self.header.start,
            self.header.start_tick
        )
    }
}

/// The newest whole snapshot of before a tick, else the oldest that there is, whatever run they are of. No segment is
/// read for it.
pub fn base_before(listing: &Listing, tick: u64) -> anyhow::Result<Base> {
    let mut oldest = None;
    for path in listing.snapshots.values().rev() {
        match super::snapshot::head_of(path) {
            Ok(head) if head.header.start_tick >= tick => oldest = Some(path),
            Ok(_) => match read_base(path) {
                Ok(base) => return Ok(base),
                Err(error) => tracing::warn!("{error:#}"),
            },
            Err(error) => tracing::warn!(snapshot = %path.display(), %error, "a snapshot cannot be used"),
        }
    }
    read_base(oldest.context("the journal has no snapshot that it could be replayed from")?)
}

/// Reads a snapshot to begin from.
pub fn read_base(path: &Path) -> anyhow::Result<Base> {
    let (head, state, unwritten) =
        Snapshot::read(path).with_context(|| format!("the snapshot {} cannot be used", path.display()))?;
    Ok(Base { head, state, unwritten })
}

/// The newest run that had begun by that tick.
pub fn run_at(runs: &[Run], tick: Option<u64>) -> anyhow::Result<&Run> {
    let by_then = |run: &&Run| tick.is_none_or(|tick| run.header.start_tick <= tick);
    match (runs.iter().rev().find(by_then), runs.first()) {
        (Some(run), _) => Ok(run),
        (None, Some(first)) => bail!(
            "the journal does not reach back to tick {}: it begins with tick {}",
            tick.unwrap_or_default(),
            first.header.start_tick
        ),
        (None, None) => bail!("there is no journal"),
    }
}
