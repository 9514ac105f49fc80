//! `minds`: the minds of one body as they think, in three panels with their memo below.
//!
//! Asks the server's API, with the key of the settings or the admin token: the character itself, its owner and
//! operators may look.

use super::api;
use crate::cleartext::{ADMIN_TOKEN, GAME_KEY};
use crate::config::{Config, ConfigFile};
use crate::minds_view::{Told, View, page, panels};
use crate::private_files;
use anyhow::{Context, bail};
use protocol::names::clean_text;
use serde::Deserialize;
use serde_json::json;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

/// Pause between two looks: a tick.
const PAUSE: Duration = Duration::from_secs(2);
/// Inputs that are asked for again: the logs are read one after the other, and one may have got an entry meanwhile.
const OVERLAP: u64 = 50;
/// Looks that may fail on end before it gives up.
const FAILURES_MAX: u32 = 5;

#[derive(clap::Args, Clone, Debug)]
pub struct MindsArgs {
    /// Whose [default: the character of the settings]
    #[arg(long)]
    pub name: Option<String>,
    /// Look once, print what there is, and end
    #[arg(long)]
    pub once: bool,
    /// Write them to this file too, as a page for a browser, anew with each look
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Columns of the panels
    #[arg(long, value_name = "NUMBER", default_value_t = 120, value_parser = clap::value_parser!(u16).range(60..=400))]
    pub width: u16,
    /// Lines of a panel
    #[arg(long, value_name = "NUMBER", default_value_t = 16, value_parser = clap::value_parser!(u16).range(1..=200))]
    pub lines: u16,
    /// The admin token of the server, in place of the key of the settings
    #[arg(long, env = "DP_ADMIN_TOKEN", hide_env_values = true)]
    pub token: Option<String>,
}

#[derive(Deserialize)]
struct LoggedIn {
    token: String,
}

#[derive(Deserialize)]
struct Refusal {
    error: Problem,
}

#[derive(Deserialize)]
struct Problem {
    message: String,
}

/// Whoever looks.
struct Onlooker<'c> {
    config: &'c Config,
    client: reqwest::Client,
    token: String,
}

pub async fn minds(file: ConfigFile, args: MindsArgs) -> anyhow::Result<ExitCode> {
    let config = &file.config;
    let Some(name) = args.name.as_ref().or(config.player_name.as_ref()) else {
        bail!("whose minds? --name NAME, or set player_name: dp-agent config --player-name NAME");
    };
    let onlooker = Onlooker::new(config, args.token.as_deref()).await?;
    let mut view = View::default();
    let mut failures = 0;
    loop {
        match onlooker.look(name, view.upto.saturating_sub(OVERLAP)).await {
            Ok(told) => {
                failures = 0;
                view.take(told);
                show(&view, &args)?;
            }
            Err(error) if args.once || view.upto == 0 => return Err(error),
            Err(error) => {
                failures += 1;
                if failures > FAILURES_MAX {
                    return Err(error);
                }
                eprintln!("{error:#}; trying again");
            }
        }
        if args.once {
            return Ok(ExitCode::SUCCESS);
        }
        tokio::select! {
            () = tokio::time::sleep(PAUSE) => {}
            interrupted = tokio::signal::ctrl_c() => {
                interrupted.context("waiting for Ctrl-C")?;
                return Ok(ExitCode::SUCCESS);
            }
        }
    }
}

fn show(view: &View, args: &MindsArgs) -> anyhow::Result<()> {
    if let Some(path) = &args.html {
        let refresh_s = (!args.once).then_some(PAUSE.as_secs());
        // Whoever reads it meanwhile finds the whole page; and what one thinks is nobody else's.
        private_files::replace(path, &page(view, refresh_s)).with_context(|| format!("writing {}", path.display()))?;
    }
    let clear = if !args.once && std::io::stdout().is_terminal() { "\u{1b}[H\u{1b}[2J" } else { "" };
    super::print(&format!("{clear}{}", panels(view, args.width.into(), args.lines.into())))
}

impl<'c> Onlooker<'c> {
    async fn new(config: &'c Config, admin: Option<&str>) -> anyhow::Result<Onlooker<'c>> {
        let base = api::url(config, "/api/v1/login");
        if let Some(token) = admin {
            let client = api::client(config, &base, ADMIN_TOKEN)?;
            return Ok(Onlooker { config, client, token: token.trim().to_string() });
        }
        let client = api::client(config, &base, GAME_KEY)?;
        let who = config.player_name.as_ref().context("who looks? dp-agent keygen --name NAME gets a key")?;
        let proof = config.key.as_ref().or(config.password.as_ref());
        let proof = proof.with_context(|| format!("there is no key for {}: dp-agent keygen", clean_text(who)))?;
        let sent = client.post(&base).json(&json!({"name": who, "password": proof})).send().await;
        let reply = sent.map_err(|error| api::failure(config, error)).context("logging in")?;
        let LoggedIn { token } = read(reply).await.context("logging in")?;
        Ok(Onlooker { config, client, token })
    }

    async fn look(&self, name: &str, after: u64) -> anyhow::Result<Told> {
        let path = format!("/api/v1/minds/{}/council?after={after}", api::escape(name));
        let sent = self.client.get(api::url(self.config, &path)).bearer_auth(&self.token).send().await;
        let looking = || format!("looking at the minds of {}", clean_text(name));
        let reply = sent.map_err(|error| api::failure(self.config, error)).with_context(looking)?;
        read(reply).await.with_context(looking)
    }
}

async fn read<T: serde::de::DeserializeOwned>(reply: reqwest::Response) -> anyhow::Result<T> {
    let status = reply.status();
    let text = reply.text().await?;
    if !status.is_success() {
        let said = serde_json::from_str::<Refusal>(&text);
        bail!(
            "{}",
            said.map_or_else(|_| format!("status {status}"), |refusal| clean_text(&refusal.error.message).into_owned())
        );
    }
    serde_json::from_str(&text).context("the server's answer is no such thing; it may be older than this program")
}
