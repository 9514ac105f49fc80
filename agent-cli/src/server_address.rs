//! The address of the server: where it is, whether the connection is encrypted, and whom one trusts there.
//!
//! One `ServerAddress` is made for a process and shared by its agents: certificates take memory. Invariants: with
//! `game_tls` nothing is sent before the certificate was checked, and nothing is ever sent in the clear instead;
//! without it nothing goes to a host that is not on a private network, but with `--insecure`.

use crate::cleartext::GAME_KEY;
use crate::config::Config;
use anyhow::{Context, bail};
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{self, CertificateError, ClientConfig, RootCertStore};

/// Where the game is.
#[derive(Clone)]
pub struct ServerAddress {
    host: String,
    port: u16,
    /// `None`: in the clear.
    tls: Option<Arc<ClientConfig>>,
    /// In the clear to anywhere.
    insecure: bool,
}

/// A connection, encrypted or not.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// The server cannot be trusted, or is not what the settings say: that does not get better by trying again.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct TrustError(String);

impl ServerAddress {
    /// As the settings say. Errors: the file of certificates cannot be read or holds none.
    pub fn of(config: &Config) -> anyhow::Result<ServerAddress> {
        if config.game_ca.is_some() && !config.game_tls {
            bail!("`game_ca` is for encrypted connections: set `game_tls` to true, too");
        }
        let tls = if config.game_tls { Some(Arc::new(client_config(config.game_ca.as_deref())?)) } else { None };
        Ok(ServerAddress { host: config.game_host.clone(), port: config.game_port, tls, insecure: config.insecure })
    }

    /// Host and port: what tokens are kept by, and what people are told.
    pub fn name(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// `wss://localhost:4352/ws`.
    pub fn url(&self) -> String {
        url(if self.tls.is_some() { "wss" } else { "ws" }, &self.host, self.port, "/ws")
    }

    /// The addresses that the host stands for now, if a key may be sent there. Errors: the network's, or `TrustError`.
    async fn addresses(&self) -> anyhow::Result<Vec<SocketAddr>> {
        let found: Vec<SocketAddr> = tokio::net::lookup_host((self.host.as_str(), self.port)).await?.collect();
        if self.tls.is_none() && !self.insecure {
            GAME_KEY.check(&self.host, &found).map_err(|exposed| TrustError(exposed.to_string()))?;
        }
        Ok(found)
    }

    /// Connects, and checks the certificate where there is to be one. Waits as long as the network does.
    pub async fn connect(&self) -> anyhow::Result<Box<dyn Stream>> {
        let stream = TcpStream::connect(self.addresses().await?.as_slice()).await?;
        stream.set_nodelay(true)?;
        let Some(tls) = &self.tls else { return Ok(Box::new(stream)) };
        let name = ServerName::try_from(self.host.clone()).context("a certificate cannot be for such a host")?;
        match TlsConnector::from(tls.clone()).connect(name, stream).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(match untrusted(&error, &self.host) {
                Some(untrusted) => untrusted.into(),
                None => error.into(),
            }),
        }
    }
}

/// An address below that of the server. IPv6 addresses are put into brackets.
pub fn url(scheme: &str, host: &str, port: u16, rest: &str) -> String {
    let host = if host.contains(':') { format!("[{host}]") } else { host.to_string() };
    format!("{scheme}://{host}:{port}{rest}")
}

/// The certificates in a file, at least one.
pub fn certificates(path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let text =
        std::fs::read(path).with_context(|| format!("reading the certificates (`game_ca`) {}", path.display()))?;
    let found: Vec<_> = CertificateDer::pem_slice_iter(&text)
        .collect::<Result<_, _>>()
        .with_context(|| format!("the certificates (`game_ca`) {} are damaged", path.display()))?;
    if found.is_empty() {
        bail!(
            "there is no certificate in {} (`game_ca`); it must be PEM, with -----BEGIN CERTIFICATE-----",
            path.display()
        );
    }
    Ok(found)
}

