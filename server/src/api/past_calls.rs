//! The calls as `dp-server watch` answers them: of any tick of a past, to whoever has its folder, with all rights.
//!
//! Their descriptions are those of the same calls of a running server. Invariant: nothing here writes.

use super::character::{self, NOBODY};
use super::desk::{Desk, Turn};
use super::error::{self, ApiError, Code, PathWord, Query};
use super::looking_back::{SEEN, Seen};
use super::map;
use super::openapi;
use super::past::Past;
use super::watch::{self, Then};
use super::who::{self, Who};
use super::zone;
use crate::past::{Moment, NoMoment, Range, Timeline};
use crate::views;
use axum::Router;
use axum::extract::State;
use axum::response::Json;
use axum::routing::{any, get};
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

const NOT_OF_THE_PAST: &str = "There is no such call of the past. These there are: past, watch, world, map, who and \
                               characters/{name} below /api/v1, all but the first with ?tick=. The page /api describes \
                               them.";
const BUSY: &str = "Others wait for their moment of the past. Try again in a moment.";

/// What the calls are answered from.
pub struct PastSite {
    pub timeline: Arc<Timeline>,
    /// The state folder, as it was named.
    pub folder: String,
    /// The process ends: no replay goes on.
    pub ending: Arc<AtomicBool>,
    desk: Desk,
}

impl PastSite {
    pub fn new(timeline: Arc<Timeline>, folder: String, ending: Arc<AtomicBool>) -> PastSite {
        PastSite { timeline, folder, ending, desk: Desk::default() }
    }

    /// The world after a tick; `None`: the last one. Whoever goes away while it is sought ends the seek.
    async fn at(&self, tick: Option<u64>) -> Result<Moment, ApiError> {
        let Turn { turn, place: _place } = self.desk.turn(BUSY).await?;
        let (timeline, ending) = (self.timeline.clone(), self.ending.clone());
        let waits = Waiting(Arc::new(AtomicBool::new(true)));
        let still = waits.0.clone();
        let sought = tokio::task::spawn_blocking(move || {
            let _turn = turn;
            timeline.seek(tick, &|| still.load(Ordering::Relaxed) && !ending.load(Ordering::Relaxed))
        });
        let moment = sought.await.map_err(|error| ApiError::unavailable(&error))?.map_err(refusal)?;
        let (timeline, ending) = (self.timeline.clone(), self.ending.clone());
        tokio::task::spawn_blocking(move || timeline.fill(&|| !ending.load(Ordering::Relaxed)));
        Ok(moment)
    }
}

/// Somebody waits for an answer, until this is dropped.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(false, Ordering::Relaxed);
    }
}

fn refusal(none: NoMoment) -> ApiError {
    match none {
        NoMoment::GivenUp => ApiError::new(Code::Unavailable, "The server is stopping."),
        NoMoment::Failed(error) => ApiError::unavailable(&format!("{error:#}")),
        none => ApiError::not_found(none.to_string()),
    }
}

pub fn router(site: PastSite) -> Router {
    Router::new()
        .route("/api/v1/past", get(past))
        .route("/api/v1/watch", get(scene))
        .route("/api/v1/world", get(world))
        .route("/api/v1/map", get(map))
        .route("/api/v1/who", get(who))
        .route("/api/v1/characters/{name}", get(character))
        .route("/api/v1/openapi.json", get(openapi::openapi))
        // Of no use to who has all rights anyway, so described nowhere.
        .route(&format!("{SEEN}/past"), get(seen_past))
        .route(&format!("{SEEN}/watch"), get(seen_scene))
        .method_not_allowed_fallback(|| async { ApiError::new(Code::MethodNotAllowed, error::NO_METHOD) })
        .route("/api/{*rest}", any(nothing))
        .with_state(Arc::new(site))
}

async fn nothing() -> ApiError {
    ApiError::not_found(NOT_OF_THE_PAST)
}

