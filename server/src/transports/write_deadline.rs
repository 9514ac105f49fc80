//! The patience with a peer that does not read: an answer that it asked for is written in time, or the connection
//! ends. Once a connection is a WebSocket, that keeps its own times, and this one is silent.
//!
//! Without it, whoever pipelines requests and never reads holds a connection for good: hyper waits to write, and asks
//! for nothing else meanwhile. Invariants: bytes are passed on as they are; a time runs only while the peer takes less
//! than the server has for it; a peer that takes a drop now and then does not begin it anew.

use super::caller::SharedSlot;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep};

/// So much has to go in each span of patience, or all of it.
const PROGRESS_BYTES: usize = 16 * 1024;

pub struct WriteDeadline<T> {
    io: T,
    /// `None`: for ever.
    patience: Option<Duration>,
    /// While the peer is behind.
    until: Option<Pin<Box<Sleep>>>,
    /// Since `until` was set.
    written: usize,
    slot: SharedSlot,
}

impl<T> WriteDeadline<T> {
    /// `slot`: tells by being taken that the connection is a WebSocket; it is given back with this value at the latest.
    pub fn new(io: T, patience: Option<Duration>, slot: SharedSlot) -> WriteDeadline<T> {
        WriteDeadline { io, patience, until: None, written: 0, slot }
    }

    /// What a write came to, seen as progress or the lack of it. `offered`: bytes that the server had.
    fn judge<R>(
        &mut self,
        context: &mut Context<'_>,
        result: Poll<io::Result<R>>,
        written: usize,
        offered: usize,
    ) -> Poll<io::Result<R>> {
        let Some(patience) = self.patience else { return result };
        if result.is_ready() {
            self.written += written;
            if offered > 0 && written == offered || self.written >= PROGRESS_BYTES {
                self.until = None;
            }
            return result;
        }
        if self.slot.is_taken() {
            self.until = None;
            return result;
        }
        let until = self.until.get_or_insert_with(|| {
            self.written = 0;
            Box::pin(tokio::time::sleep_until(Instant::now() + patience))
        });
        match until.as_mut().poll(context) {
            Poll::Ready(()) => Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "the answer was not read"))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl<T: AsyncRead + Unpin> AsyncRead for WriteDeadline<T> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.get_mut().io).poll_read(context, buffer)
    }
}

impl<T: AsyncWrite + Unpin> AsyncWrite for WriteDeadline<T> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.io).poll_write(context, bytes);
        let count = if let Poll::Ready(Ok(count)) = written { count } else { 0 };
        this.judge(context, written, count, bytes.len())
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.io).poll_write_vectored(context, slices);
        let count = if let Poll::Ready(Ok(count)) = written { count } else { 0 };
        this.judge(context, written, count, slices.iter().map(|slice| slice.len()).sum())
    }

    fn is_write_vectored(&self) -> bool {
        self.io.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.io).poll_flush(context);
        this.judge(context, flushed, 0, 0)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let shut = Pin::new(&mut this.io).poll_shutdown(context);
        this.judge(context, shut, 0, 0)
    }
}

#[cfg(test)]
mod tests {
    use super::super::caller::SharedSlot;
    use super::*;
    use crate::limits::{ConnectionLimits, Limits, Purpose};
    use std::net::{IpAddr, Ipv4Addr};
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    const PATIENCE: Duration = Duration::from_millis(1_000);

    fn slot() -> SharedSlot {
        let limits = ConnectionLimits::new(&Limits::DEFAULT);
        SharedSlot::new(limits.connect(IpAddr::V4(Ipv4Addr::LOCALHOST), Purpose::Request).expect("it is the first"))
    }

    #[tokio::test]
    async fn who_never_reads_is_cut_after_its_time() {
        let (ours, _theirs) = duplex(100);
        let mut io = WriteDeadline::new(ours, Some(PATIENCE), slot());
        let begun = Instant::now();
        let error = io.write_all(&[7; 1_000]).await.expect_err("nobody reads it");
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        assert!(begun.elapsed() >= PATIENCE);
    }

    #[tokio::test]
    async fn a_drop_now_and_then_begins_no_new_time() {
        let (ours, mut theirs) = duplex(100);
        let mut io = WriteDeadline::new(ours, Some(PATIENCE), slot());
        let dripping = tokio::spawn(async move {
            let mut drop = [0; 10];
            while theirs.read_exact(&mut drop).await.is_ok() {
                tokio::time::sleep(PATIENCE / 4).await;
            }
        });
        let begun = Instant::now();
        assert!(io.write_all(&[7; 10_000]).await.is_err());
        assert!(begun.elapsed() >= PATIENCE);
        drop(io);
        dripping.await.expect("it does not panic");
    }

    #[tokio::test]
    async fn who_reads_at_leisure_and_all_has_as_many_times_as_it_needs() {
        let (ours, mut theirs) = duplex(64 * 1024);
        let mut io = WriteDeadline::new(ours, Some(PATIENCE), slot());
        let reading = tokio::spawn(async move {
            let (mut part, mut total) = (vec![0; 32 * 1024], 0);
            while let Ok(count @ 1..) = theirs.read(&mut part).await {
                total += count;
                tokio::time::sleep(PATIENCE / 10).await;
            }
            total
        });
        for _ in 0..2 {
            io.write_all(&[7; 400_000]).await.expect("it is read");
            tokio::time::sleep(2 * PATIENCE).await;
        }
        drop(io);
        assert_eq!(reading.await.expect("it does not panic"), 800_000);
    }

    #[tokio::test]
    async fn a_websocket_keeps_its_own_times() {
        let (ours, _theirs) = duplex(100);
        let slot = slot();
        let mut io = WriteDeadline::new(ours, Some(PATIENCE), slot.clone());
        let _taken = slot.take().expect("it is there");
        let writing = tokio::time::timeout(2 * PATIENCE, io.write_all(&[7; 1_000])).await;
        assert!(writing.is_err(), "it waits on");
    }
}
