//! Finding entries of a mind's log by their words: notes, decisions, goals, talk, deeds and all else that was written.
//!
//! `entry.rs` says what of an entry is found and what it makes of others, `query.rs` reads what is asked. Ranked by
//! BM25 with the words of `retrieve`, here and not by the database, since two databases would rank differently. The
//! index holds numbers, no texts: what is found is read from the log by its number. An index of a whole log answers any
//! question at once; one of a single question (`LogIndex::of`) is made anew for each and holds only what may answer it,
//! which is for logs too long to hold.
//!
//! Not found are stories and compactions, which crowd out what they tell of, how full prompts were, and what one
//! looked at. Invariants: a function of the entries and their order; the same log and the same question give the same
//! answer, by either index; ties go to the newer one.

mod entry;
mod query;
#[cfg(test)]
mod tests;

pub use query::{Asked, LogQuery, Point};

use crate::retrieve::words::each_token;
use crate::retrieve::words_asked;
use entry::{Change, Piece, TASK, changes, piece_of};
use mind::{Event, LogEntry};
use rustc_hash::FxHashMap;
use serde::Serialize;

/// Entries that an answer holds.
pub const FOUND_MAX: usize = 10;
/// What holds less of a question, by the weight of its words, is no answer to it.
const COVERAGE_MIN: f64 = 0.4;
/// BM25.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// What sort of entry it is: what `in:` names.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    Notes,
    Decisions,
    Goals,
    Projects,
    Facts,
    Journal,
    Talk,
    Deeds,
}

impl Part {
    pub const ALL: [Part; 8] = [
        Part::Notes,
        Part::Decisions,
        Part::Goals,
        Part::Projects,
        Part::Facts,
        Part::Journal,
        Part::Talk,
        Part::Deeds,
    ];

    /// As `in:` takes it.
    pub fn name(self) -> &'static str {
        match self {
            Part::Notes => "notes",
            Part::Decisions => "decisions",
            Part::Goals => "goals",
            Part::Projects => "projects",
            Part::Facts => "facts",
            Part::Journal => "journal",
            Part::Talk => "talk",
            Part::Deeds => "deeds",
        }
    }
}

/// What is known of an entry beside its words.
#[derive(Clone, Copy, Debug)]
struct Doc {
    seq: u64,
    tick: u64,
    at_ms: i64,
    /// Places in `names`; 0: nobody, no project.
    from: u32,
    project: u32,
    length: u16,
    part: Part,
    /// Something else says it now, or it was taken back.
    superseded: bool,
    /// It was something to be done, and is.
    done: bool,
}

/// How often a document holds a term.
#[derive(Clone, Copy, Debug)]
struct Posting {
    doc: u32,
    count: u16,
}

/// What was found, without its text.
#[derive(Clone, PartialEq, Debug)]
pub struct LogHit {
    pub seq: u64,
    pub tick: u64,
    pub part: Part,
    /// In which project it was written; where it is about that.
    pub project: Option<String>,
    /// 0 where nothing was asked for but the newest.
    pub score: f64,
    /// It still stands: it is not done, and nothing took its place. Never so of talk and deeds, which are past.
    pub open: bool,
}

/// An entry whose words were counted: the dear part of taking it, which needs no index and can be done beside it.
#[derive(Clone, Debug)]
pub struct Counted {
    entry: LogEntry,
    /// `None`: nothing in it is looked for.
    piece: Option<Piece>,
    length: u16,
    /// Each word that is looked for, and how often it is there.
    words: Vec<(String, u16)>,
}

/// What a question looks for, where an index is to answer no other.
#[derive(Clone, Debug)]
pub struct Sought {
    query: LogQuery,
    /// In order, each once.
    words: Vec<String>,
}

impl Sought {
    pub fn new(query: LogQuery) -> Sought {
        Sought { words: asked_words(&query.words), query }
    }

    /// Whether whoever asks may know that this was ever written.
    fn may_know(&self, event: &Event) -> bool {
        let scopes = self.query.scopes.as_ref();
        scopes.is_none_or(|scopes| event.scope().is_some_and(|scope| scopes.contains(&scope)))
    }

