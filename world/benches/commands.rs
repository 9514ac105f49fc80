//! What a command costs: alone, among hundreds in one room, and with a thousand players elsewhere.
//!
//! Where the stock world is missing, nothing is measured. Figures are per `apply`, with the making and dropping of the
//! report.

#[path = "../../content/benches/stock/mod.rs"]
mod stock;

use self::stock::stock;
use content::flags::RoomFlags;
use content::words::*;
use content::{Content, ReadOptions, RoomId, read};
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use std::sync::Arc;
use world::character::Abilities;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{CharacterId, Input, World};

/// A player with legs that carry it as far as any measuring goes.
fn enter(world: &mut World, n: usize, room: RoomId) -> CharacterId {
    let abilities = Abilities {
        strength: 15,
        strength_add: 0,
        intelligence: 13,
        wisdom: 13,
        dexterity: 14,
        constitution: 14,
        charisma: 12,
    };
    let letters: String = format!("{n:04}").bytes().map(|digit| char::from(b'a' + digit - b'0')).collect();
    let choices = Choices { abilities, agent: true, ..Choices::plain(&format!("Runner{letters}")) };
    let mut record = creation::newborn(&world.rules.clone(), &choices, &mut Dice::new(1, n as u64, 0, 0));
    record.room = Some(world.room_proto(room).vnum);
    record.base.move_max = i32::MAX / 2;
    record.moves = record.base.move_max;
    let report = world.apply(&Input::Enter { record: Box::new(record), agent: true });
    report.entered.expect("nobody of that name is here")
}

/// A lit room with a way to a room that leads back, both open to anybody.
fn corridor(content: &Content) -> (RoomId, Direction) {
    let open = RoomFlags::DEATH.with(RoomFlags::TUNNEL).with(RoomFlags::PRIVATE).with(RoomFlags::GOD_ROOM);
    let plain = |id: RoomId| {
        let proto = content.room(id);
        !proto.flags.any(open.with(RoomFlags::DARK).with(RoomFlags::SOUNDPROOF)) && proto.sector == Sector::City
    };
    let ways = (0..content.rooms.len() as u32)
        .map(RoomId)
        .filter(|id| plain(*id))
        .flat_map(|id| content.room(id).exits.iter().filter(|exit| exit.door.is_empty()).map(move |exit| (id, exit)));
    for (from, exit) in ways {
        let Some(to) = exit.to.and_then(|vnum| content.room_id(vnum)).filter(|to| plain(*to)) else { continue };
        let back =
            content.room(to).exits.iter().find(|e| e.direction == exit.direction.opposite() && e.door.is_empty());
        if back.is_some_and(|back| back.to == Some(content.room(from).vnum)) {
            return (from, exit.direction);
        }
    }
    panic!("a city without a street")
}

/// A world with somebody who is measured in the corridor, and others there or all over the world.
fn crowd(content: &Arc<Content>, others: usize, together: bool) -> (World, CharacterId, Direction) {
    let mut world = World::new(content.clone(), Arc::new(Rules::built_in()), 1);
    let (room, way) = corridor(content);
    let who = enter(&mut world, 0, room);
    let rooms = content.rooms.len();
    for n in 1..others {
        let elsewhere = RoomId((n * 7_919 % rooms) as u32);
        enter(&mut world, n, if together { room } else { elsewhere });
    }
    (world, who, way)
}

fn commands(criterion: &mut Criterion) {
    let Some(source) = stock() else { return };
    let content = Arc::new(read(&source, &ReadOptions::default()).0);
    let mut group = criterion.benchmark_group("command");
    for (together, players) in [(false, 1), (false, 200), (false, 1_000), (true, 10), (true, 200), (true, 1_000)] {
        let (world, who, way) = crowd(&content, players, together);
        let place = if together { "here" } else { "elsewhere" };
        for line in ["look", "move", "say what a fine day", "inventory", "score", "who", "exits", "sdf"] {
            let mut world = world.clone();
            let name = line.split(' ').next().unwrap_or(line);
            let mut lines = vec![line.to_string()];
            if line == "move" {
                lines = vec![way.name().to_string(), way.opposite().name().to_string()];
            }
            let inputs: Vec<Input> = lines.into_iter().map(|line| Input::Command { who, line }).collect();
            let mut turn = inputs.iter().cycle();
            let label = format!("{players} {place}");
            group.bench_function(BenchmarkId::new(name, label), |bencher| {
                bencher.iter(|| world.apply(turn.next().expect("a cycle does not end")));
            });
        }
    }
    group.finish();
}

fn hashes(criterion: &mut Criterion) {
    let Some(source) = stock() else { return };
    let content = Arc::new(read(&source, &ReadOptions::default()).0);
    let (world, ..) = crowd(&content, 1_000, false);
    criterion.bench_function("snapshot", |bencher| bencher.iter(|| world.snapshot()));
    criterion.bench_function("hashes", |bencher| bencher.iter(|| world.hashes()));
    criterion.bench_function("check_all", |bencher| bencher.iter(|| world.check_all()));
}

criterion_group!(benches, commands, hashes);
criterion_main!(benches);
