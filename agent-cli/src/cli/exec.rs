//! `exec`: one command, and what comes of it; then the character leaves again, or is left as it was found.

use super::visit::enter;
use crate::agent::AgentSettings;
use crate::config::ConfigFile;
use anyhow::bail;
use protocol::names::clean_text;
use std::process::ExitCode;

pub async fn exec(file: ConfigFile, line: String, take_over: bool) -> anyhow::Result<ExitCode> {
    if line.trim().is_empty() {
        bail!("there is nothing to type: dp-agent exec look");
    }
    let settings = AgentSettings { use_model: false, ..AgentSettings::default() };
    let mut visit = enter(&file, settings, take_over).await?;
    visit.listen().await?;
    let heard = visit.ask(&line, &mut |line| super::print(&format!("{}\n", clean_text(line)))).await?;
    match &heard.error {
        Some(error) => eprintln!("{}", clean_text(error)),
        None if !heard.any => eprintln!("Nothing came of it."),
        None => {}
    }
    if !heard.ended {
        visit.leave().await;
    }
    Ok(if heard.refused || !heard.any { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
