//! When a model is asked: as soon as something is new, else on a beat that grows while nothing changes, or in its own
//! rhythm (`Rhythm`).
//!
//! Questions cost money, and most moments need none: a sleeper has nothing to decide before it is rested. Invariants:
//! never two turns (`cycle`) begin within `think_ms`, but for who is written to in the steady rhythm; never longer than
//! `BEAT_MAX_MS`, or `LYING_BEAT_MS` for who lies (or `think_ms`, where that is longer), in the steady rhythm
//! `SKIPPED_MAX` beats, without one, but while an order of the model runs.

use super::settings::Rhythm;
use crate::policies::is_whole;
use crate::state::GameState;
use protocol::Outcome;
use protocol::outcome::WhoKind;

/// The longest time without a question while nothing changes.
pub(super) const BEAT_MAX_MS: u64 = 30_000;
/// The same for who lies: its strength comes back by itself, and that it is whole is news.
pub(super) const LYING_BEAT_MS: u64 = 60_000;
/// In the steady rhythm, so many beats pass at most while nothing is new.
pub(super) const SKIPPED_MAX: u64 = 12;
/// In the steady rhythm, a message to the agent is thought about so soon after the last thought.
pub(super) const ADDRESSED_MS: u64 = 1_000;
/// Lost since the last question, percent of the most hit points: that is news.
const HURT_PERCENT: i32 = 15;

/// Why a model is asked. The first of them that holds is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Why {
    /// It is the first question of this connection.
    Began,
    Died,
    SpokenTo,
    /// An order of the model ended: a delegation, a wait, a walk.
    OrderOver,
    Hurt,
    /// A fight began or ended.
    Fight,
    Level,
    /// What the model did came to its end: it went well, or was refused, or was not sent.
    Outcome,
    /// It came into another room.
    Arrived,
    /// Somebody came in.
    Company,
    /// Strength is whole again.
    Rested,
    /// The last question failed: whether the model answers again.
    Retry,
    /// The replies to what the model asked are there, and its turn goes on.
    Replies,
    /// Nothing is new.
    Beat,
}

impl Why {
    pub const fn name(self) -> &'static str {
        match self {
            Why::Began => "began",
            Why::Died => "died",
            Why::SpokenTo => "spoken_to",
            Why::OrderOver => "order_over",
            Why::Hurt => "hurt",
            Why::Fight => "fight",
            Why::Level => "level",
            Why::Outcome => "outcome",
            Why::Arrived => "arrived",
            Why::Company => "company",
            Why::Rested => "rested",
            Why::Retry => "retry",
            Why::Replies => "replies",
            Why::Beat => "beat",
        }
    }
}

/// How often a question may be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Pace {
    pub think_ms: u64,
    pub rhythm: Rhythm,
}

/// A question that may be asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Due {
    pub why: Why,
    pub since_ms: u64,
}

/// What the last question was asked about, as far as a change of it is news.
#[derive(Clone, PartialEq, Debug, Default)]
struct Moment {
    room: Option<i32>,
    fighting: bool,
    level: Option<i32>,
    whole: bool,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Attention {
    asked_ms: Option<u64>,
    /// From the last question to the next, if nothing is new.
    beat_ms: u64,
    news: Option<Why>,
    /// When there was first something new.
    news_ms: Option<u64>,
    /// Somebody wrote to the agent alone, where nothing cools down.
    addressed_ms: Option<u64>,
    addressed: bool,
    moment: Moment,
    /// The most hit points, in percent, since the last question.
    hp_percent: i32,
    failed: bool,
}

impl Attention {
    /// A new connection.
    pub fn on_connect(&mut self) {
        self.note(Why::Began);
    }

    /// Something is new.
    pub fn note(&mut self, why: Why) {
        self.news = Some(self.news.map_or(why, |news| news.min(why)));
    }

    /// Somebody wrote to the agent, and waits for what it says.
    pub fn address(&mut self) {
        self.note(Why::SpokenTo);
        self.addressed = true;
    }

    /// What is new so far is so since now: to be called after each frame.
    pub fn date(&mut self, now_ms: u64) {
        if self.news.is_some() {
            self.news_ms.get_or_insert(now_ms);
        }
        if self.addressed {
            self.addressed_ms.get_or_insert(now_ms);
        }
    }

    /// Variables came.
    pub fn observe(&mut self, state: &GameState) {
        let now =
            Moment { room: state.room_vnum, fighting: state.is_fighting(), level: state.level, whole: is_whole(state) };
        if now.room != self.moment.room && self.moment.room.is_some() {
            self.note(Why::Arrived);
        }
        if now.fighting != self.moment.fighting {
            self.note(Why::Fight);
        }
        if now.level > self.moment.level && self.moment.level.is_some() {
            self.note(Why::Level);
        }
        if now.whole && !self.moment.whole && lies(state) {
            self.note(Why::Rested);
        }
        self.moment = now;
        let hp_percent = state.hp_percent();
        if hp_percent + HURT_PERCENT <= self.hp_percent {
            self.note(Why::Hurt);
        }
        self.hp_percent = self.hp_percent.max(hp_percent);
    }

