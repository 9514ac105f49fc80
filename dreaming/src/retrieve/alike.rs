//! Events that are alike: the same deed between the same, whenever and wherever. In a list that is to be read one of
//! them stands for all, and says how many there are.
//!
//! It is what happened that is compared, and not the words that tell of it: a name may be many words, and no number of
//! them says that a rat is no goblin. What has no other party than a room is alike in that room only, and with the same
//! number (of a level, say); what was said, by its words.

use super::index::View;
use super::lists::{DocId, Source};
use crate::graph::*;
use mind::happenings::Deed;
use protocol::happening::Role;

/// Entries that are named of those that a line stands for, at most.
const EVIDENCE_MAX: usize = 100;

/// What makes events alike.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Likeness<'a> {
    deed: Deed,
    role: Role,
    parties: [NameId; 4],
    /// Where nobody and nothing else is named.
    alone: Option<(NameId, i32)>,
    text: Option<&'a str>,
}

impl<'a> View<'a> {
    /// `None` of what is no event.
    pub(super) fn likeness(&self, doc: DocId) -> Option<Likeness<'a>> {
        let event = self.event(doc)?;
        let parties = [event.doer, event.sufferer, event.third, event.item];
        // How well an art is known by then, and how often one was there, is told and makes no other deed of it.
        let number = if matches!(event.deed, Deed::Learned | Deed::Visited) { -1 } else { event.number };
        let is_alone = parties.iter().all(|name| matches!(*name, ME | NOBODY));
        Some(Likeness {
            deed: event.deed,
            role: event.role,
            parties,
            alone: is_alone.then_some((event.room, number)),
            text: event.text.as_deref(),
        })
    }

    pub(super) fn event(&self, doc: DocId) -> Option<&'a EventBody> {
        match self.lists.docs[doc as usize].source {
            Source::Event(at) => match &self.graph.net[at].body {
                Body::Event(event) => Some(event),
                _ => None,
            },
            _ => None,
        }
    }

    /// What a line stands on that stands for all of them: the newest entries of the log, rising.
    pub(super) fn evidence_of_alike(&self, doc: DocId, likeness: &Likeness, mut own: Vec<u64>) -> Vec<u64> {
        own.extend(self.alike(doc, likeness).map(|event| event.seq));
        own.sort_unstable();
        own.dedup();
        own.split_off(own.len().saturating_sub(EVIDENCE_MAX))
    }

    /// Its text, with how often the like is remembered beside it.
    pub(super) fn with_alike(&self, doc: DocId, likeness: &Likeness, text: String) -> String {
        let others: Vec<&EventBody> = self.alike(doc, likeness).collect();
        let often = match others.len() {
            0 => return text,
            1 => "once more".to_string(),
            n => format!("{n} times more"),
        };
        let room = self.event(doc).map(|event| event.room);
        let place = if others.iter().all(|event| Some(event.room) == room) { "" } else { ", here and elsewhere" };
        format!("{}, and {often}{place}.", text.trim_end_matches('.'))
    }

    /// The others that are remembered.
    fn alike(&self, doc: DocId, likeness: &Likeness) -> impl Iterator<Item = &'a EventBody> {
        // By the name that the fewest memories are about.
        let names = self.lists.about[doc as usize].into_iter().filter(|name| *name != NOBODY);
        let named = names.map(|name| &self.lists.of_name[name as usize]).min_by_key(|docs| docs.len());
        let others = named.into_iter().flatten().filter(move |other| **other != doc);
        others
            .filter(|other| self.likeness(**other).is_some_and(|it| it == *likeness))
            .filter_map(|other| self.event(*other))
    }
}
