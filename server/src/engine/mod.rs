//! The engine: the one owner of the world. It takes messages from sessions, applies them in one order, and hands each
//! reader what that reader may know.
//!
//! There is no world thread. Whoever posts a message and finds the core free applies what waits, its own message
//! among the rest; whoever finds it busy leaves its message to the one at work. So a lone player is answered without a
//! change of thread, a crowd is served in batches, and nobody ever waits for a lock.
//! Invariants: messages are applied in the order of the mailbox, where a tick comes first. A message in the mailbox is
//! always somebody's to apply: the one at work looks again after it has let go of the core.

mod attending;
mod core;
mod message;
mod notables;
mod readers;
mod schedule;
mod sessions;
mod stats;
mod ticker;

pub use message::SessionId;
pub use message::{
    AdminAnswer, AdminCall, Answer, CommandNote, Entered, Entry, Freshness, Message, Question, Reads, Wants,
};
pub use notables::{Deed, Notable, Notables};
pub use schedule::Schedule;
pub use stats::Stats;

use self::core::Core;
use self::sessions::Sessions;
use crate::archive::Archive;
use crate::capture::{Capture, Writer};
use crate::exports::Exports;
use crate::journal::{Gauges, LiveJournal, Snapshot};
use crate::minds::Minds;
use crate::outbox::{Close, Outbox};
use crate::restart::{Restart, RestartRequest};
use crate::saver::Saver;
use crate::times::{WallClock, unix_us};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tokio::sync::{Notify, mpsc, oneshot, watch};
use world::report::{HandDownRequest, Moderation, NameRequest};
use world::{CharacterId, World};

/// Messages that one go applies before it wakes the readers. A batch of looks takes about half a millisecond.
const BATCH_MAX: usize = 128;
/// Batches that one caller applies before it hands the rest to a task of its own, so that its own session is not kept
/// from its reader.
const BATCHES_MAX: usize = 4;
/// Times that what a batch caused is released, where that panics. What is left then goes with the next batch.
const RELEASES_MAX: usize = 8;
/// How long what other sessions' commands caused may wait for company.
const RIDE_ALONG: Duration = Duration::from_millis(40);

/// Shared by all sessions.
pub struct Engine {
    core: Mutex<Core>,
    mailbox: Mutex<VecDeque<Message>>,
    /// Whose the numbers in messages are.
    sessions: Arc<Sessions>,
    /// Outboxes whose lines may wait for company.
    lazy: Mutex<Vec<Arc<Outbox>>>,
    lazy_wake: Notify,
    pub stats: Stats,
    /// What watchers are told beside who is where.
    pub notables: Arc<Notables>,
    /// Who writes down what agents decide; for its counts.
    pub decisions: Arc<Writer>,
    /// The minds of the characters.
    pub minds: Arc<Minds>,
    /// How the journal goes; `None` where nothing is written down.
    pub journal: Option<Arc<Gauges>>,
    /// An agent was ordered in the game.
    ordered: Notify,
    shutdown: Notify,
    stopping: AtomicBool,
    pub restart: Arc<Restart>,
    /// Told when agents, or who plays them, may be otherwise than before.
    agents: watch::Sender<()>,
}

impl Engine {
    /// Without a journal nothing is written down: for experiments that need none, and to measure what it costs.
    pub fn new(
        world: World,
        saver: Arc<Saver>,
        minds: Arc<Minds>,
        capture: Capture,
        journal: Option<LiveJournal>,
        clock: WallClock,
    ) -> Arc<Engine> {
        let (stats, sessions) = (Stats::default(), Arc::new(Sessions::default()));
        stats.tick.store(world.tick(), Ordering::Relaxed);
        stats.number.store(world.state.number, Ordering::Relaxed);
        let decisions = capture.writer().clone();
        let gauges = journal.as_ref().map(|journal| journal.gauges.clone());
        let core = Core::new(sessions.clone(), world, saver, minds.clone(), capture, journal, clock);
        let notables = core.notables.clone();
        Arc::new(Engine {
            decisions,
            journal: gauges,
            core: Mutex::new(core),
            minds,
            mailbox: Mutex::new(VecDeque::new()),
            notables,
            sessions,
            lazy: Mutex::new(Vec::new()),
            lazy_wake: Notify::new(),
            stats,
            ordered: Notify::new(),
            shutdown: Notify::new(),
            stopping: AtomicBool::new(false),
            restart: Arc::default(),
            agents: watch::Sender::new(()),
        })
    }

    /// A session whose lines go into this outbox, until it is closed.
    pub fn open_session(&self, outbox: &Arc<Outbox>) -> SessionId {
        self.sessions.open(outbox)
    }

    /// A session that never came into the world.
    pub fn close_session(&self, session: SessionId) {
        self.sessions.close(session);
    }

    /// Posts a message; it has been applied, or somebody is at it, when this returns.
    fn post(self: &Arc<Self>, message: Message) {
        self.mailbox.lock().push_back(message);
        self.work();
    }

