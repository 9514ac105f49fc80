//! The WebSocket transport: frames of programs and of the web client, around `encode::frames`.

use crate::accounts::{Credential, IssuedToken, Login, tokens};
use crate::capture::Meta;
use crate::credentials::check_password;
use crate::encode::farewell::{Ending, RESTARTS, ending};
use crate::encode::frames::{Client, Frames};
use crate::limits::{Bucket, COMMAND_BYTES_MAX, ConnectionRefusal, FULL_READ_COST, META_BYTES_MAX};
use crate::lobby::{ClientInfo, Connected, Lobby, Refused, account};
use crate::outbox::{Close, Out, Outbox, Taken, Wake};
use crate::restart::Open;
use crate::session::creation::{Dialogue, Next};
use crate::session::{NewCharacter, class_of, race_of};
use crate::times::unix_ms;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt;
use protocol::code::{ErrorCode, close};
use protocol::creation::Sex as WireSex;
use protocol::frame::{self, ClientFrame, Proof, ServerFrame};
use protocol::outcome::Outcome;
use protocol::payload::TokenRefresh;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use world::commands::{Stripped, strip_secret};

/// The published protocol's words.
const TOO_FAST: &str = "rate limit exceeded — slow down";
/// A text that is none (RFC 6455).
const NOT_UTF8: u16 = 1007;
/// Answers to frames beyond their limit.
const REFUSALS_PER_SECOND: u32 = 5;
/// How often a silent connection is looked after: pings, time-outs, tokens.
const LOOK_AFTER: Duration = Duration::from_secs(20);
/// Without any sign of life from the client for so long, it is gone.
const DEAD_MS: u64 = 120_000;
/// How long the end of a connection may take.
const FAREWELL: Duration = Duration::from_secs(2);

/// One connection.
struct WebSocketConnection {
    socket: WebSocket,
    lobby: Arc<Lobby>,
    address: IpAddr,
    frames: Frames,
    outbox: Arc<Outbox>,
    /// For commands.
    bucket: Bucket,
    /// For all other frames.
    frame_bucket: Bucket,
    /// For the bytes of frames with commands.
    byte_bucket: Bucket,
    /// For the answers to frames beyond the limit: what comes without an end is not answered without an end.
    refusal_bucket: Bucket,
    connected: Option<Connected>,
    token: Option<(String, i64)>,
    creating: Option<Creating>,
    pending_password: Option<String>,
    since_ms: u64,
    last_input_ms: u64,
    last_sign_ms: u64,
    /// The entry in the registry.
    open: Open,
}

struct Creating {
    name: String,
    password: String,
    agent: bool,
    info: ClientInfo,
    dialogue: Dialogue,
}

