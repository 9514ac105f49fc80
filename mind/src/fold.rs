//! What a fold drops, told in a few lines: a prompt that forgets says what it forgot, and where it is found again.
//!
//! A rule over the entries of the log, no model: so client and server tell the same, nothing is made up, and each line
//! cites the entries that it stands on. In this order, while there is room: requests of others that were not answered,
//! in their own words; decisions; what was completed; ways and lines that failed; deeds by importance; whom one met;
//! rooms that were new; and last how much is left out, with the `recall` that finds it.
//!
//! Invariants: what is done, taken back or of another project is never told as open. Words of others stand between
//! quotation marks that they cannot close. Nothing dropped, no story.

use crate::appraisal::appraise;
use crate::event::{Event, LogEntry};
use crate::goals::Verdict;
use crate::happenings::brief;
use crate::hud::node::{Item, Node};
use crate::hud::origin::Origin;
use crate::hud::text;
use crate::state::MindState;
use crate::story::{Dropped, Sort, Story, StoryLine};
use crate::tokens;
use protocol::happening::{Happening, Role, What};
use std::collections::{BTreeMap, BTreeSet};

/// The most that is told of each sort.
const REQUESTS_MAX: usize = 6;
const DECISIONS_MAX: usize = 6;
const COMPLETED_MAX: usize = 6;
const FAILED_MAX: usize = 4;
const DEEDS_MAX: usize = 6;
const NAMES_MAX: usize = 12;
/// Characters of somebody's words, and of other texts.
const WORDS_CHARS: usize = 200;
const TEXT_CHARS: usize = 160;
/// Deeds of less importance are nothing to be told (`Appraisal::importance`).
const IMPORTANCE_MIN: u8 = 4;
/// What a line takes of a prompt beside its text.
pub(crate) const LINE_TOKENS: usize = 2;
/// Kept for the last line.
const LEFT_OUT_TOKENS: usize = 40;
/// Requests that do not end with a question mark begin like this, or have it behind the name of who is asked.
const ASKING: [&str; 22] = [
    "please",
    "can you",
    "could you",
    "would you",
    "will you",
    "bring",
    "give",
    "meet",
    "wait",
    "come",
    "help",
    "tell",
    "remember",
    "follow",
    "fetch",
    "find",
    "take",
    "let us",
    "let's",
    "send",
    "show",
    "do not",
];

fn counted(entries: &[LogEntry]) -> Dropped {
    let count = |wanted: fn(&LogEntry) -> bool| entries.iter().filter(|entry| wanted(entry)).count() as u32;
    Dropped {
        entries: entries.len() as u32,
        talk: count(|entry| entry.event.is_talk()),
        deeds: count(|entry| matches!(entry.event, Event::Happening(_))),
    }
}

/// What is told of `dropped`, entries that no prompt shows any more, to who is called `name`, in `room` tokens. `later`
/// are the entries behind them, `state` is what holds now: what they answer or finish is not told as open.
pub fn story(name: &str, dropped: &[LogEntry], later: &[LogEntry], state: &MindState, room: usize) -> Story {
    let (Some(first), Some(last)) = (dropped.first(), dropped.last()) else { return Story::default() };
    let counts = counted(dropped);
    let lines = lines(name, dropped, &[later], state);
    let mut left = room.saturating_sub(LEFT_OUT_TOKENS);
    let lines_before = lines.len();
    let mut kept: Vec<StoryLine> = Vec::new();
    for line in lines {
        let tokens = tokens::count(&line.text) + LINE_TOKENS;
        if tokens <= left {
            left -= tokens;
            kept.push(line);
        }
    }
    let cut = lines_before - kept.len();
    let told: BTreeSet<u64> = kept.iter().flat_map(|line| line.from.iter().copied()).collect();
    let left = |wanted: fn(&Event) -> bool| {
        dropped.iter().filter(|entry| wanted(&entry.event) && !told.contains(&entry.seq)).count()
    };
    let talk_left = left(Event::is_talk);
    let deeds_left = left(|event| matches!(event, Event::Happening(_)));
    let mut rest: Vec<String> = Vec::new();
    let mut count = |number: usize, one: &str, many: &str| {
        if number > 0 {
            rest.push(format!("{number} {}", if number == 1 { one } else { many }));
        }
    };
    count(cut, "line", "lines");
    count(talk_left, "line of talk", "lines of talk");
    count(deeds_left, "smaller event", "smaller events");
    if !rest.is_empty() {
        let (first, last) = (first.seq, last.seq);
        let label = Sort::LeftOut.label();
        let text = format!("{label}{}. recall since:#{first} until:#{last} <words>", rest.join(", "));
        kept.push(StoryLine { text, from: vec![first, last] });
    }
    Story { lines: kept, dropped: counts }
}

