//! dp-server as a library.

pub mod accounts;
pub mod store;
