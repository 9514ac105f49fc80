//! Where the player is, for mappers: the room's number, in the dark too, and where the ways lead that it can see.

use super::message::{Known, MessageRow, Source};
use content::words::Direction;
use protocol::variables::Variable;
use serde_json::{Map, Value, json};

pub const ROW: MessageRow = MessageRow {
    name: "Room.Info",
    source: Source::State {
        needs: &[Variable::RoomVnum, Variable::RoomName, Variable::RoomExits],
        write,
        changes: false,
    },
};

fn write(known: &Known) -> Option<Value> {
    let vnum = known.value(Variable::RoomVnum)?;
    let name = known.value(Variable::RoomName)?;
    let seen = known.value(Variable::RoomExits)?.as_array()?;
    let number = i32::try_from(vnum.as_i64()?).ok()?;
    let room = known.content.room_id(number).map(|id| known.content.room(id));
    let zone = room.and_then(|room| known.content.zone_index(room.zone)).map(|at| &known.content.zones[at]);
    let mut exits = Map::new();
    for way in seen.iter().filter_map(Value::as_str) {
        let Some(direction) = Direction::named(way) else { continue };
        let exit = room.and_then(|room| room.exits.iter().find(|exit| exit.direction == direction));
        if let Some(to) = exit.and_then(|exit| exit.to) {
            exits.insert(way.chars().take(1).collect(), json!(to));
        }
    }
    Some(json!({
        "num": vnum,
        "name": name,
        "area": zone.map_or("", |zone| &zone.name),
        "environment": room.map_or("", |room| room.sector.name()),
        "exits": exits,
    }))
}
