//! The codes of `error` frames: what went wrong, for programs. The sentence beside it is for people.
//!
//! Codes are stable: they are added, never renamed. The table below is also the one in `docs/PROTOCOL.md`.
//! What the *game* refuses ("You see no goblin here.") is an event, never an error.

use serde::{Deserialize, Serialize};

/// What is wrong, in a word that programs may compare.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    BadJson,
    UnknownType,
    BadField,
    NotLoggedIn,
    AlreadyLoggedIn,
    BadLogin,
    KeyRevoked,
    NameRefused,
    InUse,
    Retired,
    NoAgent,
    Held,
    RateLimited,
    LockedOut,
    TooLarge,
    BinaryFrame,
    UnknownVariable,
    AgentsOnly,
    NoCreation,
    QueueFull,
    TooManyConnections,
    ServerFull,
    LoginTimeout,
    Idle,
    SlowReader,
    TakenOver,
    ShuttingDown,
    Restarting,
    Internal,
    /// A code that this build does not know. Only a client meets it; the server never sends it.
    #[default]
    #[serde(other)]
    Other,
}

/// WebSocket close codes in use (RFC 6455 §7.4.1 and the IANA registry).
pub mod close {
    /// The player quit, or the key was revoked after the error said so.
    pub const NORMAL: u16 = 1000;
    /// The server ends.
    pub const GOING_AWAY: u16 = 1001;
    /// A limit or a time-out, named by the `error` frame before it; or the character was taken over.
    pub const POLICY: u16 = 1008;
    /// A frame too large to be read past.
    pub const TOO_BIG: u16 = 1009;
    /// The server restarts and will be back in seconds.
    pub const RESTART: u16 = 1012;
    /// No room now; try again with a growing pause.
    pub const TRY_AGAIN: u16 = 1013;
}

/// A row of the table of codes.
pub struct CodeRow {
    pub code: ErrorCode,
    /// The word on the wire.
    pub name: &'static str,
    pub meaning: &'static str,
    pub what_to_do: &'static str,
    /// The close code that follows the frame; `None`: the session lives.
    pub close: Option<u16>,
}

const fn row(
    code: ErrorCode,
    name: &'static str,
    meaning: &'static str,
    what_to_do: &'static str,
    close: Option<u16>,
) -> CodeRow {
    CodeRow { code, name, meaning, what_to_do, close }
}

