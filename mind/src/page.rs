//! A mind as text, for whoever asks with a verb: people at a terminal, and agents that read lines.
//!
//! Invariant: one thing is one line, since texts of a mind hold no line breaks; ids are shown as `#12`, as the verbs
//! take them.

use crate::counsel::{Brought, MemoEntry, Proposed};
use crate::event::{Event, LogEntry};
use crate::focus::Focus;
use crate::goals::{Goal, GoalStatus, Priority, Verdict};
use crate::happenings::brief;
use crate::hud::text;
use crate::memory::{TOKENS_MAX, lists_tokens};
use crate::plans::Plan;
use crate::projects::{MAIN, Project};
use crate::section::{Section, SectionPart};
use crate::session::{JournalEntry, Learned};
use crate::sharing::{Grant, told};
use crate::state::{Blocker, Context, CoreMemory, Decision, MindState, Note, Step, Trouble};
use crate::thought::Thought;
use plot::PlanStatus;
use protocol::calendar::GameDate;
use protocol::plot::SceneSeen;
use protocol::words::shortened;
use serde_json::Value;

/// Characters of a value or text in a line of the history.
const SHOWN_CHARS: usize = 120;

/// Everything: the workspace and the core memory, in markdown.
pub fn hud(state: &MindState) -> String {
    let mut text = String::from("# Workspace\n");
    if state.projects.len() > 1 || state.active != MAIN {
        text.push_str(&format!("Project: {}\n", state.active));
    }
    text.push_str(&match &state.task {
        Some(task) => format!("Task: {}", task.text),
        None => "Task: none of your own (tasks lists what others ask of you)".to_string(),
    });
    if !state.active().context.is_empty() {
        text.push_str(&format!("\nSo far: {}", state.active().context));
    }
    if state.goals.is_tree() {
        text.push_str("\n\n## Goals\n");
        text.push_str(&goals(state));
    } else {
        section(&mut text, "Steps", state.steps.iter().map(step));
    }
    section(&mut text, "Decisions", state.decisions.iter().map(decision));
    section(&mut text, "Blockers", state.open_blockers().map(blocker));
    section(&mut text, "Notes", state.notes.iter().map(note));
    section(&mut text, "Other projects", state.projects.iter().filter(|one| one.key != state.active).map(project));
    section(&mut text, "Facts", state.session.key_facts.iter().map(learned));
    section(&mut text, "Patterns", state.session.learned_patterns.iter().map(learned));
    section(&mut text, "Journal", state.journal.iter().map(journal));
    let errors = state.errors.iter().filter(|error| !error.resolved);
    section(&mut text, "Errors", errors.map(error));
    section(&mut text, "Focus", state.focus.iter().rev().map(focus));
    section(&mut text, "Shared with", state.shares.iter().map(grant));
    section(&mut text, "Sections", state.sections.iter().map(own_section));
    text.push_str(&format!("\n\n# Core memory ({} % used)\n", state.memory.used_percent(lists_tokens(&state.session))));
    text.push_str(&match state.memory.is_empty() {
        true => "empty".to_string(),
        false => memory_lines(&state.memory).join("\n"),
    });
    text
}

pub(crate) fn section(text: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    for (n, line) in lines.enumerate() {
        if n == 0 {
            text.push_str(&format!("\n\n## {heading}"));
        }
        text.push_str("\n- ");
        text.push_str(&line);
    }
}

pub fn step(step: &Step) -> String {
    format!("#{} [{}] {}", step.id, if step.done { 'x' } else { ' ' }, step.text)
}

pub fn decision(decision: &Decision) -> String {
    match &decision.details {
        Some(details) => format!("#{} {}: {details}", decision.id, decision.summary),
        None => format!("#{} {}", decision.id, decision.summary),
    }
}

pub fn note(note: &Note) -> String {
    format!("#{} {}", note.id, note.text)
}

pub fn blocker(blocker: &Blocker) -> String {
    format!("#{} {}", blocker.id, blocker.text)
}

