//! What happened lately, and who may read of it.
//!
//! Invariants: of each kind so much is kept, so that what is common does not push out what is rare. Whether others may
//! read of it is decided by how things stood when it happened, and stays so when those have left of whom it tells; who
//! hides since then is told of no more.

use super::happened::{Happened, key_of};
use crate::engine::{Deed, Notable};
use crate::views::Being;
use protocol::outcome::WhoKind;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Of each kind; of more, the newest.
const KEPT_EACH: usize = 100;

type People = BTreeMap<String, Arc<Being>>;

/// Where somebody was who let itself be seen.
type Seen = Option<i32>;

struct Kept {
    notable: Arc<Notable>,
    who: Seen,
    /// Of a death: the killer's.
    killer: Seen,
}

#[derive(Default)]
pub(super) struct Feed {
    /// By id.
    kept: BTreeMap<u64, Kept>,
    newest: u64,
    /// Who of those that are named let nobody watch when they were last in the world.
    hiding: BTreeSet<String>,
}

/// The player who killed somebody.
fn killer(one: &Notable) -> Option<String> {
    match &one.deed {
        Deed::Died(Some(killer)) if killer.kind == WhoKind::Player => Some(key_of(killer)),
        _ => None,
    }
}

fn may_be_seen(one: &Being) -> bool {
    one.watchable && !one.hidden
}

impl Feed {
    /// Takes what is new. `people`: of the newest picture; `before`: of the one before it, for who has left meanwhile.
    pub fn take(&mut self, notables: &[Arc<Notable>], people: &People, before: Option<&People>) {
        let seen = |key: &str| {
            let one = people.get(key).or_else(|| before?.get(key))?;
            may_be_seen(one).then_some(one.room)
        };
        for notable in notables.iter().filter(|one| one.id > self.newest) {
            let (who, killer) = (seen(&key_of(&notable.who)), killer(notable).and_then(|key| seen(&key)));
            self.kept.insert(notable.id, Kept { notable: notable.clone(), who, killer });
        }
        self.newest = notables.last().map_or(self.newest, |one| one.id.max(self.newest));
        self.forget();
        let named = self.kept.values().flat_map(|one| [Some(key_of(&one.notable.who)), killer(&one.notable)]);
        let named: BTreeSet<String> = named.flatten().collect();
        self.hiding.retain(|key| named.contains(key));
        for key in named {
            match people.get(&key) {
                Some(one) if may_be_seen(one) => _ = self.hiding.remove(&key),
                Some(_) => _ = self.hiding.insert(key),
                None => {}
            }
        }
    }

    /// The oldest of each kind of which there are too many.
    fn forget(&mut self) {
        let mut counts: BTreeMap<&'static str, usize> = BTreeMap::new();
        let mut beyond = Vec::new();
        for (id, one) in self.kept.iter().rev() {
            let count = counts.entry(Happened::kind(&one.notable.deed)).or_default();
            *count += 1;
            if *count > KEPT_EACH {
                beyond.push(*id);
            }
        }
        beyond.iter().for_each(|id| _ = self.kept.remove(id));
    }

    /// All of it, oldest first.
    pub fn all(&self) -> impl Iterator<Item = Happened> {
        self.kept.values().map(|one| Happened::all(&one.notable))
    }

