//! Vectors, in a byte for each number, and the file that keeps them.
//!
//! Of a vector only its direction counts; a byte for each part of it loses less than a hundredth of the likeness of
//! two.
//! The file is one JSON object a line: key, and the bytes in hexadecimal. A line that cannot be used is passed over:
//! what it held is asked for again.

use anyhow::Context;
use dream_folder::replace;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, BufRead};
use std::path::Path;

/// The direction of an embedding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Vector(Vec<i8>);

impl Vector {
    /// None for one without a direction: of zeros, or with something in it that is no number.
    pub fn of(numbers: &[f32]) -> Option<Vector> {
        let largest = numbers.iter().fold(0.0f32, |largest, number| largest.max(number.abs()));
        if !largest.is_finite() || largest <= 0.0 || numbers.iter().any(|number| !number.is_finite()) {
            return None;
        }
        Some(Vector(numbers.iter().map(|number| (number / largest * 127.0).round() as i8).collect()))
    }

    /// The cosine of the angle between two, −1..=1; 0 for vectors of different models.
    pub fn likeness(&self, other: &Vector) -> f64 {
        if self.0.len() != other.0.len() {
            return 0.0;
        }
        let product = |a: &[i8], b: &[i8]| -> i64 { a.iter().zip(b).map(|(a, b)| i64::from(*a) * i64::from(*b)).sum() };
        let lengths = (product(&self.0, &self.0) as f64).sqrt() * (product(&other.0, &other.0) as f64).sqrt();
        if lengths > 0.0 { product(&self.0, &other.0) as f64 / lengths } else { 0.0 }
    }
}

#[derive(Serialize, Deserialize)]
struct Line {
    key: String,
    vector: String,
}

/// By text and model.
pub fn key(model: &str, text: &str) -> String {
    let mut hash = Sha256::new();
    hash.update(model.as_bytes());
    hash.update([0]);
    hash.update(text.as_bytes());
    hex::encode(&hash.finalize()[..16])
}

/// The vectors that are known.
#[derive(Clone, Debug, Default)]
pub struct Vectors {
    known: BTreeMap<String, Vector>,
    asked: BTreeSet<String>,
    /// Lines of the file that could not be used.
    pub damaged: usize,
}

impl Vectors {
    /// From a file; without it none are known.
    pub fn read(path: &Path) -> anyhow::Result<Vectors> {
        let mut vectors = Vectors::default();
        let file = match std::fs::File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(vectors),
            Err(error) => return Err(error).with_context(|| format!("reading {}", path.display())),
        };
        for line in io::BufReader::new(file).split(b'\n') {
            let line = line.with_context(|| format!("reading {}", path.display()))?;
            let read = serde_json::from_slice::<Line>(&line).ok();
            let read = read.and_then(|line| Some((line.key, hex::decode(line.vector).ok()?)));
            match read {
                Some((key, bytes)) if !bytes.is_empty() => {
                    vectors.known.insert(key, Vector(bytes.into_iter().map(|byte| byte as i8).collect()));
                }
                _ => vectors.damaged += 1,
            }
        }
        Ok(vectors)
    }

    /// Writes those that were asked for or learnt: what nobody asks for any more is forgotten.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let mut text = String::new();
        for (key, vector) in self.known.iter().filter(|(key, _)| self.asked.contains(*key)) {
            let bytes: Vec<u8> = vector.0.iter().map(|part| *part as u8).collect();
            let line = Line { key: key.clone(), vector: hex::encode(bytes) };
            text.push_str(&serde_json::to_string(&line).context("writing a vector as JSON")?);
            text.push('\n');
        }
        replace(path, text.as_bytes())
    }

    pub fn get(&mut self, key: &str) -> Option<&Vector> {
        let found = self.known.get(key);
        if found.is_some() && !self.asked.contains(key) {
            self.asked.insert(key.to_string());
        }
        found
    }

    pub fn learn(&mut self, key: String, vector: Vector) {
        self.asked.insert(key.clone());
        self.known.insert(key, vector);
    }
}

/// The places of the `most` vectors most alike to one, best first; ties by place.
pub fn most_alike(to: &Vector, among: &[Vector], most: usize) -> Vec<u32> {
    let mut ranked: Vec<(f64, u32)> = (0u32..).zip(among).map(|(place, other)| (to.likeness(other), place)).collect();
    ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    ranked.into_iter().take(most).map(|(_, place)| place).collect()
}
