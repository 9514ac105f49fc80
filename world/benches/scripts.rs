//! What scripts cost: a greeting of 30 lines with three calls of the game, an empty one, an endless loop from its call
//! to its stop, and timers.
//!
//! Aims: a greeting under 8 µs, the loop stopped within 10 ms, + 3 % for a command that no script is near.

use content::{Content, ReadOptions, Source};
use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use std::hint::black_box;
use std::sync::Arc;
use world::rng::Dice;
use world::rules::Rules;
use world::rules::creation::{self, Choices};
use world::{CharacterId, Input, World};

/// 30 lines that a builder could write.
const GREETING: &str = "
local names = {}

local function known(who)
    local seen = 0
    for i = 1, 6 do
        if names[i] == who then
            seen = seen + 1
        end
    end
    return seen
end

local function pick(words, at)
    local n = #words
    return words[(at % n) + 1]
end

function greet(ev)
    local hellos = {'Well met', 'Good day', 'So it is you'}
    local level = ev.actor.level
    local worth = 0
    for i = 1, 4 do
        worth = worth + level * i
    end
    if known('nobody') == 0 and worth > 0 then
        local hello = pick(hellos, worth)
        saved.times = (saved.times or 0) + 1
        local hour = world.hour()
        ev.actor:refresh(0, if hour > 23 then #hello else 0)
    end
end
";

fn world_with(script: &str) -> (World, CharacterId) {
    let named = if script.is_empty() { "" } else { "scripts = [\"it\"]\n" };
    let mut files = vec![
        ("world.toml", "name = \"Bench\"\nstart_room = 100\n".to_string()),
        ("zones/1_b/zone.toml", "number = 1\nname = \"B\"\nfirst = 100\nlast = 199\n".to_string()),
        (
            "zones/1_b/rooms.toml",
            "[[room]]\nvnum = 100\nname = \"Here\"\ndescription = \"Here.\"\n[room.exits.north]\nto = 101\n\
             [[room]]\nvnum = 101\nname = \"There\"\ndescription = \"There.\"\n[room.exits.south]\nto = 100\n"
                .to_string(),
        ),
        (
            "zones/1_b/mobs.toml",
            format!(
                "[[mob]]\nvnum = 110\nkeywords = \"guard\"\nshort = \"a guard\"\nlong = \"A guard.\"\n\
                 flags = [\"sentinel\"]\nlevel = 5\nhit_points = \"1d1+50\"\ndamage = \"1d2+0\"\n{named}"
            ),
        ),
        ("zones/1_b/resets.toml", "[[mob]]\nmob = 110\nroom = 100\n".to_string()),
    ];
    if !script.is_empty() {
        files.push(("zones/1_b/scripts/it.luau", script.to_string()));
    }
    let (content, problems) = content::read(&Source::of(files), &ReadOptions::default());
    assert!(!problems.has_errors(), "{:?}", problems.0);
    entered(content)
}

/// The world with Ann in it.
fn entered(content: Content) -> (World, CharacterId) {
    let mut world = World::new(Arc::new(content), Arc::new(Rules::built_in()), 1);
    let mut record = creation::newborn(&world.rules, &Choices::plain("Ann"), &mut Dice::new(1, 1, 1, 1));
    record.room = Some(101);
    let ann = world.apply(&Input::Enter { record: Box::new(record), agent: false }).entered.expect("she entered");
    (world, ann)
}

/// Walks to the guard and back, and a tick passes: each has its share for scripts.
fn walk(world: &mut World, ann: CharacterId) {
    for line in ["south", "north"] {
        world.who_mut(ann).moves = 100;
        black_box(world.apply(&Input::Command { who: ann, line: line.to_string() }));
    }
    black_box(world.apply(&Input::Tick));
}

fn scripts(c: &mut Criterion) {
    let (mut plain, ann) = world_with("");
    c.bench_function("there and back, nobody greets", |b| b.iter(|| walk(&mut plain, ann)));
    let (mut greeted, ann) = world_with(GREETING);
    c.bench_function("there and back, greeted by a script of 30 lines", |b| b.iter(|| walk(&mut greeted, ann)));
    let fault = greeted.state.scripts.faults().next();
    assert!(fault.is_none(), "{fault:?}");
    let (mut many, ann) = world_with("function greet(ev) end\nfunction timer(ev) ev.actor = nil end");
    c.bench_function("there and back, greeted by an empty script", |b| b.iter(|| walk(&mut many, ann)));
    let (endless, ann) = world_with("function greet(ev) while true do end end");
    c.bench_function("there and back, an endless loop is stopped", |b| {
        b.iter_batched(|| endless.clone(), |mut world| walk(&mut world, ann), BatchSize::LargeInput);
    });
    let timers =
        "function greet(ev) for i = 1, 60 do world.after(1, 't') end end\nfunction timer(ev) local n = ev.name end";
    let (mut ticking, ann) = world_with(timers);
    walk(&mut ticking, ann);
    c.bench_function("a tick in which 60 timers end", |b| {
        b.iter_batched(|| ticking.clone(), |mut world| world.apply(&Input::Tick), BatchSize::LargeInput);
    });
}

criterion_group!(benches, scripts);
criterion_main!(benches);
