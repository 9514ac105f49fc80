//! How things stand when something ends well or ill: whether the owner came hurt, who stood by, what went before.
//!
//! Invariant: what is noted follows from the graph as a document has it, so a dream in parts notes the same.

use super::Dreamer;
use crate::calendar::MS_PER_TICK;
use crate::graph::*;
use crate::questions;
use petgraph::graph::NodeIndex;
use protocol::calendar::{GameDate, TICKS_PER_HOUR};
use protocol::happening::{Happening, Role, WOUND_PERCENTS, What};
use protocol::outcome::WhoKind;
use std::collections::VecDeque;

/// How long an own deed against somebody counts as one of shortly before. Source: the mission.
const DEED_TICKS: u64 = 900;
/// How long a wound does, which nobody saw healed: five hours of the game.
const WOUND_TICKS: u64 = 5 * TICKS_PER_HOUR;

/// Something that says how the next things stand.
#[derive(Clone, Copy, Debug)]
pub(super) struct Before {
    tick: u64,
    at_ms: i64,
    other: NameId,
    what: Mark,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    /// A wound in a fight that may go on.
    Struck,
    /// Left a fight hurt.
    CameAwayHurt,
    /// Left one well, was healed, or died and came back.
    Whole,
    /// Killed them, which ends a fight.
    Slew,
    Wronged,
    Favoured,
}

impl Before {
    fn of(event: &EventBody) -> Option<Before> {
        let (did, suffered) = (event.role == Role::Did, event.role == Role::Suffered);
        let hurt = (0..=i32::from(WOUND_PERCENTS[0])).contains(&event.number);
        let what = match event.deed {
            Deed::Wounded if suffered => Mark::Struck,
            Deed::Fled if did && hurt => Mark::CameAwayHurt,
            Deed::Fled if did => Mark::Whole,
            Deed::Killed | Deed::Healed if suffered => Mark::Whole,
            Deed::Killed if did => Mark::Slew,
            Deed::Fought | Deed::Stolen | Deed::Betrayed | Deed::Insulted | Deed::Threatened if did => Mark::Wronged,
            Deed::Given if did => Mark::Favoured,
            deed if did && deed.is_help() => Mark::Favoured,
            _ => return None,
        };
        Some(Before { tick: event.tick, at_ms: event.at_ms, other: event.other(), what })
    }

    /// Whether it was no longer ago than so many ticks, by the world and by the clock.
    fn within(&self, ticks: u64, event: &EventBody) -> bool {
        event.tick - self.tick <= ticks && event.at_ms - self.at_ms <= ticks as i64 * MS_PER_TICK
    }
}

impl Dreamer {
    /// How things stood with an event that questions are asked of.
    pub(super) fn circumstances(
        &self,
        event: &EventBody,
        happening: &Happening,
        witnesses: &[NameId],
    ) -> Circumstances {
        let mut how = Circumstances::default();
        if !questions::is_outcome(event, &self.graph.names) {
            return how;
        }
        let of_mind = event.deed.is_of_mind();
        // What one chose between counts as it stood when one chose; what came of it is no circumstance.
        let (mut chosen_at, mut shared) = (event.tick, None);
        match &happening.what {
            What::Differed { ticks, .. } => chosen_at = event.tick.saturating_sub(*ticks),
            What::PlanEnded { shared: of_another, .. } => shared = Some(*of_another),
            _ => {}
        }
        let (other, player) = (event.other(), event.other() != NOBODY && self.graph.names.is_player(event.other()));
        let seen = happening
            .witnesses
            .iter()
            .zip(witnesses)
            .any(|(who, name)| who.kind == WhoKind::Player && *name != other && *name != ME && *name != NOBODY);
        let third = event.third != NOBODY && event.third != ME && self.graph.names.is_player(event.third);
        // Who stood by is known where the place is; of a plan, which has no witnesses, its record says it.
        let company = match happening.what {
            What::PlanEnded { company, .. } => company,
            _ => (event.room != NOBODY).then_some(seen || third),
        };
        if let Some(company) = company {
            how.note(Condition::Company, company);
        }
        if self.graph.terms.game_dates {
            how.note(Condition::Night, matches!(GameDate::at(chosen_at).hour, 21.. | ..5));
        }
        if let Some(shared) = shared {
            how.note(Condition::Shared, shared);
        }
        how.gap = if of_mind { None } else { gap(happening) };
        // Where memories had to go for want of room, what went before may be among them.
        let cursor = &self.graph.cursor;
        let from = event.at_ms.saturating_sub(DEED_TICKS as i64 * MS_PER_TICK);
        if cursor.thinned != 0 && from <= cursor.thinned_at {
            return how;
        }
        how.note(Condition::Wounded, self.came_hurt(event, chosen_at));
        if player && !of_mind {
            let did = |wanted: fn(Mark) -> bool| {
                let mut near = self.recent.iter().rev().take_while(|before| before.within(DEED_TICKS, event));
                near.any(|before| before.other == other && wanted(before.what))
            };
            how.note(Condition::Wronged, did(|what| matches!(what, Mark::Slew | Mark::Wronged)));
            how.note(Condition::Favoured, did(|what| what == Mark::Favoured));
        }
        how
    }

    /// Whether the owner came hurt to what ended with an event: not by the very fight. Of what one chose between, that
    /// one was hurt when one chose, by whatever it was.
    fn came_hurt(&self, event: &EventBody, chosen_at: u64) -> bool {
        let mut of_before = false;
        let near = self.recent.iter().rev().take_while(|before| before.within(WOUND_TICKS, event));
        for before in near.filter(|before| before.tick <= chosen_at) {
            let same = !event.deed.is_of_mind() && before.other == event.other();
            match before.what {
                Mark::Struck if same && !of_before => {}
                Mark::Struck | Mark::CameAwayHurt => return true,
                Mark::Whole => return false,
                Mark::Slew => of_before |= same,
                Mark::Wronged | Mark::Favoured => {}
            }
        }
        false
    }

    /// Remembers an event for those that follow.
    pub(super) fn went_before(&mut self, event: &EventBody) {
        if let Some(before) = Before::of(event) {
            while self.recent.front().is_some_and(|oldest| !oldest.within(DEED_TICKS, event)) {
                self.recent.pop_front();
            }
            self.recent.push_back(before);
        }
    }

    /// Makes anew what went before, of what is remembered.
    pub(super) fn index_recent(&mut self) {
        let mut recent = VecDeque::new();
        let mut newest: Option<&EventBody> = None;
        for i in (0..self.graph.net.node_count()).rev() {
            let Body::Event(event) = &self.graph.net[NodeIndex::new(i)].body else { continue };
            let newest = *newest.get_or_insert(event);
            let Some(before) = Before::of(event) else {
                if newest.at_ms - event.at_ms > DEED_TICKS as i64 * MS_PER_TICK {
                    break;
                }
                continue;
            };
            if !before.within(DEED_TICKS, newest) {
                break;
            }
            recent.push_front(before);
        }
        self.recent = recent;
    }
}

/// Levels of the other above the owner, where both are known.
fn gap(happening: &Happening) -> Option<i8> {
    let me = happening.me()?;
    let (doer, sufferer) = happening.what.parts();
    let other = doer.into_iter().chain(sufferer).find(|who| !std::ptr::eq(*who, me))?;
    let known = me.level > 0 && other.level > 0;
    known.then(|| (i32::from(other.level) - i32::from(me.level)).clamp(-100, 100) as i8)
}
