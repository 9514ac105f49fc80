//! One HTTP request by hand.

use super::PATIENCE;
use serde_json::Value;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    /// The status line and the headers, as they came.
    pub head: String,
    /// What is no UTF-8 in it, as of a picture, is replaced.
    pub body: String,
    /// The body as it came, chunks and all.
    pub raw: Vec<u8>,
}

impl Answer {
    /// A header's value, whatever the case of its name.
    pub fn header(&self, name: &str) -> Option<String> {
        let headers = self.head.lines().filter_map(|line| line.split_once(':'));
        let mut found = headers.filter(|(other, _)| other.eq_ignore_ascii_case(name));
        found.next().map(|(_, value)| value.trim().to_string())
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {:?}", self.body))
    }
}

/// Asks and waits for the whole answer.
pub async fn http(address: SocketAddr, method: &str, path: &str, token: Option<&str>) -> Answer {
    http_with(address, method, path, token, "").await
}

/// With a body.
pub async fn http_with(address: SocketAddr, method: &str, path: &str, token: Option<&str>, body: &str) -> Answer {
    let asking = async {
        let mut stream = TcpStream::connect(address).await.expect("the HTTP door is open");
        let bearer = token.map(|token| format!("Authorization: Bearer {token}\r\n")).unwrap_or_default();
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {address}\r\n{bearer}Content-Length: {}\r\nConnection: close\r\n\r\n\
             {body}",
            body.len()
        );
        stream.write_all(request.as_bytes()).await.expect("the request is written");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).await.expect("the answer is read");
        answer
    };
    let came = tokio::time::timeout(PATIENCE, asking).await.unwrap_or_else(|_| panic!("no answer to {method} {path}"));
    let end = came.windows(4).position(|four| four == b"\r\n\r\n").unwrap_or(came.len());
    let head = std::str::from_utf8(&came[..end]).expect("a head is text");
    let raw = came.get(end + 4..).unwrap_or_default().to_vec();
    let status = head.split(' ').nth(1).and_then(|word| word.parse().ok());
    let status = status.unwrap_or_else(|| panic!("this is no HTTP: {head:?}"));
    let mut answer = Answer { status, head: head.to_string(), body: String::from_utf8_lossy(&raw).into_owned(), raw };
    if answer.header("transfer-encoding").as_deref() == Some("chunked") {
        answer.body = joined(&answer.body);
    }
    answer
}

/// A body that came in chunks: the length of each in hexadecimal digits before it, the last of none.
fn joined(mut chunks: &str) -> String {
    let mut body = String::new();
    while let Some((length, rest)) = chunks.split_once("\r\n") {
        let length = usize::from_str_radix(length, 16).unwrap_or_else(|error| panic!("{error}: a chunk of {length:?}"));
        let (chunk, after) = rest.split_at(length);
        body.push_str(chunk);
        chunks = after.strip_prefix("\r\n").unwrap_or(after);
    }
    body
}
