//! A line as a screen reader reads it aloud: no columns, no rules, no pictures made of signs, and channels with their
//! names in front.
//!
//! Pages that can be said better in other words are written so where they are made (`Page::for_reader`, the map, a
//! room); this is what every line of somebody who set `screenreader` goes through, so that none is forgotten.
//! Invariant: what is left never has three of the signs that rules are drawn with in a row.

use crate::character::{Character, PlayerFlags};
use crate::masking::is_speaker;
use crate::report::{Line, LineKind, Span};
use protocol::Outcome;
use protocol::words::capitalised;
use std::borrow::Cow;
use std::sync::Arc;

/// What rules, frames and bars are drawn with.
const RULES: &str = "-=_|+*#";
/// So many of them in a row are none to be read.
const RULE_MIN: usize = 3;

/// Whether somebody has everything read aloud.
pub fn listens(who: &Character) -> bool {
    who.player_flags().has(PlayerFlags::SCREENREADER)
}

/// A text as it is read aloud, for what is said beside the world: what the world says is made so already.
pub fn text(written: &str) -> Cow<'_, str> {
    plain(written, &[], true).map_or(Cow::Borrowed(written), |(text, _)| Cow::Owned(text))
}

/// A line as this reader gets it. `None`: it is spared that.
pub(crate) fn line_for(reader: &Character, line: Arc<Line>) -> Option<Arc<Line>> {
    if !listens(reader) {
        return Some(line);
    }
    // What sky and sun do is in `weather` and `time`.
    if line.kind == LineKind::Outdoor {
        return None;
    }
    let said = said(reader, &line);
    let is_speech = said.is_some() || line.from.is_some() || line.message.is_some();
    let (text, spans) = match &said {
        Some(text) => (&**text, &[][..]),
        None => (&*line.text, &line.spans[..]),
    };
    match plain(text, spans, !is_speech) {
        // There was nothing in it but a rule.
        Some((text, _)) if text.is_empty() && line.outcome.is_none() => None,
        Some((text, spans)) => Some(Arc::new(Line { text, spans, ..Line::clone(&line) })),
        None if said.is_some() => {
            Some(Arc::new(Line { text: said.unwrap_or_default(), spans: Vec::new(), ..Line::clone(&line) }))
        }
        None if line.has_links() => {
            let spans = line.spans.iter().map(without_link).collect();
            Some(Arc::new(Line { spans, ..Line::clone(&line) }))
        }
        None => Some(line),
    }
}

/// Nothing is to be clicked by ear: what can be done is in the verbs.
fn without_link(span: &Span) -> Span {
    Span { link: None, ..*span }
}

/// Words on a channel: its name, who speaks, and what is said, in the order in which one wants to stop listening.
fn said(reader: &Character, line: &Line) -> Option<String> {
    let Some(Outcome::Said { channel, text, .. }) = line.outcome.as_deref() else { return None };
    let label = match line.kind {
        LineKind::Channel(_) => capitalised(channel),
        LineKind::Group => "Group".to_string(),
        LineKind::Chat => capitalised(&channel_named(&line.text)?),
        _ => return None,
    };
    let own = is_speaker(reader, line);
    // Who does not want its own words again is told that they were said.
    if own && !reader.repeats() {
        return None;
    }
    let speaker = match &line.from {
        _ if own => "You".to_string(),
        Some(from) => capitalised(from),
        None => "Someone".to_string(),
    };
    Some(format!("{label}, {speaker}: {text}"))
}

/// The name and the number of what was said, out of `[12 builders #40] …`.
fn channel_named(text: &str) -> Option<String> {
    let (marks, _) = text.strip_prefix('[')?.split_once("] ")?;
    let (_, name) = marks.split_once(' ')?;
    Some(name.replace('#', ""))
}

/// A text without what only eyes can use, and its spans without links; `columns`: blanks in a row stand between
/// columns. `None`: it is as it was.
fn plain(text: &str, spans: &[Span], columns: bool) -> Option<(String, Vec<Span>)> {
    let mut made =
        Plain { text: String::with_capacity(text.len()), spans: Vec::new(), waiting: spans, open: false, columns };
    let mut at = 0;
    for line in text.split('\n') {
        made.line(line, at);
        at += line.len() + 1;
    }
    let same = made.text == text;
    (!same).then_some((made.text, made.spans))
}

struct Plain<'s> {
    text: String,
    spans: Vec<Span>,
    /// Those that end further on in what is read.
    waiting: &'s [Span],
    /// The last of `spans` is the first of `waiting`, and goes on.
    open: bool,
    columns: bool,
}

