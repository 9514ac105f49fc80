//! `GET /api/v1/watch`: who is where, told as it changes, for as long as the caller stays.
//!
//! Server-sent events and no WebSocket: nothing comes from the watcher, so a request like all others will do. It has
//! its token in the header where the other calls have it, its place among the connections of its address, and is
//! refused in the one form of refusals.

use super::LooksBack;
use super::error::{ApiError, Code, Failure, Query, Wanted};
use super::past::now_only;
use super::viewer::{Viewer, eye};
use crate::lobby::Lobby;
use crate::observatory::{Eye, Happened, Observatory};
use crate::times::rfc3339_ms;
use crate::views::{self, Being, Mob, ZoneName, zones};
use axum::Extension;
use axum::extract::State;
use axum::http::header::CACHE_CONTROL;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::{Deserialize, Serialize};
use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;
use utoipa::{IntoParams, ToSchema};
use world::World;

/// So long nothing is said while nothing changes.
const SILENCE: Duration = Duration::from_secs(15);

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct What {
    /// For operators: the zone whose mobs are told as well.
    #[param(example = 1)]
    pub(super) zone: Option<i32>,
    /// The state when this tick had run; see `/api/v1/past`.
    pub(super) tick: Option<u64>,
}

impl Wanted for What {
    const HOW: &'static str = "Who watches may name a zone by its number, as in /api/v1/watch?zone=80, and in the past a \
                               tick, as in /api/v1/watch?tick=5000&zone=80.";
}

/// The first event, `hello`.
#[derive(Serialize, ToSchema)]
pub struct Hello {
    /// `visitor`, `player` or `operator`.
    role: &'static str,
    /// What is told happened so many ticks ago.
    delay_ticks: u64,
    /// The length of a tick; 0 where ticks come by command only.
    tick_ms: u32,
    /// Whether `/api/v1/past` has moments to look back at.
    looks_back: bool,
    /// Those of which anything may be seen: `/api/v1/world?zone=` has their rooms.
    zones: Vec<ZoneName>,
}

/// Every other event. What did not change is not there.
#[derive(Serialize, ToSchema)]
#[allow(dead_code)]
pub struct News {
    /// The moment that is shown.
    tick: u64,
    /// What was told before counts no more: the first of these events, and one after a gap.
    whole: Option<bool>,
    /// Who is new, or otherwise than before.
    people: Option<Vec<Being>>,
    /// The keys of those who are to be seen no more.
    gone: Option<Vec<String>>,
    /// Mobs of the wanted zone, for operators.
    mobs: Option<Vec<Mob>>,
    mobs_gone: Option<Vec<String>>,
    /// Deaths and levels, oldest first; for operators mobs that were killed, too. Of each kind the newest 100.
    feed: Option<Vec<Happened>>,
}

/// Who was where, of the past.
#[derive(Serialize, ToSchema)]
pub struct Then {
    /// The moment that is shown: right after this tick.
    tick: u64,
    /// The time of the game, in words.
    game_time: String,
    /// When that tick ran; `null`: it is where the journal begins.
    at: Option<String>,
    role: &'static str,
    tick_ms: u32,
    zones: Vec<ZoneName>,
    #[schema(value_type = Vec<Being>)]
    people: Vec<Arc<Being>>,
    /// Of the wanted zone.
    mobs: Vec<Mob>,
}

impl Then {
    pub(super) fn of(world: &World, at_ms: Option<i64>, zone: Option<i32>) -> Then {
        Then {
            tick: world.tick(),
            game_time: views::game_time(world),
            at: at_ms.map(rfc3339_ms),
            role: "operator",
            tick_ms: tick_ms(world),
            zones: zones(world, |_| true),
            people: views::people(world).into_values().collect(),
            mobs: zone.map(|zone| views::mobs(world, zone).into_values().collect()).unwrap_or_default(),
        }
    }
}

/// Who is where, as it changes
///
/// A stream of server-sent events: `hello` (the schema `Hello`), then events without a name (`News`). Visitors see
/// characters that may be watched (`toggle watchable`), players those of them in rooms that they have seen, and what is
/// their own; both so many ticks later. Operators see everybody at once. With `tick` it is one moment of the past
/// instead, as JSON (`Then`).
#[utoipa::path(
    get, path = "/api/v1/watch", tag = "world", params(What), security((), ("bearer" = [])),
    responses(
        (status = 200, description = "The stream, or a moment of the past.", content(
            (News = "text/event-stream", example =
                "event: hello\ndata: {\"role\":\"visitor\",\"delay_ticks\":30,\"tick_ms\":2000,\"looks_back\":true,\"zones\":[{\"number\":1,\
                 \"name\":\"The Green\"}]}\n\ndata: {\"tick\":5021,\"whole\":true,\"people\":[],\"mobs\":[],\"feed\":[]}\n\n"),
            (Then = "application/json", example = json!({
                "tick": 5021, "game_time": "8 o'clock in the evening, Restday, 7 Coldwake 612",
                "at": "2026-11-20T12:00:00.000Z", "role": "operator", "tick_ms": 2000,
                "zones": [{"number": 1, "name": "The Green"}], "people": [], "mobs": []
            })),
        )),
        (status = "default", description = "It is not for you, or nobody may watch here.", body = Failure),
    )
)]
pub async fn watch(
    State(lobby): State<Arc<Lobby>>,
    State(observatory): State<Arc<Observatory>>,
    State(LooksBack(looks_back)): State<LooksBack>,
    Extension(viewer): Extension<Viewer>,
    Query(What { zone, tick }): Query<What>,
) -> Result<Response, ApiError> {
    now_only(tick)?;
    let (eye, past) = eye(&lobby, &viewer).await?;
    let role = match &eye {
        Eye::Visitor => "visitor",
        Eye::Player { .. } => "player",
        Eye::Operator { .. } => "operator",
    };
    let (eye, delay_ticks) = match eye {
        Eye::Operator { .. } => (Eye::Operator { zone }, 0),
        eye => (eye, observatory.delay_ticks()),
    };
    let world = lobby.engine.with_world(World::clone);
    let zones = zones(&world, super::zone::sight(&world, &observatory, &eye, past.clone()));
    let hello = Hello { role, delay_ticks, tick_ms: tick_ms(&world), looks_back, zones };
    let may_watch = observatory.admits(&eye);
    let watcher = observatory.watch(eye, past).ok_or_else(|| match may_watch {
        true => ApiError::new(Code::Unavailable, "The server is stopping."),
        false if viewer == Viewer::Visitor => {
            ApiError::new(Code::LoginNeeded, "Who looks on here has to be logged in.")
        }
        false => ApiError::not_found("Nobody looks on here: the operator has closed the observatory."),
    })?;
    let hello = Event::default().event("hello").json_data(hello).map_err(|error| ApiError::unavailable(&error))?;
    let events = stream::unfold((Some(hello), watcher), |(hello, mut watcher)| async move {
        let event = match hello {
            Some(hello) => hello,
            None => Event::default().data(watcher.next().await?),
        };
        Some((Ok::<_, Infallible>(event), (None, watcher)))
    });
    let answer = Sse::new(events).keep_alive(KeepAlive::new().interval(SILENCE));
    Ok(([(CACHE_CONTROL, "no-store")], answer).into_response())
}

fn tick_ms(world: &World) -> u32 {
    world.state.agents.epoch.map_or(0, |epoch| epoch.tick_ms)
}
