//! What the world itself says of a body's deeds: what came of a conflict between its minds, and what it did on a plot.
//! Nobody types either, so nothing is answered.

use super::words::{all, done, first_word};
use super::{Answer, VerbRequest};
use crate::council;
use crate::counsel::{Addressee, Brought, Dispute, Fate};
use crate::event::{Event, LogEntry};
use crate::state::MindState;
use plot::{Cell, NoteKind, Request};
use protocol::happening::{Happening, Role, TEXT_MAX, WITNESSES_MAX, Went, What};
use protocol::minds::MindName;
use protocol::outcome::{Who, WhoKind};
use protocol::plot::{ActionSeen, DeedSeen};
use std::cmp::Ordering;

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

/// The conflict whose outcome is not known yet.
fn open_among<'s>(state: &'s MindState, since: &Since) -> Option<&'s Dispute> {
    let of_it = |one: &&Dispute| (since.from..=since.upto).contains(&one.id) && one.brought.is_none();
    state.counsel.conflicts.iter().find(of_it)
}

/// The first entry that must be read for what follows the verb: the first of what was proposed, which the state may
/// have let go by the time that something came of it.
pub fn outcome_from(args: &str, state: &MindState) -> Option<u64> {
    let since = since(args)?;
    let between = open_among(state, &since).into_iter().flat_map(|dispute| &dispute.between);
    between.copied().chain([since.from]).min()
}

/// Where minds did not differ, nothing is written.
pub(super) fn conflict(state: &MindState, request: &VerbRequest) -> Answer {
    let since = since(request.args).ok_or("What came of which conflict? #<from>-#<upto> <tick> <experience>")?;
    let Some(dispute) = open_among(state, &since) else { return all(Vec::new(), "") };
    let Since { tick, experience, .. } = since;
    let since = request.span.iter().filter(|entry| entry.seq > dispute.id);
    let happened: Vec<&Happening> = since
        .filter_map(|entry| match &entry.event {
            Event::Happening(happening) => Some(&**happening),
            _ => None,
        })
        .collect();
    let valence = happened.iter().map(|happening| i64::from(valence(happening))).sum();
    let brought = Brought { ticks: request.tick.saturating_sub(tick), valence, experience };
    let told = differed(dispute, &happened, brought, request).map(Box::new);
    done(Event::ConflictOutcome { conflict: dispute.id, chosen: dispute.chosen, brought, told }, "")
}

/// The same as something to remember: about whom it was, where, and who stood by is what the records since then say.
/// None where nothing happened: then nothing came of it that one would remember.
fn differed(dispute: &Dispute, happened: &[&Happening], brought: Brought, request: &VerbRequest) -> Option<Happening> {
    let (first, name) = (happened.first()?, request.name);
    let proposed = |entry: &'_ &LogEntry| dispute.between.contains(&entry.seq);
    let proposals: Vec<(MindName, &str)> = request
        .span
        .iter()
        .filter(proposed)
        .filter_map(|entry| match &entry.event {
            Event::ProposalMake { mind, line, .. } => Some((*mind, line.as_str())),
            _ => None,
        })
        .collect();
    let lines: Vec<&str> = proposals.iter().map(|(_, line)| *line).collect();
    let meant = council::meant(&lines, happened);
    let followed = proposals.iter().find(|(mind, _)| Some(*mind) == dispute.chosen);
    let went = match brought.valence.cmp(&0).then(brought.experience.cmp(&0)) {
        Ordering::Greater => Went::Well,
        Ordering::Less => Went::Ill,
        Ordering::Equal => Went::Nowhere,
    };
    let me = happened.iter().find_map(|one| one.me()).cloned();
    let what = What::Differed {
        who: me.unwrap_or_else(|| owner(name)),
        about: meant.map(|(who, _)| who.clone()),
        over: dispute.conflict.word().into(),
        followed: dispute.chosen,
        line: followed.map_or("", |(_, line)| *line).chars().take(TEXT_MAX).collect::<String>().into(),
        ticks: brought.ticks,
        went,
        valence: brought.valence,
    };
    let mut witnesses: Vec<Who> = Vec::new();
    for who in happened.iter().flat_map(|one| one.witnesses.iter().chain(one.what.third())) {
        let is_me = who.name.eq_ignore_ascii_case(name);
        let is_known =
            meant.is_some_and(|(about, _)| about.id == who.id) || witnesses.iter().any(|one| one.id == who.id);
        if who.kind == WhoKind::Player && !who.id.is_empty() && !is_me && !is_known && witnesses.len() < WITNESSES_MAX {
            witnesses.push(who.clone());
        }
    }
    let room = meant.map_or(*first, |(_, told)| told).room.clone();
    Some(Happening { what, role: Role::Did, room, witnesses, social_event_id: None, novel: false, valence: None })
}

/// The owner of the log, of whom a request knows the name alone.
pub(super) fn owner(name: &str) -> Who {
    Who { id: "".into(), name: name.into(), kind: WhoKind::Player, level: 0 }
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
