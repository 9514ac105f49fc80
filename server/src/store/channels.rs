//! Persons and channels, and who is in them: rows of the world (`world::channel::row`), as they were last.
//!
//! Messages, agents and plots, which come in the same batches, are in `messages.rs`, `agents.rs` and `plots.rs`.
//! Invariants: a row is replaced, or taken away, only by what a later input of the world made (or the same again, after
//! a crash), so batches may come late or twice; a batch is written whole or not at all.

use super::from_row::{column, count, id};
use super::{Store, StoreError, agents, complaints, in_transaction, messages, on_reader, plots};
use serde::{Deserialize, Serialize};
use sqlx::AssertSqlSafe;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use world::channel::pace::Account;
use world::channel::row::{Row, RowKey};
use world::channel::{Access, Channel, ChannelKind, Member, NAMELESS, Person, Request, Words, names};

/// A row with the input that made it so.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Change {
    pub number: u64,
    /// When that input came, unix milliseconds.
    pub at_ms: i64,
    pub row: Row,
    /// Of a channel: who may come in has changed too, or may have.
    pub doors: bool,
}

/// The newest of each thing. A message keeps the time at which it came first.
#[derive(Clone, Default)]
pub struct Changes(pub BTreeMap<RowKey, Change>);

impl Changes {
    pub fn put(&mut self, mut change: Change) {
        let key = change.row.key();
        if let Some(earlier) = self.0.get(&key) {
            change.doors |= earlier.doors;
            if matches!(key, RowKey::Message(_)) {
                (change.number, change.at_ms) = (earlier.number, earlier.at_ms);
            }
        }
        self.0.insert(key, change);
    }
}

