//! The world that a server starts with: as the journal left it, or a new one; and the segment that it goes on in.
//!
//! What a start may find, and what it refuses, is in `journal/recovery.rs`; here it meets the database. Invariants: no
//! number of an input and no serial is used twice, whatever was lost; where inputs were lost, the later state of a
//! character counts, wherever it is. Nothing is shown to anybody before the segment is on disk.

use crate::archive;
use crate::args::{JournalMode, RunArgs};
use crate::capture::Replayed;
use crate::counters::Free;
use crate::files::write_whole;
use crate::journal::recovery::{self, Given};
use crate::journal::retention::Keep;
use crate::journal::{
    Gauges, Header, Journal, Layout, LiveJournal, Policy, Snapshot, Unsaved, Unwritten, write_snapshot,
};
use crate::log_input::LogInput;
use crate::replay::needs_of;
use crate::store::channels::{self, Change};
use crate::store::{Store, StoreError, accounts, agent_events, canonical, characters, meta};
use crate::times::unix_ms;
use anyhow::Context;
use content::Content;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;
use world::adopt::Adopted;
use world::rules::Rules;
use world::{Admin, CharacterId, Input, World};

/// A world to go on with.
pub struct InitialWorld {
    pub world: World,
    /// What the database may not have yet.
    pub unsaved: Vec<Unsaved>,
    /// What may not be in the logs of minds yet, oldest first.
    pub minds: Vec<LogInput>,
    /// What may not have been kept yet of persons, channels and messages.
    pub archive: Vec<Change>,
    /// What may not have been recorded yet.
    pub replayed: Vec<Replayed>,
    pub journal: Option<LiveJournal>,
    pub gauges: Arc<Gauges>,
}

