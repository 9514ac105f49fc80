//! The telnet door: people's sockets around `telnet::codec` and `session::telnet`.

use super::lobby::{ClientInfo, Connected, Lobby};
use super::stream::Stream;
use super::tls::Guarded;
use crate::accounts::{Credential, Login};
use crate::engine::{AdminAnswer, AdminCall, Close, Out, Outbox, Prompt, Shared, Taken};
use crate::limits::Bucket;
use crate::restart::{Deposit, LAST_WORDS, Open, Person, Playing};
use crate::session::color;
use crate::session::telnet::{Answer, Ask, Conversation, Step};
use crate::store;
use crate::telnet::codec::{Codec, TelnetEvent, encode_text};
use std::cell::RefCell;
use std::collections::VecDeque;
use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::net::{IpAddr, TcpStream as StdTcpStream};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use world::find::first_word;

/// How often a silent connection is looked after.
const LOOK_AFTER: Duration = Duration::from_secs(15);
/// How long the end of a connection may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// How long the doors wait for those who were handed over.
const RESUME_LONGEST: Duration = Duration::from_secs(5);
/// Read from the socket at a time. On the stack, so a silent session has no buffer.
const READ_BYTES: usize = 2048;
/// Lines that one read may leave to be done; more are dropped with a word. A paste of a few dozen lines fits.
const LINES_MAX: usize = 100;

