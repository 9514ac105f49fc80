//! Ordinary players: who they are, what each is given before, and what each has when somebody looks.
//!
//! What each is given differs, so that nothing that is lost, doubled or handed to somebody else stays unseen. The
//! playing itself is the load generator's.

use super::client::Agent;
use crate::load::control::Control;
use anyhow::{Context, bail, ensure};
use content::flags::WearFlags;
use content::{Content, ObjectKind, Vnum};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

/// One of the ordinary players.
#[derive(Clone, Debug)]
pub struct Player {
    pub name: String,
    pub key: String,
    /// Its own: limits by address take each for a household.
    pub from: Ipv4Addr,
}

/// What cannot change by looking, walking and talking. Points and places do.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Possessions {
    pub level: i64,
    pub experience: i64,
    pub gold: i64,
    /// Number, name and instance of each object, sorted.
    pub carried: Vec<String>,
    pub worn: Vec<String>,
}

/// What one finds at a player.
pub type Findings = BTreeMap<String, Possessions>;

/// Name and address of the `n`th player.
pub fn name_of(n: usize) -> String {
    format!("Zq{n:05}")
}

pub fn address_of(n: usize) -> Ipv4Addr {
    Ipv4Addr::new(127, 20, (n / 250) as u8, (n % 250) as u8 + 1)
}

impl Possessions {
    /// From a full set of variables.
    pub fn of(variables: &Value) -> anyhow::Result<Possessions> {
        let number = |name: &str| variables[name].as_i64().with_context(|| format!("no {name} in the variables"));
        let object = |object: &Value| {
            format!("{} {} {}", object["vnum"], object["name"].as_str().unwrap_or("?"), object["instance_id"])
        };
        let carried = variables["INVENTORY"].as_array().context("no INVENTORY in the variables")?;
        let worn = variables["EQUIPMENT"].as_object().context("no EQUIPMENT in the variables")?;
        let mut carried: Vec<String> = carried.iter().map(object).collect();
        let mut worn: Vec<String> = worn.iter().map(|(slot, thing)| format!("{slot}: {}", object(thing))).collect();
        carried.sort();
        worn.sort();
        Ok(Possessions { level: number("LEVEL")?, experience: number("EXP")?, gold: number("GOLD")?, carried, worn })
    }

    /// What is not as it was, in words; empty where all is.
    pub fn changes(&self, now: &Possessions) -> String {
        let mut changes = Vec::new();
        for (what, before, after) in [
            ("level", self.level, now.level),
            ("experience", self.experience, now.experience),
            ("gold", self.gold, now.gold),
        ] {
            if before != after {
                changes.push(format!("{what} {before} is {after}"));
            }
        }
        for (what, before, after) in [("carried", &self.carried, &now.carried), ("worn", &self.worn, &now.worn)] {
            changes.extend(lacking(before, after).into_iter().map(|object| format!("not {what} any more: {object}")));
            changes.extend(lacking(after, before).into_iter().map(|object| format!("{what} since: {object}")));
        }
        changes.join(", ")
    }
}

/// What is in the first list and not in the second, as often as it is missing.
fn lacking<'o>(all: &'o [String], among: &[String]) -> Vec<&'o str> {
    let mut left: Vec<&String> = among.iter().collect();
    let mut lacking = Vec::new();
    for object in all {
        match left.iter().position(|other| *other == object) {
            Some(at) => drop(left.swap_remove(at)),
            None => lacking.push(object.as_str()),
        }
    }
    lacking
}

/// Who has something else now, or is not there: one line each.
pub fn differences(before: &Findings, now: &Findings) -> Vec<String> {
    let mut lines = Vec::new();
    for (name, had) in before {
        match now.get(name) {
            None => lines.push(format!("{name} is gone")),
            Some(has) if has != had => lines.push(format!("{name}: {}", had.changes(has))),
            Some(_) => {}
        }
    }
    lines
}

/// An object to give to everybody: one that may be taken, weighs little and does nothing, and a word for it.
fn gift_of(content: &Content) -> Option<(Vnum, String)> {
    let fits = content.objects.iter().find(|object| {
        matches!(object.kind, ObjectKind::Treasure | ObjectKind::Other | ObjectKind::Trash)
            && object.wear.has(WearFlags::TAKE)
            && object.timer_hours == 0
            && object.weight <= 1
            && object.flags.is_empty()
    })?;
    Some((fits.vnum, fits.keywords.split(' ').next()?.to_string()))
}

