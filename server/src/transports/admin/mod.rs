//! The operator's API: `/admin/*`, for who has the token of the state directory, and a part of it for immortals
//! (`rights`). The subcommands of `dp-server` are its first client, the page at `/admin` another; experiments and the
//! load generator are more.

mod audit;
mod limits;
mod query;
mod rights;
mod sessions;

use self::query::Query;
use self::rights::{Actor, Gate};
use crate::accounts::{CreateRefusal, KeyId, KeyRefusal};
use crate::engine::{AdminAnswer, AdminCall};
use crate::legacies;
use crate::lobby::{Lobby, account};
use crate::moderation::{self, BanLine};
use crate::operator::{self, AgentOrder, KeyAnswer, KeyLine};
use crate::query_string::Wanted;
use crate::restart::RestartRequest;
use crate::script_files::Reloaded;
use crate::script_reloads;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::middleware;
use axum::response::{IntoResponse, Json, Response};
use axum::routing::{any, get, post};
use axum::{Extension, Router};
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use world::draws::{Draw, Face};

/// Steps of one call to `/admin/tick`.
const TICKS_MAX: u64 = 1_000_000;
/// Of one announcement, as of what a player says.
const ANNOUNCEMENT_CHARS: usize = 500;

/// Expects a `CallerAddress` in the extensions of each request.
pub fn router(lobby: Arc<Lobby>, token: String) -> Router {
    let gate = Gate { lobby: lobby.clone(), token: token.into() };
    Router::new()
        .route("/admin/me", get(rights::me))
        .route("/admin/tick", post(tick))
        .route("/admin/place", post(place))
        .route("/admin/promote", post(promote))
        .route("/admin/inherit", post(inherit))
        .route("/admin/passwd", post(passwd))
        .route("/admin/remove", post(remove))
        .route("/admin/keys", get(keys).post(keygen))
        .route("/admin/host-keys", post(host_keygen))
        .route("/admin/revoke", post(revoke))
        .route("/admin/sessions", get(sessions::sessions))
        .route("/admin/disconnect", post(sessions::disconnect))
        .route("/admin/limits", get(limits::limits))
        .route("/admin/bans", get(bans).post(ban))
        .route("/admin/unban", post(unban))
        .route("/admin/complaints", get(complaints))
        .route("/admin/announce", post(announce))
        .route("/admin/post", post(post_in_channel))
        .route("/admin/roll", post(roll))
        .route("/admin/edit", get(edits).post(edit))
        .route("/admin/scripts/reload", post(reload_scripts))
        .route("/admin/reload", post(reload))
        .route("/admin/backup", post(super::backup::stream))
        .route("/admin/shutdown", post(shutdown))
        .route("/admin/copyover", post(copyover))
        .route("/admin/audit", get(audit::audit))
        .method_not_allowed_fallback(rights::other_method)
        .route("/admin/", any(nothing))
        .route("/admin/{*rest}", any(nothing))
        .layer(middleware::from_fn_with_state(lobby.clone(), audit::note))
        .layer(middleware::from_fn_with_state(gate, rights::admit))
        .with_state(lobby)
}

fn refuse(status: StatusCode, message: impl Into<String>) -> Response {
    (status, Json(json!({ "error": message.into() }))).into_response()
}

async fn nothing() -> Response {
    refuse(StatusCode::NOT_FOUND, "There is no such call. GET /admin/me lists those that are for you.")
}