    /// What those read of it up to a tick who see no mobs. `own`: what is theirs; `knows`: rooms that they have seen.
    pub fn seen(
        &self,
        until: u64,
        own: impl Fn(&str) -> bool,
        knows: impl Fn(i32) -> bool,
    ) -> impl Iterator<Item = Happened> {
        let sees =
            move |key: &str, seen: Seen| own(key) || seen.is_some_and(|room| knows(room) && !self.hiding.contains(key));
        self.kept.values().filter(move |one| one.notable.tick <= until).filter_map(move |one| {
            let is_seen = sees(&key_of(&one.notable.who), one.who);
            let by_seen = killer(&one.notable).is_some_and(|key| sees(&key, one.killer));
            is_seen.then(|| Happened::without_mobs(&one.notable, by_seen)).flatten()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::views::Kind;
    use protocol::outcome::Who;

    fn who(kind: WhoKind, id: &str, name: &str) -> Who {
        Who { id: id.into(), name: name.into(), kind, level: 3 }
    }

    fn ann() -> Who {
        who(WhoKind::Player, "player_ann", "Ann")
    }

    fn notable(id: u64, deed: Deed) -> Arc<Notable> {
        Arc::new(Notable { id, tick: id, who: ann(), deed })
    }

    fn people(watchable: bool) -> People {
        let being = Being {
            key: "ann".into(),
            name: "Ann".into(),
            kind: Kind::Agent,
            level: 3,
            room: 101,
            place: "The Well".into(),
            zone: 1,
            hp: 1,
            hp_max: 1,
            position: "standing".into(),
            linkless: false,
            fighting: false,
            foe: None,
            open_mind: false,
            watchable,
            hidden: false,
        };
        [("ann".to_string(), Arc::new(being))].into()
    }

    /// What a visitor reads: kinds and ticks.
    fn read(feed: &Feed) -> Vec<(&'static str, u64)> {
        feed.seen(u64::MAX, |_| false, |_| true).map(|one| (one.what, one.tick)).collect()
    }

    #[test]
    fn kills_push_out_neither_levels_nor_deaths() {
        let rat = who(WhoKind::Mob, "mob_3_1", "a rat");
        let mut feed = Feed::default();
        let mut all = vec![notable(1, Deed::Died(Some(rat.clone()))), notable(2, Deed::Rose(4))];
        all.extend((3..=250).map(|id| notable(id, Deed::Killed(rat.clone()))));
        feed.take(&all, &people(true), None);
        feed.take(&all, &people(true), None);
        let kinds: Vec<_> = feed.all().map(|one| (one.what, one.id)).collect();
        assert_eq!((kinds.len(), &kinds[..3]), (2 + KEPT_EACH, &[("died", 1), ("rose", 2), ("killed", 151)][..]));
        assert_eq!(read(&feed), [("died", 1), ("rose", 2)], "visitors see no mobs");
    }

    #[test]
    fn what_was_seen_stays_when_its_doer_has_left_but_not_when_it_hides() {
        let (mut feed, nobody) = (Feed::default(), People::new());
        let (one, two, three) = (notable(1, Deed::Rose(4)), notable(2, Deed::Died(None)), notable(3, Deed::Rose(5)));
        feed.take(std::slice::from_ref(&one), &people(true), None);
        feed.take(std::slice::from_ref(&one), &nobody, Some(&people(true)));
        assert_eq!(read(&feed), [("rose", 1)], "it has left");
        // It left in the moment in which it happened; and nobody saw what it did while it let nobody watch.
        feed.take(&[one.clone(), two.clone()], &nobody, Some(&people(true)));
        assert_eq!(read(&feed), [("rose", 1), ("died", 2)]);
        feed.take(&[one, two, three], &people(false), None);
        assert_eq!(read(&feed), [], "it hides");
        feed.take(&[], &nobody, Some(&people(false)));
        assert_eq!(read(&feed), [], "and has left");
        assert_eq!(feed.seen(9, |key| key == "ann", |_| false).count(), 3, "its own is its own");
        feed.take(&[], &people(true), None);
        assert_eq!(read(&feed), [("rose", 1), ("died", 2)]);
        assert_eq!(feed.seen(9, |_| false, |room| room == 7).count(), 0, "where the viewer has not been");
        assert_eq!(feed.seen(1, |_| false, |_| true).count(), 1, "what is not old enough");
    }

    #[test]
    fn who_sees_no_mobs_reads_of_no_killer() {
        let bob = who(WhoKind::Player, "player_bob", "Bob");
        // A mob of a player's name.
        let goblin = who(WhoKind::Mob, "mob_3_1", "ann");
        for (killer, own, told) in [(&goblin, "bob", None), (&bob, "eve", None), (&bob, "bob", Some("Bob"))] {
            let mut feed = Feed::default();
            feed.take(&[notable(1, Deed::Died(Some(killer.clone())))], &people(true), None);
            let read: Vec<Happened> = feed.seen(1, |key| key == own, |_| true).collect();
            assert_eq!((read.len(), read[0].other.as_deref()), (1, told), "{} {own}", killer.id);
        }
    }
}
