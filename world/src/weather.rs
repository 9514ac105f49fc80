//! Pressure and sky, the same for the whole world. Source: game reference §3.

use crate::clock::Clock;
use crate::rng::Dice;
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub enum Sky {
    Cloudless,
    Cloudy,
    Raining,
    Lightning,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Weather {
    /// Millibars, 960..=1040.
    pub pressure: i32,
    /// −12..=12.
    pub change: i32,
    pub sky: Sky,
}

impl Default for Weather {
    fn default() -> Self {
        Weather { pressure: 1010, change: 0, sky: Sky::Cloudless }
    }
}

impl Weather {
    /// One hour passes. What people outdoors see of it, if anything changed.
    pub fn step(&mut self, clock: Clock, dice: &mut Dice) -> Option<&'static str> {
        let target = if (9..=16).contains(&clock.month()) { 985 } else { 1015 };
        let difference = if self.pressure > target { -2 } else { 2 };
        self.change += dice.roll(1, 4) * difference + dice.roll(2, 6) - dice.roll(2, 6);
        self.change = self.change.clamp(-12, 12);
        self.pressure = (self.pressure + self.change).clamp(960, 1040);
        let quarter = dice.one_in(4);
        let p = self.pressure;
        let (sky, seen) = match self.sky {
            Sky::Cloudless if p < 990 || (p < 1010 && quarter) => (Sky::Cloudy, "Clouds draw together overhead."),
            Sky::Cloudy if p < 970 || (p < 990 && quarter) => (Sky::Raining, "It begins to rain."),
            Sky::Cloudy if p > 1030 && quarter => (Sky::Cloudless, "The clouds break up and drift off."),
            Sky::Raining if p < 970 && quarter => (Sky::Lightning, "Lightning walks along the horizon."),
            Sky::Raining if p > 1030 || (p > 1010 && quarter) => (Sky::Cloudy, "The rain thins out and stops."),
            Sky::Lightning if p > 1010 || (p > 990 && quarter) => {
                (Sky::Raining, "The thunder rolls away; it only rains now.")
            }
            _ => return None,
        };
        self.sky = sky;
        Some(seen)
    }

    pub fn is_raining(self) -> bool {
        matches!(self.sky, Sky::Raining | Sky::Lightning)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pressure_stays_in_its_bounds_and_the_sky_moves() {
        let mut weather = Weather::default();
        let mut dice = Dice::new(3, 1, 1, 1);
        let mut changes = 0;
        for hour in 0..2_000u64 {
            let clock = Clock { tick: hour * 32 };
            changes += usize::from(weather.step(clock, &mut dice).is_some());
            assert!((960..=1040).contains(&weather.pressure));
        }
        assert!(changes > 50, "{changes} changes in 2,000 hours");
    }
}
