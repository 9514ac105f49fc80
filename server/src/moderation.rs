//! Keeping order from outside the world: bans, and the complaints that a moderator reads. For immortals in the game
//! (`ban`, `unban`, `bans`, `complaints`), for the operator's API and for the subcommands without a server.
//!
//! A ban is no part of the world: it is asked where a connection is accepted and where somebody logs in, and kept in
//! the table `ban`. Invariants: nobody bans itself, an equal or a better, or the last who could end a ban in the game;
//! what is kept in memory is what the table has.

use crate::auditing::{self, Origin};
use crate::engine::{AdminCall, Engine};
use crate::limits::{BANS_MAX, Ban, Banned, Bans, REASON_CHARS};
use crate::operator::{Live, shown};
use crate::restraint;
use crate::saver::Saver;
use crate::store::complaints::{self, Stored};
use crate::store::{Store, bans, canonical, characters};
use crate::times::{for_people, parse_duration, rfc3339_ms, unix_ms};
use protocol::names::clean_text;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::mpsc;
use world::character::{LEVEL_MAX, MODERATOR_LEVEL};
use world::report::{Complaints, Moderation, Ordered, Restraint};

/// A hundred years: what is longer is a slip, or meant for good.
const BAN_LONGEST: Duration = Duration::from_secs(100 * 365 * 24 * 3_600);
/// Complaints that one answer shows.
const COMPLAINTS_SHOWN: u32 = 10;
/// Who wants it.
#[derive(Clone, Debug)]
pub struct Moderator {
    /// As bans name it; a character's name, or the operator.
    pub name: String,
    pub level: i32,
}

impl Moderator {
    /// Who has the state folder.
    pub fn operator() -> Moderator {
        Moderator { name: "the operator".to_string(), level: LEVEL_MAX + 1 }
    }
}

/// A ban as it is listed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BanLine {
    pub who: String,
    /// RFC 3339; none: for good.
    pub until: Option<String>,
    pub reason: String,
    pub by: String,
    pub since: String,
}

impl BanLine {
    pub fn of(ban: &Ban) -> BanLine {
        let Ban { who, until, reason, by, at } = ban;
        let who = match who {
            Banned::Name(name) => shown(name),
            Banned::Network(network) => network.to_string(),
        };
        let (until, since) = (until.map(rfc3339_ms), rfc3339_ms(*at));
        BanLine { who, until, reason: reason.clone(), by: by.clone(), since }
    }
}

impl std::fmt::Display for BanLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let until = self.until.as_ref().map_or("for good".to_string(), |until| format!("until {until}"));
        let reason = if self.reason.is_empty() { String::new() } else { format!(": {}", self.reason) };
        write!(f, "{} {until}, by {} since {}{reason}", self.who, self.by, self.since)
    }
}

/// A complaint as it is listed, with the way to the moment itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ComplaintLine {
    pub id: u64,
    pub by: String,
    pub about: String,
    pub room: i32,
    pub place: String,
    pub words: String,
    pub tick: u64,
    pub input: u64,
    pub at: String,
    pub fork: String,
}

impl ComplaintLine {
    /// `source`: the flags by which `fork` finds it.
    fn of(stored: &Stored, source: &str) -> ComplaintLine {
        let Stored { complaint, at_ms } = stored;
        ComplaintLine {
            id: complaint.id,
            by: complaint.by_name.to_string(),
            about: complaint.about_name.to_string(),
            room: complaint.room,
            place: complaint.place.to_string(),
            // A stranger's words, and this may be a terminal.
            words: clean_text(&complaint.words).into_owned(),
            tick: complaint.tick,
            input: complaint.input,
            at: rfc3339_ms(*at_ms),
            fork: format!("dp-server fork{source} --at {} --out complaint-{}", complaint.tick, complaint.id),
        }
    }
}

impl std::fmt::Display for ComplaintLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let ComplaintLine { id, by, about, room, place, words, tick, input, at, fork } = self;
        writeln!(f, "#{id} {by} about {about}, in {place} ({room}), {at}, tick {tick}, input {input}:")?;
        write!(f, "    {words}\n    {fork}")
    }
}

