//! TLS for both listeners: the certificate, and the handshakes, which are done before anybody else sees the connection.
//!
//! Invariants: a caller who does not finish its handshake holds up nobody: handshakes run beside the accepting, each
//! has `HANDSHAKE_LONGEST` and less until its first byte, one address has no more of them than it may have requests,
//! and where `HANDSHAKES_MAX` run, whoever has the most loses the oldest. What comes out of here is accepted and
//! encrypted, has its slot, and nothing of the game was sent on it.

use super::next_connection;
use crate::limits::{Origin, Purpose, Slot};
use crate::lobby::Lobby;
use anyhow::{Context, bail};
use parking_lot::{Mutex, RwLock};
use std::collections::{BTreeMap, HashMap};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{ClientHello, ResolvesServerCert};
use tokio_rustls::rustls::sign::CertifiedKey;
use tokio_rustls::rustls::{Error, ServerConfig};
use tokio_rustls::server::TlsStream;

const HANDSHAKE_LONGEST: Duration = Duration::from_secs(10);
/// A client speaks first, at once.
const FIRST_BYTE_LONGEST: Duration = Duration::from_secs(3);
const HANDSHAKES_MAX: usize = 256;
/// Finished and not yet taken by its listener.
const READY_MAX: usize = 64;

const HTTPS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 4352);
const TELNETS: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 4353);

/// Flatten this into a command line.
#[derive(Clone, Debug, Default, clap::Args)]
#[command(next_help_heading = "TLS (both listeners a second time, encrypted)")]
pub struct TlsArgs {
    /// Certificate chain, PEM, the server's own first; opens the two listeners below beside the plain ones
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// Private key of the certificate, PEM
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Address of the encrypted listener for programs [default: 127.0.0.1:4352]
    #[arg(long, value_name = "ADDRESS", requires = "tls_cert", value_parser = super::listen_address)]
    pub https: Option<SocketAddr>,
    /// Address of the encrypted listener for people [default: 127.0.0.1:4353]
    #[arg(long, value_name = "ADDRESS", requires = "tls_cert", value_parser = super::listen_address)]
    pub telnets: Option<SocketAddr>,
}

impl TlsArgs {
    pub fn https(&self) -> SocketAddr {
        self.https.unwrap_or(HTTPS)
    }

    pub fn telnets(&self) -> SocketAddr {
        self.telnets.unwrap_or(TELNETS)
    }

    /// What the two files hold. `None`: no TLS is wanted. Says which file is wrong, and how.
    pub fn load(&self) -> anyhow::Result<Option<Certificate>> {
        match (&self.tls_cert, &self.tls_key) {
            (None, None) => Ok(None),
            (Some(cert), Some(key)) => Certificate::load(cert, key).map(Some),
            (Some(_), None) => bail!("--tls-cert needs the key of the certificate: --tls-key FILE"),
            (None, Some(_)) => bail!("--tls-key needs the certificate of the key: --tls-cert FILE"),
        }
    }
}

/// A certificate with its key, which fit each other. Cloning shares it: who reads it anew reads it for all.
#[derive(Clone)]
pub struct Certificate(Arc<Newest>);

/// What handshakes that begin now are done with; those that are done keep theirs.
#[derive(Debug)]
struct Newest(RwLock<Arc<CertifiedKey>>);

impl ResolvesServerCert for Newest {
    fn resolve(&self, _asked: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        Some(self.0.read().clone())
    }
}

impl Certificate {
    fn load(cert: &Path, key: &Path) -> anyhow::Result<Certificate> {
        let read = |path: &Path, what: &str| {
            std::fs::read(path).with_context(|| format!("reading the {what} {}", path.display()))
        };
        let chain: Vec<CertificateDer<'static>> = CertificateDer::pem_slice_iter(&read(cert, "certificate")?)
            .collect::<Result<_, _>>()
            .with_context(|| format!("the certificate {} is damaged", cert.display()))?;
        if chain.is_empty() {
            bail!("there is no certificate in {}; it must be PEM, with -----BEGIN CERTIFICATE-----", cert.display());
        }
        let private = match PrivateKeyDer::from_pem_slice(&read(key, "key")?) {
            Ok(private) => private,
            Err(pem::Error::NoItemsFound) => bail!(
                "there is no private key in {}; it must be PEM, with -----BEGIN PRIVATE KEY----- and not encrypted",
                key.display()
            ),
            Err(error) => return Err(error).with_context(|| format!("the key {} is damaged", key.display())),
        };
        match CertifiedKey::from_der(chain, private, &ring::default_provider()) {
            Ok(pair) => Ok(Certificate(Arc::new(Newest(RwLock::new(Arc::new(pair)))))),
            Err(Error::InconsistentKeys(_)) => {
                bail!("the key {} does not belong to the certificate {}", key.display(), cert.display())
            }
            Err(error) => Err(error)
                .with_context(|| format!("using the certificate {} with the key {}", cert.display(), key.display())),
        }
    }