/// Whom to trust: those of the file and nobody else, or whom the machine trusts.
fn client_config(ca: Option<&Path>) -> anyhow::Result<ClientConfig> {
    use rustls_platform_verifier::BuilderVerifierExt;
    let builder = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .context("choosing versions of TLS")?;
    let Some(path) = ca else {
        let builder = builder.with_platform_verifier().context("reading whom this machine trusts")?;
        return Ok(builder.with_no_client_auth());
    };
    let mut roots = RootCertStore::empty();
    for certificate in certificates(path)? {
        roots.add(certificate).with_context(|| format!("using the certificates (`game_ca`) {}", path.display()))?;
    }
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// What is wrong with the server, where it is that, in words that say what to do.
pub fn untrusted(error: &(dyn std::error::Error + 'static), host: &str) -> Option<TrustError> {
    let why = match tls_error(error)? {
        rustls::Error::InvalidCertificate(wrong) => match wrong {
            // The signature of another who has the same name: made anew, perhaps, with another key.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "its certificate is signed by nobody who is trusted here; a server that signed its own is trusted with \
                 `game_ca`, the path of its certificate"
                    .to_string()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                format!("its certificate is for another host than {host}; set `game_host` to a name that it has")
            }
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "its certificate has expired; its operator must renew it".to_string()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "its certificate is not valid yet; check the clock of this machine".to_string()
            }
            other if other.to_string().contains("CaUsedAsEndEntity") => {
                "its certificate is that of an authority, not of a server; its operator makes one with \
                 basicConstraints=CA:FALSE (docs/OPERATIONS.md, TLS)"
                    .to_string()
            }
            other => format!("its certificate cannot be trusted: {other}"),
        },
        rustls::Error::InvalidMessage(_) => {
            "it does not encrypt; its encrypted listener has another port (4352, if its \
            operator chose no other: `game_port`), or set `game_tls` to false"
                .to_string()
        }
        _ => return None,
    };
    Some(TrustError(format!("the server cannot be trusted: {why}")))
}

/// The error of TLS that is the cause of another, at any depth.
fn tls_error<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(tls) = error.downcast_ref() {
            return Some(tls);
        }
        // An error of the network is not its own source: what it holds is asked for by another name.
        let held = error.downcast_ref::<std::io::Error>().and_then(|error| error.get_ref());
        next = match held {
            Some(held) => Some(held),
            None => error.source(),
        };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_the_certificates_is_said_with_their_path() {
        let folder = tempfile::tempdir().expect("a folder");
        let empty = folder.path().join("empty.pem");
        std::fs::write(&empty, "").expect("written");
        let damaged = folder.path().join("damaged.pem");
        std::fs::write(&damaged, "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n").expect("written");
        for (name, words) in [("none.pem", "reading"), ("empty.pem", "no certificate"), ("damaged.pem", "damaged")] {
            let config = Config { game_tls: true, game_ca: Some(folder.path().join(name)), ..Config::default() };
            let error = format!("{:#}", ServerAddress::of(&config).err().expect("it cannot be used"));
            assert!(error.contains(words) && error.contains(name), "{error}");
        }
        let config = Config { game_ca: Some(empty), ..Config::default() };
        let error = ServerAddress::of(&config).err().expect("without `game_tls` it would be a trap").to_string();
        assert!(error.contains("`game_tls`"), "{error}");
    }

    #[test]
    fn an_address_says_whether_it_is_encrypted() {
        let address = |tls| ServerAddress::of(&Config { game_tls: tls, game_host: "::1".into(), ..Config::default() });
        assert_eq!(address(false).expect("an address").url(), "ws://[::1]:4350/ws");
        assert_eq!(address(true).expect("an address").url(), "wss://[::1]:4350/ws");
    }

    #[tokio::test]
    async fn in_the_clear_it_leads_to_private_networks_only() {
        let address = |host: &str, game_tls, insecure| {
            ServerAddress::of(&Config { game_host: host.into(), game_tls, insecure, ..Config::default() })
                .expect("an address")
        };
        for near in ["127.0.0.1", "::1", "localhost", "192.168.1.7"] {
            assert!(address(near, false, false).addresses().await.is_ok(), "{near}");
        }
        for far in ["203.0.113.7", "2001:db8::7"] {
            let error = address(far, false, false).connect().await.err().expect("the key would be read on its way");
            assert!(error.is::<TrustError>(), "{error:#}");
            let words = error.to_string();
            assert!(words.contains("--game-tls true") && words.contains("--insecure"), "{words}");
            assert!(address(far, false, true).addresses().await.is_ok(), "{far}: it was asked for");
            assert!(address(far, true, false).addresses().await.is_ok(), "{far}: it is encrypted");
        }
    }

    #[test]
    fn the_cause_is_found_at_any_depth() {
        let wrong = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let inner = std::io::Error::new(std::io::ErrorKind::InvalidData, wrong);
        let outer = std::io::Error::other(inner);
        let told = untrusted(&outer, "a.b").expect("it is one").to_string();
        assert!(told.contains("`game_ca`"), "{told}");
        assert_eq!(untrusted(&std::io::Error::other("reset"), "a.b"), None);
    }
}
