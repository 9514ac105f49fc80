//! `plots.toml`: plots of a zone; and the book of kinds and tasks (`data/rules/plots.toml`), the same in every world.

use super::table::{File, Table, read_file};
use super::text::Toml;
use crate::draft::Draft;
use crate::plots::{PlotProto, StandingProto};
use crate::{Text, Vnum};
use plot::{
    Cell, Constraint, FULL, Kind, Kinds, LABEL_MAX, Measure, Purpose, REASON_MAX, Rule, TITLE_MAX, Task, Which,
    checked, is_path,
};

const BOOK: &str = include_str!("../../../data/rules/plots.toml");
const PATH: &str = "rules/plots.toml";

/// Reads the book, before anything of the world.
pub(crate) fn read_book(draft: &mut Draft) {
    let book = draft.source.book.get("plots.toml").map_or(BOOK, String::as_str);
    read_file(draft, PATH, book, read_book_rows);
}

fn read_book_rows(file: &mut File, root: &mut Table) {
    let mut kinds: Vec<Kind> = Vec::new();
    for mut row in file.rows(root, "kind") {
        let line = row.line;
        if let Some(kind) = kind(file, &mut row) {
            if let Some(other) = kinds.iter().find(|other| other.name == kind.name || other.glyph == kind.glyph) {
                let what = format!("kind {:?} has the name or the glyph of kind {:?}", &*kind.name, &*other.name);
                file.error(line, what);
            } else {
                kinds.push(kind);
            }
        }
        file.end(row);
    }
    let kinds = Kinds::new(kinds);
    let mut tasks: Vec<Task> = Vec::new();
    for mut row in file.rows(root, "task") {
        let line = row.line;
        let (name, title) = (file.needed_text(&mut row, "name"), phrase(file, &mut row, "title", TITLE_MAX));
        let constraints: Vec<Constraint> =
            file.rows(&mut row, "constraint").into_iter().filter_map(|row| constraint(file, row, &kinds)).collect();
        file.end(row);
        let points: u32 = constraints.iter().map(|constraint| u32::from(constraint.points)).sum();
        if points != FULL {
            file.error(line, format!("the points of task {:?} are {points} together, and should be {FULL}", &*name));
        }
        if tasks.iter().any(|task| task.name == name) {
            file.error(line, format!("there is a task {:?} already", &*name));
            continue;
        }
        tasks.push(Task { name, title, constraints });
    }
    file.draft.content.plot_kinds = kinds;
    file.draft.content.plot_tasks = tasks;
}

fn is_kind_name(name: &str) -> bool {
    (1..=20).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-')
}

/// Everything that is wrong with a row is said, not only the first.
fn kind(file: &mut File, row: &mut Table) -> Option<Kind> {
    let line = row.line;
    let name = file.needed_text(row, "name");
    let class = file.needed_text(row, "type");
    let glyph = file.needed_text(row, "glyph");
    let icon = file.needed_text(row, "icon");
    let purpose: Option<Purpose> = file.needed(row, "purpose");
    let tint = file.needed_text(row, "tint");
    let shape = file.needed_text(row, "shape");
    let mut wrong = Vec::new();
    if !is_kind_name(&name) {
        wrong.push(format!("name: {:?} should be lower-case letters and hyphens, 20 at most", &*name));
    }
    if class.is_empty() || !class.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_') {
        wrong.push(format!("type: {:?} should be a word in capitals", &*class));
    }
    let mut glyphs = glyph.chars();
    let sign = glyphs.next().filter(|sign| sign.is_ascii_graphic() && !".?".contains(*sign));
    if sign.is_none() || glyphs.next().is_some() {
        wrong
            .push(format!("glyph: {:?} should be one ASCII character, and neither a dot nor a question mark", &*glyph));
    }
    if checked(&icon, "icon", 8).is_err() {
        wrong.push(format!("icon: {:?} should be one picture", &*icon));
    }
    let digits = tint.strip_prefix('#').unwrap_or_default();
    if digits.len() != 6 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        wrong.push(format!("tint: {:?} should be a colour as #rrggbb", &*tint));
    }
    if !is_path(&shape) {
        wrong.push("shape: should be an SVG path in one line: an M, then commands and numbers".to_owned());
    }
    let right = wrong.is_empty();
    for what in wrong {
        file.error(line, what);
    }
    let glyph = sign.filter(|_| right)?;
    Some(Kind { name, class, glyph, icon, purpose: purpose?, tint, shape })
}

/// The words that measure; a constraint has one of them.
const MEASURES: [&str; 8] = ["count", "variety", "beside", "apart", "joined", "across", "mirrored", "within"];

