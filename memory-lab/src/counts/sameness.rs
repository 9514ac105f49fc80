//! Whether a dream is one (E5): twice is once, in parts is at once, and the bytes are those of any other machine.

use dreaming::calendar::day_of;
use dreaming::config::Config;
use dreaming::graph::content_hash;
use dreaming::records::Record;
use dreaming::synthetic::{AGENT, Dice, Life, Shape};
use dreaming::{Dream, Graph, dream};

/// The hashes of graph and story of one life, written down once; the crate's tests hold to the same.
pub const KNOWN: &str = include_str!("../../../dreaming/tests/golden_hash.txt");

#[derive(Clone, Debug, Default)]
pub struct Sameness {
    pub lives: u64,
    /// Nodes that a second dream changed, and lives whose bytes it changed.
    pub changed_nodes: u64,
    pub changed_lives: u64,
    /// Dreams in parts, and those that came to other bytes than the one at once.
    pub parts: u64,
    pub parts_differ: u64,
    /// Of all documents in order: two machines that print the same dreamt the same.
    pub hash: String,
}

fn through(records: &[Record]) -> Config {
    Config::new(AGENT, records.last().map_or(0, |record| day_of(record.at_ms, 0)))
}

/// As a night finds what the night before wrote.
fn read_again(dreamt: &Dream) -> Option<Graph> {
    Graph::from_json(&dreamt.graph.to_json(), AGENT).ok()
}

/// The two hashes of the life that `KNOWN` tells of.
pub fn known_life() -> String {
    let shape = Shape { seed: 11, events_per_day: 40, mobs: 30, players: 8, rooms: 40, items: 20, ..Shape::default() };
    let records: Vec<Record> = Life::new(shape).take(40 * 60).collect();
    let dreamt = dream(None, &records, &through(&records));
    format!("{} {}", content_hash(&dreamt.graph.to_json()), dreamt.report.summary_hash)
}

/// Dreams `lives` lives of `days` days: each at once, twice, and in parts cut at random places (`splits` times).
pub fn sameness(seed: u64, lives: u32, days: u32, per_day: u32, splits: u32) -> Sameness {
    let mut dice = Dice::new(seed);
    let mut same = Sameness::default();
    let mut hashes = String::new();
    for _ in 0..lives {
        let shape = Shape { seed: dice.roll(), events_per_day: per_day, ..Shape::default() };
        let records: Vec<Record> = Life::new(shape).take((days * per_day) as usize).collect();
        let whole = dream(None, &records, &through(&records));
        let document = whole.graph.to_json();
        let again = dream(read_again(&whole), &records, &through(&records));
        let report = &again.report;
        let anew = if report.rebuilt.is_some() { report.nodes_after } else { 0 };
        same.changed_nodes += report.events_dreamt + report.pruned + report.reinforced + anew;
        same.changed_lives += u64::from(again.graph.to_json() != document || again.summary != whole.summary);
        for _ in 0..splits {
            same.parts += 1;
            let mut cuts: Vec<usize> = (0..1 + dice.below(5)).map(|_| dice.below(records.len())).collect();
            cuts.push(records.len());
            cuts.sort_unstable();
            let (mut last, mut from): (Option<Dream>, usize) = (None, 0);
            for cut in cuts {
                // Half of the nights are given what is new, the others the whole log up to there.
                let given = if dice.chance(50) { &records[from..cut] } else { &records[..cut] };
                let until = Config { through: through(&records[..cut]).through, ..through(&records) };
                if cut > 0 {
                    last = Some(dream(last.as_ref().and_then(read_again), given, &until));
                }
                from = cut;
            }
            same.parts_differ += u64::from(last.is_none_or(|last| last.graph.to_json() != document));
        }
        hashes.push_str(&content_hash(&document));
        same.lives += 1;
    }
    same.hash = content_hash(hashes.as_bytes());
    same
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dreams_of_three_lives_are_the_same_in_any_parts() {
        let same = sameness(5, 3, 12, 25, 2);
        assert_eq!((same.lives, same.parts), (3, 6));
        assert_eq!((same.changed_nodes, same.changed_lives, same.parts_differ), (0, 0, 0), "{same:?}");
        assert_ne!(same.hash, sameness(6, 3, 12, 25, 0).hash, "other lives are other memories");
        assert_eq!(known_life(), KNOWN.trim());
    }
}
