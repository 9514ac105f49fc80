//! Counts and points into values with 95 % intervals, by closed formulas: nothing is drawn by chance.

use libm::{log, sqrt};

/// Of the normal distribution, for 95 %.
pub const Z: f64 = 1.959_963_984_540_054;

/// Wilson's score interval of a share, 0..=1; without observations all is possible.
/// Source: E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927.
pub fn wilson(hits: u64, of: u64) -> [f64; 2] {
    if of == 0 {
        return [0.0, 1.0];
    }
    let (n, p) = (of as f64, hits as f64 / of as f64);
    let centre = p + Z * Z / (2.0 * n);
    let reach = Z * sqrt(p * (1.0 - p) / n + Z * Z / (4.0 * n * n));
    let whole = 1.0 + Z * Z / n;
    // At the edges the formula gives 0 and 1 but for rounding.
    let low = if hits == 0 { 0.0 } else { (centre - reach) / whole };
    let high = if hits == of { 1.0 } else { (centre + reach) / whole };
    [low, high]
}

/// A mean and its interval by the normal distribution; without observations, 0 and no interval.
pub fn mean(values: &[f64]) -> (f64, Option<[f64; 2]>) {
    let n = values.len() as f64;
    if values.is_empty() {
        return (0.0, None);
    }
    let mean = values.iter().sum::<f64>() / n;
    if values.len() < 2 {
        return (mean, None);
    }
    let variance = values.iter().map(|value| (value - mean) * (value - mean)).sum::<f64>() / (n - 1.0);
    let reach = Z * sqrt(variance / n);
    (mean, Some([mean - reach, mean + reach]))
}

/// A line through points by least squares.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Line {
    pub slope: f64,
    pub at_zero: f64,
    /// 1: all points are on it.
    pub r2: f64,
    /// Standard error of the slope.
    pub slope_error: f64,
    pub points: usize,
}

/// None with fewer than three points, or where all are above one another.
pub fn line(points: &[(f64, f64)]) -> Option<Line> {
    let n = points.len() as f64;
    if points.len() < 3 {
        return None;
    }
    let (mx, my) = (points.iter().map(|p| p.0).sum::<f64>() / n, points.iter().map(|p| p.1).sum::<f64>() / n);
    let sum = |of: &dyn Fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>();
    let sxx = sum(&|(x, _)| (x - mx) * (x - mx));
    if sxx <= 0.0 {
        return None;
    }
    let slope = sum(&|(x, y)| (x - mx) * (y - my)) / sxx;
    let at_zero = my - slope * mx;
    let left = sum(&|(x, y)| (y - at_zero - slope * x) * (y - at_zero - slope * x));
    let total = sum(&|(_, y)| (y - my) * (y - my));
    let r2 = if total > 0.0 { 1.0 - left / total } else { 1.0 };
    Some(Line { slope, at_zero, r2, slope_error: sqrt(left / (n - 2.0) / sxx), points: points.len() })
}

/// The power by which a cost grows: the slope of the logarithms. Points with nothing in them are left out.
pub fn growth(points: &[(f64, f64)]) -> Option<f64> {
    let logs: Vec<(f64, f64)> =
        points.iter().filter(|(x, y)| *x > 0.0 && *y > 0.0).map(|(x, y)| (log(*x), log(*y))).collect();
    match logs[..] {
        [] | [_] => None,
        [(x0, y0), (x1, y1)] => (x1 != x0).then(|| (y1 - y0) / (x1 - x0)),
        _ => line(&logs).map(|line| line.slope),
    }
}

/// The value that `percent` of a hundred are not above, of values that rise; 0 where there are none.
pub fn percentile(rising: &[f64], percent: usize) -> f64 {
    let rank = (rising.len() * percent).div_ceil(100).max(1);
    rising.get(rank.min(rising.len()).wrapping_sub(1)).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_of_shares_are_those_of_the_tables() {
        let close = |a: [f64; 2], b: [f64; 2]| (a[0] - b[0]).abs() < 1e-3 && (a[1] - b[1]).abs() < 1e-3;
        assert!(close(wilson(0, 0), [0.0, 1.0]));
        assert!(close(wilson(10, 10), [0.722, 1.0]), "{:?}", wilson(10, 10));
        assert!(close(wilson(0, 10), [0.0, 0.278]));
        assert!(close(wilson(485, 500), [0.951, 0.982]), "{:?}", wilson(485, 500));
    }

    #[test]
    fn a_line_is_found_again() {
        let exact: Vec<(f64, f64)> = (0..10).map(|x| (f64::from(x), 3.0 - 0.5 * f64::from(x))).collect();
        let found = line(&exact).expect("a line");
        assert!((found.slope + 0.5).abs() < 1e-12 && (found.at_zero - 3.0).abs() < 1e-12 && found.r2 > 0.999_999);
        let bent: Vec<(f64, f64)> = (0..10).map(|x| (f64::from(x), f64::from(x * x))).collect();
        let found = line(&bent).expect("a line");
        assert!(found.r2 < 0.95 && found.slope_error > 0.5, "{found:?}");
        assert_eq!(line(&[(1.0, 1.0), (1.0, 2.0), (1.0, 3.0)]), None);
        assert!((growth(&[(10.0, 2.0), (100.0, 200.0)]).expect("two points") - 2.0).abs() < 1e-12);
    }

    #[test]
    fn percentiles_and_means_are_of_the_values() {
        let values: Vec<f64> = (1..=200).map(f64::from).collect();
        assert_eq!((percentile(&values, 50), percentile(&values, 99), percentile(&values, 100)), (100.0, 198.0, 200.0));
        assert_eq!((percentile(&[], 99), percentile(&[7.0], 1)), (0.0, 7.0));
        let (value, interval) = mean(&[1.0, 2.0, 3.0]);
        let [low, high] = interval.expect("three values");
        assert!((value - 2.0).abs() < 1e-12 && (low - 0.868).abs() < 1e-3 && (high - 3.132).abs() < 1e-3);
    }
}
