//! Those who do not play: who looks on at what is happening, and who seeks moments of the past.

use crate::e2e::http;
use anyhow::{Context, ensure};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Ticks of an hour, the snapshots of which are kept.
const HOUR_TICKS: u64 = 1_800;
/// Seeks near each that goes to another hour, after so long.
const NEAR: u64 = 4;
const LOADED_AFTER: Duration = Duration::from_secs(1);

/// Looks on as the operator for as long as the server tells something, and counts what came.
pub async fn look_on(address: SocketAddr, token: String, bytes: Arc<AtomicU64>) -> anyhow::Result<()> {
    let mut stream = TcpStream::connect(address).await?;
    let request = format!("GET /api/v1/watch HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {token}\r\n\r\n");
    stream.write_all(request.as_bytes()).await?;
    let mut read = vec![0; 64 * 1024];
    let mut first = true;
    loop {
        let count = stream.read(&mut read).await?;
        ensure!(!first || read.starts_with(b"HTTP/1.1 200"), "{}", String::from_utf8_lossy(&read[..count]));
        first = false;
        ensure!(count > 0, "the stream ended");
        bytes.fetch_add(count as u64, Ordering::Relaxed);
    }
}

/// How long seeks took: those to another hour, and those within it.
#[derive(Default)]
pub struct Seeks {
    pub cold: Vec<Duration>,
    pub near: Vec<Duration>,
}

/// Seeks so many moments before this tick, spread evenly in an order that leaps from hour to hour, and a few near each.
pub async fn seek(address: SocketAddr, token: String, before: u64, count: usize) -> anyhow::Result<Seeks> {
    const GOLDEN: f64 = 0.618_033_988_75;
    let mut seeks = Seeks::default();
    for nth in 0..count {
        let at = (((nth as f64 + 1.0) * GOLDEN).fract() * before as f64) as u64;
        seeks.cold.push(look_at(address, &token, at).await?);
        tokio::time::sleep(LOADED_AFTER).await;
        let hour = at / HOUR_TICKS * HOUR_TICKS;
        for step in 1..=NEAR {
            let near = hour + (at + step * HOUR_TICKS / (NEAR + 1)) % HOUR_TICKS;
            seeks.near.push(look_at(address, &token, near.min(before)).await?);
        }
    }
    Ok(seeks)
}

/// From asking for the world of a tick to the last byte of it.
async fn look_at(address: SocketAddr, token: &str, tick: u64) -> anyhow::Result<Duration> {
    let begun = Instant::now();
    let answer = http(address, "GET", &format!("/api/v1/watch?tick={tick}"), Some(token)).await;
    let took = begun.elapsed();
    ensure!(answer.status == 200, "tick {tick}: {}", answer.body);
    answer.json()["tick"]
        .as_u64()
        .filter(|told| *told == tick)
        .with_context(|| format!("tick {tick}: {}", answer.body))?;
    Ok(took)
}

/// Median, 95 of 100, and longest, in milliseconds.
pub fn percentiles(mut took: Vec<Duration>) -> [f64; 3] {
    took.sort_unstable();
    let at = |part: f64| {
        let last = took.len().saturating_sub(1);
        took.get((last as f64 * part).round() as usize).map_or(f64::NAN, |one| one.as_secs_f64() * 1_000.0)
    };
    [at(0.5), at(0.95), at(1.0)]
}
