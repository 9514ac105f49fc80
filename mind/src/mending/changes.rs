//! From a mended text to the verbs that make a mind so.

use super::reading::{Marks, Mended, Row, marks_of};
use super::{DECISIONS, FACTS, GOALS, MEMORY, NOTES, PATTERNS, TASK};
use crate::edit::{self, VerbRequest};
use crate::event::LogEntry;
use crate::goals::{Goal, GoalStatus, Priority};
use crate::memory::WEIGHT_DEFAULT;
use crate::page;
use crate::projects::Shelf;
use crate::state::MindState;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fmt;

/// Words that `goal` takes for something else than the beginning of a text.
const GOAL_WORDS: [&str; 14] = [
    "high", "medium", "low", "under", "edit", "move", "done", "drop", "reopen", "progress", "try", "works", "failed",
    "split",
];

/// A line of the character's. Where it is about a goal that a line before it makes, whose number nobody knows yet, that
/// stands between its two halves.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    before: String,
    about: Option<usize>,
    after: String,
    /// The how-manieth goal that is new it makes.
    pub makes: Option<usize>,
    /// What that goal says, for `fmt`.
    named: String,
}

impl Line {
    /// As it is typed, once the numbers of new goals are known, in their order. `None`: one of them is not.
    pub fn typed(&self, made: &[u64]) -> Option<String> {
        match self.about {
            None => Some(self.before.clone()),
            Some(goal) => Some(format!("{}{}{}", self.before, made.get(goal)?, self.after)),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.before)?;
        match self.about {
            None => Ok(()),
            Some(_) => write!(f, "<number of \"{}\">{}", self.named, self.after),
        }
    }
}

/// A goal: one that is there, or the how-manieth of the new ones.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Which {
    Old(u64),
    New(usize),
}

/// The lines in the making, and the mind as they leave it.
struct Trial {
    state: MindState,
    lines: Vec<Line>,
    /// Numbers that new goals have in the trial, and their texts.
    made: Vec<(u64, String)>,
    wrong: Vec<String>,
    name: String,
}

/// The lines that make of `state`, of which the text was written, what the text says now; or what cannot be done, a
/// sentence each.
pub fn changes(state: &MindState, mended: &Mended) -> Result<Vec<Line>, Vec<String>> {
    let (lines, made, wrong) = (Vec::new(), Vec::new(), Vec::new());
    let mut trial = Trial { state: state.clone(), lines, made, wrong, name: mended.name.clone() };
    let list = |heading: &str| mended.lists.get(heading).map(Vec::as_slice);
    if let Some(rows) = list(TASK) {
        trial.task(rows);
    }
    if let Some(rows) = list(GOALS) {
        trial.goals(rows);
    }
    let noted = state.notes.iter().map(|note| (note.id, note.text.clone())).collect();
    let decided = state.decisions.iter().map(|one| (one.id, told(&page::decision(one)))).collect();
    let facts = state.session.key_facts.iter().map(|fact| (fact.id, fact.text.clone())).collect();
    let patterns = state.session.learned_patterns.iter().map(|one| (one.id, one.text.clone())).collect();
    for (heading, verb, edits, there) in [
        (NOTES, "note", true, noted),
        (DECISIONS, "decide", false, decided),
        (FACTS, "fact", false, facts),
        (PATTERNS, "pattern", false, patterns),
    ] {
        if let Some(rows) = list(heading) {
            trial.list(verb, edits, there, rows);
        }
    }
    if let Some(rows) = list(MEMORY) {
        trial.memory(rows);
    }
    if trial.wrong.is_empty() { Ok(trial.lines) } else { Err(trial.wrong) }
}

/// A line of a page without its number.
fn told(line: &str) -> String {
    line.split_once(' ').map_or(String::new(), |(_, text)| text.to_string())
}

/// As a text is compared: a list in markdown shows no blanks at its ends.
fn same(a: &str, b: &str) -> bool {
    a.split_whitespace().eq(b.split_whitespace())
}