/// The world as the journal left it, or a new one; and the segment that it goes on in.
pub async fn begin_world(
    args: &RunArgs,
    store: &Store,
    content: Content,
    rules: Rules,
) -> anyhow::Result<InitialWorld> {
    let (content, rules) = (Arc::new(content), Arc::new(rules));
    let gauges = Arc::new(Gauges::default());
    let free = Free::read(store).await?;
    let newest_saved = characters::newest_input(store).await?;
    let new_world = async |numbers_after: u64| {
        let seed = args.seed.unwrap_or_else(crate::random::random_u64);
        let mut world = World::new(content.clone(), rules.clone(), seed);
        // Numbers go on where the database knows them to have been: inputs, so that the next save is newer than the
        // last; serials and ids, so that none is ever used again.
        let kept_by = channels::newest_input(store).await?;
        free.renumber(&mut world, numbers_after.max(kept_by));
        let rows = archive::all(store).await?;
        if !rows.is_empty() {
            tracing::info!(rows = rows.len(), "persons and channels are taken back from the database");
            // Nobody is there to read what it causes, and the database has what it would be told.
            world.apply(&Input::Restore { rows });
        }
        Ok::<_, StoreError>(world)
    };
    if args.journal.mode == JournalMode::Off {
        if !Layout::new(&args.state_dir).list()?.is_empty() {
            tracing::warn!("--journal off: a new world is made, and the saved one stays as it is beside it");
        }
        return Ok(InitialWorld {
            world: new_world(newest_saved).await?,
            unsaved: Vec::new(),
            minds: Vec::new(),
            archive: Vec::new(),
            replayed: Vec::new(),
            journal: None,
            gauges,
        });
    }
    let layout = Layout::open(&args.state_dir)
        .with_context(|| format!("opening the journal in {}", args.state_dir.display()))?;
    let needs = needs_of(&content, &rules, &args.world);
    let database = meta::database_id(store).await?;
    let recovered = {
        let (layout, content, rules) = (layout.clone(), content.clone(), rules.clone());
        let (needs, database, recover) = (needs.clone(), database.clone(), args.journal.recover);
        let capture = args.capture.into();
        tokio::task::spawn_blocking(move || {
            let (layout, needs, database) = (&layout, &needs, database.as_str());
            recovery::recover(&Given { layout, content, rules, needs, database, recover, capture })
        })
        .await
        .context("bringing back the world")??
    };
    let mut continues = recovered.continues;
    let world = match recovered.world {
        None => new_world(newest_saved.max(recovered.last_number)).await?,
        Some(mut world) => {
            tracing::info!(
                tick = world.tick(),
                input = world.state.number,
                replayed = recovered.replayed,
                took_ms = recovered.took.as_millis() as u64,
                "the world goes on where it was"
            );
            if args.seed.is_some_and(|seed| seed != world.state.seed) {
                tracing::warn!(seed = world.state.seed, "--seed is for a new world; this one keeps its own");
            }
            let newer = characters::newer_than(store, world.state.number).await?;
            if recovered.lost || !newer.is_empty() {
                continues = false;
                yield_to_database(&mut world, &newer);
            }
            let behind = behind_their_logs(&world, store).await?;
            if !behind.is_empty() {
                continues = false;
            }
            if !continues {
                let kept_by = channels::newest_input(store).await?;
                let mut used = newest_saved.max(kept_by).max(recovered.last_number).max(world.state.number);
                for (who, newest) in behind {
                    world.player_mut(who).log_seq = newest.seq;
                    used = used.max(newest.number);
                }
                world.count_from(used + 1);
                free.count_from(&mut world);
            }
            world
        }
    };
    if let Some(adopted) = &recovered.adopted {
        tracing::warn!("{adopted}");
        keep_aside(&layout, world.state.number, adopted)?;
    }
    let unsaved = those_to_save(recovered.unsaved, store).await?;
    let minds = of_those_who_live(recovered.minds, store).await?;
    let header = Header {
        server: env!("CARGO_PKG_VERSION").to_string(),
        needs,
        seed: world.state.seed,
        start: world.state.number,
        start_tick: world.tick(),
        epoch_ms: unix_ms(),
        tick_ms: args.tick_ms,
        database,
        continues,
    };
    let archive = recovered.archive;
    let unwritten = || Unwritten { characters: unsaved.clone(), minds: minds.clone(), archive: archive.clone() };
    let opening = || format!("writing the journal in {}", args.state_dir.display());
    if !continues {
        // The only way into what follows, so it is there first.
        let snapshot = Snapshot::of(&world, header.clone(), unwritten());
        write_snapshot(&layout, &snapshot, &gauges).with_context(opening)?;
    }
    let journal = Journal::begin(layout.clone(), header, args.journal.fsync, gauges.clone()).with_context(opening)?;
    let policy = Policy {
        snapshot_every: Duration::from_secs(u64::from(args.journal.snapshot_minutes) * 60),
        snapshot_bytes: u64::from(args.journal.snapshot_mb) << 20,
        keep: Keep { days: args.journal.keep_journal },
    };
    let mut journal = LiveJournal::new(journal, layout.clone(), policy, gauges.clone());
    if continues && !layout.snapshot(world.state.number).exists() {
        journal.snapshot_soon(&world, unix_ms(), unwritten());
    }
    let replayed = recovered.decisions.into();
    Ok(InitialWorld { world, unsaved, minds, archive, replayed, journal: Some(journal), gauges })
}

/// Where inputs were lost, the database may hold a character as it was later than the world has it. The later one
/// counts: the character leaves the world, and is read from the database when it comes back.
fn yield_to_database(world: &mut World, newer: &[String]) {
    for name in newer {
        if let Some(who) = world.find_player(name) {
            tracing::warn!(
                name,
                "the database has this character as it was later than the world; it is taken from there"
            );
            // The report, with the older save in it, is not looked at.
            world.apply(&Input::Admin(Admin::Remove { who, reason: String::new() }));
        }
    }
}

