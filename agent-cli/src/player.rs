//! The shell around one agent: its connection, its clock, its model and its log, until somebody ends it.

use crate::advisor::SharedAdvisor;
use crate::agent::{Agent, Effect, Leave};
use crate::call_queue::Wish;
use crate::calls::{Call, Seat};
use crate::client::{Connection, Incoming};
use crate::config::Config;
use crate::council::Deliberation;
use crate::creation::{Creation, Wishes};
use crate::knowledge_file::{self, KnowledgeFile};
use crate::leaving::{Leaving, Standing, Step, told_against};
use crate::live_prompt;
use crate::prompt_record::PromptRecord;
use crate::reconnect::{Backoff, Ending, Next};
use crate::record::NoteRow;
use crate::server_address::{ServerAddress, TrustError};
use crate::session_log::{Entrance, Late, SessionLog, Summary, sha256, summary};
use crate::status::Board;
use crate::stream::{self, Stream};
use crate::thought::{ModelError, Retelling, Retold, Thought};
use mind::prompt::{PartName, Prompt};
use mind::texts::Texts;
use protocol::creation::{CLASSES, RACES, Sex, number_of};
use protocol::frame::{CharInput, Command, Login, Secret};
use protocol::words::counted;
use protocol::{ClientFrame, ErrorCode, ServerFrame, ServerMessage};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::sync::{mpsc, watch};

/// How often the agent is asked when nothing comes.
const BEAT: Duration = Duration::from_millis(100);
/// How often what it learned is written down.
const KEEP_MS: u64 = 60_000;
/// Errors that are kept for the summary.
const ERRORS_MAX: usize = 50;

/// How somebody logs in.
#[derive(Clone, Debug, Default)]
pub struct Credentials {
    pub name: Option<String>,
    pub key: Option<String>,
    pub password: Option<String>,
    pub token: Option<String>,
    /// Make a new character with the password.
    pub create: bool,
}

/// The clock of all records: unix milliseconds, and never back.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Instant,
    start_ms: u64,
}

impl Clock {
    pub fn start() -> Clock {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Clock { start: Instant::now(), start_ms: u64::try_from(since.as_millis()).unwrap_or(0) }
    }

    pub fn now_ms(&self) -> u64 {
        self.start_ms + u64::try_from(self.start.elapsed().as_millis()).unwrap_or(0)
    }
}

pub struct Player {
    pub agent: Agent,
    pub config: Arc<Config>,
    pub address: ServerAddress,
    pub credentials: Credentials,
    pub advisor: Option<SharedAdvisor>,
    /// Where many agents share a model: it asks when it is its turn.
    pub seat: Option<Seat>,
    pub log: Option<SessionLog>,
    pub board: Arc<Board>,
    pub clock: Clock,
    /// When the folder of texts was read again; `None` where there is none.
    pub news: Option<TextsNews>,
    /// The hash of P0 as the log has it, once it is in a world and asks a model.
    p0_sha256: Option<String>,
    stream: Stream,
    reconnects: u64,
    latencies: Latencies,
    errors: Vec<String>,
    seed_honoured: bool,
    /// What it may use of the model was once used up, and that was told.
    is_spent: bool,
    /// Writing it failed: once is enough.
    prompt_is_hidden: bool,
    /// All prompts, beside the log; made with the first.
    prompts: Option<PromptRecord>,
    prompts_ended: bool,
    /// Where what it learns is kept, once it is in a world.
    knowledge: Option<KnowledgeFile>,
    kept_ms: u64,
}

/// A folder of texts was read again.
#[derive(Clone, Debug)]
pub struct Reread {
    /// What is to be taken at the next fold: where the folder was wrong, what there was before.
    pub texts: Arc<Texts>,
    pub dir: PathBuf,
    /// What people were told of it.
    pub said: String,
}

/// The newest of these; nothing before the first.
pub type TextsNews = watch::Receiver<Option<Arc<Reread>>>;

