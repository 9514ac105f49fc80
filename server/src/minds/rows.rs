//! An entry as a row of the table, and back.
//!
//! The kind has a column of its own and is not repeated in the payload. What a record is worth has columns besides its
//! payload, for who asks the database; they are made from it and never read back. Invariant: `entry_of(row_of(e))` is
//! `e`; a kind that this program does not know reads as `Event::Other`.

use crate::store::agent_events::AgentEvent;
use mind::{Entry, Event, appraisal};
use serde_json::Value;

/// `name` is canonical.
pub fn row_of(name: &str, entry: &Entry, session: Option<i64>) -> AgentEvent {
    let count = |number: u64| i64::try_from(number).expect("numbers and ticks are counted from 0, one by one");
    let mut payload = serde_json::to_value(&entry.event).expect("an event has string keys only");
    let kind = payload.as_object_mut().and_then(|members| members.shift_remove("kind"));
    let Some(Value::String(kind)) = kind else { unreachable!("an event is an object with its kind") };
    let happening = match &entry.event {
        Event::Happening(happening) => Some(&**happening),
        _ => None,
    };
    // What was recorded counts, be it 0 because nothing is worth anything in that session.
    let worth = happening.map(|happening| {
        let by_table = appraisal::appraise(happening);
        let recorded = happening.valence.unwrap_or(by_table.valence);
        appraisal::with_valence(happening, recorded, by_table.liking)
    });
    AgentEvent {
        name: name.to_string(),
        seq: count(entry.seq),
        number: count(entry.turn),
        tick: count(entry.tick),
        at: entry.at_ms,
        session,
        kind,
        payload: payload.to_string(),
        valence: worth.map(|worth| worth.valence.into()),
        importance: worth.map(|worth| worth.importance.into()),
        salience0: worth.map(|worth| worth.salience),
        novel: happening.map(|happening| i64::from(appraisal::is_novel(happening))),
        // A record stands on itself.
        evidence: happening.map(|_| format!("[{}]", entry.seq)),
        social_event_id: happening.and_then(|happening| happening.social_event_id).map(|id| id.to_string()),
    }
}

/// Errors where the row is none that this program, or a newer one, wrote.
pub fn entry_of(row: &AgentEvent) -> anyhow::Result<Entry> {
    let count = |number: i64| u64::try_from(number);
    let members = row.payload.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    let Some(members) = members else { anyhow::bail!("entry {} of {} has no object in it", row.seq, row.name) };
    let kind = serde_json::to_string(&row.kind)?;
    let comma = if members.trim().is_empty() { "" } else { "," };
    let event: Event = serde_json::from_str(&format!("{{\"kind\":{kind}{comma}{members}}}"))?;
    Ok(Entry { seq: count(row.seq)?, tick: count(row.tick)?, at_ms: row.at, turn: count(row.number)?, event })
}
