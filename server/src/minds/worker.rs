//! The task of one character: its jobs, one after the other.
//!
//! Leaves what a request means to `mind::edit`. Invariant: it is alone with its character. A log that cannot be read is
//! tried again until it can; nothing is answered from half a log.

use super::writer::POLICY;
use super::{Append, Asker, Find, Job, Mind, Minds, Recent, UNWRITTEN_MAX, council};
use crate::log_base;
use crate::log_input::{LogInput, Request};
use crate::outbox::{Out, Outbox, Wake};
use crate::store::agent_events::{self, Sort, entries_of, entry_of};
use crate::store::logs;
use crate::store::{Store, StoreError};
use mind::base::Base;
use mind::derive::Open;
use mind::edit::{self, HISTORY_MAX};
use mind::event::{CONFLICT_OUTCOME, PLAN_END};
use mind::{Event, FIRST_MIND, LogEntry, LogId, MindState, Reply, VerbRequest, derive};
use protocol::frame::{Encoded, ServerFrame};
use protocol::minds::MindName;
use protocol::{Outcome, payload};
use std::collections::{BTreeMap, VecDeque};
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use world::report::{Line, LineKind};

/// The verb that is answered from memories, not from the state of a mind.
const RECALL: &str = "recall";
/// The verb of which programs are told more than is in the state of a mind.
const STATUS: &str = "status";
/// The verb that shows the newest entries of the log.
const HISTORY: &str = "history";

/// Entries that are read at a time.
const PAGE: i64 = 5_000;
/// Entries that a fold looks through: those of the fold, and what came after them.
const SPAN_MAX: i64 = mind::edit::FOLD_ENTRIES_MAX as i64 + 1_000;
/// Said to those who have to wait.
const CANNOT_READ: &str =
    "Your mind's log cannot be read just now. What you asked is kept, and answered when it can be read again.";
const TOO_MANY: &str =
    "Nothing could be written down for too long, and no more can be kept until it can. Nothing was noted.";
const GIVEN_UP: &str = "Something went wrong with that, and nothing was noted. The operator's log says what.";

/// What came of one request or record.
struct Answered {
    input: LogInput,
    asker: Option<Asker>,
    /// `None`: it was done before, or asked nothing.
    reply: Option<Reply>,
    entries: Arc<[LogEntry]>,
}

impl Minds {
    /// Gives an answer that needed more than the state of a mind to whoever asked: the verdict, the frame if it reads
    /// frames of this log, the line.
    pub(super) fn hand_over(&self, request: &Request, asker: &Asker, frame: Option<payload::Mind>, reply: Reply) {
        let refused = u64::from(reply.refused);
        asker.tell_verdict(reply.refused.then_some(reply.text.as_str()));
        let frame = frame.filter(|_| self.watches(&request.log, asker));
        let frame = frame.map(|frame| Out::Frame(Encoded::new(&ServerFrame::Mind(frame))));
        asker.answer(frame, Some(line_of(&request.verb, reply)));
        // Counted last: whoever sees the number finds the answer delivered.
        Self::count(&self.refused, refused);
        Self::count(&self.answered, 1);
    }

    /// Whether an asker reads the frames of a log.
    pub(super) fn watches(&self, log: &LogId, asker: &Asker) -> bool {
        let watcher = self.inner.lock().watchers.get(log).and_then(|watcher| watcher.upgrade());
        watcher.is_some_and(|watcher| Arc::ptr_eq(&watcher, &asker.outbox))
    }

    pub(super) async fn work(self: Arc<Self>, log: LogId) {
        loop {
            let (jobs, mind, life) = {
                let mut inner = self.inner.lock();
                let inner = &mut *inner;
                let Some(slot) = inner.slots.get_mut(&log) else { return };
                if slot.jobs.is_empty() {
                    slot.busy = false;
                    Self::tidy(inner);
                    return;
                }
                (std::mem::take(&mut slot.jobs), slot.mind.take(), slot.life)
            };
            if let Some(mind) = self.read_patiently(&log, mind, &jobs, life).await {
                self.do_jobs(&log, mind, jobs, life).await;
            }
        }
    }