impl Trial {
    fn line(&mut self, typed: String) -> bool {
        self.push(Line { before: typed, about: None, after: String::new(), makes: None, named: String::new() })
    }

    /// `goal <what> <goal><rest>`.
    fn goal_line(&mut self, what: &str, which: Which, rest: &str, makes: Option<usize>) -> bool {
        let line = match which {
            Which::Old(id) => {
                let before = format!("goal {what} {id}{rest}");
                Line { before, about: None, after: String::new(), makes, named: String::new() }
            }
            Which::New(n) => Line {
                before: format!("goal {what} "),
                about: Some(n),
                after: rest.to_string(),
                makes,
                named: self.made[n].1.clone(),
            },
        };
        self.push(line)
    }

    /// Tries it. What is refused makes the text one that cannot be applied.
    fn push(&mut self, line: Line) -> bool {
        let made: Vec<u64> = self.made.iter().map(|(id, _)| *id).collect();
        let Some(typed) = line.typed(&made) else { return false };
        let (verb, args) = typed.split_once(' ').unwrap_or((&typed, ""));
        let first = self.state.seq + 1;
        let request =
            VerbRequest { name: &self.name, shelf: Shelf::EMPTY, ..VerbRequest::new(verb, args, first, 9, 0) };
        let reply = edit::answer(&self.state, &request);
        if reply.refused || reply.events.is_empty() {
            self.wrong.push(format!("{line}: {}", reply.text));
            return false;
        }
        for (seq, event) in (first..).zip(reply.events) {
            self.state.project(&LogEntry { seq, tick: 0, at_ms: 0, input: first, event });
        }
        self.lines.push(line);
        true
    }

    fn task(&mut self, rows: &[Row]) {
        let wanted = match rows {
            [] => None,
            [row] if row.struck => None,
            // A number in front is one of its own: tasks have none here.
            [row] => Some(row.id.map_or(row.text.clone(), |id| format!("#{id} {}", row.text))),
            _ => {
                self.wrong.push(format!("there are {} tasks, and one is the most: others are goals", rows.len()));
                return;
            }
        };
        let there = self.state.task.as_ref().map(|task| task.text.clone());
        match (there, wanted) {
            (Some(_), None) => drop(self.line("task done".to_string())),
            (None, Some(text)) => drop(self.line(format!("task {text}"))),
            (Some(before), Some(text)) if !same(&before, &text) => drop(self.line(format!("task update {text}"))),
            _ => {}
        }
    }

    /// A list of texts. Where a verb cannot change one, it is taken away and written anew.
    fn list(&mut self, verb: &str, edits: bool, there: Vec<(u64, String)>, rows: &[Row]) {
        let unknown = rows.iter().filter_map(|row| row.id).filter(|id| there.iter().all(|(known, _)| known != id));
        let unknown: Vec<String> =
            unknown.map(|id| format!("there was no {verb} #{id}; a new one has no number")).collect();
        self.wrong.extend(unknown);
        for (id, text) in &there {
            match rows.iter().find(|row| row.id == Some(*id)) {
                Some(row) if !row.struck && same(&row.text, text) => {}
                Some(row) if !row.struck && edits => drop(self.line(format!("{verb} edit {id} {}", row.text))),
                _ => drop(self.line(format!("{verb} remove {id}"))),
            }
        }
        for row in rows.iter().filter(|row| !row.struck) {
            let changed = |id: u64| there.iter().any(|(known, text)| *known == id && !same(&row.text, text));
            if row.id.is_none_or(|id| changed(id) && !edits) {
                self.line(format!("{verb} {}", row.text));
            }
        }
    }

