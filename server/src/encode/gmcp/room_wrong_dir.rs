//! There is no way where the player wanted to go: a mapper takes its step back.

use super::message::{Known, MessageRow, Source};
use protocol::outcome::Outcome;
use protocol::variables::Variable;
use serde_json::{Value, json};
use world::report::Line;

const DIRECTIONS: [&str; 6] = ["north", "east", "south", "west", "up", "down"];

pub const ROW: MessageRow = MessageRow { name: "Room.WrongDir", source: Source::Line(write) };

fn write(known: &Known, line: &Line) -> Option<Value> {
    let Some(Outcome::Refused { command, .. }) = line.outcome.as_deref() else { return None };
    let way = DIRECTIONS.iter().find(|way| !command.is_empty() && way.starts_with(&*command.to_ascii_lowercase()))?;
    // Who cannot walk now, or finds a door closed, was not wrong about the way.
    let ways: Vec<&str> = known.read(Variable::RoomExits)?;
    (!ways.contains(way)).then(|| json!(way[..1]))
}
