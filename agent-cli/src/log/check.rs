//! Whether a session log is whole: its order, its references, and its sums.
//!
//! A log whose process was killed lacks its end: what is missing is counted. A log of a version before 3 is read, with
//! what it lacks named.

use super::reading::{Entry, SessionReader, summary_of};
use super::server_records::{OfSession, ServerRecords, ServerReward};
use crate::record::{CommandOutcome, Reward, Row};
use crate::session_log::Summary;
use protocol::words::counted;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;

/// Problems that are told one by one; the rest is counted.
const PROBLEMS_TOLD: usize = 20;

/// What is known of a log.
#[derive(Debug, Default)]
pub struct Report {
    pub version: u32,
    pub decisions: u64,
    pub commands: u64,
    pub turns: u64,
    pub outcomes: u64,
    pub by_source: BTreeMap<&'static str, u64>,
    pub reward: Reward,
    /// The part of it that no outcome names a command for.
    pub inferred: Reward,
    pub tokens_prompt: u64,
    pub tokens_cached: u64,
    pub tokens_cache_written: u64,
    pub tokens_output: u64,
    pub cost_micros: u64,
    /// Decisions whose cost is not known.
    pub unpriced: u64,
    /// Commands of which nobody knows what came of them.
    pub unanswered: u64,
    /// Lines that were decided and never sent.
    pub unsent: u64,
    pub notes: u64,
    /// Decisions that were not closed.
    pub open: BTreeSet<u64>,
    /// What contradicts itself, with the number of the line.
    pub problems: Vec<String>,
    /// What is not there, because the process was killed.
    pub missing: Vec<String>,
    /// What the server's records say of that.
    pub filled: Vec<String>,
    /// What a log of an older version has no rows for.
    pub lacks: Vec<&'static str>,
    closed: u64,
    exp_of_turns: i64,
    cost_of_turns: f64,
    tokens_of_turns: u64,
}

const NO_SUMMARY: &str = "there is no summary: the session goes on, or its process was killed";

/// Reads a log and its summary. Fails only where the file cannot be read at all. `server`: what the server recorded of
/// the same session, as far as it was given.
pub fn check(path: &Path, server: &ServerRecords) -> anyhow::Result<Report> {
    let mut reader = SessionReader::open(path)?;
    let mut report = Report { version: reader.header.schema_version, ..Report::default() };
    let has_decisions = reader.has_decisions();
    while let Some(entry) = reader.next(|_| true)? {
        let line = reader.line;
        match entry {
            Entry::Row(row) => report.row(line, *row, has_decisions),
            Entry::Cut => report.missing.push(format!("line {line} is cut off")),
            Entry::Wrong(why) => report.problem(line, format!("is no row: {why}")),
        }
    }
    let summary = summary_of(path)?;
    if has_decisions {
        report.end(summary.as_ref());
        report.fill(&server.of_session(path)?);
    } else {
        report.end_of_old(summary.as_ref());
    }
    Ok(report)
}

impl Report {
    /// Nothing contradicts, and nothing is missing.
    pub fn is_whole(&self) -> bool {
        self.problems.is_empty() && self.missing.is_empty()
    }

    fn problem(&mut self, line: u64, what: impl AsRef<str>) {
        self.problems.push(format!("line {line} {}", what.as_ref()));
    }

