//! A persona as it stands in a file: a character sheet in prose, and before it what it forbids, between two lines of
//! three dashes, and what it likes.
//!
//! ```text
//! ---
//! never: [hunt, junk]
//! tastes: {bold: 0.2, curious: 0.9}
//! ---
//! # Ottoline Vane
//! ```
//!
//! Invariant: what is forbidden is a verb or a policy that there is, and a taste is one of the four, from 0 to 1;
//! anything else is an error with its line.

use crate::agent::Forbidden;
use crate::nature::Tastes;
use crate::policies;
use mind::spelling::nearest;
use protocol::names::clean_text;
use protocol::verbs::VERBS;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// The line before and behind what is no prose.
const FENCE: &str = "---";

#[derive(Clone, PartialEq, Debug, Default)]
pub struct Persona {
    /// The prose, without what stands before it.
    pub text: String,
    pub forbidden: Forbidden,
    /// Those that it names.
    pub tastes: BTreeMap<String, f64>,
}

impl Persona {
    /// Errors begin with the line: `line 2: …`.
    pub fn parse(text: &str) -> Result<Persona, String> {
        let text = text.trim_start_matches('\u{feff}');
        let Some((front, prose)) = split(text)? else {
            return Ok(Persona { text: text.trim().to_string(), ..Persona::default() });
        };
        let mut forbidden = Forbidden::default();
        let mut tastes = BTreeMap::new();
        let mut in_list = false;
        for (number, line) in (2..).zip(front) {
            let line = line.split(" #").next().unwrap_or("").trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let words = match (line.strip_prefix("- "), line.split_once(':')) {
                (Some(item), _) if in_list => item,
                (None, Some((key, words))) => {
                    let key = key.trim();
                    if key == "tastes" {
                        tastes.extend(likes(words).map_err(|what| format!("line {number}: {what}"))?);
                        in_list = false;
                        continue;
                    }
                    if key != "never" {
                        let key = clean_text(key);
                        return Err(format!("line {number}: there is no `{key}` here, only `never` and `tastes`"));
                    }
                    in_list = words.trim().is_empty();
                    words
                }
                _ => return Err(format!("line {number}: this is not of the form `never: [hunt, junk]`")),
            };
            for word in words.trim().trim_start_matches('[').trim_end_matches(']').split(',') {
                let word = word.trim().trim_matches(['"', '\'']).to_lowercase();
                if !word.is_empty() {
                    forbid(&mut forbidden, &word).map_err(|what| format!("line {number}: {what}"))?;
                }
            }
        }
        Ok(Persona { text: prose.trim().to_string(), forbidden, tastes })
    }
}

/// The lines between the fences, and what comes behind; `None` without any.
fn split(text: &str) -> Result<Option<(Vec<&str>, String)>, String> {
    let mut lines = text.lines();
    if lines.next().map(str::trim_end) != Some(FENCE) {
        return Ok(None);
    }
    let mut front = Vec::new();
    for line in lines.by_ref() {
        if line.trim_end() == FENCE {
            return Ok(Some((front, lines.collect::<Vec<_>>().join("\n"))));
        }
        front.push(line);
    }
    Err(format!("line 1: what begins with `{FENCE}` has to end with `{FENCE}` before the prose"))
}

/// `{bold: 0.2, curious: 0.9}`.
fn likes(words: &str) -> Result<BTreeMap<String, f64>, String> {
    let mut members = Map::new();
    for pair in words.trim().trim_start_matches('{').trim_end_matches('}').split(',') {
        if pair.trim().is_empty() {
            continue;
        }
        let Some((name, number)) = pair.split_once(':') else {
            return Err("tastes are of the form `tastes: {bold: 0.2, curious: 0.9}`".to_string());
        };
        let number = number.trim();
        let value = serde_json::from_str(number).unwrap_or_else(|_| Value::from(number));
        members.insert(name.trim().trim_matches(['"', '\'']).to_lowercase(), value);
    }
    Tastes::read(&members)
}

