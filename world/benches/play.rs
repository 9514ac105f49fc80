//! How long play takes in the stock tbaMUD world: ticks with every mob awake and with 500 fights, and the commands of
//! the load generator's mix, alone and in a crowd.
//!
//! Where the stock world is missing, the one that ships is used, and a line says so.

mod stock;

use self::stock::{read_folder, stock};
use criterion::{Criterion, criterion_group, criterion_main};
use std::path::Path;
use std::sync::Arc;
use world::content::{Content, ReadOptions, RoomId, read};
use world::flags::RoomFlags;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{Choices, newborn, roll_abilities};
use world::words::{Class, Race, Sex};
use world::{CharacterId, Input, World};

/// Pairs that fight, where fights are measured.
const FIGHTS: usize = 500;
/// Players in one room, where a crowd is measured.
const CROWD: usize = 200;
/// So hard to kill that a fight outlasts its measurement.
const HIT_POINTS: i32 = 1_000_000;

fn content() -> Arc<Content> {
    let source = stock().unwrap_or_else(|| {
        println!("measured in data/world");
        read_folder(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/world"))
    });
    Arc::new(read(&source, &ReadOptions::default()).0)
}

fn enter(world: &mut World, number: usize, room: RoomId) -> CharacterId {
    let rules = world.rules.clone();
    let mut dice = Dice::new(1, 2, 3, number as u64);
    let choices = Choices {
        name: format!("Zq{number:05}").into(),
        sex: Sex::Female,
        race: Race::Human,
        class: Class::Warrior,
        hometown: 'K',
        color: false,
        abilities: roll_abilities(&rules, Race::Human, Class::Warrior, &mut dice),
        agent: false,
    };
    let mut record = newborn(&rules, &choices, &mut dice);
    record.room = Some(world.room_proto(room).vnum);
    record.base.hit_max = HIT_POINTS;
    record.hit = HIT_POINTS;
    record.base.move_max = HIT_POINTS;
    record.moves = HIT_POINTS;
    let report = world.apply(&Input::Enter { record: Box::new(record), agent: false });
    report.entered.expect("nobody of that name is there yet")
}

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
        (tough.base.hit_max, tough.now.hit_max, tough.hit) = (HIT_POINTS, HIT_POINTS, HIT_POINTS);
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