/// How a connection goes on.
enum Flow {
    On,
    /// Close with this code and reason.
    End(u16, &'static str),
    /// The socket is gone.
    Gone,
}

/// Serves a connection until its end. `refusal`: there is no place for it, and it is only told so.
pub async fn serve(socket: WebSocket, lobby: Arc<Lobby>, address: IpAddr, refusal: Option<ConnectionRefusal>) {
    let now = lobby.now_ms();
    let outbox = Arc::new(Outbox::new(lobby.limits.outbound_max()));
    let mut connection = Box::new(WebSocketConnection {
        socket,
        address,
        frames: Frames::default(),
        open: lobby.engine.restart.open(&outbox),
        outbox,
        bucket: lobby.limits.command_bucket(),
        frame_bucket: lobby.limits.frame_bucket(),
        byte_bucket: lobby.limits.byte_bucket(),
        refusal_bucket: Bucket::new(REFUSALS_PER_SECOND, REFUSALS_PER_SECOND),
        connected: None,
        token: None,
        creating: None,
        pending_password: None,
        since_ms: now,
        last_input_ms: now,
        last_sign_ms: now,
        lobby,
    });
    let flow = match refusal {
        None => connection.run().await,
        Some(refusal) => {
            let frame = connection.frames.error(ErrorCode::TooManyConnections, refusal.to_string());
            Box::pin(connection.send(vec![frame])).await;
            Flow::End(close::POLICY, "too many connections")
        }
    };
    if let Some(connected) = connection.connected.take() {
        Box::pin(connection.lobby.left(connected)).await;
    }
    let farewell = async {
        if let Flow::End(code, reason) = flow {
            let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
            connection.socket.send(close).await?;
        }
        // Until the peer has closed too: what it sent and nobody reads would make the system drop our last words.
        while connection.socket.recv().await.is_some_and(|message| message.is_ok()) {}
        Ok::<(), axum::Error>(())
    };
    // The peer may be gone or stuck; either way this is the end.
    let _told = tokio::time::timeout(FAREWELL, Box::pin(farewell)).await;
}

impl WebSocketConnection {
    async fn run(&mut self) -> Flow {
        let mut look_after = tokio::time::interval(self.lobby.limits.look_after(LOOK_AFTER));
        look_after.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        look_after.tick().await;
        loop {
            let flow = tokio::select! {
                biased;
                () = self.outbox.ready() => self.flush().await,
                message = self.socket.recv() => match message {
                    Some(Ok(message)) => self.receive(message).await,
                    Some(Err(error)) => return Box::pin(self.broken(error)).await,
                    None => return Flow::Gone,
                },
                _ = look_after.tick() => Box::pin(self.look_after()).await,
            };
            match flow {
                Flow::On => {}
                end => return end,
            }
        }
    }

    /// What cannot be read past is named before the end; everything else means that the peer is gone.
    async fn broken(&mut self, error: axum::Error) -> Flow {
        tracing::debug!(address = %self.address, %error, "a websocket broke");
        let error = error.into_inner();
        // The library's own type; a test sees to it that the version in Cargo.toml is the one that axum uses.
        let (code, message, ending) = match error.downcast_ref::<tungstenite::Error>() {
            Some(tungstenite::Error::Capacity(_)) => {
                let most = self.lobby.limits.frame_max();
                let message = format!("The frame is far larger than the {most} bytes that are read. Send less.");
                (ErrorCode::TooLarge, message, Flow::End(close::TOO_BIG, "the frame is too large to be read past"))
            }
            Some(tungstenite::Error::Utf8(_)) => {
                let message = "A text frame must be UTF-8.".to_string();
                (ErrorCode::BadJson, message, Flow::End(NOT_UTF8, "the frame is not UTF-8"))
            }
            _ => return Flow::Gone,
        };
        match self.refuse(code, message).await {
            Flow::On => ending,
            flow => flow,
        }
    }

    async fn receive(&mut self, message: Message) -> Flow {
        let now = self.lobby.now_ms();
        self.last_sign_ms = now;
        let text = match message {
            Message::Text(text) => text,
            Message::Binary(_) => {
                if self.frame_bucket.take(now).is_err() {
                    return self.too_fast(now).await;
                }
                return self
                    .refuse(ErrorCode::BinaryFrame, "Binary frames are not read. Send JSON in text frames.")
                    .await;
            }
            Message::Close(_) => return Flow::Gone,
            Message::Ping(_) | Message::Pong(_) => return Flow::On,
        };
        self.last_input_ms = now;
        if text.len() > self.lobby.limits.frame_max() {
            if self.frame_bucket.take(now).is_err() {
                return self.too_fast(now).await;
            }
            let message = format!(
                "A frame of {} bytes is more than the {} that are read. It was skipped; send less.",
                text.len(),
                self.lobby.limits.frame_max()
            );
            return self.refuse(ErrorCode::TooLarge, message).await;
        }
        let frame = match ClientFrame::parse(&text) {
            Ok(ClientFrame::Command(command)) => return self.command(command, text.len(), now).await,
            frame => frame,
        };
        let cost = match &frame {
            Ok(ClientFrame::Subscribe(subscribe)) if subscribe.full => FULL_READ_COST,
            _ => 1,
        };
        if self.frame_bucket.take_some(cost, now).is_err() {
            return self.too_fast(now).await;
        }
        // What is rare is boxed, so that a session that plays does not carry the room for it.
        match frame {
            Err(error) => self.refuse(error.code, error.message).await,
            Ok(ClientFrame::Command(_)) => unreachable!("commands were handed on above"),
            Ok(ClientFrame::Subscribe(subscribe)) => Box::pin(self.subscribe(&subscribe)).await,
            Ok(ClientFrame::Login(login)) => Box::pin(self.login(*login)).await,
            Ok(ClientFrame::CharInput(input)) => Box::pin(self.char_input(&input.choice)).await,
        }
    }

