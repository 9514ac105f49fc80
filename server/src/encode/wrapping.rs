//! Lines broken to the width of a window. Escape codes and tags have no width, and a link ends with its line.
//!
//! What begins with a number or with blanks, as a line of a list does, goes on further in than it began.
//!
//! Invariant: what stands in a frame (`world::page::FRAME`) stays in it: a player's own words cannot look like a line
//! of the game, however narrow the window is.

use crate::telnet::mxp;
use world::page::FRAME;

/// How much further in a line goes on that begins with blanks.
const HANGING: usize = 2;

/// Breaks lines that are wider than `columns`, at blanks; a word that is wider stays whole, unless it is framed.
pub fn wrap(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len() + 16);
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            wrapped.push('\n');
        }
        let framed = is_framed(line);
        let (first, hanging) = if framed { (FRAME.len(), String::new()) } else { hanging(line, columns) };
        let frame = if framed { FRAME } else { &hanging };
        // Where words begin: in the first line, and below.
        let mut begin = first;
        let mut width = 0;
        let mut word_start = 0;
        let mut word_width = 0;
        let mut escape_end = 0;
        // The link that is open where the word begins, and here.
        let (mut link_at_word, mut link) = ("", "");
        for (at, c) in line.char_indices() {
            if at < escape_end {
                continue;
            }
            if c == '\x1b' {
                escape_end = at + escape_length(&line[at..]);
                match &line[at..escape_end] {
                    mxp::CLOSE => link = "",
                    tag if is_tag(tag) => link = tag,
                    _ => {}
                }
                continue;
            }
            if c == ' ' {
                wrapped.push_str(&line[word_start..at]);
                wrapped.push(' ');
                width += word_width + 1;
                (word_start, word_width, link_at_word) = (at + 1, 0, link);
                continue;
            }
            word_width += 1;
            // What a terminal would break itself has to be broken here, where it is framed.
            let too_wide = framed && width <= begin && width + word_width > columns;
            if too_wide && word_width > 1 {
                wrapped.push_str(&line[word_start..at]);
                end_line(&mut wrapped, frame, link);
                (width, word_start, word_width, link_at_word) = (frame.len(), at, 1, link);
            } else if width > begin && width + word_width > columns {
                if wrapped.ends_with(' ') {
                    wrapped.pop();
                }
                end_line(&mut wrapped, frame, link_at_word);
                (width, begin) = (frame.len(), frame.len());
            }
        }
        wrapped.push_str(&line[word_start..]);
    }
    wrapped
}

/// Where the words of a line begin, and the blanks that it goes on behind: as far as the words behind its number, or in
/// its last column, else a little further in than it began. Where there is little room it does without.
fn hanging(line: &str, columns: usize) -> (usize, String) {
    let most = columns / 3;
    let begin = visible_beginning(line, most + 2);
    let blanks = begin.len() - begin.trim_start().len();
    let words = &begin[blanks..];
    let (first, depth) = match number_length(words) {
        Some(length) => (blanks + length, blanks + length),
        None if blanks == 0 => (0, 0),
        // A column begins where two blanks end.
        None => {
            let column = begin.trim_end().rfind("  ").map(|at| at + 2).filter(|at| (blanks + 3..=most).contains(at));
            (blanks, column.unwrap_or(blanks + HANGING))
        }
    };
    if depth <= most { (first, " ".repeat(depth)) } else { (0, String::new()) }
}

/// So many characters that are seen, of those of one byte.
fn visible_beginning(mut line: &str, most: usize) -> String {
    let mut begin = String::new();
    while let Some(c) = line.chars().next().filter(|_| begin.len() < most) {
        if c == '\x1b' {
            line = &line[escape_length(line)..];
            continue;
        }
        begin.push(if c.is_ascii() { c } else { 'x' });
        line = &line[c.len_utf8()..];
    }
    begin
}

/// The length of `12. `, where a line begins so.
fn number_length(words: &str) -> Option<usize> {
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    ((1..=3).contains(&digits) && words[digits..].starts_with(". ")).then_some(digits + 2)
}

/// Goes on below, in the same frame and the same link.
fn end_line(wrapped: &mut String, frame: &str, link: &str) {
    if !link.is_empty() {
        wrapped.push_str(mxp::CLOSE);
    }
    wrapped.push('\n');
    wrapped.push_str(frame);
    wrapped.push_str(link);
}

/// Whether an escape sequence is a tag with the mode that it needs.
fn is_tag(escape: &str) -> bool {
    escape.strip_prefix(mxp::TAG).is_some_and(|tag| tag.starts_with('<'))
}

