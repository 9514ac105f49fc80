//! The loaded hour: what was played in it, and copies of pointers of its worlds, so that any tick of it is a few inputs
//! away.

use super::NoMoment;
use super::comparing::Comparing;
use crate::journal::Record;
use crate::journal::replaying::{End, Entry, Gap, apply_again, records_after};
use crate::replay::Past;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use world::{Input, World};

/// Ticks of an hour, where a tick is two seconds.
pub const HOUR: u64 = 1_800;
/// From one copy to the next. With fifty busy agents ten ticks are replayed in some 30 ms.
const COPY_EVERY: u64 = 10;

/// A world as it was right after a tick.
#[derive(Clone)]
pub struct Moment {
    pub world: World,
    /// When that tick ran, in unix milliseconds; `None`: the journal begins with it.
    pub at_ms: Option<i64>,
}

/// What a replay begins with.
pub struct Start {
    pub world: World,
    /// It is the world right after its tick, or the first that there is. A snapshot may have been made later.
    pub is_exact: bool,
}

/// The inputs of a tick end here, with the tick itself.
#[derive(Clone, Copy)]
struct Bound {
    /// In `Hour::records`.
    end: usize,
    at_ms: Option<i64>,
}

pub struct Hour {
    start: u64,
    is_exact: bool,
    records: Vec<Record>,
    /// By tick; the first is that of the start, the last that of the last tick that can be shown.
    bounds: BTreeMap<u64, Bound>,
    /// Right after their ticks, but for the first, which is the start.
    copies: BTreeMap<u64, World>,
    /// The one that was asked for last.
    last: Option<World>,
    pub comparing: Comparing,
    /// What follows the last tick cannot be replayed.
    pub gap: Option<Gap>,
}

impl Hour {
    /// Reads the hour that a tick is in. The world is the one to begin with, and `comparing` what it was compared by.
    /// `go_on` is asked once a tick.
    pub fn load(
        past: &Past,
        start: Start,
        tick: u64,
        mut comparing: Comparing,
        go_on: &dyn Fn() -> bool,
    ) -> Result<Hour, NoMoment> {
        let (begin, beyond) = (tick - tick % HOUR, tick - tick % HOUR + HOUR);
        let Start { mut world, mut is_exact } = start;
        world.unread = true;
        let (from, mut ticks, mut at_ms) = (world.state.number, world.tick(), None);
        let (mut records, mut bounds) = (Vec::new(), BTreeMap::new());
        let mut is_given_up = false;
        let (end, _) = records_after(&past.run.files, from, &mut |entry| {
            let Entry::Record(record) = entry else { return ControlFlow::Continue(()) };
            let ran = match &record {
                Record::Input { input: Input::Tick, at_ms, .. } => Some(*at_ms),
                _ => None,
            };
            if ran.is_some() && ticks + 1 == beyond {
                return ControlFlow::Break(());
            }
            if ticks < begin {
                play(&mut world, &record, &mut comparing);
            } else {
                records.push(record);
            }
            if let Some(ran) = ran {
                ticks += 1;
                is_given_up = !go_on();
                if ticks == begin {
                    (is_exact, at_ms) = (true, Some(ran));
                } else if ticks > begin {
                    bounds.insert(ticks, Bound { end: records.len(), at_ms: Some(ran) });
                }
            }
            if is_given_up { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })?;
        if is_given_up {
            return Err(NoMoment::GivenUp);
        }
        let gap = match end {
            End::Gap(gap) => Some(gap),
            _ => None,
        };
        let start = world.tick();
        bounds.insert(start, Bound { end: 0, at_ms });
        let copies = BTreeMap::from([(start, world)]);
        Ok(Hour { start, is_exact, records, bounds, copies, last: None, comparing, gap })
    }

    pub fn has(&self, tick: u64) -> bool {
        self.bounds.contains_key(&tick) && (tick > self.start || self.is_exact)
    }

    /// The world after a tick that it has.
    pub fn at(&mut self, tick: u64, go_on: &dyn Fn() -> bool) -> Result<Moment, NoMoment> {
        let bound = self.bounds[&tick];
        let last = self.last.as_ref().filter(|last| last.tick() <= tick);
        let copy = self.copies.range(..=tick).next_back().map(|(_, world)| world);
        let nearest = last.into_iter().chain(copy).max_by_key(|world| world.tick());
        let mut world = nearest.expect("the start is kept").clone();
        let begin = self.bounds[&world.tick()].end;
        for record in &self.records[begin..bound.end] {
            play(&mut world, record, &mut self.comparing);
            if !matches!(record, Record::Input { input: Input::Tick, .. }) {
                continue;
            }
            if world.tick().is_multiple_of(COPY_EVERY) {
                self.copies.entry(world.tick()).or_insert_with(|| world.clone());
            }
            if !go_on() {
                self.last = Some(world);
                return Err(NoMoment::GivenUp);
            }
        }
        self.last = Some(world.clone());
        Ok(Moment { world, at_ms: bound.at_ms })
    }

    /// Plays on to its end, so that every tick of it is near a copy. `go_on` is asked once a tick; what was played up
    /// to then stays.
    pub fn fill(&mut self, go_on: &dyn Fn() -> bool) {
        let end = self.bounds.last_key_value().map_or(self.start, |(tick, _)| *tick);
        let filled = self.copies.last_key_value().map_or(self.start, |(tick, _)| *tick);
        if filled + COPY_EVERY <= end {
            // Given up or not: copies are kept as they are made.
            let _end = self.at(end, go_on);
        }
    }

    #[cfg(test)]
    pub fn copied(&self) -> Vec<u64> {
        self.copies.keys().copied().collect()
    }
}

/// Plays one record of the journal again.
fn play(world: &mut World, record: &Record, comparing: &mut Comparing) {
    match record {
        Record::Hashes { number, tick, hashes } => comparing.written(*number, *tick, hashes),
        Record::Input { input, stops, .. } => {
            apply_again(world, input, stops.clone());
            comparing.applied(world, input);
        }
    }
}