/// Players in the world whose logs go on further than the world knows: it lost inputs that the database has.
async fn behind_their_logs(
    world: &World,
    store: &Store,
) -> Result<Vec<(CharacterId, agent_events::Newest)>, StoreError> {
    let names: Vec<String> = world.state.players.keys().map(|name| name.to_string()).collect();
    let newest = agent_events::newest_of(store, &names).await?;
    let behind = |(name, who): (_, &CharacterId)| {
        let newest = *newest.get(&canonical(name))?;
        let player = world.who(*who).player()?;
        (player.log_seq < newest.seq).then_some((*who, newest))
    };
    Ok(world.state.players.iter().filter_map(|(name, who)| behind((&**name, who))).collect())
}

/// Without those that the database has, and those of characters that were deleted since. What was written already may
/// have been changed by the operator since.
async fn those_to_save(mut unsaved: Vec<Unsaved>, store: &Store) -> Result<Vec<Unsaved>, StoreError> {
    let names: Vec<String> = unsaved.iter().map(|one| one.record.name.to_string()).collect();
    let standings = accounts::standings(store, &names).await?;
    unsaved.retain(|one| {
        let standing = standings.get(&canonical(&one.record.name));
        standing.is_some_and(|standing| standing.written_by_input.is_none_or(|written| written < one.number))
    });
    Ok(unsaved)
}

/// Without what is of characters that were deleted since, also where another was made of the same name.
async fn of_those_who_live(mut inputs: Vec<LogInput>, store: &Store) -> Result<Vec<LogInput>, StoreError> {
    let names: BTreeSet<&str> = inputs.iter().map(|input| input.log().character()).collect();
    let names: Vec<String> = names.into_iter().map(str::to_string).collect();
    let standings = accounts::standings(store, &names).await?;
    inputs.retain(|input| {
        let standing = standings.get(input.log().character());
        standing.is_some_and(|standing| standing.birth.is_before(input.input(), input.at_ms()))
    });
    Ok(inputs)
}

/// Writes down what new content has no place for.
fn keep_aside(layout: &Layout, number: u64, adopted: &Adopted) -> anyhow::Result<()> {
    if adopted.set_aside.is_empty() {
        return Ok(());
    }
    let path = layout.folder().join(format!("set-aside-{number}.json"));
    let text = serde_json::to_vec_pretty(adopted)?;
    write_whole(&path, &text).with_context(|| format!("writing {}", path.display()))?;
    tracing::warn!(file = %path.display(), "what has no prototype any more is kept in this file");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::accounts::{AccountRow, create};
    use crate::store::characters::CharacterRow;
    use crate::store::testing::on_each_store;
    use mind::{Event, LogEntry};

    #[tokio::test]
    async fn a_clock_that_was_set_back_costs_no_memory() {
        on_each_store(async |store| {
            // Made at noon by the clock of then, after input 100.
            let account = AccountRow {
                name: "ann".into(),
                display_name: "Ann".into(),
                password_hash: None,
                created_at: 43_200_000,
                last_login_at: None,
            };
            let character = CharacterRow {
                name: "ann".into(),
                data: "{}".into(),
                written_by_input: 100,
                updated_at: 0,
                level: 1,
                immortal_level: 0,
            };
            create(store, &account, &character, None).await.expect("made");
            let at = |name: &str, input: u64, at_ms: i64| {
                let entry = LogEntry { seq: input, tick: 1, at_ms, input, event: Event::TaskDone };
                LogInput::Record(name.into(), Arc::new(entry))
            };
            // What the crash left: of one of the same name before her, hers, and hers by a clock that was set back.
            let left = vec![at("ann", 90, 43_100_000), at("ann", 101, 43_300_000), at("ann", 102, 36_000_000)];
            let kept = of_those_who_live([left, vec![at("bob", 103, 43_300_000)]].concat(), store).await.expect("read");
            assert_eq!(kept.iter().map(LogInput::input).collect::<Vec<_>>(), [101, 102]);
        })
        .await;
    }
}
