//! The moment that a fork begins at, a tick, an input or the one before a message was typed: the world then, and
//! everybody who had been made by then.
//!
//! Only reads. Invariant: each character is as it was at that moment: in the world, or as the database had it.

use super::said::{self, Said};
use crate::journal::replaying::{End, Entry, Step, records_after, replay};
use crate::journal::runs::{self, Base};
use crate::journal::{Header, Layout, Record, Unsaved};
use crate::log_input::LogInput;
use crate::replay::{Cut, Past, PastArgs};
use crate::saver::row_of;
use crate::store::characters::{self, CharacterRow};
use crate::store::{Store, accounts, canonical};
use crate::times::unix_ms;
use anyhow::{Context, bail, ensure};
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;
use world::channel::MESSAGE_CHARS;
use world::record::CharacterRecord;
use world::report::Request;
use world::{Input, InputNumber, World};

/// The world at the moment, and what is needed of what came after.
pub struct Moment {
    pub past: Past,
    pub world: World,
    /// Of the snapshot that it was replayed from.
    pub header: Header,
    /// Unix milliseconds of the tick, or of a moment before the next input.
    pub at_ms: i64,
    /// The message that was typed next, where one is changed.
    pub said: Option<Said>,
    /// What was for minds up to the moment, and the database may not have.
    pub(super) minds: Vec<LogInput>,
    /// The newest save of each up to the tick, by canonical name: the database may not have it.
    saved: BTreeMap<String, Unsaved>,
    /// The first record with which somebody came in afterwards, by canonical name: as it was stored until then.
    entered_later: BTreeMap<String, CharacterRecord>,
}

impl Moment {
    /// After a tick.
    pub(super) fn after_tick(args: &PastArgs, tick: u64) -> anyhow::Result<Moment> {
        let past = Past::find(args, Some(tick))?;
        let base = past.run.before(tick)?;
        Moment::replayed(past, base, Cut::Tick(tick), None)
    }

    /// After an input, wherever in its tick that is.
    pub(super) fn after_input(args: &PastArgs, input: InputNumber) -> anyhow::Result<Moment> {
        let runs = runs::runs(&Layout::new(&args.state_dir))?;
        let run = runs.iter().rev().find(|run| run.start() <= input);
        let run = run.with_context(|| format!("the journal does not reach back to input {input}"))?;
        let past = Past::of(run.clone(), args)?;
        let base = past.run.before_input(input + 1)?;
        Moment::replayed(past, base, Cut::Input(input + 1), None)
    }

    /// Just before the input that typed a message.
    pub fn before_message(args: &PastArgs, message: u64) -> anyhow::Result<Moment> {
        let (past, said) = said::find(args, message)?;
        let base = past.run.before_input(said.number).with_context(|| {
            format!(
                "message #{message} was typed by input {}, and the journal no longer reaches back to it",
                said.number
            )
        })?;
        let number = said.number;
        Moment::replayed(past, base, Cut::Input(number), Some(said))
    }

    fn replayed(past: Past, base: Base, cut: Cut, said: Option<Said>) -> anyhow::Result<Moment> {
        let header = base.head.header.clone();
        let mut at_ms = None;
        let mut saved: BTreeMap<String, Unsaved> =
            base.unwritten.characters.iter().map(|one| (canonical(&one.record.name), one.clone())).collect();
        let mut minds = base.unwritten.minds.clone();
        let mut world = past.world(base);
        let mut there = cut.is_reached(&world);
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
                let counts = match cut {
                    Cut::Tick(_) => matches!(input, Input::Tick),
                    // Before a message it is a moment before what came next.
                    Cut::Input(_) => said.is_none(),
                };
                if counts {
                    at_ms = Some(when);
                }
                there = cut.is_reached(world);
                if there { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
            })?;
            if let End::Gap(gap) = end {
                bail!("the journal cannot be replayed to {cut}: {gap}");
            }
            if !there {
                bail!("that part of the journal ends with tick {}, before {cut}", world.tick());
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
        Ok(Moment { past, world, header, at_ms, said, minds, saved, entered_later })
    }
}

impl Moment {
    /// What the fork begins with where it begins with a message: the input that typed it, with these words instead.
    /// Refuses words that are none, and what the game would not let its speaker say.
    pub fn first_input(&self, instead: Option<&str>) -> anyhow::Result<Option<Input>> {
        let Some(said) = &self.said else { return Ok(None) };
        let Some(words) = instead else {
            return Ok(Some(Input::Command { who: said.typed.who, line: said.typed.line.clone() }));
        };
        let length = words.chars().count();
        ensure!(
            length <= MESSAGE_CHARS,
            "--instead has {length} characters; a message has at most {MESSAGE_CHARS}. Nothing was written"
        );
        ensure!(
            !words.chars().any(char::is_control),
            "--instead has line breaks or other control characters, which nobody could type; nothing was written"
        );
        ensure!(!words.trim().is_empty(), "--instead has no words; nothing was written");
        let input = said.instead(&self.world, words.trim())?;
        let report = self.world.clone().apply(&input);
        if let Some(why) = report.refused {
            bail!("{} could not say that there: {why} Nothing was written", said.speaker);
        }
        Ok(Some(input))
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
