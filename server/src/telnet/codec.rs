//! Bytes in, lines and facts about the client out, and the bytes to answer with.
//!
//! Below this file there are sockets, above it the shell that decides what a line means.
//!
//! Invariant: knows no sockets and no clock, and the cut of the input into reads changes nothing: every prefix of the
//! bytes gives the same events and answers, however it arrived.

use super::bytes::*;
use super::capabilities::{Capabilities, Charset, clean_word};
use super::event::TelnetEvent;
use super::handover::{Agreed, Negotiated};
use super::line_editor::LineEditor;
use super::negotiation::{Q, negotiate};
use super::option::{Memory, OPTION_COUNT, Offer, Opt, OptionRow, Side, Talk, subnegotiation};
use super::options::{OPTIONS, gmcp, listing, msdp, option_of, row};
use super::position::At;
use std::borrow::Cow;

/// Room for the longest list of character sets seen, and a bound for nonsense.
const SUBNEGOTIATION_BYTES_MAX: usize = 8 * 1024;
/// How often a client may talk us into an option. Two ends that mirror each other, with one stray "on, off" between
/// them, would pass it to and fro for ever: found by a property test, and not ruled out by RFC 1143.
const AGREEMENTS_MAX: u8 = 8;
/// So often a client is answered, whatever it offers; no client has so much to agree on.
const ANSWERS_MAX: u8 = 64;

