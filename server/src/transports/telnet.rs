//! The telnet transport: people, from the greeting to the end, or over a restart of the program.
//!
//! `telnet` makes lines of bytes, `session::telnet` is the talk before the game, `terminal` writes what a person sees.
//! This file waits for all of them, and hands a connection to the next program.

use super::proxy_protocol::{self, Source};
use super::stream::Stream;
use super::terminal::{Flow, Heard, Terminal};
use super::tls::{Secure, TlsListener};
use super::{TransportArgs, next_connection};
use crate::accounts::{Credential, Login};
use crate::limits::{Bucket, COMMAND_BYTES_MAX, ConnectionRefusal, Purpose, Slot};
use crate::lobby::{ClientInfo, Connected, Lobby, account};
use crate::outbox::{Out, Outbox, Shared, Taken};
use crate::restart::{Deposit, Open, Person, Playing};
use crate::session::telnet::{Answer, Ask, Conversation, Step};
use crate::store;
use crate::telnet::{Codec, TelnetEvent};
use std::collections::VecDeque;
use std::net::{IpAddr, SocketAddr, TcpStream as StdTcpStream};
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use world::commands::{Stripped, strip_secret};

/// How often a silent connection is looked after.
const LOOK_AFTER: Duration = Duration::from_secs(15);
/// How long the listeners wait for those who were handed over.
const RESUME_LONGEST: Duration = Duration::from_secs(5);
/// Lines that one read may leave to be done; more are dropped with a word. A paste of a few dozen lines fits.
const LINES_MAX: usize = 100;

/// Accepts people until the server ends.
pub async fn accept(listener: TcpListener, lobby: Arc<Lobby>, settings: Arc<TransportArgs>) {
    loop {
        let (stream, peer) = next_connection(&listener).await;
        let address = peer.ip();
        if settings.trusted_proxy.trusts(address) {
            match lobby.connections.connect_through_proxy(address) {
                Ok(slot) => _ = tokio::spawn(behind_proxy(stream, peer, slot, lobby.clone())),
                Err(refusal) => turn_away(Stream::Plain(stream), address, refusal, &lobby),
            }
            continue;
        }
        match lobby.connections.connect(address, Purpose::Play) {
            Ok(slot) => begin(Stream::Plain(stream), address, slot, &lobby),
            Err(refusal) => turn_away(Stream::Plain(stream), address, refusal, &lobby),
        }
    }
}

/// The same for those who come encrypted.
pub async fn accept_secure(mut listener: TlsListener, lobby: Arc<Lobby>) {
    loop {
        let Secure { stream, peer, mut slot } = listener.next().await;
        let (stream, address) = (Stream::Tls(Box::new(stream)), peer.ip());
        match slot.become_for(address, Purpose::Play) {
            Ok(()) => begin(stream, address, slot, &lobby),
            Err(refusal) => turn_away(stream, address, refusal, &lobby),
        }
    }
}

/// A connection that a trusted proxy brings: whose it is stands before all else.
async fn behind_proxy(mut stream: TcpStream, peer: SocketAddr, mut slot: Slot, lobby: Arc<Lobby>) {
    let address = match proxy_protocol::read(&mut stream).await {
        Ok(Source::Caller(address)) => address,
        Ok(Source::Proxy) => peer.ip(),
        Err(error) => {
            tracing::warn!(%peer, %error, "a connection from a trusted proxy was refused");
            let _best_effort = stream.try_write(format!("{error}.\r\n").as_bytes());
            return;
        }
    };
    match slot.become_for(address, Purpose::Play) {
        Ok(()) => begin(Stream::Plain(stream), address, slot, &lobby),
        Err(refusal) => turn_away(Stream::Plain(stream), address, refusal, &lobby),
    }
}

fn begin(stream: Stream, address: IpAddr, slot: Slot, lobby: &Arc<Lobby>) {
    let connection = TelnetConnection::new(stream, address, slot, lobby.clone());
    tokio::spawn(async move { connection.serve().await });
}

