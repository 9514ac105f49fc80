//! `tasks.toml`: what the people of a zone would have done, and which objects are boards and tablets.

use super::numbers::{COINS, EXPERIENCE, LEVEL, LEVEL_PLAYER_MAX, Numbers, PRACTICES};
use super::table::{File, Table};
use super::text::{Toml, inline_text};
use crate::answers::spoken_words;
use crate::tasks::*;
use crate::words::{Recurrence, StepOrder};
use crate::{Content, Vnum};

/// The most that a step may ask for, so that every count fits the screen and the record.
const COUNT_MAX: i32 = 100_000;

pub(super) fn read(file: &mut File, root: &mut Table, _zone: i32) {
    for (key, notice) in [("boards", Notice::Board), ("tablets", Notice::Tablet)] {
        let place = file.place_of_field(root, key);
        for object in file.field::<Vec<Vnum>>(root, key).unwrap_or_default() {
            file.draft.origins.notices.push((object, place));
            file.draft.content.notices.push((object, notice));
        }
    }
    for mut row in file.rows(root, "task") {
        let line = row.line;
        let id = file.needed_text(&mut row, "id");
        if !is_id(&id) {
            file.error(line, format!("id: {:?} should be lower-case letters, digits and hyphens, 30 at most", &*id));
        }
        let steps: Vec<TaskStep> =
            file.rows(&mut row, "step").into_iter().filter_map(|step| read_step(file, step)).collect();
        if steps.is_empty() {
            file.error(line, "task with nothing to do: give at least one [[task.step]]");
        }
        let levels = file.range(&mut row, "levels", LEVEL).unwrap_or((1, LEVEL_PLAYER_MAX));
        let task = TaskProto {
            title: file.needed_text(&mut row, "title"),
            giver: file.field(&mut row, "giver"),
            levels,
            classes: file.field(&mut row, "classes").unwrap_or_default(),
            after: file.text_if_any(&mut row, "after"),
            again: file.field(&mut row, "again").unwrap_or(Recurrence::Once),
            order: file.field(&mut row, "order").unwrap_or(StepOrder::InOrder),
            shared: file.field(&mut row, "shared").unwrap_or_default(),
            reward: reward(file, &mut row),
            offer: file.needed_text(&mut row, "offer"),
            accepted: file.text(&mut row, "accepted"),
            waits: file.text(&mut row, "waits"),
            done: file.text(&mut row, "done"),
            id,
            steps,
        };
        let place = file.place(line);
        file.draft.origins.tasks.push((task.id.clone(), place));
        file.draft.content.tasks.push(task);
        file.end(row);
    }
}

pub(crate) fn is_id(id: &str) -> bool {
    let is_sign = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    (1..=30).contains(&id.len()) && id.bytes().all(is_sign) && !id.starts_with('-')
}

fn read_step(file: &mut File, mut row: Table) -> Option<TaskStep> {
    let line = row.line;
    let mut kinds = Vec::new();
    if let Some(object) = file.field(&mut row, "bring") {
        let to = file.needed(&mut row, "to").unwrap_or_default();
        kinds.push(StepKind::Bring { object, to, count: count(file, &mut row, "count") });
    }
    if let Some(mob) = file.field(&mut row, "kill") {
        kinds.push(StepKind::Kill { mob, count: count(file, &mut row, "count") });
    }
    if let Some(room) = file.field(&mut row, "visit") {
        kinds.push(StepKind::Visit { room });
    }
    if let Some(mob) = file.field(&mut row, "ask") {
        let typed: Vec<String> = file.field(&mut row, "about").unwrap_or_default();
        let mut about = Vec::new();
        for word in &typed {
            match spoken_words(word).eq([word.clone()]) {
                true => about.push(file.share(word)),
                false => file.error(line, format!("about: {word:?} should be one word, in lower case")),
            }
        }
        kinds.push(StepKind::Ask { mob, about });
    }
    if let Some(mob) = file.field(&mut row, "escort") {
        kinds.push(StepKind::Escort { mob, to: file.needed(&mut row, "to").unwrap_or_default() });
    }
    if let Some(object) = file.field(&mut row, "find") {
        kinds.push(StepKind::Find { object });
    }
    if let Some(zone) = file.field(&mut row, "survive") {
        if !row.has("ticks") {
            file.missing(&row, "ticks");
        }
        kinds.push(StepKind::Survive { zone, ticks: count(file, &mut row, "ticks") });
    }
    if row.has("pay") {
        let gold = count(file, &mut row, "pay");
        kinds.push(StepKind::Pay { gold, to: file.needed(&mut row, "to").unwrap_or_default() });
    }
    let text = file.needed_text(&mut row, "text");
    file.end(row);
    match (kinds.pop(), kinds.is_empty()) {
        (Some(kind), true) => Some(TaskStep { kind, text }),
        _ => {
            let words = "bring, kill, visit, ask, escort, find, survive, pay";
            file.error(line, format!("step should have one of these, and only one: {words}"));
            None
        }
    }
}

/// 1 where none is given.
fn count(file: &mut File, row: &mut Table, key: &str) -> i32 {
    let line = file.line_of(row, key);
    let count: i32 = file.field(row, key).unwrap_or(1);
    if !(1..=COUNT_MAX).contains(&count) {
        file.error(line, format!("{key} should be from 1 to {COUNT_MAX}"));
    }
    count.clamp(1, COUNT_MAX)
}

