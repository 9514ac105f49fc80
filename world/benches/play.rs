//! How long play takes in the stock tbaMUD world: ticks with every mob awake and with 500 fights, and the commands of
//! the load generator's mix, alone and in a crowd.
//!
//! Where the stock world is missing, the one that ships is used, and a line says so.

mod people;
#[path = "../../content/benches/stock/mod.rs"]
mod stock;

use self::people::{POINTS, content, enter};
use content::RoomId;
use content::flags::RoomFlags;
use criterion::{Criterion, criterion_group, criterion_main};
use std::sync::Arc;
use world::rules::Rules;
use world::{CharacterId, Input, World};

/// Pairs that fight, where fights are measured.
const FIGHTS: usize = 500;
/// Players in one room, where a crowd is measured.
const CROWD: usize = 200;

/// A mob and its room for each fight: none where fighting is forbidden, at most one in each room.
fn opponents(world: &World) -> Vec<(CharacterId, RoomId)> {
    let mut seen = vec![false; world.state.rooms.len()];
    let mut found = Vec::new();
    for (id, character) in world.state.characters.iter() {
        let room = character.room;
        if character.is_mob() && !world.room_flags(room).has(RoomFlags::PEACEFUL) && !seen[room.0 as usize] {
            seen[room.0 as usize] = true;
            found.push((id, room));
        }
    }
    found.truncate(FIGHTS);
    found
}

fn play(criterion: &mut Criterion) {
    let content = content();
    let rules = Arc::new(Rules::built_in());
    let new_world = || World::new(content.clone(), rules.clone(), 1);
    let mut group = criterion.benchmark_group("play");
    group.sample_size(20);
    group.bench_function("new_world", |b| b.iter_with_large_drop(new_world));

    let mut world = new_world();
    group.bench_function("tick_all_awake", |b| b.iter(|| world.apply(&Input::Tick)));

    let mut world = new_world();
    for (number, (mob, room)) in opponents(&world).into_iter().enumerate() {
        let who = enter(&mut world, number, room);
        let tough = world.state.characters.get_mut(mob).expect("it was found alive");
        (tough.base.hit_max, tough.now.hit_max, tough.hit) = (POINTS, POINTS, POINTS);
        world.strike(who, mob);
    }
    println!("{} fighters", world.state.fighters.len());
    group.bench_function("tick_500_fights", |b| b.iter(|| world.apply(&Input::Tick)));
    println!("{} fighters", world.state.fighters.len());

    let mut world = new_world();
    let room = world.start_room();
    let alone = enter(&mut world, 0, room);
    let command = |world: &mut World, who, line: &str| world.apply(&Input::Command { who, line: line.into() });
    for line in ["look", "say The moor is quiet.", "inventory", "score", "who"] {
        let verb = line.split(' ').next().unwrap_or_default();
        group.bench_function(format!("{verb}_alone"), |b| b.iter(|| command(&mut world, alone, line)));
    }
    for number in 1..CROWD {
        enter(&mut world, number, room);
    }
    for line in ["look", "say The moor is quiet.", "who"] {
        let verb = line.split(' ').next().unwrap_or_default();
        group.bench_function(format!("{verb}_in_crowd"), |b| b.iter(|| command(&mut world, alone, line)));
    }
    group.bench_function("there_and_back_in_crowd", |b| {
        b.iter(|| (command(&mut world, alone, "south"), command(&mut world, alone, "north")))
    });
    group.finish();
}

criterion_group!(benches, play);
criterion_main!(benches);
