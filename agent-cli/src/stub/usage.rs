//! Tokens as a provider counts and caches them: by the longest common beginning with the prompt before, per
//! `prompt_cache_key`, from 1,024 tokens on in steps of 128.

use crate::ledger::Usage;
use serde_json::Value;
use std::collections::BTreeMap;

const CACHE_FROM: usize = 1_024;
const CACHE_STEP: usize = 128;
/// Conversations whose last prompt is kept.
const CONVERSATIONS_MAX: usize = 1_000;

#[derive(Debug, Default)]
pub struct Counter {
    /// The tokens of the last prompt, by conversation.
    last: BTreeMap<String, Vec<u32>>,
}

/// All texts of the messages, in order, as one.
pub fn text_of(body: &Value) -> String {
    let mut text = String::new();
    for message in body.get("messages").and_then(Value::as_array).into_iter().flatten() {
        text.push_str(message.get("role").and_then(Value::as_str).unwrap_or(""));
        text.push('\n');
        match message.get("content") {
            Some(Value::String(content)) => text.push_str(content),
            Some(Value::Array(blocks)) => {
                blocks.iter().filter_map(|block| block.get("text")?.as_str()).for_each(|block| text.push_str(block))
            }
            _ => {}
        }
        text.push('\n');
    }
    text
}

/// Whose prompt it is.
pub fn conversation_of(body: &Value) -> String {
    let key = body.get("prompt_cache_key").or_else(|| body.get("user")).and_then(Value::as_str);
    key.unwrap_or("").to_string()
}

impl Counter {
    pub fn count(&mut self, body: &Value, answer: &str) -> Usage {
        let ids = mind::tokens::ids(&text_of(body));
        let key = conversation_of(body);
        let common = self.last.get(&key).map_or(0, |last| last.iter().zip(&ids).take_while(|(a, b)| a == b).count());
        let cached = match common.checked_sub(CACHE_FROM) {
            Some(more) => CACHE_FROM + more / CACHE_STEP * CACHE_STEP,
            None => 0,
        };
        let usage = Usage {
            prompt: ids.len() as u64,
            cached: cached as u64,
            cache_written: 0,
            completion: mind::tokens::count(answer) as u64,
        };
        if self.last.len() >= CONVERSATIONS_MAX && !self.last.contains_key(&key) {
            self.last.pop_first();
        }
        self.last.insert(key, ids);
        usage
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_a_conversation_repeats_is_cached_in_steps() {
        let mut counter = Counter::default();
        let rules = "The rules say that one two three four five six. ".repeat(200);
        let body = |key: &str, end: &str| {
            json!({"prompt_cache_key": key, "messages": [
            {"role": "system", "content": rules}, {"role": "user", "content": [{"type": "text", "text": end}]}]})
        };
        assert_eq!(counter.count(&body("a", "x"), "{}").cached, 0);
        let again = counter.count(&body("a", "y"), "{}");
        assert!(again.cached >= 1_024 && (again.cached - 1_024) % 128 == 0 && again.cached < again.prompt, "{again:?}");
        assert!(again.prompt - again.cached < 128 + 20);
        assert_eq!(counter.count(&body("b", "y"), "{}").cached, 0, "another conversation");
        let short = |end: &str| json!({"prompt_cache_key": "c", "messages": [{"role": "user", "content": end}]});
        counter.count(&short("hello"), "");
        assert_eq!(counter.count(&short("hello"), "").cached, 0, "too short to be kept");
    }
}
