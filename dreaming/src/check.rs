//! Whether what is remembered is true: each sentence and each number of a story, of the memories of a login and of what
//! was recalled, judged from the records alone.
//!
//! It says what the records allow to be said and looks whether the sentence is that: a sentence that it does not
//! know is as bad as one that is false. Invariant: nothing here is shared with what tells (`narrate`, `reflect`,
//! `bootstrap`, `retrieve`) but the documents; the words of each kind are written a second time, or a wrong word
//! would judge itself.
//!
//! What is true: a sentence without a number happened at least once, "more than once" at least twice, and a number is
//! the number in the records, of the scene (`past::scene_around`) or since the day that is named.

mod answers;
mod holders;
mod inherited;
mod insights;
mod lines;
mod past;
mod phrases;
mod things;

use crate::bootstrap::Bootstrap;
use crate::config::{Inherited, Terms};
use crate::graph::{Body, Graph, Sort};
use crate::narrate::Summary;
use crate::record::Record;
use past::Past;
use protocol::payload::Memory;

/// A sentence that the records do not bear out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Untrue {
    pub sentence: String,
    pub why: String,
    /// What it says that it stands on.
    pub evidence: Vec<u64>,
}

/// All records of one agent, ready to be asked.
pub struct Judge<'r> {
    past: Past<'r>,
    handed_down: Vec<Inherited>,
}

type Verdict = Result<(), String>;

impl<'r> Judge<'r> {
    /// `records` by rising seq, as they were dreamt; the terms are those of the dream.
    pub fn new(records: &'r [Record], terms: &Terms) -> Judge<'r> {
        Judge { past: Past::new(records, terms), handed_down: Vec::new() }
    }

    /// The same for one who took over what others know.
    pub fn with_inherited(mut self, handed_down: &[Inherited]) -> Judge<'r> {
        self.handed_down = handed_down.to_vec();
        self
    }

    /// The untrue sentences of a story, its headings too.
    pub fn story(&self, story: &Summary) -> Vec<Untrue> {
        let mut untrue = Vec::new();
        let mut sentences = story.sentences.iter();
        let mut section = lines::Section::Head;
        let mut said: Vec<&[u64]> = Vec::new();
        let mut best_told = lines::Told::default();
        for line in story.text.lines().filter(|line| !line.is_empty()) {
            let mut fail = |why: String, evidence: &[u64]| {
                untrue.push(Untrue { sentence: line.to_string(), why, evidence: evidence.to_vec() });
            };
            if line.starts_with('#') {
                match lines::section(line) {
                    Some(next) => section = next,
                    None => fail("no heading is like this".into(), &[]),
                }
                (best_told, said) = (lines::Told::default(), Vec::new());
                continue;
            }
            let Some(sentence) = sentences.next().filter(|sentence| sentence.text == line) else {
                fail("it is no sentence with evidence".into(), &[]);
                continue;
            };
            said.push(&sentence.evidence);
            let verdict = match &section {
                lines::Section::Head => Err("it stands under no heading".into()),
                lines::Section::Session(heading) => lines::judge(&self.past, line, &sentence.evidence)
                    .and_then(|told| best_told.add(&told))
                    .and_then(|()| self.past.in_session(heading.session, &sentence.evidence)),
                lines::Section::Insights => self.insight(line, &sentence.evidence),
                lines::Section::Relationships => things::relationship(&self.past, line, &sentence.evidence),
            };
            if let Err(why) = verdict {
                fail(why, &sentence.evidence);
            }
        }
        untrue.extend(self.headings(story));
        untrue
    }

