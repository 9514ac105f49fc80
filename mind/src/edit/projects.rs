//! Projects: made, turned to, put away.

use super::words::{all, done, first_word, own, page_of};
use super::{Answer, VerbRequest};
use crate::event::Event;
use crate::page;
use crate::projects::{
    CONTEXT_CHARS, KEY_CHARS, MAIN, PROJECTS_MAX, Project, ProjectStatus, SUMMARY_CHARS, SWAP_TICKS,
};
use crate::state::MindState;
use crate::workspace::Workspace;

type Part = fn(&MindState, &VerbRequest, &str) -> Answer;

const PARTS: &[(&str, Part)] = &[
    ("list", |state, _, _| page_of(page::projects(state))),
    ("new", new),
    ("swap", swap),
    ("update", update),
    ("done", complete),
    ("archive", archive),
    ("restore", restore),
];

pub(super) fn project(state: &MindState, request: &VerbRequest) -> Answer {
    let (word, rest) = first_word(request.args);
    if word.is_empty() {
        return page_of(page::projects(state));
    }
    match PARTS.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
        Some((_, part)) => part(state, request, rest),
        None => {
            let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
            Err(format!("What about projects? One of {} comes first.", names.join(", ")))
        }
    }
}

fn key_of(typed: &str) -> Result<String, String> {
    let key = typed.trim().to_ascii_lowercase();
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '_' | '-');
    match !key.is_empty() && key.len() <= KEY_CHARS && key.chars().all(fits) {
        true => Ok(key),
        false => Err(format!(
            "The key of a project is one word of at most {KEY_CHARS} letters, digits, _ and -: project new tavern = \
             Build a tavern"
        )),
    }
}

fn known<'s>(state: &'s MindState, typed: &str) -> Result<&'s Project, String> {
    let key = key_of(typed)?;
    state.named(&key).ok_or_else(|| format!("You have no project {key}. Those that you have: project."))
}

/// What a project that waits has put away.
fn shelved<'s>(request: &VerbRequest<'s>, project: &Project) -> Result<(u64, &'s Workspace), String> {
    let found = project.at.zip(request.shelf.get(&project.key));
    found.ok_or_else(|| format!("What belongs to {} cannot be found in your log. Nothing was changed.", project.key))
}

fn new(state: &MindState, _: &VerbRequest, typed: &str) -> Answer {
    const USAGE: &str = "project new <key> = <summary>[: <context>]";
    let (key, rest) = typed.split_once('=').ok_or_else(|| format!("What is it about? {USAGE}"))?;
    let key = key_of(key)?;
    if state.named(&key).is_some() {
        return Err(format!("You have a project {key} already: project swap {key}"));
    }
    let open = state.projects.iter().filter(|project| project.status != ProjectStatus::Archived).count();
    if open >= PROJECTS_MAX {
        return Err(format!("You have {PROJECTS_MAX} projects, which is the most. First: project archive <key>"));
    }
    let (summary, context) = match rest.split_once(": ") {
        Some((summary, context)) => (summary.trim(), context.trim()),
        None => (rest.trim(), ""),
    };
    if summary.is_empty() {
        return Err(format!("What is it about? {USAGE}"));
    }
    let summary = own(summary, SUMMARY_CHARS)?;
    let context = own(context, CONTEXT_CHARS)?;
    let said = format!("Project {key} is there, and waits. To turn to it: project swap {key}");
    let context = (!context.is_empty()).then_some(context);
    done(Event::ProjectCreate { key, summary: Some(summary), context }, said)
}

fn update(state: &MindState, _: &VerbRequest, typed: &str) -> Answer {
    if typed.is_empty() {
        return Err("How far is it? project update <context>".to_string());
    }
    let context = own(typed, CONTEXT_CHARS)?;
    let key = state.active.clone();
    let said = format!("So {key} stands.");
    done(Event::ProjectUpdate { key, summary: None, context: Some(context) }, said)
}

/// The active project as it is put away.
fn leaving(state: &MindState, context: &str) -> Result<(String, String, Box<Workspace>), String> {
    let mut workspace = state.workspace();
    if !context.is_empty() {
        workspace.context = own(context, CONTEXT_CHARS)?;
    }
    Ok((state.active.clone(), workspace.context.clone(), Box::new(workspace)))
}

fn may_turn(state: &MindState, request: &VerbRequest) -> Result<(), String> {
    match state.swapped_tick.map(|tick| tick + SWAP_TICKS).filter(|next| request.tick < *next) {
        Some(next) => {
            let seconds = (next - request.tick) * 2;
            Err(format!("You have just turned to {}. You can turn again in {seconds} seconds.", state.active))
        }
        None => Ok(()),
    }
}

