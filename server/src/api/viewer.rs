//! Who asks, and what that one may look at.
//!
//! Invariant: a token that is no good is refused, never taken for none.

use super::Api;
use super::error::{ApiError, Code};
use crate::auditing::{self, Origin};
use crate::bearer;
use crate::lobby::Lobby;
use crate::observatory::{Eye, Observatory, past_of};
use crate::store::canonical;
use crate::times::unix_ms;
use axum::http::HeaderMap;
use std::net::IpAddr;
use std::sync::Arc;
use world::character::MODERATOR_LEVEL;
use world::past::Past;
use world::record::CharacterRecord;

const NO_TOKEN: &str = "This call is for who is logged in: send `Authorization: Bearer` and a token, of `POST \
                        /api/v1/login` or of the frame `state`.";

/// In the extensions of every request: whose it is, behind a trusted proxy as that says.
#[derive(Clone, Copy, Debug)]
pub struct CallerAddress(pub IpAddr);

/// In the extensions of every request that is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Viewer {
    /// Anybody.
    Visitor,
    Player {
        /// Canonical.
        name: String,
    },
    /// Has the admin token.
    Operator,
}

/// Finds out who asks. Everybody but the operator may ask so and so often.
pub(super) async fn viewer(api: &Api, address: Option<IpAddr>, head: &HeaderMap) -> Result<Viewer, ApiError> {
    let given = bearer::given(head);
    if given.is_some_and(|token| bearer::is_secret(token, &api.admin_token)) {
        return Ok(Viewer::Operator);
    }
    let lobby = &api.lobby;
    let Some(address) = address else {
        return Err(ApiError::bad_request("Nobody knows where this call comes from."));
    };
    lobby.addresses.may_ask(address, lobby.now_ms()).map_err(|wait| {
        let message = "Too many calls from your address. Wait a moment and try again.";
        ApiError::new(Code::RateLimited, message).wait_ms(wait.0)
    })?;
    let Some(token) = given else { return Ok(Viewer::Visitor) };
    let token = std::str::from_utf8(token).unwrap_or_default();
    match lobby.accounts.token_owner(token, unix_ms()).await? {
        Some(name) => Ok(Viewer::Player { name }),
        None => Err(ApiError::new(Code::BadToken, "This token has ended, or never was one. Log in again.")),
    }
}

impl Viewer {
    /// The character that asks about itself; canonical.
    pub fn own_name(&self) -> Result<&str, ApiError> {
        match self {
            Viewer::Player { name } => Ok(name),
            Viewer::Visitor => Err(ApiError::new(Code::LoginNeeded, NO_TOKEN)),
            Viewer::Operator => {
                Err(ApiError::bad_request("The admin token is no character's: this call needs a token of one."))
            }
        }
    }

    /// Whether an operator asks: by the admin token, or as an immortal of that level.
    pub async fn is_operator(&self, lobby: &Lobby) -> Result<bool, ApiError> {
        match self {
            Viewer::Operator => Ok(true),
            Viewer::Visitor => Ok(false),
            Viewer::Player { name } => is_operator(lobby, name).await,
        }
    }

    /// Whether it may look at somebody closely: at itself, at agents that are its own, and operators at everybody.
    pub async fn looks_closely_at(&self, lobby: &Lobby, other: &str) -> Result<bool, ApiError> {
        let name = match self {
            Viewer::Operator => return Ok(true),
            Viewer::Visitor => return Ok(false),
            Viewer::Player { name } => name,
        };
        let other = canonical(other);
        let is_owner = || {
            lobby.engine.with_world(|world| {
                let people = &world.state.channels;
                let (own, other) = (people.named(name), people.named(&other));
                own.is_some() && other.is_some_and(|other| world.owner_of(other) == own)
            })
        };
        Ok(*name == other || is_owner() || is_operator(lobby, name).await?)
    }
}

/// How somebody may look at a mind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Look {
    /// It is one's own, or one's agent's, or one is an operator.
    Close,
    /// It is open to all who may watch. What others said to it or shared with it is not.
    Open,
}

