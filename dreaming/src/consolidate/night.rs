//! The nights: what has faded is taken for good, in the night in which that is certain.
//!
//! Invariant: no node is looked at in a night but those that may have faded in it.

use super::Dreamer;
use crate::forgetting::last_night;
use crate::graph::*;
use petgraph::graph::NodeIndex;

/// How often old facts are looked for.
const FACTS_EVERY_NIGHTS: i32 = 8;

impl Dreamer {
    pub(super) fn fall_due(&mut self, index: NodeIndex<u32>) {
        let node = &self.graph.net[index];
        let night = last_night(&self.graph.terms, node.strength, node.felt(), node.night);
        self.look_at(index, night);
    }

    /// Sees to it that a node is looked at in a night, if that was not to be sooner anyway.
    pub(super) fn look_at(&mut self, index: NodeIndex<u32>, night: i32) {
        let node = &mut self.graph.net[index];
        if night < node.due {
            node.due = night;
            self.due.entry(night).or_default().push(index);
        }
    }

    /// Takes for good what has faded by the end of the night `last`.
    pub(super) fn sleep(&mut self, last: i32) {
        self.slept = last;
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
                let faded = last_night(&self.graph.terms, node.strength, node.felt(), node.night);
                if faded <= last {
                    self.bury(index);
                } else {
                    self.look_at(index, faded);
                }
            }
        }
        self.keep_to_the_cap(last);
        self.index_recent();
        // Facts go in rare rounds, by the calendar alone: whoever sleeps through the end of one makes it.
        let round = |day: i32| day.div_euclid(FACTS_EVERY_NIGHTS);
        if round(last) != round(self.graph.cursor.day - 1) {
            self.graph.facts.sleep(&self.graph.terms, last, &self.graph.names);
        }
        if self.graph.wants_compaction() {
            let moved = self.graph.compact(&mut self.spare);
            let follow = |indices: &mut Vec<NodeIndex<u32>>| {
                indices.retain_mut(|index| {
                    let now = moved[index.index()];
                    *index = now.unwrap_or(*index);
                    now.is_some()
                });
            };
            self.due.values_mut().for_each(follow);
            let slept = self.slept;
            self.similar.retain(|_, alike| alike.first().is_some_and(|(_, night)| *night > slept));
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
        (self.graph.cursor.thinned, self.graph.cursor.thinned_at) = (self.graph.cursor.seq, self.graph.cursor.at_ms);
        for (_, _, index) in weakest.into_iter().take(surplus) {
            self.bury(index);
        }
        self.index_similar();
    }
}