fn constraint(file: &mut File, mut row: Table, kinds: &Kinds) -> Option<Constraint> {
    let line = row.line;
    let text = phrase(file, &mut row, "text", REASON_MAX);
    let points: u16 = file.needed(&mut row, "points").unwrap_or_default();
    let words: Vec<&str> = MEASURES.into_iter().filter(|word| row.has(word)).collect();
    let [word] = words[..] else {
        file.error(line, format!("constraint should have one of these, and only one: {}", MEASURES.join(", ")));
        return None;
    };
    let measure = measure(file, &mut row, word);
    // Whatever is wrong with the measure: what is not read is told.
    file.end(row);
    let measure = measure?;
    for which in measure.which() {
        for word in which.unknown(kinds) {
            file.error(line, format!("{:?} is neither a kind nor a type, nor heart, head or any", &**word));
        }
    }
    Some(Constraint { text, points, measure })
}

fn measure(file: &mut File, row: &mut Table, word: &str) -> Option<Measure> {
    let line = row.line;
    let of = which(file, row, word);
    let least = |file: &mut File, row: &mut Table| -> u8 {
        let least = file.needed(row, "least").unwrap_or_default();
        if !(1..=81).contains(&least) {
            file.error(line, "least should be from 1 to 81");
        }
        least
    };
    Some(match word {
        "count" => {
            let most = file.field(row, "most").unwrap_or(81);
            let least = least(file, row);
            if most < least {
                file.error(line, format!("most is {most}, and should not be less than least, which is {least}"));
            }
            Measure::Count { of, least, most }
        }
        "variety" => Measure::Variety { of, least: least(file, row) },
        "beside" => Measure::Beside { of, to: which(file, row, "to"), least: least(file, row) },
        "apart" => Measure::Apart { of, to: which(file, row, "to"), least: least(file, row) },
        "joined" => Measure::Joined { of, least: least(file, row) },
        "across" => Measure::Across { of },
        "mirrored" => Measure::Mirrored { of, least: least(file, row) },
        _ => {
            let (cells, least): (Option<(Cell, Cell)>, u8) = (file.needed(row, "cells"), least(file, row));
            let (from, to) = cells?;
            if from.row() > to.row() || from.col() > to.col() {
                file.error(line, format!("cells: nothing lies between {from} and {to}; name the corner above first"));
            }
            Measure::Within { of, from, to, least }
        }
    })
}

/// Words that stand within sentences of the game, which go on after them: without a full stop of their own.
fn phrase(file: &mut File, row: &mut Table, key: &'static str, max: usize) -> Text {
    let (line, is_there) = (file.place_of_field(row, key).line, row.has(key));
    let text = file.needed_text(row, key);
    if !is_there {
        return text;
    }
    if let Err(wrong) = checked(&text, key, max) {
        file.error(line, wrong.to_string());
    } else if text.trim_end().ends_with('.') {
        file.error(line, format!("{key}: {:?} should end without a full stop", &*text));
    }
    text
}

fn which(file: &mut File, row: &mut Table, key: &str) -> Which {
    Which(file.needed::<Vec<Text>>(row, key).unwrap_or_default())
}

pub(super) fn read(file: &mut File, root: &mut Table, _zone: i32) {
    for mut row in file.rows(root, "plot") {
        let line = row.line;
        let title = phrase(file, &mut row, "title", TITLE_MAX);
        let about = file.paragraphs(&mut row, "about");
        let rule = file.text_if_any(&mut row, "rule");
        let known = rule.as_ref().map(|word| Rule::parse(word));
        if known == Some(None) {
            let words = Rule::ALL.map(Rule::word).join(", ");
            file.error(line, format!("rule: {:?} should be one of {words}", rule.as_deref().unwrap_or_default()));
        }
        let task = file.text(&mut row, "task");
        let rows = file.rows(&mut row, "element");
        let elements = rows.into_iter().filter_map(|row| standing(file, row)).collect();
        if let Some(room) = file.needed::<Vnum>(&mut row, "room") {
            let place = file.place(line);
            file.draft.origins.plots.push((room, place));
            let rule = known.flatten().unwrap_or_default();
            file.draft.content.plots.push(PlotProto { room, title, about, rule, task, elements });
        }
        file.end(row);
    }
}

fn standing(file: &mut File, mut row: Table) -> Option<StandingProto> {
    let line = row.line;
    let kind = file.needed_text(&mut row, "kind");
    let label = file.text(&mut row, "label");
    if let Some(wrong) = (!label.is_empty()).then(|| checked(&label, "label", LABEL_MAX).err()).flatten() {
        file.error(line, wrong.to_string());
    }
    let at: Option<[i64; 2]> = file.needed(&mut row, "at");
    file.end(row);
    let [row, col] = at?;
    match Cell::parse(&format!("{row},{col}")) {
        Ok(at) => Some(StandingProto { kind, at, label }),
        Err(wrong) => {
            file.error(line, format!("at: {wrong}"));
            None
        }
    }
}

