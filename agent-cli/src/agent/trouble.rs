//! What goes wrong, how full the prompts are and what they dropped, told to the agent's own log with the verbs
//! `trouble`, `context` and `compact fold`; and that what stood unread in channels was read.
//!
//! The log is the server's: only the client knows that a model failed or how large a prompt was. What is open is read
//! from the mind itself, by how our sentences begin, so that a trouble of an earlier session is solved in a later one.
//! Invariants: three identical failures make one trouble; there are never more than `OPEN_MAX` of ours, the oldest goes
//! for a new one; one line in `PACE_MS` at most leaves, none in a fight. What an endpoint wrote never goes to the game:
//! it may hold a key.

use crate::thought::ModelError;
use mind::state::{MindState, Trouble};
use mind::story::Span;
use protocol::names::clean_text;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// So many identical failures are a trouble. As many drop an action (`refused_actions::FAILURES_MAX`).
const FAILURES: u32 = crate::refused_actions::FAILURES_MAX;
/// Milliseconds from one line of ours to the next: by then the log has told of the last.
const PACE_MS: u64 = 5_000;
/// Troubles of ours that are open at a time.
const OPEN_MAX: usize = 6;
/// Lines that wait; more are left out.
const WAITING_MAX: usize = 8;
/// Failures that are counted; then it begins anew.
const COUNTED_MAX: usize = 200;
/// Characters of a command, a room's name and a reason in a trouble: together below the 300 of a line of the mind.
const LINE_CHARS: usize = 60;
const ROOM_CHARS: usize = 50;
const REASON_CHARS: usize = 110;
/// A prompt is measured in the log so often, and at a fold at least so long after the last time. The first ones of a
/// session say nothing yet.
const CONTEXT_MS: u64 = 10 * 60_000;
const CONTEXT_FOLD_MS: u64 = 60_000;
/// What is said to the server when a prompt told the newest of all channels.
const READ: &str = "channel seen";
/// How a trouble with the model begins.
const MODEL: &str = "The model failed ";

/// An action: what was typed, and the room.
type Action = (i32, String);

#[derive(Clone, PartialEq, Eq, Debug)]
enum Notice {
    /// A trouble, with how those begin that are about the same.
    Tell {
        about: About,
        text: String,
    },
    Over(About),
}

/// What a trouble is about: it is recognised by how it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
enum About {
    Action(Action),
    Model,
}

impl About {
    fn is_of(&self, trouble: &Trouble) -> bool {
        match self {
            About::Action((room, line)) => {
                trouble.message.starts_with(&format!("{:?} was refused ", shown(line, LINE_CHARS)))
                    && trouble.message.contains(&format!(" (room {room}): "))
            }
            About::Model => trouble.message.starts_with(MODEL),
        }
    }
}

/// One of those that are written here, whatever it is about.
fn is_ours(trouble: &Trouble) -> bool {
    let message = &trouble.message;
    message.starts_with(MODEL) || (message.starts_with('"') && message.contains("\" was refused "))
}

#[derive(Clone, Debug, Default)]
pub(super) struct Troubles {
    /// By action and reason.
    refused: BTreeMap<(Action, String), u32>,
    model_failed: u32,
    waiting: VecDeque<Notice>,
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
    /// The game refused a line. One's own mind's verbs and flight, which fails by chance, are no trouble.
    pub fn refused(&mut self, room: i32, room_name: &str, line: &str, reason: &str) {
        if !counts(line) {
            return;
        }
        if self.refused.len() >= COUNTED_MAX {
            self.refused.clear();
        }
        let action = (room, line.to_ascii_lowercase());
        let count = self.refused.entry((action.clone(), reason.to_string())).or_default();
        *count += 1;
        if *count == FAILURES {
            let (line, name) = (shown(&action.1, LINE_CHARS), shown(room_name, ROOM_CHARS));
            let reason = shown(reason, REASON_CHARS);
            let text = format!("{line:?} was refused {FAILURES} times in {name} (room {room}): {reason}");
            self.tell(About::Action(action), text);
        }
    }

    /// A line did what it should.
    pub fn went_well(&mut self, mind: &MindState, room: i32, line: &str) {
        if !counts(line) {
            return;
        }
        let action = (room, line.to_ascii_lowercase());
        self.refused.retain(|(other, _), _| *other != action);
        self.over(mind, About::Action(action));
    }

    pub fn model_failed(&mut self, error: &ModelError) {
        // Consequences of failures that were counted.
        if matches!(error, ModelError::Waiting(_) | ModelError::Resting(_)) {
            return;
        }
        self.model_failed += 1;
        if self.model_failed == FAILURES {
            let text = format!("{MODEL}{FAILURES} times on end: {}.", cause(error));
            self.tell(About::Model, text);
        }
    }

