//! The HTTP transport: the pages of `web`, `/health`, `/metrics`, `/ws`, the API below `/api/v1` (`api`), and the
//! operator's below `/admin`.

use super::browser_origin::Origins;
use super::caller::Caller;
use super::forwarded::Nobody;
use super::streams::Streams;
use super::subprotocols::{self, SUBPROTOCOLS, Subprotocol};
use super::{admin, forwarded, websocket};
use crate::api::{self, ApiError, CallerAddress, PlotsAudience};
use crate::health::{self, Health};
use crate::limits::Purpose;
use crate::lobby::Lobby;
use crate::metrics;
use crate::observatory::Observatory;
use crate::past_process::PastProcess;
use crate::web;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{FromRef, Request, State};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::middleware::{self, Next, map_response};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use axum::{Extension, Router};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

/// Read buffer of one WebSocket. The library's own is 128 KB, which 5,000 agents cannot afford; a command fits many
/// times.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// Written once so much has gathered; a flush writes less.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;
/// How much larger than the limit a frame may be and still be read past, to be answered with an error.
const SKIP_FACTOR: usize = 4;

/// What the pages are made from.
#[derive(Clone)]
struct Site {
    lobby: Arc<Lobby>,
    origins: Arc<Origins>,
    metrics: Arc<metrics::Page>,
    streams: Arc<Streams>,
}

impl FromRef<Site> for Arc<Lobby> {
    fn from_ref(site: &Site) -> Arc<Lobby> {
        site.lobby.clone()
    }
}

/// `token`: of the admin API.
pub fn router(
    lobby: Arc<Lobby>,
    observatory: Arc<Observatory>,
    plots: PlotsAudience,
    past: Option<Arc<PastProcess>>,
    streams: Arc<Streams>,
    origins: Arc<Origins>,
    token: String,
) -> Router {
    let api = api::router(lobby.clone(), observatory, plots, past, token.clone());
    Router::new()
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/ws", get(upgrade))
        .method_not_allowed_fallback(|| async { (StatusCode::METHOD_NOT_ALLOWED, "This is asked for by GET.\n") })
        .with_state(Site { lobby: lobby.clone(), origins, metrics: Arc::default(), streams })
        .merge(api.layer(middleware::from_fn(named)))
        .merge(admin::router(lobby, token).layer(middleware::from_fn(named)))
        .merge(web::router())
        .fallback(|| async {
            let hint =
                "Nothing is here. The game is at /; programs play at /ws and ask at /api/v1 (see /api); /health and /metrics tell how it goes.\n";
            (StatusCode::NOT_FOUND, hint)
        })
        .layer(map_response(web::guard))
}

async fn health(State(lobby): State<Arc<Lobby>>) -> Response {
    let Health { well, report } = health::look(&lobby).await;
    let status = if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(report)).into_response()
}

async fn metrics(State(Site { lobby, metrics, .. }): State<Site>) -> Response {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics.at(Instant::now(), &lobby)).into_response()
}

/// A header's text; empty where it is none.
fn word(value: &HeaderValue) -> &str {
    value.to_str().unwrap_or_default()
}

/// Whose request it is, behind a trusted proxy as that says.
fn address_of(caller: &Caller, headers: &HeaderMap) -> Result<IpAddr, Nobody> {
    let named = caller.is_proxy.then(|| forwarded::caller(headers)).transpose().inspect_err(|nobody| {
        tracing::warn!(proxy = %caller.address, %nobody, "a request from a trusted proxy was refused");
    })?;
    Ok(named.flatten().unwrap_or(caller.address))
}

/// Tells both APIs whose request it is.
async fn named(Extension(caller): Extension<Caller>, mut request: Request, next: Next) -> Response {
    match address_of(&caller, request.headers()) {
        Ok(address) => {
            request.extensions_mut().insert(CallerAddress(address));
            next.run(request).await
        }
        Err(nobody) => ApiError::bad_request(format!("{nobody}.")).into_response(),
    }
}

async fn upgrade(
    State(Site { lobby, origins, streams, .. }): State<Site>,
    Extension(caller): Extension<Caller>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    if let Some(origin) = headers.get(header::ORIGIN) {
        let host = headers.get(header::HOST).map_or("", word);
        if !origins.permit(word(origin), host) {
            tracing::info!(address = %caller.address, ?origin, "a web page of a foreign origin was refused");
            let hint = "Web pages of other hosts may not play here. The operator lets one in with --allowed-origin.\n";
            return (StatusCode::FORBIDDEN, hint).into_response();
        }
    }
    let address = match address_of(&caller, &headers) {
        Ok(address) => address,
        Err(nobody) => return (StatusCode::BAD_REQUEST, format!("{nobody}.\n")).into_response(),
    };
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(_) => {
            let hint = "This is the WebSocket door. Connect with a WebSocket client; see docs/PROTOCOL.md.\n";
            return (StatusCode::UPGRADE_REQUIRED, hint).into_response();
        }
    };
    let offered = headers.get_all(header::SEC_WEBSOCKET_PROTOCOL);
    let spoken = match subprotocols::chosen(offered.iter().map(word)) {
        None if headers.contains_key(header::SEC_WEBSOCKET_PROTOCOL) => {
            let known = SUBPROTOCOLS.map(|(name, _)| name).join(", ");
            let hint =
                format!("None of these subprotocols is spoken here. Known are: {known}; none at all is the first.\n");
            return (StatusCode::BAD_REQUEST, hint).into_response();
        }
        spoken => spoken,
    };
    let Some(mut slot) = caller.slot.take() else {
        return (StatusCode::BAD_REQUEST, "This connection is a WebSocket already.\n").into_response();
    };
    // Who is refused reads why in a frame; until then the connection counts as the request that it was.
    let refusal = slot.become_for(address, Purpose::Play).err();
    let frame_max = lobby.limits.frame_max();
    upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_message_size(frame_max.saturating_mul(SKIP_FACTOR))
        .max_frame_size(frame_max.saturating_mul(SKIP_FACTOR))
        .protocols(spoken.map(|(name, _)| name))
        .on_upgrade(move |socket| async move {
            match spoken.map_or(Subprotocol::Frames, |(_, subprotocol)| subprotocol) {
                Subprotocol::Frames => websocket::serve(socket, lobby, streams, address, slot, refusal).await,
                other => subprotocols::serve(socket, other, lobby, address, slot, refusal).await,
            }
        })
}
