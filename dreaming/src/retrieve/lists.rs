//! What the index holds: documents with their words and names, and how they change when something happens.
//!
//! Things, insights and facts ("whole" documents) come before events. They change while an event never does, so each
//! has a place of its own below `whole_max` that it keeps, in no order, while `order` says where it stands among the
//! others; events stand behind, in the order in which they happened. An index that was kept up to date so is the same
//! as one made anew, but for the places.
//! Invariants: it holds numbers, not texts; postings rise by place, documents of a name by `order`; places are only
//! freed and used again below `whole_max`.

use super::texts::{deed_words, fact_text, liking_words};
use super::words;
use crate::calendar;
use crate::graph::facts::{CORPSE, Relation};
use crate::graph::*;
use crate::narrate::{self, Dates};
use indexmap::IndexMap;
use petgraph::graph::NodeIndex;
use protocol::happening::Role;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

pub type DocId = u32;
pub(super) type TermId = u32;

/// Importance of a fact, and of what is known of somebody.
const FACT_IMPORTANCE: u8 = 4;
/// Between neighbours in the order of whole documents, so that others fit in between.
const GAP: u64 = 1 << 32;
/// Places that one that is to live on has free for whole documents, at least.
const SPARE_MIN: usize = 64;

#[derive(Clone, Copy, Debug)]
pub(super) enum Source {
    Event(NodeIndex<u32>),
    Reflection(NodeIndex<u32>),
    Thing(NodeIndex<u32>),
    /// By its place among the facts.
    Fact(u32),
    /// A place that is free.
    Nothing,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Doc {
    pub(super) source: Source,
    /// Of facts it follows from the time of the last record: see `View::tick`.
    pub(super) tick: u64,
    pub(super) words: u16,
    pub(super) importance: u8,
    /// The part that the owner had in it, where it is an event.
    pub(super) role: Option<Role>,
}

const FREE: Doc = Doc { source: Source::Nothing, tick: 0, words: 0, importance: 0, role: None };

/// In the order of whole documents: what is known of somebody comes before single facts.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Key {
    /// A thing or an insight by its id.
    Node(Box<str>),
    /// By relation, subject and beginning; then by place.
    Fact(Relation, Arc<str>, u64, u32),
}

/// What a document is to say.
struct DocContents {
    doc: Doc,
    /// Rising, with how often.
    terms: Box<[(TermId, u8)]>,
    about: [NameId; 5],
}

#[derive(Clone, Debug, Default)]
pub struct Lists {
    pub(super) docs: Vec<Doc>,
    /// By document: the names that it is about.
    pub(super) about: Vec<[NameId; 5]>,
    whole_max: usize,
    whole: BTreeMap<Key, DocId>,
    /// Of whole documents, by place: where it stands, and its words.
    order: Vec<u64>,
    words_of: Vec<Box<[(TermId, u8)]>>,
    free: Vec<DocId>,
    count: usize,
    words_total: u64,
    pub(super) words_mean: f64,
    pub(super) dictionary: IndexMap<Box<str>, TermId, Fixed>,
    /// By term: documents, rising, with how often.
    pub(super) postings: Vec<Vec<(DocId, u8)>>,
    /// By name: its words, and documents about it in order.
    pub(super) name_words: Vec<Vec<TermId>>,
    pub(super) of_name: Vec<Vec<DocId>>,
    /// By term: names that it is a word of.
    pub(super) names_with: BTreeMap<TermId, Vec<NameId>>,
    dates: BTreeMap<i32, Vec<TermId>>,
    deeds: BTreeMap<(Deed, u8), Vec<TermId>>,
}