    /// Handshakes from now on are done with that of another, wherever this one is in use.
    pub fn become_like(&self, other: &Certificate) {
        let pair = other.0.0.read().clone();
        *self.0.0.write() = pair;
    }

    /// Does handshakes for what a listener accepts. `protocols`: by the names of ALPN, may be empty. The task ends with
    /// the server.
    pub fn guard(&self, listener: TcpListener, protocols: &[&[u8]], lobby: Arc<Lobby>) -> TlsListener {
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .expect("this provider has suites for each version")
            .with_no_client_auth()
            .with_cert_resolver(self.0.clone());
        config.alpn_protocols = protocols.iter().map(|name| name.to_vec()).collect();
        let (ready, finished) = mpsc::channel(READY_MAX);
        let task = tokio::spawn(accept(listener, TlsAcceptor::from(Arc::new(config)), lobby, ready));
        TlsListener { finished, task: task.abort_handle() }
    }
}

async fn accept(listener: TcpListener, acceptor: TlsAcceptor, lobby: Arc<Lobby>, ready: mpsc::Sender<Secure>) {
    let handshakes = Arc::new(Handshakes::default());
    loop {
        let (stream, peer) = next_connection(&listener).await;
        // Nobody is there yet who could read why.
        let Ok(slot) = lobby.connections.connect(peer.ip(), Purpose::Request) else { continue };
        let (acceptor, ready) = (acceptor.clone(), ready.clone());
        let number = handshakes.next_number();
        let (running, begun) = (handshakes.clone(), oneshot::channel::<()>());
        let task = tokio::spawn(async move {
            // Not before it can be found, and ended, by its number.
            let _found = begun.1.await;
            let shaken = shake_hands(acceptor, stream).await;
            running.remove(number);
            match shaken {
                // A listener that takes none any more is closed.
                Ok(stream) => _ = ready.send(Secure { stream, peer, slot }).await,
                Err(error) => tracing::debug!(%error, %peer, "a handshake failed"),
            }
        });
        handshakes.add(number, Origin::of(peer.ip()), task.abort_handle());
        let _runs = begun.0.send(());
    }
}

async fn shake_hands(acceptor: TlsAcceptor, stream: TcpStream) -> std::io::Result<TlsStream<TcpStream>> {
    let silent = || std::io::Error::new(std::io::ErrorKind::TimedOut, "nothing came");
    tokio::time::timeout(FIRST_BYTE_LONGEST, stream.readable()).await.map_err(|_| silent())??;
    let slow = || std::io::Error::new(std::io::ErrorKind::TimedOut, "it took too long");
    tokio::time::timeout(HANDSHAKE_LONGEST, acceptor.accept(stream)).await.map_err(|_| slow())?
}

/// The handshakes that run, oldest first.
#[derive(Default)]
struct Handshakes {
    next: AtomicU64,
    running: Mutex<BTreeMap<u64, (Origin, AbortHandle)>>,
}

impl Handshakes {
    fn next_number(&self) -> u64 {
        self.next.fetch_add(1, Ordering::Relaxed)
    }

    /// Where there are too many, the oldest of whoever has the most is ended.
    fn add(&self, number: u64, origin: Origin, task: AbortHandle) {
        let mut running = self.running.lock();
        running.insert(number, (origin, task));
        if running.len() > HANDSHAKES_MAX
            && let Some(last) = one_too_many(running.iter().map(|(number, (origin, _))| (*number, *origin)))
            && let Some((_, task)) = running.remove(&last)
        {
            task.abort();
        }
    }

