//! Latencies in microseconds, in buckets that grow with the value: about 1.5 % of error, a few kilobytes.

/// Buckets per power of two.
const FINE: u64 = 64;
const FINE_BITS: u32 = 6;

#[derive(Clone, Debug, Default)]
pub struct Histogram {
    counts: Vec<u64>,
    pub count: u64,
    pub max_us: u64,
}

fn bucket_of(us: u64) -> usize {
    if us < FINE {
        return us as usize;
    }
    let power = 63 - us.leading_zeros() - FINE_BITS;
    ((u64::from(power) + 1) * FINE + (us >> power) - FINE) as usize
}

/// The largest value of a bucket.
fn top_of(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < FINE {
        return bucket;
    }
    let power = bucket / FINE - 1;
    (((bucket % FINE) + FINE + 1) << power) - 1
}

impl Histogram {
    pub fn record(&mut self, us: u64) {
        let bucket = bucket_of(us);
        if self.counts.len() <= bucket {
            self.counts.resize(bucket + 1, 0);
        }
        self.counts[bucket] += 1;
        self.count += 1;
        self.max_us = self.max_us.max(us);
    }

    pub fn add(&mut self, other: &Histogram) {
        if self.counts.len() < other.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.count += other.count;
        self.max_us = self.max_us.max(other.max_us);
    }

    /// The value that `percent` of all do not exceed, 0..=100; 0 where there are none.
    pub fn percentile_us(&self, percent: f64) -> u64 {
        let wanted = (self.count as f64 * percent / 100.0).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted.max(1) {
                return top_of(bucket).min(self.max_us);
            }
        }
        self.max_us
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_stands_in_a_bucket_that_ends_close_above_it() {
        for us in (0..200_000).step_by(7) {
            let top = top_of(bucket_of(us));
            assert!(top >= us && top <= us + us / 32, "{us} stands below {top}");
        }
    }

    #[test]
    fn percentiles_are_where_they_are_looked_for() {
        let mut histogram = Histogram::default();
        for us in 1..=1_000 {
            histogram.record(us);
        }
        assert!((490..=512).contains(&histogram.percentile_us(50.0)), "{}", histogram.percentile_us(50.0));
        assert!((980..=1_000).contains(&histogram.percentile_us(99.0)));
        assert_eq!(histogram.percentile_us(100.0), 1_000);
    }
}
