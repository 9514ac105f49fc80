//! Logging in and making characters: which limits are asked, what counts as a failure, and what the caller reads.
//!
//! Who somebody is is checked by `accounts`; the numbers are `limits`. Invariants: no password is hashed before its
//! address and its account may try one; a failure is counted for both, and a success with a password for that account
//! only.

use super::{Lobby, Refused};
use crate::accounts::{CreateRefusal, Credential, Login, LoginRefusal, NewAccount};
use crate::credentials::key_digits;
use crate::limits::AddressRefusal;
use crate::saving::row_of;
use crate::session::NewCharacter;
use crate::store::canonical;
use crate::times::unix_ms;
use protocol::ErrorCode;
use std::net::IpAddr;
use std::sync::atomic::Ordering;

impl Lobby {
    /// Checks a name with its proof. Counts tries and failures by address, and wrong passwords by account.
    pub async fn login(&self, name: &str, credential: Credential, address: IpAddr) -> Result<Login, Refused> {
        let now = self.now_ms();
        match &credential {
            // A valid token is hardly limited; one that is no good counts as a login, in `failed`.
            Credential::Token(_) => {
                self.addresses.may_use_token(address, now).map_err(|refusal| self.limited(refusal))?
            }
            Credential::Key(_) => self.may_log_in(address)?,
            Credential::Password(_) => self.may_log_in(address)?,
        }
        let by_token = matches!(credential, Credential::Token(_));
        // A key in the place of a password is a key.
        let by_password = matches!(&credential, Credential::Password(text) if key_digits(text).is_none());
        if by_password {
            self.may_try_password(&canonical(name))?;
        }
        match self.accounts.login(name, credential, unix_ms()).await {
            Ok(login) => {
                if !by_token {
                    self.addresses.succeeded(address, &login.name);
                }
                if by_password {
                    self.guesses.succeeded(&login.name);
                }
                Ok(login)
            }
            Err(refusal) => {
                if by_token {
                    self.may_log_in(address)?;
                }
                let known = !matches!(refusal, LoginRefusal::UnknownName);
                let account = canonical(name);
                Err(self.failed((by_password && known).then_some(account.as_str()), address, refusal))
            }
        }
    }

    /// Makes a character and logs it in. Counts as one login.
    pub async fn create_and_log_in(&self, new: &NewCharacter, agent: bool, address: IpAddr) -> Result<Login, Refused> {
        self.may_log_in(address)?;
        self.addresses.may_create(address, self.now_ms()).map_err(|refusal| self.limited(refusal))?;
        self.create(new, agent).await
    }

    /// Changes a password for somebody who gives the present one, or its key where there is none. Counts as a login of
    /// this address, and a wrong one as a failed one.
    pub async fn change_password(&self, name: &str, old: &str, new: &str, address: IpAddr) -> Result<(), Refused> {
        self.may_log_in(address)?;
        self.may_try_password(name)?;
        match self.accounts.change_password(name, old, new).await {
            Ok(()) => {
                self.addresses.succeeded(address, name);
                self.guesses.succeeded(name);
                Ok(())
            }
            Err(refusal) => {
                if refusal.counts_as_failure() {
                    self.count_failure(Some(name), address);
                }
                Err(Refused::No { code: ErrorCode::BadLogin, message: refusal.to_string() })
            }
        }
    }

    /// What somebody reads who comes in: the message of the day, and how many wrong passwords there were meanwhile.
    pub fn welcome(&self, login: &Login) -> String {
        let motd = self.motd.trim();
        match self.guesses.take_untold(&login.name) {
            0 => motd.to_string(),
            1 => format!("{motd}\n\nSince you were last here, a wrong password was given for you once."),
            count => format!(
                "{motd}\n\nSince you were last here, a wrong password was given for you {count} times. If that was not \
                 you, somebody is guessing: choose a long one."
            ),
        }
    }

