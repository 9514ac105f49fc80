//! What the server costs and counts, looked at from outside while a siege goes on.

use super::evidence::StageFigures;
use crate::load::control::Control;
use crate::load::process::Process;
use serde_json::Value;
use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Looks at one server's process, `/metrics` and `/health`.
pub struct Watch {
    process: Process,
    control: Control,
    /// The highest values of all looks.
    pub highest: Highest,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Highest {
    pub descriptors: usize,
    pub rss_kb: u64,
}

/// One look.
#[derive(Clone, Debug)]
pub struct Mark {
    at: Instant,
    cpu_ms: f64,
    generator_cpu_ms: f64,
    pub rss_kb: u64,
    pub descriptors: usize,
    counts: BTreeMap<String, f64>,
}

/// What `/health` says of what waits and what is lost.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub reasons: Vec<String>,
    pub backlog: u64,
    pub records_lost: u64,
    pub minds_lost: u64,
    pub decisions_lost: u64,
    pub given_up: u64,
}

impl Watch {
    pub async fn begin(id: u32, http: SocketAddr, token: &str) -> anyhow::Result<Watch> {
        Ok(Watch { process: Process(id), control: Control::connect(http, token).await?, highest: Highest::default() })
    }

    pub async fn mark(&mut self) -> anyhow::Result<Mark> {
        let counts = counts_of(&self.control.get_text("/metrics").await?);
        let (rss_kb, descriptors) = self.look()?;
        Ok(Mark {
            at: Instant::now(),
            cpu_ms: self.process.cpu_ms()?,
            generator_cpu_ms: Process::own().cpu_ms()?,
            rss_kb,
            descriptors,
            counts,
        })
    }

    fn look(&mut self) -> anyhow::Result<(u64, usize)> {
        let (rss_kb, descriptors) = (self.process.rss_kb()?, self.process.descriptors()?);
        self.highest.rss_kb = self.highest.rss_kb.max(rss_kb);
        self.highest.descriptors = self.highest.descriptors.max(descriptors);
        Ok((rss_kb, descriptors))
    }

    /// Waits, and looks twice a second for the highest values.
    pub async fn sleep(&mut self, time: Duration) -> anyhow::Result<()> {
        let end = tokio::time::Instant::now() + time;
        while tokio::time::Instant::now() < end {
            let next = tokio::time::Instant::now() + Duration::from_millis(500);
            tokio::time::sleep_until(next.min(end)).await;
            self.look()?;
        }
        Ok(())
    }

    pub async fn state(&mut self) -> anyhow::Result<State> {
        Ok(state_of(&self.control.health().await?))
    }
}

impl Mark {
    /// What lies between this look and a later one.
    pub fn until(&self, later: &Mark) -> StageFigures {
        let counted = |name: &str| {
            let of = |mark: &Mark| mark.counts.get(name).copied().unwrap_or(0.0);
            (of(later) - of(self)).max(0.0) as u64
        };
        StageFigures {
            seconds: later.at.duration_since(self.at).as_secs_f64(),
            server_cpu_ms: later.cpu_ms - self.cpu_ms,
            generator_cpu_ms: later.generator_cpu_ms - self.generator_cpu_ms,
            rss_kb: later.rss_kb,
            descriptors: later.descriptors,
            late_ticks: counted("dp_late_ticks_total"),
            connections_refused: counted("dp_connections_refused_total"),
            commands_refused: counted("dp_commands_refused_total"),
            logins_refused: counted("dp_logins_refused_total"),
            characters_made: counted("dp_characters_made_total"),
            records: counted("dp_minds_records_total"),
            ..StageFigures::default()
        }
    }
}

/// The values of metrics by name, those of different labels added up.
fn counts_of(metrics: &str) -> BTreeMap<String, f64> {
    let mut counts: BTreeMap<String, f64> = BTreeMap::new();
    for line in metrics.lines().filter(|line| !line.starts_with('#')) {
        if let Some((name, value)) = line.rsplit_once(' ')
            && let Ok(value) = value.parse::<f64>()
        {
            let name = name.split('{').next().unwrap_or(name);
            *counts.entry(name.to_string()).or_default() += value;
        }
    }
    counts
}

fn state_of(health: &Value) -> State {
    let number = |path: &str| health.pointer(path).and_then(Value::as_u64).unwrap_or(0);
    let all = |paths: &[&str]| paths.iter().map(|path| number(path)).sum();
    let reasons = health["reasons"].as_array().into_iter().flatten().filter_map(|reason| reason.as_str());
    State {
        reasons: reasons.map(String::from).collect(),
        backlog: all(&["/queue", "/unsaved", "/minds/waiting", "/decisions/waiting"]),
        records_lost: number("/minds/records_lost"),
        minds_lost: number("/minds/lost"),
        decisions_lost: all(&["/decisions/dropped", "/decisions/skipped"]),
        given_up: all(&["/given_up/inputs", "/given_up/releases"]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn metrics_of_several_labels_are_one_number() {
        let text = "# HELP dp_logins_refused x\ndp_logins_refused_total{reason=\"a b\"} 3\n\
                    dp_logins_refused_total{reason=\"c\"} 4\ndp_tick 12\n# EOF\n";
        let counts = counts_of(text);
        assert_eq!((counts["dp_logins_refused_total"], counts["dp_tick"], counts.len()), (7.0, 12.0, 2));
    }

    #[test]
    fn what_waits_and_what_is_lost_is_read_from_health() {
        let health = json!({
            "status": "degraded", "reasons": ["The server is stopping."], "queue": 1, "unsaved": 2,
            "given_up": { "inputs": 0, "releases": 5 },
            "minds": { "waiting": 3, "records_lost": 7, "lost": 0 },
            "decisions": { "waiting": 4, "dropped": 1, "skipped": 2 },
        });
        let expected = State {
            reasons: vec!["The server is stopping.".into()],
            backlog: 10,
            records_lost: 7,
            minds_lost: 0,
            decisions_lost: 3,
            given_up: 5,
        };
        assert_eq!(state_of(&health), expected);
    }
}
