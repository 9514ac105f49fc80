//! Where one is taught: who teaches, and the way there, as far as one met them or the game told.
//!
//! The game tells both in lines that can be typed: who asks to practise where nobody teaches reads
//! `help the lamp room`, and who types that reads `From here: south, 2 east`.

use super::Knowledge;
use crate::map::{Vnum, direction_of};
use crate::state::GameState;

/// Where the game knows nobody who teaches, or no way to them, it is not asked again before so long.
const ASK_AGAIN_MS: u64 = 600_000;
/// What stands before the verb and the name of a place, and what behind it.
const WAY_TO: (&str, &str) = ("(the way: ", ")");
const FROM_HERE: &str = "From here: ";
const NO_WAY: &str = "You know no short way there";

/// Somebody who teaches one's class.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Teacher {
    pub name: String,
    pub room: Vnum,
    pub room_name: String,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Lessons {
    /// Whom one met last.
    pub teacher: Option<Teacher>,
    /// What to type to be told the way.
    pub way_line: Option<String>,
    /// The way that was told last.
    pub told: Option<ToldWay>,
    /// Better than this, percent, nobody teaches one's class, as far as one was refused a lesson.
    pub most: Option<i32>,
    /// Nothing is asked before then.
    pub asked_until_ms: u64,
    /// The room where the way was asked last, until it is told.
    asked_in: Option<Vnum>,
}

/// From a room to the teacher, as the game tells it: its first step, and how many there are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToldWay {
    pub from: Vnum,
    pub step: &'static str,
    pub length: usize,
}

impl Lessons {
    /// A line leaves, in this room.
    pub(super) fn sent(&mut self, room: Vnum, line: &str) {
        if self.way_line.as_deref() == Some(line) {
            (self.asked_in, self.told) = (Some(room), None);
        }
    }

    /// `practice` was refused: nobody here teaches, or who does has no more to teach.
    pub(super) fn refused(&mut self, state: &GameState, art: &str, reason: &str, now_ms: u64) {
        if state.practices.as_ref().is_some_and(|practices| practices.teacher.is_some()) {
            let known = state.skills.iter().flatten().find(|known| *known.name == *art);
            self.most = known.map(|known| known.percent).or(self.most);
            return;
        }
        let line = reason.split_once(WAY_TO.0).and_then(|(_, rest)| rest.split_once(WAY_TO.1));
        match line {
            Some((line, _)) => self.way_line = Some(line.to_string()),
            None => self.asked_until_ms = now_ms + ASK_AGAIN_MS,
        }
    }

    pub(super) fn hear(&mut self, text: &str, now_ms: u64) {
        let Some(from) = self.asked_in else { return };
        if let Some((_, way)) = text.split_once(FROM_HERE) {
            self.asked_in = None;
            let way = way.split_once('.').map_or(way, |(way, _)| way);
            self.told = told(from, way);
        } else if text.contains(NO_WAY) {
            (self.asked_in, self.asked_until_ms) = (None, now_ms + ASK_AGAIN_MS);
        }
    }
}

/// `3 west, north, 2 up`.
fn told(from: Vnum, way: &str) -> Option<ToldWay> {
    let mut runs = Vec::new();
    for run in way.split(',') {
        let (times, step) = match run.trim().split_once(char::is_whitespace) {
            Some((times, step)) => (times.parse().ok()?, step.trim()),
            None => (1, run.trim()),
        };
        runs.push((times, direction_of(step)?));
    }
    let length = runs.iter().fold(0usize, |sum, (times, _)| sum.saturating_add(*times));
    runs.first().map(|(_, step)| ToldWay { from, step, length })
}

impl Knowledge {
    /// Who is met who teaches.
    pub(super) fn meet_teacher(&mut self, name: &str, room: Vnum, room_name: &str) {
        self.lessons.teacher = Some(Teacher { name: name.into(), room, room_name: room_name.into() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_way_to_a_teacher_is_read_from_what_the_game_says() {
        let mut lessons = Lessons::default();
        let nobody = "There is nobody here who could teach you. Orrin Vetch does, in the Lamp Room.";
        lessons.refused(&GameState::default(), "bolt", &format!("{nobody} (the way: help the lamp room)"), 1_000);
        assert_eq!((lessons.way_line.as_deref(), lessons.asked_until_ms), (Some("help the lamp room"), 0));
        // Said to nobody who asked, it is no answer.
        lessons.hear("From here: up.", 1_000);
        assert_eq!(lessons.told, None);
        lessons.sent(7, "help the lamp room");
        lessons.hear(
            "The Lamp Room\nLamps, none of them lit.\nFrom here: 3 west, north, 2 up.\nSee also: help map",
            1_000,
        );
        assert_eq!(lessons.told, Some(ToldWay { from: 7, step: "west", length: 6 }));
        lessons.hear("From here: up.", 1_000);
        assert_eq!(lessons.told.as_ref().map(|way| way.step), Some("west"));
        lessons.sent(8, "help the lamp room");
        assert_eq!(lessons.told, None);
        lessons.hear("You know no short way there from where you are.", 2_000);
        assert_eq!((lessons.told.clone(), lessons.asked_until_ms), (None, 602_000));
    }

    #[test]
    fn where_nobody_teaches_it_is_not_asked_again_at_once() {
        let mut lessons = Lessons::default();
        lessons.refused(&GameState::default(), "bolt", "There is nobody in the world who could teach you.", 5_000);
        assert_eq!((lessons.way_line, lessons.asked_until_ms), (None, 605_000));
    }

    #[test]
    fn what_is_no_way_leads_nowhere() {
        for way in ["", "west, then left", "many west", "99999999999999999999999 west"] {
            assert_eq!(told(1, way), None, "{way}");
        }
    }
}
