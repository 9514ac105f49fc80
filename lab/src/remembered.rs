//! What the world records for the minds of its players, checked record by record and summed up.
//!
//! Invariants, for each owner: numbers rise over records and requests of the mind together, and none comes twice, over
//! all visits; the owner is who its role says; it is no witness to itself; nobody who is named is a witness as well.

use dreaming::calendar::MS_PER_TICK;
use dreaming::{Record, Terms};
use memory_lab::counts::untrue::{Judged, judged};
use protocol::happening::{Happening, Role, WITNESSES_MAX, What};
use protocol::outcome::WhoKind;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::{DefaultHasher, Hasher};
use world::Report;
use world::report::Request;

/// When tick 0 was, for dreams of what happened: a summer's morning, ms since 1970.
const EPOCH_MS: i64 = 1_783_332_000_000;

#[derive(Default)]
pub struct Remembered {
    /// By kind, as the JSON names it.
    pub kinds: BTreeMap<String, u64>,
    /// Keeps the records, so that what is dreamt of them can be judged.
    pub keep: bool,
    kept: BTreeMap<String, Vec<Record>>,
    /// The highest number of each owner.
    last: BTreeMap<String, u64>,
    hash: DefaultHasher,
}

impl Remembered {
    /// Takes what a report has, and says what is wrong with it.
    pub fn take(&mut self, report: &Report) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut numbers: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for request in &report.requests {
            if let Request::Mind(asked) = request {
                let given = numbers.entry(&asked.name).or_default();
                given.extend((asked.first..).take(usize::from(asked.numbers)));
            }
        }
        let mut heard: BTreeMap<&str, u64> = BTreeMap::new();
        for overheard in &report.overheard {
            numbers.entry(&overheard.name).or_default().push(overheard.seq);
            let last = heard.insert(&overheard.name, overheard.seq);
            if last.is_some_and(|last| last >= overheard.seq) {
                wrong.push(format!("{} heard {} after {last:?}", overheard.name, overheard.seq));
            }
            self.hash.write(format!("{:?}", (overheard.seq, &overheard.name, &overheard.talk)).as_bytes());
        }
        let mut before: BTreeMap<&str, u64> = BTreeMap::new();
        for recorded in &report.recorded {
            numbers.entry(&recorded.name).or_default().push(recorded.seq);
            let last = before.insert(&recorded.name, recorded.seq);
            if last.is_some_and(|last| last >= recorded.seq) {
                wrong.push(format!("{} remembers {} after {last:?}", recorded.name, recorded.seq));
            }
            let h = &*recorded.happening;
            wrong.extend(faults(h, &recorded.name, report.number).map(|what| format!("{what}: {recorded:?}")));
            let text = serde_json::to_string(recorded_parts(recorded.seq, &recorded.name, h).as_slice());
            self.hash.write(text.expect("records are plain data").as_bytes());
            *self.kinds.entry(kind(&h.what)).or_default() += 1;
            if self.keep {
                let (seq, tick, happening) = (recorded.seq, report.tick, h.clone());
                let at_ms = EPOCH_MS + tick as i64 * MS_PER_TICK;
                self.kept.entry(recorded.name.to_string()).or_default().push(Record { seq, tick, at_ms, happening });
            }
        }
        for (name, mut given) in numbers {
            given.sort_unstable();
            let last = self.last.entry(name.to_string()).or_default();
            for number in given {
                if number <= *last {
                    wrong.push(format!("the number {number} of {name} comes after {last}"));
                }
                *last = number;
            }
        }
        wrong
    }

    /// Has every owner dream of what was kept, and judges each sentence that is told of it by the records.
    pub fn judged(&self) -> Judged {
        let mut all = Judged::default();
        self.kept.iter().for_each(|(name, records)| all.add(judged(name, records, &Terms::default())));
        all
    }

    /// Of all records so far, in order.
    pub fn hash(&self) -> u64 {
        self.hash.finish()
    }
}

impl fmt::Display for Remembered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total: u64 = self.kinds.values().sum();
        write!(f, "{total} records of {} players, hash {:016x}", self.last.len(), self.hash())?;
        self.kinds.iter().try_for_each(|(kind, count)| write!(f, ", {kind} {count}"))
    }
}

fn recorded_parts(seq: u64, name: &str, happening: &Happening) -> [serde_json::Value; 3] {
    [seq.into(), name.into(), serde_json::to_value(happening).expect("records are plain data")]
}

/// `killed`, `met`, …
pub fn kind(what: &What) -> String {
    let json = serde_json::to_value(what).expect("records are plain data");
    json.as_object().and_then(|object| object.keys().next()).expect("one key").clone()
}

fn faults(h: &Happening, owner: &str, input: u64) -> impl Iterator<Item = &'static str> {
    let mine = match (h.role, h.me()) {
        (Role::Saw, me) => me.is_none() && h.others().all(|who| &*who.name != owner),
        (_, me) => me.is_some_and(|me| &*me.name == owner && me.kind == WhoKind::Player),
    };
    let named = |name: &str| name == owner || h.others().any(|who| &*who.name == name && who.kind == WhoKind::Player);
    let doubled = h.witnesses.iter().any(|who| who.kind == WhoKind::Player && named(&who.name));
    let players = h.witnesses.iter().take_while(|who| who.kind == WhoKind::Player).count();
    let mixed = h.witnesses[players..].iter().any(|who| who.kind == WhoKind::Player);
    let unseen = h.witnesses.iter().any(|who| who.id.is_empty());
    [
        (!mine, "the owner is not who its role says"),
        (doubled, "somebody takes part and stands by"),
        (mixed, "mobs are named before players"),
        (unseen, "nobody is a witness"),
        (h.witnesses.len() > WITNESSES_MAX, "there are too many witnesses"),
        (h.valence.is_some(), "the world has an opinion"),
        (h.social_event_id.is_some_and(|id| id / 1024 != input), "it is of another input"),
    ]
    .into_iter()
    .filter_map(|(is_wrong, what)| is_wrong.then_some(what))
}
