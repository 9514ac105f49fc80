//! Scripts: the Luau sources of a zone's folder, and which hooks each defines.
//!
//! What runs them is the crate `world`. Here is what can be said of one from its text alone (`rules.rs`), so that a
//! builder reads all problems at once, with file and line, and that nothing whose order or bytes differ between two
//! machines is ever run.

mod lexer;
mod rules;

use crate::text::Text;
use serde::{Deserialize, Serialize};

pub use crate::words::{Hook, OwnerKind};
pub use rules::faults;
pub(crate) use rules::{names_field, whole_numbers};

/// Scripts that one row may name.
pub const SCRIPTS_MAX: usize = 4;

/// Bytes of a source at most.
pub const SOURCE_MAX: usize = 64 << 10;

impl Hook {
    /// On whose rows it is called.
    pub const fn owners(self) -> &'static [OwnerKind] {
        use OwnerKind::{Mob, Object, Room};
        match self {
            Hook::Greet | Hook::Bribe | Hook::OnGive | Hook::Sound | Hook::Death => &[Mob],
            Hook::OnPulseAll | Hook::OnPulsePc | Hook::Fight => &[Mob],
            Hook::Enter | Hook::OnDrop | Hook::OnGet => &[Room],
            Hook::OnPulse => &[Room, Object],
            Hook::OnCmd | Hook::Timer => &[Mob, Room, Object],
        }
    }
}

/// A set of hooks.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct HookSet(u32);

impl HookSet {
    pub const fn has(self, hook: Hook) -> bool {
        self.0 & 1 << hook as u32 != 0
    }

    pub fn insert(&mut self, hook: Hook) {
        self.0 |= 1 << hook as u32;
    }

    /// Those of both.
    pub const fn with(self, other: HookSet) -> HookSet {
        HookSet(self.0 | other.0)
    }

    /// Those that both have.
    pub const fn common(self, other: HookSet) -> HookSet {
        HookSet(self.0 & other.0)
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub fn iter(self) -> impl Iterator<Item = Hook> {
        Hook::ALL.iter().copied().filter(move |hook| self.has(*hook))
    }

    /// All that are called on rows of that kind.
    pub fn of_owner(owner: OwnerKind) -> HookSet {
        let mut all = HookSet::default();
        Hook::ALL.iter().filter(|hook| hook.owners().contains(&owner)).for_each(|hook| all.insert(*hook));
        all
    }
}

/// A script as its builder wrote it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ScriptSource {
    /// `80/ferry`: the number of its zone and the name of its file.
    pub name: Text,
    pub source: Text,
    pub hooks: HookSet,
}

impl ScriptSource {
    pub fn new(zone: i32, name: &str, source: &str) -> ScriptSource {
        ScriptSource { name: script_name(zone, name), source: source.into(), hooks: rules::hooks(source) }
    }
}

/// What a script is known by: `80/ferry`.
pub fn script_name(zone: i32, name: &str) -> Text {
    format!("{zone}/{name}").into()
}

/// Small letters, digits and `_`, so that a name means one file on every system.
pub fn is_script_name(name: &str) -> bool {
    (1..=40).contains(&name.len()) && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_')
}
