//! What is answered: who has it, in which order it came to them, and how it spread.
//!
//! Everything follows from what the watch found. Invariant: each link is between who showed it and to whom it was
//! shown for the first time; who is named in one was a carrier before, or is no player, or has left before the watch.

use super::watch::{Carrier, How, Moment, Uttered, Voice, Watch};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use world::InputNumber;

/// What `--json` prints.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Answer {
    /// After this tick the watch began, and with this one it ended.
    pub from_tick: u64,
    pub to_tick: u64,
    /// Players who were in the world meanwhile.
    pub population: usize,
    /// In the order in which it came to them.
    pub carriers: Vec<CarrierRow>,
    pub uttered: Vec<UtteredRow>,
    /// Who said it though nobody had shown it to them, after it was in the world.
    pub invented: Vec<String>,
    pub curve: Vec<Point>,
    pub links: Vec<Link>,
    pub reproduction: Reproduction,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CarrierRow {
    pub name: String,
    pub tick: u64,
    pub input: InputNumber,
    pub how: How,
    /// Who showed it: a player, or a mob as it is called.
    pub from: Option<String>,
    pub via: Option<String>,
    /// Steps from where it began: 0 for sources.
    pub depth: u32,
    /// Whether its log answers `recall` with it; `None`: nobody can say.
    pub remembers: Option<bool>,
    /// Its commands that were decided with such a memory in the prompt; `None`: nobody can say.
    pub used: Option<u64>,
    #[serde(skip)]
    pub key: String,
    #[serde(skip)]
    pub before: bool,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct UtteredRow {
    pub name: String,
    pub tick: u64,
    pub input: InputNumber,
    pub via: String,
    pub to: Option<String>,
    pub text: String,
}

/// So many had it after that tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Point {
    pub tick: u64,
    pub carriers: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Link {
    pub from: String,
    pub to: String,
    pub tick: u64,
    pub input: InputNumber,
    pub how: How,
    pub via: String,
}

/// To how many others a carrier was the first who showed it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Reproduction {
    /// Over all carriers; `None` where there are none.
    pub mean: Option<f64>,
    pub by_depth: Vec<Generation>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Generation {
    pub depth: u32,
    pub carriers: usize,
    /// First showings by them, all together.
    pub passed: usize,
    pub mean: f64,
}

impl Answer {
    pub fn of(watch: &Watch, begin: Moment, end: Moment) -> Answer {
        let depths = depths(&watch.carriers);
        let mut carriers: Vec<CarrierRow> =
            watch.carriers.iter().map(|(key, carrier)| row(watch, key, carrier, depths[key.as_str()])).collect();
        carriers.sort_by(|a, b| (a.input, a.depth, &a.name).cmp(&(b.input, b.depth, &b.name)));
        let links: Vec<Link> = carriers.iter().filter_map(link).collect();
        Answer {
            from_tick: begin.tick,
            to_tick: end.tick,
            population: watch.population.len(),
            uttered: watch.uttered.iter().map(|uttered| uttered_row(watch, uttered)).collect(),
            invented: invented(watch, &carriers),
            curve: curve(&carriers),
            reproduction: reproduction(&carriers, &links),
            links,
            carriers,
        }
    }
}

/// As somebody is called.
fn called(watch: &Watch, key: &str) -> String {
    watch.names.get(key).map_or_else(|| key.to_string(), |name| name.to_string())
}

fn voice(watch: &Watch, voice: &Voice) -> String {
    if voice.is_player { called(watch, &voice.key) } else { voice.key.clone() }
}

fn row(watch: &Watch, key: &str, carrier: &Carrier, depth: u32) -> CarrierRow {
    CarrierRow {
        name: called(watch, key),
        tick: carrier.at.tick,
        input: carrier.at.input,
        how: carrier.how,
        from: carrier.from.as_ref().map(|from| voice(watch, from)),
        via: Some(carrier.via.clone()).filter(|via| !via.is_empty()),
        depth,
        remembers: None,
        used: None,
        key: key.to_string(),
        before: carrier.before,
    }
}

fn uttered_row(watch: &Watch, uttered: &Uttered) -> UtteredRow {
    UtteredRow {
        name: voice(watch, &uttered.by),
        tick: uttered.at.tick,
        input: uttered.at.input,
        via: uttered.via.clone(),
        to: uttered.to.as_ref().map(|to| called(watch, to)),
        text: uttered.text.clone(),
    }
}

/// How far each is from where it began. Who shows it had it first, so nobody comes back to itself.
fn depths(carriers: &BTreeMap<String, Carrier>) -> BTreeMap<&str, u32> {
    let mut known: BTreeMap<&str, u32> = BTreeMap::new();
    for key in carriers.keys() {
        let (mut chain, mut at): (Vec<&str>, &str) = (Vec::new(), key);
        let mut depth = loop {
            if let Some(depth) = known.get(at) {
                break *depth;
            }
            let Some(carrier) = carriers.get(at) else { break 0 };
            chain.push(at);
            match &carrier.from {
                Some(from) if from.is_player && chain.len() <= carriers.len() => at = &from.key,
                // It begins with a mob, or with the world.
                _ if carrier.how != How::Source => break 0,
                _ => {
                    known.insert(at, 0);
                    chain.pop();
                    break 0;
                }
            }
        };
        for name in chain.into_iter().rev() {
            depth += 1;
            known.insert(name, depth);
        }
    }
    known
}

fn link(row: &CarrierRow) -> Option<Link> {
    Some(Link {
        from: row.from.clone()?,
        to: row.name.clone(),
        tick: row.tick,
        input: row.input,
        how: row.how,
        via: row.via.clone().unwrap_or_default(),
    })
}

/// Sources that said it, but for the very first: that one is where it comes from.
fn invented(watch: &Watch, carriers: &[CarrierRow]) -> Vec<String> {
    let said: BTreeSet<&str> =
        watch.uttered.iter().filter(|uttered| uttered.by.is_player).map(|uttered| uttered.by.key.as_str()).collect();
    let by_mob = watch.uttered.iter().find(|uttered| !uttered.by.is_player).map(|uttered| uttered.at.input);
    let first = carriers.first().filter(|first| by_mob.is_none_or(|input| input >= first.input));
    let is_invention = |row: &&CarrierRow| {
        row.how == How::Source
            && !row.before
            && said.contains(row.key.as_str())
            && first.is_none_or(|first| first.key != row.key)
    };
    carriers.iter().filter(is_invention).map(|row| row.name.clone()).collect()
}

fn curve(carriers: &[CarrierRow]) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for (before, row) in carriers.iter().enumerate() {
        match points.last_mut() {
            Some(point) if point.tick == row.tick => point.carriers = before + 1,
            _ => points.push(Point { tick: row.tick, carriers: before + 1 }),
        }
    }
    points
}

fn reproduction(carriers: &[CarrierRow], links: &[Link]) -> Reproduction {
    let mut passed: BTreeMap<&str, usize> = BTreeMap::new();
    for link in links {
        *passed.entry(&link.from).or_default() += 1;
    }
    let mut generations: BTreeMap<u32, (usize, usize)> = BTreeMap::new();
    for row in carriers {
        let (count, sum) = generations.entry(row.depth).or_default();
        *count += 1;
        *sum += passed.get(row.name.as_str()).copied().unwrap_or(0);
    }
    let mean = |sum: usize, count: usize| (1_000.0 * sum as f64 / count as f64).round() / 1_000.0;
    let all: usize = generations.values().map(|(_, sum)| sum).sum();
    Reproduction {
        mean: (!carriers.is_empty()).then(|| mean(all, carriers.len())),
        by_depth: generations
            .into_iter()
            .map(|(depth, (carriers, passed))| Generation { depth, carriers, passed, mean: mean(passed, carriers) })
            .collect(),
    }
}
