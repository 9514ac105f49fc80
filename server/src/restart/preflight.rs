//! Trying the program on disk before anything is stopped for it: it is run beside the server with the server's own
//! arguments and `--preflight`, reads its configuration and its world, says what it is, and ends.

use super::{Program, handover};
use serde::{Deserialize, Serialize};
use std::process::Stdio;
use std::time::Duration;

/// A large world in an unoptimised build takes a few seconds.
const LONGEST: Duration = Duration::from_secs(30);
/// Of what the program says, for who asked.
const SAID_CHARS_MAX: usize = 600;

/// What a program that would do says of itself, on one line of standard output.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Fitness {
    pub program: String,
    pub version: String,
    /// The format of what it can take over.
    pub handover: u32,
}

impl Fitness {
    pub fn own() -> Fitness {
        Fitness {
            program: env!("CARGO_PKG_NAME").to_string(),
            version: env!("CARGO_PKG_VERSION").to_string(),
            handover: handover::FORMAT,
        }
    }
}

/// Why the program on disk cannot take over.
#[derive(Debug, thiserror::Error)]
pub enum Unfit {
    #[error("connections can be handed over on Linux only; stop the server and start it again")]
    NotHere,
    #[error("the journal cannot be written, most likely for want of room on the disk")]
    NoRoom,
    #[error("the database does not take what is to be saved; the log says why")]
    Unsaved,
    #[error("the program {path} cannot be run: {error}")]
    NotRun { path: String, error: std::io::Error },
    #[error("the program {path} was not ready after {} seconds", LONGEST.as_secs())]
    TooSlow { path: String },
    #[error("the program {path} refuses: {said}")]
    Refuses { path: String, said: String },
    #[error("the program {path} is no dp-server that can take over from a running one")]
    Stranger { path: String },
    #[error(
        "dp-server {version} takes over format {theirs}, and this one hands over {}; stop the server and start the new one",
        handover::FORMAT
    )]
    OtherFormat { version: String, theirs: u32 },
}

impl Program {
    /// Whether the program on disk can take over. Takes as long as reading the world; the game goes on meanwhile.
    pub async fn try_next(&self) -> Result<Fitness, Unfit> {
        if !cfg!(target_os = "linux") {
            return Err(Unfit::NotHere);
        }
        let path = self.path.display().to_string();
        let mut command = tokio::process::Command::new(&self.path);
        command.args(&self.args).arg("--preflight").env_remove(handover::VARIABLE);
        command.stdin(Stdio::null()).kill_on_drop(true);
        let output = match tokio::time::timeout(LONGEST, command.output()).await {
            Ok(Ok(output)) => output,
            Ok(Err(error)) => return Err(Unfit::NotRun { path, error }),
            Err(_) => return Err(Unfit::TooSlow { path }),
        };
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.trim();
            // The reason comes last.
            let from = said.char_indices().rev().nth(SAID_CHARS_MAX).map_or(0, |(at, _)| at);
            let said = match &said[from..] {
                "" => output.status.to_string(),
                said => said.to_string(),
            };
            return Err(Unfit::Refuses { path, said });
        }
        let out = String::from_utf8_lossy(&output.stdout);
        let fitness = out.lines().rev().find_map(|line| serde_json::from_str::<Fitness>(line).ok());
        match fitness {
            Some(fitness) if fitness.program != Fitness::own().program => Err(Unfit::Stranger { path }),
            Some(Fitness { version, handover, .. }) if handover != handover::FORMAT => {
                Err(Unfit::OtherFormat { version, theirs: handover })
            }
            Some(fitness) => Ok(fitness),
            None => Err(Unfit::Stranger { path }),
        }
    }
}
