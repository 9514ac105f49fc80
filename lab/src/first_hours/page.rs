//! A first hour as somebody would read it: what was typed and what stood on the screen, broken for a window.
//!
//! Left out is what says nothing new to a reader: prompts out of fights, and the description of a place at every visit
//! but the first. Invariant: no line is wider than the window.

use super::{AIMS, Hour};
use content::words::Class;
use server::encode::text::in_window;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A heading stands over each so many minutes.
const PART_MINUTES: u64 = 10;
/// The longest line of an exit list or a name; a paragraph is longer.
const DESCRIPTION_MIN: usize = 120;

/// The page in markdown. `made_by`: the command that makes it.
pub fn page(class: Class, hour: &Hour, columns: u16, made_by: &str) -> String {
    let mut out = format!(
        "# The first hour of a {}\n\nPlayed by a program that reads the screen and knows nothing else (`lab`, `first_hours`), with seed {} and a \
         window of {columns} columns. Prompts out of fights are left out, and what a place looks like after the first \
         visit. Made by `{made_by}`: the same command makes the same page.\n\n| what | when |\n|---|---|\n",
        class.name().to_lowercase(),
        hour.seed
    );
    for ((name, _), reached) in AIMS.iter().zip(hour.reached_s) {
        let when = reached.map_or("not in this hour".to_string(), clock);
        writeln!(out, "| {name} | {when} |").expect("a String");
    }
    writeln!(
        out,
        "| at the end | level {}, {} kills, {} deaths, {} tasks done, {} of {} rooms of its zone seen |",
        hour.level, hour.kills, hour.deaths, hour.tasks, hour.seen, hour.rooms
    )
    .expect("a String");
    let mut known = BTreeSet::new();
    let mut part = None;
    for (at_s, text) in &hour.diary {
        let begins = at_s / 60 / PART_MINUTES;
        if part != Some(begins) {
            out.push_str(if part.is_some() { "```\n" } else { "" });
            let (from, to) = (begins * PART_MINUTES, (begins + 1) * PART_MINUTES);
            writeln!(out, "\n## Minutes {from} to {to}\n\n```text").expect("a String");
            part = Some(begins);
        }
        match text.strip_prefix("> ") {
            Some(typed) => writeln!(out, "\n{} > {typed}", clock(*at_s)).expect("a String"),
            None => text.lines().filter(|line| is_told(line, &mut known)).for_each(|line| {
                writeln!(out, "{}", in_window(line, Some(columns))).expect("a String");
            }),
        }
    }
    out.push_str(if part.is_some() { "```\n" } else { "" });
    out
}

/// `12:07`: minutes and seconds.
fn clock(seconds: u64) -> String {
    format!("{}:{:02}", seconds / 60, seconds % 60)
}

fn is_told<'l>(line: &'l str, known: &mut BTreeSet<&'l str>) -> bool {
    let prompt = super::screen::condition(line).is_some_and(|condition| !condition.fighting);
    let again = line.len() >= DESCRIPTION_MIN && !line.contains('"') && !known.insert(line);
    !prompt && !again && !line.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_has_its_time_and_a_place_is_described_once() {
        let described = format!("Sand covers the yard{}.", " from wall to wall".repeat(7));
        let look = format!("The Drill Yard\n{described}\nExits: north (down)\n24H 100M 84V > ");
        let hour = Hour {
            seed: 7,
            reached_s: [Some(65), None, None, None],
            diary: vec![
                (0, look.clone()),
                (4, "> kill straw".into()),
                (4, "You hit a straw man.\n(a straw man is hurt) 20H 100M 84V > ".into()),
                (605, "> look".into()),
                (605, look),
            ],
            ..Hour::default()
        };
        let page = page(Class::Warrior, &hour, 60, "make it");
        let screen: Vec<&str> = page.split("```").collect();
        assert_eq!(screen.len(), 5, "two parts: {page}");
        assert!(screen[1].lines().all(|line| line.chars().count() <= 60), "{page}");
        for told in ["The Drill Yard\nSand covers", "\n0:04 > kill straw\nYou hit", "(a straw man is hurt) 20H"] {
            assert!(screen[1].contains(told), "{told}: {page}");
        }
        assert_eq!(screen[3], "text\n\n10:05 > look\nThe Drill Yard\nExits: north (down)\n");
        assert!(page.contains("| first purchase | 1:05 |\n| first fight won | not in this hour |"), "{page}");
    }
}