    fn memory(&mut self, rows: &[Row]) {
        let mut wanted: BTreeMap<String, (Value, f64)> = BTreeMap::new();
        for row in rows {
            match value_of(&row.text) {
                Some((path, value, weight)) => drop(wanted.insert(path, (value, weight))),
                None => self.wrong.push(format!("\"{}\" is no line of memory: <path> = <value>", row.text)),
            }
        }
        let memory = self.state.memory.clone();
        let there: BTreeMap<String, &Value> = memory.leaves().into_iter().collect();
        for path in there.keys().filter(|path| !wanted.contains_key(*path)) {
            self.line(format!("forget {path}"));
        }
        for (path, (value, weight)) in wanted {
            let before = memory.weight(&path);
            match there.get(&path) {
                Some(same) if **same == value && before == weight => {}
                Some(same) if **same == value => drop(self.line(format!("remember {path} weight = {weight}"))),
                _ if weight == before => drop(self.line(format!("remember {path} = {value}"))),
                _ => drop(self.line(format!("remember {path} = {{\"v\": {value}, \"w\": {weight}}}"))),
            }
        }
    }

    fn goals(&mut self, rows: &[Row]) {
        let before = self.state.goals.clone();
        for id in rows.iter().filter_map(|row| row.id).filter(|id| before.get(*id).is_none()) {
            self.wrong.push(format!("there was no goal #{id}; a new one has no number"));
        }
        if !self.wrong.is_empty() {
            return;
        }
        // Each with what it is, and what it is under.
        let (mut wanted, mut above) = (Vec::new(), Vec::<Which>::new());
        for row in rows {
            let (text, marks) = marks_of(&row.text).unwrap_or((&row.text, Marks::default()));
            above.truncate(row.depth);
            let parent = above.last().copied();
            let which = match row.id {
                Some(id) => Which::Old(id),
                None => match self.add_goal(parent, text, marks.priority) {
                    Some(new) => new,
                    None => return,
                },
            };
            above.push(which);
            wanted.push((which, parent, text, marks, row.struck));
        }
        for (which, parent, text, marks, _) in &wanted {
            let Some(goal) = self.goal(*which) else { continue };
            if !same(&goal.text, text) {
                self.goal_line("edit", *which, &format!(" {text}"), None);
            }
            if goal.priority != marks.priority {
                self.goal_line("edit", *which, &format!(" {}", marks.priority.name()), None);
            }
            if goal.parent != parent.map(|parent| self.number(parent)) {
                match parent {
                    None => drop(self.goal_line("move", *which, " top", None)),
                    Some(parent) => self.move_under(*which, *parent),
                }
            }
        }
        self.drop_goals(&before.in_order().into_iter().map(|(_, goal)| goal.clone()).collect::<Vec<_>>(), rows);
        // What is above follows from what is below.
        for (which, _, _, marks, struck) in wanted.iter().rev() {
            let before = match which {
                Which::Old(id) => before.get(*id).map_or(GoalStatus::Active, |goal| goal.status),
                Which::New(_) => GoalStatus::Active,
            };
            self.stand(*which, *marks, *struck, before);
        }
        self.order(&wanted.iter().map(|(which, parent, ..)| (*which, *parent)).collect::<Vec<_>>());
    }

    fn number(&self, which: Which) -> u64 {
        match which {
            Which::Old(id) => id,
            Which::New(n) => self.made[n].0,
        }
    }

    fn goal(&self, which: Which) -> Option<Goal> {
        self.state.goals.get(self.number(which)).cloned()
    }

    fn add_goal(&mut self, parent: Option<Which>, text: &str, priority: Priority) -> Option<Which> {
        let new = self.made.len();
        let first = text.split_whitespace().next().unwrap_or_default();
        let is_word = GOAL_WORDS.iter().any(|word| first.eq_ignore_ascii_case(word));
        let words = match priority {
            Priority::Medium if !is_word => text.to_string(),
            priority => format!("{} {text}", priority.name()),
        };
        // It has its number before it is tried, so that it can be told.
        self.made.push((self.state.seq + 1, text.to_string()));
        let done = match parent {
            Some(parent) => self.goal_line("under", parent, &format!(" {words}"), Some(new)),
            None => {
                let before = format!("goal {words}");
                self.push(Line { before, about: None, after: String::new(), makes: Some(new), named: String::new() })
            }
        };
        done.then_some(Which::New(new))
    }