/// All that a rule tells of `dropped` as things stand now. `later`: the entries behind them, in stretches.
pub(crate) fn lines(name: &str, dropped: &[LogEntry], later: &[&[LogEntry]], state: &MindState) -> Vec<StoryLine> {
    let mut lines = unanswered(name, dropped, later);
    lines.extend(decisions(dropped, state));
    lines.extend(completed(dropped, state));
    lines.extend(failed(dropped, state));
    lines.extend(deeds(dropped));
    lines.extend(met(dropped));
    lines.extend(rooms(dropped));
    lines
}

/// Who is named in some entries, and which things and places are, as a story writes them.
pub fn story_names(entries: &[LogEntry]) -> StoryNames {
    let mut names = StoryNames::default();
    let told = |name: &str| text::line(name, TEXT_CHARS);
    for entry in entries {
        match &entry.event {
            Event::Heard(heard) => drop(names.beings.insert(told(&heard.from))),
            Event::Said(said) => names.beings.extend(said.to.as_deref().map(told)),
            Event::Happening(happening) => {
                names.beings.extend(happening.others().map(|who| told(&who.name)));
                names.things.extend(happening.what.item().map(|item| told(&item.name)));
                names.things.insert(told(&happening.room.name));
            }
            _ => {}
        }
    }
    names
}

/// The section of a prompt; nothing where nothing is told.
pub fn node(story: &Story) -> Node {
    if story.lines.is_empty() {
        return Node::Nothing;
    }
    let item = |line: &StoryLine| Item::text(&line.text).of(Origin::Entries(line.from.clone()));
    let items = story.lines.iter().map(item).collect();
    let list = Node::List { ordered: false, items };
    Node::Group(vec![Node::heading(1, "What this prompt no longer shows"), Node::named("folded", list)])
}

fn said(text: &str) -> String {
    text::line(text, TEXT_CHARS)
}

/// Names in a story. What somebody is called may be a word as any other: a rat.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StoryNames {
    pub beings: BTreeSet<String>,
    pub things: BTreeSet<String>,
}

/// The newest words to one that ask for something, and were answered by nothing said to that one, or there, afterwards.
fn unanswered(name: &str, dropped: &[LogEntry], later: &[&[LogEntry]]) -> Vec<StoryLine> {
    // From the newest entry back, so that what answers is known before what it answers.
    let (mut spoken_to, mut spoken_in): (BTreeSet<String>, BTreeSet<&str>) = Default::default();
    let mut open: Vec<StoryLine> = Vec::new();
    let before = later.len();
    let stretches = later.iter().rev().copied().chain([dropped]);
    for (n, stretch) in stretches.enumerate() {
        for entry in stretch.iter().rev() {
            match &entry.event {
                Event::Said(said) => match &said.to {
                    Some(to) => drop(spoken_to.insert(to.to_ascii_lowercase())),
                    None => drop(spoken_in.insert(&said.channel)),
                },
                Event::Heard(heard) if n == before => {
                    let is_answered = spoken_in.contains(&*heard.channel)
                        || spoken_to.contains(heard.from.to_ascii_lowercase().as_str());
                    if is_answered || !is_to(name, &heard.channel, &heard.text) || !asks(name, &heard.text) {
                        continue;
                    }
                    let text = format!(
                        "{}{} ({}): {}",
                        Sort::Request.label(),
                        said(&heard.from),
                        said(&heard.channel),
                        text::quoted(&heard.text, WORDS_CHARS)
                    );
                    open.push(StoryLine { text, from: vec![entry.seq] });
                    if open.len() == REQUESTS_MAX {
                        break;
                    }
                }
                _ => {}
            }
        }
    }
    open.reverse();
    open
}

