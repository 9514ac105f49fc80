//! Large letters where a sentence or a name begins.

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
