//! A person's way in, whatever carries the text: the conversation before the game, and the work that it asks for.
//!
//! `session::telnet` decides what is said, this waits for the accounts, and the transport prints.
//! Invariant: no password is kept here longer than the answer to it takes.

use super::connection::{Connection, Standing};
use crate::accounts::{Credential, Login};
use crate::engine::CommandNote;
use crate::lobby::{LIKE_ANOTHERS, NameHold, Refusal, SOMEBODYS_NAME, Visitor, account};
use crate::session::telnet::{Answer, Ask, Conversation, Step, TRIES_MAX};
use crate::store::StoreError;
use protocol::names;

#[derive(Default)]
pub struct PersonLogin {
    /// Until the game begins.
    talk: Option<Box<Conversation>>,
    /// Who it is, when that is known.
    login: Option<Box<Login>>,
    /// The name of a character in the making: nobody else is offered it meanwhile.
    held: Option<NameHold>,
    /// Wrong passwords that came by `by_credentials`.
    refused: u32,
    /// Written in the menu, for the world.
    description: Option<String>,
}

impl PersonLogin {
    /// Begins the talk with a greeting.
    pub fn begin(&mut self, greeting: &str, core: &Connection) -> Vec<Step> {
        let (talk, steps) = Conversation::begin(greeting, &core.lobby.content);
        self.talk = Some(Box::new(talk));
        steps
    }

    /// Somebody whom the program before knew.
    pub fn resumed(&mut self, login: Login) {
        self.login = Some(Box::new(login));
    }

    /// The game has not begun.
    pub fn is_on(&self) -> bool {
        self.talk.is_some()
    }

    /// The first question is still open: nobody has begun to say who it is.
    pub fn asks_for_name(&self) -> bool {
        self.talk.as_ref().is_some_and(|talk| talk.asks_for_name())
    }

    /// Who it is, where that is known.
    pub fn name_in_play(&self) -> Option<&str> {
        self.login.as_ref().map(|login| login.display_name.as_str())
    }

    /// A client says at once who it is: as far as `enter`. A refusal, and whether the connection ends with it.
    pub async fn by_credentials(
        &mut self,
        account: &str,
        password: String,
        core: &Connection,
    ) -> Result<(), (String, bool)> {
        if !self.asks_for_name() {
            return Err(("You are on your way in already: go on in the text.".into(), false));
        }
        // Some clients have an account and a character of it in one; here both are one.
        let name = account.rsplit(':').next().unwrap_or_default();
        let name = names::check_name(name).map_err(|refusal| (refusal.to_string(), false))?;
        match core.login(&name, Credential::Password(password)).await {
            Ok(login) => {
                self.login = Some(Box::new(login));
                Ok(())
            }
            Err(refusal) => {
                self.refused += 1;
                Err((refusal.message().to_string(), refusal.is_over() || self.refused >= TRIES_MAX))
            }
        }
    }

    pub fn standing(&self) -> Standing {
        match &self.talk {
            // In the menu it has the time of those who play.
            _ if self.login.is_some() => Standing::Known,
            Some(talk) if talk.creates() => Standing::Creates,
            Some(_) => Standing::LogsIn,
            None => Standing::Known,
        }
    }

    /// Who it is, for the next program.
    pub fn into_login(self) -> Option<Login> {
        self.login.map(|login| *login)
    }

    /// What was typed.
    pub fn line(&mut self, line: &str) -> Vec<Step> {
        self.talk.as_mut().map_or_else(Vec::new, |talk| talk.line(line))
    }

    /// Does what the talk asks for, and goes on with what comes of it.
    pub async fn answer(&mut self, ask: Ask, core: &Connection) -> Vec<Step> {
        let answer = self.find_answer(ask, core).await;
        self.talk.as_mut().map_or_else(Vec::new, |talk| talk.answered(answer))
    }