    /// Posts a question. The answer comes when the journal has what it caused; none where the engine has stopped.
    pub fn ask(self: &Arc<Self>, question: Question) -> oneshot::Receiver<Answer> {
        let (call, answer) = self.sessions.call();
        self.post(Message::Ask { call, question });
        answer
    }

    fn work(self: &Arc<Self>) {
        let mut batches = 0;
        loop {
            if self.mailbox.lock().is_empty() {
                return;
            }
            if batches == BATCHES_MAX {
                let engine = self.clone();
                tokio::spawn(async move { engine.work() });
                return;
            }
            let Some(mut core) = self.core.try_lock() else { return };
            let batch: Vec<Message> = {
                let mut mailbox = self.mailbox.lock();
                let count = mailbox.len().min(BATCH_MAX);
                mailbox.drain(..count).collect()
            };
            // A mistake of ours in one message must not cost the others theirs, nor the ticker its task.
            let deferred = self.unless_it_panics(&mut core, Core::begin_batch).unwrap_or_default();
            for message in deferred.into_iter().chain(batch) {
                if self.unless_it_panics(&mut core, |core| core.apply(message, &self.stats)).is_none() {
                    tracing::error!(input = core.world().state.number, "an input was given up half-way");
                    self.stats.inputs_given_up.fetch_add(1, Ordering::Relaxed);
                }
            }
            let lazy = self.finish_batch(&mut core);
            if core.take_agent_ordered() {
                self.ordered.notify_one();
            }
            if core.take_shutdown() {
                self.request_shutdown();
            }
            if core.take_stirred() {
                self.stir_agents();
            }
            for name in core.take_restarts() {
                self.restart.ask(RestartRequest::Immortal(name));
            }
            drop(core);
            if !lazy.is_empty() {
                self.lazy.lock().extend(lazy);
                self.lazy_wake.notify_one();
            }
            batches += 1;
        }
    }

    /// Releases what a batch caused. Where a mistake of ours ends that half-way, the rest is released once more; what
    /// caused the panic is not tried again.
    fn finish_batch(&self, core: &mut Core) -> Vec<Arc<Outbox>> {
        for _ in 0..RELEASES_MAX {
            if let Some(lazy) = self.unless_it_panics(core, Core::finish_batch) {
                return lazy;
            }
            tracing::error!(input = core.world().state.number, "what a batch caused was given up half-way");
            self.stats.releases_given_up.fetch_add(1, Ordering::Relaxed);
        }
        Vec::new()
    }

    /// Runs a part of the core that may hold a mistake of ours. `None`: it panicked; the hook has written where.
    fn unless_it_panics<T>(&self, core: &mut Core, work: impl FnOnce(&mut Core) -> T) -> Option<T> {
        let result = std::panic::catch_unwind(AssertUnwindSafe(|| work(core)));
        if result.is_err() {
            core.given_up();
        }
        result.ok()
    }

    /// Wakes the readers of what rode along. Runs as a task until the server ends.
    pub async fn flush_lazily(self: Arc<Self>) {
        loop {
            self.lazy_wake.notified().await;
            tokio::time::sleep(RIDE_ALONG).await;
            let outboxes = std::mem::take(&mut *self.lazy.lock());
            for outbox in outboxes {
                outbox.wake_lazy();
            }
        }
    }

    /// Ticks every `interval` until the future is dropped.
    pub async fn tick_steadily(self: Arc<Self>, interval: Duration) {
        self.stats.schedule.begin(interval);
        ticker::each(interval, move || self.post_tick()).await;
    }

    /// A tick comes before the commands that wait: in a crowd there are always some.
    fn post_tick(self: &Arc<Self>) {
        self.mailbox.lock().push_front(Message::Tick);
        self.work();
    }

    /// Steps the world `count` times, and tells the tick that it then is at.
    pub async fn step(self: &Arc<Self>, count: u64) -> Option<u64> {
        let mut answer = None;
        for n in 0..count {
            answer = match self.ask(Question::Step).await {
                Ok(Answer::Stepped(tick)) => Some(tick),
                _ => None,
            };
            // Others have a turn between the steps of a long run.
            if n % 64 == 63 {
                tokio::task::yield_now().await;
            }
        }
        answer.or_else(|| Some(self.stats.tick.load(Ordering::Relaxed)))
    }

    pub async fn enter(self: &Arc<Self>, entry: Entry) -> Option<Entered> {
        match self.ask(Question::Enter(Box::new(entry))).await {
            Ok(Answer::Entered(entered)) => Some(entered),
            _ => None,
        }
    }

    pub async fn admin(self: &Arc<Self>, call: AdminCall) -> Option<AdminAnswer> {
        match self.ask(Question::Admin(call)).await {
            Ok(Answer::Admin(answer)) => Some(answer),
            _ => None,
        }
    }

    /// `note`: what the client says of it besides.
    pub fn command(self: &Arc<Self>, who: CharacterId, session: SessionId, line: String, note: CommandNote) {
        self.stats.commands.fetch_add(1, Ordering::Relaxed);
        let CommandNote { id, meta } = note;
        self.post(Message::Command { who, session, line, id, meta, came_us: unix_us() });
    }

