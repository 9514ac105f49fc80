//! A content while it is read: what has been found so far, what is wrong with it, and where each record stood.

use crate::content::Content;
use crate::origins::Origins;
use crate::problem::Problems;
use crate::source::Source;
use crate::text::Texts;
use crate::vnum::Vnum;
use std::collections::BTreeSet;

/// What the caller may decide about a world.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ReadOptions {
    /// Overrides the start room of the world; must exist.
    pub start_room: Option<Vnum>,
    /// Lists every thing that a room speaks of and that cannot be looked at, not only that a zone has many.
    pub nouns: bool,
}

/// Everything that a reader writes to.
pub(crate) struct Draft<'s> {
    pub source: &'s Source,
    pub content: Content,
    pub problems: Problems,
    /// Paths of files that are not what they should be at all, so that any of their rows may be missing.
    pub unparsed: BTreeSet<String>,
    pub origins: Origins,
    pub texts: Texts,
}

impl<'s> Draft<'s> {
    pub fn of(source: &'s Source) -> Draft<'s> {
        Draft {
            source,
            content: Content::default(),
            problems: Problems::default(),
            unparsed: BTreeSet::new(),
            origins: Origins::default(),
            texts: Texts::default(),
        }
    }
}
