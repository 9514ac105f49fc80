//! One dream: a log and a graph in, a graph, a story and a report out. `dream` takes the whole log, `PagedDream` one
//! page after the other.

use crate::calendar::day_of;
use crate::config::{Config, Terms, Valence};
use crate::consolidate::{Dreamer, chained};
use crate::graph::{Body, Cursor, Graph, ReflectionBody};
use crate::legacy;
use crate::narrate::{self, Summary};
use crate::record::Record;
use crate::wording::Wordings;
use serde::Serialize;
use std::borrow::Cow;

/// What a dream did. Counts of nodes are of those remembered.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Report {
    pub agent: String,
    /// Records that were there, and those of them that are new to the graph.
    pub events_extracted: u64,
    pub events_dreamt: u64,
    /// Records later than the last night: they wait.
    pub events_waiting: u64,
    pub nodes_before: u64,
    pub nodes_after: u64,
    pub pruned: u64,
    pub reinforced: u64,
    pub reflections: u64,
    pub facts: u64,
    pub facts_open: u64,
    /// Where valences came from; left out where it was the log.
    #[serde(skip_serializing_if = "is_recorded")]
    pub valence: Valence,
    /// The last night slept through, as a date.
    pub through: String,
    pub cursor_seq: u64,
    pub clock_jumps: u64,
    /// Why the graph was made anew, where it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rebuilt: Option<String>,
    /// What somebody should know.
    pub notices: Vec<String>,
    pub summary_tokens: u64,
    /// Of the story. That of the graph's document is told by whoever writes it.
    pub summary_hash: String,
}

fn is_recorded(valence: &Valence) -> bool {
    *valence == Valence::Recorded
}

#[derive(Clone, Debug)]
pub struct Dream {
    /// Its document is `Graph::write_json`.
    pub graph: Graph,
    pub summary: Summary,
    pub report: Report,
}

impl Dream {
    /// Tells the story anew with insights in other words. The graph stays as it is.
    pub fn reword(&mut self, wordings: &Wordings, tokens_max: usize) {
        self.summary = narrate::summary_in_words(&self.graph, tokens_max, wordings);
        self.report.summary_tokens = self.summary.tokens as u64;
        self.report.summary_hash = crate::graph::content_hash(self.summary.text.as_bytes());
    }
}

/// Dreams. `records` come by rising seq, each once (`Reader::finish` and the database give them so); they may be the
/// whole log or only what came after the graph's cursor.
///
/// Where the whole log is there and does not go on from what the graph was made of, or the terms are others, the graph
/// is made anew. Records whose day is after `config.through` wait, unless a later record is of that day or before:
/// then it was the clock that was wrong, and they count as of the record before them.
pub fn dream(graph: Option<Graph>, records: &[Record], config: &Config) -> Dream {
    let mut report = Report { agent: config.agent.clone(), ..Report::default() };
    // A night that was slept through is not taken back.
    let slept = graph.as_ref().map_or(config.through, |graph| graph.through);
    let config = &Config { through: config.through.max(slept), ..config.clone() };
    report.events_extracted = records.len() as u64;
    let (records, waiting) = up_to(records, config);
    report.events_waiting = waiting;
    let (graph, inherited) = start(graph, &records, config, &mut report);
    let before = graph.alive_count() as u64;
    let mut dreamer = Dreamer::new(graph);
    for record in records.iter() {
        dreamer.feed(record);
    }
    finish(dreamer, before, inherited, config, report)
}

