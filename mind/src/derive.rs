//! What the server finds out about a character by itself, for its log: what it tries in vain, and what it is occupied
//! with, and how full its client's context is. A client need tell none of it.
//!
//! Pure rules over commands that were run. What comes of them are lines of the mind, which reach the log as any other
//! does, by an input of the world: so a replay and a fork have them without asking again, and nothing here need be
//! kept. Invariant: at most `DERIVED_MAX` lines leave in a minute, whatever is typed.

use crate::focus::{Attention, Focus, How, Subject};
use crate::measure::Measure;
use crate::state::MindState;
use protocol::names::clean_text;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, VecDeque};

/// So many identical refusals are a trouble.
pub const REFUSALS: u32 = 3;
/// Lines of a minute, and its ticks.
pub const DERIVED_MAX: usize = 12;
pub const MINUTE_TICKS: u64 = 30;
/// Of those lines, so many are left to what goes wrong when much is touched.
const KEPT_FOR_TROUBLE: usize = 4;
/// Lines that are counted; then it begins anew.
const COUNTED_MAX: usize = 64;
/// Characters of a command, a room's name and a reason in a trouble: together below the 300 of a line of the mind.
const LINE_CHARS: usize = 60;
const ROOM_CHARS: usize = 50;
const REASON_CHARS: usize = 110;
/// Behind the line of a trouble, with `REFUSALS`: by this it is known again.
const TOLD: &str = " was refused 3 times in ";
/// Refusals that are open at a time: the oldest goes for a new one.
pub const OPEN_MAX: usize = 6;
/// Facts or patterns of the most, in percent, above which a login tidies.
const TIDY_PERCENT: usize = 80;

/// A command that was run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ran<'r> {
    pub word: &'r str,
    pub args: &'r str,
    /// Where it was typed: vnum and name.
    pub room: i32,
    pub room_name: &'r str,
    /// The sentence with which it was refused.
    pub refused: Option<&'r str>,
    pub tick: u64,
}

/// A line of the mind.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Derived {
    pub verb: &'static str,
    pub args: String,
}

/// What is known of one session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Deriver {
    /// By room and line: the reason, and how often it was given on end.
    refused: BTreeMap<(i32, String), (String, u32)>,
    /// Refusals that the log has as open troubles, the oldest first.
    open: VecDeque<String>,
    /// The ticks of the newest lines, oldest first.
    derived: Vec<u64>,
    attention: Attention,
    measure: Measure,
}

impl Deriver {
    /// Takes a command in, and tells what follows.
    pub fn take(&mut self, ran: &Ran) -> Vec<Derived> {
        // Flight fails by chance, what lies there is soon somebody else's, and the mind's own verbs answer for
        // themselves.
        if matches!(ran.word, "flee" | "get") {
            return Vec::new();
        }
        let key = (ran.room, counted_as(&format!("{} {}", ran.word, ran.args)));
        let Some(reason) = ran.refused else {
            self.refused.remove(&key);
            return self.works(&format!("{:?}", key.1), ran);
        };
        if self.refused.len() >= COUNTED_MAX && !self.refused.contains_key(&key) {
            self.refused.clear();
        }
        let known = self.refused.entry(key.clone()).or_default();
        let count = if known.0 == reason { known.1 + 1 } else { 1 };
        *known = (reason.to_string(), count);
        if count != REFUSALS {
            return Vec::new();
        }
        let (name, reason) = (shown(ran.room_name, ROOM_CHARS), shown(reason, REASON_CHARS));
        let message = format!("{:?}{TOLD}{name} (room {}): {reason}", key.1, ran.room);
        let mut lines = Vec::new();
        if !self.open.contains(&message) && self.may_leave(ran.tick) {
            lines.push(trouble(message.clone()));
            self.open.push_back(message);
        }
        while self.open.len() > OPEN_MAX && self.may_leave(ran.tick) {
            lines.extend(self.open.pop_front().as_deref().and_then(solved));
        }
        lines
    }

    /// A line, in quotation marks, did what it should: what was open of it is over.
    fn works(&mut self, line: &str, ran: &Ran) -> Vec<Derived> {
        let mut lines = Vec::new();
        while let Some(at) = self.open.iter().position(|open| refusal(open) == Some((line, ran.room)))
            && self.may_leave(ran.tick)
        {
            lines.extend(self.open.remove(at).as_deref().and_then(solved));
        }
        lines
    }

    /// Of a session whose client tells nothing itself, and is measured so.
    pub fn measuring(measure: Measure) -> Deriver {
        Deriver { measure, ..Deriver::default() }
    }

