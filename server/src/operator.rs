//! What the operator does to accounts and characters, shared by the admin API and the subcommands without a server.

use crate::accounts::{Accounts, ChangeRefusal, Key, KeyId, NewAccount};
use crate::credentials::{HOST_KEY_MARK, KEY_MARK};
use crate::engine::{AdminAnswer, AdminCall, Engine};
use crate::random::random_u64;
use crate::saver::{Saver, read_record, row_of};
use crate::session::{class_of, race_of};
use crate::store::{Store, accounts, canonical, characters, meta};
use crate::times::unix_ms;
use anyhow::{Context, bail};
use content::words::Sex;
use protocol::creation as wire;
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use world::agent::AgentTerms;
use world::character::LEVEL_MAX;
use world::input::KnownPerson;
use world::promotion;
use world::record::CharacterRecord;
use world::rules::Rules;
use world::rules::creation::{self, Choices, Rolls};

/// A new key, shown once.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeyAnswer {
    pub name: String,
    pub key: String,
    /// The character was made with it.
    pub created: bool,
}

/// How a key is listed.
#[derive(Debug, Serialize, Deserialize)]
pub struct KeyLine {
    pub id: i64,
    /// Of the character, or of the owner of a host's key.
    pub name: String,
    /// `dp_` or `dh_`, and the first 8 digits.
    pub key: String,
    pub created_at: i64,
    pub last_used_at: Option<i64>,
    pub revoked_at: Option<i64>,
    /// It lets a program play all agents of the owner. `revoke` takes its number with an `h`.
    #[serde(default)]
    pub host: bool,
}

impl KeyLine {
    pub fn of(key: &Key) -> KeyLine {
        let Key { id, row } = key;
        let (id, host, mark) = match *id {
            KeyId::Agent(id) => (id, false, KEY_MARK),
            KeyId::Host(id) => (id, true, HOST_KEY_MARK),
        };
        KeyLine {
            id,
            name: shown(&row.name),
            key: format!("{mark}{}…", row.prefix),
            created_at: row.created_at,
            last_used_at: row.last_used_at,
            revoked_at: row.revoked_at,
            host,
        }
    }

    /// The number by which `revoke` knows it.
    pub fn number(&self) -> KeyId {
        if self.host { KeyId::Host(self.id) } else { KeyId::Agent(self.id) }
    }
}

/// A name as players see it, of one as the operator typed it or as the database has it.
pub fn shown(name: &str) -> String {
    protocol::names::check_name(name).unwrap_or_else(|_| name.to_string())
}

/// Makes keys, and characters for them where there are none.
pub struct Maker<'a> {
    pub accounts: &'a Accounts,
    pub rules: &'a Rules,
    pub hometown: char,
    /// Of the world's newest input; 0 without a server.
    pub number: u64,
    /// Of the world, from which newcomers roll; 0 without a server.
    pub seed: u64,
}

impl Maker<'_> {
    /// A key for a character, which is made if it does not exist: a human warrior unless told otherwise.
    pub async fn keygen(&self, name: &str, class: Option<&str>, race: Option<&str>) -> anyhow::Result<KeyAnswer> {
        let name = protocol::names::check_name(name).map_err(|refusal| anyhow::anyhow!("{refusal}"))?;
        if self.accounts.exists(&name).await? {
            let key = self.accounts.keygen(&name, unix_ms()).await?;
            return Ok(KeyAnswer { name, key: key.reveal().to_string(), created: false });
        }
        let race_number = number(wire::RACES, race.unwrap_or("human"), "race")?;
        let class_number = number(wire::CLASSES, class.unwrap_or("warrior"), "class")?;
        let race = race_of(race_number).context("the world has no such race")?;
        let class = class_of(class_number).context("the world has no such class")?;
        if !world::rules::allows(race, class) {
            bail!("only humans can be ninjas; choose another race or class");
        }
        let mut dice = creation::dice(self.seed, &name, Rolls::Abilities);
        let choices = Choices {
            name: name.as_str().into(),
            sex: Sex::Female,
            race,
            class,
            hometown: self.hometown,
            color: false,
            abilities: creation::roll_abilities(self.rules, race, class, &mut dice),
            agent: true,
        };
        let record = creation::newborn(self.rules, &choices, &mut creation::dice(self.seed, &name, Rolls::FirstLevel));
        let row = row_of(&record, self.number, unix_ms())?;
        let account = NewAccount { display_name: &name, password: None, with_key: true, character: &row };
        let key = self.accounts.create(account, unix_ms()).await?.context("a key was asked for")?;
        Ok(KeyAnswer { name, key: key.reveal().to_string(), created: true })
    }
}

