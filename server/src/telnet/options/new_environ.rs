//! NEW-ENVIRON (RFC 1572) with the names of MNES: what a client says of itself, asked once; what changes it tells
//! unasked.
//!
//! What has no meaning here is passed over: the plain telnet of a system would send its user's environment.
//! Invariant: values are short and carry no control bytes, whatever was sent.

use crate::telnet::capabilities::{Charset, clean_word};
use crate::telnet::event::TelnetEvent;
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk};
use std::net::IpAddr;

pub const ROW: OptionRow =
    OptionRow { option: Opt::NewEnviron, code: 39, ours: false, theirs: true, offer: Offer::Ask, turned, heard };

const IS: u8 = 0;
const SEND: u8 = 1;
const INFO: u8 = 2;

const VAR: u8 = 0;
const VALUE: u8 = 1;
const ESC: u8 = 2;
const USERVAR: u8 = 3;

/// Of a name or a value, no more is kept.
const WORD_BYTES_MAX: usize = 128;

fn turned(talk: &mut Talk<'_>, side: Side) {
    if side == Side::Theirs && talk.theirs {
        talk.send(&[&[SEND]]);
    }
}

fn heard(talk: &mut Talk<'_>, payload: &[u8]) {
    let [IS | INFO, list @ ..] = payload else { return };
    if !talk.theirs {
        return;
    }
    let mut rest = list.iter().copied().peekable();
    let mut learned = false;
    while let Some(mark) = rest.next() {
        // What does not begin with a name is nothing: it is passed over to the next mark.
        let name = word(&mut rest);
        let value = match rest.peek() {
            Some(&VALUE) => {
                rest.next();
                word(&mut rest)
            }
            _ => Vec::new(),
        };
        if matches!(mark, VAR | USERVAR) {
            learned |= variable(talk, &name, &value);
        }
    }
    if learned {
        talk.learned();
    }
}

/// Up to the next mark, with what is escaped in it.
fn word(rest: &mut std::iter::Peekable<impl Iterator<Item = u8>>) -> Vec<u8> {
    let mut word = Vec::new();
    while let Some(byte) = rest.next_if(|byte| !matches!(*byte, VAR | VALUE | USERVAR)) {
        let byte = match byte {
            ESC => match rest.next() {
                Some(literal) => literal,
                None => break,
            },
            plain => plain,
        };
        if word.len() < WORD_BYTES_MAX {
            word.push(byte);
        }
    }
    word
}

/// Whether it means anything here.
fn variable(talk: &mut Talk<'_>, name: &[u8], value: &[u8]) -> bool {
    let text = clean_word(value);
    let some = |text: Box<str>| (!text.is_empty()).then_some(text);
    match name.to_ascii_uppercase().as_slice() {
        b"CLIENT_NAME" => talk.client.name = some(text),
        b"CLIENT_VERSION" => talk.client.version = some(text),
        b"TERMINAL_TYPE" => talk.client.terminal = some(text),
        b"CHARSET" => talk.client.named_charset = Charset::named(text.as_bytes()),
        b"MTTS" => match text.parse() {
            Ok(bits) => talk.client.mtts = Some(bits),
            Err(_) => return false,
        },
        b"SCREEN_READER" => talk.client.reads_aloud = is_yes(&text),
        b"IPADDRESS" => match text.parse::<IpAddr>() {
            Ok(address) => {
                talk.tell(TelnetEvent::CallerAddress(address.to_canonical()));
                return false;
            }
            Err(_) => return false,
        },
        _ => return false,
    }
    true
}

fn is_yes(text: &str) -> bool {
    ["1", "true", "yes", "on"].iter().any(|yes| text.eq_ignore_ascii_case(yes))
}
