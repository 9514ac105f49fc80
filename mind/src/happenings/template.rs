//! Sentences with names to fill in: `{doer} fled[ from {sufferer}] with {number} % of health`.
//!
//! `{name}` is a value. `[…]` is left out where a value in it is not known, and of `[one|other]` the first stands whose
//! values all are. Brackets are not nested. Invariant: only the template is read so; what is filled in stays as it is.

use std::borrow::Cow;

/// A value and whether it is known: where it is not, it still has a word outside of brackets (`someone`).
pub type Value<'v> = (Cow<'v, str>, bool);

/// The sentence of a template. `value` is asked for each name, in order.
pub fn fill<'v>(template: &str, value: impl Fn(&str) -> Value<'v>) -> String {
    let mut text = String::with_capacity(template.len() + 48);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('[') {
        push(&mut text, before, &value);
        let (inside, behind) = after.split_once(']').expect("a bracket of a template is closed");
        let start = text.len();
        for choice in inside.split('|') {
            if push(&mut text, choice, &value) {
                break;
            }
            text.truncate(start);
        }
        rest = behind;
    }
    push(&mut text, rest, &value);
    text
}

/// Fills in a piece without brackets. Whether all of its values are known.
fn push<'v>(text: &mut String, piece: &str, value: &impl Fn(&str) -> Value<'v>) -> bool {
    let mut all_known = true;
    let mut rest = piece;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').expect("a brace of a template is closed");
        let (filled, known) = value(name);
        all_known &= known;
        text.push_str(before);
        text.push_str(&filled);
        rest = behind;
    }
    text.push_str(rest);
    all_known
}

/// The names in a template, in order.
pub fn placeholders(template: &str) -> impl Iterator<Item = &str> {
    template.split('{').skip(1).map(|after| after.split_once('}').map_or(after, |(name, _)| name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_left_out_and_what_is_filled_in_is_not_read() {
        let value = |name: &str| match name {
            "doer" => ("[{sufferer}|".into(), true),
            _ => ("nobody".into(), false),
        };
        assert_eq!(fill("{doer} fled[ from {sufferer}].", value), "[{sufferer}| fled.");
        assert_eq!(fill("[{sufferer} fell|{doer} fell|they fell], {sufferer}", value), "[{sufferer}| fell, nobody");
        assert_eq!(fill("[{sufferer}|none]", value), "none");
        assert_eq!(placeholders("[{a} b|{c}] {d}").collect::<Vec<_>>(), ["a", "c", "d"]);
    }
}
