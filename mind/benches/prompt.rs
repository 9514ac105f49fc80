//! What a prompt costs in time: built whole for a medium tier, its tokens counted, its parts written.
//!
//! `cargo bench -p mind`. How many tokens it has, and how much of them a provider caches, is in
//! `-p lab --bin prompt_cost`.

#[path = "../tests/sessions/mod.rs"]
mod sessions;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use mind::budget::Tier;
use mind::hud::{Format, View};
use mind::pressure::Density;
use mind::prompt::PromptBuilder;
use mind::{render, tokens};
use sessions::cost::settings;
use sessions::{Session, hero};
use std::hint::black_box;

/// After so many decisions a medium prompt is some 60 % full.
const DECISIONS: usize = 100;

fn played(tier: Tier, format: Format) -> (Session, PromptBuilder) {
    let mut session = Session::new(3);
    let mut builder = PromptBuilder::new(settings(tier, format));
    builder.set_self(hero());
    for _ in 0..DECISIONS {
        builder.append(session.step().block);
    }
    (session, builder)
}

fn building(c: &mut Criterion) {
    let mut group = c.benchmark_group("prompt");
    for format in Format::ALL {
        let (session, mut builder) = played(Tier::Medium, format);
        group.bench_function(format!("medium {}", format.name()), |b| {
            b.iter(|| black_box(builder.build(&session.live, &session.recent, &session.state)));
        });
    }
    let (mut session, builder) = played(Tier::Medium, Format::Markdown);
    let block = session.step().block;
    group.bench_function("append a block", |b| {
        b.iter_batched_ref(
            || builder.clone(),
            |builder| builder.append(block.clone()),
            criterion::BatchSize::SmallInput,
        );
    });
    group.bench_function("fold", |b| {
        b.iter_batched_ref(
            || builder.clone(),
            |builder| builder.compact(&session.state),
            criterion::BatchSize::SmallInput,
        );
    });
    group.finish();
}

fn counting(c: &mut Criterion) {
    let (session, mut builder) = played(Tier::Medium, Format::Markdown);
    let text = builder.build(&session.live, &session.recent, &session.state).text();
    let mut group = c.benchmark_group("tokens");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("count a prompt", |b| b.iter(|| black_box(tokens::count(&text))));
    group.finish();
}

fn writing(c: &mut Criterion) {
    let (session, _) = played(Tier::Medium, Format::Markdown);
    let view = View { self_: hero(), live: session.live, recent: session.recent, state: session.state };
    let mut group = c.benchmark_group("render");
    for format in Format::ALL {
        group.bench_function(format.name(), |b| b.iter(|| black_box(render::view(&view, format, Density::Full))));
    }
    group.finish();
}

criterion_group!(benches, building, counting, writing);
criterion_main!(benches);
