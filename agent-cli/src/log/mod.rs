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

use anyhow::{Context, ensure};
use server_records::ServerRecords;
use std::path::{Path, PathBuf};
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
    /// Session logs, or folders of them
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Rows of `dp-server decisions --columns all`, as JSON lines: tell what the log of a killed process lacks
    #[arg(long, value_name = "PATH")]
    server: Vec<PathBuf>,
}

/// Folders of agents lie in that of all logs, and nothing deeper.
const FOLDERS_DEEP: usize = 1;

/// The session logs of what was named: of a folder all that lie in it and in those in it, by name. A pattern such as
/// `logs/*/*.jsonl` takes along the prompts that lie beside logs.
fn logs_of(files: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let mut logs = Vec::new();
    for path in files {
        let before = logs.len();
        if path.is_dir() {
            gather(path, FOLDERS_DEEP, &mut logs)?;
            ensure!(
                logs.len() > before,
                "there is no session log in the folder {}: name one with files such as 2026-11-22-143000.jsonl, or the \
                 files themselves",
                path.display()
            );
        } else if is_log(path) {
            logs.push(path.clone());
        }
    }
    ensure!(!logs.is_empty(), "these are the prompts of sessions; the logs are the files without .prompts");
    Ok(logs)
}

/// What was named itself may be called otherwise.
fn is_log(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    !name.ends_with(".jsonl") || dreaming::records::is_log(&name)
}

fn gather(folder: &Path, deep: usize, logs: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let reading = || format!("reading the folder {}", folder.display());
    let entries = std::fs::read_dir(folder).with_context(reading)?;
    let mut paths: Vec<PathBuf> =
        entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>().with_context(reading)?;
    paths.sort();
    for path in paths {
        if path.is_dir() && deep > 0 {
            gather(&path, deep - 1, logs)?;
        } else if path.is_file() && dreaming::records::is_log(&path.file_name().unwrap_or_default().to_string_lossy()) {
            logs.push(path);
        }
    }
    Ok(())
}

/// Runs the subcommand; what is to be read goes to `out`.
pub fn run(args: &LogArgs, out: &mut dyn std::io::Write) -> anyhow::Result<ExitCode> {
    match &args.what {
        What::Export(args) => export::run(args, out).map(|()| ExitCode::SUCCESS),
        What::Check(args) => {
            let mut whole = true;
            let server = ServerRecords::read(&args.server)?;
            let logs = logs_of(&args.files)?;
            for path in &logs {
                match check::check(path, &server) {
                    Ok(report) => {
                        write!(out, "{}", report.text(path))?;
                        whole &= report.is_whole();
                    }
                    // Of several the others can be proved all the same.
                    Err(error) if logs.len() > 1 => {
                        writeln!(out, "{error:#}")?;
                        whole = false;
                    }
                    Err(error) => return Err(error),
                }
            }
            Ok(if whole { ExitCode::SUCCESS } else { ExitCode::FAILURE })
        }
    }
}