/// The tree as a nested list: what is done is struck, what failed stands with what is open.
pub fn goals(state: &MindState) -> String {
    let mut lines = Vec::new();
    for (depth, goal) in state.goals.in_order() {
        let indent = "  ".repeat(depth);
        lines.push(format!("{indent}- {}", self::goal(goal)));
        for strategy in goal.strategies.iter().filter(|_| goal.is_open()) {
            let verdict = match (strategy.verdict, &strategy.why) {
                (None, _) => "trying".to_string(),
                (Some(Verdict::Works), None) => "works".to_string(),
                (Some(Verdict::Failed), None) => "failed".to_string(),
                (Some(Verdict::Works), Some(why)) => format!("works: {why}"),
                (Some(Verdict::Failed), Some(why)) => format!("failed: {why}"),
            };
            lines.push(format!("{indent}  - #{} {} ({verdict})", strategy.id, strategy.text));
        }
    }
    lines.join("\n")
}

pub fn goal(goal: &Goal) -> String {
    let text = match goal.status {
        GoalStatus::Active => goal.text.clone(),
        GoalStatus::Completed => format!("~~{}~~", goal.text),
        GoalStatus::Abandoned => format!("{} (given up)", goal.text),
    };
    let priority = match goal.priority {
        other if goal.is_open() && other != Priority::Medium => format!(" ({})", other.name()),
        _ => String::new(),
    };
    let progress = match goal.progress {
        percent if percent > 0 && goal.is_open() => format!(" {percent} %"),
        _ => String::new(),
    };
    format!("#{} {text}{priority}{progress}", goal.id)
}

/// All projects, the active one marked.
pub fn projects(state: &MindState) -> String {
    let line = |one: &Project| {
        let mark = if one.key == state.active { "*" } else { "-" };
        format!("{mark} {}", project(one))
    };
    let lines: Vec<String> = state.projects.iter().map(line).collect();
    format!("Your projects:\n{}", lines.join("\n"))
}

pub fn project(project: &Project) -> String {
    let summary = if project.summary.is_empty() { String::new() } else { format!(": {}", project.summary) };
    let context = if project.context.is_empty() { String::new() } else { format!("; so far: {}", project.context) };
    format!("{} ({}, {} %){summary}{context}", project.key, project.status.name(), project.progress)
}

pub fn learned(learned: &Learned) -> String {
    match learned.count {
        1 => format!("#{} {}", learned.id, learned.text),
        count => format!("#{} {} ({count} times)", learned.id, learned.text),
    }
}

pub fn journal(entry: &JournalEntry) -> String {
    format!("#{} ({}) {}", entry.id, entry.source.name(), entry.text)
}

pub fn error(error: &Trouble) -> String {
    format!("#{} {}", error.id, error.message)
}

pub fn focus(focus: &Focus) -> String {
    format!("#{} {} ({}, tick {})", focus.id, focus.name, focus.how.name(), focus.tick)
}

pub fn own_section(section: &Section) -> String {
    let now = if section.part == SectionPart::Now { " now" } else { "" };
    format!("{}{now} = {}", section.name, section.text)
}

/// `Bob: task, goals`.
pub fn grant(grant: &Grant) -> String {
    format!("{}: {}", grant.to, told(&grant.scopes))
}

/// How full the newest prompt was that the log tells of.
pub fn context(state: &MindState) -> String {
    match &state.context {
        Some(Context { tokens, budget, tick, .. }) => {
            let percent = u64::from(*tokens) * 100 / u64::from((*budget).max(1));
            format!("The newest prompt, of tick {tick}, took {tokens} of {budget} tokens ({percent} %).")
        }
        None => "No prompt was measured so far: context <tokens> of <budget>.".to_string(),
    }
}

/// The document, a line for each value, and how full it is.
pub fn memory(state: &MindState) -> String {
    let memory = &state.memory;
    if memory.is_empty() {
        return "Your memory is empty. Put something into it: remember <path> = <value>.".to_string();
    }
    let lists = lists_tokens(&state.session);
    let (tokens, percent) = (memory.tokens() + lists, memory.used_percent(lists));
    let with = if lists > 0 { ", facts and patterns with it" } else { "" };
    let lines = memory_lines(memory).join("\n");
    format!("You remember ({tokens} of {TOKENS_MAX} tokens{with}, {percent} % used):\n{lines}")
}

