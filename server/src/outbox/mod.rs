//! What waits for one reader, and backpressure: the core puts in, the reader's session takes out.
//!
//! Lines keep their order. Variables are kept by their newest value only, so a slow reader skips intermediate states
//! and they cost no more than one set. The queue of lines is bounded by the session, which stops reading its client and
//! then closes (`Limits::outbound_bytes`), and at last by `HARD_FACTOR`. `line` is a line for any number of readers,
//! `broadcast` what a crowd reads out of one batch.

mod broadcast;
mod line;
mod value;

pub use broadcast::{Broadcast, EncodedLines, RUN_MIN, Run};
pub use line::{Happened, Shared};
pub use value::{Value, hash_of};

use parking_lot::Mutex;
use protocol::cause::Cause;
use protocol::frame::{Encoded, FrameKind};
use protocol::variables::{Variable, VariableSet};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, Waker};
use world::character::Colors;
use world::report::{Line, LineKind};

#[derive(Debug)]
pub enum Out {
    Line(Arc<Shared>),
    /// Several lines that others read too.
    Lines(Run),
    /// What happened, for agents, where no line tells it.
    Outcome(Arc<Happened>),
    /// Which command of the reader the very next entry follows from; only for who wants to know.
    Because(Cause),
    /// An encoded frame for programs; people never get one.
    Frame(Encoded),
    /// All subscribed variables, in place: right after `state`, or asked for.
    FullVars(Vec<(Variable, Value)>),
    /// What the connection knows of its client is to be shown here: the world does not know it.
    Client,
    /// The player may change its password now: nothing to read, but told to its connection (`Delivery::password`).
    Password,
}

/// When a session is told that something waits for it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Wake {
    No,
    /// With company, a little later.
    Lazy,
    Now,
}

/// Why a connection is closed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Close {
    Quit,
    Idle,
    Removed,
    TakenOver,
    /// The key that opened this session was revoked.
    Revoked,
    /// The agent was retired.
    Retired,
    Stopping,
    /// The server starts anew; a telnet connection is kept.
    Restarting,
    /// More waits than memory is meant for.
    Overflow,
}

/// What a person's prompt line is made of, and what else it set for its terminal.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prompt {
    pub text: String,
    /// `None`: none.
    pub colors: Option<Colors>,
    pub compact: bool,
    /// Nothing is sent to keep a silent line open.
    pub lets_line_sleep: bool,
    /// All that it reads is read aloud.
    pub aloud: bool,
    /// Nobody has ever said whether it wants that: its client may.
    pub asks_for_reader: bool,
}

#[derive(Debug, Default)]
struct Queue {
    items: VecDeque<Out>,
    bytes: usize,
    /// The newest value of each variable that was not taken yet.
    vars: Vec<(Variable, Value)>,
    prompt: Option<Prompt>,
    close: Option<Close>,
    password: bool,
    /// Lines of the client that came after the engine had stopped; the next program does them.
    unheard: Vec<String>,
    /// Something waits that may ride along.
    lazy: bool,
    /// The session was told that something waits, and has not taken it yet.
    told: bool,
    /// The session, while it waits for that.
    waker: Option<Waker>,
}

impl Queue {
    /// Notes that the session is to be woken; the waker is for after the lock.
    #[must_use]
    fn tell(&mut self) -> Option<Waker> {
        self.told = true;
        self.waker.take()
    }
}

/// What a session took.
#[derive(Debug, Default)]
pub struct Delivery {
    pub items: VecDeque<Out>,
    pub vars: Vec<(Variable, Value)>,
    pub prompt: Option<Prompt>,
    pub close: Option<Close>,
    /// The player may change its password now.
    pub password: bool,
}

#[derive(Debug, Default)]
pub struct Outbox {
    queue: Mutex<Queue>,
    subscribed: AtomicU64,
    /// Bytes of frames that were sent to a program.
    sent: AtomicU64,
    /// Bytes that may wait before everything is dropped and the reader with it.
    hard_limit: usize,
}

