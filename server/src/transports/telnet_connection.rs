//! One telnet connection: a person, from the greeting to the end, or over a restart of the program.
//!
//! `terminal` has the socket, `person_login` the talk before the game, `connection` what all transports share. This
//! file waits for all of them, and hands a connection to the next program.

use super::connection::{CommandRefusal, Connection, Remains, Timeout};
use super::is_somebodys;
use super::person_login::PersonLogin;
use super::stream::Stream;
use super::terminal::{Flow, Heard, Terminal};
use super::waiting_lines::WaitingLines;
use crate::encode::gmcp::{self, Gmcp, Incoming};
use crate::encode::msdp::{Msdp, Request};
use crate::engine::CommandNote;
use crate::limits::{Bucket, COMMAND_BYTES_MAX, Slot, WaitMs};
use crate::lobby::{Lobby, Visit, Visitor, listing};
use crate::outbox::Delivery;
use crate::restart::{Deposit, Person, Playing};
use crate::session::telnet::{Ask, Step};
use crate::telnet::{Codec, TelnetEvent};
use protocol::variables::VariableSet;
use std::collections::VecDeque;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use tokio::time::Instant;
use world::commands::{AboutWaiting, about_waiting, strip_secret};

/// How often a silent connection is looked after.
const LOOK_AFTER: Duration = Duration::from_secs(15);
/// Before the game.
const TOO_FAST: &str = "Not so fast! That one was lost.\n";

pub struct TelnetConnection {
    core: Connection,
    terminal: Terminal,
    login: PersonLogin,
    lines: WaitingLines,
    /// Lines before the game.
    early_bucket: Bucket,
    /// What its client is told beside the text, where it wants that.
    gmcp: Option<Box<Gmcp>>,
    msdp: Option<Box<Msdp>>,
    message_bucket: Bucket,
    /// A trusted proxy is at the other end, which has named no caller and may still say for whom it calls.
    is_proxy: bool,
    /// For the answers to those who ask whether the server is there.
    here_bucket: Bucket,
}

impl TelnetConnection {
    /// `is_proxy`: the peer is a trusted proxy, and its PROXY header names no caller.
    pub fn new(
        stream: Stream,
        address: IpAddr,
        slot: Slot,
        lobby: Arc<Lobby>,
        is_proxy: bool,
    ) -> Box<TelnetConnection> {
        Box::new(TelnetConnection {
            is_proxy,
            gmcp: None,
            msdp: None,
            message_bucket: lobby.limits.frame_bucket(),
            terminal: Terminal::new(stream, address, &lobby),
            early_bucket: lobby.limits.early_line_bucket(),
            here_bucket: lobby.limits.here_bucket(),
            core: Connection::new(lobby, address, Some(slot)),
            login: PersonLogin::default(),
            lines: WaitingLines::default(),
        })
    }

    /// A caller, from the greeting to the end.
    pub async fn serve(mut self: Box<TelnetConnection>) {
        let flow = match Box::pin(self.greet()).await {
            Flow::On => self.run().await,
            flow => flow,
        };
        self.end(flow).await;
    }

