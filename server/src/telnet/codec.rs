//! Bytes in, lines and facts about the client out, and the bytes to answer with.
//!
//! Below this file there are sockets, above it the shell that decides what a line means.
//!
//! Invariant: knows no sockets and no clock, and the cut of the input into reads changes nothing: every prefix of the
//! bytes gives the same events and answers, however it arrived.

use super::bytes::*;
use super::event::TelnetEvent;
use super::handover::{Agreed, Negotiated};
use super::line_editor::LineEditor;
use super::option::{OPTIONS, Opt, OptionRow, Q, negotiate};
use super::position::At;
use super::terminal_type::{self, TerminalType};

/// Room for the longest list of character sets seen, and a bound for nonsense.
const SUBNEGOTIATION_BYTES_MAX: usize = 8 * 1024;
/// How often a client may talk us into an option. Two ends that mirror each other, with one stray "on, off" between
/// them, would pass it to and fro for ever: found by a property test, and not ruled out by RFC 1143.
const AGREEMENTS_MAX: u8 = 8;
const COLUMNS: std::ops::RangeInclusive<u16> = 20..=500;
const ROWS: std::ops::RangeInclusive<u16> = 5..=500;

const CHARSET_REQUEST: u8 = 1;
const CHARSET_ACCEPTED: u8 = 2;
const CHARSET_REJECTED: u8 = 3;

/// One connection's telnet. Under 150 bytes; the two buffers are empty between lines and between negotiations.
#[derive(Debug, Default)]
pub struct Codec {
    at: At,
    typed: LineEditor,
    payload: Vec<u8>,
    ours: [Q; OPTIONS.len()],
    theirs: [Q; OPTIONS.len()],
    /// A browser is at the other end: nothing counts any more.
    deaf: bool,
    /// The client has sent a telnet command, so it can read one.
    speaks_telnet: bool,
    /// We asked for a character set and wait for the answer.
    charset_asked: bool,
    agreements: u8,
    terminal: TerminalType,
}

impl Codec {
    /// `line_bytes_max`: longer lines are lost, with `LineTooLong`.
    pub fn new(line_bytes_max: usize) -> Codec {
        Codec { typed: LineEditor { bytes_max: line_bytes_max, ..LineEditor::default() }, ..Codec::default() }
    }

    /// What another codec needs to go on where this one stopped.
    pub fn state(&self) -> Negotiated {
        let side = |row: &OptionRow| {
            let at = row.option as usize;
            Agreed { code: row.code, ours: self.ours[at], theirs: self.theirs[at] }
        };
        Negotiated {
            options: OPTIONS.iter().map(side).collect(),
            at: self.at.into(),
            line: self.typed.line.clone(),
            payload: self.payload.clone(),
            ended_by: self.typed.ended_by,
            swallowing: self.typed.swallowing,
            past_first_line: self.typed.past_first_line,
            deaf: self.deaf,
            speaks_telnet: self.speaks_telnet,
            charset_asked: self.charset_asked,
            agreements: self.agreements,
            terminal_replies: self.terminal.replies,
            terminal_last: self.terminal.last.as_deref().map(str::to_owned),
        }
    }

    /// Goes on where another codec stopped; nothing is announced again.
    pub fn resume(line_bytes_max: usize, known: Negotiated) -> Codec {
        let mut codec = Codec {
            at: known.at.into(),
            typed: LineEditor {
                line: known.line,
                bytes_max: line_bytes_max,
                ended_by: known.ended_by,
                swallowing: known.swallowing,
                past_first_line: known.past_first_line,
            },
            payload: known.payload,
            deaf: known.deaf,
            speaks_telnet: known.speaks_telnet,
            charset_asked: known.charset_asked,
            agreements: known.agreements,
            terminal: TerminalType { replies: known.terminal_replies, last: known.terminal_last.map(Into::into) },
            ..Codec::default()
        };
        for agreed in known.options {
            if let Some(option) = Opt::of(agreed.code) {
                codec.ours[option as usize] = agreed.ours;
                codec.theirs[option as usize] = agreed.theirs;
            }
        }
        codec
    }

