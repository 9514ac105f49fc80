//! What held from when to when: who has a thing, how a door is, who is dead, who goes with whom.
//!
//! A fact that ends gets an end instead of being forgotten, so "who has the sword now" and "who had it then" are
//! look-ups. Invariant: of one relation of one subject at most one fact is open, and the facts of a subject do not
//! overlap. What a record says of facts is in `consolidate::facts`.

use super::event::EventBody;
use super::kind::NodeKind;
use super::names::{Fixed, NameId, Names};
use crate::config::Terms;
use indexmap::IndexMap;
use indexmap::map::Entry;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Of a thing: the key of who holds it, or of the room where it lies, or `corpse:` and the key of the dead.
    HeldBy,
    /// Of a door, `room:3001 north`: `opened`, `closed`, `locked`, `unlocked`.
    Door,
    /// Of somebody: `dead`. Ends when they are seen alive.
    Life,
    /// Of somebody: `group`, while they go with the owner.
    GoesWith,
    /// Of a thing at a seller, `item:7 at mob:3000`: the price.
    Price,
}

impl Relation {
    /// As in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Relation::HeldBy => "held_by",
            Relation::Door => "door",
            Relation::Life => "life",
            Relation::GoesWith => "goes_with",
            Relation::Price => "price",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fact {
    pub subject: Arc<str>,
    /// The key of what it is about: of a thing its kind, of a door its room.
    pub about: Arc<str>,
    /// As people call it.
    pub name: Arc<str>,
    pub relation: Relation,
    pub value: Arc<str>,
    pub value_name: Arc<str>,
    /// The record that began it, and its time.
    pub since: u64,
    pub since_at: i64,
    /// The newest record that bears it out.
    pub confirmed: u64,
    pub confirmed_at: i64,
    /// The record that ended it, and its time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub until_at: Option<i64>,
    /// Which one of its kind holds it, where that is a mob and known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instance: Option<Arc<str>>,
}

impl Fact {
    /// `fact:17.price`: by the record that began it, which begins at most one of a relation. Stays while it is kept.
    pub fn id(&self) -> String {
        format!("fact:{}.{}", self.since, self.relation.name())
    }

    pub fn evidence(&self) -> Vec<u64> {
        let mut seqs = vec![self.since, self.confirmed];
        seqs.extend(self.until);
        seqs.sort_unstable();
        seqs.dedup();
        seqs
    }
}

/// What the key of the holder begins with where a thing lies in a corpse.
pub const CORPSE: &str = "corpse:";

/// What a fact is of; as in `Fact`.
pub(crate) struct Of {
    pub subject: Arc<str>,
    pub about: Arc<str>,
    pub name: Arc<str>,
}

type Subject = (Relation, Arc<str>);

#[derive(Clone, Debug, Default)]
pub struct Facts {
    all: Vec<Fact>,
    open: IndexMap<Subject, usize, Fixed>,
    /// By name: facts by which somebody of that name held something. Some may be over.
    held: Vec<Vec<u32>>,
    /// By place: what the last record began, bore out or ended.
    touched: Vec<u32>,
}

impl Facts {
    pub(crate) fn restore(facts: Vec<Fact>, names: &Names) -> Facts {
        let mut restored = Facts { all: facts, ..Facts::default() };
        restored.index(names);
        restored
    }

    /// Makes anew what follows from the facts.
    fn index(&mut self, names: &Names) {
        self.open.clear();
        self.held.iter_mut().for_each(Vec::clear);
        let mut held: Vec<(NameId, usize)> = Vec::new();
        for (i, fact) in self.all.iter().enumerate().filter(|(_, fact)| fact.until.is_none()) {
            self.open.insert((fact.relation, fact.subject.clone()), i);
            if fact.relation == Relation::HeldBy
                && let Some(holder) = names.find(&fact.value).filter(|name| names.kind(*name) == NodeKind::Entity)
            {
                held.push((holder, i));
            }
        }
        held.into_iter().for_each(|(holder, fact)| self.held_by(holder, fact));
    }

    /// Notes that a fact says that somebody of this name holds something.
    pub(crate) fn held_by(&mut self, holder: NameId, fact: usize) {
        let place = holder as usize;
        if self.held.len() <= place {
            self.held.resize_with(place + 1, Vec::new);
        }
        self.held[place].push(fact as u32);
    }

