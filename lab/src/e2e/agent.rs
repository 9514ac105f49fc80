//! A program's client: frames in and out, `seq` checked on each, the newest value of each variable kept.

use super::PATIENCE;
use futures_util::{SinkExt, StreamExt};
use serde_json::{Map, Value, json};
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, WebSocketConfig};

pub struct Agent {
    socket: WebSocketStream<TcpStream>,
    /// Of the last frame.
    pub seq: u64,
    /// Frames are to be numbered: until a login without `is_agent`.
    pub numbered: bool,
    /// The newest value of each variable.
    pub vars: Map<String, Value>,
    /// Every frame so far.
    pub frames: Vec<Value>,
    last_text: String,
    fences: u32,
}

impl Agent {
    pub async fn connect(address: SocketAddr) -> Agent {
        Agent::over(TcpStream::connect(address).await.expect("the HTTP door is open"), address).await
    }

    /// With so small a window that a server soon notices when nothing is read.
    pub async fn connect_narrow(address: SocketAddr) -> Agent {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(4 * 1024).expect("a small buffer");
        Agent::over(socket.connect(address).await.expect("the HTTP door is open"), address).await
    }

    async fn over(stream: TcpStream, address: SocketAddr) -> Agent {
        let upgrade = tokio::time::timeout(PATIENCE, Agent::upgrade(stream, address));
        upgrade.await.expect("the upgrade is answered").expect("the upgrade is granted")
    }

    /// On a connection that stands, to a server that may be about to end.
    pub async fn upgrade(stream: TcpStream, address: SocketAddr) -> anyhow::Result<Agent> {
        stream.set_nodelay(true)?;
        let config = WebSocketConfig::default();
        let (socket, _) =
            tokio_tungstenite::client_async_with_config(format!("ws://{address}/ws"), stream, Some(config)).await?;
        Ok(Agent {
            socket,
            seq: 0,
            numbered: true,
            vars: Map::new(),
            frames: Vec::new(),
            last_text: String::new(),
            fences: 0,
        })
    }

    pub async fn send(&mut self, frame: Value) {
        self.send_text(&frame.to_string()).await;
    }

    pub async fn send_text(&mut self, text: &str) {
        self.send_message(Message::text(text)).await;
    }

    pub async fn send_message(&mut self, message: Message) {
        let sending = self.socket.send(message);
        tokio::time::timeout(PATIENCE, sending).await.expect("the frame is taken in time").expect("the frame is sent");
    }

    /// Writes bytes past the library that makes frames.
    pub async fn send_raw(&mut self, bytes: &[u8]) {
        self.socket.get_mut().write_all(bytes).await.expect("the connection takes it");
    }

    /// Sends, whether or not the other end still takes it.
    pub async fn try_send(&mut self, frame: Value) -> bool {
        let sending = self.socket.send(Message::text(frame.to_string()));
        tokio::time::timeout(Duration::from_secs(1), sending).await.is_ok_and(|sent| sent.is_ok())
    }

    pub async fn command(&mut self, line: &str) {
        self.send(json!({"type": "command", "data": {"command": line}})).await;
    }

    pub async fn subscribe(&mut self, variables: &[&str]) {
        self.send(json!({"type": "subscribe", "data": {"variables": variables}})).await;
    }

    /// The next frame, or the code and reason with which the connection ends.
    pub async fn next_or_end(&mut self) -> Result<Value, (u16, String)> {
        loop {
            let message = tokio::time::timeout(PATIENCE, self.socket.next()).await;
            let message = message.unwrap_or_else(|_| panic!("no frame came; the last were {}", self.last_frames()));
            match message {
                Some(Ok(Message::Text(text))) => return Ok(self.take(&text)),
                Some(Ok(Message::Close(Some(frame)))) => return Err((frame.code.into(), frame.reason.to_string())),
                Some(Ok(Message::Close(None))) => return Err((1005, String::new())),
                Some(Ok(Message::Binary(_))) => panic!("the server sent a binary frame"),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err((1006, error.to_string())),
                None => return Err((1006, "the connection ended".to_string())),
            }
        }
    }

    pub async fn next(&mut self) -> Value {
        match self.next_or_end().await {
            Ok(frame) => frame,
            Err(end) => panic!("the connection ended with {end:?}; the last frames were {}", self.last_frames()),
        }
    }

    /// A frame if one comes within so many milliseconds.
    pub async fn next_within(&mut self, ms: u64) -> Option<Value> {
        tokio::time::timeout(Duration::from_millis(ms), self.next()).await.ok()
    }

    fn take(&mut self, text: &str) -> Value {
        let frame: Value = serde_json::from_str(text).unwrap_or_else(|error| panic!("{error}: {text}"));
        self.seq += 1;
        if self.numbered {
            assert_eq!(frame["seq"], json!(self.seq), "a gap: {text}; before it {}", self.last_frames());
        } else {
            assert!(frame.get("seq").is_none(), "a person's frame is numbered: {text}");
        }
        if frame["type"] == "vars" {
            for (name, value) in frame["data"].as_object().expect("vars are an object") {
                self.vars.insert(name.clone(), value.clone());
            }
        }
        self.frames.push(frame.clone());
        self.last_text = text.to_string();
        frame
    }

