//! The verbs of tasks: which one is about, taking one on, and giving one up.

use crate::arena::CharacterId;
use crate::page::{Page, cell};
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::task::OpenTask;
use crate::tasks::{self, Offer};
use crate::world::World;
use content::words::StepOrder;
use content::{TaskProto, Text};
use protocol::outcome::{Outcome, TaskState};

/// Titles of what is done that are told; the rest is counted.
const DONE_MAX: usize = 12;
/// Columns for what one types of a task.
const ID_WIDE: usize = 12;

/// What one is about and what is offered here; with a name, all of one.
pub fn tasks(world: &World, who: CharacterId, args: &str) -> Result<Page, Refusal> {
    if !args.trim().is_empty() {
        return log(world, who, args);
    }
    let content = world.content.clone();
    let own = world.tasks_of(who).ok_or(ONLY_PLAYERS)?;
    let mut page = Page::for_reader(world.who(who));
    if own.open.is_empty() {
        page.say("You have taken nothing on for anybody.");
    } else {
        page.line(Style::Heading, "What you are about:");
    }
    for (id, open) in &own.open {
        match content.task(id) {
            Some(task) => add_open(world, &mut page, task, open),
            None => {
                page.say(format!("  {id}: nobody here knows of it any more; it is kept aside."));
            }
        }
    }
    let here = tasks::offers_here(world, who, &content.tasks);
    let offered: Vec<&TaskProto> =
        here.iter().filter(|(_, offer)| *offer == Offer::Open).map(|(task, _)| *task).collect();
    if !offered.is_empty() {
        page.line(Style::Heading, "Offered here:");
        for task in offered {
            page.say(format!("  {}, by {}. (accept {})", task.title, giver_of(world, task), task.id));
        }
    }
    let done: Vec<&str> = own.done.keys().filter_map(|id| content.task(id)).map(|task| &*task.title).collect();
    if !done.is_empty() {
        let more = done.len().saturating_sub(DONE_MAX);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        page.say(format!("Done: {}{more}.", done.iter().take(DONE_MAX).copied().collect::<Vec<_>>().join(", ")));
    }
    if own.open.is_empty() {
        page.say("People who want something done say so when they are asked: ask <somebody> about work");
    }
    Ok(page)
}

const ONLY_PLAYERS: Refusal = Refusal::new("Nobody asks such as you for anything.");

fn giver_of(world: &World, task: &TaskProto) -> String {
    task.giver.map_or_else(|| "a board".to_string(), |giver| tasks::mob_name(&world.content, giver))
}

fn add_open(world: &World, page: &mut Page, task: &TaskProto, open: &OpenTask) {
    let giver =
        task.giver.map_or_else(String::new, |giver| format!(", for {}", tasks::mob_name(&world.content, giver)));
    page.say(format!("  {} ({}){giver}", task.title, task.id));
    add_steps(world, page, task, open);
}

fn add_steps(world: &World, page: &mut Page, task: &TaskProto, open: &OpenTask) {
    if task.order == StepOrder::Any && task.steps.len() > 1 {
        page.say("    One of these:");
    }
    // Where each comes in its turn, the one that counts now is pointed out.
    let next = match task.order {
        StepOrder::InOrder if task.steps.len() > 1 => tasks::due_steps(task, open).first().copied(),
        _ => None,
    };
    for (at, step) in task.steps.iter().enumerate() {
        let (done, need) = (tasks::done_of(open, at), step.kind.need());
        let mark = if done >= need { 'x' } else { ' ' };
        let count = if need > 1 { format!(" ({done} of {need})") } else { String::new() };
        let due = if next == Some(at) { " - next" } else { "" };
        page.say(format!("    [{mark}] {}{count}{due}", step.text));
    }
    if tasks::is_ready(task, open)
        && let Some(giver) = task.giver
    {
        page.say(format!("    [ ] Go back to {}", tasks::mob_and_place(&world.content, giver)));
    }
}

/// All of one task: what was asked for, how far it is, what it brings.
fn log(world: &World, who: CharacterId, typed: &str) -> Result<Page, Refusal> {
    let own = world.tasks_of(who).ok_or(ONLY_PLAYERS)?;
    let content = world.content.clone();
    let task = meant(world, who, typed)?;
    let mut page = Page::for_reader(world.who(who));
    page.line(Style::Heading, format!("{} ({})", task.title, task.id));
    page.say(&task.offer);
    match own.open.get(&task.id) {
        Some(open) => add_steps(world, &mut page, task, open),
        None => {
            for step in &task.steps {
                let need = step.kind.need();
                let count = if need > 1 { format!(" ({need})") } else { String::new() };
                page.say(format!("    {}{count}", step.text));
            }
        }
    }
    if task.shared {
        page.say("    In a group it is shared: what one does there counts for all who are there and have taken it on, and a kill counts whoever struck last.");
    }
    let stands = match tasks::standing(world, who, task) {
        Offer::Underway => String::new(),
        Offer::Open if tasks::is_offered_here(world, who, task) => format!("It can be taken on: accept {}", task.id),
        Offer::Open => format!("It can be taken on elsewhere. {}", tasks::where_offered(world, task)),
        Offer::Done => "You have done it.".to_string(),
        Offer::NotYours => tasks::is_for(world, who, task).err().map_or(String::new(), |refusal| refusal.0.to_string()),
    };
    if !stands.is_empty() {
        page.say(stands);
    }
    if let Some(giver) = task.giver {
        page.say(format!("Who asks for it: {}.", tasks::mob_and_place(&content, giver)));
    }
    Ok(page)
}

