//! The variables that an agent may subscribe to: their names and what they mean, in the documented order.
//!
//! The first 19 are the published ones, which a full dump always has; those after them are sent to who asks by name.
//! Who reads a value and when is in `world`; the shapes of the compound ones are in `payload`.

/// A variable's row in the documentation.
pub struct VariableRow {
    pub variable: Variable,
    /// The key in `vars` and the word in `subscribe`.
    pub name: &'static str,
    /// The type in words.
    pub kind: &'static str,
    /// One sentence with unit and range.
    pub doc: &'static str,
}

macro_rules! variables {
    ($($variant:ident, $name:literal, $kind:literal, $doc:literal;)+) => {
        /// A variable that an agent may subscribe to; its number is its place in the documented order.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(u8)]
        pub enum Variable { $(#[doc = $doc] $variant,)+ }

        /// All variables in the documented order.
        pub const VARIABLES: &[VariableRow] =
            &[$(VariableRow { variable: Variable::$variant, name: $name, kind: $kind, doc: $doc },)+];
    };
}

variables! {
    Health, "HEALTH", "int", "Current hit points, -10 (dying) to MAX_HEALTH.";
    MaxHealth, "MAX_HEALTH", "int", "Most hit points, from 1.";
    Mana, "MANA", "int", "Current mana (mind points for psionics and mystics), 0 to MAX_MANA.";
    MaxMana, "MAX_MANA", "int", "Most mana, from 0.";
    Move, "MOVE", "int", "Current movement points, 0 to MAX_MOVE.";
    MaxMove, "MAX_MOVE", "int", "Most movement points, from 0.";
    Gold, "GOLD", "int", "Gold coins carried, from 0; what is in the bank does not count.";
    Position, "POSITION", "string",
        "`dead`, `mortally wounded`, `incapacitated`, `stunned`, `sleeping`, `resting`, `sitting`, `fighting` or `standing`.";
    Level, "LEVEL", "int", "Character level, from 1.";
    Exp, "EXP", "int", "Total experience points, from 0.";
    RoomVnum, "ROOM_VNUM", "int", "Number of the room that the character is in.";
    RoomName, "ROOM_NAME", "string", "Title of that room, or what a character reads who cannot see it.";
    RoomExits, "ROOM_EXITS", "[string]",
        "Ways out that the character can see, in the order `north` `east` `south` `west` `up` `down`; closed doors included; may be empty.";
    RoomMobs, "ROOM_MOBS", "[RoomMob]", "Mobs that the character can see here, in the order that targets count them, at most 200; may be empty.";
    RoomItems, "ROOM_ITEMS", "[RoomItem]", "Things that the character can see on the floor, in the order that targets count them, at most 200; may be empty.";
    Fighting, "FIGHTING", "bool", "True while the character attacks somebody.";
    Inventory, "INVENTORY", "[InventoryItem]", "Things carried in the hands, without those inside containers; may be empty.";
    Equipment, "EQUIPMENT", "{slot: EquippedItem}", "Things worn, by the name of the place, in the order of the body; empty places are left out.";
    Events, "EVENTS", "[Outcome]",
        "What happened since the last `vars`, oldest first, at most 50; the rest is counted in `dropped`; empty in a full dump.";
    RoomDoors, "ROOM_DOORS", "{direction: string}",
        "Doors that the character can see here, by the direction that they close: `open`, `closed` or `locked`; may be empty. Sent by name only.";
    RoomFlags, "ROOM_FLAGS", "[string]",
        "What the room is like, as far as the character can see it: words of the list below; may be empty. Sent by name only.";
    Tick, "TICK", "int",
        "The world's tick at which the other values of this `vars` were so. It comes along with others and never alone. Sent by name only.";
    Affects, "AFFECTS", "[Affected]",
        "What is at work on the character for a while, oldest first; may be empty. Sent by name only.";
    Conditions, "CONDITIONS", "[string]",
        "How the character is besides its points, in words such as `blind`, `poison`, `charm`, `hungry`; may be empty. Sent by name only.";
    Skills, "SKILLS", "[KnownArt]",
        "Spells and skills that the character knows or could learn now, by the level at which it can; may be empty. Sent by name only.";
    Practices, "PRACTICES", "Practices", "Practice sessions left, and who teaches the character here. Sent by name only.";
    Opponent, "OPPONENT", "Opponent", "Whom the character attacks; null while it attacks nobody. Sent by name only.";
    Group, "GROUP", "[GroupMember]", "The character's group, its leader first; empty without one. Sent by name only.";
    RoomPlayers, "ROOM_PLAYERS", "[RoomPlayer]",
        "Other players that the character can see here, in the order that targets count them, at most 200; may be empty. Sent by name only.";
    Lag, "LAG", "int",
        "Ticks until the next command runs, told when a wait begins or grows, and as 0 when it is over. Sent by name only.";
    Tasks, "TASKS", "[Task]", "What the character is about for others, by the ids of the tasks; may be empty. Sent by name only.";
    Plot, "PLOT", "Plot",
        "The plot of the room, on which everybody builds; null where there is none, or one that the character cannot see. Sent by name only.";
    RoomArea, "ROOM_AREA", "string", "Name of the zone that the room is in; in the dark too. Sent by name only.";
    RoomTerrain, "ROOM_TERRAIN", "string",
        "What the ground is like: `inside`, `city`, `field`, `forest` and so on, as builders write it; in the dark too. Sent by name only.";
    RoomCoords, "ROOM_COORDS", "[int]",
        "Where the room lies on the map of its zone: how far east, north and up, three numbers; no two rooms of a zone have the same. Sent by name only.";
    RoomExitsTo, "ROOM_EXITS_TO", "{direction: int}",
        "The number of the room that each of `ROOM_EXITS` leads to; may be empty. Sent by name only.";
    ExpToLevel, "EXP_TO_LEVEL", "int", "Experience points up to the next level; 0 where there is none for mortals. Sent by name only.";
    Alignment, "ALIGNMENT", "int", "From -1000 (evil) to 1000 (good). Sent by name only.";
    WorldTime, "WORLD_TIME", "WorldTime", "The hour and the date of the world, told anew each hour. Sent by name only.";
    RoomOffers, "ROOM_OFFERS", "RoomOffers",
        "Who keeps a shop here, and what those who are here would have the character do; only of whom it can see. Sent by name only.";
}

/// How many variables the published protocol has: the first of the table. A full dump holds these and what else was
/// subscribed to, so that a client of before reads what it always did.
const PUBLISHED_COUNT: usize = 19;

/// The published variables, in the documented order: what every full dump has.
pub const PUBLISHED: &[VariableRow] = VARIABLES.split_at(PUBLISHED_COUNT).0;

/// A word of `ROOM_FLAGS`.
pub struct RoomFlagRow {
    pub name: &'static str,
    /// What it means to who stands there.
    pub doc: &'static str,
}

const fn room_flag(name: &'static str, doc: &'static str) -> RoomFlagRow {
    RoomFlagRow { name, doc }
}

/// The words of `ROOM_FLAGS`, in the order in which they are sent. Builders know more flags; left out is what nobody
/// can know who only stands there (a trap that kills, where mobs may go, what belongs to immortals).
pub const ROOM_FLAGS: &[RoomFlagRow] = &[
    room_flag("dark", "No light is here now: who has no lamp and no eyes for the dark sees nothing else of the room."),
    room_flag("indoors", "Under a roof, where the night alone brings no darkness."),
    room_flag("peaceful", "Nobody may begin a fight; whoever is attacked may strike back."),
    room_flag("neutral", "A player who would die here is spared, and wakes where everybody begins."),
    room_flag("no_magic", "The builders meant no magic to work here."),
    room_flag("no_recall", "`recall` does not work here."),
    room_flag("soundproof", "Tells and channels neither come in nor go out."),
    room_flag("regen", "Whoever rests here recovers half as fast again."),
    room_flag("bank", "`deposit`, `withdraw` and `balance` work here."),
    room_flag("donation", "What people donate appears here."),
    room_flag("dump", "What is dropped here vanishes and is paid for."),
    room_flag("tunnel", "Room for one person."),
    room_flag("private", "Room for two people."),
];

impl Variable {
    /// The key in `vars` and the word in `subscribe`.
    pub const fn name(self) -> &'static str {
        VARIABLES[self as usize].name
    }

    /// Names are exact: they are upper case.
    pub fn named(name: &str) -> Option<Variable> {
        VARIABLES.iter().find(|row| row.name == name).map(|row| row.variable)
    }
}

impl std::fmt::Display for Variable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}

