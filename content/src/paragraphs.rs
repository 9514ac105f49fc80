//! Descriptions are paragraphs: where a builder ended a line is a blank, and the reader's window breaks them.
//!
//! A line that begins with a blank stays a line of its own (a verse, a list on a sign), and an empty one parts
//! paragraphs.

use std::borrow::Cow;

/// Characters of a line in files that we write.
const WRITTEN_WIDTH: usize = 76;

/// The text with one line for each paragraph.
pub fn flowed(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return Cow::Borrowed(text.trim_end());
    }
    let mut flowed = String::with_capacity(text.len());
    // Nothing is joined to what is not there.
    let mut alone = true;
    for line in text.split('\n') {
        let line = line.trim_end();
        let starts = alone || line.is_empty() || line.starts_with([' ', '\t']);
        if !flowed.is_empty() {
            flowed.push(if starts { '\n' } else { ' ' });
        }
        flowed.push_str(line);
        alone = line.is_empty();
    }
    flowed.truncate(flowed.trim_end().len());
    Cow::Owned(flowed)
}

/// The paragraphs in lines that are easy to edit. Flowed, they are the same again.
pub(crate) fn in_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 32);
    for (n, paragraph) in text.split('\n').enumerate() {
        if n > 0 {
            lines.push('\n');
        }
        let mut width = 0;
        for (m, word) in paragraph.split(' ').enumerate() {
            let letters = word.chars().count();
            // No blank may come to stand at the beginning of a line, or get lost at the end of one.
            let is_between_letters = !lines.ends_with(char::is_whitespace) && !word.starts_with(char::is_whitespace);
            let breaks = !word.is_empty() && width > 0 && width + 1 + letters > WRITTEN_WIDTH && is_between_letters;
            if m > 0 {
                lines.push(if breaks { '\n' } else { ' ' });
            }
            width = if breaks { letters } else { width + usize::from(m > 0) + letters };
            lines.push_str(word);
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_blanks_unless_a_line_begins_with_blanks() {
        for (text, expected) in [
            ("Grass.", "Grass."),
            ("Grass, and\nmore of it.", "Grass, and more of it."),
            ("Grass.  \nMore.\n", "Grass. More."),
            ("First.\n\nSecond,\nwhich goes on.", "First.\n\nSecond, which goes on."),
            ("A sign:\n  BEER\n  BREAD\nIt leans.", "A sign:\n  BEER\n  BREAD It leans."),
            ("   You stand\nin a field.", "   You stand in a field."),
            ("", ""),
            ("\n\n", ""),
        ] {
            assert_eq!(flowed(text), expected);
        }
    }

    #[test]
    fn what_is_written_in_lines_flows_back() {
        let long = "word ".repeat(60);
        let wide = "w".repeat(100);
        for text in ["", "Grass.", long.trim_end(), &format!("{long}\n  {long}x\n\n{wide} {wide}"), "two  blanks"] {
            let flowing = flowed(text).into_owned();
            let lines = in_lines(&flowing);
            assert_eq!(flowed(&lines), flowing);
            for line in lines.lines().filter(|line| line.contains(' ')) {
                assert!(line.chars().count() <= WRITTEN_WIDTH || line.starts_with(' '), "{line}");
            }
        }
    }
}
