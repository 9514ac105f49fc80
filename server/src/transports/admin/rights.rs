//! Who may make which call of the operator's API: the table is [`CALLS`].
//!
//! Who has the admin token may make all of them. An immortal may, by the token of a login, do here what it may do in
//! the game (`ban`, `bans`, `complaints` and the rest from level 38, `shutdown` and `copyover` from 39) and look at
//! what it needs for that; what gives a stranger a way in, takes somebody's account, or turns dice is the operator's,
//! because nothing in the game gives it. Invariants: a call that is not in the table is the operator's; level, ban,
//! frost and token are looked up at each call, so who lost one has lost the right; a token that is nobody's counts as a
//! failed login.

use super::refuse;
use crate::api::CallerAddress;
use crate::auditing;
use crate::bearer;
use crate::lobby::{Lobby, Standing};
use crate::moderation::{self, Moderator};
use crate::operator::shown;
use crate::times::unix_ms;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Method, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Json, Response};
use serde_json::json;
use std::net::IpAddr;
use std::sync::Arc;
use world::character::MODERATOR_LEVEL;

/// From here on immortals may stop and restart the server, in the game too.
const SHUTDOWN_LEVEL: i32 = 39;

const NO_TOKEN: &str = "The admin API needs `Authorization: Bearer` and the token in the state directory, or that of \
                        the login of an immortal from level 38.";
const WRONG_TOKEN: &str = "This token has ended, or never was one. Sign in again.";
const NO_IMMORTAL: &str = "The admin pages are for immortals from level 38, and for who has the admin token.";
const FROZEN: &str = "You are frozen, and can do nothing here either.";
const TOKEN_ONLY: &str = "This call is only for who has the admin token.";

/// Who may make a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Right {
    /// Who has the admin token.
    Token,
    /// And immortals from this level on.
    Immortal(i32),
}

struct Call {
    method: &'static str,
    path: &'static str,
    right: Right,
}

const fn get(path: &'static str, right: Right) -> Call {
    Call { method: "GET", path, right }
}

const fn post(path: &'static str, right: Right) -> Call {
    Call { method: "POST", path, right }
}

const MODERATOR: Right = Right::Immortal(MODERATOR_LEVEL);
const STOPS_SERVER: Right = Right::Immortal(SHUTDOWN_LEVEL);

const CALLS: [Call; 29] = [
    get("me", MODERATOR),
    get("sessions", MODERATOR),
    post("disconnect", MODERATOR),
    get("limits", MODERATOR),
    get("bans", MODERATOR),
    post("bans", MODERATOR),
    post("unban", MODERATOR),
    get("complaints", MODERATOR),
    // Without the keys themselves.
    get("keys", MODERATOR),
    get("audit", MODERATOR),
    post("announce", MODERATOR),
    // As `reload scripts` in the game. What is read is what the operator wrote.
    post("scripts/reload", MODERATOR),
    post("reload", MODERATOR),
    post("copyover", STOPS_SERVER),
    post("shutdown", STOPS_SERVER),
    post("keys", Right::Token),
    post("host-keys", Right::Token),
    post("revoke", Right::Token),
    post("passwd", Right::Token),
    post("remove", Right::Token),
    post("promote", Right::Token),
    post("inherit", Right::Token),
    post("backup", Right::Token),
    get("edit", Right::Token),
    post("edit", Right::Token),
    post("place", Right::Token),
    post("post", Right::Token),
    post("roll", Right::Token),
    post("tick", Right::Token),
];

/// Who makes a call. In the extensions of every request that is answered.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Actor {
    /// Who has the admin token.
    Operator,
    Immortal {
        /// Canonical.
        name: String,
        level: i32,
    },
}

impl Actor {
    /// As the audit names it.
    pub fn name(&self) -> &str {
        match self {
            Actor::Operator => auditing::OPERATOR,
            Actor::Immortal { name, .. } => name,
        }
    }

    pub fn moderator(&self) -> Moderator {
        match self {
            Actor::Operator => Moderator::operator(),
            Actor::Immortal { name, level } => Moderator { name: shown(name), level: *level },
        }
    }

    fn may(&self, right: Right) -> Result<(), NotLetIn> {
        let (level, least) = match (self, right) {
            (Actor::Operator, _) => return Ok(()),
            (Actor::Immortal { .. }, Right::Token) => return Err(NotLetIn::new(StatusCode::FORBIDDEN, TOKEN_ONLY)),
            (Actor::Immortal { level, .. }, Right::Immortal(least)) => (*level, least),
        };
        if level >= least {
            return Ok(());
        }
        let why = format!("This call is for immortals from level {least}, and for who has the admin token.");
        Err(NotLetIn::new(StatusCode::FORBIDDEN, why))
    }
}

/// Why a call is not made.
#[derive(Debug)]
struct NotLetIn {
    status: StatusCode,
    why: String,
    /// When it may be asked again.
    retry_after_s: Option<u64>,
}

impl NotLetIn {
    fn new(status: StatusCode, why: impl Into<String>) -> NotLetIn {
        NotLetIn { status, why: why.into(), retry_after_s: None }
    }
}

