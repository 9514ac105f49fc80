//! dp-server as a library.

pub mod store;
