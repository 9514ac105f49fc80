//! The transport for people: telnet as a state machine, without sockets and without a clock.
//!
//! `codec` makes lines of bytes, by the commands of `bytes` and the agreements of `option`; `resuming` carries a codec
//! over a restart. `session::telnet` decides what a line means, `transports::telnet` has the socket.

mod bytes;
mod codec;
mod option;
mod position;
mod resuming;

pub use bytes::encode_text;
pub use codec::{Codec, TelnetEvent};
pub use resuming::Negotiated;
