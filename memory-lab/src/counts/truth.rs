//! What holds and what held (E11): conflict, cascade and absence, answered by bi-temporal look-up.
//!
//! The right answers come from a replay of the records that knows nothing of facts: it keeps the last word on each
//! thing, door and person, and writes questions down as it goes, about the moment and about moments long past.
//!
//! Conflict: the records contradict one another, as a door that was opened and then locked; the last one up to the time
//! counts. Cascade: the answer needs two look-ups, or follows from a record about something else, as a friend's death
//! ends the company. Absence: nothing holds (used up, parted, alive again, not known then), and nothing may be said.

use dreaming::calendar::day_of;
use dreaming::config::Config;
use dreaming::facts::Relation;
use dreaming::graph::{Graph, NOBODY};
use dreaming::records::Record;
use dreaming::synthetic::{AGENT, Dice, Life, Shape, player_name};
use dreaming::{Dream, dream};
use protocol::happening::{Help, Role, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Set {
    Conflict,
    Cascade,
    Absence,
}

impl Set {
    pub const ALL: [Set; 3] = [Set::Conflict, Set::Cascade, Set::Absence];

    pub fn name(self) -> &'static str {
        match self {
            Set::Conflict => "conflict",
            Set::Cascade => "cascade",
            Set::Absence => "absence",
        }
    }
}

/// What is looked up.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Lookup {
    /// The value of a relation.
    Value(Relation, String),
    /// Of a thing: whether its holder is dead.
    HolderDead(String),
    /// Of a thing: the room where it lies, or where its holder was last.
    Whereabouts(String),
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Question {
    pub set: Set,
    pub lookup: Lookup,
    /// Milliseconds since 1970; `None`: now.
    pub at_ms: Option<i64>,
    /// `None`: nothing holds.
    pub answer: Option<String>,
}

/// What holds, by the records alone.
#[derive(Clone, Default)]
struct Replay {
    /// By instance. A thing whose holder died is with the corpse: unknown until the next record of it.
    holder: BTreeMap<String, Option<String>>,
    unsure: BTreeSet<String>,
    /// Things that changed hands at least once.
    changed: BTreeSet<String>,
    doors: BTreeMap<String, &'static str>,
    door_changes: BTreeMap<String, u32>,
    dead: BTreeMap<String, bool>,
    /// Whether they go with the owner, and whether it was a death that ended it.
    company: BTreeMap<String, (bool, bool)>,
    place: BTreeMap<String, String>,
}

fn key(who: &Who) -> String {
    match who.id.strip_prefix("player_") {
        Some(name) if name.eq_ignore_ascii_case(AGENT) => format!("me:{}", AGENT.to_lowercase()),
        Some(name) => format!("player:{name}"),
        None => format!("mob:{}", who.id.split('_').nth(1).unwrap_or_default()),
    }
}

impl Replay {
    fn holds(&mut self, item: &str, holder: Option<String>) {
        let before = self.holder.insert(item.to_string(), holder.clone());
        if before.is_some_and(|before| before != holder) {
            self.changed.insert(item.to_string());
        }
        self.unsure.remove(item);
    }