/// Writes all in one transaction, in the order of their keys.
pub async fn write(store: &Store, changes: &[Change]) -> Result<u64, StoreError> {
    let of_persons = |change: &&Change| matches!(change.row, Row::Person { .. });
    // Whatever names change hands in a batch, none is anybody's meanwhile.
    let free = changes.iter().filter(of_persons).map(|change| match &change.row {
        Row::Person { id, .. } => (*id, change.number),
        _ => unreachable!("only persons were left"),
    });
    let free: Vec<(u32, u64)> = free.collect();
    let gone: Vec<u32> = changes
        .iter()
        .filter_map(|change| match change.row {
            Row::Person { id, person: None } => Some(id),
            _ => None,
        })
        .collect();
    in_transaction!(store, "writing what was said", |tx| {
        let mut written = 0;
        for (id, number) in &free {
            sqlx::query("UPDATE person SET folded = '#' || CAST(id AS TEXT) WHERE id = $1 AND number <= $2")
                .bind(i64::from(*id))
                .bind(column(*number))
                .execute(&mut **tx)
                .await?;
        }
        for Change { number: input, at_ms, row, doors } in changes {
            let number = column(*input);
            // One statement after the other: a macro, since a function would be one for each database.
            written += match row {
                Row::Person { id, person: None } => sqlx::query("DELETE FROM person WHERE id = $1 AND number <= $2")
                    .bind(i64::from(*id))
                    .bind(number)
                    .execute(&mut **tx)
                    .await?
                    .rows_affected(),
                Row::Person { id, person: Some(person) } => {
                    let folded = names::folded(&person.display);
                    sqlx::query(
                        "INSERT INTO person (id, name, display, folded, looks, away_from, back_at, number) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT (id) DO UPDATE SET name = excluded.name, \
                         display = excluded.display, folded = excluded.folded, looks = excluded.looks, \
                         away_from = excluded.away_from, back_at = excluded.back_at, number = excluded.number \
                         WHERE excluded.number >= person.number",
                    )
                    .bind(i64::from(*id))
                    .bind(super::canonical(&person.name))
                    .bind(person.display.to_string())
                    .bind(folded)
                    .bind(names::looks(&person.display))
                    .bind(person.away_from.map(column))
                    .bind(person.back_at.map(column))
                    .bind(number)
                    .execute(&mut **tx)
                    .await?
                    .rows_affected()
                }
                Row::Channel { id, channel } => {
                    let taken = match channel {
                        None => sqlx::query("DELETE FROM channel WHERE id = $1 AND number <= $2")
                            .bind(i64::from(*id))
                            .bind(number)
                            .execute(&mut **tx)
                            .await?
                            .rows_affected(),
                        Some(channel) => sqlx::query(
                            "INSERT INTO channel (id, kind, name, owner, is_party, wpm, cooling, access, billboard, \
                             agents_in_a_row, number) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) \
                             ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, name = excluded.name, \
                             owner = excluded.owner, is_party = excluded.is_party, wpm = excluded.wpm, \
                             cooling = excluded.cooling, access = excluded.access, billboard = excluded.billboard, \
                             agents_in_a_row = excluded.agents_in_a_row, number = excluded.number \
                             WHERE excluded.number >= channel.number",
                        )
                        .bind(i64::from(*id))
                        .bind(channel.kind.name())
                        .bind(channel.name.to_string())
                        .bind(channel.owner.map(i64::from))
                        .bind(i64::from(channel.party))
                        .bind(i64::from(channel.wpm))
                        .bind(i64::from(channel.cooling))
                        .bind(channel.access.name())
                        .bind(channel.billboard.to_string())
                        .bind(i64::from(channel.agents_in_a_row))
                        .bind(number)
                        .execute(&mut **tx)
                        .await?
                        .rows_affected(),
                    };
                    if taken > 0 && (*doors || channel.is_none()) {
                        for forget in [
                            "DELETE FROM channel_key WHERE channel = $1",
                            "DELETE FROM channel_request WHERE channel = $1",
                            "DELETE FROM channel_guest WHERE channel = $1",
                        ] {
                            sqlx::query(forget).bind(i64::from(*id)).execute(&mut **tx).await?;
                        }
                    }
                    if taken > 0
                        && *doors
                        && let Some(channel) = channel
                    {
                        for key in &channel.keys {
                            sqlx::query("INSERT INTO channel_key (channel, word) VALUES ($1, $2)")
                                .bind(i64::from(*id))
                                .bind(key.to_string())
                                .execute(&mut **tx)
                                .await?;
                        }
                        for request in &channel.requests {
                            sqlx::query(
                                "INSERT INTO channel_request (id, channel, person, word, tick) \
                                 VALUES ($1, $2, $3, $4, $5)",
                            )
                            .bind(column(request.id))
                            .bind(i64::from(*id))
                            .bind(i64::from(request.person))
                            .bind(request.key.to_string())
                            .bind(column(request.tick))
                            .execute(&mut **tx)
                            .await?;
                        }
                        for guest in &channel.invited {
                            sqlx::query("INSERT INTO channel_guest (channel, person) VALUES ($1, $2)")
                                .bind(i64::from(*id))
                                .bind(i64::from(*guest))
                                .execute(&mut **tx)
                                .await?;
                        }
                    }
                    taken
                }
                Row::Member { channel, person, member: None } => {
                    sqlx::query("DELETE FROM channel_member WHERE channel = $1 AND person = $2 AND number <= $3")
                        .bind(i64::from(*channel))
                        .bind(i64::from(*person))
                        .bind(number)
                        .execute(&mut **tx)
                        .await?
                        .rows_affected()
                }
                Row::Member { channel, person, member: Some(member) } => {
                    let (words, words_tick) = member.account.parts();
                    sqlx::query(
                        "INSERT INTO channel_member (channel, person, attention, words, words_tick, last_spoke, \
                         read_id, joined_id, muted_from, acquainted, waiting, number) \
                         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) \
                         ON CONFLICT (channel, person) DO UPDATE SET attention = excluded.attention, \
                         words = excluded.words, words_tick = excluded.words_tick, last_spoke = excluded.last_spoke, \
                         read_id = excluded.read_id, joined_id = excluded.joined_id, \
                         muted_from = excluded.muted_from, acquainted = excluded.acquainted, \
                         waiting = excluded.waiting, \
                         number = excluded.number WHERE excluded.number >= channel_member.number",
                    )
                    .bind(i64::from(*channel))
                    .bind(i64::from(*person))
                    .bind(member.attention.to_string())
                    .bind(i64::from(words))
                    .bind(column(words_tick))
                    .bind(member.last_spoke.map(column))
                    .bind(column(member.read))
                    .bind(column(member.joined))
                    .bind(member.muted_from.map(column))
                    .bind(i64::from(member.acquainted))
                    .bind(waiting_column(&member.queue))
                    .bind(number)
                    .execute(&mut **tx)
                    .await?
                    .rows_affected()
                }
                Row::Agent(row) => {
                    let (sql, values) = agents::statement(row, *input);
                    let mut query = sqlx::query(sql);
                    for value in values {
                        query = match value {
                            agents::Value::Number(number) => query.bind(number),
                            agents::Value::MaybeNumber(number) => query.bind(number),
                            agents::Value::Text(text) => query.bind(text),
                            agents::Value::MaybeText(text) => query.bind(text),
                        };
                    }
                    query.execute(&mut **tx).await?.rows_affected()
                }
                Row::Plot { room, ground } => {
                    let plot = serde_json::to_string(ground).expect("words and numbers are JSON");
                    sqlx::query(plots::PUT)
                        .bind(i64::from(*room))
                        .bind(i64::from(ground.plot.revision()))
                        .bind(plot)
                        .bind(number)
                        .execute(&mut **tx)
                        .await?
                        .rows_affected()
                }
                Row::Complaint(complaint) => sqlx::query(complaints::INSERT)
                    .bind(column(complaint.id))
                    .bind(i64::from(complaint.by))
                    .bind(complaint.by_name.to_string())
                    .bind(i64::from(complaint.about))
                    .bind(complaint.about_name.to_string())
                    .bind(i64::from(complaint.room))
                    .bind(complaint.place.to_string())
                    .bind(complaint.words.to_string())
                    .bind(column(complaint.tick))
                    .bind(column(complaint.input))
                    .bind(*at_ms)
                    .execute(&mut **tx)
                    .await?
                    .rows_affected(),
                Row::Message { channel, message } => {
                    let fresh = sqlx::query(messages::INSERT)
                        .bind(column(message.id))
                        .bind(i64::from(*channel))
                        .bind(message.sender.id.map(i64::from))
                        .bind(messages::name_of(message))
                        .bind(message.sender.kind.name())
                        .bind(message.kind.name())
                        .bind(message.text.to_string())
                        .bind(message.reply_to.map(column))
                        .bind(column(message.typed_by))
                        .bind(i64::from(message.hidden))
                        .bind(i64::from(message.veiled))
                        .bind(number)
                        .bind(column(message.tick))
                        .bind(*at_ms)
                        .execute(&mut **tx)
                        .await?
                        .rows_affected();
                    for (person, reaction) in &message.reactions {
                        sqlx::query(messages::REACT)
                            .bind(column(message.id))
                            .bind(i64::from(*person))
                            .bind(reaction.name())
                            .execute(&mut **tx)
                            .await?;
                    }
                    fresh
                }
            };
        }
        // Behind what they said last.
        for id in &gone {
            sqlx::query("UPDATE message SET sender_name = NULL WHERE sender = $1")
                .bind(i64::from(*id))
                .execute(&mut **tx)
                .await?;
            for forget in complaints::FORGET {
                sqlx::query(forget).bind(i64::from(*id)).bind(NAMELESS).execute(&mut **tx).await?;
            }
        }
        written
    })
}