    pub fn model_went_well(&mut self, mind: &MindState) {
        self.model_failed = 0;
        self.over(mind, About::Model);
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

    fn tell(&mut self, about: About, text: String) {
        if self.waiting.len() < WAITING_MAX {
            self.waiting.push_back(Notice::Tell { about, text });
        }
    }

    fn over(&mut self, mind: &MindState, about: About) {
        let waited = self.waiting.len();
        self.waiting.retain(|waiting| !matches!(waiting, Notice::Tell { about: other, .. } if *other == about));
        let known = self.open(mind).any(|trouble| about.is_of(trouble)) && waited == self.waiting.len();
        let over = Notice::Over(about);
        if known && self.waiting.len() < WAITING_MAX && !self.waiting.contains(&over) {
            self.waiting.push_back(over);
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
        while let Some(waiting) = self.waiting.pop_front() {
            let over = match &waiting {
                Notice::Over(about) => self.open(mind).find(|trouble| about.is_of(trouble)),
                Notice::Tell { text, .. } => {
                    if self.open(mind).any(|trouble| trouble.message == *text) {
                        continue;
                    }
                    let ours: Vec<&Trouble> = self.open(mind).filter(|trouble| is_ours(trouble)).collect();
                    if ours.len() < OPEN_MAX {
                        return Some(("trouble", format!("trouble {text}")));
                    }
                    ours.first().copied()
                }
            };
            let Some(id) = over.map(|trouble| trouble.id) else { continue };
            self.said_over.insert(id);
            // There may be another of it; and what is new comes next.
            self.waiting.push_front(waiting);
            return Some(("trouble", format!("trouble solved {id}")));
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

fn counts(line: &str) -> bool {
    !is_own(line) && protocol::verbs::word_of(line) != "flee"
}

/// Clean, and not longer than that.
fn shown(text: &str, chars: usize) -> String {
    let text = clean_text(text);
    let mut text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = text.char_indices().nth(chars) {
        text.truncate(end);
        text.push('…');
    }
    text
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
        ModelError::Budget(what) => format!("the budget of {what} is used up"),
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
        sent: Vec<String>,
    }

    impl Scene {
        fn refuse(&mut self, room: i32, line: &str, times: u32) {
            for _ in 0..times {
                self.troubles.refused(room, "The Old Hall", line, "It seems to be locked.");
            }
        }

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
            self.sent.extend(sent.clone());
            sent
        }

        fn open(&self) -> Vec<&str> {
            self.mind.errors.iter().filter(|error| !error.resolved).map(|error| &*error.message).collect()
        }
    }

    const TOLD: &str = "\"open gate\" was refused 3 times in The Old Hall (room 7): It seems to be locked.";

    #[test]
    fn three_identical_refusals_are_one_trouble_until_the_same_works() {
        let mut scene = Scene::default();
        scene.refuse(7, "open gate", 2);
        scene.refuse(8, "open gate", 2);
        assert_eq!(scene.run(20_000), [""; 0], "twice is no trouble, and another room is another action");
        scene.refuse(7, "Open gate", 1);
        assert_eq!(scene.run(20_000), [format!("trouble {TOLD}")]);
        scene.refuse(7, "open gate", 30);
        assert_eq!(scene.run(20_000), [""; 0], "it is known");
        scene.troubles.went_well(&scene.mind, 8, "open gate");
        assert_eq!(scene.run(20_000), [""; 0]);
        scene.troubles.went_well(&scene.mind, 7, "open gate");
        scene.troubles.went_well(&scene.mind, 7, "open gate");
        assert_eq!(scene.run(20_000), ["trouble solved 1"]);
        assert_eq!(scene.open(), [""; 0]);
    }

    #[test]
    fn a_trouble_of_an_earlier_session_is_solved_in_this_one() {
        let mut scene = Scene::default();
        scene.refuse(7, "open gate", 3);
        scene.run(6_000);
        scene.troubles = Troubles::default();
        scene.troubles.went_well(&scene.mind, 7, "open gate");
        assert_eq!(scene.run(6_000), ["trouble solved 1"]);
    }

    #[test]
    fn what_works_before_it_was_told_is_not_told() {
        let mut scene = Scene::default();
        scene.refuse(7, "open gate", 3);
        scene.troubles.went_well(&scene.mind, 7, "open gate");
        assert_eq!(scene.run(20_000), [""; 0]);
    }

    #[test]
    fn troubles_are_few_slow_and_short() {
        let mut scene = Scene::default();
        for n in 0..40 {
            scene.refuse(n, &format!("give {} to the {}", "x".repeat(200), "y\u{1b}[2J".repeat(40)), 3);
        }
        let sent = scene.run(60_000);
        assert!(sent.len() <= 12, "{sent:#?}");
        for n in 40..60 {
            scene.refuse(n, "open gate", 3);
            scene.run(12_000);
            assert!(scene.open().len() <= OPEN_MAX, "{:#?}", scene.open());
        }
        assert!(scene.open().iter().all(|open| open.starts_with("\"open gate\"")), "the newest are kept");
        assert!(scene.sent.iter().all(|line| !line.contains(char::is_control) && line.chars().count() < 300));
        for line in ["trouble a b", "context 1", "flee"] {
            scene.refuse(7, line, 9);
        }
        assert_eq!(scene.run(60_000), [""; 0], "of these nothing is told");
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