/// Whether words are meant for who is called so.
fn is_to(name: &str, channel: &str, words: &str) -> bool {
    matches!(channel, "tell" | "whisper" | "ask") || names(words, name)
}

fn names(words: &str, name: &str) -> bool {
    !name.is_empty() && words.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(name))
}

fn asks(name: &str, words: &str) -> bool {
    let folded = words.to_lowercase();
    let folded = folded.trim();
    let behind_name = folded.trim_start_matches('@').strip_prefix(&name.to_lowercase()).unwrap_or(folded);
    let request = behind_name.trim_start_matches(|c: char| !c.is_alphanumeric());
    folded.contains('?')
        || ASKING
            .iter()
            .any(|word| request.strip_prefix(word).is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric())))
}

/// Those that still stand.
fn decisions(dropped: &[LogEntry], state: &MindState) -> Vec<StoryLine> {
    let stands = |id: u64| state.decisions.iter().any(|decision| decision.id == id);
    let told = dropped.iter().filter_map(|entry| match &entry.event {
        Event::DecisionRecord { summary, .. } if stands(entry.seq) => {
            Some(StoryLine { text: format!("{}{}", Sort::Decision.label(), said(summary)), from: vec![entry.seq] })
        }
        _ => None,
    });
    newest(told.collect(), DECISIONS_MAX)
}

/// Goals, steps, tasks and projects that were finished, and stayed so.
fn completed(dropped: &[LogEntry], state: &MindState) -> Vec<StoryLine> {
    let mut texts: BTreeMap<u64, String> = BTreeMap::new();
    let (mut task, mut told) = (None, Vec::new());
    let label = Sort::Done.label();
    for entry in dropped {
        let seq = entry.seq;
        match &entry.event {
            Event::GoalAdd { text, .. } | Event::StepAdd { text } => drop(texts.insert(seq, text.clone())),
            Event::GoalEdit { id, text: Some(text), .. } => drop(texts.insert(*id, text.clone())),
            Event::TaskSet { text } | Event::TaskUpdate { text } => task = Some(text.clone()),
            Event::GoalComplete { id } | Event::StepComplete { id } => {
                // One that was set before is known by what holds now; of another project it may not be.
                let text = texts.get(id).or_else(|| Some(&state.goals.get(*id)?.text));
                if let Some(text) = text {
                    told.push((Some(*id), StoryLine { text: format!("{label}{}", said(text)), from: vec![seq] }));
                }
            }
            Event::GoalReopen { id } => told.retain(|(of, _)| of != &Some(*id)),
            Event::TaskDone => {
                let text = task.take().map_or("the task".to_string(), |text| said(&text));
                told.push((None, StoryLine { text: format!("{label}{text}"), from: vec![seq] }));
            }
            Event::ProjectComplete { key, .. } => {
                told.push((None, StoryLine { text: format!("{label}the project {}", said(key)), from: vec![seq] }));
            }
            _ => {}
        }
    }
    newest(told.into_iter().map(|(_, line)| line).collect(), COMPLETED_MAX)
}