impl Lists {
    /// Of what is remembered. One that is to live on keeps places free; else documents are numbered without gaps.
    pub fn new(graph: &Graph, lives_on: bool) -> Lists {
        let mut whole: Vec<(Key, Source)> = Vec::new();
        let mut events: Vec<NodeIndex<u32>> = Vec::new();
        for (at, node) in graph.alive() {
            match (&node.body, whole_of(graph, at)) {
                (Body::Event(_), _) => events.push(at),
                (_, Some(document)) => whole.push(document),
                _ => {}
            }
        }
        whole.extend((0..graph.facts.len() as u32).map(|fact| of_fact(graph, fact)));
        whole.sort_by(|a, b| a.0.cmp(&b.0));
        let spare = if lives_on { SPARE_MIN.max(whole.len() / 4) } else { 0 };
        let whole_max = whole.len() + spare;
        let mut lists = Lists {
            docs: vec![FREE; whole_max],
            about: vec![[NOBODY; 5]; whole_max],
            order: vec![0; whole_max],
            words_of: vec![Box::default(); whole_max],
            free: (0..whole_max as DocId).rev().collect(),
            whole_max,
            ..Lists::default()
        };
        lists.learn_names(graph);
        for (key, source) in whole {
            lists.put_whole(graph, key, source);
        }
        for at in events {
            lists.append_event(graph, at);
        }
        lists.weigh();
        lists
    }

    /// Whether a graph holds anything that could be found.
    pub fn has_any(graph: &Graph) -> bool {
        !graph.facts.is_empty() || graph.alive().any(|(_, node)| !node.is_me())
    }

    /// Takes up what records have changed since it was made. False where there is no place left: then it is of no use
    /// any more, and to be made anew.
    #[must_use]
    pub fn follow(&mut self, graph: &Graph, changes: &Changes) -> bool {
        self.learn_names(graph);
        for &at in &changes.nodes {
            let Some(node) = graph.net.node_weight(at) else { continue };
            let remembered = graph.is_alive(node);
            if matches!(node.body, Body::Event(_)) {
                if remembered {
                    self.append_event(graph, at);
                }
            } else if let Some((key, source)) = whole_of(graph, at) {
                if !remembered {
                    self.take_out(&key);
                } else if !self.put_whole(graph, key, source) {
                    return false;
                }
            }
        }
        for &fact in &changes.facts {
            let (key, source) = of_fact(graph, fact);
            if !self.put_whole(graph, key, source) {
                return false;
            }
        }
        self.weigh();
        true
    }

    /// How many documents there are.
    pub fn len(&self) -> usize {
        self.count
    }

    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Where a document stands among all: of equals the higher one is the newer.
    pub(super) fn order(&self, doc: DocId) -> u64 {
        match self.order.get(doc as usize) {
            Some(order) => *order,
            None => 1 << 63 | u64::from(doc),
        }
    }

    /// Documents by place, without those that are free.
    pub(super) fn places(&self) -> impl Iterator<Item = DocId> {
        let there = |doc: &DocId| !matches!(self.docs[*doc as usize].source, Source::Nothing);
        (0..self.docs.len() as DocId).filter(there)
    }

    /// The newest `n` documents of all, in no order.
    pub(super) fn newest(&self, n: usize) -> Vec<DocId> {
        let events = self.docs.len() - self.whole_max;
        let first = self.docs.len() - events.min(n);
        let mut docs: Vec<DocId> = (first as DocId..self.docs.len() as DocId).collect();
        docs.extend(self.whole.values().rev().take(n - docs.len()));
        docs
    }

    /// The postings of a term but for the oldest, where there are more than `n`: whole documents, then events.
    pub(super) fn newest_postings(&self, term: TermId, n: usize) -> [Cow<'_, [(DocId, u8)]>; 2] {
        let postings = &self.postings[term as usize];
        let surplus = postings.len().saturating_sub(n);
        let (whole, events) = postings.split_at(postings.partition_point(|(doc, _)| (*doc as usize) < self.whole_max));
        if surplus == 0 {
            return [whole.into(), events.into()];
        }
        if surplus >= whole.len() {
            return [Cow::default(), events[surplus - whole.len()..].into()];
        }
        let mut kept = whole.to_vec();
        kept.sort_unstable_by_key(|(doc, _)| self.order(*doc));
        [kept.split_off(surplus).into(), events.into()]
    }

