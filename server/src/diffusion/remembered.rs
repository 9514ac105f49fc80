//! What the carriers' minds made of it: whether a log answers `recall` with it, and how many commands were decided with
//! such a memory in the prompt, as far as clients said which memories stood there.
//!
//! Only reads. Invariant: nothing of after the watch counts, and what nobody can say is no zero.

use super::answer::CarrierRow;
use super::subject::Subject;
use crate::store::agent_events::entry_of;
use crate::store::decisions::Cursor;
use crate::store::{Store, decision_archives, logs, memories};
use dreaming::Graph;
use dreaming::log_search::{LogIndex, LogQuery};
use mind::{Event, LogEntry, LogId};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use world::InputNumber;

/// Rows that are read at a time.
const PAGE: i64 = 5_000;

/// What is looked for in logs, and up to where.
pub struct Asked<'a> {
    pub subject: &'a Subject,
    /// As they were given.
    pub words: Option<&'a str>,
    /// What was done to the element.
    pub changes: &'a BTreeSet<u64>,
    /// The last input of the watch.
    pub until: InputNumber,
    /// Entries that tell of it and that the database may not have yet, by log.
    pub on_their_way: &'a BTreeMap<LogId, Vec<Arc<LogEntry>>>,
}

impl Asked<'_> {
    pub async fn fill(&self, store: &Store, rows: &mut [CarrierRow]) -> anyhow::Result<()> {
        for row in rows {
            let log = LogId::from(&*row.key);
            let read = self.read(store, &log).await?;
            row.remembers = Some(read.recalls);
            row.used = self.used(store, &log, row.input, &read.telling).await?;
        }
        Ok(())
    }

    /// Whether an entry tells of it.
    pub fn tells(&self, entry: &LogEntry) -> bool {
        tells(self.subject, self.changes, &entry.event)
    }

    async fn read(&self, store: &Store, log: &LogId) -> anyhow::Result<Read> {
        let (mut index, mut telling) = (LogIndex::new(), BTreeSet::new());
        let (mut after, mut last) = (0, 0);
        loop {
            let rows = logs::after(store, log, after, PAGE).await?;
            let Some(newest) = rows.last() else { break };
            after = newest.seq;
            for row in &rows {
                // Numbers rise with the inputs that brought them.
                if u64::try_from(row.number).is_ok_and(|number| number > self.until) {
                    continue;
                }
                let entry = entry_of(row)?;
                last = entry.seq;
                if self.tells(&entry) {
                    telling.insert(entry.seq);
                }
                index.add(&entry);
            }
        }
        for entry in self.on_their_way.get(log).into_iter().flatten().filter(|entry| entry.seq > last) {
            telling.insert(entry.seq);
            index.add(entry);
        }
        let recalls = match self.words {
            // One entry of the answer that has the words is enough.
            Some(words) if !telling.is_empty() => {
                let query = LogQuery { words: words.to_string(), ..LogQuery::default() };
                index.find(&query).iter().any(|hit| telling.contains(&hit.seq))
            }
            _ => !telling.is_empty(),
        };
        Ok(Read { recalls, telling })
    }

    async fn used(
        &self,
        store: &Store,
        log: &LogId,
        since: InputNumber,
        telling: &BTreeSet<u64>,
    ) -> anyhow::Result<Option<u64>> {
        let graph = graph(store, log).await?;
        let (mut after, mut used, mut is_known) = (Cursor::from(0), 0, false);
        loop {
            let rows = decision_archives::page(store, log.character(), after, i64::MAX, PAGE).await?;
            let Some(newest) = rows.last() else { break };
            after = Cursor::behind(newest);
            for row in &rows {
                let number = u64::try_from(row.number).unwrap_or(0);
                if number <= since || number > self.until {
                    continue;
                }
                let Some(ids) = row.memory_ids.as_deref().and_then(ids_of) else { continue };
                is_known = true;
                let tells = |id: &String| match id.strip_prefix('#').and_then(|seq| seq.parse().ok()) {
                    Some(seq) => telling.contains(&seq),
                    None => {
                        let evidence = graph.as_ref().and_then(|graph| graph.evidence_of(id)).unwrap_or_default();
                        evidence.iter().any(|seq| telling.contains(seq))
                    }
                };
                used += u64::from(ids.iter().any(tells));
            }
        }
        Ok(is_known.then_some(used))
    }
}

struct Read {
    recalls: bool,
    /// Entries that tell of it.
    telling: BTreeSet<u64>,
}

/// Whether what an entry says tells of it.
pub fn tells(subject: &Subject, changes: &BTreeSet<u64>, event: &Event) -> bool {
    let of_happening = match event {
        Event::Happening(happening) => subject.is_told_by(happening, changes),
        _ => false,
    };
    let has_words = || match event {
        Event::Heard(heard) => subject.is_in(&heard.text),
        Event::Said(said) => subject.is_in(&said.text),
        Event::Happening(happening) => happening.what.text().is_some_and(|text| subject.is_in(text)),
        event => subject.is_in(&mind::page::entry(event)),
    };
    of_happening || (subject.phrase.is_some() && has_words())
}

/// The names of memories that a client noted: a list of texts or numbers.
fn ids_of(json: &str) -> Option<Vec<String>> {
    let Ok(Value::Array(ids)) = serde_json::from_str(json) else { return None };
    let text = |id: Value| match id {
        Value::String(id) => Some(id),
        // A bare number is that of an entry.
        Value::Number(seq) => Some(format!("#{seq}")),
        _ => None,
    };
    Some(ids.into_iter().filter_map(text).collect())
}

/// What was dreamt; nothing where there is none, or none that can be read.
async fn graph(store: &Store, log: &LogId) -> anyhow::Result<Option<Graph>> {
    let Some(stored) = memories::graph(store, log).await? else { return Ok(None) };
    let read = stored.document().ok().and_then(|document| Graph::from_json(&document, log.character()).ok());
    if read.is_none() {
        tracing::warn!(%log, "what it has dreamt cannot be read, and is not counted among its memories");
    }
    Ok(read)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memories_are_named_in_a_list() {
        let ids = |json| ids_of(json).map(|ids| ids.join(" "));
        assert_eq!(ids(r##"["event:17","#4",31,null]"##).as_deref(), Some("event:17 #4 #31"));
        assert_eq!(ids("[]").as_deref(), Some(""));
        assert_eq!((ids("{}"), ids("x")), (None, None));
    }
}
