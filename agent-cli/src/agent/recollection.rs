//! What comes to mind: when the situation changes, the agent asks the server what it remembers of it, in passing.
//!
//! A new room, somebody coming or going, an attack: it recalls what is here. Somebody speaks: it recalls them, and what
//! they speak of. What comes back stands in the next prompts, until the situation is another.
//! Invariants: a request is no action: it is paced, spends what the rate of commands has to spare, is no turn, and its
//! text is read by nobody, for the frame before it says the same. Nothing is asked of a server that does not say that
//! it can be asked. What others said goes into a question as letters and digits only.

use crate::knowledge::Knowledge;
use crate::state::GameState;
use protocol::Outcome;
use protocol::frame::Command;
use protocol::payload::Memory;
use std::collections::{BTreeSet, VecDeque};

/// From one request to the next, at least.
const PACE_MS: u64 = 3_000;
/// The model is asked after an answer that is so near.
const WAIT_MS: u64 = 250;
/// What somebody asks is looked up sooner, and waited for longer: whoever answers before it knows answers nothing.
const ASKED_PACE_MS: u64 = 500;
const ASKED_WAIT_MS: u64 = 1_000;
/// An answer that has not come by then will not.
const LATE_MS: u64 = 4_000;
/// Commands that the rate must have to spare.
pub(super) const SPARE: u64 = 3;
/// Questions that wait; of more, the oldest goes.
const WISHES_MAX: usize = 3;
/// Longest question, characters.
const WORDS_MAX: usize = 120;
/// Memories that are kept for prompts, which show as many as they have room for.
const KEPT_MAX: usize = 10;

/// What memories are recalled for. Names of people, kinds of mobs.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Situation {
    room: Option<i32>,
    fighting: bool,
    players: BTreeSet<String>,
    mobs: BTreeSet<i32>,
}

/// A request that is on its way.
#[derive(Clone, Debug)]
struct Open {
    words: String,
    sent_ms: u64,
    /// The model is asked after an answer that comes within so long.
    wait_ms: u64,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Recollection {
    situation: Situation,
    /// What is to be asked, oldest first; empty words ask of the moment.
    wishes: VecDeque<String>,
    /// The wish among them that is a question of somebody.
    question: Option<String>,
    /// Asked in this situation.
    asked: BTreeSet<String>,
    open: Option<Open>,
    /// The next line says in words what the frame said.
    echo: bool,
    last_ms: Option<u64>,
    /// Best first; of this situation.
    pub(super) memories: Vec<Memory>,
}

impl Recollection {
    /// A new connection: what was on its way is lost.
    pub(super) fn on_connect(&mut self) {
        *self = Recollection { last_ms: self.last_ms, ..Recollection::default() };
    }

    /// Variables came.
    pub(super) fn observe(&mut self, state: &GameState, known: &Knowledge) {
        let now = Situation {
            room: state.room_vnum,
            fighting: state.is_fighting(),
            players: known.players.clone(),
            mobs: state.mobs().iter().map(|mob| mob.vnum).collect(),
        };
        if now == self.situation {
            return;
        }
        // Whoever goes reminds of nothing new.
        let reminds = now.room != self.situation.room
            || now.fighting != self.situation.fighting
            || !now.players.is_subset(&self.situation.players)
            || !now.mobs.is_subset(&self.situation.mobs);
        if now.room != self.situation.room {
            self.memories.clear();
            self.wishes.clear();
            self.asked.clear();
        }
        self.situation = now;
        if reminds {
            self.asked.remove("");
            self.wish(String::new());
        }
    }

    /// Something happened: words of others are worth a question.
    pub(super) fn hear(&mut self, state: &GameState, outcome: &Outcome) {
        let Outcome::Said { speaker, text, .. } = outcome else { return };
        if !state.is_me(speaker) {
            self.hear_words(&speaker.name, text);
        }
    }

    /// The same of words that came as a message of a channel.
    pub(super) fn hear_words(&mut self, from: &str, text: &str) {
        // What is asked for is wanted before the answer, who asks may come after it.
        for words in [question(text), question(from)] {
            if !words.is_empty() {
                self.wish(words);
            }
        }
        let asked = question(text);
        if text.contains('?')
            && let Some(place) = self.wishes.iter().position(|wish| *wish == asked)
            && let Some(wish) = self.wishes.remove(place)
        {
            self.wishes.push_front(wish);
            self.question = Some(asked);
        }
    }

