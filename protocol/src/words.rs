//! Words that the game, its tools and its agents put together in the same way.

/// `1 kill`, `12 kills`, `2 hashes`, `3 entries`.
pub fn counted(number: impl Into<u64>, one: &str) -> String {
    let number = number.into();
    if number == 1 {
        return format!("1 {one}");
    }
    match one.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => format!("{number} {stem}ies"),
        _ if one.ends_with(['s', 'x']) || one.ends_with("sh") || one.ends_with("ch") => format!("{number} {one}es"),
        _ => format!("{number} {one}s"),
    }
}

/// The first characters of a text, with a mark where it goes on.
pub fn shortened(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

/// Makes the first letter upper case, in place.
pub fn capitalise(text: &mut String) {
    capitalise_from(text, 0);
}

/// Makes the letter at that byte upper case, in place.
pub fn capitalise_from(text: &mut String, at: usize) {
    if let Some(first) = text[at..].chars().next()
        && first.is_lowercase()
    {
        let upper: String = first.to_uppercase().collect();
        text.replace_range(at..at + first.len_utf8(), &upper);
    }
}

/// A copy with an upper-case first letter.
pub fn capitalised(text: &str) -> String {
    let mut text = text.to_string();
    capitalise(&mut text);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_is_one_and_more_take_the_ending_of_the_word() {
        for (number, one, said) in [
            (1_u32, "kill", "1 kill"),
            (0, "kill", "0 kills"),
            (12, "entry", "12 entries"),
            (2, "day", "2 days"),
            (3, "hash", "3 hashes"),
        ] {
            assert_eq!(counted(number, one), said);
        }
    }
}
