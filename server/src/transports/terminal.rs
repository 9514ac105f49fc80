//! A telnet connection's socket: bytes in both directions, and how long writing them may take.
//!
//! What a person sees is put together by `encode::screen`, what is said and when is the connection's affair. A session
//! that plays holds no buffer, unless it is compressed: what is sent at once is put together in one of the thread, what
//! is read goes through the stack. Invariant: all bytes go out by `write_at_once` and `write_rest`, in order, but for
//! the last of a connection: the end of its stream, or that it reads too slowly.

use super::connection::{FAREWELL, Written, write_within};
use super::proxy_protocol::looks_like_header;
use super::stream::Stream;
use crate::encode::screen::Screen;
use crate::encode::text::in_window;
use crate::lobby::Lobby;
use crate::outbox::{Close, Delivery};
use crate::restart::LAST_WORDS;
use crate::telnet::{Codec, Compressor, Outbound, TelnetEvent};
use std::cell::RefCell;
use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::{Duration, Instant};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};

/// Read from the socket at a time. On the stack, so a silent session has no buffer.
const READ_BYTES: usize = 2048;

thread_local! {
    /// Where what is sent at once is put together, so that a session needs no buffer of its own.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    /// The same for what is compressed.
    static PRESSED: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}
/// What a thread keeps of each.
const SCRATCH_BYTES_MAX: usize = 64 * 1024;

pub struct Terminal {
    pub stream: Stream,
    pub codec: Codec,
    pub screen: Screen,
    /// While all that is sent is compressed.
    compressor: Option<Box<Compressor>>,
    /// For the log.
    address: IpAddr,
    /// Nothing was read before.
    fresh: bool,
    /// How long a reader may take; `None` is for ever.
    patience: Option<Duration>,
    /// When something was last sent.
    sent_at: Instant,
}

/// How a connection goes on.
#[derive(PartialEq, Eq)]
pub enum Flow {
    On,
    End,
    /// The next program goes on with this connection.
    HandOver,
}

/// What one read brought.
#[derive(Default)]
pub struct Heard {
    pub events: Vec<TelnetEvent>,
    /// To be written back.
    pub reply: Vec<u8>,
    /// The connection begins with what a proxy says for others; nothing of it was read as typed.
    pub proxy_header: bool,
}

impl Terminal {
    pub fn new(stream: Stream, address: IpAddr, lobby: &Lobby) -> Terminal {
        Terminal {
            stream,
            codec: Codec::new(lobby.limits.telnet_line_max()),
            screen: Screen::new(lobby.content.sentences.farewell.clone()),
            compressor: None,
            address,
            fresh: true,
            patience: lobby.limits.patience(),
            sent_at: Instant::now(),
        }
    }

    /// Something of the client is known now that was not before.
    pub fn learn(&mut self) {
        self.screen.columns = self.codec.client().columns;
    }

    /// Reads once, by a buffer on the stack. How many bytes there were; 0 at the end.
    ///
    /// Not `readable` and `try_read`: these read a second time to learn that there is no more, where the runtime sees
    /// that from a read that does not fill the buffer.
    pub async fn hear(&mut self, heard: &mut Heard) -> std::io::Result<usize> {
        poll_fn(|context| {
            let mut bytes = [MaybeUninit::<u8>::uninit(); READ_BYTES];
            let mut buffer = ReadBuf::uninit(&mut bytes);
            ready!(Pin::new(&mut self.stream).poll_read(context, &mut buffer))?;
            if std::mem::take(&mut self.fresh) && looks_like_header(buffer.filled()) {
                heard.proxy_header = true;
                return Poll::Ready(Ok(buffer.filled().len()));
            }
            self.codec.receive(buffer.filled(), &mut heard.events, &mut heard.reply);
            Poll::Ready(Ok(buffer.filled().len()))
        })
        .await
    }

    /// Shows what waited for its reader, then the prompt or the farewell. `messages`: commands of telnet that go before
    /// it. `retry_after_ms`: when those may call again whose connection ends with the program.
    pub async fn show(&mut self, taken: Delivery, messages: &[u8], retry_after_ms: u64) -> Flow {
        let call_again_s = (!self.stream.outlives_the_program()).then(|| retry_after_ms.div_ceil(1_000));
        let rest = self.write_at_once(|screen, out| {
            out.commands(messages);
            screen.show(&taken, call_again_s, out);
        });
        drop(taken.items);
        let flow = self.write_rest(rest, taken.close.is_some()).await;
        after(flow, taken.close)
    }

    /// The prompt alone.
    pub async fn show_prompt(&mut self) -> Flow {
        self.write(|screen, out| screen.show_prompt(out)).await
    }

