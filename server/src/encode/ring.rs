//! The newest frames of a stream, so that a client whose connection broke gets what it missed.
//!
//! Knows no sockets: whoever sends frames puts each in once, and asks for those after a number.
//! Invariant: the numbers of what is kept follow each other without a gap, and the last is the last that was put in.

use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Frames that are kept at most, and bytes of them; the oldest go first.
const FRAMES_MAX: usize = 512;
const BYTES_MAX: usize = 128 * 1024;

/// The newest frames, on their way to another program.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// Number of the newest.
    pub last: u64,
    pub frames: Vec<Box<str>>,
}

impl Kept {
    pub fn bytes(&self) -> usize {
        self.frames.iter().map(|frame| frame.len()).sum()
    }
}

#[derive(Debug, Default)]
pub struct Ring {
    frames: VecDeque<Box<str>>,
    bytes: usize,
    /// Number of the newest; 0: there was none.
    last: u64,
}

impl Ring {
    /// The next frame; its number is one more than that of the one before.
    pub fn put(&mut self, frame: &str) {
        self.last += 1;
        self.bytes += frame.len();
        self.frames.push_back(frame.into());
        while self.frames.len() > FRAMES_MAX || self.bytes > BYTES_MAX {
            let Some(oldest) = self.frames.pop_front() else { return };
            self.bytes -= oldest.len();
        }
    }

    /// As many of the newest as have so many bytes.
    pub fn newest(&self, bytes_max: usize) -> Kept {
        let mut bytes = 0;
        let fits = |frame: &&str| {
            bytes += frame.len();
            bytes <= bytes_max
        };
        let newest = self.frames.iter().rev().map(|frame| &**frame).take_while(fits);
        let mut frames: Vec<Box<str>> = newest.map(Box::from).collect();
        frames.reverse();
        Kept { last: self.last, frames }
    }

    /// Goes on behind what is kept.
    pub fn behind(Kept { last, frames }: Kept) -> Ring {
        Ring { bytes: frames.iter().map(|frame| frame.len()).sum(), frames: frames.into(), last }
    }

    /// All after that number, in order; `None` where one of them is gone, or that number is of no frame so far.
    pub fn after(&self, seq: u64) -> Option<impl Iterator<Item = &str>> {
        let missed = usize::try_from(self.last.checked_sub(seq)?).ok()?;
        let skipped = self.frames.len().checked_sub(missed)?;
        Some(self.frames.iter().skip(skipped).map(|frame| &**frame))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(ring: &Ring, seq: u64) -> Option<Vec<&str>> {
        ring.after(seq).map(Iterator::collect)
    }

    #[test]
    fn what_was_missed_is_had_again_and_nothing_else() {
        let mut ring = Ring::default();
        assert_eq!(after(&ring, 0), Some(vec![]));
        assert_eq!(after(&ring, 1), None, "there was no frame yet");
        ["one", "two", "three"].iter().for_each(|frame| ring.put(frame));
        assert_eq!(after(&ring, 0), Some(vec!["one", "two", "three"]));
        assert_eq!(after(&ring, 2), Some(vec!["three"]));
        assert_eq!(after(&ring, 3), Some(vec![]));
        assert_eq!((after(&ring, 4), after(&ring, u64::MAX)), (None, None));
    }

    #[test]
    fn the_newest_go_on_in_another_ring() {
        let mut ring = Ring::default();
        ["one", "two", "three"].iter().for_each(|frame| ring.put(frame));
        for (bytes_max, kept) in [(0, 0), (4, 0), (5, 1), (8, 2), (100, 3)] {
            let left = ring.newest(bytes_max);
            assert_eq!((left.last, left.frames.len()), (3, kept), "{bytes_max} bytes");
            let mut next = Ring::behind(left);
            assert_eq!(after(&next, 3), Some(vec![]));
            next.put("four");
            assert_eq!(after(&next, 3), Some(vec!["four"]));
            assert_eq!(after(&next, 1).is_some(), kept >= 2);
        }
    }

    #[test]
    fn the_oldest_go_first_by_number_and_by_bytes() {
        let mut ring = Ring::default();
        (0..FRAMES_MAX + 3).for_each(|n| ring.put(&n.to_string()));
        assert_eq!((after(&ring, 2), after(&ring, 3).map(|kept| kept.len())), (None, Some(FRAMES_MAX)));
        let large = "x".repeat(BYTES_MAX / 2);
        ring.put(&large);
        ring.put(&large);
        ring.put("y");
        let last = FRAMES_MAX as u64 + 6;
        assert_eq!(after(&ring, last - 2).map(|kept| kept.len()), Some(2));
        assert_eq!(after(&ring, last - 3), None);
        ring.put(&"z".repeat(BYTES_MAX + 1));
        assert_eq!((after(&ring, last), after(&ring, last + 1)), (None, Some(vec![])), "one frame may be too large");
    }
}
