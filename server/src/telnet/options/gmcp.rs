//! GMCP: messages with JSON, in both directions. What they say is `encode::gmcp`'s affair.

use crate::telnet::capabilities::clean_word;
use crate::telnet::event::TelnetEvent;
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk, subnegotiation};

pub const ROW: OptionRow =
    OptionRow { option: Opt::Gmcp, code: 201, ours: true, theirs: false, offer: Offer::Promise, turned, heard };

fn turned(talk: &mut Talk<'_>, _: Side) {
    talk.tell(TelnetEvent::Messages { on: talk.ours });
}

fn heard(talk: &mut Talk<'_>, payload: &[u8]) {
    if !talk.ours {
        return;
    }
    let end = payload.iter().position(u8::is_ascii_whitespace).unwrap_or(payload.len());
    let (name, data) = payload.split_at(end);
    let data = String::from_utf8_lossy(data).trim().to_string();
    talk.tell(TelnetEvent::Message { name: clean_word(name), data });
}

/// Appends a message, which is UTF-8 whatever the text is.
pub fn append(name: &str, json: &str, out: &mut Vec<u8>) {
    subnegotiation(ROW.code, &[name.as_bytes(), b" ", json.as_bytes()], out);
}
