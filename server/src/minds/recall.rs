//! The verb `recall` in its place among the requests of a character, and what a login wants to know: memories and the
//! log, asked by one question.
//!
//! Leaves memories to `memories`, finding entries to `log_indexes.rs`. Invariant: a request to recall is answered
//! behind all that came before it, and what those wrote is found, be it in the database yet or not. It writes nothing.

use super::log_indexes::{Findings, Found};
use super::{Append, Asker, Job, Minds};
use crate::log_input::{LogInput, Request};
use crate::memories::{self, Answer, Listed, Now, Remembered, record_of};
use dreaming::calendar::game_date;
use dreaming::log_search::{Asked, LogQuery, Part};
use dreaming::retrieve::age_hours;
use dreaming::{Record, Valence};
use mind::goals::GoalStatus;
use mind::projects::ProjectStatus;
use mind::{LogId, MindState, Reply};
use protocol::names::clean_text;
use protocol::payload::{Mind, RecalledEntry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use tokio::sync::oneshot;

const NOTHING_THERE: &str = "Nothing of that is in your log.";

impl Minds {
    /// What an agent is about to do, most urgent first: its task, then the steps that are open. Empty where its log
    /// cannot be read.
    pub async fn goals(&self, log: impl Into<LogId>) -> Vec<String> {
        let (reply, goals) = oneshot::channel();
        self.put(&log.into(), Job::Goals(reply));
        goals.await.unwrap_or_default()
    }

    /// What somebody remembers now, to be looked at once.
    pub async fn glance(&self, log: impl Into<LogId>, valence: Valence, now: Now) -> anyhow::Result<Remembered> {
        let log = log.into();
        self.memories.glance(&log, valence, now, || self.on_the_way(&log)).await
    }

    /// What memories are made of in a log and the database may not have yet, oldest first. It ends before a request
    /// that waits for its answer: what comes of that is to be remembered before what happened after it.
    fn on_the_way(&self, log: &LogId) -> Vec<Record> {
        let inner = self.inner.lock();
        let Some(slot) = inner.slots.get(log) else { return Vec::new() };
        let of_it = inner.to_write.iter().filter(|append| append.input.log() == log);
        let answered: BTreeMap<u64, &Append> = of_it.map(|append| (append.input.first(), append)).collect();
        let mut records = Vec::new();
        for (first, input) in &slot.unwritten {
            match (input, answered.get(first)) {
                (LogInput::Record(_, entry), _) => records.extend(record_of(entry)),
                (LogInput::Request(_), Some(append)) => records.extend(append.entries.iter().filter_map(record_of)),
                (LogInput::Request(_), None) => break,
            }
        }
        records
    }

    /// Entries of a log that are on their way to the database, in order.
    pub(super) fn on_their_way(&self, log: &LogId) -> Vec<Append> {
        let inner = self.inner.lock();
        inner.to_write.iter().filter(|append| append.input.log() == log).cloned().collect()
    }

    /// The best entries of a log for a question.
    pub async fn found_in_log(&self, log: &LogId, query: LogQuery) -> anyhow::Result<Findings> {
        // Before the database is asked: what is written meanwhile is in both, not in neither.
        let on_their_way = self.on_their_way(log);
        self.log_indexes.find(&self.store, log, query, on_their_way).await
    }

    /// Answers a request to recall. Whoever asked for frames gets what was found as one, right before the line.
    pub(super) async fn recall(&self, request: &Request, asker: Option<Asker>, state: &MindState) {
        let Some(asker) = asker else { return };
        let args = clean_text(&request.args);
        let about = match self.as_listed(&request.log, &args).transpose() {
            Ok(about) => about,
            Err(text) => {
                let reply = Reply { text, refused: true, ..Reply::default() };
                return self.hand_over(request, &asker, None, reply);
            }
        };
        let request = &match &about {
            None => request.clone(),
            Some(about) => Request { args: format!("why {}", about.id), ..request.clone() },
        };
        if let Some((name, words)) = of_another(&args) {
            let reply = self.recall_of(request, name, &words).await;
            // Nothing of it can be asked why.
            self.list(&request.log, Vec::new());
            return self.hand_over(request, &asker, None, reply);
        }
        let valence = memories::arm(asker.facts.valence_off);
        let answer = self.recalled(request, valence, state, about.as_ref()).await;
        if matches!(answer.frame, Some(Mind::Recalled { .. })) {
            self.list(&request.log, answer.listed);
        }
        let reply = Reply { text: answer.text, refused: answer.refused, ..Reply::default() };
        self.hand_over(request, &asker, answer.frame, reply);
    }

    /// `why 2`: what stood second in what was last recalled. `None`: it asks for no such number.
    fn as_listed(&self, log: &LogId, args: &str) -> Option<Result<Listed, String>> {
        let (why, number) = args.trim().split_once(' ')?;
        let n = number.trim().parse::<usize>().ok().filter(|_| why.eq_ignore_ascii_case("why"))?;
        let inner = self.inner.lock();
        let listed = inner.slots.get(log).map(|slot| slot.listed.as_slice()).unwrap_or_default();
        Some(match n.checked_sub(1).and_then(|at| listed.get(at)) {
            Some(listed) => Ok(listed.clone()),
            None if listed.is_empty() => Err("You recalled nothing lately. First recall something: recall".to_string()),
            None => Err(format!("What you last recalled has no number {n}.")),
        })
    }

    /// Keeps what was recalled, in the order in which it was told, for `as_listed`.
    pub(super) fn list(&self, log: &LogId, listed: Vec<Listed>) {
        self.inner.lock().slot(log).listed = listed;
    }

    async fn recalled(&self, request: &Request, valence: Valence, state: &MindState, about: Option<&Listed>) -> Answer {
        let args = clean_text(&request.args);
        if memories::is_of_memories(&args) {
            let on_the_way = || self.on_the_way(&request.log);
            let answer = memories::answer(&self.memories, request, valence, about, on_the_way).await;
            return match answer.refused {
                true => match self.why_entry(request, &args).await {
                    Ok(why) => why.unwrap_or(answer),
                    Err(error) => unread(&request.log, &error),
                },
                false => answer,
            };
        }
        let asked = match Asked::parse(&args, request.at_ms) {
            Ok(asked) => asked,
            Err(why) => return Answer { text: why, refused: true, ..Answer::default() },
        };
        let whole = args.split_whitespace().collect::<Vec<_>>().join(" ");
        let remembered = match asked.memories {
            false => None,
            true => {
                let request = Request { args: asked.words.clone(), ..request.clone() };
                let on_the_way = || self.on_the_way(&request.log);
                Some(memories::answer(&self.memories, &request, valence, None, on_the_way).await)
            }
        };
        let Some(query) = asked.log else { return remembered.unwrap_or_default() };
        let Findings { mut found, lacks } = match self.found_in_log(&request.log, query).await {
            Ok(findings) => findings,
            Err(error) => return unread(&request.log, &error),
        };
        found.iter_mut().for_each(|found| found.hit.open &= is_open(state, found));
        let mut answer = together(remembered, found, whole, request.tick);
        for (first, last) in lacks {
            let _ = write!(
                answer.text,
                "\nEntries #{first} to #{last} lie in an archive that cannot be read, and were not looked through."
            );
        }
        answer
    }
}

/// Whose log a question is for, by `of:NAME` among its words, and the others.
fn of_another(args: &str) -> Option<(&str, String)> {
    let named = |word: &&str| word.split_once(':').is_some_and(|(of, _)| of.eq_ignore_ascii_case("of"));
    let (_, name) = args.split_whitespace().find(named)?.split_once(':')?;
    let rest: Vec<&str> = args.split_whitespace().filter(|word| !named(word)).collect();
    Some((name, rest.join(" ")))
}

/// What is answered where the database cannot be asked.
fn unread(log: &LogId, error: &anyhow::Error) -> Answer {
    tracing::error!(%log, error = %format!("{error:#}"), "a log could not be searched");
    let text = "Your log cannot be searched just now. Try again in a minute.".to_string();
    Answer { text, refused: true, ..Answer::default() }
}

/// What was remembered and what was found in the log, as one answer.
fn together(remembered: Option<Answer>, found: Vec<Found>, words: String, tick: u64) -> Answer {
    let refused = remembered.as_ref().is_some_and(|answer| answer.refused);
    let (text, memories, mut listed) = match remembered {
        Some(Answer { text, frame: Some(Mind::Recalled { memories, .. }), listed, .. }) => (text, memories, listed),
        Some(Answer { text, .. }) => (text, Vec::new(), Vec::new()),
        None => (String::new(), Vec::new(), Vec::new()),
    };
    // What a memory tells of is not told once more.
    let told: BTreeSet<u64> = memories.iter().flat_map(|memory| memory.evidence.iter().copied()).collect();
    // Nor is what was said or written in the same words.
    let mut said: BTreeSet<String> = BTreeSet::new();
    let mut is_new = |found: &Found| match found.hit.part {
        Part::Deeds => !told.contains(&found.hit.seq),
        _ => said.insert(format!("{} {}", found.hit.open, mind::page::entry(&found.entry.event))),
    };
    let found: Vec<Found> = found.into_iter().filter(|found| is_new(found)).collect();
    let mut lines = match (memories.is_empty() && !refused, found.is_empty()) {
        // That nothing is remembered need not be said where something was written.
        (true, false) => String::new(),
        (true, true) if text.is_empty() => NOTHING_THERE.to_string(),
        _ => text,
    };
    if !found.is_empty() {
        if !lines.is_empty() {
            lines.push('\n');
        }
        lines.push_str("In your log:");
        for (n, found) in (1 + memories.len()..).zip(&found) {
            let _ = write!(lines, "\n{}", Listed::from(found).numbered(n));
        }
    }
    listed.extend(found.iter().map(Listed::from));
    let entries = found.into_iter().map(|found| entry_of_frame(found, tick)).collect();
    Answer { text: lines, frame: Some(Mind::Recalled { words, memories, entries }), listed, refused }
}

impl From<&Found> for Listed {
    fn from(Found { hit, entry }: &Found) -> Listed {
        let done = if hit.open || is_past(hit.part) { "" } else { ", no longer open" };
        let line = format!("{} [{}{done}]", mind::page::entry(&entry.event), game_date(hit.tick));
        Listed { id: format!("#{}", hit.seq), line, seqs: Vec::new() }
    }
}

/// Whether something is still open as the mind stands now: what follows of itself, such as the end of a goal whose
/// parts are all done, no entry says.
pub(super) fn is_open(state: &MindState, found: &Found) -> bool {
    let project = found.hit.project.as_deref().and_then(|key| state.projects.iter().find(|project| project.key == key));
    if project.is_some_and(|project| !matches!(project.status, ProjectStatus::Active | ProjectStatus::Paused)) {
        return false;
    }
    let goal = match &found.entry.event {
        mind::Event::GoalAdd { .. } | mind::Event::StepAdd { .. } => state.goals.get(found.entry.seq),
        mind::Event::GoalEdit { id, .. } | mind::Event::GoalStrategy { id, .. } => state.goals.get(*id),
        _ => None,
    };
    goal.is_none_or(|goal| goal.status == GoalStatus::Active)
}

fn is_past(part: Part) -> bool {
    matches!(part, Part::Talk | Part::Deeds | Part::Journal)
}

fn entry_of_frame(found: Found, now: u64) -> RecalledEntry {
    let Found { hit, entry } = found;
    let from = match &entry.event {
        mind::Event::Heard(heard) => Some(heard.from.to_string()),
        _ => None,
    };
    RecalledEntry {
        id: format!("#{}", hit.seq),
        kind: entry.event.kind(),
        text: mind::page::entry(&entry.event),
        from,
        project: hit.project,
        tick: hit.tick,
        age_hours: age_hours(hit.tick, now),
        score: hit.score,
        open: hit.open,
    }
}
