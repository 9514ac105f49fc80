//! `GET /api/v1/world?zone=`: who is where in a zone. Operators see everybody and the whole zone; a player sees itself
//! and its agents, in the rooms that these are in.

use super::error::{ApiError, Failure, Query, Wanted};
use super::viewer::{Viewer, is_operator};
use super::who::Kind;
use crate::lobby::Lobby;
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use content::Place;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use world::World;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// The number of the zone.
    #[param(example = 1)]
    zone: i32,
}

impl Wanted for Which {
    const HOW: &'static str = "The world is looked at by zones: name the number of one, as in /api/v1/world?zone=80.";
}

#[derive(Serialize, ToSchema)]
pub struct Part {
    tick: u64,
    zone: i32,
    name: String,
    rooms: Vec<Spot>,
    /// Players; by name.
    characters: Vec<Being>,
}

#[derive(Serialize, ToSchema)]
pub struct Spot {
    vnum: i32,
    name: String,
    /// To the east, to the north, upwards, on the map of the zone.
    #[schema(value_type = [i32; 3])]
    coords: Place,
    exits: Vec<Way>,
}

#[derive(Serialize, ToSchema)]
pub struct Way {
    direction: String,
    to: i32,
}

#[derive(Serialize, ToSchema)]
pub struct Being {
    name: String,
    kind: Kind,
    level: i32,
    room: i32,
    hp: i32,
    hp_max: i32,
    position: String,
    /// Whom it fights, as it is called; `null`: nobody.
    fighting: Option<String>,
}

/// Who is where in a zone
#[utoipa::path(
    get, path = "/api/v1/world", tag = "world", params(Which), security(("bearer" = [])),
    responses(
        (status = 200, description = "The zone.", body = Part, example = json!({
            "tick": 5021, "zone": 1, "name": "The Green",
            "rooms": [{
                "vnum": 101, "name": "The Well", "coords": [0, 1, 0], "exits": [{"direction": "south", "to": 100}]
            }],
            "characters": [{
                "name": "Brenda", "kind": "agent", "level": 4, "room": 101, "hp": 31, "hp_max": 40,
                "position": "standing", "fighting": null
            }]
        })),
        (status = "default", description = "There is no such zone, or nobody is logged in.", body = Failure),
    )
)]
pub async fn world(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    Query(Which { zone }): Query<Which>,
) -> Result<Json<Part>, ApiError> {
    // `None`: an operator.
    let own = match &viewer {
        Viewer::Operator => None,
        viewer => {
            let name = viewer.own_name()?;
            (!is_operator(&lobby, name).await?).then_some(name)
        }
    };
    let part = lobby.engine.with_world(|world| part(world, zone, own));
    part.map(Json).ok_or_else(|| ApiError::not_found("There is no such zone, or nobody of yours is in it."))
}

fn part(world: &World, zone: i32, own: Option<&str>) -> Option<Part> {
    let name = world.content.zones[world.content.zone_index(zone)?].name.to_string();
    let people = &world.state.channels;
    let is_own = |other: &str| match own {
        None => true,
        Some(own) => {
            let person = people.named(own);
            own == other
                || (person.is_some() && people.named(other).is_some_and(|other| world.owner_of(other) == person))
        }
    };
    let mut characters: Vec<Being> = Vec::new();
    for (name, who) in &world.state.players {
        let Some(one) = world.character(*who) else { continue };
        let room = world.room_proto(one.room);
        let Some(player) = one.player().filter(|_| room.zone == zone && is_own(name)) else { continue };
        let foe = one.fighting.and_then(|foe| world.character(foe)).map(|foe| foe.shown().to_string());
        characters.push(Being {
            name: one.shown().to_string(),
            kind: Kind::of(player.agent),
            level: one.level,
            room: room.vnum,
            hp: one.hit,
            hp_max: one.now.hit_max,
            position: one.position.name().to_string(),
            fighting: foe,
        });
    }
    if own.is_some() && characters.is_empty() {
        return None;
    }
    characters.sort_by(|one, other| one.name.cmp(&other.name));
    let seen: BTreeSet<i32> = characters.iter().map(|one| one.room).collect();
    let rooms = world.content.rooms.iter().filter(|room| room.zone == zone);
    let rooms = rooms.filter(|room| own.is_none() || seen.contains(&room.vnum)).map(|room| Spot {
        vnum: room.vnum,
        name: room.name.to_string(),
        coords: world.content.room_id(room.vnum).map_or_else(Place::default, |id| world.content.place(id)),
        // What a player's agent sees of hidden ways is its own business.
        exits: if own.is_none() { ways(room) } else { Vec::new() },
    });
    Some(Part { tick: world.tick(), zone, name, rooms: rooms.collect(), characters })
}

fn ways(room: &content::RoomProto) -> Vec<Way> {
    let ways = room.exits.iter().filter_map(|exit| Some(Way { direction: exit.direction.name().into(), to: exit.to? }));
    ways.collect()
}
