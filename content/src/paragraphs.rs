//! Descriptions are paragraphs: where a builder ended a line is a blank, and the reader's window breaks them.
//!
//! A line that begins with a blank stays a line of its own (a verse, a list on a sign), and an empty one parts
//! paragraphs. What follows two or more such lines begins anew, too; what follows a single one goes on with it, since
//! Circle worlds indent the first line of a paragraph. A word that ends a line with its hyphen goes on without a blank.

use std::borrow::Cow;

/// Characters of a line in files that we write.
pub const WRITTEN_WIDTH: usize = 76;

/// The text with one line for each paragraph.
pub fn flowed(text: &str) -> Cow<'_, str> {
    if !text.contains('\n') {
        return Cow::Borrowed(text.trim_end());
    }
    let mut flowed = String::with_capacity(text.len());
    // Nothing is joined to what is not there.
    let mut alone = true;
    let mut indented = 0;
    for line in text.split('\n') {
        let line = line.trim_end();
        let is_indented = line.starts_with([' ', '\t']);
        let starts = alone || line.is_empty() || is_indented || indented > 1;
        if starts && !flowed.is_empty() {
            flowed.push('\n');
        } else if !flowed.is_empty() && !ends_within_a_word(&flowed) {
            flowed.push(' ');
        }
        flowed.push_str(line);
        alone = line.is_empty();
        indented = if is_indented { indented + 1 } else { 0 };
    }
    flowed.truncate(flowed.trim_end().len());
    Cow::Owned(flowed)
}

/// Whether it ends with the hyphen of a word that goes on: `flour-`. A dash stands between blanks.
fn ends_within_a_word(line: &str) -> bool {
    line.strip_suffix('-').is_some_and(|word| word.ends_with(char::is_alphabetic))
}

/// The paragraphs in lines that are easy to edit. Flowed, they are the same again.
pub fn in_lines(text: &str) -> String {
    let mut lines = String::with_capacity(text.len() + text.len() / 32);
    let paragraphs: Vec<&str> = text.split('\n').collect();
    let is_indented = |n: usize| paragraphs.get(n).is_some_and(|line| line.starts_with([' ', '\t']));
    for (n, paragraph) in paragraphs.iter().enumerate() {
        if n > 0 {
            lines.push('\n');
        }
        // What would go on below one of several indented lines would begin anew.
        let is_listed = is_indented(n) && (is_indented(n + 1) || n > 0 && is_indented(n - 1));
        let mut width = 0;
        for (m, word) in paragraph.split(' ').enumerate() {
            let letters = word.chars().count();
            // No blank may come to stand at the beginning of a line, or get lost at the end of one.
            let is_between_letters = !lines.ends_with(char::is_whitespace) && !word.starts_with(char::is_whitespace);
            let is_full = width > 0 && width + 1 + letters > WRITTEN_WIDTH;
            let is_whole = !word.is_empty() && is_between_letters && !ends_within_a_word(&lines);
            let breaks = is_full && is_whole && !is_listed;
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
            ("White with flour-\ndust -\nand sure.", "White with flour-dust - and sure."),
            ("First.\n\nSecond,\nwhich goes on.", "First.\n\nSecond, which goes on."),
            ("A sign:\n  BEER\n  BREAD\nIt leans.", "A sign:\n  BEER\n  BREAD\nIt leans."),
            ("  A\n  B\nC\nd.\n  E\nf.", "  A\n  B\nC d.\n  E f."),
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
        for text in ["", "Grass.", long.trim_end(), &format!("{long}\n  {long}x\n\n{wide} {wide}"), "two  blanks"]
            .into_iter()
            .chain([format!("A list:\n  {long}x\n  {long}y\n{long}z").as_str(), "  a\n  b\nc"])
        {
            let flowing = flowed(text).into_owned();
            let lines = in_lines(&flowing);
            assert_eq!(flowed(&lines), flowing);
            for line in lines.lines().filter(|line| line.contains(' ')) {
                assert!(line.chars().count() <= WRITTEN_WIDTH || line.starts_with(' '), "{line}");
            }
        }
    }
}
