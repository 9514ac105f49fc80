//! What is said of one kind of happening, in one row: its sentences, the words that it is found by, its worth.

use protocol::happening::Happening;

/// One kind. Sentences are templates, see `template.rs`.
#[derive(Debug)]
pub struct Kind {
    /// To the owner of the log, who is "you": what `history` and prompts show. Names: `brief::PLACEHOLDERS`.
    pub brief: &'static str,
    /// As a memory of the owner, who did it, had it done to it, saw it. Names: `STORY_PLACEHOLDERS`.
    pub story: [&'static str; 3],
    /// Words that people use for it and that its memory is found by: in general, and where the owner suffered it.
    pub words: [&'static str; 2],
    pub tie: Tie,
    /// What it is worth: the first row that applies counts, and where none does, `appraisal::NEUTRAL`.
    pub worth: &'static [Row],
}

/// Names in `Kind::story`. `place`, `often` and `words` bring the space or colon before them and may be empty; the
/// others are known or not.
pub const STORY_PLACEHOLDERS: [&str; 14] = [
    "doer",
    "sufferer",
    "third",
    "other",
    "mind",
    "thing",
    "room",
    "number",
    "times",
    "coins",
    "direction",
    "often",
    "place",
    "words",
];

/// What lies between the two of whom it tells.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tie {
    /// Nothing that would make them friends or enemies: trade, meetings, doors.
    None,
    Fight,
    /// Gifts, words, betrayal: they may like each other or not.
    Social,
    /// The same, and one stood by the other.
    Help,
    /// Nothing either: it is the owner's own counsel, and who is named was not met by it.
    Counsel,
}

/// How strongly one kind is remembered, under one condition.
#[derive(Debug)]
pub struct Row {
    pub name: &'static str,
    pub reason: &'static str,
    /// −3..=3: how good or bad it was for the owner.
    pub valence: i8,
    /// −3..=3 towards the other.
    pub liking: i8,
    /// Asked of happenings of the kind only.
    pub applies: fn(&Happening) -> bool,
}

/// The same sentence in all roles.
pub(super) const fn always(story: &'static str) -> [&'static str; 3] {
    [story; 3]
}

/// A sentence for the doer, and one for everybody else.
pub(super) const fn did_or_saw(did: &'static str, saw: &'static str) -> [&'static str; 3] {
    [did, saw, saw]
}

/// The same words in all roles.
pub(super) const fn found_by(words: &'static str) -> [&'static str; 2] {
    [words; 2]
}
