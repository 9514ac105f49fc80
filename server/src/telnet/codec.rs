//! Bytes in, lines and facts about the client out, and the bytes to answer with.
//!
//! Below this file there are sockets, above it the shell that decides what a line means.
//!
//! Invariant: knows no sockets and no clock, and the cut of the input into reads changes nothing: every prefix of the
//! bytes gives the same events and answers, however it arrived.

use super::bytes::*;
use super::handover::{Agreed, Negotiated};
use super::option::{OPTIONS, Opt, OptionRow, Q, negotiate};
use super::position::At;
use protocol::names::clean_text;

/// Room for the longest list of character sets seen, and a bound for nonsense.
const SUBNEGOTIATION_BYTES_MAX: usize = 8 * 1024;
/// Clients name themselves, their terminal and their MTTS bits; a fourth repeats the third. More is a runaway.
const TERMINAL_REPLIES_MAX: u8 = 4;
const TERMINAL_NAME_BYTES_MAX: usize = 64;
/// How often a client may talk us into an option. Two ends that mirror each other, with one stray "on, off" between
/// them, would pass it to and fro for ever: found by a property test, and not ruled out by RFC 1143.
const AGREEMENTS_MAX: u8 = 8;
const COLUMNS: std::ops::RangeInclusive<u16> = 20..=500;
const ROWS: std::ops::RangeInclusive<u16> = 5..=500;

const TTYPE_IS: u8 = 0;
const TTYPE_SEND: u8 = 1;
const CHARSET_REQUEST: u8 = 1;
const CHARSET_ACCEPTED: u8 = 2;
const CHARSET_REJECTED: u8 = 3;

/// What the shell learns.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TelnetEvent {
    /// A complete line without its end, edits applied, without control characters; what was not UTF-8 is U+FFFD.
    Line(String),
    /// A line passed the limit; all of it is lost. Said at once, not at its end.
    LineTooLong,
    /// Of the client's window; `None` is unknown. Columns 20..=500, rows 5..=500.
    WindowSize { columns: Option<u16>, rows: Option<u16> },
    /// Up to four: first the client's name, then terminals. Printable ASCII, at most 64 bytes.
    TerminalType(String),
    /// The bits of the Mud Terminal Type Standard: 1 ANSI, 4 UTF-8, 8 256 colours, 64 screen reader, 256 truecolor, …
    Mtts(u32),
    /// Whether the client agreed to UTF-8. Without this event: not known, and UTF-8 is sent.
    Charset { utf8: bool },
    /// The shell answers visibly.
    AreYouThere,
    /// The first line is that of a web browser. The shell answers with a hint and closes; all further input is ignored.
    HttpRequest,
}

/// One connection's telnet. Under 150 bytes; the two buffers are empty between lines and between negotiations.
#[derive(Debug, Default)]
pub struct Codec {
    at: At,
    /// The line so far, edits applied; at most `line_bytes_max`.
    line: Vec<u8>,
    line_bytes_max: usize,
    payload: Vec<u8>,
    ours: [Q; OPTIONS.len()],
    theirs: [Q; OPTIONS.len()],
    /// The byte that ended the last line, if nothing came since: its partner belongs to it.
    ended_by: Option<u8>,
    /// The rest of a line that was too long is swallowed.
    swallowing: bool,
    past_first_line: bool,
    /// A browser is at the other end: nothing counts any more.
    deaf: bool,
    /// The client has sent a telnet command, so it can read one.
    speaks_telnet: bool,
    /// We asked for a character set and wait for the answer.
    charset_asked: bool,
    agreements: u8,
    terminal_replies: u8,
    terminal_last: Option<Box<str>>,
}

