//! `dp-agent eval`: the suites of `memory-lab`, with likeness of meaning by the endpoint that is named, if one is.
//!
//! `eval reply` needs a world, which no agent has: the program `reply` of the crate `lab`, built beside this one, plays
//! it.

use crate::embeddings::{Embedder, EmbeddingArgs, Vector, Vectors, most_alike};
use anyhow::{Context, bail};
use memory_lab::suites::{self, Likeness, Order, Size};
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

#[derive(Clone, Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub struct EvalArgs {
    #[command(subcommand)]
    pub played: Option<Played>,
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

/// What is played in a world.
#[derive(Clone, Debug, clap::Subcommand)]
pub enum Played {
    /// Plays a server's past on with one reply changed (`--state-dir DIR --message ID --instead TEXT`), and says what
    /// came of it; needs the program `reply` of the crate `lab` beside this one
    #[command(disable_help_flag = true)]
    Reply {
        /// What `reply --help` lists
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "OPTIONS")]
        options: Vec<OsString>,
    },
}

/// What of `lab` a subcommand starts.
const REPLY: &str = "reply";

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
    if let Some(Played::Reply { options }) = &args.played {
        let own = std::env::current_exe().context("finding this program")?;
        return play(&own.with_file_name(format!("{REPLY}{}", std::env::consts::EXE_SUFFIX)), options);
    }
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

/// Lets a program of `lab` do it. True when it was content.
fn play(program: &Path, options: &[OsString]) -> anyhow::Result<bool> {
    if !program.is_file() {
        bail!(
            "{} is not there: this plays a whole world, which is the laboratory's. In the sources of dark pawns it is \
             built by cargo build --release -p lab --bin {REPLY}",
            program.display()
        );
    }
    let status =
        Command::new(program).args(options).status().with_context(|| format!("starting {}", program.display()))?;
    Ok(status.success())
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
                played: None,
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

    #[test]
    fn what_plays_a_world_is_started_with_its_options_or_named_where_it_is_missing() {
        let missing = play(Path::new("/nowhere/reply"), &[]).expect_err("it is not there").to_string();
        assert!(missing.contains("/nowhere/reply is not there") && missing.contains("-p lab --bin reply"), "{missing}");
        assert!(
            play(Path::new("/bin/test"), &["--message".into(), "=".into(), "--message".into()]).expect("it starts")
        );
        assert!(!play(Path::new("/bin/test"), &["1".into(), "=".into(), "2".into()]).expect("it starts"));
    }
}