fn memory_lines(memory: &CoreMemory) -> Vec<String> {
    memory.leaves().into_iter().map(|(path, value)| memory_line(memory, &path, value)).collect()
}

/// One value with its path, and its weight where it is not the usual one.
pub fn memory_line(memory: &CoreMemory, path: &str, value: &Value) -> String {
    let weight = memory.weight(path);
    match weight == crate::memory::WEIGHT_DEFAULT {
        true => format!("{path} = {value}"),
        false => format!("{path} = {value} (weight {weight})"),
    }
}

/// An entry with its number and its tick, as programs are told it.
pub fn numbered(entry: &LogEntry) -> String {
    format!("#{} tick {}: {}", entry.seq, entry.tick, self::entry(&entry.event))
}

/// Entries as people read them, one line each, in the order given, below the world's dates.
pub fn history<'e>(entries: impl Iterator<Item = &'e LogEntry>) -> String {
    let mut lines: Vec<String> = Vec::new();
    let mut told = None;
    for entry in entries {
        let date = GameDate::at(entry.tick).to_string();
        if told.as_ref() != Some(&date) {
            lines.push(format!("On {date}:"));
            told = Some(date);
        }
        lines.push(format!("  {}", self::entry(&entry.event)));
    }
    lines.join("\n")
}

