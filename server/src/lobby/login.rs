//! Logging in: which limits are asked, what counts as a failure, and what the caller reads.
//!
//! Who somebody is is checked by `accounts`; the numbers are `limits`. Invariants: no password is hashed before its
//! address and its account may try one; a failure is counted for both, and a success with a password for that account
//! only.

use super::{Lobby, Refusal};
use crate::accounts::{Credential, HostLogin, HostRefusal, IssuedToken, Login, LoginRefusal};
use crate::credentials::key_digits;
use crate::limits::{AddressRefusal, ConnectionRefusal};
use crate::moderation;
use crate::store::canonical;
use crate::times::{for_people, unix_ms};
use protocol::ErrorCode;
use std::net::IpAddr;

impl Lobby {
    /// Checks a name with its proof. Counts tries and failures by address, and wrong passwords by account.
    pub async fn login(&self, name: &str, credential: Credential, address: IpAddr) -> Result<Login, Refusal> {
        let now = self.now_ms();
        self.not_kept_out(address)?;
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
                self.may_play(&login.name)?;
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

    /// A call came with a token that is nobody's: it counts as a failed login of this address. `Err`: there were so
    /// many that nobody is told whether this one is good.
    pub fn wrong_token(&self, address: IpAddr) -> Result<(), Refusal> {
        self.may_log_in(address)?;
        self.counts.refuse("bad_token");
        self.count_failure(None, address);
        Ok(())
    }

    /// Checks the key of a host. Counts tries and failures by address, as for keys of agents.
    pub async fn host_login(&self, key: &str, address: IpAddr) -> Result<HostLogin, Refusal> {
        self.may_log_in(address)?;
        match self.accounts.host_login(key, unix_ms()).await {
            Ok(login) => {
                self.addresses.succeeded(address, &login.owner);
                Ok(login)
            }
            Err(refusal) => {
                self.counts.refuse(refusal.reason());
                if refusal.counts_as_failure() {
                    self.count_failure(None, address);
                }
                let message = refusal.to_string();
                Err(match refusal {
                    HostRefusal::Revoked => Refusal::Over { code: ErrorCode::KeyRevoked, message },
                    HostRefusal::Unavailable(error) => {
                        tracing::error!(%error, "the key of a host could not be checked");
                        Refusal::No { code: ErrorCode::Internal, message }
                    }
                    _ => Refusal::No { code: ErrorCode::BadLogin, message },
                })
            }
        }
    }

    /// Changes a password for somebody who gives the present one, or its key where there is none. Counts as a login of
    /// this address, and a wrong one as a failed one.
    pub async fn change_password(&self, name: &str, old: &str, new: &str, address: IpAddr) -> Result<(), Refusal> {
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
                Err(Refusal::No { code: ErrorCode::BadLogin, message: refusal.to_string() })
            }
        }
    }

    /// What somebody reads who comes in. The world's lesson is for the first time, and for programs, which forget it;
    /// after that there is news: when one was here last, and how many wrong passwords there were meanwhile.
    pub fn welcome(&self, login: &Login, agent: bool) -> String {
        let lesson = self.motd.trim();
        let first = match login.last_here_at_ms.map(for_people) {
            Some(at) if !agent => format!("Welcome back, {}. You were last here on {at}.", login.display_name),
            _ => lesson.to_string(),
        };
        match self.guesses.take_untold(&login.name) {
            0 => first,
            1 => format!("{first}\n\nSince you were last here, a wrong password was given for you once."),
            count => format!(
                "{first}\n\nSince you were last here, a wrong password was given for you {count} times. If that was \
                 not you, somebody is guessing: choose a long one."
            ),
        }
    }

    /// For the next login of a program. `None` where none could be issued.
    pub async fn token(&self, login: &Login, agent: bool) -> Option<IssuedToken> {
        match self.accounts.issue_token(login, agent, unix_ms()).await {
            Ok(token) => token,
            Err(error) => {
                tracing::warn!(%error, "no token could be issued; the password still works");
                None
            }
        }
    }

    /// `account`: canonical, where there is one and a password was tried.
    fn failed(&self, account: Option<&str>, address: IpAddr, refusal: LoginRefusal) -> Refusal {
        self.counts.refuse(refusal.reason());
        if refusal.counts_as_failure() {
            self.count_failure(account, address);
        }
        let message = match refusal.hint() {
            Some(hint) => format!("{refusal} {hint}"),
            None => refusal.to_string(),
        };
        match refusal {
            LoginRefusal::KeyRevoked { .. } => Refusal::Over { code: ErrorCode::KeyRevoked, message },
            LoginRefusal::Unavailable(error) => {
                tracing::error!(%error, "a login could not be checked");
                Refusal::No { code: ErrorCode::Internal, message }
            }
            LoginRefusal::Stopping => Refusal::Over { code: ErrorCode::ShuttingDown, message },
            // The published words stand alone; the hint is for people who mistype names.
            LoginRefusal::WrongPassword | LoginRefusal::KeyOfAnother { .. } | LoginRefusal::NoPassword => {
                Refusal::No { code: ErrorCode::BadLogin, message: refusal.to_string() }
            }
            _ => Refusal::No { code: ErrorCode::BadLogin, message },
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

    /// For who comes by a way on which the accept could not ask, as through a proxy.
    fn not_kept_out(&self, address: IpAddr) -> Result<(), Refusal> {
        let over =
            |refusal: ConnectionRefusal| Refusal::Over { code: ErrorCode::LockedOut, message: refusal.to_string() };
        self.not_banned(address).map_err(over)
    }

    /// Refuses a character that is banned.
    pub fn may_play(&self, name: &str) -> Result<(), Refusal> {
        match self.bans.of_name(name, unix_ms()) {
            Some(ban) => {
                self.counts.refuse("banned");
                Err(Refusal::Over { code: ErrorCode::LockedOut, message: moderation::notice(&ban) })
            }
            None => Ok(()),
        }
    }

    pub(super) fn may_log_in(&self, address: IpAddr) -> Result<(), Refusal> {
        self.not_kept_out(address)?;
        self.addresses.may_log_in(address, self.now_ms()).map_err(|refusal| self.limited(refusal))
    }

    /// `account`: canonical.
    fn may_try_password(&self, account: &str) -> Result<(), Refusal> {
        self.guesses.may_try(account, self.now_ms()).map_err(|back_off| {
            self.counts.refuse("back_off");
            Refusal::No { code: ErrorCode::RateLimited, message: back_off.to_string() }
        })
    }

    pub(super) fn limited(&self, refusal: AddressRefusal) -> Refusal {
        let message = refusal.to_string();
        self.counts.refuse(refusal.reason());
        match refusal {
            AddressRefusal::LockedOut { .. } => Refusal::Over { code: ErrorCode::LockedOut, message },
            AddressRefusal::TooManyLogins { .. } | AddressRefusal::TooManyCreations { .. } => {
                Refusal::No { code: ErrorCode::RateLimited, message }
            }
        }
    }
}
