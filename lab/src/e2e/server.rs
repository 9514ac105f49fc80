//! The server's process.

use super::{Agent, Answer, PATIENCE, Telnet, http, root};
use serde_json::Value;
use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::{Arc, Mutex, OnceLock, mpsc};
use std::time::{Duration, Instant, SystemTime};
use tempfile::TempDir;

/// How long a server may take to end: it waits 20 s for a database that takes nothing.
const STOP_LONGEST: Duration = Duration::from_secs(40);

/// How a server is started. The defaults: the project's own world, no ticks by itself, a fixed seed, SQLite, and no
/// limits on the rate of commands and logins.
pub struct Options {
    pub world: PathBuf,
    pub tick_ms: u64,
    /// Of an earlier server; otherwise a fresh one.
    pub state: Option<Arc<TempDir>>,
    /// The folder that it is started in, with no flags but those of its state folder, its listeners and `more`: as an
    /// operator does who follows a page. Otherwise the project's.
    pub plainly_in: Option<PathBuf>,
    pub more: Vec<String>,
    /// Variables of its environment, besides ours.
    pub environment: Vec<(&'static str, String)>,
    /// Another copy of the program.
    pub program: Option<PathBuf>,
    /// Nobody reads its log, nor its standard output after the first line.
    pub unread: bool,
}

impl Default for Options {
    fn default() -> Options {
        let world = root().join("data/world");
        Options {
            world,
            tick_ms: 0,
            state: None,
            plainly_in: None,
            more: Vec::new(),
            environment: Vec::new(),
            program: None,
            unread: false,
        }
    }
}

impl Options {
    /// With these words on the command line besides; they win.
    pub fn with(words: &[&str]) -> Options {
        Options { more: words.iter().map(|word| word.to_string()).collect(), ..Options::default() }
    }

    fn command(&self, state: &Path) -> Command {
        let mut command = Command::new(self.program.as_deref().unwrap_or_else(|| program()));
        if let Some(folder) = &self.plainly_in {
            command.current_dir(folder).arg("run").arg("--state-dir").arg(state);
            command.args(["--http", "127.0.0.1:0", "--telnet", "127.0.0.1:0"]).args(&self.more);
            command.envs(self.environment.iter().map(|(name, value)| (name, value)));
            return command;
        }
        command.current_dir(root()).arg("run");
        command.arg("--world").arg(&self.world).arg("--state-dir").arg(state);
        if !self.more.iter().any(|word| word == "--sessions-dir") {
            command.arg("--sessions-dir").arg(state.join("sessions"));
        }
        command.args(["--tick-ms", &self.tick_ms.to_string()]);
        for (flag, value) in [
            ("--http", "127.0.0.1:0"),
            ("--dreaming-dir", &state.join("dreaming").display().to_string()),
            ("--telnet", "127.0.0.1:0"),
            ("--seed", "7"),
            ("--commands-per-second", "0"),
            ("--logins-per-second", "0"),
            // Whatever room there is on the disk of this machine.
            ("--capture-low-mb", "0"),
        ] {
            if !self.more.iter().any(|word| word == flag) {
                command.args([flag, value]);
            }
        }
        command.args(&self.more);
        command.envs(self.environment.iter().map(|(name, value)| (name, value)));
        command
    }
}

/// A running server. Ends with the value.
pub struct Server {
    child: Child,
    pub http: SocketAddr,
    pub telnet: SocketAddr,
    /// The line that told where the doors are.
    pub ready: String,
    pub state: Arc<TempDir>,
    pub token: String,
    log: Arc<Mutex<String>>,
}

impl Server {
    pub fn start() -> Server {
        Server::start_with(Options::default())
    }

