//! The operator's side: accounts, placing, health. HTTP by hand, one connection kept open.

use anyhow::{Context, anyhow, bail};
use serde_json::Value;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Longest answer that is read, in bytes.
const ANSWER_BYTES_MAX: usize = 1 << 20;

pub struct Control {
    stream: TcpStream,
    address: SocketAddr,
    token: String,
}

impl Control {
    pub async fn connect(address: SocketAddr, token: &str) -> anyhow::Result<Control> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("connecting to http://{address}"))?;
        stream.set_nodelay(true)?;
        Ok(Control { stream, address, token: token.trim().to_string() })
    }

    pub async fn post(&mut self, path_and_query: &str) -> anyhow::Result<Value> {
        self.call("POST", path_and_query).await
    }

    pub async fn get(&mut self, path: &str) -> anyhow::Result<Value> {
        self.call("GET", path).await
    }

    async fn call(&mut self, method: &str, path: &str) -> anyhow::Result<Value> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nContent-Length: 0\r\n\r\n",
            self.address, self.token
        );
        self.stream.write_all(request.as_bytes()).await?;
        let mut answer = Vec::new();
        loop {
            if let Some((head, body)) = split(&answer) {
                let length = header(head, "content-length").and_then(|v| v.parse::<usize>().ok());
                let length = length.ok_or_else(|| anyhow!("{path} was answered without a length"))?;
                if body.len() >= length {
                    let value: Value = serde_json::from_slice(&body[..length])
                        .with_context(|| format!("{path} was answered by {}", String::from_utf8_lossy(body)))?;
                    if !head.starts_with("HTTP/1.1 200") {
                        bail!("{path}: {}", value["error"].as_str().unwrap_or(head));
                    }
                    return Ok(value);
                }
            }
            anyhow::ensure!(answer.len() < ANSWER_BYTES_MAX, "{path} was answered by too much");
            anyhow::ensure!(self.stream.read_buf(&mut answer).await? > 0, "{path}: the server hung up");
        }
    }
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
