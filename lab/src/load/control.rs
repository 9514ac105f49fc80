//! The operator's side: accounts, placing, health. HTTP by hand, one connection kept open while it is used.

use anyhow::{Context, anyhow, bail};
use serde_json::Value;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// The server gives up a connection from which no request has come for ten seconds; another one is made in time.
const IDLE_LONGEST: Duration = Duration::from_secs(5);
/// Longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 1 << 20;

pub struct Control {
    stream: TcpStream,
    used: Instant,
    address: SocketAddr,
    token: String,
}

impl Control {
    pub async fn connect(address: SocketAddr, token: &str) -> anyhow::Result<Control> {
        let stream = Control::dial(address).await?;
        Ok(Control { stream, used: Instant::now(), address, token: token.trim().to_string() })
    }

    async fn dial(address: SocketAddr) -> anyhow::Result<TcpStream> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("connecting to http://{address}"))?;
        stream.set_nodelay(true)?;
        Ok(stream)
    }

    pub async fn post(&mut self, path_and_query: &str) -> anyhow::Result<Value> {
        self.call("POST", path_and_query).await
    }

    pub async fn get(&mut self, path: &str) -> anyhow::Result<Value> {
        self.call("GET", path).await
    }

    /// `/health`, whose answer is the same whether or not all is well.
    pub async fn health(&mut self) -> anyhow::Result<Value> {
        let (_, body) = self.ask("GET", "/health").await?;
        Ok(serde_json::from_slice(&body)?)
    }

    /// An answer that is text, such as `/metrics`; it needs no token.
    pub async fn get_text(&mut self, path: &str) -> anyhow::Result<String> {
        let (head, body) = self.ask("GET", path).await?;
        anyhow::ensure!(head.starts_with("HTTP/1.1 200"), "{path}: {head}");
        Ok(String::from_utf8(body)?)
    }

    async fn call(&mut self, method: &str, path_and_query: &str) -> anyhow::Result<Value> {
        let (head, body) = self.ask(method, path_and_query).await?;
        let value: Value = serde_json::from_slice(&body)
            .with_context(|| format!("{path_and_query} was answered by {}", String::from_utf8_lossy(&body)))?;
        if !head.starts_with("HTTP/1.1 200") {
            bail!("{path_and_query}: {}", value["error"].as_str().unwrap_or(&head));
        }
        Ok(value)
    }

    /// Head and body of the answer.
    async fn ask(&mut self, method: &str, path: &str) -> anyhow::Result<(String, Vec<u8>)> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 0\r\n\r\n",
            self.address, self.token
        );
        if self.used.elapsed() > IDLE_LONGEST {
            self.stream = Control::dial(self.address).await?;
        }
        self.stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        loop {
            if let Some((head, body)) = split(&answer) {
                let length = header(head, "content-length").and_then(|v| v.parse::<usize>().ok());
                let length = length.ok_or_else(|| anyhow!("{path} was answered without a length"))?;
                if let Some(body) = body.get(..length) {
                    self.used = Instant::now();
                    return Ok((head.to_string(), body.to_vec()));
                }
            }
            anyhow::ensure!(answer.len() < ANSWER_BYTES_MAX, "{path} was answered by too much");
            anyhow::ensure!(self.stream.read_buf(&mut answer).await? > 0, "{path}: the server hung up");
        }
    }
}

/// Connections that make keys at a time.
const KEY_MAKERS: usize = 16;

/// A key for each name, whose character is made where there is none; in the order of the names.
pub async fn make_keys(http: SocketAddr, token: &str, names: &[String]) -> anyhow::Result<Vec<(String, String)>> {
    let mut workers = Vec::new();
    for part in names.chunks(names.len().div_ceil(KEY_MAKERS).max(1)) {
        let (part, token) = (part.to_vec(), token.to_string());
        workers.push(tokio::spawn(async move {
            let mut control = Control::connect(http, &token).await?;
            let mut made = Vec::new();
            for name in part {
                let answer = control.post(&format!("/admin/keys?name={name}")).await?;
                let key = answer["key"].as_str().context("an answer without a key")?.to_string();
                made.push((name, key));
            }
            anyhow::Ok(made)
        }));
    }
    let mut made = Vec::new();
    for worker in workers {
        made.extend(worker.await??);
    }
    Ok(made)
}

fn split(answer: &[u8]) -> Option<(&str, &[u8])> {
    let at = answer.windows(4).position(|w| w == b"\r\n\r\n")?;
    Some((std::str::from_utf8(&answer[..at]).ok()?, &answer[at + 4..]))
}

fn header<'h>(head: &'h str, name: &str) -> Option<&'h str> {
    head.lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(n, _)| n.eq_ignore_ascii_case(name))
        .map(|(_, v)| v.trim())
}
