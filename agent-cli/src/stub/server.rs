//! The wire of the stub: `/v1/chat/completions`, whole or as a stream, and `/v1/models`.

use super::policy::{Completion, Policy, Reply};
use super::toon;
use super::usage::Counter;
use crate::ledger::Usage;
use crate::model::http::{PendingResponse, StandIn};
use axum::body::{Body, Bytes};
use axum::extract::{DefaultBodyLimit, State};
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use futures_util::stream;
use http_body::Frame;
use serde_json::{Value, json};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Bytes of a request; a large prompt has some hundred thousand.
const BODY_BYTES_MAX: usize = 8 << 20;
/// Characters of a piece of a stream.
const PIECE_CHARS: usize = 24;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StubOptions {
    pub latency_ms: u64,
    /// Fields of a request that are refused.
    pub refuses: Vec<String>,
}

/// A stub that runs.
pub struct Stub {
    pub address: SocketAddr,
    task: JoinHandle<std::io::Result<()>>,
    shared: Arc<Shared>,
}

struct Shared {
    options: StubOptions,
    inner: Mutex<Inner>,
}

struct Inner {
    policy: Box<dyn Policy>,
    counter: Counter,
    /// The requests that came, in order.
    served: u64,
    last: Option<Value>,
}

impl Shared {
    fn new(policy: Box<dyn Policy>, options: StubOptions) -> Shared {
        let inner = Mutex::new(Inner { policy, counter: Counter::default(), served: 0, last: None });
        Shared { options, inner }
    }
}

impl Stub {
    /// The base for a model's settings.
    pub fn endpoint(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Requests for a completion so far, those that were refused too.
    pub fn served(&self) -> u64 {
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner).served
    }

    /// The body of the last request.
    pub fn last_request(&self) -> Option<Value> {
        self.shared.inner.lock().unwrap_or_else(PoisonError::into_inner).last.clone()
    }

    pub fn stop(self) {
        self.task.abort();
    }
}

/// The same endpoint without a socket: a simulation's. Its waits are those of tokio's clock, which may stand still.
pub struct LocalEndpoint {
    shared: Arc<Shared>,
}

impl LocalEndpoint {
    pub fn new(policy: Box<dyn Policy>, options: StubOptions) -> LocalEndpoint {
        LocalEndpoint { shared: Arc::new(Shared::new(policy, options)) }
    }
}

impl StandIn for LocalEndpoint {
    fn send(&self, body: Vec<u8>) -> PendingResponse {
        let shared = self.shared.clone();
        Box::pin(async move {
            let (parts, body) = complete(State(shared), body.into()).await.into_parts();
            let body = reqwest::Body::wrap(Alone(Mutex::new(body)));
            Some(axum::http::Response::from_parts(parts, body).into())
        })
    }
}

/// The client wants bodies that threads may share; the server's may not be.
struct Alone(Mutex<Body>);

impl http_body::Body for Alone {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let body = self.0.get_mut().unwrap_or_else(PoisonError::into_inner);
        Pin::new(body).poll_frame(context)
    }
}

/// Listens on loopback and serves in a task of its own. Port 0 takes a free one.
pub async fn start(port: u16, policy: Box<dyn Policy>, options: StubOptions) -> std::io::Result<Stub> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).await?;
    let address = listener.local_addr()?;
    let shared = Arc::new(Shared::new(policy, options));
    let routes = Router::new()
        .route("/v1/chat/completions", post(complete))
        .route("/chat/completions", post(complete))
        .route("/v1/models", get(models))
        .route("/models", get(models))
        .route("/v1/models/{id}", get(async || Json(model())))
        .fallback(elsewhere)
        .layer(DefaultBodyLimit::max(BODY_BYTES_MAX))
        .with_state(shared.clone());
    let task = tokio::spawn(async move { axum::serve(listener, routes).await });
    Ok(Stub { address, task, shared })
}

/// Whatever model is asked for, this one answers, and says so.
const NAME: &str = "stub";

fn model() -> Value {
    json!({"id": NAME, "object": "model", "created": 0, "owned_by": "dp-agent"})
}

async fn models() -> Json<Value> {
    Json(json!({"object": "list", "data": [model()]}))
}

async fn elsewhere(uri: Uri) -> Response {
    error(404, &format!("There is nothing at {}; this stub has /v1/chat/completions and /v1/models.", uri.path()))
}

fn error(status: u16, message: &str) -> Response {
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let error = json!({"message": message, "type": "stub_error", "param": null, "code": null});
    (status, Json(json!({"error": error}))).into_response()
}