/// The greatest number of an input that wrote any of these rows: a world that is made anew goes on above it.
pub async fn newest_input(store: &Store) -> Result<u64, StoreError> {
    let mut newest = 0;
    for sql in [
        "SELECT MAX(number) FROM person",
        "SELECT MAX(number) FROM channel",
        "SELECT MAX(number) FROM channel_member",
        "SELECT MAX(number) FROM agent",
        "SELECT MAX(number) FROM agent_right",
        "SELECT MAX(number) FROM agent_order",
        "SELECT MAX(number) FROM plot",
        // They rise with the ids.
        "SELECT MAX(number) FROM (SELECT number FROM message ORDER BY id DESC LIMIT 1000) AS latest",
    ] {
        let found: Option<i64> = on_reader!(store, "looking for the newest input that was kept", |on| {
            sqlx::query_scalar(AssertSqlSafe(sql)).fetch_one(on)
        })?;
        newest = newest.max(found.map_or(0, count));
    }
    Ok(newest)
}

/// Whether anybody is known.
pub async fn is_empty(store: &Store) -> Result<bool, StoreError> {
    let any: Option<i64> = on_reader!(store, "looking whether anybody is known", |on| sqlx::query_scalar(
        "SELECT id FROM person LIMIT 1"
    )
    .fetch_optional(on))?;
    Ok(any.is_none())
}

