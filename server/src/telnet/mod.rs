//! The transport for people: telnet as a state machine, without sockets and without a clock.
//!
//! `codec` is the way in: it takes bytes apart, by the commands of `bytes` and the agreements of `option`, and
//! `line_editor` makes lines of what is typed; an option that has more to say has a file, as `terminal_type`.
//! `outbound` is the way out, `handover` carries a codec over a restart. `session::telnet` decides what a line means,
//! `transports::terminal` has the socket.

mod bytes;
mod codec;
mod event;
mod handover;
mod line_editor;
mod option;
mod outbound;
mod position;
mod terminal_type;

pub use codec::Codec;
pub use event::TelnetEvent;
pub use handover::Negotiated;
pub use outbound::{Outbound, encode_line};
