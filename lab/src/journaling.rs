//! Journals made without a server: the simulation plays, and what it plays is written as a server writes it. And
//! journals changed on purpose, record by record.

use crate::simulation::Simulation;
use anyhow::Context;
use content::Content;
use server::journal::format::{self, Records};
use server::journal::replaying::{Entry, records_after};
use server::journal::retention::Keep;
use server::journal::{
    Fsync, Gauges, Header, Journal, Layout, Listing, LiveJournal, Policy, Record, Snapshot, Unwritten, write_snapshot,
};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use world::hash::StateHashes;
use world::{CharacterId, Input, InputNumber, World};

/// What a journal of the simulation says of itself.
pub const DATABASE: &str = "none, for nobody is saved";

/// Plays so many ticks with so many players, and writes the journal into a state folder as the server does: a snapshot,
/// segments of a few megabytes, hashes. The hashes of the last state.
pub fn write_played(
    state_dir: &Path,
    world_dir: &Path,
    content: Arc<Content>,
    seed: u64,
    players: usize,
    ticks: u64,
) -> anyhow::Result<StateHashes> {
    let mut simulation = Simulation::new(content.clone(), seed, players);
    simulation.keep_inputs = true;
    let layout = Layout::open(state_dir)?;
    let gauges = Arc::new(Gauges::default());
    let header = Header {
        server: env!("CARGO_PKG_VERSION").to_string(),
        needs: server::replay::needs_of(&content, &simulation.world.rules, world_dir),
        seed,
        start: 0,
        start_tick: 0,
        epoch_ms: 0,
        tick_ms: 2_000,
        database: DATABASE.to_string(),
        continues: false,
    };
    let snapshot = Snapshot::of(&simulation.world, header.clone(), Unwritten::default());
    write_snapshot(&layout, &snapshot, &gauges)?;
    let journal = Journal::begin(layout.clone(), header, Fsync::Tick, gauges.clone())?;
    let policy = Policy { snapshot_every: Duration::MAX, snapshot_bytes: 4 << 20, keep: Keep { days: 0 } };
    let mut journal = LiveJournal::new(journal, layout, policy, gauges);
    let mut number: InputNumber = 0;
    for tick in 0..ticks {
        simulation.run(1).map_err(|failure| anyhow::anyhow!("{failure}"))?;
        let now_ms = tick as i64 * 2_000;
        for input in simulation.inputs.drain(..) {
            number += 1;
            journal.input(number, now_ms, &input);
        }
        journal.ticked(&simulation.world);
        journal.flush()?;
        journal.look_after(&simulation.world, now_ms, Unwritten::default);
    }
    journal.finish(&simulation.world, Unwritten::default())?;
    Ok(simulation.world.hashes())
}

/// Writes a segment anew with each record as `change` leaves it. How many records there were.
pub fn rewrite(segment: &Path, mut change: impl FnMut(&mut Record)) -> anyhow::Result<usize> {
    let bytes = std::fs::read(segment)?;
    let mut records = Records::open(&bytes).with_context(|| segment.display().to_string())?;
    let header = records.header.clone();
    let mut out = format::begin_segment(&header);
    let mut count = 0;
    for mut record in records.by_ref() {
        change(&mut record);
        append(&mut out, &header, &record);
        count += 1;
    }
    anyhow::ensure!(records.broken().is_none(), "{:?}", records.broken());
    std::fs::write(segment, out)?;
    Ok(count)
}

pub fn append(out: &mut Vec<u8>, header: &Header, record: &Record) {
    match record {
        Record::Input { number, at_ms, input, stops } => {
            format::append_input(out, header, *number, *at_ms, input);
            format::append_stops(out, stops);
        }
        Record::Hashes { number, tick, hashes } => format::append_hashes(out, header, *number, *tick, hashes),
    }
}

/// Where each record of a segment ends, the head's end first.
pub fn ends(bytes: &[u8]) -> Vec<usize> {
    let mut records = Records::open(bytes).expect("it has a head");
    let mut ends = vec![records.at()];
    while records.next().is_some() {
        ends.push(records.at());
    }
    ends
}

/// Changes one command of a segment into another, that of the first input from its middle on for which `would` says
/// yes when it is asked before it is applied.
pub fn change_one_command(
    world: &mut World,
    listing: &Listing,
    segment: &Path,
    line: &str,
    would: impl Fn(&World, CharacterId) -> bool,
) -> anyhow::Result<InputNumber> {
    let bytes = std::fs::read(segment)?;
    let mut records = Records::open(&bytes).with_context(|| segment.display().to_string())?;
    let start = records.header.start;
    records.by_ref().for_each(drop);
    let middle = start + (records.newest() - start) / 2;
    let mut chosen = None;
    records_after(listing, world.state.number, &mut |entry| {
        if let Entry::Record(Record::Input { number, input, .. }) = entry {
            if let Input::Command { who, .. } = &input
                && number >= middle
                && would(world, *who)
            {
                chosen = Some(number);
                return ControlFlow::Break(());
            }
            world.apply(&input);
        }
        ControlFlow::Continue(())
    })?;
    let chosen = chosen.context("there is no command in it that would make a difference")?;
    rewrite(segment, |record| {
        if let Record::Input { number, input: Input::Command { line: typed, .. }, .. } = record
            && *number == chosen
        {
            *typed = line.to_string();
        }
    })?;
    Ok(chosen)
}
