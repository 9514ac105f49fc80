//! Where each record stood in the files, kept while reading so that problems found later name file and line.
//!
//! Thrown away after the checks: a running world does not carry it.

use crate::words::Direction;
use crate::{Text, Vnum};

/// A line in one of the files.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(crate) struct Place {
    /// Index into `Origins::files`.
    pub file: u32,
    /// From 1; 0 for the whole file.
    pub line: u32,
}

/// What is wrong, each with its place.
pub(crate) type Faults = Vec<(Place, String)>;

/// The places of all records, in the order they were read.
#[derive(Debug, Default)]
pub(crate) struct Origins {
    pub files: Vec<String>,
    pub zones: Vec<(i32, Place)>,
    pub rooms: Vec<(Vnum, Place)>,
    pub mobs: Vec<(Vnum, Place)>,
    pub objects: Vec<(Vnum, Place)>,
    pub shops: Vec<(Vnum, Place)>,
    /// By the mob that answers.
    pub answers: Vec<(Vnum, Place)>,
    /// By the mob that gives something for something.
    pub trades: Vec<(Vnum, Place)>,
    pub tasks: Vec<(Text, Place)>,
    /// By the room.
    pub plots: Vec<(Vnum, Place)>,
    pub scripts: Vec<(Text, Place)>,
    /// By the object.
    pub notices: Vec<(Vnum, Place)>,
    pub exits: Vec<((Vnum, Direction), Place)>,
    /// (Number of the zone, index of its first reset that stands there) → a file that holds resets of it.
    pub resets: Vec<((i32, usize), Place)>,
    /// In the order of `Content::hometowns`.
    pub hometowns: Vec<Place>,
    /// In the order of `Content::dreams`.
    pub dreams: Vec<Place>,
    /// Where the jail is named, if there is one.
    pub jail: Option<Place>,
    /// Where the hunters of the world are named, if there are any.
    pub hunters: Option<Place>,
    /// In the order of `Content::gates`.
    pub gates: Vec<Place>,
    /// Where it is said where the gates of arts lead, if it is.
    pub art_gate: Option<Place>,
    /// Where the start room is named, if it is.
    pub start_room: Option<Place>,
}

impl Origins {
    pub fn file(&mut self, path: &str) -> u32 {
        self.files.push(path.to_owned());
        self.files.len() as u32 - 1
    }

    pub fn path(&self, place: Place) -> &str {
        self.files.get(place.file as usize).map_or("", String::as_str)
    }

    /// Where the reset stands that has this index among those of its zone, and this line in its file.
    pub fn of_reset(&self, zone: i32, index: usize, line: u32) -> Place {
        let after = self.resets.partition_point(|(from, _)| *from <= (zone, index));
        let file = after.checked_sub(1).map(|before| self.resets[before]).filter(|((number, _), _)| *number == zone);
        file.map_or(Place::default(), |(_, place)| Place { line, ..place })
    }

    /// Orders every list by number, so that `place_of` can search. Of equal numbers the later stays later.
    pub fn sort(&mut self) {
        let Origins { zones, rooms, mobs, objects, shops, answers, trades, notices, plots, .. } = self;
        for list in [zones, rooms, mobs, objects, shops, answers, trades, notices, plots] {
            list.sort_by_key(|(number, _)| *number);
        }
        self.tasks.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.scripts.sort_by(|(one, _), (other, _)| one.cmp(other));
        self.exits.sort_by_key(|(exit, _)| *exit);
        self.resets.sort_by_key(|(from, _)| *from);
    }
}

/// The last place of `key` in a sorted list, which is the one whose record is kept.
pub(crate) fn place_of<K: Ord>(list: &[(K, Place)], key: &K) -> Place {
    let after = list.partition_point(|(k, _)| k <= key);
    match after.checked_sub(1).map(|i| &list[i]) {
        Some((k, place)) if k == key => *place,
        _ => Place::default(),
    }
}
