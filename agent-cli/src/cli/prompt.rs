//! `prompt`: what the model would get now, and what its sections take; `--live`: what a session under way asks it.

use super::PromptArgs;
use super::interrupt::Interrupts;
use super::play::settings_of;
use super::visit::enter;
use crate::config::ConfigFile;
use crate::live_prompt;
use crate::prompt_record::{self, Recorded};
use crate::prompts_folder;
use crate::record::Row;
use anyhow::{Context, bail};
use std::io::BufRead;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How often a session's prompt is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(250);
/// A prompt that is older belongs to a session that waits long, or is over.
const FRESH: Duration = Duration::from_secs(60);

pub async fn prompt(mut file: ConfigFile, args: PromptArgs) -> anyhow::Result<ExitCode> {
    match (&args.session, args.at) {
        (Some(log), Some(decision)) => return recorded(log, decision, args.why),
        (Some(log), None) if args.words => return words(log),
        (Some(_), None) => bail!("which of its prompts? Say --at DECISION; or --words for what a model said of folds"),
        (None, _) => {}
    }
    let config = &mut file.config;
    config.player_name = args.name.or(config.player_name.take());
    if args.live {
        let Some(name) = &config.player_name else { bail!("whose prompt? Say --name, or set player_name") };
        let log_dir = args.log_dir.as_ref().unwrap_or(&config.log_dir);
        return follow(&live_prompt::path(log_dir, name), name).await;
    }
    config.format = args.format.unwrap_or(config.format);
    config.layout = args.layout.unwrap_or(config.layout);
    config.tier = args.tier.unwrap_or(config.tier);
    config.persona = args.persona.or(config.persona.take());
    config.prompts_dir = args.prompts_dir.or(config.prompts_dir.take());
    let texts = prompts_folder::texts(config.prompts_dir.as_deref())?;
    let settings = settings_of(config, &Arc::new(texts))?;
    let mut entered = enter(&file, settings, args.take_over).await?;
    entered.await_mind().await;
    entered.read_all().await?;
    let prompt = entered.agent.prompt(entered.clock.now_ms());
    super::print(&if args.why { prompt.why() } else { prompt.text() })?;
    super::remark(&live_prompt::sections(&prompt));
    entered.leave().await;
    Ok(ExitCode::SUCCESS)
}

/// Prints the prompt that a decision of a session was made of: the texts of both messages, nothing around them; with
/// `why`, before each line what it comes from.
fn recorded(log: &Path, decision: u64, why: bool) -> anyhow::Result<ExitCode> {
    let file = std::fs::File::open(log).with_context(|| format!("opening {}", log.display()))?;
    let mut wanted = None;
    for line in std::io::BufReader::new(file).lines() {
        let line = line.with_context(|| format!("reading {}", log.display()))?;
        // Other rows, and a line that was cut off, are none of ours.
        let Ok(Row::Decision(row)) = serde_json::from_str::<Row>(&line) else { continue };
        if row.id == decision {
            wanted = Some(row);
            break;
        }
    }
    let Some(row) = wanted else { bail!("there is no decision {decision} in {}", log.display()) };
    let Some(reference) = row.prompt else {
        eprintln!("Decision {decision} was made by {} ({}), without a prompt.", row.by, row.source.name());
        return Ok(ExitCode::from(1));
    };
    let mut found: Option<Recorded> = None;
    prompt_record::read(log, |recorded| {
        let is_wanted = recorded.id == reference.id;
        if is_wanted {
            found = Some(recorded);
        }
        !is_wanted
    })?;
    let Some(found) = found else {
        eprintln!("The record of prompts does not hold that of decision {decision}; it may have been cut off.");
        return Ok(ExitCode::from(1));
    };
    let (system, user) = (&found.text.system, &found.text.user);
    if why {
        if found.why.is_empty() {
            bail!("the record of this session does not say what its lines come from: another build wrote it");
        }
        let lines = system.lines().chain(user.lines());
        super::print(&mind::render::why(lines.zip(found.why.lines().map(str::to_string))))?;
    } else {
        super::print(system)?;
        super::print(user)?;
    }
    if found.text.sha256() != reference.sha256 {
        super::remark("This is not what was sent: the log has another hash for it.\n");
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints what a model said for the stories of a session's folds.
fn words(log: &Path) -> anyhow::Result<ExitCode> {
    let all = prompt_record::words(log)?;
    for words in &all {
        let mut told = format!("#{} to #{}, in the words of {}:\n", words.from, words.upto, words.model);
        for line in &words.lines {
            told.push_str(&format!("- {}\n  {}\n", line.of, line.words));
        }
        for refused in &words.refused {
            told.push_str(&format!("- {}\n  refused, {}: {:?}\n", refused.of, refused.why, refused.words));
        }
        if let Some(error) = &words.error {
            told.push_str(&format!("nothing: {error}\n"));
        }
        super::print(&told)?;
    }
    if all.is_empty() {
        eprintln!("No model was asked for words for a fold in this session.");
        return Ok(ExitCode::from(1));
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints the newest prompt of a session, and each that follows, until it is interrupted. The session goes on unharmed.
async fn follow(path: &Path, name: &str) -> anyhow::Result<ExitCode> {
    let mut shown: Option<SystemTime> = None;
    let mut interrupts = Interrupts::listen();
    loop {
        match std::fs::metadata(path).and_then(|file| file.modified()) {
            Ok(written) if shown != Some(written) => {
                let text = std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?;
                if shown.is_some() {
                    super::print("\n==== the next question ====\n\n")?;
                }
                super::print(&text)?;
                let age = SystemTime::now().duration_since(written).unwrap_or_default();
                if age > FRESH {
                    let minutes = age.as_secs() / 60;
                    super::remark(&format!("This was asked {minutes} minutes ago; the session may be over.\n"));
                }
                shown = Some(written);
            }
            Ok(_) => {}
            Err(_) if shown.is_none() => bail!(
                "{name} has asked no model so far: there is no {}. A session with a model writes it; name its folder \
                 of logs with --log-dir where it is another.",
                path.display()
            ),
            // It is being replaced, or was taken away.
            Err(_) => {}
        }
        tokio::select! {
            () = interrupts.next() => return Ok(ExitCode::SUCCESS),
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
}
