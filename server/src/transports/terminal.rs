//! What a person at a telnet connection sees, and the bytes in both directions.
//!
//! Puts lines, prompt and farewell together and writes them; what is said and when is the connection's affair. A
//! session that plays holds no buffer: what is sent at once is put together in one of the thread, what is read goes
//! through the stack. Invariant: after a prompt, what comes unasked begins on a new line.

use super::proxy_protocol::looks_like_header;
use super::stream::Stream;
use crate::color;
use crate::outbox::{Close, Out, Prompt, Shared, Taken};
use crate::restart::LAST_WORDS;
use crate::session::wrapping::wrap;
use crate::telnet::{Codec, TelnetEvent, encode_text};
use content::Text;
use std::cell::RefCell;
use std::future::poll_fn;
use std::mem::MaybeUninit;
use std::net::IpAddr;
use std::pin::Pin;
use std::task::{Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt, ReadBuf};
use world::report::Line;

/// How long the end of a connection may take.
const FAREWELL: Duration = Duration::from_secs(2);
/// Read from the socket at a time. On the stack, so a silent session has no buffer.
const READ_BYTES: usize = 2048;

thread_local! {
    /// Where what is sent at once is put together, so that a session needs no buffer of its own.
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}
/// What a thread keeps of it.
const SCRATCH_BYTES_MAX: usize = 64 * 1024;

