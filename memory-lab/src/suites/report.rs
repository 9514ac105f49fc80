//! What a suite found: values with intervals beside their targets, as JSON and as a table.
//!
//! Invariant: a verdict follows from value, interval and target alone. A result fails its suite when its whole interval
//! is beyond the target; timings and baselines fail nothing.

use serde::Serialize;
use serde_json::Value;
use std::fmt::Write;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// The same on any machine.
    Result,
    /// The same on any machine, and no finding: whether the program does what its own rule or formula says.
    SelfTest,
    /// Of this machine, now.
    Timing,
    /// How others or simpler ways do, to be compared with.
    Baseline,
    /// To be known, with nothing to aim at.
    Detail,
}

#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    AtLeast(f64),
    AtMost(f64),
    Between(f64, f64),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    Met,
    /// Missed, but the target lies within the interval: it may be chance.
    Uncertain,
    Missed,
}

impl Target {
    fn verdict(self, value: f64, interval: Option<[f64; 2]>) -> Verdict {
        let [low, high] = interval.unwrap_or([value, value]);
        let (least, most) = match self {
            Target::AtLeast(least) => (least, f64::INFINITY),
            Target::AtMost(most) => (f64::NEG_INFINITY, most),
            Target::Between(least, most) => (least, most),
        };
        match () {
            // A value that is no number is none that was reached.
            () if (least..=most).contains(&value) => Verdict::Met,
            () if high >= least && low <= most => Verdict::Uncertain,
            () => Verdict::Missed,
        }
    }