    pub fn start_with(options: Options) -> Server {
        let state = options.state.clone().unwrap_or_else(|| Arc::new(tempfile::tempdir().expect("a folder")));
        let mut command = options.command(state.path());
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let log = Arc::new(Mutex::new(String::new()));
        let err = child.stderr.take().expect("it is piped");
        match options.unread {
            true => drop(err),
            false => drop(gather(err, log.clone())),
        }
        let (ready, is_ready) = mpsc::channel();
        let out = BufReader::new(child.stdout.take().expect("it is piped"));
        let read = if options.unread { 1 } else { usize::MAX };
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok).take(read) {
                // Nobody listens any more after the first.
                let _unheard = ready.send(line);
            }
        });
        let fail = |why: &str| -> ! {
            // Its last words may still be on their way.
            std::thread::sleep(Duration::from_millis(200));
            panic!("{why}; it said:\n{}", log.lock().expect("nobody panicked with it"))
        };
        let Ok(line) = is_ready.recv_timeout(PATIENCE) else { fail("the server is not ready") };
        let address = |mark: &str| -> SocketAddr {
            let word = line.split_whitespace().find_map(|word| word.strip_prefix(mark));
            word.and_then(|word| word.parse().ok()).unwrap_or_else(|| fail(&format!("no {mark} in {line:?}")))
        };
        assert!(line.starts_with("ready "), "{line:?}");
        let (http, telnet) = (address("http="), address("telnet="));
        let ready = line.clone();
        let token = std::fs::read_to_string(state.path().join("admin.token")).expect("the token was made");
        Server { child, http, telnet, ready, state, token: token.trim().to_string(), log }
    }

    /// A start that must fail: what it says.
    pub fn fails_to_start(options: Options) -> Run {
        let state = options.state.clone().unwrap_or_else(|| Arc::new(tempfile::tempdir().expect("a folder")));
        finish(options.command(state.path()), PATIENCE)
    }

    pub async fn get(&self, path: &str) -> Answer {
        http(self.http, "GET", path, None).await
    }

    /// A call of the admin API that must succeed.
    pub async fn admin(&self, method: &str, path: &str) -> Value {
        let answer = http(self.http, method, &format!("/admin/{path}"), Some(&self.token)).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// Steps the world; the tick that it is at then.
    pub async fn tick(&self, count: u64) -> u64 {
        self.admin("POST", &format!("tick?n={count}")).await["tick"].as_u64().expect("a number")
    }

    pub async fn place(&self, name: &str, room: i32) {
        self.admin("POST", &format!("place?name={name}&room={room}")).await;
    }

    pub async fn promote(&self, name: &str, level: i32) {
        self.admin("POST", &format!("promote?name={name}&level={level}")).await;
    }

    /// A key for a character, which is made if there is none.
    pub async fn key(&self, name: &str) -> String {
        self.admin("POST", &format!("keys?name={name}")).await["key"].as_str().expect("a key").to_string()
    }

    pub async fn dial(&self) -> Telnet {
        Telnet::connect(self.telnet).await
    }

    pub async fn connect(&self) -> Agent {
        Agent::connect(self.http).await
    }

    /// Somebody in the game by telnet, with a key for a password.
    pub async fn person(&self, name: &str) -> Telnet {
        let key = self.key(name).await;
        let mut person = self.dial().await;
        person.log_in(name, &key).await;
        person
    }

    /// The same, raised to a level of immortals.
    pub async fn immortal(&self, name: &str, level: i32) -> Telnet {
        let person = self.person(name).await;
        self.promote(name, level).await;
        person
    }

    /// An agent in the game, `state` and the first `vars` read.
    pub async fn agent(&self, name: &str) -> Agent {
        let key = self.key(name).await;
        let mut agent = self.connect().await;
        agent.log_in(name, &key).await;
        agent
    }

    /// Runs a subcommand on this server's state folder.
    pub fn command(&self, words: &[&str]) -> Run {
        let state = self.state.path().display().to_string();
        run(&[words, &["--state-dir", &state]].concat())
    }

    pub fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let told = Command::new("kill").args([&format!("-{name}"), &pid]).status().expect("there is a kill");
        assert!(told.success());
    }

    /// How often a world came up in this process.
    pub fn starts(&self) -> usize {
        self.log().matches("the world is up").count()
    }

    /// Waits until a world came up for the `count`th time.
    pub async fn started(&self, count: usize) {
        let deadline = Instant::now() + PATIENCE;
        while self.starts() < count {
            assert!(Instant::now() < deadline, "no start number {count}; it said:\n{}", self.log());
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Restarts into the program on disk, and waits until it is up.
    pub async fn copyover(&self) {
        let before = self.starts();
        self.admin("POST", "copyover").await;
        self.started(before + 1).await;
    }

    /// Asks the process to end, and waits until it has.
    pub fn stop(mut self) -> Stopped {
        self.signal("TERM");
        let deadline = Instant::now() + STOP_LONGEST;
        let status = loop {
            if let Some(status) = self.child.try_wait().expect("it is our child") {
                break status;
            }
            assert!(Instant::now() < deadline, "the server does not end; it said:\n{}", self.log());
            std::thread::sleep(Duration::from_millis(10));
        };
        Stopped { code: status.code(), log: self.log(), state: self.state.clone() }
    }

    /// Ends it without a chance to save.
    pub fn kill(mut self) -> Arc<TempDir> {
        self.child.kill().expect("it is our child");
        self.child.wait().expect("it is our child");
        self.state.clone()
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// What the process has open as soon as that stays the same for a while: after a start the pools of the database
    /// still fill. Files by their paths, sockets by their numbers.
    pub async fn settled_descriptors(&self) -> Vec<String> {
        const WHILE: Duration = Duration::from_millis(500);
        let deadline = Instant::now() + PATIENCE;
        let mut before = self.descriptors();
        loop {
            tokio::time::sleep(WHILE).await;
            let now = self.descriptors();
            if now == before {
                return now;
            }
            assert!(Instant::now() < deadline, "what is open never settles: {before:#?} and then {now:#?}");
            before = now;
        }
    }

    fn descriptors(&self) -> Vec<String> {
        let folder = std::fs::read_dir(format!("/proc/{}/fd", self.child.id())).expect("it runs");
        // One may be closed between being listed and being read.
        let targets = folder.filter_map(|entry| std::fs::read_link(entry.expect("it is listed").path()).ok());
        let mut targets: Vec<_> = targets.map(|target| target.display().to_string()).collect();
        targets.sort();
        targets
    }

    pub fn log(&self) -> String {
        self.log.lock().expect("nobody panicked with it").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // It is ours, and nobody needs what it would still do.
            let _gone = self.child.kill();
            let _reaped = self.child.wait();
        }
        if std::thread::panicking() {
            eprintln!("the server of this test said:\n{}", self.log());
        }
    }
}

/// A server that was asked to end.
pub struct Stopped {
    pub code: Option<i32>,
    pub log: String,
    pub state: Arc<TempDir>,
}

/// What a program that ended said.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

/// Runs `dp-server` with these words to its end.
pub fn run(words: &[&str]) -> Run {
    run_with_time(words, PATIENCE)
}

/// The same with these variables in its environment.
pub fn run_in(words: &[&str], environment: &[(&'static str, String)]) -> Run {
    let mut command = Command::new(program());
    command.current_dir(root()).args(words).envs(environment.iter().map(|(name, value)| (name, value)));
    finish(command, PATIENCE)
}

pub fn run_with_time(words: &[&str], longest: Duration) -> Run {
    let mut command = Command::new(program());
    command.current_dir(root()).args(words);
    finish(command, longest)
}

fn finish(mut command: Command, longest: Duration) -> Run {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the program starts");
    let (out, err) = (Arc::new(Mutex::new(String::new())), Arc::new(Mutex::new(String::new())));
    let readers = [
        gather(child.stdout.take().expect("it is piped"), out.clone()),
        gather(child.stderr.take().expect("it is piped"), err.clone()),
    ];
    let deadline = Instant::now() + longest;
    let status = loop {
        if let Some(status) = child.try_wait().expect("it is our child") {
            break Some(status);
        }
        if Instant::now() > deadline {
            child.kill().expect("it is our child");
            child.wait().expect("it is our child");
            break None;
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    for reader in readers {
        reader.join().expect("a reader does not panic");
    }
    let text = |shared: &Mutex<String>| shared.lock().expect("nobody panicked with it").clone();
    let run = Run { code: status.and_then(|status| status.code()), out: text(&out), err: text(&err) };
    assert!(status.is_some(), "{command:?} does not end; it said:\n{}{}", run.out, run.err);
    run
}

pub(crate) fn gather(from: impl Read + Send + 'static, into: Arc<Mutex<String>>) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        for line in BufReader::new(from).split(b'\n').map_while(Result::ok) {
            let mut text = into.lock().expect("nobody panicked with it");
            text.push_str(&String::from_utf8_lossy(&line));
            text.push('\n');
        }
    })
}

/// When the newest file of a folder was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    let times = entries.map(|entry| match entry.file_type() {
        Ok(kind) if kind.is_dir() => newest(&entry.path()),
        _ => entry.metadata().and_then(|file| file.modified()).ok(),
    });
    times.max().flatten()
}

