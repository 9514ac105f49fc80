//! Plans of steps, and thoughts.

use super::outcome::owner;
use super::words::{all, done, first_word, id_of, list, own, page_of, room_for};
use super::{Answer, TEXT_CHARS_MAX, VerbRequest};
use crate::event::Event;
use crate::page;
use crate::plans::{OPEN_MAX, Plan, PlanStep, STEPS_MAX};
use crate::state::MindState;
use crate::thought::Layer;
use plot::PlanStatus;
use protocol::happening::{Happening, Place, Role, TEXT_MAX, What};
use protocol::minds::MindName;

const HOW_TO_PLAN: &str = "Plan how? plan <text>: <step>; <step>, as in: plan A well: inner: find stones; outer: dig; \
                           plan done <id> <step>; plan drop <id>";
/// Characters of a step, and of a plan's text.
const STEP_CHARS_MAX: usize = 200;

pub(super) fn plan(state: &MindState, request: &VerbRequest) -> Answer {
    let (word, rest) = first_word(request.args);
    let (id, step) = first_word(rest);
    // A plan of that name has a colon.
    let ends = !rest.contains(':');
    match word.to_ascii_lowercase().as_str() {
        "" => list(
            "Plans:",
            state.plans.0.iter().map(page::plan).collect(),
            "You have no plans: plan <text>: <step>; <step>.",
        ),
        "done" if ends => tick_off(state, request, id, step),
        "drop" if ends => {
            let plan = open(state, id, "drop")?;
            done(ended(plan, PlanStatus::Abandoned, plan.done(), request), format!("Plan #{} is given up.", plan.id))
        }
        _ => make(state, request),
    }
}

fn make(state: &MindState, request: &VerbRequest) -> Answer {
    let (text, steps) = request.args.split_once(':').ok_or(HOW_TO_PLAN)?;
    let steps: Vec<&str> = steps.split(';').map(str::trim).filter(|step| !step.is_empty()).collect();
    if text.trim().is_empty() || steps.is_empty() {
        return Err(HOW_TO_PLAN.into());
    }
    if steps.len() > STEPS_MAX {
        return Err(format!(
            "A plan has {STEPS_MAX} steps at most, and that would be {}. Make two of it.",
            steps.len()
        ));
    }
    room_for(state.plans.open().count(), OPEN_MAX, "open plans", "plan drop <id>")?;
    let text = own(text.trim(), STEP_CHARS_MAX)?;
    let steps = steps.into_iter().map(step_of).collect::<Result<Vec<PlanStep>, String>>()?;
    done(Event::PlanMake { text, steps }, format!("Planned as #{}.", request.first))
}

/// `inner: …`, `both: …` or `Bob: …` say whom it is meant for.
fn step_of(typed: &str) -> Result<PlanStep, String> {
    let typed = own(typed, STEP_CHARS_MAX)?;
    let is_name = |word: &str| word.starts_with(char::is_alphabetic) && word.chars().all(char::is_alphanumeric);
    let (meant, text) = match typed.split_once(':').map(|(meant, rest)| (meant.trim(), rest.trim())) {
        Some((meant, rest)) if is_name(meant) && !rest.is_empty() => (meant, rest),
        _ => ("", &*typed),
    };
    let lower = meant.to_ascii_lowercase();
    let meant = if ["inner", "outer", "both"].contains(&&*lower) { &*lower } else { meant };
    Ok(PlanStep { meant: meant.to_string(), text: text.to_string(), done: false })
}

fn open<'s>(state: &'s MindState, word: &str, how: &str) -> Result<&'s Plan, String> {
    let id = id_of(word).ok_or_else(|| format!("Which plan? plan {how} <id>; plan alone lists them."))?;
    match state.plans.get(id) {
        Some(plan) if plan.is_open() => Ok(plan),
        Some(_) => Err(format!("Plan #{id} has ended. Make a new one.")),
        None => Err(format!("You have no plan #{id}. Those that you have: plan.")),
    }
}

