//! `dp-server fork`: a new state folder that begins where an old one was at some tick or after some input
//! (`--at-input`), or where somebody typed a message (`--at-message`), which may have other words there. For "what if"
//! experiments, for the arms of one (`--flat`, `--without-memories`), and, with a piece of the journal after it
//! (`--until`), for bug reports.
//!
//! `without.rs` leaves single thoughts out of it (`--without`), `rolls.rs` loads dice (`--roll`). `moment.rs` is the
//! tick or the input before, `said.rs` the message, `rows.rs` what is taken out of the old database, `past_dreams.rs`
//! what was dreamt by then, `settings.rs` the config file, `first_snapshot.rs` the journal that the fork begins with.
//! Invariants: the source is only read. A fork has everything of its own below its folder: database, journal, dreams,
//! session files, configuration. Nothing in it is of later than the tick, or than the input that typed the message.

mod first_snapshot;
mod moment;
mod past_dreams;
mod rolls;
mod rows;
mod said;
mod settings;
mod without;

pub use self::moment::Moment;
pub use self::rolls::Roll;
pub use self::said::Said;
pub use self::without::Thought;

use self::moment::characters_at;
use self::without::Without;
use crate::counters::COUNTERS;
use crate::dreams::{DREAMING_FLAG, LAST_NIGHT};
use crate::exports::SESSIONS_FLAG;
use crate::folder_owner::FolderOwner;
use crate::redaction::Redaction;
use crate::replay::PastArgs;
use crate::saver::{read_record, row_of};
use crate::source::Source;
use crate::state_dir::StateDir;
use crate::store::characters::{self, CharacterRow};
use crate::store::{Store, StoreOptions, canonical, meta};
use crate::{config, dreams, exports};
use anyhow::{Context, bail};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use world::{Input, InputNumber};

#[derive(Clone, Debug, clap::Args)]
pub struct ForkArgs {
    #[command(flatten)]
    pub past: PastArgs,
    /// Its database [default: the SQLite file in it]
    #[arg(long, value_name = "URL")]
    pub db: Option<String>,
    /// The new one begins after this tick
    #[arg(long, value_name = "TICK", required_unless_present_any = ["at_message", "at_input"])]
    pub at: Option<u64>,
    /// The new one begins after this input, within its tick
    #[arg(long, value_name = "INPUT", conflicts_with_all = ["at", "at_message"])]
    pub at_input: Option<InputNumber>,
    /// The new one begins where this message was typed, and says it again
    #[arg(long, value_name = "ID", conflicts_with_all = ["at", "until"])]
    pub at_message: Option<u64>,
    /// Other words for it, of at most 2,000 characters
    #[arg(long, value_name = "TEXT", requires = "at_message", conflicts_with = "at")]
    pub instead: Option<String>,
    /// Folder to make, which must not exist or be empty
    #[arg(long, value_name = "DIR")]
    pub out: PathBuf,
    /// Another chance from here on [default: the same seed]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Turn a die (save=1, hit=max, damage=min,Wren): the next draw of that name, or with a NAME the next of what that
    /// character does, falls so; all others as they would. May be given again, also for the draws after it
    #[arg(long, value_name = "DRAW=VALUE[,NAME]", conflicts_with = "until")]
    pub roll: Vec<Roll>,
    /// Take what happened up to this tick along, to be replayed there
    #[arg(long, value_name = "TICK", conflicts_with = "seed")]
    pub until: Option<u64>,
    /// Play this character without valence from here on, whatever its clients ask for: the flat arm of an experiment.
    /// May be given again
    #[arg(long, value_name = "NAME", conflicts_with = "until")]
    pub flat: Vec<String>,
    /// Take nothing along of what this character remembers and noted. May be given again
    #[arg(long, value_name = "NAME", conflicts_with = "until")]
    pub without_memories: Vec<String>,
    /// Leave this entry out of that mind's log (Wren:#812): the same world without that thought. May be given again
    #[arg(long, value_name = "NAME:#SEQ", conflicts_with = "redact")]
    pub without: Vec<Thought>,
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
    /// The message that it begins with, and the line that types it there.
    pub said: Option<(Said, String)>,
    pub characters: usize,
    /// Characters that dreamt by then, and remember it in the fork.
    pub dreams: usize,
    /// What was left out, and what follows from it: a sentence each.
    pub without: Vec<String>,
}

/// Whose past is taken along, and as what. Names are canonical.
struct Cast {
    names: BTreeSet<String>,
    flat: BTreeSet<String>,
    without_memories: BTreeSet<String>,
    redacted: bool,
}

impl Cast {
    /// Refuses names that nobody had at the tick.
    fn of(args: &ForkArgs, tick: u64, rows: &[CharacterRow]) -> anyhow::Result<Cast> {
        let names: BTreeSet<String> = rows.iter().map(|row| row.name.clone()).collect();
        let named = |flag: &str, given: &[String]| {
            let given: BTreeSet<String> = given.iter().map(|name| canonical(name)).collect();
            match given.iter().find(|name| !names.contains(*name)) {
                Some(unknown) => bail!(
                    "{flag}: nobody is called {unknown:?} at tick {tick} in {}; nothing was written",
                    args.past.state_dir.display()
                ),
                None => Ok(given),
            }
        };
        let flat = named("--flat", &args.flat)?;
        let without_memories = named("--without-memories", &args.without_memories)?;
        Ok(Cast { names, flat, without_memories, redacted: args.redact })
    }

