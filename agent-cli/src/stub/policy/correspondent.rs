//! One that answers: each message to it once, the oldest first, and now and then with a reaction; a question with what
//! the prompt remembers of it. Whatever else there is to do is done as `Utility` does it.
//!
//! So that channels can be played end to end without a provider. Deterministic by seed and conversation.

use super::answered::Answered;
use super::prompt_view::{self, Memory, Message};
use super::{Completion, Policy, Reply, Utility, question_of};
use crate::stub::chance::Chance;
use crate::stub::usage::conversation_of;
use serde_json::{Value, json};
use std::collections::BTreeSet;

/// Messages that one decision answers: free actions are few.
const AT_ONCE: usize = 2;
/// One of so many messages gets a reaction too.
const REACTS_TO: usize = 3;
/// Characters of a word that says something, and how many of those a memory shares with a question that it answers.
const WORD_CHARS: usize = 4;
const SHARED_MIN: usize = 2;
/// Words of a message that an answer takes up.
const TAKEN_UP: usize = 6;

#[derive(Debug)]
pub struct Correspondent {
    seed: u64,
    body: Utility,
    answered: Answered,
    begins_at: u64,
}

impl Correspondent {
    pub fn new(seed: u64) -> Correspondent {
        Correspondent { seed, body: Utility::new(seed), answered: Answered::default(), begins_at: 0 }
    }
}

fn answer_to(message: &Message, chance: &mut Chance) -> String {
    let words: Vec<&str> = message.text.split_whitespace().take(TAKEN_UP).collect();
    let about = words.join(" ").trim_end_matches(['.', '!', '?']).to_string();
    let openings = ["I read you", "So you say", "Noted", "I have thought about it"];
    format!("{}: {about}.", openings[chance.below(openings.len())])
}

/// What the prompt remembers of a question: the memory that has most of its words, if that are two at least.
fn remembered<'s>(question: &str, memories: &'s [Memory]) -> Option<&'s str> {
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| word.chars().count() >= WORD_CHARS);
        words.map(str::to_lowercase).collect()
    };
    let asked = words(question);
    let shared = |memory: &Memory| asked.intersection(&words(&memory.text)).count();
    // What was only asked answers nothing, nor does what it said itself.
    let is_told = |memory: &&Memory| !memory.text.contains('?') && !memory.text.starts_with("said ");
    let told = memories.iter().filter(|memory| is_told(memory) && shared(memory) >= SHARED_MIN);
    told.rev().max_by_key(|memory| shared(memory)).map(|memory| memory.text.as_str())
}

impl Policy for Correspondent {
    fn begin_at(&mut self, message: u64) {
        self.begins_at = message;
    }

    fn reply(&mut self, body: &Value) -> Reply {
        let seen = prompt_view::read(&question_of(body));
        let conversation = conversation_of(body);
        let answered = self.answered.of(&conversation);
        let is_meant = |message: &Message| message.to_you && message.from != "you" && message.id >= self.begins_at;
        let open = |message: &&Message| is_meant(message) && !answered.has(message.id);
        let told: Vec<Message> = seen.messages.iter().filter(open).take(AT_ONCE).cloned().collect();
        if told.is_empty() {
            return self.body.reply_to(body, &seen);
        }
        let mut actions = Vec::new();
        for message in &told {
            let mut chance = Chance::new(self.seed, &conversation, message.id);
            let known = Some(&message.text).filter(|text| text.contains('?'));
            let text = match known.and_then(|question| remembered(question, &seen.memories)) {
                Some(known) => format!("I remember: {known}"),
                None => answer_to(message, &mut chance),
            };
            actions.push(json!({"type": "reply", "message_id": message.id, "text": text}));
            if chance.below(REACTS_TO) == 0 {
                let reaction = ["thumbs_up", "brain", "heart"][chance.below(3)];
                actions.push(json!({"type": "react", "message_id": message.id, "reaction": reaction}));
            }
            answered.add(message.id);
        }
        let why = format!("{} wrote to me.", told[0].from);
        Reply::Answer(Completion::new(json!({"commentary": why, "actions": actions}).to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::answer::{RawReply, read};
    use mind::action::Offer;
    use mind::hud::{ChannelsView, Format, LiveView, SelfView};
    use mind::prompt::{PromptBuilder, Settings};
    use std::sync::Arc;

    #[test]
    fn each_message_to_it_is_answered_once_in_whatever_format_it_comes() {
        let channel = json!({
            "id": 108, "name": "Bob's home", "kind": "home", "owner": 108, "is_self_room": false, "members": [],
            "member_count": 2, "attention": "%*", "attention_pct": 100.0, "wpm": 80, "word_budget": 45, "messages": [
                {"id": 412, "channel": 108, "tick": 9, "sender": {"id": 109, "name": "Cid", "kind": "bot"},
                 "type": "text", "content": "Nobody asked: you."},
                {"id": 413, "channel": 108, "tick": 9, "sender": {"id": 108, "name": "Bob", "kind": "person"},
                 "type": "text", "content": "How long do you stay, \"friend\"?", "to_you": true},
            ],
        });
        let view = json!({"you": 105, "channels": [{"channel": channel, "acts": 0, "used": {}}]});
        let view: ChannelsView = serde_json::from_value(view).expect("a view");
        let live = LiveView { tick: 12, channels: Some(Arc::new(view)), ..LiveView::default() };
        for format in Format::ALL {
            let mut policy = Correspondent::new(1);
            let mut builder = PromptBuilder::new(Settings { format, ..Settings::default() });
            builder.set_self(SelfView { channels: true, ..SelfView::default() });
            let mut lines = || {
                let prompt = builder.build(&live, &[], &mind::MindState::default());
                let user = prompt.parts.iter().filter(|part| part.role == mind::prompt::Role::User);
                let text: String = user.map(|part| part.text.as_str()).collect();
                let body = json!({"prompt_cache_key": "a", "messages": [{"role": "user", "content": text}]});
                let Reply::Answer(said) = policy.reply(&body) else { panic!("it answers") };
                let offer = Offer { channels: true, ..Offer::default() };
                let raw = RawReply { content: said.content, offer, ..RawReply::default() };
                read(&raw).expect("an answer").0.speech
            };
            let first = lines();
            assert!(first.len() == 1 && first[0].starts_with("reply 413 "), "{}: {first:?}", format.name());
            assert!(first[0].ends_with(": How long do you stay, \"friend\"."), "{first:?}");
            assert!(lines().iter().all(|line| !line.starts_with("reply")), "once");
        }
    }
}
