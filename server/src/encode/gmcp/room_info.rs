//! Where the player is, for mappers: the room's number, in the dark too, and where the ways lead that it can see.

use super::message::{Known, MessageRow, Source, json_of};
use crate::encode::known::{Exits, PLACE};
use serde::Serialize;
use serde_json::value::RawValue;

pub const ROW: MessageRow = MessageRow { name: "Room.Info", source: Source::Whole { needs: PLACE, write } };

#[derive(Serialize)]
struct Info<'k> {
    num: i32,
    name: &'k RawValue,
    area: &'k str,
    environment: &'static str,
    exits: Exits,
    coords: [i32; 3],
}

fn write(known: &Known) -> Option<String> {
    let place = known.place()?;
    Some(json_of(&Info {
        num: place.number,
        name: place.name,
        area: place.area,
        environment: place.terrain,
        exits: place.exits,
        coords: place.coords,
    }))
}
