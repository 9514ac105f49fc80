//! The verbs as programs know them: names, usage, which of them spend a tick, which models are told of; and the one
//! look-up of verbs, which the world uses too.
//!
//! `verbs.json` is made from the world's table (`UPDATE=1 cargo test -p tests`), so a client needs no world to know
//! what a word means. What a verb does is in `world`.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::sync::LazyLock;

/// One verb, in the shape of a line of `verbs.json`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Verb {
    pub name: Cow<'static, str>,
    /// Other names of it; a sign may be one (`'`).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub aliases: Vec<Cow<'static, str>>,
    /// Beginnings that are this verb's though others have them too: `n`, `l`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shorts: Vec<Cow<'static, str>>,
    /// The group of help's index.
    pub group: Cow<'static, str>,
    /// What follows it: `<thing> [<container>]`; may be empty.
    pub usage: Cow<'static, str>,
    pub help: Cow<'static, str>,
    /// The lowest position in which it works, a word of `POSITIONS`.
    pub position: Cow<'static, str>,
    /// The lowest level that may use it.
    pub level: i32,
    pub rank: Rank,
    /// Must be typed in full.
    pub full_word: bool,
    /// Looking, talking, settings, the mind: a decision may hold many of these, and one of all others. The same as a
    /// category that is not dangerous.
    pub free: bool,
    pub category: Category,
    /// It shows something and changes nothing.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub looks: bool,
    /// Puts words into others' ears.
    pub speech: bool,
    pub models: Models,
}

/// What a line of a verb does to the turn of an agent that sends it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// It costs nothing, and what it answers may be thought about in the same turn.
    SafeChain,
    /// It is said: the turn is over.
    Terminal,
    /// It spends a tick: the turn is over.
    Dangerous,
    /// As the first, but its answer may come later.
    AsyncRequired,
}

/// Forms of verbs whose answer may come later though that of others comes at once: the verb, and how a word of the form
/// begins.
const LATER: &[(&str, &str)] = &[("hud", "at"), ("hud", "of"), ("recall", "in:all"), ("recall", "of:")];

/// Whose verbs come first where a word begins several.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Rank {
    Mortal,
    Immortal,
    /// Behind all others, so that no abbreviation changes its meaning.
    Mind,
}

/// Whether models are told of a verb.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Models {
    /// Under this heading, with the first form of its usage.
    Told(Heading),
    /// It may be used and is not listed: a setting of a screen, a rarity, or what an action has a type of its own for.
    Untold,
    /// For whoever owns the character, not for a model that reads what strangers say: it could lock the owner out, end
    /// the session, or hide another verb behind a word.
    Forbidden,
}

/// The headings under which models are told of verbs, in their order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Heading {
    Walk,
    Fight,
    Things,
    Doors,
    Trade,
    Body,
    Look,
    Company,
    Talk,
}

impl Heading {
    pub const ALL: [Heading; 9] = [
        Heading::Walk,
        Heading::Fight,
        Heading::Things,
        Heading::Doors,
        Heading::Trade,
        Heading::Body,
        Heading::Look,
        Heading::Company,
        Heading::Talk,
    ];

    pub const fn label(self) -> &'static str {
        match self {
            Heading::Walk => "walk",
            Heading::Fight => "fight",
            Heading::Things => "things",
            Heading::Doors => "doors",
            Heading::Trade => "trade",
            Heading::Body => "body",
            Heading::Look => "look",
            Heading::Company => "company",
            Heading::Talk => "talk",
        }
    }
}

/// Positions of a body, the lowest first, as the variable `POSITION` has them.
pub const POSITIONS: [&str; 9] =
    ["dead", "mortally wounded", "incapacitated", "stunned", "sleeping", "resting", "sitting", "fighting", "standing"];

impl Verb {
    /// Whether it works for somebody in this position. What is no position forbids nothing.
    pub fn works_in(&self, position: &str) -> bool {
        let height = |word: &str| POSITIONS.iter().position(|it| *it == word);
        height(position).zip(height(&self.position)).is_none_or(|(own, least)| own >= least)
    }
}

/// All verbs, in the order in which a newcomer would read them.
pub static VERBS: LazyLock<Vec<Verb>> = LazyLock::new(|| {
    serde_json::from_str(include_str!("../verbs.json")).expect("verbs.json is made by our own writer")
});

/// A row as the look-up of verbs sees it.
pub struct Row<V> {
    pub verb: V,
    /// Its name, then its aliases.
    pub names: Vec<&'static str>,
    pub shorts: Vec<&'static str>,
    pub level: i32,
    pub full_word: bool,
    pub rank: Rank,
}

