//! Hot restart ("copyover"): the program on disk takes over under the same process number, and people who came by plain
//! telnet keep their connections.
//!
//! The way of it: somebody asks (`Restart::ask`, or SIGUSR2); the program on disk is tried beside the running one
//! (`preflight`), and where it is no good nothing happens but that who asked is told; the engine stops after the input
//! in hand; everybody is saved; each telnet session deposits itself (`Restart::deposit`); the descriptors of their
//! sockets, of the listeners and of the lock on the state folder go into a socket that becomes the standard input
//! of the next program (`descriptors`), together with what is known of each (`handover`); and the process becomes the
//! new program (`Program::become_next`), which takes all of it up again (`Inherited`).
//!
//! Invariants: from the outside there is one server all the time; its listeners and its lock are never free. What is
//! handed over is never in a file, so nothing stale can be found after a crash; passwords are not in it at all. A
//! connection is in the registry from its acceptance to its end or its deposit.

#[cfg(target_os = "linux")]
mod descriptors;
mod handover;
mod preflight;
mod signals;

pub use handover::{Handover, Inherited, Person, Playing, Use};
pub use preflight::{Fitness, Unfit};
pub use signals::{Signals, keep_waiting, listen};

use crate::accounts::Login;
use crate::client_info::ClientInfo;
use crate::encode::Kept;
use crate::outbox::{Close, Outbox};
use anyhow::Context;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::net::{IpAddr, TcpStream};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot};

/// How long connections may take to write what waits and to deposit themselves or to end.
pub const GATHER_LONGEST: Duration = Duration::from_millis(1_500);
/// How long one reader may take for what waits for it.
pub const LAST_WORDS: Duration = Duration::from_secs(1);
/// When those whose connection is not kept should come again: the soonest, and how far they are spread.
const RETRY_SOONEST_MS: u64 = 1_000;
const RETRY_SPREAD_MS: u64 = 2_000;

/// Who wants the restart, and how they hear that it does not come.
pub enum RestartRequest {
    /// An immortal, by name.
    Immortal(String),
    /// The admin API; it is told as soon as the restart is certain, too.
    Operator(oneshot::Sender<Result<(), String>>),
    /// SIGUSR2; the log is the answer.
    Signal,
}

/// One for the whole server: who asked, and which connections are open.
pub struct Restart {
    asking: mpsc::UnboundedSender<RestartRequest>,
    asked: tokio::sync::Mutex<mpsc::UnboundedReceiver<RestartRequest>>,
    connections: Mutex<Connections>,
    /// Told whenever a connection ends or deposits itself.
    fewer: Notify,
}

#[derive(Default)]
struct Connections {
    open: BTreeMap<u64, Arc<Outbox>>,
    next: u64,
    /// Set once; whoever comes later is closed for the same reason.
    closing: Option<Close>,
    deposits: Vec<Deposit>,
    streams: Vec<StreamLeft>,
    stream_bytes: usize,
}

/// A stream of frames that goes on in the next program, where its client finds it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StreamLeft {
    pub id: String,
    /// Whose character it is, and whether a program plays it.
    pub login: Login,
    pub agent: bool,
    pub client: ClientInfo,
    /// From where the client came.
    pub address: IpAddr,
    /// Digest and expiry of the token that the client has.
    pub token: Option<(String, i64)>,
    /// Row of the session record, which goes on.
    pub record: Option<i64>,
    /// The client broke off, and the world knows.
    pub away: bool,
    /// The highest id of a command that was taken.
    pub last_command: u64,
    /// The variables that are sent, by name.
    pub variables: Vec<String>,
    pub kept: Kept,
}

impl StreamLeft {
    /// Whether it is of the character of this name.
    pub fn plays(&self, name: &str) -> bool {
        self.login.name.eq_ignore_ascii_case(name)
    }
}

/// Of the frames of one stream, and of all.
pub const STREAM_BYTES_MAX: usize = 64 << 10;
const STREAMS_BYTES_MAX: usize = 16 << 20;