    fn weigh(&mut self) {
        self.words_mean = (self.words_total as f64 / self.count.max(1) as f64).max(1.0);
    }

    /// Words of a name are made once.
    fn learn_names(&mut self, graph: &Graph) {
        for name in self.name_words.len() as NameId..graph.names.len() as NameId {
            let terms = self.terms(graph.names.name(name));
            for term in &terms {
                let names = self.names_with.entry(*term).or_default();
                if names.last() != Some(&name) {
                    names.push(name);
                }
            }
            self.name_words.push(terms);
            self.of_name.push(Vec::new());
        }
    }

    fn term(&mut self, word: &str) -> TermId {
        if let Some(&term) = self.dictionary.get(word) {
            return term;
        }
        let term = self.postings.len() as TermId;
        self.dictionary.insert(word.into(), term);
        self.postings.push(Vec::new());
        term
    }

    fn terms(&mut self, text: &str) -> Vec<TermId> {
        words::tokens(text).iter().map(|word| self.term(word)).collect()
    }

    fn append_event(&mut self, graph: &Graph, at: NodeIndex<u32>) {
        let Body::Event(event) = &graph.net[at].body else { return };
        let mut terms: Vec<TermId> = Vec::with_capacity(24);
        let names = [event.doer, event.sufferer, event.third, event.item, event.room];
        for name in names {
            if name != NOBODY && name != ME {
                terms.extend(&self.name_words[name as usize]);
            }
        }
        let offset = graph.terms.utc_offset_minutes;
        let day = calendar::day_of(event.at_ms, offset);
        if !self.dates.contains_key(&day) {
            let whole = calendar::iso_date(event.at_ms, offset).replace('-', "");
            let mut date = self.terms(&calendar::date(event.at_ms, offset));
            date.push(self.term(&whole));
            self.dates.insert(day, date);
        }
        terms.extend(&self.dates[&day]);
        let deed = (event.deed, event.role as u8);
        if !self.deeds.contains_key(&deed) {
            let words = self.terms(deed_words(event));
            self.deeds.insert(deed, words);
        }
        terms.extend(&self.deeds[&deed]);
        if let Some(text) = &event.text {
            terms.extend(self.terms(text));
        }
        let doc = Doc {
            source: Source::Event(at),
            tick: event.tick,
            words: 0,
            importance: event.importance,
            role: Some(event.role),
        };
        let written = written(doc, terms, &names);
        let place = self.docs.len() as DocId;
        self.docs.push(written.doc);
        self.about.push([NOBODY; 5]);
        self.count += 1;
        self.words_total += u64::from(written.doc.words);
        for &(term, often) in &written.terms {
            self.postings[term as usize].push((place, often));
        }
        self.set_about(place, written.about);
    }

