//! What the numbers of the Circle-family files mean in our words: one table per kind and dialect, in order of the
//! number.
//!
//! Source: game reference §1.4 and §1.5. A bit is one of our flags, or something the old programs kept for themselves
//! (dropped without a word), or has no meaning here (one warning per file and bit).

use super::dialect::Dialect;
use crate::flags::*;
use crate::words::*;

/// What a bit of a foreign set means.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Bit<F> {
    Is(F),
    /// Kept by the old program while it ran; says nothing about the content.
    Inner,
    /// Has a meaning there and none here.
    Lacks,
}
use Bit::{Inner, Is, Lacks};

/// The tables of one dialect.
pub(super) struct Tables {
    pub rooms: &'static [Bit<RoomFlags>],
    pub mobs: &'static [Bit<MobFlags>],
    pub affects: &'static [Bit<AffectFlags>],
    pub objects: &'static [Bit<ObjectFlags>],
    pub wear: &'static [Bit<WearFlags>],
    pub sectors: &'static [Sector],
    /// By item type number, from 0; `None` for numbers without a type.
    pub items: &'static [Option<ItemType>],
    /// By door type, from 0.
    pub doors: &'static [DoorFlags],
    /// By apply number, from 0.
    pub applies: &'static [Apply],
    /// By wear position, from 0.
    pub slots: &'static [WearSlot],
}

pub(super) const fn tables(dialect: Dialect) -> &'static Tables {
    match dialect {
        Dialect::Stock => &STOCK,
        Dialect::Tbamud => &TBAMUD,
        Dialect::DarkPawns => &DARK_PAWNS,
    }
}

static STOCK: Tables = Tables {
    rooms: ROOMS_DARK_PAWNS.split_at(16).0,
    mobs: &MOBS_STOCK,
    affects: &AFFECTS_STOCK,
    objects: OBJECTS_DARK_PAWNS.split_at(17).0,
    wear: WEAR_DARK_PAWNS.split_at(15).0,
    sectors: &SECTORS_STOCK,
    items: &ITEMS_DARK_PAWNS,
    doors: DOORS_TBAMUD.split_at(3).0,
    applies: Apply::ALL.split_at(25).0,
    slots: WearSlot::ALL.split_at(18).0,
};

static TBAMUD: Tables = Tables {
    rooms: &ROOMS_TBAMUD,
    mobs: &MOBS_TBAMUD,
    affects: &AFFECTS_TBAMUD,
    objects: &OBJECTS_TBAMUD,
    wear: WEAR_DARK_PAWNS.split_at(15).0,
    sectors: &SECTORS_STOCK,
    items: &ITEMS_TBAMUD,
    doors: &DOORS_TBAMUD,
    applies: Apply::ALL.split_at(25).0,
    slots: WearSlot::ALL.split_at(18).0,
};

static DARK_PAWNS: Tables = Tables {
    rooms: &ROOMS_DARK_PAWNS,
    mobs: &MOBS_DARK_PAWNS,
    affects: &AFFECTS_DARK_PAWNS,
    objects: &OBJECTS_DARK_PAWNS,
    wear: &WEAR_DARK_PAWNS,
    sectors: Sector::ALL,
    items: &ITEMS_DARK_PAWNS,
    doors: DOORS_TBAMUD.split_at(3).0,
    applies: Apply::ALL,
    slots: WearSlot::ALL,
};

const ROOMS_DARK_PAWNS: [Bit<RoomFlags>; 28] = [
    Is(RoomFlags::DARK),
    Is(RoomFlags::DEATH),
    Is(RoomFlags::NO_MOB),
    Is(RoomFlags::INDOORS),
    Is(RoomFlags::PEACEFUL),
    Is(RoomFlags::SOUNDPROOF),
    Is(RoomFlags::NO_TRACK),
    Is(RoomFlags::NO_MAGIC),
    Is(RoomFlags::TUNNEL),
    Is(RoomFlags::PRIVATE),
    Is(RoomFlags::GOD_ROOM),
    Is(RoomFlags::HOUSE),
    Inner, // a house to be saved
    Is(RoomFlags::ATRIUM),
    Inner, // being edited
    Inner, // mark of the path search
    Is(RoomFlags::NEUTRAL),
    Is(RoomFlags::NO_RECALL),
    Is(RoomFlags::REGEN),
    Is(RoomFlags::NO_WHO),
    Inner, // a secret way was found
    Is(RoomFlags::FLOW_NORTH),
    Is(RoomFlags::FLOW_SOUTH),
    Is(RoomFlags::FLOW_EAST),
    Is(RoomFlags::FLOW_WEST),
    Is(RoomFlags::FLOW_UP),
    Is(RoomFlags::FLOW_DOWN),
    Is(RoomFlags::ARENA),
];

