//! What came of a dream: the result file, and the block that people read.

use dreaming::Report;
use dreaming::narrate::Sentence;
use dreaming::records::Problem;
use protocol::names::clean_text;
use serde::Serialize;
use std::io::{self, Write};

/// What `dream-result.json` holds.
#[derive(Clone, Debug, Serialize)]
pub struct Outcome {
    pub sessions_read: usize,
    pub lines_read: usize,
    pub lines_twice: usize,
    #[serde(flatten)]
    pub report: Report,
    /// Of the graph's document; None until it is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub graph_hash: Option<String>,
    pub problems_count: usize,
    pub problems: Vec<Problem>,
    /// Each sentence of the story with the seqs that it stands on.
    pub sentences: Vec<Sentence>,
    #[serde(skip)]
    pub summary: String,
}

/// Prints the result block. Source: the specification. What a log says of itself comes in without control characters.
pub fn tell(outcome: &Outcome, dry_run: bool, told: &mut dyn Write) -> io::Result<()> {
    let report = &outcome.report;
    writeln!(told, "{}", if dry_run { "Dream complete (dry run, nothing written):" } else { "Dream complete:" })?;
    let rows: [(&str, String); 7] = [
        ("Agent:", report.agent.clone()),
        ("Sessions read:", outcome.sessions_read.to_string()),
        ("Events extracted:", report.events_extracted.to_string()),
        ("Nodes before:", report.nodes_before.to_string()),
        ("Nodes after:", report.nodes_after.to_string()),
        ("Pruned:", report.pruned.to_string()),
        ("Summary tokens:", report.summary_tokens.to_string()),
    ];
    for (name, value) in rows {
        writeln!(told, "  {name:<17} {value}")?;
    }
    if let Some(why) = &report.rebuilt {
        writeln!(told, "The graph was made anew: {why}.")?;
    }
    for notice in &report.notices {
        writeln!(told, "Note: {}.", clean_text(notice))?;
    }
    for problem in &outcome.problems {
        writeln!(told, "Left out: {}.", clean_text(&problem.to_string()))?;
    }
    let untold = outcome.problems_count - outcome.problems.len();
    if untold > 0 {
        writeln!(told, "Left out: {untold} more lines.")?;
    }
    Ok(())
}
