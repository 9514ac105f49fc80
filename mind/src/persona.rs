//! What may stand among facts and patterns: the world, others, events; not what the agent itself did, is or should be.
//!
//! A rule about words, not a model: the first person outside quotes, the agent spoken of as such, and its own name as
//! the one who acts. Source: *Persona Protection* of the document on self-management.

/// What the document answers to a text that speaks of oneself, …
pub const ERROR: &str = "Content appears to reference assistant actions or identity";
/// … and what it suggests.
pub const SUGGESTION: &str = "Session memory should contain facts about the WORLD, PLAYERS, or EVENTS - not what you did. \
                              Rephrase in third-person.";

/// First person, in lower case. `I` and `mine` are looked at more closely.
const FIRST_PERSON: &[&str] = &[
    "me",
    "my",
    "myself",
    "we",
    "us",
    "our",
    "ours",
    "ourselves",
    "i'm",
    "i've",
    "i'd",
    "i'll",
    "we're",
    "we've",
    "we'd",
    "we'll",
    "im",
    "ive",
];
/// Before `mine` that belongs to somebody.
const BEFORE_MINE: &[&str] = &["is", "was", "are", "were", "of", "be", "been", "became", "like"];
/// Words that begin a sentence with a capital and are no name: `I` after them is a person, not a king.
const OPENERS: &[&str] = &[
    "a",
    "after",
    "again",
    "also",
    "although",
    "always",
    "and",
    "as",
    "at",
    "because",
    "before",
    "but",
    "earlier",
    "finally",
    "first",
    "for",
    "from",
    "here",
    "how",
    "however",
    "if",
    "in",
    "last",
    "later",
    "luckily",
    "maybe",
    "meanwhile",
    "never",
    "next",
    "now",
    "often",
    "on",
    "once",
    "only",
    "or",
    "perhaps",
    "sadly",
    "since",
    "so",
    "sometimes",
    "still",
    "suddenly",
    "that",
    "the",
    "then",
    "there",
    "this",
    "though",
    "today",
    "tomorrow",
    "tonight",
    "unless",
    "until",
    "usually",
    "well",
    "what",
    "when",
    "whenever",
    "where",
    "which",
    "while",
    "who",
    "why",
    "yes",
    "yesterday",
    "yet",
];
/// Words before the numeral `I` that need no capital.
const NUMBERED: &[&str] = &[
    "act", "book", "chapter", "class", "floor", "gate", "grade", "hall", "level", "part", "phase", "room", "rank",
    "stage", "tier", "tower", "type", "volume", "ward", "wing",
];
/// The agent, spoken of as such: what stands before the noun, and the noun.
const OF_ITSELF: &[(&[&str], &[&str])] =
    &[(&["the", "this", "your"], &["assistant"]), (&["this"], &["agent", "ai", "bot", "model", "character"])];
/// What a clause begins with.
const JOINS: &[&str] = &[
    "after", "although", "and", "as", "because", "before", "but", "if", "once", "or", "since", "so", "that", "then",
    "though", "unless", "until", "what", "when", "whenever", "where", "while", "whom",
];
/// Verbs after which something is done to the one who stands before them.
const PASSIVE: &[&str] = &["is", "was", "gets", "got", "has", "had"];
const PARTICIPLES: &[&str] = &[
    "been", "known", "seen", "given", "told", "taken", "shown", "hurt", "hit", "sent", "left", "kept", "made", "lost",
];

/// A word with what stands before it.
struct Word<'t> {
    text: &'t str,
    lower: String,
    /// The first of a sentence, or of a clause after a comma.
    opens: bool,
}

/// Why a text is refused that `name` wants to keep; `None`: it is about the world.
pub fn refuses(text: &str, name: &str) -> Option<&'static str> {
    let unquoted = unquoted(text);
    let words = words(&unquoted);
    let speaks = |at: usize| {
        is_first_person(&words, at) || is_of_itself(&words, at) || (!name.is_empty() && acts(&words, at, name))
    };
    (0..words.len()).any(speaks).then_some(ERROR)
}

