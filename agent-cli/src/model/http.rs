//! The wire: one POST, its status, its body or stream, read up to a limit.
//!
//! Invariant: nothing that an endpoint sends takes more memory than `BYTES_MAX`; how long it takes is the caller's
//! affair.

use super::refusal::{self, Cause};
use super::reply::{self, Reply, Stream};
use crate::thought::ModelError;
use futures_util::future::BoxFuture;
use protocol::names::clean_text;
use serde_json::Value;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// Bytes of a response that are read; a sensible one has a few thousand.
pub const BYTES_MAX: usize = 512 * 1024;
/// A connection that was idle for longer is not used again.
const IDLE_MAX: Duration = Duration::from_secs(3);
/// Bytes of a stream that are read: each token has an envelope of some hundreds, and thoughts come before the answer.
/// None of that is kept.
const STREAM_BYTES_MAX: usize = 16 << 20;

/// A client for this address, to be built. Over plain HTTP it needs no certificates.
pub fn builder(url: &str) -> reqwest::ClientBuilder {
    // Whoever installed one before us chose the same or knows why.
    let _ = tokio_rustls::rustls::crypto::ring::default_provider().install_default();
    let builder = reqwest::Client::builder()
        .no_proxy()
        // A redirect could carry prompt and key to somebody else.
        .redirect(reqwest::redirect::Policy::none())
        // Many servers (uvicorn, and so LiteLLM; Node) close what is idle for five seconds, which is how often an agent
        // thinks: a request that crosses the close is lost, and may have been billed.
        .pool_idle_timeout(IDLE_MAX)
        .connect_timeout(Duration::from_secs(5));
    if url.starts_with("https:") { builder } else { builder.tls_certs_only([]) }
}

/// Whoever stands in for an endpoint in this process: simulations ask on a clock of their own, without sockets.
pub trait StandIn: Send + Sync {
    /// The response to a request with this body.
    fn send(&self, body: Vec<u8>) -> PendingResponse;
}

/// A response on its way; `None`: nobody answers there.
pub type PendingResponse = BoxFuture<'static, Option<reqwest::Response>>;

/// Where requests go.
pub enum Line {
    Network { client: reqwest::Client, url: String },
    StandIn(Arc<dyn StandIn>),
}

impl Line {
    async fn send(&self, body: &Value) -> Result<reqwest::Response, Failed> {
        match self {
            Line::Network { client, url } => match client.post(url).json(body).send().await {
                Ok(response) => Ok(response),
                Err(error) if error.is_connect() => Err(free(ModelError::Unreachable(cause(&error)))),
                Err(error) => Err(billed(ModelError::BrokenOff(cause(&error)))),
            },
            Line::StandIn(inside) => {
                let nobody = || free(ModelError::Unreachable("nobody answers".to_string()));
                inside.send(body.to_string().into_bytes()).await.ok_or_else(nobody)
            }
        }
    }
}

/// Why a request failed.
pub enum Failed {
    /// It was understood and refused, perhaps for one of its fields: with the status and what it says.
    Refused(u16, String),
    Error {
        error: ModelError,
        /// The endpoint worked on it, and may ask money for that.
        billed: bool,
    },
}

fn free(error: ModelError) -> Failed {
    Failed::Error { error, billed: false }
}

fn billed(error: ModelError) -> Failed {
    Failed::Error { error, billed: true }
}

/// Sends a request and reads the answer to its end. `key` is kept out of whatever an error says.
pub async fn post(line: &Line, body: &Value, key: Option<&str>) -> Result<Reply, Failed> {
    let shown = |text: String| refusal::without_key(text, key);
    let mut response = line.send(body).await?;
    let status = response.status();
    if !status.is_success() {
        let after = retry_after(&response);
        let body = read_up_to(&mut response, 8 * 1024).await.unwrap_or_default();
        let code = status.as_u16();
        let cause = Cause::of(code, &body);
        let message = refusal::told(cause, &body, key);
        return Err(match (code, after) {
            // Whoever has no money left asks to wait in vain.
            (429 | 500..=599, Some(after)) if cause != Cause::Money => {
                tracing::info!("the endpoint asks to wait: {message}");
                free(ModelError::Waiting(after.as_millis() as u64))
            }
            _ if cause == Cause::Field => Failed::Refused(code, message),
            _ => free(ModelError::Status { status: code, message }),
        });
    }
    let is_stream = response
        .headers()
        .get(reqwest::header::CONTENT_TYPE)
        .and_then(|kind| kind.to_str().ok())
        .is_some_and(|kind| kind.starts_with("text/event-stream"));
    if is_stream {
        let mut stream = Stream::default();
        let mut read = 0;
        loop {
            match response.chunk().await {
                Ok(Some(bytes)) => {
                    read += bytes.len();
                    stream.push(&bytes).map_err(|why| billed(ModelError::NoCompletion(shown(why))))?;
                    if stream.is_done() {
                        break;
                    }
                    if read > STREAM_BYTES_MAX || stream.is_long() {
                        return Ok(stream.cut_short());
                    }
                }
                Ok(None) => break,
                Err(error) => return Err(billed(ModelError::BrokenOff(cause(&error)))),
            }
        }
        return stream.finish().map_err(|why| billed(ModelError::BrokenOff(why)));
    }
    let body = match read_up_to(&mut response, BYTES_MAX).await {
        Ok(body) => body,
        Err(error) => return Err(billed(ModelError::BrokenOff(cause(&error)))),
    };
    if body.len() >= BYTES_MAX {
        return Err(billed(ModelError::NoCompletion(format!("it is longer than {BYTES_MAX} bytes"))));
    }
    reply::of_completion(&body).map_err(|why| billed(ModelError::NoCompletion(shown(why))))
}

async fn read_up_to(response: &mut reqwest::Response, bytes_max: usize) -> reqwest::Result<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(bytes) = response.chunk().await? {
        let room = bytes_max - body.len();
        body.extend_from_slice(&bytes[..bytes.len().min(room)]);
        if body.len() == bytes_max {
            break;
        }
    }
    Ok(body)
}

/// `Retry-After`, in seconds or as a date, or `retry-after-ms` as some providers send it. LiteLLM hands on what its
/// provider said under another name.
fn retry_after(response: &reqwest::Response) -> Option<Duration> {
    let text = |name: &str| {
        let headers = response.headers();
        let value = headers.get(name).or_else(|| headers.get(format!("llm_provider-{name}")))?;
        Some(value.to_str().ok()?.trim())
    };
    if let Some(ms) = text("retry-after-ms").and_then(|ms| ms.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(ms / 1000.0).ok();
    }
    let value = text("retry-after")?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let date = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    SystemTime::from(date).duration_since(SystemTime::now()).ok()
}

/// The innermost reason, without the address, which may hold a key.
pub fn cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    let text = if std::ptr::eq(inner, error as &dyn std::error::Error) {
        match () {
            () if error.is_timeout() => "it took too long".to_string(),
            () if error.is_decode() || error.is_body() => "the body ended early".to_string(),
            () => "the request failed".to_string(),
        }
    } else {
        inner.to_string()
    };
    clean_text(&text).trim_end_matches('.').chars().take(200).collect()
}
