//! The past of a server that runs, as those see it who are no operators: whom they could have watched then and may
//! watch now, no mobs, and nothing sooner than what is now is shown to them.
//!
//! The process that shows the past knows nothing of who asks: it says with a moment who could be watched then, and what
//! goes out is decided here. Invariants: what cannot be shown is taken out before anything is sent; a look of an
//! operator never waits for theirs.

use super::error::{ApiError, Code, Wanted};
use super::past::NOT_HERE;
use super::viewer::{Viewer, eye, is_watchable};
use super::zone::sight;
use super::{Api, watch, zone};
use crate::observatory::{Eye, is_own};
use crate::past_process::PastProcess;
use crate::views::{rooms, zones};
use axum::extract::Query;
use axum::http::{StatusCode, Uri};
use axum::response::{IntoResponse, Json, Response};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::Arc;
use tokio::sync::Semaphore;
use world::World;
use world::past::Past;

/// So many of these looks are under way at a time. With the nine places of the process there is room for operators.
const LOOKS_MAX: usize = 4;
const BUSY: &str = "Others look back just now. Try again in a moment.";

const TOO_YOUNG: &str = "Nothing of the past is old enough to be shown to you yet.";

/// Where the process is asked for what its server shows to those who are no operators.
pub const SEEN: &str = "/api/v1/seen";

/// A moment, or the range of moments, with who could be watched then.
#[derive(Serialize)]
pub struct Seen<T> {
    pub told: T,
    /// Of a moment: the keys of those who could be watched; of the range: for each mark, whether its player could.
    pub open: Value,
}

/// The looks that are under way.
pub struct Looks(Semaphore);

impl Default for Looks {
    fn default() -> Looks {
        Looks(Semaphore::new(LOOKS_MAX))
    }
}

/// Who looks, and when it is now.
struct Looker {
    eye: Eye,
    past: Option<Arc<Past>>,
    world: World,
    /// The newest tick that is old enough.
    until: u64,
    /// Whether somebody may be watched now.
    watchable: BTreeMap<String, bool>,
}

/// Answers one of the calls of the past. `None`: it is none for who is no operator, and refuses by itself.
pub(super) async fn answer(api: &Api, process: &Arc<PastProcess>, viewer: &Viewer, uri: &Uri) -> Option<Response> {
    let call = uri.path().strip_prefix("/api/v1/").unwrap_or_default();
    if !matches!(call, "past" | "watch" | "world") {
        return None;
    }
    let answered = match Looker::of(api, viewer).await {
        Ok(Some(looker)) => looker.look(api, process, call, uri).await,
        Ok(None) => return None,
        Err(refusal) => Err(refusal),
    };
    Some(answered.unwrap_or_else(ApiError::into_response))
}

fn query<T: DeserializeOwned + Wanted>(uri: &Uri) -> Result<T, ApiError> {
    Query::try_from_uri(uri).map(|Query(query)| query).map_err(|_| ApiError::bad_request(T::HOW))
}

impl Looker {
    async fn of(api: &Api, viewer: &Viewer) -> Result<Option<Looker>, ApiError> {
        let (eye, past) = eye(&api.lobby, viewer).await?;
        if !api.observatory.admits(&eye) {
            return Ok(None);
        }
        let world = api.lobby.engine.with_world(World::clone);
        let until = world.tick().checked_sub(api.observatory.delay_ticks());
        let until = until.ok_or_else(|| ApiError::not_found(TOO_YOUNG))?;
        Ok(Some(Looker { eye, past, world, until, watchable: BTreeMap::new() }))
    }

    async fn look(
        mut self,
        api: &Api,
        process: &Arc<PastProcess>,
        call: &str,
        uri: &Uri,
    ) -> Result<Response, ApiError> {
        let _place = api.looks.0.try_acquire().map_err(|_| ApiError::new(Code::Busy, BUSY).wait_ms(2_000))?;
        if call == "past" {
            return self.range(api, process).await;
        }
        let (tick, zone) = match call {
            "watch" => {
                let watch::What { tick, .. } = query(uri)?;
                (tick, None)
            }
            _ => {
                let zone::Which { zone, tick } = query(uri)?;
                (tick, Some(zone))
            }
        };
        let tick = tick.ok_or_else(|| ApiError::not_found(NOT_HERE))?;
        if tick > self.until {
            let delay = api.observatory.delay_ticks();
            return Err(ApiError::not_found(format!(
                "That is too new: you are shown what is {delay} ticks old, so up to tick {}.",
                self.until
            )));
        }
        let mut told = match ask(process, &format!("{SEEN}/watch?tick={tick}")).await? {
            Ok(told) => told,
            Err(refusal) => return Ok(refusal),
        };
        let people = self.people(api, &mut told).await?;
        let then = &mut told["told"];
        let sees = sight(&self.world, &api.observatory, &self.eye, self.past.clone());
        let Some(zone) = zone else {
            then["role"] = match self.eye {
                Eye::Player { .. } => "player".into(),
                _ => "visitor".into(),
            };
            then["zones"] = json!(zones(&self.world, sees));
            (then["people"], then["mobs"]) = (people.into(), json!([]));
            return Ok(Json(then.take()).into_response());
        };
        let rooms = rooms(&self.world, zone, false, sees);
        let name = self.world.content.zone_index(zone).map(|at| self.world.content.zones[at].name.to_string());
        let (Some(name), false) = (name, rooms.is_empty()) else { return Err(ApiError::not_found(zone::NOTHING)) };
        let characters: Vec<Value> = people.into_iter().filter(|one| one["zone"] == zone).collect();
        let part = json!({"tick": tick, "zone": zone, "name": name, "rooms": rooms, "characters": characters});
        Ok(Json(part).into_response())
    }

