//! The load generator: many light sessions against a running server, by either door, and what they measured.
//!
//! `session` is one person or agent, `thread` many of them, `bench` what they share, `reader` what they make of the
//! bytes, `wire` the frames and prompts by hand, `telnet` the options of a person's client, `mix` what they type,
//! `places` where they stand, `onlookers` those who do not play, `control` the admin API, `process` what the server and
//! we cost, `histogram` the latencies. The program is `bin/load.rs`.
//! Invariant: the generator must be light, since it shares the machine with what it measures: one task per session, a
//! buffer per thread, no JSON parsed after the login.

pub mod bench;
pub mod control;
pub mod histogram;
pub mod mix;
pub mod onlookers;
pub mod places;
pub mod process;
pub mod reader;
pub mod session;
pub mod telnet;
pub mod thread;
pub mod wire;