const ROOMS_TBAMUD: [Bit<RoomFlags>; 17] = {
    let mut table = [Lacks; 17];
    let mut bit = 0;
    while bit < 16 {
        table[bit] = ROOMS_DARK_PAWNS[bit];
        bit += 1;
    }
    table[16] = Is(RoomFlags::WORLDMAP);
    table
};

const MOBS_DARK_PAWNS: [Bit<MobFlags>; 26] = [
    Is(MobFlags::SPEC),
    Is(MobFlags::SENTINEL),
    Is(MobFlags::SCAVENGER),
    Inner, // it is a mob
    Is(MobFlags::AWARE),
    Is(MobFlags::AGGRESSIVE),
    Is(MobFlags::STAY_ZONE),
    Is(MobFlags::WIMPY),
    Is(MobFlags::AGGR_EVIL),
    Is(MobFlags::AGGR_GOOD),
    Is(MobFlags::AGGR_NEUTRAL),
    Is(MobFlags::MEMORY),
    Is(MobFlags::HELPER),
    Is(MobFlags::NO_CHARM),
    Is(MobFlags::NO_SUMMON),
    Is(MobFlags::NO_SLEEP),
    Is(MobFlags::NO_BASH),
    Is(MobFlags::NO_BLIND),
    Is(MobFlags::HUNTER),
    Is(MobFlags::AGGR_24),
    Is(MobFlags::RANDOM_LOAD),
    Is(MobFlags::MOUNTABLE),
    Is(MobFlags::RARE),
    Is(MobFlags::LOOTS),
    Is(MobFlags::OK_GIVE),
    Inner, // being removed
];

const fn mobs_common<const N: usize>() -> [Bit<MobFlags>; N] {
    let mut table = [Inner; N];
    let mut bit = 0;
    while bit < 18 {
        table[bit] = MOBS_DARK_PAWNS[bit];
        bit += 1;
    }
    table
}

/// Bit 18: not dead yet, which the program keeps for itself.
const MOBS_STOCK: [Bit<MobFlags>; 19] = mobs_common();

const MOBS_TBAMUD: [Bit<MobFlags>; 20] = {
    let mut table = mobs_common();
    table[18] = Is(MobFlags::NO_KILL);
    table
};

const AFFECTS_DARK_PAWNS: [Bit<AffectFlags>; 39] = [
    Is(AffectFlags::BLIND),
    Is(AffectFlags::INVISIBLE),
    Is(AffectFlags::DETECT_ALIGN),
    Is(AffectFlags::DETECT_INVISIBLE),
    Is(AffectFlags::DETECT_MAGIC),
    Is(AffectFlags::SENSE_LIFE),
    Is(AffectFlags::WATERWALK),
    Is(AffectFlags::SANCTUARY),
    Inner, // in a group
    Is(AffectFlags::CURSE),
    Is(AffectFlags::INFRAVISION),
    Is(AffectFlags::POISON),
    Is(AffectFlags::PROTECT_EVIL),
    Is(AffectFlags::PROTECT_GOOD),
    Is(AffectFlags::SLEEP),
    Is(AffectFlags::NO_TRACK),
    Is(AffectFlags::FLESH_ALTER),
    Is(AffectFlags::DODGE),
    Is(AffectFlags::SNEAK),
    Is(AffectFlags::HIDE),
    Is(AffectFlags::BERSERK),
    Is(AffectFlags::CHARM),
    Inner, // following somebody
    Is(AffectFlags::WIMPY),
    Is(AffectFlags::KUJI_KIRI),
    Is(AffectFlags::CUTTHROAT),
    Is(AffectFlags::FLY),
    Is(AffectFlags::WEREWOLF),
    Is(AffectFlags::VAMPIRE),
    Is(AffectFlags::MOUNT),
    Is(AffectFlags::INVULNERABLE),
    Is(AffectFlags::FLAMING),
    Inner, // nothing
    Is(AffectFlags::HASTE),
    Is(AffectFlags::SLOW),
    Is(AffectFlags::DREAM),
    Is(AffectFlags::WATERBREATHE),
    Is(AffectFlags::METALSKIN),
    Is(AffectFlags::ROBBED),
];

const AFFECTS_STOCK: [Bit<AffectFlags>; 22] = {
    let mut table = [Lacks; 22];
    let mut bit = 0;
    while bit < 22 {
        if bit != 16 && bit != 17 && bit != 20 {
            table[bit] = AFFECTS_DARK_PAWNS[bit];
        }
        bit += 1;
    }
    table
};

