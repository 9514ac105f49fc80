//! E22: attention against use. What a reader of channels does for what it reads, by how it set its attention.

use super::Setup;
use super::report::{Kind, Measure, Report};
use crate::counts::attention::{Life, Setting, life};
use crate::counts::statistics::mean;
use serde_json::json;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (lives, thoughts) = setup.size.pick((8, 40), (40, 60), (200, 120));
    let mut report = Report::new(setup, json!({"lives": lives, "thoughts": thoughts, "channels": 8}));
    let mut all: Vec<Vec<Life>> = Vec::new();
    for setting in Setting::ALL {
        (setup.progress)(setting.name());
        all.push((0..lives).map(|n| life(setup.seed.wrapping_mul(1_000).wrapping_add(n), setting, thoughts)).collect());
    }
    let cost = |life: &Life| life.tokens as f64 / life.acts.max(1) as f64;
    report.n = all.iter().flatten().map(|life| life.acts).sum();
    for (setting, lives) in Setting::ALL.into_iter().zip(&all) {
        let (value, interval) = mean(&lives.iter().map(cost).collect::<Vec<_>>());
        let name = format!("tokens per act, {}", setting.name());
        report.add(Measure::new(Kind::Detail, name, value).unit("tokens").interval(interval).of(lives.len() as u64));
    }
    let [_, rest, auto] = &all[..] else { anyhow::bail!("three settings are measured") };
    let ratios: Vec<f64> = auto.iter().zip(rest).map(|(auto, rest)| cost(auto) / cost(rest)).collect();
    let (value, interval) = mean(&ratios);
    let name = "tokens per act with auto, by that with %*";
    report.add(Measure::new(Kind::Result, name, value).interval(interval).of(lives).at_most(1.0));
    let prompts = 3 * lives * thoughts;
    let over: u64 = all.iter().flatten().map(|life| life.over).sum();
    report.add(Measure::share(Kind::Result, "prompts above their budget", over, prompts).at_most(0.0));
    let odd: u64 = all.iter().flatten().map(|life| life.odd).sum();
    report.add(Measure::share(Kind::Result, "prompts whose shares are not 100 %", odd, prompts).at_most(0.0));
    report.notes.push(
        "Readers of eight busy channels who care for two: of what is new to them there they answer one piece in 4, \
         elsewhere one in 60. `fixed` gives 25 % each to one of the two and to another. Made up: the figures say what \
         the arithmetic does, not what models do."
            .into(),
    );
    Ok(report)
}
