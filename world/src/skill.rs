//! What skills and spells are called in the code: by typed names, which the tables of `data/rules` hold.
//!
//! A name that is in no table is no error here: an old save may know a skill that the rule book has given up. Names
//! that the code and the rule book use are all in the tables; a test of `rules` says so.

use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;

macro_rules! named_id {
    ($(#[$meta:meta])* $id:ident) => {
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $id(Cow<'static, str>);

        impl $id {
            pub const fn named(name: &'static str) -> $id {
                $id(Cow::Borrowed(name))
            }

            pub fn name(&self) -> &str {
                &self.0
            }
        }

        impl From<&str> for $id {
            fn from(name: &str) -> $id {
                $id(Cow::Owned(name.to_string()))
            }
        }

        impl fmt::Display for $id {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(&self.0)
            }
        }
    };
}

named_id! {
    /// A skill, by its name in `data/rules/skills.toml`.
    SkillId
}
named_id! {
    /// A spell, by its name in `data/rules/spells.toml`.
    SpellId
}

impl SkillId {
    pub const PICK_LOCK: SkillId = SkillId::named("pick lock");
    pub const RESCUE: SkillId = SkillId::named("rescue");
    pub const PARRY: SkillId = SkillId::named("parry");
    pub const EVASION: SkillId = SkillId::named("evasion");
    pub const SEAL_OF_BLOOD: SkillId = SkillId::named("kuji-kiri jin");
    pub const SEAL_OF_BREATH: SkillId = SkillId::named("kuji-kiri zhen");
    /// Those that code asks for.
    pub const USED: [SkillId; 6] = [
        SkillId::PICK_LOCK,
        SkillId::RESCUE,
        SkillId::PARRY,
        SkillId::EVASION,
        SkillId::SEAL_OF_BLOOD,
        SkillId::SEAL_OF_BREATH,
    ];
}