    fn take(&mut self, record: &Record) {
        let happening = &record.happening;
        let room = format!("room:{}", happening.room.vnum);
        let (doer, sufferer) = happening.what.parts();
        for who in [doer, sufferer, happening.what.third()].into_iter().flatten() {
            self.dead.insert(key(who), false);
            self.place.insert(key(who), room.clone());
        }
        match &happening.what {
            What::Acquired { who, item, .. } | What::Bought { who, item, .. } => self.holds(&item.id, Some(key(who))),
            What::Dropped { item, .. } => self.holds(&item.id, Some(room.clone())),
            What::UsedUp { item, .. } | What::ThrownAway { item, .. } => self.holds(&item.id, None),
            What::Given { receiver: to, item: Some(item), .. }
            | What::Sold { buyer: to, item, .. }
            | What::Stolen { thief: to, item: Some(item), .. } => self.holds(&item.id, Some(key(to))),
            What::Door { direction, state, .. } => {
                let state = match state {
                    DoorChange::Opened => "opened",
                    DoorChange::Closed => "closed",
                    DoorChange::Locked => "locked",
                    DoorChange::Unlocked => "unlocked",
                };
                let door = format!("{room} {direction}");
                *self.door_changes.entry(door.clone()).or_default() += 1;
                self.doors.insert(door, state);
            }
            What::Helped { helper, helped, how: Help::Grouped, .. } => {
                let other = if happening.role == Role::Did { helped } else { helper };
                self.company.insert(key(other), (true, false));
            }
            What::Parted { from, .. } => {
                self.company.insert(key(from), (false, false));
            }
            What::Killed { victim, .. } => {
                let victim_key = key(victim);
                let held = self.holder.iter().filter(|(_, holder)| holder.as_ref() == Some(&victim_key));
                let held: Vec<String> = held.map(|(item, _)| item.clone()).collect();
                self.unsure.extend(held);
                if victim.kind == WhoKind::Player && happening.role != Role::Suffered {
                    if let Some(with) = self.company.get_mut(&victim_key).filter(|(with, _)| *with) {
                        *with = (false, true);
                    }
                    self.dead.insert(victim_key, true);
                }
            }
            _ => {}
        }
    }

    /// All that can be asked of this moment.
    fn ask(&self, at_ms: Option<i64>, out: &mut Vec<Question>) {
        let mut add = |set, lookup, answer| out.push(Question { set, lookup, at_ms, answer });
        for (item, holder) in self.holder.iter().filter(|(item, _)| !self.unsure.contains(*item)) {
            let value = Lookup::Value(Relation::HeldBy, item.clone());
            match holder {
                None => add(Set::Absence, value, None),
                Some(holder) if self.changed.contains(item) => add(Set::Conflict, value, Some(holder.clone())),
                Some(_) => {}
            }
            // A look at what somebody is now has no time.
            let Some(holder) = holder.as_ref().filter(|_| at_ms.is_none()) else { continue };
            if holder.starts_with("player:") {
                let dead = self.dead.get(holder).copied().unwrap_or(false);
                add(Set::Cascade, Lookup::HolderDead(item.clone()), Some(dead.to_string()));
            }
            let place = if holder.starts_with("room:") { Some(holder) } else { self.place.get(holder) };
            if !holder.starts_with("me:") {
                add(Set::Cascade, Lookup::Whereabouts(item.clone()), place.cloned());
            }
        }
        for (door, state) in self.doors.iter().filter(|(door, _)| self.door_changes[*door] > 1) {
            add(Set::Conflict, Lookup::Value(Relation::Door, door.clone()), Some((*state).to_string()));
        }
        for (who, dead) in self.dead.iter().filter(|(who, _)| who.starts_with("player:")) {
            let lookup = Lookup::Value(Relation::Life, who.clone());
            match dead {
                true => add(Set::Conflict, lookup, Some("dead".into())),
                false => add(Set::Absence, lookup, None),
            }
        }
        for (who, (with, by_death)) in &self.company {
            let lookup = Lookup::Value(Relation::GoesWith, who.clone());
            match (with, by_death) {
                (true, _) => add(Set::Conflict, lookup, Some("group".into())),
                (false, true) => add(Set::Cascade, lookup, None),
                (false, false) => add(Set::Absence, lookup, None),
            }
        }
    }
}

