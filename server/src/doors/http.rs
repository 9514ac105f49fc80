//! The HTTP door: `/health`, `/ws`, and the operator's API below `/admin`.

use super::admin;
use super::lobby::Lobby;
use super::websocket;
use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::{ConnectInfo, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Json, Response};
use axum::routing::get;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
        .route("/ws", get(upgrade))
        .with_state(lobby.clone())
        .merge(admin::router(lobby, token))
        .fallback(|| async { (StatusCode::NOT_FOUND, "Nothing is here. Try /health or /ws.\n") })
}

async fn welcome() -> &'static str {
    "Dark Pawns. People play by telnet, programs by WebSocket at /ws (see docs/PROTOCOL.md). /health tells how it goes.\n"
}

async fn health(State(lobby): State<Arc<Lobby>>) -> Json<serde_json::Value> {
    let stats = &lobby.engine.stats;
    let read = |counter: &std::sync::atomic::AtomicU64| counter.load(Ordering::Relaxed);
    Json(serde_json::json!({
        "status": "ok",
        "tick": read(&stats.tick),
        "lag_ms": read(&stats.lag_ms),
        "late_ticks": read(&stats.late_ticks),
        "tick_us": read(&stats.tick_us),
        "players": read(&stats.players),
        "commands": read(&stats.commands),
        "unsaved": lobby.saver.backlog(),
        "save_failures": read(&lobby.saver.failures),
    }))
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
