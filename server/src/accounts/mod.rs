//! Accounts: making them, logging in to them, and the keys and tokens that do so for a program.
//!
//! Functions that wait for the store and for password hashing, and know no sockets: the transports pass in what the
//! caller typed and say the sentence that comes back. Rates and lock-outs are `crate::limits`; whether a name may be
//! had at all is `protocol`'s. Time comes in as unix milliseconds.
//!
//! Invariants: what opens an account (password, key, token) is stored only as a digest, and stands in no message and no
//! `Debug`. What is confirmed is in the database. A key or a token opens its own character only.

pub mod keys;
mod login;
pub mod password;
#[cfg(test)]
mod tests;
pub mod tokens;

use crate::credentials::{PasswordRefusal, check_password};
use crate::store::accounts::{AccountRow, CreateError};
use crate::store::characters::CharacterRow;
use crate::store::keys::{KeyRow, NewKey};
use crate::store::{self, Store, StoreError, canonical};
pub use keys::{IssuedKey, KeyId};
pub use login::{Credential, Entrance, Login, LoginRefusal};
use password::{HashError, Passwords};
pub use tokens::IssuedToken;
use world::channel::names;

/// Cloning is cheap; all clones share the store and the bound on hashing.
#[derive(Clone, Debug)]
pub struct Accounts {
    store: Store,
    passwords: Passwords,
}

/// What a new account is made of.
#[derive(Debug)]
pub struct NewAccount<'a> {
    /// As it shall be shown. The caller has checked it.
    pub display_name: &'a str,
    /// `None`: it will log in by key only.
    pub password: Option<&'a str>,
    /// Whether to issue a key with it.
    pub with_key: bool,
    /// The first state of the character, of the same name.
    pub character: &'a CharacterRow,
}

