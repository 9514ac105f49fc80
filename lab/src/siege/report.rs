//! What a siege came to, as people and as programs read it.

use super::evidence::{Bounds, Evidence, STAGES, StageFigures, judge};
use super::tally::Outcome;
use serde_json::{Value, json};
use std::fmt;
use std::path::PathBuf;

/// The evidence, what it is held against, and the words above it.
pub struct Report {
    /// How many of whom did what for how long, and with which server.
    pub setting: String,
    pub evidence: Evidence,
    pub bounds: Bounds,
    /// State folder and log of the server, left where a promise is broken.
    pub left: Option<PathBuf>,
}

/// Most of the words of refusals that are shown of a trigger.
const WORDS_SHOWN: usize = 4;

impl Report {
    /// The names of the promises that are broken.
    pub fn broken(&self) -> Vec<&'static str> {
        let judged = judge(&self.evidence, &self.bounds);
        judged.into_iter().filter(|(_, result)| result.is_err()).map(|(name, _)| name).collect()
    }

    pub fn to_json(&self) -> Value {
        let e = &self.evidence;
        let stages: Vec<Value> = STAGES.iter().zip(&e.stages).map(|(name, stage)| stage_json(name, stage)).collect();
        let triggers: Vec<Value> = e
            .triggers
            .iter()
            .map(|t| {
                json!({ "name": t.name, "finding": t.finding, "does": t.does, "tried": t.outcome.tried,
                    "allowed": t.outcome.allowed(), "refused": t.outcome.refused })
            })
            .collect();
        let promises: Vec<Value> = judge(e, &self.bounds)
            .into_iter()
            .map(|(name, result)| {
                let kept = result.is_ok();
                json!({ "name": name, "kept": kept, "seen": result.unwrap_or_else(|why| why) })
            })
            .collect();
        json!({ "setting": self.setting, "stages": stages, "triggers": triggers, "promises": promises,
            "left": self.left })
    }
}

fn stage_json(name: &str, stage: &StageFigures) -> Value {
    let (commands, visits) = (&stage.commands, &stage.visits);
    json!({
        "name": name, "seconds": stage.seconds,
        "commands": { "due": commands.due, "typed": commands.typed, "answered": commands.latencies.count,
            "p50_us": commands.latencies.percentile_us(50.0), "p99_us": commands.latencies.percentile_us(99.0),
            "max_us": commands.latencies.max_us },
        "visitors": { "came": visits.outcome.tried, "refused": visits.outcome.refused,
            "p50_us": visits.latencies.percentile_us(50.0), "p99_us": visits.latencies.percentile_us(99.0),
            "max_us": visits.latencies.max_us },
        "server": { "cpu_ms": stage.server_cpu_ms, "rss_kb": stage.rss_kb, "descriptors": stage.descriptors,
            "late_ticks": stage.late_ticks },
        "generator_cpu_ms": stage.generator_cpu_ms,
        "connections_refused": stage.connections_refused, "commands_refused": stage.commands_refused,
        "logins_refused": stage.logins_refused, "characters_made": stage.characters_made, "records": stage.records,
    })
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let e = &self.evidence;
        writeln!(f, "{}\n", self.setting)?;
        writeln!(f, "{:<34}{:>12}{:>12}{:>12}", "", STAGES[0], STAGES[1], STAGES[2])?;
        type Cell = fn(&StageFigures) -> String;
        let rows: [(&str, Cell); 19] = [
            ("players' commands due", |s| s.commands.due.to_string()),
            ("  typed", |s| s.commands.typed.to_string()),
            ("  answered", |s| s.commands.latencies.count.to_string()),
            ("  p50", |s| in_ms(s.commands.latencies.percentile_us(50.0))),
            ("  p99", |s| in_ms(s.commands.latencies.percentile_us(99.0))),
            ("  longest", |s| in_ms(s.commands.latencies.max_us)),
            ("visitors let in", |s| format!("{} of {}", s.visits.latencies.count, s.visits.outcome.tried)),
            ("  p50", |s| in_ms(s.visits.latencies.percentile_us(50.0))),
            ("  p99", |s| in_ms(s.visits.latencies.percentile_us(99.0))),
            ("server CPU", |s| share(s.server_cpu_ms, s.seconds)),
            ("generator CPU", |s| share(s.generator_cpu_ms, s.seconds)),
            ("server memory at the end", |s| format!("{} MB", s.rss_kb / 1_024)),
            ("open files at the end", |s| s.descriptors.to_string()),
            ("late ticks", |s| s.late_ticks.to_string()),
            ("connections refused", |s| s.connections_refused.to_string()),
            ("commands refused", |s| s.commands_refused.to_string()),
            ("logins refused", |s| s.logins_refused.to_string()),
            ("characters made", |s| s.characters_made.to_string()),
            ("records of what happened", |s| s.records.to_string()),
        ];
        for (name, cell) in rows {
            let [a, b, c] = &e.stages;
            writeln!(f, "{name:<34}{:>12}{:>12}{:>12}", cell(a), cell(b), cell(c))?;
        }
        writeln!(f, "\n{:<18}{:<7}{:>9}{:>9}  what it was told", "trigger", "", "tried", "allowed")?;
        for t in &e.triggers {
            writeln!(f, "{:<18}{:<7}{:>9}{:>9}  {}", t.name, t.finding, t.outcome.tried, t.outcome.allowed(), t.does)?;
            for line in told(&t.outcome) {
                writeln!(f, "{:<45}{line}", "")?;
            }
        }
        writeln!(f)?;
        for (name, result) in judge(e, &self.bounds) {
            match result {
                Ok(seen) => writeln!(f, "kept    {name}: {seen}")?,
                Err(why) => writeln!(f, "BROKEN  {name}: {why}")?,
            }
        }
        match self.broken().len() {
            0 => write!(f, "\nall promises are kept")?,
            count => write!(f, "\n{count} promises are broken: {}", self.broken().join("; "))?,
        }
        match &self.left {
            Some(folder) => write!(f, "\nthe server's state folder and log are left in {}", folder.display()),
            None => Ok(()),
        }
    }
}