/// What comes of a dreamer that was fed. `before` is how many nodes were remembered before that.
fn finish(dreamer: Dreamer, before: u64, inherited: bool, config: &Config, mut report: Report) -> Dream {
    let tally = dreamer.tally;
    let mut graph = dreamer.into_graph();
    graph.through = config.through;
    let day = graph.cursor.day;
    let mut created = tally.created;
    if inherited {
        created += legacy::receive(&mut graph, &config.inherit, day.max(config.through));
    }
    let after = graph.alive_count() as u64;
    let summary = narrate::summary(&graph, config.summary_tokens_max);
    report.events_dreamt = tally.records;
    report.nodes_before = before + created;
    report.nodes_after = after;
    report.pruned = (before + created).saturating_sub(after);
    report.reinforced = tally.reinforced;
    report.reflections = tally.reflections;
    report.facts = graph.facts.len() as u64;
    report.facts_open = graph.facts.open_count() as u64;
    report.valence = graph.terms.valence;
    report.through = crate::calendar::iso_day(graph.through);
    report.cursor_seq = graph.cursor.seq;
    report.clock_jumps = tally.clock_jumps;
    if tally.clock_jumps > 0 {
        let what =
            format!("{} records have a time before that of an earlier one; they count as of it", tally.clock_jumps);
        report.notices.push(what);
    }
    report.summary_tokens = summary.tokens as u64;
    report.summary_hash = crate::graph::content_hash(summary.text.as_bytes());
    Dream { graph, summary, report }
}

/// A dream of a log that is read page by page, so that the whole of it is never in memory. It gives the same bytes as
/// `dream` where it gives anything; a log that has to be seen as a whole it leaves to `dream`.
pub struct PagedDream {
    dreamer: Dreamer,
    before: u64,
    terms: Terms,
    /// What the graph was made of: the last record, how many there were, the hash over them.
    made_of: Option<Cursor>,
    /// Of the records so far that are in the graph already.
    known: Known,
    records: u64,
    last_seq: u64,
    day_max: i32,
    needs_whole: bool,
}

impl PagedDream {
    /// Goes on from `graph`, or begins. `config.through` is of no account yet.
    pub fn new(graph: Option<Graph>, config: &Config) -> PagedDream {
        let needs_whole = graph.as_ref().is_some_and(|graph| graph.terms != config.terms || graph.outdated);
        let made_of = graph.as_ref().map(|graph| graph.cursor.clone());
        let graph = graph.unwrap_or_else(|| Graph::new(&config.agent, config.terms.clone()));
        PagedDream {
            before: graph.alive_count() as u64,
            dreamer: Dreamer::new(graph),
            terms: config.terms.clone(),
            made_of,
            known: Known::default(),
            records: 0,
            last_seq: 0,
            day_max: i32::MIN,
            needs_whole,
        }
    }

    /// Takes up the next record. False where the log has to be seen as a whole: it is out of order, or not the one that
    /// the graph was made of. Then no more is of use.
    #[must_use]
    pub fn feed(&mut self, record: &Record) -> bool {
        let in_order = self.records == 0 || record.seq > self.last_seq;
        self.needs_whole |= !in_order;
        if self.needs_whole {
            return false;
        }
        (self.records, self.last_seq) = (self.records + 1, record.seq);
        self.day_max = self.day_max.max(day_of(record.at_ms, self.terms.utc_offset_minutes));
        match &self.made_of {
            Some(cursor) if record.seq <= cursor.seq => self.known.take(record),
            _ => self.dreamer.feed(record),
        }
        true
    }

    /// What comes of it, through the night of the configuration. None where the log has to be seen as a whole.
    pub fn finish(self, config: &Config) -> Option<Dream> {
        let slept = self.made_of.as_ref().map_or(config.through, |_| self.dreamer.graph.through);
        let config = &Config { through: config.through.max(slept), ..config.clone() };
        // Records that would wait, and clocks that were wrong.
        let ahead = self.records > 0 && self.day_max > config.through;
        let mut report = Report { agent: config.agent.clone(), events_extracted: self.records, ..Report::default() };
        if let Some(cursor) = &self.made_of {
            let whole = self.known.is_whole(cursor, self.records);
            if whole && self.known.chain != cursor.chain {
                return None;
            }
            report.notices.extend(self.known.missing(cursor, whole));
        }
        if self.needs_whole || ahead || self.terms != config.terms {
            return None;
        }
        Some(finish(self.dreamer, self.before, true, config, report))
    }
}