/// How much more than the soft limit may wait during the seconds that a slow reader has to catch up.
const HARD_FACTOR: usize = 4;

impl Outbox {
    pub fn new(soft_limit: usize) -> Outbox {
        Outbox { hard_limit: soft_limit.saturating_mul(HARD_FACTOR), ..Outbox::default() }
    }

    pub fn subscribed(&self) -> VariableSet {
        VariableSet(self.subscribed.load(Ordering::Relaxed))
    }

    /// Bytes of all frames that were sent.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    pub fn count_sent(&self, bytes: usize) {
        self.sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub fn set_subscribed(&self, set: VariableSet) {
        self.subscribed.store(set.0, Ordering::Relaxed);
    }

    /// Takes what a batch caused for this reader, all at once and in order, and has the session woken as it asks. True
    /// when the outbox has to be put on the list of those that may wait for company.
    pub fn release(
        &self,
        items: &mut Vec<Out>,
        vars: Vec<(Variable, Value)>,
        prompt: Option<Prompt>,
        wake: Wake,
    ) -> bool {
        let mut queue = self.queue.lock();
        let mut overflow = false;
        for out in items.drain(..) {
            if matches!(out, Out::Password) {
                queue.password = true;
                continue;
            }
            let size = out.size();
            if queue.close.is_some() {
                break;
            }
            if queue.bytes + size > self.hard_limit {
                queue.items.clear();
                queue.vars.clear();
                queue.close = Some(Close::Overflow);
                overflow = true;
                break;
            }
            queue.bytes += size;
            queue.items.push_back(out);
        }
        if queue.close.is_none() {
            for (variable, value) in vars {
                match queue.vars.iter_mut().find(|(v, _)| *v == variable) {
                    Some((_, old)) => *old = value,
                    None => queue.vars.push((variable, value)),
                }
            }
        }
        if prompt.is_some() {
            queue.prompt = prompt;
        }
        let (waker, lazy) = match wake {
            _ if overflow => (queue.tell(), false),
            Wake::Now => (queue.tell(), false),
            Wake::Lazy => (None, !std::mem::replace(&mut queue.lazy, true)),
            Wake::No => (None, false),
        };
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
        lazy
    }

    /// A word from the edge itself, which nothing in the world caused.
    pub fn say(&self, kind: LineKind, text: &str) {
        let line = Line { kind, text: text.to_string(), ..Line::default() };
        self.release(&mut vec![Out::line(line)], Vec::new(), None, Wake::Now);
    }

    /// No more will come; what waits is still delivered.
    pub fn close(&self, why: Close) {
        let mut queue = self.queue.lock();
        if queue.close.is_none() {
            queue.close = Some(why);
        }
        drop(queue);
        self.wake();
    }

    /// Keeps a line that came too late.
    pub fn give_back(&self, line: String) {
        self.queue.lock().unheard.push(line);
    }

    /// Lines that came too late, in order.
    pub fn take_unheard(&self) -> Vec<String> {
        std::mem::take(&mut self.queue.lock().unheard)
    }

    /// Wakes the session now.
    pub fn wake(&self) {
        let waker = self.queue.lock().tell();
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// The time of riding along is over; wakes the session if what was put has not been taken meanwhile.
    pub fn wake_lazy(&self) {
        let mut queue = self.queue.lock();
        queue.lazy = false;
        let waits = !queue.items.is_empty() || !queue.vars.is_empty();
        let waker = if waits { queue.tell() } else { None };
        drop(queue);
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Returns when there may be something to take. For one waiter at a time: the session.
    pub fn ready(&self) -> Ready<'_> {
        Ready { outbox: self }
    }

    /// Everything that waits, in order.
    pub fn take(&self) -> Delivery {
        let mut queue = self.queue.lock();
        queue.bytes = 0;
        // What the session took by itself, after its own command, needs no turn of its own.
        queue.told = false;
        Delivery {
            items: std::mem::take(&mut queue.items),
            vars: std::mem::take(&mut queue.vars),
            prompt: queue.prompt.take(),
            close: queue.close,
            password: std::mem::take(&mut queue.password),
        }
    }

    /// Bytes that wait, lines and frames; variables are not counted, since they cannot grow.
    pub fn bytes(&self) -> usize {
        self.queue.lock().bytes
    }
}

/// Waits until the session is told that something waits.
#[derive(Debug)]
pub struct Ready<'o> {
    outbox: &'o Outbox,
}