    /// By relation, subject and beginning.
    pub fn sorted(&self) -> Vec<&Fact> {
        let mut facts: Vec<&Fact> = self.all.iter().collect();
        facts.sort_by(|a, b| (a.relation, &a.subject, a.since).cmp(&(b.relation, &b.subject, b.since)));
        facts
    }

    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.all.iter()
    }

    /// By place. Places change only in a night.
    pub(crate) fn get(&self, place: u32) -> &Fact {
        &self.all[place as usize]
    }

    /// Places of what the last record began, bore out or ended; one may be there twice.
    pub(crate) fn touched(&self) -> &[u32] {
        &self.touched
    }

    pub fn len(&self) -> usize {
        self.all.len()
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn open_count(&self) -> usize {
        self.open.len()
    }

    /// What holds now.
    pub fn now(&self, relation: Relation, subject: &str) -> Option<&Fact> {
        self.open.get(&(relation, Arc::from(subject))).map(|i| &self.all[*i])
    }

    /// What held at a time.
    pub fn at(&self, relation: Relation, subject: &str, at_ms: i64) -> Option<&Fact> {
        self.all.iter().rev().find(|fact| {
            fact.relation == relation
                && &*fact.subject == subject
                && fact.since_at <= at_ms
                && fact.until_at.is_none_or(|until| at_ms < until)
        })
    }

    /// Before a record is taken up: nothing is touched yet.
    pub(crate) fn begin(&mut self) {
        self.touched.clear();
    }

    /// Ends what holds, if anything does.
    pub(crate) fn end(&mut self, relation: Relation, subject: &Arc<str>, event: &EventBody) {
        if let Some(i) = self.open.swap_remove(&(relation, subject.clone())) {
            self.all[i].until = Some(event.seq);
            self.all[i].until_at = Some(event.at_ms);
            self.touched.push(i as u32);
        }
    }

    /// Says what holds from now on. The place of the fact, and whether it is a new one.
    pub(crate) fn set(
        &mut self,
        relation: Relation,
        of: Of,
        value: Arc<str>,
        value_name: Arc<str>,
        by: &EventBody,
    ) -> (usize, bool) {
        let next = self.all.len();
        match self.open.entry((relation, of.subject.clone())) {
            Entry::Occupied(mut open) => {
                let fact = &mut self.all[*open.get()];
                self.touched.push(*open.get() as u32);
                if fact.value == value {
                    (fact.confirmed, fact.confirmed_at) = (by.seq, by.at_ms);
                    return (*open.get(), false);
                }
                (fact.until, fact.until_at) = (Some(by.seq), Some(by.at_ms));
                open.insert(next);
            }
            Entry::Vacant(place) => {
                place.insert(next);
            }
        }
        self.touched.push(next as u32);
        self.all.push(Fact {
            subject: of.subject,
            about: of.about,
            name: of.name,
            relation,
            value,
            value_name,
            since: by.seq,
            since_at: by.at_ms,
            confirmed: by.seq,
            confirmed_at: by.at_ms,
            until: None,
            until_at: None,
            instance: None,
        });
        (next, true)
    }

    /// Which one of its kind holds something; `None` where that is not known.
    pub(crate) fn set_instance(&mut self, fact: usize, instance: Option<Arc<str>>) {
        self.all[fact].instance = instance;
    }

    /// Places of the facts by which somebody of this name held something, taken out. Some may be over.
    pub(crate) fn take_held_by(&mut self, holder: NameId) -> Vec<u32> {
        self.held.get_mut(holder as usize).map(std::mem::take).unwrap_or_default()
    }

    /// Forgets what ended long ago and what nothing has borne out for long. `day` is the last night that is over.
    pub(crate) fn sleep(&mut self, terms: &Terms, day: i32, names: &Names) {
        let nights = |at_ms: i64| day - crate::calendar::day_of(at_ms, terms.utc_offset_minutes);
        let before = self.all.len();
        self.all.retain(|fact| match fact.until_at {
            Some(until) => nights(until) <= terms.ended_facts_nights,
            None => nights(fact.confirmed_at) <= terms.open_facts_nights,
        });
        if self.all.len() != before {
            self.index(names);
        }
    }
}
