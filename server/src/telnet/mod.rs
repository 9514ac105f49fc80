//! The door for people: telnet.

pub mod codec;
