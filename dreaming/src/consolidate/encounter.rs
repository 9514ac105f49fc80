//! Meeting somebody or something: a node is made or strengthened, its valence blends, relations are borne out.
//!
//! Invariant: a new encounter strengthens, going on with the same one does not; one record counts once for each name.

use super::Dreamer;
use crate::forgetting;
use crate::graph::*;
use mind::appraisal::Appraisal;
use petgraph::graph::NodeIndex;
use protocol::happening::{Happening, Role, What};
use std::sync::Arc;

/// Encounters over which a blend looks back: an older one counts no less, but the newest never less than a tenth.
const BLEND_OVER: u32 = 10;
/// A liking of 3 moves the blend by half at once: one betrayal outweighs ten kind words.
const LIKING_FULL: f64 = 6.0;

impl Dreamer {
    /// The relations between names that a record bears out.
    pub(super) fn relate(&mut self, event: &EventBody, happening: &Happening, day: i32, worth: Appraisal) {
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
            What::RoomSeen { from: Some(from), .. } | What::Visited { from: Some(from), .. } => Some((from, true)),
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

    /// Counts an event for whom it was about and for its room, and draws the insights of them anew.
    pub(super) fn count(&mut self, event: &EventBody, day: i32) {
        for name in [event.other(), event.room].into_iter().filter(|name| *name != NOBODY) {
            let node = self.graph.names.node(name).map(|index| &mut self.graph.net[index].body);
            if let Some(Body::Thing(thing)) = node {
                thing.tally.add(event);
                if event.deed == Deed::Visited && name == event.room {
                    thing.visits = thing.visits.max(u32::try_from(event.number).unwrap_or(1));
                }
            }
            if let Some(index) = crate::reflect::redraw(&mut self.graph, name, event, day) {
                self.touched.push(index);
                self.fall_due(index);
            }
        }
    }

    /// A thing is met: made where it is not known, strengthened where this is a new encounter.
    pub(super) fn encounter(
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
        self.touched.push(index);
        let Body::Thing(thing) = &mut node.body else { unreachable!("names point at things") };
        if thing.evidence.last() == seq {
            return index;
        }
        let strength = forgetting::salience(terms, node.strength, felt, day - node.night);
        let other_one = instance.is_some_and(|id| !id.is_empty() && *id != thing.instance);
        if at_ms - thing.last_at > terms.session_gap_ms || other_one {
            // Who sleeps and wakes in a room has not come to it anew: visits are told by their own records.
            if thing.kind != NodeKind::Room {
                thing.visits = thing.visits.saturating_add(1);
            }
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
            counted_from: event.at_ms,
            tally: Tally::default(),
        };
        mark(&mut thing, event, worth);
        let body = Body::Thing(Box::new(thing));
        let index = self.graph.add(Node::new(worth.salience, day, body));
        self.graph.names.set_node(name, index);
        self.tally.created += 1;
        self.touched.push(index);
        if name != ME {
            self.fall_due(index);
        }
        index
    }
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
