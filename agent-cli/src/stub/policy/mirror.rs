//! One that answers in the tone that it is spoken to: harsh words get harsh ones and a thumb down, kind words kind ones
//! and a thumb up, and what has no tone a plain answer. Of what others say to each other it likes the kind and dislikes
//! the harsh. Now and then it forgives, takes offence, or lets a kind word be the last one.
//!
//! So that one reply can make a difference that is measured without a provider (`docs/EVALUATION.md`). Whatever else
//! there is to do is done as `Utility` does it. Deterministic by seed and conversation.

use super::answered::Answered;
use super::prompt_view::{self, Message};
use super::{Completion, Policy, Reply, Utility, question_of};
use crate::stub::chance::Chance;
use crate::stub::usage::conversation_of;
use serde_json::{Value, json};

/// Messages that one decision answers: free actions are few.
const AT_ONCE: usize = 2;
/// One of so many harsh words is answered kindly, and one of so many kind ones harshly.
const FORGIVES: usize = 6;
const TAKES_OFFENCE: usize = 16;
/// One of so many kind words is the last.
const LETS_REST: usize = 3;
/// One of so many words of others to each other is judged.
const JUDGES: usize = 3;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Tone {
    Harsh,
    Kind,
    Plain,
}

/// Beginnings of words by which a tone is known.
const HARSH: &[&str] = &["fool", "liar", "lie", "thief", "coward", "hate", "blame", "shame", "idiot", "worthless"];
const KIND: &[&str] = &["sorry", "thank", "friend", "peace", "forgive", "gladly", "welcome", "praise", "right"];

/// What is said in a tone. Each says it so that its reader knows the tone.
const SPEECHES: &[(Tone, &[&str])] = &[
    (
        Tone::Harsh,
        &[
            "You are the fool, and not I.",
            "Blame yourself, you liar.",
            "Shame on you, and on whoever believes you.",
            "I hate your excuses.",
        ],
    ),
    (Tone::Kind, &["I am sorry too.", "Thank you; you were right.", "Peace, friend.", "Forgive me; I spoke too soon."]),
    (Tone::Plain, &["So you say.", "I have heard you.", "And what then?", "Go on."]),
];

impl Tone {
    /// Of words; the harsh ones win, as they do among people.
    fn of(text: &str) -> Tone {
        let begins = |beginnings: &[&str]| {
            text.to_lowercase()
                .split(|sign: char| !sign.is_alphanumeric())
                .any(|word| beginnings.iter().any(|beginning| word.starts_with(beginning)))
        };
        match (begins(HARSH), begins(KIND)) {
            (true, _) => Tone::Harsh,
            (false, true) => Tone::Kind,
            (false, false) => Tone::Plain,
        }
    }

    /// In which it is answered.
    fn answered(self, chance: &mut Chance) -> Tone {
        match self {
            Tone::Harsh if chance.below(FORGIVES) == 0 => Tone::Kind,
            Tone::Kind if chance.below(TAKES_OFFENCE) == 0 => Tone::Harsh,
            tone => tone,
        }
    }

    fn speech(self, chance: &mut Chance) -> &'static str {
        let (_, speeches) = SPEECHES.iter().find(|(tone, _)| *tone == self).expect("each tone has a row");
        speeches[chance.below(speeches.len())]
    }

    fn thumb(self) -> Option<&'static str> {
        match self {
            Tone::Harsh => Some("thumbs_down"),
            Tone::Kind => Some("thumbs_up"),
            Tone::Plain => None,
        }
    }
}

#[derive(Debug)]
pub struct Mirror {
    seed: u64,
    body: Utility,
    answered: Answered,
    begins_at: u64,
}

impl Mirror {
    pub fn new(seed: u64) -> Mirror {
        Mirror { seed, body: Utility::new(seed), answered: Answered::default(), begins_at: 0 }
    }
}

