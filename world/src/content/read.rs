//! From texts to checked content: finds out what kind of world it is, reads it, indexes it and checks it.
//!
//! Leaves the formats to `native` and `circle` and the rules between records to `check`. Invariant: takes values and
//! gives values; whatever the texts are, it returns.

use super::origins::Origins;
use super::problem::Problems;
use super::source::Source;
use super::texts::Texts;
use super::{Content, Vnum, check, circle, native, socials};

/// What the caller may decide about a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Overrides the start room of the world; must exist.
    pub start_room: Option<Vnum>,
}

/// Everything that a reader writes to.
pub(super) struct Reading<'s> {
    pub source: &'s Source,
    pub content: Content,
    pub problems: Problems,
    pub origins: Origins,
    pub texts: Texts,
}

/// The two families of worlds, which differ in what may be wrong with them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    Native,
    Circle,
}

/// Reads a world: native where there is a `world.toml` or a `zones` folder, else a Circle-family folder (`wld`, `mob`,
/// `obj`, `zon`, `shp`, here or below `world/` or `lib/world/`).
///
/// Always returns content, without what could not be read; `Problems::has_errors` says whether it should be played.
/// Problems are sorted by file and line.
///
/// Whatever is referred to and does not exist is a problem. In a Circle world it is a warning, and exits, keys and
/// products that point nowhere are taken out; in a native one it is an error and they stay. Resets that name what does
/// not exist stay in both, since later ones depend on them: they can't succeed.
pub fn read(source: &Source, options: &ReadOptions) -> (Content, Problems) {
    let mut reading = Reading {
        source,
        content: Content::default(),
        problems: Problems::default(),
        origins: Origins::default(),
        texts: Texts::default(),
    };
    let family = if source.files.contains_key("world.toml") || source.below("zones/").next().is_some() {
        native::read(&mut reading);
        Family::Native
    } else if let Some(prefix) = circle::prefix(source) {
        circle::read(&mut reading, prefix);
        Family::Circle
    } else {
        reading.problems.error("world.toml", 0, "there is no world here: neither a world.toml nor a wld folder");
        Family::Native
    };
    socials::read(&mut reading);
    reading.content.shrink_to_fit();
    reading.content.build_look_ups();
    reading.origins.sort();
    check::check(&mut reading, family, options);
    reading.problems.0.sort_by(|a, b| (&a.file, a.line).cmp(&(&b.file, b.line)));
    (reading.content, reading.problems)
}
