//! What held from when to when: who has a thing, how a door is, who is dead, who goes with whom.
//!
//! A fact that ends gets an end instead of being forgotten, so "who has the sword now" and "who had it then" are
//! look-ups. Invariant: of one relation of one subject at most one fact is open, and the facts of a subject do not
//! overlap.

use crate::config::Terms;
use crate::graph::{EventBody, Fixed, ME, NOBODY, NameId, Names, NodeKind};
use indexmap::IndexMap;
use indexmap::map::Entry;
use protocol::happening::{Happening, Help, Item, Role, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
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

/// What a fact is of.
struct Of {
    subject: Arc<str>,
    about: Arc<str>,
    name: Arc<str>,
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

    fn held_by(&mut self, holder: NameId, fact: usize) {
        let place = holder as usize;
        if self.held.len() <= place {
            self.held.resize_with(place + 1, Vec::new);
        }
        self.held[place].push(fact as u32);
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

    fn end(&mut self, relation: Relation, subject: &Arc<str>, event: &EventBody) {
        if let Some(i) = self.open.swap_remove(&(relation, subject.clone())) {
            self.all[i].until = Some(event.seq);
            self.all[i].until_at = Some(event.at_ms);
            self.touched.push(i as u32);
        }
    }

    /// Says what holds from now on. The place of the fact, and whether it is a new one.
    fn set(&mut self, relation: Relation, of: Of, value: Arc<str>, told: Arc<str>, by: &EventBody) -> (usize, bool) {
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
            value_name: told,
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

    /// Takes up what a record says. `event` is the same record as a node, with its names; `witnesses` those of the
    /// record.
    pub(crate) fn learn(&mut self, happening: &Happening, event: &EventBody, witnesses: &[NameId], names: &Names) {
        self.touched.clear();
        match &happening.what {
            What::Acquired { who, item, .. } => self.holds(item, event.doer, Some(who), event, names),
            What::Dropped { item, .. } => self.holds(item, event.room, None, event, names),
            What::UsedUp { item, .. } => self.end(Relation::HeldBy, &thing_key(item, names, event), event),
            What::Given { item: Some(item), receiver: to, .. } | What::Sold { item, buyer: to, .. } => {
                self.holds(item, event.sufferer, Some(to), event, names);
            }
            What::Stolen { item: Some(item), thief, .. } => self.holds(item, event.doer, Some(thief), event, names),
            What::Bought { who, item, price, .. } => {
                self.holds(item, event.doer, Some(who), event, names);
                let subject = format!("{} at {}", key_of(event.item, names), key_of(event.sufferer, names)).into();
                let name = format!("{} at {}", item.name, names.name(event.sufferer)).into();
                let of = Of { subject, about: key_of(event.item, names), name };
                let told = format!("{price} coins").into();
                self.set(Relation::Price, of, price.to_string().into(), told, event);
            }
            What::Door { direction, state, leads_to, .. } => {
                let value = match state {
                    DoorChange::Opened => "opened",
                    DoorChange::Closed => "closed",
                    DoorChange::Locked => "locked",
                    DoorChange::Unlocked => "unlocked",
                };
                self.door(key_of(event.room, names), names.name(event.room), direction, value, event);
                // The same door from its other side, where that was looked at before.
                if let (Some(behind), Some(back)) = (leads_to, opposite(direction)) {
                    let room: Arc<str> = format!("room:{}", behind.vnum).into();
                    if self.open.contains_key(&(Relation::Door, format!("{room} {back}").into())) {
                        self.door(room, &behind.name, back, value, event);
                    }
                }
            }
            What::Helped { how: Help::Grouped, .. } if event.other() != NOBODY => {
                let key = key_of(event.other(), names);
                let of = Of { subject: key.clone(), about: key, name: shared(event.other(), names) };
                self.set(Relation::GoesWith, of, "group".into(), "the same group".into(), event);
            }
            What::Parted { .. } if event.other() != NOBODY => {
                self.end(Relation::GoesWith, &key_of(event.other(), names), event);
            }
            What::Killed { victim, .. } => self.leaves_behind(victim, event, names),
            _ => {}
        }
        self.lives(happening, event, witnesses, names);
    }

    /// `holder` is the name of `who`, where it is somebody and no place.
    fn holds(&mut self, item: &Item, holder: NameId, who: Option<&Who>, event: &EventBody, names: &Names) {
        let of =
            Of { subject: thing_key(item, names, event), about: key_of(event.item, names), name: item.name.clone() };
        let told = if holder == NOBODY { "nobody".into() } else { shared(holder, names) };
        let (fact, new) = self.set(Relation::HeldBy, of, key_of(holder, names), told, event);
        let Some(who) = who.filter(|_| holder != NOBODY) else { return };
        self.all[fact].instance = (who.kind == WhoKind::Mob && !who.id.is_empty()).then(|| who.id.clone());
        if new {
            self.held_by(holder, fact);
        }
    }

    fn door(&mut self, room: Arc<str>, name: &str, direction: &str, value: &'static str, event: &EventBody) {
        let subject = format!("{room} {direction}").into();
        let of = Of { subject, about: room, name: format!("the door {direction} of {name}").into() };
        self.set(Relation::Door, of, value.into(), value.into(), event);
    }

    /// What the dead held lies in the corpse from now on. Of a mob only what this very one held.
    fn leaves_behind(&mut self, victim: &Who, event: &EventBody, names: &Names) {
        let dead = event.sufferer;
        let Some(held) = self.held.get_mut(dead as usize).filter(|held| dead != NOBODY && !held.is_empty()) else {
            return;
        };
        let held = std::mem::take(held);
        let key = key_of(dead, names);
        let (mut corpse, mut told): (Option<Arc<str>>, Arc<str>) = (None, "".into());
        for i in held {
            let fact = &self.all[i as usize];
            if fact.until.is_some() || fact.value != key {
                continue;
            }
            if fact.instance.as_ref().is_some_and(|id| *id != victim.id) {
                self.held[dead as usize].push(i);
                continue;
            }
            let of = Of { subject: fact.subject.clone(), about: fact.about.clone(), name: fact.name.clone() };
            let value = corpse.get_or_insert_with(|| {
                told = format!("the corpse of {}", names.name(dead)).into();
                format!("{CORPSE}{key}").into()
            });
            let value = value.clone();
            self.set(Relation::HeldBy, of, value, told.clone(), event);
        }
    }

    /// Players who died are dead until they act or are met again; mobs are only told apart by kind, so a dead one says
    /// nothing of the next.
    fn lives(&mut self, happening: &Happening, event: &EventBody, witnesses: &[NameId], names: &Names) {
        let died = match &happening.what {
            What::Killed { victim, .. } if victim.kind == WhoKind::Player && happening.role != Role::Suffered => {
                event.sufferer
            }
            _ => NOBODY,
        };
        for &id in [event.doer, event.sufferer, event.third].iter().chain(witnesses) {
            if id != NOBODY && id != ME && id != died && names.is_player(id) {
                self.end(Relation::Life, names.key(id), event);
            }
        }
        if died != NOBODY && died != ME {
            let key = names.key(died);
            let of = Of { subject: key.clone(), about: key.clone(), name: shared(died, names) };
            self.set(Relation::Life, of, "dead".into(), "dead".into(), event);
            self.end(Relation::GoesWith, names.key(died), event);
        }
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

fn key_of(id: NameId, names: &Names) -> Arc<str> {
    if id == NOBODY { "nobody".into() } else { names.key(id).clone() }
}

fn shared(id: NameId, names: &Names) -> Arc<str> {
    names.shared_name(id).map_or_else(|| "someone".into(), Arc::clone)
}

/// The direction in which the other side of a door lies from behind it.
fn opposite(direction: &str) -> Option<&'static str> {
    const PAIRS: [(&str, &str); 3] = [("north", "south"), ("east", "west"), ("up", "down")];
    PAIRS.iter().find_map(|(a, b)| match direction {
        direction if direction == *a => Some(*b),
        direction if direction == *b => Some(*a),
        _ => None,
    })
}

/// One thing: by its instance where it is known, else by its kind.
fn thing_key(item: &Item, names: &Names, event: &EventBody) -> Arc<str> {
    match (&*item.id, event.item) {
        ("", NOBODY) => item.name.clone(),
        ("", id) => names.key(id).clone(),
        (_, _) => item.id.clone(),
    }
}
