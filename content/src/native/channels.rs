//! `channels.toml`: verbs that carry words beyond the room. A world without the file has the built-in ones.

use super::numbers::LEVEL;
use super::table::{File, Table, read_file};
use super::text::{Toml, rows};
use crate::draft::Draft;
use crate::source::Source;
use crate::words::{ChannelEvent, ChannelRange, Colour, Position};
use crate::{Channel, Text};

pub(crate) const PATH: &str = "channels.toml";

/// What `data/world` has, so that every world has channels.
const BUILT_IN: &str = include_str!("../../../data/world/channels.toml");

const POSITION: Position = Position::Sleeping;
const EVENT: ChannelEvent = ChannelEvent::Channel;
const COLOUR: Colour = Colour::Yellow;
const RANGE: ChannelRange = ChannelRange::World;
/// Words a minute, where the row does not say them, and what it may say.
const WPM: u32 = 80;
const WPM_RANGE: std::ops::RangeInclusive<u32> = 10..=200;
/// What numbers there are for channels of the content.
const IDS: std::ops::RangeInclusive<u32> = 1..=99;
/// Channels of a world: all are looked at for each unknown word.
const CHANNELS_MAX: usize = 64;

pub(crate) fn read(draft: &mut Draft) {
    let source = draft.source;
    let text = source.files.get(PATH).map_or(BUILT_IN, String::as_str);
    draft.content.channels = read_file(draft, PATH, text, |file, root| {
        let mut channels: Vec<Channel> = Vec::new();
        for row in file.rows(root, "channel") {
            let line = row.line;
            let Some(mut channel) = channel(file, row) else { continue };
            if channel.id == 0 {
                let is_free = |id: &u32| channels.iter().all(|other| other.id != *id);
                channel.id = IDS.into_iter().find(is_free).unwrap_or_default();
            }
            let shared = channels.iter().find(|other| other.setting == channel.setting);
            if channels.iter().any(|other| other.name == channel.name) {
                file.error(line, format!("there is a channel {:?} already", channel.name));
            } else if let Some(other) = channels.iter().find(|other| other.id == channel.id) {
                file.error(line, format!("the channel {:?} has the id {} already", other.name, channel.id));
            } else if shared.is_some_and(|other| (&other.on, &other.off) != (&channel.on, &channel.off)) {
                let what = format!("the setting {:?} answers something else on another channel", channel.setting);
                file.error(line, what);
            } else if channels.len() == CHANNELS_MAX {
                file.error(line, format!("a world has at most {CHANNELS_MAX} channels"));
            } else {
                channels.push(channel);
            }
        }
        channels
    });
}

/// The channels of a world that has no file of its own.
pub(crate) fn built_in() -> Vec<Channel> {
    let source = Source::default();
    let mut draft = Draft::of(&source);
    read(&mut draft);
    draft.content.channels
}

fn channel(file: &mut File, mut row: Table) -> Option<Channel> {
    let name = file.needed_text(&mut row, "name");
    let setting = file.text_if_any(&mut row, "setting").unwrap_or_else(|| name.clone());
    let id: Option<u32> = file.field(&mut row, "id");
    let channel = Channel {
        // 0: the next that is free.
        id: id.unwrap_or_default(),
        wpm: file.field(&mut row, "wpm").unwrap_or(WPM),
        speak: file.needed_text(&mut row, "speak"),
        speaks: file.needed_text(&mut row, "speaks"),
        help: file.needed_text(&mut row, "help"),
        event: file.field(&mut row, "event").unwrap_or(EVENT),
        colour: file.field(&mut row, "colour").unwrap_or(COLOUR),
        range: file.field(&mut row, "range").unwrap_or(RANGE),
        position: file.field(&mut row, "position").unwrap_or(POSITION),
        level: file.field(&mut row, "level"),
        moves: file.field(&mut row, "moves").unwrap_or_default(),
        people_only: file.field(&mut row, "people_only").unwrap_or_default(),
        on: file.needed_text(&mut row, "on"),
        off: file.needed_text(&mut row, "off"),
        name,
        setting,
    };
    let line = row.line;
    file.end(row);
    let one_word = |text: &Text| !text.is_empty() && text.bytes().all(|c| c.is_ascii_lowercase());
    if !one_word(&channel.name) || !one_word(&channel.setting) {
        file.error(line, "the name of a channel and of its setting is one word in lower case".to_string());
        return None;
    }
    if channel.name.starts_with("pas") {
        // The edge of the server takes such words for `password` and keeps what follows.
        file.error(line, format!("a channel cannot be called {:?}: it begins as `password` does", channel.name));
        return None;
    }
    if let Some(id) = id.filter(|id| !IDS.contains(id)) {
        file.error(line, format!("the id of the channel {:?} is {id}; they go from 1 to 99", channel.name));
        return None;
    }
    if !WPM_RANGE.contains(&channel.wpm) {
        let (name, wpm) = (&channel.name, channel.wpm);
        file.error(line, format!("the channel {name:?} has {wpm} words a minute; they go from 10 to 200"));
        return None;
    }
    if channel.level.is_some_and(|level| !LEVEL.contains(&level)) || channel.moves < 0 {
        let most = LEVEL.end();
        let what = format!("the level of the channel {:?} is 0 to {most}, and its moves are 0 or more", channel.name);
        file.error(line, what);
        return None;
    }
    Some(channel)
}

pub(crate) fn write(channels: &[Channel]) -> String {
    let channels: Vec<&Channel> = channels.iter().collect();
    rows(&channels, |channel, toml: &mut Toml| {
        toml.header("[[channel]]");
        toml.text("name", &channel.name);
        toml.number("id", channel.id as i32);
        if channel.wpm != WPM {
            toml.number("wpm", channel.wpm as i32);
        }
        toml.text("speak", &channel.speak);
        toml.text("speaks", &channel.speaks);
        toml.text("help", &channel.help);
        toml.word_unless("event", channel.event, EVENT);
        toml.word_unless("colour", channel.colour, COLOUR);
        toml.word_unless("range", channel.range, RANGE);
        toml.word_unless("position", channel.position, POSITION);
        if let Some(level) = channel.level {
            toml.number("level", level);
        }
        if channel.moves != 0 {
            toml.number("moves", channel.moves);
        }
        toml.flag("people_only", channel.people_only);
        if channel.setting != channel.name {
            toml.text("setting", &channel.setting);
        }
        toml.text("on", &channel.on);
        toml.text("off", &channel.off);
    })
}
