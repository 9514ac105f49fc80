//! A zlib stream of what one connection sends (MCCP2), flushed with each write.
//!
//! The transcripts of a first hour, flushed after each answer, need 27 % of their bytes with this window and 26 % with
//! the largest, which takes 100 KB more. As it is, some 270 KiB are reserved for each stream (zlib's tables, most of
//! which no window makes smaller). Invariant: after each write, all that was written can be inflated.

use flate2::{Compress, Compression, FlushCompress};
use std::fmt;

/// 8 KiB.
const WINDOW_BITS: u8 = 13;
/// More costs time and saves nothing.
const LEVEL: u32 = 6;

pub struct Compressor(Compress);

impl fmt::Debug for Compressor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Compressor")
    }
}

impl Default for Compressor {
    fn default() -> Compressor {
        Compressor(Compress::new_with_window_bits(Compression::new(LEVEL), true, WINDOW_BITS))
    }
}

impl Compressor {
    /// Appends what stands for these bytes.
    pub fn press(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        if !bytes.is_empty() {
            self.push(bytes, FlushCompress::Sync, out);
        }
    }

    /// Appends the end of the stream: what comes behind it is plain again.
    pub fn finish(mut self, out: &mut Vec<u8>) {
        self.push(&[], FlushCompress::Finish, out);
    }

    fn push(&mut self, bytes: &[u8], flush: FlushCompress, out: &mut Vec<u8>) {
        let begun = self.0.total_in();
        loop {
            out.reserve(bytes.len() / 2 + 64);
            let taken = (self.0.total_in() - begun) as usize;
            // Nothing that is put in can be wrong, and there is room: it always gets on.
            let _status = self.0.compress_vec(&bytes[taken..], out, flush).expect("a stream that is open takes bytes");
            let all_in = self.0.total_in() - begun == bytes.len() as u64;
            // Room that is left over says that no more was to come.
            if all_in && out.len() < out.capacity() {
                return;
            }
        }
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
