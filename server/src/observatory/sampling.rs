//! Samples for charts: every few minutes of the world how everybody in it fares, beside what was decided meanwhile.

use crate::engine::Engine;
use crate::store::Store;
use crate::store::samples::{self, CharacterSample, Sample};
use crate::times::unix_ms;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use world::World;

/// Five minutes of a world whose tick is two seconds.
const SAMPLE_TICKS: u64 = 150;
const LOOK_EVERY: Duration = Duration::from_secs(2);
/// Looks from one writing of what was decided to the next.
const FLUSH_LOOKS: u32 = 5;

/// Takes samples until the server ends.
pub(super) async fn keep_samples(engine: Arc<Engine>, store: Store) {
    let (mut taken, mut looks) = (None, 0);
    while !engine.is_stopping() {
        let span = engine.stats.tick.load(Ordering::Relaxed) / SAMPLE_TICKS;
        if taken != Some(span) {
            let sample = sample(&engine);
            match samples::add(&store, &sample).await {
                Ok(()) => taken = Some(span),
                Err(error) => tracing::warn!(%error, "no sample was taken; trying again"),
            }
        }
        looks += 1;
        if looks % FLUSH_LOOKS == 0 {
            engine.decisions.write_usage().await;
        }
        tokio::time::sleep(LOOK_EVERY).await;
    }
}

fn sample(engine: &Arc<Engine>) -> Sample {
    let tick_us = engine.stats.tick_us.load(Ordering::Relaxed);
    let world = engine.with_world(World::clone);
    let characters: Vec<(CharacterSample, bool)> =
        world.state.players.iter().filter_map(|(key, who)| of_character(&world, key, *who)).collect();
    let count = |count: usize| i64::try_from(count).unwrap_or(i64::MAX);
    Sample {
        at: unix_ms(),
        tick: i64::try_from(world.tick()).unwrap_or(i64::MAX),
        players: count(characters.len()),
        agents: count(characters.iter().filter(|(_, agent)| *agent).count()),
        tick_us: i64::try_from(tick_us).unwrap_or(i64::MAX),
        characters: characters.into_iter().map(|(sample, _)| sample).collect(),
    }
}

/// With whether a program plays it.
fn of_character(world: &World, key: &str, who: world::CharacterId) -> Option<(CharacterSample, bool)> {
    let one = world.character(who)?;
    let player = one.player()?;
    let sample = CharacterSample {
        name: key.to_string(),
        level: one.level.into(),
        exp: player.experience.into(),
        hp: one.hit.into(),
        hp_max: one.now.hit_max.into(),
        gold: one.gold.into(),
        kills: player.kills.into(),
        deaths: player.deaths.into(),
        room: world.room_proto(one.room).vnum.into(),
    };
    Some((sample, player.agent))
}
