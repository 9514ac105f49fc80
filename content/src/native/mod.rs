//! The native format of docs/CONTENT.md: a folder of TOML files, read and written.
//!
//! One file per kind of record holds both directions, so that they stay alike; `table` reads the fields of a record,
//! `text` writes them. Invariant: reading what `write` wrote gives the same content, except for the line numbers.

mod answers;
pub(crate) mod channels;
pub(crate) mod conjured;
pub(crate) mod dreams;
mod listing;
mod mobs;
mod night;
mod numbers;
mod objects;
pub(crate) mod plots;
mod resets;
mod rooms;
mod scripts;
pub(crate) mod sentences;
mod shops;
pub(crate) mod socials;
pub(crate) mod table;
mod tasks;
mod text;
mod wording;
mod world;

use crate::draft::Draft;
use crate::source::Source;
use crate::words::ResetMode;
use crate::{Content, MobProto, ObjectProto, RoomProto, Text, Vnum, ZoneProto};
pub use mobs::behaviour_in_toml;
use std::collections::{BTreeMap, BTreeSet};
use table::{File, Table, read_file};

/// Reads all records of a file of the zone with that number.
type ReadRecords = fn(&mut File, &mut Table, i32);

/// The files of a zone's folder beside `zone.toml`, and who reads them.
const ZONE_FILES: [(&str, ReadRecords); 8] = [
    ("rooms.toml", rooms::read),
    ("mobs.toml", mobs::read),
    ("objects.toml", objects::read),
    ("shops.toml", shops::read),
    ("answers.toml", answers::read),
    ("tasks.toml", tasks::read),
    ("plots.toml", plots::read),
    ("resets.toml", resets::read),
];

/// Reads everything but socials, channels and sentences, which worlds of both families may have. The result still has
/// to be indexed and checked.
pub(crate) fn read(draft: &mut Draft) {
    let source = draft.source;
    match source.files.get("world.toml") {
        Some(text) => read_file(draft, "world.toml", text, world::read),
        None => draft.problems.error("world.toml", 0, "the world has no world.toml"),
    }
    dreams::read(draft);
    let mut folders = BTreeSet::new();
    for path in source.files.keys().filter(|path| path.ends_with(".toml")) {
        match path.strip_prefix("zones/").and_then(|rest| rest.split_once('/')) {
            Some((folder, below)) => {
                folders.insert(folder);
                let (part, name) = below.split_once('/').map_or((None, below), |(part, name)| (Some(part), name));
                let is_the_zones = name == "zone.toml" && part.is_none();
                if !is_the_zones && ZONE_FILES.iter().all(|(known, _)| *known != name) {
                    draft.problems.warning(path, 0, "a zone has no file of this name: it is not read");
                }
            }
            None if matches!(
                path.as_str(),
                "world.toml" | "socials.toml" | channels::PATH | dreams::PATH | sentences::PATH
            ) => {}
            None => draft.problems.warning(path, 0, "a world has no file of this name: it is not read"),
        }
    }
    for folder in folders {
        zone_folder(draft, folder);
    }
    unread(draft);
}

/// Files and folders of other names, which may be slips of the pen. Of a folder in which nothing is read all files are
/// told at once.
fn unread(draft: &mut Draft) {
    let source = draft.source;
    let is_luau = |path: &&String| path.ends_with(".luau");
    let elsewhere = source.files.keys().filter(|path| !path.ends_with(".toml")).filter(|path| {
        let in_zone = path.strip_prefix("zones/").and_then(|rest| rest.split_once('/'));
        !(is_luau(path) && in_zone.is_some_and(|(_, below)| below.starts_with("scripts/")))
    });
    let mut told = BTreeSet::new();
    for path in elsewhere.chain(&source.others).filter(|path| !is_beside(path)) {
        let parts: Vec<&str> = path.split('/').collect();
        let folder = match parts[..] {
            ["zones", zone, part, _, ..] => format!("zones/{zone}/{part}/"),
            ["zones", ..] | [_] => String::new(),
            [folder, ..] => format!("{folder}/"),
            [] => continue,
        };
        let has_rows = |folder: &str| source.below(folder).any(|path| path.ends_with(".toml"));
        let is_read = |folder: &str| folder.ends_with("/scripts/") || has_rows(folder);
        let whole = !folder.is_empty() && !is_read(&folder);
        told.insert(if whole { folder } else { path.clone() });
    }
    for path in told {
        let what = match path.ends_with('/') {
            true => {
                "nothing in this folder is read: zones lie in `zones`, their scripts in `scripts`, and parts of them \
                     have the files of a zone"
            }
            false if is_luau(&&path) => "a script lies in the folder `scripts` of its zone: this one is not read",
            false => "a world has no file of this name: it is not read",
        };
        draft.problems.warning(&path, 0, what);
    }
}

