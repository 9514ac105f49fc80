//! What is remembered of a life: facts that end, insights with evidence, a story that keeps its form whoever is in it,
//! clocks that jump, and questions that are answered.

mod facts;
mod insights;
mod legacies;
mod questions;
mod recall;
mod stories;
mod time;

use dreaming::calendar::day_of;
use dreaming::config::Config;
use dreaming::facts::Relation;
use dreaming::graph::{Body, Evidence, Graph};
use dreaming::reflect::insight;
use dreaming::retrieve::{Index, Query, Scratch};
use dreaming::synthetic::{AGENT, Dice, Life, Shape, player_name};
use dreaming::wording::may_reword;
use dreaming::{Dream, Dreamer, Record, dream, legacy, narrate};
use memory_lab::counts::junk::junk;
use memory_lab::counts::{Method, questions, score};
use mind::happenings::Deed;
use proptest::prelude::*;
use protocol::happening::{Happening, Help, Item, Place, Role, Tone, What};
use protocol::outcome::{DoorChange, Who, WhoKind};
use std::collections::BTreeMap;
use std::sync::Arc;

const DAY_MS: i64 = 86_400_000;

fn player(name: &str) -> Who {
    Who { id: format!("player_{}", name.to_lowercase()).into(), name: name.into(), kind: WhoKind::Player, level: 9 }
}

fn me() -> Who {
    player(AGENT)
}

fn mob(name: &str, vnum: i32, serial: u32) -> Who {
    Who { id: format!("mob_{vnum}_{serial}").into(), name: name.into(), kind: WhoKind::Mob, level: 9 }
}

fn item(name: &str, serial: u32) -> Item {
    Item { id: format!("obj_7_{serial}").into(), name: name.into(), vnum: 7, level: 10 }
}

/// Records a minute apart, beginning at a day.
struct Log {
    records: Vec<Record>,
    at_ms: i64,
}

impl Log {
    fn from_day(day: i64) -> Log {
        Log { records: Vec::new(), at_ms: day * DAY_MS + 10 * 3_600_000 }
    }

    fn push(&mut self, role: Role, what: What) -> u64 {
        self.at_ms += 60_000;
        let seq = self.records.len() as u64 + 1;
        let happening = Happening {
            what,
            role,
            room: Place { vnum: 3001, name: "The Square".into() },
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: None,
        };
        self.records.push(Record { seq, tick: (self.at_ms / 2_000) as u64, at_ms: self.at_ms, happening });
        seq
    }

    fn dream(&self) -> Dream {
        dream(None, &self.records, &Config::new(AGENT, day_of(self.at_ms, 0)))
    }
}

/// A life of so many events, dreamt.
fn remembered(events: usize, seed: u64) -> (Arc<Graph>, Vec<Record>) {
    let shape = Shape {
        seed,
        events_per_day: (events / 10) as u32,
        mobs: 300,
        players: 150,
        rooms: 800,
        items: 1_200,
        ..Shape::default()
    };
    let mut dreamer = Dreamer::new(Graph::new(AGENT, Config::new(AGENT, 0).terms));
    let records: Vec<Record> = Life::new(shape).take(events).collect();
    records.iter().for_each(|record| dreamer.feed(record));
    let mut graph = dreamer.graph;
    graph.through = graph.cursor.day;
    (Arc::new(graph), records)
}
