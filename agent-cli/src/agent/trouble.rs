//! What only the client knows of its trouble, told to the agent's own log: that its model fails, how full the prompts
//! are and what they dropped; and that what stood unread in channels was read. Verbs `trouble`, `context`,
//! `compact fold`.
//!
//! What the game refuses again and again the server notices by itself, and its end too (`mind::derive`). Invariants:
//! one line in `PACE_MS` at most leaves, none in a fight. What an endpoint wrote never goes to the game: it may hold a
//! key.

use crate::thought::ModelError;
use mind::state::{MindState, Trouble};
use mind::story::Span;
use std::collections::{BTreeSet, VecDeque};

/// So many failures on end are a trouble.
const FAILURES: u32 = 3;
/// Milliseconds from one line of ours to the next: by then the log has told of the last.
const PACE_MS: u64 = 5_000;
/// Lines that wait; more are left out.
const WAITING_MAX: usize = 8;
/// A prompt is measured in the log so often, and at a fold at least so long after the last time. The first ones of a
/// session say nothing yet.
const CONTEXT_MS: u64 = 10 * 60_000;
const CONTEXT_FOLD_MS: u64 = 60_000;
/// What is said to the server when a prompt told the newest of all channels.
const READ: &str = "channel seen";
/// How a trouble with the model begins: by this it is known again in a later session.
const MODEL: &str = "The model failed ";

#[derive(Clone, Debug, Default)]
pub(super) struct Troubles {
    model_failed: u32,
    /// That the model fails, until it is told.
    model: Option<String>,
    /// The trouble with the model that is over, until that is told.
    over: Option<u64>,
    told_ms: Option<u64>,
    /// Those that were said to be over on this connection: said once, whatever the log makes of it.
    said_over: BTreeSet<u64>,
    /// Folds that the log has not been told of, oldest first.
    folds: VecDeque<(Span, usize)>,
    context: Option<(usize, usize)>,
    /// Of the newest prompt.
    newest: Option<(usize, usize)>,
    /// When that was last told, or the first prompt was made.
    context_ms: Option<u64>,
    /// The server is to know that what it counts as unread was told in a prompt.
    read: bool,
    measured: bool,
}

impl Troubles {
    pub fn model_failed(&mut self, error: &ModelError) {
        // Consequences of failures that were counted.
        if matches!(error, ModelError::Waiting(_) | ModelError::Resting(_)) {
            return;
        }
        self.model_failed += 1;
        if self.model_failed == FAILURES {
            self.model = Some(format!("{MODEL}{FAILURES} times on end: {}.", cause(error)));
        }
    }

    pub fn model_went_well(&mut self, mind: &MindState) {
        (self.model_failed, self.model) = (0, None);
        let over = self.open(mind).find(|trouble| trouble.message.starts_with(MODEL)).map(|trouble| trouble.id);
        self.over = over;
    }

    /// A prompt was made, of so many tokens of so many.
    pub fn measured(&mut self, tokens: usize, budget: usize, folded: bool, now_ms: u64) {
        self.newest = Some((tokens, budget));
        let pause = if folded || !self.measured { CONTEXT_FOLD_MS } else { CONTEXT_MS };
        let last = *self.context_ms.get_or_insert(now_ms);
        if now_ms >= last + pause {
            (self.context_ms, self.measured) = (Some(now_ms), true);
            self.context = Some((tokens, budget));
        }
    }

    /// Tokens and budget of the newest prompt.
    pub fn newest(&self) -> Option<(usize, usize)> {
        self.newest
    }

    /// What stood unread in channels was told in a prompt.
    pub fn has_read(&mut self) {
        self.read = true;
    }

    /// A prompt was folded: these entries are in none any more, and what is told of them takes so many tokens.
    pub fn folded(&mut self, span: Span, tokens: usize) {
        if self.folds.back().is_none_or(|(last, _)| last.upto < span.from) {
            self.folds.push_back((span, tokens));
            self.folds.drain(..self.folds.len().saturating_sub(WAITING_MAX));
        }
    }

    /// The next line of ours, with the name it goes by in the records, if one may leave now.
    pub fn next(&mut self, mind: &MindState, now_ms: u64) -> Option<(&'static str, String)> {
        if self.told_ms.is_some_and(|last| now_ms < last + PACE_MS) {
            return None;
        }
        let (name, line) = self.line(mind)?;
        self.told_ms = Some(now_ms);
        Some((name, line))
    }

    /// A new connection: what the log has not heard may be said again.
    pub fn on_connect(&mut self) {
        self.said_over.clear();
    }

    fn open<'m>(&'m self, mind: &'m MindState) -> impl Iterator<Item = &'m Trouble> {
        mind.errors.iter().filter(|trouble| !trouble.resolved && !self.said_over.contains(&trouble.id))
    }