impl Codec {
    /// `line_bytes_max`: longer lines are lost, with `LineTooLong`.
    pub fn new(line_bytes_max: usize) -> Codec {
        Codec { line_bytes_max, ..Codec::default() }
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
            line: self.line.clone(),
            payload: self.payload.clone(),
            ended_by: self.ended_by,
            swallowing: self.swallowing,
            past_first_line: self.past_first_line,
            deaf: self.deaf,
            speaks_telnet: self.speaks_telnet,
            charset_asked: self.charset_asked,
            agreements: self.agreements,
            terminal_replies: self.terminal_replies,
            terminal_last: self.terminal_last.as_deref().map(str::to_owned),
        }
    }

    /// Goes on where another codec stopped; nothing is announced again.
    pub fn resume(line_bytes_max: usize, known: Negotiated) -> Codec {
        let mut codec = Codec {
            at: known.at.into(),
            line: known.line,
            line_bytes_max,
            payload: known.payload,
            ended_by: known.ended_by,
            swallowing: known.swallowing,
            past_first_line: known.past_first_line,
            deaf: known.deaf,
            speaks_telnet: known.speaks_telnet,
            charset_asked: known.charset_asked,
            agreements: known.agreements,
            terminal_replies: known.terminal_replies,
            terminal_last: known.terminal_last.map(Into::into),
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
        String::from_utf8_lossy(&self.line)
    }

    /// Drops the line that is being typed, with the rest of it that is still to come. False where none is.
    pub fn drop_half_line(&mut self) -> bool {
        if self.line.is_empty() {
            return false;
        }
        self.line = Vec::new();
        self.swallowing = true;
        true
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
                self.text(&rest[..plain], events);
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
            At::Data => self.control(byte, events),
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
            IAC => self.text(&[IAC], events),
            EC => self.erase(),
            EL => self.line.clear(),
            AYT => events.push(TelnetEvent::AreYouThere),
            _ => {}
        }
        self.speaks_telnet |= byte != IAC;
    }

    /// Bytes of a line: no C0, no DEL.
    fn text(&mut self, bytes: &[u8], events: &mut Vec<TelnetEvent>) {
        if bytes.is_empty() {
            return;
        }
        self.ended_by = None;
        if self.swallowing {
            return;
        }
        if self.line.len() + bytes.len() > self.line_bytes_max {
            self.swallowing = true;
            self.line = Vec::new();
            events.push(TelnetEvent::LineTooLong);
            return;
        }
        self.line.extend_from_slice(bytes);
    }

    fn control(&mut self, byte: u8, events: &mut Vec<TelnetEvent>) {
        let partner = self.ended_by.take();
        match (partner, byte) {
            // The second half of CR LF, CR NUL or LF CR.
            (Some(b'\r'), b'\n' | 0) | (Some(b'\n'), b'\r') => {}
            (_, b'\r' | b'\n') => {
                self.ended_by = Some(byte);
                self.end_line(events);
            }
            (_, 0x08 | 0x7f) => self.erase(),
            // A tab parts words, so it counts as a space.
            (_, b'\t') => self.text(b" ", events),
            _ => {}
        }
    }

    fn end_line(&mut self, events: &mut Vec<TelnetEvent>) {
        let is_first = !std::mem::replace(&mut self.past_first_line, true);
        if std::mem::take(&mut self.swallowing) {
            return;
        }
        let line = match String::from_utf8(std::mem::take(&mut self.line)) {
            Ok(line) => line,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        };
        if is_first && is_http_request(&line) {
            self.deaf = true;
            events.push(TelnetEvent::HttpRequest);
            return;
        }
        // What C1 and the invisible characters could do, they do not get to; C0 never came this far.
        let line = match clean_text(&line) {
            std::borrow::Cow::Borrowed(_) => line,
            std::borrow::Cow::Owned(clean) => clean,
        };
        events.push(TelnetEvent::Line(line));
    }

    /// Takes back one character as it would be shown: a whole UTF-8 sequence, even one cut short, or one stray byte.
    fn erase(&mut self) {
        let line = &mut self.line;
        let tail = line.iter().rev().take(3).take_while(|&&b| b & 0xc0 == 0x80).count();
        let lead = line.len().checked_sub(tail + 1).map(|at| line[at]);
        let expected = match lead {
            Some(0xc2..=0xdf) => 1,
            Some(0xe0..=0xef) => 2,
            Some(0xf0..=0xf4) => 3,
            _ => 0,
        };
        // A tail longer than its lead wants has a stray byte at the end: that one goes.
        let whole = if (1..=expected).contains(&tail) { tail + 1 } else { 1 };
        line.truncate(line.len().saturating_sub(whole));
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
            (Opt::TerminalType, WILL) if begins => self.ask_terminal(reply),
            (Opt::Charset, DO) if begins && !self.charset_asked => {
                self.charset_asked = true;
                reply.extend_from_slice(&[IAC, SB, code, CHARSET_REQUEST]);
                reply.extend_from_slice(b";UTF-8");
                reply.extend_from_slice(&[IAC, SE]);
            }
            _ => {}
        }
    }

    fn ask_terminal(&mut self, reply: &mut Vec<u8>) {
        if self.terminal_replies < TERMINAL_REPLIES_MAX {
            reply.extend_from_slice(&[IAC, SB, Opt::TerminalType.row().code, TTYPE_SEND, IAC, SE]);
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
            (Opt::TerminalType, [TTYPE_IS, name @ ..]) if self.theirs[option as usize] == Q::Yes => {
                self.terminal_named(name, events, reply);
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

    fn terminal_named(&mut self, name: &[u8], events: &mut Vec<TelnetEvent>, reply: &mut Vec<u8>) {
        if self.terminal_replies == TERMINAL_REPLIES_MAX {
            return;
        }
        self.terminal_replies += 1;
        let name: String = name
            .iter()
            .filter(|b| (0x20..0x7f).contains(*b))
            .take(TERMINAL_NAME_BYTES_MAX)
            .map(|&b| char::from(b))
            .collect();
        let bits = name.strip_prefix("MTTS ").and_then(|bits| bits.trim().parse().ok());
        let repeats = self.terminal_last.as_deref() == Some(name.as_str());
        if bits.is_some() || repeats || self.terminal_replies == TERMINAL_REPLIES_MAX {
            // The list is at its end: no more questions.
            self.terminal_replies = TERMINAL_REPLIES_MAX;
            self.terminal_last = None;
        } else {
            self.terminal_last = Some(name.as_str().into());
            self.ask_terminal(reply);
        }
        match bits {
            Some(bits) => events.push(TelnetEvent::Mtts(bits)),
            None if !repeats && !name.is_empty() => events.push(TelnetEvent::TerminalType(name)),
            None => {}
        }
    }
}

fn is_utf8(charset: &[u8]) -> bool {
    charset.eq_ignore_ascii_case(b"UTF-8") || charset.eq_ignore_ascii_case(b"UTF8")
}

/// `GET / HTTP/1.1`: three words, the last of them a version of HTTP.
fn is_http_request(line: &str) -> bool {
    let mut words = line.split(' ');
    let method = words.next().is_some_and(|word| !word.is_empty() && word.bytes().all(|b| b.is_ascii_uppercase()));
    method && words.next().is_some() && words.next().is_some_and(|v| v.starts_with("HTTP/")) && words.next().is_none()
}

#[cfg(test)]
mod tests;
