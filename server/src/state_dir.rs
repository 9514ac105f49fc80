//! The state folder: the admin token, the address of the running server, the default database.

use anyhow::{Context, bail};
use clap::Args;
use serde::{Deserialize, Serialize};
use std::fs::{File, TryLockError};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How long a server that starts waits for a subcommand to finish.
const CLAIM_LONGEST: Duration = Duration::from_secs(1);

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

/// The world that a journal was played in, where that is to be found elsewhere than it says.
#[derive(Clone, Debug, Default, Args)]
pub struct PlayedIn {
    /// World folder that it was played in [default: the one that the journal names]
    #[arg(long, value_name = "DIR")]
    pub world: Option<PathBuf>,
    /// Vnum of the start room, where it was given to the server
    #[arg(long, value_name = "VNUM")]
    pub start_room: Option<i32>,
    /// Folder of the rule book, where one was given to the server
    #[arg(long, value_name = "DIR")]
    pub rules: Option<PathBuf>,
}

pub struct StateDir {
    path: PathBuf,
}

/// `server.json`: where the server that holds this folder can be reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    pub http: SocketAddr,
    pub telnet: SocketAddr,
    /// The encrypted listeners, where there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub https: Option<SocketAddr>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub telnets: Option<SocketAddr>,
    /// Absolute: where it writes what characters dream.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dreaming_dir: Option<PathBuf>,
}

impl Running {
    /// Each listener with its address, as `http=127.0.0.1:4350 telnet=…`.
    pub fn listeners(&self) -> String {
        let listeners = [
            ("http", Some(self.http)),
            ("telnet", Some(self.telnet)),
            ("https", self.https),
            ("telnets", self.telnets),
        ];
        let open = listeners.into_iter().filter_map(|(name, address)| Some(format!("{name}={}", address?)));
        open.collect::<Vec<_>>().join(" ")
    }
}

/// Holds the state folder until it is dropped.
#[must_use = "dropping it gives the folder back"]
pub struct Claim {
    file: File,
}

impl Claim {
    /// A claim that the program before this one handed over, with its lock.
    pub fn inherited(file: File) -> Claim {
        Claim { file }
    }

    /// Another descriptor of the same lock: it holds as long as either is open.
    pub fn share(&self) -> anyhow::Result<File> {
        self.file.try_clone().context("sharing the lock on the state folder")
    }
}

impl StateDir {
    /// Opens the folder, making it if it is missing.
    pub fn open(path: &Path) -> anyhow::Result<StateDir> {
        crate::files::make_private_folder(path).with_context(|| {
            format!("making the state folder {}; choose one that can be written to with --state-dir", path.display())
        })?;
        Ok(StateDir { path: path.to_path_buf() })
    }

    /// Whether others on this machine may look into the folder. For a server that starts: whoever only works in it
    /// beside a server, or after one, cannot know whom its operator lets in.
    pub fn is_open_to_others(&self) -> bool {
        is_open_to_others(&self.path)
    }

