//! A host's connection: it is told of its owner's agents, and claims those that it is to play.
//!
//! The frames are the WebSocket's to write; who holds what is in `hosts`, what agents there are in the world.
//! Invariant: what is told at first is all, what is told later is what differs, so a host that reads everything knows
//! everything.

use crate::accounts::HostLogin;
use crate::hosts::{HostId, Parting};
use crate::lobby::Lobby;
use crate::times::unix_ms;
use protocol::ErrorCode;
use protocol::frame::ServerFrame;
use protocol::host::{AgentState, Agents, Claimed, Hosted};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};
use world::World;
use world::agents::AgentState as State;

/// News of agents are gathered for so long, so that a crowd that comes in costs each host one look.
const GATHER: Duration = Duration::from_millis(100);
/// An agent wakes at a tick, of which there is no other news.
const LOOK_AGAIN: Duration = Duration::from_secs(2);

pub struct HostSession {
    lobby: Arc<Lobby>,
    id: HostId,
    owner: String,
    key_id: i64,
    /// As the host was told last.
    told: BTreeMap<u32, Hosted>,
    news: watch::Receiver<()>,
    looked: Instant,
    parting: Parting,
}

/// Nothing more is to be told.
pub struct Revoked;

impl HostSession {
    pub fn open(lobby: Arc<Lobby>, login: HostLogin, instance: Option<String>) -> HostSession {
        let id = lobby.hosts.open(login.key_id, instance, lobby.now_ms());
        let news = lobby.engine.agents_stirred();
        tracing::info!(owner = %login.owner, key = login.key_id, "a host came in");
        HostSession {
            id,
            owner: login.owner,
            key_id: login.key_id,
            told: BTreeMap::new(),
            news,
            looked: Instant::now(),
            parting: Parting::Broken,
            lobby,
        }
    }

    /// All agents of the owner.
    pub fn all(&mut self) -> ServerFrame {
        let now = self.look();
        let agents = now.values().cloned().collect();
        self.told = now;
        ServerFrame::Agents(Agents { full: true, agents, removed: Vec::new() })
    }

    /// Returns when there may be news. Cancelling it loses none.
    pub async fn stirred(&mut self) {
        let (news, looked) = (&mut self.news, self.looked);
        let stirred = async {
            // The engine lives as long as the lobby.
            if news.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
            news.mark_changed();
            sleep_until(looked + GATHER).await;
        };
        tokio::select! {
            () = stirred => {}
            () = sleep_until(looked + LOOK_AGAIN) => {}
        }
    }

    /// What differs from what was told, if anything does.
    pub fn changes(&mut self) -> Result<Option<ServerFrame>, Revoked> {
        self.news.mark_unchanged();
        if !self.lobby.hosts.is_open(self.id) {
            return Err(Revoked);
        }
        let now = self.look();
        let differs = |(id, hosted): &(&u32, &Hosted)| self.told.get(id).is_none_or(|told| !looks_alike(told, hosted));
        let agents: Vec<Hosted> = now.iter().filter(differs).map(|(_, hosted)| hosted.clone()).collect();
        let removed: Vec<u32> = self.told.keys().filter(|id| !now.contains_key(id)).copied().collect();
        self.told = now;
        let nothing = agents.is_empty() && removed.is_empty();
        Ok((!nothing).then_some(ServerFrame::Agents(Agents { full: false, agents, removed })))
    }

    /// The answer to a claim.
    pub async fn claim(&self, agent: u32) -> ServerFrame {
        let known = self.lobby.engine.with_world(|world| {
            let owner = owner_of(world, &self.owner);
            let record = world.state.agents.get(agent).filter(|record| owner.is_some() && record.owner == owner)?;
            let name = world.state.channels.person(agent)?.name.clone();
            Some((name, world.agent_state(agent)?, record.retired))
        });
        let Some((name, state, retired)) = known else {
            return ServerFrame::error(ErrorCode::NoAgent, format!("{} has no agent {agent}.", self.owner));
        };
        if retired {
            return ServerFrame::error(ErrorCode::Retired, format!("Agent {agent} is retired: it plays no more."));
        }
        if state != State::Away && !self.lobby.hosts.holds(self.id, agent) {
            let message = format!("A client plays agent {agent} already. Claim it when it is dormant.");
            return ServerFrame::error(ErrorCode::InUse, message);
        }
        if let Err(held) = self.lobby.hosts.claim(self.id, agent, self.lobby.now_ms()) {
            let wait_s = held.wait_ms.div_ceil(1_000);
            let message = match held.lives {
                true => {
                    format!("Another host holds agent {agent}. Claim it when that has ended; ask again in {wait_s} s.")
                }
                false => format!("Another host held agent {agent} until a moment ago. Claim it again in {wait_s} s."),
            };
            return ServerFrame::not_yet(ErrorCode::Held, message, held.wait_ms);
        }
        match self.lobby.accounts.claim_token(&name, self.key_id, unix_ms()).await {
            Ok(Some(token)) => ServerFrame::Claimed(Claimed { id: agent, name, token: token.token }),
            Ok(None) => {
                self.lobby.hosts.release(self.id, agent);
                ServerFrame::error(ErrorCode::NoAgent, format!("Agent {agent} has no account to log in to any more."))
            }
            Err(error) => {
                self.lobby.hosts.release(self.id, agent);
                tracing::error!(%error, agent, "no token could be issued for a claim");
                let message = "The accounts cannot be reached just now. Try again in a minute.";
                ServerFrame::error(ErrorCode::Internal, message)
            }
        }
    }

    /// The host says goodbye.
    pub fn leaves_in_order(&mut self) {
        self.parting = Parting::InOrder;
    }

    fn look(&mut self) -> BTreeMap<u32, Hosted> {
        self.looked = Instant::now();
        self.lobby.engine.with_world(|world| {
            let Some(owner) = owner_of(world, &self.owner) else { return BTreeMap::new() };
            let agents = world.state.agents.iter().filter(|(_, record)| record.owner == Some(owner));
            agents.filter_map(|(id, _)| Some((id, hosted(world, id)?))).collect()
        })
    }
}

impl Drop for HostSession {
    fn drop(&mut self) {
        self.lobby.hosts.close(self.id, self.parting, self.lobby.now_ms());
        // Others may be waiting for what it held.
        self.lobby.engine.stir_agents();
    }
}

/// The person of an account, once it was in the world.
fn owner_of(world: &World, name: &str) -> Option<u32> {
    world.state.channels.named(name)
}

fn hosted(world: &World, id: u32) -> Option<Hosted> {
    let state = match world.agent_state(id)? {
        State::Away => AgentState::Dormant,
        State::Here => AgentState::Running,
        State::Asleep => AgentState::Asleep,
        State::Retired => AgentState::Retired,
    };
    Some(Hosted { record: world.agent_view(id)?, state })
}

/// But for the interval, which drifts all the time: an agent's own client is told of it.
fn looks_alike(one: &Hosted, other: &Hosted) -> bool {
    let mut drifted = other.clone();
    drifted.record.think_ds = one.record.think_ds;
    *one == drifted
}
