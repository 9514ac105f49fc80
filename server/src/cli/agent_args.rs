//! The flags that say what a character's record as an agent is to hold.

use crate::operator::AgentOrder;
use anyhow::{Context, bail};
use protocol::channel::PersonKind;
use std::path::PathBuf;
use world::agent::{AgentTerms, clean_lines};

/// A record as an agent: one flag makes it, and what is given again changes it.
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Record as an agent")]
pub struct AgentArgs {
    /// What it is: persona (a character of its own, the default) or bot (with a job)
    #[arg(long)]
    kind: Option<String>,
    /// Who it is, or what its job is: a text of at most 4,000 characters
    #[arg(long, value_name = "FILE")]
    seed: Option<PathBuf>,
    /// The model that is to play it
    #[arg(long)]
    model: Option<String>,
    /// How much of a prompt it gets, for clients that follow the record
    #[arg(long)]
    tier: Option<String>,
    /// The form of its prompts, for clients that follow the record
    #[arg(long)]
    in_format: Option<String>,
    /// The form of its answers, for clients that follow the record
    #[arg(long)]
    out_format: Option<String>,
    /// The character whose agent it is
    #[arg(long)]
    owner: Option<String>,
    /// It may make, change and retire agents of its owner's
    #[arg(long, num_args = 0..=1, default_missing_value = "true", value_name = "true|false")]
    may_create_agents: Option<bool>,
}

impl AgentArgs {
    /// None where no flag was given.
    pub fn order(self) -> anyhow::Result<Option<AgentOrder>> {
        let kind = match self.kind.as_deref() {
            None => None,
            Some("persona") => Some(PersonKind::Persona),
            Some("bot") => Some(PersonKind::Bot),
            Some(other) => bail!("--kind is persona or bot; {other:?} is neither"),
        };
        let seed = match &self.seed {
            None => None,
            Some(file) => {
                let text = std::fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
                Some(clean_lines(&text).into())
            }
        };
        let text = |text: Option<String>| text.map(|text| text.into());
        let terms = AgentTerms {
            kind,
            model: text(self.model),
            seed,
            tier: text(self.tier),
            in_format: text(self.in_format),
            out_format: text(self.out_format),
            may_create_agents: self.may_create_agents,
        };
        let order = AgentOrder { owner: self.owner, terms };
        Ok((!order.is_empty()).then_some(order))
    }
}
