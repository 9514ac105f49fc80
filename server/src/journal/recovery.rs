//! The start of a server on a state folder that has a journal: the newest good snapshot, and the tail on top of it.
//!
//! Invariants: nothing is applied of what cannot be applied as it was; whoever starts is told what is wrong and what
//! can be done. A damaged snapshot falls back to the one before it. Only the torn end of the last segment is ever cut
//! off; nothing else is changed or removed.

use super::format::{Needs, Records};
use super::replaying::{End, Entry, Gap, Step, records_after, replay};
use super::snapshot::{Head, Snapshot, Unsaved, Unwritten};
use super::{Layout, Listing, Record};
use crate::capture::{ROWS_MAX, Replayed};
use crate::log_input::LogInput;
use crate::store::channels::{Change, Changes};
use anyhow::{Context, bail};
use content::Content;
use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;
use std::fs::File;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use world::adopt::Adopted;
use world::character::Link;
use world::report::Request;
use world::report::{Capture, Ran};
use world::rules::Rules;
use world::world::State;
use world::{Admin, CharacterId, Input, InputNumber, World};

/// Lines of a lost tail that are shown; the file has all of them.
const LOST_SHOWN: usize = 40;

/// What a start has in hand.
pub struct Given<'g> {
    pub layout: &'g Layout,
    pub content: Arc<Content>,
    pub rules: Arc<Rules>,
    pub needs: &'g Needs,
    /// Id of the database that is open.
    pub database: &'g str,
    /// Go on without what cannot be replayed.
    pub recover: bool,
    /// Whose commands are recorded.
    pub capture: Capture,
}

/// What a start goes on with.
pub struct Recovered {
    /// `None`: a new world has to be made.
    pub world: Option<World>,
    /// What the database may not have been given yet, newest per character.
    pub unsaved: Vec<Unsaved>,
    /// What may not be in the logs of minds yet, oldest first.
    pub minds: Vec<LogInput>,
    /// Of persons, channels and messages what may not be in the database yet, oldest first.
    pub archive: Vec<Change>,
    /// Decisions that may not have been recorded before the crash, oldest first; of very many the newest.
    pub decisions: VecDeque<Replayed>,
    /// The world is exactly what the last segment ends with.
    pub continues: bool,
    /// No number up to this one may be used again.
    pub last_number: InputNumber,
    /// Inputs that were applied on top of the snapshot, and how long that took.
    pub replayed: u64,
    pub took: Duration,
    /// What other content made of the world.
    pub adopted: Option<Adopted>,
    /// Inputs were left out, by leave of `recover`. What the database holds may be newer than the world.
    pub lost: bool,
}

/// Finds out what there is, and brings it back.
pub fn recover(given: &Given) -> anyhow::Result<Recovered> {
    let listing = given.layout.list().with_context(|| format!("reading {}", given.layout.folder().display()))?;
    let last_number = listing.segments.keys().chain(listing.snapshots.keys()).max().copied().unwrap_or(0);
    let mut recovered = Recovered {
        world: None,
        unsaved: Vec::new(),
        minds: Vec::new(),
        archive: Vec::new(),
        decisions: VecDeque::new(),
        continues: false,
        last_number,
        replayed: 0,
        took: Duration::ZERO,
        adopted: None,
        lost: false,
    };
    if listing.is_empty() {
        return Ok(recovered);
    }
    let Some((head, state, unwritten)) = newest_good(&listing) else {
        if !given.recover {
            bail!(
                "{} has a journal but no snapshot that can be read (the log names each with what is wrong). Bring one \
                 back from a backup, or start with --recover: a new world is then made, and characters are as the \
                 database has them",
                given.layout.folder().display()
            );
        }
        let first = listing.segments.keys().next().copied().unwrap_or(0);
        recovered.last_number = last_number.max(tell_lost(given, &listing, first, &BTreeMap::new())?);
        recovered.lost = true;
        return Ok(recovered);
    };
    if head.header.database != given.database {
        bail!(
            "the journal in {} belongs to the database {}, and this one is {}: give the one it belongs to with --db, \
             or choose another folder with --state-dir",
            given.layout.folder().display(),
            head.header.database,
            given.database
        );
    }
    recovered.unsaved = unwritten.characters;
    recovered.minds = unwritten.minds;
    recovered.archive = unwritten.archive;
    match head.header.needs.difference(given.needs) {
        None => replay_tail(given, &listing, state, &mut recovered)?,
        Some(difference) => take_over(given, &listing, &head, state, &difference, &mut recovered)?,
    }
    Ok(recovered)
}