    /// Two numbers stand in this line, so one of them has to be known.
    fn move_under(&mut self, which: Which, parent: Which) {
        match (which, parent) {
            (Which::Old(id), Which::New(_)) => drop(self.goal_line(&format!("move {id} under"), parent, "", None)),
            (which, Which::Old(parent)) => drop(self.goal_line("move", which, &format!(" under {parent}"), None)),
            // A new goal was made under its parent.
            (Which::New(_), Which::New(_)) => {}
        }
    }

    /// What is gone from the list: an open goal is given up, with what is under it; one that is closed leaves the list.
    fn drop_goals(&mut self, before: &[Goal], rows: &[Row]) {
        let gone = |id: u64| rows.iter().all(|row| row.id != Some(id));
        for goal in before.iter().filter(|goal| gone(goal.id)) {
            let Some(now) = self.state.goals.get(goal.id).cloned() else { continue };
            if goal.is_open() {
                if now.is_open() {
                    self.goal_line("drop", Which::Old(goal.id), "", None);
                }
            } else if !now.children.is_empty() {
                self.wrong.push(format!("goal #{} is closed and has others under it: leave its line", goal.id));
            } else {
                self.line(format!("step remove {}", goal.id));
            }
        }
    }

    /// Open, done or given up, and how far; `before`: what it was in the text as it was written. What follows from
    /// others by then is as it should be.
    fn stand(&mut self, which: Which, marks: Marks, struck: bool, before: GoalStatus) {
        let Some(goal) = self.goal(which) else { return };
        let wanted = match (struck, marks.given_up) {
            (true, _) => GoalStatus::Completed,
            (_, true) => GoalStatus::Abandoned,
            _ => GoalStatus::Active,
        };
        if wanted != before && wanted != goal.status {
            if wanted == GoalStatus::Active || goal.status == GoalStatus::Abandoned {
                self.goal_line("reopen", which, "", None);
            }
            match wanted {
                GoalStatus::Completed => drop(self.goal_line("done", which, "", None)),
                GoalStatus::Abandoned => drop(self.goal_line("drop", which, "", None)),
                GoalStatus::Active => {}
            }
        }
        let percent = marks.percent.unwrap_or(0);
        let follows = self.state.goals.under(Some(goal.id)).any(|child| child.status != GoalStatus::Abandoned);
        if wanted == GoalStatus::Active && goal.is_open() && !follows && percent != goal.progress {
            self.goal_line("progress", which, &format!(" {percent}"), None);
        }
    }

    /// Siblings in the order of the text; those that it does not show stay where they are.
    fn order(&mut self, wanted: &[(Which, Option<Which>)]) {
        let mut last: BTreeMap<Option<u64>, Which> = BTreeMap::new();
        for (which, parent) in wanted {
            let parent = parent.map(|parent| self.number(parent));
            let place = |trial: &Trial, which: Which| {
                let id = trial.number(which);
                trial.state.goals.under(parent).position(|goal| goal.id == id)
            };
            if let Some(before) = last.insert(parent, *which)
                && let (Some(before), Some(here)) = (place(self, before), place(self, *which))
                && here < before
            {
                // Taken out before the other, so that one moves up.
                self.goal_line("move", *which, &format!(" {}", before + 1), None);
            }
        }
    }
}

/// `people.Bob.trust = 0.8 (weight 0.9)`.
fn value_of(line: &str) -> Option<(String, Value, f64)> {
    let (path, rest) = line.split_once('=')?;
    let (path, rest) = (path.trim(), rest.trim());
    let weighted = rest.strip_suffix(')').and_then(|rest| rest.rsplit_once("(weight "));
    let (value, weight) = match weighted.and_then(|(value, weight)| Some((value.trim(), weight.trim().parse().ok()?))) {
        Some((value, weight)) => (value, weight),
        None => (rest, WEIGHT_DEFAULT),
    };
    let value = serde_json::from_str(value).unwrap_or_else(|_| Value::String(value.to_string()));
    (!path.is_empty()).then(|| (path.to_string(), value, weight))
}
