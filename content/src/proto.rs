//! What builders write, one type for each kind of record: rooms, mobs, objects, shops, zones, socials.
//!
//! Plain data, as it was read. What changes in play has types of its own (`crate::room`, `crate::object`,
//! `crate::character`), made from these.

use crate::flags::*;
use crate::night::{Horn, Hunted};
use crate::words::*;
use crate::{Text, Vnum};
use serde::{Deserialize, Serialize};

/// `count`d`sides`+`bonus`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, Serialize)]
pub struct Dice {
    pub count: i32,
    pub sides: i32,
    pub bonus: i32,
}

/// As in `2d6+10` or `1d4-1`.
impl std::fmt::Display for Dice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}d{}{:+}", self.count, self.sides, self.bonus)
    }
}

/// Reads `2d6+10`, `1d4-1`, `2d6+-1` and `2d6`.
impl std::str::FromStr for Dice {
    type Err = ();

    fn from_str(text: &str) -> Result<Dice, ()> {
        let (count, rest) = text.split_once(['d', 'D']).ok_or(())?;
        let bonus_at = rest.get(1..).and_then(|rest| rest.find(['+', '-'])).map_or(rest.len(), |at| at + 1);
        let (sides, bonus) = rest.split_at_checked(bonus_at).ok_or(())?;
        let number = |text: &str| if text.starts_with('+') { Err(()) } else { text.parse().map_err(|_| ()) };
        let bonus = if bonus.is_empty() { 0 } else { number(bonus.strip_prefix('+').unwrap_or(bonus))? };
        Ok(Dice { count: number(count)?, sides: number(sides)?, bonus })
    }
}

/// A keyworded text that `look` finds in a room or on an object.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ExtraDescription {
    /// Space-separated keywords.
    pub keywords: Text,
    pub text: Text,
}

