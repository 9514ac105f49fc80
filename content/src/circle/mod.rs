//! Reader of Circle-family folders: CircleMUD 3.0 and 3.1, tbaMUD and Dark Pawns (game reference §1.2 to §1.5).
//!
//! The `index` file of each folder says what is loaded. A record that can't be read is an error with its line, and
//! reading goes on with the next record. Scripts and triggers are skipped with one warning per file; the random-room
//! vnums of Dark Pawns are left as they are. Invariant: no input makes it panic.

mod dialect;
mod file;
mod flags;
mod lexer;
mod mobs;
mod objects;
mod rooms;
mod shops;
mod zones;

use crate::draft::Draft;
use crate::source::Source;
use crate::{Hometown, Vnum};
use dialect::Dialect;
use file::File;
use std::collections::BTreeSet;

/// Folders below the given one in which the world may stand.
const PREFIXES: [&str; 4] = ["", "world/", "lib/world/", "lib/"];

/// Where the way home leads in a Dark Pawns world, for those of the rooms that exist: key, name, room.
const HOMETOWNS: [(char, &str, Vnum); 3] =
    [('K', "Kir Drax'in", 8004), ('O', "Kir-Oshi", 18201), ('A', "Alaozar", 21258)];

/// Reads all records of a file.
type ReadFile = fn(&mut File);

/// The folder with the `wld` folder in it, if the source is a Circle-family world; ends with `/` or is empty.
pub(crate) fn prefix(source: &Source) -> Option<&'static str> {
    PREFIXES.into_iter().find(|prefix| {
        let folder = format!("{prefix}wld/");
        source.below(&folder).any(|path| path.ends_with(".wld") || path.ends_with("/index"))
    })
}

/// Reads everything. The result still has to be indexed and checked.
pub(crate) fn read(draft: &mut Draft, prefix: &str) {
    let source = draft.source;
    let [zon, wld, mob, obj, shp] =
        ["zon", "wld", "mob", "obj", "shp"].map(|ending| listed_files(draft, prefix, ending));
    let texts = |paths: &[String]| -> Vec<&str> {
        paths.iter().filter_map(|path| source.files.get(path)).map(String::as_str).collect()
    };
    let dialect = Dialect::of_files(
        texts(&obj).into_iter(),
        texts(&zon).into_iter(),
        texts(&wld).into_iter(),
        texts(&mob).into_iter(),
    );
    let kinds: [(&[String], ReadFile); 5] =
        [(&zon, zones::read), (&wld, rooms::read), (&mob, mobs::read), (&obj, objects::read), (&shp, shops::read)];
    for (paths, read_file) in kinds {
        for path in paths {
            if let Some(text) = source.files.get(path) {
                let text = Source::with_plain_line_breaks(text);
                read_file(&mut File::new(draft, path, &text, dialect));
            }
        }
    }
    zones::give_rooms_to_zones(draft);
    if dialect == Dialect::DarkPawns {
        name_hometowns(draft);
    }
}

/// Paths of the files that the folder's index lists, in its order; without an index all of them, in number order.
fn listed_files(draft: &mut Draft, prefix: &str, ending: &str) -> Vec<String> {
    let source = draft.source;
    let folder = format!("{prefix}{ending}/");
    let index_path = format!("{folder}index");
    let Some(index) = source.files.get(&index_path) else {
        let mut files: Vec<String> = source
            .below(&folder)
            .filter(|path| path.strip_suffix(ending).is_some_and(|rest| rest.ends_with('.')))
            .map(str::to_owned)
            .collect();
        files.sort_by_key(|path| (file_number(path), path.clone()));
        if !files.is_empty() {
            let count = files.len();
            draft.problems.warning(&index_path, 0, format!("there is no index: all {count} .{ending} files are read"));
        }
        return files;
    };
    let mut listed = Vec::new();
    let mut seen = BTreeSet::new();
    for (number, line) in (1..).zip(index.lines()) {
        let name = line.trim();
        if name.starts_with('$') {
            break;
        }
        if name.is_empty() || name.starts_with('*') {
            continue;
        }
        let path = format!("{folder}{name}");
        if !source.files.contains_key(&path) {
            draft.problems.error(&index_path, number, format!("{name} is listed and does not exist"));
        } else if !seen.insert(path.clone()) {
            draft.problems.warning(&index_path, number, format!("{name} is listed twice and read once"));
        } else {
            listed.push(path);
        }
    }
    listed
}

/// The number that a file is named by; files without one come last.
fn file_number(path: &str) -> u64 {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.split('.').next().and_then(|stem| stem.parse().ok()).unwrap_or(u64::MAX)
}

fn name_hometowns(draft: &mut Draft) {
    for (key, name, room) in HOMETOWNS {
        if draft.content.rooms.iter().any(|r| r.vnum == room) {
            let name = draft.texts.share(name);
            draft.content.hometowns.push(Hometown { key, name, room });
        }
    }
}
