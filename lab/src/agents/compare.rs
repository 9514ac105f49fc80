//! Two ways to play, set against each other seed by seed.
//!
//! The difference of each seed counts (paired), so what a seed's world is like does not matter. The interval is a
//! percentile bootstrap over seeds, the p-value an exact two-sided sign test; both need no assumption about shapes.

use super::measure::Report;
use serde_json::{Value, json};
use world::rng::Dice;

/// Drawings with replacement. More change the third digit only.
const DRAWINGS: usize = 10_000;

#[derive(Clone, Debug)]
pub struct Comparison {
    /// Mean experience per hour of each.
    pub experience: [f64; 2],
    /// Second by first, and the 95 % interval of that.
    pub ratio: f64,
    pub ratio_interval: [f64; 2],
    /// Seeds in which the second gained more, and less.
    pub better: usize,
    pub worse: usize,
    pub p_value: f64,
    pub deaths_per_hour: [f64; 2],
    /// Of the difference of deaths per hour, second less first.
    pub deaths_interval: [f64; 2],
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// The same seeds in the same order.
pub fn compare(first: &[Report], second: &[Report]) -> Comparison {
    assert_eq!(first.len(), second.len(), "pairs are compared");
    let pairs: Vec<(&Report, &Report)> = first.iter().zip(second).collect();
    assert!(pairs.iter().all(|(a, b)| a.seed == b.seed), "pairs are of the same seed");
    let ratio_of = |pairs: &[(&Report, &Report)]| {
        let one = mean(pairs.iter().map(|(a, _)| a.experience_per_hour()));
        mean(pairs.iter().map(|(_, b)| b.experience_per_hour())) / one.max(f64::MIN_POSITIVE)
    };
    let deaths_of =
        |pairs: &[(&Report, &Report)]| mean(pairs.iter().map(|(a, b)| b.deaths_per_hour() - a.deaths_per_hour()));
    let mut dice = Dice::new(1, 0, 0, 0);
    let (mut ratios, mut deaths) = (Vec::new(), Vec::new());
    for _ in 0..DRAWINGS {
        let drawn: Vec<_> = pairs.iter().map(|_| pairs[dice.range(0, pairs.len() as i32 - 1) as usize]).collect();
        ratios.push(ratio_of(&drawn));
        deaths.push(deaths_of(&drawn));
    }
    let better = pairs.iter().filter(|(a, b)| b.experience > a.experience).count();
    let worse = pairs.iter().filter(|(a, b)| b.experience < a.experience).count();
    Comparison {
        experience: [
            mean(first.iter().map(Report::experience_per_hour)),
            mean(second.iter().map(Report::experience_per_hour)),
        ],
        ratio: ratio_of(&pairs),
        ratio_interval: interval(ratios),
        better,
        worse,
        p_value: sign_test(better, worse),
        deaths_per_hour: [
            mean(first.iter().map(Report::deaths_per_hour)),
            mean(second.iter().map(Report::deaths_per_hour)),
        ],
        deaths_interval: interval(deaths),
    }
}

/// The mean of paired differences, the 95 % interval of it, and the p-value of the sign test.
pub fn paired(differences: &[f64]) -> (f64, [f64; 2], f64) {
    let mut dice = Dice::new(1, 0, 0, 0);
    let drawn = |dice: &mut Dice| differences[dice.range(0, differences.len() as i32 - 1) as usize];
    let means = match differences.is_empty() {
        true => vec![0.0],
        false => (0..DRAWINGS)
            .map(|_| (0..differences.len()).map(|_| drawn(&mut dice)).sum::<f64>() / differences.len() as f64)
            .collect(),
    };
    let more = differences.iter().filter(|difference| **difference > 0.0).count();
    let less = differences.iter().filter(|difference| **difference < 0.0).count();
    (mean(differences.iter().copied()), interval(means), sign_test(more, less))
}

/// The middle 95 %.
fn interval(mut values: Vec<f64>) -> [f64; 2] {
    values.sort_by(f64::total_cmp);
    let at = |share: f64| values[((values.len() - 1) as f64 * share).round() as usize];
    [at(0.025), at(0.975)]
}

/// Two-sided: how often chance alone would be as one-sided as this or more.
fn sign_test(better: usize, worse: usize) -> f64 {
    let n = better + worse;
    let fewer = better.min(worse);
    let mut chance = 0.5f64.powi(n as i32);
    let mut tail = 0.0;
    for k in 0..=fewer {
        tail += chance;
        chance *= (n - k) as f64 / (k + 1) as f64;
    }
    (2.0 * tail).min(1.0)
}

impl Comparison {
    pub fn json(&self) -> Value {
        json!({
            "experience_per_hour": self.experience, "ratio": self.ratio, "ratio_interval_95": self.ratio_interval,
            "better": self.better, "worse": self.worse, "p_value": self.p_value,
            "deaths_per_hour": self.deaths_per_hour, "deaths_difference_interval_95": self.deaths_interval,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reports(experience: &[i64], deaths: &[u32]) -> Vec<Report> {
        let each = experience.iter().zip(deaths).enumerate();
        each.map(|(seed, (experience, deaths))| Report {
            seed: seed as u64,
            minutes: 60.0,
            experience: *experience,
            deaths: *deaths,
            ..Report::default()
        })
        .collect()
    }

    #[test]
    fn the_sign_test_is_that_of_the_tables() {
        assert_eq!(sign_test(0, 0), 1.0);
        assert_eq!(sign_test(1, 1), 1.0);
        assert!((sign_test(5, 0) - 0.0625).abs() < 1e-12);
        assert!((sign_test(9, 1) - 0.021484375).abs() < 1e-12);
        assert!((sign_test(1, 9) - 0.021484375).abs() < 1e-12);
    }

    #[test]
    fn a_pair_that_differs_always_the_same_way_has_no_zero_in_its_interval() {
        let (mean, [low, high], p) = paired(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
        assert!((mean - 2.0).abs() < 1e-9 && (1.0..2.0).contains(&low) && (2.0..=3.0).contains(&high) && p < 0.05);
        let (mean, [low, high], p) = paired(&[-1.0, 1.0, -1.0, 1.0]);
        assert!(mean == 0.0 && low < 0.0 && high > 0.0 && p == 1.0);
        assert_eq!(paired(&[]), (0.0, [0.0, 0.0], 1.0));
    }

    #[test]
    fn a_difference_in_every_seed_is_seen_and_none_is_not_invented() {
        let first = reports(&[100, 200, 300, 400, 500, 600], &[1, 0, 0, 1, 0, 0]);
        let second = reports(&[150, 300, 450, 600, 750, 900], &[0, 0, 0, 1, 0, 0]);
        let seen = compare(&first, &second);
        assert!((seen.ratio - 1.5).abs() < 1e-9 && seen.ratio_interval.iter().all(|r| (r - 1.5).abs() < 1e-9));
        assert_eq!((seen.better, seen.worse), (6, 0));
        assert!(seen.p_value < 0.05 && seen.deaths_interval[0] < 0.0);
        let same = compare(&first, &first);
        assert_eq!((same.ratio, same.p_value, same.deaths_interval), (1.0, 1.0, [0.0, 0.0]));
    }
}