    /// A frame that is no command came beyond the limit.
    async fn too_fast(&mut self, now: u64) -> Flow {
        match self.refusal_bucket.take(now) {
            Ok(()) => self.refuse(ErrorCode::RateLimited, TOO_FAST).await,
            Err(_) => Flow::On,
        }
    }

    async fn refuse(&mut self, code: ErrorCode, message: impl Into<String>) -> Flow {
        let frame = self.frames.error(code, message);
        Box::pin(self.send(vec![frame])).await
    }

    /// `size`: of its frame, in bytes.
    async fn command(&mut self, command: frame::Command, size: usize, now: u64) -> Flow {
        let Some(connected) = &self.connected else {
            return self.refuse(ErrorCode::NotLoggedIn, "You are not in the game yet. Send `login` first.").await;
        };
        let typed = command.command.len() + command.args.iter().map(|arg| arg.len() + 1).sum::<usize>();
        // A frame that is small has no large note.
        let note = match &command.meta {
            Some(meta) if size > META_BYTES_MAX => meta.to_string().len(),
            _ => 0,
        };
        if typed > COMMAND_BYTES_MAX || note > META_BYTES_MAX {
            let message = format!(
                "A command may have {COMMAND_BYTES_MAX} bytes and its `meta` {META_BYTES_MAX}; this one has {typed} and \
                 {note}. It was not done."
            );
            return match self.frame_bucket.take(now) {
                Ok(()) => self.refuse(ErrorCode::TooLarge, message).await,
                Err(_) => self.too_fast(now).await,
            };
        }
        let bytes = u32::try_from(size).unwrap_or(u32::MAX);
        if self.bucket.take(now).is_err() || self.byte_bucket.take_some(bytes, now).is_err() {
            self.lobby.counts.commands_refused.inc();
            self.frames.limited_total += 1;
            let outcome = Outcome::RateLimited {
                command: command.command.as_str().into(),
                dropped_total: self.frames.limited_total,
            };
            self.frames.note(outcome);
            let mut frames = vec![self.frames.error(ErrorCode::RateLimited, TOO_FAST)];
            self.frames.encode(Taken::default(), &mut frames);
            return Box::pin(self.send(frames)).await;
        }
        let mut line = command.line();
        if let Stripped { line: sent, secret: Some(args) } = strip_secret(&line) {
            // The arguments stay here; the world says whether they may be used.
            self.pending_password = Some(args.to_string());
            line = sent.to_string();
        }
        let meta = command.meta.map(|meta| Arc::new(Meta::of(meta)));
        self.lobby.engine.command(connected.who, connected.session, line, meta);
        // What it caused is usually there already; the wake-up that came with it is taken by `run`.
        Flow::On
    }

    async fn subscribe(&mut self, subscribe: &frame::Subscribe) -> Flow {
        let Some(connected) = &self.connected else {
            return self.refuse(ErrorCode::NotLoggedIn, "You are not in the game yet. Send `login` first.").await;
        };
        if self.frames.client != Client::Agent {
            let message = "Only agents have variables. Log in with `\"is_agent\": true`.";
            return self.refuse(ErrorCode::AgentsOnly, message).await;
        }
        let (set, unknown) = self.frames.subscribe(&subscribe.variables);
        self.outbox.set_subscribed(set);
        let (who, session) = (connected.who, connected.session);
        self.lobby.engine.subscribed(who, session, subscribe.full);
        if unknown.is_empty() {
            return Flow::On;
        }
        let shown: Vec<String> = unknown.iter().take(20).map(|n| n.chars().take(40).collect()).collect();
        let message = format!("There are no variables of these names: {}. The others count.", shown.join(", "));
        self.refuse(ErrorCode::UnknownVariable, message).await
    }

