//! The limits in force, and how much of them is in use.

use crate::limits::{BANS_MAX, Limits};
use crate::lobby::Lobby;
use crate::times::unix_ms;
use axum::extract::State;
use axum::response::{IntoResponse, Json, Response};
use serde_json::{Value, json};
use std::sync::Arc;

/// Callers that are listed.
const BUSIEST: usize = 20;

pub async fn limits(State(lobby): State<Arc<Lobby>>) -> Response {
    let (counts, connections) = (&lobby.counts, &lobby.connections);
    let in_use = json!({
        "connections": connections.open(),
        "connections_refused": connections.refused(),
        "sessions": lobby.roster.all().len(),
        "callers": connections.busiest(BUSIEST),
        "addresses_remembered": lobby.addresses.remembered(),
        "addresses_locked_out": lobby.addresses.locked_out(lobby.now_ms()),
        "lockouts": counts.lockouts.get(),
        "back_offs": counts.back_offs.get(),
        "commands_refused": counts.commands_refused.get(),
        "bans": lobby.bans.all(unix_ms()).len(),
        "bans_max": BANS_MAX,
    });
    Json(json!({ "in_use": in_use, "limits": rows(&lobby.limits) })).into_response()
}

/// Each flag with its number and what it is for. `null`: as its sentence says.
fn rows(limits: &Limits) -> Vec<Value> {
    let values = serde_json::to_value(limits).expect("numbers are JSON");
    let command = <Limits as clap::Args>::augment_args(clap::Command::new("limits"));
    let row = |arg: &clap::Arg| {
        let value = values.get(arg.get_id().as_str())?;
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        Some(json!({ "flag": format!("--{}", arg.get_long()?), "value": value, "what": help }))
    };
    command.get_arguments().filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_limit_is_listed_with_its_flag_and_its_sentence() {
        let rows = rows(&Limits::DEFAULT);
        let fields = serde_json::to_value(Limits::DEFAULT).expect("JSON");
        assert_eq!(rows.len(), fields.as_object().expect("fields").len());
        let row = |flag: &str| rows.iter().find(|row| row["flag"] == flag).unwrap_or_else(|| panic!("no {flag}"));
        assert_eq!(row("--idle-minutes")["value"], 30);
        assert_eq!(row("--creations-per-hour")["value"], Value::Null);
        assert!(rows.iter().all(|row| row["what"].as_str().is_some_and(|what| what.len() > 20)), "{rows:?}");
    }
}
