//! `hud`: the prompt of this moment, and what its sections take.

use super::HudArgs;
use super::exec::enter;
use super::play::settings_of;
use crate::config::ConfigFile;
use std::process::ExitCode;

pub async fn hud(mut file: ConfigFile, args: HudArgs) -> anyhow::Result<ExitCode> {
    let config = &mut file.config;
    config.format = args.format.unwrap_or(config.format);
    config.tier = args.tier.unwrap_or(config.tier);
    config.persona = args.persona.or(config.persona.take());
    let settings = settings_of(config)?;
    let mut entered = enter(&file, settings, args.take_over).await?;
    // The memory and the mind follow the first variables at once.
    let wait = tokio::time::sleep(std::time::Duration::from_millis(400));
    tokio::pin!(wait);
    loop {
        tokio::select! {
            () = &mut wait => break,
            incoming = entered.connection.next() => match incoming {
                crate::client::Incoming::Text(text) => {
                    let now_ms = entered.clock.now_ms();
                    entered.agent.on_text(&text, now_ms);
                }
                crate::client::Incoming::Odd => {}
                crate::client::Incoming::Ended { .. } => break,
            }
        }
    }
    let prompt = entered.agent.prompt(entered.clock.now_ms());
    super::print(&prompt.text())?;
    let width = prompt.sections.iter().map(|(name, _)| name.len()).max().unwrap_or(0).max(7);
    for (name, tokens) in &prompt.sections {
        eprintln!("{name:<width$}  {tokens:>6}");
    }
    let percent = prompt.tokens * 100 / prompt.budget.max(1);
    eprintln!(
        "{:<width$}  {:>6}  of {} ({percent} %), {}",
        "in all",
        prompt.tokens,
        prompt.budget,
        prompt.density.name()
    );
    entered.connection.close().await;
    Ok(ExitCode::SUCCESS)
}
