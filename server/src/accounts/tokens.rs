//! Login tokens: opaque, for a day, so that a client comes back without sending its password or key again.
//!
//! Only the digest is stored. A session keeps the [`IssuedToken`]'s digest and end, and asks for the next one in the
//! last hour. Invariant: a token never outlives the login that got it: revoking the key ends it.

use super::{Accounts, Entrance, KeyId, Login, digest, random_hex};
use crate::store::tokens::TokenRow;
use crate::store::{self, StoreError, canonical};

pub const LIFE_MS: i64 = 24 * 60 * 60 * 1_000;
/// The next one is sent when this much is left.
pub const REFRESH_MS: i64 = 60 * 60 * 1_000;

/// A token as it goes to the client, once. `Debug` shows when it ends, not what it is.
#[derive(Clone, PartialEq, Eq)]
pub struct IssuedToken {
    /// 64 hex digits.
    pub token: String,
    /// What the session keeps, to renew it.
    pub digest: String,
    pub expires_at_ms: i64,
}

impl std::fmt::Debug for IssuedToken {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IssuedToken").field("expires_at_ms", &self.expires_at_ms).finish_non_exhaustive()
    }
}

/// Whether a token that ends then is to be renewed now.
pub fn refresh_is_due(expires_at_ms: i64, now_ms: i64) -> bool {
    now_ms >= expires_at_ms - REFRESH_MS
}

impl Accounts {
    /// A token for somebody who has just logged in. `None`: the account or the key went away in this moment.
    pub async fn issue_token(
        &self,
        login: &Login,
        is_agent: bool,
        now_ms: i64,
    ) -> Result<Option<IssuedToken>, StoreError> {
        self.store_token(&login.name, is_agent, login.entrance.key(), now_ms).await
    }

    /// Whose token it is, for calls that bring nobody into the world: no login is noted. `None`: it has ended, or never
    /// was one.
    pub async fn token_owner(&self, token: &str, now_ms: i64) -> Result<Option<String>, StoreError> {
        let row = store::tokens::by_digest(&self.store, &digest(token.trim())).await?;
        Ok(row.filter(|row| now_ms < row.expires_at).map(|row| row.name))
    }

    /// A token for an agent that a host claimed. `None`: the account or the host's key went away in this moment.
    pub async fn claim_token(
        &self,
        name: &str,
        host_key_id: i64,
        now_ms: i64,
    ) -> Result<Option<IssuedToken>, StoreError> {
        self.store_token(name, true, Some(KeyId::Host(host_key_id)), now_ms).await
    }

    /// The next token of a session whose present one, given by its digest, is in its last hour. The old one counts
    /// until its end, for a client that did not read the news. `None`: it is not due, it has ended, or it was taken
    /// away with its key or password.
    pub async fn renew_token(&self, digest: &str, now_ms: i64) -> Result<Option<IssuedToken>, StoreError> {
        match store::tokens::by_digest(&self.store, digest).await? {
            Some(old) if now_ms < old.expires_at && refresh_is_due(old.expires_at, now_ms) => {
                let key = old.key_id.map(KeyId::Agent).or(old.owner_key_id.map(KeyId::Host));
                self.store_token(&old.name, old.is_agent, key, now_ms).await
            }
            _ => Ok(None),
        }
    }

    async fn store_token(
        &self,
        name: &str,
        is_agent: bool,
        key: Option<KeyId>,
        now_ms: i64,
    ) -> Result<Option<IssuedToken>, StoreError> {
        let (key_id, owner_key_id) = match key {
            None => (None, None),
            Some(KeyId::Agent(id)) => (Some(id), None),
            Some(KeyId::Host(id)) => (None, Some(id)),
        };
        let token = random_hex();
        let issued = IssuedToken { digest: digest(&token), token, expires_at_ms: now_ms + LIFE_MS };
        let row = TokenRow {
            digest: issued.digest.clone(),
            name: canonical(name),
            is_agent,
            key_id,
            owner_key_id,
            expires_at: issued.expires_at_ms,
        };
        let stored = store::tokens::insert(&self.store, &row, now_ms).await?;
        Ok(stored.then_some(issued))
    }
}

impl Entrance {
    /// The key that this way in goes back to; with its revocation the session ends.
    pub fn key(self) -> Option<KeyId> {
        match self {
            Entrance::Password => None,
            Entrance::Key { id } => Some(KeyId::Agent(id)),
            Entrance::Token { key_id, host_key_id, .. } => key_id.map(KeyId::Agent).or(host_key_id.map(KeyId::Host)),
        }
    }

    /// The same, where it is the character's own key.
    pub fn key_id(self) -> Option<i64> {
        match self.key() {
            Some(KeyId::Agent(id)) => Some(id),
            Some(KeyId::Host(_)) | None => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_hour_is_when_a_refresh_is_due() {
        let end = LIFE_MS;
        for (now, due) in [(0, false), (end - REFRESH_MS - 1, false), (end - REFRESH_MS, true), (end, true)] {
            assert_eq!(refresh_is_due(end, now), due, "{now}");
        }
    }
}
