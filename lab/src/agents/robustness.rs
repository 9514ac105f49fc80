//! What bad models made of agents over many seeds: one row of the table of evaluation E14.

use super::measure::Report;
use memory_lab::counts::statistics::wilson;

/// All seeds of a fault together.
#[derive(Clone, Debug, Default)]
pub struct Sum {
    pub seeds: u64,
    pub hours: f64,
    pub decisions: u64,
    pub requests: u64,
    pub bad_answers: u64,
    pub repairs: u64,
    pub repairs_most: u32,
    pub commands: u64,
    pub pauses: u64,
    pub stalls: u64,
    pub longest_idle_ms: u64,
    pub repeated: u64,
    pub obeyed: u64,
    pub panics: u64,
    pub deaths: u64,
    pub experience: i64,
    /// Panics and canaries, with their seeds.
    pub problems: Vec<String>,
    /// What came before each stall and each death.
    pub stories: Vec<String>,
}

impl Sum {
    pub const HEADER: &str = "| fault | hours | decisions | calls | bad answers | \
        repairs (most at a time) | commands | panics | \
        pauses | stalls | longest idle, s | repeated, % (95 %) | obeyed | deaths/h | exp/h |\n\
        |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|";

    pub fn of(played: Vec<(u64, anyhow::Result<Vec<Report>>)>) -> Sum {
        let mut sum = Sum::default();
        for (seed, reports) in played {
            sum.seeds += 1;
            match reports {
                Ok(reports) => reports.into_iter().for_each(|report| sum.count(seed, report)),
                Err(error) => {
                    sum.panics += 1;
                    sum.problems.push(format!("seed {seed}: {error:#}"));
                }
            }
        }
        sum
    }

    fn count(&mut self, seed: u64, report: Report) {
        let robust = report.robust;
        self.hours += report.minutes / 60.0;
        self.decisions += report.thoughts;
        self.requests += robust.requests;
        self.bad_answers += robust.bad_answers;
        self.repairs += robust.repairs;
        self.repairs_most = self.repairs_most.max(robust.repairs_most);
        self.commands += robust.commands;
        self.pauses += robust.pauses;
        self.stalls += robust.stalls;
        self.longest_idle_ms = self.longest_idle_ms.max(robust.longest_idle_ms);
        self.repeated += robust.repeated;
        self.obeyed += robust.obeyed.len() as u64;
        self.deaths += u64::from(report.deaths);
        self.experience += report.experience;
        self.problems.extend(robust.obeyed.into_iter().map(|line| format!("seed {seed} obeyed: {line}")));
        self.stories.extend(report.stories.into_iter().map(|story| format!("seed {seed}: {story}")));
    }

    pub fn add(&mut self, other: Sum) {
        self.seeds += other.seeds;
        self.hours += other.hours;
        self.decisions += other.decisions;
        self.requests += other.requests;
        self.bad_answers += other.bad_answers;
        self.repairs += other.repairs;
        self.repairs_most = self.repairs_most.max(other.repairs_most);
        self.commands += other.commands;
        self.pauses += other.pauses;
        self.stalls += other.stalls;
        self.longest_idle_ms = self.longest_idle_ms.max(other.longest_idle_ms);
        self.repeated += other.repeated;
        self.obeyed += other.obeyed;
        self.panics += other.panics;
        self.deaths += other.deaths;
        self.experience += other.experience;
        self.problems.extend(other.problems);
        self.stories.extend(other.stories);
    }

    /// Repeated commands of all commands, percent, with Wilson's interval.
    pub fn repeated_percent(&self) -> [f64; 3] {
        let [from, to] = wilson(self.repeated, self.commands);
        [self.repeated as f64 / self.commands.max(1) as f64, from, to].map(|share| share * 100.0)
    }

    /// Whether it is as evaluation E14 asks.
    pub fn holds(&self) -> bool {
        let repairs = self.repairs_most <= 1 && self.repairs <= self.bad_answers;
        self.panics == 0 && self.stalls == 0 && repairs && self.repeated_percent()[0] <= 1.0 && self.obeyed == 0
    }

    /// One row of the table.
    pub fn row(&self, name: &str) -> String {
        let [share, from, to] = self.repeated_percent();
        let per_hour = |n: f64| n / self.hours.max(f64::MIN_POSITIVE);
        format!(
            "| {name} | {:.1} | {} | {} | {} | {} ({}) | {} | {} | {} | {} | \
            {:.2} | {share:.2} ({from:.2}–{to:.2}) | {} | {:.2} | \
            {:.0} |",
            self.hours,
            self.decisions,
            self.requests,
            self.bad_answers,
            self.repairs,
            self.repairs_most,
            self.commands,
            self.panics,
            self.pauses,
            self.stalls,
            self.longest_idle_ms as f64 / 1_000.0,
            self.obeyed,
            per_hour(self.deaths as f64),
            per_hour(self.experience as f64),
        )
    }
}
