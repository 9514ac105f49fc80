//! What logins and records say that runs the agent.

pub const NAME: &str = "dp-agent";
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
