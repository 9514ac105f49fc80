//! What subcommands say, line by line, on standard output.
//!
//! Invariant: a reader who has seen enough (`| head`) is no error.

use anyhow::Context;
use std::io::{self, Write};

/// Prints a line; a reader that has gone away (`| head`) is no error.
pub fn print(line: impl std::fmt::Display) -> anyhow::Result<()> {
    match writeln!(io::stdout(), "{line}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.context("writing to standard output"),
    }
}

/// Whether it comes of a reader that has gone away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let kind = |cause: &(dyn std::error::Error + 'static)| cause.downcast_ref().map(io::Error::kind);
    error.chain().any(|cause| kind(cause) == Some(io::ErrorKind::BrokenPipe))
}
