//! What a telnet option is: a row of the table (`options`), what it may say and hear, and what it remembers.
//!
//! Invariant: what a client says is answered by `Talk` alone, which knows when enough was answered; every
//! subnegotiation, also one that the shell wants sent, is framed by `subnegotiation`, which doubles IAC.

use super::bytes::{IAC, SB, SE};
use super::capabilities::Capabilities;
use super::event::TelnetEvent;

/// An option that we know; its number is its place in the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opt {
    Echo,
    SuppressGoAhead,
    TerminalType,
    EndOfRecord,
    WindowSize,
    NewEnviron,
    Charset,
    Listing,
    Compression,
    Gmcp,
    /// MSDP.
    Variables,
    Mxp,
}

/// How many there are.
pub const OPTION_COUNT: usize = Opt::Mxp as usize + 1;

pub struct OptionRow {
    pub option: Opt,
    pub code: u8,
    /// We do it when asked.
    pub ours: bool,
    /// The client may do it.
    pub theirs: bool,
    /// What the greeting says of it, or the next program, where the one before did not know it.
    pub offer: Offer,
    /// One side of it went on or off: what there is to say or to do at once.
    pub turned: fn(&mut Talk<'_>, Side),
    /// A subnegotiation came, without its frame.
    pub heard: fn(&mut Talk<'_>, &[u8]),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Offer {
    Nothing,
    /// DO: the client is asked to do it.
    Ask,
    /// WILL: we could do it.
    Promise,
}

/// Whose side of an option.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Side {
    Ours,
    Theirs,
}

/// For options that have nothing to say when they go on or off.
pub fn silent(_: &mut Talk<'_>, _: Side) {}

/// For options of which no subnegotiation is heard.
pub fn deaf(_: &mut Talk<'_>, _: &[u8]) {}

/// What options remember of a connection, besides what they learn of the client.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// We asked for a character set and wait for the answer.
    pub charset_asked: bool,
    /// Answers to the question for the terminal so far.
    pub terminal_replies: u8,
    /// The last of them.
    pub terminal_last: Option<Box<str>>,
}

/// An option at work.
pub struct Talk<'t> {
    pub code: u8,
    /// We do it.
    pub ours: bool,
    /// The client does it.
    pub theirs: bool,
    /// So much was answered on this connection that nothing more is.
    pub(super) is_over: bool,
    pub memory: &'t mut Memory,
    pub client: &'t mut Capabilities,
    pub(super) events: &'t mut Vec<TelnetEvent>,
    pub(super) reply: &'t mut Vec<u8>,
}

impl Talk<'_> {
    /// Sends a subnegotiation, unless enough was answered. Whether it did.
    pub fn send(&mut self, payload: &[&[u8]]) -> bool {
        if !self.is_over {
            subnegotiation(self.code, payload, self.reply);
        }
        !self.is_over
    }

    /// Something of the client was told: perhaps what was not known before.
    pub fn learned(&mut self) {
        self.events.push(TelnetEvent::Client);
    }

    /// Something that is no matter of the client's.
    pub fn tell(&mut self, event: TelnetEvent) {
        self.events.push(event);
    }
}

/// Appends a whole subnegotiation. A byte that is IAC is doubled.
pub fn subnegotiation(code: u8, payload: &[&[u8]], out: &mut Vec<u8>) {
    out.extend_from_slice(&[IAC, SB, code]);
    for byte in payload.iter().copied().flatten() {
        out.push(*byte);
        if *byte == IAC {
            out.push(IAC);
        }
    }
    out.extend_from_slice(&[IAC, SE]);
}