/// What a message makes it do.
fn actions(message: &Message, chance: &mut Chance) -> Vec<Value> {
    let tone = Tone::of(&message.text);
    let react = tone.thumb().map(|thumb| json!({"type": "react", "message_id": message.id, "reaction": thumb}));
    if !message.to_you {
        return react.into_iter().filter(|_| chance.below(JUDGES) == 0).collect();
    }
    let rests = tone == Tone::Kind && chance.below(LETS_REST) == 0;
    let text = tone.answered(chance).speech(chance);
    let reply = (!rests).then(|| json!({"type": "reply", "message_id": message.id, "text": text}));
    reply.into_iter().chain(react).collect()
}

impl Policy for Mirror {
    fn begin_at(&mut self, message: u64) {
        self.begins_at = message;
    }

    fn reply(&mut self, body: &Value) -> Reply {
        let seen = prompt_view::read(&question_of(body));
        let conversation = conversation_of(body);
        let read = self.answered.of(&conversation);
        // What stands before its own last words in a channel it has dealt with, maybe in an earlier session.
        let spoken = |message: &Message| {
            seen.messages.iter().any(|own| own.from == "you" && own.channel == message.channel && own.id > message.id)
        };
        let is_meant = |message: &Message| message.from != "you" && message.id >= self.begins_at;
        let is_open = |message: &&Message| is_meant(message) && !read.has(message.id) && !spoken(message);
        let mut open: Vec<&Message> = seen.messages.iter().filter(is_open).collect();
        // What is to it comes first.
        open.sort_by_key(|message| (!message.to_you, message.id));
        let mut done: Vec<Value> = Vec::new();
        let mut why = String::new();
        for message in open {
            if done.len() >= AT_ONCE {
                break;
            }
            let mut chance = Chance::new(self.seed, &conversation, message.id);
            read.add(message.id);
            done.extend(actions(message, &mut chance));
            if why.is_empty() && !done.is_empty() {
                why = format!("{} spoke.", message.from);
            }
        }
        if done.is_empty() {
            return self.body.reply_to(body, &seen);
        }
        Reply::Answer(Completion::new(json!({"commentary": why, "actions": done}).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: u64, to_you: bool, text: &str) -> Message {
        Message { channel: 108, id, from: "Bob (108)".into(), to_you, text: text.into() }
    }

    #[test]
    fn what_it_says_is_read_in_the_tone_that_it_was_said_in() {
        for (tone, speeches) in SPEECHES {
            for speech in *speeches {
                assert_eq!(Tone::of(speech), *tone, "{speech}");
            }
        }
        assert_eq!(Tone::of("Sorry, you FOOL!"), Tone::Harsh);
        assert_eq!(Tone::of("Until dusk."), Tone::Plain);
    }

    #[test]
    fn most_words_are_answered_as_they_were_said_and_bystanders_only_judge() {
        let tones = |text: &str| {
            let mut counts = [0; 3];
            for id in 0..600 {
                let done = actions(&message(id, true, text), &mut Chance::new(1, "a", id));
                let spoke = done.iter().find_map(|action| action["text"].as_str());
                counts[spoke.map_or(2, |text| usize::from(Tone::of(text) == Tone::Kind))] += 1;
            }
            counts
        };
        let [harsh, kind, rest] = tones("You fool.");
        assert!(harsh > 450 && kind > 50 && rest == 0, "{harsh} {kind} {rest}");
        let [harsh, kind, rest] = tones("I am sorry.");
        assert!(harsh < 60 && kind > 300 && rest > 150, "{harsh} {kind} {rest}");
        let judged: Vec<Value> =
            (0..300).flat_map(|id| actions(&message(id, false, "You fool."), &mut Chance::new(1, "a", id))).collect();
        assert!((60..160).contains(&judged.len()), "{}", judged.len());
        assert!(judged.iter().all(|action| action["reaction"] == "thumbs_down"));
        assert!(actions(&message(1, false, "Until dusk."), &mut Chance::new(1, "a", 1)).is_empty());
    }
}
