//! Telnet as a state machine: bytes in, lines and facts about the client out, and the bytes to answer with.
//!
//! Below this file there are sockets, above it the shell that decides what a line means. Option negotiation follows the
//! Q method (RFC 1143): only a change of state is answered, so two ends can never argue for ever.
//!
//! Invariant: knows no sockets and no clock, and the cut of the input into reads changes nothing: every prefix of the
//! bytes gives the same events and answers, however it arrived.

use protocol::names::clean_text;
use serde::{Deserialize, Serialize};

use self::command::*;

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

/// Bytes with a meaning (RFC 854, 885).
mod command {
    pub const EOR: u8 = 239;
    pub const SE: u8 = 240;
    pub const AYT: u8 = 246;
    pub const EC: u8 = 247;
    pub const EL: u8 = 248;
    pub const GA: u8 = 249;
    pub const SB: u8 = 250;
    pub const WILL: u8 = 251;
    pub const WONT: u8 = 252;
    pub const DO: u8 = 253;
    pub const DONT: u8 = 254;
    pub const IAC: u8 = 255;
}

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

/// An option that we know; its number is its place in `OPTIONS`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Opt {
    Echo,
    SuppressGoAhead,
    TerminalType,
    EndOfRecord,
    WindowSize,
    Charset,
}

struct OptionRow {
    option: Opt,
    code: u8,
    /// We do it when asked, and may offer it.
    ours: bool,
    /// The client may do it.
    theirs: bool,
}

/// What we agree to. All else is refused.
const OPTIONS: [OptionRow; 6] = [
    // Ours only while a password is typed, which `password_mode` offers; we never echo what is typed.
    OptionRow { option: Opt::Echo, code: 1, ours: false, theirs: false },
    // Never offered: it puts the `telnet` of Debian into character mode, where Enter shows ^M and backspace ^?.
    OptionRow { option: Opt::SuppressGoAhead, code: 3, ours: true, theirs: true },
    OptionRow { option: Opt::TerminalType, code: 24, ours: false, theirs: true },
    OptionRow { option: Opt::EndOfRecord, code: 25, ours: true, theirs: false },
    OptionRow { option: Opt::WindowSize, code: 31, ours: false, theirs: true },
    // Either end may begin (RFC 2066); we offer.
    OptionRow { option: Opt::Charset, code: 42, ours: true, theirs: true },
];

impl Opt {
    fn of(code: u8) -> Option<Opt> {
        OPTIONS.iter().find(|row| row.code == code).map(|row| row.option)
    }

    fn row(self) -> &'static OptionRow {
        &OPTIONS[self as usize]
    }
}

/// One side of one option, as in RFC 1143; "opposite" is its queue bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
enum Q {
    #[default]
    No,
    Yes,
    WantNo,
    WantNoOpposite,
    WantYes,
    WantYesOpposite,
}

/// What to send after a change: the word for "on" or for "off", or nothing.
type Answer = Option<bool>;

impl Q {
    /// We want it on.
    fn enable(&mut self) -> Answer {
        let (next, answer) = match *self {
            Q::No => (Q::WantYes, Some(true)),
            Q::WantNo => (Q::WantNoOpposite, None),
            Q::WantYesOpposite => (Q::WantYes, None),
            other => (other, None),
        };
        *self = next;
        answer
    }

    /// We want it off.
    fn disable(&mut self) -> Answer {
        let (next, answer) = match *self {
            Q::Yes => (Q::WantNo, Some(false)),
            Q::WantNoOpposite => (Q::WantNo, None),
            Q::WantYes => (Q::WantYesOpposite, None),
            other => (other, None),
        };
        *self = next;
        answer
    }

    /// The other end says on (WILL for its side, DO for ours).
    fn told_on(&mut self, agree: bool) -> Answer {
        let (next, answer) = match *self {
            Q::No if agree => (Q::Yes, Some(true)),
            Q::No => (Q::No, Some(false)),
            Q::Yes | Q::WantNoOpposite | Q::WantYes => (Q::Yes, None),
            // An answer of "on" to our "off" is an error of theirs; ours stands.
            Q::WantNo => (Q::No, None),
            Q::WantYesOpposite => (Q::WantNo, Some(false)),
        };
        *self = next;
        answer
    }

    /// The other end says off (WONT or DONT).
    fn told_off(&mut self) -> Answer {
        let (next, answer) = match *self {
            Q::Yes => (Q::No, Some(false)),
            Q::WantNoOpposite => (Q::WantYes, Some(true)),
            Q::No | Q::WantNo | Q::WantYes | Q::WantYesOpposite => (Q::No, None),
        };
        *self = next;
        answer
    }
}

