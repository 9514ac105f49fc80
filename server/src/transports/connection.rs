//! What every connection does, by whatever transport: its limits, its login, the commands it sends and the secrets it
//! keeps back, the time it has, and how it comes into the world, over a restart and out of it.
//!
//! Bytes and frames are the transports', how things look is `encode`'s; waiting for either end is the transport's loop,
//! which calls `settle` after each step. Invariants: no command of a player reaches the engine but through `command`,
//! which has asked the limits and kept back what is secret; a connection that entered leaves, whatever ends it (`Visit`
//! sees to that where nothing else does).

use crate::accounts::{Credential, Login};
use crate::engine::CommandNote;
use crate::limits::{Bucket, COMMAND_BYTES_MAX, ConnectionRefusal, Presence, Purpose, Slot, WaitMs};
use crate::lobby::{Attendance, Attending, Lobby, Refusal, Visit, Visitor, account};
use crate::outbox::{Delivery, Outbox, Ready};
use crate::restart::Open;
use crate::session::NewCharacter;
use crate::store::canonical;
use protocol::variables::VariableSet;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::time::{Interval, MissedTickBehavior};
use world::commands::{Stripped, commands_in, strip_secret};
use world::report::LineKind;

/// How long the end of a connection may take, after its last word.
pub const FAREWELL: Duration = Duration::from_secs(2);

pub struct Connection {
    pub lobby: Arc<Lobby>,
    /// Of the caller; behind a trusted proxy, as that says.
    pub address: IpAddr,
    outbox: Arc<Outbox>,
    /// While it plays.
    visit: Option<Visit>,
    /// The entry in the registry of those whom a restart ends or hands over.
    open: Open,
    commands: Bucket,
    bytes: Bucket,
    /// The width of the client's window, where it told that, and what the world knows of it.
    columns: Option<u16>,
    columns_known: Option<u16>,
    /// Arguments of a secret verb, until the world says whether they may be used.
    secret: Option<String>,
    /// It has said so.
    password_is_due: bool,
    since_ms: u64,
    last_input_ms: u64,
    /// Its place among the connections; none while nobody is at the other end.
    slot: Option<Slot>,
    /// From where it plays, while it does.
    presence: Option<Presence>,
    /// Its line in the list of who plays.
    attendance: Option<Attendance>,
}

/// Why a command was not done.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandRefusal {
    /// It may come so much later.
    TooFast(WaitMs),
    TooLong,
    NotPlaying,
}

/// How far a caller is, and with that how long it may stay so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Standing {
    /// Says who it is.
    LogsIn,
    /// Makes a character.
    Creates,
    /// Is known: plays, or is about to.
    Known,
}

/// Which time is over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Timeout {
    Login,
    Idle,
}

/// What a connection leaves to the next program.
pub struct Remains {
    pub lobby: Arc<Lobby>,
    pub outbox: Arc<Outbox>,
    pub visit: Option<Visit>,
    /// To be dropped when the rest is given away: the registry waits for that.
    pub place: (Open, Option<Slot>),
}

impl Connection {
    /// `slot`: none where nobody is at the other end yet.
    pub fn new(lobby: Arc<Lobby>, address: IpAddr, slot: Option<Slot>) -> Connection {
        let outbox = Arc::new(Outbox::new(lobby.limits.outbound_max()));
        let now = lobby.now_ms();
        Connection {
            open: lobby.engine.restart.open(&outbox),
            outbox,
            address,
            visit: None,
            commands: lobby.limits.command_bucket(),
            bytes: lobby.limits.byte_bucket(),
            columns: None,
            columns_known: None,
            secret: None,
            password_is_due: false,
            since_ms: now,
            last_input_ms: now,
            slot,
            presence: None,
            attendance: None,
            lobby,
        }
    }

    pub fn is_playing(&self) -> bool {
        self.visit.is_some()
    }

    /// A proxy says for whom it calls: the connection is that caller's from now on, and counts as that.
    pub fn comes_from(&mut self, address: IpAddr) -> Result<(), ConnectionRefusal> {
        self.lobby.not_banned(address)?;
        if let Some(slot) = &mut self.slot {
            slot.become_for(address, Purpose::Play)?;
        }
        self.address = address;
        Ok(())
    }