    /// The mind of somebody with what these jobs need of it, however long the database takes; `mind` is what is in
    /// memory of it. `None`: deleted meanwhile.
    async fn read_patiently(
        &self,
        log: &LogId,
        mut mind: Option<Box<Mind>>,
        jobs: &VecDeque<Job>,
        life: u64,
    ) -> Option<Box<Mind>> {
        let shows = |job: &Job| matches!(job, Job::Answer(LogInput::Request(request), _) if request.verb == HISTORY);
        let shows_recent = jobs.iter().any(shows);
        let folds = jobs.iter().any(|job| looks_from(job, &MindState::default()).is_some());
        let is_enough = |mind: &Mind| (mind.recent.is_some() || !shows_recent) && (mind.span.is_some() || !folds);
        if mind.as_deref().is_some_and(is_enough) {
            return mind;
        }
        let mut pause = POLICY.retry_first;
        // What is on its way to the database now: all else that was answered is there. Nobody adds to it meanwhile,
        // since whatever comes waits for us.
        let on_their_way = self.on_their_way(log);
        loop {
            let read = match &mut mind {
                None => read(&self.store, log, &on_their_way).await.map(|read| mind = Some(Box::new(read))),
                Some(mind) if mind.recent.is_none() && shows_recent => {
                    recent(&self.store, log, &on_their_way).await.map(|recent| mind.recent = Some(recent))
                }
                Some(mind) => {
                    let from = jobs.iter().filter_map(|job| looks_from(job, &mind.state)).min().unwrap_or_default();
                    span(&self.store, log, from, &on_their_way).await.map(|span| mind.span = Some(span))
                }
            };
            match read {
                Ok(()) if mind.as_deref().is_some_and(is_enough) => return mind,
                Ok(()) => {}
                Err(error) => {
                    Self::count(&self.failures, 1);
                    tracing::error!(%error, %log, "the log of a mind could not be read; trying again");
                    if pause == POLICY.retry_first {
                        for job in jobs {
                            if let Job::Answer(_, Some(asker)) = job {
                                asker.outbox.say(LineKind::Text, CANNOT_READ);
                            }
                        }
                    }
                    tokio::time::sleep(pause).await;
                    pause = (pause * 2).min(POLICY.retry_longest);
                    if self.inner.lock().slots.get(log).is_none_or(|slot| slot.life != life) {
                        return None;
                    }
                }
            }
        }
    }

