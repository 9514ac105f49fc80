//! `keygen`: asks the server's admin API for a key. Token and address are those of the server's state folder, where
//! that is named.

use super::{KeygenArgs, api};
use crate::cleartext::ADMIN_TOKEN;
use crate::config::{Config, ConfigFile};
use crate::server_address::ServerAddress;
use anyhow::{Context, bail};
use serde::Deserialize;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Where a server keeps its state, unless it is told otherwise.
const STATE_DIR: &str = "data/state";

/// What `server.json` in a state folder says that matters here.
#[derive(Deserialize)]
struct Running {
    http: SocketAddr,
}

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
    let state_dir = args.state_dir.clone().unwrap_or_else(|| PathBuf::from(STATE_DIR));
    let mut moved = false;
    if args.state_dir.is_some() {
        moved = go_to(&mut file, server_of(&state_dir)?)?;
    }
    let token = match &args.token {
        Some(token) => token.trim().to_string(),
        None => {
            let path = state_dir.join("admin.token");
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
                state_dir.display()
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
        let address = if moved { format!(", with the server's address, {address}") } else { String::new() };
        eprintln!("It is kept in {}{address}.", file.path.display());
    }
    Ok(ExitCode::SUCCESS)
}

/// Where the server that holds a state folder listens, as it is reached from this machine; `None`: none runs there.
fn server_of(state_dir: &Path) -> anyhow::Result<Option<SocketAddr>> {
    let path = state_dir.join("server.json");
    let text = match std::fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
    };
    let Running { mut http } = serde_json::from_str(&text)
        .with_context(|| format!("{} does not say where the server listens", path.display()))?;
    if http.ip().is_unspecified() {
        let own: [IpAddr; 2] = [Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()];
        http.set_ip(own[usize::from(http.is_ipv6())]);
    }
    Ok(Some(http))
}

/// Settings that lead elsewhere lead to this server from now on; whether they had to be changed. With `game_tls` they
/// stay: a certificate is for a name, and the file knows none.
fn go_to(file: &mut ConfigFile, server: Option<SocketAddr>) -> anyhow::Result<bool> {
    let Some(server) = server else { return Ok(false) };
    let Config { game_host, game_port, game_tls, .. } = &file.config;
    let is_there = match game_host.parse::<IpAddr>() {
        Ok(address) => address == server.ip(),
        Err(_) => game_host.eq_ignore_ascii_case("localhost") && server.ip().is_loopback(),
    };
    if *game_tls || (is_there && *game_port == server.port()) {
        return Ok(false);
    }
    file.set("game_host", &server.ip().to_string())?;
    file.set("game_port", &server.port().to_string())?;
    Ok(true)
}

fn url(config: &Config, query: &[(&str, &str)]) -> String {
    let query: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", api::escape(value))).collect();
    api::url(config, &format!("/admin/keys?{}", query.join("&")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_folder_says_where_its_server_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let write = |text: &str| std::fs::write(folder.path().join("server.json"), text).expect("written");
        let settings = folder.path().join("settings.json");
        let gone_to = |text: &str, stored: &str| -> (bool, String, bool) {
            write(text);
            std::fs::write(&settings, stored).expect("written");
            let mut file = ConfigFile::read(&settings).expect("settings");
            let server = server_of(folder.path()).expect("an address");
            let moved = go_to(&mut file, server).expect("an address");
            file.save().expect("written");
            let same = std::fs::read_to_string(&settings).expect("settings").contains("game_port");
            (moved, url(&file.config, &[]), same)
        };
        assert_eq!(server_of(folder.path()).expect("no server"), None);
        let telnet = "\"telnet\": \"127.0.0.1:4351\", \"pid\": 7";
        for (http, stored, expected) in [
            ("127.0.0.1:4350", "{}", (false, "http://localhost:4350/admin/keys?", false)),
            ("127.0.0.1:4999", "{}", (true, "http://127.0.0.1:4999/admin/keys?", true)),
            ("0.0.0.0:4999", "{\"game_host\": \"192.0.2.9\"}", (true, "http://127.0.0.1:4999/admin/keys?", true)),
            ("[::]:4999", "{}", (true, "http://[::1]:4999/admin/keys?", true)),
            ("127.0.0.1:4999", "{\"game_tls\": true}", (false, "https://localhost:4350/admin/keys?", false)),
        ] {
            let gone = gone_to(&format!("{{\"http\": \"{http}\", {telnet}}}"), stored);
            assert_eq!((gone.0, &*gone.1, gone.2), expected, "{http} {stored}");
        }
        write("damaged");
        assert!(server_of(folder.path()).expect_err("damaged").to_string().contains("server.json"));
    }

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