    /// Its place is another's, or nobody's, from now on.
    pub fn give_place(&mut self) -> Option<Slot> {
        self.slot.take()
    }

    /// Somebody is at the other end who came by another connection.
    pub fn take_place(&mut self, slot: Option<Slot>, address: IpAddr) {
        self.slot = slot;
        if self.address != address {
            self.address = address;
            self.note_arrival();
        }
        self.heard();
    }

    /// The world hears that the connection broke, or is there again.
    pub fn link(&self, lost: bool) {
        if let Some(visit) = &self.visit {
            visit.link(lost);
        }
    }

    /// Something came that counts as a sign of the player. The time.
    pub fn heard(&mut self) -> u64 {
        self.last_input_ms = self.lobby.now_ms();
        if let Some(attendance) = &self.attendance {
            attendance.heard(self.last_input_ms);
        }
        self.last_input_ms
    }

    // The login.

    pub async fn login(&self, name: &str, credential: Credential) -> Result<Login, Refusal> {
        self.lobby.login(name, credential, self.address).await
    }

    pub async fn create(&self, new: &NewCharacter, agent: bool) -> Result<Login, Refusal> {
        self.lobby.create_and_log_in(new, agent, self.address).await
    }

    pub async fn enter(&mut self, visitor: Visitor<'_>) -> Result<(), Refusal> {
        self.visit = Some(self.lobby.enter(visitor, &self.outbox).await?);
        self.note_arrival();
        self.columns_known = None;
        Ok(())
    }

    /// Into the world again, for somebody whom the program before knew. `record`: of its session. `away`: its client
    /// broke off, and the world knows.
    pub async fn resume(&mut self, visitor: Visitor<'_>, record: Option<i64>, away: bool) -> Result<(), Refusal> {
        self.visit = Some(self.lobby.resume(visitor, &self.outbox, record, away).await?);
        self.note_arrival();
        self.columns_known = None;
        Ok(())
    }

    fn note_arrival(&mut self) {
        let arrived = self.visit.as_ref().map(|visit| self.lobby.bans.arrive(&canonical(&visit.name), self.address));
        self.presence = arrived;
        self.attendance = self.visit.as_ref().map(|visit| {
            self.lobby.roster.note(Attending {
                name: visit.name.clone(),
                transport: visit.transport,
                agent: visit.agent,
                address: self.address,
                since_ms: visit.since_ms,
                heard_ms: self.last_input_ms,
            })
        });
    }

    // What comes in.

    /// Whether a line of so many commands may come now. `bytes`: that it has on the wire, with what is noted with it.
    pub fn permit(&mut self, commands: u32, bytes: usize) -> Result<(), CommandRefusal> {
        let (now, bytes) = (self.last_input_ms, u32::try_from(bytes).unwrap_or(u32::MAX));
        let taken = self.commands.take_some(commands, now).and_then(|()| self.bytes.take_some(bytes, now));
        taken.map_err(|wait| {
            self.lobby.counts.commands_refused.inc();
            CommandRefusal::TooFast(wait)
        })
    }

    /// Has a command done. `bytes`: as for `permit`.
    pub fn command(&mut self, line: &str, bytes: usize, note: CommandNote) -> Result<(), CommandRefusal> {
        if self.visit.is_none() {
            return Err(CommandRefusal::NotPlaying);
        }
        if line.len() > COMMAND_BYTES_MAX {
            return Err(CommandRefusal::TooLong);
        }
        self.permit(commands_in(line), bytes)?;
        let Stripped { line, secret } = strip_secret(line);
        if let Some(args) = secret {
            // The arguments stay here; the world says whether they may be used.
            self.secret = Some(args.to_string());
        }
        self.post(line.to_string(), note);
        Ok(())
    }

    /// A command of the server's own, in the name of who plays: it counts for nothing.
    pub fn post(&mut self, line: String, note: CommandNote) {
        if let Some(Visit { who, session, .. }) = &self.visit {
            if self.columns != self.columns_known {
                self.columns_known = self.columns;
                self.lobby.engine.window(*who, *session, self.columns);
            }
            self.lobby.engine.command(*who, *session, line, note);
        }
    }

    /// The client's window is so wide now. The world is told with the next command: it asks for nothing before, and
    /// who drags a window costs nobody anything.
    pub fn resize(&mut self, columns: Option<u16>) {
        self.columns = columns;
    }

