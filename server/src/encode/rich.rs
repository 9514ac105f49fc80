//! A line for programs that read spans (`protocol::span`): its parts, in UTF-16 units, one link over all words that
//! belong to it.
//!
//! Leaves frames to `frames`. Invariant: each piece fits into a frame with its spans.

use protocol::span::{Link, Span};
use std::sync::Arc;
use world::hyperlink::Hyperlink;
use world::report::Line;

/// What a span takes in a frame at most, and one with a link: those of the longest names and numbers.
const SPAN_BYTES: usize = 64;
const LINK_BYTES: usize = 224;

/// A part of a line that fits into a frame.
pub struct Piece<'l> {
    pub text: &'l str,
    pub spans: Vec<Span>,
}

/// A line in pieces that take so many bytes at most, split between lines where that can be.
pub fn pieces(line: &Line, bytes_max: usize) -> Vec<Piece<'_>> {
    let spans = merged(line);
    let mut pieces = Vec::new();
    let mut from = 0;
    loop {
        let rest = &line.text[from..];
        let mut end = piece_end(rest, bytes_max);
        while cost(rest, from, end, &spans) > bytes_max
            && let Some(line_break) = rest[..end].rfind('\n').filter(|at| *at > 0)
        {
            end = line_break;
        }
        pieces.push(Piece { text: &rest[..end], spans: in_units(&rest[..end], from, &spans) });
        let after = &rest[end..];
        if after.is_empty() {
            return pieces;
        }
        from += end + usize::from(after.starts_with('\n'));
    }
}

/// Where the first piece of a text ends that may have so many bytes.
pub(super) fn piece_end(text: &str, bytes_max: usize) -> usize {
    let mut end = text.len().min(bytes_max);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let line_break = text[..end].rfind('\n').filter(|at| *at > 0 && end < text.len());
    line_break.unwrap_or(end)
}

/// A span in bytes of the line.
struct Part {
    from: usize,
    to: usize,
    style: Option<&'static str>,
    link: Option<Hyperlink>,
}

/// The spans of a line. Those that belong to one link are one.
fn merged(line: &Line) -> Vec<Part> {
    let mut parts: Vec<Part> = Vec::with_capacity(line.spans.len());
    for (n, span) in line.spans.iter().enumerate() {
        let goes_on = n > 0 && span.goes_on_with(&line.spans[n - 1]);
        match parts.last_mut().filter(|_| goes_on) {
            Some(last) => {
                last.to = span.to as usize;
                last.style = last.style.or(span.style.name());
            }
            None => parts.push(Part {
                from: span.from as usize,
                to: span.to as usize,
                style: span.style.name(),
                link: span.link.clone(),
            }),
        }
    }
    parts
}

/// Bytes of the first `end` bytes of a rest that begins at `from`, with their spans.
fn cost(rest: &str, from: usize, end: usize, parts: &[Part]) -> usize {
    let within = parts.iter().filter(|part| part.from < from + end && part.to > from);
    let of_span = |part: &Part| if part.link.is_some() { LINK_BYTES } else { SPAN_BYTES };
    rest[..end].len() + within.map(of_span).sum::<usize>()
}

/// The spans of a piece that begins at `from` in its line.
fn in_units(piece: &str, from: usize, parts: &[Part]) -> Vec<Span> {
    let (mut at, mut units) = (0, 0u32);
    let mut units_at = |to: usize| {
        units += piece[at..to].encode_utf16().count() as u32;
        at = to;
        units
    };
    let within = parts.iter().filter(|part| part.from < from + piece.len() && part.to > from);
    within
        .map(|part| Span {
            from: units_at(part.from.saturating_sub(from)),
            to: units_at((part.to - from).min(piece.len())),
            style: part.style.map(Arc::from),
            link: part.link.as_ref().map(link),
        })
        .collect()
}

fn link(link: &Hyperlink) -> Link {
    let words = |words: &[&str]| words.iter().map(|word| Arc::from(*word)).collect();
    let offer = link.offer();
    Link {
        exit: link.way().map(|way| way.name().into()),
        id: link.id(),
        inside: link.inside_of(),
        verbs: words(offer.verbs),
        begins: words(offer.begins),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use world::hyperlink::Use;
    use world::report::{self, Style};

    fn span(from: usize, to: usize, style: Style, link: Option<Hyperlink>) -> report::Span {
        report::Span { from: from as u32, to: to as u32, style, link }
    }

    fn bob() -> Option<Hyperlink> {
        Some(Hyperlink::Player("Bob".into(), Use::Player))
    }

    #[test]
    fn offsets_are_units_of_utf_16_and_words_of_one_link_are_one() {
        let text = "\u{1f47a} é lamp of brass.";
        let at = |word: &str| text.find(word).expect("it is in it");
        let spans = vec![
            span(at("lamp"), at(" of"), Style::Item, bob()),
            span(at(" of"), at("of"), Style::Plain, bob()),
            span(at("of"), at(" brass"), Style::Item, bob()),
            span(at("brass"), at("."), Style::Item, bob()),
        ];
        let line = Line { text: text.into(), spans, ..Line::default() };
        let pieces = pieces(&line, 1_000);
        let units: Vec<_> = pieces[0].spans.iter().map(|span| (span.from, span.to, span.style.as_deref())).collect();
        assert_eq!(units, [(5, 12, Some("item")), (13, 18, Some("item"))]);
        let link = pieces[0].spans[0].link.as_ref().expect("it is one");
        assert_eq!(
            (link.id.as_deref(), link.verbs[0].as_ref(), link.begins[0].as_ref()),
            (Some("player_bob"), "look", "tell")
        );
    }

    #[test]
    fn each_piece_has_its_own_spans_and_fits() {
        let mut line = Line::default();
        for n in 0..300 {
            let from = line.text.len();
            line.text.push_str(&format!("goblin ü {n}"));
            let to = line.text.len();
            line.spans.push(span(from, to, Style::Mob, bob()));
            line.text.push('\n');
        }
        line.text.push_str(&"x".repeat(9_000));
        line.spans.push(span(line.text.len() - 9_000, line.text.len(), Style::Item, None));
        let pieces = pieces(&line, 4_000);
        let whole: Vec<&str> = pieces.iter().map(|piece| piece.text).collect();
        assert_eq!(whole.concat().replace('\n', ""), line.text.replace('\n', ""));
        for piece in &pieces {
            let units: Vec<u16> = piece.text.encode_utf16().collect();
            for span in &piece.spans {
                let over = String::from_utf16(&units[span.from as usize..span.to as usize]).expect("whole letters");
                assert!(over.starts_with("goblin ü ") || over.starts_with('x'), "{over}");
                assert!(!over.contains('\n'));
            }
            let mut data = String::from("{}");
            protocol::payload::append_spans(&mut data, &piece.spans);
            assert!(data.len() + piece.text.len() <= 4_000 + SPAN_BYTES, "{}", data.len());
        }
        let links = pieces.iter().flat_map(|piece| &piece.spans).filter(|span| span.link.is_some()).count();
        assert_eq!(links, 300);
    }
}
