//! What hangs together with those named: personalised PageRank by local push over memories and names.
//!
//! Invariant: at most `PUSHES_MAX` pushes, whatever the size of the graph; the scratch is left clean.

use super::index::View;
use super::lists::DocId;
use super::{DAMPING, DEPTH, PUSHES_MAX, Scratch};
use crate::graph::{NOBODY, NameId, NodeKind};

/// Neighbours that a place passes something on to; of more, the newest.
const NEIGHBOURS_MAX: usize = 64;

impl View<'_> {
    /// Where a walk begins: at the named, and at what the best by words are about.
    pub(super) fn seeds(&self, named: &[NameId], by_words: &[(DocId, f64)]) -> Vec<(NameId, f64)> {
        let mut seeds: Vec<(NameId, f64)> = named.iter().map(|name| (*name, 1.0)).collect();
        let top = by_words.first().map_or(0.0, |(_, score)| *score);
        for (doc, score) in by_words.iter().take(5).take_while(|(_, score)| *score > top * 0.8) {
            for name in self.about[*doc as usize] {
                if name != NOBODY && self.graph.names.kind(name) == NodeKind::Entity && top > 0.0 {
                    match seeds.iter_mut().find(|(other, _)| *other == name) {
                        Some(_) => {}
                        None => seeds.push((name, 0.5 * score / top)),
                    }
                }
            }
        }
        seeds
    }

    /// Personalised PageRank by local push over documents and names: what hangs together with the seeds, best first,
    /// and how many pushes it took.
    pub(super) fn by_walk(&self, seeds: &[(NameId, f64)], scratch: &mut Scratch) -> (Vec<(DocId, f64)>, usize) {
        /// What is left lying at a place, per neighbour.
        const REST: f64 = 2e-4;
        let documents = self.docs.len();
        let places = documents + self.of_name.len();
        scratch.mass.resize(places, 0.0);
        scratch.residue.resize(places, 0.0);
        let total: f64 = seeds.iter().map(|(_, weight)| weight).sum();
        let mut queue: std::collections::VecDeque<u32> = std::collections::VecDeque::new();
        for (name, weight) in seeds {
            let place = documents + *name as usize;
            scratch.residue[place] += weight / total;
            scratch.walked.push(place as u32);
            queue.push_back(place as u32);
        }
        let mut pushes = 0;
        while let Some(place) = queue.pop_front() {
            if pushes == PUSHES_MAX {
                break;
            }
            let residue = std::mem::take(&mut scratch.residue[place as usize]);
            if residue == 0.0 {
                continue;
            }
            pushes += 1;
            scratch.mass[place as usize] += (1.0 - DAMPING) * residue;
            let pass = |next: u32, share: f64, scratch: &mut Scratch, queue: &mut std::collections::VecDeque<u32>| {
                let at = &mut scratch.residue[next as usize];
                let before = *at;
                *at += share;
                if before == 0.0 && scratch.mass[next as usize] == 0.0 {
                    scratch.walked.push(next);
                }
                if before < REST && before + share >= REST {
                    queue.push_back(next);
                }
            };
            if (place as usize) < documents {
                let about = self.about[place as usize];
                let count = about.iter().filter(|name| **name != NOBODY).count();
                for name in about.iter().filter(|name| **name != NOBODY) {
                    let share = DAMPING * residue / count as f64;
                    pass((documents + *name as usize) as u32, share, scratch, &mut queue);
                }
            } else {
                let of = &self.of_name[place as usize - documents];
                let newest = &of[of.len().saturating_sub(NEIGHBOURS_MAX)..];
                for doc in newest {
                    pass(*doc, DAMPING * residue / newest.len() as f64, scratch, &mut queue);
                }
            }
        }
        let mut ranked: Vec<(DocId, f64)> = Vec::new();
        for place in scratch.walked.drain(..) {
            let mass = std::mem::take(&mut scratch.mass[place as usize]);
            let rest = std::mem::take(&mut scratch.residue[place as usize]);
            if (place as usize) < documents && mass + rest > 0.0 {
                ranked.push((place, mass + (1.0 - DAMPING) * rest));
            }
        }
        self.best(&mut ranked, DEPTH);
        (ranked, pushes)
    }
}