/// One entry, without its number.
pub fn entry(event: &Event) -> String {
    let cut = |text: &str| shortened(text, SHOWN_CHARS);
    match event {
        Event::TaskSet { text } => format!("task: {}", cut(text)),
        Event::TaskUpdate { text } => format!("task in other words: {}", cut(text)),
        Event::TaskDone => "task done".to_string(),
        Event::ProjectCreate { key, summary, .. } => {
            format!("project {key}: {}", cut(summary.as_deref().unwrap_or("no summary")))
        }
        Event::ProjectUpdate { key, context, .. } => {
            format!("project {key} so far: {}", cut(context.as_deref().unwrap_or("")))
        }
        Event::ProjectPause { key, .. } => format!("project {key} put away"),
        Event::ProjectComplete { key, .. } => format!("project {key} done"),
        Event::ProjectArchive { key, .. } => format!("project {key} archived"),
        Event::ProjectResume { key, from, .. } => format!("project {key} taken up as of #{from}"),
        Event::GoalAdd { text, parent: None, .. } => format!("goal: {}", cut(text)),
        Event::GoalAdd { text, parent: Some(parent), .. } => format!("goal under #{parent}: {}", cut(text)),
        Event::GoalEdit { id, text: Some(text), .. } => format!("goal #{id} now: {}", cut(text)),
        Event::GoalEdit { id, priority: Some(priority), .. } => format!("goal #{id} of {} priority", priority.name()),
        Event::GoalEdit { id, .. } => format!("goal #{id} moved"),
        Event::GoalProgress { id, percent } => format!("goal #{id} {percent} % done"),
        Event::GoalComplete { id } => format!("goal #{id} done"),
        Event::GoalAbandon { id } => format!("goal #{id} given up"),
        Event::GoalReopen { id } => format!("goal #{id} taken up again"),
        Event::GoalStrategy { id, text } => format!("for goal #{id} trying: {}", cut(text)),
        Event::GoalVerdict { id, verdict: Verdict::Works, .. } => format!("#{id} works"),
        Event::GoalVerdict { id, verdict: Verdict::Failed, why } => match why {
            Some(why) => format!("#{id} failed: {}", cut(why)),
            None => format!("#{id} failed"),
        },
        Event::FactAdd { text } => format!("fact: {}", cut(text)),
        Event::FactRemove { id } => format!("fact #{id} removed"),
        Event::PatternAdd { text } => format!("pattern: {}", cut(text)),
        Event::PatternRemove { id } => format!("pattern #{id} removed"),
        Event::SessionTidy { merged } => {
            let gone: usize = merged.iter().map(|ids| ids.len().saturating_sub(1)).sum();
            format!("{gone} that said the same as others are gone")
        }
        Event::JournalAdd { text, source, .. } => format!("journal ({}): {}", source.name(), cut(text)),
        Event::DecisionRecord { summary, .. } => format!("decided: {}", cut(summary)),
        Event::DecisionRemove { id } => format!("decision #{id} removed"),
        Event::NoteAdd { text } => format!("note: {}", cut(text)),
        Event::NoteUpdate { id, text } => format!("note #{id} now: {}", cut(text)),
        Event::NoteRemove { id } => format!("note #{id} removed"),
        Event::StepAdd { text } => format!("step: {}", cut(text)),
        Event::StepComplete { id } => format!("step #{id} done"),
        Event::StepReorder { id, place } => format!("step #{id} moved to place {place}"),
        Event::StepRemove { id } => format!("step #{id} removed"),
        Event::ErrorEncountered { message } => format!("error: {}", cut(message)),
        Event::ErrorResolved { id } => format!("error #{id} resolved"),
        Event::BlockerAdd { text } => format!("blocked: {}", cut(text)),
        Event::BlockerRemove { id } => format!("blocker #{id} cleared"),
        Event::FocusOpen { name, how, .. } => format!("occupied with {} ({})", cut(name), how.name()),
        Event::FocusEdit { id, how } => format!("more occupied with #{id} ({})", how.name()),
        Event::FocusClose { id } => format!("no longer occupied with #{id}"),
        Event::SectionSet { name, text, .. } => format!("section {name} = {}", cut(text)),
        Event::SectionRemove { name } => format!("section {name} removed"),
        Event::ShareGrant { to, scopes, .. } => format!("{to} may read: {}", told(scopes)),
        Event::ShareRevoke { to } => format!("{to} may read no more"),
        Event::MemorySet { path, value, weight: None } => format!("{path} = {}", cut(&value.to_string())),
        Event::MemorySet { path, value, weight: Some(weight) } => {
            format!("{path} = {} (weight {weight})", cut(&value.to_string()))
        }
        Event::MemoryAppend { path, value } => format!("{path} += {}", cut(&value.to_string())),
        Event::MemoryDelete { path } => format!("{path} forgotten"),
        Event::ContextSnapshot { tokens, budget, .. } => format!("a prompt took {tokens} of {budget} tokens"),
        Event::GuidelineSet { text, .. } if text.is_empty() => "keeps to nothing of its own any more".to_string(),
        Event::GuidelineSet { text, reason } => format!("keeps to: {} (because {})", cut(text), cut(reason)),
        Event::ProposalMake { mind, line, why } => format!("{mind} proposes: {}{}", cut(line), because(why)),
        Event::ProposalOutcome { chosen: None, by, why, .. } => format!("{by} chooses nothing{}", because(why)),
        Event::ProposalOutcome { chosen: Some(id), mind, by, rule, why, .. } => {
            let whose = mind.map_or(String::new(), |mind| format!(" of {mind}"));
            let by = rule.as_ref().map_or(by.to_string(), |rule| format!("the rule of {}", cut(rule)));
            format!("{by} chooses #{id}{whose}{}", because(why))
        }
        Event::Conflict { conflict, between } => {
            let between: Vec<String> = between.iter().map(|id| format!("#{id}")).collect();
            format!("{} do not go together ({})", between.join(" and "), conflict.word())
        }
        Event::ConflictOutcome { conflict, chosen, brought, .. } => {
            let whose = chosen.map_or("nobody".to_string(), |mind| mind.to_string());
            format!("what came of following {whose} in #{conflict}: {}", self::brought(brought))
        }
        Event::MemoWrite { from, to, sort, content, reasoning, .. } => {
            format!("memo, {from} to {}, {}: {}{}", to.word(), sort.word(), cut(content), because(reasoning))
        }
        Event::PlanMake { text, steps } => {
            let steps: Vec<&str> = steps.iter().map(|step| step.text.as_str()).collect();
            format!("plan: {}: {}", cut(text), cut(&steps.join("; ")))
        }
        Event::PlanStepDone { id, step } => format!("step {step} of plan #{id} done"),
        Event::PlanEnd { id, status, mind, .. } => {
            let whose = mind.map_or(String::new(), |mind| format!("{mind}'s "));
            let end = if *status == PlanStatus::Done { "done" } else { "given up" };
            format!("{whose}plan #{id} {end}")
        }
        Event::Thought { text, layer: None } => format!("thought: {}", cut(text)),
        Event::Thought { text, layer: Some(layer) } => format!("thought, {}: {}", layer.word(), cut(text)),
        Event::LegacyReceive { items } => {
            let mut of: Vec<&str> = items.iter().map(|item| item.agent.as_str()).collect();
            of.sort_unstable();
            of.dedup();
            format!("{} memories handed down, of {}", items.len(), cut(&of.join(", ")))
        }
        Event::CompactBefore { state: Some(_), .. } => "the state, whole, before a compaction".to_string(),
        Event::CompactBefore { .. } => "a compaction begins".to_string(),
        Event::CompactAfter { upto, from: Some(from), dropped, story, .. } => {
            let dropped = dropped.unwrap_or_default();
            let told: Vec<&str> = story.iter().map(|line| line.text.as_str()).collect();
            let counted = format!("{} entries, {} of talk, {} deeds", dropped.entries, dropped.talk, dropped.deeds);
            format!("a prompt dropped #{from} to #{upto} ({counted}): {}", cut(&told.join(" ")))
        }
        Event::CompactAfter { upto, .. } => format!("compacted up to #{upto}"),
        // Bounded, and whole: a cut would leave its quotation open.
        Event::Happening(happening) => brief(happening),
        Event::Heard(heard) => {
            let words = text::quoted(&heard.text, SHOWN_CHARS);
            format!("{} ({}): {words}{}", heard.from, heard.channel, missed(heard.missed))
        }
        Event::Said(said) => {
            let to = said.to.as_deref().map_or(String::new(), |to| format!(" to {to}"));
            format!("said{to} ({}): {}{}", said.channel, text::quoted(&said.text, SHOWN_CHARS), missed(said.missed))
        }
        Event::Other => "something that this server does not know".to_string(),
    }
}