    /// The character typed a line, whatever came of it.
    pub fn typed(&mut self, word: &str, args: &str) {
        self.measure.typed(word, args);
        // It may have let go by itself of what it was occupied with.
        if matches!(word, "focus" | "batch") {
            self.attention.doubt();
        }
    }

    /// So many bytes were sent in all.
    pub fn measure(&mut self, sent: u64, tick: u64) -> Vec<Derived> {
        self.derived.retain(|then| then + MINUTE_TICKS > tick);
        let left = DERIVED_MAX - self.derived.len();
        let lines = self.measure.look(sent, tick, |lines| lines <= left);
        self.derived.extend(lines.iter().map(|_| tick));
        lines.into_iter().map(|(verb, args)| Derived { verb, args }).collect()
    }

    /// The character looked at something, handled or named it.
    pub fn touch(&mut self, subject: &Subject, how: How, tick: u64) -> Vec<Derived> {
        let left = self.left_for_focus(tick);
        let lines = self.attention.touch(subject, how, tick, |lines| lines <= left);
        self.of_focus(lines, tick)
    }

    /// What nobody touched for long is closed.
    pub fn close_old(&mut self, tick: u64) -> Vec<Derived> {
        let mut left = self.left_for_focus(tick);
        let lines = self.attention.close_old(tick, || {
            let may = left > 0;
            left = left.saturating_sub(1);
            may
        });
        self.of_focus(lines, tick)
    }

    /// What the log told to be open when the session began; what came since is known better here.
    pub fn resume(&mut self, found: &Open) {
        self.attention.resume(&found.focus);
        for message in found.refusals.iter().rev() {
            if !self.open.contains(message) {
                self.open.push_front(message.clone());
            }
        }
    }

    fn of_focus(&mut self, lines: Vec<String>, tick: u64) -> Vec<Derived> {
        self.derived.extend(lines.iter().map(|_| tick));
        lines.into_iter().map(|args| Derived { verb: "focus", args }).collect()
    }

    fn left_for_focus(&mut self, tick: u64) -> usize {
        self.derived.retain(|then| then + MINUTE_TICKS > tick);
        (DERIVED_MAX - KEPT_FOR_TROUBLE).saturating_sub(self.derived.len())
    }

    fn may_leave(&mut self, tick: u64) -> bool {
        self.derived.retain(|then| then + MINUTE_TICKS > tick);
        let may = self.derived.len() < DERIVED_MAX;
        if may {
            self.derived.push(tick);
        }
        may
    }
}

/// What a session finds open in the log of its mind.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Open {
    pub focus: Vec<Focus>,
    /// Troubles that are refusals, as they are told; the oldest first.
    pub refusals: Vec<String>,
}

impl Open {
    pub fn of(state: &MindState) -> Open {
        let open = state.errors.iter().filter(|error| !error.resolved && refusal(&error.message).is_some());
        Open { focus: state.focus.clone(), refusals: open.map(|error| error.message.clone()).collect() }
    }

    pub fn is_empty(&self) -> bool {
        self.focus.is_empty() && self.refusals.is_empty()
    }
}

fn trouble(args: String) -> Derived {
    Derived { verb: "trouble", args }
}

/// Ends a trouble of ours whose number nobody knows: `solved "open gate" (room 7)`.
fn solved(message: &str) -> Option<Derived> {
    let (line, room) = refusal(message)?;
    Some(trouble(format!("solved {line} (room {room})")))
}

/// The line, in quotation marks, and the room of a trouble that was noticed here; `None`: it is another.
fn refusal(message: &str) -> Option<(&str, i32)> {
    let (line, rest) = message.split_once(TOLD).filter(|_| message.starts_with('"'))?;
    let (_, rest) = rest.split_once(" (room ")?;
    let (room, _) = rest.split_once("): ")?;
    Some((line, room.parse().ok()?))
}

/// The open trouble that `trouble solved "open gate" (room 7)` means.
pub fn trouble_of(state: &MindState, words: &str) -> Option<u64> {
    let (line, room) = words.rsplit_once(" (room ")?;
    let room: i32 = room.strip_suffix(')')?.parse().ok()?;
    let is_it = |message: &str| refusal(message) == Some((line, room));
    state.errors.iter().find(|error| !error.resolved && is_it(&error.message)).map(|error| error.id)
}

/// A line as it is counted and told.
fn counted_as(line: &str) -> String {
    shown(&line.to_lowercase(), LINE_CHARS)
}

