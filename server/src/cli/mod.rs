//! The command line of `dp-server`: its subcommands, and what each says.

mod agent_args;
mod found;
mod output;
mod worlds;

use self::agent_args::AgentArgs;
use self::found::{Found, Server};
use self::output::print;
use self::worlds::{check, import, rules};
use crate::archive::{self, export::HistoryArgs, export::ReportsArgs};
use crate::args::RunArgs;
use crate::backup;
use crate::body_then;
use crate::capture::export::{self, DecisionsArgs};
use crate::config;
use crate::dreams;
use crate::legacies;
use crate::lobby::Retaken;
use crate::log_archives::command::{self as archiving, ArchiveArgs};
use crate::logging::{self, Format};
use crate::minds::past::HudArgs;
use crate::moderation::{self, BanLine, ComplaintLine, Moderator};
use crate::operator::{self, AgentOrder, KeyAnswer, KeyLine, Maker, PasswordAnswer};
use crate::script_files::Reloaded;
use crate::serve::{ReadSettings, Settings};
use crate::state_dir::{StateArgs, StateDir};
use anyhow::Context;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::Write;
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
enum ScriptsCommand {
    /// Read the sources again, all of them at once; what was stopped runs again
    Reload {
        /// `{"ok":…,"changed":[…],"problems":[…]}`
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        place: StateArgs,
    },
}

/// The character that a subcommand is about. `--name` is how all of them are told; the name alone is taken too, as some
/// of them were told once.
#[derive(Debug, clap::Args)]
struct Whose {
    /// The character's name
    #[arg(long, required_unless_present = "bare_name")]
    name: Option<String>,
    #[arg(hide = true, value_name = "NAME", conflicts_with = "name")]
    bare_name: Option<String>,
}

impl Whose {
    fn name(self) -> anyhow::Result<String> {
        self.name.or(self.bare_name).context("say who is meant with --name")
    }
}