/// Where in a telnet sequence the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum At {
    #[default]
    Data,
    Command,
    /// After WILL, WONT, DO or DONT: the option.
    Negotiation(u8),
    /// After SB: the option.
    Subnegotiation,
    /// Inside SB.
    Payload(Option<Opt>),
    /// After IAC inside SB.
    PayloadCommand(Option<Opt>),
}

/// All that a codec knows of its connection, for another codec to go on with: what was agreed, and what was read of a
/// line or a command that has not ended. `Codec::state` makes it, `Codec::resume` takes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Negotiated {
    /// By the option's code in telnet, so that another version may number its own otherwise.
    options: Vec<Agreed>,
    at: Midst,
    /// The line so far. Bytes, since it may end within a character.
    line: Vec<u8>,
    payload: Vec<u8>,
    ended_by: Option<u8>,
    swallowing: bool,
    past_first_line: bool,
    deaf: bool,
    speaks_telnet: bool,
    charset_asked: bool,
    agreements: u8,
    terminal_replies: u8,
    terminal_last: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
struct Agreed {
    code: u8,
    ours: Q,
    theirs: Q,
}

/// `At`, with options by their codes; 0 is none that we know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
enum Midst {
    Data,
    Command,
    Negotiation(u8),
    Subnegotiation,
    Payload(u8),
    PayloadCommand(u8),
}

impl From<At> for Midst {
    fn from(at: At) -> Midst {
        let code = |option: Option<Opt>| option.map_or(0, |option| option.row().code);
        match at {
            At::Data => Midst::Data,
            At::Command => Midst::Command,
            At::Negotiation(verb) => Midst::Negotiation(verb),
            At::Subnegotiation => Midst::Subnegotiation,
            At::Payload(option) => Midst::Payload(code(option)),
            At::PayloadCommand(option) => Midst::PayloadCommand(code(option)),
        }
    }
}