fn reward(file: &mut File, row: &mut Table) -> TaskReward {
    let Some(mut table) = file.table(row, "reward") else { return TaskReward::default() };
    let mut amount = |key: &str, numbers: Numbers| {
        let line = file.line_of(&table, key);
        let amount: i32 = file.field(&mut table, key).unwrap_or_default();
        if amount < 0 {
            file.error(line, format!("{key}: a reward takes nothing away"));
        } else if !numbers.contains(&amount) {
            file.error(line, format!("{key} should be {} to {}, not {amount}", numbers.start(), numbers.end()));
        }
        amount.clamp(*numbers.start(), *numbers.end())
    };
    let (experience, gold) = (amount("experience", EXPERIENCE), amount("gold", COINS));
    let practices = amount("practices", PRACTICES);
    let reward = TaskReward {
        experience,
        gold,
        practices,
        objects: file.field(&mut table, "objects").unwrap_or_default(),
        title: file.text_if_any(&mut table, "title"),
        honour: file.text_if_any(&mut table, "honour"),
    };
    file.end(table);
    reward
}

/// The whole file of a zone: what is on boards and tablets, then the tasks.
pub(super) fn write(notices: &[&(Vnum, Notice)], tasks: &[&TaskProto]) -> String {
    let mut text = String::new();
    for (key, kind) in [("boards", Notice::Board), ("tablets", Notice::Tablet)] {
        let vnums: Vec<String> =
            notices.iter().filter(|(_, notice)| *notice == kind).map(|(vnum, _)| vnum.to_string()).collect();
        if !vnums.is_empty() {
            text.push_str(&format!("{key} = [{}]\n", vnums.join(", ")));
        }
    }
    let rows = super::text::rows(tasks, write_task);
    if !text.is_empty() && !rows.is_empty() {
        text.push('\n');
    }
    text + &rows
}

fn write_task(task: &TaskProto, toml: &mut Toml) {
    toml.header("[[task]]");
    toml.text("id", &task.id);
    toml.text("title", &task.title);
    toml.number_if_any("giver", task.giver);
    toml.raw("levels", format_args!("[{}, {}]", task.levels.0, task.levels.1));
    toml.names("classes", task.classes.iter().map(|class| class.name()));
    if let Some(after) = &task.after {
        toml.text("after", after);
    }
    toml.word_unless("again", task.again, Recurrence::Once);
    toml.word_unless("order", task.order, StepOrder::InOrder);
    toml.flag("shared", task.shared);
    toml.text("offer", &task.offer);
    toml.text_unless_empty("accepted", &task.accepted);
    toml.text_unless_empty("waits", &task.waits);
    toml.text_unless_empty("done", &task.done);
    for step in &task.steps {
        toml.header("[[task.step]]");
        write_step(step, toml);
    }
    write_reward(&task.reward, toml);
}

fn write_step(step: &TaskStep, toml: &mut Toml) {
    match &step.kind {
        StepKind::Bring { object, to, count } => {
            toml.number("bring", *object);
            toml.number("to", *to);
            toml.number("count", *count);
        }
        StepKind::Kill { mob, count } => {
            toml.number("kill", *mob);
            toml.number("count", *count);
        }
        StepKind::Visit { room } => toml.number("visit", *room),
        StepKind::Ask { mob, about } => {
            toml.number("ask", *mob);
            if !about.is_empty() {
                let words: Vec<String> = about.iter().map(|word| inline_text(word)).collect();
                toml.raw("about", format_args!("[{}]", words.join(", ")));
            }
        }
        StepKind::Escort { mob, to } => {
            toml.number("escort", *mob);
            toml.number("to", *to);
        }
        StepKind::Find { object } => toml.number("find", *object),
        StepKind::Survive { zone, ticks } => {
            toml.number("survive", *zone);
            toml.number("ticks", *ticks);
        }
        StepKind::Pay { gold, to } => {
            toml.number("pay", *gold);
            toml.number("to", *to);
        }
    }
    toml.text("text", &step.text);
}

fn write_reward(reward: &TaskReward, toml: &mut Toml) {
    if *reward == TaskReward::default() {
        return;
    }
    toml.header("[task.reward]");
    for (key, amount) in [("experience", reward.experience), ("gold", reward.gold), ("practices", reward.practices)] {
        if amount != 0 {
            toml.number(key, amount);
        }
    }
    toml.numbers("objects", &reward.objects);
    for (key, text) in [("title", &reward.title), ("honour", &reward.honour)] {
        if let Some(text) = text {
            toml.text(key, text);
        }
    }
}

/// The zone whose folder a task is written to: that of its giver, else of the first thing that it is about.
pub(super) fn home(task: &TaskProto, content: &Content) -> Option<Vnum> {
    let of_step = |step: &TaskStep| match step.kind {
        StepKind::Bring { to, .. } | StepKind::Pay { to, .. } => Some(to),
        StepKind::Kill { mob, .. } | StepKind::Ask { mob, .. } | StepKind::Escort { mob, .. } => Some(mob),
        StepKind::Visit { room } => Some(room),
        StepKind::Find { object } => Some(object),
        StepKind::Survive { zone, .. } => content.zone_index(zone).map(|index| content.zones[index].first),
    };
    task.giver.or_else(|| task.steps.iter().find_map(of_step))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_a_word_that_can_be_typed() {
        for (id, right) in [
            ("rats", true),
            ("the-boat", true),
            ("7", true),
            ("", false),
            ("Rats", false),
            ("a b", false),
            ("-a", false),
        ] {
            assert_eq!(is_id(id), right, "{id:?}");
        }
    }
}
