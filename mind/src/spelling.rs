//! The word that was likely meant.

/// Wrong letters that are still taken for a slip.
const SLIPS_MAX: usize = 2;

/// The nearest of these names: the same letters in another spelling, a beginning, or a slip or two.
pub fn nearest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let wanted = letters(word);
    let distance = |name: &str| {
        let known = letters(name);
        let begins = wanted.len() > 3 && (known.starts_with(&wanted) || wanted.starts_with(&known));
        if begins { 0 } else { slips(&wanted, &known) }
    };
    let near = names.into_iter().map(|name| (distance(name), name));
    // A short word has few letters that could be right.
    near.filter(|(slips, _)| *slips <= SLIPS_MAX && *slips * 2 < wanted.len().max(1)).min().map(|(_, name)| name)
}

fn letters(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).map(|c| c.to_ascii_lowercase()).collect()
}

/// Letters to change, add or leave out, or neighbours to swap, to get from one to the other.
fn slips(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows: Vec<Vec<usize>> = vec![(0..=other.len()).collect()];
    for (i, a) in one.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, b) in other.iter().enumerate() {
            let changed = rows[i][j] + usize::from(a != b);
            let mut least = changed.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *a == other[j - 1] && one[i - 1] == *b {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_seen_through_and_other_words_are_not() {
        let names = ["tier", "think_ms", "model_fast", "seed", "hunt", "steal"];
        for (word, meant) in [
            ("teir", Some("tier")),
            ("model-fast", Some("model_fast")),
            ("ThinkMs", Some("think_ms")),
            ("model", Some("model_fast")),
            ("steel", Some("steal")),
            ("hnut", Some("hunt")),
            ("zz", None),
            ("", None),
            ("dance", None),
        ] {
            assert_eq!(nearest(word, names), meant, "{word}");
        }
    }
}
