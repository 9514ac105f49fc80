//! Draws by name: each draw of a rule says what it is for, and dice can be loaded by that name.
//!
//! A loaded die falls as it was told, once; the stream below is drawn from all the same, so that no other die falls
//! otherwise than it would have. What is loaded is state, as it decides what comes (`State::loaded`). A die may wait
//! for what one character does: for the draws of its commands, and of what the phases do for it.
//! Deliberately absent: names for what the world is made from (weather, resets, newcomers).

use crate::rng::Dice;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

macro_rules! draws {
    ($($(#[$meta:meta])* $draw:ident = $name:literal,)+) => {
        /// What a draw is for.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Draw { $($(#[$meta])* $draw,)+ }
        impl Draw {
            pub const ALL: &'static [Draw] = &[$(Draw::$draw,)+];
            pub const fn name(self) -> &'static str { match self { $(Draw::$draw => $name,)+ } }
            pub fn named(name: &str) -> Option<Draw> { Self::ALL.iter().copied().find(|d| d.name() == name) }
            /// By its name, or a sentence with all that there are.
            pub fn known(name: &str) -> Result<Draw, String> {
                Self::named(name).ok_or_else(|| {
                    let all: Vec<&str> = Self::ALL.iter().map(|draw| draw.name()).collect();
                    format!("no draw is called {name:?}; there are {}", all.join(", "))
                })
            }
        }
    };
}

draws! {
    /// Whether a blow lands, 1..=20.
    Hit = "hit",
    /// What a landed blow takes.
    Damage = "damage",
    /// How many blows a round has.
    Attacks = "attacks",
    /// Whether blows are warded off.
    Parry = "parry",
    /// Whether a spell succeeds, 0..=101 and more under a load.
    Cast = "cast",
    /// A saving throw, 0..=99.
    Save = "save",
    /// How much an art does.
    Amount = "amount",
    /// How long it lasts.
    Hours = "hours",
    /// Whether a skill succeeds.
    Skill = "skill",
    Steal = "steal",
    /// Whether something was learned by doing it.
    Learn = "learn",
    /// Which place, of several.
    Place = "place",
    /// Which of several is meant, and whether it is the right one.
    Target = "target",
    /// Which way somebody runs.
    Flee = "flee",
    Script = "script",
    /// Whether a death takes a point of constitution, 1..=4, and a second one, 1..=6: a 1 does.
    Death = "death",
    /// Whether a sleeper dreams in an hour, 1..=6 (a nightmare) or 1..=16: at 1; and which of the dreams that fit.
    Dream = "dream",
    /// Whether a hunter comes: at 1 of 1..=6 by the moon, or of as many as an art says; by a thing, 1..=100.
    Hunt = "hunt",
}

/// How a loaded die falls.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Face {
    /// The lowest that it can; of several dice, all of them.
    Min,
    Max,
    /// So much; of several dice, together.
    Value(i32),
}

impl Face {
    /// `min`, `max` or a number.
    pub fn parse(text: &str) -> Option<Face> {
        match text {
            "min" => Some(Face::Min),
            "max" => Some(Face::Max),
            number => number.parse().ok().map(Face::Value),
        }
    }

    /// The same, or a sentence with what a die may be told.
    pub fn known(text: &str) -> Result<Face, String> {
        Face::parse(text).ok_or_else(|| format!("{text:?} is nothing that a die shows: min, max or a whole number"))
    }
}

/// A die that waits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Loaded {
    pub face: Face,
    /// The serial of the character for whose acts it waits; none: for the next of its name, whoever throws it.
    pub whose: Option<u64>,
}

/// Dice that wait to be thrown, each name's in their order. Those of a name that nobody draws wait on.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct LoadedDice(pub BTreeMap<Draw, VecDeque<Loaded>>);

/// Dice of one name that wait at most; more are not kept.
pub const WAITING_MAX: usize = 1_000;

impl LoadedDice {
    /// `whose`: as in `Loaded`.
    pub fn load(&mut self, draw: Draw, faces: &[Face], whose: Option<u64>) {
        let room = self.room(draw).min(faces.len());
        if room > 0 {
            let more = faces[..room].iter().map(|face| Loaded { face: *face, whose });
            self.0.entry(draw).or_default().extend(more);
        }
    }

    /// How many more may wait for this.
    pub fn room(&self, draw: Draw) -> usize {
        WAITING_MAX.saturating_sub(self.0.get(&draw).map_or(0, VecDeque::len))
    }

    /// How many wait for each draw that any wait for.
    pub fn waiting(&self) -> BTreeMap<&'static str, usize> {
        self.0.iter().map(|(draw, waiting)| (draw.name(), waiting.len())).collect()
    }

    /// The first that waits for this draw of this actor.
    fn take(&mut self, draw: Draw, actor: u64) -> Option<Face> {
        let waiting = self.0.get_mut(&draw)?;
        let at = waiting.iter().position(|die| die.whose.is_none_or(|whose| whose == actor))?;
        let die = waiting.remove(at);
        if waiting.is_empty() {
            self.0.remove(&draw);
        }
        die.map(|die| die.face)
    }
}

/// What tests learn of the draws of an input. Not state.
#[derive(Clone, Debug, Default)]
pub struct Watch {
    /// The draws of this name are noted: the ends of the range, and whether all between are equally likely.
    pub draw: Option<Draw>,
    pub seen: Vec<(i32, i32, bool)>,
    /// Loaded dice that could not fall as they were told: they fell as near as they could.
    pub misfits: Vec<String>,
}