/// The next one. Never where there is no folder.
async fn next_reread(news: &mut Option<TextsNews>) -> Arc<Reread> {
    if let Some(news) = news {
        while news.changed().await.is_ok() {
            if let Some(reread) = news.borrow_and_update().clone() {
                return reread;
            }
        }
    }
    std::future::pending().await
}

/// What models answer to this player, and where they send it.
struct Minds {
    thinks: mpsc::UnboundedSender<(u64, Thought)>,
    thoughts: mpsc::UnboundedReceiver<(u64, Thought)>,
    tells: mpsc::UnboundedSender<Retold>,
    told: mpsc::UnboundedReceiver<Retold>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Latencies {
    sum_ms: u64,
    count: u64,
    max_ms: u64,
}

/// Why a player stopped.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Somebody asked for it, or time was up.
    Asked,
    /// It cannot go on: for people.
    Failed(String),
}

impl Player {
    pub fn new(
        agent: Agent,
        config: Arc<Config>,
        address: ServerAddress,
        credentials: Credentials,
        board: Arc<Board>,
    ) -> Player {
        Player {
            agent,
            config,
            address,
            credentials,
            advisor: None,
            seat: None,
            log: None,
            board,
            clock: Clock::start(),
            news: None,
            p0_sha256: None,
            stream: Stream::default(),
            reconnects: 0,
            latencies: Latencies::default(),
            errors: Vec::new(),
            seed_honoured: false,
            is_spent: false,
            prompt_is_hidden: false,
            prompts: None,
            prompts_ended: false,
            knowledge: None,
            kept_ms: 0,
        }
    }

    /// The name in messages, before and after the login.
    pub fn name(&self) -> String {
        match self.agent.body.state.name() {
            "" => self.credentials.name.clone().unwrap_or_else(|| "?".to_string()),
            name => name.to_string(),
        }
    }

    fn login(&mut self) -> Login {
        let seq = self.agent.body.state.seq.filter(|_| self.credentials.token.is_some());
        let resume = self.stream.ask(seq);
        let config = &self.config;
        let given = &self.credentials;
        let new = given.create && given.token.is_none();
        let secret = |text: &Option<String>| text.clone().map(Secret);
        let token = secret(&given.token);
        let proof = if token.is_some() { None } else { secret(&given.key).or(secret(&given.password)) };
        let wish = |word: &Option<String>, table| word.as_deref().filter(|_| new).and_then(|w| number_of(table, w));
        Login {
            player_name: given.name.clone(),
            password: proof,
            token,
            is_agent: true,
            new_char: new,
            class: wish(&config.class, CLASSES),
            race: wish(&config.race, RACES),
            sex: config.sex.as_deref().filter(|_| new).and_then(Sex::named),
            hometown: config.hometown.clone().filter(|_| new),
            harness: Some(crate::harness::NAME.to_string()),
            model: Some(if self.advisor.is_some() { config.model_fast.clone() } else { "none".to_string() }),
            version: Some(crate::harness::VERSION.to_string()),
            tier: Some(config.tier.name().to_string()),
            valence: Some(config.valence),
            features: ["mind", "context", protocol::channel::FEATURE, stream::FEATURE].map(str::to_string).to_vec(),
            resume,
            ..Login::default()
        }
    }

