//! Frames and prompts by hand: a WebSocket client in a few lines, and what is looked for in what comes.
//!
//! The mask is zero, which leaves the bytes as they are: masking guards proxies, and there is none here. Nothing is
//! parsed that can be found by its place: the server writes `type`, `seq`, `data` in this order.

use anyhow::{bail, ensure};

/// A request that turns a connection into a WebSocket. The key is any 16 bytes in base 64; its answer is not checked.
pub fn upgrade_request(host: &str) -> String {
    format!(
        "GET /ws HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
    )
}

const TEXT: u8 = 0x81;
const PONG: u8 = 0x8A;

/// A masked text frame.
pub fn text_frame(text: &str, out: &mut Vec<u8>) {
    frame(TEXT, text.as_bytes(), out);
}

pub fn pong_frame(payload: &[u8], out: &mut Vec<u8>) {
    frame(PONG, payload, out);
}

fn frame(first: u8, payload: &[u8], out: &mut Vec<u8>) {
    out.push(first);
    match payload.len() {
        n if n < 126 => out.push(0x80 | n as u8),
        n => {
            out.push(0x80 | 126);
            out.extend_from_slice(&(n as u16).to_be_bytes());
        }
    }
    out.extend_from_slice(&[0; 4]);
    out.extend_from_slice(payload);
}

/// What a frame from the server is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Opcode {
    Text,
    Ping,
    Pong,
    Close,
}

/// The first whole frame of the bytes, and how many bytes it took; `None` while more must come.
pub fn next_frame(bytes: &[u8]) -> anyhow::Result<Option<(Opcode, &[u8], usize)>> {
    let [first, second, ..] = *bytes else { return Ok(None) };
    let (length, head) = match second & 0x7F {
        126 if bytes.len() >= 4 => (usize::from(u16::from_be_bytes([bytes[2], bytes[3]])), 4),
        127 if bytes.len() >= 10 => {
            let mut length = [0; 8];
            length.copy_from_slice(&bytes[2..10]);
            (u64::from_be_bytes(length) as usize, 10)
        }
        126 | 127 => return Ok(None),
        n => (usize::from(n), 2),
    };
    ensure!(second & 0x80 == 0, "the server masks its frames");
    ensure!(first & 0x80 != 0, "the server splits its frames");
    let Some(payload) = bytes.get(head..head + length) else { return Ok(None) };
    let opcode = match first & 0x0F {
        1 => Opcode::Text,
        8 => Opcode::Close,
        9 => Opcode::Ping,
        10 => Opcode::Pong,
        other => bail!("the server sends a frame with opcode {other}"),
    };
    Ok(Some((opcode, payload, head + length)))
}

/// The part of a frame behind `{"type":"`, and its `seq` where it has one.
pub struct Message<'m> {
    pub kind: &'m [u8],
    pub seq: Option<u64>,
    /// The JSON of `data`, with a closing brace too many.
    pub data: &'m [u8],
}

/// Reads the outside of a frame.
pub fn message(payload: &[u8]) -> Option<Message<'_>> {
    let rest = payload.strip_prefix(b"{\"type\":\"")?;
    let end = rest.iter().position(|b| *b == b'"')?;
    let (kind, rest) = (&rest[..end], &rest[end + 1..]);
    let (seq, rest) = match rest.strip_prefix(b",\"seq\":") {
        Some(rest) => {
            let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
            let seq = rest[..digits].iter().fold(0u64, |n, d| n * 10 + u64::from(d - b'0'));
            (Some(seq), &rest[digits..])
        }
        None => (None, rest),
    };
    Some(Message { kind, seq, data: rest.strip_prefix(b",\"data\":").unwrap_or_default() })
}

pub fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut from = 0;
    while let Some(at) = bytes[from..].iter().position(|b| *b == first) {
        if bytes[from + at..].starts_with(what) {
            return Some(from + at);
        }
        from += at + 1;
    }
    None
}

pub fn count(bytes: &[u8], what: &[u8]) -> u64 {
    let mut found = 0;
    let mut rest = bytes;
    while let Some(at) = find(rest, what) {
        found += 1;
        rest = &rest[at + what.len()..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_when_it_is_whole() {
        let payload = br#"{"type":"event","seq":12,"data":{"type":"say"}}"#;
        let mut bytes = vec![TEXT, payload.len() as u8];
        bytes.extend_from_slice(payload);
        bytes.push(TEXT);
        for cut in 0..payload.len() + 2 {
            assert!(next_frame(&bytes[..cut]).expect("no error").is_none(), "cut at {cut}");
        }
        let (opcode, found, taken) = next_frame(&bytes).expect("no error").expect("a frame");
        assert_eq!((opcode, found, taken), (Opcode::Text, payload.as_slice(), payload.len() + 2));
        let message = message(found).expect("a message");
        assert_eq!((message.kind, message.seq), (b"event".as_slice(), Some(12)));
        assert!(message.data.starts_with(br#"{"type":"say""#));
    }

    #[test]
    fn every_occurrence_is_counted_once() {
        assert_eq!(count(b"zqx zqzqx zq", b"zqx"), 2);
        assert_eq!(find(b"aab", b"ab"), Some(1));
    }
}