    fn remove(&self, number: u64) {
        self.running.lock().remove(&number);
    }
}

/// The oldest of the origin with the most, of handshakes in the order of their age. Where several have the most, it is
/// of the one that began first.
fn one_too_many(handshakes: impl Iterator<Item = (u64, Origin)>) -> Option<u64> {
    let mut by_origin: HashMap<Origin, (usize, u64)> = HashMap::new();
    for (number, origin) in handshakes {
        by_origin.entry(origin).and_modify(|(count, _)| *count += 1).or_insert((1, number));
    }
    by_origin.into_values().max_by_key(|(count, oldest)| (*count, std::cmp::Reverse(*oldest))).map(|(_, oldest)| oldest)
}

/// An encrypted connection, where it comes from, and its slot.
pub struct Secure {
    pub stream: TlsStream<TcpStream>,
    pub peer: SocketAddr,
    pub slot: Slot,
}

/// A listener behind handshakes. Dropping it closes it.
pub struct TlsListener {
    finished: mpsc::Receiver<Secure>,
    task: AbortHandle,
}

impl TlsListener {
    /// The next who finished its handshake.
    pub async fn next(&mut self) -> Secure {
        match self.finished.recv().await {
            Some(secure) => secure,
            None => std::future::pending().await,
        }
    }
}

impl Drop for TlsListener {
    fn drop(&mut self) {
        self.task.abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn made(folder: &Path, name: &str) -> (PathBuf, PathBuf) {
        let rcgen::CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["localhost".to_string()]).expect("a certificate is made");
        let paths = (folder.join(format!("{name}.crt")), folder.join(format!("{name}.key")));
        std::fs::write(&paths.0, cert.pem()).expect("it is written");
        std::fs::write(&paths.1, signing_key.serialize_pem()).expect("it is written");
        paths
    }

    #[test]
    fn whoever_has_the_most_handshakes_loses_the_oldest() {
        let origin = |text: &str| Origin::of(text.parse().expect("the test wrote an address"));
        let (a, b, c) = (origin("192.0.2.1"), origin("192.0.2.2"), origin("2001:db8::1"));
        let neighbour = origin("2001:db8::2");
        for (of, expected) in [
            (vec![], None),
            (vec![a], Some(0)),
            (vec![a, b], Some(0)),
            (vec![a, b, b], Some(1)),
            (vec![a, a, b, b], Some(0)),
            (vec![a, c, b, neighbour], Some(1)),
        ] {
            let numbered = of.iter().enumerate().map(|(number, origin)| (number as u64, *origin));
            assert_eq!(one_too_many(numbered), expected, "{of:?}");
        }
    }

    #[test]
    fn what_is_wrong_with_the_files_is_said_with_their_names() {
        let folder = tempfile::tempdir().expect("a folder");
        let (cert, key) = made(folder.path(), "one");
        let (_, other_key) = made(folder.path(), "two");
        let empty = folder.path().join("empty");
        std::fs::write(&empty, "").expect("it is written");
        let damaged = folder.path().join("damaged");
        std::fs::write(&damaged, "-----BEGIN CERTIFICATE-----\n???\n-----END CERTIFICATE-----\n").expect("written");
        let load = |cert: &Path, key: &Path| {
            let args = TlsArgs { tls_cert: Some(cert.into()), tls_key: Some(key.into()), ..TlsArgs::default() };
            args.load().map(|certificate| certificate.is_some()).map_err(|error| format!("{error:#}"))
        };
        assert_eq!(load(&cert, &key), Ok(true));
        for (cert, key, words) in [
            (folder.path().join("none").as_path(), key.as_path(), ["reading the certificate", "none"]),
            (&cert, &folder.path().join("none"), ["reading the key", "none"]),
            (&empty, &key, ["no certificate", "empty"]),
            (&key, &key, ["no certificate", "one.key"]),
            (&damaged, &key, ["is damaged", "damaged"]),
            (&cert, &cert, ["no private key", "one.crt"]),
            (&cert, &other_key, ["does not belong to", "two.key"]),
        ] {
            let error = load(cert, key).expect_err("it cannot be used");
            assert!(words.iter().all(|word| error.contains(word)), "{error:?} lacks {words:?}");
        }
        assert!(TlsArgs::default().load().expect("nothing is wanted").is_none());
    }
}