    /// The last frame as it came.
    pub fn last_text(&self) -> &str {
        &self.last_text
    }

    fn last_frames(&self) -> String {
        let last = self.frames.len().saturating_sub(6);
        self.frames[last..].iter().map(|frame| format!("\n  {frame}")).collect()
    }

    /// Reads on until a frame is as wanted.
    pub async fn until(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let frame = self.next().await;
            if wanted(&frame) {
                return frame;
            }
        }
    }

    /// Reads on until a frame of this type comes.
    pub async fn expect(&mut self, kind: &str) -> Value {
        self.until(|frame| frame["type"] == kind).await
    }

    /// Reads on until an error of this code comes.
    pub async fn expect_error(&mut self, code: &str) -> Value {
        self.until(|frame| frame["type"] == "error" && frame["data"]["code"] == code).await
    }

    /// Reads on until a line holds this.
    pub async fn expect_text(&mut self, what: &str) -> Value {
        self.until(|frame| frame["data"]["text"].as_str().is_some_and(|text| text.contains(what))).await
    }

    /// Reads to the end of the connection: the code, the reason, and the frames before it.
    pub async fn ending(&mut self) -> (u16, String, Vec<Value>) {
        let before = self.frames.len();
        loop {
            if let Err((code, reason)) = self.next_or_end().await {
                return (code, reason, self.frames[before..].to_vec());
            }
        }
    }

    /// Logs in with a password or a key, as an agent; returns `state`, with the first `vars` read too.
    pub async fn log_in(&mut self, name: &str, secret: &str) -> Value {
        self.send(json!({"type": "login", "data": {"player_name": name, "password": secret, "is_agent": true}})).await;
        self.logged_in().await
    }

    /// After a login was sent.
    pub async fn logged_in(&mut self) -> Value {
        let state = self.expect("state").await;
        let mut next = self.next().await;
        while next["type"].as_str().is_some_and(|kind| kind.starts_with("memory_")) {
            next = self.next().await;
        }
        assert_eq!(next["type"], "vars", "the full set follows `state` at once, behind what is remembered");
        state
    }

    /// Logs in as a person would.
    pub async fn log_in_as_person(&mut self, name: &str, secret: &str) -> Value {
        self.numbered = false;
        self.send(json!({"type": "login", "data": {"player_name": name, "password": secret}})).await;
        self.expect("state").await
    }

    /// Reads all that was on its way when the server read this. Returns the frames.
    pub async fn fence(&mut self) -> Vec<Value> {
        self.fences += 1;
        let before = self.frames.len();
        let kind = format!("fence_{}", self.fences);
        self.send(json!({"type": kind, "data": {}})).await;
        self.until(|frame| {
            frame["data"]["code"] == "unknown_type" && frame["data"]["message"].to_string().contains(&kind)
        })
        .await;
        self.frames[before..self.frames.len() - 1].to_vec()
    }

    /// Asks for all variables and waits for them.
    pub async fn read_all(&mut self) -> Value {
        self.send(json!({"type": "subscribe", "data": {"variables": [], "full": true}})).await;
        self.until(|f| f["type"] == "vars" && f["data"].as_object().is_some_and(|d| d.len() >= 19)).await
    }

    /// Asks for a full dump and compares what was gathered from changes with it.
    pub async fn changes_equal_a_full_dump(&mut self, at: &str) {
        // What others caused may ride along for 50 ms; nothing tells that there is none.
        while self.next_within(150).await.is_some() {}
        self.fence().await;
        let gathered = self.vars.clone();
        let full = self.read_all().await;
        for (name, value) in full["data"].as_object().expect("vars are an object") {
            if name == "EVENTS" {
                assert_eq!(*value, json!([]), "{at}: a full dump has no events");
            } else {
                assert_eq!(gathered.get(name), Some(value), "{at}: {name} was not pushed; {}", self.last_frames());
            }
        }
    }

    /// Closes, and has the server's answer to it.
    pub async fn close_with_answer(mut self) {
        self.socket.close(None).await.expect("the connection is open");
        loop {
            match tokio::time::timeout(PATIENCE, self.socket.next()).await.expect("the server closes too") {
                Some(Ok(Message::Close(_))) => return,
                Some(Ok(_)) => {}
                other => panic!("the server did not answer the close: {other:?}"),
            }
        }
    }

    /// Says that it leaves for good, and does not wait for an answer.
    pub async fn leave(&mut self) {
        let frame = CloseFrame { code: CloseCode::Normal, reason: "".into() };
        self.socket.close(Some(frame)).await.expect("the connection is open");
    }

    /// Ends the connection as a polite client does.
    pub async fn close(mut self) {
        // It may be closed already.
        let _closed = self.socket.close(None).await;
        let reading = async { while let Some(Ok(_)) = self.socket.next().await {} };
        tokio::time::timeout(PATIENCE, reading).await.expect("the server closes too");
    }
}
