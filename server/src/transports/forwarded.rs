//! Whose request it is that a trusted proxy passes on: the rightmost address of `Forwarded` (RFC 7239) or
//! `X-Forwarded-For`, which the proxy itself has added. Everything left of it was said by the caller, who may say
//! anything.
//!
//! Invariant: asked only where the peer is a trusted proxy.

use super::is_somebodys;
use axum::http::HeaderMap;
use axum::http::header::FORWARDED;
use std::net::{IpAddr, SocketAddr};

const X_FORWARDED_FOR: &str = "x-forwarded-for";

/// A header of the proxy that names nobody.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the last address of {header} is {value:?}, which is no IP address of a caller")]
pub struct Nobody {
    pub header: &'static str,
    pub value: String,
}

/// The caller's address. `None`: the proxy asks for itself.
pub fn caller(headers: &HeaderMap) -> Result<Option<IpAddr>, Nobody> {
    if let Some(last) = headers.get_all(FORWARDED).iter().next_back() {
        let text = last.to_str().unwrap_or_default();
        let element = text.rsplit(',').next().unwrap_or_default();
        let named = element.split(';').filter_map(|pair| pair.split_once('='));
        let value = named.filter(|(name, _)| name.trim().eq_ignore_ascii_case("for")).map(|(_, value)| value).next();
        return address("Forwarded", value.unwrap_or(element)).map(Some);
    }
    if let Some(last) = headers.get_all(X_FORWARDED_FOR).iter().next_back() {
        let text = last.to_str().unwrap_or_default();
        return address("X-Forwarded-For", text.rsplit(',').next().unwrap_or_default()).map(Some);
    }
    Ok(None)
}

/// An address alone, with a port, in brackets or in quotes.
fn address(header: &'static str, value: &str) -> Result<IpAddr, Nobody> {
    let text = value.trim().trim_matches('"');
    let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
    let address = bare.parse::<IpAddr>().or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    match address.map(|address| address.to_canonical()) {
        Ok(address) if is_somebodys(address) => Ok(address),
        _ => Err(Nobody { header, value: value.trim().chars().take(60).collect() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(lines: &[(&'static str, &'static str)]) -> Result<Option<String>, String> {
        let mut headers = HeaderMap::new();
        for (name, value) in lines {
            headers.append(*name, value.parse().expect("the test wrote a header"));
        }
        caller(&headers).map(|found| found.map(|ip| ip.to_string())).map_err(|error| error.to_string())
    }

    #[test]
    fn the_last_address_counts() {
        let found = |ip: &str| Ok(Some(ip.to_string()));
        for (lines, expected) in [
            (vec![], Ok(None)),
            (vec![("x-forwarded-for", "203.0.113.9")], found("203.0.113.9")),
            (vec![("x-forwarded-for", "127.0.0.1, 203.0.113.9 ")], found("203.0.113.9")),
            (vec![("x-forwarded-for", "127.0.0.1"), ("x-forwarded-for", "203.0.113.9:4711")], found("203.0.113.9")),
            (vec![("x-forwarded-for", "::ffff:203.0.113.9")], found("203.0.113.9")),
            (vec![("forwarded", "for=127.0.0.1, for=203.0.113.9;proto=https;by=10.0.0.1")], found("203.0.113.9")),
            (vec![("forwarded", "proto=https; For=\"[2001:db8::1]:4711\"")], found("2001:db8::1")),
            (vec![("forwarded", "for=\"[2001:db8::1]\"")], found("2001:db8::1")),
            (vec![("x-forwarded-for", "192.0.2.1"), ("forwarded", "for=192.0.2.2")], found("192.0.2.2")),
        ] {
            assert_eq!(of(&lines), expected, "{lines:?}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused_and_named() {
        for lines in [
            [("x-forwarded-for", "127.0.0.1, unknown")],
            [("x-forwarded-for", "")],
            [("x-forwarded-for", "0.0.0.0")],
            [("x-forwarded-for", "255.255.255.255")],
            [("forwarded", "for=_hidden")],
            [("forwarded", "proto=https")],
            [("forwarded", "for=\"[2001:db8::1\"")],
        ] {
            let error = of(&lines).expect_err("nobody is named");
            assert!(error.contains("is no IP address of a caller"), "{error}");
        }
    }
}
