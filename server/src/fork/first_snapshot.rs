//! The journal that a fork begins with: a snapshot of the tick, and a segment, empty or with what is taken along.

use super::{Cast, ForkArgs, Moment};
use crate::files::write_whole;
use crate::journal::replaying::{self, End, Entry, records_after};
use crate::journal::snapshot::Snapshot;
use crate::journal::{Gauges, Header, Layout, Record, Unwritten, format, write_snapshot};
use crate::redaction::Redaction;
use crate::store::canonical;
use crate::times::unix_ms;
use anyhow::{Context, bail};
use std::ops::ControlFlow;
use std::sync::Arc;
use world::character::Kind;
use world::{Input, World};

/// Ticks between two hashes of a piece that is cut out.
const HASH_EVERY: u64 = crate::journal::HASH_EVERY;

/// Writes it; `first`: the input that the fork begins with. How many inputs were taken along.
pub(super) fn write(
    args: &ForkArgs,
    moment: Moment,
    first: Option<Input>,
    cast: &Cast,
    database: String,
) -> anyhow::Result<u64> {
    let Moment { past, mut world, header, minds, at_ms, .. } = moment;
    let mut state = world.snapshot();
    state.seed = args.seed.unwrap_or(state.seed);
    let mut redaction = args.redact.then(Redaction::default);
    if let Some(redaction) = &mut redaction {
        redaction.state(&mut state);
    }
    // What happens to a body before its next login is worth nothing either.
    let flat: Vec<_> =
        state.players.iter().filter(|(name, _)| cast.flat.contains(&canonical(name))).map(|(_, who)| *who).collect();
    for who in flat {
        if let Some(character) = state.characters.get_mut(who)
            && let Kind::Player(player) = &mut character.kind
        {
            player.valence_off = true;
        }
    }
    let forgetful: Vec<_> = state.players.iter().filter(|(name, _)| cast.forgets(name)).map(|(_, who)| *who).collect();
    for who in forgetful {
        if let Some(character) = state.characters.get_mut(who)
            && let Kind::Player(player) = &mut character.kind
        {
            Arc::make_mut(&mut player.past).forget();
        }
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
    let unwritten = Unwritten { minds, ..Unwritten::default() };
    let snapshot = Snapshot::of(&world, header.clone(), unwritten);
    write_snapshot(&layout, &snapshot, &Gauges::default()).with_context(writing)?;

    let mut segment = format::begin_segment(&header);
    let mut inputs = 0;
    if let Some(mut first) = first {
        if let Some(redaction) = &mut redaction {
            redaction.input(&mut first);
        }
        // It was never applied before, so it is as in a server.
        let stops = replaying::apply(&mut world, &first).map(|report| report.script_stops);
        format::append_input(&mut segment, &header, world.state.number, at_ms, &first);
        format::append_stops(&mut segment, &stops.unwrap_or_default());
        format::append_hashes(&mut segment, &header, world.state.number, world.tick(), &world.hashes());
        inputs += 1;
    }
    if let Some(until) = args.until {
        let (end, _) = records_after(&past.run.files, from, &mut |entry| {
            let Entry::Record(Record::Input { number, at_ms, mut input, stops }) = entry else {
                return ControlFlow::Continue(());
            };
            if world.tick() >= until {
                return ControlFlow::Break(());
            }
            if let Some(redaction) = &mut redaction {
                redaction.input(&mut input);
            }
            // Whoever comes in later brings a record of its own.
            if let Input::Enter { record, .. } = &mut input
                && cast.forgets(&record.name)
            {
                Arc::make_mut(&mut record.player.past).forget();
            }
            format::append_input(&mut segment, &header, number, at_ms, &input);
            format::append_stops(&mut segment, &stops);
            replaying::apply_again(&mut world, &input, stops);
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
