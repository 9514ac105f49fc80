//! The past: any tick of any run that a journal keeps, as a world to look at.
//!
//! A seek begins at the nearest snapshot, or at a copy that the [`survey`] has left, replays from there, compares
//! hashes on the way, and keeps the [`hour`] around what was asked for. Invariants: the journal is only read, and as
//! far as it is whole, so its server may be running; what is told of a tick is the world right after it ran; one seek
//! runs at a time, and ends when nobody waits for it any more.

mod comparing;
mod hour;
mod survey;

pub use hour::Moment;
pub use survey::{MARKS_MAX, Mark, MarkKind};

use self::comparing::Comparing;
use self::hour::{Hour, Start};
use self::survey::{Survey, Surveyor};
use crate::journal::Layout;
use crate::journal::runs::{self, Run};
use crate::replay::{Difference, Past, PastArgs};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};
use world::InputNumber;

/// A journal that is being written is looked at again so often.
const LOOK_EVERY: Duration = Duration::from_secs(2);

/// Of parts that cannot be replayed.
const PROBLEMS_MAX: usize = 8;

/// Why there is no world to look at.
#[derive(Debug, thiserror::Error)]
pub enum NoMoment {
    #[error("Tick {tick} is before the first snapshot that is kept: this past begins with tick {first}.")]
    Before { tick: u64, first: u64 },
    #[error("Tick {tick} is still to come: this past ends with tick {last}.")]
    ToCome { tick: u64, last: u64 },
    #[error("Tick {tick} is in a gap: the journal can be replayed to tick {before}, and again from tick {after} on.")]
    Gap { tick: u64, before: u64, after: u64 },
    #[error("Tick {tick} cannot be shown: {why}.")]
    Other { tick: u64, why: String },
    #[error("Nobody waits for it any more.")]
    GivenUp,
    #[error(transparent)]
    Failed(#[from] anyhow::Error),
}

impl From<std::io::Error> for NoMoment {
    fn from(error: std::io::Error) -> NoMoment {
        NoMoment::Failed(anyhow::Error::new(error).context("reading the journal"))
    }
}

/// A run, and the ticks that can be shown of it.
#[derive(Clone, Debug)]
pub struct Reach {
    run: Run,
    pub from: u64,
    pub to: u64,
}

/// The files that runs were found in, as they were then.
type Stamp = BTreeMap<PathBuf, (u64, Option<SystemTime>)>;

struct Folder {
    stamp: Stamp,
    looked: Instant,
    /// Oldest first; never empty.
    reaches: Vec<Reach>,
}

struct Loaded {
    run: InputNumber,
    hour: Hour,
}

/// What is known of a whole past.
#[derive(Clone, Debug)]
pub struct Range {
    pub from: u64,
    pub to: u64,
    /// First and last tick of each part that can be shown, oldest first; more than one where there are gaps.
    pub parts: Vec<(u64, u64)>,
    /// Of the newest run; milliseconds.
    pub tick_ms: u64,
    /// Oldest first.
    pub marks: Vec<Mark>,
    pub marks_forgotten: usize,
    /// The tick that the search for marks has come to; `None`: it has not begun.
    pub searched_to: Option<u64>,
    pub is_searched: bool,
    pub hashes_compared: usize,
    /// What was found to differ from what was written, by seeks as by the survey.
    pub difference: Option<Difference>,
    pub problems: Vec<String>,
}

/// The past of one state folder.
pub struct Timeline {
    args: PastArgs,
    layout: Layout,
    folder: Mutex<Folder>,
    /// Content and rules by the run that they were read for.
    worlds: Mutex<BTreeMap<InputNumber, Arc<Past>>>,
    loaded: Mutex<Option<Loaded>>,
    /// Who waits for `loaded`.
    seeking: AtomicUsize,
    survey: Mutex<Survey>,
}

impl Timeline {
    /// Finds what there is. An error where nothing of it can be shown.
    pub fn open(args: PastArgs) -> anyhow::Result<Timeline> {
        let layout = Layout::new(&args.state_dir);
        let folder = look(&layout)?;
        let timeline = Timeline {
            args,
            layout,
            folder: Mutex::new(folder),
            worlds: Mutex::default(),
            loaded: Mutex::default(),
            seeking: AtomicUsize::new(0),
            survey: Mutex::default(),
        };
        // Said now and not at the first question: that the world is not at its place, or is another one.
        let newest = timeline.reaches().pop().expect("there is one");
        timeline.past_of(&newest.run)?;
        Ok(timeline)
    }

    fn reaches(&self) -> Vec<Reach> {
        self.folder.lock().reaches.clone()
    }