/// Ways to a goal that did not work while it is open, and errors that were not resolved.
fn failed(dropped: &[LogEntry], state: &MindState) -> Vec<StoryLine> {
    let mut ways = Vec::new();
    for goal in state.goals.in_order().into_iter().map(|(_, goal)| goal).filter(|goal| goal.is_open()) {
        for way in goal.strategies.iter().filter(|way| way.verdict == Some(Verdict::Failed)) {
            let judged = dropped.iter().find(|entry| {
                matches!(&entry.event, Event::GoalVerdict { id, verdict: Verdict::Failed, .. } if *id == way.id)
            });
            let Some(judged) = judged else { continue };
            let why = way.why.as_deref().map_or(String::new(), |why| format!(" ({})", said(why)));
            let text = format!("{}\"{}\": {}{why}", Sort::Way.label(), said(&goal.text), said(&way.text));
            ways.push(StoryLine { text, from: vec![way.id, judged.seq] });
        }
    }
    let is_open = |id: u64| state.errors.iter().any(|error| error.id == id && !error.resolved);
    let errors = dropped.iter().filter_map(|entry| match &entry.event {
        Event::ErrorEncountered { message } if is_open(entry.seq) => {
            Some(StoryLine { text: format!("{}{}", Sort::Error.label(), said(message)), from: vec![entry.seq] })
        }
        _ => None,
    });
    ways.sort_by_key(|line| line.from.last().copied());
    newest(ways, FAILED_MAX).into_iter().chain(newest(errors.collect(), FAILED_MAX)).collect()
}

/// The most important, in the order in which they happened; alike ones are one line.
fn deeds(dropped: &[LogEntry]) -> Vec<StoryLine> {
    let mut alike: BTreeMap<String, (u8, Vec<u64>)> = BTreeMap::new();
    for (seq, happening) in happenings(dropped) {
        let importance = appraise(happening).importance;
        let is_told = matches!(happening.what, What::Met { .. } | What::RoomSeen { .. } | What::Visited { .. });
        if importance < IMPORTANCE_MIN || is_told || happening.role == Role::Saw {
            continue;
        }
        let deed = alike.entry(brief(happening)).or_default();
        deed.0 = deed.0.max(importance);
        deed.1.push(seq);
    }
    let mut all: Vec<(u8, String, Vec<u64>)> =
        alike.into_iter().map(|(text, (importance, from))| (importance, text, from)).collect();
    // The newest first among those that are as important.
    all.sort_by(|a, b| b.0.cmp(&a.0).then(b.2.last().cmp(&a.2.last())));
    all.truncate(DEEDS_MAX);
    all.sort_by(|a, b| a.2.cmp(&b.2));
    let line = |(_, text, from): (u8, String, Vec<u64>)| {
        let times = if from.len() > 1 { format!(" ({} times)", from.len()) } else { String::new() };
        StoryLine { text: format!("{}{times}", text::line(&text, 2 * TEXT_CHARS)), from }
    };
    all.into_iter().map(line).collect()
}

fn met(dropped: &[LogEntry]) -> Option<StoryLine> {
    let seen = happenings(dropped).filter_map(|(seq, happening)| match &happening.what {
        What::Met { other, .. } => Some((seq, &*other.name)),
        _ => None,
    });
    listed(Sort::Met.label(), seen)
}

fn rooms(dropped: &[LogEntry]) -> Option<StoryLine> {
    let seen = happenings(dropped).filter_map(|(seq, happening)| match &happening.what {
        What::RoomSeen { .. } => Some((seq, &*happening.room.name)),
        _ => None,
    });
    listed(Sort::Rooms.label(), seen)
}

/// Names, each once, the first so many.
fn listed<'e>(title: &str, named: impl Iterator<Item = (u64, &'e str)>) -> Option<StoryLine> {
    let (mut known, mut names, mut from) = (BTreeSet::new(), Vec::new(), Vec::new());
    for (seq, name) in named {
        if known.insert(name) {
            if names.len() < NAMES_MAX {
                names.push(text::line(name, TEXT_CHARS));
            }
            from.push(seq);
        }
    }
    let more = known.len() - names.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    (!names.is_empty()).then(|| StoryLine { text: format!("{title}{}{more}.", names.join(", ")), from })
}

fn happenings(entries: &[LogEntry]) -> impl Iterator<Item = (u64, &Happening)> {
    entries.iter().filter_map(|entry| match &entry.event {
        Event::Happening(happening) => Some((entry.seq, &**happening)),
        _ => None,
    })
}

/// The last so many, in their order.
fn newest(mut lines: Vec<StoryLine>, most: usize) -> Vec<StoryLine> {
    lines.split_off(lines.len().saturating_sub(most))
}
