//! What prompts would take in each format: every so-manieth is measured in all four.
//!
//! Invariant: what is measured is what the prompt was made of, and measuring changes no prompt.

use mind::hud::{Format, View};
use mind::pressure::Density;
use mind::{render, tokens};
use protocol::status::Formats;

/// Prompts from one that is measured to the next.
pub const FORMAT_EVERY: u64 = 20;

/// The samples of one session.
#[derive(Clone, Debug, Default)]
pub struct FormatSamples {
    prompts: u64,
    samples: u64,
    /// In the order of `Format::ALL`.
    tokens: [u64; Format::ALL.len()],
}

impl FormatSamples {
    /// Another prompt was made; whether it is to be measured. 0: none is.
    pub fn is_due(&mut self, every: u64) -> bool {
        self.prompts += 1;
        every > 0 && self.prompts.is_multiple_of(every)
    }

    pub fn add(&mut self, view: &View, density: Density) {
        self.samples += 1;
        for (sum, format) in self.tokens.iter_mut().zip(Format::ALL) {
            *sum += tokens::count(&render::view(view, format, density)) as u64;
        }
    }

    /// What they come to, for a session that writes in this format. `None` before the first.
    pub fn told(&self, format: Format) -> Option<Formats> {
        let of = |format| Format::ALL.iter().position(|one| *one == format).map_or(0, |place| self.tokens[place]);
        let (own, json) = (of(format) as f64, of(Format::Json) as f64);
        let tokens = Format::ALL.iter().zip(self.tokens).map(|(format, sum)| (format.name().to_string(), sum.into()));
        (self.samples > 0).then(|| Formats {
            samples: self.samples,
            tokens: tokens.collect(),
            saved_percent: ((1.0 - own / json.max(1.0)) * 1_000.0).round() / 10.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_so_manieth_is_measured_in_all_formats() {
        let mut samples = FormatSamples::default();
        assert!((0..50).all(|_| !samples.is_due(0)), "0 measures none");
        let mut samples = FormatSamples::default();
        let mut view = View::default();
        view.state.memory.set("places.inn", "warm and loud".into(), None);
        assert_eq!(samples.told(Format::Markdown), None);
        for n in 1..=60 {
            let is_due = samples.is_due(20);
            assert_eq!(is_due, n % 20 == 0, "{n}");
            if is_due {
                samples.add(&view, Density::Full);
            }
        }
        let told = samples.told(Format::Markdown).expect("three were");
        let of = |format: Format| told.tokens[format.name()].as_u64().expect("a number");
        for format in Format::ALL {
            assert_eq!(of(format), 3 * tokens::count(&render::view(&view, format, Density::Full)) as u64, "{format:?}");
        }
        let saved = 100.0 - 100.0 * of(Format::Markdown) as f64 / of(Format::Json) as f64;
        assert_eq!(told.samples, 3);
        assert!((told.saved_percent - saved).abs() <= 0.051 && saved > 0.0, "{told:?}");
        assert_eq!(samples.told(Format::Json).expect("the same").saved_percent, 0.0);
    }
}
