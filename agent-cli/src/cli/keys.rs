//! `keygen`: asks the server's admin API for a key. Token and address are those of the server's state folder, where
//! that is named.

use super::{KeygenArgs, api};
use crate::cleartext::ADMIN_TOKEN;
use crate::config::{Config, ConfigFile};
use crate::server_address::ServerAddress;
use anyhow::{Context, bail};
use protocol::names::clean_text;
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

/// How a key is listed.
#[derive(Deserialize)]
struct KeyLine {
    id: i64,
    /// `dp_`, the first 8 digits, and an ellipsis.
    key: String,
    revoked_at: Option<i64>,
    #[serde(default)]
    host: bool,
}

/// The admin API of a server.
struct Admin<'c> {
    config: &'c Config,
    token: String,
    /// The state folder that the token was read from.
    read_in: Option<PathBuf>,
}

impl Admin<'_> {
    async fn call<T: serde::de::DeserializeOwned>(
        &self,
        method: reqwest::Method,
        path: &str,
        query: &[(&str, &str)],
    ) -> anyhow::Result<T> {
        let url = url(self.config, path, query);
        let client = api::client(self.config, &url, ADMIN_TOKEN)?;
        let address = ServerAddress::of(self.config)?.name();
        let asking = || format!("asking the server at {address} for a key");
        let sent = client.request(method, &url).bearer_auth(&self.token).send().await;
        let reply = sent.map_err(|error| api::failure(self.config, error)).with_context(asking)?;
        let status = reply.status();
        let text = reply.text().await.with_context(asking)?;
        if status.is_success() {
            return serde_json::from_str(&text).context("the server's answer holds no key");
        }
        let said = serde_json::from_str::<Refusal>(&text).map_or_else(|_| format!("status {status}"), |r| r.error);
        let advice = match &self.read_in {
            Some(folder) if matches!(status.as_u16(), 401 | 403) => format!(
                " (The admin token is that of {}: name the state folder of this server with --state-dir.)",
                folder.display()
            ),
            _ => String::new(),
        };
        bail!("the server gave no key: {said}{advice}");
    }

    /// The keys that log this character in today.
    async fn keys_of(&self, name: &str) -> anyhow::Result<Vec<KeyLine>> {
        let all: Vec<KeyLine> = self.call(reqwest::Method::GET, "keys", &[("name", name)]).await?;
        Ok(all.into_iter().filter(|key| !key.host && key.revoked_at.is_none()).collect())
    }
}

/// What keeps one from making another key, and what to do.
fn refusal(name: &str, keys: &[KeyLine], file: &ConfigFile) -> String {
    let name = clean_text(name);
    let own = file.config.key.as_deref();
    // What is listed ends in an ellipsis.
    let is_own = |line: &KeyLine| own.is_some_and(|own| own.starts_with(line.key.trim_end_matches('\u{2026}')));
    let listed: Vec<String> = keys
        .iter()
        .map(|line| match is_own(line) {
            true => format!("{}, which is in {}", clean_text(&line.key), file.path.display()),
            false => clean_text(&line.key).into_owned(),
        })
        .collect();
    format!(
        "{name} has {} already: {}. A key is shown once, when it is made; for a new one say --replace, which revokes \
         what there is, or --again, which leaves that good as well",
        if keys.len() == 1 { "a key".to_string() } else { format!("{} keys", keys.len()) },
        listed.join("; ")
    )
}

pub async fn keygen(mut file: ConfigFile, args: KeygenArgs) -> anyhow::Result<ExitCode> {
    let name = args.name.as_ref().or(args.bare_name.as_ref()).context("say whose key with --name")?;
    let kept = file.config.state_dir.clone();
    let state_dir = args.state_dir.clone().or(kept).unwrap_or_else(|| PathBuf::from(STATE_DIR));
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
    let read_in = args.token.is_none().then(|| state_dir.clone());
    let admin = Admin { config: &file.config, token, read_in };
    let before = admin.keys_of(name).await?;
    if !before.is_empty() && !args.again && !args.replace {
        bail!("{}", refusal(name, &before, &file));
    }
    let class = args.class.as_ref().or(file.config.class.as_ref());
    let race = args.race.as_ref().or(file.config.race.as_ref());
    let mut query = vec![("name", name.as_str())];
    query.extend(class.map(|class| ("class", class.as_str())));
    query.extend(race.map(|race| ("race", race.as_str())));
    let answer: KeyGrant = admin.call(reqwest::Method::POST, "keys", &query).await?;
    let address = ServerAddress::of(&file.config)?.name();
    super::print(&format!("{}\n", answer.key))?;
    eprintln!("A key for {}{}.", answer.name, if answer.created { ", who is new" } else { "" });
    // The new one first: whoever is interrupted here has one key too many, and never none.
    if args.replace {
        for old in &before {
            let id = old.id.to_string();
            let _line: serde_json::Value = admin.call(reqwest::Method::POST, "revoke", &[("key", id.as_str())]).await?;
            eprintln!("Revoked {}.", clean_text(&old.key));
        }
    }
    if !args.no_save {
        file.set("key", &answer.key)?;
        file.set("player_name", &answer.name)?;
        if let Some(named) = &args.state_dir {
            // What is relative is so to this place, and agents are played anywhere.
            let whole = std::path::absolute(named).with_context(|| format!("finding {}", named.display()))?;
            file.set("state_dir", &whole.display().to_string())?;
        }
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

fn url(config: &Config, path: &str, query: &[(&str, &str)]) -> String {
    let query: Vec<String> = query.iter().map(|(key, value)| format!("{key}={}", api::escape(value))).collect();
    api::url(config, &format!("/admin/{path}?{}", query.join("&")))
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
            (moved, url(&file.config, "keys", &[]), same)
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
    fn who_has_a_key_is_told_which_and_how_to_have_another() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("settings.json");
        let own = format!("dp_12345678{}", "0".repeat(56));
        std::fs::write(&path, format!("{{\"key\": \"{own}\"}}")).expect("written");
        let file = ConfigFile::read(&path).expect("settings");
        let line = |key: &str| KeyLine { id: 1, key: key.to_string(), revoked_at: None, host: false };
        let told = refusal("Wren", &[line("dp_12345678\u{2026}")], &file);
        let expected = format!("Wren has a key already: dp_12345678\u{2026}, which is in {}. ", path.display());
        assert!(told.starts_with(&expected) && told.contains("--replace") && told.contains("--again"), "{told}");
        let told = refusal("Wren\u{1b}", &[line("dp_00000000\u{2026}"), line("dp_12345678\u{2026}")], &file);
        assert!(told.starts_with("Wren") && !told.contains('\u{1b}') && told.contains(" has 2 keys already"), "{told}");
    }

    #[test]
    fn what_is_asked_cannot_break_out_of_its_place() {
        let mut config = Config { game_host: "::1".into(), ..Config::default() };
        let query = [("name", "a b&key=c"), ("class", "thief")];
        let url = |config: &Config| super::url(config, "keys", &query);
        assert_eq!(url(&config), "http://[::1]:4350/admin/keys?name=a%20b%26key%3Dc&class=thief");
        config.game_tls = true;
        assert!(url(&config).starts_with("https://[::1]:4350/admin/"));
    }
}
