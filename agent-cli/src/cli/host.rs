//! `host`: plays the agents of an owner, as many as there are and may be, in this process.
//!
//! `roster` says whom to play, each is a `Player` as with `play`, and all share one model by `calls`. While the
//! connection to the server is lost the agents play on; the host comes back by the same name and has what it held.

use super::PlayArgs;
use super::interrupt::Interrupts;
use super::play::{AT_ONCE, End, LEAVING, say, sentence, settings_of};
use super::reload::{self, Reload};
use crate::advisor::{HostedAdvisor, SharedModel};
use crate::agent::{Agent, Rhythm};
use crate::call_queue::{AgentId, jain};
use crate::calls::Calls;
use crate::client::{Connection, Incoming};
use crate::config::{Config, ConfigFile};
use crate::player::{Clock, Credentials, Player, Stop, TextsNews};
use crate::prompts_folder;
use crate::reconnect::{Backoff, Ending, Next};
use crate::roster::{Order, Roster};
use crate::server_address::{ServerAddress, TrustError};
use crate::session_log::{SessionLog, header};
use crate::status::Board;
use anyhow::{Context, bail};
use clap::Args;
use mind::hud::Kind;
use mind::texts::Texts;
use protocol::channel::PersonKind;
use protocol::frame::{Claim, HostLogin, Secret};
use protocol::host::{Claimed, Hosted};
use protocol::words::counted;
use protocol::{ClientFrame, ErrorCode, ServerFrame, ServerMessage};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How often the roster is asked when nothing comes.
const BEAT: Duration = Duration::from_millis(250);

#[derive(Args, Clone, Debug)]
pub struct HostArgs {
    /// Agents that are played at a time, at most
    #[arg(long, value_name = "NUMBER", default_value_t = 100)]
    max_agents: usize,
    /// Questions to the model that are under way at a time, of all agents
    #[arg(long, value_name = "NUMBER", default_value_t = 4)]
    in_flight: usize,
    /// Write a log of every turn of each agent into this folder
    #[arg(long, value_name = "DIR")]
    log_dir: Option<PathBuf>,
    #[command(flatten)]
    play: PlayArgs,
}

/// What all agents of the process share.
struct Shared {
    config: Arc<Config>,
    address: ServerAddress,
    board: Arc<Board>,
    texts: Arc<Texts>,
    news: Option<TextsNews>,
    model: Option<Arc<SharedModel>>,
    calls: Arc<Calls>,
    clock: Clock,
    logged: bool,
}

/// An agent that plays.
struct Played {
    stop: watch::Sender<bool>,
    advisor: Option<Arc<HostedAdvisor>>,
}

struct Host {
    shared: Shared,
    roster: Roster,
    played: BTreeMap<AgentId, Played>,
    tasks: JoinSet<(AgentId, End)>,
    ends: Vec<End>,
    /// The same as long as this process runs.
    instance: String,
    key: String,
    stopping: bool,
    /// Why it cannot go on.
    failed: Option<String>,
    interrupts: Interrupts,
}

pub async fn host(mut file: ConfigFile, args: HostArgs) -> anyhow::Result<ExitCode> {
    let play = &args.play;
    if play.agents.is_some() || play.persona.is_some() || play.create {
        bail!(
            "`host` plays agents by the records of the server: `--agents`, `--persona` and `--create` go with `play`"
        );
    }
    play.lay_over(&mut file.config)?;
    if let Some(dir) = &args.log_dir {
        file.config.log_dir.clone_from(dir);
    }
    let config = Arc::new(file.config);
    let Some(key) = config.host_key.clone() else {
        bail!(
            "there is no key of a host: the server's operator makes one with `dp-server keygen --host OWNER`; set \
             DP_HOST_KEY, or keep it with `dp-agent config --host-key`"
        );
    };
    let board = Arc::new(Board::new(play.quiet, config.log_level == "debug", usize::MAX));
    let model = if play.no_model { None } else { SharedModel::of_config(&config, play.tape.as_deref())? };
    if model.is_none() && !play.no_model {
        board.note("All", "No model is set (litellm_endpoint): reflexes and policies play alone.");
    }
    let texts = Arc::new(prompts_folder::texts(config.prompts_dir.as_deref())?);
    let listening = config.prompts_dir.clone().map(|dir| Reload::new(dir, texts.clone(), board.clone()));
    let (mut reload, news) = listening.unzip();
    let clock = Clock::start();
    let calls = Calls::new(args.in_flight, move || clock.now_ms());
    let address = ServerAddress::of(&config)?;
    let logged = args.log_dir.is_some();
    let quiet = play.quiet;
    let shared = Shared { config, address, board, texts, news, model, calls, clock, logged };
    let mut host = Host {
        roster: Roster::new(args.max_agents),
        played: BTreeMap::new(),
        tasks: JoinSet::new(),
        ends: Vec::new(),
        instance: instance(clock),
        key,
        stopping: false,
        failed: None,
        interrupts: Interrupts::listen(),
        shared,
    };
    host.run(&mut reload).await;
    host.tell_ends(quiet);
    match host.failed {
        None => Ok(ExitCode::SUCCESS),
        Some(why) => bail!("{why}"),
    }
}