/// One higher than elsewhere: bit 0 is unused.
const AFFECTS_TBAMUD: [Bit<AffectFlags>; 23] = {
    let mut table = [Lacks; 23];
    table[0] = Inner;
    let mut bit = 1;
    while bit < 17 {
        table[bit] = AFFECTS_DARK_PAWNS[bit - 1];
        bit += 1;
    }
    table[17] = Is(AffectFlags::FLY);
    table[18] = Is(AffectFlags::WATERBREATHE);
    table[19] = Is(AffectFlags::SNEAK);
    table[20] = Is(AffectFlags::HIDE);
    table[22] = Is(AffectFlags::CHARM);
    table
};

const OBJECTS_DARK_PAWNS: [Bit<ObjectFlags>; 29] = [
    Is(ObjectFlags::GLOW),
    Is(ObjectFlags::HUM),
    Is(ObjectFlags::NO_RENT),
    Is(ObjectFlags::NO_DONATE),
    Is(ObjectFlags::NO_INVISIBLE),
    Is(ObjectFlags::INVISIBLE),
    Is(ObjectFlags::MAGIC),
    Is(ObjectFlags::NO_DROP),
    Is(ObjectFlags::BLESS),
    Is(ObjectFlags::ANTI_GOOD),
    Is(ObjectFlags::ANTI_EVIL),
    Is(ObjectFlags::ANTI_NEUTRAL),
    Is(ObjectFlags::ANTI_MAGIC_USER),
    Is(ObjectFlags::ANTI_CLERIC),
    Is(ObjectFlags::ANTI_THIEF),
    Is(ObjectFlags::ANTI_WARRIOR),
    Is(ObjectFlags::NO_SELL),
    Is(ObjectFlags::TAKE_NAME),
    Is(ObjectFlags::ANTI_PSIONIC),
    Is(ObjectFlags::ANTI_NINJA),
    Is(ObjectFlags::ANTI_PALADIN),
    Is(ObjectFlags::ANTI_MAGUS),
    Is(ObjectFlags::ANTI_ASSASSIN),
    Is(ObjectFlags::ANTI_AVATAR),
    Is(ObjectFlags::RARE),
    Is(ObjectFlags::NO_LOCATE),
    Is(ObjectFlags::ANTI_RANGER),
    Is(ObjectFlags::ANTI_MYSTIC),
    Is(ObjectFlags::TWO_HANDED),
];

const OBJECTS_TBAMUD: [Bit<ObjectFlags>; 18] = {
    let mut table = [Lacks; 18];
    let mut bit = 0;
    while bit < 17 {
        table[bit] = OBJECTS_DARK_PAWNS[bit];
        bit += 1;
    }
    table[17] = Is(ObjectFlags::QUEST);
    table
};

const WEAR_DARK_PAWNS: [Bit<WearFlags>; 19] = [
    Is(WearFlags::TAKE),
    Is(WearFlags::FINGER),
    Is(WearFlags::NECK),
    Is(WearFlags::BODY),
    Is(WearFlags::HEAD),
    Is(WearFlags::LEGS),
    Is(WearFlags::FEET),
    Is(WearFlags::HANDS),
    Is(WearFlags::ARMS),
    Is(WearFlags::SHIELD),
    Is(WearFlags::ABOUT),
    Is(WearFlags::WAIST),
    Is(WearFlags::WRIST),
    Is(WearFlags::WIELD),
    Is(WearFlags::HOLD),
    Is(WearFlags::THROW),
    Is(WearFlags::ABOUT_LEGS),
    Is(WearFlags::FACE),
    Is(WearFlags::HOVER),
];

/// The bits of a container's second value.
pub(super) const CONTAINERS: [Bit<ContainerFlags>; 4] = [
    Is(ContainerFlags::CLOSEABLE),
    Is(ContainerFlags::PICKPROOF),
    Is(ContainerFlags::CLOSED),
    Is(ContainerFlags::LOCKED),
];

/// Whom a shop turns away.
pub(super) const TRADES: [Bit<TradeFlags>; 7] = [
    Is(TradeFlags::NO_GOOD),
    Is(TradeFlags::NO_EVIL),
    Is(TradeFlags::NO_NEUTRAL),
    Is(TradeFlags::NO_MAGIC_USER),
    Is(TradeFlags::NO_CLERIC),
    Is(TradeFlags::NO_THIEF),
    Is(TradeFlags::NO_WARRIOR),
];

/// How a shop behaves.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ShopHabit {
    Fights,
    UsesBank,
}
pub(super) const SHOP_HABITS: [Bit<ShopHabit>; 2] = [Is(ShopHabit::Fights), Is(ShopHabit::UsesBank)];

/// Dark Pawns has flying and underwater the other way round, and more behind them.
const SECTORS_STOCK: [Sector; 10] = [
    Sector::Inside,
    Sector::City,
    Sector::Field,
    Sector::Forest,
    Sector::Hills,
    Sector::Mountain,
    Sector::WaterSwim,
    Sector::WaterNoSwim,
    Sector::Flying,
    Sector::Underwater,
];

