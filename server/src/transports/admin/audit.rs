//! What is noted of the calls of the operator's API, and the list of it.

use super::query::Query;
use super::refuse;
use super::rights::Actor;
use crate::auditing::{self, Origin};
use crate::lobby::Lobby;
use crate::query_string::Wanted;
use crate::store;
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::{IntoResponse, Json, Response};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;

/// Entries of one answer.
const ENTRIES: i64 = 100;
/// Ticks and dice are the tools of experiments, a thousand times an hour.
const NOT_NOTED: [&str; 2] = ["/admin/tick", "/admin/roll"];

/// Writes down what is done here, where it was done, and by whom. No secret stands in an address: keys and passwords
/// are in bodies and answers.
pub async fn note(
    State(lobby): State<Arc<Lobby>>,
    Extension(actor): Extension<Actor>,
    request: Request,
    next: Next,
) -> Response {
    let is_act = request.method() == Method::POST && !NOT_NOTED.contains(&request.uri().path());
    let address = request.uri().clone();
    let answer = next.run(request).await;
    if is_act && answer.status().is_success() {
        let action = address.path().trim_start_matches("/admin/");
        let told: Vec<(String, String)> = match axum::extract::Query::try_from_uri(&address) {
            Ok(axum::extract::Query(told)) => told,
            Err(_) => Vec::new(),
        };
        let is_target = |key: &str| ["name", "who", "owner", "target"].contains(&key);
        let target = told.iter().find(|(key, _)| is_target(key)).map_or("", |(_, value)| value);
        let rest = told.iter().filter(|(key, _)| !is_target(key) && key != "key");
        let detail: Vec<String> = rest.map(|(key, value)| format!("{key}: {value}")).collect();
        let store = lobby.accounts.store();
        auditing::note(store, actor.name(), Origin::Admin, action, target, &detail.join(", ")).await;
    }
    answer
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Which {
    before: Option<u64>,
    /// One kind of entries only.
    action: Option<String>,
}

impl Wanted for Which {
    const HOW: &'static str = "This call may take `before`, a whole number: the `id` of an entry, of which only older \
                               ones are shown; and `action`, the kind of entries to show.";
}

/// What was noted, the newest first.
pub async fn audit(State(lobby): State<Arc<Lobby>>, Query(which): Query<Which>) -> Response {
    let Which { before, action } = which;
    let before = before.map(|id| i64::try_from(id).unwrap_or(i64::MAX));
    match store::audit::newest(lobby.accounts.store(), before, action.as_deref(), ENTRIES).await {
        Ok(rows) => {
            let row = |row: &store::audit::Written| {
                json!({
                    "id": row.id, "at": rfc3339_ms(row.at), "actor": row.actor, "origin": row.origin,
                    "action": row.action, "target": row.target, "detail": row.detail,
                })
            };
            Json(rows.iter().map(row).collect::<Vec<_>>()).into_response()
        }
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}
