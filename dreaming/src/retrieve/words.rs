//! Words of questions and memories: lower case, without those that say nothing, brought to a common form.

use protocol::happening::Role;

/// Words that say nothing about what is asked for.
const EMPTY: &[&str] = &[
    "a",
    "an",
    "and",
    "are",
    "at",
    "be",
    "been",
    "by",
    "can",
    "could",
    "did",
    "do",
    "does",
    "ever",
    "for",
    "from",
    "had",
    "has",
    "have",
    "he",
    "her",
    "him",
    "his",
    "how",
    "i",
    "if",
    "in",
    "into",
    "is",
    "it",
    "its",
    "me",
    "my",
    "of",
    "on",
    "or",
    "she",
    "so",
    "some",
    "something",
    "someone",
    "that",
    "the",
    "their",
    "them",
    "then",
    "there",
    "they",
    "this",
    "to",
    "was",
    "we",
    "were",
    "what",
    "when",
    "where",
    "which",
    "who",
    "whom",
    "whose",
    "why",
    "with",
    "you",
    "your",
    "about",
    "any",
    "one",
    "happened",
    "happen",
    "tell",
    "know",
    "remember",
    "s",
    "still",
    "currently",
];

/// (a word, the form that stands for it): what people say for the same deed.
const FORMS: &[(&str, &str)] = &[
    ("slew", "kill"),
    ("slain", "kill"),
    ("slay", "kill"),
    ("murder", "kill"),
    ("defeat", "kill"),
    ("beat", "kill"),
    ("dead", "die"),
    ("death", "die"),
    ("died", "die"),
    ("dying", "die"),
    ("gave", "give"),
    ("given", "give"),
    ("gift", "give"),
    ("giving", "give"),
    ("received", "receive"),
    ("got", "get"),
    ("took", "get"),
    ("take", "get"),
    ("taken", "get"),
    ("found", "get"),
    ("find", "get"),
    ("fled", "flee"),
    ("ran", "flee"),
    ("fought", "fight"),
    ("bought", "buy"),
    ("sold", "sell"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("robbed", "steal"),
    ("rob", "steal"),
    ("betrayal", "betray"),
    ("traitor", "betray"),
    ("backstab", "betray"),
    ("said", "say"),
    ("spoke", "say"),
    ("told", "say"),
    ("hurt", "wound"),
    ("met", "meet"),
    ("saw", "see"),
    ("seen", "see"),
    ("left", "leave"),
    ("dropped", "leave"),
    ("drop", "leave"),
    ("ally", "friend"),
    ("friendly", "friend"),
    ("trusted", "trust"),
    ("january", "jan"),
    ("february", "feb"),
    ("march", "mar"),
    ("april", "apr"),
    ("june", "jun"),
    ("july", "jul"),
    ("august", "aug"),
    ("september", "sep"),
    ("october", "oct"),
    ("november", "nov"),
    ("december", "dec"),
];

/// The part that who asks had in what is asked for, where the question says so: `Was I betrayed?`, `Who gave me this?`,
/// `Whom did I betray?`, `Whom did I see?`.
pub(super) fn role_of_asker(question: &str) -> Option<Role> {
    let lower = question.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let pair =
        |a: &str, b: &str| words.windows(2).any(|pair| (pair[0], pair[1]) == (a, b) || (pair[0], pair[1]) == (b, a));
    let saw = words.iter().any(|word| matches!(*word, "see" | "saw" | "seen" | "watch" | "watched" | "witness"));
    let did = ["did", "have", "had"].iter().any(|verb| pair(verb, "i"));
    match () {
        () if saw && words.contains(&"i") => Some(Role::Saw),
        () if pair("was", "i") || words.contains(&"me") => Some(Role::Suffered),
        () if did => Some(Role::Did),
        () => None,
    }
}

const MONTHS: [&str; 12] = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

fn form(word: &str) -> String {
    if let Some((_, form)) = FORMS.iter().find(|(other, _)| *other == word) {
        return (*form).to_string();
    }
    if !word.is_ascii() || word.len() < 5 {
        return word.to_string();
    }
    for (ending, put) in [("ies", "y"), ("ied", "y"), ("sses", "ss"), ("ing", ""), ("ed", ""), ("s", "")] {
        if let Some(stem) = word.strip_suffix(ending)
            && stem.len() >= 3
            && !(ending == "s" && stem.ends_with(['s', 'u', 'i']))
        {
            let stem = format!("{stem}{put}");
            let bytes = stem.as_bytes();
            let n = bytes.len();
            // `robbed` → `rob`.
            let doubled = put.is_empty() && ending != "s" && n > 3 && bytes[n - 1] == bytes[n - 2];
            let doubled = doubled && !matches!(bytes[n - 1], b'l' | b's');
            return if doubled { stem[..n - 1].to_string() } else { stem };
        }
    }
    word.to_string()
}

/// The words of a text that count, in order. A month and a day beside it give one more word for the two.
pub fn tokens(text: &str) -> Vec<String> {
    let lower = text.to_lowercase().replace(['\'', '’'], "");
    let raw = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let words: Vec<String> = raw.filter(|word| !EMPTY.contains(word)).map(form).collect();
    let mut tokens = words.clone();
    // Who gave me something: that I received it.
    let to_me = ["gave me", "given me", "give me"].iter().any(|phrase| lower.contains(phrase));
    if to_me {
        tokens.push("receive".into());
    }
    for pair in words.windows(2) {
        let day = |word: &str| word.len() <= 2 && word.bytes().all(|byte| byte.is_ascii_digit());
        if MONTHS.contains(&&*pair[0]) && day(&pair[1]) {
            tokens.push(format!("{}{}", pair[0], pair[1].trim_start_matches('0')));
        } else if day(&pair[0]) && MONTHS.contains(&&*pair[1]) {
            tokens.push(format!("{}{}", pair[1], pair[0].trim_start_matches('0')));
        }
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::{role_of_asker, tokens};
    use protocol::happening::Role;

    #[test]
    fn who_asks_says_what_part_they_had() {
        let cases = [
            ("Was I betrayed by the one who gave me a sword?", Some(Role::Suffered)),
            ("who stole from me", Some(Role::Suffered)),
            ("Whom did I rob?", Some(Role::Did)),
            ("I was healed by Eve", Some(Role::Suffered)),
            ("Did I see Bob betray Eve?", Some(Role::Saw)),
            ("Who has a sword now?", None),
            ("What happened with Meg on Jan 3?", None),
        ];
        for (question, expected) in cases {
            assert_eq!(role_of_asker(question), expected, "{question}");
        }
    }

    #[test]
    fn what_means_the_same_has_the_same_form() {
        let cases = [
            ("Who gave me the swords?", "give sword receive"),
            ("given a sword", "give sword"),
            ("slain goblins", "kill goblin"),
            ("He robbed me", "steal"),
            ("betrayed", "betray"),
            ("I was betrayed on Jan 12", "betray jan 12 jan12"),
            ("12 January", "12 jan jan12"),
            ("boss", "boss"),
            ("killing", "kill"),
        ];
        for (text, expected) in cases {
            assert_eq!(tokens(text).join(" "), expected, "{text}");
        }
    }
}