    /// Plays until `stop` turns true or it cannot go on. Whatever happens, the summary is made.
    pub async fn play(mut self, mut stop: watch::Receiver<bool>) -> (Summary, Stop, Option<String>) {
        let mut backoff = Backoff::default();
        // What a model answers comes also when the connection that it was asked on is gone.
        let (thinks, thoughts) = mpsc::unbounded_channel::<(u64, Thought)>();
        let (tells, told) = mpsc::unbounded_channel::<Retold>();
        let mut minds = Minds { thinks, thoughts, tells, told };
        let end = loop {
            if *stop.borrow() {
                break Stop::Asked;
            }
            let opened = tokio::select! {
                opened = Connection::open(&self.address) => opened,
                () = asked(&mut stop) => break Stop::Asked,
            };
            let ending = match opened {
                Ok(connection) => match self.session(connection, &mut stop, &mut backoff, &mut minds).await {
                    Some(ending) => ending,
                    None => break Stop::Asked,
                },
                // A certificate that changes while one plays is likely in the middle of being renewed.
                Err(error) if error.is::<TrustError>() && self.agent.body.state.name().is_empty() => {
                    break Stop::Failed(format!("{error:#}"));
                }
                Err(error) => Ending { broken: Some(format!("{error:#}")), ..Ending::default() },
            };
            match backoff.next(&ending) {
                Next::WithKey if self.credentials.key.is_some() || self.credentials.password.is_some() => {
                    self.credentials.token = None;
                }
                Next::WithKey => break Stop::Failed("The token was not taken, and there is no key.".to_string()),
                Next::GiveUp(why) => break Stop::Failed(why),
                Next::AfterMs(ms) => {
                    self.reconnects += 1;
                    let again = format!("Connecting again in {:.1} s.", ms as f64 / 1_000.0);
                    match ending.broken.as_ref().filter(|broken| self.errors.last() != Some(*broken)) {
                        Some(broken) => {
                            self.keep_error(broken.clone());
                            self.board.tell(&self.name(), &format!("{broken}. {again}"));
                        }
                        None => self.board.note(&self.name(), &again),
                    }
                    tokio::select! {
                        () = tokio::time::sleep(Duration::from_millis(ms)) => {}
                        () = asked(&mut stop) => {}
                    }
                }
            }
        };
        let now_ms = self.clock.now_ms();
        let effects = self.agent.finish(now_ms);
        self.record(effects);
        self.keep_knowledge(now_ms);
        let reason = match &end {
            Stop::Asked => "asked",
            Stop::Failed(why) => why.as_str(),
        };
        let mut sum = summary(&self.agent, reason, now_ms);
        sum.agent = self.name();
        sum.turns = sum.counts.lines();
        if let Some(log) = &self.log {
            sum.count_rows(log);
        }
        sum.reconnects = self.reconnects;
        sum.latency_max_ms = self.latencies.max_ms;
        sum.latency_mean_ms = self.latencies.sum_ms.checked_div(self.latencies.count).unwrap_or(0);
        sum.seed_honoured = self.seed_honoured;
        sum.late = self.seat.as_ref().and_then(Seat::lateness).map(|late| Late::of(&late));
        sum.model = self.advisor.as_ref().map(|advisor| advisor.counts()).unwrap_or_default();
        sum.errors = std::mem::take(&mut self.errors);
        if let Some(log) = &mut self.log
            && let Err(error) = log.finish(&sum)
        {
            self.board.note(&sum.agent, &format!("The summary could not be written: {error:#}"));
        }
        if let Some(Err(error)) = self.prompts.take().map(PromptRecord::finish) {
            self.board.note(&sum.agent, &format!("The record of prompts was not packed: {error:#}"));
        }
        (sum, end, self.agent.body.state.token.take())
    }

