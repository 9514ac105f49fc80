//! The command line of `dp-server`.

use crate::accounts::Accounts;
use crate::backup;
use crate::capture::Choice;
use crate::capture::export::{self, DecisionsArgs};
use crate::config;
use crate::content_files::{read_source, read_world};
use crate::doors::tls::TlsArgs;
use crate::dreams::{self, DreamsArgs};
use crate::journal::Fsync;
use crate::limits::Limits;
use crate::logging::{self, Format};
use crate::operator::{self, KeyAnswer, KeyLine, Maker};
use crate::state_dir::{Claim, Running, StateDir};
use crate::store::{Store, StoreOptions};
use anyhow::{Context, bail};
use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;
use world::rules::Rules;

/// A MUD server where AI agents play beside people.
///
/// Without a subcommand it runs the server. People come by telnet, programs by WebSocket; docs/PROTOCOL.md is for the
/// authors of the latter. Every flag of `run` is also a variable of the environment, and a key of the config file:
/// docs/OPERATIONS.md.
#[derive(Debug, Parser)]
#[command(name = "dp-server", version, args_conflicts_with_subcommands = true, max_term_width = 100)]
pub struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    run: RunArgs,
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one, and it is made once")]
enum Command {
    /// Run the server (also what happens without a subcommand)
    Run(RunArgs),
    /// Make an agent key, and the character for it if there is none; the key is shown once
    Keygen {
        /// The character's name
        #[arg(long)]
        name: String,
        /// Class of a new character, by name or number
        #[arg(long)]
        class: Option<String>,
        /// Race of a new character, by name or number
        #[arg(long)]
        race: Option<String>,
        #[command(flatten)]
        place: StateArgs,
    },
    /// List agent keys
    Keys {
        /// Only those of this character
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Revoke an agent key and end its session
    Revoke {
        /// The key's number, its first 8 digits, or the whole key
        key: String,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Set a character's level; without one, make it an immortal of the highest
    Promote {
        name: String,
        #[arg(long, default_value_t = world::character::LEVEL_MAX)]
        level: i32,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Back up database and world of a running or stopped server into one file
    Backup {
        /// The file to write, which must not exist
        #[arg(long, value_name = "FILE")]
        out: PathBuf,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Restore a backup into a new state folder and an empty database, of either kind
    Restore {
        /// The file to read
        #[arg(long, value_name = "FILE")]
        from: PathBuf,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Print recorded commands of a character, oldest first: what it was like before and after each
    Decisions {
        #[command(flatten)]
        which: DecisionsArgs,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Dream: turn what happened to characters into what they remember, as the server does each night
    Dream {
        #[command(flatten)]
        how: dreams::command::DreamArgs,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Ask the running server how it goes; the status is 1 when something is wrong, or none runs
    Health {
        #[command(flatten)]
        place: StateArgs,
    },
    /// Check a world and list everything that is wrong with it; the status is 1 when there is an error
    Check {
        /// The world folder, native or of the Circle family
        #[arg(long, default_value = "data/world")]
        world: PathBuf,
        /// Counts and problems as JSON
        #[arg(long)]
        json: bool,
        /// Vnum of the start room
        #[arg(long)]
        start_room: Option<i32>,
        #[command(flatten)]
        _place: StateArgs,
    },
    /// Run the inputs of a journal again and compare; the status is 1 when something came out otherwise
    Replay(crate::replay::ReplayArgs),
    /// Make a new state folder that begins where a journal was at some tick
    Fork(crate::fork::ForkArgs),
    /// Convert a Circle-family world to the native format
    Import {
        /// The folder to read
        #[arg(long)]
        from: PathBuf,
        /// The folder to write, which must not exist or be empty
        #[arg(long)]
        to: PathBuf,
        /// Vnum of the start room
        #[arg(long)]
        start_room: Option<i32>,
        #[command(flatten)]
        _place: StateArgs,
    },
}

/// Where the state is.
#[derive(Clone, Debug, Args)]
pub struct StateArgs {
    /// Config file: of the server, for where its state is
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Folder of the database, the admin token and all else that is made at run time
    #[arg(long, default_value = "data/state", value_name = "DIR")]
    pub state_dir: PathBuf,
    /// Database, `sqlite:PATH` or `postgres://…` [default: a SQLite file in the state folder]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
}

/// An address to listen on. A name or a port alone is none, and the library's own words do not say what is.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "it is no IP address with a port; write one such as 127.0.0.1:4351, 0.0.0.0:4351 or [::1]:4351".to_string()
    })
}

#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Config file: every flag is a key in it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address of the door for programs: HTTP and WebSocket; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:4350", value_name = "ADDRESS", value_parser = address)]
    pub http: SocketAddr,
    /// Address of the door for people: telnet; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:4351", value_name = "ADDRESS", value_parser = address)]
    pub telnet: SocketAddr,
    /// Database, `sqlite:PATH` or `postgres://…` [default: a SQLite file in the state folder]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// Folder of the database, the admin token and all else that is made at run time
    #[arg(long, default_value = "data/state", value_name = "DIR")]
    pub state_dir: PathBuf,
    /// World folder, native or of the Circle family
    #[arg(long, default_value = "data/world", value_name = "DIR")]
    pub world: PathBuf,
    /// Vnum of the start room, instead of the world's own
    #[arg(long, value_name = "VNUM")]
    pub start_room: Option<i32>,
    /// Start although the world has errors; what is wrong is left out
    #[arg(long)]
    pub lenient: bool,
    /// Seed of all chance in the world [default: from the operating system]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Length of a tick in milliseconds; 0 ticks only when told to by the admin API
    #[arg(long, default_value_t = 2000, value_name = "MS")]
    pub tick_ms: u64,
    /// Whose commands are recorded, each with the character before and after it
    #[arg(long, default_value = "agents", value_name = "WHOSE")]
    pub capture: Choice,
    /// Days after which recorded commands are removed; 0 keeps them for ever
    #[arg(long, default_value_t = 0, value_name = "DAYS")]
    pub keep_decisions: u32,
    /// Folder of session files, a folder for each agent: what happened to it, as JSONL; none: no such files
    #[arg(long, default_value = crate::exports::SESSIONS_DIR, value_name = "DIR")]
    pub sessions_dir: PathBuf,
    /// What is logged to standard error: error, warn, info, debug, trace, or a filter such as server=debug
    #[arg(long, default_value = "info", value_name = "FILTER")]
    pub log: String,
    /// Form of the log's lines
    #[arg(long, value_enum, default_value = "text")]
    pub log_format: Format,
    /// Read the configuration and the world, say what this program is, and end: so a running server tries its successor
    #[arg(long, hide = true)]
    pub preflight: bool,
    #[command(flatten)]
    pub tls: TlsArgs,
    #[command(flatten)]
    pub journal: JournalArgs,
    #[command(flatten)]
    pub dreams: DreamsArgs,
    #[command(flatten)]
    pub limits: Limits,
}

/// What is written down, and how long it stays.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Journal")]
pub struct JournalArgs {
    /// Whether inputs are written down; off is for measurements: a crash then loses what the database does not have
    #[arg(long = "journal", value_enum, default_value_t)]
    pub mode: JournalMode,
    /// When the journal is brought to the disk, beyond the operating system
    #[arg(long, value_enum, default_value_t)]
    pub fsync: Fsync,
    /// Minutes between two snapshots of the world
    #[arg(long, value_name = "MINUTES", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..))]
    pub snapshot_minutes: u32,
    /// Megabytes of journal after which there is a snapshot in any case
    #[arg(long, value_name = "MB", default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    pub snapshot_mb: u32,
    /// Days that the past is kept for replay and fork; 0 keeps it for ever
    #[arg(long, value_name = "DAYS", default_value_t = 7)]
    pub keep_journal: u32,
    /// Start from the newest snapshot although what followed it cannot be replayed; lists what is lost
    #[arg(long)]
    pub recover: bool,
    /// Free megabytes on the disk of the state folder below which nobody new is let in
    #[arg(long, value_name = "MB", default_value_t = 64)]
    pub disk_low_mb: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, clap::ValueEnum)]
pub enum JournalMode {
    #[default]
    On,
    Off,
}

/// Does what the command line says.
pub fn main() -> ExitCode {
    let cli = match config::matches(Cli::command(), std::env::args_os()) {
        Ok(matches) => Cli::from_arg_matches(&matches).unwrap_or_else(|error| error.exit()),
        Err(error) => {
            eprintln!("dp-server: {error:#}");
            return ExitCode::FAILURE;
        }
    };
    let run = match cli.command {
        None => Ok(cli.run),
        Some(Command::Run(run)) => Ok(run),
        Some(command) => Err(command),
    };
    let as_json = run.as_ref().is_ok_and(|run| run.log_format == Format::Json);
    let result = match run {
        Ok(run) => start(run),
        Err(command) => {
            // What is wrong on the way, without the news of a running server.
            tracing_subscriber::fmt()
                .with_max_level(tracing::Level::WARN)
                .with_writer(std::io::stderr)
                .with_target(false)
                .without_time()
                .init();
            in_runtime(operate(command))
        }
    };
    match result {
        Ok(code) => code,
        Err(error) => {
            match as_json && tracing::event_enabled!(tracing::Level::ERROR) {
                true => tracing::error!("{error:#}"),
                false => eprintln!("dp-server: {error:#}"),
            }
            ExitCode::FAILURE
        }
    }
}

fn start(run: RunArgs) -> anyhow::Result<ExitCode> {
    logging::begin(&run.log, run.log_format)?;
    if let Some(file) = &run.config {
        tracing::info!(file = %file.display(), "the config file is read");
    }
    for variable in config::unknown_variables(&Cli::command(), std::env::vars_os().map(|(name, _)| name)) {
        tracing::warn!(variable, "no flag goes by this variable of the environment; is it misspelt?");
    }
    if run.preflight {
        print(serde_json::to_string(&crate::serve::preflight(&run)?)?)?;
        return Ok(ExitCode::SUCCESS);
    }
    crate::restart::keep_waiting()?;
    in_runtime(async {
        crate::serve::run(run).await?;
        Ok(ExitCode::SUCCESS)
    })
}

fn in_runtime<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(work)
}

async fn operate(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run(_) => unreachable!("`main` runs the server itself"),
        Command::Keygen { name, class, race, place } => {
            let answer = keygen(&place, &name, class.as_deref(), race.as_deref()).await?;
            if answer.created {
                eprintln!("Made the character {}.", answer.name);
            }
            eprintln!(
                "A key of {}, shown this once; a program logs in with it in the place of a password:",
                answer.name
            );
            print(answer.key)?;
        }
        Command::Keys { name, place } => {
            let lines = match Server::find(&place).await? {
                Found::Running(server) => {
                    server.get::<Vec<KeyLine>>("keys", &optional("name", name.as_deref())).await?
                }
                Found::Stored(accounts, _claim) => {
                    accounts.keys(name.as_deref()).await?.iter().map(KeyLine::of).collect()
                }
            };
            if lines.is_empty() {
                eprintln!("There are no keys. `dp-server keygen --name NAME` makes one.");
            }
            for line in lines {
                let state = if line.revoked_at.is_some() { "revoked" } else { "in use" };
                print(format_args!("{:>6}  {:<12}  {:<20}  {state}", line.id, line.key, line.name))?;
            }
        }
        Command::Revoke { key, place } => {
            let line = match Server::find(&place).await? {
                Found::Running(server) => server.post::<KeyLine>("revoke", &[("key", key.as_str())]).await?,
                Found::Stored(accounts, _claim) => KeyLine::of(&accounts.revoke(&key, crate::saving::unix_ms()).await?),
            };
            print(format_args!("Revoked key {} ({}) of {}.", line.id, line.key, line.name))?;
        }
        Command::Promote { name, level, place } => {
            match Server::find(&place).await? {
                Found::Running(server) => {
                    let text = level.to_string();
                    server.post::<serde_json::Value>("promote", &[("name", &name), ("level", &text)]).await?;
                }
                Found::Stored(accounts, _claim) => {
                    operator::promote_without_server(accounts.store(), &name, level).await?;
                }
            }
            print(format_args!("{} is of level {level} now.", operator::shown(&name)))?;
        }
        Command::Backup { out, place } => {
            let folder = &place.state_dir;
            anyhow::ensure!(folder.is_dir(), "there is no state folder {}; name it with --state-dir", folder.display());
            let checked = backup::write_beside(&out, async |path, file| {
                match Server::find(&place).await? {
                    Found::Running(server) => server.download("backup", file).await?,
                    Found::Stored(accounts, _claim) => {
                        backup::begin_stopped(accounts.store(), &place.state_dir).await?.write(file).await?;
                    }
                }
                // What is not read now may not be readable when it is needed.
                backup::check(path)
            })
            .await?;
            print(format_args!("Wrote {}: {checked}.", out.display()))?;
        }
        Command::Restore { from, place } => {
            let restored = backup::restore(&from, &place.state_dir, place.db.as_deref()).await?;
            let (database, folder) = (&restored.database, place.state_dir.display());
            print(format_args!("Restored {} into {folder} and {database}: {}.", from.display(), restored.checked))?;
        }
        Command::Decisions { which, place } => export::run(&which, &place).await?,
        Command::Dream { how, place } => {
            let well = dreams::command::run(&how, &place).await?;
            return Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Health { place } => {
            let Found::Running(server) = Server::find(&place).await? else {
                bail!("no server runs on the state folder {}", place.state_dir.display());
            };
            let (well, report) = server.health().await?;
            print(report)?;
            return Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Check { world, json, start_room, .. } => return check(&world, json, start_room),
        Command::Replay(args) => {
            let ok = tokio::task::spawn_blocking(move || {
                let mut out = std::io::BufWriter::new(std::io::stdout());
                let ok = crate::replay::run(&args, &mut out)?;
                std::io::Write::flush(&mut out).context("writing to standard output")?;
                anyhow::Ok(ok)
            });
            return Ok(if ok.await?? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Fork(args) => {
            let forked = crate::fork::fork(&args).await?;
            print(format_args!(
                "Made {}: tick {}, input {}, {} characters, {} inputs taken along.",
                args.out.display(),
                forked.tick,
                forked.number,
                forked.characters,
                forked.inputs
            ))?;
        }
        Command::Import { from, to, start_room, .. } => return import(&from, &to, start_room),
    }
    Ok(ExitCode::SUCCESS)
}

async fn keygen(place: &StateArgs, name: &str, class: Option<&str>, race: Option<&str>) -> anyhow::Result<KeyAnswer> {
    match Server::find(place).await? {
        Found::Running(server) => {
            let mut query = vec![("name", name)];
            query.extend(optional("class", class));
            query.extend(optional("race", race));
            server.post("keys", &query).await
        }
        Found::Stored(accounts, _claim) => {
            let rules = Rules::built_in();
            Maker { accounts: &accounts, rules: &rules, hometown: 'K', number: 0 }.keygen(name, class, race).await
        }
    }
}

/// Prints a line; a reader that has gone away (`| head`) is no error.
fn print(line: impl std::fmt::Display) -> anyhow::Result<()> {
    use std::io::Write;
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("writing to standard output"),
    }
}

fn optional<'a>(key: &'a str, value: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    value.map(|value| (key, value)).into_iter().collect()
}

/// Where a subcommand does its work.
enum Found {
    Running(Server),
    /// No server runs, and none starts while the claim lives.
    Stored(Accounts, Claim),
}

/// A running server that holds the state folder, and the token for it.
struct Server {
    running: Running,
    token: String,
    client: reqwest::Client,
}

impl Server {
    /// The server that holds this state folder, or the folder itself.
    async fn find(place: &StateArgs) -> anyhow::Result<Found> {
        let state = StateDir::open(&place.state_dir)?;
        if let Some(claim) = state.claim_without_server()? {
            let database = place.db.clone().unwrap_or_else(|| state.default_database());
            let accounts = Accounts::new(Store::connect(&database, &StoreOptions::default()).await?);
            return Ok(Found::Stored(accounts, claim));
        }
        let running = state.running().with_context(|| {
            format!("a server is starting or stopping in {}; try again in a moment", place.state_dir.display())
        })?;
        // The admin door speaks plain HTTP: no certificates are looked for, but the client wants a provider all the
        // same.
        let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .tls_certs_only([])
            .no_proxy()
            .connect_timeout(std::time::Duration::from_secs(2))
            .build()
            .context("making an HTTP client")?;
        Ok(Found::Running(Server { running, token: state.admin_token()?, client }))
    }

    fn url(&self, path: &str, query: &[(&str, &str)]) -> String {
        let escape = |text: &str| -> String {
            text.bytes()
                .map(|b| {
                    if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                        (b as char).to_string()
                    } else {
                        format!("%{b:02X}")
                    }
                })
                .collect()
        };
        let query: Vec<String> = query.iter().map(|(k, v)| format!("{k}={}", escape(v))).collect();
        format!("http://{}/admin/{path}?{}", self.running.http, query.join("&"))
    }

    /// Whether all is well, and the whole of `/health`. What does not answer soon is not well.
    async fn health(&self) -> anyhow::Result<(bool, serde_json::Value)> {
        let url = format!("http://{}/health", self.running.http);
        let asking = || format!("asking {url}");
        let request = self.client.get(&url).timeout(std::time::Duration::from_secs(4));
        let answer = request.send().await.with_context(asking)?;
        let well = answer.status().is_success();
        Ok((well, answer.json().await.with_context(asking)?))
    }

    async fn get<T: serde::de::DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<T> {
        self.call(self.client.get(self.url(path, query))).await
    }

    async fn post<T: serde::de::DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<T> {
        self.call(self.client.post(self.url(path, query))).await
    }

    /// The answer's body, as it comes.
    async fn download(&self, path: &str, mut out: std::fs::File) -> anyhow::Result<()> {
        use std::io::Write;
        let asking = || format!("asking the server at http://{}", self.running.http);
        let request = self.client.post(self.url(path, &[])).bearer_auth(&self.token);
        let mut answer = request.send().await.with_context(asking)?;
        if !answer.status().is_success() {
            let body: serde_json::Value = answer.json().await.with_context(asking)?;
            bail!("{}", body["error"].as_str().unwrap_or("the server refused"));
        }
        while let Some(piece) = answer.chunk().await.context("the server broke off; its log says why")? {
            out.write_all(&piece).context("writing what the server sends")?;
        }
        Ok(())
    }

    async fn call<T: serde::de::DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> anyhow::Result<T> {
        let asking = || format!("asking the server at http://{}", self.running.http);
        let answer = request.bearer_auth(&self.token).send().await.with_context(asking)?;
        let ok = answer.status().is_success();
        let body: serde_json::Value = answer.json().await.with_context(asking)?;
        if !ok {
            bail!("{}", body["error"].as_str().unwrap_or("the server refused"));
        }
        serde_json::from_value(body).with_context(asking)
    }
}

fn check(folder: &std::path::Path, json: bool, start_room: Option<i32>) -> anyhow::Result<ExitCode> {
    let (content, problems) = read_world(folder, start_room)?;
    let counts = content.counts();
    if json {
        let mut report = serde_json::to_value(counts)?;
        report["start_room"] = content.start_room.into();
        report["problems"] = serde_json::to_value(&problems.0)?;
        print(serde_json::to_string_pretty(&report)?)?;
    } else {
        for problem in &problems.0 {
            print(problem)?;
        }
        print(format_args!(
            "{} zones, {} rooms, {} mobs, {} objects, {} shops, {} exits, {} zone commands; start room {}; {} problems",
            counts.zones,
            counts.rooms,
            counts.mobs,
            counts.objects,
            counts.shops,
            counts.exits,
            counts.zone_commands,
            content.start_room,
            problems.0.len()
        ))?;
    }
    Ok(if problems.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn import(from: &std::path::Path, to: &std::path::Path, start_room: Option<i32>) -> anyhow::Result<ExitCode> {
    let source = read_source(from)?;
    let options = world::content::ReadOptions { start_room };
    let (content, problems) = world::content::read(&source, &options);
    for problem in &problems.0 {
        eprintln!("{problem}");
    }
    if problems.has_errors() {
        bail!("{} was not imported, for the errors above", from.display());
    }
    if to.exists() && std::fs::read_dir(to).with_context(|| format!("reading {}", to.display()))?.next().is_some() {
        bail!("{} is not empty; nothing was written", to.display());
    }
    let files = world::content::write(&content);
    let count = files.len();
    for (path, text) in files {
        let path = to.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    print(format_args!("Wrote {count} files to {}.", to.display()))?;
    Ok(ExitCode::SUCCESS)
}
