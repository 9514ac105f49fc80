//! The moon, those on whom it works, and the gates that it opens. Source: game reference §3 (phases), §4.3
//! ("Vampire/werewolf") and §6 ("Gates").
//!
//! Whoever is marked as a wolf or a vampire can change by night; the other shape lasts until dawn, as a lasting effect
//! of its own kind. By the fullest moon nobody is asked.

use crate::affect::Affect;
use crate::arena::CharacterId;
use crate::character::Character;
use crate::clock::{Clock, TICKS_PER_HOUR};
use crate::world::World;
use content::flags::{AffectFlags, RoomFlags};
use content::words::{Apply, MoonPhase as Phase};
use content::{Gate, RoomId};

/// What the other shape is called among the effects.
pub const WOLF: &str = "the wolf";
pub const VAMPIRE: &str = "the thirst";
/// What the rules bring forth as a gate, by its name.
pub const GATE: &str = "moon gate";
/// By so many points it strengthens at most.
const STRENGTH_MAX: i32 = 666;
const DAWN: u64 = 5;
const DUSK: u64 = 21;
/// From which day of a month each phase lasts.
const PHASES: [(u64, Phase); 8] = [
    (1, Phase::New),
    (6, Phase::WaxingCrescent),
    (12, Phase::FirstQuarter),
    (17, Phase::WaxingGibbous),
    (22, Phase::Full),
    (26, Phase::WaningGibbous),
    (30, Phase::LastQuarter),
    (34, Phase::WaningCrescent),
];

/// How the moon stands on a day of a month.
pub fn on(day: u64) -> Phase {
    PHASES.iter().rev().find(|(from, _)| day >= *from).map_or(Phase::New, |(_, phase)| *phase)
}

/// As the verb `time` says it.
pub fn told(phase: Phase) -> &'static str {
    match phase {
        Phase::New => "There is no moon.",
        Phase::WaxingCrescent => "The moon is a thin sickle, and growing.",
        Phase::FirstQuarter => "The moon is half, and growing.",
        Phase::WaxingGibbous => "The moon is nearly full.",
        Phase::Full => "The moon is full.",
        Phase::WaningGibbous => "The moon is past full.",
        Phase::LastQuarter => "The moon is half, and going.",
        Phase::WaningCrescent => "The moon is a thin sickle, and going.",
    }
}

/// The part of its own strength that a wolf gains, and a vampire: one in so many.
fn parts(phase: Phase) -> [i32; 2] {
    match phase {
        Phase::Full => [2, 2],
        Phase::WaxingGibbous | Phase::WaningGibbous => [3, 3],
        Phase::FirstQuarter | Phase::LastQuarter => [4, 4],
        Phase::WaxingCrescent | Phase::WaningCrescent => [5, 4],
        Phase::New => [6, 5],
    }
}

/// Whether somebody has its other shape now.
pub fn is_changed(world: &World, who: CharacterId) -> bool {
    world.who(who).affects.iter().any(|affect| matches!(&*affect.kind, WOLF | VAMPIRE))
}

/// What others see of somebody who has its other shape now.
pub fn shape_mark(c: &Character) -> Option<&'static str> {
    c.affects.iter().find_map(|affect| match &*affect.kind {
        WOLF => Some(" (a wolf)"),
        VAMPIRE => Some(" (white as paper)"),
        _ => None,
    })
}

/// Hours until the night is over; 0 by day.
pub fn hours_of_night(clock: Clock) -> u64 {
    match clock.hour() {
        hour if hour >= DUSK => 24 - hour + DAWN,
        hour if hour < DAWN => DAWN - hour,
        _ => 0,
    }
}

pub fn is_night(clock: Clock) -> bool {
    hours_of_night(clock) > 0
}

/// Whether a night has just ended.
pub fn is_dawn(clock: Clock) -> bool {
    clock.hour() == DAWN
}

/// The moon of a night is that of its evening.
fn of_night(clock: Clock) -> Phase {
    on(Clock { tick: clock.tick.saturating_sub(DAWN * TICKS_PER_HOUR) }.day())
}