/// Immortals who hand out at a time: each may type ten commands a second, like anybody.
const QUARTERMASTERS: usize = 8;
/// Only they may set somebody's values.
const QUARTERMASTER_LEVEL: i32 = 34;

/// Gives each player an object, gold and experience, the last two different for each. What each has then.
pub async fn provide(http: SocketAddr, token: &str, content: &Content, players: &[Player]) -> anyhow::Result<Findings> {
    let gift = gift_of(content).context("the world has no object that could be given")?;
    let mut masters = Vec::new();
    for (n, part) in players.chunks(players.len().div_ceil(QUARTERMASTERS).max(1)).enumerate() {
        let (part, token, gift) = (part.to_vec(), token.to_string(), gift.clone());
        let first = n * players.len().div_ceil(QUARTERMASTERS).max(1);
        masters.push(tokio::spawn(async move {
            let mut master = Quartermaster::arrive(http, &token, n).await?;
            for (n, player) in part.iter().enumerate() {
                master.provide(http, player, first + n, &gift).await?;
            }
            master.agent.command("quit").await?;
            master.agent.drain(Duration::from_millis(200)).await.or(anyhow::Ok(()))
        }));
    }
    for master in masters {
        master.await??;
    }
    let found = look_at(http, players).await?.found;
    for (n, player) in players.iter().enumerate() {
        let has = &found[&player.name];
        let gold_is_ours = (has.gold, has.experience) == (gold_of(n), experience_of(n));
        let has_gift = has.carried.iter().any(|object| object.starts_with(&format!("{} ", gift.0)));
        ensure!(gold_is_ours && has_gift, "{} did not get what it was given: {has:?}", player.name);
    }
    Ok(found)
}

fn gold_of(n: usize) -> i64 {
    1_000 + n as i64
}

/// Below what the second level needs.
fn experience_of(n: usize) -> i64 {
    100 + n as i64 % 700
}

struct Quartermaster {
    agent: Agent,
}

impl Quartermaster {
    async fn arrive(http: SocketAddr, token: &str, n: usize) -> anyhow::Result<Quartermaster> {
        let name = format!("Zm{}", char::from(b'a' + (n % 26) as u8));
        let mut control = Control::connect(http, token).await?;
        let answer = control.post(&format!("/admin/keys?name={name}")).await?;
        let mut agent = Agent::connect(Ipv4Addr::new(127, 22, 0, n as u8 + 1), http).await?;
        agent.told = Some(String::new());
        agent.log_in(json!({ "player_name": name, "password": answer["key"], "is_agent": true })).await?;
        control.post(&format!("/admin/promote?name={name}&level={QUARTERMASTER_LEVEL}")).await?;
        Ok(Quartermaster { agent })
    }

    /// The player must stand where newcomers arrive, and so it is let in here.
    async fn provide(
        &mut self,
        http: SocketAddr,
        player: &Player,
        n: usize,
        gift: &(Vnum, String),
    ) -> anyhow::Result<()> {
        let mut receiver = Agent::connect(player.from, http).await?;
        receiver.log_in(json!({ "player_name": player.name, "password": player.key, "is_agent": true })).await?;
        let (vnum, word) = gift;
        let name = &player.name;
        let lines = [
            format!("load obj {vnum}"),
            format!("give {word} {name}"),
            format!("set {name} gold {}", gold_of(n)),
            format!("set {name} exp {}", experience_of(n)),
        ];
        for line in lines {
            self.agent.command(&line).await?;
            // A little below the limit of commands per second.
            self.agent.drain(Duration::from_millis(110)).await?;
        }
        let told = self.agent.told.replace(String::new()).unwrap_or_default();
        match self.agent.take_refusals().pop_first() {
            Some((why, _)) => bail!("a quartermaster was refused: {why}"),
            None if told.to_ascii_lowercase().contains(&format!("exp of {} is", name.to_ascii_lowercase())) => Ok(()),
            None => bail!("{name} was not provided for: {told}"),
        }
    }
}

/// What was found, and what each was told when it came in.
pub struct Look {
    pub found: Findings,
    pub told: BTreeMap<String, String>,
}

