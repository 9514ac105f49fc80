//! One WebSocket connection to the game: frames out, texts in, and how it ended.
//!
//! Invariants: every wait has an end; what the server sends may be of any size up to a bound; pings are answered by the
//! library as long as one reads, and one reads all the time.

use crate::server_address::{ServerAddress, Stream};
use anyhow::Context;
use futures_util::{SinkExt, StreamExt};
use protocol::ClientFrame;
use protocol::frame::FRAME_BYTES_MAX;
use std::time::Duration;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;

/// Connecting, and each single write, may take so long.
const PATIENCE: Duration = Duration::from_secs(10);
/// Without a byte for so long, not even a ping, the connection is dead. The server pings more often.
pub const SILENCE: Duration = Duration::from_secs(120);
/// A frame of the server: full dumps of crowded rooms and long texts are far smaller.
const MESSAGE_BYTES_MAX: usize = 4 << 20;
/// Small buffers: a hundred agents share one process.
const BUFFER_BYTES: usize = 8 << 10;

pub struct Connection {
    socket: WebSocketStream<Box<dyn Stream>>,
}

/// What came.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Incoming {
    Text(String),
    /// A binary frame, which the protocol does not know.
    Odd,
    /// The close code, if there was a close frame, and what the network said, if it broke.
    Ended {
        code: Option<u16>,
        broken: Option<String>,
    },
}

/// How much one may say in a frame.
pub fn fits(text: &str) -> bool {
    text.len() <= FRAME_BYTES_MAX
}

impl Connection {
    /// Errors: the network's, or `TrustError`.
    pub async fn open(address: &ServerAddress) -> anyhow::Result<Connection> {
        let connecting = async {
            let stream = address.connect().await?;
            let config = WebSocketConfig::default()
                .read_buffer_size(BUFFER_BYTES)
                .write_buffer_size(0)
                .max_message_size(Some(MESSAGE_BYTES_MAX))
                .max_frame_size(Some(MESSAGE_BYTES_MAX));
            let (socket, _) = tokio_tungstenite::client_async_with_config(address.url(), stream, Some(config)).await?;
            anyhow::Ok(Connection { socket })
        };
        let connecting = tokio::time::timeout(PATIENCE, connecting).await;
        connecting
            .unwrap_or_else(|_| Err(anyhow::anyhow!("no answer within {} s", PATIENCE.as_secs())))
            .with_context(|| format!("connecting to the game at {}", address.name()))
    }

    /// Sends a frame. One that is larger than the server takes is not sent: false.
    pub async fn send(&mut self, frame: &ClientFrame) -> anyhow::Result<bool> {
        let text = frame.encode();
        if !fits(&text) {
            return Ok(false);
        }
        let sending = tokio::time::timeout(PATIENCE, self.socket.send(Message::text(text)));
        sending.await.context("the server takes nothing any more")?.context("sending to the server")?;
        Ok(true)
    }

    /// The next thing that comes. Cancelling it loses nothing.
    pub async fn next(&mut self) -> Incoming {
        loop {
            let ended = |code, broken| Incoming::Ended { code, broken };
            return match tokio::time::timeout(SILENCE, self.socket.next()).await {
                Err(_) => ended(None, Some(format!("nothing came for {} s", SILENCE.as_secs()))),
                Ok(Some(Ok(Message::Text(text)))) => Incoming::Text(text.to_string()),
                Ok(Some(Ok(Message::Binary(_)))) => Incoming::Odd,
                Ok(Some(Ok(Message::Close(frame)))) => ended(frame.map(|frame| frame.code.into()), None),
                Ok(Some(Ok(_))) => continue,
                Ok(Some(Err(error))) => ended(None, Some(error.to_string())),
                Ok(None) => ended(None, Some("the connection ended in the middle".to_string())),
            };
        }
    }

    /// Says good-bye as a polite client does; what the server has to say to that is not waited for long.
    pub async fn close(mut self) {
        let closing = async {
            // It may be closed already.
            let _closed = self.socket.close(None).await;
            while let Some(Ok(_)) = self.socket.next().await {}
        };
        let _in_time = tokio::time::timeout(Duration::from_secs(1), closing).await;
    }
}