/// The gate that stands now: the room in which it does, and the one to which it leads.
pub fn gate(world: &World) -> Option<(RoomId, RoomId)> {
    let clock = world.state.clock;
    let opens = |gate: &&Gate| is_night(clock) && gate.phase == of_night(clock);
    let Gate { room, to, .. } = world.content.gates.iter().find(opens)?;
    let (room, to) = (world.room_by_vnum(*room)?, world.room_by_vnum(*to)?);
    let shines = !world.room_flags(room).any(RoomFlags::INDOORS.with(RoomFlags::NO_MAGIC));
    shines.then_some((room, to))
}

/// The other shape, as the moon gives it now; or why there is none.
pub fn shape(world: &World, who: CharacterId) -> Result<Affect, &'static str> {
    let c = world.who(who);
    let clock = world.state.clock;
    let (wolf, vampire) = (c.is(AffectFlags::WEREWOLF), c.is(AffectFlags::VAMPIRE));
    if !wolf && !vampire {
        return Err("You are what you are, by day and by night.");
    }
    if is_changed(world, who) {
        return Err("You have changed already. It lasts until dawn.");
    }
    let hours = hours_of_night(clock) as i32;
    if hours == 0 {
        return Err("Not by day. It sleeps.");
    }
    let phase = on(clock.day());
    if wolf && phase == Phase::New {
        return Err("There is no moon for it to answer to.");
    }
    let [of_wolf, of_vampire] = parts(phase);
    let (kind, apply, whole, part) = match wolf {
        true => (WOLF, Apply::Hit, c.now.hit_max, of_wolf),
        false => (VAMPIRE, Apply::Mana, c.now.mana_max, of_vampire),
    };
    let by = (whole / part).clamp(1, STRENGTH_MAX);
    Ok(Affect { kind: kind.into(), hours, apply, by, ..Affect::default() })
}

/// Whether the moon asks nobody now: at nightfall, on the days of its greatest strength.
pub fn compels(clock: Clock) -> bool {
    clock.hour() == DUSK && (21..=24).contains(&clock.day())
}

/// What somebody reads whose other shape ends; `None` for all other effects.
pub fn worn_off(kind: &str) -> Option<&'static str> {
    match kind {
        WOLF => Some("The light finds you on two feet, and cold, and with somebody else's taste in your mouth."),
        VAMPIRE => Some("The light takes the night out of you. You could sleep for a hundred years."),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_day_of_a_month_has_its_moon() {
        let told: Vec<Phase> = [1, 5, 6, 12, 17, 21, 22, 25, 26, 30, 34, 35].map(on).to_vec();
        use Phase::*;
        assert_eq!(
            told,
            [
                New,
                New,
                WaxingCrescent,
                FirstQuarter,
                WaxingGibbous,
                WaxingGibbous,
                Full,
                Full,
                WaningGibbous,
                LastQuarter,
                WaningCrescent,
                WaningCrescent
            ]
        );
    }

    #[test]
    fn a_night_keeps_the_moon_of_its_evening() {
        let mut clock = Clock { tick: 0 };
        while (clock.day(), clock.hour()) != (5, DUSK) {
            clock.tick += TICKS_PER_HOUR;
        }
        let mut seen = Vec::new();
        while is_night(clock) {
            seen.push((clock.day(), of_night(clock)));
            clock.tick += TICKS_PER_HOUR;
        }
        assert_eq!(seen.len(), 8);
        assert_eq!((seen[0], seen[7]), ((5, Phase::New), (6, Phase::New)));
        assert_eq!(on(6), Phase::WaxingCrescent);
    }

    #[test]
    fn a_night_is_as_long_as_what_is_left_of_it() {
        let clocks = || (0..24).map(|hours| Clock { tick: hours * crate::clock::TICKS_PER_HOUR });
        let at = |hour: u64| hours_of_night(clocks().find(|clock| clock.hour() == hour).expect("each hour comes"));
        assert_eq!([at(20), at(21), at(23), at(0), at(4), at(5)], [0, 8, 6, 5, 1, 0]);
    }
}