    /// `account`: canonical, where there is one and a password was tried.
    fn failed(&self, account: Option<&str>, address: IpAddr, refusal: LoginRefusal) -> Refused {
        self.counts.refuse(refusal.reason());
        if refusal.counts_as_failure() {
            self.count_failure(account, address);
        }
        let message = match refusal.hint() {
            Some(hint) => format!("{refusal} {hint}"),
            None => refusal.to_string(),
        };
        match refusal {
            LoginRefusal::KeyRevoked { .. } => Refused::Over { code: ErrorCode::KeyRevoked, message },
            LoginRefusal::Unavailable(error) => {
                tracing::error!(%error, "a login could not be checked");
                Refused::No { code: ErrorCode::Internal, message }
            }
            LoginRefusal::Stopping => Refused::Over { code: ErrorCode::ShuttingDown, message },
            // The published words stand alone; the hint is for people who mistype names.
            LoginRefusal::WrongPassword | LoginRefusal::KeyOfAnother { .. } | LoginRefusal::NoPassword => {
                Refused::No { code: ErrorCode::BadLogin, message: refusal.to_string() }
            }
            _ => Refused::No { code: ErrorCode::BadLogin, message },
        }
    }

    /// `account`: canonical, where there is one and a password was wrong for it.
    fn count_failure(&self, account: Option<&str>, address: IpAddr) {
        let now = self.now_ms();
        if self.addresses.failed(address, account, now) {
            self.counts.lockouts.inc();
            tracing::warn!(%address, "locked out after too many failed logins");
        }
        if let Some(account) = account
            && self.guesses.failed(account, now)
        {
            self.counts.back_offs.inc();
            tracing::warn!(account, %address, "too many wrong passwords for one account: the next must wait");
        }
    }

    fn may_log_in(&self, address: IpAddr) -> Result<(), Refused> {
        self.addresses.may_log_in(address, self.now_ms()).map_err(|refusal| self.limited(refusal))
    }

    /// `account`: canonical.
    fn may_try_password(&self, account: &str) -> Result<(), Refused> {
        self.guesses.may_try(account, self.now_ms()).map_err(|back_off| {
            self.counts.refuse("back_off");
            Refused::No { code: ErrorCode::RateLimited, message: back_off.to_string() }
        })
    }

    fn limited(&self, refusal: AddressRefusal) -> Refused {
        let message = refusal.to_string();
        self.counts.refuse(refusal.reason());
        match refusal {
            AddressRefusal::LockedOut { .. } => Refused::Over { code: ErrorCode::LockedOut, message },
            AddressRefusal::TooManyLogins { .. } | AddressRefusal::TooManyCreations { .. } => {
                Refused::No { code: ErrorCode::RateLimited, message }
            }
        }
    }

    /// Makes account and character, and logs it in; they are in the database when this returns.
    async fn create(&self, new: &NewCharacter, agent: bool) -> Result<Login, Refused> {
        let record = self.newborn(new, agent);
        // Of now: a save of an earlier character of this name, written again after a crash, is older than this one.
        let number = self.engine.stats.number.load(Ordering::Relaxed);
        let row = row_of(&record, number, unix_ms())
            .map_err(|error| Refused::No { code: ErrorCode::Internal, message: error.to_string() })?;
        let account =
            NewAccount { display_name: &new.name, password: new.password.as_deref(), with_key: false, character: &row };
        let login = self.accounts.create_and_log_in(account, unix_ms()).await.map_err(|refusal| {
            let message = refusal.to_string();
            let code = match refusal {
                CreateRefusal::NameTaken { .. } => ErrorCode::NameRefused,
                CreateRefusal::Password(_) | CreateRefusal::NoWayIn => ErrorCode::BadField,
                CreateRefusal::Unavailable(_) => ErrorCode::Internal,
                CreateRefusal::Stopping => ErrorCode::ShuttingDown,
            };
            match code {
                ErrorCode::ShuttingDown => Refused::Over { code, message },
                _ => Refused::No { code, message },
            }
        })?;
        self.counts.characters_made.inc();
        // Whoever has just chosen the password need not prove that it knows it: hashing is what a login costs.
        Ok(login)
    }
}
