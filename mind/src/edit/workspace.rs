//! Task, notes, decisions, steps, blockers and troubles.

use super::goals;
use super::words::{done, first_word, known, list, own, page_of, room_for, with_id};
use super::{Answer, BLOCKERS_MAX, DECISIONS_MAX, LINE_CHARS_MAX, NOTES_MAX, TEXT_CHARS_MAX, VerbRequest};
use crate::derive::trouble_of;
use crate::event::Event;
use crate::goals::GOALS_MAX;
use crate::page;
use crate::state::MindState;

pub(super) fn task(state: &MindState, request: &VerbRequest) -> Answer {
    const SET: &str = "Set one: task <text>.";
    let (word, rest) = first_word(request.args);
    match (&state.task, word.to_ascii_lowercase().as_str()) {
        (None, "") => page_of(format!("You have no task. {SET}")),
        (Some(task), "") => page_of(format!("Your task, of tick {}: {}", task.tick, task.text)),
        (None, "done") if rest.is_empty() => Err(format!("You have no task that could be done. {SET}")),
        (Some(task), "done") if rest.is_empty() => {
            done(Event::TaskDone, format!("Done: {}\nYou have no task now. {SET}", task.text))
        }
        (_, "update") if rest.is_empty() => Err("What is the task, in better words? task update <text>".to_string()),
        (None, "update") => Err(format!("You have no task that could be changed. {SET}")),
        (Some(_), "update") => {
            let text = own(rest, LINE_CHARS_MAX)?;
            done(Event::TaskUpdate { text: text.clone() }, format!("Your task is now: {text}"))
        }
        _ => {
            let text = own(request.args, LINE_CHARS_MAX)?;
            done(Event::TaskSet { text: text.clone() }, format!("Your task: {text}"))
        }
    }
}

pub(super) fn note(state: &MindState, request: &VerbRequest) -> Answer {
    let ids = || state.notes.iter().map(|note| note.id);
    if request.args.is_empty() {
        return list("Your notes:", state.notes.iter().map(page::note).collect(), "You have no notes: note <text>.");
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id, "note", "note", ids())?;
        return done(Event::NoteRemove { id }, format!("Note #{id} is gone."));
    }
    if let Some((id, text)) = with_id(request.args, "edit") {
        let id = known(id, "note", "note", ids())?;
        if text.is_empty() {
            return Err(format!("What is note #{id} to say? note edit {id} <text>"));
        }
        let text = own(text, TEXT_CHARS_MAX)?;
        return done(Event::NoteUpdate { id, text }, format!("Note #{id} is changed."));
    }
    room_for(state.notes.len(), NOTES_MAX, "notes", "note remove <id>")?;
    let text = own(request.args, TEXT_CHARS_MAX)?;
    done(Event::NoteAdd { text }, format!("Noted as #{}.", request.first))
}

pub(super) fn decide(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.decisions.iter().map(page::decision).collect();
        return list("Your decisions:", lines, "You have decided nothing: decide <summary>[: <details>].");
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id, "decision", "decide", state.decisions.iter().map(|decision| decision.id))?;
        return done(Event::DecisionRemove { id }, format!("Decision #{id} is gone."));
    }
    room_for(state.decisions.len(), DECISIONS_MAX, "decisions", "decide remove <id>")?;
    let (summary, details) = match request.args.split_once(": ") {
        Some((summary, details)) if !summary.trim().is_empty() => (summary.trim(), Some(details.trim())),
        _ => (request.args, None),
    };
    let summary = own(summary, LINE_CHARS_MAX)?;
    let details = details.filter(|details| !details.is_empty()).map(|details| own(details, TEXT_CHARS_MAX));
    let details = details.transpose()?;
    done(Event::DecisionRecord { summary, details }, format!("Decided, as #{}.", request.first))
}

