//! Where the player is, for mappers: the room's number, in the dark too, and where the ways lead that it can see.

use super::message::{Known, MessageRow, Source};
use crate::encode::known::PLACE;
use serde_json::{Value, json};

pub const ROW: MessageRow =
    MessageRow { name: "Room.Info", source: Source::State { needs: PLACE, write, changes: false } };

fn write(known: &Known) -> Option<Value> {
    let place = known.place()?;
    Some(json!({
        "num": place.number,
        "name": place.name,
        "area": place.area,
        "environment": place.terrain,
        "exits": place.exits,
        "coords": place.coords,
    }))
}
