//! Going on with the stream of frames after a connection broke: where to, and which commands are sent again. Pure.
//!
//! The character stays in the world meanwhile, and what it saw comes behind the login (docs/PROTOCOL.md, *Coming back
//! without a gap*). Invariant: nothing is sent twice that the server took, and nothing that was wanted too long ago.

use protocol::ClientFrame;
use protocol::frame::{Command, Resume};
use protocol::payload::{Resumed, State};
use std::collections::VecDeque;

/// The feature of a login that asks for a stream.
pub const FEATURE: &str = "resume";
/// Commands that are kept to be sent again: as many as wait for an answer.
const SENT_MAX: usize = 32;
/// What was wanted before that is not wanted any more: the world has gone on.
const AGAIN_MS: u64 = 6_000;

#[derive(Debug, Default)]
pub struct Stream {
    /// As the server names it; `None`: it keeps none.
    name: Option<String>,
    /// With when they were sent; oldest first.
    sent: VecDeque<(u64, Command)>,
    /// A login asked for it, and nothing was answered yet.
    asked: bool,
}

impl Stream {
    /// For the login on a new connection, if there is something to go on with. `seq`: of the newest frame that came.
    pub fn ask(&mut self, seq: Option<u64>) -> Option<Resume> {
        let resume = self.name.clone().zip(seq).map(|(stream, seq)| Resume { stream, seq });
        self.asked = resume.is_some();
        resume
    }

    /// Whether it may still go on: until then nothing is sent, and nothing is over.
    pub fn is_asked(&self) -> bool {
        self.asked
    }

    /// A `state` came: another stream begins, or none.
    pub fn began(&mut self, state: &State) {
        *self = Stream { name: state.stream.clone(), ..Stream::default() };
    }

    /// It went on. Returns what is to be sent again.
    pub fn goes_on(&mut self, resumed: &Resumed, now_ms: u64) -> Vec<ClientFrame> {
        self.asked = false;
        let is_lost = |(sent_ms, command): &&(u64, Command)| {
            command.id.is_some_and(|id| id > resumed.last_command) && now_ms.saturating_sub(*sent_ms) < AGAIN_MS
        };
        self.sent.iter().filter(is_lost).map(|(_, command)| ClientFrame::Command(command.clone())).collect()
    }

    /// Something was sent, or is to be.
    pub fn sends(&mut self, frame: ClientFrame, now_ms: u64) {
        // Without a number of its own nobody can say whether it was taken.
        if let ClientFrame::Command(command) = frame
            && command.id.is_some()
            && self.name.is_some()
        {
            if self.sent.len() == SENT_MAX {
                self.sent.pop_front();
            }
            self.sent.push_back((now_ms, command));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(stream: Option<&str>) -> State {
        let numbers = ["health", "max_health", "level", "str", "int", "wis", "dex", "con", "cha"];
        let mut player: serde_json::Map<_, _> = numbers.iter().map(|name| (name.to_string(), 1.into())).collect();
        player.extend(["name", "class", "race"].map(|name| (name.to_string(), "Wren".into())));
        let mut room = serde_json::json!({"vnum": 1, "name": "A", "description": ""});
        for list in ["exits", "doors", "players", "mobs", "items"] {
            room[list] = serde_json::json!([]);
        }
        let state = serde_json::json!({"player": player, "room": room, "stream": stream});
        serde_json::from_value(state).expect("a state")
    }

    fn began() -> Stream {
        let mut stream = Stream::default();
        stream.began(&state(Some("ab")));
        stream
    }

    fn command(id: Option<u64>) -> ClientFrame {
        ClientFrame::Command(Command { command: "look".to_string(), id, ..Command::default() })
    }

    fn resumed(last_command: u64) -> Resumed {
        Resumed { stream: "ab".to_string(), missed: 0, last_command }
    }

    #[test]
    fn it_is_asked_for_where_the_server_keeps_one() {
        assert_eq!(Stream::default().ask(Some(3)), None);
        let mut stream = began();
        assert_eq!(stream.ask(None), None, "no frame came");
        assert!(!stream.is_asked());
        assert_eq!(stream.ask(Some(41)), Some(Resume { stream: "ab".to_string(), seq: 41 }));
        assert!(stream.is_asked());
        stream.goes_on(&resumed(0), 0);
        assert!(!stream.is_asked());
    }

    #[test]
    fn what_was_not_taken_and_is_still_wanted_is_sent_again_in_order() {
        let mut stream = began();
        for (id, at_ms) in [(Some(1), 0), (Some(2), 3_000), (None, 8_000), (Some(3), 8_000), (Some(4), 8_500)] {
            stream.sends(command(id), at_ms);
        }
        let again = |last, now_ms| stream_again(&stream, last, now_ms);
        assert_eq!(again(2, 9_000), [3, 4]);
        assert_eq!(again(0, 9_000), [3, 4], "the older ones are wanted no more");
        assert_eq!(again(4, 9_000), [0; 0]);
        stream.began(&state(None));
        stream.sends(command(Some(5)), 9_000);
        assert_eq!(stream_again(&stream, 0, 9_000), [0; 0], "this server keeps no stream");
    }

    fn stream_again(stream: &Stream, last_command: u64, now_ms: u64) -> Vec<u64> {
        let mut stream = Stream { name: stream.name.clone(), sent: stream.sent.clone(), asked: true };
        let again = stream.goes_on(&resumed(last_command), now_ms);
        let id = |frame: &ClientFrame| match frame {
            ClientFrame::Command(command) => command.id,
            _ => None,
        };
        again.iter().filter_map(id).collect()
    }

    #[test]
    fn only_the_newest_are_kept() {
        let mut stream = began();
        (1..=100).for_each(|id| stream.sends(command(Some(id)), 0));
        assert_eq!(stream_again(&stream, 0, 0), (69..=100).collect::<Vec<_>>());
    }
}
