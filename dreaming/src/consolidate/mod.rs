//! Records into the graph, one after the other, and the nights between them.
//!
//! A night takes 1 − 0.9^(1/(1+|valence|)) of a memory's salience, and one below 0.05 is gone. Nothing is touched for
//! that: each memory knows when it will have faded, and is looked at on that night alone. Meeting something anew
//! strengthens it by 0.2 and blends its valence.
//!
//! Invariants: the graph depends on the records and the terms only, never on how often it was dreamt. A night takes
//! memories for good when a record of a later day comes; until then, what has faded is only not told. So a second dream
//! of the same day finds what the first had.

mod circumstances;
mod encounter;
mod facts;
mod night;

use crate::calendar::day_of;
use crate::config::Valence;
use crate::forgetting::last_night;
use crate::graph::*;
use crate::questions::Outcomes;
use crate::record::Record;
use indexmap::IndexMap;
use mind::appraisal::{self, Appraisal};
use petgraph::graph::NodeIndex;
use protocol::happening::{Happening, Role, TEXT_MAX};
use protocol::outcome::Who;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

/// What feeding has done.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Tally {
    pub records: u64,
    /// Nodes made.
    pub created: u64,
    /// Encounters that strengthened something.
    pub reinforced: u64,
    /// Nodes taken for good.
    pub buried: u64,
    pub reflections: u64,
    /// Records whose time went back before that of an earlier one; they count as of that one.
    pub clock_jumps: u64,
}

/// Feeds records into a graph.
pub struct Dreamer {
    pub graph: Graph,
    pub tally: Tally,
    /// Nodes by the night in which they will have faded, as far as is known now.
    due: BTreeMap<i32, Vec<NodeIndex<u32>>>,
    /// The events of a kind with an other, oldest first, as seq and the night that takes it: for `similar_to`. One that
    /// goes no later than a newer one is left out.
    similar: IndexMap<(Deed, NameId), Vec<(u64, i32)>, Fixed>,
    /// Ends of fights and of dealings, for questions.
    outcomes: Outcomes,
    /// What says how the next things stand, oldest first.
    recent: VecDeque<circumstances::Before>,
    /// The last night that has taken memories.
    slept: i32,
    /// Nights until an event of such a strength and valence has faded.
    lives: BTreeMap<(u64, i8), i32>,
    /// Nights in which something neutral fades, by its strength in hundredths, from the day on.
    neutral: Vec<i32>,
    events: usize,
    /// Names of the witnesses of the record that is taken up.
    witnesses: Vec<NameId>,
    /// Nodes that the last record made or changed; one may be there twice.
    touched: Vec<NodeIndex<u32>>,
    /// Whether nights have passed with the last record.
    slept_now: bool,
    /// The memory of the net before the last compaction.
    spare: Net,
}

/// What a record is worth under these terms.
pub fn weigh(happening: &Happening, valence: Valence) -> Appraisal {
    let by_table = appraisal::appraise(happening);
    match (valence, happening.valence) {
        (Valence::Flat, _) => appraisal::with_valence(happening, 0, 0),
        (Valence::Recompute, _) | (Valence::Recorded, None) => by_table,
        // Recorded as nothing: a session without valence, where nobody was liked or hated either.
        (Valence::Recorded, Some(0)) => appraisal::with_valence(happening, 0, 0),
        (Valence::Recorded, Some(valence)) => appraisal::with_valence(happening, valence, by_table.liking),
    }
}

/// Continues a hash over records, so that a log that has changed is known.
pub fn chained(chain: u64, record: &Record) -> u64 {
    let happening = &record.happening;
    let mut bytes = [0u8; 128];
    let mut filled = 0;
    let mut put = |part: &[u8]| {
        let room = part.len().min(bytes.len() - filled);
        bytes[filled..filled + room].copy_from_slice(&part[..room]);
        filled += room;
    };
    put(&record.seq.to_le_bytes());
    put(&record.at_ms.to_le_bytes());
    put(&[Deed::of(&happening.what) as u8, happening.role as u8, happening.valence.unwrap_or(i8::MIN) as u8]);
    put(&happening.room.vnum.to_le_bytes());
    let (doer, sufferer) = happening.what.parts();
    for who in doer.into_iter().chain(sufferer) {
        put(&[who.name.len() as u8]);
        put(who.name.as_bytes());
    }
    if let Some(item) = happening.what.item() {
        put(item.name.as_bytes());
    }
    xxhash_rust::xxh3::xxh3_64_with_seed(&bytes[..filled], chain)
}

