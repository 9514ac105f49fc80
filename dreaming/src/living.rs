//! Memories of somebody who is awake: a graph and what finds things in it, kept up to date record by record.
//!
//! The index is made lazily, when somebody first asks: most who play never do, and it is as large as the graph.
//! Invariant: whatever is found is what would be found had everything been dreamt at once and the index been made of
//! that. A record costs what it changes; where nights have passed with it, and on a new day, the index is of no use any
//! more and is made anew by the next question.

use crate::config::Inherited;
use crate::consolidate::Dreamer;
use crate::graph::{Changes, Graph};
use crate::legacy;
use crate::record::Record;
use crate::retrieve::{Lists, Query, Recall, Scratch, View};

/// Records at once beyond which making the index anew is cheaper than following each, in parts of what is in it.
const FOLLOWED_PART: usize = 20;

pub struct Living {
    dreamer: Dreamer,
    /// The index; `None`: nobody has asked since it was last of no use.
    lists: Option<Lists>,
    /// How often the index was made, not followed.
    indexed: u64,
}

impl Living {
    /// `records` come by rising seq; those that the graph has are passed over. `through` is today.
    pub fn new(graph: Graph, records: &[Record], through: i32) -> Living {
        let mut dreamer = Dreamer::new(graph);
        records.iter().for_each(|record| dreamer.feed(record));
        dreamer.graph.through = dreamer.graph.through.max(through);
        Living { dreamer, lists: None, indexed: 0 }
    }

    /// Takes up what happened since. `through` is today; a day that is over is not taken back.
    pub fn live_on(&mut self, records: &[Record], through: i32) {
        let mut changes = Changes::default();
        let followed_max = self.lists.as_ref().map_or(0, |lists| lists.len() / FOLLOWED_PART + 1);
        let mut follows = records.len() <= followed_max;
        for record in records {
            self.dreamer.feed(record);
            follows = follows && self.dreamer.last_changes(&mut changes);
        }
        if through > self.dreamer.graph.through {
            self.dreamer.graph.through = through;
            follows = false;
        }
        changes.nodes.sort_unstable();
        changes.nodes.dedup();
        changes.facts.sort_unstable();
        changes.facts.dedup();
        let graph = &self.dreamer.graph;
        self.lists =
            self.lists.take().filter(|_| follows).and_then(|mut lists| lists.follow(graph, &changes).then_some(lists));
    }

    /// Takes up what was handed down since. What was there already changes nothing.
    pub fn receive(&mut self, items: &[Inherited]) {
        if !legacy::is_known(&self.dreamer.graph, items) {
            let night = self.dreamer.graph.through;
            legacy::receive(&mut self.dreamer.graph, items, night);
            self.lists = None;
        }
    }

    pub fn graph(&self) -> &Graph {
        &self.dreamer.graph
    }

    /// Finds the best `k`.
    pub fn recall(&mut self, query: &Query, scratch: &mut Scratch) -> Recall {
        let graph = &self.dreamer.graph;
        let indexed = &mut self.indexed;
        let lists = self.lists.get_or_insert_with(|| {
            *indexed += 1;
            Lists::new(graph, true)
        });
        View { graph, lists }.recall(query, scratch)
    }

    /// Whether there is nothing that could be found.
    pub fn is_empty(&self) -> bool {
        match &self.lists {
            Some(lists) => lists.is_empty(),
            None => !Lists::has_any(&self.dreamer.graph),
        }
    }

