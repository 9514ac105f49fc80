//! The minds of one body as the server's API tells of them, kept together from one answer to the next, and drawn: as
//! text in three panels (`panels.rs`) and as a page of HTML (`page.rs`).
//!
//! Invariants: pure; whatever minds wrote is data, without control characters when it comes in, and escaped in HTML.

mod page;
mod panels;

pub use page::page;
pub use panels::panels;

use mind::council::routing::Sense;
use mind::counsel::{Dispute, Memo, Proposed};
use mind::plans::Plans;
use protocol::minds::MindName;
use protocol::names::clean_text;
use protocol::words::capitalised;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Entries that a view holds, the newest.
const HELD_MAX: usize = 1_000;

/// One answer of `GET /api/v1/minds/{name}/council`.
#[derive(Clone, Debug, Deserialize)]
pub struct Told {
    name: String,
    upto: u64,
    complete: bool,
    entries: Vec<Entry>,
    minds: Vec<ToldMind>,
    memo: Memo,
    proposals: Vec<Proposed>,
    conflicts: Vec<Dispute>,
}

/// One entry of a log, in words.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Entry {
    pub seq: u64,
    pub log: MindName,
    pub tick: u64,
    pub at: String,
    pub text: String,
    pub event: Kind,
}

#[derive(Clone, PartialEq, Debug, Deserialize)]
pub struct Kind {
    pub kind: String,
}

#[derive(Clone, Debug, Deserialize)]
struct ToldMind {
    mind: MindName,
    side: Option<String>,
    stream: Vec<Spot>,
    plans: Plans,
}

#[derive(Clone, Copy, Debug, Deserialize)]
struct Spot {
    seq: u64,
    #[serde(rename = "type")]
    sense: Sense,
}

/// What one mind has before it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct MindView {
    pub side: String,
    pub stream: BTreeMap<u64, Sense>,
    pub plans: Plans,
}

/// All that was told so far.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct View {
    pub name: String,
    /// The input of the newest entry: what to ask for next.
    pub upto: u64,
    /// Entries between two answers were left out.
    pub has_gap: bool,
    pub entries: BTreeMap<u64, Entry>,
    pub minds: BTreeMap<MindName, MindView>,
    pub memo: Memo,
    pub proposals: Vec<Proposed>,
    pub conflicts: Vec<Dispute>,
}

impl View {
    pub fn take(&mut self, told: Told) {
        let Told { name, upto, complete, entries, minds, memo, proposals, conflicts } = told;
        self.has_gap |= self.upto > 0 && !complete;
        (self.name, self.upto) = (capitalised(&clean_text(&name)), upto);
        (self.memo, self.proposals, self.conflicts) = (memo, proposals, conflicts);
        self.entries.extend(entries.into_iter().map(|entry| (entry.seq, entry)));
        while self.entries.len() > HELD_MAX {
            self.entries.pop_first();
        }
        let first = self.entries.first_key_value().map_or(0, |(seq, _)| *seq);
        for ToldMind { mind, side, stream, plans } in minds {
            let view = self.minds.entry(mind).or_default();
            view.side = side.unwrap_or_default();
            view.plans = plans;
            view.stream.extend(stream.into_iter().map(|spot| (spot.seq, spot.sense)));
            view.stream.retain(|seq, _| *seq >= first);
        }
    }

    /// The tick of the newest entry.
    pub fn tick(&self) -> u64 {
        self.entries.values().map(|entry| entry.tick).max().unwrap_or(0)
    }

    pub fn side(&self, mind: MindName) -> &str {
        self.minds.get(&mind).map_or("", |view| view.side.as_str())
    }

    /// A mind's stream, oldest first.
    pub fn stream(&self, mind: MindName) -> Vec<(Sense, &Entry)> {
        let stream = self.minds.get(&mind).into_iter().flat_map(|view| &view.stream);
        stream.filter_map(|(seq, sense)| Some((*sense, self.entries.get(seq)?))).collect()
    }

    /// What OBSERVER has beside the streams of the two others: what it thought, in what they differed, what was
    /// chosen.
    pub fn observed(&self) -> Vec<(Sense, &Entry)> {
        let is_own = |entry: &Entry| {
            entry.log == MindName::Observer
                || matches!(entry.event.kind.as_str(), "conflict" | "conflict.outcome" | "proposal.outcome")
        };
        self.stream(MindName::Observer).into_iter().filter(|(_, entry)| is_own(entry)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    pub(super) fn told(upto: u64) -> Told {
        let entry = |seq: u64, log: &str, kind: &str, text: &str| {
            json!({"seq": seq, "log": log, "turn": seq, "tick": seq, "at": "2026-11-26T18:45:29.000Z", "text": text,
                "event": {"kind": kind}})
        };
        serde_json::from_value(json!({
            "name": "ann", "upto": upto, "complete": true,
            "entries": [
                entry(1, "body", "proposal.make", "INNER proposes: <b>kill</b> rat"),
                entry(2, "body", "proposal.make", "OUTER proposes: north"),
                entry(3, "body", "conflict", "#1 and #2 do not go together (command)"),
                entry(4, "body", "proposal.outcome", "OBSERVER chooses #2 of OUTER"),
                entry(5, "inner", "thought", "thought: oh, well"),
            ],
            "minds": [
                {"mind": "body", "side": null, "stream": [], "plans": []},
                {"mind": "inner", "side": "Instinct", "plans": [],
                 "stream": [{"seq": 1, "type": "THOUGHT"}, {"seq": 2, "type": "OBSERVATION"},
                    {"seq": 5, "type": "THOUGHT"}]},
                {"mind": "outer", "side": "Reason", "stream": [{"seq": 4, "type": "ACTION"}], "plans": [
                    {"id": 9, "text": "a well", "status": "IN_PROGRESS", "tick": 2,
                     "steps": [{"text": "dig", "done": true}, {"for": "inner", "text": "rest"}]}]},
                {"mind": "observer", "side": "both", "plans": [], "stream": [
                    {"seq": 1, "type": "OBSERVATION"}, {"seq": 3, "type": "OBSERVATION"},
                    {"seq": 4, "type": "OBSERVATION"}, {"seq": 5, "type": "OBSERVATION"}]},
            ],
            "memo": {"head": 1, "entries": [
                {"id": 6, "from": "inner", "to": "OUTER", "type": "REQUEST", "tick": 5,
                 "content": "\u{1b}[31mroads & <i>"}]},
            "proposals": [{"id": 7, "mind": "inner", "line": "sit", "fate": "open", "tick": 5}],
            "conflicts": [],
        }))
        .expect("an answer")
    }

    pub(super) fn view() -> View {
        let mut view = View::default();
        view.take(told(6));
        view
    }

    #[test]
    fn answers_are_laid_one_over_the_other() {
        let mut view = view();
        let mut later = told(9);
        later.entries.retain(|entry| entry.seq == 5);
        later.entries[0].seq = 8;
        later.minds[1].stream = vec![Spot { seq: 8, sense: Sense::Thought }];
        view.take(later.clone());
        let seqs: Vec<u64> = view.stream(MindName::Inner).iter().map(|(_, entry)| entry.seq).collect();
        assert_eq!((seqs, view.upto, view.has_gap), (vec![1, 2, 5, 8], 9, false));
        later.complete = false;
        view.take(later);
        assert!(view.has_gap);
        let own: Vec<u64> = view.observed().iter().map(|(_, entry)| entry.seq).collect();
        assert_eq!(own, [3, 4]);
    }
}
