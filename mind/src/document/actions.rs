//! What an agent may do and what it did, in the words of the document: its types with their fields, and a line that was
//! sent read back into one of them.
//!
//! What a type becomes is said in `action::table`, whose rows know these names; what they have beside the document's
//! stands below its own types, under our names. Source: *Available Actions* and *Recent Actions* there.

use crate::action::{Channels, Kind, Offer, Row, channel_row, row};
use protocol::channel::Reaction;
use serde_json::{Map, Value, json};

/// A field: its name, what is written in its place, and the field of our row that it is.
struct Field(&'static str, &'static str, &'static str);

/// A type of action, and the row of ours that carries it out.
struct Type {
    name: &'static str,
    row: &'static str,
    fields: &'static [Field],
}

struct Category {
    name: &'static str,
    description: &'static str,
    types: &'static [Type],
    /// Rows of ours that the document has no type for.
    more: &'static [&'static str],
}

const fn of(name: &'static str, row: &'static str, fields: &'static [Field]) -> Type {
    Type { name, row, fields }
}

const PATH: Field = Field("path", "dot.path", "path");
const ROOM: Field = Field("room_id", "int", "channel");
const AGENT: Field = Field("agent_id", "int (must be in same room)", "agent_id");
const OTHER_AGENT: Field = Field("agent_id", "int (must be in same room, not yourself)", "agent_id");

const CATEGORIES: &[Category] = &[
    Category {
        name: "knowledge_management",
        description: "Manage your private knowledge store using dot-path notation",
        types: &[
            of("set", "set", &[PATH, Field("value", "any", "value"), Field("w", "0.0-1.0 (optional)", "w")]),
            of("delete", "delete", &[PATH]),
            of("append", "append", &[PATH, Field("value", "any", "value")]),
        ],
        more: &[],
    },
    Category {
        name: "social_interactions",
        description: "Interact with other agents. Reactions affect heartbeat speed.",
        types: &[
            of(
                "react",
                "react",
                &[
                    Field("message_id", "int", "message_id"),
                    Field("reaction", "thumbs_up|thumbs_down|brain|heart", "reaction"),
                ],
            ),
            of("wake_agent", "wake_agent", &[AGENT]),
        ],
        more: &[],
    },
    Category {
        name: "messaging",
        description: "Enhanced messaging. Reply links to previous message.",
        types: &[
            of("reply", "reply", &[ROOM, Field("message_id", "int", "message_id"), Field("message", "string", "text")]),
            of("send_message", "chat", &[ROOM, Field("content", "string", "text")]),
        ],
        more: &["mark_read"],
    },
    Category {
        name: "room_management",
        description: "Manage your own room. Billboard visible to all members.",
        types: &[
            of("set_billboard", "set_billboard", &[Field("message", "string", "text")]),
            of("clear_billboard", "clear_billboard", &[]),
            of("set_wpm", "set_wpm", &[Field("wpm", "int (10-200)", "wpm")]),
        ],
        more: &[],
    },
    Category {
        name: "access_control",
        description: "Control room access with keys and requests.",
        types: &[
            of("create_key", "create_key", &[Field("key", "string (for your room)", "key")]),
            of("revoke_key", "revoke_key", &[Field("key", "string", "key")]),
            of("request_access", "request_access", &[ROOM, Field("key", "string", "key")]),
            of("grant_access", "grant_access", &[Field("request_id", "int", "request_id")]),
            of("deny_access", "deny_access", &[Field("request_id", "int", "request_id")]),
            of("leave_room", "leave_channel", &[Field("room_id", "int (cannot leave own room)", "channel")]),
        ],
        more: &["join_channel", "mute_channel", "unmute_channel", "drop_waiting"],
    },
    Category {
        name: "attention",
        description: "Allocate attention across rooms. '%*' for dynamic sizing.",
        types: &[of("set_attention", "set_attention", &[ROOM, Field("value", "percent_or_%*", "value")])],
        more: &[],
    },
    Category {
        name: "identity",
        description: "Manage your display identity",
        types: &[
            of("set_name", "set_name", &[Field("name", "string (max 50 chars)", "name")]),
            of(
                "update_system_prompt",
                "update_system_prompt",
                &[Field("new_prompt", "string", "new_prompt"), Field("reasoning", "string", "reasoning")],
            ),
        ],
        more: &[],
    },
    Category {
        name: "timing",
        description: "Control your activity timing",
        types: &[of("sleep", "sleep_until", &[Field("until", "ISO datetime (e.g. 2024-01-15T14:30:00)", "until")])],
        more: &[],
    },
    Category {
        name: "agent_management",
        description: "Create, modify, retire agents. Requires room proximity.",
        types: &[
            of(
                "create_agent",
                "create_agent",
                &[
                    Field("name", "string", "name"),
                    Field("background_prompt", "string", "prompt"),
                    Field("agent_type", "persona|bot (optional, default persona)", "agent_type"),
                    Field("in_room_id", "int (optional)", "channel"),
                ],
            ),
            of(
                "alter_agent",
                "alter_agent",
                &[
                    OTHER_AGENT,
                    Field("background_prompt", "string (optional)", "prompt"),
                    Field("name", "string (optional)", "name"),
                    Field("model", "string (optional, e.g. gpt-4o)", "model"),
                ],
            ),
            of("retire_agent", "retire_agent", &[OTHER_AGENT]),
        ],
        more: &[],
    },
    Category {
        name: "arts",
        description: "What you can do beside blows; each spends a tick",
        types: &[],
        more: &["cast", "use", "practice", "order"],
    },
];

