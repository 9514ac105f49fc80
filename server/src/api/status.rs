//! `GET /api/v1/status`: which game this is, and how many play.

use super::error::Failure;
use crate::lobby::Lobby;
use axum::extract::State;
use axum::response::Json;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use world::character::Link;

#[derive(Serialize, ToSchema)]
pub struct Status {
    /// Of the world.
    name: String,
    /// Of the program.
    version: &'static str,
    /// Ticks that the world has run.
    tick: u64,
    uptime_s: u64,
    /// Who is shown by WHO and connected; agents among them.
    players: usize,
    agents: usize,
    zones: usize,
    rooms: usize,
}

/// Which game this is, and how many play
#[utoipa::path(
    get, path = "/api/v1/status", tag = "world", security(()),
    responses(
        (status = 200, description = "How it stands.", body = Status, example = json!({
            "name": "The Green", "version": "0.1.0", "tick": 5021, "uptime_s": 10042, "players": 3, "agents": 2,
            "zones": 4, "rooms": 60
        })),
        (status = "default", description = "Too many calls.", body = Failure),
    )
)]
pub async fn status(State(lobby): State<Arc<Lobby>>) -> Json<Status> {
    let (tick, players, agents) = lobby.engine.with_world(|world| {
        let listed = world.state.players.values().filter(|who| world.is_listed(**who));
        let here = listed.filter_map(|who| world.character(*who)?.player()).filter(|one| one.link == Link::Linked);
        let (players, agents) = here.fold((0, 0), |(all, agents), one| (all + 1, agents + usize::from(one.agent)));
        (world.tick(), players, agents)
    });
    let name = if lobby.content.name.is_empty() { "Dark Pawns" } else { &lobby.content.name };
    Json(Status {
        name: name.to_string(),
        version: env!("CARGO_PKG_VERSION"),
        tick,
        uptime_s: lobby.counts.began.elapsed().as_secs(),
        players,
        agents,
        zones: lobby.content.zones.len(),
        rooms: lobby.content.rooms.len(),
    })
}
