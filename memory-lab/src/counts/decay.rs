//! How memories fade (E7): S(t) = S0·e^(−λt), fitted to what the graph's documents tell night by night.
//!
//! A day is lived, then nights pass with one small thing happening elsewhere each day, so that they really consolidate.
//! Read is the `salience` of each event in the document of each night: what a researcher has in hand, rounding and all,
//! not the formula behind it.

use super::statistics::{Line, Z, line};
use dreaming::calendar::{MS_PER_TICK, day_of};
use dreaming::config::{Config, Valence};
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Graph, Record, dream};
use protocol::happening::{Happening, Item, Place, Role, What};
use protocol::outcome::{Who, WhoKind};
use serde::Deserialize;
use std::collections::BTreeMap;

const DAY_MS: i64 = 86_400_000;

/// How the events of one strength of feeling fade.
#[derive(Clone, Debug)]
pub struct Curve {
    /// |valence| by the table, also where the dream was flat.
    pub felt: u8,
    pub events: usize,
    /// By nights since the first one told: the mean share of the first salience that is left, and the least and the
    /// greatest share of any event. Ends with the last night in which all events are remembered.
    pub points: Vec<(u32, f64, [f64; 2])>,
    /// Of the logarithm of the shares of all events, over nights.
    pub fit: Line,
}

impl Curve {
    /// What is lost in a night: λ.
    pub fn lambda(&self) -> f64 {
        -self.fit.slope
    }

    pub fn half_life_nights(&self) -> f64 {
        std::f64::consts::LN_2 / self.lambda()
    }

    /// 95 %, of the half-life.
    pub fn half_life_interval(&self) -> [f64; 2] {
        let (lambda, reach) = (self.lambda(), Z * self.fit.slope_error);
        [std::f64::consts::LN_2 / (lambda + reach), std::f64::consts::LN_2 / (lambda - reach)]
    }
}

/// How much longer the half-life of `of` is than that of `to`, with its interval (by the relative errors of both).
pub fn ratio(of: &Curve, to: &Curve) -> (f64, [f64; 2]) {
    let value = of.half_life_nights() / to.half_life_nights();
    let relative = |curve: &Curve| curve.fit.slope_error / curve.lambda();
    let reach = Z * value * libm::sqrt(relative(of) * relative(of) + relative(to) * relative(to));
    (value, [value - reach, value + reach])
}

#[derive(Deserialize)]
struct GraphDocument {
    nodes: Vec<DocumentNode>,
}

#[derive(Deserialize)]
struct DocumentNode {
    id: String,
    salience: f64,
}

/// Something neutral in a place of its own, so that a night passes.
fn elsewhere(seq: u64, at_ms: i64, day: i32) -> Record {
    let me = Who { id: "player_brenda".into(), name: AGENT.into(), kind: WhoKind::Player, level: 12 };
    let item = Item { id: format!("pebble_{day}").into(), name: "a pebble".into(), vnum: 9, level: 0 };
    let happening = Happening {
        what: What::Dropped { who: me, item },
        role: Role::Did,
        room: Place { vnum: 9, name: "Elsewhere".into() },
        witnesses: Vec::new(),
        social_event_id: None,
        novel: false,
        valence: None,
    };
    Record { seq, tick: (at_ms / MS_PER_TICK) as u64, at_ms, happening }
}

/// The curves of |v| = 0 to 3 of a day of `events`, over `nights`; a |v| that the day did not hold has none.
pub fn curves(seed: u64, events: u32, nights: u32, valence: Valence) -> Vec<Curve> {
    let shape = Shape { seed, events_per_day: events, ..Shape::default() };
    let lived: Vec<Record> = Life::new(shape).take(events as usize).collect();
    let Some(last) = lived.last() else { return Vec::new() };
    let first_day = day_of(last.at_ms, 0);
    let felt: BTreeMap<String, u8> = lived
        .iter()
        .map(|record| {
            let valence = mind::appraisal::appraise(&record.happening).valence;
            (format!("event:{}", record.seq), valence.unsigned_abs())
        })
        .collect();
    // By event: its salience after each night, until it is forgotten.
    let mut told: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    let mut graph: Option<Graph> = None;
    for night in 0..nights {
        let day = first_day + night as i32;
        let today = match night {
            0 => lived.clone(),
            _ => vec![elsewhere(last.seq + u64::from(night), last.at_ms + i64::from(night) * DAY_MS, day)],
        };
        let mut config = Config::new(AGENT, day);
        config.terms.valence = valence;
        let dreamt = dream(graph, &today, &config);
        let Ok(document) = serde_json::from_slice::<GraphDocument>(&dreamt.graph.to_json()) else { return Vec::new() };
        for node in document.nodes {
            if felt.contains_key(&node.id) && told.get(&node.id).map_or(0, Vec::len) == night as usize {
                told.entry(node.id).or_default().push(node.salience);
            }
        }
        graph = Some(dreamt.graph);
    }
    (0..=3).filter_map(|wanted| curve(wanted, told.iter().filter(|(id, _)| felt[*id] == wanted))).collect()
}

fn curve<'a>(felt: u8, told: impl Iterator<Item = (&'a String, &'a Vec<f64>)>) -> Option<Curve> {
    let shares: Vec<Vec<f64>> = told.map(|(_, told)| told.iter().map(|s| s / told[0]).collect()).collect();
    let shortest = shares.iter().map(Vec::len).min()?;
    let all: Vec<(f64, f64)> = shares
        .iter()
        .flat_map(|shares| shares.iter().enumerate().map(|(night, share)| (night as f64, libm::log(*share))))
        .collect();
    let points = (0..shortest)
        .map(|night| {
            let of: Vec<f64> = shares.iter().map(|shares| shares[night]).collect();
            let mean = of.iter().sum::<f64>() / of.len() as f64;
            let edge = [of.iter().copied().fold(f64::INFINITY, f64::min), of.iter().copied().fold(0.0, f64::max)];
            (night as u32, mean, edge)
        })
        .collect();
    Some(Curve { felt, events: shares.len(), points, fit: line(&all)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn feelings_hold_memories_and_without_them_all_fade_alike() {
        let felt = curves(3, 150, 16, Valence::Recorded);
        assert_eq!(felt.iter().map(|curve| curve.felt).collect::<Vec<_>>(), [0, 1, 2, 3]);
        for (curve, expected) in felt.iter().zip([6.58, 13.16, 19.74, 26.31]) {
            assert!((curve.half_life_nights() - expected).abs() < 0.05, "{}: {}", curve.felt, curve.half_life_nights());
        }
        assert!((ratio(&felt[3], &felt[1]).0 - 2.0).abs() < 0.01);
        let flat = curves(3, 150, 16, Valence::Flat);
        assert!((ratio(&flat[3], &flat[1]).0 - 1.0).abs() < 0.001);
    }
}
