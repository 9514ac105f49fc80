//! Names of rooms within sentences. They are written as titles, `The Temple Steps`, and read so where they stand alone;
//! in a sentence the article is small, and what already says where needs no word before it.

use std::borrow::Cow;

/// Words with which a name says where it is: `Under the Pippins`.
const WHERE: [&str; 23] = [
    "aboard", "above", "across", "against", "along", "among", "around", "at", "before", "behind", "below", "beneath",
    "beside", "between", "beyond", "by", "in", "inside", "near", "on", "outside", "under", "where",
];
const ARTICLES: [&str; 3] = ["The ", "An ", "A "];

/// The name as something of which a sentence speaks: `the Temple Steps`, `Four Elms`, `Under the Pippins`.
pub fn named(name: &str) -> Cow<'_, str> {
    match ARTICLES.iter().find(|article| name.starts_with(**article)) {
        Some(article) => format!("{}{}", article.to_lowercase(), &name[article.len()..]).into(),
        None => name.into(),
    }
}

/// Where something happens: `at the Temple Steps`, `in Candlewick Lane`, `under the Pippins`.
pub fn at(name: &str) -> String {
    let (first, rest) = name.split_once(' ').unwrap_or((name, ""));
    if WHERE.contains(&first.to_lowercase().as_str()) && !rest.is_empty() {
        return format!("{} {}", first.to_lowercase(), named(rest));
    }
    // Whatever a thing is, one can be at it; of what has no article most are streets, houses and huts.
    match named(name) {
        Cow::Owned(name) => format!("at {name}"),
        Cow::Borrowed(name) => format!("in {name}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_in_a_sentence_as_one_would_write_it() {
        for (name, spoken, place) in [
            ("The Temple Steps", "the Temple Steps", "at the Temple Steps"),
            ("A Camp among the Shelves", "a Camp among the Shelves", "at a Camp among the Shelves"),
            ("Mill Street, at the Sign of the Candle", "Mill Street, at the Sign of the Candle", ""),
            ("Four Elms", "Four Elms", "in Four Elms"),
            ("Under the Pippins", "Under the Pippins", "under the Pippins"),
            ("By The Temple Altar", "By The Temple Altar", "by the Temple Altar"),
            ("Where Three Drains Meet", "Where Three Drains Meet", "where Three Drains Meet"),
            ("Inside", "Inside", "in Inside"),
            ("Theatre Lane", "Theatre Lane", "in Theatre Lane"),
            ("", "", "in "),
        ] {
            assert_eq!(named(name), spoken);
            let place = if place.is_empty() { format!("in {name}") } else { place.to_string() };
            assert_eq!(at(name), place);
        }
    }
}
