//! The texts that a world is read from. Whoever reads the disk fills a `Source`; nothing here does IO.
//!
//! Invariant: paths are relative to the world folder and always written with `/`, on every system.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

/// Path below the world folder → text.
///
/// What to put in: of a native world every `*.toml` and `*.luau` at any depth; of a Circle-family folder every
/// `*.wld`, `*.mob`, `*.obj`, `*.zon`, `*.shp` and every file called `index`, at any depth. Everything else may be left
/// out; the readers look at nothing else. A folder that holds the world deeper down (`lib`, `lib/world`) can be given
/// as it is.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Source {
    pub files: BTreeMap<String, String>,
    /// Paths of files that are there and that no reader looks at, so that a builder can be told of them; may be left
    /// empty.
    pub others: BTreeSet<String>,
    /// Files of another rule book than the one that ships, by their names: of those that are read with a world
    /// (`BOOK_FILES`).
    pub book: BTreeMap<String, String>,
}

/// Files of the rule book that are read with each world: what rules bring forth, and what can be built on plots.
pub const BOOK_FILES: [&str; 2] = ["conjured.toml", "plots.toml"];

impl Source {
    /// A source of the given (path, text) pairs; backslashes in paths become `/`.
    pub fn of<P: Into<String>, T: Into<String>>(files: impl IntoIterator<Item = (P, T)>) -> Source {
        let files = files.into_iter().map(|(path, text)| (path.into().replace('\\', "/"), text.into())).collect();
        Source { files, ..Source::default() }
    }

    /// True for paths that the readers may look at; the others need not be read from the disk.
    pub fn wants(path: &str) -> bool {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        name == "index" || matches!(ending, "toml" | "luau" | "wld" | "mob" | "obj" | "zon" | "shp")
    }

    /// Text of a file's bytes: UTF-8 where it is valid, else each byte is its Latin-1 character, as in the old files.
    pub fn latin1_or_utf8(bytes: &[u8]) -> String {
        match std::str::from_utf8(bytes) {
            Ok(text) => text.strip_prefix('\u{feff}').unwrap_or(text).to_owned(),
            Err(_) => bytes.iter().map(|&byte| char::from(byte)).collect(),
        }
    }

    /// The text with every line break as `\n`.
    pub(crate) fn with_plain_line_breaks(text: &str) -> Cow<'_, str> {
        if text.contains('\r') {
            Cow::Owned(text.replace("\r\n", "\n").replace('\r', "\n"))
        } else {
            Cow::Borrowed(text)
        }
    }

    /// Paths below `folder` (which ends with `/`, or is empty for all), in order.
    pub(crate) fn below<'s>(&'s self, folder: &'s str) -> impl Iterator<Item = &'s str> {
        self.files.range(folder.to_owned()..).map(|(path, _)| path.as_str()).take_while(move |p| p.starts_with(folder))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_not_utf8_are_read_as_latin1() {
        assert_eq!(Source::latin1_or_utf8("blåbær".as_bytes()), "blåbær");
        assert_eq!(Source::latin1_or_utf8(b"bl\xe5b\xe6r"), "blåbær");
    }

    #[test]
    fn only_files_that_a_reader_looks_at_are_wanted() {
        for wanted in [
            "world.toml",
            "zones/80_town/rooms.toml",
            "zones/80_town/scripts/ferry.luau",
            "wld/index",
            "lib/world/wld/30.wld",
            "shp\\30.shp",
        ] {
            assert!(Source::wants(wanted), "{wanted}");
        }
        for unwanted in ["wld/30.wld.old", "text/motd", "wld/index.mini", "trg/0.trg", "README"] {
            assert!(!Source::wants(unwanted), "{unwanted}");
        }
    }

    #[test]
    fn a_folder_lists_only_what_is_below_it() {
        let source = Source::of([("a/1", ""), ("ab/2", ""), ("a/b/3", ""), ("z", "")]);
        assert_eq!(source.below("a/").collect::<Vec<_>>(), ["a/1", "a/b/3"]);
        assert_eq!(source.below("").count(), 4);
    }
}
