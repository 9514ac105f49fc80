//! What an agent's log holds: one `LogEntry` after the other, each numbered, none ever changed.
//!
//! Kinds are added, never renamed: a log outlives the program that wrote it. An id that an event names is the number
//! (`seq`) of the entry that made the thing.

use crate::client_part::ClientPart;
use crate::counsel::{Addressee, Brought, Conflict};
use crate::focus::How;
use crate::goals::{Priority, Verdict};
use crate::legacy::Inherited;
use crate::plans::PlanStep;
use crate::section::SectionPart;
use crate::session::Trust;
use crate::sharing::Scope;
use crate::story::{Cause, Dropped, StoryLine};
use crate::thought::Layer;
use crate::workspace::Workspace;
use plot::{NoteKind, PlanStatus};
use protocol::happening::Happening;
use protocol::minds::MindName;
use protocol::plot::{ActionSeen, SceneSeen};
use protocol::talk::Talk;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The kind of entries that are records of what happened: [`Event::Happening`].
pub const HAPPENING: &str = "happening";

/// Kinds of entries that are records of what was said: [`Event::Heard`], [`Event::Said`].
const HEARD: &str = "heard";
const SAID: &str = "said";
/// The kind of entries by which others hand down what they know: [`Event::LegacyReceive`].
pub const LEGACY: &str = "legacy.receive";
/// The kind of entries that say what came of a conflict between minds.
pub const CONFLICT_OUTCOME: &str = "conflict.outcome";
/// The kind of entries that say how a plan ended.
pub const PLAN_END: &str = "plan.end";
/// The kind of entries of the memo.
pub const MEMO_WRITE: &str = "memo.write";

/// The kinds of entries that the world writes: they change nothing in the state. [`Event::is_record`].
pub const RECORDS: [&str; 3] = [HAPPENING, HEARD, SAID];

/// One entry of a log, the same from the core to the database and in the frames of programs.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct LogEntry {
    /// Rises within the log of a character; given out by the world, so that a replay gives the same.
    pub seq: u64,
    /// The world's tick at which it happened.
    pub tick: u64,
    /// When it happened, unix milliseconds.
    pub at_ms: i64,
    /// Number of the world's input that brought it; `turn` on the wire and in files.
    #[serde(rename = "turn")]
    pub input: u64,
    pub event: Event,
}

impl LogEntry {
    /// The world wrote it: something happened to the character, or was said. All else comes of what the mind was asked.
    pub fn is_record(&self) -> bool {
        self.event.is_record()
    }
}

