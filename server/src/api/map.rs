//! `GET /api/v1/map`: the rooms that the asking character has seen, each at its place on the map of its zone.
//!
//! Which rooms and ways these are is the world's to say (the verb `map`); where they lie, the content's.

use super::error::{ApiError, Failure, Query, Wanted};
use super::past::now_only;
use super::viewer::Viewer;
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
use world::commands::map::{Remembered, remembered};

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// Rooms of this zone only: its number, or `here` for the one that the character is in.
    #[param(example = "here")]
    pub(super) zone: Option<String>,
    /// Where the past is shown (`dp-server watch`): whose map.
    pub(super) name: Option<String>,
    /// For operators, and where the past is shown (`dp-server watch`): the state when this tick had run.
    pub(super) tick: Option<u64>,
}

impl Wanted for Which {
    const HOW: &'static str = "A map takes one word: zone, the number of one, or here, as in /api/v1/map?zone=here.";
}

#[derive(Serialize, ToSchema)]
pub struct Map {
    tick: u64,
    /// Where the character is; in the dark too.
    room: i32,
    zone: i32,
    /// Zones that the rooms are in.
    zones: Vec<Zone>,
    rooms: Vec<Room>,
}

#[derive(Serialize, ToSchema)]
pub struct Zone {
    number: i32,
    name: String,
}

#[derive(Serialize, ToSchema)]
pub struct Room {
    vnum: i32,
    name: String,
    zone: i32,
    terrain: String,
    /// To the east, to the north, upwards, on the map of its zone, where no other room is at the same place.
    #[schema(value_type = [i32; 3])]
    coords: Place,
    exits: Vec<Exit>,
}

#[derive(Serialize, ToSchema)]
pub struct Exit {
    direction: String,
    /// The number of the room; `null` where the character has not been.
    to: Option<i32>,
    /// Through a door, open or not.
    door: bool,
}

/// The rooms that one has seen
///
/// They are the character's, so every device shows the same map. Coordinates are those of a zone: two zones have no
/// places in common.
#[utoipa::path(
    get, path = "/api/v1/map", tag = "me", params(Which), security(("bearer" = [])),
    responses(
        (status = 200, description = "The map.", body = Map, example = json!({
            "tick": 5021, "room": 101, "zone": 1,
            "zones": [{"number": 1, "name": "The Green"}],
            "rooms": [{
                "vnum": 101, "name": "The Well", "zone": 1, "terrain": "city", "coords": [0, 1, 0],
                "exits": [
                    {"direction": "south", "to": 100, "door": false},
                    {"direction": "east", "to": null, "door": true}
                ]
            }]
        })),
        (status = "default", description = "The character is not in the world, or nobody is logged in.", body = Failure),
    )
)]
pub async fn map(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    Query(Which { zone, name, tick }): Query<Which>,
) -> Result<Json<Map>, ApiError> {
    now_only(tick)?;
    if name.is_some() {
        return Err(ApiError::bad_request(Which::HOW));
    }
    let name = viewer.own_name()?;
    let zone = Part::read(zone.as_deref())?;
    let map = lobby.engine.with_world(|world| drawn(world, name, zone));
    map.map(Json).ok_or_else(|| ApiError::not_found("Your character is not in the world: a map is drawn in play."))
}

pub(super) enum Part {
    All,
    Here,
    Zone(i32),
}

impl Part {
    pub(super) fn read(zone: Option<&str>) -> Result<Part, ApiError> {
        Ok(match zone {
            None => Part::All,
            Some("here") => Part::Here,
            Some(number) => Part::Zone(number.parse().map_err(|_| ApiError::bad_request(Which::HOW))?),
        })
    }
}

pub(super) fn drawn(world: &World, name: &str, part: Part) -> Option<Map> {
    let who = world.find_player(name)?;
    let here = world.room_proto(world.character(who)?.room);
    let zone = match part {
        Part::All => None,
        Part::Here => Some(here.zone),
        Part::Zone(number) => Some(number),
    };
    let rooms: Vec<Room> = remembered(world, who, zone).iter().map(|room| room_of(world, room)).collect();
    let numbers: BTreeSet<i32> = rooms.iter().map(|room| room.zone).collect();
    let zones = numbers.into_iter().filter_map(|number| {
        let at = world.content.zone_index(number)?;
        Some(Zone { number, name: world.content.zones[at].name.to_string() })
    });
    Some(Map { tick: world.tick(), room: here.vnum, zone: here.zone, zones: zones.collect(), rooms })
}

fn room_of(world: &World, Remembered { room, ways }: &Remembered) -> Room {
    let proto = world.room_proto(*room);
    let exits = ways.iter().map(|way| Exit {
        direction: way.way.name().to_string(),
        to: way.to.map(|to| world.room_proto(to).vnum),
        door: way.door,
    });
    Room {
        vnum: proto.vnum,
        name: proto.name.to_string(),
        zone: proto.zone,
        terrain: proto.sector.name().to_string(),
        coords: world.content.place(*room),
        exits: exits.collect(),
    }
}
