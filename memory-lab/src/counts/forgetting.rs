//! What a life of nights keeps and what it lets go (E6).
//!
//! Counted from outside, by looking at the graph after each night: how many nights each neutral event was remembered,
//! whether anything of the last days is missing, whether somebody met once a week is ever forgotten, and how large it
//! all gets.

use dreaming::calendar::day_of;
use dreaming::config::Config;
use dreaming::graph::{Body, Graph};
use dreaming::records::Record;
use dreaming::synthetic::{AGENT, Life, Shape};
use dreaming::{Dreamer, consolidate::weigh};
use protocol::happening::{Happening, Place, Role, What};
use protocol::outcome::{Who, WhoKind};
use std::collections::BTreeMap;

/// Nights after which a neutral event must be gone, by the definition of E6.
pub const NEUTRAL_NIGHTS: std::ops::RangeInclusive<u32> = 22..=29;
/// Days that nothing may be forgotten of.
pub const RECENT_DAYS: i32 = 7;

/// How a life is lived.
#[derive(Clone, Debug)]
pub struct Years {
    pub seed: u64,
    pub nights: u32,
    pub per_day: u32,
    /// `Terms::events_max`.
    pub events_max: usize,
}

#[derive(Clone, Debug, Default)]
pub struct Forgetting {
    pub events: u64,
    /// By salience at the time, in hundredths: of neutral events the fewest and the most nights remembered, and how
    /// many events that is.
    pub neutral: BTreeMap<u32, (u32, u32, u64)>,
    /// Neutral events that were forgotten in time, and those that were not.
    pub neutral_right: u64,
    pub neutral_wrong: u64,
    /// Looks at an event of the last days, and those in which it was gone.
    pub recent: u64,
    pub recent_lost: u64,
    /// Nights since the first weekly meeting, and those in which that one was forgotten.
    pub weekly: u64,
    pub weekly_lost: u64,
    /// Nodes that took room, at most, and events among them.
    pub nodes_most: usize,
    pub events_most: usize,
    /// Nodes remembered after each night.
    pub nodes: Vec<usize>,
    pub buried: u64,
}

impl Forgetting {
    /// Mean of nodes in the last sixth of the nights over that of the sixth before: 1 where it has stopped growing.
    pub fn growth_at_the_end(&self) -> f64 {
        let sixth = self.nodes.len() / 6;
        let mean = |of: &[usize]| of.iter().sum::<usize>() as f64 / of.len().max(1) as f64;
        let (before, last) = self.nodes[self.nodes.len() - 2 * sixth..].split_at(sixth);
        mean(last) / mean(before).max(1.0)
    }
}

fn hermit() -> Who {
    Who { id: "mob_77_1".into(), name: "the hermit".into(), kind: WhoKind::Mob, level: 3 }
}

/// A meeting that means nothing.
fn meeting(at_ms: i64, tick: u64) -> Record {
    let me = Who { id: "player_brenda".into(), name: AGENT.into(), kind: WhoKind::Player, level: 12 };
    let happening = Happening {
        what: What::Fought { who: me, against: hermit() },
        role: Role::Did,
        room: Place { vnum: 77, name: "The Hermitage".into() },
        witnesses: Vec::new(),
        social_event_id: None,
        novel: false,
        valence: Some(0),
    };
    Record { seq: 0, tick, at_ms, happening }
}

struct Neutral {
    seq: u64,
    day: i32,
    hundredths: u32,
}

