//! Where a codec stands in what it reads, between one byte and the next.

use super::option::Opt;

/// Where in a telnet sequence the next byte stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum At {
    #[default]
    Data,
    Command,
    /// After WILL, WONT, DO or DONT: the option.
    Negotiation(u8),
    /// After SB: the option.
    Subnegotiation,
    /// Inside SB.
    Payload(Option<Opt>),
    /// After IAC inside SB.
    PayloadCommand(Option<Opt>),
}
