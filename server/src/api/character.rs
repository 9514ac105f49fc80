//! `GET /api/v1/characters/{name}`: how somebody is, as its own variables have it.

use super::error::{ApiError, Failure, PathWord, Query};
use super::past::now_only;
use super::viewer::Viewer;
use super::who::When;
use crate::lobby::Lobby;
use crate::views::Kind;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use world::World;

pub(super) const NOBODY: &str = "Nobody of that name is in the world, or none whom you may look at.";

#[derive(Serialize, ToSchema)]
pub struct At {
    tick: u64,
    character: Vitals,
}

/// Values as in the variables (docs/VARIABLES.md).
#[derive(Serialize, ToSchema)]
pub struct Vitals {
    name: String,
    kind: Kind,
    level: i32,
    hp: i32,
    hp_max: i32,
    mana: i32,
    #[serde(rename = "move")]
    moves: i32,
    gold: i32,
    exp: i32,
    position: String,
    /// The number of the room.
    room: i32,
    fighting: bool,
}

/// How a character in the world is
///
/// For itself, for the owner of an agent, and for operators; nobody else learns whether it is there.
#[utoipa::path(
    get, path = "/api/v1/characters/{name}", tag = "world", params(("name" = String, Path, example = "brenda"), When),
    security(("bearer" = [])),
    responses(
        (status = 200, description = "How it is.", body = At, example = json!({
            "tick": 5021,
            "character": {
                "name": "Brenda", "kind": "agent", "level": 4, "hp": 31, "hp_max": 40, "mana": 112, "move": 84,
                "gold": 17, "exp": 6210, "position": "standing", "room": 200, "fighting": false
            }
        })),
        (status = "default", description = "It is not there, or not for you.", body = Failure),
    )
)]
pub async fn character(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    PathWord(name): PathWord,
    Query(When { tick }): Query<When>,
) -> Result<Json<At>, ApiError> {
    now_only(tick)?;
    let at = match viewer.looks_closely_at(&lobby, &name).await? {
        true => lobby.engine.with_world(|world| at(world, &name)),
        false => None,
    };
    at.map(Json).ok_or_else(|| ApiError::not_found(NOBODY))
}

pub(super) fn at(world: &World, name: &str) -> Option<At> {
    let one = world.character(world.find_player(name)?)?;
    let player = one.player()?;
    let character = Vitals {
        name: one.shown().to_string(),
        kind: Kind::of(player.agent),
        level: one.level,
        hp: one.hit,
        hp_max: one.now.hit_max,
        mana: one.mana,
        moves: one.moves,
        gold: one.gold,
        exp: player.experience,
        position: one.position.name().to_string(),
        room: world.room_proto(one.room).vnum,
        fighting: one.fighting.is_some(),
    };
    Some(At { tick: world.tick(), character })
}
