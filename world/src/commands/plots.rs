//! The verbs of plots: building, and everything that is said and seen of a plot.

use super::immortal::log;
use crate::act::Scene;
use crate::arena::CharacterId;
use crate::character::LEVEL_IMMORTAL;
use crate::clock::duration;
use crate::ground::{Ground, because, named};
use crate::page::{Page, cell};
use crate::plots;
use crate::refusal::{Done, Refusal};
use crate::report::{LineKind, Style};
use crate::world::World;
use plot::{
    Cell, Change, Deed, Entry, Grid, KEPT, Note, NoteKind, Plan, Plot, Rule, TITLE_MAX, Task, checked, grid_lines,
    legend_line, list_lines, quoted,
};
use std::sync::Arc;

/// Entries of the memo, and changes, that are shown where nobody says how many.
const MEMO_SHOWN: usize = 5;
const HISTORY_SHOWN: usize = 10;
/// Plans that have ended and are shown still.
const ENDED_SHOWN: usize = 3;

/// Ticks that a change takes.
const BUILD_LAG: u64 = 1;

pub fn build(world: &mut World, who: CharacterId, args: &str) -> Done {
    plots::build(world, who, args)?;
    world.lag(who, BUILD_LAG);
    Ok(())
}

pub fn plot(world: &mut World, who: CharacterId, args: &str) -> Done {
    let (word, rest) = args.trim().split_once(char::is_whitespace).unwrap_or((args.trim(), ""));
    let rest = rest.trim();
    match (&*word.to_ascii_lowercase(), rest) {
        ("memo", rest) if asked_of_memo(rest)?.is_none() => return write_memo(world, who, rest),
        ("plan", rest) if !rest.is_empty() => return plan(world, who, rest),
        ("agree", id) => return plots::settle(world, who, number(id, "plot agree <id>")?, true),
        ("refuse", id) => return plots::settle(world, who, number(id, "plot refuse <id>")?, false),
        ("found", title) if is_builder(world, who) => return found(world, who, title),
        ("raze", "") if is_builder(world, who) => return raze(world, who),
        _ => {}
    }
    let page = read(world, who, word, rest, args)?;
    world.send_line(who, Arc::new(page.into_line()));
    Ok(())
}

/// The plot before somebody, with all that is said of it.
pub(super) fn shown(world: &World, who: CharacterId) -> Result<Page, Refusal> {
    read(world, who, "", "", "")
}

/// What only looks.
fn read(world: &World, who: CharacterId, word: &str, rest: &str, args: &str) -> Result<Page, Refusal> {
    let mut page = Page::for_reader(world.who(who));
    // Kinds are the same everywhere.
    if word.eq_ignore_ascii_case("kinds") {
        kinds(world, &mut page);
        return Ok(page);
    }
    let ground = world.plot_before(who)?;
    let plot = &ground.plot;
    match &*word.to_ascii_lowercase() {
        "" => whole(world, who, &ground, &mut page),
        "list" if rest.is_empty() => list(world, plot, &mut page),
        "task" if rest.is_empty() => task(world, plot, &mut page)?,
        "history" => history(plot, how_many(rest, HISTORY_SHOWN)?, world.tick(), &mut page),
        "memo" => {
            let (from, count) = asked_of_memo(rest)?.unwrap_or((None, MEMO_SHOWN));
            memo(plot, from, count, &mut page)?;
        }
        "plan" if plot.plans().is_empty() => {
            return Err("Nobody has a plan here. Make one: plot plan <text>: <step>; <step>.".into());
        }
        "plan" => plans(plot, usize::MAX, &mut page),
        "scene" => scene(world, plot, number(rest, "plot scene <entry>")?, &mut page)?,
        _ => match Cell::parse(args) {
            Ok(at) => one_cell(world, plot, at, &mut page),
            // Whoever typed no number meant no cell.
            Err(_) if !args.contains(|c: char| c.is_ascii_digit()) => {
                return Err(
                    "What about the plot? It is one of these: plot list, plot <row>,<column>, plot kinds, plot \
                            task, plot history, plot memo, plot scene, plot plan, plot agree, plot refuse."
                        .into(),
                );
            }
            Err(wrong) => return Err(wrong.to_string().into()),
        },
    }
    Ok(page)
}