/// Bans somebody, or a network. What was done, or why it was not.
pub async fn ban(
    store: &Store,
    held: &Bans,
    by: &Moderator,
    target: &str,
    lasting: Option<&str>,
    reason: &str,
) -> Result<Ban, String> {
    let who = Banned::parse(target)?;
    let now = unix_ms();
    let until = match lasting {
        None => None,
        Some(text) => {
            let span = parse_duration(text)?;
            if span.is_zero() {
                return Err("a ban lasts for a second at least".to_string());
            }
            if span > BAN_LONGEST {
                return Err("a ban lasts for a hundred years at most; leave the time out for one for good".to_string());
            }
            Some(now.saturating_add(i64::try_from(span.as_millis()).unwrap_or(i64::MAX)))
        }
    };
    let reason = clean_text(reason.trim()).into_owned();
    let length = reason.chars().count();
    if length > REASON_CHARS {
        return Err(format!("a reason has at most {REASON_CHARS} characters; that one has {length}"));
    }
    match &who {
        Banned::Name(name) => may_ban(store, held, by, name).await?,
        Banned::Network(network) if held.present_in(*network).contains(&canonical(&by.name)) => {
            return Err("you come from there yourself".to_string());
        }
        Banned::Network(_) => {}
    }
    let others = held.all(now);
    if others.len() >= BANS_MAX && !others.iter().any(|ban| ban.who == who) {
        return Err(format!("there are {BANS_MAX} bans, and that is the most; end one first"));
    }
    let ban = Ban { who, until, reason, by: by.name.clone(), at: now };
    bans::put(store, &ban).await.map_err(|error| error.to_string())?;
    load(store, held).await.map_err(|error| error.to_string())?;
    Ok(ban)
}

/// Nobody bans itself, an equal, or the last who keeps order.
async fn may_ban(store: &Store, held: &Bans, by: &Moderator, name: &str) -> Result<(), String> {
    if canonical(&by.name) == name {
        return Err("you cannot ban yourself".to_string());
    }
    let all = characters::list(store).await.map_err(|error| error.to_string())?;
    let level =
        |line: &characters::CharacterLine| i32::try_from(line.level.max(line.immortal_level)).unwrap_or(LEVEL_MAX);
    let Some(target) = all.iter().find(|line| line.name == name) else {
        return Err(format!("there is no character called {}", shown(name)));
    };
    if level(target) >= by.level {
        return Err(format!("{} is not below you", shown(name)));
    }
    // One who is banned lets nobody in again.
    let keeps_order = |line: &&characters::CharacterLine| {
        level(line) >= MODERATOR_LEVEL && held.of_name(&line.name, unix_ms()).is_none()
    };
    let keepers = all.iter().filter(keeps_order).count();
    if level(target) >= MODERATOR_LEVEL && keepers <= 1 {
        return Err(format!("{} is the last who keeps order in the game", shown(name)));
    }
    Ok(())
}

/// Ends a ban.
pub async fn unban(store: &Store, held: &Bans, target: &str) -> Result<Banned, String> {
    let who = Banned::parse(target)?;
    let there = bans::remove(store, &who).await.map_err(|error| error.to_string())?;
    load(store, held).await.map_err(|error| error.to_string())?;
    if there { Ok(who) } else { Err(format!("there is no ban of {who}")) }
}

/// Takes up what the table has.
pub async fn load(store: &Store, held: &Bans) -> Result<(), crate::store::StoreError> {
    bans::tidy(store, unix_ms()).await?;
    held.set(bans::all(store).await?);
    Ok(())
}

/// The flags by which `fork` finds this state, wherever it is called: a line with them can be pasted into a shell.
fn source_flags(store: &Store, state_dir: Option<&Path>) -> String {
    let Some(state_dir) = state_dir.and_then(|folder| std::path::absolute(folder).ok()) else { return String::new() };
    let folder = quoted(&state_dir.display().to_string());
    let database = match store.folder() {
        // Its address may hold a password, which is for the operator to give.
        None => " --db URL".to_string(),
        Some(other) if std::path::absolute(&other).is_ok_and(|other| other != state_dir) => {
            format!(" --db {}", quoted(&format!("sqlite:{}", store.place())))
        }
        Some(_) => String::new(),
    };
    format!(" --state-dir {folder}{database}")
}

