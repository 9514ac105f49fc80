//! `dp-server diffusion`: who told whom. The journal is replayed, and of a phrase, of something that happened or of an
//! element on a plot it is told who has it, who showed it to whom first, and who said it though nobody had.
//!
//! `subject.rs` is what is followed (`phrase.rs`: words), `watch.rs` follows it, `answer.rs` puts together what was
//! found, `remembered.rs` asks the logs, `page.rs` and `picture.rs` show it. Invariants: the state folder is only read,
//! and its server may be running. The answer is a function of journal, database and arguments.

mod answer;
mod page;
mod phrase;
mod picture;
mod remembered;
mod subject;
#[cfg(test)]
mod tests;
mod watch;

pub use self::answer::{Answer, CarrierRow, Generation, Link, Point, Reproduction, UtteredRow};
pub use self::subject::{ElementId, Subject};
pub use self::watch::{How, Moment, Watch};

use self::remembered::Asked;
use crate::archive::Archive;
use crate::archive::history::Found;
use crate::journal::replaying::{End, Step, replay};
use crate::log_input::LogInput;
use crate::replay::{Cut, Past, PastArgs};
use crate::source::Source;
use crate::state_dir::StateDir;
use anyhow::{Context, bail, ensure};
use mind::{LogEntry, LogId};
use protocol::happening::Happening;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use tokio::runtime::Handle;
use world::channel::row::Row;
use world::report::HistoryRequest;
use world::{Input, InputNumber, Report, World};

/// Places in the ids of one input: `Happening::social_event_id`.
const EVENTS_OF_INPUT: u64 = 1024;

#[derive(Clone, Debug, clap::Args)]
pub struct DiffusionArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// Its database, where minds and older messages are [default: the SQLite file in it]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// Follow these words: whole words, one behind the other, in any case
    #[arg(long, value_name = "PHRASE", required_unless_present_any = ["event", "element"])]
    pub words: Option<String>,
    /// Follow something that happened, by its `social_event_id`; with --words, what was then said of it
    #[arg(long, value_name = "ID")]
    pub event: Option<u64>,
    /// Follow what was built on a plot, by the vnum of the room and its number there; with --words, what was said of it
    #[arg(long, value_name = "ROOM:ID", conflicts_with = "event")]
    pub element: Option<ElementId>,
    /// Begin after this tick; who had it by then is a source [default: the oldest snapshot]
    #[arg(long, value_name = "TICK")]
    pub from: Option<u64>,
    /// End with this tick [default: what the journal holds]
    #[arg(long, value_name = "TICK")]
    pub to: Option<u64>,
    /// The answer as one JSON object
    #[arg(long)]
    pub json: bool,
    /// Draw who told whom into this file, as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

impl DiffusionArgs {
    /// What is followed, as it is told.
    fn told(&self) -> String {
        let thing = match (self.event, self.element) {
            (Some(event), _) => Some(format!("event {event}")),
            (_, Some(ElementId { room, id })) => Some(format!("element #{id} on the plot of room {room}")),
            _ => None,
        };
        match (&self.words, thing) {
            (Some(words), Some(thing)) => format!("\"{words}\" of {thing}"),
            (Some(words), None) => format!("\"{words}\""),
            (None, thing) => thing.unwrap_or_default(),
        }
    }
}

/// What was found in the journal.
pub struct Watched {
    pub watch: Watch,
    pub begin: Moment,
    pub end: Moment,
    /// Entries of logs that tell of it, from the replay.
    telling: BTreeMap<LogId, Vec<Arc<LogEntry>>>,
}

/// Runs the subcommand: what it prints.
pub async fn run(args: &DiffusionArgs) -> anyhow::Result<String> {
    let answer = answer(args).await?;
    if let Some(file) = &args.svg {
        let drawn = picture::draw(&args.told(), &answer);
        std::fs::write(file, drawn).with_context(|| format!("writing {}", file.display()))?;
    }
    if args.json {
        return Ok(serde_json::to_string(&answer)?);
    }
    let mut told = page::of(&args.told(), &answer);
    if let Some(file) = &args.svg {
        told.push_str(&format!("\nDrew {}.", file.display()));
    }
    Ok(told)
}

/// Who told whom.
pub async fn answer(args: &DiffusionArgs) -> anyhow::Result<Answer> {
    let subject = Subject::of(args.words.as_deref(), args.event, args.element)?;
    if let (Some(from), Some(to)) = (args.from, args.to) {
        ensure!(from < to, "--from {from} is not before --to {to}: nothing happened in between");
    }
    let source = source(args).await?;
    let archive = source.as_ref().map(|source| Archive::new(source.store.clone()));
    let watched = {
        let (args, handle) = (args.clone(), Handle::current());
        tokio::task::spawn_blocking(move || watch(&args, subject, archive, &handle)).await.context("replaying")??
    };
    let mut answer = Answer::of(&watched.watch, watched.begin, watched.end);
    let none = BTreeSet::new();
    if let Some(source) = &source {
        let asked = Asked {
            subject: &watched.watch.subject,
            words: args.words.as_deref(),
            changes: watched.watch.element.as_ref().map_or(&none, |element| &element.changes),
            until: watched.end.input,
            on_their_way: &watched.telling,
        };
        asked.fill(&source.store, &mut answer.carriers).await?;
    }
    Ok(answer)
}