impl Dreamer {
    pub fn new(graph: Graph) -> Dreamer {
        let neutral = (0..=100).map(|n| last_night(&graph.terms, f64::from(n) / 100.0, 0.0, 0)).collect();
        let mut dreamer = Dreamer {
            graph,
            neutral,
            tally: Tally::default(),
            due: BTreeMap::new(),
            similar: IndexMap::default(),
            outcomes: Outcomes::default(),
            recent: VecDeque::new(),
            slept: i32::MIN,
            lives: BTreeMap::new(),
            events: 0,
            witnesses: Vec::new(),
            touched: Vec::new(),
            slept_now: false,
            spare: Net::default(),
        };
        dreamer.index();
        dreamer
    }

    /// The graph, without the memory that was needed to make it.
    pub fn into_graph(self) -> Graph {
        self.graph
    }

    /// Makes anew what follows from the graph.
    fn index(&mut self) {
        (self.due, self.events) = (BTreeMap::new(), 0);
        for i in 0..self.graph.net.node_count() {
            let index = NodeIndex::new(i);
            let node = &self.graph.net[index];
            if matches!(node.body, Body::Event(_)) {
                self.events += 1;
            }
            if !matches!(node.body, Body::Gone) && !node.is_me() && !node.is_handed_down() {
                self.graph.net[index].due = i32::MAX;
                self.fall_due(index);
            }
        }
        self.index_similar();
    }

    fn index_similar(&mut self) {
        self.similar.clear();
        self.outcomes.clear();
        for node in self.graph.net.node_weights() {
            if let Body::Event(event) = &node.body {
                remember_alike(&mut self.similar, event, node.due);
                self.outcomes.add(event, &self.graph.names, node.due, self.slept);
            }
        }
        self.index_recent();
    }

    /// The seq of the newest event of the same kind with the same other that is remembered; 0: none.
    fn last_alike(&mut self, deed: Deed, other: NameId) -> u64 {
        let Some(alike) = self.similar.get_mut(&(deed, other)) else { return 0 };
        while alike.last().is_some_and(|(_, night)| *night <= self.slept) {
            alike.pop();
        }
        alike.last().map_or(0, |(seq, _)| *seq)
    }

    /// Takes up the next record. Records come by rising seq; one that is in the graph already changes nothing.
    pub fn feed(&mut self, record: &Record) {
        self.touched.clear();
        self.slept_now = false;
        if record.seq <= self.graph.cursor.seq {
            return;
        }
        let day = self.advance(record);
        let happening = &record.happening;
        let worth = weigh(happening, self.graph.terms.valence);
        let mut event = self.event_of(record, worth);
        let mut witnesses = std::mem::take(&mut self.witnesses);
        witnesses.clear();
        witnesses.extend(happening.witnesses.iter().map(|who| self.graph.names.actor(who)));
        event.circumstances = self.circumstances(&event, happening, &witnesses);
        self.went_before(&event);
        self.remember_event(&event, worth, day, happening, &witnesses);
        self.graph.facts.learn(happening, &event, &witnesses, &self.graph.names);
        self.witnesses = witnesses;
        if crate::reflect::gather(&mut self.graph, &event) {
            let made = crate::reflect::reflect(&mut self.graph, &self.outcomes, self.slept, day);
            self.tally.reflections += made.reflections;
            self.tally.created += made.created;
            for index in made.touched {
                self.touched.push(index);
                self.fall_due(index);
            }
        }
        self.tally.records += 1;
    }

    /// Adds what the record that was fed last has changed. False where it cannot be said, since nights have passed with
    /// it: then anything may have changed. Nothing, where that record was in the graph already.
    #[must_use]
    pub(crate) fn last_changes(&self, changes: &mut Changes) -> bool {
        if !self.touched.is_empty() {
            changes.nodes.extend(&self.touched);
            changes.facts.extend(self.graph.facts.touched());
        }
        !self.slept_now
    }

    /// Moves the cursor to a record and lets the nights before its day pass. Returns its day.
    fn advance(&mut self, record: &Record) -> i32 {
        let first = self.graph.cursor.count == 0;
        let gap_ms = self.graph.terms.session_gap_ms;
        let before = self.graph.cursor.at_ms;
        if !first && record.at_ms < before {
            self.tally.clock_jumps += 1;
        }
        let at_ms = if first { record.at_ms } else { record.at_ms.max(before) };
        let day = day_of(at_ms, self.graph.terms.utc_offset_minutes);
        if !first && day > self.graph.cursor.day {
            self.sleep(day - 1);
            self.slept_now = true;
        }
        let cursor = &mut self.graph.cursor;
        if first || at_ms - before > gap_ms {
            cursor.session += 1;
        }
        cursor.seq = record.seq;
        cursor.chain = chained(cursor.chain, record);
        cursor.count += 1;
        cursor.at_ms = at_ms;
        cursor.tick = cursor.tick.max(record.tick);
        cursor.day = day;
        day
    }