thread_local! {
    /// Where what is sent at once is put together, so that a session needs no buffer of its own.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}
/// What a thread keeps of it.
const SCRATCH_BYTES_MAX: usize = 64 * 1024;

const STORY: &str = "\
A king named Osgar wanted the Flame for himself. It let him have it. What was
left of him lies under the Grey Moor, and what was left of the Flame burns on
in Karrowmere, on an altar that turns nobody away. Those who die wake before
it, somewhat lighter than they were. Nobody knows why it is so patient. People
have come to rely on it.";

/// Accepts people until the server ends.
pub async fn accept(listener: TcpListener, lobby: Arc<Lobby>) {
    loop {
        match listener.accept().await {
            Ok((stream, address)) => {
                // Without it a prompt may wait for the acknowledgement of the line before.
                let _best_effort = stream.set_nodelay(true);
                let door = Door::new(Stream::Plain(stream), address.ip(), lobby.clone());
                tokio::spawn(async move { door.serve().await });
            }
            Err(error) => {
                // Out of file handles, most likely: let some close.
                tracing::warn!(%error, "a telnet connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}

/// The same for those who come encrypted.
pub async fn accept_secure(mut guarded: Guarded, lobby: Arc<Lobby>) {
    loop {
        let (stream, address) = guarded.next().await;
        let door = Door::new(Stream::Tls(Box::new(stream)), address.ip(), lobby.clone());
        tokio::spawn(async move { door.serve().await });
    }
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
        let door = Door::new(Stream::Plain(stream), person.address, lobby.clone());
        tokio::spawn(async move { door.resume(person, back, may_go_on).await });
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
        tracing::warn!("some people were not back in the world in time; the doors open meanwhile");
    }
    // Being dropped is the sign.
    drop(waiting);
}

struct Door {
    stream: Stream,
    lobby: Arc<Lobby>,
    address: IpAddr,
    codec: Codec,
    outbox: Arc<Outbox>,
    bucket: Bucket,
    /// Until the game begins.
    talk: Option<Box<Conversation>>,
    account: Option<Box<Login>>,
    connected: Option<Connected>,
    lines: VecDeque<String>,
    prompt: Prompt,
    /// The last thing written was a prompt, so what comes unasked begins on a new line.
    at_prompt: bool,
    columns: Option<u16>,
    pending_password: Option<String>,
    pending_description: Option<String>,
    last_input_ms: u64,
    /// The entry in the registry.
    open: Open,
}

#[derive(PartialEq, Eq)]
enum Flow {
    On,
    End,
    /// The next program goes on with this connection.
    HandOver,
}

impl Door {
    fn new(stream: Stream, address: IpAddr, lobby: Arc<Lobby>) -> Box<Door> {
        let outbox = Arc::new(Outbox::new(lobby.limits.outbound_max()));
        Box::new(Door {
            stream,
            address,
            codec: Codec::new(lobby.limits.telnet_line_max()),
            open: lobby.engine.restart.open(&outbox),
            outbox,
            bucket: lobby.limits.command_bucket(),
            talk: None,
            account: None,
            connected: None,
            lines: VecDeque::new(),
            prompt: Prompt::default(),
            at_prompt: false,
            columns: None,
            pending_password: None,
            pending_description: None,
            last_input_ms: lobby.now_ms(),
            lobby,
        })
    }

    /// A caller, from the greeting to the end.
    async fn serve(mut self: Box<Door>) {
        let slot = self.lobby.doorkeeper.connect(self.address, self.lobby.now_ms());
        let flow = match &slot {
            Ok(_) => match Box::pin(self.greet()).await {
                Flow::On => self.run().await,
                flow => flow,
            },
            Err(refusal) => {
                self.print(&format!("{refusal}\n")).await;
                Flow::End
            }
        };
        self.end(flow).await;
    }

    /// A caller whom the program before knew, to the end.
    async fn resume(mut self: Box<Door>, person: Person, back: oneshot::Sender<()>, go_on: oneshot::Receiver<()>) {
        // It was let in once, so it is not turned away now; but it counts.
        let _slot = self.lobby.doorkeeper.connect(self.address, self.lobby.now_ms());
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

    async fn end(mut self: Box<Door>, flow: Flow) {
        if flow == Flow::HandOver && self.stream.outlives_the_program() {
            return self.hand_over();
        }
        if let Some(connected) = self.connected.take() {
            Box::pin(self.lobby.left(connected)).await;
        }
        let farewell = async {
            self.stream.shutdown().await?;
            // Until the peer has closed too: what it sent and nobody reads would make the system drop our last words.
            let mut unread = [0u8; READ_BYTES];
            while self.stream.read(&mut unread).await? > 0 {}
            Ok::<(), std::io::Error>(())
        };
        // The peer may be gone or stuck; either way this is the end.
        let _told = tokio::time::timeout(FAREWELL, Box::pin(farewell)).await;
    }

    /// Leaves the connection to the next program, with all that is known of it but passwords.
    fn hand_over(mut self: Box<Door>) {
        let playing = match (self.connected.take(), self.account.take()) {
            (Some(connected), Some(login)) => Some(Playing { login: *login, record: connected.hand_over() }),
            _ => None,
        };
        let half_lost = match playing {
            // What is typed on the way in is a password as likely as not.
            None => {
                self.lines.clear();
                self.codec.drop_half_line()
            }
            Some(_) => world::commands::is_secret(&self.codec.half_line()) && self.codec.drop_half_line(),
        };
        let person = Person {
            address: self.address,
            telnet: self.codec.state(),
            columns: self.columns,
            playing,
            lines: self.lines.drain(..).collect(),
            at_prompt: self.at_prompt,
            half_lost,
        };
        let Door { stream, outbox, lobby, open, .. } = *self;
        let Stream::Plain(stream) = stream else { return };
        match stream.into_std() {
            Ok(stream) => lobby.engine.restart.deposit(Deposit { stream, person, outbox }),
            Err(error) => tracing::warn!(%error, address = %person.address, "a connection could not be handed over"),
        }
        drop(open);
    }

    /// Takes up what the program before knew.
    async fn come_back(&mut self, person: Person) -> Flow {
        self.codec = Codec::resume(self.lobby.limits.telnet_line_max(), person.telnet);
        self.columns = person.columns;
        self.at_prompt = person.at_prompt;
        self.lines = person.lines.into();
        let refused = match person.playing {
            None => "\nThe Flame was moved to a new wick while you stood in the door.".to_string(),
            Some(Playing { login, record }) => {
                let half = if person.half_lost { " What you were typing is lost: type it again." } else { "" };
                let blink = format!("\nThe world blinks. The Flame burns on, on a new wick.{half}\n");
                if self.print(&blink).await == Flow::End {
                    return Flow::End;
                }
                match self.lobby.resume(&login, self.outbox.clone(), record).await {
                    Ok(connected) => {
                        self.connected = Some(connected);
                        self.account = Some(Box::new(login));
                        self.at_prompt = false;
                        return match self.flush().await {
                            Flow::On if !self.at_prompt => self.write_prompt().await,
                            flow => flow,
                        };
                    }
                    Err(refused) if refused.is_over() => {
                        self.print(&format!("{}\n", refused.message())).await;
                        return Flow::End;
                    }
                    Err(refused) => refused.message().to_string(),
                }
            }
        };
        self.lines.clear();
        let (talk, steps) = Conversation::begin(&format!("{refused}\nSay once more who you are."), STORY);
        self.talk = Some(Box::new(talk));
        Box::pin(self.carry_out([vec![Step::Password(false)], steps].concat())).await
    }

    async fn greet(&mut self) -> Flow {
        let mut hello = Vec::new();
        self.codec.greet(&mut hello);
        if self.write(&hello).await == Flow::End {
            return Flow::End;
        }
        drop(hello);
        let (talk, steps) = Conversation::begin(&self.lobby.greeting, STORY);
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
                read = hear(&mut self.stream, &mut self.codec, &mut heard) => match read {
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
        let Heard { events, reply } = heard;
        if !reply.is_empty() && self.write(&reply).await == Flow::End {
            return Flow::End;
        }
        drop(reply);
        let mut too_many = false;
        for event in events {
            match event {
                TelnetEvent::Line(line) if self.lines.len() < LINES_MAX => self.lines.push_back(line),
                TelnetEvent::Line(_) => too_many = true,
                TelnetEvent::LineTooLong => {
                    if self.print("\nThat line is too long and was not read. Say it in shorter ones.\n").await
                        == Flow::End
                    {
                        return Flow::End;
                    }
                }
                TelnetEvent::WindowSize { columns, .. } => self.columns = columns,
                TelnetEvent::AreYouThere => {
                    if self.print("\n[Yes, the Flame still burns.]\n").await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::HttpRequest => {
                    let hint = "HTTP/1.1 400 Bad Request\nContent-Type: text/plain\nConnection: close\n\n\
                                This is the telnet door of a game. Use a telnet or MUD client here.\n";
                    self.print(hint).await;
                    return Flow::End;
                }
                TelnetEvent::TerminalType(_) | TelnetEvent::Mtts(_) | TelnetEvent::Charset { .. } => {}
            }
        }
        if too_many && self.print("\nToo many lines at once; the last were dropped.\n").await == Flow::End {
            return Flow::End;
        }
        self.do_lines().await
    }

    async fn do_lines(&mut self) -> Flow {
        while let Some(line) = self.lines.pop_front() {
            self.last_input_ms = self.lobby.now_ms();
            let flow = if self.talk.is_some() { self.converse(&line).await } else { self.command(line).await };
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
                    let mut out = Vec::new();
                    encode_text(&text, &mut out);
                    if text.ends_with(' ') {
                        self.codec.end_prompt(&mut out);
                    }
                    if self.write(&out).await == Flow::End {
                        return Flow::End;
                    }
                }
                Step::Password(on) => {
                    let mut out = Vec::new();
                    self.codec.password_mode(on, &mut out);
                    if self.write(&out).await == Flow::End {
                        return Flow::End;
                    }
                }
                Step::Close => return Flow::End,
                Step::Ask(Ask::Enter) => match self.enter().await {
                    Ok(()) => return self.flush().await,
                    Err(_) if self.lobby.engine.restart.is_under_way() => return Flow::HandOver,
                    Err(message) => {
                        self.print(&format!("\n{message}\n")).await;
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
                match self.lobby.login(&name, Credential::Password(password.0), self.address).await {
                    Ok(login) => {
                        self.account = Some(Box::new(login));
                        Answer::LoggedIn { motd: self.lobby.motd.clone() }
                    }
                    Err(refused) => Answer::Refused { message: refused.message().into(), over: refused.is_over() },
                }
            }
            Ask::NewDialogue => Answer::Dialogue(Box::new(self.lobby.dialogue())),
            Ask::Create(new) => match self.lobby.create_and_log_in(&new, false, self.address).await {
                Ok(login) => {
                    self.account = Some(Box::new(login));
                    Answer::Created { motd: self.lobby.motd.clone() }
                }
                Err(refused) if refused.is_over() => Answer::Refused { message: refused.message().into(), over: true },
                Err(refused) => Answer::NameTaken { message: refused.message().into() },
            },
            Ask::ChangePassword { old, new } => {
                let name = self.account.as_ref().map(|a| a.name.clone()).unwrap_or_default();
                match self.lobby.accounts.change_password(&name, &old.0, &new.0).await {
                    Ok(()) => Answer::Done { message: "Your password is changed.".into() },
                    Err(refusal) => Answer::Refused { message: refusal.to_string(), over: false },
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
        if let Err(refused) = self.lobby.login(&name, Credential::Password(password), self.address).await {
            return Answer::Refused { message: format!("{} Nothing was deleted.", refused.message()), over: false };
        }
        // It may stand link-dead in the world; its last save must not make the row again.
        let remove = async || {
            let reason = "This character was deleted.".to_string();
            let answer = self.lobby.engine.admin(AdminCall::Remove { name: name.clone(), reason }).await;
            self.lobby.saver.drain(Duration::from_secs(10)).await;
            answer
        };
        remove().await;
        let store = self.lobby.accounts.store();
        let deleted = async {
            store::characters::delete(store, &name).await?;
            self.lobby.engine.minds.forget(&name).await?;
            let gone = store::accounts::delete(store, &name).await?;
            // Another connection may have brought it in meanwhile, and its last save the row.
            if remove().await == Some(AdminAnswer::Done) {
                store::characters::delete(store, &name).await?;
                self.lobby.engine.minds.forget(&name).await?;
            }
            Ok::<bool, store::StoreError>(gone)
        };
        match deleted.await {
            Ok(_) => {
                if let Some(dreams) = &self.lobby.dreams {
                    dreams.forget(&name).await;
                }
                if let Some(exports) = &self.lobby.exports {
                    exports.forget(&name).await;
                }
                tracing::info!(%name, "a character was deleted by its player");
                Answer::Deleted { message: "The Flame lets you go. Farewell.".into() }
            }
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
                self.talk = None;
                Ok(())
            }
            Err(refused) => Err(refused.message().to_string()),
        }
    }

    async fn command(&mut self, line: String) -> Flow {
        self.at_prompt = false;
        let Some(connected) = &self.connected else { return Flow::End };
        if self.bucket.take(self.last_input_ms).is_err() {
            self.lobby.counts.commands_refused.inc();
            return self.print("Not so fast! That one was lost.\n").await;
        }
        let mut line = line;
        if world::commands::is_secret(&line) {
            let (verb, args) = world::commands::split_verb(&line);
            let (verb, args) = (verb.to_string(), args.to_string());
            self.pending_password = Some(args);
            line = verb;
        }
        if line.trim().is_empty() {
            return self.write_prompt().await;
        }
        self.lobby.engine.command(connected.who, connected.session, line, None);
        // What it caused is usually there already: send it before the next line is done.
        self.flush().await
    }

    /// Sends all that waits, and the prompt.
    async fn flush(&mut self) -> Flow {
        let mut taken = self.outbox.take();
        if let Some(prompt) = taken.prompt.take() {
            self.prompt = prompt;
        }
        if taken.items.is_empty() && taken.close.is_none() {
            return Flow::On;
        }
        if taken.items.iter().any(|out| matches!(out, Out::Password)) {
            return Box::pin(self.flush_with_password(taken)).await;
        }
        let rest = SCRATCH.with_borrow_mut(|scratch| {
            self.append_taken(&taken, scratch);
            self.write_at_once(scratch)
        });
        drop(taken.items);
        let flow = self.write_rest(rest, taken.close.is_some()).await;
        after(flow, taken.close)
    }

    /// The same, where the player may change its password now.
    async fn flush_with_password(&mut self, taken: Taken) -> Flow {
        let args = self.pending_password.take().unwrap_or_default();
        let name = self.connected.as_ref().map(|c| c.name.clone()).unwrap_or_default();
        let answer = change_password(&self.lobby, &name, &args).await;
        let mut items: VecDeque<Out> = taken.items;
        for out in &mut items {
            if matches!(out, Out::Password) {
                let line = world::report::Line { text: answer.clone(), ..world::report::Line::default() };
                *out = Out::Line(Arc::new(Shared::new(Arc::new(line))));
            }
        }
        let mut out = Vec::new();
        self.append_taken(&Taken { items, ..taken }, &mut out);
        let rest = self.try_write(&out);
        let flow = self.write_rest(rest, taken.close.is_some()).await;
        after(flow, taken.close)
    }

    /// What a person reads of what waited: the lines, then the prompt or the farewell.
    fn append_taken(&mut self, taken: &Taken, out: &mut Vec<u8>) {
        if self.at_prompt && !taken.items.is_empty() {
            out.extend_from_slice(b"\r\n");
            self.at_prompt = false;
        }
        let lines = taken.items.iter().filter_map(|item| match item {
            Out::Line(shared) => Some(&shared.line),
            Out::Password | Out::Outcome(_) | Out::Frame(_) | Out::FullVars(_) => None,
        });
        if self.prompt.color || self.columns.is_some() {
            let mut text = String::new();
            for line in lines {
                color::append(line, self.prompt.color, &mut text);
                text.push('\n');
            }
            let text = match self.columns {
                Some(columns) => wrap(&text, usize::from(columns)),
                None => text,
            };
            encode_text(&text, out);
        } else {
            for line in lines {
                encode_text(&line.text, out);
                out.extend_from_slice(b"\r\n");
            }
        }
        match taken.close {
            // The next program says the rest.
            Some(Close::Restarting) if self.stream.outlives_the_program() => {}
            Some(Close::Restarting) => {
                let seconds = self.open.retry_after_ms().div_ceil(1_000);
                let text = format!(
                    "\nThe world blinks. A sealed line does not outlast that: call again in {seconds} seconds, and you \
                     are where you were.\n"
                );
                encode_text(&text, out);
            }
            Some(close) => encode_text(farewell(close), out),
            None => self.append_prompt(out),
        }
    }

    async fn write_prompt(&mut self) -> Flow {
        let mut out = Vec::new();
        self.append_prompt(&mut out);
        self.write(&out).await
    }

    fn append_prompt(&mut self, out: &mut Vec<u8>) {
        if self.connected.is_none() {
            return;
        }
        if !self.prompt.compact {
            out.extend_from_slice(b"\r\n");
        }
        if !self.prompt.text.is_empty() {
            encode_text(self.prompt.text.trim_end(), out);
            out.push(b' ');
        }
        self.codec.end_prompt(out);
        self.at_prompt = true;
    }

    /// Says something that is not part of the game.
    async fn print(&mut self, text: &str) -> Flow {
        let mut out = Vec::new();
        encode_text(text, &mut out);
        Box::pin(self.write(&out)).await
    }

    /// Writes bytes. A reader that takes too long is closed.
    async fn write(&mut self, bytes: &[u8]) -> Flow {
        let rest = self.try_write(bytes);
        self.write_rest(rest, false).await
    }

    /// Writes what the kernel takes at once. The rest, where it does not take all; `None` where the peer is gone.
    fn try_write(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self.stream.try_write(bytes) {
            Ok(count) if count == bytes.len() => Some(Vec::new()),
            Ok(count) => Some(bytes[count..].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Some(bytes.to_vec()),
            Err(_) => None,
        }
    }

    /// As `try_write`, and empties the buffer for the next.
    fn write_at_once(&self, scratch: &mut Vec<u8>) -> Option<Vec<u8>> {
        let rest = self.try_write(scratch);
        scratch.clear();
        scratch.shrink_to(SCRATCH_BYTES_MAX);
        rest
    }

    /// Goes on after `try_write`: nearly always there is nothing left to write. `last`: the server waits for it.
    async fn write_rest(&mut self, rest: Option<Vec<u8>>, last: bool) -> Flow {
        match rest {
            None => Flow::End,
            Some(rest) if rest.is_empty() => Flow::On,
            Some(rest) => Box::pin(self.write_slowly(rest, last)).await,
        }
    }

    async fn write_slowly(&mut self, rest: Vec<u8>, last: bool) -> Flow {
        let write = async {
            self.stream.write_all(&rest).await?;
            // What is encrypted waits until it is told to go.
            self.stream.flush().await
        };
        let mut patience = self.lobby.limits.slow_reader_ms().map(Duration::from_millis);
        if last {
            patience = Some(patience.map_or(LAST_WORDS, |patience| patience.min(LAST_WORDS)));
        }
        let written = match patience {
            Some(longest) => tokio::time::timeout(longest, write).await,
            None => Ok(write.await),
        };
        match written {
            Ok(Ok(())) => Flow::On,
            Ok(Err(_)) => Flow::End,
            Err(_) => {
                tracing::info!(address = %self.address, "closed a slow reader");
                // There may be room for a last word by now.
                let _told = self.stream.try_write(b"\r\nYou read too slowly. Goodbye.\r\n");
                Flow::End
            }
        }
    }

    async fn look_after(&mut self) -> Flow {
        let silent = self.lobby.now_ms().saturating_sub(self.last_input_ms);
        let limits = &self.lobby.limits;
        if self.connected.is_none() && limits.login_ms().is_some_and(|limit| silent > limit) {
            self.print("\nYou have been silent for too long. Goodbye.\n").await;
            return Flow::End;
        }
        if self.connected.is_some() && limits.idle_ms().is_some_and(|limit| silent > limit) {
            self.print("\nNothing came from you for too long. Your character stays where it is for a while.\n").await;
            return Flow::End;
        }
        Flow::On
    }
}

/// What one read brought.
#[derive(Default)]
struct Heard {
    events: Vec<TelnetEvent>,
    reply: Vec<u8>,
}

/// Reads once, by a buffer on the stack. How many bytes there were; 0 at the end.
///
/// Not `readable` and `try_read`: these read a second time to learn that there is no more, where the runtime sees that
/// from a read that does not fill the buffer.
async fn hear(stream: &mut Stream, codec: &mut Codec, heard: &mut Heard) -> std::io::Result<usize> {
    poll_fn(|context| {
        let mut bytes = [MaybeUninit::<u8>::uninit(); READ_BYTES];
        let mut buffer = ReadBuf::uninit(&mut bytes);
        ready!(Pin::new(&mut *stream).poll_read(context, &mut buffer))?;
        codec.receive(buffer.filled(), &mut heard.events, &mut heard.reply);
        Poll::Ready(Ok(buffer.filled().len()))
    })
    .await
}

/// How the connection goes on when what waited is written, or could not be.
fn after(written: Flow, close: Option<Close>) -> Flow {
    match (written, close) {
        (flow, None) => flow,
        (Flow::On, Some(Close::Restarting)) => Flow::HandOver,
        (_, Some(_)) => Flow::End,
    }
}

fn farewell(close: Close) -> &'static str {
    match close {
        Close::Quit => "\nThe Flame waits for you. Farewell.\n",
        Close::Idle => "\nYou have been away for too long. Your character has been put to rest.\n",
        Close::Removed => "\nThe connection is closed.\n",
        Close::Revoked => "\nThe key of this session was revoked. Goodbye.\n",
        Close::TakenOver => "\nYour character was taken over by another connection.\n",
        Close::Stopping => "\nThe world is going to sleep. Everything you have is safe. Come back soon.\n",
        // `append_taken` says more.
        Close::Restarting => "\nThe world blinks.\n",
        Close::Overflow => "\nYou read too slowly. Goodbye.\n",
    }
}

/// The `password` verb: `<old> <new>`, kept at the edge. The sentence for the player.
pub async fn change_password(lobby: &Lobby, name: &str, args: &str) -> String {
    let (old, rest) = first_word(args);
    let (new, more) = first_word(rest);
    if new.is_empty() || !more.is_empty() {
        return "To change your password: password <old> <new>. Neither may have blanks in it.".into();
    }
    match lobby.accounts.change_password(name, old, new).await {
        Ok(()) => "Your password is changed.".into(),
        Err(refusal) => refusal.to_string(),
    }
}

/// Breaks lines that are wider than the window, at blanks. Escape codes have no width.
fn wrap(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len() + 16);
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            wrapped.push('\n');
        }
        let mut width = 0;
        let mut word_start = 0;
        let mut word_width = 0;
        let mut escape = false;
        for (at, c) in line.char_indices() {
            if escape {
                escape = c != 'm';
                continue;
            }
            if c == '\x1b' {
                escape = true;
                continue;
            }
            if c == ' ' {
                wrapped.push_str(&line[word_start..at]);
                wrapped.push(' ');
                width += word_width + 1;
                (word_start, word_width) = (at + 1, 0);
                continue;
            }
            word_width += 1;
            if width > 0 && width + word_width > columns {
                if wrapped.ends_with(' ') {
                    wrapped.pop();
                }
                wrapped.push('\n');
                width = 0;
            }
        }
        wrapped.push_str(&line[word_start..]);
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn long_lines_break_at_blanks_and_short_ones_stay() {
        assert_eq!(wrap("one two three", 80), "one two three");
        assert_eq!(wrap("one two three", 8), "one two\nthree");
        assert_eq!(wrap("\x1b[1;36mone two\x1b[0m three", 8), "\x1b[1;36mone two\x1b[0m\nthree");
        assert_eq!(wrap("  indented\nnext", 20), "  indented\nnext");
        assert_eq!(wrap("unbreakable", 4), "unbreakable");
    }
}
