//! Reading a world folder from disk for the pure readers of `content`.

use anyhow::{Context, bail};
use content::{Content, Problems, ReadOptions, Source, Vnum};
use std::path::{Path, PathBuf};

/// Reads every file of the folder that the readers want.
pub fn read_source(folder: &Path) -> anyhow::Result<Source> {
    if !folder.is_dir() {
        bail!(
            "there is no world folder {}; name one with --world (the one that ships is data/world in the repository)",
            folder.display()
        );
    }
    let mut files = Vec::new();
    collect(folder, folder, &mut files)?;
    Ok(Source::of(files))
}

fn collect(root: &Path, folder: &Path, files: &mut Vec<(String, String)>) -> anyhow::Result<()> {
    let entries = std::fs::read_dir(folder).with_context(|| format!("reading the folder {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in entries {
        paths.push(entry.with_context(|| format!("reading the folder {}", folder.display()))?.path());
    }
    paths.sort();
    for path in paths {
        if path.is_dir() {
            collect(root, &path, files)?;
            continue;
        }
        let below = path.strip_prefix(root).unwrap_or(&path);
        let name = below.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/");
        if Source::wants(&name) {
            let bytes = std::fs::read(&path).with_context(|| format!("reading {}", path.display()))?;
            files.push((name, Source::latin1_or_utf8(&bytes)));
        }
    }
    Ok(())
}

/// Reads and checks a world, also for what only the rules know: a channel whose name is a verb's could not be used.
pub fn read_world(folder: &Path, start_room: Option<Vnum>) -> anyhow::Result<(Content, Problems)> {
    let source = read_source(folder)?;
    let (content, mut problems) = content::read(&source, &ReadOptions { start_room });
    for channel in content.channels.iter().filter(|channel| world::commands::channels::is_shadowed(channel)) {
        problems.error(
            "channels.toml",
            0,
            format!("the channel {:?} is called as a verb is, or begins one", channel.name),
        );
    }
    for (mob, what) in world::behaviours::problems(&content, &world::rules::Rules::built_in()) {
        problems.error("mobs.toml", 0, format!("mob {mob}: {what}"));
    }
    Ok((content, problems))
}