/// The text without what stands in double quotes: those are the words of somebody. A quote that does not end quotes
/// nothing.
fn unquoted(text: &str) -> String {
    let mut left = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['"', '“', '«']) {
        let mark = rest[open..].chars().next().unwrap_or('"');
        let closing = match mark {
            '“' => '”',
            '«' => '»',
            mark => mark,
        };
        let inside = &rest[open + mark.len_utf8()..];
        let Some(close) = inside.find(closing) else { break };
        left.push_str(&rest[..open]);
        // Something stands there, so what follows begins no sentence.
        left.push_str(" … ");
        rest = &inside[close + closing.len_utf8()..];
    }
    left.push_str(rest);
    left
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    let mut opens = true;
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '\'' | '’' | '-' | '_');
    let mut rest = text;
    while let Some(begin) = rest.find(is_part) {
        if rest[..begin].contains(['.', '!', '?', ':', ';', ',', '(', '\n']) {
            opens = true;
        }
        if rest[..begin].contains('…') {
            opens = false;
        }
        rest = &rest[begin..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = rest[..end].trim_matches(['\'', '’', '-']);
        if !word.is_empty() {
            words.push(Word { text: word, lower: word.to_lowercase().replace('’', "'"), opens });
            opens = false;
        }
        rest = &rest[end..];
    }
    words
}

fn is_first_person(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    let before = at.checked_sub(1).map(|at| &words[at]).filter(|_| !word.opens);
    match word.lower.as_str() {
        "i" => !is_numeral(words, at),
        "mine" => before.is_some_and(|before| BEFORE_MINE.contains(&&*before.lower)),
        // The country, or shouting.
        "us" if word.text == "US" => false,
        lower => FIRST_PERSON.contains(&lower),
    }
}

/// `I` that counts: a king, a gate, a chapter.
fn is_numeral(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    if word.text != "I" {
        return false;
    }
    let Some(before) = at.checked_sub(1).map(|at| &words[at]).filter(|_| !word.opens) else { return false };
    let is_name = before.text.starts_with(char::is_uppercase) && !OPENERS.contains(&&*before.lower);
    is_name || NUMBERED.contains(&&*before.lower)
}

fn is_of_itself(words: &[Word], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|at| &words[at]) else { return false };
    let noun = words[at].lower.strip_suffix("'s").unwrap_or(&words[at].lower);
    OF_ITSELF.iter().any(|(marks, nouns)| marks.contains(&&*before.lower) && nouns.contains(&noun))
}

/// The name stands where a clause begins, and something is done by who bears it.
fn acts(words: &[Word], at: usize, name: &str) -> bool {
    let word = &words[at];
    if !word.lower.eq_ignore_ascii_case(name) {
        return false;
    }
    let begins = word.opens || at == 0 || JOINS.contains(&&*words[at - 1].lower);
    let Some(next) = words.get(at + 1).filter(|next| !next.opens) else { return false };
    let participle = |word: &Word| word.lower.ends_with("ed") || PARTICIPLES.contains(&&*word.lower);
    let is_done_to = PASSIVE.contains(&&*next.lower) && words.get(at + 2).is_some_and(participle);
    // "had been seen" is passive, "had seen" is not.
    let is_perfect = matches!(&*next.lower, "has" | "had") && words.get(at + 2).is_none_or(|word| word.lower != "been");
    begins && (!is_done_to || is_perfect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_examples_come_out_as_printed() {
        for text in ["I helped the player", "I should be more formal", "The assistant suggested..."] {
            assert_eq!(refuses(text, "Wren"), Some(ERROR), "{text}");
        }
        for text in ["Player Alice completed the quest", "The tavern has 5 rooms", "Players prefer concise responses"] {
            assert_eq!(refuses(text, "Wren"), None, "{text}");
        }
    }

    #[test]
    fn numerals_mines_and_words_of_others_are_of_the_world() {
        for text in [
            "Gate I is locked, gate II is open",
            "King Aldric I built the wall",
            "Bob says \"I will sell you my lantern\"",
            "The mine below the hill is flooded",
            "The old sign reads “Trust me”",
            "Bob gave Wren a lantern",
            "Wren was robbed by Mallory at the well",
            "Bob is afraid of Wren",
        ] {
            assert_eq!(refuses(text, "Wren"), None, "{text}");
        }
        for text in [
            "Yesterday I sold the lantern",
            "Bob and I went north",
            "The sword in the chest is mine",
            "This agent prefers quiet rooms",
            "Wren likes the inn",
            "Bob left when Wren came",
            "Bob says \"well\" and I believe him",
            "Bob trusts us",
            "He said \"come in and I came",
        ] {
            assert_eq!(refuses(text, "wren"), Some(ERROR), "{text}");
        }
    }
}
