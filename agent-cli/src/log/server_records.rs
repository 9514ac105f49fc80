//! What the server recorded of an agent, beside a session log: a row for each command, and what happened.
//!
//! Reads JSON lines of `dp-server decisions --columns all` and the session files that the server writes. Commands and
//! happenings are joined with the rows of a log by the number of the world's input, which nobody else has.

use super::reading::{Entry, SessionReader};
use crate::record::Row;
use crate::session_log::is_log;
use anyhow::{Context, bail};
use mind::{Event, LogEntry};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

/// Something that happened to somebody, as the server keeps it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Happening {
    pub seq: u64,
    pub tick: u64,
    pub at_ms: i64,
    pub input: u64,
    /// The happening itself, as the session file has it.
    pub what: Value,
}

/// What the server saw change from a command to the next; `None` where its rows do not tell.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ServerReward {
    pub exp: Option<i64>,
    pub gold: Option<i64>,
    pub hp: Option<i64>,
}

impl ServerReward {
    fn of(row: &Value) -> ServerReward {
        let reward = |name: &str| row["reward"][name].as_i64();
        ServerReward { exp: reward("exp"), gold: reward("gold"), hp: reward("hp") }
    }

    pub fn add(&mut self, more: &ServerReward) {
        let sum = |a: Option<i64>, b: Option<i64>| if a.is_none() { b } else { a.map(|a| a + b.unwrap_or(0)) };
        (self.exp, self.gold, self.hp) = (sum(self.exp, more.exp), sum(self.gold, more.gold), sum(self.hp, more.hp));
    }
}

#[derive(Debug, Default)]
pub(super) struct ServerRecords {
    /// Rows of commands, by the number of the input and the place in it: an alias makes several of one input.
    commands: BTreeMap<(u64, u64), Value>,
    /// By the agent's name in lower case; then by input and number, which is one order.
    happenings: BTreeMap<String, BTreeMap<(u64, u64), Happening>>,
}

/// The server's rows of the sessions that one log is of.
#[derive(Debug, Default)]
pub(super) struct OfSession<'r> {
    pub rows: Vec<&'r Value>,
    /// Those of them that the log has no command for.
    pub beyond: Vec<&'r Value>,
    /// How many rows beside these are of the harness itself, which decided nothing and which no log has.
    pub own: usize,
}

impl OfSession<'_> {
    /// What each decision earned, by its id in the log.
    pub fn rewards(&self) -> BTreeMap<u64, ServerReward> {
        let mut rewards: BTreeMap<u64, ServerReward> = BTreeMap::new();
        for row in &self.rows {
            if let Some(decision) = row["meta"]["decision"].as_u64() {
                rewards.entry(decision).or_default().add(&ServerReward::of(row));
            }
        }
        rewards
    }
}

impl ServerRecords {
    pub fn read(paths: &[PathBuf]) -> anyhow::Result<ServerRecords> {
        let mut records = ServerRecords::default();
        for path in paths {
            records.take(path)?;
        }
        Ok(records)
    }

    /// A file, or all JSON lines below a folder.
    fn take(&mut self, path: &Path) -> anyhow::Result<()> {
        let opening = || format!("opening {}", path.display());
        if path.is_dir() {
            let entries: Result<Vec<_>, _> = std::fs::read_dir(path).with_context(opening)?.collect();
            let mut paths: Vec<PathBuf> = entries.with_context(opening)?.into_iter().map(|e| e.path()).collect();
            paths.sort();
            for path in paths.iter().filter(|path| path.is_dir() || is_log(path)) {
                self.take(path)?;
            }
            return Ok(());
        }
        let file = File::open(path).with_context(opening)?;
        let mut agent = None;
        for (number, line) in (1..).zip(BufReader::new(file).lines()) {
            let line = line.with_context(|| format!("reading {}", path.display()))?;
            let wrong = || {
                format!(
                    "{}: line {number} is neither a row of `dp-server decisions --columns all` nor one of a session \
                     file of the server",
                    path.display()
                )
            };
            let row: Value = serde_json::from_str(&line).with_context(wrong)?;
            if number == 1 && row["log"] == "happenings" {
                agent = row["agent"].as_str().map(str::to_ascii_lowercase);
                continue;
            }
            let Some(agent) = &agent else {
                let (Some(input), Some(part)) = (row["input"].as_u64(), row["part"].as_u64()) else { bail!(wrong()) };
                self.commands.insert((input, part), row);
                continue;
            };
            let LogEntry { seq, tick, at_ms, input, event } = serde_json::from_value(row).with_context(wrong)?;
            if let Event::Happening(happening) = event {
                let what = serde_json::to_value(happening).with_context(wrong)?;
                let of_agent = self.happenings.entry(agent.clone()).or_default();
                of_agent.insert((input, seq), Happening { seq, tick, at_ms, input, what });
            }
        }
        Ok(())
    }

    /// The first command that an input brought: it stands for the line.
    pub fn of_input(&self, input: u64) -> Option<&Value> {
        self.commands.range((input, 0)..=(input, u64::MAX)).next().map(|(_, row)| row)
    }

    pub fn happenings_of(&self, agent: &str) -> impl Iterator<Item = &Happening> {
        self.happenings.get(&agent.to_ascii_lowercase()).into_iter().flat_map(BTreeMap::values)
    }

    /// What happened to an agent by one input.
    pub fn happenings_by(&self, agent: &str, input: u64) -> Vec<Value> {
        let Some(of_agent) = self.happenings.get(&agent.to_ascii_lowercase()) else { return Vec::new() };
        of_agent.range((input, 0)..=(input, u64::MAX)).map(|(_, one)| one.what.clone()).collect()
    }

    /// The rows of the server's sessions in which the commands of a log were run.
    pub fn of_session(&self, log: &Path) -> anyhow::Result<OfSession<'_>> {
        if self.commands.is_empty() {
            return Ok(OfSession::default());
        }
        let mut reader = SessionReader::open(log)?;
        let mut inputs = BTreeSet::new();
        while let Some(entry) = reader.next(|kind| kind == "command")? {
            if let Entry::Row(row) = entry
                && let Row::Command(row) = *row
            {
                inputs.extend(row.input);
            }
        }
        let session = |row: &Value| row["session"].as_i64();
        let known = self.commands.iter().filter(|((input, _), _)| inputs.contains(input));
        let sessions: BTreeSet<i64> = known.filter_map(|(_, row)| session(row)).collect();
        let of_them = self.commands.iter().filter(|(_, row)| session(row).is_some_and(|id| sessions.contains(&id)));
        let mut found = OfSession::default();
        for ((input, _), row) in of_them {
            if row["kind"] == "harness" {
                found.own += 1;
                continue;
            }
            found.rows.push(row);
            if !inputs.contains(input) {
                found.beyond.push(row);
            }
        }
        Ok(found)
    }
}