    /// The times of the headings: from the first to the last of what stands below.
    fn headings(&self, story: &Summary) -> Vec<Untrue> {
        let mut untrue = Vec::new();
        let mut sentences = story.sentences.iter();
        let mut open: Option<(String, past::Heading, Vec<u64>)> = None;
        let mut close = |open: Option<(String, past::Heading, Vec<u64>)>| {
            if let Some((line, heading, evidence)) = open
                && let Err(why) = self.past.is_heading(&heading, &evidence)
            {
                untrue.push(Untrue { sentence: line, why, evidence });
            }
        };
        for line in story.text.lines().filter(|line| !line.is_empty()) {
            if line.starts_with('#') {
                close(open.take());
                if let Some(lines::Section::Session(heading)) = lines::section(line) {
                    open = Some((line.to_string(), heading, Vec::new()));
                }
            } else if let (Some(sentence), Some((.., evidence))) = (sentences.next(), &mut open) {
                evidence.extend(&sentence.evidence);
            }
        }
        close(open.take());
        untrue
    }

    /// The untrue lines of what is handed over at a login.
    pub fn bootstrap(&self, bootstrap: &Bootstrap) -> Vec<Untrue> {
        self.memories(&bootstrap.memories)
    }

    /// The untrue ones of memories, as a login or a question brings them.
    pub fn memories(&self, memories: &[Memory]) -> Vec<Untrue> {
        let judged = memories.iter().filter_map(|memory| {
            let why = self.memory(memory).err()?;
            Some(Untrue { sentence: memory.text.clone(), why, evidence: memory.evidence.clone() })
        });
        judged.collect()
    }

    fn memory(&self, memory: &Memory) -> Verdict {
        let (text, evidence) = (memory.text.as_str(), memory.evidence.as_slice());
        let kind = memory.id.split(':').next().unwrap_or_default();
        match kind {
            "event" => lines::dated(&self.past, text, evidence),
            "fact" => things::fact(&self.past, text, evidence),
            "reflection" | "why" | "inherited" | "principle" => self.insight(text, evidence),
            _ => things::thing(&self.past, text, evidence),
        }
    }

    fn insight(&self, text: &str, evidence: &[u64]) -> Verdict {
        if let Some((said, mark)) = text.rsplit_once(" (handed down by ") {
            return inherited::judge(&self.past, &self.handed_down, said, mark);
        }
        if text.starts_with("PRINCIPLE: ") {
            return inherited::principle(&self.past, &self.handed_down, text);
        }
        self.past.has(evidence)?;
        // What is counted says since when; what answers a question counts what it cites.
        match text.contains(" (since ") {
            true => insights::judge(&self.past, text, evidence),
            false => answers::judge(&self.past, text, evidence),
        }
    }

    /// What a graph says of single records, and what it counts.
    pub fn graph(&self, graph: &Graph) -> Vec<Untrue> {
        let mut untrue = Vec::new();
        for node in graph.net.node_weights() {
            let wrong = match &node.body {
                Body::Event(event) => self.past.is_event(graph, event).err().map(|why| (why, vec![event.seq])),
                Body::Thing(thing) => {
                    let key = graph.names.key(thing.name);
                    let wrong = insights::counts_as(&self.past, key, thing.counted_from, &thing.tally).err();
                    wrong.map(|why| (why, thing.evidence.seqs()))
                }
                Body::Reflection(body) if body.sort == Sort::Principle => {
                    let wrong = inherited::principle(&self.past, &self.handed_down, &body.text).err();
                    wrong.map(|why| (why, body.evidence.clone()))
                }
                Body::Reflection(body) if body.from_agent.is_none() && body.sort != Sort::Counted => {
                    let wrong = answers::judge(&self.past, &body.text, &body.evidence).err();
                    wrong.map(|why| (why, body.evidence.clone()))
                }
                Body::Reflection(body) if body.from_agent.is_none() => {
                    let key = graph.names.key(body.about);
                    let wrong = insights::counts_as(&self.past, key, body.counted_from, &body.tally).err();
                    wrong.map(|why| (why, body.evidence.clone()))
                }
                _ => None,
            };
            if let Some((why, evidence)) = wrong {
                untrue.push(Untrue { sentence: graph.id_of(node), why, evidence });
            }
        }
        untrue
    }
}
