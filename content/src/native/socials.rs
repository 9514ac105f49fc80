//! `socials.toml`: socials. A world without the file has the built-in ones.

use super::table::{File, Table, read_file};
use super::text::{Toml, rows};
use crate::draft::Draft;
use crate::source::Source;
use crate::words::Position;
use crate::{Social, Text};

const PATH: &str = "socials.toml";

/// What `data/world` has, so that every world has socials.
const BUILT_IN: &str = include_str!("../../../data/world/socials.toml");

/// Position that actor and victim need where a row does not say.
const POSITION: Position = Position::Resting;

/// Marks that a text may have behind a `$`.
const MARKS: &str = "nNeEmMsS";

pub(crate) fn read(draft: &mut Draft) {
    let source = draft.source;
    let text = source.files.get(PATH).map_or(BUILT_IN, String::as_str);
    draft.content.socials = read_file(draft, PATH, text, |file, root| {
        let mut socials: Vec<Social> = Vec::new();
        for row in file.rows(root, "social") {
            let line = row.line;
            if let Some(social) = social(file, row) {
                if socials.iter().any(|other| other.name == social.name) {
                    file.error(line, format!("there is a social {:?} already", social.name));
                } else {
                    socials.push(social);
                }
            }
        }
        socials
    });
}

/// The socials of a world that has no file of its own.
pub(crate) fn built_in() -> Vec<Social> {
    let source = Source::default();
    let mut draft = Draft::of(&source);
    read(&mut draft);
    draft.content.build_look_ups();
    draft.content.socials
}

fn social(file: &mut File, mut row: Table) -> Option<Social> {
    let name = file.needed_text(&mut row, "name");
    let social = Social {
        name,
        position: file.field(&mut row, "position").unwrap_or(POSITION),
        victim_position: file.field(&mut row, "victim_position").unwrap_or(POSITION),
        hidden: file.field(&mut row, "hidden").unwrap_or(false),
        actor: file.needed_text(&mut row, "actor"),
        room: file.text_if_any(&mut row, "room"),
        actor_victim: file.text_if_any(&mut row, "actor_victim"),
        room_victim: file.text_if_any(&mut row, "room_victim"),
        victim: file.text_if_any(&mut row, "victim"),
        not_found: file.text_if_any(&mut row, "not_found"),
        actor_self: file.text_if_any(&mut row, "actor_self"),
        room_self: file.text_if_any(&mut row, "room_self"),
    };
    let line = row.line;
    for text in texts(&social) {
        if let Some(mark) = unknown_mark(text) {
            file.warn(
                line,
                format!("social {:?} has ${mark}, which is no mark; known are $ and one of {MARKS}", social.name),
            );
        }
    }
    file.end(row);
    (!social.name.is_empty()).then_some(social)
}

fn texts(social: &Social) -> impl Iterator<Item = &Text> {
    let optional = [
        &social.room,
        &social.actor_victim,
        &social.room_victim,
        &social.victim,
        &social.not_found,
        &social.actor_self,
        &social.room_self,
    ];
    std::iter::once(&social.actor).chain(optional.into_iter().flatten())
}

/// The first character behind a `$` that is no mark; an empty text for a `$` at the end.
fn unknown_mark(text: &str) -> Option<String> {
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let mark = rest[at + 1..].chars().next();
        match mark {
            Some(mark) if MARKS.contains(mark) => rest = &rest[at + 2..],
            other => return Some(other.map(String::from).unwrap_or_default()),
        }
    }
    None
}

pub(crate) fn write(socials: &[Social]) -> String {
    let socials: Vec<&Social> = socials.iter().collect();
    rows(&socials, |social, toml: &mut Toml| {
        toml.header("[[social]]");
        toml.text("name", &social.name);
        toml.word_unless("position", social.position, POSITION);
        toml.word_unless("victim_position", social.victim_position, POSITION);
        toml.flag("hidden", social.hidden);
        toml.text("actor", &social.actor);
        let optional = [
            ("room", &social.room),
            ("actor_victim", &social.actor_victim),
            ("room_victim", &social.room_victim),
            ("victim", &social.victim),
            ("not_found", &social.not_found),
            ("actor_self", &social.actor_self),
            ("room_self", &social.room_self),
        ];
        for (key, text) in optional {
            if let Some(text) = text {
                toml.text(key, text);
            }
        }
    })
}