/// What the graph answers.
pub fn look_up(graph: &Graph, question: &Question) -> Option<String> {
    let fact = |relation, subject: &str| match question.at_ms {
        None => graph.facts.now(relation, subject),
        Some(at_ms) => graph.facts.at(relation, subject, at_ms),
    };
    match &question.lookup {
        Lookup::Value(relation, subject) => fact(*relation, subject).map(|fact| fact.value.to_string()),
        Lookup::HolderDead(item) => {
            let holder = &fact(Relation::HeldBy, item)?.value;
            Some(fact(Relation::Life, holder).is_some_and(|life| &*life.value == "dead").to_string())
        }
        Lookup::Whereabouts(item) => {
            let holder = &fact(Relation::HeldBy, item)?.value;
            if holder.starts_with("room:") {
                return Some(holder.to_string());
            }
            let thing = graph.thing(graph.names.find(holder)?)?;
            (thing.room != NOBODY).then(|| graph.names.key(thing.room).to_string())
        }
    }
}

/// A life of `events` within a month, dreamt, and up to `each` questions of each set.
pub fn life(seed: u64, events: usize, each: usize) -> (Dream, Vec<Question>) {
    const DAYS: usize = 30;
    /// How often the past is asked about.
    const MOMENTS: usize = 20;
    let per_day = events.div_ceil(DAYS).max(1) as u32;
    let shape = Shape { seed, events_per_day: per_day, players: 60, items: 600, ..Shape::default() };
    let records: Vec<Record> = Life::new(shape).take(events).collect();
    let mut replay = Replay::default();
    let mut all = Vec::new();
    let mut dice = Dice::new(seed);
    for (i, record) in records.iter().enumerate() {
        let before = replay.clone();
        replay.take(record);
        if (i + 1) % (events / MOMENTS).max(1) == 0 {
            replay.ask(Some(record.at_ms), &mut all);
            // What is known of for the first time by this record was not known a moment ago.
            let known = replay.holder.keys().filter(|item| !before.holder.contains_key(*item));
            let lookup = known.map(|item| Lookup::Value(Relation::HeldBy, item.clone()));
            let at_ms = Some(record.at_ms - 1);
            all.extend(lookup.map(|lookup| Question { set: Set::Absence, lookup, at_ms, answer: None }));
        }
    }
    replay.ask(None, &mut all);
    for n in 0..each / 10 {
        let lookup = Lookup::Value(Relation::GoesWith, format!("player:{}x", player_name(n).to_lowercase()));
        all.push(Question { set: Set::Absence, lookup, at_ms: None, answer: None });
    }
    let mut chosen = Vec::new();
    for set in Set::ALL {
        let mut of: Vec<Question> = all.iter().filter(|question| question.set == set).cloned().collect();
        of.sort();
        of.dedup();
        for i in 0..of.len().min(each) {
            let other = i + dice.below(of.len() - i);
            of.swap(i, other);
            chosen.push(of[i].clone());
        }
    }
    let last = records.last().map_or(0, |record| day_of(record.at_ms, 0));
    (dream(None, &records, &Config::new(AGENT, last)), chosen)
}

/// By set: how many were asked, and how many answered rightly.
pub fn score(graph: &Graph, questions: &[Question]) -> BTreeMap<Set, (u64, u64)> {
    let mut scores: BTreeMap<Set, (u64, u64)> = BTreeMap::new();
    for question in questions {
        let (lookup, right) = scores.entry(question.set).or_default();
        *lookup += 1;
        *right += u64::from(look_up(graph, question) == question.answer);
    }
    scores
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn facts_answer_as_a_replay_of_the_records_does() {
        let (dreamt, questions) = life(8, 6_000, 300);
        for question in &questions {
            assert_eq!(look_up(&dreamt.graph, question), question.answer, "{question:?}");
        }
        for (set, (lookup, _)) in score(&dreamt.graph, &questions) {
            assert!(lookup >= 100, "{set:?}: {lookup}");
        }
    }

    #[test]
    fn a_graph_of_another_life_answers_wrongly() {
        let ((other, _), (_, questions)) = (life(9, 2_000, 10), life(8, 2_000, 100));
        let right: u64 = score(&other.graph, &questions).values().map(|(_, right)| right).sum();
        assert!((right as usize) < questions.len() * 2 / 3, "{right} of {}", questions.len());
    }
}