impl IntoResponse for NotLetIn {
    fn into_response(self) -> Response {
        let mut answer = refuse(self.status, self.why);
        if let Some(seconds) = self.retry_after_s {
            answer.headers_mut().insert(header::RETRY_AFTER, seconds.into());
        }
        if self.status == StatusCode::UNAUTHORIZED {
            answer.headers_mut().insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        answer
    }
}

/// What callers are looked up with.
#[derive(Clone)]
pub struct Gate {
    pub lobby: Arc<Lobby>,
    pub token: Arc<str>,
}

/// Lets those in who may make the call, and tells it who they are.
pub async fn admit(State(gate): State<Gate>, mut request: Request, next: Next) -> Response {
    let address = request.extensions().get().map(|CallerAddress(address)| *address);
    let right = right_of(request.method(), request.uri().path());
    let given = bearer::given(request.headers()).map(<[u8]>::to_vec);
    match gate.caller(given.as_deref(), address, right).await {
        Ok(actor) => {
            request.extensions_mut().insert(actor);
            next.run(request).await
        }
        Err(refusal) => refusal.into_response(),
    }
}

impl Gate {
    /// `given`: what `Authorization: Bearer` holds.
    async fn caller(&self, given: Option<&[u8]>, address: Option<IpAddr>, right: Right) -> Result<Actor, NotLetIn> {
        let Some(given) = given else { return Err(NotLetIn::new(StatusCode::UNAUTHORIZED, NO_TOKEN)) };
        if bearer::is_secret(given, &self.token) {
            return Ok(Actor::Operator);
        }
        let Some(address) = address else {
            return Err(NotLetIn::new(StatusCode::BAD_REQUEST, "Nobody knows where this call comes from."));
        };
        let actor = self.immortal(std::str::from_utf8(given).unwrap_or_default(), address).await?;
        actor.may(right)?;
        Ok(actor)
    }

    /// Whose token it is, of a login, if that is an immortal.
    async fn immortal(&self, token: &str, address: IpAddr) -> Result<Actor, NotLetIn> {
        let lobby = &self.lobby;
        lobby.addresses.may_ask(address, lobby.now_ms()).map_err(|wait| {
            let message = "Too many calls from your address. Wait a moment and try again.";
            let retry_after_s = Some(wait.0.div_ceil(1_000).max(1));
            NotLetIn { retry_after_s, ..NotLetIn::new(StatusCode::TOO_MANY_REQUESTS, message) }
        })?;
        let owner = lobby.accounts.token_owner(token, unix_ms()).await.map_err(|error| unavailable(&error))?;
        let Some(name) = owner else {
            return Err(match lobby.wrong_token(address) {
                Ok(()) => NotLetIn::new(StatusCode::UNAUTHORIZED, WRONG_TOKEN),
                Err(refusal) => NotLetIn::new(StatusCode::TOO_MANY_REQUESTS, refusal.message()),
            });
        };
        if let Some(ban) = lobby.bans.of_name(&name, unix_ms()) {
            return Err(NotLetIn::new(StatusCode::FORBIDDEN, moderation::notice(&ban)));
        }
        let Standing { level, frozen } = lobby.standing(&name).await.map_err(|error| unavailable(&error))?;
        match level >= MODERATOR_LEVEL {
            true if frozen => Err(NotLetIn::new(StatusCode::FORBIDDEN, FROZEN)),
            true => Ok(Actor::Immortal { name, level }),
            false => Err(NotLetIn::new(StatusCode::FORBIDDEN, NO_IMMORTAL)),
        }
    }
}

fn right_of(method: &Method, path: &str) -> Right {
    let path = path.trim_start_matches("/admin/");
    let call = CALLS.iter().find(|call| call.path == path && call.method == method.as_str());
    call.map_or(Right::Token, |call| call.right)
}

fn unavailable(error: &dyn std::fmt::Display) -> NotLetIn {
    tracing::error!(error = format!("{error:#}"), "who calls the admin API could not be looked up");
    let why = "That cannot be looked up just now. Try again in a minute.";
    NotLetIn::new(StatusCode::SERVICE_UNAVAILABLE, why)
}

/// There is the call, by another method; the header `Allow`, which the router adds, has the methods too.
pub async fn other_method(uri: Uri) -> Response {
    let path = uri.path().trim_start_matches("/admin/");
    let methods: Vec<&str> = CALLS.iter().filter(|call| call.path == path).map(|call| call.method).collect();
    let how = format!("This call is made by {}.", methods.join(" or "));
    refuse(StatusCode::METHOD_NOT_ALLOWED, how)
}

/// Who asks, and which calls are for it, as `GET bans`.
pub async fn me(Extension(actor): Extension<Actor>) -> Response {
    let calls = CALLS.iter().filter(|call| actor.may(call.right).is_ok());
    let calls: Vec<String> = calls.map(|Call { method, path, .. }| format!("{method} {path}")).collect();
    let (name, level) = match &actor {
        Actor::Operator => (actor.name().to_string(), None),
        Actor::Immortal { name, level } => (shown(name), Some(*level)),
    };
    Json(json!({ "name": name, "level": level, "calls": calls })).into_response()
}

#[cfg(test)]
mod tests;
