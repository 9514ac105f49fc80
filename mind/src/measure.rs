//! How full the context of a client is that does not tell: what the server sent it since its last fold, against what it
//! said at its login that it reads. What it keeps of that nobody knows; a client that keeps all is folded in time.
//!
//! Pure. A measure that is near the truth is enough: whoever wants a better one tells it (`context`).

use crate::pressure::{Advisory, Density, advisory, density, must_compact};

/// Bytes of what is sent for a token: text in frames of JSON.
const TOKEN_BYTES: u64 = 4;
/// Ticks between two folds at least, as of those that somebody asks for.
const FOLD_TICKS: u64 = 15;

/// What the server knows of one session.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Measure {
    /// Tokens that its client reads at once; 0: it measures itself.
    budget: u64,
    /// Tokens in which a fold tells what it drops.
    story: usize,
    /// Bytes that were sent before the last fold.
    folded: u64,
    folded_tick: u64,
    /// Somebody folded the log since the last look.
    is_folded: bool,
    told: (Density, Advisory),
}

/// A line of the mind: its verb and what follows.
pub type Line = (&'static str, String);

impl Measure {
    pub fn new(budget: usize, story: usize) -> Measure {
        Measure { budget: budget as u64, story, ..Measure::default() }
    }

    /// The character typed a line. Its client measures from then on, where it told how full its prompt was.
    pub fn typed(&mut self, word: &str, args: &str) {
        match word {
            "context" if !args.trim().is_empty() => self.budget = 0,
            "compact" => self.is_folded = true,
            _ => {}
        }
    }

    /// So many bytes were sent in all. How full it is, is told where another density or advisory begins; `may`: whether
    /// so many lines may leave.
    pub fn look(&mut self, sent: u64, tick: u64, may: impl FnOnce(usize) -> bool) -> Vec<Line> {
        if self.budget == 0 {
            return Vec::new();
        }
        if std::mem::take(&mut self.is_folded) {
            self.fold(sent, tick);
        }
        let tokens = sent.saturating_sub(self.folded) / TOKEN_BYTES;
        let full = tokens as f64 / self.budget as f64;
        let (now, folds) = ((density(full), advisory(full)), must_compact(full));
        let folds = folds && (self.folded_tick == 0 || self.folded_tick + FOLD_TICKS <= tick);
        if !(folds || now > self.told) || !may(1 + usize::from(folds)) {
            return Vec::new();
        }
        self.told = now;
        let mut lines = vec![("context", format!("{tokens} of {}", self.budget))];
        if folds {
            self.fold(sent, tick);
            lines.push(("compact", format!("fold server {}", self.story)));
        }
        lines
    }

    fn fold(&mut self, sent: u64, tick: u64) {
        (self.folded, self.folded_tick, self.told) = (sent, tick.max(1), Default::default());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever was told, of 1,000 tokens.
    fn looked(measure: &mut Measure, tokens: u64, tick: u64) -> Vec<String> {
        let lines = measure.look(tokens * TOKEN_BYTES, tick, |_| true);
        lines.into_iter().map(|(verb, args)| format!("{verb} {args}")).collect()
    }

    #[test]
    fn what_was_sent_is_told_at_each_step_and_folded_at_92_percent() {
        let mut measure = Measure::new(1_000, 300);
        assert_eq!(looked(&mut measure, 599, 1), [""; 0]);
        assert_eq!(looked(&mut measure, 600, 2), ["context 600 of 1000"], "warning");
        assert_eq!(looked(&mut measure, 699, 3), [""; 0]);
        assert_eq!(looked(&mut measure, 700, 4), ["context 700 of 1000"], "compact");
        assert_eq!(looked(&mut measure, 801, 5), ["context 801 of 1000"], "critical");
        assert_eq!(looked(&mut measure, 850, 6), ["context 850 of 1000"], "minimal");
        assert_eq!(looked(&mut measure, 919, 7), [""; 0]);
        assert_eq!(looked(&mut measure, 920, 8), ["context 920 of 1000", "compact fold server 300"]);
        assert_eq!(looked(&mut measure, 1_519, 9), [""; 0], "counted anew");
        assert_eq!(looked(&mut measure, 2_920, 10), ["context 2000 of 1000"], "a fold was a moment ago");
        assert_eq!(looked(&mut measure, 2_920, 22), [""; 0]);
        assert_eq!(looked(&mut measure, 2_920, 23), ["context 2000 of 1000", "compact fold server 300"]);
    }

    #[test]
    fn who_measures_or_folds_itself_is_left_alone_and_what_may_not_leave_waits() {
        let mut measure = Measure::new(1_000, 300);
        assert_eq!(measure.look(4_000, 1, |lines| lines < 2), []);
        measure.typed("compact", "");
        assert_eq!(looked(&mut measure, 1_000, 2), [""; 0], "it folded");
        assert_eq!(looked(&mut measure, 1_650, 3), ["context 650 of 1000"]);
        measure.typed("context", " ");
        assert_eq!(looked(&mut measure, 1_700, 4), ["context 700 of 1000"], "it only asked");
        measure.typed("context", "5 of 10");
        assert_eq!(looked(&mut measure, 9_000, 40), [""; 0]);
        assert_eq!(looked(&mut Measure::new(0, 300), 9_000, 40), [""; 0]);
    }
}