/// One connection's telnet. Under 180 bytes; the two buffers are empty between lines and between negotiations.
#[derive(Debug, Default)]
pub struct Codec {
    at: At,
    typed: LineEditor,
    payload: Vec<u8>,
    ours: [Q; OPTION_COUNT],
    theirs: [Q; OPTION_COUNT],
    /// A browser is at the other end: nothing counts any more.
    deaf: bool,
    /// The client has sent a telnet command, so it can read one.
    speaks_telnet: bool,
    agreements: u8,
    answers: u8,
    memory: Memory,
    /// Only once there is something in it.
    client: Option<Box<Capabilities>>,
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
            charset_asked: self.memory.charset_asked,
            agreements: self.agreements,
            terminal_replies: self.memory.terminal_replies,
            terminal_last: self.memory.terminal_last.as_deref().map(str::to_owned),
            answers: self.answers,
            client: self.client().into_owned(),
        }
    }

    /// Goes on where another codec stopped. What that one knew is not announced again; to `offers` what it did not, for
    /// a client that can read it.
    pub fn resume(line_bytes_max: usize, known: Negotiated, offers: &mut Vec<u8>) -> Codec {
        let mut codec = Codec {
            at: known.at.into(),
            typed: LineEditor {
                line: known.line,
                bytes_max: line_bytes_max,
                ended_by: known.ended_by,
                swallowing: known.swallowing,
                past_first_line: known.past_first_line,
                single_bytes: known.client.charset() == Charset::Latin1,
            },
            payload: known.payload,
            deaf: known.deaf,
            speaks_telnet: known.speaks_telnet,
            agreements: known.agreements,
            answers: known.answers,
            memory: Memory {
                charset_asked: known.charset_asked,
                terminal_replies: known.terminal_replies,
                terminal_last: known.terminal_last.map(Into::into),
            },
            client: (known.client != Capabilities::default()).then(|| Box::new(known.client)),
            ..Codec::default()
        };
        for agreed in &known.options {
            if let Some(option) = option_of(agreed.code) {
                codec.ours[option as usize] = agreed.ours;
                codec.theirs[option as usize] = agreed.theirs;
            }
        }
        let is_new = |row: &&OptionRow| known.options.iter().all(|agreed| agreed.code != row.code);
        for row in OPTIONS.iter().filter(is_new).filter(|_| known.speaks_telnet) {
            codec.offer(row, offers);
        }
        codec
    }

    /// The line so far, as a reader would take it.
    pub fn half_line(&self) -> Cow<'_, str> {
        match self.typed.single_bytes {
            true => self.typed.line.iter().copied().map(char::from).collect(),
            false => String::from_utf8_lossy(&self.typed.line),
        }
    }

    /// Drops the line that is being typed, with the rest of it that is still to come. False where none is.
    pub fn drop_half_line(&mut self) -> bool {
        self.typed.drop_half()
    }

    /// What is known of the client.
    pub fn client(&self) -> Cow<'_, Capabilities> {
        self.client.as_deref().map_or_else(Cow::default, Cow::Borrowed)
    }

    /// Announces what we can do. Nothing waits for the answers: they change things when they come.
    pub fn greet(&mut self, out: &mut Vec<u8>) {
        OPTIONS.iter().for_each(|row| self.offer(row, out));
    }

    fn offer(&mut self, row: &OptionRow, out: &mut Vec<u8>) {
        let at = row.option as usize;
        match row.offer {
            Offer::Nothing => {}
            Offer::Ask => negotiate(self.theirs[at].enable(), DO, DONT, row.code, out),
            Offer::Promise => negotiate(self.ours[at].enable(), WILL, WONT, row.code, out),
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
        negotiate(answer, WILL, WONT, row(Opt::Echo).code, out);
        if !on && was_hidden {
            out.extend_from_slice(LINE_END);
        }
    }

    /// What lists of games are told, in bytes. For a client that asked (`TelnetEvent::ListingAsked`).
    pub fn listing<'l>(&self, rows: impl IntoIterator<Item = (&'l str, &'l str)>, out: &mut Vec<u8>) {
        listing::append(rows, out);
    }

    /// A message beside the text, in bytes.
    pub fn message(&self, name: &str, json: &str, out: &mut Vec<u8>) {
        gmcp::append(name, json, out);
    }

    /// Whether the client takes messages.
    pub fn takes_messages(&self) -> bool {
        self.ours[Opt::Gmcp as usize] == Q::Yes
    }

    /// A variable beside the text, in bytes.
    pub fn variable(&self, name: &str, value: &serde_json::Value, out: &mut Vec<u8>) {
        msdp::append(name, value, out);
    }

    /// Whether the client takes variables.
    pub fn takes_variables(&self) -> bool {
        self.ours[Opt::Variables as usize] == Q::Yes
    }

    /// What the client says of itself by a message.
    pub fn know(&mut self, name: &str, version: &str) {
        let mut client = self.client.take().unwrap_or_default();
        let some = |text: &str| Some(clean_word(text.as_bytes())).filter(|word| !word.is_empty());
        client.name = some(name).or(client.name.take());
        client.version = some(version).or(client.version.take());
        self.client = (*client != Capabilities::default()).then_some(client);
    }

    /// Whether the client takes what is compressed.
    pub fn takes_compressed(&self) -> bool {
        self.ours[Opt::Compression as usize] == Q::Yes
    }

    /// Says that all behind it is compressed.
    pub fn compress(&self, out: &mut Vec<u8>) {
        subnegotiation(row(Opt::Compression).code, &[], out);
    }

    /// Before another program goes on with the connection: compression is taken back, as its state is this program's.
    /// The stream is to be ended before these bytes.
    pub fn take_back_compression(&mut self, out: &mut Vec<u8>) {
        let state = &mut self.ours[Opt::Compression as usize];
        if *state == Q::Yes {
            negotiate(state.disable(), WILL, WONT, row(Opt::Compression).code, out);
        }
    }

    /// Goes on with what the program before took back: it is offered again when the client has agreed to the end.
    /// Nothing is sent before that.
    pub fn offer_again(&mut self) {
        let state = &mut self.ours[Opt::Compression as usize];
        if *state == Q::WantNo {
            *state = Q::WantNoOpposite;
        }
    }

    /// What keeps a line open that is silent, for a client that can read it.
    pub fn keep_alive(&self, out: &mut Vec<u8>) {
        if self.speaks_telnet {
            out.extend_from_slice(&[IAC, NOP]);
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
                self.negotiated(verb, byte, events, reply);
            }
            // It names no option, so there is none that it could be about: its end, or another command.
            At::Subnegotiation if byte == IAC => self.at = At::PayloadCommand(None),
            At::Subnegotiation => self.at = At::Payload(option_of(byte)),
            At::Payload(option) if byte == IAC => self.at = At::PayloadCommand(option),
            At::Payload(option) => self.payload_byte(option, byte),
            At::PayloadCommand(option) => match byte {
                SE => {
                    self.at = At::Data;
                    // Taken, so that the buffer is given back.
                    let payload = std::mem::take(&mut self.payload);
                    if let Some(option) = option.filter(|_| payload.len() <= SUBNEGOTIATION_BYTES_MAX) {
                        self.talk(option, events, reply, |talk| (row(option).heard)(talk, &payload));
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

    fn negotiated(&mut self, verb: u8, code: u8, events: &mut Vec<TelnetEvent>, reply: &mut Vec<u8>) {
        let on = verb == WILL || verb == DO;
        let is_over = self.answers >= ANSWERS_MAX;
        let Some(option) = option_of(code) else {
            // Unknown options are off on both sides for good, so only a wish to change that needs an answer.
            if on && !is_over {
                self.answers += 1;
                reply.extend_from_slice(&[IAC, if verb == WILL { DONT } else { WONT }, code]);
            }
            return;
        };
        let (side, state, agree, yes, no) = match verb {
            WILL | WONT => (Side::Theirs, &mut self.theirs[option as usize], row(option).theirs, DO, DONT),
            _ => (Side::Ours, &mut self.ours[option as usize], row(option).ours, WILL, WONT),
        };
        let was = *state;
        // An offer, not an answer to ours.
        if on && is_over && !was.is_asked() {
            return;
        }
        let agree = agree && self.agreements < AGREEMENTS_MAX;
        let answer = if on { state.told_on(agree) } else { state.told_off() };
        let begins = was != Q::Yes && *state == Q::Yes;
        self.agreements += u8::from(was == Q::No && begins);
        self.answers = self.answers.saturating_add(u8::from(answer.is_some()));
        negotiate(answer, yes, no, code, reply);
        if (was == Q::Yes) != (*state == Q::Yes) {
            self.talk(option, events, reply, |talk| (row(option).turned)(talk, side));
        }
    }

    /// Lets an option say or hear something.
    fn talk(
        &mut self,
        option: Opt,
        events: &mut Vec<TelnetEvent>,
        reply: &mut Vec<u8>,
        what: impl FnOnce(&mut Talk<'_>),
    ) {
        let mut client = self.client.take().unwrap_or_default();
        let before = reply.len();
        what(&mut Talk {
            code: row(option).code,
            ours: self.ours[option as usize] == Q::Yes,
            theirs: self.theirs[option as usize] == Q::Yes,
            is_over: self.answers >= ANSWERS_MAX,
            memory: &mut self.memory,
            client: &mut client,
            events,
            reply,
        });
        self.answers = self.answers.saturating_add(u8::from(reply.len() > before));
        self.typed.single_bytes = client.charset() == Charset::Latin1;
        self.client = (*client != Capabilities::default()).then_some(client);
    }
}

#[cfg(test)]
mod hostile;
#[cfg(test)]
mod tests;