    /// Whether an entry may be an answer, whatever is said of it later.
    fn may_hold(&self, counted: &Counted, part: Part) -> bool {
        match self.query.words.trim() {
            "" => self.query.parts.is_empty() || self.query.parts.contains(&part),
            _ => !counted.words.is_empty(),
        }
    }
}

/// Words of a question, in order, each once.
fn asked_words(words: &str) -> Vec<String> {
    // What is asked for beside the words is asked of the log, too: who killed one is not whom one killed.
    let mut asked = words_asked(words);
    asked.sort_unstable();
    asked.dedup();
    asked
}

/// Counts the words of an entry; of a question's words alone where there is one.
pub fn counted(entry: LogEntry, sought: Option<&Sought>) -> Counted {
    let piece = match sought {
        Some(sought) if !sought.may_know(&entry.event) => None,
        _ => piece_of(&entry.event),
    };
    let (mut words, mut length) = (Vec::new(), 0_u16);
    let is_sought = |word: &str| sought.is_none_or(|sought| sought.words.iter().any(|sought| sought == word));
    each_token(piece.as_ref().map_or("", |piece| &piece.text), |word| {
        length = length.saturating_add(1);
        if is_sought(word) {
            words.push(word.to_string());
        }
    });
    words.sort_unstable();
    let mut each: Vec<(String, u16)> = Vec::with_capacity(words.len());
    for word in words {
        match each.last_mut().filter(|(last, _)| *last == word) {
            Some((_, count)) => *count = count.saturating_add(1),
            None => each.push((word, 1)),
        }
    }
    Counted { entry, piece, length, words: each }
}

/// Of one log, from its beginning up to `last`.
#[derive(Clone, Debug, Default)]
pub struct LogIndex {
    /// The only question that it answers.
    sought: Option<Sought>,
    /// Entries that are looked for, whether held or not.
    count: u64,
    terms: FxHashMap<Box<str>, u32>,
    postings: Vec<Vec<Posting>>,
    docs: Vec<Doc>,
    length: u64,
    /// People and projects, by the words of their names.
    names: Vec<Box<str>>,
    name_ids: FxHashMap<Box<str>, u32>,
    /// Which document says what the thing of an id is now.
    by_id: FxHashMap<u64, u32>,
    /// The same of paths of the memory document, of the task and of what projects are about.
    by_key: FxHashMap<Box<str>, u32>,
    /// What was added to each path of the memory document.
    appended: FxHashMap<Box<str>, Vec<u32>>,
    /// Goals under a goal, by ids.
    under: FxHashMap<u64, Vec<u64>>,
    /// The project on the desk.
    project: u32,
    last: u64,
}

impl LogIndex {
    pub fn new() -> LogIndex {
        let mut index = LogIndex::default();
        index.names.push("".into());
        index.project = index.name_id(mind::projects::MAIN);
        index
    }

    /// One that is to answer this question and no other.
    pub fn of(sought: Sought) -> LogIndex {
        LogIndex { sought: Some(sought), ..LogIndex::new() }
    }

    /// The number of the newest entry that it knows.
    pub fn last(&self) -> u64 {
        self.last
    }

    pub fn len(&self) -> usize {
        self.docs.len()
    }

    pub fn is_empty(&self) -> bool {
        self.docs.is_empty()
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let postings: usize = self.postings.iter().map(|list| list.capacity() * size_of::<Posting>()).sum();
        let terms: usize = self.terms.keys().map(|term| term.len() + size_of::<(Box<str>, u32)>() + 8).sum();
        let lists = self.postings.capacity() * size_of::<Vec<Posting>>();
        let maps =
            (self.by_id.capacity() + self.name_ids.capacity() + self.by_key.capacity() + self.appended.capacity()) * 24;
        postings + terms + lists + maps + self.docs.capacity() * size_of::<Doc>()
    }

    /// Takes the next entry of the log. One that is known already changes nothing.
    pub fn add(&mut self, entry: &LogEntry) {
        if entry.seq > self.last {
            self.take(counted(entry.clone(), self.sought.as_ref()));
        }
    }

