//! Randomness by name: one ChaCha8 stream per (seed, occasion, stream, actor).
//!
//! An occasion is a tick, or an act of a character: its how-manieth act that drew. So what somebody draws does not
//! depend on how many inputs came before it, and two worlds that differ in looks and talk only throw the same dice
//! (docs/REPLAY.md, "Common chance"). Streams are made fresh for each occasion, so a new draw in weather cannot shift a
//! blow in combat; a phase forks its stream per actor, so one more mob does not shift the others. `Stream::Cosmetic` is
//! for what only decorates text. Invariant: nothing in the crate draws from anything else.
//!
//! What a rule draws has a name besides (`draws.rs`): by it tests and operators turn a die.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{Rng as _, SeedableRng};

/// What the draws are for. The number is part of the key: rows are added at the end, never moved.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stream {
    Command = 0,
    Combat = 1,
    Mobs = 2,
    Weather = 3,
    Zones = 4,
    Hours = 5,
    /// Wording, looks: never decides anything.
    Cosmetic = 6,
    /// What scripts throw.
    Scripts = 7,
}

const STREAMS: usize = 8;

/// Dice drawn from one stream.
#[derive(Clone, Debug)]
pub struct Dice(ChaCha8Rng);

impl Dice {
    pub fn new(seed: u64, occasion: u64, stream: u64, actor: u64) -> Dice {
        let mut key = [0u8; 32];
        for (chunk, word) in key.chunks_exact_mut(8).zip([seed, occasion, stream, actor]) {
            chunk.copy_from_slice(&word.to_le_bytes());
        }
        Dice(ChaCha8Rng::from_seed(key))
    }

    /// Uniform, both ends included; `low` when `high` is not above it.
    pub fn range(&mut self, low: i32, high: i32) -> i32 {
        if high <= low {
            return low;
        }
        let span = (high as i64 - low as i64 + 1) as u64;
        let draw = (u64::from(self.0.next_u32()) * span) >> 32;
        (low as i64 + draw as i64) as i32
    }

    /// More dice are never thrown at once.
    pub const THROWN_MAX: i32 = 1_000;

    /// Sum of `count` dice of `sides`; 0 when either is not positive. At most `THROWN_MAX` dice are thrown.
    pub fn roll(&mut self, count: i32, sides: i32) -> i32 {
        if sides <= 0 {
            return 0;
        }
        (0..count.min(Self::THROWN_MAX)).fold(0, |sum: i32, _| sum.saturating_add(self.range(1, sides)))
    }

    /// 1..=100 compared: true in `chance` percent of cases.
    pub fn percent(&mut self, chance: i32) -> bool {
        self.range(1, 100) <= chance
    }

    pub fn one_in(&mut self, n: i32) -> bool {
        self.range(1, n) == 1
    }

    /// A key for `Glances`, drawn from this stream.
    pub fn glances(&mut self) -> Glances {
        Glances(self.0.next_u64())
    }

    /// Any element; `None` of an empty slice.
    pub fn pick<'a, T>(&mut self, of: &'a [T]) -> Option<&'a T> {
        match of.len() {
            0 => None,
            n => of.get(self.range(0, n as i32 - 1) as usize),
        }
    }
}

/// Small draws for each of thousands of actors, of which most do nothing: a key from a stream, mixed with the actor's
/// serial number. A fork costs half a microsecond, a glance a few nanoseconds.
#[derive(Clone, Copy, Debug)]
pub struct Glances(u64);

/// The small draws of one actor.
#[derive(Clone, Copy, Debug)]
pub struct Glance(u64);

impl Glances {
    pub fn of(self, actor: u64) -> Glance {
        Glance(self.0 ^ mix(actor))
    }
}

impl Glance {
    /// 0..n, uniform for the small `n` that it is meant for; 0 when `n` is 0.
    pub fn below(&mut self, n: u32) -> u32 {
        self.0 = self.0.wrapping_add(GOLDEN);
        (((mix(self.0) >> 32) * u64::from(n)) >> 32) as u32
    }

    pub fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014).
fn mix(word: u64) -> u64 {
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

/// What the draws hang on, beside the seed and the stream.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Occasion {
    /// What the world does by itself on this tick.
    Tick(u64),
    /// An act of a character, by its serial and the number of its acts that drew before. The actor 0 is nobody in the
    /// world: the operator, a builder.
    Act { actor: u64, before: u64 },
}

impl Occasion {
    /// As part of a key. Acts have the highest bit, ticks never reach it.
    fn key(self) -> u64 {
        match self {
            Occasion::Tick(tick) => tick,
            Occasion::Act { actor, before } => mix(mix(actor) ^ before.wrapping_mul(GOLDEN)) | 1 << 63,
        }
    }
}