    /// Whether the world is to be new to this character.
    fn forgets(&self, name: &str) -> bool {
        self.without_memories.contains(&canonical(name))
    }

    /// Whether this character's log is taken along.
    fn remembers(&self, name: &str) -> bool {
        !self.redacted && self.names.contains(name) && !self.without_memories.contains(name)
    }
}

pub async fn fork(args: &ForkArgs) -> anyhow::Result<Forked> {
    let full = args.out.exists()
        && std::fs::read_dir(&args.out).with_context(|| format!("reading {}", args.out.display()))?.next().is_some();
    if full {
        bail!("{} is not empty; nothing was written", args.out.display());
    }
    if args.until.zip(args.at).is_some_and(|(until, at)| until < at) {
        bail!("--until is before --at");
    }
    let settings = config::own_settings(&args.past.state_dir)?;
    let mut moment = {
        let args = args.clone();
        tokio::task::spawn_blocking(move || find(&args)).await.context("replaying")??
    };
    let tick = moment.world.tick();
    if let Some(until) = args.until.filter(|until| *until < tick) {
        bail!("--until {until} is before tick {tick}, where it begins; nothing was written");
    }
    let first = moment.first_input(args.instead.as_deref())?;
    rolls::load(&args.roll, &mut moment.world)?;
    let source = Source::open(&args.past.state_dir, args.db.as_deref()).await?;
    let mut rows = characters_at(&moment, &source.store).await?;
    let cast = Cast::of(args, moment.world.tick(), &rows)?;
    let last_input = i64::try_from(moment.world.state.number).context("an input beyond all counting")?;
    let without = Without::of(args, &source.store, last_input, |name| cast.remembers(name)).await?;
    if args.redact {
        for row in &mut rows {
            let mut record = read_record(&row.data).with_context(|| format!("the record of {}", row.name))?;
            Redaction::default().record(&mut record);
            *row = row_of(&record, row.written_by_input, row.updated_at)?;
        }
    }

    for row in rows.iter_mut().filter(|row| cast.forgets(&row.name)) {
        let mut record = read_record(&row.data).with_context(|| format!("the record of {}", row.name))?;
        Arc::make_mut(&mut record.player.past).forget();
        *row = row_of(&record, row.written_by_input, row.updated_at)?;
    }

    let state = StateDir::open(&args.out)?;
    let store = Store::connect(&state.default_database(), &StoreOptions::of_state(&args.out)).await?;
    rows::copy(&source.store, &store, &moment, &cast, &without).await?;
    characters::save_batch(&store, &rows).await?;
    let database = meta::database_id(&store).await?;
    for counter in COUNTERS {
        counter.raise(&store, counter.next(&moment.world)).await?;
    }
    // Marked before anything is dreamt, as a start of the server would.
    let owner = FolderOwner::new(&database, &args.out)?;
    let dreaming_dir = dreams::own_folder(&args.out);
    owner.claim(&dreaming_dir, DREAMING_FLAG)?;
    owner.claim(&exports::own_folder(&args.out), SESSIONS_FLAG)?;
    let dreams = past_dreams::dream_anew(&source.store, &store, moment.at_ms, &cast, dreaming_dir).await?;
    // The nights up to the tick are over: else the first start would make up for the last of them.
    meta::raise_counter(&store, LAST_NIGHT, moment.at_ms).await?;
    source.store.close().await;
    store.close().await;

    moment.minds.retain(|input| {
        let is_left_out = input.may_write() && without.has_of(input.log(), input.first(), input.last());
        cast.remembers(input.log().character()) && !is_left_out
    });
    let typed = match &first {
        Some(Input::Command { line, .. }) => Some(line.clone()),
        _ => None,
    };
    let said = moment.said.clone().zip(typed);
    let number = moment.world.state.number;
    let tick = moment.world.tick();
    let (args, characters) = (args.clone(), rows.len());
    let inputs = tokio::task::spawn_blocking(move || {
        settings::write(&args, settings, &moment.header)?;
        first_snapshot::write(&args, moment, first, &cast, database)
    })
    .await
    .context("writing the journal")??;
    Ok(Forked { tick, number, inputs, said, characters, dreams, without: without.told })
}

fn find(args: &ForkArgs) -> anyhow::Result<Moment> {
    match (args.at_message, args.at_input, args.at) {
        (Some(message), _, _) => Moment::before_message(&args.past, message),
        (None, Some(input), _) => Moment::after_input(&args.past, input),
        (None, None, Some(tick)) => Moment::after_tick(&args.past, tick),
        (None, None, None) => bail!("where is it to begin? --at TICK, --at-input INPUT, or --at-message ID"),
    }
}
