//! What deciding costs, by hours, as the clients tell it with their commands. Nobody checks it but for its form: a
//! client that lies is wrong about itself.
//!
//! Invariant: a call of a model is counted with the command that tells it, be it its own (`tokens`, `cost`) or the next
//! one behind calls that no command came of (`thoughts`); a price that is not told is not known, and not 0.

use crate::store::decisions::{self, Cursor, Decision};
use crate::store::samples::{Usage, UsageKey, add_usage};
use crate::store::{Store, StoreError, decision_archives};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeMap;

pub const HOUR_MS: i64 = 3_600_000;
/// Sources that are counted by their names; all others together.
const SOURCES: [&str; 4] = ["model", "policy", "reflex", "upkeep"];
/// Whose calls are told by others' commands.
const MODEL: &str = SOURCES[0];
/// Tokens of one decision, or millionths of what it cost: nothing costs more.
const MOST: i64 = 1_000_000_000;
/// Rows that are read for a part of an hour.
const PAGE_ROWS: i64 = 2_000;
/// Of more, nobody waits for their sum.
const PART_ROWS_MAX: usize = 60_000;

/// The beginning of the hour that a time is in.
pub fn hour_of(at: i64) -> i64 {
    at - at.rem_euclid(HOUR_MS)
}

/// What was decided since it was last written.
#[derive(Debug, Default)]
pub struct Used(Mutex<BTreeMap<UsageKey, Usage>>);

impl Used {
    pub fn count(&self, rows: &[Decision]) {
        let mut used = self.0.lock();
        for row in rows {
            for (source, usage) in usage_of(row) {
                let key = (row.name.to_string(), hour_of(row.at), source.to_string());
                used.entry(key).or_default().add(usage);
            }
        }
    }

    /// Writes what was counted. Where that fails it is kept for the next time.
    pub async fn flush(&self, store: &Store) -> Result<(), StoreError> {
        let used = std::mem::take(&mut *self.0.lock());
        let written = add_usage(store, &used).await;
        if written.is_err() {
            let mut newer = self.0.lock();
            used.into_iter().for_each(|(key, one)| newer.entry(key).or_default().add(one));
        }
        written
    }
}

/// What was used in the hour of a time up to that time, by the rows of commands. `name`: of a character; none: of all.
/// `None`: there are no rows of it any more, or too many.
pub async fn part_of_hour(store: &Store, name: Option<&str>, until: i64) -> Result<Option<Usage>, StoreError> {
    let mut after = Cursor::from(hour_of(until));
    let (mut sum, mut count) = (Usage::default(), 0);
    loop {
        let rows = match name {
            Some(name) => decision_archives::page(store, name, after, until, PAGE_ROWS).await?,
            None => decisions::rows_of_all(store, after, until, PAGE_ROWS).await?,
        };
        let Some(last) = rows.last() else { break };
        after = Cursor::behind(last);
        count += rows.len();
        if count > PART_ROWS_MAX {
            return Ok(None);
        }
        rows.iter().flat_map(usage_of).for_each(|(_, usage)| sum.add(usage));
    }
    Ok((count > 0).then_some(sum))
}

/// By source.
fn usage_of(row: &Decision) -> impl Iterator<Item = (&'static str, Usage)> {
    let source = match row.source.as_deref() {
        None => "",
        Some(told) => SOURCES.into_iter().find(|known| *known == told).unwrap_or("other"),
    };
    // The commands that an alias stands for have the notes of one.
    let meta = row.meta.as_deref().filter(|_| row.part == 0);
    let meta: Value = meta.and_then(|meta| serde_json::from_str(meta).ok()).unwrap_or_default();
    let own = told_in(&meta);
    let is_call = own.prompt > 0 || own.output > 0;
    let is_priced = is_call && is_number(&meta["cost"]);
    // A decision may take several calls: of the minds of a council, or one that mends an answer.
    let calls = if is_call { counted(&meta["calls"]).max(1) } else { 0 };
    let own = Usage { decisions: 1, calls, priced: if is_priced { calls } else { 0 }, ..own };
    let thoughts = &meta["thoughts"];
    let calls = counted(&thoughts["calls"]);
    let others = Usage { calls, priced: counted(&thoughts["priced"]).min(calls), ..told_in(thoughts) };
    [(source, own), (MODEL, others)].into_iter().filter(|(_, usage)| *usage != Usage::default())
}

