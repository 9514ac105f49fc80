//! The WebSocket transport: frames of programs and of the web client.
//!
//! `encode::frames` makes frames, `program_login` is the way in, `connection` what all transports share, `streams` how
//! somebody comes back to frames that were missed. This file waits for all of them.

use super::back_in_time;
use super::connection::{CommandRefusal, Connection, FAREWELL, Standing, Timeout, Written, write_within};
use super::host_session::{HostSession, Revoked};
use super::program_login::{Entrant, LoginStep, ProgramLogin};
use super::streams::{self, Arrival, Caller, Resumption, Stream, Streams};
use crate::accounts::{IssuedToken, tokens};
use crate::capture::Meta;
use crate::encode::farewell::{Ending, RESTARTS, ending};
use crate::encode::frames::{Client, Frames};
use crate::engine::CommandNote;
use crate::limits::{Bucket, COMMAND_BYTES_MAX, ConnectionRefusal, FULL_READ_COST, META_BYTES_MAX, Slot};
use crate::lobby::{Lobby, Refusal, Visitor};
use crate::outbox::{Close, Delivery};
use crate::restart::{STREAM_BYTES_MAX, StreamLeft};
use crate::store::sessions::Transport;
use crate::times::unix_ms;
use axum::extract::ws::{CloseFrame, Message, WebSocket};
use futures_util::SinkExt;
use protocol::code::{ErrorCode, close};
use protocol::frame::{self, ClientFrame, Proof, Resume, ServerFrame};
use protocol::outcome::Outcome;
use protocol::payload::{Resumed, TokenRefresh};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;

/// The published protocol's words.
const TOO_FAST: &str = "rate limit exceeded — slow down";
/// A text that is none (RFC 6455).
const NOT_UTF8: u16 = 1007;
/// Answers to frames beyond their limit.
const REFUSALS_PER_SECOND: u32 = 5;
/// What a program says at login that wants to have again what it missed.
const RESUME_FEATURE: &str = "resume";
/// Told to whom a stream was taken from.
const GOES_ON: &str = "the stream goes on elsewhere";
/// How often a silent connection is looked after: pings, time-outs, tokens.
const LOOK_AFTER: Duration = Duration::from_secs(20);
/// Without any sign of life from the client for so long, it is gone.
const DEAD_MS: u64 = 120_000;

/// One connection.
struct WebSocketConnection {
    core: Connection,
    /// None while a stream goes on without one, and when it was given to a stream.
    socket: Option<WebSocket>,
    frames: Frames,
    login: ProgramLogin,
    /// Set where a host is at the other end, who plays nobody by this connection.
    host: Option<Box<HostSession>>,
    /// Set where the client can resume.
    stream: Option<Box<Stream>>,
    streams: Arc<Streams>,
    /// The client has been away for longer than a moment, and the world knows.
    is_away: bool,
    /// For all frames but commands.
    frame_bucket: Bucket,
    /// For the answers to frames beyond the limit: what comes without an end is not answered without an end.
    refusal_bucket: Bucket,
    /// Digest and expiry of the token that the client has from us.
    token: Option<(String, i64)>,
    last_sign_ms: u64,
}

