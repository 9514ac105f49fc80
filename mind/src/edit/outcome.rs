//! What the world itself says of a body's deeds: what came of a conflict between its minds, and what it did on a plot.
//! Nobody types either, so nothing is answered.

use super::words::{all, done, first_word};
use super::{Answer, VerbRequest};
use crate::counsel::{Addressee, Brought, Fate};
use crate::event::Event;
use crate::state::MindState;
use plot::{Cell, NoteKind, Request};
use protocol::happening::Happening;
use protocol::minds::MindName;
use protocol::plot::{ActionSeen, DeedSeen};

/// What `conflict.outcome #<from>-#<upto> <tick> <experience>` says: among which numbers the conflict is, when that
/// was, and what has been earned since.
struct Since {
    from: u64,
    upto: u64,
    tick: u64,
    experience: i64,
}

fn since(args: &str) -> Option<Since> {
    let (span, rest) = first_word(args);
    let (tick, experience) = first_word(rest);
    let (from, upto) = span.split_once('-')?;
    let number = |text: &str| text.strip_prefix('#')?.parse().ok();
    Some(Since {
        from: number(from)?,
        upto: number(upto)?,
        tick: tick.parse().ok()?,
        experience: experience.parse().ok()?,
    })
}

/// The first entry that must be read for what follows the verb.
pub fn outcome_from(args: &str) -> Option<u64> {
    since(args).map(|since| since.from)
}

/// Where minds did not differ, nothing is written.
pub(super) fn conflict(state: &MindState, request: &VerbRequest) -> Answer {
    let Since { from, upto, tick, experience } =
        since(request.args).ok_or("What came of which conflict? #<from>-#<upto> <tick> <experience>")?;
    let conflicts = state.counsel.conflicts.iter();
    let mut open = conflicts.filter(|one| (from..=upto).contains(&one.id) && one.brought.is_none());
    let Some(dispute) = open.next() else { return all(Vec::new(), "") };
    let happened = request.span.iter().filter(|entry| entry.seq > dispute.id);
    let valence = happened.filter_map(|entry| match &entry.event {
        Event::Happening(happening) => Some(i64::from(valence(happening))),
        _ => None,
    });
    let ticks = request.tick.saturating_sub(tick);
    let brought = Brought { ticks, valence: valence.sum(), experience };
    done(Event::ConflictOutcome { conflict: dispute.id, chosen: dispute.chosen, brought }, "")
}

/// As it was appraised when it was recorded.
fn valence(happening: &Happening) -> i8 {
    happening.valence.unwrap_or_else(|| crate::appraisal::appraise(happening).valence)
}

/// What the body did on a plot, as a line of its memo: by the mind that wanted it, where one said so before.
pub(super) fn deed(state: &MindState, request: &VerbRequest) -> Answer {
    let deed = DeedSeen::read(request.args).map_err(|error| format!("That is no deed on a plot: {error}."))?;
    let wanted = state.counsel.proposals.iter().rev().find(|one| one.fate == Fate::Chosen);
    let by = wanted.filter(|one| wants(&one.line, &deed.action)).map_or(MindName::Body, |one| one.mind);
    let event = Event::MemoWrite {
        from: by,
        to: Addressee::All,
        sort: NoteKind::ActionLog,
        content: deed.content.to_string(),
        reasoning: Some(deed.reasoning.to_string()).filter(|why| !why.is_empty()),
        action: Some(deed.action),
        scene: Some(deed.scene),
    };
    done(event, "")
}

/// Whether a line is what was done.
fn wants(line: &str, action: &ActionSeen) -> bool {
    let is_there = |cell: Cell| <[u8; 2]>::from(cell) == action.position;
    let typed = line.trim().strip_prefix("build ").and_then(|typed| Request::as_typed(typed).ok());
    match typed {
        Some(Request::Add { kind, at, .. }) => &*action.name == "ADD_ENTITY" && kind == action.kind && is_there(at),
        Some(Request::Move { from, to }) => action.from == Some(from.into()) && is_there(to),
        Some(Request::Remove { at }) => &*action.name == "REMOVE_ENTITY" && is_there(at),
        None => false,
    }
}
