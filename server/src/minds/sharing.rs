//! What others let somebody read of their minds: `hud of Bob`, `recall of:Bob key`, and the frames that tell programs
//! of it in short.
//!
//! Frames come after the snapshot and then at changes, no oftener than each `TELL_TICKS`: the world's time paces them,
//! not a clock, so that a simulation is the same each time. Whom to look at is known from `mind_shares` and from grants
//! that came since.
//!
//! Reads the other's log beside their task, so that two who read each other wait for nobody. Invariants: nothing is
//! told but the parts that were granted to this person, and nothing is written. Who is granted nothing is not told
//! whether there is anybody of that name.

use super::log_indexes::Findings;
use super::recall::is_open;
use super::worker::{read, send};
use super::{Asker, Job, Minds};
use crate::log_input::Request;
use crate::memories::Listed;
use crate::store::mind_shares;
use dreaming::log_search::{Asked, LogQuery};
use mind::sharing::{Scope, TOLD_MAX, told};
use mind::{Event, FIRST_MIND, LogId, MindState, Reply, glimpse};
use protocol::frame::{Encoded, ServerFrame};
use protocol::names::check_name;
use protocol::payload::{Mind, SharedRow};
use std::collections::BTreeMap;
use std::fmt::Write;

const CANNOT_READ: &str = "That cannot be read just now. Try again in a minute.";
/// Characters of a name in an answer that says that there is nothing.
const NAME_CHARS: usize = 40;

/// Ticks between two frames for one reader.
const TELL_TICKS: u64 = 5;
/// Minds that are looked at for a reader who is told of `TOLD_MAX` of them.
pub(super) const LOOKED_AT_MAX: usize = 32;

/// A program that is told what others share with it.
#[derive(Debug)]
pub(super) struct Reader {
    person: u32,
    /// Whose minds may be open to it, the latest grant first.
    owners: Vec<LogId>,
    /// What it was told last, by whose mind it is.
    told: BTreeMap<LogId, SharedRow>,
    /// Something may be different by now.
    pub(super) is_due: bool,
    /// When it was looked at last.
    looked_tick: u64,
}

impl Reader {
    pub(super) fn knows(&self, owner: &LogId) -> bool {
        self.told.contains_key(owner)
    }

    /// Something of this mind may be different.
    fn note(&mut self, owner: &LogId) {
        self.is_due = true;
        if !self.owners.contains(owner) {
            self.owners.insert(0, owner.clone());
            self.owners.truncate(LOOKED_AT_MAX);
        }
    }
}

/// A mind of which somebody may read.
struct Shared {
    log: LogId,
    /// As its owner's account is called.
    name: String,
    scopes: Vec<Scope>,
    state: MindState,
}

impl Minds {
    /// Answers `hud of`.
    pub(super) async fn hud_of(&self, request: &Request, asker: Option<Asker>) {
        let Some(asker) = asker else { return };
        let reply = match self.shared_by(request, request.of().unwrap_or_default()).await {
            Ok(Shared { name, scopes, state, .. }) => {
                Reply { text: glimpse::page(&name, &state, &scopes), ..Reply::default() }
            }
            Err(text) => Reply { text, refused: true, ..Reply::default() },
        };
        self.hand_over(request, &asker, None, reply);
    }

    /// Answers `recall of:`, by a line alone: frames of memories are about one's own.
    pub(super) async fn recall_of(&self, request: &Request, name: &str, words: &str) -> Reply {
        match self.recalled_of(request, name, words).await {
            Ok(text) => Reply { text, ..Reply::default() },
            Err(text) => Reply { text, refused: true, ..Reply::default() },
        }
    }

