//! The patience of the HTTP listener: a caller has so long to send the whole head of a request, and then is hung up on.
//!
//! axum's own serving waits for ever, so that a few thousand half-sent requests would take all file handles. This goes
//! around any listener, plain or encrypted, and looks at the bytes that pass: only how long a head takes is limited,
//! not how long an answer takes to make, nor a WebSocket, which has limits of its own from the upgrade on.
//! Invariant: bytes are passed on as they are; a time runs only while the server waits for a head.

use axum::serve::Listener;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

#[derive(Clone, Copy, Debug)]
pub struct HeadTimes {
    /// From the connection to the end of the first head.
    pub first: Duration,
    /// From an answer to the end of the next head.
    pub next: Duration,
}

impl Default for HeadTimes {
    fn default() -> HeadTimes {
        // A head is one packet; the second is for browsers and scrapers that keep a connection for the next question.
        HeadTimes { first: Duration::from_secs(10), next: Duration::from_secs(75) }
    }
}

/// A listener whose connections have little patience.
pub struct Timed<L> {
    pub listener: L,
    pub times: HeadTimes,
}

impl<L> Timed<L> {
    pub fn new(listener: L) -> Timed<L> {
        Timed { listener, times: HeadTimes::default() }
    }
}

impl<L: Listener> Listener for Timed<L> {
    type Io = TimedIo<L::Io>;
    type Addr = L::Addr;

    async fn accept(&mut self) -> (Self::Io, Self::Addr) {
        let (io, address) = self.listener.accept().await;
        let until = Box::pin(tokio::time::sleep(self.times.first));
        let state = State::Waits { until, head: Head::default() };
        (TimedIo { io, state, next: self.times.next }, address)
    }

    fn local_addr(&self) -> io::Result<Self::Addr> {
        self.listener.local_addr()
    }
}

pub struct TimedIo<T> {
    io: T,
    state: State,
    next: Duration,
}

enum State {
    /// For the end of a head.
    Waits { until: Pin<Box<Sleep>>, head: Head },
    /// For the answer.
    Answers,
    /// It is a WebSocket.
    Upgraded,
}

/// Finds the empty line that ends a head.
#[derive(Default)]
struct Head {
    begun: bool,
    line_is_empty: bool,
}

impl Head {
    /// Whether the head ends in these bytes.
    fn ends_in(&mut self, bytes: &[u8]) -> bool {
        for byte in bytes {
            match byte {
                b'\n' if self.begun && self.line_is_empty => return true,
                b'\n' => self.line_is_empty = true,
                b'\r' => {}
                _ => (self.begun, self.line_is_empty) = (true, false),
            }
        }
        false
    }
}

impl<T> TimedIo<T> {
    pub fn get_ref(&self) -> &T {
        &self.io
    }

