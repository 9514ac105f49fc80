//! The world and the rule book that a server would play, for a start and for whoever asks whether there could be one.

use crate::args::RunArgs;
use crate::content_files::{Game, read_game};
use anyhow::bail;
use content::{Content, ReadOptions, Severity};
use protocol::words::counted;
use std::path::Path;
use world::rules::Rules;

/// Reads the world and the rule book that the arguments name. Fails where they cannot be played, with `--lenient` only
/// where the world is empty or the rule book has errors.
pub fn read_playable(args: &RunArgs) -> anyhow::Result<(Content, Rules)> {
    let options = ReadOptions { start_room: args.start_room, ..ReadOptions::default() };
    let Game { content, rules, problems } = read_game(&args.world, args.rules.as_deref(), &options)?;
    for problem in &problems.0 {
        match problem.kind {
            Severity::Error => tracing::error!("{problem}"),
            Severity::Warning => tracing::debug!("{problem}"),
        }
    }
    let Some(rules) = rules else {
        let folder = args.rules.as_deref().unwrap_or(Path::new("")).display();
        bail!("the rule book in {folder} has errors; `dp-server check --rules {folder}` lists them");
    };
    let errors = problems.0.iter().filter(|p| p.kind == Severity::Error).count();
    if errors > 0 && !args.lenient {
        let rules = args.rules.as_ref().map(|folder| format!(" --rules {}", folder.display())).unwrap_or_default();
        bail!(
            "the world in {} has {}; `dp-server check --world {}{rules}` lists them, --lenient starts anyway",
            args.world.display(),
            counted(errors as u64, "error"),
            args.world.display()
        );
    }
    if content.rooms.is_empty() {
        bail!("the world in {} has no rooms", args.world.display());
    }
    Ok((content, rules))
}