    /// Into the world: the talk is over.
    pub async fn enter(&mut self, core: &mut Connection) -> Result<(), String> {
        let Some(login) = &self.login else { return Err("Log in first.".into()) };
        core.enter(Visitor::person(login)).await.map_err(|refusal| refusal.message().to_string())?;
        if let Some(text) = self.description.take() {
            let line = format!("description {}", if text.is_empty() { "clear" } else { &text });
            core.post(line, CommandNote::default());
        }
        self.talk = None;
        Ok(())
    }

    async fn find_answer(&mut self, ask: Ask, core: &Connection) -> Answer {
        // A ban that comes while somebody is in the menu ends that.
        if let Some(Err(refusal)) = self.login.as_ref().map(|login| core.lobby.may_play(&login.name)) {
            return refused(&refusal);
        }
        match ask {
            Ask::Exists { name } => match core.lobby.accounts.exists(&name).await {
                Ok(true) => Answer::Exists(true),
                Ok(false) if core.lobby.is_somebodys_name(&name) => {
                    Answer::NameTaken { message: SOMEBODYS_NAME.into() }
                }
                Ok(false) => match core.lobby.accounts.looks_like_anothers(&name).await {
                    Ok(true) => Answer::NameTaken { message: LIKE_ANOTHERS.into() },
                    Ok(false) => {
                        // What it thought of before is free again.
                        self.held = None;
                        self.held = core.lobby.wanted_names.hold(&name);
                        match self.held.is_some() {
                            true => Answer::Exists(false),
                            false => Answer::NameTaken {
                                message: "Somebody is about to take that name. Choose another, or come back later."
                                    .into(),
                            },
                        }
                    }
                    Err(error) => unavailable(&error),
                },
                Err(error) => unavailable(&error),
            },
            Ask::Login { name, password } => match core.login(&name, Credential::Password(password.0)).await {
                Ok(login) => {
                    let motd = core.lobby.welcome(&login, false);
                    self.login = Some(Box::new(login));
                    Answer::LoggedIn { motd }
                }
                Err(refusal) => refused(&refusal),
            },
            Ask::NewDialogue { name } => Answer::Dialogue(Box::new(core.lobby.dialogue(&name))),
            Ask::Create(new) => match core.create(&new, false).await {
                Ok(login) => {
                    self.login = Some(Box::new(login));
                    self.held = None;
                    Answer::Created { motd: core.lobby.motd.clone() }
                }
                Err(refusal) if refusal.is_over() => refused(&refusal),
                Err(refusal) => Answer::NameTaken { message: refusal.message().into() },
            },
            Ask::ChangePassword { old, new } => {
                match core.lobby.change_password(self.name(), &old.0, &new.0, core.address).await {
                    Ok(()) => Answer::Done { message: "Your password is changed.".into() },
                    Err(refusal) => refused(&refusal),
                }
            }
            Ask::Describe { text } => {
                self.description = Some(text.split_whitespace().collect::<Vec<_>>().join(" "));
                Answer::Done { message: "Others will see that as soon as you enter the world.".into() }
            }
            Ask::Delete { password } => self.delete(password.0, core).await,
            Ask::Enter => unreachable!("the transport enters by `enter`, which ends the talk"),
        }
    }

    async fn delete(&mut self, password: String, core: &Connection) -> Answer {
        let name = self.name();
        if let Err(refusal) = core.login(name, Credential::Password(password)).await {
            return Answer::Refused { message: format!("{} Nothing was deleted.", refusal.message()), over: false };
        }
        match account::delete(&core.lobby, name).await {
            Ok(()) => Answer::Deleted { message: core.lobby.content.sentences.deleted.to_string() },
            Err(error) => {
                tracing::error!(%error, %name, "a character could not be deleted");
                Answer::Refused { message: "That could not be done just now. Try again later.".into(), over: false }
            }
        }
    }

    fn name(&self) -> &str {
        self.login.as_ref().map_or("", |login| &login.name)
    }
}

fn refused(refusal: &Refusal) -> Answer {
    Answer::Refused { message: refusal.message().into(), over: refusal.is_over() }
}

fn unavailable(error: &StoreError) -> Answer {
    tracing::error!(%error, "the accounts cannot be reached");
    Answer::Refused { message: "The accounts cannot be reached just now. Try again in a minute.".into(), over: true }
}
