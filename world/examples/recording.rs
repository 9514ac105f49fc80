//! What recording costs the core, in the worst case: people far from each other who walk, so that nearly every room is
//! new to them. Counted in instructions, which a busy machine does not change:
//!
//! ```sh
//! cargo build --release -p world --example recording
//! valgrind --tool=callgrind --callgrind-out-file=/dev/null --collect-atstart=no \
//!     --toggle-collect='*walk_about*' target/release/examples/recording on
//! ```
//!
//! once with `on` and once with `off`; then people and commands of each, 200 and 100 unless they say otherwise. The
//! stock world is looked for beside the repository, as by `cargo bench -p world --bench play`.
#![allow(clippy::disallowed_types)] // It measures time; the crate does not.

#[path = "../benches/people/mod.rs"]
mod people;
#[path = "../../content/benches/stock/mod.rs"]
mod stock;

use self::people::{content, enter};
use content::RoomId;
use std::sync::Arc;
use world::rng::Dice;
use world::rules::Rules;
use world::{CharacterId, Input, World};

fn main() {
    let mut args = std::env::args().skip(1);
    let unrecorded = match args.next().as_deref() {
        Some("on") => false,
        Some("off") => true,
        _ => panic!("say whether to record: on or off"),
    };
    let mut number = |default| args.next().map_or(default, |arg| arg.parse::<usize>().expect("a number"));
    let (people, commands) = (number(200), number(100));
    let mut world = World::new(content(), Arc::new(Rules::built_in()), 1);
    let rooms = world.state.rooms.len();
    let walkers: Vec<CharacterId> =
        (0..people).map(|n| enter(&mut world, n, RoomId((n * rooms / people) as u32))).collect();
    world.unrecorded = unrecorded;
    let begun = std::time::Instant::now();
    let (done, steps, records) = walk_about(&mut world, &walkers, commands);
    let micros = begun.elapsed().as_secs_f64() * 1e6 / done as f64;
    println!("{done} commands, {steps} steps, {records} records, {micros:.2} µs each");
}

/// Everybody in turn: four steps, then one of the words that players type most beside them. Gives how many commands
/// there were, how many of them led elsewhere, and how many records came of them.
#[inline(never)]
fn walk_about(world: &mut World, walkers: &[CharacterId], commands: usize) -> (usize, usize, usize) {
    let mut dice = Dice::new(1, 2, 3, 4);
    let (mut steps, mut records) = (0, 0);
    for turn in 0..commands {
        for &who in walkers {
            let Some(from) = world.state.characters.get(who).map(|c| c.room) else { continue };
            let exits = &world.room_proto(from).exits;
            let line = match turn % 5 {
                4 => ["look", "inventory", "score", "say The moor is quiet."][turn / 5 % 4],
                _ if exits.is_empty() => "look",
                _ => exits[dice.range(0, exits.len() as i32 - 1) as usize].direction.name(),
            };
            let report = world.apply(&Input::Command { who, line: line.into() });
            records += report.recorded.len();
            steps += usize::from(world.state.characters.get(who).is_some_and(|c| c.room != from));
        }
        if turn % 10 == 9 {
            records += world.apply(&Input::Tick).recorded.len();
        }
    }
    (walkers.len() * commands, steps, records)
}