    /// The same of an entry whose words were counted, for this index's question where it has one.
    pub fn take(&mut self, counted: Counted) {
        let entry = &counted.entry;
        if entry.seq <= self.last {
            return;
        }
        self.last = entry.seq;
        for change in changes(&entry.event) {
            self.change(change);
        }
        let Some(piece) = &counted.piece else { return };
        self.count += 1;
        self.length += u64::from(counted.length);
        if let Some(parent) = piece.under {
            self.under.entry(parent).or_default().push(entry.seq);
        }
        let key = match &piece.key {
            Some(key) if key == TASK => Some(self.task_key()),
            key => key.clone(),
        };
        let is_held = self.sought.as_ref().is_none_or(|sought| sought.may_hold(&counted, piece.part));
        if !is_held {
            // What it takes the place of is superseded all the same.
            if let Some(id) = piece.instead_of {
                self.supersede(id);
                self.by_id.remove(&id);
            }
            if let Some(before) = key.and_then(|key| self.by_key.remove(key.as_str())) {
                self.docs[before as usize].superseded = true;
            }
            return;
        }
        let doc = self.add_doc(&counted, piece);
        if let Some(id) = piece.instead_of {
            self.supersede(id);
            self.by_id.insert(id, doc);
        } else {
            self.by_id.insert(entry.seq, doc);
        }
        if let Event::MemoryAppend { path, .. } = &entry.event {
            self.appended.entry(path.as_str().into()).or_default().push(doc);
        }
        if let Some(key) = key
            && let Some(before) = self.by_key.insert(key.into(), doc)
        {
            self.docs[before as usize].superseded = true;
        }
    }

    fn add_doc(&mut self, counted: &Counted, piece: &Piece) -> u32 {
        let Counted { entry, words, .. } = counted;
        let length = counted.length;
        let number = u32::try_from(self.docs.len()).expect("a log has fewer entries");
        for (word, count) in words {
            let next = self.postings.len() as u32;
            let term = match self.terms.get(word.as_str()) {
                Some(term) => *term,
                None => {
                    self.terms.insert(word.as_str().into(), next);
                    self.postings.push(Vec::new());
                    next
                }
            };
            self.postings[term as usize].push(Posting { doc: number, count: *count });
        }
        let from = piece.from.as_deref().map_or(0, |name| self.name_id(name));
        let is_of_project = matches!(piece.part, Part::Notes | Part::Decisions | Part::Goals | Part::Projects);
        let project = match &piece.project {
            Some(key) => self.name_id(key),
            None if is_of_project => self.project,
            None => 0,
        };
        let (seq, tick, at_ms, part) = (entry.seq, entry.tick, entry.at_ms, piece.part);
        self.docs.push(Doc { seq, tick, at_ms, from, project, length, part, superseded: false, done: false });
        number
    }

    fn change(&mut self, change: Change<'_>) {
        match change {
            Change::Done(id) => self.finish(id, true),
            Change::Reopened(id) => self.finish(id, false),
            Change::DoneWithParts(id) => {
                let mut ids = vec![id];
                while let Some(id) = ids.pop() {
                    self.finish(id, true);
                    ids.extend(self.under.get(&id).into_iter().flatten());
                }
            }
            Change::Gone(id) => self.supersede(id),
            Change::TaskDone => {
                if let Some(doc) = self.by_key.get(self.task_key().as_str()) {
                    self.docs[*doc as usize].done = true;
                }
            }
            Change::PathGone(path) => {
                let below = format!("{path}.");
                let goes = |own: &str| own == path || own.starts_with(&below);
                let set = self.by_key.iter().filter(|(key, _)| key.strip_prefix("memory:").is_some_and(goes));
                let appended = self.appended.iter().filter(|(own, _)| goes(own)).flat_map(|(_, docs)| docs);
                let gone: Vec<u32> = set.map(|(_, doc)| *doc).chain(appended.copied()).collect();
                gone.into_iter().for_each(|doc| self.docs[doc as usize].superseded = true);
            }
            Change::Desk(key) => self.project = self.name_id(key),
        }
    }

    /// Each project has a task of its own.
    fn task_key(&self) -> String {
        format!("{TASK}:{}", self.project)
    }

    fn finish(&mut self, id: u64, done: bool) {
        if let Some(doc) = self.by_id.get(&id) {
            self.docs[*doc as usize].done = done;
        }
    }

