//! A client by telnet that says exactly what a test wants, byte for byte, and inflates what comes compressed.

use flate2::{Decompress, FlushDecompress, Status};
use tests::e2e::{PATIENCE, Server};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

pub const EOR: u8 = 239;
pub const SE: u8 = 240;
pub const NOP: u8 = 241;
pub const SB: u8 = 250;
pub const WILL: u8 = 251;
pub const WONT: u8 = 252;
pub const DO: u8 = 253;
pub const DONT: u8 = 254;
pub const IAC: u8 = 255;

/// Behind it all is compressed (MCCP2).
const COMPRESSES: &[u8] = &[IAC, SB, 86, IAC, SE];

pub struct Raw {
    stream: TcpStream,
    /// What no `expect` has taken yet.
    bytes: Vec<u8>,
    /// All that came, inflated.
    seen: Vec<u8>,
    /// While what comes is compressed.
    inflater: Option<Decompress>,
    /// Bytes that came by the wire.
    pub received: usize,
}

impl Raw {
    pub async fn dial(server: &Server) -> Raw {
        Raw::over(TcpStream::connect(server.telnet).await.expect("it is open"))
    }

    /// On a connection that stands.
    pub fn over(stream: TcpStream) -> Raw {
        Raw { stream, bytes: Vec::new(), seen: Vec::new(), inflater: None, received: 0 }
    }

    pub async fn send(&mut self, bytes: &[u8]) {
        self.stream.write_all(bytes).await.expect("the connection takes it");
    }

    pub async fn line(&mut self, line: &str) {
        self.send(format!("{line}\r\n").as_bytes()).await;
    }

    /// Sends a subnegotiation whose payload has no IAC.
    pub async fn sub(&mut self, option: u8, payload: &[u8]) {
        self.send(&[&[IAC, SB, option], payload, &[IAC, SE]].concat()).await;
    }

    /// Reads on until these bytes come; what was read up to their end.
    pub async fn expect(&mut self, what: &[u8]) -> Vec<u8> {
        let reading = async {
            loop {
                if let Some(at) = self.bytes.windows(what.len()).position(|window| window == what) {
                    return self.bytes.drain(..at + what.len()).collect();
                }
                let mut wire = Vec::with_capacity(4 * 1024);
                assert!(self.stream.read_buf(&mut wire).await.expect("it is open") > 0, "the connection ended");
                self.received += wire.len();
                self.take(&wire);
            }
        };
        let read = tokio::time::timeout(PATIENCE, reading).await;
        read.unwrap_or_else(|_| panic!("{:?} never came", String::from_utf8_lossy(what)))
    }

    /// Reads to the end of the connection.
    pub async fn ending(&mut self) {
        let reading = async {
            loop {
                let mut wire = Vec::with_capacity(4 * 1024);
                if self.stream.read_buf(&mut wire).await.expect("it ends properly") == 0 {
                    return;
                }
                self.received += wire.len();
                self.take(&wire);
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the connection ends");
    }

    fn take(&mut self, mut wire: &[u8]) {
        while let [first, rest @ ..] = wire {
            let Some(inflater) = &mut self.inflater else {
                self.bytes.push(*first);
                self.seen.push(*first);
                wire = rest;
                if self.seen.ends_with(COMPRESSES) {
                    self.inflater = Some(Decompress::new(true));
                }
                continue;
            };
            let (before, mut plain) = (inflater.total_in(), Vec::with_capacity(64 * 1024));
            let status = inflater.decompress_vec(wire, &mut plain, FlushDecompress::Sync).expect("it is a zlib stream");
            wire = &wire[(inflater.total_in() - before) as usize..];
            self.bytes.extend_from_slice(&plain);
            self.seen.extend_from_slice(&plain);
            if status == Status::StreamEnd {
                self.inflater = None;
            }
        }
    }

    /// Whether what comes now is compressed.
    pub fn is_compressed(&self) -> bool {
        self.inflater.is_some()
    }

    /// How often these bytes came so far.
    pub fn count(&self, what: &[u8]) -> usize {
        self.seen.windows(what.len()).filter(|window| *window == what).count()
    }

    /// Types a line and reads on until this comes.
    pub async fn ask(&mut self, line: &str, answer: &str) -> String {
        self.line(line).await;
        String::from_utf8_lossy(&self.expect(answer.as_bytes()).await).into_owned()
    }

    /// From the greeting, of which the question was read, into the game.
    pub async fn log_in(&mut self, name: &str, key: &str) {
        self.ask(name, "Password:").await;
        self.ask(key, "will it be?").await;
        self.ask("1", "Village Green").await;
    }
}
