//! The ticks of the world, and lying down and getting up.
//!
//! Strength comes back in several parts of an hour of the world, half as much again to who sleeps. Who lay down stays
//! so for a while, and who got up too, unless something happens.
//! Invariant: a function of what was told; between two reports the ticks are counted on by the clock of the frames.

/// So many ticks one stays as one is, without an event.
pub const STAYS_TICKS: u64 = 20;
/// Milliseconds of a tick, before two of them were told.
const TICK_MS: u64 = 2_000;
/// So many ticks have to lie between two reports to take their length from.
const MEASURED_TICKS: u64 = 5;

/// The ticks of the world, as they were told.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Ticks {
    /// Tick, and when it was told.
    first: Option<(u64, u64)>,
    last: Option<(u64, u64)>,
}

impl Ticks {
    pub fn told(&mut self, tick: u64, now_ms: u64) {
        if self.last.is_some_and(|(last, _)| last == tick) {
            return;
        }
        if self.last.is_none_or(|(last, _)| tick < last) {
            self.first = Some((tick, now_ms));
        }
        self.last = Some((tick, now_ms));
    }

    /// The tick that it is now.
    pub fn at(&self, now_ms: u64) -> u64 {
        let Some((tick, told_ms)) = self.last else { return now_ms / TICK_MS };
        tick.saturating_add(now_ms.saturating_sub(told_ms) / self.length_ms())
    }

    /// The same in thousandths of a tick: for what lasts so many ticks from any moment on.
    pub fn thousandths_at(&self, now_ms: u64) -> u64 {
        // A server may tell any number.
        let (tick, told_ms) = self.last.unwrap_or_default();
        let parts = now_ms.saturating_sub(told_ms).saturating_mul(1_000) / self.length_ms();
        tick.saturating_mul(1_000).saturating_add(parts)
    }

    /// How long a tick of this world takes, as far as that is known.
    pub fn length_ms(&self) -> u64 {
        let measured = self.first.zip(self.last).filter(|((first, _), (last, _))| last - first >= MEASURED_TICKS);
        measured.map_or(TICK_MS, |((first, from_ms), (last, to_ms))| ((to_ms - from_ms) / (last - first)).max(1))
    }
}

/// How one lies or stands by one's own will.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Posture {
    changed_tick: Option<u64>,
    /// Something happened since.
    event: bool,
}

impl Posture {
    /// One lay down, or got up.
    pub fn changed(&mut self, tick: u64) {
        *self = Posture { changed_tick: Some(tick), event: false };
    }

    /// One was struck, or spoken to; somebody dangerous came; what one waited for came.
    pub fn happened(&mut self) {
        self.event = true;
    }

    /// Whether one may lie down or get up: not to and fro for nothing.
    pub fn may_change(&self, tick: u64) -> bool {
        self.event || self.changed_tick.is_none_or(|at| tick < at || tick >= at + STAYS_TICKS)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_counted_on_between_two_reports() {
        let mut ticks = Ticks::default();
        assert_eq!(ticks.at(8_000), 4);
        ticks.told(62, 10_000);
        assert_eq!((ticks.at(11_999), ticks.at(14_000)), (62, 64));
        // A world whose ticks are quicker than is usual.
        ticks.told(72, 11_000);
        assert_eq!((ticks.at(11_050), ticks.at(11_250)), (72, 74));
        assert_eq!((ticks.thousandths_at(11_050), ticks.thousandths_at(11_250)), (72_500, 74_500));
        // It began anew.
        ticks.told(3, 20_000);
        assert_eq!(ticks.at(24_000), 5);
    }

    #[test]
    fn nobody_lies_down_and_gets_up_for_nothing() {
        let mut posture = Posture::default();
        assert!(posture.may_change(7));
        posture.changed(100);
        assert!(!posture.may_change(100) && !posture.may_change(119) && posture.may_change(120));
        posture.happened();
        assert!(posture.may_change(101));
        posture.changed(101);
        assert!(!posture.may_change(102), "one event is good for one change");
    }
}
