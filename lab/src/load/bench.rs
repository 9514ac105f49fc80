//! What the sessions of a run know and share, and what is counted of each.

use super::histogram::Histogram;
use super::mix::Mix;
use super::places::{Opponent, Place};
use super::telnet::ClientOptions;
use std::cell::{Cell, RefCell};
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU8, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, watch};

/// What the whole run is doing; each comes after the one before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
#[repr(u8)]
pub enum Phase {
    Login,
    WarmUp,
    Measure,
    /// Nothing is sent any more; what is under way is read.
    Grace,
    End,
}

/// Which variables agents subscribe to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Subscription {
    None,
    Loop,
    All,
}

/// What all sessions of a run know.
pub struct LoadPlan {
    pub http: SocketAddr,
    pub telnet: SocketAddr,
    /// Between two commands of one session; `None`: the next follows the answer at once.
    pub period: Option<Duration>,
    /// What is typed.
    pub mix: &'static Mix,
    /// Only speech, for counting.
    pub only_say: bool,
    /// The other end only echoes: no login, and anything is an answer.
    pub echo: bool,
    pub subscription: Subscription,
    /// What people's clients agree to.
    pub client: ClientOptions,
    pub seed: u64,
    pub phase: AtomicU8,
    /// The stretch of the measured time that it is now: who drives a run with several (calm, siege, afterwards) has the
    /// figures of each.
    pub stage: AtomicUsize,
    /// Agents whose FIGHTING is true.
    pub fights: AtomicI64,
    pub opponents: Vec<Opponent>,
    /// Turns to log in.
    pub turns: Arc<Semaphore>,
}

/// Logins at a time.
pub const TURNS: usize = 32;

/// Who a session is.
pub struct Part {
    pub number: usize,
    pub agent: bool,
    pub fighter: bool,
    pub name: String,
    pub key: String,
    pub place: Option<Place>,
    /// The address that it calls from, where the system's choice will not do: limits by address take each such session
    /// for a household of its own. All of 127.0.0.0/8 is this machine.
    pub from: Option<Ipv4Addr>,
}

/// What sessions of one thread share.
pub struct Bench {
    pub run: Arc<LoadPlan>,
    pub phase: watch::Receiver<Phase>,
    /// By stage.
    pub stages: RefCell<Vec<Stage>>,
    pub scratch: RefCell<Vec<u8>>,
    /// Logged in; the receiver counts.
    pub ready: mpsc::UnboundedSender<()>,
    /// Somebody wants to stand in a room.
    pub place: mpsc::UnboundedSender<Placing>,
}

/// Somebody is to be put into a room. Who logs in holds its turn until that is done, so that few stand where newcomers
/// arrive.
pub struct Placing {
    pub name: String,
    pub room: i32,
    pub turn: Option<OwnedSemaphorePermit>,
}

/// Bytes read at a time.
const READ_BYTES: usize = 64 * 1024;

impl Bench {
    pub fn new(
        run: Arc<LoadPlan>,
        phase: watch::Receiver<Phase>,
        ready: mpsc::UnboundedSender<()>,
        place: mpsc::UnboundedSender<Placing>,
    ) -> Bench {
        let scratch = RefCell::new(vec![0; READ_BYTES]);
        Bench { run, phase, stages: RefCell::default(), scratch, ready, place }
    }

    /// The stage that it is, or `None` while nothing is measured.
    pub fn stage_now(&self) -> Option<usize> {
        self.is_in(Phase::Measure).then(|| self.run.stage.load(Ordering::Relaxed))
    }

    /// Changes what was counted in one stage.
    pub fn count(&self, stage: usize, change: impl FnOnce(&mut Stage)) {
        let mut stages = self.stages.borrow_mut();
        if stages.len() <= stage {
            stages.resize_with(stage + 1, Stage::default);
        }
        change(&mut stages[stage]);
    }

    pub fn is_in(&self, phase: Phase) -> bool {
        self.run.phase.load(Ordering::Relaxed) == phase as u8
    }

    pub fn may_send(&self) -> bool {
        self.run.phase.load(Ordering::Relaxed) <= Phase::Measure as u8
    }
}

/// What all sessions of a thread counted in one stage.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Commands that were due by the clock; none in closed loop.
    pub due: u64,
    /// Of these, those that were typed: who waits for an answer types nothing else. Each is one of `latencies`, or has
    /// no answer.
    pub typed: u64,
    /// Of those commands that were due in this stage, from then to the answer.
    pub latencies: Histogram,
}

impl Stage {
    pub fn add(&mut self, other: &Stage) {
        self.due += other.due;
        self.typed += other.typed;
        self.latencies.add(&other.latencies);
    }
}

/// What one session counted.
#[derive(Debug, Default)]
pub struct Tally {
    /// Commands answered while it was measured.
    pub done: Cell<u64>,
    /// Speech sent and heard, in the whole run.
    pub spoken: Cell<u64>,
    pub heard: Cell<u64>,
    /// Frames whose `seq` was not the next one.
    pub gaps: Cell<u64>,
    pub errors: Cell<u64>,
    pub bytes: Cell<u64>,
    /// What it typed last and what it read, for sessions that never got an answer.
    pub last: RefCell<String>,
    /// The answer to its last speech that was none.
    pub unsaid: RefCell<Option<String>>,
    /// Why it ended before its time.
    pub failed: RefCell<Option<String>>,
}

/// Adds to a count of a tally.
pub fn add(cell: &Cell<u64>, count: u64) {
    cell.set(cell.get() + count);
}
