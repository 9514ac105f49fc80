//! dp-server as a library.

pub mod accounts;
pub mod limits;
pub mod store;