/// Tells why, where not too many are told already.
fn turn_away(stream: Stream, address: IpAddr, refusal: ConnectionRefusal, lobby: &Arc<Lobby>) {
    let Some(farewell) = lobby.connections.farewell() else { return };
    let codec = Codec::new(lobby.limits.telnet_line_max());
    let patience = lobby.limits.slow_reader_ms().map(Duration::from_millis);
    let farewell_of_world = lobby.content.sentences.farewell.clone();
    let mut terminal = Terminal::new(stream, codec, address, patience, farewell_of_world);
    tokio::spawn(async move {
        terminal.print(&format!("{refusal}\n")).await;
        terminal.end().await;
        drop(farewell);
    });
}

/// Goes on with people whose connections the program before handed over. Returns when they are back in the world, or
/// after `RESUME_LONGEST`. Nobody's lines are done before: the others must be there to hear them.
pub async fn adopt(people: Vec<(StdTcpStream, Person)>, lobby: &Arc<Lobby>) {
    let (mut on_their_way, mut waiting) = (Vec::new(), Vec::new());
    for (stream, person) in people {
        let stream = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream));
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, address = %person.address, "a connection could not be taken over");
                continue;
            }
        };
        let (back, is_back) = oneshot::channel();
        let (go_on, may_go_on) = oneshot::channel();
        // It was let in once, so it is not turned away now; but it counts.
        let slot = lobby.connections.adopt(person.address);
        let connection = TelnetConnection::new(Stream::Plain(stream), person.address, slot, lobby.clone());
        tokio::spawn(async move { connection.resume(person, back, may_go_on).await });
        on_their_way.push(is_back);
        waiting.push(go_on);
    }
    let all_back = async {
        for is_back in on_their_way {
            // One that ended on the way needs no waiting for.
            let _back = is_back.await;
        }
    };
    if tokio::time::timeout(RESUME_LONGEST, all_back).await.is_err() {
        tracing::warn!("some people were not back in the world in time; the listeners open meanwhile");
    }
    // Being dropped is the sign.
    drop(waiting);
}

struct TelnetConnection {
    terminal: Terminal,
    lobby: Arc<Lobby>,
    outbox: Arc<Outbox>,
    bucket: Bucket,
    /// Until the game begins.
    talk: Option<Box<Conversation>>,
    account: Option<Box<Login>>,
    connected: Option<Connected>,
    lines: VecDeque<String>,
    pending_password: Option<String>,
    pending_description: Option<String>,
    /// Lines before the game.
    early_bucket: Bucket,
    byte_bucket: Bucket,
    since_ms: u64,
    last_input_ms: u64,
    /// For the answers to those who ask whether the server is there.
    here_bucket: Bucket,
    /// The entry in the registry.
    open: Open,
    /// Its place among the connections.
    slot: Slot,
}

impl TelnetConnection {
    fn new(stream: Stream, address: IpAddr, slot: Slot, lobby: Arc<Lobby>) -> Box<TelnetConnection> {
        let outbox = Arc::new(Outbox::new(lobby.limits.outbound_max()));
        let codec = Codec::new(lobby.limits.telnet_line_max());
        let patience = lobby.limits.slow_reader_ms().map(Duration::from_millis);
        Box::new(TelnetConnection {
            terminal: Terminal::new(stream, codec, address, patience, lobby.content.sentences.farewell.clone()),
            open: lobby.engine.restart.open(&outbox),
            outbox,
            bucket: lobby.limits.command_bucket(),
            early_bucket: lobby.limits.early_line_bucket(),
            byte_bucket: lobby.limits.byte_bucket(),
            talk: None,
            account: None,
            connected: None,
            lines: VecDeque::new(),
            pending_password: None,
            pending_description: None,
            since_ms: lobby.now_ms(),
            last_input_ms: lobby.now_ms(),
            here_bucket: lobby.limits.here_bucket(),
            lobby,
            slot,
        })
    }

    /// A caller, from the greeting to the end.
    async fn serve(mut self: Box<TelnetConnection>) {
        let flow = match Box::pin(self.greet()).await {
            Flow::On => self.run().await,
            flow => flow,
        };
        self.end(flow).await;
    }

