//! A person's client by WebSocket: the subprotocols of mudstandards.org, each a way to carry a terminal.
//!
//! What is played is the same as by telnet (`telnet_connection`), at the other end of a pipe: this file is the client
//! of that, which says in frames what it reads in bytes, and the other way round. Programs and the page speak frames
//! of their own (`websocket`). Invariant: whatever comes in frames, only lines and whole messages of GMCP get
//! through.

use super::stream::Stream;
use super::telnet_connection::TelnetConnection;
use super::terminal::Terminal;
use crate::limits::{ConnectionRefusal, Slot};
use crate::lobby::Lobby;
use crate::telnet::bytes::{DO, DONT, IAC, NOP, SB, SE, WILL, WONT};
use axum::body::Bytes;
use axum::extract::ws::{Message, WebSocket};
use serde_json::{Value, json};
use std::net::IpAddr;
use std::sync::Arc;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

/// Bytes on their way through the pipe, in each direction.
const PIPE_BYTES: usize = 16 * 1024;
const ECHO: u8 = 1;
const GMCP: u8 = 201;
/// A message of GMCP is no longer; what does not end is dropped.
const MESSAGE_BYTES_MAX: usize = 64 * 1024;

/// How a WebSocket is spoken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subprotocol {
    /// Our frames (`docs/PROTOCOL.md`); the same without a header.
    Frames,
    /// The bytes of telnet.
    Telnet,
    /// Text with colours, and lines.
    Terminal,
    /// The same, and messages of GMCP in frames of text.
    Gmcp,
    /// The same, with messages as `{proto, id, data}`.
    Json,
}

/// In the order in which a client is told of them.
pub const SUBPROTOCOLS: [(&str, Subprotocol); 5] = [
    ("v1.darkpawns", Subprotocol::Frames),
    ("telnet.mudstandards.org", Subprotocol::Telnet),
    ("terminal.mudstandards.org", Subprotocol::Terminal),
    ("gmcp.mudstandards.org", Subprotocol::Gmcp),
    ("json.mudstandards.org", Subprotocol::Json),
];

/// The first of the names that a client offers, and that we know; `None` where it offers others only.
pub fn chosen<'o>(offered: impl Iterator<Item = &'o str>) -> Option<(&'static str, Subprotocol)> {
    let mut offered = offered.flat_map(|list| list.split(',')).map(str::trim);
    offered.find_map(|name| SUBPROTOCOLS.iter().find(|(known, _)| *known == name).copied())
}

/// Serves a connection until its end. `refusal`: there is no place for it, and it is only told so.
pub async fn serve(
    mut socket: WebSocket,
    subprotocol: Subprotocol,
    lobby: Arc<Lobby>,
    address: IpAddr,
    slot: Slot,
    refusal: Option<ConnectionRefusal>,
) {
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    let stream = Stream::Piped(theirs);
    match refusal {
        None => {
            let connection = TelnetConnection::new(stream, address, slot, lobby, false);
            tokio::spawn(async move { connection.serve().await });
        }
        Some(refusal) => {
            let mut terminal = Terminal::new(stream, address, &lobby);
            tokio::spawn(async move {
                terminal.print(&format!("{refusal}\n")).await;
                terminal.end().await;
                drop(slot);
            });
        }
    }
    // Whichever end is gone, the other one is told by its pipe's or its socket's end.
    let _gone = carry(&mut socket, ours, subprotocol).await;
    let _closed = socket.send(Message::Close(None)).await;
}

