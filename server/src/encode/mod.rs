//! How things look on each transport: lines and prompts as text for people, lines and variables as frames for programs,
//! and the last words of both.
//!
//! `screen` is what a person's terminal shows, made of `text` (one line), `crowd` (lines that many read) and the
//! prompt; `frames` is what a program reads, with spans by `rich`, and `ring` what it may read again; `gmcp` and `msdp`
//! are what stands beside a person's text, made of what is `known` of it; `farewell` is the end of all. A new way to
//! say things gets a file here. Leaves the bytes of telnet to `telnet`, sockets and waiting to `transports`.
//! Invariant: pure; takes what an outbox had and gives text, frames, or pieces of an `Outbound`.

mod color;
mod crowd;
pub mod farewell;
pub mod frames;
pub mod gmcp;
mod known;
pub mod msdp;
mod rich;
mod ring;
pub mod screen;
pub mod text;
mod wrapping;

pub use ring::Kept;