    async fn do_jobs(&self, log: &LogId, mut mind: Box<Mind>, jobs: VecDeque<Job>, life: u64) {
        let mut jobs = jobs.into_iter().peekable();
        while jobs.peek().is_some() {
            // Requests that follow each other are answered in one go, on a thread that may take its time: counting
            // tokens does.
            let mut inputs = Vec::new();
            let looks_back = |input: &LogInput| match input {
                LogInput::Request(request) => {
                    let looks = request.moment().is_some() || request.of().is_some();
                    request.verb == RECALL || request.verb == STATUS || looks || council::reads(request)
                }
                LogInput::Record(..) => false,
            };
            let is_taken = |job: &Job| matches!(job, Job::Answer(input, _) if !looks_back(input));
            while let Some(Job::Answer(input, asker)) = jobs.next_if(is_taken) {
                inputs.push((input, asker));
            }
            if !inputs.is_empty() {
                let too_many = self.inner.lock().requests.exceeds(UNWRITTEN_MAX);
                let answering = tokio::task::spawn_blocking(move || {
                    let take_up = |(input, asker)| match input {
                        LogInput::Request(request) => answer(&mut mind, request, asker, too_many),
                        LogInput::Record(log, entry) => take_in(&mut mind, log, entry, asker),
                    };
                    let answered: Vec<Answered> = inputs.into_iter().map(take_up).collect();
                    (mind, answered)
                });
                let answered;
                (mind, answered) = match answering.await {
                    Ok(done) => done,
                    Err(error) => {
                        // The server ends. What was under way is unwritten still: the next start does it.
                        tracing::error!(%error, %log, "requests to a mind were not answered");
                        return;
                    }
                };
                let readers = readers_of(&mind.state, &answered);
                for answered in answered {
                    if !self.deliver(log, answered, life) {
                        return;
                    }
                }
                self.note_readers(log, readers);
            }
            match jobs.next_if(|job| !is_taken(job)) {
                Some(Job::Watch(watcher, person)) => {
                    if let Some(outbox) = watcher.upgrade() {
                        send(&outbox, &snapshot_frame(&mind.state, watcher.mind(log)));
                        if log.mind() == FIRST_MIND {
                            self.find_at_login(log.character(), &mind.state);
                        }
                    }
                    self.inner.lock().watchers.insert(log.clone(), watcher);
                    self.begin_to_read(log, person).await;
                }
                Some(Job::Shared) => self.tell_shared(log).await,
                // Whoever asked may have given up waiting.
                Some(Job::Goals(reply)) => drop(reply.send(goals_of(&mind.state))),
                Some(Job::State(reply)) => drop(reply.send(Box::new(mind.state.clone()))),
                Some(Job::Answer(LogInput::Request(request), asker)) if council::reads(&request) => {
                    self.look_into_minds(&request, asker, &mind.state).await;
                }
                Some(Job::Answer(LogInput::Request(request), asker)) if request.verb == RECALL => {
                    self.recall(&request, asker, &mind.state).await;
                }
                Some(Job::Answer(LogInput::Request(request), asker)) if request.verb == STATUS => {
                    self.status(&mind.state, &request, asker).await;
                }
                Some(Job::Answer(LogInput::Request(request), asker)) if request.of().is_some() => {
                    self.hud_of(&request, asker).await;
                }
                Some(Job::Answer(LogInput::Request(request), asker)) => self.hud_at(&request, asker).await,
                Some(Job::Answer(LogInput::Record(..), _)) | None => {}
            }
        }
        mind.span = None;
        let mut inner = self.inner.lock();
        if let Some(slot) = inner.slots.get_mut(log).filter(|slot| slot.life == life) {
            slot.mind = Some(mind);
        }
    }

    /// What follows from a state for a session that begins to read it.
    fn find_at_login(&self, name: &str, state: &MindState) {
        let name = name.to_string();
        self.find(Find::Read { name: name.clone() });
        if derive::tidies(state) {
            self.find(Find::Line { name: name.clone(), verb: "tidy", args: String::new() });
        }
        let open = Open::of(state);
        if !open.is_empty() {
            self.find(Find::Open { name, open });
        }
    }

    /// What came of the plans of one mind of several is remembered by the body that they share.
    fn tell_body(&self, log: &LogId, entries: &[LogEntry]) {
        let Some(mind) = log.mind_name() else { return };
        for args in entries.iter().filter_map(|entry| edit::told_of(mind, &entry.event)) {
            self.find(Find::Line { name: log.character().to_string(), verb: PLAN_END, args });
        }
    }

