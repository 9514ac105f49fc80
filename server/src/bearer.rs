//! The header `Authorization: Bearer …`: what stands in it, whether that is a secret, and a request to a process of
//! this machine that carries one.

use anyhow::Context;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, Response, header};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use std::net::SocketAddr;
use std::time::Duration;
use subtle::ConstantTimeEq;
use tokio::net::TcpStream;
use tokio::task::JoinHandle;

const CONNECT_LONGEST: Duration = Duration::from_secs(2);

/// What was given; empty where the header is of another kind, `None` where there is none.
pub fn given(headers: &HeaderMap) -> Option<&[u8]> {
    let value = headers.get(header::AUTHORIZATION)?;
    Some(value.as_bytes().strip_prefix(b"Bearer ").unwrap_or_default())
}

/// Takes as long whatever is given.
pub fn is_secret(given: &[u8], secret: &str) -> bool {
    given.ct_eq(secret.as_bytes()).into()
}

/// The connection of one request. Dropped, it ends, and with it what the other side does for the answer.
pub struct Connection(Option<JoinHandle<()>>);

impl Connection {
    /// Goes on for as long as the answer is read.
    pub fn detach(mut self) {
        self.0.take();
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// One request on a connection of its own; its answer's body comes as it is read. Neither TLS nor a proxy is between.
pub async fn ask(
    address: SocketAddr,
    secret: &str,
    method: Method,
    target: &str,
    body: Body,
) -> anyhow::Result<(Response<Body>, Connection)> {
    let connecting = tokio::time::timeout(CONNECT_LONGEST, TcpStream::connect(address));
    let stream = connecting.await.context("it does not answer")??;
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await?;
    let connection = Connection(Some(tokio::spawn(async move {
        // How it ended is told to whoever reads the answer.
        let _ended = connection.await;
    })));
    let request = Request::builder()
        .method(method)
        .uri(target)
        .header(header::HOST, address.to_string())
        .header(header::AUTHORIZATION, format!("Bearer {secret}"))
        .body(body)?;
    Ok((sender.send_request(request).await?.map(Body::new), connection))
}
