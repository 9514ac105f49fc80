//! The story of a dream as it is told: cleaned, cut to size, and for people without markup.
//!
//! Invariant: a story may come from a file, which is text of others. Nothing in it steers a terminal, and no line of it
//! is endless.

use protocol::names::clean_text;

/// Longest line of a story, characters.
const LINE_MAX: usize = 600;

/// A story without control characters and endless lines; no more than one empty line between two others.
pub fn cleaned(story: &str) -> String {
    let mut text = String::with_capacity(story.len());
    let mut empty = 0;
    for line in story.lines() {
        let line: String = clean_text(line).chars().take(LINE_MAX).collect();
        let line = line.trim_end();
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 && !(line.is_empty() && text.is_empty()) {
            text.push_str(line);
            text.push('\n');
        }
    }
    text.truncate(text.trim_end().len());
    text
}

/// A story in no more than so many tokens: its title, and of what follows as many whole lines from the end as fit, for
/// there are the newest session and the relationships. A heading goes with the last of its lines, and not before.
pub fn cut_to(story: &str, tokens_max: usize) -> String {
    let fits = |text: &str| mind::tokens::count(text) <= tokens_max;
    if fits(story) {
        return story.to_string();
    }
    let lines: Vec<&str> = story.lines().collect();
    let (title, lines) = match lines.split_first() {
        Some((first, rest)) if first.starts_with("## ") => (Some(*first), rest),
        _ => (None, &lines[..]),
    };
    let whole = |from: usize| {
        let kept = &lines[from..];
        let mut text = String::new();
        let headed = kept.iter().find(|line| !line.is_empty()).is_none_or(|first| first.starts_with('#'));
        if let Some(heading) = lines[..from].iter().rfind(|line| line.starts_with('#')).filter(|_| !headed) {
            text.push_str(heading);
            text.push_str("\n\n");
        }
        for (n, line) in kept.iter().enumerate() {
            let next = kept[n + 1..].iter().find(|next| !next.is_empty());
            let bare = line.starts_with('#') && next.is_none_or(|next| next.starts_with('#'));
            if !bare && !(line.is_empty() && (text.is_empty() || text.ends_with("\n\n"))) {
                text.push_str(line);
                text.push('\n');
            }
        }
        let text = text.trim_end();
        match title {
            Some(title) if !text.is_empty() => format!("{title}\n\n{text}"),
            _ => text.to_string(),
        }
    };
    // The more lines are left out, the shorter it is: looked for by halves, as counting takes its time.
    let (mut out, mut enough) = (0, lines.len());
    while out < enough {
        let middle = (out + enough) / 2;
        if fits(&whole(middle)) { enough = middle } else { out = middle + 1 }
    }
    // A longer heading may have come in.
    while enough < lines.len() && !fits(&whole(enough)) {
        enough += 1;
    }
    whole(enough)
}

/// What people read of a story: neither its title nor its marks, for a screen shows no Markdown.
pub fn plain(story: &str) -> String {
    let lines = story.lines().filter(|line| !line.starts_with("## "));
    let lines = lines.map(|line| line.trim_start_matches(['#', ' '])).filter(|line| !line.is_empty());
    lines.collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_cut_at_whole_lines_from_its_beginning() {
        let story =
            "## Memory\n\n### Session 1\n\nOne.\n\n### Session 2\n\nTwo.\nThree.\n\n### Relationships\n\nBob — friend";
        assert_eq!(cut_to(story, 1_000), story);
        for wanted in [
            "## Memory\n\n### Session 2\n\nThree.\n\n### Relationships\n\nBob — friend",
            "## Memory\n\n### Relationships\n\nBob — friend",
        ] {
            assert_eq!(cut_to(story, mind::tokens::count(wanted)), wanted);
        }
        assert_eq!(cut_to(story, 1), "");
        assert_eq!(cut_to("no title\nat all", 3), "at all");
        assert_eq!(cleaned("\n\na\u{202e}b\t\u{0}c  \n\n\n\nd"), "ab c\n\nd");
        assert_eq!(cleaned(&"é".repeat(5_000)).chars().count(), 600);
        assert_eq!(cleaned(""), "");
    }

    #[test]
    fn people_read_a_story_without_markup() {
        assert_eq!(plain("## Memory\n\n### Jan 12, 2026\n\n- Killed a rat.\n"), "Jan 12, 2026\n- Killed a rat.");
        assert_eq!(plain("## Memory\n"), "");
    }
}
