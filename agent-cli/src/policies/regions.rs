//! Which parts of the world are for whom: a region where most of what was considered is stronger than oneself is left
//! for later, before somebody there says so with an axe.
//!
//! A region is a hundred vnums, as worlds of this family are numbered: rooms and mobs of one zone share it. What is
//! judged is only what one saw. The region of home is never too hard: its guards are strong, and leave one alone.

use super::Perception;
use crate::map::Vnum;

/// So many kinds must speak against a region.
const AGAINST_MIN: i32 = 2;
/// Below one's own level by more than this, a kind teaches nothing.
const OUTGROWN: i32 = 6;
/// Above one's own level by so much, a kind speaks against its region; one that is just a little stronger says nothing.
const STRONGER: i32 = 2;
/// Above by more than this it is somebody with an office, and minds its own affairs.
const LORDLY: i32 = 6;
/// A kind that attacks by itself counts so many times.
const FIERCE: i32 = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Grade {
    /// Too little is known.
    Unknown,
    Fit,
    TooHard,
}

pub fn region_of(vnum: Vnum) -> i32 {
    vnum.div_euclid(100)
}

/// What is to be thought of the region of a room, at one's present level.
pub fn grade(seen: &Perception<'_>, room: Vnum) -> Grade {
    let region = region_of(room);
    if let Some(grade) = seen.memo.grades.borrow().get(&region) {
        return *grade;
    }
    let grade = judged(seen, region);
    seen.memo.grades.borrow_mut().insert(region, grade);
    grade
}

fn judged(seen: &Perception<'_>, region: i32) -> Grade {
    if seen.known.home.is_some_and(|home| region_of(home) == region) {
        return Grade::Fit;
    }
    let own = seen.level();
    let (mut fit, mut against) = (0, 0);
    for (_, kind) in seen.known.bestiary.kinds.range(region * 100..region * 100 + 100) {
        let Some(level) = kind.level().filter(|_| !kind.untouchable) else { continue };
        let beaten = kind.lost_at_level.is_some_and(|at| own <= at);
        if (beaten || kind.aggressive) && level > own {
            against += FIERCE;
        } else if beaten || (own + STRONGER..=own + LORDLY).contains(&level) {
            against += 1;
        } else if (own - OUTGROWN..=own).contains(&level) {
            fit += 1;
        }
    }
    if against >= AGAINST_MIN && against > fit {
        Grade::TooHard
    } else if fit > 0 {
        Grade::Fit
    } else {
        Grade::Unknown
    }
}