struct PersonColumns {
    id: i64,
    name: String,
    display: String,
    away_from: Option<i64>,
    back_at: Option<i64>,
}

from_row!(PersonColumns { id, name, display, away_from, back_at });

struct ChannelColumns {
    id: i64,
    kind: String,
    name: String,
    owner: Option<i64>,
    is_party: i64,
    wpm: i64,
    cooling: i64,
    access: String,
    billboard: String,
    agents_in_a_row: i64,
}

from_row!(ChannelColumns { id, kind, name, owner, is_party, wpm, cooling, access, billboard, agents_in_a_row });

struct MemberColumns {
    channel: i64,
    person: i64,
    attention: String,
    words: i64,
    words_tick: i64,
    last_spoke: Option<i64>,
    read_id: i64,
    joined_id: i64,
    muted_from: Option<i64>,
    acquainted: i64,
    waiting: String,
}

from_row!(MemberColumns {
    channel,
    person,
    attention,
    words,
    words_tick,
    last_spoke,
    read_id,
    joined_id,
    muted_from,
    acquainted,
    waiting
});

struct RequestColumns {
    id: i64,
    channel: i64,
    person: i64,
    word: String,
    tick: i64,
}

from_row!(RequestColumns { id, channel, person, word, tick });

/// Words that wait, as a column holds them.
fn waiting_column(queue: &VecDeque<Words>) -> String {
    match queue.is_empty() {
        true => String::new(),
        false => serde_json::to_string(queue).expect("words and numbers are JSON"),
    }
}

/// Rows that are read with one statement.
const PAGE: i64 = 10_000;