/// The task that a word means: its id, or words that its title begins with or has; those that one is about first, then
/// those that stand here or on a board.
fn meant<'w>(world: &'w World, who: CharacterId, typed: &str) -> Result<&'w TaskProto, Refusal> {
    let typed = typed.trim().to_lowercase();
    if typed.is_empty() {
        return Err("Which task do you mean? tasks lists them.".into());
    }
    let own = world.tasks_of(who).ok_or(ONLY_PLAYERS)?;
    let content = &world.content;
    let open = content.tasks.iter().filter(|task| own.open.contains_key(&task.id));
    let others = content.tasks.iter().filter(|task| {
        let stands = tasks::standing(world, who, task);
        matches!(stands, Offer::Open | Offer::Done) || tasks::giver_here(world, who, task).is_some()
    });
    let candidates: Vec<&TaskProto> = open.chain(others).collect();
    // Whoever names one in full learns why it is not for him.
    let by_id = candidates.iter().copied().find(|task| *task.id == *typed).or_else(|| content.task(&typed));
    let by_start = || candidates.iter().copied().find(|task| task.id.starts_with(&typed) || starts(task, &typed));
    let by_word = || candidates.iter().copied().find(|task| task.title.to_lowercase().contains(&typed));
    by_id
        .or_else(by_start)
        .or_else(by_word)
        .ok_or_else(|| "You know of no such task. tasks lists what you are about; boards show what is open.".into())
}

fn starts(task: &TaskProto, typed: &str) -> bool {
    task.title.to_lowercase().starts_with(typed)
}

/// Takes on what somebody here wants done, or what a board here shows.
pub fn accept(world: &mut World, who: CharacterId, args: &str) -> Done {
    let content = world.content.clone();
    if args.trim().is_empty() {
        let here = tasks::offers_here(world, who, &content.tasks);
        let mut open = here.iter().filter(|(_, offer)| *offer == Offer::Open).map(|(task, _)| *task);
        // Where there is only one, that is meant.
        return match (open.next(), open.next()) {
            (Some(task), None) => tasks::accept(world, who, task),
            (Some(_), Some(_)) => Err("More than one thing is offered here. tasks lists them.".into()),
            (None, _) => Err("Nobody here has anything for you to do. Boards show what is open elsewhere.".into()),
        };
    }
    let id = meant(world, who, args)?.id.clone();
    let Some(task) = content.task(&id) else { return Err("Nobody knows of that any more.".into()) };
    tasks::accept(world, who, task)
}

/// Gives up what one is about: what was done of it is lost.
pub fn abandon(world: &mut World, who: CharacterId, args: &str) -> Done {
    let typed = args.trim().to_lowercase();
    let own = world.tasks_of(who).ok_or(ONLY_PLAYERS)?;
    if typed.is_empty() {
        return Err("Which task do you want to give up? tasks lists what you are about.".into());
    }
    // What content no longer has can be given up too.
    let id: Text = match own.open.keys().find(|id| ***id == *typed) {
        Some(id) => id.clone(),
        None => meant(world, who, &typed)?.id.clone(),
    };
    if !own.open.contains_key(&id) {
        return Err("You are not about that.".into());
    }
    let (title, ended) = match world.content.task(&id) {
        Some(task) => (task.title.clone(), task.title_ended()),
        None => (id.clone(), format!("{id}.")),
    };
    world.player_mut(who).tasks_mut().open.remove(&id);
    let outcome = world.note(Outcome::Task {
        who: world.as_who(who),
        task: id,
        title,
        state: TaskState::Abandoned,
        step: None,
        done: None,
        need: None,
    });
    world.send_outcome(who, LineKind::Text, format!("You let it be: {ended}"), outcome);
    Ok(())
}

/// What a board says to who reads it: what is open to that one.
pub(super) fn board(world: &World, who: CharacterId, page: &mut Page) {
    let content = &world.content;
    let open = tasks::offers_on_boards(world, who, &content.tasks);
    if open.is_empty() {
        page.say("Nothing that is open now is for you.");
        return;
    }
    page.line(Style::Heading, "Open to you:");
    for task in open {
        let levels = match task.levels {
            (low, high) if low == high => format!("level {low}"),
            (low, high) => format!("levels {low} to {high}"),
        };
        let giver = task.giver.map(|giver| tasks::mob_and_place(content, giver));
        let title = format!("{}, {levels}", task.title);
        match giver {
            // Who hears it hears a line of each.
            Some(giver) if page.is_aloud() => {
                page.row(2, &[cell(ID_WIDE, &*task.id), cell(0, format!("{title}: {giver}"))]);
            }
            giver => {
                page.row(2, &[cell(ID_WIDE, &*task.id), cell(0, title)]);
                if let Some(giver) = giver {
                    page.row(2 + ID_WIDE, &[cell(0, giver)]);
                }
            }
        }
    }
    page.say("To take one on: accept <its name>. All of one: tasks <its name>");
}

/// The names on a tablet, the newest first.
pub(super) fn tablet(world: &World, page: &mut Page) {
    if world.state.honours.is_empty() {
        page.say("No name is cut into it yet.");
    }
    for honour in world.state.honours.iter().rev() {
        page.say(format!("  {}, {}", honour.name, honour.deed));
    }
}
