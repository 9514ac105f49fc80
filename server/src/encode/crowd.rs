//! Lines that many people read, made into bytes once: each terminal copies its own out of them.
//!
//! Invariant: a terminal gets the same bytes as if each of its lines had been encoded for it alone.

use super::color;
use super::text::{Look, USUAL_COLUMNS, text_of};
use crate::outbox::{EncodedLines, Run, Shared};
use crate::telnet::{Depth, Outbound, encode_line};
use std::sync::Arc;

/// Appends a reader's lines, each with its end. Those that its window may have to break are encoded anew, and so are
/// those with words to click.
pub fn append_run(run: &Run, look: Look, out: &mut Outbound<'_>) {
    if !out.takes_encoded_lines() {
        run.lines().for_each(|shared| out.line(&text_of(&shared.line, look)));
        return;
    }
    let encoded = run.encoded(look.depth, |lines| encode_all(lines, look.depth));
    let widest = u32::from(look.columns.unwrap_or(USUAL_COLUMNS));
    let has_links = |at: u32| look.links && run.line(at).is_some_and(|shared| shared.line.has_links());
    let fits = |at: u32| encoded.columns(at) <= widest && !has_links(at);
    let mut rest = run.which();
    while let [first, ..] = rest {
        // Lines that follow each other are copied at once.
        let count = rest.iter().zip(*first..).take_while(|(at, next)| *at == next && fits(*next)).count();
        match count {
            0 => {
                if let Some(shared) = run.line(*first) {
                    out.line(&text_of(&shared.line, look));
                }
                rest = &rest[1..];
            }
            count => {
                out.encoded_lines(encoded.bytes_of(*first, count));
                rest = &rest[count..];
            }
        }
    }
}

fn encode_all(lines: &[Arc<Shared>], depth: Option<Depth>) -> EncodedLines {
    let mut encoded = EncodedLines::default();
    let mut text = String::new();
    for shared in lines {
        text.clear();
        color::append(&shared.line, depth, false, &mut text);
        // Bytes are never fewer than columns; codes of colours take none.
        let columns = shared.line.text.split('\n').map(str::len).max().unwrap_or(0) as u32;
        encoded.push(columns, |bytes| encode_line(&text, bytes));
    }
    encoded
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::outbox::Broadcast;
    use crate::telnet::Codec;
    use world::report::{Line, LineKind};

    fn broadcast(texts: &[&str]) -> Arc<Broadcast> {
        let broadcast = Arc::new(Broadcast::default());
        let line = |text: &&str| Line { kind: LineKind::Say, text: text.to_string(), ..Line::default() };
        broadcast.seal(texts.iter().map(|text| Arc::new(Shared::new(Arc::new(line(text))))).collect());
        broadcast
    }

    fn shown(run: &Run, depth: Option<Depth>, columns: Option<u16>) -> String {
        let (codec, mut bytes) = (Codec::new(100), Vec::new());
        let look = Look { depth, columns, links: true };
        append_run(run, look, &mut Outbound::new(&codec, &mut bytes));
        String::from_utf8(bytes).expect("text")
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
            assert_eq!(shown(&run, None, None), plain);
            let texts: Vec<&str> = run.lines().map(|shared| shared.line.text.as_str()).collect();
            assert_eq!(texts.join("\n") + "\n", plain.replace("\r\n", "\n"));
        }
    }

    #[test]
    fn colours_make_no_line_wider() {
        let lines = ["one", "as wide as that\nand more", "café"].map(|text| {
            Arc::new(Shared::new(Arc::new(Line { kind: LineKind::Say, text: text.to_string(), ..Line::default() })))
        });
        for depth in [None, Some(Depth::Sixteen), Some(Depth::True)] {
            let encoded = encode_all(&lines, depth);
            assert_eq!([0, 1, 2].map(|at| encoded.columns(at)), [3, 15, 5], "{depth:?}");
        }
    }

    #[test]
    fn what_is_too_wide_for_a_window_is_broken_for_that_window_only() {
        let run = Run::new(broadcast(&["one", "as wide as that", "two"]), &[0, 1, 2], 0);
        for (depth, columns, expected) in [
            (None, 14, "one\r\nas wide as\r\nthat\r\ntwo\r\n"),
            (None, 15, "one\r\nas wide as that\r\ntwo\r\n"),
            (
                Some(Depth::Sixteen),
                15,
                "\x1b[36mone\x1b[0m\r\n\x1b[36mas wide as that\x1b[0m\r\n\x1b[36mtwo\x1b[0m\r\n",
            ),
        ] {
            assert_eq!(shown(&run, depth, Some(columns)), expected, "{depth:?} {columns}");
        }
    }
}
