//! dp-server as a library.