/// How a connection goes on.
enum Flow {
    On,
    /// Close with this code and reason.
    End(u16, &'static str),
    /// The socket is gone.
    Gone,
    /// The client has closed the connection as it should be closed.
    Left,
    /// A stream has the socket now.
    Given,
}

/// Serves a connection until its end. `refusal`: there is no place for it, and it is only told so.
pub async fn serve(
    socket: WebSocket,
    lobby: Arc<Lobby>,
    streams: Arc<Streams>,
    address: IpAddr,
    slot: Slot,
    refusal: Option<ConnectionRefusal>,
) {
    let mut connection = WebSocketConnection::new(Some(socket), lobby, streams, address, Some(slot));
    let flow = match refusal {
        None => connection.run().await,
        Some(refusal) => {
            let frame = connection.frames.error(ErrorCode::TooManyConnections, refusal.to_string());
            Box::pin(connection.send(vec![frame])).await;
            Flow::End(close::POLICY, "too many connections")
        }
    };
    connection.end(flow).await;
}

/// Goes on with the streams that the program before left, each without a socket until its client is back. Returns when
/// all are in the world again, or after a while (`back_in_time`).
pub async fn adopt(left: Vec<StreamLeft>, lobby: &Arc<Lobby>, streams: &Arc<Streams>) {
    let on_their_way: Vec<_> = left
        .into_iter()
        .map(|left| {
            let (back, is_back) = oneshot::channel();
            let mut connection = WebSocketConnection::new(None, lobby.clone(), streams.clone(), left.address, None);
            tokio::spawn(async move {
                let name = left.login.name.clone();
                let flow = match Box::pin(connection.come_back(left)).await {
                    Ok(()) => {
                        // Nobody may wait for it any more.
                        let _unheard = back.send(());
                        connection.run().await
                    }
                    Err(refusal) => {
                        tracing::info!(name, refusal = refusal.message(), "a stream does not go on");
                        Flow::Gone
                    }
                };
                connection.end(flow).await;
            });
            is_back
        })
        .collect();
    if !back_in_time(on_their_way).await {
        tracing::warn!("some streams did not go on in time; who comes back for them may begin anew");
    }
}

impl WebSocketConnection {
    fn new(
        socket: Option<WebSocket>,
        lobby: Arc<Lobby>,
        streams: Arc<Streams>,
        address: IpAddr,
        slot: Option<Slot>,
    ) -> Box<WebSocketConnection> {
        Box::new(WebSocketConnection {
            socket,
            stream: None,
            streams,
            is_away: false,
            frames: Frames::default(),
            login: ProgramLogin::default(),
            host: None,
            frame_bucket: lobby.limits.frame_bucket(),
            refusal_bucket: Bucket::new(REFUSALS_PER_SECOND, REFUSALS_PER_SECOND),
            token: None,
            last_sign_ms: lobby.now_ms(),
            core: Connection::new(lobby, address, slot),
        })
    }

    async fn end(mut self: Box<Self>, flow: Flow) {
        // Whoever comes back now begins anew.
        self.stream = None;
        Box::pin(self.core.leave()).await;
        let Some(mut socket) = self.socket.take() else { return };
        let farewell = async {
            if let Flow::End(code, reason) = flow {
                let close = Message::Close(Some(CloseFrame { code, reason: reason.into() }));
                socket.send(close).await?;
            }
            // Until the peer has closed too: what it sent and nobody reads would make the system drop our last words.
            while socket.recv().await.is_some_and(|message| message.is_ok()) {}
            Ok::<(), axum::Error>(())
        };
        // The peer may be gone or stuck; either way this is the end.
        let _told = tokio::time::timeout(FAREWELL, Box::pin(farewell)).await;
    }

    async fn run(&mut self) -> Flow {
        loop {
            match self.attend().await {
                Flow::Gone if self.core.is_playing() => match Box::pin(self.go_on_apart()).await {
                    Flow::On => {}
                    end => return end,
                },
                end => return end,
            }
        }
    }

    /// As long as there is a socket.
    async fn attend(&mut self) -> Flow {
        let mut look_after = self.core.look_after(LOOK_AFTER);
        loop {
            let flow = tokio::select! {
                biased;
                () = self.core.ready() => self.flush().await,
                message = next(&mut self.socket) => match message {
                    Some(Ok(message)) => self.receive(message).await,
                    Some(Err(error)) => return Box::pin(self.broken(error)).await,
                    None => return Flow::Gone,
                },
                _ = look_after.tick() => Box::pin(self.look_after()).await,
                caller = streams::caller(&mut self.stream) => Box::pin(self.welcome_back(caller)).await,
                () = stirred(&mut self.host) => Box::pin(self.tell_host()).await,
            };
            match flow {
                Flow::On => self.core.settle().await,
                end => return end,
            }
        }
    }

