//! What follows from a log: the projects, the workspace of the active one (task, goals, decisions, notes, blockers),
//! the session memory, the journal, errors, what is in focus, and the core memory.
//!
//! Invariant: `project` is a pure function of state and entry, and idempotent: an entry that was applied already, or is
//! older, changes nothing. An event that names what is not there changes nothing either, so every log has a state.

mod projects;

use crate::client_part::ClientPart;
use crate::counsel::{Counsel, Dispute, Fate, MemoEntry, Proposed};
use crate::event::{Event, LogEntry};
use crate::focus::{FOCUS_MAX, Focus};
use crate::goals::{DONE_PERCENT, Goal, Goals, Spot, Strategy};
use crate::plans::{Plan, Plans};
use crate::projects::{MAIN, Project, ProjectStatus};
use crate::section::{SECTIONS_MAX, Section};
use crate::session::{JOURNAL_KEPT, JournalEntry, Learned, SessionMemory};
use crate::sharing::{GRANTS_MAX, Grant};
use crate::thought::Thought;
pub use crate::workspace::{Blocker, Decision, Note, Step, Task};
use plot::PlanStatus;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, BTreeSet};

/// Errors come by themselves, so the state keeps the newest; first those go that were resolved.
pub const ERRORS_KEPT: usize = 20;
/// Blockers that are out of the way and still known, the newest.
pub const BLOCKERS_RESOLVED_KEPT: usize = 20;
/// Thoughts that the state keeps, the newest.
pub const THOUGHTS_KEPT: usize = 20;

/// The state after the entry `seq`; 0: nothing yet.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(default)]
pub struct MindState {
    pub seq: u64,
    /// `MAIN` first, then as they were made.
    pub projects: Vec<Project>,
    /// The key of the project that is being worked on.
    pub active: String,
    /// The tick of the last turn to another project.
    pub swapped_tick: Option<u64>,
    /// From here to `blockers`: of the active project. The task is its summary.
    pub task: Option<Task>,
    pub goals: Goals,
    /// What of the goals is to be done itself, in the order in which it is to be done. Follows from `goals`.
    pub steps: Vec<Step>,
    pub decisions: Vec<Decision>,
    pub notes: Vec<Note>,
    pub blockers: Vec<Blocker>,
    pub errors: Vec<Trouble>,
    /// As it was opened, the oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub focus: Vec<Focus>,
    /// Of its own prompts, as they were made.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
    /// Who may read what of it, as it was granted.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub shares: Vec<Grant>,
    pub session: SessionMemory,
    /// The newest, oldest first.
    pub journal: Vec<JournalEntry>,
    pub memory: CoreMemory,
    /// The last compaction folded entries up to here; 0: none yet.
    pub compacted: u64,
    pub compactions: u32,
    /// The tick of the last compaction.
    pub compacted_tick: u64,
    /// Prompts dropped entries up to here.
    pub folded: u64,
    /// Entries of the mind's own since the log held the state whole.
    pub since_whole: u64,
    pub context: Option<Context>,
    /// Of the body: what its minds said to each other.
    #[serde(skip_serializing_if = "Counsel::is_empty")]
    pub counsel: Counsel,
    #[serde(skip_serializing_if = "Plans::is_empty")]
    pub plans: Plans,
    /// The newest, oldest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thought>,
}

impl Default for MindState {
    fn default() -> MindState {
        let main = Project { key: MAIN.to_string(), status: ProjectStatus::Active, ..Project::default() };
        MindState {
            seq: 0,
            projects: vec![main],
            active: MAIN.to_string(),
            swapped_tick: None,
            task: None,
            goals: Goals::default(),
            steps: Vec::new(),
            decisions: Vec::new(),
            notes: Vec::new(),
            blockers: Vec::new(),
            errors: Vec::new(),
            focus: Vec::new(),
            sections: Vec::new(),
            shares: Vec::new(),
            session: SessionMemory::default(),
            journal: Vec::new(),
            memory: CoreMemory::default(),
            compacted: 0,
            compactions: 0,
            compacted_tick: 0,
            folded: 0,
            since_whole: 0,
            context: None,
            counsel: Counsel::default(),
            plans: Plans::default(),
            thoughts: Vec::new(),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Trouble {
    pub id: u64,
    pub message: String,
    pub resolved: bool,
    pub tick: u64,
}

/// How full the last prompt was.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Context {
    pub tokens: u32,
    pub budget: u32,
    pub tick: u64,
    /// What its client said of how it stood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client: Option<ClientPart>,
}

/// The document that an agent writes for itself: a tree of objects, addressed by dot paths (`people.Bob.trust`), with
/// weights beside it.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct CoreMemory {
    pub doc: Map<String, Value>,
    /// By path, 0..=1; what has none counts 0.5.
    pub weights: BTreeMap<String, f64>,
}

impl MindState {
    /// The state after a whole log, from nothing.
    pub fn of<'e>(entries: impl IntoIterator<Item = &'e LogEntry>) -> MindState {
        let mut state = MindState::default();
        state.project_all(entries);
        state
    }

