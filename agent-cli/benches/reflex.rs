//! From the text of a frame to the bytes of the command: what a reflex takes. The bound is 50 µs at the 99th
//! percentile.
//!
//! Measured twice: the reflex alone (read, merge, decide, encode), and the whole agent with all that it learns on the
//! way.

use agent_cli::agent::{Agent, AgentSettings, Effect};
use agent_cli::reflexes::{Surroundings, reflex};
use agent_cli::state::GameState;
use criterion::{Criterion, criterion_group, criterion_main};
use protocol::frame::Command;
use protocol::{ClientFrame, ServerMessage};
use serde_json::{Value, json};
use std::hint::black_box;
use std::time::Instant;

const SAMPLES: usize = 50_000;
/// A tick of the world.
const TICK_MS: u64 = 2_000;

fn mobs() -> Value {
    let mobs = (0..6).map(|n| {
        json!({
            "name": format!("a small goblin with a number {n}"), "instance_id": format!("mob_8031_{}", 400 + n),
            "target_string": if n == 0 { "goblin".to_string() } else { format!("{}.goblin", n + 1) }, "vnum": 8031,
            "fighting": n < 2, "fighting_me": n < 2,
        })
    });
    Value::Array(mobs.collect())
}

/// A round of a fight that is being lost.
fn round(seq: u64) -> String {
    let who = |name: &str, kind: &str| json!({"id": name, "name": name, "kind": kind, "level": 3});
    let blow = json!({
        "type": "damage", "attacker": who("mob_8031_400", "mob"), "victim": who("player_me", "player"), "amount": 3,
        "attack": "slash",
    });
    let miss = json!({
        "type": "miss", "attacker": who("player_me", "player"), "victim": who("mob_8031_400", "mob"), "attack": "hit",
    });
    json!({"type": "vars", "seq": seq, "data": {
        "HEALTH": 5, "POSITION": "fighting", "ROOM_MOBS": mobs(), "FIGHTING": true, "EVENTS": [blow, miss],
    }})
    .to_string()
}

fn beginning() -> [String; 2] {
    let state = json!({"type": "state", "seq": 1, "data": {
        "player": {
            "name": "Me", "health": 24, "max_health": 24, "level": 3, "class": "Warrior", "race": "Human", "str": 1,
            "int": 1, "wis": 1, "dex": 1, "con": 1, "cha": 1,
        },
        "room": {
            "vnum": 1, "name": "Here", "description": "", "exits": [], "doors": [], "players": [], "mobs": [], "items": [],
        },
    }});
    let full = json!({"type": "vars", "seq": 2, "data": {
        "HEALTH": 24, "MAX_HEALTH": 24, "MANA": 1, "MAX_MANA": 1, "MOVE": 80, "MAX_MOVE": 80, "GOLD": 0,
        "POSITION": "standing", "LEVEL": 3, "EXP": 10, "ROOM_VNUM": 1, "ROOM_NAME": "Here",
        "ROOM_EXITS": ["north", "south"], "ROOM_MOBS": mobs(), "ROOM_ITEMS": [], "FIGHTING": true, "INVENTORY": [],
        "EQUIPMENT": {}, "EVENTS": [],
    }});
    [state.to_string(), full.to_string()]
}

fn alone(state: &mut GameState, text: &str) -> usize {
    let message = ServerMessage::parse(text).expect("a frame");
    state.merge(message, 0);
    let tame = |_: &_| false;
    let around = Surroundings { way_out: Some("north"), attacks_unprovoked: &tame, cornered: false };
    let reflex = reflex(state, &around).expect("it flees");
    let meta = Some(json!({"memory_ids": [], "source": "reflex"}));
    let command = Command { command: reflex.line.into_owned(), args: Vec::new(), id: None, meta };
    state.events.clear();
    ClientFrame::Command(command).encode().len()
}

fn whole(agent: &mut Agent, text: &str, now_ms: u64) -> usize {
    agent.on_text(text, now_ms);
    let effects = agent.next(now_ms);
    let sent = effects.iter().find_map(|effect| match effect {
        Effect::Send(frame) => Some(frame.encode().len()),
        _ => None,
    });
    sent.expect("it flees")
}

/// Prints the percentiles of `SAMPLES` single runs.
fn percentiles(name: &str, mut run: impl FnMut(u64) -> u128) {
    let mut nanos: Vec<u128> = (0..SAMPLES as u64).map(&mut run).collect();
    nanos.sort_unstable();
    let at = |share: f64| nanos[((SAMPLES as f64 * share) as usize).min(SAMPLES - 1)] as f64 / 1_000.0;
    let (p50, p99, max) = (at(0.5), at(0.99), at(1.0));
    println!("{name}: p50 {p50:.1} µs, p99 {p99:.1} µs, most {max:.1} µs");
    assert!(p99 < 50.0, "{name}: the 99th percentile is {p99:.1} µs, above 50");
}

fn bench(criterion: &mut Criterion) {
    let mut state = GameState::default();
    for text in beginning() {
        state.merge(ServerMessage::parse(&text).expect("a frame"), 0);
    }
    let settings = || AgentSettings { use_model: false, ..AgentSettings::default() };
    let mut agent = Agent::new(settings());
    for text in beginning() {
        agent.on_text(&text, 0);
    }
    // The subscription.
    agent.next(0);
    let mut seq = 2;
    percentiles("reflex alone", |n| {
        let text = round(3 + n);
        let start = Instant::now();
        black_box(alone(&mut state, &text));
        start.elapsed().as_nanos()
    });
    percentiles("the whole agent", |n| {
        seq += 1;
        let text = round(seq);
        let start = Instant::now();
        black_box(whole(&mut agent, &text, (n + 1) * TICK_MS));
        start.elapsed().as_nanos()
    });
    let mut n = SAMPLES as u64 + 3;
    criterion.bench_function("reflex alone", |b| {
        b.iter_batched(
            || {
                n += 1;
                round(n)
            },
            |text| alone(&mut state, &text),
            criterion::BatchSize::SmallInput,
        );
    });
}

criterion_group!(benches, bench);
criterion_main!(benches);
