//! What is followed on its way: words, something that happened, an element on a plot, or words from those on who knew
//! it first by one of the two.

use super::phrase::Phrase;
use anyhow::{Context, bail};
use protocol::happening::{Happening, What};
use protocol::outcome::Outcome;
use protocol::plot::PlotSeen;
use std::collections::BTreeSet;
use std::str::FromStr;

/// An element by the vnum of its plot's room and its own number there.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ElementId {
    pub room: i32,
    pub id: u32,
}

impl FromStr for ElementId {
    type Err = String;

    fn from_str(text: &str) -> Result<ElementId, String> {
        let read = text.split_once(':').and_then(|(room, id)| {
            let id = id.trim().trim_start_matches('#').parse().ok().filter(|id| *id > 0)?;
            Some(ElementId { room: room.trim().parse().ok()?, id })
        });
        read.ok_or_else(|| "write ROOM:ID, the vnum of the plot's room and the element's number, as 8227:12".into())
    }
}

/// What is followed; at least one of them.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Subject {
    pub phrase: Option<Phrase>,
    pub event: Option<u64>,
    pub element: Option<ElementId>,
}

impl Subject {
    pub fn of(words: Option<&str>, event: Option<u64>, element: Option<ElementId>) -> anyhow::Result<Subject> {
        let phrase = words.map(|words| {
            Phrase::of(words).with_context(|| {
                format!("--words {words:?} has no word in it; give one or more, as --words \"the vault is open\"")
            })
        });
        let subject = Subject { phrase: phrase.transpose()?, event, element };
        if subject == Subject::default() {
            bail!("what is to be followed? --words \"…\", --event ID or --element ROOM:ID");
        }
        Ok(subject)
    }

    pub fn is_in(&self, text: &str) -> bool {
        self.phrase.as_ref().is_some_and(|phrase| phrase.is_in(text))
    }

    /// Whether what a log has of something that happened tells of it. `changes`: of the element that is followed.
    pub fn is_told_by(&self, happening: &Happening, changes: &BTreeSet<u64>) -> bool {
        let id = happening.social_event_id;
        id.is_some_and(|id| self.event == Some(id) || changes.contains(&id))
    }
}

/// An element that is followed, as it stood last.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Standing {
    pub room: i32,
    /// Where it stood, oldest first; at least one.
    pub cells: Vec<[u8; 2]>,
    /// What a page of its plot calls it: its label, or else its kind.
    pub called: Option<Phrase>,
    /// As the plot has the name; `None`: it was there before anybody built.
    pub by: Option<String>,
    pub stands: bool,
    /// What was done to it, by the `social_event_id` of who remembers it.
    pub changes: BTreeSet<u64>,
}

impl Standing {
    /// The element on its plot, if it stands there.
    pub fn on(plot: &PlotSeen, element: ElementId) -> Option<Standing> {
        let found = plot.elements.iter().find(|seen| seen.id == element.id)?;
        let called = if found.label.is_empty() { &found.kind } else { &found.label };
        Some(Standing {
            room: element.room,
            cells: vec![found.at],
            called: Phrase::of(called),
            by: found.by.as_deref().map(str::to_string),
            stands: true,
            changes: BTreeSet::new(),
        })
    }

    /// The same a moment later; nothing there: it was removed.
    pub fn go_on(&mut self, now: Option<Standing>) {
        self.stands = now.is_some();
        if let Some(now) = now
            && self.cells.last() != now.cells.last()
        {
            self.cells.extend(now.cells);
        }
    }

    /// Notes what was remembered of a deed that was just done to it.
    pub fn note(&mut self, happening: &Happening) {
        let is_here = happening.room.vnum == self.room;
        let last = self.cells.last().map(|[row, col]| format!(" at {row},{col}"));
        if let (What::Built { item, .. }, Some(id), Some(cell)) = (&happening.what, happening.social_event_id, last)
            && is_here
            && item.name.ends_with(&cell)
        {
            self.changes.insert(id);
        }
    }

    /// Whether a deed on its plot, just now, was done to it.
    pub fn is_of(&self, outcome: &Outcome) -> bool {
        match outcome {
            Outcome::Built { at, from, .. } => {
                let last = self.cells.last();
                let before = self.cells.iter().rev().nth(1);
                last == Some(at) || (from.is_some() && before == from.as_ref())
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_element_is_named_by_room_and_number() {
        for text in ["8227:12", "8227:#12", " 8227 : 12 "] {
            assert_eq!(text.parse(), Ok(ElementId { room: 8227, id: 12 }), "{text}");
        }
        for text in ["8227", "8227:", "8227:0", ":12", "x:12", "8227:-1"] {
            let wrong = text.parse::<ElementId>().expect_err(text);
            assert!(wrong.contains("ROOM:ID"), "{wrong}");
        }
    }

    #[test]
    fn nothing_and_no_words_are_refused() {
        for (words, why) in [(None, "--words"), (Some("..."), "no word in it"), (Some(""), "no word in it")] {
            let refused = Subject::of(words, None, None).expect_err("nothing to follow").to_string();
            assert!(refused.contains(why), "{refused}");
        }
    }
}