/// What record as an agent a character is to have: the owner by name, and what the operator says of the rest.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct AgentOrder {
    pub owner: Option<String>,
    pub terms: AgentTerms,
}

impl AgentOrder {
    pub fn is_empty(&self) -> bool {
        *self == AgentOrder::default()
    }

    /// Whether it can be carried out, with a sentence for the operator where not.
    pub async fn check(&self, store: &Store) -> anyhow::Result<()> {
        self.terms.check().map_err(anyhow::Error::msg)?;
        if let Some(owner) = &self.owner {
            known_person(store, owner).await?;
        }
        Ok(())
    }
}

async fn known_person(store: &Store, name: &str) -> anyhow::Result<KnownPerson> {
    let Some(row) = characters::load(store, name).await? else {
        bail!("there is no character called {name:?}; it has to log in once, or be made with keygen");
    };
    let record = read_record(&row.data)?;
    Ok(KnownPerson { name: record.name, person: record.player.person })
}

/// Gives a character a record as an agent, with a server running.
pub async fn agent(live: &Live<'_>, name: &str, order: &AgentOrder) -> anyhow::Result<()> {
    order.check(live.store).await?;
    let who = known_person(live.store, name).await?;
    let owner = match &order.owner {
        Some(owner) => Some(known_person(live.store, owner).await?),
        None => None,
    };
    match live.engine.admin(AdminCall::Agent { who, owner, terms: Box::new(order.terms.clone()) }).await {
        Some(AdminAnswer::Done) => Ok(()),
        Some(AdminAnswer::NoRoom) => bail!("the disk is full; nothing is done until there is room again"),
        _ => bail!("the server is stopping"),
    }
}

/// Makes a character The Architect, with a server running.
pub async fn crown(live: &Live<'_>, name: &str) -> anyhow::Result<()> {
    let who = known_person(live.store, name).await?;
    match live.engine.admin(AdminCall::Crown { who }).await {
        Some(AdminAnswer::Done) => Ok(()),
        Some(AdminAnswer::NoRoom) => bail!("the disk is full; nothing is done until there is room again"),
        _ => bail!("the server is stopping"),
    }
}

/// The fact of this name waits for the next start: who is to be The Architect.
const ARCHITECT: &str = "architect";

/// Makes a character The Architect while no server runs: the next start does so.
pub async fn crown_without_server(store: &Store, name: &str) -> anyhow::Result<()> {
    known_person(store, name).await?;
    Ok(meta::set(store, ARCHITECT, name).await?)
}

/// Facts of this name wait for the next start: records of agents, which are the world's to keep.
const AGENT: &str = "agent.";

/// Gives a character a record as an agent while no server runs: the next start does so.
pub async fn agent_without_server(store: &Store, name: &str, order: &AgentOrder) -> anyhow::Result<()> {
    order.check(store).await?;
    let key = format!("{AGENT}{}", canonical(name));
    let earlier: AgentOrder = match meta::get(store, &key).await? {
        Some(waiting) => serde_json::from_str(&waiting)?,
        None => AgentOrder::default(),
    };
    let owner = order.owner.clone().or(earlier.owner);
    let order = AgentOrder { owner, terms: order.terms.clone().over(earlier.terms) };
    meta::set(store, &key, &serde_json::to_string(&order)?).await?;
    Ok(())
}