    fn supersede(&mut self, id: u64) {
        if let Some(doc) = self.by_id.get(&id) {
            self.docs[*doc as usize].superseded = true;
        }
    }

    fn name_id(&mut self, name: &str) -> u32 {
        let folded = name.to_lowercase();
        let next = self.names.len() as u32;
        let id = *self.name_ids.entry(folded.as_str().into()).or_insert(next);
        if id == next {
            self.names.push(folded.into());
        }
        id
    }

    /// The answer of an index of one question.
    pub fn answer(&self) -> Vec<LogHit> {
        self.sought.as_ref().map_or_else(Vec::new, |sought| self.find(&sought.query))
    }

    /// The best of what fits a question; where that has no words, the newest.
    pub fn find(&self, query: &LogQuery) -> Vec<LogHit> {
        let wanted = |doc: &Doc| self.fits(doc, query);
        let mut found: Vec<(f64, u32)> = match query.words.trim() {
            "" => {
                let newest = self.docs.iter().enumerate().rev().filter(|(_, doc)| wanted(doc));
                newest.take(FOUND_MAX).map(|(number, _)| (0.0, number as u32)).collect()
            }
            words => {
                let scored = self.by_words(words);
                scored.into_iter().filter(|(_, number)| wanted(&self.docs[*number as usize])).collect()
            }
        };
        found.sort_by(|(a, a_doc), (b, b_doc)| b.total_cmp(a).then(b_doc.cmp(a_doc)));
        found.truncate(FOUND_MAX);
        found.into_iter().map(|(score, number)| self.hit(score, number)).collect()
    }

    fn hit(&self, score: f64, number: u32) -> LogHit {
        let doc = &self.docs[number as usize];
        let is_past = matches!(doc.part, Part::Talk | Part::Deeds | Part::Journal);
        LogHit {
            seq: doc.seq,
            tick: doc.tick,
            part: doc.part,
            project: (doc.project != 0).then(|| self.names[doc.project as usize].to_string()),
            score: libm::round(score * 100.0) / 100.0,
            open: !is_past && !doc.done && !doc.superseded,
        }
    }

    fn fits(&self, doc: &Doc, query: &LogQuery) -> bool {
        let is_from = |name: &String| {
            let who = &self.names[doc.from as usize];
            doc.from != 0 && (**who == **name || who.split(' ').any(|word| word == name))
        };
        (query.all || !doc.superseded)
            && (query.parts.is_empty() || query.parts.contains(&doc.part))
            && query.from.as_ref().is_none_or(is_from)
            && query.project.as_ref().is_none_or(|key| doc.project != 0 && *self.names[doc.project as usize] == **key)
            && query.since.is_none_or(|since| since.is_before(doc.seq, doc.tick, doc.at_ms))
            && query.until.is_none_or(|until| until.is_after(doc.seq, doc.tick, doc.at_ms))
    }

    /// Documents with enough of the words, with their scores.
    fn by_words(&self, words: &str) -> Vec<(f64, u32)> {
        let asked = asked_words(words);
        let count = self.count as f64;
        let mean = (self.length as f64 / count.max(1.0)).max(1.0);
        let idf = |with: usize| libm::log((count - with as f64 + 0.5) / (with as f64 + 0.5) + 1.0);
        let mut scores: FxHashMap<u32, (f64, f64)> = FxHashMap::default();
        let mut whole = 0.0;
        for word in &asked {
            let Some(term) = self.terms.get(word.as_str()) else {
                // What nobody ever wrote says less of what is asked for than what somebody did.
                whole += idf(0) / 2.0;
                continue;
            };
            let list = &self.postings[*term as usize];
            let weight = idf(list.len());
            whole += weight;
            for posting in list {
                let length = f64::from(self.docs[posting.doc as usize].length);
                let often = f64::from(posting.count);
                let part = often * (K1 + 1.0) / (often + K1 * (1.0 - B + B * length / mean));
                let score = scores.entry(posting.doc).or_default();
                score.0 += weight * part;
                score.1 += weight;
            }
        }
        let enough = scores.into_iter().filter(|(_, (_, covered))| *covered >= COVERAGE_MIN * whole);
        enough.map(|(doc, (score, _))| (score, doc)).collect()
    }
}