/// A verb, a policy, or a word that is both.
fn forbid(forbidden: &mut Forbidden, word: &str) -> Result<(), String> {
    let verb = VERBS.iter().find(|verb| verb.name == word || verb.aliases.iter().any(|alias| alias == word));
    let policy = policies::named(word);
    forbidden.verbs.extend(verb.map(|verb| verb.name.to_string()));
    forbidden.policies.extend(policy.map(|policy| policy.name.to_string()));
    if verb.is_some() || policy.is_some() {
        return Ok(());
    }
    let names = VERBS.iter().map(|verb| &*verb.name).chain(policies::POLICIES.iter().map(|policy| policy.name));
    let meant = nearest(word, names).map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    Err(format!("`never` names `{}`, which is neither a verb nor a policy{meant}", clean_text(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_persona_may_be_prose_alone() {
        let prose = "# Bracken\n\n--- a line ---\nnever: minds this";
        assert_eq!(Persona::parse(prose), Ok(Persona { text: prose.into(), ..Persona::default() }));
    }

    #[test]
    fn what_it_forbids_stands_before_the_prose() {
        let of = |text: &str| {
            let Persona { text, forbidden, .. } = Persona::parse(text).expect("it is right");
            assert_eq!(text, "# Her");
            let names = |set: &std::collections::BTreeSet<String>| set.iter().cloned().collect::<Vec<_>>().join(" ");
            (names(&forbidden.verbs), names(&forbidden.policies))
        };
        let expected = ("eat kill".to_string(), "eat hunt".to_string());
        assert_eq!(of("---\nnever: [hunt, Kill, eat]\n---\n# Her\n"), expected);
        assert_eq!(
            of("---\r\n# what she swore\nnever: # three\n  - hunt\n  - 'kill'\n  - eat\n---\n\n# Her"),
            expected
        );
        assert_eq!(of("---\nnever: []\n---\n# Her"), Default::default());
    }

    #[test]
    fn what_it_likes_stands_there_too() {
        let of = |text: &str| Persona::parse(text).map(|persona| persona.tastes.into_iter().collect::<Vec<_>>());
        let tastes = of("---\ntastes: {bold: 0.25, Curious: 1}\nnever: [hunt]\n---\n# Her");
        assert_eq!(tastes, Ok(vec![("bold".to_string(), 0.25), ("curious".to_string(), 1.0)]));
        assert_eq!(of("---\ntastes: {}\n---\n# Her"), Ok(Vec::new()));
    }

    #[test]
    fn mistakes_are_named_with_their_lines() {
        for (text, expected) in [
            ("---\ntastes: {bold: 2}\n---\n", "line 2: the taste `bold` must be a number from 0 to 1, and is 2"),
            (
                "---\ntastes: {bold: NaN}\n---\n",
                "line 2: the taste `bold` must be a number from 0 to 1, and is \"NaN\"",
            ),
            ("---\ntastes: {brave: 1}\n---\n", "line 2: there is no taste `brave`, only bold, thrifty, sociable"),
            ("---\ntastes: bold\n---\n", "line 2: tastes are of the form"),
            ("---\nnever: [hunt]\n# Her", "line 1: what begins with `---` has to end"),
            (
                "---\n\nnever: [hnut]\n---\n",
                "line 3: `never` names `hnut`, which is neither a verb nor a policy; did you",
            ),
            ("---\nnever: [flying]\n---\n", "line 2: `never` names `flying`, which is neither a verb nor a policy"),
            ("---\nalways: [hunt]\n---\n", "line 2: there is no `always` here, only `never` and `tastes`"),
            ("---\n- hunt\n---\n", "line 2: this is not of the form"),
            ("---\nkind\n---\n", "line 2: this is not of the form"),
        ] {
            let error = Persona::parse(text).expect_err(text);
            assert!(error.starts_with(expected), "{error}");
        }
    }

    #[test]
    fn the_examples_can_be_read() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/personas");
        for (name, forbids) in [("ottoline.md", true), ("bracken.md", false)] {
            let text = std::fs::read_to_string(folder.join(name)).expect("an example");
            let persona = Persona::parse(&text).unwrap_or_else(|what| panic!("{name}, {what}"));
            assert!(persona.text.starts_with("# ") && persona.forbidden.is_empty() != forbids, "{name}");
        }
    }
}