    /// Says something that is not part of the game; what ends with a blank waits for an answer.
    pub async fn print(&mut self, text: &str) -> Flow {
        let text = in_window(text, self.screen.columns);
        self.write(|_, out| {
            out.text(&text);
            if text.ends_with(' ') {
                out.end_prompt();
            }
        })
        .await
    }

    /// Says something for programs, whose lines no window breaks.
    pub async fn print_as_is(&mut self, text: &str) -> Flow {
        self.write(|_, out| out.text(text)).await
    }

    /// Announces what telnet can do here.
    pub async fn greet(&mut self) -> Flow {
        let mut commands = Vec::new();
        self.codec.greet(&mut commands);
        self.send(&commands).await
    }

    /// All that is sent from now on is compressed, or is not any more.
    pub async fn compress(&mut self, on: bool) -> Flow {
        match (on, self.compressor.take()) {
            (true, None) => {
                let mut commands = Vec::new();
                self.codec.compress(&mut commands);
                let flow = self.send(&commands).await;
                self.compressor = Some(Box::default());
                flow
            }
            (false, Some(stream)) => {
                let mut end = Vec::new();
                stream.finish(&mut end);
                self.send(&end).await
            }
            (true, kept) => {
                self.compressor = kept;
                Flow::On
            }
            (false, None) => Flow::On,
        }
    }

    /// Before another program goes on: what is this program's is taken back. A stream always ends, even where the
    /// client has just said that it wants none and nobody came to hear it.
    pub async fn take_back(&mut self) -> Flow {
        let Some(stream) = self.compressor.take() else { return Flow::On };
        let mut bytes = Vec::new();
        stream.finish(&mut bytes);
        self.codec.take_back_compression(&mut bytes);
        self.send(&bytes).await
    }

    /// What lists of games are told.
    pub async fn list(&mut self, rows: &[(&str, String)]) -> Flow {
        let mut commands = Vec::new();
        self.codec.listing(rows.iter().map(|(name, value)| (*name, value.as_str())), &mut commands);
        self.send(&commands).await
    }

    /// Says something beside the text.
    pub async fn message(&mut self, name: &str, json: &str) -> Flow {
        let mut commands = Vec::new();
        self.codec.message(name, json, &mut commands);
        self.send(&commands).await
    }

    /// How long nothing was sent.
    pub fn silence(&self) -> Duration {
        self.sent_at.elapsed()
    }

    /// Says what nobody sees.
    pub async fn keep_alive(&mut self) -> Flow {
        let mut commands = Vec::new();
        self.codec.keep_alive(&mut commands);
        match commands.is_empty() {
            true => Flow::On,
            false => self.send(&commands).await,
        }
    }

    /// Hides what is typed, or shows it again.
    pub async fn hide_typing(&mut self, on: bool) -> Flow {
        let mut commands = Vec::new();
        self.codec.password_mode(on, &mut commands);
        self.send(&commands).await
    }

    /// Sends commands of telnet, as the codec made them.
    pub async fn send(&mut self, commands: &[u8]) -> Flow {
        self.write(|_, out| out.commands(commands)).await
    }

