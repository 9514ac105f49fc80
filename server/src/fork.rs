//! `dp-server fork`: a new state folder that begins where an old one was at some tick. For "what if" experiments, and,
//! with a piece of the journal after it (`--until`), for bug reports.
//!
//! Invariants: the source is only read; a database that no server has open is copied first, since even looking into it
//! writes beside it. Each character of the fork is as it was at that tick: in the world, or as the database had it.

use crate::files::write_whole;
use crate::journal::replaying::{self, End, Entry, Step, records_after, replay};
use crate::journal::snapshot::Snapshot;
use crate::journal::{Gauges, Header, Layout, Record, Unsaved, Unwritten, format, write_snapshot};
use crate::log_input::LogInput;
use crate::redaction::Redaction;
use crate::replay::Past;
use crate::saver::{read_record, row_of};
use crate::state_dir::StateDir;
use crate::store::characters::{self, CharacterRow};
use crate::store::dump::{Dump, Load, Part};
use crate::store::{Store, StoreOptions, accounts, canonical, meta};
use crate::times::unix_ms;
use anyhow::{Context, bail};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tokio::sync::mpsc;
use world::record::CharacterRecord;
use world::report::Request;
use world::{Input, InputNumber, World};

/// The tables of a database that say who may come in, and nothing of what happened.
const ACCOUNTS: &str = "account";
const KEYS: &str = "agent_key";
/// The logs of minds: of each the entries up to the tick.
const LOGS: &str = "agent_event";
/// Ticks between two hashes of a piece that is cut out.
const HASH_EVERY: u64 = crate::journal::HASH_EVERY;

#[derive(Clone, Debug, clap::Args)]
pub struct ForkArgs {
    /// State folder to begin from; its server may be running
    #[arg(long, default_value = "data/state", value_name = "DIR")]
    pub state_dir: PathBuf,
    /// Its database [default: the SQLite file in it]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// World folder that it was played in [default: the one that the journal names]
    #[arg(long, value_name = "DIR")]
    pub world: Option<PathBuf>,
    /// Vnum of the start room, where it was given to the server
    #[arg(long, value_name = "VNUM")]
    pub start_room: Option<i32>,
    /// The new one begins after this tick
    #[arg(long, value_name = "TICK")]
    pub at: u64,
    /// Folder to make, which must not exist or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Another chance from here on [default: the same seed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Take what happened up to this tick along, to be replayed there
    #[arg(long, value_name = "TICK", conflicts_with = "seed")]
    pub until: Option<u64>,
    /// Blacken what players said and wrote, and leave out passwords and keys, for a bug report
    #[arg(long)]
    pub redact: bool,
}

/// What was made.
#[derive(Debug)]
pub struct Forked {
    pub tick: u64,
    pub number: InputNumber,
    /// Inputs that were taken along.
    pub inputs: u64,
    pub characters: usize,
}

pub async fn fork(args: &ForkArgs) -> anyhow::Result<Forked> {
    let full = args.out.exists()
        && std::fs::read_dir(&args.out).with_context(|| format!("reading {}", args.out.display()))?.next().is_some();
    if full {
        bail!("{} is not empty; nothing was written", args.out.display());
    }
    if args.until.is_some_and(|until| until < args.at) {
        bail!("--until is before --at");
    }
    let moment = {
        let args = args.clone();
        tokio::task::spawn_blocking(move || Moment::find(&args)).await.context("replaying")??
    };
    let source = Source::open(&args.state_dir, args.db.as_deref()).await?;
    let mut rows = characters_at(&moment, &source.store).await?;
    if args.redact {
        for row in &mut rows {
            let mut record = read_record(&row.data).with_context(|| format!("the record of {}", row.name))?;
            Redaction::default().record(&mut record);
            *row = row_of(&record, row.written_by_input, row.updated_at)?;
        }
    }

    let state = StateDir::open(&args.out)?;
    let store = Store::connect(&state.default_database(), &StoreOptions::default()).await?;
    let names: BTreeSet<String> = rows.iter().map(|row| row.name.clone()).collect();
    let of_them = |row: &serde_json::Value| row["name"].as_str().is_some_and(|name| names.contains(name));
    let mut dump = Dump::begin(&source.store).await?;
    let mut load = Load::begin(&store).await?;
    let account = |mut row: serde_json::Value| {
        let kept = of_them(&row);
        if args.redact {
            // A digest is enough to try passwords on it.
            row["password_hash"] = serde_json::Value::Null;
        }
        kept.then_some(row)
    };
    copy_rows(&mut dump, &mut load, ACCOUNTS, &account).await?;
    let key = |row: serde_json::Value| (!args.redact && of_them(&row)).then_some(row);
    copy_rows(&mut dump, &mut load, KEYS, &key).await?;
    let number = i64::try_from(moment.world.state.number).context("an input beyond all counting")?;
    let by_then = |row: serde_json::Value| {
        let is_of_then = row["number"].as_i64().is_some_and(|brought_by| brought_by <= number);
        (!args.redact && of_them(&row) && is_of_then).then_some(row)
    };
    copy_rows(&mut dump, &mut load, LOGS, &by_then).await?;
    load.finish().await?;
    drop(dump);
    characters::save_batch(&store, &rows).await?;
    let database = meta::database_id(&store).await?;
    let serial = i64::try_from(moment.world.state.next_serial).context("a serial beyond all counting")?;
    meta::raise_counter(&store, crate::initial_world::SERIAL_COUNTER, serial).await?;
    source.store.close().await;
    store.close().await;

    let mut moment = moment;
    moment.minds.retain(|input| !args.redact && names.contains(input.log().character()));
    let number = moment.world.state.number;
    let tick = moment.world.tick();
    let (args, characters) = (args.clone(), rows.len());
    let inputs = tokio::task::spawn_blocking(move || write_journal(&args, moment, database))
        .await
        .context("writing the journal")??;
    Ok(Forked { tick, number, inputs, characters })
}