/// Of the escape sequence that begins here, to its end: a colour, a mode (`ESC [ … z`) and the tag behind it, a link
/// (`ESC ] … ESC \`).
fn escape_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    match bytes.get(1) {
        Some(b'[') if is_tag(text) => text.find('>').map_or(text.len(), |end| end + 1),
        Some(b'[') => {
            let end = bytes.iter().skip(2).position(|byte| (0x40..0x7f).contains(byte));
            end.map_or(text.len(), |end| end + 3)
        }
        Some(b']') => {
            let ends = |at: &usize| bytes[*at] == 0x07 || bytes[*at - 1..].starts_with(b"\x1b\\");
            (2..bytes.len()).find(ends).map_or(text.len(), |end| end + 1)
        }
        Some(_) => 1 + text[1..].chars().next().map_or(0, char::len_utf8),
        None => 1,
    }
}

/// Whether a line begins with the frame, after its colours.
fn is_framed(mut line: &str) -> bool {
    while line.starts_with('\x1b') {
        line = &line[escape_length(line)..];
    }
    line.starts_with(FRAME)
}

#[cfg(test)]
mod tests {
    use super::wrap;
    use world::page::FRAME;

    #[test]
    fn long_lines_break_at_blanks_and_short_ones_stay() {
        assert_eq!(wrap("one two three", 80), "one two three");
        assert_eq!(wrap("one two three", 8), "one two\nthree");
        assert_eq!(wrap("\x1b[1;36mone two\x1b[0m three", 8), "\x1b[1;36mone two\x1b[0m\nthree");
        assert_eq!(wrap("  indented\nnext", 20), "  indented\nnext");
        assert_eq!(wrap("unbreakable", 4), "unbreakable");
    }

    #[test]
    fn what_is_set_in_goes_on_further_in() {
        for (text, columns, expected) in [
            ("  [ ] bring bread to Ann", 15, "  [ ] bring\n    bread to\n    Ann"),
            ("\x1b[36m  - bring bread\x1b[0m", 12, "\x1b[36m  - bring\n    bread\x1b[0m"),
            ("  unbreakable word", 12, "  unbreakable\n    word"),
            (" 9. You killed a rat", 15, " 9. You killed\n    a rat"),
            ("10. You killed a rat", 15, "10. You killed\n    a rat"),
            ("\x1b[36m10. unbreakable word\x1b[0m", 12, "\x1b[36m10. unbreakable\n    word\x1b[0m"),
            ("  mill  The Meal Floor and the Weir", 26, "  mill  The Meal Floor and\n        the Weir"),
            // Too narrow for that.
            ("  one two three", 9, "  one two\nthree"),
        ] {
            assert_eq!(wrap(text, columns), expected, "{text:?}");
        }
        for columns in 1..60 {
            let wrapped = wrap("    one three unbreakable twenty-nine and so on and on", columns);
            let words: Vec<&str> = wrapped.split_whitespace().collect();
            assert_eq!(words.join(" "), "one three unbreakable twenty-nine and so on and on", "{columns}");
            let wide = wrapped.lines().find(|line| line.len() > columns && line.trim().contains(' '));
            assert_eq!(wide, None, "{columns}: {wrapped}");
        }
    }

    #[test]
    fn no_escape_has_a_width_whatever_ends_it() {
        for (text, expected) in [
            ("\x1b[38;2;1;2;3mone two\x1b[0m three", "\x1b[38;2;1;2;3mone two\x1b[0m\nthree"),
            ("\x1b[4zone two three", "\x1b[4zone two\nthree"),
            (
                "\x1b]8;;https://x.org/a b c\x1b\\one two\x1b]8;;\x1b\\ three",
                "\x1b]8;;https://x.org/a b c\x1b\\one two\x1b]8;;\x1b\\\nthree",
            ),
            ("\x1b]68;1;n\x07one two three", "\x1b]68;1;n\x07one two\nthree"),
            ("\x1b7one two three", "\x1b7one two\nthree"),
            ("one two thr\x1b[3", "one two\nthr\x1b[3"),
            ("one two thr\x1b", "one two\nthr\x1b"),
        ] {
            assert_eq!(wrap(text, 8), expected, "{text:?}");
        }
        assert_eq!(wrap("\x1b[4z  | Tall. Old.", 10), "\x1b[4z  | Tall.\n  | Old.");
    }

    #[test]
    fn framed_words_stay_in_their_frame() {
        for (text, columns, expected) in [
            ("  | Tall. You get 500 gold.", 16, "  | Tall. You\n  | get 500\n  | gold."),
            ("  | Tall.\nYou get 500 gold.", 12, "  | Tall.\nYou get 500\ngold."),
            ("  | unbreakable!", 10, "  | unbrea\n  | kable!"),
            ("  | so unbreakable!", 10, "  | so\n  | unbrea\n  | kable!"),
            ("\x1b[36m  | Tall. Old.\x1b[0m", 10, "\x1b[36m  | Tall.\n  | Old.\x1b[0m"),
        ] {
            assert_eq!(wrap(text, columns), expected, "{text:?}");
        }
        for columns in 5..90 {
            let words = "  | one three unbreakable twenty-nine ".repeat(4);
            let wrapped = wrap(words.trim_end(), columns);
            assert!(wrapped.lines().all(|line| line.starts_with(FRAME)), "{columns}: {wrapped}");
        }
    }
}
