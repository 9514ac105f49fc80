//! What a content is known by: a fingerprint of all that play depends on, and the numbers behind its indices.
//!
//! A journal names the fingerprint of the content that it was written with; a snapshot carries the index, so that a
//! state, which refers to rooms and mobs by index, can go on with other content (`adopt` in `world`). Invariant: they
//! depend neither on the machine, nor on where the files stood, nor on the order and lines in which they were read.

use crate::content::Content;
use crate::hash;
use crate::vnum::Vnum;
use serde::{Deserialize, Serialize};

/// The vnums at each index of a content: ascending, none twice.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ContentIndex {
    pub rooms: Vec<Vnum>,
    pub mobs: Vec<Vnum>,
    pub objects: Vec<Vnum>,
    /// Numbers of the zones.
    pub zones: Vec<i32>,
}

impl Content {
    /// XXH3-64 over everything that builders wrote and play reads: prototypes with their texts, resets, shops, answers,
    /// trades, tasks, plots with the book of their kinds, socials, channels, hometowns, dreams, the jail, hunters,
    /// gates, the start room. Left out are the world's name, greeting, message of the day, story, listing and
    /// sentences, which only people read. Takes about as long as encoding the content.
    pub fn fingerprint(&self) -> u64 {
        hash::of(&(
            &self.zones,
            &self.rooms,
            &self.mobs,
            &self.objects,
            (&self.shops, &self.answers, &self.trades, &self.tasks, &self.notices),
            (&self.plots, &self.plot_kinds, &self.plot_tasks),
            &self.socials,
            &self.channels,
            (&self.hometowns, &self.conjured, &self.jail, &self.dreams, &self.hunters, &self.gates),
            self.art_gate,
            self.start_room,
        ))
    }

    pub fn index(&self) -> ContentIndex {
        ContentIndex {
            rooms: self.rooms.iter().map(|room| room.vnum).collect(),
            mobs: self.mobs.iter().map(|mob| mob.vnum).collect(),
            objects: self.objects.iter().map(|object| object.vnum).collect(),
            zones: self.zones.iter().map(|zone| zone.number).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, Source, read, write};

    const WORLD: &[(&str, &str)] = &[
        ("world.toml", "name = \"Test\"\nstart_room = 100\nmotd = \"Welcome.\"\n"),
        ("zones/1_green/zone.toml", "number = 1\nname = \"Green\"\nfirst = 100\nlast = 199\nlifespan_minutes = 20\n"),
        ("zones/1_green/rooms.toml", "[[room]]\nvnum = 100\nname = \"A Green\"\ndescription = \"Grass.\"\n"),
    ];

    fn content(files: &[(&str, &str)]) -> Content {
        let (content, problems) = read(&Source::of(files.iter().copied()), &ReadOptions::default());
        assert!(!problems.has_errors(), "{:?}", problems.0);
        content
    }

    #[test]
    fn one_changed_word_is_another_fingerprint() {
        let before = content(WORLD);
        assert_eq!(before.fingerprint(), content(WORLD).fingerprint());
        for (old, new, differs, why) in [
            ("Grass.", "Moss.", true, "a word of a description"),
            ("lifespan_minutes = 20", "lifespan_minutes = 21", true, "when a zone is reset"),
            ("A Green", "A  Green", true, "a blank"),
            ("Welcome.", "Go away.", false, "only the doors show it"),
            ("[[room]]", "# A remark.\n\n[[room]]", false, "another line, the same room"),
        ] {
            let texts: Vec<(&str, String)> = WORLD.iter().map(|(path, text)| (*path, text.replace(old, new))).collect();
            let files: Vec<(&str, &str)> = texts.iter().map(|(path, text)| (*path, text.as_str())).collect();
            assert_ne!(files, WORLD, "{why}");
            assert_eq!(content(&files).fingerprint() != before.fingerprint(), differs, "{why}");
        }
    }

    #[test]
    fn a_world_keeps_its_fingerprint_when_its_files_are_written_anew() {
        let before = content(WORLD);
        let (after, _) = read(&Source::of(write(&before)), &ReadOptions::default());
        assert_eq!(after.fingerprint(), before.fingerprint());
        assert_eq!(after.index(), before.index());
        assert_eq!(before.index().rooms, [100]);
    }
}