async fn carry(socket: &mut WebSocket, pipe: DuplexStream, subprotocol: Subprotocol) -> Result<(), axum::Error> {
    let (mut read, mut write) = tokio::io::split(pipe);
    let mut client = PipeClient::new(subprotocol);
    let mut bytes = vec![0; PIPE_BYTES];
    loop {
        tokio::select! {
            count = read.read(&mut bytes) => {
                let count = count.unwrap_or(0);
                if count == 0 {
                    return Ok(());
                }
                let Said { frames, reply } = client.hear(&bytes[..count]);
                for frame in frames {
                    socket.send(frame).await?;
                }
                if !reply.is_empty() && write.write_all(&reply).await.is_err() {
                    return Ok(());
                }
            }
            // What comes before messages are agreed to waits: telnet drops what it has not agreed to.
            message = socket.recv(), if client.is_ready() => {
                let typed = match message {
                    Some(Ok(Message::Text(text))) => client.typed(text.as_bytes(), true),
                    Some(Ok(Message::Binary(bytes))) => client.typed(&bytes, false),
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                    Some(Ok(Message::Close(_)) | Err(_)) | None => return Ok(()),
                };
                if write.write_all(&typed).await.is_err() {
                    return Ok(());
                }
            }
        }
    }
}

/// What a client at the end of the pipe makes of what it reads.
#[derive(Debug, Default)]
struct Said {
    frames: Vec<Message>,
    /// Answers to the options of telnet.
    reply: Vec<u8>,
}

/// Where in a command of telnet it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Text,
    Command,
    Option(u8),
    Sub,
    SubCommand,
}

/// The client at the end of the pipe: it agrees to messages where its subprotocol has them, and to nothing else.
struct PipeClient {
    subprotocol: Subprotocol,
    state: State,
    /// Of a subnegotiation.
    sub: Vec<u8>,
    /// Bytes of a letter that is not whole.
    half: Vec<u8>,
    /// Both ends have agreed to messages.
    agreed: bool,
}

impl PipeClient {
    fn new(subprotocol: Subprotocol) -> PipeClient {
        PipeClient { subprotocol, state: State::Text, sub: Vec::new(), half: Vec::new(), agreed: false }
    }

    fn has_messages(&self) -> bool {
        matches!(self.subprotocol, Subprotocol::Gmcp | Subprotocol::Json)
    }

    /// Whether what its user sends would be taken.
    fn is_ready(&self) -> bool {
        self.agreed || !self.has_messages()
    }

    fn hear(&mut self, bytes: &[u8]) -> Said {
        let mut said = Said::default();
        if self.subprotocol == Subprotocol::Telnet {
            said.frames.push(Message::Binary(Bytes::copy_from_slice(bytes)));
            return said;
        }
        let mut text = std::mem::take(&mut self.half);
        for byte in bytes {
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
                (State::Command, SB) => {
                    self.sub.clear();
                    State::Sub
                }
                (State::Command, verb @ (WILL | WONT | DO | DONT)) => State::Option(verb),
                // What keeps a silent line open does so here.
                (State::Command, NOP) => {
                    said.frames.push(Message::Ping(Bytes::new()));
                    State::Text
                }
                // The end of a prompt is the end of a frame as it is.
                (State::Command, _) => State::Text,
                (State::Option(verb), option) => {
                    self.answer(verb, option, &mut said.reply);
                    State::Text
                }
                (State::Sub, IAC) => State::SubCommand,
                (State::Sub, byte) => {
                    if self.sub.len() < MESSAGE_BYTES_MAX {
                        self.sub.push(byte);
                    }
                    State::Sub
                }
                (State::SubCommand, IAC) => {
                    self.sub.push(IAC);
                    State::Sub
                }
                (State::SubCommand, _) => {
                    // What was said before the message is shown before it.
                    self.show(&mut text, &mut said.frames);
                    said.frames.extend(self.message());
                    State::Text
                }
            };
        }
        self.show(&mut text, &mut said.frames);
        self.half = text;
        said
    }

    fn answer(&mut self, verb: u8, option: u8, reply: &mut Vec<u8>) {
        match (verb, option) {
            (WILL, GMCP) if self.has_messages() => {
                self.agreed = true;
                reply.extend([IAC, DO, GMCP]);
            }
            // That what is typed is not shown is the client's to know.
            (WILL, ECHO) => reply.extend([IAC, DO, ECHO]),
            (WONT, ECHO) => reply.extend([IAC, DONT, ECHO]),
            (WILL, option) => reply.extend([IAC, DONT, option]),
            (DO, option) => reply.extend([IAC, WONT, option]),
            _ => {}
        }
    }

    /// The text up to here as a frame; what is half a letter stays.
    fn show(&self, text: &mut Vec<u8>, frames: &mut Vec<Message>) {
        let whole = match std::str::from_utf8(text) {
            Ok(_) => text.len(),
            Err(error) if error.error_len().is_none() => error.valid_up_to(),
            Err(_) => text.len(),
        };
        if whole > 0 {
            frames.push(Message::Binary(text.drain(..whole).collect::<Vec<u8>>().into()));
        }
    }

    /// The message that has just ended.
    fn message(&self) -> Option<Message> {
        let text = std::str::from_utf8(self.sub.strip_prefix(&[GMCP])?).ok()?;
        let (name, data) = text.split_once(' ').unwrap_or((text, ""));
        let text = match self.subprotocol {
            Subprotocol::Gmcp => text.to_string(),
            Subprotocol::Json => json!({"data": data, "id": name, "proto": "gmcp"}).to_string(),
            Subprotocol::Frames | Subprotocol::Telnet | Subprotocol::Terminal => return None,
        };
        Some(Message::Text(text.into()))
    }

    /// What somebody sent, as bytes of telnet.
    fn typed(&self, bytes: &[u8], is_text: bool) -> Vec<u8> {
        let text = String::from_utf8_lossy(bytes);
        match self.subprotocol {
            Subprotocol::Telnet => bytes.to_vec(),
            Subprotocol::Gmcp if is_text && names_message(&text) => message_bytes(text.trim()),
            Subprotocol::Json => typed_json(&text),
            _ => line_bytes(&text),
        }
    }
}