/// A name by which a verb is found.
#[derive(Clone, Copy, Debug)]
pub struct Name<V> {
    pub name: &'static str,
    pub verb: V,
    pub level: i32,
    pub full_word: bool,
    rank: Rank,
    /// As many letters have to be typed at least, where the name comes before its alphabet; else 0.
    pub typed_min: usize,
}

/// The names of all verbs in the order in which a typed word finds them: those with a short, then those of each rank by
/// the alphabet. Invariant: the order of the rows says nothing.
#[derive(Clone, Debug)]
pub struct Names<V>(Vec<Name<V>>);

impl<V: Copy> Names<V> {
    pub fn of(rows: impl IntoIterator<Item = Row<V>>) -> Names<V> {
        let mut all = Vec::new();
        for Row { verb, names, shorts, level, full_word, rank } in rows {
            for name in names {
                let typed_min = shorts.iter().find(|short| name.starts_with(**short)).map_or(0, |short| short.len());
                all.push(Name { name, verb, level, full_word, rank, typed_min });
            }
        }
        all.sort_by_key(|name| (name.typed_min == 0, name.rank, name.name));
        Names(all)
    }

    /// What somebody of this level means by a word, which may be a beginning, in any case.
    pub fn find(&self, word: &str, level: i32) -> Option<V> {
        self.find_among(word, level, |_| true)
    }

    /// The same among some ranks.
    pub fn find_among(&self, word: &str, level: i32, ranks: impl Fn(Rank) -> bool) -> Option<V> {
        let meant = |name: &&Name<V>| {
            name.level <= level
                && word.len() >= name.typed_min
                && means(word, name.name, name.full_word)
                && ranks(name.rank)
        };
        self.0.iter().find(meant).map(|name| name.verb)
    }

    /// The verb of exactly that name, in lower case.
    pub fn named(&self, name: &str) -> Option<V> {
        self.0.iter().find(|known| known.name == name).map(|known| known.verb)
    }

    pub fn iter(&self) -> impl Iterator<Item = &Name<V>> {
        self.0.iter()
    }
}

static NAMES: LazyLock<Names<&'static Verb>> = LazyLock::new(|| {
    fn texts(texts: &'static [Cow<'static, str>]) -> impl Iterator<Item = &'static str> {
        texts.iter().map(|text| &**text)
    }
    Names::of(VERBS.iter().map(|verb| Row {
        verb,
        names: std::iter::once(&*verb.name).chain(texts(&verb.aliases)).collect(),
        shorts: texts(&verb.shorts).collect(),
        level: verb.level,
        full_word: verb.full_word,
        rank: verb.rank,
    }))
});

/// The category of a line: that of its verb, or of its form. `None`: its word is no verb, but perhaps a social or a
/// channel.
pub fn category_of(line: &str, level: i32) -> Option<Category> {
    let Typed { word, args } = Typed::parse(line);
    let verb = find(word, level)?;
    let is_form = |start: &str| match start.contains(':') {
        true => args.split_whitespace().any(|word| word.to_ascii_lowercase().starts_with(start)),
        false => args.split_whitespace().next().is_some_and(|word| word.eq_ignore_ascii_case(start)),
    };
    let later = LATER.iter().any(|(name, start)| *name == verb.name && is_form(start));
    Some(if later { Category::AsyncRequired } else { verb.category })
}

/// Whether a line asks for something that is answered, and changes nothing: what was looked for is the answer.
pub fn asks(line: &str, level: i32) -> bool {
    let Typed { word, args } = Typed::parse(line);
    let Some(verb) = find(word, level) else { return false };
    let first = args.split_whitespace().next().unwrap_or("").to_ascii_lowercase();
    match &*verb.name {
        _ if !matches!(verb.category, Category::SafeChain | Category::AsyncRequired) => false,
        "recall" | "history" | "hud" | "status" | "help" => true,
        // They act only in that somebody is asked, or a list is kept for the next.
        "who" | "list" | "value" | "balance" => true,
        "remember" => !args.contains('='),
        "channel" | "agent" => matches!(&*first, "" | "list" | "show" | "history"),
        "tidy" | "compact" | "forget" | "batch" => false,
        _ if verb.rank == Rank::Mind => args.is_empty(),
        _ => verb.looks,
    }
}