fn because(why: &Option<String>) -> String {
    why.as_ref().map_or(String::new(), |why| format!(" (because {})", shortened(why, SHOWN_CHARS)))
}

pub fn proposal(proposed: &Proposed) -> String {
    format!("#{} {}: {}{}", proposed.id, proposed.mind, proposed.line, because(&proposed.why))
}

pub fn memo(entry: &MemoEntry) -> String {
    let MemoEntry { id, from, to, kind, content, reasoning, scene, .. } = entry;
    let scene =
        scene.map_or(String::new(), |SceneSeen { room, revision }| format!(" [room {room}, revision {revision}]"));
    format!("#{id} {from} to {}, {}: {content}{}{scene}", to.word(), kind.word(), because(reasoning))
}

pub fn brought(brought: &Brought) -> String {
    let Brought { ticks, valence, experience } = brought;
    format!("valence {valence:+}, experience {experience:+} in {ticks} ticks")
}

/// A plan and its steps, a line each.
pub fn plan(plan: &Plan) -> String {
    let status = match plan.status {
        PlanStatus::InProgress => "in progress",
        PlanStatus::Done => "done",
        PlanStatus::Abandoned => "given up",
    };
    let mut text = format!("#{} {} ({status})", plan.id, plan.text);
    for (n, step) in (1..).zip(&plan.steps) {
        let mark = if step.done { "x" } else { " " };
        let meant = if step.meant.is_empty() { String::new() } else { format!("{}: ", step.meant) };
        text.push_str(&format!("\n  [{mark}] {n}. {meant}{}", step.text));
    }
    text
}

pub fn thought(thought: &Thought) -> String {
    let layer = thought.layer.map_or(String::new(), |layer| format!("{}: ", layer.word()));
    format!("#{} {layer}{}", thought.id, thought.text)
}

/// What a flood of talk cost, after the first of it that was kept.
fn missed(count: u32) -> String {
    match count {
        0 => String::new(),
        count => format!(" ({count} before it not kept)"),
    }
}