    /// A caller whom the program before knew, to the end. `back`: told when it is in the world again; its lines are not
    /// done before `go_on` is told.
    pub async fn resume(
        mut self: Box<TelnetConnection>,
        person: Person,
        back: oneshot::Sender<()>,
        go_on: oneshot::Receiver<()>,
    ) {
        let flow = match Box::pin(self.come_back(person)).await {
            Flow::On => {
                // Nobody may wait for it any more.
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

    async fn greet(&mut self) -> Flow {
        if self.terminal.greet().await == Flow::End {
            return Flow::End;
        }
        let steps = self.login.begin(&self.core.lobby.greeting, &self.core);
        self.carry_out(steps).await
    }

    async fn run(&mut self) -> Flow {
        let keepalive = self.core.lobby.limits.keepalive_ms().map(|ms| Duration::from_millis(ms / 2));
        let mut look_after = self.core.look_after(keepalive.map_or(LOOK_AFTER, |half| half.min(LOOK_AFTER)));
        loop {
            let mut heard = Heard::default();
            let flow = tokio::select! {
                biased;
                () = self.core.ready() => self.flush().await,
                read = self.terminal.hear(&mut heard) => match read {
                    Ok(0) | Err(_) => Flow::End,
                    Ok(_) => self.read(heard).await,
                },
                () = until(self.lines.due()) => self.do_lines().await,
                _ = look_after.tick() => Box::pin(self.look_after()).await,
            };
            if flow != Flow::On {
                return flow;
            }
            self.core.settle().await;
        }
    }

    /// What was asked, or the prompt, is answered by the next line.
    async fn tell_too_long(&mut self) -> Flow {
        let told = "\nThat line is too long and was not read. Say it in shorter ones.\n";
        if !self.core.is_playing() {
            return self.terminal.print(&format!("{told}> ")).await;
        }
        match self.terminal.print(told).await {
            Flow::On => self.terminal.show_prompt().await,
            end => end,
        }
    }

    async fn read(&mut self, heard: Heard) -> Flow {
        let Heard { events, reply, proxy_header } = heard;
        if proxy_header {
            tracing::warn!(address = %self.core.address, "a PROXY header from an address that is not trusted");
            let text = "PROXY headers are read from trusted proxies only (--trusted-proxy). Goodbye.\n";
            self.terminal.print(text).await;
            return Flow::End;
        }
        if !reply.is_empty() && self.terminal.send(&reply).await == Flow::End {
            return Flow::End;
        }
        drop(reply);
        for event in events {
            match event {
                TelnetEvent::Line(line) => match about_waiting(&line).filter(|_| !self.login.is_on()) {
                    None => {
                        // What the rate allows makes room.
                        if self.lines.is_full() && !self.login.is_on() {
                            let done = self.do_lines().await;
                            if done != Flow::On {
                                return done;
                            }
                        }
                        self.lines.push(line);
                    }
                    // Those before it that may be done now are not among those that wait.
                    Some(about) => {
                        let done = self.do_lines().await;
                        if done != Flow::On {
                            return done;
                        }
                        let done = Box::pin(self.tell_waiting(line, about)).await;
                        if done != Flow::On {
                            return done;
                        }
                    }
                },
                TelnetEvent::LineTooLong => {
                    if self.tell_too_long().await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::Client => {
                    self.terminal.learn();
                    self.core.resize(self.terminal.screen.columns);
                    self.choose_reader();
                }
                TelnetEvent::CallerAddress(address) => {
                    let flow = self.comes_from(address).await;
                    if flow != Flow::On {
                        return flow;
                    }
                }
                TelnetEvent::ListingAsked => {
                    let listing = self.core.lobby.listing();
                    if self.terminal.list(&listing).await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::Compression { on } => {
                    if self.terminal.compress(on && self.core.is_playing()).await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::Messages { on } => {
                    if Box::pin(self.take_messages(on)).await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::Message { name, data } => {
                    let flow = Box::pin(self.message(&name, &data)).await;
                    if flow != Flow::On {
                        return flow;
                    }
                }
                TelnetEvent::Variables { on } => self.take_variables(on),
                TelnetEvent::AboutVariables { command, words } => {
                    if Box::pin(self.about_variables(&command, &words)).await == Flow::End {
                        return Flow::End;
                    }
                }
                TelnetEvent::AreYouThere => {
                    // One answer for all that are asked within a second.
                    if self.here_bucket.take(self.core.lobby.now_ms()).is_err() {
                        continue;
                    }
                    let answer = format!("\n[{}]\n", self.core.lobby.content.sentences.still_there);
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
            }
        }
        let flow = self.do_lines().await;
        match self.lines.tell_lost() {
            Some(text) if flow == Flow::On => self.terminal.print(&format!("\n{text}\n")).await,
            _ => flow,
        }
    }

    /// The client takes messages from now on, or no more.
    async fn take_messages(&mut self, on: bool) -> Flow {
        if !on {
            self.gmcp = None;
            self.subscribe();
            return Flow::On;
        }
        let mut gmcp = Gmcp::new(self.core.lobby.content.clone());
        if let Some(name) = self.login.name_in_play().filter(|_| self.core.is_playing()) {
            gmcp.enter(name);
        }
        self.gmcp = Some(Box::new(gmcp));
        match self.login.asks_for_name() {
            true => self.terminal.message(gmcp::LOGIN_DEFAULT, &gmcp::login_default()).await,
            false => Flow::On,
        }
    }

    async fn message(&mut self, name: &str, data: &str) -> Flow {
        let Some(gmcp) = &mut self.gmcp else { return Flow::On };
        let now = self.core.lobby.now_ms();
        // A line of it could be a login, and all of them cost the reading.
        if self.message_bucket.take(now).is_err() {
            return Flow::On;
        }
        match gmcp.hear(name, data) {
            Incoming::Nothing => Flow::On,
            Incoming::Client { name, version } => {
                self.terminal.codec.know(&name, &version);
                Flow::On
            }
            Incoming::Packages => {
                self.subscribe();
                self.tell_messages(&Delivery::default()).await
            }
            Incoming::Ping(ms) => self.terminal.message("Core.Ping", &ms).await,
            Incoming::Login { account, password } => self.log_in(&account, password).await,
        }
    }

    /// The client takes variables from now on, or no more.
    fn take_variables(&mut self, on: bool) {
        if !on {
            self.msdp = None;
            return self.subscribe();
        }
        let mut msdp = Msdp::new(self.core.lobby.content.clone());
        if let Some(name) = self.login.name_in_play().filter(|_| self.core.is_playing()) {
            msdp.enter(name);
        }
        self.msdp = Some(Box::new(msdp));
    }

    async fn about_variables(&mut self, command: &str, words: &[Box<str>]) -> Flow {
        let Some(msdp) = &mut self.msdp else { return Flow::On };
        if self.message_bucket.take(self.core.lobby.now_ms()).is_err() {
            return Flow::On;
        }
        match msdp.hear(command, words) {
            Request::Nothing => Flow::On,
            Request::List((name, value)) => {
                let mut bytes = Vec::new();
                self.terminal.codec.variable(name, &value, &mut bytes);
                self.terminal.send(&bytes).await
            }
            Request::Client { name, version } => {
                self.terminal.codec.know(&name, &version);
                Flow::On
            }
            Request::Variables => {
                self.subscribe();
                self.tell_messages(&Delivery::default()).await
            }
        }
    }

    /// To what is told beside the text.
    fn subscribe(&mut self) {
        let messages = self.gmcp.as_mut().map_or(VariableSet::EMPTY, |gmcp| gmcp.needs());
        let variables = self.msdp.as_mut().map_or(VariableSet::EMPTY, |msdp| msdp.needs());
        self.core.subscribe(messages | variables, false);
    }

    /// Straight into the world, past the menu; counted as any login.
    async fn log_in(&mut self, account: &str, password: String) -> Flow {
        let now = self.core.heard();
        let refused = match self.early_bucket.take(now) {
            Err(_) => Err((TOO_FAST.trim().to_string(), false)),
            Ok(()) => self.login.by_credentials(account, password, &self.core).await,
        };
        match refused {
            Ok(()) => match self.terminal.message(gmcp::LOGIN_RESULT, &gmcp::login_result(None)).await {
                Flow::On => self.enter().await,
                flow => flow,
            },
            Err((message, is_over)) => {
                let flow = self.terminal.message(gmcp::LOGIN_RESULT, &gmcp::login_result(Some(&message))).await;
                match is_over {
                    true => Flow::End,
                    false => flow,
                }
            }
        }
    }

    /// What goes beside the text of what was taken.
    fn messages_with(&mut self, taken: &Delivery) -> Vec<u8> {
        let mut bytes = Vec::new();
        if let Some(gmcp) = &mut self.gmcp {
            for (name, json) in gmcp.tell(taken) {
                self.terminal.codec.message(name, &json, &mut bytes);
            }
        }
        if let Some(msdp) = &mut self.msdp {
            for (name, value) in msdp.tell(taken) {
                self.terminal.codec.variable(name, &value, &mut bytes);
            }
        }
        bytes
    }

    async fn tell_messages(&mut self, taken: &Delivery) -> Flow {
        let bytes = self.messages_with(taken);
        match bytes.is_empty() {
            true => Flow::On,
            false => self.terminal.send(&bytes).await,
        }
    }

    /// The client says whose connection it passes on. Believed from a trusted proxy alone, once, and before anybody
    /// has said who it is: an address has counted for its logins then.
    async fn comes_from(&mut self, address: IpAddr) -> Flow {
        if !self.is_proxy || self.core.is_playing() {
            return Flow::On;
        }
        self.is_proxy = false;
        let refusal = match is_somebodys(address) {
            true => self.core.comes_from(address).err().map(|refusal| refusal.to_string()),
            false => {
                tracing::warn!(proxy = %self.core.address, %address, "a trusted proxy named nobody's address");
                Some(format!("IPADDRESS is {address}, which is nobody's address. Goodbye."))
            }
        };
        let Some(refusal) = refusal else { return Flow::On };
        self.terminal.print(&format!("\n{refusal}\n")).await;
        Flow::End
    }

    /// `queue` and `clear`: they are about the lines that wait here, and then, as any other command, about those that
    /// wait in the world.
    async fn tell_waiting(&mut self, line: String, about: AboutWaiting) -> Flow {
        let text = match about {
            AboutWaiting::List => self.lines.list(),
            AboutWaiting::Forget => match self.lines.clear() {
                0 => None,
                1 => Some("The line that waited is forgotten.".to_string()),
                count => Some(format!("The {count} lines that waited are forgotten.")),
            },
        };
        self.core.heard();
        match text {
            None => self.command(line).await,
            Some(text) => match self.terminal.print(&format!("\n{text}\n")).await {
                // Where lines wait, it may itself be too early for the world, which is then not asked.
                Flow::On => match self.core.command(&line, line.len(), CommandNote::default()) {
                    Ok(()) => self.flush().await,
                    Err(_) => self.terminal.show_prompt().await,
                },
                flow => flow,
            },
        }
    }

    async fn do_lines(&mut self) -> Flow {
        while let Some(line) = self.lines.pop() {
            let now = self.core.heard();
            let flow = if self.login.is_on() {
                // A name may cost a look at the database, a password much more.
                match self.early_bucket.take(now) {
                    // Boxed, like all that is rare: a session that plays should not carry the room for it.
                    Ok(()) => Box::pin(self.converse(&line)).await,
                    Err(_) => self.terminal.print(TOO_FAST).await,
                }
            } else {
                self.command(line).await
            };
            if flow != Flow::On {
                return flow;
            }
            // Before the next line: that may have a secret of its own.
            self.core.settle().await;
        }
        Flow::On
    }

    async fn converse(&mut self, line: &str) -> Flow {
        let steps = self.login.line(line);
        self.carry_out(steps).await
    }

    /// Does what the talk before the game asks for, and goes on with what comes of it.
    async fn carry_out(&mut self, steps: Vec<Step>) -> Flow {
        let mut steps: VecDeque<Step> = steps.into();
        while let Some(step) = steps.pop_front() {
            let flow = match step {
                Step::Print(text) => self.terminal.print(&text).await,
                Step::Password(on) => self.terminal.hide_typing(on).await,
                Step::Listing => {
                    let text = listing::as_text(&self.core.lobby.listing());
                    self.terminal.print_as_is(&text).await
                }
                Step::Close => Flow::End,
                Step::Ask(Ask::Enter) => return self.enter().await,
                Step::Ask(ask) => {
                    steps.extend(self.login.answer(ask, &self.core).await);
                    Flow::On
                }
            };
            if flow != Flow::On {
                return flow;
            }
        }
        Flow::On
    }

    async fn enter(&mut self) -> Flow {
        match self.login.enter(&mut self.core).await {
            Ok(()) => match self.begin_play().await {
                Flow::On => self.flush().await,
                flow => flow,
            },
            Err(_) if self.core.lobby.engine.restart.is_under_way() => Flow::HandOver,
            Err(message) => {
                self.terminal.print(&format!("\n{message}\n")).await;
                Flow::End
            }
        }
    }

    /// Who plays gets what its client asked for before.
    async fn begin_play(&mut self) -> Flow {
        self.terminal.screen.plays = true;
        if let Some(name) = self.login.name_in_play().filter(|_| self.gmcp.is_some() || self.msdp.is_some()) {
            self.gmcp.iter_mut().for_each(|gmcp| gmcp.enter(name));
            self.msdp.iter_mut().for_each(|msdp| msdp.enter(name));
            self.subscribe();
        }
        match self.terminal.codec.takes_compressed() {
            true => self.terminal.compress(true).await,
            false => Flow::On,
        }
    }

    async fn command(&mut self, line: String) -> Flow {
        self.terminal.screen.at_prompt = false;
        let (bytes, is_empty) = (line.len(), line.trim().is_empty());
        let done = match is_empty {
            // Nothing but a prompt is wanted.
            true => self.core.permit(1, bytes),
            false => self.core.command(&line, bytes, CommandNote::default()),
        };
        match done {
            Ok(()) if is_empty => self.terminal.show_prompt().await,
            // What it caused is usually there already: send it before the next line is done.
            Ok(()) => self.flush().await,
            Err(CommandRefusal::TooFast(WaitMs(wait))) => {
                self.lines.put_back(line, Instant::now() + Duration::from_millis(wait));
                Flow::On
            }
            Err(CommandRefusal::TooLong) => {
                let most = COMMAND_BYTES_MAX;
                let text = format!("That line is longer than {most} bytes and was not read. Say it in shorter ones.\n");
                self.terminal.print(&text).await
            }
            Err(CommandRefusal::NotPlaying) => Flow::End,
        }
    }

    /// Sends all that waits, and the prompt.
    async fn flush(&mut self) -> Flow {
        let mut taken = self.core.take();
        if let Some(prompt) = taken.prompt.take() {
            self.terminal.screen.prompt = prompt;
        }
        self.choose_reader();
        let messages = self.messages_with(&taken);
        if taken.items.is_empty() && taken.close.is_none() {
            return match messages.is_empty() {
                true => Flow::On,
                false => self.terminal.send(&messages).await,
            };
        }
        self.terminal.show(taken, &messages, self.core.retry_after_ms()).await
    }

    /// Types for who sits at a screen reader what it would have to know to type, where it has never said anything of
    /// it.
    fn choose_reader(&mut self) {
        let prompt = &mut self.terminal.screen.prompt;
        let is_due = self.terminal.screen.plays && prompt.asks_for_reader;
        if is_due && self.terminal.codec.client().is_screen_reader() {
            // Once, until the world has said what came of it.
            prompt.asks_for_reader = false;
            self.core.post("screenreader on".to_string(), CommandNote::default());
        }
    }

    async fn look_after(&mut self) -> Flow {
        let text = match self.core.timeout(self.login.standing()) {
            None => return self.keep_alive().await,
            Some(Timeout::Login) => "\nThe time to say who you are is over. Call again. Goodbye.\n",
            Some(Timeout::Idle) => {
                "\nNothing came from you for too long. Your character stays where it is for a while.\n"
            }
        };
        self.terminal.print(text).await;
        Flow::End
    }

    /// A home router forgets a line on which nothing happens.
    async fn keep_alive(&mut self) -> Flow {
        // Looked after twice as often, so that a word is at most a quarter late.
        let due = |ms: u64| self.terminal.silence() >= Duration::from_millis(ms * 3 / 4);
        let is_due = self.core.lobby.limits.keepalive_ms().is_some_and(due);
        match is_due && !self.terminal.screen.prompt.lets_line_sleep {
            true => self.terminal.keep_alive().await,
            false => Flow::On,
        }
    }

    async fn end(mut self: Box<TelnetConnection>, flow: Flow) {
        if flow == Flow::HandOver
            && self.terminal.stream.outlives_the_program()
            && Box::pin(self.terminal.take_back()).await == Flow::On
        {
            return self.hand_over();
        }
        Box::pin(self.core.leave()).await;
        self.terminal.end().await;
    }

    /// Leaves the connection to the next program, with all that is known of it but passwords.
    fn hand_over(self: Box<TelnetConnection>) {
        let TelnetConnection { core, mut terminal, login, mut lines, gmcp, msdp, .. } = *self;
        let address = core.address;
        let Remains { lobby, outbox, visit, place } = core.hand_over();
        let playing = match (visit.map(Visit::hand_over), login.into_login()) {
            (Some(record), Some(login)) => Some(Playing { login, record }),
            _ => None,
        };
        let half_lost = match playing {
            // What is typed on the way in is a password as likely as not.
            None => {
                lines.clear();
                terminal.codec.drop_half_line()
            }
            Some(_) => {
                let half_line = terminal.codec.half_line();
                strip_secret(&half_line).secret.is_some() && terminal.codec.drop_half_line()
            }
        };
        let person = Person {
            address,
            telnet: terminal.codec.state(),
            columns: terminal.screen.columns,
            playing,
            lines: lines.into_lines(),
            at_prompt: terminal.screen.at_prompt,
            half_lost,
            packages: gmcp.map(|gmcp| gmcp.into_packages()),
            reported: msdp.map(|msdp| msdp.into_reported()),
        };
        let Stream::Plain(stream) = terminal.stream else { return };
        match stream.into_std() {
            Ok(stream) => lobby.engine.restart.deposit(Deposit { stream, person, outbox }),
            Err(error) => tracing::warn!(%error, %address, "a connection could not be handed over"),
        }
        drop(place);
    }

    /// Takes up what the program before knew.
    async fn come_back(&mut self, person: Person) -> Flow {
        let mut offers = Vec::new();
        self.terminal.codec = Codec::resume(self.core.lobby.limits.telnet_line_max(), person.telnet, &mut offers);
        self.terminal.codec.offer_again();
        self.terminal.learn();
        // A program that knew no more of clients left their width here.
        self.terminal.screen.columns = self.terminal.screen.columns.or(person.columns);
        self.core.resize(self.terminal.screen.columns);
        self.terminal.screen.at_prompt = person.at_prompt;
        self.lines = WaitingLines::of(person.lines);
        self.gmcp = person
            .packages
            .filter(|_| self.terminal.codec.takes_messages())
            .map(|packages| Box::new(Gmcp::resume(self.core.lobby.content.clone(), packages)));
        self.msdp = person
            .reported
            .filter(|_| self.terminal.codec.takes_variables())
            .map(|reported| Box::new(Msdp::resume(self.core.lobby.content.clone(), reported)));
        if !offers.is_empty() && self.terminal.send(&offers).await == Flow::End {
            return Flow::End;
        }
        let sentences = &self.core.lobby.content.sentences;
        let refused = match person.playing {
            None => format!("\n{}", sentences.restarted_outside),
            Some(Playing { login, record }) => {
                let half = if person.half_lost { " What you were typing is lost: type it again." } else { "" };
                let blink = format!("\n{}{half}\n", sentences.restarted);
                if self.terminal.print(&blink).await == Flow::End {
                    return Flow::End;
                }
                match self.core.resume(Visitor::person(&login), record, false).await {
                    Ok(()) => {
                        self.login.resumed(login);
                        if Box::pin(self.begin_play()).await == Flow::End {
                            return Flow::End;
                        }
                        self.terminal.screen.at_prompt = false;
                        return match self.flush().await {
                            Flow::On if !self.terminal.screen.at_prompt => self.terminal.show_prompt().await,
                            flow => flow,
                        };
                    }
                    Err(refusal) if refusal.is_over() => {
                        self.terminal.print(&format!("{}\n", refusal.message())).await;
                        return Flow::End;
                    }
                    Err(refusal) => refusal.message().to_string(),
                }
            }
        };
        self.lines.clear();
        let steps = self.login.begin(&format!("{refused}\nSay once more who you are."), &self.core);
        Box::pin(self.carry_out([vec![Step::Password(false)], steps].concat())).await
    }
}

/// Waits until then, or for ever.
async fn until(due: Option<Instant>) {
    match due {
        Some(due) => tokio::time::sleep_until(due).await,
        None => std::future::pending().await,
    }
}
