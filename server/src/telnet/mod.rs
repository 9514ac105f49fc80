//! The transport for people: telnet as a state machine, without sockets and without a clock.
//!
//! `codec` is the way in: it takes bytes apart, by the commands of `bytes` and the agreements of `negotiation`, and
//! `line_editor` makes lines of what is typed. `option` is what an option is, `options` the table of them with a file
//! each; what they learn of the client is `capabilities`. `outbound` is the way out, `handover` carries a codec over a
//! restart. `session::telnet` decides what a line means, `transports::terminal` has the socket.

pub mod bytes;
mod capabilities;
mod codec;
mod compressor;
mod event;
mod handover;
mod line_editor;
mod negotiation;
mod option;
mod options;
mod outbound;
mod position;
mod transliteration;

pub use capabilities::{Capabilities, Charset, Depth};
pub use codec::Codec;
pub use compressor::Compressor;
pub use event::TelnetEvent;
pub use handover::Negotiated;
pub use options::mxp;
pub use outbound::{Outbound, encode_line};