pub struct Terminal {
    pub stream: Stream,
    pub codec: Codec,
    /// For the log.
    pub address: IpAddr,
    /// The last thing written was a prompt, so what comes unasked begins on a new line.
    pub at_prompt: bool,
    /// The width of the window, where the client told it.
    pub columns: Option<u16>,
    /// Prompts are for those who play.
    pub plays: bool,
    /// The newest, for the next time that one is due.
    pub prompt: Prompt,
    /// Nothing was read before.
    fresh: bool,
    /// What the world says to who leaves it.
    farewell: Text,
    /// How long a reader may take; `None` is for ever.
    patience: Option<Duration>,
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
    pub fn new(stream: Stream, codec: Codec, address: IpAddr, patience: Option<Duration>, farewell: Text) -> Terminal {
        Terminal {
            stream,
            codec,
            address,
            at_prompt: false,
            columns: None,
            plays: false,
            prompt: Prompt::default(),
            fresh: true,
            farewell,
            patience,
        }
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

    /// Shows what waited for its reader, then the prompt or the farewell. `retry_after_ms`: when those may call again
    /// whose connection ends with the program.
    pub async fn show(&mut self, taken: Taken, retry_after_ms: u64) -> Flow {
        let rest = SCRATCH.with_borrow_mut(|scratch| {
            self.append_taken(&taken, retry_after_ms, scratch);
            self.write_at_once(scratch)
        });
        drop(taken.items);
        let flow = self.write_rest(rest, taken.close.is_some()).await;
        after(flow, taken.close)
    }

    /// What a person reads of what waited: the lines, then the prompt or the farewell.
    fn append_taken(&mut self, taken: &Taken, retry_after_ms: u64, out: &mut Vec<u8>) {
        if self.at_prompt && !taken.items.is_empty() {
            out.extend_from_slice(b"\r\n");
            self.at_prompt = false;
        }
        for item in &taken.items {
            match item {
                Out::Line(shared) => self.append_line(&shared.line, out),
                Out::Lines(run) => {
                    let wrap = |shared: &Shared, out: &mut Vec<u8>| self.append_line(&shared.line, out);
                    run.append_telnet(self.prompt.color, self.columns, out, wrap);
                }
                Out::Password | Out::Outcome(_) | Out::Frame(_) | Out::FullVars(_) => {}
            }
        }
        match taken.close {
            // The next program says the rest.
            Some(Close::Restarting) if self.stream.outlives_the_program() => {}
            Some(Close::Restarting) => {
                let seconds = retry_after_ms.div_ceil(1_000);
                let text = format!(
                    "\nThe world blinks. A sealed line does not outlast that: call again in {seconds} seconds, and you \
                     are where you were.\n"
                );
                encode_text(&text, out);
            }
            Some(close) => encode_text(&format!("\n{}\n", farewell(close, &self.farewell)), out),
            None => self.append_prompt(out),
        }
    }

    /// One line with its line break, coloured and wrapped as the client wants it.
    fn append_line(&self, line: &Line, out: &mut Vec<u8>) {
        if self.prompt.color || self.columns.is_some() {
            let mut text = String::new();
            color::append(line, self.prompt.color, &mut text);
            if let Some(columns) = self.columns {
                text = wrap(&text, usize::from(columns));
            }
            encode_text(&text, out);
        } else {
            encode_text(&line.text, out);
        }
        out.extend_from_slice(b"\r\n");
    }

    pub async fn write_prompt(&mut self) -> Flow {
        let mut out = Vec::new();
        self.append_prompt(&mut out);
        self.write(&out).await
    }

    fn append_prompt(&mut self, out: &mut Vec<u8>) {
        if !self.plays {
            return;
        }
        if !self.prompt.compact {
            out.extend_from_slice(b"\r\n");
        }
        if !self.prompt.text.is_empty() {
            encode_text(self.prompt.text.trim_end(), out);
            out.push(b' ');
        }
        self.codec.end_prompt(out);
        self.at_prompt = true;
    }

    /// Says something that is not part of the game.
    pub async fn print(&mut self, text: &str) -> Flow {
        let mut out = Vec::new();
        encode_text(text, &mut out);
        Box::pin(self.write(&out)).await
    }

    /// Writes bytes. A reader that takes too long is closed.
    pub async fn write(&mut self, bytes: &[u8]) -> Flow {
        let rest = self.try_write(bytes);
        self.write_rest(rest, false).await
    }

    /// Writes what the kernel takes at once. The rest, where it does not take all; `None` where the peer is gone.
    fn try_write(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        match self.stream.try_write(bytes) {
            Ok(count) if count == bytes.len() => Some(Vec::new()),
            Ok(count) => Some(bytes[count..].to_vec()),
            Err(error) if error.kind() == std::io::ErrorKind::WouldBlock => Some(bytes.to_vec()),
            Err(_) => None,
        }
    }

    /// As `try_write`, and empties the buffer for the next.
    fn write_at_once(&self, scratch: &mut Vec<u8>) -> Option<Vec<u8>> {
        let rest = self.try_write(scratch);
        scratch.clear();
        scratch.shrink_to(SCRATCH_BYTES_MAX);
        rest
    }

    /// Goes on after `try_write`: nearly always there is nothing left to write. `last`: the server waits for it.
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
        let written = match patience {
            Some(longest) => tokio::time::timeout(longest, write).await,
            None => Ok(write.await),
        };
        match written {
            Ok(Ok(())) => Flow::On,
            Ok(Err(_)) => Flow::End,
            Err(_) => {
                tracing::info!(address = %self.address, "closed a slow reader");
                // There may be room for a last word by now.
                let _told = self.stream.try_write(b"\r\nYou read too slowly. Goodbye.\r\n");
                Flow::End
            }
        }
    }

    /// Ends the connection, when the peer has read what was written.
    pub async fn end(&mut self) {
        let farewell = async {
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

/// How the connection goes on when what waited is written, or could not be.
fn after(written: Flow, close: Option<Close>) -> Flow {
    match (written, close) {
        (flow, None) => flow,
        (Flow::On, Some(Close::Restarting)) => Flow::HandOver,
        (_, Some(_)) => Flow::End,
    }
}

/// `world`: what the world says to who leaves it.
fn farewell(close: Close, world: &str) -> &str {
    match close {
        Close::Quit => world,
        Close::Idle => "You have been away for too long. Your character has been put to rest.",
        Close::Removed => "The connection is closed.",
        Close::Revoked => "The key of this session was revoked. Goodbye.",
        Close::TakenOver => "Your character was taken over by another connection.",
        Close::Stopping => "The world is going to sleep. Everything you have is safe. Come back soon.",
        // `append_taken` says more.
        Close::Restarting => "The world blinks.",
        Close::Overflow => "You read too slowly. Goodbye.",
    }
}
