//! Makes the tables that `src/tokens` reads: the vocabulary `o200k_base` as the crate `tiktoken-rs` has it, and which
//! letters are upper, lower, digits or white space to its pattern, as the crate of its regular expressions has it.
//!
//! At run time neither is needed: as a map of vectors the vocabulary takes 50 MB and a quarter of a second.

use regex_syntax::hir::{Class, HirKind};
use std::fmt::Write;
use std::path::Path;
use std::{env, fs};

#[path = "src/tokens/hash.rs"]
mod hash;

/// The kinds of letters that are not `Sign`, with their classes; what is in two of them is what the last says.
const KINDS: [(&str, &str); 7] = [
    ("Upper", r"[\p{Lu}\p{Lt}]"),
    ("Lower", r"\p{Ll}"),
    ("Any", r"[\p{Lm}\p{Lo}]"),
    ("Mark", r"\p{M}"),
    ("Digit", r"\p{N}"),
    ("Blank", r"\s"),
    ("Break", r"[\r\n]"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=src/tokens/hash.rs");
    let folder = env::var_os("OUT_DIR").expect("Cargo tells where to write");
    let folder = Path::new(&folder);
    let write = |name: &str, bytes: &[u8]| fs::write(folder.join(name), bytes).expect("the folder can be written to");

    let tokens = tokens();
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for token in &tokens {
        bytes.extend_from_slice(token);
        ends.extend_from_slice(&(bytes.len() as u32).to_le_bytes());
    }
    let slots: Vec<u8> = slots(&tokens).into_iter().flat_map(u32::to_le_bytes).collect();
    write("token_bytes", &bytes);
    write("token_ends", &ends);
    write("token_slots", &slots);
    write("letters.rs", letters().as_bytes());
}

/// The bytes of all tokens, by rank.
fn tokens() -> Vec<Vec<u8>> {
    let vocabulary = tiktoken_rs::o200k_base().expect("the crate has its vocabulary");
    (0..).map_while(|rank| vocabulary.decode_bytes(&[rank]).ok()).collect()
}

fn slots(tokens: &[Vec<u8>]) -> Vec<u32> {
    assert!(tokens.len() < (1 << hash::RANK_BITS) && tokens.len() < hash::SLOTS / 2, "{} tokens", tokens.len());
    let mut slots = vec![0; hash::SLOTS];
    for (rank, token) in (1..).zip(tokens) {
        let (mut slot, high) = hash::place(token);
        while slots[slot] != 0 {
            slot = (slot + 1) % hash::SLOTS;
        }
        slots[slot] = rank | high;
    }
    slots
}

/// Source text: where a kind of letters begins that goes on until the next.
fn letters() -> String {
    let mut kinds = vec!["Sign"; u32::from(char::MAX) as usize + 1];
    for (kind, pattern) in KINDS {
        let parsed = regex_syntax::parse(pattern).expect("it is a class");
        let HirKind::Class(Class::Unicode(class)) = parsed.kind() else { panic!("{pattern} is no class of letters") };
        for range in class.ranges() {
            kinds[range.start() as usize..=range.end() as usize].fill(kind);
        }
    }
    let (mut rows, mut count, mut before) = (String::new(), 0, "");
    for letter in char::MIN..=char::MAX {
        let kind = kinds[u32::from(letter) as usize];
        if kind != before {
            writeln!(rows, "    ('\\u{{{:x}}}', {kind}),", u32::from(letter)).expect("a string takes anything");
            (before, count) = (kind, count + 1);
        }
    }
    format!("static RANGES: [(char, Kind); {count}] = [\n{rows}];\n")
}
