//! The verbs of a mind: what each writes to the log, and what whoever typed it reads.
//!
//! One row in `VERBS` for each; its function is in the file of its family. The world knows the verbs
//! too, since anybody may type them, and sets numbers aside for those that may write (`VerbRequest::numbers`); which
//! those are, a test compares.
//! Invariants: `answer` changes nothing, and a refused request has no events. What is in the events has limits, so that
//! a state fits into a frame.

mod batch;
mod council;
mod focus;
mod goals;
mod guideline;
mod legacy;
mod log;
mod memory;
mod outcome;
mod plans;
mod projects;
mod section;
mod session;
mod sharing;
mod words;
mod workspace;

pub use council::{Reading, reading};
pub use log::{FoldSpan, fold_span, hud_text, why};
pub use outcome::outcome_from;
pub use plans::told_of;

use crate::event::{Event, LogEntry};
use crate::projects::Shelf;
use crate::state::MindState;
use protocol::happening::Place;
use protocol::minds::MindName;
use protocol::names::clean_text;

/// One request.
#[derive(Clone, Copy, Debug)]
pub struct VerbRequest<'a> {
    /// As the character is called.
    pub name: &'a str,
    pub verb: &'a str,
    /// What followed the verb; may be empty.
    pub args: &'a str,
    /// The first number that is set aside for it, and how many are. None: it can only ask.
    pub first: u64,
    pub numbers: u8,
    pub tick: u64,
    /// The world's clock, unix milliseconds, and the number of the input: what its entries get.
    pub at_ms: i64,
    pub input: u64,
    /// The newest entries of the log, oldest first: `history` shows them. At most `HISTORY_MAX` of its own and as many
    /// records are of use.
    pub recent: &'a [LogEntry],
    /// Entries that a fold is about and those after them, or those after a conflict, oldest first; of use for
    /// `compact fold` and for what came of a conflict only.
    pub span: &'a [LogEntry],
    /// What projects that wait have put away.
    pub shelf: &'a Shelf,
    /// The names of players who are there.
    pub present: &'a [&'a str],
    /// Where it is; of use for ends of plans only.
    pub place: Option<&'a Place>,
    /// The minds of this body, for who looks into them; of use for `mind` only, where it reads.
    pub minds: &'a [MindLog<'a>],
}

/// One mind of a body, as far as it is looked at.
#[derive(Clone, Copy, Debug)]
pub struct MindLog<'a> {
    pub mind: MindName,
    pub state: &'a MindState,
    /// Its newest entries, oldest first.
    pub entries: &'a [LogEntry],
}

impl<'a> VerbRequest<'a> {
    /// What somebody asks who is alone, and has no project that waits.
    pub fn new(verb: &'a str, args: &'a str, first: u64, numbers: u8, tick: u64) -> VerbRequest<'a> {
        VerbRequest {
            name: "",
            verb,
            args,
            first,
            numbers,
            tick,
            at_ms: 0,
            input: first,
            recent: &[],
            span: &[],
            shelf: Shelf::EMPTY,
            present: &[],
            place: None,
            minds: &[],
        }
    }
}

/// What comes of a request.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Reply {
    /// To be appended with the numbers that are set aside, in order.
    pub events: Vec<Event>,
    /// What the asker reads; may be several lines.
    pub text: String,
    /// `text` says why nothing was done.
    pub refused: bool,
    /// How to say it instead, where a text is refused for what it says.
    pub suggestion: Option<&'static str>,
}

type Answer = Result<Reply, String>;

type Run = fn(&MindState, &VerbRequest) -> Answer;

/// Each verb of the mind, and what it does. In the order of the documents.
pub const VERBS: &[(&str, Run)] = &[
    ("project", projects::project),
    ("task", workspace::task),
    ("goal", goals::goal),
    ("step", workspace::step),
    ("note", workspace::note),
    ("decide", workspace::decide),
    ("block", workspace::block),
    ("trouble", workspace::trouble),
    ("plan", plans::plan),
    ("think", plans::think),
    ("propose", council::propose),
    ("choose", council::choose),
    ("memo", council::memo),
    ("mind", council::mind),
    ("focus", focus::focus),
    ("section", section::section),
    ("share", sharing::share),
    ("fact", session::fact),
    ("pattern", session::pattern),
    ("tidy", session::tidy),
    ("journal", session::journal),
    ("remember", memory::remember),
    ("forget", memory::forget),
    ("compact", log::compact),
    ("status", log::status),
    ("context", log::context),
    ("hud", log::hud),
    ("history", log::history),
    ("guideline", guideline::guideline),
    ("batch", batch::batch),
];

/// What only the server and the world write, of what they found: no verb that anybody could type.
pub const FOUND: &[(&str, Run)] = &[
    (crate::event::LEGACY, legacy::receive),
    (crate::event::CONFLICT_OUTCOME, outcome::conflict),
    (crate::event::MEMO_WRITE, outcome::deed),
    (crate::event::PLAN_END, plans::told),
];

/// Characters of a task, a step, a blocker, the summary of a decision.
pub const LINE_CHARS_MAX: usize = 300;
/// Characters of a note, and of the details of a decision.
pub const TEXT_CHARS_MAX: usize = 600;
pub const NOTES_MAX: usize = 40;
pub const DECISIONS_MAX: usize = 40;
pub const BLOCKERS_MAX: usize = 20;
/// A compaction keeps the whole state in the log, so there are this many ticks between two: half a minute.
pub const COMPACT_TICKS: u64 = 15;
/// Tokens in which a client's prompt may tell what it dropped, at most.
pub const STORY_TOKENS_MAX: usize = 2_000;
/// Entries that one fold takes out of a prompt at most.
pub const FOLD_ENTRIES_MAX: u64 = 5_000;
/// A fold keeps the whole state only where so many entries came since one did: it follows from the log, and copies of
/// it would be most of what there is.
pub const WHOLE_STATE_ENTRIES: u64 = 1_000;
/// No model reads so much: a larger number is a slip.
pub const CONTEXT_TOKENS_MAX: u32 = 100_000_000;
/// Entries that `history` shows, and those that it can show: of all, of a mind's own, or of records.
pub const HISTORY_SHOWN: usize = 10;
pub const HISTORY_MAX: usize = 50;

/// Answers a request from the state before it.
pub fn answer(state: &MindState, request: &VerbRequest) -> Reply {
    let args = clean_text(request.args);
    let request = VerbRequest { args: args.trim(), ..*request };
    let answer = match VERBS.iter().chain(FOUND).find(|(name, _)| *name == request.verb) {
        Some((_, run)) => run(state, &request),
        None => Err(format!("There is no verb {} of the mind.", clean_text(request.verb))),
    };
    match answer {
        Ok(reply) if reply.events.len() > usize::from(request.numbers) => {
            Reply::refused("That cannot be written down: no number was set aside for it.".to_string())
        }
        Ok(reply) => reply,
        Err(why) => Reply::refused(why),
    }
}

impl Reply {
    fn refused(text: String) -> Reply {
        Reply { text, refused: true, ..Reply::default() }
    }
}
