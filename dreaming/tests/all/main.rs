//! Dreams from outside: what they promise, what is told of them, and what is handed over at a login.

mod bootstrap;
mod kinds;
mod memories;
mod properties;
mod truth;