    /// The client's window is so wide now.
    pub fn window(self: &Arc<Self>, who: CharacterId, session: SessionId, columns: Option<u16>) {
        self.post(Message::Window { who, session, columns });
    }

    /// The connection is gone.
    pub fn lost(self: &Arc<Self>, who: CharacterId, session: SessionId) {
        self.post(Message::Lost { who, session });
        self.sessions.close(session);
    }

    /// The connection broke, or is there again; the session goes on.
    pub fn link(self: &Arc<Self>, who: CharacterId, session: SessionId, lost: bool, agent: bool) {
        self.post(Message::Link { who, session, lost, agent });
    }

    /// The session's set of variables changed. `full`: everything is to be sent.
    pub fn subscribed(self: &Arc<Self>, who: CharacterId, session: SessionId, full: bool) {
        self.post(Message::Subscribed { who, session, full });
    }

    /// The session has a record in the database, with this id.
    pub fn recorded(self: &Arc<Self>, who: CharacterId, session: SessionId, record: i64) {
        self.post(Message::Recorded { who, session, record });
    }

    /// A word of the server's own to one player, if it is in the world.
    pub fn tell(self: &Arc<Self>, name: String, text: String) {
        self.post(Message::Tell { name, text });
    }

    /// Told when agents, or who plays them, may be otherwise than before.
    pub fn agents_stirred(&self) -> watch::Receiver<()> {
        self.agents.subscribe()
    }

    /// Whoever looks after agents is to look again.
    pub fn stir_agents(&self) {
        self.agents.send_replace(());
    }

    /// Messages that wait for the core.
    pub fn waiting(&self) -> usize {
        self.mailbox.lock().len()
    }

    pub fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }

    pub fn request_shutdown(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.shutdown.notify_waiters();
        self.shutdown.notify_one();
    }

    /// Waits until an agent was ordered since the last time.
    pub async fn agent_ordered(&self) {
        self.ordered.notified().await;
    }

    /// Waits until somebody asked the server to end.
    pub async fn shutdown_requested(&self) {
        while !self.stopping.load(Ordering::SeqCst) {
            self.shutdown.notified().await;
        }
    }

    /// Saves everybody and closes all connections, for this reason. After this nothing is applied any more.
    pub async fn stop(self: &Arc<Self>, close: Close) {
        // No answer means that the core has stopped already.
        let _stopped = self.ask(Question::Stop(close)).await;
    }

    /// The world is told what the clock of this machine says. At a start, before `unlink`, which writes it down.
    pub fn tell_start(&self, tick_ms: u32, agents_per_owner: u32) {
        self.core.lock().tell_start(tick_ms, agents_per_owner);
    }

    /// Whoever the last server had connected is link-dead now, but for those whose connections live on. Before
    /// anything is listened on.
    pub fn unlink(&self, but: &dyn Fn(&str) -> bool) {
        let lazy = self.core.lock().unlink(but);
        self.lazy.lock().extend(lazy);
        self.lazy_wake.notify_one();
    }

    /// The world as it is between two inputs, for a backup. `None` where there is no journal or the server stops.
    pub async fn snapshot(self: &Arc<Self>) -> Option<Snapshot> {
        match self.ask(Question::Snapshot).await {
            Ok(Answer::Snapshot(snapshot)) => *snapshot,
            _ => None,
        }
    }

    /// After `stop`: the last snapshot is on disk when this returns.
    pub async fn finish_journal(self: &Arc<Self>) -> std::io::Result<()> {
        let engine = self.clone();
        tokio::task::spawn_blocking(move || engine.core.lock().finish()).await.map_err(std::io::Error::other)?
    }

    /// From now on persons, channels and messages are kept there.
    pub fn keep_in(&self, archive: Arc<Archive>) {
        self.core.lock().archive = Some(archive);
    }

    /// From now on names that are asked for are looked for there.
    pub fn ask_for_names(&self, names: mpsc::UnboundedSender<NameRequest>) {
        self.core.lock().names = Some(names);
    }

    /// From now on what players hand down is found there.
    pub fn hand_down_by(&self, heirs: mpsc::UnboundedSender<HandDownRequest>) {
        self.core.lock().heirs = Some(heirs);
    }

    /// From now on what those want who keep order is done there.
    pub fn moderate_by(&self, moderator: mpsc::UnboundedSender<Moderation>) {
        self.core.lock().moderator = Some(moderator);
    }

    /// From now on whoever asks for scripts to be read again is named there.
    pub fn ask_for_scripts(&self, reader: mpsc::UnboundedSender<String>) {
        self.core.lock().script_reader = Some(reader);
    }

    /// From now on these are told of those who leave the world.
    pub fn export_to(&self, exports: Arc<Exports>) {
        self.core.lock().exports = Some(exports);
    }

    /// Looks at the world from outside the game, for pages and the operator. Waits for the core.
    pub fn with_world<T>(self: &Arc<Self>, look: impl FnOnce(&World) -> T) -> T {
        let seen = look(self.core.lock().world());
        // Whoever posted meanwhile found the core taken and left its message to us.
        self.work();
        seen
    }
}

#[cfg(test)]
mod tests;
