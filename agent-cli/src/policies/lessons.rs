//! Learning from those who teach: the way to them while there are sessions left, and a session where one is.

use super::arts::opens;
use super::{Perception, Proposal};
use protocol::arts::{ArtKind, ArtUse, KnownArt};
use std::cmp::Reverse;

/// Better than this, percent, nobody is taught anything, whatever its class.
const TAUGHT_MAX: i32 = 95;
/// For less than this, in percent of what one has, nobody goes there.
const MUCH_BETTER_PERCENT: i64 = 125;
/// Nor for fewer hit points more at each use.
const GAIN_HP: i32 = 1;
/// Farther than that nobody goes for it: there and back is what a kill or two cost in moves.
const WAY_MAX: usize = 20;

/// A session with somebody who teaches here.
pub fn practice(seen: &Perception<'_>) -> Proposal {
    if seen.state.practices.as_ref().is_none_or(|practices| practices.left <= 0 || practices.teacher.is_none()) {
        return Proposal::Pass;
    }
    seen.first_of(wanted(seen).into_iter().map(|art| format!("practice {}", art.name)))
}

/// To who teaches, while there is something to learn: by the own map, else as the game tells the way.
pub fn attend(seen: &Perception<'_>) -> Proposal {
    let has_sessions = seen.state.practices.as_ref().is_some_and(|it| it.left > 0 && it.teacher.is_none());
    if !has_sessions || !seen.stands() || seen.known.recovering || seen.known.spent || seen.is_dark() {
        return Proposal::Pass;
    }
    let Some(art) = wanted(seen).into_iter().find(|art| is_promising(seen, art)) else { return Proposal::Pass };
    let lessons = &seen.known.lessons;
    let met = lessons.teacher.as_ref().and_then(|teacher| seen.way_to(|vnum, _| vnum == teacher.room));
    if let Some(way) = met {
        return if way.length <= WAY_MAX { seen.walk(&way.step) } else { Proposal::Pass };
    }
    if seen.now_ms < lessons.asked_until_ms {
        return Proposal::Pass;
    }
    match (&lessons.way_line, &lessons.told) {
        (Some(_), Some(way)) if way.from == seen.room() => match way.length <= WAY_MAX {
            true => seen.walk(way.step),
            false => Proposal::Pass,
        },
        (Some(line), _) => seen.step(&**line),
        (None, _) => seen.step(format!("practice {}", art.name)),
    }
}

/// Whether it is worth a walk: learned well, it would be much better than what one would use in its place so far.
fn is_promising(seen: &Perception<'_>, art: &KnownArt) -> bool {
    let alike = seen.state.skills.iter().flatten().filter(|it| (it.kind, it.used_for) == (art.kind, art.used_for));
    // What it gives for its mana; of what does not say how much, and of skills, how often it succeeds.
    let worth = |it: &KnownArt, percent: i32| {
        i64::from(it.damage.unwrap_or(1)) * i64::from(percent) * 100 / i64::from(it.mana.unwrap_or(1).max(1))
    };
    let best = alike.filter(|it| !it.risky).map(|it| worth(it, it.percent)).max().unwrap_or(0);
    let promises = worth(art, most(seen));
    // What wounds now and then alone, such as a stab from behind, is learned in passing.
    let gains = match art.used_for {
        ArtUse::Harm => art.damage.is_some_and(|damage| damage * (most(seen) - art.percent) >= GAIN_HP * 100),
        _ => art.used_for == ArtUse::Heal,
    };
    gains && promises * 100 >= best * MUCH_BETTER_PERCENT
}

/// Better, percent, nobody is taught anything.
fn most(seen: &Perception<'_>) -> i32 {
    seen.known.lessons.most.unwrap_or(TAUGHT_MAX)
}

/// What sessions are worth: what one wounds with, then what heals, then what cures and guards, and of each what one
/// knows best. What no policy uses is not worth any.
fn wanted<'a>(seen: &Perception<'a>) -> Vec<&'a KnownArt> {
    let rank = |art: &KnownArt| match (art.used_for, art.kind) {
        (ArtUse::Harm, _) if !art.risky && (art.damage.unwrap_or(0) > 0 || opens(art)) => Some(0),
        (ArtUse::Heal, ArtKind::Spell) => Some(1),
        (ArtUse::Cure | ArtUse::Protect, ArtKind::Spell) => Some(2),
        _ => None,
    };
    // What somebody's class does not learn nobody teaches it.
    let fits = |art: &&KnownArt| art.level.is_some() && art.percent < most(seen) && rank(art).is_some();
    let mut arts: Vec<&KnownArt> = seen.state.skills.iter().flatten().filter(fits).collect();
    arts.sort_by_key(|art| (rank(art), Reverse(art.percent), art.level, art.name.clone()));
    arts
}
