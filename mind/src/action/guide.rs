//! What `help mind`, `help actions` and `docs/ACTIONS.md` say of the workspace: when to use what, which memory is
//! which, and what each operation of the documents is called. Source of the two tables: *When to Use What* of the
//! document on self-management.

use super::table::{Field, Kind, ROWS, Row};
use std::fmt::Write;

/// What is at hand, what to use for it, why, and the line with which it begins.
pub const WHEN: &[(&str, &str, &str, &str)] = &[
    ("Work of many days, or work that others may interrupt", "project", "all that belongs to it waits", "project new"),
    ("An outcome that has parts, or that can be half done", "goal", "how far it is follows from its parts", "goal"),
    ("Something that is so: of the world, of people", "fact", "kept for all projects", "fact"),
    ("Something that is usually so", "pattern", "kept for all projects", "pattern"),
    ("A small errand, done at once", "nothing", "keeping it would cost more than doing it", ""),
];

/// A kind of memory, how long it lasts, and what it is for.
pub const MEMORIES: &[(&str, &str, &str)] = &[
    ("task, goals, notes, decisions, blockers", "as long as their project", "what you are at"),
    ("facts and patterns", "for good", "the world and others, never yourself"),
    ("remember", "for good, by weight", "people, places, and what you are and feel"),
    ("journal", "for good; the newest ten are shown", "what happened to you, and how you know it"),
    ("recall", "fades like any memory", "what the world saw you do; nobody writes it"),
    ("the transcript", "until it is folded", "what is being said and done now"),
];

/// Columns of a page of help.
const WIDTH: usize = 76;

/// The rows of the mind, in the order of the table.
pub fn rows() -> impl Iterator<Item = &'static Row> {
    ROWS.iter().filter(|row| row.mind)
}

/// A row's line as one types it: `goal [under <id>] [high|medium|low] <text>`.
pub fn typed(row: &Row) -> String {
    let mut text = String::new();
    let mut rest = row.line;
    while let Some(start) = rest.find(['{', '[', ']', '}']) {
        text.push_str(&rest[..start]);
        let mark = &rest[start..=start];
        rest = &rest[start + 1..];
        match mark {
            "[" => {
                // The blank before it belongs outside of the brackets.
                let inside = rest.trim_start();
                text.push_str(if inside.len() < rest.len() { " [" } else { "[" });
                rest = inside;
            }
            "{" => {
                let (name, after) = rest.split_once('}').unwrap_or((rest, ""));
                text.push_str(&placeholder(row, name));
                rest = after;
            }
            other => text.push_str(other),
        }
    }
    text.push_str(rest);
    text
}

fn placeholder(row: &Row, name: &str) -> String {
    let field = row.fields.iter().find(|field| field.name == name);
    match field.map(|field: &Field| field.kind) {
        Some(Kind::Choice(words)) => {
            let mut all: Vec<&str> = Vec::new();
            words.iter().for_each(|(_, word)| all.extend((!all.contains(word)).then_some(*word)));
            all.join("|")
        }
        Some(Kind::Parts) => "<a> | <b> | <c>".to_string(),
        _ => format!("<{}>", name.replace('_', " ")),
    }
}

/// The names by which the documents and other programs know an action.
pub fn names(row: &Row) -> Vec<&'static str> {
    std::iter::once(row.name).chain(row.also.iter().copied()).collect()
}

/// What `help mind` shows beside its introduction.
pub fn help_page() -> String {
    let mut page = String::from("\nWhen to use what:\n");
    for (situation, what, why, _) in WHEN {
        writeln!(page, "  {what:<9} {}", folded(&format!("{situation}; {why}."), 12)).expect("a String");
    }
    page.push_str("\nWhich memory is which:\n");
    for (memory, lasts, purpose) in MEMORIES {
        writeln!(page, "  {}", folded(&format!("{memory}: {purpose} ({lasts})."), 4)).expect("a String");
    }
    page
}

/// What `help actions` shows beside its introduction: the names of programs.
pub fn actions_page() -> String {
    let mut page = String::new();
    for row in rows() {
        // The document's name, where it has one.
        let name = row.also.first().copied().unwrap_or(row.name);
        writeln!(page, "  {name:<22} {}", folded(&typed(row), 25)).expect("a String");
    }
    page
}

/// Lines of at most `WIDTH` columns; those after the first begin in this column.
fn folded(text: &str, column: usize) -> String {
    let mut lines = String::new();
    let mut width = column;
    for word in text.split(' ') {
        if width > column && width + 1 + word.chars().count() > WIDTH {
            lines.push('\n');
            lines.push_str(&" ".repeat(column));
            width = column;
        } else if width > column {
            lines.push(' ');
            width += 1;
        }
        lines.push_str(word);
        width += word.chars().count();
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_fits_the_screen_and_shows_lines_as_they_are_typed() {
        let page = actions_page();
        for line in help_page().lines().chain(page.lines()) {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
        let line_of = |name: &str| typed(ROWS.iter().find(|row| row.name == name).expect("a row"));
        assert_eq!(line_of("goal"), "goal [under <under>] [high|medium|low] <text>");
        assert_eq!(line_of("project_swap"), "project swap <key>[: <so far>]");
        assert_eq!(line_of("split"), "goal split <id>: <a> | <b> | <c>");
        assert_eq!(line_of("note_remove"), "note remove <id>");
        assert!(page.contains("swap_project") && page.contains("steps.list"), "{page}");
    }
}