/// A typed line, split once into its verb and what follows. Everything that wants one of the two takes this.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Typed<'a> {
    /// The verb as it was typed: the first word, or a first character that is no letter or digit (`'hello`). Empty
    /// only where the line is blank.
    pub word: &'a str,
    /// The rest, without blanks at either end.
    pub args: &'a str,
}

impl<'a> Typed<'a> {
    pub fn parse(line: &'a str) -> Typed<'a> {
        let line = line.trim();
        let end = match line.chars().next() {
            Some(first) if !first.is_alphanumeric() => first.len_utf8(),
            _ => line.find(char::is_whitespace).unwrap_or(line.len()),
        };
        Typed { word: &line[..end], args: line[end..].trim_start() }
    }
}

/// Whether a typed word, in any case, is the beginning of a name, or all of it where it must be typed in full. An
/// empty word means nothing.
pub fn means(word: &str, name: &str, full_word: bool) -> bool {
    let begins = || name.as_bytes().get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word.as_bytes()));
    !word.is_empty() && begins() && (!full_word || name.len() == word.len())
}

/// The verb that a player of this level means by a word. `None`: it may be a social or a channel.
pub fn find(word: &str, level: i32) -> Option<&'static Verb> {
    NAMES.find(word, level)
}

/// Whether a line holds several commands (`look;kill rat`), rather than words with a semicolon in them.
pub fn chains(line: &str) -> bool {
    let Some((first, _)) = line.split_once(';') else { return false };
    let Typed { word, args } = Typed::parse(first);
    match find(word, i32::MAX) {
        Some(verb) => !verb.speech && verb.rank != Rank::Mind,
        // A channel's words, or a gesture's.
        None => args.is_empty(),
    }
}

/// The verb of a typed line, as it was typed.
pub fn word_of(line: &str) -> &str {
    Typed::parse(line).word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_means_what_the_world_takes_it_for() {
        let name = |word, level| find(word, level).map(|verb| &*verb.name);
        assert_eq!(name("n", 1), Some("north"));
        assert_eq!(name("K", 1), Some("kill"));
        assert_eq!(name("qui", 1), None, "quit must be typed in full");
        assert_eq!(name("goto", 1), None);
        assert_eq!(name("goto", 31), Some("goto"));
        assert_eq!(name("é", 1), None);
        assert_eq!((name("h", 1), name("ta", 1)), (Some("kill"), Some("get")), "other names of them");
        assert!(find("say", 1).is_some_and(|verb| verb.free));
        assert!(find("look", 1).is_some_and(|verb| verb.free));
        assert!(find("kill", 1).is_some_and(|verb| !verb.free));
    }

    #[test]
    fn a_line_has_the_category_of_its_verb_or_its_form() {
        for (line, category) in [
            ("look", Some(Category::SafeChain)),
            ("note a thing", Some(Category::SafeChain)),
            ("say hello", Some(Category::Terminal)),
            ("kill goblin", Some(Category::Dangerous)),
            ("recall key", Some(Category::SafeChain)),
            ("recall key IN:ALL", Some(Category::AsyncRequired)),
            ("recall of:Bob key", Some(Category::AsyncRequired)),
            ("hud json", Some(Category::SafeChain)),
            ("hud at #3", Some(Category::AsyncRequired)),
            ("hud of Bob", Some(Category::AsyncRequired)),
            ("hud attic", Some(Category::SafeChain)),
            ("smile", None),
        ] {
            assert_eq!(category_of(line, 1), category, "{line}");
        }
        for verb in VERBS.iter() {
            assert_eq!(verb.free, verb.category != Category::Dangerous, "{}", verb.name);
        }
    }

    #[test]
    fn what_only_looks_asks_and_what_writes_does_not() {
        for line in ["look", "consider goblin", "recall key", "note", "hud at #3", "status", "remember people", "who"] {
            assert!(asks(line, 1), "{line}");
        }
        for line in ["note a thing", "say what?", "kill goblin", "remember a = 1", "tidy", "smile", "channel join 3"] {
            assert!(!asks(line, 1), "{line}");
        }
    }

    #[test]
    fn a_line_is_a_verb_and_the_rest() {
        for (line, word, args) in [
            (" 'hello  there ", "'", "hello  there"),
            ("say hello", "say", "hello"),
            ("look", "look", ""),
            ("\tget\u{a0}all", "get", "all"),
            ("…well", "…", "well"),
            ("æøå  x", "æøå", "x"),
            ("  ", "", ""),
        ] {
            assert_eq!(Typed::parse(line), Typed { word, args }, "{line:?}");
        }
    }
}