/// Whether a login is to tidy: facts or patterns fill their list by so much, and some say the same.
pub fn tidies(state: &MindState) -> bool {
    let session = &state.session;
    let fills = |count: usize, most: usize| count * 100 > most * TIDY_PERCENT;
    let full = fills(session.key_facts.len(), crate::session::FACTS_MAX)
        || fills(session.learned_patterns.len(), crate::session::PATTERNS_MAX);
    full && !session.duplicates().is_empty()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Event, LogEntry, VerbRequest, edit};

    fn ran<'r>(line: &'r str, room: i32, refused: Option<&'r str>, tick: u64) -> Ran<'r> {
        let (word, args) = line.split_once(' ').unwrap_or((line, ""));
        Ran { word, args, room, room_name: "The Old Hall", refused, tick }
    }

    const LOCKED: Option<&str> = Some("It seems to be locked.");
    const MESSAGE: &str = "\"open gate\" was refused 3 times in The Old Hall (room 7): It seems to be locked.";

    /// The mind after a derived line, as the server answers it.
    fn noted(state: &mut MindState, derived: &Derived) -> Vec<Event> {
        let first = state.seq + 1;
        let reply = edit::answer(state, &VerbRequest::new(derived.verb, &derived.args, first, 2, 1));
        assert!(!reply.refused, "{derived:?}: {}", reply.text);
        for event in &reply.events {
            state.project(&LogEntry { seq: first, tick: 1, at_ms: 0, input: 1, event: event.clone() });
        }
        reply.events
    }

    #[test]
    fn three_identical_refusals_make_a_trouble_and_a_success_ends_it() {
        let (mut deriver, mut mind) = (Deriver::default(), MindState::default());
        for line in ["open gate", "Open gate"] {
            assert_eq!(deriver.take(&ran(line, 7, LOCKED, 1)), []);
        }
        assert_eq!(deriver.take(&ran("open gate", 8, LOCKED, 1)), [], "another room is another line");
        let told = deriver.take(&ran("open gate", 7, LOCKED, 2));
        assert_eq!(told, [Derived { verb: "trouble", args: MESSAGE.to_string() }]);
        assert_eq!(noted(&mut mind, &told[0]), [Event::ErrorEncountered { message: MESSAGE.to_string() }]);
        assert_eq!(deriver.take(&ran("open gate", 7, LOCKED, 3)), [], "it is known");
        assert_eq!(deriver.take(&ran("open gate", 8, None, 3)), []);
        let over = deriver.take(&ran("open gate", 7, None, 4));
        assert_eq!(noted(&mut mind, &over[0]), [Event::ErrorResolved { id: 1 }]);
        assert_eq!(deriver.take(&ran("open gate", 7, None, 5)), [], "once");
    }

    #[test]
    fn what_an_earlier_session_left_open_is_over_when_it_works_and_is_not_told_again() {
        let (mut deriver, mut mind) = (Deriver::default(), MindState::default());
        let refuse = |deriver: &mut Deriver, mind: &mut MindState, reason: &str, tick: u64| {
            let lines: Vec<Derived> =
                (0..REFUSALS).flat_map(|_| deriver.take(&ran("open gate", 7, Some(reason), tick))).collect();
            lines.iter().for_each(|line| drop(noted(mind, line)));
            lines.len()
        };
        assert_eq!(refuse(&mut deriver, &mut mind, "It seems to be locked.", 1), 1);
        assert_eq!(refuse(&mut deriver, &mut mind, "Your hands are full.", 2), 1);
        let own = Event::ErrorEncountered { message: "\"open gate\" was refused to me.".into() };
        mind.project(&LogEntry { seq: mind.seq + 1, tick: 2, at_ms: 0, input: 1, event: own });
        let open = Open::of(&mind);
        assert_eq!(open.refusals.len(), 2, "{open:?}");
        deriver = Deriver::default();
        assert_eq!(deriver.take(&ran("open gate", 7, None, 100)), [], "nobody told it of them yet");
        deriver.resume(&open);
        deriver.resume(&open);
        assert_eq!(refuse(&mut deriver, &mut mind, "It seems to be locked.", 101), 0);
        for other in [ran("open gate", 8, None, 102), ran("open door", 7, None, 102)] {
            assert_eq!(deriver.take(&other), []);
        }
        for line in deriver.take(&ran("Open  gate", 7, None, 103)) {
            noted(&mut mind, &line);
        }
        assert!(
            Open::of(&mind).is_empty() && mind.errors.iter().any(|error| !error.resolved),
            "its own it ends itself"
        );
        assert_eq!(deriver.take(&ran("open gate", 7, None, 104)), []);
    }

    #[test]
    fn few_refusals_stay_open_and_the_oldest_go_first() {
        let (mut deriver, mut mind) = (Deriver::default(), MindState::default());
        for room in 1..=9 {
            for _ in 0..REFUSALS {
                for line in deriver.take(&ran("open gate", room, LOCKED, 100 * room as u64)) {
                    noted(&mut mind, &line);
                }
            }
        }
        let open: Vec<u64> = mind.errors.iter().filter(|error| !error.resolved).map(|error| error.id).collect();
        assert_eq!(open.len(), OPEN_MAX);
        assert!(mind.errors.iter().filter(|error| error.resolved).all(|error| error.id < open[0]));
    }

    #[test]
    fn another_reason_begins_anew_and_flight_is_no_trouble() {
        let mut deriver = Deriver::default();
        for (n, reason) in ["It is too hot.", "Your jaw is locked."].into_iter().cycle().take(20).enumerate() {
            assert_eq!(deriver.take(&ran("eat bread", 1, Some(reason), n as u64)), []);
        }
        for tick in 0..9 {
            assert_eq!(deriver.take(&ran("flee", 1, Some("You fail."), tick)), []);
            assert_eq!(deriver.take(&ran("get", 1, Some("There is nothing in the corpse."), tick)), []);
        }
    }

    #[test]
    fn no_flood_writes_more_than_twelve_lines_a_minute_nor_long_ones() {
        let mut deriver = Deriver::default();
        let (mut minute, mut all) = (0, 0);
        for n in 0..3_000_u64 {
            let line = format!("give {}{} \u{1b}[2J{}", "x".repeat(200), n / 3, "y".repeat(300));
            let line = if n % 2 == 0 { format!("open {}", n / 6) } else { line };
            for _ in 0..REFUSALS {
                for derived in deriver.take(&ran(&line, 7, LOCKED, n / 100)) {
                    assert!(derived.args.chars().count() < 300 && !derived.args.contains(char::is_control));
                    all += 1;
                    minute += u64::from(n / 100 < MINUTE_TICKS);
                }
            }
        }
        assert_eq!((minute, all), (DERIVED_MAX as u64, DERIVED_MAX), "thirty ticks are one minute");
        assert!(deriver.refused.len() <= COUNTED_MAX);
    }

    #[test]
    fn whatever_is_touched_leaves_room_for_what_goes_wrong() {
        let (mut deriver, mut mind) = (Deriver::default(), MindState::default());
        let mut told = 0;
        for n in 0..600_u64 {
            let subject = Subject::topic(&format!("t{n}")).expect("letters");
            let lines = deriver.touch(&subject, How::ALL[n as usize % 3], n / 20);
            told += lines.len();
            for line in &lines {
                noted(&mut mind, line);
            }
            assert!(mind.focus.len() <= crate::focus::FOCUS_MAX);
        }
        assert_eq!(told, DERIVED_MAX - KEPT_FOR_TROUBLE, "thirty ticks are one minute");
        for tick in 27..30 {
            assert_eq!(deriver.take(&ran("open gate", 7, LOCKED, tick)).is_empty(), tick != 29);
        }
        let (mut closed, mut tick) = (0, 330);
        while closed < 8 {
            let lines = deriver.close_old(tick);
            closed += lines.len();
            for line in &lines {
                noted(&mut mind, line);
            }
            tick += 1;
        }
        assert_eq!((mind.focus.len(), tick), (0, 331));
    }

    #[test]
    fn a_login_tidies_lists_above_four_fifths_where_something_says_the_same() {
        let mut mind = MindState::default();
        let add = |mind: &mut MindState, seq: u64, text: String| {
            mind.project(&LogEntry { seq, tick: 1, at_ms: 0, input: 1, event: Event::FactAdd { text } });
        };
        for n in 1..=48 {
            add(&mut mind, n, format!("Room {n} has {n} doors."));
        }
        add(&mut mind, 49, "Room 3 has 3 doors".into());
        mind.project(&LogEntry { seq: 50, tick: 1, at_ms: 0, input: 1, event: Event::FactRemove { id: 9 } });
        assert!(!tidies(&mind), "48 of 60 are four fifths");
        add(&mut mind, 51, "The mill is closed.".into());
        assert!(tidies(&mind));
        noted(&mut mind, &Derived { verb: "tidy", args: String::new() });
        assert!(!tidies(&mind), "nothing says the same any more");
    }
}
