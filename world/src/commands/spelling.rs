//! What a misspelled word may have meant: the names that are spelled most like it.

/// Verbs that are suggested for an unknown word, and how many slips apart they may be.
const SUGGESTIONS_MAX: usize = 3;
const SLIPS_MAX: usize = 2;
/// Characters of an unknown word that are repeated and compared.
pub(super) const WORD_MAX: usize = 20;

/// The names that a word of at most `WORD_MAX` letters may have meant, as a question ends: "look or lock". The first
/// come first among equals.
pub(super) fn spelled_like<'a>(word: &str, names: impl Iterator<Item = &'a str>) -> Option<String> {
    // Of a short word, two slips leave nothing.
    let slips_max = if word.chars().count() <= 3 { 1 } else { SLIPS_MAX };
    let mut near: Vec<(usize, &str)> = names
        .filter(|name| name.len() > 1)
        .map(|name| (slips(word, name), name))
        .filter(|(slips, _)| *slips <= slips_max)
        .collect();
    near.sort_by_key(|(slips, _)| *slips);
    let near: Vec<&str> = near.into_iter().take(SUGGESTIONS_MAX).map(|(_, name)| name).collect();
    match near.as_slice() {
        [] => None,
        [one] => Some(one.to_string()),
        [all @ .., last] => Some(format!("{} or {last}", all.join(", "))),
    }
}

/// Whether two words are at most `SLIPS_MAX` slips of the fingers apart.
pub(super) fn is_near(a: &str, b: &str) -> bool {
    slips(a, b) <= SLIPS_MAX
}

/// Slips of the fingers between two words: letters left out, put in, changed, or swapped with the next
/// (Damerau–Levenshtein, each letter touched once).
///
/// More than `SLIPS_MAX` is told as one more than that. Nothing is allocated, as every verb and every social is
/// compared with each unknown word.
fn slips(a: &str, b: &str) -> usize {
    const TOO_MANY: usize = SLIPS_MAX + 1;
    const SIDE: usize = WORD_MAX + TOO_MANY;
    let (rows, columns) = (a.chars().count(), b.chars().count());
    if rows.abs_diff(columns) > SLIPS_MAX || rows >= SIDE || columns >= SIDE {
        return TOO_MANY;
    }
    // Bytes, as whole rows are handed on.
    let (mut before, mut above, mut row) = ([0u8; SIDE], [0u8; SIDE], [0u8; SIDE]);
    for (j, cell) in above.iter_mut().enumerate() {
        *cell = j as u8;
    }
    let mut last_a = None;
    for (i, a) in a.chars().enumerate() {
        row[0] = i as u8 + 1;
        let mut least = row[0];
        let mut last_b = None;
        for (j, b) in b.chars().enumerate() {
            let changed = above[j] + u8::from(a != b);
            row[j + 1] = changed.min(above[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && Some(a) == last_b && last_a == Some(b) {
                row[j + 1] = row[j + 1].min(before[j - 1] + 1);
            }
            least = least.min(row[j + 1]);
            last_b = Some(b);
        }
        // A swap reaches back two rows and costs one, so a row this bad is not mended by the next.
        if usize::from(least) > TOO_MANY {
            return TOO_MANY;
        }
        last_a = Some(a);
        (before, above, row) = (above, row, before);
    }
    usize::from(above[columns]).min(TOO_MANY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted_as_fingers_make_them() {
        for (a, b, n) in [
            ("look", "look", 0),
            ("lokk", "look", 1),
            ("loko", "look", 1),
            ("loook", "look", 1),
            ("exmaine", "examine", 1),
            ("invetnroy", "inventory", 2),
            ("look", "kill", SLIPS_MAX + 1),
            ("", "ab", 2),
            ("look", "examine", SLIPS_MAX + 1),
        ] {
            assert_eq!(slips(a, b), n, "{a} {b}");
        }
    }
}