    /// What is written is an answer: after it the next head is waited for, or it was the last.
    fn answered(&mut self, context: &mut Context<'_>, bytes: &[u8]) {
        if matches!(self.state, State::Upgraded) || bytes.is_empty() {
            return;
        }
        const SWITCHES: &[u8] = b"HTTP/1.1 101";
        if bytes.starts_with(SWITCHES) {
            self.state = State::Upgraded;
            return;
        }
        let mut until = Box::pin(tokio::time::sleep(self.next));
        // So that it wakes the reader: that may have begun to wait before this was written, and does not look again.
        let _still_to_come = until.as_mut().poll(context);
        self.state = State::Waits { until, head: Head::default() };
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for TimedIo<T> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = Pin::new(&mut this.io).poll_read(context, buffer);
        if let State::Waits { until, head } = &mut this.state {
            if head.ends_in(buffer.filled().get(before..).unwrap_or_default()) {
                this.state = State::Answers;
            } else if until.as_mut().poll(context).is_ready() {
                return Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the request came too slowly")));
            }
        }
        read
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for TimedIo<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.io).poll_write(context, bytes);
        if let Poll::Ready(Ok(count)) = written {
            this.answered(context, &bytes[..count]);
        }
        written
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.io).poll_write_vectored(context, slices);
        if let (Poll::Ready(Ok(count)), Some(first)) = (&written, slices.iter().find(|slice| !slice.is_empty())) {
            this.answered(context, &first[..first.len().min(*count)]);
        }
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::extract::ConnectInfo;
    use axum::extract::ws::WebSocketUpgrade;
    use axum::routing::get;
    use axum::serve::ListenerExt;
    use std::net::SocketAddr;
    use std::time::Instant;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::{TcpListener, TcpStream};

    const FIRST: Duration = Duration::from_millis(300);
    const NEXT: Duration = Duration::from_millis(600);
    /// Far longer than anything here takes.
    const PATIENCE: Duration = Duration::from_secs(20);

    async fn server() -> SocketAddr {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("it has one");
        let router = Router::new()
            .route("/", get(|ConnectInfo(from): ConnectInfo<SocketAddr>| async move { from.ip().to_string() }))
            .route("/slow", get(async || tokio::time::sleep(2 * NEXT).await))
            .route(
                "/ws",
                get(|upgrade: WebSocketUpgrade| async {
                    upgrade.on_upgrade(async |mut socket| {
                        while let Some(Ok(message)) = socket.recv().await {
                            if socket.send(message).await.is_err() {
                                return;
                            }
                        }
                    })
                }),
            );
        let app = router.into_make_service_with_connect_info::<SocketAddr>();
        let timed = Timed { listener, times: HeadTimes { first: FIRST, next: NEXT } };
        tokio::spawn(async move { axum::serve(timed.tap_io(|_| {}), app).await });
        address
    }

    /// Reads until `end` has come, or to the end of the connection.
    async fn read_until(stream: &mut TcpStream, end: &str) -> String {
        let mut text = Vec::new();
        let mut bytes = [0; 512];
        let reading = async {
            while !String::from_utf8_lossy(&text).contains(end) {
                match stream.read(&mut bytes).await {
                    Ok(count @ 1..) => text.extend_from_slice(&bytes[..count]),
                    _ => break,
                }
            }
        };
        tokio::time::timeout(PATIENCE, reading).await.expect("the server hangs up");
        String::from_utf8_lossy(&text).into_owned()
    }

    const NEVER: &str = "what is never said";

    #[tokio::test]
    async fn who_sends_half_a_head_is_hung_up_on() {
        let address = server().await;
        for drop_by_drop in [false, true] {
            let begun = Instant::now();
            let (mut reader, mut writer) = TcpStream::connect(address).await.expect("it listens").into_split();
            let dripping = tokio::spawn(async move {
                let half =
                    b"GET / HTTP/1.1\r\nHost: x\r\nX-Slow: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
                for byte in half.iter().filter(|_| drop_by_drop) {
                    if writer.write_all(&[*byte]).await.is_err() {
                        break;
                    }
                    tokio::time::sleep(Duration::from_millis(20)).await;
                }
                writer
            });
            let mut rest = Vec::new();
            // A reset is an end too: what it sent was not read.
            let ended = tokio::time::timeout(PATIENCE, reader.read_to_end(&mut rest)).await;
            assert!(ended.is_ok() && begun.elapsed() >= FIRST, "after {:?}", begun.elapsed());
            assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
            drop(dripping.await);
        }
    }

    #[tokio::test]
    async fn an_answer_may_take_its_time_and_the_next_question_may_too() {
        let mut stream = TcpStream::connect(server().await).await.expect("it listens");
        for path in ["/slow", "/"] {
            let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
            stream.write_all(request.as_bytes()).await.expect("it is open");
            let answer = read_until(&mut stream, "\r\n\r\n").await;
            assert!(answer.starts_with("HTTP/1.1 200 OK"), "{path}: {answer:?}");
            tokio::time::sleep(FIRST).await;
        }
        // And then it is over.
        let begun = Instant::now();
        read_until(&mut stream, NEVER).await;
        assert!(begun.elapsed() < PATIENCE);
    }

    #[tokio::test]
    async fn a_websocket_may_be_silent() {
        let mut stream = TcpStream::connect(server().await).await.expect("it listens");
        let request = "GET /ws HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
                       Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        stream.write_all(request.as_bytes()).await.expect("it is open");
        let answer = read_until(&mut stream, "\r\n\r\n").await;
        assert!(answer.starts_with("HTTP/1.1 101"), "{answer:?}");
        for word in ["once", "more"] {
            tokio::time::sleep(FIRST + NEXT).await;
            // A whole text of four letters, masked with zeros.
            let frame = [&[0x81, 0x84, 0, 0, 0, 0], word.as_bytes()].concat();
            stream.write_all(&frame).await.expect("it is open");
            assert!(read_until(&mut stream, word).await.contains(word));
        }
    }

    #[test]
    fn a_head_ends_at_its_empty_line() {
        for (bytes, ends) in [
            ("GET / HTTP/1.1\r\nHost: x\r\n\r\n", true),
            ("GET / HTTP/1.1\nHost: x\n\n", true),
            ("\r\n\r\nGET / HTTP/1.1\r\n", false),
            ("GET / HTTP/1.1\r\nHost: x\r\n", false),
            ("GET / HTTP/1.1\r\nHost: x\r\n \r\n", false),
        ] {
            assert_eq!(Head::default().ends_in(bytes.as_bytes()), ends, "{bytes:?}");
            let mut head = Head::default();
            assert_eq!(bytes.bytes().any(|byte| head.ends_in(&[byte])), ends, "{bytes:?} in pieces");
        }
    }
}
