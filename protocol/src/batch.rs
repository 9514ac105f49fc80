//! Several lines in one input: `batch ["note one", "goal two"]`, a list of JSON.
//!
//! The world and the mind read it the same way: here. What a line may be is theirs to say.

use crate::names::clean_text;

/// Lines of a batch.
pub const LINES_MAX: usize = 16;

/// The lines of a batch, or what is wrong with it, as a sentence.
pub fn lines(typed: &str) -> Result<Vec<String>, String> {
    const USAGE: &str = "batch [\"note one\", \"note two\"]";
    let lines: Vec<String> =
        serde_json::from_str(typed).map_err(|_| format!("A batch is a list of lines in quotes: {USAGE}"))?;
    match lines.len() {
        0 => Err(format!("There is nothing in that batch: {USAGE}")),
        1..=LINES_MAX => Ok(lines.iter().map(|line| clean_text(line).trim().to_string()).collect()),
        more => Err(format!("A batch has {LINES_MAX} lines at most, and that one has {more}. Nothing was done.")),
    }
}

/// As one types them.
pub fn written(lines: &[String]) -> String {
    serde_json::to_string(lines).expect("texts are plain")
}

/// A line of it is refused, and with it all of them. `place` from 0.
pub fn refused(place: usize, line: &str, why: &str) -> String {
    let mut short: String = line.chars().take(60).collect();
    if short.len() < line.len() {
        short.push('…');
    }
    format!("Line {} of that batch, \"{short}\": {why} Nothing was done.", place + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_is_a_list_of_one_to_sixteen_lines() {
        assert_eq!(lines(r#"["note one", " goal two "]"#), Ok(vec!["note one".to_string(), "goal two".to_string()]));
        assert_eq!(lines(r#"["note \u0007bell"]"#), Ok(vec!["note bell".to_string()]));
        for bad in ["", "note one", "[]", "{}", "[1]", r#"["a""#, r#"["a", ["b"]]"#] {
            assert!(lines(bad).is_err_and(|why| why.contains("batch")), "{bad}");
        }
        let many: Vec<String> = (0..17).map(|n| format!("note {n}")).collect();
        assert!(lines(&written(&many)).is_err_and(|why| why.contains("that one has 17")));
        assert_eq!(lines(&written(&many[..16])).map(|lines| lines.len()), Ok(16));
        let told = refused(1, &"x".repeat(80), "No.");
        assert!(
            told.starts_with("Line 2 of that batch, \"xxx") && told.ends_with("…\": No. Nothing was done."),
            "{told}"
        );
    }
}