fn tick_off(state: &MindState, request: &VerbRequest, id: &str, step: &str) -> Answer {
    let plan = open(state, id, "done")?;
    let id = plan.id;
    let n = id_of(step).and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=plan.steps.len()).contains(&(*n as usize)));
    let n =
        n.ok_or_else(|| format!("Which step of plan #{id}, from 1 to {}? plan done {id} <step>", plan.steps.len()))?;
    if plan.steps[n as usize - 1].done {
        return Err(format!("Step {n} of plan #{id} is done already."));
    }
    let ticked = Event::PlanStepDone { id, step: n };
    if plan.done() + 1 < plan.steps.len() {
        return done(ticked, format!("Step {n} of plan #{id} is done."));
    }
    let end = ended(plan, PlanStatus::Done, plan.steps.len(), request);
    all(vec![ticked, end], format!("Step {n} of plan #{id} is done, and with it the plan."))
}

/// The end of a plan, with what is needed to remember it by: where its owner is then, and in company or not. Whoever
/// stands by is no witness, since nobody sees it.
fn ended(plan: &Plan, status: PlanStatus, ticked: usize, request: &VerbRequest) -> Event {
    let what = What::PlanEnded {
        who: owner(request.name),
        plan: plan.text.chars().take(TEXT_MAX).collect::<String>().into(),
        done: status == PlanStatus::Done,
        steps: plan.steps.len() as u32,
        ticked: ticked as u32,
        shared: plan.steps.iter().any(|step| plot::is_anothers(&step.meant, request.name)),
        company: request.place.map(|_| !request.present.is_empty()),
    };
    let (role, witnesses) = (Role::Did, Vec::new());
    let room = request.place.cloned().unwrap_or_else(Place::nowhere);
    let told = Happening { what, role, room, witnesses, social_event_id: None, novel: false, valence: None };
    Event::PlanEnd { id: plan.id, status, told: Some(Box::new(told)), mind: None }
}

/// What the body's log is to be told of an entry of the log of `mind`, the event to be written there as JSON: what
/// follows [`crate::event::PLAN_END`]. None where there is nothing to remember.
pub fn told_of(mind: MindName, event: &Event) -> Option<String> {
    let Event::PlanEnd { id, status, told: told @ Some(_), .. } = event else { return None };
    let end = || Event::PlanEnd { id: *id, status: *status, told: told.clone(), mind: Some(mind) };
    (!mind.is_body()).then(|| serde_json::to_string(&end()).expect("it has no maps"))
}

/// Writes such an event down.
pub(super) fn told(_: &MindState, request: &VerbRequest) -> Answer {
    match serde_json::from_str(request.args) {
        Ok(end @ Event::PlanEnd { told: Some(_), mind: Some(_), .. }) => done(end, ""),
        Ok(_) => Err("That is no end of a plan of one mind of several.".into()),
        Err(error) => Err(format!("That is no end of a plan: {error}.")),
    }
}

pub(super) fn think(state: &MindState, request: &VerbRequest) -> Answer {
    if request.args.is_empty() {
        let lines = state.thoughts.iter().map(page::thought).collect();
        return list("What went through this mind:", lines, "No thought is kept: think [ai|character] <text>.");
    }
    let (word, rest) = first_word(request.args);
    let (layer, text) = match Layer::named(word) {
        Some(_) if rest.is_empty() => return Err(format!("What does it think? think {} <text>", word.to_lowercase())),
        Some(layer) => (Some(layer), rest),
        None => (None, request.args),
    };
    let text = own(text, TEXT_CHARS_MAX)?;
    match state.thoughts.last() {
        Some(last) if last.text == text && last.layer == layer => {
            page_of(format!("That is thought already, as #{}.", last.id))
        }
        _ => done(Event::Thought { text, layer }, format!("Thought, as #{}.", request.first)),
    }
}
