//! A server in a process of its own that may be killed at any moment, also before it is ready.
//!
//! Invariant: it ends with its value, whatever became of who started it.

use crate::e2e::{gather, program, root};
use anyhow::{Context, bail};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// A start replays at most some seconds of play; the machine may be busy.
const READY_LONGEST: Duration = Duration::from_secs(60);
const END_LONGEST: Duration = Duration::from_secs(30);

pub struct Process {
    child: Child,
    ready: mpsc::Receiver<String>,
    doors: Option<Doors>,
    log: Arc<Mutex<String>>,
}

/// Where a server that is ready can be reached.
#[derive(Clone, Copy, Debug)]
pub struct Doors {
    pub http: SocketAddr,
    pub telnet: SocketAddr,
    /// Only where it was started with a certificate and `--https`.
    pub https: Option<SocketAddr>,
}

/// What is common to all servers of a run. Limits are those of the program itself, unless `more` says otherwise.
pub struct Start<'s> {
    pub world: &'s Path,
    pub state: &'s Path,
    pub seed: u64,
    pub tick_ms: u64,
    pub database: Option<&'s str>,
    pub more: &'s [String],
}

impl Process {
    pub fn start(start: &Start) -> anyhow::Result<Process> {
        let mut command = Command::new(program());
        command.current_dir(root()).arg("run").arg("--world").arg(start.world).arg("--state-dir").arg(start.state);
        command.arg("--sessions-dir").arg(start.state.join("sessions"));
        command.args(["--http", "127.0.0.1:0", "--telnet", "127.0.0.1:0"]);
        command.args(["--seed", &start.seed.to_string(), "--tick-ms", &start.tick_ms.to_string()]);
        if let Some(database) = start.database {
            command.args(["--db", database]);
        }
        command.args(start.more);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().context("starting the server")?;
        let log = Arc::new(Mutex::new(String::new()));
        gather(child.stderr.take().context("its log is piped")?, log.clone());
        let out = BufReader::new(child.stdout.take().context("its output is piped")?);
        let (told, ready) = mpsc::channel();
        std::thread::spawn(move || {
            for line in out.lines().map_while(Result::ok) {
                // Nobody listens any more after the first.
                let _unheard = told.send(line);
            }
        });
        Ok(Process { child, ready, doors: None, log })
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }

    pub fn log(&self) -> String {
        self.log.lock().map(|log| log.clone()).unwrap_or_default()
    }

    /// Waits until its doors are open.
    pub fn doors(&mut self) -> anyhow::Result<Doors> {
        if let Some(doors) = self.doors {
            return Ok(doors);
        }
        let Ok(line) = self.ready.recv_timeout(READY_LONGEST) else {
            // Its last words may still be on their way.
            std::thread::sleep(Duration::from_millis(200));
            bail!("the server does not start; it said:\n{}", self.log());
        };
        let told = |mark: &str| {
            let word = line.split_whitespace().find_map(|word| word.strip_prefix(mark));
            word.and_then(|word| word.parse().ok())
        };
        let address = |mark: &str| told(mark).with_context(|| format!("no {mark} in {line:?}"));
        let doors = Doors { http: address("http=")?, telnet: address("telnet=")?, https: told("https=") };
        self.doors = Some(doors);
        Ok(doors)
    }

    fn signal(&self, name: &str) -> anyhow::Result<()> {
        let told = Command::new("kill").args([&format!("-{name}"), &self.child.id().to_string()]).status()?;
        anyhow::ensure!(told.success(), "the server could not be sent SIG{name}");
        Ok(())
    }

    /// SIGUSR2: it is to restart.
    pub fn restart(&self) -> anyhow::Result<()> {
        self.signal("USR2")
    }

    /// Waits until it has come up for the second time. Where it was too busy to restart it is asked again, as an
    /// operator would.
    pub async fn restarted(&self) -> anyhow::Result<()> {
        let deadline = Instant::now() + READY_LONGEST;
        let mut asked = 1;
        loop {
            let log = self.log();
            if log.matches("the world is up").count() >= 2 {
                return Ok(());
            }
            anyhow::ensure!(Instant::now() < deadline, "the server does not restart; it said:\n{log}");
            if log.matches("no restart: ").count() == asked {
                asked += 1;
                self.restart()?;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    /// SIGKILL.
    pub fn kill(mut self) -> anyhow::Result<String> {
        self.child.kill().context("killing the server")?;
        self.child.wait().context("waiting for the server")?;
        Ok(self.log())
    }

    /// SIGTERM, and the end that it leads to. With `patience`, SIGKILL where it has not ended by then; `None` then.
    pub fn terminate(mut self, patience: Option<Duration>) -> anyhow::Result<(Option<ExitStatus>, String)> {
        self.signal("TERM")?;
        let deadline = Instant::now() + patience.unwrap_or(END_LONGEST);
        while Instant::now() < deadline {
            if let Some(status) = self.child.try_wait()? {
                return Ok((Some(status), self.log()));
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        anyhow::ensure!(patience.is_some(), "the server does not end; it said:\n{}", self.log());
        Ok((None, self.kill()?))
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            // It is ours, and nobody needs what it would still do.
            let _gone = self.child.kill();
            let _reaped = self.child.wait();
        }
    }
}