fn number(typed: &str, how: &str) -> Result<u32, Refusal> {
    typed.trim_start_matches('#').parse().map_err(|_| format!("Which one? Name it by its number: {how}.").into())
}

fn how_many(typed: &str, default: usize) -> Result<usize, Refusal> {
    match typed {
        "" => Ok(default),
        typed => match typed.parse() {
            Ok(count @ 1..=KEPT) => Ok(count),
            _ => Err(format!("How many? From 1 to {KEPT} are kept.").into()),
        },
    }
}

/// `[from <name>] [<number>]`, if that is what was typed after `memo`: whose entries, and how many. A number by itself
/// is never words to write, so that too great a one is told.
fn asked_of_memo(typed: &str) -> Result<Option<(Option<&str>, usize)>, Refusal> {
    let words: Vec<&str> = typed.split_whitespace().collect();
    let is_from = |word: &str| word.eq_ignore_ascii_case("from");
    let (from, count) = match words[..] {
        [] => (None, ""),
        [count] if is_number(count) => (None, count),
        [from, name] if is_from(from) => (Some(name), ""),
        [from, name, count] if is_from(from) && is_number(count) => (Some(name), count),
        _ => return Ok(None),
    };
    Ok(Some((from, how_many(count, MEMO_SHOWN)?)))
}

fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix('-').unwrap_or(word);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_builder(world: &World, who: CharacterId) -> bool {
    world.who(who).level >= LEVEL_IMMORTAL
}

fn whole(world: &World, who: CharacterId, ground: &Ground, page: &mut Page) {
    let (plot, tick) = (&ground.plot, world.tick());
    page.line(Style::Heading, format!("{} (revision {})", plot.title, plot.revision()));
    let proto = world.content.plot(world.room_proto(world.who(who).room).vnum);
    if let Some(proto) = proto.filter(|proto| ground.founder.is_empty() && !proto.about.is_empty()) {
        page.say(&*proto.about);
    }
    page.say(rule_told(plot.rule));
    draw(world, plot.grid(), page);
    if let Some(task) = world.content.plot_task(&plot.task) {
        let score = task.score(plot.grid(), &world.content.plot_kinds);
        page.say(format!("Wanted: {}. So far it is worth {score} of 1000. (plot task)", lower(&task.title)));
    }
    axes(plot, page);
    contested(plot, tick, page);
    pending(plot, tick, page);
    plans(plot, ENDED_SHOWN, page);
    let newest = plot.memo().last(MEMO_SHOWN, None);
    if !newest.is_empty() {
        page.line(Style::Heading, "Memo:");
        newest.into_iter().for_each(|entry| add_entry(entry, page));
    }
}

fn lower(title: &str) -> String {
    let mut chars = title.chars();
    chars.next().map(|first| first.to_lowercase().chain(chars).collect()).unwrap_or_default()
}

fn rule_told(rule: Rule) -> &'static str {
    match rule {
        Rule::Free => "Everybody may move and remove everything.",
        Rule::Own => "Everybody may move and remove what they built themselves.",
        Rule::Consent => "What another built is moved or removed only when they agree, or two others who built here.",
    }
}

fn draw(world: &World, grid: &Grid, page: &mut Page) {
    // A picture says nothing to who listens.
    if page.is_aloud() {
        say_list(grid, page);
        return;
    }
    for line in grid_lines(grid, &world.content.plot_kinds) {
        page.say(line);
    }
    let legend = legend_line(grid, &world.content.plot_kinds);
    if legend.is_empty() {
        page.say("  Nothing stands here so far.");
    } else {
        page.row(2, &[cell(0, legend)]);
    }
}

fn say_list(grid: &Grid, page: &mut Page) {
    let lines = list_lines(grid);
    if lines.is_empty() {
        page.say("Nothing stands here so far.");
    }
    for line in lines {
        page.say(line);
    }
}