/// The newest snapshot that can be read. Those that cannot are named in the log.
fn newest_good(listing: &Listing) -> Option<(Head, State, Unwritten)> {
    for (_, path) in listing.snapshots.iter().rev() {
        match Snapshot::read(path) {
            Ok(found) => return Some(found),
            Err(error) => {
                tracing::error!(snapshot = %path.display(), %error, "a snapshot cannot be used; trying the one before");
            }
        }
    }
    None
}

/// The ordinary start: the same content and rules.
fn replay_tail(given: &Given, listing: &Listing, state: State, recovered: &mut Recovered) -> anyhow::Result<()> {
    let from = state.number;
    let mut world = World::resume(given.content.clone(), given.rules.clone(), state);
    let mut saves: BTreeMap<String, Unsaved> =
        recovered.unsaved.drain(..).map(|unsaved| (crate::store::canonical(&unsaved.record.name), unsaved)).collect();
    world.capture = given.capture;
    world.unread = true;
    let mut again = Again::new(&world);
    let mut minds = std::mem::take(&mut recovered.minds);
    let mut archive = Changes::default();
    recovered.archive.drain(..).for_each(|change| archive.put(change));
    let begun = Instant::now();
    let mut replayed = 0;
    let (end, last) = replay(&mut world, listing, &mut |world, step| {
        let Step::Input { number, at_ms, input, report } = step else { return ControlFlow::Continue(()) };
        replayed += 1;
        let Some(mut report) = report else { return ControlFlow::Continue(()) };
        minds.extend(LogInput::of_replayed(&mut report, at_ms));
        let kept = std::mem::take(&mut report.kept);
        kept.into_iter().for_each(|row| archive.put(Change { number, at_ms, row, doors: true }));
        again.note(world, number, at_ms, input, report.entered, report.ran);
        for request in report.requests {
            if let Request::Save { record, .. } = request {
                let name = crate::store::canonical(&record.name);
                saves.insert(name, Unsaved { number, record: Arc::from(record) });
            }
        }
        ControlFlow::Continue(())
    })
    .with_context(|| format!("reading {}", given.layout.folder().display()))?;
    world.unread = false;
    recovered.decisions = again.decisions;
    recovered.minds = minds;
    recovered.archive = archive.0.into_values().collect();
    recovered.took = begun.elapsed();
    recovered.replayed = replayed;
    recovered.unsaved = saves.into_values().collect();
    recovered.last_number = recovered.last_number.max(last).max(world.state.number);
    recovered.continues = last >= from;
    match end {
        End::Enough | End::Whole => {
            // A journal without anything in it is that of a copy that was restored.
            if last < from && last > 0 {
                tracing::warn!(
                    last,
                    snapshot = from,
                    "the journal ends before its snapshot, which holds what is missing"
                );
            }
        }
        End::Torn { segment, at, bytes } => {
            tracing::warn!(
                segment = %segment.display(),
                at,
                bytes,
                "the end of the journal was torn and is cut off; nothing in it was shown to anybody"
            );
            cut(&segment, at).with_context(|| format!("cutting off the torn end of {}", segment.display()))?;
        }
        End::Gap(gap) if !given.recover => bail!("{}", refusal_of(&gap, world.state.number)),
        End::Gap(gap) => {
            tracing::error!(segment = %gap.segment.display(), why = %gap.why, "the journal is left out from here on");
            let lost = tell_lost(given, listing, world.state.number, &names_of(&world.state))?;
            tracing::error!(last = world.state.number, "the world goes on after this input");
            recovered.last_number = recovered.last_number.max(lost);
            recovered.continues = false;
            recovered.lost = true;
        }
    }
    recovered.world = Some(world);
    Ok(())
}