    async fn login(&mut self, login: frame::Login) -> Flow {
        if self.connected.is_some() {
            return self
                .refuse(
                    ErrorCode::AlreadyLoggedIn,
                    "You are in the game already. Open a second connection for another character.",
                )
                .await;
        }
        self.creating = None;
        let info = ClientInfo::of(&login);
        if login.new_char {
            return self.new_character(login, info).await;
        }
        let credential = match login.proof() {
            Some(Proof::Token(token)) => Credential::Token(token.0.clone()),
            Some(Proof::Key(key)) => Credential::Key(key.0.clone()),
            Some(Proof::Password(password)) => Credential::Password(password.0.clone()),
            None => {
                return self
                    .refuse(
                        ErrorCode::BadLogin,
                        "A login needs `password` (or a key in its place), `api_key` or `token`.",
                    )
                    .await;
            }
        };
        // A key or token names its character; the name may then be left out.
        let name = login.player_name.clone().unwrap_or_default();
        match self.lobby.login(&name, credential, self.address).await {
            Ok(account) => self.enter(&account, login.is_agent, info).await,
            Err(refused) => self.refused(refused).await,
        }
    }

    /// Says why, and goes on or ends.
    async fn refused(&mut self, refused: Refused) -> Flow {
        let (code, message, over) = match refused {
            Refused::No { code, message } => (code, message, false),
            Refused::Over { code: ErrorCode::ShuttingDown, .. } if self.lobby.engine.restart.is_under_way() => {
                let frame = self.restarting();
                return match self.send(vec![frame]).await {
                    Flow::On => Flow::End(close::RESTART, RESTARTS),
                    flow => flow,
                };
            }
            Refused::Over { code, message } => (code, message, true),
        };
        match self.refuse(code, message).await {
            Flow::On if over && code == ErrorCode::ShuttingDown => {
                Flow::End(close::GOING_AWAY, "the server is stopping")
            }
            Flow::On if over => Flow::End(close::POLICY, "the login was refused"),
            flow => flow,
        }
    }

    async fn new_character(&mut self, login: frame::Login, info: ClientInfo) -> Flow {
        let typed = login.player_name.clone().unwrap_or_default();
        let name = match protocol::names::check_name(&typed) {
            Ok(name) => name,
            Err(refusal) => return self.refuse(ErrorCode::NameRefused, refusal.to_string()).await,
        };
        let Some(password) = login.password.as_ref().map(|p| p.0.clone()) else {
            return self.refuse(ErrorCode::BadField, "A new character needs a `password`.").await;
        };
        if let Err(refusal) = check_password(&name, &password) {
            return self.refuse(ErrorCode::BadField, refusal.to_string()).await;
        }
        match self.lobby.accounts.exists(&name).await {
            Ok(false) => {}
            Ok(true) => {
                let message = format!("The name {name} is taken. Choose another.");
                return self.refuse(ErrorCode::NameRefused, message).await;
            }
            Err(error) => {
                tracing::error!(%error, "a name could not be looked up");
                return self
                    .refuse(ErrorCode::Internal, "The accounts cannot be reached just now. Try again in a minute.")
                    .await;
            }
        }
        let mut dialogue = self.lobby.dialogue();
        let (Some(class), Some(race)) = (login.class, login.race) else {
            let question = ServerFrame::CharCreate(dialogue.question());
            let creating = Creating { name, password, agent: login.is_agent, info, dialogue };
            self.creating = Some(creating);
            let frame = self.frames.frame(&question);
            return self.send(vec![frame]).await;
        };
        // One message: the same dialogue, answered from the frame.
        let (Some(_), Some(_)) = (race_of(race), class_of(class)) else {
            return self.refuse(ErrorCode::BadField, "`class` or `race` is none of the numbers that exist.").await;
        };
        let sex = match login.sex {
            Some(WireSex::Male) => "M",
            Some(WireSex::Female) | None => "F",
        };
        let home = login.hometown.as_deref().and_then(|word| self.lobby.hometown_named(word));
        let home = home.unwrap_or_else(|| self.lobby.first_hometown()).to_string();
        let mut done = None;
        for answer in ["N", sex, &race.to_string(), &class.to_string(), &home, "Y", "Y"] {
            match dialogue.answer(answer) {
                Ok(Next::Ask) => {}
                Ok(Next::Done(chosen)) => {
                    done = Some(chosen);
                    break;
                }
                Err(message) => return self.refuse(ErrorCode::BadField, message).await,
            }
        }
        let Some(chosen) = done else {
            return self.refuse(ErrorCode::Internal, "The character could not be made.").await;
        };
        self.create(name, password, login.is_agent, info, *chosen).await
    }