fn list(world: &World, plot: &Plot, page: &mut Page) {
    page.line(Style::Heading, format!("{} (revision {})", plot.title, plot.revision()));
    page.say(rule_told(plot.rule));
    say_list(plot.grid(), page);
    axes(plot, page);
    contested(plot, world.tick(), page);
    pending(plot, world.tick(), page);
    plans(plot, ENDED_SHOWN, page);
}

fn axes(plot: &Plot, page: &mut Page) {
    let axes = plot.axes();
    page.line(Style::Heading, format!("Axes (imbalance {}):", axes.imbalance));
    for row in axes.rows() {
        let [inner, outer] = row.pair;
        page.say(format!("  {:<11} {:>8} {inner:>2} : {outer:<2} {}", row.name, row.inner, row.outer));
    }
}

fn contested(plot: &Plot, tick: u64, page: &mut Page) {
    let cells: Vec<String> = plot.contested(tick).iter().map(ToString::to_string).collect();
    if !cells.is_empty() {
        page.say(format!("Contested, so that every change waits for consent: {}", cells.join("; ")));
    }
}

fn pending(plot: &Plot, tick: u64, page: &mut Page) {
    let waiting: Vec<_> = plot.pending().iter().filter(|pending| pending.until >= tick).collect();
    if waiting.is_empty() {
        return;
    }
    page.line(Style::Heading, "Waiting for consent:");
    for pending in waiting {
        let of = match &*pending.asked {
            "" => "two who built here".to_string(),
            asked => format!("{asked} or two others"),
        };
        let why = because(&pending.why);
        let left = duration(pending.until - tick);
        let said = |names: &[content::Text], how: &str| match names.is_empty() {
            true => String::new(),
            false => format!(" {} {how} it.", names.join(", ")),
        };
        let said = format!("{}{}", said(&pending.agreed, "agreed to"), said(&pending.refused, "spoke against"));
        let told = format!(
            "#{} {} would {}{why}. It is for {of} to agree, within {left}.{said} (plot agree {0}, plot refuse {0})",
            pending.id, pending.by, pending.request
        );
        page.row(2, &[cell(0, told)]);
    }
}

/// All open plans, and so many of those that have ended.
fn plans(plot: &Plot, ended: usize, page: &mut Page) {
    let shown: Vec<&Plan> = plot.plans_with_ended(ended).collect();
    if shown.is_empty() {
        return;
    }
    page.line(Style::Heading, "Plans:");
    for plan in shown {
        let told = format!("#{} {}: {} ({})", plan.id, plan.by, quoted(&plan.text), in_words(plan.status.word()));
        page.row(2, &[cell(0, told)]);
        for (n, step) in (1..).zip(&plan.steps) {
            let mark = if step.done { 'x' } else { ' ' };
            let meant = if step.meant.is_empty() { String::new() } else { format!("{}: ", step.meant) };
            page.row(4, &[cell(0, format!("[{mark}] {n}. {meant}{}", quoted(&step.text)))]);
        }
    }
}

fn add_entry(entry: &Entry, page: &mut Page) {
    let to = if &*entry.to == "ALL" { String::new() } else { format!(" to {}", entry.to) };
    let why = because(&entry.reasoning);
    // What was done says so itself, and a message is what one takes words for.
    let kind = match entry.kind {
        NoteKind::ActionLog | NoteKind::Message => String::new(),
        kind => format!(" [{}]", in_words(kind.word())),
    };
    let told = if entry.said { format!(": {}", entry.told()) } else { format!(" {}", lower(&entry.told())) };
    page.row(2, &[cell(0, format!("#{} {}{to}{kind}{told}{why}", entry.n, entry.from))]);
}

/// A word of programs as people read it: `IN_PROGRESS` is in progress.
fn in_words(word: &str) -> String {
    word.to_lowercase().replace('_', " ")
}

