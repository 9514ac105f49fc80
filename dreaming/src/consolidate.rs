//! Records into the graph, one after the other, and the nights between them.
//!
//! A night takes 1 − 0.9^(1/(1+|valence|)) of a memory's salience, and one below 0.05 is gone. Nothing is touched for
//! that: each memory knows when it will have faded, and is looked at on that night alone. Meeting something anew
//! strengthens it by 0.2 and blends its valence.
//!
//! Invariants: the graph depends on the records and the terms only, never on how often it was dreamt. A night takes
//! memories for good when a record of a later day comes; until then, what has faded is only not told. So a second dream
//! of the same day finds what the first had.

use crate::calendar::day_of;
use crate::config::{Terms, Valence};
use crate::graph::*;
use crate::records::Record;
use indexmap::IndexMap;
use mind::appraisal::{self, Appraisal};
use petgraph::graph::NodeIndex;
use protocol::happening::{Happening, Role, TEXT_MAX, What};
use protocol::outcome::Who;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Encounters over which a blend looks back: an older one counts no less, but the newest never less than a tenth.
const BLEND_OVER: u32 = 10;
/// A liking of 3 moves the blend by half at once: one betrayal outweighs ten kind words.
const LIKING_FULL: f64 = 6.0;

/// How often old facts are looked for.
const FACTS_EVERY_NIGHTS: i32 = 8;

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
    /// The events of a kind with an other, oldest first: for `similar_to`. Some may be gone.
    similar: IndexMap<(Deed, NameId), Vec<NodeIndex<u32>>, Fixed>,
    /// Nights until an event of such a strength and valence has faded.
    lives: BTreeMap<(u64, i8), i32>,
    /// Nights in which something neutral fades, by its strength in hundredths, from the day on.
    neutral: Vec<i32>,
    events: usize,
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
        let neutral = (0..=100).map(|n| fades(&graph.terms, f64::from(n) / 100.0, 0.0, 0)).collect();
        let mut dreamer = Dreamer {
            graph,
            neutral,
            tally: Tally::default(),
            due: BTreeMap::new(),
            similar: IndexMap::default(),
            lives: BTreeMap::new(),
            events: 0,
        };
        dreamer.index();
        dreamer
    }

    /// Makes anew what follows from the graph.
    fn index(&mut self) {
        (self.due, self.events) = (BTreeMap::new(), 0);
        self.similar.clear();
        for i in 0..self.graph.net.node_count() {
            let index = NodeIndex::new(i);
            let node = &self.graph.net[index];
            if let Body::Event(event) = &node.body {
                self.events += 1;
                if event.other() != NOBODY {
                    self.similar.entry((event.deed, event.other())).or_default().push(index);
                }
            }
            if !matches!(node.body, Body::Gone) && !node.is_me() {
                self.graph.net[index].due = i32::MAX;
                self.fall_due(index);
            }
        }
    }

    /// Takes up the next record. Records come by rising seq; one that is in the graph already changes nothing.
    pub fn feed(&mut self, record: &Record) {
        if record.seq <= self.graph.cursor.seq {
            return;
        }
        let day = self.advance(record);
        let happening = &record.happening;
        let worth = weigh(happening, self.graph.terms.valence);
        let event = self.event_of(record, worth);
        self.remember_event(&event, worth, day, happening);
        self.graph.facts.learn(happening, &event, &self.graph.names);
        if crate::reflect::gather(&mut self.graph, &event) {
            let made = crate::reflect::reflect(&mut self.graph, day);
            self.tally.reflections += made.reflections;
            self.tally.created += made.created;
            for index in made.touched {
                self.fall_due(index);
            }
        }
        self.tally.records += 1;
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
        let room = names.room(&happening.room);
        let number = match what {
            What::Fled { hp_percent, .. } | What::Wounded { hp_percent, .. } => i32::from(*hp_percent),
            What::Helped { hp_percent: Some(hp_percent), .. } => i32::from(*hp_percent),
            What::LevelGained { level, .. } => i32::from(*level),
            What::Given { gold, .. } | What::Stolen { gold, .. } if *gold != 0 => {
                i32::try_from(*gold).unwrap_or(i32::MAX)
            }
            What::Bought { price, .. } | What::Sold { price, .. } => i32::try_from(*price).unwrap_or(i32::MAX),
            _ => -1,
        };
        let text = match what {
            What::Spoke { text, .. } if !text.is_empty() => Some(clean(text)),
            What::Door { direction, .. } => Some(direction.clone()),
            _ => None,
        };
        let cursor = &self.graph.cursor;
        EventBody {
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
            deed: Deed::of(what),
            role: happening.role,
            valence: worth.valence,
            importance: worth.importance,
            text,
        }
    }

    fn remember_event(&mut self, event: &EventBody, worth: Appraisal, day: i32, happening: &Happening) {
        let strength = worth.salience;
        let node = self.graph.add(Node::new(strength, day, Body::Event(event.clone())));
        self.events += 1;
        self.tally.created += 1;
        let life = *self
            .lives
            .entry((strength.to_bits(), event.valence))
            .or_insert_with(|| fades(&self.graph.terms, strength, f64::from(event.valence).abs(), 0));
        self.look_at(node, day + life);
        let actor = if event.role == Role::Did { event.sufferer } else { event.doer };
        let (mut things, mut count) = ([NOBODY; 4], 0);
        for name in [event.doer, event.sufferer, event.third, event.item] {
            if name != NOBODY && !things[..count].contains(&name) {
                (things[count], count) = (name, count + 1);
            }
        }
        for &name in &things[..count] {
            let (doer, sufferer) = happening.what.parts();
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
            let thing = self.encounter(name, event, worth, liking, day, instance);
            if name != ME {
                self.graph.net.add_edge(node, thing, Edge { kind: EdgeKind::Involved, link: None });
            }
        }
        for who in &happening.witnesses {
            let name = self.graph.names.actor(who);
            if name != NOBODY && !things.contains(&name) {
                let thing = self.encounter(name, event, worth, 0, day, Some(&who.id));
                self.graph.net.add_edge(node, thing, Edge { kind: EdgeKind::Involved, link: None });
            }
        }
        let room = self.encounter(event.room, event, worth, 0, day, None);
        self.graph.net.add_edge(node, room, Edge { kind: EdgeKind::OccurredIn, link: None });
        self.relate(event, happening, day, worth);
        let other = event.other();
        if other != NOBODY {
            let alike = self.similar.entry((event.deed, other)).or_default();
            while alike.last().is_some_and(|last| matches!(self.graph.net[*last].body, Body::Gone)) {
                alike.pop();
            }
            if let Some(&before) = alike.last() {
                self.graph.net.add_edge(node, before, Edge { kind: EdgeKind::SimilarTo, link: None });
            }
            alike.push(node);
        }
    }

    /// The relations between names that a record bears out.
    fn relate(&mut self, event: &EventBody, happening: &Happening, day: i32, worth: Appraisal) {
        let (seq, at_ms) = (event.seq, event.at_ms);
        let (doer, sufferer) = (event.doer, event.sufferer);
        if doer != NOBODY && sufferer != NOBODY {
            let deed = event.deed;
            if deed == Deed::Killed {
                self.graph.relate(doer, sufferer, EdgeKind::Killed, seq, at_ms);
            }
            if deed.is_fight() {
                self.graph.relate(doer, sufferer, EdgeKind::Fought, seq, at_ms);
            }
            if deed.is_social() {
                self.graph.relate(doer, sufferer, EdgeKind::Social, seq, at_ms);
            }
        }
        let from = match event.deed {
            Deed::Given => doer,
            Deed::Stolen | Deed::Bought => sufferer,
            _ => NOBODY,
        };
        if event.item != NOBODY && from != NOBODY {
            self.graph.relate(event.item, from, EdgeKind::TookFrom, seq, at_ms);
        }
        let neighbour = match &happening.what {
            What::RoomSeen { from: Some(from), .. } => Some((from, true)),
            What::Door { leads_to: Some(to), .. } => Some((to, false)),
            _ => None,
        };
        if let Some((place, walked)) = neighbour {
            let other = self.graph.names.room(place);
            if other != event.room && walked {
                self.encounter(other, event, worth, 0, day, None);
                self.graph.relate(other, event.room, EdgeKind::TransitionedTo, seq, at_ms);
            }
        }
    }

    /// A thing is met: made where it is not known, strengthened where this is a new encounter.
    fn encounter(
        &mut self,
        name: NameId,
        event: &EventBody,
        worth: Appraisal,
        liking: i8,
        day: i32,
        instance: Option<&Arc<str>>,
    ) -> NodeIndex<u32> {
        let (seq, at_ms) = (event.seq, event.at_ms);
        let Some(index) = self.graph.names.node(name) else {
            return self.first_encounter(name, event, worth, liking, day, instance);
        };
        let terms = &self.graph.terms;
        let node = &mut self.graph.net[index];
        let felt = node.felt();
        let Body::Thing(thing) = &mut node.body else { unreachable!("names point at things") };
        if thing.evidence.last() == seq {
            return index;
        }
        let strength = Graph::faded(terms, node.strength, felt, day - node.night);
        let other_one = instance.is_some_and(|id| !id.is_empty() && *id != thing.instance);
        if at_ms - thing.last_at > terms.session_gap_ms || other_one {
            thing.visits = thing.visits.saturating_add(1);
            node.strength = (strength + terms.reinforce_bonus).min(1.0);
            self.tally.reinforced += 1;
        } else {
            // The same encounter goes on: as strong as its strongest moment.
            node.strength = strength.max(worth.salience);
        }
        node.night = day;
        thing.evidence.add(seq);
        let weight = 1.0 / f64::from(thing.evidence.count.min(BLEND_OVER));
        thing.valence = blend(thing.valence, worth.valence, weight);
        if liking != 0 {
            thing.likes = thing.likes.saturating_add(1);
            let weight = (1.0 / f64::from(thing.likes.min(BLEND_OVER))).max(f64::from(liking.abs()) / LIKING_FULL);
            thing.liking = blend(thing.liking, liking, weight);
        }
        thing.last_at = at_ms;
        thing.last_tick = event.tick;
        if thing.kind != NodeKind::Room {
            thing.room = event.room;
        }
        if let Some(id) = instance.filter(|id| !id.is_empty()) {
            thing.instance = id.clone();
        }
        mark(thing, event, worth);
        // However its valence has moved, it does not fade sooner than something neutral would.
        let hundredths = (node.strength * 100.0) as usize;
        let night = day + self.neutral[hundredths.min(100)];
        if name != ME {
            self.look_at(index, night);
        }
        index
    }

    fn first_encounter(
        &mut self,
        name: NameId,
        event: &EventBody,
        worth: Appraisal,
        liking: i8,
        day: i32,
        instance: Option<&Arc<str>>,
    ) -> NodeIndex<u32> {
        let kind = self.graph.names.kind(name);
        let mut thing = ThingBody {
            name,
            kind,
            valence: f64::from(worth.valence),
            liking: f64::from(liking),
            likes: u32::from(liking != 0),
            visits: 1,
            first_at: event.at_ms,
            last_at: event.at_ms,
            last_tick: event.tick,
            room: if kind == NodeKind::Room { NOBODY } else { event.room },
            instance: instance.cloned().unwrap_or_else(|| "".into()),
            betrayed: None,
            saved: None,
            evidence: Evidence::new(event.seq),
        };
        mark(&mut thing, event, worth);
        let body = Body::Thing(Box::new(thing));
        let index = self.graph.add(Node::new(worth.salience, day, body));
        self.graph.names.set_node(name, index);
        self.tally.created += 1;
        if name != ME {
            self.fall_due(index);
        }
        index
    }

    fn fall_due(&mut self, index: NodeIndex<u32>) {
        let node = &self.graph.net[index];
        let night = fades(&self.graph.terms, node.strength, node.felt(), node.night);
        self.look_at(index, night);
    }

    /// Sees to it that a node is looked at in a night, if that was not to be sooner anyway.
    fn look_at(&mut self, index: NodeIndex<u32>, night: i32) {
        let node = &mut self.graph.net[index];
        if night < node.due {
            node.due = night;
            self.due.entry(night).or_default().push(index);
        }
    }

    /// Takes for good what has faded by the end of the night `last`.
    fn sleep(&mut self, last: i32) {
        while let Some(entry) = self.due.first_entry().filter(|entry| *entry.key() <= last) {
            let (night, indices) = entry.remove_entry();
            for index in indices {
                let node = &mut self.graph.net[index];
                if matches!(node.body, Body::Gone) || node.due != night {
                    continue;
                }
                // What happened once never changes: its night is known from the beginning.
                if matches!(node.body, Body::Event(_)) {
                    self.bury(index);
                    continue;
                }
                node.due = i32::MAX;
                let faded = fades(&self.graph.terms, node.strength, node.felt(), node.night);
                if faded <= last {
                    self.bury(index);
                } else {
                    self.look_at(index, faded);
                }
            }
        }
        self.keep_to_the_cap(last);
        // Facts go in rare rounds, by the calendar alone: whoever sleeps through the end of one makes it.
        let round = |day: i32| day.div_euclid(FACTS_EVERY_NIGHTS);
        if round(last) != round(self.graph.cursor.day - 1) {
            self.graph.facts.sleep(&self.graph.terms, last);
        }
        if self.graph.wants_compaction() {
            let moved = self.graph.compact();
            let follow = |indices: &mut Vec<NodeIndex<u32>>| {
                indices.retain_mut(|index| {
                    let now = moved[index.index()];
                    *index = now.unwrap_or(*index);
                    now.is_some()
                });
            };
            self.due.values_mut().for_each(follow);
            self.similar.values_mut().for_each(follow);
            self.similar.retain(|_, indices| !indices.is_empty());
        }
    }

    fn bury(&mut self, index: NodeIndex<u32>) {
        self.events -= usize::from(matches!(self.graph.net[index].body, Body::Event(_)));
        self.graph.bury(index);
        self.tally.buried += 1;
    }

    /// Above the cap the weakest events go, of equals the oldest.
    fn keep_to_the_cap(&mut self, last: i32) {
        let cap = self.graph.terms.events_max;
        if self.events <= cap {
            return;
        }
        let mut weakest: Vec<(f64, u64, NodeIndex<u32>)> = (0..self.graph.net.node_count())
            .filter_map(|i| {
                let node = &self.graph.net[NodeIndex::new(i)];
                let Body::Event(event) = &node.body else { return None };
                Some((self.graph.salience_after(node, last), event.seq, NodeIndex::new(i)))
            })
            .collect();
        weakest.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let surplus = weakest.len() - cap;
        for (_, _, index) in weakest.into_iter().take(surplus) {
            self.bury(index);
        }
    }
}

