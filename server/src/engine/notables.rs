//! The newest deaths and levels of the world, for those who watch it from outside. Nothing that is played asks for
//! them, so they are no state and in no journal.
//!
//! Invariant: what is read while one looks at the world (`Engine::with_world`) happened up to then, and the journal has
//! it.

use parking_lot::Mutex;
use protocol::outcome::{Outcome, Who, WhoKind};
use std::collections::VecDeque;
use std::sync::Arc;
use world::Report;

/// Those before them are forgotten.
const KEPT: usize = 256;

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Deed {
    /// By whom, where somebody killed it.
    Died(Option<Who>),
    /// The new level.
    Rose(u16),
    /// A mob.
    Killed(Who),
}

/// What a player did or suffered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Notable {
    /// Counted from 1 since the start of the server.
    pub id: u64,
    pub tick: u64,
    pub who: Who,
    pub deed: Deed,
}

#[derive(Debug, Default)]
pub struct Notables(Mutex<Newest>);

#[derive(Debug, Default)]
struct Newest {
    count: u64,
    /// Oldest first.
    kept: VecDeque<Arc<Notable>>,
}

impl Notables {
    pub(super) fn note(&self, report: &Report) {
        let deeds: Vec<(Who, Deed)> = report.outcomes.iter().filter_map(|outcome| deed(outcome)).collect();
        if deeds.is_empty() {
            return;
        }
        let mut newest = self.0.lock();
        for (who, deed) in deeds {
            newest.count += 1;
            let id = newest.count;
            newest.kept.push_back(Arc::new(Notable { id, tick: report.tick, who, deed }));
        }
        let beyond = newest.kept.len().saturating_sub(KEPT);
        newest.kept.drain(..beyond);
    }

    /// The newest, oldest first.
    pub fn all(&self) -> Vec<Arc<Notable>> {
        self.0.lock().kept.iter().cloned().collect()
    }
}

fn deed(outcome: &Outcome) -> Option<(Who, Deed)> {
    match outcome {
        Outcome::Death { victim, killer } if victim.kind == WhoKind::Player => {
            Some((victim.clone(), Deed::Died(killer.clone())))
        }
        Outcome::Death { victim, killer: Some(killer) } if killer.kind == WhoKind::Player => {
            Some((killer.clone(), Deed::Killed(victim.clone())))
        }
        Outcome::LevelGained { who, level } if who.kind == WhoKind::Player => Some((who.clone(), Deed::Rose(*level))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn who(kind: WhoKind, name: &str) -> Who {
        let id = match kind {
            WhoKind::Player => format!("player_{}", name.to_lowercase()),
            WhoKind::Mob => "mob_3001_17".to_string(),
        };
        Who { id: id.into(), name: name.into(), kind, level: 3 }
    }

    #[test]
    fn what_players_do_is_noted_and_the_oldest_forgotten() {
        let (ann, goblin) = (who(WhoKind::Player, "Ann"), who(WhoKind::Mob, "a goblin"));
        let notables = Notables::default();
        let tell = |outcomes: Vec<Outcome>| {
            let outcomes = outcomes.into_iter().map(Arc::new).collect();
            notables.note(&Report { tick: 7, outcomes, ..Report::default() });
        };
        tell(vec![
            Outcome::Death { victim: goblin.clone(), killer: Some(ann.clone()) },
            Outcome::Death { victim: goblin.clone(), killer: None },
            Outcome::LevelGained { who: ann.clone(), level: 4 },
            Outcome::Death { victim: ann.clone(), killer: Some(goblin.clone()) },
        ]);
        let deeds: Vec<Deed> = notables.all().iter().map(|one| one.deed.clone()).collect();
        assert_eq!(deeds, [Deed::Killed(goblin.clone()), Deed::Rose(4), Deed::Died(Some(goblin.clone()))]);
        (0..300).for_each(|_| tell(vec![Outcome::LevelGained { who: ann.clone(), level: 4 }]));
        let all = notables.all();
        assert_eq!((all.len(), all[0].id, all[KEPT - 1].id), (KEPT, 48, 303));
    }
}
