//! The stock tbaMUD world, where it is at hand: its counts, and the way through the writer.

use super::*;
use std::path::Path;

/// The stock world, where it is at hand; else a line says that nothing was looked at.
fn stock_tbamud() -> Option<Source> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/worlds/tbamud");
    if !folder.is_dir() {
        println!("skipped: {} is not there", folder.display());
        return None;
    }
    let mut source = Source::default();
    for kind in ["wld", "mob", "obj", "zon", "shp"] {
        for entry in std::fs::read_dir(folder.join(kind)).expect("the folder can be listed") {
            let entry = entry.expect("the entry can be read");
            let path = format!("{kind}/{}", entry.file_name().to_string_lossy());
            if Source::wants(&path) {
                let bytes = std::fs::read(entry.path()).expect("the file can be read");
                source.files.insert(path, Source::latin1_or_utf8(&bytes));
            }
        }
    }
    Some(source)
}

#[test]
fn the_stock_tbamud_world_has_its_counts_and_no_errors() {
    let Some(source) = stock_tbamud() else { return };
    let (content, problems) = read(&source, &ReadOptions::default());
    let errors: Vec<_> = problems.0.iter().filter(|problem| problem.kind == Severity::Error).collect();
    assert_eq!(errors, Vec::<&Problem>::new());
    // Counted without this reader, from the lines of the files that the indexes list.
    let expected = Counts {
        zones: 189,
        rooms: 12_700,
        mobs: 3705,
        objects: 4765,
        shops: 330,
        exits: 29_327,
        zone_commands: 18_513,
        foreign_scripts: 1_749,
    };
    assert_eq!(content.counts(), expected);
    assert_eq!(content.start_room, 3001);
    let nowhere: Vec<_> = problems.0.iter().filter(|problem| !source.files.contains_key(&problem.file)).collect();
    assert_eq!(nowhere, Vec::<&Problem>::new(), "each problem names a file");
    assert_sound(&content, &problems);
}

#[test]
fn the_stock_tbamud_world_survives_writing_and_reading() {
    let Some(source) = stock_tbamud() else { return };
    let (content, _) = read(&source, &ReadOptions::default());
    let files = write(&content);
    let (again, problems) = read(&Source::of(files.clone()), &ReadOptions::default());
    assert!(!problems.has_errors(), "an imported world starts: {:#?}", said(&problems));
    assert!(problems.0.iter().all(|problem| !problem.what.contains("unknown")), "{:#?}", said(&problems));
    assert_same(&without_lines(content), &without_lines(again.clone()));
    assert!(write(&again) == files, "writing again gives the same files");
}
