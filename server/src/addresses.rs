//! Addresses as flags and keys of the config file take them.

use std::net::SocketAddr;

/// An address to listen on. A name or a port alone is none, and the library's own words do not say what is.
pub fn address(text: &str) -> Result<SocketAddr, String> {
    text.parse().map_err(|_| {
        "it is no IP address with a port; write one such as 127.0.0.1:4351, 0.0.0.0:4351 or [::1]:4351".to_string()
    })
}
