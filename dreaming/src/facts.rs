//! What held from when to when: who has a thing, how a door is, who is dead, who goes with whom.
//!
//! A fact that ends gets an end instead of being forgotten, so "who has the sword now" and "who had it then" are
//! look-ups. Invariant: of one relation of one subject at most one fact is open, and the facts of a subject do not
//! overlap.

use crate::config::Terms;
use crate::graph::{EventBody, Fixed, ME, NOBODY, Names};
use indexmap::IndexMap;
use protocol::happening::{Happening, Item, Role, What};
use protocol::outcome::{DoorChange, WhoKind};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// Of a thing: the key of who holds it, or of the room where it lies.
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

/// What a fact is of.
struct Of<'a> {
    subject: Arc<str>,
    about: Arc<str>,
    name: &'a str,
}

type Subject = (Relation, Arc<str>);

#[derive(Clone, Debug, Default)]
pub struct Facts {
    all: Vec<Fact>,
    open: IndexMap<Subject, usize, Fixed>,
}

impl Facts {
    pub(crate) fn restore(facts: Vec<Fact>) -> Facts {
        let mut restored = Facts { all: facts, open: IndexMap::default() };
        restored.index();
        restored
    }

    fn index(&mut self) {
        self.open.clear();
        for (i, fact) in self.all.iter().enumerate().filter(|(_, fact)| fact.until.is_none()) {
            self.open.insert((fact.relation, fact.subject.clone()), i);
        }
    }

    /// By relation, subject and beginning.
    pub fn sorted(&self) -> Vec<Fact> {
        let mut facts = self.all.clone();
        facts.sort_by(|a, b| (a.relation, &a.subject, a.since).cmp(&(b.relation, &b.subject, b.since)));
        facts
    }

    pub fn iter(&self) -> impl Iterator<Item = &Fact> {
        self.all.iter()
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

    fn end(&mut self, relation: Relation, subject: &Arc<str>, event: &EventBody) {
        if let Some(i) = self.open.swap_remove(&(relation, subject.clone())) {
            self.all[i].until = Some(event.seq);
            self.all[i].until_at = Some(event.at_ms);
        }
    }

    fn set(&mut self, relation: Relation, of: Of, value: Arc<str>, told: &str, by: &EventBody) {
        let key = (relation, of.subject);
        if let Some(&i) = self.open.get(&key)
            && self.all[i].value == value
        {
            self.all[i].confirmed = by.seq;
            self.all[i].confirmed_at = by.at_ms;
            return;
        }
        self.end(relation, &key.1, by);
        self.open.insert(key.clone(), self.all.len());
        self.all.push(Fact {
            subject: key.1,
            about: of.about,
            name: of.name.into(),
            relation,
            value,
            value_name: told.into(),
            since: by.seq,
            since_at: by.at_ms,
            confirmed: by.seq,
            confirmed_at: by.at_ms,
            until: None,
            until_at: None,
        });
    }

    /// Takes up what a record says. `event` is the same record as a node, with its names.
    pub(crate) fn learn(&mut self, happening: &Happening, event: &EventBody, names: &Names) {
        let key = |id| if id == NOBODY { Arc::from("nobody") } else { names.key(id).clone() };
        let mut holds = |item: &Item, holder| {
            let held = if holder == NOBODY { "nobody" } else { names.name(holder) };
            let subject = thing_key(item, names, event);
            let of = Of { subject, about: key(event.item), name: &item.name };
            self.set(Relation::HeldBy, of, key(holder), held, event);
        };
        match &happening.what {
            What::Acquired { item, .. } => holds(item, event.doer),
            What::Dropped { item, .. } => holds(item, event.room),
            What::UsedUp { item, .. } => {
                let subject = thing_key(item, names, event);
                self.end(Relation::HeldBy, &subject, event);
            }
            What::Given { item: Some(item), .. } | What::Sold { item, .. } => holds(item, event.sufferer),
            What::Stolen { item: Some(item), .. } => holds(item, event.doer),
            What::Bought { item, price, .. } => {
                holds(item, event.doer);
                let subject = format!("{} at {}", key(event.item), key(event.sufferer)).into();
                let told = format!("{price} coins");
                let name = format!("{} at {}", item.name, names.name(event.sufferer));
                let of = Of { subject, about: key(event.item), name: &name };
                self.set(Relation::Price, of, price.to_string().into(), &told, event);
            }
            What::Door { direction, state, .. } => {
                let subject = format!("{} {direction}", key(event.room)).into();
                let name = format!("the door {direction} of {}", names.name(event.room));
                let value = match state {
                    DoorChange::Opened => "opened",
                    DoorChange::Closed => "closed",
                    DoorChange::Locked => "locked",
                    DoorChange::Unlocked => "unlocked",
                };
                let of = Of { subject, about: key(event.room), name: &name };
                self.set(Relation::Door, of, value.into(), value, event);
            }
            What::Helped { how: protocol::happening::Help::Grouped, .. } if event.other() != NOBODY => {
                let other = event.other();
                let name = names.name(other).to_string();
                let of = Of { subject: key(other), about: key(other), name: &name };
                self.set(Relation::GoesWith, of, "group".into(), "the same group", event);
            }
            What::Parted { .. } if event.other() != NOBODY => {
                self.end(Relation::GoesWith, &key(event.other()), event);
            }
            _ => {}
        }
        self.lives(happening, event, names);
    }

    /// Players who died are dead until they act or are met again; mobs are only told apart by kind, so a dead one says
    /// nothing of the next.
    fn lives(&mut self, happening: &Happening, event: &EventBody, names: &Names) {
        let died = match &happening.what {
            What::Killed { victim, .. } if victim.kind == WhoKind::Player && happening.role != Role::Suffered => {
                event.sufferer
            }
            _ => NOBODY,
        };
        for id in [event.doer, event.sufferer, event.third] {
            if id != NOBODY && id != ME && id != died && names.is_player(id) {
                self.end(Relation::Life, names.key(id), event);
            }
        }
        if died != NOBODY && died != ME {
            let name = names.name(died).to_string();
            let key = names.key(died);
            let of = Of { subject: key.clone(), about: key.clone(), name: &name };
            self.set(Relation::Life, of, "dead".into(), "dead", event);
            self.end(Relation::GoesWith, names.key(died), event);
        }
    }

    /// Forgets what ended long ago and what nothing has borne out for long. `day` is the last night that is over.
    pub(crate) fn sleep(&mut self, terms: &Terms, day: i32) {
        let nights = |at_ms: i64| day - crate::calendar::day_of(at_ms, terms.utc_offset_minutes);
        let before = self.all.len();
        self.all.retain(|fact| match fact.until_at {
            Some(until) => nights(until) <= terms.ended_facts_nights,
            None => nights(fact.confirmed_at) <= terms.open_facts_nights,
        });
        if self.all.len() != before {
            self.index();
        }
    }
}

/// One thing: by its instance where it is known, else by its kind.
fn thing_key(item: &Item, names: &Names, event: &EventBody) -> Arc<str> {
    match (&*item.id, event.item) {
        ("", NOBODY) => item.name.clone(),
        ("", id) => names.key(id).clone(),
        (_, _) => item.id.clone(),
    }
}