/// Another one for each process.
fn instance(clock: Clock) -> String {
    format!("{:x}-{:x}", clock.now_ms(), std::process::id())
}

impl Host {
    /// Until it is interrupted, or cannot go on.
    async fn run(&mut self, reload: &mut Option<Reload>) {
        let mut backoff = Backoff::default();
        while !self.stopping {
            let opened = tokio::select! {
                opened = Connection::open(&self.shared.address) => opened,
                () = asked_to_stop(&mut self.interrupts, reload) => break,
            };
            let ending = match opened {
                Ok(connection) => self.connected(connection, &mut backoff, reload).await,
                Err(error) if error.is::<TrustError>() && self.played.is_empty() => {
                    self.failed = Some(format!("{error:#}"));
                    break;
                }
                Err(error) => Some(Ending { broken: Some(format!("{error:#}")), ..Ending::default() }),
            };
            let Some(ending) = ending else { break };
            match backoff.next(&ending) {
                Next::AfterMs(ms) => {
                    let why = ending.broken.unwrap_or_else(|| "The connection of the host ended.".to_string());
                    self.shared.board.tell("Host", &format!("{why} Connecting again in {:.1} s.", ms as f64 / 1_000.0));
                    let pause = tokio::time::sleep(Duration::from_millis(ms));
                    tokio::pin!(pause);
                    loop {
                        tokio::select! {
                            () = &mut pause => break,
                            Some(joined) = self.tasks.join_next() => self.ended(joined),
                            () = asked_to_stop(&mut self.interrupts, reload) => {
                                self.stopping = true;
                                break;
                            }
                        }
                    }
                }
                Next::WithKey | Next::GiveUp(_) => {
                    let said = ending.error.map(|(_, message, _)| message).or(ending.broken).unwrap_or_default();
                    self.failed = Some(format!("The server takes this host no more. It says: {said}"));
                    break;
                }
            }
        }
        self.stop_all().await;
    }