    /// A folder that must be there already.
    pub fn look(path: &Path) -> anyhow::Result<StateDir> {
        if !path.is_dir() {
            bail!("there is no state folder {}; name the one of a server with --state-dir", path.display());
        }
        Ok(StateDir { path: path.to_path_buf() })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    fn lock_file(&self) -> PathBuf {
        self.path.join("server.lock")
    }

    /// The embedded database, unless `--db` names another.
    pub fn default_database(&self) -> String {
        format!("sqlite:{}", self.path.join("darkpawns.sqlite").display())
    }

    /// Whether there is an embedded database.
    pub fn has_database(&self) -> bool {
        self.path.join("darkpawns.sqlite").exists()
    }

    fn token_file(&self) -> PathBuf {
        self.path.join("admin.token")
    }

    fn running_file(&self) -> PathBuf {
        self.path.join("server.json")
    }

    /// The admin token; made at first use, readable by its owner only.
    pub fn admin_token(&self) -> anyhow::Result<String> {
        let path = self.token_file();
        match std::fs::read_to_string(&path) {
            Ok(token) if !token.trim().is_empty() => {
                if close_to_others(&path) {
                    tracing::warn!(
                        file = %path.display(),
                        "others on this machine could read the admin token until now; remove the file and restart to \
                         have a new one"
                    );
                }
                return Ok(token.trim().to_string());
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        }
        let mut bytes = [0u8; 32];
        getrandom::fill(&mut bytes).context("the operating system gave no random numbers")?;
        let token = hex::encode(bytes);
        write_private(&path, &token)?;
        Ok(token)
    }

    /// The server that says it holds this folder; it may have died since.
    pub fn running(&self) -> Option<Running> {
        let text = std::fs::read_to_string(self.running_file()).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Takes the folder for a server, as long as the claim lives. Refuses while another one has it. The system takes
    /// the claim back however the process ends, so nothing stale is ever in the way.
    pub fn claim(&self) -> anyhow::Result<Claim> {
        let file = self.open_lock()?;
        let deadline = Instant::now() + CLAIM_LONGEST;
        loop {
            match file.try_lock() {
                Ok(()) => {
                    // One that died may have left its address.
                    let _none_there = std::fs::remove_file(self.running_file());
                    return Ok(Claim { file });
                }
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {
                    // A subcommand is at work, or a server is about to end.
                    std::thread::sleep(Duration::from_millis(20));
                }
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(error)) => return Err(error).with_context(|| self.locking()),
            }
        }
        let holder = match self.running() {
            Some(running) => format!("process {}, which answers on http://{}", running.pid, running.http),
            None => "a subcommand, or one that is still starting".to_string(),
        };
        bail!(
            "another server ({holder}) holds the state folder {}; stop it, or choose another folder with --state-dir",
            self.path.display()
        );
    }

    /// Takes the folder for work on the stored state, beside others who do the same. `None`: a server holds it.
    pub fn claim_without_server(&self) -> anyhow::Result<Option<Claim>> {
        let file = self.open_lock()?;
        match file.try_lock_shared() {
            Ok(()) => Ok(Some(Claim { file })),
            Err(TryLockError::WouldBlock) => {
                self.compare_holder(&file)?;
                Ok(None)
            }
            Err(TryLockError::Error(error)) => Err(error).with_context(|| self.locking()),
        }
    }

    /// Whether a server holds the folder. Where there never was one, nothing is made to find that out.
    pub fn is_held(&self) -> anyhow::Result<bool> {
        Ok(self.lock_file().exists() && self.claim_without_server()?.is_none())
    }

    /// Refuses where somebody else holds the lock than the server that left its address: what listens there now may be
    /// anybody, and would be shown the admin token.
    fn compare_holder(&self, lock: &File) -> anyhow::Result<()> {
        let Some(running) = self.running() else { return Ok(()) };
        let holders = lock_holders(lock);
        // Where the system does not tell, or only a number of another namespace, the address counts as before.
        if holders.is_empty() || holders.contains(&0) || holders.contains(&running.pid) {
            return Ok(());
        }
        let holders = holders.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        bail!(
            "the state folder {} is locked by process {holders}, but the address in it is of process {}: no server \
             that could be asked. End that process, or wait until it has ended",
            self.path.display(),
            running.pid
        );
    }

    fn open_lock(&self) -> anyhow::Result<File> {
        let path = self.lock_file();
        let mut options = File::options();
        options.write(true).create(true).truncate(false);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path).with_context(|| self.locking())?;
        // Whoever can read it can lock it, and keep the server from starting. One of before may be open to all.
        close_to_others(&path);
        Ok(file)
    }

    fn locking(&self) -> String {
        format!("locking the state folder {}", self.path.display())
    }

    pub fn announce(&self, running: &Running) -> anyhow::Result<()> {
        write_private(&self.running_file(), &serde_json::to_string(running)?)
    }

    /// The server has ended.
    pub fn release(&self) {
        if self.running().is_some_and(|r| r.pid == std::process::id()) {
            // If it stays, the next start sees that the process is gone.
            let _best_effort = std::fs::remove_file(self.running_file());
        }
    }
}

/// Whether anybody but the owner may do something with it. False where that cannot be told.
fn is_open_to_others(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|about| about.permissions().mode() & 0o077 != 0)
    }
    #[cfg(not(unix))]
    false
}

/// Leaves a file to its owner alone. True where it was open to others before.
fn close_to_others(path: &Path) -> bool {
    let open = is_open_to_others(path);
    #[cfg(unix)]
    if open {
        use std::os::unix::fs::PermissionsExt;
        if let Err(error) = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)) {
            tracing::warn!(file = %path.display(), %error, "a private file could not be closed to others");
        }
    }
    open
}

/// The processes that hold a lock on this file, as far as the system tells; 0 for one of another namespace.
fn lock_holders(file: &File) -> Vec<u32> {
    #[cfg(target_os = "linux")]
    {
        use std::os::unix::fs::MetadataExt;
        let Ok(inode) = file.metadata().map(|about| about.ino()) else { return Vec::new() };
        let locks = std::fs::read_to_string("/proc/locks").unwrap_or_default();
        holders_in(&locks, inode)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Vec::new()
    }
}