    /// Which moments there are, up to the newest that is old enough; deaths and levels of those who may be watched.
    /// Whoever did it may be somebody who may not, so nobody is named.
    async fn range(&mut self, api: &Api, process: &Arc<PastProcess>) -> Result<Response, ApiError> {
        let mut told = match ask(process, &format!("{SEEN}/past")).await? {
            Ok(told) => told,
            Err(refusal) => return Ok(refusal),
        };
        let (marks, open) = (told["told"]["marks"].take(), told["open"].take());
        let mut shown = Vec::new();
        for (mut mark, open) in rows(marks).into_iter().zip(rows(open)) {
            let key = mark["key"].as_str().unwrap_or_default().to_string();
            let is_known = mark["kind"] != "meeting" && mark["tick"].as_u64().is_some_and(|tick| tick <= self.until);
            if is_known && (self.owns(&key) || open == true && self.is_watchable(api, &key).await?) {
                mark["other"] = Value::Null;
                shown.push(mark);
            }
        }
        let past = &mut told["told"];
        let to = past["to"].as_u64().unwrap_or_default().min(self.until);
        if past["from"].as_u64().is_none_or(|from| from > to) {
            return Err(ApiError::not_found(TOO_YOUNG));
        }
        let mut parts = rows(past["parts"].take());
        parts.retain(|part| part["from"].as_u64().is_some_and(|from| from <= to));
        for part in &mut parts {
            part["to"] = part["to"].as_u64().unwrap_or_default().min(to).into();
        }
        let searched = past["searched_to"].as_u64().map(|tick| tick.min(to));
        (past["to"], past["parts"], past["marks"]) = (to.into(), parts.into(), shown.into());
        past["searched_to"] = json!(searched);
        // What only who keeps the server has use for.
        (past["marks_forgotten"], past["problems"], past["folder"]) = (0.into(), json!([]), "".into());
        past["difference"] = Value::Null;
        Ok(Json(past.take()).into_response())
    }

    /// Of all who were there, those whom it may see, as it may see them.
    async fn people(&mut self, api: &Api, told: &mut Value) -> Result<Vec<Value>, ApiError> {
        let open = rows(told["open"].take());
        let mut seen = Vec::new();
        for one in rows(told["told"]["people"].take()) {
            let key = one["key"].as_str().unwrap_or_default().to_string();
            let room = one["room"].as_i64().and_then(|room| i32::try_from(room).ok());
            let knows_room = match (&self.eye, &self.past) {
                (Eye::Player { .. }, Some(past)) => room.is_some_and(|room| past.rooms.contains(room)),
                (Eye::Player { .. }, None) => false,
                _ => true,
            };
            let is_open = knows_room && open.iter().any(|other| *other == key);
            if self.owns(&key) || is_open && self.is_watchable(api, &key).await? {
                seen.push(one);
            }
        }
        let keys: Vec<Value> = seen.iter().map(|one| one["key"].clone()).collect();
        for one in &mut seen {
            let is_own = one["key"].as_str().is_some_and(|key| self.owns(key));
            if !is_own && !keys.contains(&one["foe"]["key"]) {
                one["foe"] = Value::Null;
            }
        }
        Ok(seen)
    }

    fn owns(&self, key: &str) -> bool {
        matches!(&self.eye, Eye::Player { name } if is_own(&self.world, name, key))
    }

    async fn is_watchable(&mut self, api: &Api, key: &str) -> Result<bool, ApiError> {
        if let Some(known) = self.watchable.get(key) {
            return Ok(*known);
        }
        let found = is_watchable(&api.lobby, key).await?;
        self.watchable.insert(key.to_string(), found);
        Ok(found)
    }
}

fn rows(list: Value) -> Vec<Value> {
    match list {
        Value::Array(rows) => rows,
        _ => Vec::new(),
    }
}

/// What the process says; or its refusal, as it is.
async fn ask(process: &Arc<PastProcess>, target: &str) -> Result<Result<Value, Response>, ApiError> {
    let answer = process.ask(target).await.map_err(|error| ApiError::unavailable(&format!("{error:#}")))?;
    if answer.status() != StatusCode::OK {
        return Ok(Err(answer.map(axum::body::Body::from)));
    }
    serde_json::from_slice(answer.body()).map(Ok).map_err(|error| ApiError::unavailable(&error))
}