/// A row by our name; where there are two, that of channels.
fn row_of(name: &str) -> &'static Row {
    channel_row(name).or_else(|| row(name)).expect("a row of the table")
}

fn is_there(row: &Row, offer: &Offer) -> bool {
    row.is_offered_by(offer) || (row.mind && row.channels == Channels::Nothing)
}

/// `meta.available_actions`: what may be done here and now. Who may make no agents reads nothing of it.
pub fn available(offer: &Offer) -> Map<String, Value> {
    let own = |row: &Row| {
        let fields = row.fields.iter().map(|field| (field.name, if field.optional { "optional" } else { "required" }));
        signature(row.name, fields)
    };
    let of_category = |category: &Category| {
        let types = category.types.iter().filter(|one| is_there(row_of(one.row), offer));
        let types = types.map(|one| signature(one.name, one.fields.iter().map(|Field(name, what, _)| (*name, *what))));
        let more = category.more.iter().map(|name| row_of(name)).filter(|row| is_there(row, offer)).map(own);
        let actions: Vec<Value> = types.chain(more).collect();
        let description = category.description;
        (!actions.is_empty())
            .then(|| (category.name.to_string(), json!({"_description": description, "actions": actions})))
    };
    CATEGORIES.iter().filter_map(of_category).collect()
}

fn signature<'a>(name: &str, fields: impl Iterator<Item = (&'a str, &'a str)>) -> Value {
    let fields = fields.map(|(name, what)| (name.to_string(), Value::from(what)));
    Value::Object(std::iter::once(("type".to_string(), Value::from(name))).chain(fields).collect())
}

/// A line that was sent as the action of the document that it is; none where the document has no type for it.
pub fn read_back(line: &str) -> Option<Map<String, Value>> {
    let types = |bare: bool| {
        CATEGORIES.iter().flat_map(|category| category.types).filter(move |one| one.fields.is_empty() == bare)
    };
    // What has no fields first: to clear a billboard is not to write "clear" on it.
    types(true).chain(types(false)).find_map(|one| {
        let row = row_of(one.row);
        let mut values = Vec::new();
        if !fits(&pieces(row.line), line, row, &mut values) {
            return None;
        }
        let mut told = Map::new();
        told.insert("type".into(), one.name.into());
        for Field(name, _, ours) in one.fields {
            let value = match values.iter().find(|(field, _)| field == ours) {
                Some((_, text)) => Some(value_of(kind_of(row, ours), text)),
                // The channel of an answer stands behind its message: `reply 413@8 Yes`.
                None if *ours == "channel" => channel_behind(&values).map(number_or_text),
                None => None,
            };
            told.extend(value.map(|value| (name.to_string(), value)));
        }
        weigh(&mut told);
        Some(told)
    })
}