    fn row(&mut self, line: u64, row: Row, has_decisions: bool) {
        if !has_decisions && !matches!(row, Row::Turn(_)) {
            return self.problem(line, format!("is of a kind that version {} does not have", self.version));
        }
        match row {
            Row::Decision(row) => {
                if row.id != self.decisions + 1 {
                    self.problem(line, format!("is decision {} behind {}", row.id, self.decisions));
                }
                self.decisions = self.decisions.max(row.id);
                self.open.insert(row.id);
                *self.by_source.entry(row.source.name()).or_default() += 1;
                self.tokens_prompt += row.tokens.prompt;
                self.tokens_output += row.tokens.output;
                self.tokens_cached += row.tokens.cached;
                self.tokens_cache_written += row.tokens.cache_written;
                self.cost_micros += row.cost_micros.unwrap_or(0);
                self.unpriced += u64::from(row.cost_micros.is_none());
                let differ = |cost: f64, micros: u64| (cost * 1e6 - micros as f64).abs() > 0.5;
                match (row.cost, row.cost_micros) {
                    (Some(cost), Some(micros)) if differ(cost, micros) => {
                        self.problem(line, format!("has two costs: {cost} and {micros} millionths"));
                    }
                    (Some(_), None) | (None, Some(_)) => self.problem(line, "has one cost where two are to agree"),
                    _ => {}
                }
            }
            Row::Command(row) => {
                match row.id {
                    Some(id) => {
                        if id != self.commands + 1 {
                            self.problem(line, format!("is command {id} behind {}", self.commands));
                        }
                        self.commands = self.commands.max(id);
                    }
                    None => self.unsent += 1,
                }
                self.refers(line, Some(row.decision));
                self.unanswered += u64::from(row.outcome == CommandOutcome::Unanswered);
                if (row.outcome == CommandOutcome::Unsent) != row.id.is_none() {
                    self.problem(line, "was not sent and has a number, or was sent and has none");
                }
                let has_reason = matches!(row.outcome, CommandOutcome::Refused | CommandOutcome::Unsent);
                if has_reason != row.reason.is_some() {
                    self.problem(line, "is refused without a reason, or has one without");
                }
            }
            Row::Turn(row) => {
                if row.turn_number != self.turns + 1 && has_decisions {
                    self.problem(line, format!("is turn {} behind {}", row.turn_number, self.turns));
                }
                // What is missing is told once.
                self.turns = if has_decisions { row.turn_number } else { self.turns + 1 };
                if has_decisions && row.turn_number != self.commands {
                    self.problem(line, format!("is turn {} of command {}", row.turn_number, self.commands));
                }
                self.refers(line, row.decision_id);
                self.exp_of_turns += row.exp_gained;
                self.cost_of_turns += row.cost.unwrap_or(0.0);
                self.tokens_of_turns += row.tokens.prompt;
            }
            Row::Outcome(row) => {
                self.outcomes += 1;
                self.refers(line, row.decision);
            }
            Row::Closed(row) => {
                self.closed += 1;
                if !self.open.remove(&row.decision) {
                    self.problem(line, format!("closes decision {}, which is not open", row.decision));
                }
                if row.from_tick > row.to_tick && row.to_tick.is_some() {
                    self.problem(line, "ends before it begins");
                }
                self.reward.add(&row.reward);
                self.inferred.add(&row.inferred);
            }
            Row::Note(_) => self.notes += 1,
        }
    }

    fn refers(&mut self, line: u64, decision: Option<u64>) {
        if let Some(id) = decision.filter(|id| *id == 0 || *id > self.decisions) {
            self.problem(line, format!("refers to decision {id}, which was not made"));
        }
    }

    fn end(&mut self, summary: Option<&Summary>) {
        if !self.open.is_empty() {
            let (count, first) = (self.open.len(), self.open.first().copied().unwrap_or(0));
            self.missing.push(format!(
                "{} from {first} on: not closed, and what they earned stands in no row (the server's records have it: \
                 dp-server decisions --columns all)",
                counted(count as u64, "decision")
            ));
        }
        let Some(summary) = summary else {
            self.missing.push(NO_SUMMARY.to_string());
            return;
        };
        let tokens = summary.counts.tokens;
        let mut sums = vec![
            ("points of experience", self.reward.exp, summary.exp_gained),
            ("tokens of prompts", self.tokens_prompt as i64, tokens.prompt as i64),
            ("tokens of answers", self.tokens_output as i64, tokens.completion as i64),
            ("millionths of cost", self.cost_micros as i64, summary.counts.cost_micros as i64),
            ("decisions", self.decisions as i64, summary.decisions as i64),
            ("turns", self.turns as i64, summary.turns as i64),
            ("commands", self.commands as i64, summary.turns as i64),
            ("cached tokens", self.tokens_cached as i64, tokens.cached as i64),
            ("tokens written to the cache", self.tokens_cache_written as i64, tokens.cache_written as i64),
            ("decisions of unknown cost", self.unpriced as i64, summary.counts.unpriced as i64),
        ];
        if let Some(told) = summary.reward {
            let rows = self.reward;
            sums.extend([
                ("points of experience in rewards", rows.exp, told.exp),
                ("gold", rows.gold, told.gold),
                ("hit points", rows.hp, told.hp),
                ("deaths", rows.deaths, told.deaths),
                ("kills", rows.kills, told.kills),
                ("levels", rows.levels, told.levels),
                ("new rooms", rows.rooms_new, told.rooms_new),
            ]);
        }
        if let Some(told) = &summary.rows {
            let in_summary = |kind: &str| told.get(kind).copied().unwrap_or(0) as i64;
            sums.extend([
                ("rows of decisions", self.decisions as i64, in_summary("decision")),
                ("rows of commands", (self.commands + self.unsent) as i64, in_summary("command")),
                ("rows of turns", self.turns as i64, in_summary("turn")),
                ("rows of outcomes", self.outcomes as i64, in_summary("outcome")),
                ("rows of closed decisions", self.closed as i64, in_summary("closed")),
                ("notes", self.notes as i64, in_summary("note")),
            ]);
        }
        for (what, rows, told) in sums {
            if rows != told {
                self.problems.push(format!("the rows have {rows} {what}, the summary {told}"));
            }
        }
    }

