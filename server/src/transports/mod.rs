//! The transports: listeners, connections, timers and tasks around the pure sessions.
//!
//! `connection` is what every connection does, whatever carries it; `person_login` and `program_login` are the ways in
//! of both kinds of caller; a transport is the loop around these: `telnet` with `telnet_connection` and `terminal`,
//! `websocket` behind `http_server` and `http`. What they need of the rest of the server they get from the `lobby`: who
//! somebody is, and how they get into the world.
//! Invariant: whoever connects, by whatever listener, has a slot before a byte of theirs is read.

pub mod admin;
mod backup;
pub mod browser_origin;
mod caller;
mod connection;
pub mod descriptors;
mod forwarded;
mod host_session;
pub mod http;
pub mod http_server;
mod person_login;
mod program_login;
mod proxy_protocol;
pub mod stream;
pub mod streams;
mod subprotocols;
pub mod telnet;
mod telnet_connection;
mod terminal;
pub mod tls;
mod waiting_lines;
pub mod websocket;
mod write_deadline;

use self::browser_origin::{AllowedOrigins, Origins, PublicUrl};
use crate::api::PlotsAudience;
use crate::limits::Network;
use std::net::{IpAddr, SocketAddr};
use std::str::FromStr;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// Flatten this into a command line.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "Proxies and browsers")]
pub struct TransportArgs {
    /// Proxies that are believed whose connection they bring: addresses or networks, comma between them. On the telnet
    /// listener they must send a PROXY header (version 2), on the HTTP listener that or `Forwarded` or
    /// `X-Forwarded-For`.
    #[arg(long, value_name = "ADDRESSES", default_value = "")]
    pub trusted_proxy: TrustedProxies,
    /// Pages that may open a WebSocket here, as https://play.example.org, comma between them. Programs need none.
    #[arg(long, value_name = "ORIGINS", default_value = "")]
    pub allowed_origin: AllowedOrigins,
    /// Where browsers find this server, as https://play.example.org: the page that is loaded there may play. By its
    /// address or as localhost it may without.
    #[arg(long, value_name = "URL")]
    pub public_url: Option<PublicUrl>,
    /// Who may read of plots, and see their pictures, by HTTP
    #[arg(long, value_enum, default_value_t, value_name = "WHO")]
    pub plots: PlotsAudience,
}

impl TransportArgs {
    /// The name of the machine, where browsers find it.
    pub fn public_host(&self) -> Option<String> {
        self.public_url.as_ref().map(PublicUrl::host)
    }

    /// The pages that may open a WebSocket.
    pub fn origins(&self) -> Origins {
        Origins::new(self.allowed_origin.clone(), self.public_url.clone())
    }
}

/// Who is believed about others' addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<Network>);

impl TrustedProxies {
    pub fn trusts(&self, peer: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(peer))
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    fn from_str(text: &str) -> Result<TrustedProxies, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        Ok(TrustedProxies(parts.map(Network::from_str).collect::<Result<_, _>>()?))
    }
}

/// Whether anybody can call from there: who names such an address names nobody.
fn is_somebodys(address: IpAddr) -> bool {
    let is_broadcast = matches!(address, IpAddr::V4(v4) if v4.is_broadcast());
    !address.is_unspecified() && !address.is_multicast() && !is_broadcast
}

/// An address to listen on. A name or a port alone is none, and the library's own words do not say what is.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "it is no IP address with a port; write one such as 127.0.0.1:4351, 0.0.0.0:4351 or [::1]:4351".to_string()
    })
}

/// How long the listeners wait for those whom the program before handed over.
const RESUME_LONGEST: Duration = Duration::from_secs(5);

/// Waits until all who were handed over are back in the world, or are not coming. False: some took too long.
async fn back_in_time(on_their_way: Vec<oneshot::Receiver<()>>) -> bool {
    let all_back = async {
        for is_back in on_their_way {
            // One that ended on the way needs no waiting for.
            let _back = is_back.await;
        }
    };
    tokio::time::timeout(RESUME_LONGEST, all_back).await.is_ok()
}

/// The next who connects.
async fn next_connection(listener: &TcpListener) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                // Without it a prompt or a small frame may wait for the acknowledgement of what went before.
                let _best_effort = stream.set_nodelay(true);
                return (stream, peer);
            }
            Err(error) => {
                // Out of file handles, most likely: let some close.
                tracing::warn!(%error, "a connection could not be accepted");
                tokio::time::sleep(Duration::from_millis(200)).await;
            }
        }
    }
}
