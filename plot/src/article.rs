//! Kinds in sentences.

/// A kind with its article: `a house`, `an orchard`, `some stones`.
pub fn one(kind: &str) -> String {
    let vowel = kind.starts_with(['a', 'e', 'i', 'o', 'u']);
    let article = match (is_many(kind), vowel) {
        (true, _) => "some",
        (false, true) => "an",
        (false, false) => "a",
    };
    format!("{article} {kind}")
}

/// `A house stands`, `Some stones stand`.
pub(crate) fn standing(kind: &str) -> String {
    let one = one(kind);
    let verb = if is_many(kind) { "stand" } else { "stands" };
    format!("{}{} {verb}", one[..1].to_uppercase(), &one[1..])
}

/// Plants and ways that are many by their names.
fn is_many(kind: &str) -> bool {
    kind.ends_with('s')
}
