//! Lines broken to the width of a window. Escape codes have no width.
//!
//! Invariant: what stands in a frame (`world::page::FRAME`) stays in it: a player's own words cannot look like a line
//! of the game, however narrow the window is.

use world::page::FRAME;

/// Breaks lines that are wider than `columns`, at blanks; a word that is wider stays whole, unless it is framed.
pub fn wrap(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len() + 16);
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            wrapped.push('\n');
        }
        let frame = if is_framed(line) { FRAME } else { "" };
        let mut width = 0;
        let mut word_start = 0;
        let mut word_width = 0;
        let mut escape = false;
        for (at, c) in line.char_indices() {
            if escape {
                escape = c != 'm';
                continue;
            }
            if c == '\x1b' {
                escape = true;
                continue;
            }
            if c == ' ' {
                wrapped.push_str(&line[word_start..at]);
                wrapped.push(' ');
                width += word_width + 1;
                (word_start, word_width) = (at + 1, 0);
                continue;
            }
            word_width += 1;
            // What a terminal would break itself has to be broken here, where it is framed.
            let too_wide = !frame.is_empty() && width <= frame.len() && width + word_width > columns;
            if too_wide && word_width > 1 {
                wrapped.push_str(&line[word_start..at]);
                wrapped.push('\n');
                wrapped.push_str(frame);
                (width, word_start, word_width) = (frame.len(), at, 1);
            } else if width > frame.len() && width + word_width > columns {
                if wrapped.ends_with(' ') {
                    wrapped.pop();
                }
                wrapped.push('\n');
                wrapped.push_str(frame);
                width = frame.len();
            }
        }
        wrapped.push_str(&line[word_start..]);
    }
    wrapped
}

/// Whether a line begins with the frame, after its colours.
fn is_framed(mut line: &str) -> bool {
    while let Some((_, rest)) = line.strip_prefix('\x1b').and_then(|code| code.split_once('m')) {
        line = rest;
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
