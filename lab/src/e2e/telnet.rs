//! A person's client: lines out, text in, every telnet option refused but the hiding of passwords.

use super::PATIENCE;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

const IAC: u8 = 255;
const DONT: u8 = 254;
const DO: u8 = 253;
const WONT: u8 = 252;
const WILL: u8 = 251;
const SB: u8 = 250;
const AYT: u8 = 246;
const SE: u8 = 240;
const ECHO: u8 = 1;

pub struct Telnet {
    stream: TcpStream,
    /// What came and was not yet taken apart: the beginning of a telnet command.
    rest: Vec<u8>,
    /// Everything read so far, without telnet commands.
    pub bytes: Vec<u8>,
    /// Where in `bytes` the next `expect` begins.
    read_to: usize,
    /// What is typed must not be shown now.
    pub hidden: bool,
    fences: u32,
    ended: bool,
}

impl Telnet {
    pub async fn connect(address: SocketAddr) -> Telnet {
        Telnet::over(TcpStream::connect(address).await.expect("the telnet door is open"))
    }

    /// With so small a window that a server soon notices when nothing is read.
    pub async fn connect_narrow(address: SocketAddr) -> Telnet {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4 * 1024).expect("a small buffer");
        Telnet::over(socket.connect(address).await.expect("the telnet door is open"))
    }

    /// On a connection that stands.
    pub fn over(stream: TcpStream) -> Telnet {
        stream.set_nodelay(true).expect("a socket has this option");
        let (rest, bytes) = (Vec::new(), Vec::new());
        Telnet { stream, rest, bytes, read_to: 0, hidden: false, fences: 0, ended: false }
    }

    /// Types a line.
    pub async fn send(&mut self, line: &str) {
        self.send_raw(format!("{line}\r\n").as_bytes()).await;
    }

    pub async fn send_raw(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the connection takes what is typed");
    }

    /// Types, whether or not the other end still takes it.
    pub async fn try_send_raw(&mut self, bytes: &[u8]) -> bool {
        tokio::time::timeout(Duration::from_secs(1), self.stream.write_all(bytes)).await.is_ok_and(|done| done.is_ok())
    }

    /// Reads on until this comes; what was read up to its end.
    pub async fn expect(&mut self, what: &str) -> String {
        let reading = async {
            loop {
                let text = self.unread();
                if let Some(end) = end_of(&text, what) {
                    self.read_to += end;
                    return Ok(text[..end].to_string());
                }
                if !self.read().await {
                    return Err("the connection ended");
                }
            }
        };
        match tokio::time::timeout(PATIENCE, reading).await {
            Ok(Ok(text)) => text,
            Ok(Err(why)) => panic!("{what:?} never came, {why}; there is {:?}", self.unread()),
            Err(_) => panic!("{what:?} never came; there is {:?}", self.unread()),
        }
    }

    /// Whether this was read at any time.
    pub fn has_read(&self, what: &str) -> bool {
        end_of(&String::from_utf8_lossy(&self.bytes), what).is_some()
    }

    /// Reads on until this comes or the connection ends.
    pub async fn next_is(&mut self, what: &str) -> bool {
        let reading = async {
            while end_of(&self.unread(), what).is_none() {
                if !self.read().await {
                    return false;
                }
            }
            true
        };
        tokio::time::timeout(PATIENCE, reading).await.unwrap_or(false)
    }

    /// Types a line and waits for a piece of the answer.
    pub async fn ask(&mut self, line: &str, answer: &str) -> String {
        self.send(line).await;
        self.expect(answer).await
    }

    /// Everything that came before an answer to a word of our own: in the game only.
    pub async fn fence(&mut self) -> String {
        self.fences += 1;
        let word = format!("Xyzzy{}", self.fences);
        // Nobody else hears it, and it names itself.
        self.ask(&format!("whois {word}"), &word).await
    }

    /// Everything that came before an answer of the door's own, which no lag delays. What others' commands caused may
    /// come later.
    pub async fn glance(&mut self) -> String {
        self.send_raw(&[IAC, AYT]).await;
        // How it goes on is for the world's own sentences to say.
        let mut seen = self.expect("[Yes, the ").await;
        seen.push_str(&self.expect(".]").await);
        seen
    }

    /// Reads to the end of the connection.
    pub async fn ending(&mut self) -> String {
        let reading = async { while self.read().await {} };
        if tokio::time::timeout(PATIENCE, reading).await.is_err() {
            panic!("the connection does not end; there is {:?}", self.unread());
        }
        let text = self.unread();
        self.read_to = self.bytes.len();
        text
    }

    /// What was read and not yet expected. The bytes are UTF-8, or the test fails.
    pub fn unread(&self) -> String {
        let unread = &self.bytes[self.read_to..];
        match std::str::from_utf8(unread) {
            Ok(text) => text.to_string(),
            // The rest of the last letter is on its way.
            Err(error) if error.error_len().is_none() => {
                String::from_utf8(unread[..error.valid_up_to()].to_vec()).expect("it is valid up to there")
            }
            Err(error) => panic!("{error} in {unread:?}"),
        }
    }

    /// From the greeting into the game, by password or key.
    pub async fn log_in(&mut self, name: &str, secret: &str) {
        self.expect("known?").await;
        self.ask(name, "Password:").await;
        self.ask(secret, "What will it be?").await;
        self.ask("1", "\r\n").await;
        self.fence().await;
    }

    /// From the greeting to the end of a character.
    pub async fn delete(&mut self, name: &str, password: &str) {
        self.expect("known?").await;
        self.ask(name, "Password:").await;
        self.ask(password, "What will it be?").await;
        self.ask("5", "give its password").await;
        self.ask(password, "Farewell").await;
    }

    /// From the greeting to the menu, as a new human warrior.
    pub async fn create(&mut self, name: &str, password: &str) {
        self.expect("known?").await;
        self.ask(name, "(yes/no)").await;
        self.ask("yes", "A password:").await;
        self.ask(password, "once more:").await;
        self.ask(password, "colours").await;
        self.ask("n", "male or female").await;
        self.ask("female", "What they are\r\n  back  The question before\r\n> ").await;
        self.ask("human", "What they are\r\n  back  The question before\r\n> ").await;
        self.ask("warrior", "Keep them").await;
        self.ask("y", "What will it be?").await;
    }

    /// Reads what is there, or waits for it. False at the end of the connection.
    pub async fn read(&mut self) -> bool {
        if self.ended {
            return false;
        }
        let mut buffer = vec![0; 16 * 1024];
        match self.stream.read(&mut buffer).await {
            Ok(count) if count > 0 => {
                self.rest.extend_from_slice(&buffer[..count]);
                let reply = self.take_apart();
                if !reply.is_empty() {
                    // It may have hung up meanwhile.
                    let _unheard = self.stream.write_all(&reply).await;
                }
                true
            }
            Ok(_) | Err(_) => {
                self.ended = true;
                false
            }
        }
    }

    /// Moves text to `bytes`; the answers to what the server wants to agree on.
    fn take_apart(&mut self) -> Vec<u8> {
        let mut reply = Vec::new();
        let mut at = 0;
        while at < self.rest.len() {
            let rest = &self.rest[at..];
            at += match rest {
                [IAC, IAC, ..] => {
                    self.bytes.push(IAC);
                    2
                }
                [IAC, verb @ (DO | DONT | WILL | WONT), option, ..] => {
                    match (verb, option) {
                        (&WILL, &ECHO) => {
                            self.hidden = true;
                            reply.extend_from_slice(&[IAC, DO, ECHO]);
                        }
                        (&WONT, &ECHO) => {
                            self.hidden = false;
                            reply.extend_from_slice(&[IAC, DONT, ECHO]);
                        }
                        (&WILL, option) => reply.extend_from_slice(&[IAC, DONT, *option]),
                        (&DO, option) => reply.extend_from_slice(&[IAC, WONT, *option]),
                        _ => {}
                    }
                    3
                }
                [IAC, SB, ..] => match rest.windows(2).position(|two| two == [IAC, SE]) {
                    Some(end) => end + 2,
                    None => break,
                },
                [IAC, DO | DONT | WILL | WONT] | [IAC] => break,
                [IAC, ..] => 2,
                [byte, ..] => {
                    self.bytes.push(*byte);
                    1
                }
                [] => break,
            };
        }
        self.rest.drain(..at);
        reply
    }
}

/// Where in a text that ends which is looked for. A blank may have become the end of a line, in a window that is not
/// wide enough.
fn end_of(text: &str, what: &str) -> Option<usize> {
    text.char_indices().find_map(|(at, _)| {
        let mut rest = &text[at..];
        for letter in what.chars() {
            rest = match letter {
                ' ' => rest.strip_prefix(' ').or_else(|| rest.strip_prefix("\r\n"))?,
                letter => rest.strip_prefix(letter)?,
            };
        }
        Some(text.len() - rest.len())
    })
}