/// The database, if there is one: a journal that came with a bug report has none.
async fn source(args: &DiffusionArgs) -> anyhow::Result<Option<Source>> {
    let is_there = args.db.is_some() || StateDir::look(&args.past.state_dir)?.has_database();
    if !is_there {
        tracing::warn!("there is no database beside the journal: what minds made of it is not known");
        return Ok(None);
    }
    Ok(Some(Source::open(&args.past.state_dir, args.db.as_deref()).await?))
}

/// Replays, and follows it.
fn watch(
    args: &DiffusionArgs,
    subject: Subject,
    archive: Option<Arc<Archive>>,
    handle: &Handle,
) -> anyhow::Result<Watched> {
    let past = Past::find(&args.past, args.to)?;
    let mut world = match args.from {
        None => past.world(past.run.oldest()?),
        Some(from) => begin_after(&past, from)?,
    };
    world.unread = false;
    let begin = moment(&world);
    if let Some(to) = args.to {
        ensure!(
            begin.tick < to,
            "the journal does not reach back before tick {to}: it begins with tick {}",
            begin.tick
        );
    }
    let mut watch = Watch::begin(subject, &world);
    let mut older = |request: &HistoryRequest| match &archive {
        Some(archive) => Ok(handle.block_on(archive.look_up(request))?),
        None => Ok(Found::default()),
    };
    let mut telling: BTreeMap<LogId, Vec<Arc<LogEntry>>> = BTreeMap::new();
    let mut failure = None;
    let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
        let Step::Input { number, at_ms, input, report } = step else { return ControlFlow::Continue(()) };
        if let Some(mut report) = report {
            if let Some(archive) = &archive {
                keep_messages(archive, &report, number, at_ms);
            }
            if let Err(error) = watch.step(world, input, &report, &mut older) {
                failure = Some(error);
                return ControlFlow::Break(());
            }
            note_telling(&watch, &mut report, at_ms, &mut telling);
        }
        match args.to {
            Some(to) if matches!(input, Input::Tick) && world.tick() >= to => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    })?;
    if let Some(error) = failure {
        return Err(error);
    }
    let end_at = moment(&world);
    if let End::Gap(gap) = end {
        bail!(
            "it cannot be followed beyond tick {}, since the journal has a gap: {gap}. What went before is told with \
             --to {}",
            end_at.tick,
            end_at.tick
        );
    }
    if let Some(to) = args.to.filter(|to| *to > end_at.tick) {
        tracing::warn!("tick {to} is still to come: the journal ends with tick {}", end_at.tick);
    }
    is_there(args, &watch, begin, end_at)?;
    Ok(Watched { watch, begin, end: end_at, telling })
}

/// The world just after a tick. What comes before it is nobody's affair.
fn begin_after(past: &Past, from: u64) -> anyhow::Result<World> {
    ensure!(
        past.run.header.start_tick <= from,
        "--from {from} is before this part of the journal, which begins with tick {} (other content, another seed or a \
         loss parts it from what was before)",
        past.run.header.start_tick
    );
    past.world_at(past.base_before(from)?, Cut::Tick(from))
}

fn moment(world: &World) -> Moment {
    Moment { input: world.state.number, tick: world.tick() }
}

/// What is said goes to the archive as in a server, which writes nothing here: a history is then answered with it, as
/// it was at that time.
fn keep_messages(archive: &Archive, report: &Report, number: InputNumber, at_ms: i64) {
    let messages: Vec<Row> = report.kept.iter().filter(|row| matches!(row, Row::Message { .. })).cloned().collect();
    if !messages.is_empty() {
        archive.take(messages, number, at_ms);
    }
}

/// A running server may not have written yet what logs keep of it.
fn note_telling(watch: &Watch, report: &mut Report, at_ms: i64, telling: &mut BTreeMap<LogId, Vec<Arc<LogEntry>>>) {
    let none = BTreeSet::new();
    let changes = watch.element.as_ref().map_or(&none, |element| &element.changes);
    let subject = &watch.subject;
    let is_of = |happening: &Happening| {
        subject.is_told_by(happening, changes) || happening.what.text().is_some_and(|text| subject.is_in(text))
    };
    // Nearly all entries tell of something else, and need not be made.
    let is_any = report.overheard.iter().any(|overheard| subject.is_in(overheard.talk.text()))
        || report.recorded.iter().any(|recorded| is_of(&recorded.happening));
    if !is_any {
        return;
    }
    for input in LogInput::of_replayed(report, at_ms) {
        if let LogInput::Record(log, entry) = input
            && remembered::tells(&watch.subject, changes, &entry.event)
        {
            telling.entry(log).or_default().push(entry);
        }
    }
}

/// An event or an element that there never was is a mistake, not an answer of zero.
fn is_there(args: &DiffusionArgs, watch: &Watch, begin: Moment, end: Moment) -> anyhow::Result<()> {
    if let Some(event) = args.event {
        let input = event / EVENTS_OF_INPUT;
        ensure!(
            (begin.input + 1..=end.input).contains(&input),
            "--event {event} would have been brought by input {input}, and this part of the journal has inputs {} to \
             {}",
            begin.input + 1,
            end.input
        );
        ensure!(
            watch.saw_event(),
            "--event {event}: nobody remembers anything of that number. It is the social_event_id of an entry of a log"
        );
    }
    if let Some(ElementId { room, id }) = args.element {
        ensure!(
            watch.element.is_some(),
            "--element {room}:{id}: no such element stood on a plot of room {room} from tick {} to {}. `dp-server plot \
             --room {room} --json` has the numbers of what stands there",
            begin.tick,
            end.tick
        );
    }
    Ok(())
}
