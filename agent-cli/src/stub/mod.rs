//! `dp-agent stub`: an OpenAI-compatible endpoint on loopback whose "model" is a policy of ours, so that everything
//! here can be tried and measured without a network.

/// STAND-IN until MODEL's is merged.
pub async fn run(_: Vec<String>) -> anyhow::Result<std::process::ExitCode> {
    anyhow::bail!("not merged yet")
}