    /// Something happened.
    pub fn see(&mut self, state: &GameState, outcome: &Outcome) {
        match outcome {
            _ if is_spoken_to(state, outcome).is_some() => self.note(Why::SpokenTo),
            Outcome::Death { victim, .. } if state.is_me(victim) => self.note(Why::Died),
            // A street has people in it all day: who lies there is not asked about each.
            Outcome::Entered { who, .. } if !state.is_me(who) && (who.kind == WhoKind::Player || !lies(state)) => {
                self.note(Why::Company);
            }
            _ => {}
        }
    }

    /// Whether it is time to ask, why, and since when. `ordered`: an order of the model runs, so that only a word of
    /// somebody is news, and only where it may be answered meanwhile (`hears`).
    pub fn due(&self, pace: Pace, ordered: bool, hears: bool, now_ms: u64) -> Option<Due> {
        let Some(asked_ms) = self.asked_ms else {
            return Some(Due { why: Why::Began, since_ms: self.news_ms.unwrap_or(now_ms) });
        };
        let next_ms = asked_ms.saturating_add(pace.think_ms);
        let news = match self.news {
            Some(Why::SpokenTo) if ordered && hears => Some(Why::SpokenTo),
            _ if ordered => None,
            news => news,
        };
        let news_ms = self.news_ms.unwrap_or(now_ms);
        let soon_ms = asked_ms.saturating_add(ADDRESSED_MS.min(pace.think_ms));
        let addressed_ms = self.addressed_ms.filter(|_| pace.rhythm == Rhythm::Steady);
        let (why, since_ms) = match (news, addressed_ms) {
            (Some(why), Some(ms)) => (why, ms.max(soon_ms).min(news_ms.max(next_ms))),
            (Some(why), None) => (why, news_ms.max(next_ms)),
            (None, _) if ordered => return None,
            (None, _) if self.failed => (Why::Retry, next_ms),
            (None, _) => (Why::Beat, next_ms.max(asked_ms.saturating_add(self.beat_ms))),
        };
        (now_ms >= since_ms).then_some(Due { why, since_ms })
    }

    /// A question leaves.
    pub fn asked(&mut self, why: Why, state: &GameState, pace: Pace, now_ms: u64) {
        let Pace { think_ms, rhythm } = pace;
        let most = BEAT_MAX_MS.max(think_ms);
        self.beat_ms = match (rhythm, why) {
            (Rhythm::Steady, _) => think_ms.saturating_mul(SKIPPED_MAX + 1),
            (Rhythm::Growing, _) if lies(state) => LYING_BEAT_MS.max(think_ms),
            (Rhythm::Growing, Why::Beat) => self.beat_ms.saturating_mul(2).clamp(think_ms, most),
            (Rhythm::Growing, _) => think_ms,
        };
        self.asked_ms = Some(now_ms);
        (self.news, self.news_ms) = (None, None);
        (self.addressed, self.addressed_ms) = (false, None);
        self.hp_percent = state.hp_percent();
    }

    /// Whether the last question was answered.
    pub fn answered(&mut self, well: bool) {
        self.failed = !well;
    }
}

fn lies(state: &GameState) -> bool {
    matches!(state.position.as_deref(), Some("sleeping" | "resting" | "sitting"))
}

/// Who spoke to the agent, if somebody did: a player in earshot, or anybody who meant it alone or called it by name.
pub(super) fn is_spoken_to<'o>(state: &GameState, outcome: &'o Outcome) -> Option<&'o str> {
    let (speaker, spoken) = match outcome {
        Outcome::Said { speaker, channel, to, text, .. } => {
            let is_player = speaker.kind == WhoKind::Player;
            let spoken = match &**channel {
                "tell" | "whisper" | "ask" => to.as_ref().is_none_or(|to| state.is_me(to)),
                "say" | "emote" | "group" => is_player,
                _ => is_player && names(text, state.name()),
            };
            (speaker, spoken)
        }
        Outcome::Social { actor, victim: Some(victim), .. } => {
            (actor, actor.kind == WhoKind::Player && state.is_me(victim))
        }
        _ => return None,
    };
    (spoken && !state.is_me(speaker)).then_some(&*speaker.name)
}

