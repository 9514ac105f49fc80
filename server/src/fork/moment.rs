//! The tick that a fork begins at: the world then, and everybody who had been made by then.
//!
//! Only reads. Invariant: each character is as it was at that tick: in the world, or as the database had it.

use super::ForkArgs;
use crate::journal::replaying::{End, Entry, Step, records_after, replay};
use crate::journal::{Header, Record, Unsaved};
use crate::log_input::LogInput;
use crate::replay::Past;
use crate::saver::row_of;
use crate::store::characters::{self, CharacterRow};
use crate::store::{Store, accounts, canonical};
use crate::times::unix_ms;
use anyhow::bail;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use world::record::CharacterRecord;
use world::report::Request;
use world::{Input, World};

/// The world at the tick, and what is needed of what came after.
pub(super) struct Moment {
    pub past: Past,
    pub world: World,
    pub header: Header,
    /// Unix milliseconds of the tick, or of a moment before the next input.
    pub at_ms: i64,
    /// What was for minds up to the tick, and the database may not have.
    pub minds: Vec<LogInput>,
    /// The newest save of each up to the tick, by canonical name: the database may not have it.
    saved: BTreeMap<String, Unsaved>,
    /// The first record with which somebody came in afterwards, by canonical name: as it was stored until then.
    entered_later: BTreeMap<String, CharacterRecord>,
}

impl Moment {
    pub fn find(args: &ForkArgs) -> anyhow::Result<Moment> {
        let past = Past::find(&args.state_dir, Some(args.at), args.world.as_deref(), args.start_room)?;
        let base = past.run.before(args.at)?;
        let header = base.head.header.clone();
        let mut at_ms = None;
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
                    at_ms = Some(when);
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
            if let Entry::Record(Record::Input { at_ms: when, input, .. }) = entry {
                // A snapshot does not say when it was: before what came next.
                at_ms.get_or_insert(when);
                if let Input::Enter { record, .. } = input {
                    entered_later.entry(canonical(&record.name)).or_insert(*record);
                }
            }
            ControlFlow::Continue(())
        })?;
        let at_ms = at_ms.unwrap_or_else(unix_ms);
        Ok(Moment { past, world, header, at_ms, minds, saved, entered_later })
    }
}

/// Everybody as they were at the tick. Whoever was made later is left out.
pub(super) async fn characters_at(moment: &Moment, source: &Store) -> anyhow::Result<Vec<CharacterRow>> {
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