    pub fn project_all<'e>(&mut self, entries: impl IntoIterator<Item = &'e LogEntry>) {
        for entry in entries {
            self.project(entry);
        }
    }

    /// Takes one more entry into account. Numbers may have gaps; they only rise.
    pub fn project(&mut self, entry: &LogEntry) {
        if entry.seq <= self.seq {
            return;
        }
        self.seq = entry.seq;
        let (id, tick) = (entry.seq, entry.tick);
        self.since_whole += u64::from(!entry.is_record() && entry.event != Event::Other);
        let done = self.goals_done();
        match &entry.event {
            Event::TaskSet { text } => self.set_task(Some(Task { id, text: text.clone(), tick })),
            Event::TaskUpdate { text } => {
                if let Some(task) = &self.task {
                    self.set_task(Some(Task { id: task.id, text: text.clone(), tick }));
                }
            }
            Event::TaskDone => {
                if let Some(task) = &self.task {
                    self.session.complete(task.id, &task.text, entry.at_ms);
                }
                self.set_task(None);
            }
            Event::DecisionRecord { summary, details } => {
                self.decisions.push(Decision { id, summary: summary.clone(), details: details.clone(), tick });
            }
            Event::DecisionRemove { id } => self.decisions.retain(|decision| decision.id != *id),
            Event::NoteAdd { text } => self.notes.push(Note { id, text: text.clone(), tick }),
            Event::NoteUpdate { id, text } => {
                if let Some(note) = self.notes.iter_mut().find(|note| note.id == *id) {
                    (note.text, note.tick) = (text.clone(), tick);
                }
            }
            Event::NoteRemove { id } => self.notes.retain(|note| note.id != *id),
            Event::StepAdd { text } => {
                self.goals.add(Goal { id, text: text.clone(), created: entry.at_ms, tick, ..Goal::default() });
            }
            Event::GoalAdd { text, priority, parent, auto } => self.goals.add(Goal {
                id,
                text: text.clone(),
                priority: *priority,
                parent: *parent,
                auto: *auto,
                created: entry.at_ms,
                tick,
                ..Goal::default()
            }),
            Event::StepComplete { id } | Event::GoalComplete { id } => self.goals.advance(*id, DONE_PERCENT, tick),
            Event::StepReorder { id, place } => {
                let parent = self.goals.get(*id).and_then(|goal| goal.parent);
                self.goals.put(*id, Spot { parent, place: Some(*place) }, tick);
            }
            Event::StepRemove { id } => self.goals.remove(*id),
            Event::GoalEdit { id, text, priority, parent, place } => {
                self.goals.edit(*id, text.as_deref(), *priority, tick);
                if parent.is_some() || place.is_some() {
                    let old = self.goals.get(*id).and_then(|goal| goal.parent);
                    let parent = parent.map_or(old, |parent| (parent > 0).then_some(parent));
                    self.goals.put(*id, Spot { parent, place: *place }, tick);
                }
            }
            Event::GoalProgress { id, percent } => self.goals.advance(*id, *percent, tick),
            Event::GoalAbandon { id } => self.goals.abandon(*id, tick),
            Event::GoalReopen { id } => self.goals.reopen(*id, tick),
            Event::GoalStrategy { id: goal, text } => {
                self.goals.try_strategy(*goal, Strategy { id, text: text.clone(), verdict: None, why: None }, tick);
            }
            Event::GoalVerdict { id, verdict, why } => self.goals.judge(*id, *verdict, why.as_deref(), tick),
            Event::ErrorEncountered { message } => {
                self.errors.push(Trouble { id, message: message.clone(), resolved: false, tick });
                if self.errors.len() > ERRORS_KEPT {
                    let oldest = self.errors.iter().position(|error| error.resolved).unwrap_or(0);
                    self.errors.remove(oldest);
                }
            }
            Event::ErrorResolved { id } => {
                if let Some(error) = self.errors.iter_mut().find(|error| error.id == *id) {
                    (error.resolved, error.tick) = (true, tick);
                }
            }
            Event::BlockerAdd { text } => {
                self.blockers.push(Blocker { id, text: text.clone(), tick, resolved: false });
            }
            Event::BlockerRemove { id } => {
                if let Some(blocker) = self.blockers.iter_mut().find(|blocker| blocker.id == *id) {
                    (blocker.resolved, blocker.tick) = (true, tick);
                }
                let resolved = self.blockers.iter().filter(|blocker| blocker.resolved).count();
                if resolved > BLOCKERS_RESOLVED_KEPT
                    && let Some(oldest) = self.blockers.iter().position(|blocker| blocker.resolved)
                {
                    self.blockers.remove(oldest);
                }
            }
            Event::FocusOpen { subject, name, how } => {
                self.focus.retain(|focus| focus.subject != *subject);
                if self.focus.len() == FOCUS_MAX {
                    self.focus.remove(0);
                }
                self.focus.push(Focus { id, subject: subject.clone(), name: name.clone(), how: *how, tick });
            }
            Event::FocusEdit { id, how } => {
                if let Some(focus) = self.focus.iter_mut().find(|focus| focus.id == *id) {
                    (focus.how, focus.tick) = (*how, tick);
                }
            }
            Event::FocusClose { id } => self.focus.retain(|focus| focus.id != *id),
            Event::SectionSet { name, part, text } => {
                let section = Section { id, name: name.clone(), part: *part, text: text.clone(), tick };
                match self.sections.iter_mut().find(|there| there.name == *name) {
                    Some(there) => *there = section,
                    None => self.sections.push(section),
                }
                if self.sections.len() > SECTIONS_MAX {
                    self.sections.remove(0);
                }
            }
            Event::SectionRemove { name } => self.sections.retain(|section| section.name != *name),
            Event::ShareGrant { to, person, scopes } => {
                // Names are of one person at a time: who had this one before is nobody any more.
                self.shares.retain(|grant| grant.person != *person && grant.to != *to);
                if self.shares.len() == GRANTS_MAX {
                    self.shares.remove(0);
                }
                self.shares.push(Grant { id, to: to.clone(), person: *person, scopes: scopes.clone(), tick });
            }
            Event::ShareRevoke { to } => self.shares.retain(|grant| grant.to != *to),
            Event::FactAdd { text } => self.session.key_facts.push(Learned::new(id, text, tick)),
            Event::FactRemove { id } => self.session.key_facts.retain(|fact| fact.id != *id),
            Event::PatternAdd { text } => self.session.learned_patterns.push(Learned::new(id, text, tick)),
            Event::PatternRemove { id } => self.session.learned_patterns.retain(|pattern| pattern.id != *id),
            Event::SessionTidy { merged } => self.session.merge(merged, entry.at_ms),
            Event::JournalAdd { text, source, importance } => {
                let (text, source, importance) = (text.clone(), *source, *importance);
                self.journal.push(JournalEntry { id, text, source, importance, tick });
                if self.journal.len() > JOURNAL_KEPT {
                    self.journal.remove(0);
                }
            }
            Event::ProjectCreate { key, summary, context } => {
                let (summary, context) = (summary.as_deref().unwrap_or(""), context.as_deref().unwrap_or(""));
                self.create_project(id, entry.at_ms, key, summary, context);
            }
            Event::ProjectUpdate { key, summary, context } => {
                if let Some(project) = self.named_mut(key) {
                    project.summary = summary.clone().unwrap_or_else(|| std::mem::take(&mut project.summary));
                    project.context = context.clone().unwrap_or_else(|| std::mem::take(&mut project.context));
                }
            }
            Event::ProjectPause { key, workspace, .. } => {
                self.put_away(id, entry.at_ms, key, ProjectStatus::Paused, workspace);
            }
            Event::ProjectComplete { key, workspace, .. } => {
                self.put_away(id, entry.at_ms, key, ProjectStatus::Completed, workspace);
                let about = if workspace.summary().is_empty() { key } else { workspace.summary() };
                self.session.complete(id, about, entry.at_ms);
            }
            Event::ProjectArchive { key, workspace, .. } => {
                self.put_away(id, entry.at_ms, key, ProjectStatus::Archived, workspace);
            }
            Event::ProjectResume { key, workspace, .. } => {
                self.swapped_tick = Some(tick);
                self.take_up(entry.at_ms, key, workspace);
            }
            Event::MemorySet { path, value, weight } => self.memory.set(path, value.clone(), *weight),
            Event::MemoryAppend { path, value } => self.memory.append(path, value.clone()),
            Event::MemoryDelete { path } => self.memory.delete(path),
            Event::ContextSnapshot { tokens, budget, client } => {
                let client = client.as_deref().cloned();
                self.context = Some(Context { tokens: *tokens, budget: *budget, tick, client });
            }
            Event::CompactBefore { state: Some(_), .. } => self.since_whole = 0,
            Event::CompactAfter { upto, from, .. } => {
                if from.is_some() {
                    self.folded = *upto;
                }
                (self.compacted, self.compacted_tick) = (*upto, tick);
                self.compactions += 1;
            }
            Event::ProposalMake { mind, line, why } => {
                let (mind, line, why) = (*mind, line.clone(), why.clone());
                self.counsel.propose(Proposed { id, mind, line, why, fate: Fate::Open, tick });
            }
            Event::ProposalOutcome { chosen, mind, conflict, .. } => {
                self.counsel.choose(*chosen);
                if let Some(dispute) = conflict.and_then(|conflict| self.counsel.dispute_mut(conflict)) {
                    dispute.chosen = *mind;
                }
            }
            Event::Conflict { conflict, between } => {
                let (conflict, between) = (*conflict, between.clone());
                self.counsel.differ(Dispute { id, conflict, between, tick, chosen: None, brought: None });
            }
            Event::ConflictOutcome { conflict, brought, .. } => {
                if let Some(dispute) = self.counsel.dispute_mut(*conflict) {
                    dispute.brought = Some(*brought);
                }
            }
            Event::MemoWrite { from, to, sort, content, reasoning, action, scene } => {
                let (from, to, kind, scene) = (*from, *to, *sort, *scene);
                let (content, reasoning, action) = (content.clone(), reasoning.clone(), action.clone());
                self.counsel.memo.write(MemoEntry { id, from, to, kind, content, reasoning, action, scene, tick });
            }
            Event::PlanMake { text, steps } => {
                let (text, steps) = (text.clone(), steps.clone());
                self.plans.make(Plan { id, text, steps, status: PlanStatus::InProgress, tick });
            }
            Event::PlanStepDone { id, step } => self.plans.tick_off(*id, *step, tick),
            Event::PlanEnd { id, status, .. } => self.plans.end(*id, *status, tick),
            Event::Thought { text, layer } => {
                self.thoughts.push(Thought { id, text: text.clone(), layer: *layer, tick });
                if self.thoughts.len() > THOUGHTS_KEPT {
                    self.thoughts.remove(0);
                }
            }
            // Memories are made of these, not the state.
            Event::Happening(_) | Event::Heard(_) | Event::Said(_) | Event::LegacyReceive { .. } => {}
            // The record of the agent has it, which is the world's.
            Event::GuidelineSet { .. } => {}
            Event::CompactBefore { .. } | Event::Other => {}
        }
        if !entry.event.is_about_goals() {
            return;
        }
        // What was done when a project was put away was told then.
        let is_resumed = matches!(entry.event, Event::ProjectResume { .. });
        for id in self.goals_done().difference(&done).filter(|_| !is_resumed) {
            if let Some(goal) = self.goals.get(*id) {
                self.session.complete(goal.id, &goal.text, entry.at_ms);
            }
        }
        let progress = self.goals.progress();
        if let Some(active) = self.named_mut(&self.active.clone()) {
            active.progress = progress;
        }
        let step = |goal: &Goal| Step { id: goal.id, text: goal.text.clone(), done: goal.is_done(), tick: goal.tick };
        self.steps = self.goals.leaves().map(step).collect();
    }

    pub fn open_blockers(&self) -> impl Iterator<Item = &Blocker> {
        self.blockers.iter().filter(|blocker| !blocker.resolved)
    }

    /// The task is what the active project is about.
    fn set_task(&mut self, task: Option<Task>) {
        let summary = task.as_ref().map_or(String::new(), |task| task.text.clone());
        if let Some(active) = self.named_mut(&self.active.clone()) {
            active.summary = summary;
        }
        self.task = task;
    }

    /// The goals at the top that are done.
    fn goals_done(&self) -> BTreeSet<u64> {
        self.goals.under(None).filter(|goal| goal.is_done()).map(|goal| goal.id).collect()
    }
}

impl Event {
    /// It may change the goals of the active project.
    fn is_about_goals(&self) -> bool {
        matches!(
            self,
            Event::StepAdd { .. }
                | Event::StepComplete { .. }
                | Event::StepReorder { .. }
                | Event::StepRemove { .. }
                | Event::GoalAdd { .. }
                | Event::GoalEdit { .. }
                | Event::GoalProgress { .. }
                | Event::GoalComplete { .. }
                | Event::GoalAbandon { .. }
                | Event::GoalReopen { .. }
                | Event::ProjectResume { .. }
        )
    }
}
