//! People and programs who come while the siege goes on: one after the other, by telnet, by WebSocket, by WebSocket
//! over TLS.
//!
//! Who plays already needs no lock of a listener, no slot, no hashing of passwords and no handshake; who comes in needs
//! all of them, and all of them are attacked. Invariant: each visitor is let in or counted as turned away.

use super::client::{Agent, Telnet, connect};
use super::tally::{Outcome, Tally};
use crate::load::histogram::Histogram;
use crate::load::wire::upgrade_request;
use anyhow::Context;
use serde_json::json;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::time::{Instant, timeout};
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore};

/// Characters that come by turns; each login is of another one for some seconds.
pub const VISITORS: usize = 12;
/// From one visitor to the next.
const PERIOD: Duration = Duration::from_millis(500);

pub fn name_of(n: usize) -> String {
    format!("Zv{n:05}")
}

/// Where visitors go, and with what.
pub struct House {
    pub http: SocketAddr,
    pub telnet: SocketAddr,
    pub https: SocketAddr,
    pub connector: TlsConnector,
    /// Names and keys.
    pub keys: Vec<(String, String)>,
}

/// What a client needs that trusts this certificate and no other.
pub fn connector(certificate: &CertificateDer<'static>) -> anyhow::Result<TlsConnector> {
    let mut roots = RootCertStore::empty();
    roots.add(certificate.clone())?;
    let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// How it went in one stage.
#[derive(Debug, Default)]
pub struct Visits {
    pub latencies: Histogram,
    pub outcome: Outcome,
}

/// Lets visitors come until it is dropped; each is counted in the stage in which it came.
pub async fn come(house: House, stage: Arc<AtomicUsize>, visits: Arc<[std::sync::Mutex<Counted>]>) {
    let house = Arc::new(house);
    let mut timer = tokio::time::interval(PERIOD);
    for n in 0.. {
        timer.tick().await;
        let (house, stage, visits) = (house.clone(), stage.load(Ordering::Relaxed), visits.clone());
        tokio::spawn(async move {
            let begun = Instant::now();
            let came = visit(&house, n).await;
            let took = begun.elapsed();
            if let Some(visits) = visits.get(stage) {
                let mut visits = visits.lock().expect("nobody panics with it");
                visits.tally.count(&came);
                if came.is_ok() {
                    visits.latencies.record(took.as_micros() as u64);
                }
            }
        });
    }
}

/// What is counted while it goes on.
#[derive(Debug, Default)]
pub struct Counted {
    pub latencies: Histogram,
    pub tally: Tally,
}

impl Counted {
    pub fn visits(&self) -> Visits {
        Visits { latencies: self.latencies.clone(), outcome: self.tally.outcome() }
    }
}

/// Comes in, by one way or another, and goes again.
async fn visit(house: &House, n: usize) -> anyhow::Result<()> {
    let (name, key) = house.keys.get(n % house.keys.len().max(1)).context("no visitor has a key")?;
    let from = Ipv4Addr::new(127, 21, 0, (n % house.keys.len()) as u8 + 1);
    match n % 3 {
        0 => {
            let mut person = Telnet::connect(from, house.telnet).await?;
            person.until("known? ").await?;
            person.line(name).await?;
            person.until("assword: ").await?;
            person.line(key).await?;
            person.until("What will it be? ").await?;
            Ok(())
        }
        1 => {
            let agent = Agent::connect(from, house.http).await?;
            enter(agent, name, key).await
        }
        _ => {
            let stream = connect(from, house.https).await?;
            let server = ServerName::try_from("localhost")?;
            let handshake = timeout(super::client::PATIENCE, house.connector.connect(server, stream));
            let stream = handshake.await.context("no handshake")??;
            let agent = Agent::over(stream, &upgrade_request(&house.https.to_string())).await?;
            enter(agent, name, key).await
        }
    }
}

async fn enter<S: tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin>(
    mut agent: Agent<S>,
    name: &str,
    key: &str,
) -> anyhow::Result<()> {
    agent.log_in(json!({ "player_name": name, "password": key, "is_agent": true })).await?;
    agent.expect("vars").await?;
    // Behind the answer, so that it counts for nothing whether somebody waits for the farewell.
    agent.command("quit").await
}