/// The streams of the occasion at hand, each made when first drawn from.
#[derive(Clone, Debug)]
pub struct Streams {
    seed: u64,
    occasion: Occasion,
    dice: [Option<Box<Dice>>; STREAMS],
    /// To whom a stream was forked on this occasion; 0: to nobody yet.
    forked_to: [u64; STREAMS],
}

impl Streams {
    pub fn new(seed: u64) -> Streams {
        Streams { seed, occasion: Occasion::Tick(0), dice: Default::default(), forked_to: [0; STREAMS] }
    }

    /// Starts the streams of the next occasion.
    pub fn begin(&mut self, occasion: Occasion) {
        self.occasion = occasion;
        self.dice = Default::default();
        self.forked_to = [0; STREAMS];
    }

    /// The serial of whose draws those of this stream are: to whom it was forked, or who acts; 0 for nobody.
    pub fn actor(&self, stream: Stream) -> u64 {
        match (self.forked_to[stream as usize], self.occasion) {
            (0, Occasion::Act { actor, .. }) => actor,
            (forked_to, _) => forked_to,
        }
    }

    /// Whether anything was drawn on this occasion that decides something.
    pub fn drew(&self) -> bool {
        let cosmetic = Stream::Cosmetic as usize;
        self.dice.iter().enumerate().any(|(stream, dice)| stream != cosmetic && dice.is_some())
    }

    pub fn get(&mut self, stream: Stream) -> &mut Dice {
        let (seed, occasion) = (self.seed, self.occasion);
        self.dice[stream as usize].get_or_insert_with(|| Box::new(Dice::new(seed, occasion.key(), stream as u64, 0)))
    }

    /// From here on, draws of `stream` belong to `actor` (a serial number, never 0), until the next fork or occasion.
    pub fn fork(&mut self, stream: Stream, actor: u64) {
        self.forked_to[stream as usize] = actor;
        let dice = Dice::new(self.seed, self.occasion.key(), stream as u64, actor);
        match &mut self.dice[stream as usize] {
            Some(old) => **old = dice,
            empty => *empty = Some(Box::new(dice)),
        }
    }

    pub fn seed(&self) -> u64 {
        self.seed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_do_not_disturb_each_other() {
        let mut one = Streams::new(7);
        one.begin(Occasion::Tick(3));
        one.get(Stream::Weather).roll(10, 6);
        let with_weather = one.get(Stream::Combat).range(1, 1_000_000);
        let mut two = Streams::new(7);
        two.begin(Occasion::Tick(3));
        assert_eq!(with_weather, two.get(Stream::Combat).range(1, 1_000_000));
        two.begin(Occasion::Tick(4));
        assert_ne!(with_weather, two.get(Stream::Combat).range(1, 1_000_000));
    }

    #[test]
    fn draws_belong_to_who_acts_or_to_whom_they_were_forked() {
        let mut streams = Streams::new(7);
        streams.begin(Occasion::Act { actor: 5, before: 0 });
        assert_eq!(streams.actor(Stream::Combat), 5);
        streams.fork(Stream::Combat, 9);
        assert_eq!([streams.actor(Stream::Combat), streams.actor(Stream::Command)], [9, 5]);
        streams.begin(Occasion::Tick(3));
        assert_eq!(streams.actor(Stream::Combat), 0);
    }

    #[test]
    fn every_act_of_everybody_has_dice_of_its_own() {
        let mut keys: Vec<u64> = (0..300)
            .flat_map(|actor| (0..300).map(move |before| Occasion::Act { actor, before }.key()))
            .chain((0..10_000).map(|tick| Occasion::Tick(tick).key()))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 300 * 300 + 10_000);
    }

    #[test]
    fn what_only_decorates_is_no_draw() {
        let mut streams = Streams::new(7);
        streams.begin(Occasion::Act { actor: 5, before: 0 });
        streams.get(Stream::Cosmetic).range(1, 6);
        assert!(!streams.drew());
        streams.get(Stream::Combat).range(1, 6);
        assert!(streams.drew());
    }

    #[test]
    fn glances_of_neighbours_are_not_alike_and_reach_every_number() {
        let glances = Dice::new(1, 2, 3, 4).glances();
        let mut seen = [0; 19];
        for actor in 1..=1_900 {
            seen[glances.of(actor).below(19) as usize] += 1;
        }
        assert!(seen.iter().all(|n| (50..=150).contains(n)), "{seen:?}");
        let mut twice = glances.of(7);
        assert_ne!((0..8).map(|_| twice.below(100)).collect::<Vec<_>>(), vec![twice.below(100); 8]);
    }

    #[test]
    fn a_range_reaches_both_ends_and_nothing_else() {
        let mut dice = Dice::new(1, 1, 1, 1);
        let draws: Vec<i32> = (0..500).map(|_| dice.range(-2, 2)).collect();
        assert!((-2..=2).all(|n| draws.contains(&n)));
        assert!(draws.iter().all(|n| (-2..=2).contains(n)));
    }
}