/// Whether, and how, somebody may look at the mind of a character, in the world or out of it.
pub(super) async fn look_at(
    lobby: &Lobby,
    observatory: &Observatory,
    viewer: &Viewer,
    other: &str,
) -> Result<Option<Look>, ApiError> {
    if viewer.looks_closely_at(lobby, other).await? {
        return Ok(Some(Look::Close));
    }
    let (eye, _) = eye(lobby, viewer).await?;
    if !observatory.admits(&eye) {
        return Ok(None);
    }
    let here = lobby.engine.with_world(|world| {
        let player = world.character(world.find_player(other)?)?.player()?;
        Some(player.has_open_mind())
    });
    let is_open = match here {
        Some(is_open) => is_open,
        None => stored(lobby, other).await?.is_some_and(|record| record.player.has_open_mind()),
    };
    Ok(is_open.then_some(Look::Open))
}

/// The last tick of which somebody who looks like that is told; `None`: it is told everything at once.
pub(super) fn shown_tick(lobby: &Lobby, observatory: &Observatory, look: Look) -> Option<u64> {
    let is_late = look == Look::Open;
    is_late.then(|| lobby.engine.with_world(|world| world.tick()).saturating_sub(observatory.delay_ticks()))
}

/// Notes who looked closely at a mind that is not its own; a page that stays open does so every few seconds.
pub(super) async fn note_look(lobby: &Lobby, viewer: &Viewer, look: Look, name: &str, what: &str) {
    let actor = match viewer {
        Viewer::Operator => auditing::OPERATOR,
        Viewer::Player { name: own } if own != name => own,
        _ => return,
    };
    if look == Look::Close && lobby.looks.is_new(actor, what, name) {
        auditing::note(lobby.accounts.store(), actor, Origin::Api, what, name, "").await;
    }
}

/// Whether a character may be watched, in the world or out of it.
pub(super) async fn is_watchable(lobby: &Lobby, name: &str) -> Result<bool, ApiError> {
    let here = lobby.engine.with_world(|world| {
        let player = world.character(world.find_player(name)?)?.player()?;
        Some(player.is_watchable())
    });
    match here {
        Some(is_watchable) => Ok(is_watchable),
        None => Ok(stored(lobby, name).await?.is_some_and(|record| record.player.is_watchable())),
    }
}

/// With whose eyes somebody looks on; of a player what it has seen, too.
pub(super) async fn eye(lobby: &Lobby, viewer: &Viewer) -> Result<(Eye, Option<Arc<Past>>), ApiError> {
    let name = match viewer {
        Viewer::Operator => return Ok((Eye::Operator { zone: None }, None)),
        Viewer::Visitor => return Ok((Eye::Visitor, None)),
        Viewer::Player { name } => name,
    };
    if is_operator(lobby, name).await? {
        return Ok((Eye::Operator { zone: None }, None));
    }
    let past = match lobby.engine.with_world(|world| past_of(world, name)) {
        Some(past) => Some(past),
        None => stored(lobby, name).await?.map(|record| record.player.past),
    };
    Ok((Eye::Player { name: name.clone() }, past))
}

async fn stored(lobby: &Lobby, name: &str) -> Result<Option<CharacterRecord>, ApiError> {
    lobby.saver.newest(name).await.map_err(|error| ApiError::unavailable(&format!("{error:#}")))
}

/// What a character may do beyond playing, as `login` tells it.
pub async fn roles(lobby: &Lobby, name: &str) -> Result<Vec<&'static str>, ApiError> {
    let mut roles = vec!["player"];
    roles.extend(is_operator(lobby, name).await?.then_some("operator"));
    Ok(roles)
}

/// Immortals from that level on see what the operator sees.
pub(super) async fn is_operator(lobby: &Lobby, name: &str) -> Result<bool, ApiError> {
    let standing = lobby.standing(name).await.map_err(|error| ApiError::unavailable(&format!("{error:#}")))?;
    Ok(standing.level >= MODERATOR_LEVEL)
}
