//! What a tick costs in the stock world: nobody there, mobs only, a new hour, 500 fights, fights with magic in them,
//! and an hour of 5,000 players under ten spells each.
//!
//! Where the stock world is missing, nothing is measured. Aims: one tick with every mob awake and 500 fights under
//! 5 ms, 500 and 2,000 with magic under 4 and 16 ms, the hour under 10 ms; all ticks together under 1 % of a core,
//! which is 20 ms of the two seconds that each has.

#[path = "../../content/benches/stock/mod.rs"]
mod stock;

use self::stock::stock;
use content::arts::SpellRow;
use content::flags::MobFlags;
use content::words::Apply;
use content::{Content, ReadOptions, read};
use criterion::{Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use world::affect::{Affect, Source};
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::skill::SpellId;
use world::{Admin, CharacterId, Input, World};

const FIGHTS: usize = 500;
const CROWD: usize = 5_000;
/// What is cast at whom one fights.
const STRIKING: &str = "flame arrow";
/// Enough to outlast any number of measured rounds.
const ENDLESS_HIT_POINTS: i32 = 1_000_000_000;

fn open(content: &Arc<Content>) -> World {
    World::new(content.clone(), Arc::new(Rules::built_in()), 1)
}

/// Steps on from a tick of the wanted kind, again and again.
fn step_from(world: &mut World, tick: u64) {
    world.state.clock.tick = tick;
    black_box(world.apply(&Input::Tick));
}

fn player(world: &mut World, n: usize, room: i32) -> CharacterId {
    let choices = Choices::plain(&format!("Zq{n:05}"));
    let mut record = creation::newborn(&world.rules, &choices, &mut Dice::new(1, 1, 1, n as u64));
    record.room = Some(room);
    let who = world.apply(&Input::Enter { record: Box::new(record), agent: false }).entered.expect("it entered");
    world.apply(&Input::Admin(Admin::Promote { who, level: 25 }));
    who
}

/// So many spells are at work on somebody, for longer than anything is measured.
fn enchant(world: &mut World, who: CharacterId, count: usize) {
    let lasting = |spell: &SpellRow| Affect {
        kind: spell.name.clone(),
        hours: 30_000,
        apply: Apply::ArmorClass,
        by: -1,
        source: Source::Spell(SpellId::from(&*spell.name)),
        ..Affect::default()
    };
    let affects: Vec<Affect> = world.rules.spells.iter().take(count).map(lasting).collect();
    world.who_mut(who).affects.extend(affects);
    world.recompute(who);
}

fn strengthen(world: &mut World, who: CharacterId) {
    let c = world.who_mut(who);
    c.base.hit_max = ENDLESS_HIT_POINTS;
    c.now.hit_max = ENDLESS_HIT_POINTS;
    c.hit = ENDLESS_HIT_POINTS;
}

/// Each of so many players fights a mob of its own.
fn with_fights(content: &Arc<Content>, fights: usize) -> (World, Vec<CharacterId>) {
    let mut world = open(content);
    let mobs: Vec<CharacterId> = world.state.characters.ids().collect();
    // All look about as ever, but nobody else joins: 500 fights and no more.
    let peace = MobFlags::AGGRESSIVE.with(MobFlags::HELPER).with(MobFlags::AGGR_24).with(MobFlags::MEMORY);
    let grudges = MobFlags::AGGR_EVIL.with(MobFlags::AGGR_GOOD).with(MobFlags::AGGR_NEUTRAL);
    for mob in &mobs {
        world.who_mut(*mob).mob_mut().expect("nobody else is there").flags.remove(peace.with(grudges));
    }
    // Spread over the world.
    let step = (mobs.len() / fights).max(1);
    let mut players = Vec::new();
    for (n, mob) in mobs.iter().step_by(step).take(fights).enumerate() {
        let room = world.room_proto(world.who(*mob).room).vnum;
        let who = player(&mut world, n, room);
        for fighter in [*mob, who] {
            strengthen(&mut world, fighter);
        }
        world.set_fighting(who, *mob);
        world.set_fighting(*mob, who);
        players.push(who);
    }
    (world, players)
}

/// The same under three spells each, and all know one to strike with.
fn with_magic(content: &Arc<Content>, fights: usize) -> (World, Vec<CharacterId>) {
    let (mut world, players) = with_fights(content, fights);
    let arrow = SpellId::from(STRIKING);
    for who in &players {
        enchant(&mut world, *who, 3);
        world.player_mut(*who).spells.insert(arrow.clone(), 100);
    }
    (world, players)
}

/// A tick of any kind, in which a third of them casts.
fn cast_and_tick(world: &mut World, players: &[CharacterId]) {
    let tick = world.state.clock.tick as usize;
    for who in players.iter().skip(tick % 3).step_by(3) {
        world.who_mut(*who).mana = 1_000;
        black_box(world.apply(&Input::Command { who: *who, line: format!("cast '{STRIKING}'") }));
    }
    black_box(world.apply(&Input::Tick));
}

fn ticks(bench: &mut Criterion) {
    let Some(source) = stock() else { return };
    let content = Arc::new(read(&source, &ReadOptions::default()).0);
    let mut group = bench.benchmark_group("tick");
    group.sample_size(20);
    group.bench_function("boot: reset every zone", |b| b.iter(|| black_box(open(&content))));
    let mut world = open(&content);
    eprintln!(
        "{} rooms, {} zones, {} mobs, {} things",
        content.rooms.len(),
        content.zones.len(),
        world.state.characters.len(),
        world.state.objects.len()
    );
    for _ in 0..64 {
        world.apply(&Input::Tick);
    }
    group.bench_function("idle, all kinds in turn", |b| b.iter(|| black_box(world.apply(&Input::Tick))));
    let mut world = open(&content);
    group.bench_function("idle, nothing due", |b| b.iter(|| step_from(&mut world, 960 * 10 + 6)));
    group.bench_function("idle, mobs act", |b| b.iter(|| step_from(&mut world, 960 * 10 + 7)));
    group.bench_function("idle, a new hour", |b| b.iter(|| step_from(&mut world, 960 * 10 + 32 * 2 - 1)));
    let (mut world, _) = with_fights(&content, FIGHTS);
    group.bench_function("500 fights, nothing else due", |b| b.iter(|| step_from(&mut world, 6)));
    group.bench_function("500 fights, mobs act", |b| b.iter(|| step_from(&mut world, 7)));
    eprintln!("{} fight still", world.state.fighters.len());
    for fights in [FIGHTS, 4 * FIGHTS] {
        let (mut world, players) = with_magic(&content, fights);
        group.bench_function(format!("{fights} fights, 3 spells on each, a third casts"), |b| {
            b.iter(|| cast_and_tick(&mut world, &players));
        });
        eprintln!("{} fight still", world.state.fighters.len());
    }
    let mut world = open(&content);
    for n in 0..CROWD {
        let room = content.rooms[n * content.rooms.len() / CROWD].vnum;
        let who = player(&mut world, n, room);
        enchant(&mut world, who, 10);
    }
    group.bench_function("a new hour, 5,000 players under 10 spells each", |b| {
        b.iter(|| step_from(&mut world, 960 * 10 + 32 * 2 - 1));
    });
    group.finish();
}

criterion_group!(benches, ticks);
criterion_main!(benches);
