//! `DELETE /api/v1/me`: the end of a character, for who gives its password once more.

use super::error::{ApiError, Failure, read_body};
use super::viewer::{CallerAddress, Viewer};
use crate::accounts::Credential;
use crate::lobby::{Lobby, account};
use axum::Extension;
use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::response::Json;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use utoipa::ToSchema;

const HOW: &str = "The body is JSON: {\"password\": \"…\"}, a text. A token alone deletes nobody.";

/// That it is meant.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"password": "a long sentence of mine"}))]
pub struct Again {
    /// The password, or a key of the character.
    password: String,
}

#[derive(Serialize, ToSchema)]
pub struct Deleted {
    /// The name that is free again.
    deleted: String,
}

/// Deletes one's own character, for good
///
/// It leaves the world; account, keys, log of its mind, memories, dreams and session files go with it. Records of its
/// sessions and of what it decided stay without its name (`deleted-7`). What it said in channels, archives of decisions
/// and the journal of the world stay until they age out.
#[utoipa::path(
    delete, path = "/api/v1/me", tag = "me", request_body = Again, security(("bearer" = [])),
    responses(
        (status = 200, description = "It is gone.", body = Deleted, example = json!({"deleted": "brenda"})),
        (status = "default", description = "It is not: the password was wrong, or nobody is logged in.", body = Failure),
    )
)]
pub async fn delete_me(
    State(lobby): State<Arc<Lobby>>,
    Extension(viewer): Extension<Viewer>,
    Extension(CallerAddress(address)): Extension<CallerAddress>,
    body: Result<Bytes, BytesRejection>,
) -> Result<Json<Deleted>, ApiError> {
    let name = viewer.own_name()?.to_string();
    let Again { password } = read_body(body, HOW)?;
    lobby.login(&name, Credential::Password(password), address).await?;
    // To its end, whoever stops waiting for it: half a deletion is none.
    let deleting = tokio::spawn(async move { account::delete(&lobby, &name).await.map(|()| name) });
    let deleted = deleting.await.map_err(|error| ApiError::unavailable(&error))??;
    Ok(Json(Deleted { deleted }))
}