fn is_number(value: &Value) -> bool {
    value.as_f64().is_some_and(f64::is_finite)
}

fn counted(value: &Value) -> i64 {
    value.as_i64().unwrap_or(0).clamp(0, MOST)
}

/// Tokens and cost.
fn told_in(notes: &Value) -> Usage {
    let tokens = |name: &str| counted(&notes["tokens"][name]);
    let cost = notes["cost"].as_f64().filter(|cost| cost.is_finite()).unwrap_or(0.0);
    Usage {
        prompt: tokens("prompt"),
        cached: tokens("cached"),
        output: tokens("output"),
        // Millionths are told as a fraction, which is not quite theirs.
        cost_micros: ((cost * 1e6).round() as i64).clamp(0, MOST),
        ..Usage::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::decision_tests;
    use std::sync::Arc;

    fn row(source: Option<&str>, meta: Option<&str>) -> Decision {
        Decision {
            source: source.map(Arc::from),
            meta: meta.map(Arc::from),
            ..decision_tests::decision("ann", 7_200_001, 1)
        }
    }

    fn usages(row: &Decision) -> Vec<(&'static str, Usage)> {
        usage_of(row).collect()
    }

    #[test]
    fn what_clients_tell_is_counted_by_hour_and_source_within_bounds() {
        assert_eq!(hour_of(7_200_001), 7_200_000);
        let told = r#"{"tokens":{"prompt":900,"cached":800,"output":12},"cost":0.0015}"#;
        let one = Usage { decisions: 1, prompt: 900, cached: 800, output: 12, cost_micros: 1_500, calls: 1, priced: 1 };
        assert_eq!(usages(&row(Some("model"), Some(told))), [("model", one)]);
        let council = r#"{"tokens":{"prompt":900,"cached":800,"output":12},"cost":0.0015,"calls":3}"#;
        let three = Usage { calls: 3, priced: 3, ..one };
        assert_eq!(usages(&row(Some("model"), Some(council))), [("model", three)]);
        let second = Decision { part: 1, ..row(Some("model"), Some(told)) };
        assert_eq!(usages(&second), [("model", Usage { decisions: 1, ..Usage::default() })], "an alias tells once");
        for nonsense in [
            None,
            Some("[]"),
            Some(r#"{"tokens":7,"cost":"dear","thoughts":[3]}"#),
            Some(r#"{"cost":-5,"thoughts":{"calls":-2,"priced":4}}"#),
        ] {
            let expected = ("other", Usage { decisions: 1, ..Usage::default() });
            assert_eq!(usages(&row(Some("<b>"), nonsense)), [expected], "{nonsense:?}");
        }
        let dear = usages(&row(None, Some(r#"{"tokens":{"prompt":1e30},"cost":1e30}"#)));
        assert_eq!((dear[0].0, dear[0].1.prompt, dear[0].1.cost_micros), ("", 0, MOST));
    }

    #[test]
    fn calls_that_no_command_came_of_are_the_models_and_unknown_prices_are_counted() {
        let told =
            r#"{"thoughts":{"calls":3,"priced":1,"tokens":{"prompt":300,"cached":0,"output":9},"cost":0.00007}}"#;
        let thoughts = Usage { prompt: 300, output: 9, cost_micros: 70, calls: 3, priced: 1, ..Usage::default() };
        let reflex = Usage { decisions: 1, ..Usage::default() };
        assert_eq!(usages(&row(Some("reflex"), Some(told))), [("reflex", reflex), ("model", thoughts)]);
        let unpriced = r#"{"tokens":{"prompt":900,"cached":0,"output":12}}"#;
        let one = Usage { decisions: 1, prompt: 900, output: 12, calls: 1, ..Usage::default() };
        assert_eq!(usages(&row(Some("model"), Some(unpriced))), [("model", one)]);
    }
}
