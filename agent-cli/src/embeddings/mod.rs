//! Likeness of meaning by an OpenAI-compatible endpoint of embeddings: optional, off by default, never required.
//!
//! Texts go out in batches, vectors come back and are kept in a file beside the graph, by text and model, so that each
//! text is sent once. Who uses it goes on without when the endpoint fails, and says so.
//!
//! Invariants: only the key of `DP_EMBEDDINGS_KEY` goes to the endpoint, and nothing but the texts. What comes back is
//! held to bounds before it is believed.

mod vectors;

pub use vectors::{Vector, Vectors, most_alike};

use crate::cleartext::EMBEDDINGS_KEY;
use crate::model::http;
use anyhow::{Context, bail, ensure};
use protocol::frame::Secret;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// Texts of one request.
const BATCH: usize = 64;
/// Characters of a text that are sent.
const TEXT_CHARS_MAX: usize = 1_000;
const DIMENSIONS_MAX: usize = 8_192;
/// A batch of the largest vectors, as JSON.
const RESPONSE_BYTES_MAX: usize = 16 << 20;
/// For one batch.
const DEADLINE: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, Default, clap::Args)]
pub struct EmbeddingArgs {
    /// Also go by likeness of meaning, from this OpenAI-compatible endpoint of embeddings
    #[arg(long, value_name = "URL")]
    pub embeddings: Option<String>,
    /// The model that is asked for embeddings
    #[arg(long, value_name = "NAME", default_value = "text-embedding-3-small")]
    pub embedding_model: String,
    /// The key of that endpoint
    #[arg(long, env = "DP_EMBEDDINGS_KEY", hide_env_values = true, hide = true)]
    pub embedding_key: Option<String>,
    /// The key may go unencrypted to any host.
    #[arg(skip)]
    pub insecure: bool,
}

impl EmbeddingArgs {
    /// None where no endpoint is named.
    pub fn embedder(&self) -> anyhow::Result<Option<Embedder>> {
        let Some(base) = &self.embeddings else { return Ok(None) };
        let key = self.embedding_key.clone().map(Secret);
        Embedder::new(base, &self.embedding_model, key, self.insecure).map(Some)
    }
}

/// Asks for vectors. It waits: not for use in tasks.
pub struct Embedder {
    url: String,
    model: String,
    client: reqwest::Client,
    runtime: tokio::runtime::Runtime,
}

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: Vec<String>,
    encoding_format: &'static str,
}

#[derive(Deserialize)]
struct Response {
    data: Vec<EmbeddingRow>,
}

#[derive(Deserialize)]
struct EmbeddingRow {
    index: usize,
    embedding: Vec<f32>,
}

/// The address of embeddings below a base, or `None` when it is no HTTP address.
fn url(base: &str) -> Option<String> {
    let base = base.trim().trim_end_matches('/');
    let parsed = reqwest::Url::parse(base).ok()?;
    if !matches!(parsed.scheme(), "http" | "https") || !parsed.has_host() {
        return None;
    }
    Some(match () {
        () if base.ends_with("/embeddings") => base.to_string(),
        () if base.ends_with("/v1") => format!("{base}/embeddings"),
        () => format!("{base}/v1/embeddings"),
    })
}

impl Embedder {
    /// `insecure`: the key may go unencrypted to any host.
    pub fn new(base: &str, model: &str, key: Option<Secret>, insecure: bool) -> anyhow::Result<Embedder> {
        let url = url(base).with_context(|| format!("{base:?} is no http:// or https:// address of embeddings"))?;
        let mut builder = http::builder(&url);
        if let Some(key) = key {
            let value = reqwest::header::HeaderValue::from_str(&format!("Bearer {}", key.0));
            let mut value = value.context("the key for embeddings has characters that a header cannot hold")?;
            value.set_sensitive(true);
            builder = builder.default_headers([(reqwest::header::AUTHORIZATION, value)].into_iter().collect());
            if !insecure {
                builder = EMBEDDINGS_KEY.guard(builder, &reqwest::Url::parse(&url)?)?;
            }
        }
        let client = builder.build().context("making the HTTP client for embeddings")?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Embedder { url, model: model.to_string(), client, runtime: runtime.context("starting the runtime")? })
    }

    pub fn model(&self) -> &str {
        &self.model
    }

    /// The vectors of texts, in their order; those that `known` has are not asked for, and it learns the others. What
    /// was learnt before a failure stays learnt.
    pub fn vectors(&self, texts: &[String], known: &mut Vectors) -> anyhow::Result<Vec<Vector>> {
        let keys: Vec<String> = texts.iter().map(|text| vectors::key(&self.model, text)).collect();
        let mut missing: Vec<usize> = (0..texts.len()).filter(|i| known.get(&keys[*i]).is_none()).collect();
        missing.sort_by(|a, b| keys[*a].cmp(&keys[*b]));
        missing.dedup_by(|a, b| keys[*a] == keys[*b]);
        for batch in missing.chunks(BATCH) {
            let input: Vec<&str> = batch.iter().map(|i| texts[*i].as_str()).collect();
            let fresh = self.runtime.block_on(async { tokio::time::timeout(DEADLINE, self.ask(&input)).await });
            let fresh = fresh.context("the endpoint of embeddings took too long")??;
            for (i, vector) in batch.iter().zip(fresh) {
                known.learn(keys[*i].clone(), vector);
            }
        }
        keys.iter().map(|key| known.get(key).cloned().context("a vector that was just learnt is gone")).collect()
    }

    async fn ask(&self, texts: &[&str]) -> anyhow::Result<Vec<Vector>> {
        let input = texts.iter().map(|text| text.chars().take(TEXT_CHARS_MAX).collect()).collect();
        let request = Request { model: &self.model, input, encoding_format: "float" };
        let sent = self.client.post(&self.url).json(&request).send().await;
        let mut response = sent.map_err(|error| {
            anyhow::anyhow!("the endpoint of embeddings cannot be reached: {}", http::cause(&error))
        })?;
        let status = response.status();
        ensure!(status.is_success(), "the endpoint of embeddings answered with status {}", status.as_u16());
        let mut body = Vec::new();
        let broken = |error| anyhow::anyhow!("the answer of embeddings broke off: {}", http::cause(&error));
        while let Some(bytes) = response.chunk().await.map_err(broken)? {
            ensure!(
                body.len() + bytes.len() <= RESPONSE_BYTES_MAX,
                "the endpoint of embeddings sent more than {RESPONSE_BYTES_MAX} bytes"
            );
            body.extend_from_slice(&bytes);
        }
        let response: Response = serde_json::from_slice(&body).context("the answer is none of embeddings")?;
        let mut found: Vec<Option<Vector>> = vec![None; texts.len()];
        for embedded in response.data {
            let Some(place) = found.get_mut(embedded.index) else {
                bail!("the answer has an embedding of a text {} that was not asked for", embedded.index);
            };
            let count = embedded.embedding.len();
            ensure!((1..=DIMENSIONS_MAX).contains(&count), "the answer has an embedding of {count} numbers");
            *place = Some(Vector::of(&embedded.embedding).context("the answer has an embedding without a direction")?);
        }
        found.into_iter().map(|vector| vector.context("the answer leaves out a text")).collect()
    }
}

#[cfg(test)]
pub mod tests;
