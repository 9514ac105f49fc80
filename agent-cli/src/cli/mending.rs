//! `mind`: what is on a character's mind as a text for an editor, and the mended text as the character's own verbs.

use super::visit::{Heard, Visit, enter};
use crate::agent::AgentSettings;
use crate::config::ConfigFile;
use anyhow::{Context, bail, ensure};
use mind::Event;
use mind::mending::{self, Line};
use protocol::batch::{LINES_MAX, written};
use protocol::names::clean_text;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// No mind is larger.
const BYTES_MAX: u64 = 1 << 20;

#[derive(clap::Args, Clone, Debug)]
pub struct MindArgs {
    /// Write task, goals, notes, decisions, facts, patterns and core memory to a file, to be mended in an editor; `-`
    /// prints them
    #[arg(long, value_name = "FILE", required_unless_present = "apply")]
    pub export: Option<PathBuf>,
    /// Make of the mended file what has to be typed, and type it as the character
    #[arg(long, value_name = "FILE", conflicts_with = "export")]
    pub apply: Option<PathBuf>,
    /// Print what would be typed, and type nothing
    #[arg(long, requires = "apply")]
    pub dry_run: bool,
    /// Whose [default: the character of the settings]
    #[arg(long)]
    pub name: Option<String>,
    /// Take the character from whoever plays it just now
    #[arg(long)]
    pub take_over: bool,
}

pub async fn mind(mut file: ConfigFile, args: MindArgs) -> anyhow::Result<ExitCode> {
    file.config.player_name = args.name.clone().or(file.config.player_name.take());
    // What cannot be read is told before anybody logs in.
    let mended = match &args.apply {
        None => None,
        Some(path) => match mending::read(&text_of(path)?) {
            Ok(mended) => Some(mended),
            Err(wrong) => return Ok(refused(path, &wrong)),
        },
    };
    let settings = AgentSettings { use_model: false, ..AgentSettings::default() };
    let mut visit = enter(&file, settings, args.take_over).await?;
    visit.await_mind().await;
    visit.listen().await?;
    let done = match (&args.export, &args.apply, mended) {
        (Some(path), ..) => export(&visit, path),
        (_, Some(path), Some(mended)) => apply(&mut visit, path, &mended, args.dry_run).await,
        _ => bail!("say --export FILE or --apply FILE"),
    };
    visit.leave().await;
    done
}

fn text_of(path: &Path) -> anyhow::Result<String> {
    let reading = || format!("reading {}", path.display());
    let size = std::fs::metadata(path).with_context(reading)?.len();
    ensure!(size <= BYTES_MAX, "{} is larger than 1 MB: that is no mind", path.display());
    std::fs::read_to_string(path).with_context(reading)
}

fn refused(path: &Path, wrong: &[String]) -> ExitCode {
    eprintln!("{} cannot be applied, and nothing was done:", path.display());
    wrong.iter().for_each(|wrong| eprintln!("- {}", clean_text(wrong)));
    ExitCode::FAILURE
}

fn export(visit: &Visit, path: &Path) -> anyhow::Result<ExitCode> {
    let state = &visit.agent.body.state;
    ensure!(state.has_mind, "the server keeps no mind for {}", state.name());
    let text = mending::export(state.name(), &state.mind);
    if path.as_os_str() == "-" {
        super::print(&text)?;
        return Ok(ExitCode::SUCCESS);
    }
    std::fs::write(path, text).with_context(|| format!("writing {}", path.display()))?;
    let shown = path.display();
    eprintln!("Written to {shown}. Mend it, then: dp-agent mind --apply {shown} --dry-run");
    Ok(ExitCode::SUCCESS)
}

async fn apply(visit: &mut Visit, path: &Path, mended: &mending::Mended, dry_run: bool) -> anyhow::Result<ExitCode> {
    let name = visit.agent.body.state.name().to_string();
    ensure!(
        mended.name.eq_ignore_ascii_case(&name),
        "{} is the mind of {}, and the settings are for {name}: say --name, with the key of that character",
        path.display(),
        clean_text(&mended.name)
    );
    // What changed is what differs from the state that it was written of, not from what came since.
    let base = match visit.agent.body.state.mind.seq == mended.seq {
        true => visit.agent.body.state.mind.clone(),
        false => {
            let (heard, told) = ask(visit, &format!("hud at #{}", mended.seq)).await?;
            match heard.at {
                Some(state) => *state,
                None => bail!("the server does not say what was on its mind then: {told}"),
            }
        }
    };
    let lines = match mending::changes(&base, mended) {
        Ok(lines) => lines,
        Err(wrong) => return Ok(refused(path, &wrong)),
    };
    if dry_run || lines.is_empty() {
        lines.iter().try_for_each(|line| super::print(&format!("{}\n", clean_text(&line.to_string()))))?;
        if lines.is_empty() {
            eprintln!("Nothing was changed.");
        }
        return Ok(ExitCode::SUCCESS);
    }
    type_in(visit, &lines).await
}

/// Types the lines, as many at a time as a batch holds: of each, all or none.
async fn type_in(visit: &mut Visit, lines: &[Line]) -> anyhow::Result<ExitCode> {
    let mut made: Vec<u64> = Vec::new();
    let mut next = 0;
    while next < lines.len() {
        // A line about a goal that is new waits for its number.
        let ready: Vec<(String, bool)> = lines[next..]
            .iter()
            .take(LINES_MAX)
            .map_while(|line| Some((line.typed(&made)?, line.makes.is_some())))
            .collect();
        ensure!(!ready.is_empty(), "the server did not say which number a new goal has; {next} lines were typed");
        let newest = visit.agent.body.state.mind.seq;
        let typed: Vec<String> = ready.iter().map(|(line, _)| line.clone()).collect();
        let line = match &typed[..] {
            [line] => line.clone(),
            lines => format!("batch {}", written(lines)),
        };
        let (heard, told) = ask(visit, &line).await?;
        super::print(&format!("{told}\n"))?;
        if heard.refused || told.is_empty() {
            eprintln!("{next} of {} lines were done before that, and none after it.", lines.len());
            return Ok(ExitCode::FAILURE);
        }
        let entries = visit.agent.body.state.entries.iter().filter(|entry| entry.seq > newest);
        made.extend(entries.filter(|entry| matches!(entry.event, Event::GoalAdd { .. })).map(|entry| entry.seq));
        next += ready.len();
    }
    Ok(ExitCode::SUCCESS)
}

/// Types a line; what came of it, and its words.
async fn ask(visit: &mut Visit, typed: &str) -> anyhow::Result<(Heard, String)> {
    let mut lines: Vec<String> = Vec::new();
    let mut hear = |line: &str| {
        lines.push(clean_text(line).into_owned());
        Ok(())
    };
    let heard = visit.ask(typed, &mut hear).await?;
    ensure!(!heard.ended, "the connection ended");
    lines.extend(heard.error.as_deref().map(|error| clean_text(error).into_owned()));
    Ok((heard, lines.join("\n")))
}