async fn complete(State(shared): State<Arc<Shared>>, bytes: Bytes) -> Response {
    let body: Value = match serde_json::from_slice(&bytes) {
        Ok(body) => body,
        Err(why) => return error(400, &format!("The request is no JSON: {why}.")),
    };
    if !body.get("messages").is_some_and(Value::is_array) {
        return error(400, "`messages` is a list.");
    }
    let (reply, usage, number) = {
        let mut inner = shared.inner.lock().unwrap_or_else(PoisonError::into_inner);
        inner.served += 1;
        inner.last = Some(body.clone());
        if let Some(field) = shared.options.refuses.iter().find(|field| body.get(field.as_str()).is_some()) {
            return error(400, &format!("Unsupported parameter: '{field}' is not supported with this model."));
        }
        let reply = toon::in_the_form_asked_for(&body, inner.policy.answer(&body));
        let text = match &reply {
            Reply::Answer(said) | Reply::Stall { said, .. } | Reply::Dying(said) => said.content.as_str(),
            Reply::Raw(_) | Reply::Status { .. } => "",
        };
        let usage = inner.counter.count(&body, text);
        (reply, usage, inner.served)
    };
    let wait = |ms: u64| tokio::time::sleep(Duration::from_millis(ms));
    wait(shared.options.latency_ms).await;
    match reply {
        Reply::Answer(said) => answer(&body, &said, usage, number, false),
        Reply::Stall { ms, said } => {
            wait(ms).await;
            answer(&body, &said, usage, number, false)
        }
        Reply::Dying(said) => answer(&body, &said, usage, number, true),
        Reply::Raw(text) => ([(header::CONTENT_TYPE, "application/json")], text).into_response(),
        Reply::Status { status, retry_after_s, message } => {
            let mut response = error(status, &message);
            if let Some(seconds) = retry_after_s {
                response.headers_mut().insert(header::RETRY_AFTER, seconds.into());
            }
            response
        }
    }
}

/// The message in the form that the request asked for: a tool call where it gave tools, else text.
fn message(body: &Value, said: &Completion) -> Value {
    let compact = said.content.trim() == "compact";
    if body.get("tools").is_some() && body.get("response_format").is_none() && !said.plain {
        let (name, arguments) = if compact { ("compact", "{}") } else { ("act", said.content.as_str()) };
        return json!({"role": "assistant", "content": null, "tool_calls": [
            {"index": 0, "id": "call_0", "type": "function", "function": {"name": name, "arguments": arguments}}]});
    }
    json!({"role": "assistant", "content": said.content})
}

fn usage_json(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.prompt,
        "completion_tokens": usage.completion,
        "total_tokens": usage.total(),
        "prompt_tokens_details": {"cached_tokens": usage.cached},
    })
}

fn answer(body: &Value, said: &Completion, usage: Usage, number: u64, dies: bool) -> Response {
    let id = format!("chatcmpl-{number}");
    let message = message(body, said);
    let finish = match () {
        () if said.cut => "length",
        () if message.get("tool_calls").is_some() => "tool_calls",
        () => "stop",
    };
    if body.get("stream").and_then(Value::as_bool) != Some(true) {
        let whole = json!({
            "id": id, "object": "chat.completion", "created": 0, "model": NAME, "system_fingerprint": NAME,
            "choices": [{"index": 0, "message": message, "finish_reason": finish, "logprobs": null}],
            "usage": usage_json(usage),
        })
        .to_string();
        if !dies {
            return ([(header::CONTENT_TYPE, "application/json")], whole).into_response();
        }
        let half = whole[..whole.floor_char_boundary(whole.len() / 2)].to_string();
        return dying("application/json", vec![half]);
    }
    let event = |delta: Value, finish: Value, usage: Value| {
        let choices =
            if usage.is_null() { json!([{"index": 0, "delta": delta, "finish_reason": finish}]) } else { json!([]) };
        let chunk = json!({"id": id, "object": "chat.completion.chunk", "created": 0, "model": NAME,
            "choices": choices, "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let mut events = vec![event(json!({"role": "assistant", "content": ""}), Value::Null, Value::Null)];
    match message.get("tool_calls") {
        Some(calls) => {
            let mut first = calls.clone();
            let arguments = first[0]["function"]["arguments"].as_str().unwrap_or("").to_string();
            first[0]["function"]["arguments"] = json!("");
            events.push(event(json!({"tool_calls": first}), Value::Null, Value::Null));
            for piece in pieces(&arguments) {
                let delta = json!({"tool_calls": [{"index": 0, "function": {"arguments": piece}}]});
                events.push(event(delta, Value::Null, Value::Null));
            }
        }
        None => {
            events.extend(pieces(&said.content).map(|piece| event(json!({"content": piece}), Value::Null, Value::Null)))
        }
    }
    if dies {
        events.truncate(events.len().div_ceil(2));
        return dying("text/event-stream", events);
    }
    events.push(event(json!({}), finish.into(), Value::Null));
    if body.pointer("/stream_options/include_usage").and_then(Value::as_bool) == Some(true) {
        events.push(event(Value::Null, Value::Null, usage_json(usage)));
    }
    events.push("data: [DONE]\n\n".into());
    let body = Body::from_stream(stream::iter(events.into_iter().map(Ok::<_, std::io::Error>)));
    ([(header::CONTENT_TYPE, "text/event-stream")], body).into_response()
}

/// A body that breaks off after these pieces.
fn dying(kind: &'static str, pieces: Vec<String>) -> Response {
    let end = Err(std::io::Error::new(std::io::ErrorKind::ConnectionReset, "the stub lets it die"));
    let body = Body::from_stream(stream::iter(pieces.into_iter().map(Ok).chain([end])));
    ([(header::CONTENT_TYPE, kind)], body).into_response()
}

fn pieces(text: &str) -> impl Iterator<Item = String> {
    let chars: Vec<char> = text.chars().collect();
    let pieces: Vec<String> = chars.chunks(PIECE_CHARS).map(|piece| piece.iter().collect()).collect();
    pieces.into_iter()
}