/// Players that are looked at at a time.
const LOOKS: usize = 32;

/// Logs each in from its address and reads what it has. Whoever played it is taken over.
pub async fn look_at(http: SocketAddr, players: &[Player]) -> anyhow::Result<Look> {
    let turns = Arc::new(tokio::sync::Semaphore::new(LOOKS));
    let mut tasks = tokio::task::JoinSet::new();
    for player in players.iter().cloned() {
        let turns = turns.clone();
        tasks.spawn(async move {
            let _turn = turns.acquire().await?;
            let looking = async {
                let mut agent = Agent::connect(player.from, http).await?;
                agent.told = Some(String::new());
                agent.log_in(json!({ "player_name": player.name, "password": player.key, "is_agent": true })).await?;
                // To an agent, all variables follow `state` at once.
                let variables = agent.expect("vars").await?;
                // And then what somebody is told who comes in.
                agent.drain(Duration::from_millis(300)).await?;
                let told = agent.told.take().unwrap_or_default();
                anyhow::Ok((Possessions::of(&variables["data"])?, told))
            };
            let (possessions, told) = looking.await.with_context(|| format!("looking at {}", player.name))?;
            anyhow::Ok((player.name, possessions, told))
        });
    }
    let mut look = Look { found: Findings::new(), told: BTreeMap::new() };
    while let Some(done) = tasks.join_next().await {
        let (name, possessions, told) = done??;
        look.found.insert(name.clone(), possessions);
        look.told.insert(name, told);
    }
    Ok(look)
}

/// How many wrong passwords somebody was told of at a login; 0 where nothing was said of them.
pub fn guesses_told(told: &str) -> u64 {
    let Some((_, rest)) = told.split_once("a wrong password was given for you ") else { return 0 };
    match rest.split([' ', '.']).next() {
        Some("once") => 1,
        Some(count) => count.parse().unwrap_or(0),
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn somebody() -> Possessions {
        Possessions::of(&json!({
            "LEVEL": 1, "EXP": 150, "GOLD": 1_007,
            "INVENTORY": [{ "vnum": 8063, "name": "a torch", "instance_id": "7" },
                          { "vnum": 8010, "name": "some bread", "instance_id": "3" }],
            "EQUIPMENT": { "wield": { "vnum": 8036, "name": "a sword", "instance_id": "9" } },
        }))
        .expect("all are there")
    }

    #[test]
    fn what_is_lost_doubled_or_changed_is_named() {
        let had = somebody();
        assert_eq!(had.changes(&somebody()), "");
        let mut has = somebody();
        has.gold = 7;
        has.carried.remove(0);
        has.worn.push(has.worn[0].clone());
        assert_eq!(
            had.changes(&has),
            "gold 1007 is 7, not carried any more: 8010 some bread \"3\", worn since: wield: 8036 a sword \"9\""
        );
        let before = Findings::from([("Ann".into(), had.clone()), ("Bob".into(), had.clone()), ("Cid".into(), had)]);
        let now = Findings::from([("Ann".into(), somebody()), ("Bob".into(), has)]);
        let lines = differences(&before, &now);
        assert!(lines.len() == 2 && lines[0].starts_with("Bob: gold") && lines[1] == "Cid is gone", "{lines:?}");
    }

    #[test]
    fn variables_that_lack_something_are_no_possessions() {
        let error = Possessions::of(&json!({ "LEVEL": 1, "EXP": 2, "INVENTORY": [], "EQUIPMENT": {} }));
        assert_eq!(error.expect_err("no gold").to_string(), "no GOLD in the variables");
    }

    #[test]
    fn the_count_of_guesses_is_read_from_the_servers_sentence() {
        let said = "Welcome.\n\nSince you were last here, a wrong password was given for you 10 times. If that";
        assert_eq!(guesses_told(said), 10);
        assert_eq!(guesses_told("a wrong password was given for you once."), 1);
        assert_eq!(guesses_told("Welcome."), 0);
    }

    #[test]
    fn players_have_addresses_and_names_of_their_own() {
        let addresses: std::collections::BTreeSet<_> = (0..5_000).map(address_of).collect();
        assert_eq!(addresses.len(), 5_000);
        assert!(addresses.iter().all(|address| address.is_loopback()));
    }
}
