//! Who told whom, for people: a tree by whom it came from, what was said, and how many had it when.

use super::answer::{Answer, CarrierRow};
use super::watch::How;
use protocol::names::clean_text;
use std::collections::BTreeMap;
use std::fmt::Write;

/// Sayings, and ticks of the curve, that are listed; JSON has all.
const LISTED: usize = 40;
/// Characters of the longest bar.
const BAR: usize = 40;

/// The page. `subject`: what was followed, as it is called.
pub fn of(subject: &str, answer: &Answer) -> String {
    let subject = clean_text(subject);
    let Answer { from_tick, to_tick, population, carriers, .. } = answer;
    let span = format!("between tick {from_tick} and tick {to_tick}");
    if carriers.is_empty() && answer.uttered.is_empty() {
        return format!("Nobody said {subject} or was shown it {span}, of {}.", players(*population));
    }
    // Writing to a String cannot fail, here and below.
    let mut out = format!("{subject}: {} of {} had it {span}.\n", carriers.len(), players(*population));
    tree(&mut out, answer);
    uttered(&mut out, answer);
    curve(&mut out, answer);
    reproduction(&mut out, answer);
    out.trim_end().to_string()
}

fn players(count: usize) -> String {
    if count == 1 { "1 player".to_string() } else { format!("{count} players") }
}

/// Each behind whom it came from, a step to the right.
fn tree(out: &mut String, answer: &Answer) {
    let mut by_origin: BTreeMap<Option<&str>, Vec<&CarrierRow>> = BTreeMap::new();
    for row in &answer.carriers {
        by_origin.entry(row.from.as_deref()).or_default().push(row);
    }
    let is_carrier = |name: &str| answer.carriers.iter().any(|row| row.name == name);
    out.push('\n');
    for row in by_origin.get(&None).into_iter().flatten() {
        branch(out, answer, row, &by_origin, 0);
    }
    // Mobs, and who left before the watch began.
    for (origin, rows) in &by_origin {
        let Some(origin) = origin.filter(|origin| !is_carrier(origin)) else { continue };
        let _ = writeln!(out, "{}", clean_text(origin));
        for row in rows {
            branch(out, answer, row, &by_origin, 1);
        }
    }
}

fn branch(
    out: &mut String,
    answer: &Answer,
    row: &CarrierRow,
    by_origin: &BTreeMap<Option<&str>, Vec<&CarrierRow>>,
    step: usize,
) {
    let name = clean_text(&row.name);
    let via = row.via.as_ref().map_or(String::new(), |via| format!(" ({})", clean_text(via)));
    let by = row.from.as_ref().map_or(String::new(), |from| format!(" from {}", clean_text(from)));
    let deed = match row.how {
        How::Source if row.before => "had it before".to_string(),
        How::Source if answer.invented.contains(&row.name) => format!("said it unprompted{via}"),
        How::Source => format!("was the first{via}"),
        How::Heard => format!("heard it{by}{via}"),
        How::Read => format!("read it{by}{via}"),
        How::Saw => format!("saw it{by}{via}"),
    };
    let remembers = match (row.remembers, row.used) {
        (Some(true), Some(used)) if used > 0 => {
            format!("; remembers it, and decided {used} {} with it", if used == 1 { "command" } else { "commands" })
        }
        (Some(true), _) => "; remembers it".to_string(),
        (Some(false), _) => "; does not remember it".to_string(),
        (None, _) => String::new(),
    };
    let _ = writeln!(out, "{:indent$}{name}: {deed}, tick {}{remembers}", "", row.tick, indent = 2 * step);
    for next in by_origin.get(&Some(row.name.as_str())).into_iter().flatten() {
        branch(out, answer, next, by_origin, step + 1);
    }
}

fn uttered(out: &mut String, answer: &Answer) {
    if answer.uttered.is_empty() {
        return;
    }
    let _ = writeln!(out, "\nSaid or written {}:", times(answer.uttered.len()));
    for row in answer.uttered.iter().take(LISTED) {
        let to = row.to.as_ref().map_or(String::new(), |to| format!(" to {}", clean_text(to)));
        let (name, via, text) = (clean_text(&row.name), clean_text(&row.via), clean_text(&row.text));
        let _ = writeln!(out, "  tick {:>5}  {name}{to} ({via}): {text}", row.tick);
    }
    more(out, answer.uttered.len());
}

fn times(count: usize) -> String {
    match count {
        1 => "once".to_string(),
        2 => "twice".to_string(),
        count => format!("{count} times"),
    }
}

fn curve(out: &mut String, answer: &Answer) {
    let Some(last) = answer.curve.last() else { return };
    out.push_str("\nHow many had it:\n");
    for point in answer.curve.iter().take(LISTED) {
        let bar = (point.carriers * BAR).div_ceil(last.carriers.max(BAR));
        let _ = writeln!(out, "  tick {:>5} {:>5}  {}", point.tick, point.carriers, "#".repeat(bar));
    }
    more(out, answer.curve.len());
}

fn more(out: &mut String, count: usize) {
    if count > LISTED {
        let _ = writeln!(out, "  and {} more, which --json has", count - LISTED);
    }
}

fn reproduction(out: &mut String, answer: &Answer) {
    let Some(mean) = answer.reproduction.mean else { return };
    let by_depth: Vec<String> =
        answer.reproduction.by_depth.iter().map(|row| format!("{:.2} at step {}", row.mean, row.depth)).collect();
    let _ = writeln!(
        out,
        "\nEach of them was the first to show it to {mean:.2} others on average: {}.",
        by_depth.join(", ")
    );
}