    /// One connection, from the login to its end. `None`: it was ended on purpose.
    async fn session(
        &mut self,
        mut connection: Connection,
        stop: &mut watch::Receiver<bool>,
        backoff: &mut Backoff,
        minds: &mut Minds,
    ) -> Option<Ending> {
        let mut ending = Ending { with_token: self.credentials.token.is_some(), ..Ending::default() };
        let config = self.config.clone();
        let mut creation = Creation::new(Wishes {
            class: config.class.clone(),
            race: config.race.clone(),
            sex: config.sex.clone(),
            hometown: config.hometown.clone(),
        });
        let login = ClientFrame::Login(Box::new(self.login()));
        if !self.stream.is_asked() {
            self.agent.on_connect();
        }
        if let Err(error) = connection.send(&login).await {
            ending.broken = Some(format!("{error:#}"));
            return Some(ending);
        }
        let mut beat = tokio::time::interval(BEAT);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        let mut leaving: Option<Leaving> = None;
        loop {
            tokio::select! {
                incoming = connection.next() => match incoming {
                    Incoming::Text(text) => {
                        if let Some(leaving) = leaving.as_mut().filter(|leaving| leaving.has_begun())
                            && let Ok(message) = ServerMessage::parse(&text)
                            && let Some(why) = told_against(&message.frame)
                        {
                            leaving.refused(&why);
                        }
                        let reply = self.take(&text, &mut ending, &mut creation, backoff);
                        for reply in reply {
                            if let Err(error) = connection.send(&reply).await {
                                ending.broken = Some(format!("{error:#}"));
                                return Some(ending);
                            }
                        }
                        if ending.error.as_ref().is_some_and(|(code, ..)| refuses_login(*code)) && !ending.logged_in {
                            connection.close().await;
                            return Some(ending);
                        }
                    }
                    Incoming::Odd => self.agent.body.state.oddities.bad_frames += 1,
                    Incoming::Ended { code, broken } => {
                        if let Some(leaving) = &leaving {
                            // Who has typed `quit` is let go so.
                            if ending.logged_in && !leaving.has_begun() {
                                self.complain(leaving.stays());
                            }
                            return None;
                        }
                        (ending.code, ending.broken) = (code, broken.map(|why| format!("The connection broke: {why}")));
                        return Some(ending);
                    }
                },
                Some((id, thought)) = minds.thoughts.recv() => self.on_thought(id, thought),
                Some(retold) = minds.told.recv() => self.on_retold(retold),
                () = called(self.seat.as_ref()) => {}
                reread = next_reread(&mut self.news) => self.on_reread(&reread),
                _ = beat.tick() => {}
                changed = stop.changed(), if leaving.is_none() => {
                    // A sender that is gone cannot ask for anything any more: that is an end, too.
                    let asked = changed.is_err() || *stop.borrow();
                    leaving = asked.then(|| Leaving::begin(self.clock.now_ms()));
                }
            }
            if let Some(leaving) = &mut leaving {
                let standing = match self.agent.body.known.fight {
                    _ if !ending.logged_in => Standing::Outside,
                    Some(_) => Standing::Fighting,
                    None => Standing::AtPeace,
                };
                match leaving.step(standing, self.clock.now_ms()) {
                    Step::PlayOn => {}
                    Step::Wait => continue,
                    Step::Quit => {
                        let meta = Some(self.agent.parting_notes());
                        let command = Command { command: "quit".to_string(), meta, ..Command::default() };
                        if connection.send(&ClientFrame::Command(command)).await.is_err() {
                            self.complain(leaving.stays());
                            return None;
                        }
                        continue;
                    }
                    Step::Close => {
                        if ending.logged_in {
                            self.complain(leaving.stays());
                        }
                        connection.close().await;
                        return None;
                    }
                }
            }
            // Whether what was begun goes on is not known yet.
            if self.stream.is_asked() {
                continue;
            }
            let now_ms = self.clock.now_ms();
            // A turn that is not used is given back at the end of the round.
            let mut turn = self.take_turn(now_ms);
            let effects = self.agent.next(now_ms);
            let mut retelling: Option<Box<Retelling>> = None;
            for effect in effects {
                match effect {
                    // The rest of the round counts all the same: what is to be sent goes out when the stream goes on.
                    Effect::Send(frame) if ending.broken.is_some() => self.stream.sends(frame, now_ms),
                    Effect::Send(frame) => match connection.send(&frame).await {
                        Ok(true) => self.stream.sends(frame, now_ms),
                        Ok(false) => self.complain("A line was too long for a frame and was not sent.".to_string()),
                        Err(error) => {
                            ending.broken = Some(format!("{error:#}"));
                            self.stream.sends(frame, now_ms);
                        }
                    },
                    Effect::Think { id, prompt, brief } => {
                        self.show_prompt(&prompt);
                        self.keep_prompt(id, &prompt);
                        self.note_rules(&prompt);
                        if let Some(advisor) = &self.advisor {
                            let advice = advisor.advise(self.name(), Deliberation::new(*brief, prompt));
                            let words = retelling.take().map(|story| advisor.retell(self.name(), *story));
                            let (thinks, tells) = (minds.thinks.clone(), minds.tells.clone());
                            let turn = turn.take();
                            tokio::spawn(async move {
                                // A player that is gone has no use for what comes.
                                let _unheard = thinks.send((id, advice.await));
                                if let Some(words) = words {
                                    // Behind the decision, and in its turn: one call of an agent at a time.
                                    let _unheard = tells.send(words.await);
                                }
                                drop(turn);
                            });
                        }
                    }
                    Effect::Retell(story) => retelling = Some(story),
                    other => self.record(vec![other]),
                }
            }
            if ending.broken.is_some() {
                return Some(ending);
            }
            let now_ms = self.clock.now_ms();
            if now_ms >= self.kept_ms + KEEP_MS {
                self.keep_knowledge(now_ms);
            }
            let late = self.seat.as_ref().and_then(Seat::lateness);
            self.board.show(&self.name(), &self.agent, late.as_ref(), now_ms);
        }
    }

