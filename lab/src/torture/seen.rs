//! What a bot was shown in one connection, in a form that can be compared with what the world said.
//!
//! Invariant: only what reached the bot's own process is in here. Lines are compared without white space, since the
//! telnet door wraps them; variables are compared as JSON values.

use serde_json::{Map, Value};

/// The variables that are looked at: what belongs to the character itself.
pub const LOOKED_AT: [&str; 12] = [
    "HEALTH",
    "MAX_HEALTH",
    "MANA",
    "MOVE",
    "GOLD",
    "EXP",
    "LEVEL",
    "ROOM_VNUM",
    "FIGHTING",
    "POSITION",
    "INVENTORY",
    "EQUIPMENT",
];

/// What came of one connection.
#[derive(Clone, Debug, Default)]
pub struct Seen {
    pub name: String,
    /// Everything that was said to the character, without white space and colours.
    pub text: String,
    pub lines: u64,
    /// Tasks that the character was told it has: what minds answer does not come from the world.
    pub tasks: Vec<String>,
    /// Each set of variables, in order; only those that are looked at.
    pub vars: Vec<Map<String, Value>>,
    /// The character left the world while this was read.
    pub left: bool,
    /// The connection outlived a restart of the server, and this is of after it.
    pub kept: bool,
}

impl Seen {
    pub fn of(name: &str) -> Seen {
        Seen { name: name.to_string(), ..Seen::default() }
    }

    pub fn line(&mut self, text: &str) {
        bare(text, &mut self.text);
        self.lines += 1;
    }

    pub fn vars(&mut self, values: &Map<String, Value>) {
        let looked_at = values.iter().filter(|(name, _)| LOOKED_AT.contains(&name.as_str()));
        let kept: Map<String, Value> = looked_at.map(|(name, value)| (name.clone(), value.clone())).collect();
        if !kept.is_empty() {
            self.vars.push(kept);
        }
    }
}

/// Adds a text without white space and without the sequences that colour it.
pub fn bare(text: &str, out: &mut String) {
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\u{1b}' => {
                for inside in letters.by_ref() {
                    if inside.is_ascii_alphabetic() {
                        break;
                    }
                }
            }
            letter if letter.is_whitespace() => {}
            letter => out.push(letter),
        }
    }
}
