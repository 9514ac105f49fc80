//! What those see who look at the world from outside: pure functions of a world and of what one may see of it.
//!
//! Invariants: nothing here changes anything, and nothing asks the clock, so a view of the past is the same as one of
//! now. Who may see what is decided once, by whoever calls (`observatory`, `api`).

use content::Place;
use content::flags::DoorFlags;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use utoipa::ToSchema;
use world::character::{Character, Link};
use world::ranges::Ranges;
use world::{CharacterId, World};

/// Who plays it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A program.
    Agent,
    Person,
}

impl Kind {
    pub fn of(agent: bool) -> Kind {
        if agent { Kind::Agent } else { Kind::Person }
    }
}

/// Whom somebody fights.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Foe {
    pub name: String,
    /// As in `key` of a player; `null`: a mob, or one whom the viewer does not see.
    pub key: Option<String>,
    /// Of all hit points.
    pub hp_percent: i32,
}

/// A player in the world.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Being {
    /// By which the other calls know it.
    pub key: String,
    /// As others read it.
    pub name: String,
    pub kind: Kind,
    pub level: i32,
    /// The number of the room, with its name and its zone.
    pub room: i32,
    pub place: String,
    pub zone: i32,
    pub hp: i32,
    pub hp_max: i32,
    pub position: String,
    /// Its connection is lost.
    pub linkless: bool,
    pub fighting: bool,
    /// Whom; `null`: nobody, or one whom the viewer does not see.
    pub foe: Option<Foe>,
    /// Its mind may be looked at by anybody who may watch.
    pub open_mind: bool,
    #[serde(skip)]
    pub watchable: bool,
    /// WHO does not show it: an immortal who hides.
    #[serde(skip)]
    pub hidden: bool,
}

/// A mob, for operators.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Mob {
    /// Its instance id.
    pub key: String,
    pub name: String,
    pub level: i32,
    pub room: i32,
    pub hp_percent: i32,
    pub fighting: bool,
}

fn percent(one: &Character) -> i32 {
    (i64::from(one.hit.max(0)) * 100 / i64::from(one.now.hit_max.max(1))).clamp(0, 100) as i32
}

/// All players in the world, by their keys.
pub fn people(world: &World) -> BTreeMap<String, Arc<Being>> {
    let all = world.state.players.iter();
    all.filter_map(|(key, who)| Some((key.to_string(), Arc::new(being(world, key, *who)?)))).collect()
}

fn being(world: &World, key: &str, who: CharacterId) -> Option<Being> {
    let one = world.character(who)?;
    let player = one.player()?;
    let room = world.room_proto(one.room);
    let foe = one.fighting.and_then(|foe| world.character(foe)).map(|foe| Foe {
        name: foe.shown().to_string(),
        key: foe.player().is_some().then(|| foe.name.to_ascii_lowercase()),
        hp_percent: percent(foe),
    });
    Some(Being {
        key: key.to_string(),
        name: one.shown().to_string(),
        kind: Kind::of(player.agent),
        level: one.level,
        room: room.vnum,
        place: room.name.to_string(),
        zone: room.zone,
        hp: one.hit,
        hp_max: one.now.hit_max,
        position: one.position.name().to_string(),
        linkless: matches!(player.link, Link::Lost { .. }),
        fighting: foe.is_some(),
        foe,
        open_mind: player.has_open_mind(),
        watchable: player.is_watchable(),
        hidden: !world.is_listed(who),
    })
}

/// The mobs of a zone, by their keys.
pub fn mobs(world: &World, zone: i32) -> BTreeMap<String, Mob> {
    let here = world.state.characters.iter().filter(|(_, one)| one.player().is_none());
    let here = here.filter(|(_, one)| world.room_proto(one.room).zone == zone);
    let mobs = here.map(|(who, one)| {
        let key = world.instance_of(who).to_string();
        let mob = Mob {
            key: key.clone(),
            name: one.name.to_string(),
            level: one.level,
            room: world.room_proto(one.room).vnum,
            hp_percent: percent(one),
            fighting: one.fighting.is_some(),
        };
        (key, mob)
    });
    mobs.collect()
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct ZoneName {
    pub number: i32,
    pub name: String,
}

/// Zones that somebody may see anything of, in the world's order.
pub fn zones(world: &World, sees: impl Fn(i32) -> bool) -> Vec<ZoneName> {
    let seen = |zone: i32| world.content.rooms.iter().any(|room| room.zone == zone && sees(room.vnum));
    let all = world.content.zones.iter().map(|zone| (zone.number, &zone.name)).filter(|(number, _)| seen(*number));
    all.map(|(number, name)| ZoneName { number, name: name.to_string() }).collect()
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Spot {
    pub vnum: i32,
    pub name: String,
    pub terrain: String,
    /// To the east, to the north, upwards, on the map of the zone.
    #[schema(value_type = [i32; 3])]
    pub coords: Place,
    pub exits: Vec<Way>,
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, ToSchema)]
pub struct Way {
    pub direction: String,
    /// The number of a room; `null`: one that the viewer has not seen.
    pub to: Option<i32>,
    pub door: bool,
}

/// The rooms of a zone that somebody may see. Ways that are hidden are left out, but for `all`.
pub fn rooms(world: &World, zone: i32, all: bool, sees: impl Fn(i32) -> bool) -> Vec<Spot> {
    let rooms = world.content.rooms.iter().filter(|room| room.zone == zone && sees(room.vnum));
    let spots = rooms.map(|room| {
        let ways = room.exits.iter().filter(|exit| all || !exit.door.has(DoorFlags::HIDDEN));
        let exits = ways.filter_map(|exit| {
            let to = exit.to?;
            let door = exit.door.has(DoorFlags::DOOR);
            Some(Way { direction: exit.direction.name().into(), to: sees(to).then_some(to), door })
        });
        Spot {
            vnum: room.vnum,
            name: room.name.to_string(),
            terrain: room.sector.name().to_string(),
            coords: world.content.room_id(room.vnum).map_or_else(Place::default, |id| world.content.place(id)),
            exits: exits.collect(),
        }
    });
    spots.collect()
}

/// The hour and the date of the game: `6 o'clock in the evening, Millday, 4 Sowing 612`.
pub fn game_time(world: &World) -> String {
    let clock = world.state.clock;
    format!("{}, {}, {}", clock.date().hour_in_words(), clock.day_name(), clock.date())
}

/// The rooms that watchable characters have seen, or are in.
pub fn known_rooms(world: &World) -> Ranges {
    let mut known = Ranges::default();
    for one in world.state.players.values().filter_map(|who| world.character(*who)) {
        if let Some(player) = one.player().filter(|player| player.is_watchable()) {
            known.insert_all(&player.past.rooms);
            known.insert(world.room_proto(one.room).vnum);
        }
    }
    known
}
