//! Who asks for older messages of a channel than the world holds is answered here, from the database and from what is
//! on its way to it.
//!
//! The world has decided who may read what (`HistoryRequest`). Words are looked for in the newest `SEARCHED` messages
//! before the one that was named, so that no question takes long; the answer says where to go on. Invariant: what is
//! shown is the same whether it is written yet or not.

use super::Archive;
use crate::minds::Asker;
use crate::outbox::Out;
use crate::store::StoreError;
use crate::store::messages::{self, Line as Stored};
use crate::times::unix_ms;
use std::collections::BTreeMap;
use std::sync::Arc;
use world::channels::remembered;
use world::page::Page;
use world::report::HistoryRequest;

/// Messages of a channel in which one question looks for words.
pub const SEARCHED: usize = 5_000;
/// Of them so many are read at a time.
const PAGE: usize = 500;

const UNANSWERED: &str = "What was said there cannot be looked up just now. Try again in a moment.";
const NOTHING: &str = "Nothing of that kind is remembered there.";

/// What was found.
#[derive(Debug, Default)]
pub struct Found {
    /// Oldest first.
    pub lines: Vec<Stored>,
    /// Words were looked for from this message on; what is older was not looked at.
    pub searched_from: Option<u64>,
}

impl Archive {
    /// Answers in a task of its own.
    pub fn answer(self: &Arc<Archive>, request: HistoryRequest, asker: Asker) {
        let archive = self.clone();
        tokio::spawn(async move {
            let text = match archive.look_up(&request).await {
                Ok(found) => page_of(&request, &found, unix_ms()),
                Err(error) => {
                    tracing::warn!(%error, "a history was not answered");
                    let mut page = Page::new();
                    page.say(UNANSWERED);
                    page
                }
            };
            asker.answer([], Some(Out::line(text.into_line())));
        });
    }

    /// The newest messages that fit, oldest first.
    pub async fn look_up(&self, request: &HistoryRequest) -> Result<Found, StoreError> {
        let wanted = request.with.to_lowercase();
        let fits = |line: &Stored| {
            let message = &line.message;
            let ignored = message.sender.id.is_some_and(|sender| request.without.contains(&sender));
            !ignored && (wanted.is_empty() || (!message.hidden && message.text.to_lowercase().contains(&wanted)))
        };
        let count = usize::from(request.count);
        let mut found = Found::default();
        let (mut before, mut looked_at) = (request.before, 0);
        while found.lines.len() < count && looked_at < SEARCHED {
            let most = if wanted.is_empty() { count } else { PAGE };
            let page = self.page(request.channel, request.from, before, most).await?;
            let Some(oldest) = page.first().map(|line| line.message.id) else { break };
            (before, looked_at) = (oldest, looked_at + page.len());
            let is_last = page.len() < most;
            let mut fitting: Vec<Stored> = page.into_iter().filter(&fits).collect();
            fitting.drain(..fitting.len().saturating_sub(count - found.lines.len()));
            fitting.append(&mut found.lines);
            found.lines = fitting;
            if is_last {
                break;
            }
            if looked_at >= SEARCHED && found.lines.len() < count {
                found.searched_from = Some(before);
            }
        }
        Ok(found)
    }

    /// The newest `most` messages of a channel with `from <= id < before`, oldest first, written or not.
    async fn page(&self, channel: u32, from: u64, before: u64, most: usize) -> Result<Vec<Stored>, StoreError> {
        // First what waits: what is written in between is then in both, and nothing in neither.
        let on_the_way = self.on_the_way(channel);
        let stored = messages::of(&self.store, channel, from, before, most as i64).await?;
        let mut lines: BTreeMap<u64, Stored> = stored.into_iter().map(|line| (line.message.id, line)).collect();
        for (message, at_ms) in on_the_way {
            if (from..before).contains(&message.id) {
                let at_ms = lines.get(&message.id).map_or(at_ms, |line| line.at_ms);
                lines.insert(message.id, Stored { channel, message: message.as_ref().clone(), at_ms });
            }
        }
        let surplus = lines.len().saturating_sub(most);
        Ok(lines.into_values().skip(surplus).collect())
    }
}

fn page_of(request: &HistoryRequest, found: &Found, now_ms: i64) -> Page {
    let mut page = Page::new();
    for line in &found.lines {
        let minutes = (now_ms - line.at_ms).max(0) as u64 / 60_000;
        let filter = request.filter.as_deref();
        page.say(remembered(request.reader, request.channel, &line.message, minutes, filter));
    }
    if let Some(from) = found.searched_from {
        let channel = request.channel;
        let with = if request.with.is_empty() { String::new() } else { format!(" with {}", request.with) };
        page.say(format!("Looked back as far as #{from}. To go on: channel history {channel} before {from}{with}"));
    } else if found.lines.is_empty() {
        page.say(NOTHING);
    }
    page
}
