//! Lines broken to the width of a window. Escape codes have no width.

/// Breaks lines that are wider than `columns`, at blanks; a word that is wider stays whole.
pub fn wrap(text: &str, columns: usize) -> String {
    let mut wrapped = String::with_capacity(text.len() + 16);
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            wrapped.push('\n');
        }
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
            if width > 0 && width + word_width > columns {
                if wrapped.ends_with(' ') {
                    wrapped.pop();
                }
                wrapped.push('\n');
                width = 0;
            }
        }
        wrapped.push_str(&line[word_start..]);
    }
    wrapped
}

#[cfg(test)]
mod tests {
    use super::wrap;

    #[test]
    fn long_lines_break_at_blanks_and_short_ones_stay() {
        assert_eq!(wrap("one two three", 80), "one two three");
        assert_eq!(wrap("one two three", 8), "one two\nthree");
        assert_eq!(wrap("\x1b[1;36mone two\x1b[0m three", 8), "\x1b[1;36mone two\x1b[0m\nthree");
        assert_eq!(wrap("  indented\nnext", 20), "  indented\nnext");
        assert_eq!(wrap("unbreakable", 4), "unbreakable");
    }
}
