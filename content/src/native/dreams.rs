//! `dreams.toml`: what sleepers dream. A world without the file has no dreams.

use super::numbers::LEVEL;
use super::table::{File, Table, read_file};
use super::text::Toml;
use crate::draft::Draft;
use crate::{Content, Dream};

pub(crate) const PATH: &str = "dreams.toml";
/// Characters of a dream.
const TEXT_MAX: usize = 400;
const LEVELS_ALL: (i32, i32) = (1, i32::MAX);

pub(crate) fn read(draft: &mut Draft) {
    let source = draft.source;
    if let Some(text) = source.files.get(PATH) {
        read_file(draft, PATH, text, |file, root| {
            for row in file.rows(root, "dream") {
                dream(file, row);
            }
        });
    }
}

fn dream(file: &mut File, mut row: Table) {
    let line = row.line;
    let kind = file.text(&mut row, "kind");
    if !matches!(&*kind, "" | "nightmare") {
        file.error(line, format!("kind is {kind:?}; a dream has none, or is a \"nightmare\""));
    }
    let levels = file.range(&mut row, "levels", LEVEL).unwrap_or(LEVELS_ALL);
    let to = file.field(&mut row, "to");
    let text = file.needed_text(&mut row, "text");
    if text.chars().count() > TEXT_MAX {
        file.error(line, format!("text is longer than {TEXT_MAX} characters"));
    }
    let place = file.place(line);
    file.draft.origins.dreams.push(place);
    file.draft.content.dreams.push(Dream { nightmare: &*kind == "nightmare", levels, to, text });
    file.end(row);
}

pub(super) fn write(content: &Content) -> String {
    let mut toml = Toml::default();
    for dream in &content.dreams {
        toml.header("[[dream]]");
        if dream.nightmare {
            toml.raw("kind", "\"nightmare\"");
        }
        if dream.levels != LEVELS_ALL {
            toml.numbers("levels", &[dream.levels.0, dream.levels.1]);
        }
        toml.number_if_any("to", dream.to);
        toml.text("text", &dream.text);
    }
    toml.finish()
}
