//! `dp-agent log`: proves that a session log is whole, and makes tables of it.
//!
//! Reads what `session_log` writes, and the turns of versions before 3. Invariant: files are only read, a line at a
//! time, and what is wrong with one is said with its number.

mod cell;
mod check;
mod export;
mod parquet;
mod reading;
mod server_records;
mod table;

#[cfg(test)]
mod tests;

pub use export::{ExportArgs, Format, TableName, run as export_table};

use server_records::ServerRecords;
use std::path::PathBuf;
use std::process::ExitCode;

#[derive(clap::Args, Clone, Debug)]
pub struct LogArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Clone, Debug)]
enum What {
    /// Prove that a log is whole: order, references, and that its rows sum up to its summary; 1 where they do not
    Check(CheckArgs),
    /// Make a table of one or several logs
    Export(ExportArgs),
}

#[derive(clap::Args, Clone, Debug)]
struct CheckArgs {
    /// Session logs
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Rows of `dp-server decisions --columns all`, as JSON lines: tell what the log of a killed process lacks
    #[arg(long, value_name = "PATH")]
    server: Vec<PathBuf>,
}

/// The session logs of what was named: a pattern such as `logs/*/*.jsonl` takes along the prompts that lie beside logs.
fn logs_of(files: &[PathBuf]) -> anyhow::Result<Vec<&PathBuf>> {
    let is_log = |path: &&PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        !name.ends_with(".jsonl") || dreaming::records::is_log(&name)
    };
    let logs: Vec<&PathBuf> = files.iter().filter(is_log).collect();
    anyhow::ensure!(!logs.is_empty(), "these are the prompts of sessions; the logs are the files without .prompts");
    Ok(logs)
}

/// Runs the subcommand; what is to be read goes to `out`.
pub fn run(args: &LogArgs, out: &mut dyn std::io::Write) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Export(args) => export::run(args, out).map(|()| ExitCode::SUCCESS),
        What::Check(args) => {
            let mut whole = true;
            let server = ServerRecords::read(&args.server)?;
            for path in logs_of(&args.files)? {
                let report = check::check(path, &server)?;
                write!(out, "{}", report.text(path))?;
                whole &= report.is_whole();
            }
            Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}