/// Gathers the decisions of a replay.
struct Again {
    decisions: VecDeque<Replayed>,
    names: BTreeMap<CharacterId, String>,
    /// When the newest commands came: those that waited for a lag ran later.
    came: BTreeMap<InputNumber, i64>,
    /// Whose connection came back by the input before: the server then looks about for it, which is no decision.
    back: Option<CharacterId>,
}

impl Again {
    fn new(world: &World) -> Again {
        let players = world.state.players.iter().map(|(name, who)| (*who, name.to_string())).collect();
        Again { decisions: VecDeque::new(), names: players, came: BTreeMap::new(), back: None }
    }

    fn note(
        &mut self,
        world: &World,
        number: InputNumber,
        at_ms: i64,
        input: &Input,
        entered: Option<CharacterId>,
        ran: Vec<Ran>,
    ) {
        if world.capture == Capture::Nobody {
            return;
        }
        if let (Input::Enter { record, .. }, Some(who)) = (input, entered) {
            self.names.insert(who, crate::store::canonical(&record.name));
        }
        let back = self.back.take();
        match input {
            Input::Link { who, link: Link::Linked, .. } => self.back = Some(*who),
            Input::Command { who, line } => {
                if back == Some(*who) && line == "look" {
                    return;
                }
                self.came.insert(number, at_ms);
                if self.came.len() > ROWS_MAX {
                    self.came.pop_first();
                }
            }
            _ => {}
        }
        for ran in ran {
            let at_ms = self.came.get(&ran.id.input).copied().unwrap_or(at_ms);
            let Some(name) = self.names.get(&ran.who).cloned() else { continue };
            self.decisions.push_back(Replayed { name, ran, tick: world.tick(), at_ms });
            if self.decisions.len() > ROWS_MAX {
                self.decisions.pop_front();
            }
        }
    }
}

fn refusal_of(gap: &Gap, number: InputNumber) -> String {
    format!(
        "the journal cannot be replayed whole: {gap}. Bring the file back from a backup, or start with --recover: the \
         world then goes on after input {number}, and what followed is lost"
    )
}

/// Other content or rules: taken over after a clean stop, refused while there are inputs that need the old ones.
fn take_over(
    given: &Given,
    listing: &Listing,
    head: &Head,
    state: State,
    difference: &str,
    recovered: &mut Recovered,
) -> anyhow::Result<()> {
    let from = state.number;
    let mut first_lost = None;
    let (end, last) = records_after(listing, from, &mut |entry| match entry {
        Entry::Record(Record::Input { number, .. }) => {
            first_lost = Some(number);
            ControlFlow::Break(())
        }
        _ => ControlFlow::Continue(()),
    })
    .with_context(|| format!("reading {}", given.layout.folder().display()))?;
    let tail = first_lost.is_some() || matches!(end, End::Gap(_));
    recovered.last_number = recovered.last_number.max(last).max(from);
    if tail {
        if !given.recover {
            bail!(
                "the server did not stop cleanly, and what happened after the last snapshot can only be replayed with \
                 {difference}. Start once with those, stop, and start with the new ones; or start with --recover, \
                 which goes on from the snapshot (input {from}, tick {}) and loses what followed",
                head.header.start_tick
            );
        }
        let names = names_of(&state);
        recovered.last_number = recovered.last_number.max(tell_lost(given, listing, from, &names)?);
        recovered.lost = true;
    }
    tracing::warn!("other content or rules: they are taken over. Until now it was {difference}");
    let (world, adopted) = World::adopt(given.content.clone(), given.rules.clone(), state, &head.index);
    recovered.adopted = Some(adopted);
    recovered.world = Some(world);
    Ok(())
}

fn names_of(state: &State) -> BTreeMap<CharacterId, String> {
    let named = |id: &CharacterId| Some((*id, state.characters.get(*id)?.name.to_string()));
    state.players.values().filter_map(named).collect()
}

