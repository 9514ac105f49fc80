//! An hour of weather and light: what people who are awake and outdoors see of sky and sun.
//!
//! Source: game reference §3. What the weather is stands in `weather.rs`, what the hour is in `clock.rs`.

use crate::arena::CharacterId;
use crate::report::{Line, LineKind};
use crate::rng::Stream;
use crate::world::World;
use std::sync::Arc;

pub fn run(world: &mut World) {
    let clock = world.state.clock;
    let mut weather = world.state.weather;
    let sky = weather.step(clock, world.dice(Stream::Weather));
    world.state.weather = weather;
    let sun = match clock.hour() {
        5 => Some("A grey light comes up in the east."),
        6 => Some("The sun is up. It is day."),
        21 => Some("The sun goes down behind the edge of the world."),
        22 => Some("The last light is gone. It is night."),
        _ => None,
    };
    for text in [sun, sky].into_iter().flatten() {
        tell_outdoors(world, text);
    }
}

fn tell_outdoors(world: &mut World, text: &str) {
    let line = Arc::new(Line { kind: LineKind::Outdoor, text: text.to_string(), ..Line::default() });
    let outdoors: Vec<CharacterId> = world
        .state
        .players
        .values()
        .copied()
        .filter(|id| world.who(*id).is_awake() && world.is_outdoors(world.who(*id).room))
        .collect();
    for reader in outdoors {
        world.send_line(reader, line.clone());
    }
}
