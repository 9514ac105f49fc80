//! What a fold of a prompt tells of what it drops: the shapes, which the log holds, and what a model says in their
//! place, which it does not hold. `fold.rs` makes the one, `dreaming::wording` judges the other.

use serde::{Deserialize, Serialize};

/// Who wanted a compaction.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// Whoever typed it.
    #[default]
    Asked,
    /// A client whose prompt was folded.
    Fold,
    /// The server, by its own measure of what a client reads that tells none.
    Server,
}

impl Cause {
    pub(crate) fn is_asked(&self) -> bool {
        *self == Cause::Asked
    }
}

/// One line, with the numbers of the entries that it stands on, rising.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct StoryLine {
    pub text: String,
    pub from: Vec<u64>,
}

/// How much a fold took out of a prompt: entries of the log, and what of them was talk and deeds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Dropped {
    pub entries: u32,
    pub talk: u32,
    pub deeds: u32,
}

/// What a fold tells of what it drops.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Story {
    pub lines: Vec<StoryLine>,
    pub dropped: Dropped,
}

/// What a fold took out of a prompt, by the numbers of the entries, both included.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Span {
    pub from: u64,
    pub upto: u64,
}

/// Of which sort a line of a story is, by what it begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sort {
    /// Words of somebody that were not answered.
    Request,
    Decision,
    Done,
    /// A way to a goal that did not work.
    Way,
    Error,
    Met,
    Rooms,
    /// How much is not told.
    LeftOut,
    /// What happened; it begins as any sentence.
    Deed,
}

impl Sort {
    const LABELLED: [Sort; 8] =
        [Sort::Request, Sort::Decision, Sort::Done, Sort::Way, Sort::Error, Sort::Met, Sort::Rooms, Sort::LeftOut];

    pub const fn label(self) -> &'static str {
        match self {
            Sort::Request => "Not answered yet: ",
            Sort::Decision => "Decided: ",
            Sort::Done => "Done: ",
            Sort::Way => "Did not work for ",
            Sort::Error => "Failed: ",
            Sort::Met => "Met: ",
            Sort::Rooms => "Rooms seen first: ",
            Sort::LeftOut => "Not told here: ",
            Sort::Deed => "",
        }
    }

    /// The sort of a line, and what it says.
    pub fn split(line: &str) -> (Sort, &str) {
        let found = Sort::LABELLED.into_iter().find_map(|sort| Some((sort, line.strip_prefix(sort.label())?)));
        found.unwrap_or((Sort::Deed, line))
    }
}

/// A line of a story in other words.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Reworded {
    /// The line; when the rule tells another one, the words are of no use any more.
    pub of: String,
    pub words: String,
    /// The entries that both stand on.
    pub from: Vec<u64>,
}

/// What a model says for the story of a fold.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StoryWords {
    /// Of which fold.
    pub span: Span,
    pub model: String,
    pub lines: Vec<Reworded>,
}
