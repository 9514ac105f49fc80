//! `tests/layers.toml`: which crates and modules there are and in which order, read and compared with what is there.

use serde::Deserialize;

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Crates whose modules stand in no order so far.
    #[serde(default)]
    pub unordered: Vec<String>,
    #[serde(rename = "crate")]
    pub crates: Vec<CrateRow>,
    #[serde(default)]
    pub pure: Vec<Purity>,
}

#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct CrateRow {
    pub name: String,
    /// Crates of this workspace that it may use.
    pub uses: Vec<String>,
    /// Crates of others that it may use.
    pub external: Vec<String>,
    /// Types whose methods count as uses of the modules that have them.
    #[serde(default)]
    pub subjects: Vec<String>,
    /// Modules by layer, the topmost layer first. A module is in the layer of the longest path that is listed.
    #[serde(default)]
    pub layers: Vec<Vec<String>>,
    /// Arrows that go the wrong way and wait to be turned round: `low → high`, by the names in `layers`, or by the
    /// children of a folder that are in a circle. One that is in order by now is refused, so the list only gets
    /// shorter.
    #[serde(default)]
    pub waiting: Vec<String>,
}

/// What some modules must not reach, by whatever way.
#[derive(Deserialize, Debug, Default)]
#[serde(deny_unknown_fields)]
pub struct Purity {
    #[serde(rename = "crate")]
    pub krate: String,
    /// None for all of the crate.
    #[serde(default)]
    pub modules: Vec<String>,
    /// Modules of the same crate, and paths of others such as `std::fs`.
    pub never: Vec<String>,
}

impl Table {
    pub fn read(text: &str) -> Result<Table, String> {
        toml::from_str(text).map_err(|error| error.to_string())
    }

    pub fn row(&self, name: &str) -> Option<&CrateRow> {
        self.crates.iter().find(|row| row.name == name)
    }
}