fn names(text: &str, name: &str) -> bool {
    !name.is_empty() && text.split(|c: char| !c.is_alphanumeric()).any(|word| word.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(position: &'static str, moves: i32) -> GameState {
        GameState {
            health: Some(30),
            max_health: Some(30),
            moves: Some(moves),
            max_moves: Some(80),
            position: Some(position.into()),
            room_vnum: Some(1),
            level: Some(3),
            ..GameState::default()
        }
    }

    const FIVE: Pace = Pace { think_ms: 5_000, rhythm: Rhythm::Growing };

    /// Questions of two minutes in which nothing happens, in seconds.
    fn questions(state: &GameState, think_ms: u64, rhythm: Rhythm) -> Vec<u64> {
        let pace = Pace { think_ms, rhythm };
        let mut attention = Attention::default();
        let mut asked = Vec::new();
        for now_ms in (0..=120_000).step_by(250) {
            attention.observe(state);
            attention.date(now_ms);
            if let Some(due) = attention.due(pace, false, false, now_ms) {
                attention.asked(due.why, state, pace, now_ms);
                asked.push(now_ms / 1_000);
            }
        }
        asked
    }

    #[test]
    fn while_nothing_changes_the_beat_grows_to_half_a_minute() {
        // What is seen for the first time is news.
        let questions = |state: &GameState, think_ms| questions(state, think_ms, Rhythm::Growing);
        assert_eq!(questions(&state("standing", 80), 5_000), [0, 5, 15, 35, 65, 95]);
        assert_eq!(questions(&state("resting", 10), 5_000), [0, 60, 120]);
        assert_eq!(questions(&state("standing", 80), 50_000), [0, 50, 100], "who set it longer has it longer");
    }

    #[test]
    fn in_the_steady_rhythm_twelve_beats_in_a_row_are_skipped_and_the_next_is_not() {
        for position in ["standing", "resting"] {
            assert_eq!(questions(&state(position, 80), 5_000, Rhythm::Steady), [0, 65], "{position}");
            assert_eq!(questions(&state(position, 80), 3_000, Rhythm::Steady), [0, 39, 78, 117], "{position}");
        }
    }

    #[test]
    fn who_is_written_to_thinks_at_once_but_once_a_second_and_in_the_steady_rhythm_only() {
        let now = state("standing", 80);
        for (rhythm, written_ms, due_ms, why) in [
            (Rhythm::Steady, 12_000, 12_000, "at once"),
            (Rhythm::Steady, 10_200, 11_000, "not within a second of the last thought"),
            (Rhythm::Growing, 12_000, 15_000, "whoever set `think_ms` pays for no more"),
        ] {
            let (pace, mut attention) = (Pace { think_ms: 5_000, rhythm }, Attention::default());
            attention.observe(&now);
            attention.asked(Why::Began, &now, pace, 10_000);
            attention.observe(&now);
            attention.address();
            attention.date(written_ms);
            let first = (10_000..=20_000).find(|ms| attention.due(pace, false, false, *ms).is_some());
            assert_eq!(first, Some(due_ms), "{why}");
            let due = attention.due(pace, false, false, 20_000).expect("it is late");
            assert_eq!(due, Due { why: Why::SpokenTo, since_ms: due_ms }, "{why}");
            attention.asked(due.why, &now, pace, 20_000);
            assert_eq!(attention.due(pace, false, false, 21_500), None, "once for a message: {why}");
        }
        // While agents talk each other round, being written to is news as any other.
        let (pace, mut attention) = (Pace { think_ms: 5_000, rhythm: Rhythm::Steady }, Attention::default());
        attention.asked(Why::Began, &now, pace, 10_000);
        attention.note(Why::SpokenTo);
        attention.date(12_000);
        assert_eq!(attention.due(pace, false, false, 14_999), None);
        assert_eq!(attention.due(pace, false, false, 16_000), Some(Due { why: Why::SpokenTo, since_ms: 15_000 }));
    }

    #[test]
    fn what_is_new_is_asked_about_and_told() {
        let mut attention = Attention::default();
        let mut now = state("standing", 80);
        attention.observe(&now);
        let ask = |attention: &mut Attention, state: &GameState, at_ms: u64| {
            let why = attention.due(FIVE, false, false, at_ms).map(|due| due.why);
            why.inspect(|why| attention.asked(*why, state, FIVE, at_ms))
        };
        assert_eq!(ask(&mut attention, &now, 0), Some(Why::Began));
        now.room_vnum = Some(2);
        attention.observe(&now);
        assert_eq!(ask(&mut attention, &now, 4_000), None, "not so soon");
        assert_eq!(ask(&mut attention, &now, 5_000), Some(Why::Arrived));
        now.health = Some(28);
        attention.observe(&now);
        assert_eq!(ask(&mut attention, &now, 9_000), None, "a scratch");
        now.health = Some(24);
        attention.observe(&now);
        attention.note(Why::Company);
        assert_eq!(ask(&mut attention, &now, 10_000), Some(Why::Hurt), "what matters most");
        attention.answered(false);
        assert_eq!(ask(&mut attention, &now, 15_000), Some(Why::Retry));
        attention.answered(true);
        attention.note(Why::Arrived);
        assert_eq!(attention.due(FIVE, true, true, 99_000), None, "while an order runs, that is its business");
        attention.note(Why::SpokenTo);
        assert_eq!(attention.due(FIVE, true, true, 99_000).map(|due| due.why), Some(Why::SpokenTo));
        assert_eq!(attention.due(FIVE, true, false, 99_000), None);
    }
}