pub fn live(years: &Years) -> Forgetting {
    let shape = Shape { seed: years.seed, events_per_day: years.per_day, ..Shape::default() };
    let mut life = Life::new(shape);
    let mut config = Config::new(AGENT, 0);
    config.terms.events_max = years.events_max;
    let mut dreamer = Dreamer::new(Graph::new(AGENT, config.terms.clone()));
    let mut seen = Forgetting::default();
    let (mut neutral, mut recent): (Vec<Neutral>, Vec<(u64, i32)>) = (Vec::new(), Vec::new());
    let mut seq = 0;
    for night in 0..years.nights {
        let mut today: Vec<Record> = life.by_ref().take(years.per_day as usize).collect();
        let Some(last) = today.last() else { break };
        let day = day_of(last.at_ms, 0);
        if night % 7 == 0 {
            today.push(meeting(last.at_ms + 1_000, last.tick));
        }
        for record in &mut today {
            seq += 1;
            record.seq = seq;
            let worth = weigh(&record.happening, config.terms.valence);
            if worth.valence == 0 {
                neutral.push(Neutral { seq, day, hundredths: libm::round(worth.salience * 100.0) as u32 });
            }
            recent.push((seq, day));
            dreamer.feed(record);
        }
        dreamer.graph.through = day;
        look(&dreamer.graph, day, night, &mut neutral, &mut recent, &mut seen);
    }
    // What is not gone at the end and should be was found by `look` as long as it was too old.
    seen.events = seq;
    seen.buried = dreamer.tally.buried;
    seen
}

/// What the graph holds after a night.
fn look(
    graph: &Graph,
    day: i32,
    night: u32,
    neutral: &mut Vec<Neutral>,
    recent: &mut Vec<(u64, i32)>,
    seen: &mut Forgetting,
) {
    let (mut events, mut nodes, mut stored, mut met) = (Vec::new(), 0, 0, false);
    for (_, node) in graph.alive() {
        nodes += 1;
        match &node.body {
            Body::Event(event) => events.push(event.seq),
            Body::Thing(thing) => met |= graph.names.name(thing.name) == &*hermit().name,
            _ => {}
        }
    }
    stored += graph.net.node_weights().filter(|node| matches!(node.body, Body::Event(_))).count();
    let remembered = |seq: u64| events.binary_search(&seq).is_ok();
    neutral.retain(|event| {
        let cycles = (day - event.day + 1) as u32;
        let gone = !remembered(event.seq);
        let overdue = !gone && cycles > *NEUTRAL_NIGHTS.end();
        if gone {
            let (least, most, count) = seen.neutral.entry(event.hundredths).or_insert((cycles, cycles, 0));
            (*least, *most, *count) = ((*least).min(cycles), (*most).max(cycles), *count + 1);
            *if NEUTRAL_NIGHTS.contains(&cycles) { &mut seen.neutral_right } else { &mut seen.neutral_wrong } += 1;
        } else if overdue {
            seen.neutral_wrong += 1;
        }
        !gone && !overdue
    });
    recent.retain(|(_, of)| day - of < RECENT_DAYS);
    seen.recent += recent.len() as u64;
    seen.recent_lost += recent.iter().filter(|(seq, _)| !remembered(*seq)).count() as u64;
    seen.weekly += 1;
    seen.weekly_lost += u64::from(!met);
    seen.nodes.push(nodes);
    seen.nodes_most = seen.nodes_most.max(graph.stored_count());
    // The cap is kept in the night after: what came since may be above it.
    if night > 0 {
        seen.events_most = seen.events_most.max(stored);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neutral_memories_go_in_time_and_weekly_meetings_stay() {
        let seen = live(&Years { seed: 2, nights: 60, per_day: 12, events_max: 200_000 });
        assert!(seen.neutral_right > 100, "{seen:?}");
        assert_eq!((seen.neutral_wrong, seen.recent_lost, seen.weekly_lost), (0, 0, 0), "{seen:?}");
    }

    #[test]
    fn a_cap_is_kept_at_the_cost_of_the_weakest() {
        let seen = live(&Years { seed: 2, nights: 40, per_day: 30, events_max: 200 });
        assert!(seen.events_most <= 200 + 31, "{}", seen.events_most);
        assert!(seen.neutral_wrong > 0, "a cap this low takes memories before their time: {seen:?}");
    }
}
