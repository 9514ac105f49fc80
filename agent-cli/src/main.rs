//! `dp-agent`: see `agent_cli::cli`.

use std::process::ExitCode;

/// As dp-server has it (`server/src/allocator.rs`); here, since the library may be in a program that has one.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    agent_cli::cli::main()
}
