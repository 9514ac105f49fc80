//! The doors: sockets, timers and tasks around the pure sessions.
//!
//! `lobby` is what both doors share: who somebody is, and how they get into the world.

mod account;
pub mod admin;
mod backup;
pub mod head_time;
pub mod http;
pub mod lobby;
pub mod stream;
pub mod telnet;
mod terminal;
pub mod tls;
pub mod websocket;