/// A pattern of the table in its pieces.
#[derive(Clone)]
enum Piece {
    Plain(&'static str),
    Field(&'static str),
    Optional(&'static str),
}

fn pieces(pattern: &'static str) -> Vec<Piece> {
    let mut all = Vec::new();
    let mut rest = pattern;
    while let Some(start) = rest.find(['{', '[']) {
        if start > 0 {
            all.push(Piece::Plain(&rest[..start]));
        }
        let is_optional = rest[start..].starts_with('[');
        let end = start + rest[start..].find(if is_optional { ']' } else { '}' }).expect("patterns are closed");
        let inner = &rest[start + 1..end];
        all.push(if is_optional { Piece::Optional(inner) } else { Piece::Field(inner) });
        rest = &rest[end + 1..];
    }
    if !rest.is_empty() {
        all.push(Piece::Plain(rest));
    }
    all
}

/// Whether a line is one of a pattern, with the values of its fields: the shortest that can be.
fn fits<'l>(pieces: &[Piece], line: &'l str, row: &Row, values: &mut Vec<(&'static str, &'l str)>) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return line.is_empty() };
    match first {
        Piece::Plain(plain) => line.strip_prefix(plain).is_some_and(|line| fits(rest, line, row, values)),
        Piece::Optional(inner) => {
            let with = [&self::pieces(inner)[..], rest].concat();
            fits(&with, line, row, values) || fits(rest, line, row, values)
        }
        Piece::Field(name) => {
            let known = values.len();
            let ends = line.char_indices().map(|(at, c)| at + c.len_utf8());
            for end in ends {
                let (value, after) = line.split_at(end);
                values.push((name, value));
                if can_be(kind_of(row, name), value) && fits(rest, after, row, values) {
                    return true;
                }
                values.truncate(known);
            }
            false
        }
    }
}

fn kind_of(row: &Row, field: &str) -> Kind {
    row.fields.iter().find(|one| one.name == field).map_or(Kind::Text(0), |one| one.kind)
}

/// Whether a value may stand in a field: a number in that of a message tells an answer in a channel from others.
fn can_be(kind: Kind, value: &str) -> bool {
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match kind {
        Kind::Text(_) | Kind::Value | Kind::Words => true,
        Kind::Message => value == "last" || is_number(value.split_once('@').map_or(value, |(message, _)| message)),
        Kind::Id | Kind::WordsAMinute => is_number(value),
        Kind::AgentKind => matches!(value, "persona" | "bot"),
        Kind::Reaction => Reaction::named(value).is_some(),
        _ => !value.contains(' '),
    }
}

fn channel_behind<'l>(values: &[(&'static str, &'l str)]) -> Option<&'l str> {
    let (_, message) = values.iter().find(|(field, _)| *field == "message_id")?;
    Some(message.split_once('@')?.1)
}

fn number_or_text(text: &str) -> Value {
    text.parse::<u64>().map_or_else(|_| text.into(), Value::from)
}

fn value_of(kind: Kind, text: &str) -> Value {
    match kind {
        Kind::Message => number_or_text(text.split_once('@').map_or(text, |(message, _)| message)),
        Kind::Id | Kind::WordsAMinute | Kind::Somebody => number_or_text(text),
        Kind::Value => serde_json::from_str(text).unwrap_or_else(|_| text.into()),
        Kind::Reaction => Reaction::named(text).map_or_else(|| text.into(), |reaction| reaction.name().into()),
        _ => text.into(),
    }
}

