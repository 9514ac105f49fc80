//! The world that is measured: the stock tbaMUD world, from `../shared/worlds/tbamud` beside the repository or beside a
//! folder above it. It is not part of the repository.

use content::Source;
use std::path::{Path, PathBuf};

/// Reads the stock world; where it is not at hand, a line says so.
pub fn stock() -> Option<Source> {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().skip(1);
    let folder = above.map(|above| above.join("shared/worlds/tbamud")).find(|folder| folder.is_dir());
    if folder.is_none() {
        println!("there is no stock world in ../shared/worlds/tbamud");
    }
    folder.map(|folder| read_folder(&folder))
}

/// Reads every file below a world folder that the readers want.
pub fn read_folder(folder: &Path) -> Source {
    let mut files = Vec::new();
    collect(folder, folder, &mut files);
    Source::of(files)
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) {
    let entries = std::fs::read_dir(folder).expect("the folder is readable");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, files);
            continue;
        }
        let name = path.strip_prefix(root).expect("below the root").to_string_lossy().replace('\\', "/");
        if Source::wants(&name) {
            files.push((name, Source::latin1_or_utf8(&std::fs::read(&path).expect("a readable file"))));
        }
    }
}
