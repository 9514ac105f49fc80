//! Why a line stands in a prompt: where what it says comes from.
//!
//! Most lines say it by their place (`index::INDEX`); entries of the log, memories and texts say it themselves.

use super::index::{Source, source_of};
use crate::texts::TextName;
use std::fmt;

/// What one line comes from.
#[derive(Clone, PartialEq, Debug)]
pub enum Origin {
    /// How a prompt is laid out: headings, names and marks that are the same whatever is told.
    Layout,
    /// One of our texts: a file of `data/prompts`, or of `prompts_dir`.
    File(TextName),
    /// The tables of actions, verbs, socials and channels.
    Tables,
    /// Fields of these sources, as they were at this tick.
    Fields(Vec<Source>, u64),
    /// Entries of the agent's log.
    Entries(Vec<u64>),
    /// What a rule told of these entries, in the words of a model.
    Words { of: Vec<u64>, model: String },
    /// A memory that came to mind.
    Memory(String),
    /// What somebody else shares of their mind, by their name.
    Shared(String),
    /// A path of the document that the agent keeps for itself.
    CoreMemory(String),
    /// Several of these.
    Several(Vec<Origin>),
}

/// Entries that are named one by one.
const NAMED_MAX: usize = 6;

impl Origin {
    /// Of the fields of these paths, each of which is in the index.
    pub fn of_paths<'a>(paths: impl IntoIterator<Item = &'a str>, tick: u64) -> Origin {
        let mut sources = Vec::new();
        for path in paths {
            match source_of(path) {
                Some(source) if !sources.contains(&source) => sources.push(source),
                Some(_) => {}
                None => debug_assert!(false, "{path} is not in the index"),
            }
        }
        if sources.is_empty() { Origin::Layout } else { Origin::Fields(sources, tick) }
    }

    /// Of what changes, when it was so.
    pub fn tick(&self) -> Option<u64> {
        match self {
            Origin::Fields(sources, tick) if sources.iter().any(moves) => Some(*tick),
            Origin::Several(all) => all.iter().filter_map(Origin::tick).max(),
            _ => None,
        }
    }

    /// What several lines have that stand in one. Layout says nothing beside anything else.
    pub fn all(origins: impl IntoIterator<Item = Origin>) -> Origin {
        let mut all: Vec<Origin> = Vec::new();
        for origin in origins {
            match origin {
                Origin::Layout => {}
                Origin::Several(more) => more.into_iter().for_each(|one| join(&mut all, one)),
                one => join(&mut all, one),
            }
        }
        match all.len() {
            0 => Origin::Layout,
            1 => all.remove(0),
            _ => Origin::Several(all),
        }
    }
}

fn join(all: &mut Vec<Origin>, one: Origin) {
    for there in all.iter_mut() {
        match (there, &one) {
            (Origin::Entries(there), Origin::Entries(more)) => {
                there.extend(more.iter().filter(|id| !there.contains(id)).copied().collect::<Vec<_>>());
                return;
            }
            (Origin::Fields(there, at), Origin::Fields(more, tick)) if at == tick => {
                there.extend(more.iter().filter(|source| !there.contains(source)).copied().collect::<Vec<_>>());
                return;
            }
            (there, one) if there == one => return,
            _ => {}
        }
    }
    all.push(one);
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let told = match self {
            Origin::Layout => "layout".to_string(),
            Origin::File(text) => format!("file {}", text.file().file_name()),
            Origin::Tables => "tables of actions".to_string(),
            Origin::Fields(sources, tick) => fields(sources, *tick),
            Origin::Entries(ids) => entries(ids),
            Origin::Words { of, model } => format!("{} in the words of {model}", entries(of)),
            Origin::Memory(id) => format!("memory {id}"),
            Origin::Shared(who) => format!("mind of {who}"),
            Origin::CoreMemory(path) => format!("core memory {path}"),
            Origin::Several(all) => all.iter().map(Origin::to_string).collect::<Vec<_>>().join("; "),
        };
        f.pad(&told)
    }
}

fn entries(ids: &[u64]) -> String {
    match ids {
        [] => "own log".to_string(),
        [first, .., last] if ids.len() > NAMED_MAX => format!("#{first} to #{last}, {} entries", ids.len()),
        ids => ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(", "),
    }
}

fn moves(source: &Source) -> bool {
    matches!(source, Source::World | Source::Variables(_) | Source::Client)
}

/// What changes says when it was so.
fn fields(sources: &[Source], tick: u64) -> String {
    let named = |source: &Source| match source {
        Source::Login => "login".to_string(),
        Source::World => "world".to_string(),
        Source::Variables(names) => names.to_string(),
        Source::Log => "own log".to_string(),
        Source::Setting(name) => format!("setting {name}"),
        Source::Texts => "texts".to_string(),
        Source::Client => "client".to_string(),
    };
    let told: Vec<String> = sources.iter().map(named).collect();
    let at = if sources.iter().any(moves) { format!(" at tick {tick}") } else { String::new() };
    format!("{}{at}", told.join(", "))
}