fn memo(plot: &Plot, from: Option<&str>, count: usize, page: &mut Page) -> Result<(), Refusal> {
    let entries = plot.memo().last(count, from);
    if entries.is_empty() {
        return Err(match from {
            Some(name) => format!("The memo has nothing from {name}.").into(),
            None => "The memo is empty. Write into it: plot memo <words>.".into(),
        });
    }
    let (written, head) = (plot.memo().entries().len(), plot.memo().head());
    page.line(Style::Heading, format!("Memo ({written} of {KEPT}, the next at {head}):"));
    entries.into_iter().for_each(|entry| add_entry(entry, page));
    Ok(())
}

fn kinds(world: &World, page: &mut Page) {
    page.line(Style::Heading, "What can be built:");
    for kind in world.content.plot_kinds.iter() {
        let purpose = kind.purpose.word();
        page.row(
            2,
            &[
                cell(2, kind.glyph.to_string()),
                cell(12, &*kind.name),
                cell(10, &*kind.class),
                cell(6, purpose),
                cell(0, &*kind.icon),
            ],
        );
    }
    page.say("To build one: build add <kind> <row>,<column>");
}

fn task(world: &World, plot: &Plot, page: &mut Page) -> Result<(), Refusal> {
    let task: &Task = world.content.plot_task(&plot.task).ok_or("This plot is for nothing in particular.")?;
    let kinds = &world.content.plot_kinds;
    page.line(Style::Heading, format!("{}: {} of 1000", task.title, task.score(plot.grid(), kinds)));
    for constraint in &task.constraints {
        let points = format!("{:>3} of {:>3}", constraint.score(plot.grid(), kinds), constraint.points);
        page.row(2, &[cell(12, points), cell(0, &*constraint.text)]);
    }
    Ok(())
}

fn history(plot: &Plot, count: usize, now: u64, page: &mut Page) {
    if plot.changes().len() == 0 {
        page.say("Nothing was changed here so far.");
    }
    let skipped = plot.changes().len().saturating_sub(count);
    for Change { revision, tick, by, why, deed, .. } in plot.changes().skip(skipped) {
        let told = match deed {
            Deed::Add(element) => format!("built {} at {}", named(&element.kind, &element.label), element.at),
            Deed::Move { from, to, .. } => format!("moved what stood at {from} to {to}"),
            Deed::Remove(element) => format!("removed {} from {}", named(&element.kind, &element.label), element.at),
        };
        let ago = duration(now.saturating_sub(*tick));
        page.row(2, &[cell(0, format!("{revision}. {by} {told}{}, {ago} ago", because(why)))]);
    }
}

fn scene(world: &World, plot: &Plot, n: u32, page: &mut Page) -> Result<(), Refusal> {
    let grid = plot.scene(n)?;
    let entry = plot.memo().entry(n)?;
    page.line(Style::Heading, format!("{} as of entry #{n} (revision {}):", plot.title, entry.revision));
    add_entry(entry, page);
    draw(world, &grid, page);
    Ok(())
}

fn one_cell(world: &World, plot: &Plot, at: Cell, page: &mut Page) {
    match plot.grid().at(at) {
        None => {
            page.say(format!("Nothing stands at {at}."));
        }
        Some(element) => {
            let by = match element.builder() {
                Some(by) => format!("{by} built it {} ago", duration(world.tick().saturating_sub(element.tick))),
                None => "It was there before anybody built".to_string(),
            };
            let what = named(&element.kind, &element.label);
            page.say(format!("{at}: {what}. {by}{}.", because(&element.why)));
            if world.content.plot_kinds.get(&element.kind).is_none() {
                page.say("Nobody knows how to build such a thing any more.");
            }
        }
    }
    if plot.is_contested(at, world.tick()) {
        page.say("The cell is contested: every change of it waits for consent.");
    }
}

