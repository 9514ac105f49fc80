//! Who is connected, and sending somebody off.

use super::query::Query;
use super::rights::Actor;
use super::{answer_of, refuse};
use crate::engine::AdminCall;
use crate::limits::REASON_CHARS;
use crate::lobby::{Attending, Lobby, Standing};
use crate::operator::shown;
use crate::query_string::Wanted;
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Json, Response};
use protocol::names::clean_text;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Who plays by which connection, in the order in which they came.
pub async fn sessions(State(lobby): State<Arc<Lobby>>) -> Response {
    let all = lobby.roster.all();
    let levels: Vec<Option<i32>> = lobby.engine.with_world(|world| {
        let level = |who: &Attending| Some(world.character(world.find_player(&who.name)?)?.level);
        all.iter().map(level).collect()
    });
    let now_ms = lobby.now_ms();
    let row = |(who, level): (&Attending, Option<i32>)| {
        json!({
            "name": shown(&who.name), "kind": who.kind(), "level": level, "transport": who.transport.name(),
            "address": who.address, "since": rfc3339_ms(who.since_ms),
            "idle_s": now_ms.saturating_sub(who.heard_ms) / 1_000,
        })
    };
    Json(all.iter().zip(levels).map(row).collect::<Vec<_>>()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disconnect {
    who: String,
    /// What it reads.
    #[serde(default)]
    reason: String,
}

impl Wanted for Disconnect {
    const HOW: &'static str = "This call takes `who`, the name of a character, and may take `reason`, which it reads.";
}

/// Takes somebody out of the world, saved, with its connection. It may come back at once: who may not is banned.
pub async fn disconnect(
    State(lobby): State<Arc<Lobby>>,
    Extension(actor): Extension<Actor>,
    Query(call): Query<Disconnect>,
) -> Response {
    let who = shown(&call.who);
    let reason = clean_text(call.reason.trim()).into_owned();
    if reason.chars().count() > REASON_CHARS {
        return refuse(StatusCode::UNPROCESSABLE_ENTITY, format!("A reason has at most {REASON_CHARS} characters."));
    }
    match lobby.standing(&call.who).await {
        Ok(Standing { level, .. }) if level >= actor.moderator().level => {
            return refuse(StatusCode::UNPROCESSABLE_ENTITY, format!("{who} is not below you."));
        }
        Ok(_) => {}
        Err(error) => return refuse(StatusCode::SERVICE_UNAVAILABLE, format!("{error:#}")),
    }
    let why = if reason.is_empty() { String::new() } else { format!(" Why: {reason}") };
    let reason = format!("An operator has ended your session.{why}");
    answer_of(lobby.engine.admin(AdminCall::Remove { name: call.who, reason }).await, &who)
}