    /// Hands over what came of a request or record: entries to the writer and to who watches, the text to who asked.
    /// `false`: the character was deleted meanwhile.
    fn deliver(&self, log: &LogId, answered: Answered, life: u64) -> bool {
        let Answered { input, asker, reply, entries } = answered;
        let verb = match &input {
            LogInput::Request(request) if asker.is_some() => request.verb.clone(),
            _ => String::new(),
        };
        let watcher = {
            let mut inner = self.inner.lock();
            let inner = &mut *inner;
            if inner.slots.get(log).is_none_or(|slot| slot.life != life) {
                return false;
            }
            if entries.is_empty() {
                if input.may_write() && inner.remove_unwritten(&input) {
                    self.queue.changed();
                }
            } else {
                let facts = asker.as_ref().map(|asker| asker.facts.clone());
                let append = Append { input, entries: entries.clone(), facts };
                // A record may have been dropped while it waited, for want of room.
                if inner.is_unwritten(&append) {
                    inner.to_write.push_back(append);
                    self.queue.wake();
                }
            }
            inner.watchers.get(log).cloned()
        };
        if let Some((watcher, of)) = watcher.and_then(|watcher| Some((watcher.upgrade()?, watcher.mind(log)))) {
            for entry in entries.iter() {
                send(&watcher, &event_frame(entry, of));
            }
            if let Some(suggestion) = reply.as_ref().and_then(|reply| reply.suggestion) {
                send(&watcher, &refused_frame(suggestion));
            }
        }
        if asker.is_some() {
            self.tell_body(log, &entries);
        }
        let Some(reply) = reply else { return true };
        let refused = u64::from(reply.refused);
        if let Some(asker) = asker {
            asker.tell_verdict(reply.refused.then_some(&reply.text));
            // What the world writes by itself is answered with nothing.
            let line = (!reply.text.is_empty()).then(|| line_of(&verb, reply));
            asker.answer(None, line);
        }
        // Counted last: whoever sees the number finds the answer delivered.
        Self::count(&self.refused, refused);
        Self::count(&self.answered, 1);
        true
    }
}

/// Whom it concerns what came of requests to a mind: those who may read of it, and those who might before.
fn readers_of(state: &MindState, answered: &[Answered]) -> Vec<LogId> {
    let entries = answered.iter().flat_map(|answered| answered.entries.iter()).filter(|entry| !entry.is_record());
    let mut readers = Vec::new();
    for entry in entries {
        if readers.is_empty() {
            readers.extend(state.shares.iter().map(|grant| LogId::from(grant.to.as_str())));
        }
        if let Event::ShareRevoke { to } = &entry.event {
            readers.push(LogId::from(to.as_str()));
        }
    }
    readers
}

/// Answers one request, and takes what it wrote into the mind.
fn answer(mind: &mut Mind, request: Arc<Request>, asker: Option<Asker>, too_many: bool) -> Answered {
    let nothing: Arc<[LogEntry]> = Vec::new().into();
    let may_write = request.numbers > 0;
    if may_write && request.first <= mind.last {
        if asker.is_some() {
            // Numbers that the world gives out are above all that are in the log; a login sees to it.
            tracing::error!(log = %request.log, first = request.first, last = mind.last, "a number came twice");
        }
        return Answered { input: LogInput::Request(request), asker, reply: None, entries: nothing };
    }
    if may_write && too_many && asker.is_some() {
        let reply = Reply { text: TOO_MANY.to_string(), refused: true, ..Reply::default() };
        return Answered { input: LogInput::Request(request), asker, reply: Some(reply), entries: nothing };
    }
    let present: Vec<&str> = request.present.iter().filter_map(|key| key.strip_prefix("player:")).collect();
    let asked = VerbRequest {
        name: request.log.character(),
        verb: &request.verb,
        args: &request.args,
        first: request.first,
        numbers: request.numbers,
        tick: request.tick,
        at_ms: request.at_ms,
        input: request.input,
        recent: mind.recent.as_ref().map_or(&[], |recent| &recent.0),
        span: mind.span.as_deref().unwrap_or_default(),
        shelf: &mind.shelf,
        present: &present,
        place: request.place.as_ref(),
        minds: &[],
    };
    // A mistake of ours in one answer must not cost the character its mind; the hook has written where it happened.
    let answered = std::panic::catch_unwind(AssertUnwindSafe(|| edit::answer(&mind.state, &asked)));
    let mut reply = answered.unwrap_or_else(|_| {
        // Whose and which, not what: the words are the player's own.
        let (log, seq, verb) = (&request.log, request.first, &request.verb);
        tracing::error!(%log, seq, %verb, "a request to a mind was given up half-way");
        Reply { text: GIVEN_UP.to_string(), refused: true, ..Reply::default() }
    });
    let events = std::mem::take(&mut reply.events);
    let entries: Vec<LogEntry> = (request.first..)
        .zip(events)
        .map(|(seq, event)| LogEntry { seq, tick: request.tick, at_ms: request.at_ms, input: request.input, event })
        .collect();
    for entry in &entries {
        mind.note(entry);
    }
    Answered { input: LogInput::Request(request), asker, reply: Some(reply), entries: entries.into() }
}

