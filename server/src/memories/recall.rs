//! The verb `recall`: what it understands, and what whoever typed it reads.
//!
//! Invariants: only what the asker itself remembers is told. Names and words of others are on lines of ours, cleaned.
//! What is not remembered is said not to be; nothing is made up.

use super::story::{cleaned, plain};
use super::{Awake, Held, Memories, Now};
use crate::log_input::Request;
use crate::store::memories;
use dreaming::bootstrap::{Heading, Told, memory_of, under};
use dreaming::calendar::{date, game_date, time_of_day, zone_name};
use dreaming::retrieve::{Query, Recall};
use dreaming::why::{Behind, behind, tell};
use dreaming::{Record, Terms, Valence};
use mind::LogId;
use mind::appraisal::appraise;
use protocol::names::clean_text;
use protocol::payload::Mind;
use protocol::words::capitalised;
use std::fmt::Write;
use std::sync::Arc;

/// Longest question that is looked into, characters.
const WORDS_MAX: usize = 300;
/// Entries behind a memory that are told, the newest.
const BEHIND_MAX: usize = 20;
/// Memories of one heading that are told.
const UNDER_MAX: usize = 20;
/// What holds no word of a question is told only where it is led to as surely as this, 0..=1 of the best.
const RELEVANCE_MIN: f64 = 0.5;
const NOTHING_YET: &str = "You remember nothing yet.";
const NOT_DREAMT: &str = "You have not slept on anything yet: dreams come by night, of what the day brought.";
/// Behind what is remembered of plans and choices whose reason was asked for.
const NO_REASON_YET: &str = "\nWhy, you have not found out yet. That takes three that went well and three that did not, \
                             and time to reflect on all that has happened.";
const NOTHING_OF_THAT: &str = "You remember nothing of that.";

/// What comes of a request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answer {
    /// What the asker reads; may be several lines.
    pub text: String,
    /// For those who asked for frames.
    pub frame: Option<Mind>,
    /// What `text` lists by number.
    pub listed: Vec<Listed>,
    /// `text` says why it could not be answered.
    pub refused: bool,
}

/// A line of what was recalled, as `recall why` and its number ask about it.
#[derive(Clone, PartialEq, Debug)]
pub struct Listed {
    pub id: String,
    /// As it was read.
    pub line: String,
    /// The entries that it stands on, rising; empty: those of `id`.
    pub seqs: Vec<u64>,
}

impl Listed {
    /// With the number that `recall why` takes.
    pub fn numbered(&self, n: usize) -> String {
        format!("{n:2}. {}", self.line)
    }
}

impl From<&Told> for Listed {
    fn from(told: &Told) -> Listed {
        let Told { memory, line } = told;
        Listed { id: memory.id.clone(), line: line.clone(), seqs: memory.evidence.clone() }
    }
}

/// What is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
enum Asked {
    /// What comes to mind of who and what is here.
    Moment,
    Words(String),
    /// All of one kind: what a prompt had no room for.
    Under(Heading),
    /// The whole story of the last dream.
    Story,
    /// What a memory stands on.
    Why(String),
}

impl Asked {
    fn of(args: &str) -> Asked {
        let clean = clean_text(args);
        let words: String = clean.split_whitespace().collect::<Vec<_>>().join(" ").chars().take(WORDS_MAX).collect();
        if words.is_empty() {
            return Asked::Moment;
        }
        match words.split_once(' ') {
            Some((why, id)) if why.eq_ignore_ascii_case("why") && is_id(id) => Asked::Why(whole_id(id)),
            None if words.eq_ignore_ascii_case("why") => Asked::Why(String::new()),
            None if words.eq_ignore_ascii_case("warnings") => Asked::Under(Heading::Warnings),
            None if words.eq_ignore_ascii_case("knowledge") => Asked::Under(Heading::Knowledge),
            None if words.eq_ignore_ascii_case("dreams") => Asked::Story,
            _ => Asked::Words(words),
        }
    }
}

/// Whether memories alone can answer: why one is there, all of one kind, or a story.
pub fn is_of_memories(args: &str) -> bool {
    matches!(Asked::of(args), Asked::Why(_) | Asked::Under(_) | Asked::Story)
}

