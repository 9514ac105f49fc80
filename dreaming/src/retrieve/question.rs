//! What a question says beside what it is about: who had which part, when it was, and which of several is meant.
//!
//! Only questions are read so. A memory in which somebody says "he killed me" is one of those words, and of nobody's
//! end.

use super::words::{self, DIED_MYSELF, form, is_empty, parts};
use protocol::happening::Role;
use std::borrow::Cow;

/// How people ask for their own end.
const OWN_DEATH: &[&str] = &[
    "killed me",
    "kill me",
    "slew me",
    "slain me",
    "murdered me",
    "defeated me",
    "beat me",
    "i die",
    "i died",
    "i was killed",
    "was i killed",
    "my death",
    "my last death",
    "my deaths",
    "my end",
];
/// How they ask for what they were given.
const TO_ME: &[&str] = &["gave me", "given me", "give me"];
const NEWEST: &[&str] = &["last", "lately", "latest", "newest", "recent", "recently"];
/// How they ask for what was worst, and best.
const WORST: &[&str] = &["worst", "saddest", "scariest"];
const BEST: &[&str] = &["best", "greatest", "happiest", "proudest"];
/// What they say for something that happened, whatever it was.
const SOMETHING: &[&str] =
    &["day", "event", "experience", "memories", "memory", "moment", "moments", "thing", "things", "time"];
const SAW: &[&str] = &["see", "saw", "seen", "watch", "watched", "witness"];

/// An end of all that was felt.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Extreme {
    Worst,
    Best,
}

/// Of what a reason is asked for, which the owner may have found out by contrast (`questions.rs`).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ReasonFor {
    /// Why plans fail.
    Plans,
    /// Which of the own minds is right.
    Minds,
    /// Why it goes as it goes with whoever is named.
    Named,
}

/// A question, word by word.
pub(super) struct Question<'a> {
    text: &'a str,
    written: Vec<String>,
    lower: Vec<String>,
}

impl<'a> Question<'a> {
    pub fn new(text: &'a str) -> Question<'a> {
        let written: Vec<String> = parts(text).map(Cow::into_owned).collect();
        let lower = written.iter().map(|word| word.to_lowercase()).collect();
        Question { text, written, lower }
    }

    fn has(&self, words: &[&str]) -> bool {
        self.lower.iter().any(|word| words.contains(&word.as_str()))
    }

    /// Whether these words stand in it one after the other.
    fn has_phrase(&self, phrase: &str) -> bool {
        let phrase: Vec<&str> = phrase.split(' ').collect();
        self.lower.windows(phrase.len()).any(|words| words.iter().zip(&phrase).all(|(word, other)| word == other))
    }

    /// The part that who asks had in what is asked for, where it says so: `Was I betrayed?`, `Who gave me this?`, `Whom
    /// did I betray?`, `Whom did I see?`.
    pub fn role(&self) -> Option<Role> {
        let with_me = |verb: &str| self.has_phrase(&format!("{verb} i")) || self.has_phrase(&format!("i {verb}"));
        match () {
            () if self.has(SAW) && self.has(&["i"]) => Some(Role::Saw),
            () if with_me("was") || self.has(&["me"]) => Some(Role::Suffered),
            () if ["did", "have", "had"].into_iter().any(with_me) => Some(Role::Did),
            () => None,
        }
    }

    /// How many days ago it asks for, where it says so in a word.
    pub fn days_ago(&self) -> Option<i32> {
        match () {
            () if self.has(&["today"]) => Some(0),
            () if self.has(&["yesterday"]) => Some(1),
            () => None,
        }
    }

    /// Whether it asks for deaths: where nobody is named, for the own ones.
    pub fn asks_for_deaths(&self) -> bool {
        self.has(&["death", "deaths"])
    }

    /// Whether of all that answers as well the newest is meant.
    pub fn asks_for_the_newest(&self) -> bool {
        self.has(NEWEST)
    }

    /// Which end of all that was felt it asks for, where it says so.
    pub fn extreme(&self) -> Option<Extreme> {
        match (self.has(WORST), self.has(BEST)) {
            (true, false) => Some(Extreme::Worst),
            (false, true) => Some(Extreme::Best),
            _ => None,
        }
    }

    /// Of what it asks the reason.
    pub fn asks_for_a_reason(&self) -> Option<ReasonFor> {
        let why = self.has(&["why"]);
        let which = self.has(&["which", "who", "whose", "whom"]);
        match () {
            () if self.has(&["minds"]) && (which || why) || self.has_phrase("which mind") => Some(ReasonFor::Minds),
            () if why && self.has(&["plan", "plans"]) => Some(ReasonFor::Plans),
            () if why => Some(ReasonFor::Named),
            () => None,
        }
    }

    /// The words that are left where it asks for that: those of who or what it was about.
    pub fn subject(&self) -> Vec<String> {
        let says_something =
            |word: &&String| ![WORST, BEST, SOMETHING].iter().any(|words| words.contains(&word.as_str()));
        let left: Vec<&str> = self.lower.iter().filter(says_something).map(String::as_str).collect();
        words::tokens(&left.join(" "))
    }

    /// The words that a memory is to hold.
    pub fn tokens(&self) -> Vec<String> {
        let mut tokens = words::tokens(self.text);
        if TO_ME.iter().any(|phrase| self.has_phrase(phrase)) {
            tokens.push(form("receive"));
        }
        // Who asks who killed them does not ask whom they killed.
        if OWN_DEATH.iter().any(|phrase| self.has_phrase(phrase)) {
            tokens.retain(|word| !matches!(&**word, "kill" | "die"));
            tokens.push(DIED_MYSELF.into());
        }
        tokens
    }

    /// The first word of this form, as it is written.
    pub fn written(&self, token: &str) -> Option<&str> {
        let mut words = self.written.iter().zip(&self.lower);
        words.find(|(_, lower)| !is_empty(lower) && form(lower) == token).map(|(written, _)| written.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            assert_eq!(Question::new(question).role(), expected, "{question}");
        }
    }

    #[test]
    fn a_question_asks_for_more_than_its_words_say() {
        let cases = [
            ("Who gave me the swords?", "give sword receiv"),
            ("Whom did Bob give the sword?", "bob give sword"),
            ("who killed me in the crypt", "crypt diedmyself"),
            ("whom did Bob kill", "bob kill"),
        ];
        for (question, expected) in cases {
            assert_eq!(Question::new(question).tokens().join(" "), expected, "{question}");
        }
        let question = Question::new("Did Meg's Goblins die yesterday, or lately?");
        assert_eq!((question.days_ago(), question.asks_for_the_newest()), (Some(1), true));
        assert_eq!((question.written("goblin"), question.written("meg")), (Some("Goblins"), Some("Meg")));
        assert_eq!(question.written("or"), None, "it says nothing");
        let worst = Question::new("What was the worst thing that happened in the Crypt?");
        assert_eq!((worst.extreme(), worst.subject().join(" ")), (Some(Extreme::Worst), "crypt".to_string()));
        assert_eq!(Question::new("my best moments").extreme(), Some(Extreme::Best));
        for (question, reason) in [
            ("Why do my plans fail?", Some(ReasonFor::Plans)),
            ("which of my minds was right about trolls", Some(ReasonFor::Minds)),
            ("Which mind is right?", Some(ReasonFor::Minds)),
            ("why did Mordred betray me", Some(ReasonFor::Named)),
            ("what were my plans", None),
            ("never mind", None),
        ] {
            assert_eq!(Question::new(question).asks_for_a_reason(), reason, "{question}");
        }
        assert_eq!(Question::new("the best and the worst").extreme(), None);
    }
}