    /// Says whether the agent wants to think, and takes its turn if it has come.
    fn take_turn(&mut self, now_ms: u64) -> Option<Call> {
        let seat = self.seat.as_ref()?;
        match self.agent.wants_to_think(now_ms) {
            Some(due_ms) => seat.wish(Wish { due_ms, interval_ms: self.agent.settings.think_ms }),
            None => seat.withdraw(),
        }
        let turn = seat.take_turn();
        self.agent.leave = if turn.is_some() { Leave::Given } else { Leave::Awaited };
        turn
    }

    /// A frame, as text. Returns what it is answered by: in the dialogue of creation, and where a stream goes on what
    /// was lost with the connection.
    fn take(
        &mut self,
        text: &str,
        ending: &mut Ending,
        creation: &mut Creation,
        backoff: &mut Backoff,
    ) -> Vec<ClientFrame> {
        let now_ms = self.clock.now_ms();
        let Ok(message) = ServerMessage::parse(text) else {
            self.agent.on_text(text, now_ms);
            return Vec::new();
        };
        let mut reply = Vec::new();
        match &message.frame {
            ServerFrame::CharCreate(question) => {
                let choice = creation.answer(question);
                reply.extend(choice.map(|choice| ClientFrame::CharInput(CharInput { choice })));
            }
            ServerFrame::Error(error) => {
                ending.error = Some((error.code, error.message.clone(), error.retry_after_ms));
                if error.code != ErrorCode::RateLimited {
                    self.complain(format!("The server says: {}", error.message));
                }
            }
            ServerFrame::Resumed(resumed) => {
                is_in(ending, backoff);
                reply = self.stream.goes_on(resumed, now_ms);
                let (missed, again) = (counted(resumed.missed, "frame"), counted(reply.len() as u64, "command"));
                let said = format!("The session goes on: {missed} missed and read now, {again} sent again.");
                self.board.note(&self.name(), &said);
                let note = NoteRow { what: "resumed".to_string(), said: Some(said), ..NoteRow::default() };
                let noted = self.log.as_mut().map(|log| log.note(note, now_ms));
                self.is_logged(noted.unwrap_or(Ok(())));
            }
            ServerFrame::State(state) => {
                is_in(ending, backoff);
                if self.stream.is_asked() {
                    // It did not go on: everything begins anew.
                    self.agent.on_connect();
                }
                self.stream.began(state);
                self.credentials.create = false;
                self.credentials.name = Some(state.player.name.to_string());
                if let Some(token) = &state.token {
                    self.credentials.token = Some(token.clone());
                }
                match self.reconnects {
                    0 => self.board.note(&state.player.name, &format!("In the game, in {}.", state.room.name)),
                    // Who was told that it broke is told that it is over.
                    _ => self.board.tell(&state.player.name, &format!("In the game again, in {}.", state.room.name)),
                }
                if state.valence == Some(false) && self.agent.settings.valence {
                    // So the operator has this character played; what it does is on record as what it was.
                    self.agent.settings.valence = false;
                    self.board.note(&state.player.name, "The server plays this character without valence.");
                }
                let valence = self.agent.settings.valence;
                let words = state.words.clone().unwrap_or_default();
                if self.advisor.is_some() && self.p0_sha256.is_none() {
                    self.p0_sha256 = Some(sha256(&self.agent.settings.prompt.rules(&words)));
                }
                let entrance = Entrance { world: state.world.clone(), valence, p0_sha256: self.p0_sha256.clone() };
                let entered = self.log.as_mut().map(|log| log.entered(entrance, now_ms));
                self.is_logged(entered.unwrap_or(Ok(())));
                if self.config.knowledge && self.knowledge.is_none() {
                    let world = state.world.as_ref().map_or(("", ""), |world| (&world.id, &world.content));
                    self.know_again(&state.player.name, world, now_ms);
                }
            }
            ServerFrame::TokenRefresh(refresh) => self.credentials.token = Some(refresh.token.clone()),
            _ => {}
        }
        self.agent.on_message(message, now_ms);
        reply
    }

