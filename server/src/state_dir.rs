//! The state folder: the admin token, the address of the running server, the default database.

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};

pub struct StateDir {
    path: PathBuf,
}

/// `server.json`: where the server that holds this folder can be reached.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Running {
    pub pid: u32,
    pub http: SocketAddr,
    pub telnet: SocketAddr,
}

impl StateDir {
    /// Opens the folder, making it if it is missing.
    pub fn open(path: &Path) -> anyhow::Result<StateDir> {
        std::fs::create_dir_all(path).with_context(|| {
            format!("making the state folder {}; choose one that can be written to with --state-dir", path.display())
        })?;
        Ok(StateDir { path: path.to_path_buf() })
    }

    /// The embedded database, unless `--db` names another.
    pub fn default_database(&self) -> String {
        format!("sqlite:{}", self.path.join("darkpawns.sqlite").display())
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
            Ok(token) if !token.trim().is_empty() => return Ok(token.trim().to_string()),
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

    /// Takes the folder for this process. Refuses while another process that lives says the same.
    pub fn claim(&self) -> anyhow::Result<()> {
        if let Some(running) = self.running()
            && running.pid != std::process::id()
            && process_lives(running.pid)
        {
            bail!(
                "another server (process {}) holds the state folder {} and answers on http://{}; stop it, or choose \
                 another folder with --state-dir",
                running.pid,
                self.path.display(),
                running.http
            );
        }
        Ok(())
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

/// Writes a file that only its owner may read, beside and renamed, so that nobody reads half of it.
fn write_private(path: &Path, text: &str) -> anyhow::Result<()> {
    let beside = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().with_context(|| format!("writing {}", path.display()))
}

/// Whether a process of that number exists and is not this one's leftover.
fn process_lives(pid: u32) -> bool {
    let Ok(cmdline) = std::fs::read(format!("/proc/{pid}/cmdline")) else { return false };
    // The number may have been used again by another program.
    String::from_utf8_lossy(&cmdline).contains("dp-server")
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
    fn a_server_that_died_does_not_hold_its_folder() {
        let folder = tempfile::tempdir().expect("a folder");
        let state = StateDir::open(folder.path()).expect("opens");
        let address: SocketAddr = "127.0.0.1:1".parse().expect("an address");
        state.announce(&Running { pid: u32::MAX - 1, http: address, telnet: address }).expect("written");
        state.claim().expect("the process is gone");
    }
}
