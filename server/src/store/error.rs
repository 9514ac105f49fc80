//! What can go wrong between this program and its database, in words for the operator.
//!
//! Each message says what was tried and what to do. Invariant: no password and no whole URL is ever part of one; a
//! database is named by its path, or by user, host and database name.

use crate::archive_files::Trouble;
use std::path::PathBuf;

/// The cause is part of each message, so it is not offered again as `source()`.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "the database address is not one this program understands: {why}. \
         Use --db sqlite:PATH or --db postgres://USER:PASSWORD@HOST/DATABASE"
    )]
    Address { why: String },

    #[error(
        "cannot write the database file {}: {why}. Give its folder to the user that runs dp-server, \
         or name another with --state-dir or --db", path.display()
    )]
    CannotWrite { path: PathBuf, why: String },

    #[error(
        "{} is not a database, or is a damaged one: {why}. Put a backup in its place, \
         or move it away and start again to make a new one, or name another with --db", path.display()
    )]
    NotADatabase { path: PathBuf, why: String },

    #[error(
        "the database {place} is in use by another program: {why}. \
         Wait for it to finish, or end it, and start again"
    )]
    Busy { place: String, why: String },

    #[error(
        "no PostgreSQL server answers at {place}: {why}. \
         Check that it runs, that it listens there, and host and port in --db"
    )]
    Unreachable { place: String, why: String },

    #[error("the PostgreSQL server of {place} does not let this user in: {why}. Check user and password in --db")]
    LoginRefused { place: String, why: String },

    #[error("the PostgreSQL server has no database {place}: {why}. Make it with createdb, or name another in --db")]
    NoSuchDatabase { place: String, why: String },

    #[error(
        "the database {place} was made by a newer dp-server: it has migration {found}, this program knows {known}. \
         Run the newer program, or restore a backup from before it was upgraded; nothing was changed"
    )]
    Newer { place: String, found: i64, known: i64 },

    #[error(
        "migration {number} of the database {place} is not the one in this program, so the two do not belong together. \
         Run the program that made the database, or name another with --db; nothing was changed"
    )]
    Foreign { place: String, number: i64 },

    #[error("the tables of the database {place} could not be made or brought up to date: {why}. Nothing was changed")]
    Migration { place: String, why: String },

    #[error("the database {place} did not answer within {seconds} s while {doing}")]
    Silent { doing: &'static str, place: String, seconds: u64 },

    #[error(
        "entries #{first} to #{last} of {log} are in the archive {file}, which cannot be used: {trouble}. \
         Put a copy of it back, from a backup"
    )]
    Archive { log: String, first: i64, last: i64, file: String, trouble: Trouble },

    #[error(
        "decisions of {name} of {month} are in the archive {file}, which cannot be used: {trouble}. Put a copy of it \
         back, from a backup, or ask for later ones"
    )]
    DecisionArchive { name: String, month: String, file: String, trouble: Trouble },

    #[error("the database {place} failed while {doing}: {cause}")]
    Failed { doing: &'static str, place: String, cause: sqlx::Error },
}

impl StoreError {
    /// Whether trying the same again later may succeed: a server that is away or restarting, a lock, a full disk.
    pub fn is_passing(&self) -> bool {
        match self {
            StoreError::Busy { .. } | StoreError::Unreachable { .. } | StoreError::Silent { .. } => true,
            StoreError::Failed { cause, .. } => match cause {
                sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => true,
                sqlx::Error::Database(error) => error.code().is_some_and(|code| is_passing_code(&code)),
                _ => false,
            },
            _ => false,
        }
    }
}

impl StoreError {
    /// Whether a row that was to be written is to blame, so that the same without it would succeed: a constraint, a
    /// text or number that the database cannot hold. Anything else that does not pass (a table that is not there, a
    /// file that is read-only) is no row's fault.
    pub fn blames_row(&self) -> bool {
        match self {
            StoreError::Failed { cause: sqlx::Error::Encode(_), .. } => true,
            StoreError::Failed { cause: sqlx::Error::Database(error), .. } => {
                error.code().is_some_and(|code| is_of_row(&code))
            }
            _ => false,
        }
    }

