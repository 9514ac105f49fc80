//! What a crowd reads out of one batch: lines that several readers get, kept once and made into bytes once.
//!
//! Where hundreds stand in one room, each line has hundreds of readers. A reader then holds the numbers of its lines
//! and one reference to the batch, and its bytes are copied from those that were made for all: by `encode::crowd`,
//! which knows how lines look.
//! Invariant: a run has at least [`RUN_MIN`] lines, so that a reader who is slow to take a single line does not keep a
//! whole batch in memory.

use super::line::Shared;
use crate::telnet::Depth;
use std::sync::{Arc, OnceLock};

/// Lines of one batch from which on a reader refers to the batch.
pub const RUN_MIN: usize = 4;

/// The lines of a batch that have several readers.
#[derive(Debug, Default)]
pub struct Broadcast {
    lines: OnceLock<Vec<Arc<Shared>>>,
    /// Without colours, and for each depth of them.
    encoded: [OnceLock<EncodedLines>; 4],
}

impl Broadcast {
    /// Once, at the end of the batch, before any reader has it.
    pub fn seal(&self, lines: Vec<Arc<Shared>>) {
        // Nobody else seals it.
        let _sealed_before = self.lines.set(lines);
    }

    fn lines(&self) -> &[Arc<Shared>] {
        self.lines.get().map_or(&[], Vec::as_slice)
    }
}

/// Lines in bytes, one behind the other.
#[derive(Debug, Default)]
pub struct EncodedLines {
    bytes: Vec<u8>,
    ends: Vec<LineEnd>,
}

#[derive(Clone, Copy, Debug)]
struct LineEnd {
    /// In the bytes.
    at: u32,
    columns: u32,
}

impl EncodedLines {
    /// Adds a line as `append` appends it. `columns`: no fewer than it has, so a window of so many need not break it.
    pub fn push(&mut self, columns: u32, append: impl FnOnce(&mut Vec<u8>)) {
        append(&mut self.bytes);
        self.ends.push(LineEnd { at: self.bytes.len() as u32, columns });
    }

    pub fn columns(&self, line: u32) -> u32 {
        self.ends[line as usize].columns
    }

    /// Of `count` lines that follow each other.
    pub fn bytes_of(&self, first: u32, count: usize) -> &[u8] {
        let first = first as usize;
        let from = if first == 0 { 0 } else { self.ends[first - 1].at };
        &self.bytes[from as usize..self.ends[first + count - 1].at as usize]
    }
}

/// What one reader reads of it, in order.
#[derive(Clone, Debug)]
pub struct Run {
    broadcast: Arc<Broadcast>,
    /// Places in its lines, ascending.
    which: Box<[u32]>,
    /// As `Shared::size`, of all.
    bytes: usize,
}

impl Run {
    /// `bytes`: as `Shared::size`, of all.
    pub fn new(broadcast: Arc<Broadcast>, which: &[u32], bytes: usize) -> Run {
        Run { broadcast, which: which.into(), bytes }
    }

    pub fn size(&self) -> usize {
        self.bytes
    }

    /// Places of its lines in the batch, ascending.
    pub fn which(&self) -> &[u32] {
        &self.which
    }

    /// The line at a place of the batch.
    pub fn line(&self, at: u32) -> Option<&Arc<Shared>> {
        self.broadcast.lines().get(at as usize)
    }

    /// The lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = &Arc<Shared>> {
        self.which.iter().filter_map(|at| self.line(*at))
    }

    /// All lines of the batch, as `encode` makes them the first time that somebody wants them in so many colours.
    pub fn encoded(&self, depth: Option<Depth>, encode: impl FnOnce(&[Arc<Shared>]) -> EncodedLines) -> &EncodedLines {
        let cell = &self.broadcast.encoded[depth.map_or(0, |depth| depth as usize + 1)];
        cell.get_or_init(|| encode(self.broadcast.lines()))
    }
}
