//! Which other players are here, with a mark for those that programs play: all of them where the player has come to
//! another room, then who comes and goes. In a crowd the list is long and somebody comes at every moment.

use super::Sent;
use super::message::{Known, MessageRow, Source, json_of};
use protocol::variables::Variable;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::collections::{BTreeMap, BTreeSet};

pub const ROW: MessageRow = MessageRow {
    name: "Room.Players",
    source: Source::Company { needs: &[Variable::RoomPlayers, Variable::RoomVnum] },
};
const ADDED: &str = "Room.AddPlayer";
const REMOVED: &str = "Room.RemovePlayer";
pub const CHANGES: [&str; 2] = [ADDED, REMOVED];

/// What is told of an entry of the variable. The name is a string of JSON.
#[derive(Deserialize)]
struct Seen<'k> {
    #[serde(borrow)]
    name: &'k RawValue,
    agent: bool,
}

#[derive(Serialize)]
struct Told<'k> {
    name: &'k RawValue,
    fullname: &'k RawValue,
    agent: bool,
}

impl<'k> From<&Seen<'k>> for Told<'k> {
    fn from(seen: &Seen<'k>) -> Told<'k> {
        Told { name: seen.name, fullname: seen.name, agent: seen.agent }
    }
}

/// Whom a client knows to be where the player is.
#[derive(Default)]
pub struct Company {
    /// `None`: it was told of nobody yet.
    pub room: Option<i32>,
    /// By the JSON of their names, with whether programs play them.
    players: BTreeMap<Box<str>, bool>,
}

impl Company {
    /// What the client does not know yet; `by_changes`: it can be told who comes and goes.
    pub fn tell(&mut self, known: &Known, by_changes: bool, sent: &mut Vec<Sent>) {
        let Some(seen) = known.read::<Vec<Seen<'_>>>(Variable::RoomPlayers) else { return };
        let Some(room) = known.read::<i32>(Variable::RoomVnum) else { return };
        let is_known = |one: &&Seen<'_>| self.players.get(one.name.get()) == Some(&one.agent);
        let new: Vec<&Seen<'_>> = seen.iter().filter(|one| !is_known(one)).collect();
        let here: BTreeSet<&str> = seen.iter().map(|one| one.name.get()).collect();
        let gone: Vec<Box<str>> = self.players.keys().filter(|name| !here.contains(&***name)).cloned().collect();
        let is_elsewhere = self.room != Some(room);
        let was_told = self.room.replace(room).is_some();
        if was_told && new.is_empty() && gone.is_empty() && (!is_elsewhere || seen.is_empty()) {
            return;
        }
        if is_elsewhere || !by_changes {
            sent.push((ROW.name, json_of(&seen.iter().map(Told::from).collect::<Vec<_>>())));
        } else {
            sent.extend(gone.iter().map(|name| (REMOVED, name.to_string())));
            sent.extend(new.iter().map(|one| (ADDED, json_of(&Told::from(*one)))));
        }
        gone.iter().for_each(|name| _ = self.players.remove(name));
        self.players.extend(new.iter().map(|one| (one.name.get().into(), one.agent)));
    }
}