/// A telnet connection that waits for the next program.
pub struct Deposit {
    pub stream: TcpStream,
    pub person: Person,
    /// Holds the lines that came too late for the engine.
    pub outbox: Arc<Outbox>,
}

impl Default for Restart {
    fn default() -> Restart {
        let (asking, asked) = mpsc::unbounded_channel();
        Restart {
            asking,
            asked: tokio::sync::Mutex::new(asked),
            connections: Mutex::new(Connections::default()),
            fewer: Notify::new(),
        }
    }
}

impl Restart {
    pub fn ask(&self, asked: RestartRequest) {
        // The receiver lives beside the sender.
        let _heard = self.asking.send(asked);
    }

    /// The next who asks. For one waiter: the server's main task.
    pub async fn asked(&self) -> RestartRequest {
        match self.asked.lock().await.recv().await {
            Some(asked) => asked,
            None => std::future::pending().await,
        }
    }

    /// Notes a connection, so that it is told when the server ends or restarts. It counts until the value is dropped.
    pub fn open(self: &Arc<Self>, outbox: &Arc<Outbox>) -> Open {
        let mut connections = self.connections.lock();
        let number = connections.next;
        connections.next += 1;
        connections.open.insert(number, outbox.clone());
        let closing = connections.closing;
        drop(connections);
        if let Some(close) = closing {
            outbox.close(close);
        }
        Open { restart: self.clone(), number }
    }

    /// True from the moment on from which connections are handed over.
    pub fn is_under_way(&self) -> bool {
        self.connections.lock().closing == Some(Close::Restarting)
    }

    /// Closes every connection that is open, and whatever comes later. Outboxes that the engine has closed keep its
    /// reason.
    pub fn close_all(&self, close: Close) {
        let mut connections = self.connections.lock();
        connections.closing = Some(close);
        let open: Vec<Arc<Outbox>> = connections.open.values().cloned().collect();
        drop(connections);
        for outbox in open {
            outbox.close(close);
        }
    }

    /// Notes why connections end from now on, before the engine closes the first.
    pub fn begin(&self, close: Close) {
        self.connections.lock().closing = Some(close);
        // Whoever asks now, or asked and waits, hears at once that it is too late.
        if let Ok(mut asked) = self.asked.try_lock() {
            asked.close();
            while asked.try_recv().is_ok() {}
        }
    }

    pub fn deposit(&self, deposit: Deposit) {
        self.connections.lock().deposits.push(deposit);
    }

    /// Leaves a stream for the next program. False: there is no room for more.
    pub fn leave(&self, stream: StreamLeft) -> bool {
        let mut connections = self.connections.lock();
        let bytes = connections.stream_bytes + stream.kept.bytes();
        let has_room = bytes <= STREAMS_BYTES_MAX;
        if has_room {
            connections.stream_bytes = bytes;
            connections.streams.push(stream);
        }
        has_room
    }

    pub fn take_streams(&self) -> Vec<StreamLeft> {
        std::mem::take(&mut self.connections.lock().streams)
    }

    /// Waits until no connection is open any more, at most so long. How many still are.
    pub async fn all_ended(&self, longest: Duration) -> usize {
        let ended = async {
            loop {
                let fewer = self.fewer.notified();
                if self.connections.lock().open.is_empty() {
                    return;
                }
                // One that ended just before `fewer` was made is seen at the next look.
                let _either = tokio::time::timeout(Duration::from_millis(20), fewer).await;
            }
        };
        // What remains is counted below.
        let _in_time = tokio::time::timeout(longest, ended).await;
        self.connections.lock().open.len()
    }

    /// There is no next program after all: whoever was deposited is told.
    pub fn dismiss(&self) {
        for deposit in self.take_deposits() {
            handover::say_goodbye(&deposit.stream);
        }
    }

    /// What was deposited, in the order in which it came.
    pub fn take_deposits(&self) -> Vec<Deposit> {
        std::mem::take(&mut self.connections.lock().deposits)
    }
}