/// A set of variables: one bit each, by `Variable as u8`. There is room for 63.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct VariableSet(pub u64);

impl VariableSet {
    pub const EMPTY: VariableSet = VariableSet(0);
    /// Does not compile where there are more than fit.
    pub const ALL: VariableSet = VariableSet((1 << VARIABLES.len()) - 1);
    /// What every full dump has.
    pub const PUBLISHED: VariableSet = VariableSet((1 << PUBLISHED_COUNT) - 1);

    pub const fn of(variable: Variable) -> VariableSet {
        VariableSet(1 << variable as u64)
    }

    /// The known ones among `names`, and the unknown names in their order (repeats kept).
    pub fn named<S: AsRef<str>>(names: &[S]) -> (VariableSet, Vec<&str>) {
        let mut set = VariableSet::EMPTY;
        let mut unknown = Vec::new();
        for name in names {
            match Variable::named(name.as_ref()) {
                Some(variable) => set.insert(variable),
                None => unknown.push(name.as_ref()),
            }
        }
        (set, unknown)
    }

    pub const fn contains(self, variable: Variable) -> bool {
        self.0 & (1 << variable as u64) != 0
    }

    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    pub fn insert(&mut self, variable: Variable) {
        self.0 |= 1 << variable as u64;
    }

    pub fn remove(&mut self, variable: Variable) {
        self.0 &= !(1 << variable as u64);
    }