    /// A caller whom the program before knew, to the end.
    async fn resume(
        mut self: Box<TelnetConnection>,
        person: Person,
        back: oneshot::Sender<()>,
        go_on: oneshot::Receiver<()>,
    ) {
        let flow = match Box::pin(self.come_back(person)).await {
            Flow::On => {
                // Nobody waits for it any more after `RESUME_LONGEST`.
                let _unheard = back.send(());
                // The other end is dropped when all are back.
                let _all_back = go_on.await;
                match self.do_lines().await {
                    Flow::On => self.run().await,
                    flow => flow,
                }
            }
            flow => flow,
        };
        self.end(flow).await;
    }

    async fn end(mut self: Box<TelnetConnection>, flow: Flow) {
        if flow == Flow::HandOver && self.terminal.stream.outlives_the_program() {
            return self.hand_over();
        }
        if let Some(connected) = self.connected.take() {
            Box::pin(self.lobby.left(connected)).await;
        }
        self.terminal.end().await;
    }

    /// Leaves the connection to the next program, with all that is known of it but passwords.
    fn hand_over(mut self: Box<TelnetConnection>) {
        let playing = match (self.connected.take(), self.account.take()) {
            (Some(connected), Some(login)) => Some(Playing { login: *login, record: connected.hand_over() }),
            _ => None,
        };
        let half_lost = match playing {
            // What is typed on the way in is a password as likely as not.
            None => {
                self.lines.clear();
                self.terminal.codec.drop_half_line()
            }
            Some(_) => {
                let half_line = self.terminal.codec.half_line();
                strip_secret(&half_line).secret.is_some() && self.terminal.codec.drop_half_line()
            }
        };
        let person = Person {
            address: self.terminal.address,
            telnet: self.terminal.codec.state(),
            columns: self.terminal.screen.columns,
            playing,
            lines: self.lines.drain(..).collect(),
            at_prompt: self.terminal.screen.at_prompt,
            half_lost,
        };
        let TelnetConnection { terminal, outbox, lobby, open, slot, .. } = *self;
        let Stream::Plain(stream) = terminal.stream else { return };
        match stream.into_std() {
            Ok(stream) => lobby.engine.restart.deposit(Deposit { stream, person, outbox }),
            Err(error) => tracing::warn!(%error, address = %person.address, "a connection could not be handed over"),
        }
        drop((open, slot));
    }

    /// Takes up what the program before knew.
    async fn come_back(&mut self, person: Person) -> Flow {
        self.terminal.codec = Codec::resume(self.lobby.limits.telnet_line_max(), person.telnet);
        self.terminal.screen.columns = person.columns;
        self.terminal.screen.at_prompt = person.at_prompt;
        self.lines = person.lines.into();
        let refused = match person.playing {
            None => format!("\n{}", self.lobby.content.sentences.restarted_outside),
            Some(Playing { login, record }) => {
                let half = if person.half_lost { " What you were typing is lost: type it again." } else { "" };
                let blink = format!("\n{}{half}\n", self.lobby.content.sentences.restarted);
                if self.terminal.print(&blink).await == Flow::End {
                    return Flow::End;
                }
                match self.lobby.resume(&login, self.outbox.clone(), record).await {
                    Ok(connected) => {
                        self.connected = Some(connected);
                        self.terminal.screen.plays = true;
                        self.account = Some(Box::new(login));
                        self.terminal.screen.at_prompt = false;
                        return match self.flush().await {
                            Flow::On if !self.terminal.screen.at_prompt => self.terminal.show_prompt().await,
                            flow => flow,
                        };
                    }
                    Err(refused) if refused.is_over() => {
                        self.terminal.print(&format!("{}\n", refused.message())).await;
                        return Flow::End;
                    }
                    Err(refused) => refused.message().to_string(),
                }
            }
        };
        self.lines.clear();
        let (talk, steps) = Conversation::begin(&format!("{refused}\nSay once more who you are."), &self.lobby.content);
        self.talk = Some(Box::new(talk));
        Box::pin(self.carry_out([vec![Step::Password(false)], steps].concat())).await
    }

