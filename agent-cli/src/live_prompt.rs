//! The newest prompt of a session that is under way, for whoever looks over its shoulder:
//! `{log_dir}/{agent}/prompt.txt`, replaced at each question to the model. `dp-agent prompt --live` follows it.
//!
//! Invariants: the file is there whole or not at all, and only its owner may read it. It is no record: a power cut may
//! take it.

use crate::private_files;
use crate::session_log::file_name;
use mind::prompt::Prompt;
use std::io;
use std::path::{Path, PathBuf};

/// Where the newest prompt of an agent is.
pub fn path(log_dir: &Path, agent: &str) -> PathBuf {
    log_dir.join(file_name(agent)).join("prompt.txt")
}

/// The text of a prompt, with what its sections take below it.
pub fn shown(prompt: &Prompt) -> String {
    let text = prompt.text();
    let gap = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{gap}{}", sections(prompt))
}

/// A line for each section: its name and its tokens; then all of them, and what was cut.
pub fn sections(prompt: &Prompt) -> String {
    let width = prompt.sections.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(7);
    let mut lines: Vec<String> =
        prompt.sections.iter().map(|(name, tokens)| format!("{name:<width$}  {tokens:>6}\n")).collect();
    let percent = prompt.tokens * 100 / prompt.budget.max(1);
    let (tokens, budget, density) = (prompt.tokens, prompt.budget, prompt.density.name());
    lines.push(format!("{:<width$}  {tokens:>6}  of {budget} ({percent} %); density {density}\n", "in all"));
    lines.extend(prompt.cuts.iter().map(|cut| format!("left out: {cut}\n")));
    lines.concat()
}

/// Writes the newest prompt.
pub fn write(log_dir: &Path, agent: &str, prompt: &Prompt) -> io::Result<()> {
    private_files::replace(&path(log_dir, agent), &shown(prompt))
}

#[cfg(test)]
mod tests {
    use super::*;
    use mind::MindState;
    use mind::hud::{LiveView, RecentAction};
    use mind::prompt::{PromptBuilder, Settings};

    #[test]
    fn the_newest_prompt_is_there_whole_with_its_tokens() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut builder = PromptBuilder::new(Settings::default());
        let prompt = builder.build(&LiveView::default(), &[] as &[RecentAction], &MindState::default());
        for _ in 0..2 {
            write(folder.path(), "Wren", &prompt).expect("written");
        }
        let written = std::fs::read_to_string(path(folder.path(), "wren")).expect("it is there");
        assert!(written.starts_with("# Rules") && written.contains("\nrules "), "{written}");
        assert!(written.contains(&format!("  of {} (", prompt.budget)), "{written}");
        let others = std::fs::read_dir(folder.path().join("wren")).expect("a folder").count();
        assert_eq!(others, 1, "nothing half done stays");
    }
}