/// Everybody and everything that is known, with the newest messages, for a world that has lost its own: in the order in
/// which a world takes them.
pub async fn all(store: &Store, messages_max: i64) -> Result<Vec<Row>, StoreError> {
    let mut rows = Vec::new();
    let mut after = -1;
    loop {
        let page: Vec<PersonColumns> = on_reader!(store, "reading who is known", |on| sqlx::query_as(
            "SELECT id, name, display, away_from, back_at FROM person WHERE id > $1 ORDER BY id LIMIT $2"
        )
        .bind(after)
        .bind(PAGE)
        .fetch_all(on))?;
        let Some(last) = page.last() else { break };
        after = last.id;
        rows.extend(page.into_iter().map(|row| Row::Person {
            id: id(row.id),
            person: Some(Box::new(Person {
                away_from: row.away_from.map(count),
                back_at: row.back_at.map(count),
                ..Person::new(row.name.into(), row.display.into())
            })),
        }));
    }
    let mut keys: BTreeMap<i64, BTreeSet<content::Text>> = BTreeMap::new();
    let read: Vec<(i64, String)> = of_all(store, "SELECT channel, word FROM channel_key").await?;
    for (channel, word) in read {
        keys.entry(channel).or_default().insert(word.into());
    }
    let mut guests: BTreeMap<i64, BTreeSet<u32>> = BTreeMap::new();
    let read: Vec<(i64, i64)> = of_all(store, "SELECT channel, person FROM channel_guest").await?;
    for (channel, person) in read {
        guests.entry(channel).or_default().insert(id(person));
    }
    let mut requests: BTreeMap<i64, Vec<Request>> = BTreeMap::new();
    let read: Vec<RequestColumns> =
        of_all(store, "SELECT id, channel, person, word, tick FROM channel_request ORDER BY id").await?;
    for row in read {
        let request =
            Request { id: count(row.id), person: id(row.person), key: row.word.into(), tick: count(row.tick) };
        requests.entry(row.channel).or_default().push(request);
    }
    let read: Vec<ChannelColumns> = of_all(
        store,
        "SELECT id, kind, name, owner, is_party, wpm, cooling, access, billboard, agents_in_a_row FROM channel \
         ORDER BY id",
    )
    .await?;
    for row in read {
        let Some(kind) = ChannelKind::ALL.into_iter().find(|kind| kind.name() == row.kind) else { continue };
        let access = Access::ALL.into_iter().find(|access| access.name() == row.access).unwrap_or_default();
        let channel = Channel {
            name: row.name.into(),
            party: row.is_party != 0,
            cooling: row.cooling != 0,
            access,
            billboard: row.billboard.into(),
            keys: keys.remove(&row.id).unwrap_or_default(),
            invited: guests.remove(&row.id).unwrap_or_default(),
            requests: requests.remove(&row.id).unwrap_or_default(),
            agents_in_a_row: id(row.agents_in_a_row),
            ..Channel::new(kind, row.owner.map(id), id(row.wpm), 0)
        };
        rows.push(Row::Channel { id: id(row.id), channel: Some(Box::new(channel)) });
    }
    let read: Vec<MemberColumns> = of_all(
        store,
        "SELECT channel, person, attention, words, words_tick, last_spoke, read_id, joined_id, muted_from, \
         acquainted, waiting \
         FROM channel_member ORDER BY channel, person",
    )
    .await?;
    rows.extend(read.into_iter().map(|row| Row::Member {
        channel: id(row.channel),
        person: id(row.person),
        member: Some(Box::new(Member {
            account: Account::of(i32::try_from(row.words).unwrap_or_default(), count(row.words_tick)),
            attention: row.attention.parse().unwrap_or_default(),
            last_spoke: row.last_spoke.map(count),
            read: count(row.read_id),
            joined: count(row.joined_id),
            muted_from: row.muted_from.map(count),
            acquainted: row.acquainted != 0,
            acts: Default::default(),
            queue: serde_json::from_str(&row.waiting).unwrap_or_default(),
        })),
    }));
    rows.extend(agents::all(store).await?.into_iter().map(Row::Agent));
    rows.extend(plots::all(store).await?);
    let newest = messages::newest(store, messages_max).await?;
    rows.extend(newest.into_iter().map(|line| Row::Message { channel: line.channel, message: line.message.into() }));
    Ok(rows)
}

