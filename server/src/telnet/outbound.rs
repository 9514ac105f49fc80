//! The way out of a telnet connection: what goes to the socket in one write is put together here, piece by piece.
//!
//! Text gets the line ends of telnet and the client's character set; commands of telnet stand between texts as they
//! are. The order of what is done to the bytes is the order of this file: what changes text alone (another character
//! set, then a doubled IAC where that set has the byte 255) is `encode_text`'s, what changes all of them (`compressor`)
//! stands behind `Outbound::finish`. `codec` is the way in, and knows what was agreed.
//! Invariant: every text that a connection sends has passed here, but that it reads too slowly; nothing is kept between
//! two writes.

use super::bytes::LINE_END;
use super::capabilities::{Capabilities, Charset};
use super::codec::Codec;
use super::transliteration;
use std::borrow::Cow;

/// One write to the socket, before it is compressed.
pub struct Outbound<'c> {
    codec: &'c Codec,
    charset: Charset,
    bytes: &'c mut Vec<u8>,
}

impl<'c> Outbound<'c> {
    /// Into an empty buffer, for the connection that this codec reads.
    pub fn new(codec: &'c Codec, bytes: &'c mut Vec<u8>) -> Outbound<'c> {
        Outbound { codec, charset: codec.client().charset(), bytes }
    }

    /// What is known of the client at the other end.
    pub fn client(&self) -> Cow<'c, Capabilities> {
        self.codec.client()
    }

    /// Text with `\n` for line breaks, and without one at its end.
    pub fn text(&mut self, text: &str) {
        encode_text(text, self.charset, self.bytes);
    }

    /// The same with a line break at its end.
    pub fn line(&mut self, text: &str) {
        self.text(text);
        self.line_break();
    }

    /// Whether what `encode_line` made can be read there.
    pub fn takes_encoded_lines(&self) -> bool {
        self.charset == Charset::Utf8
    }

    pub fn line_break(&mut self) {
        self.bytes.extend_from_slice(LINE_END);
    }

    /// What `encode_line` made for several connections.
    pub fn encoded_lines(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// What the client waits for stands here: tells clients that make something of it.
    pub fn end_prompt(&mut self) {
        self.bytes.extend_from_slice(self.codec.prompt_mark());
    }

    /// Commands of telnet, as the codec makes them.
    pub fn commands(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
    }

    /// All of it, for the socket.
    pub fn finish(self) -> &'c [u8] {
        self.bytes
    }
}

/// A line with its end in UTF-8, for those who copy it.
pub fn encode_line(text: &str, out: &mut Vec<u8>) {
    encode_text(text, Charset::Utf8, out);
    out.extend_from_slice(LINE_END);
}

/// Appends text as telnet carries it: `\n` becomes CR LF, a `\r` in the text is dropped so that none stands alone.
/// IAC needs no doubling in UTF-8, of which the byte 255 is never a part.
fn encode_text(text: &str, charset: Charset, out: &mut Vec<u8>) {
    out.reserve(text.len() + 16);
    let has_returns = text.contains('\r');
    let is_as_it_is = charset == Charset::Utf8 || text.is_ascii();
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.extend_from_slice(LINE_END);
        }
        match (is_as_it_is, has_returns) {
            (true, false) => out.extend_from_slice(line.as_bytes()),
            (true, true) => out.extend(line.bytes().filter(|byte| *byte != b'\r')),
            (false, false) => transliteration::append(line, charset, out),
            (false, true) => transliteration::append(&line.replace('\r', ""), charset, out),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::telnet::bytes::{DO, GA, IAC, SB, SE};

    #[test]
    fn text_is_written_in_the_clients_character_set_and_commands_stay() {
        let mut codec = Codec::new(100);
        let (mut events, mut reply) = (Vec::new(), Vec::new());
        codec.greet(&mut reply);
        let latin = [&[IAC, DO, 42, IAC, SB, 42, 2], b"ISO-8859-1".as_slice(), &[IAC, SE]].concat();
        codec.receive(&latin, &mut events, &mut reply);
        let mut bytes = Vec::new();
        let mut out = Outbound::new(&codec, &mut bytes);
        assert!(!out.takes_encoded_lines());
        out.line("ÿ “café”\r\n…");
        out.commands(&[IAC, DO, 24]);
        out.end_prompt();
        let expected = [b"\xff\xff \"caf\xe9\"\r\n...\r\n".as_slice(), &[IAC, DO, 24, IAC, GA]].concat();
        assert_eq!(out.finish(), expected);
    }

    #[test]
    fn pieces_stand_in_order_with_the_line_ends_of_telnet() {
        let mut codec = Codec::new(100);
        // An option that is refused, and a client that speaks telnet.
        let (mut events, mut reply) = (Vec::new(), Vec::new());
        codec.receive(&[IAC, DO, 200], &mut events, &mut reply);
        let mut bytes = Vec::new();
        let mut out = Outbound::new(&codec, &mut bytes);
        out.commands(&reply);
        out.text("one\ntwo\r\nthrée\r");
        out.line_break();
        out.line("ÿ is no command");
        out.encoded_lines(b"four\r\n");
        out.text("> ");
        out.end_prompt();
        let expected = ["one\r\ntwo\r\nthrée\r\nÿ is no command\r\nfour\r\n> ".as_bytes(), &[IAC, GA]].concat();
        assert_eq!(out.finish(), [&reply[..], &expected].concat());
    }
}