/// One way out of a room as built; whether its door is open right now is state.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ExitProto {
    pub direction: Direction,
    /// `None`: it can be looked at but leads nowhere.
    pub to: Option<Vnum>,
    /// What `look <direction>` shows; may be empty.
    pub description: Text,
    /// Keywords of the door, space-separated; may be empty.
    pub keywords: Text,
    /// DOOR, PICKPROOF and HIDDEN only; resets say whether it starts closed or locked.
    pub door: DoorFlags,
    pub key: Option<Vnum>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct RoomProto {
    pub vnum: Vnum,
    /// Number of the zone it belongs to.
    pub zone: i32,
    pub name: Text,
    pub description: Text,
    pub sector: Sector,
    pub flags: RoomFlags,
    /// At most one per direction, in the order of `Direction`.
    pub exits: Vec<ExitProto>,
    pub extras: Vec<ExtraDescription>,
    /// Scripts of its zone that belong to it, by the names of their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Text>,
    /// Scripts and procedures of another server that its row named: kept for its builder, and never run.
    #[serde(skip)]
    pub foreign_scripts: Vec<Text>,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct MobProto {
    pub vnum: Vnum,
    /// Space-separated keywords by which it is addressed.
    pub keywords: Text,
    /// "a town guard": its name in sentences.
    pub short: Text,
    /// The whole line that shows it standing in a room.
    pub long: Text,
    /// What `look <mob>` shows; may be empty.
    pub description: Text,
    pub flags: MobFlags,
    pub affects: AffectFlags,
    /// −1000 (evil) ..= 1000 (good).
    pub alignment: i32,
    pub level: i32,
    /// Added to its to-hit (in the files: 20 − THAC0).
    pub hit_roll: i32,
    /// −100 ..= 100, lower is harder to hit (in the files: a tenth of it).
    pub armor: i32,
    pub hit_points: Dice,
    /// The bonus is its damage roll.
    pub damage: Dice,
    pub gold: i32,
    pub experience: i32,
    pub load_position: Position,
    pub default_position: Position,
    pub sex: Sex,
    pub race: Race,
    pub attack: AttackType,
    /// `None`: the ordinary 11, or by level for strong mobs. Order: str int wis dex con cha.
    pub abilities: [Option<i32>; 6],
    pub strength_add: i32,
    /// What it is heard doing now and then; may be empty.
    pub noise: Text,
    /// What it does for others, or to them, by itself.
    pub behaviours: Vec<Behaviour>,
    /// Scripts of its zone that belong to it, by the names of their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Text>,
    /// Scripts and procedures of another server that its row named: kept for its builder, and never run.
    #[serde(skip)]
    pub foreign_scripts: Vec<Text>,
}

/// What mobs share who have a task: the closed list.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Behaviour {
    /// Teaches the arts of these classes to those who have practice sessions.
    Teacher { classes: Vec<Class> },
    /// Bars a way to all but these classes; to everybody where there are none.
    Guard {
        way: Direction,
        #[serde(default)]
        lets: Vec<Class>,
    },
    /// In one round of a fight of so many, casts one of these instead of striking.
    Caster { spells: Vec<Text>, one_in: u32 },
    /// The same with fighting arts, by their verbs.
    Fighter { verbs: Vec<Text>, one_in: u32 },
    /// The same with a bite that poisons for so many hours, where the victim does not withstand it.
    Venom { hours: i32, one_in: u32 },
    /// In one round of a fight of so many, holds whom it fights with its eyes for so many ticks, unless that is blind
    /// or withstands it.
    Gaze { ticks: u64, one_in: u32 },
    /// In a fight, is elsewhere once it has fewer than so many percent of its hit points.
    Vanisher { percent: i32 },
    /// Throws itself between a mob here and a player who fights that.
    Rescuer { one_in: u32 },
    /// In one round of so many out of a fight, there is one more of its kind, as long as the world has fewer than so
    /// many.
    Breeder { most: u32, one_in: u32 },
    /// Casts one of these on a player here who has lost so many percent of its hit points.
    Healer { spells: Vec<Text>, lost_percent: i32 },
    /// Steals coins from players, in one round of so many.
    Thief { one_in: u32 },
    /// Gets so many percent of its hit points back in each round.
    Regenerator { percent: i32 },
    /// Sweeps rubbish off the floor.
    Cleaner {},
    /// Gives back a point of constitution that deaths took, for so many coins for each level of the customer.
    Restorer { coins: i32 },
    /// Tells all about a thing, for so many coins.
    Identifier { coins: i32 },
    /// Fills a wand or a staff again, for so many coins for each level of the spell in it.
    Recharger { coins: i32 },
    /// Has somebody's corpse brought, for so many coins for each level of the customer.
    Mortician { coins: i32 },
    /// Puts pictures under the skin, by the prices of the rule book: these, or all that there are.
    Tattooist {
        #[serde(default)]
        tattoos: Vec<Text>,
    },
    /// Lets who has reached that level begin anew in a craft that grows from its own, for so many coins.
    Remorter { level: i32, coins: i32 },
    /// Sells such an animal for so many coins, and keeps people's own for so many a day of the game.
    Stable { mob: Vnum, coins: i32, keep: i32 },
    /// Lets these fight for somebody for so many hours, for so many coins for each of their levels.
    Recruiter { mobs: Vec<Vnum>, coins: i32, hours: i32 },
    /// Arrests outlaws whom it sees, and whoever fights it, where the world has a jail; takes coins to let them out.
    Jailer {},
    /// Sells these animals to who has come to their level; each serves whoever bought it.
    PetShop { pets: Vec<PetOffer> },
}

/// An animal for sale.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PetOffer {
    pub mob: Vnum,
    pub coins: i32,
}

