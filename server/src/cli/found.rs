//! Where a subcommand does its work: at the running server, asked through its admin API, or in the state folder itself.

use crate::accounts::Accounts;
use crate::bearer;
use crate::state_dir::StateArgs;
use crate::state_dir::{Claim, Running, StateDir};
use crate::store::{Store, StoreOptions};
use anyhow::{Context, bail};
use axum::body::Body;
use axum::http::{Method, Response};
use futures_util::StreamExt;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::time::Duration;

const HEALTH_LONGEST: Duration = Duration::from_secs(4);

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
}

impl Server {
    /// The server that holds this state folder, or the folder itself, which must be there: a subcommand that was called
    /// in the wrong place would else begin a new one, and say that nobody is known. A database that is named can be
    /// asked all the same.
    pub async fn find(place: &StateArgs) -> anyhow::Result<Found> {
        let open = if place.db.is_none() { StateDir::look } else { StateDir::open };
        Server::find_in(open(&place.state_dir)?, place).await
    }

    /// The server that holds this state folder, for what nobody else can answer. Makes nothing: whoever asks may be
    /// another user than the server's, who could not open what belongs to that one.
    pub fn running(place: &StateArgs) -> anyhow::Result<Server> {
        let state = StateDir::look(&place.state_dir)?;
        match state.is_held()? {
            true => Server::at(&state),
            false => bail!("no server runs on the state folder {}", place.state_dir.display()),
        }
    }

    pub async fn find_in(state: StateDir, place: &StateArgs) -> anyhow::Result<Found> {
        if let Some(claim) = state.claim_without_server()? {
            let database = place.db.clone().unwrap_or_else(|| state.default_database());
            let accounts = Accounts::new(Store::connect(&database, &StoreOptions::of_state(&place.state_dir)).await?);
            return Ok(Found::Stored(accounts, claim));
        }
        Ok(Found::Running(Server::at(&state)?))
    }

    fn at(state: &StateDir) -> anyhow::Result<Server> {
        let running = state.running().with_context(|| {
            format!("a server is starting or stopping in {}; try again in a moment", state.path().display())
        })?;
        Ok(Server { running, token: state.admin_token()? })
    }

    /// Path and query of a call of the admin API.
    fn target(path: &str, query: &[(&str, &str)]) -> String {
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
        format!("/admin/{path}?{}", query.join("&"))
    }

    /// One request to the plain HTTP listener, which is on this machine.
    async fn send(&self, method: Method, target: &str, body: Body) -> anyhow::Result<Response<Body>> {
        let asking = || format!("asking the server at http://{}", self.running.http);
        let asked = bearer::ask(self.running.http, &self.token, method, target, body).await;
        let (answer, connection) = asked.with_context(asking)?;
        connection.detach();
        Ok(answer)
    }

    /// Whether all is well, and the whole of `/health`. What does not answer soon is not well.
    pub async fn health(&self) -> anyhow::Result<(bool, serde_json::Value)> {
        let asking = async {
            let answer = self.send(Method::GET, "/health", Body::empty()).await?;
            Ok((answer.status().is_success(), self.json(answer).await?))
        };
        tokio::time::timeout(HEALTH_LONGEST, asking)
            .await
            .with_context(|| format!("http://{}/health does not answer", self.running.http))?
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<T> {
        self.call(Method::GET, &Server::target(path, query), Body::empty()).await
    }

    pub async fn post<T: DeserializeOwned>(&self, path: &str, query: &[(&str, &str)]) -> anyhow::Result<T> {
        self.call(Method::POST, &Server::target(path, query), Body::empty()).await
    }

    /// With more than fits behind a `?`.
    pub async fn post_json<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, &str)],
        body: &impl Serialize,
    ) -> anyhow::Result<T> {
        let body = Body::from(serde_json::to_vec(body)?);
        self.call(Method::POST, &Server::target(path, query), body).await
    }

    /// The answer's body, as it comes.
    pub async fn download(&self, path: &str, mut out: std::fs::File) -> anyhow::Result<()> {
        use std::io::Write;
        let answer = self.send(Method::POST, &Server::target(path, &[]), Body::empty()).await?;
        if !answer.status().is_success() {
            return Err(refusal(&self.json(answer).await?));
        }
        let mut pieces = answer.into_body().into_data_stream();
        while let Some(piece) = pieces.next().await {
            let piece = piece.context("the server broke off; its log says why")?;
            out.write_all(&piece).context("writing what the server sends")?;
        }
        Ok(())
    }

    async fn call<T: DeserializeOwned>(&self, method: Method, target: &str, body: Body) -> anyhow::Result<T> {
        let answer = self.send(method, target, body).await?;
        let ok = answer.status().is_success();
        let body = self.json(answer).await?;
        if !ok {
            return Err(refusal(&body));
        }
        serde_json::from_value(body).with_context(|| format!("asking the server at http://{}", self.running.http))
    }

    async fn json(&self, answer: Response<Body>) -> anyhow::Result<serde_json::Value> {
        let asking = || format!("asking the server at http://{}", self.running.http);
        let body = axum::body::to_bytes(answer.into_body(), usize::MAX).await.with_context(asking)?;
        serde_json::from_slice(&body).with_context(asking)
    }
}

/// What the server said against it.
fn refusal(body: &serde_json::Value) -> anyhow::Error {
    anyhow::anyhow!("{}", body["error"].as_str().unwrap_or("the server refused"))
}
