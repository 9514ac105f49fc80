//! `dp-agent` as a program: with settings of its own in a folder of its own, ended by its handle.

use super::server::{built, gather};
use super::{PATIENCE, Server, root};
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// Somebody's settings, and the folder that holds them.
pub struct Player {
    pub folder: TempDir,
    pub settings: Value,
}

/// What a run came to.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// A run that goes on.
pub struct Playing {
    child: Child,
    out: Arc<Mutex<String>>,
    err: Arc<Mutex<String>>,
}

fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        built("dp-agent", &["protocol", "mind", "dreaming", "dream-folder", "memory-lab/src", "agent-cli/src"])
    })
}

impl Player {
    /// For a server at that address, without a key.
    pub fn at(address: SocketAddr) -> Player {
        // Without a terminal notes are details.
        let settings = json!({
            "game_host": address.ip().to_string(), "game_port": address.port(), "log_level": "debug",
        });
        Player { folder: tempfile::tempdir().expect("a folder"), settings }
    }

    /// With a key for a character of that name.
    pub async fn of(server: &Server, name: &str) -> Player {
        let mut player = Player::at(server.http);
        player.settings["key"] = json!(server.key(name).await);
        player.settings["player_name"] = json!(name);
        player
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes the settings anew, for runs that begin later.
    pub fn save(&self) {
        std::fs::write(self.path("agent.json"), self.settings.to_string()).expect("written");
    }

    fn command(&self, words: &[&str]) -> Command {
        let config = self.path("agent.json");
        if !config.exists() {
            self.save();
        }
        let mut command = Command::new(program());
        command.current_dir(root()).args(words).env("DP_CONFIG", config);
        for name in ["DP_KEY", "DP_LLM_KEY", "DP_ADMIN_TOKEN"] {
            command.env_remove(name);
        }
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    pub fn start(&self, words: &[&str]) -> Playing {
        Playing::begin(&mut self.command(words))
    }

    /// Runs to its end.
    pub fn run(&self, words: &[&str]) -> Ended {
        self.start(words).ended(PATIENCE)
    }

    /// The same with a key in the environment.
    pub fn run_with_key(&self, key: &str, words: &[&str]) -> Ended {
        Playing::begin(self.command(words).env("DP_KEY", key)).ended(PATIENCE)
    }

    /// The session logs of a character, in order of time.
    pub fn log_files(&self, folder: &str, name: &str) -> Vec<PathBuf> {
        let folder = self.path(folder).join(name.to_ascii_lowercase());
        let mut files: Vec<PathBuf> =
            std::fs::read_dir(&folder).expect("there are logs").map(|entry| entry.expect("listed").path()).collect();
        files.retain(|path| agent_cli::session_log::is_log(path));
        files.sort();
        files
    }

    /// The headers and turns of all session logs of a character, in order of time.
    pub fn logged(&self, folder: &str, name: &str) -> Vec<Value> {
        let mut lines = self.rows(folder, name);
        lines.retain(|line| matches!(line["kind"].as_str(), Some("header" | "turn")));
        lines
    }

    /// All lines of all session logs of a character, in order of time.
    pub fn rows(&self, folder: &str, name: &str) -> Vec<Value> {
        let files = self.log_files(folder, name);
        let texts = files.iter().map(|path| std::fs::read_to_string(path).expect("read"));
        let lines = texts.flat_map(|text| text.lines().map(str::to_string).collect::<Vec<_>>());
        lines.map(|line| serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))).collect()
    }
}

impl Playing {
    fn begin(command: &mut Command) -> Playing {
        let mut child = command.spawn().expect("dp-agent starts");
        let (out, err) = (Arc::default(), Arc::default());
        gather(child.stdout.take().expect("it is piped"), Arc::clone(&out));
        gather(child.stderr.take().expect("it is piped"), Arc::clone(&err));
        Playing { child, out, err }
    }

    pub fn said(&self) -> String {
        self.err.lock().expect("nobody panicked with it").clone()
    }

    /// Standard output so far.
    pub fn printed(&self) -> String {
        self.out.lock().expect("nobody panicked with it").clone()
    }

    /// Waits until standard error holds this.
    pub async fn until_said(&self, what: &str) {
        self.until(what, Playing::said).await;
    }

    /// Waits until standard output holds this.
    pub async fn until_printed(&self, what: &str) {
        self.until(what, Playing::printed).await;
    }

    async fn until(&self, what: &str, text: impl Fn(&Playing) -> String) {
        let deadline = Instant::now() + PATIENCE;
        while !text(self).contains(what) {
            assert!(Instant::now() < deadline, "there is no {what:?} but:\n{}", text(self));
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args([&format!("-{name}"), &pid]).status().expect("there is a kill");
        assert!(told.success());
    }

    pub fn ended(mut self, patience: Duration) -> Ended {
        let deadline = Instant::now() + patience;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            assert!(Instant::now() < deadline, "dp-agent does not end; it said:\n{}", self.said());
            std::thread::sleep(Duration::from_millis(10));
        };
        // The rest of what it wrote may still be on its way through the pipe.
        std::thread::sleep(Duration::from_millis(50));
        let text = |of: &Arc<Mutex<String>>| of.lock().expect("nobody panicked with it").clone();
        Ended { code: status.code(), out: text(&self.out), err: text(&self.err) }
    }
}

impl Drop for Playing {
    fn drop(&mut self) {
        if matches!(self.child.try_wait(), Ok(None)) {
            // It may have ended by itself since.
            let _killed = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}
