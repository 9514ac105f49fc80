//! `GET /api/v1/who`: those whom WHO shows.

use super::error::{ApiError, Failure, Query, Wanted};
use super::past::now_only;
use crate::lobby::Lobby;
use crate::views::Kind;
use axum::extract::State;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use world::World;
use world::character::{Link, PlayerFlags};

/// Of which moment.
#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct When {
    /// For operators, and where the past is shown (`dp-server watch`): the state when this tick had run.
    pub(super) tick: Option<u64>,
}

impl Wanted for When {
    const HOW: &'static str = "This call takes a tick at most, as in /api/v1/who?tick=5000.";
}

#[derive(Serialize, ToSchema)]
pub struct Who {
    tick: u64,
    /// By level, the highest first, then by name.
    players: Vec<Listed>,
}

#[derive(Serialize, ToSchema)]
pub struct Listed {
    /// As others read it.
    name: String,
    kind: Kind,
    level: i32,
    class: String,
    /// Its connection is lost.
    linkless: bool,
    away: bool,
}

/// Who plays
///
/// The list of the verb `who`: without immortals who are invisible, and those in rooms that hide people.
#[utoipa::path(
    get, path = "/api/v1/who", tag = "world", params(When), security(()),
    responses(
        (status = 200, description = "The list.", body = Who, example = json!({
            "tick": 5021,
            "players": [
                {"name": "Brenda", "kind": "agent", "level": 4, "class": "Cleric", "linkless": false, "away": false}
            ]
        })),
        (status = "default", description = "Too many calls.", body = Failure),
    )
)]
pub async fn who(State(lobby): State<Arc<Lobby>>, Query(When { tick }): Query<When>) -> Result<Json<Who>, ApiError> {
    now_only(tick)?;
    Ok(Json(lobby.engine.with_world(listed)))
}

pub(super) fn listed(world: &World) -> Who {
    let ids = world.state.players.values().filter(|who| world.is_listed(**who));
    let rows = ids.filter_map(|who| {
        let character = world.character(*who)?;
        let player = character.player()?;
        Some(Listed {
            name: character.shown().to_string(),
            kind: Kind::of(player.agent),
            level: character.level,
            class: world.rules.class(character.class).label.to_string(),
            linkless: matches!(player.link, Link::Lost { .. }),
            away: player.flags.has(PlayerFlags::AFK),
        })
    });
    let mut players: Vec<Listed> = rows.collect();
    players.sort_by(|one, other| (Reverse(one.level), &one.name).cmp(&(Reverse(other.level), &other.name)));
    Who { tick: world.tick(), players }
}
