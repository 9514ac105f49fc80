//! MSDP: variables by name, in both directions. Which there are and what they say is `encode::msdp`'s affair; how they
//! are spelled in bytes is told here.

use crate::telnet::capabilities::clean_word;
use crate::telnet::event::TelnetEvent;
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk, subnegotiation};
use serde_json::Value;

pub const ROW: OptionRow =
    OptionRow { option: Opt::Variables, code: 69, ours: true, theirs: false, offer: Offer::Promise, turned, heard };

const VAR: u8 = 1;
const VALUE: u8 = 2;
const TABLE_OPEN: u8 = 3;
const TABLE_CLOSE: u8 = 4;
const ARRAY_OPEN: u8 = 5;
const ARRAY_CLOSE: u8 = 6;

/// Of what one command names, no more is heard: there are not so many variables.
const WORDS_MAX: usize = 128;

fn turned(talk: &mut Talk<'_>, _: Side) {
    talk.tell(TelnetEvent::Variables { on: talk.ours });
}

/// Each name with its values is a command. Values may stand behind each other or in an array; what is deeper is nothing
/// that we know, and passed over.
fn heard(talk: &mut Talk<'_>, payload: &[u8]) {
    if !talk.ours {
        return;
    }
    let mut commands: Vec<(Box<str>, Vec<Box<str>>)> = Vec::new();
    let (mut depth, mut rest) = (0usize, payload);
    while let Some((&mark, behind)) = rest.split_first() {
        let end = behind.iter().position(|byte| is_mark(*byte)).unwrap_or(behind.len());
        let (text, next) = behind.split_at(end);
        rest = next;
        match mark {
            VAR if depth == 0 => commands.push((clean_word(text), Vec::new())),
            VALUE if depth <= 1 && !text.is_empty() => {
                if let Some((_, words)) = commands.last_mut().filter(|(_, words)| words.len() < WORDS_MAX) {
                    words.push(clean_word(text));
                }
            }
            TABLE_OPEN | ARRAY_OPEN => depth += 1,
            TABLE_CLOSE | ARRAY_CLOSE => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    for (command, words) in commands {
        talk.tell(TelnetEvent::AboutVariables { command, words });
    }
}

fn is_mark(byte: u8) -> bool {
    (VAR..=ARRAY_CLOSE).contains(&byte)
}

/// Appends a variable, which is UTF-8 whatever the text is.
pub fn append(name: &str, value: &Value, out: &mut Vec<u8>) {
    let mut payload = Vec::new();
    pair(name, value, &mut payload);
    subnegotiation(ROW.code, &[&payload], out);
}

fn pair(name: &str, value: &Value, out: &mut Vec<u8>) {
    out.push(VAR);
    word(name, out);
    out.push(VALUE);
    spell(value, out);
}

/// Ours are as deep as a table in an array.
fn spell(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => {}
        Value::Bool(yes) => out.push(if *yes { b'1' } else { b'0' }),
        Value::Number(number) => word(&number.to_string(), out),
        Value::String(text) => word(text, out),
        Value::Array(values) => {
            out.push(ARRAY_OPEN);
            for value in values {
                out.push(VALUE);
                spell(value, out);
            }
            out.push(ARRAY_CLOSE);
        }
        Value::Object(fields) => {
            out.push(TABLE_OPEN);
            fields.iter().for_each(|(name, value)| pair(name, value, out));
            out.push(TABLE_CLOSE);
        }
    }
}

/// Control characters, among them all that would mean something else in it, are left out.
fn word(text: &str, out: &mut Vec<u8>) {
    let mut bytes = [0u8; 4];
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        out.extend_from_slice(letter.encode_utf8(&mut bytes).as_bytes());
    }
}
