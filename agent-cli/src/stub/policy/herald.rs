//! One that passes on news: what it was told with the words "Have you heard?" it tells, with the same words, to whom it
//! meets and has not told, more often than not; and where news calls to a room by a tick, it goes there in time.
//! Whatever else there is to do is done as `Utility` does it.
//!
//! So that it can be measured without a provider how far words spread in a society (`docs/EVALUATION.md`). It says of
//! news what it was told, word for word. Deterministic by seed and conversation.

use super::prompt_view::{self, PromptView};
use super::{Completion, Policy, Reply, Utility, question_of};
use crate::stub::chance::Chance;
use crate::stub::usage::conversation_of;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// What news begins with.
pub const CUE: &str = "Have you heard? ";
/// How likely it is to tell somebody something, in the one moment at which it thinks of that.
const TELLS: f64 = 0.6;
/// News that is kept in mind, and conversations.
const NEWS_MAX: usize = 8;
const CONVERSATIONS_MAX: usize = 1_000;
/// Ticks before the one that is named at which it sets out, and ticks after it for which it stays.
const SETS_OUT: u64 = 60;
const STAYS: u64 = 15;
/// Ticks for which a way that it does not know is not asked for again.
const LOST: u64 = 20;
/// Ticks that it waits where it was called to, before it looks again.
const WAITS: u64 = 5;

#[derive(Debug)]
pub struct Herald {
    seed: u64,
    body: Utility,
    known: BTreeMap<String, Known>,
}

/// What one knows.
#[derive(Debug, Default)]
struct Known {
    /// Oldest first, each with those who have it or whom it thought of already.
    news: Vec<(String, BTreeSet<String>)>,
    turns: u64,
}

impl Herald {
    pub fn new(seed: u64) -> Herald {
        Herald { seed, body: Utility::new(seed), known: BTreeMap::new() }
    }
}

impl Known {
    fn hear(&mut self, seen: &PromptView) {
        for (from, _, text) in &seen.heard {
            let Some(news) = text.strip_prefix(CUE).map(str::trim).filter(|news| !news.is_empty()) else { continue };
            let place = self.news.iter().position(|(known, _)| known == news).unwrap_or_else(|| {
                if self.news.len() == NEWS_MAX {
                    self.news.remove(0);
                }
                self.news.push((news.to_string(), BTreeSet::new()));
                self.news.len() - 1
            });
            self.news[place].1.insert(from.clone());
        }
    }

    /// What it tells now, to all who are here.
    fn tells(&mut self, seen: &PromptView, chance: &mut Chance) -> Option<String> {
        for (news, has) in &mut self.news {
            let new: Vec<&String> = seen.players.iter().filter(|player| !has.contains(*player)).collect();
            if new.is_empty() {
                continue;
            }
            has.extend(new.into_iter().cloned());
            if chance.share() < TELLS {
                return Some(format!("{CUE}{news}"));
            }
        }
        None
    }

    /// Where it is called to, if it is time.
    fn called_to(&self, now: u64) -> Option<i32> {
        self.news.iter().find_map(|(news, _)| {
            let (room, tick) = (number_after(news, "room")?, number_after(news, "tick")?);
            let is_time = (tick.saturating_sub(SETS_OUT)..tick.saturating_add(STAYS)).contains(&now);
            is_time.then(|| i32::try_from(room).ok())?
        })
    }
}

/// The number behind a word: 8227 in `come to room 8227`.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let words: Vec<&str> = text.split(|sign: char| !sign.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    words.windows(2).find(|pair| pair[0].eq_ignore_ascii_case(word))?[1].parse().ok()
}

/// What it does about being called: walks there, or waits there. `None`: it knows no way.
fn comes(seen: &PromptView, room: i32) -> Option<Value> {
    if seen.room == Some(room) {
        return Some(json!({"type": "wait", "until": ["tick"], "ticks": WAITS}));
    }
    let is_walk = |action: &str| action.contains("goto") && action.contains(&room.to_string());
    let is_lost =
        seen.recent.iter().any(|(ago, action, outcome)| *ago < LOST && is_walk(action) && !outcome.starts_with("ok"));
    (!is_lost).then(|| json!({"type": "goto", "to": room.to_string()}))
}

