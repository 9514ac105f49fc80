//! What a crowd reads out of one batch: lines that several readers get, kept once and made into bytes once.
//!
//! Where hundreds stand in one room, each line has hundreds of readers. A reader then holds the numbers of its lines
//! and one reference to the batch, and its bytes are copied from those that were made for all.
//! Invariant: a run has at least [`RUN_MIN`] lines, so that a reader who is slow to take a single line does not keep a
//! whole batch in memory.

use super::line::Shared;
use crate::color;
use crate::telnet::encode_text;
use std::sync::{Arc, OnceLock};

/// Lines of one batch from which on a reader refers to the batch.
pub const RUN_MIN: usize = 4;

/// The lines of a batch that have several readers.
#[derive(Debug, Default)]
pub struct Broadcast {
    lines: OnceLock<Vec<Arc<Shared>>>,
    plain: OnceLock<Encoded>,
    colored: OnceLock<Encoded>,
}

/// Lines as telnet carries them, each with its line break.
#[derive(Debug, Default)]
pub struct Encoded {
    bytes: Vec<u8>,
    lines: Vec<LineEnd>,
}

#[derive(Clone, Copy, Debug)]
struct LineEnd {
    /// In the bytes.
    at: u32,
    /// At least as many columns as it has: a window of so many need not break it.
    columns: u32,
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

    fn encoded(&self, color: bool) -> &Encoded {
        let cell = if color { &self.colored } else { &self.plain };
        cell.get_or_init(|| {
            let mut encoded = Encoded::default();
            let mut text = String::new();
            for shared in self.lines() {
                text.clear();
                color::append(&shared.line, color, &mut text);
                encode_text(&text, &mut encoded.bytes);
                encoded.bytes.extend_from_slice(b"\r\n");
                // Bytes are never fewer than columns.
                let columns = text.split('\n').map(str::len).max().unwrap_or(0) as u32;
                encoded.lines.push(LineEnd { at: encoded.bytes.len() as u32, columns });
            }
            encoded
        })
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
    pub fn new(broadcast: Arc<Broadcast>, which: &[u32], bytes: usize) -> Run {
        Run { broadcast, which: which.into(), bytes }
    }

    pub fn size(&self) -> usize {
        self.bytes
    }

    /// The lines, in order.
    pub fn lines(&self) -> impl Iterator<Item = &Arc<Shared>> {
        let lines = self.broadcast.lines();
        self.which.iter().filter_map(|at| lines.get(*at as usize))
    }

    /// Appends all lines as telnet carries them, each with its line break; `wrap` appends those that a window of that
    /// width may have to break.
    pub fn append_telnet(
        &self,
        color: bool,
        columns: Option<u16>,
        out: &mut Vec<u8>,
        mut wrap: impl FnMut(&Shared, &mut Vec<u8>),
    ) {
        let (encoded, lines) = (self.broadcast.encoded(color), self.broadcast.lines());
        let widest = columns.map_or(u32::MAX, u32::from);
        let start = |at: usize| if at == 0 { 0 } else { encoded.lines[at - 1].at as usize };
        let fits = |at: &u32| encoded.lines[*at as usize].columns <= widest;
        let mut rest = &*self.which;
        while let [first, ..] = rest {
            // Lines that follow each other are copied at once.
            let count = rest.iter().zip(*first..).take_while(|(at, next)| *at == next && fits(at)).count();
            if count == 0 {
                wrap(&lines[*first as usize], out);
                rest = &rest[1..];
                continue;
            }
            let (from, last) = (*first as usize, *first as usize + count - 1);
            out.extend_from_slice(&encoded.bytes[start(from)..encoded.lines[last].at as usize]);
            rest = &rest[count..];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::report::{Line, LineKind};

    fn broadcast(texts: &[&str]) -> Arc<Broadcast> {
        let broadcast = Arc::new(Broadcast::default());
        let line = |text: &&str| Line { kind: LineKind::Say, text: text.to_string(), ..Line::default() };
        broadcast.seal(texts.iter().map(|text| Arc::new(Shared::new(Arc::new(line(text))))).collect());
        broadcast
    }

    #[test]
    fn a_reader_gets_its_own_lines_and_no_others_in_order() {
        let broadcast = broadcast(&["one", "two", "three\nand more", "four", "five"]);
        for (which, plain) in [
            (&[0, 1, 2, 3, 4][..], "one\r\ntwo\r\nthree\r\nand more\r\nfour\r\nfive\r\n"),
            (&[1, 2, 4], "two\r\nthree\r\nand more\r\nfive\r\n"),
            (&[3], "four\r\n"),
        ] {
            let run = Run::new(broadcast.clone(), which, 0);
            let mut out = Vec::new();
            run.append_telnet(false, None, &mut out, |_, _| panic!("no window is too narrow"));
            assert_eq!(String::from_utf8_lossy(&out), plain);
            let texts: Vec<&str> = run.lines().map(|shared| shared.line.text.as_str()).collect();
            assert_eq!(texts.join("\n") + "\n", plain.replace("\r\n", "\n"));
        }
    }

    #[test]
    fn what_may_be_too_wide_is_left_to_who_wraps_it() {
        let run = Run::new(broadcast(&["one", "as wide as that", "two"]), &[0, 1, 2], 0);
        let wrap = |shared: &Shared, out: &mut Vec<u8>| out.extend(format!("<{}>", shared.line.text).bytes());
        for (color, columns, shown) in [
            (false, 14, "one\r\n<as wide as that>two\r\n"),
            (false, 15, "one\r\nas wide as that\r\ntwo\r\n"),
            (true, 15, "\x1b[36mone\x1b[0m\r\n<as wide as that>\x1b[36mtwo\x1b[0m\r\n"),
        ] {
            let mut out = Vec::new();
            run.append_telnet(color, Some(columns), &mut out, wrap);
            assert_eq!(String::from_utf8_lossy(&out), shown);
        }
    }
}