    /// Looks whether the journal has grown, though not at every question.
    fn look_again(&self, at_once: bool) -> anyhow::Result<()> {
        let mut folder = self.folder.lock();
        if !at_once && folder.looked.elapsed() < LOOK_EVERY {
            return Ok(());
        }
        folder.looked = Instant::now();
        if stamp(&self.layout)? != folder.stamp {
            *folder = look(&self.layout)?;
        }
        Ok(())
    }

    /// A run with the world that it was played in.
    fn past_of(&self, run: &Run) -> anyhow::Result<Arc<Past>> {
        let known = self.worlds.lock().get(&run.start()).cloned();
        let past = match known {
            // The run may have grown.
            Some(past) => Past { run: run.clone(), content: past.content.clone(), rules: past.rules.clone() },
            None => Past::of(run.clone(), &self.args)?,
        };
        let past = Arc::new(past);
        self.worlds.lock().insert(run.start(), past.clone());
        Ok(past)
    }

    pub fn range(&self) -> anyhow::Result<Range> {
        self.look_again(false)?;
        let reaches = self.reaches();
        let (first, newest) = (&reaches[0], &reaches[reaches.len() - 1]);
        let survey = self.survey.lock();
        let (from, to) = (first.from, reaches.iter().map(|reach| reach.to).max().unwrap_or_default());
        Ok(Range {
            from,
            to,
            parts: parts(&reaches),
            tick_ms: newest.run.header.tick_ms,
            marks: survey.marks(),
            marks_forgotten: survey.forgotten,
            searched_to: survey.through.map(|(_, tick)| tick),
            is_searched: survey.is_done,
            hashes_compared: survey.checked,
            // A seek that runs tells of its own when it is over: nobody waits for it here.
            difference: survey.difference.clone().or_else(|| {
                let loaded = self.loaded.try_lock()?;
                loaded.as_ref()?.hour.comparing.difference.clone()
            }),
            problems: survey.problems.clone(),
        })
    }

    /// The world after a tick; `None`: after the last one. Takes its time: not for a thread that others wait for.
    pub fn seek(&self, tick: Option<u64>, go_on: &dyn Fn() -> bool) -> Result<Moment, NoMoment> {
        self.look_again(false)?;
        match self.try_seek(tick, go_on) {
            // The server beside us may have packed or removed what was about to be read.
            Err(NoMoment::Failed(error)) if is_missing(&error) => {
                self.look_again(true)?;
                self.try_seek(tick, go_on)
            }
            sought => sought,
        }
    }

    fn try_seek(&self, tick: Option<u64>, go_on: &dyn Fn() -> bool) -> Result<Moment, NoMoment> {
        self.seeking.fetch_add(1, Ordering::Relaxed);
        let mut loaded = self.loaded.lock();
        self.seeking.fetch_sub(1, Ordering::Relaxed);
        let reaches = self.reaches();
        let tick = tick.unwrap_or_else(|| reaches.last().map_or(0, |newest| newest.to));
        let reach = reach_of(&reaches, tick)?;
        let run = reach.run.start();
        if let Some(Loaded { run: its, hour }) = &mut *loaded
            && *its == run
            && hour.has(tick)
        {
            return hour.at(tick, go_on);
        }
        let past = self.past_of(&reach.run).map_err(|error| NoMoment::Other { tick, why: format!("{error:#}") })?;
        let start = self.start(&past, tick)?;
        let difference = loaded.take().and_then(|loaded| loaded.hour.comparing.difference);
        let comparing = Comparing::after(difference);
        let hour = Hour::load(&past, start, tick, comparing, go_on)?;
        let Loaded { hour, .. } = loaded.insert(Loaded { run, hour });
        if !hour.has(tick) {
            let why = match &hour.gap {
                Some(gap) => format!("the journal cannot be replayed to it: {gap}"),
                None => "the journal ends before it".to_string(),
            };
            return Err(NoMoment::Other { tick, why });
        }
        hour.at(tick, go_on)
    }

    /// Plays the loaded hour on while nobody seeks, so that what is sought next in it is near. For a thread of its own,
    /// after each seek.
    pub fn fill(&self, go_on: &dyn Fn() -> bool) {
        // Who holds it seeks, and fills after that, or fills.
        let Some(mut loaded) = self.loaded.try_lock() else { return };
        if let Some(Loaded { hour, .. }) = &mut *loaded {
            hour.fill(&|| self.seeking.load(Ordering::Relaxed) == 0 && go_on());
        }
    }

    /// The nearest world to begin with: a copy, else a snapshot.
    fn start(&self, past: &Past, tick: u64) -> Result<Start, NoMoment> {
        let copy = self.survey.lock().copy(past.run.start(), tick).cloned();
        let snapshot = past.run.heads().into_iter().rev().map(|(_, head)| head.header.start_tick);
        let snapshot = snapshot.into_iter().find(|start| *start < tick);
        if let Some(world) = copy
            && snapshot.is_none_or(|snapshot| snapshot <= world.tick())
        {
            return Ok(Start { world, is_exact: true });
        }
        let base = past.base_before(tick)?;
        // Where no snapshot is before it, this one is the first there is.
        let is_exact = base.state.clock.tick == tick;
        Ok(Start { world: past.world(base), is_exact })
    }

