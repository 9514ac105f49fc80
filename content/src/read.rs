//! From texts to checked content: finds out what kind of world it is, reads it, indexes it and checks it.
//!
//! Leaves the formats to `native` and `circle` and the rules between records to `check`. Invariant: takes values and
//! gives values; whatever the texts are, it returns.

use crate::check::{Family, check};
use crate::content::Content;
use crate::draft::{Draft, ReadOptions};
use crate::problem::Problems;
use crate::source::Source;
use crate::{circle, native};
use std::collections::BTreeMap;

/// Reads a world: native where there is a `world.toml` or a `zones` folder, else a Circle-family folder (`wld`, `mob`,
/// `obj`, `zon`, `shp`, here or below `world/` or `lib/world/`).
///
/// Always returns content, without what could not be read; `Problems::has_errors` says whether it should be played.
/// Problems are sorted: errors first, each by file and line.
///
/// Whatever is referred to and does not exist is a problem. In a Circle world it is a warning, and exits, keys and
/// products that point nowhere are taken out; in a native one it is an error and they stay. Resets that name what does
/// not exist stay in both, since later ones depend on them: they can't succeed.
///
/// What follows from something else is not told: while a file cannot be parsed nothing is said of what is between
/// files, and while anything is wrong nothing of what can be reached.
pub fn read(source: &Source, options: &ReadOptions) -> (Content, Problems) {
    let mut draft = Draft::of(source);
    read_book(&mut draft);
    let family = if source.files.contains_key("world.toml") || source.below("zones/").next().is_some() {
        native::read(&mut draft);
        Family::Native
    } else if let Some(prefix) = circle::prefix(source) {
        circle::read(&mut draft, prefix);
        Family::Circle
    } else {
        draft.problems.error("world.toml", 0, "there is no world here: neither a world.toml nor a wld folder");
        Family::Native
    };
    native::socials::read(&mut draft);
    native::channels::read(&mut draft);
    native::sentences::read(&mut draft);
    draft.content.shrink_to_fit();
    draft.content.build_look_ups();
    draft.origins.sort();
    check(&mut draft, family, options);
    draft.problems.sort();
    (draft.content, draft.problems)
}

fn read_book(draft: &mut Draft) {
    native::conjured::read(draft);
    native::plots::read_book(draft);
}

/// What is wrong with files of a rule book that are read with each world (`BOOK_FILES`), where there is no world.
pub fn check_book(book: BTreeMap<String, String>) -> Problems {
    let source = Source { book, ..Source::default() };
    let mut draft = Draft::of(&source);
    read_book(&mut draft);
    draft.problems
}