/// All rows of a query that has nothing to bind.
async fn of_all<T>(store: &Store, sql: &'static str) -> Result<Vec<T>, StoreError>
where
    T: Send
        + Unpin
        + for<'r> sqlx::FromRow<'r, sqlx::sqlite::SqliteRow>
        + for<'r> sqlx::FromRow<'r, sqlx::postgres::PgRow>,
{
    on_reader!(store, "reading which channels there are", |on| sqlx::query_as(AssertSqlSafe(sql)).fetch_all(on))
}

/// Which channels somebody may mean who says this: groups of that name, or the home of a person, as names are compared.
pub async fn named(store: &Store, word: &str) -> Result<Vec<u32>, StoreError> {
    let wanted = names::folded(word);
    let groups: Vec<(i64, String)> = on_reader!(store, "looking for a channel by its name", |on| sqlx::query_as(
        "SELECT id, name FROM channel WHERE kind = $1 AND name <> '' ORDER BY id"
    )
    .bind(ChannelKind::Group.name())
    .fetch_all(on))?;
    let people: Vec<i64> = on_reader!(store, "looking for a person by its name", |on| sqlx::query_scalar(
        "SELECT id FROM person WHERE name = $1 OR folded = $2 ORDER BY id"
    )
    .bind(super::canonical(word))
    .bind(&wanted)
    .fetch_all(on))?;
    let groups = groups.into_iter().filter(|(_, name)| names::folded(name) == wanted).map(|(id, _)| id);
    Ok(groups.chain(people).filter_map(|id| u32::try_from(id).ok()).collect())
}

/// Who has this account, as the world numbers persons.
pub async fn person_called(store: &Store, name: &str) -> Result<Option<u32>, StoreError> {
    let found: Option<i64> = on_reader!(store, "looking for a person by its account", |on| sqlx::query_scalar(
        "SELECT id FROM person WHERE name = $1 ORDER BY id DESC LIMIT 1"
    )
    .bind(super::canonical(name))
    .fetch_optional(on))?;
    Ok(found.and_then(|id| u32::try_from(id).ok()))
}

/// Whose account somebody means who says this: that of the name, or of whoever is shown by it. A name that is neither
/// comes back as it was said.
pub async fn account_meant(store: &Store, said: &str) -> Result<String, StoreError> {
    let found: Option<String> = on_reader!(store, "looking for a person by its name", |on| sqlx::query_scalar(
        "SELECT name FROM person WHERE folded = $1 AND NOT EXISTS (SELECT 1 FROM account WHERE account.name = $2)"
    )
    .bind(names::folded(said))
    .bind(super::canonical(said))
    .fetch_optional(on))?;
    Ok(found.unwrap_or_else(|| said.trim().to_string()))
}

/// What a channel is called from outside; `None`: it has no name but its number.
pub async fn title(store: &Store, channel: u32) -> Result<Option<String>, StoreError> {
    let found: Option<(String, String)> = on_reader!(store, "reading what a channel is called", |on| sqlx::query_as(
        "SELECT kind, name FROM channel WHERE id = $1"
    )
    .bind(i64::from(channel))
    .fetch_optional(on))?;
    let (kind, name) = found.unwrap_or_default();
    if kind == ChannelKind::Group.name() && !name.is_empty() {
        return Ok(Some(name));
    }
    let members: Vec<(i64, String)> = on_reader!(store, "reading who is in a channel", |on| {
        sqlx::query_as(
        "SELECT id, display FROM person WHERE id = $1 OR id IN (SELECT person FROM channel_member WHERE channel = $1) \
         ORDER BY id LIMIT 50"
    )
    .bind(i64::from(channel))
    .fetch_all(on)
    })?;
    let owner = members.iter().find(|(id, _)| *id == i64::from(channel));
    Ok(match owner {
        Some((_, name)) => Some(format!("{name}'s home")),
        None if kind == ChannelKind::Direct.name() => {
            Some(members.into_iter().map(|(_, name)| name).collect::<Vec<_>>().join(" and "))
        }
        None => None,
    })
}

/// Whether a name would be taken for one that somebody is shown by, or has to log in with. `person`: who wants it.
/// `folded` and `looks`: of the name, as `world::channel::names` makes them.
pub async fn is_taken(store: &Store, folded: &str, looks: &str, person: &str) -> Result<bool, StoreError> {
    let person = super::canonical(person);
    let shown: Option<i64> = on_reader!(store, "looking whether a name is taken", |on| sqlx::query_scalar(
        "SELECT id FROM person WHERE (folded = $1 OR looks = $2) AND name <> $3 LIMIT 1"
    )
    .bind(folded)
    .bind(looks)
    .bind(&person)
    .fetch_optional(on))?;
    if shown.is_some() {
        return Ok(true);
    }
    // The words of the condition are those of the index.
    let called: Option<String> = on_reader!(store, "looking whether a name is an account's", |on| sqlx::query_scalar(
        "SELECT name FROM account WHERE \
         REPLACE(REPLACE(REPLACE(REPLACE(name, '0', 'o'), '1', 'l'), 'i', 'l'), '5', 's') = $1 AND name <> $2 LIMIT 1"
    )
    .bind(looks)
    .bind(&person)
    .fetch_optional(on))?;
    Ok(called.is_some())
}

/// Whether somebody else than its bearer chose a name that this one, of an account to be made, would be taken for.
pub async fn is_shown(store: &Store, name: &str) -> Result<bool, StoreError> {
    let (folded, looks) = (names::folded(name), names::looks(name));
    let found: Option<String> = on_reader!(store, "looking whether a name is shown", |on| sqlx::query_scalar(
        "SELECT name FROM person WHERE (folded = $1 OR looks = $2) AND name <> folded LIMIT 1"
    )
    .bind(&folded)
    .bind(&looks)
    .fetch_optional(on))?;
    Ok(found.is_some())
}