/// Lists the inputs that a start leaves out, as far as they can be read: in a file, the first of them in the log. Tells
/// the number of the last.
fn tell_lost(
    given: &Given,
    listing: &Listing,
    from: InputNumber,
    names: &BTreeMap<CharacterId, String>,
) -> anyhow::Result<InputNumber> {
    let mut text = String::new();
    let (mut lines, mut ticks, mut last) = (0, 0, from);
    let first = listing.segment_after(from).map_or(0, |(start, _)| start);
    for file in listing.segments.range(first..).map(|(_, file)| file) {
        let records = match file.read() {
            Ok(bytes) => Records::open(&bytes).map(Records::salvage).map_err(|error| error.to_string()),
            Err(error) => Err(error.to_string()),
        };
        let records = records.unwrap_or_else(|error| {
            // A string takes whatever is written to it.
            let _infallible = writeln!(text, "and what cannot be read in {}: {error}", file.path.display());
            Vec::new()
        });
        for record in records {
            let Record::Input { number, at_ms, input, .. } = record else { continue };
            if number <= from {
                continue;
            }
            last = last.max(number);
            if matches!(input, Input::Tick) {
                ticks += 1;
                continue;
            }
            let line = format!("input {number}, unix {}: {}", at_ms / 1_000, describe(&input, names));
            if lines < LOST_SHOWN {
                tracing::warn!("lost: {line}");
            }
            lines += 1;
            let _infallible = writeln!(text, "{line}");
        }
    }
    let path = lost_file(given.layout, from);
    let mut file = crate::files::create_private(&path).with_context(|| format!("writing {}", path.display()))?;
    file.write_all(text.as_bytes()).with_context(|| format!("writing {}", path.display()))?;
    tracing::warn!(
        inputs = lines,
        ticks,
        list = %path.display(),
        "the tail of the journal is left out; the list holds what can be read of it"
    );
    Ok(last)
}

fn lost_file(layout: &Layout, from: InputNumber) -> PathBuf {
    layout.folder().join(format!("lost-after-{from}.txt"))
}

/// An input in words, for lists.
pub fn describe(input: &Input, names: &BTreeMap<CharacterId, String>) -> String {
    let name = |who: &CharacterId| {
        names.get(who).cloned().unwrap_or_else(|| format!("character {}.{}", who.index, who.generation))
    };
    match input {
        Input::Tick => "a tick".to_string(),
        Input::Command { who, line } => format!("{} typed {line:?}", name(who)),
        Input::Enter { record, .. } => format!("{} came into the world", record.name),
        Input::Link { who, link: Link::Linked, .. } => format!("{} was connected again", name(who)),
        Input::Link { who, .. } => format!("the connection of {} was lost", name(who)),
        Input::SetValence { who, off: true } => format!("nothing was worth anything to {} from here on", name(who)),
        Input::SetValence { who, off: false } => format!("things were worth something to {} again", name(who)),
        Input::Found { who, verb, .. } => format!("the server noted a line of {verb:?} in the mind of {}", name(who)),
        Input::KeepTalk { who } => format!("the log of {} keeps what it hears and says from here on", name(who)),
        Input::Window { who, columns: None } => format!("the window of {} became of no known width", name(who)),
        Input::Window { who, columns: Some(columns) } => {
            format!("the window of {} became {columns} characters wide", name(who))
        }
        Input::Edit { by, rows } => format!("{by} edited the content:\n{}", rows.trim_end()),
        Input::Named { person, taken, .. } => {
            format!("the name that person {person} wanted was looked up, taken: {taken}")
        }
        Input::Restore { .. } => "persons and channels were taken back from the database".to_string(),
        Input::Admin(Admin::SaveAll) => "everybody was saved".to_string(),
        Input::Admin(admin) => format!("the operator: {admin:?}"),
    }
}

/// Takes the torn end off a segment; one without a head goes whole.
fn cut(segment: &Path, at: u64) -> std::io::Result<()> {
    if at == 0 {
        return std::fs::remove_file(segment);
    }
    let file = File::options().write(true).open(segment)?;
    file.set_len(at)?;
    file.sync_all()
}
