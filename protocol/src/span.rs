//! Spans: parts of a text that look otherwise than the rest, or that one can act on. For clients with the feature
//! `rich`, in `event` and `text`.

use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// What a client says at login that reads spans.
pub const FEATURE: &str = "rich";

/// Offsets are in UTF-16 units, as strings have them in a browser; spans are in order, and none is within another.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Span {
    pub from: u32,
    /// Behind its last unit.
    pub to: u32,
    /// A name of `STYLES`, left out where it looks like the rest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<Link>,
}

/// What a part of a text stands for: a way out, or somebody or something by its instance id.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Link {
    /// A direction; it has no `id`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit: Option<Arc<str>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<Arc<str>>,
    /// The id of what it is in, to be typed behind its own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inside: Option<Arc<str>>,
    /// What can be done with it, the most likely first.
    pub verbs: Vec<Arc<str>>,
    /// The same, but that words of the player's own have to follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub begins: Vec<Arc<str>>,
}

/// Names of styles, and what has them.
pub const STYLES: &[(&str, &str)] = &[
    ("room_name", "the name of a room"),
    ("room_description", "its description"),
    ("exits", "the ways out of it"),
    ("mob", "who is no player"),
    ("player", "a player"),
    ("item", "a thing"),
    ("heading", "the head of a list"),
];
