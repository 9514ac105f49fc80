//! What was said in channels, from the first message on: written with the rows of `channels.rs`, read by `history`.
//!
//! Invariants: a message is written once; later only that it was hidden, and reactions to it. Its words stay when its
//! sender's account goes, its name does not.

use super::from_row::{column, count};
use super::{Store, StoreError, on_reader, on_writer};
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
    /// One of the reactions to it.
    person: Option<i64>,
    reaction: Option<String>,
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
    at,
    person,
    reaction
});

/// Messages by a condition and an order, and beside each the reactions to it, in one question: under load each question
/// waits for the processor anew.
macro_rules! messages {
    ($which:literal) => {
        concat!(
            "SELECT m.id, m.channel, m.sender, m.sender_name, m.sender_kind, m.type AS kind, m.body, m.reply_to, \
             m.typed_by, m.hidden, m.veiled, m.tick, m.at, r.person, r.reaction FROM (SELECT * FROM message ",
            $which,
            ") m LEFT JOIN reaction r ON r.message = m.id ORDER BY m.id, r.person, r.reaction"
        )
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
    let rows: Vec<Columns> =
        on_reader!(store, "reading what was said last", |on| sqlx::query_as(messages!("ORDER BY id DESC LIMIT $1"))
            .bind(most)
            .fetch_all(on))?;
    Ok(lines(rows))
}

/// Messages of a channel with `from <= id < before`, the newest so many of them, oldest first.
pub async fn of(store: &Store, channel: u32, from: u64, before: u64, most: i64) -> Result<Vec<Line>, StoreError> {
    let rows: Vec<Columns> = on_reader!(store, "reading what was said in a channel", |on| sqlx::query_as(messages!(
        "WHERE channel = $1 AND id >= $2 AND id < $3 ORDER BY id DESC LIMIT $4"
    ))
    .bind(i64::from(channel))
    .bind(column(from))
    .bind(i64::try_from(before).unwrap_or(i64::MAX))
    .bind(most)
    .fetch_all(on))?;
    Ok(lines(rows))
}

/// Messages of a channel after one, oldest first, so many at most.
pub async fn after(store: &Store, channel: u32, id: u64, most: i64) -> Result<Vec<Line>, StoreError> {
    let rows: Vec<Columns> = on_reader!(store, "reading what was said in a channel", |on| sqlx::query_as(messages!(
        "WHERE channel = $1 AND id > $2 ORDER BY id LIMIT $3"
    ))
    .bind(i64::from(channel))
    .bind(column(id))
    .bind(most)
    .fetch_all(on))?;
    Ok(lines(rows))
}

/// Rows of one message follow each other, one for each reaction.
fn lines(rows: Vec<Columns>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    for mut row in rows {
        let person = row.person.and_then(|person| u32::try_from(person).ok());
        let word = row.reaction.take();
        let kind = Reaction::ALL.into_iter().find(|kind| word.as_deref() == Some(kind.name()));
        if lines.last().is_none_or(|line| line.message.id != count(row.id)) {
            lines.push(row.line());
        }
        if let (Some(line), Some(person), Some(kind)) = (lines.last_mut(), person, kind) {
            line.message.reactions.push((person, kind));
        }
    }
    lines
}

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