fn write_memo(world: &mut World, who: CharacterId, typed: &str) -> Done {
    world.may_be_heard(who)?;
    let note = Note::parse(typed)?;
    let (kind, to, words) = (note.kind, note.to.clone(), note.content.clone());
    world.change_plot(who, |plot, by, tick, _| {
        plot.note(note, by, tick);
        Ok(())
    })?;
    let kind = match kind {
        NoteKind::Message | NoteKind::ActionLog => String::new(),
        NoteKind::Request => ", as a request".to_string(),
        kind => format!(", as {}", in_words(kind.word())),
    };
    world.send(who, LineKind::Text, format!("You write it into the memo{kind}."));
    // Whom it is for reads it there and then. Elsewhere it is nobody's tell.
    let here = |reader: &CharacterId| {
        *reader != who && world.who(*reader).room == world.who(who).room && !world.ignores(*reader, who)
    };
    if let Some(reader) = world.find_player(&to).filter(here) {
        let words = world.words_for(reader, &words).into_owned();
        let scene = Scene::new(who, LineKind::Text).victim(reader).text(&words);
        let text = world.voice(&scene, reader, "$n writes into the memo, for you: \"$t\"");
        world.send(reader, LineKind::Text, text);
    }
    Ok(())
}

fn plan(world: &mut World, who: CharacterId, typed: &str) -> Done {
    let mut words = typed.split_whitespace();
    let how = "plot plan done <id> <step>, plot plan drop <id>";
    let text = match (words.next(), typed.contains(':')) {
        (Some(word), false) if word.eq_ignore_ascii_case("done") => {
            let id = number(words.next().unwrap_or_default(), how)?;
            let step = number(words.next().unwrap_or_default(), how)?;
            let is_over = world.change_plot(who, |plot, by, _, _| plot.plan_done(id, step as usize, by))?;
            if is_over {
                record_plan(world, who, id);
            }
            let end = if is_over { ", and with it the plan" } else { "" };
            format!("Step {step} of plan #{id} is done{end}.")
        }
        (Some(word), false) if word.eq_ignore_ascii_case("drop") => {
            let id = number(words.next().unwrap_or_default(), how)?;
            world.change_plot(who, |plot, by, _, _| plot.plan_drop(id, by))?;
            record_plan(world, who, id);
            format!("You drop plan #{id}.")
        }
        _ => {
            let (text, steps) = Plan::parse(typed, &world.content.plot_kinds)?;
            let id = world.change_plot(who, |plot, by, tick, _| plot.plan(text, steps, by, tick))?;
            format!("That is plan #{id}. What others build counts for it, too.")
        }
    };
    world.send(who, LineKind::Text, text);
    Ok(())
}

fn record_plan(world: &mut World, who: CharacterId, id: u32) {
    let Some(ground) = world.plot_of(world.who(who).room) else { return };
    // Plans of words alone cost nothing, and would fill a memory with glad hours and sad ones.
    if let Some(plan) = ground.plot.plans().iter().find(|plan| plan.id == id && plan.built).cloned() {
        world.record_plan(who, &plan);
    }
}

/// `<title> [: <rule>]`.
fn found(world: &mut World, who: CharacterId, typed: &str) -> Done {
    let (title, rule) = match typed.rsplit_once(':') {
        Some((title, word)) => {
            let words = Rule::ALL.map(Rule::word).join(", ");
            (title, Rule::parse(word.trim()).ok_or(format!("The rule is one of these: {words}."))?)
        }
        None => (typed, Rule::Free),
    };
    let title = checked(title.trim().trim_end_matches('.'), "title", TITLE_MAX)?;
    world.found_plot(who, title.clone(), rule)?;
    let (vnum, told) = (world.room_proto(world.who(who).room).vnum, rule_told(rule));
    log(world, who, format!("founded the plot {} in room {vnum}, under the rule {}", quoted(&title), rule.word()));
    let text = format!("{title}. {told}");
    let scene = Scene::new(who, LineKind::Text).text(&text);
    world.show(&scene, "You stake out a plot: $t", "", "A plot is staked out here: $t");
    Ok(())
}

fn raze(world: &mut World, who: CharacterId) -> Done {
    world.raze_plot(who)?;
    let vnum = world.room_proto(world.who(who).room).vnum;
    log(world, who, format!("razed the plot of room {vnum}"));
    let scene = Scene::new(who, LineKind::Text);
    world.show(&scene, "You raze what was built here.", "", "$n razes what was built here.");
    Ok(())
}
