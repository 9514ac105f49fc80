//! HTTP connections, from the accept to the last answer or the upgrade: each has a slot from its first byte, a time to
//! send the head of a request, a time to read the answer, and a bounded buffer.
//!
//! `http` says what is answered. hyper is driven here and not by `axum::serve`, which bounds none of these.
//! Invariant: whatever a peer sends or leaves unread, its connection ends within `HEAD_LONGEST` and the patience with
//! slow readers, unless it asks and reads as it should; at most `BUFFER_BYTES` of what it sends are held.

use super::caller::{Caller, SharedSlot};
use super::proxy_protocol::{self, Source};
use super::tls::TlsListener;
use super::write_deadline::WriteDeadline;
use super::{TransportArgs, next_connection};
use crate::limits::{ConnectionRefusal, Purpose, Slot};
use crate::lobby::Lobby;
use axum::Router;
use axum::extract::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::net::{IpAddr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// From the connection, and from each answer, to the end of the next head. A head is one packet.
const HEAD_LONGEST: Duration = Duration::from_secs(10);
/// Of a head that comes in; what goes out is written in such pieces. The smallest that hyper takes is half of it.
const BUFFER_BYTES: usize = 16 * 1024;

/// What every connection shares.
#[derive(Clone)]
pub struct HttpServer {
    pub app: Router,
    pub lobby: Arc<Lobby>,
    pub settings: Arc<TransportArgs>,
    /// Becomes true when the server ends: each connection answers what it was asked, and closes.
    pub closed: watch::Receiver<bool>,
}

impl HttpServer {
    /// Accepts until `closed`; returns when all connections that are no WebSockets have ended.
    pub async fn serve(self, listener: TcpListener) {
        let mut connections = JoinSet::new();
        let mut closed = self.closed.clone();
        loop {
            tokio::select! {
                (stream, peer) = next_connection(&listener) => {
                    let trusted = self.settings.trusted_proxy.trusts(peer.ip());
                    let slot = match trusted {
                        true => self.lobby.connections.connect_through_proxy(peer.ip()),
                        false => self.lobby.connect(peer.ip(), Purpose::Request),
                    };
                    match slot {
                        Ok(slot) => _ = connections.spawn(self.clone().accepted(stream, peer, trusted, slot)),
                        // Here and at once: a task for each would hold its connection until it has its turn.
                        Err(refusal) => refuse(&stream, refusal),
                    }
                }
                Some(_) = connections.join_next() => {}
                _ = closed.wait_for(|closed| *closed) => break,
            }
        }
        drop(listener);
        while connections.join_next().await.is_some() {}
    }

    /// The same for those who come encrypted.
    pub async fn serve_secure(self, mut listener: TlsListener) {
        let mut connections = JoinSet::new();
        let mut closed = self.closed.clone();
        loop {
            tokio::select! {
                secure = listener.next() => {
                    let address = secure.peer.ip();
                    let is_proxy = self.settings.trusted_proxy.trusts(address);
                    // Pages and all: a plain connection is refused as it is accepted.
                    if !is_proxy && self.lobby.not_banned(address).is_err() {
                        continue;
                    }
                    let caller = Caller { address, is_proxy, slot: SharedSlot::new(secure.slot) };
                    let server = self.clone();
                    connections.spawn(server.converse(secure.stream, caller));
                }
                Some(_) = connections.join_next() => {}
                _ = closed.wait_for(|closed| *closed) => break,
            }
        }
        drop(listener);
        while connections.join_next().await.is_some() {}
    }

    /// A plain connection that has its slot.
    async fn accepted(self, mut stream: TcpStream, peer: SocketAddr, trusted: bool, slot: Slot) {
        let named = match trusted {
            true => self.behind_proxy(&mut stream, peer, slot).await,
            false => Some((peer.ip(), false, slot)),
        };
        if let Some((address, is_proxy, slot)) = named {
            let caller = Caller { address, is_proxy, slot: SharedSlot::new(slot) };
            self.converse(stream, caller).await;
        }
    }

    /// Whose connection it is that a trusted proxy brings: as its PROXY header says, or as each request will.
    async fn behind_proxy(
        &self,
        stream: &mut TcpStream,
        peer: SocketAddr,
        mut slot: Slot,
    ) -> Option<(IpAddr, bool, Slot)> {
        let mut first = [0; 1];
        match tokio::time::timeout(HEAD_LONGEST, stream.peek(&mut first)).await {
            Ok(Ok(1)) if first[0] == proxy_protocol::SIGNATURE[0] => {}
            Ok(Ok(1)) => return Some((peer.ip(), true, slot)),
            _ => return None,
        }
        match proxy_protocol::read(stream).await {
            Ok(Source::Proxy) => Some((peer.ip(), true, slot)),
            Ok(Source::Caller(address)) => {
                match self.lobby.not_banned(address).and_then(|()| slot.become_for(address, Purpose::Request)) {
                    Ok(()) => Some((address, false, slot)),
                    Err(refusal) => {
                        refuse(stream, refusal);
                        None
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%peer, %error, "a connection from a trusted proxy was refused");
                answer(stream, "400 Bad Request", &format!("{error}.\n"));
                None
            }
        }
    }

    /// Answers requests until the connection ends or is a WebSocket.
    async fn converse<S: AsyncRead + AsyncWrite + Unpin + Send + 'static>(self, stream: S, caller: Caller) {
        let HttpServer { app, lobby, mut closed, .. } = self;
        let patience = lobby.limits.patience();
        let io = TokioIo::new(WriteDeadline::new(stream, patience, caller.slot.clone()));
        let service = service_fn(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(caller.clone());
            let answering = TowerToHyperService::new(app.clone()).call(request);
            async move {
                // Hundreds of requests may stand in one write: between two of them it is others' turn.
                tokio::task::yield_now().await;
                answering.await
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD_LONGEST)
            .max_buf_size(BUFFER_BYTES)
            .serve_connection(io, service)
            .with_upgrades();
        let mut connection = pin!(connection);
        let mut closing = false;
        loop {
            tokio::select! {
                ended = connection.as_mut() => {
                    if let Err(error) = ended {
                        tracing::debug!(%error, "an HTTP connection broke");
                    }
                    return;
                }
                _ = closed.wait_for(|closed| *closed), if !closing => {
                    closing = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

/// Tells who has too many connections so, as far as the system takes it at once, and hangs up.
fn refuse(stream: &TcpStream, refusal: ConnectionRefusal) {
    answer(stream, "503 Service Unavailable", &format!("{refusal}\n"));
}

fn answer(stream: &TcpStream, status: &str, text: &str) {
    let length = text.len();
    let answer = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: {length}\r\n\
         Connection: close\r\n\r\n{text}"
    );
    let _best_effort = stream.try_write(answer.as_bytes());
}