/// A connection's entry in the registry.
#[must_use = "dropping it says that the connection has ended"]
pub struct Open {
    restart: Arc<Restart>,
    number: u64,
}

impl Open {
    /// When this client should come again, if its connection cannot be kept: in milliseconds, each at another moment.
    pub fn retry_after_ms(&self) -> u64 {
        // A prime step, so that neighbours come far apart.
        RETRY_SOONEST_MS + self.number.wrapping_mul(709) % RETRY_SPREAD_MS
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        self.restart.connections.lock().open.remove(&self.number);
        self.restart.fewer.notify_waiters();
    }
}

/// How this process was started, to start the next program alike.
#[derive(Clone, Debug)]
pub struct Program {
    /// Read at the start: the file may be replaced later.
    path: PathBuf,
    name: OsString,
    args: Vec<OsString>,
}

impl Program {
    pub fn running() -> anyhow::Result<Program> {
        let mut words = std::env::args_os();
        let path = std::env::current_exe().context("asking where this program is")?;
        let name = words.next().unwrap_or_else(|| path.clone().into_os_string());
        Ok(Program { path, name, args: words.collect() })
    }

    /// Becomes the program on disk, under the same process number. Returns only where that fails.
    #[cfg(target_os = "linux")]
    pub fn become_next(&self, handover: Handover) -> anyhow::Error {
        use std::os::unix::process::CommandExt;
        let nonce = handover.nonce.clone();
        let inheritance = match handover.pack() {
            Ok(inheritance) => inheritance,
            Err(error) => return error.context("packing what the next program is to go on with"),
        };
        let error = std::process::Command::new(&self.path)
            .arg0(&self.name)
            .args(&self.args)
            .env(handover::VARIABLE, handover::variable(&nonce))
            .stdin(inheritance)
            .exec();
        anyhow::Error::from(error).context(format!("becoming {}", self.path.display()))
    }

    #[cfg(not(target_os = "linux"))]
    pub fn become_next(&self, _: Handover) -> anyhow::Error {
        anyhow::anyhow!("connections can be handed over on Linux only")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_opens_late_is_closed_for_the_same_reason() {
        let restart = Arc::new(Restart::default());
        let (early, late) = (Arc::new(Outbox::new(100)), Arc::new(Outbox::new(100)));
        let open = restart.open(&early);
        assert!(!restart.is_under_way());
        restart.begin(Close::Restarting);
        assert!(restart.is_under_way());
        assert_eq!(early.take().close, None, "the engine closes those in the game first");
        restart.close_all(Close::Restarting);
        let also_open = restart.open(&late);
        assert_eq!((early.take().close, late.take().close), (Some(Close::Restarting), Some(Close::Restarting)));
        drop((open, also_open));
    }

    #[test]
    fn callers_come_back_at_moments_of_their_own() {
        let restart = Arc::new(Restart::default());
        let outbox = Arc::new(Outbox::new(100));
        let open: Vec<Open> = (0..1_000).map(|_| restart.open(&outbox)).collect();
        let mut waits: Vec<u64> = open.iter().map(Open::retry_after_ms).collect();
        waits.sort_unstable();
        waits.dedup();
        assert_eq!(waits.len(), 1_000, "each another");
        assert!(waits[0] < 1_100 && waits[999] > 2_900 && waits[999] < 3_000, "{} to {}", waits[0], waits[999]);
    }

    #[tokio::test]
    async fn whoever_asks_too_late_hears_so() {
        let restart = Restart::default();
        let (answer, answered) = oneshot::channel();
        restart.ask(RestartRequest::Operator(answer));
        restart.begin(Close::Restarting);
        assert!(answered.await.is_err(), "it waited in vain");
        let (answer, answered) = oneshot::channel();
        restart.ask(RestartRequest::Operator(answer));
        assert!(answered.await.is_err(), "it came too late");
    }
}