impl Future for Ready<'_> {
    type Output = ();

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<()> {
        let mut queue = self.outbox.queue.lock();
        if std::mem::take(&mut queue.told) {
            return Poll::Ready(());
        }
        match &mut queue.waker {
            Some(waker) => waker.clone_from(context.waker()),
            none => *none = Some(context.waker().clone()),
        }
        Poll::Pending
    }
}

impl Drop for Ready<'_> {
    /// While the session does something else, nobody needs to wake it: it looks again before it waits.
    fn drop(&mut self) {
        self.outbox.queue.lock().waker = None;
    }
}

impl Out {
    pub fn line(line: Line) -> Out {
        Out::Line(Arc::new(Shared::new(Arc::new(line))))
    }

    fn size(&self) -> usize {
        match self {
            Out::Line(shared) => shared.size(),
            Out::Lines(run) => run.size(),
            Out::Frame(frame) => frame.data.len(),
            Out::FullVars(values) => values.iter().map(|(_, v)| v.json().len() + 24).sum(),
            Out::Outcome(_) => 64,
            Out::Because(_) => 16,
            Out::Client => 512,
            Out::Password => 0,
        }
    }

    /// A frame of the server for a program.
    pub fn frame(kind: FrameKind, data: String) -> Out {
        Out::Frame(Encoded { kind, data: data.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Out {
        Out::line(Line { text: text.into(), ..Line::default() })
    }

    #[test]
    fn only_the_newest_value_of_a_variable_waits() {
        let outbox = Outbox::new(1_000);
        let first = vec![(Variable::Health, Value::from("10")), (Variable::Mana, Value::from("5"))];
        outbox.release(&mut Vec::new(), first, None, Wake::No);
        outbox.release(&mut Vec::new(), vec![(Variable::Health, Value::from("9"))], None, Wake::No);
        let taken = outbox.take();
        assert_eq!(taken.vars, vec![(Variable::Health, Value::from("9")), (Variable::Mana, Value::from("5"))]);
        assert!(outbox.take().vars.is_empty());
    }

    #[test]
    fn a_reader_far_behind_is_closed_and_costs_nothing_more() {
        let outbox = Outbox::new(100);
        for _ in 0..50 {
            outbox.release(&mut vec![line("a line of some length, again and again")], Vec::new(), None, Wake::No);
        }
        let taken = outbox.take();
        assert_eq!(taken.close, Some(Close::Overflow));
        assert!(taken.items.is_empty());
    }

    #[test]
    fn leave_to_change_the_password_is_told_once_and_is_nothing_to_read() {
        let outbox = Outbox::new(1_000);
        outbox.release(&mut vec![line("Hello."), Out::Password], Vec::new(), None, Wake::Now);
        let delivery = outbox.take();
        assert_eq!((delivery.items.len(), delivery.password), (1, true));
        assert!(!outbox.take().password);
    }

    #[test]
    fn whoever_took_what_waited_is_not_woken_for_it() {
        let outbox = Outbox::new(1_000);
        let mut context = Context::from_waker(Waker::noop());
        outbox.release(&mut vec![line("Hello.")], Vec::new(), None, Wake::Now);
        outbox.take();
        assert_eq!(Pin::new(&mut outbox.ready()).poll(&mut context), Poll::Pending);
        outbox.wake();
        assert_eq!(Pin::new(&mut outbox.ready()).poll(&mut context), Poll::Ready(()));
        assert_eq!(Pin::new(&mut outbox.ready()).poll(&mut context), Poll::Pending);
    }
}
