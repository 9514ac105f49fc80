//! The subcommands that read world folders, and need neither a server nor its state: `check` and `import`.

use super::output::print;
use crate::content_files::{read_source, read_with};
use anyhow::{Context, bail};
use std::path::Path;
use std::process::ExitCode;

/// `check`: what is in a world, and everything that is wrong with it.
pub fn check(folder: &Path, json: bool, start_room: Option<i32>, nouns: bool) -> anyhow::Result<ExitCode> {
    let (content, problems) = read_with(folder, &content::ReadOptions { start_room, nouns })?;
    let counts = content.counts();
    if json {
        let mut report = serde_json::to_value(counts)?;
        report["start_room"] = content.start_room.into();
        report["problems"] = serde_json::to_value(&problems.0)?;
        print(serde_json::to_string_pretty(&report)?)?;
    } else {
        for problem in &problems.0 {
            print(problem)?;
        }
        print(format_args!(
            "{} zones, {} rooms, {} mobs, {} objects, {} shops, {} exits, {} zone commands; start room {}; {} problems",
            counts.zones,
            counts.rooms,
            counts.mobs,
            counts.objects,
            counts.shops,
            counts.exits,
            counts.zone_commands,
            content.start_room,
            problems.0.len()
        ))?;
    }
    Ok(if problems.has_errors() { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// `import`: a world of the Circle family, written in the native format.
pub fn import(from: &Path, to: &Path, start_room: Option<i32>) -> anyhow::Result<ExitCode> {
    let source = read_source(from)?;
    let options = content::ReadOptions { start_room, ..Default::default() };
    let (content, problems) = content::read(&source, &options);
    for problem in &problems.0 {
        eprintln!("{problem}");
    }
    if problems.has_errors() {
        bail!("{} was not imported, for the errors above", from.display());
    }
    if to.exists() && std::fs::read_dir(to).with_context(|| format!("reading {}", to.display()))?.next().is_some() {
        bail!("{} is not empty; nothing was written", to.display());
    }
    let files = content::write(&content);
    let count = files.len();
    for (path, text) in files {
        let path = to.join(path);
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
        }
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
    }
    print(format_args!("Wrote {count} files to {}.", to.display()))?;
    Ok(ExitCode::SUCCESS)
}
