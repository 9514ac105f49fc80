//! Lines that a person's client sent faster than they may be done. They wait here in their order, and are done as the
//! rate allows, so that a walk or a paste of some dozen lines loses nothing.
//!
//! Invariant: what does not find room is told, and what waits is never a secret that is shown.

use std::collections::VecDeque;
use tokio::time::Instant;
use world::commands::strip_secret;

/// So many may wait. A paste of a few dozen lines fits.
pub const LINES_MAX: usize = 50;
/// Of a line that is lost, so much is shown.
const SHOWN_CHARS: usize = 40;

#[derive(Default)]
pub struct WaitingLines {
    lines: VecDeque<String>,
    /// When the first of them may be done; `None`: now.
    due: Option<Instant>,
    /// Those that found no room since it was last told: how many, the first and the last.
    lost: Option<Lost>,
}

struct Lost {
    count: usize,
    first: String,
    last: String,
}

impl WaitingLines {
    /// As the program before left them.
    pub fn of(lines: Vec<String>) -> WaitingLines {
        WaitingLines { lines: lines.into(), ..WaitingLines::default() }
    }

    pub fn is_full(&self) -> bool {
        self.lines.len() >= LINES_MAX
    }

    pub fn push(&mut self, line: String) {
        if !self.is_full() {
            self.lines.push_back(line);
            return;
        }
        let line = shown(&line);
        if line.is_empty() {
            // It asks for a prompt, and one comes with the lines before it.
            return;
        }
        match &mut self.lost {
            None => self.lost = Some(Lost { count: 1, first: line.clone(), last: line }),
            Some(lost) => {
                lost.count += 1;
                lost.last = line;
            }
        }
    }

    /// The next that may be done now.
    pub fn pop(&mut self) -> Option<String> {
        match self.due {
            Some(due) if due > Instant::now() => None,
            _ => {
                self.due = None;
                self.lines.pop_front()
            }
        }
    }

    /// It came too fast, and is to be done next, at that time.
    pub fn put_back(&mut self, line: String, due: Instant) {
        self.lines.push_front(line);
        self.due = Some(due);
    }

    /// When there will be something to do; `None`: when a line comes.
    pub fn due(&self) -> Option<Instant> {
        self.due.filter(|_| !self.lines.is_empty())
    }

    /// Forgets all, and says how many they were.
    pub fn clear(&mut self) -> usize {
        self.due = None;
        std::mem::take(&mut self.lines).len()
    }

    /// What was lost since this was last asked, as a sentence for whoever typed it.
    pub fn tell_lost(&mut self) -> Option<String> {
        let Lost { count, first, last } = self.lost.take()?;
        Some(match count {
            1 => format!("{LINES_MAX} lines wait already. This one is lost: {first}"),
            _ => format!("{LINES_MAX} lines wait already. {count} more are lost, from \"{first}\" to \"{last}\"."),
        })
    }

    /// What waits, for whoever typed it; `None` where nothing does.
    pub fn list(&self) -> Option<String> {
        let mut text = match self.lines.len() {
            0 => return None,
            1 => "One line came too fast, and waits for its turn:".to_string(),
            count => format!("{count} lines came too fast, and wait for their turn:"),
        };
        for line in &self.lines {
            text.push_str("\n  ");
            text.push_str(&shown(line));
        }
        Some(text)
    }

    /// All that waits, for the next program.
    pub fn into_lines(self) -> Vec<String> {
        self.lines.into()
    }
}

/// The beginning of a line, without what is secret in it.
fn shown(line: &str) -> String {
    strip_secret(line).line.trim().chars().take(SHOWN_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_finds_no_room_is_told_once() {
        let mut waiting = WaitingLines::default();
        (0..LINES_MAX).for_each(|n| waiting.push(format!("say {n}")));
        waiting.push(" ".into());
        assert_eq!(waiting.tell_lost(), None);
        waiting.push("north".into());
        let told = waiting.tell_lost().expect("two lines are lost");
        assert_eq!(told, "50 lines wait already. This one is lost: north");
        waiting.push("password old new".into());
        waiting.push("east".into());
        waiting.push("look".into());
        let told = waiting.tell_lost().expect("two lines are lost");
        assert_eq!(told, "50 lines wait already. 3 more are lost, from \"password\" to \"look\".");
        assert_eq!(waiting.tell_lost(), None);
        assert_eq!(waiting.clear(), LINES_MAX);
        assert_eq!(waiting.list(), None);
    }

    #[test]
    fn a_line_that_came_too_fast_is_the_next_one() {
        let mut waiting = WaitingLines::of(vec!["a".into(), "b".into(), "password old new".into()]);
        let first = waiting.pop().expect("nothing holds it back");
        let due = Instant::now() + Duration::from_secs(60);
        waiting.put_back(first, due);
        assert_eq!((waiting.pop(), waiting.due()), (None, Some(due)));
        let listed = "3 lines came too fast, and wait for their turn:\n  a\n  b\n  password";
        assert_eq!(waiting.list().as_deref(), Some(listed));
        waiting.put_back("0".into(), Instant::now());
        assert_eq!(waiting.pop().as_deref(), Some("0"));
        assert_eq!(waiting.pop().as_deref(), Some("a"));
    }
}
