//! What an agent learns about mobs, by vnum: how strong they are, what they are worth, how they behave.
//!
//! Levels come from outcomes (exact) or from `consider` (a range); the cost of a fight from fights. Nothing is known in
//! advance. The sentences of `consider` are this game's; others only make a mob unknown.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What prompts say, in place of odds, of a mob that nobody may attack.
pub const CANNOT_BE_FOUGHT: &str = "cannot be fought";

/// One kind of mob.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct MobKind {
    pub name: String,
    /// Its level, if an outcome told it.
    pub level: Option<i32>,
    /// Its level at most, as `consider` put it.
    pub level_guess: Option<i32>,
    /// Hit points that it took until it fell, at most; from `consider` at first.
    pub hp: Option<i32>,
    /// It cannot be fought, the game said.
    pub untouchable: bool,
    /// It began a fight.
    pub aggressive: bool,
    /// It comes to the aid of others.
    pub helper: bool,
    pub kills: u32,
    pub beaten_by: u32,
    /// Hit points lost per fight that was won: a running mean.
    pub loss: f64,
    /// Experience for one.
    pub xp: i64,
    /// Own level when it was lost against, last.
    pub lost_at_level: Option<i32>,
    pub considered_ms: Option<u64>,
}

impl MobKind {
    /// The best guess at its level.
    pub fn level(&self) -> Option<i32> {
        self.level.or(self.level_guess)
    }
}

#[derive(Clone, Debug, Default)]
pub struct Bestiary {
    pub kinds: BTreeMap<i32, MobKind>,
}

/// A vnum out of `mob_3001_17`.
pub fn vnum_of(id: &str) -> Option<i32> {
    id.strip_prefix("mob_")?.split('_').next()?.parse().ok()
}

impl Bestiary {
    pub fn get(&self, vnum: i32) -> Option<&MobKind> {
        self.kinds.get(&vnum)
    }

    pub fn kind(&mut self, vnum: i32) -> &mut MobKind {
        self.kinds.entry(vnum).or_default()
    }

    /// An outcome named one of them, with its level.
    pub fn seen(&mut self, vnum: i32, name: &str, level: u16) {
        let kind = self.kind(vnum);
        if kind.name.is_empty() {
            kind.name = name.to_string();
        }
        if level > 0 {
            kind.level = Some(i32::from(level));
        }
    }

    /// A mob that would attack somebody of this level and likely win.
    pub fn is_dangerous(&self, vnum: i32, own_level: i32) -> bool {
        self.get(vnum).is_some_and(|kind| {
            kind.aggressive && kind.kills == 0 && kind.level().is_none_or(|level| level > own_level + 1)
                || kind.aggressive && kind.lost_at_level.is_some_and(|at| own_level <= at)
        })
    }

    /// What `consider` said of it. `own`: level and hit points of who asked. False: not understood.
    pub fn considered(&mut self, vnum: i32, text: &str, own: (i32, i32), now_ms: u64) -> bool {
        let (own_level, own_hp) = own;
        let kind = self.kind(vnum);
        kind.considered_ms = Some(now_ms);
        let Some((_, above)) = ODDS.iter().find(|(words, _)| text.contains(words)) else {
            // Words that nobody has taught us: an equal, until a fight says more.
            kind.level_guess = kind.level_guess.or(Some(own_level));
            return false;
        };
        kind.level_guess = Some((own_level + above).max(1));
        if kind.kills == 0
            && let Some((_, percent)) = TAKES.iter().find(|(words, _)| text.contains(words))
        {
            kind.hp = Some(own_hp.max(1) * percent / 100);
        }
        true
    }
}

/// Sentence and how far it is above one's own level, at most.
const ODDS: &[(&str, i32)] = &[
    ("hardly be decent", -10),
    ("one hand in your pocket", -5),
    ("You would win.", -2),
    ("You would probably win", -1),
    ("It could go either way", 0),
    ("on a good day", 1),
    ("on a very good day", 2),
    ("a better blade", 3),
    ("People have won such fights", 5),
    ("You would lose.", 10),
    ("You would lose before", 20),
    ("Put your affairs in order", 40),
];

/// Sentence and its hit points in percent of one's own, at most.
const TAKES: &[(&str, i32)] = &[
    ("would not take much killing", 40),
    ("You can take more blows than", 80),
    ("both take about as many", 120),
    ("can take many more blows", 200),
    ("until nightfall", 400),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn consider_tells_level_and_toughness() {
        let mut bestiary = Bestiary::default();
        let text = "You might win, on a good day.\nA rat would not take much killing.\nYou are better protected.";
        assert!(bestiary.considered(7, text, (3, 50), 1));
        let kind = bestiary.get(7).expect("learned");
        assert_eq!((kind.level(), kind.hp), (Some(4), Some(20)));
        assert!(!bestiary.considered(8, "Hm.", (3, 50), 1));
        assert_eq!(bestiary.get(8).and_then(MobKind::level), Some(3));
    }

    #[test]
    fn who_beat_one_is_feared_until_one_has_grown() {
        let mut bestiary = Bestiary::default();
        let kind = bestiary.kind(7);
        (kind.aggressive, kind.level, kind.kills, kind.lost_at_level) = (true, Some(3), 1, Some(3));
        assert!(bestiary.is_dangerous(7, 3));
        assert!(!bestiary.is_dangerous(7, 4));
        assert_eq!(vnum_of("mob_3001_17"), Some(3001));
        assert_eq!(vnum_of("player_bob"), None);
    }
}