/// The server's binary, beside the test's own. `cargo test --workspace` makes it; it is built here when `cargo test -p
/// tests` alone left it missing or old.
pub fn program() -> &'static Path {
    static PROGRAM: OnceLock<PathBuf> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        built(
            "dp-server",
            &[
                "protocol",
                "content",
                "world",
                "mind",
                "dreaming",
                "dream-folder",
                "server/src",
                "migrations",
                "data/rules",
            ],
        )
    })
}

/// A program of the workspace, as new as the sources that it is made of.
pub(crate) fn built(name: &str, sources: &[&str]) -> PathBuf {
    let test = std::env::current_exe().expect("a test has a path");
    let folder = test.parent().expect("cargo puts programs into a profile's folder");
    // target/debug/deps/all-0123 → target/debug, and so target/debug/torture
    let profile = if folder.ends_with("deps") { folder.parent().expect("the profile's folder") } else { folder };
    let program = profile.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let made = std::fs::metadata(&program).and_then(|file| file.modified()).ok();
    if made < sources.iter().map(|part| newest(&root().join(part))).max().flatten() {
        let mut build = Command::new(env!("CARGO"));
        // Build scripts ask for some of what cargo tells a test of its package: they would run again, and half of what
        // depends on them would be built anew, now and at the next `cargo test`.
        for (name, _) in std::env::vars_os() {
            if name.to_str().is_some_and(|name| name.starts_with("CARGO_MANIFEST_") || name.starts_with("CARGO_PKG_")) {
                build.env_remove(name);
            }
        }
        // Of the whole workspace, so that it shares what `cargo test --workspace` made.
        build.current_dir(root()).args(["build", "--workspace", "--bin", name, "--target-dir"]);
        build.arg(profile.parent().expect("the target folder"));
        if profile.ends_with("release") {
            build.arg("--release");
        } else {
            // With what tests depend on, for the same reason: their dependencies switch on features of ours.
            build.args(["--test", "all"]);
        }
        let Output { status, stderr, .. } = build.output().expect("cargo runs");
        assert!(status.success(), "{}", String::from_utf8_lossy(&stderr));
    }
    program
}