    async fn greet(&mut self) -> Flow {
        if self.terminal.greet().await == Flow::End {
            return Flow::End;
        }
        let (talk, steps) = Conversation::begin(&self.lobby.greeting, &self.lobby.content);
        self.talk = Some(Box::new(talk));
        self.carry_out(steps).await
    }

    async fn run(&mut self) -> Flow {
        let mut look_after = tokio::time::interval(self.lobby.limits.look_after(LOOK_AFTER));
        look_after.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            let mut heard = Heard::default();
            let flow = tokio::select! {
                biased;
                () = self.outbox.ready() => self.flush().await,
                read = self.terminal.hear(&mut heard) => match read {
                    Ok(0) | Err(_) => Flow::End,
                    Ok(_) => self.read(heard).await,
                },
                _ = look_after.tick() => Box::pin(self.look_after()).await,
            };
            if flow != Flow::On {
                return flow;
            }
        }
    }

    async fn read(&mut self, heard: Heard) -> Flow {
        let Heard { events, reply, proxy_header } = heard;
        if proxy_header {
            tracing::warn!(address = %self.terminal.address, "a PROXY header from an address that is not trusted");
            let text = "PROXY headers are read from trusted proxies only (--trusted-proxy). Goodbye.\n";
            self.terminal.print(text).await;
            return Flow::End;
        }
        if !reply.is_empty() && self.terminal.send(&reply).await == Flow::End {
            return Flow::End;
        }
        drop(reply);
        let mut too_many = false;
        for event in events {
            match event {
                TelnetEvent::Line(line) if self.lines.len() < LINES_MAX => self.lines.push_back(line),
                TelnetEvent::Line(_) => too_many = true,
                TelnetEvent::LineTooLong => {
                    if self.terminal.print("\nThat line is too long and was not read. Say it in shorter ones.\n").await
                        == Flow::End
                    {
                        return Flow::End;
                    }
                }
                TelnetEvent::WindowSize { columns, .. } => self.terminal.screen.columns = columns,
                TelnetEvent::AreYouThere => {
                    // One answer for all that are asked within a second.
                    if self.here_bucket.take(self.lobby.now_ms()).is_err() {
                        continue;
                    }
                    let answer = format!("\n[{}]\n", self.lobby.content.sentences.still_there);
                    if self.terminal.print(&answer).await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::HttpRequest => {
                    let hint = "HTTP/1.1 400 Bad Request\nContent-Type: text/plain\nConnection: close\n\n\
                                This is the telnet door of a game. Use a telnet or MUD client here.\n";
                    self.terminal.print(hint).await;
                    return Flow::End;
                }
                TelnetEvent::TerminalType(_) | TelnetEvent::Mtts(_) | TelnetEvent::Charset { .. } => {}
            }
        }
        if too_many && self.terminal.print("\nToo many lines at once; the last were dropped.\n").await == Flow::End {
            return Flow::End;
        }
        self.do_lines().await
    }

    async fn do_lines(&mut self) -> Flow {
        while let Some(line) = self.lines.pop_front() {
            self.last_input_ms = self.lobby.now_ms();
            let flow = if self.talk.is_some() {
                // A name may cost a look at the database, a password much more.
                match self.early_bucket.take(self.last_input_ms) {
                    Ok(()) => self.converse(&line).await,
                    Err(_) => Box::pin(self.terminal.print("Not so fast! That one was lost.\n")).await,
                }
            } else {
                self.command(line).await
            };
            if flow != Flow::On {
                return flow;
            }
        }
        Flow::On
    }

    async fn converse(&mut self, line: &str) -> Flow {
        let Some(talk) = self.talk.as_mut() else { return Flow::On };
        let steps = talk.line(line);
        // Boxed, like all that is rare: a session that plays should not carry the room for it.
        Box::pin(self.carry_out(steps)).await
    }

    /// Does what a conversation asks for, and goes on with what comes of it.
    async fn carry_out(&mut self, steps: Vec<Step>) -> Flow {
        let mut steps: VecDeque<Step> = steps.into();
        while let Some(step) = steps.pop_front() {
            match step {
                Step::Print(text) => {
                    if self.terminal.print(&text).await == Flow::End {
                        return Flow::End;
                    }
                }
                Step::Password(on) => {
                    if self.terminal.hide_typing(on).await == Flow::End {
                        return Flow::End;
                    }
                }
                Step::Close => return Flow::End,
                Step::Ask(Ask::Enter) => match self.enter().await {
                    Ok(()) => return self.flush().await,
                    Err(_) if self.lobby.engine.restart.is_under_way() => return Flow::HandOver,
                    Err(message) => {
                        self.terminal.print(&format!("\n{message}\n")).await;
                        return Flow::End;
                    }
                },
                Step::Ask(ask) => {
                    let answer = self.find_answer(ask).await;
                    if let Some(talk) = self.talk.as_mut() {
                        steps.extend(talk.answered(answer));
                    }
                }
            }
        }
        Flow::On
    }

    async fn find_answer(&mut self, ask: Ask) -> Answer {
        let unavailable = |error: store::StoreError| {
            tracing::error!(%error, "the accounts cannot be reached");
            Answer::Refused {
                message: "The accounts cannot be reached just now. Try again in a minute.".into(),
                over: true,
            }
        };
        match ask {
            Ask::Exists { name } => match self.lobby.accounts.exists(&name).await {
                Ok(exists) => Answer::Exists(exists),
                Err(error) => unavailable(error),
            },
            Ask::Login { name, password } => {
                match self.lobby.login(&name, Credential::Password(password.0), self.terminal.address).await {
                    Ok(login) => {
                        let motd = self.lobby.welcome(&login);
                        self.account = Some(Box::new(login));
                        Answer::LoggedIn { motd }
                    }
                    Err(refused) => Answer::Refused { message: refused.message().into(), over: refused.is_over() },
                }
            }
            Ask::NewDialogue => Answer::Dialogue(Box::new(self.lobby.dialogue())),
            Ask::Create(new) => match self.lobby.create_and_log_in(&new, false, self.terminal.address).await {
                Ok(login) => {
                    self.account = Some(Box::new(login));
                    Answer::Created { motd: self.lobby.motd.clone() }
                }
                Err(refused) if refused.is_over() => Answer::Refused { message: refused.message().into(), over: true },
                Err(refused) => Answer::NameTaken { message: refused.message().into() },
            },
            Ask::ChangePassword { old, new } => {
                let name = self.account.as_ref().map(|a| a.name.clone()).unwrap_or_default();
                match self.lobby.change_password(&name, &old.0, &new.0, self.terminal.address).await {
                    Ok(()) => Answer::Done { message: "Your password is changed.".into() },
                    Err(refused) => Answer::Refused { message: refused.message().into(), over: refused.is_over() },
                }
            }
            Ask::Describe { text } => {
                self.pending_description = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
                Answer::Done { message: "Others will see that as soon as you enter the world.".into() }
            }
            Ask::Delete { password } => self.delete(password.0).await,
            Ask::Enter => unreachable!("`carry_out` enters by itself"),
        }
    }

    async fn delete(&mut self, password: String) -> Answer {
        let name = self.account.as_ref().map(|a| a.name.clone()).unwrap_or_default();
        if let Err(refused) = self.lobby.login(&name, Credential::Password(password), self.terminal.address).await {
            return Answer::Refused { message: format!("{} Nothing was deleted.", refused.message()), over: false };
        }
        match account::delete(&self.lobby, &name).await {
            Ok(()) => Answer::Deleted { message: self.lobby.content.sentences.deleted.to_string() },
            Err(error) => {
                tracing::error!(%error, %name, "a character could not be deleted");
                Answer::Refused { message: "That could not be done just now. Try again later.".into(), over: false }
            }
        }
    }

    async fn enter(&mut self) -> Result<(), String> {
        let Some(account) = self.account.clone() else { return Err("Log in first.".into()) };
        let outbox = self.outbox.clone();
        let lobby = self.lobby.clone();
        match lobby.enter(&account, false, false, outbox, None, String::new(), ClientInfo::default()).await {
            Ok(connected) => {
                if let Some(text) = self.pending_description.take() {
                    let line = format!("description {}", if text.is_empty() { "clear" } else { &text });
                    lobby.engine.command(connected.who, connected.session, line, None);
                }
                self.connected = Some(connected);
                self.terminal.screen.plays = true;
                self.talk = None;
                Ok(())
            }
            Err(refused) => Err(refused.message().to_string()),
        }
    }

    async fn command(&mut self, line: String) -> Flow {
        self.terminal.screen.at_prompt = false;
        let Some(connected) = &self.connected else { return Flow::End };
        if line.len() > COMMAND_BYTES_MAX {
            let text = format!(
                "That line is longer than {COMMAND_BYTES_MAX} bytes and was not read. Say it in shorter ones.\n"
            );
            return self.terminal.print(&text).await;
        }
        let bytes = u32::try_from(line.len()).unwrap_or(u32::MAX);
        if self.bucket.take(self.last_input_ms).is_err()
            || self.byte_bucket.take_some(bytes, self.last_input_ms).is_err()
        {
            self.lobby.counts.commands_refused.inc();
            return self.terminal.print("Not so fast! That one was lost.\n").await;
        }
        let mut line = line;
        if let Stripped { line: sent, secret: Some(args) } = strip_secret(&line) {
            self.pending_password = Some(args.to_string());
            line = sent.to_string();
        }
        if line.trim().is_empty() {
            return self.terminal.show_prompt().await;
        }
        self.lobby.engine.command(connected.who, connected.session, line, None);
        // What it caused is usually there already: send it before the next line is done.
        self.flush().await
    }

    /// Sends all that waits, and the prompt.
    async fn flush(&mut self) -> Flow {
        let mut taken = self.outbox.take();
        if let Some(prompt) = taken.prompt.take() {
            self.terminal.screen.prompt = prompt;
        }
        if taken.items.is_empty() && taken.close.is_none() {
            return Flow::On;
        }
        if taken.items.iter().any(|out| matches!(out, Out::Password)) {
            return Box::pin(self.flush_with_password(taken)).await;
        }
        self.terminal.show(taken, self.open.retry_after_ms()).await
    }

    /// The same, where the player may change its password now.
    async fn flush_with_password(&mut self, taken: Taken) -> Flow {
        let args = self.pending_password.take().unwrap_or_default();
        let name = self.connected.as_ref().map(|c| c.name.clone()).unwrap_or_default();
        let answer = account::change_password(&self.lobby, &name, &args, self.terminal.address).await;
        let mut items: VecDeque<Out> = taken.items;
        for out in &mut items {
            if matches!(out, Out::Password) {
                let line = world::report::Line { text: answer.clone(), ..world::report::Line::default() };
                *out = Out::Line(Arc::new(Shared::new(Arc::new(line))));
            }
        }
        self.terminal.show(Taken { items, ..taken }, self.open.retry_after_ms()).await
    }

    async fn look_after(&mut self) -> Flow {
        let now = self.lobby.now_ms();
        let silent = now.saturating_sub(self.last_input_ms);
        let limits = &self.lobby.limits;
        // Who is known is in the menu, and has the time of those who play.
        let known = self.connected.is_some() || self.account.is_some();
        let creates = self.talk.as_ref().is_some_and(|talk| talk.creates());
        let longest = if creates { limits.creation_ms() } else { limits.login_ms() };
        // From connecting: what is typed meanwhile lengthens nothing.
        if !known && longest.is_some_and(|limit| now.saturating_sub(self.since_ms) > limit) {
            self.terminal.print("\nThe time to say who you are is over. Call again. Goodbye.\n").await;
            return Flow::End;
        }
        if known && limits.idle_ms().is_some_and(|limit| silent > limit) {
            self.terminal
                .print("\nNothing came from you for too long. Your character stays where it is for a while.\n")
                .await;
            return Flow::End;
        }
        Flow::On
    }
}
