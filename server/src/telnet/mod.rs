//! The transport for people: telnet as a state machine, without sockets and without a clock.
//!
//! `codec` is the way in: it makes lines of bytes, by the commands of `bytes` and the agreements of `option`.
//! `outbound` is the way out. `handover` carries a codec over a restart. `session::telnet` decides what a line means,
//! `transports::terminal` has the socket.

mod bytes;
mod codec;
mod handover;
mod option;
mod outbound;
mod position;

pub use codec::{Codec, TelnetEvent};
pub use handover::Negotiated;
pub use outbound::{Outbound, encode_line};
