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
use protocol::names::clean_text;
use protocol::payload::Mind;
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
const NOTHING_OF_THAT: &str = "You remember nothing of that.";

/// What comes of a request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Answer {
    /// What the asker reads; may be several lines.
    pub text: String,
    /// For those who asked for frames.
    pub frame: Option<Mind>,
    /// `text` says why it could not be answered.
    pub refused: bool,
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

/// Answers a request in the arm of the session that asks. Never fails: what goes wrong is said, and logged.
pub async fn answer(
    memories: &Memories,
    request: &Request,
    valence: Valence,
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
                why(memories, &request.log, &held, &id, unwritten).await
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
    let text = match (text.is_empty(), told.is_empty()) {
        (false, _) => text,
        (true, true) => "Nothing here reminds you of anything.".to_string(),
        (true, false) => listed("You remember:", &told),
    };
    let memories = told.into_iter().map(|told| told.memory).collect();
    Answer { text, frame: Some(Mind::Recalled { words, memories, entries: Vec::new() }), refused: false }
}

/// Memories as people read them, numbered as `recall why` takes them.
fn listed(title: &str, told: &[Told]) -> String {
    let mut text = title.to_string();
    for (n, told) in (1..).zip(told) {
        let _ = write!(text, "\n{n:2}. {}", told.line);
    }
    text
}

/// What was learned of one kind, the weightiest first.
fn all_under(mind: &Awake, heading: Heading, now: Now) -> Answer {
    let told = under(mind.graph(), heading, UNDER_MAX, now.tick);
    let (title, nothing, words) = match heading {
        Heading::Warnings => ("What you have to beware of:", "You know of nothing to beware of.", "warnings"),
        Heading::Knowledge => ("What you know of the world:", "You know nothing of the world yet.", "knowledge"),
    };
    let text = if told.is_empty() { nothing.to_string() } else { listed(title, &told) };
    let memories = told.into_iter().map(|told| told.memory).collect();
    Answer {
        text,
        frame: Some(Mind::Recalled { words: words.to_string(), memories, entries: Vec::new() }),
        refused: false,
    }
}

/// That nothing fits, and which names were never heard.
fn unknown(recall: &Recall) -> String {
    let strangers = recall.strangers.iter().map(|word| super::called(word)).collect::<Vec<_>>().join(", ");
    match strangers.is_empty() {
        true => NOTHING_OF_THAT.to_string(),
        false => format!("{NOTHING_OF_THAT} You have never heard of {strangers}."),
    }
}

async fn why(
    memories: &Memories,
    log: &LogId,
    held: &Held,
    id: &str,
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
            let text = format!("{agent} handed {id} down to you. It stands on what happened to {agent}: {seqs}.");
            Ok(Answer { text, ..Answer::default() })
        }
        Some(Behind::Own(seqs)) => {
            let newest = &seqs[seqs.len().saturating_sub(BEHIND_MAX)..];
            let written = memories.records(log, newest).await?;
            let mut text = format!("You remember {id} because of this:");
            if newest.len() < seqs.len() {
                let _ = write!(text, "\n({} older ones are not shown.)", seqs.len() - newest.len());
            }
            let agent = super::called(log.character());
            for seq in newest {
                let record = written.iter().chain(&unwritten).find(|record| record.seq == *seq);
                let line = record.map_or("no longer in your log.".into(), |record| entry(&agent, &terms, record));
                let _ = write!(text, "\n#{seq} {line}");
            }
            Ok(Answer { text, ..Answer::default() })
        }
    }
}

/// `Jan 12, 2026, 3:15 PM UTC (4 Sowing 612): Was betrayed by Bob.`
fn entry(agent: &str, terms: &Terms, record: &Record) -> String {
    let offset = terms.utc_offset_minutes;
    let game = if terms.game_dates { format!(" ({})", game_date(record.tick)) } else { String::new() };
    let time = format!("{} {}", time_of_day(record.at_ms, offset), zone_name(offset));
    let when = format!("{}, {time}{game}", date(record.at_ms, offset));
    format!("{when}: {}", tell(agent, terms, record))
}
