//! `scripts/<name>.luau` in a zone's folder, and the rows that name one.

use super::table::{File, Table};
use crate::Text;
use crate::draft::Draft;
use crate::scripts::{SCRIPTS_MAX, ScriptSource, faults, is_script_name, script_name};

/// The names that a row has under `scripts`.
pub(super) fn of_row(file: &mut File, row: &mut Table) -> Vec<Text> {
    let mut names: Vec<Text> = file.field(row, "scripts").unwrap_or_default();
    if names.len() > SCRIPTS_MAX {
        file.error(row.line, format!("at most {SCRIPTS_MAX} scripts can be named"));
        names.truncate(SCRIPTS_MAX);
    }
    for (at, name) in names.iter().enumerate() {
        if names[..at].contains(name) {
            file.error(row.line, format!("the script {name} is named twice"));
        }
    }
    names.shrink_to_fit();
    names
}

/// Reads the scripts in the folder of the zone with that number.
pub(super) fn read_folder(draft: &mut Draft, folder: &str, zone: i32) {
    let source = draft.source;
    let below = format!("zones/{folder}/scripts/");
    for path in source.below(&below) {
        let Some(name) = path[below.len()..].strip_suffix(".luau") else { continue };
        if !is_script_name(name) {
            let what = "a script is called by 1 to 40 small letters, digits and _, and lies in no folder of its own";
            draft.problems.error(path, 0, what);
            continue;
        }
        let text = &source.files[path];
        let wrong = faults(text);
        if !wrong.is_empty() {
            wrong.into_iter().for_each(|(line, what)| draft.problems.error(path, line, what));
            draft.content.broken_scripts.push(script_name(zone, name));
            continue;
        }
        let script = ScriptSource::new(zone, name, text);
        let place = crate::origins::Place { file: draft.origins.file(path), line: 0 };
        draft.origins.scripts.push((script.name.clone(), place));
        draft.content.scripts.push(script);
    }
}