    async fn char_input(&mut self, choice: &str) -> Flow {
        let Some(creating) = self.creating.as_mut() else {
            return self
                .refuse(
                    ErrorCode::NoCreation,
                    "No character is being made. Send `login` with `\"new_char\": true` to make one.",
                )
                .await;
        };
        match creating.dialogue.answer(choice) {
            Ok(Next::Ask) => {
                let question = ServerFrame::CharCreate(creating.dialogue.question());
                let frame = self.frames.frame(&question);
                self.send(vec![frame]).await
            }
            Ok(Next::Done(chosen)) => {
                let Some(Creating { name, password, agent, info, .. }) = self.creating.take() else { return Flow::On };
                self.create(name, password, agent, info, *chosen).await
            }
            Err(message) => {
                let question = ServerFrame::CharCreate(creating.dialogue.question());
                let frames = vec![self.frames.error(ErrorCode::BadField, message), self.frames.frame(&question)];
                self.send(frames).await
            }
        }
    }

    async fn create(
        &mut self,
        name: String,
        password: String,
        agent: bool,
        info: ClientInfo,
        chosen: crate::session::creation::Chosen,
    ) -> Flow {
        let new = NewCharacter::of(name, password, chosen);
        match self.lobby.create_and_log_in(&new, agent, self.address).await {
            Ok(account) => self.enter(&account, agent, info).await,
            Err(refused) => self.refused(refused).await,
        }
    }

    async fn enter(&mut self, account: &Login, agent: bool, info: ClientInfo) -> Flow {
        let token = self.lobby.token(account, agent).await;
        let text = token.as_ref().map(|t| t.token.clone());
        self.keep_token(token);
        let motd = self.lobby.welcome(account);
        match self.lobby.enter(account, agent, true, self.outbox.clone(), text, motd, info).await {
            Ok(connected) => {
                self.connected = Some(connected);
                self.frames.client = if agent { Client::Agent } else { Client::Person };
                self.flush().await
            }
            Err(refused) => {
                self.token = None;
                self.refused(refused).await
            }
        }
    }

    fn keep_token(&mut self, token: Option<IssuedToken>) {
        self.token = token.map(|t| (t.digest, t.expires_at_ms));
    }

    /// Sends all that waits.
    async fn flush(&mut self) -> Flow {
        let mut taken = self.outbox.take();
        let close_reason = taken.close;
        let asked_password = taken.items.iter().any(|out| matches!(out, Out::Password));
        taken.prompt = None;
        let mut frames = Vec::new();
        self.frames.encode(taken, &mut frames);
        if asked_password {
            let message = Box::pin(self.change_password()).await;
            let mut data = String::new();
            protocol::payload::append_event(&mut data, protocol::payload::EventKind::Text, None, &message);
            let frame = Out::frame(frame::FrameKind::Event, data);
            self.outbox.release(&mut vec![frame], Vec::new(), None, Wake::Now);
        }
        let Some(close) = close_reason else {
            return if frames.is_empty() { Flow::On } else { self.send(frames).await };
        };
        let Ending { code, reason, error } = ending(close);
        if close == Close::Restarting {
            frames.push(self.restarting());
        }
        if let Some((code, message)) = error {
            frames.push(self.frames.error(code, message));
        }
        match self.send(frames).await {
            Flow::On => Flow::End(code, reason),
            flow => flow,
        }
    }