    fn line(&mut self, mind: &MindState) -> Option<(&'static str, String)> {
        if let Some(id) = self.over.take() {
            self.said_over.insert(id);
            return Some(("trouble", format!("trouble solved {id}")));
        }
        if let Some(text) = self.model.take()
            && !self.open(mind).any(|trouble| trouble.message == text)
        {
            return Some(("trouble", format!("trouble {text}")));
        }
        if std::mem::take(&mut self.read) {
            return Some(("read", READ.to_string()));
        }
        if let Some((Span { from, upto }, tokens)) = self.folds.pop_front() {
            return Some(("compact", format!("compact fold #{from}-#{upto} {tokens}")));
        }
        let (tokens, budget) = self.context.take()?;
        Some(("context", format!("context {tokens} of {budget}")))
    }
}

/// Whether a line is one of those that are written here: the model is not told of them as of its own actions.
pub(super) fn is_own(line: &str) -> bool {
    let known = matches!(protocol::verbs::word_of(line), "trouble" | "context");
    known || line == READ || line.starts_with("compact fold ")
}

/// In our own words.
pub(super) fn cause(error: &ModelError) -> String {
    match error {
        ModelError::Timeout(_) => "it took too long".to_string(),
        ModelError::Unreachable(_) => "its endpoint cannot be reached".to_string(),
        ModelError::Status { status, .. } => format!("its endpoint answered with status {status}"),
        ModelError::BrokenOff(_) => "the connection broke off in the middle of an answer".to_string(),
        ModelError::NoCompletion(_) => "its endpoint sent something that is no chat completion".to_string(),
        ModelError::Unusable(_) => "its answers could not be used".to_string(),
        ModelError::Budget(what) => format!("what is left of the budget of {what} is too little"),
        ModelError::Waiting(_) | ModelError::Resting(_) => "it is left alone for a while".to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use mind::{LogEntry, VerbRequest, edit};

    /// Troubles beside a mind that answers as the server's does.
    #[derive(Default)]
    struct Scene {
        troubles: Troubles,
        mind: MindState,
        now_ms: u64,
    }

    impl Scene {
        /// Sends what there is to send for that long.
        fn run(&mut self, ms: u64) -> Vec<String> {
            let mut sent = Vec::new();
            let end = self.now_ms + ms;
            while self.now_ms < end {
                if let Some((_, line)) = self.troubles.next(&self.mind, self.now_ms) {
                    let (verb, args) = line.split_once(' ').expect("a verb and its words");
                    let first = self.mind.seq + 1;
                    let asked = VerbRequest::new(verb, args, first, 1, 1);
                    let reply = edit::answer(&self.mind, &asked);
                    assert!(!reply.refused, "{line}: {}", reply.text);
                    for event in reply.events {
                        self.mind.project(&LogEntry { seq: first, tick: 1, at_ms: 0, input: 1, event });
                    }
                    sent.push(line);
                }
                self.now_ms += 250;
            }
            sent
        }
    }

    #[test]
    fn a_model_that_fails_is_a_trouble_without_the_words_of_its_endpoint() {
        let mut scene = Scene::default();
        let error = ModelError::Status { status: 401, message: "the key sk-secret is wrong".into() };
        for _ in 0..2 {
            scene.troubles.model_failed(&error);
            scene.troubles.model_failed(&ModelError::Resting(5));
        }
        assert_eq!(scene.run(9_000), [""; 0]);
        scene.troubles.model_failed(&error);
        let told = "The model failed 3 times on end: its endpoint answered with status 401.";
        assert_eq!(scene.run(9_000), [format!("trouble {told}")]);
        scene.troubles.model_went_well(&scene.mind);
        assert_eq!(scene.run(9_000), ["trouble solved 1"]);
    }

    #[test]
    fn the_server_is_told_once_that_what_it_counts_as_unread_was_read() {
        let (mut troubles, mind) = (Troubles::default(), MindState::default());
        troubles.has_read();
        troubles.has_read();
        let told: Vec<_> = (0..20).filter_map(|second| troubles.next(&mind, second * 1_000)).collect();
        assert_eq!(told, [("read", READ.to_string())]);
        assert!(is_own(READ) && !is_own("channel read"), "the model is not told of it");
    }

    #[test]
    fn prompts_are_measured_at_times_and_at_folds() {
        let mut scene = Scene::default();
        let mut sent = Vec::new();
        for n in 0..400u64 {
            scene.now_ms = n * 5_000;
            scene.troubles.measured(4_000 + n as usize, 10_000, n == 60, scene.now_ms);
            sent.extend(scene.troubles.next(&scene.mind, scene.now_ms));
        }
        let lines: Vec<&str> = sent.iter().map(|(_, line)| line.as_str()).collect();
        let wanted = ["context 4012 of 10000", "context 4060 of 10000", "context 4180 of 10000"];
        assert_eq!(lines[..3], wanted, "after a minute, at the fold, and ten minutes later");
        assert_eq!(lines.len(), 4);
    }
}
