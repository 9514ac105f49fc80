//! Things that descriptions of rooms speak of, and whether one can look at them: a list of words of our own
//! (`data/rules/nouns.txt`), no dictionary.
//!
//! What something is compared to is not there ("a vault like a boat"), so the words behind "like", "as" and "than" are
//! passed over up to the end of the clause. Invariant: a word is looked for as a player would type it.

use crate::content::Content;
use crate::vnum::Vnum;
use crate::{ResetAction, RoomProto};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

const LIST: &str = include_str!("../../data/rules/nouns.txt");
/// Words behind a comparison that may belong to it.
const COMPARED: usize = 5;

/// The listed nouns with their plurals.
static NOUNS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let lines = LIST.lines().filter(|line| !line.starts_with('#'));
    lines.flat_map(str::split_whitespace).flat_map(forms).collect()
});

fn forms(noun: &str) -> Vec<String> {
    let mut forms = vec![noun.to_string(), format!("{noun}s"), format!("{noun}es")];
    for (end, plural) in [("y", "ies"), ("f", "ves"), ("fe", "ves")] {
        if let Some(stem) = noun.strip_suffix(end) {
            forms.push(format!("{stem}{plural}"));
        }
    }
    forms
}

/// The listed nouns that a description has, by the alphabet.
fn mentioned(description: &str) -> BTreeSet<String> {
    // A possessive is no thing: "ship's planks" are planks.
    let words = description.split_whitespace().filter(|word| !word.ends_with("'s"));
    let text = words.collect::<Vec<_>>().join(" ").to_lowercase();
    let mut found = BTreeSet::new();
    for clause in text.split(|c: char| !(c.is_alphabetic() || c.is_whitespace() || c == '-')) {
        let mut compared = 0;
        for word in clause.split_whitespace() {
            if matches!(word, "like" | "as" | "than") {
                compared = COMPARED;
            } else if compared > 0 {
                compared -= 1;
            } else if NOUNS.contains(word) {
                found.insert(word.to_string());
            }
        }
    }
    found
}

/// What the rooms of a zone speak of.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Spoken {
    pub mentioned: usize,
    /// By room, those of its nouns that nothing answers to.
    pub unanswered: BTreeMap<Vnum, BTreeSet<String>>,
}

/// By the zone's number.
pub(crate) fn spoken_of(content: &Content) -> BTreeMap<i32, Spoken> {
    let brought = brought(content);
    let mut zones: BTreeMap<i32, Spoken> = BTreeMap::new();
    for room in &content.rooms {
        let nouns = mentioned(&room.description);
        let zone = zones.entry(room.zone).or_default();
        zone.mentioned += nouns.len();
        let open: BTreeSet<String> = nouns.into_iter().filter(|noun| !answers(room, &brought, noun)).collect();
        if !open.is_empty() {
            zone.unanswered.insert(room.vnum, open);
        }
    }
    zones
}

/// Keywords of what resets bring into each room.
fn brought(content: &Content) -> BTreeMap<Vnum, Vec<&str>> {
    let mut brought: BTreeMap<Vnum, Vec<&str>> = BTreeMap::new();
    for reset in content.zones.iter().flat_map(|zone| &zone.resets) {
        match reset.action {
            ResetAction::Mob { mob, room, .. } => {
                brought.entry(room).or_default().extend(content.mob(mob).map(|proto| &*proto.keywords));
            }
            ResetAction::Object { object, room: Some(room), .. } => {
                let Some(proto) = content.object(object) else { continue };
                let keywords = brought.entry(room).or_default();
                keywords.push(&proto.keywords);
                keywords.extend(proto.extras.iter().map(|extra| &*extra.keywords));
            }
            _ => {}
        }
    }
    brought
}

/// Whether something in the room answers to a word, as `look` finds it: by a keyword that begins with it.
fn answers(room: &RoomProto, brought: &BTreeMap<Vnum, Vec<&str>>, word: &str) -> bool {
    let extras = room.extras.iter().map(|extra| &*extra.keywords);
    let doors = room.exits.iter().map(|exit| &*exit.keywords);
    let others = brought.get(&room.vnum).into_iter().flatten().copied();
    let mut keywords = extras.chain(doors).chain(others).flat_map(|keywords| keywords.split(' '));
    keywords.any(|keyword| keyword.to_lowercase().starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_told_from_what_it_is_compared_to() {
        for (description, expected) in [
            ("A ladder leans on a barrel.", vec!["barrel", "ladder"]),
            ("Two ladders, three knives and the shelves.", vec!["knives", "ladders", "shelves"]),
            ("It is ribbed like a wooden boat, and a lamp hangs in it.", vec!["lamp"]),
            ("As tall as a chimney and wider than a cart.", vec![]),
            ("The ladder's rungs.", vec![]),
            ("Nothing.", vec![]),
        ] {
            assert_eq!(mentioned(description).into_iter().collect::<Vec<_>>(), expected, "{description}");
        }
    }
}