    fn write_whole(&mut self, graph: &Graph, source: Source) -> Option<DocContents> {
        let (tick, importance, text, about) = match source {
            Source::Thing(at) | Source::Reflection(at) => match &graph.net[at].body {
                Body::Thing(thing) => {
                    // What people ask for it by, beside what it says.
                    let also = match thing.kind {
                        NodeKind::Entity => liking_words(thing.liking),
                        NodeKind::Room => "place room",
                        _ => "thing item",
                    };
                    let text = format!("{} {also}", narrate::acquaintance(graph, thing, Dates::Told));
                    (thing.last_tick, FACT_IMPORTANCE, text, vec![thing.name, thing.room])
                }
                Body::Reflection(insight) => {
                    let text = format!("{} insight learned", insight.text);
                    let importance = match (insight.sort, &insight.from_agent) {
                        (Sort::Principle, _) => crate::principles::IMPORTANCE,
                        (Sort::Observation, _) => FACT_IMPORTANCE,
                        (_, None) => crate::reflect::IMPORTANCE,
                        // What the owner lived itself comes first.
                        (_, Some(_)) => crate::reflect::IMPORTANCE - 1,
                    };
                    let lesson = insight.lesson.as_deref().and_then(|lesson| graph.names.find(&lesson.about));
                    (insight.tick, importance, text, vec![insight.about, lesson.unwrap_or(NOBODY)])
                }
                _ => return None,
            },
            Source::Fact(fact) => {
                let it = graph.facts.get(fact);
                let keys = [&*it.about, it.value.strip_prefix(CORPSE).unwrap_or(&it.value)];
                let about = keys.into_iter().filter_map(|key| graph.names.find(key)).collect();
                (0, FACT_IMPORTANCE, fact_text(graph, it, Dates::Told), about)
            }
            Source::Event(_) | Source::Nothing => return None,
        };
        let doc = Doc { source, tick, words: 0, importance, role: None };
        Some(written(doc, self.terms(&text), &about))
    }

    /// Writes a document, anew where it is there already. False where no place is left.
    fn put_whole(&mut self, graph: &Graph, key: Key, source: Source) -> bool {
        let Some(DocContents { doc, terms, about }) = self.write_whole(graph, source) else { return true };
        let place = match self.whole.get(&key) {
            Some(place) => *place,
            None => {
                let Some(place) = self.free.pop() else { return false };
                self.order[place as usize] = self.between(&key);
                self.whole.insert(key, place);
                self.count += 1;
                place
            }
        };
        let before = std::mem::replace(&mut self.docs[place as usize], doc);
        self.words_total = self.words_total - u64::from(before.words) + u64::from(doc.words);
        self.set_words(place, terms);
        self.set_about(place, about);
        true
    }

    fn take_out(&mut self, key: &Key) {
        let Some(place) = self.whole.remove(key) else { return };
        let before = std::mem::replace(&mut self.docs[place as usize], FREE);
        self.words_total -= u64::from(before.words);
        self.count -= 1;
        self.set_words(place, Box::default());
        self.set_about(place, [NOBODY; 5]);
        self.free.push(place);
    }

    /// Where a new key stands in the order. Makes room where there is none between its neighbours.
    fn between(&mut self, key: &Key) -> u64 {
        let order = |found: Option<(&Key, &DocId)>| found.map(|(_, place)| self.order[*place as usize]);
        let (before, after) = (order(self.whole.range(..key).next_back()), order(self.whole.range(key..).next()));
        let before = before.unwrap_or(0);
        let middle = match after {
            None => before + GAP,
            Some(after) => before + (after - before) / 2,
        };
        if middle > before {
            return middle;
        }
        for (n, place) in self.whole.values().enumerate() {
            self.order[*place as usize] = (n as u64 + 1) * GAP;
        }
        self.between(key)
    }

    fn set_words(&mut self, place: DocId, terms: Box<[(TermId, u8)]>) {
        let before = std::mem::take(&mut self.words_of[place as usize]);
        for (term, _) in before.iter().filter(|(term, _)| terms.binary_search_by_key(term, |(t, _)| *t).is_err()) {
            let postings = &mut self.postings[*term as usize];
            if let Ok(at) = postings.binary_search_by_key(&place, |(doc, _)| *doc) {
                postings.remove(at);
            }
        }
        for &(term, often) in terms.iter().filter(|posting| !before.contains(posting)) {
            let postings = &mut self.postings[term as usize];
            match postings.binary_search_by_key(&place, |(doc, _)| *doc) {
                Ok(at) => postings[at].1 = often,
                Err(at) => postings.insert(at, (place, often)),
            }
        }
        self.words_of[place as usize] = terms;
    }

