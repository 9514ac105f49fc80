//! Events that are alike: the same deed between the same, whenever and wherever. In a list that is to be read one of
//! them stands for all, and says how many there are.
//!
//! It is what happened that is compared, and not the words that tell of it: a name may be many words, and no number of
//! them says that a rat is no goblin. What has no other party than a room is alike in that room only, and with the same
//! number (of a level, say); what was said, by its words.

use super::index::View;
use super::lists::{DocId, Source};
use crate::graph::facts::Relation;
use crate::graph::*;
use crate::narrate::{self, SIGHT};
use mind::happenings::Deed;
use petgraph::graph::NodeIndex;
use protocol::happening::Role;
use std::collections::BTreeSet;

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

    /// Leaves out of what comes to mind by itself whatever says nothing beside the rest: what one holds or held, that
    /// one met somebody or saw a place of which there is a line, and that one saw a thing of which a fact tells where
    /// it is.
    pub(super) fn leave_out_the_plain(&self, candidates: &mut Vec<(DocId, f64)>) {
        let (mut of_facts, mut of_things) = (BTreeSet::new(), BTreeSet::new());
        for (doc, _) in &*candidates {
            match self.lists.docs[*doc as usize].source {
                Source::Fact(fact) => of_facts.extend(self.graph.names.find(&self.graph.facts.get(fact).about)),
                Source::Thing(at) => of_things.extend(self.thing(at).map(|thing| thing.name)),
                _ => {}
            }
        }
        let says_something = |doc: DocId| match self.lists.docs[doc as usize].source {
            Source::Fact(fact) => {
                let fact = self.graph.facts.get(fact);
                fact.relation != Relation::HeldBy || fact.value != *self.graph.names.key(ME)
            }
            Source::Thing(at) => self.thing(at).is_none_or(|thing| {
                let is_player = self.graph.names.is_player(thing.name);
                let had_to_do = thing.kind == NodeKind::Entity && narrate::standing(thing, is_player) != SIGHT;
                had_to_do || !of_facts.contains(&thing.name)
            }),
            Source::Event(_) => self.event(doc).is_none_or(|event| {
                let name = match event.deed {
                    Deed::Met => event.other(),
                    Deed::Visited | Deed::RoomSeen => event.room,
                    _ => return true,
                };
                !of_facts.contains(&name) && !of_things.contains(&name)
            }),
            Source::Reflection(_) | Source::Nothing => true,
        };
        candidates.retain(|(doc, _)| says_something(*doc));
    }

    fn thing(&self, at: NodeIndex<u32>) -> Option<&'a ThingBody> {
        match &self.graph.net[at].body {
            Body::Thing(thing) => Some(thing),
            _ => None,
        }
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

    /// Its text, with how often the like is remembered beside it.
    pub(super) fn with_alike(&self, doc: DocId, others: &[&EventBody], text: String) -> String {
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
    pub(super) fn alike(&self, doc: DocId, likeness: &Likeness) -> Vec<&'a EventBody> {
        // By the name that the fewest memories are about.
        let names = self.lists.about[doc as usize].into_iter().filter(|name| *name != NOBODY);
        let named = names.map(|name| &self.lists.of_name[name as usize]).min_by_key(|docs| docs.len());
        let others = named.into_iter().flatten().filter(move |other| **other != doc);
        others
            .filter(|other| self.likeness(**other).is_some_and(|it| it == *likeness))
            .filter_map(|other| self.event(*other))
            .collect()
    }
}

/// What a line stands on that stands for all of them: the newest entries of the log, rising.
pub(super) fn evidence_with(others: &[&EventBody], mut own: Vec<u64>) -> Vec<u64> {
    own.extend(others.iter().map(|event| event.seq));
    own.sort_unstable();
    own.dedup();
    own.split_off(own.len().saturating_sub(EVIDENCE_MAX))
}