/// Whether a text begins as a message of GMCP does: `Core.Ping`.
fn names_message(text: &str) -> bool {
    let name = text.split_whitespace().next().unwrap_or_default();
    let mut parts = name.split('.');
    let is_word = |part: &str| {
        part.starts_with(|first: char| first.is_ascii_uppercase())
            && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    name.contains('.') && parts.all(is_word)
}

/// `{proto, id, data}`; what is no such thing is a line.
fn typed_json(text: &str) -> Vec<u8> {
    let Ok(Value::Object(message)) = serde_json::from_str(text) else { return line_bytes(text) };
    let word = |field: &str| message.get(field).and_then(Value::as_str).unwrap_or_default();
    let data = match message.get("data") {
        Some(Value::String(text)) => text.clone(),
        None | Some(Value::Null) => String::new(),
        Some(value) => value.to_string(),
    };
    match word("proto") {
        "gmcp" if names_message(word("id")) => message_bytes(format!("{} {data}", word("id")).trim_end()),
        "text" | "" => line_bytes(&data),
        _ => Vec::new(),
    }
}

/// Lines as a terminal sends them, with their end.
fn line_bytes(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() + 2);
    for line in text.trim_end_matches(['\r', '\n']).split('\n') {
        bytes.extend(line.trim_end_matches('\r').bytes().filter(|byte| *byte != IAC));
        bytes.extend(b"\r\n");
    }
    bytes
}