/// Reads `/proc/locks`: `1: FLOCK  ADVISORY  WRITE 4321 fd:01:1234 0 EOF`; those that wait have `->` behind the number.
/// The device is not compared: an overlay tells another one here than there.
#[cfg(target_os = "linux")]
fn holders_in(locks: &str, inode: u64) -> Vec<u32> {
    let holder = |line: &str| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (kind, _mode, _access) = (words.next()?, words.next()?, words.next()?);
        let (pid, place) = (words.next()?, words.next()?);
        let of_file = place.rsplit(':').next()?.parse() == Ok(inode);
        (kind == "FLOCK" && of_file).then(|| pid.parse().ok()).flatten()
    };
    locks.lines().filter_map(holder).collect()
}

/// Writes a file that only its owner may read, so that nobody reads half of it.
fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    crate::files::write_whole(path, text.as_bytes()).with_context(|| format!("writing {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_is_made_once_and_only_its_owner_reads_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(&folder.path().join("state")).expect("opens");
        let token = state.admin_token().expect("made");
        assert_eq!(token.len(), 64);
        assert_eq!(state.admin_token().expect("read"), token);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(state.token_file()).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn a_folder_has_one_server_and_one_that_died_does_not_hold_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(folder.path()).expect("opens");
        let claim = state.claim().expect("it is free");
        let address: SocketAddr = "127.0.0.1:1".parse().expect("an address");
        state
            .announce(&Running {
                pid: std::process::id(),
                http: address,
                telnet: address,
                https: None,
                telnets: None,
                dreaming_dir: None,
            })
            .expect("written");
        let other = StateDir::open(folder.path()).expect("opens");
        let refusal = other.claim().err().expect("it is taken").to_string();
        let holder = format!("process {}", std::process::id());
        assert!(refusal.contains(&holder) && refusal.contains("--state-dir"), "{refusal}");
        assert!(other.claim_without_server().expect("it can be asked").is_none());
        drop(claim);
        let beside = (other.claim_without_server(), state.claim_without_server());
        assert!(matches!(beside, (Ok(Some(_)), Ok(Some(_)))), "subcommands work side by side");
        drop(beside);
        assert!(other.claim().is_ok(), "what the dead one left does not matter");
    }

    #[cfg(unix)]
    fn mode(path: &Path) -> u32 {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
    }

    #[cfg(unix)]
    #[test]
    fn what_is_made_is_closed_to_others_and_what_was_open_is_closed() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("deep").join("state");
        let state = StateDir::open(&path).expect("opens");
        drop(state.claim().expect("it is free"));
        assert_eq!((mode(&path), mode(&path.join("server.lock"))), (0o700, 0o600));
        state.admin_token().expect("made");
        for file in ["server.lock", "admin.token"] {
            let open = std::fs::Permissions::from_mode(0o644);
            std::fs::set_permissions(path.join(file), open).expect("it is ours");
        }
        drop(state.claim().expect("it is free"));
        state.admin_token().expect("read");
        assert_eq!((mode(&path.join("server.lock")), mode(&path.join("admin.token"))), (0o600, 0o600));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn whoever_locks_the_folder_without_being_its_server_is_not_asked() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(folder.path()).expect("opens");
        // This process holds the lock, and the address is of one that died.
        let claim = state.claim().expect("it is free");
        let address: SocketAddr = "127.0.0.1:1".parse().expect("an address");
        let dead =
            Running { pid: u32::MAX, http: address, telnet: address, https: None, telnets: None, dreaming_dir: None };
        state.announce(&dead).expect("written");
        let refusal = state.claim_without_server().err().expect("nobody is asked").to_string();
        assert!(refusal.contains(&format!("locked by process {}", std::process::id())), "{refusal}");
        state.announce(&Running { pid: std::process::id(), ..dead }).expect("written");
        assert!(state.claim_without_server().expect("it is the server").is_none());
        drop(claim);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_locks_on_the_file_itself_count() {
        let locks = "1: FLOCK  ADVISORY  WRITE 4321 fd:01:1234 0 EOF\n1: -> FLOCK  ADVISORY  WRITE 4322 fd:01:1234 0 EOF\n\
                     2: POSIX  ADVISORY  WRITE 4323 fd:01:1234 0 EOF\n3: FLOCK  ADVISORY  WRITE 4324 fd:01:12345 0 EOF\n";
        assert_eq!(holders_in(locks, 1234), [4321]);
    }
}