    /// Reads what it learned in sessions before, if it is the first time that it comes in.
    fn know_again(&mut self, name: &str, (world, content): (&str, &str), now_ms: u64) {
        let (file, found) = KnowledgeFile::open(&self.config.log_dir, name, world, content);
        if let Some(said) = found.note {
            self.board.tell(name, &said);
            let lasting = found.lasting.as_ref();
            let note = NoteRow {
                what: "knowledge".to_string(),
                file: Some(file.path().display().to_string()),
                version: lasting.map(|_| knowledge_file::VERSION),
                entries: lasting.and_then(|lasting| u64::try_from(lasting.entries()).ok()),
                said: Some(said),
                ..NoteRow::default()
            };
            let noted = self.log.as_mut().map(|log| log.note(note, now_ms));
            self.is_logged(noted.unwrap_or(Ok(())));
        }
        if let Some(lasting) = found.lasting {
            self.agent.body.known.take_over(lasting);
        }
        (self.knowledge, self.kept_ms) = (Some(file), now_ms);
    }

    /// Writes down what it has learned so far.
    fn keep_knowledge(&mut self, now_ms: u64) {
        self.kept_ms = now_ms;
        let Some(file) = &self.knowledge else { return };
        if let Err(error) = file.write(self.agent.body.known.lasting(), now_ms) {
            let path = file.path().display().to_string();
            self.knowledge = None;
            self.complain(format!("What it learns cannot be kept in {path}: {error:#}"));
        }
    }

    fn on_thought(&mut self, id: u64, thought: Thought) {
        let ms = u64::try_from(thought.latency.as_millis()).unwrap_or(u64::MAX);
        self.latencies.sum_ms = self.latencies.sum_ms.saturating_add(ms);
        self.latencies.count += 1;
        self.latencies.max_ms = self.latencies.max_ms.max(ms);
        self.seed_honoured |= thought.seed_honoured;
        let spent = matches!(&thought.answer, Err(ModelError::Budget(_)));
        if let Err(error) = &thought.answer {
            self.keep_error(error.to_string());
        }
        self.agent.on_thought(id, thought, self.clock.now_ms());
        if spent && !self.is_spent {
            self.is_spent = true;
            self.agent.settings.use_model = self.advisor.as_ref().is_some_and(|advisor| advisor.may_get_more());
            self.board.tell(&self.name(), "What it may use of the model is used up; reflexes and policies play on.");
        }
    }

    /// What the model said for the story of a fold is kept beside the prompts, whatever becomes of it.
    fn on_retold(&mut self, retold: Retold) {
        if let Some(error) = &retold.error {
            self.keep_error(format!("What a fold dropped was not said in other words: {error}"));
        }
        if let Some(prompts) = &mut self.prompts
            && let Err(error) = prompts.write_words(&retold)
        {
            self.prompts = None;
            self.prompts_ended = true;
            self.complain(format!("The record of prompts ends here: {error:#}"));
        }
        self.agent.on_retold(retold);
    }

    /// The log ends at the first line that cannot be written.
    fn is_logged(&mut self, written: anyhow::Result<()>) {
        if let Err(error) = written {
            // Once: a full disk would else fill the terminal too.
            self.log = None;
            self.complain(format!("The session log ends here: {error:#}"));
        }
    }

