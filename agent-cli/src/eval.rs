//! `dp-agent eval`: the suites of `memory-lab`, with likeness of meaning by the endpoint that is named, if one is.

use crate::embeddings::{Embedder, EmbeddingArgs, Vector, Vectors, most_alike};
use memory_lab::suites::{self, Likeness, Order, Size};
use std::io::Write;
use std::path::PathBuf;

#[derive(Clone, Debug, clap::Args)]
pub struct EvalArgs {
    /// Which: dreaming-speed (e4), sameness (e5), forgetting (e6), decay (e7), recall (e10), truth (e11), junk (e18),
    /// true-sentences (e21), attention (e22), or all
    #[arg(required = true, value_name = "SUITE")]
    pub suites: Vec<String>,
    /// Of the lives that are made up
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub seed: u64,
    /// Print JSON instead of tables
    #[arg(long)]
    pub json: bool,
    /// Also write a .json and a .md for each suite, and the figures, into this folder
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Small lives: seconds instead of minutes, wide intervals
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// The largest lives as well: ten million records, a million memories
    #[arg(long)]
    pub full: bool,
    /// For true-sentences: judge what is dreamt of the session logs in this folder, one folder for each agent, and
    /// make no lives up
    #[arg(long, value_name = "DIR")]
    pub sessions: Option<PathBuf>,
    #[command(flatten)]
    pub embeddings: EmbeddingArgs,
}

impl Likeness for Embedder {
    fn model(&self) -> &str {
        Embedder::model(self)
    }

    fn alike(&self, texts: &[String], questions: &[String], most: usize) -> anyhow::Result<Vec<Vec<u32>>> {
        let mut known = Vectors::default();
        let among: Vec<Vector> = self.vectors(texts, &mut known)?;
        let asked = self.vectors(questions, &mut known)?;
        Ok(asked.iter().map(|question| most_alike(question, &among, most)).collect())
    }
}

/// Runs suites. Tables or JSON go to `out`, progress to `told`. True when no result missed its target.
pub fn run(args: &EvalArgs, out: &mut dyn Write, told: &mut dyn Write) -> anyhow::Result<bool> {
    let embedder = args.embeddings.embedder()?;
    let size = match (args.quick, args.full) {
        (true, _) => Size::Quick,
        (_, true) => Size::Full,
        _ => Size::Usual,
    };
    let EvalArgs { suites, seed, json, output, sessions, .. } = args.clone();
    let order = Order { suites, seed, size, json, output, sessions };
    suites::run(&order, embedder.as_ref().map(|embedder| embedder as &dyn Likeness), out, told)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embeddings::tests::Letters;

    #[test]
    fn embeddings_are_measured_beside_the_rest_and_may_fail() {
        let measured = |base: &str| {
            let embeddings = EmbeddingArgs { embeddings: Some(base.into()), ..EmbeddingArgs::default() };
            let suites = vec!["e10".to_string()];
            let args = EvalArgs {
                suites,
                seed: 1,
                json: false,
                output: None,
                quick: true,
                full: false,
                sessions: None,
                embeddings,
            };
            let (mut out, mut told) = (Vec::new(), Vec::new());
            let passed = run(&args, &mut out, &mut told).expect("the suites run");
            (passed, String::from_utf8(out).expect("text"))
        };
        let letters = Letters::well();
        let (passed, text) = measured(&letters.base);
        assert!(passed && text.contains("with embeddings, R@5"), "{text}");
        let (passed, text) = measured("http://127.0.0.1:9");
        assert!(passed && text.contains("Without embeddings: ") && !text.contains("with embeddings, R@5"), "{text}");
    }
}
