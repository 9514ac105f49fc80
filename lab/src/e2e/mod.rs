//! The real server and small clients for it: what a person, a program and an operator have at hand.
//!
//! `Server` runs the binary on free ports with a state folder of its own; `Telnet`, `Agent`, `http` and, where there is
//! one, `Browser` talk to it.
//! Invariants: every wait has an end (`PATIENCE`), and a test ends only what it started, by its handle.

mod agent;
mod browser;
mod http;
mod player;
mod server;
mod telnet;

pub use agent::Agent;
pub use browser::Browser;
pub use http::{Answer, http, http_with};
pub use player::{Ended, Player, Playing};
pub(crate) use server::gather;
pub use server::{Options, Run, Server, program, run, run_in, run_with_time};
pub use telnet::Telnet;

pub use crate::world_folder::{copy_folder, root};

use std::time::Duration;

/// How long a client waits for what must come. Far longer than it takes: the machine may be busy with builds.
pub const PATIENCE: Duration = Duration::from_secs(15);