    /// How often all of the index was made, and not only what had changed.
    pub fn indexed(&self) -> u64 {
        self.indexed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calendar::day_of;
    use crate::config::Terms;
    use crate::retrieve::Index;
    use crate::synthetic::{AGENT, Dice, Life, Shape};
    use proptest::prelude::*;
    use std::sync::Arc;

    /// Questions about whoever and whatever is in the graph, and those that come to mind.
    const QUESTIONS: [&str; 8] = [
        "Who betrayed me?",
        "Who has a sword now?",
        "What happened yesterday?",
        "friend",
        "place room",
        "Was I helped by the one who gave me a gift?",
        "insight",
        "",
    ];

    fn answers(living: &mut Living, at_once: &Index, tick: u64) -> Result<(), TestCaseError> {
        let present: Vec<String> =
            living.graph().names.find("room:3001").map(|_| "room:3001".into()).into_iter().collect();
        let names = &living.graph().names;
        let names = (0..names.len() as u32).step_by(5).map(|name| names.name(name).to_string());
        let questions: Vec<String> = QUESTIONS.iter().map(|words| words.to_string()).chain(names).collect();
        let (mut ours, mut theirs) = (Scratch::default(), Scratch::default());
        for words in &questions {
            for query in [Query::question(words, tick), Query::moment(words, &present, tick)] {
                prop_assert_eq!(living.recall(&query, &mut ours), at_once.recall(&query, &mut theirs), "{}", words);
            }
        }
        Ok(())
    }

    #[test]
    fn the_index_is_made_by_the_first_question_and_followed_from_then_on() {
        let records: Vec<Record> = Life::new(Shape { events_per_day: 400, ..Shape::default() }).take(300).collect();
        let today = day_of(records[299].at_ms, 0);
        let mut living = Living::new(Graph::new(AGENT, Terms::default()), &records[..280], today);
        assert!(living.lists.is_none() && !living.is_empty(), "nobody has asked");
        living.live_on(&records[280..290], today);
        assert!(living.lists.is_none(), "still nobody");
        let mut scratch = Scratch::default();
        let ask = |living: &mut Living, scratch: &mut Scratch| {
            living.recall(&Query::question("Who betrayed me?", records[299].tick), scratch);
            living.indexed()
        };
        assert_eq!(ask(&mut living, &mut scratch), 1);
        living.live_on(&records[290..291], today);
        assert_eq!(ask(&mut living, &mut scratch), 1, "it was followed");
        living.live_on(&records[291..], today + 1);
        assert!(living.lists.is_none(), "a new day");
        assert_eq!(ask(&mut living, &mut scratch), 2);
        assert!(Living::new(Graph::new(AGENT, Terms::default()), &[], today).is_empty());
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 12, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn living_on_finds_what_dreaming_at_once_finds(seed in 0u64..1_000, per_day in 20u32..400, kept in 0usize..300,
            cap in prop_oneof![Just(200_000usize), 40usize..200]
        ) {
            let shape = Shape {
                seed, events_per_day: per_day, mobs: 30, players: 8, rooms: 40, items: 20, ..Shape::default()
            };
            let mut dice = Dice::new(seed);
            let records: Vec<Record> = Life::new(shape).take(700).collect();
            let terms = Terms { events_max: cap, ..Terms::default() };
            let day = |record: &Record| day_of(record.at_ms, 0);
            let fresh = || Graph::new(AGENT, terms.clone());
            // Some of it was dreamt and kept by a night before.
            let mut night = Dreamer::new(fresh());
            records[..kept].iter().for_each(|record| night.feed(record));
            let graph = Graph::from_json(&night.graph.to_json(), AGENT).expect("just written");
            let (mut from, first) = (kept, kept + dice.below(300));
            let mut living = Living::new(graph, &records[..first], day(&records[first]));
            while from < records.len() {
                let to = (from + 1 + if dice.chance(10) { dice.below(90) } else { dice.below(3) }).min(records.len());
                // Now and then from before, as the database may give what was on its way too.
                let given = &records[from.saturating_sub(dice.below(3))..to];
                let today = day(&records[to - 1]);
                living.live_on(given, today);
                if dice.chance(70) {
                    living.recall(&Query::question("", 0), &mut Scratch::default());
                }
                from = to;
                if dice.chance(12) || to == records.len() {
                    let mut at_once = Dreamer::new(fresh());
                    records[..to.max(first)].iter().for_each(|record| at_once.feed(record));
                    at_once.graph.through = living.graph().through;
                    prop_assert_eq!(living.graph().to_json(), at_once.graph.to_json());
                    let anew = Lists::new(living.graph(), false);
                    prop_assert_eq!(living.is_empty(), anew.is_empty());
                    if let Some(lists) = &living.lists {
                        prop_assert_eq!(lists.listing(living.graph()), anew.listing(living.graph()));
                    }
                    let tick = at_once.graph.cursor.tick;
                    answers(&mut living, &Index::new(Arc::new(at_once.graph)), tick)?;
                }
            }
            // It lives on, and is not made anew each time.
            let days = (day(&records[699]) - day(&records[kept])) as u64;
            prop_assert!(living.indexed() < 60 + 2 * days, "{} times in {days} days", living.indexed());
        }
    }
}