pub(super) fn step(state: &MindState, request: &VerbRequest) -> Answer {
    let args = goals::by_number(state, request.args, &["done", "move", "remove"])?;
    let request = &VerbRequest { args: &args, ..*request };
    let known = |id| known(id, "step", "step", state.steps.iter().map(|step| step.id));
    if request.args.is_empty() {
        let lines = state.steps.iter().map(page::step).collect();
        return list("Your next steps:", lines, "You have planned no steps: step <text>.");
    }
    if let Some((id, _)) = with_id(request.args, "done") {
        let id = known(id)?;
        if state.steps.iter().any(|step| step.id == id && step.done) {
            return Err(format!("Step #{id} was done already. To take it off the list: step remove {id}"));
        }
        return done(Event::StepComplete { id }, format!("Step #{id} is done."));
    }
    if let Some((id, place)) = with_id(request.args, "move") {
        let id = known(id)?;
        // A step of a larger goal has its place among the steps of that one.
        let parent = state.goals.get(id).and_then(|goal| goal.parent);
        let places = state.goals.under(parent).count() as u32;
        let place = place.parse().ok().filter(|place| (1..=places).contains(place));
        let place: u32 = place.ok_or_else(|| format!("To which place, from 1 to {places}? step move {id} <place>"))?;
        return done(Event::StepReorder { id, place }, format!("Step #{id} is number {place} of your steps now."));
    }
    if let Some((id, _)) = with_id(request.args, "remove") {
        let id = known(id)?;
        return done(Event::StepRemove { id }, format!("Step #{id} is gone."));
    }
    room_for(state.goals.len(), GOALS_MAX, "goals and steps", "step remove <id>")?;
    let text = own(request.args, LINE_CHARS_MAX)?;
    done(Event::StepAdd { text }, format!("Planned as step #{}.", request.first))
}

pub(super) fn block(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.open_blockers().map(page::blocker).collect();
        return list("What blocks you:", lines, "Nothing blocks you. If something does: block <text>.");
    }
    if let Some((id, _)) = with_id(request.args, "clear") {
        let id = known(id, "blocker", "block", state.open_blockers().map(|blocker| blocker.id))?;
        return done(Event::BlockerRemove { id }, format!("Blocker #{id} is out of the way."));
    }
    room_for(state.open_blockers().count(), BLOCKERS_MAX, "blockers", "block clear <id>")?;
    let text = own(request.args, LINE_CHARS_MAX)?;
    done(Event::BlockerAdd { text }, format!("Kept in mind as blocker #{}.", request.first))
}

/// What goes wrong. There is no most: the state keeps the newest (`state::ERRORS_KEPT`), and programs write most of
/// them. The same again is not written twice while it is open.
pub(super) fn trouble(state: &MindState, request: &VerbRequest) -> Answer {
    let open = || state.errors.iter().filter(|error| !error.resolved);
    if request.args.is_empty() {
        return list("What goes wrong:", open().map(page::error).collect(), "Nothing goes wrong that you know of.");
    }
    // The server knows what it told, not by which number.
    let by_line = first_word(request.args);
    if by_line.0.eq_ignore_ascii_case("solved")
        && let Some(id) = trouble_of(state, by_line.1)
    {
        return done(Event::ErrorResolved { id }, format!("Trouble #{id} is over."));
    }
    if let Some((id, _)) = with_id(request.args, "solved") {
        if let Some(error) = state.errors.iter().find(|error| Some(error.id) == id && error.resolved) {
            return Err(format!("Trouble #{} was over already.", error.id));
        }
        let id = known(id, "trouble", "trouble", open().map(|error| error.id))?;
        return done(Event::ErrorResolved { id }, format!("Trouble #{id} is over."));
    }
    let message = own(request.args, LINE_CHARS_MAX)?;
    match open().find(|error| error.message == message) {
        Some(error) => page_of(format!("You know of that, as trouble #{}.", error.id)),
        None => done(Event::ErrorEncountered { message }, format!("Kept in mind as trouble #{}.", request.first)),
    }
}