    fn record(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Log(row) => {
                    let Some(log) = &mut self.log else { continue };
                    let written = log.row(&row);
                    self.is_logged(written);
                }
                Effect::Note(text) => self.board.note(&self.name(), &text),
                Effect::Send(_) | Effect::Think { .. } | Effect::Retell(_) => {}
            }
        }
    }

    /// The folder of texts was read again. Nothing else tells the log of one that was wrong.
    fn on_reread(&mut self, reread: &Reread) {
        self.agent.set_texts(reread.texts.clone());
        let note = NoteRow {
            what: "prompts".to_string(),
            file: Some(reread.dir.display().to_string()),
            said: Some(reread.said.clone()),
            ..NoteRow::default()
        };
        let now_ms = self.clock.now_ms();
        let noted = self.log.as_mut().map(|log| log.note(note, now_ms));
        self.is_logged(noted.unwrap_or(Ok(())));
    }

    /// Notes other rules than the log knows of: a fold took new texts, or another world has other words.
    fn note_rules(&mut self, prompt: &Prompt) {
        let Some(p0) = prompt.parts.iter().find(|part| part.name == PartName::P0) else { return };
        let hash = Some(sha256(&p0.text));
        if self.log.is_none() || self.p0_sha256 == hash {
            return;
        }
        self.p0_sha256.clone_from(&hash);
        let note = NoteRow { what: "p0".to_string(), p0_sha256: hash, ..NoteRow::default() };
        let now_ms = self.clock.now_ms();
        let noted = self.log.as_mut().map(|log| log.note(note, now_ms));
        self.is_logged(noted.unwrap_or(Ok(())));
    }

    /// Lets others read what the model is asked.
    fn show_prompt(&mut self, prompt: &Prompt) {
        if self.prompt_is_hidden {
            return;
        }
        if let Err(error) = live_prompt::write(&self.config.log_dir, &self.name(), prompt) {
            self.prompt_is_hidden = true;
            let path = live_prompt::path(&self.config.log_dir, &self.name());
            self.complain(format!("The prompt of this session cannot be shown in {}: {error}", path.display()));
        }
    }

    /// Keeps the prompt beside the log; the record ends at the first one that cannot be written.
    fn keep_prompt(&mut self, id: u64, prompt: &Prompt) {
        let Some(log) = self.log.as_ref().filter(|_| !self.prompts_ended) else { return };
        let kept = match &mut self.prompts {
            Some(prompts) => prompts.write(id, prompt),
            none => PromptRecord::create(&log.path).and_then(|made| none.insert(made).write(id, prompt)),
        };
        if let Err(error) = kept {
            self.prompts_ended = true;
            self.complain(format!("The record of prompts ends here: {error:#}"));
        }
    }

    fn complain(&mut self, what: String) {
        let what = protocol::names::clean_text(&what).into_owned();
        tracing::debug!(agent = %self.name(), "{what}");
        self.board.tell(&self.name(), &what);
        self.keep_error(what);
    }

    fn keep_error(&mut self, what: String) {
        if self.errors.len() == ERRORS_MAX {
            // The newest says why it ended.
            self.errors.pop();
        }
        self.errors.push(what);
    }
}

/// Errors before the login after which nothing more is to be expected on the same connection.
fn refuses_login(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::BadLogin
            | ErrorCode::KeyRevoked
            | ErrorCode::NameRefused
            | ErrorCode::Retired
            | ErrorCode::RateLimited
            | ErrorCode::LockedOut
            | ErrorCode::BadField
            | ErrorCode::ServerFull
    )
}

/// The login was accepted: an error before it no longer says why the connection ends.
fn is_in(ending: &mut Ending, backoff: &mut Backoff) {
    ending.logged_in = true;
    ending.error = None;
    backoff.reset();
}

/// Returns when somebody asks for the end, or nobody can ask any more.
async fn asked(stop: &mut watch::Receiver<bool>) {
    while !*stop.borrow_and_update() {
        if stop.changed().await.is_err() {
            return;
        }
    }
}

/// Returns when it is its turn; never where it needs none.
async fn called(seat: Option<&Seat>) {
    match seat {
        Some(seat) => seat.called().await,
        None => std::future::pending().await,
    }
}
