//! `keygen`: asks the server's admin API for a key.

use super::{KeygenArgs, api};
use crate::cleartext::ADMIN_TOKEN;
use crate::config::{Config, ConfigFile};
use crate::server_address::ServerAddress;
use anyhow::{Context, bail};
use serde::Deserialize;
use std::process::ExitCode;

#[derive(Deserialize)]
struct KeyGrant {
    name: String,
    key: String,
    created: bool,
}

#[derive(Deserialize)]
struct Refusal {
    error: String,
}

pub async fn keygen(mut file: ConfigFile, args: KeygenArgs) -> anyhow::Result<ExitCode> {
    let token = match &args.token {
        Some(token) => token.trim().to_string(),
        None => {
            let path = args.state_dir.join("admin.token");
            let text = std::fs::read_to_string(&path).with_context(|| {
                format!(
                    "reading the admin token in {}; name the server's state folder with --state-dir, or give the token \
                     with --token or DP_ADMIN_TOKEN",
                    path.display()
                )
            })?;
            text.trim().to_string()
        }
    };
    let config = &file.config;
    let class = args.class.as_ref().or(config.class.as_ref());
    let race = args.race.as_ref().or(config.race.as_ref());
    let mut query = vec![("name", args.name.as_str())];
    query.extend(class.map(|class| ("class", class.as_str())));
    query.extend(race.map(|race| ("race", race.as_str())));
    let url = url(config, &query);
    let client = api::client(config, &url, ADMIN_TOKEN)?;
    let address = ServerAddress::of(config)?.name();
    let asking = || format!("asking the server at {address} for a key");
    let reply = client.post(&url).bearer_auth(token).send().await.map_err(|error| api::failure(config, error));
    let reply = reply.with_context(asking)?;
    let status = reply.status();
    let text = reply.text().await.with_context(asking)?;
    if !status.is_success() {
        let said = serde_json::from_str::<Refusal>(&text).map_or_else(|_| format!("status {status}"), |r| r.error);
        let refused = matches!(status.as_u16(), 401 | 403) && args.token.is_none();
        let advice = match refused {
            true => format!(
                " (The admin token is that of {}: name the state folder of this server with --state-dir.)",
                args.state_dir.display()
            ),
            false => String::new(),
        };
        bail!("the server gave no key: {said}{advice}");
    }
    let answer: KeyGrant = serde_json::from_str(&text).context("the server's answer holds no key")?;
    super::print(&format!("{}\n", answer.key))?;
    eprintln!("A key for {}{}.", answer.name, if answer.created { ", who is new" } else { "" });
    if !args.no_save {
        file.set("key", &answer.key)?;
        file.set("player_name", &answer.name)?;
        file.save()?;
        eprintln!("It is kept in {}.", file.path.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn url(config: &Config, query: &[(&str, &str)]) -> String {
    let query: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", api::escape(value))).collect();
    api::url(config, &format!("/admin/keys?{}", query.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_cannot_break_out_of_its_place() {
        let mut config = Config { game_host: "::1".into(), ..Config::default() };
        let query = [("name", "a b&key=c"), ("class", "thief")];
        let url = |config: &Config| super::url(config, &query);
        assert_eq!(url(&config), "http://[::1]:4350/admin/keys?name=a%20b%26key%3Dc&class=thief");
        config.game_tls = true;
        assert!(url(&config).starts_with("https://[::1]:4350/admin/"));
    }
}