    /// What the server has that the log lacks: commands behind its end, and what open decisions earned.
    fn fill(&mut self, server: &OfSession<'_>) {
        if server.rows.is_empty() || self.missing.is_empty() {
            return;
        }
        let refused = server.beyond.iter().filter(|row| !row["error"].is_null()).count();
        self.filled.push(format!(
            "{} commands of this session, {} of them beyond this log ({refused} refused); and {} of the program itself, \
             such as `recall`, which no log has",
            server.rows.len(),
            server.beyond.len(),
            server.own
        ));
        let rewards = server.rewards();
        let mut earned = ServerReward::default();
        let open = rewards.iter().filter(|(id, _)| self.open.contains(id) || **id > self.decisions);
        let known = open.inspect(|(_, reward)| earned.add(reward)).count();
        let told = |amount: Option<i64>| amount.map_or("unknown".to_string(), |amount| amount.to_string());
        self.filled.push(format!(
            "{known} decisions that this log did not close, or does not have, earned exp {}, gold {}, hp {}",
            told(earned.exp),
            told(earned.gold),
            told(earned.hp)
        ));
    }

    fn end_of_old(&mut self, summary: Option<&Summary>) {
        self.lacks = vec![
            "decisions that sent nothing, and what they cost",
            "answers, commentary and the state that was decided on",
            "which command an outcome follows from, and the outcomes",
            "what each decision earned: `exp_gained` of a turn is what changed while it was answered",
            "ticks, and the settings in the header",
        ];
        match summary {
            None => self.missing.push(NO_SUMMARY.to_string()),
            Some(summary) if summary.turns != self.turns => {
                self.problems.push(format!("the rows have {} turns, the summary {}", self.turns, summary.turns));
            }
            Some(_) => {}
        }
    }

    /// For people: what was found, ending with a verdict.
    pub fn text(&self, path: &Path) -> String {
        let mut text = String::new();
        // A String takes all.
        let mut put = |line: std::fmt::Arguments<'_>| writeln!(text, "{line}").expect("a String takes all");
        put(format_args!("{} (version {})", path.display(), self.version));
        if self.lacks.is_empty() {
            let sources: Vec<String> = self.by_source.iter().map(|(name, count)| format!("{name} {count}")).collect();
            put(format_args!("  decisions  {} ({})", self.decisions, sources.join(", ")));
            let (commands, unanswered, unsent) = (self.commands, self.unanswered, self.unsent);
            put(format_args!("  commands   {commands} ({unanswered} unanswered), and {unsent} that were not sent"));
            put(format_args!("  outcomes   {}", self.outcomes));
            let (r, i) = (&self.reward, &self.inferred);
            put(format_args!(
                "  reward     exp {} ({} inferred), gold {} ({}), hp {} ({}), kills {}, deaths {}, levels {}, rooms {}",
                r.exp, i.exp, r.gold, i.gold, r.hp, i.hp, r.kills, r.deaths, r.levels, r.rooms_new
            ));
            let known = self.cost_micros as f64 / 1e6;
            let cost = match (self.unpriced, self.cost_micros) {
                (0, _) => format!("cost {known:.6}"),
                (_, 0) => "price unknown".to_string(),
                (unpriced, _) => format!("cost at least {known:.6} (of {unpriced} decisions it is not known)"),
            };
            put(format_args!(
                "  model      {} tokens read, {} written, {cost}",
                self.tokens_prompt, self.tokens_output
            ));
        } else {
            put(format_args!(
                "  turns      {}: experience {}, tokens {}, cost {:.6}",
                self.turns, self.exp_of_turns, self.tokens_of_turns, self.cost_of_turns
            ));
            self.lacks.iter().for_each(|what| put(format_args!("  it lacks: {what}")));
        }
        self.missing.iter().for_each(|what| put(format_args!("  missing: {what}")));
        self.filled.iter().for_each(|what| put(format_args!("  the server has: {what}")));
        self.problems.iter().take(PROBLEMS_TOLD).for_each(|what| put(format_args!("  wrong: {what}")));
        if let Some(more) = self.problems.len().checked_sub(PROBLEMS_TOLD).filter(|more| *more > 0) {
            put(format_args!("  wrong: {more} more"));
        }
        put(format_args!("{}", if self.is_whole() { "  It is whole." } else { "  It is not whole." }));
        text
    }
}
