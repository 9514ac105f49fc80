//! What of an entry is found, and what an entry makes of others.

use super::Part;
use mind::Event;
use mind::happenings::brief;

/// What is found of an entry.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub part: Part,
    pub text: String,
    /// Who spoke or did it.
    pub from: Option<String>,
    /// Where it is about another project than that on the desk.
    pub project: Option<String>,
    /// The thing that this says anew.
    pub instead_of: Option<u64>,
    /// The goal that it is under.
    pub under: Option<u64>,
    /// What there is one of at a time: a path, the task, what a project is about.
    pub key: Option<String>,
}

impl Piece {
    fn new(part: Part, text: impl Into<String>) -> Piece {
        Piece { part, text: text.into(), from: None, project: None, instead_of: None, under: None, key: None }
    }

    fn instead_of(self, id: u64) -> Piece {
        Piece { instead_of: Some(id), ..self }
    }

    fn key(self, key: String) -> Piece {
        Piece { key: Some(key), ..self }
    }
}

/// The key of the task; the index adds whose project's it is.
pub(super) const TASK: &str = "task";

/// `None`: nothing in it is looked for.
pub(super) fn piece_of(event: &Event) -> Option<Piece> {
    let piece = match event {
        Event::TaskSet { text } | Event::TaskUpdate { text } => Piece::new(Part::Goals, text).key(TASK.to_string()),
        Event::ProjectCreate { key, summary, context } => {
            let text = [Some(key), summary.as_ref(), context.as_ref()];
            let text: Vec<&str> = text.into_iter().flatten().map(String::as_str).collect();
            let piece = Piece::new(Part::Projects, text.join(": "));
            Piece { project: Some(key.clone()), ..piece }.key(format!("project:{key}"))
        }
        Event::ProjectUpdate { key, summary, context } => {
            let text: Vec<&str> = [summary, context].into_iter().flatten().map(String::as_str).collect();
            let piece = Piece::new(Part::Projects, text.join(": "));
            Piece { project: Some(key.clone()), ..piece }.key(format!("project context:{key}"))
        }
        Event::ProjectPause { key, context, .. }
        | Event::ProjectComplete { key, context, .. }
        | Event::ProjectArchive { key, context, .. } => {
            if context.is_empty() {
                return None;
            }
            let piece = Piece::new(Part::Projects, format!("{key}: {context}"));
            Piece { project: Some(key.clone()), ..piece }.key(format!("project context:{key}"))
        }
        Event::GoalAdd { text, parent, .. } => Piece { under: *parent, ..Piece::new(Part::Goals, text) },
        Event::GoalEdit { id, text: Some(text), .. } => Piece::new(Part::Goals, text).instead_of(*id),
        Event::GoalStrategy { id, text } => Piece { under: Some(*id), ..Piece::new(Part::Goals, text) },
        Event::GoalVerdict { why: Some(why), .. } => Piece::new(Part::Goals, why),
        Event::StepAdd { text } => Piece::new(Part::Goals, text),
        Event::DecisionRecord { summary, details } => {
            Piece::new(Part::Decisions, format!("{summary} {}", details.as_deref().unwrap_or("")).trim())
        }
        Event::NoteAdd { text } => Piece::new(Part::Notes, text),
        Event::NoteUpdate { id, text } => Piece::new(Part::Notes, text).instead_of(*id),
        Event::BlockerAdd { text } | Event::ErrorEncountered { message: text } => Piece::new(Part::Notes, text),
        Event::GuidelineSet { text, reason } => {
            Piece::new(Part::Notes, format!("{text} {reason}").trim()).key("guideline".to_string())
        }
        Event::MemorySet { path, value, .. } => {
            Piece::new(Part::Notes, format!("{} {}", path.replace(['.', '_'], " "), plain(value)))
                .key(format!("memory:{path}"))
        }
        Event::MemoryAppend { path, value } => {
            Piece::new(Part::Notes, format!("{} {}", path.replace(['.', '_'], " "), plain(value)))
        }
        Event::PlanMake { text, steps } => {
            let steps: Vec<&str> = steps.iter().map(|step| step.text.as_str()).collect();
            Piece::new(Part::Goals, format!("{text}: {}", steps.join("; ")))
        }
        Event::Thought { text, .. } => Piece::new(Part::Notes, text),
        Event::MemoWrite { content, reasoning, .. } => {
            Piece::new(Part::Notes, format!("{content} {}", reasoning.as_deref().unwrap_or("")).trim())
        }
        Event::ProposalMake { line, why, .. } => {
            Piece::new(Part::Decisions, format!("{line} {}", why.as_deref().unwrap_or("")).trim())
        }
        Event::FactAdd { text } | Event::PatternAdd { text } => Piece::new(Part::Facts, text),
        Event::JournalAdd { text, .. } => Piece::new(Part::Journal, text),
        // Who said it, and to whom, is asked for by name as often as the words: "what did Bob say?"
        Event::Heard(heard) => {
            let text = format!("{} said {}", heard.from, heard.text);
            Piece { from: Some(heard.from.to_string()), ..Piece::new(Part::Talk, text) }
        }
        Event::Said(said) => {
            let text = format!("said {} {}", said.to.as_deref().unwrap_or(""), said.text);
            Piece { from: Some("me".to_string()), ..Piece::new(Part::Talk, text) }
        }
        Event::Happening(happening) => {
            let doer = happening.what.parts().0.map(|who| who.name.to_string());
            Piece { from: doer, ..Piece::new(Part::Deeds, brief(happening)) }
        }
        Event::TaskDone
        | Event::ProjectResume { .. }
        | Event::GoalEdit { .. }
        | Event::GoalProgress { .. }
        | Event::GoalComplete { .. }
        | Event::GoalAbandon { .. }
        | Event::GoalReopen { .. }
        | Event::GoalVerdict { .. }
        | Event::FactRemove { .. }
        | Event::PatternRemove { .. }
        | Event::SessionTidy { .. }
        | Event::DecisionRemove { .. }
        | Event::NoteRemove { .. }
        | Event::StepComplete { .. }
        | Event::StepReorder { .. }
        | Event::StepRemove { .. }
        | Event::ErrorResolved { .. }
        | Event::BlockerRemove { .. }
        | Event::SectionSet { .. }
        | Event::SectionRemove { .. }
        | Event::ShareGrant { .. }
        | Event::ShareRevoke { .. }
        | Event::FocusOpen { .. }
        | Event::FocusEdit { .. }
        | Event::FocusClose { .. }
        | Event::MemoryDelete { .. }
        | Event::ContextSnapshot { .. }
        | Event::CompactBefore { .. }
        | Event::CompactAfter { .. }
        | Event::ProposalOutcome { .. }
        | Event::Conflict { .. }
        | Event::ConflictOutcome { .. }
        | Event::PlanStepDone { .. }
        | Event::PlanEnd { .. }
        // Memories of others are found as memories.
        | Event::LegacyReceive { .. }
        | Event::Other => return None,
    };
    Some(piece)
}

