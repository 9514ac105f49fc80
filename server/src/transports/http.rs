//! The HTTP transport: `/health`, `/metrics`, `/ws`, and the operator's API below `/admin`.

use super::admin;
use super::websocket;
use crate::health::{self, Health};
use crate::lobby::Lobby;
use crate::metrics;
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, State};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;

/// Read buffer of one WebSocket. The library's own is 128 KB, which 5,000 agents cannot afford; a command fits many
/// times.
const READ_BUFFER_BYTES: usize = 2 * 1024;
/// Written once so much has gathered; a flush writes less.
const WRITE_BUFFER_BYTES: usize = 4 * 1024;
/// How much larger than the limit a frame may be and still be read past, to be answered with an error.
const SKIP_FACTOR: usize = 4;

pub fn router(lobby: Arc<Lobby>, token: String) -> Router {
    Router::new()
        .route("/", get(welcome))
        .route("/health", get(health))
        .route("/metrics", get(metrics))
        .route("/ws", get(upgrade))
        .with_state(lobby.clone())
        .merge(admin::router(lobby, token))
        .fallback(|| async { (StatusCode::NOT_FOUND, "Nothing is here. Try /health, /metrics or /ws.\n") })
}

async fn welcome() -> &'static str {
    "Dark Pawns. People play by telnet, programs by WebSocket at /ws (see docs/PROTOCOL.md). /health tells how it goes, \
     /metrics in numbers.\n"
}

async fn health(State(lobby): State<Arc<Lobby>>) -> Response {
    let Health { well, report } = health::look(&lobby).await;
    let status = if well { StatusCode::OK } else { StatusCode::SERVICE_UNAVAILABLE };
    (status, Json(report)).into_response()
}

async fn metrics(State(lobby): State<Arc<Lobby>>) -> Response {
    ([(header::CONTENT_TYPE, metrics::CONTENT_TYPE)], metrics::render(&lobby)).into_response()
}

async fn upgrade(
    State(lobby): State<Arc<Lobby>>,
    ConnectInfo(address): ConnectInfo<SocketAddr>,
    upgrade: Result<WebSocketUpgrade, axum::extract::ws::rejection::WebSocketUpgradeRejection>,
) -> Response {
    let upgrade = match upgrade {
        Ok(upgrade) => upgrade,
        Err(_) => {
            let hint = "This is the WebSocket door. Connect with a WebSocket client; see docs/PROTOCOL.md.\n";
            return (StatusCode::UPGRADE_REQUIRED, hint).into_response();
        }
    };
    let frame_max = lobby.limits.frame_max();
    upgrade
        .read_buffer_size(READ_BUFFER_BYTES)
        .write_buffer_size(WRITE_BUFFER_BYTES)
        .max_message_size(frame_max.saturating_mul(SKIP_FACTOR))
        .max_frame_size(frame_max.saturating_mul(SKIP_FACTOR))
        .on_upgrade(move |socket| websocket::serve(socket, lobby, address.ip()))
}
