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
    "let's",
];
/// Before `mine` that belongs to somebody.
const BEFORE_MINE: &[&str] = &["is", "was", "are", "were", "of", "be", "been", "became", "like"];
/// Words that begin a sentence with a capital and are no name: `I` after them is a person, not a king.
#[rustfmt::skip]
const OPENERS: &[&str] = &[
    "a", "about", "above", "after", "again", "all", "also", "although", "always", "am", "and", "apparently", "are",
    "as", "at", "because", "before", "behind", "below", "beside", "beyond", "both", "but", "by", "can", "clearly",
    "could", "despite", "did", "do", "does", "during", "earlier", "either", "even", "everything", "finally",
    "first", "for", "fortunately", "from", "had", "has", "have", "here", "how", "however", "i", "if", "in",
    "inside", "instead", "is", "it", "last", "lately", "later", "luckily", "may", "maybe", "meanwhile", "must",
    "near", "neither", "never", "next", "nor", "nothing", "now", "often", "on", "once", "only", "or", "otherwise",
    "outside", "perhaps", "recently", "sadly", "should", "since", "so", "sometimes", "soon", "still", "suddenly",
    "than", "that", "the", "then", "there", "this", "though", "through", "today", "tomorrow", "tonight", "twice",
    "under", "unfortunately", "unless", "until", "usually", "was", "well", "were", "what", "whatever", "when",
    "whenever", "where", "wherever", "whether", "which", "whichever", "while", "who", "whoever", "why", "will",
    "with", "within", "without", "would", "yes", "yesterday", "yet",
];
/// What only a person does after `I`: of a king it would end in an s.
#[rustfmt::skip]
const FIRST_PERSON_VERBS: &[&str] = &[
    "am", "ask", "believe", "buy", "carry", "don't", "do", "feel", "find", "follow", "get", "give", "go", "have",
    "haven't", "hope", "keep", "know", "like", "love", "mean", "need", "own", "play", "prefer", "remember", "say",
    "see", "sell", "sleep", "take", "tell", "think", "travel", "trust", "try", "use", "want", "wish",
];
/// Words before the numeral `I` that need no capital.
const NUMBERED: &[&str] = &[
    "act", "book", "chapter", "class", "floor", "gate", "grade", "hall", "level", "part", "phase", "room", "rank",
    "stage", "tier", "tower", "type", "volume", "ward", "wing",
];
/// The agent, spoken of as such: what stands before the noun, and the noun.
const OF_ITSELF: &[(&[&str], &[&str])] = &[
    (&["the", "this", "your", "ai"], &["assistant"]),
    (&["this"], &["agent", "ai", "bot", "model", "character"]),
    (&["an"], &["ai", "assistant"]),
];
/// After `assistant` they say whose it is, or what: that is somebody else.
const SOMEBODY_S: &[&str] = &[
    "of",
    "to",
    "at",
    "in",
    "captain",
    "cook",
    "guard",
    "guildmaster",
    "healer",
    "keeper",
    "librarian",
    "master",
    "priest",
    "smith",
    "teacher",
    "from",
];
/// Before the own name they say when: it acts as at the beginning of a clause.
const WHEN: &[&str] = &[
    "again",
    "always",
    "finally",
    "here",
    "later",
    "meanwhile",
    "never",
    "now",
    "often",
    "sometimes",
    "soon",
    "still",
    "suddenly",
    "there",
    "today",
    "tomorrow",
    "tonight",
    "usually",
    "yesterday",
];
/// With them begins what says where or when, and the clause behind it.
const PREPOSITIONS: &[&str] = &[
    "after", "at", "before", "behind", "by", "during", "for", "from", "in", "inside", "near", "of", "on", "outside",
    "since", "through", "to", "under", "until", "with", "without",
];
/// They look like something that was done to somebody, and are how somebody is.
const STATES: &[&str] = &[
    "bored",
    "confused",
    "determined",
    "disappointed",
    "excited",
    "exhausted",
    "interested",
    "pleased",
    "prepared",
    "satisfied",
    "scared",
    "skilled",
    "talented",
    "tired",
    "used",
    "wicked",
    "worried",
];
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
        "mine" => match before {
            Some(before) => BEFORE_MINE.contains(&&*before.lower),
            None => words.get(at + 1).is_some_and(|next| matches!(&*next.lower, "is" | "are" | "was" | "were")),
        },
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
    if words.get(at + 1).is_some_and(|next| !next.opens && FIRST_PERSON_VERBS.contains(&&*next.lower)) {
        return false;
    }
    let is_name = before.text.starts_with(char::is_uppercase) && !OPENERS.contains(&&*before.lower);
    is_name || NUMBERED.contains(&&*before.lower)
}

fn is_of_itself(words: &[Word], at: usize) -> bool {
    let Some(before) = at.checked_sub(1).map(|at| &words[at]) else { return false };
    let noun = words[at].lower.strip_suffix("'s").unwrap_or(&words[at].lower);
    if !OF_ITSELF.iter().any(|(marks, nouns)| marks.contains(&&*before.lower) && nouns.contains(&noun)) {
        return false;
    }
    let is_somebody_s = words.get(at + 1).is_some_and(|next| !next.opens && SOMEBODY_S.contains(&&*next.lower));
    // "An assistant" may be anybody; "as an assistant" is who says it.
    let is_anybody = before.lower == "an" && (at < 2 || words[at - 2].lower != "as");
    !(is_somebody_s || is_anybody)
}

/// The name stands where a clause begins, and something is done by who bears it, or is said of what is its own.
fn acts(words: &[Word], at: usize, name: &str) -> bool {
    let word = &words[at];
    let name = name.to_lowercase();
    let begins = begins_clause(words, at);
    if word.lower.strip_suffix("'s") == Some(&name) {
        return begins;
    }
    if word.lower != name {
        return false;
    }
    let Some(next) = words.get(at + 1) else { return false };
    if next.opens {
        // "Wren, the thief, …": but not "…, Wren, …" of a list.
        return at == 0;
    }
    // A street or an inn that is called so.
    let is_part = next.text.starts_with(char::is_uppercase) && next.text.chars().any(char::is_lowercase);
    let participle = |word: &Word| {
        let is_one = word.lower.ends_with("ed") || PARTICIPLES.contains(&&*word.lower);
        is_one && !STATES.contains(&&*word.lower)
    };
    let is_done_to = PASSIVE.contains(&&*next.lower) && words.get(at + 2).is_some_and(participle);
    // "had been seen" is passive, "had seen" is not.
    let is_perfect = matches!(&*next.lower, "has" | "had") && words.get(at + 2).is_none_or(|word| word.lower != "been");
    begins && !is_part && (!is_done_to || is_perfect)
}

fn begins_clause(words: &[Word], at: usize) -> bool {
    if words[at].opens || at == 0 {
        return true;
    }
    let before = &*words[at - 1].lower;
    if JOINS.contains(&before) || WHEN.contains(&before) && (at == 1 || words[at - 1].opens) {
        return true;
    }
    // "At night Wren hunts": what says when has come to its end.
    let begun = words[..at].iter().rposition(|word| word.opens).unwrap_or(0);
    (2..=4).contains(&(at - begun))
        && PREPOSITIONS.contains(&&*words[begun].lower)
        && !PREPOSITIONS.contains(&before)
        && !["a", "an", "the"].contains(&before)
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