/// What an object is and what its kind needs to know. Values are as loaded; charges and contents change in play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub enum ObjectKind {
    /// Hours of light left; −1 burns for ever, 0 is burnt out.
    Light {
        hours: i32,
    },
    Scroll {
        level: i32,
        spells: [i32; 3],
    },
    Wand {
        level: i32,
        charges_max: i32,
        charges: i32,
        spell: i32,
    },
    Staff {
        level: i32,
        charges_max: i32,
        charges: i32,
        spell: i32,
    },
    Weapon {
        dice: i32,
        sides: i32,
        attack: AttackType,
    },
    FireWeapon {
        dice: i32,
        sides: i32,
    },
    Missile {
        dice: i32,
        sides: i32,
    },
    Treasure,
    /// Points of armour before the factor of the place (body ×3, head and legs ×2).
    Armor {
        armor: i32,
    },
    Potion {
        level: i32,
        spells: [i32; 3],
    },
    Worn,
    Other,
    Trash,
    Trap,
    /// Capacity in pounds. `corpse`: made by a death.
    Container {
        capacity: i32,
        flags: ContainerFlags,
        key: Option<Vnum>,
        corpse: bool,
    },
    Note,
    /// In swallows.
    DrinkContainer {
        capacity: i32,
        contents: i32,
        liquid: Liquid,
        poisoned: bool,
    },
    Key,
    /// Hours of hunger it stills.
    Food {
        hours: i32,
        poisoned: bool,
    },
    Money {
        coins: i32,
    },
    Pen,
    Boat,
    Fountain {
        capacity: i32,
        contents: i32,
        liquid: Liquid,
        poisoned: bool,
    },
    Furniture,
}

impl ObjectKind {
    pub fn item_type(&self) -> ItemType {
        match self {
            ObjectKind::Light { .. } => ItemType::Light,
            ObjectKind::Scroll { .. } => ItemType::Scroll,
            ObjectKind::Wand { .. } => ItemType::Wand,
            ObjectKind::Staff { .. } => ItemType::Staff,
            ObjectKind::Weapon { .. } => ItemType::Weapon,
            ObjectKind::FireWeapon { .. } => ItemType::FireWeapon,
            ObjectKind::Missile { .. } => ItemType::Missile,
            ObjectKind::Treasure => ItemType::Treasure,
            ObjectKind::Armor { .. } => ItemType::Armor,
            ObjectKind::Potion { .. } => ItemType::Potion,
            ObjectKind::Worn => ItemType::Worn,
            ObjectKind::Other => ItemType::Other,
            ObjectKind::Trash => ItemType::Trash,
            ObjectKind::Trap => ItemType::Trap,
            ObjectKind::Container { .. } => ItemType::Container,
            ObjectKind::Note => ItemType::Note,
            ObjectKind::DrinkContainer { .. } => ItemType::DrinkContainer,
            ObjectKind::Key => ItemType::Key,
            ObjectKind::Food { .. } => ItemType::Food,
            ObjectKind::Money { .. } => ItemType::Money,
            ObjectKind::Pen => ItemType::Pen,
            ObjectKind::Boat => ItemType::Boat,
            ObjectKind::Fountain { .. } => ItemType::Fountain,
            ObjectKind::Furniture => ItemType::Furniture,
        }
    }
}

/// One change that wearing an object makes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ObjectApply {
    pub to: Apply,
    pub by: i32,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ObjectProto {
    pub vnum: Vnum,
    pub keywords: Text,
    /// "a short sword": its name in sentences.
    pub short: Text,
    /// The whole line that shows it lying in a room.
    pub long: Text,
    /// The classic "action description": what is read on a note, or shown on use; may be empty.
    pub action: Text,
    pub kind: ObjectKind,
    pub flags: ObjectFlags,
    pub wear: WearFlags,
    /// Conditions it puts on its wearer.
    pub affects: AffectFlags,
    /// In pounds.
    pub weight: i32,
    /// In gold coins.
    pub cost: i32,
    /// Lowest level that may use it; 0 for anybody.
    pub level: i32,
    /// How often a reset brings it, in hundredths of a percent: 10,000 is always.
    pub load_chance: i32,
    /// MUD hours until it falls apart; 0 never.
    pub timer_hours: i32,
    pub applies: Vec<ObjectApply>,
    /// What comes after whoever carries it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hunted: Option<Hunted>,
    /// What comes after whoever uses it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub horn: Option<Horn>,
    pub extras: Vec<ExtraDescription>,
    /// Scripts of its zone that belong to it, by the names of their files.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scripts: Vec<Text>,
    /// Scripts and procedures of another server that its row named: kept for its builder, and never run.
    #[serde(skip)]
    pub foreign_scripts: Vec<Text>,
}