    async fn recalled_of(&self, request: &Request, name: &str, words: &str) -> Result<String, String> {
        let Shared { log, name, scopes, state } = self.shared_by(request, name).await?;
        let asked = Asked::parse(words, request.at_ms)?;
        let Some(query) = asked.log else {
            return Err(format!("What of it? recall of:{name} <words>; hud of {name} shows all that {name} shares."));
        };
        if query.from.is_some() || query.project.is_some() {
            return Err(
                "What others share is narrowed by in:, since: and until:, not by from: or project:.".to_string()
            );
        }
        // What was taken back is shared no more.
        let query = LogQuery { all: false, scopes: Some(scopes.clone()), ..query };
        let Findings { mut found, lacks } = self.found_in_log(&log, query).await.map_err(|error| {
            tracing::error!(%log, error = %format!("{error:#}"), "a log could not be searched for somebody else");
            CANNOT_READ.to_string()
        })?;
        found.iter_mut().for_each(|found| found.hit.open &= is_open(&state, found));
        let mut text = match found.is_empty() {
            true => format!("Nothing of that is in what {name} shares with you: {}.", told(&scopes)),
            false => format!("In what {name} shares with you:"),
        };
        for (n, found) in (1..).zip(&found) {
            let _ = write!(text, "\n{}", Listed::from(found).numbered(n));
        }
        if !lacks.is_empty() {
            text.push_str("\nSome of it lies in an archive that cannot be read, and was not looked through.");
        }
        Ok(text)
    }

    /// What a request may read of the mind that it asks for, or why nothing. `word`: as its owner was called there.
    async fn shared_by(&self, request: &Request, word: &str) -> Result<Shared, String> {
        if word.is_empty() {
            return Err("Whose? hud of <name>, or recall of:<name> <words>".to_string());
        }
        let nothing = || {
            let word: String = word.chars().take(NAME_CHARS).collect();
            format!("Nobody called {word} shares anything with you. Who wants to types share, and your name.")
        };
        let reads = request.reads.as_ref().ok_or_else(nothing)?;
        let log = LogId::from(&*reads.whose);
        if log == request.log {
            return Err("That is your own mind: hud, or recall without of:.".to_string());
        }
        let state = self.state_of(&log).await.map_err(|error| {
            tracing::error!(%log, error = %format!("{error:#}"), "what is shared could not be read");
            CANNOT_READ.to_string()
        })?;
        let grant = state.shares.iter().find(|grant| grant.person == reads.reader).ok_or_else(nothing)?;
        let (name, scopes) = (reads.whose.to_string(), grant.scopes.clone());
        Ok(Shared { log, name, scopes, state })
    }

    /// Whoever watches this log is told what others share, from now on.
    pub(super) async fn begin_to_read(&self, log: &LogId, person: Option<u32>) {
        let person = person.filter(|_| log.mind() == FIRST_MIND);
        let Some(person) = person else { return drop(self.inner.lock().readers.remove(log)) };
        {
            let mut inner = self.inner.lock();
            // What is granted while the database is asked is noted here; what was before is in the one or the other.
            let mut owners: Vec<LogId> = Vec::new();
            for append in inner.to_write.iter().rev() {
                let lets_in = |event: &Event| matches!(event, Event::ShareGrant { person: to, .. } if *to == person);
                let owner = append.input.log();
                if append.entries().iter().any(|entry| lets_in(&entry.event)) && !owners.contains(owner) {
                    owners.push(owner.clone());
                }
            }
            let reader = Reader { person, owners, told: BTreeMap::new(), is_due: false, looked_tick: 0 };
            inner.readers.insert(log.clone(), reader);
        }
        match mind_shares::owners(&self.store, person, LOOKED_AT_MAX as i64).await {
            Ok(names) => {
                let mut inner = self.inner.lock();
                let Some(reader) = inner.readers.get_mut(log) else { return };
                for owner in names.iter().map(|name| LogId::from(name.as_str())) {
                    if reader.owners.len() < LOOKED_AT_MAX && !reader.owners.contains(&owner) {
                        reader.owners.push(owner);
                    }
                }
            }
            Err(error) => tracing::error!(%log, %error, "who shares a mind could not be looked up"),
        }
        self.tell_shared(log).await;
    }