/// The first night after which a memory of `strength` on day `day` is below the threshold.
pub fn fades(terms: &Terms, strength: f64, felt: f64, day: i32) -> i32 {
    let threshold = terms.prune_threshold;
    if strength < threshold {
        return day - 1;
    }
    /// Later than this is never.
    const NEVER: i32 = i32::MAX / 2;
    let kept = 1.0 - terms.decay_rate;
    if !(kept > 0.0 && kept < 1.0 && threshold > 0.0) {
        return NEVER;
    }
    let guess = libm::log(threshold / strength) / libm::log(kept) * (1.0 + felt);
    let mut nights = (libm::floor(guess) as i32).max(0);
    // The logarithm gives the place; the very formula that is used elsewhere decides.
    while nights > 0 && Graph::faded(terms, strength, felt, nights) < threshold {
        nights -= 1;
    }
    while Graph::faded(terms, strength, felt, nights) >= threshold {
        nights += 1;
    }
    day + nights - 1
}

fn blend(old: f64, new: i8, weight: f64) -> f64 {
    (old * (1.0 - weight) + f64::from(new) * weight).clamp(-3.0, 3.0)
}

/// Remembers the worst and the best that somebody did.
fn mark(thing: &mut ThingBody, event: &EventBody, worth: Appraisal) {
    if event.doer != thing.name || event.role == Role::Did {
        return;
    }
    let mark = Mark { seq: event.seq, at_ms: event.at_ms };
    if event.deed == Deed::Betrayed && worth.valence < 0 {
        thing.betrayed = Some(mark);
    }
    if event.deed.is_help() && event.role == Role::Suffered && worth.valence >= 3 {
        thing.saved = Some(mark);
    }
}

/// What was said, without control characters and of bounded length.
fn clean(text: &Arc<str>) -> Arc<str> {
    if text.len() <= TEXT_MAX && !text.chars().any(char::is_control) {
        return text.clone();
    }
    text.chars().filter(|c| !c.is_control()).take(TEXT_MAX).collect::<String>().into()
}