/// What a call on somebody in the world came to.
fn answer_of(answer: Option<AdminAnswer>, name: &str) -> Response {
    match answer {
        Some(AdminAnswer::Done) => Json(json!({ "ok": true })).into_response(),
        Some(AdminAnswer::NotHere) => {
            refuse(StatusCode::NOT_FOUND, format!("No character called {name:?} is in the world."))
        }
        Some(AdminAnswer::NoRoom) => {
            refuse(StatusCode::INSUFFICIENT_STORAGE, "The disk is full; nothing is done until there is room again.")
        }
        Some(AdminAnswer::Edited { rows, warnings }) => {
            Json(json!({ "edited": rows, "warnings": warnings })).into_response()
        }
        Some(AdminAnswer::NotEdited(problems)) => {
            let error = format!("Nothing was changed. {}", problems.join("; "));
            (StatusCode::UNPROCESSABLE_ENTITY, Json(json!({ "error": error, "problems": problems }))).into_response()
        }
        Some(AdminAnswer::Edits(rows)) => {
            ([(header::CONTENT_TYPE, "application/toml; charset=utf-8")], rows).into_response()
        }
        Some(AdminAnswer::Scripts(changed)) => Json(Reloaded::of(&changed)).into_response(),
        Some(AdminAnswer::Waiting(waiting)) => Json(json!({ "ok": true, "waiting": waiting })).into_response(),
        Some(AdminAnswer::Refused(why)) => refuse(StatusCode::UNPROCESSABLE_ENTITY, why),
        Some(AdminAnswer::NoSuchRoom) => refuse(StatusCode::NOT_FOUND, "There is no room of that number."),
        None => refuse(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping."),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Ticks {
    #[serde(default = "one")]
    n: u64,
}

fn one() -> u64 {
    1
}

async fn tick(State(lobby): State<Arc<Lobby>>, Query(ticks): Query<Ticks>) -> Response {
    if !(1..=TICKS_MAX).contains(&ticks.n) {
        return refuse(StatusCode::BAD_REQUEST, format!("`n` is 1 to {TICKS_MAX} ticks at a time."));
    }
    match lobby.engine.step(ticks.n).await {
        Some(tick) => Json(json!({ "tick": tick })).into_response(),
        None => refuse(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping."),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Place {
    name: String,
    room: i32,
}

async fn place(State(lobby): State<Arc<Lobby>>, call: Query<Place>) -> Response {
    let Query(Place { name, room }) = call;
    answer_of(lobby.engine.admin(AdminCall::Place { name: name.clone(), room }).await, &name)
}

/// `from`: names, with commas between them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Inherit {
    from: String,
    to: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Promote {
    name: String,
    level: Option<i32>,
    /// It becomes The Architect; its level stays, if none is given.
    #[serde(default)]
    architect: bool,
}

async fn inherit(State(lobby): State<Arc<Lobby>>, Query(call): Query<Inherit>) -> Response {
    let from: Vec<String> = call.from.split(',').map(|name| name.trim().to_string()).collect();
    let live = lobby.live();
    match legacies::hand_down_now(live.engine, live.store, &from, &call.to).await {
        Ok(came) => Json(came).into_response(),
        Err(error) => refuse(StatusCode::UNPROCESSABLE_ENTITY, format!("{error:#}")),
    }
}

async fn promote(State(lobby): State<Arc<Lobby>>, call: Query<Promote>) -> Response {
    let Query(Promote { name, level, architect }) = call;
    if let Err(error) = level.map_or(Ok(()), operator::check_level) {
        return refuse(StatusCode::BAD_REQUEST, error.to_string());
    }
    if architect {
        if let Err(error) = operator::crown(&lobby.live(), &name).await {
            return refuse(StatusCode::NOT_FOUND, error.to_string());
        }
        if level.is_none() {
            return Json(json!({ "name": name, "architect": true })).into_response();
        }
    }
    let level = level.unwrap_or(world::character::LEVEL_MAX);
    match operator::promote(&lobby.live(), &name, level).await {
        Ok(level) => Json(json!({ "name": name, "level": level })).into_response(),
        Err(error) => refuse(StatusCode::NOT_FOUND, error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keygen {
    name: String,
    class: Option<String>,
    race: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HostKeygen {
    owner: String,
}

async fn host_keygen(State(lobby): State<Arc<Lobby>>, Query(call): Query<HostKeygen>) -> Response {
    match operator::host_keygen(&lobby.accounts, &call.owner).await {
        Ok(KeyAnswer { name, key, .. }) => Json(json!({ "name": name, "key": key, "created": false })).into_response(),
        Err(error) => refuse(StatusCode::BAD_REQUEST, error.to_string()),
    }
}

/// The body, where there is one: what record as an agent the character gets.
async fn keygen(State(lobby): State<Arc<Lobby>>, call: Query<Keygen>, body: Bytes) -> Response {
    let Query(Keygen { name, class, race }) = call;
    let order = match body.is_empty() {
        true => None,
        false => match serde_json::from_slice::<AgentOrder>(&body) {
            Ok(order) => Some(order),
            Err(error) => return refuse(StatusCode::BAD_REQUEST, error.to_string()),
        },
    };
    if let Some(order) = &order
        && let Err(error) = order.check(lobby.accounts.store()).await
    {
        return refuse(StatusCode::BAD_REQUEST, error.to_string());
    }
    let number = lobby.engine.stats.number.load(Ordering::Relaxed);
    let hometown = lobby.first_hometown();
    if lobby.engine.with_world(|world| world.state.channels.is_shown_by_another(&name)) {
        let refusal = CreateRefusal::NameTaken { name };
        return refuse(StatusCode::BAD_REQUEST, refusal.to_string());
    }
    let maker = operator::Maker { accounts: &lobby.accounts, rules: &lobby.rules, hometown, number, seed: lobby.seed };
    match maker.keygen(&name, class.as_deref(), race.as_deref()).await {
        Ok(KeyAnswer { name, key, created }) => {
            if let Some(order) = &order
                && let Err(error) = operator::agent(&lobby.live(), &name, order).await
            {
                return refuse(StatusCode::SERVICE_UNAVAILABLE, error.to_string());
            }
            Json(json!({ "name": name, "key": key, "created": created })).into_response()
        }
        Err(error) => refuse(StatusCode::BAD_REQUEST, error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    name: Option<String>,
}

async fn keys(State(lobby): State<Arc<Lobby>>, Query(call): Query<Keys>) -> Response {
    match lobby.accounts.keys(call.name.as_deref()).await {
        Ok(rows) => Json(rows.iter().map(KeyLine::of).collect::<Vec<_>>()).into_response(),
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Revoke {
    key: String,
}

async fn revoke(State(lobby): State<Arc<Lobby>>, Query(call): Query<Revoke>) -> Response {
    match lobby.accounts.revoke(&call.key, crate::times::unix_ms()).await {
        Ok(key) => {
            // Nobody need be in by it; by a host's there may be many.
            if let KeyId::Host(id) = key.id {
                lobby.hosts.revoke(id);
                lobby.engine.stir_agents();
            }
            while let Some(AdminAnswer::Done) = lobby.engine.admin(AdminCall::Revoke { key: key.id }).await {}
            Json(KeyLine::of(&key)).into_response()
        }
        Err(error @ KeyRefusal::Store(_)) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
        Err(error) => refuse(StatusCode::NOT_FOUND, error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Named {
    name: String,
}

/// The body: the new password as a JSON text, or nothing or `null` for one of chance.
async fn passwd(State(lobby): State<Arc<Lobby>>, Query(call): Query<Named>, body: Bytes) -> Response {
    let given = match body.is_empty() {
        true => None,
        false => match serde_json::from_slice::<Option<String>>(&body) {
            Ok(given) => given,
            Err(_) => {
                return refuse(StatusCode::BAD_REQUEST, "The body is the new password as a JSON text, or nothing.");
            }
        },
    };
    match operator::set_password(&lobby.accounts, &call.name, given.as_deref()).await {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => refuse(StatusCode::BAD_REQUEST, error.to_string()),
    }
}

async fn remove(State(lobby): State<Arc<Lobby>>, Query(call): Query<Named>) -> Response {
    match lobby.accounts.exists(&call.name).await {
        Ok(true) => {}
        Ok(false) => {
            return refuse(
                StatusCode::NOT_FOUND,
                format!("there is no character called {}", operator::shown(&call.name)),
            );
        }
        Err(error) => return refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
    match account::delete(&lobby, &call.name).await {
        Ok(()) => Json(json!({ "name": operator::shown(&call.name) })).into_response(),
        Err(error) => refuse(StatusCode::INTERNAL_SERVER_ERROR, error.to_string()),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BanCall {
    /// A name, an address or a network.
    who: String,
    /// How long; left out: for good.
    #[serde(rename = "for")]
    lasting: Option<String>,
    #[serde(default)]
    reason: String,
}

async fn ban(
    State(lobby): State<Arc<Lobby>>,
    Extension(actor): Extension<Actor>,
    Query(call): Query<BanCall>,
) -> Response {
    let (store, by) = (lobby.accounts.store(), actor.moderator());
    let lasting = call.lasting.as_deref();
    match moderation::ban(store, &lobby.bans, &by, &call.who, lasting, &call.reason).await {
        Ok(ban) => {
            moderation::put_out(&lobby.engine, &lobby.bans, &ban).await;
            Json(BanLine::of(&ban)).into_response()
        }
        Err(why) => refuse(StatusCode::UNPROCESSABLE_ENTITY, why),
    }
}

async fn bans(State(lobby): State<Arc<Lobby>>) -> Response {
    let all = lobby.bans.all(crate::times::unix_ms());
    Json(all.iter().map(BanLine::of).collect::<Vec<_>>()).into_response()
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Unban {
    who: String,
}

async fn unban(State(lobby): State<Arc<Lobby>>, Query(call): Query<Unban>) -> Response {
    match moderation::unban(lobby.accounts.store(), &lobby.bans, &call.who).await {
        Ok(who) => Json(json!({ "who": who.to_string() })).into_response(),
        Err(why) => refuse(StatusCode::NOT_FOUND, why),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Complaints {
    /// Only this one.
    id: Option<u64>,
    /// Only those before this one.
    before: Option<u64>,
}

async fn complaints(State(lobby): State<Arc<Lobby>>, Query(call): Query<Complaints>) -> Response {
    if call.id.is_some() && call.before.is_some() {
        return refuse(StatusCode::BAD_REQUEST, <Complaints as Wanted>::HOW);
    }
    let which = moderation::complaints_asked_for(call.id, call.before);
    match moderation::complaint_lines(lobby.accounts.store(), lobby.state_dir.as_deref(), which).await {
        Ok(lines) => Json(lines).into_response(),
        Err(why) => refuse(StatusCode::INTERNAL_SERVER_ERROR, why),
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Announce {
    text: String,
}

async fn announce(State(lobby): State<Arc<Lobby>>, Query(call): Query<Announce>) -> Response {
    let text = protocol::names::clean_text(call.text.trim()).into_owned();
    match text.chars().count() {
        0 => refuse(StatusCode::UNPROCESSABLE_ENTITY, "There is nothing to announce: `text` is empty."),
        1..=ANNOUNCEMENT_CHARS => answer_of(lobby.engine.admin(AdminCall::Announce { text }).await, ""),
        chars => {
            let why = format!("An announcement has at most {ANNOUNCEMENT_CHARS} characters; that one has {chars}.");
            refuse(StatusCode::UNPROCESSABLE_ENTITY, why)
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Post {
    channel: u32,
    text: String,
}

/// Words of The Architect.
async fn post_in_channel(State(lobby): State<Arc<Lobby>>, Query(call): Query<Post>) -> Response {
    let text = protocol::names::clean_text(&call.text).into_owned();
    answer_of(lobby.engine.admin(AdminCall::Post { channel: call.channel, text }).await, "")
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Roll {
    draw: String,
    /// Values, `min` or `max`, with commas between them.
    values: String,
    who: Option<String>,
}

/// Loads dice: the next that are thrown for this fall so.
async fn roll(State(lobby): State<Arc<Lobby>>, Query(call): Query<Roll>) -> Response {
    let faces: Result<Vec<Face>, String> = call.values.split(',').map(|value| Face::known(value.trim())).collect();
    let (draw, faces) = match (Draw::known(&call.draw), faces) {
        (Ok(draw), Ok(faces)) => (draw, faces),
        (Err(why), _) | (_, Err(why)) => return refuse(StatusCode::BAD_REQUEST, format!("{why}; nothing was loaded")),
    };
    let name = call.who.clone().unwrap_or_default();
    answer_of(lobby.engine.admin(AdminCall::Load { draw, faces, who: call.who }).await, &name)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Edit {
    /// Who did it, for the log.
    by: Option<String>,
}

/// The body: `[[room]]`, `[[mob]]` and `[[object]]` rows.
async fn edit(State(lobby): State<Arc<Lobby>>, call: Query<Edit>, rows: String) -> Response {
    let by = call.0.by.as_deref().unwrap_or("the operator");
    let by = protocol::names::clean_text(by).into_owned().into();
    answer_of(lobby.engine.admin(AdminCall::Edit { by, rows }).await, "")
}

/// What was edited since the world was read, as rows for its files.
async fn edits(State(lobby): State<Arc<Lobby>>) -> Response {
    answer_of(lobby.engine.admin(AdminCall::Edits).await, "")
}

/// Reads the scripts of the world's folder again. With a problem nothing changes.
async fn reload_scripts(State(lobby): State<Arc<Lobby>>) -> Response {
    let Some(folder) = lobby.scripts.clone() else {
        return refuse(StatusCode::NOT_FOUND, "This server has no folder to read scripts from.");
    };
    match script_reloads::reload(&lobby.engine, folder).await {
        Ok(answer) => answer_of(answer, ""),
        Err(wrong) => Json(wrong).into_response(),
    }
}

/// Reads the settings again: what of them can change while the server runs.
async fn reload(State(lobby): State<Arc<Lobby>>) -> Response {
    let Some(settings) = &lobby.settings else {
        return refuse(StatusCode::NOT_FOUND, "This server has no settings to read again.");
    };
    match settings.reload().await {
        Some(came) => Json(came).into_response(),
        None => refuse(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping."),
    }
}

async fn shutdown(State(lobby): State<Arc<Lobby>>) -> Response {
    lobby.engine.request_shutdown();
    Json(json!({ "ok": true })).into_response()
}

/// Answers when the program on disk was tried: it takes over, or why not.
async fn copyover(State(lobby): State<Arc<Lobby>>) -> Response {
    let (answer, answered) = tokio::sync::oneshot::channel();
    lobby.engine.restart.ask(RestartRequest::Operator(answer));
    match answered.await {
        Ok(Ok(())) => Json(json!({ "ok": true })).into_response(),
        Ok(Err(why)) => refuse(StatusCode::CONFLICT, why),
        Err(_) => refuse(StatusCode::SERVICE_UNAVAILABLE, "The server is stopping, or restarting already."),
    }
}