    /// These may want to know that the mind of `owner` is another.
    pub(super) fn note_readers(&self, owner: &LogId, readers: Vec<LogId>) {
        if readers.is_empty() || owner.mind() != FIRST_MIND {
            return;
        }
        let mut inner = self.inner.lock();
        for log in readers {
            if let Some(reader) = inner.readers.get_mut(&log) {
                reader.note(owner);
            }
        }
    }

    /// The world is at this tick: who was told nothing for long enough is told what is different. Never waits.
    pub fn ticked(&self, tick: u64) {
        let due: Vec<LogId> = {
            let mut inner = self.inner.lock();
            let is_due = |reader: &Reader| reader.is_due && tick >= reader.looked_tick + TELL_TICKS;
            let due = inner.readers.iter_mut().filter(|(_, reader)| is_due(reader));
            due.map(|(log, reader)| {
                (reader.is_due, reader.looked_tick) = (false, tick);
                log.clone()
            })
            .collect()
        };
        due.iter().for_each(|log| self.put(log, Job::Shared));
    }

    /// Sends whoever watches what is different in what others share with it.
    pub(super) async fn tell_shared(&self, log: &LogId) {
        let (person, owners, outbox) = {
            let mut inner = self.inner.lock();
            let outbox = inner.watchers.get(log).and_then(|outbox| outbox.upgrade());
            let Some(outbox) = outbox else { return drop(inner.readers.remove(log)) };
            let Some(reader) = inner.readers.get(log) else { return };
            (reader.person, reader.owners.clone(), outbox)
        };
        let mut rows: BTreeMap<LogId, SharedRow> = BTreeMap::new();
        for owner in owners {
            if rows.len() == TOLD_MAX {
                break;
            }
            match self.row_of(&owner, log, person).await {
                Ok(Some(row)) => drop(rows.insert(owner, row)),
                Ok(None) => {}
                Err(error) => {
                    tracing::error!(%owner, error = %format!("{error:#}"), "what is shared could not be read");
                    // As it was, and once more when the world's time has gone on.
                    if let Some(reader) = self.inner.lock().readers.get_mut(log) {
                        reader.is_due = true;
                    }
                    return;
                }
            }
        }
        let mut inner = self.inner.lock();
        let Some(reader) = inner.readers.get_mut(log) else { return };
        let told = std::mem::replace(&mut reader.told, rows.clone());
        drop(inner);
        let gone: Vec<String> =
            told.iter().filter(|(owner, _)| !rows.contains_key(owner)).map(|(_, row)| row.who.clone()).collect();
        let news = rows.into_iter().filter(|(owner, row)| told.get(owner) != Some(row));
        let rows: Vec<SharedRow> = news.map(|(_, row)| row).collect();
        if !rows.is_empty() || !gone.is_empty() {
            send(&outbox, &Encoded::new(&ServerFrame::Mind(Mind::Shared { rows, gone })));
        }
    }

    /// The mind of `owner` in short, as far as it is open to this person.
    async fn row_of(&self, owner: &LogId, reader: &LogId, person: u32) -> anyhow::Result<Option<SharedRow>> {
        if owner == reader {
            return Ok(None);
        }
        Ok(row_for(owner, &self.state_of(owner).await?, person))
    }

    /// The mind of somebody as it is now, from memory where it lies there.
    async fn state_of(&self, log: &LogId) -> anyhow::Result<MindState> {
        if let Some(mind) = self.inner.lock().slots.get(log).and_then(|slot| slot.mind.as_ref()) {
            return Ok(mind.state.clone());
        }
        // Before the database is asked: what is written meanwhile is in both, not in neither.
        let on_their_way = self.on_their_way(log);
        Ok(read(&self.store, log, &on_their_way).await?.state)
    }
}

/// A mind in short, as far as it is open to this person.
pub(super) fn row_for(owner: &LogId, state: &MindState, person: u32) -> Option<SharedRow> {
    let grant = state.shares.iter().find(|grant| grant.person == person)?;
    Some(glimpse::row(&called(owner), state, &grant.scopes))
}

/// The name of an account, whose log goes by it in lower case.
fn called(log: &LogId) -> String {
    check_name(log.character()).unwrap_or_else(|_| log.character().to_string())
}
