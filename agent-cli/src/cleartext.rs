//! Secrets in the clear: whether a key, a password or a token may go to a host that does not encrypt.
//!
//! Unencrypted it may go to this machine and to private networks, and anywhere else only with `--insecure`. A name is
//! judged by the addresses that it stands for now, all of them; what is connected to then are those addresses, so that
//! a name cannot come to mean another in between. Invariant: nothing is sent here.

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, ToSocketAddrs};

/// A secret would leave for a network that many can read. Trying again does not help.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "{secret} would go unencrypted to {host} ({address}), which is neither this machine nor a private network: {remedy}, \
     or add --insecure to send it all the same"
)]
pub struct Exposed {
    secret: &'static str,
    host: String,
    address: IpAddr,
    remedy: &'static str,
}

/// A secret, and what to do so that it travels encrypted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kind {
    pub secret: &'static str,
    pub remedy: &'static str,
}

const ENCRYPT_GAME: &str =
    "encrypt the connection (`dp-agent config --game-tls true --game-port 4352`, if its operator offers that)";

pub const GAME_KEY: Kind = Kind { secret: "what the game knows you by", remedy: ENCRYPT_GAME };
pub const ADMIN_TOKEN: Kind = Kind { secret: "the server's admin token", remedy: ENCRYPT_GAME };
pub const MODEL_KEY: Kind =
    Kind { secret: "the key for the model", remedy: "give its endpoint (`litellm_endpoint`) as https://" };
pub const EMBEDDINGS_KEY: Kind =
    Kind { secret: "the key for embeddings", remedy: "give their endpoint (--embeddings) as https://" };

/// Whether an address is of this machine or of a private network. Source: RFC 1918, 3927, 4193, 4291, 6598.
pub fn is_private(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(v4) => {
            let shared = v4 & Ipv4Addr::new(255, 192, 0, 0) == Ipv4Addr::new(100, 64, 0, 0);
            v4.is_loopback() || v4.is_private() || v4.is_link_local() || v4.is_unspecified() || shared
        }
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unique_local() || v6.is_unicast_link_local() || v6.is_unspecified(),
    }
}

impl Kind {
    /// Refuses unless all of these addresses of a host are private.
    pub fn check(self, host: &str, addresses: &[SocketAddr]) -> Result<(), Exposed> {
        match addresses.iter().find(|address| !is_private(address.ip())) {
            None => Ok(()),
            Some(address) => {
                Err(Exposed { secret: self.secret, host: host.to_string(), address: address.ip(), remedy: self.remedy })
            }
        }
    }

    /// A client for this address with a secret in it: one that is refused at once where it is known already that the
    /// secret would be exposed, and else resolves names to private addresses only. A name that cannot be resolved now
    /// may be later. Waits for the resolver.
    pub fn guard(self, builder: reqwest::ClientBuilder, url: &reqwest::Url) -> Result<reqwest::ClientBuilder, Exposed> {
        let Some(host) = url.host_str().filter(|_| url.scheme() == "http") else { return Ok(builder) };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let port = url.port_or_known_default().unwrap_or(80);
        let found: Vec<SocketAddr> = (bare, port).to_socket_addrs().map(Iterator::collect).unwrap_or_default();
        self.check(bare, &found)?;
        Ok(builder.dns_resolver(PrivateNames(self)))
    }
}

/// Resolves names as the system does, and refuses those that stand for any address that is not private.
struct PrivateNames(Kind);

impl Resolve for PrivateNames {
    fn resolve(&self, name: Name) -> Resolving {
        let kind = self.0;
        Box::pin(async move {
            let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            kind.check(name.as_str(), &found)?;
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_and_private_networks_are_told_from_the_rest() {
        for private in [
            "127.0.0.1",
            "127.8.9.1",
            "10.1.2.3",
            "172.16.0.1",
            "172.31.255.1",
            "192.168.1.1",
            "169.254.1.1",
            "100.64.0.1",
            "100.127.9.9",
            "0.0.0.0",
            "::1",
            "::",
            "fd00::1",
            "fe80::1",
            "::ffff:10.0.0.1",
        ] {
            assert!(is_private(private.parse().expect("an address")), "{private}");
        }
        for public in [
            "203.0.113.7",
            "8.8.8.8",
            "172.32.0.1",
            "172.15.0.1",
            "192.169.0.1",
            "100.128.0.1",
            "100.63.255.255",
            "11.0.0.1",
            "2001:db8::1",
            "::ffff:203.0.113.7",
            "2002:a00:1::1",
        ] {
            assert!(!is_private(public.parse().expect("an address")), "{public}");
        }
    }

    #[test]
    fn one_public_address_among_those_of_a_name_is_enough() {
        let addresses = |texts: &[&str]| -> Vec<SocketAddr> {
            texts.iter().map(|text| SocketAddr::new(text.parse().expect("an address"), 1)).collect()
        };
        assert_eq!(GAME_KEY.check("game", &addresses(&["10.0.0.1", "::1"])), Ok(()));
        let error = GAME_KEY.check("game", &addresses(&["10.0.0.1", "203.0.113.7"])).expect_err("it is public");
        let words = error.to_string();
        for word in ["game (203.0.113.7)", "--insecure", "--game-tls true"] {
            assert!(words.contains(word), "{words}");
        }
    }

    #[test]
    fn a_client_for_an_exposed_address_is_not_made() {
        let guarded = |url: &str| {
            let url = reqwest::Url::parse(url).expect("an address");
            MODEL_KEY.guard(crate::model::http::builder(url.as_str()), &url)
        };
        for near in ["http://127.0.0.1:4000/v1", "http://[::1]:4000/", "http://localhost/", "https://203.0.113.7/"] {
            assert!(guarded(near).is_ok(), "{near}");
        }
        for far in ["http://203.0.113.7:4000/v1", "http://[2001:db8::7]/v1"] {
            let error = guarded(far).expect_err("its key would be read").to_string();
            assert!(error.contains("https://") && error.contains("--insecure"), "{error}");
        }
    }

    #[tokio::test]
    async fn names_are_judged_by_what_they_stand_for() {
        let name: Name = "localhost".parse().expect("a name");
        let found = PrivateNames(MODEL_KEY).resolve(name).await.expect("this machine");
        assert!(found.map(|address| address.ip()).all(is_private));
    }
}
