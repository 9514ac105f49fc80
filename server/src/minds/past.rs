//! What a mind was at some moment: `hud at #812`, `hud at 5000t`, `hud at 2026-11-20T12:00:00Z`, and for operators
//! `dp-server hud`.
//!
//! The state follows from the log, so it is read from the log, from the newest base of an archive on where there is
//! one, and nothing is kept for it. Invariant: nothing here writes, and what is told is the state after the last entry
//! up to that moment, as every client was told it then.

use super::{Append, Asker, Minds, sharing};
use crate::log_base;
use crate::log_input::Request;
use crate::state_dir::{PlayedIn, StateArgs};
use crate::store::agent_archives::{self, ArchiveRow};
use crate::store::agent_events::{self, entries_of};
use crate::store::logs;
use crate::store::{Store, StoreError, accounts, channels, mind_shares};
use crate::times::{parse_moment, rfc3339_ms};
use anyhow::bail;
use dreaming::log_search::Point;
use mind::base::Base;
use mind::budget::Tier;
use mind::hud::Format;
use mind::sharing::TOLD_MAX;
use mind::{LogEntry, LogId, MindState, Reply};
use protocol::payload::{Mind, SharedRow};

const HOW: &str = "At which moment? hud at #<entry>, hud at <tick>t, or hud at a time such as 2026-03-01T12:00:00Z";
/// Entries that are read at a time.
const PAGE: i64 = 5_000;

/// A mind at a moment.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Then {
    /// With the tick and the time of the last entry up to then.
    Was(Box<MindState>, u64, i64),
    /// The log begins later, with this entry; `None`: nothing is in it.
    BeforeAll(Option<u64>),
    /// The newest entry is an older one.
    ToCome(u64),
}

/// An entry, a tick or a time. None of the durations that a search takes: the past is a place, not a stretch.
fn point_of(text: &str) -> Option<Point> {
    match Point::parse(text, 0) {
        Some(point @ (Point::Entry(_) | Point::Tick(_))) => Some(point),
        // A bare number could be any of them.
        _ if text.bytes().all(|byte| byte.is_ascii_digit()) => None,
        _ => parse_moment(text).ok().map(Point::Time),
    }
}

/// A mind as somebody else looks at it.
#[derive(Debug)]
pub enum Moment {
    /// With what others shared with it then, and the tick and the time of its last entry.
    Was { state: Box<MindState>, shared: Vec<SharedRow>, tick: u64, at_ms: i64 },
    /// Why there was none.
    Never(String),
}

impl Minds {
    /// A mind after an entry of its log; `None`: after the newest.
    pub async fn hud_after(&self, log: &LogId, seq: Option<u64>, through_tick: Option<u64>) -> anyhow::Result<Moment> {
        let newest = through_tick.map_or(Point::Time(i64::MAX), Point::Tick);
        let point = seq.map_or(newest, Point::Entry);
        let on_their_way = self.on_their_way(log);
        Ok(match then(&self.store, log, point, &on_their_way).await? {
            Then::Was(state, tick, at_ms) => {
                // An entry is one of this log; of the others it is the time at which that was written.
                let point = if seq.is_some() { Point::Time(at_ms) } else { point };
                let shared = shared_then(&self.store, log.character(), point).await?;
                Moment::Was { state, shared, tick, at_ms }
            }
            then => Moment::Never(not_there(&then)),
        })
    }

    /// Answers `hud at`. Whoever asked for frames gets the state as one, right before the line.
    pub(super) async fn hud_at(&self, request: &Request, asker: Option<Asker>) {
        let Some(asker) = asker else { return };
        let (text, frame) = match self.told_of(request).await {
            Ok((text, frame)) => (Ok(text), frame),
            Err(why) => (Err(why), None),
        };
        let refused = text.is_err();
        let text = text.unwrap_or_else(|why| why);
        self.hand_over(request, &asker, frame, Reply { text, refused, ..Reply::default() });
    }

