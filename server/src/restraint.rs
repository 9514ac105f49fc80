//! What immortals lay on players who are away, or take off them: frozen, muted. Who is in the world is the world's.
//!
//! Invariants: nobody touches an equal or a better; what waits to be written is written first; and nobody comes in with
//! a record that was read before the change.

use crate::engine::{AdminAnswer, AdminCall};
use crate::operator::Live;
use crate::saver::{read_record, row_of};
use crate::store::characters;
use crate::times::unix_ms;
use anyhow::{Context, bail, ensure};
use std::time::Duration;
use world::character::PlayerFlags;
use world::record::CharacterRecord;
use world::report::Restraint;

/// How long what waits to be written may take.
const DRAIN_LONGEST: Duration = Duration::from_secs(10);

/// Changes the record of a character that is not in the world. Its name, as it is called.
pub async fn restrain(live: &Live<'_>, name: &str, below: i32, how: Restraint) -> anyhow::Result<String> {
    ensure!(live.saver.drain_waiting(DRAIN_LONGEST).await, "the database does not take anything just now; try again");
    let row = characters::load(live.store, name).await?;
    let row = row.with_context(|| format!("there is no character called {name}"))?;
    let mut record = read_record(&row.data)?;
    let name = record.name.to_string();
    ensure!(record.level < below, "{name} is not below you");
    let tick = live.engine.with_world(|world| world.tick());
    lay_on(&mut record, how, tick).map_err(|as_it_is| anyhow::anyhow!("{name} is {as_it_is}"))?;
    characters::save_batch(live.store, &[row_of(&record, row.written_by_input, unix_ms())?]).await?;
    match live.engine.admin(AdminCall::Reread { name: name.clone() }).await {
        Some(AdminAnswer::NotHere) => Ok(name),
        Some(AdminAnswer::Done) => bail!("{name} has just come in; say it once more"),
        Some(_) => bail!("the disk is full; nothing is done until there is room again"),
        None => bail!("the server is stopping"),
    }
}

/// Errors: what it is already.
fn lay_on(record: &mut CharacterRecord, how: Restraint, tick: u64) -> Result<(), &'static str> {
    let player = &mut record.player;
    match how {
        Restraint::Freeze if player.flags.has(PlayerFlags::FROZEN) => return Err("frozen already"),
        Restraint::Freeze => player.flags.insert(PlayerFlags::FROZEN),
        Restraint::Thaw if !player.flags.has(PlayerFlags::FROZEN) => return Err("not frozen"),
        Restraint::Thaw => player.flags.remove(PlayerFlags::FROZEN),
        Restraint::Mute { until_tick } => player.muted_until = Some(until_tick),
        Restraint::Unmute if !player.is_muted(tick) => return Err("not muted"),
        Restraint::Unmute => {
            player.muted_until = None;
            player.flags.remove(PlayerFlags::MUTED);
        }
    }
    Ok(())
}
