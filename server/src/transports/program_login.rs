//! A program's way in, whatever carries its frames: what `login` and `char_input` ask for.
//!
//! Gives back a step, which the transport writes as frames. Invariant: the answer to a frame depends on that frame and
//! on the character that is being made, and a new `login` begins anew.

use super::connection::{Connection, Standing};
use crate::accounts::{Credential, Login};
use crate::client_info::ClientInfo;
use crate::credentials::check_password;
use crate::lobby::{LIKE_ANOTHERS, Refusal, SOMEBODYS_NAME};
use crate::session::creation::{Chosen, Dialogue, Next};
use crate::session::{NewCharacter, class_of, race_of};
use crate::store::StoreError;
use protocol::code::ErrorCode;
use protocol::creation::Sex;
use protocol::frame::{self, Proof};
use protocol::payload::CharCreate;

#[derive(Default)]
pub struct ProgramLogin {
    creating: Option<Box<Creating>>,
}

struct Creating {
    name: String,
    password: String,
    agent: bool,
    info: ClientInfo,
    dialogue: Dialogue,
}

/// What is to be done next.
pub enum LoginStep {
    /// A question of the dialogue; with what was wrong with the last answer.
    Ask { problem: Option<String>, question: CharCreate },
    /// It is known who it is.
    Enter(Box<Entrant>),
}

/// A program that may come in.
#[derive(Clone, Debug)]
pub struct Entrant {
    pub login: Login,
    pub agent: bool,
    pub info: ClientInfo,
}

impl ProgramLogin {
    pub fn standing(&self) -> Standing {
        if self.creating.is_some() { Standing::Creates } else { Standing::LogsIn }
    }

    /// The frame `login`.
    pub async fn login(&mut self, login: frame::Login, core: &Connection) -> Result<LoginStep, Refusal> {
        self.creating = None;
        let info = ClientInfo::of(&login);
        if login.new_char {
            return self.new_character(login, info, core).await;
        }
        let credential = match login.proof() {
            Some(Proof::Token(token)) => Credential::Token(token.0.clone()),
            Some(Proof::Key(key)) => Credential::Key(key.0.clone()),
            Some(Proof::Password(password)) => Credential::Password(password.0.clone()),
            None => {
                let message = "A login needs `password` (or a key in its place), `api_key` or `token`.";
                return Err(no(ErrorCode::BadLogin, message));
            }
        };
        // A key or token names its character; the name may then be left out.
        let name = login.player_name.unwrap_or_default();
        let known = core.login(&name, credential).await?;
        Ok(LoginStep::Enter(Box::new(Entrant { login: known, agent: login.is_agent, info })))
    }

    async fn new_character(
        &mut self,
        login: frame::Login,
        info: ClientInfo,
        core: &Connection,
    ) -> Result<LoginStep, Refusal> {
        let typed = login.player_name.as_deref().unwrap_or_default();
        let name =
            protocol::names::check_name(typed).map_err(|refusal| no(ErrorCode::NameRefused, refusal.to_string()))?;
        let Some(password) = login.password.as_ref().map(|password| password.0.clone()) else {
            return Err(no(ErrorCode::BadField, "A new character needs a `password`."));
        };
        // Before the password is looked at: who mistypes that of a character is told of the name, not of a length.
        let unavailable = |error: StoreError| {
            tracing::error!(%error, "a name could not be looked up");
            no(ErrorCode::Internal, "The accounts cannot be reached just now. Try again in a minute.")
        };
        let is_taken = core.lobby.accounts.exists(&name).await.map_err(unavailable)?;
        if is_taken {
            return Err(no(ErrorCode::NameRefused, format!("The name {name} is taken. Choose another.")));
        }
        if core.lobby.is_somebodys_name(&name) {
            return Err(no(ErrorCode::NameRefused, SOMEBODYS_NAME));
        }
        if core.lobby.accounts.looks_like_anothers(&name).await.map_err(unavailable)? {
            return Err(no(ErrorCode::NameRefused, LIKE_ANOTHERS));
        }
        check_password(&name, &password).map_err(|refusal| no(ErrorCode::BadField, refusal.to_string()))?;
        let dialogue = core.lobby.dialogue(&name);
        let agent = login.is_agent;
        let (Some(class), Some(race)) = (login.class, login.race) else {
            let question = dialogue.question();
            self.creating = Some(Box::new(Creating { name, password, agent, info, dialogue }));
            return Ok(LoginStep::Ask { problem: None, question });
        };
        let home = login.hometown.as_deref().and_then(|word| core.lobby.hometown_named(word));
        let home = home.unwrap_or_else(|| core.lobby.first_hometown());
        let chosen = answer_at_once(dialogue, login.sex, race, class, home)?;
        create(NewCharacter::of(name, password, chosen), agent, info, core).await
    }

    /// The frame `char_input`.
    pub async fn char_input(&mut self, choice: &str, core: &Connection) -> Result<LoginStep, Refusal> {
        let Some(mut creating) = self.creating.take() else {
            let message = "No character is being made. Send `login` with `\"new_char\": true` to make one.";
            return Err(no(ErrorCode::NoCreation, message));
        };
        let problem = match creating.dialogue.answer(choice) {
            Ok(Next::Done(chosen)) => {
                let Creating { name, password, agent, info, .. } = *creating;
                return create(NewCharacter::of(name, password, *chosen), agent, info, core).await;
            }
            Ok(Next::Ask) => None,
            Err(problem) => Some(problem),
        };
        let question = creating.dialogue.question();
        self.creating = Some(creating);
        Ok(LoginStep::Ask { problem, question })
    }
}

/// A login that says everything is the same dialogue, answered at once.
fn answer_at_once(
    mut dialogue: Dialogue,
    sex: Option<Sex>,
    race: u8,
    class: u8,
    home: char,
) -> Result<Chosen, Refusal> {
    if race_of(race).is_none() || class_of(class).is_none() {
        return Err(no(ErrorCode::BadField, "`class` or `race` is none of the numbers that exist."));
    }
    let sex = match sex {
        Some(Sex::Male) => "M",
        Some(Sex::Female) | None => "F",
    };
    for answer in ["N", sex, &race.to_string(), &class.to_string(), &home.to_string(), "Y", "Y"] {
        match dialogue.answer(answer) {
            Ok(Next::Ask) => {}
            Ok(Next::Done(chosen)) => return Ok(*chosen),
            Err(problem) => return Err(no(ErrorCode::BadField, problem)),
        }
    }
    Err(no(ErrorCode::Internal, "The character could not be made."))
}

async fn create(new: NewCharacter, agent: bool, info: ClientInfo, core: &Connection) -> Result<LoginStep, Refusal> {
    let login = core.create(&new, agent).await?;
    Ok(LoginStep::Enter(Box::new(Entrant { login, agent, info })))
}

/// It may try again.
fn no(code: ErrorCode, message: impl Into<String>) -> Refusal {
    Refusal::No { code, message: message.into() }
}
