//! `GET /api/v1/minds/{name}/council`: the minds of one body, what each perceived and thought, and what they tell each
//! other; for itself, the owner of an agent, and operators.
//!
//! Invariant: an entry stands in the answer once, in the one order of all logs; streams name entries by their numbers.

use super::error::{ApiError, Failure, PathWord, Query, Wanted};
use super::mind_views::{NOBODY, log_of};
use super::viewer::{Look, Viewer};
use crate::lobby::Lobby;
use crate::minds::council::OwnMind;
use crate::observatory::Observatory;
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use mind::council::Member;
use mind::council::routing::Body;
use protocol::minds::MindName;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;
use utoipa::IntoParams;

/// Entries of each sort of each log.
const ENTRIES: i64 = 200;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct After {
    /// Entries of later inputs only: what `upto` said the last time.
    #[param(example = 0)]
    after: Option<u64>,
}

impl Wanted for After {
    const HOW: &'static str = "A council takes the number of an input, which the last answer said as upto: \
                               /api/v1/minds/brenda/council?after=5021.";
}

/// The minds of one body, in one order
///
/// `entries` of all logs, oldest first, the newest 200 of each sort of each; `complete` is false where older ones of
/// later inputs than `after` were left out. `minds` have their stream (numbers of entries, and what each is there) and
/// their plans.
#[utoipa::path(
    get, path = "/api/v1/minds/{name}/council", tag = "minds",
    params(("name" = String, Path, example = "brenda"), After), security(("bearer" = [])),
    responses(
        (status = 200, description = "Its minds.", body = Object, example = json!({
            "name": "brenda", "upto": 5021, "complete": true,
            "entries": [{
                "seq": 12, "log": "body", "turn": 5021, "tick": 804, "at": "2026-11-26T18:45:29.000Z",
                "text": "INNER proposes: kill wolf",
                "event": {"kind": "proposal.make", "mind": "inner", "line": "kill wolf"}
            }],
            "minds": [{
                "mind": "inner", "side": "Instinct, Seen, Ideas, Source, Heart, Parts",
                "stream": [{"seq": 12, "type": "THOUGHT"}], "plans": []
            }],
            "memo": {"head": 0, "entries": []}, "proposals": [], "conflicts": []
        })),
        (status = "default", description = "It is not for you.", body = Failure),
    )
)]
pub async fn council(
    State(lobby): State<Arc<Lobby>>,
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
    Query(After { after }): Query<After>,
) -> Result<Json<Value>, ApiError> {
    let after = after.unwrap_or(0);
    // What minds say to each other is for those alone who may read all that they heard.
    let (log, look) = log_of(&lobby, &observatory, &viewer, &name, "mind.council").await?;
    if look != Look::Close {
        return Err(ApiError::not_found(NOBODY));
    }
    let minds = lobby.engine.minds.council(log.character(), ENTRIES).await;
    let minds = minds.map_err(|error| ApiError::unavailable(&format!("{error:#}")))?;
    // Building it takes a moment where much is said.
    let name = log.character().to_string();
    let answer = tokio::task::spawn_blocking(move || answer(&name, minds, after)).await;
    Ok(Json(answer.map_err(|error| ApiError::unavailable(&error))?))
}

fn answer(name: &str, mut minds: Vec<OwnMind>, after: u64) -> Value {
    let upto = minds.iter().filter_map(|mind| mind.entries.last()).map(|entry| entry.input).max().unwrap_or(0);
    let complete = minds.iter().all(|mind| mind.lacks_before <= after);
    minds.iter_mut().for_each(|mind| mind.entries.retain(|entry| entry.input > after));
    let logs: Vec<_> = minds.iter().map(|mind| (mind.mind, mind.entries.as_slice())).collect();
    let body = Body { name };
    // All that there is, as OBSERVER reads it.
    let entries: Vec<Value> =
        body.stream(MindName::Observer, &logs).iter().map(|seen| entry(seen.log, seen.entry)).collect();
    let shown = |mind: &OwnMind| {
        let stream = body.stream(mind.mind, &logs);
        let stream: Vec<Value> = stream.iter().map(|seen| json!({"seq": seen.entry.seq, "type": seen.sense})).collect();
        let side = Member::of(mind.mind).map(|member| member.role().side);
        json!({"mind": mind.mind, "side": side, "stream": stream, "plans": mind.state.plans})
    };
    let counsel = minds.iter().find(|mind| mind.mind.is_body()).map(|mind| mind.state.counsel.clone());
    let counsel = counsel.unwrap_or_default();
    json!({
        "name": name, "upto": upto.max(after), "complete": complete, "entries": entries,
        "minds": minds.iter().map(shown).collect::<Vec<_>>(),
        "memo": counsel.memo, "proposals": counsel.proposals, "conflicts": counsel.conflicts,
    })
}

fn entry(log: MindName, entry: &mind::LogEntry) -> Value {
    json!({
        "seq": entry.seq, "log": log, "turn": entry.input, "tick": entry.tick, "at": rfc3339_ms(entry.at_ms),
        "text": mind::page::entry(&entry.event), "event": entry.event,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use mind::{Event, LogEntry, MindState};

    fn own(mind: MindName, entries: Vec<LogEntry>) -> OwnMind {
        OwnMind { mind, state: MindState::of(&entries), entries, lacks_before: 0 }
    }

    fn said(seq: u64, event: Event) -> LogEntry {
        LogEntry { seq, tick: seq, at_ms: 0, input: seq * 10, event }
    }

    #[test]
    fn entries_stand_once_and_streams_name_them() {
        let propose = Event::ProposalMake { mind: MindName::Inner, line: "north".into(), why: None };
        let thought = |text: &str| Event::Thought { text: text.into(), layer: None };
        let minds = vec![
            own(MindName::Body, vec![said(1, propose), said(4, Event::Other)]),
            own(MindName::Inner, vec![said(2, thought("in"))]),
            own(MindName::Outer, vec![said(3, thought("out"))]),
            own(MindName::Observer, Vec::new()),
        ];
        let told = answer("ann", minds.clone(), 0);
        let seqs: Vec<u64> = told["entries"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|one| one["seq"].as_u64().expect("a number"))
            .collect();
        assert_eq!((seqs, &told["upto"], &told["complete"]), (vec![1, 2, 3, 4], &json!(40), &json!(true)));
        assert_eq!(told["minds"][1]["stream"], json!([{"seq": 1, "type": "THOUGHT"}, {"seq": 2, "type": "THOUGHT"}]));
        assert_eq!(told["minds"][2]["stream"][0], json!({"seq": 1, "type": "OBSERVATION"}));
        assert_eq!(told["minds"][3]["stream"].as_array().expect("a list").len(), 4);
        assert_eq!(told["proposals"][0]["line"], "north");
        let later = answer("ann", minds.clone(), 20);
        assert_eq!(later["entries"].as_array().expect("a list").len(), 2);
        assert_eq!(answer("ann", minds, 90)["upto"], 90, "nothing came since");
    }
}
