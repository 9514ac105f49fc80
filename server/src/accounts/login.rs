//! Logging in: a name and a password, a key or a token go in; who it is, or the sentence for the caller, comes out.
//!
//! The same for both transports. Invariant: what the caller reads does not tell a wrong password from a wrong key, and
//! an unknown name takes as long to refuse as a wrong password.

use super::{Accounts, digest, keys};
use crate::store::accounts::AccountRow;
use crate::store::tokens::TokenRow;
use crate::store::{self, StoreError, canonical};

/// What the caller shows. A password that has the form of a key is one, by either transport.
#[derive(Clone)]
pub enum Credential {
    Password(String),
    Key(String),
    Token(String),
}

/// Never what it holds.
impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Credential::Password(_) => "Password(…)",
            Credential::Key(_) => "Key(…)",
            Credential::Token(_) => "Token(…)",
        })
    }
}

/// Somebody who is who they say.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Login {
    /// Canonical.
    pub name: String,
    pub display_name: String,
    pub entrance: Entrance,
    pub created_at_ms: i64,
    /// When it was here before: the end of its last session, where that is known, else its last login.
    #[serde(alias = "last_login_at_ms")]
    pub last_here_at_ms: Option<i64>,
    /// When that time began: what was dreamt since then was told at no login.
    #[serde(default)]
    pub last_came_at_ms: Option<i64>,
}

/// The way in. A session keeps the key's id, so that revoking the key can end it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub enum Entrance {
    Password,
    Key {
        id: i64,
    },
    /// `is_agent` and `key_id` are those of the login that got the token.
    Token {
        is_agent: bool,
        key_id: Option<i64>,
        /// The key of the host that got the token.
        #[serde(default)]
        host_key_id: Option<i64>,
    },
}

/// The message is for the caller, in the published protocol's words; the variant and [`LoginRefusal::hint`] say more.
#[derive(Debug, thiserror::Error)]
pub enum LoginRefusal {
    #[error("There is nobody of that name.")]
    UnknownName,
    /// Or a key that was never issued.
    #[error("Invalid password.")]
    WrongPassword,
    /// A password for an account that logs in by key only.
    #[error("Invalid password.")]
    NoPassword,
    #[error("Invalid password.")]
    KeyRevoked { key_id: i64 },
    /// For the log: whose it is. The caller is not told.
    #[error("Invalid password.")]
    KeyOfAnother { owner: String },
    /// Or one that never was.
    #[error("This token has expired.")]
    TokenExpired,
    #[error("This token is not for this character.")]
    TokenOfAnother { owner: String },
    #[error("The accounts cannot be reached just now. Try again in a minute.")]
    Unavailable(#[from] StoreError),
    #[error("The server is stopping.")]
    Stopping,
}

impl LoginRefusal {
    /// A second sentence that says what to do, where the message alone does not.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            LoginRefusal::UnknownName => Some("Check the spelling, or make a new character."),
            LoginRefusal::NoPassword => Some("This character has no password: log in with its key."),
            LoginRefusal::KeyRevoked { .. } => Some("This key was revoked: ask for a new one."),
            LoginRefusal::KeyOfAnother { .. } => Some("This key logs in another character only."),
            LoginRefusal::TokenExpired | LoginRefusal::TokenOfAnother { .. } => {
                Some("Log in with the password or the key.")
            }
            LoginRefusal::WrongPassword | LoginRefusal::Unavailable(_) | LoginRefusal::Stopping => None,
        }
    }

    /// A stable word for metrics.
    pub const fn reason(&self) -> &'static str {
        match self {
            LoginRefusal::UnknownName => "unknown_name",
            LoginRefusal::WrongPassword => "wrong_password",
            LoginRefusal::NoPassword => "no_password",
            LoginRefusal::KeyRevoked { .. } => "key_revoked",
            LoginRefusal::KeyOfAnother { .. } => "key_of_another",
            LoginRefusal::TokenExpired => "token_expired",
            LoginRefusal::TokenOfAnother { .. } => "token_of_another",
            LoginRefusal::Unavailable(_) => "unavailable",
            LoginRefusal::Stopping => "stopping",
        }
    }

    /// Whether it is a failure of the caller, which counts towards a lock-out. A name that nobody has does not (it
    /// is how creation begins), and neither does our own trouble.
    pub fn counts_as_failure(&self) -> bool {
        !matches!(self, LoginRefusal::UnknownName | LoginRefusal::Unavailable(_) | LoginRefusal::Stopping)
    }
}

