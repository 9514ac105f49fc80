//! `keygen`: asks the server's admin API for a key.

use super::KeygenArgs;
use crate::cleartext::ADMIN_TOKEN;
use crate::config::{Config, ConfigFile};
use crate::server_address::{self, ServerAddress};
use anyhow::{Context, bail};
use serde::Deserialize;
use std::process::ExitCode;
use std::time::Duration;

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
    // What cannot be used of the settings is told as it is when playing.
    let address = ServerAddress::of(config)?;
    let mut builder = crate::model::http::builder(&url).timeout(Duration::from_secs(15));
    if let Some(path) = &config.game_ca {
        let trusted = server_address::certificates(path)?;
        let trusted: Result<Vec<_>, _> = trusted.iter().map(|one| reqwest::Certificate::from_der(one)).collect();
        builder = builder.tls_certs_only(trusted?);
    }
    if !config.insecure {
        builder = ADMIN_TOKEN.guard(builder, &reqwest::Url::parse(&url)?)?;
    }
    let client = builder.build()?;
    let asking = || format!("asking the server at {} for a key", address.name());
    let sent = client.post(&url).bearer_auth(token).send().await;
    let reply = sent.map_err(|error| match server_address::untrusted(&error, &config.game_host) {
        Some(untrusted) => anyhow::Error::new(untrusted),
        None => error.into(),
    });
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
    let escape = |text: &str| -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
        text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
    };
    let query: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", escape(value))).collect();
    let scheme = if config.game_tls { "https" } else { "http" };
    server_address::url(scheme, &config.game_host, config.game_port, &format!("/admin/keys?{}", query.join("&")))
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