/// Takes a record into the mind, if it was not there already.
fn take_in(mind: &mut Mind, log: LogId, entry: Arc<LogEntry>, asker: Option<Asker>) -> Answered {
    let mut entries = Vec::new();
    if entry.seq > mind.last {
        mind.note(&entry);
        entries.push(entry.as_ref().clone());
    }
    Answered { input: LogInput::Record(log, entry), asker, reply: None, entries: entries.into() }
}

impl Mind {
    /// One more entry of the log.
    pub(super) fn note(&mut self, entry: &LogEntry) {
        self.state.project(entry);
        self.shelf.note(entry);
        self.shelf.retain(&self.state.projects);
        self.last = self.last.max(entry.seq);
        if let Some(recent) = &mut self.recent {
            recent.note(entry);
        }
        if let Some(span) = &mut self.span {
            span.push(entry.clone());
        }
    }
}

impl Recent {
    fn note(&mut self, entry: &LogEntry) {
        let sort = |one: &LogEntry| (one.is_record(), one.event.is_talk());
        let alike = |one: &LogEntry| sort(one) == sort(entry);
        if self.0.iter().filter(|one| alike(one)).count() >= HISTORY_MAX
            && let Some(oldest) = self.0.iter().position(alike)
        {
            self.0.remove(oldest);
        }
        let event = match &entry.event {
            // Whole states in it would take more memory than all the rest; nobody is shown them.
            Event::CompactBefore { cause, hash, .. } => {
                Event::CompactBefore { cause: *cause, hash: hash.clone(), state: None }
            }
            event => event.without_workspace(),
        };
        self.0.push(LogEntry { event, ..entry.clone() });
    }
}

/// Reads a log: what the mind was at the end of its archives, and what changed it since. `on_their_way`: what the
/// database may not have yet, in order. Most of a long log are records, which change nothing; the newest tells its
/// number.
pub(super) async fn read(store: &Store, log: &LogId, on_their_way: &[Append]) -> anyhow::Result<Mind> {
    // The end first: what a process before this one still writes meanwhile may be read below or not, but is not taken
    // for read where it was not.
    let newest = agent_events::newest(store, log).await?.seq;
    let Base { seq, mut state, mut shelf, .. } = log_base::newest(store, log).await?;
    let mut after = i64::try_from(seq)?;
    loop {
        let rows = logs::without_records(store, log, (after, i64::MAX), PAGE).await?;
        let is_last = (rows.len() as i64) < PAGE;
        after = rows.last().map_or(after, |row| row.seq);
        (state, shelf) = tokio::task::spawn_blocking(move || {
            for row in &rows {
                let entry = entry_of(row)?;
                state.project(&entry);
                shelf.note(&entry);
            }
            Ok::<_, anyhow::Error>((state, shelf))
        })
        .await??;
        if is_last {
            break;
        }
    }
    state.seq = state.seq.max(newest);
    for entry in on_their_way.iter().flat_map(Append::entries) {
        state.project(entry);
        shelf.note(entry);
    }
    shelf.retain(&state.projects);
    Ok(Mind { last: state.seq, state, shelf, recent: None, span: None })
}

/// The first entry that a fold, or what came of a conflict, is about, where a job is one.
fn looks_from(job: &Job, state: &MindState) -> Option<u64> {
    let Job::Answer(LogInput::Request(request), _) = job else { return None };
    match &*request.verb {
        "compact" => mind::edit::fold_span(&request.args, state).map(|span| span.from),
        CONFLICT_OUTCOME => mind::edit::outcome_from(&request.args, state),
        _ => None,
    }
}

