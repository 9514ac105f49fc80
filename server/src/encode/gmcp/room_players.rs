//! Which other players are here, with a mark for those that programs play.

use super::message::{Known, MessageRow, Source};
use protocol::variables::Variable;
use serde_json::{Value, json};

pub const ROW: MessageRow = MessageRow {
    name: "Room.Players",
    source: Source::State { needs: &[Variable::RoomPlayers], write, changes: false },
};

fn write(known: &Known) -> Option<Value> {
    let players = known.value(Variable::RoomPlayers)?.as_array()?;
    let row = |player: &Value| json!({"name": player["name"], "fullname": player["name"], "agent": player["agent"]});
    Some(players.iter().map(row).collect())
}