#[derive(Debug, thiserror::Error)]
pub enum CreateRefusal {
    #[error("The name {name} is taken. Choose another.")]
    NameTaken { name: String },
    #[error(transparent)]
    Password(#[from] PasswordRefusal),
    #[error("A new account needs a password or a key.")]
    NoWayIn,
    #[error("The accounts cannot be reached just now. Try again in a minute.")]
    Unavailable(#[source] StoreError),
    #[error("The server is stopping.")]
    Stopping,
}

#[derive(Debug, thiserror::Error)]
pub enum ChangeRefusal {
    #[error("That is not your present password.")]
    WrongPassword,
    /// Whoever sits at a session may have come by a token.
    #[error("This character has no password yet. Give its key in the place of the present one.")]
    NeedsKey,
    #[error(transparent)]
    Password(#[from] PasswordRefusal),
    #[error("There is nobody of that name.")]
    UnknownName,
    #[error("The accounts cannot be reached just now. Try again in a minute.")]
    Unavailable(#[source] StoreError),
    #[error("The server is stopping.")]
    Stopping,
}

impl ChangeRefusal {
    /// Whether the proof was wrong, as one of a guess would be.
    pub fn counts_as_failure(&self) -> bool {
        matches!(self, ChangeRefusal::WrongPassword | ChangeRefusal::NeedsKey)
    }
}

/// For the operator.
#[derive(Debug, thiserror::Error)]
pub enum KeyRefusal {
    #[error("there is no character {name}")]
    UnknownName { name: String },
    #[error("no key has the prefix or the id {given}; `dp-server keys` lists them")]
    UnknownKey { given: String },
    #[error("several keys begin with {given}; name one by its id: {ids}")]
    Ambiguous { given: String, ids: String },
    #[error("key {id} ({prefix}) of {name} was revoked already")]
    RevokedAlready { id: KeyId, prefix: String, name: String },
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A key as lists have it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Key {
    pub id: KeyId,
    /// Of a host's, the name is its owner's.
    pub row: KeyRow,
}

impl Key {
    fn of_agent(row: KeyRow) -> Key {
        Key { id: KeyId::Agent(row.id), row }
    }

    fn of_host(row: KeyRow) -> Key {
        Key { id: KeyId::Host(row.id), row }
    }
}

/// A host that is who it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostLogin {
    /// Canonical.
    pub owner: String,
    pub key_id: i64,
}

/// Why a host does not get in. The messages are for the caller, and never show what it sent.
#[derive(Debug, thiserror::Error)]
pub enum HostRefusal {
    #[error("That is no key of a host: `dh_` and 64 hex digits are. `dp-server keygen --host OWNER` makes one.")]
    BadForm,
    #[error("That is the key of one agent, which logs in by `login`. A host's key begins with `dh_`.")]
    KeyOfAgent,
    #[error("There is no such key of a host. Check it, or ask for a new one.")]
    Unknown,
    #[error("This key was revoked: ask for a new one.")]
    Revoked,
    #[error("The accounts cannot be reached just now. Try again in a minute.")]
    Unavailable(#[from] StoreError),
}

impl HostRefusal {
    /// A stable word for metrics, as those of logins.
    pub const fn reason(&self) -> &'static str {
        match self {
            HostRefusal::BadForm | HostRefusal::KeyOfAgent | HostRefusal::Unknown => "unknown_host_key",
            HostRefusal::Revoked => "key_revoked",
            HostRefusal::Unavailable(_) => "unavailable",
        }
    }

    /// Whether it is a failure of the caller, which counts towards a lock-out.
    pub fn counts_as_failure(&self) -> bool {
        !matches!(self, HostRefusal::Unavailable(_))
    }
}

impl Accounts {
    /// With as many passwords hashed at once as half of the cores, at least one.
    pub fn new(store: Store) -> Accounts {
        Accounts { store, passwords: Passwords::new(password::at_once()) }
    }

    pub fn store(&self) -> &Store {
        &self.store
    }

    pub async fn exists(&self, name: &str) -> Result<bool, StoreError> {
        Ok(store::accounts::find(&self.store, name).await?.is_some())
    }

    /// Whether a name with digits would be taken for somebody's without, as `M1ra` for Mira.
    pub async fn looks_like_anothers(&self, name: &str) -> Result<bool, StoreError> {
        if !name.contains(|letter: char| letter.is_ascii_digit()) {
            return Ok(false);
        }
        let (folded, looks) = (names::folded(name), names::looks(name));
        store::channels::is_taken(&self.store, &folded, &looks, name).await
    }

    /// Makes account, character and perhaps a key, all or nothing, in the database when this returns. The key is
    /// shown here and never again.
    pub async fn create(&self, new: NewAccount<'_>, now_ms: i64) -> Result<Option<IssuedKey>, CreateRefusal> {
        if new.password.is_none() && !new.with_key {
            return Err(CreateRefusal::NoWayIn);
        }
        if store::channels::is_shown(&self.store, new.display_name).await.map_err(CreateRefusal::Unavailable)? {
            return Err(CreateRefusal::NameTaken { name: new.display_name.trim().to_owned() });
        }
        let password_hash = match new.password {
            Some(password) => Some(self.checked_hash(new.display_name, password).await?),
            None => None,
        };
        let key = new.with_key.then(keys::generate);
        let row = key.as_ref().map(|key| NewKey::of(key, now_ms));
        let account = AccountRow {
            name: canonical(new.display_name),
            display_name: new.display_name.trim().to_owned(),
            password_hash,
            created_at: now_ms,
            last_login_at: None,
        };
        store::accounts::create(&self.store, &account, new.character, row.as_ref()).await?;
        Ok(key)
    }

    /// Makes account and character and notes its first login. The password is not checked: it was chosen just now.
    pub async fn create_and_log_in(&self, new: NewAccount<'_>, now_ms: i64) -> Result<Login, CreateRefusal> {
        let display_name = new.display_name.trim().to_owned();
        self.create(new, now_ms).await?;
        let name = canonical(&display_name);
        store::accounts::record_login(&self.store, &name, None, now_ms).await.map_err(CreateRefusal::Unavailable)?;
        Ok(Login {
            name,
            display_name,
            entrance: Entrance::Password,
            created_at_ms: now_ms,
            last_here_at_ms: None,
            last_came_at_ms: None,
        })
    }

    /// For a player who is in the game. `old`: the present password, or a key of the character where it has none.
    /// Tokens that the old password opened end.
    pub async fn change_password(&self, name: &str, old: &str, new: &str) -> Result<(), ChangeRefusal> {
        let account = store::accounts::find(&self.store, name).await.map_err(ChangeRefusal::Unavailable)?;
        let account = account.ok_or(ChangeRefusal::UnknownName)?;
        check_password(name, new)?;
        match account.password_hash {
            Some(hash) => {
                if !self.passwords.verify(old, Some(hash)).await? {
                    return Err(ChangeRefusal::WrongPassword);
                }
            }
            None => {
                let key = keys::parse(old).ok_or(ChangeRefusal::NeedsKey)?;
                let row = store::keys::by_digest(&self.store, &key.digest()).await;
                let row = row.map_err(ChangeRefusal::Unavailable)?.ok_or(ChangeRefusal::NeedsKey)?;
                if row.name != account.name || row.revoked_at.is_some() {
                    return Err(ChangeRefusal::NeedsKey);
                }
            }
        }
        self.set_password(name, new).await
    }

    /// For the operator: without the old one.
    pub async fn set_password(&self, name: &str, new: &str) -> Result<(), ChangeRefusal> {
        let hash = self.checked_hash(name, new).await?;
        match store::accounts::set_password(&self.store, name, &hash).await.map_err(ChangeRefusal::Unavailable)? {
            true => Ok(()),
            false => Err(ChangeRefusal::UnknownName),
        }
    }

    /// Issues one more key for a character that exists. It is shown here and never again.
    pub async fn keygen(&self, name: &str, now_ms: i64) -> Result<IssuedKey, KeyRefusal> {
        let key = keys::generate();
        match store::keys::insert(&self.store, name, &NewKey::of(&key, now_ms)).await? {
            Some(_) => Ok(key),
            None => Err(KeyRefusal::UnknownName { name: name.trim().to_owned() }),
        }
    }

    /// Issues a key for programs that play the agents of this owner. It is shown here and never again.
    pub async fn host_keygen(&self, owner: &str, now_ms: i64) -> Result<IssuedKey, KeyRefusal> {
        let key = keys::generate_for_host();
        match store::owner_keys::insert(&self.store, owner, &NewKey::of(&key, now_ms)).await? {
            Some(_) => Ok(key),
            None => Err(KeyRefusal::UnknownName { name: owner.trim().to_owned() }),
        }
    }

    /// Of one character or owner, or of all; revoked ones too. Those of agents come first; sorted by name, then by id.
    pub async fn keys(&self, name: Option<&str>) -> Result<Vec<Key>, StoreError> {
        let mut keys: Vec<Key> = store::keys::list(&self.store, name).await?.into_iter().map(Key::of_agent).collect();
        keys.extend(store::owner_keys::list(&self.store, name).await?.into_iter().map(Key::of_host));
        Ok(keys)
    }

    /// Revokes one key, named by its id, by the 8 digits that lists show, or whole. Returns it, so that the caller
    /// can end the sessions that came in by it.
    pub async fn revoke(&self, given: &str, now_ms: i64) -> Result<Key, KeyRefusal> {
        let mut key = self.find_key(given.trim()).await?;
        let done = match key.id {
            KeyId::Agent(id) => store::keys::revoke(&self.store, id, now_ms).await?,
            KeyId::Host(id) => store::owner_keys::revoke(&self.store, id, now_ms).await?,
        };
        if !done {
            let KeyRow { prefix, name, .. } = key.row;
            return Err(KeyRefusal::RevokedAlready { id: key.id, prefix, name });
        }
        key.row.revoked_at = Some(now_ms);
        Ok(key)
    }

    /// Which owner's agents the key of a host lets a program play. Notes its use.
    pub async fn host_login(&self, given: &str, now_ms: i64) -> Result<HostLogin, HostRefusal> {
        let Some(key) = keys::parse_host(given) else {
            return Err(match keys::parse(given) {
                Some(_) => HostRefusal::KeyOfAgent,
                None => HostRefusal::BadForm,
            });
        };
        let row = store::owner_keys::by_digest(&self.store, &key.digest()).await?.ok_or(HostRefusal::Unknown)?;
        if row.revoked_at.is_some() {
            return Err(HostRefusal::Revoked);
        }
        store::owner_keys::used(&self.store, row.id, now_ms).await?;
        Ok(HostLogin { owner: row.name, key_id: row.id })
    }

    /// Whether a host's key still counts.
    pub async fn host_key_counts(&self, id: i64) -> Result<bool, StoreError> {
        let row = store::owner_keys::by_id(&self.store, id).await?;
        Ok(row.is_some_and(|row| row.revoked_at.is_none()))
    }

    async fn find_key(&self, given: &str) -> Result<Key, KeyRefusal> {
        // Not `given` itself in the message where it is a whole key.
        let shown = match (keys::parse(given), keys::parse_host(given)) {
            (Some(key), _) => {
                if let Some(row) = store::keys::by_digest(&self.store, &key.digest()).await? {
                    return Ok(Key::of_agent(row));
                }
                key.prefix().to_owned()
            }
            (None, Some(key)) => {
                if let Some(row) = store::owner_keys::by_digest(&self.store, &key.digest()).await? {
                    return Ok(Key::of_host(row));
                }
                key.prefix().to_owned()
            }
            (None, None) => given.to_owned(),
        };
        let prefix = keys::without_mark(&shown).to_ascii_lowercase();
        if keys::is_prefix(&prefix) {
            let agents = store::keys::by_prefix(&self.store, &prefix).await?.into_iter().map(Key::of_agent);
            let hosts = store::owner_keys::by_prefix(&self.store, &prefix).await?.into_iter().map(Key::of_host);
            let mut found: Vec<Key> = agents.chain(hosts).collect();
            if found.len() > 1 {
                let ids: Vec<String> = found.iter().map(|key| key.id.to_string()).collect();
                return Err(KeyRefusal::Ambiguous { given: shown, ids: ids.join(", ") });
            }
            if let Some(key) = found.pop() {
                return Ok(key);
            }
        }
        let found = match shown.parse() {
            Ok(KeyId::Agent(id)) => store::keys::by_id(&self.store, id).await?.map(Key::of_agent),
            Ok(KeyId::Host(id)) => store::owner_keys::by_id(&self.store, id).await?.map(Key::of_host),
            Err(_) => None,
        };
        found.ok_or(KeyRefusal::UnknownKey { given: shown })
    }

    async fn checked_hash(&self, name: &str, password: &str) -> Result<String, CheckedHashError> {
        check_password(name, password)?;
        Ok(self.passwords.hash(password).await?)
    }
}

/// Either half of choosing a password.
#[derive(Debug, thiserror::Error)]
enum CheckedHashError {
    #[error(transparent)]
    Refused(#[from] PasswordRefusal),
    #[error(transparent)]
    Hash(#[from] HashError),
}

impl From<CheckedHashError> for CreateRefusal {
    fn from(error: CheckedHashError) -> CreateRefusal {
        match error {
            CheckedHashError::Refused(refusal) => CreateRefusal::Password(refusal),
            CheckedHashError::Hash(HashError::Stopping) => CreateRefusal::Stopping,
        }
    }
}

impl From<CheckedHashError> for ChangeRefusal {
    fn from(error: CheckedHashError) -> ChangeRefusal {
        match error {
            CheckedHashError::Refused(refusal) => ChangeRefusal::Password(refusal),
            CheckedHashError::Hash(HashError::Stopping) => ChangeRefusal::Stopping,
        }
    }
}

impl From<HashError> for ChangeRefusal {
    fn from(HashError::Stopping: HashError) -> ChangeRefusal {
        ChangeRefusal::Stopping
    }
}

impl From<CreateError> for CreateRefusal {
    fn from(error: CreateError) -> CreateRefusal {
        match error {
            CreateError::NameTaken { name } => CreateRefusal::NameTaken { name },
            CreateError::Store(error) => CreateRefusal::Unavailable(error),
        }
    }
}

impl NewKey {
    fn of(key: &IssuedKey, now_ms: i64) -> NewKey {
        NewKey { prefix: key.prefix().to_owned(), digest: key.digest(), created_at: now_ms }
    }
}

/// SHA-256 in hex: enough for secrets of 256 random bits, which nobody can guess or list in a table.
fn digest(secret: &str) -> String {
    use sha2::Digest;
    hex::encode(sha2::Sha256::digest(secret.as_bytes()))
}

/// 64 hex digits that nobody can guess.
fn random_hex() -> String {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).expect("the operating system gives random bytes");
    hex::encode(bytes)
}