    /// One connection. `None`: it was ended on purpose.
    async fn connected(
        &mut self,
        mut connection: Connection,
        backoff: &mut Backoff,
        reload: &mut Option<Reload>,
    ) -> Option<Ending> {
        let mut ending = Ending::default();
        self.roster.on_connect();
        let login = HostLogin { key: Secret(self.key.clone()), instance: Some(self.instance.clone()) };
        let mut frames = vec![ClientFrame::Host(login)];
        let mut beat = tokio::time::interval(BEAT);
        beat.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            for frame in frames.drain(..) {
                if let Err(error) = connection.send(&frame).await {
                    ending.broken = Some(format!("{error:#}."));
                    return Some(ending);
                }
            }
            tokio::select! {
                incoming = connection.next() => match incoming {
                    Incoming::Text(text) => self.take(&text, &mut ending, backoff),
                    Incoming::Odd => {}
                    Incoming::Ended { code, broken } => {
                        (ending.code, ending.broken) = (code, broken.map(|why| format!("The connection broke: {why}.")));
                        return Some(ending);
                    }
                },
                Some(joined) = self.tasks.join_next() => self.ended(joined),
                _ = beat.tick() => {}
                () = asked_to_stop(&mut self.interrupts, reload) => {
                    self.stopping = true;
                    // The agents first: whoever else is to play them finds them at home.
                    self.stop_all().await;
                    connection.close().await;
                    return None;
                }
            }
            if let Some((code, ..)) = &ending.error
                && refuses_host(*code)
                && !ending.logged_in
            {
                connection.close().await;
                return Some(ending);
            }
            for order in self.roster.orders(self.shared.clock.now_ms()) {
                match order {
                    Order::Claim(id) => frames.push(ClientFrame::Claim(Claim { id })),
                    Order::Start(claimed, hosted) => self.start(claimed, &hosted),
                    Order::Stop(id) => {
                        if let Some(played) = self.played.get(&id) {
                            played.stop.send_replace(true);
                        }
                    }
                    Order::Changed(hosted) => self.changed(&hosted),
                }
            }
        }
    }

    fn take(&mut self, text: &str, ending: &mut Ending, backoff: &mut Backoff) {
        // A frame that a later server sends and this client does not know is passed over.
        let Ok(ServerMessage { frame, .. }) = ServerMessage::parse(text) else { return };
        match frame {
            ServerFrame::Agents(agents) => {
                if agents.full {
                    ending.logged_in = true;
                    ending.error = None;
                    backoff.reset();
                    let count = agents.agents.len();
                    let what = counted(count as u64, "agent");
                    let told = format!("Connected: the owner has {what}.");
                    // Else nothing at all would be said, terminal or not, and for how long nobody knows.
                    match count {
                        0 => self.shared.board.tell("Host", &format!("{told} What is made is taken up at once.")),
                        _ => self.shared.board.note("Host", &told),
                    }
                }
                self.roster.on_agents(agents);
            }
            ServerFrame::Claimed(claimed) => self.roster.on_claimed(claimed),
            ServerFrame::Error(error) => {
                let now_ms = self.shared.clock.now_ms();
                let claim = self.roster.on_error(error.code, error.retry_after_ms, now_ms);
                match claim {
                    // Another host is as good: nobody need read it.
                    Some(_) if matches!(error.code, ErrorCode::Held | ErrorCode::InUse | ErrorCode::RateLimited) => {
                        self.shared.board.note("Host", &error.message);
                    }
                    _ => self.shared.board.tell("Host", &format!("The server says: {}", error.message)),
                }
                if claim.is_none() {
                    ending.error = Some((error.code, error.message, error.retry_after_ms));
                }
            }
            _ => {}
        }
    }

    fn start(&mut self, claimed: Claimed, hosted: &Hosted) {
        let id = claimed.id;
        let name = hosted.record.name.to_string();
        let shown = protocol::names::clean_text(&name).into_owned();
        match self.shared.player(claimed, hosted) {
            Ok((player, advisor)) => {
                self.shared.board.note(&shown, "Taken up.");
                let (stop, stopping) = watch::channel(false);
                self.played.insert(id, Played { stop, advisor });
                self.tasks.spawn(async move { (id, player.play(stopping).await) });
            }
            Err(error) => {
                self.shared.board.tell(&shown, &format!("It cannot be played: {error:#}."));
                self.roster.on_ended(id, self.shared.clock.now_ms());
            }
        }
    }

    /// What of a record counts while its agent plays; its own client is told the rest.
    fn changed(&mut self, hosted: &Hosted) {
        let advisor = self.played.get(&hosted.record.id).and_then(|played| played.advisor.as_ref());
        let (Some(advisor), Some(model)) = (advisor, &self.shared.model) else { return };
        let (name, note) = model.choose(hosted.record.model.as_deref());
        advisor.set_model(name);
        if let Some(note) = note {
            self.shared.board.tell(&hosted.record.name, &note);
        }
    }

    fn ended(&mut self, joined: Result<(AgentId, End), tokio::task::JoinError>) {
        let (id, end) = match joined {
            Ok(ended) => ended,
            Err(error) if error.is_cancelled() => return,
            Err(error) => return tracing::error!("a player broke down: {error}"),
        };
        self.played.remove(&id);
        self.roster.on_ended(id, self.shared.clock.now_ms());
        if let (summary, Stop::Failed(why), _) = &end {
            self.shared.board.tell(&summary.agent, why);
        }
        self.ends.push(end);
    }

    /// Asks all to leave, and waits until they have; who asks a second time does not wait.
    async fn stop_all(&mut self) {
        self.stopping = true;
        if !self.played.is_empty() {
            self.shared.board.tell("Host", LEAVING);
        }
        for played in self.played.values() {
            played.stop.send_replace(true);
        }
        loop {
            tokio::select! {
                joined = self.tasks.join_next() => match joined {
                    Some(joined) => self.ended(joined),
                    None => return,
                },
                () = self.interrupts.next() => {
                    say(AT_ONCE);
                    self.tasks.abort_all();
                }
            }
        }
    }

    fn tell_ends(&self, quiet: bool) {
        self.shared.board.end();
        if quiet {
            return;
        }
        let priced = self.shared.config.prices.of(&self.shared.config.model_fast).is_some();
        for (summary, ..) in &self.ends {
            say(&sentence(summary, priced));
        }
        let thoughts: Vec<f64> = self.ends.iter().filter_map(|(sum, ..)| Some(sum.late?.calls as f64)).collect();
        if thoughts.len() > 1 {
            let all = thoughts.iter().sum::<f64>();
            say(&format!("All: {} agents, {all} questions, fairness {:.3}.", thoughts.len(), jain(&thoughts)));
        }
    }
}