/// `event:17`, `#17`, `17`, `player:bob`, `reflection:mob:3`: no blanks, and a colon or a number. Anything else that
/// begins with "why" is a question in words.
fn is_id(id: &str) -> bool {
    !id.contains(' ') && (id.contains(':') || id.trim_start_matches('#').parse::<u64>().is_ok())
}

fn whole_id(id: &str) -> String {
    match id.trim_start_matches('#').parse::<u64>() {
        Ok(seq) => format!("event:{seq}"),
        Err(_) => id.to_string(),
    }
}

/// Answers a request in the arm of the session that asks. Never fails: what goes wrong is said, and logged. `about`:
/// the line whose number was asked about.
pub async fn answer(
    memories: &Memories,
    request: &Request,
    valence: Valence,
    about: Option<&Listed>,
    unwritten: impl Fn() -> Vec<Record>,
) -> Answer {
    let asked = Asked::of(&request.args);
    let now = Now { tick: request.tick, at_ms: request.at_ms };
    let answered = async {
        if asked == Asked::Story {
            return dreamt(memories, &request.log, valence).await;
        }
        let held = memories.of(&request.log, valence, now, &unwritten).await?;
        match asked {
            Asked::Why(id) => {
                // Before the database is asked, as in `Memories::of`.
                let unwritten = unwritten();
                why(memories, &request.log, &held, Question { id: &id, about }, unwritten).await
            }
            Asked::Under(heading) => Ok(all_under(&held.mind(), heading, now)),
            asked => {
                let words = if let Asked::Words(words) = asked { words } else { String::new() };
                let present = request.present.clone();
                // Finding takes a millisecond, and with very many memories some more: not on the runtime's threads.
                Ok(tokio::task::spawn_blocking(move || recalled(&held, words, &present, now)).await?)
            }
        }
    };
    answered.await.unwrap_or_else(|error: anyhow::Error| {
        tracing::error!(log = %request.log, error = %format!("{error:#}"), "memories could not be read");
        let text = "Your memories cannot be read just now. Try again in a minute.".to_string();
        Answer { text, refused: true, ..Answer::default() }
    })
}

/// The story of the last dream, whole. One of the other arm is none.
async fn dreamt(memories: &Memories, log: &LogId, valence: Valence) -> anyhow::Result<Answer> {
    let cursor = memories::cursor(&memories.store, log.clone()).await?;
    let own = cursor.filter(|cursor| (cursor.flat != 0) == (valence == Valence::Flat));
    let text = own.map(|cursor| plain(&cleaned(&cursor.summary))).unwrap_or_default();
    let text = if text.is_empty() { NOT_DREAMT.to_string() } else { text };
    Ok(Answer { text, ..Answer::default() })
}

fn recalled(held: &Arc<Held>, words: String, present: &[String], now: Now) -> Answer {
    let query = match words.is_empty() {
        true => Query::moment("", present, now.tick),
        false => Query { present, ..Query::question(&words, now.tick) },
    };
    let query = Query { one_of_each: true, ..query };
    let mut mind = held.mind();
    let mut recall = mind.recall(&query);
    let text = if mind.is_empty() {
        NOTHING_YET.to_string()
    } else if !words.is_empty() && recall.abstains() {
        let text = unknown(&recall);
        recall.found.clear();
        text
    } else {
        String::new()
    };
    if !words.is_empty() {
        // The best ten are found however little the last of them have to do with it.
        recall.found.retain(|found| found.coverage > 0.0 || found.relevance >= RELEVANCE_MIN);
    }
    let told: Vec<Told> = recall.found.iter().map(|found| memory_of(mind.graph(), found, now.tick)).collect();
    let nothing = if text.is_empty() { "Nothing here reminds you of anything." } else { &text };
    let mut answer = listed("You remember:", nothing, words, told);
    if recall.lacks_reason && !answer.listed.is_empty() {
        answer.text.push_str(NO_REASON_YET);
    }
    answer
}

/// Memories, numbered as `recall why` takes them; `nothing` is said where there are none.
fn listed(title: &str, nothing: &str, words: String, told: Vec<Told>) -> Answer {
    let listed: Vec<Listed> = told.iter().map(Listed::from).collect();
    let mut text = if listed.is_empty() { nothing } else { title }.to_string();
    for (n, listed) in (1..).zip(&listed) {
        let _ = write!(text, "\n{}", listed.numbered(n));
    }
    let memories = told.into_iter().map(|told| told.memory).collect();
    Answer { text, frame: Some(Mind::Recalled { words, memories, entries: Vec::new() }), listed, refused: false }
}