/// What a shopkeeper buys: a type of item, and words that narrow it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ShopTrade {
    pub item: ItemType,
    /// The classic keyword expression, such as `sword|axe`; empty for all of the type.
    pub keywords: Text,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ShopProto {
    pub vnum: Vnum,
    /// Objects it never runs out of.
    pub products: Vec<Vnum>,
    /// Factor on the cost when it sells to a player, in hundredths.
    pub sells_at: i32,
    /// Factor on the cost when it buys from a player, in hundredths.
    pub buys_at: i32,
    pub trades: Vec<ShopTrade>,
    pub messages: ShopMessages,
    /// `NOBODY`: the shop stays shut.
    pub keeper: Vnum,
    pub refuses: TradeFlags,
    /// Rooms it trades in; empty for anywhere.
    pub rooms: Vec<Vnum>,
    /// Opening hours of a day, 0..=28, half-open `[from, to)`; two windows.
    pub hours: [(i32, i32); 2],
    /// The keeper strikes back; keepers cannot be attacked otherwise.
    pub fights: bool,
    pub uses_bank: bool,
    /// The classic temper: 0 and 1 show distaste for people without money.
    pub temper: i32,
}

/// What the keeper says. `%s` stands for the customer's name where the classic files have it, `%d` for the price.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct ShopMessages {
    /// The customer asks for something that the shop does not have.
    pub no_such_item: Text,
    /// The customer offers something that he does not have.
    pub no_such_offer: Text,
    pub does_not_trade: Text,
    pub keeper_is_poor: Text,
    pub customer_is_poor: Text,
    /// After the customer bought.
    pub bought: Text,
    /// After the customer sold.
    pub sold: Text,
}

/// One line of a zone's resets. `if_last`: only when the chain since the last unconditional command succeeded.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Reset {
    pub if_last: bool,
    pub action: ResetAction,
    /// Line in its file, for problems found later; 0 when unknown. Play does not depend on it, so no encoding has it.
    #[serde(skip)]
    pub line: u32,
}

/// What a reset does. `max` counts living instances in the whole world.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetAction {
    Mob {
        mob: Vnum,
        max: i32,
        room: Vnum,
    },
    /// `room: None` loads it nowhere, which old files do by mistake; it is skipped.
    Object {
        object: Vnum,
        max: i32,
        room: Option<Vnum>,
    },
    /// Into the most recently loaded instance of `container`.
    Put {
        object: Vnum,
        max: i32,
        container: Vnum,
    },
    /// To the last mob.
    Give {
        object: Vnum,
        max: i32,
    },
    /// On the last mob.
    Equip {
        object: Vnum,
        max: i32,
        slot: WearSlot,
    },
    Door {
        room: Vnum,
        direction: Direction,
        closed: bool,
        locked: bool,
    },
    RemoveObject {
        room: Vnum,
        object: Vnum,
    },
    RemoveMob {
        room: Vnum,
        mob: Vnum,
    },
    /// Dark Pawns: what stands between this and `LoopEnd` is done `count` times.
    LoopStart {
        count: i32,
    },
    LoopEnd,
}

#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct ZoneProto {
    pub number: i32,
    pub name: Text,
    pub builders: Text,
    /// Rooms of the zone have vnums in this range, inclusive, or in one of `more`.
    pub first: Vnum,
    pub last: Vnum,
    /// Further ranges of a zone that has outgrown its first, inclusive. Left out of the encoding where there are
    /// none, so that fingerprints of worlds without them stay.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<(Vnum, Vnum)>,
    pub lifespan_minutes: i32,
    pub reset_mode: ResetMode,
    /// Levels it is meant for; (0, 0) when nobody said.
    pub levels: (i32, i32),
    /// One line of what people say about it; empty where nobody says anything.
    pub rumour: Text,
    /// Left out of the encoding where there are none, as `more` is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quarters: Vec<Quarter>,
    pub resets: Vec<Reset>,
}

