//! Which messages a policy has answered, by conversation, so that it answers each once.

use std::collections::{BTreeMap, BTreeSet};

/// Conversations that are kept in mind, and messages of one.
const CONVERSATIONS_MAX: usize = 1_000;
const ANSWERED_MAX: usize = 500;

#[derive(Debug, Default)]
pub(super) struct Answered(BTreeMap<String, OfOne>);

/// What was answered in one conversation.
#[derive(Debug, Default)]
pub(super) struct OfOne(BTreeSet<u64>);

impl Answered {
    pub fn of(&mut self, conversation: &str) -> &mut OfOne {
        if !self.0.contains_key(conversation) && self.0.len() >= CONVERSATIONS_MAX {
            self.0.pop_first();
        }
        self.0.entry(conversation.to_string()).or_default()
    }
}

impl OfOne {
    pub fn has(&self, message: u64) -> bool {
        self.0.contains(&message)
    }

    pub fn add(&mut self, message: u64) {
        self.0.insert(message);
        if self.0.len() > ANSWERED_MAX {
            self.0.pop_first();
        }
    }
}
