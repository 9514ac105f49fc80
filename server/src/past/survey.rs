//! The survey: a journal is replayed once from its beginning to its end, beside whoever looks at moments of it. It
//! finds deaths, levels and meetings, compares hashes, and leaves a copy of pointers at each hour, from which seeks
//! begin.
//!
//! Invariant: what is kept of it is bounded, however long the journal is.

use super::comparing::Comparing;
use super::hour::HOUR;
use crate::journal::replaying::{End, Step, replay};
use crate::replay::{Difference, Past};
use parking_lot::Mutex;
use protocol::happening::What;
use protocol::outcome::{Outcome, Who, WhoKind};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ops::ControlFlow;
use utoipa::ToSchema;
use world::{Input, InputNumber, Report, World};

/// Marks of each kind; of more, the newest.
pub const MARKS_MAX: usize = 1_000;
/// Copies of all runs; where there are more, every second one goes.
const COPIES_MAX: usize = 96;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    Death,
    Level,
    /// Two players saw each other for the first time.
    Meeting,
}

/// Something that one may want to look at.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Mark {
    pub tick: u64,
    pub kind: MarkKind,
    /// The key and the name of the player.
    pub key: String,
    pub name: String,
    /// Of a death: by whom; of a meeting: whom it met. `null`: nobody.
    pub other: Option<String>,
    /// Of a level: the new one.
    pub level: Option<u16>,
    /// Anybody could watch the player then.
    #[serde(skip)]
    pub watchable: bool,
}

/// What the survey has found so far.
#[derive(Default)]
pub struct Survey {
    marks: BTreeMap<MarkKind, VecDeque<Mark>>,
    /// Marks that were found and are kept no more.
    pub forgotten: usize,
    /// Keys of pairs that have met.
    met: BTreeSet<(String, String)>,
    /// By the run's first input and the tick: right after that tick.
    copies: BTreeMap<(InputNumber, u64), World>,
    /// From one copy to the next, in hours.
    spacing: u64,
    /// The run and the tick that it has come to.
    pub through: Option<(InputNumber, u64)>,
    /// Hashes that were compared, and the first that differed.
    pub checked: usize,
    pub difference: Option<Difference>,
    /// Why parts of the journal could not be replayed, a sentence each.
    pub problems: Vec<String>,
    pub is_done: bool,
}

impl Survey {
    /// Oldest first.
    pub fn marks(&self) -> Vec<Mark> {
        let mut all: Vec<Mark> = self.marks.values().flatten().cloned().collect();
        all.sort_by(|one, other| (one.tick, one.kind, &one.key).cmp(&(other.tick, other.kind, &other.key)));
        all
    }

    /// The newest copy of a run that is no later than a tick.
    pub fn copy(&self, run: InputNumber, tick: u64) -> Option<&World> {
        self.copies.range((run, 0)..=(run, tick)).next_back().map(|(_, world)| world)
    }

    fn note(&mut self, world: &World, report: &Report) {
        for outcome in &report.outcomes {
            match &**outcome {
                Outcome::Death { victim, killer } if victim.kind == WhoKind::Player => {
                    self.mark(world, report.tick, MarkKind::Death, victim, killer.as_ref(), None);
                }
                Outcome::LevelGained { who, level } if who.kind == WhoKind::Player => {
                    self.mark(world, report.tick, MarkKind::Level, who, None, Some(*level));
                }
                _ => {}
            }
        }
        for recorded in &report.recorded {
            let What::Met { who, other } = &recorded.happening.what else { continue };
            let is_player = |who: &Who| who.kind == WhoKind::Player && !key_of(who).is_empty();
            let (one, two) = (key_of(who), key_of(other));
            // Each of the two remembers it.
            let pair = if one < two { (one, two) } else { (two, one) };
            if is_player(who) && is_player(other) && self.met.insert(pair) {
                self.mark(world, report.tick, MarkKind::Meeting, who, Some(other), None);
            }
        }
    }

    fn mark(&mut self, world: &World, tick: u64, kind: MarkKind, who: &Who, other: Option<&Who>, level: Option<u16>) {
        let key = key_of(who);
        let player = world.find_player(&key).and_then(|who| Some((who, world.character(who)?.player()?)));
        let watchable = player.is_some_and(|(who, player)| player.is_watchable() && world.is_listed(who));
        let (name, other) = (who.name.to_string(), other.map(|other| other.name.to_string()));
        let marks = self.marks.entry(kind).or_default();
        marks.push_back(Mark { tick, kind, key, name, other, level, watchable });
        if marks.len() > MARKS_MAX {
            marks.pop_front();
            self.forgotten += 1;
        }
    }

    fn keep(&mut self, run: InputNumber, world: &World) {
        let hours = world.tick() / HOUR;
        if !world.tick().is_multiple_of(HOUR) || !hours.is_multiple_of(self.spacing.max(1)) {
            return;
        }
        self.copies.insert((run, world.tick()), world.clone());
        if self.copies.len() > COPIES_MAX {
            self.spacing = self.spacing.max(1) * 2;
            let spacing = self.spacing;
            self.copies.retain(|(_, tick), _| (tick / HOUR).is_multiple_of(spacing));
        }
    }
}

fn key_of(who: &Who) -> String {
    who.id.strip_prefix("player_").unwrap_or_default().to_string()
}

/// Where a survey is in a run.
pub struct Surveyor {
    run: InputNumber,
    world: World,
    comparing: Comparing,
}

impl Surveyor {
    pub fn new(past: &Past) -> anyhow::Result<Surveyor> {
        let mut world = past.world(past.run.oldest()?);
        world.unread = true;
        Ok(Surveyor { run: past.run.start(), world, comparing: Comparing::default() })
    }

    /// Goes on to the end of what is written. What is found goes into the survey; `go_on` is asked once a tick.
    pub fn go_on(&mut self, past: &Past, survey: &Mutex<Survey>, go_on: &dyn Fn() -> bool) -> anyhow::Result<()> {
        let Surveyor { run, world, comparing } = self;
        let (end, _) = replay(world, &past.run.files, &mut |world, step| match step {
            Step::Segment(_) => ControlFlow::Continue(()),
            Step::Hashes { number, tick, hashes } => {
                let before = comparing.checked;
                comparing.written(number, tick, &hashes);
                let mut survey = survey.lock();
                survey.checked += comparing.checked - before;
                if survey.difference.is_none() {
                    survey.difference.clone_from(&comparing.difference);
                }
                ControlFlow::Continue(())
            }
            Step::Input { input, report, .. } => {
                comparing.applied(world, input);
                let is_tick = matches!(input, Input::Tick);
                let report = report.filter(|report| !report.outcomes.is_empty() || !report.recorded.is_empty());
                if is_tick || report.is_some() {
                    let mut survey = survey.lock();
                    if let Some(report) = &report {
                        survey.note(world, report);
                    }
                    if is_tick {
                        survey.through = Some((*run, world.tick()));
                        survey.keep(*run, world);
                    }
                }
                if is_tick && !go_on() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            }
        })?;
        match end {
            End::Gap(gap) => Err(gap.into()),
            _ => Ok(()),
        }
    }
}
