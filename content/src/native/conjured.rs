//! What the rules bring forth: prototypes of their own (`data/rules/conjured.toml`), and what a world has in their
//! place.

use super::table::{File, Table, read_file};
use super::text::{Toml, quoted};
use super::{mobs, objects};
use crate::draft::Draft;
use crate::vnum::CONJURED_FIRST;
use crate::{Content, Text, Vnum};

const BOOK: &str = include_str!("../../../data/rules/conjured.toml");
const PATH: &str = "rules/conjured.toml";

/// Reads the rule book's own, before anything of the world.
pub(crate) fn read(draft: &mut Draft) {
    let book = draft.source.book.get("conjured.toml").map_or(BOOK, String::as_str);
    read_file(draft, PATH, book, |file, root| {
        if let Some(mut names) = file.table(root, "conjured") {
            for name in file.keys(&names) {
                if let Some(vnum) = file.needed(&mut names, &name) {
                    file.draft.content.conjured.insert(name, vnum);
                }
            }
            file.end(names);
        }
        mobs::read(file, root, 0);
        objects::read(file, root, 0);
    });
}

/// `[conjured]` of a world: what stands in place of the rule book's own.
pub(super) fn read_own(file: &mut File, root: &mut Table) {
    let Some(mut names) = file.table(root, "conjured") else { return };
    let known: Vec<Text> = file.draft.content.conjured.keys().cloned().collect();
    for name in known {
        if let Some(vnum) = file.field::<Vnum>(&mut names, &name) {
            file.draft.content.conjured.insert(name, vnum);
        }
    }
    file.end(names);
}

pub(super) fn write_own(content: &Content, toml: &mut Toml) {
    let own: Vec<(&Text, &Vnum)> = content.conjured.iter().filter(|(_, vnum)| **vnum < CONJURED_FIRST).collect();
    if own.is_empty() {
        return;
    }
    toml.header("[conjured]");
    for (name, vnum) in own {
        toml.raw(&quoted(name), vnum);
    }
}