    fn event_of(&mut self, record: &Record, worth: Appraisal) -> EventBody {
        let happening = &record.happening;
        let what = &happening.what;
        let me = happening.me();
        let names = &mut self.graph.names;
        let mut named = |who: Option<&Who>| match who {
            None => NOBODY,
            Some(who) if me.is_some_and(|me| std::ptr::eq(me, who)) => ME,
            Some(who) => names.actor(who),
        };
        let (doer, sufferer) = what.parts();
        let (doer, sufferer, third) = (named(doer), named(sufferer), named(what.third()));
        let item = what.item().map_or(NOBODY, |item| names.item(item));
        let deed = Deed::of(what);
        let room = match deed.is_of_mind() && happening.room.is_nowhere() {
            true => NOBODY,
            false => names.room(&happening.room),
        };
        let number = what.amount().map_or(-1, |amount| i32::try_from(amount).unwrap_or(i32::MAX));
        let text = what.text().map(clean);
        let cursor = &self.graph.cursor;
        let mut event = EventBody {
            seq: record.seq,
            at_ms: cursor.at_ms,
            tick: cursor.tick,
            social_event_id: happening.social_event_id.unwrap_or(0),
            session: cursor.session,
            doer,
            sufferer,
            third,
            item,
            room,
            number,
            deed,
            role: happening.role,
            valence: worth.valence,
            importance: worth.importance,
            circumstances: Circumstances::default(),
            text,
            alike: 0,
        };
        event.alike = self.last_alike(event.deed, event.other());
        event
    }

    /// `witnesses` are the names of those of the record, in its order.
    fn remember_event(
        &mut self,
        event: &EventBody,
        worth: Appraisal,
        day: i32,
        happening: &Happening,
        witnesses: &[NameId],
    ) {
        let strength = worth.salience;
        let node = self.graph.add(Node::new(strength, day, Body::Event(event.clone())));
        self.events += 1;
        self.tally.created += 1;
        self.touched.push(node);
        let life = *self
            .lives
            .entry((strength.to_bits(), event.valence))
            .or_insert_with(|| last_night(&self.graph.terms, strength, f64::from(event.valence).abs(), 0));
        self.look_at(node, day + life);
        remember_alike(&mut self.similar, event, day + life);
        self.outcomes.add(event, &self.graph.names, day + life, self.slept);
        if event.deed.is_of_mind() {
            // One's own counsel is no encounter: whom it names was met, or not, by what came of it.
            return;
        }
        let actor = if event.role == Role::Did { event.sufferer } else { event.doer };
        let (doer, sufferer) = happening.what.parts();
        for name in event.things() {
            let instance = if name == event.item {
                happening.what.item().map(|item| &item.id)
            } else {
                let who = if name == event.doer {
                    doer
                } else if name == event.sufferer {
                    sufferer
                } else {
                    happening.what.third()
                };
                who.map(|who| &who.id)
            };
            let liking = if name == actor && name != ME { worth.liking } else { 0 };
            self.encounter(name, event, worth, liking, day, instance);
        }
        for (who, &name) in happening.witnesses.iter().zip(witnesses) {
            if name != NOBODY && event.things().all(|thing| thing != name) {
                let thing = self.encounter(name, event, worth, 0, day, Some(&who.id));
                self.graph.net.add_edge(node, thing, Edge { kind: EdgeKind::Involved, link: None });
            }
        }
        self.encounter(event.room, event, worth, 0, day, None);
        self.count(event, day);
        self.relate(event, happening, day, worth);
    }
}

fn remember_alike(similar: &mut IndexMap<(Deed, NameId), Vec<(u64, i32)>, Fixed>, event: &EventBody, night: i32) {
    if event.other() == NOBODY {
        return;
    }
    let alike = similar.entry((event.deed, event.other())).or_default();
    while alike.last().is_some_and(|(_, before)| *before <= night) {
        alike.pop();
    }
    alike.push((event.seq, night));
}

/// What was said, without control characters and of bounded length.
fn clean(text: &Arc<str>) -> Arc<str> {
    if text.len() <= TEXT_MAX && !text.chars().any(char::is_control) {
        return text.clone();
    }
    text.chars().filter(|c| !c.is_control()).take(TEXT_MAX).collect::<String>().into()
}