/// The words on a project that one turns to.
fn turned(key: &str, workspace: &Workspace) -> String {
    let (done, all) = workspace.goals.counts();
    let about = if workspace.summary().is_empty() { String::new() } else { format!(": {}", workspace.summary()) };
    let steps = if all == 0 { String::new() } else { format!(" {done} of {all} steps are done.") };
    let context = if workspace.context.is_empty() { String::new() } else { format!(" So far: {}", workspace.context) };
    // What ends by itself needs no stop.
    let stop = if about.ends_with(['.', '!', '?', '…']) { "" } else { "." };
    format!("You turn to {key}{about}{stop}{steps}{context}")
}

fn swap(state: &MindState, request: &VerbRequest, typed: &str) -> Answer {
    let (key, context) = match typed.split_once(':') {
        Some((key, context)) => (key, context.trim()),
        None => (typed, ""),
    };
    if key.trim().is_empty() {
        return Err("To which project? project swap <key>[: <how far the present one is>]".to_string());
    }
    let project = known(state, key)?;
    if project.key == state.active {
        return Err(format!("You are at {} already. How far it is: project update <context>", project.key));
    }
    if project.status != ProjectStatus::Paused {
        let (key, status) = (&project.key, project.status.name());
        return Err(format!("Project {key} is {status}. First: project restore {key}"));
    }
    may_turn(state, request)?;
    let (from, workspace) = shelved(request, project)?;
    let said = turned(&project.key, workspace);
    let (key, context, left) = leaving(state, context)?;
    all(
        vec![
            Event::ProjectPause { key, context, workspace: left },
            Event::ProjectResume { key: project.key.clone(), from, workspace: Box::new(workspace.clone()) },
        ],
        said,
    )
}

fn complete(state: &MindState, request: &VerbRequest, typed: &str) -> Answer {
    let event = |(key, context, workspace)| Event::ProjectComplete { key, context, workspace };
    put_away(state, request, typed, event, ProjectStatus::Completed, "is done")
}

fn archive(state: &MindState, request: &VerbRequest, typed: &str) -> Answer {
    if typed.is_empty() {
        return Err("Which project? project archive <key>".to_string());
    }
    let event = |(key, context, workspace)| Event::ProjectArchive { key, context, workspace };
    put_away(state, request, typed, event, ProjectStatus::Archived, "is archived")
}

/// Without a key the active project; it gives way to `MAIN`.
fn put_away(
    state: &MindState,
    request: &VerbRequest,
    typed: &str,
    event: impl Fn((String, String, Box<Workspace>)) -> Event,
    status: ProjectStatus,
    what: &str,
) -> Answer {
    let project = if typed.is_empty() { state.active() } else { known(state, typed)? };
    let key = project.key.clone();
    if key == MAIN {
        return Err(format!("Your project {MAIN} stays: it is what is left when all others are put away."));
    }
    if project.status == status || project.status == ProjectStatus::Archived {
        return Err(format!("Project {key} is {} already.", project.status.name()));
    }
    if key != state.active {
        let (_, workspace) = shelved(request, project)?;
        let put_away = (key.clone(), workspace.context.clone(), Box::new(workspace.clone()));
        return done(event(put_away), format!("Project {key} {what}."));
    }
    may_turn(state, request)?;
    let main = known(state, MAIN)?;
    let (from, workspace) = shelved(request, main)?;
    let said = format!("Project {key} {what}. {}", turned(MAIN, workspace));
    let resumed = Event::ProjectResume { key: MAIN.to_string(), from, workspace: Box::new(workspace.clone()) };
    all(vec![event(leaving(state, "")?), resumed], said)
}

fn restore(state: &MindState, request: &VerbRequest, typed: &str) -> Answer {
    if typed.is_empty() {
        return Err("Which project? project restore <key>".to_string());
    }
    let project = known(state, typed)?;
    let key = project.key.clone();
    match project.status {
        ProjectStatus::Active => return Err(format!("You are at {key}.")),
        ProjectStatus::Paused => return Err(format!("Project {key} waits: project swap {key}")),
        ProjectStatus::Archived => {
            let open = state.projects.iter().filter(|project| project.status != ProjectStatus::Archived).count();
            if open >= PROJECTS_MAX {
                return Err(format!("You have {PROJECTS_MAX} projects, which is the most."));
            }
        }
        ProjectStatus::Completed => {}
    }
    let (_, workspace) = shelved(request, project)?;
    let said = format!("Project {key} waits again. To turn to it: project swap {key}");
    let (context, workspace) = (workspace.context.clone(), Box::new(workspace.clone()));
    done(Event::ProjectPause { key, context, workspace }, said)
}
