//! `prompts`: a folder of texts of one's own, made and checked.

use crate::prompts_folder::{self, Folder};
use clap::Subcommand;
use mind::budget::Tier;
use mind::prompt::room::{Room, rooms};
use mind::prompt::rules::CACHED_FROM;
use mind::texts::{EXTENSION, FILES};
use mind::tokens;
use protocol::words::counted;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

#[derive(Subcommand, Clone, Debug)]
pub enum PromptsAct {
    /// Write the texts that are compiled in to a folder, to be changed there
    Export {
        /// It is made where it is not there; nothing is written over
        dir: PathBuf,
    },
    /// Print what each text of a folder takes, and what is wrong with it; 1 where something is
    Check { dir: PathBuf },
}

pub fn run(act: &PromptsAct) -> anyhow::Result<ExitCode> {
    match act {
        PromptsAct::Export { dir } => {
            prompts_folder::export(dir)?;
            let (count, dir) = (FILES.len(), dir.display());
            eprintln!("{count} texts are in {dir}. Agents take them with: dp-agent config --prompts-dir {dir}");
            Ok(ExitCode::SUCCESS)
        }
        PromptsAct::Check { dir } => {
            let (report, is_right) = check(dir)?;
            super::print(&report)?;
            Ok(if is_right { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}

/// The report, and whether agents can use the folder.
fn check(dir: &Path) -> anyhow::Result<(String, bool)> {
    let folder = Folder::read(dir)?;
    let mut text = String::new();
    let width = FILES.iter().map(|file| file.file_name().len()).max().unwrap_or(0);
    for file in FILES {
        let name = file.file_name();
        if let Some(found) = folder.files.get(&name) {
            let (tokens, part) = (tokens::count(found.trim_end_matches('\n')), file.place.name());
            writeln!(text, "{name:<width$}  {tokens:>6} tokens  {part}  {}", file.doc)?;
        }
    }
    for stranger in &folder.strangers {
        let stranger = protocol::names::clean_text(stranger);
        let near = mind::spelling::nearest(stranger.trim_end_matches(EXTENSION), FILES.iter().map(|file| file.name));
        let near = near.map(|near| format!("; did you mean {near}{EXTENSION}?")).unwrap_or_default();
        writeln!(text, "hint: {stranger} is none of the texts and is not read{near}")?;
    }
    match folder.texts {
        Ok(texts) => {
            let rooms = rooms(&texts);
            text.push('\n');
            rooms.iter().for_each(|room| text.push_str(&line(room)));
            for room in rooms.iter().filter(|room| room.is_uncached()) {
                let (least, part) = (room.least, name(room));
                writeln!(
                    text,
                    "hint: {part} has {least} tokens; below {CACHED_FROM} no provider caches this, and it is paid for \
                     in full at each call"
                )?;
            }
            text.push_str("The texts are right.\n");
            Ok((text, true))
        }
        Err(problems) => {
            text.push('\n');
            for problem in &problems {
                writeln!(text, "{problem}")?;
            }
            let count = counted(problems.len() as u64, "problem");
            writeln!(text, "{count}: agents do not take these texts.")?;
            Ok((text, false))
        }
    }
}

/// `P0 of the tier small, answers in JSON`.
fn name(room: &Room) -> String {
    let tiers = match room.tier {
        Tier::Large => "tiers large and unlimited".to_string(),
        tier => format!("tier {}", tier.name()),
    };
    match room.answer {
        Some(answer) => format!("{} of the {tiers}, answers in {}", room.part, answer.name()),
        None => format!("{} of the {tiers}, our own words in it", room.part),
    }
}

fn line(room: &Room) -> String {
    format!("{}: {} to {} tokens, at most {}\n", name(room), room.least, room.most, room.cap)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn a_check_tells_tokens_hints_and_problems() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("prompts");
        assert!(check(&path).is_err_and(|error| error.to_string().contains("there is no folder")));
        prompts_folder::export(&path).expect("written");
        let (report, is_right) = check(&path).expect("a report");
        assert!(is_right && report.ends_with("The texts are right.\n") && !report.contains("hint"), "{report}");
        let tokens = tokens::count(fs::read_to_string(path.join("bot.md")).expect("read").trim_end());
        let bot = report.lines().find(|line| line.starts_with("bot.md ")).expect("a line for each file");
        assert!(bot.contains(&format!(" {tokens} tokens  P1")), "{bot}");
        assert!(report.contains("P0 of the tiers large and unlimited, answers in TOON: "), "{report}");

        fs::write(path.join("rules_small.md"), "{answer}\n{vocabulary}\n").expect("written");
        fs::write(path.join("persna.md"), "x").expect("written");
        let (report, is_right) = check(&path).expect("a report");
        assert!(is_right && report.contains("no provider caches this"), "{report}");
        assert!(report.contains("hint: persna.md is none of the texts and is not read; did you mean persona.md?"));

        fs::write(path.join("rules.md"), "{answer}\n{vocabulary}\n{ances}\u{7}\n").expect("written");
        let (report, is_right) = check(&path).expect("a report");
        assert!(!is_right && report.contains("rules.md:3: there is no placeholder {ances} here, only {once}, "));
        assert!(report.contains("rules.md:3: the control character U+0007") && !report.contains('\u{7}'), "{report}");
        assert!(report.ends_with("2 problems: agents do not take these texts.\n"), "{report}");
    }
}