impl Accounts {
    /// Checks the credential and, where it is right, notes the login. A key or token may come without a name.
    pub async fn login(&self, name: &str, credential: Credential, now_ms: i64) -> Result<Login, LoginRefusal> {
        let found = match (&credential, name.trim()) {
            (Credential::Key(_) | Credential::Token(_), "") => self.owner_of(&credential).await?,
            _ => None,
        };
        let name = found.as_deref().unwrap_or(name);
        let account = store::accounts::find(&self.store, name).await?;
        let (account, entrance) = match credential {
            Credential::Token(token) => self.login_by_token(account, name, &token, now_ms).await?,
            Credential::Key(text) => self.login_by_key(account, name, &text).await?,
            Credential::Password(text) if keys::parse(&text).is_some() => {
                self.login_by_key(account, name, &text).await?
            }
            Credential::Password(text) => self.login_by_password(account, &text).await?,
        };
        let last_here_at_ms = match account.last_login_at {
            Some(login) => {
                Some(store::sessions::last_end(&self.store, &account.name).await?.unwrap_or(login).max(login))
            }
            None => None,
        };
        store::accounts::record_login(&self.store, &account.name, entrance.key_id(), now_ms).await?;
        Ok(Login {
            name: account.name,
            display_name: account.display_name,
            entrance,
            created_at_ms: account.created_at,
            last_here_at_ms,
            last_came_at_ms: account.last_login_at,
        })
    }

    /// Whose key or token it is, for who gives no name.
    async fn owner_of(&self, credential: &Credential) -> Result<Option<String>, StoreError> {
        Ok(match credential {
            Credential::Key(text) => match keys::parse(text) {
                Some(key) => store::keys::by_digest(&self.store, &key.digest()).await?.map(|row| row.name),
                None => None,
            },
            Credential::Token(token) => {
                store::tokens::by_digest(&self.store, &digest(token.trim())).await?.map(|row| row.name)
            }
            Credential::Password(_) => None,
        })
    }

    async fn login_by_password(
        &self,
        account: Option<AccountRow>,
        password: &str,
    ) -> Result<(AccountRow, Entrance), LoginRefusal> {
        let hash = account.as_ref().and_then(|account| account.password_hash.clone());
        let hashed = hash.is_some();
        let right = self.passwords.verify(password, hash).await.map_err(|_| LoginRefusal::Stopping)?;
        match account {
            None => Err(LoginRefusal::UnknownName),
            Some(_) if !hashed => Err(LoginRefusal::NoPassword),
            Some(_) if !right => Err(LoginRefusal::WrongPassword),
            Some(account) => Ok((account, Entrance::Password)),
        }
    }

    async fn login_by_key(
        &self,
        account: Option<AccountRow>,
        name: &str,
        text: &str,
    ) -> Result<(AccountRow, Entrance), LoginRefusal> {
        let row = match keys::parse(text) {
            Some(key) => store::keys::by_digest(&self.store, &key.digest()).await?,
            None => None,
        };
        let account = match (account, &row) {
            (Some(account), _) => account,
            // Somebody with a good key and a wrong name is told about the key, not invited to make a character.
            (None, Some(row)) => return Err(LoginRefusal::KeyOfAnother { owner: row.name.clone() }),
            // No name was given, so the key itself is wrong.
            (None, None) if name.trim().is_empty() => return Err(LoginRefusal::WrongPassword),
            (None, None) => return Err(LoginRefusal::UnknownName),
        };
        match row {
            None => Err(LoginRefusal::WrongPassword),
            Some(row) if row.name != canonical(name) => Err(LoginRefusal::KeyOfAnother { owner: row.name }),
            Some(row) if row.revoked_at.is_some() => Err(LoginRefusal::KeyRevoked { key_id: row.id }),
            Some(row) => Ok((account, Entrance::Key { id: row.id })),
        }
    }

    async fn login_by_token(
        &self,
        account: Option<AccountRow>,
        name: &str,
        token: &str,
        now_ms: i64,
    ) -> Result<(AccountRow, Entrance), LoginRefusal> {
        let row = store::tokens::by_digest(&self.store, &digest(token.trim())).await?;
        let row = row.filter(|row| now_ms < row.expires_at).ok_or(LoginRefusal::TokenExpired)?;
        if row.name != canonical(name) {
            return Err(LoginRefusal::TokenOfAnother { owner: row.name });
        }
        // The token is there, so its account is too; unless it went away between the two questions.
        let account = account.ok_or(LoginRefusal::TokenExpired)?;
        let TokenRow { is_agent, key_id, owner_key_id: host_key_id, .. } = row;
        Ok((account, Entrance::Token { is_agent, key_id, host_key_id }))
    }
}