    /// What cannot be read past is named before the end; everything else means that the peer is gone.
    async fn broken(&mut self, error: axum::Error) -> Flow {
        tracing::debug!(address = %self.core.address, %error, "a websocket broke");
        let error = error.into_inner();
        // The library's own type; a test sees to it that the version in Cargo.toml is the one that axum uses.
        let (code, message, ending) = match error.downcast_ref::<tungstenite::Error>() {
            Some(tungstenite::Error::Capacity(_)) => {
                let most = self.core.lobby.limits.frame_max();
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
        let now = self.core.lobby.now_ms();
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
            Message::Close(why) => {
                if let Some(host) = &mut self.host {
                    host.leaves_in_order();
                }
                // Whose page is gone, or sleeps, comes back.
                return if why.is_some_and(|why| why.code == close::NORMAL) { Flow::Left } else { Flow::Gone };
            }
            Message::Ping(_) | Message::Pong(_) => return Flow::On,
        };
        let now = self.core.heard();
        if text.len() > self.core.lobby.limits.frame_max() {
            if self.frame_bucket.take(now).is_err() {
                return self.too_fast(now).await;
            }
            let message = format!(
                "A frame of {} bytes is more than the {} that are read. It was skipped; send less.",
                text.len(),
                self.core.lobby.limits.frame_max()
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
            Ok(ClientFrame::Host(host)) => Box::pin(self.host_login(host)).await,
            Ok(ClientFrame::Claim(claim)) => Box::pin(self.claim(claim.id)).await,
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
        if !self.core.is_playing() {
            return self.not_playing().await;
        }
        // What is sent again was done.
        if self.stream.as_ref().is_some_and(|stream| !stream.is_new(command.id)) {
            return Flow::On;
        }
        let line = command.line();
        // A frame that is small has no large note.
        let note = match &command.meta {
            Some(meta) if size > META_BYTES_MAX => meta.to_string().len(),
            _ => 0,
        };
        let typed = line.len();
        let done = match note > META_BYTES_MAX {
            true => Err(CommandRefusal::TooLong),
            false => {
                let meta = command.meta.map(|meta| Arc::new(Meta::of(meta)));
                self.core.command(&line, size, CommandNote { id: command.id, meta })
            }
        };
        match done {
            // What it caused is usually there already; the wake-up that came with it is taken by `run`.
            Ok(()) => {
                if let Some(stream) = &mut self.stream {
                    stream.took(command.id);
                }
                Flow::On
            }
            Err(CommandRefusal::NotPlaying) => self.not_playing().await,
            Err(CommandRefusal::TooLong) => {
                let message = format!(
                    "A command may have {COMMAND_BYTES_MAX} bytes and its `meta` {META_BYTES_MAX}; this one has {typed} \
                     and {note}. It was not done."
                );
                match self.frame_bucket.take(now) {
                    Ok(()) => self.refuse(ErrorCode::TooLarge, message).await,
                    Err(_) => self.too_fast(now).await,
                }
            }
            Err(CommandRefusal::TooFast(_)) => {
                self.frames.limited_total += 1;
                let outcome = Outcome::RateLimited {
                    command: command.command.as_str().into(),
                    dropped_total: self.frames.limited_total,
                    cause_id: command.id,
                };
                self.frames.note(outcome);
                let mut frames = vec![self.frames.error(ErrorCode::RateLimited, TOO_FAST)];
                self.frames.encode(Delivery::default(), &mut frames);
                Box::pin(self.send(frames)).await
            }
        }
    }

    async fn not_playing(&mut self) -> Flow {
        self.refuse(ErrorCode::NotLoggedIn, "You are not in the game yet. Send `login` first.").await
    }

    async fn subscribe(&mut self, subscribe: &frame::Subscribe) -> Flow {
        if !self.core.is_playing() {
            return self.not_playing().await;
        }
        if !self.frames.has_vars {
            let message = "You have no variables. Log in with `\"is_agent\": true`, or with the feature `vars`.";
            return self.refuse(ErrorCode::AgentsOnly, message).await;
        }
        let (set, unknown) = self.frames.subscribe(&subscribe.variables);
        self.core.subscribe(set, subscribe.full);
        if unknown.is_empty() {
            return Flow::On;
        }
        let shown: Vec<String> = unknown.iter().take(20).map(|n| n.chars().take(40).collect()).collect();
        let message = format!("There are no variables of these names: {}. The others count.", shown.join(", "));
        self.refuse(ErrorCode::UnknownVariable, message).await
    }

    async fn login(&mut self, mut login: frame::Login) -> Flow {
        if self.core.is_playing() {
            let message = "You are in the game already. Open a second connection for another character.";
            return self.refuse(ErrorCode::AlreadyLoggedIn, message).await;
        }
        if self.host.is_some() {
            return self.is_host().await;
        }
        // By a token alone: it came with the stream.
        let is_by_token = matches!(login.proof(), Some(Proof::Token(_)));
        let resume = login.resume.take().filter(|_| is_by_token && login.has_feature(RESUME_FEATURE));
        let step = self.login.login(login, &self.core).await;
        if let (Ok(LoginStep::Enter(entrant)), Some(resume)) = (&step, resume) {
            let (name, agent) = (entrant.login.name.clone(), entrant.agent);
            if let end @ Flow::Given = Box::pin(self.resume(&resume, &name, agent)).await {
                return end;
            }
        }
        self.carry_out(step).await
    }

    /// Gives the socket to the stream that its client wants to go on with, where that can be.
    async fn resume(&mut self, resume: &Resume, name: &str, agent: bool) -> Flow {
        let Some(socket) = self.socket.take() else { return Flow::Given };
        let arrival = Arrival { socket, slot: self.core.give_place(), address: self.core.address };
        match self.streams.resume(resume, name, agent, arrival).await {
            Resumption::Taken | Resumption::Lost => Flow::Given,
            Resumption::Refused(refused) => {
                let Arrival { socket, slot, address } = *refused;
                self.socket = Some(socket);
                self.core.take_place(slot, address);
                Flow::On
            }
        }
    }

    /// Somebody wants to go on with this stream: it gets what it missed, and whoever had the stream is left without a
    /// word.
    async fn welcome_back(&mut self, caller: Caller) -> Flow {
        let Caller { arrival, after, answer } = caller;
        let (Some(mut missed), Some(stream)) = (self.frames.missed(after), &mut self.stream) else {
            // Where the other end is gone too, the socket is closed.
            let _gone = answer.send(Some(arrival));
            return Flow::On;
        };
        if answer.send(None).is_err() {
            return Flow::On;
        }
        stream.rejoin();
        let resumed =
            Resumed { stream: stream.id.clone(), missed: missed.len() as u64, last_command: stream.last_command };
        let Arrival { socket, slot, address } = arrival;
        if let Some(mut old) = self.socket.replace(socket) {
            // Most often nobody hears it; a page that is open twice does, and does not come back by itself.
            tokio::spawn(async move {
                let close = CloseFrame { code: close::POLICY, reason: GOES_ON.into() };
                let _gone = tokio::time::timeout(FAREWELL, old.send(Message::Close(Some(close)))).await;
            });
        }
        self.core.take_place(slot, address);
        self.last_sign_ms = self.core.lobby.now_ms();
        missed.push(self.frames.frame(&ServerFrame::Resumed(resumed)));
        self.send(missed).await
    }

    /// Without a socket: frames are kept for whoever comes back, as long as the character stays. The world hears of it
    /// after a while.
    async fn go_on_apart(&mut self) -> Flow {
        let Some(stream) = &mut self.stream else { return Flow::Gone };
        if !stream.part() {
            return Flow::Gone;
        }
        // Now, not when somebody comes back: whoever closes waits for the other end, and the place is another's.
        drop(self.socket.take());
        drop(self.core.give_place());
        tracing::debug!(stream = %stream.id, "a stream goes on without a socket");
        let grace = tokio::time::sleep(self.core.lobby.limits.resume_grace());
        tokio::pin!(grace);
        loop {
            tokio::select! {
                biased;
                caller = streams::caller(&mut self.stream) => {
                    // Where that broke again, whoever reads on finds out.
                    let _sent = self.welcome_back(caller).await;
                    if self.socket.is_some() {
                        if std::mem::take(&mut self.is_away) {
                            self.core.link(false);
                        }
                        return Flow::On;
                    }
                }
                () = self.core.ready() => {
                    let taken = self.core.take();
                    let close = taken.close;
                    self.frames.encode(taken, &mut Vec::new());
                    if close == Some(Close::Restarting) {
                        self.leave_stream();
                    }
                    if close.is_some() {
                        return Flow::Gone;
                    }
                }
                () = &mut grace, if !self.is_away => {
                    self.is_away = true;
                    self.core.link(true);
                }
            }
            self.core.settle().await;
        }
    }

    async fn is_host(&mut self) -> Flow {
        let message = "This connection is a host's. Open another one for each agent.";
        self.refuse(ErrorCode::AlreadyLoggedIn, message).await
    }

    /// A program that plays all agents of an owner.
    async fn host_login(&mut self, login: frame::HostLogin) -> Flow {
        if self.core.is_playing() {
            let message = "You are in the game already. Open a second connection for a host.";
            return self.refuse(ErrorCode::AlreadyLoggedIn, message).await;
        }
        if self.host.is_some() {
            return self.is_host().await;
        }
        match self.core.lobby.host_login(&login.key.0, self.core.address).await {
            Ok(known) => {
                let mut host = Box::new(HostSession::open(self.core.lobby.clone(), known, login.instance));
                let frame = self.frames.frame(&host.all());
                self.host = Some(host);
                self.send(vec![frame]).await
            }
            Err(refusal) => self.refused(refusal).await,
        }
    }

    async fn claim(&mut self, agent: u32) -> Flow {
        let Some(host) = &self.host else {
            return self
                .refuse(ErrorCode::NotLoggedIn, "Only a host claims agents. Send `host` with its key first.")
                .await;
        };
        let answer = host.claim(agent).await;
        let frame = self.frames.frame(&answer);
        self.send(vec![frame]).await
    }

    /// What of its agents is otherwise than a host was told.
    async fn tell_host(&mut self) -> Flow {
        let Some(host) = &mut self.host else { return Flow::On };
        match host.changes() {
            Ok(None) => Flow::On,
            Ok(Some(changes)) => {
                let frame = self.frames.frame(&changes);
                self.send(vec![frame]).await
            }
            Err(Revoked) => {
                match self.refuse(ErrorCode::KeyRevoked, "The key of this host was revoked: ask for a new one.").await {
                    Flow::On => Flow::End(close::POLICY, "the key was revoked"),
                    flow => flow,
                }
            }
        }
    }

    async fn char_input(&mut self, choice: &str) -> Flow {
        let step = self.login.char_input(choice, &self.core).await;
        self.carry_out(step).await
    }

    async fn carry_out(&mut self, step: Result<LoginStep, Refusal>) -> Flow {
        match step {
            Ok(LoginStep::Enter(entrant)) => self.enter(*entrant).await,
            Ok(LoginStep::Ask { problem, question }) => {
                let problem = problem.map(|problem| self.frames.error(ErrorCode::BadField, problem));
                let question = self.frames.frame(&ServerFrame::CharCreate(question));
                self.send(problem.into_iter().chain([question]).collect()).await
            }
            Err(refusal) => self.refused(refusal).await,
        }
    }

    /// Says why, and goes on or ends.
    async fn refused(&mut self, refusal: Refusal) -> Flow {
        let (code, message, over) = match refusal {
            Refusal::No { code, message } => (code, message, false),
            Refusal::Over { code: ErrorCode::ShuttingDown, .. } if self.core.lobby.engine.restart.is_under_way() => {
                let frame = self.restarting();
                return match self.send(vec![frame]).await {
                    Flow::On => Flow::End(close::RESTART, RESTARTS),
                    flow => flow,
                };
            }
            Refusal::Over { code, message } => (code, message, true),
        };
        match self.refuse(code, message).await {
            Flow::On if over && code == ErrorCode::ShuttingDown => {
                Flow::End(close::GOING_AWAY, "the server is stopping")
            }
            Flow::On if over => Flow::End(close::POLICY, "the login was refused"),
            flow => flow,
        }
    }

    async fn enter(&mut self, entrant: Entrant) -> Flow {
        let can_resume = entrant.info.features.iter().any(|feature| feature == RESUME_FEATURE);
        self.stream = can_resume.then(|| Box::new(self.streams.open(entrant.clone())));
        let Entrant { login, agent, info } = entrant;
        let issued = self.core.lobby.token(&login, agent).await;
        let token = issued.as_ref().map(|token| token.token.clone());
        self.keep_token(issued);
        let stream = self.stream.as_ref().map(|stream| stream.id.clone());
        let motd = self.core.lobby.welcome(&login, agent);
        let visitor = Visitor { login: &login, transport: Transport::Websocket, agent, token, stream, motd, info };
        self.write_for(&visitor);
        match self.core.enter(visitor).await {
            Ok(()) => {
                if self.stream.is_some() {
                    self.frames.begin_stream();
                }
                self.flush().await
            }
            Err(refusal) => {
                (self.token, self.stream) = (None, None);
                self.refused(refusal).await
            }
        }
    }

    /// Frames are such as this client reads.
    fn write_for(&mut self, visitor: &Visitor<'_>) {
        self.frames.has_vars = visitor.has_vars();
        self.frames.rich = visitor.is_rich();
        self.frames.client = if visitor.agent { Client::Agent } else { Client::Person };
    }

    /// Goes on with a stream of the program before, for a client that is not back yet.
    async fn come_back(&mut self, left: StreamLeft) -> Result<(), Refusal> {
        let StreamLeft { id, login, agent, client, token, record, away, last_command, variables, kept, .. } = left;
        let player = Entrant { login: login.clone(), agent, info: client.clone() };
        self.stream = Some(Box::new(self.streams.go_on(id, player, last_command)));
        (self.is_away, self.token) = (away, token);
        // What it was told when it came in it knows.
        let (token, stream, motd) = (None, None, String::new());
        let transport = Transport::Websocket;
        let visitor = Visitor { login: &login, transport, agent, token, stream, motd, info: client };
        self.write_for(&visitor);
        self.frames.continue_stream(kept);
        self.core.resume(visitor, record, away).await?;
        if self.frames.has_vars {
            // Those that this program does not know any more are told in no error: nobody asked for them now. The
            // others are sent whole, since nobody knows here which values the client has.
            let (set, _) = self.frames.subscribe(&variables);
            self.core.subscribe(set, true);
        }
        Ok(())
    }

    /// Leaves the stream for the next program, where the server starts anew.
    fn leave_stream(&mut self) {
        let (Some(stream), Some(kept)) = (&self.stream, self.frames.kept(STREAM_BYTES_MAX)) else { return };
        let Entrant { login, agent, info } = stream.player.clone();
        let left = StreamLeft {
            id: stream.id.clone(),
            login,
            agent,
            client: info,
            address: self.core.address,
            token: self.token.clone(),
            record: self.core.record(),
            away: self.is_away,
            last_command: stream.last_command,
            variables: self.frames.subscribed().iter().map(|variable| variable.name().to_string()).collect(),
            kept,
        };
        if self.core.lobby.engine.restart.leave(left) {
            self.core.leave_behind();
        }
    }

    fn keep_token(&mut self, token: Option<IssuedToken>) {
        self.token = token.map(|t| (t.digest, t.expires_at_ms));
    }

    /// Sends all that waits.
    async fn flush(&mut self) -> Flow {
        let taken = self.core.take();
        let closed = taken.close;
        let mut frames = Vec::new();
        self.frames.encode(taken, &mut frames);
        self.core.count_sent(frames.iter().map(String::len).sum());
        let Some(close) = closed else {
            return if frames.is_empty() { Flow::On } else { self.send(frames).await };
        };
        let Ending { code, reason, error } = ending(close);
        if close == Close::Restarting {
            frames.push(self.restarting());
        }
        if let Some((code, message)) = error {
            frames.push(self.frames.error(code, message));
        }
        if close == Close::Restarting {
            self.leave_stream();
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
        let wait_ms = self.core.retry_after_ms();
        self.frames.frame(&ServerFrame::restarting(message, wait_ms))
    }

    /// Writes frames. A client that takes too long to read them is slow, and is closed.
    async fn send(&mut self, frames: Vec<String>) -> Flow {
        let (patience, address) = (self.core.lobby.limits.patience(), self.core.address);
        let Some(socket) = &mut self.socket else { return Flow::Gone };
        let write = async move {
            for frame in frames {
                socket.feed(Message::Text(frame.into())).await?;
            }
            socket.flush().await
        };
        // Who comes back need not wait for a connection that nobody reads any more: what is cut off is kept.
        let written = tokio::select! {
            biased;
            written = write_within(patience, address, write) => written,
            () = streams::knocked(&mut self.stream) => Written::Gone,
        };
        match written {
            Written::TooSlow if self.stream.is_some() => Flow::Gone,
            Written::Whole => Flow::On,
            Written::Gone => Flow::Gone,
            Written::TooSlow => Flow::End(close::TRY_AGAIN, "reading too slowly"),
        }
    }

    async fn look_after(&mut self) -> Flow {
        if self.core.lobby.now_ms().saturating_sub(self.last_sign_ms) > DEAD_MS {
            return Flow::Gone;
        }
        let standing = if self.core.is_playing() { Standing::Known } else { self.login.standing() };
        // A host has nothing to say for as long as nothing happens; its pongs say that it is there.
        if let Some(timeout) = self.core.timeout(standing).filter(|_| self.host.is_none()) {
            let (code, message, reason) = match timeout {
                Timeout::Login => (
                    ErrorCode::LoginTimeout,
                    "No login came in time. Send `login` right after connecting.",
                    "no login in time",
                ),
                Timeout::Idle => (ErrorCode::Idle, "Nothing came from you for too long. Connect again.", "idle"),
            };
            let frame = self.frames.error(code, message);
            self.send(vec![frame]).await;
            return Flow::End(close::POLICY, reason);
        }
        if let Some((digest, expires_at)) = self.token.clone()
            && tokens::refresh_is_due(expires_at, unix_ms())
        {
            match self.core.lobby.accounts.renew_token(&digest, unix_ms()).await {
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
        let Some(socket) = &mut self.socket else { return Flow::Gone };
        let ping = tokio::time::timeout(Duration::from_secs(5), socket.send(Message::Ping(Vec::new().into()))).await;
        match ping {
            Ok(Ok(())) | Err(_) => Flow::On,
            Ok(Err(_)) => Flow::Gone,
        }
    }
}

/// What comes next; nothing more where there is no socket.
async fn next(socket: &mut Option<WebSocket>) -> Option<Result<Message, axum::Error>> {
    match socket {
        Some(socket) => socket.recv().await,
        None => None,
    }
}

/// Returns when a host may have to be told something; never where there is none.
async fn stirred(host: &mut Option<Box<HostSession>>) {
    match host {
        Some(host) => host.stirred().await,
        None => std::future::pending().await,
    }
}