/// The next draws of one name.
pub struct Drawing<'a> {
    pub(crate) draw: Draw,
    /// The serial of who draws; 0: nobody in the world.
    pub(crate) actor: u64,
    pub(crate) dice: &'a mut Dice,
    pub(crate) loaded: &'a mut LoadedDice,
    pub(crate) watch: &'a mut Watch,
}

impl Drawing<'_> {
    /// Uniform, both ends included; `low` without a draw when `high` is not above it.
    pub fn range(&mut self, low: i32, high: i32) -> i32 {
        let fair = self.dice.range(low, high);
        if high > low { self.fallen(low, high, true, fair) } else { fair }
    }

    /// Sum of `count` dice of `sides`, as `Dice::roll`.
    pub fn roll(&mut self, count: i32, sides: i32) -> i32 {
        let count = count.min(Dice::THROWN_MAX);
        let fair = self.dice.roll(count, sides);
        if count < 1 || sides < 2 {
            return fair;
        }
        self.fallen(count, count.saturating_mul(sides), count == 1, fair)
    }

    /// 1..=100 compared: true in `chance` percent of cases.
    pub fn percent(&mut self, chance: i32) -> bool {
        self.range(1, 100) <= chance
    }

    pub fn one_in(&mut self, n: i32) -> bool {
        self.range(1, n) == 1
    }

    /// Any element; `None` of an empty slice.
    pub fn pick<'t, T>(&mut self, of: &'t [T]) -> Option<&'t T> {
        match of.len() {
            0 => None,
            n => of.get(self.range(0, n as i32 - 1) as usize),
        }
    }

    /// What the dice show: what they were loaded with, if they were.
    fn fallen(&mut self, low: i32, high: i32, uniform: bool, fair: i32) -> i32 {
        if self.watch.draw == Some(self.draw) {
            self.watch.seen.push((low, high, uniform));
        }
        if self.loaded.0.is_empty() {
            return fair;
        }
        match self.loaded.take(self.draw, self.actor) {
            None => fair,
            Some(Face::Min) => low,
            Some(Face::Max) => high,
            Some(Face::Value(value)) => {
                if !(low..=high).contains(&value) {
                    self.watch.misfits.push(format!("{} {value} is not within {low} to {high}", self.draw.name()));
                }
                value.clamp(low, high)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(loaded: &[(Draw, &[Face])]) -> (Vec<i32>, Vec<String>) {
        let (mut dice, mut waiting, mut watch) = (Dice::new(1, 2, 3, 4), LoadedDice::default(), Watch::default());
        for (draw, faces) in loaded {
            waiting.load(*draw, faces, None);
        }
        let mut values = Vec::new();
        for draw in [Draw::Save, Draw::Amount, Draw::Save, Draw::Amount] {
            let mut drawing = Drawing { draw, actor: 0, dice: &mut dice, loaded: &mut waiting, watch: &mut watch };
            values.push(if draw == Draw::Save { drawing.range(0, 99) } else { drawing.roll(3, 6) });
        }
        (values, watch.misfits)
    }

    #[test]
    fn a_loaded_die_falls_as_told_and_turns_no_other() {
        let (fair, _) = drawn(&[]);
        let (loaded, misfits) = drawn(&[(Draw::Amount, &[Face::Max]), (Draw::Save, &[Face::Value(7), Face::Min])]);
        assert_eq!(loaded, [7, 18, 0, fair[3]]);
        assert!(misfits.is_empty());
        assert_eq!(drawn(&[(Draw::Hit, &[Face::Max])]).0, fair, "what nobody draws turns nothing");
    }

    #[test]
    fn a_die_of_one_waits_for_its_throw_and_holds_up_nobody_elses() {
        let (mut dice, mut waiting, mut watch) = (Dice::new(1, 2, 3, 4), LoadedDice::default(), Watch::default());
        waiting.load(Draw::Save, &[Face::Min], Some(7));
        waiting.load(Draw::Save, &[Face::Max], None);
        let mut thrown = |actor: u64| {
            let (dice, loaded, watch) = (&mut dice, &mut waiting, &mut watch);
            Drawing { draw: Draw::Save, actor, dice, loaded, watch }.range(0, 99)
        };
        assert_eq!([thrown(3), thrown(7)], [99, 0]);
        assert!(waiting.0.is_empty());
        waiting.load(Draw::Save, &[Face::Min; 2 * WAITING_MAX], None);
        assert_eq!((waiting.room(Draw::Save), waiting.waiting()["save"]), (0, WAITING_MAX));
    }

    #[test]
    fn an_unknown_name_is_told_the_known_ones() {
        let why = Draw::known("luck\u{1b}").expect_err("no draw is called so");
        assert!(
            why.starts_with("no draw is called \"luck\\u{1b}\"; there are hit, ")
                && why.ends_with(", script, death, dream, hunt"),
            "{why}"
        );
        assert_eq!(Draw::known("save"), Ok(Draw::Save));
        Face::known("most").expect_err("no die shows that");
    }

    #[test]
    fn what_a_die_cannot_show_is_told() {
        let (values, misfits) = drawn(&[(Draw::Amount, &[Face::Value(19)])]);
        assert_eq!(values[1], 18);
        assert_eq!(misfits, ["amount 19 is not within 3 to 18"]);
    }
}