    /// The members, in the documented order.
    pub fn iter(self) -> impl Iterator<Item = Variable> {
        let mut rest = self.0 & VariableSet::ALL.0;
        std::iter::from_fn(move || {
            let index = rest.trailing_zeros() as usize;
            rest &= rest.wrapping_sub(1);
            VARIABLES.get(index).map(|row| row.variable)
        })
    }
}

impl std::ops::BitOr for VariableSet {
    type Output = VariableSet;
    fn bitor(self, other: VariableSet) -> VariableSet {
        VariableSet(self.0 | other.0)
    }
}

impl std::ops::BitAnd for VariableSet {
    type Output = VariableSet;
    fn bitand(self, other: VariableSet) -> VariableSet {
        VariableSet(self.0 & other.0)
    }
}

impl std::ops::Sub for VariableSet {
    type Output = VariableSet;
    fn sub(self, other: VariableSet) -> VariableSet {
        VariableSet(self.0 & !other.0)
    }
}

impl std::ops::BitOrAssign for VariableSet {
    fn bitor_assign(&mut self, other: VariableSet) {
        self.0 |= other.0;
    }
}

impl FromIterator<Variable> for VariableSet {
    fn from_iter<I: IntoIterator<Item = Variable>>(variables: I) -> VariableSet {
        let mut set = VariableSet::EMPTY;
        variables.into_iter().for_each(|variable| set.insert(variable));
        set
    }
}

impl std::fmt::Debug for VariableSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_variable_is_at_its_own_place_in_the_table() {
        assert_eq!(PUBLISHED.last().map(|row| row.name), Some("EVENTS"), "the published ones come first");
        for (index, row) in VARIABLES.iter().enumerate() {
            assert_eq!(row.variable as usize, index);
            assert_eq!(Variable::named(row.name), Some(row.variable));
            assert_eq!(row.variable.name(), row.name);
        }
    }

    #[test]
    fn a_set_gives_back_its_members_in_order() {
        let set: VariableSet = [Variable::Events, Variable::Health, Variable::Gold].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [Variable::Health, Variable::Gold, Variable::Events]);
        assert_eq!(set.len(), 3);
        assert_eq!(VariableSet::PUBLISHED.iter().count(), 19);
        assert_eq!(VariableSet::ALL.iter().count(), VARIABLES.len());
        assert_eq!(VariableSet(u64::MAX).iter().count(), VARIABLES.len());
        assert!(VariableSet::EMPTY.iter().next().is_none());
    }

    #[test]
    fn unknown_names_do_not_spoil_the_known_ones() {
        let (set, unknown) = VariableSet::named(&["HEALTH", "health", "LUCK"]);
        assert_eq!((set, unknown), (VariableSet::of(Variable::Health), vec!["health", "LUCK"]));
    }
}
