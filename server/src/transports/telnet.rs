//! The telnet listeners: who comes in, plain, encrypted, by a proxy, or over a restart of the program.
//!
//! `telnet_connection` is one of them from then on. Invariant: whoever is accepted has a slot before anything is read.

use super::proxy_protocol::{self, Source};
use super::stream::Stream;
use super::telnet_connection::TelnetConnection;
use super::terminal::Terminal;
use super::tls::{Secure, TlsListener};
use super::{TransportArgs, back_in_time, next_connection};
use crate::limits::{ConnectionRefusal, Purpose, Slot};
use crate::lobby::Lobby;
use crate::restart::Person;
use std::net::{IpAddr, SocketAddr, TcpStream as StdTcpStream};
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Accepts people until the server ends.
pub async fn accept(listener: TcpListener, lobby: Arc<Lobby>, settings: Arc<TransportArgs>) {
    loop {
        let (stream, peer) = next_connection(&listener).await;
        let address = peer.ip();
        if settings.trusted_proxy.trusts(address) {
            match lobby.connections.connect_through_proxy(address) {
                Ok(slot) => _ = tokio::spawn(behind_proxy(stream, peer, slot, lobby.clone())),
                Err(refusal) => turn_away(Stream::Plain(stream), address, refusal, &lobby),
            }
            continue;
        }
        match lobby.connect(address, Purpose::Play) {
            Ok(slot) => begin(Stream::Plain(stream), address, slot, &lobby, false),
            Err(refusal) => turn_away(Stream::Plain(stream), address, refusal, &lobby),
        }
    }
}

/// The same for those who come encrypted, each for itself alone: proxies have the other listener.
pub async fn accept_secure(mut listener: TlsListener, lobby: Arc<Lobby>) {
    loop {
        let Secure { stream, peer, mut slot } = listener.next().await;
        let (stream, address) = (Stream::Tls(Box::new(stream)), peer.ip());
        match lobby.not_banned(address).and_then(|()| slot.become_for(address, Purpose::Play)) {
            Ok(()) => begin(stream, address, slot, &lobby, false),
            Err(refusal) => turn_away(stream, address, refusal, &lobby),
        }
    }
}

/// A connection that a trusted proxy brings: whose it is stands before all else.
async fn behind_proxy(mut stream: TcpStream, peer: SocketAddr, mut slot: Slot, lobby: Arc<Lobby>) {
    // Whoever is named may be one of the proxies by its address, and is not believed for that.
    let (address, is_proxy) = match proxy_protocol::read(&mut stream).await {
        Ok(Source::Caller(address)) => (address, false),
        Ok(Source::Proxy) => (peer.ip(), true),
        Err(error) => {
            tracing::warn!(%peer, %error, "a connection from a trusted proxy was refused");
            let _best_effort = stream.try_write(format!("{error}.\r\n").as_bytes());
            return;
        }
    };
    match lobby.not_banned(address).and_then(|()| slot.become_for(address, Purpose::Play)) {
        Ok(()) => begin(Stream::Plain(stream), address, slot, &lobby, is_proxy),
        Err(refusal) => turn_away(Stream::Plain(stream), address, refusal, &lobby),
    }
}

/// `is_proxy`: as for `TelnetConnection::new`.
fn begin(stream: Stream, address: IpAddr, slot: Slot, lobby: &Arc<Lobby>, is_proxy: bool) {
    let connection = TelnetConnection::new(stream, address, slot, lobby.clone(), is_proxy);
    tokio::spawn(async move { connection.serve().await });
}

/// Tells why, where not too many are told already.
fn turn_away(stream: Stream, address: IpAddr, refusal: ConnectionRefusal, lobby: &Arc<Lobby>) {
    let Some(farewell) = lobby.connections.farewell() else { return };
    let mut terminal = Terminal::new(stream, address, lobby);
    tokio::spawn(async move {
        terminal.print(&format!("{refusal}\n")).await;
        terminal.end().await;
        drop(farewell);
    });
}

/// Goes on with people whose connections the program before handed over. Returns when they are back in the world, or
/// after a while (`back_in_time`). Nobody's lines are done before: the others must be there to hear them.
pub async fn adopt(people: Vec<(StdTcpStream, Person)>, lobby: &Arc<Lobby>) {
    let (mut on_their_way, mut waiting) = (Vec::new(), Vec::new());
    for (stream, person) in people {
        let stream = stream.set_nonblocking(true).and_then(|()| TcpStream::from_std(stream));
        let stream = match stream {
            Ok(stream) => stream,
            Err(error) => {
                tracing::warn!(%error, address = %person.address, "a connection could not be taken over");
                continue;
            }
        };
        let (back, is_back) = oneshot::channel();
        let (go_on, may_go_on) = oneshot::channel();
        // It was let in once, so it is not turned away now; but it counts.
        let slot = lobby.connections.adopt(person.address);
        let connection = TelnetConnection::new(Stream::Plain(stream), person.address, slot, lobby.clone(), false);
        tokio::spawn(async move { connection.resume(person, back, may_go_on).await });
        on_their_way.push(is_back);
        waiting.push(go_on);
    }
    if !back_in_time(on_their_way).await {
        tracing::warn!("some people were not back in the world in time; the listeners open meanwhile");
    }
    // Being dropped is the sign.
    drop(waiting);
}
