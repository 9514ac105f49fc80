//! dp-server as a library: sessions, doors, accounts, persistence and the engine around the world.

pub mod accounts;
pub mod backup;
pub mod beginning;
pub mod capture;
pub mod cli;
pub mod config;
pub mod content_files;
pub mod doors;
pub mod engine;
pub mod fork;
pub mod health;
pub mod journal;
pub mod limits;
pub mod logging;
pub mod metrics;
pub mod minds;
pub mod operator;
pub mod replay;
pub mod restart;
pub mod saving;
pub mod serve;
pub mod session;
pub mod state_dir;
pub mod store;
pub mod telnet;
pub mod times;