impl Policy for Herald {
    fn reply(&mut self, body: &Value) -> Reply {
        let seen = prompt_view::read(&question_of(body));
        let conversation = conversation_of(body);
        if self.known.len() >= CONVERSATIONS_MAX && !self.known.contains_key(&conversation) {
            self.known.pop_first();
        }
        let known = self.known.entry(conversation.clone()).or_default();
        known.hear(&seen);
        known.turns += 1;
        let is_busy = seen.fighting.is_some() || seen.is("fighting") || seen.is("sleeping");
        if is_busy || seen.mind.is_some() {
            return self.body.reply_to(body, &seen);
        }
        let mut chance = Chance::new(self.seed, &conversation, known.turns);
        let told = known.tells(&seen, &mut chance).map(|text| json!({"type": "say", "text": text}));
        let coming = known.called_to(seen.tick).and_then(|room| comes(&seen, room));
        if let Some(coming) = coming {
            // Who lies down gets up first: the body does, where it has to walk.
            let actions: Vec<Value> = told.into_iter().chain([coming]).collect();
            let answer = json!({"commentary": "I was told to be there.", "actions": actions});
            return Reply::Answer(Completion::new(answer.to_string()));
        }
        let reply = self.body.reply_to(body, &seen);
        match told {
            Some(told) => with_action(reply, told),
            None => reply,
        }
    }
}

/// The same answer with one more action before the others.
fn with_action(reply: Reply, action: Value) -> Reply {
    let Reply::Answer(mut said) = reply else { return reply };
    if let Ok(mut answer) = serde_json::from_str::<Value>(&said.content)
        && let Some(actions) = answer.get_mut("actions").and_then(Value::as_array_mut)
    {
        actions.insert(0, action);
        said.content = answer.to_string();
    }
    Reply::Answer(said)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(tick: u64, players: &[&str], heard: &[(&str, &str)]) -> PromptView {
        PromptView {
            tick,
            players: players.iter().map(|name| name.to_string()).collect(),
            heard: heard.iter().map(|(from, text)| (from.to_string(), "say".to_string(), text.to_string())).collect(),
            room: Some(8200),
            ..PromptView::default()
        }
    }

    #[test]
    fn news_is_told_word_for_word_to_each_once_and_not_to_who_told_it() {
        let mut told = 0;
        for seed in 0..100 {
            let (mut known, mut chance) = (Known::default(), Chance::new(seed, "a", 1));
            let mut tells = |seen: PromptView| {
                known.hear(&seen);
                known.tells(&seen, &mut chance)
            };
            let news = ("Bob", "Have you heard? The weir is down.");
            assert_eq!(tells(seen(1, &["Bob"], &[news, ("Bob", "Good day.")])), None);
            let said = tells(seen(2, &["Bob", "Cid"], &[news]));
            told += usize::from(said.is_some());
            assert!(said.is_none_or(|said| said == "Have you heard? The weir is down."));
            assert_eq!(tells(seen(3, &["Cid"], &[])), None, "once");
        }
        assert!((40..80).contains(&told), "{told}");
    }

    #[test]
    fn who_is_called_comes_in_time_and_waits_there() {
        let mut known = Known::default();
        known.hear(&seen(1, &[], &[("Bob", "Have you heard? All meet in room 8227 at tick 900, sharp.")]));
        let called: Vec<Option<i32>> = [839, 840, 914, 915].into_iter().map(|tick| known.called_to(tick)).collect();
        assert_eq!(called, [None, Some(8227), Some(8227), None]);
        let mut here = seen(850, &[], &[]);
        assert_eq!(comes(&here, 8227).expect("it goes")["type"], "goto");
        here.recent.push((3, "goto 8227".into(), "refused: no way is known".into()));
        assert_eq!(comes(&here, 8227), None);
        here.room = Some(8227);
        assert_eq!(comes(&here, 8227).expect("it stays")["type"], "wait");
    }
}