/// What editors and people leave beside the files of a world: hidden files, former versions, and words to the reader.
fn is_beside(path: &str) -> bool {
    let is_former = |name: &str| {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        name.ends_with('~') || name.starts_with('#') || ["bak", "old", "orig", "rej", "swp", "tmp"].contains(&ending)
    };
    let is_for_people = |name: &str| name.starts_with("README") || name.starts_with("LICENSE");
    path.split('/').any(|part| part.starts_with('.'))
        || path.rsplit('/').next().is_some_and(|name| is_former(name) || is_for_people(name))
}

fn zone_folder(draft: &mut Draft, folder: &str) {
    let source = draft.source;
    let named = folder.split('_').next().and_then(|number| number.parse().ok());
    let zone_path = format!("zones/{folder}/zone.toml");
    let zone = source.files.get(&zone_path).and_then(|text| read_file(draft, &zone_path, text, world::read_zone));
    if !source.files.contains_key(&zone_path) {
        draft.problems.error(&zone_path, 0, "the zone has no zone.toml");
    }
    let number = match (zone, named) {
        (Some(zone), _) => {
            if named != Some(zone) {
                let what = format!("the folder's name should begin with the zone's number, {zone}_");
                draft.problems.warning(&zone_path, 0, what);
            }
            zone
        }
        (None, Some(number)) => {
            draft.content.zones.push(unread_zone(number));
            number
        }
        (None, None) => return,
    };
    for part in parts_of(source, folder) {
        for (name, read_records) in ZONE_FILES {
            let path = format!("zones/{folder}/{part}{name}");
            if let Some(text) = source.files.get(&path) {
                read_file(draft, &path, text, |file, root| read_records(file, root, number));
            }
        }
    }
    scripts::read_folder(draft, folder, number);
}

/// Where a zone's files lie below its folder: in itself (an empty name), then in its parts, by their names (`docks/`).
fn parts_of(source: &Source, folder: &str) -> BTreeSet<String> {
    let zone = format!("zones/{folder}/");
    let parts = source.below(&zone).filter(|path| path.ends_with(".toml"));
    let parts = parts.filter_map(|path| Some(format!("{}/", path[zone.len()..].split_once('/')?.0)));
    std::iter::once(String::new()).chain(parts).collect()
}

/// Stands for a zone whose `zone.toml` can't be read, so that its rooms have a zone.
fn unread_zone(number: i32) -> ZoneProto {
    let first = number.saturating_mul(100);
    ZoneProto {
        number,
        name: Text::from(""),
        builders: Text::from(""),
        first,
        last: first.saturating_add(99),
        more: Vec::new(),
        lifespan_minutes: world::LIFESPAN_MINUTES,
        reset_mode: ResetMode::Never,
        levels: (0, 0),
        rumour: Text::from(""),
        quarters: Vec::new(),
        resets: Vec::new(),
    }
}

/// Reads rows of rooms, mobs and objects that stand in one text. Rooms have no zone so far.
pub(crate) fn read_rows(draft: &mut Draft, path: &str, text: &str) {
    read_file(draft, path, text, |file, root| {
        for read_records in [rooms::read, mobs::read, objects::read] {
            read_records(file, root, 0);
        }
    });
}

/// A row as it stands in `rooms.toml`.
pub(crate) fn room_row(room: &RoomProto) -> String {
    text::rows(&[room], rooms::write)
}

/// A row as it stands in `mobs.toml`.
pub(crate) fn mob_row(mob: &MobProto) -> String {
    text::rows(&[mob], mobs::write)
}

/// A row as it stands in `objects.toml`.
pub(crate) fn object_row(object: &ObjectProto) -> String {
    text::rows(&[object], objects::write)
}