/// Reads the entries of a log from a number on, at most `SPAN_MAX`; `on_their_way` as above.
async fn span(store: &Store, log: &LogId, from: u64, on_their_way: &[Append]) -> anyhow::Result<Vec<LogEntry>> {
    let before = i64::try_from(from.saturating_sub(1))?;
    let rows = logs::after(store, log, before, SPAN_MAX).await?;
    let is_all = (rows.len() as i64) < SPAN_MAX;
    let mut span = tokio::task::spawn_blocking(move || entries_of(&rows)).await??;
    let last = span.last().map_or(from.saturating_sub(1), |entry| entry.seq);
    if is_all {
        span.extend(on_their_way.iter().flat_map(Append::entries).filter(|entry| entry.seq > last).cloned());
    }
    Ok(span)
}

/// Reads the newest entries of a log; `on_their_way` as above.
pub(super) async fn recent(store: &Store, log: &LogId, on_their_way: &[Append]) -> anyhow::Result<Recent> {
    let most = i64::try_from(HISTORY_MAX)?;
    let mut newest: BTreeMap<u64, LogEntry> = BTreeMap::new();
    for sort in Sort::ALL {
        let rows = match logs::last_of(store, log, sort, most).await {
            // The rest is there: what an archive had is not shown until it is put back.
            Err(error @ StoreError::Archive { .. }) => {
                tracing::error!(%error, "the history of a log begins behind an archive");
                agent_events::last_rows_of(store, log, sort, most).await?
            }
            rows => rows?,
        };
        for row in &rows {
            let entry = entry_of(row)?;
            newest.insert(entry.seq, entry);
        }
    }
    newest.extend(on_their_way.iter().flat_map(Append::entries).map(|entry| (entry.seq, entry.clone())));
    let mut recent = Recent::default();
    newest.values().for_each(|entry| recent.note(entry));
    Ok(recent)
}

fn snapshot_frame(state: &MindState, mind: Option<MindName>) -> Encoded {
    let (log_seq, state) = (state.seq, serde_json::to_value(state).expect("a state has string keys only"));
    Encoded::new(&ServerFrame::Mind(protocol::payload::Mind::Snapshot { log_seq, mind, state, recalls: true }))
}

pub(super) fn event_frame(entry: &LogEntry, mind: Option<MindName>) -> Encoded {
    let event = serde_json::to_value(entry).expect("an entry has string keys only");
    Encoded::new(&ServerFrame::Mind(protocol::payload::Mind::Event { log_seq: entry.seq, mind, event }))
}

/// A text that speaks of oneself was refused.
fn refused_frame(suggestion: &str) -> Encoded {
    let (error, suggestion) = (mind::persona::ERROR.to_string(), suggestion.to_string());
    Encoded::new(&ServerFrame::Mind(protocol::payload::Mind::Refused { success: false, error, suggestion }))
}

pub(super) fn send(outbox: &Outbox, frame: &Encoded) {
    outbox.release(&mut vec![Out::Frame(frame.clone())], Vec::new(), None, Wake::Now);
}

/// The answer as a line; a refusal also as an outcome, so that programs need not read the sentence.
fn line_of(verb: &str, reply: Reply) -> Out {
    let Reply { text, refused, .. } = reply;
    Out::line(match refused {
        false => Line { text, ..Line::default() },
        true => {
            let outcome = Outcome::Refused { command: verb.into(), reason: text.as_str().into() };
            Line { kind: LineKind::Refusal, text, outcome: Some(Arc::new(outcome)), ..Line::default() }
        }
    })
}

pub(super) fn goals_of(state: &MindState) -> Vec<String> {
    let steps = state.steps.iter().filter(|step| !step.done).map(|step| step.text.clone());
    state.task.iter().map(|task| task.text.clone()).chain(steps).collect()
}
