//! `dp-agent stub`: an OpenAI-compatible endpoint on loopback whose "model" is a policy of ours, so that everything
//! here can be tried and measured without a network.
//!
//! `policy` decides and is pure; `server` is the wire; `usage` counts as a provider would; `inside` asks a policy
//! without any wire. Invariant: what a policy answers depends on the seed and on its own conversation (the
//! `prompt_cache_key`), never on the order in which conversations arrive.

mod chance;
mod inside;
pub mod policy;
mod server;
#[cfg(test)]
mod tests;
mod toon;
mod usage;

pub use inside::{think, think_counted};
pub use policy::{Completion, Policy, Reply};
pub use server::{LocalEndpoint, Stub, StubOptions, start};
pub use usage::Counter as TokenCounter;

use anyhow::Context;
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;

/// Which policy answers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum PolicyKind {
    /// Replies from a file, each when what it expects is in the prompt.
    Scripted,
    /// Plays by weighing what the prompt shows.
    Utility,
    /// Answers what it is told in channels, and else plays as `utility` does.
    Correspondent,
    /// Answers what it is told in channels in the tone that it is told in, and else plays as `utility` does.
    Mirror,
    /// Passes on what it is told with "Have you heard?", and else plays as `utility` does.
    Herald,
    /// Answers as badly as models and networks can.
    Adversarial,
    /// Recorded replies, or the decisions of a session log, in their order.
    Replay,
}

#[derive(Args, Clone, Debug)]
pub struct StubArgs {
    /// Port on 127.0.0.1; 0 takes a free one.
    #[arg(long, default_value_t = 4000)]
    pub port: u16,
    #[arg(long, value_enum, default_value = "utility")]
    pub policy: PolicyKind,
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// With `adversarial`: this fault only, always.
    #[arg(long, value_enum)]
    pub fault: Option<policy::Fault>,
    /// JSON lines for `scripted` and `replay`.
    #[arg(long, value_name = "FILE")]
    pub script: Option<PathBuf>,
    /// How long each answer takes.
    #[arg(long, value_name = "MS", default_value_t = 0)]
    pub latency_ms: u64,
    /// A field of the request that is refused with status 400, as endpoints do that do not know it; may be repeated.
    #[arg(long, value_name = "FIELD")]
    pub refuse: Vec<String>,
}

/// The policy of that kind; `script` is the text of its file.
pub fn policy_of(kind: PolicyKind, seed: u64, script: Option<&str>) -> anyhow::Result<Box<dyn Policy>> {
    let script = || script.context("This policy needs --script FILE.");
    Ok(match kind {
        PolicyKind::Scripted => Box::new(policy::Scripted::read(script()?)?),
        PolicyKind::Replay => Box::new(policy::Replay::read(script()?)?),
        PolicyKind::Utility => Box::new(policy::Utility::new(seed)),
        PolicyKind::Correspondent => Box::new(policy::Correspondent::new(seed)),
        PolicyKind::Mirror => Box::new(policy::Mirror::new(seed)),
        PolicyKind::Herald => Box::new(policy::Herald::new(seed)),
        PolicyKind::Adversarial => Box::new(policy::Adversarial::new(seed)),
    })
}

/// Serves until it is interrupted. Prints `ready http=127.0.0.1:PORT`.
pub async fn run(args: StubArgs) -> anyhow::Result<ExitCode> {
    let script = match &args.script {
        Some(path) => Some(std::fs::read_to_string(path).with_context(|| format!("reading {}", path.display()))?),
        None => None,
    };
    let policy: Box<dyn Policy> = match (args.policy, args.fault) {
        (PolicyKind::Adversarial, Some(fault)) => Box::new(policy::Adversarial::new(args.seed).only(fault)),
        (_, Some(_)) => anyhow::bail!("`--fault` goes with `--policy adversarial`."),
        (kind, None) => policy_of(kind, args.seed, script.as_deref())?,
    };
    let options = StubOptions { latency_ms: args.latency_ms, refuses: args.refuse };
    let stub =
        start(args.port, policy, options).await.with_context(|| format!("listening on 127.0.0.1:{}", args.port))?;
    println!("ready http={}", stub.address);
    tokio::signal::ctrl_c().await.context("waiting for an interrupt")?;
    stub.stop();
    Ok(ExitCode::SUCCESS)
}