    async fn told_of(&self, request: &Request) -> Result<(String, Option<Mind>), String> {
        let point = request.moment().and_then(point_of).ok_or_else(|| HOW.to_string())?;
        // Before the database is asked: what is written meanwhile is in both, not in neither.
        let on_their_way = self.on_their_way(&request.log);
        let is_to_come = match point {
            Point::Entry(_) => false,
            Point::Tick(tick) => tick > request.tick,
            Point::Time(at_ms) => at_ms > request.at_ms,
        };
        if is_to_come {
            return Err("That is still to come.".to_string());
        }
        let then = then(&self.store, &request.log, point, &on_their_way).await.map_err(|error| {
            tracing::error!(log = %request.log, error = %format!("{error:#}"), "the past of a mind could not be read");
            match error.downcast_ref::<StoreError>() {
                Some(StoreError::Archive { first, last, .. }) => format!(
                    "Entries #{first} to #{last} of your log lie in an archive that cannot be read. The operator's log \
                     says why; the rest of your log is there."
                ),
                _ => "Your mind's log cannot be read just now. Try again in a minute.".to_string(),
            }
        })?;
        match then {
            Then::Was(state, tick, at_ms) => {
                let text = format!(
                    "After #{}, at tick {tick} ({}), this was on your mind:\n{}",
                    state.seq,
                    rfc3339_ms(at_ms),
                    mind::page::hud(&state)
                );
                let log_seq = state.seq;
                let state = serde_json::to_value(&state).expect("a state has string keys only");
                Ok((text, Some(Mind::At { log_seq, tick, at_ms, state })))
            }
            then => Err(not_there(&then)),
        }
    }
}

fn not_there(then: &Then) -> String {
    match then {
        Then::BeforeAll(Some(first)) => format!("That is before all that is in the log: it begins with #{first}."),
        Then::BeforeAll(None) => "Nothing is in the log yet.".to_string(),
        Then::ToCome(newest) => format!("That is still to come: the newest entry is #{newest}."),
        Then::Was(..) => unreachable!("it was"),
    }
}

/// Reads a log up to a moment, from the newest base before it.
pub(super) async fn then(store: &Store, log: &LogId, point: Point, on_their_way: &[Append]) -> anyhow::Result<Then> {
    let mut newest = agent_events::newest(store, log).await?.seq;
    let files = agent_archives::files_after(store, log, 0).await?;
    let base = base_before(store, &files, point).await?;
    let mut after = i64::try_from(base.seq)?;
    let mut reading = Reading {
        point,
        first: files.first().and_then(|file| u64::try_from(file.first_seq).ok()),
        last: (base.seq > 0).then_some((base.tick, base.at_ms)),
        state: base.state,
        is_past: false,
    };
    let until = logs::until(store, log, after, point).await?;
    // Records change nothing, and most entries are records: only the last of all is read whatever it is.
    let upto = until.as_ref().and_then(|until| until.last.as_ref()).map_or(0, |last| last.seq);
    while !reading.is_past {
        let rows = match &until {
            Some(_) => logs::without_records(store, log, (after, upto), PAGE).await?,
            // In an archive, a file is read whole anyhow.
            None => logs::after(store, log, after, PAGE).await?,
        };
        let Some(last) = rows.last() else { break };
        after = last.seq;
        // Thousands of rows are too much work between two answers of other tasks.
        reading = tokio::task::spawn_blocking(move || {
            entries_of(&rows)?.iter().for_each(|entry| reading.take(entry));
            anyhow::Ok(reading)
        })
        .await??;
    }
    if let Some(until) = until {
        entries_of(until.last.as_slice())?.iter().for_each(|entry| reading.take(entry));
        if reading.first.is_none() {
            reading.first = logs::after(store, log, 0, 1).await?.first().and_then(|row| u64::try_from(row.seq).ok());
        }
        reading.is_past |= until.goes_on;
    }
    for append in on_their_way {
        newest = append.entries().last().map_or(newest, |entry| newest.max(entry.seq));
        append.entries().iter().for_each(|entry| reading.take(entry));
    }
    Ok(match (reading.last, point) {
        (_, Point::Entry(seq)) if newest > 0 && seq > newest => Then::ToCome(newest),
        (Some((tick, at_ms)), _) => Then::Was(Box::new(reading.state), tick, at_ms),
        (None, _) => Then::BeforeAll(reading.first),
    })
}

/// The base behind the newest of the files of a log that the moment is not before; that of an empty log where it is
/// before all of them.
async fn base_before(store: &Store, files: &[ArchiveRow], point: Point) -> anyhow::Result<Base> {
    let (mut below, mut above) = (0, files.len());
    let mut base = Base::default();
    while below < above {
        let middle = (below + above).div_ceil(2);
        let reaches = match point {
            Point::Entry(seq) => i64::try_from(seq).is_ok_and(|seq| files[middle - 1].last_seq <= seq),
            // Times and ticks are in the bases.
            _ => match log_base::stored(store, &files[middle - 1]).await? {
                Some(found) => {
                    let reaches = point.is_after(found.seq, found.tick, found.at_ms);
                    if reaches {
                        base = found;
                    }
                    reaches
                }
                // Nothing is known of it without the files: it is begun further back.
                None => false,
            },
        };
        if reaches { below = middle } else { above = middle - 1 }
    }
    if below > 0 && matches!(point, Point::Entry(_)) {
        base = log_base::behind(store, &files[..below]).await?;
    }
    Ok(base)
}