pub(super) fn write(plot: &PlotProto, toml: &mut Toml) {
    toml.header("[[plot]]");
    toml.number("room", plot.room);
    toml.text("title", &plot.title);
    toml.paragraphs_unless_empty("about", &plot.about);
    if plot.rule != Rule::default() {
        toml.text("rule", plot.rule.word());
    }
    toml.text_unless_empty("task", &plot.task);
    for element in &plot.elements {
        toml.header("[[plot.element]]");
        toml.text("kind", &element.kind);
        let [row, col]: [u8; 2] = element.at.into();
        toml.raw("at", format_args!("[{row}, {col}]"));
        toml.text_unless_empty("label", &element.label);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::problem::Problems;
    use crate::source::Source;

    fn book(text: &str) -> Problems {
        let source = Source::default();
        let mut draft = Draft::of(&source);
        read_file(&mut draft, PATH, text, read_book_rows);
        draft.problems
    }

    #[test]
    fn the_book_has_kinds_enough_and_tasks_of_a_thousand_points() {
        let source = Source::default();
        let mut draft = Draft::of(&source);
        read_book(&mut draft);
        assert_eq!(draft.problems, Problems::default());
        assert!(draft.content.plot_kinds.iter().count() >= 24);
        let tasks: Vec<&str> = draft.content.plot_tasks.iter().map(|task| &*task.name).collect();
        assert_eq!(tasks, ["village", "causeway", "garden"]);
        let hearts = draft.content.plot_kinds.iter().filter(|kind| kind.purpose == Purpose::Heart).count();
        assert!(hearts >= 10 && draft.content.plot_kinds.iter().count() - hearts >= 10, "both sides can be built");
    }

    #[test]
    fn all_that_is_wrong_with_the_book_is_told_at_once_with_its_line() {
        let wrong = book(
            "[[kind]]\nname = \"House\"\ntype = \"building\"\nglyph = \"?\"\nicon = \"x\"\npurpose = \"heart\"\n\
             tint = \"red\"\nshape = \"<script>\"\n\n\
             [[kind]]\nname = \"a\"\ntype = \"A\"\nglyph = \"a\"\nicon = \"a\"\npurpose = \"both\"\n\
             tint = \"#123456\"\nshape = \"M1 1z\"\n\n\
             [[task]]\nname = \"t\"\ntitle = \"T\"\n\n[[task.constraint]]\ntext = \"x\"\npoints = 10\n\
             count = [\"castle\"]\nleast = 0\n\n[[task.constraint]]\ntext = \"y\"\npoints = 10\n",
        );
        let told: Vec<String> = wrong.0.iter().map(ToString::to_string).collect();
        for part in [
            ":1: error: name: \"House\"",
            ":1: error: type: \"building\"",
            ":1: error: glyph: \"?\"",
            ":1: error: tint: \"red\"",
            ":1: error: shape:",
            ":15: error: purpose: \"both\" is not known; known are heart, head",
            ":19: error: the points of task \"t\" are 10 together",
            ":23: error: least should be",
            ":23: error: \"castle\" is neither",
            ":29: error: constraint should have one of these",
        ] {
            assert!(told.iter().any(|line| line.contains(part)), "{part} is not in {told:#?}");
        }
    }

    #[test]
    fn bounds_that_nothing_can_keep_are_told_and_so_is_what_is_not_read() {
        let wrong = book(
            "[[task]]\nname = \"t\"\ntitle = \"A task.\"\n\n\
             [[task.constraint]]\ntext = \"so many. \"\npoints = 400\ncount = [\"any\"]\nleast = 4\nmost = 3\n\n\
             [[task.constraint]]\ntext = \"inside\"\npoints = 300\nwithin = [\"any\"]\nleast = 1\n\
             cells = [[5, 3], [3, 5]]\n\n\
             [[task.constraint]]\ntext = \"in\u{202e}side\"\npoints = 300\nwithin = [\"any\"]\nleast = 1\nmots = 2\n",
        );
        let told: Vec<String> = wrong.0.iter().map(ToString::to_string).collect();
        for part in [
            ":3: error: title: \"A task.\" should end without a full stop",
            ":6: error: text: \"so many. \" should end without a full stop",
            ":5: error: most is 3, and should not be less than least, which is 4",
            ":12: error: cells: nothing lies between 5,3 and 3,5",
            ":20: error: That text has characters",
            ":19: error: constraint without cells",
            ":24: warning: unknown field \"mots\" in constraint",
        ] {
            assert!(told.iter().any(|line| line.contains(part)), "{part} is not in {told:#?}");
        }
    }
}