async fn past(State(site): State<Arc<PastSite>>) -> Result<Json<Past>, ApiError> {
    Ok(Json(Past::of(range(&site).await?, site.folder.clone())))
}

async fn seen_past(State(site): State<Arc<PastSite>>) -> Result<Json<Seen<Past>>, ApiError> {
    let range = range(&site).await?;
    let open = json!(range.marks.iter().map(|mark| mark.watchable).collect::<Vec<_>>());
    Ok(Json(Seen { told: Past::of(range, site.folder.clone()), open }))
}

async fn seen_scene(
    State(site): State<Arc<PastSite>>,
    Query(watch::What { zone, tick }): Query<watch::What>,
) -> Result<Json<Seen<Then>>, ApiError> {
    let Moment { world, at_ms } = site.at(tick).await?;
    let people = views::people(&world);
    let open = people.values().filter(|one| one.watchable && !one.hidden).map(|one| &one.key);
    let open = json!(open.collect::<Vec<_>>());
    Ok(Json(Seen { told: Then::of(&world, at_ms, zone), open }))
}

async fn range(site: &PastSite) -> Result<Range, ApiError> {
    let timeline = site.timeline.clone();
    let range = tokio::task::spawn_blocking(move || timeline.range()).await;
    range.map_err(|error| ApiError::unavailable(&error))?.map_err(|error| ApiError::unavailable(&format!("{error:#}")))
}

async fn scene(
    State(site): State<Arc<PastSite>>,
    Query(watch::What { zone, tick }): Query<watch::What>,
) -> Result<Json<Then>, ApiError> {
    let Moment { world, at_ms } = site.at(tick).await?;
    Ok(Json(Then::of(&world, at_ms, zone)))
}

async fn world(
    State(site): State<Arc<PastSite>>,
    Query(zone::Which { zone, tick }): Query<zone::Which>,
) -> Result<Json<zone::Part>, ApiError> {
    let Moment { world, .. } = site.at(tick).await?;
    let part = zone::whole(&world, zone).ok_or_else(|| ApiError::not_found("There is no such zone."))?;
    Ok(Json(part))
}

async fn map(
    State(site): State<Arc<PastSite>>,
    Query(map::Which { zone, name, tick }): Query<map::Which>,
) -> Result<Json<map::Map>, ApiError> {
    let zone = map::Part::read(zone.as_deref())?;
    let Some(name) = name else {
        return Err(ApiError::bad_request("Whose map? Name a character, as in /api/v1/map?name=brenda&tick=5000."));
    };
    let Moment { world, .. } = site.at(tick).await?;
    map::drawn(&world, &name, zone).map(Json).ok_or_else(|| ApiError::not_found(NOBODY))
}

async fn who(
    State(site): State<Arc<PastSite>>,
    Query(who::When { tick }): Query<who::When>,
) -> Result<Json<Who>, ApiError> {
    Ok(Json(who::listed(&site.at(tick).await?.world)))
}

async fn character(
    State(site): State<Arc<PastSite>>,
    PathWord(name): PathWord,
    Query(who::When { tick }): Query<who::When>,
) -> Result<Json<character::At>, ApiError> {
    let Moment { world, .. } = site.at(tick).await?;
    character::at(&world, &name).map(Json).ok_or_else(|| ApiError::not_found(NOBODY))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_call_of_the_past_is_described() {
        let description: serde_json::Value = serde_json::from_str(openapi::description()).expect("JSON");
        for path in ["past", "watch", "world", "map", "who", "characters/{name}"] {
            let call = &description["paths"][format!("/api/v1/{path}")]["get"];
            let parameters = call["parameters"].as_array().map(Vec::as_slice).unwrap_or_default();
            let takes_tick = parameters.iter().any(|parameter| parameter["name"] == "tick");
            assert_eq!(takes_tick, path != "past", "{path}: {call}");
        }
    }
}
