//! Insights: what happened with somebody or somewhere since a day, counted anew.

use super::Verdict;
use super::past::{Entry, Past};
use crate::graph::Tally;
use mind::happenings::{Deed, Tie};
use protocol::happening::Role;
use std::collections::BTreeSet;

/// What a number of the records is called, in the order of a sentence.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    pub won: u32,
    pub shared: u32,
    pub fled: u32,
    pub died: u32,
    pub wounds: u32,
    pub gifts: u32,
    pub helped: u32,
    pub kind: u32,
    pub harsh: u32,
    pub robbed: u32,
    pub betrayed: u32,
    pub found: u32,
    pub dealt: u32,
    pub good: u32,
}

impl Counts {
    pub fn harm(&self) -> u32 {
        self.died + self.fled + self.wounds + self.robbed + self.betrayed
    }

    fn add(&mut self, entry: &Entry) {
        let (did, suffered) = (entry.role == Role::Did, entry.role == Role::Suffered);
        let tie = entry.deed.kind().tie;
        let help = tie == Tie::Help;
        let one = u32::from;
        self.won += one(entry.deed == Deed::Killed && did);
        self.died += one(entry.deed == Deed::Killed && suffered);
        self.shared += one(entry.deed == Deed::Assisted);
        self.fled += one(entry.deed == Deed::Fled && did);
        self.wounds += one(entry.deed == Deed::Wounded && suffered);
        self.gifts += one(entry.deed == Deed::Given && suffered);
        self.helped += one(help && suffered);
        self.kind += one(entry.deed == Deed::SaidKindly && suffered);
        self.harsh += one(matches!(entry.deed, Deed::Insulted | Deed::Threatened) && suffered);
        self.robbed += one(entry.deed == Deed::Stolen && suffered);
        self.betrayed += one(entry.deed == Deed::Betrayed && !did);
        self.found += one(entry.deed == Deed::Acquired && did);
        let trade = matches!(entry.deed, Deed::Bought | Deed::Sold);
        let side_by_side = entry.deed == Deed::Assisted;
        self.dealt += one((did || suffered) && (trade || help || side_by_side || tie == Tie::Social));
        self.good += one((did || suffered) && (help || entry.deed == Deed::Given));
    }
}

/// What happened with a key from a time on.
pub fn counted(past: &Past, key: &str, from_ms: i64, from: u64) -> Counts {
    let mut counts = Counts::default();
    let room = key.starts_with("room:");
    for at in past.of.get(key).into_iter().flatten() {
        let entry = &past.all[*at];
        let about = if room { entry.room == key } else { entry.other() == Some(key) };
        if about && entry.at_ms >= from_ms && entry.record.seq >= from {
            counts.add(entry);
        }
    }
    counts
}

/// The first records from which on a day may be meant: those of that day that have to do with the key.
pub fn begins(past: &Past, key: &str, date: &str) -> Vec<u64> {
    let entries = past.of.get(key).into_iter().flatten().map(|at| &past.all[*at]);
    entries.filter(|entry| entry.date == date).map(|entry| entry.record.seq).collect()
}

fn times(n: u32) -> String {
    match n {
        1 => "once".into(),
        2 => "twice".into(),
        n => format!("{n} times"),
    }
}

fn row(parts: &[(&str, u32)]) -> String {
    let told: Vec<String> =
        parts.iter().filter(|(_, n)| *n > 0).map(|(verb, n)| format!("{verb} {}", times(*n))).collect();
    match told.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What may be said of a key with such counts; empty where nothing may.
fn sentence(past: &Past, key: &str, c: &Counts) -> String {
    let name = raw_name(past, key);
    if key.starts_with("room:") {
        let parts = [
            ("died", c.died),
            ("saw betrayal", c.betrayed),
            ("fled", c.fled),
            ("was badly hurt", c.wounds),
            ("won", c.won),
            ("found something", c.found),
        ];
        let (good, bad) = (c.won + c.found, c.died + c.betrayed + c.fled + c.wounds);
        let verdict = if bad == 0 && good < 3 {
            return String::new();
        } else if bad == 0 {
            "a good place"
        } else if c.died > 0 || bad > good {
            "a dangerous place"
        } else {
            "a place of ups and downs"
        };
        return format!("{name} is {verdict}: there I {}", row(&parts));
    }
    let deeds = row(&[
        ("betrayed", c.betrayed),
        ("stole", c.robbed),
        ("was hostile in words", c.harsh),
        ("helped me", c.helped),
        ("gave me something", c.gifts),
        ("spoke kindly", c.kind),
    ]);
    let mut said = Vec::new();
    if !deeds.is_empty() {
        let bad = c.betrayed > 0 || c.robbed + c.harsh > c.helped + c.gifts + c.kind;
        let verdict = if bad { "is not to be trusted" } else { "can be trusted so far" };
        said.push(format!("{name} {deeds} and {verdict}"));
    }
    let (won, lost) = (c.won + c.shared, c.fled + c.died);
    if won + lost > 0 {
        let against = if past.is_player(key) { "against " } else { "" };
        let ends = row(&[("won", won), ("fled", c.fled), ("died", c.died), ("was badly hurt", c.wounds)]);
        let verdict = match () {
            () if c.died > 0 && lost >= won => "too strong for me",
            () if 2 * lost > won => "a hard fight",
            () if 2 * c.wounds > won + lost => "a costly fight",
            () => "a fight that I win",
        };
        said.push(format!("fighting {against}{name} I {ends}: {verdict}"));
    }
    let text = said.join("; ");
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// As it is written in the records: the whole sentence is put on one line afterwards.
fn raw_name(past: &Past, key: &str) -> String {
    past.raw(key).to_string()
}

pub fn judge(past: &Past, text: &str, evidence: &[u64]) -> Verdict {
    let (_, date) = text.rsplit_once(" (since ").ok_or("no insight is like this")?;
    let date = date.strip_suffix(").").ok_or("no insight is like this")?;
    let cited = past.entries(evidence)?;
    // Whom all of it was about.
    let mut keys: BTreeSet<&str> = cited[0].other().into_iter().chain([cited[0].room.as_str()]).collect();
    keys.retain(|key| cited.iter().all(|entry| entry.other() == Some(*key) || entry.room == *key));
    let mut known = Vec::new();
    for key in keys {
        let mut said: BTreeSet<String> = BTreeSet::new();
        for from in begins(past, key, date) {
            said.insert(format!("{} (since {date}).", sentence(past, key, &counted(past, key, i64::MIN, from))));
        }
        if said.iter().any(|said| super::past::cut(said, 300) == text || said == text) {
            return Ok(());
        }
        known.extend(said.into_iter().next());
    }
    Err(format!("the records say: {}", known.join(" / ")))
}

/// Whether a tally is what the records have from a time on.
pub fn counts_as(past: &Past, key: &str, from_ms: i64, tally: &Tally) -> Verdict {
    let counts = counted(past, key, from_ms, 0);
    let said = Counts {
        won: tally.won,
        shared: tally.shared,
        fled: tally.fled,
        died: tally.died,
        wounds: tally.wounds,
        gifts: tally.gifts,
        helped: tally.helped,
        kind: tally.kind,
        harsh: tally.harsh,
        robbed: tally.robbed,
        betrayed: tally.betrayed,
        found: tally.found,
        dealt: tally.dealt,
        good: tally.good,
    };
    if key.starts_with("item:") || key.starts_with("me:") || counts == said {
        return Ok(());
    }
    Err(format!("of {key} it counts {said:?}, the records {counts:?}"))
}
