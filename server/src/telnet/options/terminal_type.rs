//! TERMINAL TYPE (RFC 1091) with the bits of MTTS: a client is asked for its terminal again and again until its
//! answers end. The first is the client's name, the next its terminal, `MTTS <bits>` is the last. Clients without MTTS
//! list what terminals they can be, the best of them first, and some then begin again.
//!
//! Invariant: a client is asked a bounded number of times, whatever it answers.

use crate::telnet::capabilities::clean_word;
use crate::telnet::option::{Offer, Opt, OptionRow, Side, Talk};

pub const ROW: OptionRow =
    OptionRow { option: Opt::TerminalType, code: 24, ours: false, theirs: true, offer: Offer::Ask, turned, heard };

/// Clients name themselves, their terminal and their MTTS bits; a fourth repeats the third. More is a runaway.
const REPLIES_MAX: u8 = 4;

const IS: u8 = 0;
const SEND: u8 = 1;

fn turned(talk: &mut Talk<'_>, side: Side) {
    if side == Side::Theirs && talk.theirs && talk.memory.terminal_replies < REPLIES_MAX {
        talk.send(&[&[SEND]]);
    }
}

fn heard(talk: &mut Talk<'_>, payload: &[u8]) {
    let [IS, name @ ..] = payload else { return };
    if !talk.theirs || talk.memory.terminal_replies == REPLIES_MAX {
        return;
    }
    talk.memory.terminal_replies += 1;
    let name = clean_word(name);
    let bits = name.strip_prefix("MTTS ").and_then(|bits| bits.trim().parse().ok());
    let repeats = talk.memory.terminal_last.as_deref() == Some(&*name);
    let first = talk.memory.terminal_replies == 1;
    if bits.is_some() || repeats || talk.memory.terminal_replies == REPLIES_MAX {
        // The list is at its end: no more questions.
        talk.memory.terminal_replies = REPLIES_MAX;
        talk.memory.terminal_last = None;
    } else {
        talk.memory.terminal_last = Some(name.clone());
        talk.send(&[&[SEND]]);
    }
    match bits {
        Some(bits) => talk.client.mtts = Some(bits),
        None if name.is_empty() => return,
        // What the client said of itself by MNES is as good, and names its version besides.
        None if first && talk.client.name.is_none() => talk.client.name = Some(name),
        // Who says one thing twice has no other name than its terminal's.
        None if !first && talk.client.terminal.is_none() => talk.client.terminal = Some(name),
        None => return,
    }
    talk.learned();
}
