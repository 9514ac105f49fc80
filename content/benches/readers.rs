//! How long it takes to read the stock tbaMUD world from memory, to write it, and to read what was written.
//!
//! Where the stock world is missing, nothing is measured.

mod stock;

use self::stock::stock;
use content::{ReadOptions, Source, read, write};
use criterion::{Criterion, criterion_group, criterion_main};

fn content(criterion: &mut Criterion) {
    let Some(source) = stock() else { return };
    let (stock, _) = read(&source, &ReadOptions::default());
    let native = Source { files: write(&stock), ..Source::default() };
    let mut group = criterion.benchmark_group("content");
    group.sample_size(20);
    group.bench_function("read_tbamud", |b| b.iter_with_large_drop(|| read(&source, &ReadOptions::default())));
    group.bench_function("write_native", |b| b.iter_with_large_drop(|| write(&stock)));
    group.bench_function("read_native", |b| b.iter_with_large_drop(|| read(&native, &ReadOptions::default())));
    group.finish();
}

criterion_group!(benches, content);
criterion_main!(benches);
