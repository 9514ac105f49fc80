//! `POST /api/v1/login`: a name and a password, or a key in its place, for a token.
//!
//! Invariant: it counts as any login, for the limits and the lock-out.

use super::error::{ApiError, Code, Failure, read_body};
use super::viewer::{CallerAddress, roles};
use crate::accounts::Credential;
use crate::lobby::Lobby;
use crate::times::rfc3339_ms;
use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

const HOW: &str = "The body is JSON: {\"name\": \"…\", \"password\": \"…\"}, both texts.";

/// Who it is.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "Brenda", "password": "a long sentence of mine"}))]
pub struct Proof {
    name: String,
    /// The password, or a key of the character.
    password: String,
}

/// What to send from here on.
#[derive(Serialize, ToSchema)]
pub struct LoggedIn {
    /// For `Authorization: Bearer`, and for `token` of the frame `login`.
    token: String,
    /// RFC 3339.
    expires_at: String,
    /// `player`, and `operator` for immortals from level 38.
    roles: Vec<&'static str>,
}

/// A token for a name and a password
///
/// It is the token that the frame `state` brings: for a day, and for one character. Wrong passwords count towards the
/// lock-out of the address, as at the other ways in.
#[utoipa::path(
    post, path = "/api/v1/login", tag = "me", request_body = Proof, security(()),
    responses(
        (status = 200, description = "The password was right.", body = LoggedIn, example = json!({
            "token": "5f1d2c7a9be0447748fd1b0e7c39a6d2815f1d2c7a9be0447748fd1b0e7c39a6",
            "expires_at": "2026-11-27T18:45:29.000Z",
            "roles": ["player"]
        })),
        (status = "default", description = "It was not, or came too often.", body = Failure),
    )
)]
pub async fn login(
    State(lobby): State<Arc<Lobby>>,
    Extension(CallerAddress(address)): Extension<CallerAddress>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<LoggedIn>, ApiError> {
    let Proof { name, password } = read_body(body, HOW)?;
    let login = lobby.login(&name, Credential::Password(password), address).await?;
    let Some(issued) = lobby.token(&login, false).await else {
        return Err(ApiError::new(Code::Unavailable, "No token can be made just now. Try again in a minute."));
    };
    let roles = roles(&lobby, &login.name).await?;
    Ok(Json(LoggedIn { token: issued.token, expires_at: rfc3339_ms(issued.expires_at_ms), roles }))
}