const ITEMS_DARK_PAWNS: [Option<ItemType>; 24] = [
    None,
    Some(ItemType::Light),
    Some(ItemType::Scroll),
    Some(ItemType::Wand),
    Some(ItemType::Staff),
    Some(ItemType::Weapon),
    Some(ItemType::FireWeapon),
    Some(ItemType::Missile),
    Some(ItemType::Treasure),
    Some(ItemType::Armor),
    Some(ItemType::Potion),
    Some(ItemType::Worn),
    Some(ItemType::Other),
    Some(ItemType::Trash),
    Some(ItemType::Trap),
    Some(ItemType::Container),
    Some(ItemType::Note),
    Some(ItemType::DrinkContainer),
    Some(ItemType::Key),
    Some(ItemType::Food),
    Some(ItemType::Money),
    Some(ItemType::Pen),
    Some(ItemType::Boat),
    Some(ItemType::Fountain),
];

/// 6 is furniture, 7 and 14 are free.
const ITEMS_TBAMUD: [Option<ItemType>; 24] = {
    let mut table = ITEMS_DARK_PAWNS;
    table[6] = Some(ItemType::Furniture);
    table[7] = None;
    table[14] = None;
    table
};

/// What shop files may write instead of an item type's number, from type 1 on, in the classic order.
pub(super) const ITEM_NAMES: [&str; 23] = [
    "light",
    "scroll",
    "wand",
    "staff",
    "weapon",
    "fire weapon",
    "missile",
    "treasure",
    "armor",
    "potion",
    "worn",
    "other",
    "trash",
    "trap",
    "container",
    "note",
    "liq container",
    "key",
    "food",
    "money",
    "pen",
    "boat",
    "fountain",
];

/// 3 and 4 only in tbaMUD.
const DOORS_TBAMUD: [DoorFlags; 5] = [
    DoorFlags::NONE,
    DoorFlags::DOOR,
    DoorFlags::DOOR.with(DoorFlags::PICKPROOF),
    DoorFlags::DOOR.with(DoorFlags::HIDDEN),
    DoorFlags::DOOR.with(DoorFlags::PICKPROOF).with(DoorFlags::HIDDEN),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tables_agree_with_the_reference_at_the_numbers_where_dialects_differ() {
        let affect = |dialect: Dialect, bit: usize| tables(dialect).affects[bit];
        assert_eq!(affect(Dialect::Stock, 0), Is(AffectFlags::BLIND));
        assert_eq!(affect(Dialect::Tbamud, 1), Is(AffectFlags::BLIND));
        assert_eq!(affect(Dialect::Tbamud, 16), Is(AffectFlags::NO_TRACK));
        assert_eq!(affect(Dialect::Stock, 16), Lacks);
        assert_eq!(affect(Dialect::DarkPawns, 16), Is(AffectFlags::FLESH_ALTER));
        assert_eq!(affect(Dialect::DarkPawns, 38), Is(AffectFlags::ROBBED));
        assert_eq!(affect(Dialect::Stock, 21), Is(AffectFlags::CHARM));
        assert_eq!(affect(Dialect::Tbamud, 22), Is(AffectFlags::CHARM));
        assert_eq!(tables(Dialect::DarkPawns).sectors[8], Sector::Underwater);
        assert_eq!(tables(Dialect::Tbamud).sectors[8], Sector::Flying);
        assert_eq!(tables(Dialect::DarkPawns).rooms[16], Is(RoomFlags::NEUTRAL));
        assert_eq!(tables(Dialect::Tbamud).rooms[16], Is(RoomFlags::WORLDMAP));
        assert_eq!(tables(Dialect::Stock).rooms.len(), 16);
        assert_eq!(tables(Dialect::Tbamud).mobs[18], Is(MobFlags::NO_KILL));
        assert_eq!(tables(Dialect::DarkPawns).mobs[18], Is(MobFlags::HUNTER));
        assert_eq!(tables(Dialect::Stock).mobs[18], Inner);
        assert_eq!(tables(Dialect::Tbamud).items[6], Some(ItemType::Furniture));
        assert_eq!(tables(Dialect::DarkPawns).items[23], Some(ItemType::Fountain));
        assert_eq!(Apply::ALL[17], Apply::ArmorClass);
        assert_eq!(Apply::ALL[29], Apply::PermanentSpell);
        assert_eq!(WearSlot::ALL[16], WearSlot::Wield);
        assert_eq!(AttackType::ALL[11], AttackType::Pierce);
        assert_eq!(Liquid::ALL[15], Liquid::ClearWater);
        assert_eq!(Race::ALL[30], Race::Minotaur);
    }
}