/// At a start: those who were given records meanwhile have them, and who was made The Architect is.
pub async fn agents_as_told(live: &Live<'_>) -> anyhow::Result<()> {
    if let Some(name) = meta::get(live.store, ARCHITECT).await? {
        if let Err(error) = crown(live, &name).await {
            tracing::warn!(name, %error, "who was to be The Architect from this start on is not");
        }
        meta::remove(live.store, ARCHITECT).await?;
    }
    for (key, order) in meta::beginning_with(live.store, AGENT).await? {
        let name = key.trim_start_matches(AGENT);
        let done = match serde_json::from_str(&order) {
            Ok(order) => agent(live, name, &order).await,
            Err(error) => Err(error.into()),
        };
        if let Err(error) = done {
            tracing::warn!(name, %error, "a record of an agent that waited for this start was not made");
        }
        meta::remove(live.store, &key).await?;
    }
    Ok(())
}

/// A key for programs that play the agents of this owner, who must have an account.
pub async fn host_keygen(accounts: &Accounts, owner: &str) -> anyhow::Result<KeyAnswer> {
    let name = shown(owner);
    let key = accounts.host_keygen(&name, unix_ms()).await?;
    Ok(KeyAnswer { name, key: key.reveal().to_string(), created: false })
}

fn number(table: &[(u8, &'static str)], word: &str, what: &str) -> anyhow::Result<u8> {
    let known = || table.iter().map(|(n, name)| format!("{n} {name}")).collect::<Vec<_>>().join(", ");
    wire::number_of(table, word).with_context(|| format!("there is no {what} {word:?}; there are: {}", known()))
}

/// What of a running server changes characters.
#[derive(Clone, Copy)]
pub struct Live<'a> {
    pub engine: &'a Arc<Engine>,
    pub saver: &'a Saver,
    pub store: &'a Store,
}

/// Sets a character's level with a server running: in the world if it is there, else in the database.
pub async fn promote(live: &Live<'_>, name: &str, level: i32) -> anyhow::Result<i32> {
    check_level(level)?;
    match live.engine.admin(AdminCall::Promote { name: name.to_string(), level }).await {
        Some(AdminAnswer::Done) => return Ok(level),
        Some(AdminAnswer::NoRoom) => bail!("the disk is full; nothing is done until there is room again"),
        None => bail!("the server is stopping"),
        // It is not in the world.
        Some(_) => {}
    }
    // What waits to be written is newer than the database.
    live.saver.drain(std::time::Duration::from_secs(10)).await;
    let level = promote_stored(live.store, name, level).await?;
    // Somebody may have come in meanwhile with the old level; and whoever is on the way with it reads again.
    live.engine.admin(AdminCall::Promote { name: name.to_string(), level }).await;
    Ok(level)
}

/// Sets the level of a character that is not in the world.
pub async fn promote_stored(store: &Store, name: &str, level: i32) -> anyhow::Result<i32> {
    check_level(level)?;
    let Some(row) = characters::load(store, name).await? else {
        bail!("there is no character called {name:?}; log in and make it first, or use keygen");
    };
    let mut record = read_record(&row.data)?;
    raise(&mut record, level);
    characters::save_batch(store, &[row_of(&record, row.written_by_input, unix_ms())?]).await?;
    Ok(level)
}

/// Facts of this name wait for the next start: levels of characters that may stand in the saved world.
const PROMOTED: &str = "promoted.";

/// Sets the level of a stored character while no server runs. The world that is saved beside the database may have the
/// character in it, and a replay may write it again, so the next start is told as well.
pub async fn promote_without_server(store: &Store, name: &str, level: i32) -> anyhow::Result<()> {
    let level = promote_stored(store, name, level).await?;
    meta::set(store, &format!("{PROMOTED}{}", canonical(name)), &level.to_string()).await?;
    Ok(())
}

/// At a start: those who were promoted meanwhile are, wherever they are.
pub async fn promote_as_told(live: &Live<'_>) -> anyhow::Result<()> {
    for (key, level) in meta::beginning_with(live.store, PROMOTED).await? {
        let name = key.trim_start_matches(PROMOTED);
        match level.parse() {
            Ok(level) => {
                if let Err(error) = promote(live, name, level).await {
                    tracing::warn!(name, level, %error, "a promotion that waited for this start was not done");
                }
            }
            Err(_) => tracing::warn!(name, level, "a promotion that waited for this start has no level"),
        }
        meta::remove(live.store, &key).await?;
    }
    Ok(())
}

/// A password that the operator gave or had made. Shown once, and only where it was made.
#[derive(Debug, Serialize, Deserialize)]
pub struct PasswordAnswer {
    pub name: String,
    /// Of chance, where none was given.
    pub made: Option<String>,
}

/// For who has forgotten the old one. Logins that are remembered by a token end; who is in the world stays.
pub async fn set_password(accounts: &Accounts, name: &str, given: Option<&str>) -> anyhow::Result<PasswordAnswer> {
    let name = shown(name);
    let made = given.is_none().then(password_of_chance);
    match accounts.set_password(&name, made.as_deref().or(given).unwrap_or_default()).await {
        Ok(()) => Ok(PasswordAnswer { name, made }),
        Err(ChangeRefusal::UnknownName) => bail!("there is no character called {name}"),
        Err(refusal) => Err(refusal.into()),
    }
}

/// 59 bits in letters and digits that nobody takes for each other.
fn password_of_chance() -> String {
    const SIGNS: &[u8; 31] = b"abcdefghjkmnpqrstuvwxyz23456789";
    let mut bits = random_u64();
    let mut password = String::with_capacity(14);
    for n in 0..12 {
        if n > 0 && n % 4 == 0 {
            password.push('-');
        }
        password.push(char::from(SIGNS[(bits % 31) as usize]));
        bits /= 31;
    }
    password
}

/// Facts of this name wait for the next start: characters that were deleted, and may stand in the saved world.
const REMOVED: &str = "removed.";

/// Deletes a character while no server runs: nobody logs in as it any more, and the next start takes it out of the
/// world, with its mind, its dreams and its session files.
pub async fn remove_without_server(store: &Store, name: &str) -> anyhow::Result<String> {
    let name = shown(name);
    let known = characters::delete(store, &name).await? | accounts::delete(store, &name).await?;
    anyhow::ensure!(known, "there is no character called {name}");
    meta::set(store, &format!("{REMOVED}{}", canonical(&name)), "").await?;
    Ok(name)
}

/// The canonical names of those who were deleted while no server ran.
pub async fn removed_meanwhile(store: &Store) -> anyhow::Result<Vec<String>> {
    let told = meta::beginning_with(store, REMOVED).await?;
    Ok(told.into_iter().map(|(key, _)| key.trim_start_matches(REMOVED).to_string()).collect())
}

/// Everything of it is gone.
pub async fn removal_is_done(store: &Store, name: &str) -> anyhow::Result<()> {
    Ok(meta::remove(store, &format!("{REMOVED}{}", canonical(name))).await?)
}

/// Errors: no character has such a level.
pub fn check_level(level: i32) -> anyhow::Result<()> {
    anyhow::ensure!((1..=LEVEL_MAX).contains(&level), "a level is between 1 and {LEVEL_MAX}, which {level} is not");
    Ok(())
}

fn raise(record: &mut CharacterRecord, level: i32) {
    // Outside the world, so of no seed: the same character always becomes the same.
    let mut dice = creation::dice(0, &record.name, Rolls::Levels);
    promotion::promote_record(record, level, &Rules::built_in(), &mut dice);
}