    /// The frame that tells when to come back.
    fn restarting(&mut self) -> String {
        let message = "The server starts anew and will be back in seconds. Connect again; \
                       your character waits where it is.";
        let wait_ms = self.open.retry_after_ms();
        self.frames.frame(&ServerFrame::restarting(message, wait_ms))
    }

    async fn change_password(&mut self) -> String {
        let args = self.pending_password.take().unwrap_or_default();
        let name = self.connected.as_ref().map(|c| c.name.clone()).unwrap_or_default();
        account::change_password(&self.lobby, &name, &args, self.address).await
    }

    /// Writes frames. A client that takes too long to read them is slow, and is closed.
    async fn send(&mut self, frames: Vec<String>) -> Flow {
        let longest = self.lobby.limits.slow_reader_ms().map(Duration::from_millis);
        let socket = &mut self.socket;
        let write = async move {
            for frame in frames {
                socket.feed(Message::Text(frame.into())).await?;
            }
            socket.flush().await
        };
        let written = match longest {
            Some(longest) => tokio::time::timeout(longest, write).await,
            None => Ok(write.await),
        };
        match written {
            Ok(Ok(())) => Flow::On,
            Ok(Err(_)) => Flow::Gone,
            Err(_) => {
                tracing::info!(address = %self.address, "closed a slow reader");
                Flow::End(close::TRY_AGAIN, "reading too slowly")
            }
        }
    }

    async fn look_after(&mut self) -> Flow {
        let now = self.lobby.now_ms();
        if now.saturating_sub(self.last_sign_ms) > DEAD_MS {
            return Flow::Gone;
        }
        let silent = now.saturating_sub(self.last_input_ms);
        let limits = &self.lobby.limits;
        let longest = if self.creating.is_some() { limits.creation_ms() } else { limits.login_ms() };
        // From connecting: what is sent meanwhile lengthens nothing.
        if self.connected.is_none() && longest.is_some_and(|limit| now.saturating_sub(self.since_ms) > limit) {
            let frame = self
                .frames
                .error(ErrorCode::LoginTimeout, "No login came in time. Send `login` right after connecting.");
            self.send(vec![frame]).await;
            return Flow::End(close::POLICY, "no login in time");
        }
        if self.connected.is_some() && self.lobby.limits.idle_ms().is_some_and(|limit| silent > limit) {
            let frame = self.frames.error(ErrorCode::Idle, "Nothing came from you for too long. Connect again.");
            self.send(vec![frame]).await;
            return Flow::End(close::POLICY, "idle");
        }
        if let Some((digest, expires_at)) = self.token.clone()
            && tokens::refresh_is_due(expires_at, unix_ms())
        {
            match self.lobby.accounts.renew_token(&digest, unix_ms()).await {
                Ok(Some(token)) => {
                    let refresh = ServerFrame::TokenRefresh(TokenRefresh { token: token.token.clone() });
                    self.keep_token(Some(token));
                    let frame = self.frames.frame(&refresh);
                    if let end @ (Flow::End(..) | Flow::Gone) = self.send(vec![frame]).await {
                        return end;
                    }
                }
                Ok(None) => self.token = None,
                Err(error) => tracing::warn!(%error, "a token could not be renewed"),
            }
        }
        let ping =
            tokio::time::timeout(Duration::from_secs(5), self.socket.send(Message::Ping(Vec::new().into()))).await;
        match ping {
            Ok(Ok(())) | Err(_) => Flow::On,
            Ok(Err(_)) => Flow::Gone,
        }
    }
}
