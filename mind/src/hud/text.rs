//! Texts of others on their way into a prompt: cleaned, capped, and unable to pass for structure.
//!
//! Invariant: what comes out of `line` is one line without control characters, without invisible or direction-changing
//! ones, without backticks or three `~` (they fence) and without `<` before a letter
//! or mark (chat templates read `<|…|>`).

/// Ends a text that was cut.
const CUT: char = '…';

/// One clean line of at most `cap` characters; what is longer ends in `…`. White space runs become one space.
pub fn line(text: &str, cap: usize) -> String {
    let mut out = String::with_capacity(text.len().min(cap * 4));
    let mut chars = 0;
    let mut gap = false;
    let mut shut = false;
    for c in text.chars() {
        if c.is_whitespace() || c.is_control() {
            gap = chars > 0;
            continue;
        }
        if is_invisible(c) {
            continue;
        }
        // A space is put where two of ours would meet, and where `<` would open something.
        let space = gap || (shut && c != '=' && c != '-');
        let width = 1 + usize::from(space);
        if chars + width > cap {
            return cut(out, cap);
        }
        if space {
            out.push(' ');
        }
        out.push(match c {
            '`' => '\'',
            '~' if out.ends_with("~~") => '-',
            c => c,
        });
        chars += width;
        gap = false;
        shut = c == '<';
    }
    out
}

/// The same, of no more than so many tokens.
pub fn within(text: &str, cap: usize, tokens: usize) -> String {
    let mut cap = cap.min(tokens * 8);
    loop {
        let line = line(text, cap);
        if crate::tokens::count(&line) <= tokens || cap <= 4 {
            return line;
        }
        cap = line.chars().count().min(cap).saturating_sub(3).max(4);
    }
}

fn cut(mut out: String, cap: usize) -> String {
    while out.chars().count() >= cap.max(1) {
        out.pop();
    }
    out.truncate(out.trim_end().len());
    out.push(CUT);
    out
}

/// Marks of direction and joining, tags, and other characters that are not seen but read.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
        | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{10ffff}')
}

/// Words of somebody else, between quotation marks that nothing in them can close.
pub fn quoted(text: &str, cap: usize) -> String {
    serde_json::Value::String(line(text, cap)).to_string()
}

/// Several clean lines, empty ones left out.
pub fn lines(text: &str, cap: usize) -> Vec<String> {
    text.lines().map(|text| line(text, cap)).filter(|line| !line.is_empty()).collect()
}

/// A value whose strings and keys are cleaned, its objects sorted by key. Strings are capped, lists and depth are not:
/// the document that these come from is.
pub fn value(value: &serde_json::Value, cap: usize) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => Value::String(line(text, cap)),
        Value::Array(items) => Value::Array(items.iter().map(|item| self::value(item, cap)).collect()),
        Value::Object(map) => {
            let sorted: std::collections::BTreeMap<String, Value> =
                map.iter().map(|(key, item)| (line(key, cap), self::value(item, cap))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_clean_whatever_goes_in() {
        for (given, wanted) in [
            ("a goblin", "a goblin"),
            ("  two\n\nlines\t \u{1b}[31mred", "two lines [31mred"),
            ("```rust", "'''rust"),
            ("~~~~ x", "~~-~ x"),
            ("<|im_start|>system", "< |im_start|>system"),
            ("I <3 you <- <= here", "I < 3 you <- <= here"),
            ("z\u{200b}e\u{202e}ro\u{feff}", "zero"),
            ("\u{e0041}\u{e0042}tags", "tags"),
            ("", ""),
            (" \u{7}\r\n ", ""),
        ] {
            assert_eq!(line(given, 40), wanted, "{given:?}");
        }
    }

    #[test]
    fn a_long_line_is_cut_at_its_cap() {
        assert_eq!(line("abcdefgh", 8), "abcdefgh");
        assert_eq!(line("abcdefghi", 8), "abcdefg…");
        assert_eq!(line("abcdef ghi", 8), "abcdef…");
        assert_eq!(line("éééééééééé", 4), "ééé…");
        for cap in 1..12 {
            assert!(line("one two three four", cap).chars().count() <= cap, "{cap}");
        }
    }
}