/// The files of a world in the native format, path → text, which `read` reads back.
///
/// Socials, channels and sentences are written only where they differ from the built-in ones. Mobs, objects, shops,
/// answers, tasks and plots go to the zone whose range holds their number, else to the last zone that begins before it.
/// Texts end with a line break and are the same for the same content.
pub fn write(content: &Content) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    files.insert("world.toml".to_owned(), world::write(content));
    if content.socials != socials::built_in() {
        files.insert("socials.toml".to_owned(), socials::write(&content.socials));
    }
    if content.channels != channels::built_in() {
        files.insert(channels::PATH.to_owned(), channels::write(&content.channels));
    }
    let sentences = sentences::write(&content.sentences);
    if !sentences.is_empty() {
        files.insert(sentences::PATH.to_owned(), sentences);
    }
    let dreams = dreams::write(content);
    if !dreams.is_empty() {
        files.insert(dreams::PATH.to_owned(), dreams);
    }
    let homes = Homes::of(content);
    let rooms = by_zone(content, &content.rooms, |room| content.zone_index(room.zone));
    // What the rules bring forth is no builder's.
    let home = |vnum: Vnum| if vnum < crate::vnum::CONJURED_FIRST { homes.of_number(vnum) } else { None };
    let mobs = by_zone(content, &content.mobs, |mob| home(mob.vnum));
    let objects = by_zone(content, &content.objects, |object| home(object.vnum));
    let shops = by_zone(content, &content.shops, |shop| homes.of_number(shop.vnum));
    let answers = by_zone(content, &content.answers, |answer| homes.of_number(answer.mob));
    let trades = by_zone(content, &content.trades, |trade| homes.of_number(trade.mob));
    let notices = by_zone(content, &content.notices, |(object, _)| homes.of_number(*object));
    let plots = by_zone(content, &content.plots, |plot| homes.of_number(plot.room));
    let tasks = by_zone(content, &content.tasks, |task| tasks::home(task, content).and_then(|of| homes.of_number(of)));
    for (index, zone) in content.zones.iter().enumerate() {
        let folder = format!("zones/{}", folder_name(zone));
        files.insert(format!("{folder}/zone.toml"), world::write_zone(zone));
        let texts = [
            ("rooms", text::rows(&rooms[index], rooms::write)),
            ("mobs", text::rows(&mobs[index], mobs::write)),
            ("objects", text::rows(&objects[index], objects::write)),
            ("shops", text::rows(&shops[index], shops::write)),
            ("answers", answers::write_file(&answers[index], &trades[index])),
            ("tasks", tasks::write(&notices[index], &tasks[index])),
            ("plots", text::rows(&plots[index], plots::write)),
            ("resets", resets::write(&zone.resets)),
        ];
        for (name, text) in texts.into_iter().filter(|(_, text)| !text.is_empty()) {
            files.insert(format!("{folder}/{name}.toml"), text);
        }
        let own = format!("{}/", zone.number);
        for script in &content.scripts {
            if let Some(name) = script.name.strip_prefix(&*own) {
                files.insert(format!("{folder}/scripts/{name}.luau"), script.source.to_string());
            }
        }
    }
    files
}

/// The records that each zone's folder gets, by the zone's index.
fn by_zone<'c, T>(content: &Content, records: &'c [T], zone: impl Fn(&T) -> Option<usize>) -> Vec<Vec<&'c T>> {
    let mut lists = vec![Vec::new(); content.zones.len()];
    for record in records {
        if let Some(index) = zone(record) {
            lists[index].push(record);
        }
    }
    lists
}

/// `80_market_the_walled_town`.
fn folder_name(zone: &ZoneProto) -> String {
    let mut name = zone.number.to_string();
    for word in zone.name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()) {
        name.push('_');
        name.push_str(&word.to_ascii_lowercase());
    }
    name
}

/// Which zone's folder a number is written to.
struct Homes {
    /// (first, last, index of the zone), sorted.
    ranges: Vec<(Vnum, Vnum, usize)>,
}

impl Homes {
    fn of(content: &Content) -> Homes {
        let zones = content.zones.iter().enumerate();
        let mut ranges: Vec<_> =
            zones.flat_map(|(index, zone)| zone.ranges().map(move |(first, last)| (first, last, index))).collect();
        ranges.sort_unstable();
        Homes { ranges }
    }

    fn of_number(&self, vnum: Vnum) -> Option<usize> {
        let holds = self.ranges.iter().find(|(first, last, _)| (*first..=*last).contains(&vnum));
        let before = || self.ranges.iter().rev().find(|(first, ..)| *first <= vnum);
        holds.or_else(before).or(self.ranges.first()).map(|(.., index)| *index)
    }
}