    fn set_about(&mut self, place: DocId, about: [NameId; 5]) {
        let before = std::mem::replace(&mut self.about[place as usize], about);
        for name in before.into_iter().filter(|name| *name != NOBODY && !about.contains(name)) {
            self.of_name[name as usize].retain(|doc| *doc != place);
        }
        for name in about.into_iter().filter(|name| *name != NOBODY && !before.contains(name)) {
            let order = self.order(place);
            let of = &self.of_name[name as usize];
            let at = match of.last() {
                Some(last) if self.order(*last) > order => of.partition_point(|doc| self.order(*doc) < order),
                _ => of.len(),
            };
            self.of_name[name as usize].insert(at, place);
        }
    }
}

fn written(doc: Doc, mut terms: Vec<TermId>, about: &[NameId]) -> DocContents {
    terms.sort_unstable();
    let words = terms.len().min(usize::from(u16::MAX)) as u16;
    let runs = terms.chunk_by(|a, b| a == b).map(|run| (run[0], run.len().min(255) as u8)).collect();
    let mut names = [NOBODY; 5];
    let mut filled = 0;
    for &name in about {
        if name != NOBODY && name != ME && filled < names.len() && !names.contains(&name) {
            (names[filled], filled) = (name, filled + 1);
        }
    }
    DocContents { doc: Doc { words, ..doc }, terms: runs, about: names }
}

/// The document of a thing or an insight; None of the owner, of events and of what is gone.
fn whole_of(graph: &Graph, at: NodeIndex<u32>) -> Option<(Key, Source)> {
    let node = &graph.net[at];
    let source = match &node.body {
        Body::Thing(thing) if thing.name != ME => Source::Thing(at),
        Body::Reflection(_) => Source::Reflection(at),
        _ => return None,
    };
    Some((Key::Node(graph.id_of(node).into()), source))
}

fn of_fact(graph: &Graph, fact: u32) -> (Key, Source) {
    let it = graph.facts.get(fact);
    (Key::Fact(it.relation, it.subject.clone(), it.since, fact), Source::Fact(fact))
}

#[cfg(test)]
impl Lists {
    /// Everything that answers depend on, in words, so that two can be compared whatever their places are.
    pub(crate) fn listing(&self, graph: &Graph) -> Vec<String> {
        let mut places: Vec<DocId> = self.places().collect();
        places.sort_by_key(|doc| self.order(*doc));
        let rank: BTreeMap<DocId, usize> = places.iter().enumerate().map(|(rank, doc)| (*doc, rank)).collect();
        let view = super::index::View { graph, lists: self };
        let name = |name: NameId| if name == NOBODY { "-".into() } else { graph.names.key(name).to_string() };
        let mut told = vec![format!("{} documents, {} words each", self.count, self.words_mean)];
        for doc in places {
            let Doc { words, importance, role, .. } = self.docs[doc as usize];
            let about: Vec<String> = self.about[doc as usize].into_iter().map(name).collect();
            let tick = view.tick(doc);
            told.push(format!("{:?} {words} {importance} {role:?} {tick} {about:?}", view.tell(doc, Dates::Told)));
        }
        let mut words: Vec<(&str, TermId)> = self.dictionary.iter().map(|(word, term)| (&**word, *term)).collect();
        words.sort_unstable();
        for (word, term) in words {
            let mut postings: Vec<(usize, u8)> =
                self.postings[term as usize].iter().map(|(doc, often)| (rank[doc], *often)).collect();
            assert!(self.postings[term as usize].is_sorted_by_key(|(doc, _)| *doc));
            postings.sort_unstable();
            let names = self.names_with.get(&term);
            if !postings.is_empty() || names.is_some() {
                told.push(format!("{word}: {postings:?}, in {names:?}"));
            }
        }
        for (n, of) in self.of_name.iter().enumerate() {
            told.push(format!("{}: {:?}", name(n as NameId), of.iter().map(|doc| rank[doc]).collect::<Vec<_>>()));
        }
        told
    }
}