/// The world at the tick, and what is needed of what came after.
struct Moment {
    past: Past,
    world: World,
    header: Header,
    /// Unix milliseconds of the tick.
    at_ms: i64,
    /// What was for minds up to the tick, and the database may not have.
    minds: Vec<LogInput>,
    /// The newest save of each up to the tick, by canonical name: the database may not have it.
    saved: BTreeMap<String, Unsaved>,
    /// The first record with which somebody came in afterwards, by canonical name: as it was stored until then.
    entered_later: BTreeMap<String, CharacterRecord>,
}

impl Moment {
    fn find(args: &ForkArgs) -> anyhow::Result<Moment> {
        let past = Past::find(&args.state_dir, Some(args.at), args.world.as_deref(), args.start_room)?;
        let base = past.run.before(args.at)?;
        let header = base.head.header.clone();
        let mut at_ms = header.epoch_ms;
        let mut saved: BTreeMap<String, Unsaved> =
            base.unwritten.characters.iter().map(|one| (canonical(&one.record.name), one.clone())).collect();
        let mut minds = base.unwritten.minds.clone();
        let mut world = past.world(base);
        let mut there = world.tick() == args.at;
        if !there {
            let (end, _) = replay(&mut world, &past.run.files, &mut |world, step| {
                let Step::Input { number, at_ms: when, input, report } = step else {
                    return ControlFlow::Continue(());
                };
                if let Some(mut report) = report {
                    minds.extend(LogInput::of_replayed(&mut report, when));
                    for request in report.requests {
                        if let Request::Save { record, .. } = request {
                            saved.insert(canonical(&record.name), Unsaved { number, record: Arc::from(record) });
                        }
                    }
                }
                if matches!(input, Input::Tick) {
                    at_ms = when;
                    there = world.tick() == args.at;
                }
                if there { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let End::Gap(gap) = end {
                bail!("the journal cannot be replayed to tick {}: {gap}", args.at);
            }
            if !there {
                bail!("that part of the journal ends with tick {}, before tick {}", world.tick(), args.at);
            }
        }
        let mut entered_later = BTreeMap::new();
        records_after(&past.run.files, world.state.number, &mut |entry| {
            if let Entry::Record(Record::Input { input: Input::Enter { record, .. }, .. }) = entry {
                entered_later.entry(canonical(&record.name)).or_insert(*record);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Moment { past, world, header, at_ms, minds, saved, entered_later })
    }
}

/// The old database.
struct Source {
    store: Store,
    _copy: Option<tempfile::TempDir>,
}

impl Source {
    async fn open(state_dir: &Path, db: Option<&str>) -> anyhow::Result<Source> {
        let state = StateDir::look(state_dir)?;
        if let Some(db) = db {
            return Ok(Source { store: Store::connect(db, &StoreOptions::default()).await?, _copy: None });
        }
        // Held while it is copied, so that no server starts to write meanwhile.
        let Some(_claim) = state.claim_without_server()? else {
            let store = Store::connect(&state.default_database(), &StoreOptions::default()).await?;
            return Ok(Source { store, _copy: None });
        };
        let copy = tempfile::tempdir().context("making a temporary folder")?;
        for name in ["darkpawns.sqlite", "darkpawns.sqlite-wal"] {
            let from = state_dir.join(name);
            if from.exists() {
                std::fs::copy(&from, copy.path().join(name)).with_context(|| format!("copying {}", from.display()))?;
            }
        }
        let address = format!("sqlite:{}", copy.path().join("darkpawns.sqlite").display());
        Ok(Source { store: Store::connect(&address, &StoreOptions::default()).await?, _copy: Some(copy) })
    }
}

/// Everybody as they were at the tick. Whoever was made later is left out.
async fn characters_at(moment: &Moment, source: &Store) -> anyhow::Result<Vec<CharacterRow>> {
    let world = &moment.world;
    let number = world.state.number;
    let now = unix_ms();
    let mut stored: BTreeMap<String, CharacterRow> =
        characters::all(source).await?.into_iter().map(|row| (row.name.clone(), row)).collect();
    let mut rows = Vec::new();
    for account in accounts::all(source).await? {
        let in_world = world.find_player(&account.name).and_then(|who| world.record_of(who));
        let row = match (in_world, stored.remove(&account.name)) {
            (Some(record), _) => row_of(&record, number, now)?,
            (None, Some(row)) if row.written_by_input <= number => match moment.saved.get(&account.name) {
                Some(newer) if newer.number > row.written_by_input => row_of(&newer.record, newer.number, now)?,
                _ => row,
            },
            // Its row is of later; but it came in later too, and brought along what the database had until then.
            (None, _) => match moment.entered_later.get(&account.name) {
                Some(record) if record.room.is_some() || account.created_at <= moment.at_ms => {
                    row_of(record, number, now)?
                }
                _ => continue,
            },
        };
        rows.push(row);
    }
    Ok(rows)
}

/// The rows of a table that are wanted, as they are wanted. Numbers of keys stay, so that one is the same key in the
/// fork.
async fn copy_rows(
    dump: &mut Dump,
    load: &mut Load,
    table: &str,
    wanted: &dyn Fn(serde_json::Value) -> Option<serde_json::Value>,
) -> anyhow::Result<()> {
    let (parts, mut to_sift) = mpsc::channel::<Part>(4);
    let sift = async {
        let mut kept = Vec::new();
        while let Some(part) = to_sift.recv().await {
            for line in part.lines.split_inclusive(|byte| *byte == b'\n') {
                if let Some(row) = wanted(serde_json::from_slice(line)?) {
                    serde_json::to_writer(&mut kept, &row)?;
                    kept.push(b'\n');
                }
            }
        }
        Ok::<_, anyhow::Error>(kept)
    };
    let read = async {
        let written = dump.read(table, &parts).await;
        drop(parts);
        written
    };
    let (written, kept) = tokio::join!(read, sift);
    // Where a line is no JSON nobody takes the others, which is the later failure.
    let kept = kept?;
    load.write(table, kept.as_slice(), written?.last_id).await?;
    Ok(())
}

/// The snapshot that the fork begins with, and a segment: empty, or with what is taken along.
fn write_journal(args: &ForkArgs, moment: Moment, database: String) -> anyhow::Result<u64> {
    let Moment { past, mut world, header, minds, .. } = moment;
    let mut state = world.snapshot();
    state.seed = args.seed.unwrap_or(state.seed);
    let mut redaction = args.redact.then(Redaction::default);
    if let Some(redaction) = &mut redaction {
        redaction.state(&mut state);
    }
    let from = state.number;
    world = World::resume(past.content.clone(), past.rules.clone(), state);
    let header = Header {
        server: env!("CARGO_PKG_VERSION").to_string(),
        seed: world.state.seed,
        start: from,
        start_tick: world.tick(),
        epoch_ms: unix_ms(),
        database,
        continues: false,
        ..header
    };
    let writing = || format!("writing {}", args.out.display());
    let layout = Layout::open(&args.out).with_context(writing)?;
    let unwritten = Unwritten { characters: Vec::new(), minds };
    let snapshot = Snapshot::of(&world, header.clone(), unwritten);
    write_snapshot(&layout, &snapshot, &Gauges::default()).with_context(writing)?;

    let mut segment = format::begin_segment(&header);
    let mut inputs = 0;
    if let Some(until) = args.until {
        let (end, _) = records_after(&past.run.files, from, &mut |entry| {
            let Entry::Record(Record::Input { number, at_ms, mut input }) = entry else {
                return ControlFlow::Continue(());
            };
            if world.tick() >= until {
                return ControlFlow::Break(());
            }
            if let Some(redaction) = &mut redaction {
                redaction.input(&mut input);
            }
            format::append_input(&mut segment, &header, number, at_ms, &input);
            replaying::apply(&mut world, &input);
            inputs += 1;
            if matches!(input, Input::Tick) && (world.tick().is_multiple_of(HASH_EVERY) || world.tick() == until) {
                format::append_hashes(&mut segment, &header, number, world.tick(), &world.hashes());
            }
            ControlFlow::Continue(())
        })?;
        if let End::Gap(gap) = end {
            bail!("the journal cannot be read to tick {until}: {gap}");
        }
    }
    write_whole(&layout.segment(from), &segment).with_context(writing)?;
    Ok(inputs)
}