/// What was learned of one kind, the weightiest first.
fn all_under(mind: &Awake, heading: Heading, now: Now) -> Answer {
    let told = under(mind.graph(), heading, UNDER_MAX, now.tick);
    let (title, nothing, words) = match heading {
        Heading::Warnings => ("What you have to beware of:", "You know of nothing to beware of.", "warnings"),
        Heading::Knowledge => ("What you know of the world:", "You know nothing of the world yet.", "knowledge"),
    };
    listed(title, nothing, words.to_string(), told)
}

/// That nothing fits, and which names were never heard.
fn unknown(recall: &Recall) -> String {
    let strangers = recall.strangers.iter().map(|word| capitalised(word)).collect::<Vec<_>>().join(", ");
    match strangers.is_empty() {
        true => NOTHING_OF_THAT.to_string(),
        false => format!("{NOTHING_OF_THAT} You have never heard of {strangers}."),
    }
}

/// What `recall why` asks about.
struct Question<'q> {
    id: &'q str,
    about: Option<&'q Listed>,
}

async fn why(
    memories: &Memories,
    log: &LogId,
    held: &Held,
    Question { id, about }: Question<'_>,
    unwritten: Vec<Record>,
) -> anyhow::Result<Answer> {
    let refused = |text: String| Ok(Answer { text, refused: true, ..Answer::default() });
    if id.is_empty() {
        return refused("Why what? Give its number in what you last recalled: recall why 2".to_string());
    }
    let (behind, terms) = {
        let mind = held.mind();
        (behind(mind.graph(), id), mind.graph().terms.clone())
    };
    match behind {
        None => refused(format!("You have no memory {id}. Recall something, and give its number there: recall why 2")),
        Some(Behind::Of { agent, seqs }) => {
            let agent = clean_text(&agent);
            let seqs = seqs.iter().map(|seq| format!("#{seq}")).collect::<Vec<_>>().join(", ");
            let text = match about {
                Some(about) => format!("{}\n{agent} handed it down to you. It", about.line),
                None => format!("{agent} handed {id} down to you. It"),
            };
            let text = format!("{text} stands on what happened to {agent}: {seqs}.");
            Ok(Answer { text, ..Answer::default() })
        }
        Some(Behind::Own(seqs)) => {
            // A line may stand for more than the one memory whose id it has.
            let seqs = about.map(|about| &about.seqs).filter(|seqs| !seqs.is_empty()).unwrap_or(&seqs);
            let newest = &seqs[seqs.len().saturating_sub(BEHIND_MAX)..];
            let written = memories.records(log, newest).await?;
            let mut text = match about {
                Some(about) => format!("{}\nYou remember it because of this:", about.line),
                None => format!("You remember {id} because of this:"),
            };
            if newest.len() < seqs.len() {
                let _ = write!(text, "\n({} older ones are not shown.)", seqs.len() - newest.len());
            }
            let agent = capitalised(log.character());
            for seq in newest {
                let record = written.iter().chain(&unwritten).find(|record| record.seq == *seq);
                let line = record.map_or("no longer in your log.".into(), |record| entry(&agent, &terms, record));
                let _ = write!(text, "\n#{seq} {line}");
            }
            Ok(Answer { text, ..Answer::default() })
        }
    }
}

/// `Was betrayed by Bob. [4 Sowing 612; Cat stood by; importance 8 of 10]`; where the world's dates are not told,
/// `[Jan 12, 2026, 3:15 PM UTC; …]`.
fn entry(agent: &str, terms: &Terms, record: &Record) -> String {
    let offset = terms.utc_offset_minutes;
    let when = match terms.game_dates {
        true => game_date(record.tick),
        false => {
            let time = format!("{} {}", time_of_day(record.at_ms, offset), zone_name(offset));
            format!("{}, {time}", date(record.at_ms, offset))
        }
    };
    let by: Vec<String> = record.happening.witnesses.iter().map(|who| clean_text(&who.name).into_owned()).collect();
    let by = if by.is_empty() { String::new() } else { format!("{} stood by; ", by.join(", ")) };
    let importance = appraise(&record.happening).importance;
    format!("{} [{when}; {by}importance {importance} of 10]", tell(agent, terms, record))
}
