//! Where a subcommand does its work: at the running server, asked through its admin API, or in the state folder itself.

use crate::accounts::Accounts;
use crate::state_dir::StateArgs;
use crate::state_dir::{Claim, Running, StateDir};
use crate::store::{Store, StoreOptions};
use anyhow::{Context, bail};

/// Where a subcommand does its work.
pub enum Found {
    Running(Server),
    /// No server runs, and none starts while the claim lives.
    Stored(Accounts, Claim),
}

/// A running server that holds the state folder, and the token for it.
pub struct Server {
    running: Running,
    token: String,
    client: reqwest::Client,
}

impl Server {
    /// The server that holds this state folder, or the folder itself, which must be there: a subcommand that was called
    /// in the wrong place would else begin a new one, and say that nobody is known. A database that is named can be
    /// asked all the same.
    pub async fn find(place: &StateArgs) -> anyhow::Result<Found> {
        let open = if place.db.is_none() { StateDir::look } else { StateDir::open };
        Server::find_in(open(&place.state_dir)?, place).await
    }

    pub async fn find_in(state: StateDir, place: &StateArgs) -> anyhow::Result<Found> {
        if let Some(claim) = state.claim_without_server()? {
            let database = place.db.clone().unwrap_or_else(|| state.default_database());
            let accounts = Accounts::new(Store::connect(&database, &StoreOptions::default()).await?);
            return Ok(Found::Stored(accounts, claim));
        }
        let running = state.running().with_context(|| {
            format!("a server is starting or stopping in {}; try again in a moment", place.state_dir.display())
        })?;
        // The admin door speaks plain HTTP: no certificates are looked for, but the client wants a provider all the
        // same.
        let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
        let client = reqwest::Client::builder()
            .tls_certs_only([])
            .no_proxy()
            .connect_timeout(std::time::Duration::from_secs(2))
            .build()
            .context("making an HTTP client")?;
        Ok(Found::Running(Server { running, token: state.admin_token()?, client }))
    }

    fn url(&self, path: &str, query: &[(&str, &str)]) -> String {
        let escape = |text: &str| -> String {
            text.bytes()
                .map(|b| {
                    if b.is_ascii_alphanumeric() || b"-_.~".contains(&b) {
                        (b as char).to_string()
                    } else {
                        format!("%{b:02X}")
                    }
                })
                .collect()
        };
        let query: Vec<String> = query.iter().map(|(k, v)| format!("{k}={}", escape(v))).collect();
        format!("http://{}/admin/{path}?{}", self.running.http, query.join("&"))
    }

    /// Whether all is well, and the whole of `/health`. What does not answer soon is not well.
    pub async fn health(&self) -> anyhow::Result<(bool, serde_json::Value)> {
        let url = format!("http://{}/health", self.running.http);
        let asking = || format!("asking {url}");
        let request = self.client.get(&url).timeout(std::time::Duration::from_secs(4));
        let answer = request.send().await.with_context(asking)?;
        let well = answer.status().is_success();
        Ok((well, answer.json().await.with_context(asking)?))
    }

    pub async fn get<T: serde::de::DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<T> {
        self.call(self.client.get(self.url(path, query))).await
    }

    pub async fn post<T: serde::de::DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<T> {
        self.call(self.client.post(self.url(path, query))).await
    }

    /// The answer's body, as it comes.
    pub async fn download(&self, path: &str, mut out: std::fs::File) -> anyhow::Result<()> {
        use std::io::Write;
        let asking = || format!("asking the server at http://{}", self.running.http);
        let request = self.client.post(self.url(path, &[])).bearer_auth(&self.token);
        let mut answer = request.send().await.with_context(asking)?;
        if !answer.status().is_success() {
            let body: serde_json::Value = answer.json().await.with_context(asking)?;
            bail!("{}", body["error"].as_str().unwrap_or("the server refused"));
        }
        while let Some(piece) = answer.chunk().await.context("the server broke off; its log says why")? {
            out.write_all(&piece).context("writing what the server sends")?;
        }
        Ok(())
    }

    async fn call<T: serde::de::DeserializeOwned>(&self, request: reqwest::RequestBuilder) -> anyhow::Result<T> {
        let asking = || format!("asking the server at http://{}", self.running.http);
        let answer = request.bearer_auth(&self.token).send().await.with_context(asking)?;
        let ok = answer.status().is_success();
        let body: serde_json::Value = answer.json().await.with_context(asking)?;
        if !ok {
            bail!("{}", body["error"].as_str().unwrap_or("the server refused"));
        }
        serde_json::from_value(body).with_context(asking)
    }
}
