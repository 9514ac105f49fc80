//! Who asks, and what that one may look at.
//!
//! Invariant: a token that is no good is refused, never taken for none.

use super::Api;
use super::error::{ApiError, Code};
use crate::lobby::Lobby;
use crate::store::canonical;
use crate::times::unix_ms;
use axum::http::{HeaderMap, header};
use std::net::IpAddr;
use subtle::ConstantTimeEq;

/// Immortals from here on see what the operator sees.
const OPERATOR_LEVEL: i32 = 38;

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
    let given =
        head.get(header::AUTHORIZATION).map(|value| value.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default());
    if given.is_some_and(|token| bool::from(token.ct_eq(api.admin_token.as_bytes()))) {
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

/// What a character may do beyond playing, as `login` tells it.
pub async fn roles(lobby: &Lobby, name: &str) -> Result<Vec<&'static str>, ApiError> {
    let mut roles = vec!["player"];
    roles.extend(is_operator(lobby, name).await?.then_some("operator"));
    Ok(roles)
}

pub(super) async fn is_operator(lobby: &Lobby, name: &str) -> Result<bool, ApiError> {
    let here = lobby.engine.with_world(|world| Some(world.character(world.find_player(name)?)?.level));
    let level = match here {
        Some(level) => level,
        None => {
            let stored = lobby.saver.newest(name).await;
            stored.map_err(|error| ApiError::unavailable(&format!("{error:#}")))?.map_or(0, |record| record.level)
        }
    };
    Ok(level >= OPERATOR_LEVEL)
}
