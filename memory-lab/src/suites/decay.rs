//! E7: memories that are felt fade slower. The law, fitted to what nights of real consolidation leave.

use super::Setup;
use super::plot;
use super::report::{Figure, Kind, Measure, Report};
use crate::counts::decay::{Curve, curves, ratio};
use anyhow::ensure;
use dreaming::Valence;
use serde_json::json;

pub fn run(setup: &mut Setup) -> anyhow::Result<Report> {
    let (events, nights) = setup.size.pick((150, 22), (600, 90), (3_000, 90));
    let mut report = Report::new(setup, json!({"events": events, "nights": nights, "source": "memory-graph.json"}));
    (setup.progress)("with feelings");
    let felt = curves(setup.seed, events, nights, Valence::Recorded);
    (setup.progress)("without");
    let flat = curves(setup.seed, events, nights, Valence::Flat);
    ensure!(felt.len() == 4 && flat.len() == 4, "a life with this seed does not hold all feelings; take another seed");
    report.n = felt.iter().chain(&flat).map(|curve| curve.fit.points as u64).sum();
    for curve in &felt {
        add(&mut report, curve, "");
    }
    let (value, interval) = ratio(&felt[3], &felt[1]);
    let name = "half-life at |v| = 3 by that at |v| = 1";
    report.add(Measure::new(Kind::SelfTest, name, value).interval(Some(interval)).between(1.9, 2.1));
    for curve in &flat {
        add(&mut report, curve, ", ablated");
    }
    let (value, interval) = ratio(&flat[3], &flat[1]);
    let name = format!("{name}, ablated");
    report.add(Measure::new(Kind::SelfTest, name, value).interval(Some(interval)).between(0.99, 1.01));
    report.notes.push(
        "S(t) = S0·e^(−λt) by least squares on the logarithms of `salience` in each night's `memory-graph.json`, all \
         events of a |v| together. The system before this one: the same λ for all feelings."
            .into(),
    );
    report.figures.push(Figure { name: "decay", svg: plot::decay(&felt, &flat)? });
    Ok(report)
}

fn add(report: &mut Report, curve: &Curve, how: &str) {
    let felt = curve.felt;
    let n = curve.fit.points as u64;
    let half_life = Measure::new(Kind::Detail, format!("half-life at |v| = {felt}{how}"), curve.half_life_nights());
    report.add(half_life.unit("nights").interval(Some(curve.half_life_interval())).of(n));
    report.add(Measure::new(Kind::Detail, format!("λ at |v| = {felt}{how}"), curve.lambda()).unit("per night").of(n));
    report.add(Measure::new(Kind::SelfTest, format!("R² at |v| = {felt}{how}"), curve.fit.r2).of(n).at_least(0.99));
}
