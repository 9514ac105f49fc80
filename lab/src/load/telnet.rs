//! What a person's client makes of telnet: commands are taken out of the text, and what is compressed is inflated.
//!
//! It agrees to compression (MCCP2) and asks for GMCP where the run wants that; all else it lets pass without an
//! answer.

use anyhow::{Context, bail};
use flate2::{Decompress, FlushDecompress, Status};
use server::telnet::bytes::{DO, DONT, IAC, SB, SE, WILL};

const COMPRESS: u8 = 86;
const GMCP: u8 = 201;

/// What people's clients agree to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ClientOptions {
    pub compress: bool,
    pub gmcp: bool,
}

impl ClientOptions {
    pub fn any(self) -> bool {
        self.compress || self.gmcp
    }

    /// What such a client sends before its first line.
    pub fn opening(self) -> Vec<u8> {
        let mut out = Vec::new();
        if self.compress {
            out.extend([IAC, DO, COMPRESS]);
        }
        if self.gmcp {
            out.extend([IAC, DO, GMCP]);
            for message in [
                r#"Core.Hello {"client":"load","version":"1"}"#,
                r#"Core.Supports.Set ["Char 1","Char.Items 1","Room 1","Comm.Channel 1","Group 1"]"#,
            ] {
                out.extend([IAC, SB, GMCP]);
                out.extend_from_slice(message.as_bytes());
                out.extend([IAC, SE]);
            }
        }
        out
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum State {
    #[default]
    Text,
    Command,
    Option,
    Negotiation,
    Payload,
    PayloadCommand,
}

#[derive(Default)]
pub struct TelnetReader {
    state: State,
    /// The option of the subnegotiation that is being read.
    option: u8,
    inflate: Option<Decompress>,
    plain: Vec<u8>,
}

impl TelnetReader {
    /// Adds the text in what has come.
    pub fn take(&mut self, fresh: &[u8], text: &mut Vec<u8>) -> anyhow::Result<()> {
        if self.inflate.is_some() {
            return self.inflate(fresh, text);
        }
        let used = self.read(fresh, text);
        if used < fresh.len() { self.inflate(&fresh[used..], text) } else { Ok(()) }
    }

    /// As far as it is not compressed: how many bytes were taken.
    fn read(&mut self, bytes: &[u8], text: &mut Vec<u8>) -> usize {
        for (at, byte) in bytes.iter().enumerate() {
            self.state = match (self.state, *byte) {
                (State::Text, IAC) => State::Command,
                (State::Text, byte) => {
                    text.push(byte);
                    State::Text
                }
                (State::Command, IAC) => {
                    text.push(IAC);
                    State::Text
                }
                (State::Command, SB) => State::Option,
                (State::Command, WILL..=DONT) => State::Negotiation,
                (State::Command | State::Negotiation, _) => State::Text,
                (State::Option, option) => {
                    self.option = option;
                    State::Payload
                }
                (State::Payload, IAC) => State::PayloadCommand,
                (State::PayloadCommand, SE) => {
                    if self.option == COMPRESS && self.inflate.is_none() {
                        self.state = State::Text;
                        self.inflate = Some(Decompress::new(true));
                        return at + 1;
                    }
                    State::Text
                }
                (State::Payload | State::PayloadCommand, _) => State::Payload,
            };
        }
        bytes.len()
    }

    fn inflate(&mut self, mut bytes: &[u8], text: &mut Vec<u8>) -> anyhow::Result<()> {
        let mut plain = std::mem::take(&mut self.plain);
        let inflate = self.inflate.as_mut().context("nothing is compressed")?;
        plain.clear();
        while !bytes.is_empty() {
            plain.reserve(4096);
            let before = inflate.total_in();
            let status = inflate.decompress_vec(bytes, &mut plain, FlushDecompress::Sync)?;
            let used = usize::try_from(inflate.total_in() - before)?;
            bytes = &bytes[used..];
            if status == Status::StreamEnd {
                bail!("the server ended the compression");
            }
        }
        // What is left over of a full buffer comes with nothing more put in.
        while plain.len() == plain.capacity() {
            plain.reserve(4096);
            inflate.decompress_vec(&[], &mut plain, FlushDecompress::Sync)?;
        }
        self.read(&plain, text);
        self.plain = plain;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compress, Compression, FlushCompress};

    #[test]
    fn commands_are_taken_out_wherever_it_is_cut_and_what_is_compressed_is_inflated() {
        let plain = [&[IAC, WILL, 1, b'a', IAC, IAC][..], &[IAC, SB, GMCP], b"x", &[IAC, IAC, IAC, SE], b"b"].concat();
        let mut deflate = Compress::new(Compression::fast(), true);
        let mut packed = Vec::with_capacity(70_000);
        let long = "many words ".repeat(5_000);
        deflate.compress_vec(long.as_bytes(), &mut packed, FlushCompress::Sync).expect("there is room");
        let whole = [&plain[..], &[IAC, SB, COMPRESS, IAC, SE], &packed].concat();
        let expected = [&[b'a', IAC, b'b'][..], long.as_bytes()].concat();
        for step in [1, 2, 3, 7, 1_000, whole.len()] {
            let (mut reader, mut text) = (TelnetReader::default(), Vec::new());
            whole.chunks(step).for_each(|part| reader.take(part, &mut text).expect("it is whole"));
            assert!(text == expected, "in pieces of {step}: {} bytes", text.len());
        }
    }

    #[test]
    fn an_opening_asks_for_what_is_wanted() {
        assert!(ClientOptions::default().opening().is_empty());
        let both = ClientOptions { compress: true, gmcp: true }.opening();
        assert!(both.starts_with(&[IAC, DO, COMPRESS, IAC, DO, GMCP, IAC, SB, GMCP]) && both.ends_with(&[IAC, SE]));
    }
}
