//! `exec`: one command, and what comes of it.

use super::visit::enter;
use crate::agent::AgentSettings;
use crate::config::ConfigFile;
use protocol::names::clean_text;
use std::process::ExitCode;

pub async fn exec(file: ConfigFile, line: String, take_over: bool) -> anyhow::Result<ExitCode> {
    let settings = AgentSettings { use_model: false, ..AgentSettings::default() };
    let mut visit = enter(&file, settings, take_over).await?;
    visit.listen().await?;
    let heard = visit.ask(&line, &mut |line| super::print(&format!("{}\n", clean_text(line)))).await?;
    if let Some(error) = &heard.error {
        eprintln!("{}", clean_text(error));
    }
    if !heard.ended {
        visit.connection.close().await;
    }
    Ok(if heard.refused || !heard.any { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
