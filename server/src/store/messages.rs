//! What was said in channels, from the first message on: written with the rows of `channels.rs`, read by `history`.
//!
//! Invariants: a message is written once; later only that it was hidden, and reactions to it. Its words stay when its
//! sender's account goes, its name does not.

use super::from_row::{column, count};
use super::{Store, StoreError, on_reader, on_writer};
use std::collections::BTreeMap;
use world::channel::{Message, MessageKind, NAMELESS, PersonKind, Reaction, Sender};

pub(super) const INSERT: &str = "INSERT INTO message (id, channel, sender, sender_name, sender_kind, type, body, \
     reply_to, typed_by, hidden, veiled, number, tick, at) \
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14) \
     ON CONFLICT (id) DO UPDATE SET hidden = excluded.hidden";
pub(super) const REACT: &str =
    "INSERT INTO reaction (message, person, reaction) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING";

/// The name that is kept; none of whom nobody knows any more.
pub(super) fn name_of(message: &Message) -> Option<String> {
    Some(message.sender.name.to_string()).filter(|name| name != NAMELESS)
}

/// A message as it is stored.
#[derive(Clone, PartialEq, Debug)]
pub struct Line {
    pub channel: u32,
    pub message: Message,
    /// When it was said, unix milliseconds.
    pub at_ms: i64,
}

struct Columns {
    id: i64,
    channel: i64,
    sender: Option<i64>,
    sender_name: Option<String>,
    sender_kind: String,
    kind: String,
    body: String,
    reply_to: Option<i64>,
    typed_by: i64,
    hidden: i64,
    veiled: i64,
    tick: i64,
    at: i64,
}

from_row!(Columns {
    id,
    channel,
    sender,
    sender_name,
    sender_kind,
    kind,
    body,
    reply_to,
    typed_by,
    hidden,
    veiled,
    tick,
    at
});

macro_rules! columns {
    () => {
        "SELECT id, channel, sender, sender_name, sender_kind, type AS kind, body, reply_to, typed_by, hidden, veiled, \
         tick, at \
         FROM message "
    };
}

impl Columns {
    fn line(self) -> Line {
        let kind = PersonKind::ALL.into_iter().find(|kind| kind.name() == self.sender_kind).unwrap_or_default();
        let is_system = self.kind == MessageKind::System.name();
        let sender = Sender {
            id: self.sender.and_then(|id| u32::try_from(id).ok()),
            name: self.sender_name.unwrap_or_else(|| NAMELESS.to_string()).into(),
            kind,
        };
        let message = Message {
            id: count(self.id),
            tick: count(self.tick),
            sender,
            kind: if is_system { MessageKind::System } else { MessageKind::Text },
            text: self.body.into(),
            reply_to: self.reply_to.map(count),
            typed_by: count(self.typed_by),
            reactions: Vec::new(),
            hidden: self.hidden != 0,
            veiled: self.veiled != 0,
        };
        Line { channel: u32::try_from(self.channel).unwrap_or(u32::MAX), message, at_ms: self.at }
    }
}

/// The newest of all channels, oldest first, so many at most.
pub async fn newest(store: &Store, most: i64) -> Result<Vec<Line>, StoreError> {
    let rows: Vec<Columns> = on_reader!(store, "reading what was said last", |on| sqlx::query_as(concat!(
        columns!(),
        "ORDER BY id DESC LIMIT $1"
    ))
    .bind(most)
    .fetch_all(on))?;
    with_reactions(store, None, rows).await
}

/// Messages of a channel with `from <= id < before`, the newest so many of them, oldest first.
pub async fn of(store: &Store, channel: u32, from: u64, before: u64, most: i64) -> Result<Vec<Line>, StoreError> {
    let rows: Vec<Columns> = on_reader!(store, "reading what was said in a channel", |on| sqlx::query_as(concat!(
        columns!(),
        "WHERE channel = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4"
    ))
    .bind(i64::from(channel))
    .bind(column(from))
    .bind(i64::try_from(before).unwrap_or(i64::MAX))
    .bind(most)
    .fetch_all(on))?;
    with_reactions(store, Some(channel), rows).await
}