/// What others shared with somebody at a moment, as programs were told it then: of those who have a log still, and for
/// the person who bears the name now.
async fn shared_then(store: &Store, name: &str, point: Point) -> anyhow::Result<Vec<SharedRow>> {
    let Some(person) = channels::person_called(store, name).await? else { return Ok(Vec::new()) };
    let mut rows = Vec::new();
    for owner in mind_shares::owners(store, person, sharing::LOOKED_AT_MAX as i64).await? {
        let owner = LogId::from(owner.as_str());
        if let Then::Was(state, ..) = then(store, &owner, point, &[]).await?
            && let Some(row) = sharing::row_for(&owner, &state, person)
        {
            rows.push(row);
        }
        if rows.len() == TOLD_MAX {
            break;
        }
    }
    rows.sort_by(|a, b| a.who.cmp(&b.who));
    Ok(rows)
}

/// How far a log is read.
struct Reading {
    point: Point,
    state: MindState,
    /// The number of the first entry that there is.
    first: Option<u64>,
    /// Tick and time of the last entry up to the moment.
    last: Option<(u64, i64)>,
    is_past: bool,
}

impl Reading {
    fn take(&mut self, entry: &LogEntry) {
        if entry.seq <= self.state.seq {
            // It was in the database by then.
            return;
        }
        self.first.get_or_insert(entry.seq);
        self.is_past |= !self.point.is_after(entry.seq, entry.tick, entry.at_ms);
        if !self.is_past {
            self.state.project(entry);
            self.last = Some((entry.tick, entry.at_ms));
        }
    }
}

#[derive(Clone, Debug, clap::Args)]
pub struct HudArgs {
    /// Whose mind
    #[arg(long)]
    pub name: String,
    /// At which moment: an entry of the log (#812), a tick (5000t) or a time; now, where nothing is said
    #[arg(long, value_name = "MOMENT")]
    pub at: Option<String>,
    /// markdown, json, compact-json or toon
    #[arg(long, default_value = "markdown")]
    pub format: Format,
    /// As an agent of this tier reads it: small, medium, large or unlimited; nothing is left out, where none is named
    #[arg(long)]
    pub tier: Option<Tier>,
    /// Before each line, what it comes from
    #[arg(long)]
    pub why: bool,
    /// And what its body saw at that tick, as the journal has it
    #[arg(long)]
    pub live: bool,
    #[command(flatten, next_help_heading = "With --live")]
    pub played_in: PlayedIn,
}

/// Prints what was on somebody's mind, and returns the tick and the account. Reads the database directly, beside a
/// running server or without one.
pub async fn tell(which: &HudArgs, place: &StateArgs) -> anyhow::Result<(u64, String)> {
    let point = match &which.at {
        None => Point::Time(i64::MAX),
        Some(text) => match point_of(text) {
            Some(point) => point,
            None => bail!("{text:?} is no moment; write #812, 5000t or a time such as 2026-03-01T12:00:00Z"),
        },
    };
    if which.at.is_some() && matches!(point, Point::Time(at_ms) if at_ms > crate::times::unix_ms()) {
        bail!("that is still to come");
    }
    let store = crate::capture::export::open(place).await?;
    let told = async {
        let name = channels::account_meant(&store, &which.name).await?;
        if accounts::find(&store, &name).await?.is_none() {
            bail!("nobody is called {} in {}", which.name, store.place());
        }
        match then(&store, &LogId::from(name.as_str()), point, &[]).await? {
            Then::Was(state, tick, at_ms) => {
                // An entry is one of this log; of the others it is the time at which that was written.
                let point = if let Point::Entry(_) = point { Point::Time(at_ms) } else { point };
                let shared = shared_then(&store, &name, point).await?;
                Ok((state, tick, at_ms, shared, name))
            }
            then => bail!("{}", not_there(&then)),
        }
    }
    .await;
    store.close().await;
    let (state, tick, at_ms, shared, name) = told?;
    // The database does not know which tick it is: what is asked for may be to come.
    let since = match point {
        Point::Tick(asked) if asked > tick => "; nothing later is in the log",
        _ => "",
    };
    eprintln!("After #{}, at tick {tick} ({}){since}.", state.seq, rfc3339_ms(at_ms));
    print!(
        "{}",
        match which.why {
            true => mind::edit::why(&state, &shared, which.tier, which.format),
            false => mind::edit::hud_text(&state, &shared, which.tier, which.format),
        }
    );
    let tick = if let Point::Tick(asked) = point { asked } else { tick };
    Ok((tick, name))
}
