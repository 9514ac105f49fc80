//! What folds before the last told, in the words that a model found for it (`fold_words`).
//!
//! A rule made the stories, and who hands in words has judged them (`dreaming::wording`): nothing here asks a model.
//! Invariants: a line is told only while the rule would tell it of the same entries, so what was answered, done or
//! given up since is not told as open. All lines together take as many tokens as one story may; the oldest story
//! yields first.

use crate::event::LogEntry;
use crate::fold::{self, LINE_TOKENS};
use crate::hud::node::{Item, Node};
use crate::hud::origin::Origin;
use crate::state::MindState;
use crate::story::{Reworded, StoryWords};
use crate::tokens;

/// Entries that all of them stand on, at most.
const ENTRIES_MAX: usize = 5_000;

/// Oldest first.
#[derive(Clone, Debug, Default)]
pub(super) struct Earlier(Vec<Told>);

#[derive(Clone, Debug)]
struct Told {
    /// What its fold took out of the prompt.
    dropped: Vec<LogEntry>,
    lines: Vec<Reworded>,
    model: String,
}

impl Earlier {
    /// A fold is no longer the last.
    pub fn push(&mut self, dropped: Vec<LogEntry>, words: StoryWords) {
        self.0.push(Told { dropped, lines: words.lines, model: words.model });
    }

    /// Leaves what is still so, in `room` tokens. `later`: all entries since the last time, in stretches.
    pub fn settle(&mut self, name: &str, later: &[&[LogEntry]], state: &MindState, room: usize) {
        let (mut left, mut entries) = (room, ENTRIES_MAX);
        for told in self.0.iter_mut().rev() {
            let fits = told.dropped.len() <= entries;
            entries = if fits { entries - told.dropped.len() } else { 0 };
            let holds = if fits { fold::lines(name, &told.dropped, later, state) } else { Vec::new() };
            told.lines.retain(|line| {
                let tokens = tokens::count(&line.words) + LINE_TOKENS;
                let stays =
                    tokens <= left && holds.iter().any(|still| still.text == line.of && still.from == line.from);
                left -= if stays { tokens } else { 0 };
                stays
            });
        }
        self.0.retain(|told| !told.lines.is_empty());
    }

    /// The section of a prompt; nothing where nothing is told.
    pub fn node(&self) -> Node {
        let item = |(line, model): (&Reworded, &String)| {
            Item::text(&line.words).of(Origin::Words { of: line.from.clone(), model: model.clone() })
        };
        let lines = self.0.iter().flat_map(|told| told.lines.iter().map(|line| (line, &told.model)));
        let items: Vec<Item> = lines.map(item).collect();
        if items.is_empty() {
            return Node::Nothing;
        }
        let list = Node::List { ordered: false, items };
        Node::Group(vec![Node::heading(1, "Before that, in your own words"), Node::named("before", list)])
    }
}