/// Messages of a channel after one, oldest first, so many at most.
pub async fn after(store: &Store, channel: u32, id: u64, most: i64) -> Result<Vec<Line>, StoreError> {
    let mut rows: Vec<Columns> = on_reader!(store, "reading what was said in a channel", |on| sqlx::query_as(
        concat!(columns!(), "WHERE channel = $1 AND id > $2 ORDER BY id LIMIT $3")
    )
    .bind(i64::from(channel))
    .bind(column(id))
    .bind(most)
    .fetch_all(on))?;
    rows.reverse();
    with_reactions(store, Some(channel), rows).await
}

/// Turns them about, and gives each its reactions. They are all that one channel, or all channels together, have
/// between the first of them and the last.
async fn with_reactions(store: &Store, channel: Option<u32>, rows: Vec<Columns>) -> Result<Vec<Line>, StoreError> {
    let mut reactions: BTreeMap<i64, Vec<(u32, Reaction)>> = BTreeMap::new();
    let ids = || rows.iter().map(|row| row.id);
    if let (Some(first), Some(last)) = (ids().min(), ids().max()) {
        let read: Vec<(i64, i64, String)> = match channel {
            Some(channel) => on_reader!(store, "reading reactions", |on| sqlx::query_as(OF_CHANNEL)
                .bind(first)
                .bind(last)
                .bind(i64::from(channel))
                .fetch_all(on))?,
            None => on_reader!(store, "reading reactions", |on| sqlx::query_as(OF_ALL)
                .bind(first)
                .bind(last)
                .fetch_all(on))?,
        };
        for (message, person, word) in read {
            let reaction = Reaction::ALL.into_iter().find(|reaction| reaction.name() == word);
            if let (Ok(person), Some(reaction)) = (u32::try_from(person), reaction) {
                reactions.entry(message).or_default().push((person, reaction));
            }
        }
    }
    let mut lines: Vec<Line> = rows.into_iter().map(Columns::line).collect();
    lines.reverse();
    for line in &mut lines {
        line.message.reactions = reactions.remove(&column(line.message.id)).unwrap_or_default();
    }
    Ok(lines)
}

/// Reactions to messages between two; the second finds those of one channel by its index, however many others lie
/// between.
const OF_ALL: &str = "SELECT message, person, reaction FROM reaction WHERE message BETWEEN $1 AND $2 \
     ORDER BY message, person, reaction";
const OF_CHANNEL: &str = "SELECT r.message, r.person, r.reaction FROM message m JOIN reaction r ON r.message = m.id \
     WHERE m.channel = $3 AND m.id BETWEEN $1 AND $2 ORDER BY r.message, r.person, r.reaction";
/// Messages that are removed with one statement.
const REMOVE_ROWS: i64 = 1_000;

/// Takes away what was said before that time, with the reactions to it: the oldest first. Returns how many messages.
pub async fn remove_before(store: &Store, at: i64) -> Result<u64, StoreError> {
    let mut removed = 0;
    loop {
        // Ids rise with time, so no index is needed to find the oldest.
        let gone = on_writer!(store, "removing what was said long ago", |on| async {
            sqlx::query("DELETE FROM message WHERE id IN (SELECT id FROM message ORDER BY id LIMIT $2) AND at < $1")
                .bind(at)
                .bind(REMOVE_ROWS)
                .execute(on)
                .await
                .map(|done| done.rows_affected())
        })?;
        removed += gone;
        if gone == 0 {
            break;
        }
    }
    if removed > 0 {
        on_writer!(store, "removing reactions to what was said long ago", |on| async {
            sqlx::query("DELETE FROM reaction WHERE message < COALESCE((SELECT MIN(id) FROM message), $1)")
                .bind(i64::MAX)
                .execute(on)
                .await
                .map(drop)
        })?;
    }
    Ok(removed)
}