    /// The line so far, as a reader would take it.
    pub fn half_line(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.typed.line)
    }

    /// Drops the line that is being typed, with the rest of it that is still to come. False where none is.
    pub fn drop_half_line(&mut self) -> bool {
        self.typed.drop_half()
    }

    /// Announces what we can do. Nothing waits for the answers: they change things when they come.
    pub fn greet(&mut self, out: &mut Vec<u8>) {
        for option in [Opt::TerminalType, Opt::WindowSize] {
            let answer = self.theirs[option as usize].enable();
            negotiate(answer, DO, DONT, option.row().code, out);
        }
        for option in [Opt::EndOfRecord, Opt::Charset] {
            let answer = self.ours[option as usize].enable();
            negotiate(answer, WILL, WONT, option.row().code, out);
        }
    }

    /// Takes what was read, in pieces of any size. Appends to `events` what the shell shall know, in order, and to
    /// `reply` what must be sent back.
    pub fn receive(&mut self, bytes: &[u8], events: &mut Vec<TelnetEvent>, reply: &mut Vec<u8>) {
        let mut rest = bytes;
        while !self.deaf {
            if self.at == At::Data {
                let plain = rest.iter().position(|&b| b < 0x20 || b == 0x7f || b == IAC).unwrap_or(rest.len());
                events.extend(self.typed.text(&rest[..plain]));
                rest = &rest[plain..];
            }
            let Some((&byte, after)) = rest.split_first() else { return };
            rest = after;
            self.byte(byte, events, reply);
        }
    }

    /// Hides what is typed by promising to echo and not doing so. When it ends, the line break that the client did not
    /// show is sent as well. Harmless when repeated.
    pub fn password_mode(&mut self, on: bool, out: &mut Vec<u8>) {
        let echo = &mut self.ours[Opt::Echo as usize];
        let was_hidden = *echo == Q::Yes;
        let answer = if on { echo.enable() } else { echo.disable() };
        negotiate(answer, WILL, WONT, Opt::Echo.row().code, out);
        if !on && was_hidden {
            out.extend_from_slice(LINE_END);
        }
    }

    /// What marks the end of a prompt, for clients that make something of it: EOR if agreed; else GA, which telnet
    /// wants until it is suppressed; nothing for a client that has shown no sign of telnet.
    pub(super) fn prompt_mark(&self) -> &'static [u8] {
        if self.ours[Opt::EndOfRecord as usize] == Q::Yes {
            &[IAC, EOR]
        } else if self.speaks_telnet && self.ours[Opt::SuppressGoAhead as usize] != Q::Yes {
            &[IAC, GA]
        } else {
            &[]
        }
    }

    fn byte(&mut self, byte: u8, events: &mut Vec<TelnetEvent>, reply: &mut Vec<u8>) {
        match self.at {
            At::Data if byte == IAC => self.at = At::Command,
            At::Data => {
                let event = self.typed.control(byte);
                self.deaf |= event == Some(TelnetEvent::HttpRequest);
                events.extend(event);
            }
            At::Command => self.command(byte, events),
            At::Negotiation(verb) => {
                self.at = At::Data;
                self.negotiated(verb, byte, reply);
            }
            At::Subnegotiation => self.at = At::Payload(Opt::of(byte)),
            At::Payload(option) if byte == IAC => self.at = At::PayloadCommand(option),
            At::Payload(option) => self.payload_byte(option, byte),
            At::PayloadCommand(option) => match byte {
                SE => {
                    self.at = At::Data;
                    // Taken, so that the buffer is given back.
                    let payload = std::mem::take(&mut self.payload);
                    if let Some(option) = option.filter(|_| payload.len() <= SUBNEGOTIATION_BYTES_MAX) {
                        self.subnegotiated(option, &payload, events, reply);
                    }
                }
                IAC => {
                    self.at = At::Payload(option);
                    self.payload_byte(option, IAC);
                }
                // The client forgot the end: what it began is void, and its new command counts.
                other => {
                    self.payload = Vec::new();
                    self.command(other, events);
                }
            },
        }
    }

    /// Keeps one byte more than the cap at most, which tells that the cap was passed.
    fn payload_byte(&mut self, option: Option<Opt>, byte: u8) {
        if option.is_some() && self.payload.len() <= SUBNEGOTIATION_BYTES_MAX {
            self.payload.push(byte);
        }
    }

    /// The byte after IAC. All that is not named here is ignored: NOP, DM, BRK, IP, AO, end of file, GA.
    fn command(&mut self, byte: u8, events: &mut Vec<TelnetEvent>) {
        self.at = match byte {
            WILL | WONT | DO | DONT => At::Negotiation(byte),
            SB => At::Subnegotiation,
            _ => At::Data,
        };
        match byte {
            // A doubled IAC is the data byte 255: no UTF-8, but a byte of the line.
            IAC => events.extend(self.typed.text(&[IAC])),
            EC => self.typed.erase(),
            EL => self.typed.clear(),
            AYT => events.push(TelnetEvent::AreYouThere),
            _ => {}
        }
        self.speaks_telnet |= byte != IAC;
    }

    fn negotiated(&mut self, verb: u8, code: u8, reply: &mut Vec<u8>) {
        let Some(option) = Opt::of(code) else {
            // Unknown options are off on both sides for good, so only a wish to change that needs an answer.
            match verb {
                WILL => reply.extend_from_slice(&[IAC, DONT, code]),
                DO => reply.extend_from_slice(&[IAC, WONT, code]),
                _ => {}
            }
            return;
        };
        let (side, agree, on, off) = match verb {
            WILL | WONT => (&mut self.theirs[option as usize], option.row().theirs, DO, DONT),
            _ => (&mut self.ours[option as usize], option.row().ours, WILL, WONT),
        };
        let was = *side;
        let agree = agree && self.agreements < AGREEMENTS_MAX;
        let answer = if verb == WILL || verb == DO { side.told_on(agree) } else { side.told_off() };
        let begins = was != Q::Yes && *side == Q::Yes;
        self.agreements += u8::from(was == Q::No && begins);
        negotiate(answer, on, off, code, reply);
        match (option, verb) {
            (Opt::TerminalType, WILL) if begins => self.terminal.ask(reply),
            (Opt::Charset, DO) if begins && !self.charset_asked => {
                self.charset_asked = true;
                reply.extend_from_slice(&[IAC, SB, code, CHARSET_REQUEST]);
                reply.extend_from_slice(b";UTF-8");
                reply.extend_from_slice(&[IAC, SE]);
            }
            _ => {}
        }
    }

    fn subnegotiated(&mut self, option: Opt, payload: &[u8], events: &mut Vec<TelnetEvent>, reply: &mut Vec<u8>) {
        match (option, payload) {
            (Opt::WindowSize, &[w_high, w_low, h_high, h_low]) if self.theirs[option as usize] == Q::Yes => {
                let known = |high, low, range: std::ops::RangeInclusive<u16>| match u16::from_be_bytes([high, low]) {
                    0 => None,
                    size => Some(size.clamp(*range.start(), *range.end())),
                };
                let (columns, rows) = (known(w_high, w_low, COLUMNS), known(h_high, h_low, ROWS));
                events.push(TelnetEvent::WindowSize { columns, rows });
            }
            (Opt::TerminalType, [terminal_type::IS, name @ ..]) if self.theirs[option as usize] == Q::Yes => {
                self.terminal.named(name, events, reply);
            }
            (Opt::Charset, [CHARSET_ACCEPTED, name @ ..]) if self.charset_asked => {
                self.charset_asked = false;
                events.push(TelnetEvent::Charset { utf8: is_utf8(name) });
            }
            (Opt::Charset, [CHARSET_REJECTED, ..]) if self.charset_asked => {
                self.charset_asked = false;
                events.push(TelnetEvent::Charset { utf8: false });
            }
            (Opt::Charset, [CHARSET_REQUEST, list @ ..]) if self.theirs[option as usize] == Q::Yes => {
                let list = list.strip_prefix(b"[TTABLE]").map_or(list, |rest| rest.get(1..).unwrap_or_default());
                let offered = list.split_first().is_some_and(|(by, list)| list.split(|b| b == by).any(is_utf8));
                // When both ends ask at once, the server's question stands (RFC 2066).
                let accepts = offered && !self.charset_asked;
                reply.extend_from_slice(&[IAC, SB, option.row().code]);
                if accepts {
                    reply.push(CHARSET_ACCEPTED);
                    reply.extend_from_slice(b"UTF-8");
                    events.push(TelnetEvent::Charset { utf8: true });
                } else {
                    reply.push(CHARSET_REJECTED);
                }
                reply.extend_from_slice(&[IAC, SE]);
            }
            _ => {}
        }
    }
}

fn is_utf8(charset: &[u8]) -> bool {
    charset.eq_ignore_ascii_case(b"UTF-8") || charset.eq_ignore_ascii_case(b"UTF8")
}

#[cfg(test)]
mod tests;