/// What happened in a mind. Texts are clean of control characters; they are the agent's own words.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind")]
pub enum Event {
    /// A new task, with nothing done of it yet.
    #[serde(rename = "task.set")]
    TaskSet { text: String },
    /// The same task in better words.
    #[serde(rename = "task.update")]
    TaskUpdate { text: String },
    #[serde(rename = "task.done")]
    TaskDone,
    /// A new project, which waits until somebody turns to it.
    #[serde(rename = "project.create")]
    ProjectCreate {
        key: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// How far the project is, in its owner's words.
    #[serde(rename = "project.update")]
    ProjectUpdate {
        key: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        summary: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        context: Option<String>,
    },
    /// A project is put away; these three hold its workspace, whole.
    #[serde(rename = "project.pause")]
    ProjectPause { key: String, context: String, workspace: Box<Workspace> },
    #[serde(rename = "project.complete")]
    ProjectComplete { key: String, context: String, workspace: Box<Workspace> },
    #[serde(rename = "project.archive")]
    ProjectArchive { key: String, context: String, workspace: Box<Workspace> },
    /// A project is taken up as it was put away in the entry `from`.
    #[serde(rename = "project.resume")]
    ProjectResume { key: String, from: u64, workspace: Box<Workspace> },
    /// A new goal of the active project. `auto`: a model split its parent.
    #[serde(rename = "goal.add")]
    GoalAdd {
        text: String,
        priority: Priority,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        auto: bool,
    },
    /// `parent` 0: to the top. `place` counts from 1 among its siblings.
    #[serde(rename = "goal.edit")]
    GoalEdit {
        id: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        priority: Option<Priority>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        parent: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        place: Option<u32>,
    },
    #[serde(rename = "goal.progress")]
    GoalProgress { id: u64, percent: u8 },
    #[serde(rename = "goal.complete")]
    GoalComplete { id: u64 },
    #[serde(rename = "goal.abandon")]
    GoalAbandon { id: u64 },
    #[serde(rename = "goal.reopen")]
    GoalReopen { id: u64 },
    /// A way to a goal that is being tried.
    #[serde(rename = "goal.strategy")]
    GoalStrategy { id: u64, text: String },
    /// `id`: of the way.
    #[serde(rename = "goal.verdict")]
    GoalVerdict {
        id: u64,
        verdict: Verdict,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// Something that is so, of the world or of people.
    #[serde(rename = "fact.add")]
    FactAdd { text: String },
    #[serde(rename = "fact.remove")]
    FactRemove { id: u64 },
    /// Something that is usually so.
    #[serde(rename = "pattern.add")]
    PatternAdd { text: String },
    #[serde(rename = "pattern.remove")]
    PatternRemove { id: u64 },
    /// Facts and patterns that say the same became one: of each list the first id stays.
    #[serde(rename = "session.tidy")]
    SessionTidy { merged: Vec<Vec<u64>> },
    /// `importance` 0..=10.
    #[serde(rename = "journal.add")]
    JournalAdd { text: String, source: Trust, importance: u8 },
    #[serde(rename = "decision.record")]
    DecisionRecord {
        summary: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        details: Option<String>,
    },
    #[serde(rename = "decision.remove")]
    DecisionRemove { id: u64 },
    #[serde(rename = "note.add")]
    NoteAdd { text: String },
    #[serde(rename = "note.update")]
    NoteUpdate { id: u64, text: String },
    #[serde(rename = "note.remove")]
    NoteRemove { id: u64 },
    #[serde(rename = "step.add")]
    StepAdd { text: String },
    #[serde(rename = "step.complete")]
    StepComplete { id: u64 },
    /// `place` counts from 1 in the list as it is.
    #[serde(rename = "step.reorder")]
    StepReorder { id: u64, place: u32 },
    #[serde(rename = "step.remove")]
    StepRemove { id: u64 },
    #[serde(rename = "error.encountered")]
    ErrorEncountered { message: String },
    #[serde(rename = "error.resolved")]
    ErrorResolved { id: u64 },
    #[serde(rename = "blocker.add")]
    BlockerAdd { text: String },
    #[serde(rename = "blocker.remove")]
    BlockerRemove { id: u64 },
    /// It looked at something, handled or named it. `subject` as `focus::Focus` has it.
    #[serde(rename = "focus.open")]
    FocusOpen { subject: String, name: String, how: How },
    #[serde(rename = "focus.edit")]
    FocusEdit { id: u64, how: How },
    #[serde(rename = "focus.close")]
    FocusClose { id: u64 },
    /// `weight` 0..=1, how much it matters when there is not room for all.
    #[serde(rename = "memory.set")]
    MemorySet {
        path: String,
        value: Value,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        weight: Option<f64>,
    },
    #[serde(rename = "memory.append")]
    MemoryAppend { path: String, value: Value },
    #[serde(rename = "memory.delete")]
    MemoryDelete { path: String },
    /// How full a prompt was: tokens of budget.
    #[serde(rename = "context.snapshot")]
    ContextSnapshot {
        tokens: u32,
        budget: u32,
        /// What the client said of how it stands.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        client: Option<Box<ClientPart>>,
    },
    /// A compaction begins. `hash`: SHA-256 of the state, in hexadecimal; `state`, whole, only where somebody asked for
    /// the compaction and now and then, since it follows from the log.
    #[serde(rename = "compact.before")]
    CompactBefore {
        #[serde(default, skip_serializing_if = "Cause::is_asked")]
        cause: Cause,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        hash: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<Value>,
    },
    /// A compaction is done: entries up to `upto` are folded into the snapshot that prompts begin with. `from`: the
    /// first of those that a fold took out of a prompt, with what was told of them.
    #[serde(rename = "compact.after")]
    CompactAfter {
        upto: u64,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        from: Option<u64>,
        #[serde(default, skip_serializing_if = "Cause::is_asked")]
        cause: Cause,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        dropped: Option<Dropped>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        story: Vec<StoryLine>,
    },
    /// A section of its own prompts, new or in other words: `text` is a template (`crate::sections`).
    #[serde(rename = "section.set")]
    SectionSet { name: String, part: SectionPart, text: String },
    #[serde(rename = "section.remove")]
    SectionRemove { name: String },
    /// Somebody may read these parts of this mind, in place of what they might before. `person`: the world's number of
    /// them, which is another for whoever has the name after them.
    #[serde(rename = "share.grant")]
    ShareGrant { to: String, person: u32, scopes: Vec<Scope> },
    #[serde(rename = "share.revoke")]
    ShareRevoke { to: String },
    /// What the agent keeps to from now on, and why; empty: nothing of its own any more. The world has the text.
    #[serde(rename = "guideline.set")]
    GuidelineSet { text: String, reason: String },
    /// Memories of others, whole: what they learned is known here too. The server says so, nobody types it.
    #[serde(rename = "legacy.receive")]
    LegacyReceive { items: Vec<Inherited> },
    /// One of the minds of this body wants it to do something. This and the next three are in the body's log.
    #[serde(rename = "proposal.make")]
    ProposalMake {
        mind: MindName,
        line: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// Of what was open, this is done, and no other; `chosen` none: nothing of it. `mind`: whose it is. `by`: who said
    /// so; `rule`: the rule of a council that it went by. `conflict`: the entry that says in what they differed.
    #[serde(rename = "proposal.outcome")]
    ProposalOutcome {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chosen: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mind: Option<MindName>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        overruled: Vec<u64>,
        by: MindName,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rule: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conflict: Option<u64>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        why: Option<String>,
    },
    /// Two minds want what does not go together. `between`: their proposals.
    #[serde(rename = "conflict")]
    Conflict {
        #[serde(rename = "in")]
        conflict: Conflict,
        between: Vec<u64>,
    },
    /// What the ticks after a conflict brought, and whose word was followed. The world says when that is; nobody types
    /// it.
    #[serde(rename = "conflict.outcome")]
    ConflictOutcome {
        conflict: u64,
        /// Whose proposal was done; none: nothing of it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        chosen: Option<MindName>,
        #[serde(flatten)]
        brought: Brought,
        /// The same as something to remember. None where nothing happened meanwhile, and in logs of before.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Box<Happening>>,
    },
    /// One mind of this body tells others something.
    #[serde(rename = "memo.write")]
    MemoWrite {
        from: MindName,
        to: Addressee,
        #[serde(rename = "type")]
        sort: NoteKind,
        content: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reasoning: Option<String>,
        /// Of an ACTION_LOG, what the body did on a plot, and the plot as it was afterwards. The world says so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<ActionSeen>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scene: Option<SceneSeen>,
    },
    #[serde(rename = "plan.make")]
    PlanMake { text: String, steps: Vec<PlanStep> },
    /// `step` counts from 1, and is done.
    #[serde(rename = "plan.step")]
    PlanStepDone { id: u64, step: u32 },
    /// A plan is done or given up. `told`: the same as something to remember; none in logs of before. `mind`: in the
    /// body's log, whose plan it was, where one of several minds had made it for itself.
    #[serde(rename = "plan.end")]
    PlanEnd {
        id: u64,
        status: PlanStatus,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        told: Option<Box<Happening>>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        mind: Option<MindName>,
    },
    /// What went through this mind, and was no act.
    #[serde(rename = "thought")]
    Thought {
        text: String,
        /// Which layer of a persona thought so.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        layer: Option<Layer>,
    },
    /// Something truly happened to the character; the engine says so.
    #[serde(rename = "happening")]
    Happening(Box<Happening>),
    /// Words of somebody else, and own ones, where the log keeps them; the engine says so.
    #[serde(rename = "heard")]
    Heard(Box<protocol::talk::Heard>),
    #[serde(rename = "said")]
    Said(Box<protocol::talk::Said>),
    /// One that this build does not know; it changes nothing here and is kept in the log.
    #[serde(other)]
    Other,
}

impl Event {
    /// Reads what a log keeps apart: a kind, and a JSON object of all else that an event of that kind has. Records,
    /// most of what there is, are read at once; of all others the object is searched for what it is first.
    pub fn read(kind: &str, object: &str) -> serde_json::Result<Event> {
        let members = object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
        let Some(members) = members else { return Err(serde::de::Error::custom("there is no object in it")) };
        match kind {
            HAPPENING => return Ok(Event::Happening(serde_json::from_str(object)?)),
            HEARD => return Ok(Event::Heard(serde_json::from_str(object)?)),
            SAID => return Ok(Event::Said(serde_json::from_str(object)?)),
            _ => {}
        }
        let kind = serde_json::to_string(kind)?;
        let comma = if members.trim().is_empty() { "" } else { "," };
        serde_json::from_str(&format!("{{\"kind\":{kind}{comma}{members}}}"))
    }

    /// What memories are made of: what happened, and what came of the mind's own counsel. It is all that enters a
    /// memory graph, whatever reads the log.
    pub fn remembered(&self) -> Option<&Happening> {
        match self {
            Event::Happening(happening) => Some(happening),
            Event::PlanEnd { told, .. } | Event::ConflictOutcome { told, .. } => told.as_deref(),
            _ => None,
        }
    }

    /// The same, taken out.
    pub fn into_remembered(self) -> Option<Happening> {
        match self {
            Event::Happening(happening) => Some(*happening),
            Event::PlanEnd { told, .. } | Event::ConflictOutcome { told, .. } => told.map(|told| *told),
            _ => None,
        }
    }

    /// As [`LogEntry::is_record`]. Such entries change nothing in the state.
    pub fn is_record(&self) -> bool {
        matches!(self, Event::Happening(_)) || self.is_talk()
    }

    /// What minds of one body say to each other, and choose.
    pub fn is_counsel(&self) -> bool {
        matches!(
            self,
            Event::ProposalMake { .. }
                | Event::ProposalOutcome { .. }
                | Event::Conflict { .. }
                | Event::ConflictOutcome { .. }
                | Event::MemoWrite { .. }
        )
    }

    /// What the character is occupied with.
    pub fn is_about_focus(&self) -> bool {
        matches!(self, Event::FocusOpen { .. } | Event::FocusEdit { .. } | Event::FocusClose { .. })
    }

    /// Its name in the log: `note.add`. Of one that this build does not know, `other`.
    pub fn kind(&self) -> String {
        let value = serde_json::to_value(self).expect("an event has string keys only");
        value.get("kind").and_then(Value::as_str).unwrap_or("other").to_lowercase()
    }

    /// The part of a mind that opens this entry to others. `None`: nothing does.
    pub fn scope(&self) -> Option<Scope> {
        match self {
            Event::TaskSet { .. } | Event::TaskUpdate { .. } | Event::TaskDone => Some(Scope::Task),
            Event::GoalAdd { .. }
            | Event::GoalEdit { .. }
            | Event::GoalProgress { .. }
            | Event::GoalComplete { .. }
            | Event::GoalAbandon { .. }
            | Event::GoalReopen { .. }
            | Event::GoalStrategy { .. }
            | Event::GoalVerdict { .. }
            | Event::StepAdd { .. }
            | Event::StepComplete { .. }
            | Event::StepReorder { .. }
            | Event::StepRemove { .. }
            | Event::BlockerAdd { .. }
            | Event::BlockerRemove { .. } => Some(Scope::Goals),
            Event::NoteAdd { .. } | Event::NoteUpdate { .. } | Event::NoteRemove { .. } => Some(Scope::Notes),
            Event::DecisionRecord { .. } | Event::DecisionRemove { .. } => Some(Scope::Decisions),
            Event::FactAdd { .. }
            | Event::FactRemove { .. }
            | Event::PatternAdd { .. }
            | Event::PatternRemove { .. } => Some(Scope::Facts),
            _ => None,
        }
    }

    /// Words that were heard or said.
    pub fn is_talk(&self) -> bool {
        matches!(self, Event::Heard(_) | Event::Said(_))
    }

    /// What was heard or said, as an entry.
    pub fn of_talk(talk: Talk) -> Event {
        match talk {
            Talk::Heard(heard) => Event::Heard(Box::new(heard)),
            Talk::Said(said) => Event::Said(Box::new(said)),
        }
    }

    /// The other way round; `None` where it is something else.
    pub fn talk(&self) -> Option<Talk> {
        match self {
            Event::Heard(heard) => Some(Talk::Heard((**heard).clone())),
            Event::Said(said) => Some(Talk::Said((**said).clone())),
            _ => None,
        }
    }

    /// The same, where it holds a whole workspace without that: for lists that show what was done.
    pub fn without_workspace(&self) -> Event {
        let empty = Box::<Workspace>::default;
        match self {
            Event::ProjectPause { key, .. } => {
                Event::ProjectPause { key: key.clone(), context: String::new(), workspace: empty() }
            }
            Event::ProjectComplete { key, .. } => {
                Event::ProjectComplete { key: key.clone(), context: String::new(), workspace: empty() }
            }
            Event::ProjectArchive { key, .. } => {
                Event::ProjectArchive { key: key.clone(), context: String::new(), workspace: empty() }
            }
            Event::ProjectResume { key, from, .. } => {
                Event::ProjectResume { key: key.clone(), from: *from, workspace: empty() }
            }
            event => event.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn records_are_of_the_kind_that_the_constant_names() {
        let who = protocol::outcome::Who {
            id: "ann".into(),
            name: "Ann".into(),
            kind: protocol::outcome::WhoKind::Player,
            level: 1,
        };
        let happening = protocol::happening::Happening {
            what: protocol::happening::What::LevelGained { who, level: 2 },
            role: protocol::happening::Role::Did,
            room: protocol::happening::Place { vnum: 1, name: "Here".into() },
            witnesses: Vec::new(),
            social_event_id: None,
            novel: false,
            valence: None,
        };
        let value = serde_json::to_value(super::Event::Happening(Box::new(happening))).expect("string keys only");
        assert_eq!(value["kind"], super::HAPPENING);
    }

    #[test]
    fn what_is_kept_apart_reads_as_what_is_whole() {
        let happening = r#""what": {"level_gained": {"who": {"id": "ann", "name": "Ann", "kind": "player", "level": 1},
            "level": 2}}, "role": "did", "room": {"vnum": 1, "name": "Here"}"#;
        let talk = r#""from": "Bob", "channel": "say", "text": "Hello.""#;
        let rows = [
            ("happening", happening),
            ("heard", talk),
            ("said", r#""channel": "say", "text": "Hello.""#),
            ("note.add", r#""text": "one""#),
            ("task.done", ""),
            ("who.knows", r#""text": "one""#),
        ];
        for (kind, members) in rows {
            let whole = format!("{{\"kind\": \"{kind}\"{}{members}}}", if members.is_empty() { "" } else { ", " });
            let whole: super::Event = serde_json::from_str(&whole).unwrap_or_else(|error| panic!("{kind}: {error}"));
            assert_eq!(super::Event::read(kind, &format!("{{{members}}}")).expect(kind), whole);
            for broken in ["", "[]", "{", "null", "{\"what\":}"] {
                super::Event::read(kind, broken).expect_err(broken);
            }
        }
    }
}
