//! A zlib stream of what one connection sends (MCCP2), flushed with each write.
//!
//! A compressor's tables take 230 KB, so each thread has one for all its connections, and a connection keeps only what
//! matches may refer to: the end of what it has sent. Each write is a run of deflate blocks (RFC 1951) that begins with
//! that for its dictionary and ends at a whole byte; one behind the other, between the head and the checksum of
//! RFC 1950, they are one stream. Invariant: after each write, all that was written can be inflated.

use flate2::{Compress, Compression, FlushCompress};
use std::cell::RefCell;
use zlib_rs::adler32::adler32;

/// 4 KiB: the texts of our transcripts, flushed every 450 bytes, need 35 % of their bytes, and 33 % with twice as much,
/// which takes half as long again.
const WINDOW_BITS: u8 = 12;
/// A match reaches less far than the window: this much is kept free in it (RFC 1951 allows for matches of 258 bytes).
const DICTIONARY_MAX: usize = (1 << WINDOW_BITS) - 262;
/// Level 6 needs 30 % of the bytes, and twice the time.
const LEVEL: u32 = 1;
/// Deflate, its window, no dictionary, the fastest level; together a multiple of 31 (RFC 1950).
const HEAD: [u8; 2] = {
    let method = (WINDOW_BITS - 8) << 4 | 8;
    [method, 31 - (method as u16 * 256 % 31) as u8]
};
/// The checksum of nothing.
const ADLER_START: u32 = 1;

thread_local! {
    static PRESS: RefCell<Compress> =
        RefCell::new(Compress::new_with_window_bits(Compression::new(LEVEL), false, WINDOW_BITS));
}

#[derive(Debug)]
pub struct Compressor {
    /// The end of what was written, at most [`DICTIONARY_MAX`].
    sent: Vec<u8>,
    /// Of all that was written.
    checksum: u32,
    begun: bool,
}

impl Default for Compressor {
    fn default() -> Compressor {
        Compressor { sent: Vec::new(), checksum: ADLER_START, begun: false }
    }
}

impl Compressor {
    /// Appends what stands for these bytes.
    pub fn press(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        self.push(bytes, FlushCompress::Sync, out);
        self.checksum = adler32(self.checksum, bytes);
        let new = &bytes[bytes.len().saturating_sub(DICTIONARY_MAX)..];
        let old = (self.sent.len() + new.len()).saturating_sub(DICTIONARY_MAX);
        self.sent.drain(..old);
        self.sent.extend_from_slice(new);
    }

    /// Appends the end of the stream: what comes behind it is plain again.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.push(&[], FlushCompress::Finish, out);
        out.extend_from_slice(&self.checksum.to_be_bytes());
    }

    fn push(&mut self, bytes: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.begun, true) {
            out.extend_from_slice(&HEAD);
        }
        PRESS.with_borrow_mut(|press| {
            press.reset();
            if !self.sent.is_empty() {
                // No block has begun.
                press.set_dictionary(&self.sent).expect("a fresh compressor takes a dictionary");
            }
            loop {
                out.reserve(bytes.len() / 2 + 64);
                let taken = press.total_in() as usize;
                // Nothing that is put in can be wrong, and there is room: it always gets on.
                let _status =
                    press.compress_vec(&bytes[taken..], out, flush).expect("a stream that is open takes bytes");
                let all_in = press.total_in() == bytes.len() as u64;
                // Room that is left over says that no more was to come.
                if all_in && out.len() < out.capacity() {
                    return;
                }
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Decompress, FlushDecompress, Status};

    #[test]
    fn each_write_can_be_read_at_once_and_the_end_is_one() {
        let mut noise = 7u32;
        let mut random = move || {
            noise = noise.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (noise >> 24) as u8
        };
        let writes: Vec<Vec<u8>> =
            [0, 1, 5, 64, 200, 5_000, 70_000].map(|size| (0..size).map(|_| random()).collect()).into();
        let writes = [writes, vec![b"The rain falls. ".repeat(4_000)]].concat();
        let (mut stream, mut reader) = (Compressor::default(), Decompress::new(true));
        let mut read = |pressed: &[u8]| {
            let (before, mut plain) = (reader.total_in(), Vec::with_capacity(80_000));
            let status = reader.decompress_vec(pressed, &mut plain, FlushDecompress::Sync).expect("it is a stream");
            assert_eq!(reader.total_in() - before, pressed.len() as u64, "all of it is read");
            (status, plain)
        };
        for bytes in &writes {
            let mut pressed = Vec::new();
            stream.press(bytes, &mut pressed);
            assert_eq!(pressed.is_empty(), bytes.is_empty());
            if !bytes.is_empty() {
                assert!(read(&pressed) == (Status::Ok, bytes.clone()), "{} bytes", bytes.len());
            }
        }
        // What repeats is small: the stream is one, and knows what was before.
        let mut again = Vec::new();
        stream.press(&writes[writes.len() - 1][..100], &mut again);
        assert!(again.len() < 20 && read(&again).1.len() == 100, "{} bytes", again.len());
        let mut end = Vec::new();
        stream.finish(&mut end);
        assert_eq!(read(&end), (Status::StreamEnd, vec![]));
    }
}