impl Plain<'_> {
    /// `at`: where the line begins in the whole.
    fn line(&mut self, line: &str, at: usize) {
        let Some(signs) = signs_of(line) else { return };
        let begin = self.text.len();
        if begin > 0 {
            self.text.push('\n');
        }
        let begin = self.text.len();
        // Blanks wait until something follows them.
        let mut blanks = 0;
        for (offset, sign) in signs {
            if sign == ' ' {
                blanks += 1;
                continue;
            }
            let is_first = self.text.len() == begin;
            let last = self.text.chars().next_back().filter(|_| !is_first);
            let opens = last.is_some_and(|last| matches!(last, '[' | '('));
            let closes = matches!(sign, ']' | ')' | ',' | '.');
            let ends = last.is_some_and(|last| matches!(last, ',' | '.' | ':' | ';' | '!' | '?'));
            self.text.push_str(match blanks {
                0 => "",
                _ if is_first || (self.columns && opens) => "",
                2.. if self.columns && closes => "",
                2.. if self.columns && !ends => ", ",
                _ => " ",
            });
            blanks = 0;
            self.spans_at(at + offset);
            self.text.push(sign);
            if self.open
                && let Some(last) = self.spans.last_mut()
            {
                last.to = self.text.len() as u32;
            }
        }
    }

    /// Spans that end up to here end where the text is by now, and one that has begun begins there.
    fn spans_at(&mut self, at: usize) {
        let here = self.text.len() as u32;
        while let Some((_, rest)) = self.waiting.split_first().filter(|(span, _)| span.to as usize <= at) {
            if std::mem::take(&mut self.open)
                && let Some(last) = self.spans.last_mut()
            {
                last.to = here;
            }
            self.waiting = rest;
        }
        if let Some(span) = self.waiting.first().filter(|span| !self.open && span.from as usize <= at) {
            self.spans.push(Span { from: here, to: here, link: None, ..*span });
            self.open = true;
        }
    }
}

/// The signs of a line with where they stand in it, rules as a blank; none for a line of which nothing is left.
fn signs_of(line: &str) -> Option<Vec<(usize, char)>> {
    let mut signs: Vec<(usize, char)> = line.char_indices().collect();
    let mut from = 0;
    while from < signs.len() {
        let run = signs[from..].iter().take_while(|(_, sign)| RULES.contains(*sign)).count();
        if run >= RULE_MIN {
            signs[from..from + run].iter_mut().for_each(|(_, sign)| *sign = ' ');
        }
        from += run.max(1);
    }
    signs.iter().any(|(_, sign)| !sign.is_whitespace()).then_some(signs)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hyperlink::{Hyperlink, Use};
    use crate::report::Style;

    fn aloud(text: &str) -> String {
        plain(text, &[], true).map_or_else(|| text.to_string(), |(text, _)| text)
    }

    #[test]
    fn columns_become_commas_and_rules_nothing() {
        assert_eq!(aloud("  a lantern           of brass"), "a lantern, of brass");
        assert_eq!(aloud("[ 5 Warrior   ] Bob the Recruit"), "[5 Warrior] Bob the Recruit");
        assert_eq!(aloud("Wares:\n-----+-----\n 1.  a rope\n\n 2.  a knife"), "Wares:\n1. a rope\n2. a knife");
        assert_eq!(aloud("*** Look ***"), "Look");
        assert_eq!(aloud("You say, \"well-known\""), "You say, \"well-known\"");
        assert_eq!(aloud("-|-\n=+="), "");
    }

    #[test]
    fn no_text_keeps_three_signs_of_rules() {
        let signs: Vec<char> = "-=_|+*# a\n".chars().collect();
        let mut state = 7u64;
        for _ in 0..2_000 {
            let text: String = (0..24)
                .map(|_| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    signs[(state >> 33) as usize % signs.len()]
                })
                .collect();
            let read = aloud(&text);
            let letters: Vec<char> = read.chars().collect();
            assert!(!letters.windows(3).any(|w| w.iter().all(|sign| RULES.contains(*sign))), "{text:?} {read:?}");
            assert_eq!(read.matches('a').count(), text.matches('a').count());
        }
    }

    #[test]
    fn styles_begin_at_the_same_words() {
        let text = "The Inn\n  a lamp    of brass";
        let span = |from, to, style, link| Span { from, to, style, link };
        let bob = Some(Hyperlink::Player("Bob".into(), Use::Player));
        let spans = [span(0, 7, Style::RoomName, None), span(10, 16, Style::Item, bob)];
        let (read, spans) = plain(text, &spans, true).expect("it has columns");
        assert_eq!(read, "The Inn\na lamp, of brass");
        // What stands between belongs to what was before it.
        assert_eq!(spans, [span(0, 8, Style::RoomName, None), span(8, 16, Style::Item, None)]);
    }

    #[test]
    fn what_somebody_says_keeps_its_blanks_and_no_rules() {
        let (read, _) = plain("Bob says, \"a ----- b\"", &[], false).expect("it had a rule");
        assert_eq!(read, "Bob says, \"a b\"");
    }

    #[test]
    fn a_channel_is_named_with_the_number_of_the_words() {
        assert_eq!(channel_named("[12 builders #40 to #38] Bob: hello] there").as_deref(), Some("builders 40 to 38"));
    }
}