    /// Empty words are the moment; of a person's name or words nothing may be left, which then is no question.
    fn wish(&mut self, words: String) {
        if self.asked.contains(&words) || self.wishes.contains(&words) {
            return;
        }
        if self.wishes.len() == WISHES_MAX {
            self.wishes.pop_front();
        }
        self.wishes.push_back(words);
    }

    /// What to ask now, if anything; the caller sends it.
    pub(super) fn due(&mut self, now_ms: u64) -> Option<Command> {
        if self.open.as_ref().is_some_and(|open| now_ms >= open.sent_ms + LATE_MS) {
            self.open = None;
        }
        let is_asked = self.question.is_some() && self.wishes.front() == self.question.as_ref();
        let pace = if is_asked { ASKED_PACE_MS } else { PACE_MS };
        let paced = self.last_ms.is_none_or(|last| now_ms >= last + pace);
        if self.open.is_some() || !paced {
            return None;
        }
        let words = self.wishes.pop_front()?;
        self.asked.insert(words.clone());
        self.last_ms = Some(now_ms);
        if is_asked {
            self.question = None;
        }
        let wait_ms = if is_asked { ASKED_WAIT_MS } else { WAIT_MS };
        self.open = Some(Open { words: words.clone(), sent_ms: now_ms, wait_ms });
        let meta = Some(serde_json::json!({"source": "retrieval"}));
        let args = words.split_whitespace().map(str::to_string).collect();
        Some(Command { command: "recall".to_string(), args, id: None, meta })
    }

    /// Whether an answer is so near that the model had better be asked after it.
    pub(super) fn is_near(&self, now_ms: u64) -> bool {
        self.open.as_ref().is_some_and(|open| now_ms < open.sent_ms + open.wait_ms)
    }

    /// When the request went out that has no answer yet.
    pub(super) fn open_since(&self) -> Option<u64> {
        self.open.as_ref().map(|open| open.sent_ms)
    }

    /// The server dropped the request.
    pub(super) fn dropped(&mut self) {
        self.open = None;
    }

    /// An answer came: to the agent's own question, or to one of the model's, whose text it reads as that of any verb.
    pub(super) fn answered(&mut self, words: &str, memories: Vec<Memory>) {
        if self.open.take_if(|open| open.words == words).is_some() {
            self.echo = true;
        }
        let mut all = memories;
        let before = std::mem::take(&mut self.memories);
        let new: BTreeSet<String> = all.iter().map(|memory| memory.id.clone()).collect();
        all.extend(before.into_iter().filter(|memory| !new.contains(&memory.id)));
        all.truncate(KEPT_MAX);
        self.memories = all;
    }

    /// What happened from this entry of the log on stands in the transcript: memories of that alone are no news.
    pub(super) fn forget_since(&mut self, first: u64) {
        let is_older = |memory: &Memory| memory.evidence.is_empty() || memory.evidence.iter().any(|seq| *seq < first);
        self.memories.retain(is_older);
    }

    /// Whether a line that came is the answer's text, which nobody needs.
    pub(super) fn is_echo(&mut self) -> bool {
        std::mem::take(&mut self.echo)
    }
}

/// Words of somebody as a question: letters and digits of whole words.
fn question(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_alphanumeric() || c == '\'' { c } else { ' ' }).collect();
    let mut words = String::new();
    // A question is not to begin like `recall why`.
    for word in plain.split_whitespace().skip_while(|word| word.eq_ignore_ascii_case("why")) {
        if words.chars().count() + word.chars().count() >= WORDS_MAX {
            break;
        }
        if !words.is_empty() {
            words.push(' ');
        }
        words.push_str(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::question;

    #[test]
    fn what_others_say_is_asked_as_plain_words() {
        for (said, asked) in [
            ("Have you seen the iron key?", "Have you seen the iron key"),
            ("why event:17", "event 17"),
            ("; quit\n\u{1b}[2J say I'm done | kill Ann", "quit 2J say I'm done kill Ann"),
            ("  ", ""),
        ] {
            assert_eq!(question(said), asked, "{said:?}");
        }
        assert!(question(&"word ".repeat(200)).len() < 130);
        assert_eq!(question(&"x".repeat(500)), "");
    }
}
