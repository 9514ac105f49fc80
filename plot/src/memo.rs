//! The memo of a plot: the newest fifty entries of what was done and said about it.

use crate::bounds::{KEPT, LABEL_MAX, REASON_MAX, Text};
use crate::cell::Cell;
use crate::deed::Deed;
use crate::order::first_word;
use crate::refusal::Refusal;
use crate::words::{checked, quoted};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum NoteKind {
    Info,
    Request,
    Coordination,
    ActionLog,
    Message,
}

impl NoteKind {
    pub fn word(self) -> &'static str {
        match self {
            NoteKind::Info => "INFO",
            NoteKind::Request => "REQUEST",
            NoteKind::Coordination => "COORDINATION",
            NoteKind::ActionLog => "ACTION_LOG",
            NoteKind::Message => "MESSAGE",
        }
    }

    /// Of those that hands write.
    fn parse(word: &str) -> Option<NoteKind> {
        let kinds = [NoteKind::Info, NoteKind::Request, NoteKind::Coordination, NoteKind::Message];
        kinds.into_iter().find(|kind| kind.word().eq_ignore_ascii_case(word))
    }
}

/// What was done, as programs read it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Action {
    /// `ADD_ENTITY`, `MOVE_ENTITY` or `REMOVE_ENTITY`.
    #[serde(rename = "type")]
    pub name: Text,
    #[serde(rename = "entityType")]
    pub kind: Text,
    pub position: Cell,
    pub from: Option<Cell>,
}

impl Entry {
    /// The content as people read it: a hand's words stand between quotation marks.
    pub fn told(&self) -> String {
        if self.said { quoted(&self.content) } else { self.content.to_string() }
    }
}

impl Action {
    pub fn of(deed: &Deed, kind: &Text) -> Action {
        let (name, from) = match deed {
            Deed::Add(_) => ("ADD_ENTITY", None),
            Deed::Move { from, .. } => ("MOVE_ENTITY", Some(*from)),
            Deed::Remove(_) => ("REMOVE_ENTITY", None),
        };
        Action { name: name.into(), kind: kind.clone(), position: deed.at(), from }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Entry {
    pub n: u32,
    pub tick: u64,
    pub from: Text,
    /// `ALL`, `INNER`, `OUTER`, `OBSERVER`, `BOTH` or a name.
    pub to: Text,
    pub kind: NoteKind,
    pub content: Text,
    /// Whether the content is a hand's own words, and not what the game says of a deed.
    pub said: bool,
    /// May be empty.
    pub reasoning: Text,
    pub action: Option<Action>,
    /// The plot's revision as it was written: its scene.
    pub revision: u32,
}

/// What somebody wants written, as it is typed: `[to <who>] [info|request|coordination:] <text>`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    pub to: Text,
    pub kind: NoteKind,
    pub content: Text,
}

impl Note {
    pub fn parse(typed: &str) -> Result<Note, Refusal> {
        let (word, after) = first_word(typed);
        let (to, rest) = if word.eq_ignore_ascii_case("to") {
            let (to, rest) = first_word(after);
            (addressee(to)?, rest)
        } else {
            (Text::from("ALL"), typed)
        };
        let (kind, text) = match rest.split_once(':') {
            Some((word, text)) => match NoteKind::parse(word.trim()) {
                Some(kind) => (kind, text),
                None => (NoteKind::Info, rest),
            },
            None => (NoteKind::Info, rest),
        };
        Ok(Note { to, kind, content: checked(text, "memo", REASON_MAX)? })
    }
}

fn addressee(word: &str) -> Result<Text, Refusal> {
    let word = checked(word, "name", LABEL_MAX)?;
    let known = ["ALL", "BOTH", "INNER", "OUTER", "OBSERVER"];
    let known = known.into_iter().find(|known| known.eq_ignore_ascii_case(&word));
    Ok(known.map_or(word, Text::from))
}

/// A ring: what is pushed out is gone.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Memo {
    entries: VecDeque<Entry>,
    written: u32,
}

impl Memo {
    /// An empty one whose numbers go on.
    pub(crate) fn after(before: &Memo) -> Memo {
        Memo { entries: VecDeque::new(), written: before.written }
    }

    pub(crate) fn entries_mut(&mut self) -> impl Iterator<Item = &mut Entry> {
        self.entries.iter_mut()
    }

    /// Entries from the oldest that is kept.
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> + ExactSizeIterator {
        self.entries.iter()
    }

    /// The last `n`, the oldest of them first, of one hand or of all.
    pub fn last<'m>(&'m self, n: usize, from: Option<&'m str>) -> Vec<&'m Entry> {
        let by = |entry: &&Entry| from.is_none_or(|name| entry.from.eq_ignore_ascii_case(name));
        let mut found: Vec<&Entry> = self.entries.iter().rev().filter(by).take(n).collect();
        found.reverse();
        found
    }

    pub fn entry(&self, n: u32) -> Result<&Entry, Refusal> {
        let known = self.entries.front().zip(self.entries.back()).map(|(first, last)| (first.n, last.n));
        self.entries.iter().find(|entry| entry.n == n).ok_or(Refusal::NoEntry { n, known })
    }

    /// Where in the ring the next entry goes.
    pub fn head(&self) -> usize {
        self.written as usize % KEPT
    }

    /// The entry gets its number here.
    pub(crate) fn write(&mut self, entry: Entry) {
        self.written += 1;
        self.entries.push_back(Entry { n: self.written, ..entry });
        while self.entries.len() > KEPT {
            self.entries.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_say_to_whom_and_what_they_are() {
        let note = |to: &str, kind, content: &str| Ok(Note { to: to.into(), kind, content: content.into() });
        for (typed, read) in [
            ("Placed three houses", note("ALL", NoteKind::Info, "Placed three houses")),
            ("to outer request: Add roads: now", note("OUTER", NoteKind::Request, "Add roads: now")),
            ("Coordination: a well first", note("ALL", NoteKind::Coordination, "a well first")),
            ("to Bob your hedge: lovely", note("Bob", NoteKind::Info, "your hedge: lovely")),
            ("to both", Err(Refusal::NothingSaid("memo"))),
            ("to", Err(Refusal::NothingSaid("name"))),
            ("", Err(Refusal::NothingSaid("memo"))),
            // What was done is written by doing it.
            ("action_log: I did it", note("ALL", NoteKind::Info, "action_log: I did it")),
        ] {
            assert_eq!(Note::parse(typed), read, "{typed}");
        }
    }
}
