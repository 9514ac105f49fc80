//! Callers who do not play fair: sockets from an address of one's choice, a WebSocket by hand, a telnet login by hand.
//!
//! They know the wire and no library's good manners. Invariant: every call has an end; what a server does not answer
//! in [`PATIENCE`] counts as refused. All of 127.0.0.0/8 is this machine, so each caller may have its own address.

use crate::load::wire::{self, Opcode};
use anyhow::{Context, bail, ensure};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{Instant, timeout};

/// Longest wait for one answer.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// The password of all characters that attackers make.
pub const PASSWORD: &str = "abcdefgh";

/// A connection from this address of the machine.
pub async fn connect(from: Ipv4Addr, to: SocketAddr) -> anyhow::Result<TcpStream> {
    dial(TcpSocket::new_v4()?, from, to).await
}

/// The same, with so small a buffer that whoever answers it soon has to wait.
pub async fn connect_narrow(from: Ipv4Addr, to: SocketAddr) -> anyhow::Result<TcpStream> {
    let socket = TcpSocket::new_v4()?;
    socket.set_recv_buffer_size(1024)?;
    dial(socket, from, to).await
}

async fn dial(socket: TcpSocket, from: Ipv4Addr, to: SocketAddr) -> anyhow::Result<TcpStream> {
    socket.bind((from, 0).into())?;
    let stream = timeout(PATIENCE, socket.connect(to)).await.context("nobody accepts")??;
    stream.set_nodelay(true)?;
    Ok(stream)
}

/// Reads until the other end hangs up, or for so long: what it said, cut short, and whether it hung up.
pub async fn hear_out(stream: &mut TcpStream, longest: Duration) -> (String, bool) {
    const KEPT: usize = 2_048;
    let mut heard = Vec::new();
    let reading = async {
        let mut bytes = [0; 2_048];
        while let Ok(count) = stream.read(&mut bytes).await
            && count > 0
        {
            heard.extend(bytes[..count].iter().take(KEPT - heard.len().min(KEPT)));
        }
    };
    let ended = timeout(longest, reading).await.is_ok();
    (String::from_utf8_lossy(&heard).into_owned(), ended)
}

/// A program's connection.
pub struct Agent<S = TcpStream> {
    stream: S,
    read: Vec<u8>,
    /// What was refused to it since somebody last asked, by the server's words.
    refusals: BTreeMap<String, u64>,
    /// What it was told by lines, until somebody asks for it; only where it was asked to listen.
    pub told: Option<String>,
}

impl Agent {
    pub async fn connect(from: Ipv4Addr, to: SocketAddr) -> anyhow::Result<Agent> {
        Agent::over(connect(from, to).await?, &wire::upgrade_request(&to.to_string())).await
    }

