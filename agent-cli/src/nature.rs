//! What makes one agent another: tastes, which policies read as weights, and a chance of its own, by seed and name.
//!
//! Invariant: the same seed, name and question give the same number, whenever it is asked.

use mind::spelling::nearest;
use protocol::names::clean_text;
use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// What somebody likes, from 0 (not at all) to 1 (above all).
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Tastes {
    /// How strong prey may be, and how hurt one hunts on.
    pub bold: f64,
    /// How soon one sells, and what one spends.
    pub thrifty: f64,
    /// Rooms with others in them, greetings, company.
    pub sociable: f64,
    /// What was never seen, over what is known.
    pub curious: f64,
}

impl Default for Tastes {
    fn default() -> Tastes {
        Tastes { bold: 0.5, thrifty: 0.5, sociable: 0.5, curious: 0.5 }
    }
}

impl Tastes {
    pub const NAMES: [&str; 4] = ["bold", "thrifty", "sociable", "curious"];

    pub fn get(&self, name: &str) -> Option<f64> {
        Some(match name {
            "bold" => self.bold,
            "thrifty" => self.thrifty,
            "sociable" => self.sociable,
            "curious" => self.curious,
            _ => return None,
        })
    }

    /// Errors say which taste and what it may be.
    pub fn set(&mut self, name: &str, value: &Value) -> Result<(), String> {
        let shown = clean_text(name);
        let taste = match name {
            "bold" => &mut self.bold,
            "thrifty" => &mut self.thrifty,
            "sociable" => &mut self.sociable,
            "curious" => &mut self.curious,
            _ => {
                let near = nearest(name, Tastes::NAMES).map(|near| format!("; did you mean `{near}`?"));
                let near = near.unwrap_or_default();
                return Err(format!("there is no taste `{shown}`, only {}{near}", Tastes::NAMES.join(", ")));
            }
        };
        match value.as_f64().filter(|number| (0.0..=1.0).contains(number)) {
            Some(number) => {
                *taste = number;
                Ok(())
            }
            None => Err(format!("the taste `{shown}` must be a number from 0 to 1, and is {}", short(value))),
        }
    }

    /// These, laid over by some of them.
    pub fn with(mut self, some: &BTreeMap<String, f64>) -> Tastes {
        for (name, value) in some {
            // Checked where they were read.
            let _ = self.set(name, &Value::from(*value));
        }
        self
    }

    /// Some tastes, as an object has them: `{"bold": 0.8}`.
    pub fn read(members: &Map<String, Value>) -> Result<BTreeMap<String, f64>, String> {
        let mut read = BTreeMap::new();
        for (name, value) in members {
            Tastes::default().set(name, value)?;
            read.extend(value.as_f64().map(|number| (name.clone(), number)));
        }
        Ok(read)
    }
}

fn short(value: &Value) -> String {
    clean_text(&value.to_string()).chars().take(40).collect()
}

/// Seed and tastes.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Nature {
    pub seed: u64,
    pub tastes: Tastes,
}

impl Nature {
    /// Its number for a question, the same whenever it is asked.
    pub fn number(&self, name: &str, question: u64) -> u64 {
        // FNV-1a: the names of two agents of one seed are all that tells them apart.
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
        let named = name.bytes().fold(0xCBF2_9CE4_8422_2325 ^ self.seed, fold);
        draw(named, question)
    }
}

/// A number as a share, from 0 to below 1.
pub fn share(number: u64) -> f64 {
    (number >> 11) as f64 / (1_u64 << 53) as f64
}

/// The `n`th number of a seed. Source: SplitMix64.
pub fn draw(seed: u64, n: u64) -> u64 {
    let mut z = seed.wrapping_add(n.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn tastes_are_numbers_from_0_to_1_with_known_names() {
        let mut tastes = Tastes::default();
        for (name, value) in [("bold", json!(0)), ("curious", json!(1)), ("thrifty", json!(0.25))] {
            tastes.set(name, &value).expect("it is right");
            assert_eq!(tastes.get(name), value.as_f64());
        }
        assert_eq!(tastes.sociable, 0.5);
        for (name, value, told) in [
            ("bold", json!(1.5), "the taste `bold` must be a number from 0 to 1, and is 1.5"),
            ("bold", json!(-0.1), "the taste `bold` must be a number from 0 to 1, and is -0.1"),
            ("thrifty", json!("much"), "the taste `thrifty` must be a number from 0 to 1, and is \"much\""),
            ("thrifty", json!(null), "the taste `thrifty` must be a number from 0 to 1, and is null"),
            (
                "curios",
                json!(1),
                "there is no taste `curios`, only bold, thrifty, sociable, curious; did you mean `curious`?",
            ),
        ] {
            assert_eq!(tastes.set(name, &value).expect_err(name), told);
        }
        let mut names = Tastes::NAMES.into_iter();
        assert!(names.all(|name| Tastes::default().get(name) == Some(0.5)));
    }

    #[test]
    fn two_names_of_one_seed_and_two_seeds_of_one_name_differ() {
        let of = |seed, name: &str| {
            let nature = Nature { seed, ..Nature::default() };
            (0..8).map(|question| nature.number(name, question)).collect::<Vec<_>>()
        };
        assert_eq!(of(1, "Wren"), of(1, "Wren"));
        assert_ne!(of(1, "Wren"), of(1, "Alder"));
        assert_ne!(of(1, "Wren"), of(2, "Wren"));
        let mean = (0..1_000).map(|n| share(draw(7, n))).sum::<f64>() / 1_000.0;
        assert!((0.45..0.55).contains(&mean), "{mean}");
    }
}
