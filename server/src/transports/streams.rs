//! Streams of frames that outlive their sockets: who plays which, and how a new socket gets to where it plays.
//!
//! A stream belongs to one connection's task (`websocket`), which goes on without a socket for as long as its character
//! stays. Whoever logs in again hands its socket to that task. Leaves the frames to `encode::ring`, and when the world
//! hears of a break to the task. Invariant: a socket is in one place; whoever is refused has it back.

use super::program_login::Entrant;
use crate::limits::Slot;
use axum::extract::ws::WebSocket;
use parking_lot::Mutex;
use protocol::frame::Resume;
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};

/// Streams that go on without a socket; whose breaks when there are so many has left. Each may hold 128 KB.
const APART_MAX: usize = 1_024;
/// How long the task of a stream may take to look at who comes.
const ANSWER_LONGEST: Duration = Duration::from_secs(5);

/// All of a server.
#[derive(Default)]
pub struct Streams {
    open: Mutex<BTreeMap<String, Owner>>,
    apart: AtomicUsize,
}

struct Owner {
    /// Whose character it is, and whether a program plays it.
    name: String,
    agent: bool,
    door: mpsc::Sender<Caller>,
}

/// A socket on its way to a stream, with its place among the connections.
pub struct Arrival {
    pub socket: WebSocket,
    pub slot: Option<Slot>,
    pub address: IpAddr,
}

/// Somebody who wants to go on with a stream.
pub struct Caller {
    pub arrival: Arrival,
    /// The last frame that it has.
    pub after: u64,
    /// Tells it that it was taken, or gives back what it brought.
    pub answer: oneshot::Sender<Option<Arrival>>,
}

/// What became of who wanted to go on.
pub enum Resumption {
    /// The stream has the socket.
    Taken,
    /// It cannot go on there.
    Refused(Box<Arrival>),
    /// The stream ended meanwhile, and the socket with it.
    Lost,
}

impl Streams {
    /// A new one.
    pub fn open(self: &Arc<Self>, player: Entrant) -> Stream {
        let id = format!("{:016x}{:016x}", crate::random::random_u64(), crate::random::random_u64());
        self.go_on(id, player, 0)
    }

    /// One of the program before. `last_command`: the highest id of a command that was taken.
    pub fn go_on(self: &Arc<Self>, id: String, player: Entrant, last_command: u64) -> Stream {
        let (door, callers) = mpsc::channel(1);
        let owner = Owner { name: player.login.name.clone(), agent: player.agent, door };
        self.open.lock().insert(id.clone(), owner);
        Stream { id, player, streams: self.clone(), callers, waiting: None, last_command, is_apart: false }
    }

    /// Hands a socket to the stream that it wants to go on with.
    pub async fn resume(&self, resume: &Resume, name: &str, agent: bool, arrival: Arrival) -> Resumption {
        let door = {
            let open = self.open.lock();
            let own = open.get(&resume.stream).filter(|owner| owner.name == name && owner.agent == agent);
            own.map(|owner| owner.door.clone())
        };
        let Some(door) = door else { return Resumption::Refused(Box::new(arrival)) };
        let (answer, answered) = oneshot::channel();
        let caller = Caller { arrival, after: resume.seq, answer };
        match tokio::time::timeout(ANSWER_LONGEST, door.send(caller)).await {
            Ok(Ok(())) => {}
            Ok(Err(mpsc::error::SendError(caller))) => return Resumption::Refused(Box::new(caller.arrival)),
            Err(_) => return Resumption::Lost,
        }
        match tokio::time::timeout(ANSWER_LONGEST, answered).await {
            Ok(Ok(None)) => Resumption::Taken,
            Ok(Ok(Some(arrival))) => Resumption::Refused(Box::new(arrival)),
            Ok(Err(_)) | Err(_) => Resumption::Lost,
        }
    }
}

/// One stream, as its connection has it.
pub struct Stream {
    pub id: String,
    /// Whose it is.
    pub player: Entrant,
    streams: Arc<Streams>,
    callers: mpsc::Receiver<Caller>,
    /// Who came while something else was done.
    waiting: Option<Caller>,
    /// The highest id of a command that was taken.
    pub last_command: u64,
    is_apart: bool,
}

impl Stream {
    /// Whoever comes next. Lost if it is not awaited to the end: nobody.
    pub async fn caller(&mut self) -> Caller {
        if let Some(caller) = self.waiting.take() {
            return caller;
        }
        match self.callers.recv().await {
            Some(caller) => caller,
            // The table holds a sender as long as this lives.
            None => std::future::pending().await,
        }
    }

    /// Returns when somebody has come.
    pub async fn knocked(&mut self) {
        if self.waiting.is_none() {
            self.waiting = Some(self.caller().await);
        }
    }

    /// Whether a command of that id is new; it counts as taken by `took`.
    pub fn is_new(&self, id: Option<u64>) -> bool {
        id.is_none_or(|id| id > self.last_command)
    }

    pub fn took(&mut self, id: Option<u64>) {
        self.last_command = self.last_command.max(id.unwrap_or(0));
    }

    /// It goes on without a socket. False: too many do.
    pub fn part(&mut self) -> bool {
        if self.is_apart {
            return true;
        }
        let room = self
            .streams
            .apart
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |apart| (apart < APART_MAX).then_some(apart + 1));
        self.is_apart = room.is_ok();
        self.is_apart
    }

    /// It has a socket again.
    pub fn rejoin(&mut self) {
        if std::mem::take(&mut self.is_apart) {
            self.streams.apart.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.rejoin();
        self.streams.open.lock().remove(&self.id);
    }
}

/// Returns with whoever wants to go on with the stream; never where there is none.
pub async fn caller(stream: &mut Option<Box<Stream>>) -> Caller {
    match stream {
        Some(stream) => stream.caller().await,
        None => std::future::pending().await,
    }
}

/// Returns when somebody wants to go on with the stream; never where there is none.
pub async fn knocked(stream: &mut Option<Box<Stream>>) {
    match stream {
        Some(stream) => stream.knocked().await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::accounts::{Entrance, Login};
    use crate::client_info::ClientInfo;

    fn ann() -> Entrant {
        let login = Login {
            name: "ann".into(),
            display_name: "Ann".into(),
            entrance: Entrance::Password,
            created_at_ms: 0,
            last_here_at_ms: None,
            last_came_at_ms: None,
        };
        Entrant { login, agent: false, info: ClientInfo::default() }
    }

    #[test]
    fn only_so_many_go_on_without_a_socket() {
        let streams = Arc::new(Streams::default());
        let mut all: Vec<Stream> = (0..APART_MAX).map(|_| streams.open(ann())).collect();
        assert!(all.iter_mut().all(Stream::part));
        let mut one_more = streams.open(ann());
        assert!(!one_more.part());
        drop(all.pop());
        assert!(one_more.part() && one_more.part(), "it counts once");
        drop((all, one_more));
        assert_eq!((streams.apart.load(Ordering::Relaxed), streams.open.lock().len()), (0, 0));
    }

    #[test]
    fn a_command_counts_once_and_none_without_an_id_is_old() {
        let streams = Arc::new(Streams::default());
        let mut stream = streams.open(ann());
        assert!(stream.id.len() == 32 && stream.id.bytes().all(|digit| digit.is_ascii_hexdigit()));
        assert!(stream.is_new(None) && stream.is_new(Some(1)));
        stream.took(Some(3));
        stream.took(None);
        assert_eq!([Some(2), Some(3), Some(4), None].map(|id| stream.is_new(id)), [false, false, true, true]);
    }
}