impl From<Midst> for At {
    fn from(midst: Midst) -> At {
        match midst {
            Midst::Data => At::Data,
            Midst::Command => At::Command,
            Midst::Negotiation(verb) => At::Negotiation(verb),
            Midst::Subnegotiation => At::Subnegotiation,
            Midst::Payload(code) => At::Payload(Opt::of(code)),
            Midst::PayloadCommand(code) => At::PayloadCommand(Opt::of(code)),
        }
    }
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
            out.extend_from_slice(b"\r\n");
        }
    }

    /// Marks the end of a prompt, for clients that make something of it: EOR if agreed; else GA, which telnet wants
    /// until it is suppressed; nothing for a client that has shown no sign of telnet.
    pub fn end_prompt(&self, out: &mut Vec<u8>) {
        if self.ours[Opt::EndOfRecord as usize] == Q::Yes {
            out.extend_from_slice(&[IAC, EOR]);
        } else if self.speaks_telnet && self.ours[Opt::SuppressGoAhead as usize] != Q::Yes {
            out.extend_from_slice(&[IAC, GA]);
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

fn negotiate(answer: Answer, on: u8, off: u8, code: u8, out: &mut Vec<u8>) {
    match answer {
        Some(true) => out.extend_from_slice(&[IAC, on, code]),
        Some(false) => out.extend_from_slice(&[IAC, off, code]),
        None => {}
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

/// Appends text as telnet carries it: `\n` becomes CR LF, a `\r` in the text is dropped so that none stands alone.
/// IAC needs no doubling here: the byte 255 is never part of UTF-8.
pub fn encode_text(text: &str, out: &mut Vec<u8>) {
    out.reserve(text.len() + 16);
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.extend_from_slice(b"\r\n");
        }
        match line.contains('\r') {
            false => out.extend_from_slice(line.as_bytes()),
            true => out.extend(line.bytes().filter(|byte| *byte != b'\r')),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TelnetEvent::*;
    use super::*;
    use proptest::prelude::*;

    /// The default of `--telnet-line-bytes`.
    const LINE_BYTES_MAX: usize = 1024;

    const NO_BYTES: [u8; 0] = [];
    const NO_EVENTS: [TelnetEvent; 0] = [];

    fn feed(codec: &mut Codec, bytes: &[u8]) -> (Vec<TelnetEvent>, Vec<u8>) {
        let (mut events, mut reply) = (Vec::new(), Vec::new());
        codec.receive(bytes, &mut events, &mut reply);
        (events, reply)
    }

    fn events(bytes: &[u8]) -> Vec<TelnetEvent> {
        feed(&mut Codec::new(LINE_BYTES_MAX), bytes).0
    }

    fn lines(texts: &[&str]) -> Vec<TelnetEvent> {
        texts.iter().map(|text| Line((*text).to_owned())).collect()
    }

    /// A codec that has greeted, and the bytes of the greeting.
    fn greeted() -> (Codec, Vec<u8>) {
        let (mut codec, mut out) = (Codec::new(LINE_BYTES_MAX), Vec::new());
        codec.greet(&mut out);
        (codec, out)
    }

    fn sub(code: u8, payload: &[u8]) -> Vec<u8> {
        [&[IAC, SB, code], payload, &[IAC, SE]].concat()
    }

    #[test]
    fn each_way_to_end_a_line_ends_it_once() {
        for (bytes, expected) in [
            (&b"a\r\nb\r\n"[..], &["a", "b"][..]),
            (b"a\r\0b\r\0", &["a", "b"]),
            (b"a\nb\n", &["a", "b"]),
            (b"a\n\rb\n\r", &["a", "b"]),
            (b"a\rb\r", &["a", "b"]),
            (b"\r\n\r\n", &["", ""]),
            (b"\n\n", &["", ""]),
            (b"\r\r", &["", ""]),
            (b"a\r\xff\xf1\nb\n", &["a", "b"]),
            (b"unfinished", &[]),
        ] {
            assert_eq!(events(bytes), lines(expected), "{bytes:?}");
        }
    }

    #[test]
    fn backspace_takes_back_whole_characters() {
        for (bytes, line) in [
            (&b"lokk\x08\x08ok\n"[..], "look"),
            (b"lokk\x7f\x7fok\n", "look"),
            ("né\x08e\n".as_bytes(), "ne"),
            ("日本\x7f\n".as_bytes(), "日"),
            ("a🦀\x08b\n".as_bytes(), "ab"),
            (b"a\xe2\x82\x08b\n", "ab"),
            (b"a\x80\x08b\n", "ab"),
            (b"\xc3\xa9\xa9\x08\n", "é"),
            (b"\x08\x08a\n", "a"),
            (b"ab\xff\xf7c\n", "ac"),
            (b"ab\xff\xf8c\n", "c"),
        ] {
            assert_eq!(events(bytes), lines(&[line]), "{bytes:?}");
        }
    }

    #[test]
    fn a_line_carries_no_control_characters_and_only_utf8() {
        for (bytes, line) in [
            (&b"say \x1b[31mred\x07\x00\n"[..], "say [31mred"),
            ("say \u{9b}31m\u{202e}x\n".as_bytes(), "say 31mx"),
            (b"caf\xe9\n", "caf\u{fffd}"),
            (b"a\xff\xffb\n", "a\u{fffd}b"),
            (b"a\tb\n", "a b"),
            ("naïve 🦀\n".as_bytes(), "naïve 🦀"),
        ] {
            assert_eq!(events(bytes), lines(&[line]), "{bytes:?}");
        }
    }

    #[test]
    fn a_line_too_long_is_lost_alone() {
        let full = "x".repeat(LINE_BYTES_MAX);
        assert_eq!(events(format!("{full}\nlook\n").as_bytes()), lines(&[&full, "look"]));
        let after = [vec![LineTooLong], lines(&["look"])].concat();
        assert_eq!(events(format!("{full}xx\x08\r\nlook\r\n").as_bytes()), after);
        let flood = "x".repeat(100_000);
        assert_eq!(events(flood.as_bytes()), [LineTooLong]);
    }

    #[test]
    fn a_browser_is_noticed_on_the_first_line_alone() {
        assert_eq!(events(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"), [HttpRequest]);
        assert_eq!(events(b"bob\r\nGET / HTTP/1.1\r\n"), lines(&["bob", "GET / HTTP/1.1"]));
        assert_eq!(events(b"get sword\n"), lines(&["get sword"]));
    }

    #[test]
    fn the_window_size_is_clamped_and_zero_is_unknown() {
        let (mut codec, _) = greeted();
        let ask = |codec: &mut Codec, payload: &[u8]| feed(codec, &sub(31, payload)).0;
        assert_eq!(ask(&mut codec, &[0, 80, 0, 24]), NO_EVENTS, "before WILL it counts for nothing");
        feed(&mut codec, &[IAC, WILL, 31]);
        assert_eq!(ask(&mut codec, &[0, 80, 0, 24]), [WindowSize { columns: Some(80), rows: Some(24) }]);
        assert_eq!(ask(&mut codec, &[0, 0, 0, 0]), [WindowSize { columns: None, rows: None }]);
        assert_eq!(ask(&mut codec, &[0, 1, 255, 255, 255, 255]), [WindowSize { columns: Some(20), rows: Some(500) }]);
        assert_eq!(ask(&mut codec, &[0, 255, 255, 0, 50]), [WindowSize { columns: Some(255), rows: Some(50) }]);
        assert_eq!(ask(&mut codec, &[0, 80]), NO_EVENTS);
    }

    #[test]
    fn the_terminal_is_asked_until_its_answers_end() {
        let question = sub(24, &[TTYPE_SEND]);
        let answer = |name: &str| sub(24, &[&[TTYPE_IS], name.as_bytes()].concat());
        let named = |name: &str| TerminalType(name.to_owned());
        let (mut codec, _) = greeted();
        assert_eq!(feed(&mut codec, &[IAC, WILL, 24]), (vec![], question.clone()));
        assert_eq!(feed(&mut codec, &answer("TINTIN++")), (vec![named("TINTIN++")], question.clone()));
        assert_eq!(feed(&mut codec, &answer("xterm\x1b-256color")), (vec![named("xterm-256color")], question.clone()));
        assert_eq!(feed(&mut codec, &answer("MTTS 271")), (vec![Mtts(271)], vec![]));
        assert_eq!(feed(&mut codec, &answer("MTTS 271")), (vec![], vec![]));
        let (mut codec, _) = greeted();
        feed(&mut codec, &[IAC, WILL, 24]);
        assert_eq!(feed(&mut codec, &answer("XTERM")), (vec![named("XTERM")], question.clone()));
        assert_eq!(feed(&mut codec, &answer("XTERM")), (vec![], vec![]), "a repeat ends it");
        let (mut codec, _) = greeted();
        feed(&mut codec, &[IAC, WILL, 24]);
        let asked = (0..9).filter(|n| !feed(&mut codec, &answer(&format!("T{n}"))).1.is_empty()).count();
        assert_eq!(asked, 3, "and so does the fourth");
    }

    #[test]
    fn the_character_set_is_agreed_by_either_end() {
        let (mut codec, greeting) = greeted();
        assert!(greeting.ends_with(&[IAC, WILL, 42]));
        let request = sub(42, b"\x01;UTF-8");
        assert_eq!(feed(&mut codec, &[IAC, DO, 42]), (vec![], request.clone()));
        assert_eq!(feed(&mut codec, &sub(42, b"\x02UTF-8")).0, [Charset { utf8: true }]);
        assert_eq!(feed(&mut codec, &sub(42, b"\x03")).0, NO_EVENTS, "only an answer counts");
        let (mut codec, _) = greeted();
        feed(&mut codec, &[IAC, DO, 42]);
        assert_eq!(feed(&mut codec, &sub(42, b"\x03")).0, [Charset { utf8: false }]);
        feed(&mut codec, &[IAC, WILL, 42]);
        let accepted = (vec![Charset { utf8: true }], sub(42, b"\x02UTF-8"));
        assert_eq!(feed(&mut codec, &sub(42, b"\x01 ISO-8859-1 utf-8")), accepted);
        assert_eq!(feed(&mut codec, &sub(42, b"\x01;KOI8-R")), (vec![], sub(42, b"\x03")));
    }

    #[test]
    fn a_password_is_hidden_and_the_line_break_after_it_shown() {
        let (mut codec, mut out) = (Codec::new(LINE_BYTES_MAX), Vec::new());
        codec.password_mode(true, &mut out);
        codec.password_mode(true, &mut out);
        assert_eq!(out, [IAC, WILL, 1]);
        assert_eq!(feed(&mut codec, &[IAC, DO, 1]).1, NO_BYTES);
        assert_eq!(feed(&mut codec, b"hunter2\r\n").0, lines(&["hunter2"]));
        out.clear();
        codec.password_mode(false, &mut out);
        codec.password_mode(false, &mut out);
        assert_eq!(out, [IAC, WONT, 1, b'\r', b'\n']);
        assert_eq!(feed(&mut codec, &[IAC, DONT, 1]).1, NO_BYTES);
    }

    #[test]
    fn a_password_mode_that_ends_before_its_answer_ends_after_it() {
        let (mut codec, mut out) = (Codec::new(LINE_BYTES_MAX), Vec::new());
        codec.password_mode(true, &mut out);
        codec.password_mode(false, &mut out);
        assert_eq!(out, [IAC, WILL, 1]);
        assert_eq!(feed(&mut codec, &[IAC, DO, 1]).1, [IAC, WONT, 1]);
        assert_eq!(feed(&mut codec, &[IAC, DONT, 1]).1, NO_BYTES);
    }

    #[test]
    fn a_prompt_ends_as_the_client_can_read_it() {
        let end = |codec: &Codec| {
            let mut out = Vec::new();
            codec.end_prompt(&mut out);
            out
        };
        let (mut codec, _) = greeted();
        assert_eq!(end(&codec), NO_BYTES, "a client without telnet is told nothing");
        feed(&mut codec, &[IAC, DONT, 25]);
        assert_eq!(end(&codec), [IAC, GA]);
        assert_eq!(feed(&mut codec, &[IAC, DO, 3]).1, [IAC, WILL, 3]);
        assert_eq!(end(&codec), NO_BYTES, "go-ahead is suppressed");
        assert_eq!(feed(&mut codec, &[IAC, DO, 25]).1, [IAC, WILL, 25]);
        assert_eq!(end(&codec), [IAC, EOR]);
    }

    #[test]
    fn an_unknown_option_is_refused_once_per_request() {
        let mut codec = Codec::new(LINE_BYTES_MAX);
        assert_eq!(feed(&mut codec, &[IAC, DO, 86, IAC, WILL, 201]).1, [IAC, WONT, 86, IAC, DONT, 201]);
        assert_eq!(feed(&mut codec, &[IAC, DONT, 86, IAC, WONT, 201]).1, NO_BYTES);
        assert_eq!(feed(&mut codec, &[IAC, WILL, 1, IAC, DO, 31]).1, [IAC, DONT, 1, IAC, WONT, 31]);
    }

    #[test]
    fn an_agreed_option_is_not_answered_again() {
        let (mut codec, _) = greeted();
        for _ in 0..3 {
            assert_eq!(feed(&mut codec, &[IAC, WILL, 31, IAC, DO, 25]).1, NO_BYTES);
        }
        assert_eq!(feed(&mut codec, &[IAC, DONT, 25]).1, [IAC, WONT, 25]);
    }

    #[test]
    fn are_you_there_does_not_disturb_the_line() {
        assert_eq!(events(b"lo\xff\xf6ok\n"), [vec![AreYouThere], lines(&["look"])].concat());
        assert_eq!(events(b"lo\xff\xec\xff\xf4\xff\xf1ok\n"), lines(&["look"]), "end of file, interrupt, NOP");
    }

    #[test]
    fn a_subnegotiation_too_long_is_swallowed_whole() {
        let (mut codec, _) = greeted();
        feed(&mut codec, &[IAC, WILL, 24]);
        let flood = sub(24, &[0].repeat(100_000));
        assert_eq!(feed(&mut codec, &flood), (vec![], vec![]));
        assert!(codec.payload.capacity() == 0);
        assert_eq!(feed(&mut codec, &[&flood[..], b"look\n"].concat()).0, lines(&["look"]));
        assert_eq!(feed(&mut codec, &[&sub(201, b"Core.Hello {}")[..], b"look\n"].concat()).0, lines(&["look"]));
    }

    #[test]
    fn a_subnegotiation_without_its_end_does_not_eat_the_next_command() {
        let (mut codec, _) = greeted();
        assert_eq!(feed(&mut codec, &[IAC, SB, 24, 0, b'x', IAC, DO, 86]).1, [IAC, WONT, 86]);
        assert_eq!(feed(&mut codec, b"look\n").0, lines(&["look"]));
    }

    #[test]
    fn text_goes_out_with_its_line_breaks() {
        let mut out = Vec::new();
        encode_text("one\ntwo\r\nthrée\r", &mut out);
        assert_eq!(out, "one\r\ntwo\r\nthrée".as_bytes());
    }

    #[test]
    fn an_idle_codec_is_small() {
        assert!(size_of::<Codec>() < 150, "{}", size_of::<Codec>());
        let (mut codec, _) = greeted();
        feed(&mut codec, b"a line\r\n");
        assert_eq!(codec.line.capacity() + codec.payload.capacity(), 0);
    }

    /// Bytes that mean something to telnet, far more often than chance would give.
    fn noise() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            4 => prop_oneof![Just(WILL), Just(WONT), Just(DO), Just(DONT)].prop_flat_map(|verb| {
                prop_oneof![4 => proptest::sample::select(vec![1u8, 3, 24, 25, 31, 42]), 1 => any::<u8>()]
                    .prop_map(move |code| vec![IAC, verb, code])
            }),
            3 => (proptest::sample::select(vec![24u8, 31, 42, 201]), proptest::collection::vec(any::<u8>(), 0..6))
                .prop_map(|(code, payload)| sub(code, &payload)),
            1 => Just(sub(24, b"\0XTERM")),
            1 => Just(sub(24, b"\0MTTS 271")),
            1 => Just(sub(42, b"\x01;UTF-8")),
            1 => Just(sub(42, b"\x02UTF-8")),
            3 => proptest::sample::select(vec!["\r\n", "\r\0", "\n", "\n\r", "\r", "\x08", "\x7f"])
                .prop_map(|end| end.as_bytes().to_vec()),
            3 => "[a-zé日🦀]{0,6}".prop_map(String::into_bytes),
            1 => (1000usize..1060).prop_map(|length| vec![b'x'; length]),
            2 => proptest::collection::vec(any::<u8>(), 0..8),
        ];
        proptest::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #[test]
        fn cutting_the_input_anywhere_changes_nothing(
            bytes in noise(),
            cuts in proptest::collection::vec(any::<proptest::sample::Index>(), 0..12),
        ) {
            let whole = feed(&mut greeted().0, &bytes);
            let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let (mut codec, _) = greeted();
            let (mut events, mut reply) = (Vec::new(), Vec::new());
            for pair in cuts.windows(2) {
                codec.receive(&bytes[pair[0]..pair[1]], &mut events, &mut reply);
            }
            prop_assert_eq!((events, reply), whole.clone());
            let (mut codec, _) = greeted();
            let (mut events, mut reply) = (Vec::new(), Vec::new());
            for byte in bytes.chunks(1) {
                codec.receive(byte, &mut events, &mut reply);
            }
            prop_assert_eq!((events, reply), whole);
        }

        #[test]
        fn another_codec_goes_on_as_if_it_had_been_there_all_along(
            bytes in noise(),
            cut in any::<proptest::sample::Index>(),
        ) {
            let whole = feed(&mut greeted().0, &bytes);
            let (before, after) = bytes.split_at(cut.index(bytes.len() + 1));
            let (mut codec, _) = greeted();
            let (mut events, mut reply) = feed(&mut codec, before);
            let known = serde_json::to_string(&codec.state()).expect("it is plain data");
            let known: Negotiated = serde_json::from_str(&known).expect("it was just written");
            let mut next = Codec::resume(LINE_BYTES_MAX, known);
            prop_assert_eq!(next.state(), codec.state());
            next.receive(after, &mut events, &mut reply);
            prop_assert_eq!((events, reply), whole);
        }

        #[test]
        fn a_line_is_never_longer_than_allowed_nor_unclean(bytes in noise()) {
            for event in events(&bytes) {
                if let Line(line) = event {
                    // A byte that is not UTF-8 becomes a character of three.
                    prop_assert!(line.len() <= 3 * LINE_BYTES_MAX && !line.contains(char::is_control));
                }
            }
        }

        #[test]
        fn two_ends_soon_fall_silent(a_hears in noise(), b_hears in noise(), passwords in any::<[bool; 4]>()) {
            let (mut a, mut to_b) = greeted();
            let (mut b, mut to_a) = greeted();
            a.receive(&a_hears, &mut Vec::new(), &mut to_b);
            b.receive(&b_hears, &mut Vec::new(), &mut to_a);
            for on in passwords {
                a.password_mode(on, &mut to_b);
                b.password_mode(!on, &mut to_a);
            }
            for round in 0.. {
                if to_a.is_empty() && to_b.is_empty() {
                    break;
                }
                prop_assert!(round < 40, "still talking: {to_a:?} {to_b:?}");
                let (for_a, for_b) = (std::mem::take(&mut to_a), std::mem::take(&mut to_b));
                a.receive(&for_a, &mut Vec::new(), &mut to_b);
                b.receive(&for_b, &mut Vec::new(), &mut to_a);
            }
        }

        #[test]
        fn the_answer_is_never_much_longer_than_the_question(bytes in noise()) {
            let (_, reply) = feed(&mut greeted().0, &bytes);
            prop_assert!(reply.len() <= 4 * bytes.len() + 16, "{} bytes for {}", reply.len(), bytes.len());
        }
    }
}