/// Records that a graph was made of, as far as the log still has them.
#[derive(Clone, Copy, Default)]
struct Known {
    count: u64,
    chain: u64,
}

impl Known {
    fn take(&mut self, record: &Record) {
        self.chain = chained(self.chain, record);
        self.count += 1;
    }

    /// Whether the log is there from its beginning.
    fn is_whole(self, cursor: &Cursor, records: u64) -> bool {
        self.count >= cursor.count && records > 0
    }

    /// What somebody should know of records that are gone.
    fn missing(self, cursor: &Cursor, whole: bool) -> Option<String> {
        let missing = cursor.count.checked_sub(self.count).filter(|_| self.count > 0 && !whole)?;
        Some(format!("{missing} older records are no longer in the log; what is remembered of them stays"))
    }
}

/// The records up to the last night, with wrong clocks set right, and how many wait.
fn up_to<'a>(records: &'a [Record], config: &Config) -> (Cow<'a, [Record]>, u64) {
    let day = |record: &Record| day_of(record.at_ms, config.terms.utc_offset_minutes);
    let end = records.iter().rposition(|record| day(record) <= config.through).map_or(0, |last| last + 1);
    let waiting = (records.len() - end) as u64;
    let records = &records[..end];
    if records.iter().all(|record| day(record) <= config.through) {
        return (Cow::Borrowed(records), waiting);
    }
    let mut set_right = records.to_vec();
    let mut before = i64::MIN;
    for record in &mut set_right {
        if day_of(record.at_ms, config.terms.utc_offset_minutes) > config.through {
            record.at_ms = before;
        }
        before = before.max(record.at_ms);
    }
    // One at the very beginning has no record before it: it goes with the first that can be believed.
    if let Some(first) = set_right.iter().map(|record| record.at_ms).find(|at_ms| *at_ms != i64::MIN) {
        for record in set_right.iter_mut().filter(|record| record.at_ms == i64::MIN) {
            record.at_ms = first;
        }
    }
    (Cow::Owned(set_right), waiting)
}

/// The graph to begin with, and whether to take over what others hand down.
fn start(graph: Option<Graph>, records: &[Record], config: &Config, report: &mut Report) -> (Graph, bool) {
    let anew = || Graph::new(&config.agent, config.terms.clone());
    let Some(mut graph) = graph else { return (anew(), true) };
    let mut known = Known::default();
    records.iter().take_while(|record| record.seq <= graph.cursor.seq).for_each(|record| known.take(record));
    let whole = known.is_whole(&graph.cursor, records.len() as u64);
    let reason = if graph.terms != config.terms {
        Some("the terms of the dream are others")
    } else if whole && known.chain != graph.cursor.chain {
        Some("the log is another than the one it was made of")
    } else if graph.outdated {
        Some("it was made by an older program")
    } else {
        None
    };
    match reason {
        Some(why) if whole => {
            report.rebuilt = Some(why.to_string());
            let mut fresh = anew();
            hand_over(&graph, &mut fresh);
            (fresh, true)
        }
        Some(why) => {
            report
                .notices
                .push(format!("{why}, but the log is not there from its beginning: what is remembered stays"));
            graph.terms = config.terms.clone();
            graph.outdated = false;
            (graph, true)
        }
        None => {
            report.notices.extend(known.missing(&graph.cursor, whole));
            (graph, true)
        }
    }
}

/// What was handed down by others is in no log of this agent: it goes over to a graph that is made anew.
fn hand_over(from: &Graph, to: &mut Graph) {
    for node in from.net.node_weights() {
        if let Body::Reflection(reflection) = &node.body
            && reflection.from_agent.is_some()
        {
            let body: Box<ReflectionBody> = reflection.clone();
            let key = body.key.clone();
            let mut node = node.clone();
            node.body = Body::Reflection(body);
            let index = to.add(node);
            to.set_reflection(key, index);
        }
    }
}
