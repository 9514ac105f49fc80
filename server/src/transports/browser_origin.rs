//! Which web pages may open a WebSocket here. A browser sends the page's origin along; programs send none.
//!
//! Without this, any page that somebody on the agents' machine has open could play, or guess passwords, from inside of
//! the network. Invariant: a page of another host is let in only where the operator named it, in a list or as
//! the server's own address. A host's name proves
//! nothing (whoever owns one may point it at this machine), so same-origin counts only by address and `localhost`.

use parking_lot::RwLock;
use std::net::IpAddr;
use std::str::FromStr;

/// Origins that the operator named, as `https://play.example.org`; comma between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AllowedOrigins(Vec<String>);

impl FromStr for AllowedOrigins {
    type Err = String;

    fn from_str(text: &str) -> Result<AllowedOrigins, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let origins = parts.map(|part| {
            let wrong = || format!("{part:?} is no origin of a page; write one such as https://play.example.org");
            origin_in(part).ok_or_else(wrong)
        });
        Ok(AllowedOrigins(origins.collect::<Result<_, _>>()?))
    }
}

impl AllowedOrigins {
    /// Whether a page of this origin may come in, by a request to this host (the header `Host`).
    pub fn permit(&self, origin: &str, host: &str) -> bool {
        let origin = origin.trim().to_ascii_lowercase();
        if self.0.contains(&origin) {
            return true;
        }
        let authority = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        authority.is_some_and(|authority| authority == host.trim().to_ascii_lowercase() && is_own(authority))
    }
}

/// Where the world finds this server, as the operator says: `https://play.example.org`, with or without a `/` behind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    origin: String,
}

impl FromStr for PublicUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<PublicUrl, String> {
        let wrong =
            || format!("{text:?} is no address of a server without a path; write one such as https://play.example.org");
        let text = text.trim();
        let origin = origin_in(text.strip_suffix('/').unwrap_or(text)).ok_or_else(wrong)?;
        Ok(PublicUrl { origin })
    }
}

impl PublicUrl {
    /// The name of the machine in it.
    pub fn host(&self) -> String {
        let authority = self.origin.split_once("://").map_or("", |(_, authority)| authority);
        let bare = authority.rsplit_once(':').filter(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
        bare.map_or(authority, |(host, _)| host).to_string()
    }

    /// Whether a page comes from there.
    pub fn is_origin(&self, origin: &str) -> bool {
        self.origin == origin.trim().to_ascii_lowercase()
    }
}

/// Which pages are let in, as the operator said last. One for the whole server.
#[derive(Debug, Default)]
pub struct Origins(RwLock<(AllowedOrigins, Option<PublicUrl>)>);

impl Origins {
    pub fn new(allowed: AllowedOrigins, public: Option<PublicUrl>) -> Origins {
        Origins(RwLock::new((allowed, public)))
    }

    /// From now on these are let in, and no others. Who is in already stays.
    pub fn set(&self, allowed: AllowedOrigins, public: Option<PublicUrl>) {
        *self.0.write() = (allowed, public);
    }

    /// Whether a page of this origin may open a WebSocket, by a request to this host.
    pub fn permit(&self, origin: &str, host: &str) -> bool {
        let (allowed, public) = &*self.0.read();
        public.as_ref().is_some_and(|url| url.is_origin(origin)) || allowed.permit(origin, host)
    }
}

/// Scheme, host and port, in small letters; `None` where there is more or less.
fn origin_in(text: &str) -> Option<String> {
    let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let is_origin = !rest.is_empty() && !rest.contains(['/', '?', '#', '@', ' ']);
    is_origin.then(|| text.to_ascii_lowercase())
}

/// A host that nobody else can give a meaning.
fn is_own(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if !port.is_empty() && port.bytes().all(|digit| digit.is_ascii_digit()) => host,
        _ => authority,
    };
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host);
    bare == "localhost" || bare.parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_own_and_listed_pages_come_in() {
        let allowed: AllowedOrigins = "https://play.example.org, http://Dev.example:8080".parse().expect("two origins");
        for (origin, host, expected, why) in [
            ("https://play.example.org", "mud.example.org", true, "listed"),
            ("HTTPS://Play.Example.org", "mud.example.org", true, "case does not matter"),
            ("http://dev.example:8080", "127.0.0.1:4350", true, "listed with its port"),
            ("http://dev.example", "127.0.0.1:4350", false, "another port"),
            ("https://evil.example", "127.0.0.1:4350", false, "a page of somebody else"),
            ("http://127.0.0.1:4350", "127.0.0.1:4350", true, "our own page"),
            ("http://localhost:4350", "localhost:4350", true, "our own page by name"),
            ("http://[::1]:4350", "[::1]:4350", true, "our own page, IPv6"),
            ("http://127.0.0.1:8000", "127.0.0.1:4350", false, "another server on this machine"),
            ("http://evil.example:4350", "evil.example:4350", false, "a name that was pointed at us"),
            ("null", "127.0.0.1:4350", false, "a page from a file"),
            ("", "", false, "nothing at all"),
        ] {
            assert_eq!(allowed.permit(origin, host), expected, "{origin} {host}: {why}");
        }
        for wrong in ["play.example.org", "https://", "https://a.example/path", "*"] {
            assert!(wrong.parse::<AllowedOrigins>().is_err(), "{wrong}");
        }
        assert_eq!("".parse(), Ok(AllowedOrigins::default()));
    }

    #[test]
    fn who_is_let_in_changes_while_the_server_runs() {
        let origins = Origins::new("https://a.example".parse().expect("an origin"), None);
        assert!(origins.permit("https://a.example", "x") && !origins.permit("https://b.example", "x"));
        origins.set(AllowedOrigins::default(), Some("https://b.example".parse().expect("an address")));
        assert!(!origins.permit("https://a.example", "x") && origins.permit("https://b.example", "x"));
    }

    #[test]
    fn the_public_address_lets_its_own_pages_in() {
        let url: PublicUrl = "https://Play.example.org/".parse().expect("an address");
        assert!(url.is_origin("https://play.example.org"));
        for other in ["http://play.example.org", "https://play.example.org:8443", "https://example.org", "null", ""] {
            assert!(!url.is_origin(other), "{other}");
        }
        for wrong in ["play.example.org", "https://play.example.org/game", "ftp://play.example.org", "https://", ""] {
            assert!(wrong.parse::<PublicUrl>().is_err(), "{wrong}");
        }
    }
}