/// A text as one word of a shell's line.
fn quoted(text: &str) -> String {
    let plain = |sign: char| sign.is_ascii_alphanumeric() || "/._-:@%+=,".contains(sign);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

/// The complaints that are asked for, the newest first.
pub async fn complaint_lines(
    store: &Store,
    state_dir: Option<&Path>,
    which: Complaints,
) -> Result<Vec<ComplaintLine>, String> {
    let (before, most) = match which {
        Complaints::Newest => (None, COMPLAINTS_SHOWN),
        Complaints::Before(id) => (Some(id), COMPLAINTS_SHOWN),
        Complaints::One(id) => (id.checked_add(1), 1),
    };
    let mut stored = complaints::newest(store, before, most).await.map_err(|error| error.to_string())?;
    if let Complaints::One(id) = which {
        stored.retain(|stored| stored.complaint.id == id);
    }
    let source = source_flags(store, state_dir);
    Ok(stored.iter().map(|stored| ComplaintLine::of(stored, &source)).collect())
}

/// One by its number, those before one, or without either the newest.
pub fn complaints_asked_for(id: Option<u64>, before: Option<u64>) -> Complaints {
    match (id, before) {
        (Some(id), _) => Complaints::One(id),
        (None, Some(id)) => Complaints::Before(id),
        (None, None) => Complaints::Newest,
    }
}

/// Where there are none of those.
pub fn no_complaint(which: Complaints) -> String {
    match which {
        Complaints::Newest => "Nobody has complained".to_string(),
        Complaints::One(id) => format!("There is no complaint #{id}"),
        Complaints::Before(id) => format!("There is no complaint before #{id}"),
    }
}

/// Who was banned and is here leaves the world.
pub async fn put_out(engine: &Arc<Engine>, held: &Bans, ban: &Ban) {
    let names = match &ban.who {
        Banned::Name(name) => vec![name.clone()],
        Banned::Network(network) => held.present_in(*network),
    };
    for name in names {
        // Who is not here need not go.
        let _there = engine.admin(AdminCall::Remove { name, reason: notice(ban) }).await;
    }
}

/// All that hold, where no server holds them.
pub async fn held(store: &Store) -> Result<Bans, crate::store::StoreError> {
    let held = Bans::default();
    load(store, &held).await?;
    Ok(held)
}

/// What the banned read.
pub fn notice(ban: &Ban) -> String {
    let until = ban.until.map_or("for good".to_string(), |until| format!("until {}", for_people(until)));
    let reason = if ban.reason.is_empty() { String::new() } else { format!(" Why: {}", ban.reason) };
    match &ban.who {
        Banned::Name(name) => format!("{} is banned from this world {until}.{reason}", shown(name)),
        Banned::Network(_) => format!("Your network is banned from this world {until}.{reason}"),
    }
}

/// Answers immortals in the game, one after the other, until the server ends.
pub async fn answer(
    engine: Arc<Engine>,
    saver: Arc<Saver>,
    store: Store,
    held: Bans,
    state_dir: PathBuf,
    mut asking: mpsc::UnboundedReceiver<Moderation>,
) {
    while let Some(Moderation { by, level, order }) = asking.recv().await {
        let moderator = Moderator { name: by.to_string(), level };
        if let Ordered::Noted { deed } = &order {
            let action = deed.split(' ').next().unwrap_or_default();
            auditing::note(&store, &canonical(&by), Origin::Game, action, "", deed).await;
            continue;
        }
        let live = Live { engine: &engine, saver: &saver, store: &store };
        let text = match obey(&live, &held, &state_dir, &moderator, &order).await {
            Ok(text) => text,
            Err(why) => format!("Nothing was done: {why}."),
        };
        if let Some((action, target)) = deed_of(&order) {
            auditing::note(&store, &canonical(&by), Origin::Game, action, target, &text).await;
        }
        engine.tell(by.to_string(), text);
    }
}

/// As what an order is noted, bans in the word of the operators' API, and to whom it is done; `None`: it only asks.
fn deed_of(order: &Ordered) -> Option<(&'static str, &str)> {
    Some(match order {
        Ordered::Ban { who, .. } => ("bans", who),
        Ordered::Unban { who } => ("unban", who),
        Ordered::Restrain { who, how } => {
            let action = match how {
                Restraint::Freeze => "froze",
                Restraint::Thaw => "thawed",
                Restraint::Mute { .. } => "muted",
                Restraint::Unmute => "unmuted",
            };
            (action, who)
        }
        Ordered::Noted { .. } | Ordered::Bans | Ordered::Complaints { .. } => return None,
    })
}

async fn obey(
    live: &Live<'_>,
    held: &Bans,
    state_dir: &Path,
    by: &Moderator,
    order: &Ordered,
) -> Result<String, String> {
    let Live { engine, store, .. } = *live;
    match order {
        Ordered::Noted { .. } => Ok(String::new()),
        Ordered::Ban { who, rest } => {
            // The first word may be how long.
            let (first, others) = rest.split_once(' ').unwrap_or((rest, ""));
            let (lasting, reason) = match parse_duration(first) {
                Ok(_) => (Some(first), others),
                Err(_) => (None, &**rest),
            };
            let ban = ban(store, held, by, who, lasting, reason).await?;
            put_out(engine, held, &ban).await;
            Ok(format!("Banned: {}.", BanLine::of(&ban)))
        }
        Ordered::Unban { who } => unban(store, held, who).await.map(|who| format!("{who} is not banned any more.")),
        Ordered::Restrain { who, how } => {
            let restrained = restraint::restrain(live, who, by.level, *how).await;
            let name = restrained.map_err(|why| format!("{why:#}"))?;
            Ok(match how {
                Restraint::Freeze => {
                    format!("You freeze {name}, who is away, and will be able to do nothing but quit.")
                }
                Restraint::Thaw => format!("You thaw {name}, who is away."),
                Restraint::Mute { until_tick } => {
                    let until = engine.with_world(|world| world.until_text(*until_tick));
                    format!("You mute {name}, who is away, {until}.")
                }
                Restraint::Unmute => format!("You let {name}, who is away, be heard again."),
            })
        }
        Ordered::Bans => {
            let all: Vec<String> = held.all(unix_ms()).iter().map(|ban| BanLine::of(ban).to_string()).collect();
            Ok(if all.is_empty() { "Nobody is banned.".to_string() } else { all.join("\n") })
        }
        Ordered::Complaints { which } => {
            let lines = complaint_lines(store, Some(state_dir), *which).await?;
            let all: Vec<String> = lines.iter().map(ComplaintLine::to_string).collect();
            Ok(if all.is_empty() { format!("{}.", no_complaint(*which)) } else { all.join("\n") })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::Presence;
    use crate::store::channels::Change;
    use crate::store::characters::{CharacterRow, save_batch};
    use crate::store::testing::on_each_place;
    use world::channel::row::{Complaint, Row};

    const MASON: &str = "Mason";

    fn complaint(id: u64) -> Change {
        let complaint = Complaint {
            id,
            by: 7,
            by_name: "Ada".into(),
            about: 8,
            about_name: "Bob".into(),
            room: 100,
            place: "The Green".into(),
            words: "He was rude.".into(),
            tick: id * 10,
            input: id,
        };
        Change { number: id, at_ms: 1, row: Row::Complaint(Box::new(complaint)), doors: false }
    }

    fn row(name: &str, level: i64) -> CharacterRow {
        let (name, data) = (name.to_string(), "{}".to_string());
        CharacterRow { name, data, written_by_input: 1, updated_at: 1, level, immortal_level: 0 }
    }

    fn mason(level: i32) -> Moderator {
        Moderator { name: MASON.to_string(), level }
    }

    #[tokio::test]
    async fn a_ban_outlives_the_server_and_ends_when_it_is_told_to() {
        on_each_place(async |place| {
            let store = place.open().await;
            save_batch(&store, &[row("Bob", 5), row(MASON, 40)]).await.expect("it works");
            let held = held(&store).await.expect("it works");
            ban(&store, &held, &mason(40), "BOB", Some("7d"), " spam\u{1b}[31m ").await.expect("it works");
            ban(&store, &held, &mason(40), "192.0.2.7/24", None, "").await.expect("it works");
            store.close().await;
            let store = place.open().await;
            let held = super::held(&store).await.expect("it works");
            let bob = held.of_name("bob", unix_ms()).expect("he is banned");
            let read = notice(&bob);
            assert!(read.starts_with("Bob is banned from this world until ") && read.contains(" (UTC)."), "{read}");
            assert!(!notice(&bob).contains('\u{1b}') && bob.until.is_some());
            assert!(held.of_address("192.0.2.200".parse().expect("it works"), unix_ms()).is_some());
            assert_eq!(
                unban(&store, &held, "192.0.2.0/24").await.map(|who| who.to_string()),
                Ok("192.0.2.0/24".into())
            );
            assert!(held.of_address("192.0.2.200".parse().expect("it works"), unix_ms()).is_none());
            assert_eq!(unban(&store, &held, "192.0.2.0/24").await, Err("there is no ban of 192.0.2.0/24".to_string()));
            unban(&store, &held, "bob").await.expect("it works");
            assert!(held.all(unix_ms()).is_empty());
            store.close().await;
        })
        .await;
    }

    #[tokio::test]
    async fn who_may_not_be_banned_is_not() {
        on_each_place(async |place| {
            let store = place.open().await;
            save_batch(&store, &[row("Bob", 5), row(MASON, 40), row("Ada", 38)]).await.expect("it works");
            let held = held(&store).await.expect("it works");
            let _plays: Presence = held.arrive("mason", "198.51.100.7".parse().expect("it works"));
            for (by, who, lasting, why) in [
                (mason(40), "mason", None, "you cannot ban yourself"),
                (mason(38), "ada", None, "Ada is not below you"),
                (mason(40), "wilhelmina", None, "there is no character called"),
                (mason(40), "127.0.0.1", None, "this machine's own address"),
                (Moderator::operator(), "0.0.0.0/0", None, "this machine's own address"),
                (mason(40), "198.51.100.0/24", None, "you come from there yourself"),
                (mason(40), "192.0.2.0/99", None, "is no address and no network"),
                (mason(40), "bob", Some("soon"), "is no duration"),
                (mason(40), "bob", Some("0s"), "for a second at least"),
            ] {
                let refused = ban(&store, &held, &by, who, lasting, "").await.expect_err(who);
                assert!(refused.contains(why), "{who}: {refused}");
            }
            let long = "x".repeat(REASON_CHARS + 1);
            assert!(ban(&store, &held, &mason(40), "bob", None, &long).await.is_err());
            assert!(held.all(unix_ms()).is_empty(), "nothing of it holds");
            // Of two who keep order one may go, and the last may not.
            let operator = Moderator::operator();
            ban(&store, &held, &operator, "ada", None, "").await.expect("it works");
            let last = ban(&store, &held, &operator, MASON, None, "").await.expect_err("he is the last");
            assert!(last.contains("the last who keeps order"), "{last}");
            store.close().await;
        })
        .await;
    }

    #[tokio::test]
    async fn a_complaint_is_shown_by_its_number_with_a_line_that_can_be_pasted() {
        on_each_place(async |place| {
            let store = place.open().await;
            let changes: Vec<Change> = (1..=12).map(complaint).collect();
            crate::store::channels::write(&store, &changes).await.expect("written");
            let state = Path::new("/the state");
            let ids = async |which| -> Vec<u64> {
                let lines = complaint_lines(&store, Some(state), which).await.expect("read");
                lines.iter().map(|line| line.id).collect()
            };
            assert_eq!(ids(Complaints::Newest).await, (3..=12).rev().collect::<Vec<u64>>());
            assert_eq!(ids(Complaints::Before(3)).await, [2, 1]);
            assert_eq!(ids(Complaints::One(8)).await, [8]);
            assert_eq!(ids(Complaints::One(13)).await, [0; 0]);
            assert_eq!(ids(Complaints::One(u64::MAX)).await, [0; 0]);
            let one = complaint_lines(&store, Some(state), Complaints::One(8)).await.expect("read").remove(0);
            let line = &one.fork;
            assert!(line.starts_with("dp-server fork --state-dir '/the state' --db "), "{line}");
            assert!(line.ends_with(" --at 80 --out complaint-8"), "{line}");
            store.close().await;
        })
        .await;
    }

    #[test]
    fn a_path_is_one_word_of_a_shell() {
        for (text, word) in [
            ("/var/lib/dp", "/var/lib/dp"),
            ("", "''"),
            ("/my state", "'/my state'"),
            ("/it's", r"'/it'\''s'"),
            ("$(ls)", "'$(ls)'"),
        ] {
            assert_eq!(quoted(text), word);
        }
    }
}