/// A part of a zone that people speak of by a name of its own: its rooms in a range of vnums, inclusive.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Quarter {
    pub name: Text,
    /// What people say about it.
    pub rumour: Text,
    pub first: Vnum,
    pub last: Vnum,
}

impl ZoneProto {
    /// The ranges of the vnums of its rooms, inclusive, the first one first.
    pub fn ranges(&self) -> impl Iterator<Item = (Vnum, Vnum)> {
        std::iter::once((self.first, self.last)).chain(self.more.iter().copied())
    }

    /// True if a room of that number would be the zone's.
    pub fn holds(&self, vnum: Vnum) -> bool {
        self.ranges().any(|(first, last)| (first..=last).contains(&vnum))
    }
}

/// Where people of a land first wake and where their prayers take them.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Hometown {
    /// The letter that chooses it in the creation dialogue.
    pub key: char,
    pub name: Text,
    pub room: Vnum,
}

impl Hometown {
    /// The letter of those who have no hometown, where a world has none.
    pub const NOWHERE: char = '-';
}

/// Where people are locked up, and where those come out who have served their time.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Jail {
    pub room: Vnum,
    pub outside: Vnum,
}

/// What a sleeper may dream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Dream {
    /// Of those who died not long ago.
    pub nightmare: bool,
    pub levels: (i32, i32),
    /// Where it leads whose sleep was made ready for travel; then nobody else dreams it.
    pub to: Option<Vnum>,
    pub text: Text,
}

/// Index of a channel in `Content::channels`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct ChannelId(pub u16);

/// One channel: a verb that carries words beyond the room.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Channel {
    /// By which messages, programs and players name it: 1 to 99, each once.
    pub id: u32,
    /// Words a minute that fill each speaker's account.
    pub wpm: u32,
    /// The verb, one word in lower case; also the `channel` of outcomes.
    pub name: Text,
    /// "You {speak}, …" and "Bob {speaks}, …".
    pub speak: Text,
    pub speaks: Text,
    /// A sentence or two for help.
    pub help: Text,
    /// What programs know its lines by.
    pub event: ChannelEvent,
    /// What people know them by.
    pub colour: Colour,
    pub range: ChannelRange,
    /// The lowest position in which one can speak.
    pub position: Position,
    /// The lowest level that may speak; where it is not said, the rule book's `channel_level_min`.
    pub level: Option<i32>,
    /// Movement points that each utterance costs.
    pub moves: i32,
    /// Programs that play neither speak nor listen there.
    pub people_only: bool,
    /// The name under which `toggle` switches it off and on; channels may share one.
    pub setting: Text,
    /// What switching it on and off answers.
    pub on: Text,
    pub off: Text,
}

/// One social: a gesture with its voices. `None` means that nobody reads anything in that case.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Social {
    pub name: Text,
    /// Lowest position of the actor and of the victim.
    #[serde(default = "resting")]
    pub position: Position,
    #[serde(default = "resting")]
    pub victim_position: Position,
    /// Bystanders who cannot see the actor read nothing.
    #[serde(default)]
    pub hidden: bool,
    /// Without a target: what the actor reads, what the room reads.
    pub actor: Text,
    #[serde(default)]
    pub room: Option<Text>,
    /// With a target: actor, room, victim.
    #[serde(default)]
    pub actor_victim: Option<Text>,
    #[serde(default)]
    pub room_victim: Option<Text>,
    #[serde(default)]
    pub victim: Option<Text>,
    /// The target is not here.
    #[serde(default)]
    pub not_found: Option<Text>,
    /// At oneself: actor, room.
    #[serde(default)]
    pub actor_self: Option<Text>,
    #[serde(default)]
    pub room_self: Option<Text>,
}

fn resting() -> Position {
    Position::Resting
}
