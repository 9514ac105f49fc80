//! A section of a prompt that an agent wrote itself: a name, a place, and a template.

use serde::{Deserialize, Serialize};

/// Sections of one agent, characters of a template, and tokens of what it writes.
pub const SECTIONS_MAX: usize = 3;
pub const SECTION_CHARS: usize = 400;
pub const SECTION_TOKENS: usize = 80;
/// Characters of a name: small letters, digits, `_` and `-`.
pub const SECTION_NAME_CHARS: usize = 24;

/// Where it stands.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SectionPart {
    /// In P2, written anew at each fold.
    #[default]
    Snapshot,
    /// In P4, written anew for each prompt.
    Now,
}

impl SectionPart {
    pub const fn name(self) -> &'static str {
        match self {
            SectionPart::Snapshot => "snapshot",
            SectionPart::Now => "now",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Section {
    pub id: u64,
    pub name: String,
    pub part: SectionPart,
    pub text: String,
    pub tick: u64,
}

pub fn is_section_name(name: &str) -> bool {
    let is_of_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_' || c == '-';
    (1..=SECTION_NAME_CHARS).contains(&name.len()) && name.chars().all(is_of_name)
}
