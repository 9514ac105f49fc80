//! What a codec leaves to the one that goes on in its place, perhaps in the next program, in the middle of a line.
//!
//! Invariant: options are named by their codes in telnet, so that another version may number its own otherwise.

use super::capabilities::Capabilities;
use super::negotiation::Q;
use super::option::Opt;
use super::options::{option_of, row};
use super::position::At;
use serde::{Deserialize, Serialize};

/// All that a codec knows of its connection, for another codec to go on with: what was agreed, and what was read of a
/// line or a command that has not ended. `Codec::state` makes it, `Codec::resume` takes it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Negotiated {
    /// By the option's code in telnet, so that another version may number its own otherwise.
    pub(super) options: Vec<Agreed>,
    pub(super) at: Midst,
    /// The line so far. Bytes, since it may end within a character.
    pub(super) line: Vec<u8>,
    pub(super) payload: Vec<u8>,
    pub(super) ended_by: Option<u8>,
    pub(super) swallowing: bool,
    pub(super) past_first_line: bool,
    pub(super) deaf: bool,
    pub(super) speaks_telnet: bool,
    pub(super) charset_asked: bool,
    pub(super) agreements: u8,
    pub(super) terminal_replies: u8,
    pub(super) terminal_last: Option<String>,
    /// Answers that were given.
    #[serde(default)]
    pub(super) answers: u8,
    #[serde(default)]
    pub(super) client: Capabilities,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Agreed {
    pub(super) code: u8,
    pub(super) ours: Q,
    pub(super) theirs: Q,
}

/// `At`, with options by their codes; 0 is none that we know.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Midst {
    Data,
    Command,
    Negotiation(u8),
    Subnegotiation,
    Payload(u8),
    PayloadCommand(u8),
}

impl From<At> for Midst {
    fn from(at: At) -> Midst {
        let code = |option: Option<Opt>| option.map_or(0, |option| row(option).code);
        match at {
            At::Data => Midst::Data,
            At::Command => Midst::Command,
            At::Negotiation(verb) => Midst::Negotiation(verb),
            At::Subnegotiation => Midst::Subnegotiation,
            At::Payload(option) => Midst::Payload(code(option)),
            At::PayloadCommand(option) => Midst::PayloadCommand(code(option)),
        }
    }
}

impl From<Midst> for At {
    fn from(midst: Midst) -> At {
        match midst {
            Midst::Data => At::Data,
            Midst::Command => At::Command,
            Midst::Negotiation(verb) => At::Negotiation(verb),
            Midst::Subnegotiation => At::Subnegotiation,
            Midst::Payload(code) => At::Payload(option_of(code)),
            Midst::PayloadCommand(code) => At::PayloadCommand(option_of(code)),
        }
    }
}
