//! The minds of one body, looked at together: what `mind` lists and reads, what one of them recalls, and what the API
//! shows.
//!
//! Leaves what each perceives to `mind::council::routing` and the words to `mind::edit`. Invariants: nothing here
//! writes; of tasks only that of the body's log waits for those of the others, and they wait for nobody, so none waits
//! in a circle.

use super::{Append, Asker, Found, Job, Minds};
use crate::log_input::Request;
use crate::memories::Listed;
use crate::store::agent_events::{Sort, entry_of};
use crate::store::{Store, logs};
use dreaming::log_search::{Asked, FOUND_MAX};
use mind::council::routing::Body;
use mind::edit::{self, MindLog, Reading};
use mind::{LogEntry, LogId, MindState, Reply, VerbRequest};
use protocol::minds::MindName;
use std::collections::BTreeMap;
use tokio::sync::oneshot;

/// Entries of each sort that are looked through for a stream: kinds of one mind may be rare among those of another.
const LOOKED_THROUGH: i64 = 500;
const CANNOT_READ: &str = "Your minds cannot be read just now. Try again in a minute.";

/// One mind of a body.
#[derive(Clone, PartialEq, Debug)]
pub struct OwnMind {
    pub mind: MindName,
    pub state: MindState,
    /// The newest, oldest first.
    pub entries: Vec<LogEntry>,
    /// Of this input and those before it, entries are missing; 0: there are no others.
    pub lacks_before: u64,
}

/// Whether a request looks into the minds of its body.
pub(super) fn reads(request: &Request) -> bool {
    request.verb == "mind" && edit::reading(&request.args).is_some()
}

impl Minds {
    /// Answers `mind` where it reads, behind all that came before.
    pub(super) async fn look_into_minds(&self, request: &Request, asker: Option<Asker>, body: &MindState) {
        let Some(asker) = asker else { return };
        let answered = match edit::reading(&request.args) {
            Some(Reading::Recall { mind, words }) if !words.is_empty() => self.recall_as(request, mind, words).await,
            _ => self.shown(request, body).await,
        };
        let reply = answered.unwrap_or_else(|error| {
            tracing::error!(log = %request.log, error = %format!("{error:#}"), "the minds of a body could not be read");
            Reply { text: CANNOT_READ.to_string(), refused: true, ..Reply::default() }
        });
        self.hand_over(request, &asker, None, reply);
    }

    async fn shown(&self, request: &Request, body: &MindState) -> anyhow::Result<Reply> {
        let (entries, lacks_before) = self.newest_entries(&request.log, LOOKED_THROUGH).await?;
        let mut minds = vec![OwnMind { mind: MindName::Body, state: body.clone(), entries, lacks_before }];
        for mind in MindName::COUNCIL {
            minds.push(self.own_mind(request.log.character(), mind, LOOKED_THROUGH).await?);
        }
        let minds: Vec<MindLog> = minds.iter().map(OwnMind::log).collect();
        let asked = VerbRequest::new(&request.verb, &request.args, request.first, 0, request.tick);
        Ok(edit::answer(body, &VerbRequest { name: request.log.character(), minds: &minds, ..asked }))
    }

    /// All minds of a body with so many of the newest entries of each sort, for whoever is none of their tasks.
    pub async fn council(&self, name: &str, most: i64) -> anyhow::Result<Vec<OwnMind>> {
        let mut minds = Vec::with_capacity(MindName::ALL.len());
        for mind in MindName::ALL {
            minds.push(self.own_mind(name, mind, most).await?);
        }
        Ok(minds)
    }

    async fn own_mind(&self, name: &str, mind: MindName, most: i64) -> anyhow::Result<OwnMind> {
        let log = LogId::of(name, mind);
        let (reply, state) = oneshot::channel();
        self.put(&log, Job::State(reply));
        let state = *state.await?;
        let (entries, lacks_before) = self.newest_entries(&log, most).await?;
        Ok(OwnMind { mind, state, entries, lacks_before })
    }

    async fn newest_entries(&self, log: &LogId, most: i64) -> anyhow::Result<(Vec<LogEntry>, u64)> {
        // Before the database is asked: what is written meanwhile is in both, not in neither.
        let on_their_way = self.on_their_way(log);
        newest_entries(&self.store, log, most, &on_their_way).await
    }

    /// What a mind finds in its stream: of the body's log what it perceives, its own, and what it may read.
    async fn recall_as(&self, request: &Request, mind: MindName, words: &str) -> anyhow::Result<Reply> {
        let asked = match Asked::parse(words, request.at_ms) {
            Ok(asked) => asked,
            Err(why) => return Ok(Reply { text: why, refused: true, ..Reply::default() }),
        };
        let Some(query) = asked.log else {
            let text = "A mind's stream has no memories of the nights: in:notes, decisions, goals, projects, facts, \
                        journal, talk, deeds or all.";
            return Ok(Reply { text: text.into(), refused: true, ..Reply::default() });
        };
        let body = Body { name: request.log.character() };
        let mut found: Vec<Found> = Vec::new();
        for of in MindName::ALL {
            let log = LogId::of(request.log.character(), of);
            let hits = self.found_in_log(&log, query.clone()).await?.found;
            found.extend(hits.into_iter().filter(|found| body.sense(mind, of, &found.entry).is_some()));
        }
        found.sort_by(|a, b| b.hit.score.total_cmp(&a.hit.score).then(b.hit.seq.cmp(&a.hit.seq)));
        found.truncate(FOUND_MAX);
        let listed: Vec<Listed> = found.iter().map(Listed::from).collect();
        let text = match found.is_empty() {
            true => format!("Nothing of that is in the stream of {mind}."),
            false => {
                let lines: Vec<String> = (1..).zip(&listed).map(|(n, listed)| listed.numbered(n)).collect();
                format!("In the stream of {mind}:\n{}", lines.join("\n"))
            }
        };
        self.list(&request.log, listed);
        Ok(Reply { text, ..Reply::default() })
    }
}

impl OwnMind {
    pub fn log(&self) -> MindLog<'_> {
        MindLog { mind: self.mind, state: &self.state, entries: &self.entries }
    }
}

/// So many of the newest entries of each sort, oldest first; and the last input of which there are more.
async fn newest_entries(
    store: &Store,
    log: &LogId,
    most: i64,
    on_their_way: &[Append],
) -> anyhow::Result<(Vec<LogEntry>, u64)> {
    let (mut newest, mut lacks_before): (BTreeMap<u64, LogEntry>, u64) = (BTreeMap::new(), 0);
    for sort in Sort::ALL {
        let rows = logs::last_of(store, log, sort, most).await?;
        let is_cut = rows.len() as i64 == most;
        for row in &rows {
            let entry = entry_of(row)?;
            newest.insert(entry.seq, entry);
        }
        // Newest first, so the last is the oldest.
        let oldest = rows.last().filter(|_| is_cut).and_then(|row| u64::try_from(row.number).ok());
        lacks_before = lacks_before.max(oldest.unwrap_or(0));
    }
    newest.extend(on_their_way.iter().flat_map(Append::entries).map(|entry| (entry.seq, entry.clone())));
    Ok((newest.into_values().collect(), lacks_before))
}