    /// Replays everything once, and then what is written, for as long as `go_on` says. For a thread of its own.
    pub fn survey(&self, go_on: &dyn Fn() -> bool) {
        let mut surveyor: Option<(InputNumber, Surveyor)> = None;
        let mut done: BTreeMap<InputNumber, Stamp> = BTreeMap::new();
        while go_on() {
            for Reach { run, .. } in self.reaches() {
                let files = run.files.segments.values().map(|file| file.path.clone());
                let stamp = stamp_of(files);
                if done.get(&run.start()) == Some(&stamp) {
                    continue;
                }
                if let Err(error) = self.survey_run(&run, &mut surveyor, go_on) {
                    let (mut survey, problem) = (self.survey.lock(), format!("{error:#}"));
                    if survey.problems.len() < PROBLEMS_MAX && !survey.problems.contains(&problem) {
                        survey.problems.push(problem);
                    }
                    surveyor = None;
                }
                if !go_on() {
                    return;
                }
                done.insert(run.start(), stamp);
            }
            self.survey.lock().is_done = true;
            for _ in 0..10 {
                if !go_on() {
                    return;
                }
                std::thread::sleep(LOOK_EVERY / 10);
            }
            if let Err(error) = self.look_again(true) {
                tracing::warn!("the journal cannot be looked at: {error:#}");
            }
        }
    }

    fn survey_run(
        &self,
        run: &Run,
        surveyor: &mut Option<(InputNumber, Surveyor)>,
        go_on: &dyn Fn() -> bool,
    ) -> anyhow::Result<()> {
        let past = self.past_of(run)?;
        let surveyor = match surveyor {
            Some((its, surveyor)) if *its == run.start() => surveyor,
            other => &mut other.insert((run.start(), Surveyor::new(&past)?)).1,
        };
        surveyor.go_on(&past, &self.survey, go_on)
    }
}

fn is_missing(error: &anyhow::Error) -> bool {
    let of_io = |error: &std::io::Error| error.kind() == std::io::ErrorKind::NotFound;
    error.chain().any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(of_io))
}

/// The run that shows a tick: the newest that reaches so far back.
fn reach_of(reaches: &[Reach], tick: u64) -> Result<&Reach, NoMoment> {
    let at = reaches.iter().rposition(|reach| reach.from <= tick);
    let Some(at) = at else { return Err(NoMoment::Before { tick, first: reaches[0].from }) };
    let reach = &reaches[at];
    match reaches.get(at + 1) {
        _ if tick <= reach.to => Ok(reach),
        Some(next) => Err(NoMoment::Gap { tick, before: reach.to, after: next.from }),
        None => Err(NoMoment::ToCome { tick, last: reach.to }),
    }
}

/// What can be shown, without ticks that a later run has played anew.
fn parts(reaches: &[Reach]) -> Vec<(u64, u64)> {
    let mut parts: Vec<(u64, u64)> = Vec::new();
    for Reach { from, to, .. } in reaches {
        match parts.last_mut() {
            Some((_, end)) if *from <= *end + 1 => *end = *to,
            _ => parts.push((*from, *to)),
        }
    }
    parts
}

fn stamp_of(files: impl Iterator<Item = PathBuf>) -> Stamp {
    let one = |path: PathBuf| {
        let known = std::fs::metadata(&path).map(|file| (file.len(), file.modified().ok()));
        (path, known.unwrap_or_default())
    };
    files.map(one).collect()
}

fn stamp(layout: &Layout) -> anyhow::Result<Stamp> {
    let listing = layout.list()?;
    let segments = listing.segments.into_values().map(|file| file.path);
    Ok(stamp_of(segments.chain(listing.snapshots.into_values())))
}

fn look(layout: &Layout) -> anyhow::Result<Folder> {
    // First: what is written meanwhile is found the next time.
    let (stamp, looked) = (stamp(layout)?, Instant::now());
    let mut reaches = Vec::new();
    for run in runs::runs(layout)? {
        match run.reach() {
            Ok((from, to, _)) => reaches.push(Reach { run, from, to }),
            Err(error) => tracing::warn!("a part of the journal cannot be shown: {error:#}"),
        }
    }
    anyhow::ensure!(
        !reaches.is_empty(),
        "{} has no snapshot that its journal could be replayed from",
        layout.folder().display()
    );
    Ok(Folder { stamp, looked, reaches })
}

#[cfg(test)]
mod tests;
