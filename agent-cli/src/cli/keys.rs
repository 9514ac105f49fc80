//! `keygen`: asks the server's operator's door for a key.

use super::KeygenArgs;
use crate::config::ConfigFile;
use anyhow::{Context, bail};
use serde::Deserialize;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Deserialize)]
struct Answer {
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
    let url = url(&config.game_host, config.game_port, &query);
    let client = crate::model::http::builder(&url).timeout(Duration::from_secs(15)).build()?;
    let asking = || format!("asking the server at {}:{} for a key", config.game_host, config.game_port);
    let reply = client.post(&url).bearer_auth(token).send().await.with_context(asking)?;
    let status = reply.status();
    let text = reply.text().await.with_context(asking)?;
    if !status.is_success() {
        let said = serde_json::from_str::<Refusal>(&text).map_or_else(|_| format!("status {status}"), |r| r.error);
        bail!("the server gave no key: {said}");
    }
    let answer: Answer = serde_json::from_str(&text).context("the server's answer holds no key")?;
    println!("{}", answer.key);
    eprintln!("A key for {}{}.", answer.name, if answer.created { ", who is new" } else { "" });
    if !args.no_save {
        file.set("key", &answer.key)?;
        file.set("player_name", &answer.name)?;
        file.save()?;
        eprintln!("It is kept in {}.", file.path.display());
    }
    Ok(ExitCode::SUCCESS)
}

fn url(host: &str, port: u16, query: &[(&str, &str)]) -> String {
    let escape = |text: &str| -> String {
        let plain = |b: u8| b.is_ascii_alphanumeric() || b"-_.~".contains(&b);
        text.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
    };
    let query: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", escape(value))).collect();
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_string() };
    format!("http://{host}:{port}/admin/keys?{}", query.join("&"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_cannot_break_out_of_its_place() {
        let url = url("::1", 4350, &[("name", "a b&key=c"), ("class", "thief")]);
        assert_eq!(url, "http://[::1]:4350/admin/keys?name=a%20b%26key%3Dc&class=thief");
    }
}