fn in_ms(us: u64) -> String {
    format!("{:.2} ms", us as f64 / 1_000.0)
}

fn share(cpu_ms: f64, seconds: f64) -> String {
    format!("{:.0} %", cpu_ms / seconds.max(0.001) / 10.0)
}

/// What was said most often, first.
fn told(outcome: &Outcome) -> Vec<String> {
    let mut words: Vec<(&String, &u64)> = outcome.refused.iter().collect();
    words.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    let lines = words.iter().take(WORDS_SHOWN).map(|(words, count)| format!("{count} × {words}"));
    let rest = words.len().saturating_sub(WORDS_SHOWN);
    lines.chain((rest > 0).then(|| format!("and {rest} other answers"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::siege::attack::TriggerOutcome;

    #[test]
    fn a_broken_promise_stands_in_both_forms() {
        let refused = [("rate_limited: slow down".to_string(), 7), ("hung up".to_string(), 9)].into();
        let trigger = TriggerOutcome {
            name: "hoarding",
            finding: "H3",
            does: "drops and gets",
            outcome: Outcome { tried: 20, refused, reached: None },
        };
        let evidence = Evidence { triggers: vec![trigger], gaps: 3, ..Evidence::default() };
        let report = Report { setting: "20 players".into(), evidence, bounds: Bounds::default(), left: None };
        let text = report.to_string();
        assert!(text.contains("BROKEN  every command is answered"), "{text}");
        let (often, seldom) = (text.find("9 × hung up"), text.find("7 × rate_limited"));
        assert!(often.is_some() && often < seldom, "{text}");
        let json = report.to_json();
        assert_eq!(json["triggers"][0]["allowed"], 4);
        let kept: Vec<bool> =
            json["promises"].as_array().expect("a list").iter().filter_map(|p| p["kept"].as_bool()).collect();
        assert_eq!(kept.iter().filter(|kept| !**kept).count(), report.broken().len());
        assert_eq!(json["stages"].as_array().map(Vec::len), Some(3));
    }
}