#[derive(Debug, Subcommand)]
#[allow(clippy::large_enum_variant, reason = "there is one, and it is made once")]
enum Command {
    /// Run the server (also what happens without a subcommand)
    Run(RunArgs),
    /// Make an agent key, and the character for it if there is none; the key is shown once. With one of the last flags
    /// the character is an agent with a record on the server
    Keygen {
        /// The character's name
        #[arg(long, required_unless_present_any = ["host", "bare_name"])]
        name: Option<String>,
        #[arg(hide = true, value_name = "NAME", conflicts_with = "name")]
        bare_name: Option<String>,
        /// Make a key of a host instead: a program that has it plays the agents of this owner
        #[arg(long, value_name = "OWNER", conflicts_with_all = ["name", "bare_name", "class", "race"])]
        host: Option<String>,
        /// Class of a new character, by name or number
        #[arg(long)]
        class: Option<String>,
        /// Race of a new character, by name or number
        #[arg(long)]
        race: Option<String>,
        #[command(flatten)]
        agent: Box<AgentArgs>,
        #[command(flatten)]
        place: StateArgs,
    },
    /// List the keys of agents and of hosts
    Keys {
        /// Only those of this character or owner
        #[arg(long)]
        name: Option<String>,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Revoke the key of an agent or of a host, and end its sessions
    Revoke {
        /// The key's number as `keys` shows it, its first 8 digits, or the whole key
        key: String,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Keep a player or a network out
    Ban {
        /// A character's name, an address, or a network such as 192.0.2.0/24
        who: String,
        /// How long: 30m, 12h, 7d; for good where nothing is said
        #[arg(long = "for", value_name = "DURATION")]
        lasting: Option<String>,
        /// Why, as the banned read it
        #[arg(long, default_value = "")]
        reason: String,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Let somebody in again
    Unban {
        /// As `bans` shows it
        who: String,
        #[command(flatten)]
        place: StateArgs,
    },
    /// List who is kept out, the newest first
    Bans {
        #[command(flatten)]
        place: StateArgs,
    },
    /// Print what players complained of, ten at a time, the newest first, and how to look at the moment
    Complaints {
        /// Only the complaint of this number, as the list shows it: 8 or '#8'
        #[arg(value_name = "ID", value_parser = complaint_id, conflicts_with = "before")]
        id: Option<u64>,
        /// The ten before the complaint of this number
        #[arg(long, value_name = "ID", value_parser = complaint_id)]
        before: Option<u64>,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Set a character's level; without one, make it an immortal of the highest
    Promote {
        #[command(flatten)]
        who: Whose,
        /// The level; 40, the highest, where nothing is said
        #[arg(long)]
        level: Option<i32>,
        /// Make it The Architect, and whoever was it is so no more; its level stays, if none is given
        #[arg(long)]
        architect: bool,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Hand down what characters have learned, as their last dreams have it, to another: its heir
    Inherit {
        /// Whose memories; several with commas between them
        #[arg(long, value_name = "NAME", required = true, value_delimiter = ',')]
        from: Vec<String>,
        /// Who receives them
        #[arg(long, value_name = "NAME")]
        to: String,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Give a character a new password, for who has forgotten the old one: one of chance, which is shown once
    Passwd {
        #[command(flatten)]
        who: Whose,
        /// Read the new password from standard input, one line, and show nothing
        #[arg(long)]
        stdin: bool,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Delete a character for good: what it is and owns, its mind, its memories, its keys
    Remove {
        #[command(flatten)]
        who: Whose,
        /// It is meant; without this nothing is deleted
        #[arg(long)]
        yes: bool,
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
    /// Say something in a channel of a running server, as The Architect
    Post {
        /// Number of the channel; a person's home has the number of its owner
        #[arg(long, value_name = "ID")]
        channel: u32,
        /// The words
        text: String,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Turn dice in a running server: the next draws of that name fall as they are told
    Roll {
        /// What the draw is for, as save or hit; a wrong name is answered with all that there are
        draw: String,
        /// What the dice show, one after the other: a number, min or max
        #[arg(required = true, value_name = "VALUE")]
        values: Vec<String>,
        /// Only draws of what this character does
        #[arg(long, value_name = "NAME")]
        who: Option<String>,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Print what was said in a channel, oldest first
    History {
        #[command(flatten)]
        which: HistoryArgs,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Print what players reported with bug, typo and idea, oldest first
    Reports {
        #[command(flatten)]
        which: ReportsArgs,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Print what was on somebody's mind, now or at any moment that its log knows: workspace and memory
    Hud {
        #[command(flatten)]
        which: HudArgs,
        #[command(flatten)]
        place: StateArgs,
    },
    /// Put old entries of logs into archives now, as the server does each night; or verify archives, or undo them
    Archive {
        #[command(flatten)]
        how: ArchiveArgs,
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
    /// Read the scripts of the running server's world again, as `reload scripts` in the game; with a problem nothing
    /// changes, and the status is 1
    Scripts {
        #[command(subcommand)]
        what: ScriptsCommand,
    },
    /// Read the settings of the running server again, as SIGHUP has it do: says what was taken and what waits for a hot
    /// restart; with a problem in them the status is 1. The scripts of its world are read again by `scripts reload`
    Reload {
        /// `{"ok":…,"taken":[…],"needs_restart":[…],"problems":[…]}`
        #[arg(long)]
        json: bool,
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
        /// List every thing that a room speaks of and that cannot be looked at there
        #[arg(long)]
        nouns: bool,
        /// Folder of another rule book, which is checked too
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
        #[command(flatten)]
        _place: StateArgs,
    },
    /// Print the spells and skills of the rule book; the status is 1 when it has errors
    Rules {
        /// Folder of another rule book than the one that ships
        #[arg(long, value_name = "DIR")]
        rules: Option<PathBuf>,
        /// As one JSON object
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        _place: StateArgs,
    },
    /// Run the inputs of a journal again and compare; the status is 1 when something came out otherwise
    Replay(crate::replay::ReplayArgs),
    /// Make a new state folder that begins where a journal was at some tick
    Fork(crate::fork::ForkArgs),
    /// Play a line that somebody might have typed at some tick in many worlds with other chance, and count what comes
    /// of it
    Odds(crate::odds::OddsArgs),
    /// Show the observatory at any tick that a journal keeps, without its server or beside it, in a browser
    Watch(crate::past_server::WatchArgs),
    /// Draw a plot as it stood after some tick, as text or as a picture; without a room, list the plots
    Plot(crate::plot_pictures::PlotArgs),
    /// Tell who told whom: how words, something that happened or a thing on a plot came from one player to another
    Diffusion(crate::diffusion::DiffusionArgs),
    /// Put two pasts that began as one beside each other: until when they are the same, and what is otherwise then
    Compare(crate::compare::CompareArgs),
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

/// What something long writes, on a thread of its own.
async fn told(
    run: impl FnOnce(&mut dyn std::io::Write) -> anyhow::Result<()> + Send + 'static,
) -> anyhow::Result<String> {
    let told = tokio::task::spawn_blocking(move || {
        let mut told = Vec::new();
        run(&mut told)?;
        anyhow::Ok(String::from_utf8_lossy(&told).trim_end().to_string())
    });
    told.await?
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
                .with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr()))
                .with_writer(std::io::stderr)
                .with_target(false)
                .without_time()
                .init();
            match command {
                Command::Watch(args) => watch(args),
                command => in_runtime(operate(command)),
            }
        }
    };
    match result {
        Ok(code) => code,
        // A reader that has seen enough (`| head`).
        Err(error) if output::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            match as_json && tracing::event_enabled!(tracing::Level::ERROR) {
                true => tracing::error!("{error:#}"),
                // The exit status says the rest where nobody reads it.
                false => drop(writeln!(std::io::stderr(), "dp-server: {error:#}")),
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
    let settings = Settings { read: read_settings, now: read_settings()?.values };
    in_runtime(async {
        crate::serve::run(run, settings).await?;
        Ok(ExitCode::SUCCESS)
    })
}

/// The settings as the command line, the environment and the config file say them now.
fn read_settings() -> anyhow::Result<ReadSettings> {
    let matches = match config::try_matches(Cli::command(), std::env::args_os())? {
        Ok(matches) => matches,
        // Its last lines tell how to ask for help.
        Err(wrong) => anyhow::bail!("{}", wrong.to_string().lines().next().unwrap_or_default()),
    };
    let values = config::values(&Cli::command(), &matches);
    let cli = Cli::from_arg_matches(&matches)?;
    let args = match cli.command {
        None => cli.run,
        Some(Command::Run(run)) => run,
        Some(_) => anyhow::bail!("this process was not started to serve"),
    };
    Ok(ReadSettings { args, values })
}

fn watch(args: crate::past_server::WatchArgs) -> anyhow::Result<ExitCode> {
    crate::restart::keep_waiting()?;
    in_runtime(async {
        crate::past_server::run(args).await?;
        Ok(ExitCode::SUCCESS)
    })
}

fn in_runtime<T>(work: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().context("starting the runtime")?;
    runtime.block_on(work)
}

async fn operate(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Run(_) | Command::Watch(_) => unreachable!("`main` runs them itself"),
        Command::Keygen { host: Some(owner), place, .. } => {
            let answer = host_keygen(&place, &owner).await?;
            eprintln!(
                "A key of {} for a host, shown this once; `dp-agent host` plays the agents with it:",
                answer.name
            );
            print(answer.key)?;
        }
        Command::Keygen { name, bare_name, class, race, agent, place, host: None } => {
            let name = Whose { name, bare_name }.name()?;
            let order = agent.order()?;
            let answer = keygen(&place, &name, class.as_deref(), race.as_deref(), order.as_ref()).await?;
            if answer.created {
                eprintln!("Made the character {}.", answer.name);
            }
            if order.is_some() {
                eprintln!("{} is an agent with a record.", answer.name);
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
                match name {
                    Some(name) => eprintln!("There is no key of {name}. `dp-server keygen --name {name}` makes one."),
                    None => eprintln!("There are no keys. `dp-server keygen --name NAME` makes one."),
                }
            }
            for line in lines {
                let state = if line.revoked_at.is_some() { "revoked" } else { "valid" };
                let of = if line.host { format!("host of {}", line.name) } else { line.name.clone() };
                print(format_args!("{:>6}  {:<12}  {of:<20}  {state}", line.number().to_string(), line.key))?;
            }
        }
        Command::Revoke { key, place } => {
            let line = match Server::find(&place).await? {
                Found::Running(server) => server.post::<KeyLine>("revoke", &[("key", key.as_str())]).await?,
                Found::Stored(accounts, _claim) => KeyLine::of(&accounts.revoke(&key, crate::times::unix_ms()).await?),
            };
            print(format_args!("Revoked key {} ({}) of {}.", line.number(), line.key, line.name))?;
        }
        Command::Ban { who, lasting, reason, place } => {
            let line = match Server::find(&place).await? {
                Found::Running(server) => {
                    let mut query = vec![("who", who.as_str()), ("reason", reason.as_str())];
                    query.extend(optional("for", lasting.as_deref()));
                    server.post::<BanLine>("bans", &query).await?
                }
                Found::Stored(accounts, _claim) => {
                    let (held, lasting) = (moderation::held(accounts.store()).await?, lasting.as_deref());
                    let operator = Moderator::operator();
                    let ban = moderation::ban(accounts.store(), &held, &operator, &who, lasting, &reason).await;
                    BanLine::of(&ban.map_err(anyhow::Error::msg)?)
                }
            };
            print(format_args!("Banned: {line}."))?;
        }
        Command::Unban { who, place } => {
            match Server::find(&place).await? {
                Found::Running(server) => drop(server.post::<serde_json::Value>("unban", &[("who", &who)]).await?),
                Found::Stored(accounts, _claim) => {
                    let held = moderation::held(accounts.store()).await?;
                    moderation::unban(accounts.store(), &held, &who).await.map_err(anyhow::Error::msg)?;
                }
            }
            print(format_args!("{who} is not banned any more."))?;
        }
        Command::Bans { place } => {
            let lines = match Server::find(&place).await? {
                Found::Running(server) => server.get::<Vec<BanLine>>("bans", &[]).await?,
                Found::Stored(accounts, _claim) => {
                    let held = moderation::held(accounts.store()).await?;
                    held.all(crate::times::unix_ms()).iter().map(BanLine::of).collect()
                }
            };
            if lines.is_empty() {
                eprintln!("Nobody is banned. `dp-server ban WHO` does it.");
            }
            for line in lines {
                print(&line)?;
            }
        }
        Command::Complaints { id, before, place } => {
            let which = moderation::complaints_asked_for(id, before);
            let lines = match Server::find(&place).await? {
                Found::Running(server) => {
                    let (id, before) = (id.map(|id| id.to_string()), before.map(|id| id.to_string()));
                    let mut query = optional("id", id.as_deref());
                    query.extend(optional("before", before.as_deref()));
                    server.get::<Vec<ComplaintLine>>("complaints", &query).await?
                }
                Found::Stored(accounts, _claim) => {
                    let (store, folder) = (accounts.store(), Some(&*place.state_dir));
                    moderation::complaint_lines(store, folder, which).await.map_err(anyhow::Error::msg)?
                }
            };
            if lines.is_empty() {
                let none = moderation::no_complaint(which);
                anyhow::ensure!(id.is_none(), "{none}; without a number they are listed, the newest first");
                eprintln!("{none}; players do it with complain.");
            }
            for line in lines {
                print(&line)?;
            }
        }
        Command::Promote { who, level, architect, place } => {
            let name = who.name()?;
            let level = level.or((!architect).then_some(world::character::LEVEL_MAX));
            match Server::find(&place).await? {
                Found::Running(server) => {
                    let level = level.map(|level| level.to_string());
                    let mut query = vec![("name", name.as_str())];
                    query.extend(optional("level", level.as_deref()));
                    query.extend(architect.then_some(("architect", "true")));
                    server.post::<serde_json::Value>("promote", &query).await?;
                }
                Found::Stored(accounts, _claim) => {
                    if architect {
                        operator::crown_without_server(accounts.store(), &name).await?;
                    }
                    if let Some(level) = level {
                        operator::promote_without_server(accounts.store(), &name, level).await?;
                    }
                }
            }
            let name = operator::shown(&name);
            if architect {
                print(format_args!("{name} is The Architect now."))?;
            }
            if let Some(level) = level {
                print(format_args!("{name} is of level {level} now."))?;
            }
        }
        Command::Inherit { from, to, place } => {
            let came = match Server::find(&place).await? {
                Found::Running(server) => {
                    let from = from.join(",");
                    server.post("inherit", &[("from", from.as_str()), ("to", to.as_str())]).await?
                }
                Found::Stored(accounts, _claim) => legacies::hand_down(accounts.store(), &from, &to).await?,
            };
            print(came)?;
        }
        Command::Passwd { who, stdin, place } => {
            let name = who.name()?;
            let given = stdin.then(password_from_stdin).transpose()?;
            let PasswordAnswer { name, made } = match Server::find(&place).await? {
                Found::Running(server) => server.post_json("passwd", &[("name", name.as_str())], &given).await?,
                Found::Stored(accounts, _claim) => operator::set_password(&accounts, &name, given.as_deref()).await?,
            };
            match made {
                Some(made) => print(format_args!("The new password of {name}: {made}"))?,
                None => print(format_args!("The password of {name} is changed."))?,
            }
        }
        Command::Remove { who, yes, place } => {
            let name = who.name()?;
            let shown = operator::shown(&name);
            anyhow::ensure!(
                yes,
                "nothing was deleted. This would delete {shown} for good, with all that it owns and remembers; if it \
                 is meant, say it again with --yes"
            );
            match Server::find(&place).await? {
                Found::Running(server) => {
                    server.post::<serde_json::Value>("remove", &[("name", name.as_str())]).await?;
                }
                Found::Stored(accounts, _claim) => {
                    operator::remove_without_server(accounts.store(), &name).await?;
                }
            }
            print(format_args!("{shown} is deleted."))?;
        }
        Command::Backup { out, place } => {
            StateDir::look(&place.state_dir)?;
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
        Command::Post { channel, text, place } => {
            let server = Server::running(&place)?;
            let number = channel.to_string();
            server.post::<serde_json::Value>("post", &[("channel", &number), ("text", &text)]).await?;
            print(format_args!("The Architect has said that in channel {channel}."))?;
        }
        Command::Roll { draw, values, who, place } => {
            let server = Server::running(&place)?;
            let values = values.join(",");
            let mut query = vec![("draw", draw.as_str()), ("values", values.as_str())];
            query.extend(optional("who", who.as_deref()));
            let waiting = server.post::<Waiting>("roll", &query).await?.waiting;
            let waiting: Vec<String> = waiting.iter().map(|(draw, count)| format!("{count} for {draw}")).collect();
            print(format_args!("Dice that wait: {}.", waiting.join(", ")))?;
        }
        Command::History { which, place } => archive::export::run(&which, &place).await?,
        Command::Reports { which, place } => archive::export::reports(&which, &place).await?,
        Command::Hud { which, place } => body_then::run(&which, &place).await?,
        Command::Archive { how, place } => {
            let well = archiving::run(&how, &place).await?;
            return Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Dream { how, place } => {
            let well = dreams::command::run(&how, &place).await?;
            return Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Scripts { what: ScriptsCommand::Reload { json, place } } => {
            let came: Reloaded = Server::running(&place)?.post("scripts/reload", &[]).await?;
            return came_of(came.ok, &came, json);
        }
        Command::Reload { json, place } => {
            let came: Retaken = Server::running(&place)?.post("reload", &[]).await?;
            return came_of(came.ok, &came, json);
        }
        Command::Health { place } => {
            let server = Server::running(&place)?;
            let (well, report) = server.health().await?;
            print(report)?;
            return Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Check { world, json, start_room, nouns, rules, .. } => {
            return check(&world, rules.as_deref(), &content::ReadOptions { start_room, nouns }, json);
        }
        Command::Rules { rules: named, json, .. } => return rules(named.as_deref(), json),
        Command::Replay(args) => {
            let ok = tokio::task::spawn_blocking(move || {
                let mut out = std::io::BufWriter::new(std::io::stdout());
                let ok = crate::replay::run(&args, &mut out)?;
                std::io::Write::flush(&mut out).context("writing to standard output")?;
                anyhow::Ok(ok)
            });
            return Ok(if ok.await?? { ExitCode::SUCCESS } else { ExitCode::FAILURE });
        }
        Command::Odds(args) => print(told(move |out| crate::odds::run(&args, out)).await?)?,
        Command::Plot(args) => print(told(move |out| crate::plot_pictures::run(&args, out)).await?)?,
        Command::Diffusion(args) => print(crate::diffusion::run(&args).await?)?,
        Command::Compare(args) => print(told(move |out| crate::compare::run(&args, out)).await?)?,
        Command::Fork(args) => {
            let forked = crate::fork::fork(&args).await?;
            print(format_args!(
                "Made {}: tick {}, input {}; characters: {}, with dreams: {}; inputs taken along: {}.",
                args.out.display(),
                forked.tick,
                forked.number,
                forked.characters,
                forked.dreams,
                forked.inputs
            ))?;
            for told in &forked.without {
                print(format_args!("{told}"))?;
            }
            if let Some((said, line)) = forked.said {
                print(format_args!(
                    "It begins with message #{}, which {} types as: {line}",
                    said.message, said.speaker
                ))?;
            }
        }
        Command::Import { from, to, start_room, .. } => return import(&from, &to, start_room),
    }
    Ok(ExitCode::SUCCESS)
}

/// Tells what came of reading something again, to people or to a program.
fn came_of(ok: bool, came: &(impl Serialize + Display), json: bool) -> anyhow::Result<ExitCode> {
    match json {
        true => print(serde_json::to_string(came)?)?,
        false => print(came)?,
    }
    Ok(if ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The answer to `roll`.
#[derive(Deserialize)]
struct Waiting {
    waiting: BTreeMap<String, usize>,
}

/// For an owner who has an account; so unlike `keygen` it begins no state folder.
async fn host_keygen(place: &StateArgs, owner: &str) -> anyhow::Result<KeyAnswer> {
    match Server::find(place).await? {
        Found::Running(server) => server.post("host-keys", &[("owner", owner)]).await,
        Found::Stored(accounts, _claim) => operator::host_keygen(&accounts, owner).await,
    }
}

async fn keygen(
    place: &StateArgs,
    name: &str,
    class: Option<&str>,
    race: Option<&str>,
    order: Option<&AgentOrder>,
) -> anyhow::Result<KeyAnswer> {
    // A key may be made before the first start of a server.
    let begun = !place.state_dir.is_dir();
    let found = Server::find_in(StateDir::open(&place.state_dir)?, place).await?;
    if begun {
        eprintln!(
            "Made the state folder {}: the key is for the server that is started with it.",
            place.state_dir.display()
        );
    }
    match found {
        Found::Running(server) => {
            let mut query = vec![("name", name)];
            query.extend(optional("class", class));
            query.extend(optional("race", race));
            match order {
                Some(order) => server.post_json("keys", &query, order).await,
                None => server.post("keys", &query).await,
            }
        }
        Found::Stored(accounts, _claim) => {
            let rules = Rules::built_in();
            if let Some(order) = order {
                order.check(accounts.store()).await?;
            }
            let maker = Maker { accounts: &accounts, rules: &rules, hometown: 'K', number: 0, seed: 0 };
            let answer = maker.keygen(name, class, race).await?;
            if let Some(order) = order {
                operator::agent_without_server(accounts.store(), &answer.name, order).await?;
            }
            Ok(answer)
        }
    }
}

/// The number of a complaint, with or without the sign that lists put before it.
fn complaint_id(text: &str) -> Result<u64, String> {
    let digits = text.strip_prefix('#').unwrap_or(text);
    digits.parse().map_err(|_| "it is the number of one complaint, as the list shows it, such as 8".to_string())
}

/// One line, without its end.
fn password_from_stdin() -> anyhow::Result<String> {
    let mut line = String::new();
    std::io::stdin().read_line(&mut line).context("reading the password from standard input")?;
    Ok(line.trim_end_matches(['\r', '\n']).to_string())
}

fn optional<'a>(key: &'a str, value: Option<&'a str>) -> Vec<(&'a str, &'a str)> {
    value.map(|value| (key, value)).into_iter().collect()
}
