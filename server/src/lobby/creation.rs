//! Making characters: the dialogue with the dice and hometowns of the world at hand, the first record, account and
//! character in the database.
//!
//! What is asked and in which order is `session::creation`. Invariant: the limits of the address are asked before
//! anything is made.

use super::{Lobby, Refusal};
use crate::accounts::{CreateRefusal, Login, NewAccount};
use crate::saver::row_of;
use crate::session::NewCharacter;
use crate::session::creation::Dialogue;
use crate::times::unix_ms;
use content::Hometown;
use protocol::ErrorCode;
use std::net::IpAddr;
use std::sync::atomic::Ordering;
use world::character::PlayerFlags;
use world::record::CharacterRecord;
use world::rules::creation::{self, Choices, Rolls};

/// What is said to who would be called like one of the people of the world.
pub const SOMEBODYS_NAME: &str = "Somebody or something of this world is called that already. Choose another.";
pub const LIKE_ANOTHERS: &str = "That name would be taken for somebody else's. Choose another.";

/// What people of a world are called by what they are, in lower case and in order: as a name it would pass for one of
/// them.
#[rustfmt::skip]
const TITLES: &[&str] = &[
    "abbot", "baker", "baron", "beggar", "captain", "duke", "emperor", "empress", "guard", "guardian", "guildmaster",
    "healer", "innkeeper", "keeper", "king", "knight", "lady", "lord", "master", "mayor", "merchant", "mistress",
    "priest", "priestess", "prince", "princess", "queen", "sergeant", "serjeant", "sexton", "shopkeeper", "sir",
    "soldier", "steward", "teacher", "warden", "watchman",
];

impl Lobby {
    /// A fresh dialogue for a character of this name.
    pub fn dialogue(&self, name: &str) -> Dialogue {
        let dice = creation::dice(self.seed, name, Rolls::Abilities);
        Dialogue::new(self.rules.clone(), self.content.hometowns.clone(), dice)
    }

    /// Whether a new character would be called like somebody of this world, like what somebody is, or like a word that
    /// one types: "look Look" shows nobody.
    pub fn is_somebodys_name(&self, name: &str) -> bool {
        let word = name.trim().to_lowercase();
        TITLES.binary_search(&word.as_str()).is_ok()
            || world::commands::is_common_verb(&word)
            || self.content.channels.iter().any(|channel| *channel.name == *word)
            || self.content.is_somebodys_name(name, world::channel::names::folded)
    }

    pub fn hometown_named(&self, word: &str) -> Option<char> {
        let word = word.trim();
        let by_key = self.content.hometowns.iter().find(|h| word.len() == 1 && word.starts_with(h.key));
        by_key.or_else(|| self.content.hometowns.iter().find(|h| h.name.eq_ignore_ascii_case(word))).map(|h| h.key)
    }

    pub fn first_hometown(&self) -> char {
        self.content.hometowns.first().map_or(Hometown::NOWHERE, |h| h.key)
    }

    /// Makes a character and logs it in. Counts as one login.
    pub async fn create_and_log_in(&self, new: &NewCharacter, agent: bool, address: IpAddr) -> Result<Login, Refusal> {
        self.may_log_in(address)?;
        self.addresses.may_create(address, self.now_ms()).map_err(|refusal| self.limited(refusal))?;
        self.create(new, agent).await
    }

    /// The first state of a new character.
    fn newborn(&self, new: &NewCharacter, agent: bool) -> CharacterRecord {
        let choices = Choices {
            name: new.name.as_str().into(),
            sex: new.sex,
            race: new.race,
            class: new.class,
            hometown: new.hometown,
            color: new.color,
            abilities: new.abilities,
            agent,
        };
        let mut dice = creation::dice(self.seed, &new.name, Rolls::FirstLevel);
        let mut record = creation::newborn(&self.rules, &choices, &mut dice);
        // A person who comes for the first time does not know which words of a page are worth typing; a program is
        // given them as variables.
        if !agent {
            record.player.flags.insert(PlayerFlags::HINTS);
        }
        record
    }

    /// Makes account and character, and logs it in; they are in the database when this returns.
    async fn create(&self, new: &NewCharacter, agent: bool) -> Result<Login, Refusal> {
        // The database may not know yet of a name that was taken just now.
        if self.engine.with_world(|world| world.state.channels.is_shown_by_another(&new.name)) {
            let refusal = CreateRefusal::NameTaken { name: new.name.clone() };
            return Err(Refusal::No { code: ErrorCode::NameRefused, message: refusal.to_string() });
        }
        let record = self.newborn(new, agent);
        // Of now: a save of an earlier character of this name, written again after a crash, is older than this one.
        let number = self.engine.stats.number.load(Ordering::Relaxed);
        let row = row_of(&record, number, unix_ms())
            .map_err(|error| Refusal::No { code: ErrorCode::Internal, message: error.to_string() })?;
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
                ErrorCode::ShuttingDown => Refusal::Over { code, message },
                _ => Refusal::No { code, message },
            }
        })?;
        self.counts.characters_made.inc();
        // Whoever has just chosen the password need not prove that it knows it: hashing is what a login costs.
        Ok(login)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_stand_in_order_for_the_search() {
        assert!(TITLES.is_sorted());
        for (name, is_refused) in [("look", true), ("say", true), ("scout", false), ("ada", false)] {
            assert_eq!(world::commands::is_common_verb(name), is_refused, "{name}");
        }
    }
}
