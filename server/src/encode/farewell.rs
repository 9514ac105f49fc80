//! What a connection reads at its end, by the reason: people a sentence, programs an error and a code.

use crate::outbox::Close;
use protocol::code::{ErrorCode, close};
use std::borrow::Cow;

pub const RESTARTS: &str = "the server restarts";

/// How a WebSocket ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ending {
    pub code: u16,
    pub reason: &'static str,
    /// Sent in a frame before the end.
    pub error: Option<(ErrorCode, &'static str)>,
}

/// For people. `world`: what the world says to who leaves it. `call_again_s`: in so many seconds, where a restart ends
/// the connection; `None` where it keeps it, and nothing is said here because the next program goes on.
pub fn farewell(close: Close, world: &str, call_again_s: Option<u64>) -> Cow<'_, str> {
    let text = match close {
        Close::Quit => world,
        Close::Idle => "You have been away for too long. Your character has been put to rest.",
        Close::Removed => "The connection is closed.",
        Close::Revoked => "The key of this session was revoked. Goodbye.",
        Close::Retired => "This character has retired. Goodbye.",
        Close::TakenOver => "Your character was taken over by another connection.",
        Close::Stopping => "The world is going to sleep. Everything you have is safe. Come back soon.",
        Close::Restarting => return call_again_s.map_or(Cow::Borrowed(""), |seconds| Cow::Owned(after_blink(seconds))),
        Close::Overflow => "You read too slowly. Goodbye.",
    };
    Cow::Borrowed(text)
}

fn after_blink(seconds: u64) -> String {
    format!(
        "The world blinks. A sealed line does not outlast that: call again in {seconds} seconds, and you are where you \
         were."
    )
}

/// For programs. A restart has a frame of its own, which knows when to come back (`ServerFrame::restarting`).
pub fn ending(close: Close) -> Ending {
    let (code, reason, error) = match close {
        Close::Quit => (close::NORMAL, "quit", None),
        Close::Idle => (close::POLICY, "idle", Some((ErrorCode::Idle, "Nothing came from you for too long."))),
        Close::Removed => (close::NORMAL, "removed by the operator", None),
        Close::Revoked => (
            close::POLICY,
            "the key was revoked",
            Some((ErrorCode::KeyRevoked, "The key of this session was revoked: ask for a new one.")),
        ),
        Close::Retired => {
            (close::POLICY, "retired", Some((ErrorCode::Retired, "This agent was retired, and plays no more.")))
        }
        Close::TakenOver => (
            close::POLICY,
            "taken over",
            Some((ErrorCode::TakenOver, "Your character was taken over by another connection.")),
        ),
        Close::Stopping => {
            (close::GOING_AWAY, "the server is stopping", Some((ErrorCode::ShuttingDown, "The server is stopping.")))
        }
        Close::Restarting => (close::RESTART, RESTARTS, None),
        Close::Overflow => (
            close::TRY_AGAIN,
            "reading too slowly",
            Some((ErrorCode::SlowReader, "You read too slowly, and the queue is full.")),
        ),
    };
    Ending { code, reason, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_did_not_end_it_is_told_why() {
        for (close, has_error) in [
            (Close::Quit, false),
            (Close::Idle, true),
            (Close::Removed, false),
            (Close::Revoked, true),
            (Close::Retired, true),
            (Close::TakenOver, true),
            (Close::Stopping, true),
            (Close::Restarting, false),
            (Close::Overflow, true),
        ] {
            assert_eq!(ending(close).error.is_some(), has_error, "{close:?}");
            assert!(farewell(close, "Farewell.", Some(2)).ends_with('.'), "{close:?}");
        }
    }

    #[test]
    fn a_connection_that_outlives_the_restart_hears_nothing_of_an_end() {
        assert_eq!(farewell(Close::Restarting, "Farewell.", None), "");
        assert!(farewell(Close::Restarting, "Farewell.", Some(2)).contains("in 2 seconds"));
    }
}