    /// A new character, its token beside it.
    pub async fn create(from: Ipv4Addr, to: SocketAddr, name: &str, more: Value) -> anyhow::Result<(Agent, String)> {
        let mut agent = Agent::connect(from, to).await?;
        let mut data = json!({ "player_name": name, "is_agent": true, "password": PASSWORD, "new_char": true,
            "class": 3, "race": 0, "sex": "male", "hometown": "K" });
        if let (Some(data), Some(more)) = (data.as_object_mut(), more.as_object()) {
            data.extend(more.clone());
        }
        let state = agent.log_in(data).await?;
        let token = state["token"].as_str().unwrap_or_default().to_string();
        Ok((agent, token))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> Agent<S> {
    /// On a connection that stands, by this request for a WebSocket.
    pub async fn over(mut stream: S, request: &str) -> anyhow::Result<Agent<S>> {
        stream.write_all(request.as_bytes()).await?;
        stream.flush().await?;
        let mut read = Vec::new();
        let answered = async {
            loop {
                if let Some(at) = wire::find(&read, b"\r\n\r\n") {
                    let rest = read.split_off(at + 4);
                    return anyhow::Ok((std::mem::replace(&mut read, rest), read));
                }
                ensure!(stream.read_buf(&mut read).await? > 0, "hung up");
            }
        };
        let (head, rest) = timeout(PATIENCE, answered).await.context("no answer to the upgrade")??;
        if !head.starts_with(b"HTTP/1.1 101") {
            let head = String::from_utf8_lossy(&head).into_owned();
            bail!("{}", head.lines().next().unwrap_or("no upgrade"));
        }
        Ok(Agent { stream, read: rest, refusals: BTreeMap::new(), told: None })
    }

    pub async fn send_raw(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        let writing = async {
            self.stream.write_all(bytes).await?;
            self.stream.flush().await
        };
        Ok(timeout(PATIENCE, writing).await.context("it does not read")??)
    }

    pub async fn send(&mut self, frame: &Value) -> anyhow::Result<()> {
        let mut bytes = Vec::new();
        wire::text_frame(&frame.to_string(), &mut bytes);
        self.send_raw(&bytes).await
    }

    pub async fn command(&mut self, line: &str) -> anyhow::Result<()> {
        self.send(&json!({ "type": "command", "data": { "command": line } })).await
    }

    /// The next frame that is text, as it came.
    async fn next(&mut self) -> anyhow::Result<Vec<u8>> {
        loop {
            if let Some((opcode, payload, taken)) = wire::next_frame(&self.read)? {
                let payload = payload.to_vec();
                self.read.drain(..taken);
                match opcode {
                    Opcode::Text => return Ok(payload),
                    Opcode::Close => {
                        let why = String::from_utf8_lossy(payload.get(2..).unwrap_or_default()).into_owned();
                        bail!("closed: {why}")
                    }
                    Opcode::Ping => {
                        let mut pong = Vec::new();
                        wire::pong_frame(&payload, &mut pong);
                        self.send_raw(&pong).await?;
                    }
                    Opcode::Pong => {}
                }
                continue;
            }
            ensure!(self.stream.read_buf(&mut self.read).await? > 0, "hung up");
        }
    }

    /// The next frame of this kind. An error: the server's own, or that the connection is gone.
    pub async fn expect(&mut self, kind: &str) -> anyhow::Result<Value> {
        let reading = async {
            loop {
                let payload = self.next().await?;
                let Some(message) = wire::message(&payload) else { bail!("a frame of another form") };
                if message.kind == b"error" {
                    bail!("{}", refusal(&payload));
                }
                self.listen(&payload);
                if message.kind == kind.as_bytes() {
                    return Ok(serde_json::from_slice(&payload)?);
                }
            }
        };
        timeout(PATIENCE, reading).await.with_context(|| format!("no {kind}"))?
    }

    fn listen(&mut self, payload: &[u8]) {
        if let Some(told) = &mut self.told
            && let Ok(frame) = serde_json::from_slice::<Value>(payload)
            && let Some(text) = frame["data"]["text"].as_str()
        {
            told.push_str(text);
            told.push('\n');
        }
    }

    /// `data` of the `state` that answers a login. An error is the server's refusal, or that it did not answer.
    pub async fn log_in(&mut self, data: Value) -> anyhow::Result<Value> {
        self.send(&json!({ "type": "login", "data": data })).await?;
        Ok(self.expect("state").await?["data"].take())
    }

    /// Reads for so long, and keeps nothing but what was refused. An error: the connection is gone.
    pub async fn drain(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = Instant::now() + time;
        while let Ok(frame) = tokio::time::timeout_at(end, self.next()).await {
            let payload = frame?;
            if wire::message(&payload).is_some_and(|message| message.kind == b"error") {
                *self.refusals.entry(refusal(&payload)).or_default() += 1;
            } else {
                self.listen(&payload);
            }
        }
        Ok(())
    }

    pub fn take_refusals(&mut self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.refusals)
    }
}

/// Code and words of an error frame.
fn refusal(payload: &[u8]) -> String {
    let frame: Value = serde_json::from_slice(payload).unwrap_or_default();
    let word = |name: &str| frame["data"][name].as_str().unwrap_or_default().to_string();
    format!("{}: {}", word("code"), word("message"))
}

/// A person's connection.
pub struct Telnet {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Telnet {
    pub async fn connect(from: Ipv4Addr, to: SocketAddr) -> anyhow::Result<Telnet> {
        Ok(Telnet { stream: connect(from, to).await?, read: Vec::new() })
    }

    pub async fn line(&mut self, line: &str) -> anyhow::Result<()> {
        let bytes = format!("{line}\r\n");
        Ok(timeout(PATIENCE, self.stream.write_all(bytes.as_bytes())).await.context("it does not read")??)
    }

    /// Reads up to and with these words; what stood before them. An error has the last line that came.
    pub async fn until(&mut self, words: &str) -> anyhow::Result<String> {
        let reading = async {
            loop {
                if let Some(at) = wire::find(&self.read, words.as_bytes()) {
                    let rest = self.read.split_off(at + words.len());
                    let before = std::mem::replace(&mut self.read, rest);
                    return anyhow::Ok(String::from_utf8_lossy(&before).into_owned());
                }
                if self.stream.read_buf(&mut self.read).await.unwrap_or(0) == 0 {
                    let said = String::from_utf8_lossy(&self.read).into_owned();
                    bail!("{}", said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or("hung up").trim());
                }
            }
        };
        timeout(PATIENCE, reading).await.with_context(|| format!("it never said {words:?}"))?
    }
}
