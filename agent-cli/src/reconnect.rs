//! When to connect again, and when not to: pure decisions, so that they can be tried without a network.

use protocol::ErrorCode;
use protocol::code::close;

/// The pauses, in seconds; the last one is repeated. Source: the published protocol.
pub const PAUSES_S: &[u64] = &[1, 2, 4, 8, 15, 30];
/// A server that starts anew says when to come; at most this is believed.
const RETRY_AFTER_MAX_MS: u64 = 300_000;
/// Failed logins lock an address out for so long.
const LOCKED_OUT_MS: u64 = 900_000;

/// How a connection ended.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Ending {
    /// The close code, if a close frame came.
    pub code: Option<u16>,
    /// The newest `error` frame before it: code, sentence, and when to come again.
    pub error: Option<(ErrorCode, String, Option<u64>)>,
    /// What the network said.
    pub broken: Option<String>,
    /// The login was accepted on this connection.
    pub logged_in: bool,
    /// A token was offered, and not a key.
    pub with_token: bool,
}

/// What to do next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Next {
    AfterMs(u64),
    /// At once, with the key: the token was not taken.
    WithKey,
    /// Never: the reason, for people.
    GiveUp(String),
}

#[derive(Clone, Debug, Default)]
pub struct Backoff {
    tries: usize,
}

impl Backoff {
    /// The login was accepted: the next failure is a first one.
    pub fn reset(&mut self) {
        self.tries = 0;
    }

    fn pause_ms(&mut self) -> u64 {
        let pause = PAUSES_S[self.tries.min(PAUSES_S.len() - 1)] * 1_000;
        self.tries += 1;
        pause
    }

    pub fn next(&mut self, ending: &Ending) -> Next {
        let said = || ending.error.as_ref().map(|(_, message, _)| message.clone()).unwrap_or_default();
        if let Some((code, message, retry_after_ms)) = &ending.error {
            let give_up = |what: &str| Next::GiveUp(format!("{what} The server says: {message}"));
            match code {
                ErrorCode::BadLogin | ErrorCode::KeyRevoked if ending.with_token && !ending.logged_in => {
                    return Next::WithKey;
                }
                ErrorCode::BadLogin if !ending.logged_in => {
                    return give_up("The login was refused; check `key` and `player_name`.");
                }
                ErrorCode::KeyRevoked => return give_up("The key was revoked; ask for a new one."),
                ErrorCode::Retired => return give_up("The agent is retired."),
                ErrorCode::NameRefused if !ending.logged_in => return give_up("The name was refused."),
                ErrorCode::TakenOver => {
                    return give_up("The character is played from another connection now.");
                }
                ErrorCode::LockedOut => return Next::AfterMs(LOCKED_OUT_MS),
                ErrorCode::Restarting => {
                    let asked = retry_after_ms.map(|ms| ms.min(RETRY_AFTER_MAX_MS));
                    return Next::AfterMs(asked.unwrap_or_else(|| self.pause_ms()));
                }
                _ => {}
            }
        }
        match ending.code {
            Some(close::NORMAL) => Next::GiveUp("The server closed the game for this character.".to_string()),
            Some(1007) => Next::GiveUp(format!("The server could not read what was sent. {}", said())),
            _ => Next::AfterMs(self.pause_ms()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: ErrorCode, retry_after_ms: Option<u64>, logged_in: bool, with_token: bool) -> Ending {
        let error = Some((code, "So it is.".to_string(), retry_after_ms));
        Ending { error, logged_in, with_token, ..Ending::default() }
    }

    #[test]
    fn pauses_grow_and_begin_again_after_a_login() {
        let mut backoff = Backoff::default();
        let broken = Ending { broken: Some("reset".into()), ..Ending::default() };
        let pauses: Vec<Next> = (0..8).map(|_| backoff.next(&broken)).collect();
        let expected = [1, 2, 4, 8, 15, 30, 30, 30].map(|s| Next::AfterMs(s * 1_000));
        assert_eq!(pauses, expected);
        backoff.reset();
        assert_eq!(backoff.next(&broken), Next::AfterMs(1_000));
    }

    #[test]
    fn what_cannot_get_better_is_not_tried_again() {
        for (ending, goes_on) in [
            (error(ErrorCode::BadLogin, None, false, false), false),
            (error(ErrorCode::KeyRevoked, None, true, false), false),
            (error(ErrorCode::Retired, None, true, false), false),
            (error(ErrorCode::TakenOver, None, true, false), false),
            (error(ErrorCode::Retired, None, false, true), false),
            (error(ErrorCode::NameRefused, None, false, false), false),
            (error(ErrorCode::ServerFull, None, false, false), true),
            (error(ErrorCode::SlowReader, None, true, false), true),
            (Ending { code: Some(close::NORMAL), logged_in: true, ..Ending::default() }, false),
            (Ending { code: Some(close::GOING_AWAY), logged_in: true, ..Ending::default() }, true),
        ] {
            let next = Backoff::default().next(&ending);
            assert_eq!(matches!(next, Next::AfterMs(_)), goes_on, "{ending:?}: {next:?}");
        }
    }

    #[test]
    fn a_token_that_is_not_taken_is_followed_by_the_key_at_once() {
        assert_eq!(Backoff::default().next(&error(ErrorCode::BadLogin, None, false, true)), Next::WithKey);
    }

    #[test]
    fn a_server_that_starts_anew_says_when_to_come() {
        let next = |after| Backoff::default().next(&error(ErrorCode::Restarting, after, true, false));
        assert_eq!(next(Some(1_700)), Next::AfterMs(1_700));
        assert_eq!(next(Some(u64::MAX)), Next::AfterMs(RETRY_AFTER_MAX_MS));
        assert_eq!(next(None), Next::AfterMs(1_000));
    }
}
