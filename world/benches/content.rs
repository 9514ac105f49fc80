//! How long it takes to read the stock tbaMUD world from memory, to write it, and to read what was written.
//!
//! The world is not part of the repository: without `../shared/worlds/tbamud` nothing is measured and a line says so.

use criterion::{Criterion, criterion_group, criterion_main};
use std::path::Path;
use world::content::{ReadOptions, Source, read, write};

fn add(source: &mut Source, base: &Path, folder: &Path) {
    let entries = std::fs::read_dir(folder).expect("the folder is there");
    for path in entries.map(|entry| entry.expect("the entry can be read").path()) {
        let name = path.strip_prefix(base).expect("it is below the base").to_string_lossy().into_owned();
        if path.is_dir() {
            add(source, base, &path);
        } else if Source::wants(&name) {
            let bytes = std::fs::read(&path).expect("the file can be read");
            source.files.insert(name, Source::latin1_or_utf8(&bytes));
        }
    }
}

fn content(criterion: &mut Criterion) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/worlds/tbamud");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return;
    }
    let mut source = Source::default();
    add(&mut source, &folder, &folder);
    let (stock, _) = read(&source, &ReadOptions::default());
    let native = Source { files: write(&stock) };
    let mut group = criterion.benchmark_group("content");
    group.sample_size(20);
    group.bench_function("read_tbamud", |b| b.iter_with_large_drop(|| read(&source, &ReadOptions::default())));
    group.bench_function("write_native", |b| b.iter_with_large_drop(|| write(&stock)));
    group.bench_function("read_native", |b| b.iter_with_large_drop(|| read(&native, &ReadOptions::default())));
    group.finish();
}

criterion_group!(benches, content);
criterion_main!(benches);
