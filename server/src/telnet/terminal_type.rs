//! The option that asks a client for its terminal (RFC 1091), again and again until its answers end.
//!
//! Invariant: a client is asked a bounded number of times, whatever it answers.

use super::bytes::{IAC, SB, SE};
use super::event::TelnetEvent;
use super::option::Opt;

/// Clients name themselves, their terminal and their MTTS bits; a fourth repeats the third. More is a runaway.
const TERMINAL_REPLIES_MAX: u8 = 4;
const TERMINAL_NAME_BYTES_MAX: usize = 64;

pub(super) const IS: u8 = 0;
pub(super) const SEND: u8 = 1;

#[derive(Clone, Debug, Default)]
pub(super) struct TerminalType {
    /// Answers so far; at the most, no more is asked.
    pub(super) replies: u8,
    pub(super) last: Option<Box<str>>,
}

impl TerminalType {
    /// Asks for the next name, if there is to be one.
    pub(super) fn ask(&self, reply: &mut Vec<u8>) {
        if self.replies < TERMINAL_REPLIES_MAX {
            reply.extend_from_slice(&[IAC, SB, Opt::TerminalType.row().code, SEND, IAC, SE]);
        }
    }

    /// The client has answered.
    pub(super) fn named(&mut self, name: &[u8], events: &mut Vec<TelnetEvent>, reply: &mut Vec<u8>) {
        if self.replies == TERMINAL_REPLIES_MAX {
            return;
        }
        self.replies += 1;
        let name: String = name
            .iter()
            .filter(|b| (0x20..0x7f).contains(*b))
            .take(TERMINAL_NAME_BYTES_MAX)
            .map(|&b| char::from(b))
            .collect();
        let bits = name.strip_prefix("MTTS ").and_then(|bits| bits.trim().parse().ok());
        let repeats = self.last.as_deref() == Some(name.as_str());
        if bits.is_some() || repeats || self.replies == TERMINAL_REPLIES_MAX {
            // The list is at its end: no more questions.
            self.replies = TERMINAL_REPLIES_MAX;
            self.last = None;
        } else {
            self.last = Some(name.as_str().into());
            self.ask(reply);
        }
        match bits {
            Some(bits) => events.push(TelnetEvent::Mtts(bits)),
            None if !repeats && !name.is_empty() => events.push(TelnetEvent::TerminalType(name)),
            None => {}
        }
    }
}
