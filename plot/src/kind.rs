//! What can be built: rows that a rule book has.

use crate::bounds::Text;
use crate::refusal::Refusal;
use crate::words::nearest;
use serde::{Deserialize, Serialize};

/// What is drawn for a kind that nobody knows any more.
pub const UNKNOWN_GLYPH: char = '?';

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Purpose {
    Heart,
    Head,
}

impl Purpose {
    pub fn word(self) -> &'static str {
        match self {
            Purpose::Heart => "heart",
            Purpose::Head => "head",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Kind {
    /// What players type: lower-case letters and hyphens.
    pub name: Text,
    /// What it is one of, as `BUILDING`.
    #[serde(rename = "type")]
    pub class: Text,
    /// One ASCII character, which no other kind has.
    pub glyph: char,
    pub icon: Text,
    pub purpose: Purpose,
    /// `#rrggbb`, for pictures.
    pub tint: Text,
    /// An SVG path in a square of 24 by 24.
    pub shape: Text,
}

/// All kinds, by their names.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Kinds {
    rows: Vec<Kind>,
}

impl Kinds {
    /// Of kinds with the same name the first stays.
    pub fn new(mut rows: Vec<Kind>) -> Kinds {
        rows.sort_by(|a, b| a.name.cmp(&b.name));
        rows.dedup_by(|later, first| later.name == first.name);
        Kinds { rows }
    }

    pub fn iter(&self) -> impl Iterator<Item = &Kind> {
        self.rows.iter()
    }

    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    pub fn get(&self, name: &str) -> Option<&Kind> {
        self.rows.binary_search_by(|kind| (*kind.name).cmp(name)).ok().map(|at| &self.rows[at])
    }

    /// The kind that a word means, in any case, or the only one whose name begins so.
    pub fn meant(&self, word: &str) -> Result<&Kind, Refusal> {
        let lower = word.to_lowercase();
        if let Some(kind) = self.get(&lower) {
            return Ok(kind);
        }
        let mut begin = self.rows.iter().filter(|kind| !lower.is_empty() && kind.name.starts_with(&lower));
        match (begin.next(), begin.next()) {
            (Some(only), None) => Ok(only),
            _ => Err(Refusal::NoKind {
                word: word.chars().take(crate::bounds::LABEL_MAX).collect(),
                nearest: nearest(word, self.rows.iter().map(|kind| &kind.name)).cloned(),
            }),
        }
    }

    pub fn glyph(&self, name: &str) -> char {
        self.get(name).map_or(UNKNOWN_GLYPH, |kind| kind.glyph)
    }

    pub fn icon(&self, name: &str) -> &str {
        self.get(name).map_or("?", |kind| &kind.icon)
    }

    /// What a kind is one of; of one that is gone, its own name.
    pub fn class<'k>(&'k self, name: &'k str) -> &'k str {
        self.get(name).map_or(name, |kind| &kind.class)
    }

    /// What is gone counts as the head's: nobody's heart is in it.
    pub fn purpose(&self, name: &str) -> Purpose {
        self.get(name).map_or(Purpose::Head, |kind| kind.purpose)
    }
}

/// Whether a text can stand in the `d` of a path and nowhere leave it: letters of path commands, numbers, commas and
/// blanks.
pub fn is_path(text: &str) -> bool {
    let starts = text.starts_with(['M', 'm']);
    starts && text.chars().all(|c| c.is_ascii_digit() || " ,.-".contains(c) || "MmLlHhVvCcSsQqTtAaZz".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::examples::kinds;

    #[test]
    fn a_kind_is_found_by_its_name_or_a_beginning_that_only_it_has() {
        let kinds = kinds();
        assert_eq!(kinds.meant("HOUSE").map(|kind| &*kind.name), Ok("house"));
        assert_eq!(kinds.meant("ho").map(|kind| &*kind.name), Ok("house"));
        let two = kinds.meant("r").map(|kind| kind.name.clone());
        assert!(two.is_ok(), "only road begins so: {two:?}");
        let wrong = kinds.meant("huose").expect_err("no kind is called so");
        assert_eq!(wrong, Refusal::NoKind { word: "huose".into(), nearest: Some("house".into()) });
    }

    #[test]
    fn a_shape_is_a_path_and_nothing_else() {
        assert!(is_path("M2 2h20v20H2z"));
        for wrong in ["", "L2 2", "M2 2\"/><script>", "M2 2&quot;", "M2 2\n"] {
            assert!(!is_path(wrong), "{wrong:?}");
        }
    }
}
