//! Sets of named flags: rooms, mobs, affects, objects, wear places.
//!
//! A flag has one name, used in content files, in `stat` and in code. The bit numbers are ours and never leave the
//! process except inside a snapshot; the numbering of foreign dialects is mapped in `content/circle/`.

/// Declares a set type over `u64` with one constant and one content-file name per flag. Whoever uses it has `serde`.
#[macro_export]
macro_rules! flag_set {
    ($(#[$meta:meta])* $set:ident { $($(#[$fmeta:meta])* $flag:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
        pub struct $set(pub u64);

        impl $set {
            $crate::flag_set!(@bits 0u32; $($(#[$fmeta])* $flag,)+);
            /// Every flag with its name in content files, in bit order.
            pub const NAMES: &'static [(&'static str, $set)] = &[$(($name, $set::$flag),)+];
            pub const NONE: $set = $set(0);
            /// True when every flag of `other` is in this set.
            pub const fn has(self, other: $set) -> bool { self.0 & other.0 == other.0 }
            /// True when any flag of `other` is in this set.
            pub const fn any(self, other: $set) -> bool { self.0 & other.0 != 0 }
            pub const fn is_empty(self) -> bool { self.0 == 0 }
            pub const fn with(self, other: $set) -> $set { $set(self.0 | other.0) }
            pub const fn without(self, other: $set) -> $set { $set(self.0 & !other.0) }
            pub fn insert(&mut self, other: $set) { self.0 |= other.0; }
            pub fn remove(&mut self, other: $set) { self.0 &= !other.0; }
            pub fn toggle(&mut self, other: $set) { self.0 ^= other.0; }
            /// The flag of that name in content files.
            pub fn named(name: &str) -> Option<$set> {
                Self::NAMES.iter().find(|(n, _)| *n == name).map(|(_, f)| *f)
            }
            /// Names of the flags in the set, in bit order.
            pub fn names(self) -> impl Iterator<Item = &'static str> {
                Self::NAMES.iter().filter(move |(_, f)| self.has(*f)).map(|(n, _)| *n)
            }
        }
        impl std::fmt::Debug for $set {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_set().entries(self.names()).finish()
            }
        }
        impl serde::Serialize for $set {
            fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
                if s.is_human_readable() { s.collect_seq(self.names()) } else { s.serialize_u64(self.0) }
            }
        }
        impl<'de> serde::Deserialize<'de> for $set {
            fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
                if !d.is_human_readable() { return u64::deserialize(d).map($set); }
                let mut set = $set(0);
                for name in Vec::<String>::deserialize(d)? {
                    match $set::named(&name) {
                        Some(flag) => set.insert(flag),
                        None => return Err(serde::de::Error::custom(format_args!(
                            "unknown flag {name:?}; known are {}",
                            Self::NAMES.iter().map(|(n, _)| *n).collect::<Vec<_>>().join(", ")
                        ))),
                    }
                }
                Ok(set)
            }
        }
    };
    (@bits $bit:expr; $(#[$fmeta:meta])* $flag:ident, $($rest:tt)*) => {
        $(#[$fmeta])*
        pub const $flag: Self = Self(1 << ($bit));
        $crate::flag_set!(@bits $bit + 1; $($rest)*);
    };
    (@bits $bit:expr;) => {};
}

flag_set! {
    /// What a room is like.
    RoomFlags {
        DARK = "dark",
        /// Whoever enters dies; no corpse is left.
        DEATH = "death",
        /// Mobs stay out by themselves; behind a player they go in.
        NO_MOB = "no_mob",
        INDOORS = "indoors",
        PEACEFUL = "peaceful",
        SOUNDPROOF = "soundproof",
        NO_TRACK = "no_track",
        NO_MAGIC = "no_magic",
        /// Room for one person.
        TUNNEL = "tunnel",
        /// Room for two people.
        PRIVATE = "private",
        GOD_ROOM = "god_room",
        HOUSE = "house",
        ATRIUM = "atrium",
        /// Nobody dies here: a player who would is set to 1 hp and moved to the start room.
        NEUTRAL = "neutral",
        NO_RECALL = "no_recall",
        /// Regeneration is half as strong again.
        REGEN = "regen",
        NO_WHO = "no_who",
        FLOW_NORTH = "flow_north",
        FLOW_SOUTH = "flow_south",
        FLOW_EAST = "flow_east",
        FLOW_WEST = "flow_west",
        FLOW_UP = "flow_up",
        FLOW_DOWN = "flow_down",
        ARENA = "arena",
        WORLDMAP = "worldmap",
        /// What `donate` gives appears in rooms with this flag.
        DONATION = "donation",
        /// People may quit and rest safely here; used by inns.
        INN = "inn",
        BANK = "bank",
        /// Things dropped here vanish and are paid for.
        DUMP = "dump",
        /// Programs that play are not let in.
        PEOPLE_ONLY = "people_only",
    }
}

flag_set! {
    /// How a mob behaves.
    MobFlags {
        SPEC = "spec",
        SENTINEL = "sentinel",
        SCAVENGER = "scavenger",
        AWARE = "aware",
        AGGRESSIVE = "aggressive",
        STAY_ZONE = "stay_zone",
        WIMPY = "wimpy",
        AGGR_EVIL = "aggr_evil",
        AGGR_GOOD = "aggr_good",
        AGGR_NEUTRAL = "aggr_neutral",
        MEMORY = "memory",
        HELPER = "helper",
        NO_CHARM = "no_charm",
        NO_SUMMON = "no_summon",
        NO_SLEEP = "no_sleep",
        NO_BASH = "no_bash",
        NO_BLIND = "no_blind",
        /// Cannot be attacked.
        NO_KILL = "no_kill",
        HUNTER = "hunter",
        /// Aggressive to anybody at least four levels below it, mobs too.
        AGGR_24 = "aggr_24",
        RANDOM_LOAD = "random_load",
        MOUNTABLE = "mountable",
        RARE = "rare",
        LOOTS = "loots",
        OK_GIVE = "ok_give",
    }
}

flag_set! {
    /// Conditions that a spell, an object or birth puts on a character.
    AffectFlags {
        BLIND = "blind",
        INVISIBLE = "invisible",
        DETECT_ALIGN = "detect_align",
        DETECT_INVISIBLE = "detect_invisible",
        DETECT_MAGIC = "detect_magic",
        SENSE_LIFE = "sense_life",
        WATERWALK = "waterwalk",
        SANCTUARY = "sanctuary",
        CURSE = "curse",
        INFRAVISION = "infravision",
        POISON = "poison",
        PROTECT_EVIL = "protect_evil",
        PROTECT_GOOD = "protect_good",
        SLEEP = "sleep",
        NO_TRACK = "no_track",
        FLESH_ALTER = "flesh_alter",
        DODGE = "dodge",
        SNEAK = "sneak",
        HIDE = "hide",
        BERSERK = "berserk",
        CHARM = "charm",
        FLY = "fly",
        KUJI_KIRI = "kuji_kiri",
        CUTTHROAT = "cutthroat",
        WEREWOLF = "werewolf",
        VAMPIRE = "vampire",
        MOUNT = "mount",
        INVULNERABLE = "invulnerable",
        FLAMING = "flaming",
        HASTE = "haste",
        SLOW = "slow",
        DREAM = "dream",
        WATERBREATHE = "waterbreathe",
        METALSKIN = "metalskin",
        ROBBED = "robbed",
        WIMPY = "wimpy",
    }
}

flag_set! {
    /// What is special about an object.
    ObjectFlags {
        GLOW = "glow",
        HUM = "hum",
        NO_RENT = "no_rent",
        NO_DONATE = "no_donate",
        NO_INVISIBLE = "no_invisible",
        INVISIBLE = "invisible",
        MAGIC = "magic",
        NO_DROP = "no_drop",
        BLESS = "bless",
        ANTI_GOOD = "anti_good",
        ANTI_EVIL = "anti_evil",
        ANTI_NEUTRAL = "anti_neutral",
        ANTI_MAGIC_USER = "anti_magic_user",
        ANTI_CLERIC = "anti_cleric",
        ANTI_THIEF = "anti_thief",
        ANTI_WARRIOR = "anti_warrior",
        NO_SELL = "no_sell",
        TAKE_NAME = "take_name",
        ANTI_PSIONIC = "anti_psionic",
        ANTI_NINJA = "anti_ninja",
        ANTI_PALADIN = "anti_paladin",
        ANTI_MAGUS = "anti_magus",
        ANTI_ASSASSIN = "anti_assassin",
        ANTI_AVATAR = "anti_avatar",
        RARE = "rare",
        NO_LOCATE = "no_locate",
        ANTI_RANGER = "anti_ranger",
        ANTI_MYSTIC = "anti_mystic",
        TWO_HANDED = "two_handed",
        QUEST = "quest",
    }
}

flag_set! {
    /// Where an object may be worn, and whether it can be taken at all.
    WearFlags {
        TAKE = "take",
        FINGER = "finger",
        NECK = "neck",
        BODY = "body",
        HEAD = "head",
        LEGS = "legs",
        FEET = "feet",
        HANDS = "hands",
        ARMS = "arms",
        SHIELD = "shield",
        ABOUT = "about",
        WAIST = "waist",
        WRIST = "wrist",
        WIELD = "wield",
        HOLD = "hold",
        THROW = "throw",
        ABOUT_LEGS = "about_legs",
        FACE = "face",
        HOVER = "hover",
    }
}

flag_set! {
    /// State of a door, kept per exit; also the nature of it in content.
    DoorFlags {
        /// There is a door at all.
        DOOR = "door",
        CLOSED = "closed",
        LOCKED = "locked",
        PICKPROOF = "pickproof",
        /// Not shown until it has been opened or searched for.
        HIDDEN = "hidden",
    }
}

flag_set! {
    /// What a container's lid can do.
    ContainerFlags {
        CLOSEABLE = "closeable",
        PICKPROOF = "pickproof",
        CLOSED = "closed",
        LOCKED = "locked",
    }
}

flag_set! {
    /// Whom a shop turns away.
    TradeFlags {
        NO_GOOD = "no_good",
        NO_EVIL = "no_evil",
        NO_NEUTRAL = "no_neutral",
        NO_MAGIC_USER = "no_magic_user",
        NO_CLERIC = "no_cleric",
        NO_THIEF = "no_thief",
        NO_WARRIOR = "no_warrior",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flag_is_found_by_the_name_it_is_shown_with() {
        for (name, flag) in AffectFlags::NAMES {
            assert_eq!(AffectFlags::named(name), Some(*flag));
            assert_eq!(flag.names().collect::<Vec<_>>(), vec![*name]);
        }
        assert!(RoomFlags::DARK.with(RoomFlags::DEATH).any(RoomFlags::DEATH));
        assert_eq!(RoomFlags::DARK.0, 1);
        assert_eq!(RoomFlags::DEATH.0, 2);
    }
}
