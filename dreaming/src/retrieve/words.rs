//! Words of questions and memories: lower case, without those that say nothing, brought to a common form.

use rust_stemmers::{Algorithm, Stemmer};
use rustc_hash::FxHashMap;
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::LazyLock;

/// Words that say nothing about what is asked for, but for what `Question` reads in them.
const EMPTY: &str = "\
    a about am an and any are at be been by can could currently did do does ever for from had happen happened
    has have he her him his how i if in into is it its know last lately latest me must my newest of on one or
    recent recently remember s shall she should so some someone something still tell that the their them then
    there they this to today was we were what when where which who whom whose why will with would yesterday you
    your";

/// (a form, the words that it stands for): what people say for the same deed or the same feeling.
const FORMS: &[(&str, &str)] = &[
    ("kill", "slew slain slay murder defeat beat"),
    ("die", "dead death died dying"),
    ("give", "gave given gift giving"),
    ("get", "got took take taken found find"),
    ("flee", "fled ran escape"),
    ("fight", "fought battle"),
    ("win", "won victory"),
    ("buy", "bought"),
    ("sell", "sold"),
    ("steal", "stole stolen robbed rob"),
    ("betray", "betrayal traitor backstab"),
    ("say", "said spoke told"),
    ("wound", "hurt injure"),
    ("meet", "met"),
    ("see", "saw seen"),
    ("leave", "left dropped drop"),
    ("friend", "ally friendly buddy"),
    ("enemy", "foe hate hates hostile unfriendly"),
    ("kind", "kindly kindness nice"),
    ("danger", "dangerous unsafe bad beware avoid"),
    ("good", "safe"),
    ("heal", "cure"),
    ("jail", "gaol prison imprison imprisoned"),
    ("help", "aid"),
    ("rescue", "save"),
    ("jan", "january"),
    ("feb", "february"),
    ("mar", "march"),
    ("apr", "april"),
    ("jun", "june"),
    ("jul", "july"),
    ("aug", "august"),
    ("sep", "september"),
    ("oct", "october"),
    ("nov", "november"),
    ("dec", "december"),
];

/// Words of whom one likes and whom not: beside a name they all ask for the same, what that one is to who asks.
const LIKING: &str = "friend enemy trust like kind good danger";
/// The word for that, which everybody's memory as a whole holds.
pub(super) const RELATIONSHIP: &str = "relationship";

/// The word by which one's own end is found, and no other.
pub(super) const DIED_MYSELF: &str = "diedmyself";

struct Table {
    stemmer: Stemmer,
    empty: Vec<&'static str>,
    /// By word and by stem, the stem of the form.
    forms: BTreeMap<String, String>,
    liking: Vec<String>,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| {
    let stemmer = Stemmer::create(Algorithm::English);
    let stem = |word: &str| stemmer.stem(word).into_owned();
    let mut forms = BTreeMap::new();
    for (form, words) in FORMS {
        for word in words.split_whitespace() {
            forms.insert(word.to_string(), stem(form));
            forms.insert(stem(word), stem(form));
        }
    }
    let mut empty: Vec<&str> = EMPTY.split_whitespace().collect();
    empty.sort_unstable();
    let liking = LIKING.split_whitespace().map(stem).collect();
    Table { empty, forms, liking, stemmer }
});

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

pub(super) fn form(word: &str) -> String {
    let stem = TABLE.stemmer.stem(word);
    match TABLE.forms.get(word).or_else(|| TABLE.forms.get(&*stem)) {
        Some(form) => form.clone(),
        None => stem.into_owned(),
    }
}

/// A word of a question, by its form: about whom one likes, and whom not.
pub(super) fn of_liking(form: &str) -> bool {
    TABLE.liking.iter().any(|word| word == form)
}

/// The words of a text; `Meg's` is `Meg`, `don't` is `dont`.
pub(super) fn parts(text: &str) -> impl Iterator<Item = Cow<'_, str>> {
    const QUOTES: [char; 2] = ['\'', '’'];
    let words = text.split(|c: char| !c.is_alphanumeric() && !QUOTES.contains(&c));
    let words = words.map(|word| {
        let whose = ["'s", "’s"].iter().find_map(|ending| word.strip_suffix(ending));
        let word = whose.unwrap_or(word);
        if word.contains(QUOTES) { word.replace(QUOTES, "").into() } else { Cow::from(word) }
    });
    words.filter(|word| !word.is_empty())
}

pub(super) fn is_empty(word: &str) -> bool {
    TABLE.empty.binary_search(&word).is_ok() || TABLE.empty.binary_search(&&*TABLE.stemmer.stem(word)).is_ok()
}

/// Words whose forms are kept at hand, for each thread: logs say the same few thousand again and again, and to find a
/// form takes ten times as long as to look it up.
const AT_HAND: usize = 8_192;

thread_local! {
    static FORMS_AT_HAND: RefCell<FxHashMap<Box<str>, Option<Rc<str>>>> = RefCell::default();
}

/// The form of a word; none of one that does not count.
fn form_that_counts(word: &str) -> Option<Rc<str>> {
    FORMS_AT_HAND.with_borrow_mut(|at_hand| {
        if let Some(known) = at_hand.get(word) {
            return known.clone();
        }
        let found: Option<Rc<str>> = (!is_empty(word)).then(|| form(word).into());
        if at_hand.len() >= AT_HAND {
            at_hand.clear();
        }
        at_hand.insert(word.into(), found.clone());
        found
    })
}

/// The words of a text that count, in order. A month and a day beside it give one more word for the two.
pub(crate) fn tokens(text: &str) -> Vec<String> {
    let mut tokens = Vec::new();
    each_token(text, |token| tokens.push(token.to_string()));
    tokens
}

/// Shows `look` each of them: who wants only to count or to find some needs no copies.
pub(crate) fn each_token(text: &str, mut look: impl FnMut(&str)) {
    let is_day = |word: &str| word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
    let dated = |month: &str, day: &str| {
        (MONTHS.contains(&month) && is_day(day)).then(|| format!("{month}{}", day.trim_start_matches('0')))
    };
    let lower = text.to_lowercase();
    let (mut before, mut dates): (Option<Rc<str>>, Vec<String>) = (None, Vec::new());
    for word in parts(&lower).filter_map(|word| form_that_counts(&word)) {
        look(&word);
        if let Some(before) = before {
            dates.extend(dated(&before, &word).or_else(|| dated(&word, &before)));
        }
        before = Some(word);
    }
    dates.iter().for_each(|date| look(date));
}

#[cfg(test)]
mod tests {
    use super::tokens;

    #[test]
    fn what_means_the_same_has_the_same_form() {
        let cases = [
            ("Who gave me the swords?", "give sword"),
            ("given a sword", "give sword"),
            ("slain goblins", "kill goblin"),
            ("the murderer was murdered", "kill kill"),
            ("He robbed me", "steal"),
            ("saved, saves, rescue", "rescu rescu rescu"),
            ("betrayed", "betray"),
            ("I was betrayed on Jan 12", "betray jan 12 jan12"),
            ("12 January", "12 jan jan12"),
            ("boss", "boss"),
            ("killing", "kill"),
            ("my enemies hate me", "enemi enemi"),
            ("today", ""),
            ("Bob said that a wolf killed me", "bob say wolf kill"),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text).join(" "), expected, "{text}");
        }
    }
}