/// Every code that the server sends, in the order of the document.
pub const CODES: &[CodeRow] = {
    use ErrorCode::*;
    &[
        row(BadJson, "bad_json", "The text is not one JSON object.", "Send one object per frame.", None),
        row(UnknownType, "unknown_type", "No such message type.", "Use one of the types that the message lists.", None),
        row(
            BadField,
            "bad_field",
            "A field is missing or of the wrong type.",
            "The message names the field and what was expected.",
            None,
        ),
        row(NotLoggedIn, "not_logged_in", "That needs a character.", "Send `login` first.", None),
        row(
            AlreadyLoggedIn,
            "already_logged_in",
            "This connection already has a character.",
            "Open a second connection for another one.",
            None,
        ),
        row(
            BadLogin,
            "bad_login",
            "Unknown name, wrong password, key or token.",
            "Correct it; ten failures in a row lock the address out.",
            None,
        ),
        row(KeyRevoked, "key_revoked", "The key was revoked.", "Ask for a new key.", Some(close::POLICY)),
        row(
            NameRefused,
            "name_refused",
            "The name cannot be used, or is taken.",
            "Choose another; the message says why.",
            None,
        ),
        row(
            InUse,
            "in_use",
            "Another connection plays the character, and the login said `\"takeover\": false`, or it was a claim.",
            "Wait until it is free, or log in without that to take it over.",
            None,
        ),
        row(
            Retired,
            "retired",
            "The agent plays no more: its login or your claim is refused. A session that this ends is closed with 1008.",
            "Leave it alone until it is restored.",
            None,
        ),
        row(NoAgent, "no_agent", "The owner has no agent of this id.", "Claim one that `agents` lists.", None),
        row(
            Held,
            "held",
            "Another host holds the agent, or held it until a moment ago.",
            "Claim it again after `retry_after_ms`, if nobody plays it then.",
            None,
        ),
        row(
            RateLimited,
            "rate_limited",
            "Too many commands or logins per second; this one was dropped.",
            "Slow down and send it again.",
            None,
        ),
        row(
            LockedOut,
            "locked_out",
            "Too many failed logins from this address.",
            "Wait as long as the message says.",
            Some(close::POLICY),
        ),
        row(
            TooLarge,
            "too_large",
            "The frame is larger than the limit; it was not read.",
            "Send less. A frame too large to skip also closes the connection with 1009.",
            None,
        ),
        row(BinaryFrame, "binary_frame", "Binary frames are not read.", "Send JSON in text frames.", None),
        row(
            UnknownVariable,
            "unknown_variable",
            "Some names in `subscribe` are unknown; the message lists them.",
            "Correct them; the other names count.",
            None,
        ),
        row(
            AgentsOnly,
            "agents_only",
            "Only agents may do that, and who has the feature `vars`.",
            "Log in with `\"is_agent\": true`, or with that feature.",
            None,
        ),
        row(NoCreation, "no_creation", "`char_input` outside character creation.", "Send `command` instead.", None),
        row(
            QueueFull,
            "queue_full",
            "Too many commands wait for this character; this one was dropped.",
            "Wait for answers before sending more.",
            None,
        ),
        row(
            TooManyConnections,
            "too_many_connections",
            "Too many connections from this address.",
            "Close some.",
            Some(close::POLICY),
        ),
        row(
            ServerFull,
            "server_full",
            "The server takes no more connections now.",
            "Try again, with a growing pause.",
            Some(close::TRY_AGAIN),
        ),
        row(
            LoginTimeout,
            "login_timeout",
            "No login came in time.",
            "Send `login` right after connecting.",
            Some(close::POLICY),
        ),
        row(Idle, "idle", "Nothing came for too long.", "Connect again.", Some(close::POLICY)),
        row(
            SlowReader,
            "slow_reader",
            "You read too slowly, and the queue is full.",
            "Read all the time; connect again.",
            Some(close::TRY_AGAIN),
        ),
        row(
            TakenOver,
            "taken_over",
            "The same character logged in on another connection.",
            "Do not reconnect by itself: the other connection is yours as well.",
            Some(close::POLICY),
        ),
        row(ShuttingDown, "shutting_down", "The server ends.", "Connect again after a pause.", Some(close::GOING_AWAY)),
        row(
            Restarting,
            "restarting",
            "The server starts anew and will be back in seconds.",
            "Connect again after `retry_after_ms`; your character waits where it is.",
            Some(close::RESTART),
        ),
        row(
            Internal,
            "internal",
            "The server failed at something it should not; it was logged.",
            "Try again later and report it.",
            None,
        ),
    ]
};

impl ErrorCode {
    /// The word on the wire.
    pub fn name(self) -> &'static str {
        self.row().map_or("other", |row| row.name)
    }

    /// The row of the table; `None` for `Other` alone.
    pub fn row(self) -> Option<&'static CodeRow> {
        CODES.iter().find(|row| row.code == self)
    }

    /// The WebSocket close code that follows an error of this code; `None` where the session lives.
    pub fn close_code(self) -> Option<u16> {
        self.row().and_then(|row| row.close)
    }
}

impl std::fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_names_each_code_as_serde_does() {
        for row in CODES {
            assert_eq!(serde_json::to_value(row.code).expect("a code is a string"), row.name);
        }
        assert_eq!(CODES.len(), ErrorCode::Other as usize, "a code has no row");
    }

    #[test]
    fn an_unknown_code_is_read_as_other() {
        assert_eq!(serde_json::from_str::<ErrorCode>("\"of_tomorrow\"").expect("tolerant"), ErrorCode::Other);
    }
}