impl Shared {
    /// A player for an agent, by its record.
    fn player(&self, claimed: Claimed, hosted: &Hosted) -> anyhow::Result<(Player, Option<Arc<HostedAdvisor>>)> {
        let record = &hosted.record;
        let mut config = Config::clone(&self.config);
        // What the record leaves open is as the settings have it, and so is what it asks for in vain.
        let asked = [("tier", &record.tier), ("format", &record.in_format), ("answer_form", &record.out_format)];
        for (field, word) in asked {
            if let Some(word) = word
                && let Err(error) = config.lay_over(field, word)
            {
                self.board.tell(&record.name, &format!("Its record asks for something else than there is: {error:#}."));
            }
        }
        config.kind = if record.kind == PersonKind::Bot { Kind::Bot } else { Kind::Persona };
        let advisor = self.model.as_ref().map(|model| {
            let (name, note) = model.choose(record.model.as_deref());
            if let Some(note) = note {
                self.board.tell(&record.name, &note);
            }
            config.model_fast.clone_from(&name);
            model.for_agent(claimed.id, name)
        });
        let mut settings = settings_of(&config, &self.texts).context("making its settings")?;
        settings.use_model = advisor.is_some();
        settings.seed = settings.seed.wrapping_add(u64::from(claimed.id));
        settings.rhythm = Rhythm::Steady;
        settings.persona = record.seed.to_string();
        if let Some(part) = self.model.as_ref().map(|model| model.part(claimed.id)) {
            (settings.tokens_limit, settings.cost_limit_micros) = (part.tokens_max, part.cost_micros_max);
        }
        let who =
            Credentials { name: Some(claimed.name.to_string()), token: Some(claimed.token), ..Credentials::default() };
        let config = Arc::new(config);
        let log_header = self.logged.then(|| header(&config, &settings, &claimed.name, self.clock.now_ms()));
        let mut player =
            Player::new(Agent::new(settings), config.clone(), self.address.clone(), who, self.board.clone());
        player.clock = self.clock;
        player.news.clone_from(&self.news);
        player.seat = advisor.as_ref().map(|_| self.calls.seat(claimed.id));
        player.advisor = advisor.clone().map(|advisor| advisor as _);
        if let Some(header) = log_header {
            player.log = Some(SessionLog::create(&config.log_dir, header, self.clock.now_ms())?);
        }
        Ok((player, advisor))
    }
}

/// Errors before the first `agents` after which nothing more is to be expected on the same connection.
fn refuses_host(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::BadLogin
            | ErrorCode::KeyRevoked
            | ErrorCode::UnknownType
            | ErrorCode::BadField
            | ErrorCode::RateLimited
            | ErrorCode::LockedOut
            | ErrorCode::ServerFull
            | ErrorCode::Internal
    )
}

async fn asked_to_stop(interrupts: &mut Interrupts, reload: &mut Option<Reload>) {
    tokio::select! {
        () = interrupts.next() => {}
        () = reload::until_terminal_is_gone(reload) => {}
    }
}