    /// The variables that are wanted. `full`: all of them are to be sent.
    pub fn subscribe(&self, set: VariableSet, full: bool) {
        self.outbox.set_subscribed(set);
        if let Some(Visit { who, session, .. }) = &self.visit {
            self.lobby.engine.subscribed(*who, *session, full);
        }
    }

    // What goes out.

    /// Returns when there may be something to take.
    pub fn ready(&self) -> Ready<'_> {
        self.outbox.ready()
    }

    /// Everything that waits to be sent, in order.
    pub fn take(&mut self) -> Delivery {
        let taken = self.outbox.take();
        self.password_is_due |= taken.password;
        taken
    }

    /// So many bytes of it were sent to a program.
    pub fn count_sent(&self, bytes: usize) {
        self.outbox.count_sent(bytes);
    }

    /// Does what the world has left to the edge. What comes of it is in the outbox then, and wakes the loop.
    pub async fn settle(&mut self) {
        if std::mem::take(&mut self.password_is_due) {
            Box::pin(self.change_password()).await;
        }
    }

    /// With what was kept back.
    async fn change_password(&mut self) {
        let args = self.secret.take().unwrap_or_default();
        let Some(visit) = &self.visit else { return };
        let answer = account::change_password(&self.lobby, &visit.name, &args, self.address).await;
        self.outbox.say(LineKind::Text, &answer);
    }

    /// In how many milliseconds this client should come again, where a restart ends its connection.
    pub fn retry_after_ms(&self) -> u64 {
        self.open.retry_after_ms()
    }

    // Time.

    /// Ticks when the connection is to be looked after: as often as `usual`, or more often where a time-out is shorter.
    pub fn look_after(&self, usual: Duration) -> Interval {
        let period = self.lobby.limits.look_after(usual);
        let mut interval = tokio::time::interval_at(tokio::time::Instant::now() + period, period);
        interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
        interval
    }

    /// Whether it has been as it is for too long.
    pub fn timeout(&self, standing: Standing) -> Option<Timeout> {
        let (now, limits) = (self.lobby.now_ms(), &self.lobby.limits);
        let over = |since: u64, limit: Option<u64>| limit.is_some_and(|limit| now.saturating_sub(since) > limit);
        match standing {
            // From connecting: what is said meanwhile lengthens nothing.
            Standing::LogsIn => over(self.since_ms, limits.login_ms()).then_some(Timeout::Login),
            Standing::Creates => over(self.since_ms, limits.creation_ms()).then_some(Timeout::Login),
            Standing::Known => over(self.last_input_ms, limits.idle_ms()).then_some(Timeout::Idle),
        }
    }

    // The end.

    pub async fn leave(&mut self) {
        self.attendance = None;
        if let Some(visit) = self.visit.take() {
            self.lobby.left(visit).await;
        }
    }

    /// Row of the record of the session, where it plays and the store took one.
    pub fn record(&self) -> Option<i64> {
        self.visit.as_ref().and_then(Visit::record)
    }

    /// Its session goes on in the next program. For when the engine has stopped.
    pub fn leave_behind(&mut self) {
        self.attendance = None;
        if let Some(visit) = self.visit.take() {
            visit.hand_over();
        }
    }

    /// Leaves everything to the next program. For when the engine has stopped.
    pub fn hand_over(self) -> Remains {
        let Connection { lobby, outbox, visit, open, slot, .. } = self;
        Remains { lobby, outbox, visit, place: (open, slot) }
    }
}

/// How a write went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Written {
    Whole,
    /// The peer is gone.
    Gone,
    /// The reader took too long.
    TooSlow,
}

/// Waits for a write, as long as a reader may take; `None` is for ever.
pub async fn write_within<E>(
    patience: Option<Duration>,
    address: IpAddr,
    write: impl Future<Output = Result<(), E>>,
) -> Written {
    let written = match patience {
        Some(longest) => tokio::time::timeout(longest, write).await,
        None => Ok(write.await),
    };
    match written {
        Ok(Ok(())) => Written::Whole,
        Ok(Err(_)) => Written::Gone,
        Err(_) => {
            tracing::info!(%address, "closed a slow reader");
            Written::TooSlow
        }
    }
}