/// A value of the memory document in words.
fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// What becomes of what was written before.
pub(super) enum Change<'e> {
    /// By the id of the thing.
    Done(u64),
    DoneWithParts(u64),
    Reopened(u64),
    Gone(u64),
    TaskDone,
    /// A path of the memory document, with what is below it.
    PathGone(&'e str),
    /// This project lies on the desk now.
    Desk(&'e str),
}

pub(super) fn changes(event: &Event) -> Vec<Change<'_>> {
    match event {
        Event::TaskDone => vec![Change::TaskDone],
        Event::GoalComplete { id } | Event::StepComplete { id } => vec![Change::DoneWithParts(*id)],
        Event::GoalAbandon { id } => vec![Change::DoneWithParts(*id)],
        Event::GoalReopen { id } => vec![Change::Reopened(*id)],
        Event::ErrorResolved { id } | Event::BlockerRemove { id } | Event::PlanEnd { id, .. } => {
            vec![Change::Done(*id)]
        }
        Event::DecisionRemove { id }
        | Event::NoteRemove { id }
        | Event::StepRemove { id }
        | Event::FactRemove { id }
        | Event::PatternRemove { id } => vec![Change::Gone(*id)],
        Event::SessionTidy { merged } => {
            merged.iter().flat_map(|ids| ids.iter().skip(1)).map(|id| Change::Gone(*id)).collect()
        }
        Event::MemoryDelete { path } => vec![Change::PathGone(path)],
        Event::ProjectResume { key, .. } => vec![Change::Desk(key)],
        _ => Vec::new(),
    }
}
