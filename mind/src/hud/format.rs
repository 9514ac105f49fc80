//! The four forms in which a view is written.

use serde::{Deserialize, Serialize};
use std::str::FromStr;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// Headings, with TOON for tables and fields.
    #[default]
    Markdown,
    /// With an indentation of two spaces.
    Json,
    /// Without spaces, with the short keys of `render::compact::KEYS`.
    #[serde(alias = "compact_json")]
    CompactJson,
    Toon,
}

impl Format {
    pub const ALL: [Format; 4] = [Format::Markdown, Format::Json, Format::CompactJson, Format::Toon];

    pub const fn name(self) -> &'static str {
        match self {
            Format::Markdown => "markdown",
            Format::Json => "json",
            Format::CompactJson => "compact-json",
            Format::Toon => "toon",
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        let wanted = name.trim().to_ascii_lowercase().replace('_', "-");
        Format::ALL
            .into_iter()
            .find(|format| format.name() == wanted)
            .ok_or_else(|| format!("\"{name}\" is no format; the formats are markdown, json, compact-json and toon"))
    }
}
