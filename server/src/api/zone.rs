//! `GET /api/v1/world?zone=`: a zone, and who is where in it. Operators see everybody and the whole zone; others what
//! they may watch, as late as the observatory shows it, in the rooms that they have seen (visitors: that any watchable
//! character has).

use super::error::{ApiError, Failure, Query, Wanted};
use super::past::now_only;
use super::viewer::{Viewer, eye};
use crate::lobby::Lobby;
use crate::observatory::{Eye, Observatory};
use crate::views::{self, Being, Spot};
use axum::Extension;
use axum::extract::State;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::{IntoParams, ToSchema};
use world::World;
use world::past::Past;

pub(super) const NOTHING: &str = "There is no such zone, or nothing that you may see of it.";

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct Which {
    /// The number of the zone.
    #[param(example = 1)]
    pub(super) zone: i32,
    /// The state when this tick had run; see `/api/v1/past`.
    pub(super) tick: Option<u64>,
}

impl Wanted for Which {
    const HOW: &'static str = "The world is looked at by zones: name the number of one, as in /api/v1/world?zone=80.";
}

#[derive(Serialize, ToSchema)]
pub struct Part {
    /// Of the characters.
    tick: u64,
    zone: i32,
    name: String,
    rooms: Vec<Spot>,
    /// Players; by name.
    #[schema(value_type = Vec<Being>)]
    characters: Vec<Arc<Being>>,
}

/// Which rooms an eye sees on a map.
pub(super) fn sight(
    world: &World,
    observatory: &Observatory,
    eye: &Eye,
    past: Option<Arc<Past>>,
) -> impl Fn(i32) -> bool {
    let known = (*eye == Eye::Visitor).then(|| observatory.known_rooms(world));
    let is_operator = matches!(eye, Eye::Operator { .. });
    move |room| {
        let has_seen = past.as_ref().is_some_and(|past| past.rooms.contains(room));
        is_operator || has_seen || known.as_ref().is_some_and(|known| known.contains(room))
    }
}

/// A zone as an operator sees it, with all that is in it; `None`: there is none of that number.
pub(super) fn whole(world: &World, zone: i32) -> Option<Part> {
    let at = world.content.zone_index(zone)?;
    let rooms = views::rooms(world, zone, true, |_| true);
    let people = views::people(world).into_values().filter(|one| one.zone == zone).collect();
    Some(Part::of(world, at, rooms, world.tick(), people))
}

impl Part {
    fn of(world: &World, at: usize, rooms: Vec<Spot>, tick: u64, mut characters: Vec<Arc<Being>>) -> Part {
        characters.sort_by(|one, other| one.name.cmp(&other.name));
        let zone = &world.content.zones[at];
        Part { tick, zone: zone.number, name: zone.name.to_string(), rooms, characters }
    }
}

/// Who is where in a zone
///
/// Visitors and players see of it what they may watch (`/api/v1/watch` says what that is).
#[utoipa::path(
    get, path = "/api/v1/world", tag = "world", params(Which), security((), ("bearer" = [])),
    responses(
        (status = 200, description = "The zone.", body = Part, example = json!({
            "tick": 5021, "zone": 1, "name": "The Green",
            "rooms": [{
                "vnum": 101, "name": "The Well", "terrain": "city", "coords": [0, 1, 0],
                "exits": [{"direction": "south", "to": 100, "door": false}]
            }],
            "characters": [{
                "key": "brenda", "name": "Brenda", "kind": "agent", "level": 4, "room": 101, "place": "The Well",
                "zone": 1, "hp": 31, "hp_max": 40, "position": "standing", "linkless": false, "fighting": false,
                "foe": null, "open_mind": false
            }]
        })),
        (status = "default", description = "There is no such zone, or nothing that you may see of it.", body = Failure),
    )
)]
pub async fn world(
    State(lobby): State<Arc<Lobby>>,
    State(observatory): State<Arc<Observatory>>,
    Extension(viewer): Extension<Viewer>,
    Query(Which { zone, tick }): Query<Which>,
) -> Result<Json<Part>, ApiError> {
    now_only(tick)?;
    let (eye, past) = eye(&lobby, &viewer).await?;
    let nothing = || ApiError::not_found(NOTHING);
    let is_operator = matches!(eye, Eye::Operator { .. });
    if eye == Eye::Visitor && !observatory.admits(&eye) {
        return Err(nothing());
    }
    let world = lobby.engine.with_world(World::clone);
    let at = world.content.zone_index(zone).ok_or_else(nothing)?;
    let rooms = views::rooms(&world, zone, is_operator, sight(&world, &observatory, &eye, past.clone()));
    if rooms.is_empty() {
        return Err(nothing());
    }
    let scene = observatory.people(&eye, past);
    let characters = scene.people.into_values().filter(|one| one.zone == zone).collect();
    Ok(Json(Part::of(&world, at, rooms, scene.tick, characters)))
}
