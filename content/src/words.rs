//! The closed vocabularies of the game: directions, sectors, sexes, positions, wear places, item kinds, applies.
//!
//! Each is an enum with the name used in content files and in text (`name()` and `named()`), in the classic order
//! where an order exists. What a word *does* is elsewhere; here is only what it is called.

/// Declares a fieldless enum with a content-file name per variant.
macro_rules! words {
    ($(#[$meta:meta])* $word:ident { $($(#[$vmeta:meta])* $variant:ident = $name:literal,)+ }) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
        pub enum $word { $($(#[$vmeta])* #[serde(rename = $name)] $variant,)+ }
        impl $word {
            /// All of them, in order.
            pub const ALL: &'static [$word] = &[$($word::$variant,)+];
            /// The name in content files and plain text.
            pub const fn name(self) -> &'static str { match self { $($word::$variant => $name,)+ } }
            pub fn named(name: &str) -> Option<$word> { Self::ALL.iter().copied().find(|w| w.name() == name) }
            /// Place in the order, from 0.
            pub const fn index(self) -> usize { self as usize }
        }
        impl std::fmt::Display for $word {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result { f.pad(self.name()) }
        }
    };
}

words! {
    /// The six ways out of a room, in the order exits are listed.
    Direction {
        North = "north",
        East = "east",
        South = "south",
        West = "west",
        Up = "up",
        Down = "down",
    }
}

impl Direction {
    /// The direction that a typed word means: its name or the beginning of it, in any case.
    pub fn meant(word: &str) -> Option<Direction> {
        let word = word.to_ascii_lowercase();
        Direction::ALL.iter().copied().find(|way| !word.is_empty() && way.name().starts_with(&*word))
    }

    pub const fn opposite(self) -> Direction {
        match self {
            Direction::North => Direction::South,
            Direction::East => Direction::West,
            Direction::South => Direction::North,
            Direction::West => Direction::East,
            Direction::Up => Direction::Down,
            Direction::Down => Direction::Up,
        }
    }

    /// Where somebody comes from, for "arrives from …".
    pub const fn from_where(self) -> &'static str {
        match self {
            Direction::North => "the north",
            Direction::East => "the east",
            Direction::South => "the south",
            Direction::West => "the west",
            Direction::Up => "above",
            Direction::Down => "below",
        }
    }
}

words! {
    /// How the moon stands, from a new one on.
    MoonPhase {
        New = "new",
        WaxingCrescent = "waxing_crescent",
        FirstQuarter = "first_quarter",
        WaxingGibbous = "waxing_gibbous",
        Full = "full",
        WaningGibbous = "waning_gibbous",
        LastQuarter = "last_quarter",
        WaningCrescent = "waning_crescent",
    }
}

words! {
    /// The ground of a room; decides what a step costs and what it takes to go there.
    Sector {
        Inside = "inside",
        City = "city",
        Field = "field",
        Forest = "forest",
        Hills = "hills",
        Mountain = "mountain",
        /// Water that anybody can swim.
        WaterSwim = "water_swim",
        /// Water that needs a boat, or flight.
        WaterNoSwim = "water_noswim",
        Underwater = "underwater",
        Flying = "flying",
        Desert = "desert",
        Fire = "fire",
        Earth = "earth",
        Wind = "wind",
        Water = "water",
        Swamp = "swamp",
    }
}

impl Sector {
    /// Movement points, before halving the sum of both rooms. Source: game reference §1.4.
    pub const fn move_cost(self) -> i32 {
        match self {
            Sector::Inside | Sector::City | Sector::Underwater => 2,
            Sector::Field => 3,
            Sector::Forest | Sector::Swamp => 4,
            Sector::Hills | Sector::WaterSwim => 5,
            Sector::Mountain => 7,
            Sector::Desert => 8,
            Sector::WaterNoSwim | Sector::Flying | Sector::Fire | Sector::Earth | Sector::Wind | Sector::Water => 6,
        }
    }
}

words! {
    Sex {
        Neutral = "neutral",
        Male = "male",
        Female = "female",
    }
}

words! {
    /// From dead to standing; a verb names the lowest it can be used in.
    Position {
        Dead = "dead",
        MortallyWounded = "mortally wounded",
        Incapacitated = "incapacitated",
        Stunned = "stunned",
        Sleeping = "sleeping",
        Resting = "resting",
        Sitting = "sitting",
        Fighting = "fighting",
        Standing = "standing",
    }
}

words! {
    /// Where something is worn. The order is that of the equipment list.
    WearSlot {
        Light = "light",
        FingerRight = "finger_right",
        FingerLeft = "finger_left",
        NeckOne = "neck_1",
        NeckTwo = "neck_2",
        Body = "body",
        Head = "head",
        Legs = "legs",
        Feet = "feet",
        Hands = "hands",
        Arms = "arms",
        Shield = "shield",
        About = "about",
        Waist = "waist",
        WristRight = "wrist_right",
        WristLeft = "wrist_left",
        Wield = "wield",
        Hold = "hold",
        Throw = "throw",
        AboutLegs = "about_legs",
        Face = "face",
        Hover = "hover",
    }
}

words! {
    /// The kinds of objects, without what each carries (`ObjectKind` in `content`).
    ItemType {
        Light = "light",
        Scroll = "scroll",
        Wand = "wand",
        Staff = "staff",
        Weapon = "weapon",
        FireWeapon = "fire_weapon",
        Missile = "missile",
        Treasure = "treasure",
        Armor = "armor",
        Potion = "potion",
        Worn = "worn",
        Other = "other",
        Trash = "trash",
        Trap = "trap",
        Container = "container",
        Note = "note",
        DrinkContainer = "drink_container",
        Key = "key",
        Food = "food",
        Money = "money",
        Pen = "pen",
        Boat = "boat",
        Fountain = "fountain",
        Furniture = "furniture",
    }
}

words! {
    /// What a blow is called. The order is that of weapon value 3 in the classic files, which have none of the last.
    AttackType {
        Hit = "hit",
        Sting = "sting",
        Whip = "whip",
        Slash = "slash",
        Bite = "bite",
        Bludgeon = "bludgeon",
        Crush = "crush",
        Pound = "pound",
        Claw = "claw",
        Maul = "maul",
        Thrash = "thrash",
        Pierce = "pierce",
        Blast = "blast",
        Punch = "punch",
        Stab = "stab",
        Peck = "peck",
    }
}

impl AttackType {
    /// "hits", "slashes": what the room sees.
    pub const fn third_person(self) -> &'static str {
        match self {
            AttackType::Hit => "hits",
            AttackType::Sting => "stings",
            AttackType::Whip => "whips",
            AttackType::Slash => "slashes",
            AttackType::Bite => "bites",
            AttackType::Bludgeon => "bludgeons",
            AttackType::Crush => "crushes",
            AttackType::Pound => "pounds",
            AttackType::Claw => "claws",
            AttackType::Maul => "mauls",
            AttackType::Thrash => "thrashes",
            AttackType::Pierce => "pierces",
            AttackType::Blast => "blasts",
            AttackType::Punch => "punches",
            AttackType::Stab => "stabs",
            AttackType::Peck => "pecks",
        }
    }
}

words! {
    /// What an object or an affect changes on its bearer.
    Apply {
        None = "none",
        Strength = "strength",
        Dexterity = "dexterity",
        Intelligence = "intelligence",
        Wisdom = "wisdom",
        Constitution = "constitution",
        Charisma = "charisma",
        Class = "class",
        Level = "level",
        Age = "age",
        Weight = "weight",
        Height = "height",
        Mana = "mana",
        Hit = "hit",
        Move = "move",
        Gold = "gold",
        Experience = "experience",
        /// In points of armour class: −10 is one class better.
        ArmorClass = "armor_class",
        HitRoll = "hit_roll",
        DamageRoll = "damage_roll",
        SaveParalysis = "save_paralysis",
        SaveRod = "save_rod",
        SavePetrify = "save_petrify",
        SaveBreath = "save_breath",
        SaveSpell = "save_spell",
        RaceHate = "race_hate",
        HitRegen = "hit_regen",
        ManaRegen = "mana_regen",
        MoveRegen = "move_regen",
        PermanentSpell = "permanent_spell",
    }
}

words! {
    /// What is in a cup. The order is that of the classic files.
    Liquid {
        Water = "water",
        Beer = "beer",
        Wine = "wine",
        Ale = "ale",
        DarkAle = "dark ale",
        Whiskey = "whiskey",
        Lemonade = "lemonade",
        Firebreather = "firebreather",
        LocalSpecialty = "local specialty",
        Slime = "slime",
        Milk = "milk",
        Tea = "tea",
        Coffee = "coffee",
        Blood = "blood",
        SaltWater = "salt water",
        ClearWater = "clear water",
    }
}

impl Liquid {
    /// What one swallow does to drunkenness, fullness and thirst. Source: game reference §1.4.
    pub const fn effect(self) -> (i32, i32, i32) {
        match self {
            Liquid::Water => (0, 1, 10),
            Liquid::Beer => (3, 2, 5),
            Liquid::Wine => (5, 2, 5),
            Liquid::Ale => (2, 2, 5),
            Liquid::DarkAle => (1, 2, 5),
            Liquid::Whiskey => (6, 1, 4),
            Liquid::Lemonade => (0, 1, 8),
            Liquid::Firebreather => (10, 0, 0),
            Liquid::LocalSpecialty => (3, 3, 3),
            Liquid::Slime => (0, 4, -8),
            Liquid::Milk => (0, 3, 6),
            Liquid::Tea | Liquid::Coffee => (0, 1, 6),
            Liquid::Blood => (0, 2, -1),
            Liquid::SaltWater => (0, 1, -2),
            Liquid::ClearWater => (0, 0, 13),
        }
    }
}

words! {
    /// What mobs (and, for the first few, players) are born as.
    Race {
        Human = "human",
        Elf = "elf",
        Dwarf = "dwarf",
        Kender = "kender",
        Centaur = "centaur",
        Rakshasa = "rakshasa",
        Troll = "troll",
        Lycanthrope = "lycanthrope",
        Vampire = "vampire",
        Undead = "undead",
        Dragon = "dragon",
        Demon = "demon",
        Horse = "horse",
        Reptile = "reptile",
        Arachnid = "arachnid",
        Rodent = "rodent",
        Other = "other",
        Veggie = "veggie",
        Giant = "giant",
        Demigod = "demigod",
        Ogre = "ogre",
        Insect = "insect",
        Mammal = "mammal",
        Fish = "fish",
        Avian = "avian",
        Magical = "magical",
        Amphibian = "amphibian",
        Humanoid = "humanoid",
        Faery = "faery",
        Ssaur = "ssaur",
        Minotaur = "minotaur",
    }
}

/// What somebody is by birth, as far as rules ask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Nature {
    /// With hands, and knowing what a latch is for.
    Person,
    /// An animal.
    Beast,
    /// It grows or is made of what grew: straw, too. It draws no breath.
    Plant,
    /// The dead who walk: with hands still, and without breath.
    Dead,
    /// Of magic, or made: without breath.
    Thing,
    Neither,
}

impl Race {
    const fn nature(self) -> Nature {
        match self {
            Race::Human | Race::Elf | Race::Dwarf | Race::Kender | Race::Centaur | Race::Rakshasa => Nature::Person,
            Race::Troll | Race::Lycanthrope | Race::Vampire | Race::Demon | Race::Giant => Nature::Person,
            Race::Demigod | Race::Ogre | Race::Humanoid | Race::Faery | Race::Ssaur | Race::Minotaur => Nature::Person,
            Race::Horse | Race::Reptile | Race::Arachnid | Race::Rodent | Race::Insect => Nature::Beast,
            Race::Mammal | Race::Fish | Race::Avian | Race::Amphibian => Nature::Beast,
            Race::Veggie => Nature::Plant,
            Race::Undead => Nature::Dead,
            Race::Other | Race::Magical => Nature::Thing,
            Race::Dragon => Nature::Neither,
        }
    }

    /// Animals and plants.
    pub fn is_beast(self) -> bool {
        matches!(self.nature(), Nature::Beast | Nature::Plant)
    }

    /// Whether whoever is born as that has hands, and knows what a latch is for.
    pub fn has_hands(self) -> bool {
        matches!(self.nature(), Nature::Person | Nature::Dead)
    }

    /// Without breath, and with nothing to bleed: straw, bones, what magic has put together.
    pub fn is_lifeless(self) -> bool {
        matches!(self.nature(), Nature::Plant | Nature::Dead | Nature::Thing)
    }
}

words! {
    Class {
        MagicUser = "magic-user",
        Cleric = "cleric",
        Thief = "thief",
        Warrior = "warrior",
        Magus = "magus",
        Avatar = "avatar",
        Assassin = "assassin",
        Paladin = "paladin",
        Ninja = "ninja",
        Psionic = "psionic",
        Ranger = "ranger",
        Mystic = "mystic",
    }
}

words! {
    /// When a zone puts its things back.
    ResetMode {
        Never = "never",
        /// When its age has come and no player is in it.
        Empty = "empty",
        Always = "always",
    }
}

words! {
    /// How far a channel carries: to everybody, sleepers too; or to those of the same zone who are awake.
    ChannelRange {
        World = "world",
        Zone = "zone",
    }
}

words! {
    /// The subtype of `event` that lines of a channel have for programs. `channel` is for all without one of their own.
    ChannelEvent {
        Channel = "channel",
        Gossip = "gossip",
        Shout = "shout",
        Auction = "auction",
        Grats = "grats",
        Newbie = "newbie",
    }
}

words! {
    /// Colours that every terminal has.
    Colour {
        Red = "red",
        Green = "green",
        Yellow = "yellow",
        Blue = "blue",
        Magenta = "magenta",
        Cyan = "cyan",
        BrightRed = "bright_red",
        BrightGreen = "bright_green",
        BrightYellow = "bright_yellow",
        BrightBlue = "bright_blue",
        BrightMagenta = "bright_magenta",
        BrightCyan = "bright_cyan",
    }
}

words! {
    /// How often one can do a task.
    Recurrence {
        Once = "once",
        /// Once in each day of the world.
        Daily = "daily",
        Always = "always",
    }
}

words! {
    /// Which steps of a task have to be done, and when.
    StepOrder {
        /// One after the other.
        InOrder = "in order",
        /// All, as they come.
        All = "all",
        /// One of them.
        Any = "any",
    }
}

words! {
    /// What a script can belong to.
    OwnerKind {
        Mob = "mob",
        Room = "room",
        Object = "object",
    }
}

// The order of game reference §7. New ones go to the end: a snapshot has their numbers.
words! {
    /// What a script is called for: the name of the function that it defines.
    Hook {
        /// Somebody whom it sees walks in.
        Greet = "greet",
        /// It was given coins.
        Bribe = "bribe",
        /// It was given a thing.
        OnGive = "ongive",
        /// Now and then, while a player is there to hear it.
        Sound = "sound",
        /// It is about to die; `return true` keeps it alive.
        Death = "death",
        /// Every other tick, while anybody else is in its room.
        OnPulseAll = "onpulse_all",
        /// Every other tick, while a player is in its room.
        OnPulsePc = "onpulse_pc",
        /// After its own blows of a round.
        Fight = "fight",
        /// A player here typed something; `return true` swallows it.
        OnCmd = "oncmd",
        /// Somebody walked in.
        Enter = "enter",
        /// Something is about to be dropped; `return true` prevents it.
        OnDrop = "ondrop",
        /// Something is about to be taken up; `return true` prevents it.
        OnGet = "onget",
        /// Every other tick, while a player is there.
        OnPulse = "onpulse",
        /// What `world.after` asked for.
        Timer = "timer",
    }
}