    fn text(self) -> String {
        match self {
            Target::AtLeast(least) => format!("≥ {}", number(least)),
            Target::AtMost(most) => format!("≤ {}", number(most)),
            Target::Between(least, most) => format!("{} to {}", number(least), number(most)),
        }
    }
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Measure {
    pub name: String,
    pub kind: Kind,
    pub value: f64,
    #[serde(skip_serializing_if = "str::is_empty")]
    pub unit: &'static str,
    /// 95 %.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[f64; 2]>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub n: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

impl Measure {
    pub fn new(kind: Kind, name: impl Into<String>, value: f64) -> Measure {
        let name = name.into();
        Measure { name, kind, value, unit: "", interval: None, n: None, target: None, verdict: None }
    }

    /// A share of counts, with Wilson's interval.
    pub fn share(kind: Kind, name: impl Into<String>, hits: u64, of: u64) -> Measure {
        let interval = Some(crate::counts::statistics::wilson(hits, of));
        Measure { interval, n: Some(of), ..Measure::new(kind, name, hits as f64 / of.max(1) as f64) }
    }

    pub fn unit(self, unit: &'static str) -> Measure {
        Measure { unit, ..self }
    }

    pub fn of(self, n: u64) -> Measure {
        Measure { n: Some(n), ..self }
    }

    pub fn interval(self, interval: Option<[f64; 2]>) -> Measure {
        Measure { interval, ..self }
    }

    pub fn at_least(self, least: f64) -> Measure {
        Measure { target: Some(Target::AtLeast(least)), ..self }
    }

    pub fn at_most(self, most: f64) -> Measure {
        Measure { target: Some(Target::AtMost(most)), ..self }
    }

    pub fn between(self, least: f64, most: f64) -> Measure {
        Measure { target: Some(Target::Between(least, most)), ..self }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Figure {
    pub name: &'static str,
    pub svg: String,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Build {
    pub version: &'static str,
    /// What `DP_COMMIT` said when it was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<&'static str>,
    /// Timings of a debug build say nothing.
    pub optimised: bool,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Report {
    /// Its number in the list of experiments.
    pub suite: &'static str,
    /// What it measures, in a word.
    pub name: &'static str,
    pub title: &'static str,
    pub seed: u64,
    pub size: super::Size,
    pub build: Build,
    /// Of `config`: two reports with the same one measured the same thing.
    pub config_hash: String,
    pub config: Value,
    /// What was looked at, in all.
    pub n: u64,
    pub passed: bool,
    pub measures: Vec<Measure>,
    pub notes: Vec<String>,
    #[serde(skip)]
    pub figures: Vec<Figure>,
}

impl Report {
    /// `config` is all that the results depend on besides the seed.
    pub fn new(setup: &super::Setup, config: Value) -> Report {
        Report {
            suite: "",
            name: "",
            title: "",
            seed: setup.seed,
            size: setup.size,
            build: Build {
                version: env!("CARGO_PKG_VERSION"),
                commit: option_env!("DP_COMMIT"),
                optimised: !cfg!(debug_assertions),
            },
            config_hash: dreaming::graph::content_hash(config.to_string().as_bytes()),
            config,
            n: 0,
            passed: true,
            measures: Vec::new(),
            notes: Vec::new(),
            figures: Vec::new(),
        }
    }

    pub fn add(&mut self, measure: Measure) {
        self.measures.push(measure);
    }

    /// Holds each value against its target.
    pub fn judge(&mut self) {
        for measure in &mut self.measures {
            measure.verdict = measure.target.map(|target| target.verdict(measure.value, measure.interval));
        }
        let missed =
            |m: &Measure| matches!(m.kind, Kind::Result | Kind::SelfTest) && m.verdict == Some(Verdict::Missed);
        self.passed = !self.measures.iter().any(missed);
    }

    pub fn markdown(&self) -> String {
        let mut text = String::new();
        let build = &self.build;
        let commit = build.commit.map(|commit| format!(" ({commit})")).unwrap_or_default();
        let how = if build.optimised { "" } else { ", a debug build: its timings say nothing" };
        let _ = writeln!(text, "## {}: {}\n", self.suite.to_uppercase(), self.title);
        let _ = writeln!(
            text,
            "Seed {}, {} size, N {}, config {}, dp-agent {}{commit}{how}.\n",
            self.seed,
            format!("{:?}", self.size).to_lowercase(),
            grouped(self.n),
            &self.config_hash[..self.config_hash.len().min(16)],
            build.version
        );
        text.push_str("| measure | value | 95 % interval | N | target | |\n|---|---:|---:|---:|---:|---|\n");
        for m in &self.measures {
            let unit = if m.unit.is_empty() { String::new() } else { format!(" {}", m.unit) };
            let interval = m.interval.map(|[low, high]| format!("{} to {}", number(low), number(high)));
            let verdict = match (m.verdict, m.kind) {
                (Some(Verdict::Met), Kind::SelfTest) => "self-test: passed",
                (Some(Verdict::Missed | Verdict::Uncertain), Kind::SelfTest) => "self-test: **failed**",
                (Some(Verdict::Met), _) => "met",
                (Some(Verdict::Uncertain), _) => "missed, within the interval",
                (Some(Verdict::Missed), Kind::Timing) => "missed here",
                (Some(Verdict::Missed), _) => "**missed**",
                (None, Kind::Baseline) => "baseline",
                (None, _) => "",
            };
            let _ = writeln!(
                text,
                "| {} | {}{unit} | {} | {} | {} | {verdict} |",
                m.name.replace('|', "\\|"),
                number(m.value),
                interval.unwrap_or_default(),
                m.n.map(grouped).unwrap_or_default(),
                m.target.map(Target::text).unwrap_or_default()
            );
        }
        for note in &self.notes {
            let _ = write!(text, "\n{note}\n");
        }
        text
    }
}

/// As precise as it is of use: whole numbers in groups of three, others with four figures that count.
fn number(value: f64) -> String {
    if !value.is_finite() {
        return "?".into();
    }
    let size = value.abs();
    if size >= 1_000.0 || value == value.trunc() {
        let sign = if value < 0.0 { "-" } else { "" };
        return format!("{sign}{}", grouped(size.round() as u64));
    }
    let digits = if size == 0.0 { 0 } else { (3 - size.log10().floor() as i32).clamp(0, 6) };
    let text = format!("{value:.*}", digits as usize);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_verdict_depends_on_the_interval() {
        let verdict = |target: Target, value, interval| target.verdict(value, interval);
        for (target, value, interval, expected) in [
            (Target::AtLeast(0.97), 0.98, None, Verdict::Met),
            (Target::AtLeast(0.97), 0.96, Some([0.95, 0.975]), Verdict::Uncertain),
            (Target::AtLeast(0.97), 0.96, Some([0.95, 0.969]), Verdict::Missed),
            (Target::AtLeast(0.97), 0.96, None, Verdict::Missed),
            (Target::AtMost(0.0), 0.0, Some([0.0, 0.1]), Verdict::Met),
            (Target::AtMost(0.0), 0.01, Some([0.001, 0.1]), Verdict::Missed),
            (Target::Between(1.9, 2.1), 2.0, None, Verdict::Met),
            (Target::Between(1.9, 2.1), 2.2, Some([2.0, 2.4]), Verdict::Uncertain),
            (Target::AtLeast(1.0), f64::NAN, None, Verdict::Missed),
        ] {
            assert_eq!(verdict(target, value, interval), expected, "{target:?} {value} {interval:?}");
        }
    }

    #[test]
    fn numbers_are_as_long_as_they_are_of_use() {
        for (value, text) in [
            (0.0, "0"),
            (1.0, "1"),
            (0.987654, "0.9877"),
            (26.3145, "26.31"),
            (0.000123456, "0.000123"),
            (1_234_567.8, "1,234,568"),
            (-1_500.0, "-1,500"),
            (f64::NAN, "?"),
        ] {
            assert_eq!(number(value), text);
        }
    }
}
