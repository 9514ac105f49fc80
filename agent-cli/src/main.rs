//! `dp-agent`: see `agent_cli::cli`.

use std::process::ExitCode;

fn main() -> ExitCode {
    agent_cli::cli::main()
}