    /// Writes what is put together. A reader that takes too long is closed.
    async fn write(&mut self, put: impl FnOnce(&mut Screen, &mut Outbound<'_>)) -> Flow {
        let rest = self.write_at_once(put);
        self.write_rest(rest, false).await
    }

    /// Puts a write together and writes what the kernel takes at once. The rest, where it does not take all; `None`
    /// where the peer is gone.
    fn write_at_once(&mut self, put: impl FnOnce(&mut Screen, &mut Outbound<'_>)) -> Option<Vec<u8>> {
        SCRATCH.with_borrow_mut(|scratch| {
            // A panic may have left what was meant for somebody else.
            scratch.clear();
            let mut out = Outbound::new(&self.codec, scratch);
            put(&mut self.screen, &mut out);
            let bytes = out.finish();
            if !bytes.is_empty() {
                self.sent_at = Instant::now();
            }
            let rest = match &mut self.compressor {
                None => try_write(&self.stream, bytes),
                Some(compressor) => PRESSED.with_borrow_mut(|pressed| {
                    pressed.clear();
                    compressor.press(bytes, pressed);
                    let rest = try_write(&self.stream, pressed);
                    pressed.clear();
                    pressed.shrink_to(SCRATCH_BYTES_MAX);
                    rest
                }),
            };
            scratch.clear();
            scratch.shrink_to(SCRATCH_BYTES_MAX);
            rest
        })
    }

    /// Goes on after `write_at_once`: nearly always there is nothing left to write. `last`: the server waits for it.
    async fn write_rest(&mut self, rest: Option<Vec<u8>>, last: bool) -> Flow {
        match rest {
            None => Flow::End,
            Some(rest) if rest.is_empty() => Flow::On,
            Some(rest) => Box::pin(self.write_slowly(rest, last)).await,
        }
    }

    async fn write_slowly(&mut self, rest: Vec<u8>, last: bool) -> Flow {
        let write = async {
            self.stream.write_all(&rest).await?;
            // What is encrypted waits until it is told to go.
            self.stream.flush().await
        };
        let mut patience = self.patience;
        if last {
            patience = Some(patience.map_or(LAST_WORDS, |patience| patience.min(LAST_WORDS)));
        }
        match write_within(patience, self.address, write).await {
            Written::Whole => Flow::On,
            Written::Gone => Flow::End,
            Written::TooSlow => {
                // There may be room for a last word by now; in the middle of a stream it could not be read.
                if self.compressor.is_none() {
                    let _told = self.stream.try_write(b"\r\nYou read too slowly. Goodbye.\r\n");
                }
                Flow::End
            }
        }
    }

    /// Ends the connection, when the peer has read what was written.
    pub async fn end(&mut self) {
        let mut end = Vec::new();
        if let Some(stream) = self.compressor.take() {
            stream.finish(&mut end);
        }
        let farewell = async {
            self.stream.write_all(&end).await?;
            self.stream.shutdown().await?;
            // Until the peer has closed too: what it sent and nobody reads would make the system drop our last words.
            let mut unread = [0u8; READ_BYTES];
            while self.stream.read(&mut unread).await? > 0 {}
            Ok::<(), std::io::Error>(())
        };
        // The peer may be gone or stuck; either way this is the end.
        let _told = tokio::time::timeout(FAREWELL, Box::pin(farewell)).await;
    }
}

/// What the kernel does not take at once; `None` where the peer is gone.
fn try_write(stream: &Stream, bytes: &[u8]) -> Option<Vec<u8>> {
    match stream.try_write(bytes) {
        Ok(count) => Some(bytes[count..].to_vec()),
        Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Some(bytes.to_vec()),
        Err(_) => None,
    }
}

/// How the connection goes on when what waited is written, or could not be.
fn after(written: Flow, close: Option<Close>) -> Flow {
    match (written, close) {
        (flow, None) => flow,
        (Flow::On, Some(Close::Restarting)) => Flow::HandOver,
        (_, Some(_)) => Flow::End,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Decompress, FlushDecompress, Status};
    use tokio::net::{TcpListener, TcpStream};

    const COMPRESSES: [u8; 5] = [255, 250, 86, 255, 240];

    /// With the client's end.
    async fn terminal() -> (Terminal, TcpStream) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a port");
        let address = listener.local_addr().expect("it has one");
        let (client, accepted) = tokio::join!(TcpStream::connect(address), listener.accept());
        let terminal = Terminal {
            stream: Stream::Plain(accepted.expect("it comes").0),
            codec: Codec::new(100),
            screen: Screen::new("Farewell.".into()),
            compressor: None,
            address: address.ip(),
            fresh: true,
            patience: None,
            sent_at: Instant::now(),
        };
        (terminal, client.expect("it is open"))
    }

    #[tokio::test]
    async fn a_stream_ends_before_another_program_goes_on() {
        // Where the client wants it, and where it has just said that it does not and nobody heard that.
        for (last, taken_back) in [(&[][..], &[255, 252, 86][..]), (&[255, 254, 86], &[])] {
            let (mut terminal, mut client) = terminal().await;
            let (mut events, mut reply) = (Vec::new(), Vec::new());
            terminal.codec.receive(&[255, 253, 86], &mut events, &mut reply);
            assert!(terminal.compress(true).await == Flow::On && terminal.print("Pressed.").await == Flow::On);
            terminal.codec.receive(last, &mut events, &mut reply);
            assert!(terminal.take_back().await == Flow::On && terminal.print("Plain.").await == Flow::On);
            drop(terminal);
            let mut bytes = Vec::new();
            client.read_to_end(&mut bytes).await.expect("it ends");
            let pressed = bytes.strip_prefix(&COMPRESSES).expect("it says so first");
            let (mut inflater, mut text) = (Decompress::new(true), Vec::with_capacity(100));
            let status = inflater.decompress_vec(pressed, &mut text, FlushDecompress::Sync).expect("it is a stream");
            assert_eq!((status, &text[..]), (Status::StreamEnd, &b"Pressed."[..]));
            assert_eq!(pressed[inflater.total_in() as usize..], [taken_back, b"Plain."].concat());
        }
    }
    #[tokio::test]
    async fn silence_ends_with_what_is_sent_and_not_with_nothing() {
        let (mut terminal, _client) = terminal().await;
        let begun = terminal.sent_at;
        tokio::time::sleep(Duration::from_millis(2)).await;
        assert!(terminal.send(&[]).await == Flow::On && terminal.keep_alive().await == Flow::On);
        assert_eq!(terminal.sent_at, begun, "it has never spoken telnet");
        assert!(terminal.print("A word.").await == Flow::On && terminal.sent_at > begun);
    }
}
