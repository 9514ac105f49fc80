//! The settings of a server, as flags. What the flags mean is with those who read them.

use crate::capture::Choice;
use crate::dreams::DreamsArgs;
use crate::journal::Fsync;
use crate::limits::Limits;
use crate::logging::Format;
use crate::observatory::WatchArgs;
use crate::retention::RetentionArgs;
use crate::transports::TransportArgs;
use crate::transports::listen_address;
use crate::transports::tls::TlsArgs;
use clap::Args;
use std::net::SocketAddr;
use std::path::PathBuf;

/// The settings of a server, each a flag; `config` makes each a key of the file and a variable too.
#[derive(Clone, Debug, Args)]
pub struct RunArgs {
    /// Config file: every flag is a key in it
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Address of the listener for programs: HTTP and WebSocket; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:4350", value_name = "ADDRESS", value_parser = listen_address)]
    pub http: SocketAddr,
    /// Address of the listener for people: telnet; port 0 picks a free one
    #[arg(long, default_value = "127.0.0.1:4351", value_name = "ADDRESS", value_parser = listen_address)]
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
    /// Folder of another rule book: any of rules.toml, skills.toml, spells.toml, tattoos.toml, conjured.toml,
    /// plots.toml and filter.toml. What it does not have is as it ships
    #[arg(long, value_name = "DIR")]
    pub rules: Option<PathBuf>,
    /// Start although the world has errors; what is wrong is left out
    #[arg(long)]
    pub lenient: bool,
    /// Seed of all chance in the world [default: from the operating system]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Length of a tick in milliseconds; 0 ticks only when told to by the admin API
    #[arg(long, default_value_t = 2000, value_name = "MS")]
    pub tick_ms: u64,
    /// Agents of one owner that play or are to be made; who has more makes none in the game
    #[arg(long, default_value_t = world::agent::PER_OWNER, value_name = "N")]
    pub agents_per_owner: u32,
    /// Whose commands are recorded, each with the character before and after it
    #[arg(long, default_value = "agents", value_name = "WHOSE")]
    pub capture: Choice,
    /// Folder of session files, a folder for each agent: what happened to it, as JSONL; none: no such files [default:
    /// the folder `sessions` in the state folder]
    #[arg(long, value_name = "DIR")]
    pub sessions_dir: Option<PathBuf>,
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
    pub transports: TransportArgs,
    #[command(flatten)]
    pub watch: WatchArgs,
    #[command(flatten)]
    pub journal: JournalArgs,
    #[command(flatten)]
    pub dreams: DreamsArgs,
    #[command(flatten)]
    pub retention: RetentionArgs,
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