    /// What is wrong, in a sentence that anybody may read: no path, no address, nothing that was stored.
    pub fn in_public(&self) -> &'static str {
        const SILENT: &str = "The database does not answer.";
        const LOCKED: &str = "The database is locked by another program.";
        const FULL: &str = "The disk of the database is full.";
        match self {
            StoreError::Unreachable { .. } | StoreError::Silent { .. } => SILENT,
            StoreError::Busy { .. } => LOCKED,
            StoreError::CannotWrite { .. } => "The database cannot be written.",
            StoreError::Archive { .. } | StoreError::DecisionArchive { .. } => {
                "An archive of old entries is missing or damaged."
            }
            StoreError::Failed { cause, .. } => match cause {
                sqlx::Error::Io(_) | sqlx::Error::PoolTimedOut | sqlx::Error::WorkerCrashed => SILENT,
                sqlx::Error::Database(error) => match error.code().as_deref() {
                    Some("53100") => FULL,
                    Some(code) if code.len() == 5 && is_passing_code(code) => SILENT,
                    Some(code) => match code.parse::<u32>().map(|number| number & 0xff) {
                        Ok(FULL_DISK) => FULL,
                        Ok(BUSY | LOCKED_TABLE) => LOCKED,
                        _ => REFUSED,
                    },
                    None => REFUSED,
                },
                _ => REFUSED,
            },
            _ => REFUSED,
        }
    }
}

const REFUSED: &str = "The database refused what was asked; the log says why.";

// SQLite's primary result codes.
const BUSY: u32 = 5;
const LOCKED_TABLE: u32 = 6;
const IO: u32 = 10;
const FULL_DISK: u32 = 13;
const CANNOT_OPEN: u32 = 14;

/// Whether what a connection holds of its transaction can no longer be trusted: anything but a plain refusal of a row.
pub(super) fn spoils_connection(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Database(error) => matches!(error.kind(), sqlx::error::ErrorKind::Other),
        sqlx::Error::RowNotFound | sqlx::Error::PoolTimedOut | sqlx::Error::PoolClosed => false,
        _ => true,
    }
}

/// A PostgreSQL state (5 characters) or a SQLite result code (a number; the low byte is the primary one).
fn is_passing_code(code: &str) -> bool {
    if code.len() == 5 {
        // Connection, rollback by the server (deadlock), resources, operator intervention (restart).
        return ["08", "40", "53", "57"].iter().any(|class| code.starts_with(class));
    }
    code.parse::<u32>().is_ok_and(|number| matches!(number & 0xff, BUSY | LOCKED_TABLE | IO | FULL_DISK | CANNOT_OPEN))
}

/// Codes as above: of PostgreSQL the classes of wrong data, of constraints and of limits; of SQLite a value that is too
/// big, a constraint, a mismatch of types.
fn is_of_row(code: &str) -> bool {
    const TOO_BIG: u32 = 18;
    const CONSTRAINT: u32 = 19;
    const MISMATCH: u32 = 20;
    if code.len() == 5 {
        return ["22", "23", "54"].iter().any(|class| code.starts_with(class));
    }
    code.parse::<u32>().is_ok_and(|number| matches!(number & 0xff, TOO_BIG | CONSTRAINT | MISMATCH))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_row_brings_along_blames_it() {
        for (code, blames, why) in [
            ("23505", true, "the key is taken"),
            ("22021", true, "a text with a NUL"),
            ("54000", true, "too large"),
            ("42P01", false, "no such table"),
            ("53100", false, "the disk is full"),
            ("1811", true, "SQLite: a trigger refuses it"),
            ("18", true, "SQLite: too big"),
            ("1", false, "SQLite: no such table"),
            ("8", false, "SQLite: read-only"),
        ] {
            assert_eq!(is_of_row(code), blames, "{code}: {why}");
        }
    }

    #[test]
    fn what_may_pass_is_told_from_what_stays_wrong() {
        for (code, passing, why) in [
            ("57P01", true, "the server is being restarted"),
            ("53100", true, "its disk is full"),
            ("40P01", true, "deadlock: this one was chosen to go back"),
            ("23505", false, "the row is there and stays there"),
            ("42P01", false, "no such table"),
            ("5", true, "SQLite: busy"),
            ("517", true, "SQLite: busy, its snapshot is old"),
            ("13", true, "SQLite: the disk is full"),
            ("1555", false, "SQLite: primary key taken"),
            ("8", false, "SQLite: read-only"),
        ] {
            assert_eq!(is_passing_code(code), passing, "{code}: {why}");
        }
    }
}
