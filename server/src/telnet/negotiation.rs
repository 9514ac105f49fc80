//! How both ends come to agree about an option (the Q method, RFC 1143).
//!
//! Invariant: only a change of state is answered, so two ends that keep to the method cannot argue for ever.

use super::bytes::IAC;
use serde::{Deserialize, Serialize};

/// One side of one option, as in RFC 1143; "opposite" is its queue bit.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub enum Q {
    #[default]
    No,
    Yes,
    WantNo,
    WantNoOpposite,
    WantYes,
    WantYesOpposite,
}

/// What to send after a change: the word for "on" or for "off", or nothing.
pub type Answer = Option<bool>;

impl Q {
    /// We asked for a change, and what comes next is the answer to that.
    pub fn is_asked(self) -> bool {
        !matches!(self, Q::No | Q::Yes)
    }

    /// We want it on.
    pub fn enable(&mut self) -> Answer {
        let (next, answer) = match *self {
            Q::No => (Q::WantYes, Some(true)),
            Q::WantNo => (Q::WantNoOpposite, None),
            Q::WantYesOpposite => (Q::WantYes, None),
            other => (other, None),
        };
        *self = next;
        answer
    }

    /// We want it off.
    pub fn disable(&mut self) -> Answer {
        let (next, answer) = match *self {
            Q::Yes => (Q::WantNo, Some(false)),
            Q::WantNoOpposite => (Q::WantNo, None),
            Q::WantYes => (Q::WantYesOpposite, None),
            other => (other, None),
        };
        *self = next;
        answer
    }

    /// The other end says on (WILL for its side, DO for ours).
    pub fn told_on(&mut self, agree: bool) -> Answer {
        let (next, answer) = match *self {
            Q::No if agree => (Q::Yes, Some(true)),
            Q::No => (Q::No, Some(false)),
            Q::Yes | Q::WantNoOpposite | Q::WantYes => (Q::Yes, None),
            // An answer of "on" to our "off" is an error of theirs; ours stands.
            Q::WantNo => (Q::No, None),
            Q::WantYesOpposite => (Q::WantNo, Some(false)),
        };
        *self = next;
        answer
    }

    /// The other end says off (WONT or DONT).
    pub fn told_off(&mut self) -> Answer {
        let (next, answer) = match *self {
            Q::Yes => (Q::No, Some(false)),
            Q::WantNoOpposite => (Q::WantYes, Some(true)),
            Q::No | Q::WantNo | Q::WantYes | Q::WantYesOpposite => (Q::No, None),
        };
        *self = next;
        answer
    }
}

/// Puts an answer into bytes.
pub fn negotiate(answer: Answer, on: u8, off: u8, code: u8, out: &mut Vec<u8>) {
    match answer {
        Some(true) => out.extend_from_slice(&[IAC, on, code]),
        Some(false) => out.extend_from_slice(&[IAC, off, code]),
        None => {}
    }
}