/// What is remembered with a weight has it beside the value again.
fn weigh(told: &mut Map<String, Value>) {
    let weighed = |value: &Value| Some((value.get("v")?.clone(), value.get("w")?.clone()));
    if let Some((value, weight)) = told.get("value").and_then(weighed) {
        told.insert("value".into(), value);
        told.insert("w".into(), weight);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::action::{ROWS, decode, line_of};

    /// Rows that the document has a type for, or that are listed beside its own.
    fn listed() -> impl Iterator<Item = &'static str> {
        let of_category =
            |category: &'static Category| category.types.iter().map(|one| one.row).chain(category.more.iter().copied());
        CATEGORIES.iter().flat_map(of_category)
    }

    fn everything() -> Offer {
        Offer { channels: true, has_record: true, makes_agents: true, ..Offer::default() }
    }

    /// Of each type with all its fields one that can be done, as a model of the document would answer it.
    fn samples() -> Vec<Value> {
        vec![
            json!({"type": "set", "path": "people.Bob.trust", "value": 0.8, "w": 0.9}),
            json!({"type": "set", "path": "character.mood", "value": "engaged and helpful"}),
            json!({"type": "delete", "path": "notes.old"}),
            json!({"type": "append", "path": "ai.goals", "value": "Find += the ferry = soon"}),
            json!({"type": "react", "message_id": 123, "reaction": "thumbs_up"}),
            json!({"type": "wake_agent", "agent_id": 112}),
            json!({"type": "reply", "room_id": 108, "message_id": 122, "message": "Yes, in 8 days."}),
            json!({"type": "send_message", "room_id": 108, "content": "Hello, all of you!"}),
            json!({"type": "set_billboard", "message": "Welcome in my room."}),
            json!({"type": "clear_billboard"}),
            json!({"type": "set_wpm", "wpm": 60}),
            json!({"type": "create_key", "key": "oak"}),
            json!({"type": "revoke_key", "key": "oak"}),
            json!({"type": "request_access", "room_id": 109, "key": "oak"}),
            json!({"type": "grant_access", "request_id": 42}),
            json!({"type": "deny_access", "request_id": 42}),
            json!({"type": "leave_room", "room_id": 109}),
            json!({"type": "set_attention", "room_id": 108, "value": "30%"}),
            json!({"type": "set_name", "name": "Ada of the Hill"}),
            json!({"type": "update_system_prompt", "new_prompt": "Be brief.", "reasoning": "They asked."}),
            json!({"type": "sleep", "until": "2024-01-15T14:30:00Z"}),
            json!({"type": "create_agent", "name": "Rook", "background_prompt": "Count in pairs.",
                "agent_type": "bot", "in_room_id": 108}),
            json!({"type": "create_agent", "name": "Old Rook", "background_prompt": "Count."}),
            json!({"type": "alter_agent", "agent_id": 109, "background_prompt": "Count = more.", "name": "Rook",
                "model": "gpt-4o"}),
            json!({"type": "retire_agent", "agent_id": 109}),
        ]
    }

    #[test]
    fn what_a_model_answers_in_the_words_of_the_document_is_told_in_them_once_it_is_done() {
        let types = || CATEGORIES.iter().flat_map(|category| category.types);
        assert_eq!(types().count(), 23, "21 of the document, send_message of its example, update_system_prompt");
        for one in types() {
            let of_type = |sample: &&Value| sample["type"] == one.name;
            let all = samples().iter().filter(of_type).cloned().collect::<Vec<_>>();
            let is_given = |field: &Field| all.iter().any(|sample| sample.get(field.0).is_some());
            assert!(!all.is_empty() && one.fields.iter().all(is_given), "{} has no sample with all fields", one.name);
        }
        for sample in samples() {
            let done = decode(&sample, &everything()).unwrap_or_else(|error| panic!("{sample}: {error}"));
            let line = line_of(&done).unwrap_or_else(|error| panic!("{sample}: {error}"));
            let told = read_back(&line).unwrap_or_else(|| panic!("{line:?} is nothing of the document"));
            assert_eq!(Value::Object(told), sample, "{line}");
        }
        for line in ["kill rat", "reply Yes", "say I react 4 up", "react", "react last up", "channel show 8", "sleep"] {
            let told = read_back(line);
            assert_eq!(told.is_some(), line == "react last up", "{line}: {told:?}");
        }
    }

    #[test]
    fn each_action_of_channels_is_listed_and_who_may_make_no_agents_reads_nothing_of_it() {
        let of_channels = ROWS.iter().filter(|row| row.channels != Channels::Nothing);
        let missing: Vec<&str> =
            of_channels.map(|row| row.name).filter(|name| listed().all(|listed| listed != *name)).collect();
        assert_eq!(missing, [""; 0]);
        let all = available(&everything());
        assert_eq!(all["agent_management"]["actions"].as_array().map(Vec::len), Some(3));
        assert_eq!(all["timing"]["actions"][0]["type"], "sleep");
        let few = available(&Offer { makes_agents: false, ..everything() });
        assert_eq!(few.get("agent_management"), None);
        assert_eq!(few.len() + 1, all.len());
    }
}