fn message_bytes(message: &str) -> Vec<u8> {
    // UTF-8 has no IAC.
    [&[IAC, SB, GMCP], message.as_bytes(), &[IAC, SE]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(said: Said) -> Vec<String> {
        let text = |frame: Message| match frame {
            Message::Binary(bytes) => format!("b:{}", String::from_utf8_lossy(&bytes)),
            Message::Text(text) => format!("t:{text}"),
            other => panic!("{other:?}"),
        };
        said.frames.into_iter().map(text).collect()
    }

    #[test]
    fn the_first_name_that_is_known_counts() {
        let of = |offered: &[&str]| chosen(offered.iter().copied()).map(|(name, _)| name);
        assert_eq!(of(&["mine, gmcp.mudstandards.org", "v1.darkpawns"]), Some("gmcp.mudstandards.org"));
        assert_eq!(of(&["v1.darkpawns,telnet.mudstandards.org"]), Some("v1.darkpawns"));
        assert_eq!(of(&["v2.darkpawns", ""]), None);
    }

    #[test]
    fn text_and_messages_come_in_their_order() {
        let heard =
            [b"Hel".as_slice(), &[IAC, SB, GMCP], b"Char.Vitals {\"hp\":1}", &[IAC, SE], "lo \u{e9}".as_bytes()]
                .concat();
        for (subprotocol, message) in [
            (Subprotocol::Gmcp, Some("t:Char.Vitals {\"hp\":1}")),
            (Subprotocol::Json, Some(r#"t:{"data":"{\"hp\":1}","id":"Char.Vitals","proto":"gmcp"}"#)),
            (Subprotocol::Terminal, None),
        ] {
            let mut client = PipeClient::new(subprotocol);
            let mut all = Vec::new();
            // However it is cut, even within a letter.
            for byte in &heard {
                all.extend(shown(client.hear(&[*byte])));
            }
            let read: String = all.iter().filter_map(|frame| frame.strip_prefix("b:")).collect();
            assert_eq!(read, "Hello \u{e9}");
            let messages: Vec<&str> =
                all.iter().filter(|frame| frame.starts_with("t:")).map(|frame| &**frame).collect();
            assert_eq!(messages, message.into_iter().collect::<Vec<_>>());
        }
        let mut raw = PipeClient::new(Subprotocol::Telnet);
        let Said { frames, reply } = raw.hear(&heard);
        assert!(reply.is_empty() && frames == [Message::Binary(heard.into())]);
    }

    #[test]
    fn options_are_refused_but_messages() {
        let mut client = PipeClient::new(Subprotocol::Gmcp);
        let said = client.hear(&[IAC, DO, 24, IAC, WILL, GMCP, IAC, WILL, 86, IAC, 249, b'x', IAC, IAC]);
        assert_eq!(said.reply, [IAC, WONT, 24, IAC, DO, GMCP, IAC, DONT, 86]);
        assert!(client.is_ready() && !PipeClient::new(Subprotocol::Json).is_ready());
        assert!(PipeClient::new(Subprotocol::Terminal).is_ready(), "it has no messages to wait for");
        assert_eq!(PipeClient::new(Subprotocol::Terminal).hear(&[IAC, WILL, GMCP]).reply, [IAC, DONT, GMCP]);
    }

    #[test]
    fn what_is_typed_is_a_line_or_a_message() {
        let typed = |subprotocol, text: &str, is_text| {
            String::from_utf8_lossy(&PipeClient::new(subprotocol).typed(text.as_bytes(), is_text)).into_owned()
        };
        let sub = |text: &str| String::from_utf8_lossy(&message_bytes(text)).into_owned();
        assert_eq!(typed(Subprotocol::Terminal, "look", false), "look\r\n");
        assert_eq!(typed(Subprotocol::Terminal, "look\r\nsay \u{e9}\n", true), "look\r\nsay \u{e9}\r\n");
        assert_eq!(typed(Subprotocol::Gmcp, "Core.Ping", true), sub("Core.Ping"));
        assert_eq!(typed(Subprotocol::Gmcp, "Core.Ping", false), "Core.Ping\r\n");
        assert_eq!(typed(Subprotocol::Gmcp, "say Hello.", true), "say Hello.\r\n");
        assert_eq!(typed(Subprotocol::Json, r#"{"proto":"text","id":"","data":"look"}"#, true), "look\r\n");
        let message = r#"{"proto":"gmcp","id":"Core.Hello","data":{"client":"x"}}"#;
        assert_eq!(typed(Subprotocol::Json, message, false), sub(r#"Core.Hello {"client":"x"}"#));
        assert_eq!(typed(Subprotocol::Json, r#"{"proto":"gmcp","id":"no name","data":""}"#, true), "");
        assert_eq!(typed(Subprotocol::Json, "look", true), "look\r\n");
        assert_eq!(
            PipeClient::new(Subprotocol::Terminal).typed(&[IAC, SB, 24], false),
            "\u{fffd}\u{fffd}\u{18}\r\n".as_bytes()
        );
    }
}
