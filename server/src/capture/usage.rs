//! What deciding costs, by hours, as the clients tell it with their commands. Nobody checks it but for its form: a
//! client that lies is wrong about itself.

use crate::store::decisions::Decision;
use crate::store::samples::{Usage, UsageKey, add_usage};
use crate::store::{Store, StoreError};
use parking_lot::Mutex;
use serde_json::Value;
use std::collections::BTreeMap;

pub const HOUR_MS: i64 = 3_600_000;
/// Sources that are counted by their names; all others together.
const SOURCES: [&str; 4] = ["model", "policy", "reflex", "upkeep"];
/// Tokens of one decision, or millionths of what it cost: nothing costs more.
const MOST: i64 = 1_000_000_000;

/// What was decided since it was last written.
#[derive(Debug, Default)]
pub struct Used(Mutex<BTreeMap<UsageKey, Usage>>);

impl Used {
    pub fn count(&self, rows: &[Decision]) {
        let mut used = self.0.lock();
        for row in rows {
            let (key, one) = usage_of(row);
            used.entry(key).or_default().add(one);
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

fn usage_of(row: &Decision) -> (UsageKey, Usage) {
    let source = match row.source.as_deref() {
        None => "",
        Some(told) => SOURCES.into_iter().find(|known| *known == told).unwrap_or("other"),
    };
    let meta: Value = row.meta.as_deref().and_then(|meta| serde_json::from_str(meta).ok()).unwrap_or_default();
    let tokens = |name: &str| meta["tokens"][name].as_i64().unwrap_or(0).clamp(0, MOST);
    let cost = meta["cost"].as_f64().filter(|cost| cost.is_finite()).unwrap_or(0.0);
    let usage = Usage {
        decisions: 1,
        prompt: tokens("prompt"),
        cached: tokens("cached"),
        output: tokens("output"),
        cost_micros: ((cost * 1e6) as i64).clamp(0, MOST),
    };
    ((row.name.to_string(), row.at - row.at.rem_euclid(HOUR_MS), source.to_string()), usage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::decision_tests;
    use std::sync::Arc;

    #[test]
    fn what_clients_tell_is_counted_by_hour_and_source_within_bounds() {
        let row = |source: Option<&str>, meta: Option<&str>| Decision {
            source: source.map(Arc::from),
            meta: meta.map(Arc::from),
            ..decision_tests::decision("ann", 7_200_001, 1)
        };
        let told = r#"{"tokens":{"prompt":900,"cached":800,"output":12},"cost":0.0015}"#;
        let (key, usage) = usage_of(&row(Some("model"), Some(told)));
        assert_eq!(key, ("ann".to_string(), 7_200_000, "model".to_string()));
        assert_eq!(usage, Usage { decisions: 1, prompt: 900, cached: 800, output: 12, cost_micros: 1_500 });
        for nonsense in [None, Some("[]"), Some(r#"{"tokens":7,"cost":"dear"}"#), Some(r#"{"cost":-5}"#)] {
            let (key, usage) = usage_of(&row(Some("<b>"), nonsense));
            assert_eq!((&*key.2, usage), ("other", Usage { decisions: 1, ..Usage::default() }), "{nonsense:?}");
        }
        let (key, usage) = usage_of(&row(None, Some(r#"{"tokens":{"prompt":1e30},"cost":1e30}"#)));
        assert_eq!((&*key.2, usage.prompt, usage.cost_micros), ("", 0, MOST));
    }
}
