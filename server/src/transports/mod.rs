//! The transports: listeners, connections, timers and tasks around the pure sessions.
//!
//! What a connection needs of the rest of the server it gets from the `lobby`: who somebody is, and how they get into
//! the world.

pub mod admin;
mod backup;
pub mod head_time;
pub mod http;
pub mod stream;
pub mod telnet;
mod terminal;
pub mod tls;
pub mod websocket;

use std::net::SocketAddr;

/// An address to listen on. A name or a port alone is none, and the library's own words do not say what is.
pub fn listen_address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "it is no IP address with a port; write one such as 127.0.0.1:4351, 0.0.0.0:4351 or [::1]:4351".to_string()
    })
}
