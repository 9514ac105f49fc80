//! Backups: the database and the world of one moment, in one file, and back into a new state folder.
//!
//! `archive.rs` has the file (a tar, compressed with zstd, and what it says of itself), `making.rs` gathers one from a
//! running server or from a folder, `restoring.rs` reads one. `dp-server backup` and `restore` are the only callers but
//! for the admin API, which streams a backup to the former.
//!
//! Consistency: a character may be newer in the world than in the database, as saves and the entries of minds are
//! written a little later. So the saver and the minds are held, the snapshot of the world is taken with what waits in
//! them, the database's moment is fixed, and the two go on; what the one lacks the other has. Then the reading takes
//! its time, and delays nobody.
//!
//! Invariants: a file of the final name is whole. A damaged or foreign one is refused before anything is written. The
//! admin token, the address of the server and logs are never in it; password hashes are, so only its owner may read it.

mod archive;
mod making;
mod restoring;
#[cfg(test)]
mod tests;

pub use archive::{Checked, Contents, Manifest, check};
pub use making::{Begun, begin, begin_stopped, write_beside};
pub use restoring::{Restored, restore};
